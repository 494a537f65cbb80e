//! Readers beside a writer and its merger.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use lookalike_store::{Batch, Document, Folder, NEVER, Options, Reader, Store};

fn documents(batch: u32) -> Vec<Document<'static>> {
    let document = |at: u32| {
        let number = batch * 10 + at;
        Document {
            added: None,
            id: format!("d{number}"),
            expires: NEVER,
            head: number.to_le_bytes().to_vec(),
            body: vec![number as u8; 150],
            rest_of_body: &[7; 50],
            keys: vec![u64::from(number % 5), u64::from(number) << 32],
        }
    };
    (0..10).map(document).collect()
}

#[test]
fn readers_see_whole_batches_while_segments_are_merged_under_them() {
    let folder = tempfile::tempdir().unwrap();
    let storage = Arc::new(Folder::new(folder.path()));
    let options =
        Options { log_bytes: 5_000, log_records: 5, cache_bytes: 4_000, background: true };
    let store = Store::create(storage.clone(), Vec::new(), &[], options).unwrap();
    store.commit(Batch { documents: documents(0), ..Batch::default() }).unwrap();
    let held = store.snapshot();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let reader = Reader::open(storage.clone(), 4_000).unwrap();
                let mut last = 0;
                while !done.load(Ordering::Relaxed) {
                    let snapshot = reader.refresh().unwrap();
                    let seen = snapshot.len();
                    assert!(seen.is_multiple_of(10) && seen >= last);
                    last = seen;
                    let mut sharing = 0;
                    snapshot
                        .look_up(3, |_| {
                            sharing += 1;
                            true
                        })
                        .unwrap();
                    assert_eq!(sharing, seen / 5);
                    let id = format!("d{}", seen - 1);
                    let head = snapshot.find(&id, 0).unwrap().unwrap();
                    assert_eq!(snapshot.body(head.number).unwrap().unwrap().len(), 200);
                }
                last
            });
        }
        for batch in 1..150 {
            store.commit(Batch { documents: documents(batch), ..Batch::default() }).unwrap();
        }
        done.store(true, Ordering::Relaxed);
    });
    assert_eq!(held.len(), 10);
    assert_eq!(held.scan(0, true).count(), 10);
    assert!(held.find("d10", 0).unwrap().is_none());
    assert_eq!(store.snapshot().len(), 1500);
    assert_eq!(store.snapshot().verify().len(), 0);
    assert!(store.merge_error().is_none());
    store.compact(0).unwrap();
    assert_eq!(store.snapshot().stat().segments, 1);
    drop(store);
    let files = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(files, 4, "LOCK, MANIFEST, one segment and one log");
}
