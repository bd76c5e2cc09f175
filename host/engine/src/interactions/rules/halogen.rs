//! Halogen bonds.

use crate::interactions::Interaction;
use crate::interactions::elements::{C, S};
use crate::interactions::geometry::angle;
use crate::interactions::kinds::Kind;
use crate::interactions::search::Search;

/// In Å.
const FARTHEST: f64 = 4.0;
/// At the halogen and at the acceptor, in degrees.
const AT_HALOGEN: f64 = 140.0;
const AT_ACCEPTOR: std::ops::RangeInclusive<f64> = 80.0..=150.0;

pub(super) fn find(search: &Search, found: &mut Vec<Interaction>) {
    let system = &search.system;
    for near in search.dry().filter(|near| near.distance <= FARTHEST) {
        for (halogen, acceptor) in [(near.a, near.b), (near.b, near.a)] {
            let accepts = search.chemistry[acceptor as usize].accepts || system.element(acceptor) == S;
            if !system.element(halogen).is_heavy_halogen() || !accepts {
                continue;
            }
            let [(carbon, _)] = *system.bonds.of(halogen) else { continue };
            let at_halogen = angle(system.at(carbon), system.at(halogen), system.at(acceptor));
            let mut ends = system.bonds.of(acceptor).iter();
            let is_beside =
                |end: u32| AT_ACCEPTOR.contains(&angle(system.at(end), system.at(acceptor), system.at(halogen)));
            if system.element(carbon) == C && at_halogen >= AT_HALOGEN && ends.all(|&(end, _)| is_beside(end)) {
                let both = search.of_atoms(Kind::Halogen, halogen, acceptor, near.distance);
                found.push(Interaction { angle: at_halogen, ..both });
            }
        }
    }
}
