//! What a batch comes to on a state, before anything is written.

use std::collections::{BTreeSet, HashMap};

use crate::error::{Result, StoreError, shown_id};
use crate::log::LogRecord;
use crate::segment::encode_batch;
use crate::shelf::Lent;
use crate::{Added, Batch, Committed, Document, OnDuplicate, Snapshot};

/// What a batch comes to on a state: the record to write, if any, and what to tell.
pub(crate) fn resolve(
    snapshot: &Snapshot,
    batch: Batch<'_>,
) -> Result<(Option<LogRecord>, Committed)> {
    let Batch { time, documents, keys, on_duplicate, .. } = batch;
    let Batch { removed_ids, removed_numbers, judgments, .. } = batch;
    let now = snapshot.now(time);
    documents.iter().try_for_each(Document::check)?;
    let mut gone = BTreeSet::new();
    let ids: Vec<&str> = removed_ids.iter().map(String::as_str).collect();
    gone.extend(snapshot.find_all(&ids, now)?.into_iter().flatten());
    for number in removed_numbers {
        // Expired documents may be named here: whoever sweeps them has seen them in a scan.
        if !gone.contains(&number) && snapshot.head(number, 0)?.is_some() {
            gone.insert(number);
        }
    }
    let removed = gone.len();

    let ids: Vec<&str> = documents.iter().map(|document| document.id.as_str()).collect();
    let known = snapshot.find_all(&ids, now)?;
    let mut latest: HashMap<&str, u32> = HashMap::new();
    let first = snapshot.next_number();
    let mut next = first;
    let mut added = Vec::with_capacity(documents.len());
    for (id, known) in ids.iter().zip(known) {
        let known = known.filter(|number| !gone.contains(number));
        let earlier = latest.get(id).copied().or(known);
        match (earlier, on_duplicate) {
            (Some(_), OnDuplicate::Refuse) => {
                return Err(StoreError::DuplicateId((*id).to_owned()));
            }
            (Some(_), OnDuplicate::Skip) => {
                added.push(Added::Skipped);
                continue;
            }
            (Some(earlier), OnDuplicate::Replace) => {
                gone.insert(earlier);
                added.push(Added::Replaced { number: next, earlier });
            }
            (None, _) => added.push(Added::New(next)),
        }
        latest.insert(id, next);
        next = next.checked_add(1).ok_or(StoreError::Full(u32::MAX))?;
    }
    drop(latest);
    let kept = documents.into_iter().zip(&added);
    let kept = kept.filter(|(_, added)| **added != Added::Skipped).map(|(document, _)| document);
    let kept: Vec<Document<'_>> = kept.collect();
    let number_of = |place: u32| match added.get(place as usize)? {
        Added::New(number) | Added::Replaced { number, .. } => Some(*number),
        Added::Skipped => None,
    };
    let keys = keys.into_iter().filter_map(|(key, place)| Some((key, number_of(place)?)));
    let keys: Vec<(u64, u32)> = keys.collect();
    let committed = Committed { added, removed };
    if kept.is_empty() && gone.is_empty() && judgments.is_empty() {
        return Ok((None, committed));
    }
    let segment = if kept.is_empty() {
        Lent::default()
    } else {
        encode_batch(&kept, keys, first, now, &snapshot.state.base.shelf)?
    };
    let most = u32::MAX as usize / 2;
    if segment.len() > most {
        let id = shown_id(&kept[0].id).into_owned();
        let bytes = segment.len();
        return Err(StoreError::TooLarge { what: "the batch", id, bytes, most });
    }
    let removed = gone.into_iter().collect();
    Ok((
        Some(LogRecord { time: now, next, removed, judgments, segment: segment.into() }),
        committed,
    ))
}
