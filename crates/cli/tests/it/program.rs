//! Running the binary and reading its result files.

use std::fs;
use std::io::Write;
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

    /// Runs the binary with this on its standard input and expects it to succeed.
    pub fn succeed_with_input(&self, arguments: &[&str], input: &str) -> Run {
        let run = self.run_with_input(arguments, input);
        assert_eq!(run.status, 0, "{arguments:?}\n{}\n{}", run.stdout, run.stderr);
        run
    }

    /// Runs the binary with this on its standard input.
    pub fn run_with_input(&self, arguments: &[&str], input: &str) -> Run {
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        Run::new(child.wait_with_output().unwrap())
    }

    /// Writes stories of made-up words, each in versions that differ more and more from the first,
    /// with the story as `cluster`.
    pub fn stories(&self, name: &str, n_stories: usize) -> String {
        let mut rows = String::new();
        for story in 0..n_stories {
            for (version, n_changed) in [0, 2, 6, 12, 20].into_iter().enumerate() {
                let word = |n: usize| match n {
                    n if n < n_changed => format!("changed{story}x{version}x{n}"),
                    n => format!("story{story}word{n}"),
                };
                let text: Vec<String> = (0..60).map(word).collect();
                let row = json!({"id": format!("{story}-{version}"), "text": text.join(" "),
                    "cluster": story});
                rows += &row.to_string();
                rows.push('\n');
            }
        }
        self.file(name, rows)
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
