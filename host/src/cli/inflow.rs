//! Where the batches of a run come from.

use prism_host::pipeline::{Batch, StructureFiles, TrajectoryFrames};

/// Where batches come from.
pub enum Inflow {
    Files(StructureFiles),
    Frames(TrajectoryFrames),
}

impl Inflow {
    /// Begins to read ahead. Frames are decoded faster than they are computed.
    pub fn begin(&mut self) {
        if let Self::Files(files) = self {
            files.begin();
        }
    }

    /// Cuts batches at another number of atoms.
    pub fn with_batch_atoms(self, atoms: usize) -> Self {
        match self {
            Self::Files(files) => Self::Files(files.with_batch_atoms(atoms)),
            Self::Frames(frames) => Self::Frames(frames.with_batch_atoms(atoms)),
        }
    }
}

impl Iterator for Inflow {
    type Item = Batch;

    fn next(&mut self) -> Option<Batch> {
        match self {
            Self::Files(files) => files.next(),
            Self::Frames(frames) => frames.next(),
        }
    }
}
