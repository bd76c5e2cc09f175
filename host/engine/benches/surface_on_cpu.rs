//! Speed of the heavy-atom kernels on one CPU core, in atoms per second: `cargo bench -p prism-host --bench
//! surface_on_cpu`.

#[path = "../../benches/rate/mod.rs"]
mod rate;

use cuda_std::launch::CpuExecutor;
use prism_engine::{BatchInputs, HostMemory, Largest, PackedBatch, Workspace, launch_atom_surfaces, point_groups};
use prism_read::{ReadOptions, read_path};
use shared_types::MegaFusedConfig;
use std::path::Path;

/// A small protein, one of average size, and one with several chains.
const STRUCTURES: [&str; 3] = ["tests/data/1crn.pdb.gz", "data/6m0j_rbd.pdb", "tests/data/4zhl.cif.gz"];

fn batch_of(path: &str) -> PackedBatch {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path);
    let read = read_path(&path, "", &ReadOptions::default()).expect("the repository's files are read");
    PackedBatch::from_inputs([&read.structure]).expect("one structure is a batch")
}

fn main() {
    let one_core = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread starts");
    for n_points in [100, 1000] {
        let (points, config) = (point_groups(n_points), MegaFusedConfig { points: n_points, ..Default::default() });
        for path in STRUCTURES {
            let batch = batch_of(path);
            let mut work = Workspace::new(&HostMemory).expect("memory for nothing");
            work.prepare(&HostMemory, &batch.whole(), &config.into(), Largest::default())
                .expect("memory for a protein");
            let whole = batch.whole();
            let inputs = BatchInputs::of_chunk(&whole, &points, n_points);
            let mut launch = || launch_atom_surfaces(&CpuExecutor::new(), inputs, &mut work);
            rate::print(&format!("{n_points} points/{path}"), batch.n_atoms() as f64, "atom", || {
                one_core.install(&mut launch).expect("the kernels run");
            });
        }
    }
}
