//! The checks of a launch before a kernel runs, and what the host knows about a kernel.

use cuda_layout::DeviceLayout;
use cuda_std::launch::{ArgVisitor, Host, Kernel, LaunchError, OffsetsError, Space, check_arguments};
use cuda_std::prelude::*;

#[derive(Clone, Copy, DeviceLayout, bytemuck::Zeroable, bytemuck::Pod)]
#[repr(C)]
struct Scale {
    factor: f32,
    shift: [f32; 2],
}

#[kernel(threads = 96)]
fn scaled(
    block: &mut Block,
    out: &mut Segment<f32>,
    input: &[f32],
    tile: &mut Shared<f32, 64>,
    scale: Scale,
    marks: &mut Segment<u32>,
    mark: u32,
) {
    let (n, first) = (out.len(), out.start());
    let tile = tile.fill(block, n, |i| input.at(first + i));
    out.fill(block, n, |i| tile.get(i) * scale.factor + scale.shift[0] - scale.shift[1]);
    let count = marks.len();
    marks.fill(block, count, |_| mark);
}

fn offsets(offsets: &[u32]) -> Offsets {
    Offsets::new(offsets.to_vec()).unwrap()
}

/// A launch on buffers of these lengths.
fn launch(blocks: u32, out: (&mut [f32], &[u32]), marks: (&mut [u32], &[u32])) -> Result<(), LaunchError> {
    let input: Vec<f32> = (0..100).map(|i| i as f32).collect();
    let (out_offsets, mark_offsets) = (offsets(out.1), offsets(marks.1));
    scaled::launch(
        &CpuExecutor::new(),
        blocks,
        scaled::Args {
            out: Segments { data: out.0, offsets: &out_offsets },
            input: &input,
            scale: Scale { factor: 2.0, shift: [3.0, 1.0] },
            marks: Segments { data: marks.0, offsets: &mark_offsets },
            mark: 9,
        },
    )
}

#[test]
fn every_block_runs_once_on_its_own_segments() {
    let (mut out, mut marks) = ([-1.0; 8], [0; 4]);
    launch(3, (&mut out, &[1, 3, 3, 7]), (&mut marks, &[0, 1, 2, 3])).unwrap();
    assert_eq!(out, [-1.0, 4.0, 6.0, 8.0, 10.0, 12.0, 14.0, -1.0]);
    assert_eq!(marks, [9, 9, 9, 0]);
}

#[test]
fn fewer_blocks_than_segments_leave_the_others_alone() {
    let (mut out, mut marks) = ([-1.0; 4], [0; 4]);
    launch(2, (&mut out, &[0, 1, 2, 3, 4]), (&mut marks, &[0, 1, 2, 3, 4])).unwrap();
    assert_eq!((out, marks), ([2.0, 4.0, -1.0, -1.0], [9, 9, 0, 0]));
}

#[test]
fn no_block_is_no_error() {
    let (mut out, mut marks) = ([-1.0; 4], [0; 4]);
    launch(0, (&mut out, &[0, 4]), (&mut marks, &[0])).unwrap();
    launch(0, (&mut [], &[0]), (&mut [], &[0])).unwrap();
    assert_eq!((out, marks), ([-1.0; 4], [0; 4]));
}

#[test]
fn every_block_needs_a_segment() {
    let (mut out, mut marks) = ([-1.0; 4], [0; 4]);
    let error = launch(3, (&mut out, &[0, 1, 2, 3]), (&mut marks, &[0, 1, 2])).unwrap_err();
    let expected = LaunchError::TooFewSegments { kernel: "scaled", argument: "marks", segments: 2, blocks: 3 };
    assert_eq!(error, expected);
    assert_eq!(error.to_string(), "kernel `scaled`: `marks` has 2 segments, but 3 blocks were to run");
    assert_eq!((out, marks), ([-1.0; 4], [0; 4]), "nothing ran");
}

#[test]
fn every_segment_needs_its_memory() {
    let (mut out, mut marks) = ([-1.0; 4], [0; 4]);
    // Also the segments of blocks that do not run.
    let error = launch(1, (&mut out, &[0, 2, 5]), (&mut marks, &[0, 1])).unwrap_err();
    assert_eq!(error, LaunchError::BufferTooShort { kernel: "scaled", argument: "out", end: 5, len: 4 });
    assert_eq!(error.to_string(), "kernel `scaled`: the segments of `out` end at element 5, but its buffer has 4");
    assert_eq!((out, marks), ([-1.0; 4], [0; 4]), "nothing ran");
}

#[test]
fn the_first_argument_that_does_not_fit_is_named() {
    let error = launch(3, (&mut [0.0; 1], &[0, 2]), (&mut [0; 1], &[0, 2])).unwrap_err();
    assert_eq!(error, LaunchError::TooFewSegments { kernel: "scaled", argument: "out", segments: 1, blocks: 3 });
}

#[test]
fn offsets_never_fall() {
    assert_eq!(Offsets::new(vec![]), Err(OffsetsError::Empty));
    assert_eq!(Offsets::new(vec![0, 5, 4, 3]), Err(OffsetsError::Overlap { segment: 1, begin: 5, end: 4 }));
    let message = Offsets::new(vec![0, 5, 4]).unwrap_err().to_string();
    assert_eq!(message, "offsets overlap: segment 1 begins at 5 and ends at 4");
    let offsets = Offsets::new(vec![3, 3, u32::MAX]).unwrap();
    assert_eq!((offsets.segments(), offsets.end(), offsets.as_slice()), (2, u32::MAX, &[3, 3, u32::MAX][..]));
    let none = Offsets::new(vec![7]).unwrap();
    assert_eq!((none.segments(), none.end()), (0, 7));
}

#[test]
fn the_host_knows_the_signature() {
    assert_eq!(<scaled::Kernel as Kernel>::NAME, "scaled");
    assert_eq!(<scaled::Kernel as Kernel>::THREADS, 96);
    assert_eq!(
        <scaled::Kernel as Kernel>::DESCRIPTION,
        "scaled(out:&mut Segment<f32>;input:&[f32];scale:Scale{factor:f32@0,shift:[f32;2]@4}12:4;marks:&mut Segment<u32>;\
         mark:u32;)x96 grid 1"
    );
}

/// Records the arguments that it receives.
struct Names(Vec<String>);

impl<'v, S: Space> ArgVisitor<'v, S> for Names {
    fn slice<T: DeviceLayout>(&mut self, name: &'static str, buffer: &'v S::Ref<'_, T>) {
        self.0.push(format!("{name}: {} of {}", S::len(buffer), T::DESCRIPTION));
    }

    fn segments<T: DeviceLayout>(&mut self, name: &'static str, segments: &'v Segments<'_, S, T>) {
        let (count, end) = S::extent(&segments.offsets);
        self.0.push(format!("{name}: {count} segments to {end} of {}", S::len_mut(&segments.data)));
    }

    fn chunks<T: DeviceLayout>(&mut self, name: &'static str, buffer: &'v S::Mut<'_, T>, per_block: usize) {
        self.0.push(format!("{name}: {} in chunks of {per_block}", S::len_mut(buffer)));
    }

    fn matrix<T: DeviceLayout>(&mut self, name: &'static str, matrix: &'v Matrix<'_, S, T>, tile: [usize; 2]) {
        self.0.push(format!("{name}: {} in {} columns, tiles of {tile:?}", S::len_mut(&matrix.data), matrix.columns));
    }

    fn atomics<T: DeviceLayout>(&mut self, name: &'static str, buffer: &'v S::Mut<'_, T>) {
        self.0.push(format!("{name}: {} atomics", S::len_mut(buffer)));
    }

    fn dynamic_shared<T: DeviceLayout>(&mut self, name: &'static str, length: DynamicLength) {
        self.0.push(format!("{name}: room for {}", length.0));
    }

    fn value<T: DeviceLayout>(&mut self, name: &'static str, value: &'v T) {
        self.0.push(format!("{name}: {} bytes", bytemuck::bytes_of(value).len()));
    }
}

#[test]
fn executors_see_the_arguments_in_order() {
    let (mut out, mut marks) = ([0.0; 4], [0; 2]);
    let (three, one) = (offsets(&[0, 1, 1, 4]), offsets(&[0, 2]));
    let args: scaled::Args<'_, Host> = scaled::Args {
        out: Segments { data: &mut out, offsets: &three },
        input: &[1.0, 2.0],
        scale: Scale { factor: 2.0, shift: [3.0, 1.0] },
        marks: Segments { data: &mut marks, offsets: &one },
        mark: 9,
    };
    assert_eq!(check_arguments::<scaled::Kernel, Host>(1.into(), &args), Ok(1));
    let mut names = Names(Vec::new());
    <scaled::Kernel as Kernel>::visit::<Host, _>(&args, &mut names);
    let expected = [
        "out: 3 segments to 4 of 4",
        "input: 2 of f32",
        "scale: 12 bytes",
        "marks: 1 segments to 2 of 2",
        "mark: 4 bytes",
    ];
    assert_eq!(names.0, expected);
}

/// More blocks than cores, with very different work, in a pool of one thread and in a pool of several.
#[test]
fn results_do_not_depend_on_the_number_of_cores() {
    let bounds: Vec<u32> = (0..=200).map(|i| i * (i + 1) / 2 % 64 + 64 * i).collect();
    let bounds: Vec<u32> = bounds
        .iter()
        .scan(0, |max, &b| {
            *max = b.max(*max);
            Some(*max)
        })
        .collect();
    let input: Vec<f32> = (0..20_000).map(|i| (i as f32).sin()).collect();
    let run = |threads: usize| {
        let mut out = vec![0.0; input.len()];
        let offsets = offsets(&bounds);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let args = sines::Args { out: Segments { data: &mut out[..], offsets: &offsets }, input: &input[..] };
            sines::launch(&CpuExecutor::new(), 200, args).unwrap();
        });
        out.iter().map(|x| x.to_bits()).collect::<Vec<_>>()
    };
    let alone = run(1);
    assert!(alone.iter().any(|bits| *bits != 0));
    assert_eq!(alone, run(3));
}

#[kernel(threads = 32)]
fn sines(block: &mut Block, out: &mut Segment<f32>, input: &[f32]) {
    let (n, first) = (out.len(), out.start());
    let sum = block.reduce(n, 0.0, |i| input.at(first + i), |a, b| a + b);
    out.fill(block, n, |i| input.at(first + i) + sum);
}
