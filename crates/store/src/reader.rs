//! Reading an index that another process may be writing.

use std::sync::{Arc, Mutex, PoisonError};

use crate::error::Result;
use crate::load::{Loaded, load, read_log};
use crate::manifest::Manifest;
use crate::{Snapshot, Storage};

/// Reads an index; any number of them may, whether there is a writer or not.
#[derive(Debug)]
pub struct Reader {
    storage: Arc<dyn Storage>,
    cache_bytes: usize,
    loaded: Mutex<(Loaded, Snapshot)>,
}

impl Reader {
    /// Opens an index; `cache_bytes` of its directories may stay in memory.
    ///
    /// # Errors
    /// There is no index, or one of its files is damaged or missing.
    pub fn open(storage: Arc<dyn Storage>, cache_bytes: usize) -> Result<Self> {
        let loaded = load(&storage, cache_bytes, None)?;
        let snapshot = Snapshot { state: Arc::new(loaded.state.clone()) };
        Ok(Self { storage, cache_bytes, loaded: Mutex::new((loaded, snapshot)) })
    }

    /// The state as it was last looked at.
    pub fn snapshot(&self) -> Snapshot {
        self.loaded.lock().unwrap_or_else(PoisonError::into_inner).1.clone()
    }

    /// Looks at what has been committed since, and returns the state as it is now.
    ///
    /// # Errors
    /// A file is damaged or missing; the state as it was last looked at stays.
    pub fn refresh(&self) -> Result<Snapshot> {
        let mut guard = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        let (loaded, snapshot) = &mut *guard;
        let manifest = Manifest::read(self.storage.as_ref())?;
        if manifest == loaded.manifest {
            let mut state = loaded.state.clone();
            let log = loaded.log.as_ref();
            let position = read_log(&mut state, log, manifest.log, loaded.position)?;
            if position == loaded.position {
                return Ok(snapshot.clone());
            }
            loaded.position = position;
            loaded.state = state;
        } else {
            *loaded = load(&self.storage, self.cache_bytes, Some(&loaded.state))?;
        }
        *snapshot = Snapshot { state: Arc::new(loaded.state.clone()) };
        Ok(snapshot.clone())
    }
}
