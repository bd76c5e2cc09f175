//! Contacts of hydrophobic atoms: the nearest of each pair of residues.

use crate::interactions::Interaction;
use crate::interactions::kinds::Kind;
use crate::interactions::search::{Near, Search};
use foldhash::{HashMap, HashMapExt as _};

/// In Å.
const FARTHEST: f64 = 4.5;

pub(super) fn find(search: &Search, found: &mut Vec<Interaction>) {
    let mut nearest: HashMap<(u32, u32), Near> = HashMap::new();
    for near in search.dry().filter(|near| near.distance <= FARTHEST) {
        if [near.a, near.b].iter().any(|&atom| !search.chemistry[atom as usize].is_hydrophobic) {
            continue;
        }
        let least = nearest.entry((search.residue(near.a), search.residue(near.b))).or_insert(near);
        if near.distance < least.distance {
            *least = near;
        }
    }
    let apart = nearest.into_iter().filter(|((a, b), _)| !search.system.are_joined(*a, *b));
    found.extend(apart.map(|(_, near)| search.of_atoms(Kind::Hydrophobic, near.a, near.b, near.distance)));
}
