//! Hydrogen bonds of backbones, by electrostatic energy.

use super::Statistics;
use super::residue::{HydrogenBond, Residue};
use super::vector::{Point, distance};
use prism_read::PolymerResidue;
use prism_read::grid::Grid;

/// Alpha carbons of bonded residues are closer, in Å.
const REACH: f32 = 9.0;
/// Atoms that are closer have the strongest bond, in Å.
const CLOSEST: f64 = 0.5;
/// The strongest bond in kcal/mol.
const STRONGEST: f32 = -9.9;
/// Bonds are below, in kcal/mol.
const WEAKEST: f64 = -0.5;
/// Charges of 0.42 and 0.2 electrons, in kcal/mol times Å.
const COUPLING: f32 = -27.888;

/// Assigns to each residue its two strongest bonds as donor and as acceptor.
pub(super) fn assign(residues: &mut [Residue], polymers: &[PolymerResidue]) {
    let hydrogens = hydrogens(residues, polymers);
    let alpha_carbon = |index: usize| polymers[index].backbone[1];
    // A little further than single precision reaches.
    let places = (0..residues.len()).map(|index| alpha_carbon(index).map(f64::from));
    let grid = Grid::new(f64::from(REACH) + 0.01, places);
    let mut near = Vec::new();
    for i in 0..residues.len() {
        near.clear();
        near.extend(grid.near(alpha_carbon(i).map(f64::from)).map(|(j, _)| j).filter(|&j| j > i));
        near.sort_unstable();
        for &j in &near {
            if distance(alpha_carbon(i), alpha_carbon(j)) < REACH {
                bond(residues, polymers, &hydrogens, i, j);
                if j != i + 1 {
                    bond(residues, polymers, &hydrogens, j, i);
                }
            }
        }
    }
}

/// The hydrogen of each N, 1 Å away against the C=O of the residue before, even if that is of another chain.
fn hydrogens(residues: &[Residue], polymers: &[PolymerResidue]) -> Vec<Point> {
    let hydrogen = |index: usize| {
        let [n, ..] = polymers[index].backbone;
        if index == 0 || residues[index].letter == 'P' {
            return n;
        }
        let [.., c, o] = polymers[index - 1].backbone;
        let length = distance(c, o);
        [0, 1, 2].map(|axis| n[axis] + (c[axis] - o[axis]) / length)
    };
    (0..residues.len()).map(hydrogen).collect()
}

fn bond(residues: &mut [Residue], polymers: &[PolymerResidue], hydrogens: &[Point], donor: usize, acceptor: usize) {
    if residues[donor].letter == 'P' {
        return;
    }
    let ([n, ..], h) = (polymers[donor].backbone, hydrogens[donor]);
    let [.., c, o] = polymers[acceptor].backbone;
    let [ho, hc, nc, no] = [(h, o), (h, c), (n, c), (n, o)].map(|(a, b)| f64::from(distance(a, b)));
    let coupling = f64::from(COUPLING);
    let energy = if [ho, hc, nc, no].iter().any(|between| *between < CLOSEST) {
        f64::from(STRONGEST)
    } else {
        coupling / ho - coupling / hc + coupling / nc - coupling / no
    };
    let mut energy = (energy * 1000.0).round() / 1000.0;
    if energy < f64::from(STRONGEST) {
        energy = f64::from(STRONGEST);
    }
    keep(&mut residues[donor].acceptors, HydrogenBond { residue: acceptor, energy });
    keep(&mut residues[acceptor].donors, HydrogenBond { residue: donor, energy });
}

/// Keeps a bond if it is one of the two strongest.
fn keep(bonds: &mut [Option<HydrogenBond>; 2], bond: HydrogenBond) {
    let energy = |of: &Option<HydrogenBond>| of.map_or(0.0, |own| own.energy);
    if bond.energy < energy(&bonds[0]) {
        bonds[1] = bonds[0].replace(bond);
    } else if bond.energy < energy(&bonds[1]) {
        bonds[1] = Some(bond);
    }
}

/// Whether a bond leads from a residue's N-H to another residue's O.
pub(super) fn is_bonded(residues: &[Residue], donor: usize, acceptor: usize) -> bool {
    let is_it = |bond: &HydrogenBond| bond.residue == acceptor && bond.energy < WEAKEST;
    residues[donor].acceptors.iter().flatten().any(is_it)
}

/// All bonds as donor and acceptor.
pub(super) fn bonds(residues: &[Residue]) -> impl Iterator<Item = (usize, usize)> {
    residues.iter().enumerate().flat_map(|(donor, residue)| {
        let strong = residue.acceptors.iter().flatten().filter(|bond| bond.energy < WEAKEST);
        strong.map(move |bond| (donor, bond.residue))
    })
}

/// Counts the bonds to each O.
pub(super) fn count(residues: &[Residue], statistics: &mut Statistics) {
    for residue in residues {
        for bond in residue.donors.iter().flatten().filter(|bond| bond.energy < WEAKEST) {
            statistics.hydrogen_bonds[0] += 1;
            let apart = residues[bond.residue].number - residue.number;
            if (-5..=5).contains(&apart) {
                statistics.by_distance[(apart + 5) as usize] += 1;
            }
        }
    }
}
