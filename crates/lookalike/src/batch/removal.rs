//! What may be removed: nothing that says much that the document in its place does not.

use std::sync::LazyLock;

use lookalike_detect::DetectorConfig;
use lookalike_detect::decide::Relation;

use lookalike_index::{KeepOrder, Place};

use super::judge::BatchJudge;
use crate::cluster::{ClusterRule, Clustering};
use crate::{Config, ConfigError, KeepRule, RunError};

/// The least share of a removed document's words that stand in the one that is kept, where nothing
/// else is said. Chosen on collections with labels (docs/results/decisions.md).
const ACCOUNTED: f64 = 0.7;
/// The same for methods that are asked about stories: a page may say more around its own.
const ACCOUNTED_OF_STORY: f64 = 0.65;

/// The container is the longer one.
static LONGEST: LazyLock<KeepRule> = LazyLock::new(KeepRule::longest);

impl Config {
    /// What the method must find two documents to be to each other, for methods that know several
    /// relations.
    pub fn relation(&self) -> Relation {
        match &self.detector {
            DetectorConfig::Paragraph(paragraph) => paragraph.relation,
            _ => Relation::Duplicate,
        }
    }

    /// The rule by which documents are kept: that of the configuration, unless a pair means that
    /// one document contains the other and the rule would keep the shorter one.
    pub fn effective_keep(&self) -> &KeepRule {
        match self.relation() {
            Relation::Contains if !self.run.keep.prefers_longest() => &LONGEST,
            _ => &self.run.keep,
        }
    }

    /// Sets the rule that the relation implies.
    ///
    /// # Errors
    /// A rule was `given` by which what is contained would be kept and its container removed.
    pub(crate) fn with_implied_keep(mut self, given: bool) -> Result<Self, ConfigError> {
        let keeps = self.effective_keep().clone();
        if given && keeps != self.run.keep {
            return Err(ConfigError::Invalid(format!(
                "keep = `{}` does not go with relation = `contains`: the document that contains the \
                 other is kept, which is the longer one; leave out keep, or begin it with longest",
                self.run.keep
            )));
        }
        self.run.keep = keeps;
        Ok(self)
    }

    /// The least share of a document's words that must stand in the one that is kept in its place,
    /// where that is asked: by the configuration, or by the relation `contains`.
    pub fn guard(&self) -> Option<f64> {
        let contained = || {
            let is_containment = self.relation() == Relation::Contains;
            self.detector.threshold().filter(|_| is_containment)
        };
        self.run.accounted.or_else(contained).filter(|share| *share > 0.0)
    }

    /// Whether the guard may leave out the frames of sites: for a method that is asked about stories,
    /// whatever pages they stand on.
    pub(super) fn leaves_out_frames(&self) -> bool {
        self.guard().is_some() && matches!(self.detector, DetectorConfig::Spotsigs(_))
    }

    /// The configuration for a run that removes documents: guarded, unless it says itself how.
    ///
    /// # Errors
    /// Its pairs are no reason to remove a document: the relation is `overlaps`.
    pub fn for_removal(mut self) -> Result<Self, ConfigError> {
        self.check_removal()?;
        if self.guard().is_none() && self.run.accounted.is_none() && !self.weighs_all_words() {
            let of_story = matches!(self.detector, DetectorConfig::Spotsigs(_));
            self.run.accounted = Some(if of_story { ACCOUNTED_OF_STORY } else { ACCOUNTED });
        }
        Ok(self)
    }

    /// Whether the method's own verdict weighs all words of both texts, in runs: equal texts, and texts
    /// of which more than half of all runs are common.
    fn weighs_all_words(&self) -> bool {
        match &self.detector {
            DetectorConfig::Exact(_) => true,
            DetectorConfig::Minhash(minhash) => minhash.ngram > 1 && minhash.threshold >= 0.5,
            _ => false,
        }
    }

    /// Refuses a configuration whose pairs are no reason to remove a document.
    fn check_removal(&self) -> Result<(), ConfigError> {
        if self.relation() == Relation::Overlaps {
            return Err(ConfigError::Invalid(
                "relation = `overlaps` is no ground for removal: two documents that share some \
                 paragraphs each say things that the other does not; use `find` to list them, or \
                 relation = `contains` to remove what stands inside another document"
                    .into(),
            ));
        }
        Ok(())
    }
}

/// Takes documents out of their cluster that are connected with its keeper only through others, and
/// that it does not account for.
pub fn release_unaccounted(
    clustering: &mut Clustering,
    order: &KeepOrder,
    judge: &BatchJudge<'_>,
    config: &Config,
) -> Result<(), RunError> {
    let Some(line) = config.guard().filter(|_| config.run.cluster == ClusterRule::Components)
    else {
        return Ok(());
    };
    for place in (0..order.len() as u32).map(Place) {
        let document = order.document(place);
        let Some(membership) = clustering.membership(document) else { continue };
        if membership.keeper == document || membership.score.is_some() {
            continue;
        }
        let accounted = judge.accounted(membership.keeper, document)?;
        if accounted.is_some_and(|share| share < line) {
            clustering.release(document);
            for &(_, copy) in order.copies_of(place) {
                clustering.release(copy);
            }
        }
    }
    clustering.count_clusters();
    Ok(())
}
