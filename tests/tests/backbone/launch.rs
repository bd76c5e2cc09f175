//! The backbone's columns from the engine on CPU cores, and from direct launches of its kernels.

use cuda_std::launch::{CpuExecutor, Offsets, Segments};
use kernels_gpu::groups::BackboneItemsArgs;
use kernels_gpu::scratch::{Carbon, HydrogenBonds, LadderStarts, PeptideAtoms, WorkItem};
use kernels_gpu::{backbone_bonds, backbone_geometry, backbone_states};
use prism_host::{PackedBatch, StructureInput};
use shared_types::feature::BackboneRow;

/// Rows of each structure.
pub fn rows(executor: &CpuExecutor, structures: &[StructureInput], rows_per_item: u32) -> Vec<Vec<BackboneRow>> {
    let batch = PackedBatch::from_inputs(structures).expect("a batch");
    let n = batch.n_residues();
    let (mut items, mut borders) = (Vec::new(), vec![0]);
    for (structure, descriptor) in (0..).zip(batch.descriptors()) {
        for first in (0..descriptor.n_residues).step_by(rows_per_item as usize) {
            items.push(WorkItem { structure, atoms: 0, first });
            borders.push(descriptor.ca_offset + (first + rows_per_item).min(descriptor.n_residues));
        }
    }
    let by_item = Offsets::new(borders).expect("offsets");
    // Results must not depend on the memory's previous content.
    let dirty = 0x7fu8;
    fn filled<T: bytemuck::Pod>(n: usize, byte: u8) -> Vec<T> {
        vec![bytemuck::pod_read_unaligned(&vec![byte; size_of::<T>()]); n]
    }
    let mut output: Vec<BackboneRow> = filled(n, dirty);
    let mut carbons: Vec<Carbon> = filled(n, dirty);
    let mut peptides: Vec<PeptideAtoms> = filled(n, dirty);
    let mut bonds: Vec<HydrogenBonds> = filled(n, dirty);
    let mut starts: Vec<LadderStarts> = filled(n, dirty);
    let mut strands: Vec<u32> = filled(n, dirty);
    let mut marks: Vec<u32> = filled(n, dirty);
    let blocks = items.len() as u32;
    let args = backbone_geometry::Args {
        output: Segments { data: &mut output[..], offsets: &by_item },
        carbons: Segments { data: &mut carbons[..], offsets: &by_item },
        peptides: Segments { data: &mut peptides[..], offsets: &by_item },
        residues: BackboneItemsArgs {
            items: &items[..],
            atoms: batch.atoms(),
            ca_indices: batch.ca_indices(),
            descriptors: batch.descriptors(),
            residue_types: batch.residue_types(),
            chain_ids: batch.chain_ids(),
            residue_atoms: batch.residue_atoms(),
            roles: batch.roles(),
            closures: batch.closures(),
        },
    };
    backbone_geometry::launch(executor, blocks, args).expect("angles");
    let args = backbone_bonds::Args {
        bonds: Segments { data: &mut bonds[..], offsets: &by_item },
        items: &items[..],
        descriptors: batch.descriptors(),
        carbons: &carbons[..],
        peptides: &peptides[..],
    };
    backbone_bonds::launch(executor, blocks, args).expect("bonds");
    let by_structure = batch.residue_offsets();
    let args = backbone_states::Args {
        output: Segments { data: &mut output[..], offsets: by_structure },
        starts: Segments { data: &mut starts[..], offsets: by_structure },
        strands: Segments { data: &mut strands[..], offsets: by_structure },
        marks: Segments { data: &mut marks[..], offsets: by_structure },
        descriptors: batch.descriptors(),
        carbons: &carbons[..],
        bonds: &bonds[..],
    };
    backbone_states::launch(executor, batch.n_structures() as u32, args).expect("states");
    by_structure.as_slice().windows(2).map(|ends| output[ends[0] as usize..ends[1] as usize].to_vec()).collect()
}
