//! Reads the frames of a trajectory into batches.

use super::{Batch, Cancel, Outcome, Reading};
use crate::inputs::InputFailure;
use crate::trajectory::{Boundary, Frame, FrameMemory, Placed, Template, Trajectory};
use prism_engine::{AtomRoom, AtomRooms, DeviceError, Engine};
use prism_read::Note;
use prism_read::plural::counted;
use prism_read::structure::{Atoms, StructureInput};
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};
use shared_types::Atom;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// Limit of the first batch in atoms, as for files: it starts the computation early.
const FIRST_ATOMS: usize = 1 << 16;
/// A batch has at most this part of the frames that are left: at the end of a run, cores and devices wait for the last batches.
const SHARES_OF_THE_REST: usize = 4;
/// A task decodes frames of about so many atoms, and fewer of them where few frames are left.
const TASK_ATOMS: usize = 1 << 17;
/// Tasks of each thread that are begun ahead of the current batch, so that no core waits for another core's frame, as long as all of them
/// have at most this many atoms.
const TASKS_AHEAD: usize = 4;
const ATOMS_AHEAD: usize = 1 << 22;

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
///
/// // Or in parts, of which each can be read again.
/// # let files = vec![Trajectory::open("../trajectory/tests/data/small.xtc")?];
/// # let template = Template::read(top.as_ref(), "top.pdb", &files[0], &options, Boundaries::Whole).map_err(|failure| failure.reason)?;
/// # let chosen = choose_frames(&files, None, None)?;
/// let frames = TrajectoryFrames::new(template, files, chosen, usize::MAX, &Cancel::default())?;
/// let numbers: Vec<_> = frames.part(4..6).flat_map(|batch| batch.structures).map(|one| one.frame.unwrap().number).collect();
/// assert_eq!((numbers, frames.n_frames()), (vec![4, 5], 6));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct TrajectoryFrames {
    run: Arc<Run>,
    /// The frames that are in no batch yet, among the chosen ones.
    rest: Range<usize>,
    /// The tasks that decode the first of them, and how many frames they have in all.
    ahead: VecDeque<Receiver<Vec<Read>>>,
    begun: usize,
    /// How many tasks were begun since the first frame.
    tasks_begun: usize,
    batch_atoms: usize,
    atoms_now: usize,
    /// Memory from which a device takes atoms.
    rooms: Option<AtomRooms>,
    /// Notes that the first structure gets.
    notes: Vec<Note>,
    /// Whether another caller says what holds for the run as a whole.
    is_part: bool,
    is_ended: bool,
}

/// What all parts of a run share.
struct Run {
    template: Arc<Template>,
    files: Arc<[Trajectory]>,
    chosen: Vec<Chosen>,
    /// Its own threads: in the common pool, frames would wait until the current batch is computed.
    pool: ThreadPool,
    cancel: Cancel,
    /// How many frames were read, how many of them a periodic boundary divided, and how many have a cell that is too small to be one.
    n_read: AtomicUsize,
    n_divided: AtomicUsize,
    n_too_small: AtomicUsize,
}

thread_local! {
    static FRAME: RefCell<Frame> = RefCell::default();
    /// Atoms on their way to a device.
    static SCRATCH: RefCell<Vec<Atom>> = RefCell::default();
}

/// A frame's structure and what its boundary did, or why there is none; and the time that it took.
type Read = (Result<(StructureInput, Boundary), InputFailure>, Duration);
/// A frame's number in the trajectory, its file, and its number there.
type Chosen = (u32, u32, u32);

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
            // Who waits for the frame panics, too.
            .panic_handler(|_| {})
            .build()?;
        let (template, files, cancel) = (template.into(), files.into(), cancel.clone());
        let (rest, notes) = (0..chosen.len(), template.notes().to_vec());
        let run =
            Run { template, files, chosen, pool, cancel, n_read: 0.into(), n_divided: 0.into(), n_too_small: 0.into() };
        let (is_part, is_ended) = (false, false);
        let (run, ahead, begun, rooms) = (Arc::new(run), VecDeque::new(), 0, None);
        let (tasks_begun, atoms_now) = (0, 0);
        let frames =
            Self { run, rest, ahead, begun, tasks_begun, batch_atoms, atoms_now, rooms, notes, is_part, is_ended };
        Ok(frames.with_batch_atoms(batch_atoms))
    }

    /// The files that frames come from.
    #[must_use]
    pub fn files(&self) -> &[Trajectory] {
        &self.run.files
    }

    /// Some of the chosen frames. The last part ends with what is wrong with the files; [`remarks`](Self::remarks) has what is said of
    /// all parts that were read.
    #[must_use]
    pub fn part(&self, frames: Range<usize>) -> Self {
        let notes = if frames.start == 0 { self.run.template.notes().to_vec() } else { Vec::new() };
        let (run, ahead, batch_atoms) = (Arc::clone(&self.run), VecDeque::new(), self.batch_atoms);
        let (rest, begun, rooms, is_part, is_ended) = (frames, 0, self.rooms.clone(), true, false);
        let (tasks_begun, atoms_now) = (0, 0);
        let part =
            Self { run, rest, ahead, begun, tasks_begun, batch_atoms, atoms_now, rooms, notes, is_part, is_ended };
        part.with_batch_atoms(batch_atoms)
    }

    /// Cuts batches at another number of atoms.
    #[must_use]
    pub fn with_batch_atoms(self, batch_atoms: usize) -> Self {
        Self { batch_atoms, atoms_now: FIRST_ATOMS.min(batch_atoms), ..self }
    }

    /// Cuts batches at the number of atoms that suits the engine, and puts atoms where its devices take them from. Other than those of
    /// files, batches have as many as a device computes fastest: they are made sooner.
    #[must_use]
    pub fn sized_for(self, engine: &Engine) -> Self {
        Self { rooms: Some(engine.atom_rooms()), ..self.with_batch_atoms(engine.batch_atoms()) }
    }

    /// Number of chosen frames.
    #[must_use]
    pub fn n_frames(&self) -> usize {
        self.run.chosen.len()
    }

    /// Number of atoms of all chosen frames.
    #[must_use]
    pub fn atoms(&self) -> usize {
        self.n_frames().saturating_mul(self.run.template.n_atoms())
    }

    /// Begins to decode, while a device is opened.
    pub fn begin(&mut self) {
        self.run.pool.spawn_broadcast(|_| prism_engine::huge_pages::under_this_threads_heap());
        self.decode_ahead();
    }

    /// Begins to decode the next frames.
    fn decode_ahead(&mut self) {
        let (atoms, threads) = (self.run.template.n_atoms().max(1), self.run.pool.current_num_threads());
        let share = self.rest.len() / (TASKS_AHEAD * threads);
        let of_task = (TASK_ATOMS.min(self.batch_atoms) / atoms).min(share).max(1);
        let tasks = (ATOMS_AHEAD / atoms.saturating_mul(of_task)).clamp(threads, TASKS_AHEAD * threads);
        while self.ahead.len() < tasks && self.begun < self.rest.len() {
            let begin = self.rest.start + self.begun;
            // The first batch has few frames, and nobody waits for more of them.
            let of_task = if self.tasks_begun < threads { 1 } else { of_task };
            let frames = begin..(begin + of_task).min(self.rest.end);
            self.tasks_begun += 1;
            let rooms = self.rooms.clone();
            self.begun += frames.len();
            let (run, (send, receive)) = (Arc::clone(&self.run), channel());
            self.ahead.push_back(receive);
            self.run.pool.spawn_fifo(move || {
                let read = run.read_all(&run.chosen[frames], rooms);
                // Nobody takes it after an interruption.
                let _ = send.send(read);
            });
        }
    }

    /// The next frames: at least so many, unless there are fewer.
    fn take(&mut self, count: usize) -> Vec<Read> {
        let mut taken = Vec::new();
        while taken.len() < count {
            self.decode_ahead();
            let Some(task) = self.ahead.pop_front() else { break };
            taken.extend(task.recv().expect("a thread that decodes frames ends after its frames"));
        }
        self.begun -= taken.len();
        self.rest.start += taken.len();
        // While others compute these.
        self.decode_ahead();
        taken
    }

    /// What is said of the frames that were read, and of the files: a name, and a sentence.
    #[must_use]
    pub fn remarks(&self) -> Vec<(String, String)> {
        self.run.remarks()
    }
}

impl Run {
    /// Reads frames into a room, if there is one.
    fn read_all(&self, frames: &[Chosen], rooms: Option<AtomRooms>) -> Vec<Read> {
        let atoms = self.template.n_atoms() * frames.len();
        let room = rooms.filter(|_| atoms > 0).and_then(|rooms| rooms.take(atoms));
        let read = room.and_then(|room| {
            let read = self.read_into(room, frames);
            read.inspect_err(|error| tracing::debug!("atoms lie in other memory: {error}")).ok()
        });
        let apart = |one| {
            let mut atoms = vec![Atom::default(); self.template.n_atoms()];
            let (placed, time) = self.read(one, FrameMemory::Own(&mut atoms));
            (placed.map(|placed| placed.with_atoms(Atoms::of_finite(atoms))), time)
        };
        read.unwrap_or_else(|| frames.iter().map(apart).collect())
    }

    fn read_into(&self, mut room: Box<dyn AtomRoom>, frames: &[Chosen]) -> Result<Vec<Read>, DeviceError> {
        let n = self.template.n_atoms().max(1);
        let read =
            |(one, atoms)| SCRATCH.with_borrow_mut(|scratch| self.read(one, FrameMemory::OfDevice { atoms, scratch }));
        let placed: Vec<_> = frames.iter().zip(room.atoms()?.chunks_exact_mut(n)).map(read).collect();
        let memory = room.shared()?;
        let with_atoms = |(index, (placed, time)): (usize, (Result<Placed, _>, _))| {
            let atoms = Atoms::lent(Arc::clone(&memory), index * n..(index + 1) * n);
            (placed.map(|placed| placed.with_atoms(atoms)), time)
        };
        Ok(placed.into_iter().enumerate().map(with_atoms).collect())
    }

    /// Reads a frame into memory for its atoms.
    fn read(
        &self,
        &(number, file, frame): &Chosen,
        memory: FrameMemory<'_>,
    ) -> (Result<Placed, InputFailure>, Duration) {
        let begin = Instant::now();
        let run = &self.files[file as usize];
        let frame = (frame as usize, number);
        let read = FRAME.with_borrow_mut(|own| self.template.read_into(memory, run, frame, own));
        (read, begin.elapsed())
    }

    fn remarks(&self) -> Vec<(String, String)> {
        let mut said = Vec::new();
        let frames = counted(self.n_read.load(Ordering::Relaxed), "frame", "frames");
        let divided = self.n_divided.load(Ordering::Relaxed);
        if divided > 0 {
            let text = format!(
                "in {divided} of {frames}, a periodic boundary divided molecules, which were put together along residues and chains \
                 (--pbc none takes positions as they are)"
            );
            said.push((self.files[0].name().to_owned(), text));
        }
        let too_small = self.n_too_small.load(Ordering::Relaxed);
        if too_small > 0 {
            let text = format!(
                "in {too_small} of {frames}, the periodic cell is too small for a residue (opposite faces are nearer than 14 Å), and was \
                 taken as none: what a boundary divides stays divided"
            );
            said.push((self.files[0].name().to_owned(), text));
        }
        // Parts of a run repeat the frame at which they were cut, and whole runs begin again.
        let mut overlaps = self.files.windows(2).filter_map(|pair| {
            let [before, run] = pair else { return None };
            let (end, begin) = (before.time(before.n_frames() - 1)?, run.time(0)?);
            (begin <= end).then_some((before, run, end, begin))
        });
        if let Some((before, run, end, begin)) = overlaps.next() {
            let more = match overlaps.count() {
                0 => String::new(),
                more => format!(", and so do {} after it", counted(more, "file", "files")),
            };
            let text = format!(
                "begins at {begin} ps, and {} before it ends at {end} ps{more}: frames of times that both have are all taken",
                before.name()
            );
            said.push((run.name().to_owned(), text));
        }
        for run in self.files.iter() {
            let without = run.without_positions();
            if without > 0 {
                let have = counted(without, "frame has", "frames have");
                let text = format!(
                    "{have} no positions, but velocities or forces, and {} not counted",
                    if without == 1 { "is" } else { "are" }
                );
                said.push((run.name().to_owned(), text));
            }
        }
        said
    }

    /// What is wrong with the files.
    fn damages(&self) -> impl Iterator<Item = InputFailure> {
        self.files.iter().filter_map(|run| {
            let damage = run.damage()?;
            let whole = counted(run.n_frames(), "frame", "frames");
            Some(InputFailure::new(run.name(), format!("{}; the {whole} before are read", damage.reason())))
        })
    }
}

impl Iterator for TrajectoryFrames {
    type Item = Batch;

    fn next(&mut self) -> Option<Batch> {
        if self.is_ended || self.run.cancel.is_cancelled() {
            return None;
        }
        let (atoms, begin, rest) = (self.run.template.n_atoms().max(1), self.rest.start, self.rest.len());
        let most = (self.atoms_now / atoms).min((rest / SHARES_OF_THE_REST).max(FIRST_ATOMS / atoms));
        let read = self.take(most.max(1).min(rest));
        let Self { run, rest, batch_atoms, atoms_now, notes, is_part, is_ended, .. } = self;
        let mut batch = Batch::default();
        for ((read, time), (_, file, _)) in read.into_iter().zip(&run.chosen[begin..]) {
            let of_file = &run.files[*file as usize];
            batch.bytes += of_file.n_bytes() / of_file.n_frames().max(1) as u64;
            batch.readings.push(Reading { models: of_file.n_frames(), time, packed: false });
            batch.outcomes.push(match read {
                Ok((structure, boundary)) => {
                    run.n_read.fetch_add(1, Ordering::Relaxed);
                    run.n_divided.fetch_add(usize::from(boundary == Boundary::Crossed), Ordering::Relaxed);
                    run.n_too_small.fetch_add(usize::from(boundary == Boundary::TooSmall), Ordering::Relaxed);
                    batch.structures.push(structure);
                    Outcome::Read { notes: std::mem::take(notes) }
                }
                Err(failure) => Outcome::Failed(failure),
            });
        }
        *atoms_now = atoms_now.saturating_mul(2).min(*batch_atoms);
        *is_ended = rest.start == rest.end;
        if *is_ended && rest.end == run.chosen.len() {
            let remarks = if *is_part { Vec::new() } else { run.remarks() };
            batch.outcomes.extend(remarks.into_iter().map(|(name, text)| Outcome::Said { name, text }));
            batch.outcomes.extend(run.damages().map(Outcome::Failed));
        }
        Some(batch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trajectory::{Boundaries, choose_frames};
    use prism_engine::pack::PackedBatch;
    use prism_engine::{BatchFeatures, EngineError, Request, Worker};
    use prism_read::ReadOptions;
    use prism_read::structure::AtomMemory;

    /// Lends so many rooms, and whether they break.
    #[derive(Debug)]
    struct Lends(AtomicUsize, bool);

    impl Worker for Lends {
        fn name(&self) -> &str {
            "lends rooms"
        }

        fn slots(&self) -> usize {
            1
        }

        fn gathers(&self) -> bool {
            true
        }

        fn atom_room(&self, atoms: usize) -> Option<Box<dyn AtomRoom>> {
            self.0.try_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).ok()?;
            // More than was asked for, with contents of before.
            Some(Box::new(Heap(vec![Atom { x: f32::NAN, ..Atom::default() }; atoms + 7], self.1)))
        }

        fn run(&self, _: &PackedBatch, _: &Request) -> Result<BatchFeatures, EngineError> {
            unreachable!("nothing is computed")
        }
    }

    #[derive(Debug)]
    struct Heap(Vec<Atom>, bool);

    impl AtomRoom for Heap {
        fn atoms(&mut self) -> Result<&mut [Atom], DeviceError> {
            Ok(&mut self.0)
        }

        fn shared(self: Box<Self>) -> Result<Arc<dyn AtomMemory>, DeviceError> {
            if self.1 { Err(DeviceError::lost("it broke")) } else { Ok(Arc::new(*self)) }
        }
    }

    impl AtomMemory for Heap {
        fn atoms(&self) -> &[Atom] {
            &self.0
        }
    }

    #[test]
    fn frames_are_the_same_in_rooms_and_elsewhere() {
        let open = || Trajectory::open("../trajectory/tests/data/small.xtc").unwrap();
        let (top, options) =
            ("../trajectory/tests/data/top.pdb", ReadOptions { atoms: true, ..ReadOptions::default() });
        let frames = |engine: Option<Engine>| -> Vec<StructureInput> {
            let files = vec![open(), open()];
            let template = Template::read(top.as_ref(), "top.pdb", &files[0], &options, Boundaries::Whole);
            let chosen = choose_frames(&files, None, None).unwrap();
            let template = template.map_err(|failure| failure.reason).unwrap();
            let all = TrajectoryFrames::new(template, files, chosen, usize::MAX, &Cancel::default()).unwrap();
            let all = engine.iter().fold(all, TrajectoryFrames::sized_for);
            all.flat_map(|batch| batch.structures).collect()
        };
        let usual = frames(None);
        assert!(usual.len() == 12 && usual.iter().all(|one| one.atoms.memory().is_none()));
        for (rooms, breaks) in [(0, false), (1, false), (100, false), (3, true)] {
            let lends = Arc::new(Lends(AtomicUsize::new(rooms), breaks)) as Arc<dyn Worker>;
            let engine = Engine::builder().workers([lends]).build().unwrap();
            let found = frames(Some(engine));
            let lent = found.iter().filter(|one| one.atoms.memory().is_some()).count();
            assert_eq!(lent, if breaks { 0 } else { rooms.min(12) }, "one frame in a task, so in a room");
            for (found, usual) in found.iter().zip(&usual) {
                assert!(found.atoms == usual.atoms && found.atoms.are_finite() && found.center == usual.center);
                assert!(found.frame == usual.frame && found.atom_labels == usual.atom_labels);
            }
        }
    }
}
