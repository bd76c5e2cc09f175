//! Where hydrogens of a donor can be: those of the file, places that follow from the neighbours, or a cone around the only bond.

use super::chemistry::Hydrogens;
use super::elements::{C, N};
use super::geometry::{Point, angle, between, cross, distance, minus, plus, times, unit};
use super::model::System;

/// Lengths of bonds to hydrogen in Å, as neutrons see them.
const NH: f64 = 1.01;
const OH: f64 = 0.97;
const CH: f64 = 1.09;
/// The cosine and sine of the angle of a tetrahedron, 109.47 degrees.
const TETRAHEDRON: (f64, f64) = (-1.0 / 3.0, 0.942_809_041_582_063_4);

/// The hydrogen of a donor that points best at another atom: the angle donor, hydrogen, acceptor in degrees, and the distance of
/// hydrogen and acceptor in Å.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pointing {
    pub(super) angle: f64,
    pub(super) distance: f64,
}

/// How well a hydrogen of `donor` can point at `target`. `None` if the donor has no hydrogens.
pub(super) fn pointing(system: &System, hydrogens: Hydrogens, donor: u32, target: Point) -> Option<Pointing> {
    let at = system.at(donor);
    let of = |place: Point| Pointing { angle: angle(at, place, target), distance: distance(place, target) };
    let best = |places: &[Point]| places.iter().map(|&place| of(place)).max_by(|a, b| a.angle.total_cmp(&b.angle));
    let explicit = system.hydrogens_of(donor);
    if !explicit.is_empty() {
        let places: Vec<Point> = explicit.iter().map(|&(_, place)| place).collect();
        return best(&places);
    }
    if hydrogens.count == 0 {
        return None;
    }
    let length = match system.element(donor) {
        C => CH,
        N => NH,
        _ => OH,
    };
    let ends: Vec<u32> =
        system.bonds.of(donor).iter().map(|&(end, _)| end).filter(|&end| !system.element(end).is_metal()).collect();
    let directions: Vec<Point> = ends.iter().filter_map(|&end| unit(minus(system.at(end), at))).collect();
    let away = |direction: Point| plus(at, times(direction, length));
    let straight = || unit(minus(target, at)).map(|towards| of(away(towards)));
    match directions[..] {
        [] => straight(),
        // In the plane of the neighbour: trans and cis.
        [to] if hydrogens.is_planar => match beyond(system, donor, ends[0]) {
            Some(side) => {
                let place = |sign: f64| away(plus(times(to, -0.5), times(side, sign * 0.866_025_403_784_438_6)));
                best(&[place(1.0), place(-1.0)])
            }
            None => cone(at, to, length, target).map(of),
        },
        [to] => cone(at, to, length, target).map(of),
        [a, b] => {
            let out = unit(times(plus(a, b), -1.0));
            let Some(out) = out else { return straight() };
            if hydrogens.count == 1 && (hydrogens.is_planar || system.element(donor) != C) {
                return best(&[away(out)]);
            }
            let across = unit(cross(a, b))?;
            let place = |sign: f64| {
                away(plus(times(out, 0.577_350_269_189_625_8), times(across, sign * 0.816_496_580_927_726)))
            };
            best(&[place(1.0), place(-1.0)])
        }
        _ => {
            let sum = directions.iter().fold([0.0; 3], |sum, &direction| plus(sum, direction));
            let out = unit(times(sum, -1.0))?;
            best(&[away(out)])
        }
    }
}

/// The direction at right angles to the bond, in the plane of the neighbour's other bonds.
fn beyond(system: &System, donor: u32, neighbour: u32) -> Option<Point> {
    let to = minus(system.at(neighbour), system.at(donor));
    let other = system.bonds.of(neighbour).iter().map(|&(end, _)| end).find(|&end| end != donor)?;
    let along = minus(system.at(other), system.at(neighbour));
    unit(cross(cross(to, along), to))
}

/// The hydrogen on the cone around a bond that is nearest to a target.
fn cone(at: Point, to: Point, length: f64, target: Point) -> Option<Point> {
    let towards = unit(minus(target, at))?;
    let side = unit(cross(cross(to, towards), to))
        .or_else(|| unit(cross(to, [1.0, 0.0, 0.0])))
        .or_else(|| unit(cross(to, [0.0, 1.0, 0.0])))?;
    let (along, across) = TETRAHEDRON;
    Some(plus(at, times(plus(times(to, along), times(side, across)), length)))
}

/// Whether the neighbours of an acceptor leave room for a donor: no angle neighbour, acceptor, donor is below `least` degrees.
pub(super) fn is_open(system: &System, acceptor: u32, donor: Point, least: f64) -> bool {
    let at = system.at(acceptor);
    let ends = system.bonds.of(acceptor).iter().map(|&(end, _)| end).filter(|&end| !system.element(end).is_metal());
    ends.into_iter().all(|end| between(minus(system.at(end), at), minus(donor, at)) >= least)
}
