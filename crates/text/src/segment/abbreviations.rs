//! Words that carry a full stop without ending a sentence.

use super::Language;

/// What a full stop after a word means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Abbreviation {
    /// Never the end of a sentence: `Dr.`, `z.B.`.
    Always,
    /// Not the end where a number follows: `No. 5`, `Fig. 2`.
    BeforeNumber,
}

/// Whether `word`, which stands before a full stop, is an abbreviation of the language; with no
/// language the lists of all languages hold.
pub(super) fn abbreviation(word: &str, language: Option<Language>) -> Option<Abbreviation> {
    if !word.is_ascii() {
        return listed_abbreviation(word.to_lowercase().as_bytes(), language);
    }
    // Most words are longer than any abbreviation, and none is worth memory of its own.
    let mut room = [0; LONGEST];
    let lowered = room.get_mut(..word.len())?;
    lowered.copy_from_slice(word.as_bytes());
    lowered.make_ascii_lowercase();
    listed_abbreviation(lowered, language)
}

/// [`abbreviation`] of a word in lower case.
fn listed_abbreviation(lowered: &[u8], language: Option<Language>) -> Option<Abbreviation> {
    let is_it = |listed: &&str| {
        let listed = listed.as_bytes();
        listed.first() == lowered.first() && listed == lowered
    };
    let listed = |list: &[&str]| list.iter().any(&is_it);
    let is = |asked: Language| language.is_none_or(|language| language == asked);
    if is(Language::ENGLISH) && listed(ENGLISH) || is(Language::GERMAN) && listed(GERMAN) {
        return Some(Abbreviation::Always);
    }
    (language.is_none_or(|l| l == Language::ENGLISH || l == Language::GERMAN)
        && listed(BEFORE_NUMBER))
    .then_some(Abbreviation::BeforeNumber)
}

/// Bytes of the longest abbreviation.
const LONGEST: usize = 6;

/// `etc.` and `Inc.` are missing on purpose: they often end a sentence, and where they do not,
/// the small letter that follows says so.
#[rustfmt::skip]
const ENGLISH: &[&str] = &[
    "adm", "al", "approx", "attn", "ca", "capt", "cf", "cmdr", "col", "dr", "esp", "fr", "gen",
    "gov", "hon", "incl", "jr", "lt", "maj", "mr", "mrs", "ms", "mt", "pres", "prof", "rep",
    "resp", "rev", "sen", "sgt", "sr", "st", "supt", "viz", "vs",
];

#[rustfmt::skip]
const GERMAN: &[&str] = &[
    "abb", "abs", "allg", "art", "aufl", "bd", "bspw", "bzgl", "bzw", "ca", "dipl", "dr", "evtl",
    "fa", "fr", "geb", "gem", "ggf", "hl", "hr", "hrsg", "ing", "inkl", "jh", "kap", "kath",
    "lat", "max", "min", "mio", "mrd", "nr", "phil", "prof", "sog", "st", "str", "tab", "tel",
    "vgl", "zzgl", "übers",
];

#[rustfmt::skip]
const BEFORE_NUMBER: &[&str] = &[
    "apr", "art", "aug", "ch", "dec", "dez", "eq", "feb", "fig", "figs", "jan", "jul", "jun",
    "mar", "no", "nos", "nov", "oct", "okt", "para", "pp", "ref", "sec", "sect", "sep", "sept",
    "tbl", "vol",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_abbreviation_is_found_in_any_case_and_nothing_longer_is() {
        for word in [ENGLISH, GERMAN, BEFORE_NUMBER].concat() {
            assert!(word.len() <= LONGEST);
            for written in [word.to_owned(), word.to_uppercase()] {
                assert!(abbreviation(&written, None).is_some(), "{written}");
                assert!(abbreviation(&format!("{written}zz"), None).is_none(), "{written}");
            }
        }
        assert_eq!(abbreviation("Dr", Some(Language::ENGLISH)), Some(Abbreviation::Always));
        assert_eq!(abbreviation("Dr", Some(Language::CHINESE)), None);
        assert_eq!(abbreviation("no", Some(Language::GERMAN)), Some(Abbreviation::BeforeNumber));
        assert_eq!(abbreviation("", None), None);
    }
}
