//! How well two groups of atoms fit each other: the complementarity of their surfaces, and the gaps between them.

use super::cells::Cells;
use super::geometry::{Point, dot, length, minus, plus, times};
use super::surface::{Dot, Sphere, dots};
use std::collections::HashSet;

/// The probe that rolls over each group, in Å.
const PROBE: f64 = 1.7;
/// Dots in 1 Å².
const DENSITY: f64 = 15.0;
/// Atoms farther than this from the other group have no dots, in Å.
const INTERFACE: f64 = 8.0;
/// Dots within this distance of dots that the other group leaves free are the rim of the interface, in Å.
const RIM: f64 = 1.5;
/// How fast complementarity falls with the squared distance, in Å^-2.
const WEIGHT: f64 = 0.5;
/// Dots farther apart than the last of these are as good as without a partner, in Å: exp(-WEIGHT 4²) is 0.0003.
const REACHES: [f64; 2] = [1.0, 4.0];
/// The radii of spheres in gaps, in Å.
const GAPS: [f64; 2] = [1.0, 5.0];
/// The edge of the cells in which gaps are measured, in Å.
const CELL: f64 = 0.5;

/// How two groups of atoms fit each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape {
    /// `None` where neither covers surface of the other apart from a rim.
    pub fit: Option<Fit>,
    /// The volume of the gaps between them (Laskowski 1995), in Å³.
    pub gap_volume: f64,
}

impl Shape {
    pub(super) fn between(groups: [&[Sphere]; 2]) -> Self {
        Self { fit: shape_complementarity(groups), gap_volume: gap_volume(groups) }
    }
}

/// How well two surfaces fit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fit {
    /// Their shape complementarity (Lawrence and Colman 1993), at most 1.
    pub complementarity: f64,
    /// The area in Å² of the surface that it is about, of both sides.
    pub area: f64,
}

/// The shape complementarity of two groups (Lawrence and Colman 1993, J Mol Biol 234:946): the mean over both sides of the median of the
/// cosine between a dot's normal and the opposite of that of the nearest dot of the other side, times exp(-0.5 distance²). Dots are those of the
/// solvent-excluded surface that the other group covers, without a rim of 1.5 Å. `None` if a side has no such dots.
fn shape_complementarity(groups: [&[Sphere]; 2]) -> Option<Fit> {
    let sides = [covered(groups[0], groups[1]), covered(groups[1], groups[0])];
    if sides.iter().any(Vec::is_empty) {
        return None;
    }
    let complementarity = 0.5 * (median_fit(&sides[0], &sides[1]) + median_fit(&sides[1], &sides[0]));
    Some(Fit { complementarity, area: sides.iter().flatten().map(|dot| dot.area).sum() })
}

/// The dots of a group that another one covers, without the rim.
fn covered(own: &[Sphere], other: &[Sphere]) -> Vec<Dot> {
    let largest = own.iter().chain(other).map(|sphere| sphere.radius).fold(0.0, f64::max);
    let reach = largest + PROBE;
    // What can be in the way of a probe at an atom that has dots.
    let near = within(own, other, INTERFACE + 2.0 * reach);
    let wanted = are_within(&near, other, INTERFACE);
    let centres = centres(other);
    let cells = Cells::new(&centres, reach);
    let is_covered = |own: &Dot| {
        let (probe, mut covered) = (plus(own.at, times(own.normal, PROBE)), false);
        cells.near(probe, reach, |index, distance2| {
            let touching = other[index as usize].radius + PROBE;
            covered |= distance2 < touching * touching;
        });
        covered
    };
    let (covered, free): (Vec<Dot>, Vec<Dot>) = dots(&near, &wanted, PROBE, DENSITY).into_iter().partition(is_covered);
    let free: Vec<Point> = free.iter().map(|dot| dot.at).collect();
    let rim = Cells::new(&free, RIM);
    covered.into_iter().filter(|own| !rim.has_near(own.at, RIM)).collect()
}

/// Whether the centre of each sphere is within `reach` of that of one of the others.
fn are_within(own: &[Sphere], other: &[Sphere], reach: f64) -> Vec<bool> {
    let centres = centres(other);
    let cells = Cells::new(&centres, reach);
    own.iter().map(|sphere| cells.has_near(sphere.centre, reach)).collect()
}

fn centres(spheres: &[Sphere]) -> Vec<Point> {
    spheres.iter().map(|sphere| sphere.centre).collect()
}

/// Those spheres alone.
fn within(own: &[Sphere], other: &[Sphere], reach: f64) -> Vec<Sphere> {
    let near = are_within(own, other, reach);
    own.iter().zip(near).filter(|(_, near)| *near).map(|(sphere, _)| *sphere).collect()
}

/// The median over dots of how well the nearest dot of the other side fits.
fn median_fit(own: &[Dot], other: &[Dot]) -> f64 {
    let places: Vec<Point> = other.iter().map(|dot| dot.at).collect();
    let cells = REACHES.map(|reach| (reach, Cells::new(&places, reach)));
    let fit = |one: &Dot| {
        let nearest = cells.iter().find_map(|(reach, cells)| {
            let mut nearest: Option<(f64, u32)> = None;
            cells.near(one.at, *reach, |index, distance2| {
                if nearest.is_none_or(|nearest| (distance2, index) < nearest) {
                    nearest = Some((distance2, index));
                }
            });
            nearest
        });
        nearest.map_or(0.0, |(distance2, index)| {
            -dot(one.normal, other[index as usize].normal) * (-WEIGHT * distance2).exp()
        })
    };
    let mut fits: Vec<f64> = own.iter().map(fit).collect();
    let middle = fits.len() / 2;
    *fits.select_nth_unstable_by(middle, f64::total_cmp).1
}

/// The volume in Å³ of the gaps between two groups, by the spheres of SURFNET (Laskowski 1995, J Mol Graph 13:323): halfway between an atom
/// of each, as large as no atom is inside, with radii from 1 to 5 Å. It is the volume of all of them together.
fn gap_volume(groups: [&[Sphere]; 2]) -> f64 {
    let largest = groups.iter().flat_map(|group| group.iter()).map(|sphere| sphere.radius).fold(0.0, f64::max);
    let reach = 2.0 * (largest + GAPS[1]);
    let [a, b] = [within(groups[0], groups[1], reach), within(groups[1], groups[0], reach)];
    let all: Vec<Sphere> = groups.concat();
    let (of_b, of_all) = (centres(&b), centres(&all));
    let (facing, atoms) = (Cells::new(&of_b, reach), Cells::new(&of_all, largest + GAPS[1]));
    let mut filled: HashSet<[i32; 3]> = HashSet::new();
    for one in &a {
        facing.near(one.centre, reach, |other, distance2| {
            let (other, distance) = (&b[other as usize], distance2.sqrt());
            let gap = distance - one.radius - other.radius;
            if gap < 2.0 * GAPS[0] || gap > 2.0 * GAPS[1] {
                return;
            }
            let along = (one.radius + 0.5 * gap) / distance;
            let centre = plus(one.centre, times(minus(other.centre, one.centre), along));
            let mut radius = 0.5 * gap;
            atoms.near(centre, largest + GAPS[1], |atom, distance2| {
                radius = radius.min(distance2.sqrt() - all[atom as usize].radius);
            });
            if radius >= GAPS[0] {
                fill(&mut filled, centre, radius);
            }
        });
    }
    filled.len() as f64 * CELL * CELL * CELL
}

/// Adds the cells whose centres are in a sphere.
fn fill(filled: &mut HashSet<[i32; 3]>, centre: Point, radius: f64) {
    let bounds = centre.map(|x| [((x - radius) / CELL).floor() as i32, ((x + radius) / CELL).ceil() as i32]);
    for x in bounds[0][0]..bounds[0][1] {
        for y in bounds[1][0]..bounds[1][1] {
            for z in bounds[2][0]..bounds[2][1] {
                let middle = [x, y, z].map(|at| (f64::from(at) + 0.5) * CELL);
                if length(minus(middle, centre)) <= radius {
                    filled.insert([x, y, z]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two flat layers of atoms, so far apart.
    fn layers(apart: f64) -> [Vec<Sphere>; 2] {
        [0.0, apart].map(|z| {
            let side = (-9..10).flat_map(|x| (-9..10).map(move |y| [f64::from(x), f64::from(y)]));
            side.map(|[x, y]| Sphere { centre: [1.5 * x, 1.5 * y, z], radius: 1.7 }).collect()
        })
    }

    #[test]
    fn layers_fit_the_less_the_farther_apart_they_are() {
        let fit = |apart: f64| {
            let [a, b] = layers(apart);
            shape_complementarity([&a, &b])
        };
        let fits = [3.4, 5.0].map(|apart| fit(apart).unwrap().complementarity);
        assert!(fits[0] > 0.9 && fits[0] > fits[1], "{fits:?}");
        // The probe fits between.
        assert_eq!(fit(9.0), None);
        let [a, _] = layers(0.0);
        assert_eq!(shape_complementarity([&a, &[]]), None);
    }

    #[test]
    fn gaps_are_as_large_as_the_space_between() {
        let volume = |apart: f64| {
            let [a, b] = layers(apart);
            gap_volume([&a, &b])
        };
        assert_eq!(volume(3.4), 0.0);
        // Between centres 27 Å wide and surfaces 3 Å apart, with a part of what is beyond the outermost centres.
        let between = volume(6.4);
        assert!((27.0 * 27.0 * 3.0..30.4 * 30.4 * 3.2).contains(&between), "{between}");
        assert_eq!(volume(20.0), 0.0);
    }
}
