//! Every row of a damaged file comes out again: kept, removed or put aside.

use super::{Chance, families, rounds};
use crate::program::Workplace;

fn n_lines(place: &Workplace, name: &str) -> usize {
    let bytes = std::fs::read(place.path(name)).unwrap_or_default();
    bytes.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii_start().is_empty()).count()
}

#[test]
fn rows_in_are_rows_out() {
    let place = Workplace::new();
    let mut chance = Chance(21);
    let whole = families(6).concat().into_bytes();
    for round in 0..rounds(25, 1000) {
        let mut bytes = whole.clone();
        for _ in 0..=chance.below(12) {
            let at = chance.below(bytes.len().max(1));
            bytes.resize(bytes.len().max(200), b' ');
            match chance.below(5) {
                0 => bytes[at] = chance.next() as u8,
                1 => bytes[at] = b'\n',
                2 => bytes.insert(at, b'"'),
                3 => bytes.truncate(at.max(200)),
                _ => drop(bytes.drain(at..(at + 300).min(bytes.len()))),
            }
        }
        std::fs::write(place.path("in.jsonl"), &bytes).unwrap();
        let run = place.run(&["dedup", "in.jsonl", "--out", "out", "--force", "-q"]);
        assert!(!run.stderr.contains("panicked"), "round {round}: {}", run.stderr);
        // Ids that became the same are refused, and so is a file without any document.
        if run.status != 0 {
            let known = ["two documents have the id", "no document could be read"];
            assert!(known.iter().any(|known| run.stderr.contains(known)), "{}", run.stderr);
            continue;
        }
        let outputs = ["out/kept.jsonl", "out/removed.jsonl", "out/unreadable.raw"];
        let n_out: usize = outputs.iter().map(|name| n_lines(&place, name)).sum();
        assert_eq!(n_out, n_lines(&place, "in.jsonl"), "round {round}");
        assert_eq!(place.summary("out")["documents"], n_out);
    }
}
