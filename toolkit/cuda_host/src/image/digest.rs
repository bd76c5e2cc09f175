//! Digests that `cuda_builder` writes: SHA-256 over a name and bytes, each with its length.

use sha2::{Digest, Sha256};
use std::fmt::Write as _;

/// The first line of PTX that `cuda_builder` made.
const TITLE: &str = "// PTX made by cuda_builder, format 1. Do not edit: change the kernels and build again.\n";
const BODY: &str = "// body: ";
/// The last line of the header.
const KERNELS: &str = "// kernels: ";
/// The last line of the text: the digest of the header without that of the text.
const HEADER: &str = "\n// header: ";

/// The digest of a text.
pub(super) fn text_digest(text: &str) -> String {
    digest("text", text.as_bytes())
}

/// The digest of machine code, packed or not.
pub(super) fn code_digest(code: &[u8]) -> String {
    digest("code", code)
}

fn digest(name: &str, bytes: &[u8]) -> String {
    let mut sha = Sha256::new();
    for field in [name.as_bytes(), bytes] {
        sha.update((field.len() as u64).to_le_bytes());
        sha.update(field);
    }
    let mut text = "sha256:".to_owned();
    for byte in sha.finalize() {
        // Writing to a String does not fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// PTX in two parts.
pub(super) struct Header<'a> {
    lines: &'a str,
    /// The digest of `text`, from its line.
    pub(super) digest: &'a str,
    /// What is below the header.
    pub(super) text: &'a str,
}

impl<'a> Header<'a> {
    /// `None` for text without such a header.
    pub(super) fn read(ptx: &'a str) -> Option<Self> {
        let after_title = ptx.strip_prefix(TITLE)?;
        let fields = after_title.find(KERNELS)?;
        let end = TITLE.len() + fields + after_title[fields..].find('\n')? + 1;
        let (lines, text) = ptx.split_at(end);
        let digest = lines.lines().find_map(|line| line.strip_prefix(BODY))?;
        Some(Self { lines, digest, text })
    }

    /// The header's own digest as the last line has it, and as it is.
    pub(super) fn own_digest(&self) -> Option<(&'a str, String)> {
        let (_, written) = self.text.strip_suffix('\n')?.rsplit_once(HEADER)?;
        (!written.contains('\n')).then(|| (written, text_digest(&self.lines.replacen(self.digest, "", 1))))
    }
}
