//! Launches: modules, kernels by name, arguments, sizes of blocks.

use crate::{gpu, rising};
use cuda_host::{CudaError, CudaExecutor, Device, DeviceBuffer, DeviceOffsets, Image, Module};
use cuda_std::compat::launch::LaunchShape;
use cuda_std::launch::LaunchError;
use cuda_std::prelude::*;
use test_kernels::{OthersArgs, Pair, Triple, Wide, add, echo, polynomial, sums_of_parts, turn, vecadd};

/// `(0.5 x - 1) x + 2`.
fn expected(x: &[f32]) -> Vec<f32> {
    x.iter().map(|x| 0.5f32.mul_add(*x, -1.0).mul_add(*x, 2.0)).collect()
}

#[test]
fn basic_launch() {
    let x = rising(1024, 0.25);
    let mut out = vec![0.0; 1024];
    let args = polynomial::Args { out: &mut out[..], x: &x[..], a: 0.5, b: -1.0, c: 2.0 };
    polynomial::launch(&CpuExecutor::new(), 2, args).unwrap();
    assert_eq!(out, expected(&x));

    let Some(gpu) = gpu() else { return };
    // ANCHOR: basic_launch
    // PTX from a file, which `build-ptx` made from this crate, and as embedded in this program.
    let path = std::env::temp_dir().join(format!("basic-launch-{}.ptx", std::process::id()));
    std::fs::write(&path, test_kernels::PTX).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    // SAFETY: nobody has changed the file.
    let from_file = unsafe { Image::from_files("test_kernels.sm_75.ptx", &text, &[]) };
    for (name, image) in [("from a file", from_file), ("embedded", test_kernels::IMAGE)] {
        let module = Module::load(gpu.context(), name, image).unwrap();
        let executor = CudaExecutor::new(gpu.stream(), [module]).unwrap();
        let stream = executor.stream();
        let input = DeviceBuffer::from_slice(stream, &x).unwrap();
        let mut output = DeviceBuffer::<f32>::zeroed(stream, 1024).unwrap();
        let args = polynomial::Args { out: output.view_mut(), x: input.view(), a: 0.5, b: -1.0, c: 2.0 };
        polynomial::launch(&executor, 2, args).unwrap();
        let result: Vec<f32> = output.download(stream).unwrap();
        assert_eq!(result, expected(&x));
    }
    // ANCHOR_END: basic_launch
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn batch_subviews() {
    let Some(gpu) = gpu() else { return };
    let stream = gpu.stream();
    // ANCHOR: batch_subviews
    let (batches, len) = (3, 10);
    let a = DeviceBuffer::from_slice(stream, &rising(batches * len, 1.0)).unwrap();
    let b = DeviceBuffer::from_slice(stream, &rising(len, 100.0)).unwrap();
    let mut output = DeviceBuffer::<f32>::zeroed(stream, batches * len).unwrap();
    for batch in 0..batches {
        let part = batch * len..(batch + 1) * len;
        let out = output.slice_mut(part.clone()).unwrap();
        let args = add::Args { out, a: a.slice(part).unwrap(), b: b.view(), scale: batch as f32 };
        add::launch(&gpu, 1, args).unwrap();
    }
    // ANCHOR_END: batch_subviews
    let sum = |i: usize| i as f32 + (i / len) as f32 * (i % len) as f32 * 100.0;
    assert_eq!(output.download(stream).unwrap(), (0..30).map(sum).collect::<Vec<_>>());
    // All batches in turn, too: an iterator that splits off parts.
    let mut rest = output.view_mut();
    for _ in 0..batches {
        let (mut part, after) = rest.split_at_mut(len).unwrap();
        part.zero(stream).unwrap();
        rest = after;
    }
    assert!(rest.is_empty());
    assert_eq!(output.download(stream).unwrap(), [0.0; 30]);
    let error = output.slice_mut(25..35).unwrap_err();
    assert_eq!(error, CudaError::OutOfBounds { range: 25..35, len: 30 });
}

#[test]
fn launch_configs() {
    let shape = LaunchShape::for_elements(1000, 256);
    assert_eq!(shape, LaunchShape::linear(4, 256));
    assert_eq!(LaunchShape::for_elements(0, 256).grid, [0, 1, 1], "no element, no block");

    let Some(gpu) = gpu() else { return };
    let stream = gpu.stream();
    // A raw kernel runs in blocks of any size: as many threads as elements, and the size that fills the device best.
    // ANCHOR: occupancy
    let kernel = gpu.raw_style_kernel::<vecadd::Kernel>().unwrap();
    let best = kernel.best_block_size(0).unwrap();
    let at_once = kernel.blocks_per_multiprocessor(best.threads, 0).unwrap();
    println!("{} threads, {at_once} blocks a multiprocessor, {} fill the device", best.threads, best.blocks);
    // ANCHOR_END: occupancy
    assert!((32..=1024).contains(&best.threads) && best.threads.is_multiple_of(32) && at_once > 0 && best.blocks > 0);
    assert!(kernel.blocks_per_multiprocessor(32, 0).unwrap() >= at_once);
    let n = 1000;
    let (a, b) = (rising(n, 1.0), rising(n, 0.5));
    let (x, y) = (DeviceBuffer::from_slice(stream, &a).unwrap(), DeviceBuffer::from_slice(stream, &b).unwrap());
    let explicit = LaunchShape { grid: [2, 1, 1], block: [512, 1, 1], dynamic_shared_bytes: 0 };
    for shape in [shape, LaunchShape::for_elements(n as u32, best.threads), explicit] {
        let mut c = DeviceBuffer::<f32>::zeroed(stream, n).unwrap();
        let args = vecadd::Args { a: x.view().raw_slice(), b: y.view().raw_slice(), c: c.view_mut().pointer_mut() };
        // SAFETY: all have n elements; the stream is synchronised before any of them is dropped.
        unsafe { vecadd::launch(&*gpu, shape, args) }.unwrap();
        gpu.synchronize().unwrap();
        let expected: Vec<f32> = a.iter().zip(&b).map(|(a, b)| a + b).collect();
        assert_eq!(c.download(stream).unwrap(), expected, "{shape:?}");
    }
    // Dynamic shared memory below, at and above 48 KiB; as much as the device has, which leaves no room for other arrays;
    // and more than any device has.
    let limit = Device::info(0).unwrap().shared_memory_per_block_with_asking;
    let fixed = gpu.kernel::<sums_of_parts::Kernel>().unwrap().attributes().shared_bytes;
    assert!(fixed > 0, "a block keeps something of its own");
    let input = DeviceBuffer::from_slice(stream, &rising(3000, 1.0)).unwrap();
    let at = DeviceOffsets::new(stream, &Offsets::new(vec![0, 1]).unwrap()).unwrap();
    let mut sums = DeviceBuffer::<f32>::zeroed(stream, 1).unwrap();
    for bytes in [4 << 10, 48 << 10, 60 << 10, (limit - fixed) / 4 * 4, limit, 4 << 20] {
        let out = Segments { data: sums.view_mut(), offsets: &at };
        let scratch = DynamicLength(bytes / 4);
        let args = sums_of_parts::Args { out, input: input.view(), per_block: 3000, scratch };
        let launched = sums_of_parts::launch(&gpu, 1, args);
        if bytes + fixed <= limit {
            launched.unwrap();
            // Twice each: exact, and below 2^24.
            assert_eq!(sums.download(stream).unwrap(), [2999.0 * 3000.0], "{bytes} bytes");
            sums.view_mut().zero(stream).unwrap();
            continue;
        }
        match launched.unwrap_err() {
            CudaError::SharedMemory { dynamic, .. } => assert_eq!(dynamic, bytes),
            CudaError::Launch(error) => {
                assert!(matches!(*error, LaunchError::SharedMemory { length, .. } if length == bytes / 4), "{error}");
            }
            error => panic!("{bytes} bytes: {error}"),
        }
    }
}

#[test]
fn launch_arguments() {
    let (wide, triple) = (Wide { words: [1, 2, 3, 4] }, Triple { a: 5, b: 6, c: 7 });
    let pair = Pair { x: 1.5, n: 9 };
    let words = [1, 2, 3, 4, 5, 6, 7, 1.5f32.to_bits(), 9, 200, 0x9abc_def0, 0x1234_5678, -3i32 as u32, 3, 1800, 0];
    assert_eq!((size_of::<Wide>(), align_of::<Wide>()), (16, 16));
    let host = Offsets::new(vec![0, 16]).unwrap();
    let mut found = [0; 16];
    let args = echo::Args {
        out: Segments { data: &mut found[..], offsets: &host },
        byte: 200,
        wide,
        list: &[500, 600, 700][..],
        others: OthersArgs { triple, long: 0x1234_5678_9abc_def0, short: -3, empty: &[][..], pair },
    };
    echo::launch(&CpuExecutor::new(), 1, args).unwrap();
    assert_eq!(found, words);

    let Some(gpu) = gpu() else { return };
    let stream = gpu.stream();
    let at = DeviceOffsets::new(stream, &host).unwrap();
    // ANCHOR: launch_arguments
    let list = DeviceBuffer::from_slice(stream, &[9u16, 500, 600, 700, 9]).unwrap();
    let empty = DeviceBuffer::<u64>::zeroed(stream, 0).unwrap();
    let mut out = DeviceBuffer::<u32>::zeroed(stream, 20).unwrap();
    let args = echo::Args {
        // A view for writing, of a part of a buffer.
        out: Segments { data: out.slice_mut(4..).unwrap(), offsets: &at },
        // A scalar, and a struct by value, aligned to 16 bytes.
        byte: 200,
        wide,
        // A view for reading, of a part.
        list: list.slice(1..4).unwrap(),
        // A group of arguments: scalars, structs by value, and a view of nothing.
        others: OthersArgs { long: 0x1234_5678_9abc_def0, short: -3, triple, pair, empty: empty.view() },
    };
    echo::launch(&gpu, 1, args).unwrap();
    // ANCHOR_END: launch_arguments
    let found = out.download(stream).unwrap();
    assert_eq!((&found[..4], &found[4..]), (&[0; 4][..], &words[..]));
}

/// A kernel that no module has.
#[kernel(threads = 32)]
pub fn elsewhere(block: &mut Block, out: &mut Chunk<u32, 32>) {
    let n = out.len();
    out.fill(block, n, |i| i);
}

#[test]
fn module_registry() {
    let Some(gpu) = gpu() else { return };
    let (context, stream) = (gpu.context(), gpu.stream());
    // ANCHOR: module_registry
    let modules = [
        Module::load(context, "tests", test_kernels::IMAGE).unwrap(),
        Module::load(context, "product", test_kernels::IMAGE).unwrap(),
    ];
    let executor = CudaExecutor::new(stream, modules).unwrap();
    // A kernel's type identifies it; the first module with it is used.
    let kernel = executor.kernel::<turn::Kernel>().unwrap();
    println!("in {}: {:?}", kernel.module().name(), kernel.attributes());
    let product = executor.module("product").unwrap();
    println!("{} kernels: {:?}", product.entries().len(), product.entries());
    // ANCHOR_END: module_registry
    assert_eq!(kernel.module().name(), "tests");
    assert_eq!(product.kernel::<turn::Kernel>().unwrap().module().name(), "product");
    assert!(product.entries().len() > 20 && product.entries().iter().any(|entry| entry == "turn"));
    // The error for a missing module lists the existing ones.
    let error = executor.module("module_name").unwrap_err();
    assert_eq!(error.to_string(), "no module `module_name`; the modules are `tests`, `product`");
    let error = product.kernel::<elsewhere::Kernel>().map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("no kernel `elsewhere` in module `product`") && error.contains("`turn`"), "{error}");
    let error = product.raw_kernel("my_function").map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("no kernel `my_function`") && error.contains("`turn`"), "{error}");
}
