//! Pairs of residues in contact, and interfaces between chains, for `prism edges` and `prism interface`.
//!
//! Distances are computed with the operations of the kernels, so a residue has as many alpha-carbon edges as its
//! `contact_number`.

mod interface;

pub use interface::{ChainPair, Interface, InterfaceError, InterfaceResidue, chain_named, interfaces, names_of_chains};

use kernels_gpu::Vector;
use prism_read::structure::StructureInput;
use shared_types::{Atom, NO_CA};
use std::collections::HashMap;

/// The atoms that an edge connects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EdgeKind {
    /// Alpha carbons closer than the contact threshold, as in the contact graph.
    AlphaCarbons,
    /// Heavy atoms within [`ATOM_CONTACT`], if the residues are at least two rows apart or in different chains, as in
    /// `atomic_contacts`.
    Atoms,
}

impl EdgeKind {
    /// Its name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::AlphaCarbons => "ca",
            Self::Atoms => "atom",
        }
    }
}

/// Heavy atoms within this distance, in Å, are in contact.
pub const ATOM_CONTACT: f32 = 4.5;
/// Smallest distance in rows at which residues of one chain can have an atom contact.
const APART: u32 = 2;

/// Two residues in contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edge {
    /// The lower row.
    pub row_i: u32,
    /// The higher row.
    pub row_j: u32,
    /// The kind of contact.
    pub kind: EdgeKind,
    /// Distance in Å of the alpha carbons, or of the nearest two atoms.
    pub distance: f32,
}

/// All edges of a structure, sorted by rows, alpha carbons before atoms.
///
/// `threshold` is the contact threshold in Å. Only edges of the given `kinds` are returned. Chains of alpha carbons or backbones
/// alone have no edges of heavy atoms.
///
/// ```
/// use prism_engine::contacts::{EdgeKind, edges};
/// use prism_read::{ReadOptions, read_path};
///
/// let rbd = read_path("../../data/6m0j_rbd.pdb", "rbd", &ReadOptions::default())?.structure;
/// let all = edges(&rbd, 8.0, &[EdgeKind::AlphaCarbons, EdgeKind::Atoms]);
/// let first = all[0];
/// assert_eq!((first.row_i, first.row_j, first.kind), (0, 1, EdgeKind::AlphaCarbons));
/// assert!(first.distance > 3.7 && first.distance < 3.9);
/// assert!(all.is_sorted_by_key(|edge| (edge.row_i, edge.row_j, edge.kind)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn edges(structure: &StructureInput, threshold: f32, kinds: &[EdgeKind]) -> Vec<Edge> {
    edges_within(structure, threshold, ATOM_CONTACT, kinds)
}

/// The same, with heavy atoms in contact within `cutoff` Å.
///
/// ```
/// use prism_engine::contacts::{ATOM_CONTACT, EdgeKind, edges, edges_within};
/// use prism_read::{ReadOptions, read_path};
///
/// let rbd = read_path("../../data/6m0j_rbd.pdb", "rbd", &ReadOptions::default())?.structure;
/// let within = |cutoff| edges_within(&rbd, 8.0, cutoff, &[EdgeKind::Atoms]);
/// assert_eq!(within(ATOM_CONTACT), edges(&rbd, 8.0, &[EdgeKind::Atoms]));
/// assert!(within(4.0).len() < within(5.0).len());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn edges_within(structure: &StructureInput, threshold: f32, cutoff: f32, kinds: &[EdgeKind]) -> Vec<Edge> {
    let mut edges = Vec::new();
    if kinds.contains(&EdgeKind::AlphaCarbons) {
        let own = structure.ca_indices.iter().zip(0..).filter(|(ca, _)| **ca != NO_CA);
        let points: Vec<Point> = own.map(|(&ca, row)| Point::new(structure.atoms[ca as usize], row)).collect();
        each_pair(&points, threshold, |a, b, distance2| {
            if distance2 < threshold * threshold {
                edges.push(Edge {
                    row_i: a.row,
                    row_j: b.row,
                    kind: EdgeKind::AlphaCarbons,
                    distance: distance2.sqrt(),
                });
            }
        });
    }
    if kinds.contains(&EdgeKind::Atoms) {
        // Without side chains, the nearest atoms of residues are not those that the file has.
        let whole = |(row_i, row_j): &(u32, u32)| {
            structure.traces.is_empty() || ![row_i, row_j].iter().any(|row| structure.is_in_trace(**row as usize))
        };
        let contacts = atom_contacts(structure, cutoff).into_iter().filter(|(rows, _)| whole(rows));
        edges.extend(contacts.map(|((row_i, row_j), distance2)| Edge {
            row_i,
            row_j,
            kind: EdgeKind::Atoms,
            distance: distance2.sqrt(),
        }));
    }
    edges.sort_unstable_by_key(|edge| (edge.row_i, edge.row_j, edge.kind));
    edges
}

/// Pairs of rows with atoms in contact, lower row first, and the square of their smallest distance.
pub fn atom_contacts(structure: &StructureInput, cutoff: f32) -> HashMap<(u32, u32), f32> {
    let points = points(structure);
    let mut nearest = HashMap::new();
    each_pair(&points, cutoff, |a, b, distance2| {
        let chains = &structure.chain_ids;
        let apart = a.row.abs_diff(b.row) >= APART || chains[a.row as usize] != chains[b.row as usize];
        if apart && distance2 <= cutoff * cutoff {
            let least = nearest.entry((a.row, b.row)).or_insert(distance2);
            *least = least.min(distance2);
        }
    });
    nearest
}

/// All heavy atoms of residues with a row.
fn points(structure: &StructureInput) -> Vec<Point> {
    let rows = structure.residue_atoms.windows(2).take(structure.n_rows()).zip(0..);
    let atoms = rows.flat_map(|(ends, row)| (ends[0]..ends[1]).map(move |atom| (atom, row)));
    atoms.map(|(atom, row)| Point::new(structure.atoms[atom as usize], row)).collect()
}

/// An atom, and the row of its residue.
#[derive(Clone, Copy, Debug)]
struct Point {
    at: Vector,
    radius: f32,
    row: u32,
}

impl Point {
    fn new(Atom { x, y, z, radius }: Atom, row: u32) -> Self {
        Self { at: Vector { x, y, z }, radius, row }
    }

    /// Computed like the kernels do.
    fn distance2(&self, other: &Self) -> f32 {
        other.at.minus(self.at).norm2()
    }

    /// Its cell, for cells with edges of `edge` Å.
    fn cell(&self, edge: f64) -> [i64; 3] {
        [self.at.x, self.at.y, self.at.z].map(|x| (f64::from(x) / edge).floor() as i64)
    }
}

/// Visits pairs of points of different rows, lower row first, with their squared distance. It visits all pairs within
/// `reach` Å, and some beyond.
fn each_pair(points: &[Point], reach: f32, mut visit: impl FnMut(&Point, &Point, f32)) {
    // Allow for rounding.
    let edge = f64::from(reach) * 1.001 + 1e-3;
    let mut cells: HashMap<[i64; 3], Vec<u32>> = HashMap::new();
    for (index, point) in points.iter().enumerate() {
        cells.entry(point.cell(edge)).or_default().push(index as u32);
    }
    for point in points {
        let [x, y, z] = point.cell(edge);
        let near = |x: i64| x.saturating_sub(1)..=x.saturating_add(1);
        let around = near(x).flat_map(|x| near(y).flat_map(move |y| near(z).map(move |z| [x, y, z])));
        for others in around.filter_map(|cell| cells.get(&cell)) {
            for other in others.iter().map(|&other| &points[other as usize]) {
                if point.row < other.row {
                    visit(point, other, point.distance2(other));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prism_read::{ReadOptions, read_path};

    fn rbd() -> StructureInput {
        read_path("../../data/6m0j_rbd.pdb", "rbd", &ReadOptions::default()).unwrap().structure
    }

    /// The cells of atoms at 1e38 Å have the largest indices.
    #[test]
    fn atoms_at_the_end_of_all_numbers_have_edges_too() {
        let mut structure = rbd();
        structure.atoms[0].x = 1e38;
        let last = structure.ca_indices[structure.n_residues() - 1] as usize;
        structure.atoms[last].y = -f32::MAX;
        let found = edges(&structure, 8.0, &[EdgeKind::AlphaCarbons, EdgeKind::Atoms]);
        let of_last = |edge: &Edge| edge.kind == EdgeKind::AlphaCarbons && edge.row_j == 193;
        assert!(found.len() > 100 && !found.iter().any(of_last));
    }

    #[test]
    fn edges_are_those_of_all_pairs() {
        let structure = rbd();
        let found = edges(&structure, 10.0, &[EdgeKind::AlphaCarbons, EdgeKind::Atoms]);
        let points = points(&structure);
        let mut expected = Vec::new();
        for i in 0..structure.n_residues() as u32 {
            for j in i + 1..structure.n_residues() as u32 {
                let distance = |a: &Point, b: &Point| {
                    let [x, y, z] = [a.at.x - b.at.x, a.at.y - b.at.y, a.at.z - b.at.z].map(f64::from);
                    (x * x + y * y + z * z).sqrt()
                };
                let of = |row: u32| points.iter().filter(move |point| point.row == row);
                let alpha = |row: u32| Point::new(structure.atoms[structure.ca_indices[row as usize] as usize], row);
                let apart = distance(&alpha(i), &alpha(j));
                if apart < 10.0 {
                    expected.push((i, j, EdgeKind::AlphaCarbons, apart));
                }
                let nearest = of(i).flat_map(|a| of(j).map(move |b| distance(a, b))).min_by(f64::total_cmp).unwrap();
                if j - i >= 2 && nearest <= 4.5 {
                    expected.push((i, j, EdgeKind::Atoms, nearest));
                }
            }
        }
        assert_eq!(found.len(), expected.len());
        for (edge, (i, j, kind, distance)) in found.iter().zip(expected) {
            assert_eq!((edge.row_i, edge.row_j, edge.kind), (i, j, kind));
            assert!((f64::from(edge.distance) - distance).abs() < 1e-5);
        }
    }
}
