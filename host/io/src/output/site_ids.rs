//! The sites of residues, found side by side before a thread encodes their column.
//!
//! Finding them takes a pass over the atoms around each site, several times as long as encoding the longest of all other columns. One thread
//! encodes a column of a group, and only a few groups are encoded at a time. So the table waited for this column alone.

use super::{Column, Columns, StructureRows};
use crate::pipeline::Computed;
use std::sync::{Arc, OnceLock};

/// A batch with the ranks of its residues' sites.
pub(super) struct WithSiteIds {
    computed: Arc<Computed>,
    /// Those of each structure's rows, once they are known; empty if no column has them.
    site_ids: Vec<OnceLock<Vec<Option<i32>>>>,
}

impl WithSiteIds {
    /// Begins to find them on rayon's threads, structure by structure, if a column has them.
    pub(super) fn begin(computed: &Arc<Computed>, columns: &Columns) -> Arc<Self> {
        let wanted = columns.as_slice().contains(&Column::SiteId);
        let structures = if wanted { computed.results.len() } else { 0 };
        let site_ids = std::iter::repeat_with(OnceLock::new).take(structures).collect();
        let batch = Arc::new(Self { computed: Arc::clone(computed), site_ids });
        // A thread of the pool encodes at once, and finds them then.
        if wanted && rayon::current_thread_index().is_none() {
            let all = Arc::clone(&batch);
            rayon::spawn(move || {
                for index in 0..structures {
                    let batch = Arc::clone(&all);
                    rayon::spawn_fifo(move || {
                        if let Some(rows) = batch.computed.rows_of(index) {
                            batch.site_ids(index, &rows);
                        }
                    });
                }
            });
        }
        batch
    }

    /// The batch.
    pub(super) fn computed(&self) -> &Computed {
        &self.computed
    }

    /// The rank of the site of each row of a structure; waits for the thread that finds them. Empty if no column has them.
    pub(super) fn site_ids(&self, index: usize, rows: &StructureRows<'_>) -> &[Option<i32>] {
        self.site_ids.get(index).map_or(&[], |found| found.get_or_init(|| rows.site_ids_in(&Column::SiteId)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::Batch;
    use prism_engine::{Backend, Engine};
    use prism_read::{ReadOptions, StructureInput, read_path};

    #[test]
    fn threads_find_what_one_finds() {
        let rbd = read_path("../../data/6m0j_rbd.pdb", "rbd", &ReadOptions::default()).unwrap().structure;
        // The second structure has no results.
        let structures = vec![rbd.clone(), StructureInput::default(), rbd];
        let engine = Engine::builder().backend(Backend::Cpu).build().unwrap();
        let results = engine.run_packed(&structures, engine.pack(&structures)).unwrap();
        let computed = Arc::new(Computed { batch: Batch { structures, ..Batch::default() }, results });
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        for columns in [Columns::default(), Columns::choose(["wcn"]).unwrap()] {
            let begin = || WithSiteIds::begin(&computed, &columns);
            for batch in [begin(), pool.install(begin)] {
                for index in [0, 2] {
                    let rows = batch.computed().rows_of(index).unwrap();
                    let expected = rows.site_ids_of(&columns);
                    assert_eq!(batch.site_ids(index, &rows), expected);
                    assert_eq!(expected.iter().any(Option::is_some), columns.as_slice().contains(&Column::SiteId));
                }
                assert!(batch.computed().rows_of(1).is_none());
            }
        }
    }
}
