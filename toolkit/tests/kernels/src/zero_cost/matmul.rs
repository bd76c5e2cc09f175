//! A product of matrices, with tiles in shared memory and in registers.

use bytemuck::{Pod, Zeroable};
use cuda_layout::DeviceLayout;
use cuda_std::prelude::*;

/// Four neighbouring elements of a row: one load or store.
#[derive(Clone, Copy, Debug, PartialEq, DeviceLayout, Zeroable, Pod)]
#[repr(C, align(16))]
pub struct Quad {
    /// The elements.
    pub elements: [f32; 4],
}

/// A thread's state.
struct Own {
    sums: [[f32; 8]; 8],
    /// Elements of A and B for the next iteration.
    loaded: (Quad, Quad),
}

/// C = A B for row-major matrices of `n` rows and columns, a multiple of 128. A block computes 128 x 128 elements, a thread
/// 8 x 8 neighbouring ones.
///
/// An iteration loads eight columns of A, transposed, and eight rows of B into shared memory. Quads of B that are 2 apart
/// are stored side by side, which avoids bank conflicts.
#[kernel(
    threads = 256,
    blocks_per_sm = 2,
    requires(
        n > 0 && n.is_multiple_of(128) && c.columns() * 4 == n as usize && c.rows() == n as usize,
        a.len() == c.len() && b.len() == c.len(),
    )
)]
pub fn safe_matmul(
    block: &mut Block,
    c: &mut Tile2d<Quad, 128, 32, WriteOnly>,
    a: &[Quad],
    b: &[Quad],
    n: u32,
    left: &mut Shared<f32, 2048>,
    right: &mut Shared<Quad, 512>,
) {
    let (a, b, first_quad) = (Table::new(a, n, n / 4), Table::new(b, n, n / 4), c.first_column());
    let across = a.windows_across::<128, 2>(c.first_row());
    let windows = |turn: u32| (across.window(turn), b.window::<8, 32>(turn * 8, first_quad));
    let load = |thread: Thread, (a, b): &(Window<Quad, 128, 2>, Window<Quad, 8, 32>)| {
        let t = thread.index();
        (a.at(t / 2 % 128, t % 2), b.at(t / 32 % 8, t % 16 * 2 + t % 32 / 16))
    };
    let first = windows(0);
    let mut state = block.per_thread(|t| Own { sums: [[0.0; 8]; 8], loaded: load(t, &first) });
    let (mut left, mut right) = (left.halves(block), right.halves(block));
    for turn in 0..across.count() {
        // Checked before the barrier; the last turn checks its own again.
        let next = windows((turn + 1).min(across.count() - 1));
        let left = left.write_columns::<8, 128, 4, _>(block, &state, |_, own| own.loaded.0.elements);
        let right = right.write(block, 256, &state, |_, own| own.loaded.1);
        let (left, right) = block.meet((left, right));
        let left = left.arrays::<4>();
        if turn + 1 < across.count() {
            // Loads the next tiles during the computation.
            block.each(&mut state, |t, own| own.loaded = load(t, &next));
        }
        block.each(&mut state, |t, own| {
            let (y, x) = (t.index() / 16 % 16, t.index() % 16);
            // Unrolled by a macro: as calls of a closure the steps took 5% longer, because of the registers that the assembler chose.
            macro_rules! steps {
                ($($k:literal)*) => {$(
                    let above = [left.part($k * 32, 31).get(y * 2), left.part($k * 32 + 1, 31).get(y * 2)];
                    let across = [right.part($k * 32, 16).get(x), right.part($k * 32 + 16, 16).get(x)];
                    math::add_outer(&mut own.sums, bytemuck::cast(above), bytemuck::cast(across));
                )*};
            }
            steps!(0 1 2 3 4 5 6 7);
        });
    }
    c.write::<8, 2, _>(block, &state, |_, own, i, j| Quad { elements: own.sums[i as usize].as_chunks().0[j as usize] });
}
