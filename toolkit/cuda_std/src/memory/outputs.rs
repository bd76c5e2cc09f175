//! Phases that write several memories at once.

use crate::block::Block;
use crate::block::thread::{PerThread, Thread};
use crate::bounds::check_length;
use crate::buffers::elements::Elements;
use crate::memory::BlockMemory;
use crate::platform;
use crate::seal::INSIDE;

mod sealed {
    pub trait Sealed {}
}

/// Two to six memories of a block as a tuple of references, which one phase writes: a thread computes their elements together.
///
/// Each memory keeps the guarantees of [`BlockMemory`]. A phase has a barrier before it if one of the memories needs it, and
/// one after it if one of them can be read.
///
/// ```
/// # use cuda_std::prelude::*;
/// /// Points from angles and distances; and, from each thread's own state, the block's first four angles doubled.
/// #[kernel(threads = 64, requires(x.len() == polar.len() && y.len() == polar.len()))]
/// fn points(
///     block: &mut Block,
///     x: &mut Chunk<f32, 128, WriteOnly>,
///     y: &mut Chunk<f32, 128, WriteOnly>,
///     twice: &mut Chunk<f32, 4>,
///     shares: &mut Chunk<u32, 4>,
///     polar: &[[f32; 2]],
/// ) {
///     let (n, first) = (x.len(), x.start());
///     (x, y).fill(block, n, |i| {
///         let [angle, distance] = polar.at(first + i);
///         let (sin, cos) = math::sin_cos(angle);
///         (distance * cos, distance * sin)
///     });
///     let own = block.per_thread(|thread| if thread.index() < n { polar.at(first + thread.index())[0] } else { 0.0 });
///     (twice, shares).write(block, 0, &own, |thread, angle| (2.0 * angle, 10 * thread.index()));
/// }
/// # fn main() {
/// let (mut x, mut y, mut twice, mut shares) = ([9.0; 2], [9.0; 2], [9.0; 2], [9; 3]);
/// let polar = [[0.0, 3.0], [1.0, 0.0]];
/// points::launch(
///     &CpuExecutor::new(),
///     1,
///     points::Args { x: &mut x, y: &mut y, twice: &mut twice, shares: &mut shares, polar: &polar },
/// )
/// .unwrap();
/// assert_eq!((x, y, twice, shares), ([3.0, 0.0], [0.0, 0.0], [0.0, 2.0], [0, 10, 20]));
/// # }
/// ```
///
/// A memory is written once in a phase, and the closure cannot read it:
///
/// ```compile_fail,E0499
/// # use cuda_std::prelude::*;
/// fn twice(block: &mut Block, out: &mut Chunk<u32, 4>) {
///     (&mut *out, &mut *out).fill(block, 4, |i| (i, i));
/// }
/// ```
/// ```compile_fail,E0502
/// # use cuda_std::prelude::*;
/// fn reads(block: &mut Block, a: &mut Chunk<u32, 4>, b: &mut Chunk<u32, 4>) {
///     (&mut *a, &mut *b).fill(block, 4, |i| (i, a.get(i)));
/// }
/// ```
pub trait Outputs: Sized + sealed::Sealed {
    /// An element of each memory.
    type Items;

    /// Writes `values(i)` to the elements `i` of the memories, for every `i` below `n`.
    ///
    /// # Panics
    /// When `n` exceeds the length of one of them.
    fn fill(self, block: &mut Block, n: u32, values: impl Fn(u32) -> Self::Items + Sync);

    /// Each thread `t` writes the elements `first + t` from its own state. Memories that are not so long are left out, and so is a
    /// thread for which all of them are too short.
    fn write<S>(
        self,
        block: &mut Block,
        first: u32,
        state: &PerThread<S>,
        values: impl Fn(Thread, &S) -> Self::Items + Sync,
    );
}

macro_rules! tuples {
    ($($memory:ident $item:ident $rest:ident),+) => {
        impl<$($memory: BlockMemory),+> sealed::Sealed for ($(&mut $memory,)+) {}

        #[allow(non_snake_case)]
        impl<$($memory: BlockMemory),+> Outputs for ($(&mut $memory,)+) {
            type Items = ($($memory::Item,)+);

            #[inline(always)]
            #[track_caller]
            fn fill(self, block: &mut Block, n: u32, values: impl Fn(u32) -> Self::Items + Sync) {
                let ($($memory,)+) = self;
                let is_used = $($memory.claim(INSIDE))|+;
                $(
                    let $memory = $memory.resolved(INSIDE);
                    check_length(n, $memory.count());
                )+
                block.open(is_used);
                platform::each_index(block.phase(), n, |i| {
                    let ($($item,)+) = values(i);
                    // SAFETY: in bounds; index i belongs to one thread, and the closure cannot hold these memories, of which no two
                    // share elements.
                    $(unsafe { $memory.store(i, $item) };)+
                });
                block.close($(<$memory as Elements>::READABLE)|+);
            }

            #[inline(always)]
            fn write<S>(
                self,
                block: &mut Block,
                first: u32,
                state: &PerThread<S>,
                values: impl Fn(Thread, &S) -> Self::Items + Sync,
            ) {
                let ($($memory,)+) = self;
                let is_used = $($memory.claim(INSIDE))|+;
                $(
                    let $memory = $memory.resolved(INSIDE);
                    let $rest = $memory.count().saturating_sub(first);
                )+
                let most = 0$(.max($rest))+;
                block.open(is_used);
                state.each_ref(block.phase(), |thread, own| {
                    if thread.index() < most {
                        let ($($item,)+) = values(thread, own);
                        $(
                            if thread.index() < $rest {
                                // SAFETY: as above.
                                unsafe { $memory.store(first + thread.index(), $item) };
                            }
                        )+
                    }
                });
                block.close($(<$memory as Elements>::READABLE)|+);
            }
        }
    };
}

tuples!(A a a_rest, B b b_rest);
tuples!(A a a_rest, B b b_rest, C c c_rest);
tuples!(A a a_rest, B b b_rest, C c c_rest, D d d_rest);
tuples!(A a a_rest, B b b_rest, C c c_rest, D d d_rest, E e e_rest);
tuples!(A a a_rest, B b b_rest, C c c_rest, D d d_rest, E e e_rest, F f f_rest);
