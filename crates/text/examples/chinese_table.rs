//! Makes `data/chinese-words.bin`, the dictionary of `tokenize/chinese.rs`, from jieba's word list.
//!
//! `cargo run --release --example chinese_table < dict.txt > data/chinese-words.bin`, where
//! `dict.txt` is the file of that name in the crate jieba-rs: a word, its frequency and a tag a
//! line. The reader's documentation describes what is written.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::io::{Read, Write};

#[derive(Default)]
struct Node {
    children: BTreeMap<u16, Node>,
    frequency: Option<u64>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut list = String::new();
    std::io::stdin().read_to_string(&mut list)?;
    let (mut root, mut total) = (Node::default(), 0u64);
    for line in list.lines() {
        let mut fields = line.split_ascii_whitespace();
        let (Some(word), Some(frequency)) = (fields.next(), fields.next()) else { continue };
        let frequency: u64 = frequency.parse()?;
        total += frequency;
        // Words with other characters are never met between Chinese ones, but they count in the
        // total.
        if word.chars().all(|character| ('\u{4E00}'..='\u{9FFF}').contains(&character)) {
            let units = word.encode_utf16();
            let node = units.fold(&mut root, |node, unit| node.children.entry(unit).or_default());
            node.frequency = Some(frequency);
        }
    }
    let mut nodes: Vec<(u16, &Node)> = vec![(0, &root)];
    let mut first_children = Vec::new();
    let mut next = 0;
    while next < nodes.len() {
        first_children.push(u32::try_from(nodes.len())?);
        nodes.extend(nodes[next].1.children.iter().map(|(letter, child)| (*letter, child)));
        next += 1;
    }
    first_children.push(u32::try_from(nodes.len())?);
    let frequencies: BTreeSet<u64> = nodes.iter().filter_map(|(_, node)| node.frequency).collect();
    let frequencies: Vec<u64> = frequencies.into_iter().collect();

    let mut table = Vec::new();
    table.extend(u32::try_from(nodes.len())?.to_le_bytes());
    table.extend(u32::try_from(frequencies.len())?.to_le_bytes());
    table.extend((-(total as f64).ln()).to_le_bytes());
    for frequency in &frequencies {
        table.extend(((*frequency as f64).ln() - (total as f64).ln()).to_le_bytes());
    }
    table.extend(first_children.iter().flat_map(|first| first.to_le_bytes()));
    table.extend(nodes.iter().flat_map(|(letter, _)| letter.to_le_bytes()));
    for (_, node) in &nodes {
        let rank = node.frequency.map_or(Ok(0), |own| {
            u16::try_from(frequencies.partition_point(|other| *other < own) + 1)
        })?;
        table.extend(rank.to_le_bytes());
    }
    Ok(std::io::stdout().write_all(&table)?)
}
