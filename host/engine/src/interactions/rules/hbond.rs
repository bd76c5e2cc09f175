//! Hydrogen bonds of nitrogen, oxygen and sulfur, and those of carbon.

use crate::interactions::Interaction;
use crate::interactions::elements::{C, S};
use crate::interactions::hydrogens::{is_open, pointing};
use crate::interactions::kinds::Kind;
use crate::interactions::search::Search;

/// The limits of a hydrogen bond, in Å and degrees.
struct Limits {
    donor: f64,
    hydrogen: f64,
    at_hydrogen: f64,
    at_acceptor: f64,
}

const USUAL: Limits = Limits { donor: 3.5, hydrogen: 2.7, at_hydrogen: 110.0, at_acceptor: 90.0 };
const WEAK: Limits = Limits { donor: 3.6, hydrogen: 2.8, at_hydrogen: 130.0, at_acceptor: 90.0 };

pub(super) fn find(search: &Search, found: &mut Vec<Interaction>) {
    for near in search.dry() {
        let ways = [(near.a, near.b), (near.b, near.a)];
        let bonds = ways.into_iter().filter_map(|(donor, acceptor)| bond(search, donor, acceptor, near.distance));
        // Two atoms share one hydrogen. Where either may donate it, that does from which it points best.
        found.extend(bonds.max_by(|one, other| one.angle.total_cmp(&other.angle)));
    }
}

/// The angle at the hydrogen, if a donor and an acceptor are within the limits.
fn angle(search: &Search, donor: u32, acceptor: u32, distance: f64, limits: &Limits) -> Option<f64> {
    let system = &search.system;
    if distance > limits.donor || system.bonds.are_near(donor, acceptor) {
        return None;
    }
    let best = pointing(system, search.chemistry[donor as usize].hydrogens, donor, system.at(acceptor))?;
    let is_bond = best.angle >= limits.at_hydrogen
        && best.distance <= limits.hydrogen
        && is_open(system, acceptor, system.at(donor), limits.at_acceptor);
    is_bond.then_some(best.angle)
}

/// The hydrogen bond from a donor to an acceptor, if there is one. Water counts, too.
pub(super) fn bond(search: &Search, donor: u32, acceptor: u32, distance: f64) -> Option<Interaction> {
    let [of_donor, of_acceptor] = [donor, acceptor].map(|atom| search.chemistry[atom as usize]);
    if !of_donor.donates || !of_acceptor.accepts || search.system.element(acceptor) == S {
        return None;
    }
    let angle = angle(search, donor, acceptor, distance, &USUAL)?;
    Some(Interaction { angle, ..search.of_atoms(Kind::HBond, donor, acceptor, distance) })
}

pub(super) fn find_weak(search: &Search, found: &mut Vec<Interaction>) {
    for near in search.dry() {
        for (carbon, acceptor) in [(near.a, near.b), (near.b, near.a)] {
            let [donor, other] = [carbon, acceptor].map(|atom| search.chemistry[atom as usize]);
            if search.system.element(carbon) != C || donor.hydrogens.count == 0 || !other.accepts {
                continue;
            }
            if let Some(angle) = angle(search, carbon, acceptor, near.distance, &WEAK) {
                found.push(Interaction { angle, ..search.of_atoms(Kind::WeakHBond, carbon, acceptor, near.distance) });
            }
        }
    }
}
