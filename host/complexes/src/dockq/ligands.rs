//! Ligands, ions and sugars: which atoms correspond, and how far a pose is off.
//!
//! As in DockQ, the part of the chain within 10 Å of the ligand in the reference is superposed, and LRMSD is that of the ligand's atoms
//! then, the lowest of all ways to map equally bonded atoms to each other.

use super::chains::Chain;
use super::score::{Modelled, Native, Scores, backbones};
use super::superpose::{Point, Superposition, minus, norm2};
use super::symmetry::{Graph, closest_mapping};
use prism_read::elements::{is_cap, of_symbol};
use prism_read::structure::{AtomLabel, Hetero, HeteroResidue, StructureInput};
use std::collections::HashMap;

/// Residues of a chain closer than this to a ligand, in Å, are superposed.
pub(super) const AROUND: f64 = 10.0;
/// Two atoms are bonded if they are closer than their covalent radii and this, in Å.
const TOLERANCE: f64 = 0.4;
/// Residues of a chain that are closer than this, in Å, are one molecule: more than a bond, less than a contact.
const LINKED: f64 = 2.2;

/// What a ligand is.
#[derive(Clone, Debug)]
pub(super) struct Ligand {
    /// The names of its residues; ligands with the same names correspond.
    pub(super) name: String,
    atoms: Vec<LigandAtom>,
}

#[derive(Clone, Debug)]
struct LigandAtom {
    /// Its residue, counted from 0, and its name.
    key: (usize, String),
    /// Its covalent radius in Å.
    radius: f64,
    at: Point,
}

/// The ligands of a structure, in the order of the file. One that has a chain id of its own is called by it, another one by the
/// chain, its name and number (`A/HEM142`).
pub(super) fn ligands(structure: &StructureInput, polymers: &[Chain]) -> Vec<Chain> {
    let Some(hetero) = structure.hetero.as_deref() else { return Vec::new() };
    let is_polymer =
        |id: &str| polymers.iter().any(|chain| chain.id == id || chain.joined.iter().any(|other| other == id));
    let of_cap = |residue: &HeteroResidue| is_cap(&residue.name, residue.atoms.len());
    let residues: Vec<usize> = (0..hetero.residues.len()).filter(|&at| !of_cap(&hetero.residues[at])).collect();
    let mut found = Vec::new();
    for of_chain in residues.chunk_by(|&a, &b| hetero.residues[a].chain == hetero.residues[b].chain) {
        let id = &*hetero.residues[of_chain[0]].chain;
        let is_alone = residues.iter().filter(|&&at| &*hetero.residues[at].chain == id).count() == of_chain.len();
        if is_alone && !is_polymer(id) && are_linked(hetero, of_chain) {
            found.push(Chain::ligand(id, structure, hetero, of_chain));
            continue;
        }
        for &at in of_chain {
            let residue = &hetero.residues[at];
            let number = residue.number.map_or_else(String::new, |number| number.to_string());
            let id = format!("{}/{}{number}{}", id.trim(), residue.name, residue.icode);
            found.push(Chain::ligand(&id, structure, hetero, &[at]));
        }
    }
    found
}

/// Whether each residue but the first is bonded to one before it.
fn are_linked(hetero: &Hetero, residues: &[usize]) -> bool {
    let positions = |at: usize| hetero.labels[hetero.residues[at].atoms.clone()].iter().map(|label| label.position);
    residues.iter().enumerate().skip(1).all(|(count, &own)| {
        let mut before = residues[..count].iter().flat_map(|&other| positions(other));
        before.any(|other| positions(own).any(|own| norm2(minus(own, other)) < LINKED * LINKED))
    })
}

impl Chain {
    fn ligand(id: &str, structure: &StructureInput, hetero: &Hetero, residues: &[usize]) -> Self {
        let mut chain = Self::new(id);
        let [x, y, z] = structure.center;
        let mut atoms = Vec::new();
        for (count, &at) in residues.iter().enumerate() {
            let range = hetero.residues[at].atoms.clone();
            let position = |atom: usize| {
                let atom = hetero.atoms[atom];
                [x + f64::from(atom.x), y + f64::from(atom.y), z + f64::from(atom.z)]
            };
            atoms.extend(range.clone().map(|atom| {
                let label = &hetero.labels[atom];
                LigandAtom { key: (count, label.name().to_owned()), radius: covalent_radius(label), at: position(atom) }
            }));
            chain.push(range.map(position), 0..0, None);
        }
        let names: Vec<&str> = residues.iter().map(|&at| &*hetero.residues[at].name).collect();
        chain.ligand = Some(Ligand { name: names.join("+"), atoms });
        chain
    }
}

/// The covalent radius of an atom in Å; carbon's, if nothing says its element.
fn covalent_radius(label: &AtomLabel) -> f64 {
    const CARBON: f64 = 0.76;
    of_symbol(label.element).map_or(CARBON, |element| f64::from(element.covalent))
}

/// How a pose was compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Doubts {
    /// Atoms of the reference's ligand that the model's lacks.
    pub(super) missing: usize,
    /// Atoms correspond by their names alone, because they are not bonded alike.
    pub(super) by_name: bool,
    /// Not all ways to map atoms were tried.
    pub(super) cut_short: bool,
}

/// Scores the pose of a ligand, of which the chains of this side are. Contacts are undefined.
pub(super) fn pose(native: &Native<'_>, model: &Modelled<'_>, side: usize) -> (f64, Doubts) {
    let [Some(own), Some(reference)] = [&model.chains[side].ligand, &native.chains[side].ligand] else {
        return (f64::NAN, Doubts::default());
    };
    let [own_atoms, atoms] = shared(own, reference);
    let missing = reference.atoms.len() - atoms.len();
    let doubts = Doubts { missing, ..Doubts::default() };
    let mut is_near = vec![false; native.chains[1 - side].residues.len()];
    for near in native.interface.iter().filter(|near| near.distance2 < AROUND * AROUND) {
        let receptor = if native.swapped { side } else { 1 - side };
        is_near[near.residues[receptor] as usize] = true;
    }
    let [moved, fixed] = backbones(native, model, 1 - side, |residue| is_near[residue]);
    let fit = Superposition::of(&moved, &fixed).filter(|fit| fit.is_unique);
    let Some(fit) = fit.filter(|_| !atoms.is_empty()) else { return (f64::NAN, doubts) };
    let moved: Vec<Point> = own_atoms.iter().map(|atom| fit.apply(atom.at)).collect();
    let fixed: Vec<Point> = atoms.iter().map(|atom| atom.at).collect();
    let distance2 = |a: usize, b: usize| norm2(minus(moved[a], fixed[b]));
    let found = closest_mapping(&graph(&own_atoms), &graph(&atoms), &distance2);
    let by_name = || (0..atoms.len()).map(|at| distance2(at, at)).sum::<f64>();
    let sum = found.map_or_else(by_name, |found| found.sum);
    let doubts = Doubts { by_name: found.is_none(), cut_short: found.is_some_and(|found| !found.is_best), ..doubts };
    ((sum / atoms.len() as f64).sqrt(), doubts)
}

/// The atoms that two ligands share by their names, in the same order. All of both, if they share none and have equally many.
fn shared<'a>(own: &'a Ligand, reference: &'a Ligand) -> [Vec<&'a LigandAtom>; 2] {
    let known: HashMap<&(usize, String), &LigandAtom> = own.atoms.iter().map(|atom| (&atom.key, atom)).collect();
    let pairs = reference.atoms.iter().filter_map(|atom| Some((*known.get(&atom.key)?, atom)));
    let (own_atoms, atoms): (Vec<_>, Vec<_>) = pairs.unzip();
    match atoms.is_empty() && own.atoms.len() == reference.atoms.len() {
        true => [own, reference].map(|ligand| ligand.atoms.iter().collect()),
        false => [own_atoms, atoms],
    }
}

fn graph(atoms: &[&LigandAtom]) -> Graph {
    let is_bond = |a: usize, b: usize| {
        let longest = atoms[a].radius + atoms[b].radius + TOLERANCE;
        norm2(minus(atoms[a].at, atoms[b].at)) < longest * longest
    };
    let all = 0..atoms.len();
    Graph::new(all.clone().map(|a| all.clone().filter(|&b| a != b && is_bond(a, b)).collect()).collect())
}

impl Scores {
    /// Those of a ligand's pose, which has no contacts to be compared.
    pub(super) fn of_pose(lrmsd: f64, clashes: usize) -> Self {
        let (fnat, fnonnat, irmsd, f1) = (f64::NAN, f64::NAN, f64::NAN, f64::NAN);
        // DockQ's formula with a share of contacts and an iRMSD of 0.
        let dockq = (1.0 + super::score::term(lrmsd, super::score::LRMSD_SCALE)) / 3.0;
        Self { dockq, fnat, fnonnat, irmsd, lrmsd, f1, clashes }
    }
}
