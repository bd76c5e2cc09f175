//! Speed of the heavy-atom kernels on one CPU core, in atoms per second: `cargo bench -p prism-host --bench
//! surface_on_cpu`.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use cuda_std::launch::CpuExecutor;
use prism_host::PackedBatch;
use prism_host::engine::{BatchInputs, HostMemory, Largest, Workspace, launch_atom_surfaces, point_groups};
use prism_host::read::{ReadOptions, read_path};
use shared_types::MegaFusedConfig;
use std::path::Path;

/// A small protein, one of average size, and one with several chains.
const STRUCTURES: [&str; 3] = ["tests/data/1crn.pdb.gz", "data/6m0j_rbd.pdb", "tests/data/4zhl.cif.gz"];

fn batch_of(path: &str) -> PackedBatch {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path);
    let read = read_path(&path, "", &ReadOptions::default()).expect("the repository's files are read");
    PackedBatch::from_inputs([&read.structure]).expect("one structure is a batch")
}

fn surfaces(criterion: &mut Criterion) {
    let one_core = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread starts");
    let mut group = criterion.benchmark_group("surface");
    for n_points in [100, 1000] {
        let (points, config) = (point_groups(n_points), MegaFusedConfig { points: n_points, ..Default::default() });
        for path in STRUCTURES {
            let batch = batch_of(path);
            let mut work = Workspace::new(&HostMemory).expect("memory for nothing");
            work.prepare(&HostMemory, &batch.whole(), &config.into(), Largest::default())
                .expect("memory for a protein");
            let whole = batch.whole();
            let inputs = BatchInputs::of_chunk(&whole, &points, n_points);
            group.throughput(Throughput::Elements(batch.n_atoms() as u64));
            group.bench_function(BenchmarkId::new(format!("{n_points} points"), path), |bencher| {
                let mut launch = || launch_atom_surfaces(&CpuExecutor::new(), inputs, &mut work);
                bencher.iter(|| one_core.install(&mut launch).expect("the kernels run"));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, surfaces);
criterion_main!(benches);
