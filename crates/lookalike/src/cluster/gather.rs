//! The candidates of one document.

use std::cmp::Reverse;

use lookalike_index::{Buckets, IndexError, Place, Span};

use super::JoinLimits;
use super::crowds::CrowdPairs;
use super::stretch::Stretch;
use super::walk::Rule;

/// Members read at a time, so that a budget is not overrun by a whole bucket.
pub(super) const PART: usize = if cfg!(test) { 5 } else { 1024 };

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
    /// The crowded buckets of the document, if what is known of them is enough.
    crowded: Vec<Span>,
    /// The open documents in those; some stand there several times.
    open: Vec<Place>,
    /// Whether there may be open documents among its candidates.
    pub(super) meets_open: bool,
    /// The wanted documents in crowded buckets that may be duplicates; some stand there twice.
    partners: Vec<Place>,
    word_buffer: Vec<u64>,
    /// The candidates, each once.
    pub(super) candidates: Vec<Place>,
    /// What the budget did not allow to read.
    pub(super) unread: Vec<Span>,
    /// Members that were read and not wanted.
    pub(super) passed: usize,
    /// By candidate: how many of the buckets read it shares.
    shared: Vec<u32>,
    stretch: Stretch<'a>,
    /// By document of the stretch: the round in which it last became a candidate, and as the how-manieth.
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
            crowded: Vec::new(),
            open: Vec::new(),
            meets_open: false,
            partners: Vec::new(),
            word_buffer: Vec::new(),
            candidates: Vec::new(),
            unread: Vec::new(),
            passed: 0,
            shared: Vec::new(),
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
        let crowds = self.crowds.filter(|crowds| crowds.knows(left));
        for &span in spans.iter().filter(|span| !rule.skips(**span)) {
            match crowds.filter(|crowds| crowds.contains(span)) {
                Some(crowds) => {
                    let buffer = &mut self.word_buffer;
                    crowds.open.push_after(left, span, &mut self.open, buffer)?;
                    self.crowded.push(rule.narrowed(span));
                }
                None => self.spans.push(rule.narrowed(span)),
            }
        }
        self.meets_open = !self.open.is_empty();
        self.partners.clear();
        if let Some(crowds) = crowds.filter(|_| !self.crowded.is_empty()) {
            // Another group may have a telling value as well.
            let stretch = &self.stretch;
            let wants = |place| stretch.contains(place) && rule.wants(left, place);
            crowds.partners(left, wants, R::FOR_EVER, &mut self.partners)?;
        }
        Ok(self.members_opened() + self.open.len() + self.partners.len())
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
        if self.members_opened() > limits.ranked_members.min(passing) {
            self.spans.sort_by_key(|span| span.len());
        }
        for position in 0..self.spans.len() {
            let span = self.spans[position];
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
        self.collect_partners(left, rule)?;
        if self.candidates.len() > limits.failed_comparisons {
            self.rank();
        } else {
            self.candidates.sort_unstable();
        }
        Ok(())
    }

    /// Collects the candidates in the buckets opened last, in keep order, where they are few and no
    /// open documents are among them.
    ///
    /// Needs no room for each document of the stretch, so that every thread may do so.
    pub(super) fn collect_few<R: Rule>(&mut self, left: Place, rule: &R) -> Result<(), IndexError> {
        self.candidates.clear();
        for &span in &self.spans {
            let members = self.buckets.members(span, &mut self.member_buffer)?.iter();
            self.candidates.extend(members.filter(|member| rule.wants(left, **member)));
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

    /// Adds those in crowded buckets that may be duplicates.
    fn collect_partners<R: Rule>(&mut self, left: Place, rule: &R) -> Result<(), IndexError> {
        for &candidate in &self.partners {
            let (round, number) = &mut self.seen[self.stretch.number(candidate)];
            if *round != self.round
                && is_in_any(self.buckets, &self.crowded, candidate, &mut self.member_buffer)?
            {
                (*round, *number) = (self.round, self.shared.len() as u32);
                self.candidates.push(candidate);
                self.shared.push(1);
            }
        }
        // These stand in its buckets for certain.
        for &candidate in &self.open {
            let (round, number) = &mut self.seen[self.stretch.number(candidate)];
            if *round != self.round && rule.wants(left, candidate) {
                (*round, *number) = (self.round, self.shared.len() as u32);
                self.candidates.push(candidate);
                self.shared.push(1);
            }
        }
        Ok(())
    }

    fn start_round(&mut self) {
        self.candidates.clear();
        self.shared.clear();
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
        for &member in self.buckets.members(part, &mut self.member_buffer)? {
            let (round, number) = &mut self.seen[self.stretch.number(member)];
            if *round == self.round {
                if let Some(shared) = self.shared.get_mut(*number as usize) {
                    *shared += 1;
                }
            } else if rule.wants(left, member) {
                (*round, *number) = (self.round, self.shared.len() as u32);
                self.candidates.push(member);
                self.shared.push(1);
            } else {
                self.passed += 1;
            }
        }
        Ok(())
    }

    /// Whether a place has become a candidate of the document at hand.
    pub(super) fn has_seen(&self, place: Place) -> bool {
        self.seen[self.stretch.number(place)].0 == self.round
    }

    /// Brings candidates with most shared buckets to the front, those with as many in keep order.
    fn rank(&mut self) {
        let mut ranked: Vec<(Reverse<u32>, Place)> =
            self.shared.drain(..).map(Reverse).zip(self.candidates.drain(..)).collect();
        ranked.sort_unstable();
        self.candidates.extend(ranked.into_iter().map(|(_, place)| place));
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
