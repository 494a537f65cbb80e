//! Random histories of everything that can happen, held to the naive model.

use std::sync::Arc;

use lookalike_store::{Batch, Judgment, NEVER, OnDuplicate, Reader, Store, StoreError, Word};
use proptest::prelude::*;

use crate::disk::{Disk, Fault};
use crate::model::{Model, document, small_options};

#[derive(Clone, Debug)]
enum Event {
    Add {
        ids: Vec<u8>,
        on_duplicate: OnDuplicate,
        lifetime: Option<u64>,
        removed: Vec<u8>,
    },
    Judge(u8, u8, Word),
    /// What has expired is removed by number.
    Sweep,
    /// The clock is set; it may go back.
    Clock(u64),
    Flush,
    Compact,
    Reopen,
    Kill,
    PowerCut(u64),
    Fault(u32, Fault),
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    let on_duplicate = prop_oneof![
        4 => Just(OnDuplicate::Replace),
        1 => Just(OnDuplicate::Skip),
        1 => Just(OnDuplicate::Refuse),
    ];
    let ids = prop::collection::vec(0..30_u8, 0..6);
    let removed = prop::collection::vec(0..30_u8, 0..3);
    let lifetime = prop::option::weighted(0.3, 1..60_u64);
    let word = prop_oneof![Just(Word::Yes), Just(Word::No), Just(Word::Withdrawn)];
    let fault = prop_oneof![Just(Fault::Once), Just(Fault::Full), Just(Fault::Dead)];
    let event = prop_oneof![
        12 => (ids, on_duplicate, lifetime, removed).prop_map(
            |(ids, on_duplicate, lifetime, removed)| {
                Event::Add { ids, on_duplicate, lifetime, removed }
            }
        ),
        2 => (0..5_u8, 5..9_u8, word).prop_map(|(a, b, word)| Event::Judge(a, b, word)),
        3 => (0..200_u64).prop_map(Event::Clock),
        1 => Just(Event::Sweep),
        1 => Just(Event::Flush),
        1 => Just(Event::Compact),
        1 => Just(Event::Reopen),
        1 => Just(Event::Kill),
        2 => any::<u64>().prop_map(Event::PowerCut),
        2 => (0..25_u32, fault).prop_map(|(after, fault)| Event::Fault(after, fault)),
    ];
    prop::collection::vec(event, 1..60)
}

/// Takes the keys of the documents out of them.
fn keys_beside(batch: &mut Batch<'_>) {
    for (place, document) in (0..).zip(&mut batch.documents) {
        batch.keys.extend(document.keys.drain(..).map(|key| (key, place)));
    }
}

/// One history under way.
struct World {
    disk: Disk,
    store: Option<Store>,
    model: Model,
    clock: u64,
    version: u32,
}

impl World {
    fn new() -> Self {
        let disk = Disk::new();
        let attachments: [(&str, &[u8]); 1] = [("statistics", &[7; 3000])];
        let storage = Arc::new(disk.clone());
        let store = Store::create(storage, b"made so".to_vec(), &attachments, small_options());
        let store = Some(store.unwrap());
        Self { disk, store, model: Model::default(), clock: 0, version: 0 }
    }

    fn step(&mut self, event: &Event) {
        match event {
            Event::Clock(clock) => self.clock = *clock,
            Event::Fault(after, fault) => self.disk.fail_after(*after, *fault),
            Event::Add { ids, on_duplicate, lifetime, removed } => {
                self.version += 1;
                let now = self.clock.max(self.model.time);
                let expires = lifetime.map_or(NEVER, |lifetime| now + lifetime);
                let documents = ids.iter().map(|id| document(*id, self.version, expires)).collect();
                let removed_ids = removed.iter().map(|id| format!("id-{id}")).collect();
                let on_duplicate = *on_duplicate;
                let batch = Batch { documents, on_duplicate, removed_ids, ..Batch::default() };
                self.commit(batch);
            }
            Event::Judge(left, right, word) => {
                let (left, right) = (format!("id-{left}"), format!("id-{right}"));
                let judgment = Judgment::new(&left, &right, *word, 1);
                self.commit(Batch { judgments: vec![judgment], ..Batch::default() });
            }
            Event::Sweep => self.sweep(),
            Event::Flush => self.maintain(Store::flush),
            Event::Compact => {
                let clock = self.clock;
                let mut after = self.model.clone();
                after.time = after.time.max(clock);
                if self.store.as_ref().unwrap().compact(clock).is_ok() {
                    self.model = after;
                    self.check();
                } else {
                    self.disk.heal();
                    self.open(&[after]);
                }
            }
            Event::Reopen => {
                self.disk.heal();
                self.open(&[]);
            }
            Event::Kill => {
                self.disk = self.disk.after_kill();
                self.open(&[]);
            }
            Event::PowerCut(seed) => {
                self.disk = self.disk.after_crash(&mut chooser(*seed));
                self.open(&[]);
            }
        }
    }

    fn commit(&mut self, batch: Batch<'static>) {
        let mut batch = Batch { time: self.clock, ..batch };
        let mut after = self.model.clone();
        let accepted = after.apply(&batch);
        // The model knows a document's keys from the document; the store may be told beside it.
        match self.version % 3 {
            0 => {}
            in_order => {
                keys_beside(&mut batch);
                if in_order == 1 {
                    batch.keys.sort_unstable();
                }
            }
        }
        match self.store.as_ref().unwrap().commit(batch) {
            Ok(_) => {
                assert!(accepted, "an id that is there must be refused");
                self.model = after;
                self.check();
            }
            Err(StoreError::DuplicateId(_)) => assert!(!accepted),
            Err(StoreError::Io { .. } | StoreError::Failed(_)) => {
                let snapshot = self.store.as_ref().unwrap().snapshot();
                assert_eq!(self.model.difference(&snapshot, self.clock), None);
                self.disk = self.disk.after_crash(&mut chooser(u64::from(self.version)));
                self.open(&[after]);
            }
            Err(error) => panic!("{error}"),
        }
    }

    fn sweep(&mut self) {
        let snapshot = self.store.as_ref().unwrap().snapshot();
        let now = snapshot.now(self.clock);
        let all = snapshot.scan(0, false).map(|scanned| scanned.unwrap().head);
        let expired: Vec<u32> =
            all.filter(|head| head.expires <= now).map(|head| head.number).collect();
        // A merge may have reclaimed some already.
        if !expired.is_empty() {
            self.commit(Batch { removed_numbers: expired, ..Batch::default() });
        }
    }

    fn maintain(&mut self, operation: impl Fn(&Store) -> Result<(), StoreError>) {
        let done = operation(self.store.as_ref().unwrap());
        self.check();
        if done.is_err() {
            self.disk.heal();
            self.open(&[]);
        }
    }

    /// Opens the index anew; what was acknowledged must be there, and of what was under way all or
    /// nothing.
    fn open(&mut self, possible: &[Model]) {
        self.store = None;
        self.disk.heal();
        let store = Store::open(Arc::new(self.disk.clone()), small_options()).unwrap();
        let snapshot = store.snapshot();
        self.store = Some(store);
        if let Some(other) =
            possible.iter().find(|model| model.difference(&snapshot, self.clock).is_none())
        {
            self.model = other.clone();
        }
        self.check();
    }

    fn check(&self) {
        let snapshot = self.store.as_ref().unwrap().snapshot();
        assert_eq!(self.model.difference(&snapshot, self.clock), None);
        assert_eq!(snapshot.metadata(), b"made so");
        let reader = Reader::open(Arc::new(self.disk.clone()), 0).unwrap();
        let read = reader.refresh().unwrap();
        assert_eq!(self.model.difference(&read, self.clock), None, "seen by a reader");
    }
}

/// Numbers below a limit that follow from a seed.
fn chooser(mut seed: u64) -> impl FnMut(usize) -> usize {
    move |limit| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((seed >> 33) % limit.max(1) as u64) as usize
    }
}

/// A hundred histories, or as many as `PROPTEST_CASES` says.
fn config() -> ProptestConfig {
    let asked = ProptestConfig::default();
    let cases = if std::env::var_os("PROPTEST_CASES").is_some() { asked.cases } else { 100 };
    ProptestConfig { cases, max_shrink_iters: 4000, ..asked }
}

proptest! {
    #![proptest_config(config())]
    #[test]
    fn after_any_history_the_index_is_what_the_model_says(events in events()) {
        let mut world = World::new();
        for event in &events {
            world.step(event);
        }
        world.disk.heal();
        world.open(&[]);
    }
}
