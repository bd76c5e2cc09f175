//! Features of structures that arrive one by one.

use super::{Engine, EngineError, StructureFeatures};
use prism_read::structure::StructureInput;

type Each = Result<StructureFeatures, EngineError>;

/// Features of an iterator's structures, in its order. [`Engine::run_iter`] creates it.
///
/// ```
/// use prism_read::{ReadOptions, read_path};
/// use prism_engine::{Backend, Engine};
/// use prism_read::StructureInput;
///
/// let rbd = read_path("../../data/6m0j_rbd.pdb", "rbd", &ReadOptions::default())?.structure;
/// let engine = Engine::builder().backend(Backend::Cpu).build()?;
/// let mut features = engine.run_iter([rbd.clone(), StructureInput::default(), rbd]);
/// assert_eq!(features.next().expect("the first")?.n_residues, 194);
/// let error = features.next().expect("the second").unwrap_err();
/// assert_eq!(error.structure_index(), Some(1)); // counted from the iterator's first
/// assert!(features.next().is_some_and(|third| third.is_ok()) && features.next().is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct FeaturesIter<'a, I> {
    engine: &'a Engine,
    /// `None` after the iterator has ended or the backend has failed.
    structures: Option<I>,
    ready: std::vec::IntoIter<Each>,
    /// The number of structures taken so far.
    taken: usize,
}

impl<'a, I: Iterator<Item = StructureInput>> FeaturesIter<'a, I> {
    pub(super) fn new(engine: &'a Engine, structures: I) -> Self {
        Self { engine, structures: Some(structures), ready: Vec::new().into_iter(), taken: 0 }
    }

    /// Takes a batch of structures for every slot, and computes them.
    fn refill(&mut self) {
        let Some(structures) = &mut self.structures else { return };
        let enough = self.engine.batch_atoms().saturating_mul(self.engine.slots());
        let (mut batch, mut atoms) = (Vec::new(), 0);
        while atoms < enough {
            let Some(structure) = structures.next() else {
                self.structures = None;
                break;
            };
            atoms += structure.n_atoms();
            batch.push(structure);
        }
        let each = self.engine.run_each(&batch).unwrap_or_else(|error| {
            self.structures = None;
            vec![Err(error)]
        });
        let first = self.taken;
        self.taken += batch.len();
        let placed = each.into_iter().map(|one| one.map_err(|error| error.shifted(first)));
        self.ready = placed.collect::<Vec<_>>().into_iter();
    }
}

impl<I: Iterator<Item = StructureInput>> Iterator for FeaturesIter<'_, I> {
    type Item = Each;

    fn next(&mut self) -> Option<Each> {
        if self.ready.as_slice().is_empty() {
            self.refill();
        }
        self.ready.next()
    }
}
