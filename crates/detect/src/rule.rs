//! How a candidate pair is judged: which parts of two documents are compared, and by what rule.

use std::sync::{Arc, OnceLock};

use crate::measure::{Glance, RepeatedRuns, RunFilter, RunsThatStay, glance, is_framed};
use crate::{
    ComparedSet, Comparison, Decide, Features, Measure, Represent, Sign, Signature, Verdict,
};

/// An exact measure, the features it works on, and the rule that makes it a verdict.
pub struct Confirm {
    /// How a document becomes the features that are measured.
    pub represent: Arc<dyn Represent>,
    /// The exact measure.
    pub measure: Box<dyn Measure>,
    /// The rule.
    pub decide: Box<dyn Decide>,
}

/// Of the runs of a removed document at least so many must stand in the one that is kept: where a word
/// in every line is another, such as a name, most words stand in both and what is said differs.
const LEAST_RUNS: f64 = 0.5;

/// The share of a page without its frame that must stand in the one that is kept: a site that shows a
/// story cuts it and adds to it.
const LEAST_OF_STORY: f64 = 0.5;

/// The guard of removals: how much of a document must stand in the one that is kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Guard {
    /// Which view of the features has the runs of words.
    pub view: usize,
    /// The least share of the removed document's words.
    pub line: f64,
}

/// What the verdict on two documents rests on that have to be compared, the cheap before the dear.
///
/// Where there is neither part, the shared key is the verdict.
#[derive(Clone, Copy)]
pub struct Rule<'a> {
    /// How signatures are compared, which drop the hopeless pairs.
    pub signatures: Option<SignatureRule<'a>>,
    /// How features are compared, which decide on the others.
    pub features: Option<FeatureRule<'a>>,
}

/// Two documents, wherever their parts are kept.
pub trait PairParts {
    /// Why a part cannot be fetched.
    type Error;

    /// The verdict that needs no comparison: a person's, that of copies, or that of documents which nothing
    /// makes candidates.
    fn certain(&mut self) -> Result<Option<Verdict>, Self::Error>;

    /// The verdict of a rule on the two signatures.
    fn by_signatures(&mut self, rule: SignatureRule<'_>) -> Result<Verdict, Self::Error>;

    /// The verdict of a rule on the features of the two, the one that stays first.
    fn by_features(&mut self, rule: FeatureRule<'_>) -> Result<Verdict, Self::Error>;
}

impl Rule<'_> {
    /// The verdict on two documents: the one cascade of all ways of running.
    ///
    /// # Errors
    /// A part cannot be fetched.
    pub fn judge<P: PairParts>(&self, parts: &mut P) -> Result<Verdict, P::Error> {
        if let Some(certain) = parts.certain()? {
            return Ok(certain);
        }
        let mut verdict = Verdict::COPIES;
        if let Some(rule) = self.signatures {
            verdict = parts.by_signatures(rule)?;
        }
        match self.features {
            Some(rule) if verdict.duplicate => {
                parts.by_features(FeatureRule { so_far: verdict, ..rule })
            }
            _ => Ok(verdict),
        }
    }

    /// Whether a shared key is the verdict.
    pub fn is_of_keys(&self) -> bool {
        self.signatures.is_none() && self.features.is_none()
    }
}

/// A verdict by signatures.
#[derive(Clone, Copy)]
pub struct SignatureRule<'a> {
    pub(crate) sign: &'a dyn Sign,
    pub(crate) decide: &'a dyn Decide,
}

impl SignatureRule<'_> {
    /// The verdict on two signatures.
    ///
    /// The score of a pair that is no duplicate may be an upper bound: comparisons stop as soon as
    /// the answer is certain. [`SignatureRule::score`] has the exact one.
    pub fn judge(&self, left: &Signature, right: &Signature) -> Verdict {
        let comparison = match self.decide.floor() {
            Some(floor) => self.sign.compare_from(left, right, floor),
            None => self.sign.compare(left, right),
        };
        self.decide.decide(&comparison)
    }

    /// The exact score, whether the pair reaches the threshold or not.
    pub fn score(&self, left: &Signature, right: &Signature) -> f64 {
        self.decide.decide(&self.compare(left, right)).score
    }

    /// What the verdict rests on.
    pub fn compare(&self, left: &Signature, right: &Signature) -> Comparison {
        self.sign.compare(left, right)
    }

    /// Appends the values that stand for what two signatures may share, and tells how much of it a
    /// duplicate shares; none for signatures of something else.
    pub fn compared_set(
        &self,
        signature: &Signature,
        values: &mut Vec<u64>,
    ) -> Option<ComparedSet> {
        self.sign.compared_set(signature, self.decide.floor()?, values)
    }
}

/// A verdict by features: every exact measure must agree; the score is that of the first. What a
/// guard finds to stand elsewhere too little is no duplicate.
#[derive(Clone, Copy)]
pub struct FeatureRule<'a> {
    pub(crate) confirms: &'a [Confirm],
    pub(crate) guard: Option<Guard>,
    /// What the guard leaves out.
    pub(crate) repeated: Option<&'a RepeatedRuns>,
    /// Where the guard keeps what it asks the document for that stays, if that is asked again.
    pub(crate) that_stay: Option<&'a OnceLock<RunsThatStay>>,
    /// Whether features have a view for each confirmation, and not one for the only one.
    pub(crate) has_views: bool,
    /// The verdict of the signatures or keys.
    pub(crate) so_far: Verdict,
}

impl<'a> FeatureRule<'a> {
    /// The verdict on two documents' features; where one of them is to go, it is the second.
    ///
    /// The score of a pair that is no duplicate may be an upper bound: measures stop as soon as
    /// the answer is certain. [`FeatureRule::score`] has the exact one.
    pub fn judge(&self, stays: &Features, goes: &Features) -> Verdict {
        let mut verdict = self.so_far;
        for (position, confirm) in self.confirms.iter().enumerate() {
            let confirmed = confirm.judge(self.view(stays, position), self.view(goes, position));
            verdict.duplicate = confirmed.duplicate;
            if position == 0 {
                verdict.score = confirmed.score;
            }
            if !verdict.duplicate {
                return verdict;
            }
        }
        if let Some((words, runs)) = self.shares(goes, stays) {
            verdict.accounted = Some(words);
            verdict.duplicate = self.suffice(words, runs);
        }
        verdict
    }

    /// Whether so many words and runs of a document in the one that is kept let it go.
    fn suffice(&self, words: f64, runs: f64) -> bool {
        let line =
            |guard: Guard| self.repeated.map_or(guard.line, |_| guard.line.min(LEAST_OF_STORY));
        self.guard.is_none_or(|guard| words >= line(guard) && runs >= LEAST_RUNS.min(line(guard)))
    }

    /// Whether the document that is kept accounts for the one that goes.
    pub fn accounts_for(&self, goes: &Features, stays: &Features) -> bool {
        self.shares(goes, stays).is_none_or(|(words, runs)| self.suffice(words, runs))
    }

    /// Whether a document is a page with the keeper's story in a frame that other documents have.
    pub fn is_framed(&self, goes: &Features, keeper: &Features, repeated: &RepeatedRuns) -> bool {
        is_framed(self.runs(goes), self.runs(keeper), repeated)
    }

    /// The share of a document's words that stand, in runs, in another one; where there is a guard.
    pub fn accounted(&self, goes: &Features, stays: &Features) -> Option<f64> {
        self.shares(goes, stays).map(|(words, _)| words)
    }

    fn shares(&self, goes: &Features, stays: &Features) -> Option<(f64, f64)> {
        let Guard { view, .. } = self.guard?;
        let runs = |features| self.view(features, view).as_sequence();
        let of_stays = || RunsThatStay::of(runs(stays));
        Some(match self.that_stay {
            Some(kept) => kept.get_or_init(of_stays).account_for(runs(goes), self.repeated),
            None => of_stays().account_for(runs(goes), self.repeated),
        })
    }

    /// The same rule for which the guard leaves out what the collection repeats.
    pub fn leaving_out(self, repeated: Option<&'a RepeatedRuns>) -> Self {
        Self { repeated, ..self }
    }

    /// The same rule for pairs of one document that stays: what the guard asks it for is kept.
    pub fn keeping(self, that_stay: &'a OnceLock<RunsThatStay>) -> Self {
        Self { that_stay: Some(that_stay), ..self }
    }

    /// The runs of words that the guard looks at.
    pub fn runs<'f>(&self, features: &'f Features) -> &'f [u64] {
        self.guard.map_or(&[], |guard| self.view(features, guard.view).as_sequence())
    }

    /// The same rule without the guard.
    pub fn unguarded(self) -> Option<Self> {
        self.measures().then_some(Self { guard: None, ..self })
    }

    /// Whether there is a measure besides the guard.
    pub fn measures(&self) -> bool {
        !self.confirms.is_empty()
    }

    /// Whether it depends on which of the two stays.
    pub fn is_directed(&self) -> bool {
        self.guard.is_some()
    }

    /// The exact score, whether the pair reaches the threshold or not.
    pub fn score(&self, left: &Features, right: &Features) -> f64 {
        let decided =
            |first: &Confirm| Some(first.decide.decide(&self.compare(left, right)?).score);
        self.confirms.first().and_then(decided).unwrap_or(self.so_far.score)
    }

    /// The full comparison by the first measure, if there is one.
    pub fn compare(&self, left: &Features, right: &Features) -> Option<Comparison> {
        let first = self.confirms.first()?;
        Some(first.measure.measure(self.view(left, 0), self.view(right, 0)))
    }

    /// What excludes many documents that one is compared with, where the first measure has such a thing.
    pub fn filter(&self, features: &Features) -> Option<RunFilter> {
        let (measure, _) = self.first_floor()?;
        measure.filter(self.view(features, 0))
    }

    /// Whether the document of a filter and another may be duplicates; `false` only where
    /// [`FeatureRule::judge`] says that they are none.
    pub fn may_pass(&self, filter: &RunFilter, other: &Features) -> bool {
        let other = self.view(other, 0);
        self.first_floor().is_none_or(|(measure, floor)| measure.may_pass(filter, other, floor))
    }

    /// Appends an outline of a document's features; nothing where the first measure has none.
    pub fn push_outline(&self, features: &Features, words: &mut Vec<u64>) {
        if let Some(first) = self.confirms.first() {
            first.measure.push_outline(self.view(features, 0), words);
        }
    }

    /// Whether documents with these outlines may be duplicates; `false` only where
    /// [`FeatureRule::judge`] says that they are none.
    pub fn may_be_duplicates(&self, left: &[u64], right: &[u64]) -> bool {
        self.first_floor().is_none_or(|(measure, floor)| measure.may_reach(left, right, floor))
    }

    /// The same by all that the outlines have.
    pub fn may_closely_be_duplicates(&self, left: &[u64], right: &[u64]) -> bool {
        self.first_floor()
            .is_none_or(|(measure, floor)| measure.may_reach_closely(left, right, floor))
    }

    /// The size and the [`Glance`] of a document with this outline; none where outlines are of
    /// something else than sets, or too short.
    pub fn glance(&self, outline: &[u64]) -> Option<(usize, Glance)> {
        self.needed_shared(1, 1)?;
        glance(outline)
    }

    /// How many values duplicates with sets of these sizes share; none where sets do not decide.
    pub fn needed_shared(&self, left: usize, right: usize) -> Option<usize> {
        let (measure, floor) = self.first_floor()?;
        measure.needed_shared(left, right, floor)
    }

    /// Appends the set that the first measure compares, and tells how many of its values a duplicate
    /// must share; none for measures of something else.
    pub fn compared_set(&self, features: &Features, values: &mut Vec<u64>) -> Option<ComparedSet> {
        let (measure, floor) = self.first_floor()?;
        let view = self.view(features, 0);
        let fewest = measure.fewest_shared(view.len(), floor)?;
        match view {
            Features::Set(set) => values.extend_from_slice(set),
            Features::Weighted(entries) => values.extend(entries.iter().map(|entry| entry.feature)),
            _ => return None,
        }
        Some(ComparedSet { fewest, values_each: 1, aligned: false })
    }

    /// The part of a document's features that one confirmation, or the guard, looks at.
    fn view<'f>(&self, features: &'f Features, position: usize) -> &'f Features {
        match features {
            Features::Several(views) if self.has_views => &views[position],
            only => only,
        }
    }

    /// The first measure, and the least resemblance of a duplicate by it.
    fn first_floor(&self) -> Option<(&dyn Measure, f64)> {
        let first = self.confirms.first()?;
        Some((first.measure.as_ref(), first.decide.floor()?))
    }
}

impl Confirm {
    fn judge(&self, left: &Features, right: &Features) -> Verdict {
        if let Some(share) = self.decide.least_contained()
            && !self.measure.may_contain(left, right, share)
        {
            return Verdict::new(false, share.next_down());
        }
        let comparison = match self.decide.floor() {
            Some(floor) => self.measure.measure_from(left, right, floor),
            None => self.measure.measure(left, right),
        };
        self.decide.decide(&comparison)
    }
}
