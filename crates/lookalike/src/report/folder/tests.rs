use super::*;
use crate::report::manifest::MANIFEST;

fn write_one(folder: &OutputFolder, name: &str, content: &str) {
    let path = folder.partial().join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    folder.write(name, |file| file.write_all(content.as_bytes())).unwrap();
}

fn run(path: &Path, files: &[(&str, &str)]) {
    let folder = OutputFolder::create(path, true).unwrap();
    for (name, content) in files {
        write_one(&folder, name, content);
    }
    folder.commit().unwrap();
}

fn names(path: &Path) -> Vec<String> {
    let entries = fs::read_dir(path).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name != MANIFEST).collect();
    names.sort();
    names
}

fn read(path: &Path, name: &str) -> String {
    fs::read_to_string(path.join(name)).unwrap()
}

#[test]
fn nothing_appears_before_the_commit_and_nothing_stays_without_one() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("deep/out");
    let folder = OutputFolder::create(&path, false).unwrap();
    write_one(&folder, "pairs.jsonl", "x");
    assert!(!path.exists());
    drop(folder);
    assert!(names(root.path()).is_empty());
}

#[test]
fn force_replaces_all_of_ours_and_nothing_else() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("out");
    run(&path, &[("pairs.jsonl", "old"), ("kept-2.csv", "old"), ("kept/a.txt", "old")]);
    assert!(matches!(OutputFolder::create(&path, false), Err(RunError::OutputNotEmpty(_))));
    let mine =
        ["kept.notes.txt", "summary.json.bak", "kept.d/inner/x", "kept/mine.txt", "empty.d/"];
    for name in mine {
        fs::create_dir_all(path.join(name).parent().unwrap()).unwrap();
        match name.strip_suffix('/') {
            Some(folder) => fs::create_dir_all(path.join(folder)).unwrap(),
            None => fs::write(path.join(name), "mine").unwrap(),
        }
    }
    run(&path, &[("pairs.jsonl", "new"), ("kept.jsonl", "new")]);
    let expected = [
        "empty.d",
        "kept",
        "kept.d",
        "kept.jsonl",
        "kept.notes.txt",
        "pairs.jsonl",
        "summary.json.bak",
    ];
    assert_eq!(names(&path), expected);
    assert_eq!(names(&path.join("kept")), ["mine.txt"]);
    assert_eq!(read(&path, "pairs.jsonl"), "new");
    assert_eq!(read(&path, "kept.d/inner/x"), "mine");
    assert_eq!(names(root.path()), ["out"]);
}

#[test]
fn what_is_not_ours_is_never_overwritten() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("out");
    fs::create_dir(&path).unwrap();
    fs::write(path.join("pairs.jsonl"), "judged by people").unwrap();
    let refused = OutputFolder::create(&path, true).unwrap_err();
    assert!(matches!(&refused, RunError::NotOurs(file) if file.ends_with("pairs.jsonl")));
    fs::remove_file(path.join("pairs.jsonl")).unwrap();
    run(&path, &[("pairs.jsonl", "old")]);
    // Ours, but somebody has worked on it since.
    fs::write(path.join("pairs.jsonl"), "old and judgments").unwrap();
    assert!(matches!(OutputFolder::create(&path, true), Err(RunError::NotOurs(_))));
    fs::write(path.join("pairs.jsonl"), "old").unwrap();
    // Known only at the end.
    fs::write(path.join("kept.csv"), "mine").unwrap();
    let folder = OutputFolder::create(&path, true).unwrap();
    write_one(&folder, "pairs.jsonl", "new");
    write_one(&folder, "kept.csv", "new");
    assert!(matches!(folder.commit(), Err(RunError::NotOurs(file)) if file.ends_with("kept.csv")));
    assert_eq!(
        (read(&path, "pairs.jsonl"), read(&path, "kept.csv")),
        ("old".into(), "mine".into())
    );
    assert_eq!(names(root.path()), ["out"]);
}

#[test]
fn a_folder_that_cannot_be_exchanged_is_replaced_file_by_file() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("out");
    run(&path, &[("pairs.jsonl", "old"), ("kept/a.txt", "old"), ("kept.csv", "old")]);
    fs::write(path.join("notes.txt"), "mine").unwrap();
    let mut folder = OutputFolder::create(&path, true).unwrap();
    folder.beside = false;
    write_one(&folder, "pairs.jsonl", "new");
    folder.commit().unwrap();
    assert_eq!(names(&path), ["notes.txt", "pairs.jsonl"]);
    assert_eq!(read(&path, "pairs.jsonl"), "new");
    assert_eq!(names(root.path()), ["out"]);
}

#[test]
fn a_killed_run_is_tidied_up_by_the_next_and_a_living_one_is_respected() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("out");
    let living = OutputFolder::create(&path, false).unwrap();
    assert!(matches!(OutputFolder::create(&path, false), Err(RunError::OutputInUse(_))));
    drop(living);
    let work = work_beside(&path);
    fs::create_dir_all(work.join("new")).unwrap();
    fs::write(work.join("new/pairs.jsonl"), "half").unwrap();
    let folder = OutputFolder::create(&path, false).unwrap();
    assert!(folder.notes()[0].contains("was killed"), "{:?}", folder.notes());
    write_one(&folder, "pairs.jsonl", "whole");
    folder.commit().unwrap();
    assert_eq!(names(&path), ["pairs.jsonl"]);
}

/// Stops in the middle of replacing, as a kill would.
#[cfg(target_os = "linux")]
#[test]
fn a_run_killed_after_the_exchange_leaves_the_new_result_and_the_next_tidies_up() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("out");
    run(&path, &[("pairs.jsonl", "old"), ("kept.csv", "old")]);
    fs::write(path.join("notes.txt"), "mine").unwrap();
    let work = work_beside(&path);
    run(&work.join("new"), &[("pairs.jsonl", "new")]);
    let exchanged = "0";
    fs::write(work.join("exchanging"), exchanged).unwrap();
    let (new, aside) = (work.join("new"), root.path().join("aside"));
    fs::rename(&path, &aside).unwrap();
    fs::rename(&new, &path).unwrap();
    fs::rename(&aside, &new).unwrap();
    let folder = OutputFolder::create(&path, true).unwrap();
    assert!(folder.notes()[0].contains("complete now"), "{:?}", folder.notes());
    drop(folder);
    assert_eq!(names(&path), ["notes.txt", "pairs.jsonl"]);
    assert_eq!(read(&path, "pairs.jsonl"), "new");
    assert_eq!(read(&path, "notes.txt"), "mine");
    assert_eq!(names(root.path()), ["out"]);
}
