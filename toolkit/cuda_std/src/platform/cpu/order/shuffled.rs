//! An order determined by a seed, or the increasing one.

/// An order.
#[derive(Clone, Copy, Debug)]
pub enum Order {
    /// Increasing indices.
    Rising,
    /// A pseudo-random order with this seed.
    Shuffled(u64),
}

impl Order {
    pub(crate) const RISING: Self = Self::Rising;

    #[inline(always)]
    pub(crate) fn is_rising(self) -> bool {
        matches!(self, Self::Rising)
    }

    /// The order of the next phase.
    #[inline(always)]
    pub(crate) fn next(self) -> Self {
        match self {
            Self::Rising => Self::Rising,
            Self::Shuffled(seed) => Self::Shuffled(mixed(seed)),
        }
    }

    /// The order of part `index` of the work in this order.
    pub(crate) fn of(self, index: u32) -> Self {
        match self {
            Self::Rising => Self::Rising,
            Self::Shuffled(seed) => Self::Shuffled(mixed(seed ^ (u64::from(index) << 20))),
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
            // The bias of the remainder is far below anything that a test could detect.
            list.swap(end, (state % (end as u64 + 1)) as usize);
        }
        list
    }

    /// The numbers below `n`, for lookups one by one.
    #[inline(always)]
    pub(crate) fn numbers(self, n: u32) -> Numbers {
        Numbers(match self {
            Self::Rising => None,
            Self::Shuffled(_) => Some(self.list(n)),
        })
    }
}

/// Numbers in some order. `None` is the increasing one.
///
/// Loops look up each number here, so that there is one loop instead of two: the compiler does not inline a closure that is
/// called in two places, and would compile it without the processor features of the surrounding code.
pub(crate) struct Numbers(Option<Vec<u32>>);

impl Numbers {
    /// The number at position `k`.
    #[inline(always)]
    pub(crate) fn at(&self, k: u32) -> u32 {
        match &self.0 {
            None => k,
            Some(list) => list[k as usize],
        }
    }

    /// The consecutive numbers from position `k` on, of `n`: the first, and the end.
    #[inline(always)]
    pub(crate) fn run(&self, k: u32, n: u32) -> (u32, u32) {
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
