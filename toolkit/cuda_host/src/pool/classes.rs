//! Size classes: the block size for a request.

/// Every block of a pool begins at a multiple of this many bytes, and its size is a multiple of it.
pub(crate) const ALIGNMENT: usize = 256;

/// How a pool trades memory for time.
///
/// ```
/// use cuda_host::PoolOptions;
///
/// // For uploads: three may be pending while a fourth is prepared, within a gigabyte.
/// let options = PoolOptions::default().busy_blocks(3).limit(1 << 30);
/// assert_ne!(options, PoolOptions::default());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct PoolOptions {
    headroom_percent: usize,
    limit: usize,
    busy_blocks: usize,
}

impl Default for PoolOptions {
    /// A quarter of headroom, no limit, and no block in reserve.
    fn default() -> Self {
        Self { headroom_percent: 25, limit: usize::MAX, busy_blocks: 0 }
    }
}

impl PoolOptions {
    /// The headroom of a new block in percent of the request, so that slightly larger requests fit later. The sum is then
    /// rounded up to a size class. The default is 25.
    pub fn headroom_percent(mut self, percent: usize) -> Self {
        self.headroom_percent = percent;
        self
    }

    /// The most bytes of the pool, including those kept for later. The default is unlimited.
    pub fn limit(mut self, bytes: usize) -> Self {
        self.limit = bytes;
        self
    }

    /// The number of fitting blocks with pending work that the pool keeps before it leases one of them again. The next user
    /// of such a block waits for that work. With 0 (the default) the pool waits rather than grows, and waiting costs
    /// nothing if the next user is on the same stream. With n it grows by up to n blocks before it waits, so that n pieces
    /// of work may be pending while the next is prepared.
    pub fn busy_blocks(mut self, blocks: usize) -> Self {
        self.busy_blocks = blocks;
        self
    }

    pub(crate) fn most_bytes(&self) -> usize {
        self.limit
    }

    pub(crate) fn most_busy(&self) -> usize {
        self.busy_blocks
    }

    /// Bytes of a new block for a request of `bytes`: with headroom, rounded up to a size class.
    pub(crate) fn block_bytes(&self, bytes: usize) -> usize {
        let headroom = (bytes / 100).saturating_mul(self.headroom_percent) + bytes % 100 * self.headroom_percent / 100;
        size_class(bytes.saturating_add(headroom)).unwrap_or_else(|| least_bytes(bytes))
    }
}

/// The size class of `bytes` bytes. Each power of two has four classes, so at most a fifth of a large block is unused.
/// `None` if it is not a `usize`.
fn size_class(bytes: usize) -> Option<usize> {
    if bytes <= 4 * ALIGNMENT {
        return Some(least_bytes(bytes));
    }
    let power = (bytes - 1).ilog2();
    bytes.checked_next_multiple_of(1 << (power - 2))
}

/// The block size for `bytes` without headroom and size class.
pub(crate) fn least_bytes(bytes: usize) -> usize {
    bytes.max(1).checked_next_multiple_of(ALIGNMENT).unwrap_or(bytes)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn classes_hold_what_they_are_for_and_waste_little() {
        let mut before = 0;
        for bytes in (0..20_000).chain((15..40).flat_map(|power| [(1 << power) - 1, 1 << power, (1 << power) + 1])) {
            let class = size_class(bytes).unwrap();
            assert!(class >= bytes && class.is_multiple_of(ALIGNMENT), "{bytes}: {class}");
            assert!(class >= before, "{bytes}: a larger request has no smaller class");
            assert!(bytes < 1024 || class - bytes <= class / 5, "{bytes}: {class}");
            assert_eq!(size_class(class), Some(class), "a class is its own");
            before = class;
        }
        assert_eq!(
            [1, 256, 257, 1024, 1025, 2048, 2049].map(size_class),
            [256, 256, 512, 1024, 1280, 2048, 2560].map(Some)
        );
        assert_eq!(size_class(usize::MAX - 5), None);
    }

    #[test]
    fn there_are_few_classes() {
        let mut classes: Vec<_> = (1..1_000_000).map(|bytes| size_class(bytes).unwrap()).collect();
        classes.dedup();
        assert_eq!(classes.len(), 44, "four of 256 bytes each, and four to each power of two from 1024 to 2^20");
    }

    #[test]
    fn a_new_block_has_headroom_where_there_are_numbers_for_it() {
        let options = PoolOptions::default().headroom_percent(50);
        assert_eq!(options.block_bytes(2000), 3072);
        assert_eq!(options.headroom_percent(0).block_bytes(2000), 2048);
        assert_eq!(options.block_bytes(99), 256);
        let most = usize::MAX / 512 * 256;
        assert!(options.block_bytes(most) >= most);
        assert_eq!(options.block_bytes(usize::MAX), usize::MAX);
    }
}
