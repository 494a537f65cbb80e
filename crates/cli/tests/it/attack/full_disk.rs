//! No room: the run fails with a sentence, and the old result stays.
#![cfg(target_os = "linux")]

use std::process::Command;

use super::families;
use crate::program::{Workplace, read};

#[test]
fn a_file_that_cannot_grow_leaves_the_old_result() {
    let place = Workplace::new();
    place.file("in.jsonl", families(200).concat());
    place.file("small.jsonl", families(2).concat());
    place.succeed(&["dedup", "small.jsonl", "--out", "out", "-q"]);
    let old = read(&place.path("out/kept.jsonl"));
    // Files of at most 64 blocks of 512 bytes or 1 KB; writing more sends a signal, which the
    // program takes for an error.
    let limited = "ulimit -f 64; exec \"$0\" dedup in.jsonl --out out --force -q";
    let output = Command::new("bash")
        .args(["-c", limited, env!("CARGO_BIN_EXE_lookalike")])
        .current_dir(place.path("."))
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("out/") && stderr.contains(".jsonl: cannot be written"), "{stderr}");
    assert!(!stderr.contains("lookalike-work"), "{stderr}");
    assert_eq!(read(&place.path("out/kept.jsonl")), old);
    assert!(!place.path(".out.lookalike-work").exists());
}

/// Needs the right to mount, in a namespace of its own; without it only the test above counts.
#[test]
fn a_full_file_system_leaves_the_old_result() {
    let place = Workplace::new();
    place.file("in.jsonl", families(300).concat());
    place.file("small.jsonl", families(2).concat());
    place.file("disk/.here", "");
    let script = "mount -t tmpfs -o size=128k tmpfs disk || exit 77
        \"$0\" dedup small.jsonl --out disk/out -q || exit 78
        before=$(cat disk/out/kept.jsonl | cksum)
        \"$0\" dedup in.jsonl --out disk/out --force -q; status=$?
        [ \"$before\" = \"$(cat disk/out/kept.jsonl | cksum)\" ] || exit 79
        [ -z \"$(find disk -name '*lookalike-work*')\" ] || exit 80
        exit $status";
    let output = Command::new("unshare")
        .args(["-rm", "bash", "-c", script, env!("CARGO_BIN_EXE_lookalike")])
        .current_dir(place.path("."))
        .output();
    let Ok(output) = output else { return };
    let stderr = String::from_utf8_lossy(&output.stderr);
    if output.status.code() == Some(77) || stderr.contains("unshare") {
        return;
    }
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("cannot"), "{stderr}");
}
