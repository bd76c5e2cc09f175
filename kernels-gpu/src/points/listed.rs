//! Points in the order of the file, for output.

use super::{PointAtom, Spot};
use crate::atoms::cells::Cells;
use crate::scratch::{CellWords, Frame};
use cuda_std::prelude::*;
use shared_types::site_model::CAPACITY;
use shared_types::{AtomPoints, BatchStructureDesc};

/// Writes the points of heavy atoms in the order of the file. Block `i` takes structure `i`.
///
/// - `atom_points`: one element per heavy atom, in the order of the file.
/// - `spots`: the result of [`fn@crate::site_point_scores`]; `point_atoms` and the others are those it read.
#[kernel(threads = 256, blocks_per_sm = 4)]
pub fn site_point_list(
    block: &mut Block,
    atom_points: &mut Segment<AtomPoints>,
    spots: &[Spot],
    point_atoms: &[PointAtom],
    descriptors: &[BatchStructureDesc],
    cells: &[CellWords],
    frames: &[Frame],
    frame: &mut Shared<Frame, 1>,
) {
    let (n, first, index) = (atom_points.len(), atom_points.start(), block.index());
    if n != descriptors.at(index).n_atoms {
        panic!("one element per heavy atom");
    }
    let frame = frame.fill(block, 1, |_| frames.at(index));
    let cells = Cells::of(View::of(cells.part(first, n).as_flattened()), n, &frame);
    let point_atoms = View::of(point_atoms.part(first, n));
    atom_points.fill(block, n, |i| {
        let own = point_atoms.get(cells.rank.get(i));
        let count = own.count();
        AtomPoints {
            directions: own.directions(),
            scores: core::array::from_fn::<u32, { CAPACITY as usize }, _>(|k| {
                if (k as u32) < count { spots.at(own.first + k as u32).score } else { 0 }
            }),
        }
    });
}
