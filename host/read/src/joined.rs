//! Residues whose side chain stands apart from their backbone in the file: programs that build missing atoms, or that write alternatives
//! as CNS does, put these at the end.
//!
//! Such a row has the identity and name of an earlier one with an alpha carbon, no N, CA and C of its own, and an atom bonded to the other.
//! Its atoms are those of that residue, or alternatives, where it would have more atoms than it can have.

use crate::atoms::heavy_atoms;
use crate::draft::{BOND2, Draft};
use shared_types::backbone::NO_ATOM;
use shared_types::residue::{is_nucleotide, parent_of};
use shared_types::{NO_CA, UNKNOWN};
use std::collections::HashMap;

/// The square of the distance in Å below which atoms are alternatives.
const SAME2: f64 = 1.0;

/// The first rows with an alpha carbon, and the rows that belong to them.
type Parts = Vec<(usize, usize)>;

impl Draft {
    /// Joins rows that are parts of others to these, or drops those that are alternatives.
    pub(super) fn join_parts(&mut self) {
        let parts = self.parts_of_residues();
        if parts.is_empty() {
            return;
        }
        let mut is_part = vec![false; self.structure.n_residues()];
        parts.iter().for_each(|(_, part)| is_part[*part] = true);
        let kept: Vec<usize> = (0..is_part.len()).filter(|&row| !is_part[row]).collect();
        let mut joined = self.rows(&kept);
        // By the row's place among those that are kept.
        let mut appended: Vec<Vec<usize>> = vec![Vec::new(); kept.len()];
        for (row, part) in parts {
            if self.is_alternative(row, part) {
                joined.tally.alternates += 1;
                continue;
            }
            joined.tally.repaired += 1;
            let text =
                || "atoms of a residue that stand apart from its backbone in the file are joined to it".to_owned();
            joined.tally.first_repaired.get_or_insert_with(text);
            appended[kept.partition_point(|&kept| kept < row)].push(part);
        }
        joined.append_parts(self, &appended);
        *self = joined;
    }

    fn parts_of_residues(&self) -> Parts {
        let s = &self.structure;
        let is_part = |&row: &usize| {
            s.ca_indices[row] == NO_CA && self.backbone[row] == [NO_CA; 2] && !is_nucleotide(s.residue_types[row])
        };
        let candidates: Vec<usize> = (0..s.n_residues()).filter(is_part).collect();
        if candidates.is_empty() {
            return Parts::new();
        }
        let key = |row: usize| (s.chain_ids[row], s.residue_numbers[row], &s.insertion_codes[row], self.names[row]);
        let mut whole = HashMap::new();
        for row in (0..s.n_residues()).filter(|&row| s.ca_indices[row] != NO_CA) {
            whole.entry(key(row)).or_insert(row);
        }
        let of = |&part: &usize| whole.get(&key(part)).map(|&row| (row, part));
        candidates.iter().filter_map(of).filter(|&(row, part)| row < part && self.has_near(row, part, BOND2)).collect()
    }

    /// Whether two rows have atoms nearer than a distance, of which the square is given.
    fn has_near(&self, a: usize, b: usize, most2: f64) -> bool {
        let near = |a: &[f64; 4], b: &[f64; 4]| (0..3).map(|axis| (a[axis] - b[axis]).powi(2)).sum::<f64>() < most2;
        let others = &self.atoms[self.atoms_of(b)];
        self.atoms[self.atoms_of(a)].iter().any(|a| others.iter().any(|b| near(a, b)))
    }

    /// Whether the atoms of a part stand for some that its residue has.
    fn is_alternative(&self, row: usize, part: usize) -> bool {
        let kind = self.structure.residue_types[row];
        match parent_of(kind).filter(|_| kind < UNKNOWN) {
            // With the second oxygen of an end.
            Some(parent) => self.atoms_of(row).len() + self.atoms_of(part).len() > heavy_atoms(parent) + 1,
            None => self.has_near(row, part, SAME2),
        }
    }

    /// Appends to each row the atoms of rows of another draft, with their roles.
    fn append_parts(&mut self, other: &Self, rows: &[Vec<usize>]) {
        let ranges: Vec<_> = (0..rows.len()).map(|row| self.atoms_of(row)).collect();
        let old = std::mem::take(&mut self.atoms);
        for (row, (range, parts)) in ranges.into_iter().zip(rows).enumerate() {
            let begin = self.atoms.len();
            let s = &mut self.structure;
            let places = [&mut s.ca_indices[row]].into_iter().chain(&mut self.backbone[row]);
            places.filter(|place| **place != NO_CA).for_each(|place| *place += (begin - range.start) as u32);
            s.residue_atoms[row] = begin as u32;
            self.atoms.extend_from_slice(&old[range]);
            for &part in parts {
                let count = self.atoms.len() - begin;
                add_roles(&mut s.roles[row], other.structure.roles[part], count);
                self.atoms.extend_from_slice(&other.atoms[other.atoms_of(part)]);
            }
        }
    }
}

/// Adds roles that a residue does not have, of atoms that come behind `count` others.
fn add_roles(roles: &mut [u32; 2], others: [u32; 2], count: usize) {
    let mut all = roles.map(u32::to_le_bytes);
    for (own, other) in all.iter_mut().flatten().zip(others.map(u32::to_le_bytes).into_iter().flatten()) {
        let moved = usize::from(other) + count;
        if *own == NO_ATOM && other != NO_ATOM && moved < usize::from(NO_ATOM) {
            *own = moved as u8;
        }
    }
    *roles = all.map(u32::from_le_bytes);
}
