//! Batches of structures: packed for a launch, in a data set, and computed.

use crate::bytes::Bytes;
use arrow_ipc::reader::read_footer_length;
use arrow_ipc::root_as_footer;
use prism_host::contacts::{EdgeKind, edges, interfaces};
use prism_host::dataset::Dataset;
use prism_host::pack::BatchBuffers;
use prism_host::sites::{SiteLimits, sites};
use prism_host::{Backend, Engine, PackedBatch, StructureInput};
use std::sync::OnceLock;

fn structures(bytes: &mut Bytes<'_>) -> Vec<StructureInput> {
    let mut structures = Vec::new();
    while structures.len() < 4 && (structures.is_empty() || !bytes.is_empty()) {
        structures.push(bytes.structure(&structures.len().to_string()));
    }
    structures
}

/// Packs structures, and takes buffers that other code has packed.
pub fn packer(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let structures = structures(&mut bytes);
    let valid = structures.iter().all(|structure| structure.validate().is_ok());
    let packed = PackedBatch::from_inputs(&structures);
    assert_eq!(packed.is_ok(), valid);
    let Ok(packed) = packed else { return };
    assert_eq!(packed.n_structures(), structures.len());
    assert_eq!(packed.n_atoms(), structures.iter().map(StructureInput::n_atoms).sum::<usize>());
    for most in 1..4 {
        let chunks = packed.chunks(most);
        assert_eq!(chunks.iter().map(|chunk| chunk.n_residues()).sum::<usize>(), packed.n_residues());
    }
    let mut buffers = BatchBuffers {
        descriptors: packed.descriptors().to_vec(),
        atoms: packed.atoms().to_vec(),
        residue_atoms: packed.residue_atoms().to_vec(),
        ca_indices: packed.ca_indices().to_vec(),
        residue_types: packed.residue_types().to_vec(),
        chain_ids: packed.chain_ids().to_vec(),
        ..BatchBuffers::default()
    };
    let names = || structures.iter().map(|structure| structure.name.clone()).collect();
    let again = PackedBatch::from_descriptors(names(), buffers.clone()).expect("what was packed is valid");
    assert_eq!(again.descriptors(), packed.descriptors());
    // Some buffers are damaged. If the batch is still accepted, its offsets are in range.
    let place = bytes.below(structures.len());
    let value = bytes.word() >> bytes.below(32);
    match bytes.below(8) {
        0 => buffers.descriptors[place].atom_offset = value,
        1 => buffers.descriptors[place].ca_offset = value,
        2 => buffers.descriptors[place].n_atoms = value,
        3 => buffers.descriptors[place].n_residues = value,
        4 => buffers.residue_atoms[place] = value,
        5 => buffers.ca_indices[place] = value,
        6 => buffers.atoms.truncate(value as usize),
        _ => buffers.chain_ids.truncate(value as usize),
    }
    if let Ok(taken) = PackedBatch::from_descriptors(names(), buffers) {
        for descriptor in taken.descriptors() {
            assert!(descriptor.atom_offset as usize + descriptor.n_atoms as usize <= taken.n_atoms());
            assert!(descriptor.ca_offset as usize + descriptor.n_residues as usize <= taken.n_residues());
        }
    }
}

/// Computes structures on CPU cores. A valid structure has a row for each residue, and its bits do not depend on the other
/// structures.
pub fn engine(data: &[u8]) {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    let engine = ENGINE.get_or_init(|| Engine::builder().backend(Backend::Cpu).build().expect("CPU cores can compute"));
    let mut structures = structures(&mut Bytes::new(data));
    structures.retain(|structure| structure.validate().is_ok());
    if structures.is_empty() {
        return;
    }
    let computed = engine.run(&structures).expect("valid structures can be computed");
    let last = engine.run(&structures[structures.len() - 1..]).expect("valid structures can be computed");
    let bits = |values: &[f32]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(computed[computed.len() - 1].values()), bits(last[0].values()), "alone and beside others");
    for (structure, features) in structures.iter().zip(&computed) {
        let rows = structure.n_residues() as u32;
        let found = edges(structure, 8.0, &[EdgeKind::AlphaCarbons, EdgeKind::Atoms]);
        assert!(found.iter().all(|edge| edge.row_i < edge.row_j && edge.row_j < rows), "{found:?} of {rows} rows");
        let found = interfaces(engine, structure, None).expect("chains of a valid structure can be computed");
        assert!(found.residues.is_sorted_by_key(|residue| residue.row) && found.residues.len() <= rows as usize);
        let found = sites(structure, &features.view(), &SiteLimits { most: 3, ..SiteLimits::ALL });
        assert!(found.iter().flat_map(|site| &site.residues).all(|row| *row < rows as usize), "{found:?}");
    }
}

/// Reads a packed data set. Its checksums are corrected, so the reader gets past them. Bytes that do not begin as a data set
/// say which words of a valid one to change.
pub fn dataset(data: &[u8]) {
    if !data.starts_with(b"ARROW1") {
        if let Some(data) = with_checksums(&edited(&mut Bytes::new(data))) {
            read(data);
        }
        return;
    }
    read(data.to_vec());
    if let Some(data) = with_checksums(data) {
        read(data);
    }
}

/// A valid data set with some changed words.
fn edited(bytes: &mut Bytes<'_>) -> Vec<u8> {
    const WHOLE: [&[u8]; 3] = [
        include_bytes!("../corpus/dataset/one.arrow"),
        include_bytes!("../corpus/dataset/two.arrow"),
        include_bytes!("../corpus/dataset/labels.arrow"),
    ];
    let mut data = WHOLE[bytes.below(WHOLE.len())].to_vec();
    while !bytes.is_empty() {
        let (place, value) = (bytes.word() as usize, bytes.word());
        let (how, place) = (place >> 16, (place & 0xffff) % (data.len() - 8));
        let at = if how.is_multiple_of(2) { place & !3 } else { place };
        match how / 2 % 4 {
            0 => data[at] = value as u8,
            1 => data[at..at + 4].copy_from_slice(&value.to_le_bytes()),
            2 => {
                let old = u32::from_le_bytes(data[at..at + 4].try_into().expect("four bytes"));
                data[at..at + 4].copy_from_slice(&old.wrapping_add(value as u8 as i8 as u32).to_le_bytes());
            }
            _ => data[at..at + 8].copy_from_slice(&i64::from(value as i32).to_le_bytes()),
        }
    }
    data
}

fn read(data: Vec<u8>) {
    let Ok(set) = Dataset::from_bytes(data.into()) else { return };
    for index in 0..set.len().min(100) {
        assert!(set.bytes(index) < u64::MAX / 2);
        if let Ok(read) = set.structure(index) {
            assert_eq!(read.structure.name, set.name(index));
            if let Err(error) = read.structure.validate() {
                panic!("what was read does not fit together: {error}");
            }
        }
    }
}

/// The data set with a correct checksum for each block, if it has room for all of them.
fn with_checksums(data: &[u8]) -> Option<Vec<u8>> {
    let (rest, end) = data.split_last_chunk::<10>()?;
    let footer = &rest[rest.len().checked_sub(read_footer_length(*end).ok()?)?..];
    let footer = root_as_footer(footer).ok()?;
    let stated = footer.custom_metadata()?.iter().find_map(|entry| entry.value())?;
    let place = stated.as_ptr() as usize - data.as_ptr() as usize;
    let mut sum = crc32fast::Hasher::new();
    let mut sums = String::new();
    for block in footer.recordBatches()? {
        let begin = usize::try_from(block.offset()).ok()?;
        let len =
            usize::try_from(block.bodyLength()).ok()?.checked_add(usize::try_from(block.metaDataLength()).ok()?)?;
        sum.update(data.get(begin..begin.checked_add(len)?)?);
        sums.push_str(&format!("{:08x}", sum.clone().finalize()));
    }
    let mut data = data.to_vec();
    if stated.len() == sums.len() {
        data[place..place + sums.len()].copy_from_slice(sums.as_bytes());
    }
    Some(data)
}
