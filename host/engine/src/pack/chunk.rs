//! Consecutive structures of a batch as a batch of their own.

use super::{BatchBuffers, PackedBatch, offsets};
use cuda_std::launch::Offsets;
use prism_read::structure::Atoms;
use shared_types::{Atom, BatchStructureDesc};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

/// Consecutive structures of a [`PackedBatch`], computed as if they were a batch. Rows and atoms are counted from those of
/// the first structure. Atoms and per-residue inputs are borrowed from the batch; only descriptors and offsets belong to
/// the chunk.
///
/// ```
/// use prism_engine::PackedBatch;
/// use prism_read::{ReadOptions, read_path};
///
/// let rbd = read_path("../../data/6m0j_rbd.pdb", "rbd", &ReadOptions::default())?.structure;
/// let batch = PackedBatch::from_inputs([&rbd, &rbd, &rbd])?;
/// let chunks = batch.chunks(2);
/// assert_eq!(chunks.iter().map(|chunk| chunk.n_structures()).sum::<usize>(), 3);
/// let last = &chunks[chunks.len() - 1];
/// assert_eq!(last.structures().end, 3);
/// // Indices within a chunk are counted from its first structure.
/// assert_eq!((last.descriptors()[0].ca_offset, last.residue_offsets().as_slice()[0]), (0, 0));
/// assert_eq!(last.residue_types(), &batch.residue_types()[batch.n_residues() - last.n_residues()..]);
/// assert_eq!(batch.whole().n_atoms(), batch.n_atoms());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct BatchChunk<'a> {
    batch: &'a PackedBatch,
    structures: Range<usize>,
    rows: Range<usize>,
    atoms: Range<usize>,
    descriptors: Cow<'a, [BatchStructureDesc]>,
    residue_offsets: Cow<'a, Offsets>,
    atom_offsets: Cow<'a, Offsets>,
    structure_offsets: Cow<'a, Offsets>,
}

impl PackedBatch {
    /// The whole batch as one chunk.
    #[must_use]
    pub fn whole(&self) -> BatchChunk<'_> {
        BatchChunk {
            batch: self,
            structures: 0..self.n_structures(),
            rows: 0..self.n_residues(),
            atoms: 0..self.n_atoms(),
            descriptors: Cow::Borrowed(self.descriptors()),
            residue_offsets: Cow::Borrowed(&self.residue_offsets),
            atom_offsets: Cow::Borrowed(&self.atom_offsets),
            structure_offsets: Cow::Borrowed(&self.structure_offsets),
        }
    }

    /// Splits the batch into at most `most` chunks of about equally many atoms, in order, without splitting structures.
    /// Returns one chunk if the atoms do not have the order of the structures.
    #[must_use]
    pub fn chunks(&self, most: usize) -> Vec<BatchChunk<'_>> {
        self.chunks_of(&vec![1; most.min(self.n_structures())])
    }

    /// As [`chunks`](Self::chunks), but the first chunk and the last one are small, and those beside them are smaller than the others.
    /// A device waits for the copy of the first chunk, and the host for that of the last.
    pub(crate) fn chunks_with_small_ends(&self, most: usize) -> Vec<BatchChunk<'_>> {
        const LEAST: usize = 4;
        let mut shares = vec![3; most];
        if most >= LEAST {
            for (end, share) in [1, 2].into_iter().enumerate() {
                shares[end] = share;
                shares[most - 1 - end] = share;
            }
        }
        self.chunks_of(&shares)
    }

    /// Splits the batch into chunks with these shares of the atoms, or with fewer chunks.
    fn chunks_of(&self, shares: &[u64]) -> Vec<BatchChunk<'_>> {
        let follow = |pair: &[BatchStructureDesc]| pair[0].atom_offset + pair[0].n_atoms <= pair[1].atom_offset;
        let most = shares.len();
        if most <= 1 || self.n_structures() <= 1 || !self.descriptors().windows(2).all(follow) {
            return vec![self.whole()];
        }
        let ends = &self.atom_offsets.as_slice()[1..];
        let (all, total) = (u64::from(self.atom_offsets.end()), shares.iter().sum::<u64>());
        let (mut chunks, mut begin, mut share) = (Vec::with_capacity(most), 0, 0);
        for own in shares {
            // Each chunk ends with the structure whose end is nearest to its share of the atoms.
            share += own;
            let until = (all * share).div_ceil(total);
            let passed = ends.partition_point(|end| u64::from(*end) < until);
            let before = passed.checked_sub(1).map_or(0, |last| u64::from(ends[last]));
            let nearer_before = passed > begin && until - before < u64::from(ends[passed]) - until;
            let end = if nearer_before { passed } else { passed + 1 };
            if begin < end {
                chunks.push(self.part(begin..end));
                begin = end;
            }
        }
        chunks
    }

    /// A chunk of some structures, whose atoms have their order.
    fn part(&self, structures: Range<usize>) -> BatchChunk<'_> {
        let given = &self.descriptors()[structures.clone()];
        let (first, last) = (given[0], given[given.len() - 1]);
        let rebased = |d: &BatchStructureDesc| BatchStructureDesc {
            atom_offset: d.atom_offset - first.atom_offset,
            ca_offset: d.ca_offset - first.ca_offset,
            ..*d
        };
        let from_zero = |all: &Offsets| {
            let all = &all.as_slice()[structures.start..=structures.end];
            Cow::Owned(offsets(all.iter().map(|offset| offset - all[0])))
        };
        BatchChunk {
            batch: self,
            rows: first.ca_offset as usize..(last.ca_offset + last.n_residues) as usize,
            atoms: first.atom_offset as usize..(last.atom_offset + last.n_atoms) as usize,
            descriptors: given.iter().map(rebased).collect(),
            residue_offsets: from_zero(&self.residue_offsets),
            atom_offsets: from_zero(&self.atom_offsets),
            structure_offsets: from_zero(&self.structure_offsets),
            structures,
        }
    }
}

impl BatchChunk<'_> {
    /// As [`PackedBatch::common`].
    pub(crate) fn common(&self) -> Option<&Arc<BatchBuffers>> {
        self.batch.common()
    }

    /// As [`names`](Self::names), for results that outlive the batch.
    pub(crate) fn shared_names(&self) -> Arc<[String]> {
        let all = &self.batch.names;
        if self.n_structures() == all.len() { Arc::clone(all) } else { all[self.structures.clone()].into() }
    }

    /// As [`residue_offsets`](Self::residue_offsets), for results that outlive the batch.
    pub(crate) fn shared_offsets(&self) -> Arc<Offsets> {
        match &self.residue_offsets {
            Cow::Borrowed(_) => Arc::clone(&self.batch.residue_offsets),
            Cow::Owned(own) => Arc::new(own.clone()),
        }
    }

    /// Indices of its structures in the batch.
    #[must_use]
    pub fn structures(&self) -> Range<usize> {
        self.structures.clone()
    }

    /// Number of structures.
    #[must_use]
    pub fn n_structures(&self) -> usize {
        self.structures.len()
    }

    /// Number of rows: the residues of its structures.
    #[must_use]
    pub fn n_residues(&self) -> usize {
        self.rows.len()
    }

    /// Number of elements of [`atoms`](Self::atoms).
    #[must_use]
    pub fn n_atoms(&self) -> usize {
        self.atoms.len()
    }

    /// The structures' names.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.batch.names[self.structures.clone()]
    }

    /// Per structure, the ranges of its atoms and residues in the chunk.
    #[must_use]
    pub fn descriptors(&self) -> &[BatchStructureDesc] {
        &self.descriptors
    }

    /// As [`PackedBatch::centers`].
    #[must_use]
    pub fn centers(&self) -> &[[f64; 3]] {
        &self.batch.centers()[self.structures.clone()]
    }

    /// As [`PackedBatch::atoms`].
    #[must_use]
    pub fn atoms(&self) -> &[Atom] {
        &self.batch.atoms()[self.atoms.clone()]
    }

    /// The slices that have its atoms, in their order: one, or that of each structure as long as nobody needs them side by side.
    #[must_use]
    pub fn atom_parts(&self) -> Vec<&[Atom]> {
        self.batch.atoms.parts(self.structures.clone(), self.atoms.clone())
    }

    /// The atoms of each structure where it has them; `None` if they lie side by side.
    pub(crate) fn structures_atoms(&self) -> Option<&[Atoms]> {
        self.batch.atoms.of(self.structures.clone())
    }

    /// As [`PackedBatch::residue_atoms`].
    #[must_use]
    pub fn residue_atoms(&self) -> &[u32] {
        &self.batch.residue_atoms()[self.rows.clone()]
    }

    /// As [`PackedBatch::atom_offsets`].
    #[must_use]
    pub fn atom_offsets(&self) -> &Offsets {
        &self.atom_offsets
    }

    /// The range of each structure's rows.
    #[must_use]
    pub fn residue_offsets(&self) -> &Offsets {
        &self.residue_offsets
    }

    /// The range in words of each structure in the kernel's contact lists. There are
    /// [`kernels_gpu::scratch::contact_words`] words per residue, or fewer if a chunk would pass 2^32 words. Shorter lists
    /// give the same results, except for the last bits of `bfactor_local`: a residue with more contacts than its list has room for
    /// adds them in another order.
    #[must_use]
    pub fn contact_offsets(&self, contact_threshold: f32) -> Offsets {
        // There are fewer than 2^26 rows, so at least 64 words per residue remain.
        let most = (u32::MAX / (self.n_residues() as u32).max(1)) & !7;
        let words = kernels_gpu::scratch::contact_words(contact_threshold).min(most);
        offsets(self.residue_offsets.as_slice().iter().map(|row| row * words))
    }

    /// One segment of one element per structure, for buffers with one element per structure.
    #[must_use]
    pub fn structure_offsets(&self) -> &Offsets {
        &self.structure_offsets
    }
}

macro_rules! residues_of_chunk {
    ($($(#[$doc:meta])* $name:ident: $type:ty, $kind:ident $(($absent:expr $(, $limit:expr)*))?;)*) => {
        impl BatchChunk<'_> {
            $($(#[$doc])*
            #[must_use]
            pub fn $name(&self) -> &[$type] {
                &self.batch.$name()[self.rows.clone()]
            })*
        }
    };
}

shared_types::residue_inputs!(residues_of_chunk);
