//! The batch on CPU cores.

use super::{
    AtomInputs, AtomScratch, BatchInputs, BatchOffsets, BatchOutputs, BatchScratch, EngineError, launch_atom_surfaces,
    launch_mega_fused_batch, sphere_points,
};
use crate::pack::PackedBatch;
use bytemuck::Zeroable;
use cuda_std::launch::CpuExecutor;
use kernels_gpu::scratch::{AtomSurface, CellWords, Place, ResidueExposure, Traits, Work};
use shared_types::{Atom, FeatureRow, MegaFusedConfig, SpherePoint, StructureSummary};
use std::sync::{Mutex, PoisonError};

/// Runs batches on all cores of rayon's pool. Scratch memory is kept from batch to batch.
#[derive(Debug)]
pub(super) struct CpuRunner {
    points: Vec<SpherePoint>,
    scratch: Mutex<Vec<Scratch>>,
}

#[derive(Default)]
struct Scratch {
    places: Vec<Place>,
    traits: Vec<Traits>,
    bfactor_z: Vec<f32>,
    contacts: Vec<u32>,
    work: Vec<Work>,
    exposure: Vec<ResidueExposure>,
    sorted: Vec<Atom>,
    cells: Vec<CellWords>,
    surface: Vec<AtomSurface>,
    depths: Vec<f32>,
}

impl std::fmt::Debug for Scratch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Scratch({} rows)", self.places.len())
    }
}

impl Scratch {
    fn reserve(&mut self, rows: usize, contact_words: usize, atoms: usize) {
        fn grow<T: Zeroable + Clone>(buffer: &mut Vec<T>, length: usize) {
            if buffer.len() < length {
                buffer.resize(length, T::zeroed());
            }
        }
        grow(&mut self.places, rows);
        grow(&mut self.traits, rows);
        grow(&mut self.bfactor_z, rows);
        grow(&mut self.contacts, contact_words);
        grow(&mut self.work, rows);
        grow(&mut self.exposure, rows);
        grow(&mut self.sorted, atoms);
        grow(&mut self.cells, atoms);
        grow(&mut self.surface, atoms);
        grow(&mut self.depths, atoms);
    }
}

impl CpuRunner {
    /// With this many test points on an atom's sphere.
    pub(super) fn new(points: u32) -> Self {
        Self { points: sphere_points(points), scratch: Mutex::default() }
    }

    pub(super) fn run(
        &self,
        batch: &PackedBatch,
        config: MegaFusedConfig,
    ) -> Result<(Vec<FeatureRow>, Vec<StructureSummary>), EngineError> {
        let pool = || self.scratch.lock().unwrap_or_else(PoisonError::into_inner);
        let mut scratch = pool().pop().unwrap_or_default();
        let contact_offsets = batch.contact_offsets(config.contact_threshold);
        scratch.reserve(batch.n_residues(), contact_offsets.end() as usize, batch.atom_offsets().end() as usize);
        let mut rows = vec![FeatureRow::zeroed(); batch.n_residues()];
        let mut summaries = vec![StructureSummary::zeroed(); batch.n_structures()];
        let atoms = AtomInputs {
            atoms: batch.atoms(),
            descriptors: batch.descriptors(),
            residue_types: batch.residue_types(),
            chain_ids: batch.chain_ids(),
            residue_atoms: batch.residue_atoms(),
            points: &self.points[..],
            residue_offsets: batch.residue_offsets(),
            atom_offsets: batch.atom_offsets(),
        };
        let atom_scratch = AtomScratch {
            sorted: &mut scratch.sorted[..],
            cells: &mut scratch.cells[..],
            surface: &mut scratch.surface[..],
            depths: &mut scratch.depths[..],
        };
        let executor = CpuExecutor::new();
        let surfaces = launch_atom_surfaces(&executor, atoms, &mut scratch.exposure[..], atom_scratch);
        let result = surfaces.and_then(|()| {
            launch_mega_fused_batch(
                &executor,
                BatchInputs {
                    atoms: batch.atoms(),
                    ca_indices: batch.ca_indices(),
                    descriptors: batch.descriptors(),
                    residue_types: batch.residue_types(),
                    conservation: batch.conservation(),
                    bfactor: batch.bfactor(),
                    gisaid_freq: batch.gisaid_freq(),
                    gisaid_velocity: batch.gisaid_velocity(),
                    chain_ids: batch.chain_ids(),
                    exposure: &scratch.exposure[..batch.n_residues()],
                },
                BatchOffsets {
                    residues: batch.residue_offsets(),
                    contacts: &contact_offsets,
                    structures: batch.structure_offsets(),
                },
                BatchOutputs { rows: &mut rows, summaries: &mut summaries },
                BatchScratch {
                    places: &mut scratch.places,
                    traits: &mut scratch.traits,
                    bfactor_z: &mut scratch.bfactor_z,
                    contacts: &mut scratch.contacts,
                    work: &mut scratch.work,
                },
                config,
            )
        });
        pool().push(scratch);
        result.map_err(|error| EngineError::from_launch(error, batch))?;
        Ok((rows, summaries))
    }
}

/// How many cores the CPU backend uses, and which instructions; for people.
#[must_use]
pub fn cpu_description() -> String {
    let cores = rayon::current_num_threads();
    let plural = if cores == 1 { "" } else { "s" };
    format!("{cores} core{plural}, {}", instructions())
}

/// The instruction set that kernels run with here.
fn instructions() -> &'static str {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
        return "AVX2 and FMA";
    }
    "baseline instructions"
}
