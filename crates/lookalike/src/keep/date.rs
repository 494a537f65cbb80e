//! Dates as people and programs write them, as one instant that can be compared.
//!
//! A time without a zone is taken as UTC, a date without a time as its first moment. `03/04/2024`
//! can mean two days and is therefore no date here.

use chrono::{NaiveDate, NaiveTime};
use serde_json::Value;

/// Ways to write a date once weekdays, commas and ordinals are gone, in lower
/// case; `%B` takes short names too.
const DATE_FORMATS: [&str; 12] = [
    "%Y-%m-%d",
    "%Y/%m/%d",
    "%Y.%m.%d",
    "%Y%m%d",
    "%G-w%V-%u",
    "%d.%m.%Y",
    "%d %B %Y",
    "%B %d %Y",
    "%Y %B %d",
    "%d-%B-%Y",
    "%B-%d-%Y",
    "%d/%B/%Y",
];

/// Ways to write a time of the day.
const TIME_FORMATS: [&str; 4] = ["%H:%M:%S%.f", "%H:%M", "%I:%M:%S%.f%P", "%I:%M%P"];

/// Zones that mail and web servers write by name, in hours from UTC.
const NAMED_ZONES: [(&str, i64); 12] = [
    ("z", 0),
    ("utc", 0),
    ("gmt", 0),
    ("ut", 0),
    ("est", -5),
    ("edt", -4),
    ("cst", -6),
    ("cdt", -5),
    ("mst", -7),
    ("mdt", -6),
    ("pst", -8),
    ("pdt", -7),
];

const WEEKDAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

/// Microseconds since 1970 of a field's value: a date in words, or a number as [`of_number`]
/// reads it.
pub fn of_value(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => of_number(number.as_f64()?),
        Value::String(text) => of_text(text),
        _ => None,
    }
}

/// A number that is a date: a year, `YYYYMMDD`, `YYYYMMDDhhmmss`, or else an epoch in seconds,
/// milliseconds, microseconds or nanoseconds, by its size.
fn of_number(number: f64) -> Option<i64> {
    if number.fract() == 0.0 && (1e3..1e15).contains(&number) {
        let digits = format!("{number}");
        let date = match digits.len() {
            4 => NaiveDate::from_ymd_opt(number as i32, 1, 1).filter(|_| number < 3000.0),
            8 => {
                NaiveDate::parse_from_str(&digits, "%Y%m%d").ok().filter(|date| is_plausible(*date))
            }
            14 => NaiveDate::parse_from_str(&digits[..8], "%Y%m%d")
                .ok()
                .filter(|date| is_plausible(*date)),
            _ => None,
        };
        let time = if digits.len() == 14 {
            NaiveTime::parse_from_str(&digits[8..], "%H%M%S").ok()
        } else {
            Some(NaiveTime::MIN)
        };
        if let (Some(date), Some(time)) = (date, time) {
            return Some(date.and_time(time).and_utc().timestamp_micros());
        }
    }
    let microseconds = match number.abs() {
        size if size < 1e11 => number * 1e6,
        size if size < 1e14 => number * 1e3,
        size if size < 1e17 => number,
        size if size < 1e20 => number / 1e3,
        _ => return None,
    };
    Some(microseconds.round() as i64)
}

fn is_plausible(date: NaiveDate) -> bool {
    use chrono::Datelike;
    (1500..3000).contains(&date.year())
}

/// A date in words.
fn of_text(text: &str) -> Option<i64> {
    let text = text.trim();
    if text.len() > 100 {
        return None;
    }
    if let Ok(number) = text.parse::<f64>() {
        return of_number(number);
    }
    let tokens = tokens(text);
    let mut date = Vec::new();
    let mut time: Option<String> = None;
    let mut zone = None;
    for token in &tokens {
        if let Some(offset) = time.as_ref().and_then(|_| zone_offset(token)) {
            // `GMT+0200` is two names of one zone, of which the number counts.
            zone = Some(offset);
        } else if matches!(token.as_str(), "am" | "pm" | "a.m" | "p.m") {
            time.as_mut()?.push_str(&token.replace('.', ""));
        } else if token.contains(':') && time.is_none() {
            let (clock, offset) = split_zone(token);
            time = Some(clock.to_owned());
            zone = match offset {
                "" => zone,
                offset => Some(zone_offset(offset)?),
            };
        } else {
            date.push(token.as_str());
        }
    }
    let date = day(&date)?;
    let time = time.map_or(Some(NaiveTime::MIN), |time| clock(&time))?;
    let local = date.and_time(time).and_utc().timestamp_micros();
    local.checked_sub(zone.unwrap_or(0) * 60_000_000)
}

/// The words of a date: in lower case, without weekday, commas, comments and ordinals.
fn tokens(text: &str) -> Vec<String> {
    let text = text.split('(').next().unwrap_or_default().to_lowercase();
    let mut spaced = String::with_capacity(text.len());
    let characters: Vec<char> = text.chars().collect();
    for (place, &character) in characters.iter().enumerate() {
        let digit = |at: Option<usize>| {
            at.and_then(|at| characters.get(at)).is_some_and(char::is_ascii_digit)
        };
        match character {
            ',' => spaced.push(' '),
            // The letter between date and time.
            't' if digit(place.checked_sub(1)) && digit(Some(place + 1)) => spaced.push(' '),
            _ => spaced.push(character),
        }
    }
    let is_weekday = |word: &str| {
        WEEKDAYS.iter().any(|day| word.starts_with(day))
            && word.chars().all(char::is_alphabetic)
            && (word.len() == 3 || word.ends_with("day") || word == "tues" || word == "thurs")
    };
    let mut tokens: Vec<String> = Vec::new();
    for word in spaced.split_whitespace() {
        let word = if word.starts_with(|c: char| c.is_alphabetic()) && word.len() > 2 {
            word.strip_suffix('.').unwrap_or(word)
        } else {
            word
        };
        if is_weekday(word) || matches!(word, "at" | "of" | "the") {
            continue;
        }
        tokens.push(without_ordinal(word).to_owned());
    }
    // `20240315 100000z`: a time without colons follows a date without dashes.
    if let [date, time] = tokens.as_mut_slice()
        && date.len() == 8
        && date.bytes().all(|byte| byte.is_ascii_digit())
        && !time.contains(':')
        && time.len() >= 4
        && time.as_bytes()[..4].iter().all(u8::is_ascii_digit)
    {
        time.insert(2, ':');
        if time.as_bytes().get(5).is_some_and(u8::is_ascii_digit) {
            time.insert(5, ':');
        }
    }
    tokens
}

/// `15th` is `15`.
fn without_ordinal(word: &str) -> &str {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if is_number && matches!(&word[digits.len()..], "st" | "nd" | "rd" | "th") {
        digits
    } else {
        word
    }
}

/// The time and what follows it: `10:00:00+09:00`, `10:00z`.
fn split_zone(token: &str) -> (&str, &str) {
    let clock = token.find(['+', '-', '−', 'z', 'u', 'g']).unwrap_or(token.len());
    token.split_at(clock)
}

/// Minutes from UTC.
fn zone_offset(text: &str) -> Option<i64> {
    if let Some((_, hours)) = NAMED_ZONES.iter().find(|(name, _)| *name == text) {
        return Some(hours * 60);
    }
    let text = text.trim_start_matches("utc").trim_start_matches("gmt");
    let (sign, digits) = match text.chars().next()? {
        '+' => (1, &text[1..]),
        '-' => (-1, &text[1..]),
        '−' => (-1, &text['−'.len_utf8()..]),
        _ => return None,
    };
    let digits = digits.replace(':', "");
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let (hours, minutes): (i64, i64) = match digits.len() {
        1 | 2 => (digits.parse().ok()?, 0),
        4 => (digits[..2].parse().ok()?, digits[2..].parse().ok()?),
        _ => return None,
    };
    (hours < 24 && minutes < 60).then_some(sign * (hours * 60 + minutes))
}

fn clock(text: &str) -> Option<NaiveTime> {
    TIME_FORMATS.iter().find_map(|format| NaiveTime::parse_from_str(text, format).ok())
}

fn day(words: &[&str]) -> Option<NaiveDate> {
    let text = words.join(" ");
    // The day of the year has three digits, or `2024-03` would be one.
    let ordinal = (text.len() == "2024-075".len()).then_some("%Y-%j");
    let parsed = DATE_FORMATS.iter().chain(&ordinal).find_map(|format| {
        // `%Y` alone would take the year 15 of `15.03.2024` for one of two digits.
        NaiveDate::parse_from_str(&text, format).ok().filter(|date| is_plausible(*date))
    });
    parsed.or_else(|| month_only(&text)).or_else(|| by_slashes(&text))
}

/// `2024-03`, `Mar 2024`: the first day.
fn month_only(text: &str) -> Option<NaiveDate> {
    ["%Y-%m %d", "%Y/%m %d", "%B %Y %d", "%Y %B %d"].iter().find_map(|format| {
        NaiveDate::parse_from_str(&format!("{text} 1"), format)
            .ok()
            .filter(|date| is_plausible(*date))
    })
}

/// `15/03/2024` or `03/15/2024`, where only one of the two can be meant.
fn by_slashes(text: &str) -> Option<NaiveDate> {
    let month_last = NaiveDate::parse_from_str(text, "%d/%m/%Y").ok();
    let month_first = NaiveDate::parse_from_str(text, "%m/%d/%Y").ok();
    match (month_last, month_first) {
        (Some(one), Some(other)) if one != other => None,
        (one, other) => one.or(other).filter(|date| is_plausible(*date)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// What `text` means, in seconds.
    fn seconds(text: &str) -> Option<i64> {
        of_value(&json!(text)).map(|microseconds| microseconds / 1_000_000)
    }

    #[test]
    fn one_day_is_one_instant_however_it_is_written() {
        for text in [
            "2024-03-15",
            "2024/03/15",
            "2024.03.15",
            "20240315",
            "2024-W11-5",
            "2024-075",
            "15.03.2024",
            "15 Mar 2024",
            "15 March 2024",
            "Mar 15, 2024",
            "March 15th, 2024",
            "Mar. 15 2024",
            "Friday, March 15, 2024",
            "Fri, 15 Mar 2024",
            "15-Mar-2024",
            "2024 Mar 15",
            "15th of March 2024",
            "15/03/2024",
            "03/15/2024",
            "2024-03-15T00:00Z",
            "2024-03-15T00:00:00+00:00",
            "20240315T000000Z",
            "20240315000000",
            "1710460800",
            "1710460800000",
            "  2024-03-15 ",
            "2024-03-15 00:00:00 UTC",
            "15 MAR 2024 12:00 am",
        ] {
            assert_eq!(seconds(text), Some(1_710_460_800), "{text}");
        }
    }

    #[test]
    fn times_and_zones_count() {
        for (text, expected) in [
            ("2024-03-15T10:00:00Z", 1_710_496_800),
            ("2024-03-15T10:00:00+09:00", 1_710_496_800 - 9 * 3600),
            ("2024-03-15T10:00:00.250-0530", 1_710_496_800 + 5 * 3600 + 1800),
            ("2024-03-15 10:00", 1_710_496_800),
            ("Fri, 15 Mar 2024 10:00:00 +0200", 1_710_496_800 - 7200),
            ("Fri, 15 Mar 2024 10:00:00 +0200 (CEST)", 1_710_496_800 - 7200),
            ("15 Mar 2024 10:00:00 GMT", 1_710_496_800),
            ("15 Mar 2024 10:00:00 EST", 1_710_496_800 + 5 * 3600),
            ("Fri Mar 15 10:00:00 2024", 1_710_496_800),
            ("Fri Mar 15 10:00:00 UTC 2024", 1_710_496_800),
            ("March 15, 2024 at 10:00 AM", 1_710_496_800),
            ("March 15, 2024 10:00 p.m.", 1_710_496_800 + 12 * 3600),
            ("20240315T100000Z", 1_710_496_800),
            ("20240315100000", 1_710_496_800),
        ] {
            assert_eq!(seconds(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn months_and_years_are_their_first_day() {
        let first = seconds("2024-03-01");
        assert!(first.is_some());
        assert_eq!(seconds("2024-03"), first);
        assert_eq!(seconds("March 2024"), first);
        assert_eq!(seconds("2024"), seconds("2024-01-01"));
        assert_eq!(of_value(&json!(2024)), of_value(&json!("2024-01-01")));
    }

    #[test]
    fn what_is_no_date_or_may_be_two_is_none() {
        for text in [
            "",
            "soon",
            "yesterday",
            "03/04/2024",
            "2024-13-01",
            "31 Feb 2024",
            "10:00",
            "Friday",
            "2024-03-15T25:00:00Z",
            "15 Mar",
            "v2.0.1",
            "2024-03-15T10:00:00+99:00",
            "0001-01-01",
            "\u{202e}2024",
            "2024-03-15 or so",
        ] {
            assert_eq!(seconds(text), None, "{text}");
        }
        for value in [json!(null), json!(true), json!([2024]), json!(1e30)] {
            assert_eq!(of_value(&value), None, "{value}");
        }
    }

    #[test]
    fn epochs_are_told_apart_by_their_size() {
        for value in [json!(1_710_460_800), json!(1_710_460_800_000_i64), json!(1.7104608e15)] {
            assert_eq!(of_value(&value), Some(1_710_460_800_000_000), "{value}");
        }
        assert_eq!(of_value(&json!(1_710_460_800.5)), Some(1_710_460_800_500_000));
    }
}
