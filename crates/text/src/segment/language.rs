//! Which language a text is written in.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use whatlang::Lang;

use super::latin::{self, Detected};
use crate::byte_bits::count_bytes;

/// How much of a text is looked at: more does not change the answer, and costs.
const SAMPLE_BYTES: usize = 2048;

/// A language, written as its ISO 639 code: two letters where there are two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Language(Lang);

/// A language code that is not known.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown language `{0}`; give an ISO 639 code such as `en`, `de` or `zh`")]
pub struct UnknownLanguage(String);

impl Language {
    /// English.
    pub const ENGLISH: Self = Self(Lang::Eng);
    /// German.
    pub const GERMAN: Self = Self(Lang::Deu);
    /// Chinese.
    pub const CHINESE: Self = Self(Lang::Cmn);
    /// Thai.
    pub const THAI: Self = Self(Lang::Tha);

    /// The language of a text, judged by its first two kilobytes; `None` where that is a guess.
    pub fn detect(text: &str) -> Option<Self> {
        let sample = sample(text);
        if let Detected::Latin(language) = latin::detect(&sample) {
            return language.map(Self);
        }
        let info = whatlang::detect(&sample)?;
        info.is_reliable().then_some(Self(info.lang()))
    }

    /// The ISO 639-1 code, or the ISO 639-3 code of a language that has no shorter one.
    pub fn code(self) -> &'static str {
        TWO_LETTERS
            .iter()
            .find(|(long, _)| *long == self.0.code())
            .map_or(self.0.code(), |(_, short)| short)
    }
}

/// The beginning of a text. Where most of that is blank, as when the menus of a page are left out and
/// leave as many blanks, the first words, so that the text behind them is seen.
fn sample(text: &str) -> Cow<'_, str> {
    let first = &text[..text.floor_char_boundary(SAMPLE_BYTES)];
    let n_blank = count_bytes(first.as_bytes(), |byte| byte.is_ascii_whitespace());
    if 2 * n_blank <= first.len() {
        return Cow::Borrowed(first);
    }
    let mut words = String::with_capacity(SAMPLE_BYTES);
    for word in text.split_ascii_whitespace() {
        words.push_str(&word[..word.floor_char_boundary(SAMPLE_BYTES)]);
        words.push(' ');
        if words.len() >= SAMPLE_BYTES {
            break;
        }
    }
    Cow::Owned(words)
}

impl fmt::Display for Language {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.code())
    }
}

impl FromStr for Language {
    type Err = UnknownLanguage;

    fn from_str(code: &str) -> Result<Self, UnknownLanguage> {
        let long = TWO_LETTERS.iter().find(|(_, short)| *short == code).map(|(long, _)| *long);
        Lang::from_code(long.unwrap_or(code))
            .map(Self)
            .ok_or_else(|| UnknownLanguage(code.to_owned()))
    }
}

/// The language a configuration asks for: detected for each document, or given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum LanguageChoice {
    /// `auto`: detected for each document.
    #[default]
    Auto,
    /// An ISO 639 code: every document is taken to be in this language.
    Fixed(Language),
}

impl LanguageChoice {
    /// The language of a text under this choice.
    pub fn of(self, text: &str) -> Option<Language> {
        match self {
            Self::Auto => Language::detect(text),
            Self::Fixed(language) => Some(language),
        }
    }
}

impl TryFrom<String> for LanguageChoice {
    type Error = UnknownLanguage;

    fn try_from(code: String) -> Result<Self, UnknownLanguage> {
        if code == "auto" { Ok(Self::Auto) } else { code.parse().map(Self::Fixed) }
    }
}

impl From<LanguageChoice> for String {
    fn from(choice: LanguageChoice) -> Self {
        match choice {
            LanguageChoice::Auto => "auto".to_owned(),
            LanguageChoice::Fixed(language) => language.code().to_owned(),
        }
    }
}

/// ISO 639-3 and ISO 639-1 codes of the languages that detection knows.
#[rustfmt::skip]
const TWO_LETTERS: &[(&str, &str)] = &[
    ("afr", "af"), ("aka", "ak"), ("amh", "am"), ("ara", "ar"), ("aze", "az"), ("bel", "be"),
    ("ben", "bn"), ("bul", "bg"), ("cat", "ca"), ("ces", "cs"), ("cmn", "zh"), ("cym", "cy"),
    ("dan", "da"), ("deu", "de"), ("ell", "el"), ("eng", "en"), ("epo", "eo"), ("est", "et"),
    ("fin", "fi"), ("fra", "fr"), ("guj", "gu"), ("heb", "he"), ("hin", "hi"), ("hrv", "hr"),
    ("hun", "hu"), ("hye", "hy"), ("ind", "id"), ("ita", "it"), ("jav", "jv"), ("jpn", "ja"),
    ("kan", "kn"), ("kat", "ka"), ("khm", "km"), ("kor", "ko"), ("lat", "la"), ("lav", "lv"),
    ("lit", "lt"), ("mal", "ml"), ("mar", "mr"), ("mkd", "mk"), ("mya", "my"), ("nep", "ne"),
    ("nld", "nl"), ("nob", "no"), ("ori", "or"), ("pan", "pa"), ("pes", "fa"), ("pol", "pl"),
    ("por", "pt"), ("ron", "ro"), ("rus", "ru"), ("sin", "si"), ("slk", "sk"), ("slv", "sl"),
    ("sna", "sn"), ("spa", "es"), ("srp", "sr"), ("swe", "sv"), ("tam", "ta"), ("tel", "te"),
    ("tgl", "tl"), ("tha", "th"), ("tuk", "tk"), ("tur", "tr"), ("ukr", "uk"), ("urd", "ur"),
    ("uzb", "uz"), ("vie", "vi"), ("yid", "yi"), ("zul", "zu"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_of_the_tests_are_recognized() {
        let samples = [
            (
                "en",
                "The harbor master closed the gate because the tide had turned too early, and the \
              fishing boats had to wait outside until the morning, when everybody was tired.",
            ),
            (
                "de",
                "Der Hafenmeister schloss das Tor, weil die Flut viel zu früh gekommen war, und \
              die Fischer mussten draußen warten, bis es am nächsten Morgen wieder hell wurde.",
            ),
            (
                "ru",
                "Начальник порта закрыл ворота, потому что прилив начался слишком рано, и рыбаки \
              ждали снаружи до самого утра, пока вода не отступила и не стало совсем светло.",
            ),
            ("zh", "因为潮水来得太早，港务长关上了闸门，所有的渔船只好在外面等到天亮。"),
            ("ja", "潮が早く満ちたので、港長は門を閉め、漁船は夜明けまで外で待っていた。"),
            ("th", "นายท่าเรือปิดประตูเพราะน้ำขึ้นเร็วเกินไป เรือประมงจึงต้องรอจนถึงเช้า"),
            ("ar", "أغلق مدير الميناء البوابة لأن المد جاء مبكرا جدا وانتظرت القوارب حتى الفجر."),
            (
                "hi",
                "बंदरगाह के अधिकारी ने फाटक बंद कर दिया क्योंकि ज्वार बहुत जल्दी आ गया था और \
              मछुआरों को सुबह तक बाहर ही रुकना पड़ा, जब तक कि पानी वापस नहीं चला गया।",
            ),
        ];
        for (code, text) in samples {
            assert_eq!(Language::detect(text).map(Language::code), Some(code), "{text}");
        }
    }

    #[test]
    fn what_stands_behind_blanks_is_seen() {
        let story = "Der Hafenmeister schloss das Tor, weil die Flut viel zu früh gekommen war, und \
                     die Fischer mussten draußen warten, bis es am nächsten Morgen hell wurde.";
        let blanks = " ".repeat(2 * SAMPLE_BYTES);
        for text in [format!("{blanks}{story}"), format!("9:30\n\n{blanks}\n\n{story}")] {
            assert_eq!(Language::detect(&text), Some(Language::GERMAN));
        }
        let chinese =
            "因为潮水来得太早，港务长关上了闸门，所有的渔船只好在外面等到天亮。".repeat(99);
        assert_eq!(Language::detect(&format!("{blanks}{chinese}")), Some(Language::CHINESE));
        assert_eq!(Language::detect(&blanks), None);
    }

    #[test]
    fn a_guess_is_not_an_answer() {
        assert_eq!(Language::detect(""), None);
        assert_eq!(Language::detect("12 345"), None);
        assert_eq!(Language::detect("ok la"), None);
    }

    #[test]
    fn both_kinds_of_code_name_a_language() {
        for (long, short) in TWO_LETTERS {
            let language: Language = long.parse().unwrap();
            assert_eq!(short.parse(), Ok(language));
            assert_eq!(language.code(), *short);
        }
        assert!("xx".parse::<Language>().is_err());
    }

    #[test]
    fn a_given_language_overrides_detection() {
        let choice = LanguageChoice::try_from("de".to_owned()).unwrap();
        assert_eq!(choice.of("The tide had turned."), Some(Language::GERMAN));
        assert_eq!(String::from(choice), "de");
    }
}
