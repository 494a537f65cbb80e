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

use super::trigrams::TrigramCounts;

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
    let lower = text.to_lowercase();
    let Some(counts) = TrigramCounts::of(lower.chars().map(blank_if_stop)) else {
        return Detected::NotLatin;
    };
    let profiles = &*LATIN;
    let (letters, n_letters) = profiles.letters_known(&lower);
    let trigrams = counts.most_frequent(MOST_TRIGRAMS);
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

/// Whether more than half of what is no digit, sign or blank of ASCII is a Latin letter.
fn is_mostly_latin(text: &str) -> bool {
    let (mut latin, mut all) = (0, 0);
    for character in text.chars() {
        latin += usize::from(is_latin(character));
        all += usize::from(!is_stop(character));
    }
    2 * latin > all
}

/// Signs, digits and blanks of ASCII, which separate words.
fn is_stop(character: char) -> bool {
    matches!(character, '\0'..='@' | '['..='`' | '{'..='~')
}

fn blank_if_stop(character: char) -> char {
    if is_stop(character) { ' ' } else { character }
}

/// The letters that whatlang takes for Latin ones.
fn is_latin(character: char) -> bool {
    matches!(character,
        'a'..='z' | 'A'..='Z' | '\u{80}'..='\u{2af}' | '\u{1d00}'..='\u{1dbf}'
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
    /// By trigram, ascending: its standings are those up to a place from where the last ended.
    trigrams: hashbrown::HashMap<u64, (u32, u32)>,
    standings: Vec<Standing>,
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
                found.push((super::trigrams::packed(trigram), number, rank));
            }
        }
        found.sort_unstable();
        let mut trigrams = hashbrown::HashMap::new();
        let mut standings = Vec::with_capacity(found.len());
        for same in found.chunk_by(|left, right| left.0 == right.0) {
            let start = standings.len() as u32;
            standings.extend(same.iter().map(|&(_, language, rank)| Standing { language, rank }));
            trigrams.insert(same[0].0, (start, standings.len() as u32));
        }
        Self { languages, trigrams, standings, ascii, others }
    }

    /// By language, how many more letters of a text in lower case it has than it lacks, at least
    /// 0; and how many there are.
    fn letters_known(&self, lower: &str) -> (Vec<usize>, usize) {
        let mut counts = [0_usize; 128];
        let mut known = vec![0_usize; self.languages.len()];
        let mut all = 0;
        let mut add = |languages: u64, count: usize| {
            for (number, known) in known.iter_mut().enumerate() {
                *known += count * (languages >> number & 1) as usize;
            }
        };
        for character in lower.chars().filter(|character| !is_stop(*character)) {
            all += 1;
            match counts.get_mut(character as usize) {
                Some(count) => *count += 1,
                None => add(self.others.get(&character).copied().unwrap_or(0), 1),
            }
        }
        for (&languages, count) in self.ascii.iter().zip(counts).filter(|(_, count)| *count > 0) {
            add(languages, count);
        }
        (known.into_iter().map(|known| (2 * known).saturating_sub(all)).collect(), all)
    }

    /// By language, how far its trigrams stand from where they stand in a text.
    fn distances(&self, trigrams: &[u64]) -> Vec<u32> {
        let mut nearness = vec![0; self.languages.len()];
        for (rank, trigram) in (0..).zip(trigrams) {
            let Some(&(start, end)) = self.trigrams.get(trigram) else { continue };
            for standing in &self.standings[start as usize..end as usize] {
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
