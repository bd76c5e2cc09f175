//! Batches of structures: layout, packing, and launch.

use crate::gpu;
use cuda_layout::DeviceLayout;
use cuda_std::launch::{CpuExecutor, Kernel};
use kernels_gpu::mega_fused_batch_detection_prism4d as fused;
use prism_host::engine::{DeviceBatch, Largest, compute_on_cpu};
use prism_host::pack::{BatchBuffers, PackedBatch};
use shared_types::{BatchStructureDesc, MegaFusedConfig};
use std::mem::offset_of;
use std::process::{Command, Stdio};
use tests::synthetic::Recipe;

/// The layout that is often used instead. The size of a struct is a multiple of its alignment, so this one has 32 bytes.
#[repr(C, align(16))]
#[allow(dead_code)]
struct AlignedTo16 {
    atom_offset: u32,
    ca_offset: u32,
    n_atoms: u32,
    n_residues: u32,
    lineage_hash: u32,
    country_id: u8,
    _padding: [u8; 3],
}

#[test]
fn layout_batch_structure_desc() {
    assert_eq!((size_of::<AlignedTo16>(), align_of::<AlignedTo16>()), (32, 16));
    assert_eq!((size_of::<BatchStructureDesc>(), align_of::<BatchStructureDesc>()), (24, 8));
    let fields = [
        ("uint32_t", "atom_offset", offset_of!(BatchStructureDesc, atom_offset)),
        ("uint32_t", "ca_offset", offset_of!(BatchStructureDesc, ca_offset)),
        ("uint32_t", "n_atoms", offset_of!(BatchStructureDesc, n_atoms)),
        ("uint32_t", "n_residues", offset_of!(BatchStructureDesc, n_residues)),
        ("uint32_t", "lineage_hash", offset_of!(BatchStructureDesc, lineage_hash)),
        ("uint8_t", "country_id", offset_of!(BatchStructureDesc, country_id)),
    ];
    assert_eq!(fields.map(|(_, _, offset)| offset), [0, 4, 8, 12, 16, 20]);

    // On the device: the PTX contains the layout as the device's compiler saw it.
    let numbers = |text: &str| text.bytes().map(|byte| byte.to_string()).collect::<Vec<_>>().join(", ");
    assert!(kernels_gpu::PTX.contains(&numbers(BatchStructureDesc::DESCRIPTION)), "the PTX has another layout");

    // In C.
    let mut source = "#include <stddef.h>\n#include <stdint.h>\nstruct desc {\n".to_owned();
    for (index, (c_type, name, _)) in fields.iter().enumerate() {
        let align = if index == 0 { "_Alignas(8) " } else { "" };
        source += &format!("{align}{c_type} {name};\n");
    }
    source += "};\n_Static_assert(sizeof(struct desc) == 24 && _Alignof(struct desc) == 8, \"size\");\n";
    for (_, name, offset) in fields {
        source += &format!("_Static_assert(offsetof(struct desc, {name}) == {offset}, \"{name}\");\n");
    }
    match c_compiles(&source) {
        None => println!("skipped: no C compiler (cc)"),
        Some(compiles) => assert!(compiles, "{source}"),
    }
    assert_ne!(c_compiles(&source.replace("== 24", "== 32")), Some(true), "the comparison can fail");
}

fn c_compiles(source: &str) -> Option<bool> {
    use std::io::Write as _;
    let mut compiler = Command::new("cc");
    compiler.args(["-std=c11", "-fsyntax-only", "-x", "c", "-"]).stdin(Stdio::piped()).stderr(Stdio::null());
    let mut child = compiler.spawn().ok()?;
    child.stdin.take()?.write_all(source.as_bytes()).ok()?;
    Some(child.wait().ok()?.success())
}

#[test]
fn packed_batch() {
    let none = PackedBatch::from_inputs(&[]).unwrap();
    assert_eq!((none.n_structures(), none.n_residues(), none.n_atoms()), (0, 0, 0));
    let one = [Recipe::new(7, 1).build()];
    let packed = PackedBatch::from_inputs(&one).unwrap();
    assert_eq!((packed.n_structures(), packed.atoms()), (1, &one[0].atoms[..]));
    assert_eq!(packed.residue_offsets().as_slice(), [0, 7]);
    // ANCHOR: packed_batch
    let inputs = [Recipe::new(3, 1).build(), Recipe::new(200, 2).build(), Recipe::new(1, 3).build()];
    let batch = PackedBatch::from_inputs(&inputs).unwrap();
    for (input, descriptor) in inputs.iter().zip(batch.descriptors()) {
        let first = descriptor.atom_offset as usize;
        assert_eq!(batch.atoms()[first..first + descriptor.n_atoms as usize], input.atoms[..]);
    }
    assert_eq!(batch.residue_offsets().as_slice(), [0, 3, 203, 204]);
    // ANCHOR_END: packed_batch

    // More atoms than 31 bits can count. The check needs no memory.
    let buffers = BatchBuffers {
        descriptors: vec![BatchStructureDesc { n_atoms: 1 << 31, n_residues: 1, ..BatchStructureDesc::default() }],
        ..BatchBuffers::default()
    };
    let error = PackedBatch::from_descriptors(vec!["too large".into()], buffers).unwrap_err();
    println!("{error}");
    assert!(error.to_string().contains("too large") || error.structure_index() == Some(0), "{error}");
}

#[test]
fn mega_fused_launch() {
    assert_eq!(<fused::Kernel as Kernel>::THREADS, 256, "and one block a structure");
    let inputs: Vec<_> = [1, 30, 255, 256, 257].iter().map(|n| Recipe::new(*n, *n as u64).build()).collect();
    let batch = PackedBatch::from_inputs(&inputs).unwrap();
    let config = MegaFusedConfig { contact_threshold: 8.0, min_feature_value: 0.0, ..MegaFusedConfig::default() };
    let expected = compute_on_cpu(&CpuExecutor::new(), &batch, config, Largest::default()).unwrap();
    assert_eq!((expected.n_residues(), expected.summaries().len()), (799, 5));
    let contacts: Vec<f32> = expected.rows().iter().map(|row| row.columns[0]).collect();
    assert!(contacts[0] == 0.0 && contacts[31..].iter().any(|contacts| *contacts > 3.0), "one residue has no contact");

    let Some(gpu) = gpu() else { return };
    // ANCHOR: mega_fused_launch
    let executor = cuda_host::CudaExecutor::open(0, "product", prism_host::engine::kernel_image()).unwrap();
    let stream = executor.stream();
    let mut on_device = DeviceBatch::new(stream, config).unwrap();
    on_device.upload(stream, &batch).unwrap();
    // As `launch_mega_fused_batch`, with the batch's inputs and outputs.
    on_device.launch(&executor).unwrap();
    let found = on_device.results(stream, &batch).unwrap();
    // ANCHOR_END: mega_fused_launch
    let words = |values: &[f32]| bytemuck::cast_slice::<_, u32>(values).to_vec();
    assert!(words(found.values()) == words(expected.values()), "the bits of the CPU");
    assert_eq!(found.site_ids(), expected.site_ids());
    gpu.synchronize().unwrap();
}
