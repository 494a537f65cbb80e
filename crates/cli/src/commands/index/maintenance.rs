//! Everything about an index but adding and checking.

use std::io::{BufWriter, Write};
use std::path::Path;

use anyhow::{Context as _, Result};
use lookalike::{ByteSize, Config, Index, IndexReader, IndexStat, JudgedPair, Judgment};
use serde_json::json;

use super::arguments::{
    ExportArguments, FindArguments, JudgeArguments, RemoveArguments, StatArguments, Word,
};
use super::time::now;
use super::{DEFAULT_MEMORY, resources, tell};
use crate::configuration::Usage;

/// Memory of commands that read an index once from its beginning to its end.
const LITTLE_MEMORY: ByteSize = ByteSize(64 << 20);

/// Runs `index remove`.
pub fn remove(arguments: &RemoveArguments) -> Result<()> {
    let mut ids = arguments.ids.clone();
    if let Some(path) = &arguments.ids_file {
        ids.extend(ids_in(path)?);
    }
    ids.sort_unstable();
    ids.dedup();
    let index = Index::open(&arguments.index, DEFAULT_MEMORY)?;
    let named = ids.len();
    let mut removed = index.remove(ids, now())?;
    let unknown = named.saturating_sub(removed);
    if arguments.expired {
        removed += index.expire(now())?;
    }
    if let Some(before) = arguments.before {
        removed += index.remove_before(before.before(now()), now())?;
    }
    let told = json!({"removed": removed, "unknown_ids": unknown});
    let line = match unknown {
        0 => format!("{removed} documents removed"),
        unknown => format!("{removed} documents removed; {unknown} ids are not in the index"),
    };
    tell(&arguments.output, &told, &[line])
}

/// One id on each line of a file.
fn ids_in(path: &Path) -> Result<Vec<String>> {
    let text = if path.as_os_str() == "-" {
        std::io::read_to_string(std::io::stdin()).context("cannot read standard input")?
    } else {
        std::fs::read_to_string(path)
            .with_context(|| format!("cannot read the ids in {}", path.display()))?
    };
    Ok(text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect())
}

/// Runs `index judge`.
pub fn judge(arguments: &JudgeArguments) -> Result<()> {
    let JudgeArguments { left, right, word, from, .. } = arguments;
    if let Some(path) = from {
        return judge_all(arguments, path);
    }
    let (Some(left), Some(right), Some(word)) = (left, right, word) else { return Ok(()) };
    let index = Index::open(&arguments.index, LITTLE_MEMORY)?;
    let duplicate = match word {
        Word::Yes => Some(true),
        Word::No => Some(false),
        Word::Withdraw => None,
    };
    let word = duplicate.map_or(lookalike::Word::Withdrawn, lookalike::Word::of);
    let judgment = Judgment::new(left, right, word, now());
    index.judge_all(vec![Judgment { how: "command".into(), ..judgment }], now())?;
    let told = json!({"a": left, "b": right, "duplicate": duplicate});
    let line = match duplicate {
        Some(true) => format!("{left} and {right} are near-duplicates from now on"),
        Some(false) => format!("{left} and {right} are kept apart from now on"),
        None => format!("{left} and {right} are left to the method again"),
    };
    tell(&arguments.output, &told, &[line])
}

/// Takes the words of a file.
fn judge_all(arguments: &JudgeArguments, path: &Path) -> Result<()> {
    let mut judged = lookalike::read_every_judgment(path)?;
    // Who could not say has given no verdict.
    judged.retain(|pair| !pair.unsure);
    let index = Index::open(&arguments.index, LITTLE_MEMORY)?;
    let (n_judged, now) = (judged.len(), now());
    let judgment = |pair: JudgedPair| {
        let JudgedPair { left, right, duplicate, time, keeps, by, how, .. } = pair;
        let (word, time) = (lookalike::Word::of(duplicate), time.unwrap_or(now));
        Judgment { left, right, word, keeps, time, by, how }
    };
    index.judge_all(judged.into_iter().map(judgment).collect(), now)?;
    let told = json!({"judgments": n_judged});
    tell(&arguments.output, &told, &[format!("{n_judged} judgments of pairs")])
}

/// Runs `index find`.
pub fn find(arguments: &FindArguments) -> Result<()> {
    let index = IndexReader::open(&arguments.index, LITTLE_MEMORY)?;
    let mut table: toml::Table = index.config().to_toml()?.parse()?;
    table.extend(toml::Table::try_from(&arguments.run)?);
    let config = Config::from_table(table).map_err(|error| Usage(error.to_string()))?;
    let folder = arguments.out.as_deref();
    let folder =
        folder.map(|path| lookalike::OutputFolder::create(path, arguments.force)).transpose()?;
    let output = &arguments.output;
    let snapshot = index.snapshot(now())?;
    let findings =
        resources(output, &config)?.run(|context| snapshot.find(&config.run, context))?;
    if let Some(folder) = folder {
        lookalike::write_findings(&findings, &config, &folder)?;
        folder.commit()?;
    }
    let summary = &findings.summary;
    let line = format!(
        "{} documents: {} would stay, {} copies, {} too short; {} clusters, the largest of {}",
        summary.documents,
        summary.kept,
        summary.removed,
        summary.too_short,
        summary.clusters,
        summary.largest_cluster,
    );
    tell(output, summary, &[line])
}

/// Runs `index stat`.
pub fn stat(arguments: &StatArguments) -> Result<()> {
    let index = IndexReader::open(&arguments.index, LITTLE_MEMORY)?;
    let stat = index.snapshot(now())?.stat()?;
    tell(&arguments.output, &stat, &stat_lines(&stat))
}

fn stat_lines(stat: &IndexStat) -> Vec<String> {
    let mut lines = vec![
        format!(
            "{} documents ({} without signature), {} additions so far",
            stat.documents, stat.without_signature, stat.additions
        ),
        format!(
            "{} segments of {} bytes, {} bytes in the log, {} bytes of artefacts",
            stat.segments, stat.segment_bytes, stat.log_bytes, stat.artifact_bytes
        ),
        format!(
            "{} removed and {} expired documents still take up room; `compact` reclaims it",
            stat.tombstones, stat.expired
        ),
        format!(
            "{} keys, {} sampled ones crowded; {} judgments",
            stat.keys, stat.crowded_keys, stat.judgments
        ),
    ];
    if let Some(fit) = &stat.lexicon {
        let percent = |share: f64| format!("{:.1} %", share * 100.0);
        lines.push(format!(
            "terms that the statistics do not know: {} of the oldest documents, {} of the newest; \
             without signature: {} and {}{}",
            percent(fit.unknown_terms[0]),
            percent(fit.unknown_terms[1]),
            percent(fit.without_signature[0]),
            percent(fit.without_signature[1]),
            if fit.rebuild { "; build the index anew with new statistics" } else { "" },
        ));
    }
    lines
}

/// Runs `index verify`.
pub fn verify(arguments: &StatArguments) -> Result<()> {
    let index = IndexReader::open(&arguments.index, LITTLE_MEMORY)?;
    let result = index.snapshot(now())?.verify()?;
    let lines = match result.errors.as_slice() {
        [] => vec![format!("{} documents, {} keys: all is well", result.documents, result.keys)],
        errors => errors.to_vec(),
    };
    tell(&arguments.output, &result, &lines)?;
    match result.errors.first() {
        Some(first) => anyhow::bail!("the index is damaged: {first}"),
        None => Ok(()),
    }
}

/// Runs `index compact`.
pub fn compact(arguments: &StatArguments) -> Result<()> {
    let index = Index::open(&arguments.index, DEFAULT_MEMORY)?;
    index.compact(now())?;
    let stat = index.snapshot(now()).stat()?;
    let line = format!("{} documents in {} bytes", stat.documents, stat.segment_bytes);
    tell(&arguments.output, &stat, &[line])
}

/// Runs `index export`: rows for programs, as they are stored.
pub fn export(arguments: &ExportArguments) -> Result<()> {
    let index = IndexReader::open(&arguments.index, LITTLE_MEMORY)?;
    let snapshot = index.snapshot(now())?;
    let mut out = BufWriter::with_capacity(1 << 16, std::io::stdout().lock());
    if arguments.judgments {
        snapshot.export_judgments(&mut out)?;
    } else {
        snapshot.export(&mut out)?;
    }
    Ok(out.flush()?)
}
