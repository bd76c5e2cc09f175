//! A device's memory is aligned to 256 bytes.
use cuda_layout::DeviceLayout;
use cuda_std::prelude::*;

#[derive(Clone, Copy, DeviceLayout, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(512))]
struct Page {
    words: [u32; 128],
}

#[kernel(threads = 32)]
fn pages(block: &mut Block, out: &mut Chunk<Page, 8>) {
    let _ = (block, out);
}

fn main() {}
