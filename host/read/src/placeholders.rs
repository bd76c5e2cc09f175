//! Atoms whose coordinates no program knew: they lie at the origin, or at 999.999 or 9999.000 Å along each axis.

use super::draft::Draft;
use shared_types::NO_CA;
use shared_types::backbone::NO_ATOM;

/// Whether an atom lies where those without a place are written.
#[inline]
fn is_placeholder(&[x, y, z, _]: &[f64; 4]) -> bool {
    is_without_place([x, y, z])
}

/// Whether this is where programs write atoms without a place.
#[inline]
pub fn is_without_place([x, y, z]: [f64; 3]) -> bool {
    x == y && y == z && (x == 0.0 || matches!(x.abs() as u32, 999 | 9999))
}

impl Draft {
    /// Leaves out atoms without a place, and residues that have no others.
    pub(super) fn drop_placeholders(&mut self) {
        if !self.may_have_placeholders() {
            return;
        }
        let of_residues = self.atoms.iter().filter(|atom| is_placeholder(atom)).count();
        let count = of_residues + self.cover.iter().filter(|atom| is_placeholder(atom)).count();
        // One atom at the origin may be there by chance.
        let is_sure = || self.atoms.iter().chain(&self.cover).any(|atom| is_placeholder(atom) && atom[0] != 0.0);
        if count == 0 || count == 1 && !is_sure() || of_residues == self.atoms.len() {
            return;
        }
        self.tally.placeholders += count;
        let is_kept: Vec<bool> = self.cover.iter().map(|atom| !is_placeholder(atom)).collect();
        self.keep_cover(&is_kept);
        let n = self.structure.n_residues();
        let is_empty = |row: &usize| self.atoms[self.atoms_of(*row)].iter().all(is_placeholder);
        let rows: Vec<usize> = (0..n).filter(|row| !is_empty(row)).collect();
        if rows.len() < n {
            self.tally.without_places += n - rows.len();
            *self = self.rows(&rows);
        }
        self.drop_atoms();
    }

    /// Whether a residue's middle or last atom has no place, or one without a row: side chains come last or in the middle.
    fn may_have_placeholders(&self) -> bool {
        let (mut end, atoms) = (self.atoms.len(), &self.atoms[..]);
        for &begin in self.structure.residue_atoms.iter().rev() {
            let of_row = &atoms[begin as usize..end];
            if [of_row.len() / 2, of_row.len().wrapping_sub(1)]
                .iter()
                .any(|&at| of_row.get(at).is_some_and(is_placeholder))
            {
                return true;
            }
            end = begin as usize;
        }
        self.cover.iter().any(is_placeholder)
    }

    /// Removes the atoms without a place from residues that have others.
    fn drop_atoms(&mut self) {
        let old = std::mem::take(&mut self.atoms);
        let ends = self.structure.residue_atoms.iter().skip(1).copied().chain([old.len() as u32]);
        let ranges: Vec<_> = self.structure.residue_atoms.iter().copied().zip(ends).collect();
        for (row, (begin, end)) in ranges.into_iter().enumerate() {
            let begins = self.atoms.len() as u32;
            // Where each atom of the residue is now, counted from its first.
            let mut places = Vec::new();
            for atom in &old[begin as usize..end as usize] {
                let is_kept = !is_placeholder(atom);
                places.push(is_kept.then_some(self.atoms.len() as u32 - begins));
                self.atoms.extend(is_kept.then_some(*atom));
            }
            let moved = |atom: u32| match atom {
                NO_CA => NO_CA,
                atom => places[(atom - begin) as usize].map_or(NO_CA, |place| begins + place),
            };
            let role = |byte: u8| match places.get(usize::from(byte)) {
                Some(place) => place.and_then(|place| u8::try_from(place).ok()).unwrap_or(NO_ATOM),
                None => byte,
            };
            let word = |word: u32| u32::from_le_bytes(word.to_le_bytes().map(role));
            let s = &mut self.structure;
            s.residue_atoms[row] = begins;
            s.ca_indices[row] = moved(s.ca_indices[row]);
            if s.ca_indices[row] == NO_CA {
                (s.bfactor[row], s.b_column[row]) = (f32::NAN, f32::NAN);
            }
            s.roles[row] = s.roles[row].map(word);
            s.nucleotide_atoms[row] = s.nucleotide_atoms[row].map(word);
            self.backbone[row] = self.backbone[row].map(moved);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_that_programs_write_for_none() {
        for place in [0.0, 999.0, 999.999, 9999.0, 9999.9, 9999.999, -999.999, -9999.0] {
            assert!(is_placeholder(&[place, place, place, 1.7]), "{place}");
        }
        for place in [[0.0, 0.0, 0.001], [999.999, 999.999, 0.0], [1000.5, 1000.5, 1000.5], [12.0, 12.0, 12.0]] {
            assert!(!is_placeholder(&[place[0], place[1], place[2], 1.7]), "{place:?}");
        }
    }
}
