//! Names for what is written: one file in, one file out of a plain name; several in, as many out
//! under their own names.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use super::folder::{free_path, inside};
use crate::source::{Format, Source};

/// Which input file is written under which names.
pub(crate) struct Shards {
    /// The files with rows and where each goes below `kept/` and `removed/`; empty unless there
    /// are several.
    paths: BTreeMap<PathBuf, PathBuf>,
    /// The list of removed one-document files must not take the name of removed rows.
    list: &'static str,
}

impl Shards {
    pub(crate) fn new<'s>(sources: impl Iterator<Item = &'s Source>) -> Self {
        let (files, rows): (Vec<&Source>, Vec<&Source>) =
            sources.partition(|source| source.format.is_one_document());
        let list = match rows.as_slice() {
            [only] if end(only) == ".jsonl" => "removed-2.jsonl",
            _ => "removed.jsonl",
        };
        if rows.len() < 2 {
            return Self { paths: BTreeMap::new(), list };
        }
        // Beside copied files the whole path is kept, since theirs is.
        let common = if files.is_empty() { common_folders(&rows) } else { 0 };
        let mut used = BTreeSet::new();
        let mut paths = BTreeMap::new();
        for source in rows {
            let own: PathBuf = inside(&name(source)).components().skip(common).collect();
            let free = free_path(&used, &own);
            used.insert(free.clone());
            paths.insert(source.path.clone(), free);
        }
        Self { paths, list }
    }

    /// Where the rows of a file go that are `kept`, `removed` or `unreadable`.
    pub(crate) fn path(&self, folder: &Path, kind: &str, source: &Source) -> PathBuf {
        match self.paths.get(&source.path) {
            Some(relative) => folder.join(kind).join(relative),
            None if kind == "unreadable" && source.format != Format::Parquet => {
                folder.join(format!("{kind}.raw{}", source.compression.extension()))
            }
            None => folder.join(format!("{kind}{}", end(source))),
        }
    }

    /// Where the list of removed one-document files goes.
    pub(crate) fn list(&self, folder: &Path) -> PathBuf {
        folder.join(self.list)
    }
}

/// How the name of a single output ends.
fn end(source: &Source) -> String {
    let extension = match source.format {
        Format::Csv => "csv",
        Format::Tsv => "tsv",
        Format::Mbox => "mbox",
        Format::Parquet => "parquet",
        Format::Warc => "warc",
        Format::Json => "json",
        _ => "jsonl",
    };
    format!(".{extension}{}", source.compression.extension())
}

fn name(source: &Source) -> String {
    if source.name == "-" { "standard-input.jsonl".into() } else { source.id_name.clone() }
}

/// How many leading folders all of them have in common.
fn common_folders(sources: &[&Source]) -> usize {
    let folders = |source: &Source| -> Vec<String> {
        let path = inside(&name(source));
        let parent = path.parent().map(Path::to_path_buf).unwrap_or_default();
        let text = |part: Component<'_>| part.as_os_str().to_string_lossy().into_owned();
        parent.components().map(text).collect()
    };
    let mut common = folders(sources[0]);
    for source in &sources[1..] {
        let own = folders(source);
        let same = common.iter().zip(&own).take_while(|(left, right)| left == right).count();
        common.truncate(same);
    }
    common.len()
}
