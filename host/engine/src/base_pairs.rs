//! Tests of candidate pairs of bases by the kernel, on cores or on a device.

use super::EngineError;
use super::memory::{HostMemory, Memory};
use cuda_std::launch::{CpuExecutor, Executor, LaunchError, Offsets};
use kernels_gpu::base_pairs as kernel;
use kernels_gpu::bases::{Base, CANDIDATES_PER_BLOCK, Polar, TestedPair};

/// Bases, and the pairs of them that are tested.
#[derive(Clone, Copy, Debug)]
pub struct Candidates<'a> {
    /// The bases.
    pub bases: &'a [Base],
    /// Their nitrogens and oxygens.
    pub polars: &'a [Polar],
    /// The places of these atoms' hydrogens.
    pub hydrogens: &'a [[f64; 3]],
    /// Two bases each.
    pub pairs: &'a [[u32; 2]],
}

/// The buffers of a test.
pub struct PairWorkspace<M: Memory> {
    bases: M::Buffer<Base>,
    polars: M::Buffer<Polar>,
    hydrogens: M::Buffer<[f64; 3]>,
    pairs: M::Buffer<[u32; 2]>,
    tested: M::Buffer<TestedPair>,
    blocks: M::Offsets,
    lengths: [usize; 4],
}

impl<M: Memory> PairWorkspace<M> {
    /// Copies candidates to memory.
    ///
    /// # Errors
    /// If there is too little.
    pub fn new(memory: &M, given: &Candidates<'_>) -> Result<Self, M::Error> {
        let mut new = Self {
            bases: memory.empty()?,
            polars: memory.empty()?,
            hydrogens: memory.empty()?,
            pairs: memory.empty()?,
            tested: memory.empty()?,
            blocks: memory.no_offsets()?,
            lengths: [given.bases.len(), given.polars.len(), given.hydrogens.len(), given.pairs.len()],
        };
        memory.copy_to(&mut new.bases, given.bases)?;
        memory.copy_to(&mut new.polars, given.polars)?;
        memory.copy_to(&mut new.hydrogens, given.hydrogens)?;
        memory.copy_to(&mut new.pairs, given.pairs)?;
        memory.reserve(&mut new.tested, given.pairs.len())?;
        memory.set(&mut new.blocks, &blocks(given.pairs.len()))?;
        Ok(new)
    }

    /// Tests all pairs.
    ///
    /// # Errors
    /// Those of the launch.
    pub fn launch<E: Executor<Space = M::Space>>(&mut self, executor: &E) -> Result<(), E::Error> {
        let [bases, polars, hydrogens, pairs] = self.lengths;
        let blocks = pairs.div_ceil(CANDIDATES_PER_BLOCK as usize) as u32;
        let args = kernel::Args {
            output: M::segments(&mut self.tested, &self.blocks),
            candidates: M::view(&self.pairs, pairs),
            bases: M::view(&self.bases, bases),
            polars: M::view(&self.polars, polars),
            hydrogens: M::view(&self.hydrogens, hydrogens),
        };
        executor.launch::<kernel::Kernel>(blocks.into(), args)
    }

    /// What was found, in the order of the pairs.
    ///
    /// # Errors
    /// If the launch failed.
    pub fn results(&self, memory: &M) -> Result<Vec<TestedPair>, M::Error> {
        let mut tested = vec![bytemuck::Zeroable::zeroed(); self.lengths[3]];
        memory.copy_from(&self.tested, &mut tested)?;
        Ok(tested)
    }
}

/// Where the pairs of each block begin.
fn blocks(pairs: usize) -> Offsets {
    let ends = (1..=pairs.div_ceil(CANDIDATES_PER_BLOCK as usize)).map(|block| block * CANDIDATES_PER_BLOCK as usize);
    let all = std::iter::once(0).chain(ends.map(|end| end.min(pairs) as u32));
    Offsets::new(all.collect()).expect("blocks follow each other")
}

/// Tests pairs on the calling thread.
///
/// # Errors
/// If there is too little memory, or the kernel panics.
pub fn tested_here(given: &Candidates<'_>) -> Result<Vec<TestedPair>, EngineError> {
    if given.pairs.is_empty() {
        return Ok(Vec::new());
    }
    let mut work = PairWorkspace::new(&HostMemory, given)?;
    work.launch(&CpuExecutor::new().on_this_thread()).map_err(|error| match error {
        LaunchError::Panic(panic) => EngineError::UnattributedPanic(Box::new(panic)),
        other => EngineError::Launch(other),
    })?;
    Ok(work.results(&HostMemory)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_take_all_pairs() {
        let ends = |pairs: usize| blocks(pairs).as_slice().to_vec();
        assert_eq!([ends(0), ends(1), ends(64), ends(65)], [vec![0], vec![0, 1], vec![0, 64], vec![0, 64, 65]]);
    }
}
