//! Groups of arguments: what a kernel gets is what it would get as single parameters.

use cuda_layout::DeviceLayout;
use cuda_std::launch::{ArgVisitor, Host, Kernel, LaunchError, Space, Transfer};
use cuda_std::prelude::*;
use shapes::{Lengths, LengthsArgs, Outer, OuterArgs};

/// Groups whose types have no name where the kernels are.
mod shapes {
    use cuda_std::prelude::*;

    pub type Word = u32;
    pub const TILE: usize = 8;

    /// A struct that is passed by value.
    #[derive(Clone, Copy, cuda_layout::DeviceLayout, bytemuck::Zeroable, bytemuck::Pod)]
    #[repr(C)]
    pub struct Step {
        pub by: Word,
    }

    #[derive(Arguments)]
    pub struct Inner<'a> {
        /// A documented field.
        pub table: &'a [Word],
        pub(crate) step: Step,
    }

    impl Inner<'_> {
        pub fn at(&self, i: u32) -> Word {
            self.table.at(i) + self.step.by
        }
    }

    /// A group with a group.
    #[derive(Arguments)]
    pub struct Outer<'b> {
        pub inner: Inner<'b>,
        pub out: &'b mut Chunk<'b, Word, { 2 * TILE }, WriteOnly>,
        pub tile: &'b mut Shared<Word, TILE>,
    }

    /// Lengths that are types.
    #[derive(Arguments)]
    pub struct Lengths<'a, T: super::DeviceLayout, const N: usize>
    where
        T: std::ops::Add<Output = T>,
    {
        pub sums: &'a mut Chunk<'a, T, N>,
        pub terms: &'a [T],
        pub kept: &'a mut Shared<T, N>,
    }
}

/// The types and the constant mean something else here.
#[allow(dead_code)]
struct Word;
#[allow(dead_code)]
const TILE: usize = 3;

#[kernel(threads = 32, requires(outer.inner.table.len() >= 16, outer.inner.step.by < 100))]
fn grouped(block: &mut Block, outer: Outer<'_>, last: u32) {
    let n = outer.out.len();
    let first = outer.out.start();
    let Outer { inner, out, tile } = outer;
    let tile = tile.fill(block, 8, |i| inner.at(i));
    out.fill(block, n, |i| tile.get(i % 8) + 1000 * (first + i) + last);
}

/// The same with single parameters.
mod single {
    use super::shapes::Step;
    use cuda_std::prelude::*;

    #[kernel(threads = 32, requires(table.len() >= 16, step.by < 100))]
    pub fn grouped(
        block: &mut Block,
        table: &[u32],
        step: Step,
        out: &mut Chunk<u32, 16, WriteOnly>,
        tile: &mut Shared<u32, 8>,
        last: u32,
    ) {
        let (n, first) = (out.len(), out.start());
        let tile = tile.fill(block, 8, |i| table.at(i) + step.by);
        out.fill(block, n, |i| tile.get(i % 8) + 1000 * (first + i) + last);
    }
}

fn run(table: &[u32], by: u32, blocks: u32) -> Result<[u32; 20], LaunchError> {
    let mut out = [0; 20];
    let inner = shapes::InnerArgs { table, step: shapes::Step { by } };
    let args = grouped::Args { outer: OuterArgs { inner, out: &mut out[..] }, last: 7 };
    grouped::launch(&CpuExecutor::new(), blocks, args).map(|()| out)
}

#[test]
fn a_kernel_computes_with_groups_as_with_single_parameters() {
    let table: Vec<u32> = (0..16).map(|i| 10 * i).collect();
    let mut expected = [0; 20];
    let args =
        single::grouped::Args { table: &table[..], step: shapes::Step { by: 5 }, out: &mut expected[..], last: 7 };
    single::grouped::launch(&CpuExecutor::new(), 2, args).unwrap();
    assert_eq!(run(&table, 5, 2), Ok(expected));
    assert_eq!(expected[17], 10 + 5 + 17_000 + 7);
}

#[test]
fn fields_are_parameters_in_the_description() {
    assert_eq!(grouped::Kernel::DESCRIPTION, single::grouped::Kernel::DESCRIPTION);
    assert_eq!(
        grouped::Kernel::DESCRIPTION,
        "grouped(table:&[u32];step:Step{by:u32@0}4:4;out:&mut Chunk<u32,16>;last:u32;)x32 grid 1"
    );
}

#[test]
fn fields_are_checked_like_parameters() {
    let table = [0; 16];
    assert!(matches!(
        run(&table, 5, 3),
        Err(LaunchError::Chunks { kernel: "grouped", argument: "out", len: 20, per_block: 16, needed: 2, blocks: 3 })
    ));
    assert!(matches!(
        run(&table[..15], 5, 2),
        Err(LaunchError::Requirement { expression: "outer.inner.table.len() >= 16", .. })
    ));
    assert!(matches!(
        run(&table, 100, 2),
        Err(LaunchError::Requirement { expression: "outer.inner.step.by < 100", .. })
    ));
}

/// Every kind of parameter.
#[derive(Arguments)]
struct Every<'a> {
    segment: &'a mut Segment<'a, u32>,
    tile: &'a mut Tile2d<'a, f32, 1, 4>,
    atomics: &'a Atomics<'a, u32>,
    of_system: &'a Atomics<'a, u64, scope::System>,
    scatter: &'a Scatter<'a, u16>,
    room: &'a mut DynamicShared<u64>,
    number: f64,
}

#[kernel(threads = 32)]
fn every(block: &mut Block, every: Every<'_>) {
    let Every { segment, tile, atomics, of_system, scatter, room, number } = every;
    let room = room.fill(block, 3, |i| u64::from(i) + 5);
    let n = segment.len();
    segment.fill(block, n, |i| room.get(i % 3) as u32);
    tile.fill(block, |_, column| column as f32 + number as f32);
    block.for_each(4, |thread, i| {
        atomics.add(thread, 0, i);
        of_system.add(thread, 1, u64::from(i));
        scatter.put(thread, i, i as u16);
    });
}

/// Names of arguments, as a visitor gets them.
struct Names(Vec<&'static str>);

impl<'v, S: Space> ArgVisitor<'v, S> for Names {
    fn slice<T: DeviceLayout>(&mut self, name: &'static str, _: &'v S::Ref<'_, T>) {
        self.0.push(name);
    }
    fn segments<T: DeviceLayout>(&mut self, name: &'static str, _: &'v Segments<'_, S, T>) {
        self.0.push(name);
    }
    fn chunks<T: DeviceLayout>(&mut self, name: &'static str, _: &'v S::Mut<'_, T>, _: usize) {
        self.0.push(name);
    }
    fn matrix<T: DeviceLayout>(&mut self, name: &'static str, _: &'v Matrix<'_, S, T>, _: [usize; 2]) {
        self.0.push(name);
    }
    fn atomics<T: DeviceLayout>(&mut self, name: &'static str, _: &'v S::Mut<'_, T>) {
        self.0.push(name);
    }
    fn dynamic_shared<T: DeviceLayout>(&mut self, name: &'static str, _: DynamicLength) {
        self.0.push(name);
    }
    fn value<T: DeviceLayout>(&mut self, name: &'static str, _: &'v T) {
        self.0.push(name);
    }
}

#[test]
fn every_kind_of_parameter_may_be_a_field() {
    let offsets = Offsets::new(vec![0, 5]).unwrap();
    let (mut segment, mut tile, mut atomics, mut of_system, mut scatter) = ([0; 5], [0.0; 4], [0], [0; 2], [0; 4]);
    let args = every::Args {
        every: EveryArgs {
            segment: Segments { data: &mut segment[..], offsets: &offsets },
            tile: Matrix { data: &mut tile[..], columns: 4 },
            atomics: &mut atomics[..],
            of_system: &mut of_system[..],
            scatter: &mut scatter[..],
            room: DynamicLength(3),
            number: 0.5,
        },
    };
    let mut names = Names(Vec::new());
    every::Kernel::visit::<Host, _>(&args, &mut names);
    assert_eq!(names.0, ["segment", "tile", "atomics", "of_system", "scatter", "room", "number"]);
    every::launch(&CpuExecutor::new(), (1, 1), args).unwrap();
    assert_eq!((segment, tile), ([5, 6, 7, 5, 6], [0.5, 1.5, 2.5, 3.5]));
    assert_eq!((atomics, of_system, scatter), ([6], [0, 6], [0, 1, 2, 3]));
}

#[kernel(threads = N, instances(totals_f32 = <f32, 32>, totals_u64 = <u64, 64>))]
fn totals<T: DeviceLayout + std::ops::Add<Output = T>, const N: usize>(
    block: &mut Block,
    lengths: Lengths<'_, T, N>,
    extra: T,
) {
    let Lengths { sums, terms, kept } = lengths;
    let n = sums.len();
    let kept = kept.fill(block, n, |i| terms.at(i));
    sums.fill(block, n, |i| kept.get(n - 1 - i) + extra);
}

#[test]
fn groups_of_generic_kernels_have_their_parameters() {
    let mut sums = [0.0f32; 3];
    let lengths = LengthsArgs { sums: &mut sums[..], terms: &[1.0, 2.0, 3.0][..] };
    totals::launch::<f32, 32, _>(&CpuExecutor::new(), 1, totals::Args { lengths, extra: 0.5 }).unwrap();
    let mut words = [0u64; 2];
    let lengths = LengthsArgs { sums: &mut words[..], terms: &[1, 2][..] };
    totals::launch::<u64, 64, _>(&CpuExecutor::new(), 1, totals::Args { lengths, extra: 9 }).unwrap();
    assert_eq!((sums, words), ([3.5, 2.5, 1.5], [11, 10]));
    assert_eq!(
        totals::Kernel::<u64, 64>::DESCRIPTION,
        "totals_u64<u64,64>(sums:&mut Chunk<u64,64>;terms:&[u64];extra:u64;)x64 grid 1"
    );
}

/// A matrix and its width.
#[derive(Arguments)]
pub struct Wide<'a> {
    pub data: &'a [f32],
    pub width: u32,
}

/// The same group twice, and a parameter named like a field.
#[kernel(threads = 32, requires(a.data.len() == b.data.len(), width > 0))]
fn twice(block: &mut Block, out: &mut Chunk<f32, 32>, a: Wide<'_>, b: Wide<'_>, width: u32) {
    let n = out.len();
    out.fill(block, n, |i| a.data.at(i) * a.width as f32 - b.data.at(i) * b.width as f32 + width as f32);
}

#[test]
fn a_group_may_come_twice_and_messages_name_it() {
    let mut out = [0.0; 2];
    let x = [1.0, 2.0];
    // One buffer may be read twice.
    let (a, b) = (WideArgs { data: &x[..], width: 5 }, WideArgs { data: &x[..], width: 2 });
    let args = twice::Args { out: &mut out[..], a, b, width: 100 };
    twice::launch(&CpuExecutor::new(), 1, args).unwrap();
    assert_eq!(out, [103.0, 106.0]);
    assert_eq!(
        twice::Kernel::DESCRIPTION,
        "twice(out:&mut Chunk<f32,32>;a.data:&[f32];a.width:u32;b.data:&[f32];b.width:u32;width:u32;)x32 grid 1"
    );
}

/// Names that generated code has, too.
#[derive(Arguments)]
struct Odd<'a> {
    args: &'a [u32],
    block: u32,
    visitor: u32,
    p: u32,
    l: u32,
    entry: u32,
    argument_0: u32,
    panic_record: u32,
    r#type: &'a mut Chunk<'a, u32, 32>,
}

#[kernel(threads = 32, requires(!args.args.is_empty(), args.l > 0))]
fn kernel_of_odd_names(r#gen: &mut Block, args: Odd<'_>, run: u32, by: u32) {
    let n = args.r#type.len();
    let Odd { args, block, visitor, p, l, entry, argument_0, panic_record, r#type } = args;
    let sum = block + visitor + p + l + entry + argument_0 + panic_record + run + by;
    r#type.fill(r#gen, n, |i| args.at(i) + sum);
}

#[test]
fn names_of_generated_code_may_be_fields() {
    let mut out = [0; 2];
    let args = OddArgs {
        args: &[1, 2][..],
        block: 10,
        visitor: 10,
        p: 10,
        l: 10,
        entry: 10,
        argument_0: 10,
        panic_record: 10,
        r#type: &mut out[..],
    };
    let args = kernel_of_odd_names::Args { args, run: 100, by: 100 };
    kernel_of_odd_names::launch(&CpuExecutor::new(), 1, args).unwrap();
    assert_eq!(out, [271, 272]);
}

/// Shared arrays alone: a launch gives nothing.
#[derive(Arguments)]
struct Scratch<'a> {
    tile: &'a mut Shared<u32, 32>,
    other: &'a mut Shared<u32, 32>,
}

#[kernel(threads = 32)]
fn in_scratch(block: &mut Block, out: &mut Chunk<u32, 32>, scratch: Scratch<'_>) {
    let n = out.len();
    let tile = scratch.tile.fill(block, n, |i| i + 1);
    let other = scratch.other.fill(block, n, |i| tile.get(n - 1 - i));
    out.fill(block, n, |i| other.get(i));
}

#[test]
fn a_launch_gives_nothing_for_shared_arrays() {
    let mut out = [0; 3];
    in_scratch::launch(&CpuExecutor::new(), 1, in_scratch::Args { out: &mut out[..] }).unwrap();
    assert_eq!(out, [3, 2, 1]);
}

/// Blocks that meet.
#[derive(Arguments)]
struct Meeting<'a> {
    memory: &'a mut GridMemory<'a, u32>,
    rounds: u32,
}

#[kernel(threads = 32)]
fn meet(grid: &mut WholeGrid, meeting: Meeting<'_>) {
    let n = meeting.memory.len();
    for _ in 0..meeting.rounds {
        meeting.memory.update(grid, n, |_, i, x| *x += i);
    }
}

#[test]
fn blocks_that_meet_take_groups() {
    let mut memory = [1; 4];
    let meeting = MeetingArgs { memory: &mut memory[..], rounds: 3 };
    meet::launch(&CpuExecutor::new(), 1, meet::Args { meeting }).unwrap();
    assert_eq!(memory, [1, 4, 7, 10]);
}

/// Shortens every buffer that is read.
struct Shorten(Vec<&'static str>);

impl<'a> Transfer<'a, Host, Host> for Shorten {
    type Error = std::convert::Infallible;
    fn read<T: DeviceLayout>(&mut self, name: &'static str, x: &'a [T]) -> Result<&'a [T], Self::Error> {
        self.0.push(name);
        Ok(&x[..x.len() - 1])
    }
    fn write<T: DeviceLayout>(&mut self, name: &'static str, x: &'a mut [T]) -> Result<&'a mut [T], Self::Error> {
        self.0.push(name);
        Ok(x)
    }
    fn offsets(&mut self, _: &'static str, offsets: &'a Offsets) -> Result<&'a Offsets, Self::Error> {
        Ok(offsets)
    }
}

#[test]
fn fields_are_transferred_one_by_one() {
    let (x, mut out) = ([1.0, 2.0], [0.0]);
    let wide = WideArgs { data: &x[..], width: 5 };
    let args = twice::Args { out: &mut out[..], a: wide, b: wide.shorter(), width: 1 };
    let mut shorten = Shorten(Vec::new());
    let args = twice::Kernel::transfer::<Host, Host, _>(args, &mut shorten).unwrap_or_else(|error| match error {});
    assert_eq!((args.a.data.len(), args.b.data.len()), (1, 1));
    assert_eq!(shorten.0, ["out", "a.data", "b.data"]);
}
