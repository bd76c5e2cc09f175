//! Buffers that one copy fills.

use crate::{gpu, offsets, spun};
use cuda_host::{CudaError, DeviceBuffer, GpuBufferPool, LentBuffer, Parcel, PinnedBuffer};
use cuda_std::launch::Segments;
use test_kernels::spin;

#[test]
fn a_parcel_has_buffers_of_several_types() {
    let Some(gpu) = gpu() else { return };
    let (stream, other) = (gpu.stream(), gpu.context().stream().unwrap());
    let pool = GpuBufferPool::new(gpu.context());
    for round in 0..3u8 {
        let staged = PinnedBuffer::zeroed(gpu.context(), 8192).unwrap();
        let mut parcel = Parcel::new(&pool, stream, staged, 4096).unwrap();
        let bytes = parcel.add(&[round; 5]).unwrap().unwrap();
        let triples: Vec<[f32; 3]> = (0..7).map(|i| [i as f32, f32::from(round), -1.0]).collect();
        let vectors = parcel.add(&triples).unwrap().unwrap();
        let none = parcel.add::<u32>(&[]).unwrap().unwrap();
        let doubles = parcel.add(&[[0.5f64, 1.5, 2.5]; 2]).unwrap().unwrap();
        let at = parcel.add_offsets(&offsets(&[0, 3, 8])).unwrap().unwrap();
        let words = parcel.add(&[7u32; 8]).unwrap().unwrap();
        assert!(parcel.add(&[0u32; 1024]).unwrap().is_none(), "there is no room for as many as all");
        let last = parcel.add(&[9u64]).unwrap().unwrap();
        parcel.send(stream).unwrap();
        assert_eq!(pool.statistics().blocks_in_use, 1);

        // As arguments, and read on a stream that waits for the copy by itself.
        let mut out = DeviceBuffer::<u32>::zeroed(stream, 8).unwrap();
        let args = spin::Args { out: Segments { data: out.view_mut(), offsets: &at }, input: words.view(), rounds: 2 };
        spin::launch(&*gpu, 2, args).unwrap();
        assert_eq!(out.download(&other).unwrap(), [spun(7, 2); 8]);
        assert_eq!(bytes.download(&other).unwrap(), [round; 5]);
        assert_eq!(vectors.slice(2..).unwrap().download(&other).unwrap(), triples[2..]);
        assert_eq!((none.len(), none.download(stream).unwrap()), (0, Vec::new()));
        assert_eq!(doubles.download(stream).unwrap(), [[0.5, 1.5, 2.5]; 2]);
        assert_eq!(last.download(stream).unwrap(), [9]);
        drop((bytes, vectors, none, doubles, at, words));
        assert_eq!(pool.statistics().blocks_in_use, 1, "the last buffer keeps the memory");
        drop(last);
        assert_eq!((pool.statistics().blocks_in_use, pool.statistics().allocations), (0, 1));
    }
}

#[test]
fn offsets_have_no_segments_before_their_parcel_is_sent() {
    let Some(gpu) = gpu() else { return };
    let stream = gpu.stream();
    let pool = GpuBufferPool::new(gpu.context());
    let parcel = || Parcel::new(&pool, stream, PinnedBuffer::zeroed(gpu.context(), 1024).unwrap(), 1024).unwrap();
    let mut sent = parcel();
    let at = sent.add_offsets(&offsets(&[0, 3, 8])).unwrap().unwrap();
    let mut replaced = sent.add_offsets(&offsets(&[0, 8])).unwrap().unwrap();
    let mut lost = parcel();
    let never = lost.add_offsets(&offsets(&[0, 3, 8])).unwrap().unwrap();
    let input = DeviceBuffer::from_slice(stream, &[7u32; 8]).unwrap();
    let mut out = DeviceBuffer::<u32>::zeroed(stream, 8).unwrap();
    let mut launch = |blocks, offsets| {
        let args = spin::Args { out: Segments { data: out.view_mut(), offsets }, input: input.view(), rounds: 2 };
        spin::launch(&*gpu, blocks, args)
    };
    assert_eq!((at.segments(), at.end()), (0, 0));
    assert!(matches!(launch(2, &at), Err(CudaError::Launch(_))));
    // The parcel does not bring back what was there before.
    replaced.set(stream, &offsets(&[0, 2, 8])).unwrap();
    sent.send(stream).unwrap();
    assert_eq!((at.segments(), at.end(), replaced.segments()), (2, 8, 2));
    launch(2, &at).unwrap();
    launch(2, &replaced).unwrap();
    drop(lost);
    assert!(matches!(launch(2, &never), Err(CudaError::Launch(_))));
}

#[test]
fn a_buffer_of_a_parcel_leaves_the_others_alone() {
    let Some(gpu) = gpu() else { return };
    let stream = gpu.stream();
    let pool = GpuBufferPool::new(gpu.context());
    let staged = PinnedBuffer::zeroed(gpu.context(), 1024).unwrap();
    let mut parcel = Parcel::new(&pool, stream, staged, 1024).unwrap();
    let before = parcel.add(&[1u32; 4]).unwrap().unwrap();
    let mut buffer = parcel.add(&[2u32; 4]).unwrap().unwrap();
    let after = parcel.add(&[3u32; 4]).unwrap().unwrap();
    parcel.send(stream).unwrap();
    assert_eq!(buffer.capacity(), 4);
    assert!(buffer.slice(..5).is_err());

    buffer.truncate(2);
    buffer.grow(stream, 3).unwrap();
    assert_eq!(buffer.download(stream).unwrap(), [2, 2, 0]);
    buffer.view_mut().zero(stream).unwrap();
    buffer.upload(stream, &[4, 5, 6]).unwrap();
    buffer.grow(stream, 100).unwrap();
    assert!(buffer.capacity() >= 100);
    let grown = buffer.download(stream).unwrap();
    assert_eq!((&grown[..4], grown[99]), (&[4, 5, 6, 0][..], 0));
    buffer.upload(stream, &[8; 100]).unwrap();
    assert_eq!(before.download(stream).unwrap(), [1; 4]);
    assert_eq!(after.download(stream).unwrap(), [3; 4]);
    assert_eq!(buffer.download(stream).unwrap(), [8; 100]);

    // Others have the memory, too.
    let error = LentBuffer::new(after, stream).unwrap_err();
    assert!(matches!(error, CudaError::InGraph { .. }), "{error}");
    drop(buffer);
    assert_eq!(LentBuffer::new(before, stream).unwrap().view().download(stream).unwrap(), [1; 4]);
}
