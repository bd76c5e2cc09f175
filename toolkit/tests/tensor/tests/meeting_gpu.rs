//! Kernels whose blocks meet, on CPU cores and on a GPU.

use cuda_host::{CudaError, CudaExecutor, DeviceBuffer, Graph};
use cuda_std::launch::LaunchError;
use cuda_std::prelude::*;
use std::future::Future;
use std::pin::pin;
use std::task::{Poll, Waker};
use tensor_kernels::{ordered, rounds};
use tensor_tests::gpus;

const NONE: u32 = u32::MAX;

fn on_cpu(executor: CpuExecutor, n: u32, blocks: u32, turns: u32, bad: u32) -> Result<(Vec<u32>, u32), LaunchError> {
    let (mut x, mut other, mut meetings): (Vec<u32>, _, _) = ((0..n).collect(), vec![0; n as usize], [0]);
    let [x_there, other] = [&mut x[..], &mut other[..]];
    let args = rounds::Args { x: x_there, other, meetings: &mut meetings[..], rounds: turns, bad, when: turns / 2 };
    rounds::launch(&executor, blocks, args)?;
    Ok((x, meetings[0]))
}

fn on_gpu(gpu: &CudaExecutor, n: u32, blocks: u32, turns: u32, bad: u32) -> Result<(Vec<u32>, u32), CudaError> {
    let stream = gpu.stream();
    let mut x = DeviceBuffer::from_slice(stream, &(0..n).collect::<Vec<_>>())?;
    let (mut other, mut meetings) = (DeviceBuffer::zeroed(stream, n as usize)?, DeviceBuffer::zeroed(stream, 1)?);
    let (x_there, other, counted) = (x.view_mut(), other.view_mut(), meetings.view_mut());
    let args = rounds::Args { x: x_there, other, meetings: counted, rounds: turns, bad, when: turns / 2 };
    rounds::launch(gpu, blocks, args)?;
    Ok((x.download(stream)?, meetings.download(stream)?[0]))
}

#[test]
fn all_blocks_see_what_all_have_written() {
    let gpus = gpus("sm_75");
    for (n, blocks, turns) in [(1, 1, 3), (5, 7, 4), (1000, 3, 5), (20_000, 32, 20), (300_001, 66, 9)] {
        let (expected, meetings) = on_cpu(CpuExecutor::new(), n, blocks, turns, NONE).unwrap();
        assert_eq!(meetings, 96 * blocks * turns);
        assert_eq!(on_cpu(CpuExecutor::shuffled(1), n, blocks, turns, NONE).unwrap(), (expected.clone(), meetings));
        for (name, gpu) in &gpus {
            // The second launch finds what the first one has left.
            for _ in 0..2 {
                let found = on_gpu(gpu, n, blocks, turns, NONE).unwrap();
                assert!(found == (expected.clone(), meetings), "{name}: {n} elements, {blocks} blocks");
            }
        }
    }
}

#[test]
fn as_many_blocks_meet_as_the_device_runs_at_once_and_no_more() {
    for (name, gpu) in &gpus("sm_75") {
        let most = gpu.most_blocks_that_meet::<rounds::Kernel>().unwrap();
        let expected = on_cpu(CpuExecutor::new(), 5000, most, 10, NONE).unwrap();
        assert!(on_gpu(gpu, 5000, most, 10, NONE).unwrap() == expected, "{name}: {most} blocks");
        let error = on_gpu(gpu, 5000, most + 1, 10, NONE).unwrap_err();
        assert!(
            matches!(error, CudaError::TooManyBlocksToMeet { blocks, .. } if blocks == most + 1),
            "{name}: {error}"
        );
    }
}

#[test]
fn a_panic_ends_all_blocks() {
    let (n, blocks) = (5000, 40);
    let Err(LaunchError::Panic(expected)) = on_cpu(CpuExecutor::new(), n, blocks, 6, 4000) else {
        panic!("no panic on CPU cores")
    };
    // Threads of all blocks take indices in turn: index 4000 belongs to thread 64 of block 1.
    assert_eq!(
        (expected.block, expected.thread, expected.message.as_deref()),
        ([1, 0, 0], [64, 0, 0], Some("the bad element"))
    );
    for (name, gpu) in &gpus("sm_75") {
        let Err(CudaError::Panic(found)) = on_gpu(gpu, n, blocks, 6, 4000) else { panic!("{name}: no panic") };
        assert_eq!((found.line, found.block, found.thread), (expected.line, expected.block, expected.thread), "{name}");
        // The device still works.
        let expected = on_cpu(CpuExecutor::new(), n, blocks, 6, NONE).unwrap();
        assert!(on_gpu(gpu, n, blocks, 6, NONE).unwrap() == expected, "{name}");
    }
}

fn numbers(n: u32) -> Vec<f32> {
    (0..n).map(|i| 1.0 / (i as f32 + 1.0)).collect()
}

fn bits(x: &[f32]) -> Vec<u32> {
    x.iter().map(|x| x.to_bits()).collect()
}

type Ordered = (Vec<u32>, Vec<u32>);

fn ordered_on_cpu(executor: CpuExecutor, n: u32, blocks: u32, bad: u32) -> Result<Ordered, LaunchError> {
    let (mut x, mut other, mut scratch, mut sums) =
        (numbers(n), vec![0.0; n as usize], vec![0.0; 2 * n as usize], [0.0; 3]);
    let args = ordered::Args {
        x: &mut x[..],
        other: &mut other[..],
        scratch: &mut scratch[..],
        sums: &mut sums[..],
        rounds: 5,
        bad,
    };
    ordered::launch(&executor, blocks, args)?;
    Ok((bits(&x), bits(&sums)))
}

/// The device memory of a launch of `ordered`.
struct There([DeviceBuffer<f32>; 4]);

impl There {
    fn new(gpu: &CudaExecutor, n: u32) -> Result<Self, CudaError> {
        let zeroed = |n: u32| DeviceBuffer::zeroed(gpu.stream(), n as usize);
        Ok(Self([DeviceBuffer::from_slice(gpu.stream(), &numbers(n))?, zeroed(n)?, zeroed(2 * n)?, zeroed(3)?]))
    }

    fn launch(&mut self, gpu: &CudaExecutor, blocks: u32, bad: u32) -> Result<(), CudaError> {
        let [x, other, scratch, sums] = self.0.each_mut().map(DeviceBuffer::view_mut);
        ordered::launch(gpu, blocks, ordered::Args { x, other, scratch, sums, rounds: 5, bad })
    }

    fn results(&self, gpu: &CudaExecutor) -> Result<Ordered, CudaError> {
        let [x, _, _, sums] = &self.0;
        Ok((bits(&x.download(gpu.stream())?), bits(&sums.download(gpu.stream())?)))
    }
}

#[test]
fn reductions_in_order_depend_on_the_number_of_elements_only() {
    let gpus = gpus("sm_75");
    for n in [1, 31, 33, 1023, 1024, 1025, 5000, 27_001] {
        let expected = ordered_on_cpu(CpuExecutor::new(), n, 1, NONE).unwrap();
        assert!(ordered_on_cpu(CpuExecutor::shuffled(2), n, 5, NONE).unwrap() == expected, "{n} elements, shuffled");
        for ((name, gpu), blocks) in gpus.iter().flat_map(|gpu| [1, 2, 27, 60].map(|blocks| (gpu, blocks))) {
            let mut there = There::new(gpu, n).unwrap();
            there.launch(gpu, blocks, NONE).unwrap();
            assert!(there.results(gpu).unwrap() == expected, "{name}: {n} elements, {blocks} blocks");
        }
    }
}

#[test]
fn a_panic_before_a_reduction_ends_all_blocks() {
    let (n, blocks, bad) = (5000, 9, 4000);
    let Err(LaunchError::Panic(expected)) = ordered_on_cpu(CpuExecutor::new(), n, blocks, bad) else {
        panic!("no panic on CPU cores")
    };
    assert_eq!((expected.block, expected.thread), ([bad / 256 % blocks, 0, 0], [bad % 256, 0, 0]));
    for (name, gpu) in &gpus("sm_75") {
        let mut there = There::new(gpu, n).unwrap();
        let found = there.launch(gpu, blocks, bad).and_then(|()| there.results(gpu));
        let Err(CudaError::Panic(found)) = found else { panic!("{name}: no panic") };
        assert_eq!((found.line, found.block, found.thread), (expected.line, expected.block, expected.thread), "{name}");
    }
}

#[test]
fn a_panic_that_the_host_has_read_meanwhile_ends_all_blocks() {
    // Blocks may still wait for the one in which a thread has panicked when the host reads and clears the stream's record.
    let (n, blocks, bad) = (5000, 9, 4000);
    for (name, gpu) in &gpus("sm_75") {
        for turn in 0..50 {
            let mut there = There::new(gpu, n).unwrap();
            // Each is ready at once, and then looks at the record.
            let earlier: Vec<_> = (0..300).map(|_| gpu.stream().finished().unwrap()).collect();
            gpu.stream().synchronize().unwrap();
            there.launch(gpu, blocks, bad).unwrap();
            let mut task = std::task::Context::from_waker(Waker::noop());
            for finished in earlier {
                if let Poll::Ready(Err(error)) = pin!(finished).poll(&mut task) {
                    assert!(matches!(error, CudaError::Panic(_)), "{name}, {turn}: {error}");
                }
            }
            let found = there.results(gpu).expect_err("results of a kernel that panicked");
            assert!(found.kernel_panic().is_some(), "{name}, {turn}: {found}");
        }
    }
}

#[test]
fn a_graph_may_have_launches_whose_blocks_meet() {
    let (n, blocks) = (3000, 12);
    let once = ordered_on_cpu(CpuExecutor::new(), n, blocks, NONE).unwrap();
    for (name, gpu) in &gpus("sm_75") {
        let mut there = There::new(gpu, n).unwrap();
        let (mut graph, ()) = Graph::record::<_, CudaError>(gpu, |recorder| {
            // Other numbers of blocks in the same graph.
            let begin = DeviceBuffer::from_slice(gpu.stream(), &numbers(n))?;
            for blocks in [blocks, 2, blocks] {
                there.0[0].view_mut().copy_from_device(recorder.stream(), begin.view())?;
                there.launch(recorder.executor(), blocks, NONE)?;
            }
            Ok(())
        })
        .unwrap();
        for _ in 0..3 {
            graph.launch(gpu.stream()).unwrap();
            assert!(there.results(gpu).unwrap() == once, "{name}");
        }
    }
}
