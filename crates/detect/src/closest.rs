//! What somebody meant who mistyped a name.

/// Names that are less alike than this are different words.
const ALIKE: f64 = 0.85;

/// The name that is most like what was typed, if one is like it; of equals the first.
pub fn closest<'n>(typed: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let mut best: Option<(f64, &str)> = None;
    for name in names {
        let alike = strsim::jaro_winkler(typed, name);
        if alike >= best.map_or(ALIKE, |(most, _)| most.next_up()) {
            best = Some((alike, name));
        }
    }
    best.map(|(_, name)| name)
}

/// The question that an error asks of somebody who mistyped a name; nothing where no name is like it.
pub(crate) fn did_you_mean<'n>(typed: &str, names: impl IntoIterator<Item = &'n str>) -> String {
    closest(typed, names).map_or(String::new(), |name| format!("did you mean `{name}`? "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistyped_name_is_recognized_and_another_word_is_not() {
        let names = ["minhash", "simhash", "exact", "minwise"];
        assert_eq!(closest("minhsh", names), Some("minhash"));
        assert_eq!(closest("Exact", names), Some("exact"));
        assert_eq!(closest("jaccard", names), None);
        assert_eq!(did_you_mean("", names), "");
    }
}
