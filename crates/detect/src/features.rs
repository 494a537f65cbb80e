//! What a representation extracts from a document.

use std::ops::Range;

/// A feature and its weight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WeightedFeature {
    /// The feature's hash.
    pub feature: u64,
    /// Its weight in this document.
    pub weight: f32,
}

/// One paragraph's fingerprint and where the paragraph stands in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParagraphFeature {
    /// The paragraph's fingerprint.
    pub fingerprint: u64,
    /// First byte of the paragraph in the original text.
    pub start: u32,
    /// One past the last byte of the paragraph in the original text.
    pub end: u32,
}

impl ParagraphFeature {
    /// Where the paragraph stands in the text.
    pub fn place(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// The features of one document.
///
/// A new kind of feature is a new variant here and a tag in [`Features::encode`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Features {
    /// A set: distinct hashes in ascending order.
    Set(Vec<u64>),
    /// A sparse vector, by ascending feature.
    Weighted(Vec<WeightedFeature>),
    /// Values in reading order that may repeat; what they mean is known to the signer.
    Sequence(Vec<u64>),
    /// Fingerprints of paragraphs with their places, in reading order.
    Paragraphs(Vec<ParagraphFeature>),
    /// Several views of the same document, for methods that combine them.
    Several(Vec<Features>),
    /// Retained terms.
    Terms(RetainedTerms),
}

/// The terms a signature rests on, and how many there were to choose from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RetainedTerms {
    /// How many distinct terms the document has.
    pub n_distinct: usize,
    /// The retained ones, in ascending Unicode order.
    pub terms: Vec<String>,
    /// All its terms of the secondary lexicon, the commonest first: randomized lexicons help
    /// themselves from them. Empty where the rule has no secondary lexicon.
    pub secondary: Vec<String>,
}

/// Views within views: those of a method, within those of several confirmations. What is nested
/// deeper was not written here, and could be nested deep enough to exhaust the stack.
const DEEPEST_VIEWS: usize = 2;

const SET: u64 = 0;
const WEIGHTED: u64 = 1;
const SEQUENCE: u64 = 2;
const SEVERAL: u64 = 3;
const TERMS: u64 = 4;
const PARAGRAPHS: u64 = 5;

impl Features {
    /// A set from hashes in any order, repeated or not.
    pub fn set(mut hashes: Vec<u64>) -> Self {
        hashes.sort_unstable();
        hashes.dedup();
        Self::Set(hashes)
    }

    /// The hashes of a set; empty for the other kinds, which a method that takes sets is never
    /// given: kinds are checked when it is built.
    pub fn as_set(&self) -> &[u64] {
        match self {
            Self::Set(hashes) => hashes,
            _ => &[],
        }
    }

    /// The values in reading order, also where they are one of several views; empty for the other
    /// kinds.
    pub fn as_sequence(&self) -> &[u64] {
        match self {
            Self::Sequence(values) => values,
            Self::Several(views) => views
                .iter()
                .map(Self::as_sequence)
                .find(|found| !found.is_empty())
                .unwrap_or_default(),
            _ => &[],
        }
    }

    /// The entries of a sparse vector; empty for the other kinds.
    pub fn as_weighted(&self) -> &[WeightedFeature] {
        match self {
            Self::Weighted(entries) => entries,
            _ => &[],
        }
    }

    /// The views, one where there are not several.
    pub fn views(&self) -> &[Self] {
        match self {
            Self::Several(views) => views,
            only => std::slice::from_ref(only),
        }
    }

    /// The paragraphs, also where they are one of several views; empty for the other kinds.
    pub fn as_paragraphs(&self) -> &[ParagraphFeature] {
        match self {
            Self::Paragraphs(paragraphs) => paragraphs,
            Self::Several(views) => views
                .iter()
                .map(Self::as_paragraphs)
                .find(|found| !found.is_empty())
                .unwrap_or_default(),
            _ => &[],
        }
    }

    /// Replaces the place of everything that has one.
    pub(crate) fn move_places(&mut self, moved: impl Fn(Range<usize>) -> Range<usize> + Copy) {
        match self {
            Self::Paragraphs(paragraphs) => {
                for paragraph in paragraphs {
                    let place = moved(paragraph.place());
                    (paragraph.start, paragraph.end) = (place.start as u32, place.end as u32);
                }
            }
            Self::Several(views) => views.iter_mut().for_each(|view| view.move_places(moved)),
            _ => {}
        }
    }

    /// How many features there are, all views together.
    pub fn len(&self) -> usize {
        match self {
            Self::Set(hashes) | Self::Sequence(hashes) => hashes.len(),
            Self::Weighted(entries) => entries.len(),
            Self::Paragraphs(paragraphs) => paragraphs.len(),
            Self::Several(views) => views.iter().map(Self::len).sum(),
            Self::Terms(retained) => retained.terms.len(),
        }
    }

    /// Whether there is no feature in any view.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// About how much memory they take.
    pub fn size_bytes(&self) -> usize {
        match self {
            Self::Set(hashes) | Self::Sequence(hashes) => hashes.len() * 8,
            Self::Weighted(entries) => size_of_val(entries.as_slice()),
            Self::Paragraphs(paragraphs) => size_of_val(paragraphs.as_slice()),
            Self::Several(views) => {
                size_of_val(views.as_slice()) + views.iter().map(Self::size_bytes).sum::<usize>()
            }
            Self::Terms(RetainedTerms { terms, secondary, .. }) => {
                let terms = terms.iter().chain(secondary);
                terms.map(|term| size_of::<String>() + term.len()).sum()
            }
        }
    }

    /// Appends the features to `words`, in the form [`Features::decode`] reads.
    pub fn encode(&self, words: &mut Vec<u64>) {
        match self {
            Self::Set(hashes) => encode_words(SET, hashes, words),
            Self::Sequence(hashes) => encode_words(SEQUENCE, hashes, words),
            Self::Weighted(entries) => {
                words.push(header(WEIGHTED, entries.len()));
                for entry in entries {
                    words.extend([entry.feature, u64::from(entry.weight.to_bits())]);
                }
            }
            Self::Paragraphs(paragraphs) => {
                words.push(header(PARAGRAPHS, paragraphs.len()));
                for paragraph in paragraphs {
                    let place = u64::from(paragraph.start) | u64::from(paragraph.end) << 32;
                    words.extend([paragraph.fingerprint, place]);
                }
            }
            Self::Several(views) => {
                words.push(header(SEVERAL, views.len()));
                for view in views {
                    view.encode(words);
                }
            }
            Self::Terms(retained) => retained.encode(words),
        }
    }

    /// Reads one encoded value off the front of `words`; `None` if they are not such a value.
    pub fn decode(words: &mut &[u64]) -> Option<Self> {
        Self::decode_nested(words, DEEPEST_VIEWS)
    }

    fn decode_nested(words: &mut &[u64], deepest: usize) -> Option<Self> {
        let (&first, rest) = words.split_first()?;
        *words = rest;
        let length = (first >> 8) as usize;
        match first & 0xff {
            SET => Some(Self::Set(take(words, length)?.to_vec())),
            SEQUENCE => Some(Self::Sequence(take(words, length)?.to_vec())),
            WEIGHTED => {
                let pairs = take(words, length.checked_mul(2)?)?;
                let entry = |pair: &[u64]| WeightedFeature {
                    feature: pair[0],
                    weight: f32::from_bits(pair[1] as u32),
                };
                Some(Self::Weighted(pairs.chunks_exact(2).map(entry).collect()))
            }
            PARAGRAPHS => {
                let pairs = take(words, length.checked_mul(2)?)?;
                let paragraph = |pair: &[u64]| ParagraphFeature {
                    fingerprint: pair[0],
                    start: pair[1] as u32,
                    end: (pair[1] >> 32) as u32,
                };
                Some(Self::Paragraphs(pairs.chunks_exact(2).map(paragraph).collect()))
            }
            SEVERAL => {
                let deepest = deepest.checked_sub(1)?;
                let views = (0..length).map(|_| Self::decode_nested(words, deepest));
                views.collect::<Option<_>>().map(Self::Several)
            }
            TERMS => RetainedTerms::decode(words, length).map(Self::Terms),
            _ => None,
        }
    }
}

impl RetainedTerms {
    /// The numbers of distinct and of secondary terms, then each retained and each secondary term
    /// as its length and its bytes in whole words.
    fn encode(&self, words: &mut Vec<u64>) {
        words.push(header(TERMS, self.terms.len()));
        words.extend([self.n_distinct as u64, self.secondary.len() as u64]);
        for term in self.terms.iter().chain(&self.secondary) {
            words.push(term.len() as u64);
            for chunk in term.as_bytes().chunks(8) {
                let mut word = [0; 8];
                word[..chunk.len()].copy_from_slice(chunk);
                words.push(u64::from_le_bytes(word));
            }
        }
    }

    fn decode(words: &mut &[u64], n_terms: usize) -> Option<Self> {
        let counts = take(words, 2)?;
        let (n_distinct, n_secondary) = (counts[0] as usize, counts[1] as usize);
        let terms = Self::decode_terms(words, n_terms)?;
        let secondary = Self::decode_terms(words, n_secondary)?;
        Some(Self { n_distinct, terms, secondary })
    }

    fn decode_terms(words: &mut &[u64], n_terms: usize) -> Option<Vec<String>> {
        let mut terms = Vec::new();
        for _ in 0..n_terms {
            let length = take(words, 1)?[0] as usize;
            let text = take(words, length.div_ceil(8))?;
            let mut bytes: Vec<u8> = text.iter().flat_map(|word| word.to_le_bytes()).collect();
            bytes.truncate(length);
            terms.push(String::from_utf8(bytes).ok()?);
        }
        Some(terms)
    }
}

fn header(tag: u64, length: usize) -> u64 {
    tag | (length as u64) << 8
}

fn encode_words(tag: u64, values: &[u64], words: &mut Vec<u64>) {
    words.push(header(tag, values.len()));
    words.extend_from_slice(values);
}

fn take<'a>(words: &mut &'a [u64], length: usize) -> Option<&'a [u64]> {
    let (head, tail) = words.split_at_checked(length)?;
    *words = tail;
    Some(head)
}
