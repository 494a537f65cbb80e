//! Times as people write them: `30d`, `2026-11-01`, `2026-11-01T12:00:00Z`.

use std::time::{SystemTime, UNIX_EPOCH};

const SECOND: u64 = 1000;
const DAY: u64 = 86_400 * SECOND;

/// A point in time: absolute, or so long ago.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// Milliseconds since 1970.
    At(u64),
    /// Milliseconds before now.
    Ago(u64),
}

impl Moment {
    /// The time in milliseconds since 1970.
    pub fn before(self, now: u64) -> u64 {
        match self {
            Self::At(time) => time,
            Self::Ago(span) => now.saturating_sub(span),
        }
    }
}

/// The clock, in milliseconds since 1970.
pub fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// Reads `90s`, `15m`, `12h`, `30d` or `2w` as milliseconds.
pub fn parse_duration(text: &str) -> Result<u64, String> {
    let wrong = || format!("{text} is no time such as 90s, 15m, 12h, 30d or 2w");
    let (number, unit) = text.split_at_checked(text.len().saturating_sub(1)).ok_or_else(wrong)?;
    let unit = match unit {
        "s" => SECOND,
        "m" => 60 * SECOND,
        "h" => 3600 * SECOND,
        "d" => DAY,
        "w" => 7 * DAY,
        _ => return Err(wrong()),
    };
    let number: u64 = number.parse().map_err(|_| wrong())?;
    number.checked_mul(unit).filter(|span| *span > 0).ok_or_else(wrong)
}

/// Reads a date, a date with a time in UTC, or a duration before now.
pub fn parse_time(text: &str) -> Result<Moment, String> {
    if let Ok(span) = parse_duration(text) {
        return Ok(Moment::Ago(span));
    }
    let wrong = || format!("{text} is no time such as 2026-11-01, 2026-11-01T12:00:00Z or 30d");
    let (date, time) = text.split_once(['T', ' ']).unwrap_or((text, "00:00:00"));
    let numbers = |text: &str, separator: char| -> Option<[u64; 3]> {
        let parts: Option<Vec<u64>> = text.split(separator).map(|part| part.parse().ok()).collect();
        parts?.try_into().ok()
    };
    let [year, month, day] = numbers(date, '-').ok_or_else(wrong)?;
    let time = time.strip_suffix('Z').unwrap_or(time);
    let [hour, minute, second] = numbers(time, ':').ok_or_else(wrong)?;
    let fits = (1970..10_000).contains(&year) && (1..=12).contains(&month) && day >= 1;
    if !fits || day > days_in(year, month) || hour > 23 || minute > 59 || second > 59 {
        return Err(wrong());
    }
    let years: u64 = (1970..year).map(|year| if is_leap(year) { 366 } else { 365 }).sum();
    let months: u64 = (1..month).map(|month| days_in(year, month)).sum();
    let days = years + months + day - 1;
    Ok(Moment::At(days * DAY + (hour * 3600 + minute * 60 + second) * SECOND))
}

fn is_leap(year: u64) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

fn days_in(year: u64, month: u64) -> u64 {
    match month {
        2 => 28 + u64::from(is_leap(year)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_people_write_them() {
        assert_eq!(parse_duration("30d"), Ok(30 * DAY));
        assert_eq!(parse_duration("90s"), Ok(90_000));
        for wrong in ["", "d", "3", "-3d", "0d", "3 d", "3y", "99999999999999999d"] {
            assert!(parse_duration(wrong).is_err(), "{wrong}");
        }
        assert_eq!(parse_time("1970-01-02"), Ok(Moment::At(DAY)));
        assert_eq!(parse_time("2024-03-01T00:00:01Z"), Ok(Moment::At(1_709_251_201_000)));
        assert_eq!(parse_time("2h"), Ok(Moment::Ago(7_200_000)));
        assert_eq!(Moment::Ago(10).before(15), 5);
        for wrong in ["2023-02-29", "2023-13-01", "2023-1", "yesterday", "2023-01-01T25:00:00"] {
            assert!(parse_time(wrong).is_err(), "{wrong}");
        }
    }
}
