//! Rows that several threads read.

use super::{Column, Columns, StructureRows};
use crate::pipeline::Computed;
use prism_engine::StructureFeatures;
use prism_read::structure::StructureInput;
use rayon::prelude::*;
use std::sync::Arc;

/// The structures of a computed batch that have results. Cheap to clone; clones share the batch, and the last one frees it. So
/// the threads of a table read rows where they are, and nobody waits for them.
///
/// ```
/// use prism_io::output::SharedRows;
/// use prism_io::pipeline::{Batch, Cancel, run};
/// use prism_read::{ReadOptions, read_path};
/// use prism_engine::{Backend, Engine};
/// use prism_read::StructureInput;
///
/// let rbd = read_path("../../data/6m0j_rbd.pdb", "rbd", &ReadOptions::default())?.structure;
/// let batch = Batch { structures: vec![StructureInput::default(), rbd], ..Batch::default() };
/// let engine = Engine::builder().backend(Backend::Cpu).build()?;
/// run(&engine, [batch].into_iter(), &Cancel::default(), |computed| {
///     let rows = SharedRows::from(computed);
///     // The first structure has no atoms and no results.
///     assert_eq!(rows.iter().map(|one| &*one.structure.name).collect::<Vec<_>>(), ["rbd"]);
///     Ok::<(), std::convert::Infallible>(())
/// })
/// .expect("a run that is not stopped");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct SharedRows(Arc<Shared>);

#[derive(Debug)]
enum Shared {
    /// A batch, and the indices of its structures that have results.
    Computed(Computed, Vec<usize>),
    Copies(Vec<(StructureInput, StructureFeatures)>),
}

impl From<Computed> for SharedRows {
    fn from(computed: Computed) -> Self {
        let results = computed.results.iter().enumerate();
        let with_results = results.filter(|(_, result)| result.is_ok()).map(|(index, _)| index).collect();
        Self(Arc::new(Shared::Computed(computed, with_results)))
    }
}

impl SharedRows {
    /// The batch, unless these are copies.
    pub fn computed(&self) -> Option<&Computed> {
        match &*self.0 {
            Shared::Computed(computed, _) => Some(computed),
            Shared::Copies(_) => None,
        }
    }

    /// Copies of borrowed rows.
    #[must_use]
    pub fn copied(rows: &[StructureRows<'_>]) -> Self {
        Self(Arc::new(Shared::Copies(
            rows.iter().map(|one| (one.structure.clone(), one.features.to_owned())).collect(),
        )))
    }

    /// Computes what columns of [`DerivedColumn`](super::DerivedColumn) need, structures side by side, before threads ask for it.
    pub(super) fn derive(&self, columns: &Columns) {
        let derived = columns.as_slice().iter().filter(|column| matches!(column, Column::Derived(_)));
        for column in derived {
            (0..self.len()).into_par_iter().for_each(|index| self.get(index).derive(column));
        }
    }

    /// Number of structures.
    #[must_use]
    pub fn len(&self) -> usize {
        match &*self.0 {
            Shared::Computed(_, with_results) => with_results.len(),
            Shared::Copies(copies) => copies.len(),
        }
    }

    /// Whether there is no structure.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The rows of a structure.
    ///
    /// # Panics
    /// If there is no such structure.
    #[must_use]
    pub fn get(&self, index: usize) -> StructureRows<'_> {
        match &*self.0 {
            Shared::Computed(computed, with_results) => {
                let index = with_results[index];
                let features = computed.results.get(index).expect("one of those that have results");
                StructureRows { structure: &computed.batch.structures[index], features }
            }
            Shared::Copies(copies) => {
                let (structure, features) = &copies[index];
                StructureRows { structure, features: features.view() }
            }
        }
    }

    /// The rows of each structure.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = StructureRows<'_>> {
        (0..self.len()).map(|index| self.get(index))
    }
}
