//! Gzip streams: one member or several, whole or refused.
//!
//! Most files are one plain member whose end says how long its text is. libdeflate inflates those in one go, a third
//! faster than a decoder of streams. Whatever it does not take whole, the decoder of streams takes or refuses.

use super::error::Problem;
use flate2::bufread::GzDecoder;
use libdeflate_sys as libdeflate;
use std::io::{Error, ErrorKind, Read};
use std::ptr::NonNull;

/// Whether the bytes begin as gzip does.
pub(super) fn is_gzip(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1f, 0x8b])
}

/// The text of all members. Zero bytes after the last member are padding; anything else there is corruption.
pub(super) fn decompress(bytes: &[u8]) -> Result<Vec<u8>, Problem> {
    // The last four bytes are the last member's length modulo 2^32. Deflate never shrinks below 1/1032, so a lying
    // length reserves little.
    let stated = bytes.last_chunk::<4>().map_or(0, |&length| u32::from_le_bytes(length) as usize);
    let mut text = Vec::with_capacity(stated.min(bytes.len().saturating_mul(16)));
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
        member.read_to_end(text).map_err(Problem::Gzip)?;
        rest = member.into_inner();
        let padding = rest.iter().take_while(|&&b| b == 0).count();
        rest = &rest[padding..];
        if rest.is_empty() {
            return Ok(());
        }
        if !is_gzip(rest) {
            return Err(Problem::Gzip(Error::new(ErrorKind::InvalidData, "bytes that are not gzip after its end")));
        }
    }
}

/// libdeflate's decoder.
struct OneMember(NonNull<libdeflate::libdeflate_decompressor>);

impl OneMember {
    fn new() -> Option<Self> {
        // SAFETY: takes nothing; gives a decoder, or null where there is no memory.
        NonNull::new(unsafe { libdeflate::libdeflate_alloc_decompressor() }).map(Self)
    }

    /// Fills `text`, which is empty, with the text of a member that is all of `bytes` and says of itself no more than a
    /// file's name. False if it is anything else, or not `length` bytes long, or longer than `text` has room for.
    fn inflate(&mut self, bytes: &[u8], length: usize, text: &mut Vec<u8>) -> bool {
        const FILE_NAME: u8 = 8;
        let plain = bytes.get(3).is_some_and(|flags| flags & !FILE_NAME == 0);
        if !plain || length > text.capacity() {
            return false;
        }
        let (mut read, mut written) = (0, 0);
        // SAFETY: the decoder is alive and only this call's; the first pair is a slice, and the second is memory that
        // `text` owns, as long as is said.
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
        // SAFETY: as many bytes have been written, and there is room for them.
        unsafe { text.set_len(length) };
        true
    }
}

impl Drop for OneMember {
    fn drop(&mut self) {
        // SAFETY: the decoder is alive, and nobody uses it after this.
        unsafe { libdeflate::libdeflate_free_decompressor(self.0.as_ptr()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression, GzBuilder};
    use std::io::Write;

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
