//! The contact graph: its nodes are alpha carbons, and two that are closer than the contact threshold share an edge.

use crate::boxes::{Boxes, FAN};
use crate::features::{Rows, TEAM};
use crate::scratch::AlphaCarbon;
use cuda_std::lists::*;
use cuda_std::prelude::*;

/// The contact graph of one structure.
#[derive(Clone, Copy)]
pub struct ContactGraph<'a> {
    /// Each residue's contacts, as many as there is room for.
    pub lists: Lists<'a>,
    pub alpha_carbons: View<'a, AlphaCarbon>,
    /// Square of the contact threshold.
    pub radius2: f32,
}

/// Lists the contacts of all rows.
#[inline(always)]
pub fn collect<'a, V>(
    block: &mut Block,
    n: u32,
    alpha_carbons: View<'a, AlphaCarbon>,
    contact_threshold: f32,
    contacts: &'a mut Segment<u32>,
) -> ContactGraph<'a> {
    let radius2 = contact_threshold * contact_threshold;
    let lists = contacts.collect_of::<TEAM, _, _>(block, n, alpha_carbons.part(0, n), |i| {
        let here = alpha_carbons.get(i);
        move |j, other| (i != j) & (here.to(other).norm2() < radius2)
    });
    ContactGraph { lists, alpha_carbons, radius2 }
}

/// Lists the contacts of some rows of a structure with a tree of boxes.
#[inline(always)]
pub fn collect_near<V>(
    block: &mut Block,
    rows: Rows,
    alpha_carbons: View<AlphaCarbon>,
    boxes: Boxes,
    contact_threshold: f32,
    contacts: &mut Segment<u32>,
) {
    let radius2 = contact_threshold * contact_threshold;
    contacts.collect_by_team::<TEAM>(block, rows.count, |team, at, list| {
        let i = rows.row(at);
        let here = alpha_carbons.get(i).position();
        let mut near = boxes.near::<V>(team, here, radius2);
        while let Some(leaf) = near.next::<V>(team) {
            let contacts = boxes.nearer::<V>(team, leaf, here, radius2);
            let itself = if i / FAN == leaf { 1 << (i % FAN) } else { 0 };
            list.push(FAN.wrapping_mul(leaf), contacts & !itself);
        }
    });
}

impl<'a> ContactGraph<'a> {
    /// Number of contacts of residue `i`.
    #[inline(always)]
    pub fn degree(&self, i: u32) -> u32 {
        self.lists.count(i)
    }

    /// Whether two different residues are in contact.
    #[inline(always)]
    fn in_contact(&self, i: u32, j: u32) -> bool {
        i != j && self.alpha_carbons.get(i).to(self.alpha_carbons.get(j)).norm2() < self.radius2
    }

    /// Sum of a vector's elements over the contacts of residue `i`: a row of the adjacency matrix times the vector.
    #[inline(always)]
    pub fn sum_over_contacts(self, i: u32, element: impl Fn(u32) -> f32) -> f32 {
        let mut sum = 0.0;
        let near = self.of(i);
        near.before(near.candidates(), |j| sum += element(j));
        sum
    }

    /// The contacts of residue `i`.
    #[inline(always)]
    pub fn of(self, i: u32) -> Neighbours<'a> {
        Neighbours { graph: self, i, carbon: self.alpha_carbons.get(i), listed: self.lists.is_complete(i) }
    }
}

/// The contacts of one residue: the items of its list, or, if the list has too little room, all residues that are near.
#[derive(Clone, Copy)]
pub struct Neighbours<'a> {
    pub graph: ContactGraph<'a>,
    pub i: u32,
    pub carbon: AlphaCarbon,
    listed: bool,
}

impl Neighbours<'_> {
    /// The number of candidates of [`get`](Self::get).
    #[inline(always)]
    pub fn candidates(&self) -> u32 {
        if self.listed { self.graph.lists.count(self.i) } else { self.graph.lists.len() }
    }

    /// Candidate number `k`, if it is a contact.
    #[inline(always)]
    pub fn get(&self, k: u32) -> Option<u32> {
        if self.listed {
            Some(self.graph.lists.get(self.i, k))
        } else if self.graph.in_contact(self.i, k) {
            Some(k)
        } else {
            None
        }
    }

    /// Calls `visit` with the contacts among the first `k` candidates.
    #[inline(always)]
    pub fn before(&self, k: u32, mut visit: impl FnMut(u32)) {
        if self.listed {
            self.graph.lists.first(self.i, k, visit);
        } else {
            for j in 0..k {
                if self.graph.in_contact(self.i, j) {
                    visit(j);
                }
            }
        }
    }
}
