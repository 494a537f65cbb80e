//! `lookalike label`: asks about pairs of documents and writes down the answers.

use std::ffi::{OsStr, OsString};
use std::io::{IsTerminal, Read};
use std::path::PathBuf;
use std::sync::atomic::Ordering;

use anyhow::{Context as _, Result};
use clap::Args;
use console::{Key, Term};
use lookalike::label::{Question, Questions, questions};
use lookalike::{JudgmentsFile, OwnedDocument, RunError};
use serde_json::json;

use crate::arguments::{CommonArguments, Format, MethodArguments, ReportArguments};
use crate::commands::incomplete::Incomplete;
use crate::configuration::{RunResources, Typed};
use crate::display;
use crate::side_by_side::{side_by_side, two_cells};

/// What `lookalike label` takes.
#[derive(Debug, Args)]
pub struct LabelArguments {
    /// Files, folders or globs
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<OsString>,
    /// The pairs file that answers are appended to; what it holds already is not asked again
    #[arg(long, short, value_name = "PAIRS.jsonl")]
    out: PathBuf,
    #[command(flatten)]
    method: MethodArguments,
    /// Any further parameter of the method, as in `--set analyzer.lowercase=false`
    #[arg(long = "set", value_name = "KEY=VALUE", help_heading = "Method")]
    set: Vec<String>,
    #[command(flatten)]
    pub common: CommonArguments,
}

/// What a person can say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    Answer(bool),
    Skip,
    Back,
    More,
    Quit,
}

/// Where keys come from: a terminal gives each at once, a file or pipe all that it holds.
enum Keys {
    Terminal(Term),
    Stream(std::io::Stdin),
}

/// Runs the command.
pub fn run(arguments: &LabelArguments) -> Result<()> {
    let typed = Typed::default().with_common(&arguments.common)?;
    let config = typed.with_method(&arguments.method, &arguments.set)?.resolve()?;
    let resources = RunResources::of(&arguments.common, &config)?;
    let (file, earlier) = JudgmentsFile::open(&arguments.out)?;
    if let Some(line) = file.cut_off().filter(|_| !arguments.common.report.quiet) {
        let out = arguments.out.display();
        display::note(format_args!("the last line of {out} broke off and was removed: {line}"));
    }
    let (found, incomplete) = resources.run(|context| {
        let corpus = lookalike::open_input(&arguments.inputs, &config, context)?;
        let found = questions(&corpus, &config, &earlier, context)?;
        Ok::<_, RunError>((found, Incomplete::of(&corpus)))
    })?;
    let n_yes = earlier.iter().filter(|pair| pair.duplicate).count();
    let mut session = Session {
        questions: found,
        file,
        keys: Keys::new(),
        counts: [n_yes, earlier.len() - n_yes],
        format: arguments.common.report.format,
    };
    session.run()?;
    session.report(arguments)?;
    incomplete.refuse()
}

impl Keys {
    fn new() -> Self {
        if std::io::stdin().is_terminal() {
            Self::Terminal(Term::stdout())
        } else {
            crate::NOTHING_TO_TIDY.store(true, Ordering::Relaxed);
            Self::Stream(std::io::stdin())
        }
    }

    /// The next thing said; the end of the input and Ctrl-C say that it is enough.
    fn next(&self) -> Result<Action> {
        loop {
            let key = match self {
                Self::Terminal(terminal) => match terminal.read_key_raw() {
                    Ok(Key::Char(character)) => character,
                    Ok(Key::ArrowLeft | Key::Backspace) => 'b',
                    Ok(Key::ArrowRight) => 's',
                    // An error: the terminal is gone. Everything said is on disk.
                    Ok(Key::CtrlC | Key::Escape) | Err(_) => 'q',
                    Ok(_) => continue,
                },
                Self::Stream(stream) => {
                    let mut byte = [0];
                    let got = stream.lock().read(&mut byte).context("cannot read the answers")?;
                    if got == 0 { 'q' } else { char::from(byte[0]) }
                }
            };
            match key.to_ascii_lowercase() {
                'y' => return Ok(Action::Answer(true)),
                'n' => return Ok(Action::Answer(false)),
                's' => return Ok(Action::Skip),
                'b' => return Ok(Action::Back),
                'm' => return Ok(Action::More),
                // Ctrl-C and Ctrl-D, where a terminal passes them on.
                'q' | '\u{3}' | '\u{4}' => return Ok(Action::Quit),
                other if other.is_whitespace() => {}
                other => display::line(format_args!("`{}` is no answer", other.escape_default()))?,
            }
        }
    }

    /// Columns and lines to show a pair in.
    fn size(&self) -> (usize, usize) {
        match self {
            Self::Terminal(terminal) => {
                let (lines, columns) = terminal.size();
                (usize::from(columns).clamp(60, 200), usize::from(lines).max(20))
            }
            Self::Stream(_) => (100, 40),
        }
    }
}

struct Session {
    questions: Questions,
    file: JudgmentsFile,
    keys: Keys,
    /// Answers yes and no, those of earlier sessions included.
    counts: [usize; 2],
    format: Format,
}

impl Session {
    fn run(&mut self) -> Result<()> {
        let mut asked: Vec<usize> = Vec::new();
        let mut place = 0;
        loop {
            if place == asked.len() {
                let Some(number) = self.questions.ask() else {
                    return self.say("every pair worth asking about has been asked");
                };
                asked.push(number);
            }
            let number = asked[place];
            self.show(number, Lines::ThatFit)?;
            match self.listen(number)? {
                Action::Answer(duplicate) => {
                    self.answer(number, duplicate)?;
                    place += 1;
                }
                Action::Skip => place += 1,
                Action::Back if place == 0 => {
                    self.say("this is the first pair of this session")?;
                }
                Action::Back => place -= 1,
                Action::More => {}
                Action::Quit => return Ok(()),
            }
        }
    }

    /// Says something to a person; a program counts.
    fn say(&self, text: &str) -> Result<()> {
        if self.format == Format::Json { Ok(()) } else { display::line(text) }
    }

    /// Waits for anything but the wish to see more.
    fn listen(&self, number: usize) -> Result<Action> {
        loop {
            match self.keys.next()? {
                Action::More => self.show(number, Lines::All)?,
                other => return Ok(other),
            }
        }
    }

    fn answer(&mut self, number: usize, duplicate: bool) -> Result<()> {
        let before = self.questions.verdict(number);
        if before != Some(duplicate) {
            let Question { left, right, .. } = self.questions.question(number);
            self.file.append(&left.id, &right.id, duplicate)?;
            if let Some(before) = before {
                self.counts[usize::from(!before)] -= 1;
            }
            self.counts[usize::from(!duplicate)] += 1;
            self.questions.answer(number, duplicate);
        }
        Ok(())
    }

    fn show(&self, number: usize, which: Lines) -> Result<()> {
        let question = self.questions.question(number);
        if self.format == Format::Json {
            let side = |d: &OwnedDocument| json!({"id": d.id, "title": d.title, "text": d.text});
            let (a, b) = (side(&question.left), side(&question.right));
            return display::json_line(&json!({"a": a, "b": b, "score": question.score}));
        }
        let (width, height) = self.keys.size();
        if let Keys::Terminal(terminal) = &self.keys {
            terminal.clear_screen()?;
        }
        let [yes, no] = self.counts;
        let answered = match self.questions.verdict(number) {
            Some(true) => ", answered yes",
            Some(false) => ", answered no",
            None => "",
        };
        display::heading(format_args!(
            "score {:.3}, line at {:.3}; so far {yes} yes, {no} no{answered}",
            question.score,
            self.questions.line()
        ))?;
        let name = |document: &OwnedDocument| match &document.title {
            Some(title) => format!("{}: {title}", document.id),
            None => document.id.clone(),
        };
        let (left, right) = (&question.left, &question.right);
        display::line(two_cells(&name(left), &name(right), width))?;
        let lines = side_by_side(&left.text, &right.text, width);
        let room = height.saturating_sub(5);
        let shown = if which == Lines::All { lines.len() } else { lines.len().min(room) };
        for line in &lines[..shown] {
            display::line_of(line)?;
        }
        let more = match lines.len() - shown {
            0 => String::new(),
            hidden => format!(" [m]ore ({hidden} lines)"),
        };
        display::heading(format_args!("near-duplicates? [y]es [n]o [s]kip [b]ack [q]uit{more}"))
    }

    fn report(&self, arguments: &LabelArguments) -> Result<()> {
        let [yes, no] = self.counts;
        match arguments.common.report {
            ReportArguments { quiet: true, .. } => return Ok(()),
            ReportArguments { format: Format::Json, .. } => {
                return display::json_line(&json!({"near_duplicates": yes, "others": no}));
            }
            _ => {}
        }
        let out = arguments.out.display();
        display::line(format_args!("{out}: {yes} pairs of near-duplicates and {no} others"))?;
        let inputs = arguments.inputs.join(OsStr::new(" "));
        let inputs = inputs.display();
        display::line(format_args!(
            "to go on, run this again; to use it: lookalike tune {inputs} --judged {out} --out config.toml"
        ))
    }
}

/// How much of a pair is shown.
#[derive(Clone, Copy, PartialEq)]
enum Lines {
    ThatFit,
    All,
}
