//! Numbers in a configuration that nobody can mean: each is refused by name, or works.

use std::collections::BTreeSet;

use lookalike::{Config, Document, Method};
use lookalike_detect::DetectorConfig;
use lookalike_detect::detectors::PARAMETER_BOUNDS;
use lookalike_testkit::{artifacts_for, corpus};
use toml::Value;

/// What a table with an unknown key inside `path` is told: the keys that are known there.
fn known_keys(method: &str, path: &[&str]) -> BTreeSet<String> {
    let with_unknown = table_with(method, &[path, &["bogus"]].concat(), Value::Integer(1));
    let message = Config::from_table(with_unknown).unwrap_err().to_string();
    let Some((_, known)) = message.split_once("expected") else { return BTreeSet::new() };
    known.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

fn table_with(method: &str, path: &[&str], value: Value) -> toml::Table {
    let mut table = toml::Table::new();
    let (last, parents) = path.split_last().unwrap();
    let mut place = &mut table;
    for parent in parents {
        let inner = place.entry(*parent).or_insert_with(|| toml::Table::new().into());
        place = inner.as_table_mut().unwrap();
    }
    place.insert((*last).to_owned(), value);
    table.insert("method".into(), method.into());
    table
}

/// Every key of a method and of the run that takes a number, as a path.
fn numeric_keys(method: &str) -> Vec<Vec<String>> {
    let mut paths: Vec<Vec<String>> =
        known_keys(method, &[]).into_iter().map(|key| vec![key]).collect();
    let run = Config::for_method(method).unwrap().to_toml().unwrap();
    let run: toml::Table = run.parse().unwrap();
    paths.extend(run.keys().map(|key| vec![key.clone()]));
    paths.extend(["accounted", "ignore-boilerplate"].map(|key| vec![key.to_owned()]));
    for parent in ["analyzer", "weights"] {
        let inner = known_keys(method, &[parent]).into_iter();
        paths.extend(inner.map(|key| vec![parent.to_owned(), key]));
    }
    paths.sort();
    paths.dedup();
    let takes_a_number = |path: &Vec<String>| {
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        // A number that is refused by name is one of a key that takes numbers.
        [Value::Integer(1), Value::Integer(2), Value::Integer(64), Value::Float(0.5)]
            .into_iter()
            .any(|number| Config::from_table(table_with(method, &path, number)).is_ok())
    };
    paths.retain(takes_a_number);
    paths
}

/// What a parameter is called that has other names, too.
fn name_of(key: &str) -> &str {
    match key {
        "num-perm" | "num_perm" => "permutations",
        "num-buckets" | "num_buckets" => "bands",
        "hashes-per-bucket" | "hashes_per_bucket" => "rows",
        "hash-bits" | "hash_bits" => "bits",
        // A distance is held against the bits.
        "bit-diff" | "bit_diff" => "distance",
        "jaccard-threshold" | "jaccard_threshold" => "threshold",
        "ngram-size" | "ngram_size" => "ngram",
        key => key,
    }
}

#[test]
fn every_number_of_every_method_works_or_is_refused_by_name() {
    let [left, right] = [corpus::STORIES[0], corpus::STORIES[5]].map(Document::from_text);
    let (mut n_keys, mut n_refused, mut n_worked) = (0, 0, 0);
    for (method, _) in DetectorConfig::METHODS {
        let artifacts = artifacts_for(&DetectorConfig::named(method).unwrap());
        for path in numeric_keys(method) {
            n_keys += 1;
            let name = path.join(".");
            let path: Vec<&str> = path.iter().map(String::as_str).collect();
            let bound = PARAMETER_BOUNDS.iter().find(|(known, ..)| *known == name);
            let most = bound.map_or(1024, |(_, most, _)| *most as i64);
            let whole = [1 << 32, i64::MAX, -1, 0, most, most.saturating_add(1)];
            let whole = whole.into_iter().map(Value::Integer);
            let fractions = [f64::NAN, f64::INFINITY, -1.0, 0.0, 1.0, 9.3e18].map(Value::Float);
            for value in whole.chain(fractions) {
                let told = format!("{method}: {name} = {value}");
                let made = Config::from_table(table_with(method, &path, value))
                    .map_err(|error| error.to_string())
                    .and_then(|config| {
                        Method::new(&config, artifacts.clone()).map_err(|error| error.to_string())
                    });
                match made {
                    Ok(method) => {
                        n_worked += 1;
                        if let (Ok(left), Ok(right)) =
                            (method.prepare(&left), method.prepare(&right))
                        {
                            let score = method.judge(&left, &right).unwrap().score;
                            assert!((0.0..=1.0).contains(&score), "{told}: score {score}");
                        }
                    }
                    // A fraction where a whole number belongs is told by its kind.
                    Err(reason) if reason.contains("invalid type: floating point") => {}
                    Err(reason) => {
                        n_refused += 1;
                        let key = path[path.len() - 1];
                        let is_named =
                            [key, name_of(key), path[0]].iter().any(|name| reason.contains(name))
                                || reason.contains("was trained with another analyzer")
                                || reason.contains("were counted with another analyzer");
                        assert!(is_named, "{told}: {reason}");
                    }
                }
            }
        }
    }
    assert!(n_keys > 150 && n_refused > 600 && n_worked > 200, "{n_keys} {n_refused} {n_worked}");
    if let Ok(status) = std::fs::read_to_string("/proc/self/status") {
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        let peak: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
        assert!(peak < 1 << 20, "{peak} kB");
    }
}
