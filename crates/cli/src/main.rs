//! The binary `lookalike`.

fn main() {}
