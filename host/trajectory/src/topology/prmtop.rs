//! PRMTOP of AMBER: sections of values in columns of one width, which each section gives.

use super::{Topology, name};
use crate::error::{Fault, Problem};
use std::collections::HashMap;

/// A section's values: where they begin, the bytes, and the width of one.
struct Section<'a> {
    at: u64,
    text: &'a [u8],
    width: usize,
}

impl<'a> Section<'a> {
    fn values(&self) -> impl Iterator<Item = &'a [u8]> {
        let width = self.width;
        let lines = self.text.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
        lines.flat_map(move |line| line.chunks(width))
    }

    fn numbers(&self) -> Result<Vec<i64>, Fault> {
        let number = |value: &[u8]| {
            let text = std::str::from_utf8(value).unwrap_or_default().trim();
            let wrong = || Fault::damaged(self.at, format!("{text:?} where a whole number must be"));
            text.parse().map_err(|_| wrong())
        };
        self.values().map(number).collect()
    }
}

pub(super) fn read(bytes: &[u8]) -> Result<Topology, Fault> {
    let sections = sections(bytes)?;
    let section = |flag: &str| sections.get(flag.as_bytes());
    let needed = |flag: &'static str, what| section(flag).ok_or(Fault::from(Problem::Cut(what)));
    let names = needed("ATOM_NAME", "the topology: it has no ATOM_NAME")?;
    let pointers = needed("POINTERS", "the topology: it has no POINTERS")?;
    let residues = needed("RESIDUE_LABEL", "the topology: it has no RESIDUE_LABEL")?;
    let firsts = needed("RESIDUE_POINTER", "the topology: it has no RESIDUE_POINTER")?;
    let atoms = pointers.numbers()?.first().and_then(|&atoms| usize::try_from(atoms).ok());
    let atoms = atoms.ok_or_else(|| Fault::damaged(pointers.at, "the number of atoms is not in POINTERS"))?;
    let names: Vec<&[u8]> = names.values().take(atoms).collect();
    if names.len() < atoms {
        return Err(Fault::at(sections[&b"ATOM_NAME"[..]].at, Problem::Cut("the names of atoms")));
    }
    let (labels, begins): (Vec<&[u8]>, Vec<i64>) = (residues.values().collect(), firsts.numbers()?);
    let ordered = begins.first() == Some(&1) && begins.windows(2).all(|pair| pair[0] < pair[1]);
    if atoms > 0 && (labels.len() < begins.len() || !ordered) {
        return Err(Fault::damaged(firsts.at, "the first atoms of residues do not rise from 1, each with a name"));
    }
    // Programs add the author's numbers and chains.
    let numbers = section("RESIDUE_NUMBER").map(Section::numbers).transpose()?.unwrap_or_default();
    let chains: Vec<&[u8]> = section("RESIDUE_CHAINID").map(|all| all.values().collect()).unwrap_or_default();
    let mut found = Topology::default();
    let mut residue = 0;
    for (atom, own) in names.into_iter().enumerate() {
        if begins.get(residue + 1).is_some_and(|begin| *begin <= atom as i64 + 1) {
            residue += 1;
        }
        let number = numbers.get(residue).copied().unwrap_or(residue as i64 + 1);
        let number =
            i32::try_from(number).map_err(|_| Fault::damaged(firsts.at, format!("residue number {number}")))?;
        let chain = chains.get(residue).copied().unwrap_or_default();
        found.push(name(own), name(labels[residue]), number, name(chain));
    }
    if let Some(numbers) = section("ATOMIC_NUMBER") {
        let all = numbers.numbers()?;
        found.elements = all.into_iter().take(atoms).map(|number| u8::try_from(number).unwrap_or(0)).collect();
        found.elements.resize(atoms, 0);
    }
    for flag in ["BONDS_INC_HYDROGEN", "BONDS_WITHOUT_HYDROGEN"] {
        let Some(bonds) = section(flag) else { continue };
        let numbers = bonds.numbers()?;
        for three in numbers.as_chunks::<3>().0 {
            // Indices count coordinates.
            let end = |value: i64| u32::try_from(value / 3).ok().filter(|atom| (*atom as usize) < atoms);
            let (Some(a), Some(b)) = (end(three[0]), end(three[1])) else {
                return Err(Fault::damaged(bonds.at, format!("a bond of coordinates {} and {}", three[0], three[1])));
            };
            found.bonds.push([a, b]);
        }
    }
    Ok(found)
}

fn sections<'a>(bytes: &'a [u8]) -> Result<HashMap<&'a [u8], Section<'a>>, Fault> {
    let mut sections = HashMap::new();
    let mut flag: Option<(&'a [u8], Option<usize>)> = None;
    let (mut at, mut begin) = (0, 0);
    let mut end_section = |flag: Option<(&'a [u8], Option<usize>)>, begin: usize, end: usize| {
        if let Some((flag, Some(width))) = flag {
            sections.insert(flag, Section { at: begin as u64, text: bytes[begin..end].trim_ascii_end(), width });
        }
    };
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        if let Some(name) = line.strip_prefix(b"%FLAG") {
            end_section(flag.take(), begin, at);
            flag = Some((name.trim_ascii(), None));
        } else if let (Some(format), Some((_, width))) = (line.strip_prefix(b"%FORMAT"), &mut flag) {
            *width = Some(width_of(format).ok_or_else(|| {
                Fault::damaged(at as u64, format!("the format {:?}", String::from_utf8_lossy(format.trim_ascii())))
            })?);
            begin = at + line.len();
        } else if line.starts_with(b"%COMMENT") {
            begin = at + line.len();
        }
        at += line.len();
    }
    end_section(flag, begin, at);
    Ok(sections)
}

/// The width of a value in a format of FORTRAN, such as (20a4) or (5E16.8).
fn width_of(format: &[u8]) -> Option<usize> {
    let letter = format.iter().position(|byte| matches!(byte.to_ascii_lowercase(), b'a' | b'i' | b'e' | b'f'))?;
    let digits: Vec<u8> = format[letter + 1..].iter().copied().take_while(u8::is_ascii_digit).collect();
    std::str::from_utf8(&digits).ok()?.parse().ok().filter(|width| (1..=1024).contains(width))
}
