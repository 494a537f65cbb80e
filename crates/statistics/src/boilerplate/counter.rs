//! First pass: how many documents have each paragraph, and where it mostly stands.

use hashbrown::HashMap;

use super::{BoilerplateExaminer, PlacedParagraph};

/// What counts as boilerplate, and what may be spent on finding it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoilerplateOptions {
    /// The least number of otherwise different documents.
    pub min_documents: usize,
    /// The least share of a paragraph's documents that have it at one place, above a half.
    pub fixed_share: f64,
    /// Paragraphs held in memory at once; past it the rarest are forgotten.
    pub max_paragraphs: usize,
}

impl Default for BoilerplateOptions {
    fn default() -> Self {
        Self { min_documents: 10, fixed_share: 0.6, max_paragraphs: 8 << 20 }
    }
}

/// The value that most votes are for, if it has more than half of them (Boyer and Moore 1981).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Majority {
    pub value: u32,
    pub lead: u32,
}

impl Majority {
    fn vote(&mut self, value: u32) {
        if self.lead == 0 {
            *self = Self { value, lead: 1 };
        } else if self.value == value {
            self.lead += 1;
        } else {
            self.lead -= 1;
        }
    }

    /// Whether the value can have this share of `n` votes: the share s leaves a lead of at least
    /// (2s - 1) n.
    fn can_have(self, share: f64, n: u32) -> bool {
        f64::from(self.lead) >= (2.0 * share - 1.0) * f64::from(n)
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Counted {
    n_documents: u32,
    from_start: Majority,
    from_end: Majority,
}

/// Counts the documents of every paragraph.
#[derive(Debug)]
pub struct ParagraphCounter {
    options: BoilerplateOptions,
    counted: HashMap<u64, Counted>,
    n_documents: u64,
    /// How many documents of a paragraph may have been forgotten.
    forgotten: u32,
}

impl ParagraphCounter {
    /// A counter with nothing in it.
    pub fn new(options: BoilerplateOptions) -> Self {
        Self { options, counted: HashMap::new(), n_documents: 0, forgotten: 0 }
    }

    /// Counts one document, given as its [`super::placed_paragraphs`].
    pub fn add(&mut self, paragraphs: &[PlacedParagraph]) {
        self.n_documents += 1;
        for (hash, from_start, from_end) in distinct(paragraphs) {
            let counted = self.counted.entry(hash).or_default();
            counted.n_documents += 1;
            counted.from_start.vote(from_start);
            counted.from_end.vote(from_end);
        }
        while self.counted.len() > self.options.max_paragraphs {
            self.forget_rarest();
        }
    }

    /// Forgets the paragraphs that no more documents have than were forgotten before, as lossy
    /// counting does (Manku and Motwani 2002).
    fn forget_rarest(&mut self) {
        self.forgotten += 1;
        let rarest = self.forgotten;
        self.counted.retain(|_, counted| counted.n_documents > rarest);
    }

    /// Ends the first pass.
    pub fn examine(self) -> BoilerplateExaminer {
        let Self { options, counted, n_documents, forgotten } = self;
        let is_candidate = |counted: &Counted| {
            let n = counted.n_documents;
            n as usize >= options.min_documents
                && (counted.from_start.can_have(options.fixed_share, n)
                    || counted.from_end.can_have(options.fixed_share, n))
        };
        let candidates = counted
            .into_iter()
            .filter(|(_, counted)| is_candidate(counted))
            .map(|(hash, counted)| (hash, counted.from_start.value, counted.from_end.value));
        BoilerplateExaminer::new(options, n_documents, forgotten, candidates)
    }
}

/// Each paragraph once: its first place from the start, its last place from the end.
pub(super) fn distinct(paragraphs: &[PlacedParagraph]) -> Vec<(u64, u32, u32)> {
    let mut places: Vec<(u64, u32, u32)> =
        paragraphs.iter().map(|p| (p.hash, p.from_start, p.from_end)).collect();
    places.sort_unstable();
    places.dedup_by(|later, first| {
        let same = later.0 == first.0;
        if same {
            first.2 = first.2.min(later.2);
        }
        same
    });
    places
}
