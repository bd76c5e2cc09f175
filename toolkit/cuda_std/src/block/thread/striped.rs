//! Elements that threads keep in registers.

use super::{PerThread, Thread};
use crate::Block;
use crate::bounds::check_length;
use crate::platform::{self, PerThreadStorage};
use crate::unrolled::unrolled;

/// Checks that `threads` threads keep `n` elements, `N` each, where [`Scatter`](crate::Scatter) checks what is written twice.
#[inline(always)]
#[track_caller]
fn check_room<const N: usize>(n: u32, threads: u32) {
    const { assert!(N <= 1 << 16, "a thread keeps at most 2^16 elements") };
    if cfg!(any(not(target_arch = "nvptx64"), cuda_check_writes)) {
        check_length(n, threads.wrapping_mul(N as u32));
    }
}

/// 0, 1 and so on.
const fn numbers<const N: usize>() -> [u32; N] {
    let (mut all, mut k) = ([0; N], 0);
    while k < N {
        all[k] = k as u32;
        k += 1;
    }
    all
}

impl Block {
    /// Computes `n` elements, of which each thread keeps up to `N`: thread `t` has `value(t)`, `value(t + threads)` and so on, and `rest`
    /// in place of those that there are not. Neighbouring threads have neighbouring elements, so they load together.
    ///
    /// # Panics
    /// On CPU cores, and on a device whose kernels were built with `CudaBuilder::check_writes`, when `n` is above `N` times the number of
    /// threads. Otherwise a device leaves out the elements that threads have no room for. (This check made a kernel take 2% longer that
    /// only loads and stores.)
    ///
    /// ```
    /// # use cuda_std::prelude::*;
    /// /// Scales numbers so that their sum is 1. They are read once.
    /// #[kernel(threads = 64, requires(x.len() == out.len() && x.len() <= 256))]
    /// fn shares(block: &mut Block, out: &Scatter<f32>, x: &[f32]) {
    ///     let n = x.len() as u32;
    ///     let mut own = block.striped::<_, 4>(n, 0.0, |i| x.at(i));
    ///     let sum = block.reduce_threads(&own, 0.0, |_, own| own.iter().sum(), |a, b| a + b);
    ///     block.each_striped(&mut own, n, |thread, i, x| out.put(thread, i, *x / sum));
    /// }
    /// # fn main() {
    /// let mut out = [0.0; 100];
    /// shares::launch(&CpuExecutor::new(), 1, shares::Args { out: &mut out, x: &[3.0; 100] }).unwrap();
    /// assert_eq!(out, [0.01; 100]);
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn striped<T: Copy + Sync, const N: usize>(
        &mut self,
        n: u32,
        rest: T,
        value: impl Fn(u32) -> T + Sync,
    ) -> PerThread<[T; N]> {
        let threads = self.threads();
        check_room::<N>(n, threads);
        self.per_thread(|thread| {
            const { numbers::<N>() }.map(|k| {
                let i = k.wrapping_mul(threads).wrapping_add(thread.index());
                if i < n { value(i) } else { rest }
            })
        })
    }

    /// Runs `f(thread, i, element)` for each element `i` below `n` of those that threads keep as [`striped`](Self::striped) says.
    ///
    /// # Panics
    /// As `striped`.
    #[inline(always)]
    #[track_caller]
    pub fn each_striped<T, const N: usize>(
        &mut self,
        own: &mut PerThread<[T; N]>,
        n: u32,
        f: impl Fn(Thread, u32, &mut T) + Sync,
    ) {
        let threads = self.threads();
        check_room::<N>(n, threads);
        self.each(own, |thread, own| {
            for k in 0..N as u32 {
                let i = k.wrapping_mul(threads).wrapping_add(thread.index());
                if i < n {
                    f(thread, i, &mut own[k as usize]);
                }
            }
        });
    }

    /// Scans elements that threads keep in rows: each warp has `N` neighbouring rows of 32 elements, and lane `l` has element `l` of each
    /// row. `value` computes a thread's elements, which are combined with all those before them in the block. The second result combines
    /// all of the block's elements. This takes one barrier.
    ///
    /// A row is combined as by [`Warp::inclusive_scan`](crate::Warp::inclusive_scan), all rows of a warp at once. Then an element is
    /// `warps + (rows + own)`: what the warps before have, as a warp combines it, and the warp's rows before, from the first on.
    /// `identity` must be neutral. An element has at most 32 bytes, and a thread's elements 128, in 32-bit words.
    ///
    /// ```
    /// # use cuda_std::prelude::*;
    /// /// Running sums of 128 numbers: each of two warps has two rows of 32.
    /// #[kernel(threads = 64, requires(out.len() == 128 && x.len() == 128))]
    /// fn sums(block: &mut Block, out: &Scatter<u32>, x: &[u32]) {
    ///     let place = |thread: Thread, row: u32| thread.index() / 32 * 64 + 32 * row + thread.index() % 32;
    ///     let own = block.per_thread(|thread| [0, 1].map(|row| x.at(place(thread, row))));
    ///     let (mut sums, all) = block.inclusive_scan_rows(&own, 0, |_, own| *own, |a, b| a + b);
    ///     block.each(&mut sums, |thread, sums| {
    ///         assert!(sums[0] <= sums[1] && sums[1] <= all);
    ///         out.put_each(thread, [0, 1].map(|row| place(thread, row)), *sums);
    ///     });
    /// }
    /// # fn main() {
    /// let mut out = [0; 128];
    /// sums::launch(&CpuExecutor::new(), 1, sums::Args { out: &mut out, x: &[2; 128] }).unwrap();
    /// assert!((1..).zip(out).all(|(n, sum)| sum == 2 * n));
    /// # }
    /// ```
    #[inline(always)]
    pub fn inclusive_scan_rows<S, T: bytemuck::Pod + Sync, const N: usize>(
        &mut self,
        state: &PerThread<S>,
        identity: T,
        value: impl Fn(Thread, &S) -> [T; N] + Sync,
        combine: impl Fn(T, T) -> T + Sync,
    ) -> (PerThread<[T; N]>, T)
    where
        [T; N]: bytemuck::Pod,
    {
        const { assert!(N > 0, "a thread has elements") };
        let value = |index| value(Thread::new(index), state.0.own(index));
        let mut own = PerThread(PerThreadStorage::new(self.phase(), value));
        self.warps_with(&mut own, |warp, own| {
            // All rows at once, so that their shuffles do not wait for each other.
            let scanned = warp.inclusive_scan(&*own, |a: [T; N], b: [T; N]| {
                let mut both = b;
                unrolled::<N>(|row| both[row as usize] = combine(a[row as usize], b[row as usize]));
                both
            });
            let rows = warp.broadcast(&scanned, 31);
            warp.each_with(own, &scanned, |_, own, scanned| {
                let mut before = identity;
                unrolled::<N>(|row| {
                    own[row as usize] = combine(before, scanned[row as usize]);
                    before = combine(before, rows[row as usize]);
                });
            });
        });
        let (before, all) = self.scanned_warps(identity, &own, |own| own[N - 1], &combine);
        self.each_with(&mut own, &before, |_, own, before| {
            unrolled::<N>(|row| own[row as usize] = combine(*before, own[row as usize]));
        });
        (own, all)
    }

    /// Combines one value of each warp, which its last thread computes: those of the warps before a thread's own, and all of them. This
    /// takes one barrier and memory as [`reduced`](Self::reduced) does, so it alternates with reductions.
    #[inline(always)]
    fn scanned_warps<S, T: bytemuck::Pod>(
        &mut self,
        identity: T,
        state: &PerThread<S>,
        value: impl Fn(&S) -> T,
        combine: impl Fn(T, T) -> T,
    ) -> (PerThread<T>, T) {
        let value = |index| value(state.0.own(index));
        let (before, all) = platform::scan_warps(self.crew.next_phase(), self.half.next(), identity, value, combine);
        (PerThread(before), all)
    }
}
