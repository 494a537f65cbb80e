//! One bad day each.

use std::sync::Arc;

use lookalike_store::{
    Added, Batch, Document, Folder, NEVER, OnDuplicate, Options, Reader, Storage, Store, StoreError,
};

use crate::disk::{Disk, Fault};
use crate::model::{Model, batch_of, small_options};

fn create(disk: &Disk) -> Store {
    // The log stays a log unless a test says otherwise.
    let options = Options { log_bytes: 1 << 20, log_records: 100, ..small_options() };
    create_with(disk, options)
}

fn create_with(disk: &Disk, options: Options) -> Store {
    let attachments: [(&str, &[u8]); 1] = [("model", &[3; 100])];
    Store::create(Arc::new(disk.clone()), b"m".to_vec(), &attachments, options).unwrap()
}

/// An index with a segment, tombstones, judgments and a log.
fn filled(disk: &Disk) -> Model {
    let store = create(disk);
    let mut model = Model::default();
    for (ids, version) in [(0..20, 1), (5..9, 2), (20..24, 3)] {
        let batch = batch_of(ids, version);
        assert!(model.apply(&batch));
        store.commit(batch).unwrap();
    }
    let word = lookalike_store::Judgment::new("id-1", "id-2", lookalike_store::Word::No, 3);
    let batch =
        Batch { judgments: vec![word], removed_ids: vec!["id-3".into()], ..Batch::default() };
    assert!(model.apply(&batch));
    store.commit(batch).unwrap();
    store.flush().unwrap();
    for (ids, version) in [(2..4, 4), (24..26, 4)] {
        let batch = batch_of(ids, version);
        assert!(model.apply(&batch));
        store.commit(batch).unwrap();
    }
    model
}

#[test]
fn a_flipped_bit_anywhere_is_an_error_that_names_the_file_and_never_another_content() {
    let disk = Disk::new();
    let model = filled(&disk);
    for name in disk.list().unwrap().iter().filter(|name| *name != "LOCK") {
        let whole = disk.bytes(name);
        // Every byte of what is small, and every few bytes of the rest.
        for place in (0..whole.len()).step_by(1 + whole.len() / 400) {
            let mut bytes = whole.clone();
            bytes[place] ^= 1 << (place % 8);
            disk.overwrite(name, bytes);
            let errors = match Reader::open(Arc::new(disk.clone()), 1 << 20) {
                Ok(reader) => reader.snapshot().verify(),
                Err(error) => vec![error],
            };
            let told: Vec<String> = errors.iter().map(ToString::to_string).collect();
            assert!(!told.is_empty(), "nobody saw byte {place} of {name}");
            assert!(told.iter().any(|text| text.contains(&format!("disk/{name} "))), "{told:?}");
        }
        disk.overwrite(name, whole);
    }
    let reader = Reader::open(Arc::new(disk.clone()), 0).unwrap();
    assert_eq!(model.difference(&reader.snapshot(), 0), None);
}

#[test]
fn a_log_that_ends_anywhere_opens_with_whole_batches() {
    let disk = Disk::new();
    let store = create(&disk);
    let mut models = vec![Model::default()];
    for version in 1..4 {
        let batch = batch_of(0..2, version);
        let mut model = models.last().unwrap().clone();
        model.apply(&batch);
        models.push(model);
        store.commit(batch).unwrap();
    }
    drop(store);
    let log = disk.list().unwrap().into_iter().find(|name| name.starts_with("log-")).unwrap();
    let whole = disk.bytes(&log);
    for length in 40..whole.len() {
        disk.overwrite(&log, whole[..length].to_vec());
        let store = Store::open(Arc::new(disk.clone()), small_options()).unwrap();
        let snapshot = store.snapshot();
        assert!(models.iter().any(|model| model.difference(&snapshot, 0).is_none()), "{length}");
    }
}

#[test]
fn a_missing_file_is_named() {
    let disk = Disk::new();
    filled(&disk);
    for name in disk.list().unwrap() {
        if ["LOCK", "MANIFEST"].contains(&name.as_str()) {
            continue;
        }
        let whole = disk.bytes(&name);
        disk.remove(&name).unwrap();
        let opened = Reader::open(Arc::new(disk.clone()), 0);
        let told = match opened {
            Ok(reader) => format!("{:?}", reader.snapshot().verify()),
            Err(error) => error.to_string(),
        };
        assert!(told.contains(&name), "{name}: {told}");
        disk.create(&name).unwrap();
        disk.overwrite(&name, whole);
    }
}

#[test]
fn a_full_disk_loses_nothing_and_the_index_goes_on_when_there_is_room_again() {
    for after in 0..30 {
        let disk = Disk::new();
        let store = create_with(&disk, small_options());
        let mut model = Model::default();
        disk.fail_after(after, Fault::Full);
        let mut refused = 0;
        for version in 1..20 {
            let batch = batch_of(0..4, version);
            match store.commit(batch.clone()) {
                Ok(_) => drop(model.apply(&batch)),
                Err(_) => refused += 1,
            }
            assert_eq!(model.difference(&store.snapshot(), 0), None);
        }
        assert!(refused > 0);
        disk.heal();
        drop(store);
        let store = Store::open(Arc::new(disk.clone()), small_options()).unwrap();
        // The first batch that was refused may be there if it was its synchronizing that failed.
        let batch = batch_of(0..4, 99);
        store.commit(batch.clone()).unwrap();
        model.apply(&batch);
        assert_eq!(model.difference(&store.snapshot(), 0), None);
    }
}

#[test]
fn a_second_writer_is_refused_while_readers_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let storage = Arc::new(Folder::new(folder.path().join("index")));
    storage.make().unwrap();
    let options = Options { background: true, ..small_options() };
    let store = Store::create(storage.clone(), Vec::new(), &[], options.clone()).unwrap();
    store.commit(batch_of(0..3, 1)).unwrap();
    assert!(matches!(
        Store::open(storage.clone(), options.clone()),
        Err(StoreError::Locked { .. })
    ));
    assert_eq!(Reader::open(storage.clone(), 0).unwrap().snapshot().len(), 3);
    drop(store);
    assert_eq!(Store::open(storage, options).unwrap().snapshot().len(), 3);
}

#[test]
fn an_index_is_created_only_in_an_empty_folder_and_opened_only_where_there_is_one() {
    let folder = tempfile::tempdir().unwrap();
    let storage: Arc<dyn Storage> = Arc::new(Folder::new(folder.path()));
    assert!(matches!(
        Store::open(storage.clone(), Options::default()),
        Err(StoreError::NotAnIndex(_))
    ));
    assert!(!folder.path().join("LOCK").exists(), "asking leaves nothing behind");
    std::fs::write(folder.path().join("letter.txt"), "mine").unwrap();
    let created = Store::create(storage, Vec::new(), &[], Options::default());
    assert!(matches!(created, Err(StoreError::Exists(_))));
    assert!(folder.path().join("letter.txt").exists());
}

#[test]
fn a_file_of_somebody_else_is_left_alone_whatever_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let storage: Arc<dyn Storage> = Arc::new(Folder::new(folder.path()));
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
    write("segment-2", b"mine");
    let created = Store::create(storage.clone(), Vec::new(), &[], small_options());
    assert!(matches!(created, Err(StoreError::Exists(_))));
    std::fs::remove_file(folder.path().join("segment-2")).unwrap();
    // What an interrupted creation left behind: nothing yet, the beginning of a header, a lost sector.
    write("attachment-1", b"");
    write("log-2", b"LKLKLO");
    write("attachment-3", &[0; 600]);
    let store = Store::create(storage.clone(), Vec::new(), &[], small_options()).unwrap();
    let there = |name: &str| folder.path().join(name).exists();
    assert!(!there("attachment-3"));
    store.commit(batch_of(0..4, 1)).unwrap();
    store.flush().unwrap();
    let segment = storage.list().unwrap().into_iter().find(|name| name.starts_with("segment-"));
    let bytes = std::fs::read(folder.path().join(segment.unwrap())).unwrap();
    drop(store);

    // The first has the name of a file to come, the next only a header that is not its own.
    let foreign = ["segment-6", "log-20", "segment-92"];
    write("segment-6", b"mine");
    write("log-20", b"a log of something else, longer than a header of forty bytes");
    write("segment-92", &bytes);
    let mut own = bytes;
    own[12..16].copy_from_slice(&93_u32.to_le_bytes());
    let checksum = xxhash_rust::xxh3::xxh3_64(&own[..32]);
    own[32..40].copy_from_slice(&checksum.to_le_bytes());
    write("segment-93", &own);
    write("dead-94", b"");
    let store = Store::open(storage, small_options()).unwrap();
    assert!(!there("segment-93") && !there("dead-94"));
    for version in 2..60 {
        store.commit(batch_of(0..4, version)).unwrap();
    }
    assert!(store.snapshot().stat().segments > 0);
    assert!(foreign.into_iter().all(there));
    assert_eq!(store.snapshot().verify().len(), 0);
    assert_eq!(store.snapshot().len(), 4);
}

#[test]
fn another_version_and_a_file_of_another_index_are_told() {
    let (disk, other) = (Disk::new(), Disk::new());
    filled(&disk);
    filled(&other);
    let segment = disk.list().unwrap().into_iter().find(|n| n.starts_with("segment-")).unwrap();
    let whole = disk.bytes(&segment);
    disk.overwrite(&segment, other.bytes(&segment));
    let error = Reader::open(Arc::new(disk.clone()), 0).unwrap_err().to_string();
    assert!(error.contains("another index") && error.contains(&segment), "{error}");
    disk.overwrite(&segment, whole);

    let mut manifest = disk.bytes("MANIFEST");
    manifest[8] = 9;
    let checksum = xxhash_rust::xxh3::xxh3_64(&manifest[..32]);
    manifest[32..40].copy_from_slice(&checksum.to_le_bytes());
    disk.overwrite("MANIFEST", manifest);
    let error = Reader::open(Arc::new(disk), 0).unwrap_err();
    assert!(matches!(error, StoreError::Version { found: 9, .. }), "{error}");
}

#[test]
fn an_empty_batch_writes_nothing_and_an_id_of_a_megabyte_is_an_id() {
    let disk = Disk::new();
    let store = create(&disk);
    let before = disk.list().unwrap().iter().map(|name| disk.bytes(name)).collect::<Vec<_>>();
    assert_eq!(store.commit(Batch::default()).unwrap().added, []);
    let after = disk.list().unwrap().iter().map(|name| disk.bytes(name)).collect::<Vec<_>>();
    assert_eq!(before, after);

    let id = "x".repeat(1 << 20);
    let long = Document { id: id.clone(), expires: NEVER, ..Document::default() };
    let mut near = long.clone();
    near.id.push('y');
    store.commit(Batch { documents: vec![long, near], ..Batch::default() }).unwrap();
    store.compact(0).unwrap();
    assert_eq!(store.snapshot().find(&id, 0).unwrap().unwrap().number, 0);
    let too_long = Document { id: "x".repeat(17 << 20), ..Document::default() };
    let error = store.commit(Batch { documents: vec![too_long], ..Batch::default() }).unwrap_err();
    assert!(error.to_string().contains("at most"), "{error}");
}

#[test]
fn one_document_ten_thousand_times_in_a_batch_is_one_document() {
    let disk = Disk::new();
    let store = create(&disk);
    let one =
        || Document { id: "same".into(), expires: NEVER, keys: vec![5], ..Document::default() };
    let documents = || (0..10_000).map(|_| one()).collect();
    for (on_duplicate, number) in [(OnDuplicate::Skip, 0), (OnDuplicate::Replace, 10_000)] {
        let batch = Batch { documents: documents(), on_duplicate, ..Batch::default() };
        let committed = store.commit(batch).unwrap();
        assert_eq!(committed.added.len(), 10_000);
        let snapshot = store.snapshot();
        assert_eq!((snapshot.len(), snapshot.stat().documents), (1, 1));
        assert_eq!(snapshot.find("same", 0).unwrap().unwrap().number, number);
    }
    assert_eq!(store.commit(batch_of(0..1, 1)).unwrap().added, [Added::New(10_001)]);
    let refused = Batch { documents: vec![one()], ..Batch::default() };
    assert!(matches!(store.commit(refused), Err(StoreError::DuplicateId(id)) if id == "same"));
    store.compact(0).unwrap();
    assert_eq!(store.snapshot().stat().tombstones, 0);
}

#[test]
fn what_was_compacted_away_is_gone_for_whoever_opens_the_index_next() {
    let disk = Disk::new();
    let store = create(&disk);
    for version in 1..4 {
        store.commit(batch_of(0..20, version)).unwrap();
        store.flush().unwrap();
    }
    store.commit(batch_of(0..5, 4)).unwrap();
    assert_eq!(store.snapshot().stat().tombstones, 45);
    store.compact(0).unwrap();
    assert_eq!(store.snapshot().stat().tombstones, 0);
    drop(store);

    let files = disk.list().unwrap();
    let store = Store::open(Arc::new(disk.clone()), small_options()).unwrap();
    let stat = store.snapshot().stat();
    assert_eq!((stat.documents, stat.tombstones), (20, 0));
    store.compact(0).unwrap();
    assert_eq!(disk.list().unwrap(), files, "nothing was left to compact");
}
