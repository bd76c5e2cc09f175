//! Small rings, and which of them are aromatic.

use super::elements::{C, N, O, S, SE};
use super::geometry::{Point, centroid, dot, minus, normal};
use super::model::{Order, System};
use super::orders::FLAT;

/// Atoms with more neighbours are of no small ring: damaged files have atoms upon each other.
const MOST: usize = 4;

/// An aromatic ring.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Ring {
    /// Its atoms, in order around it.
    pub(super) atoms: Vec<u32>,
    pub(super) centre: Point,
    pub(super) normal: Point,
}

/// The rings of five and six atoms that have no shorter way between two of their atoms, each in order around it.
pub(super) fn small_rings<'n>(members: &[u32], near: impl Fn(u32) -> &'n [u32]) -> Vec<Vec<u32>> {
    fn walk<'n>(path: &mut Vec<u32>, near: &impl Fn(u32) -> &'n [u32], found: &mut Vec<Vec<u32>>) {
        let (first, last) = (path[0], path[path.len() - 1]);
        for &next in near(last) {
            // Each ring begins at its lowest atom, and goes to the lower one of its neighbours.
            if next == first && path.len() >= 5 && path[1] < last {
                found.push(path.clone());
            } else if next > first && path.len() < 6 && near(next).len() <= MOST && !path.contains(&next) {
                path.push(next);
                walk(path, near, found);
                path.pop();
            }
        }
    }
    let mut found = Vec::new();
    for &atom in members.iter().filter(|&&atom| (2..=MOST).contains(&near(atom).len())) {
        walk(&mut vec![atom], &near, &mut found);
    }
    let has_chord = |ring: &Vec<u32>| {
        let n = ring.len();
        let apart = |i: usize, j: usize| (j - i).min(n - (j - i));
        (0..n).any(|i| (i + 1..n).any(|j| apart(i, j) > 1 && near(ring[i]).contains(&ring[j])))
    };
    found.retain(|ring| !has_chord(ring));
    found
}

/// The largest distance of points from their plane.
pub(super) fn deviation(points: &[Point]) -> f64 {
    let centre = centroid(points);
    match normal(points, centre) {
        Some(normal) => points.iter().map(|&point| dot(minus(point, centre), normal).abs()).fold(0.0, f64::max),
        None => f64::INFINITY,
    }
}

/// The aromatic rings of a structure: planar rings of five or six atoms, whose carbons all have a double bond.
pub(super) fn aromatic_rings(system: &System) -> Vec<Ring> {
    let mut rings = Vec::new();
    for residue in &system.residues {
        let range = residue.range();
        if range.len() < 5 {
            continue;
        }
        let own: Vec<Vec<u32>> = range
            .clone()
            .map(|atom| {
                let ends = system.bonds.of(atom as u32).iter().map(|&(end, _)| end);
                ends.filter(|end| range.contains(&(*end as usize))).collect()
            })
            .collect();
        let members: Vec<u32> = range.clone().map(|atom| atom as u32).collect();
        let near = |atom: u32| own[atom as usize - range.start].as_slice();
        rings.extend(small_rings(&members, near).into_iter().filter_map(|atoms| aromatic(system, atoms)));
    }
    rings
}

fn aromatic(system: &System, atoms: Vec<u32>) -> Option<Ring> {
    let is_part = |atom: u32| {
        let bonds = system.bonds.of(atom);
        let unsaturated = bonds.iter().any(|&(_, order)| order != Order::Single);
        match system.element(atom) {
            C => unsaturated && bonds.len() <= 3,
            N => bonds.len() <= 3,
            O | S | SE => bonds.len() == 2,
            _ => false,
        }
    };
    if !atoms.iter().all(|&atom| is_part(atom)) {
        return None;
    }
    // Quinones and the like have double bonds, but none in the ring.
    let inside = |k: usize| {
        let next = atoms[(k + 1) % atoms.len()];
        system.bonds.of(atoms[k]).iter().any(|&(end, order)| end == next && order != Order::Single)
    };
    if (0..atoms.len()).filter(|&k| inside(k)).count() == 0 {
        return None;
    }
    let points: Vec<Point> = atoms.iter().map(|&atom| system.at(atom)).collect();
    let centre = centroid(&points);
    (deviation(&points) <= 2.0 * FLAT).then_some(())?;
    Some(Ring { normal: normal(&points, centre)?, centre, atoms })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Indole: a ring of five and one of six share a bond.
    #[test]
    fn fused_rings_are_found_once_each() {
        let bonds = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0), (3, 5), (5, 6), (6, 7), (7, 8), (8, 4)];
        let mut near = vec![Vec::new(); 9];
        for (a, b) in bonds {
            near[a as usize].push(b);
            near[b as usize].push(a);
        }
        let members: Vec<u32> = (0..9).collect();
        let mut sizes: Vec<usize> = small_rings(&members, |atom| &near[atom as usize]).iter().map(Vec::len).collect();
        sizes.sort_unstable();
        assert_eq!(sizes, [5, 6]);
    }
}
