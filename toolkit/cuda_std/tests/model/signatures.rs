//! Signatures that kernels may have.
use cuda_std::prelude::*;

/// Documented and public, with no argument but the output, and the largest number of threads.
#[kernel(threads = 1024)]
pub fn largest(block: &mut Block, out: &mut Segment<u32>) {
    out.set(block, 0, 1);
}

/// Every kind of parameter, in any order, by path, with its bounds.
#[kernel(threads = 32, blocks_per_sm = 32)]
fn every(
    the_block: &mut cuda_std::Block,
    flag: u8,
    tile: &mut cuda_std::Shared<[f32; 4], { 2 * 8 }>,
    input: &[[f32; 2]],
    out: &mut cuda_std::Segment<'_, f64>,
    again: &mut Segment<i32>,
    matrix: [[f32; 3]; 3],
) {
    let tile = tile.fill(the_block, 16, |i| [i as f32; 4]);
    out.set(the_block, 0, f64::from(tile.get(3)[0]) + f64::from(input.at(0)[1]) + f64::from(matrix[2][1]));
    again.set(the_block, 0, i32::from(flag));
}

mod inner {
    use cuda_std::prelude::*;

    /// A kernel of a module.
    #[kernel(threads = 64)]
    pub(crate) fn hidden(block: &mut Block, out: &mut Segment<u32>) {
        out.set(block, 0, block_index(block));
    }

    fn block_index(block: &Block) -> u32 {
        block.index() + 5
    }
}

#[test]
fn kernels_have_any_of_these_signatures() {
    let one = Offsets::new(vec![0, 1]).unwrap();
    let mut first = [0];
    largest::launch(&CpuExecutor::new(), 1, largest::Args { out: Segments { data: &mut first, offsets: &one } })
        .unwrap();
    let (mut out, mut again) = ([0.0], [0]);
    every::launch(
        &CpuExecutor::new(),
        1,
        every::Args {
            flag: 9,
            input: &[[1.0, 20.0]],
            out: Segments { data: &mut out, offsets: &one },
            again: Segments { data: &mut again, offsets: &one },
            matrix: [[0.0; 3], [0.0; 3], [0.0, 100.0, 0.0]],
        },
    )
    .unwrap();
    let mut hidden = [0];
    inner::hidden::launch(
        &CpuExecutor::new(),
        1,
        inner::hidden::Args { out: Segments { data: &mut hidden, offsets: &one } },
    )
    .unwrap();
    assert_eq!((first, out, again, hidden), ([1], [123.0], [9], [5]));
}

mod keywords {
    use cuda_std::prelude::*;

    #[kernel(threads = 32, requires(r#in.len() == r#type.len()))]
    pub fn r#loop(r#gen: &mut Block, r#type: &mut Segment<u32>, r#in: &[u32], r#as: u32) {
        let n = r#type.len();
        r#type.fill(r#gen, n, |i| r#in.at(i) + r#as);
    }
}

#[test]
fn names_may_be_keywords() {
    use cuda_std::launch::Kernel;

    let (mut out, offsets) = ([0; 3], Offsets::new(vec![0, 3]).unwrap());
    let segments = Segments { data: &mut out[..], offsets: &offsets };
    let args = keywords::r#loop::Args { r#type: segments, r#in: &[1, 2, 3][..], r#as: 5 };
    keywords::r#loop::launch(&CpuExecutor::new(), 1, args).unwrap();
    assert_eq!(out, [6, 7, 8]);
    assert_eq!(keywords::r#loop::Kernel::NAME, "loop");
    assert_eq!(keywords::r#loop::Kernel::DESCRIPTION, "loop(type:&mut Segment<u32>;in:&[u32];as:u32;)x32 grid 1");
}
