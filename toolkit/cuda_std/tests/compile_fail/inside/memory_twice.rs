//! There is one `Part` of a memory at a time. Hidden methods give no second one, and no access to an output's content.
#![deny(unsafe_code)]
use cuda_std::prelude::*;

fn again<M: BlockMemory>(memory: &M) -> M::Resolved {
    memory.resolved()
}

fn untouched<M: BlockMemory>(memory: &mut M) -> bool {
    memory.claim()
}

#[kernel(threads = 32)]
fn alias(block: &mut Block, out: &mut Chunk<u32, 64>) {
    let mut writer = again(out);
    let reader = again(out);
    writer.fill(block, 64, |i| reader.get(63 - i) + 1);
}

#[kernel(threads = 32)]
fn beyond(
    block: &mut Block,
    out: &mut Chunk<u32, 1>,
    starts: &mut Shared<u32, 4>,
    none: &mut Shared<u32, 32>,
    far: u32,
) {
    let starts = starts.fill(block, 4, |g| [0, 4, 4, 4][g as usize]);
    let mut same = again(&starts);
    same.write_parts_by_warp_with(block, &starts, (&mut *none,), |warp, _, part| {
        part.set(warp, 2, far);
    });
    out.set(block, 0, 1);
}

#[kernel(threads = 32)]
fn another_core(block: &mut Block, out: &mut Chunk<[u32; 16], 1>) {
    let (mut writer, reader) = (again(out), again(out));
    std::thread::scope(|scope| {
        scope.spawn(move || reader.get(0));
        writer.fill(block, 1, |_| [1; 16]);
    });
}

#[kernel(threads = 32)]
fn read_what_is_written_only(block: &mut Block, out: &mut Chunk<u32, 64, WriteOnly>) {
    let content = again(out);
    out.fill(block, 64, |i| content.get(i));
}

fn main() {}
