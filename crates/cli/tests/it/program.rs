//! Running the binary and reading its result files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

/// A folder of its own for one test.
pub struct Workplace(TempDir);

impl Workplace {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file and gives its path as an argument.
    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// Writes JSON Lines of (id, text).
    pub fn rows(&self, name: &str, rows: &[(&str, &str)]) -> String {
        let line = |(id, text): &(&str, &str)| json!({"id": id, "text": text}).to_string() + "\n";
        self.file(name, rows.iter().map(line).collect::<String>())
    }

    /// Runs the binary in this folder.
    pub fn run(&self, arguments: &[&str]) -> Run {
        let output = self.command(arguments).output().unwrap();
        Run::new(output)
    }

    /// Runs the binary and expects it to succeed.
    pub fn succeed(&self, arguments: &[&str]) -> Run {
        let run = self.run(arguments);
        assert_eq!(run.status, 0, "{arguments:?}\n{}\n{}", run.stdout, run.stderr);
        run
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lookalike"));
        command.args(arguments).current_dir(self.0.path()).stdin(Stdio::null());
        command
    }

    /// The rows of a result file.
    pub fn result(&self, name: &str) -> Vec<Value> {
        read(&self.path(name)).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// The summary of a run.
    pub fn summary(&self, folder: &str) -> Value {
        let summary: Value =
            serde_json::from_str(&read(&self.path(folder).join("summary.json"))).unwrap();
        let count = |name: &str| summary[name].as_u64().unwrap();
        assert_eq!(
            count("documents"),
            count("kept") + count("removed") + count("too_short") + count("unreadable"),
            "every document ends in exactly one place: {summary}"
        );
        summary
    }
}

pub struct Run {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Run {
    fn new(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Self {
            status: output.status.code().unwrap(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }
}

pub fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A paragraph long enough for every method.
pub const STORY: &str = "The harbor office of Lindholm said on Tuesday that the old ferry will \
    leave the northern pier for the last time in March, after forty years of daily crossings. \
    Captain Ebba Norling, who steered it for half of that time, plans to write down its stories.";

/// Another one, on something else.
pub const OTHER: &str = "Growers in the upper valley report the best apricot harvest since records \
    began. Cold nights in April had worried everybody, yet the blossom survived under wet straw, \
    an old method which three families brought back against the advice of the cooperative.";
