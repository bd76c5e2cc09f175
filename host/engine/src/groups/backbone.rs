//! Dihedral angles, hydrogen bonds, secondary structure.

use super::{GroupWorkspace, LargeStructures, Shared, take_columns};
use crate::batch_inputs::BatchInputs;
use crate::batch_sizes::BatchSizes;
use crate::items::DeviceItems;
use crate::memory::Memory;
use cuda_std::launch::Executor;
use kernels_gpu::groups::{BackboneItemsArgs, BondedItemsArgs};
use kernels_gpu::scratch::{Carbon, HydrogenBonds, LadderStarts, PeptideAtoms};
use kernels_gpu::{
    backbone_bonds as bonds, backbone_geometry as geometry, backbone_ladders as ladders, backbone_marks as marks,
    backbone_states as states, split_bonds,
};
use shared_types::feature::BackboneRow;
use shared_types::{Group, Steps};

/// Its rows, and what its kernels tell each other: an element a residue each.
pub(crate) struct BackboneWorkspace<M: Memory> {
    rows: M::Buffer<BackboneRow>,
    carbons: M::Buffer<Carbon>,
    peptides: M::Buffer<PeptideAtoms>,
    bonds: M::Buffer<HydrogenBonds>,
    starts: M::Buffer<LadderStarts>,
    strands: M::Buffer<u32>,
    marks: M::Buffer<u32>,
}

impl<M: Memory> GroupWorkspace<M> for BackboneWorkspace<M> {
    const GROUP: Group = Group::Backbone;
    const STEPS: Steps = Steps::BACKBONE.and(Steps::SECONDARY_STRUCTURE);

    fn new(memory: &M) -> Result<Self, M::Error> {
        Ok(Self {
            rows: memory.empty()?,
            carbons: memory.empty()?,
            peptides: memory.empty()?,
            bonds: memory.empty()?,
            starts: memory.empty()?,
            strands: memory.empty()?,
            marks: memory.empty()?,
        })
    }

    fn prepare(&mut self, memory: &M, sizes: &BatchSizes) -> Result<(), M::Error> {
        let n = sizes.residues;
        memory.reserve(&mut self.rows, n)?;
        memory.reserve(&mut self.carbons, n)?;
        memory.reserve(&mut self.peptides, n)?;
        if sizes.steps.has(Steps::SECONDARY_STRUCTURE) {
            memory.reserve(&mut self.bonds, n)?;
            memory.reserve(&mut self.starts, n)?;
            memory.reserve(&mut self.strands, n)?;
            memory.reserve(&mut self.marks, n)?;
        }
        Ok(())
    }

    fn launch<E: Executor<Space = M::Space>>(
        &mut self,
        executor: &E,
        inputs: BatchInputs<'_, M::Space>,
        shared: Shared<'_, M>,
    ) -> Result<(), E::Error> {
        let (sizes, items) = (shared.sizes, shared.residue_items);
        let n = sizes.residues;
        let given = inputs.shorter();
        let args = geometry::Args {
            output: M::segments(&mut self.rows, &items.offsets),
            carbons: M::segments(&mut self.carbons, &items.offsets),
            peptides: M::segments(&mut self.peptides, &items.offsets),
            residues: BackboneItemsArgs {
                items: items.view(),
                atoms: given.atoms,
                ca_indices: given.ca_indices,
                descriptors: given.descriptors,
                residue_types: given.residue_types,
                chain_ids: given.chain_ids,
                residue_atoms: given.residue_atoms,
                roles: given.roles,
                closures: given.closures,
            },
        };
        sizes.launch::<geometry::Kernel, _>(executor, args)?;
        if sizes.steps.has(Steps::SECONDARY_STRUCTURE) {
            let given = inputs.shorter();
            if sizes.few_residues {
                let args = bonds::Args {
                    bonds: M::segments(&mut self.bonds, &items.offsets),
                    items: items.view(),
                    descriptors: given.descriptors,
                    carbons: M::view(&self.carbons, n),
                    peptides: M::view(&self.peptides, n),
                    largest: sizes.largest_residues,
                };
                sizes.launch::<bonds::Kernel, _>(executor, args)?;
            }
            if sizes.many_residues {
                let LargeStructures { items, boxes } = shared.large;
                let args = split_bonds::Args {
                    bonds: M::segments(&mut self.bonds, &items.offsets),
                    items: items.view(),
                    descriptors: inputs.shorter().descriptors,
                    carbons: M::view(&self.carbons, n),
                    peptides: M::view(&self.peptides, n),
                    boxes: M::view(boxes, sizes.boxes),
                };
                sizes.launch::<split_bonds::Kernel, _>(executor, args)?;
            }
            self.launch_states(executor, inputs, sizes, items)?;
        }
        take_columns!(backbone_columns, executor, inputs, &self.rows, shared)
    }
}

impl<M: Memory> BackboneWorkspace<M> {
    /// Secondary structure, from hydrogen bonds.
    fn launch_states<E: Executor<Space = M::Space>>(
        &mut self,
        executor: &E,
        inputs: BatchInputs<'_, M::Space>,
        sizes: &BatchSizes,
        items: &DeviceItems<M>,
    ) -> Result<(), E::Error> {
        let n = sizes.residues;
        let bonded = BondedItemsArgs {
            items: items.view(),
            descriptors: inputs.shorter().descriptors,
            carbons: M::view(&self.carbons, n),
            bonds: M::view(&self.bonds, n),
        };
        let args = marks::Args {
            starts: M::segments(&mut self.starts, &items.offsets),
            strands: M::segments(&mut self.strands, &items.offsets),
            marks: M::segments(&mut self.marks, &items.offsets),
            rows: M::view(&self.rows, n),
            bonded: bonded.shorter(),
        };
        sizes.launch::<marks::Kernel, _>(executor, args)?;
        let args = ladders::Args {
            strands: M::view_mut(&mut self.strands),
            items: items.view(),
            descriptors: inputs.shorter().descriptors,
            starts: M::view(&self.starts, n),
            marks: M::view(&self.marks, n),
        };
        sizes.launch::<ladders::Kernel, _>(executor, args)?;
        let args = states::Args {
            output: M::segments(&mut self.rows, &items.offsets),
            strands: M::view(&self.strands, n),
            marks: M::view(&self.marks, n),
            bonded,
        };
        sizes.launch::<states::Kernel, _>(executor, args)
    }
}
