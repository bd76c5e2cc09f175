//! A GPU: every thread runs this code, and finds out by its index what is its own.

use crate::memory::{MAX_LENGTH, check_length};
use crate::panic::device::leave_if_poisoned;
use bytemuck::Pod;
use core::arch::{asm, global_asm, nvptx};
use core::marker::PhantomData;

const WARP: u32 = 32;
const FULL: u32 = u32::MAX;

unsafe extern "C" {
    // Declared by their LLVM names because rustc marks those convergent; inline assembly would not be.
    #[link_name = "llvm.nvvm.shfl.sync.down.i32"]
    fn shfl_sync_down(mask: u32, value: u32, delta: u32, clamp: u32) -> u32;
    #[link_name = "llvm.nvvm.shfl.sync.idx.i32"]
    fn shfl_sync_idx(mask: u32, value: u32, lane: u32, clamp: u32) -> u32;
    #[link_name = "llvm.nvvm.vote.ballot.sync"]
    fn vote_ballot_sync(mask: u32, predicate: bool) -> u32;
}

// Results of a block's warps on their way to a reduction's second level: 32 values of up to 32 bytes.
global_asm!(".shared .align 16 .b8 __cuda_std_groups[1024];");

#[inline(always)]
pub(crate) fn thread_index() -> u32 {
    // SAFETY: reads a special register.
    unsafe { nvptx::_thread_idx_x() as u32 }
}

#[inline(always)]
pub(crate) fn block_index() -> u32 {
    // SAFETY: reads a special register.
    unsafe { nvptx::_block_idx_x() as u32 }
}

/// Waits for every thread of the block. A thread of a block in which one has panicked goes no further: what it
/// would read may never have been written.
#[inline(always)]
pub(crate) fn barrier() {
    // SAFETY: every thread of the block gets here, because phases cannot be nested and code between phases is
    // the same for all threads; threads that have exited count as arrived.
    unsafe { nvptx::_syncthreads() };
    leave_if_poisoned();
}

/// The indices `first, first + step, ..` below `n`. The sum cannot wrap, so it is not checked in every turn:
/// [`crate::memory::check_length`] has seen that `n` leaves room for a step.
#[inline(always)]
fn strided(first: u32, step: u32, n: u32, mut f: impl FnMut(u32)) {
    let mut i = first;
    while i < n {
        f(i);
        i = i.wrapping_add(step);
    }
}

#[inline(always)]
pub(crate) fn each_index(threads: u32, n: u32, f: impl Fn(u32)) {
    strided(thread_index(), threads, n, f);
}

/// Runs `f(i, owned)` for every index below `n`, each by a team of `L` threads.
///
/// All teams of a warp take the same number of turns, so that its lanes meet at every shuffle; a team without an index
/// of its own repeats the last one, which it does not own and must not write.
#[inline(always)]
pub(crate) fn each_team<const L: u32>(threads: u32, n: u32, f: impl Fn(u32, bool)) {
    let team = thread_index() / L;
    let first_of_warp = team / (WARP / L) * (WARP / L);
    strided(first_of_warp, threads / L, n, |first| {
        let i = first.wrapping_add(team % (WARP / L));
        f(i.min(n.wrapping_sub(1)), i < n);
    });
}

/// Whether this thread is its team's first.
#[inline(always)]
pub(crate) fn leads_team<const L: u32>() -> bool {
    thread_index().is_multiple_of(L)
}

/// The third operand of a shuffle within segments of `L` lanes.
const fn segment<const L: u32>() -> u32 {
    ((WARP - L) << 8) | (WARP - 1)
}

/// Applies a 32-bit shuffle to a value of any size.
#[inline(always)]
fn shuffle_words<T: Pod>(value: T, shuffle: impl Fn(u32) -> u32) -> T {
    const {
        assert!(
            size_of::<T>().is_multiple_of(4) && size_of::<T>() <= 128,
            "a value that crosses lanes is made of at most 32 words of 32 bits"
        );
    }
    let mut result = value;
    let from = (&raw const value).cast::<u32>();
    let to = (&raw mut result).cast::<u32>();
    // Written out: a loop would keep the value in memory.
    macro_rules! words {
        ($($word:literal)*) => {$(
            if const { size_of::<T>() > 4 * $word } {
                // SAFETY: within the value, any bits are a valid `T: Pod`; unaligned, since T may be bytes.
                unsafe { to.add($word).write_unaligned(shuffle(from.add($word).read_unaligned())) };
            }
        )*};
    }
    words!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31);
    result
}

/// Combines the values of every `L` neighbouring lanes by halving strides; all of them get the first one's result.
#[inline(always)]
fn halve_lanes<const L: u32, T: Pod>(mut value: T, combine: &impl Fn(T, T) -> T) -> T {
    let mut stride = L / 2;
    while stride > 0 {
        // SAFETY: all lanes of the warp get here together: see `each_team`, `block_reduce`.
        let other = shuffle_words(value, |word| unsafe { shfl_sync_down(FULL, word, stride, segment::<L>()) });
        value = combine(value, other);
        stride /= 2;
    }
    // SAFETY: as above.
    shuffle_words(value, |word| unsafe { shfl_sync_idx(FULL, word, 0, segment::<L>()) })
}

#[inline(always)]
pub(crate) fn team_reduce<const L: u32, T: Pod>(
    m: u32,
    identity: T,
    step: impl Fn(T, u32) -> T,
    combine: impl Fn(T, T) -> T,
) -> T {
    check_length(m, MAX_LENGTH);
    let mut slot = identity;
    strided(thread_index() % L, L, m, |j| slot = step(slot, j));
    halve_lanes::<L, T>(slot, &combine)
}

#[inline(always)]
pub(crate) fn team_collect<const L: u32>(m: u32, keep: impl Fn(u32) -> bool, put: impl Fn(u32, u32)) -> u32 {
    check_length(m, MAX_LENGTH);
    let lane = thread_index() % L;
    let team = thread_index() % WARP / L * L;
    let mut count = 0u32;
    strided(0, L, m, |base| {
        let j = base.wrapping_add(lane);
        let kept = j < m && keep(j);
        // SAFETY: all lanes of the warp take the same number of turns: `m` is the same for all teams.
        let votes = (unsafe { vote_ballot_sync(FULL, kept) } >> team) & (FULL >> (WARP - L));
        if votes != 0 {
            if kept {
                put(count.wrapping_add((votes & ((1 << lane) - 1)).count_ones()), j);
            }
            count = count.wrapping_add(votes.count_ones());
        }
    });
    count
}

#[inline(always)]
pub(crate) fn block_reduce<T: Pod>(
    threads: u32,
    n: u32,
    identity: T,
    value: impl Fn(u32) -> T,
    combine: impl Fn(T, T) -> T,
) -> T {
    const SLOTS: u32 = crate::block::REDUCE_SLOTS;
    const { assert!(size_of::<T>() <= 32, "a block reduces values of at most 32 bytes") };
    check_length(n, MAX_LENGTH);
    let groups = SharedPointer::<T>(groups_address(), PhantomData);
    let thread = thread_index();
    let occupied = n.min(SLOTS);
    barrier();
    strided(0, threads, occupied, |base| {
        let first = base.wrapping_add(thread);
        let mut slot = identity;
        // One loop, with the first turn told apart inside: `value` is large, and so is in the code once.
        strided(first, SLOTS, if first < SLOTS { n } else { 0 }, |i| {
            let item = value(i);
            slot = if i < SLOTS { item } else { combine(slot, item) };
        });
        slot = halve_lanes::<WARP, T>(slot, &combine);
        if thread.is_multiple_of(WARP) && first < occupied {
            // SAFETY: a group below 32; each is one warp's.
            unsafe { groups.store(first / WARP, slot) };
        }
    });
    barrier();
    let lane = thread % WARP;
    let mut group = identity;
    if lane < occupied.div_ceil(WARP) {
        // SAFETY: written before the barrier.
        group = unsafe { groups.load(lane) };
    }
    halve_lanes::<WARP, T>(group, &combine)
}

#[inline(always)]
fn groups_address() -> u32 {
    let address: u32;
    // SAFETY: takes an address.
    unsafe {
        asm!("mov.u32 {0}, __cuda_std_groups;", out(reg32) address, options(pure, nomem, nostack, preserves_flags));
    }
    address
}

/// A thread's own value: registers.
pub(crate) struct PerThreadStorage<T>(T);

impl<T> PerThreadStorage<T> {
    #[inline(always)]
    pub(crate) fn new(_threads: u32, init: impl Fn(u32) -> T) -> Self {
        Self(init(thread_index()))
    }

    #[inline(always)]
    pub(crate) fn each(&mut self, f: impl Fn(u32, &mut T)) {
        f(thread_index(), &mut self.0);
    }

    #[inline(always)]
    pub(crate) fn each_ref(&self, f: impl Fn(u32, &T)) {
        f(thread_index(), &self.0);
    }
}

/// The 32-bit address of a shared array that the kernel's entry declares.
pub struct SharedStorage<T, const N: usize>(u32, PhantomData<T>);

impl<T: Pod, const N: usize> SharedStorage<T, N> {
    /// # Safety
    /// `address` is that of a shared array of `N` elements, aligned to 16 bytes, that nothing else uses.
    #[inline(always)]
    pub unsafe fn new(address: u32) -> Self {
        Self(address, PhantomData)
    }

    #[inline(always)]
    pub(crate) fn at(&mut self) -> SharedPointer<T> {
        SharedPointer(self.0, PhantomData)
    }
}

/// A shared address. Stock rustc has no address space for shared memory, so it is read and written by
/// instructions that name it; a generic pointer works too, and costs a tenth more.
pub(crate) struct SharedPointer<T>(u32, PhantomData<T>);

impl<T> Clone for SharedPointer<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for SharedPointer<T> {}

/// Whether elements of `T` lie at multiples of `bytes` in an array that is aligned to 16.
const fn in_pieces_of<T>(bytes: usize) -> bool {
    size_of::<T>().is_multiple_of(bytes)
}

impl<T: Pod> SharedPointer<T> {
    /// Address of element `i`. Addresses are computed without overflow checks: the index has been checked.
    #[inline(always)]
    fn address(self, i: u32) -> u32 {
        self.0.wrapping_add(i.wrapping_mul(size_of::<T>() as u32))
    }

    /// # Safety
    /// `i` lies within the array, and no thread writes it at the same time.
    #[inline(always)]
    pub(crate) unsafe fn load(self, i: u32) -> T {
        let mut value = T::zeroed();
        let to = (&raw mut value).cast::<u8>();
        let from = self.address(i);
        // SAFETY: each piece lies within the element, and pieces are aligned because the array is.
        unsafe {
            if const { in_pieces_of::<T>(16) } {
                for piece in 0..size_of::<T>() / 16 {
                    let at = from.wrapping_add(piece as u32 * 16);
                    let (a, b, c, d): (u32, u32, u32, u32);
                    asm!("ld.shared.v4.b32 {{{0}, {1}, {2}, {3}}}, [{4}];",
                        out(reg32) a, out(reg32) b, out(reg32) c, out(reg32) d, in(reg32) at,
                        options(pure, readonly, nostack, preserves_flags));
                    to.add(piece * 16).cast::<[u32; 4]>().write_unaligned([a, b, c, d]);
                }
            } else if const { in_pieces_of::<T>(8) } {
                for piece in 0..size_of::<T>() / 8 {
                    let at = from.wrapping_add(piece as u32 * 8);
                    let (a, b): (u32, u32);
                    asm!("ld.shared.v2.b32 {{{0}, {1}}}, [{2}];", out(reg32) a, out(reg32) b, in(reg32) at,
                        options(pure, readonly, nostack, preserves_flags));
                    to.add(piece * 8).cast::<[u32; 2]>().write_unaligned([a, b]);
                }
            } else if const { in_pieces_of::<T>(4) } {
                for piece in 0..size_of::<T>() / 4 {
                    let at = from.wrapping_add(piece as u32 * 4);
                    let a: u32;
                    asm!("ld.shared.b32 {0}, [{1}];", out(reg32) a, in(reg32) at,
                        options(pure, readonly, nostack, preserves_flags));
                    to.add(piece * 4).cast::<u32>().write_unaligned(a);
                }
            } else {
                for piece in 0..size_of::<T>() {
                    let at = from.wrapping_add(piece as u32);
                    let a: u16;
                    asm!("ld.shared.u8 {0}, [{1}];", out(reg16) a, in(reg32) at,
                        options(pure, readonly, nostack, preserves_flags));
                    to.add(piece).write(a as u8);
                }
            }
        }
        value
    }

    /// # Safety
    /// `i` lies within the array, and no other thread touches it at the same time.
    #[inline(always)]
    pub(crate) unsafe fn store(self, i: u32, value: T) {
        let from = (&raw const value).cast::<u8>();
        let to = self.address(i);
        // SAFETY: as in `load`.
        unsafe {
            if const { in_pieces_of::<T>(16) } {
                for piece in 0..size_of::<T>() / 16 {
                    let at = to.wrapping_add(piece as u32 * 16);
                    let [a, b, c, d] = from.add(piece * 16).cast::<[u32; 4]>().read_unaligned();
                    asm!("st.shared.v4.b32 [{0}], {{{1}, {2}, {3}, {4}}};",
                        in(reg32) at, in(reg32) a, in(reg32) b, in(reg32) c, in(reg32) d,
                        options(nostack, preserves_flags));
                }
            } else if const { in_pieces_of::<T>(8) } {
                for piece in 0..size_of::<T>() / 8 {
                    let at = to.wrapping_add(piece as u32 * 8);
                    let [a, b] = from.add(piece * 8).cast::<[u32; 2]>().read_unaligned();
                    asm!("st.shared.v2.b32 [{0}], {{{1}, {2}}};", in(reg32) at, in(reg32) a, in(reg32) b,
                        options(nostack, preserves_flags));
                }
            } else if const { in_pieces_of::<T>(4) } {
                for piece in 0..size_of::<T>() / 4 {
                    let at = to.wrapping_add(piece as u32 * 4);
                    let a = from.add(piece * 4).cast::<u32>().read_unaligned();
                    asm!("st.shared.b32 [{0}], {1};", in(reg32) at, in(reg32) a, options(nostack, preserves_flags));
                }
            } else {
                for piece in 0..size_of::<T>() {
                    let at = to.wrapping_add(piece as u32);
                    let a = u16::from(from.add(piece).read());
                    asm!("st.shared.u8 [{0}], {1};", in(reg32) at, in(reg16) a, options(nostack, preserves_flags));
                }
            }
        }
    }
}
