//! A run: when a device is opened, how much work is announced, and what is read meanwhile. The command and the Python package both
//! compute by it.

use crate::inputs::atoms_at_first_sight;
use crate::pipeline::{Batch, MOST_ATOMS, StructureFiles, TrajectoryFrames, batch_atoms};
use prism_engine::{Backend, Engine, EngineBuilder, EngineError};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;

/// A run whose inputs are being found, and whose engine is made meanwhile.
///
/// ```
/// use prism_io::inputs::discover;
/// use prism_io::pipeline::{Cancel, StructureFiles, run};
/// use prism_io::run::{BatchSource, Run};
/// use prism_engine::{Backend, Engine};
/// use prism_read::ReadOptions;
/// use std::sync::Arc;
///
/// let paths = vec!["../../data".into()];
/// let begun = Run::begin(Engine::builder().backend(Backend::Cpu), &paths);
/// let (found, cancel) = (discover(&paths)?, Cancel::default());
/// let atoms = found.atoms_about();
/// let files = StructureFiles::new(found.entries, ReadOptions::default(), Arc::default(), Run::BATCH_ATOMS, &cancel)?;
/// let mut source = BatchSource::Files(files);
/// let engine = begun.ready(atoms, Some(&mut source))?;
/// let mut rows = 0;
/// run(&engine, source.sized_for(&engine), &cancel, |computed| {
///     rows += computed.results.iter().flatten().map(|features| features.n_residues).sum::<usize>();
///     Ok::<(), std::convert::Infallible>(())
/// })
/// .expect("a run that is not stopped");
/// assert_eq!(rows, 194);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub struct Run(Opening);

enum Opening {
    /// An engine that exists.
    Done(Arc<Engine>),
    /// A thread makes it. With [`Backend::Cuda`] it opens devices, which takes long.
    Begun { thread: JoinHandle<Result<Engine, EngineError>>, opens: bool },
    /// It is made when it is needed.
    Later(EngineBuilder),
}

impl Run {
    /// Limit of batches in atoms before the engine is known, which [`BatchSource::sized_for`] replaces.
    pub const BATCH_ATOMS: usize = MOST_ATOMS;

    /// Begins to make an engine while the inputs under `paths` are found. A device is opened if it was asked for, or if they seem to be
    /// enough work for it. If finding fails, nobody waits for this.
    pub fn begin(builder: EngineBuilder, paths: &[PathBuf]) -> Self {
        let backend = builder.chosen_backend();
        let paths = match backend {
            Backend::Cpu => return Self(Opening::Later(builder)),
            Backend::Cuda => Vec::new(),
            Backend::Auto => paths.to_vec(),
        };
        let later = builder.clone();
        let open = move || {
            let engine = builder.build()?;
            engine.announce(atoms_at_first_sight(paths, engine.atoms_for_devices()));
            Ok(engine)
        };
        // Without a thread, it is made later.
        let thread = std::thread::Builder::new().name("open".to_owned()).spawn(open);
        let begun = |thread| Opening::Begun { thread, opens: matches!(backend, Backend::Cuda) };
        Self(thread.map_or(Opening::Later(later), begun))
    }

    /// A run on an engine that exists.
    pub fn on(engine: Arc<Engine>) -> Self {
        Self(Opening::Done(engine))
    }

    /// Makes the engine ready for inputs of about `atoms` atoms. Where that takes long, `source` reads meanwhile.
    ///
    /// # Errors
    /// As [`EngineBuilder::build`].
    pub fn ready(self, atoms: usize, mut source: Option<&mut BatchSource>) -> Result<Arc<Engine>, EngineError> {
        let mut meanwhile = || source.as_mut().map_or((), |source| source.begin());
        let engine = match self.0 {
            Opening::Done(engine) => engine,
            Opening::Begun { thread, opens } => {
                if opens {
                    meanwhile();
                }
                Arc::new(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?)
            }
            Opening::Later(builder) => Arc::new(builder.build()?),
        };
        engine.announce(atoms);
        if engine.awaits_devices() {
            meanwhile();
        }
        Ok(engine)
    }
}

/// Where the batches of a run come from.
pub enum BatchSource {
    /// Files of structures.
    Files(StructureFiles),
    /// Frames of a trajectory.
    Frames(TrajectoryFrames),
}

impl BatchSource {
    /// Begins to read ahead.
    pub fn begin(&mut self) {
        match self {
            Self::Files(files) => files.begin(),
            Self::Frames(frames) => frames.begin(),
        }
    }

    /// Cuts batches at the number of atoms that suits the engine.
    #[must_use]
    pub fn sized_for(self, engine: &Engine) -> Self {
        match self {
            Self::Files(files) => Self::Files(files.with_batch_atoms(batch_atoms(engine)).shared_by(engine)),
            Self::Frames(frames) => Self::Frames(frames.sized_for(engine)),
        }
    }
}

impl Iterator for BatchSource {
    type Item = Batch;

    fn next(&mut self) -> Option<Batch> {
        match self {
            Self::Files(files) => files.next(),
            Self::Frames(frames) => frames.next(),
        }
    }
}
