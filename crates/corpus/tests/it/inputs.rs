use std::fs;

use lookalike_corpus::{Corpus, CorpusError, IdKey, InputOptions, Reason};
use tempfile::TempDir;

use crate::reading::{file, fixture, open, open_with, outcomes, rows};

#[test]
fn missing_ids_become_path_or_file_and_row() {
    let (_folder, path) = file("a.jsonl", "\n{\"text\":\"a\"}\n{\"id\":\"x\",\"text\":\"b\"}\n");
    let name = path.display().to_string();
    assert_eq!(outcomes(&open(&path)), [format!("{name}:2"), "x".into()]);
    let options = InputOptions { id_key: IdKey::Row, ..InputOptions::default() };
    let numbered = open_with(&path, options);
    assert_eq!(outcomes(&numbered), [format!("{name}:2"), format!("{name}:3")]);
    assert_eq!(outcomes(&open(path.parent().unwrap())), ["a.jsonl:2", "x"]);
}

#[test]
fn patterns_find_files_and_the_same_file_is_read_once() {
    let folder = TempDir::new().unwrap();
    for name in ["b.txt", "a.txt", "c.log"] {
        fs::write(folder.path().join(name), name).unwrap();
    }
    let path = |name: &str| folder.path().join(name).display().to_string();
    let inputs = [path("*.*"), path("a.txt")];
    let corpus = Corpus::open(&inputs, InputOptions::default(), folder.path()).unwrap();
    assert_eq!(outcomes(&corpus), [path("a.txt"), path("b.txt")]);
    let ignored: Vec<Reason> = corpus.ignored().iter().map(|file| file.reason).collect();
    assert_eq!(ignored, [Reason::UnknownFormat, Reason::GivenTwice]);
}

#[test]
fn ids_of_several_folders_do_not_collide() {
    let folder = TempDir::new().unwrap();
    for name in ["x", "y"] {
        fs::create_dir(folder.path().join(name)).unwrap();
        fs::write(folder.path().join(name).join("same.txt"), name).unwrap();
    }
    let path = |name: &str| folder.path().join(name).display().to_string();
    let corpus =
        Corpus::open(&[path("x"), path("y")], InputOptions::default(), folder.path()).unwrap();
    assert_eq!(outcomes(&corpus), [path("x/same.txt"), path("y/same.txt")]);
}

#[test]
fn only_selected_rows_are_parsed_and_ordinals_run_over_all_files() {
    let inputs =
        ["rows.jsonl", "rows.csv", "folder"].map(|name| fixture(name).display().to_string());
    let corpus = Corpus::open(&inputs, InputOptions::default(), &std::env::temp_dir()).unwrap();
    let all = rows(&corpus);
    assert_eq!(all.len(), 12);
    let mut selected = Vec::new();
    for block in corpus.blocks() {
        block.visit_selected(
            |ordinal| ordinal % 3 == 1,
            |row| {
                selected.push((row.ordinal, row.place.to_string()));
            },
        );
    }
    let expected: Vec<(u64, String)> =
        all.iter().skip(1).step_by(3).map(|row| (row.ordinal, row.place.clone())).collect();
    assert_eq!(selected, expected);
}

#[test]
fn progress_adds_up_to_the_size_of_the_input() {
    for name in ["rows.jsonl", "rows.jsonl.gz", "rows.tsv.zst", "folder", "archive.mbox"] {
        let corpus = open(&fixture(name));
        let consumed: u64 = corpus.blocks().map(|block| block.consumed_bytes()).sum();
        assert_eq!(consumed, corpus.size_bytes(), "{name}");
    }
}

#[test]
fn blocks_can_be_read_on_a_thread_of_their_own() {
    let corpus = open(&fixture("rows.jsonl"));
    let blocks = corpus.with_block_bytes(10).blocks();
    let n_rows: usize =
        std::thread::spawn(move || blocks.map(|block| block.n_rows()).sum()).join().unwrap();
    assert_eq!(n_rows, 4);
}

#[test]
fn a_file_that_changes_between_passes_is_noticed() {
    let (_folder, path) = file("a.jsonl", "{\"text\":\"a\"}\n");
    let corpus = open(&path);
    corpus.check_unchanged().unwrap();
    fs::write(&path, "{\"text\":\"a\"}\n{\"text\":\"b\"}\n").unwrap();
    assert!(matches!(corpus.check_unchanged(), Err(CorpusError::Changed(_))));
}
