//! The file of a collection's statistics.
//!
//! Version 1, all numbers little-endian:
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `LOOKSTAT` |
//! | 4 | format version |
//! | 4 | 1 if texts of terms follow, else 0 |
//! | 8 | documents, N |
//! | 8 | tokens |
//! | 8 | terms, n |
//! | 8 | length of the analyzer's configuration, a |
//! | 8 | length of all texts, t; 0 without texts |
//! | a | the analyzer's configuration as JSON |
//! | 8 n | hashes of the terms ([`lookalike_text::term_hash`]), ascending |
//! | 4 n | document frequencies in the same order, none 0 |
//! | 4 n | lengths of the texts in the same order, where texts follow |
//! | t | the texts, UTF-8 |
//! | 8 | XXH3-64 of all bytes before |
//!
//! Terms stand in the order of the table in memory, so that reading is one linear pass without a
//! single look-up.

use std::sync::OnceLock;

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::table::{Slot, TermTable};
use crate::term_text::TermTexts;
use crate::{Statistics, StatisticsError};

/// The version of the file format that this program writes and reads; raised too where the same text
/// has other words than before.
pub const FORMAT_VERSION: u32 = 2;

const MAGIC: &[u8; 8] = b"LOOKSTAT";
const HEADER_LENGTH: usize = 56;
const CHECKSUM_LENGTH: usize = 8;

impl Statistics {
    /// The statistics as the bytes of a file; the same content gives the same bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let analyzer = self.analyzer_json();
        let texts: Vec<&str> =
            self.table.iter().filter_map(|slot| self.texts.text(slot.text)).collect();
        // All or none: texts of only some terms are no lexicon.
        let texts = if texts.len() == self.n_terms() { texts } else { Vec::new() };
        let text_length: usize = texts.iter().map(|text| text.len()).sum();

        let mut bytes = Vec::with_capacity(
            HEADER_LENGTH + analyzer.len() + self.n_terms() * 16 + text_length + CHECKSUM_LENGTH,
        );
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&FORMAT_VERSION.to_le_bytes());
        bytes.extend_from_slice(&u32::from(!texts.is_empty()).to_le_bytes());
        let lengths = [self.n_terms() as u64, analyzer.len() as u64, text_length as u64];
        for number in [self.n_documents, self.n_tokens].into_iter().chain(lengths) {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        bytes.extend_from_slice(analyzer.as_bytes());
        for slot in self.table.iter() {
            bytes.extend_from_slice(&slot.hash.to_le_bytes());
        }
        for slot in self.table.iter() {
            bytes.extend_from_slice(&slot.frequency.to_le_bytes());
        }
        for text in &texts {
            bytes.extend_from_slice(&(text.len() as u32).to_le_bytes());
        }
        for text in &texts {
            bytes.extend_from_slice(text.as_bytes());
        }
        let checksum = xxh3_64(&bytes);
        bytes.extend_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// Reads the bytes that [`Statistics::to_bytes`] wrote.
    ///
    /// # Errors
    /// Bytes of another kind or version, cut short, or changed since they were written.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, StatisticsError> {
        let header = Header::read(bytes)?;
        let (content, checksum) = bytes.split_at(bytes.len() - CHECKSUM_LENGTH);
        if xxh3_64(content).to_le_bytes() != checksum {
            return Err(StatisticsError::Checksum);
        }
        let (analyzer, rest) = content[HEADER_LENGTH..].split_at(header.analyzer_length);
        let (hashes, rest) = rest.split_at(header.n_terms * 8);
        let (frequencies, rest) = rest.split_at(header.n_terms * 4);
        let analyzer = serde_json::from_slice(analyzer)
            .map_err(|error| StatisticsError::Content(error.to_string()))?;
        let texts =
            if header.has_texts { read_texts(rest, header.n_terms)? } else { TermTexts::default() };

        let mut is_ascending = true;
        let mut previous = None;
        let entries =
            words(hashes).zip(halves(frequencies)).zip(1..).map(|((hash, frequency), number)| {
                is_ascending &= previous < Some(hash) && frequency > 0;
                previous = Some(hash);
                Slot { hash, frequency, text: if header.has_texts { number } else { 0 } }
            });
        let table = TermTable::from_ascending(header.n_terms, entries);
        if !is_ascending || table.len() != header.n_terms {
            return Err(StatisticsError::Content("its terms are out of order".into()));
        }
        let Header { n_documents, n_tokens, .. } = header;
        Ok(Self { analyzer, n_documents, n_tokens, table, texts, fingerprint: OnceLock::new() })
    }

    /// A hash of everything that decides an answer: documents, analyzer, terms and frequencies.
    ///
    /// Signatures and indexes record it, and refuse to be mixed where it differs.
    pub fn fingerprint(&self) -> u64 {
        *self.fingerprint.get_or_init(|| {
            let mut hasher = Xxh3::new();
            hasher.update(&self.n_documents.to_le_bytes());
            hasher.update(self.analyzer_json().as_bytes());
            // Many terms at a time: each by itself takes longer than its bytes.
            let mut bytes = Vec::with_capacity(HASHED_BYTES + 16);
            for slot in self.table.iter() {
                if bytes.len() >= HASHED_BYTES {
                    hasher.update(&bytes);
                    bytes.clear();
                }
                bytes.extend_from_slice(&slot.hash.to_le_bytes());
                bytes.extend_from_slice(&slot.frequency.to_le_bytes());
            }
            hasher.update(&bytes);
            hasher.digest()
        })
    }

    pub(crate) fn analyzer_json(&self) -> String {
        // A struct of plain fields: there is nothing that could fail to be written.
        serde_json::to_string(&self.analyzer).unwrap_or_default()
    }
}

/// Bytes that are hashed at once.
const HASHED_BYTES: usize = 4096;

struct Header {
    has_texts: bool,
    n_documents: u64,
    n_tokens: u64,
    n_terms: usize,
    analyzer_length: usize,
}

impl Header {
    /// Reads the header and checks that the file is as long as it says.
    fn read(bytes: &[u8]) -> Result<Self, StatisticsError> {
        let found = bytes.len() as u64;
        if !bytes.starts_with(MAGIC) {
            return Err(StatisticsError::NotStatistics);
        }
        let Some(header) = bytes.get(8..HEADER_LENGTH) else {
            return Err(StatisticsError::Length { found, expected: HEADER_LENGTH as u64 });
        };
        let mut halves_of_first = halves(&header[..8]);
        let version = halves_of_first.next().unwrap_or_default();
        if version != FORMAT_VERSION {
            return Err(StatisticsError::Version { found: version, expected: FORMAT_VERSION });
        }
        let has_texts = halves_of_first.next() == Some(1);
        let mut numbers = words(&header[8..]);
        let mut number = || numbers.next().unwrap_or_default();
        let (n_documents, n_tokens, n_terms) = (number(), number(), number());
        let (analyzer_length, text_length) = (number(), number());

        let bytes_a_term = if has_texts { 16 } else { 12 };
        let fixed = (HEADER_LENGTH + CHECKSUM_LENGTH) as u128;
        let expected = fixed
            + u128::from(n_terms) * bytes_a_term
            + u128::from(analyzer_length)
            + u128::from(text_length);
        if u128::from(found) != expected {
            let expected = u64::try_from(expected).unwrap_or(u64::MAX);
            return Err(StatisticsError::Length { found, expected });
        }
        let (n_terms, analyzer_length) = (n_terms as usize, analyzer_length as usize);
        Ok(Self { has_texts, n_documents, n_tokens, n_terms, analyzer_length })
    }
}

fn read_texts(bytes: &[u8], n_terms: usize) -> Result<TermTexts, StatisticsError> {
    let unreadable = || StatisticsError::Content("its texts are cut wrongly".into());
    let (lengths, text) = bytes.split_at(n_terms * 4);
    let mut rest = std::str::from_utf8(text).map_err(|_| unreadable())?;
    let mut texts = TermTexts::default();
    for length in halves(lengths) {
        let (term, after) = rest.split_at_checked(length as usize).ok_or_else(unreadable)?;
        texts.push(term);
        rest = after;
    }
    Ok(texts)
}

/// The 64-bit numbers in `bytes`.
fn words(bytes: &[u8]) -> impl Iterator<Item = u64> {
    bytes.as_chunks().0.iter().map(|chunk| u64::from_le_bytes(*chunk))
}

/// The 32-bit numbers in `bytes`.
fn halves(bytes: &[u8]) -> impl Iterator<Item = u32> {
    bytes.as_chunks().0.iter().map(|chunk| u32::from_le_bytes(*chunk))
}

#[cfg(test)]
mod tests {
    use lookalike_text::{Analyzer, AnalyzerConfig};

    use super::*;
    use crate::StatisticsBuilder;

    fn sample(builder: StatisticsBuilder) -> Statistics {
        let mut builder = builder;
        let analyzer = Analyzer::new(&AnalyzerConfig::default()).unwrap();
        for text in ["one two three", "zwei drei vier", "two drei: два слова"] {
            builder.add_text(&analyzer, text);
        }
        builder.finish()
    }

    fn new() -> StatisticsBuilder {
        StatisticsBuilder::new(AnalyzerConfig::default())
    }

    #[test]
    fn statistics_survive_their_file() {
        for statistics in [sample(new()), sample(new().with_terms()), Statistics::default()] {
            let bytes = statistics.to_bytes();
            let read = Statistics::from_bytes(&bytes).unwrap();
            assert_eq!(read.to_bytes(), bytes);
            assert_eq!(read.fingerprint(), statistics.fingerprint());
            assert_eq!(read.iter().collect::<Vec<_>>(), statistics.iter().collect::<Vec<_>>());
        }
    }

    #[test]
    fn texts_do_not_change_the_fingerprint() {
        let (with, without) = (sample(new().with_terms()), sample(new()));
        assert_eq!(with.fingerprint(), without.fingerprint());
        let read = Statistics::from_bytes(&with.to_bytes()).unwrap();
        assert_eq!(read.term(lookalike_text::term_hash("слова")), Some("слова"));
        assert_eq!(without.term(lookalike_text::term_hash("слова")), None);
    }

    #[test]
    fn every_cut_and_every_changed_byte_is_refused() {
        let bytes = sample(new().with_terms()).to_bytes();
        for length in 0..bytes.len() {
            assert!(Statistics::from_bytes(&bytes[..length]).is_err(), "cut at {length}");
        }
        for position in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[position] ^= 0x10;
            assert!(Statistics::from_bytes(&changed).is_err(), "changed at {position}");
        }
    }

    #[test]
    fn refusals_say_what_to_do() {
        let refusal = |bytes: &[u8]| Statistics::from_bytes(bytes).unwrap_err().to_string();
        assert!(refusal(b"{\"id\": 1}").contains("lookalike stats"));
        let mut bytes = sample(new()).to_bytes();
        assert!(refusal(&bytes[..100]).contains("copy it again"));
        bytes[8] = 9;
        assert!(refusal(&bytes).contains("format version 9"));
    }
}
