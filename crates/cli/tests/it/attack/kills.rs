//! Killed at random moments of replacing an old result.
#![cfg(target_os = "linux")]

use super::{Chance, families, rounds};
use crate::program::{Workplace, read};

/// One whole result, of one of the two inputs, with everything that is not ours.
fn check(place: &Workplace, sizes: [usize; 2]) {
    let documents = place.summary("out")["documents"].as_u64().unwrap() as usize;
    assert!(sizes.contains(&documents), "{documents}");
    let rows = place.result("out/kept.jsonl").len() + place.result("out/removed.jsonl").len();
    assert_eq!(rows, documents, "kept and removed rows are of one run");
    let removed = place.result("out/removed.jsonl").len();
    let copies =
        place.result("out/clusters.jsonl").iter().filter(|row| row["keeper"] == false).count();
    assert_eq!(copies, removed, "clusters and removed rows are of one run");
    assert!(place.path("out/pairs.jsonl").exists() && place.path("out/config.toml").exists());
    assert_eq!(read(&place.path("out/kept.notes.txt")), "mine");
    assert_eq!(read(&place.path("out/deep/down.txt")), "mine");
}

#[test]
fn a_run_killed_at_any_moment_leaves_one_whole_result() {
    let place = Workplace::new();
    let sizes = [120, 200];
    let inputs = ["old.jsonl", "new.jsonl"];
    for (input, size) in inputs.into_iter().zip(sizes) {
        place.file(input, families(size / 4).concat());
    }
    let arguments = |input| ["dedup", input, "--out", "out", "--force", "-q", "--threads", "1"];
    place.succeed(&arguments(inputs[0]));
    place.file("out/kept.notes.txt", "mine");
    place.file("out/deep/down.txt", "mine");
    let start = std::time::Instant::now();
    place.succeed(&arguments(inputs[0]));
    let duration = start.elapsed();
    let mut chance = Chance(3);
    let mut killed = 0;
    for round in 0..rounds(25, 500) {
        let mut child = place.command(&arguments(inputs[round % 2])).spawn().unwrap();
        // Most of the time near the end, where files change their names.
        let share = 1000 - chance.below(1000) * chance.below(1000) / 1000;
        std::thread::sleep(duration * share as u32 / 900);
        let _ = child.kill();
        killed += usize::from(!child.wait().unwrap().success());
        check(&place, sizes);
    }
    place.succeed(&arguments(inputs[0]));
    check(&place, [sizes[0]; 2]);
    assert!(!place.path(".out.lookalike-work").exists());
    assert!(killed > 0, "no run was killed in time");
}
