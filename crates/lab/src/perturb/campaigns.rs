//! A labelled collection of mail campaigns, in place of the 2010 paper's, which nobody can have.
//!
//! Messages joined by a binary cosine of at least 0.9 are one campaign: that much is exact truth.
//! Each chosen campaign then gets copies edited as its Figure 3 and section 4.2 describe senders to
//! edit theirs: another greeting, other links, tokens that mean nothing, words with letters swapped,
//! an unrelated paragraph at the end. What is done to a copy follows from the seed.

use hashbrown::HashMap;
use lookalike_detect::random::SplitMix64;
use lookalike_learn::{Collection, LabelledText};
use lookalike_text::AnalyzerConfig;

use crate::LabError;
use crate::sampling::sample;
use crate::truth::{joined_by_cosine, sets_of_terms};

/// The binary cosine that makes two messages one campaign.
const SAME_CAMPAIGN: f64 = 0.9;

const GREETINGS: &[&str] = &["Dear", "Hello", "Hi", "Good day", "Attention", "Greetings"];
const NAMES: &[&str] = &[
    "Alice", "Brahim", "Chen", "Dmitri", "Elena", "Farid", "Grace", "Hiro", "Ines", "Jorge",
    "Kofi", "Lena", "Marta", "Noor", "Olu", "Priya", "Quentin", "Rosa", "Sven", "Tariq", "Uma",
    "Viktor",
];

/// How many campaigns, how large, and how strongly copies are edited.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Campaigns {
    /// Campaigns; the paper labelled 875.
    pub campaigns: usize,
    /// The most edited copies of one; each has from one to so many.
    pub most_copies: usize,
    /// One word in so many has two letters swapped.
    pub every_word: u64,
    /// Decides everything.
    pub seed: u64,
}

impl Default for Campaigns {
    fn default() -> Self {
        Self { campaigns: 400, most_copies: 5, every_word: 10, seed: 1 }
    }
}

impl Campaigns {
    /// Chooses campaigns among the messages that `is_source` allows and makes copies; the label of
    /// a document is its campaign. Paragraphs at the end of copies come from the other messages.
    ///
    /// # Errors
    /// A collection with fewer than four campaigns.
    pub fn make(
        &self,
        mail: &Collection,
        is_source: impl Fn(&LabelledText) -> bool,
    ) -> Result<Collection, LabError> {
        let members = campaigns_of(mail)?;
        let mut roots: Vec<usize> =
            members.keys().copied().filter(|root| is_source(&mail.documents[*root])).collect();
        roots.sort_unstable();
        if roots.len() < 4 {
            let message =
                "too few messages to make campaigns of; at least four different ones are needed";
            return Err(LabError::Collection(message.to_owned()));
        }
        let mut random = SplitMix64::new(self.seed);
        let chosen = sample(roots.len(), self.campaigns.min(roots.len()), &mut random);
        let mut documents = Vec::new();
        for place in chosen {
            let root = roots[place];
            let label = Some(mail.documents[root].id.clone());
            for member in &members[&root] {
                documents
                    .push(LabelledText { label: label.clone(), ..mail.documents[*member].clone() });
            }
            for copy in 0..=random.next_below(self.most_copies.max(1) as u64) {
                let foreign =
                    &mail.documents[random.next_below(mail.documents.len() as u64) as usize];
                let original = &mail.documents[root];
                documents.push(LabelledText {
                    id: format!("{}-{copy}", original.id),
                    text: self.edited(&original.text, &foreign.text, &mut random),
                    label: label.clone(),
                    ..original.clone()
                });
            }
        }
        Ok(Collection { documents, n_unreadable: mail.n_unreadable })
    }

    fn edited(&self, text: &str, foreign: &str, random: &mut SplitMix64) -> String {
        let pick = |list: &[&'static str], random: &mut SplitMix64| {
            list[random.next_below(list.len() as u64) as usize]
        };
        let mut copy = format!("{} {},\n", pick(GREETINGS, random), pick(NAMES, random));
        for piece in text.split_inclusive(char::is_whitespace) {
            let word = piece.trim_end();
            let rest = &piece[word.len()..];
            if is_link(word) {
                copy.push_str(&link(random));
            } else if random.next_below(self.every_word.max(1)) == 0 {
                copy.push_str(&swapped(word, random));
            } else {
                copy.push_str(word);
            }
            copy.push_str(rest);
        }
        for _ in 0..=random.next_below(3) {
            copy.push('\n');
            copy.push_str(&token(random));
        }
        if random.next_below(2) == 0 {
            let words: Vec<&str> = foreign.split_whitespace().collect();
            let length = 10 + random.next_below(30) as usize;
            let from = random.next_below(words.len().saturating_sub(length).max(1) as u64) as usize;
            copy.push_str("\n\n");
            copy.push_str(&words[from..(from + length).min(words.len())].join(" "));
        }
        copy
    }
}

/// The messages of each campaign, by the first of them.
fn campaigns_of(mail: &Collection) -> Result<HashMap<usize, Vec<usize>>, LabError> {
    let sets = sets_of_terms(mail, &AnalyzerConfig::default())?;
    let first = joined_by_cosine(&sets, SAME_CAMPAIGN);
    let mut members: HashMap<usize, Vec<usize>> = HashMap::new();
    for (message, set) in sets.iter().enumerate() {
        // Messages without a word are no campaign of anything.
        if !set.is_empty() {
            members.entry(first[message] as usize).or_default().push(message);
        }
    }
    Ok(members)
}

fn is_link(word: &str) -> bool {
    word.contains("://") || word.contains("www.")
}

fn link(random: &mut SplitMix64) -> String {
    format!("http://www.{}.example/{}", token(random), token(random))
}

/// Six to ten letters that mean nothing.
fn token(random: &mut SplitMix64) -> String {
    (0..6 + random.next_below(5)).map(|_| char::from(b'a' + random.next_below(26) as u8)).collect()
}

/// The word with two neighboring letters inside it exchanged; short words stay.
fn swapped(word: &str, random: &mut SplitMix64) -> String {
    let mut letters: Vec<char> = word.chars().collect();
    if letters.len() > 3 {
        let place = 1 + random.next_below(letters.len() as u64 - 3) as usize;
        letters.swap(place, place + 1);
    }
    letters.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mail() -> Collection {
        let message = |number: usize| {
            let word = |place: usize| format!("word{}", number * 100 + place);
            let body: Vec<String> = (0..40).map(word).collect();
            // Every third message is the one before it with one word more.
            let text = format!("{} visit http://shop{number}.com today", body.join(" "));
            LabelledText { id: number.to_string(), text, ..LabelledText::default() }
        };
        let mut documents: Vec<LabelledText> = (0..12).map(message).collect();
        let again = LabelledText {
            id: "again".into(),
            text: format!("{} again", documents[0].text),
            ..LabelledText::default()
        };
        documents.push(again);
        Collection { documents, n_unreadable: 0 }
    }

    #[test]
    fn messages_of_one_campaign_have_one_label_and_copies_differ() {
        let made =
            Campaigns { campaigns: 12, ..Campaigns::default() }.make(&mail(), |_| true).unwrap();
        let label = |id: &str| {
            made.documents.iter().find(|d| d.id == id).and_then(|d| d.label.clone()).unwrap()
        };
        assert_eq!(label("0"), label("again"));
        assert_eq!(label("0"), label("0-0"));
        assert_ne!(label("0"), label("1"));
        let mut texts: Vec<&str> = made.documents.iter().map(|d| d.text.as_str()).collect();
        texts.sort_unstable();
        texts.dedup();
        assert_eq!(texts.len(), made.len(), "every copy is edited otherwise");
        let copy = &made.documents.iter().find(|d| d.id == "1-0").unwrap().text;
        assert!(!copy.contains("shop1.com") && copy.contains("example"), "{copy}");
    }

    #[test]
    fn the_seed_decides_everything() {
        let make =
            |seed| Campaigns { seed, ..Campaigns::default() }.make(&mail(), |_| true).unwrap();
        assert_eq!(make(3), make(3));
        assert_ne!(make(3), make(4));
    }

    #[test]
    fn a_collection_without_campaigns_is_refused() {
        let empty = Collection::default();
        assert!(Campaigns::default().make(&empty, |_| true).is_err());
    }
}
