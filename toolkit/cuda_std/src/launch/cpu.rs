//! Running a kernel on CPU cores.

use super::block_on_cpu::BlockOnCpu;
use super::{Executor, Host, Kernel, LaunchError, check_arguments};
use crate::Grid;
use crate::panic::cpu::catch;
use crate::platform::{Helpers, Order, RunningBlocks, is_in_a_block};
use rayon::prelude::*;
use std::ptr::NonNull;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Runs kernels on all CPU cores (rayon's current pool), a block at a time on each. If a kernel's blocks meet, the calling thread
/// runs all of them, and threads of the pool help with long phases.
///
/// The results have the bits that a GPU computes. At run time it chooses code compiled for AVX2 and FMA if the processor has
/// them, or for AVX-512 if the processor has that and the kernel asks for it.
///
/// ```
/// # use cuda_std::prelude::*;
/// /// Wrong on purpose: the order in which threads draw is unspecified.
/// #[kernel(threads = 32)]
/// fn tickets(block: &mut Block, out: &mut Chunk<u32, 32>, next: &Atomics<u32>) {
///     let drawn = block.per_thread(|thread| next.add(thread, 0, 1));
///     out.write(block, 0, &drawn, |_, ticket| *ticket);
/// }
/// # fn main() {
/// let run = |executor: CpuExecutor| {
///     let mut out = [0; 32];
///     tickets::launch(&executor, 1, tickets::Args { out: &mut out, next: &mut [0] }).unwrap();
///     out
/// };
/// assert_eq!(run(CpuExecutor::new()), run(CpuExecutor::new()));
/// // Other orders reveal it.
/// assert_ne!(run(CpuExecutor::shuffled(1)), run(CpuExecutor::shuffled(2)));
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct CpuExecutor {
    /// The seed of a shuffled order.
    #[cfg(any(debug_assertions, feature = "shuffled"))]
    seed: Option<u64>,
    /// How long a launch may take.
    limit: Option<Duration>,
    /// Whether the calling thread runs all blocks.
    alone: bool,
}

impl CpuExecutor {
    /// An executor on rayon's current pool.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same, but the calling thread runs all blocks, one after another. For launches that take less time than waking other
    /// threads.
    ///
    /// ```
    /// # use cuda_std::prelude::*;
    /// #[kernel(threads = 32)]
    /// fn indices(block: &mut Block, out: &mut Chunk<u32, 32>) {
    ///     let own = block.per_thread(|thread| thread.index());
    ///     out.write(block, 0, &own, |_, index| *index);
    /// }
    /// # fn main() {
    /// let mut out = [0; 128];
    /// indices::launch(&CpuExecutor::new().on_this_thread(), 4, indices::Args { out: &mut out }).unwrap();
    /// assert_eq!((out[31], out[32], out[127]), (31, 0, 31));
    /// # }
    /// ```
    #[must_use]
    pub fn on_this_thread(mut self) -> Self {
        self.alone = true;
        self
    }

    /// An executor for tests. It runs one block at a time. `seed` decides the order of blocks, of a block's warps and of a
    /// phase's threads; the same seed gives the same order every time.
    ///
    /// A GPU promises no order of blocks, nor of threads between two barriers. A kernel whose results differ between seeds
    /// relies on an order: of values that atomic operations return, for example, or of additions of floats.
    ///
    /// Debug builds have it. Release builds need the feature `shuffled`, which makes kernels slower in any order: enable it only
    /// among `dev-dependencies`. Where it is there, the variable `CUDA_SCHEDULE_SEED` gives its number as the seed of all other
    /// executors of the process, for [`cargo kernel fuzz`](super::schedule_seed).
    #[cfg(any(debug_assertions, feature = "shuffled"))]
    #[must_use]
    pub fn shuffled(seed: u64) -> Self {
        Self { seed: Some(seed), ..Self::default() }
    }
}

impl CpuExecutor {
    /// The same executor with a time limit for each launch, for kernels that may not end. No block begins after the limit, nor waits
    /// for another one ([`Wait`](crate::Wait)). Otherwise a block that has begun continues to its end, and so do all blocks of a kernel
    /// with a [`WholeGrid`](crate::WholeGrid).
    ///
    /// ```
    /// # use cuda_std::prelude::*;
    /// use cuda_std::launch::LaunchError;
    /// use std::time::Duration;
    ///
    /// #[kernel(threads = 32)]
    /// fn slow(block: &mut Block, out: &mut Chunk<f32, 32>) {
    ///     let n = out.len();
    ///     out.fill(block, n, |i| (0..1000).fold(i as f32, |x, _| math::sqrt(x + 1.0)));
    /// }
    /// # fn main() {
    /// let run = |limit| {
    ///     slow::launch(&CpuExecutor::new().within(limit), 1000, slow::Args { out: &mut [0.0; 32_000] })
    /// };
    /// let error = run(Duration::from_micros(1)).unwrap_err();
    /// assert!(matches!(error, LaunchError::TimeLimit { kernel: "slow", .. }), "{error}");
    /// run(Duration::from_secs(3600)).unwrap();
    /// # }
    /// ```
    #[must_use]
    pub fn within(mut self, limit: Duration) -> Self {
        self.limit = Some(limit);
        self
    }
}

impl Executor for CpuExecutor {
    type Space = Host;
    type Error = LaunchError;

    /// Returns when all blocks have run.
    ///
    /// # Errors
    /// Those of [`check_arguments`], before anything runs. [`LaunchError::Panic`], or [`LaunchError::TimeLimit`] if there is a
    /// limit: then the outputs hold what was written so far.
    fn launch<K: Kernel>(&self, grid: Grid, args: K::Args<'_, Host>) -> Result<(), LaunchError> {
        let blocks = check_arguments::<K, Host>(grid, &args)?;
        // SAFETY: checked above, and each block runs once.
        let block = unsafe { K::on_cpu(args) };
        if K::MEETS && blocks > 0 {
            return self.run_meeting(K::NAME, grid, &block);
        }
        self.run(K::NAME, grid, blocks, &block)
    }
}

impl CpuExecutor {
    /// The seed of its order, or the one that the environment gives to the process.
    #[cfg(any(debug_assertions, feature = "shuffled"))]
    fn seed(&self) -> Result<Option<u64>, LaunchError> {
        match self.seed {
            Some(seed) => Ok(Some(seed)),
            None => super::schedule_seed(),
        }
    }

    /// Runs all blocks of a kernel whose blocks meet, phase by phase.
    fn run_meeting(
        &self,
        kernel: &'static str,
        grid: Grid,
        block: &(dyn Fn(BlockOnCpu) + Sync),
    ) -> Result<(), LaunchError> {
        #[cfg(any(debug_assertions, feature = "shuffled"))]
        let order = self.seed()?.map_or(Order::RISING, Order::Shuffled);
        #[cfg(not(any(debug_assertions, feature = "shuffled")))]
        let order = Order::RISING;
        let run = |leader| catch(kernel, [0; 3], &mut || block(BlockOnCpu { index: 0, grid, order, leader }));
        let others = rayon::current_num_threads() - 1;
        if self.alone || others == 0 || !order.is_rising() || is_in_a_block() {
            return Ok(run(None)?);
        }
        let helpers = Helpers::new(kernel, others);
        Ok(rayon::in_place_scope(|scope| {
            let invite = || scope.spawn(|_| helpers.help());
            // The leader lives until the kernel has run.
            helpers.led_by(&invite, |leader| run(Some(NonNull::from(leader).cast())))
        })?)
    }

    /// Runs each block once. It is compiled once for all kernels: a dynamic call costs little compared with a block.
    fn run(
        &self,
        kernel: &'static str,
        grid: Grid,
        blocks: u32,
        block: &(dyn Fn(BlockOnCpu) + Sync),
    ) -> Result<(), LaunchError> {
        let limit = self.limit.map(|limit| (Instant::now(), limit));
        let running = RunningBlocks::new(if self.runs_alone(blocks) { 1 } else { rayon::current_num_threads() }, limit);
        let late = || LaunchError::TimeLimit { kernel, limit: self.limit.unwrap_or_default() };
        // Blocks that wait for one that has panicked panic, too.
        let first = OnceLock::new();
        let run = |index, order| {
            if running.is_late() {
                return Err(late());
            }
            let body =
                || catch(kernel, grid.index_3d(index), &mut || block(BlockOnCpu { index, grid, order, leader: None }));
            running.run(|| body().inspect_err(|panic| _ = first.set(panic.clone())))?;
            Ok(())
        };
        let result = self.run_all(blocks, run);
        match (result, first.into_inner()) {
            (Err(_), Some(_)) if running.has_waited_too_long() => Err(late()),
            (Err(LaunchError::Panic(_)), Some(panic)) => Err(panic.into()),
            (result, _) => result,
        }
    }

    /// Whether this thread runs so many blocks. Waking another one for the only block would take as long as a small block, and this one
    /// would only wait.
    fn runs_alone(&self, blocks: u32) -> bool {
        self.alone || blocks <= 1 || is_in_a_block()
    }

    /// Runs each block once, until one fails.
    fn run_all(
        &self,
        blocks: u32,
        run: impl Fn(u32, Order) -> Result<(), LaunchError> + Sync,
    ) -> Result<(), LaunchError> {
        #[cfg(any(debug_assertions, feature = "shuffled"))]
        if let Some(seed) = self.seed()? {
            let order = Order::Shuffled(seed);
            return order.list(blocks).into_iter().try_for_each(|index| run(index, order.of(index)));
        }
        if self.runs_alone(blocks) {
            return (0..blocks).try_for_each(|index| run(index, Order::RISING));
        }
        // A block may have a thousand times the work of its neighbour, so threads take blocks one by one.
        (0..blocks).into_par_iter().with_max_len(1).try_for_each(|index| run(index, Order::RISING))
    }
}

/// Whether [`CpuExecutor`] runs code compiled for AVX2 and FMA. The processor must have both, and BMI1, BMI2, LZCNT and
/// POPCNT.
///
/// ```
/// let how = if cuda_std::launch::has_vector_instructions() { "eight lanes at a time" } else { "as the target has it" };
/// println!("kernels run {how}");
/// ```
#[inline]
#[must_use]
pub fn has_vector_instructions() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::is_x86_feature_detected as has;
        has!("avx2") && has!("fma") && has!("bmi1") && has!("bmi2") && has!("lzcnt") && has!("popcnt")
    }
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// Whether [`CpuExecutor`] runs code compiled for AVX-512 if a kernel asks for it. The processor must also have
/// AVX-512 F, BW, DQ and VL.
///
/// ```
/// use cuda_std::launch::{has_vector_instructions, has_wide_vector_instructions};
///
/// // No processor has the wider ones alone.
/// assert!(has_vector_instructions() || !has_wide_vector_instructions());
/// ```
#[inline]
#[must_use]
pub fn has_wide_vector_instructions() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::is_x86_feature_detected as has;
        has_vector_instructions() && has!("avx512f") && has!("avx512bw") && has!("avx512dq") && has!("avx512vl")
    }
    #[cfg(not(target_arch = "x86_64"))]
    false
}
