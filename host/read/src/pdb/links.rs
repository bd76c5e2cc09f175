//! Bonds: `LINK` and `SSBOND`, and `CONECT`.

use super::NEEDED;
use super::column_21::Column21;
use crate::links::{Declared, LinkEnd, LinkKind, are_of_one_copy};
use crate::number::{integer, pdb_residue_number};

/// The pairs of atoms of a `CONECT` record, by their numbers; `None` if a line is no such record.
pub(crate) fn conect(line: &[u8]) -> Option<impl Iterator<Item = [i32; 2]> + '_> {
    let serial = |at: usize| integer(line.get(at..(at + 5).min(line.len())).unwrap_or_default().trim_ascii());
    let from = line.starts_with(b"CONECT").then(|| serial(6))?;
    Some((1..=4).filter_map(move |k| Some([from?, serial(6 + 5 * k)?])))
}

/// Reads the records of a text that name atoms.
pub(crate) struct Links<'a> {
    column_21: Column21<'a>,
}

impl<'a> Links<'a> {
    pub(crate) fn new(text: &'a [u8]) -> Self {
        Self { column_21: Column21::new(text) }
    }

    /// The bond of a line; `None` if it holds none.
    pub(crate) fn of(&mut self, line: &'a [u8]) -> Option<Declared<'a>> {
        let of = |begin: usize, end: usize| line.get(begin..end.min(line.len())).unwrap_or_default().trim_ascii();
        let is_disulfide = line.starts_with(b"SSBOND");
        if !is_disulfide && !line.starts_with(b"LINK  ") {
            return None;
        }
        let ends = match is_disulfide {
            true => [(11, &b"SG"[..]), (25, b"SG")],
            false => [(17, of(12, 16)), (47, of(42, 46))],
        };
        let [a, b] = ends.map(|(at, atom)| self.end(line, at, atom));
        let kind = if is_disulfide { LinkKind::Disulfide } else { LinkKind::Covalent };
        Some(Declared { kind, ends: [a?, b?], is_within: are_of_one_copy(of(59, 65), of(66, 72)) })
    }

    /// The end whose residue begins at byte `at`: its name, chain, number and insertion code have columns as in the records of atoms, but
    /// that `SSBOND` has a blank before the number.
    fn end(&mut self, line: &'a [u8], at: usize, atom: &'a [u8]) -> Option<LinkEnd<'a>> {
        /// Columns 18 and 22 of an atom's record, counted from 0.
        const NAME: usize = 17;
        const CHAIN: usize = 21;
        let of = |begin: usize, end: usize| line.get(begin..end.min(line.len())).unwrap_or_default().trim_ascii();
        let own = line.get(at..=at + CHAIN - NAME)?;
        let mut columns = [b' '; NEEDED];
        columns[NAME..=CHAIN].copy_from_slice(own);
        let (end, begin) = if columns[20] == b' ' { (20, CHAIN) } else { self.column_21.divide(&columns) };
        let number_at = at + CHAIN - NAME + if line.starts_with(b"SSBOND") { 2 } else { 1 };
        Some(LinkEnd {
            // Chains may be blank, which is their name.
            chain: &own[begin - NAME..],
            number: pdb_residue_number(of(number_at, number_at + 4))?,
            icode: of(number_at + 4, number_at + 5),
            residue: own[..end - NAME].trim_ascii(),
            atom,
        })
    }
}
