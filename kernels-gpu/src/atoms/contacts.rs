//! How many atoms touch a residue: a warp asks for one.

use super::cells::{Bounds, Cells};
use super::{Inputs, square};
use crate::points::near;
use cuda_std::prelude::*;
use shared_types::Atom;

/// Atoms within 4.5 Å of each other are in contact.
const CONTACT: f32 = 4.5;
/// Atoms that may touch a residue, for which a warp has room at a time.
pub const NEAR: usize = 96;

/// How many atoms of residues that count for residue `i` are in contact with one of its own.
#[inline(always)]
pub fn of<V>(
    warp: &mut Warp,
    near: &mut WarpList<[f32; 4]>,
    i: u32,
    inputs: &Inputs,
    cells: &Cells,
    sorted: Clamped<Atom>,
    owners: Clamped<u32>,
) -> u32 {
    let (first, end) = inputs.atoms_of(i);
    let atoms = inputs.all();
    let chain = inputs.chain(i);
    let own = warp.per_lane(|lane| {
        let (mut bounds, mut k) = (Bounds::NOTHING, first.wrapping_add(lane.index()));
        while k < end {
            bounds = bounds.and(Bounds::of(atoms.get(k)));
            k = k.wrapping_add(32);
        }
        bounds
    });
    let bounds = warp.reduce(&own, Bounds::and);
    near.clear(warp);
    let (mut listed, mut count, mut row) = (0u32, 0u32, 0u32);
    let region = cells.within(&bounds, CONTACT);
    while first < end && row < region.rows() {
        let runs = near::runs::<V>(warp, cells, region, row, &bounds, CONTACT);
        near::each(warp, &runs, |warp, at, n| {
            let place = warp.per_lane(|lane| at.wrapping_add(lane.index()));
            let others = warp.map(&place, |_, place| {
                let Atom { x, y, z, radius } = sorted.get(*place);
                [x, y, z, radius]
            });
            let may_touch = warp.map((&place, &others), |lane, (place, [x, y, z, _])| {
                let owner = owners.get(*place);
                let is_near = (lane.index() < n) & (bounds.distance2([*x, *y, *z]) <= CONTACT * CONTACT);
                is_near && Inputs::are_apart_by((i, chain), (owner, inputs.chain(owner)))
            });
            if listed > near.capacity() - 32 {
                count = count.wrapping_add(touching::<[V; 0]>(warp, near, atoms, first, end));
                listed = 0;
            }
            listed = listed.wrapping_add(warp.count(&may_touch, |_, may_touch| *may_touch));
            near.push_where(warp, &others, &may_touch, |_, may_touch| *may_touch);
        });
        row = row.wrapping_add(32);
    }
    count.wrapping_add(touching::<[V; 1]>(warp, near, atoms, first, end))
}

/// How many atoms of a list are in contact with one of those from `first` to before `end`; empties the list.
#[inline(always)]
fn touching<V>(warp: &mut Warp, near: &mut WarpList<[f32; 4]>, atoms: Clamped<Atom>, first: u32, end: u32) -> u32 {
    let others = near.items(warp);
    let (mut count, mut at) = (0u32, 0u32);
    while at < others.len() {
        let turn = others.by_lane(warp, at);
        let mut touches = warp.per_lane(|_| false);
        for own in first..end {
            let own = atoms.get(own);
            warp.each_with(&mut touches, &turn, |_, touches, [x, y, z, _]| {
                *touches |= square([x - own.x, y - own.y, z - own.z]) <= CONTACT * CONTACT;
            });
        }
        let left = others.len().wrapping_sub(at);
        count = count.wrapping_add(warp.count(&touches, |lane, touches| *touches & (lane.index() < left)));
        at = at.wrapping_add(32);
    }
    near.clear(warp);
    count
}
