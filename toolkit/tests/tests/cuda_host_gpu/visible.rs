//! Memory that host and device both access.

use crate::gpu;
use cuda_host::{Context, CudaError, CudaExecutor, DeviceBuffer, DeviceOffsets, Graph, VisibleBuffer};
use cuda_std::launch::{Offsets, Segments};
use test_kernels::{fail, spin};

#[test]
fn mapped_memory_is_used_in_turns() {
    let Some(gpu) = gpu() else { return };
    turns(&gpu, VisibleBuffer::mapped);
}

#[test]
fn unified_memory_is_used_in_turns() {
    let Some(gpu) = gpu() else { return };
    match VisibleBuffer::<u8>::unified(gpu.context(), 0) {
        Err(error @ CudaError::NoUnifiedMemory { .. }) => println!("skipped: {error}"),
        empty => {
            assert!(empty.unwrap().as_slice().unwrap().is_empty());
            turns(&gpu, VisibleBuffer::unified);
        }
    }
}

/// Host and device alternate, results of panics are refused, and a graph's memory is exclusive.
fn turns(gpu: &CudaExecutor, make: impl Fn(&Context, usize) -> Result<VisibleBuffer<u32>, CudaError>) {
    let stream = gpu.stream();
    let mut memory = make(gpu.context(), 64).unwrap();
    assert_eq!(memory.as_slice().unwrap(), [0; 64]);
    for round in 0..50u32 {
        let mut words = DeviceBuffer::from_slice(stream, &[round; 64]).unwrap();
        memory.view_mut().copy_from_device(stream, words.view()).unwrap();
        assert_eq!(memory.as_slice().unwrap(), [round; 64]);
        memory.as_mut_slice().unwrap()[round as usize] = 1000;
        words.view_mut().copy_from_device(stream, memory.view()).unwrap();
        let mut expected = [round; 64];
        expected[round as usize] = 1000;
        assert_eq!(words.download(stream).unwrap(), expected);
    }
    let numbers: Vec<u32> = (0..64).collect();
    memory.view_mut().upload(stream, &numbers).unwrap();
    assert_eq!(memory.view().download(stream).unwrap(), numbers);
    memory.view_mut().slice(8..).unwrap().zero(stream).unwrap();
    assert_eq!((memory.as_slice().unwrap()[7], memory.as_slice().unwrap()[8]), (7, 0));
    let at = DeviceOffsets::new(stream, &Offsets::new(vec![0, 64]).unwrap()).unwrap();
    let input = DeviceBuffer::from_slice(stream, &[5u32; 64]).unwrap();
    // The host waits for a slow kernel, also before it writes.
    let mut other = make(gpu.context(), 64).unwrap();
    for rounds in [crate::slow(), 3] {
        let out = Segments { data: memory.view_mut(), offsets: &at };
        spin::launch(gpu, 1, spin::Args { out, input: input.view(), rounds }).unwrap();
        let out = Segments { data: other.view_mut(), offsets: &at };
        spin::launch(gpu, 1, spin::Args { out, input: memory.view(), rounds: 1 }).unwrap();
        memory.as_mut_slice().unwrap().fill(0);
        assert_eq!(other.as_slice().unwrap(), [crate::spun(5, rounds + 1); 64]);
    }
    let out = Segments { data: memory.view_mut(), offsets: &at };
    fail::launch(gpu, 1, fail::Args { out, input: input.view(), block_to_fail: 0, index: 64 }).unwrap();
    let error = memory.as_slice().unwrap_err();
    assert_eq!(error.kernel_panic().expect("an index out of bounds").kernel, "fail");
    assert!(gpu.synchronize().is_err(), "the stream reports it, too");
    memory.as_mut_slice().unwrap().fill(6);
    assert_eq!(memory.as_slice().unwrap(), [6; 64]);

    let (mut graph, ()) = Graph::record::<_, CudaError>(gpu, |recorder| {
        memory.view_mut().copy_from_device(recorder.stream(), input.view())
    })
    .unwrap();
    assert!(matches!(memory.as_slice(), Err(CudaError::InGraph { .. })));
    assert!(matches!(memory.as_mut_slice(), Err(CudaError::InGraph { .. })));
    graph.launch(stream).unwrap();
    drop(graph);
    assert_eq!(memory.as_slice().unwrap(), [5; 64]);
}
