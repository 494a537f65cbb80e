//! The candidates of one document.

use lookalike_index::{Buckets, IndexError, Place, Span};

use super::JoinLimits;
use super::crowds::CrowdPairs;
use super::stretch::Stretch;
use super::walk::Rule;

/// Members read at a time, so that a budget is not overrun by a whole bucket.
pub(super) const PART: usize = if cfg!(test) { 5 } else { 1024 };

/// Whoever stands in a span of so few is a candidate in any case: people bring two documents together
/// by a bucket of their own.
const SMALL_SPAN: usize = if cfg!(test) { 1 } else { 8 };

/// Open documents that become candidates of one document.
const MOST_OPEN: usize = 1 << 15;
/// Open documents of its crowds that are looked at for that; some stand there several times.
const MOST_OPEN_READ: usize = 1 << 20;

/// Collects candidates; buffers are used again from document to document.
#[derive(Debug)]
pub(super) struct Gather<'a> {
    buckets: &'a Buckets,
    span_buffer: Vec<Span>,
    member_buffer: Vec<Place>,
    /// The buckets of the document that had members to read, smallest first if any is large.
    pub(super) spans: Vec<Span>,
    /// What is known of crowds.
    crowds: Option<&'a CrowdPairs>,
    /// The same, where it tells all duplicates of the document among members of crowds.
    covering: Option<&'a CrowdPairs>,
    /// The crowded buckets of the document, if what is known of them is enough.
    crowded: Vec<Span>,
    /// The open documents in those; some stand there several times.
    open: Vec<Place>,
    /// Whether there may be open documents among its candidates.
    pub(super) meets_open: bool,
    /// The crowded buckets whose open documents were not collected, because there are too many.
    pub(super) unopened: Vec<Span>,
    /// The wanted documents in crowded buckets that may be duplicates; some stand there twice.
    partners: Vec<Place>,
    word_buffer: Vec<u64>,
    in_order: InOrder,
    /// The candidates, each once.
    pub(super) candidates: Vec<Place>,
    /// What the budget did not allow to read.
    pub(super) unread: Vec<Span>,
    /// Members that were read and not wanted.
    pub(super) passed: usize,
    stretch: Stretch<'a>,
    /// By document of the stretch: the round in which it last became a candidate, and how many of the
    /// buckets read since then it shares.
    seen: Vec<(u32, u32)>,
    round: u32,
}

impl<'a> Gather<'a> {
    pub(super) fn new(
        buckets: &'a Buckets,
        crowds: Option<&'a CrowdPairs>,
        stretch: Stretch<'a>,
    ) -> Self {
        Self {
            buckets,
            span_buffer: Vec::new(),
            member_buffer: Vec::new(),
            spans: Vec::new(),
            crowds,
            covering: None,
            crowded: Vec::new(),
            open: Vec::new(),
            meets_open: false,
            unopened: Vec::new(),
            partners: Vec::new(),
            word_buffer: Vec::new(),
            in_order: InOrder::default(),
            candidates: Vec::new(),
            unread: Vec::new(),
            passed: 0,
            stretch,
            seen: Vec::new(),
            round: 0,
        }
    }

    /// One for another thread.
    pub(super) fn another(&self) -> Self {
        Self::new(self.buckets, self.crowds, self.stretch)
    }

    /// Bytes that one takes once it has collected more than a few.
    pub(super) fn full_bytes(&self) -> usize {
        self.stretch.len() * size_of::<(u32, u32)>()
    }

    /// Reads which buckets `left` has; returns the number of members in them.
    pub(super) fn open<R: Rule>(&mut self, left: Place, rule: &R) -> Result<usize, IndexError> {
        let spans = self.buckets.spans(left, &mut self.span_buffer)?;
        self.spans.clear();
        self.crowded.clear();
        self.open.clear();
        self.meets_open = false;
        let crowds = self.crowds.filter(|crowds| crowds.knows(left));
        for &span in spans.iter().filter(|span| !rule.skips(**span)) {
            match crowds.filter(|crowds| crowds.contains(span)) {
                Some(_) => self.crowded.push(rule.narrowed(span)),
                None => self.spans.push(rule.narrowed(span)),
            }
        }
        self.unopened.clear();
        self.partners.clear();
        self.covering = crowds.filter(|crowds| crowds.covers(left));
        let is_asked = self.covering.is_some() || !self.crowded.is_empty();
        if let Some(crowds) = crowds.filter(|_| is_asked) {
            self.meet_open(left, rule, crowds)?;
            // Another group may have a telling value as well.
            let stretch = &self.stretch;
            let wants = |place| stretch.contains(place) && rule.wants(left, place);
            crowds.partners(left, wants, R::FOR_EVER, &mut self.partners)?;
        }
        Ok(self.members_opened() + self.open.len() + self.partners.len())
    }

    /// Collects the open documents in its crowds, the smallest crowd first, as long as they are not far
    /// more than may be judged.
    fn meet_open<R: Rule>(
        &mut self,
        left: Place,
        rule: &R,
        crowds: &CrowdPairs,
    ) -> Result<(), IndexError> {
        self.crowded.sort_by_key(|span| (span.len(), span.bucket()));
        let mut n_read = 0;
        for &span in &self.crowded {
            if self.open.len() >= MOST_OPEN || n_read >= MOST_OPEN_READ {
                self.unopened.push(span);
                continue;
            }
            let all = crowds.open.after(left, span, &mut self.word_buffer)?;
            n_read += all.len();
            let places = all.iter().map(|at| Place(*at as u32));
            self.open.extend(places.filter(|place| rule.wants(left, *place)));
        }
        self.meets_open = !self.open.is_empty();
        Ok(())
    }

    /// Whether some that stand in its buckets may not have become candidates of the document.
    pub(super) fn leaves_out(&self) -> bool {
        self.covering.is_some()
    }

    fn members_opened(&self) -> usize {
        self.spans.iter().map(|span| span.len()).sum()
    }

    /// Collects the candidates in the buckets opened last: in keep order if there are few, else
    /// those that share most buckets first.
    ///
    /// Stops after about `limits.ranked_members` of them, or `passing` members that are not
    /// wanted.
    pub(super) fn collect<R: Rule>(
        &mut self,
        left: Place,
        rule: &R,
        limits: JoinLimits,
        passing: usize,
    ) -> Result<(), IndexError> {
        self.start_round();
        let covering = self.covering.is_some();
        if covering || self.members_opened() > limits.ranked_members.min(passing) {
            self.spans.sort_by_key(|span| span.len());
        }
        let mut n_kept = usize::MAX;
        for position in 0..self.spans.len() {
            let span = self.spans[position];
            if span.len() > SMALL_SPAN {
                n_kept = n_kept.min(self.candidates.len());
            }
            let mut offset = 0;
            while offset < span.len() {
                if self.candidates.len() >= limits.ranked_members || self.passed >= passing {
                    self.unread.push(span.part(offset, span.len()));
                    break;
                }
                self.read_part(span.part(offset, PART), left, rule)?;
                offset += PART;
            }
        }
        self.drop_excluded(n_kept);
        self.collect_partners(left, rule)?;
        self.in_order.sort(&mut self.candidates, self.stretch);
        if self.candidates.len() > limits.failed_comparisons {
            self.rank();
        }
        Ok(())
    }

    /// Collects the candidates in the buckets opened last, in keep order, where they are few and no
    /// open documents are among them.
    ///
    /// Needs no room for each document of the stretch, so that every thread may do so.
    pub(super) fn collect_few<R: Rule>(&mut self, left: Place, rule: &R) -> Result<(), IndexError> {
        self.candidates.clear();
        for position in 0..self.spans.len() {
            let span = self.spans[position];
            let n_kept = if span.len() > SMALL_SPAN { self.candidates.len() } else { usize::MAX };
            let members = self.buckets.members(span, &mut self.member_buffer)?.iter();
            self.candidates.extend(members.filter(|member| rule.wants(left, **member)));
            self.drop_excluded(n_kept);
        }
        for &candidate in &self.partners {
            if is_in_any(self.buckets, &self.crowded, candidate, &mut self.member_buffer)? {
                self.candidates.push(candidate);
            }
        }
        self.candidates.sort_unstable();
        self.candidates.dedup();
        Ok(())
    }

    /// Drops candidates from the `from`-th on that are no duplicates for certain: members of crowds that
    /// share no telling value with the document.
    fn drop_excluded(&mut self, from: usize) {
        let Some(crowds) = self.covering else { return };
        if from >= self.candidates.len() {
            return;
        }
        let mut kept = from;
        for position in from..self.candidates.len() {
            let candidate = self.candidates[position];
            if !crowds.covers(candidate) || self.partners.binary_search(&candidate).is_ok() {
                self.candidates[kept] = candidate;
                kept += 1;
            }
        }
        self.candidates.truncate(kept);
    }

    /// Adds those in crowded buckets that may be duplicates.
    fn collect_partners<R: Rule>(&mut self, left: Place, rule: &R) -> Result<(), IndexError> {
        for &candidate in &self.partners {
            let seen = &mut self.seen[self.stretch.number(candidate)];
            if seen.0 != self.round
                && is_in_any(self.buckets, &self.crowded, candidate, &mut self.member_buffer)?
            {
                *seen = (self.round, 1);
                self.candidates.push(candidate);
            }
        }
        // These stand in its buckets for certain.
        for &candidate in &self.open {
            let seen = &mut self.seen[self.stretch.number(candidate)];
            if seen.0 != self.round && rule.wants(left, candidate) {
                *seen = (self.round, 1);
                self.candidates.push(candidate);
            }
        }
        Ok(())
    }

    fn start_round(&mut self) {
        self.candidates.clear();
        self.unread.clear();
        self.passed = 0;
        if self.seen.is_empty() || self.round == u32::MAX {
            self.seen.clear();
            self.seen.resize(self.stretch.len(), (0, 0));
            self.round = 0;
        }
        self.round += 1;
    }

    /// Adds the wanted members of a part of a bucket that are not candidates yet.
    pub(super) fn read_part<R: Rule>(
        &mut self,
        part: Span,
        left: Place,
        rule: &R,
    ) -> Result<(), IndexError> {
        let members = self.buckets.members(part, &mut self.member_buffer)?;
        let mut n_candidates = self.candidates.len();
        self.candidates.resize(n_candidates + members.len(), Place(0));
        // Written as if each were new, and counted where it is: a branch would be a coin toss.
        for &member in members {
            let seen = &mut self.seen[self.stretch.number(member)];
            let is_known = seen.0 == self.round;
            let is_wanted = (R::QUICK || !is_known) && rule.wants(left, member);
            let shared = if is_known { seen.1 + 1 } else { 1 };
            *seen = if is_known || is_wanted { (self.round, shared) } else { *seen };
            self.candidates[n_candidates] = member;
            n_candidates += usize::from(!is_known && is_wanted);
            self.passed += usize::from(!is_known && !is_wanted);
        }
        self.candidates.truncate(n_candidates);
        Ok(())
    }

    /// Whether a place has become a candidate of the document at hand.
    pub(super) fn has_seen(&self, place: Place) -> bool {
        self.seen[self.stretch.number(place)].0 == self.round
    }

    /// Brings candidates with most shared buckets to the front, those with as many in keep order, in which they
    /// stand.
    fn rank(&mut self) {
        let shared = |place: &Place| self.seen[self.stretch.number(*place)].1 as usize;
        let most = self.candidates.iter().map(shared).max().unwrap_or(0);
        let mut starts = vec![0; most + 1];
        for place in &self.candidates {
            starts[most - shared(place)] += 1;
        }
        let mut start = 0;
        for own in &mut starts {
            start += std::mem::replace(own, start);
        }
        let mut ranked = vec![Place(0); self.candidates.len()];
        for place in &self.candidates {
            let next = &mut starts[most - shared(place)];
            ranked[*next] = *place;
            *next += 1;
        }
        self.candidates = ranked;
    }
}

/// Puts the candidates of a document in keep order.
#[derive(Debug, Default)]
struct InOrder {
    /// A bit for each document of the stretch; none is set between two calls.
    bits: Vec<u64>,
}

/// So many candidates of a document are sorted.
const FEW: usize = if cfg!(test) { 3 } else { 24 };
/// Words of bits that may be looked through for each candidate.
const SPARSE: usize = 4;

impl InOrder {
    /// Sorts distinct candidates of one group: numbers within it ascend as places do.
    fn sort(&mut self, candidates: &mut Vec<Place>, stretch: Stretch<'_>) {
        let n_words = stretch.len().div_ceil(64);
        if candidates.len() <= FEW || n_words > SPARSE * candidates.len() {
            return candidates.sort_unstable();
        }
        self.bits.resize(n_words, 0);
        let (mut first, mut last) = (n_words, 0);
        for &place in &*candidates {
            let number = stretch.number(place);
            let word = number / 64;
            self.bits[word] |= 1 << (number % 64);
            (first, last) = (first.min(word), last.max(word));
        }
        let mut places = candidates.iter_mut();
        for (word, bits) in (first..).zip(&mut self.bits[first..=last]) {
            let mut left = std::mem::take(bits);
            while left != 0 {
                let number = 64 * word + left.trailing_zeros() as usize;
                left &= left - 1;
                if let Some(place) = places.next() {
                    *place = stretch.places[number];
                }
            }
        }
    }
}

/// Whether a document stands in one of these parts of buckets.
fn is_in_any(
    buckets: &Buckets,
    spans: &[Span],
    place: Place,
    buffer: &mut Vec<Place>,
) -> Result<bool, IndexError> {
    for span in spans {
        if buckets.contains(*span, place, buffer)? {
            return Ok(true);
        }
    }
    Ok(false)
}
