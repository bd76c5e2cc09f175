//! Memory: copies, parts, and errors.

use crate::{gpu, offsets, ragged};
use cuda_host::{CudaError, DeviceBuffer, DeviceOffsets, PinnedBuffer};
use cuda_std::launch::Segments;
use test_kernels::turn;

#[test]
fn what_goes_up_comes_down() {
    let Some(gpu) = gpu() else { return };
    let stream = gpu.stream();
    for n in [0, 1, 1000, 1_000_003] {
        let elements: Vec<u64> = (0..n).map(|i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
        let mut buffer = DeviceBuffer::from_slice(stream, &elements).unwrap();
        assert_eq!(buffer.len(), n as usize);
        assert_eq!(buffer.download(stream).unwrap(), elements);
        let turned: Vec<u64> = elements.iter().rev().copied().collect();
        buffer.upload(stream, &turned).unwrap();
        let mut back = vec![1; n as usize];
        buffer.download_into(stream, &mut back).unwrap();
        assert_eq!(back, turned);
    }
    assert_eq!(DeviceBuffer::<[f32; 3]>::zeroed(stream, 5).unwrap().download(stream).unwrap(), [[0.0; 3]; 5]);
}

#[test]
fn parts_are_read_and_written_by_themselves() {
    let Some(gpu) = gpu() else { return };
    let stream = gpu.stream();
    let mut buffer = DeviceBuffer::from_slice(stream, &(0..100u32).collect::<Vec<_>>()).unwrap();
    assert_eq!(buffer.slice(10..13).unwrap().download(stream).unwrap(), [10, 11, 12]);
    assert_eq!(buffer.slice(10..20).unwrap().slice(2..=3).unwrap().download(stream).unwrap(), [12, 13]);
    buffer.slice_mut(50..52).unwrap().upload(stream, &[7, 8]).unwrap();
    buffer.slice_mut(98..).unwrap().zero(stream).unwrap();
    let (mut low, high) = buffer.view_mut().split_at_mut(50).unwrap();
    low.copy_from_device(stream, high.as_view()).unwrap();
    let found = buffer.download(stream).unwrap();
    assert_eq!(found[..3], [7, 8, 52]);
    assert_eq!(found[47..52], [97, 0, 0, 7, 8]);
    assert_eq!(found[97..], [97, 0, 0]);

    assert_eq!(buffer.slice(90..101).unwrap_err(), CudaError::OutOfBounds { range: 90..101, len: 100 });
    assert!(buffer.view_mut().split_at_mut(101).is_err());
    let error = buffer.upload(stream, &[1, 2]).unwrap_err();
    assert!(matches!(error, CudaError::Length { from: 2, to: 100, .. }), "{error}");
    assert!(buffer.download_into(stream, &mut [0; 99]).is_err());
}

#[test]
fn offsets_are_replaced_in_place() {
    let Some(gpu) = gpu() else { return };
    let (mut out, mut device) = ragged::<u32>(&gpu, &[0, 2, 4]);
    let input = DeviceBuffer::from_slice(gpu.stream(), &[1u32, 2, 3, 4]).unwrap();
    for (list, expected) in
        [(vec![0, 4], [4, 3, 2, 1]), (vec![0, 1, 2, 3, 4], [1, 2, 3, 4]), (vec![0, 3, 4], [3, 2, 1, 4])]
    {
        device.set(gpu.stream(), &offsets(&list)).unwrap();
        assert_eq!((device.segments(), device.end()), (list.len() - 1, 4));
        let segments = Segments { data: out.view_mut(), offsets: &device };
        turn::launch(&gpu, device.segments() as u32, turn::Args { out: segments, input: input.view() }).unwrap();
        assert_eq!(out.download(gpu.stream()).unwrap(), expected);
    }
    let none = DeviceOffsets::new(gpu.stream(), &offsets(&[0])).unwrap();
    assert_eq!((none.segments(), none.end()), (0, 0));
}

#[test]
fn page_locked_memory_is_seen_when_its_copies_are_done() {
    let Some(gpu) = gpu() else { return };
    let (stream, n) = (gpu.stream(), 4_000_000);
    let mut pinned = PinnedBuffer::<u32>::zeroed(gpu.context(), n).unwrap();
    assert_eq!(pinned.as_slice().unwrap(), vec![0; n]);
    let mut device = DeviceBuffer::<u32>::zeroed(stream, n).unwrap();
    for round in 0..5u32 {
        for (i, element) in pinned.as_mut_slice().unwrap().iter_mut().enumerate() {
            *element = round ^ i as u32;
        }
        pinned.upload(stream, device.view_mut()).unwrap();
        // Waits for the upload from this memory.
        pinned.as_mut_slice().unwrap().fill(u32::MAX);
        pinned.download(stream, device.view()).unwrap();
        let found = pinned.as_slice().unwrap();
        assert!(found.iter().enumerate().all(|(i, element)| *element == round ^ i as u32), "round {round}");
    }
    let error = pinned.download(stream, DeviceBuffer::<u32>::zeroed(stream, n + 1).unwrap().view()).unwrap_err();
    assert!(matches!(error, CudaError::Length { .. }), "{error}");
}

#[test]
fn a_copy_under_way_outlives_whoever_asked_for_it() {
    let Some(gpu) = gpu() else { return };
    let n = 8_000_000;
    for _ in 0..4 {
        let mut device = DeviceBuffer::<u32>::zeroed(gpu.stream(), n).unwrap();
        let mut pinned = PinnedBuffer::<u32>::zeroed(gpu.context(), n).unwrap();
        pinned.as_mut_slice().unwrap().fill(5);
        pinned.upload(gpu.stream(), device.view_mut()).unwrap();
        drop(pinned);
        assert!(device.download(gpu.stream()).unwrap().iter().all(|element| *element == 5));
        let mut pinned = PinnedBuffer::<u32>::zeroed(gpu.context(), n).unwrap();
        pinned.download(gpu.stream(), device.view()).unwrap();
        drop(device);
        assert!(pinned.as_slice().unwrap().iter().all(|element| *element == 5));
    }
}

#[test]
fn memory_that_is_not_there_is_an_error_and_nothing_else() {
    let Some(gpu) = gpu() else { return };
    let total = gpu.context().memory().unwrap().total;
    let error = DeviceBuffer::<u8>::zeroed(gpu.stream(), 2 * total).unwrap_err();
    assert!(error.is_out_of_memory(), "{error}");
    assert!(error.to_string().contains(&format!("{} bytes", 2 * total)), "{error}");
    let error = DeviceBuffer::<u64>::zeroed(gpu.stream(), usize::MAX / 2).unwrap_err();
    assert!(matches!(error, CudaError::TooLarge { element_bytes: 8, .. }), "{error}");
    assert_eq!(DeviceBuffer::from_slice(gpu.stream(), &[3u8]).unwrap().download(gpu.stream()).unwrap(), [3]);
}
