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
                let of = |&(distance2, row_j): &(f32, u32)| Edge::new(own.row, row_j, EdgeKind::Nearest, distance2.sqrt());
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
        edges.extend(links.map(|pair| {
            Edge::new(own.row, pair[1].row, EdgeKind::Sequence, own.distance2(&pair[1]).sqrt())
        }));
    }
    edges
}
