//! The names of the five syntactic filters.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The syntactic filters of the 2002 paper (Table II), in any combination.
///
/// Read from and written as the paper's names: `sw,tg5,tl25,nosc,stem` in any order, `none` or
/// nothing for no filter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct SyntacticFilters {
    /// `sw`: drop the 571 SMART stop words.
    pub stop_words: bool,
    /// `tg5`: drop terms shorter than 5 characters.
    pub at_least_5: bool,
    /// `tl25`: drop terms longer than 25 characters.
    pub at_most_25: bool,
    /// `nosc`: drop terms with special characters, anything but letters and digits.
    ///
    /// It has work to do with [`crate::WordRule::Whitespace`]; the other rules leave no special
    /// character in a term but the underscore.
    pub no_special: bool,
    /// `stem`: reduce terms by Porter's algorithm.
    pub stem: bool,
}

/// A name that none of the five filters has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no filter is called `{name}`; the filters are sw, tg5, tl25, nosc, stem")]
pub struct FilterNameError {
    /// The name as it was given.
    pub name: String,
}

impl SyntacticFilters {
    /// All 32 combinations, from no filter to all five.
    pub fn all_combinations() -> impl Iterator<Item = Self> {
        (0u8..32).map(|bits| {
            let mut filters = Self::default();
            for (position, (_, flag)) in filters.flags_mut().into_iter().enumerate() {
                *flag = bits >> position & 1 == 1;
            }
            filters
        })
    }

    fn flags_mut(&mut self) -> [(&'static str, &mut bool); 5] {
        [
            ("sw", &mut self.stop_words),
            ("tg5", &mut self.at_least_5),
            ("tl25", &mut self.at_most_25),
            ("nosc", &mut self.no_special),
            ("stem", &mut self.stem),
        ]
    }
}

impl FromStr for SyntacticFilters {
    type Err = FilterNameError;

    fn from_str(names: &str) -> Result<Self, Self::Err> {
        let mut filters = Self::default();
        if matches!(names.trim(), "" | "none") {
            return Ok(filters);
        }
        for name in names.split(',').map(str::trim) {
            let flags = filters.flags_mut();
            match flags.into_iter().find(|(known, _)| *known == name) {
                Some((_, flag)) => *flag = true,
                None => return Err(FilterNameError { name: name.to_owned() }),
            }
        }
        Ok(filters)
    }
}

impl fmt::Display for SyntacticFilters {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut filters = *self;
        let names: Vec<_> = filters
            .flags_mut()
            .into_iter()
            .filter(|(_, flag)| **flag)
            .map(|(name, _)| name)
            .collect();
        formatter.write_str(if names.is_empty() { "none" } else { "" })?;
        formatter.write_str(&names.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_combination_reads_back_from_its_names() {
        let combinations: Vec<_> = SyntacticFilters::all_combinations().collect();
        assert_eq!(combinations.len(), 32);
        for filters in combinations {
            assert_eq!(filters.to_string().parse(), Ok(filters));
        }
    }

    #[test]
    fn names_come_in_any_order_and_unknown_ones_are_refused() {
        let expected =
            SyntacticFilters { stem: true, no_special: true, ..SyntacticFilters::default() };
        assert_eq!("stem, nosc".parse(), Ok(expected));
        assert_eq!(expected.to_string(), "nosc,stem");
        assert_eq!(
            "sw,tg6".parse::<SyntacticFilters>(),
            Err(FilterNameError { name: "tg6".to_owned() })
        );
    }
}
