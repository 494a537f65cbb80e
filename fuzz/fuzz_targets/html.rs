//! Any page: its text is found, without the tags that surround it.
#![no_main]

use lookalike_text::extract;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let decoded = extract::decode_html(bytes);
    if let Ok(page) = extract::html(&decoded.text) {
        assert_eq!(page.text, page.text.trim_end());
    }
});
