//! The content of packed batches, and what is refused before a launch.

use crate::synthetic::structure;
use prism_host::pack::{BatchBuffers, PackError, PackedBatch};
use prism_host::structure::StructureInput;
use shared_types::{BatchStructureDesc, NO_CA};

#[test]
fn structures_lie_one_after_the_other() {
    let mut inputs = [structure("a", 3, 1), structure("b", 30, 2)];
    inputs[1].lineage_hash = 7;
    inputs[1].country_id = 49;
    let batch = PackedBatch::from_inputs(&inputs).unwrap();
    assert_eq!((batch.n_structures(), batch.n_residues()), (2, 33));
    assert_eq!(batch.n_atoms(), inputs[0].n_atoms() + inputs[1].n_atoms());
    let second = batch.descriptors()[1];
    let expected = BatchStructureDesc {
        atom_offset: inputs[0].n_atoms() as u32,
        ca_offset: 3,
        n_atoms: inputs[1].n_atoms() as u32,
        n_residues: 30,
        lineage_hash: 7,
        country_id: 49,
        _padding: [0; 3],
    };
    assert_eq!(second, expected);
    assert_eq!(batch.atoms()[expected.atom_offset as usize..], inputs[1].atoms[..]);
    assert_eq!(batch.ca_indices()[3..], inputs[1].ca_indices, "counted from the structure's first atom");
    assert_eq!(batch.residue_types()[3..], inputs[1].residue_types);
    assert_eq!(batch.chain_ids()[3..], inputs[1].chain_ids);
    assert_eq!(batch.residue_atoms()[3..], inputs[1].residue_atoms[..30], "counted from the structure's first atom");
    assert_eq!(batch.bfactor()[3..], inputs[1].bfactor);
    assert_eq!(batch.gisaid_freq()[..3], inputs[0].gisaid_freq);
    assert_eq!(batch.residue_offsets().as_slice(), [0, 3, 33]);
    assert_eq!(batch.atom_offsets().as_slice(), [0, expected.atom_offset, batch.n_atoms() as u32]);
    assert_eq!(batch.structure_offsets().as_slice(), [0, 1, 2]);
    assert_eq!(batch.names(), ["a", "b"]);
}

#[test]
fn contact_lists_have_whole_words_for_every_row() {
    let batch = PackedBatch::from_inputs(&[structure("a", 3, 1), structure("b", 30, 2)]).unwrap();
    let words = kernels_gpu::scratch::contact_words(8.0);
    assert_eq!(batch.contact_offsets(8.0).as_slice(), [0, 3 * words, 33 * words]);
}

#[test]
fn nothing_is_a_batch() {
    let batch = PackedBatch::from_inputs(&[]).unwrap();
    assert_eq!((batch.n_structures(), batch.n_residues(), batch.n_atoms()), (0, 0, 0));
    assert_eq!(batch.residue_offsets().as_slice(), [0]);
    assert_eq!(batch.contact_offsets(8.0).as_slice(), [0]);
    assert_eq!(batch.atom_offsets().as_slice(), [0]);
}

#[test]
fn parts_have_about_as_many_atoms_and_whole_structures() {
    let sizes = [3, 30, 7, 1, 200, 12, 12, 12, 5, 90];
    let inputs: Vec<_> = sizes.iter().enumerate().map(|(i, &n)| structure(&format!("s{i}"), n, i as u64)).collect();
    let batch = PackedBatch::from_inputs(&inputs).unwrap();
    let largest = inputs.iter().map(StructureInput::n_atoms).max().unwrap();
    for most in 0..=sizes.len() {
        let chunks = batch.chunks(most);
        assert!((1..=most.max(1)).contains(&chunks.len()), "{} chunks of at most {most}", chunks.len());
        let mut next = 0;
        for chunk in &chunks {
            assert_eq!(chunk.structures().start, next);
            assert!(chunk.n_structures() > 0 && chunk.n_atoms() <= batch.n_atoms() / most.max(1) + largest);
            next = chunk.structures().end;
        }
        assert_eq!(next, sizes.len());
    }
    assert!(batch.chunks(usize::MAX).len() <= sizes.len());
}

/// A chunk equals the batch of its structures.
#[test]
fn a_part_is_a_batch_of_its_structures() {
    let sizes = [3, 30, 7, 1, 20, 12];
    let mut inputs: Vec<_> = sizes.iter().enumerate().map(|(i, &n)| structure(&format!("s{i}"), n, i as u64)).collect();
    inputs[4].lineage_hash = 7;
    let batch = PackedBatch::from_inputs(&inputs).unwrap();
    for chunk in batch.chunks(3) {
        let alone = PackedBatch::from_inputs(&inputs[chunk.structures()]).unwrap();
        assert_eq!(chunk.names(), alone.names());
        assert_eq!(chunk.descriptors(), alone.descriptors());
        assert_eq!(chunk.atoms(), alone.atoms());
        assert_eq!(chunk.ca_indices(), alone.ca_indices());
        assert_eq!(chunk.residue_types(), alone.residue_types());
        assert_eq!(chunk.chain_ids(), alone.chain_ids());
        assert_eq!(chunk.residue_atoms(), alone.residue_atoms());
        let bits = |values: &[f32]| bytemuck::cast_slice::<_, u32>(values).to_vec();
        assert_eq!(bits(chunk.bfactor()), bits(alone.bfactor()));
        assert_eq!(bits(chunk.conservation()), bits(alone.conservation()));
        assert_eq!(bits(chunk.gisaid_freq()), bits(alone.gisaid_freq()));
        assert_eq!(bits(chunk.gisaid_velocity()), bits(alone.gisaid_velocity()));
        assert_eq!((chunk.n_residues(), chunk.n_atoms()), (alone.n_residues(), alone.n_atoms()));
        assert_eq!(chunk.residue_offsets().as_slice(), alone.residue_offsets().as_slice());
        assert_eq!(chunk.atom_offsets().as_slice(), alone.atom_offsets().as_slice());
        assert_eq!(chunk.structure_offsets().as_slice(), alone.structure_offsets().as_slice());
        assert_eq!(chunk.contact_offsets(8.0).as_slice(), alone.contact_offsets(8.0).as_slice());
    }
}

/// Atoms of a batch that was packed elsewhere may have any order.
#[test]
fn a_batch_whose_atoms_lie_in_another_order_is_one_part() {
    let packed = PackedBatch::from_inputs(&[structure("a", 3, 1), structure("b", 30, 2)]).unwrap();
    assert_eq!(packed.chunks(2).len(), 2);
    let mut buffers = buffers_of(&packed);
    let first = buffers.descriptors[0].n_atoms;
    buffers.atoms.rotate_left(first as usize);
    let second = buffers.descriptors[1].n_atoms;
    (buffers.descriptors[0].atom_offset, buffers.descriptors[1].atom_offset) = (second, 0);
    let turned = PackedBatch::from_descriptors(packed.names().to_vec(), buffers).unwrap();
    assert_eq!(turned.chunks(2).len(), 1);
}

#[test]
fn a_structure_that_is_not_valid_is_named() {
    let mut inputs = [structure("good", 3, 1), structure("bad", 3, 2)];
    inputs[1].bfactor.pop();
    let error = PackedBatch::from_inputs(&inputs).unwrap_err();
    assert_eq!(error.structure_index(), Some(1));
    assert!(error.to_string().contains("\"bad\": `bfactor` has 2 entries but needs 3"), "{error}");
}

/// Two structures of 2 residues and 3 atoms, packed by hand.
fn by_hand() -> (Vec<String>, BatchBuffers) {
    let desc = |atom_offset, ca_offset| BatchStructureDesc {
        atom_offset,
        ca_offset,
        n_atoms: 3,
        n_residues: 2,
        ..BatchStructureDesc::default()
    };
    let atom = structure("", 1, 1).atoms[0];
    let buffers = BatchBuffers {
        descriptors: vec![desc(0, 0), desc(3, 2)],
        atoms: vec![atom; 6],
        ca_indices: vec![0, 2, NO_CA, 1],
        residue_types: vec![0, 19, 0, 0],
        conservation: vec![f32::NAN; 4],
        bfactor: vec![1.0; 4],
        gisaid_freq: vec![f32::NAN; 4],
        gisaid_velocity: vec![f32::NAN; 4],
        chain_ids: vec![0, 1, 0, 0],
        residue_atoms: vec![0, 1, 0, 3],
        ..BatchBuffers::default()
    };
    (vec!["first".to_owned(), "second".to_owned()], buffers)
}

fn refused(change: impl FnOnce(&mut BatchBuffers)) -> PackError {
    let (names, mut buffers) = by_hand();
    change(&mut buffers);
    PackedBatch::from_descriptors(names, buffers).unwrap_err()
}

#[test]
fn buffers_packed_elsewhere_are_taken() {
    let (names, mut buffers) = by_hand();
    buffers.descriptors[0]._padding = [1, 2, 3];
    let batch = PackedBatch::from_descriptors(names, buffers).unwrap();
    assert_eq!(batch.residue_offsets().as_slice(), [0, 2, 4]);
    assert_eq!(batch.descriptors()[0]._padding, [0; 3]);
    // Atoms may have any order.
    let (names, mut buffers) = by_hand();
    (buffers.descriptors[0].atom_offset, buffers.descriptors[1].atom_offset) = (3, 0);
    let batch = PackedBatch::from_descriptors(names, buffers).unwrap();
    assert_eq!(batch.atom_offsets().as_slice(), [0, 3, 6]);
}

#[test]
fn overlapping_descriptors_are_refused_with_both_names() {
    let atoms = refused(|b| b.descriptors[1].atom_offset = 2);
    assert!(matches!(&atoms, PackError::Overlap { what: "atom", shared: 2, .. }), "{atoms:?}");
    assert_eq!(atoms.to_string(), "structures \"first\" and \"second\" overlap: both have atom 2");
    let rows = refused(|b| b.descriptors[1].ca_offset = 1);
    assert_eq!(rows.to_string(), "structures \"first\" and \"second\" overlap: both have residue 1");
    let same = refused(|b| b.descriptors[1] = b.descriptors[0]);
    assert!(matches!(same, PackError::Overlap { shared: 0, .. }), "{same:?}");
}

#[test]
fn descriptors_beyond_their_buffers_are_refused() {
    let atoms = refused(|b| b.descriptors[1].n_atoms = 4);
    assert_eq!(atoms.to_string(), "structure \"second\": its atoms end at 7, but there are 6");
    let rows = refused(|b| b.descriptors[1].n_residues = 3);
    assert_eq!(rows.to_string(), "structure \"second\": its residues end at 5, but there are 4");
    let wrapping = refused(|b| (b.descriptors[1].ca_offset, b.descriptors[1].n_residues) = (u32::MAX, u32::MAX));
    assert!(matches!(wrapping, PackError::OutOfRange { end: 0x1_ffff_fffe, .. }), "{wrapping:?}");
}

#[test]
fn rows_without_a_descriptor_are_refused() {
    let gap = refused(|b| (b.descriptors[1].ca_offset, b.descriptors[1].n_residues) = (3, 1));
    assert!(matches!(&gap, PackError::Gap { begin: 3, expected: 2, .. }), "{gap:?}");
    let rest = refused(|b| b.descriptors[1].n_residues = 1);
    assert!(matches!(&rest, PackError::Gap { begin: 4, expected: 3, .. }), "{rest:?}");
    let swapped = refused(|b| (b.descriptors[0].ca_offset, b.descriptors[1].ca_offset) = (2, 0));
    assert!(matches!(&swapped, PackError::Gap { begin: 2, expected: 0, .. }), "{swapped:?}");
    let empty = refused(|b| b.descriptors[0].n_residues = 0);
    assert!(matches!(&empty, PackError::Empty { structure } if structure == "first"), "{empty:?}");
}

#[test]
fn values_that_the_kernel_cannot_take_are_refused() {
    let message = |change: fn(&mut BatchBuffers)| refused(change).to_string();
    assert!(message(|b| b.ca_indices[3] = 3).contains("\"second\": `ca_indices` at index 3 is 3"));
    assert!(message(|b| b.residue_types[0] = 255).contains("\"first\": `residue_types` at index 0 is 255"));
    assert!(message(|b| b.atoms[4].y = f32::NAN).contains("\"second\": `atoms` at index 4"));
    assert!(message(|b| b.chain_ids[1] = 1 << 28).contains("\"first\": `chain_ids` at index 1"));
    assert!(message(|b| b.residue_atoms[2] = 1).contains("\"second\": `residue_atoms` at index 2 is 1"));
    assert!(message(|b| b.residue_atoms[1] = 4).contains("\"first\": `residue_atoms` at index 1 is 4, but the"));
    assert!(message(|b| b.residue_atoms.truncate(3)).contains("`residue_atoms` has 3 entries but needs 4"));
    assert!(message(|b| b.bfactor.truncate(3)).contains("`bfactor` has 3 entries but needs 4"));
    assert!(message(|b| b.descriptors.truncate(1)).contains("`names` has 2 entries but needs 1"));
}

/// The atoms of residues are in the residues' order.
#[test]
fn first_atoms_never_fall() {
    let refused = |first_atoms: [u32; 3]| {
        let input = structure("x", 3, 1);
        let packed = PackedBatch::from_inputs([&input]).unwrap();
        let mut buffers = buffers_of(&packed);
        buffers.residue_atoms = first_atoms.to_vec();
        PackedBatch::from_descriptors(vec!["x".to_owned()], buffers).unwrap_err().to_string()
    };
    assert!(refused([0, 2, 1]).contains("\"x\": `residue_atoms` at index 2 is 1 after 2"));
    assert!(refused([1, 2, 2]).contains("\"x\": `residue_atoms` at index 0 is 1; a structure's first residue"));
}

fn buffers_of(packed: &PackedBatch) -> BatchBuffers {
    BatchBuffers {
        descriptors: packed.descriptors().to_vec(),
        atoms: packed.atoms().to_vec(),
        ca_indices: packed.ca_indices().to_vec(),
        residue_types: packed.residue_types().to_vec(),
        conservation: packed.conservation().to_vec(),
        bfactor: packed.bfactor().to_vec(),
        gisaid_freq: packed.gisaid_freq().to_vec(),
        gisaid_velocity: packed.gisaid_velocity().to_vec(),
        chain_ids: packed.chain_ids().to_vec(),
        residue_atoms: packed.residue_atoms().to_vec(),
        centers: packed.centers().to_vec(),
        b_column: packed.b_column().to_vec(),
        roles: packed.roles().to_vec(),
        closures: packed.closures().to_vec(),
        nucleotide_atoms: packed.nucleotide_atoms().to_vec(),
    }
}

#[test]
fn packing_by_hand_is_packing() {
    let inputs: Vec<StructureInput> = (1..9).map(|n| structure(&n.to_string(), n * 7, n as u64)).collect();
    let packed = PackedBatch::from_inputs(&inputs).unwrap();
    let again = PackedBatch::from_descriptors(packed.names().to_vec(), buffers_of(&packed)).unwrap();
    assert_eq!(again.descriptors(), packed.descriptors());
    assert_eq!(again.residue_offsets(), packed.residue_offsets());
    assert_eq!(again.atom_offsets(), packed.atom_offsets());
}
