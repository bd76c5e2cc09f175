//! Metals and the atoms that bind them.

use crate::interactions::Interaction;
use crate::interactions::bonds::Link;
use crate::interactions::elements::{N, O, S, SE};
use crate::interactions::geometry::distance;
use crate::interactions::kinds::Kind;
use crate::interactions::search::Search;
use prism_read::LinkKind;
use std::collections::BTreeMap;

/// In Å.
const FARTHEST: f64 = 3.0;
/// Of large metals.
const FARTHEST_LARGE: f64 = 3.5;

pub(super) fn find(search: &Search, links: &[Link], found: &mut Vec<Interaction>) {
    let is_metal = |atom: u32| search.system.element(atom).is_metal();
    let mut bound: BTreeMap<(u32, u32), f64> =
        coordinated(search).map(|(metal, atom, distance)| ((metal, atom), distance)).collect();
    // What the file names as a metal's bond is one.
    for link in links.iter().filter(|link| link.kind == LinkKind::Metal) {
        let [a, b] = link.atoms;
        let (metal, atom) = if is_metal(a) { (a, b) } else { (b, a) };
        bound.entry((metal, atom)).or_insert_with(|| distance(search.system.at(a), search.system.at(b)));
    }
    found
        .extend(bound.into_iter().map(|((metal, atom), distance)| search.of_atoms(Kind::Metal, metal, atom, distance)));
}

/// Metals and the atoms near enough to bind them, with their distances.
pub(in crate::interactions) fn coordinated(search: &Search) -> impl Iterator<Item = (u32, u32, f64)> {
    let near = search.near().filter(|near| near.distance <= FARTHEST_LARGE);
    let ends = near.flat_map(|near| [(near.a, near.b, near.distance), (near.b, near.a, near.distance)]);
    ends.filter(|&(metal, atom, distance)| {
        let metal = search.system.element(metal);
        let farthest = if metal.is_large_metal() { FARTHEST_LARGE } else { FARTHEST };
        distance <= farthest && metal.is_metal() && binds(search, atom)
    })
}

/// Whether an atom has a lone pair for a metal.
fn binds(search: &Search, atom: u32) -> bool {
    let (element, own) = (search.system.element(atom), search.chemistry[atom as usize]);
    match element {
        // Imidazoles and amines bind without the proton that they may have.
        N => own.accepts || !own.hydrogens.is_planar && own.donates,
        O | S | SE => true,
        element => element.is_halogen(),
    }
}
