use std::fs;
use std::path::Path;

use lookalike_corpus::{Corpus, CorpusError, Format, InputOptions, Reason};
use tempfile::TempDir;

use crate::reading::{fixture, open, open_with, outcomes};

fn write(root: &Path, name: &str, content: &str) {
    let path = root.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

fn reasons(corpus: &Corpus, root: &Path) -> Vec<(String, Reason)> {
    let name = |path: &Path| path.strip_prefix(root).unwrap().display().to_string();
    corpus.ignored().iter().map(|ignored| (name(&ignored.path), ignored.reason)).collect()
}

#[test]
fn hidden_names_are_left_alone_unless_asked_for_and_everything_is_counted() {
    let folder = TempDir::new().unwrap();
    let root = folder.path();
    for name in [".git/HEAD.txt", ".env.txt", "a.txt", "b.JPG", "c.jpg", "d.rs", "Makefile"] {
        write(root, name, "x");
    }
    let corpus = open(root);
    assert_eq!(outcomes(&corpus), ["a.txt"]);
    let counts: Vec<(String, u64)> = corpus.passed_over().into_iter().collect();
    let expected = [(".jpg", 2), (".rs", 1), ("hidden", 2), ("without extension", 1)];
    assert_eq!(counts, expected.map(|(kind, count)| (kind.to_owned(), count)));
    let corpus = open_with(root, InputOptions { hidden: true, ..InputOptions::default() });
    assert_eq!(outcomes(&corpus), [".env.txt", ".git/HEAD.txt", "a.txt"]);
}

#[test]
fn the_folders_of_a_maildir_are_not_hidden() {
    let folder = TempDir::new().unwrap();
    let root = folder.path();
    for name in ["cur/1", "new/2", ".Sent/cur/3", ".Sent/new/4", ".Trash.txt"] {
        write(root, name, "Subject: fog\n\nThe ferry waits.\n");
    }
    assert_eq!(outcomes(&open(root)), [".Sent/cur/3", ".Sent/new/4", "cur/1", "new/2"]);
}

#[test]
fn results_of_earlier_runs_are_no_input() {
    let folder = TempDir::new().unwrap();
    let root = folder.path();
    write(root, "a.jsonl", "{\"id\":\"a\",\"text\":\"fog\"}\n");
    for name in ["summary.json", "config.toml", "clusters.jsonl", "kept.jsonl", "kept/b.txt"] {
        write(root, &format!("deep/clean/{name}"), "{}\n");
    }
    let corpus = open(root);
    assert_eq!(outcomes(&corpus), ["a"]);
    assert_eq!(reasons(&corpus, root), [("deep/clean".to_owned(), Reason::Results)]);
    let pattern = root.join("**/*.jsonl");
    let corpus = open(&pattern);
    assert_eq!(outcomes(&corpus), ["a"]);
    assert_eq!(reasons(&corpus, root), [("deep/clean".to_owned(), Reason::Results)]);
    // What the user names himself is read, and the folder as a whole is refused with a sentence.
    assert_eq!(outcomes(&open(&root.join("deep/clean/kept"))), ["b.txt"]);
    assert_eq!(outcomes(&open(&root.join("deep/clean/k*.jsonl"))).len(), 1);
    let named = [root.join("deep/clean").display().to_string()];
    let error = Corpus::open(&named, InputOptions::default(), root).unwrap_err();
    assert!(matches!(error, CorpusError::ResultFolder(_)), "{error}");
}

#[cfg(unix)]
#[test]
fn links_are_followed_to_files_of_the_tree_only() {
    use std::os::unix::fs::symlink;

    let outside = TempDir::new().unwrap();
    write(outside.path(), "secret.txt", "x");
    let folder = TempDir::new().unwrap();
    let root = folder.path();
    write(root, "blobs/1f3a", "The ferry waits.");
    write(root, "a.txt", "fog");
    symlink(root.join("blobs/1f3a"), root.join("b.txt")).unwrap();
    symlink(outside.path().join("secret.txt"), root.join("c.txt")).unwrap();
    symlink(outside.path(), root.join("d")).unwrap();
    symlink(root, root.join("e")).unwrap();
    symlink(root.join("absent.txt"), root.join("f.txt")).unwrap();
    let corpus = open(root);
    assert_eq!(outcomes(&corpus), ["a.txt", "b.txt"]);
    let links: Vec<String> = reasons(&corpus, root)
        .into_iter()
        .filter(|(_, reason)| *reason == Reason::Link)
        .map(|(name, _)| name)
        .collect();
    assert_eq!(links, ["c.txt", "d", "e", "f.txt"]);
    assert_eq!(outcomes(&open(&root.join("d/secret.txt"))).len(), 1, "what is named is read");
}

#[cfg(unix)]
#[test]
fn devices_are_refused_and_sockets_in_folders_left_alone() {
    let error = Corpus::open(&["/dev/zero"], InputOptions::default(), Path::new("/tmp"));
    assert!(matches!(error, Err(CorpusError::Special(_))), "{error:?}");
    let folder = TempDir::new().unwrap();
    write(folder.path(), "a.txt", "fog");
    let _socket = std::os::unix::net::UnixListener::bind(folder.path().join("b.txt")).unwrap();
    let corpus = open(folder.path());
    assert_eq!(outcomes(&corpus), ["a.txt"]);
    assert_eq!(reasons(&corpus, folder.path()), [("b.txt".to_owned(), Reason::Special)]);
}

#[test]
fn any_file_is_read_as_the_options_say() {
    let folder = TempDir::new().unwrap();
    let root = folder.path();
    write(root, "main.rs", "fn main() {}");
    write(root, "page", "<p>Fog &amp; rain</p>");
    write(root, "image.png", "\u{1}PNG\0\0\0");
    let as_text = InputOptions { read_as: Some(Format::Text), ..InputOptions::default() };
    let expected = ["! the file holds binary data, not text", "main.rs", "page"];
    assert_eq!(outcomes(&open_with(root, as_text)), expected);
    if cfg!(feature = "html") {
        let options = InputOptions { read_as: Some(Format::Html), ..InputOptions::default() };
        let page = crate::reading::documents(&open_with(&root.join("page"), options));
        assert_eq!(page[0].text, "Fog & rain");
    }
    let rows = root.join("rows.data");
    fs::copy(fixture("rows.jsonl"), &rows).unwrap();
    assert!(Corpus::open(&[rows.display().to_string()], InputOptions::default(), root).is_err());
    let options = InputOptions { read_as: Some(Format::JsonLines), ..InputOptions::default() };
    assert_eq!(outcomes(&open_with(&rows, options)).len(), 4);
}
