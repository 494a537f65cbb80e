//! The rows of one block that go to one file, put together as its format wants them.

use std::io;
use std::ops::Range;

use super::layout::{Format, Layout};
use super::pack;
use super::sink::has_line_end;
use crate::CorpusError;
use crate::read::{json_array, warc};
use crate::source::Compression;

/// As many bytes are worth a frame of their own, compressed on the thread that made them.
const WORTH_A_FRAME: usize = 256 << 10;

/// Rows in order. Those that go out as they came in are not copied.
#[derive(Default)]
pub(crate) struct Rows {
    count: u64,
    n_bytes: usize,
    parts: Vec<Part>,
    is_packed: bool,
}

enum Part {
    /// Bytes of the block.
    OfBlock(Range<usize>),
    /// Others.
    Made(Vec<u8>),
}

impl Rows {
    /// How many there are.
    pub(crate) fn len(&self) -> u64 {
        self.count
    }

    /// Whether they are compressed already.
    pub(crate) fn is_packed(&self) -> bool {
        self.is_packed
    }

    /// Adds a row that stands at `place` in the bytes of the block.
    pub(crate) fn add_of_block(
        &mut self,
        layout: Layout,
        block: &[u8],
        place: Range<usize>,
    ) -> io::Result<()> {
        if !matches!(layout.format, Format::Lines) {
            return self.add(layout, &block[place]);
        }
        self.count += 1;
        self.n_bytes += place.len();
        // The last row of a file may lack its line end, and another may follow it now.
        let is_open = !has_line_end(&block[place.clone()]);
        match self.parts.last_mut() {
            Some(Part::OfBlock(last)) if last.end == place.start => last.end = place.end,
            _ => self.parts.push(Part::OfBlock(place)),
        }
        if is_open {
            self.push(b"\n");
        }
        Ok(())
    }

    /// Adds a row as its format has it, without what stands between rows of different blocks.
    pub(crate) fn add(&mut self, layout: Layout, row: &[u8]) -> io::Result<()> {
        match layout.format {
            Format::Lines => {
                self.push(row);
                if !has_line_end(row) {
                    self.push(b"\n");
                }
            }
            Format::Array => {
                if self.count > 0 {
                    self.push(Layout::BETWEEN_ELEMENTS);
                }
                self.push(json_array::element(row));
            }
            Format::Archive { by_record } => {
                let mut record = warc::without_gap(row).to_vec();
                record.extend_from_slice(b"\r\n\r\n");
                if by_record {
                    record =
                        pack::frame(Compression::Gzip, record.len(), |out| out.write_all(&record))?;
                }
                self.push(&record);
            }
        }
        self.count += 1;
        Ok(())
    }

    fn push(&mut self, bytes: &[u8]) {
        self.n_bytes += bytes.len();
        match self.parts.last_mut() {
            Some(Part::Made(last)) => last.extend_from_slice(bytes),
            _ => self.parts.push(Part::Made(bytes.to_vec())),
        }
    }

    /// Compresses the rows, if there are enough of them.
    pub(crate) fn pack(&mut self, compression: Compression, block: &[u8]) -> io::Result<()> {
        if compression == Compression::None || self.n_bytes < WORTH_A_FRAME {
            return Ok(());
        }
        let frame = pack::frame(compression, self.n_bytes, |out| {
            self.parts.iter().try_for_each(|part| out.write_all(part.of(block)))
        })?;
        self.parts = vec![Part::Made(frame)];
        self.is_packed = true;
        Ok(())
    }

    /// Hands over all bytes, in order.
    pub(crate) fn visit(
        &self,
        block: &[u8],
        visitor: &mut dyn FnMut(&[u8]) -> Result<(), CorpusError>,
    ) -> Result<(), CorpusError> {
        self.parts.iter().try_for_each(|part| visitor(part.of(block)))
    }
}

impl Part {
    fn of<'b>(&'b self, block: &'b [u8]) -> &'b [u8] {
        match self {
            Self::OfBlock(place) => &block[place.clone()],
            Self::Made(bytes) => bytes,
        }
    }
}
