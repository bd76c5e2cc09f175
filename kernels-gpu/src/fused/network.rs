//! The contact graph: alpha carbons are nodes, and closer than the contact threshold is an edge.

use super::TEAM;
use crate::scratch::Place;
use cuda_std::math::NAN;
use cuda_std::prelude::*;
use shared_types::FeatureRow;
use shared_types::feature::column;

/// Contacts at least this many rows away are long-range.
const LONG_RANGE: u32 = 12;

/// The contact graph of one structure.
#[derive(Clone, Copy)]
pub struct ContactGraph<'a> {
    /// Each residue's contacts, as far as there was room.
    pub lists: Lists<'a>,
    pub places: View<'a, Place>,
    /// Square of the contact threshold.
    pub radius: f32,
}

impl ContactGraph<'_> {
    /// Number of contacts of residue `i`.
    #[inline(always)]
    pub fn degree(&self, i: u32) -> u32 {
        self.lists.count(i)
    }

    /// Whether two different residues are in contact.
    #[inline(always)]
    fn in_contact(&self, i: u32, j: u32) -> bool {
        i != j && self.places.get(i).to(self.places.get(j)).norm2() < self.radius
    }

    /// Calls `visit` with every contact of residue `i`, in rising order.
    #[inline(always)]
    pub fn each_contact(&self, i: u32, mut visit: impl FnMut(u32)) {
        if self.lists.is_complete(i) {
            for k in 0..self.lists.count(i) {
                visit(self.lists.get(i, k));
            }
        } else {
            for j in 0..self.lists.len() {
                if self.in_contact(i, j) {
                    visit(j);
                }
            }
        }
    }

    /// Number of edges between contact number `k` of residue `i` and the contacts before it.
    #[inline(always)]
    fn edges_before(&self, i: u32, k: u32) -> f32 {
        let mut edges = 0.0;
        if self.lists.is_complete(i) {
            let a = self.lists.get(i, k);
            for l in 0..k {
                if self.in_contact(a, self.lists.get(i, l)) {
                    edges += 1.0;
                }
            }
        } else if self.in_contact(i, k) {
            // Without a list, k counts through all residues.
            for j in 0..k {
                if self.in_contact(i, j) && self.in_contact(j, k) {
                    edges += 1.0;
                }
            }
        }
        edges
    }
}

/// Columns `contact_number`, `long_range_contacts`, `contact_order`, `clustering`, `bfactor_z` and `bfactor_local`.
#[inline(always)]
pub fn features(
    block: &mut Block,
    graph: ContactGraph,
    n: u32,
    bfactor_z: View<f32>,
    output: &mut Segment<FeatureRow>,
) {
    let several_chains =
        block.reduce(n, 0u32, |i| u32::from(!graph.places.get(i).same_chain(graph.places.get(0))), |a, b| a | b) != 0;
    output.update_by_team::<TEAM, _>(
        block,
        n,
        |team, i| {
            let degree = graph.degree(i);
            let candidates = if graph.lists.is_complete(i) { degree } else { n };
            let edges = team.reduce(candidates, 0.0, |sum, k| sum + graph.edges_before(i, k), |a, b| a + b);
            let here = graph.places.get(i);
            let chain = if several_chains {
                team.reduce(
                    n,
                    0.0,
                    |rows, j| if graph.places.get(j).same_chain(here) { rows + 1.0 } else { rows },
                    |a, b| a + b,
                )
            } else {
                n as f32
            };
            (i, edges, chain)
        },
        |(i, edges, chain), row| {
            let here = graph.places.get(i);
            let (mut long_range, mut in_chain, mut distance) = (0.0, 0.0, 0.0);
            let z = bfactor_z.get(i);
            let (mut z_sum, mut z_count) = if z.is_nan() { (0.0, 0.0) } else { (z, 1.0) };
            graph.each_contact(i, |j| {
                let same = graph.places.get(j).same_chain(here);
                let apart = i.abs_diff(j);
                if !same || apart >= LONG_RANGE {
                    long_range += 1.0;
                }
                if same {
                    in_chain += 1.0;
                    distance += apart as f32;
                }
                let z = bfactor_z.get(j);
                if !z.is_nan() {
                    z_sum += z;
                    z_count += 1.0;
                }
            });
            let degree = graph.degree(i) as f32;
            let known = |x: f32| if here.exists() { x } else { NAN };
            let columns = &mut row.columns;
            columns[column::CONTACT_NUMBER] = known(degree);
            columns[column::LONG_RANGE_CONTACTS] = known(long_range);
            columns[column::CONTACT_ORDER] = known(if in_chain > 0.0 { distance / in_chain / chain } else { 0.0 });
            columns[column::CLUSTERING] =
                known(if degree < 2.0 { 0.0 } else { 2.0 * edges / (degree * (degree - 1.0)) });
            columns[column::BFACTOR_Z] = z;
            columns[column::BFACTOR_LOCAL] = known(if z_count > 0.0 { z_sum / z_count } else { NAN });
        },
    );
}
