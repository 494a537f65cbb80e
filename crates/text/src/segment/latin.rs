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

use super::trigrams::{N_PLACES, Trigram, TrigramCounter, is_stop, packed, place_of};

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
    let Some(seen) = Seen::of(text) else { return Detected::NotLatin };
    let profiles = &*LATIN;
    let (letters, n_letters) = profiles.letters_known(&seen);
    let Some(trigrams) = seen.trigrams.most_frequent(MOST_TRIGRAMS) else {
        return Detected::NotLatin;
    };
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

/// What one look at a text finds.
struct Seen {
    trigrams: TrigramCounter,
    /// How often each character of ASCII occurs in lower case.
    ascii: [u32; 128],
    /// The other characters in lower case.
    others: Vec<char>,
}

impl Seen {
    /// Looks at a text; `None` if most of its letters are not Latin.
    fn of(text: &str) -> Option<Self> {
        if !is_mostly_latin(text) {
            return None;
        }
        let mut seen =
            Self { trigrams: TrigramCounter::new(), ascii: [0; 128], others: Vec::new() };
        if text.contains('Σ') {
            // What it is in lower case depends on where it stands.
            text.to_lowercase().chars().for_each(|lower| seen.push(lower));
            return Some(seen);
        }
        for character in text.chars() {
            if character.is_ascii() {
                seen.push(character.to_ascii_lowercase());
            } else {
                character.to_lowercase().for_each(|lower| seen.push(lower));
            }
        }
        Some(seen)
    }

    #[inline]
    fn push(&mut self, lower: char) {
        match self.ascii.get_mut(lower as usize) {
            Some(count) => *count += 1,
            None => self.others.push(lower),
        }
        self.trigrams.push(lower);
    }
}

/// Whether more than half of what is no digit, sign or blank of ASCII is a Latin letter.
fn is_mostly_latin(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut latin = bytes.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    let is_letter = |byte: &&u8| byte.is_ascii_alphabetic() || **byte == 0x7f;
    let mut all = bytes.iter().filter(is_letter).count();
    if !text.is_ascii() {
        for character in text.chars().filter(|character| !character.is_ascii()) {
            latin += usize::from(is_latin(character));
            all += 1;
        }
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

/// Where a trigram stands in a profile.
#[derive(Clone, Copy, Debug)]
struct Standing {
    language: u16,
    rank: u16,
}

/// All profiles, by trigram and by letter.
struct Profiles {
    languages: Vec<Lang>,
    standings: Vec<Standing>,
    /// By place of a trigram: where its standings begin; they end where those of the next begin.
    at_places: Vec<u16>,
    /// The same of trigrams without a place, from where to where.
    at_others: hashbrown::HashMap<u64, (u32, u32)>,
    /// By letter: a bit for each language that has it.
    ascii: [u64; 128],
    others: hashbrown::HashMap<char, u64>,
}

impl Profiles {
    fn read(table: &str) -> Self {
        let (mut languages, mut found) = (Vec::new(), Vec::new());
        let (mut ascii, mut others) = ([0; 128], hashbrown::HashMap::new());
        for line in table.lines() {
            let mut fields = line.split('\t');
            let code = fields.next().and_then(Lang::from_code);
            // The table is a part of the program; a test reads it whole.
            let (Some(language), Some(letters), Some(trigrams)) =
                (code, fields.next(), fields.next())
            else {
                continue;
            };
            let number = languages.len() as u16;
            languages.push(language);
            for letter in letters.chars() {
                match ascii.get_mut(letter as usize) {
                    Some(languages) => *languages |= 1 << number,
                    None => *others.entry(letter).or_insert(0) |= 1 << number,
                }
            }
            let characters: Vec<char> = trigrams.chars().collect();
            for (rank, &trigram) in (0..).zip(characters.as_chunks::<3>().0) {
                // Those with a place come first, in the order of their places.
                let place = place_of(trigram).unwrap_or(N_PLACES);
                found.push((place, packed(trigram), Standing { language: number, rank }));
            }
        }
        found
            .sort_unstable_by_key(|(place, packed, standing)| (*place, *packed, standing.language));
        let mut at_others = hashbrown::HashMap::new();
        let mut at_places = vec![0; N_PLACES + 1];
        let mut standings = Vec::with_capacity(found.len());
        for same in found.chunk_by(|left, right| left.1 == right.1) {
            let start = standings.len();
            standings.extend(same.iter().map(|(.., standing)| *standing));
            match at_places.get_mut(same[0].0 + 1) {
                Some(end) => *end = standings.len() as u16,
                None => {
                    at_others.insert(same[0].1, (start as u32, standings.len() as u32));
                }
            }
        }
        // A place without standings ends where the one before it does.
        let mut end = 0;
        for next in &mut at_places {
            end = end.max(*next);
            *next = end;
        }
        Self { languages, standings, at_places, at_others, ascii, others }
    }

    /// Where a trigram stands in the profiles that have it.
    #[inline]
    fn standings(&self, trigram: Trigram) -> &[Standing] {
        let (start, end) = match trigram {
            Trigram::At(place) => {
                let place = usize::from(place);
                (u32::from(self.at_places[place]), u32::from(self.at_places[place + 1]))
            }
            Trigram::Other(packed) => self.at_others.get(&packed).copied().unwrap_or_default(),
        };
        &self.standings[start as usize..end as usize]
    }

    /// By language, how many more letters of a text it has than it lacks, at least 0; and how many
    /// there are.
    fn letters_known(&self, seen: &Seen) -> (Vec<usize>, usize) {
        let mut known = vec![0_usize; self.languages.len()];
        let mut all = 0;
        let mut add = |languages: u64, count: usize| {
            all += count;
            for (number, known) in known.iter_mut().enumerate() {
                *known += count * (languages >> number & 1) as usize;
            }
        };
        for (letter, &count) in (0_u8..).zip(&seen.ascii) {
            if count > 0 && !is_stop(char::from(letter)) {
                add(self.ascii[usize::from(letter)], count as usize);
            }
        }
        for letter in &seen.others {
            add(self.others.get(letter).copied().unwrap_or(0), 1);
        }
        (known.into_iter().map(|known| (2 * known).saturating_sub(all)).collect(), all)
    }

    /// By language, how far its trigrams stand from where they stand in a text.
    fn distances(&self, trigrams: &[Trigram]) -> Vec<u32> {
        let mut nearness = vec![0; self.languages.len()];
        for (rank, trigram) in (0..).zip(trigrams) {
            for standing in self.standings(*trigram) {
                // A trigram that stands further away than that counts more than a missing one.
                let distance = i32::abs_diff(rank, i32::from(standing.rank)) as i32;
                nearness[usize::from(standing.language)] += MOST_DISTANCE as i32 - distance;
            }
        }
        let missing = MOST_DISTANCE.saturating_sub(trigrams.len() as u32) * MOST_DISTANCE;
        let most = MOST_DISTANCE * MOST_DISTANCE;
        let distance =
            |nearness: i32| most.wrapping_add_signed(-nearness).wrapping_sub(missing).min(most);
        nearness.into_iter().map(distance).collect()
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
        assert_eq!(LATIN.standings.len(), 37 * 300);
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
    }
}
