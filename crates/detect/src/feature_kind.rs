//! Kinds of features, so that parts that do not fit each other are found when a method is built.

use crate::Features;

/// What kind of features a representation makes and a signer or measure takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FeatureKind {
    /// [`Features::Set`].
    Set,
    /// [`Features::Weighted`].
    Weighted,
    /// [`Features::Sequence`].
    Sequence,
    /// [`Features::Paragraphs`].
    Paragraphs,
    /// [`Features::Several`] of these kinds.
    Several(Vec<Self>),
    /// [`Features::Terms`].
    Terms,
}

impl FeatureKind {
    /// Whether features of this kind are, or have among their views, some of another one.
    pub fn has(&self, kind: &Self) -> bool {
        match self {
            Self::Several(views) => views.contains(kind),
            only => only == kind,
        }
    }
}

impl Features {
    /// The kind of these features.
    pub fn kind(&self) -> FeatureKind {
        match self {
            Self::Set(_) => FeatureKind::Set,
            Self::Weighted(_) => FeatureKind::Weighted,
            Self::Sequence(_) => FeatureKind::Sequence,
            Self::Paragraphs(_) => FeatureKind::Paragraphs,
            Self::Several(views) => FeatureKind::Several(views.iter().map(Self::kind).collect()),
            Self::Terms(_) => FeatureKind::Terms,
        }
    }
}
