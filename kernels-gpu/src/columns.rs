//! From rows to columns: only the requested columns leave the device.
//!
//! A structure's values are contiguous: its first column, then its second, and so on. So a part of a batch is copied in one
//! piece, and each column is contiguous for the writers. A block takes some of a structure's values, whatever their columns.

use crate::scratch::{Taken, WorkItem};
use cuda_std::math::NAN;
use cuda_std::prelude::*;
use shared_types::feature::{BackboneRow, NucleotideRow, column};
use shared_types::{BatchStructureDesc, FeatureRow, PositionRow};

/// One kernel for each group of features: it takes columns from the group's rows.
macro_rules! columns {
    ($($kernel:ident of $row:ident $(, states in $states:expr)?;)*) => {$(
        /// Takes columns from rows of a group: block `i` takes those values of item `i` that are the group's.
        ///
        /// - `values`: for each residue one element per requested column of all groups.
        /// - `rows`: the rows of the group.
        /// - `columns`: the columns to take, in the order of the output.
        /// - `descriptors`: as in the fused kernel.
        #[kernel(threads = 256, blocks_per_sm = 8)]
        pub fn $kernel(
            block: &mut Block,
            values: &mut Segment<f32>,
            rows: &[$row],
            columns: &[u32],
            items: &[WorkItem],
            descriptors: &[BatchStructureDesc],
            taken: Taken,
        ) {
            let item = items.at(block.index());
            let structure = descriptors.at(item.structure);
            let n = structure.n_residues;
            let rows = rows.part(structure.ca_offset, n);
            // The group's values, and those of them that are the item's, counted from the structure's first one.
            let first = taken.first * n;
            let end = first + columns.len() as u32 * n;
            let (from, to) = (first.max(item.first), end.min(item.first + values.len()));
            if from >= to {
                return;
            }
            let mut values = values.whole();
            let (_, mut own) = values.split_at(from - item.first);
            own.fill(block, to - from, |at| {
                let k = from - first + at;
                // By reference, so that one value of a row is read and not all.
                let row = rows.get((k % n) as usize);
                let value = row.map_or(NAN, |row| row.columns.at(columns.at(k / n)));
                $(
                    // Codes of states are not magnitudes.
                    if columns.at(k / n) == $states as u32 {
                        return value;
                    }
                )?
                drop_small(value, taken.least)
            });
        }
    )*};
}

columns! {
    residue_columns of FeatureRow;
    position_columns of PositionRow;
    backbone_columns of BackboneRow, states in column::SS;
    nucleotide_columns of NucleotideRow, states in column::PUCKER;
}

/// Replaces a finite value of a magnitude below `least` by 0. This is the last step: nothing is computed from the result.
#[inline(always)]
fn drop_small(value: f32, least: f32) -> f32 {
    if value.abs() < least { 0.0 } else { value }
}
