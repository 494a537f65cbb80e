//! The durable index underneath: documents, bucket keys and people's words on disk, whatever happens.
//!
//! A [`Store`] is the one writer of a folder: [`Store::commit`] makes a [`Batch`] durable as a whole
//! before it returns. A [`Snapshot`] is one consistent state that never changes while it is held; the
//! writer hands them out, and a [`Reader`] does in any other process. Neither waits for the other.
//!
//! The store knows keys and bytes, never methods. `docs/formats.md` has every byte; files are read by
//! position, not mapped, so that damage becomes an error with a file's name and memory stays within the limit.

mod background;
mod batch;
mod block;
mod bytes;
mod dead;
mod error;
mod files;
mod judgments;
mod load;
mod log;
mod manifest;
mod merging;
mod reader;
mod records;
mod resolve;
mod rotate;
mod scan;
mod segment;
mod shelf;
mod snapshot;
mod storage;
mod store;
mod verify;

pub use batch::{Added, Batch, Committed, Document, NEVER, OnDuplicate};
pub use error::{StoreError, shown_id};
pub use judgments::{Judgment, Judgments, Said, Word};
pub use reader::Reader;
pub use records::Head;
pub use scan::{Scan, Scanned};
pub use segment::sort_postings;
pub use snapshot::{Snapshot, StoreStat};
pub use storage::{Folder, LockGuard, ReadFile, Storage, WriteFile};
pub use store::{Options, Store};
