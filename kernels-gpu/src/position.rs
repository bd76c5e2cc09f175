//! Positions of residues in the frame of their file.

use crate::items::WorkItem;
use cuda_std::math::{NAN, canonical};
use cuda_std::prelude::*;
use shared_types::feature::column;
use shared_types::{Atom, BatchStructureDesc, NO_CA, PositionRow};

/// Files give coordinates in units of 1 Å divided by this.
const PER_ANGSTROM: f64 = 1000.0;
/// Half of the largest spacing of `f32` relative to their magnitude: 2^-24.
const HALF_SPACING: f64 = 1.0 / 16_777_216.0;
/// Error allowed for sums in f64, far above the spacing of `f64` at 10^5 Å.
const SLACK: f64 = 1e-9;

/// Writes the position of every alpha carbon in the frame of its file, and copies the B column. Block `i` takes the rows of
/// item `i`.
///
/// - `output`: one row per residue.
/// - `centers`: per structure, the centre that was subtracted from its coordinates.
/// - `b_column`: per residue, the B column of the alpha carbon, or NaN.
/// - `atoms`, `ca_indices`, `descriptors`: as in the fused kernel.
#[kernel(threads = 128, blocks_per_sm = 8)]
pub fn residue_positions(
    block: &mut Block,
    output: &mut Segment<PositionRow>,
    items: &[WorkItem],
    atoms: &[Atom],
    ca_indices: &[u32],
    descriptors: &[BatchStructureDesc],
    centers: &[[f64; 3]],
    b_column: &[f32],
) {
    let item = items.at(block.index());
    let structure = descriptors.at(item.structure);
    let [x, y, z] = centers.at(item.structure);
    let rows = output.len();
    output.fill(block, rows, |at| {
        let row = structure.ca_offset + item.first + at;
        let mut columns = [NAN; 4];
        let ca = ca_indices.at(row);
        if ca != NO_CA {
            let atom = atoms.at(structure.atom_offset + ca);
            columns[column::B_FACTOR] = canonical(b_column.at(row));
            columns[column::CA_X] = in_file(atom.x, x) as f32;
            columns[column::CA_Y] = in_file(atom.y, y) as f32;
            columns[column::CA_Z] = in_file(atom.z, z) as f32;
        }
        PositionRow { columns }
    });
}

/// A coordinate in the frame of the file. `relative` was rounded to `f32`. Most files have three decimals; so if a value of
/// three decimals rounds to `relative`, that value is returned.
#[inline(always)]
pub fn in_file(relative: f32, center: f64) -> f64 {
    let sum = f64::from(relative) + center;
    let scaled = sum * PER_ANGSTROM;
    let nearest = (if scaled < 0.0 { scaled - 0.5 } else { scaled + 0.5 }) as i64 as f64 / PER_ANGSTROM;
    let (off, size) = (magnitude(sum - nearest), magnitude(f64::from(relative)));
    if off <= size * HALF_SPACING + SLACK { nearest } else { sum }
}

#[inline(always)]
fn magnitude(x: f64) -> f64 {
    if x < 0.0 { -x } else { x }
}
