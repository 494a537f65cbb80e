//! `lookalike label`: asks about pairs of documents and writes down the answers.

use std::ffi::{OsStr, OsString};
use std::io::{IsTerminal, Read};
use std::path::PathBuf;
use std::sync::atomic::Ordering;

use anyhow::{Context as _, Result};
use clap::Args;
use console::{Key, Term};
use lookalike::label::{Question, Questions, Round, questions};
use lookalike::{JudgedPair, JudgmentsFile, OwnedDocument, RunError, read_answers};
use serde_json::json;

use crate::arguments::{CommonArguments, Format, ReportArguments};
use crate::commands::incomplete::Incomplete;
use crate::configuration::{RunResources, Typed};
use crate::side_by_side::{side_by_side, two_cells};
use crate::{display, output_file};

/// What `lookalike label` takes.
#[derive(Debug, Args)]
pub struct LabelArguments {
    /// Files, folders or globs
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<OsString>,
    /// The pairs file that answers are appended to; what it holds already is not asked again
    #[arg(long, short, value_name = "PAIRS.jsonl")]
    out: PathBuf,
    /// Write so many pairs to --out instead of asking: fill in `duplicate`, true or false
    #[arg(long, value_name = "N")]
    questions: Option<usize>,
    /// Answers of earlier rounds, whose pairs are not drawn again
    #[arg(long, visible_alias = "judgments", value_name = "FILE", num_args = 1..)]
    judged: Vec<PathBuf>,
    /// Decides which pairs are drawn
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// With --questions: replace a file that exists
    #[arg(long, help_heading = "Output", requires = "questions")]
    force: bool,
    #[command(flatten)]
    pub common: CommonArguments,
}

/// What a person can say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    /// Near-duplicates or not; none where the person cannot say.
    Answer(Option<bool>),
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
    let config = Typed::default().with_common(&arguments.common)?.resolve()?;
    let resources = RunResources::of(&arguments.common, &config)?;
    let mut earlier: Vec<JudgedPair> = Vec::new();
    for path in &arguments.judged {
        earlier.extend(read_answers(path)?);
    }
    let find = |earlier: &[JudgedPair]| {
        resources.run(|context| {
            let corpus = lookalike::open_input(&arguments.inputs, &config, context)?;
            let round = Round { answered: earlier, seed: arguments.seed };
            let found = questions(&corpus, &config, round, context)?;
            Ok::<_, RunError>((found, Incomplete::of(&corpus)))
        })
    };
    if let Some(wanted) = arguments.questions {
        output_file::check(&arguments.out, arguments.force)?;
        let (found, incomplete) = find(&earlier)?;
        write_questions(&found, wanted, arguments)?;
        return incomplete.refuse();
    }
    let (file, of_file) = JudgmentsFile::open(&arguments.out)?;
    if let Some(line) = file.cut_off().filter(|_| !arguments.common.report.quiet) {
        let out = arguments.out.display();
        display::note(format_args!("the last line of {out} broke off and was removed: {line}"));
    }
    earlier.extend(of_file);
    let (found, incomplete) = find(&earlier)?;
    let n_yes = earlier.iter().filter(|pair| pair.duplicate).count();
    let n_unsure = earlier.iter().filter(|pair| pair.unsure).count();
    let mut session = Session {
        questions: found,
        file,
        keys: Keys::new(),
        counts: [n_yes, earlier.len() - n_yes - n_unsure],
        format: arguments.common.report.format,
    };
    session.run()?;
    session.report(arguments)?;
    incomplete.refuse()
}

/// Writes pairs for somebody else to answer.
fn write_questions(found: &Questions, wanted: usize, arguments: &LabelArguments) -> Result<()> {
    let next = found.next(wanted);
    let mut rows = String::new();
    for (at, question) in next.iter().enumerate() {
        let Question { left, right, draw, .. } = question;
        let (score, measure) = (found.score(question), found.measure());
        let row = json!({
            "a": left.id, "b": right.id, "duplicate": null, "place": at + 1,
            "draw": {"stratum": draw.stratum, "pairs": draw.pairs},
            "score": score, "measure": measure,
            "a_title": left.title, "b_title": right.title,
            "a_text": left.text, "b_text": right.text,
        });
        rows += &row.to_string();
        rows.push('\n');
    }
    output_file::write(&arguments.out, rows.as_bytes())?;
    match arguments.common.report {
        ReportArguments { quiet: true, .. } => Ok(()),
        ReportArguments { format: Format::Json, .. } => {
            display::json(&json!({"questions": next.len(), "out": arguments.out}))
        }
        _ => {
            let (out, inputs) = (arguments.out.display(), arguments.inputs.join(OsStr::new(" ")));
            display::line(format_args!(
                "{out}: {} pairs; set `duplicate` of each to true, false or \"unsure\", then: lookalike \
                 tune {} --judged {out} --out config.toml",
                next.len(),
                inputs.display()
            ))
        }
    }
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
                'y' => return Ok(Action::Answer(Some(true))),
                'n' => return Ok(Action::Answer(Some(false))),
                'u' => return Ok(Action::Answer(None)),
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
                Action::Answer(verdict) => {
                    self.answer(number, verdict)?;
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

    fn answer(&mut self, number: usize, verdict: Option<bool>) -> Result<()> {
        let before = self.questions.verdict(number);
        let is_new = before.is_none() || before != verdict;
        if is_new {
            let Question { left, right, draw, .. } = self.questions.question(number);
            self.file.append((&left.id, &right.id), verdict, Some(*draw))?;
            if let Some(before) = before {
                self.counts[usize::from(!before)] -= 1;
            }
            match verdict {
                Some(duplicate) => {
                    self.counts[usize::from(!duplicate)] += 1;
                    self.questions.answer(number, duplicate);
                }
                None => self.questions.answer_unsure(number),
            }
        }
        Ok(())
    }

    fn show(&self, number: usize, which: Lines) -> Result<()> {
        let question = self.questions.question(number);
        if self.format == Format::Json {
            let side = |d: &OwnedDocument| json!({"id": d.id, "title": d.title, "text": d.text});
            let (a, b) = (side(&question.left), side(&question.right));
            let (score, measure) = (self.questions.score(question), self.questions.measure());
            return display::json_line(
                &json!({"a": a, "b": b, "score": score, "measure": measure}),
            );
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
            "score {:.3} by {}, line at {:.3}; so far {yes} yes, {no} no{answered}",
            self.questions.score(question),
            self.questions.measure(),
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
        display::heading(format_args!(
            "near-duplicates? [y]es [n]o [u]nsure [s]kip [b]ack [q]uit{more}"
        ))
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
