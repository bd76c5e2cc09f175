//! Packs many structures into one set of buffers for a launch.

mod atoms;
mod check;
mod chunk;
mod error;
mod frames;

pub use check::{ATOM_LIMIT, RESIDUE_LIMIT, other_atoms};
pub use chunk::BatchChunk;
pub use error::PackError;

use crate::huge_pages;
use crate::pooled::Pooled;
use atoms::BatchAtoms;
use check::Totals;
use cuda_std::launch::Offsets;
use prism_read::structure::StructureInput;
use shared_types::{Atom, BatchStructureDesc};
use std::sync::Arc;

/// Structures packed for one launch: block `i` of the fused kernel works on structure `i`.
///
/// Rows are the residues of all structures in input order. A packed batch is always valid: its fields are private, its
/// descriptors neither overlap nor leave gaps between rows, and all indices are in range.
///
/// ```
/// use prism_engine::PackedBatch;
/// use prism_read::{ReadOptions, read_path};
///
/// let rbd = read_path("../../data/6m0j_rbd.pdb", "rbd", &ReadOptions::default())?.structure;
/// let batch = PackedBatch::from_inputs([&rbd, &rbd])?;
/// assert_eq!((batch.n_structures(), batch.n_residues(), batch.n_atoms()), (2, 388, 2 * rbd.n_atoms()));
/// assert_eq!(batch.names(), ["rbd", "rbd"]);
/// let second = batch.descriptors()[1];
/// assert_eq!((second.ca_offset, second.n_residues), (194, 194));
/// // Indices of alpha carbons and atoms are counted from the structure's first atom.
/// assert_eq!(batch.ca_indices()[194], batch.ca_indices()[0]);
/// assert_eq!(batch.atoms()[second.atom_offset as usize], rbd.atoms[0]);
/// assert_eq!(batch.residue_offsets().as_slice(), [0, 194, 388]);
/// println!("{} bytes on a device, and contact lists of {} words", batch.bytes(), batch.contact_offsets(8.0).end());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct PackedBatch {
    names: Arc<[String]>,
    atoms: BatchAtoms,
    centers: Vec<[f64; 3]>,
    /// Everything else. Batches of frames share it, and it may be that of more frames.
    others: Arc<BatchBuffers>,
    residue_offsets: Arc<Offsets>,
    atom_offsets: Offsets,
    structure_offsets: Offsets,
    are_frames: bool,
}

macro_rules! batch_buffers {
    ($($(#[$doc:meta])* $name:ident: $type:ty, $kind:ident $(($absent:expr $(, $limit:expr)*))?;)*) => {
        /// The buffers of a batch, as [`PackedBatch::from_descriptors`] takes them.
        ///
        /// ```
        /// use prism_engine::PackedBatch;
        /// use prism_engine::pack::BatchBuffers;
        /// use shared_types::{Atom, BatchStructureDesc};
        ///
        /// // Alpha carbons of two glycines, 3.8 Å apart, without further inputs.
        /// let buffers = BatchBuffers {
        ///     descriptors: vec![BatchStructureDesc { n_atoms: 2, n_residues: 2, ..Default::default() }],
        ///     atoms: [0.0, 3.8].map(|x| Atom { x, y: 0.0, z: 0.0, radius: 1.88 }).into(),
        ///     ca_indices: vec![0, 1],
        ///     residue_types: vec![7, 7],
        ///     chain_ids: vec![0, 0],
        ///     residue_atoms: vec![0, 1],
        ///     ..BatchBuffers::default() // unknown inputs may be left out
        /// };
        /// let batch = PackedBatch::from_descriptors(vec!["pair".to_owned()], buffers.clone())?;
        /// assert_eq!((batch.n_structures(), batch.n_residues()), (1, 2));
        ///
        /// // An index beyond the structure's atoms.
        /// let wrong = BatchBuffers { ca_indices: vec![0, 2], ..buffers };
        /// assert!(PackedBatch::from_descriptors(vec!["pair".to_owned()], wrong).is_err());
        /// # Ok::<(), prism_engine::PackError>(())
        /// ```
        #[derive(Clone, Debug, Default)]
        pub struct BatchBuffers {
            /// Per structure, the ranges of its atoms and residues.
            pub descriptors: Vec<BatchStructureDesc>,
            /// Per structure, the origin of its frame in the frame of its file, in Å; 0 if left out.
            pub centers: Vec<[f64; 3]>,
            /// Heavy atoms of all structures, in Å relative to each structure's centre.
            pub atoms: Vec<Atom>,
            /// Per residue, the index of its first atom, counted from its structure's first atom. Its atoms end where the
            /// next residue's begin, or with the structure.
            pub residue_atoms: Vec<u32>,
            $($(#[$doc])* pub $name: Vec<$type>,)*
        }

        impl BatchBuffers {
            /// Reserves memory, but none for atoms.
            fn reserve(&mut self, structures: usize, residues: usize) -> Result<(), PackError> {
                reserve(&mut self.descriptors, structures)?;
                reserve(&mut self.centers, structures)?;
                reserve(&mut self.residue_atoms, residues)?;
                $(reserve(&mut self.$name, residues)?;)*
                Ok(())
            }

            /// Appends a valid structure without its positions, with defaults for inputs that it leaves out.
            fn append(&mut self, input: &StructureInput, descriptor: BatchStructureDesc) {
                let n = input.n_residues();
                self.descriptors.push(descriptor);
                self.residue_atoms.extend_from_slice(&input.residue_atoms[..n]);
                $(append(&mut self.$name, &input.$name, n, absent!($kind $($absent)?));)*
            }

            /// Fills inputs that were left out with their default values.
            fn fill_absent(&mut self) {
                let n = self.ca_indices.len();
                if self.centers.is_empty() {
                    self.centers.resize(self.descriptors.len(), [0.0; 3]);
                }
                $($(
                    if self.$name.is_empty() {
                        self.$name.resize(n, $absent);
                    }
                )?)*
            }

            /// The per-residue inputs: name and number of entries.
            fn residue_lengths(&self) -> impl Iterator<Item = (&'static str, usize)> {
                [$((stringify!($name), self.$name.len())),*].into_iter()
            }

            /// Size in bytes of buffers for so many.
            fn bytes(structures: usize, atoms: usize, residues: usize) -> usize {
                let of_structure = size_of::<BatchStructureDesc>() + size_of::<[f64; 3]>();
                let of_residue = size_of::<u32>() $(+ size_of::<$type>())*;
                structures * of_structure + atoms * size_of::<Atom>() + residues * of_residue
            }
        }

        impl PackedBatch {
            $($(#[$doc])*
            #[must_use]
            pub fn $name(&self) -> &[$type] {
                &self.others.$name[..self.n_residues()]
            })*
        }
    };
}

/// The default of an input that a structure leaves out.
macro_rules! absent {
    (index) => {
        Default::default()
    };
    ($kind:ident $absent:expr) => {
        $absent
    };
}

shared_types::residue_inputs!(batch_buffers);

impl PackedBatch {
    /// Packs structures in the given order. Without structures, the batch has no rows.
    ///
    /// # Errors
    /// If a structure is invalid ([`StructureInput::validate`]), if the batch would have 2^31 atoms or 2^26 residues (rows
    /// of 32 columns below 2^31), or if memory runs out. Errors name the structure.
    pub fn from_inputs<'a>(inputs: impl IntoIterator<Item = &'a StructureInput>) -> Result<Self, PackError> {
        let inputs: Vec<&StructureInput> = inputs.into_iter().collect();
        if let Some(frames) = Self::from_frames(&inputs) {
            return frames;
        }
        let mut buffers = BatchBuffers::default();
        buffers.reserve(inputs.len(), inputs.iter().map(|input| input.n_residues()).sum())?;
        let mut totals = Totals::default();
        for (index, input) in inputs.iter().enumerate() {
            input.validate().map_err(|source| PackError::Structure { index, source })?;
            let offsets = totals.add(index, &input.name, input.n_atoms(), input.n_residues())?;
            buffers.append(input, descriptor(input, offsets));
        }
        Ok(Self::of_inputs(&inputs, Arc::new(buffers), None))
    }

    /// Takes buffers that were packed elsewhere, and a name per structure.
    ///
    /// # Errors
    /// If lengths disagree, a descriptor exceeds its buffers, two descriptors share atoms or rows, rows belong to no
    /// descriptor or are in another order than the descriptors, or a kernel cannot take a value. Errors name the structure,
    /// or both structures of an overlap.
    pub fn from_descriptors(names: Vec<String>, mut buffers: BatchBuffers) -> Result<Self, PackError> {
        buffers.fill_absent();
        check::buffers(&names, &buffers)?;
        for descriptor in &mut buffers.descriptors {
            descriptor._padding = [0; 3];
        }
        Ok(Self::assemble(names, buffers))
    }

    /// Assembles a batch from `buffers`, which have been checked.
    fn assemble(names: Vec<String>, mut buffers: BatchBuffers) -> Self {
        let (atoms, centers) = (std::mem::take(&mut buffers.atoms), std::mem::take(&mut buffers.centers));
        Self::of_parts(names, BatchAtoms::joined(atoms), centers, Arc::new(buffers))
    }

    /// Assembles a batch of structures, whose atoms stay where they are. `memory` is for them if somebody needs them side by side.
    fn of_inputs(inputs: &[&StructureInput], others: Arc<BatchBuffers>, memory: Option<Pooled<Atom>>) -> Self {
        let names = inputs.iter().map(|input| input.name.clone()).collect();
        let centers = inputs.iter().map(|input| input.center).collect();
        let atoms = BatchAtoms::apart(inputs.iter().map(|input| input.atoms.clone()).collect(), memory);
        Self::of_parts(names, atoms, centers, others)
    }

    /// Assembles a batch of as many structures as there are names.
    fn of_parts(names: Vec<String>, atoms: BatchAtoms, centers: Vec<[f64; 3]>, others: Arc<BatchBuffers>) -> Self {
        let descriptors = &others.descriptors[..names.len()];
        let ends = descriptors.iter().map(|d| d.ca_offset + d.n_residues);
        let residue_offsets = offsets(std::iter::once(0).chain(ends));
        let of_atoms = descriptors.iter().scan(0, |end, d| {
            // Structures share no atoms, and there are fewer than 2^31 atoms.
            *end += d.n_atoms;
            Some(*end)
        });
        let atom_offsets = offsets(std::iter::once(0).chain(of_atoms));
        let structure_offsets = offsets(0..=descriptors.len() as u32);
        Self {
            names: names.into(),
            atoms,
            centers,
            others,
            residue_offsets: Arc::new(residue_offsets),
            atom_offsets,
            structure_offsets,
            are_frames: false,
        }
    }

    /// What frames have in common, if the batch has frames of one composition alone: that of the batch begins like that of other batches
    /// for which this is the same.
    pub(crate) fn common(&self) -> Option<&Arc<BatchBuffers>> {
        self.are_frames.then_some(&self.others)
    }

    /// Number of structures.
    #[must_use]
    pub fn n_structures(&self) -> usize {
        self.names.len()
    }

    /// Number of rows: the residues of all structures.
    #[must_use]
    pub fn n_residues(&self) -> usize {
        self.residue_offsets.end() as usize
    }

    /// Number of heavy atoms of all structures.
    #[must_use]
    pub fn n_atoms(&self) -> usize {
        self.atoms.len()
    }

    /// Size of all buffers in bytes, which is also what a device needs for them.
    #[must_use]
    pub fn bytes(&self) -> usize {
        BatchBuffers::bytes(self.n_structures(), self.n_atoms(), self.n_residues())
    }

    /// The structures' names.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Per structure, the ranges of its atoms and residues.
    #[must_use]
    pub fn descriptors(&self) -> &[BatchStructureDesc] {
        &self.others.descriptors[..self.n_structures()]
    }

    /// Per structure, the centre that its atoms are relative to, in Å in the frame of its file.
    #[must_use]
    pub fn centers(&self) -> &[[f64; 3]] {
        &self.centers
    }

    /// Heavy atoms, in Å relative to each structure's centre. The first call of this, or of [`join`](Self::join), puts those of the
    /// structures side by side.
    ///
    /// # Panics
    /// If there is no memory for them.
    #[must_use]
    pub fn atoms(&self) -> &[Atom] {
        self.atoms.as_slice()
    }

    /// Puts the structures' atoms side by side, as cores need them. Until then they lie where the structures have them, from where a
    /// device's copy gathers them.
    ///
    /// # Errors
    /// [`PackError::OutOfMemory`].
    pub fn join(&self) -> Result<(), PackError> {
        self.atoms.join().map(drop)
    }

    /// Per row, the index of its first atom, counted from its structure's first atom.
    #[must_use]
    pub fn residue_atoms(&self) -> &[u32] {
        &self.others.residue_atoms[..self.n_residues()]
    }

    /// The range of each structure in buffers with one element per heavy atom. The ranges have the order of the
    /// descriptors, even if the atoms have another.
    #[must_use]
    pub fn atom_offsets(&self) -> &Offsets {
        &self.atom_offsets
    }

    /// The range of each structure's rows.
    #[must_use]
    pub fn residue_offsets(&self) -> &Offsets {
        &self.residue_offsets
    }

    /// As [`BatchChunk::contact_offsets`], for the whole batch.
    #[must_use]
    pub fn contact_offsets(&self, contact_threshold: f32) -> Offsets {
        self.whole().contact_offsets(contact_threshold)
    }

    /// One segment of one element per structure, for buffers with one element per structure.
    #[must_use]
    pub fn structure_offsets(&self) -> &Offsets {
        &self.structure_offsets
    }
}

/// Where a structure lies whose atoms and residues begin there.
fn descriptor(input: &StructureInput, (atom_offset, ca_offset): (u32, u32)) -> BatchStructureDesc {
    BatchStructureDesc {
        atom_offset,
        ca_offset,
        n_atoms: input.n_atoms() as u32,
        n_residues: input.n_residues() as u32,
        lineage_hash: input.lineage_hash,
        country_id: input.country_id,
        _padding: [0; 3],
    }
}

/// Offsets from running sums of lengths.
fn offsets(sums: impl Iterator<Item = u32>) -> Offsets {
    Offsets::new(sums.collect()).expect("running sums do not decrease")
}

/// Reserves memory for `len` elements.
fn reserve<T>(all: &mut Vec<T>, len: usize) -> Result<(), PackError> {
    all.try_reserve_exact(len).map_err(|_| PackError::OutOfMemory { bytes: len.saturating_mul(size_of::<T>()) })?;
    huge_pages::under(all.spare_capacity_mut());
    Ok(())
}

/// Appends `elements`, or `len` times the default if there are none.
fn append<T: Copy>(all: &mut Vec<T>, elements: &[T], len: usize, absent: T) {
    if elements.is_empty() {
        all.resize(all.len() + len, absent);
    } else {
        all.extend_from_slice(elements);
    }
}
