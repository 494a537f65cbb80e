//! Going through all documents in the order of adding.

use crate::Head;
use crate::block::Buffers;
use crate::error::Result;
use crate::files::damaged;
use crate::records::HeadView;
use crate::segment::{Position, Segment};
use crate::snapshot::State;

/// A document that a scan came by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scanned {
    /// Its head.
    pub head: Head,
    /// Its body, where the scan was asked for it; otherwise empty.
    pub body: Vec<u8>,
}

/// Goes through the documents of a snapshot.
#[derive(Debug)]
pub struct Scan<'a> {
    state: &'a State,
    now: u64,
    bodies: bool,
    segment: usize,
    /// The block of heads that comes next in the segment; `None` before the first.
    position: Option<Position>,
    /// The documents of the block at hand, last first.
    ready: Vec<Scanned>,
}

impl<'a> Scan<'a> {
    pub(crate) fn new(state: &'a State, now: u64, bodies: bool) -> Self {
        Self { state, now, bodies, segment: 0, position: None, ready: Vec::new() }
    }

    /// Reads the next block; false at the end.
    fn fill(&mut self) -> Result<bool> {
        let Some(segment) = self.state.segments.get(self.segment) else { return Ok(false) };
        let position = match self.position.take() {
            Some(position) => segment.heads.next(&segment.source, &position)?,
            None => segment.heads.start(&segment.source)?,
        };
        let Some(position) = position else {
            self.segment += 1;
            return Ok(true);
        };
        let mut buffers = Buffers::default();
        let table = segment.table_at(&position, &mut buffers)?;
        for at in 0..table.len() {
            let (number, entry) = table.entry(at).ok_or_else(|| segment.no_head(0))?;
            let head = HeadView::decode(entry);
            let head = head.ok_or_else(|| segment.no_head(number))?;
            if !self.state.dead.contains(number) && head.expires > self.now {
                self.ready.push(Scanned { head: head.to_head(number), body: Vec::new() });
            }
        }
        if self.bodies {
            self.read_bodies(segment)?;
        }
        self.ready.reverse();
        self.position = Some(position);
        Ok(true)
    }

    /// Fetches the bodies of the documents at hand, block by block.
    fn read_bodies(&mut self, segment: &Segment) -> Result<()> {
        let mut buffers = Buffers::default();
        let mut done = 0;
        while done < self.ready.len() {
            let first = self.ready[done].head.number;
            let missing = || {
                damaged(&segment.source.name, format!("the body of document {first} is missing"))
            };
            let before = |number| number <= u64::from(first);
            let part = segment.with_body(first);
            let position = part.bodies.seek(&part.source, before)?.ok_or_else(missing)?;
            let table = part.table_at(&position, &mut buffers)?;
            let start = done;
            while let Some(scanned) = self.ready.get_mut(done)
                && let Some(body) = table.find(scanned.head.number)
            {
                scanned.body = body.to_vec();
                done += 1;
            }
            if done == start {
                return Err(missing());
            }
        }
        Ok(())
    }
}

impl Iterator for Scan<'_> {
    type Item = Result<Scanned>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.ready.is_empty() {
            match self.fill() {
                Ok(true) => {}
                Ok(false) => return None,
                Err(error) => {
                    self.segment = self.state.segments.len();
                    return Some(Err(error));
                }
            }
        }
        self.ready.pop().map(Ok)
    }
}
