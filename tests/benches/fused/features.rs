//! Times all kernels of a batch.

use crate::Arguments;
use crate::report::{Measurement, Report, Work};
use anyhow::{Result, ensure};
use cuda_host::{CudaError, CudaExecutor};
use kernels_gpu::{
    atom_surfaces as surfaces, binding_sites as sites, mega_fused_batch_detection_prism4d as fused,
    residue_exposure as exposure,
};
use prism_host::engine::DeviceBatch;
use prism_host::{PackedBatch, StructureInput};
use shared_types::MegaFusedConfig;
use tests::bench::Watch;
use tests::synthetic::Annotation;

pub fn time(
    structures: &[StructureInput],
    annotation: Annotation,
    arguments: &Arguments,
    report: &mut Report,
) -> Result<()> {
    let batch = PackedBatch::from_inputs(structures)?;
    let executor = CudaExecutor::open(0, "kernels", tests::ptx())?;
    let stream = executor.stream();
    let mut buffers = DeviceBatch::new(stream, MegaFusedConfig::default())?;
    buffers.upload(stream, &batch)?;
    let watch = Watch::new(stream)?;
    let mut milliseconds_of = |launch: fn(&mut DeviceBatch, &CudaExecutor) -> Result<(), CudaError>| {
        watch.repeated(arguments.repetitions, || launch(&mut buffers, &executor))
    };
    let of_surfaces = milliseconds_of(DeviceBatch::launch_surfaces)?;
    let of_exposure = milliseconds_of(DeviceBatch::launch_exposure)?;
    let of_fused = milliseconds_of(DeviceBatch::launch_rows)?;
    let of_sites = milliseconds_of(DeviceBatch::launch_sites)?;
    let computed = buffers.results(stream, &batch)?;
    ensure!(
        computed.summaries().iter().all(|summary| summary.contacts > 0 && summary.area > 0.0),
        "a structure has no contact or no area: nothing was computed"
    );
    let mut add = |name, milliseconds, attributes, work| {
        report.add(Measurement {
            name,
            structures: batch.n_structures(),
            residues: batch.n_residues(),
            milliseconds,
            attributes,
            work,
            ratio: None,
            bits: None,
        });
    };
    let name = match annotation {
        Annotation::None => "fused",
        Annotation::Partly => "fused, partly annotated",
        Annotation::Whole => "fused, annotated",
    };
    add(name, of_fused, executor.kernel::<fused::Kernel>()?.attributes(), work(structures, annotation));
    if annotation == Annotation::None {
        let none = Work::default();
        add("surfaces", of_surfaces, executor.kernel::<surfaces::Kernel>()?.attributes(), work_of_surfaces(&batch));
        add("exposure", of_exposure, executor.kernel::<exposure::Kernel>()?.attributes(), none);
        add("sites", of_sites, executor.kernel::<sites::Kernel>()?.attributes(), none);
    }
    Ok(())
}

/// Bytes, each once: position and radius of an atom (16); first atom (4), type (1), chain (4) and results (24) of a
/// residue; descriptor (24) and offset (4) of a structure. Operations are not counted, because they depend on how
/// neighbours are found.
fn work_of_surfaces(batch: &PackedBatch) -> Work {
    let (atoms, residues, structures) =
        (batch.n_atoms() as f64, batch.n_residues() as f64, batch.n_structures() as f64);
    Work { bytes: atoms * 16.0 + residues * 33.0 + structures * 28.0, ..Work::default() }
}

/// The work that no implementation of the definitions can avoid, so that the roofline is an upper bound of the speed.
///
/// Bytes, each once: alpha carbon (16), index (4), type (1), B factor, conservation, frequency and velocity (16), chain (4)
/// and row (128) of a residue; descriptor and summary (24 each) and offset (4) of a structure. Scratch memory and other
/// atoms are not counted.
///
/// Operations: an addition, multiplication, division or conversion counts as one, a fused multiply-add as two; comparisons,
/// selections and integer operations do not count. (A GPU's peak assumes only fused multiply-adds, and cannot be reached.)
/// For every ordered pair of residues the distance (3 + 1 + 2 + 2 = 8) and the sum of its reciprocal (2). For every ordered
/// pair closer than 18 Å the exponential of [`cuda_std::math::exp_bounded`] (1 + 2 + 1 + 2 + 2 + 6 * 2 = 20) and a weighted
/// mean (2 + 1) of hydropathy, with annotation of three more values. For every ordered pair closer than 12 Å the half
/// spheres' count and scalar product (1 + 5). The contact graph and centrality, which grow with the contacts, are not
/// counted.
fn work(structures: &[StructureInput], annotation: Annotation) -> Work {
    let means = if annotation == Annotation::None { 1.0 } else { 4.0 };
    let mut work = Work::default();
    for structure in structures {
        let n = structure.n_residues() as f64;
        let [near, half_sphere] = pairs_within(structure, [18.0, 12.0]);
        work.pairs += n * n;
        work.operations += n * n * 10.0 + near * (20.0 + 3.0 * means) + half_sphere * 6.0;
        work.bytes += n * (16.0 + 4.0 + 1.0 + 16.0 + 4.0 + 128.0) + 24.0 + 24.0 + 4.0;
    }
    work
}

/// The number of ordered pairs of alpha carbons closer than each of some radii in Å, including pairs of an atom with
/// itself.
pub fn pairs_within<const N: usize>(structure: &StructureInput, radii: [f32; N]) -> [f64; N] {
    let ca: Vec<_> = structure.ca_indices.iter().map(|ca| structure.atoms[*ca as usize]).collect();
    let mut counts = [0u64; N];
    for a in &ca {
        for b in &ca {
            let (x, y, z) = (a.x - b.x, a.y - b.y, a.z - b.z);
            let d2 = x * x + y * y + z * z;
            for (count, radius) in counts.iter_mut().zip(radii) {
                *count += u64::from(d2 < radius * radius);
            }
        }
    }
    counts.map(|count| count as f64)
}
