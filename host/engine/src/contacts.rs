//! Pairs of residues in contact, and interfaces between chains, for `prism edges` and `prism interface`.
//!
//! Distances are computed with the operations of the kernels, so a residue has as many alpha-carbon edges as its
//! `contact_number`.

mod graph;
mod interface;

pub use interface::{ChainPair, Interface, InterfaceError, InterfaceResidue, chain_named, interfaces, names_of_chains};

use crate::dssp::{bonds_of_rows, bridges_from, bridges_of_rows};
use kernels_gpu::Vector;
use prism_read::structure::StructureInput;
use shared_types::Atom;
use shared_types::backbone::RoleAtoms;
use std::collections::HashMap;

/// What makes an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EdgeKind {
    /// Alpha carbons closer than the contact threshold, as in the contact graph.
    AlphaCarbons,
    /// Heavy atoms within [`ATOM_CONTACT`], if the residues are at least two rows apart or in different chains, as in
    /// `atomic_contacts`.
    Atoms,
    /// From each residue to its nearest others, by alpha carbons.
    Nearest,
    /// Residues that follow each other in a chain.
    Sequence,
    /// A hydrogen bond of backbones by DSSP, from N-H to O.
    BackboneBond,
    /// A bridge of strands by DSSP.
    Bridge,
}

impl EdgeKind {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::AlphaCarbons, Self::Atoms, Self::Nearest, Self::Sequence, Self::BackboneBond, Self::Bridge];

    /// Its name in tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::AlphaCarbons => "ca",
            Self::Atoms => "atom",
            Self::Nearest => "knn",
            Self::Sequence => "sequence",
            Self::BackboneBond => "hbond_backbone",
            Self::Bridge => "bridge",
        }
    }

    /// Its rule, with the options that set numbers.
    #[must_use]
    pub const fn rule(self) -> &'static str {
        match self {
            Self::AlphaCarbons => "alpha carbons closer than --contact-threshold (8 Å)",
            Self::Atoms => {
                "heavy atoms within --cutoff (4.5 Å), of residues at least two rows apart or of different chains, unless a chain has \
                 alpha carbons or a backbone alone"
            }
            Self::Nearest => {
                "from each residue to the --neighbors (30) residues whose alpha carbons are nearest, of equal distances the lower rows"
            }
            Self::Sequence => {
                "residues of a chain at most --steps (1) rows apart, where the alpha carbons of every two consecutive rows between them \
                 are within 4.3 Å"
            }
            Self::BackboneBond => {
                "DSSP's hydrogen bond from N-H of the first residue to O of the second one: one of the two strongest of this N-H, with \
                 an energy below -0.5 kcal/mol"
            }
            Self::Bridge => "DSSP's bridge of two residues of strands",
        }
    }

    /// What is between the ends: the distance in its lines.
    #[must_use]
    pub const fn distance(self) -> &'static str {
        match self {
            Self::Atoms => "of the nearest heavy atoms",
            Self::BackboneBond => "of N and O",
            _ => "of the alpha carbons",
        }
    }

    /// The source of the rule; empty if it has none.
    #[must_use]
    pub const fn source(self) -> &'static str {
        match self {
            Self::BackboneBond | Self::Bridge => "Kabsch & Sander 1983; mkdssp 4",
            _ => "",
        }
    }
}

/// The numbers in the rules of edges.
///
/// ```
/// use prism_engine::contacts::EdgeRules;
///
/// let EdgeRules { threshold, cutoff, neighbours, steps } = EdgeRules::default();
/// assert_eq!((threshold, cutoff, neighbours, steps), (8.0, 4.5, 30, 1));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EdgeRules {
    /// Alpha carbons closer than this are in contact, in Å.
    pub threshold: f32,
    /// Heavy atoms within this are in contact, in Å.
    pub cutoff: f32,
    /// The nearest residues of each one.
    pub neighbours: usize,
    /// The most rows between residues that follow each other.
    pub steps: u32,
}

impl Default for EdgeRules {
    fn default() -> Self {
        Self { threshold: 8.0, cutoff: ATOM_CONTACT, neighbours: 30, steps: 1 }
    }
}

/// Heavy atoms within this distance, in Å, are in contact.
pub const ATOM_CONTACT: f32 = 4.5;
/// Smallest distance in rows at which residues of one chain can have an atom contact.
const APART: u32 = 2;

/// Two residues that have something to do with each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edge {
    /// The row where it begins: the lower one, but for nearest residues and hydrogen bonds, which have a direction.
    pub row_i: u32,
    /// The other row.
    pub row_j: u32,
    /// The kind of edge.
    pub kind: EdgeKind,
    /// The kind's distance in Å ([`EdgeKind::distance`]).
    pub distance: f32,
    /// The energy of a hydrogen bond in kcal/mol; NaN for other kinds.
    pub energy: f32,
}

impl Edge {
    const fn new(row_i: u32, row_j: u32, kind: EdgeKind, distance: f32) -> Self {
        Self { row_i, row_j, kind, distance, energy: f32::NAN }
    }
}

/// All edges of a structure, sorted by rows, then by kinds in the order of [`EdgeKind`].
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
    edges_by(structure, &EdgeRules { threshold, ..EdgeRules::default() }, kinds)
}

/// The same by other rules.
///
/// ```
/// use prism_engine::contacts::{EdgeKind, EdgeRules, edges, edges_by};
/// use prism_read::{ReadOptions, read_path};
///
/// let rbd = read_path("../../data/6m0j_rbd.pdb", "rbd", &ReadOptions::default())?.structure;
/// let within = |cutoff| edges_by(&rbd, &EdgeRules { cutoff, ..EdgeRules::default() }, &[EdgeKind::Atoms]);
/// assert_eq!(within(4.5).len(), edges(&rbd, 8.0, &[EdgeKind::Atoms]).len());
/// assert!(within(4.0).len() < within(5.0).len());
/// let nearest = edges_by(&rbd, &EdgeRules { neighbours: 16, ..EdgeRules::default() }, &[EdgeKind::Nearest]);
/// assert_eq!(nearest.len(), 16 * rbd.n_rows());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn edges_by(structure: &StructureInput, rules: &EdgeRules, kinds: &[EdgeKind]) -> Vec<Edge> {
    let mut edges: Vec<Edge> = kinds.iter().flat_map(|&kind| of_kind(structure, rules, kind)).collect();
    edges.sort_unstable_by_key(|edge| (edge.row_i, edge.row_j, edge.kind));
    edges
}

fn of_kind(structure: &StructureInput, rules: &EdgeRules, kind: EdgeKind) -> Vec<Edge> {
    let mut edges = Vec::new();
    match kind {
        EdgeKind::AlphaCarbons => {
            let threshold = rules.threshold;
            each_pair(&graph::alpha_carbons(structure), threshold, |a, b, distance2| {
                if distance2 < threshold * threshold {
                    edges.push(Edge::new(a.row, b.row, kind, distance2.sqrt()));
                }
            });
        }
        EdgeKind::Atoms => {
            // Without side chains, the nearest atoms of residues are not those that the file has.
            let whole = |(row_i, row_j): &(u32, u32)| {
                structure.traces.is_empty() || ![row_i, row_j].iter().any(|row| structure.is_in_trace(**row as usize))
            };
            let contacts = atom_contacts(structure, rules.cutoff).into_iter().filter(|(rows, _)| whole(rows));
            edges.extend(contacts.map(|((row_i, row_j), distance2)| Edge::new(row_i, row_j, kind, distance2.sqrt())));
        }
        EdgeKind::Nearest => edges = graph::nearest(structure, rules.neighbours),
        EdgeKind::Sequence => edges = graph::along_chains(structure, rules.steps),
        EdgeKind::BackboneBond => {
            let bond = |(donor, acceptor, energy): (u32, u32, f32)| {
                let apart = distance(structure, (donor, |roles| roles.n), (acceptor, |roles| roles.o));
                Edge { energy, ..Edge::new(donor, acceptor, kind, apart) }
            };
            edges.extend(bonds_of_rows(structure).map(bond));
        }
        EdgeKind::Bridge => edges.extend(bridges_of_rows(structure).map(|(row_i, row_j, _)| {
            let [a, b] = [row_i, row_j].map(|row| structure.ca_indices[row as usize] as usize);
            let [a, b] = [a, b].map(|atom| Point::new(structure.atoms[atom], 0));
            Edge::new(row_i, row_j, kind, a.distance2(&b).sqrt())
        })),
    }
    edges
}

/// The label of the ladder of a bridge; empty for other edges.
#[must_use]
pub fn ladder<'s>(structure: &'s StructureInput, edge: &Edge) -> &'s str {
    let is_it = |&(row_i, row_j, _): &(u32, u32, &str)| (row_i, row_j) == (edge.row_i, edge.row_j);
    let bridge = (edge.kind == EdgeKind::Bridge).then(|| bridges_from(structure, edge.row_i).find(is_it)).flatten();
    bridge.map_or("", |(_, _, ladder)| ladder)
}

/// The distance of two atoms by their roles in their rows.
fn distance(structure: &StructureInput, a: (u32, fn(RoleAtoms) -> u8), b: (u32, fn(RoleAtoms) -> u8)) -> f32 {
    let [a, b] = [a, b].map(|(row, of)| {
        let role = of(RoleAtoms::of_words(structure.roles[row as usize]));
        Point::new(structure.atoms[structure.residue_atoms[row as usize] as usize + usize::from(role)], row)
    });
    a.distance2(&b).sqrt()
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
