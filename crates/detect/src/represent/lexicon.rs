//! Retention made fast: a rule and its statistics turned into whole numbers.
//!
//! The lexicon is not a list of terms: whether a term belongs to it follows from its document
//! frequency, so the statistics' own table is all there is in memory.

use std::sync::Arc;

use lookalike_statistics::Statistics;

use crate::represent::RetentionRule;

/// A term of the document at hand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DocumentTerm {
    /// Its hash.
    pub hash: u64,
    /// How many documents of the statistics contain it; 0 if unknown.
    pub frequency: u32,
    /// Which of the document's distinct terms it is.
    pub number: u32,
}

/// How [`Lexicon::retain`] has arranged the terms it kept: those of the rule come first, then those
/// of the secondary lexicon, the commonest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retained {
    /// How many terms the rule itself keeps.
    pub n_primary: usize,
    /// How many terms, with the secondary ones that had to help out, the signature rests on.
    pub n_signed: usize,
}

/// Decides which of a document's distinct terms its signature rests on.
#[derive(Clone, Debug)]
pub struct Lexicon {
    retention: Option<Retention>,
    min_share: f64,
}

#[derive(Clone, Debug)]
struct Retention {
    statistics: Arc<Statistics>,
    rule: RetentionRule,
    kept: Kept,
    /// Only where it could ever be asked.
    secondary: Option<Secondary>,
}

/// A rule in whole numbers.
#[derive(Clone, Copy, Debug)]
enum Kept {
    /// Known terms with a frequency in `from..=to` (or not in it).
    Frequencies { from: u32, to: u32, inside: bool },
    /// Terms with a rank in this part of the document (or not in it).
    Ranks { from: f64, to: f64, inside: bool, at_least: AtLeast },
}

/// What becomes of a document so short that the part of it that a rule keeps is less than a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AtLeast {
    /// It keeps nothing.
    Nothing,
    /// It keeps the commonest term.
    First,
    /// It keeps the rarest term.
    Last,
}

/// Terms too rare for the lexicon, the commonest ones first, up to a number of terms.
#[derive(Clone, Copy, Debug)]
struct Secondary {
    /// The smallest frequency of the lexicon itself.
    below: u32,
    /// The rarest and, among equally rare ones, the last term that still belongs.
    last: (std::cmp::Reverse<u32>, u64),
}

/// Guards `ceil` and `floor` against fractions such as 0.1, which binary numbers miss by a hair.
const HAIR: f64 = 1e-9;

impl Lexicon {
    /// Retains every term.
    pub fn everything() -> Self {
        Self { retention: None, min_share: 0.0 }
    }

    /// Retains by a rule; where less than `min_share` of a document's terms are retained, up to
    /// `secondary_size` terms rarer than the rule's range help out.
    pub fn new(
        statistics: Arc<Statistics>,
        rule: RetentionRule,
        min_share: f64,
        secondary_size: u64,
    ) -> Self {
        let frequencies = |from: f64, to: f64, inside: bool| {
            let range = statistics.frequencies(&(from..=to));
            let (from, to) = range.map_or((1, 0), std::ops::RangeInclusive::into_inner);
            Kept::Frequencies { from, to, inside }
        };
        let ranks = |from, to, inside, at_least| Kept::Ranks { from, to, inside, at_least };
        let kept = match rule {
            RetentionRule::DocL(f) => ranks(f, 1.0, true, AtLeast::Last),
            RetentionRule::DocH(f) => ranks(0.0, 1.0 - f, true, AtLeast::First),
            RetentionRule::DocRI(from, to) => ranks(from, to, true, AtLeast::Nothing),
            RetentionRule::DocRO(from, to) => ranks(from, to, false, AtLeast::Nothing),
            RetentionRule::IdfL(x) => frequencies(x, 1.0, true),
            RetentionRule::IdfH(x) => frequencies(0.0, x, true),
            RetentionRule::IdfRI(from, to) => frequencies(from, to, true),
            RetentionRule::IdfRO(from, to) => frequencies(from, to, false),
        };
        let secondary = match kept {
            Kept::Frequencies { from, to, inside: true } if from <= to && min_share > 0.0 => {
                Secondary::new(&statistics, from, secondary_size)
            }
            _ => None,
        };
        Self { retention: Some(Retention { statistics, rule, kept, secondary }), min_share }
    }

    /// The other reading of the 2002 paper on short documents.
    ///
    /// Its Table IX has the same 143 documents without a term in all eighteen rows of Doc-L and
    /// Doc-H, so that every document with a term kept one: our reading. Section 4.1 speaks of
    /// documents under four terms that have none at 25 %, rounding down.
    #[must_use]
    pub fn rounding_down(mut self) -> Self {
        if let Some(Retention { kept: Kept::Ranks { at_least, .. }, .. }) = &mut self.retention {
            *at_least = AtLeast::Nothing;
        }
        self
    }

    /// The statistics behind the rule, where there is a rule.
    pub fn statistics(&self) -> Option<&Statistics> {
        self.retention.as_ref().map(|retention| &*retention.statistics)
    }

    /// The rule, where there is one.
    pub fn rule(&self) -> Option<RetentionRule> {
        self.retention.as_ref().map(|retention| retention.rule)
    }

    /// Whether [`Lexicon::retain`] looks at the texts of terms.
    pub fn needs_texts(&self) -> bool {
        matches!(&self.retention, Some(Retention { kept: Kept::Ranks { .. }, .. }))
    }

    /// Keeps a document's distinct terms of the rule and of the secondary lexicon and fills in their
    /// frequencies. The signature rests on the first `n_signed` of them; the others are what
    /// randomized lexicons may need, which have fewer terms of the rule's.
    ///
    /// `text` gives the text of a term by its number; only asked where
    /// [`Lexicon::needs_texts`]. The order of the rule's own terms has no meaning.
    pub fn retain<'a>(
        &self,
        terms: &mut Vec<DocumentTerm>,
        text: impl Fn(u32) -> &'a str,
    ) -> Retained {
        let all =
            |terms: &[DocumentTerm]| Retained { n_primary: terms.len(), n_signed: terms.len() };
        let Some(retention) = &self.retention else { return all(terms) };
        for term in &mut *terms {
            term.frequency = retention.statistics.document_frequency(term.hash);
        }
        match retention.kept {
            Kept::Frequencies { from, to, inside } => {
                let needed = needed_terms(self.min_share, terms.len());
                let is_kept = |term: &DocumentTerm| {
                    term.frequency > 0 && (from..=to).contains(&term.frequency) == inside
                };
                let Some(secondary) = retention.secondary else {
                    terms.retain(is_kept);
                    return all(terms);
                };
                terms.retain(|term| is_kept(term) || secondary.contains(term));
                let n_primary = move_to_front(terms, is_kept);
                // The fewest, commonest ones help out, so that they must be in order.
                terms[n_primary..]
                    .sort_unstable_by_key(|term| (std::cmp::Reverse(term.frequency), term.hash));
                return Retained { n_primary, n_signed: needed.clamp(n_primary, terms.len()) };
            }
            Kept::Ranks { from, to, inside, at_least } => {
                terms.sort_unstable_by(|a, b| {
                    let ascending_idf = b.frequency.max(1).cmp(&a.frequency.max(1));
                    ascending_idf.then_with(|| text(a.number).cmp(text(b.number)))
                });
                let (mut first, mut end) = rank_range(from, to, terms.len());
                match at_least {
                    AtLeast::Nothing => {}
                    AtLeast::First => end = end.max(1).min(terms.len()),
                    AtLeast::Last => first = first.min(terms.len().saturating_sub(1)),
                }
                if inside {
                    terms.truncate(end);
                    terms.drain(..first.min(end));
                } else {
                    terms.drain(first..end.max(first));
                }
            }
        }
        all(terms)
    }
}

impl Secondary {
    /// The `size` commonest terms in fewer than `below` documents; equally common ones by hash.
    fn new(statistics: &Statistics, below: u32, size: u64) -> Option<Self> {
        let mut ranked: Vec<_> = statistics
            .iter()
            .filter(|&(_, frequency)| frequency < below)
            .map(|(hash, frequency)| (std::cmp::Reverse(frequency), hash))
            .collect();
        let last = ranked.len().min(usize::try_from(size).unwrap_or(usize::MAX)).checked_sub(1)?;
        let (_, last, _) = ranked.select_nth_unstable(last);
        Some(Self { below, last: *last })
    }

    fn contains(self, term: &DocumentTerm) -> bool {
        let is_rarer = (1..self.below).contains(&term.frequency);
        is_rarer && (std::cmp::Reverse(term.frequency), term.hash) <= self.last
    }
}

/// Brings what `is_kept` to the front, in any order, and counts it.
fn move_to_front(terms: &mut [DocumentTerm], is_kept: impl Fn(&DocumentTerm) -> bool) -> usize {
    let mut n_kept = 0;
    for number in 0..terms.len() {
        if is_kept(&terms[number]) {
            terms.swap(number, n_kept);
            n_kept += 1;
        }
    }
    n_kept
}

/// How many terms make up a share of so many.
pub(crate) fn needed_terms(share: f64, n_terms: usize) -> usize {
    (share * n_terms as f64 - HAIR).ceil().max(0.0) as usize
}

/// The ranks that lie fully inside [from,to] of a document with so many terms.
pub(crate) fn rank_range(from: f64, to: f64, n_terms: usize) -> (usize, usize) {
    let n = n_terms as f64;
    ((from * n - HAIR).ceil().max(0.0) as usize, (to * n + HAIR).floor() as usize)
}

#[cfg(test)]
#[path = "lexicon_tests.rs"]
pub(crate) mod tests;
