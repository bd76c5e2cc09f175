//! Signs that coordinates are not those of whole molecules in Å: bonds that have their length in another unit, and chains that the border of a
//! periodic cell cuts.

use super::draft::{BOND2, Draft};
use super::molecules::{Cell, distance2};
use super::note::{Note, NoteKind};
use crate::plural::counted;
use shared_types::NO_CA;

/// A unit by the lengths that bonds between N, CA and C have in it, and what it is.
struct Unit {
    bonds: std::ops::Range<f64>,
    is: &'static str,
}

/// Bonds that have 1.2 to 2.8 Å in nm, and as many times ten where Å were converted once more; in Bohr radii the two have 2.8 and 2.9.
const OTHER_UNITS: [Unit; 3] = [
    Unit { bonds: 0.12..0.28, is: "a tenth of their length: the coordinates seem to be in nm" },
    Unit { bonds: 2.6..3.1, is: "1.9 times their length: the coordinates seem to be in Bohr radii" },
    Unit {
        bonds: 12.0..28.0,
        is: "ten times their length: the coordinates seem to be Å that were converted to Å once more",
    },
];

impl Unit {
    /// What a warning says.
    fn text(&self) -> String {
        let Self { is, .. } = self;
        format!(
            "all bonds between N, CA and C have {is}, and are read in Å. Convert them, since every area, distance and contact is wrong"
        )
    }
}

/// Residues that are looked at, and the fewest that show something.
const LOOKED_AT: usize = 16;
const LEAST: usize = 3;

/// The unit that the distances of N, CA and C show, the same in each of the first residues, if it is not Å. `bonds2` has their squares.
fn other_unit(bonds2: impl Iterator<Item = [f64; 2]>) -> Option<&'static Unit> {
    let found: Vec<[f64; 2]> = bonds2.take(LOOKED_AT).collect();
    let all_in = |unit: &&Unit| found.iter().flatten().all(|bond2| unit.bonds.contains(&bond2.sqrt()));
    OTHER_UNITS.iter().find(|unit| found.len() >= LEAST && all_in(unit))
}

/// What the reader warns of where atoms seem to be in another unit, by the squares of the distances of N, CA and C of each residue.
pub fn unit_doubt(bonds2: impl Iterator<Item = [f64; 2]>) -> Option<String> {
    other_unit(bonds2).map(Unit::text)
}

impl Draft {
    /// A warning if the atoms seem to be in another unit, or if bonds cross the border of a cell, which is only looked for if one is given:
    /// entries of the PDB have whole chains.
    pub(super) fn scale_note(&self, cell: Option<&Cell>) -> Option<Note> {
        let text = if let Some(unit) = other_unit(self.bonds2()) {
            unit.text()
        } else {
            let count = self.bonds_across(cell?);
            if count == 0 {
                return None;
            }
            format!(
                "{} the border of the periodic cell: the molecules are broken, and areas, depths and contacts are wrong there. Make them \
                 whole first (gmx trjconv -pbc whole, MDAnalysis unwrap)",
                counted(count, "bond of a backbone crosses", "bonds of backbones cross")
            )
        };
        Some(Note { kind: NoteKind::Scale, text })
    }

    /// The squares of the distances of N and CA and of CA and C, of residues that have all three.
    fn bonds2(&self) -> impl Iterator<Item = [f64; 2]> {
        let atom = |index: u32| self.atoms.get(index as usize);
        (0..self.structure.n_residues()).filter_map(move |row| {
            let [n, c] = self.backbone[row].map(atom);
            let ca = atom(self.structure.ca_indices[row])?;
            Some([distance2(n?, ca, None), distance2(ca, c?, None)])
        })
    }

    /// Number of bonds between N, CA and C of a chain across the border of a cell.
    fn bonds_across(&self, cell: &Cell) -> usize {
        let s = &self.structure;
        let is_across = |a: u32, b: u32| {
            let ends = self.atoms.get(a as usize).zip(self.atoms.get(b as usize));
            ends.is_some_and(|(a, b)| distance2(a, b, None) > BOND2 && distance2(a, b, Some(cell)) < BOND2)
        };
        let of_row = |row: usize| {
            let ([n, c], ca) = (self.backbone[row], s.ca_indices[row]);
            let next =
                if s.chain_ids.get(row + 1) == Some(&s.chain_ids[row]) { self.backbone[row + 1][0] } else { NO_CA };
            [(n, ca), (ca, c), (c, next)].into_iter().filter(|&(a, b)| is_across(a, b)).count()
        };
        (0..s.n_residues()).map(of_row).sum()
    }
}
