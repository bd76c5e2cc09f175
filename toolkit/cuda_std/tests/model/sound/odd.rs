//! Odd programs in safe code. Each tries to break a rule of the model, and has a defined result.

use crate::message;
use cuda_layout::DeviceLayout;
use cuda_std::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// An element without bytes.
type Nothing = [u32; 0];

#[kernel(threads = 32)]
fn without_bytes(
    block: &mut Block,
    out: &mut Chunk<Nothing, 8>,
    rows: &mut Segment<Nothing>,
    counts: &mut Segment<u32>,
    tile: &mut Shared<Nothing, 64>,
    scattered: &Scatter<Nothing>,
    x: &[Nothing],
) {
    let (n, m) = (out.len(), rows.len());
    out.fill(block, n, |_| []);
    rows.update(block, m, |_, nothing| *nothing = []);
    let filled = tile.fill(block, 64, |i| x.at(i % 5)).arrays::<4>();
    let arrays = filled.len();
    let mut staged = 0;
    tile.stages::<2>(block).copy_ahead(block, 3, 32, |_, i| x.at_ref(i % 5), |_, _, part| staged += part.len());
    block.for_each(n, |thread, i| scattered.put(thread, i, []));
    counts.fill(block, 2, |i| [arrays, staged][i as usize]);
}

#[test]
fn elements_may_have_no_bytes() {
    let (offsets, counted) = (Offsets::new(vec![0, 3]).unwrap(), Offsets::new(vec![0, 2]).unwrap());
    let (mut out, mut rows, mut counts, mut scattered) = ([[]; 7], [[]; 3], [0; 2], [[]; 7]);
    let args = without_bytes::Args {
        out: &mut out[..],
        rows: Segments { data: &mut rows[..], offsets: &offsets },
        counts: Segments { data: &mut counts[..], offsets: &counted },
        scattered: &mut scattered[..],
        x: &[[]; 5][..],
    };
    without_bytes::launch(&CpuExecutor::new(), 1, args).unwrap();
    assert_eq!(counts, [16, 96]);
}

#[derive(Clone, Copy, Debug, PartialEq, DeviceLayout, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(64))]
struct Line {
    words: [u32; 16],
}

#[kernel(threads = 32)]
fn aligned(
    block: &mut Block,
    out: &mut Chunk<Line, 8>,
    x: &[Line],
    tile: &mut Shared<Line, 8>,
    more: &mut DynamicShared<Line>,
) {
    let n = out.len();
    let mut sums = block.per_thread(|_| 0);
    tile.halves(block).copy_ahead(
        block,
        2,
        4,
        |turn, i| x.at_ref(4 * turn + i),
        |block, _, part| {
            block.each(&mut sums, |_, sum| *sum += part.get(3).words[15]);
        },
    );
    let more = more.write(block, n, &sums, |thread, sum| Line { words: [*sum + thread.index(); 16] });
    out.fill(block, n, |i| more.get(i));
}

#[test]
fn elements_may_be_aligned_to_more_than_their_words() {
    let x: Vec<Line> = (0..8).map(|i| Line { words: [i; 16] }).collect();
    let mut out = [Line { words: [0; 16] }; 8];
    aligned::launch(&CpuExecutor::new(), 1, aligned::Args { out: &mut out, x: &x, more: DynamicLength(8) }).unwrap();
    assert!(out.iter().zip(10..).all(|(line, sum)| line.words == [sum; 16]));
}

#[kernel(threads = 32)]
fn swapped(block: &mut Block, out: &mut Chunk<u32, 4>, a: &mut Shared<u32, 8>, b: &mut Shared<u32, 8>) {
    let kept = a.fill(block, 8, |i| i).get(1);
    std::mem::swap(a, b);
    let (mut a, mut b) = (a.halves(block), b.halves(block));
    // Nobody meets for it.
    let _ = a.fill(block, 4, |i| 10 + i);
    let mut pending = (a.fill(block, 4, |i| 20 + i), b.fill(block, 4, |i| 30 + i));
    std::mem::swap(&mut pending.0, &mut pending.1);
    let (mut first, mut second) = block.meet(pending);
    std::mem::swap(&mut first, &mut second);
    first.fill(block, 2, |_| 1);
    let found = [kept, first.get(0), first.get(2), second.get(3)];
    std::mem::swap(&mut a, &mut b);
    out.fill(block, 4, |i| found[i as usize]);
}

#[test]
fn handles_that_are_swapped_and_forgotten_keep_their_memory() {
    let mut out = [0; 4];
    swapped::launch(&CpuExecutor::new(), 1, swapped::Args { out: &mut out }).unwrap();
    assert_eq!(out, [1, 1, 22, 33]);
}

static SMUGGLED: Mutex<Option<Thread>> = Mutex::new(None);

/// On CPU cores a static may hold a `Thread`, and threads of the system may use it.
#[kernel(threads = 32)]
fn smuggled(block: &mut Block, out: &mut Chunk<u32, 4>, met: &Atomics<u32>, once: &Scatter<u32>) {
    block.for_each(1, |thread, _| *SMUGGLED.lock().unwrap() = Some(thread));
    let thread = SMUGGLED.lock().unwrap().expect("one was kept");
    std::thread::scope(|scope| {
        for k in 0..2 {
            scope.spawn(move || {
                for _ in 0..10 {
                    met.add(thread, 0, 1);
                }
                once.put(thread, k, 7);
            });
        }
    });
    let twice = catch_unwind(AssertUnwindSafe(|| once.put(thread, 1, 8))).is_err();
    let state = block.per_thread(|thread| thread.index());
    out.write(block, 0, &state, |_, own| u32::from(twice) + own);
}

#[test]
fn who_knows_a_thread_may_be_anywhere() {
    let (mut out, mut met, mut once) = ([0; 4], [0], [0; 3]);
    let args = smuggled::Args { out: &mut out[..], met: &mut met[..], once: &mut once[..] };
    smuggled::launch(&CpuExecutor::new(), 1, args).unwrap();
    assert_eq!((out, met, once), ([1, 2, 3, 4], [20], [7, 7, 0]));
}

#[kernel(threads = 32)]
fn read_elsewhere(grid: &mut WholeGrid, x: &mut GridMemory<u32>, y: &mut GridMemory<u32>) {
    let n = x.len();
    x.fill(grid, n, |_, i| 3 * i);
    let from = &*x;
    y.fill(grid, n, |thread, i| {
        std::thread::scope(|scope| scope.spawn(move || from.get(thread, i)).join().expect("no panic"))
    });
    x.update(grid, n, |thread, i, x| *x += y.get(thread, i));
}

#[test]
fn memory_of_a_grid_is_read_by_any_thread() {
    let (mut x, mut y) = ([0; 4], [0; 4]);
    read_elsewhere::launch(&CpuExecutor::new(), 2, read_elsewhere::Args { x: &mut x, y: &mut y }).unwrap();
    assert_eq!([x, y], [[0, 6, 12, 18], [0, 3, 6, 9]]);
}

/// The kernel catches a panic in the middle of a turn, and then uses the same halves and stages again.
#[kernel(threads = 32)]
fn caught(block: &mut Block, out: &mut Chunk<u32, 4>, x: &[u32], a: &mut Shared<u32, 8>, b: &mut Shared<u32, 16>) {
    let (mut halves, mut stages) = (a.halves(block), b.stages::<4>(block));
    let mut sums = [0; 4];
    for (attempt, fails_at) in [1, 2, 9].into_iter().enumerate() {
        let mut turn_of = |at: usize, turn: u32, part: Tile<'_, u32>| {
            assert!(turn != fails_at, "in a turn");
            sums[at] += part.get(0) + attempt as u32;
        };
        _ = catch_unwind(AssertUnwindSafe(|| {
            halves.copy_ahead(block, 4, 4, |turn, i| x.at_ref(4 * turn + i), |_, turn, part| turn_of(0, turn, part));
        }));
        _ = catch_unwind(AssertUnwindSafe(|| {
            stages.copy_ahead(block, 4, 4, |turn, i| x.at_ref(4 * turn + i), |_, turn, part| turn_of(1, turn, part));
        }));
        // Beyond the elements that can be copied.
        sums[2] += u32::from(
            catch_unwind(AssertUnwindSafe(|| {
                stages.copy_ahead(block, 5, 4, |turn, i| x.at_ref(4 * turn + i), |_, _, _| {})
            }))
            .is_err(),
        );
    }
    out.fill(block, 4, |i| sums[i as usize]);
}

#[test]
fn halves_and_stages_outlive_a_panic_in_a_turn() {
    let x: Vec<u32> = (0..16).collect();
    let mut out = [0; 4];
    caught::launch(&CpuExecutor::new(), 1, caught::Args { out: &mut out, x: &x }).unwrap();
    let sum = (1 + 5) + (2 + 6 + 10 + 14);
    assert_eq!(out, [sum, sum, 3, 0]);
}

static DROPPED: AtomicU32 = AtomicU32::new(0);

struct Counted;

impl Drop for Counted {
    fn drop(&mut self) {
        DROPPED.fetch_add(1, Relaxed);
    }
}

#[kernel(threads = 64)]
fn dropped(block: &mut Block, out: &mut Chunk<u32, 1>, fails_at: u32) {
    let mut own = block.per_thread(|thread| (Counted, thread.index()));
    let never = block.per_thread(|_| None::<std::convert::Infallible>);
    block.each_with(&mut own, &never, |thread, own, never| {
        assert!(never.is_none() && own.1 != fails_at, "in thread {}", thread.index());
        own.0 = Counted;
    });
    drop(own);
    let made =
        catch_unwind(AssertUnwindSafe(|| block.per_thread(|thread| (Counted, 1 / (thread.index() ^ 5))))).is_ok();
    out.fill(block, 1, |_| u32::from(made));
}

#[test]
fn values_of_threads_are_dropped_at_most_once() {
    let run = |fails_at| {
        let mut out = [9];
        DROPPED.store(0, Relaxed);
        let launched = dropped::launch(&CpuExecutor::new(), 1, dropped::Args { out: &mut out, fails_at });
        (launched, out[0], DROPPED.load(Relaxed))
    };
    let (launched, out, count) = run(99);
    assert_eq!((launched, out), (Ok(()), 0));
    // Values of an array that a panic leaves incomplete are not dropped, except the one that was being made.
    assert!((128..=128 + 64).contains(&count), "{count}");
    let (launched, out, count) = run(40);
    assert!(launched.is_err() && out == 9);
    assert_eq!(count, 40 + 64);
}

#[kernel(threads = 32)]
fn inner(block: &mut Block, out: &mut Chunk<u32, 4>, fails: u32) {
    out.fill(block, 4, |i| if i == fails { panic!("inner {i}") } else { 10 + i });
}

/// Launches from a phase, from code between phases, and from a destructor that a panic runs.
#[kernel(threads = 32)]
fn outer(block: &mut Block, out: &mut Chunk<u32, 4>, fails: u32) {
    struct AtLast;
    impl Drop for AtLast {
        fn drop(&mut self) {
            assert_eq!(sum(1, 9), 46);
            assert_eq!(sum(1, 2), 0);
        }
    }
    fn sum(blocks: u32, fails: u32) -> u32 {
        let mut own = vec![0; 4 * blocks as usize];
        let launched = inner::launch(&CpuExecutor::new(), blocks, inner::Args { out: &mut own, fails });
        if launched.is_err() { 0 } else { own.iter().sum() }
    }
    let _at_last = AtLast;
    let between = sum(3, 9);
    out.fill(block, 4, |i| {
        let found = [between, sum(2, 9), sum(2, i), sum(1, 3)][i as usize];
        assert!(i != fails, "outer {i}");
        found
    });
}

#[test]
fn kernels_launch_kernels_and_each_has_its_own_panics() {
    let run = |fails| {
        let mut out = [0; 12];
        let launched = outer::launch(&CpuExecutor::new(), 3, outer::Args { out: &mut out[..], fails });
        (launched, out)
    };
    let (launched, out) = run(9);
    assert_eq!((launched, out), (Ok(()), [138, 92, 0, 0, 138, 92, 0, 0, 138, 92, 0, 0]));
    let (launched, _) = run(2);
    let told = message(launched);
    assert!(told.is_empty() || told == "outer 2", "{told}");
}

#[kernel(threads = 32)]
fn ranges(block: &mut Block, out: &mut Chunk<u32, 2>, of: &[[u32; 2]], x: &[u32]) {
    out.fill_by_warp(block, 2, |warp, k| {
        let own = warp.per_lane(|lane| of.at(lane.index() % of.len() as u32));
        let (mut sum, mut inner) = (0u32, 0);
        warp.each_of_ranges(&own, |warp, index, n| {
            let found = warp.map(index, |lane, i| if lane.index() < n { x[*i as usize] } else { 0 });
            sum = sum.wrapping_add(warp.reduce(&found, u32::wrapping_add));
            let again = warp.map(index, |_, i| [*i, i.saturating_add(1)]);
            warp.each_of_ranges(&again, |_, _, n| inner += n);
        });
        [sum, inner][k as usize]
    });
}

#[test]
fn ranges_may_be_reversed_and_beyond_the_end() {
    let x: Vec<u32> = (0..100).collect();
    let run = |of: &[[u32; 2]]| {
        let mut out = [0; 2];
        ranges::launch(&CpuExecutor::new(), 1, ranges::Args { out: &mut out, of, x: &x }).map(|()| out)
    };
    assert_eq!(run(&[[5, 2], [u32::MAX, 0], [u32::MAX, u32::MAX], [98, 100]]).unwrap(), [8 * 197, 32]);
    let told = message(run(&[[98, 101], [0, 0]]));
    assert!(told.contains("out of bounds"), "{told}");
}

/// The sign of a NaN that is computed is unspecified: the compiler's may differ from the processor's.
const fn some_length() -> usize {
    let [zero, other] = std::hint::black_box([0.0f32; 2]);
    if (zero / other).is_sign_negative() { 1 } else { 1000 }
}

#[kernel(threads = 32)]
fn of_some_length(block: &mut Block, out: &mut Chunk<u32, { some_length() }>) {
    let n = out.len();
    out.fill(block, n, |_| 7);
}

#[kernel(threads = 32)]
fn of_some_size(block: &mut Block, out: &mut Tile2d<u32, { some_length() }, 1>) {
    out.fill(block, |_, _| 7);
}

#[test]
fn a_launch_checks_the_length_that_the_kernel_has() {
    let (length, mut out, mut tile) = (const { some_length() }, [0; 8], [0; 8]);
    let (needed, cpu) = (8u32.div_ceil(length as u32), CpuExecutor::new());
    for blocks in [8, 1] {
        let chunks = of_some_length::launch(&cpu, blocks, of_some_length::Args { out: &mut out[..] });
        let matrix = Matrix { data: &mut tile[..], columns: 1 };
        let tiles = of_some_size::launch(&cpu, (1, blocks), of_some_size::Args { out: matrix });
        assert_eq!((chunks.is_ok(), tiles.is_ok()), (blocks == needed, blocks == needed), "{blocks} of {needed}");
    }
    assert_eq!((out, tile), ([7; 8], [7; 8]));
}

/// Types with the names of type parameters in generated code.
#[allow(dead_code)]
pub struct ByVisitor([u8; 1000]);
#[allow(dead_code)]
pub struct InSpace([u8; 4]);

#[kernel(threads = 32)]
fn of_a_types_size(block: &mut Block, out: &mut Chunk<u32, { size_of::<ByVisitor>() }>) {
    let n = out.len();
    out.fill(block, n, |_| 7);
}

#[kernel(threads = 32)]
fn of_two_types_sizes(block: &mut Block, out: &mut Tile2d<u32, { size_of::<ByVisitor>() }, { size_of::<InSpace>() }>) {
    out.fill(block, |_, _| 7);
}

#[test]
fn a_length_of_a_type_does_not_mean_another_type_where_it_is_checked() {
    let (mut chunks, mut tiles, cpu) = (vec![0; 2500], vec![0; 2500 * 6], CpuExecutor::new());
    for blocks in [1, 2, 3, 4, 20] {
        let run = of_a_types_size::launch(&cpu, blocks, of_a_types_size::Args { out: &mut chunks[..] });
        assert_eq!(run.is_ok(), blocks == 3, "{blocks} of 3: {run:?}");
        for columns in [1, 2, 6] {
            let matrix = Matrix { data: &mut tiles[..], columns: 6 };
            let run = of_two_types_sizes::launch(&cpu, (columns, blocks), of_two_types_sizes::Args { out: matrix });
            assert_eq!(run.is_ok(), (columns, blocks) == (2, 3), "{columns} x {blocks} of 2 x 3: {run:?}");
        }
    }
    assert_eq!((chunks, tiles), (vec![7; 2500], vec![7; 2500 * 6]));
}

#[kernel(threads = 32)]
fn summed(block: &mut Block, out: &mut Chunk<u32, 1>, x: u32) {
    let sum = block.reduce(1000, 0, |i| i % x, u32::wrapping_add);
    out.fill(block, 1, |_| sum);
}

#[kernel(threads = 32)]
fn looks_back_after_a_launch(block: &mut Block, out: &Scatter<u32>, states: &Atomics<u64>) {
    let part = block.next_part(states);
    let mut sums = [0; 64];
    summed::launch(&CpuExecutor::new(), 64, summed::Args { out: &mut sums[..], x: part + 1 }).unwrap();
    let before = block.look_back(states, part, 1, 0, u32::wrapping_add);
    block.once(|thread| out.put(thread, part, before));
}

#[test]
fn a_block_that_waits_for_its_own_launch_is_not_waited_for_by_its_thread() {
    // With some threads: while one waits for the launch within, it could take another block of the outer one.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(8).build().unwrap();
    for _ in 0..20 {
        let (mut out, mut states) = ([0; 100], [0; 101]);
        let args = looks_back_after_a_launch::Args { out: &mut out[..], states: &mut states[..] };
        pool.install(|| looks_back_after_a_launch::launch(&CpuExecutor::new(), 100, args)).unwrap();
        assert!((0..100).eq(out));
    }
}

#[kernel(threads = 32)]
fn waits_for_nobody(block: &mut Block, out: &mut Chunk<u32, 1>, states: &Atomics<u64>) {
    let before = block.look_back(states, 1, 1, 0, u32::wrapping_add);
    out.fill(block, 1, |_| before);
}

#[test]
fn a_wait_ends_with_its_limit() {
    let args = waits_for_nobody::Args { out: &mut [0][..], states: &mut [0; 3][..] };
    let limit = std::time::Duration::from_millis(10);
    let error = waits_for_nobody::launch(&CpuExecutor::new().within(limit), 1, args).unwrap_err();
    assert!(matches!(error, cuda_std::launch::LaunchError::TimeLimit { kernel: "waits_for_nobody", .. }), "{error}");
}
