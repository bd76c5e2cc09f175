//! Edges of residues for graphs: nearest neighbours, and neighbours along the chain.

use super::{Edge, EdgeKind, Point};
use prism_read::grid::Grid;
use prism_read::structure::StructureInput;
use shared_types::NO_CA;

/// Alpha carbons of linked residues are closer, in Å: the rule of Biopython's CaPPBuilder, as kernels have it.
const LINKED: f32 = 4.3;
/// The distance in Å within which neighbours are looked for at first.
const FIRST_REACH: f64 = 8.0;

/// The alpha carbon of each row that has one.
pub(super) fn alpha_carbons(structure: &StructureInput) -> Vec<Point> {
    let own = structure.ca_indices.iter().zip(0..).filter(|(ca, _)| **ca != NO_CA);
    own.map(|(&ca, row)| Point::new(structure.atoms[ca as usize], row)).collect()
}

/// From each residue to the nearest `neighbours` others by alpha carbons; of equal distances, the lower rows.
pub(super) fn nearest(structure: &StructureInput, neighbours: usize) -> Vec<Edge> {
    let points = alpha_carbons(structure);
    let most = neighbours.min(points.len().saturating_sub(1));
    let place = |point: &Point| [point.at.x, point.at.y, point.at.z].map(f64::from);
    let (mut open, mut reach): (Vec<usize>, _) = ((0..points.len()).collect(), FIRST_REACH);
    let mut edges = Vec::with_capacity(points.len() * most);
    while !open.is_empty() {
        // What rounding moves to the other side of the reach is looked for within it.
        let grid = Grid::new(reach * 1.001, points.iter().map(place));
        open.retain(|&index| {
            let own = &points[index];
            let others = grid.near(place(own)).filter(|(other, _)| *other != index);
            let within = |(other, _): (usize, f64)| Some((own.distance2(&points[other]), points[other].row));
            let mut near: Vec<(f32, u32)> = others.filter_map(within).collect();
            let is_enough = near.iter().filter(|(distance2, _)| f64::from(*distance2) <= reach * reach).count() >= most;
            let is_all = near.len() + 1 == points.len();
            if is_enough || is_all {
                near.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
                let of =
                    |&(distance2, row_j): &(f32, u32)| Edge::new(own.row, row_j, EdgeKind::Nearest, distance2.sqrt());
                edges.extend(near[..most].iter().map(of));
            }
            !is_enough && !is_all
        });
        reach *= 2.0;
    }
    edges
}

/// Residues of a chain that are at most `steps` links apart.
pub(super) fn along_chains(structure: &StructureInput, steps: u32) -> Vec<Edge> {
    let points = alpha_carbons(structure);
    let chain = |point: &Point| structure.chain_ids[point.row as usize];
    let is_linked = |pair: &[Point]| {
        let [a, b] = pair else { return false };
        b.row == a.row + 1 && chain(a) == chain(b) && a.distance2(b) < LINKED * LINKED
    };
    let mut edges = Vec::new();
    for (index, own) in points.iter().enumerate() {
        let links = points[index..].windows(2).take(steps as usize).take_while(|pair| is_linked(pair));
        edges.extend(
            links.map(|pair| Edge::new(own.row, pair[1].row, EdgeKind::Sequence, own.distance2(&pair[1]).sqrt())),
        );
    }
    edges
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contacts::{EdgeRules, edges_by};
    use prism_read::{ReadOptions, read_path};

    fn rbd() -> StructureInput {
        read_path("../../data/6m0j_rbd.pdb", "rbd", &ReadOptions::default()).unwrap().structure
    }

    #[test]
    fn nearest_residues_are_those_of_all_pairs() {
        let mut structure = rbd();
        // A residue far from all others, whose neighbours are further than the first reach.
        let far = structure.ca_indices[20] as usize;
        structure.atoms[far].x += 500.0;
        let place = |row: usize| {
            let atom = structure.atoms[structure.ca_indices[row] as usize];
            [atom.x, atom.y, atom.z].map(f64::from)
        };
        for neighbours in [1, 7, 30, 193, 1000] {
            let found = edges_by(&structure, &EdgeRules { neighbours, ..EdgeRules::default() }, &[EdgeKind::Nearest]);
            assert_eq!(found.len(), 194 * neighbours.min(193));
            for (row, own) in found.chunk_by(|a, b| a.row_i == b.row_i).enumerate() {
                let from = place(row);
                let apart =
                    |other: usize| (0..3).map(|axis| (place(other)[axis] - from[axis]).powi(2)).sum::<f64>().sqrt();
                let mut expected: Vec<usize> = (0..194).filter(|&other| other != row).collect();
                expected.sort_by(|a, b| apart(*a).total_cmp(&apart(*b)));
                expected.truncate(neighbours);
                expected.sort_unstable();
                let rows: Vec<usize> = own.iter().map(|edge| edge.row_j as usize).collect();
                assert_eq!(rows, expected, "row {row}");
                assert!(own.iter().all(|edge| (f64::from(edge.distance) - apart(edge.row_j as usize)).abs() < 1e-4));
            }
        }
    }

    #[test]
    fn chains_are_followed_to_their_breaks() {
        let mut structure = rbd();
        let within = |structure: &StructureInput, steps| {
            let found = edges_by(structure, &EdgeRules { steps, ..EdgeRules::default() }, &[EdgeKind::Sequence]);
            found.iter().map(|edge| (edge.row_i, edge.row_j)).collect::<Vec<_>>()
        };
        assert_eq!(within(&structure, 1).len(), 193);
        assert_eq!(within(&structure, 3).len(), 193 + 192 + 191);
        // A gap before row 50, and another chain from row 100.
        for row in 50..194 {
            let ca = structure.ca_indices[row] as usize;
            structure.atoms[ca].x += 10.0;
        }
        structure.chain_ids[100..].fill(1);
        structure.chains.push("B".to_owned());
        let found = within(&structure, 2);
        assert_eq!(found.len(), 193 + 192 - 2 * (1 + 2));
        assert!(found.contains(&(47, 49)) && !found.contains(&(49, 50)) && !found.contains(&(99, 101)));
    }
}
