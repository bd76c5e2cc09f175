//! The contact graph: its nodes are alpha carbons, and two that are closer than the contact threshold share an edge.

use crate::features::{Rows, TEAM};
#[cfg(not(target_arch = "nvptx64"))]
use crate::reach::WithinReach;
use crate::scratch::AlphaCarbon;
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

/// Lists the contacts of some rows.
#[inline(always)]
pub fn collect<'a, V>(
    block: &mut Block,
    rows: Rows,
    alpha_carbons: View<'a, AlphaCarbon>,
    contact_threshold: f32,
    contacts: &'a mut Segment<u32>,
) -> ContactGraph<'a> {
    let radius2 = contact_threshold * contact_threshold;
    // All rows of a small structure are near each other.
    #[cfg(not(target_arch = "nvptx64"))]
    let near = (rows.count < rows.all).then(|| {
        let all = alpha_carbons.clamped();
        WithinReach::new(rows.row(0), rows.count, rows.all, contact_threshold, |j| {
            let AlphaCarbon { x, y, z, .. } = all.get(j);
            [x, y, z]
        })
    });
    #[cfg(not(target_arch = "nvptx64"))]
    let may_be_near = |group: u32| near.is_none_or(|near| near.has(group));
    #[cfg(target_arch = "nvptx64")]
    let may_be_near = |_: u32| true;
    let all = alpha_carbons.part(0, rows.all);
    let lists = contacts.collect_some_of::<TEAM, _, _>(block, rows.count, all, may_be_near, |at| {
        let i = rows.row(at);
        let here = alpha_carbons.get(i);
        move |j, other| (i != j) & (here.to(other).norm2() < radius2)
    });
    ContactGraph { lists, alpha_carbons, radius2 }
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
