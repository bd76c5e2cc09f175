//! The increasing order only.

/// The increasing order.
#[derive(Clone, Copy, Debug)]
pub struct Order;

impl Order {
    pub(crate) const RISING: Self = Self;

    #[inline(always)]
    pub(crate) fn is_rising(self) -> bool {
        true
    }

    /// The order of the next phase.
    #[inline(always)]
    pub(crate) fn next(self) -> Self {
        self
    }

    /// The order of part `index` of the work in this order.
    #[inline(always)]
    pub(crate) fn of(self, _index: u32) -> Self {
        self
    }

    /// The numbers below `n` in this order.
    #[inline(always)]
    pub(crate) fn numbers(self, _n: u32) -> Numbers {
        Numbers
    }
}

/// The increasing numbers.
pub(crate) struct Numbers;

impl Numbers {
    /// The number at position `k`.
    #[inline(always)]
    pub(crate) fn at(&self, k: u32) -> u32 {
        k
    }

    /// The consecutive numbers from position `k` on, of `n`: the first one, and the end.
    #[inline(always)]
    pub(crate) fn run(&self, k: u32, n: u32) -> (u32, u32) {
        (k, n)
    }
}
