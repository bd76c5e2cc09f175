//! The examples of the chapter on groups of arguments, on CPU cores.

use cuda_std::kernel_part;
use cuda_std::launch::LaunchError;
use cuda_std::prelude::*;
use toolkit_tests::dice::bits;

// ANCHOR: groups
/// Bodies, one element each.
#[derive(Arguments)]
pub struct Bodies<'a> {
    /// Position in metres.
    pub x: &'a [f32],
    /// Position in metres.
    pub y: &'a [f32],
    /// In kilograms.
    pub mass: &'a [f32],
}

/// What a step changes.
#[derive(Arguments)]
pub struct Motion<'a> {
    /// In metres per second.
    pub vx: &'a mut Chunk<'a, f32, 64>,
    /// In metres per second.
    pub vy: &'a mut Chunk<'a, f32, 64>,
}

/// Adds up the pull of all bodies on each one.
#[kernel(threads = 64, requires(bodies.x.len() == motion.vx.len(), bodies.y.len() == motion.vy.len()))]
pub fn pull(block: &mut Block, motion: Motion<'_>, bodies: Bodies<'_>, seconds: f32) {
    let (n, first) = (motion.vx.len(), motion.vx.start());
    let along = |i: u32, axis: &[f32]| {
        (0..bodies.mass.len() as u32).fold(0.0, |sum, j| {
            let (dx, dy) = (bodies.x.at(j) - bodies.x.at(i), bodies.y.at(j) - bodies.y.at(i));
            let r2 = dx * dx + dy * dy + 0.01;
            math::fma((axis.at(j) - axis.at(i)) / r2, bodies.mass.at(j), sum)
        })
    };
    motion.vx.update(block, n, |i, v| *v += seconds * along(first + i, bodies.x));
    motion.vy.update(block, n, |i, v| *v += seconds * along(first + i, bodies.y));
}
// ANCHOR_END: groups

// ANCHOR: generic
/// A launch in any memory: `BodiesArgs` and `MotionArgs` hold what the structs hold in the kernel.
pub fn step<'a, E: Executor>(
    executor: &E,
    blocks: u32,
    motion: MotionArgs<'a, E::Space>,
    bodies: BodiesArgs<'a, E::Space>,
) -> Result<(), E::Error> {
    pull::launch(executor, blocks, pull::Args { motion, bodies, seconds: 0.1 })
}
// ANCHOR_END: generic

// ANCHOR: nested
/// A group in a group. It is `disc.bodies.x` in the kernel, and `x` in messages.
#[derive(Arguments)]
pub struct Disc<'a> {
    pub bodies: Bodies<'a>,
    pub radius: f32,
}

/// Counts the bodies in each of two discs. Both have an `x`, so messages say `a.bodies.x` and `b.bodies.x`.
#[kernel(threads = 64)]
pub fn inside(block: &mut Block, counts: &mut Chunk<u32, 2>, a: Disc<'_>, b: Disc<'_>) {
    let count = |disc: &Disc<'_>, i: u32| {
        let (x, y) = (disc.bodies.x.at(i), disc.bodies.y.at(i));
        u32::from(x * x + y * y < disc.radius * disc.radius)
    };
    let in_a = block.reduce(a.bodies.x.len() as u32, 0, |i| count(&a, i), |p, q| p + q);
    let in_b = block.reduce(b.bodies.x.len() as u32, 0, |i| count(&b, i), |p, q| p + q);
    counts.fill(block, 2, |i| if i == 0 { in_a } else { in_b });
}
// ANCHOR_END: nested

// ANCHOR: part
/// What two kernels do alike.
#[kernel_part]
fn shift(block: &mut Block, motion: Motion<'_>, by: f32) {
    let n = motion.vx.len();
    motion.vx.update(block, n, |_, v| *v += by);
    motion.vy.update(block, n, |_, v| *v += by);
}

#[kernel(threads = 64)]
pub fn faster(block: &mut Block, motion: Motion<'_>, by: f32) {
    shift!(block, motion, by);
}

#[kernel(threads = 64)]
pub fn slower(block: &mut Block, motion: Motion<'_>, by: f32) {
    shift!(block, motion, -by);
}
// ANCHOR_END: part

#[test]
fn bodies_pull_each_other() -> Result<(), LaunchError> {
    let of = |each: fn(u32) -> u32| -> Vec<f32> { (0..100).map(|i| each(i) as f32).collect() };
    let (x, y, mass) = (of(|i| i * 7 % 31), of(|i| i * 5 % 17), of(|i| i + 1));
    let expected = |axis: &[f32]| -> Vec<f32> {
        let pull = |i: usize| {
            (0..100).fold(0.0f32, |sum, j| {
                let (dx, dy) = (x[j] - x[i], y[j] - y[i]);
                ((axis[j] - axis[i]) / (dx * dx + dy * dy + 0.01)).mul_add(mass[j], sum)
            })
        };
        (0..100).map(|i| 0.1 * pull(i)).collect()
    };
    let (mut vx, mut vy) = (vec![0.0; 100], vec![0.0; 100]);
    // ANCHOR: launch
    let bodies = BodiesArgs { x: &x[..], y: &y[..], mass: &mass[..] };
    let motion = MotionArgs { vx: &mut vx[..], vy: &mut vy[..] };
    pull::launch(&CpuExecutor::new(), 2, pull::Args { motion, bodies: bodies.shorter(), seconds: 0.1 })?;
    // ANCHOR_END: launch
    assert_eq!((bits(&vx), bits(&vy)), (bits(&expected(&x)), bits(&expected(&y))));
    let motion = MotionArgs { vx: &mut vx[..], vy: &mut vy[..] };
    step(&CpuExecutor::new(), 2, motion, bodies.shorter())?;
    // The same group for two discs: it is only read.
    let (a, b) = (DiscArgs { bodies, radius: 5.0 }, DiscArgs { bodies, radius: 20.0 });
    let mut counts = [0; 2];
    inside::launch(&CpuExecutor::new(), 1, inside::Args { counts: &mut counts[..], a, b })?;
    let within = |radius: f32| (0..100).filter(|&i| x[i] * x[i] + y[i] * y[i] < radius * radius).count() as u32;
    assert_eq!(counts, [within(5.0), within(20.0)]);
    Ok(())
}

#[test]
fn a_part_is_the_same_in_both_kernels() -> Result<(), LaunchError> {
    let (mut vx, mut vy) = ([1.0; 3], [2.0; 3]);
    let cpu = CpuExecutor::new();
    let motion = MotionArgs { vx: &mut vx[..], vy: &mut vy[..] };
    faster::launch(&cpu, 1, faster::Args { motion, by: 0.5 })?;
    assert_eq!((vx, vy), ([1.5; 3], [2.5; 3]));
    let motion = MotionArgs { vx: &mut vx[..], vy: &mut vy[..] };
    slower::launch(&cpu, 1, slower::Args { motion, by: 2.0 })?;
    assert_eq!((vx, vy), ([-0.5; 3], [0.5; 3]));
    Ok(())
}

mod of_another_crate {
    use cuda_std::prelude::*;

    /// A group of another crate, whose types have no names here.
    #[kernel(threads = 32, requires(others.empty.is_empty()))]
    pub fn sums(block: &mut Block, out: &mut Chunk<u64, 32>, others: test_kernels::Others<'_>) {
        let words = others.triple;
        let sum = u64::from(words.a) + u64::from(words.b) + u64::from(words.c) + u64::from(others.pair.n);
        let n = out.len();
        out.fill(block, n, |i| sum + u64::from(i) + others.long);
    }
}

#[test]
fn a_group_may_be_of_another_crate() -> Result<(), LaunchError> {
    use test_kernels::{OthersArgs, Pair, Triple};
    let mut out = [0; 2];
    let (triple, pair) = (Triple { a: 1, b: 2, c: 3 }, Pair { x: 0.0, n: 4 });
    let others = OthersArgs { triple, long: 100, short: 0, empty: &[][..], pair };
    of_another_crate::sums::launch(&CpuExecutor::new(), 1, of_another_crate::sums::Args { out: &mut out[..], others })?;
    assert_eq!(out, [110, 111]);
    Ok(())
}
