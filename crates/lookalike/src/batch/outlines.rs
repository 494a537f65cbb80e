//! Outlines of documents in crowds.
//!
//! Where a document has very many candidates, nearly all of them fail. An outline is small enough to
//! be kept for all of a crowd and tells most failures without their features.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use lookalike_detect::FeatureRule;
use lookalike_index::DocumentId;

use super::features::FeatureStore;
use super::glances::Glances;
use crate::RunError;

/// What an outline takes beside its words.
const OVERHEAD_BYTES: usize = 32;
/// As much as the largest outline takes.
const ROOM_FOR_ONE: usize = 8 * (515 + 33) + OVERHEAD_BYTES;

/// Outlines by document, made when they are asked for.
#[derive(Debug)]
pub struct Outlines {
    n_documents: usize,
    kept: OnceLock<Vec<OnceLock<Box<[u64]>>>>,
    /// None where they would take more than half of the memory.
    glances: OnceLock<Option<Glances>>,
    bytes_left: AtomicUsize,
}

impl Outlines {
    /// None yet, for documents below a number; those that do not fit `memory_bytes` are made anew
    /// whenever they are needed.
    pub fn new(n_documents: usize, memory_bytes: usize) -> Self {
        Self {
            n_documents,
            kept: OnceLock::new(),
            glances: OnceLock::new(),
            bytes_left: AtomicUsize::new(memory_bytes),
        }
    }

    /// The outline of a document whose features were collected; `room` holds it where there is no
    /// memory to keep it.
    pub fn of<'a>(
        &'a self,
        document: DocumentId,
        rule: FeatureRule<'_>,
        store: &FeatureStore,
        room: &'a mut Vec<u64>,
    ) -> Result<&'a [u64], RunError> {
        let empty = || (0..self.n_documents).map(|_| OnceLock::new()).collect();
        let place = self.kept.get_or_init(empty).get(document.0 as usize);
        if let Some(kept) = place.and_then(OnceLock::get) {
            return Ok(kept);
        }
        room.clear();
        rule.push_outline(&*store.read(document)?, room);
        if let Some(glances) = self.glances.get_or_init(|| self.room_for_glances()) {
            glances.note(document, rule, room);
        }
        match place.filter(|_| self.has_room(8 * room.len() + OVERHEAD_BYTES)) {
            Some(place) => Ok(place.get_or_init(|| room.as_slice().into())),
            None => Ok(room),
        }
    }

    /// Whether what is seen of two documents at a glance excludes that they are duplicates.
    pub fn exclude_at_a_glance(&self, rule: FeatureRule<'_>, documents: [DocumentId; 2]) -> bool {
        let glances = self.glances.get().and_then(Option::as_ref);
        glances.is_some_and(|glances| glances.exclude(rule, documents))
    }

    /// The same for many documents beside one, each in its place.
    pub fn exclude_all_at_a_glance(
        &self,
        rule: FeatureRule<'_>,
        left: DocumentId,
        others: &[DocumentId],
        excluded: &mut [bool],
    ) {
        if let Some(glances) = self.glances.get().and_then(Option::as_ref) {
            glances.exclude_all(rule, left, others, excluded);
        }
    }

    fn room_for_glances(&self) -> Option<Glances> {
        let bytes = Glances::bytes(self.n_documents);
        let fits = 2 * bytes <= self.bytes_left.load(Ordering::Relaxed) && self.has_room(bytes);
        fits.then(|| Glances::new(self.n_documents))
    }

    /// The same as [`Self::of`], but nothing where there is no memory to keep one: to make it anew each time takes
    /// longer than to compare features.
    pub fn kept(
        &self,
        document: DocumentId,
        rule: FeatureRule<'_>,
        store: &FeatureStore,
    ) -> Result<Option<&[u64]>, RunError> {
        let place = self.kept.get().and_then(|kept| kept.get(document.0 as usize));
        if let Some(kept) = place.and_then(OnceLock::get) {
            return Ok(Some(kept));
        }
        if self.bytes_left.load(Ordering::Relaxed) < ROOM_FOR_ONE {
            return Ok(None);
        }
        let mut room = Vec::new();
        self.of(document, rule, store, &mut room)?;
        Ok(self
            .kept
            .get()
            .and_then(|kept| kept.get(document.0 as usize)?.get())
            .map(|kept| &**kept))
    }

    /// Takes so many bytes, if there are so many.
    fn has_room(&self, bytes: usize) -> bool {
        let take = |left: usize| left.checked_sub(bytes);
        self.bytes_left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_ok()
    }
}
