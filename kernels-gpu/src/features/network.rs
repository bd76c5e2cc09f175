//! Columns from the contact graph.

use super::{Rows, TEAM};
use crate::graph::{ContactGraph, Neighbours};
use crate::scratch::AlphaCarbon;
use bytemuck::{Pod, Zeroable};
use cuda_std::math::NAN;
use cuda_std::prelude::*;
use shared_types::FeatureRow;
use shared_types::feature::column;

/// Contacts at least this many rows away are long-range.
const LONG_RANGE: u32 = 12;

/// A residue's sums over its contacts. Counts are exact up to 2^24.
#[derive(Clone, Copy, Zeroable, Pod)]
#[repr(C)]
struct Contacts {
    /// Contacts among the contacts.
    edges: f32,
    long_range: f32,
    same_chain: f32,
    /// Sum of row distances to contacts of the same chain.
    distance: f32,
    bfactor_z: f32,
    with_bfactor: f32,
}

impl Contacts {
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        Self {
            edges: self.edges + other.edges,
            long_range: self.long_range + other.long_range,
            same_chain: self.same_chain + other.same_chain,
            distance: self.distance + other.distance,
            bfactor_z: self.bfactor_z + other.bfactor_z,
            with_bfactor: self.with_bfactor + other.with_bfactor,
        }
    }
}

/// Adds candidate number `k` for a contact.
#[inline(always)]
fn step(mut sums: Contacts, near: &Neighbours, bfactor_z: View<f32>, k: u32) -> Contacts {
    let Some(j) = near.get(k) else { return sums };
    let (graph, other) = (near.graph, near.graph.alpha_carbons.get(j));
    let (same, apart) = (near.carbon.same_chain(other), near.i.abs_diff(j));
    if !same || apart >= LONG_RANGE {
        sums.long_range += 1.0;
    }
    if same {
        sums.same_chain += 1.0;
        sums.distance += apart as f32;
    }
    let z = bfactor_z.get(j);
    if !z.is_nan() {
        sums.bfactor_z += z;
        sums.with_bfactor += 1.0;
    }
    near.before(k, |before| {
        if other.to(graph.alpha_carbons.get(before)).norm2() < graph.radius2 {
            sums.edges += 1.0;
        }
    });
    sums
}

/// Whether the structure has more than one chain.
#[inline(always)]
pub fn has_several_chains<V>(block: &mut Block, n: u32, alpha_carbons: View<AlphaCarbon>) -> bool {
    block.reduce(n, 0u32, |i| u32::from(!alpha_carbons.get(i).same_chain(alpha_carbons.get(0))), |a, b| a | b) != 0
}

/// Counts the rows of each chain, by its number.
#[inline(always)]
pub fn count_rows_of_chains<V>(
    block: &mut Block,
    n: u32,
    alpha_carbons: View<AlphaCarbon>,
    chain_rows: &mut Segment<u32>,
) {
    chain_rows.fill(block, n, |_| 0);
    chain_rows.update_atomic(block, n, |thread, rows, i| {
        let chain = alpha_carbons.get(i).chain();
        // A structure has no more chains than rows, but their numbers may have gaps.
        if chain < n {
            rows.add(thread, chain, 1);
        }
    });
}

/// The sizes of the chains of a block's first and last rows, which a core counts once. A device counts for each row.
#[cfg(not(target_arch = "nvptx64"))]
struct ChainSizes([(AlphaCarbon, f32); 2]);

#[cfg(not(target_arch = "nvptx64"))]
impl ChainSizes {
    #[inline(always)]
    fn new(rows: Rows, alpha_carbons: View<AlphaCarbon>) -> Self {
        let size_of = |at: u32| {
            let own = alpha_carbons.get(rows.row(at));
            let mut size = 0u32;
            for j in 0..rows.all {
                size += u32::from(alpha_carbons.get(j).same_chain(own));
            }
            (own, size as f32)
        };
        let (first, last) = (size_of(0), rows.count - 1);
        // A block mostly has rows of one chain.
        let one_chain = first.0.same_chain(alpha_carbons.get(rows.row(last)));
        Self([first, if one_chain { first } else { size_of(last) }])
    }

    /// The size of a residue's chain, if it was counted.
    #[inline(always)]
    fn of(&self, carbon: AlphaCarbon) -> Option<f32> {
        let known = |(own, size): (AlphaCarbon, f32)| own.same_chain(carbon).then_some(size);
        known(self.0[0]).or_else(|| known(self.0[1]))
    }
}

/// Columns `contact_number`, `long_range_contacts`, `contact_order`, `clustering`, `bfactor_z` and `bfactor_local`.
///
/// `chain_rows` is the result of [`count_rows_of_chains`], if it is there.
#[inline(always)]
pub fn features<V>(
    block: &mut Block,
    graph: ContactGraph,
    rows: Rows,
    (several_chains, chain_rows): (bool, Option<View<u32>>),
    bfactor_z: View<f32>,
    output: &mut Segment<FeatureRow>,
) {
    #[cfg(not(target_arch = "nvptx64"))]
    let sizes =
        (several_chains && chain_rows.is_none() && rows.count > 0).then(|| ChainSizes::new(rows, graph.alpha_carbons));
    output.update_by_team::<TEAM, _>(
        block,
        rows.count,
        |team, at| {
            let i = rows.row(at);
            let near = graph.of(i);
            let chain = near.carbon.chain();
            let counted = chain_rows.filter(|rows| chain < rows.len()).map(|rows| rows.get(chain) as f32);
            #[cfg(not(target_arch = "nvptx64"))]
            let counted = counted.or_else(|| sizes.as_ref().and_then(|sizes| sizes.of(near.carbon)));
            let sums = team.reduce_long(
                near.candidates(),
                Contacts::zeroed(),
                |sums, k| step(sums, &near, bfactor_z, k),
                Contacts::plus,
            );
            let chain = if !several_chains {
                rows.all as f32
            } else if let Some(size) = counted {
                size
            } else {
                team.reduce(
                    rows.all,
                    0.0,
                    |rows, j| if graph.alpha_carbons.get(j).same_chain(near.carbon) { rows + 1.0 } else { rows },
                    |a, b| a + b,
                )
            };
            (i, sums, chain)
        },
        |(i, sums, chain), row| {
            let exists = graph.alpha_carbons.get(i).exists();
            let known = |x: f32| if exists { x } else { NAN };
            let degree = graph.degree(i) as f32;
            let order = if sums.same_chain > 0.0 { sums.distance / sums.same_chain / chain } else { 0.0 };
            let clustering = if degree < 2.0 { 0.0 } else { 2.0 * sums.edges / (degree * (degree - 1.0)) };
            let z = bfactor_z.get(i);
            let (z_sum, z_count) = if z.is_nan() {
                (sums.bfactor_z, sums.with_bfactor)
            } else {
                (sums.bfactor_z + z, sums.with_bfactor + 1.0)
            };
            let columns = &mut row.columns;
            columns[column::CONTACT_NUMBER] = known(degree);
            columns[column::LONG_RANGE_CONTACTS] = known(sums.long_range);
            columns[column::CONTACT_ORDER] = known(order);
            columns[column::CLUSTERING] = known(clustering);
            columns[column::BFACTOR_Z] = z;
            columns[column::BFACTOR_LOCAL] = known(if z_count > 0.0 { z_sum / z_count } else { NAN });
        },
    );
}
