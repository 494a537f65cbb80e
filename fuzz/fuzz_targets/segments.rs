//! Sentences and paragraphs: in order, inside the text, at the edges of characters.
#![no_main]

use std::ops::Range;

use lookalike_text::segment::{Language, paragraphs, sentences};

fn check(text: &str, pieces: impl Iterator<Item = Range<usize>>) {
    let mut end = 0;
    for piece in pieces {
        assert!(end <= piece.start && piece.start < piece.end, "{piece:?} after {end}");
        assert!(text.get(piece.clone()).is_some_and(|piece| !piece.trim().is_empty()));
        end = piece.end;
    }
}

libfuzzer_sys::fuzz_target!(|text: &str| {
    check(text, sentences(text, Language::detect(text)));
    check(text, sentences(text, None));
    check(text, paragraphs(text));
});
