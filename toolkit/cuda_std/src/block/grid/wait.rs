//! Waits that end.

use crate::platform;

/// A wait of a warp for what another block announces. A warp that looks for it in a loop asks after each look in vain whether the wait
/// is endless, and panics if it is: where the other block has panicked, it announces nothing.
///
/// On CPU cores a wait is endless if a block of the launch has panicked, the launch is beyond its limit, or all blocks that run have
/// waited for seconds. A GPU's blocks do not know of each other, so there it is endless after 2^24 looks: some ten seconds.
///
/// ```
/// # use cuda_std::prelude::*;
/// use cuda_std::Wait;
///
/// /// Blocks wait for the number that the first of them announces.
/// #[kernel(threads = 32)]
/// fn passed_on(block: &mut Block, out: &mut Chunk<u32, 1>, states: &Atomics<u64>, x: &[u32]) {
///     let part = block.next_part(states);
///     if part == 0 {
///         let value = x.get(0).map_or(0, |x| 100 / *x);
///         block.once(|thread| states.exchange(thread, 0, 1 << 32 | u64::from(value)));
///     }
///     let mut found = block.per_thread(|_| 0);
///     block.warps_with(&mut found, |warp, found| {
///         let mut wait = Wait::new();
///         loop {
///             let seen = warp.per_lane(|lane| states.load(lane.thread(), 0));
///             if warp.all(&seen, |_, seen| *seen > 0) {
///                 warp.each_with(found, &seen, |_, found, seen| *found = *seen as u32);
///                 break;
///             }
///             assert!(!wait.is_endless(), "the first block announced nothing");
///         }
///     });
///     out.write(block, 0, &found, |_, found| *found);
/// }
/// # fn main() {
/// let run = |x: u32| {
///     let mut out = [0; 8];
///     let args = passed_on::Args { out: &mut out[..], states: &mut [0; 2][..], x: &[x][..] };
///     passed_on::launch(&CpuExecutor::new(), 8, args).map(|()| out)
/// };
/// assert_eq!(run(5).unwrap(), [20; 8]);
/// assert!(run(0).unwrap_err().to_string().contains("divide by zero"));
/// # }
/// ```
#[derive(Debug, Default)]
pub struct Wait(platform::Wait);

impl Wait {
    /// A wait that begins.
    #[inline(always)]
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether the wait, after another look in vain, is endless. All lanes of a warp that looks together get the same answer.
    #[inline(always)]
    #[must_use]
    pub fn is_endless(&mut self) -> bool {
        self.0.is_endless()
    }
}
