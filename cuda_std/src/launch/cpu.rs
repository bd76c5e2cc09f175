//! Running a kernel on CPU cores.

use super::{Executor, Host, Kernel, LaunchError, check_arguments};
use crate::panic::cpu::catch;
use rayon::prelude::*;

/// Runs kernels on all CPU cores (rayon's current pool), a block at a time on each.
///
/// The results have the bits that a GPU computes. Where the processor has AVX2 and FMA, code compiled for them
/// is chosen at run time.
#[derive(Clone, Copy, Debug, Default)]
pub struct CpuExecutor(());

impl CpuExecutor {
    /// An executor on rayon's current pool.
    #[must_use]
    pub fn new() -> Self {
        Self(())
    }
}

impl Executor for CpuExecutor {
    type Space = Host;
    type Error = LaunchError;

    /// Returns when all blocks have run. On a panic the outputs hold what was written until then.
    fn launch<K: Kernel>(&self, blocks: u32, mut args: K::Args<'_, Host>) -> Result<(), LaunchError> {
        check_arguments::<K, Host>(blocks, &mut args)?;
        // SAFETY: checked above, and the range holds every block once.
        let run = unsafe { K::on_cpu(args) };
        // A block may be a thousand times the work of its neighbour: each is taken by itself.
        (0..blocks).into_par_iter().with_max_len(1).try_for_each(|block| catch(K::NAME, block, || run(block)))?;
        Ok(())
    }
}
