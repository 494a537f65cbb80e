//! Inputs that are not what they were when their rows were judged.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use lookalike_corpus::Corpus;
use tempfile::TempDir;

use super::*;
use crate::{Config, Context, Interrupt, Silent};

/// Every second row is an exact copy of the one before it.
fn rows(n_rows: usize) -> Vec<String> {
    let row = |n: usize| {
        let words: Vec<String> = (0..30).map(|word| format!("w{}x{word}", n / 2)).collect();
        format!("{{\"id\":\"{n}\",\"text\":\"{}\"}}\n", words.join(" "))
    };
    (0..n_rows).map(row).collect()
}

struct Place {
    folder: TempDir,
    input: PathBuf,
}

impl Place {
    fn new(content: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let input = folder.path().join("in.jsonl");
        fs::write(&input, content).unwrap();
        Self { folder, input }
    }

    /// Judges the input, lets `change` change it, and writes.
    fn dedup(&self, change: impl FnOnce(&Path)) -> Result<Written, RunError> {
        let interrupt = Interrupt::new();
        let temp_dir = self.folder.path();
        let context = Context { progress: &Silent, interrupt: &interrupt, temp_dir };
        let config = Config::from_table("method = 'exact'".parse().unwrap()).unwrap();
        let inputs = [self.input.display().to_string()];
        let corpus: Corpus = crate::open_corpus(&inputs, &config, temp_dir).unwrap();
        let mut findings = crate::find(&corpus, &config, &context).unwrap();
        let before = fs::metadata(&self.input).unwrap().modified().unwrap();
        change(&self.input);
        // Not even the time gives it away.
        File::options().write(true).open(&self.input).unwrap().set_modified(before).unwrap();
        let out = temp_dir.join("out");
        let folder = OutputFolder::create(&out, false).unwrap();
        let written = dedup(&corpus, &mut findings, &config, &context, Some(&folder), None)?;
        folder.commit().unwrap();
        Ok(written)
    }

    fn refused(&self, change: impl FnOnce(&Path)) {
        let error = self.dedup(change).unwrap_err();
        assert!(
            matches!(&error, RunError::Corpus(CorpusError::Changed(path)) if *path == self.input),
            "{error}"
        );
        assert!(!self.folder.path().join("out").exists());
    }
}

#[test]
fn the_same_input_is_written() {
    let written = Place::new(&rows(1000).concat()).dedup(|_| {}).unwrap();
    assert_eq!((written.kept, written.removed), (500, 500));
}

#[test]
fn the_same_rows_in_another_order_are_refused() {
    let mut reversed = rows(1000);
    let place = Place::new(&reversed.concat());
    reversed.reverse();
    place.refused(|path| fs::write(path, reversed.concat()).unwrap());
}

#[test]
fn rows_that_were_cut_off_or_added_are_refused() {
    let all = rows(1000);
    let place = Place::new(&all.concat());
    place.refused(|path| fs::write(path, all[..500].concat()).unwrap());
    let place = Place::new(&all.concat());
    place.refused(|path| fs::write(path, rows(1002).concat()).unwrap());
    let place = Place::new(&all.concat());
    place.refused(|path| fs::write(path, "").unwrap());
}

#[test]
fn one_other_letter_is_refused() {
    let all = rows(1000).concat();
    let place = Place::new(&all);
    place.refused(|path| fs::write(path, all.replacen("w7x3", "w7y3", 1)).unwrap());
}
