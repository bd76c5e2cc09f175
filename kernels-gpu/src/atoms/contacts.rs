//! Which residues an atom touches: the atoms of a cell ask together.

use super::neighbours::{Around, Cell};
use super::{Inputs, cells, distance2, square};
use cuda_std::prelude::*;
use shared_types::Atom;

/// Atoms within 4.5 Å of each other are in contact.
const CONTACT: f32 = 4.5;
/// Atoms in contact with one of a cell's that there is room for; real cells have up to about 130.
pub const TOUCHED: usize = 192;
/// Residues of those, of which some come more than once.
pub const RESIDUES: usize = 64;
// Those that touch lie in the rows next to the cell.
const _: () = assert!(CONTACT < cells::EDGE);

/// Adds the atoms of a cell to the contacts of each residue that they touch, each atom once. False, with nothing added,
/// where there is no room for all that they touch.
#[inline(always)]
pub fn count<V>(
    warp: &mut Warp,
    (owned, touching, residues): (&mut WarpList<u32>, &mut WarpList<u32>, &mut WarpList<u32>),
    cell: &Cell,
    around: &Around,
    contacts: &Atomics<u32>,
) -> bool {
    // 32 atoms of the cell at a time, a bit each. Most cells have fewer; in one that has more, all must find room.
    if cell.n > 32 {
        return false;
    }
    owned.clear(warp);
    touching.clear(warp);
    residues.clear(warp);
    let mut begin = 0u32;
    while begin < cell.close {
        let first = begin;
        let is_one = |lane: Lane| first.wrapping_add(lane.index()) < cell.close;
        let picks = cell.candidates.picks(warp, &around.sorted, first);
        let [x, y, z, _] = picks.words();
        begin = begin.wrapping_add(32);
        let is_near = |_: Lane, (x, y, z): (&f32, &f32, &f32)| cell.bounds.distance2([*x, *y, *z]) <= CONTACT * CONTACT;
        if !warp.any((x, y, z), is_near) {
            continue;
        }
        let mut touched = warp.per_lane(|_| 0u32);
        for k in 0..cell.n {
            let (own, bit) = (around.sorted.get(cell.first.wrapping_add(k)), 1u32.wrapping_shl(k));
            warp.each_with(&mut touched, (x, y, z), |_, touched, (x, y, z)| {
                let d2 = square([*x - own.x, *y - own.y, *z - own.z]);
                *touched |= if d2 <= CONTACT * CONTACT { bit } else { 0 };
            });
        }
        let owners = warp.map(picks.index(), |_, place| around.owners.get(*place));
        owned.push_where(warp, &owners, &touched, |lane, touched| is_one(lane) & (*touched != 0));
        touching.push_where(warp, &touched, &touched, |lane, touched| is_one(lane) & (*touched != 0));
        // Each residue once, of those here.
        let asked = warp.map((&owners, &touched), |lane, (owner, touched)| {
            // Those that do not count have numbers that no residue has.
            if is_one(lane) & (*touched != 0) { *owner } else { !lane.index() }
        });
        let same = warp.match_any(&asked);
        residues.push_where(warp, &owners, (&same, &touched), |lane, (same, touched)| {
            is_one(lane) & (*touched != 0) & (same.trailing_zeros() == lane.index())
        });
    }
    let (owned, touching, residues) = (owned.items(warp), touching.items(warp), residues.items(warp));
    if !(owned.is_complete() && residues.is_complete()) {
        return false;
    }
    let mut pass = 0u32;
    while pass < residues.len() {
        let numbers = residues.by_lane(warp, pass);
        add::<V>(warp, cell, around, contacts, (owned, touching, residues), &numbers, pass);
        pass = pass.wrapping_add(32);
    }
    true
}

/// Adds what touches the residues in `numbers`, those from `pass` on: a lane has one.
#[inline(always)]
fn add<V>(
    warp: &mut Warp,
    cell: &Cell,
    around: &Around,
    contacts: &Atomics<u32>,
    (owned, touching, residues): (WarpItems<u32>, WarpItems<u32>, WarpItems<u32>),
    numbers: &PerLane<u32>,
    pass: u32,
) {
    // The first of those that are the same counts.
    let mut is_again = warp.per_lane(|lane| u32::from(pass.wrapping_add(lane.index()) >= residues.len()));
    for (k, other) in residues.range(0, residues.len()).enumerate() {
        warp.each_with(&mut is_again, numbers, |lane, is_again, own| {
            *is_again |= u32::from((k as u32) < pass.wrapping_add(lane.index())) & u32::from(*own == other);
        });
    }
    let mut touched = warp.per_lane(|_| 0u32);
    for (owner, atoms) in owned.range(0, owned.len()).zip(touching.range(0, touching.len())) {
        warp.each_with(&mut touched, numbers, |_, touched, own| *touched |= if *own == owner { atoms } else { 0 });
    }
    let chains = warp.map(numbers, |_, own| around.inputs.chain(*own));
    let mut apart = warp.per_lane(|_| 0u32);
    for k in 0..cell.n {
        let (owner, bit) = (around.owners.get(cell.first.wrapping_add(k)), 1u32.wrapping_shl(k));
        let chain = around.inputs.chain(owner);
        warp.each_with(&mut apart, (numbers, &chains), |_, apart, (own, own_chain)| {
            *apart |= if Inputs::are_apart_by((owner, chain), (*own, *own_chain)) { bit } else { 0 };
        });
    }
    warp.each_with(&mut touched, (&is_again, &apart), |_, touched, (is_again, apart)| {
        *touched = if *is_again == 0 { (*touched & apart).count_ones() } else { 0 };
    });
    warp.each_with(&mut touched, numbers, |lane, touched, own| {
        let row = around.inputs.row(*own);
        // (The last is always so; asked here, it ends no lane.)
        if *touched > 0 && row < contacts.len() {
            contacts.add(lane.thread(), row, *touched);
        }
    });
}

/// The same for one atom, where there is no room for what its cell touches: asks all residues.
#[inline(always)]
pub fn count_any<V>(warp: &mut Warp, (atom, owner): (Atom, u32), around: &Around, contacts: &Atomics<u32>) {
    let inputs = &around.inputs;
    warp.per_lane(|lane| {
        let mut residue = lane.index();
        while residue < inputs.structure().n_residues {
            if inputs.are_apart(owner, residue) && is_touched(inputs, residue, atom) {
                contacts.add(lane.thread(), inputs.row(residue), 1);
            }
            residue += 32;
        }
    });
}

/// Whether an atom is in contact with one of a residue's.
#[inline(always)]
fn is_touched(inputs: &Inputs, residue: u32, atom: Atom) -> bool {
    let (mut own, end) = inputs.atoms_of(residue);
    while own < end {
        if distance2(inputs.atom(own), atom) <= CONTACT * CONTACT {
            return true;
        }
        own += 1;
    }
    false
}
