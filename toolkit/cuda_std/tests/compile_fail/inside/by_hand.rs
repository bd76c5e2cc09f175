//! Other crates cannot implement a trusted trait, or only by `unsafe`.
#![deny(unsafe_code)]
use cuda_std::{AtomicMemory, SharedByWarp};

#[derive(Clone, Copy, bytemuck::Zeroable, bytemuck::Pod)]
#[repr(C)]
struct Other(u32);

struct Long<'a, 'b>(&'a cuda_std::Atomics<'b, u32>);

impl AtomicMemory for Long<'_, '_> {
    type Item = u32;
    type Scope = cuda_std::scope::Device;

    fn len(&self) -> u32 {
        u32::MAX
    }
}

struct Unclaimed;

impl SharedByWarp for Unclaimed {
    type Lists<'a> = ();
}

impl cuda_layout::DeviceLayout for Other {
    const TEXT: &'static cuda_layout::Text = &cuda_layout::Text::new().push("f32");
}

fn main() {}
