//! Pairs in crowded buckets, found by what their documents do not share with the crowd.
//!
//! Thousands of pages of one template share buckets, and most pairs of them are no duplicates. To
//! resemble each other enough, two sets must share more than the template, so that among the
//! values of each, the rarest first, there are a few *telling* ones at the front, of which the two
//! share one. This is the prefix filter of exact similarity joins (All-Pairs, PPJoin): it excludes
//! what is excluded for certain, at a cost that grows with the documents and not with their pairs.
//! A telling value that too many have tells nothing by itself: it is taken together with others
//! (`crowd_paths.rs`). Documents for which that does not help, because they are long or have little
//! beside the template, stay open and are compared with their crowd.

use std::hash::BuildHasherDefault;

use hashbrown::HashMap;
use lookalike_detect::{ComparedSet, FewestShared};
use lookalike_index::{
    Buckets, DocumentId, IndexError, Place, RowPart, RowSorter, Span, WordStore, WordStoreBuilder,
};
use xxhash_rust::xxh3::Xxh3Default;

use super::aligned::AlignedDocuments;
use super::crowd_paths::{Frequent, LONGEST_PATH, Missing, Paths};
use super::open_documents::OpenDocuments;
use super::places::Places;
use super::{Join, Judge};
use lookalike_corpus::pass::{Room, in_order};

/// The smallest bucket that can be a crowd: features of all its members were collected.
pub(crate) const SMALLEST_CROWD: usize = if cfg!(test) { 8 } else { 64 };
/// The largest bucket that is looked through, however many comparisons may fail.
const LARGEST_BUCKET: usize = 1000;
/// Documents in which it is counted which values are common.
const COUNTED_DOCUMENTS: usize = 1024;
/// Documents that may share a telling value with one that has it for certain.
const MOST_PARTNERS: usize = if cfg!(test) { 4 } else { 128 };
/// Documents that are brought together by a value alone, where it can be taken together with others.
const FEW_PARTNERS: usize = if cfg!(test) { 2 } else { 16 };
/// Documents whose telling values a thread makes at once.
pub(super) const DOCUMENTS_AT_ONCE: usize = 128;
/// Sizes are counted in documents.
pub(super) const ROOM: Room = Room::new(DOCUMENTS_AT_ONCE as u64, u64::MAX);

/// The pairs in crowds that may be duplicates.
#[derive(Debug)]
pub(super) struct CrowdPairs {
    /// The buckets that are crowds, by their number.
    crowds: Places,
    /// Who is in them.
    is_member: Places,
    /// By place: those after it that share a telling value with it, ascending.
    partners: WordStore,
    /// The documents that are compared with everybody in their crowds.
    pub(super) open: OpenDocuments,
    /// Documents that would be, had their lists no outlines.
    aligned: Option<AlignedDocuments>,
}

/// How often values occur in a sample of the crowds; those that occur once are left out.
pub(super) type Common = HashMap<u64, u32, BuildHasherDefault<Xxh3Default>>;

impl CrowdPairs {
    /// Looks at the crowds of a join; none where there are no crowds, or the method does not
    /// compare sets.
    pub(super) fn find<J: Judge>(join: &Join<'_, J>) -> Result<Option<Self>, J::Error> {
        // What is excluded here is excluded for certain: methods that compare without a limit gain too.
        let limit = join.limits.failed_comparisons.clamp(SMALLEST_CROWD, LARGEST_BUCKET);
        if join.judge.keys_decide() || join.buckets.largest() <= limit {
            return Ok(None);
        }
        let Crowded { crowds, spans, members, is_member } =
            crowded(join.buckets, join.order.len(), limit)?;
        let Some(Sample { common, lists, are_sets }) = count(join, &members)? else {
            return Ok(None);
        };
        let mut meeting = Meeting::new(join);
        let (rows, reach) = telling_rows(join, &members, &common, &mut meeting)?;
        let mut frequent = Frequent::default();
        rows.finish()?.visit_parts(
            |rows| Sharing::of(&rows),
            |sharing| meeting.take(&sharing, are_sets.then_some(&mut frequent)),
        )?;
        for length in 2..=LONGEST_PATH {
            if frequent.is_empty() {
                break;
            }
            let paths = Paths { common: &common, frequent: &frequent, length, reach };
            let longer = paths.meet(join, &members, &mut meeting)?;
            frequent.extend(longer);
        }
        let (partners, is_open) = meeting.finish()?;
        let Some(lists) = lists else {
            let open = OpenDocuments::find(is_open, spans, join.buckets, join.room)?;
            return Ok(Some(Self { crowds, is_member, partners, open, aligned: None }));
        };
        // All lists are of one size: what only a smaller duplicate may share there is none of, and
        // open documents miss each other only.
        let is_common = |value: u64| common.contains_key(&value);
        let aligned = AlignedDocuments::find(join, &is_open, &spans, is_common, lists)?;
        let nobody = Places::new(join.order.len());
        let open = OpenDocuments::find(nobody, Vec::new(), join.buckets, join.room)?;
        Ok(Some(Self { crowds, is_member, partners, open, aligned: Some(aligned) }))
    }

    /// Whether the pairs of a document in crowds are known but for the open documents.
    pub(super) fn knows(&self, place: Place) -> bool {
        !self.open.contains(place)
    }

    /// Whether the duplicates of a document among all others of this kind are its partners, whatever
    /// buckets they share.
    pub(super) fn covers(&self, place: Place) -> bool {
        self.aligned.is_none() && self.is_member.contains(place) && self.knows(place)
    }

    /// Whether a bucket, by the span of a document, is a crowd.
    pub(super) fn contains(&self, span: Span) -> bool {
        self.crowds.contains(Place(span.bucket() as u32))
    }

    /// Gives the wanted documents after a place that share a telling value with it, or may share
    /// enough by their outlines; some stand there twice.
    ///
    /// With `for_ever`, whom it does not want nobody after it will.
    pub(super) fn partners(
        &self,
        place: Place,
        wants: impl Fn(Place) -> bool,
        for_ever: bool,
        partners: &mut Vec<Place>,
    ) -> Result<(), IndexError> {
        let mut buffer = Vec::new();
        let sharing = self.partners.read(DocumentId(place.0), &mut buffer)?.unwrap_or_default();
        partners.extend(sharing.iter().map(|at| Place(*at as u32)).filter(|at| wants(*at)));
        match &self.aligned {
            Some(aligned) => aligned.push_near(place, wants, for_ever, partners),
            None => Ok(()),
        }
    }
}

/// The crowded buckets.
struct Crowded {
    /// By their number.
    crowds: Places,
    /// The longest span of each, which holds whoever can be a candidate there.
    spans: Vec<Span>,
    /// Who is in them, in keep order.
    members: Vec<Place>,
    is_member: Places,
}

/// The buckets with more members than `limit`.
fn crowded(buckets: &Buckets, n_places: usize, limit: usize) -> Result<Crowded, IndexError> {
    let mut crowds = Places::new(buckets.n_members() + 1);
    let mut spans = Vec::new();
    let mut is_member = Places::new(n_places);
    let (mut span_buffer, mut member_buffer) = (Vec::new(), Vec::new());
    for &place in buckets.groups() {
        for &span in buckets.spans(place, &mut span_buffer)? {
            let bucket = Place(span.bucket() as u32);
            // The first to come sees all the others. Of two sides all of the first see the same.
            if span.len() >= limit && !crowds.contains(bucket) {
                crowds.insert(bucket);
                spans.push(span);
                for &member in buckets.members(span, &mut member_buffer)? {
                    is_member.insert(member);
                }
            }
            if crowds.contains(bucket) {
                is_member.insert(place);
            }
        }
    }
    let places = (0..n_places as u32).map(Place);
    let members = places.filter(|place| is_member.contains(*place)).collect();
    Ok(Crowded { crowds, spans, members, is_member })
}

/// What a sample of the crowds tells.
struct Sample {
    common: Common,
    /// How long lists are and how much of them duplicates share, where they are compared place by
    /// place.
    lists: Option<[usize; 2]>,
    /// Whether values are the elements themselves, in no place of their own.
    are_sets: bool,
}

/// Counts values in a sample of the documents; none where they are no sets.
fn count<J: Judge>(join: &Join<'_, J>, members: &[Place]) -> Result<Option<Sample>, J::Error> {
    let (mut common, mut lists, mut are_sets) = (Common::default(), None, true);
    let mut values = Vec::new();
    for place in members.iter().step_by(members.len().div_ceil(COUNTED_DOCUMENTS).max(1)) {
        values.clear();
        let compared = join.judge.compared_set(join.order.document(*place), &mut values)?;
        let Some(ComparedSet { fewest, values_each, aligned }) = compared else {
            return Ok(None);
        };
        are_sets &= values_each == 1 && !aligned;
        lists = aligned.then_some([values.len(), fewest.with_any]);
        for value in &values {
            *common.entry(*value).or_default() += 1;
        }
    }
    common.retain(|_, count| *count > 1);
    Ok(Some(Sample { common, lists, are_sets }))
}

/// Sorts the telling values of all these documents; also the smallest size of a duplicate of one that
/// has too many paths.
fn telling_rows<J: Judge>(
    join: &Join<'_, J>,
    members: &[Place],
    common: &Common,
    meeting: &mut Meeting<'_>,
) -> Result<(RowSorter, usize), J::Error> {
    let mut reach = usize::MAX;
    let mut rows = RowSorter::new(join.room.memory_bytes / 2, &join.room.temporary_folder);
    let mut documents = members.chunks(DOCUMENTS_AT_ONCE);
    let fetch = || Ok(documents.next().map(|some| (some, some.len() as u64)));
    let work = |some: &[Place]| -> Result<Vec<(Place, Telling)>, J::Error> {
        some.iter().map(|&place| Ok((place, telling_values(join, place, common)?))).collect()
    };
    let take = |telling: Result<Vec<(Place, Telling)>, J::Error>| {
        for (place, Telling { values, missing }) in telling? {
            rows.extend(values, DocumentId(place.0))?;
            reach = reach.min(missing.map_or(usize::MAX, Missing::reach));
            if missing.is_some_and(Missing::has_paths) {
                meeting.has_paths.insert(place);
            }
        }
        Ok::<(), J::Error>(())
    };
    in_order(ROOM, fetch, work, take)?;
    Ok((rows, reach))
}

/// The telling values of a document.
struct Telling {
    values: Vec<u64>,
    /// How many of its values duplicates may miss; none of a document without values.
    missing: Option<Missing>,
}

/// The telling values of a document, each with its last bit cleared for one that a duplicate at
/// least as large shares, and set for one that only a smaller duplicate may share.
fn telling_values<J: Judge>(
    join: &Join<'_, J>,
    place: Place,
    common: &Common,
) -> Result<Telling, J::Error> {
    let mut values = Vec::new();
    let compared = join.judge.compared_set(join.order.document(place), &mut values)?;
    // A document with nothing to compare is nobody's duplicate.
    let Some(ComparedSet { fewest, values_each, .. }) = compared else {
        return Ok(Telling { values: Vec::new(), missing: None });
    };
    let FewestShared { with_any, with_larger } = fewest;
    // What stands for an element is as common as its rarest value.
    let count = |value: &u64| common.get(value).copied().unwrap_or(0);
    let rank = |values: &'_ [u64]| values.iter().map(count).min().unwrap_or(0);
    let mut ranked: Vec<(u32, &[u64])> =
        values.chunks(values_each.max(1)).map(|element| (rank(element), element)).collect();
    let size = ranked.len();
    let n_telling = (size + 1).saturating_sub(with_any).min(size);
    let n_certain = (size + 1).saturating_sub(with_larger).min(n_telling);
    if n_telling < size {
        ranked.select_nth_unstable(n_telling);
        ranked.truncate(n_telling);
    }
    ranked.sort_unstable();
    let mut telling: Vec<u64> = Vec::with_capacity(n_telling * values_each);
    for (rank, (_, element)) in ranked.iter().enumerate() {
        telling.extend(element.iter().map(|value| value & !1 | u64::from(rank >= n_certain)));
    }
    if values_each > 1 {
        // Several elements may have a value in common: one that is certain counts.
        telling.sort_unstable();
        telling.dedup_by_key(|value| *value >> 1);
    }
    Ok(Telling { values: telling, missing: Some(Missing::new(size, fewest)) })
}

/// Documents that share telling values, one value after the other.
#[derive(Default)]
pub(super) struct Sharing {
    /// Each value without its last bit.
    names: Vec<u64>,
    certain: Vec<Place>,
    /// Those of which only a smaller duplicate may share it; more than enough of them are not kept.
    others: Vec<Place>,
    /// Where the documents of each value end, in both.
    ends: Vec<[usize; 2]>,
}

impl Sharing {
    /// Those of some rows of telling values, in their order.
    pub(super) fn of(rows: &RowPart) -> Self {
        let mut sharing = Self::default();
        let (mut value, mut n_others) = (None, 0);
        for (flagged, place) in rows.iter() {
            if value != Some(flagged >> 1) {
                sharing.close(value);
                (value, n_others) = (Some(flagged >> 1), 0);
            }
            if flagged & 1 == 0 {
                sharing.certain.push(Place(place.0));
            } else if n_others <= MOST_PARTNERS {
                sharing.others.push(Place(place.0));
                n_others += 1;
            }
        }
        sharing.close(value);
        sharing
    }

    /// Ends the value at hand; one that nobody shares is left out.
    fn close(&mut self, value: Option<u64>) {
        let [certain, others] = self.ends.last().copied().unwrap_or_default();
        let n_certain = self.certain.len() - certain;
        if n_certain > 0 && n_certain + self.others.len() - others > 1 {
            self.ends.push([self.certain.len(), self.others.len()]);
            self.names.extend(value);
        } else {
            self.certain.truncate(certain);
            self.others.truncate(others);
        }
    }

    /// The documents of each value: those that have it for certain, and others.
    fn values(&self) -> impl Iterator<Item = (u64, &[Place], &[Place])> {
        let starts = std::iter::once([0, 0]).chain(self.ends.iter().copied());
        let ranges = starts.zip(&self.ends);
        self.names.iter().zip(ranges).map(
            |(name, ([certain, others], &[certain_end, others_end]))| {
                let certain = &self.certain[certain..certain_end];
                (*name, certain, &self.others[others..others_end])
            },
        )
    }
}

/// Which documents that share a value are brought together.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Meet {
    Everybody,
    /// Pairs of which at least one has no paths.
    WithoutPaths,
}

/// Brings together documents that share a telling value.
pub(super) struct Meeting<'a> {
    n_new: Option<usize>,
    pairs: RowSorter,
    /// Places are sorted with this many bits behind them: rows are dealt out by their first ones.
    shift: u32,
    is_open: Places,
    /// The documents whose pairs can be found by paths.
    has_paths: Places,
    room: &'a super::Room,
}

impl<'a> Meeting<'a> {
    fn new<J>(join: &Join<'a, J>) -> Self {
        let room = join.room;
        Self {
            n_new: join.order.n_new(),
            pairs: RowSorter::new(room.memory_bytes / 4, &room.temporary_folder),
            shift: (join.order.len() as u64 | 1).leading_zeros(),
            is_open: Places::new(join.order.len()),
            has_paths: Places::new(join.order.len()),
            room,
        }
    }

    /// Brings together who shares a value that few have. Others are noted in `frequent`; without that,
    /// they leave those open that have them for certain.
    pub(super) fn take(
        &mut self,
        sharing: &Sharing,
        mut frequent: Option<&mut Frequent>,
    ) -> Result<(), IndexError> {
        sharing.values().try_for_each(|(name, certain, others)| {
            let n_partners = certain.len() + others.len();
            let is_crowded = n_partners > MOST_PARTNERS;
            match &mut frequent {
                Some(frequent) if n_partners > FEW_PARTNERS => {
                    frequent.insert(name, is_crowded);
                    if is_crowded {
                        return Ok(());
                    }
                    // Two that have paths meet by a longer one.
                    self.take_value(certain, others, Meet::WithoutPaths)
                }
                None if is_crowded => {
                    for place in certain {
                        self.open(*place);
                    }
                    Ok(())
                }
                _ => self.take_value(certain, others, Meet::Everybody),
            }
        })
    }

    /// Leaves a document to be compared with everybody in its crowds.
    pub(super) fn open(&mut self, place: Place) {
        self.is_open.insert(place);
    }

    fn take_value(
        &mut self,
        certain: &[Place],
        others: &[Place],
        who: Meet,
    ) -> Result<(), IndexError> {
        for (position, &left) in certain.iter().enumerate() {
            let left_has_paths = self.has_paths.contains(left);
            for &right in certain[position + 1..].iter().chain(others) {
                let meets_later =
                    who == Meet::WithoutPaths && left_has_paths && self.has_paths.contains(right);
                if !meets_later {
                    self.add(left.min(right), left.max(right))?;
                }
            }
        }
        Ok(())
    }

    fn add(&mut self, left: Place, right: Place) -> Result<(), IndexError> {
        let crosses = |n_new: usize| (left.0 as usize) < n_new && right.0 as usize >= n_new;
        if left != right && self.n_new.is_none_or(crosses) {
            self.pairs.push(u64::from(left.0) << self.shift, DocumentId(right.0))?;
        }
        Ok(())
    }

    /// By place those after it that share a telling value with it, and the open documents.
    fn finish(self) -> Result<(WordStore, Places), IndexError> {
        let mut partners =
            WordStoreBuilder::new(self.room.memory_bytes / 4, &self.room.temporary_folder);
        let (mut left, mut of_left, mut outcome) = (0, Vec::new(), Ok(()));
        self.pairs.finish()?.visit(|key, right| {
            let place = key >> self.shift;
            if place != left {
                if outcome.is_ok() && !of_left.is_empty() {
                    outcome = partners.put(DocumentId(left as u32), &of_left);
                }
                of_left.clear();
                left = place;
            }
            if of_left.last() != Some(&u64::from(right.0)) {
                of_left.push(u64::from(right.0));
            }
        })?;
        outcome?;
        if !of_left.is_empty() {
            partners.put(DocumentId(left as u32), &of_left)?;
        }
        Ok((partners.finish()?, self.is_open))
    }
}
