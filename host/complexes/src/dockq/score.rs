//! The scores of one interface.

use super::chains::{Chain, Near};
use super::superpose::{Point, Superposition};
use std::collections::HashSet;

/// Distances, in Å, that decide which residues are in contact and in an interface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cutoffs {
    /// Residues with atoms closer than this are in contact.
    pub(super) contact: f64,
    /// Residues closer than this to the other chain are in the interface.
    pub(super) interface: f64,
    /// Whether the interface is measured by beta carbons, not by all heavy atoms.
    pub(super) by_beta: bool,
}

/// Those of proteins.
pub(super) const PROTEIN: Cutoffs = Cutoffs { contact: 5.0, interface: 10.0, by_beta: false };
/// Those of CAPRI for peptides.
pub(super) const PEPTIDE: Cutoffs = Cutoffs { contact: 4.0, interface: 8.0, by_beta: true };

/// Residues with atoms closer than this, in Å, clash.
const CLASH: f64 = 2.0;
/// Distances in Å at which the terms of iRMSD and LRMSD are a half: Basu and Wallner 2016, PLoS ONE 11:e0161879.
const IRMSD_SCALE: f64 = 1.5;
pub(super) const LRMSD_SCALE: f64 = 8.5;

/// How well a model reproduces an interface of the reference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scores {
    /// Mean of `fnat` and of the terms of `irmsd` and `lrmsd`: 0 to 1. NaN if one of them is undefined. Of a ligand's pose, the mean
    /// of 0, 1 and the term of `lrmsd`.
    pub dockq: f64,
    /// Share of the reference's contacts that the model has; NaN for a ligand's pose, like all but `lrmsd` and `clashes`.
    pub fnat: f64,
    /// Share of the model's contacts that the reference lacks.
    pub fnonnat: f64,
    /// Root mean square distance in Å of the interface's backbone atoms, superposed. NaN without corresponding atoms.
    pub irmsd: f64,
    /// Root mean square distance in Å of the smaller chain's backbone atoms after superposition of the larger one. NaN if the
    /// larger chain has too few corresponding atoms for one superposition. Of a ligand, that of its atoms after superposition of the
    /// chain around it.
    pub lrmsd: f64,
    /// Harmonic mean of precision and recall of the model's contacts.
    pub f1: f64,
    /// Pairs of residues of the model with atoms closer than 2 Å.
    pub clashes: usize,
}

/// Two chains of the reference, and what they have in common.
pub(super) struct Native<'a> {
    pub(super) chains: [&'a Chain; 2],
    /// Their residues in contact.
    pub(super) contacts: &'a [Near],
    /// Their residues in the interface, pair by pair.
    pub(super) interface: &'a [Near],
    /// Whether the pairs have the second chain's residue first.
    pub(super) swapped: bool,
}

/// Two chains of the model.
pub(super) struct Modelled<'a> {
    pub(super) chains: [&'a Chain; 2],
    /// Their residues in contact, or clashing.
    pub(super) contacts: &'a [Near],
    /// Whether the pairs have the second chain's residue first.
    pub(super) swapped: bool,
    /// For each chain, pairs of a residue of the model and one of the reference.
    pub(super) aligned: [&'a [[u32; 2]]; 2],
}

/// Scores an interface with contacts in the reference.
pub(super) fn score(native: &Native<'_>, model: &Modelled<'_>, cutoffs: Cutoffs) -> Scores {
    let limit = cutoffs.contact * cutoffs.contact;
    let to_reference = [0, 1].map(|side| counterparts(model, side, [0, 1]));
    let to_model = [0, 1].map(|side| counterparts(model, side, [1, 0]));
    let oriented = |[i, j]: [u32; 2], swapped: bool| if swapped { [j, i] } else { [i, j] };
    let contacts = native.contacts.iter().filter(|near| near.distance2 < limit);
    let native_contacts: HashSet<[u32; 2]> = contacts.map(|near| oriented(near.residues, native.swapped)).collect();
    let (mut shared, mut others, mut clashes) = (0, 0, 0);
    for near in model.contacts {
        let [i, j] = oriented(near.residues, model.swapped);
        let (Some(a), Some(b)) = (to_reference[0][i as usize], to_reference[1][j as usize]) else { continue };
        clashes += usize::from(is_clash(near));
        if near.distance2 < limit {
            match native_contacts.contains(&[a, b]) {
                true => shared += 1,
                false => others += 1,
            }
        }
    }
    let (tp, fp, positives) = (f64::from(shared), f64::from(others), native_contacts.len() as f64);
    let fnat = tp / positives;
    let fnonnat = if shared + others == 0 { 0.0 } else { fp / (tp + fp) };
    let irmsd = interface_rmsd(native, model, &to_model, cutoffs);
    let lrmsd = ligand_rmsd(native, model);
    let dockq = (fnat + term(irmsd, IRMSD_SCALE) + term(lrmsd, LRMSD_SCALE)) / 3.0;
    Scores { dockq, fnat, fnonnat, irmsd, lrmsd, f1: 2.0 * tp / (tp + fp + positives), clashes }
}

fn is_clash(near: &Near) -> bool {
    near.distance2 < CLASH * CLASH
}

/// Pairs of residues that clash.
pub(super) fn clashes(contacts: &[Near]) -> usize {
    contacts.iter().filter(|near| is_clash(near)).count()
}

pub(super) fn term(distance: f64, scale: f64) -> f64 {
    1.0 / (1.0 + (distance / scale) * (distance / scale))
}

/// For each residue of one side, its counterpart: from the model to the reference, or back.
fn counterparts(model: &Modelled<'_>, side: usize, [from, to]: [usize; 2]) -> Vec<Option<u32>> {
    let last = model.aligned[side].iter().map(|pair| pair[from] as usize + 1).max().unwrap_or(0);
    let mut all = vec![None; last.max(if from == 0 { model.chains[side].residues.len() } else { last })];
    for pair in model.aligned[side] {
        all[pair[from] as usize] = Some(pair[to]);
    }
    all
}

/// Superposes the backbones of the residues that are in the interface of the reference. If none of those is in the model, all
/// residues count, as in DockQ.
fn interface_rmsd(
    native: &Native<'_>,
    model: &Modelled<'_>,
    to_model: &[Vec<Option<u32>>; 2],
    cutoffs: Cutoffs,
) -> f64 {
    let limit = cutoffs.interface * cutoffs.interface;
    let is_aligned = |side: usize, residue: u32| to_model[side].get(residue as usize).is_some_and(Option::is_some);
    let mut is_in = [0, 1].map(|side| vec![false; native.chains[side].residues.len()]);
    let mut found = false;
    for near in native.interface.iter().filter(|near| near.distance2 < limit) {
        let [i, j] = if native.swapped { [near.residues[1], near.residues[0]] } else { near.residues };
        if is_aligned(0, i) && is_aligned(1, j) {
            (is_in[0][i as usize], is_in[1][j as usize]) = (true, true);
            found = true;
        }
    }
    let (mut points, mut others) = (Vec::new(), Vec::new());
    for (side, is_in) in is_in.iter().enumerate() {
        let [own, reference] = backbones(native, model, side, |residue| !found || is_in[residue]);
        points.extend(own);
        others.extend(reference);
    }
    Superposition::of(&points, &others).map_or(f64::NAN, |fit| fit.rmsd(&points, &others))
}

/// Superposes the larger chain of the reference, the second of equal ones, and measures the other.
fn ligand_rmsd(native: &Native<'_>, model: &Modelled<'_>) -> f64 {
    let sizes = native.chains.map(|chain| chain.residues.len());
    let receptor = usize::from(sizes[0] <= sizes[1]);
    let [moved, fixed] = backbones(native, model, receptor, |_| true);
    let [ligand, reference] = backbones(native, model, 1 - receptor, |_| true);
    let fit = Superposition::of(&moved, &fixed).filter(|fit| fit.is_unique);
    fit.map_or(f64::NAN, |fit| fit.rmsd(&ligand, &reference))
}

/// The backbone atoms that corresponding residues of one side share, in the model and in the reference.
pub(super) fn backbones(
    native: &Native<'_>,
    model: &Modelled<'_>,
    side: usize,
    takes: impl Fn(usize) -> bool,
) -> [Vec<Point>; 2] {
    let mut points = [Vec::new(), Vec::new()];
    for &[own, reference] in model.aligned[side].iter().filter(|pair| takes(pair[1] as usize)) {
        let own = model.chains[side].backbone(own as usize);
        let reference = native.chains[side].backbone(reference as usize);
        // An amino acid and a nucleotide may have one number.
        if own.len() != reference.len() {
            continue;
        }
        for (own, reference) in own.iter().zip(reference) {
            if let (Some(own), Some(reference)) = (own, reference) {
                points[0].push(*own);
                points[1].push(*reference);
            }
        }
    }
    points
}
