//! A launch uses the lengths in the kernel's function. If a name means something else in the module that the attribute makes,
//! the launch does not compile.
#![allow(unused_braces)]
const N: usize = 64;

/// In the module that the attribute makes, `super` is this one.
mod by_path {
    use cuda_std::prelude::*;

    pub const N: usize = 8;

    #[kernel(threads = 32)]
    pub fn chunk(block: &mut Block, out: &mut Chunk<u32, { super::N }>) {
        let n = out.len();
        out.fill(block, n, |_| N as u32);
    }
}

mod by_path_in_a_tile {
    use cuda_std::prelude::*;

    pub const N: usize = 8;

    #[kernel(threads = 32)]
    pub fn tile(block: &mut Block, out: &mut Tile2d<u32, { super::N }, 8>) {
        out.fill(block, |_, _| 1);
    }
}

mod by_alias {
    use cuda_std::{Block, kernel};

    type Chunk<'a, T, const N: usize> = cuda_std::Chunk<'a, T, 1024>;

    #[kernel(threads = 32)]
    pub fn alias(block: &mut Block, out: &mut Chunk<u32, 8>) {
        let _ = (block, out);
    }
}

mod shared_by_alias {
    use cuda_std::{Block, Chunk, kernel};

    type Shared<T, const N: usize> = cuda_std::Shared<T, 1024>;
    type DynamicShared<T> = cuda_std::DynamicShared<[T; 64]>;

    #[kernel(threads = 32)]
    pub fn shared(
        block: &mut Block,
        out: &mut Chunk<u32, 8>,
        array: &mut Shared<u32, 8>,
        more: &mut DynamicShared<u32>,
    ) {
        let _ = (block, out, array, more);
    }
}

fn main() {}
