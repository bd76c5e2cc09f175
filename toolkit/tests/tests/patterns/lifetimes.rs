//! Lifetimes, and several threads.

use crate::gpu;
use cuda_host::{Context, CudaExecutor, DeviceBuffer, DeviceOffsets, Module};
use cuda_std::prelude::*;
use std::any::Any;
use test_kernels::{add, spin};

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
    // One executor, one stream and one input buffer, used by all threads.
    let input = DeviceBuffer::from_slice(gpu.stream(), &[2.0f32; 64]).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let mut out = DeviceBuffer::<f32>::zeroed(gpu.stream(), 64).unwrap();
                let args = add::Args { out: out.view_mut(), a: input.view(), b: input.view(), scale: 0.5 };
                add::launch(&gpu, 1, args).unwrap();
                assert_eq!(out.download(gpu.stream()).unwrap(), [3.0; 64]);
            });
        }
    });
}

/// A context, a stream, a module and a buffer, while a kernel uses all of them.
fn under_way() -> [Box<dyn Any>; 4] {
    let context = Context::new(0).unwrap();
    let stream = context.stream().unwrap();
    let module = Module::load(&context, "test kernels", test_kernels::PTX).unwrap();
    let executor = CudaExecutor::new(&stream, [module.clone()]).unwrap();
    let at = DeviceOffsets::new(&stream, &Offsets::new(vec![0, 64]).unwrap()).unwrap();
    let input = DeviceBuffer::from_slice(&stream, &[1u32; 64]).unwrap();
    let mut buffer = DeviceBuffer::<u32>::zeroed(&stream, 64).unwrap();
    let out = Segments { data: buffer.view_mut(), offsets: &at };
    spin::launch(&executor, 1, spin::Args { out, input: input.view(), rounds: 20_000 }).unwrap();
    [Box::new(context), Box::new((stream, executor)), Box::new(module), Box::new((buffer, input, at))]
}

#[test]
fn device_lifetimes() {
    let Some(gpu) = gpu() else { return };
    // ANCHOR: device_lifetimes
    // A buffer outlives the handles that made it: it keeps what it needs.
    let buffer = {
        let context = Context::new(0).unwrap();
        let stream = context.stream().unwrap();
        DeviceBuffer::from_slice(&stream, &[4u32, 5, 6]).unwrap()
    };
    assert_eq!(buffer.download(&buffer.context().stream().unwrap()).unwrap(), [4, 5, 6]);
    // ANCHOR_END: device_lifetimes
    // All 24 orders of dropping four things.
    let mut orders = 0;
    for code in 0..256usize {
        let order = [code % 4, code / 4 % 4, code / 16 % 4, code / 64];
        if (0..4).any(|thing| !order.contains(&thing)) {
            continue;
        }
        let mut things = under_way().map(Some);
        for thing in order {
            drop(things[thing].take());
        }
        orders += 1;
    }
    assert_eq!(orders, 24);
    // The device still works.
    gpu.synchronize().unwrap();
    assert_eq!(buffer.download(gpu.stream()).unwrap(), [4, 5, 6]);
}
