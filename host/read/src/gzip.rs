//! Gzip streams of one or more members; damaged streams are refused.
//!
//! Most files are one plain member, whose last bytes give the length of its text. libdeflate inflates those in one call, a
//! third faster than a streaming decoder. Everything else goes to the streaming decoder.

use super::error::Problem;
use flate2::bufread::GzDecoder;
use libdeflate_sys as libdeflate;
use std::cell::Cell;
use std::io::{Error, ErrorKind, Read};
use std::ptr::NonNull;

/// Whether the bytes begin like gzip.
pub(super) fn is_gzip(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1f, 0x8b])
}

/// Largest compression ratio that is accepted; no structure's text compresses better.
pub(super) const LARGEST_RATIO: usize = 200;
/// Decompressed bytes that are accepted at any ratio: small files may consist of blanks.
pub(super) const ALWAYS: usize = 64 << 20;
/// The most decompressed bytes: four times the largest entry of the wwPDB.
const MOST: usize = 4 << 30;

/// The most bytes that compressed data may decompress to.
pub(super) fn limit(compressed: usize) -> usize {
    compressed.saturating_mul(LARGEST_RATIO).clamp(ALWAYS, MOST)
}

/// Reads a decoder to its end, up to the limit for the size of its input.
pub(super) fn read_limited(decoder: &mut impl Read, compressed: usize, text: &mut Vec<u8>) -> Result<(), Problem> {
    let limit = limit(compressed);
    let room = limit.saturating_sub(text.len());
    let read = decoder.take(room as u64 + 1).read_to_end(text).map_err(Problem::Gzip)?;
    if read > room { Err(Problem::Inflated { limit, ratio: LARGEST_RATIO }) } else { Ok(()) }
}

thread_local! {
    /// Empty memory of a text before.
    static KEPT: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}
/// More memory than this is not kept.
const MOST_KEPT: usize = 8 << 20;

/// Keeps the memory of a text that [`decompress`] returned for the next one of this thread.
pub(super) fn keep(mut text: Vec<u8>) {
    if text.capacity() <= MOST_KEPT {
        text.clear();
        // At the end of the thread there is nothing to keep it for.
        let _ = KEPT.try_with(|kept| kept.set(text));
    }
}

/// The text of all members. Zero bytes after the last member are padding; other bytes there are an error.
pub(super) fn decompress(bytes: &[u8]) -> Result<Vec<u8>, Problem> {
    // The last four bytes are the last member's length modulo 2^32. Deflate never compresses below 1/1032, so a false
    // length reserves little memory.
    let stated = bytes.last_chunk::<4>().map_or(0, |&length| u32::from_le_bytes(length) as usize);
    let mut text = KEPT.try_with(Cell::take).unwrap_or_default();
    text.reserve(stated.min(bytes.len().saturating_mul(16)));
    let at_once = OneMember::new().is_some_and(|mut member| member.inflate(bytes, stated, &mut text));
    if !at_once {
        decompress_members(bytes, &mut text)?;
    }
    Ok(text)
}

fn decompress_members(bytes: &[u8], text: &mut Vec<u8>) -> Result<(), Problem> {
    let mut rest = bytes;
    loop {
        let mut member = GzDecoder::new(rest);
        read_limited(&mut member, bytes.len(), text)?;
        rest = member.into_inner();
        let padding = rest.iter().take_while(|&&b| b == 0).count();
        rest = &rest[padding..];
        if rest.is_empty() {
            return Ok(());
        }
        if !is_gzip(rest) {
            return Err(Problem::Gzip(Error::new(ErrorKind::InvalidData, "bytes after its end that are not gzip")));
        }
    }
}

/// libdeflate's decoder.
struct OneMember(NonNull<libdeflate::libdeflate_decompressor>);

impl OneMember {
    fn new() -> Option<Self> {
        // SAFETY: takes no arguments; returns a decoder, or null if there is no memory.
        NonNull::new(unsafe { libdeflate::libdeflate_alloc_decompressor() }).map(Self)
    }

    /// Fills the empty `text` with the content of `bytes`, if they are a single member whose header holds at most a file
    /// name. Returns false for anything else, if the length is not `length`, or if `text` lacks room.
    fn inflate(&mut self, bytes: &[u8], length: usize, text: &mut Vec<u8>) -> bool {
        const FILE_NAME: u8 = 8;
        let plain = bytes.get(3).is_some_and(|flags| flags & !FILE_NAME == 0);
        if !plain || length > text.capacity() {
            return false;
        }
        let (mut read, mut written) = (0, 0);
        // SAFETY: the decoder is alive and used only by this call. The first pair is a slice. The second is memory that
        // `text` owns, of the given length.
        let result = unsafe {
            libdeflate::libdeflate_gzip_decompress_ex(
                self.0.as_ptr(),
                bytes.as_ptr().cast(),
                bytes.len(),
                text.as_mut_ptr().cast(),
                length,
                &mut read,
                &mut written,
            )
        };
        if result != libdeflate::libdeflate_result_LIBDEFLATE_SUCCESS || read != bytes.len() || written != length {
            return false;
        }
        // SAFETY: that many bytes have been written, and there is room for them.
        unsafe { text.set_len(length) };
        true
    }
}

impl Drop for OneMember {
    fn drop(&mut self) {
        // SAFETY: the decoder is alive and not used after this.
        unsafe { libdeflate::libdeflate_free_decompressor(self.0.as_ptr()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression, GzBuilder};
    use std::io::Write;

    #[test]
    fn what_unfolds_without_measure_is_refused() {
        // A ratio of about 1,000: 70 MB in 70 kB.
        let mut bomb = GzBuilder::new().write(Vec::new(), Compression::best());
        let blanks = vec![b' '; 1 << 20];
        (0..70).for_each(|_| bomb.write_all(&blanks).unwrap());
        let bomb = bomb.finish().unwrap();
        assert!(bomb.len() < 200_000);
        let refused = decompress(&bomb).unwrap_err();
        assert!(matches!(refused, Problem::Inflated { limit, .. } if limit == ALWAYS), "{refused}");
        // In members, none of which is too large by itself.
        let mut half = GzBuilder::new().write(Vec::new(), Compression::best());
        (0..35).for_each(|_| half.write_all(&blanks).unwrap());
        let half = half.finish().unwrap();
        assert_eq!(decompress(&half).unwrap().len(), 35 << 20);
        assert!(matches!(decompress(&[&half[..], &half[..]].concat()), Err(Problem::Inflated { .. })));
    }

    fn compressed(text: &[u8], header: GzBuilder) -> Vec<u8> {
        let mut encoder = header.write(Vec::new(), Compression::default());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn at_once(bytes: &[u8], length: usize) -> Option<Vec<u8>> {
        let mut text = Vec::with_capacity(length);
        OneMember::new().unwrap().inflate(bytes, length, &mut text).then_some(text)
    }

    #[test]
    fn one_plain_member_is_inflated_at_once() {
        let text: Vec<u8> = (0..10_000u32).flat_map(|i| (i * i).to_string().into_bytes()).collect();
        for header in [GzBuilder::new(), GzBuilder::new().filename("1crn.pdb").mtime(7)] {
            assert_eq!(at_once(&compressed(&text, header), text.len()).as_deref(), Some(&text[..]));
        }
        assert_eq!(at_once(&compressed(b"", GzBuilder::new()), 0).as_deref(), Some(&b""[..]));
    }

    #[test]
    fn texts_in_the_memory_of_others_are_whole() {
        for length in [90_000u32, 10, 0, 100_000, 99_999] {
            let text: Vec<u8> = (0..length).flat_map(|i| (i ^ length).to_string().into_bytes()).collect();
            let whole = compressed(&text, GzBuilder::new());
            for bytes in [&whole[..], &[&whole[..], &[0; 9]].concat()] {
                let read = decompress(bytes).unwrap();
                assert_eq!(read, text);
                keep(read);
            }
            assert!(decompress(&whole[..whole.len() - 1]).is_err());
        }
    }

    #[test]
    fn anything_else_is_left_to_the_decoder_of_streams() {
        let text = b"ATOM, or whatever it is".repeat(9);
        let whole = compressed(&text, GzBuilder::new());
        let left = |bytes: &[u8]| assert_eq!(at_once(bytes, text.len()), None);
        left(&whole[..whole.len() - 1]);
        left(&[&whole[..], &whole[..]].concat());
        left(&[&whole[..], &[0; 9]].concat());
        left(&compressed(&text, GzBuilder::new().comment("of no use")));
        left(&compressed(&text, GzBuilder::new().extra(vec![0; 5])));
        assert_eq!(at_once(&whole, text.len() - 1), None);
        assert_eq!(at_once(&whole, text.len() + 1), None);
        for at in [10, whole.len() / 2, whole.len() - 8] {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x10;
            left(&damaged);
            assert!(decompress(&damaged).is_err(), "byte {at}");
        }
        assert_eq!(decompress(&[&whole[..], &whole[..], &[0; 9]].concat()).unwrap(), text.repeat(2));
    }
}
