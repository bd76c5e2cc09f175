//! Reads the frames of a trajectory into batches.

use super::{Batch, Cancel, Outcome, Reading};
use crate::inputs::InputFailure;
use crate::trajectory::{Frame, Template, Trajectory};
use prism_read::Note;
use prism_read::plural::counted;
use prism_read::structure::StructureInput;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};
use std::cell::RefCell;
use std::sync::Arc;
use std::time::Instant;

/// Limit of the first batch in atoms, as for files: it starts the computation early.
const FIRST_ATOMS: usize = 1 << 16;
/// A batch has at most this part of the frames that are left: at the end of a run, cores and devices wait for the last batches.
const SHARES_OF_THE_REST: usize = 4;

/// Batches of chosen frames, decoded and made structures by all cores.
///
/// ```
/// use prism_io::pipeline::{Cancel, TrajectoryFrames};
/// use prism_read::ReadOptions;
/// use prism_io::trajectory::{Boundaries, Template, Trajectory, choose_frames};
///
/// let files = vec![Trajectory::open("../trajectory/tests/data/small.xtc")?];
/// let (top, options) = ("../trajectory/tests/data/top.pdb", ReadOptions::default());
/// let template = Template::read(top.as_ref(), "top.pdb", &files[0], &options, Boundaries::Whole).map_err(|failure| failure.reason)?;
/// let chosen = choose_frames(&files, Some("1:5:2".parse()?), None)?;
/// let frames = TrajectoryFrames::new(template, files, chosen, usize::MAX, &Cancel::default())?;
/// let structures: Vec<_> = frames.flat_map(|batch| batch.structures).collect();
/// assert_eq!(structures.iter().map(|one| one.frame.unwrap().time).collect::<Vec<_>>(), [10.0, 30.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct TrajectoryFrames {
    template: Arc<Template>,
    files: Arc<[Trajectory]>,
    /// Numbers in the trajectory, files, and numbers there.
    chosen: Vec<(u32, u32, u32)>,
    next: usize,
    /// Its own threads: in the common pool, frames would wait until the current batch is computed.
    pool: ThreadPool,
    batch_atoms: usize,
    atoms_now: usize,
    cancel: Cancel,
    /// Notes that the first structure gets.
    notes: Vec<Note>,
    /// Frames that a periodic boundary divided.
    divided: usize,
    is_ended: bool,
}

thread_local! {
    static FRAME: RefCell<Frame> = RefCell::default();
}

/// A frame's structure and whether a boundary divided it, or why there is none; and the time that it took.
type Read = (Result<(StructureInput, bool), InputFailure>, std::time::Duration);

impl TrajectoryFrames {
    /// Reads `chosen` frames of `files`, as [`choose_frames`](crate::trajectory::choose_frames) lists them.
    ///
    /// # Errors
    /// If threads cannot be created.
    pub fn new(
        template: impl Into<Arc<Template>>,
        files: impl Into<Arc<[Trajectory]>>,
        chosen: Vec<(u32, u32, u32)>,
        batch_atoms: usize,
        cancel: &Cancel,
    ) -> Result<Self, ThreadPoolBuildError> {
        let pool = ThreadPoolBuilder::new()
            .num_threads(rayon::current_num_threads())
            .thread_name(|index| format!("frames {index}"))
            .build()?;
        let (template, files) = (template.into(), files.into());
        let (cancel, notes) = (cancel.clone(), template.notes().to_vec());
        let (next, divided, is_ended) = (0, 0, false);
        let batch =
            Self { template, files, chosen, next, pool, batch_atoms, atoms_now: 0, cancel, notes, divided, is_ended };
        Ok(batch.with_batch_atoms(batch_atoms))
    }

    /// Cuts batches at another number of atoms.
    #[must_use]
    pub fn with_batch_atoms(self, batch_atoms: usize) -> Self {
        Self { batch_atoms, atoms_now: FIRST_ATOMS.min(batch_atoms), ..self }
    }

    /// Number of chosen frames.
    #[must_use]
    pub fn n_frames(&self) -> usize {
        self.chosen.len()
    }

    /// Number of atoms of all chosen frames.
    #[must_use]
    pub fn atoms(&self) -> usize {
        self.chosen.len().saturating_mul(self.template.n_atoms())
    }

    fn read(&self, &(number, file, frame): &(u32, u32, u32)) -> Read {
        let begin = Instant::now();
        let run = &self.files[file as usize];
        let read = FRAME.with_borrow_mut(|own| {
            run.read(frame as usize, self.template.atoms_to_read(), own)
                .map_err(|error| InputFailure::new(&error.name, error.reason()))?;
            self.template.structure_of(own, number)
        });
        (read, begin.elapsed())
    }

    /// What is said when all frames are read.
    fn last_words(&self) -> Vec<Outcome> {
        let mut said = Vec::new();
        if self.divided > 0 {
            let frames = counted(self.n_frames(), "frame", "frames");
            let text = format!(
                "in {} of {frames}, a periodic boundary divided molecules, which were put together along residues and chains \
                 (--pbc none takes positions as they are)",
                self.divided
            );
            said.push(Outcome::Said { name: self.files[0].name().to_owned(), text });
        }
        // Parts of a run repeat the frame at which they were cut, and whole runs begin again.
        for pair in self.files.windows(2) {
            let [before, run] = pair else { continue };
            if let (Some(end), Some(begin)) = (before.time(before.n_frames() - 1), run.time(0))
                && begin <= end
            {
                let text = format!(
                    "begins at {begin} ps, and {} before it ends at {end} ps: frames of times that both have are all taken",
                    before.name()
                );
                said.push(Outcome::Said { name: run.name().to_owned(), text });
            }
        }
        for run in self.files.iter() {
            let without = run.without_positions();
            if without > 0 {
                let have = counted(without, "frame has", "frames have");
                let text = format!(
                    "{have} no positions, but velocities or forces, and {} not counted",
                    if without == 1 { "is" } else { "are" }
                );
                said.push(Outcome::Said { name: run.name().to_owned(), text });
            }
            if let Some(damage) = run.damage() {
                let whole = counted(run.n_frames(), "frame", "frames");
                let reason = format!("{}; the {whole} before are read", damage.reason());
                said.push(Outcome::Failed(InputFailure::new(run.name(), reason)));
            }
        }
        said
    }
}

impl Iterator for TrajectoryFrames {
    type Item = Batch;

    fn next(&mut self) -> Option<Batch> {
        if self.is_ended || self.cancel.is_cancelled() {
            return None;
        }
        let rest = &self.chosen[self.next..];
        let of = |atoms: usize| atoms / self.template.n_atoms().max(1);
        let most = of(self.atoms_now).min((rest.len() / SHARES_OF_THE_REST).max(of(FIRST_ATOMS)));
        let count = most.clamp(1, rest.len().max(1)).min(rest.len());
        let read: Vec<Read> = self.pool.install(|| rest[..count].par_iter().map(|one| self.read(one)).collect());
        let mut batch = Batch::default();
        for ((read, time), (_, file, _)) in read.into_iter().zip(&rest[..count]) {
            let run = &self.files[*file as usize];
            batch.bytes += run.n_bytes() / run.n_frames().max(1) as u64;
            batch.readings.push(Reading { models: run.n_frames(), time, packed: false });
            batch.outcomes.push(match read {
                Ok((structure, was_divided)) => {
                    self.divided += usize::from(was_divided);
                    batch.structures.push(structure);
                    Outcome::Read { notes: std::mem::take(&mut self.notes) }
                }
                Err(failure) => Outcome::Failed(failure),
            });
        }
        self.next += count;
        self.atoms_now = self.atoms_now.saturating_mul(2).min(self.batch_atoms);
        if self.next == self.chosen.len() {
            self.is_ended = true;
            batch.outcomes.extend(self.last_words());
        }
        Some(batch)
    }
}
