//! From rows to columns: what leaves the device is what was asked for, column by column.
//!
//! A structure's values lie together: all of its first column, then all of its second, and so on. So a part of a batch is
//! copied in one piece, and who writes a column finds it in one piece, too.

use crate::scratch::Taken;
use cuda_std::prelude::*;
use shared_types::feature::{BackboneRow, column};
use shared_types::{BatchStructureDesc, FeatureRow, PositionRow};

/// A kernel for each group of features, which takes columns from its rows.
macro_rules! columns {
    ($($kernel:ident of $row:ident $(, states in $states:expr)?;)*) => {$(
        /// Takes columns from rows of a group: block `i` takes structure `i`.
        ///
        /// - `values`: as many elements a residue as there are columns of all groups.
        /// - `rows`: the group's.
        /// - `columns`: which of the rows' columns, in the order of the output.
        /// - `descriptors`: as in the fused kernel.
        #[kernel(threads = 256, blocks_per_sm = 8)]
        pub fn $kernel(
            block: &mut Block,
            values: &mut Segment<f32>,
            rows: &[$row],
            columns: &[u32],
            descriptors: &[BatchStructureDesc],
            taken: Taken,
        ) {
            let structure = descriptors.at(block.index());
            let n = structure.n_residues;
            let rows = rows.part(structure.ca_offset, n);
            let mut values = values.whole();
            let (_, mut own) = values.split_at(taken.first * n);
            own.fill(block, columns.len() as u32 * n, |k| {
                let value = rows.at(k % n).columns.at(columns.at(k / n));
                $(
                    // What stands for a state is no magnitude.
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
}

/// A finite value of a magnitude below `least` is 0. The last step: nothing is computed from the result.
#[inline(always)]
fn drop_small(value: f32, least: f32) -> f32 {
    if value.abs() < least { 0.0 } else { value }
}
