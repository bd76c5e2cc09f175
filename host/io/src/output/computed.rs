//! The rows of a computed batch.

use super::{Column, Columns, StructureRows};
use crate::pipeline::{Batch, Computed};
use rayon::prelude::*;

/// ```
/// use prism_io::pipeline::{Batch, Cancel, run};
/// use prism_read::{ReadOptions, read_path};
/// use prism_engine::{Backend, Engine};
/// use prism_read::StructureInput;
///
/// let rbd = read_path("../../data/6m0j_rbd.pdb", "rbd", &ReadOptions::default())?.structure;
/// let batch = Batch { structures: vec![StructureInput::default(), rbd], ..Batch::default() };
/// let engine = Engine::builder().backend(Backend::Cpu).build()?;
/// run(&engine, [batch].into_iter(), &Cancel::default(), |computed| {
///     // The first structure has no atoms and no results.
///     assert!(computed.rows_of(0).is_none());
///     assert_eq!(computed.rows().map(|one| &*one.structure.name).collect::<Vec<_>>(), ["rbd"]);
///     Ok::<(), std::convert::Infallible>(())
/// })
/// .expect("a run that is not stopped");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
impl Computed {
    /// The rows of a structure; `None` if it has no results.
    ///
    /// # Panics
    /// If there is no such structure.
    #[must_use]
    pub fn rows_of(&self, index: usize) -> Option<StructureRows<'_>> {
        let features = self.results.get(index).ok()?;
        Some(StructureRows { structure: &self.batch.structures[index], features })
    }

    /// The rows of each structure that has results.
    pub fn rows(&self) -> impl Iterator<Item = StructureRows<'_>> {
        (0..self.results.len()).filter_map(|index| self.rows_of(index))
    }

    /// Computes what columns of [`DerivedColumn`](super::DerivedColumn) need, structures side by side, before threads ask for it.
    pub(super) fn derive(&self, columns: &Columns) {
        let derived = columns.as_slice().iter().filter(|column| matches!(column, Column::Derived(_)));
        for column in derived {
            (0..self.results.len()).into_par_iter().for_each(|index| {
                if let Some(rows) = self.rows_of(index) {
                    rows.derive(column);
                }
            });
        }
    }
}

/// Copies of borrowed rows.
impl From<&[StructureRows<'_>]> for Computed {
    fn from(rows: &[StructureRows<'_>]) -> Self {
        let structures = rows.iter().map(|one| one.structure.clone()).collect();
        let results = rows.iter().map(|one| one.features.to_owned()).collect::<Vec<_>>().into();
        Self { batch: Batch { structures, ..Batch::default() }, results }
    }
}
