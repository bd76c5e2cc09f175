//! Lifetimes, and several threads.

use crate::gpu;
use cuda_host::{Context, DeviceBuffer};
use test_kernels::add;

#[test]
fn many_threads() {
    let Some(gpu) = gpu() else { return };
    // ANCHOR: many_threads
    // Threads share modules; each has its own stream. No thread needs to bind a context.
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let gpu = &gpu;
            scope.spawn(move || {
                let mine = gpu.on(&gpu.context().stream().unwrap()).unwrap();
                for round in 0..20 {
                    let values = vec![(thread * 100 + round) as f32; 700];
                    let input = DeviceBuffer::from_slice(mine.stream(), &values).unwrap();
                    let mut out = DeviceBuffer::<f32>::zeroed(mine.stream(), 700).unwrap();
                    let args = add::Args { out: out.view_mut(), a: input.view(), b: input.view(), scale: 3.0 };
                    add::launch(&mine, 2, args).unwrap();
                    assert!(out.download(mine.stream()).unwrap().iter().all(|sum| *sum == 4.0 * values[0]));
                }
            });
        }
    });
    // ANCHOR_END: many_threads
}

#[test]
fn device_lifetimes() {
    let Some(_gpu) = gpu() else { return };
    // ANCHOR: device_lifetimes
    // A buffer outlives the handles that made it: it keeps what it needs.
    let buffer = {
        let context = Context::new(0).unwrap();
        let stream = context.stream().unwrap();
        DeviceBuffer::from_slice(&stream, &[4u32, 5, 6]).unwrap()
    };
    assert_eq!(buffer.download(&buffer.context().stream().unwrap()).unwrap(), [4, 5, 6]);
    // ANCHOR_END: device_lifetimes
}
