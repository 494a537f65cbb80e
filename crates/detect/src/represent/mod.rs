//! Document → features, one file a representation.

pub mod learned;

mod distinct_terms;
mod hash_set;
mod lexicon;
mod pair_views;
mod paragraphs;
mod retained;
mod retention;
mod runs;
mod selected;
mod sentences;
mod several;
mod shingles;
mod spots;
mod text;
mod top_terms;
mod unnumbered;
mod weighted;
mod word_counts;
mod word_set;

pub use distinct_terms::DistinctTerms;
pub use hash_set::sorted_set;
pub(crate) use lexicon::needed_terms;
#[cfg(test)]
pub(crate) use lexicon::tests as lexicon_fixture;
pub use lexicon::{DocumentTerm, Lexicon, Retained};
pub use pair_views::PairViews;
pub use paragraphs::{KeywordSource, ParagraphFingerprints, SentenceWeights};
pub use retained::Retain;
pub use retention::RetentionRule;
pub(crate) use runs::runs_of;
pub use runs::{RUN, WordRuns};
pub use selected::SelectedShingles;
pub use sentences::LongSentences;
pub use several::SeveralViews;
pub use shingles::{WordShingles, shingle_from, shingle_hash, shingle_in_place, word_hashes};
pub use spots::Spots;
pub use text::{ExactMatch, WholeText};
pub(crate) use text::{TERM_SEPARATOR, characters, digest_of_text, separated_symbols};
pub use top_terms::{Level, TopTerms};
pub use weighted::{WeightedGrams, Weighting};
pub use word_set::WordSet;
