//! A kernel makes its groups, so it must see their fields.
#![allow(unused_variables, dead_code)]

use cuda_std::prelude::*;

mod elsewhere {
    use cuda_std::prelude::*;

    #[derive(Arguments)]
    pub struct Group<'a> {
        pub input: &'a [f32],
        hidden: u32,
    }
}

use elsewhere::Group;

#[kernel(threads = 32)]
fn kernel(block: &mut Block, out: &mut Chunk<f32, 32>, group: Group<'_>) {}

fn main() {}
