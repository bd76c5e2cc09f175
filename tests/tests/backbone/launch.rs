//! The backbone's columns from the engine on CPU cores, and from direct launches of its kernels.

use cuda_std::launch::{CpuExecutor, Offsets, Segments};
use kernels_gpu::groups::{BackboneItemsArgs, BondedItemsArgs};
use kernels_gpu::scratch::{
    Carbon, Eight, HydrogenBonds, LadderStarts, NO_STRUCTURE, PeptideAtoms, WorkItem, rows_of_eight,
};
use kernels_gpu::{
    alpha_carbon_boxes, backbone_bonds, backbone_geometry, backbone_ladders, backbone_marks, backbone_states,
    split_bonds,
};
use prism_host::{PackedBatch, StructureInput};
use shared_types::feature::BackboneRow;

/// Rows of each structure. Hydrogen bonds of those with more than `largest` residues are found by boxes.
pub fn rows(
    executor: &CpuExecutor,
    structures: &[StructureInput],
    rows_per_item: u32,
    largest: u32,
) -> Vec<Vec<BackboneRow>> {
    let batch = PackedBatch::from_inputs(structures).expect("a batch");
    let n = batch.n_residues();
    let (mut items, mut borders) = (Vec::new(), vec![0]);
    let mut box_rows = vec![0];
    for (structure, descriptor) in (0..).zip(batch.descriptors()) {
        let boxes = *box_rows.last().expect("the first offset");
        box_rows.push(boxes + if descriptor.n_residues > largest { rows_of_eight(descriptor.n_residues) } else { 0 });
        for first in (0..descriptor.n_residues).step_by(rows_per_item as usize) {
            items.push(WorkItem { structure, atoms: 0, boxes, first });
            borders.push(descriptor.ca_offset + (first + rows_per_item).min(descriptor.n_residues));
        }
    }
    let is_large = |structure: u32| batch.descriptors()[structure as usize].n_residues > largest;
    let of_none = |item: WorkItem| WorkItem { structure: NO_STRUCTURE, ..item };
    let large_items: Vec<_> =
        items.iter().map(|&item| if is_large(item.structure) { item } else { of_none(item) }).collect();
    let box_rows = Offsets::new(box_rows).expect("offsets");
    let by_item = Offsets::new(borders).expect("offsets");
    // Results must not depend on the memory's previous content.
    let dirty = 0x7fu8;
    fn filled<T: bytemuck::Pod>(n: usize, byte: u8) -> Vec<T> {
        vec![bytemuck::pod_read_unaligned(&vec![byte; size_of::<T>()]); n]
    }
    let mut output: Vec<BackboneRow> = filled(n, dirty);
    let mut carbons: Vec<Carbon> = filled(n, dirty);
    let mut peptides: Vec<PeptideAtoms> = filled(n, dirty);
    let mut boxes: Vec<Eight> = filled(box_rows.end() as usize, dirty);
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
        largest,
    };
    backbone_bonds::launch(executor, blocks, args).expect("bonds");
    let args = alpha_carbon_boxes::Args {
        boxes: Segments { data: &mut boxes[..], offsets: &box_rows },
        atoms: batch.atoms(),
        ca_indices: batch.ca_indices(),
        descriptors: batch.descriptors(),
        largest,
    };
    alpha_carbon_boxes::launch(executor, batch.n_structures() as u32, args).expect("boxes");
    let args = split_bonds::Args {
        bonds: Segments { data: &mut bonds[..], offsets: &by_item },
        items: &large_items[..],
        descriptors: batch.descriptors(),
        carbons: &carbons[..],
        peptides: &peptides[..],
        boxes: &boxes[..],
    };
    split_bonds::launch(executor, blocks, args).expect("bonds of large structures");
    let by_structure = batch.residue_offsets();
    let bonded = BondedItemsArgs {
        items: &items[..],
        descriptors: batch.descriptors(),
        carbons: &carbons[..],
        bonds: &bonds[..],
    };
    let args = backbone_marks::Args {
        starts: Segments { data: &mut starts[..], offsets: &by_item },
        strands: Segments { data: &mut strands[..], offsets: &by_item },
        marks: Segments { data: &mut marks[..], offsets: &by_item },
        rows: &output[..],
        bonded: bonded.shorter(),
    };
    backbone_marks::launch(executor, blocks, args).expect("marks");
    let args = backbone_ladders::Args {
        strands: &mut strands[..],
        items: &items[..],
        descriptors: batch.descriptors(),
        starts: &starts[..],
        marks: &marks[..],
    };
    backbone_ladders::launch(executor, blocks, args).expect("ladders");
    let args = backbone_states::Args {
        output: Segments { data: &mut output[..], offsets: &by_item },
        strands: &strands[..],
        marks: &marks[..],
        bonded,
    };
    backbone_states::launch(executor, blocks, args).expect("states");
    by_structure.as_slice().windows(2).map(|ends| output[ends[0] as usize..ends[1] as usize].to_vec()).collect()
}
