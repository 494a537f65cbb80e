use std::fs;
use std::io::Write;
use std::path::PathBuf;

use lookalike::{Context, Corpus, Interrupt, Progress, RunError};
use lookalike_corpus::{CorpusError, InputOptions};

use crate::collection::{config, families};

/// Appends rows to a file when a stage begins.
struct Appends {
    path: PathBuf,
    at: &'static str,
    rows: String,
}

impl Progress for Appends {
    fn begin(&self, stage: &'static str, _: u64) {
        if stage == self.at {
            let mut file = fs::OpenOptions::new().append(true).open(&self.path).unwrap();
            file.write_all(self.rows.as_bytes()).unwrap();
        }
    }
    fn advance(&self, _: u64) {}
    fn end(&self) {}
}

#[test]
fn a_file_that_grows_before_it_is_read_again_is_an_error_of_the_file() {
    let row = |id: &str, text: &str| serde_json::json!({"id": id, "text": text}).to_string() + "\n";
    let rows = families(10).iter().map(|d| row(&d.id, &d.text)).collect::<String>();
    for method in ["minhash", "paragraph", "wordlsh"] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("in.jsonl");
        fs::write(&path, &rows).unwrap();
        let more = (0..500).map(|n| row(&format!("more-{n}"), "fog at sea")).collect();
        let appends = Appends { path: path.clone(), at: "re-reading candidates", rows: more };
        let inputs = [path.display().to_string()];
        let corpus = Corpus::open(&inputs, InputOptions::default(), folder.path()).unwrap();
        let interrupt = Interrupt::new();
        let context =
            Context { progress: &appends, interrupt: &interrupt, temp_dir: folder.path() };
        // With more memory `paragraph` keeps all that it needs from the first reading.
        let config = config(&format!("method = \"{method}\"\nthreads = 1\nmemory = \"4K\""));
        let Err(error) = lookalike::find(&corpus, &config, &context) else {
            panic!("{method}: nothing was noticed");
        };
        assert!(matches!(error, RunError::Corpus(CorpusError::Changed(_))), "{method}: {error}");
    }
}
