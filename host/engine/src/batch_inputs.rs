//! The inputs of a batch as kernels read them, in the host's memory or a device's.

use super::memory::Memory;
use crate::pack::{BatchBuffers, BatchChunk};
use cuda_std::launch::{Host, Space};
use kernels_gpu::groups::{AtomItemsArgs, BatchArgs, SortedAtomsArgs, UnsortedAtomsArgs};
use kernels_gpu::scratch::{ResidueExposure, WorkItem};
use shared_types::{Atom, BatchStructureDesc, POINTS_PER_GROUP, PointGroup};
use std::sync::Arc;

macro_rules! batch_inputs {
    ($($(#[$doc:meta])* $name:ident: $type:ty, $kind:ident $(($absent:expr $(, $limit:expr)*))?;)*) => {
        /// A packed batch as kernels read it, in the memory `S`. See [`crate::pack::PackedBatch`] for what each holds.
        pub struct BatchInputs<'a, S: Space> {
            /// Heavy atoms.
            pub atoms: S::Ref<'a, Atom>,
            /// Per structure, where it lies.
            pub descriptors: S::Ref<'a, BatchStructureDesc>,
            /// Per structure, its centre in the frame of its file.
            pub centers: S::Ref<'a, [f64; 3]>,
            /// Per row, its first atom counted from its structure's first atom.
            pub residue_atoms: S::Ref<'a, u32>,
            /// Test points of the unit sphere ([`super::point_groups`]).
            pub points: S::Ref<'a, PointGroup>,
            /// Their number, which is the configuration's.
            pub n_points: u32,
            $($(#[$doc])* pub $name: S::Ref<'a, $type>,)*
        }

        impl<S: Space> BatchInputs<'_, S> {
            /// The same, for the time of one launch.
            pub(super) fn shorter(&self) -> BatchInputs<'_, S> {
                BatchInputs {
                    atoms: S::shorter(self.atoms),
                    descriptors: S::shorter(self.descriptors),
                    centers: S::shorter(self.centers),
                    residue_atoms: S::shorter(self.residue_atoms),
                    points: S::shorter(self.points),
                    n_points: self.n_points,
                    $($name: S::shorter(self.$name),)*
                }
            }
        }

        impl<'a> BatchInputs<'a, Host> {
            /// A batch where it lies, and `n_points` test points ([`super::point_groups`]).
            #[must_use]
            pub fn of_chunk(batch: &'a BatchChunk<'_>, points: &'a [PointGroup], n_points: u32) -> Self {
                Self {
                    atoms: batch.atoms(),
                    descriptors: batch.descriptors(),
                    centers: batch.centers(),
                    residue_atoms: batch.residue_atoms(),
                    points,
                    n_points,
                    $($name: batch.$name(),)*
                }
            }
        }

        /// A batch's inputs in memory that is kept from batch to batch. Of frames of a trajectory, only atoms and centres are copied
        /// if the frames before had the rest in common with them.
        pub struct InputBuffers<M: Memory> {
            /// What frames had in common, and how many they were.
            common: Option<(Arc<BatchBuffers>, usize)>,
            residues: usize,
            structures: usize,
            n_atoms: usize,
            pub(super) atoms: M::Buffer<Atom>,
            descriptors: M::Buffer<BatchStructureDesc>,
            pub(super) centers: M::Buffer<[f64; 3]>,
            residue_atoms: M::Buffer<u32>,
            $(pub(super) $name: M::Buffer<$type>,)*
        }

        impl<M: Memory> InputBuffers<M> {
            /// Room for nothing.
            ///
            /// # Errors
            /// If there is too little memory.
            pub fn new(memory: &M) -> Result<Self, M::Error> {
                Ok(Self {
                    common: None,
                    residues: 0,
                    structures: 0,
                    n_atoms: 0,
                    atoms: memory.empty()?,
                    descriptors: memory.empty()?,
                    centers: memory.empty()?,
                    residue_atoms: memory.empty()?,
                    $($name: memory.empty()?,)*
                })
            }

            /// Copies a batch there.
            ///
            /// # Errors
            /// If there is too little memory.
            pub fn upload(&mut self, memory: &M, batch: &BatchChunk<'_>) -> Result<(), M::Error> {
                self.upload_by(memory, batch, |atoms, others| {
                    memory.gather_to(atoms, &batch.atom_parts())?;
                    others()
                })
            }

            /// As [`upload`](Self::upload). `copy` is to copy the atoms, which are most of a batch, and to call what copies the others.
            pub(super) fn upload_by(
                &mut self,
                memory: &M,
                batch: &BatchChunk<'_>,
                copy: impl FnOnce(&mut M::Buffer<Atom>, &mut dyn FnMut() -> Result<(), M::Error>) -> Result<(), M::Error>,
            ) -> Result<(), M::Error> {
                // Not kept after an error, when it is not known what lies there.
                let before = self.common.take();
                let common = batch.common().map(|common| (Arc::clone(common), batch.n_structures()));
                let lie_there = |(before, most): &(Arc<BatchBuffers>, usize)| {
                    common.as_ref().is_some_and(|(common, n)| Arc::ptr_eq(before, common) && n <= most)
                };
                let kept = before.filter(lie_there);
                copy(&mut self.atoms, &mut || {
                    memory.copy_to(&mut self.centers, batch.centers())?;
                    if kept.is_some() {
                        return Ok(());
                    }
                    memory.copy_to(&mut self.descriptors, batch.descriptors())?;
                    memory.copy_to(&mut self.residue_atoms, batch.residue_atoms())?;
                    $(memory.copy_to(&mut self.$name, batch.$name())?;)*
                    Ok(())
                })?;
                self.common = kept.or(common);
                (self.residues, self.structures) = (batch.n_residues(), batch.n_structures());
                self.n_atoms = batch.n_atoms();
                Ok(())
            }

            /// As kernels read it, with the test points of an atom's sphere ([`point_groups`](super::point_groups)).
            ///
            /// # Panics
            /// If there are fewer `points` than `n_points`.
            pub fn view<'a>(
                &'a self,
                points: &'a M::Buffer<PointGroup>,
                n_points: u32,
            ) -> BatchInputs<'a, M::Space> {
                BatchInputs {
                    atoms: M::view(&self.atoms, self.n_atoms),
                    descriptors: M::view(&self.descriptors, self.structures),
                    centers: M::view(&self.centers, self.structures),
                    residue_atoms: M::view(&self.residue_atoms, self.residues),
                    points: M::view(points, (n_points as usize).div_ceil(POINTS_PER_GROUP)),
                    n_points,
                    $($name: M::view(&self.$name, self.residues),)*
                }
            }
        }
    };
}

shared_types::residue_inputs!(batch_inputs);

impl<S: Space> BatchInputs<'_, S> {
    /// What the kernels of rows read, with the exposure of residues.
    pub(super) fn batch<'s>(&'s self, exposure: S::Ref<'s, ResidueExposure>) -> BatchArgs<'s, S> {
        let given = self.shorter();
        BatchArgs {
            atoms: given.atoms,
            ca_indices: given.ca_indices,
            descriptors: given.descriptors,
            residue_types: given.residue_types,
            conservation: given.conservation,
            bfactor: given.bfactor,
            gisaid_freq: given.gisaid_freq,
            gisaid_velocity: given.gisaid_velocity,
            chain_ids: given.chain_ids,
            exposure,
        }
    }

    /// What is sorted into cells.
    pub(super) fn unsorted(&self) -> UnsortedAtomsArgs<'_, S> {
        let BatchInputs { atoms, descriptors, chain_ids, residue_atoms, .. } = self.shorter();
        UnsortedAtomsArgs { atoms, descriptors, chain_ids, residue_atoms }
    }

    /// Heavy atoms, item by item.
    pub(super) fn atom_items<'s>(
        &'s self,
        items: S::Ref<'s, WorkItem>,
        atoms: SortedAtomsArgs<'s, S>,
    ) -> AtomItemsArgs<'s, S> {
        AtomItemsArgs { items, descriptors: S::shorter(self.descriptors), atoms }
    }
}

impl<S: Space> Clone for BatchInputs<'_, S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: Space> Copy for BatchInputs<'_, S> {}
