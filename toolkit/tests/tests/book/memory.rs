//! The examples of the chapter on pools, staging, streams and graphs, on a GPU. Without one each test prints a line and
//! passes, unless CUDA_REQUIRE_GPU=1 requires a GPU.

// ANCHOR: imports
use cuda_host::{
    CudaError, CudaExecutor, DeviceBlock, DeviceBuffer, DeviceOffsets, DeviceSource, GpuBufferPool, Graph,
    MemorySource, PinnedPool, PoolOptions, Staged, Timeline,
};
use cuda_std::prelude::*;
use test_kernels::roots;
// ANCHOR_END: imports
use std::sync::atomic::{AtomicUsize, Ordering};
use toolkit_tests::device::is_there;

fn open() -> Result<Option<CudaExecutor>, CudaError> {
    if is_there() { CudaExecutor::open(0, "test kernels", test_kernels::IMAGE).map(Some) } else { Ok(None) }
}

/// `sqrt(4 x + i)` of each element.
fn expected(input: &[f32]) -> Vec<f32> {
    input.iter().enumerate().map(|(i, x)| x.mul_add(4.0, i as f32).sqrt()).collect()
}

// ANCHOR: pool
/// Square roots of batches of any size, in sequence.
fn batches(executor: &CudaExecutor, pool: &GpuBufferPool, batches: &[Vec<f32>]) -> Result<Vec<Vec<f32>>, CudaError> {
    let stream = executor.stream();
    let mut results = Vec::new();
    for batch in batches {
        let input = pool.lease_from(stream, batch)?;
        let mut out = pool.lease::<f32>(stream, batch.len())?;
        let offsets = Offsets::new(vec![0, batch.len() as u32]).expect("offsets that do not fall");
        let offsets = DeviceOffsets::leased(pool, stream, &offsets)?;
        let segments = Segments { data: out.view_mut(), offsets: &offsets };
        roots::launch(executor, 1, roots::Args { out: segments, input: input.view(), scale: 4.0 })?;
        results.push(out.download(stream)?);
        // All three return to the pool here. The next iteration gets the same memory.
    }
    Ok(results)
}
// ANCHOR_END: pool

#[test]
fn batches_use_the_same_memory() -> Result<(), CudaError> {
    let Some(executor) = open()? else { return Ok(()) };
    // ANCHOR: statistics
    let pool = GpuBufferPool::new(executor.context());
    let data: Vec<Vec<f32>> = (0..20).map(|batch| vec![batch as f32; 1000 - batch]).collect();
    let results = batches(&executor, &pool, &data)?;
    let found = pool.statistics();
    assert_eq!((found.allocations, found.reuses), (3, 57));
    println!("{} bytes held, at most {} in use", found.bytes_held, found.peak_in_use);
    // ANCHOR_END: statistics
    for (batch, result) in data.iter().zip(results) {
        assert_eq!(result, expected(batch));
    }
    Ok(())
}

#[test]
fn memory_is_handed_from_stream_to_stream() -> Result<(), CudaError> {
    let Some(executor) = open()? else { return Ok(()) };
    let pool = GpuBufferPool::new(executor.context());
    // ANCHOR: streams
    let (first, second) = (executor.stream(), executor.context().stream()?);
    let a = pool.lease_from(first, &[1.0f32; 1000])?;
    let mut b = DeviceBuffer::<f32>::zeroed(first, 1000)?;
    b.view_mut().copy_from_device(first, a.view())?;
    // The copy may still run; the memory returns at once, without waiting.
    drop(a);
    // On another stream: its first use of the memory waits for the copy on the device.
    let mut c = pool.lease::<f32>(&second, 1000)?;
    c.view_mut().zero(&second)?;
    // ANCHOR_END: streams
    assert_eq!(b.download(first)?, [1.0; 1000]);
    assert_eq!(c.download(&second)?, [0.0; 1000]);
    assert_eq!(pool.statistics().allocations, 1);
    Ok(())
}

#[test]
fn buffers_grow() -> Result<(), CudaError> {
    let Some(executor) = open()? else { return Ok(()) };
    let (pool, stream) = (GpuBufferPool::new(executor.context()), executor.stream());
    // ANCHOR: grow
    let mut buffer = pool.lease_from(stream, &[1u32, 2, 3])?;
    buffer.grow(stream, 1_000_000)?;
    assert_eq!(buffer.slice(..5)?.download(stream)?, [1, 2, 3, 0, 0]);
    // ANCHOR_END: grow
    Ok(())
}

// ANCHOR: source
/// Counts requests to the driver, and refuses everything beyond `most` bytes.
struct Counting {
    device: DeviceSource,
    calls: &'static AtomicUsize,
    most: usize,
}

impl MemorySource<DeviceBlock> for Counting {
    fn allocate(&self, bytes: usize) -> Result<DeviceBlock, CudaError> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        if bytes > self.most {
            let operation = format!("allocating {bytes} bytes");
            return Err(CudaError::OutOfMemory { operation, bytes, free: self.most, total: self.most });
        }
        self.device.allocate(bytes)
    }
}
// ANCHOR_END: source

#[test]
fn memory_that_runs_out_is_an_error_with_numbers() -> Result<(), CudaError> {
    let Some(executor) = open()? else { return Ok(()) };
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    // ANCHOR: out-of-memory
    let source = Counting { device: DeviceSource::new(executor.context()), calls: &CALLS, most: 1 << 20 };
    let pool = GpuBufferPool::with_source(executor.context(), PoolOptions::default(), source);
    let error = pool.lease::<u8>(executor.stream(), 8 << 20).expect_err("there is less");
    assert!(error.is_out_of_memory());
    assert!(error.to_string().contains("8388608 bytes wanted, 1048576 of the device's 1048576 free"));
    // Twice: with headroom, and, after the pool freed its unused blocks, without.
    assert_eq!(CALLS.load(Ordering::Relaxed), 2);
    // ANCHOR_END: out-of-memory
    Ok(())
}

#[test]
fn staging_overlaps_with_computing() -> Result<(), CudaError> {
    let Some(executor) = open()? else { return Ok(()) };
    let context = executor.context();
    let at = DeviceOffsets::new(executor.stream(), &Offsets::new(vec![0, 100_000]).expect("offsets"))?;
    // ANCHOR: staging
    let (up, down) = (context.stream()?, context.stream()?);
    let (memory, staging) = (GpuBufferPool::new(context), PinnedPool::new(context));
    let mut results = Vec::new();
    for batch in 0..10 {
        let mut upload = staging.lease::<f32>(100_000)?;
        // The host writes this batch while the previous one is copied and computed.
        upload.as_mut_slice()?.fill(batch as f32);
        let mut input = memory.lease::<f32>(&up, 100_000)?;
        upload.upload(&up, input.view_mut())?;
        let mut out = memory.lease::<f32>(executor.stream(), 100_000)?;
        let segments = Segments { data: out.view_mut(), offsets: &at };
        roots::launch(&executor, 1, roots::Args { out: segments, input: input.view(), scale: 4.0 })?;
        let mut download = staging.lease::<f32>(100_000)?;
        download.download(&down, out.view())?;
        results.push(download);
        // `upload`, `input` and `out` return to their pools while they are in use.
    }
    for result in &results {
        // Waits for its own copy.
        let elements: &[f32] = result.as_slice()?;
        // ANCHOR_END: staging
        assert_eq!(elements.len(), 100_000);
    }
    for (batch, result) in results.iter().enumerate() {
        assert_eq!(result.as_slice()?, expected(&vec![batch as f32; 100_000]));
    }
    let found = staging.statistics();
    assert!(found.allocations <= 13, "ten results, and three to upload from: {found:?}");
    Ok(())
}

#[test]
fn what_overlaps_is_seen() -> Result<(), CudaError> {
    let Some(executor) = open()? else { return Ok(()) };
    let context = executor.context();
    let (up, down) = (context.stream()?, context.stream()?);
    let staging = PinnedPool::new(context);
    let (upload, mut download) = (staging.lease::<u8>(1 << 24)?, staging.lease::<u8>(1 << 24)?);
    let mut to = DeviceBuffer::<u8>::zeroed(&up, 1 << 24)?;
    let from = DeviceBuffer::<u8>::zeroed(&down, 1 << 24)?;
    // ANCHOR: timeline
    let timeline = Timeline::new(&up)?;
    let there = timeline.begin(&up)?;
    upload.upload(&up, to.view_mut())?;
    let there = there.end()?;
    let back = timeline.begin(&down)?;
    download.download(&down, from.view())?;
    let back = back.end()?;
    // Reading waits.
    println!(
        "there {:?}, back {:?}: {} ms in common",
        there.milliseconds()?,
        back.milliseconds()?,
        there.overlap_ms(&back)?
    );
    // ANCHOR_END: timeline
    assert!(there.overlap_ms(&back)? <= there.milliseconds()?.end);
    Ok(())
}

// ANCHOR: graph
/// All work on a batch, ready to launch: a graph, with its input and results.
struct Pipeline {
    graph: Graph,
    input: Staged<f32>,
    results: Staged<f32>,
}

fn record(executor: &CudaExecutor, len: usize) -> Result<Pipeline, CudaError> {
    let stream = executor.stream();
    let (memory, staging) = (GpuBufferPool::new(executor.context()), PinnedPool::new(executor.context()));
    let (upload, download) = (staging.lease::<f32>(len)?, staging.lease::<f32>(len)?);
    let mut input = memory.lease::<f32>(stream, len)?;
    let mut out = memory.lease::<f32>(stream, len)?;
    let offsets = Offsets::new(vec![0, len as u32]).expect("offsets that do not fall");
    let offsets = DeviceOffsets::new(stream, &offsets)?;
    let (graph, (input, results)) = Graph::record::<_, CudaError>(executor, |recorder| {
        let (upload, download) = (recorder.own(upload), recorder.own(download));
        recorder.upload(&upload, input.view_mut())?;
        let segments = Segments { data: out.view_mut(), offsets: &offsets };
        roots::launch(recorder.executor(), 1, roots::Args { out: segments, input: input.view(), scale: 4.0 })?;
        recorder.download(out.view(), &download)?;
        Ok((upload, download))
    })?;
    // Buffers, offsets and pools are dropped here. The graph keeps what it uses.
    Ok(Pipeline { graph, input, results })
}
// ANCHOR_END: graph

#[test]
fn a_graph_is_launched_for_each_batch() -> Result<(), CudaError> {
    let Some(executor) = open()? else { return Ok(()) };
    // ANCHOR: launches
    let mut pipeline = record(&executor, 1000)?;
    for batch in 0..100 {
        pipeline.graph.pinned_mut(&pipeline.input)?.fill(batch as f32);
        pipeline.graph.launch(executor.stream())?;
        // Waits for the launch, and reports a panic in it.
        let results = pipeline.graph.pinned(&pipeline.results)?;
        assert_eq!(results[0], (4.0 * batch as f32).sqrt());
    }
    // ANCHOR_END: launches
    assert_eq!(pipeline.graph.pinned(&pipeline.results)?, expected(&[99.0; 1000]));
    Ok(())
}
