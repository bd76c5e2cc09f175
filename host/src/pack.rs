//! Many structures side by side in one set of buffers: what one launch works on.

mod check;
mod error;
mod part;

pub(crate) use check::{ATOM_LIMIT, RESIDUE_LIMIT, other_atoms};
pub use error::PackError;
pub use part::BatchPart;

use crate::structure::StructureInput;
use check::Totals;
use cuda_std::launch::Offsets;
use shared_types::{Atom, BatchStructureDesc};
use std::sync::Arc;

/// Structures packed for one launch: block `i` of the fused kernel works on structure `i`.
///
/// Rows are the residues of all structures, in input order. A packed batch is always valid: its fields are private,
/// its descriptors neither overlap nor leave gaps between rows, and every index of the kernel's stays in range.
///
/// ```
/// use prism_host::PackedBatch;
/// use prism_host::read::{ReadOptions, read_path};
///
/// let rbd = read_path("../data/6m0j_rbd.pdb", "rbd", &ReadOptions::default())?.structure;
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
    buffers: BatchBuffers,
    residue_offsets: Arc<Offsets>,
    atom_offsets: Offsets,
    structure_offsets: Offsets,
}

/// The buffers of a batch, as [`PackedBatch::from_descriptors`] takes them.
///
/// ```
/// use prism_host::PackedBatch;
/// use prism_host::pack::BatchBuffers;
/// use shared_types::{Atom, BatchStructureDesc};
///
/// // Two alpha carbons of glycines, 3.8 Å apart, and nothing known of them.
/// let buffers = BatchBuffers {
///     descriptors: vec![BatchStructureDesc { n_atoms: 2, n_residues: 2, ..Default::default() }],
///     atoms: [0.0, 3.8].map(|x| Atom { x, y: 0.0, z: 0.0, radius: 1.88 }).into(),
///     ca_indices: vec![0, 1],
///     residue_types: vec![7, 7],
///     conservation: vec![f32::NAN; 2],
///     bfactor: vec![f32::NAN; 2],
///     gisaid_freq: vec![f32::NAN; 2],
///     gisaid_velocity: vec![f32::NAN; 2],
///     chain_ids: vec![0, 0],
///     residue_atoms: vec![0, 1],
/// };
/// let batch = PackedBatch::from_descriptors(vec!["pair".to_owned()], buffers.clone())?;
/// assert_eq!((batch.n_structures(), batch.n_residues()), (1, 2));
///
/// // An alpha carbon that the structure does not have.
/// let wrong = BatchBuffers { ca_indices: vec![0, 2], ..buffers };
/// assert!(PackedBatch::from_descriptors(vec!["pair".to_owned()], wrong).is_err());
/// # Ok::<(), prism_host::PackError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct BatchBuffers {
    /// Per structure, where its atoms and residues lie.
    pub descriptors: Vec<BatchStructureDesc>,
    /// Heavy atoms of all structures, in Å relative to each structure's centre.
    pub atoms: Vec<Atom>,
    /// Per residue, its alpha carbon counted from its structure's first atom, or [`shared_types::NO_CA`].
    pub ca_indices: Vec<u32>,
    /// Per residue, its index in [`shared_types::RESIDUES`].
    pub residue_types: Vec<u8>,
    /// Per residue, conservation; NaN when absent.
    pub conservation: Vec<f32>,
    /// Per residue, the B factor of its alpha carbon in Å²; NaN when absent.
    pub bfactor: Vec<f32>,
    /// Per residue, the lineage's frequency, 0 to 1; NaN when absent.
    pub gisaid_freq: Vec<f32>,
    /// Per residue, its relative growth rate per day; NaN when absent.
    pub gisaid_velocity: Vec<f32>,
    /// Per residue, its chain: residues of a structure are of one chain when their numbers are equal.
    pub chain_ids: Vec<u32>,
    /// Per residue, its first atom counted from its structure's first atom; its atoms end where the next residue's
    /// begin, or with the structure.
    pub residue_atoms: Vec<u32>,
}

impl PackedBatch {
    /// Packs structures in the order given; no structure at all is a batch of no rows.
    ///
    /// # Errors
    /// Where a structure is not valid ([`StructureInput::validate`]), or where the batch would have 2^31 atoms or
    /// 2^26 residues (rows of 32 columns below 2^31); each error names the structure. Where memory is too short.
    pub fn from_inputs<'a>(inputs: impl IntoIterator<Item = &'a StructureInput>) -> Result<Self, PackError> {
        let inputs: Vec<&StructureInput> = inputs.into_iter().collect();
        let mut totals = Totals::default();
        let mut descriptors = Vec::with_capacity(inputs.len());
        for (index, input) in inputs.iter().enumerate() {
            input.validate().map_err(|source| PackError::Structure { index, source })?;
            let (atom_offset, ca_offset) = totals.add(index, &input.name, input.n_atoms(), input.n_residues())?;
            descriptors.push(BatchStructureDesc {
                atom_offset,
                ca_offset,
                n_atoms: input.n_atoms() as u32,
                n_residues: input.n_residues() as u32,
                lineage_hash: input.lineage_hash,
                country_id: input.country_id,
                _padding: [0; 3],
            });
        }
        let buffers = BatchBuffers {
            descriptors,
            atoms: joined(&inputs, |input| &input.atoms)?,
            ca_indices: joined(&inputs, |input| &input.ca_indices)?,
            residue_types: joined(&inputs, |input| &input.residue_types)?,
            conservation: joined(&inputs, |input| &input.conservation)?,
            bfactor: joined(&inputs, |input| &input.bfactor)?,
            gisaid_freq: joined(&inputs, |input| &input.gisaid_freq)?,
            gisaid_velocity: joined(&inputs, |input| &input.gisaid_velocity)?,
            chain_ids: joined(&inputs, |input| &input.chain_ids)?,
            residue_atoms: joined(&inputs, |input| &input.residue_atoms[..input.n_residues()])?,
        };
        Ok(Self::assemble(inputs.iter().map(|input| input.name.clone()).collect(), buffers))
    }

    /// Takes buffers that were packed elsewhere, with a name for each structure.
    ///
    /// # Errors
    /// Where lengths disagree, a descriptor leaves its buffers, two descriptors share atoms or rows, rows belong to
    /// no descriptor or are not in the descriptors' order, or a value is one that the kernel cannot take. Errors
    /// name the structure, and both where two overlap.
    pub fn from_descriptors(names: Vec<String>, mut buffers: BatchBuffers) -> Result<Self, PackError> {
        check::buffers(&names, &buffers)?;
        for descriptor in &mut buffers.descriptors {
            descriptor._padding = [0; 3];
        }
        Ok(Self::assemble(names, buffers))
    }

    /// `buffers` are checked.
    fn assemble(names: Vec<String>, buffers: BatchBuffers) -> Self {
        let ends = buffers.descriptors.iter().map(|d| d.ca_offset + d.n_residues);
        let residue_offsets = offsets(std::iter::once(0).chain(ends));
        let atoms = buffers.descriptors.iter().scan(0, |end, d| {
            // Structures share no atom, and atoms are below 2^31.
            *end += d.n_atoms;
            Some(*end)
        });
        let atom_offsets = offsets(std::iter::once(0).chain(atoms));
        let structure_offsets = offsets(0..=buffers.descriptors.len() as u32);
        Self {
            names: names.into(),
            buffers,
            residue_offsets: Arc::new(residue_offsets),
            atom_offsets,
            structure_offsets,
        }
    }

    /// Number of structures.
    #[must_use]
    pub fn n_structures(&self) -> usize {
        self.buffers.descriptors.len()
    }

    /// Number of rows: the residues of all structures.
    #[must_use]
    pub fn n_residues(&self) -> usize {
        self.buffers.ca_indices.len()
    }

    /// Number of heavy atoms of all structures.
    #[must_use]
    pub fn n_atoms(&self) -> usize {
        self.buffers.atoms.len()
    }

    /// Bytes of all buffers: what a device takes of it.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let b = &self.buffers;
        let rows = size_of_val(&*b.conservation) + size_of_val(&*b.bfactor) + size_of_val(&*b.gisaid_freq);
        let identity = size_of_val(&*b.residue_types) + size_of_val(&*b.chain_ids) + size_of_val(&*b.residue_atoms);
        let structures = size_of_val(&*b.descriptors);
        let atoms = size_of_val(&*b.atoms) + size_of_val(&*b.ca_indices);
        atoms + structures + identity + rows + size_of_val(&*b.gisaid_velocity)
    }

    /// The same as [`names`](Self::names), for results that outlive the batch.
    pub(crate) fn shared_names(&self) -> Arc<[String]> {
        Arc::clone(&self.names)
    }

    /// The same as [`residue_offsets`](Self::residue_offsets), for results that outlive the batch.
    pub(crate) fn shared_offsets(&self) -> Arc<Offsets> {
        Arc::clone(&self.residue_offsets)
    }

    /// The structures' names.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Per structure, where its atoms and residues lie.
    #[must_use]
    pub fn descriptors(&self) -> &[BatchStructureDesc] {
        &self.buffers.descriptors
    }

    /// Heavy atoms, in Å relative to each structure's centre.
    #[must_use]
    pub fn atoms(&self) -> &[Atom] {
        &self.buffers.atoms
    }

    /// Per row, the alpha carbon counted from its structure's first atom, or [`shared_types::NO_CA`].
    #[must_use]
    pub fn ca_indices(&self) -> &[u32] {
        &self.buffers.ca_indices
    }

    /// Per row, an index in [`shared_types::RESIDUES`].
    #[must_use]
    pub fn residue_types(&self) -> &[u8] {
        &self.buffers.residue_types
    }

    /// Per row, conservation; NaN when absent.
    #[must_use]
    pub fn conservation(&self) -> &[f32] {
        &self.buffers.conservation
    }

    /// Per row, the B factor of the alpha carbon in Å²; NaN when absent.
    #[must_use]
    pub fn bfactor(&self) -> &[f32] {
        &self.buffers.bfactor
    }

    /// Per row, the lineage's frequency, 0 to 1; NaN when absent.
    #[must_use]
    pub fn gisaid_freq(&self) -> &[f32] {
        &self.buffers.gisaid_freq
    }

    /// Per row, the relative growth rate per day; NaN when absent.
    #[must_use]
    pub fn gisaid_velocity(&self) -> &[f32] {
        &self.buffers.gisaid_velocity
    }

    /// Per row, its chain, counted within its structure.
    #[must_use]
    pub fn chain_ids(&self) -> &[u32] {
        &self.buffers.chain_ids
    }

    /// Per row, its first atom counted from its structure's first atom.
    #[must_use]
    pub fn residue_atoms(&self) -> &[u32] {
        &self.buffers.residue_atoms
    }

    /// Where each structure's part of the kernel's buffers of an element a heavy atom begins and ends. They follow the
    /// order of the descriptors, also where the atoms themselves lie in another.
    #[must_use]
    pub fn atom_offsets(&self) -> &Offsets {
        &self.atom_offsets
    }

    /// Where each structure's rows begin and end.
    #[must_use]
    pub fn residue_offsets(&self) -> &Offsets {
        &self.residue_offsets
    }

    /// As [`BatchPart::contact_offsets`], of the whole batch.
    #[must_use]
    pub fn contact_offsets(&self, contact_threshold: f32) -> Offsets {
        self.whole().contact_offsets(contact_threshold)
    }

    /// One segment a structure, of one element: for buffers with an element a structure.
    #[must_use]
    pub fn structure_offsets(&self) -> &Offsets {
        &self.structure_offsets
    }
}

/// Offsets from sums of lengths.
fn offsets(sums: impl Iterator<Item = u32>) -> Offsets {
    Offsets::new(sums.collect()).expect("sums of lengths never fall")
}

fn joined<T: Copy>(inputs: &[&StructureInput], field: impl Fn(&StructureInput) -> &[T]) -> Result<Vec<T>, PackError> {
    let len = inputs.iter().map(|input| field(input).len()).sum();
    let mut all = Vec::new();
    all.try_reserve_exact(len).map_err(|_| PackError::OutOfMemory { bytes: len.saturating_mul(size_of::<T>()) })?;
    for input in inputs {
        all.extend_from_slice(field(input));
    }
    Ok(all)
}
