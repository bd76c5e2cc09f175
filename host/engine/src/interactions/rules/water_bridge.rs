//! Waters that two residues share.

use super::hbond::bond;
use crate::interactions::Interaction;
use crate::interactions::geometry::angle;
use crate::interactions::kinds::Kind;
use crate::interactions::search::Search;
use std::collections::BTreeMap;

/// Angles at the water, in degrees.
const ANGLES: std::ops::RangeInclusive<f64> = 75.0..=140.0;

pub(super) fn find(search: &Search, found: &mut Vec<Interaction>) {
    // The atoms that each water's oxygen is bonded to by hydrogens.
    let mut bonded: BTreeMap<u32, Vec<(u32, f64)>> = BTreeMap::new();
    for near in search.wet() {
        let wet = [near.a, near.b].map(|atom| search.system.is_water(atom));
        let (water, atom) = match wet {
            [true, false] => (near.a, near.b),
            [false, true] => (near.b, near.a),
            _ => continue,
        };
        if bond(search, water, atom, near.distance).or_else(|| bond(search, atom, water, near.distance)).is_some() {
            bonded.entry(water).or_default().push((atom, near.distance));
        }
    }
    for (water, mut atoms) in bonded {
        atoms.sort_by_key(|&(atom, _)| atom);
        for (k, &(a, to_a)) in atoms.iter().enumerate() {
            for &(b, to_b) in &atoms[k + 1..] {
                if search.residue(a) == search.residue(b) {
                    continue;
                }
                let angle = angle(search.system.at(a), search.system.at(water), search.system.at(b));
                if ANGLES.contains(&angle) {
                    let water = Some(search.residue(water));
                    let both = search.of_atoms(Kind::WaterBridge, a, b, to_a.max(to_b));
                    found.push(Interaction { angle, water, ..both });
                }
            }
        }
    }
}
