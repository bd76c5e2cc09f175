//! Launches: passed arguments and results.

use crate::{gpu, offsets, ragged};
use cuda_host::{CudaError, Device, DeviceBuffer};
use cuda_std::launch::{CpuExecutor, LaunchError, Segments};
use test_kernels::{OthersArgs, Pair, Triple, Wide, echo, roots, turn};

#[test]
fn a_kernel_gives_the_bits_of_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let lengths = [1u32, 0, 127, 128, 129, 1000, 3];
    let mut ends = vec![0];
    ends.extend(lengths.iter().scan(0, |end, n| {
        *end += n;
        Some(*end)
    }));
    let n = ends[lengths.len()] as usize;
    let mut input: Vec<f32> = (0..n).map(|i| (i as f32).mul_add(0.37, -50.0)).collect();
    (input[0], input[5], input[9]) = (f32::MIN_POSITIVE / 8.0, f32::INFINITY, -0.0);

    let mut expected = vec![0.0; n];
    let host = offsets(&ends);
    let segments = Segments { data: &mut expected[..], offsets: &host };
    roots::launch(&CpuExecutor::new(), 7, roots::Args { out: segments, input: &input, scale: 1.1 }).unwrap();

    let (mut out, device) = ragged::<f32>(&gpu, &ends);
    let input = DeviceBuffer::from_slice(gpu.stream(), &input).unwrap();
    let segments = Segments { data: out.view_mut(), offsets: &device };
    roots::launch(&gpu, 7, roots::Args { out: segments, input: input.view(), scale: 1.1 }).unwrap();
    let found = out.download(gpu.stream()).unwrap();
    for (i, (found, expected)) in found.iter().zip(&expected).enumerate() {
        // Compare bits, except for the roots of negative numbers: an instruction's NaN differs from a written one.
        let both_nan = found.is_nan() && expected.is_nan();
        assert!(both_nan || found.to_bits() == expected.to_bits(), "element {i}: {found} and {expected}");
    }
    assert!(expected.iter().filter(|x| !x.is_nan()).count() > n / 2, "most elements are compared bit by bit");
}

#[test]
fn every_kind_of_argument_arrives() {
    let Some(gpu) = gpu() else { return };
    let (mut out, device) = ragged::<u32>(&gpu, &[0, 16, 33]);
    let list = DeviceBuffer::from_slice(gpu.stream(), &[500u16, 600, 700]).unwrap();
    let empty = DeviceBuffer::from_slice(gpu.stream(), &[] as &[u64]).unwrap();
    let args = echo::Args {
        out: Segments { data: out.view_mut(), offsets: &device },
        byte: 200,
        wide: Wide { words: [1, 2, 3, 4] },
        list: list.view(),
        others: OthersArgs {
            triple: Triple { a: 5, b: 6, c: 7 },
            long: 0x1234_5678_9abc_def0,
            short: -3,
            empty: empty.view(),
            pair: Pair { x: 1.5, n: 9 },
        },
    };
    echo::launch(&gpu, 2, args).unwrap();
    let segment = [1, 2, 3, 4, 5, 6, 7, 1.5f32.to_bits(), 9, 200, 0x9abc_def0, 0x1234_5678, -3i32 as u32, 3, 1800, 0];
    let found = out.download(gpu.stream()).unwrap();
    assert_eq!(found[..16], segment);
    assert_eq!(found[16..32], segment);
    assert_eq!(found[32], 0);
}

#[test]
fn shared_memory_is_the_blocks_own() {
    let Some(gpu) = gpu() else { return };
    let input: Vec<u32> = (0..600).collect();
    let (mut out, device) = ragged::<u32>(&gpu, &[0, 256, 256, 500, 600]);
    let buffer = DeviceBuffer::from_slice(gpu.stream(), &input).unwrap();
    let segments = Segments { data: out.view_mut(), offsets: &device };
    turn::launch(&gpu, 4, turn::Args { out: segments, input: buffer.view() }).unwrap();
    let expected: Vec<u32> = (0..256).rev().chain((256..500).rev()).chain((500..600).rev()).collect();
    assert_eq!(out.download(gpu.stream()).unwrap(), expected);
}

#[test]
fn no_block_is_a_launch_that_does_nothing() {
    let Some(gpu) = gpu() else { return };
    let (mut out, device) = ragged::<f32>(&gpu, &[0]);
    let input = DeviceBuffer::<f32>::zeroed(gpu.stream(), 0).unwrap();
    let segments = Segments { data: out.view_mut(), offsets: &device };
    roots::launch(&gpu, 0, roots::Args { out: segments, input: input.view(), scale: 1.0 }).unwrap();
    gpu.synchronize().unwrap();
    assert_eq!(out.download(gpu.stream()).unwrap(), [0.0f32; 0]);
}

#[test]
fn arguments_that_do_not_fit_are_refused_before_the_launch() {
    let Some(gpu) = gpu() else { return };
    let (mut out, device) = ragged::<f32>(&gpu, &[0, 4, 8]);
    let input = DeviceBuffer::<f32>::zeroed(gpu.stream(), 8).unwrap();
    let segments = Segments { data: out.view_mut(), offsets: &device };
    let error = roots::launch(&gpu, 3, roots::Args { out: segments, input: input.view(), scale: 1.0 }).unwrap_err();
    let expected = LaunchError::TooFewSegments { kernel: "roots", argument: "out", segments: 2, blocks: 3 };
    assert_eq!(error, CudaError::Launch(Box::new(expected)));

    let segments = Segments::<Device, f32> { data: out.slice_mut(..7).unwrap(), offsets: &device };
    let error = roots::launch(&gpu, 2, roots::Args { out: segments, input: input.view(), scale: 1.0 }).unwrap_err();
    let expected = LaunchError::BufferTooShort { kernel: "roots", argument: "out", end: 8, len: 7 };
    assert_eq!(error, CudaError::Launch(Box::new(expected)));
}
