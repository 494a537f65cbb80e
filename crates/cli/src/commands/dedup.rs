//! `lookalike dedup`: the kept corpus in its own format, and what was removed and why.

use std::io::{Stdout, Write};
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::Result;
use lookalike::{Findings, RunError};
use lookalike_corpus::{Written, check_pipe};

use super::find::{Against, Wording, open_folder, report, write_page};
use super::incomplete::refuse_incomplete;
use super::resume::KeptSigned;
use crate::arguments::{DedupArguments, Format};
use crate::configuration::{self, RunResources, Usage};
use crate::display::{self, Stream};

/// Runs the command.
pub fn run(arguments: &DedupArguments) -> Result<()> {
    let started = SystemTime::now();
    let shared = &arguments.shared;
    let config = configuration::resolve(shared)?.for_removal()?;
    let resources = RunResources::new(shared, &config)?;
    if arguments.dry_run {
        let findings = resources.run(|context| {
            let corpus = lookalike::open_corpus(&arguments.inputs, &config, context.temp_dir)?;
            Against::open(&arguments.against, arguments.among_new, &config, context)?
                .find(&corpus, &config, context, started, None)
        })?;
        return report(&findings, shared, &Wording::FIND);
    }
    let out = arguments.out.as_deref().filter(|path| *path != Path::new("-"));
    if arguments.report && out.is_none() {
        return Err(Usage("--report: the page needs a folder; name one with --out".into()).into());
    }
    if arguments.resume && out.is_none() {
        return Err(Usage("--resume: it needs a folder; name one with --out".into()).into());
    }
    let mut pipe = (arguments.stdout || arguments.out.as_deref() == Some(Path::new("-")))
        .then(std::io::stdout);
    let folder = out.map(|path| open_folder(path, shared)).transpose()?;
    let kept = KeptSigned::new(out, arguments.resume, shared);
    let stream = if pipe.is_some() { Stream::Error } else { Stream::Output };
    let done = resources.run(|context| {
        let corpus = lookalike::open_input(&arguments.inputs, &config, context)?;
        if pipe.is_some() {
            check_pipe(&corpus)?;
        }
        let against = Against::open(&arguments.against, arguments.among_new, &config, context)?;
        let mut findings = against.find(&corpus, &config, context, started, kept.resume())?;
        let page = arguments.report.then(|| against.page(&corpus, &findings, &config, context));
        let page = page.transpose()?;
        let pipe = pipe.as_mut().map(|pipe: &mut Stdout| pipe as &mut (dyn Write + Send));
        let folder = folder.as_ref();
        let written = lookalike::dedup(&corpus, &mut findings, &config, context, folder, pipe)?;
        Ok::<_, RunError>((findings, written, page))
    });
    let (mut findings, written, page) = done
        .inspect_err(|_| kept.say_what_is_kept())
        .map_err(anyhow::Error::from)
        .map_err(|error| match out {
            // With nothing else to write a reader that goes away ends the program quietly.
            Some(out) if display::is_broken_pipe(&error) => {
                let out = out.display();
                anyhow::anyhow!("standard output was closed too early; nothing was put into {out}")
            }
            _ => error,
        })?;
    note_names(&mut findings, &written);
    // The process ends after this: the system takes its memory back faster than piece by piece.
    let findings = ManuallyDrop::new(findings);
    if let Some(folder) = folder {
        lookalike::write_findings(&findings, &config, &folder)?;
        write_page(page.as_deref(), &folder)?;
        folder.commit()?;
        kept.remove()?;
    }
    report(&findings, shared, &Wording::DEDUP.on(stream))?;
    if let Some(out) = out.filter(|_| !shared.report.quiet && shared.report.format == Format::Table)
    {
        say_what_was_written(out, &written, stream)?;
    }
    refuse_incomplete(&findings.summary)
}

/// Fields of the user's keep their names; ours then have others, which the summary tells.
fn note_names(findings: &mut Findings, written: &Written) {
    if let Some(run) = &mut findings.summary.run {
        let renamed = written.evidence.renamed().map(|(name, given)| (name, given.to_owned()));
        run.renamed_fields.extend(renamed);
    }
}

fn say_what_was_written(out: &Path, written: &Written, stream: Stream) -> Result<()> {
    let name = |path: &PathBuf| {
        let name = path.file_name()?.to_string_lossy().into_owned();
        Some(if out.join(&name).is_dir() { name + "/" } else { name })
    };
    let names: Vec<String> = written.paths.iter().filter_map(name).collect();
    display::blank_to(stream)?;
    display::line_to(stream, format_args!("written to {}: {}", out.display(), names.join(", ")))?;
    for (plain, name) in written.evidence.renamed() {
        let text = "the rows have a field of their own named";
        let line = format_args!("{text} `{plain}`; in removed rows ours is `{name}`");
        display::line_to(stream, line)?;
    }
    Ok(())
}
