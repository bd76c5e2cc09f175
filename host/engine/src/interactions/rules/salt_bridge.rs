//! Salt bridges: a cation's nearest atom and an anion's.

use crate::interactions::Interaction;
use crate::interactions::kinds::Kind;
use crate::interactions::search::{Near, Search};
use std::collections::BTreeMap;

/// In Å.
const FARTHEST: f64 = 4.5;

pub(super) fn find(search: &Search, found: &mut Vec<Interaction>) {
    let mut of_atom: Vec<Option<u32>> = vec![None; search.chemistry.len()];
    for (charge, index) in search.charges.iter().zip(0..) {
        charge.atoms.iter().for_each(|&atom| of_atom[atom as usize] = Some(index));
    }
    let mut nearest: BTreeMap<(u32, u32), Near> = BTreeMap::new();
    for near in search.dry().filter(|near| near.distance <= FARTHEST) {
        let (Some(a), Some(b)) = (of_atom[near.a as usize], of_atom[near.b as usize]) else { continue };
        let near = match [a, b].map(|charge| search.charges[charge as usize].is_positive) {
            [true, false] => near,
            [false, true] => Near { a: near.b, b: near.a, ..near },
            _ => continue,
        };
        let (Some(cation), Some(anion)) = (of_atom[near.a as usize], of_atom[near.b as usize]) else { continue };
        let least = nearest.entry((cation, anion)).or_insert(near);
        if near.distance < least.distance {
            *least = near;
        }
    }
    found.extend(nearest.values().map(|near| search.of_atoms(Kind::SaltBridge, near.a, near.b, near.distance)));
}
