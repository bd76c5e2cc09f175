//! Compressed files, recognised by their first bytes: gzip, Zstandard, bzip2, xz.

use super::error::Problem;
use super::gzip::{self, ALWAYS, LARGEST_RATIO, read_limited};
use std::borrow::Cow;
use std::io::{BufRead, Error, Read, Result};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A supported compression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// `.gz`
    Gzip,
    /// `.zst`
    Zstandard,
    /// `.bz2`
    Bzip2,
    /// `.xz`
    Xz,
}

/// Extensions of compressed files, which follow the extension of the content.
pub const COMPRESSED: [&str; 4] = ["gz", "zst", "bz2", "xz"];

/// Memory limit of xz in KiB: sixteen times the need of its highest level.
const XZ_MEMORY: u32 = 1 << 20;

/// The first bytes of archives and compressions that are not read. What an archive only stores would be read as the text
/// of one structure.
const OTHERS: [(&[u8], &str); 6] = [
    (b"PK\x03\x04", "a zip archive is not read as a structure; let its name end with .zip, or unpack it"),
    (b"7z\xbc\xaf\x27\x1c", "7z archives are not read; unpack it, or make a tar of its files"),
    (b"Rar!\x1a\x07", "rar archives are not read; unpack it, or make a tar of its files"),
    (b"\x1f\x9d", "compress (.Z) is not read; gunzip undoes it"),
    (b"\x04\x22\x4d\x18", "lz4 is not read; lz4 -d undoes it"),
    (b"\x89HDF\r\n\x1a\n", "HDF5 is not read; give PDB, mmCIF or BinaryCIF"),
];

impl Compression {
    /// Number of bytes that identify the compression.
    pub const MAGIC: usize = 10;

    /// The compression of data, given its first bytes.
    pub fn of(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0x1f, 0x8b, ..] => Some(Self::Gzip),
            // A frame, or a skippable frame.
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Some(Self::Zstandard),
            // A block, or the end of an empty stream.
            [b'B', b'Z', b'h', b'1'..=b'9', 0x31, 0x41, 0x59, 0x26, 0x53, 0x59, ..]
            | [b'B', b'Z', b'h', b'1'..=b'9', 0x17, 0x72, 0x45, 0x38, 0x50, 0x90, ..] => Some(Self::Bzip2),
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Some(Self::Xz),
            _ => None,
        }
    }

    /// The name for messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Zstandard => "zstd",
            Self::Bzip2 => "bzip2",
            Self::Xz => "xz",
        }
    }

    /// A decoder for all members or frames.
    pub fn decoder<'a>(self, compressed: impl BufRead + Send + 'a) -> Result<Box<dyn Read + Send + 'a>> {
        Ok(match self {
            Self::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(compressed)),
            Self::Zstandard => Box::new(zstd::stream::read::Decoder::with_buffer(compressed)?),
            Self::Bzip2 => Box::new(bzip2::bufread::MultiBzDecoder::new(compressed)),
            Self::Xz => Box::new(lzma_rust2::XzReader::new_mem_limit(compressed, true, XZ_MEMORY)),
        })
    }
}

/// Reads from a decoder until the output is larger than any structure's.
pub struct Unfolding<R> {
    decoder: R,
    /// Compressed bytes read so far.
    read: Arc<AtomicU64>,
    given: u64,
}

impl<R> Unfolding<R> {
    /// Reads from a decoder; `read` is where its input is counted.
    pub fn new(decoder: R, read: Arc<AtomicU64>) -> Self {
        Self { decoder, read, given: 0 }
    }
}

impl<R: Read> Read for Unfolding<R> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let given = self.decoder.read(buffer)?;
        self.given += given as u64;
        let read = self.read.load(Ordering::Relaxed);
        if self.given > (ALWAYS as u64).saturating_add(read.saturating_mul(LARGEST_RATIO as u64)) {
            return Err(Error::other(format!(
                "inflates to more than {LARGEST_RATIO} times its own size: no structures do"
            )));
        }
        Ok(given)
    }
}

/// The decompressed bytes, unless they are of a format that is refused by name.
pub fn plain(bytes: &[u8]) -> std::result::Result<Cow<'_, [u8]>, Problem> {
    let text = match Compression::of(bytes) {
        None => Cow::Borrowed(bytes),
        Some(Compression::Gzip) => Cow::Owned(gzip::decompress(bytes)?),
        Some(other) => Cow::Owned(decompressed(other, bytes)?),
    };
    match OTHERS.iter().find(|(magic, _)| text.starts_with(magic)) {
        Some((_, refusal)) => Err(Problem::OtherFormat(refusal)),
        None => Ok(text),
    }
}

fn decompressed(compression: Compression, bytes: &[u8]) -> std::result::Result<Vec<u8>, Problem> {
    let corrupt = |source| Problem::Compressed { by: compression.name(), source };
    let mut text = Vec::new();
    let mut decoder = compression.decoder(bytes).map_err(corrupt)?;
    read_limited(&mut decoder, bytes.len(), &mut text).map_err(|problem| match problem {
        Problem::Gzip(source) => corrupt(source),
        other => other,
    })?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    /// The text in each compression except gzip, which has its own tests.
    fn compressed(text: &[u8]) -> [Vec<u8>; 3] {
        let mut bz2 = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::best());
        bz2.write_all(text).unwrap();
        [zstd::encode_all(text, 19).unwrap(), bz2.finish().unwrap(), xz(text)]
    }

    fn xz(text: &[u8]) -> Vec<u8> {
        let mut xz = lzma_rust2::XzWriter::new(Vec::new(), lzma_rust2::XzOptions::with_preset(6)).unwrap();
        xz.write_all(text).unwrap();
        xz.finish().unwrap()
    }

    #[test]
    fn each_way_is_told_and_undone() {
        let text = b"ATOM or anything else\n".repeat(500);
        for (bytes, by) in compressed(&text).iter().zip(["zstd", "bzip2", "xz"]) {
            assert_eq!(Compression::of(bytes).map(Compression::name), Some(by));
            assert_eq!(plain(bytes).unwrap(), text, "{by}");
            // Two streams in a row are one text, as with gzip.
            assert_eq!(plain(&[&bytes[..], &bytes[..]].concat()).unwrap().len(), 2 * text.len(), "{by}");
            for cut in [bytes.len() / 2, bytes.len() - 1] {
                let refused = plain(&bytes[..cut]).unwrap_err().to_string();
                assert!(refused.starts_with(&format!("corrupt or truncated {by} data")), "{refused}");
            }
            let trailed = [&bytes[..], b"something else"].concat();
            assert!(plain(&trailed).is_err(), "{by}");
        }
        assert_eq!(Compression::of(b"BZh9 is the beginning of a text"), None);
    }

    /// A zip archive that only stores its members has their text.
    #[test]
    fn archives_and_compressions_that_are_not_read_are_named() {
        for (bytes, name) in [
            (
                &b"PK\x03\x04..\nATOM      1  CA  GLY A   1       1.000   2.000   3.000  1.00 10.00           C\n"[..],
                "zip",
            ),
            (b"\x1f\x9d\x90", "(.Z)"),
            (b"\x04\x22\x4d\x18", "lz4"),
            (b"7z\xbc\xaf\x27\x1c", "7z"),
        ] {
            for bytes in [vec![bytes.to_vec()], compressed(bytes).to_vec()].concat() {
                let refused = plain(&bytes).unwrap_err().to_string();
                assert!(refused.contains(name) && refused.contains("not read"), "{refused}");
            }
        }
    }

    #[test]
    fn what_unfolds_without_measure_is_refused() {
        let bomb = zstd::encode_all(&vec![b' '; 70 << 20][..], 19).unwrap();
        assert!(bomb.len() < 100_000);
        assert!(matches!(plain(&bomb), Err(Problem::Inflated { .. })));
    }
}
