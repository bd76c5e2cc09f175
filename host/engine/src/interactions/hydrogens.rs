//! Where hydrogens of a donor can be: those of the file, places that follow from the neighbours, or a cone around the only bond.

use super::chemistry::Hydrogens;
use super::elements::{C, N};
use super::geometry::{Point, between, cross, degrees, minus, plus, times, unit};
use super::model::System;
use kernels_gpu::bases;

/// Lengths of bonds to hydrogen in Å, as neutrons see them.
const NH: f64 = 1.01;
const OH: f64 = 0.97;
const CH: f64 = 1.09;

/// The hydrogen of a donor that points best at another atom: the angle donor, hydrogen, acceptor in degrees, and the distance of
/// hydrogen and acceptor in Å.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pointing {
    pub(super) angle: f64,
    pub(super) distance: f64,
}

/// Where the hydrogens of a donor can be.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Places {
    /// At these places, of which there is at least one.
    At(Vec<Point>),
    /// On a cone around its only bond, whose direction is given, with the length of the bond to hydrogen in Å.
    Cone(Point, f64),
    /// In any direction, with the length of the bond.
    Free(f64),
}

impl Places {
    /// Of a donor; `None` if it has no hydrogens.
    pub(super) fn of(system: &System, hydrogens: Hydrogens, donor: u32) -> Option<Self> {
        let at = system.at(donor);
        let explicit = system.hydrogens_of(donor);
        if !explicit.is_empty() {
            return Some(Self::At(explicit.iter().map(|&(_, place)| place).collect()));
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
        Some(match directions[..] {
            [] => Self::Free(length),
            // In the plane of the neighbour: trans and cis.
            [to] if hydrogens.is_planar => match beyond(system, donor, ends[0]) {
                Some(side) => {
                    let place = |sign: f64| away(plus(times(to, -0.5), times(side, sign * 0.866_025_403_784_438_6)));
                    Self::At(vec![place(1.0), place(-1.0)])
                }
                None => Self::Cone(to, length),
            },
            [to] => Self::Cone(to, length),
            [a, b] => {
                let out = unit(times(plus(a, b), -1.0));
                let Some(out) = out else { return Some(Self::Free(length)) };
                if hydrogens.count == 1 && (hydrogens.is_planar || system.element(donor) != C) {
                    return Some(Self::At(vec![away(out)]));
                }
                let across = unit(cross(a, b))?;
                let place = |sign: f64| {
                    away(plus(times(out, 0.577_350_269_189_625_8), times(across, sign * 0.816_496_580_927_726)))
                };
                Self::At(vec![place(1.0), place(-1.0)])
            }
            _ => {
                let sum = directions.iter().fold([0.0; 3], |sum, &direction| plus(sum, direction));
                Self::At(vec![away(unit(times(sum, -1.0))?)])
            }
        })
    }
}

/// How well a hydrogen of `donor` can point at `target`. `None` if the donor has no hydrogens.
pub(super) fn pointing(system: &System, hydrogens: Hydrogens, donor: u32, target: Point) -> Option<Pointing> {
    let at = system.at(donor);
    let of = |place: Point| {
        let bases::Pointing { cosine, distance } = bases::Pointing::of(at, place, target);
        Pointing { angle: degrees(cosine), distance }
    };
    match Places::of(system, hydrogens, donor)? {
        Places::At(places) => places.into_iter().map(of).max_by(|a, b| a.angle.total_cmp(&b.angle)),
        Places::Cone(to, length) => bases::cone(at, to, length, target).map(of),
        Places::Free(length) => bases::free(at, length, target).map(of),
    }
}

/// The direction at right angles to the bond, in the plane of the neighbour's other bonds.
fn beyond(system: &System, donor: u32, neighbour: u32) -> Option<Point> {
    let to = minus(system.at(neighbour), system.at(donor));
    let other = system.bonds.of(neighbour).iter().map(|&(end, _)| end).find(|&end| end != donor)?;
    let along = minus(system.at(other), system.at(neighbour));
    unit(cross(cross(to, along), to))
}

/// Whether the neighbours of an acceptor leave room for a donor: no angle neighbour, acceptor, donor is below `least` degrees.
pub(super) fn is_open(system: &System, acceptor: u32, donor: Point, least: f64) -> bool {
    let at = system.at(acceptor);
    let ends = system.bonds.of(acceptor).iter().map(|&(end, _)| end).filter(|&end| !system.element(end).is_metal());
    ends.into_iter().all(|end| between(minus(system.at(end), at), minus(donor, at)) >= least)
}
