//! Accessible areas by slices (Lee and Richards 1971, J Mol Biol 55:379), as FreeSASA computes them.
//!
//! The sphere of each atom, as large as its radius and the probe's, is cut into slices of the same height. In the middle of each, the
//! arcs of its circle that lie in no other atom's circle count with the area of the slice: height times radius times their angle.

use prism_read::grid::Grid;
use rayon::prelude::*;
use shared_types::Atom;
use std::f64::consts::TAU;

/// A neighbour: its difference from the atom, the distance along x and y, and its radius with the probe.
struct Neighbour {
    z: f64,
    distance: f64,
    angle: f64,
    radius: f64,
}

/// The accessible area of each atom in Å².
pub(super) fn areas(atoms: &[Atom], probe: f64, slices: u32) -> Vec<f64> {
    let place = |atom: &Atom| [atom.x, atom.y, atom.z].map(f64::from);
    let reach = |atom: &Atom| f64::from(atom.radius) + probe;
    let largest = atoms.iter().map(reach).fold(0.0, f64::max);
    let grid = Grid::new((2.0 * largest).max(1.0), atoms.iter().map(place));
    let of = |(index, atom): (usize, &Atom)| {
        let (own, radius) = (place(atom), reach(atom));
        let touching = grid
            .near(own)
            .filter(|(other, distance2)| *other != index && *distance2 < (radius + reach(&atoms[*other])).powi(2));
        let mut touching: Vec<usize> = touching.map(|(other, _)| other).collect();
        // So that sums do not depend on the order of cells.
        touching.sort_unstable();
        let neighbour = |other: usize| {
            let [x, y, z] = [0, 1, 2].map(|axis| place(&atoms[other])[axis] - own[axis]);
            Neighbour { z, distance: x.hypot(y), angle: y.atan2(x), radius: reach(&atoms[other]) }
        };
        area(radius, slices, &touching.into_iter().map(neighbour).collect::<Vec<_>>())
    };
    atoms.par_iter().enumerate().map(of).collect()
}

fn area(radius: f64, slices: u32, neighbours: &[Neighbour]) -> f64 {
    let height = 2.0 * radius / f64::from(slices);
    let mut arcs: Vec<[f64; 2]> = Vec::new();
    let slice = |slice: u32| {
        let z = -radius + (f64::from(slice) + 0.5) * height;
        // Rounding may make it less than 0.
        let circle2 = (radius * radius - z * z).max(0.0);
        exposed(z, circle2, neighbours, &mut arcs).map_or(0.0, |angle| height * radius * angle)
    };
    (0..slices).map(slice).sum()
}

/// The angle of a circle that lies in no neighbour; `None` if all of it does.
fn exposed(z: f64, circle2: f64, neighbours: &[Neighbour], arcs: &mut Vec<[f64; 2]>) -> Option<f64> {
    let circle = circle2.sqrt();
    arcs.clear();
    for Neighbour { z: other_z, distance, angle, radius } in neighbours {
        let apart = (other_z - z).abs();
        if apart >= *radius {
            continue;
        }
        let other2 = radius * radius - apart * apart;
        let other = other2.sqrt();
        if *distance >= circle + other {
            continue;
        }
        if distance + circle < other {
            return None;
        }
        if distance + other < circle {
            continue;
        }
        let half = ((circle2 + distance * distance - other2) / (2.0 * circle * distance)).clamp(-1.0, 1.0).acos();
        let [begin, end] = [angle - half, angle + half].map(|angle| angle.rem_euclid(TAU));
        if begin <= end {
            arcs.push([begin, end]);
        } else {
            arcs.extend([[0.0, end], [begin, TAU]]);
        }
    }
    arcs.sort_unstable_by(|a, b| a[0].total_cmp(&b[0]));
    let (mut free, mut last) = (0.0, 0.0);
    for &[begin, end] in &*arcs {
        if begin > last {
            free += begin - last;
        }
        last = end.max(last);
    }
    Some(free + TAU - last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    fn atom(x: f32, y: f32, z: f32, radius: f32) -> Atom {
        Atom { x, y, z, radius }
    }

    #[test]
    fn a_single_atom_is_a_sphere() {
        let [area] = areas(&[atom(1.0, 2.0, 3.0, 1.6)], 1.4, 20)[..] else { panic!("one atom") };
        assert!((area - 4.0 * PI * 9.0).abs() < 1e-5, "{area}");
    }

    /// A cap is cut off each of two spheres: 2 pi R h, with h = R - d/2 for equal ones.
    #[test]
    fn two_atoms_lose_caps() {
        for (a, b) in [
            (atom(0.0, 0.0, 0.0, 1.6), atom(2.0, 0.0, 0.0, 1.6)),
            (atom(0.0, 0.0, 0.0, 1.6), atom(1.2, 1.6, 0.0, 1.6)),
            (atom(0.0, 0.0, 0.0, 1.6), atom(0.0, 0.0, 2.0, 1.6)),
        ] {
            let expected = 4.0 * PI * 9.0 - TAU * 3.0 * 2.0;
            for area in areas(&[a, b], 1.4, 2000) {
                assert!((area - expected).abs() < 0.05, "{area}, not {expected}");
            }
        }
    }

    #[test]
    fn an_atom_in_another_has_no_area() {
        let found = areas(&[atom(0.0, 0.0, 0.0, 3.0), atom(0.1, 0.0, 0.0, 1.0)], 1.4, 20);
        assert!((found[0] - 4.0 * PI * 4.4 * 4.4).abs() < 1e-4 && found[1] == 0.0, "{found:?}");
        // Two in one place: each lies on the other, and none is outside.
        let twice = areas(&[atom(0.0, 0.0, 0.0, 1.6); 2], 1.4, 20);
        assert!(twice.iter().all(|area| area.is_finite() && *area >= 0.0), "{twice:?}");
    }
}
