//! Damaged statistics: refused with a sentence, whatever byte is wrong.

use super::{Chance, families, rounds};
use crate::program::Workplace;

#[test]
fn damaged_statistics_are_refused() {
    let place = Workplace::new();
    let mut chance = Chance(5);
    place.file("in.jsonl", families(5).concat());
    place.succeed(&["stats", "in.jsonl", "--method", "imatch", "--out", "own.stats"]);
    let whole = std::fs::read(place.path("own.stats")).unwrap();
    for round in 0..rounds(20, 1000) {
        let mut bytes = whole.clone();
        let at = chance.below(bytes.len());
        match chance.below(3) {
            0 => bytes[at] ^= 1 << chance.below(8),
            1 => bytes.truncate(at),
            _ => bytes.insert(at, chance.next() as u8),
        }
        std::fs::write(place.path("damaged.stats"), &bytes).unwrap();
        let run = place.run(&[
            "find",
            "in.jsonl",
            "--method",
            "imatch",
            "--stats",
            "damaged.stats",
            "-q",
        ]);
        assert_eq!(run.status, 1, "round {round}, byte {at}: {}", run.stderr);
        assert!(run.stderr.contains("damaged.stats"), "round {round}: {}", run.stderr);
    }
}
