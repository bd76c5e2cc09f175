//! Synthetic structures that resemble proteins: bundles of helices, about as dense as real proteins.
//!
//! A recipe gives the same structure everywhere: the generator uses integer arithmetic, followed by f64 arithmetic that is
//! rounded to f32 at the end. The last bit may depend on the machine's sine, which is harmless, because tests compare two
//! backends on one machine.

use crate::dice::Dice;
use prism_host::{Composition, StructureInput};
use shared_types::backbone::RoleAtoms;
use shared_types::{Atom, NO_CA, RESIDUES};
use std::sync::OnceLock;

/// Which residues have conservation, frequency and velocity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Annotation {
    /// No residue.
    #[default]
    None,
    /// Some residues; each of the three values has its own gaps.
    Partly,
    /// All residues.
    Whole,
}

/// Parameters of a structure.
#[derive(Clone, Copy, Debug)]
pub struct Recipe {
    /// Number of residues.
    pub residues: usize,
    /// Number of chains of about equal length.
    pub chains: usize,
    /// Annotation.
    pub annotation: Annotation,
    /// Different seeds give different structures.
    pub seed: u64,
}

impl Recipe {
    /// One chain without annotation.
    pub fn new(residues: usize, seed: u64) -> Self {
        Self { residues, chains: 1, annotation: Annotation::None, seed }
    }

    /// The same with the given number of chains.
    pub fn chains(self, chains: usize) -> Self {
        Self { chains, ..self }
    }

    /// The same with the given annotation.
    pub fn annotation(self, annotation: Annotation) -> Self {
        Self { annotation, ..self }
    }

    /// Makes the structure: each residue has the atoms N, CA, C and O.
    pub fn build(self) -> StructureInput {
        let mut dice = Dice::new(self.seed);
        let (n, chains) = (self.residues, self.chains.max(1));
        let rotation = rotation(&mut dice);
        let cells = cells(n.div_ceil(HELIX));
        let mut points = Vec::with_capacity(4 * n);
        for residue in 0..n {
            let jitter = [0; 3].map(|_| 0.25 * dice.normal());
            for atom in BACKBONE {
                let point = rotate(&rotation, helix_point(cells[residue / HELIX], residue, atom));
                points.push(std::array::from_fn(|axis| point[axis] + jitter[axis]));
            }
        }
        let center = center(&points);
        let atom = |(i, point): (usize, &[f64; 3])| {
            let [x, y, z] = std::array::from_fn(|axis| (point[axis] - center[axis]) as f32);
            Atom { x, y, z, radius: BACKBONE[i % 4].vdw_radius }
        };
        let per_residue = |value: &mut dyn FnMut(usize) -> f32| (0..n).map(value).collect::<Vec<f32>>();
        let annotation = self.annotation;
        let mut given = |gap: usize, scale: f64, shift: f64| {
            per_residue(&mut |residue| {
                let value = (dice.unit() * scale + shift) as f32;
                let there = match annotation {
                    Annotation::None => false,
                    Annotation::Partly => !(residue + gap).is_multiple_of(3),
                    Annotation::Whole => true,
                };
                if there { value } else { f32::NAN }
            })
        };
        let (conservation, gisaid_freq, gisaid_velocity) =
            (given(0, 1.0, 0.0), given(1, 1.0, 0.0), given(2, 0.2, -0.1));
        StructureInput {
            atoms: points.iter().enumerate().map(atom).collect(),
            center,
            ..Composition {
                name: format!("helices-{n}-{}", self.seed),
                residue_atoms: (0..=n as u32).map(|residue| 4 * residue).collect(),
                ca_indices: (0..n as u32).map(|residue| 4 * residue + 1).collect(),
                roles: vec![RoleAtoms { n: 0, c: 2, o: 3, ..RoleAtoms::NONE }.words(); n],
                residue_types: (0..n).map(|_| dice.below(RESIDUES.len()) as u8).collect(),
                chain_ids: (0..n).map(|residue| (residue * chains / n) as u32).collect(),
                chains: (0..chains).map(|chain| format!("C{chain}")).collect(),
                residue_numbers: (1..=n as i32).collect(),
                insertion_codes: vec!["".into(); n],
                residue_names: Vec::new(),
                predicted: false,
                environment: false,
                bfactor: per_residue(&mut |_| (5.0 + 45.0 * dice.unit()) as f32),
                conservation,
                gisaid_freq,
                gisaid_velocity,
                ..Composition::default()
            }
            .into()
        }
    }
}

/// Makes a residue lack an alpha carbon; its atoms stay.
pub fn remove_ca(structure: &mut StructureInput, residue: usize) {
    structure.ca_indices[residue] = NO_CA;
    structure.bfactor[residue] = f32::NAN;
}

/// Moves the alpha carbon of `residue` to that of `onto`. Both residues must have one.
pub fn move_ca(structure: &mut StructureInput, residue: usize, onto: usize) {
    let [from, to] = [onto, residue].map(|residue| structure.ca_indices[residue] as usize);
    structure.atoms[to] = structure.atoms[from];
}

/// Number of residues of a helix.
const HELIX: usize = 18;
/// Rise of a helix in Å per residue.
const RISE: f64 = 1.5;

/// The position of a backbone atom in an alpha helix, relative to its residue's alpha carbon.
#[derive(Clone, Copy)]
struct BackboneAtom {
    /// Distance from the axis in Å.
    radius: f64,
    /// Angle about the axis in degrees.
    angle: f64,
    /// Height along the axis in Å.
    height: f64,
    vdw_radius: f32,
}

/// N, CA, C, O. Bonds and angles agree with those of real helices within about 0.05 Å and 5 degrees.
const BACKBONE: [BackboneAtom; 4] = [
    BackboneAtom { radius: 1.55, angle: -27.5, height: -0.9, vdw_radius: 1.64 },
    BackboneAtom { radius: 2.3, angle: 0.0, height: 0.0, vdw_radius: 1.88 },
    BackboneAtom { radius: 1.66, angle: 26.2, height: 1.09, vdw_radius: 1.61 },
    BackboneAtom { radius: 2.0, angle: 22.0, height: 2.28, vdw_radius: 1.42 },
];

/// A point of a helix whose axis begins at `cell`; neighbouring helices are antiparallel.
fn helix_point(cell: [f64; 3], residue: usize, atom: BackboneAtom) -> [f64; 3] {
    let (helix, step) = (residue / HELIX, (residue % HELIX) as f64);
    let up = helix.is_multiple_of(2);
    // An inverted helix keeps its handedness if its angles run backwards.
    let sign = if up { 1.0 } else { -1.0 };
    let begin = if up { 0.0 } else { (HELIX - 1) as f64 * RISE };
    let angle = (sign * (100.0 * step + atom.angle) + 40.0 * helix as f64).to_radians();
    [
        cell[0] + atom.radius * angle.cos(),
        cell[1] + atom.radius * angle.sin(),
        cell[2] + begin + sign * (RISE * step + atom.height),
    ]
}

/// The first `count` positions for helices by distance from the origin: hexagonal layers, 30 Å apart.
fn cells(count: usize) -> Vec<[f64; 3]> {
    static USUAL: OnceLock<Vec<[f64; 3]>> = OnceLock::new();
    let usual = USUAL.get_or_init(|| lattice(1));
    if count <= usual.len() {
        return usual[..count].to_vec();
    }
    let mut cells = (2..).map(lattice).find(|cells| cells.len() >= count).unwrap_or_default();
    cells.truncate(count);
    cells
}

/// All positions within a box that grows with `scale`, by distance from the origin.
fn lattice(scale: i32) -> Vec<[f64; 3]> {
    let (wide, high) = (6 * scale, 3 * scale);
    let mut cells = Vec::new();
    for a in -wide..=wide {
        for b in -wide..=wide {
            for c in -high..=high {
                let (a, b, c) = (f64::from(a), f64::from(b), f64::from(c));
                cells.push([a * 9.4 + b * 4.7, b * 8.14, c * 30.0]);
            }
        }
    }
    let distance2 = |cell: &[f64; 3]| cell.iter().map(|x| x * x).sum::<f64>();
    cells.sort_by(|a, b| distance2(a).total_cmp(&distance2(b)));
    cells
}

/// A uniformly distributed rotation: a random unit quaternion, as a matrix.
pub(crate) fn rotation(dice: &mut Dice) -> [[f64; 3]; 3] {
    let mut q = [0; 4].map(|_| dice.normal());
    let length = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    q = q.map(|x| x / length);
    let [w, x, y, z] = q;
    [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]
}

fn rotate(matrix: &[[f64; 3]; 3], point: [f64; 3]) -> [f64; 3] {
    matrix.map(|row| row[0] * point[0] + row[1] * point[1] + row[2] * point[2])
}

/// Midpoint of the bounding box; the origin if there are no points.
fn center(points: &[[f64; 3]]) -> [f64; 3] {
    std::array::from_fn(|axis| {
        let along = points.iter().map(|point| point[axis]);
        let (least, most) = along.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)));
        if points.is_empty() { 0.0 } else { (least + most) / 2.0 }
    })
}

/// `count` chains of 150 to 450 residues, the length of most single-domain and two-domain proteins.
pub fn many_chains(count: usize, annotation: Annotation) -> Vec<StructureInput> {
    let mut dice = Dice::new(7);
    (0..count as u64).map(|seed| Recipe::new(150 + dice.below(301), seed).annotation(annotation).build()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distance(a: Atom, b: Atom) -> f32 {
        ((a.x - b.x).powi(2) + (a.y - b.y).powi(2) + (a.z - b.z).powi(2)).sqrt()
    }

    #[test]
    fn structures_are_valid_at_any_size() {
        for n in [1, 2, 17, 18, 19, 300, 26_000] {
            let structure = Recipe::new(n, 3).chains(3).annotation(Annotation::Partly).build();
            structure.validate().unwrap();
            assert_eq!((structure.n_residues(), structure.n_atoms()), (n, 4 * n));
        }
    }

    #[test]
    fn the_same_recipe_gives_the_same_structure_and_another_seed_another() {
        let make = |seed| Recipe::new(40, seed).build().atoms;
        assert_eq!(make(1), make(1));
        assert_ne!(make(1), make(2));
    }

    #[test]
    fn residues_look_like_those_of_helices() {
        let structure = Recipe::new(90, 5).build();
        let mut linked = 0;
        for residue in 0..90 {
            let [n, ca, c, o] = std::array::from_fn(|atom| structure.atoms[4 * residue + atom]);
            for (length, (a, b)) in [(1.46, (n, ca)), (1.53, (ca, c)), (1.23, (c, o))] {
                assert!((distance(a, b) - length).abs() < 0.1, "residue {residue}: {} for {length}", distance(a, b));
            }
            if residue % HELIX > 0 {
                let step = distance(ca, structure.atoms[4 * residue - 3]);
                assert!((2.3..5.5).contains(&step), "residue {residue}: {step} Å from the one before");
                linked += u32::from(step < 4.3);
            }
        }
        assert!(linked > 60, "{linked} of 85");
    }

    #[test]
    fn bundles_are_about_as_dense_as_proteins() {
        let structure = Recipe::new(300, 5).build();
        let ca: Vec<Atom> = structure.ca_indices.iter().map(|ca| structure.atoms[*ca as usize]).collect();
        let contacts = ca.iter().flat_map(|a| ca.iter().filter(|b| (0.1..8.0).contains(&distance(*a, **b)))).count();
        let mean = contacts as f32 / 300.0;
        assert!((6.0..14.0).contains(&mean), "{mean} contacts a residue");
    }

    #[test]
    fn annotation_has_gaps_of_its_own() {
        let structure = Recipe::new(9, 1).annotation(Annotation::Partly).build();
        let gaps = |values: &[f32]| values.iter().filter(|x| x.is_nan()).count();
        assert_eq!(gaps(&structure.conservation), 3);
        assert_ne!(structure.conservation[0].is_nan(), structure.gisaid_freq[0].is_nan());
        assert_eq!(gaps(&Recipe::new(9, 1).annotation(Annotation::Whole).build().gisaid_velocity), 0);
        assert_eq!(gaps(&Recipe::new(9, 1).build().gisaid_velocity), 9);
    }
}
