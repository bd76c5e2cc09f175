//! Features compared with reference values, with the tolerances of the features' definitions.

use crate::graph::Graph;
use crate::residues::{Residue, distance, in_fragment, residues};
use crate::table::{Columns, Tables};
use prism_host::{StructureFeatures, StructureInput};
use shared_types::RESIDUES;
use shared_types::feature::column;
use tests::vector::{dot, minus, plus, unit};

/// Ratio of the second eigenvalue to the first from which on eigenvectors are not compared.
const CLOSE: f64 = 0.95;
/// A pair this close to a limit may count on either side: positions lose digits when they become f32.
const MARGIN: f64 = 1e-4;

struct Comparison<'a> {
    structure: &'a StructureInput,
    faults: Vec<String>,
}

impl Comparison<'_> {
    fn say(&mut self, row: usize, what: &str, found: f64, expected: f64) {
        let number = self.structure.residue_numbers[row];
        let code = &self.structure.insertion_codes[row];
        self.faults
            .push(format!("{} row {row} ({number}{code}) {what}: {found}, expected {expected}", self.structure.name));
    }

    /// Compares a column; `tolerance` gets a row and its expected value.
    fn column(
        &mut self,
        what: &str,
        found: impl Iterator<Item = f32>,
        expected: &[f64],
        tolerance: impl Fn(usize, f64) -> f64,
    ) {
        for (row, (found, &expected)) in found.zip(expected).enumerate() {
            let found = f64::from(found);
            let mut off = (found - expected).abs();
            if what == "ca_dihedral" {
                off = off.min((360.0 - off).abs());
            }
            let alike = match expected.is_nan() {
                true => found.is_nan(),
                false => found == expected || off <= tolerance(row, expected),
            };
            if !alike {
                self.say(row, what, found, expected);
            }
        }
    }
}

/// All differences of a structure from the reference, except areas; the features have contact thresholds of 8 and 10 Å.
pub fn faults(
    structure: &StructureInput,
    at_8: &StructureFeatures,
    at_10: &StructureFeatures,
    tables: &Tables,
) -> Vec<String> {
    let name = &structure.name;
    let (rows, whole) = (&tables.rows[name], &tables.structures[name]);
    let mut comparison = Comparison { structure, faults: Vec::new() };
    if let Some(fault) = other_residues(structure, rows, whole) {
        return vec![format!("{name}: {fault}")];
    }
    let residues = residues(structure);
    let near = |limit: f64| {
        let residues = &residues;
        move |i: usize| {
            let close = |other: &Residue| distance(&residues[i], other).is_some_and(|d| (d - limit).abs() < MARGIN);
            residues.iter().filter(|other| close(other)).count() as f64
        }
    };

    let (near_8, near_10, near_12) = (near(8.0), near(10.0), near(12.0));
    comparison.column("cn8", at_8.column(column::CONTACT_NUMBER), rows.numbers("cn8"), |i, _| near_8(i));
    comparison.column("cn10", at_10.column(column::CONTACT_NUMBER), rows.numbers("cn10"), |i, _| near_10(i));
    let wcn = rows.numbers("wcn");
    // Infinite if alpha carbons coincide; here such a pair adds nothing.
    let found = at_8.column(column::WCN).zip(wcn).map(|(x, r)| if r.is_infinite() { f32::INFINITY } else { x });
    comparison.column("wcn", found, wcn, |_, r| 1e-5 * r);
    // A residue in the plane between the half spheres may be on either side.
    let sideways = |i: usize, _| near_12(i) + sideways(&residues, i);
    comparison.column("hse_up", at_8.column(column::HSE_UP), rows.numbers("hse_up"), sideways);
    comparison.column("hse_down", at_8.column(column::HSE_DOWN), rows.numbers("hse_down"), sideways);
    comparison.column("ca_angle", at_8.column(column::CA_ANGLE), rows.numbers("ca_angle"), |_, _| 1e-2);
    comparison.column("ca_dihedral", at_8.column(column::CA_DIHEDRAL), rows.numbers("ca_dihedral"), |_, _| 1e-2);
    protrusion(&mut comparison, at_8, rows.numbers("cx_mean"));
    bfactors(&mut comparison, at_8, rows.numbers("b_ca"));
    centrality(&mut comparison, at_8, rows.numbers("evc8"), whole, &residues);
    comparison.faults
}

/// A message if these are not the residues of the reference.
fn other_residues(structure: &StructureInput, rows: &Columns, whole: &Columns) -> Option<String> {
    let names: Vec<&str> = structure.residue_types.iter().map(|&kind| RESIDUES[usize::from(kind)].name).collect();
    if names != rows.texts("resname") {
        return Some(format!("{} residues that are not the reference's", names.len()));
    }
    let codes: Vec<&str> = structure.insertion_codes.iter().map(|code| &**code).collect();
    if codes != rows.texts("icode").iter().map(|code| code.trim()).collect::<Vec<_>>() {
        return Some("other insertion codes".to_owned());
    }
    let numbers = structure.residue_numbers.iter().zip(rows.numbers("resnum"));
    if let Some((found, expected)) = numbers.into_iter().find(|(a, b)| f64::from(**a) != **b) {
        return Some(format!("residue number {found}, expected {expected}"));
    }
    let atoms = whole.numbers("natoms")[0];
    (structure.n_atoms() as f64 != atoms).then(|| format!("{} atoms, expected {atoms}", structure.n_atoms()))
}

/// Number of residues of fragments whose half sphere depends on rounding.
fn sideways(residues: &[Residue], i: usize) -> f64 {
    let ca = |i: usize| residues.get(i).and_then(|r| r.ca);
    let (Some(before), Some(here), Some(after)) = (ca(i.wrapping_sub(1)), ca(i), ca(i + 1)) else { return 0.0 };
    let (Some(a), Some(b)) = (unit(minus(here, before)), unit(minus(here, after))) else { return 0.0 };
    let axis = plus(a, b);
    let near = (0..residues.len()).filter(|&j| j != i && in_fragment(residues, j)).filter_map(ca).filter(|there| {
        let to = minus(*there, here);
        dot(to, to) < 144.1 && dot(to, axis).abs() < 1e-5 * dot(to, to).sqrt()
    });
    near.count() as f64
}

/// Protrusion. If an atom is 10 Å away within rounding, the values may differ by one neighbour.
fn protrusion(comparison: &mut Comparison, features: &StructureFeatures, expected: &[f64]) {
    let structure = comparison.structure;
    let place = |i: usize| [structure.atoms[i].x, structure.atoms[i].y, structure.atoms[i].z].map(f64::from);
    let within = |i: usize, limit: f64| {
        let others = (0..structure.n_atoms()).map(|j| minus(place(j), place(i)));
        others.filter(|to| dot(*to, *to) <= limit * limit).count() as f64
    };
    for (row, (found, &expected)) in features.column(column::CX).zip(expected).enumerate() {
        let off = (f64::from(found) - expected).abs();
        if off <= 1e-5f64.max(1e-4 * expected.abs()) {
            continue;
        }
        let own = structure.residue_atoms[row] as usize..structure.residue_atoms[row + 1] as usize;
        // 4/3 pi (10 Å)^3 / 20.1 Å^3 divided by the number of neighbours, minus 1.
        let mean =
            |limit: f64| own.clone().map(|i| 208.397_52 / within(i, limit) - 1.0).sum::<f64>() / own.len() as f64;
        let (most, least) = (mean(10.0 - MARGIN), mean(10.0 + MARGIN));
        let admitted = least - 1e-4 * least.abs()..=most + 1e-4 * most.abs();
        if !(admitted.contains(&f64::from(found)) && admitted.contains(&expected)) {
            comparison.say(row, "cx_mean", f64::from(found), expected);
        }
    }
}

/// The standardised B factors, from the reference's B factors.
fn bfactors(comparison: &mut Comparison, features: &StructureFeatures, given: &[f64]) {
    let found: Vec<f32> = features.column(column::BFACTOR_Z).collect();
    if comparison.structure.bfactor.iter().all(|b| b.is_nan()) {
        // A predicted model's column holds something else.
        comparison.column("bfactor_z", found.into_iter(), &vec![f64::NAN; given.len()], |_, _| 0.0);
        return;
    }
    let readable: Vec<f64> = given.iter().copied().filter(|b| !b.is_nan()).collect();
    let count = readable.len() as f64;
    let mean = readable.iter().sum::<f64>() / count;
    let deviation = (readable.iter().map(|b| (b - mean).powi(2)).sum::<f64>() / count).sqrt();
    let flat = readable.iter().all(|b| *b == readable[0]);
    let expected: Vec<f64> = given
        .iter()
        .map(|&b| match b {
            b if b.is_nan() => f64::NAN,
            _ if flat => 0.0,
            b => (b - mean) / deviation,
        })
        .collect();
    comparison.column("bfactor_z", found.into_iter(), &expected, |_, z| 1e-4 * (1.0 + z.abs()));
}

/// The eigenvector itself if it is well determined, and its residual in all cases.
fn centrality(
    comparison: &mut Comparison,
    features: &StructureFeatures,
    expected: &[f64],
    whole: &Columns,
    residues: &[Residue],
) {
    let found: Vec<f32> = features.column(column::CENTRALITY).collect();
    let (components, ratio) = (whole.numbers("ncomp")[0], whole.numbers("gap_ratio")[0]);
    if components == 1.0 && ratio < CLOSE {
        comparison.column("evc8", found.iter().copied(), expected, |_, _| 2e-3);
    }
    if let Some(fault) = Graph::new(residues, 8.0).fault(&found, residues) {
        comparison.faults.push(format!("{}: centrality: {fault}", comparison.structure.name));
    }
}
