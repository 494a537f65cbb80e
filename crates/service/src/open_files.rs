//! How many files and connections the system lets this process have open at once.

/// Descriptors that are not connections: segments of the index, working files, the log.
const RESERVED: u64 = 512;

/// Raises the soft limit of open files as far as it is needed and allowed; returns how many
/// connections there is room for.
///
/// Every connection is an open file. Where the limit is too low, accepting and reading would fail at
/// random under load, so fewer connections are accepted and the rest wait.
pub fn room_for(connections: usize) -> usize {
    let Some(limit) = raise_to(connections as u64 + RESERVED) else { return connections };
    let room = limit.saturating_sub(RESERVED).max(limit / 2).max(1);
    let room = usize::try_from(room).unwrap_or(usize::MAX).min(connections);
    if room < connections {
        tracing::warn!(
            open_files = limit,
            "the limit of open files leaves room for {room} connections, not {connections}: raise \
             it (ulimit -n, LimitNOFILE= in a systemd unit), or lower --connections"
        );
    }
    room
}

/// Raises the soft limit to this, or as far as the hard limit goes; `None` where there is none.
#[cfg(unix)]
fn raise_to(needed: u64) -> Option<u64> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let current = current.filter(|current| *current < needed)?;
    let wanted = maximum.map_or(needed, |maximum| maximum.min(needed));
    let raised = Rlimit { current: Some(wanted), maximum };
    let limit = if setrlimit(Resource::Nofile, raised).is_ok() { wanted } else { current };
    if limit > current {
        tracing::info!(from = current, to = limit, "raised the limit of open files");
    }
    (limit < needed).then_some(limit)
}

#[cfg(not(unix))]
fn raise_to(_: u64) -> Option<u64> {
    None
}
