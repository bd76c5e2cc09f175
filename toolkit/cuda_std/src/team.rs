//! Teams: a few neighbouring lanes of a warp that work on one element together.

use crate::bounds::crosses_lanes;
use crate::platform;
use bytemuck::Pod;

/// A team of `L` threads inside a phase; `L` is 1, 2, 4, 8, 16 or 32.
///
/// All threads of a team run the element's closure alike; only [`reduce`](Self::reduce) divides work among them. (This is
/// the middle level of a team policy with vector lanes, as in Kokkos.) Teams do not wait for each other, and a team may
/// branch or loop on values that only it has computed.
///
/// `fill_by_team` and similar methods of [`BlockMemory`](crate::BlockMemory::fill_by_team) make teams and have examples.
/// Another number of threads does not compile:
///
/// ```
/// # use cuda_std::prelude::*;
/// #[kernel(threads = 64)]
/// fn by_eight(block: &mut Block, out: &mut Chunk<u32, 8>) {
///     let n = out.len();
///     out.fill_by_team::<8>(block, n, |_, i| i);
/// }
/// # fn main() {
/// by_eight::launch(&CpuExecutor::new(), 1, by_eight::Args { out: &mut [0; 8][..] }).unwrap();
/// # }
/// ```
///
/// ```compile_fail,E0080
/// # use cuda_std::prelude::*;
/// #[kernel(threads = 64)]
/// fn by_six(block: &mut Block, out: &mut Chunk<u32, 8>) {
///     let n = out.len();
///     out.fill_by_team::<6>(block, n, |_, i| i);
/// }
/// # fn main() {
/// by_six::launch(&CpuExecutor::new(), 1, by_six::Args { out: &mut [0; 8][..] }).unwrap();
/// # }
/// ```
///
/// Enforced by the compiler: a team stays in the closure that received it, and starts no reduction inside its own
/// reduction, where its threads are in different iterations.
pub struct Team<const L: u32>(());

impl<const L: u32> Team<L> {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        whole_teams::<L>();
        Self(())
    }

    /// Folds `step` over `0..m`. All threads of the team receive the result.
    ///
    /// The order of the operations depends only on `m` and `L`. Slot `s` of `L` starts from `identity` and takes the steps
    /// `s, s + L, s + 2 L, ..` in this order. Then the slots are combined with strides `L/2, .. 2, 1`, with the lower one
    /// as the left operand. On the device a slot is a lane; on a CPU the slots form one vector.
    ///
    /// `T` has 16 bits, or consists of 32-bit words. If a thread of the block has panicked, the team ends here: no result
    /// uses a dead thread's value, and no loop waits for it.
    ///
    /// See [`BlockMemory::fill_by_team`](crate::BlockMemory::fill_by_team) and [`Tile`](crate::Tile) for examples. Smaller values do not compile:
    ///
    /// ```compile_fail,E0080
    /// # use cuda_std::prelude::*;
    /// #[kernel(threads = 64)]
    /// fn bytes(block: &mut Block, out: &mut Chunk<u8, 64>) {
    ///     out.fill_by_team::<8>(block, 1, |team, _| team.reduce(8, 0u8, |a, k| a | k as u8, |a, b| a | b));
    /// }
    /// # fn main() {
    /// bytes::launch(&CpuExecutor::new(), 1, bytes::Args { out: &mut [0; 1][..] }).unwrap();
    /// # }
    /// ```
    #[inline(always)]
    pub fn reduce<T: Pod>(
        &mut self,
        m: u32,
        identity: T,
        step: impl Fn(T, u32) -> T + Sync,
        combine: impl Fn(T, T) -> T + Sync,
    ) -> T {
        crosses_lanes::<T>();
        platform::team_reduce::<L, T>(m, identity, step, combine)
    }

    /// Like [`reduce`](Self::reduce), with the same result, for a `step` that contains loops.
    ///
    /// In `reduce`, a CPU core processes several `j` at a time, which takes several copies of the code of `step`. Here
    /// there is one copy, inlined into the surrounding code.
    #[inline(always)]
    pub fn reduce_long<T: Pod>(
        &mut self,
        m: u32,
        identity: T,
        step: impl Fn(T, u32) -> T + Sync,
        combine: impl Fn(T, T) -> T + Sync,
    ) -> T {
        crosses_lanes::<T>();
        platform::team_reduce_long::<L, T>(m, identity, step, combine)
    }
}

/// Stops the build if a warp cannot be divided into teams of `L` threads.
#[inline(always)]
pub(crate) fn whole_teams<const L: u32>() {
    const { assert!(L.is_power_of_two() && L <= 32, "a team has 1, 2, 4, 8, 16 or 32 threads") };
}
