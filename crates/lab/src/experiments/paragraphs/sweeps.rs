//! One parameter at a time from given settings; k and m together, as in the paper.

use lookalike_learn::Table;
use lookalike_learn::compare::ComparedMethod;

use crate::LabError;
use crate::perturb::LabelledCopies;

/// What is set beside the base.
const SWEEPS: &[&str] = &[
    "min-words=9:max-sentences=6",
    "min-words=9:max-sentences=9",
    "min-words=11:max-sentences=6",
    "min-words=11:max-sentences=9",
    "min-words=13:max-sentences=6",
    "min-words=13:max-sentences=9",
    "min-words=15:max-sentences=6",
    "min-words=15:max-sentences=9",
    "min-words=5:max-sentences=9",
    "max-sentences=3",
    "threshold=0.3",
    "threshold=0.4",
    "threshold=0.5",
    "threshold=0.6",
    "threshold=0.7",
    "threshold=0.8",
    "threshold=0.9",
    "bits=32:max-distance=0",
    "bits=32:max-distance=2",
    "bits=32:max-distance=4",
    "bits=32:max-distance=6",
    "bits=32:max-distance=8",
    "bits=64:max-distance=0",
    "bits=64:max-distance=3",
    "bits=64:max-distance=8",
    "bits=64:max-distance=12",
    "bits=64:max-distance=16",
    "keywords=title",
    "keywords=text",
    "keywords=none",
    "keys=sentences",
    "keys=fingerprints",
    "relation=duplicate",
    "relation=contains",
    "relation=overlaps",
];

/// A row for each sweep.
pub fn run(copies: &LabelledCopies, base: &str) -> Result<Table, LabError> {
    let mut table = Table::new(format!("Sweeps from {base}"), &super::COLUMNS);
    for sweep in SWEEPS {
        // A parameter that is given twice counts as given last.
        let mut method = ComparedMethod::parse(&format!("{base}:{sweep}"))?;
        method.name = format!("paragraph:{sweep}");
        table.push(super::row(copies, "", &method, 1)?);
    }
    Ok(table)
}
