//! Every atom of a structure with its residue and bonds, and what interactions need of them.

use super::elements::Element;
use super::geometry::Point;
use super::termini::Sequences;
use std::sync::Arc;

/// What a residue belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Entity {
    /// An amino acid of a chain.
    Protein,
    /// A nucleotide of a chain.
    Nucleic,
    /// A small molecule.
    Ligand,
    /// A single atom that is no water.
    Ion,
    /// A sugar.
    Glycan,
    /// Water.
    Water,
}

impl Entity {
    /// Its name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Protein => "protein",
            Self::Nucleic => "nucleic",
            Self::Ligand => "ligand",
            Self::Ion => "ion",
            Self::Glycan => "glycan",
            Self::Water => "water",
        }
    }
}

/// A residue, ligand, ion or water.
#[derive(Clone, Debug, PartialEq)]
pub struct Residue {
    /// The author's chain id.
    pub chain: Arc<str>,
    /// The author's residue number.
    pub number: i32,
    /// The insertion code, usually empty.
    pub icode: Arc<str>,
    /// Its name in the file.
    pub name: Arc<str>,
    /// What it belongs to.
    pub entity: Entity,
    /// The standard amino acid whose atoms it has, or its own name.
    pub(super) template: Arc<str>,
    /// The range of its heavy atoms.
    pub(super) atoms: [u32; 2],
    pub(super) class: Class,
    /// Whether it is in `HETATM` records.
    pub(super) is_hetatm: bool,
    /// Its number in the sequence of its polymer, where the file has one.
    pub(super) in_sequence: Option<i32>,
    /// Whether its chain has alpha carbons or backbones alone. It has no areas.
    pub(super) is_trace: bool,
}

/// What a residue's name means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    AminoAcid,
    Nucleotide,
    Water,
    Other,
}

impl Residue {
    /// The indices of its heavy atoms.
    #[must_use]
    pub fn range(&self) -> std::ops::Range<usize> {
        self.atoms[0] as usize..self.atoms[1] as usize
    }
}

/// A heavy atom.
#[derive(Clone, Debug, PartialEq)]
pub struct Atom {
    /// Its name in the file, or the standard one in a standard amino acid.
    pub name: Arc<str>,
    /// Its place in Å.
    pub position: [f64; 3],
    /// The index of its residue.
    pub residue: u32,
    pub(super) element: Element,
}

/// The order of a bond.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    Single,
    Double,
    Triple,
    /// Of a ring, where the source does not say which bonds are double.
    Aromatic,
}

/// The bonds of each atom.
#[derive(Clone, Debug, Default)]
pub(super) struct Bonds {
    starts: Vec<u32>,
    ends: Vec<(u32, Order)>,
}

impl Bonds {
    /// Bonds between `atoms` atoms. The first of several between the same two counts.
    pub(super) fn new(atoms: usize, bonds: &[(u32, u32, Order)]) -> Self {
        let both = || bonds.iter().flat_map(|&(a, b, order)| [(a, b, order), (b, a, order)]);
        // Where the next neighbour of each atom goes.
        let mut next = vec![0; atoms + 1];
        both().for_each(|(a, ..)| next[a as usize + 1] += 1);
        (0..atoms).for_each(|atom| next[atom + 1] += next[atom]);
        let mut all = vec![(0, Order::Single); next[atoms] as usize];
        for (a, b, order) in both() {
            all[next[a as usize] as usize] = (b, order);
            next[a as usize] += 1;
        }
        let (mut starts, mut ends) = (vec![0], Vec::with_capacity(all.len()));
        let mut begin = 0;
        for end in next.into_iter().take(atoms).map(|end| end as usize) {
            let own = &mut all[begin..end];
            own.sort_by_key(|&(b, _)| b);
            ends.extend(own.chunk_by(|one, other| one.0 == other.0).map(|same| same[0]));
            starts.push(ends.len() as u32);
            begin = end;
        }
        Self { starts, ends }
    }

    /// The neighbours of an atom.
    pub(super) fn of(&self, atom: u32) -> &[(u32, Order)] {
        &self.ends[self.starts[atom as usize] as usize..self.starts[atom as usize + 1] as usize]
    }

    pub(super) fn are_bonded(&self, a: u32, b: u32) -> bool {
        self.of(a).iter().any(|&(end, _)| end == b)
    }

    /// Whether at most three bonds lie between two atoms.
    pub(super) fn are_near(&self, a: u32, b: u32) -> bool {
        self.of(a).iter().any(|&(c, _)| c == b || self.of(c).iter().any(|&(d, _)| d == b || self.are_bonded(d, b)))
    }
}

/// A structure: its residues, their heavy atoms and hydrogens, and the bonds.
#[derive(Clone, Debug, Default)]
pub(super) struct System {
    pub(super) residues: Vec<Residue>,
    pub(super) atoms: Vec<Atom>,
    pub(super) bonds: Bonds,
    /// Hydrogens that the file has, each with the heavy atom that it is bonded to, sorted by these.
    pub(super) hydrogens: Vec<(u32, Point)>,
    pub(super) sequences: Sequences,
}

impl System {
    pub(super) fn at(&self, atom: u32) -> Point {
        self.atoms[atom as usize].position
    }

    pub fn element(&self, atom: u32) -> Element {
        self.atoms[atom as usize].element
    }

    pub(super) fn residue_of(&self, atom: u32) -> &Residue {
        &self.residues[self.atoms[atom as usize].residue as usize]
    }

    pub(super) fn is_water(&self, atom: u32) -> bool {
        self.residue_of(atom).entity == Entity::Water
    }

    /// Hydrogens of the file at a heavy atom.
    pub(super) fn hydrogens_of(&self, atom: u32) -> &[(u32, Point)] {
        let begin = self.hydrogens.partition_point(|&(of, _)| of < atom);
        let end = self.hydrogens.partition_point(|&(of, _)| of <= atom);
        &self.hydrogens[begin..end]
    }

    /// Whether a bond joins two residues.
    pub(super) fn are_joined(&self, a: u32, b: u32) -> bool {
        let bonded =
            |&atom: &usize| self.bonds.of(atom as u32).iter().any(|&(end, _)| self.atoms[end as usize].residue == b);
        self.residues[a as usize].range().find(bonded).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_atoms_are_at_most_three_bonds_apart() {
        let chain: Vec<(u32, u32, Order)> = (0..5).map(|atom| (atom, atom + 1, Order::Single)).collect();
        let bonds = Bonds::new(6, &chain);
        assert!(bonds.are_near(0, 3) && bonds.are_near(3, 0) && !bonds.are_near(0, 4));
        assert_eq!(bonds.of(1), [(0, Order::Single), (2, Order::Single)]);
    }
}
