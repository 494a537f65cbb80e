//! Tables III and IV of the 2002 paper: edited copies hidden in a collection.
//!
//! Documents of average length each get edited copies. A copy is found when it shares a cluster
//! with another document of its family; one cluster a family would be perfect. The paper's
//! collection may have held real copies of the chosen documents; here such documents are passed
//! over, so that every match outside the family is a false one.

use lookalike::PreparedCollection;
use lookalike_learn::compare::ComparedMethod;
use lookalike_learn::{Cell, Collection, LabelledText, LearnError, Outcome, Table, join};
use std::time::Instant;

use lookalike_detect::random::SplitMix64;
use lookalike_detect::represent::RetentionRule;
use lookalike_detect::{DetectError, DetectorConfig};
use lookalike_text::{Analyzer, AnalyzerConfig};

use super::imatch::with_rule;
use crate::LabError;
use crate::perturb::{ContrivedEdits, EditCounts};
use crate::truth::{SetIndex, SetMeasure, sets_of_terms};

/// A chosen document has no neighbor of this binary cosine or more in the collection.
const REAL_COPY_COSINE: f64 = 0.7;

/// Section 4.1 of the paper: thresholds of DSC beside 0.5, which is its default here, and super
/// shingles of four beside two.
const SHINGLING_OF_THE_PAPER: &[&str] = &[
    "dsc:threshold=0.6",
    "dsc:threshold=0.7",
    "dsc:threshold=0.8",
    "dsc:threshold=0.9",
    "dsc-ss:run=4",
];

/// How the copies are made and which methods look for them.
#[derive(Clone, Debug)]
pub struct ContrivedOptions {
    /// How many documents are copied.
    pub originals: usize,
    /// How many edited copies each gets.
    pub copies: usize,
    /// The edit process.
    pub edits: ContrivedEdits,
    /// Seed of the choice of documents and of the edits.
    pub seed: u64,
    /// The methods, each with the name of its row.
    pub methods: Vec<(String, DetectorConfig)>,
}

impl ContrivedOptions {
    /// Ten documents, ten copies each, the paper's two I-Match rules and every fixed method.
    pub fn new() -> Result<Self, LabError> {
        let mut methods = Vec::new();
        for rule in [RetentionRule::IdfL(0.1), RetentionRule::DocL(0.9)] {
            methods.push((format!("imatch {rule}"), with_rule(rule)?));
        }
        for name in SHINGLING_OF_THE_PAPER {
            methods.push(((*name).to_owned(), ComparedMethod::parse(name)?.config));
        }
        for (name, _) in DetectorConfig::METHODS {
            // A learned method needs labels, which a plain collection does not have.
            let config = DetectorConfig::named(name).filter(|config| !config.needs_model());
            methods.extend(config.map(|config| ((*name).to_owned(), config)));
        }
        let edits = ContrivedEdits::default();
        Ok(Self { originals: 10, copies: 10, edits, seed: 1, methods })
    }
}

/// Hides edited copies in the collection and lets every method look for them.
pub fn run(collection: Collection, options: &ContrivedOptions) -> Result<Outcome, LabError> {
    let contrived = Contrived::make(collection, options)?;
    let mut table = Table::new(
        "Contrived duplicates (Tables III and IV, 2002)",
        &[
            "method",
            "found_ratio",
            "clusters_per_original",
            "false_positives",
            "ignored",
            "seconds",
        ],
    );
    let mut families = Table::new(
        "Contrived duplicates by original",
        &["document", "method", "found_ratio", "clusters"],
    );
    for (name, config) in &options.methods {
        let started = Instant::now();
        let detector = match contrived.collection.detector(config) {
            Ok(detector) => detector,
            Err(LearnError::Detect(error @ DetectError::NoModel(_))) => {
                table.note(format!("{name} was left out: {error}."));
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        let signed = join(&detector, &contrived.collection.documents);
        let results: Vec<Family> =
            (0..contrived.originals.len()).map(|family| contrived.look(&signed, family)).collect();
        let n_families = results.len().max(1) as f64;
        let mean = |value: fn(&Family) -> f64| results.iter().map(value).sum::<f64>() / n_families;
        table.push(vec![
            name.as_str().into(),
            mean(|family| family.found_ratio).into(),
            Cell::Real(mean(|family| family.clusters as f64), 1),
            results.iter().map(|family| family.false_positives).sum::<usize>().into(),
            signed.n_rejected().into(),
            Cell::Real(started.elapsed().as_secs_f64(), 2),
        ]);
        for (family, result) in results.iter().enumerate() {
            families.push(vec![
                contrived.collection.documents[contrived.originals[family]].id.as_str().into(),
                name.as_str().into(),
                result.found_ratio.into(),
                result.clusters.into(),
            ]);
        }
    }
    table.note(contrived.describe(options));
    Ok(Outcome { table, further: vec![("families", families)], plot: None })
}

/// What a method made of one original and its copies.
struct Family {
    found_ratio: f64,
    clusters: usize,
    false_positives: usize,
}

/// A collection with copies at its end.
struct Contrived {
    collection: Collection,
    originals: Vec<usize>,
    /// The copies' numbers; each original has the same number of them, in order.
    first_copy: usize,
    copies: usize,
    mean_length: f64,
    edits: EditCounts,
}

impl Contrived {
    fn make(mut collection: Collection, options: &ContrivedOptions) -> Result<Self, LabError> {
        let mut random = SplitMix64::new(options.seed);
        let (originals, mean_length) = choose(&collection, options.originals, &mut random)?;
        let vocabulary = vocabulary(&collection)?;
        let vocabulary: Vec<&str> = vocabulary.iter().map(String::as_str).collect();
        let first_copy = collection.len();
        let mut copies = Vec::new();
        let mut edits = EditCounts::default();
        for original in &originals {
            let document = &collection.documents[*original];
            let text = format!("{}\n", document.text);
            let words = words_with_spaces(&text);
            for number in 1..=options.copies {
                let (copy, counts) = options.edits.apply(&words, &vocabulary, &mut random);
                edits.deleted += counts.deleted;
                edits.swapped += counts.swapped;
                edits.inserted += counts.inserted;
                let id = format!("{}, copy {number}", document.id);
                copies.push(LabelledText { id, text: copy.concat(), ..document.clone() });
            }
        }
        collection.documents.append(&mut copies);
        let copies = options.copies;
        Ok(Self { collection, originals, first_copy, copies, mean_length, edits })
    }

    fn members(&self, family: usize) -> Vec<usize> {
        let first = self.first_copy + family * self.copies;
        std::iter::once(self.originals[family]).chain(first..first + self.copies).collect()
    }

    fn look(&self, signed: &PreparedCollection<'_>, family: usize) -> Family {
        let members = self.members(family);
        let mut cluster: Vec<usize> = (0..members.len()).collect();
        let (mut is_found, mut strangers) = (vec![false; members.len()], Vec::new());
        for (place, member) in members.iter().enumerate() {
            for partner in signed.partners(*member) {
                match members.iter().position(|member| *member == partner) {
                    Some(other) => {
                        is_found[place] = true;
                        let (from, to) = (cluster[other], cluster[place]);
                        cluster.iter_mut().filter(|c| **c == from).for_each(|c| *c = to);
                    }
                    None => strangers.push(partner),
                }
            }
        }
        cluster.sort_unstable();
        cluster.dedup();
        strangers.sort_unstable();
        strangers.dedup();
        let n_found = is_found.iter().filter(|found| **found).count();
        Family {
            found_ratio: n_found as f64 / members.len() as f64,
            clusters: cluster.len(),
            false_positives: strangers.len(),
        }
    }

    fn describe(&self, options: &ContrivedOptions) -> String {
        let n_copies = (self.originals.len() * self.copies).max(1) as f64;
        format!(
            "{} originals of about {:.0} words, {} copies each, in {} documents; every {}. word \
             considered, alpha {}: {:.1} edits a copy ({:.1} deleted, {:.1} swapped, {:.1} inserted).",
            self.originals.len(),
            self.mean_length,
            self.copies,
            self.first_copy,
            options.edits.every,
            options.edits.alpha,
            self.edits.total() as f64 / n_copies,
            self.edits.deleted as f64 / n_copies,
            self.edits.swapped as f64 / n_copies,
            self.edits.inserted as f64 / n_copies,
        )
    }
}

/// Documents nearest to the average length that have no real copy, and that average.
fn choose(
    collection: &Collection,
    n_originals: usize,
    random: &mut SplitMix64,
) -> Result<(Vec<usize>, f64), LabError> {
    let lengths: Vec<usize> = collection
        .documents
        .iter()
        .map(|document| document.text.split_whitespace().count())
        .collect();
    let mean = lengths.iter().sum::<usize>() as f64 / lengths.len().max(1) as f64;
    let mut by_nearness: Vec<usize> = (0..lengths.len()).collect();
    random.shuffle(&mut by_nearness);
    // A stable sort: documents equally near stay in random order.
    by_nearness.sort_by(|left, right| {
        let distance = |number: &usize| (lengths[*number] as f64 - mean).abs();
        distance(left).total_cmp(&distance(right))
    });
    let sets = sets_of_terms(collection, &AnalyzerConfig::default())?;
    let index = SetIndex::build(&sets, SetMeasure::BinaryCosine, REAL_COPY_COSINE);
    let mut search = index.search();
    let alone = by_nearness.into_iter().filter(|number| search.find(&sets[*number]).len() == 1);
    let mut originals: Vec<usize> = alone.take(n_originals).collect();
    originals.sort_unstable();
    if originals.len() < n_originals {
        let message = format!("only {} documents have no copy already", originals.len());
        return Err(LabError::Collection(message));
    }
    Ok((originals, mean))
}

/// The collection's distinct terms in ascending order, each with the space that follows a word.
fn vocabulary(collection: &Collection) -> Result<Vec<String>, LabError> {
    let analyzer = Analyzer::new(&AnalyzerConfig::default())?;
    let mut terms = std::collections::BTreeSet::new();
    for document in &collection.documents {
        analyzer.visit(&document.text, |term, _| {
            if !terms.contains(term) {
                terms.insert(term.to_owned());
            }
        });
    }
    Ok(terms.into_iter().map(|term| term + " ").collect())
}

/// The words of a text, each with the white space after it, so that lines and paragraphs survive.
fn words_with_spaces(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let (mut start, mut after_space) = (0, false);
    for (place, character) in text.char_indices() {
        if after_space && !character.is_whitespace() {
            words.push(&text[start..place]);
            start = place;
        }
        after_space = character.is_whitespace();
    }
    words.push(&text[start..]);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collection() -> Collection {
        // 30 documents of 60 words each; neighbors share almost no word.
        let text = |number: usize| {
            // Letters only: the analyzer of the 2008 paper drops words with several digits.
            let letter = |value: usize| char::from(b'a' + (value % 26) as u8);
            let word = |place: usize| {
                let value = (number * 53 + place * 7) % 1500;
                format!("word{}{}{}", letter(value), letter(value / 26), letter(value / 676))
            };
            (0..60).map(word).collect::<Vec<_>>().join(" ")
        };
        let document = |number: usize| LabelledText {
            id: number.to_string(),
            text: text(number),
            ..LabelledText::default()
        };
        Collection { documents: (0..30).map(document).collect(), n_unreadable: 0 }
    }

    #[test]
    fn unedited_copies_are_all_found_in_one_cluster() {
        let mut options = ContrivedOptions::new().unwrap();
        options.edits.alpha = 10;
        options.methods.retain(|(name, _)| name == "exact" || name == "imatch IDF-L-10");
        let json = run(collection(), &options).unwrap().table.to_json();
        for row in json.as_array().unwrap() {
            assert_eq!(
                (&row["found_ratio"], &row["clusters_per_original"]),
                (&1.0.into(), &1.0.into())
            );
            assert_eq!(row["false_positives"], 0);
        }
        assert_eq!(json.as_array().unwrap().len(), 2);
    }

    #[test]
    fn edited_copies_escape_the_exact_method() {
        let mut options = ContrivedOptions::new().unwrap();
        options.edits = ContrivedEdits { every: 1, alpha: 5 };
        options.methods.retain(|(name, _)| name == "exact");
        let json = run(collection(), &options).unwrap().table.to_json();
        assert_eq!(
            (&json[0]["found_ratio"], &json[0]["clusters_per_original"]),
            (&0.0.into(), &11.0.into())
        );
    }

    #[test]
    fn words_keep_the_space_after_them() {
        assert_eq!(words_with_spaces("one  two\n\nthree\n"), ["one  ", "two\n\n", "three\n"]);
    }
}
