//! The durable index says what a batch over its documents would.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use lookalike::{
    Artifacts, ByteSize, CheckStatus, Config, Context, Corpus, Document, Index, IndexError,
    IndexOptions, IndexReader, Interrupt, LISTED_MATCHES, OnDuplicate, OutputFolder, OwnedDocument,
    PairsWritten, RunError, Silent, StoredParts, find, find_against, write_findings,
};
use lookalike_detect::train::LabelledDocument;
use lookalike_testkit::artifacts_from;

const WORDS: &str = "harbor winter ferry council island decided night crossing because storm pier captain \
    years daily northern last spring route bridge market price onion school river teacher song \
    window train garden letter paper morning engine wheel coffee summer forest candle mirror";

/// Numbers that follow from a seed.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) % limit as u64) as usize
    }
}

/// The family of texts that are too short for most methods.
const SHORT: usize = 40;

/// A text of a few paragraphs; two of one family differ in a word or in nothing.
fn text(random: &mut Random, family: usize) -> String {
    if family == SHORT {
        return ["?!", "!?", "Storm!", "", " "][random.below(5)].to_owned();
    }
    let words: Vec<&str> = WORDS.split_whitespace().collect();
    let mut fixed = Random(family as u64 * 7919 + 1);
    let mut text = String::new();
    for paragraph in 0..3 {
        for at in 0..45 {
            let word = words[fixed.below(words.len())];
            text.push_str(word);
            text.push_str(if at % 15 == 14 { ". " } else { " " });
        }
        text.push_str(if paragraph < 2 { "\n\n" } else { "" });
    }
    match random.below(3) {
        0 => text,
        1 => text.replacen("harbor", "airport", 1),
        _ => format!("{text} {}", words[random.below(words.len())]),
    }
}

fn config(table: toml::Table) -> Config {
    Config::from_table(table).unwrap()
}

fn methods() -> Vec<Config> {
    vec![
        config(toml::toml! { method = "minhash" threads = 1 }),
        config(toml::toml! { method = "imatch" bags = 3 threads = 1 }),
        config(toml::toml! { method = "simhash" threads = 1 }),
        config(toml::toml! { method = "paragraph" threads = 1 pairs = "all" }),
        config(toml::toml! { method = "andd-cosine" threads = 1 }),
    ]
}

/// The artefacts that a method needs, made from some documents of the same kind.
fn made_for(config: &Config) -> Artifacts {
    let mut random = Random(5);
    let texts: Vec<String> = (0..40).map(|at| text(&mut random, at % 20)).collect();
    let labelled = texts.iter().enumerate().map(|(at, text)| LabelledDocument {
        document: Document::from_text(text),
        cluster: (at % 20) as u32,
    });
    artifacts_from(&config.detector, &labelled.collect::<Vec<_>>())
}

/// The files of a run that do not depend on the clock.
fn result_files(findings: &lookalike::Findings, config: &Config, folder: &Path) -> [String; 2] {
    let _ = std::fs::remove_dir_all(folder);
    let out = OutputFolder::create(folder, false).unwrap();
    write_findings(findings, config, &out).unwrap();
    out.commit().unwrap();
    ["clusters.jsonl", "pairs.jsonl"]
        .map(|name| std::fs::read_to_string(folder.join(name)).unwrap())
}

/// An index beside the naive one: a list of documents with the time they expire at, in the order of
/// adding, and what people said.
struct History<'a> {
    config: &'a Config,
    artifacts: Artifacts,
    context: &'a Context<'a>,
    path: PathBuf,
    index: Index,
    live: Vec<(OwnedDocument, u64)>,
    said: Vec<(String, String, bool)>,
    clock: u64,
    crashes: usize,
}

const TIME_TO_LIVE: u64 = 1_000;

impl<'a> History<'a> {
    fn begin(config: &'a Config, context: &'a Context<'a>) -> Self {
        let artifacts = made_for(config);
        let path = context.temp_dir.join("index");
        let options = IndexOptions { time_to_live: Some(TIME_TO_LIVE), ..IndexOptions::default() };
        let index = Index::create(&path, config, artifacts.clone(), options).unwrap();
        let (live, said) = (Vec::new(), Vec::new());
        Self { config, artifacts, context, path, index, live, said, clock: 1_000, crashes: 0 }
    }

    fn step(&mut self, random: &mut Random) {
        // Now and then the clock goes back, which must bring nothing back.
        let moved = random.below(200) as u64;
        let clock = if random.below(10) == 0 { self.clock - moved } else { self.clock + moved };
        self.clock = self.clock.max(clock);
        let id = |random: &mut Random| format!("d{}", random.below(60));
        match random.below(12) {
            0 => {
                let id = id(random);
                self.live.retain(|(document, _)| document.id != id);
                self.index.remove(vec![id], clock).unwrap();
            }
            1 => self.index.compact(clock).unwrap(),
            2 => self.reopen(),
            3 => self.crash(),
            4 | 5 => self.judge((id(random), id(random)), random.below(2) == 0, clock),
            6 => {
                self.index.expire(clock).unwrap();
            }
            _ => {
                let document = |_| {
                    let (id, family) = (id(random), [0, 1, 2, 3, 4, SHORT][random.below(6)]);
                    OwnedDocument::new(id, text(random, family))
                };
                let documents: Vec<OwnedDocument> = (0..clock as usize % 8).map(document).collect();
                self.index.add(&documents, OnDuplicate::Replace, clock).unwrap();
                for document in documents {
                    self.live.retain(|(known, _)| known.id != document.id);
                    self.live.push((document, self.clock + TIME_TO_LIVE));
                }
            }
        }
        let now = self.clock;
        self.live.retain(|(_, expires)| *expires > now);
    }

    fn judge(&mut self, (left, right): (String, String), duplicate: bool, clock: u64) {
        if left == right {
            assert!(self.index.judge(&left, &right, Some(duplicate), clock).is_err());
            return;
        }
        self.index.judge(&left, &right, Some(duplicate), clock).unwrap();
        self.said.retain(|(l, r, _)| ![(&left, &right), (&right, &left)].contains(&(l, r)));
        self.said.push((left, right, duplicate));
    }

    fn reopen(&mut self) {
        let elsewhere = self.path.with_extension("elsewhere");
        std::fs::create_dir(&elsewhere).unwrap();
        let other =
            Index::create(&elsewhere, self.config, self.artifacts.clone(), IndexOptions::default());
        drop(std::mem::replace(&mut self.index, other.unwrap()));
        self.index = Index::open(&self.path, self.config.run.memory).unwrap();
        std::fs::remove_dir_all(&elsewhere).unwrap();
    }

    /// Goes on with the files as they are at this moment, as after a kill.
    fn crash(&mut self) {
        self.crashes += 1;
        let path = self.path.with_extension(self.crashes.to_string());
        std::fs::create_dir(&path).unwrap();
        for file in std::fs::read_dir(&self.path).unwrap() {
            let file = file.unwrap();
            std::fs::copy(file.path(), path.join(file.file_name())).unwrap();
        }
        self.index = Index::open(&path, self.config.run.memory).unwrap();
        self.path = path;
    }

    /// A batch with the same artefacts and judgments.
    fn batch(&self) -> Config {
        let mut config = self.config.clone();
        let file = |name: &str, bytes: Vec<u8>| {
            let path = self.context.temp_dir.join(name);
            std::fs::write(&path, bytes).unwrap();
            Some(path)
        };
        let Artifacts { statistics, model, .. } = &self.artifacts;
        config.run.stats = statistics.as_ref().and_then(|made| file("stats", made.to_bytes()));
        config.run.model = model.as_ref().and_then(|made| file("model", made.to_bytes()));
        let row = |(a, b, duplicate): &(String, String, bool)| {
            format!("{}\n", serde_json::json!({"a": a, "b": b, "duplicate": duplicate}))
        };
        let rows: String = self.said.iter().map(row).collect();
        config.run.judgments = file("judgments.jsonl", rows.into_bytes());
        config
    }

    fn live_documents(&self) -> Corpus {
        Corpus::from_documents(self.live.iter().map(|(document, _)| document.clone()))
    }

    /// Holds `find` of the index to that of a batch.
    fn compare_find(&self) {
        let config = self.batch();
        let expected = find(&self.live_documents(), &config, self.context).unwrap();
        let snapshot = self.index.snapshot(self.clock);
        let found = snapshot.find(&self.config.run, self.context).unwrap();
        let out = self.context.temp_dir.join("out");
        let expected = result_files(&expected, &config, &out);
        assert_eq!(result_files(&found, self.config, &out), expected);
    }

    /// Holds `check` to `--against`: copies and near copies of what is there, and strangers.
    fn compare_check(&self) {
        let mut config = self.batch();
        config.run.pairs = PairsWritten::All;
        let mut random = Random(self.clock);
        let document = |at: usize| {
            // Some have ids that people spoke of and that are not there now.
            let id = if at < 4 { format!("d{}", at * 17) } else { format!("new{at}") };
            OwnedDocument::new(id, text(&mut random, if at > 5 { SHORT } else { at }))
        };
        let is_live = |id: &str| self.live.iter().any(|(known, _)| known.id == id);
        let new: Vec<_> = (0..8).map(document).filter(|document| !is_live(&document.id)).collect();
        let corpus = Corpus::from_documents(new.clone());
        let against = find_against(&corpus, &self.live_documents(), false, &config, self.context);
        let against = against.unwrap();
        let pairs = against.pairs().map(|pair| {
            let pair = pair.unwrap();
            (pair.a.id.to_owned(), pair.b.id.to_owned(), pair.score.to_bits())
        });
        let checked = self.index.snapshot(self.clock).check(&new).unwrap();
        let expected: BTreeSet<_> = pairs.collect();
        let matches = checked.iter().flat_map(|row| {
            row.matches.iter().map(|m| (row.id.clone(), m.id.clone(), m.score.to_bits()))
        });
        assert_eq!(matches.collect::<BTreeSet<_>>(), expected);
    }
}

#[test]
fn after_any_history_find_and_check_say_what_a_batch_says() {
    for config in methods() {
        for seed in 0..4 {
            println!("{} {seed}", config.detector.name());
            let folder = tempfile::tempdir().unwrap();
            let interrupt = Interrupt::new();
            let context =
                Context { progress: &Silent, interrupt: &interrupt, temp_dir: folder.path() };
            let mut random = Random(seed);
            let mut history = History::begin(&config, &context);
            for step in 0..16 {
                history.step(&mut random);
                if step % 3 == 2 && !history.live.is_empty() {
                    history.compare_find();
                    history.compare_check();
                }
            }
            let verified = history.index.snapshot(history.clock).verify().unwrap();
            assert_eq!(verified.errors, Vec::<String>::new());
            assert_eq!(verified.documents, history.live.len() as u64);
        }
    }
}

#[test]
fn adding_tells_what_was_added_before_however_it_is_cut_into_batches() {
    let mut answers = Vec::new();
    for size in [1, 7, 100] {
        let folder = tempfile::tempdir().unwrap();
        let made = config(toml::toml! { method = "minhash" });
        let path = folder.path().join("index");
        let index =
            Index::create(&path, &made, Artifacts::default(), IndexOptions::default()).unwrap();
        let mut random = Random(3);
        let documents: Vec<OwnedDocument> = (0..40)
            .map(|at| {
                let family = random.below(5);
                OwnedDocument::new(format!("d{}", at % 30), text(&mut random, family))
            })
            .collect();
        let mut rows = Vec::new();
        for batch in documents.chunks(size) {
            rows.extend(index.add(batch, OnDuplicate::Replace, 1).unwrap());
        }
        let reader = IndexReader::open(&path, made.run.memory).unwrap();
        assert_eq!(reader.snapshot(1).unwrap().stat().unwrap().documents, 30);
        answers.push(rows);
    }
    assert!(answers[0].iter().any(|row| !row.checked.matches.is_empty()));
    assert_eq!(answers[0], answers[1]);
    assert_eq!(answers[0], answers[2]);
}

#[test]
fn stores_without_texts_answer_alike_and_refuse_what_they_cannot() {
    let folder = tempfile::tempdir().unwrap();
    let mut random = Random(8);
    let documents: Vec<OwnedDocument> =
        (0..20).map(|at| OwnedDocument::new(format!("d{at}"), text(&mut random, at % 4))).collect();
    let answer = |method: &str, store: StoredParts| {
        let made = Config::for_method(method).unwrap();
        let path = folder.path().join(format!("{method}-{store}"));
        let options = IndexOptions { store, ..IndexOptions::default() };
        let index = Index::create(&path, &made, Artifacts::default(), options)?;
        index.add(&documents[..15], OnDuplicate::Refuse, 1)?;
        index.snapshot(1).check(&documents[15..])
    };
    let by_text = answer("minhash", StoredParts::Text).unwrap();
    assert_eq!(answer("minhash", StoredParts::Features).unwrap(), by_text);
    let refused = answer("minhash", StoredParts::Signatures).unwrap_err().to_string();
    assert!(refused.contains("exact features"), "{refused}");
    let by_text = answer("simhash", StoredParts::Text).unwrap();
    assert_eq!(answer("simhash", StoredParts::Signatures).unwrap(), by_text);
    let refused = answer("paragraph", StoredParts::Features).unwrap_err().to_string();
    assert!(refused.contains("paragraphs"), "{refused}");
}

#[test]
fn without_texts_find_says_the_same_and_refuses_rules_by_fields() {
    let folder = tempfile::tempdir().unwrap();
    let interrupt = Interrupt::new();
    let context = Context { progress: &Silent, interrupt: &interrupt, temp_dir: folder.path() };
    let mut made = config(toml::toml! { method = "minhash" keep = "longest" threads = 1 });
    let mut random = Random(8);
    let mut documents: Vec<OwnedDocument> =
        (0..20).map(|at| OwnedDocument::new(format!("d{at}"), text(&mut random, at % 4))).collect();
    documents.push(OwnedDocument::new("short", "two words"));
    let mut answer = |store: StoredParts, keep: &str| {
        made.run.keep = keep.parse().unwrap();
        let path = folder.path().join(format!("{store}-{}", keep.len()));
        let options = IndexOptions { store, ..IndexOptions::default() };
        let index = Index::create(&path, &made, Artifacts::default(), options)?;
        index.add(&documents, OnDuplicate::Refuse, 1)?;
        index.judge("d1", "d5", Some(false), 1)?;
        let found = index.snapshot(1).find(&made.run, &context)?;
        Ok::<_, IndexError>(result_files(&found, &made, &folder.path().join("out")))
    };
    let by_text = answer(StoredParts::Text, "longest").unwrap();
    assert!(by_text[0].lines().count() > 2);
    assert_eq!(answer(StoredParts::Features, "longest").unwrap(), by_text);
    let refused = answer(StoredParts::Features, "newest:date").unwrap_err().to_string();
    assert!(refused.contains("no fields"), "{refused}");
}

/// An index of a few documents in a folder.
fn small_index(path: &Path) -> Index {
    let made = config(toml::toml! { method = "minhash" });
    let index = Index::create(path, &made, Artifacts::default(), IndexOptions::default()).unwrap();
    let mut random = Random(8);
    let documents: Vec<OwnedDocument> =
        (0..20).map(|at| OwnedDocument::new(format!("d{at}"), text(&mut random, at % 4))).collect();
    index.add(&documents, OnDuplicate::Refuse, 1).unwrap();
    index
}

const MEMORY: ByteSize = ByteSize(1 << 20);

#[test]
fn two_writers_and_missing_or_foreign_files_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index");
    let index = small_index(&path);
    let second = Index::open(&path, MEMORY).unwrap_err().to_string();
    let process = format!("process {}", std::process::id());
    assert!(second.contains(&process), "{second}");
    index.compact(1).unwrap();
    drop(index);
    let segment = std::fs::read_dir(&path)
        .unwrap()
        .map(|file| file.unwrap().path())
        .find(|file| file.to_string_lossy().contains("segment"))
        .unwrap();
    let aside = folder.path().join("aside");
    std::fs::rename(&segment, &aside).unwrap();
    for opened in [Index::open(&path, MEMORY).err(), IndexReader::open(&path, MEMORY).err()] {
        let told = opened.unwrap().to_string();
        assert!(told.contains("is missing") && told.contains("segment"), "{told}");
    }
    std::fs::rename(&aside, &segment).unwrap();
    // A flipped bit in what names the method, and a format of another version.
    let manifest = path.join("MANIFEST");
    let whole = std::fs::read(&manifest).unwrap();
    for (at, word) in [(60, "MANIFEST is damaged"), (8, "format version 3")] {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        if at == 8 {
            // With its checksum, as the other version would have written it.
            let checksum = xxhash_rust::xxh3::xxh3_64(&bytes[..32]);
            bytes[32..40].copy_from_slice(&checksum.to_le_bytes());
        }
        std::fs::write(&manifest, bytes).unwrap();
        let told = Index::open(&path, MEMORY).unwrap_err().to_string();
        assert!(told.contains(word), "{told}");
    }
}

#[test]
fn odd_batches_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index");
    let index = small_index(&path);
    assert_eq!(index.add(&[], OnDuplicate::Refuse, 1).unwrap(), []);
    let long = OwnedDocument::new("i".repeat(1 << 20), text(&mut Random(8), 0));
    let added = index.add(std::slice::from_ref(&long), OnDuplicate::Refuse, 1).unwrap();
    assert!(!added[0].checked.matches.is_empty());
    let refused = index.add(&[OwnedDocument::new("new", "x"), long], OnDuplicate::Refuse, 1);
    assert!(refused.is_err());
    let endless = OwnedDocument::new("i".repeat(17 << 20), "x");
    let refused = index.add(&[endless], OnDuplicate::Refuse, 1).unwrap_err().to_string();
    assert!(refused.contains("the id") && refused.len() < 200, "{refused}");
    assert_eq!(index.snapshot(1).stat().unwrap().documents, 21);
    assert_eq!(index.snapshot(1).verify().unwrap().errors, Vec::<String>::new());
}

#[test]
fn one_document_ten_thousand_times_costs_bounded_work_and_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let made = config(toml::toml! { method = "minhash" });
    let options = IndexOptions::default();
    let index =
        Index::create(&folder.path().join("index"), &made, Artifacts::default(), options).unwrap();
    let story = text(&mut Random(8), 0);
    let copies: Vec<OwnedDocument> =
        (0..10_000).map(|at| OwnedDocument::new(format!("d{at}"), story.clone())).collect();
    let mut added = Vec::new();
    for batch in copies.chunks(2_500) {
        added.extend(index.add(batch, OnDuplicate::Refuse, 1).unwrap());
    }
    assert_eq!(added[0].checked.matches, []);
    assert!(added[1..].iter().all(|row| row.checked.matches[0].id == "d0"));
    let last = &index.snapshot(1).check(&[OwnedDocument::new("new", story)]).unwrap()[0];
    assert_eq!(last.matches.len(), LISTED_MATCHES);
    assert!(last.more_matches > 1_000 && last.skipped > 0, "{last:?}");
}

/// `BLESS=1 cargo test --test it golden` writes the index anew, which is right only where the format's
/// version or the behavior of the method was raised.
#[test]
fn a_golden_index_opens_and_answers_as_on_the_day_it_was_made() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/golden/index");
    let made = config(toml::toml! { method = "minhash" threads = 1 });
    let make = |path: &Path| {
        let options = IndexOptions { time_to_live: Some(1_000), ..IndexOptions::default() };
        let index = Index::create(path, &made, Artifacts::default(), options).unwrap();
        let mut random = Random(11);
        let documents: Vec<OwnedDocument> = (0..12)
            .map(|at| OwnedDocument {
                title: (at % 2 == 0).then(|| format!("Title {at}")),
                url: (at % 3 == 0).then(|| format!("https://example.org/{at}")),
                fields: serde_json::json!({"n": at}).as_object().unwrap().clone(),
                ..OwnedDocument::new(format!("d{at}"), text(&mut random, at % 5))
            })
            .collect();
        index.add(&documents[..8], OnDuplicate::Refuse, 1).unwrap();
        index.judge("d0", "d5", Some(false), 2).unwrap();
        index.compact(2).unwrap();
        index.add(&documents[8..], OnDuplicate::Refuse, 3).unwrap();
        index.remove(vec!["d3".into()], 4).unwrap();
    };
    if std::env::var_os("BLESS").is_some() {
        let _ = std::fs::remove_dir_all(&golden);
        make(&golden);
    }
    let folder = tempfile::tempdir().unwrap();
    make(&folder.path().join("today"));
    let asked = [OwnedDocument::new("asked", text(&mut Random(3), 0))];
    let answers = |path: &Path| {
        let snapshot = IndexReader::open(path, MEMORY).unwrap().snapshot(10).unwrap();
        assert_eq!(snapshot.verify().unwrap().errors, Vec::<String>::new());
        let mut exported = Vec::new();
        snapshot.export(&mut exported).unwrap();
        snapshot.export_judgments(&mut exported).unwrap();
        (String::from_utf8(exported).unwrap(), snapshot.check(&asked).unwrap())
    };
    let (then, today) = (answers(&golden), answers(&folder.path().join("today")));
    assert!(then.1[0].matches.len() > 1, "{:?}", then.1);
    assert_eq!(then, today);
}

fn index(folder: &Path, name: &str, options: IndexOptions) -> Index {
    let made = config(toml::toml! { method = "minhash" threads = 1 });
    Index::create(&folder.join(name), &made, Artifacts::default(), options).unwrap()
}

fn document(id: &str, text: &str) -> OwnedDocument {
    OwnedDocument::new(id, text)
}

const STORY: &str = "The ferry to the islands stayed at its pier until noon because of thick fog.";

#[test]
fn an_empty_id_is_nobodys() {
    let folder = tempfile::tempdir().unwrap();
    let index = index(folder.path(), "index", IndexOptions::default());
    let unnamed = OwnedDocument::from(STORY);
    let refused = index.add(&[document("b", "text"), unnamed.clone()], OnDuplicate::Replace, 1);
    assert!(matches!(refused, Err(IndexError::NoId(1))), "{refused:?}");
    assert!(index.snapshot(1).is_empty());
    index.add(&[document("a", STORY)], OnDuplicate::Refuse, 1).unwrap();
    let checked = index.snapshot(1).check(&[unnamed]).unwrap();
    assert_eq!((checked[0].status, checked[0].id_exists), (CheckStatus::Duplicate, false));
    assert_eq!(checked[0].matches[0].id, "a");
}

#[test]
fn a_check_under_an_id_of_the_index_says_that_it_is_there_and_what_the_text_duplicates() {
    let folder = tempfile::tempdir().unwrap();
    let index = index(folder.path(), "index", IndexOptions::default());
    index.add(&[document("a", STORY), document("b", STORY)], OnDuplicate::Refuse, 1).unwrap();
    let asked = [document("a", STORY), document("a", "something else altogether, about bees")];
    let checked = index.snapshot(1).check(&asked).unwrap();
    assert!(checked.iter().all(|row| row.id_exists));
    let ids: Vec<&str> = checked[0].matches.iter().map(|found| found.id.as_str()).collect();
    assert_eq!((checked[0].status, ids), (CheckStatus::Duplicate, vec!["a", "b"]));
    assert_eq!(checked[1].status, CheckStatus::New);
    // What replaces a document is no duplicate of it.
    let replaced = index.add(&[document("a", STORY)], OnDuplicate::Replace, 2).unwrap();
    let ids: Vec<&str> = replaced[0].checked.matches.iter().map(|m| m.id.as_str()).collect();
    assert_eq!(ids, ["b"]);
}

#[test]
fn equal_texts_too_short_to_be_compared_are_copies_whatever_an_index_stores() {
    let folder = tempfile::tempdir().unwrap();
    let interrupt = Interrupt::new();
    let context = Context { progress: &Silent, interrupt: &interrupt, temp_dir: folder.path() };
    for store in [StoredParts::Text, StoredParts::Features] {
        let options = IndexOptions { store, ..IndexOptions::default() };
        let index = index(folder.path(), &store.to_string(), options);
        let documents = [document("a", "?!"), document("b", "!?"), document("c", "?!")];
        let added = index.add(&documents, OnDuplicate::Refuse, 1).unwrap();
        let ids = |row: &lookalike::CheckedDocument| {
            row.matches.iter().map(|found| found.id.clone()).collect::<Vec<_>>()
        };
        assert_eq!(added[0].checked.status, CheckStatus::TooShort);
        assert_eq!(ids(&added[2].checked), ["a"]);
        index.add(&[document("d", ""), document("e", "")], OnDuplicate::Refuse, 1).unwrap();
        index.compact(1).unwrap();
        let snapshot = index.snapshot(1);
        let asked = [document("f", "?!"), document("g", "..."), document("h", "")];
        let checked = snapshot.check(&asked).unwrap();
        assert_eq!(
            (checked[0].status, ids(&checked[0])),
            (CheckStatus::Duplicate, vec!["a".into(), "c".into()])
        );
        assert!(checked[1..].iter().all(|row| row.status == CheckStatus::TooShort));
        let found = snapshot.find(&index.config().run, &context).unwrap();
        let clusters: Vec<_> = found.clusters().map(|c| (c.keeper.id, c.members.len())).collect();
        assert_eq!(clusters, [("a", 1)], "{store}");
        assert_eq!(snapshot.verify().unwrap().errors, Vec::<String>::new());
    }
}

#[test]
fn a_check_that_nobody_waits_for_stops() {
    let folder = tempfile::tempdir().unwrap();
    let index = index(folder.path(), "index", IndexOptions::default());
    index.add(&[document("a", STORY)], OnDuplicate::Refuse, 1).unwrap();
    let interrupt = Interrupt::new();
    let snapshot = index.snapshot(1);
    let asked = [document("b", STORY)];
    assert_eq!(snapshot.check_until(&asked, 0, &interrupt).unwrap()[0].matches.len(), 1);
    interrupt.stop();
    let stopped = snapshot.check_until(&asked, 0, &interrupt);
    assert!(matches!(stopped, Err(IndexError::Run(RunError::Interrupted))), "{stopped:?}");
}
