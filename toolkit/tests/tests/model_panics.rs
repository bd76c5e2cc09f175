//! Panics of a thread on which other threads depend: on CPU cores, and with the same location on a GPU, without a hang.
//! Without a GPU its part is skipped, and a line says so.

use cuda_host::{CudaExecutor, DeviceBuffer, Machine};
use cuda_std::launch::{CpuExecutor, LaunchError};
use cuda_std::panic::KernelPanic;
use test_kernels::{
    IMAGE, NO_BLOCK, STAGES, last_sum_panics, look_back_panics, reduction_panics, shuffle_panics, staged_panics,
};
use toolkit_tests::device::Machines;

fn gpu() -> Option<CudaExecutor> {
    toolkit_tests::device::executor("test kernels", IMAGE)
}

fn panic_of(result: Result<(), LaunchError>) -> KernelPanic {
    match result {
        Err(LaunchError::Panic(panic)) => panic,
        other => panic!("expected the kernel's panic: {other:?}"),
    }
}

/// What both sides must agree on.
fn place(panic: &KernelPanic) -> (&str, u32, u32, [u32; 3], [u32; 3], Option<&str>) {
    (&panic.kernel, panic.line, panic.column, panic.block, panic.thread, panic.message.as_deref())
}

const BLOCKS: u32 = 50;

#[test]
fn a_lane_that_panics_before_all_shuffle_ends_its_block() {
    let expected: Vec<u32> = (0..BLOCKS * 64).map(|i| i / 32 * 32 + 31 - i % 32).collect();
    let on_cpu = |bad, lane| {
        let mut out = vec![0; expected.len()];
        let args = shuffle_panics::Args { out: &mut out[..], bad, lane };
        shuffle_panics::launch(&CpuExecutor::new(), BLOCKS, args).map(|()| out)
    };
    assert_eq!(on_cpu(NO_BLOCK, 0).unwrap(), expected);
    for (bad, lane) in [(0, 0), (13, 31), (BLOCKS - 1, 16)] {
        let panic = panic_of(on_cpu(bad, lane).map(drop));
        assert_eq!((panic.block, panic.thread), ([bad, 0, 0], [32 + lane, 0, 0]));
        assert_eq!(panic.message.as_deref(), Some("this lane has nothing to give"));
    }
    let Some(gpu) = gpu() else { return };
    let mut out = DeviceBuffer::<u32>::zeroed(gpu.stream(), expected.len()).unwrap();
    let mut on_gpu = |bad, lane| {
        let args = shuffle_panics::Args { out: out.view_mut(), bad, lane };
        shuffle_panics::launch(&gpu, BLOCKS, args)?;
        out.download(gpu.stream())
    };
    for (bad, lane) in [(0, 0), (13, 31), (BLOCKS - 1, 16)] {
        let error = on_gpu(bad, lane).unwrap_err();
        let panic = error.kernel_panic().unwrap_or_else(|| panic!("{error}"));
        assert_eq!(place(panic), place(&panic_of(on_cpu(bad, lane).map(drop))));
        assert_eq!(on_gpu(NO_BLOCK, 0).unwrap(), expected, "the context lives on");
    }
}

/// The results of `reduction_panics`, computed for a block.
fn halved(limit: u32) -> Vec<u32> {
    let mut items: Vec<u32> = (1..=128).collect();
    while items.iter().sum::<u32>() > limit {
        items.iter_mut().for_each(|item| *item /= 2);
    }
    items
}

#[test]
fn a_thread_that_panics_ends_the_loop_that_its_blocks_reduction_drives() {
    let (limit, expected) = (300, halved(300).repeat(BLOCKS as usize));
    let on_cpu = |bad, in_reduction| {
        let mut out = vec![0; expected.len()];
        let args = reduction_panics::Args { out: &mut out[..], limit, bad, in_reduction };
        reduction_panics::launch(&CpuExecutor::new(), BLOCKS, args).map(|()| out)
    };
    assert_eq!(on_cpu(NO_BLOCK, 1).unwrap(), expected);
    let cases = [(0, 0, "this element is not to be halved"), (31, 1, "this element is not to be added")];
    for (bad, in_reduction, message) in cases {
        let panic = panic_of(on_cpu(bad, in_reduction).map(drop));
        assert_eq!((panic.block, panic.thread), ([bad, 0, 0], [77, 0, 0]));
        assert_eq!(panic.message.as_deref(), Some(message));
    }
    let Some(gpu) = gpu() else { return };
    let mut out = DeviceBuffer::<u32>::zeroed(gpu.stream(), expected.len()).unwrap();
    let mut on_gpu = |bad, in_reduction| {
        let args = reduction_panics::Args { out: out.view_mut(), limit, bad, in_reduction };
        reduction_panics::launch(&gpu, BLOCKS, args)?;
        out.download(gpu.stream())
    };
    for (bad, in_reduction, _) in cases {
        let error = on_gpu(bad, in_reduction).unwrap_err();
        let panic = error.kernel_panic().unwrap_or_else(|| panic!("{error}"));
        assert_eq!(place(panic), place(&panic_of(on_cpu(bad, in_reduction).map(drop))));
        assert_eq!(on_gpu(NO_BLOCK, 0).unwrap(), expected, "the context lives on");
    }
}

#[test]
fn a_sum_that_overflows_in_its_last_step_is_the_same_panic() {
    // The sum of a warp is 2^30, and the sum of two warps 2^31.
    const BAD_ITEM: u32 = 1 << 25;
    let (ours, bad) = (7, 13);
    let args = |out| last_sum_panics::Args { out, item: ours, bad, bad_item: BAD_ITEM };
    let mut out = vec![0; 128 * BLOCKS as usize];
    let on_cpu = panic_of(last_sum_panics::launch(&CpuExecutor::new(), BLOCKS, args(&mut out[..])));
    assert_eq!((on_cpu.block, on_cpu.message.as_deref()), ([bad, 0, 0], Some("attempt to add with overflow")));
    let Some(gpu) = gpu() else { return };
    let mut out = DeviceBuffer::<u32>::zeroed(gpu.stream(), 128 * BLOCKS as usize).unwrap();
    let mut on_gpu = |bad| {
        let args = last_sum_panics::Args { out: out.view_mut(), item: ours, bad, bad_item: BAD_ITEM };
        last_sum_panics::launch(&gpu, BLOCKS, args)?;
        out.download(gpu.stream())
    };
    for _ in 0..20 {
        let error = on_gpu(bad).unwrap_err();
        let panic = error.kernel_panic().unwrap_or_else(|| panic!("{error}"));
        assert_eq!((panic.line, panic.block, &panic.message), (on_cpu.line, on_cpu.block, &on_cpu.message));
        assert_eq!(on_gpu(NO_BLOCK).unwrap(), vec![128 * ours; 128 * BLOCKS as usize], "the context lives on");
    }
}

#[test]
fn all_threads_of_a_block_end_wherever_one_panics() {
    let run = |on: &Machine, bad, stage, thread| {
        let (mut out, mut ended) = (on.zeroed(128 * BLOCKS as usize)?, on.zeroed(BLOCKS as usize)?);
        let (out, ended_view) = (out.view_mut(), ended.view_mut());
        let args = staged_panics::Args { out, ended: ended_view, bad, stage, first: thread, last: thread };
        staged_panics::launch(on, BLOCKS, args)?;
        ended.download()
    };
    let place = |on: &Machine, bad, stage, thread| {
        let error = run(on, bad, stage, thread).unwrap_err();
        let panic = error.kernel_panic().unwrap_or_else(|| panic!("{on}: {error}"));
        assert_eq!((panic.block, panic.thread), ([bad, 0, 0], [thread, 0, 0]), "{on}, stage {stage}: {panic}");
        (panic.line, panic.column, panic.message.clone())
    };
    let machines = Machines::new("test kernels", IMAGE);
    let all = vec![128; BLOCKS as usize];
    assert_eq!(machines.same(|on| run(on, NO_BLOCK, 0, 0)), all);
    let mut lines = Vec::new();
    for stage in 0..STAGES {
        for (bad, thread) in [(0, 0), (13, 24), (BLOCKS - 1, 96)] {
            // CPU cores name the first thread of a team. Only one thread computes in stage 1.
            let thread = if stage == 1 { 0 } else { thread };
            let on_cpu = place(&Machine::cpu(), bad, stage, thread);
            lines.push(on_cpu.0);
            let Some(gpu) = machines.gpu() else { continue };
            let gpu = gpu.clone().into();
            assert_eq!(place(&gpu, bad, stage, thread), on_cpu);
            assert_eq!(run(&gpu, NO_BLOCK, 0, 0).unwrap(), all, "the context lives on");
        }
    }
    lines.dedup();
    assert_eq!(lines.len(), STAGES as usize, "each stage has its own panic");
}

#[test]
fn a_look_back_ends_if_a_part_is_not_announced() {
    let run = |on: &Machine, blocks: u32, bad, skip| {
        let (mut out, mut states) = (on.zeroed(blocks as usize)?, on.zeroed((blocks + skip) as usize + 1)?);
        let args = look_back_panics::Args { out: out.view_mut(), states: states.view_mut(), bad, skip };
        look_back_panics::launch(on, blocks, args)?;
        out.download()
    };
    let machines = Machines::new("test kernels", IMAGE);
    assert!((0..BLOCKS).eq(machines.same(|on| run(on, BLOCKS, NO_BLOCK, 0))));
    for on in machines.gpu().map(|gpu| gpu.clone().into()).into_iter().chain([Machine::cpu()]) {
        // More blocks than run at a time: later ones need not wait as long as the first.
        for (blocks, bad, skip, message) in [
            (BLOCKS, 0, 0, "attempt to divide by zero"),
            (100_000, 7, 0, "attempt to divide by zero"),
            (BLOCKS, NO_BLOCK, 1, "an earlier part of the look-back was not announced"),
        ] {
            let error = run(&on, blocks, bad, skip).unwrap_err();
            let panic = error.kernel_panic().unwrap_or_else(|| panic!("{on}: {error}"));
            assert_eq!(panic.message.as_deref(), Some(message), "{on}");
            assert!((0..BLOCKS).eq(run(&on, BLOCKS, NO_BLOCK, 0).unwrap()), "the context lives on");
        }
    }
}
