//! Other schedules on a device: the seeds that launches set, on a simulated driver, and a race that they find, on a GPU.
//!
//! Without a GPU the latter prints a line and passes, unless CUDA_REQUIRE_GPU=1 requires one.

use cuda_host::{Context, CudaError, CudaExecutor, DeviceBuffer, DeviceOffsets, Graph, Image, Module};
use cuda_std::compat::launch::LaunchShape;
use cuda_std::launch::{CpuExecutor, LaunchError};
use cuda_std::prelude::*;
use std::path::PathBuf;
use test_kernels::{IMAGE, PTX, raw_turn, raw_turn_unmet, safe_histogram, spin, turn};
use toolkit_tests::device::is_there;
use toolkit_tests::simulated::{in_a_process_of_its_own, with_driver};

const SEED: &str = "CUDA_SCHEDULE_SEED";
const REPORT: &str = "CUDA_SCHEDULE_REPORT";
const REPEAT: &str = "CUDA_SCHEDULE_REPEAT";
/// Where the simulated driver lists what runs.
const RAN: &str = "CUDA_SIMULATED_LAUNCHES";

fn file(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("schedules-{name}-{}", std::process::id()))
}

/// Whether this process was started for a test with a simulated driver, a seed and files for both lists, which are returned.
fn with_seed(test: &str) -> Option<(PathBuf, PathBuf)> {
    with_seed_and_repeats(test, "0")
}

/// As [`with_seed`], with a number of times that each launch runs before it runs for good.
fn with_seed_and_repeats(test: &str, repeats: &str) -> Option<(PathBuf, PathBuf)> {
    let set = |name| std::env::var_os(name).map(PathBuf::from);
    if let (Some(report), Some(ran)) = (set(REPORT), set(RAN)) {
        return with_driver(test, &[]).then_some((report, ran));
    }
    let (report, ran) = (file(&format!("{test}-report")), file(&format!("{test}-ran")));
    let names = [&report, &ran].map(|path| path.to_str().unwrap().to_owned());
    // The process starts another one for the driver, which has its variables.
    toolkit_tests::simulated::process(
        &["--exact", test],
        &[(SEED, "17"), (REPEAT, repeats), (REPORT, &names[0]), (RAN, &names[1])],
    );
    for path in [report, ran] {
        let _ = std::fs::remove_file(path);
    }
    None
}

/// Queues `spin` and `turn` of 64 elements.
fn launch_both(
    executor: &CudaExecutor,
    memory: &mut [DeviceBuffer<u32>; 3],
    at: &DeviceOffsets,
) -> Result<(), CudaError> {
    let [input, middle, out] = memory;
    let segments = Segments { data: middle.view_mut(), offsets: at };
    spin::launch(executor, 1, spin::Args { out: segments, input: input.view(), rounds: 3 })?;
    let segments = Segments { data: out.view_mut(), offsets: at };
    turn::launch(executor, 1, turn::Args { out: segments, input: middle.view() })
}

fn memory(executor: &CudaExecutor) -> ([DeviceBuffer<u32>; 3], DeviceOffsets) {
    let buffer = || DeviceBuffer::zeroed(executor.stream(), 64).unwrap();
    let offsets = DeviceOffsets::new(executor.stream(), &Offsets::new(vec![0, 64]).unwrap()).unwrap();
    ([buffer(), buffer(), buffer()], offsets)
}

#[test]
fn each_launch_runs_with_its_own_seed_which_the_report_names() {
    let Some((report, ran)) = with_seed("each_launch_runs_with_its_own_seed_which_the_report_names") else { return };
    let executor = CudaExecutor::open(0, "test kernels", IMAGE).unwrap();
    assert_eq!(executor.modules()[0].machine_code(), None);
    let (mut memory, at) = memory(&executor);
    for _ in 0..10 {
        launch_both(&executor, &mut memory, &at).unwrap();
    }
    executor.synchronize().unwrap();
    let report = std::fs::read_to_string(report).unwrap();
    assert_eq!(std::fs::read_to_string(ran).unwrap(), report, "what the host lists is what the device has");
    let mut seeds: Vec<&str> = report.lines().map(|line| line.split_once(' ').unwrap().1).collect();
    seeds.sort_unstable();
    seeds.dedup();
    assert_eq!((report.lines().count(), seeds.len()), (20, 20), "{report}");
}

#[test]
fn a_launch_that_is_repeated_runs_with_another_seed_each_time() {
    let own = "a_launch_that_is_repeated_runs_with_another_seed_each_time";
    let Some((report, ran)) = with_seed_and_repeats(own, "4") else { return };
    let executor = CudaExecutor::open(0, "test kernels", IMAGE).unwrap();
    let (mut memory, at) = memory(&executor);
    launch_both(&executor, &mut memory, &at).unwrap();
    executor.synchronize().unwrap();
    let report = std::fs::read_to_string(report).unwrap();
    assert_eq!(std::fs::read_to_string(ran).unwrap(), report);
    let lines: Vec<_> = report.lines().map(|line| line.split_once(' ').unwrap()).collect();
    let names: Vec<&str> = lines.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, [["spin"; 5], ["turn"; 5]].concat());
    let mut seeds: Vec<&str> = lines.iter().map(|(_, seed)| *seed).collect();
    seeds.sort_unstable();
    seeds.dedup();
    assert_eq!(seeds.len(), 10, "{report}");
}

#[test]
fn each_launch_of_a_graph_has_a_seed_for_all_of_its_kernels() {
    let Some((report, ran)) = with_seed("each_launch_of_a_graph_has_a_seed_for_all_of_its_kernels") else { return };
    let executor = CudaExecutor::open(0, "test kernels", IMAGE).unwrap();
    let (mut memory, at) = memory(&executor);
    let recorded = Graph::record::<_, CudaError>(&executor, |recorder| {
        launch_both(recorder.executor(), &mut memory, &at)?;
        launch_both(recorder.executor(), &mut memory, &at)
    });
    let (mut graph, ()) = recorded.unwrap();
    assert_eq!(graph.nodes(), 4, "recording adds nothing");
    assert!(!report.exists() || std::fs::read_to_string(&report).unwrap().is_empty(), "nothing has run");
    for _ in 0..5 {
        graph.launch(executor.stream()).unwrap();
    }
    executor.synchronize().unwrap();
    let ran = std::fs::read_to_string(ran).unwrap();
    let lines: Vec<&str> = ran.lines().collect();
    let mut seeds: Vec<&str> = lines
        .chunks(4)
        .map(|launch| {
            let parts: Vec<_> = launch.iter().map(|line| line.split_once(' ').unwrap()).collect();
            assert_eq!(parts.iter().map(|part| part.0).collect::<Vec<_>>(), ["spin", "turn", "spin", "turn"]);
            assert!(parts.iter().all(|part| part.1 == parts[0].1), "{launch:?}");
            parts[0].1
        })
        .collect();
    seeds.sort_unstable();
    seeds.dedup();
    assert_eq!(seeds.len(), 5, "{ran}");
    let mut reported: Vec<String> = std::fs::read_to_string(report).unwrap().lines().map(str::to_owned).collect();
    let mut lines: Vec<String> = lines.into_iter().map(str::to_owned).collect();
    reported.sort_unstable();
    lines.sort_unstable();
    assert_eq!(reported, lines);
}

#[test]
fn without_the_variable_nothing_is_added() {
    let ran = file("without");
    let own = "without_the_variable_nothing_is_added";
    if std::env::var_os(RAN).is_none() {
        toolkit_tests::simulated::process(&["--exact", own], &[(RAN, ran.to_str().unwrap())]);
        let _ = std::fs::remove_file(ran);
        return;
    }
    if !with_driver(own, &[]) {
        return;
    }
    let executor = CudaExecutor::open(0, "test kernels", IMAGE).unwrap();
    let (mut memory, at) = memory(&executor);
    launch_both(&executor, &mut memory, &at).unwrap();
    executor.synchronize().unwrap();
    let ran = std::fs::read_to_string(std::env::var_os(RAN).unwrap()).unwrap();
    assert_eq!(ran, "spin without\nturn without\n");
}

#[test]
fn a_damaged_image_is_refused_before_it_gets_delays() {
    if with_seed("a_damaged_image_is_refused_before_it_gets_delays").is_none() {
        return;
    }
    let load = |ptx: &str| {
        // SAFETY: the simulated driver runs nothing of it.
        let image = unsafe { Image::from_files("test_kernels.sm_75.ptx", ptx, &[]) };
        Module::load(&Context::new(0).unwrap(), "test kernels", image)
    };
    load(PTX).unwrap();
    let at = PTX.find("bar.sync").unwrap();
    let changed = format!("{}bar.sinc{}", &PTX[..at], &PTX[at + "bar.sync".len()..]);
    assert!(matches!(load(&changed), Err(CudaError::Damaged { .. })));
    // Text from elsewhere has no digest; what is not known is refused.
    // SAFETY: as above.
    let foreign =
        unsafe { Image::from_text("foreign", ".version 6.3\n.target sm_75\n.address_size 64\n.entry k() { meet; }\n") };
    let error = Module::load(&Context::new(0).unwrap(), "foreign", foreign).err().unwrap();
    assert!(matches!(error, CudaError::Schedule { .. }), "{error}");
    let text = error.to_string();
    assert!(text.contains("`foreign`") && text.contains("line 4") && text.contains("`meet`"), "{text}");
}

/// Wrong on purpose: threads draw in any order.
#[cfg(debug_assertions)]
#[kernel(threads = 32)]
fn tickets(block: &mut Block, out: &mut Chunk<u32, 32>, next: &Atomics<u32>) {
    let drawn = block.per_thread(|thread| next.add(thread, 0, 1));
    out.write(block, 0, &drawn, |_, ticket| *ticket);
}

#[test]
#[cfg(debug_assertions)]
fn the_number_is_the_seed_of_the_order_on_cpu_cores() {
    let run = |executor: &CpuExecutor| {
        let mut out = [0; 32];
        tickets::launch(executor, 1, tickets::Args { out: &mut out, next: &mut [0] }).unwrap();
        out
    };
    if std::env::var_os(SEED).is_none() {
        assert!(run(&CpuExecutor::new()).is_sorted(), "the usual order");
    }
    if in_a_process_of_its_own("the_number_is_the_seed_of_the_order_on_cpu_cores", &[(SEED, "3")]) {
        assert_eq!(run(&CpuExecutor::new()), run(&CpuExecutor::shuffled(3)));
        assert_ne!(run(&CpuExecutor::new()), run(&CpuExecutor::shuffled(4)));
    }
}

#[test]
fn a_seed_that_is_no_number_is_an_error_on_cpu_cores_and_on_a_gpu() {
    let own = "a_seed_that_is_no_number_is_an_error_on_cpu_cores_and_on_a_gpu";
    if std::env::var_os(SEED).is_none() {
        toolkit_tests::simulated::process(&["--exact", own], &[(SEED, "many")]);
        return;
    }
    if !with_driver(own, &[]) {
        return;
    }
    let expected = LaunchError::ScheduleSeed { value: "many".to_owned() };
    let error = Module::load(&Context::new(0).unwrap(), "test kernels", IMAGE).err().unwrap();
    assert_eq!(error, CudaError::Launch(Box::new(expected.clone())));
    assert!(error.to_string().contains("CUDA_SCHEDULE_SEED is `many`"), "{error}");
    if cfg!(debug_assertions) {
        let (mut out, offsets) = ([0; 64], Offsets::new(vec![0, 64]).unwrap());
        let out = Segments { data: &mut out[..], offsets: &offsets };
        let launched = turn::launch(&CpuExecutor::new(), 1, turn::Args { out, input: &[0; 64] });
        assert_eq!(launched, Err(expected));
    }
}

/// How many of `launches` launches of 64 blocks give something else than the elements turned round, without and with the barrier.
fn wrong(launches: u32) -> (u32, u32) {
    const BLOCKS: u32 = 64;
    let gpu = CudaExecutor::open(0, "test kernels", IMAGE).expect("a device that opens");
    let input: Vec<u32> = (0..256 * BLOCKS).map(|i| i.wrapping_mul(2_654_435_761)).collect();
    let expected: Vec<u32> = input.chunks(256).flat_map(|block| block.iter().rev().copied()).collect();
    let x = DeviceBuffer::from_slice(gpu.stream(), &input).unwrap();
    let mut out = DeviceBuffer::<u32>::zeroed(gpu.stream(), input.len()).unwrap();
    let mut other = DeviceBuffer::<u32>::zeroed(gpu.stream(), input.len()).unwrap();
    let shape = LaunchShape::linear(BLOCKS, 256);
    let (mut unmet, mut met) = (0, 0);
    for _ in 0..launches {
        let args = raw_turn_unmet::Args {
            out: out.view_mut().pointer_mut(),
            other: other.view_mut().pointer_mut(),
            input: x.view().pointer(),
        };
        // SAFETY: all have 256 elements for each block; the stream is synchronised before they are read.
        unsafe { raw_turn_unmet::launch(&gpu, shape, args) }.unwrap();
        gpu.synchronize().unwrap();
        unmet += u32::from(out.download(gpu.stream()).unwrap() != expected);
        let args = raw_turn::Args { out: out.view_mut().pointer_mut(), input: x.view().pointer() };
        // SAFETY: as above.
        unsafe { raw_turn::launch(&gpu, shape, args) }.unwrap();
        gpu.synchronize().unwrap();
        met += u32::from(out.download(gpu.stream()).unwrap() != expected);
    }
    (unmet, met)
}

#[test]
fn a_missing_barrier_is_found_within_fifty_schedules() {
    if !is_there() {
        return;
    }
    let own = "a_missing_barrier_is_found_within_fifty_schedules";
    if std::env::var_os(SEED).is_none() {
        let (unmet, met) = wrong(50);
        println!("without delays, {unmet} of 50 launches without the barrier are wrong");
        assert_eq!(met, 0);
    }
    if in_a_process_of_its_own(own, &[(SEED, "1")]) {
        let (unmet, met) = wrong(50);
        println!("with delays, {unmet} of 50 launches without the barrier are wrong");
        assert!(unmet > 0, "no schedule shows that a barrier is missing");
        assert_eq!(met, 0, "with the barrier, every schedule gives the same");
    }
}

#[test]
fn a_repeated_launch_leaves_what_one_launch_leaves() {
    if !is_there()
        || !in_a_process_of_its_own("a_repeated_launch_leaves_what_one_launch_leaves", &[(SEED, "5"), (REPEAT, "20")])
    {
        return;
    }
    let gpu = CudaExecutor::open(0, "test kernels", IMAGE).expect("a device that opens");
    let words = DeviceBuffer::from_slice(gpu.stream(), &[0x0302_0100; 256]).unwrap();
    let mut bins = DeviceBuffer::<u32>::zeroed(gpu.stream(), 256).unwrap();
    for _ in 0..3 {
        let args = safe_histogram::Args { bins: bins.view_mut(), words: words.view(), chunk: 64 };
        safe_histogram::launch(&gpu, 4, args).unwrap();
    }
    gpu.synchronize().unwrap();
    let mut expected = [0; 256];
    expected[..4].fill(3 * 256);
    assert_eq!(bins.download(gpu.stream()).unwrap(), expected);
}
