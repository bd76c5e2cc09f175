//! The fused kernel on a GPU gives the bits of the CPU. Without a GPU each test prints a line and passes, unless
//! CUDA_REQUIRE_GPU=1 requires a GPU.

mod batches;
mod chunks;
mod code;
mod devices;
mod files;
mod odd;
mod sizes;

use prism_host::{Backend, Engine, StructureFeatures, StructureInput};
use shared_types::MegaFusedConfig;
use tests::device;
use tests::same::assert_same;
use tests::synthetic::{Annotation, Recipe, move_ca, remove_ca};

/// The two backends, with one configuration.
struct Backends {
    cpu: Engine,
    gpu: Engine,
}

/// Both backends, if there is a GPU.
fn backends() -> Option<Backends> {
    backends_with(MegaFusedConfig::default())
}

fn backends_with(config: MegaFusedConfig) -> Option<Backends> {
    if !device::is_there() {
        return None;
    }
    let engine = |backend| Engine::builder().backend(backend).config(config).build().expect("an engine");
    let backends = Backends { cpu: engine(Backend::Cpu), gpu: engine(Backend::Cuda) };
    assert!(backends.gpu.backend_name().starts_with("CUDA on "), "{}", backends.gpu.backend_name());
    Some(backends)
}

impl Backends {
    /// Computes all structures on both backends, compares all bits, and returns the features.
    fn compare(&self, structures: &[StructureInput]) -> Vec<StructureFeatures> {
        let expected = self.cpu.run(structures).expect("features from the CPU");
        let found = self.gpu.run(structures).expect("features from the GPU");
        assert_eq!((expected.len(), found.len()), (structures.len(), structures.len()));
        for (expected, found) in expected.iter().zip(&found) {
            assert_same(expected, found, "on the GPU");
        }
        expected
    }
}

/// One structure of each kind that the other tests use, small enough for compute-sanitizer.
fn one_of_each() -> Vec<StructureInput> {
    let mut structures: Vec<_> = [1, 2, 3, 31, 255, 257].iter().map(|&n| Recipe::new(n, n as u64).build()).collect();
    structures.push(Recipe::new(120, 11).chains(3).annotation(Annotation::Partly).build());
    structures.push(Recipe::new(90, 12).annotation(Annotation::Whole).build());
    let mut damaged = Recipe::new(100, 13).build();
    (0..100).step_by(7).for_each(|residue| remove_ca(&mut damaged, residue));
    // More contacts in one place than a contact list has room for.
    (30..70).filter(|residue| residue % 7 != 0).for_each(|residue| move_ca(&mut damaged, residue, 29));
    structures.push(damaged);
    structures
}

/// For `compute-sanitizer fused_gpu --exact mixed_batch`: one small batch, and no checks besides the bits.
#[test]
fn mixed_batch() {
    let Some(backends) = backends() else { return };
    backends.compare(&one_of_each());
}
