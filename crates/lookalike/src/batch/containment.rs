//! Of two documents of which one contains the other, only the contained one may go.

use std::sync::LazyLock;

use lookalike_detect::DetectorConfig;
use lookalike_detect::decide::Relation;

use super::PairDetails;
use crate::catalog::Catalog;
use crate::cluster::Clustering;
use crate::{Config, ConfigError, KeepRule, RunError};

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
    /// one document contains the other. Then the longer one is kept, whatever the rule.
    pub fn effective_keep(&self) -> &KeepRule {
        match self.relation() {
            Relation::Contains => &LONGEST,
            Relation::Duplicate | Relation::Overlaps => &self.run.keep,
        }
    }

    /// Refuses a configuration whose pairs are no reason to remove a document.
    ///
    /// # Errors
    /// The relation is `overlaps`.
    pub fn check_removal(&self) -> Result<(), ConfigError> {
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

/// Takes documents out of their cluster that are not contained in its keeper.
///
/// The longer of two documents nearly always is the container and kept; where it is not, as when
/// its bytes are more but its paragraphs fewer, neither is removed.
pub fn release_containers(
    clustering: &mut Clustering,
    catalog: &Catalog,
    details: Option<&PairDetails>,
    config: &Config,
) -> Result<(), RunError> {
    if config.relation() != Relation::Contains {
        return Ok(());
    }
    let threshold = config.detector.threshold().unwrap_or(1.0);
    for document in catalog.documents() {
        let Some(membership) = clustering.membership(document) else { continue };
        let keeper = membership.keeper;
        let identities = catalog.identities();
        if keeper == document || identities[keeper.0 as usize] == identities[document.0 as usize] {
            continue;
        }
        let shown = details.map(|details| details.of(keeper, document)).transpose()?.flatten();
        let contained = shown.and_then(|(comparison, _)| comparison.containment);
        if contained.is_none_or(|(_, inside)| inside < threshold) {
            clustering.release(document);
        }
    }
    clustering.count_clusters();
    Ok(())
}
