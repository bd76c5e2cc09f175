//! The file of machine code beside PTX, which `cuda_builder::machine_code` writes.

use super::chip::Chip;
use super::digest::{code_digest, text_digest};

/// The first line.
const TITLE: &str = "machine code made by cuda_builder, format 1";

/// The content of a file.
pub(super) struct Contents<'a> {
    pub(super) package: &'a str,
    pub(super) codes: Vec<Code<'a>>,
}

/// The code of one chip.
pub(super) struct Code<'a> {
    pub(super) chip: Chip,
    packed: &'a [u8],
    bytes: usize,
    digest: &'a str,
    /// Files of earlier builds lack it.
    packed_digest: Option<&'a str>,
}

impl<'a> Contents<'a> {
    /// Reads a file that was made from PTX with this digest. An empty file has no code.
    pub(super) fn read(file: &'a [u8], ptx: Option<&str>) -> Result<Self, String> {
        if file.is_empty() {
            return Ok(Self { package: "", codes: Vec::new() });
        }
        let damaged = || "it is not a machine code file, or is damaged or cut short".to_owned();
        let end = file.windows(2).position(|two| two == b"\n\n").ok_or_else(damaged)?;
        let (header, mut rest) = (std::str::from_utf8(&file[..end]).map_err(|_| damaged())?, &file[end + 2..]);
        let mut lines = header.lines();
        if lines.next() != Some(TITLE) {
            return Err(damaged());
        }
        let (mut package, mut made_from, mut codes) = ("", None, Vec::new());
        for line in &mut lines {
            match line.split_once(": ").ok_or_else(damaged)? {
                ("package", name) => package = name,
                ("ptx", digest) => made_from = Some(digest),
                // For tools that check the file.
                ("assembler", _) => {}
                ("chip", of_chip) => {
                    let (code, others) = Code::read(of_chip, rest).ok_or_else(damaged)?;
                    codes.push(code);
                    rest = others;
                }
                ("header", digest) => {
                    let before = line.as_ptr() as usize - header.as_ptr() as usize;
                    if text_digest(&header[..before]) != digest {
                        return Err("its header does not have the digest that it names".to_owned());
                    }
                    break;
                }
                _ => return Err(damaged()),
            }
        }
        if !rest.is_empty() || lines.next().is_some() {
            return Err(damaged());
        }
        let made_from = made_from.ok_or_else(damaged)?;
        match ptx {
            Some(digest) if digest == made_from => Ok(Self { package, codes }),
            Some(digest) => Err(format!("it was made from other PTX ({made_from}; the PTX is {digest})")),
            None => Err(format!("it was made from other PTX ({made_from}; the PTX has no digest in its header)")),
        }
    }
}

impl<'a> Code<'a> {
    /// The code that a line describes, at the beginning of `rest`, and what follows it.
    fn read(line: &'a str, rest: &'a [u8]) -> Option<(Self, &'a [u8])> {
        let words: Vec<&str> = line.split(' ').collect();
        let (&[chip, packed, bytes, digest], of_packed) = words.split_first_chunk()?;
        if of_packed.len() > 1 {
            return None;
        }
        let (packed, others) = rest.split_at_checked(packed.parse().ok()?)?;
        let (chip, bytes, packed_digest) = (Chip::parse(chip)?, bytes.parse().ok()?, of_packed.first().copied());
        Some((Self { chip, packed, bytes, digest, packed_digest }, others))
    }

    /// The code, if its bytes are those that were written. The packed form has a fifth of the bytes, so its digest takes a fifth of the
    /// time.
    pub(super) fn unpacked(&self) -> Result<Vec<u8>, String> {
        let chip = self.chip;
        let other = || format!("the code for {chip} does not have the digest that the file names");
        if self.packed_digest.is_some_and(|digest| digest != code_digest(self.packed)) {
            return Err(other());
        }
        let code = zstd::bulk::decompress(self.packed, self.bytes)
            .map_err(|error| format!("the code for {chip} cannot be unpacked: {error}"))?;
        if self.packed_digest.is_none() && self.digest != code_digest(&code) {
            return Err(other());
        }
        if code.len() != self.bytes || !code.starts_with(b"\x7fELF") {
            return Err(format!("the code for {chip} does not have {} bytes of machine code", self.bytes));
        }
        Ok(code)
    }
}
