//! Atoms in contact with a residue; a warp takes a residue.

use super::cells::{Bounds, Cells};
use super::{Inputs, square};
use crate::points::near;
use cuda_std::prelude::*;
use shared_types::Atom;

/// Atoms within 4.5 Å of each other are in contact.
const CONTACT: f32 = 4.5;
/// Room in a warp's list of atoms that may touch a residue, with its own.
pub const NEAR: usize = 256;

/// A residue among the atoms of its structure.
struct Residue<'a> {
    /// The range of its atoms.
    own: (u32, u32),
    /// The first and last of the residues whose contacts do not count: itself and those beside it.
    beside: (u32, u32),
    atoms: Clamped<'a, Atom>,
    owners: Clamped<'a, u32>,
}

/// The number of atoms in contact with residue `i`: those within [`CONTACT`] of one of its atoms, of residues that count
/// for it.
#[inline(always)]
pub fn of<V>(
    warp: &mut Warp,
    near: &mut WarpList<Pick>,
    i: u32,
    inputs: &Inputs,
    cells: &Cells,
    sorted: Clamped<Atom>,
    owners: Clamped<u32>,
) -> u32 {
    let own = inputs.atoms_of(i);
    let (first, end) = own;
    let residue = Residue { own, beside: inputs.beside(i), atoms: inputs.all(), owners };
    let bounds = Bounds::of_all::<V>(warp, end.wrapping_sub(first), |k| residue.atoms.get(first.wrapping_add(k)));
    near.clear(warp);
    let region = cells.within(&bounds, CONTACT);
    let rows = if first < end { region.rows() } else { 0 };
    let mut row = 0u32;
    while row < rows {
        let runs = near::runs::<V>(warp, cells, region, row, &bounds, CONTACT);
        near.push_ranges_where(warp, &sorted, &runs, |_, [x, y, z, _]| {
            bounds.distance2([x, y, z]) <= CONTACT * CONTACT
        });
        row = row.wrapping_add(32);
    }
    let near = near.items(warp);
    let mut count = 0u32;
    if near.is_complete() {
        let mut at = 0u32;
        while at < near.len() {
            let picks = near.picks(warp, &sorted, at);
            let [x, y, z, _] = picks.words();
            let n = near.len().wrapping_sub(at);
            count = count.wrapping_add(touching::<[V; 0]>(warp, &residue, picks.index(), [x, y, z], n));
            at = at.wrapping_add(32);
        }
        return count;
    }
    // The list has no room for all: test the atoms of the cells around directly.
    near::each_near::<[V; 1]>(warp, cells, &bounds, CONTACT, |warp, places, n| {
        let x = warp.map(places, |_, place| sorted.get(*place).x);
        let y = warp.map(places, |_, place| sorted.get(*place).y);
        let z = warp.map(places, |_, place| sorted.get(*place).z);
        count = count.wrapping_add(touching::<[V; 2]>(warp, &residue, places, [&x, &y, &z], n));
    });
    count
}

/// The number of atoms in contact with the residue, among those of the first `n` lanes.
#[inline(always)]
fn touching<V>(warp: &mut Warp, residue: &Residue, place: &PerLane<u32>, [x, y, z]: [&PerLane<f32>; 3], n: u32) -> u32 {
    let (first, end) = residue.own;
    let mut touches = warp.per_lane(|_| false);
    for own in first..end {
        let own = residue.atoms.get(own);
        warp.each_with(&mut touches, (x, y, z), |_, touches, (x, y, z)| {
            *touches |= square([x - own.x, y - own.y, z - own.z]) <= CONTACT * CONTACT;
        });
    }
    warp.count((&touches, place), |lane, (touches, place)| {
        let owner = residue.owners.get(*place);
        (lane.index() < n) & *touches & ((owner < residue.beside.0) | (owner > residue.beside.1))
    })
}
