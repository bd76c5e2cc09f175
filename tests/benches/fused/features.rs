//! The kernels of a batch, whole.

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

/// Launches before the first that counts.
const WARM_UP: usize = 3;

pub fn time(
    structures: &[StructureInput],
    annotation: Annotation,
    arguments: &Arguments,
    report: &mut Report,
) -> Result<()> {
    let batch = PackedBatch::from_inputs(structures)?;
    let executor = CudaExecutor::open(0, "kernels", kernels_gpu::PTX)?;
    let stream = executor.stream();
    let mut buffers = DeviceBatch::new(stream, MegaFusedConfig::default())?;
    buffers.upload(stream, &batch)?;
    let watch = Watch::new(stream)?;
    let mut milliseconds_of = |launch: fn(&mut DeviceBatch, &CudaExecutor) -> Result<(), CudaError>| {
        let mut milliseconds = Vec::new();
        for repetition in 0..WARM_UP + usize::from(arguments.repetitions) {
            let took = watch.time(|| launch(&mut buffers, &executor))?;
            if repetition >= WARM_UP {
                milliseconds.push(took);
            }
        }
        anyhow::Ok(milliseconds)
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

/// Bytes, each once: of an atom its place and radius (16), of a residue its first atom (4), type (1), chain (4) and what it
/// gets (24); of a structure its descriptor (24) and an offset (4). Operations depend on how neighbours are found, and
/// are not counted.
fn work_of_surfaces(batch: &PackedBatch) -> Work {
    let (atoms, residues, structures) =
        (batch.n_atoms() as f64, batch.n_residues() as f64, batch.n_structures() as f64);
    Work { bytes: atoms * 16.0 + residues * 33.0 + structures * 28.0, ..Work::default() }
}

/// What no implementation of the same definitions can avoid, so that the roofline is an upper bound of the speed.
///
/// Bytes, each once: of a residue its alpha carbon (16), index (4), type (1), B factor, conservation, frequency and
/// velocity (16), chain (4), and its row (128); of a structure its descriptor and summary (24 each) and an offset (4).
/// Scratch memory is not counted, nor are atoms that are no alpha carbon.
///
/// Operations: an addition, multiplication, division or conversion is one, a fused multiply-add two; comparisons,
/// selections and integers are none. (A GPU's peak counts fused multiply-adds alone, and so is out of reach.) Of every
/// ordered pair of residues the distance (3 + 1 + 2 + 2 = 8) and its reciprocal's sum (2). Of every ordered pair closer
/// than 18 Å the exponential of [`cuda_std::math::exp_bounded`] (1 + 2 + 1 + 2 + 2 + 6 * 2 = 20) and a weighted mean
/// (2 + 1) of hydropathy, and of three more with annotation. Of every ordered pair closer than 12 Å the half spheres'
/// count and scalar product (1 + 5). Contact graph and centrality, which grow with the contacts, are not counted.
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

/// Ordered pairs of alpha carbons that are closer than each of some radii in Å, each counted with itself.
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
