//! Two different texts that were written to have the same XXH3 digest are two documents.

use xxhash_rust::xxh3::xxh3_128;

use crate::program::Workplace;

/// Lanes of eight bytes in a stripe, stripes between two scramblings.
const LANES: usize = 8;
const STRIPES: usize = 16;
const BLOCKS: usize = 4;

/// The secret of the XXH3 specification, as far as full blocks use it.
#[rustfmt::skip]
const SECRET: [u8; 192] = [
    0xb8, 0xfe, 0x6c, 0x39, 0x23, 0xa4, 0x4b, 0xbe, 0x7c, 0x01, 0x81, 0x2c, 0xf7, 0x21, 0xad, 0x1c,
    0xde, 0xd4, 0x6d, 0xe9, 0x83, 0x90, 0x97, 0xdb, 0x72, 0x40, 0xa4, 0xa4, 0xb7, 0xb3, 0x67, 0x1f,
    0xcb, 0x79, 0xe6, 0x4e, 0xcc, 0xc0, 0xe5, 0x78, 0x82, 0x5a, 0xd0, 0x7d, 0xcc, 0xff, 0x72, 0x21,
    0xb8, 0x08, 0x46, 0x74, 0xf7, 0x43, 0x24, 0x8e, 0xe0, 0x35, 0x90, 0xe6, 0x81, 0x3a, 0x26, 0x4c,
    0x3c, 0x28, 0x52, 0xbb, 0x91, 0xc3, 0x00, 0xcb, 0x88, 0xd0, 0x65, 0x8b, 0x1b, 0x53, 0x2e, 0xa3,
    0x71, 0x64, 0x48, 0x97, 0xa2, 0x0d, 0xf9, 0x4e, 0x38, 0x19, 0xef, 0x46, 0xa9, 0xde, 0xac, 0xd8,
    0xa8, 0xfa, 0x76, 0x3f, 0xe3, 0x9c, 0x34, 0x3f, 0xf9, 0xdc, 0xbb, 0xc7, 0xc7, 0x0b, 0x4f, 0x1d,
    0x8a, 0x51, 0xe0, 0x4b, 0xcd, 0xb4, 0x59, 0x31, 0xc8, 0x9f, 0x7e, 0xc9, 0xd9, 0x78, 0x73, 0x64,
    0xea, 0xc5, 0xac, 0x83, 0x34, 0xd3, 0xeb, 0xc3, 0xc5, 0x81, 0xa0, 0xff, 0xfa, 0x13, 0x63, 0xeb,
    0x17, 0x0d, 0xdd, 0x51, 0xb7, 0xf0, 0xda, 0x49, 0xd3, 0x16, 0x55, 0x26, 0x29, 0xd4, 0x68, 0x9e,
    0x2b, 0x16, 0xbe, 0x58, 0x7d, 0x47, 0xa1, 0xfc, 0x8f, 0xf8, 0xb8, 0xd1, 0x7a, 0xd0, 0x31, 0xce,
    0x45, 0xcb, 0x3a, 0x8f, 0x95, 0x16, 0x04, 0x28, 0xaf, 0xd7, 0xfb, 0xca, 0xbb, 0x4b, 0x40, 0x7e,
];

fn secret(stripe: usize, lane: usize) -> [u8; 8] {
    let start = 8 * (stripe + lane);
    SECRET[start..start + 8].try_into().unwrap()
}

/// Two texts of 4 KB with the same digest, in which three words of four differ.
///
/// A lane adds its value to its neighbor's sum, and to its own the product of the two halves of
/// value XOR secret. Two stripes of a block whose upper halves are equal after XOR may exchange
/// bits of their lower halves, wherever their secrets agree: both sums stay what they were.
fn texts_of_one_digest() -> [String; 2] {
    let mut random = 7_u64;
    let mut next = |below: usize| {
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (random >> 33) as usize % below
    };
    let length = BLOCKS * STRIPES * LANES * 8;
    // Letters and blanks, with a last block that stays as it is.
    let mut left: Vec<u8> = (0..length + 200).map(|_| b"abcdefgno  "[next(11)]).collect();
    let mut right = left.clone();
    for block in 0..BLOCKS {
        for lane in 0..LANES {
            let mut free: Vec<usize> = (0..STRIPES).collect();
            while let Some(first) = free.pop() {
                let halves = |second: usize| -> Option<[[u8; 2]; 4]> {
                    let (a, b) = (secret(first, lane), secret(second, lane));
                    let is_text = |byte: &u8| (b' '..=b'~').contains(byte) && *byte != b'`';
                    let pair = |i: usize| {
                        let difference = a[4 + i] ^ b[4 + i];
                        let byte = (b' '..=b'~').rev().find(|c| is_text(&(c ^ difference)))?;
                        Some([byte, byte ^ difference])
                    };
                    Some([pair(0)?, pair(1)?, pair(2)?, pair(3)?])
                };
                let Some((place, upper)) =
                    (0..free.len()).find_map(|place| Some((place, halves(free[place])?)))
                else {
                    continue;
                };
                let second = free.remove(place);
                let (a, b) = (secret(first, lane), secret(second, lane));
                let start = |stripe: usize| 8 * ((block * STRIPES + stripe) * LANES + lane);
                for (i, halves) in upper.into_iter().enumerate() {
                    let (x, y) = (start(first) + i, start(second) + i);
                    for text in [&mut left, &mut right] {
                        [text[x + 4], text[y + 4]] = halves;
                    }
                    let base = b"hp"[next(2)];
                    let agreeing = (0..3).find(|bit| (a[i] ^ b[i]) >> bit & 1 == 0);
                    let bit = agreeing.map_or(0, |bit| 1 << bit);
                    (left[x], left[y]) = (base, base | bit);
                    (right[x], right[y]) = (base | bit, base);
                }
            }
        }
    }
    [left, right].map(|text| String::from_utf8(text).unwrap())
}

#[test]
fn a_crafted_collision_of_digests_is_no_copy() {
    let [left, right] = texts_of_one_digest();
    assert_eq!(xxh3_128(left.as_bytes()), xxh3_128(right.as_bytes()));
    let differing = left.bytes().zip(right.bytes()).filter(|(l, r)| l != r).count();
    assert!(differing > 800, "{differing} bytes differ");

    let place = Workplace::new();
    let input = place.rows("rows.jsonl", &[("left", &left), ("right", &right), ("copy", &left)]);
    for method in ["minhash", "exact", "simhash", "paragraph", "spotsigs", "longsentences"] {
        place.succeed(&["find", &input, "--method", method, "--out", "out", "--force"]);
        let summary = place.summary("out");
        // The true copy alone goes, also where the method calls the texts too short.
        assert_eq!(summary["removed"], 1, "{method}: {summary}");
    }
}
