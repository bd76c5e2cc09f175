//! PSF of CHARMM, NAMD and X-PLOR: atoms and bonds. Fields are separated by blanks; the extended format has wider ones.

use super::{Topology, name};
use crate::error::{Fault, Problem};
use std::str::FromStr;

pub(super) fn read(bytes: &[u8]) -> Result<Topology, Fault> {
    let mut lines = Lines { bytes, at: 0 };
    let mut found = Topology::default();
    let atoms: usize = lines.section(b"!NATOM")?.ok_or(Problem::Cut("the topology, before its atoms"))?;
    for _ in 0..atoms {
        let at = lines.at as u64;
        let line = lines.next().ok_or(Fault::at(at, Problem::Cut("the atoms")))?;
        let wrong = || Fault::damaged(at, format!("an atom has the line {:?}", String::from_utf8_lossy(line)));
        let words: Vec<&[u8]> = words(line).collect();
        // Serial number, segment, residue, its name, atom, ... The segment may be blank.
        let (segment, rest) = match words[..] {
            [_, segment, residue, ..] if residue_number(residue).is_some() => (segment, words.get(2..5)),
            _ => (&b""[..], words.get(1..4)),
        };
        let Some(&[residue, residue_name, atom]) = rest else { return Err(wrong()) };
        let number = residue_number(residue).ok_or_else(wrong)?;
        found.push(name(atom), name(residue_name), number, name(segment));
    }
    let Some(bonds) = lines.section::<usize>(b"!NBOND")? else { return Ok(found) };
    let (mut ends, begin) = (Vec::new(), lines.at as u64);
    while ends.len() < 2 * bonds {
        let at = lines.at as u64;
        let line = lines.next().ok_or(Fault::at(begin, Problem::Cut("the bonds")))?;
        for word in words(line) {
            let atom = number::<u32>(word).filter(|atom| (1..=atoms as u64).contains(&u64::from(*atom)));
            ends.push(atom.ok_or_else(|| {
                Fault::damaged(at, format!("a bond of atom {:?} of {atoms}", String::from_utf8_lossy(word)))
            })?);
        }
    }
    found.bonds = ends.as_chunks::<2>().0.iter().map(|pair| [pair[0] - 1, pair[1] - 1]).collect();
    Ok(found)
}

struct Lines<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Lines<'a> {
    fn next(&mut self) -> Option<&'a [u8]> {
        let rest = self.bytes.get(self.at..).filter(|rest| !rest.is_empty())?;
        let end = memchr::memchr(b'\n', rest);
        self.at += end.map_or(rest.len(), |end| end + 1);
        Some(&rest[..end.unwrap_or(rest.len())])
    }

    /// Goes behind the line that begins a section, and returns the number before its name.
    fn section<T: FromStr>(&mut self, section: &[u8]) -> Result<Option<T>, Fault> {
        loop {
            let at = self.at as u64;
            let Some(line) = self.next() else { return Ok(None) };
            let mut words = words(line);
            let (first, second) = (words.next(), words.next());
            if second.is_some_and(|word| word.starts_with(section)) {
                let count = number(first.unwrap_or_default());
                let wrong = || Fault::damaged(at, format!("the line {:?}", String::from_utf8_lossy(line)));
                return count.ok_or_else(wrong).map(Some);
            }
        }
    }
}

fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

/// A residue's number, which an insertion code may follow.
fn residue_number(word: &[u8]) -> Option<i32> {
    let without_code = word.strip_suffix(&[*word.last()?]).filter(|_| word.last().is_some_and(u8::is_ascii_alphabetic));
    number(without_code.unwrap_or(word))
}

fn number<T: FromStr>(word: &[u8]) -> Option<T> {
    std::str::from_utf8(word).ok()?.parse().ok()
}
