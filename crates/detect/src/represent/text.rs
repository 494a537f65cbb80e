//! The whole document as one feature: its bytes, its text or the sequence of its terms.
//!
//! Equal digests alone make two documents copies, so the digest is one for which nobody can write
//! two texts: SHA-256, cut to 128 bits.

use lookalike_text::{Document, Normalization, TokenizedDocument, visible};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::{DescribedFeature, FeatureKind, Features, Represent};

/// Separates terms in hashed text; no analyzer lets it into a term.
pub(crate) const TERM_SEPARATOR: u8 = 0x1f;

/// Stands before a text without terms, so that it is none that has them.
const WITHOUT_TERMS: u8 = 0x1e;

/// What two texts must have in common to be the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExactMatch {
    /// Every byte.
    Bytes,
    /// Every visible character, in Unicode's composed form; how much white space stands between
    /// words does not count.
    #[default]
    Text,
    /// The words: neither case nor punctuation counts. A text without words, such as one of emoji
    /// alone, is what stands between white space.
    Words,
}

/// The digest of a whole document, as two values; nothing for one without visible text.
#[derive(Debug)]
pub struct WholeText(pub ExactMatch);

/// Replaces `written` by what a text is compared by, unless that is its words; nothing if there is
/// nothing to see.
pub(crate) fn characters(text: &str, matching: ExactMatch, written: &mut Vec<u8>) {
    written.clear();
    if !text.contains(is_visible) {
        return;
    }
    if matching == ExactMatch::Bytes {
        written.extend_from_slice(text.as_bytes());
        return;
    }
    for run in Normalization::Nfc.of(&visible(text)).split_whitespace() {
        written.extend_from_slice(run.as_bytes());
        written.push(b' ');
    }
}

/// The digest of what a text is compared by.
pub(crate) fn digest_of_text(terms: &[u8]) -> [u64; 2] {
    let digest: [u8; 32] = Sha256::digest(terms).into();
    let (words, _) = digest.as_chunks();
    [u64::from_be_bytes(words[0]), u64::from_be_bytes(words[1])]
}

/// Writes what a text without terms is known by; nothing if there is nothing to see.
pub(crate) fn separated_symbols(text: &str, separated: &mut Vec<u8>) {
    separated.clear();
    if !text.contains(is_visible) {
        return;
    }
    for symbols in text.split_whitespace() {
        if separated.is_empty() {
            separated.push(WITHOUT_TERMS);
        }
        separated.extend_from_slice(symbols.as_bytes());
        separated.push(TERM_SEPARATOR);
    }
}

/// Whether a character can be seen: no blank, no control character, none of the marks that join,
/// separate or turn others.
fn is_visible(c: char) -> bool {
    let is_invisible_mark = matches!(
        c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180b}'..='\u{180e}' | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{e0000}'..='\u{e0fff}'
    );
    !(c.is_whitespace() || c.is_control() || is_invisible_mark)
}

impl Represent for WholeText {
    fn kind(&self) -> FeatureKind {
        FeatureKind::Sequence
    }

    fn represent(&self, document: &Document<'_>, tokens: &TokenizedDocument) -> Features {
        let mut written = Vec::new();
        if self.0 == ExactMatch::Words {
            for term in tokens.terms() {
                written.extend_from_slice(term.as_bytes());
                written.push(TERM_SEPARATOR);
            }
            if written.is_empty() {
                separated_symbols(document.text, &mut written);
            }
        } else {
            characters(document.text, self.0, &mut written);
        }
        if written.is_empty() {
            return Features::Sequence(Vec::new());
        }
        Features::Sequence(digest_of_text(&written).to_vec())
    }

    fn describe(
        &self,
        document: &Document<'_>,
        tokens: &TokenizedDocument,
    ) -> Vec<DescribedFeature> {
        let features = self.represent(document, tokens);
        let Features::Sequence(words) = features else { return Vec::new() };
        words
            .first()
            .map(|&feature| DescribedFeature {
                feature,
                text: format!("the whole text, {} terms", tokens.len()),
                weight: 1.0,
                place: 0..document.text.len(),
            })
            .into_iter()
            .collect()
    }
}
