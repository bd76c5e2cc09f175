//! The threads of a block, and the order in which a core runs them.

use crate::grid::Grid;
use std::mem::MaybeUninit;

/// The order of what a GPU would run at the same time.
#[derive(Clone, Copy, Debug)]
pub enum Order {
    /// By rising index.
    Rising,
    /// By chance, which this number decides.
    Shuffled(u64),
}

impl Order {
    /// The order of part `index` of what runs in this order.
    pub(crate) fn of(self, index: u32) -> Self {
        match self {
            Self::Rising => Self::Rising,
            Self::Shuffled(seed) => Self::Shuffled(mixed(seed ^ (u64::from(index) << 20))),
        }
    }

    /// The order of the phase that comes after one of this order.
    #[inline(always)]
    pub(crate) fn next(self) -> Self {
        match self {
            Self::Rising => Self::Rising,
            Self::Shuffled(seed) => Self::Shuffled(mixed(seed)),
        }
    }

    /// The numbers below `n` in this order.
    #[cold]
    #[inline(never)]
    pub(crate) fn list(self, n: u32) -> Vec<u32> {
        let mut list: Vec<u32> = (0..n).collect();
        let Self::Shuffled(mut state) = self else { return list };
        for end in (1..list.len()).rev() {
            state = mixed(state);
            // The bias of the remainder is far below what a test could see.
            list.swap(end, (state % (end as u64 + 1)) as usize);
        }
        list
    }

    /// The numbers below `n`, to be asked for one by one.
    #[inline(always)]
    pub(crate) fn numbers(self, n: u32) -> Numbers {
        Numbers(match self {
            Self::Rising => None,
            Self::Shuffled(_) => Some(self.list(n)),
        })
    }
}

/// Numbers in some order; `None` are the rising ones.
///
/// Loops ask it for each number, instead of being two loops: a closure that is called in two places is compiled by itself,
/// without the processor's features that the code around it may use.
pub(crate) struct Numbers(Option<Vec<u32>>);

impl Numbers {
    /// The number that comes after `k` others.
    #[inline(always)]
    pub(crate) fn at(&self, k: u32) -> u32 {
        match &self.0 {
            None => k,
            Some(list) => list[k as usize],
        }
    }
}

impl Numbers {
    /// Those that come after `k` others and follow each other, of `n`: the first, and the end.
    #[inline(always)]
    fn run(&self, k: u32, n: u32) -> (u32, u32) {
        match &self.0 {
            None => (k, n),
            Some(list) => (list[k as usize], list[k as usize] + 1),
        }
    }
}

/// A step of SplitMix64 (Steele et al. 2014).
fn mixed(state: u64) -> u64 {
    let z = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The threads of a block, for one phase.
///
/// In the ordinary case the order is a constant of the code that a launch runs, so that nothing of a choice is left in
/// its loops.
#[derive(Clone, Copy)]
pub struct Crew {
    threads: u32,
    grid: Grid,
    order: Order,
}

impl Crew {
    #[inline(always)]
    pub(crate) fn new(threads: u32, grid: Grid, order: Order) -> Self {
        Self { threads, grid, order }
    }

    #[inline(always)]
    pub(crate) fn threads(self) -> u32 {
        self.threads
    }

    /// The crew for the phase that begins; the one after that has another order.
    #[inline(always)]
    pub(crate) fn next_phase(&mut self) -> Self {
        self.order = self.order.next();
        *self
    }

    #[inline(always)]
    pub(crate) fn grid(self) -> Grid {
        self.grid
    }

    #[inline(always)]
    pub(crate) fn index_3d(self, index: u32) -> [u32; 3] {
        self.grid.index_3d(index)
    }

    /// The numbers below `n` in this phase's order.
    #[inline(always)]
    pub(crate) fn numbers(self, n: u32) -> Numbers {
        self.order.numbers(n)
    }

    /// Calls `f` with every lane of a warp.
    ///
    /// In runs of lanes that follow each other: in the ordinary case all, else one. What is in the inner loop and has no
    /// branch is then done for several lanes at a time.
    #[inline(always)]
    pub(crate) fn visit_lanes(self, mut f: impl FnMut(u32)) {
        const WARP: u32 = 32;
        let numbers = self.numbers(WARP);
        let mut k = 0;
        while k < WARP {
            let (first, end) = numbers.run(k, WARP);
            for lane in first..end {
                f(lane);
            }
            k += end - first;
        }
    }

    /// Calls `f` with every number below `n`.
    #[inline(always)]
    pub(crate) fn visit(self, n: u32, mut f: impl FnMut(u32)) {
        let numbers = self.numbers(n);
        for k in 0..n {
            f(numbers.at(k));
        }
    }

    /// `f` of every number below `n`, in their places.
    #[inline(always)]
    pub(crate) fn collect<T>(self, n: u32, mut f: impl FnMut(u32) -> T) -> Box<[T]> {
        let mut places: Box<[MaybeUninit<T>]> = Box::new_uninit_slice(n as usize);
        self.visit(n, |i| {
            places[i as usize].write(f(i));
        });
        // SAFETY: each number below `n` came once. (If `f` panics, what it made is not dropped, which is safe.)
        unsafe { places.assume_init() }
    }
}
