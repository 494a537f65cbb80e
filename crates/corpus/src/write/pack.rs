//! Compression in pieces that stand for themselves: frames, members or streams that follow each other
//! in one file. Every program that reads the format reads them as one, and any thread can make them.

use std::io::{self, Write};

use flate2::write::GzEncoder;

use crate::source::Compression;

/// The level of `zstd` when nothing is said.
const ZSTD_LEVEL: i32 = 3;
/// The level of `xz` when nothing is said.
const XZ_LEVEL: u32 = 6;
/// The smallest window that `xz` knows.
const LEAST_XZ_WINDOW: usize = 4096;

/// A piece with all that `fill` writes, which is about so many bytes.
pub(crate) fn frame(
    compression: Compression,
    n_bytes: usize,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<Vec<u8>> {
    let out = Vec::with_capacity(n_bytes / 4);
    match compression {
        Compression::None => {
            let mut out = out;
            fill(&mut out)?;
            Ok(out)
        }
        Compression::Gzip => {
            let mut encoder = GzEncoder::new(out, flate2::Compression::default());
            fill(&mut encoder)?;
            encoder.finish()
        }
        Compression::Zstd => {
            let mut encoder = zstd::stream::write::Encoder::new(out, ZSTD_LEVEL)?;
            encoder.include_checksum(true)?;
            fill(&mut encoder)?;
            encoder.finish()
        }
        Compression::Xz => {
            let mut options = lzma_rust2::XzOptions::with_preset(XZ_LEVEL);
            // A window that is larger than the piece only takes memory, on each thread.
            let window = n_bytes.clamp(LEAST_XZ_WINDOW, options.lzma_options.dict_size as usize);
            options.lzma_options.dict_size = window as u32;
            let mut encoder = lzma_rust2::XzWriter::new(out, options)?;
            fill(&mut encoder)?;
            encoder.finish()
        }
        Compression::Bzip2 => {
            let mut encoder = bzip2::write::BzEncoder::new(out, bzip2::Compression::default());
            fill(&mut encoder)?;
            encoder.finish()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::read_text;

    #[test]
    fn pieces_that_follow_each_other_read_as_one() {
        let folder = tempfile::tempdir().unwrap();
        for compression in
            [Compression::Gzip, Compression::Zstd, Compression::Xz, Compression::Bzip2]
        {
            let pieces = [b"one\n".as_slice(), b"", &b"two\n".repeat(50_000)];
            let packed = pieces
                .map(|piece| frame(compression, piece.len(), |out| out.write_all(piece)).unwrap());
            let path = folder.path().join(format!("rows.txt{}", compression.extension()));
            std::fs::write(&path, packed.concat()).unwrap();
            let text = read_text(&path).unwrap();
            assert_eq!(text.as_bytes(), pieces.concat(), "{compression:?}");
        }
    }
}
