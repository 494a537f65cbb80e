//! What a crowd has in common, in words.

use std::ops::Range;

use hashbrown::HashSet;
use lookalike_corpus::{Corpus, OwnedDocument};
use lookalike_detect::{DescribedFeature, Detector};
use lookalike_index::DocumentId;

use crate::cluster::{Crowd, JoinCounts};
use crate::report::CrowdReport;

/// Characters of the text that are told.
const TOLD_CHARACTERS: usize = 120;

/// What skipped comparisons may have cost; `None` where none was skipped.
pub fn crowd_report(counts: &JoinCounts, text: Option<String>) -> Option<CrowdReport> {
    if counts.skipped_comparisons == 0 {
        return None;
    }
    let lost = counts.missing_pairs;
    let share = lost as f64 / (lost + counts.confirmed_pairs).max(1) as f64;
    Some(CrowdReport { lost_pairs: lost, lost_share: (share * 1e3).round() / 1e3, text })
}

/// The longest stretch of a crowded document that another one of the crowd shares.
pub fn crowd_text(corpora: &[&Corpus], detector: &Detector, crowd: Crowd) -> Option<String> {
    let [left, right] = read(corpora, [crowd.document, crowd.candidate])?;
    let of_right: HashSet<u64> =
        detector.describe(&right.document()).iter().map(|feature| feature.feature).collect();
    let mut shared = detector.describe(&left.document());
    shared.retain(|feature| of_right.contains(&feature.feature));
    let place = longest_stretch(shared)?;
    let words: Vec<&str> = left.text.get(place)?.split_whitespace().collect();
    let mut text: String = words.join(" ");
    if let Some((end, _)) = text.char_indices().nth(TOLD_CHARACTERS) {
        text.truncate(end);
        text.push('…');
    }
    Some(text)
}

/// Where features follow each other, as the words of a template do.
fn longest_stretch(mut features: Vec<DescribedFeature>) -> Option<Range<usize>> {
    features.sort_by_key(|feature| feature.place.start);
    let mut stretches: Vec<Range<usize>> = Vec::new();
    for place in features.into_iter().map(|feature| feature.place) {
        match stretches.last_mut() {
            // Shingles overlap; words have a blank or a comma between them.
            Some(stretch) if place.start <= stretch.end + 2 => {
                stretch.end = stretch.end.max(place.end);
            }
            _ => stretches.push(place),
        }
    }
    // Of equally long ones the first.
    stretches.into_iter().rev().max_by_key(Range::len)
}

fn read(corpora: &[&Corpus], wanted: [DocumentId; 2]) -> Option<[OwnedDocument; 2]> {
    let mut found = [None, None];
    let mut first = 0;
    for corpus in corpora {
        let mut rows = 0;
        for block in corpus.blocks() {
            rows += block.n_rows() as u64;
            let number = |ordinal: u64| DocumentId((first + ordinal) as u32);
            let is_wanted = |ordinal| wanted.contains(&number(ordinal));
            block.visit_selected(is_wanted, |row| {
                let place = wanted.iter().position(|document| *document == number(row.ordinal));
                if let (Some(place), Ok(document)) = (place, &row.content) {
                    found[place] = Some(OwnedDocument::from(document));
                }
            });
        }
        first += rows;
    }
    let [Some(left), Some(right)] = found else { return None };
    Some([left, right])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Artifacts, Config, build_detector};

    #[test]
    fn the_text_of_a_crowd_is_the_longest_that_two_of_it_share() {
        let page =
            |own: &str| format!("{own} Subscribe to our letter,\nand never miss a day. {own}");
        let corpora = [
            Corpus::from_documents([page("fog at sea"), page("apricots ripen early")]),
            Corpus::from_documents([page("the mayor of Lindholm resigned")]),
        ];
        let config = Config::from_table(toml::toml! { ngram = 3 }).unwrap();
        let detector = build_detector(&config, &Artifacts::default()).unwrap();
        let crowd = Crowd { document: DocumentId(0), candidate: DocumentId(2), skipped: 1 };
        let text = crowd_text(&corpora.each_ref(), &detector, crowd);
        assert_eq!(text.as_deref(), Some("Subscribe to our letter, and never miss a day"));
    }

    #[test]
    fn what_was_lost_is_told_with_its_share() {
        let counts = JoinCounts {
            confirmed_pairs: 60,
            skipped_comparisons: 1000,
            missing_pairs: 40,
            ..JoinCounts::default()
        };
        let report = crowd_report(&counts, None).unwrap();
        assert_eq!((report.lost_pairs, report.lost_share), (40, 0.4));
        assert_eq!(crowd_report(&JoinCounts::default(), None), None);
    }
}
