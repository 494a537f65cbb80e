//! Amounts of memory as people write them: `64M`, `8G`.

use std::fmt;
use std::str::FromStr;

use crate::ConfigError;

/// A number of bytes, written with a binary suffix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ByteSize(pub u64);

const SUFFIXES: [(char, u32); 4] = [('K', 10), ('M', 20), ('G', 30), ('T', 40)];

/// Below this a number was given without its unit.
const SMALLEST: f64 = 4096.0;

impl ByteSize {
    /// The size as this machine counts memory.
    pub fn bytes(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

impl FromStr for ByteSize {
    type Err = ConfigError;

    fn from_str(text: &str) -> Result<Self, ConfigError> {
        let wrong = || ConfigError::Value {
            key: "memory",
            value: text.to_owned(),
            expected: "a size of at least 4K, such as 512M or 8G",
        };
        let upper = text.trim().to_ascii_uppercase();
        let digits = upper.trim_end_matches("IB").trim_end_matches('B');
        let suffix = SUFFIXES.iter().find(|(suffix, _)| digits.ends_with(*suffix));
        let (number, shift) = match suffix {
            Some((suffix, shift)) => (digits.trim_end_matches(*suffix), *shift),
            None => (digits, 0),
        };
        let number: f64 = number.trim().parse().map_err(|_| wrong())?;
        let bytes = number * f64::from(shift).exp2();
        if !(bytes >= SMALLEST && bytes < u64::MAX as f64) {
            return Err(wrong());
        }
        Ok(Self(bytes as u64))
    }
}

impl fmt::Display for ByteSize {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let exact = SUFFIXES
            .iter()
            .rev()
            .find(|(_, shift)| self.0 != 0 && self.0.trailing_zeros() >= *shift);
        match exact {
            Some((suffix, shift)) => write!(formatter, "{}{suffix}", self.0 >> shift),
            None => write!(formatter, "{}", self.0),
        }
    }
}

crate::serde_as_text!(ByteSize);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_people_write_them() {
        for (text, bytes) in [
            ("64M", 64 << 20),
            ("8G", 8 << 30),
            ("8GiB", 8 << 30),
            ("4.5k", 4608),
            ("10000", 10000),
        ] {
            assert_eq!(text.parse::<ByteSize>().unwrap().0, bytes, "{text}");
        }
        for text in ["", "G", "-1G", "8X", "0", "8", "3K"] {
            assert!(text.parse::<ByteSize>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_size_is_written_as_it_is_read() {
        for text in ["64M", "8G", "1536K", "10001"] {
            assert_eq!(text.parse::<ByteSize>().unwrap().to_string(), text);
        }
    }
}
