//! The language of a text in Latin letters, as whatlang tells it, in a fraction of its time.
//!
//! whatlang asks each of its 37 Latin profiles for each of their 300 trigrams whether the text has
//! it. Here every trigram of the text knows at once in which profiles it stands and where, so that
//! a text is looked at once instead of 37 times. The sums are of integers, and the few fractions
//! are made of them as whatlang makes them: the answer is the same to the last bit, and a property
//! test holds it to that.
//!
//! Profiles and alphabets are those of whatlang 0.18 (MIT, © Sergey Potapov), which keeps them to
//! itself.

use std::sync::LazyLock;

use whatlang::Lang;

use super::trigrams::{
    Counted, N_CODES, N_PLACES, Trigram, TrigramCounter, code, packed, place_of,
};
use crate::by_register_width;
use crate::byte_bits::{count_bytes, first_byte};

/// A line for each language: its code, its letters, and its trigrams, the most frequent first.
const PROFILES: &str = include_str!("latin_profiles.tsv");

/// What a trigram adds to a distance that is missing, and how many a profile has.
const MOST_DISTANCE: u32 = 300;
/// Of the trigrams of a text so many count, the most frequent ones.
const MOST_TRIGRAMS: usize = 600;
/// Above this an answer is reliable.
const RELIABLE: f64 = 0.9;

/// What looking at a text in Latin letters gives.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Detected {
    /// Most letters are of other scripts, or too few are of one; someone else must look.
    NotLatin,
    /// A language, unless it is a guess.
    Latin(Option<Lang>),
}

/// The language of a text if most of its letters are Latin.
pub(super) fn detect(text: &str) -> Detected {
    if !is_mostly_latin(text) {
        return Detected::NotLatin;
    }
    let profiles = &*LATIN;
    let mut other_letters = Vec::new();
    let counted = count(text, &mut other_letters).most_frequent(MOST_TRIGRAMS);
    let Some(Counted { trigrams, letters }) = counted else { return Detected::NotLatin };
    let (letters, n_letters) = profiles.letters_known(&letters, &other_letters);
    let distances = profiles.distances(&trigrams);
    let n_trigrams = trigrams.len();
    let alphabet_weight = (-(n_letters as f64 / 300.0) + 2.0 / 3.0).clamp(1.0 / 3.0, 2.0 / 3.0);
    let trigram_weight = 1.0 - alphabet_weight;
    let most_distance = n_trigrams as u32 * MOST_DISTANCE;
    let mut best: [Option<(f64, Lang)>; 2] = [None; 2];
    for ((&language, letters), distance) in profiles.languages.iter().zip(letters).zip(distances) {
        let by_letters = letters as f64 / n_letters as f64;
        let by_trigrams = f64::from(most_distance - distance) / f64::from(most_distance);
        let score = by_letters * alphabet_weight + by_trigrams * trigram_weight;
        // Of equal scores neither is reliable, whichever comes first.
        if best[0].is_none_or(|(first, _)| score > first) {
            best = [Some((score, language)), best[0]];
        } else if best[1].is_none_or(|(second, _)| score > second) {
            best[1] = Some((score, language));
        }
    }
    let [Some((first, language)), Some((second, _))] = best else { return Detected::NotLatin };
    let is_reliable = confidence(first, second, n_trigrams) > RELIABLE;
    Detected::Latin(is_reliable.then_some(language))
}

fn confidence(first: f64, second: f64, n_trigrams: usize) -> f64 {
    if first == 0.0 {
        return 0.0;
    }
    if second == 0.0 {
        return first;
    }
    let confident_rate = (3.0 / n_trigrams as f64) + 0.015;
    let rate = (first - second) / second;
    if rate > confident_rate { 1.0 } else { rate / confident_rate }
}

/// Counts the trigrams of a text in lower case; `others` gets its characters beyond ASCII.
fn count(text: &str, others: &mut Vec<char>) -> TrigramCounter {
    let mut counter = TrigramCounter::new();
    if text.is_ascii() {
        counter.push_ascii(text);
        return counter;
    }
    let mut push = |counter: &mut TrigramCounter, lower: char| {
        if !lower.is_ascii() {
            others.push(lower);
        }
        counter.push(lower);
    };
    if text.contains('Σ') {
        // What it is in lower case depends on where it stands.
        text.to_lowercase().chars().for_each(|lower| push(&mut counter, lower));
        return counter;
    }
    let mut rest = text;
    while !rest.is_empty() {
        let is_ascii = first_byte(rest.as_bytes(), |byte| byte >= 0x80).unwrap_or(rest.len());
        let (run, behind) = rest.split_at(is_ascii);
        counter.push_ascii(run);
        let mut characters = behind.chars();
        let lower = characters.next().into_iter().flat_map(char::to_lowercase);
        lower.for_each(|lower| push(&mut counter, lower));
        rest = characters.as_str();
    }
    counter
}

/// Whether more than half of what is no digit, sign or blank of ASCII is a Latin letter.
fn is_mostly_latin(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut latin = count_bytes(bytes, |byte| byte.is_ascii_alphabetic());
    let n_others = count_bytes(bytes, |byte| byte >= 0xc0);
    let all = latin + count_bytes(bytes, |byte| byte == 0x7f) + n_others;
    if n_others > 0 {
        // The first byte of a character says for most that it is not Latin.
        let may_be = |byte| matches!(byte, 0xc2..=0xca | 0xe1 | 0xe2 | 0xea);
        if 2 * (latin + count_bytes(bytes, may_be)) <= all {
            return false;
        }
        latin += text.chars().filter(|c| !c.is_ascii() && is_latin(*c)).count();
    }
    2 * latin > all
}

/// The letters outside ASCII that whatlang takes for Latin ones.
fn is_latin(character: char) -> bool {
    matches!(character,
        '\u{80}'..='\u{2af}' | '\u{1d00}'..='\u{1dbf}'
        | '\u{1e00}'..='\u{1eff}' | '\u{2100}'..='\u{214f}' | '\u{2c60}'..='\u{2c7f}'
        | '\u{a720}'..='\u{a7ff}' | '\u{ab30}'..='\u{ab6f}')
        // Cyrillic to whatlang, wherever it looks first.
        && !matches!(character, '\u{1d2b}' | '\u{1d78}')
}

static LATIN: LazyLock<Profiles> = LazyLock::new(|| Profiles::read(PROFILES));

/// Languages that are looked at together: as many as there are, and room up to whole registers.
const N_LANES: usize = 40;

/// By language, where a trigram stands in its profile, or that it does not.
type Standings = [i16; N_LANES];
const ABSENT: i16 = -1;

/// All profiles, by trigram and by letter.
struct Profiles {
    languages: Vec<Lang>,
    /// The first is that of trigrams that no profile has.
    standings: Vec<Standings>,
    /// By place of a trigram, which standings are its own.
    at_places: Vec<u16>,
    /// The same of trigrams without a place.
    at_others: hashbrown::HashMap<u64, u16>,
    /// By code of a letter: all bits for each language that has it.
    letters: [[u32; N_LANES]; N_CODES],
    /// By other letter: a bit for each language.
    others: hashbrown::HashMap<char, u64>,
}

impl Profiles {
    fn read(table: &str) -> Self {
        let mut profiles = Self {
            languages: Vec::new(),
            standings: vec![[ABSENT; N_LANES]],
            at_places: vec![0; N_PLACES],
            at_others: hashbrown::HashMap::new(),
            letters: [[0; N_LANES]; N_CODES],
            others: hashbrown::HashMap::new(),
        };
        for line in table.lines() {
            let mut fields = line.split('\t');
            let language = fields.next().and_then(Lang::from_code);
            // The table is a part of the program; a test reads it whole.
            let (Some(language), Some(letters), Some(trigrams)) =
                (language, fields.next(), fields.next())
            else {
                continue;
            };
            let number = profiles.languages.len();
            profiles.languages.push(language);
            for letter in letters.chars() {
                if letter.is_ascii() {
                    profiles.letters[usize::from(code(letter))][number] = u32::MAX;
                } else {
                    *profiles.others.entry(letter).or_insert(0) |= 1 << number;
                }
            }
            let characters: Vec<char> = trigrams.chars().collect();
            for (rank, &trigram) in (0..).zip(characters.as_chunks::<3>().0) {
                profiles.standings_of(trigram)[number] = rank;
            }
        }
        profiles
    }

    /// The standings of a trigram, while profiles are read.
    fn standings_of(&mut self, trigram: [char; 3]) -> &mut Standings {
        let index = match place_of(trigram) {
            Some(place) => &mut self.at_places[place],
            None => self.at_others.entry(packed(trigram)).or_insert(0),
        };
        if *index == 0 {
            *index = self.standings.len() as u16;
            self.standings.push([ABSENT; N_LANES]);
        }
        &mut self.standings[usize::from(*index)]
    }

    /// Where a trigram stands in the profiles.
    #[inline]
    fn standings(&self, trigram: Trigram) -> &Standings {
        let index = match trigram.place() {
            Some(place) => self.at_places[place],
            None => self.at_others.get(&trigram.other()).copied().unwrap_or(0),
        };
        &self.standings[usize::from(index)]
    }

    /// By language, how many more letters of a text it has than it lacks, at least 0; and how many
    /// there are.
    fn letters_known(&self, letters: &[u32; N_CODES], others: &[char]) -> ([u32; N_LANES], u32) {
        let mut known = [0; N_LANES];
        for (count, languages) in letters.iter().zip(&self.letters) {
            for (known, has_it) in known.iter_mut().zip(languages) {
                *known += count & has_it;
            }
        }
        for letter in others {
            let languages = self.others.get(letter).copied().unwrap_or(0);
            for (number, known) in known.iter_mut().enumerate() {
                *known += (languages >> number & 1) as u32;
            }
        }
        let all = letters.iter().sum::<u32>() + others.len() as u32;
        (known.map(|known| (2 * known).saturating_sub(all)), all)
    }

    /// By language, how far its trigrams stand from where they stand in a text.
    fn distances(&self, trigrams: &[Trigram]) -> [u32; N_LANES] {
        let mut nearness = [0; N_LANES];
        add_nearness(self, trigrams, &mut nearness);
        let missing = MOST_DISTANCE.saturating_sub(trigrams.len() as u32) * MOST_DISTANCE;
        let most = MOST_DISTANCE * MOST_DISTANCE;
        let distance =
            |nearness: i32| most.wrapping_add_signed(-nearness).wrapping_sub(missing).min(most);
        nearness.map(distance)
    }
}

by_register_width! {
    /// Adds by language how near the trigrams of a text, the most frequent first, stand to where they
    /// stand in its profile.
    fn add_nearness(profiles: &Profiles, trigrams: &[Trigram], nearness: &mut [i32; N_LANES]) {
        512 => add_each(profiles, trigrams, nearness),
        256 => add_each(profiles, trigrams, nearness),
        _ => add_each(profiles, trigrams, nearness),
    }
}

// It is compiled for the processor of its caller.
#[inline(always)]
fn add_each(profiles: &Profiles, trigrams: &[Trigram], nearness: &mut [i32; N_LANES]) {
    // So many fit into sixteen bits.
    const TOGETHER: usize = i16::MAX as usize / MOST_DISTANCE as usize;
    let mut rank = 0;
    for part in trigrams.chunks(TOGETHER) {
        let mut sums = [0_i16; N_LANES];
        for trigram in part {
            let standings = profiles.standings(*trigram);
            for (sum, standing) in sums.iter_mut().zip(standings) {
                // A trigram that stands further away than that counts more than a missing one.
                let near = MOST_DISTANCE as i16 - (rank - standing).wrapping_abs();
                *sum += if *standing == ABSENT { 0 } else { near };
            }
            rank += 1;
        }
        for (nearness, sum) in nearness.iter_mut().zip(sums) {
            *nearness += i32::from(sum);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What whatlang says of a text; `NotLatin` where it was not asked.
    fn by_whatlang(text: &str) -> Option<Lang> {
        whatlang::detect(text).filter(whatlang::Info::is_reliable).map(|info| info.lang())
    }

    fn holds(text: &str) -> Result<(), TestCaseError> {
        match detect(text) {
            Detected::NotLatin => {}
            Detected::Latin(found) => prop_assert_eq!(found, by_whatlang(text), "{:?}", text),
        }
        Ok(())
    }

    /// Words of trigrams that are usual in one language, with some of others among them.
    fn words() -> impl Strategy<Value = String> {
        let profiles: Vec<Vec<String>> = PROFILES
            .lines()
            .map(|line| {
                let trigrams: Vec<char> = line.split('\t').nth(2).unwrap().chars().collect();
                trigrams.chunks(3).map(|trigram| trigram.iter().collect()).collect()
            })
            .collect();
        let (language, stranger) = (0..profiles.len(), 0..profiles.len());
        let picked = prop::collection::vec((0_usize..300, 0_u8..12), 0..400);
        (language, stranger, picked).prop_map(move |(language, stranger, picked)| {
            let trigram = |(rank, chance): (usize, u8)| {
                let profile = if chance == 0 { stranger } else { language };
                profiles[profile][rank * rank / 300].as_str()
            };
            picked.into_iter().map(trigram).collect()
        })
    }

    #[test]
    fn all_profiles_are_there() {
        assert_eq!(LATIN.languages.len(), 37);
        let standing = LATIN.standings.iter().flatten().filter(|standing| **standing != ABSENT);
        assert_eq!(standing.count(), 37 * 300);
    }

    #[test]
    fn sentences_have_the_languages_that_whatlang_finds() {
        let sentences = [
            "The harbor master closed the gate because the tide had turned too early.",
            "Der Hafenmeister schloss das Tor, weil die Flut viel zu früh gekommen war.",
            "Le capitaine du port a fermé la porte, car la marée était montée trop tôt.",
            "El capitán del puerto cerró la puerta porque la marea había subido temprano.",
            "Il comandante del porto ha chiuso il cancello perché la marea era salita.",
            "O capitão do porto fechou o portão porque a maré tinha subido cedo demais.",
            "De havenmeester sloot de poort omdat het tij veel te vroeg was gekeerd.",
            "Liman başkanı kapıyı kapattı çünkü gelgit çok erken dönmüştü, İstanbul.",
            "Thuyền trưởng đã đóng cổng vì thủy triều đã lên quá sớm vào buổi sáng.",
            "a",
            "ÀÉ",
            "ok 12",
            "Straße ΣΑΣ Москва harbor gate tide",
            "\u{7f}\u{7f}abc",
        ];
        for sentence in sentences {
            let found = detect(sentence);
            assert_eq!(found, Detected::Latin(by_whatlang(sentence)), "{sentence}");
            let long = format!("{sentence} ").repeat(12);
            assert_eq!(detect(&long), Detected::Latin(by_whatlang(&long)), "{sentence}");
        }
        assert_eq!(detect("Начальник порта закрыл ворота"), Detected::NotLatin);
        assert_eq!(detect("1234 !"), Detected::NotLatin);
    }

    #[test]
    fn first_bytes_tell_of_no_latin_letter_that_it_is_none() {
        for character in ('\u{80}'..=char::MAX).filter(|character| is_latin(*character)) {
            // As many others: with one Latin letter more than half is Latin.
            let text = format!("{character}{character}中");
            assert!(is_mostly_latin(&text), "{character:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]
        #[test]
        fn texts_like_a_language_are_told_as_whatlang_tells_them(text in words()) {
            holds(&text)?;
        }

        #[test]
        fn any_text_is_told_as_whatlang_tells_it(text in "(\\PC|[a-zA-Zéèüß ,.0-9]){0,300}") {
            holds(&text)?;
        }

        #[test]
        fn texts_of_few_letters_are_told_as_whatlang_tells_them(
            text in "([ab]|an|de|[ÉéİKΣ—\u{7f} ]){0,900}", again in 1_usize..40,
        ) {
            holds(&text.repeat(again))?;
        }
    }
}
