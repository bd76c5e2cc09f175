//! Kinds of memory, and copies between them.

use crate::{gpu, rising};
use cuda_host::{CudaError, DeviceBuffer, DeviceOffsets, PinnedBuffer, VisibleBuffer};
use cuda_std::prelude::*;
use test_kernels::{add, nibble_counts, polynomial, sums_of_parts, table_look_up, turn};

#[test]
fn transfers() {
    let Some(gpu) = gpu() else { return };
    let (stream, n) = (gpu.stream(), 10_000);
    let data = rising(n, 0.5);
    // ANCHOR: transfers
    // Host to device: to new memory, and to a part of existing memory.
    let mut buffer = DeviceBuffer::from_slice(stream, &data).unwrap();
    buffer.slice_mut(..3).unwrap().upload(stream, &[7.0, 8.0, 9.0]).unwrap();
    // Device to host: to a new vector, and to a slice.
    let all: Vec<f32> = buffer.download(stream).unwrap();
    let mut part = [0.0; 4];
    buffer.slice(1..5).unwrap().download_into(stream, &mut part).unwrap();
    // From and to page-locked memory, without waiting: reading the elements waits.
    let mut pinned = PinnedBuffer::<f32>::zeroed(gpu.context(), n).unwrap();
    pinned.as_mut_slice().unwrap().fill(0.25);
    pinned.upload(stream, buffer.view_mut()).unwrap();
    let mut back = PinnedBuffer::<f32>::zeroed(gpu.context(), n).unwrap();
    back.download(stream, buffer.view()).unwrap();
    // On the device.
    let mut copy = DeviceBuffer::<f32>::zeroed(stream, n).unwrap();
    copy.view_mut().copy_from_device(stream, buffer.view()).unwrap();
    buffer.view_mut().zero(stream).unwrap();
    // ANCHOR_END: transfers
    assert_eq!((&all[..3], &all[3..]), (&[7.0, 8.0, 9.0][..], &data[3..]));
    assert_eq!(part, [8.0, 9.0, 1.5, 2.0]);
    assert!(back.as_slice().unwrap().iter().all(|x| *x == 0.25));
    assert_eq!(copy.download(stream).unwrap(), vec![0.25; n]);
    assert_eq!(buffer.download(stream).unwrap(), vec![0.0; n]);
    // Different lengths are an error found by the host.
    assert!(matches!(buffer.upload(stream, &[1.0]), Err(CudaError::Length { from: 1, .. })));
    let error = copy.slice_mut(..9).unwrap().copy_from_device(stream, buffer.view()).unwrap_err();
    assert!(matches!(error, CudaError::Length { .. }), "{error}");
}

#[test]
fn reclaim() {
    let Some(gpu) = gpu() else { return };
    let before = rising(1000, 1.0);
    let buffer = DeviceBuffer::from_slice(gpu.stream(), &before).unwrap();
    // The buffer and its memory are gone.
    let after: Vec<f32> = buffer.into_vec(gpu.stream()).unwrap();
    assert_eq!(after, before);
}

#[test]
fn memory_kinds() {
    const SQUARES: [u32; 5] = [4, 9, 25, 49, 121];
    let words: Vec<u32> = vec![0x1122_3344, 0x1111_1111, 0x0123_4567, 0xfff0_0f12];
    let index: Vec<u32> = vec![4, 0, 2, 2];
    let x = rising(4, 1.0);
    // On CPU cores: registers, a thread's array, and a table.
    let (cpu, mut counts, mut found, mut values) = (CpuExecutor::new(), [0; 4], [0; 4], [0.0; 4]);
    nibble_counts::launch(&cpu, 1, nibble_counts::Args { out: &mut counts[..], words: &words[..] }).unwrap();
    table_look_up::launch(&cpu, 1, table_look_up::Args { out: &mut found[..], index: &index[..] }).unwrap();
    polynomial::launch(&cpu, 1, polynomial::Args { out: &mut values[..], x: &x[..], a: 1.0, b: 0.0, c: 0.5 }).unwrap();
    let expected_counts = [2, 8, 1, 4];
    let expected_found = index.iter().map(|i| SQUARES[*i as usize]).collect::<Vec<_>>();
    assert_eq!((counts, found.to_vec(), values), (expected_counts, expected_found, [0.5, 1.5, 4.5, 9.5]));

    let Some(gpu) = gpu() else { return };
    let stream = gpu.stream();
    let at = DeviceOffsets::new(stream, &Offsets::new(vec![0, 4]).unwrap()).unwrap();
    let one = DeviceOffsets::new(stream, &Offsets::new(vec![0, 1]).unwrap()).unwrap();
    let input = DeviceBuffer::from_slice(stream, &words).unwrap();
    let mut out = DeviceBuffer::<u32>::zeroed(stream, 4).unwrap();
    // Global memory, and static shared memory that reverses the elements.
    let segments = Segments { data: out.view_mut(), offsets: &at };
    turn::launch(&gpu, 1, turn::Args { out: segments, input: input.view() }).unwrap();
    assert_eq!(out.download(stream).unwrap(), words.iter().rev().copied().collect::<Vec<_>>());
    // A thread's array that is indexed by data.
    nibble_counts::launch(&gpu, 1, nibble_counts::Args { out: out.view_mut(), words: input.view() }).unwrap();
    assert_eq!(out.download(stream).unwrap(), expected_counts);
    // A table of the module.
    let index = DeviceBuffer::from_slice(stream, &index).unwrap();
    table_look_up::launch(&gpu, 1, table_look_up::Args { out: out.view_mut(), index: index.view() }).unwrap();
    assert_eq!(out.download(stream).unwrap(), found);
    // Only registers.
    let x = DeviceBuffer::from_slice(stream, &x).unwrap();
    let mut y = DeviceBuffer::<f32>::zeroed(stream, 4).unwrap();
    let args = polynomial::Args { out: y.view_mut(), x: x.view(), a: 1.0, b: 0.0, c: 0.5 };
    polynomial::launch(&gpu, 1, args).unwrap();
    assert_eq!(y.download(stream).unwrap(), values);
    // Dynamic shared memory: the sum of twice each.
    let mut sum = DeviceBuffer::<f32>::zeroed(stream, 1).unwrap();
    let out = Segments { data: sum.view_mut(), offsets: &one };
    let args = sums_of_parts::Args { out, input: x.view(), per_block: 4, scratch: DynamicLength(3) };
    sums_of_parts::launch(&gpu, 1, args).unwrap();
    assert_eq!(sum.download(stream).unwrap(), [12.0]);

    // Their locations according to the driver.
    let (array, registers) = (gpu.kernel::<nibble_counts::Kernel>(), gpu.kernel::<polynomial::Kernel>());
    let (array, registers) = (array.unwrap().attributes(), registers.unwrap().attributes());
    assert!(array.local_bytes >= 64 && registers.local_bytes < 64, "{array:?} and {registers:?}");
    assert!(gpu.kernel::<turn::Kernel>().unwrap().attributes().shared_bytes >= 1024);
}

#[test]
fn pinned_and_mapped() {
    let Some(gpu) = gpu() else { return };
    let (stream, n) = (gpu.stream(), 5000);
    // Pinned: copied while the program continues.
    let mut staging = PinnedBuffer::<f32>::zeroed(gpu.context(), n).unwrap();
    staging.as_mut_slice().unwrap().copy_from_slice(&rising(n, 1.0));
    let mut device = DeviceBuffer::<f32>::zeroed(stream, n).unwrap();
    staging.upload(stream, device.view_mut()).unwrap();
    staging.download(stream, device.view()).unwrap();
    assert_eq!(staging.as_slice().unwrap(), rising(n, 1.0));
    // ANCHOR: mapped
    // Mapped: a kernel accesses the host's memory directly.
    let mut input = VisibleBuffer::<f32>::mapped(gpu.context(), n).unwrap();
    let mut output = VisibleBuffer::<f32>::mapped(gpu.context(), n).unwrap();
    input.as_mut_slice().unwrap().copy_from_slice(&rising(n, 1.0));
    let args = add::Args { out: output.view_mut(), a: input.view(), b: input.view(), scale: 2.0 };
    add::launch(&gpu, n.div_ceil(512) as u32, args).unwrap();
    // Waits for the kernel.
    let found: &[f32] = output.as_slice().unwrap();
    // ANCHOR_END: mapped
    assert_eq!(found, rising(n, 3.0));
}

#[test]
fn unified_memory() {
    let Some(gpu) = gpu() else { return };
    // 4 MiB, accessed by both sides in turn.
    let n = 1 << 20;
    let mut values = match VisibleBuffer::<f32>::unified(gpu.context(), n) {
        Err(error @ CudaError::NoUnifiedMemory { .. }) => return println!("skipped: {error}"),
        values => values.unwrap(),
    };
    // ANCHOR: unified
    assert_eq!(values.as_slice().unwrap()[n - 1], 0.0);
    values.as_mut_slice().unwrap().copy_from_slice(&rising(n, 1.0));
    let zeros = DeviceBuffer::<f32>::zeroed(gpu.stream(), n).unwrap();
    let mut doubled = VisibleBuffer::<f32>::unified(gpu.context(), n).unwrap();
    let args = add::Args { out: doubled.view_mut(), a: zeros.view(), b: values.view(), scale: 2.0 };
    add::launch(&gpu, n.div_ceil(512) as u32, args).unwrap();
    assert_eq!(doubled.as_slice().unwrap()[1000], 2000.0);
    // ANCHOR_END: unified
    assert_eq!(doubled.as_slice().unwrap(), rising(n, 2.0));
}
