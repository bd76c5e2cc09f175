//! Copies of a real chain.

use crate::data;
use crate::dice::Dice;
use crate::synthetic::rotation;
use prism_host::{Composition, StructureInput};
use shared_types::{Atom, NO_CA};
use std::fmt::Write as _;
use std::fs;
use std::ops::Range;

/// Standard deviation of the random shift of atoms along each axis, in Å.
const JITTER: f64 = 0.1;

/// Copies of the repository's receptor-binding domain, each with its own jitter and rotation; the same in every run.
pub fn jittered(count: usize) -> Vec<StructureInput> {
    let chain = &data::shipped()[0];
    (0..count).map(|index| copy(chain, index)).collect()
}

fn copy(chain: &StructureInput, index: usize) -> StructureInput {
    let dice = &mut Dice::new(index as u64);
    let turn = rotation(dice);
    let atoms = chain.atoms.iter().map(|atom| {
        let [x, y, z] = moved([atom.x, atom.y, atom.z].map(f64::from), &turn, dice).map(|x| x as f32);
        Atom { x, y, z, radius: atom.radius }
    });
    let mut copy = StructureInput { atoms: atoms.collect(), ..chain.clone() };
    copy.name = format!("copy {index}");
    copy
}

/// A position after jitter and rotation.
fn moved(place: [f64; 3], turn: &[[f64; 3]; 3], dice: &mut Dice) -> [f64; 3] {
    let place = place.map(|x| x + JITTER * dice.normal());
    turn.map(|row| row[0] * place[0] + row[1] * place[1] + row[2] * place[2])
}

/// The PDB file of the same chain, for writing copies.
#[derive(Clone, Debug)]
pub struct PdbFile {
    text: String,
    /// Centre of rotation in Å.
    center: [f64; 3],
}

/// Columns of the coordinates in a PDB atom record, each in Å as `%8.3f`.
const COORDINATES: [Range<usize>; 3] = [30..38, 38..46, 46..54];

impl PdbFile {
    /// The file in the repository.
    pub fn shipped() -> Self {
        let path = data::path(data::SHIPPED[0]);
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Self { text, center: data::shipped()[0].center }
    }

    /// The text of a copy: all atoms jittered and rotated, everything else as in the file.
    pub fn copy(&self, index: usize) -> String {
        let dice = &mut Dice::new(index as u64);
        let turn = rotation(dice);
        let mut copy = String::with_capacity(self.text.len());
        for line in self.text.lines() {
            match place(line) {
                Some(place) => {
                    let from_center = [0, 1, 2].map(|axis| place[axis] - self.center[axis]);
                    let [x, y, z] = moved(from_center, &turn, dice);
                    let _ = write!(copy, "{}{x:8.3}{y:8.3}{z:8.3}{}", &line[..30], &line[54..]);
                }
                None => copy.push_str(line),
            }
            copy.push('\n');
        }
        copy
    }
}

/// The position of an atom's record; `None` for other records.
fn place(line: &str) -> Option<[f64; 3]> {
    let [x, y, z] = COORDINATES.map(|columns| line.get(columns)?.trim().parse().ok());
    (line.starts_with("ATOM") || line.starts_with("HETATM")).then_some([x?, y?, z?])
}

/// Copies side by side in one structure, like the chains of a capsid; each is a chain.
pub fn capsid(count: usize) -> StructureInput {
    /// Distance between copies in Å.
    const APART: f32 = 80.0;
    let mut all = StructureInput::from(Composition {
        name: format!("capsid of {count}"),
        residue_atoms: vec![0],
        ..Composition::default()
    });
    let side = (1..).find(|side| side * side * side >= count).unwrap_or(1);
    for (index, one) in jittered(count).into_iter().enumerate() {
        let place = [index % side, index / side % side, index / (side * side)].map(|at| at as f32 * APART);
        let first = all.atoms.len() as u32;
        let moved = |atom: &Atom| Atom { x: atom.x + place[0], y: atom.y + place[1], z: atom.z + place[2], ..*atom };
        all.atoms.to_mut().extend(one.atoms.iter().map(moved));
        all.residue_atoms.extend(one.residue_atoms[1..].iter().map(|atom| first + atom));
        all.ca_indices.extend(one.ca_indices.iter().map(|ca| if *ca == NO_CA { NO_CA } else { first + ca }));
        all.chain_ids.extend(one.chain_ids.iter().map(|_| index as u32));
        all.chains.push(index.to_string());
        all.residue_types.extend(one.residue_types.clone());
        all.residue_numbers.extend(one.residue_numbers.clone());
        all.insertion_codes.extend(one.insertion_codes.clone());
        all.bfactor.extend(one.bfactor.clone());
        all.conservation.extend(one.conservation.clone());
        all.gisaid_freq.extend(one.gisaid_freq.clone());
        all.gisaid_velocity.extend(one.gisaid_velocity.clone());
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use prism_host::read::{ReadOptions, read_bytes};

    /// Distances stay the same except for the jitter of both ends; directions change.
    #[test]
    fn files_hold_the_chain_jittered_and_turned() {
        let (file, chain) = (PdbFile::shipped(), &data::shipped()[0]);
        let n = chain.n_atoms();
        let between = |structure: &StructureInput, i: usize| {
            let (a, b) = (structure.atoms[i], structure.atoms[n - 1 - i]);
            [a.x - b.x, a.y - b.y, a.z - b.z].map(f64::from)
        };
        let length = |v: [f64; 3]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
        for index in 0..3 {
            let found = read_bytes(file.copy(index).as_bytes(), "x", &ReadOptions::default()).unwrap().structure;
            assert_eq!(found.residue_atoms, chain.residue_atoms);
            let longer = |i| (length(between(&found, i)) - length(between(chain, i))).abs();
            let mean = (0..n / 2).map(longer).sum::<f64>() / (n / 2) as f64;
            // The mean absolute value of a normal number with the deviation of two atoms.
            let expected = JITTER * 2.0_f64.sqrt() * (2.0 / std::f64::consts::PI).sqrt();
            assert!((mean - expected).abs() < 0.1 * expected, "copy {index}: {mean} Å");
            let (now, before) = (between(&found, 0), between(chain, 0));
            assert!(length([0, 1, 2].map(|axis| now[axis] - before[axis])) > 1.0, "copy {index} is not turned");
        }
    }
}
