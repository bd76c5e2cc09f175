//! Only named instances can be launched.
use cuda_layout::DeviceLayout;
use cuda_std::prelude::*;

#[kernel(threads = N, instances(copied_f32 = <f32, 64>, copied_f64 = <f64, 128>))]
fn copied<T: DeviceLayout, const N: usize>(block: &mut Block, out: &mut Chunk<T, N>, x: &[T]) {
    let (n, first) = (out.len(), out.start());
    out.fill(block, n, |i| x.at(first + i));
}

fn main() {
    let (cpu, mut out) = (CpuExecutor::new(), [0u32; 8]);
    copied::launch::<u32, 64, _>(&cpu, 1, copied::Args { out: &mut out, x: &[1; 8] }).unwrap();
    let mut out = [0.0f32; 8];
    copied::launch::<f32, 128, _>(&cpu, 1, copied::Args { out: &mut out, x: &[1.0; 8] }).unwrap();
    copied::launch::<f32, 64, _>(&cpu, 1, copied::Args { out: &mut out, x: &[1.0f64; 8] }).unwrap();
}

fn in_general<T: DeviceLayout>(cpu: &CpuExecutor, out: &mut [T], x: &[T]) {
    copied::launch::<T, 64, _>(cpu, 1, copied::Args { out, x }).unwrap();
}
