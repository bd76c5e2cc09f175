//! How the structures of a batch are divided among blocks.

use super::memory::Memory;
use crate::pack::BatchChunk;
use cuda_std::launch::{Offsets, Space};
use kernels_gpu::scratch::{NO_STRUCTURE, RESIDUES_PER_ITEM, WorkItem, WorkSplit, atoms_per_item, rows_of_eight};
use shared_types::Steps;
use std::ops::Range;
use std::sync::Arc;

/// Values of an item, at most: each thread of a block takes some.
const VALUES_PER_ITEM: u32 = 4096;

/// The most that one block computes as a whole. Results do not depend on it.
///
/// ```
/// use cuda_std::launch::CpuExecutor;
/// use prism_engine::PackedBatch;
/// use prism_engine::{Largest, compute_on_cpu};
/// use prism_read::{ReadOptions, read_path};
/// use shared_types::MegaFusedConfig;
///
/// let rbd = read_path("../../data/6m0j_rbd.pdb", "rbd", &ReadOptions::default())?.structure;
/// let (batch, config) = (PackedBatch::from_inputs([&rbd])?, MegaFusedConfig::default());
/// let bits = |largest| -> Result<Vec<u32>, prism_engine::EngineError> {
///     let computed = compute_on_cpu(&CpuExecutor::new(), &batch, config, largest)?;
///     Ok(bytemuck::cast_slice::<f32, u32>(computed.values()).to_vec())
/// };
/// // The limit for one block is below the 194 residues, so the kernels for large structures compute them.
/// assert_eq!(bits(Largest { residues: 100, atoms: 500, centrality: 150, rows: 7 })?, bits(Largest::default())?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Largest {
    /// Residues: the number of pairs grows with their square.
    pub residues: u32,
    /// Heavy atoms, which a block of few threads sorts.
    pub atoms: u32,
    /// Residues whose centrality one block computes, if there are more than `residues`. Blocks that compute it together take
    /// one structure after another, so it pays for the largest ones.
    pub centrality: u32,
    /// Rows of a structure of more than `residues`, of which a block computes so many; at least 1.
    pub rows: u32,
}

impl Default for Largest {
    fn default() -> Self {
        Self { residues: 1024, atoms: 16384, centrality: 4096, rows: 128 }
    }
}

impl Largest {
    /// For a device, on which a launch waits for its largest block: smaller blocks, and more of them.
    pub const DEVICE: Self = Self { residues: 256, atoms: 4096, centrality: 4096, rows: 32 };
}

/// Ranges of the structures' elements, as blocks take them, and their positions in buffers.
pub(super) struct Items {
    pub(super) items: Vec<WorkItem>,
    /// The items' offsets in buffers with one element per atom, residue or row.
    pub(super) offsets: Offsets,
    /// The items' offsets in other buffers. For rows, these are the contact lists.
    pub(super) others: Offsets,
}

impl Items {
    /// All atoms, in the order of scratch memory.
    pub(super) fn of_atoms(batch: &BatchChunk<'_>) -> Self {
        let mut builder = Builder::default();
        for structure in Structure::all(batch) {
            builder.some(structure, structure.n_atoms, atoms_per_item(structure.n_atoms), |first| {
                let at = structure.atoms + first;
                (at, at)
            });
        }
        let atoms = batch.atom_offsets().end();
        builder.items(atoms, atoms)
    }

    /// All residues. Those of an item have one chain. Kernels look at the space around residues that follow each other, which is
    /// large where one ends a chain and the next begins another one far away.
    pub(super) fn of_residues(batch: &BatchChunk<'_>) -> Self {
        let mut builder = Builder::default();
        for structure in Structure::all(batch) {
            let rows = structure.row as usize..(structure.row + structure.residues) as usize;
            let mut begin = 0;
            for chain in batch.chain_ids()[rows].chunk_by(|one, next| one == next) {
                let end = begin + chain.len() as u32;
                builder.range(structure, begin..end, RESIDUES_PER_ITEM, |first| {
                    let row = structure.row + first;
                    (row, row)
                });
                begin = end;
            }
        }
        let rows = batch.n_residues() as u32;
        builder.items(rows, rows)
    }

    /// The values of so many columns.
    pub(super) fn of_values(batch: &BatchChunk<'_>, columns: usize) -> Self {
        let mut builder = Builder::default();
        let columns = columns as u32;
        for structure in Structure::all(batch) {
            builder.some(structure, structure.residues * columns, VALUES_PER_ITEM, |first| {
                let value = structure.row * columns + first;
                (value, value)
            });
        }
        let values = batch.n_residues() as u32 * columns;
        builder.items(values, values)
    }

    /// The rows and contact lists of structures that are too large for one block. Items with nothing to do cover the structures
    /// between them.
    ///
    /// `boxes` are the offsets of [`box_offsets`].
    pub(super) fn of_rows(batch: &BatchChunk<'_>, split: WorkSplit, boxes: &Offsets) -> Self {
        let mut builder = Builder::default();
        let words = split.contact_words;
        for (structure, &boxes) in Structure::all(batch).zip(boxes.as_slice()) {
            if structure.residues > split.largest {
                let structure = Structure { boxes, ..structure };
                builder.some(structure, structure.residues, split.rows_per_item, |first| {
                    let row = structure.row + first;
                    (row, row * words)
                });
            } else if builder.items.last().is_none_or(|item| item.structure != NO_STRUCTURE) {
                builder.push(
                    WorkItem { structure: NO_STRUCTURE, atoms: 0, boxes: 0, first: 0 },
                    structure.row,
                    structure.row * words,
                );
            }
        }
        let rows = batch.n_residues() as u32;
        builder.items(rows, rows * words)
    }
}

/// Items as kernels see them.
pub(super) struct DeviceItems<M: Memory> {
    pub(super) count: usize,
    items: M::Buffer<WorkItem>,
    pub(super) offsets: M::Offsets,
    pub(super) others: M::Offsets,
}

impl<M: Memory> DeviceItems<M> {
    pub(super) fn new(memory: &M) -> Result<Self, M::Error> {
        Ok(Self { count: 0, items: memory.empty()?, offsets: memory.no_offsets()?, others: memory.no_offsets()? })
    }

    /// Answers which structure each is of.
    pub(super) fn set(&mut self, memory: &M, items: &Items) -> Result<Arc<[u32]>, M::Error> {
        memory.copy_to(&mut self.items, &items.items)?;
        memory.set(&mut self.offsets, &items.offsets)?;
        memory.set(&mut self.others, &items.others)?;
        self.count = items.items.len();
        Ok(items.items.iter().map(|item| item.structure).collect())
    }

    pub(super) fn view(&self) -> <M::Space as Space>::Ref<'_, WorkItem> {
        M::view(&self.items, self.count)
    }
}

/// How rows are divided.
pub(super) fn split(batch: &BatchChunk<'_>, contact_offsets: &Offsets, largest: Largest, steps: Steps) -> WorkSplit {
    let contact_words = contact_offsets.end().checked_div(batch.n_residues() as u32).unwrap_or(0);
    WorkSplit { largest: largest.residues, rows_per_item: largest.rows, contact_words, steps: steps.bits() }
}

/// Offsets of the rows of each structure's boxes. Structures that one block computes have none.
pub(super) fn box_offsets(batch: &BatchChunk<'_>, largest: Largest) -> Offsets {
    let rows = batch
        .descriptors()
        .iter()
        .map(|d| if d.n_residues > largest.residues { rows_of_eight(d.n_residues) } else { 0 });
    let mut end = 0;
    let ends = rows.map(|rows| {
        end += rows;
        end
    });
    Offsets::new(std::iter::once(0).chain(ends).collect())
        .expect("fewer rows than residues, and some for each structure")
}

/// Residues of the largest structure whose centrality all blocks compute together, if there is one.
pub(super) fn together(batch: &BatchChunk<'_>, largest: Largest) -> Option<u32> {
    let most = largest.residues.max(largest.centrality);
    batch.descriptors().iter().map(|d| d.n_residues).max().filter(|&residues| residues > most)
}

/// A structure's position in buffers.
#[derive(Clone, Copy)]
struct Structure {
    index: u32,
    /// Its first row.
    row: u32,
    residues: u32,
    /// Its first element in scratch memory with one element per atom.
    atoms: u32,
    n_atoms: u32,
    /// The first row of its boxes, if it is large.
    boxes: u32,
}

impl Structure {
    fn all(batch: &BatchChunk<'_>) -> impl Iterator<Item = Self> {
        batch.descriptors().iter().zip(batch.atom_offsets().as_slice()).enumerate().map(|(index, (d, &atoms))| Self {
            index: index as u32,
            row: d.ca_offset,
            residues: d.n_residues,
            atoms,
            n_atoms: d.n_atoms,
            boxes: 0,
        })
    }
}

#[derive(Default)]
struct Builder {
    items: Vec<WorkItem>,
    offsets: Vec<u32>,
    others: Vec<u32>,
}

impl Builder {
    fn push(&mut self, item: WorkItem, offset: u32, other: u32) {
        self.items.push(item);
        self.offsets.push(offset);
        self.others.push(other);
    }

    /// Items of `length` elements from one structure with `count` elements.
    fn some(&mut self, structure: Structure, count: u32, length: u32, place: impl Fn(u32) -> (u32, u32)) {
        self.range(structure, 0..count, length, place);
    }

    /// The same for a range of its elements.
    fn range(&mut self, structure: Structure, range: Range<u32>, length: u32, place: impl Fn(u32) -> (u32, u32)) {
        for first in range.step_by(length as usize) {
            let (offset, other) = place(first);
            let Structure { index, atoms, boxes, .. } = structure;
            self.push(WorkItem { structure: index, atoms, boxes, first }, offset, other);
        }
    }

    /// The items. The last one ends at the end of the buffers.
    fn items(mut self, end: u32, other_end: u32) -> Items {
        self.offsets.push(end);
        self.others.push(other_end);
        let offsets = |offsets| Offsets::new(offsets).expect("items follow each other as structures do");
        Items { items: self.items, offsets: offsets(self.offsets), others: offsets(self.others) }
    }
}
