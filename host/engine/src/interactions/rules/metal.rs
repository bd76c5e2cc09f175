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
    let mut bound: BTreeMap<(u32, u32), f64> = BTreeMap::new();
    let is_metal = |atom: u32| search.system.element(atom).is_metal();
    for near in &search.near {
        for (metal, atom) in [(near.a, near.b), (near.b, near.a)] {
            let farthest = if search.system.element(metal).is_large_metal() { FARTHEST_LARGE } else { FARTHEST };
            if is_metal(metal) && near.distance <= farthest && binds(search, atom) {
                bound.insert((metal, atom), near.distance);
            }
        }
    }
    // What the file names as a metal's bond is one.
    for link in links.iter().filter(|link| link.kind == LinkKind::Metal) {
        let [a, b] = link.atoms;
        let (metal, atom) = if is_metal(a) { (a, b) } else { (b, a) };
        bound.entry((metal, atom)).or_insert_with(|| distance(search.system.at(a), search.system.at(b)));
    }
    found
        .extend(bound.into_iter().map(|((metal, atom), distance)| search.of_atoms(Kind::Metal, metal, atom, distance)));
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
