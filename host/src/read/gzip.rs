//! Gzip streams: one member or several, whole or refused.

use super::error::Problem;
use flate2::bufread::GzDecoder;
use std::io::{Error, ErrorKind, Read};

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
    let mut rest = bytes;
    loop {
        let mut member = GzDecoder::new(rest);
        member.read_to_end(&mut text).map_err(Problem::Gzip)?;
        rest = member.into_inner();
        let padding = rest.iter().take_while(|&&b| b == 0).count();
        rest = &rest[padding..];
        if rest.is_empty() {
            return Ok(text);
        }
        if !is_gzip(rest) {
            return Err(Problem::Gzip(Error::new(ErrorKind::InvalidData, "bytes that are not gzip after its end")));
        }
    }
}
