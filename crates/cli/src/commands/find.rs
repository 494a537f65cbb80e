//! `lookalike find`: clusters and pairs, nothing changed.

use std::ffi::OsString;
use std::mem::ManuallyDrop;
use std::path::Path;
use std::time::SystemTime;

use anyhow::Result;
use lookalike::{
    Config, Context, CrowdReport, Findings, KeepNote, OutputFolder, Resume, RunError, RunRecord,
};
use lookalike_corpus::Corpus;

use crate::arguments::{FindArguments, Format, SharedArguments};
use crate::commands::incomplete::refuse_incomplete;
use crate::commands::resume::KeptSigned;
use crate::configuration::{self, RunResources};
use crate::display::{self, Listing, Stream};

/// How many of the largest clusters the report shows.
const SHOWN_CLUSTERS: usize = 10;
/// Runs the command.
pub fn run(arguments: &FindArguments) -> Result<()> {
    let started = SystemTime::now();
    let shared = &arguments.shared;
    let config = configuration::resolve(shared)?;
    let resources = RunResources::new(shared, &config)?;
    let folder = arguments.out.as_deref().map(|path| open_folder(path, shared)).transpose()?;
    let kept = KeptSigned::new(arguments.out.as_deref(), arguments.resume, shared);
    let found = resources.run(|context| {
        let corpus = lookalike::open_input(&arguments.inputs, &config, context)?;
        let against = Against::open(&arguments.against, arguments.among_new, &config, context)?;
        let findings = against.find(&corpus, &config, context, started, kept.resume())?;
        let page = arguments.report.then(|| against.page(&corpus, &findings, &config, context));
        Ok::<_, RunError>((findings, page.transpose()?))
    });
    let (findings, page) = found.inspect_err(|_| kept.say_what_is_kept())?;
    // The process ends after this: the system takes its memory back faster than piece by piece.
    let findings = ManuallyDrop::new(findings);
    if let Some(folder) = folder {
        lookalike::write_findings(&findings, &config, &folder)?;
        write_page(page.as_deref(), &folder)?;
        folder.commit()?;
        kept.remove()?;
    }
    report(&findings, shared, &Wording::FIND)?;
    refuse_incomplete(&findings.summary)
}

/// Makes the output folder ready, and says what had to be done for it.
pub fn open_folder(path: &Path, shared: &SharedArguments) -> Result<OutputFolder> {
    let folder = OutputFolder::create(path, shared.force)?;
    for note in folder.notes().iter().filter(|_| !shared.report.quiet) {
        display::note(note);
    }
    Ok(folder)
}

/// Puts the page beside the other results, where there is one.
pub fn write_page(page: Option<&str>, folder: &OutputFolder) -> Result<(), RunError> {
    let Some(page) = page else { return Ok(()) };
    folder.write("report.html", |out| std::io::Write::write_all(out, page.as_bytes()))
}

/// What the input is matched with: itself, or a known collection.
pub struct Against {
    /// The known collection; none where the input is matched with itself.
    known: Option<Corpus>,
    /// Whether new documents are matched with each other as well.
    among_new: bool,
}

impl Against {
    /// Opens the known collection, if there is one.
    pub fn open(
        known: &[OsString],
        among_new: bool,
        config: &Config,
        context: &Context<'_>,
    ) -> Result<Self, RunError> {
        let is_given = !known.is_empty();
        let known = is_given.then(|| lookalike::open_input(known, config, context));
        Ok(Self { known: known.transpose()?, among_new })
    }

    /// What was found, as a page.
    pub fn page(
        &self,
        corpus: &Corpus,
        findings: &Findings,
        config: &Config,
        context: &Context<'_>,
    ) -> Result<String, RunError> {
        let corpora: Vec<&Corpus> = std::iter::once(corpus).chain(&self.known).collect();
        lookalike::report_page(&corpora, findings, config, context)
    }

    /// Finds what matches, and notes what was run.
    pub fn find(
        &self,
        corpus: &Corpus,
        config: &Config,
        context: &Context<'_>,
        started: SystemTime,
        resume: Option<&Resume>,
    ) -> Result<Findings, RunError> {
        let command = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
        let Some(known) = &self.known else {
            let mut findings = lookalike::find_resuming(corpus, config, context, resume)?;
            findings.summary.run = Some(RunRecord::new(command, started, &[corpus]));
            return Ok(findings);
        };
        let among_new = self.among_new;
        let mut findings =
            lookalike::find_against_resuming(corpus, known, among_new, config, context, resume)?;
        findings.summary.run = Some(RunRecord::new(command, started, &[corpus, known]));
        Ok(findings)
    }
}

/// The words of a report: `find` removes nothing.
pub struct Wording {
    kept: &'static str,
    removed: &'static str,
    too_short: &'static str,
    /// Where they are printed.
    stream: Stream,
}

impl Wording {
    /// What `find` says.
    pub const FIND: Self = Self {
        kept: "would stay",
        removed: "copies",
        too_short: " (these would stay as well)",
        stream: Stream::Output,
    };
    /// What `dedup` says.
    pub const DEDUP: Self = Self {
        kept: "kept",
        removed: "removed",
        too_short: " (kept as well)",
        stream: Stream::Output,
    };

    /// The same words on another stream.
    pub fn on(self, stream: Stream) -> Self {
        Self { stream, ..self }
    }
}

/// Prints the counts and the largest clusters.
pub fn report(findings: &Findings, shared: &SharedArguments, wording: &Wording) -> Result<()> {
    if shared.report.quiet {
        return Ok(());
    }
    let line = |text: std::fmt::Arguments<'_>| display::line_to(wording.stream, text);
    let summary = &findings.summary;
    summary.warnings.iter().for_each(display::warning);
    if shared.report.format == Format::Json {
        return display::json_to(wording.stream, summary);
    }
    let Wording { kept, removed, too_short, .. } = wording;
    let too_short = if summary.too_short > 0 { *too_short } else { "" };
    let counts = format_args!(
        "{} documents: {} {kept}, {} {removed}, {} too short{too_short}, {} unreadable",
        summary.documents, summary.kept, summary.removed, summary.too_short, summary.unreadable
    );
    display::heading_to(wording.stream, counts)?;
    line(format_args!(
        "{} clusters, the largest of {}; {} pairs compared, {} confirmed, {} skipped; method {}{}, {:.1} s",
        summary.clusters,
        summary.largest_cluster,
        summary.candidate_pairs,
        summary.confirmed_pairs,
        summary.skipped_comparisons,
        summary.method,
        summary.threshold.map_or(String::new(), |t| format!(" at {t}")),
        summary.seconds.total(),
    ))?;
    if let Some(related) = summary.related_pairs.filter(|related| *related > 0) {
        line(format_args!(
            "{related} pairs are related, not duplicates: too many words of one stand nowhere in the other \
             (related.jsonl; --accounted 0 takes the method's word for it)"
        ))?;
    }
    if let Some(crowd) = &summary.crowd {
        line(format_args!("{}", crowd_warning(crowd, summary.skipped_comparisons)))?;
    }
    for note in &summary.keep {
        line(format_args!("{}", keep_note(note)))?;
    }
    for note in &summary.notes {
        line(format_args!("note: {note}"))?;
    }
    for (rows, of) in [(&findings.unreadable, ""), (&findings.known_unreadable, " (known)")] {
        let examples = rows.examples();
        for row in examples {
            line(format_args!("unreadable{of}: {}: {}", row.place, row.reason))?;
        }
        let more = rows.len() - examples.len() as u64;
        if more > 0 {
            line(format_args!("and {more} more{of}"))?;
        }
    }
    if let Some(run) = summary.run.as_ref().filter(|run| !run.passed_over.is_empty()) {
        let counts: Vec<String> =
            run.passed_over.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        line(format_args!("not read: {}", counts.join(", ")))?;
    }
    largest_clusters(findings, wording.stream)
}

/// What was not compared, what it may have cost, and what to do.
fn crowd_warning(crowd: &CrowdReport, skipped: u64) -> String {
    let text = crowd.text.as_ref().map(|text| format!(" Most share the text “{text}”."));
    format!(
        "warning: {skipped} comparisons in crowded buckets were skipped; about {} pairs ({:.1} %) \
         are missing.{} Hide what templates repeat with --ignore-boilerplate 10, or raise \
         --max-comparisons",
        crowd.lost_pairs,
        100.0 * crowd.lost_share,
        text.unwrap_or_default()
    )
}

/// What a criterion of the keep rule could not use, in words.
fn keep_note(note: &KeepNote) -> String {
    let KeepNote { rule, field, kind, absent, unusable, first_unusable } = note;
    let rows = |n: u64| if n == 1 { "1 row has".to_owned() } else { format!("{n} rows have") };
    let mut told = Vec::new();
    if *absent > 0 {
        told.push(format!("{} no `{field}`", rows(*absent)));
    }
    if let Some(first) = first_unusable {
        told.push(format!("{} no {kind} in it, as document `{first}`", rows(*unusable)));
    }
    format!("keep {rule}: {}; they come after all others", told.join(", "))
}

fn largest_clusters(findings: &Findings, stream: Stream) -> Result<()> {
    let clusters = findings.largest_clusters(SHOWN_CLUSTERS);
    if clusters.is_empty() {
        return Ok(());
    }
    let mut table = Listing::new(&["kept", "copies", "lowest score", "for example"]);
    for cluster in clusters {
        table.row([
            cluster.keeper.to_owned(),
            (cluster.size - 1).to_string(),
            cluster.lowest_score.map_or_else(|| "none".to_owned(), |score| format!("{score:.3}")),
            cluster.example.to_owned(),
        ]);
    }
    display::blank_to(stream)?;
    display::block_to(stream, table)
}
