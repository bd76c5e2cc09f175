//! Work of kernels: reads in order and in strides, sums, indices and clocks, panics.

use crate::{gpu, rising};
use cuda_host::{CudaError, DeviceBuffer, DeviceOffsets};
use cuda_std::compat::launch::LaunchShape;
use cuda_std::prelude::*;
use test_kernels::{fail, my_kernel, shared_sum, shuffle_sum, strided_copy};
use toolkit_tests::dice::{bits, numbers};

/// Both orders copy every element once; the benchmark `teaching` measures their costs.
#[test]
fn coalescing() {
    let n = 3 * 4096 + 32 * 5;
    let (input, blocks) = (rising(n, 1.0), n.div_ceil(4096) as u32);
    let gpu = gpu();
    for stride in [1, 32] {
        let rows = n / stride;
        let expected: Vec<f32> = (0..n).map(|i| input[i % rows * stride + i / rows]).collect();
        let mut out = vec![-1.0; n];
        let args = strided_copy::Args { out: &mut out[..], input: &input[..], stride: stride as u32 };
        strided_copy::launch(&CpuExecutor::new(), blocks, args).unwrap();
        assert_eq!(out, expected);
        let mut sorted = out.clone();
        sorted.sort_by(f32::total_cmp);
        assert_eq!(sorted, input, "every element, once");
        assert_eq!(out == input, stride == 1);

        let Some(gpu) = &gpu else { continue };
        let from = DeviceBuffer::from_slice(gpu.stream(), &input).unwrap();
        let mut to = DeviceBuffer::<f32>::zeroed(gpu.stream(), n).unwrap();
        let args = strided_copy::Args { out: to.view_mut(), input: from.view(), stride: stride as u32 };
        strided_copy::launch(gpu, blocks, args).unwrap();
        assert_eq!(to.download(gpu.stream()).unwrap(), expected);
    }
    // A stride that would leave out elements is refused before the launch.
    let args = strided_copy::Args { out: &mut vec![0.0; n][..], input: &input[..], stride: 31 };
    assert!(strided_copy::launch(&CpuExecutor::new(), blocks, args).is_err());
}

#[test]
fn shared_reduce() {
    let (chunk, gpu) = (5000u32, gpu());
    for n in [1usize, 255, 256, 5000, 5001, 23_456] {
        let input = numbers(n, 7);
        let blocks = (n as u32).div_ceil(chunk);
        let exact: Vec<f64> =
            input.chunks(chunk as usize).map(|part| part.iter().map(|x| f64::from(*x)).sum()).collect();
        macro_rules! check {
            ($kernel:ident) => {
                let mut expected = vec![0.0f32; blocks as usize];
                let args = $kernel::Args { sums: &mut expected[..], input: &input[..], chunk };
                $kernel::launch(&CpuExecutor::new(), blocks, args).unwrap();
                for (sum, exact) in expected.iter().zip(&exact) {
                    assert!((f64::from(*sum) - exact).abs() < 1e-3, "{sum} and {exact}");
                }
                if let Some(gpu) = &gpu {
                    let from = DeviceBuffer::from_slice(gpu.stream(), &input).unwrap();
                    let mut sums = DeviceBuffer::<f32>::zeroed(gpu.stream(), blocks as usize).unwrap();
                    let args = $kernel::Args { sums: sums.view_mut(), input: from.view(), chunk };
                    $kernel::launch(gpu, blocks, args).unwrap();
                    assert_eq!(bits(&sums.download(gpu.stream()).unwrap()), bits(&expected), "{n} elements");
                }
            };
        }
        check!(shared_sum);
        check!(shuffle_sum);
    }
}

#[test]
fn clock_and_indices() {
    let Some(gpu) = gpu() else { return };
    let n = 1024 * 1024;
    // ANCHOR: my_kernel
    let mut output = DeviceBuffer::<u64>::zeroed(gpu.stream(), n).unwrap();
    let args = my_kernel::Args { output: output.view_mut().pointer_mut(), output_len: n as u32 };
    // SAFETY: the buffer has that many elements, and lives until the stream is synchronised.
    unsafe { my_kernel::launch(&*gpu, LaunchShape::linear(1024, 1024), args) }.unwrap();
    gpu.synchronize().unwrap();
    let result = output.into_vec(gpu.stream()).unwrap();
    // ANCHOR_END: my_kernel
    assert!(result.iter().enumerate().all(|(i, word)| word >> 32 == i as u64), "each thread knows its index");
    // A block's first warps begin at different times of the multiprocessors' clocks.
    let clocks: std::collections::HashSet<u32> = result.iter().map(|word| *word as u32).collect();
    assert!(clocks.len() > 1024, "{} different times", clocks.len());
}

#[test]
fn kernel_panic() {
    let input: Vec<u32> = (0..64).collect();
    let host = Offsets::new(vec![0, 64]).unwrap();
    let mut out = [0; 64];
    let args = |out| fail::Args { out, input: &input[..], block_to_fail: 0, index: 64 };
    let error = fail::launch(&CpuExecutor::new(), 1, args(Segments { data: &mut out[..], offsets: &host }));
    let on_cpu = CudaError::from(error.unwrap_err()).kernel_panic().cloned().unwrap();
    assert!(on_cpu.file.ends_with("src/launch.rs") && on_cpu.line > 0, "{on_cpu}");

    let Some(gpu) = gpu() else { return };
    let stream = gpu.stream();
    let at = DeviceOffsets::new(stream, &host).unwrap();
    let from = DeviceBuffer::from_slice(stream, &input).unwrap();
    let mut to = DeviceBuffer::<u32>::zeroed(stream, 64).unwrap();
    // ANCHOR: kernel_panic
    let out = Segments { data: to.view_mut(), offsets: &at };
    fail::launch(&gpu, 1, fail::Args { out, input: from.view(), block_to_fail: 0, index: 64 }).unwrap();
    let error = gpu.synchronize().unwrap_err();
    let panic = error.kernel_panic().expect("an index out of bounds");
    println!("{}:{}: {:?}", panic.file, panic.line, panic.message);
    // The context survives: the next launch works.
    let out = Segments { data: to.view_mut(), offsets: &at };
    fail::launch(&gpu, 1, fail::Args { out, input: from.view(), block_to_fail: 1, index: 0 }).unwrap();
    gpu.synchronize().unwrap();
    // ANCHOR_END: kernel_panic
    assert_eq!((panic.line, &panic.message, panic.thread), (on_cpu.line, &on_cpu.message, on_cpu.thread));
    assert!(panic.file.ends_with("src/launch.rs"));
    assert_eq!(to.download(stream).unwrap(), input);
}
