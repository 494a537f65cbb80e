//! What a method sees of a document: without boilerplate, and as a reader does.

use lookalike_text::{Document, TokenizedDocument, VisibleText};

use super::{Detector, Scratch};
use crate::{DescribedFeature, Features, Represent};

impl Detector {
    /// Calls `look` with the document as the method shall see it.
    pub(super) fn seeing<T>(
        &self,
        document: &Document<'_>,
        look: impl FnOnce(&Document<'_>) -> T,
    ) -> T {
        let Some(boilerplate) = &self.boilerplate else { return look(document) };
        let text = boilerplate.mask(document.text);
        look(&Document { text: &text, whole_text: Some(document.text), ..*document })
    }

    /// The plain composition of analyzer and representation, the reference for a hot path.
    pub fn features_plainly(&self, document: &Document<'_>, scratch: &mut Scratch) -> Features {
        self.seeing(document, |document| self.represent_all(document, scratch))
    }

    fn represent_all(&self, document: &Document<'_>, scratch: &mut Scratch) -> Features {
        self.seeing_words(document, |document, seen| {
            self.analyzer.tokenize_seen_into(document.text, &mut scratch.tokens);
            let represent = |part: &dyn Represent| part.represent(document, &scratch.tokens);
            let mut views: Vec<Features> = self.views().map(represent).collect();
            let mut features = match views.len() {
                0 => represent(self.represent.as_ref()),
                1 => views.swap_remove(0),
                _ => Features::Several(views),
            };
            if let Some(seen) = seen {
                features.move_places(|place| seen.original(place));
            }
            features
        })
    }

    /// Calls `look` with the document as its reader sees it; the second argument leads from there
    /// back to the document's own text, where they differ.
    ///
    /// Words see through what is not displayed by themselves. Sentences and paragraphs do not.
    fn seeing_words<T>(
        &self,
        document: &Document<'_>,
        look: impl FnOnce(&Document<'_>, Option<&VisibleText>) -> T,
    ) -> T {
        let Some(seen) = self.analyzer.seen(document.text) else { return look(document, None) };
        let document = Document { text: seen.text(), ..*document };
        look(&document, Some(&seen))
    }

    /// What the signature rests on, in words.
    pub fn describe(&self, document: &Document<'_>) -> Vec<DescribedFeature> {
        self.seeing(document, |document| {
            self.seeing_words(document, |document, seen| {
                let mut tokens = TokenizedDocument::default();
                self.analyzer.tokenize_seen_into(document.text, &mut tokens);
                let mut described = self.represent.describe(document, &tokens);
                if let Some(seen) = seen {
                    for feature in &mut described {
                        feature.place = seen.original(feature.place.clone());
                    }
                }
                described
            })
        })
    }

    /// The features that the signature is made of, whatever confirms a pair.
    pub fn signed_features(&self, document: &Document<'_>, scratch: &mut Scratch) -> Features {
        self.seeing(document, |document| self.own_features(document, scratch))
    }

    /// What is signed, by the plain composition.
    pub(super) fn own_features(&self, document: &Document<'_>, scratch: &mut Scratch) -> Features {
        self.seeing_words(document, |document, seen| {
            self.analyzer.tokenize_seen_into(document.text, &mut scratch.tokens);
            let mut features = self.represent.represent(document, &scratch.tokens);
            if let Some(seen) = seen {
                features.move_places(|place| seen.original(place));
            }
            features
        })
    }
}
