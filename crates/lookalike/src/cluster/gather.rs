//! The candidates of one document, those that share most keys first.

use lookalike_index::{Buckets, IndexError, Place, Span};

use super::walk::Rule;

/// Members read at a time, so that a budget is not overrun by a whole bucket.
pub(super) const PART: usize = 1024;

/// Collects candidates; buffers are used again from document to document.
#[derive(Debug)]
pub(super) struct Gather<'a> {
    buckets: &'a Buckets,
    span_buffer: Vec<Span>,
    member_buffer: Vec<Place>,
    /// The buckets of the document that had members to read, smallest first if any is large.
    pub(super) spans: Vec<Span>,
    /// The candidates, each once.
    pub(super) candidates: Vec<Place>,
    /// What the budget did not allow to read.
    pub(super) unread: Vec<Span>,
    /// Members that were read and not wanted.
    pub(super) passed: usize,
    ranked: Vec<u64>,
}

impl<'a> Gather<'a> {
    pub(super) fn new(buckets: &'a Buckets) -> Self {
        Self {
            buckets,
            span_buffer: Vec::new(),
            member_buffer: Vec::new(),
            spans: Vec::new(),
            candidates: Vec::new(),
            unread: Vec::new(),
            passed: 0,
            ranked: Vec::new(),
        }
    }

    /// Reads which buckets `left` has; returns the number of members in them.
    pub(super) fn open<R: Rule>(&mut self, left: Place, rule: &R) -> Result<usize, IndexError> {
        let spans = self.buckets.spans(left, &mut self.span_buffer)?;
        self.spans.clear();
        self.spans.extend(spans.iter().filter(|span| !rule.skips(**span)));
        Ok(self.spans.iter().map(|span| span.len()).sum())
    }

    /// Collects the candidates in the buckets opened last.
    ///
    /// Stops after about `budget` of them, counted once for each shared bucket, or `passing`
    /// members that are not wanted.
    pub(super) fn collect<R: Rule>(
        &mut self,
        left: Place,
        rule: &mut R,
        budget: usize,
        passing: usize,
    ) -> Result<(), IndexError> {
        self.candidates.clear();
        self.unread.clear();
        self.passed = 0;
        if self.spans.iter().map(|span| span.len()).sum::<usize>() > budget.min(passing) {
            self.spans.sort_by_key(|span| span.len());
        }
        for position in 0..self.spans.len() {
            let span = self.spans[position];
            let mut offset = 0;
            while offset < span.len() {
                if self.candidates.len() >= budget || self.passed >= passing {
                    self.unread.push(span.part(offset, span.len()));
                    break;
                }
                self.read_part(span.part(offset, PART), left, rule)?;
                offset += PART;
            }
        }
        self.rank();
        Ok(())
    }

    /// Adds the wanted members of a part of a bucket to the candidates.
    pub(super) fn read_part<R: Rule>(
        &mut self,
        part: Span,
        left: Place,
        rule: &mut R,
    ) -> Result<(), IndexError> {
        let before = self.candidates.len();
        let members = self.buckets.members(part, &mut self.member_buffer)?;
        self.candidates.extend(members.iter().filter(|member| rule.wants(left, **member)));
        self.passed += members.len() - (self.candidates.len() - before);
        Ok(())
    }

    /// Makes candidates distinct: most shared buckets first, then keep order.
    fn rank(&mut self) {
        if self.spans.len() <= 1 {
            return;
        }
        self.candidates.sort_unstable();
        self.ranked.clear();
        for same in self.candidates.chunk_by(|left, right| left == right) {
            let shared = same.len() as u32;
            self.ranked.push(u64::from(!shared) << 32 | u64::from(same[0].0));
        }
        self.ranked.sort_unstable();
        self.candidates.clear();
        self.candidates.extend(self.ranked.iter().map(|&ranked| Place(ranked as u32)));
    }
}
