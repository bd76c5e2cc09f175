//! Atoms that are too near for their radii.

use crate::interactions::Interaction;
use crate::interactions::kinds::Kind;
use crate::interactions::search::Search;

/// Overlaps from here on are clashes, in Å.
const OVERLAP: f64 = 0.6;
/// What a hydrogen bond may overlap besides.
const HYDROGEN_BOND: f64 = 0.4;

pub(super) fn find(search: &Search, found: &mut Vec<Interaction>) {
    for near in search.dry() {
        let radii = [near.a, near.b].map(|atom| search.system.element(atom).contact_radius());
        let [Some(a), Some(b)] = radii else { continue };
        let [one, other] = [near.a, near.b].map(|atom| search.chemistry[atom as usize]);
        let is_polar = one.donates && other.accepts || one.accepts && other.donates;
        let allowed = OVERLAP + if is_polar { HYDROGEN_BOND } else { 0.0 };
        if a + b - near.distance >= allowed && !search.system.bonds.are_near(near.a, near.b) {
            found.push(search.of_atoms(Kind::Clash, near.a, near.b, near.distance));
        }
    }
}
