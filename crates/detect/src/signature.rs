//! Signatures and the keys under which they are found.

/// A document's signature as 64-bit words; only its signer knows what the words mean.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Signature(pub Vec<u64>);

/// A bucket: two documents that share no key are never compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BucketKey(pub u64);

/// Why a document has no signature; such a document matches nothing and is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Rejection {
    /// No term at all was found.
    Empty,
    /// Fewer features than the method needs.
    TooShort,
    /// Fewer spots than a decision on a text of its length can rest on.
    FewSpots,
    /// The retention rule or lexicon kept no term.
    NothingRetained,
    /// The lexicon kept fewer terms than the smallest signature allowed.
    FewRetained,
    /// The lexicon kept too small a share of the document's terms.
    SmallShareRetained,
}

impl Rejection {
    /// Every reason there is; their order is that of numbers in files.
    pub const ALL: [Self; 6] = [
        Self::Empty,
        Self::TooShort,
        Self::NothingRetained,
        Self::FewRetained,
        Self::SmallShareRetained,
        Self::FewSpots,
    ];

    /// The name under which the reason is counted in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::TooShort => "too_short",
            Self::FewSpots => "few_spots",
            Self::NothingRetained => "nothing_retained",
            Self::FewRetained => "few_retained",
            Self::SmallShareRetained => "small_share_retained",
        }
    }
}

impl std::fmt::Display for Rejection {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Empty => "the document has no term",
            Self::TooShort => "the document has fewer features than the method needs",
            Self::FewSpots => "the document has too few spots for its length",
            Self::NothingRetained => "the lexicon keeps no term of the document",
            Self::FewRetained => "the lexicon keeps too few terms of the document",
            Self::SmallShareRetained => {
                "the lexicon keeps too small a share of the document's terms"
            }
        })
    }
}

impl std::error::Error for Rejection {}
