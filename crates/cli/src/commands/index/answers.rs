//! `index add` and `index check`: an answer for every document.

use anyhow::{Result, anyhow};
use lookalike::{
    AddStatus, Addition, CheckStatus, CheckedDocument, Config, Index, IndexError, IndexReader,
    OnMatch, OwnedDocument, StoreError,
};
use lookalike_corpus::Unreadable;
use serde::Serialize;
use serde_json::json;

use super::arguments::{AddArguments, CheckArguments, OutputArguments, ReadingArguments};
use super::documents::{NamedDocument, Row, in_batches};
use super::time::now;
use super::{DEFAULT_MEMORY, resources};
use crate::INTERRUPT;
use crate::arguments::Format;
use crate::configuration::Stopped;
use crate::display::{self, Lines};

/// What was said of documents so far.
#[derive(Debug, Default)]
struct Counts {
    documents: u64,
    duplicates: u64,
    too_short: u64,
    unreadable: u64,
    /// Documents whose id was there already and stayed.
    passed_over: u64,
    skipped_comparisons: u64,
}

/// Prints answers as they were asked for.
struct Answers<'a> {
    output: &'a OutputArguments,
    counts: Counts,
    /// Those of the batch at hand.
    lines: Lines,
}

impl Answers<'_> {
    /// Prints a row for a document.
    fn document(&mut self, checked: &CheckedDocument, row: &impl Serialize) -> Result<()> {
        let counts = &mut self.counts;
        counts.documents += 1;
        counts.skipped_comparisons += checked.skipped;
        match checked.status {
            CheckStatus::Duplicate => counts.duplicates += 1,
            CheckStatus::TooShort => counts.too_short += 1,
            CheckStatus::New => {}
        }
        // Rows that were asked for are the answer, and no report on it.
        if self.output.report.format == Format::Json {
            return self.lines.json(row);
        }
        if self.output.report.quiet {
            return Ok(());
        }
        let CheckedDocument { id, id_exists, .. } = checked;
        let known = if *id_exists { " (this id is in the index)" } else { "" };
        let Some(best) = checked.matches.first() else {
            return if *id_exists {
                self.lines.line(format_args!("{id}{known} is new"))
            } else {
                Ok(())
            };
        };
        let others = match checked.matches.len() as u64 - 1 + checked.more_matches {
            0 => String::new(),
            others => format!(" and {others} more"),
        };
        let (best, score) = (&best.id, best.score);
        self.lines.line(format_args!("{id}{known} duplicates {best} ({score:.3}){others}"))
    }

    /// Prints a row that holds no document.
    fn unreadable(&mut self, unreadable: &Unreadable) -> Result<()> {
        self.counts.unreadable += 1;
        let Unreadable { place, reason, .. } = unreadable;
        if self.output.report.format == Format::Json {
            let row = json!({"place": place, "status": "unreadable", "reason": reason});
            return self.lines.json(&row);
        }
        if self.output.report.quiet {
            return Ok(());
        }
        self.lines.line(format_args!("unreadable: {place}: {reason}"))
    }

    /// Prints the counts, and says so where the user has stopped it.
    fn finish(&self, done: &str) -> Result<()> {
        let Self { output, counts, .. } = self;
        if !output.report.quiet && output.report.format != Format::Json {
            display::heading(format_args!(
                "{} documents {done}: {} duplicates, {} too short; {} rows unreadable",
                counts.documents - counts.passed_over,
                counts.duplicates,
                counts.too_short,
                counts.unreadable
            ))?;
            if counts.passed_over > 0 {
                display::line(format_args!(
                    "{} documents were not added: their ids are there already",
                    counts.passed_over
                ))?;
            }
            if counts.skipped_comparisons > 0 {
                display::line(format_args!(
                    "warning: crowded keys were not compared to their end ({} candidates skipped), \
                     so that duplicates may be missing",
                    counts.skipped_comparisons
                ))?;
            }
        }
        if INTERRUPT.is_set() {
            let told = format!(
                "interrupted after {} documents, which were {done}",
                counts.documents - counts.passed_over
            );
            return Err(Stopped(told).into());
        }
        Ok(())
    }
}

/// The documents of a batch, where those without an id stand, and what of it could not be read.
fn parted(rows: Vec<Row>) -> (Vec<OwnedDocument>, Vec<Option<String>>, Vec<Unreadable>) {
    let (mut documents, mut places) =
        (Vec::with_capacity(rows.len()), Vec::with_capacity(rows.len()));
    let mut unreadable = Vec::new();
    for row in rows {
        match row {
            Ok(NamedDocument { document, place }) => {
                documents.push(document);
                places.push(place);
            }
            Err(row) => unreadable.push(row),
        }
    }
    (documents, places, unreadable)
}

/// When each document was added, by a field that is taken out of it.
fn times(documents: &mut [OwnedDocument], key: &str) -> Result<Vec<u64>> {
    let time = |document: &mut OwnedDocument| {
        let found = document.fields.remove(key);
        found.as_ref().and_then(serde_json::Value::as_u64).ok_or_else(|| {
            let id = &document.id;
            anyhow!("{id}: `{key}` is missing or no time in milliseconds since 1970")
        })
    };
    documents.iter_mut().map(time).collect()
}

/// The index's configuration with what rows are read by.
fn reading_config(made: &Config, reading: &ReadingArguments) -> Config {
    let mut config = made.clone();
    let run = &mut config.run;
    run.threads = reading.threads;
    run.text_key = reading.text_key.clone().unwrap_or_else(|| run.text_key.clone());
    run.id_key = reading.id_key.clone().unwrap_or_else(|| run.id_key.clone());
    config
}

/// Why nothing of a batch is added in which a row has no id.
fn without_id(place: &str, id_key: &str, added: usize) -> anyhow::Error {
    let missing = match id_key {
        "row" => "rows are numbered, and the numbers are no ids".to_owned(),
        key => format!("the row has no `{key}`"),
    };
    anyhow!(
        "{place}: {missing}. Documents that stay in an index need an id each: name the field with \
         --id-key FIELD. Its batch was refused, {added} documents before it were added"
    )
}

/// Runs `index add`.
pub fn add(arguments: &AddArguments) -> Result<()> {
    let AddArguments { inputs, on_id, batch, added_key, reading, .. } = arguments;
    let output = &reading.output;
    let index = Index::open(&arguments.index, reading.memory.unwrap_or(DEFAULT_MEMORY))?;
    let config = reading_config(index.config(), reading);
    let mut answers = Answers { output, counts: Counts::default(), lines: Lines::default() };
    let mut added = 0;
    let read = resources(output, &config)?.run(|context| {
        in_batches(inputs, &config, context, (*batch).max(1), &mut |rows| {
            let (mut documents, places, unreadable) = parted(rows);
            if let Some(place) = places.iter().flatten().next() {
                return Err(without_id(place, &config.run.id_key, added));
            }
            let times = added_key.as_ref().map(|key| times(&mut documents, key));
            let added_before = times.transpose()?.unwrap_or_default();
            let addition = Addition {
                documents: &documents,
                added: &added_before,
                on_id: (*on_id).into(),
                on_match: OnMatch::Keep,
            };
            let mut answered = index.add_together(&[addition], now())?;
            let rows = answered.pop().transpose()?.unwrap_or_default();
            added += rows.iter().filter(|row| row.added != AddStatus::Skipped).count();
            for row in &rows {
                answers.document(&row.checked, row)?;
                answers.counts.passed_over += u64::from(row.added == AddStatus::Skipped);
            }
            unreadable.iter().try_for_each(|row| answers.unreadable(row))?;
            answers.lines.print()
        })
    });
    let incomplete = read.map_err(|error| {
        let of_index = error.downcast_ref::<IndexError>();
        if let Some(IndexError::Store(StoreError::DuplicateId(_))) = of_index {
            return anyhow!(
                "{error}: its batch was refused, {added} documents before it were added; choose \
                 --on-id skip or --on-id replace"
            );
        }
        if !display::is_broken_pipe(&error) {
            return error;
        }
        // Elsewhere that is a quiet end, but here documents are left out.
        anyhow!(
            "nobody reads the answers any more: {added} documents were added, those that come after \
             them were not"
        )
    })?;
    answers.finish("added")?;
    incomplete.refuse()
}

/// Runs `index check`.
pub fn check(arguments: &CheckArguments) -> Result<()> {
    let CheckArguments { inputs, reading, .. } = arguments;
    let output = &reading.output;
    let index = IndexReader::open(&arguments.index, reading.memory.unwrap_or(DEFAULT_MEMORY))?;
    let config = reading_config(index.config(), reading);
    let mut answers = Answers { output, counts: Counts::default(), lines: Lines::default() };
    let incomplete = resources(output, &config)?.run(|context| {
        in_batches(inputs, &config, context, lookalike::BATCH_DOCUMENTS, &mut |rows| {
            let (documents, places, unreadable) = parted(rows);
            for (mut row, place) in
                index.snapshot(now())?.check(&documents)?.into_iter().zip(places)
            {
                // Shown by where it stands; what was compared had no id.
                row.id = place.unwrap_or(row.id);
                answers.document(&row, &row)?;
            }
            unreadable.iter().try_for_each(|row| answers.unreadable(row))?;
            answers.lines.print()
        })
    })?;
    answers.finish("checked")?;
    incomplete.refuse()
}
