//! The chains of a structure as DockQ compares them.

use super::ligands::{Ligand, ligands};
use super::nucleotides;
use super::superpose::{Point, minus, norm2};
use prism_read::author_chain;
use prism_read::structure::StructureInput;
use shared_types::backbone::{NO_ATOM, RoleAtoms};
use shared_types::{NO_CA, RESIDUES};
use std::ops::Range;

/// A residue of a chain.
#[derive(Clone, Debug)]
pub(super) struct Residue {
    /// Its atoms among those of the structure.
    atoms: Range<u32>,
    /// A sphere that holds its atoms: centre and radius in Å.
    centre: Point,
    radius: f64,
    /// Its backbone's atoms in those of its chain.
    backbone: Range<u32>,
    /// Its beta carbon, or else its alpha carbon; C1' of a nucleotide.
    beta: Option<Point>,
}

/// A chain of a protein or a nucleic acid, or a ligand.
#[derive(Clone, Debug)]
pub(super) struct Chain {
    pub(super) id: String,
    /// What it is, if it is a ligand. Its residues have no letters then.
    pub(super) ligand: Option<Ligand>,
    /// Whether it begins with a nucleotide.
    pub(super) is_nucleic: bool,
    /// Molecules of this chain id that follow it and are part of it.
    pub(super) joined: Vec<String>,
    /// The one-letter codes of its residues.
    pub(super) letters: Vec<u32>,
    /// The residues' numbers.
    pub(super) numbers: Vec<u32>,
    pub(super) residues: Vec<Residue>,
    /// Atoms by which residues are superposed, as far as they are there: N, CA, C and O of an amino acid, and those of
    /// [`nucleotides::BACKBONE`].
    backbones: Vec<Option<Point>>,
    atoms: Vec<Point>,
    low: Point,
    high: Point,
}

/// Two residues of different chains, and the square of the smallest distance of their atoms in Å^2.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Near {
    pub(super) residues: [u32; 2],
    pub(super) distance2: f64,
}

/// The chains of a structure: those that have rows, in their order, then ligands if they are asked for.
///
/// Readers make chains of their own of molecules with one chain id (A, A~2), and take a gap in a renumbered chain, or a `TER`
/// there, for the end of one. So molecules of a chain id are one chain here if their numbers go on.
pub(super) fn chains(structure: &StructureInput, with_ligands: bool) -> Vec<Chain> {
    // First and last residue number.
    let mut numbers: Vec<Option<[i32; 2]>> = vec![None; structure.chains.len()];
    for (&chain, &number) in structure.chain_ids[..structure.n_rows()].iter().zip(&structure.residue_numbers) {
        numbers[chain as usize].get_or_insert([number; 2])[1] = number;
    }
    let mut chains: Vec<Chain> = Vec::new();
    let mut index_of = vec![usize::MAX; structure.chains.len()];
    let mut before: Option<(&str, i32)> = None;
    for (chain, _) in structure.rows_of_chains() {
        let (chain, id) = (chain as usize, structure.chains[chain as usize].as_str());
        let Some([first, last]) = numbers[chain] else { continue };
        let author = author_chain(id);
        match chains.last_mut().filter(|_| before.is_some_and(|(other, end)| other == author && end < first)) {
            Some(own) if !author.trim().is_empty() => own.joined.push(id.to_owned()),
            _ => chains.push(Chain::new(id)),
        }
        index_of[chain] = chains.len() - 1;
        before = Some((author, last));
    }
    let [x, y, z] = structure.center;
    let position = |atom: u32| {
        let atom = structure.atoms[atom as usize];
        [x + f64::from(atom.x), y + f64::from(atom.y), z + f64::from(atom.z)]
    };
    for row in 0..structure.n_rows() {
        let chain = &mut chains[index_of[structure.chain_ids[row] as usize]];
        let range = structure.residue_atoms[row]..structure.residue_atoms[row + 1];
        let begin = chain.backbones.len() as u32;
        let (letter, beta) = match nucleotides::letter(structure, row) {
            Some(base) => {
                let atoms = nucleotides::backbone(structure, row).map(|atom| atom.map(position));
                chain.is_nucleic |= chain.residues.is_empty();
                chain.backbones.extend(atoms);
                (base, atoms[nucleotides::C1])
            }
            None => {
                let roles = structure.roles.get(row).map_or(RoleAtoms::NONE, |words| RoleAtoms::of_words(*words));
                let role = |index: u8| (index != NO_ATOM).then(|| position(range.start + u32::from(index)));
                let ca = Some(structure.ca_indices[row]).filter(|ca| *ca != NO_CA).map(position);
                chain.backbones.extend([role(roles.n), ca, role(roles.c), role(roles.o)]);
                (letter(structure, row), role(roles.beta).or(ca))
            }
        };
        chain.letters.push(letter);
        chain.numbers.push(structure.residue_numbers[row] as u32);
        let backbone = begin..chain.backbones.len() as u32;
        chain.push(range.map(position), backbone, beta);
    }
    if with_ligands {
        chains.extend(ligands(structure, &chains));
    }
    chains.iter_mut().for_each(Chain::measure);
    chains
}

/// The one-letter code of the standard amino acid that a residue is, or is derived from; X without one.
fn letter(structure: &StructureInput, row: usize) -> u32 {
    RESIDUES.get(usize::from(structure.residue_types[row])).map_or('X', |residue| residue.letter).into()
}

impl Chain {
    pub(super) fn new(id: &str) -> Self {
        let (low, high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        Self {
            id: id.to_owned(),
            ligand: None,
            is_nucleic: false,
            joined: Vec::new(),
            letters: Vec::new(),
            numbers: Vec::new(),
            residues: Vec::new(),
            backbones: Vec::new(),
            atoms: Vec::new(),
            low,
            high,
        }
    }

    /// Adds a residue with these atoms.
    pub(super) fn push(&mut self, atoms: impl Iterator<Item = Point>, backbone: Range<u32>, beta: Option<Point>) {
        let begin = self.atoms.len();
        self.atoms.extend(atoms);
        let (centre, radius) = sphere(&self.atoms[begin..]);
        let atoms = begin as u32..self.atoms.len() as u32;
        self.residues.push(Residue { atoms, centre, radius, backbone, beta });
    }

    /// The backbone's atoms of a residue. Those of amino acids and of nucleotides are other ones.
    pub(super) fn backbone(&self, residue: usize) -> &[Option<Point>] {
        let Range { start, end } = self.residues[residue].backbone;
        &self.backbones[start as usize..end as usize]
    }

    /// Finds the box around its atoms.
    fn measure(&mut self) {
        for atom in &self.atoms {
            self.low = std::array::from_fn(|axis| self.low[axis].min(atom[axis]));
            self.high = std::array::from_fn(|axis| self.high[axis].max(atom[axis]));
        }
    }

    /// Whether atoms of two chains can be closer than `within` Å.
    fn may_touch(&self, other: &Self, within: f64) -> bool {
        (0..3).all(|axis| self.low[axis] - other.high[axis] < within && other.low[axis] - self.high[axis] < within)
    }

    fn atoms_of(&self, residue: &Residue) -> &[Point] {
        &self.atoms[residue.atoms.start as usize..residue.atoms.end as usize]
    }

    /// Whether a point lies within `within` Å of the box around its atoms.
    fn is_near(&self, residue: &Residue, within: f64) -> bool {
        let reach = within + residue.radius;
        (0..3)
            .all(|axis| residue.centre[axis] > self.low[axis] - reach && residue.centre[axis] < self.high[axis] + reach)
    }

    /// Pairs of residues of two chains with atoms closer than `within` Å, by their indices.
    pub(super) fn near(&self, other: &Self, within: f64) -> Vec<Near> {
        let mut found = Vec::new();
        if !self.may_touch(other, within) {
            return found;
        }
        let at = |(index, residue): (usize, _)| (index as u32, residue);
        let others: Vec<(u32, &Residue)> =
            other.residues.iter().enumerate().map(at).filter(|(_, residue)| self.is_near(residue, within)).collect();
        for (i, a) in self.residues.iter().enumerate().filter(|(_, residue)| other.is_near(residue, within)) {
            for (j, b) in &others {
                let reach = within + a.radius + b.radius;
                if norm2(minus(a.centre, b.centre)) >= reach * reach {
                    continue;
                }
                let mut distance2 = f64::INFINITY;
                for &one in self.atoms_of(a) {
                    for &two in other.atoms_of(b) {
                        distance2 = distance2.min(norm2(minus(one, two)));
                    }
                }
                if distance2 < within * within {
                    found.push(Near { residues: [i as u32, *j], distance2 });
                }
            }
        }
        found
    }

    /// Pairs of residues of two chains with beta carbons (else alpha carbons) closer than `within` Å, by their indices.
    pub(super) fn near_by_beta(&self, other: &Self, within: f64) -> Vec<Near> {
        let own = |chain: &Self| -> Vec<(u32, Point)> {
            (0..).zip(&chain.residues).filter_map(|(index, residue)| Some((index, residue.beta?))).collect()
        };
        let (own, others) = (own(self), own(other));
        let pairs = own.iter().flat_map(|a| others.iter().map(move |b| (a, b)));
        let near = pairs.map(|((i, a), (j, b))| Near { residues: [*i, *j], distance2: norm2(minus(*a, *b)) });
        near.filter(|near| near.distance2 < within * within).collect()
    }
}

/// A sphere around points: their mean, and the largest distance from it.
fn sphere(points: &[Point]) -> (Point, f64) {
    let n = points.len().max(1) as f64;
    let centre = [0, 1, 2].map(|axis| points.iter().map(|point| point[axis]).sum::<f64>() / n);
    let radius2 = points.iter().map(|point| norm2(minus(*point, centre))).fold(0.0, f64::max);
    // Allow for rounding.
    (centre, radius2.sqrt() + 1e-9)
}
