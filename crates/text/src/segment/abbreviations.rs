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
    let lowered = word.to_lowercase();
    let listed = |list: &[&str]| list.contains(&lowered.as_str());
    let is = |asked: Language| language.is_none_or(|language| language == asked);
    if is(Language::ENGLISH) && listed(ENGLISH) || is(Language::GERMAN) && listed(GERMAN) {
        return Some(Abbreviation::Always);
    }
    (language.is_none_or(|l| l == Language::ENGLISH || l == Language::GERMAN)
        && listed(BEFORE_NUMBER))
    .then_some(Abbreviation::BeforeNumber)
}

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
