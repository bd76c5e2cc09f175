//! Values that stay on the device for other libraries.

use crate::gpu;
use cuda_host::CudaExecutor;
use prism_host::engine::{BatchFeatures, DeviceSlots, DeviceValues, Request, Selection, SlotOptions};
use prism_host::{Backend, Engine, PackedBatch, StructureInput};
use shared_types::{FEATURES, MegaFusedConfig};
use tests::copies;
use tests::simulated::with_driver;

/// Uses several chunks even for small batches.
fn slots(executor: &CudaExecutor) -> DeviceSlots {
    DeviceSlots::new(executor, SlotOptions { chunks: 5, chunk_atoms: 1, ..SlotOptions::default() }).unwrap()
}

fn request(on_device: bool) -> Request {
    let selection = Selection::new(FEATURES, false);
    let selection = if on_device { selection.on_device() } else { selection };
    Request { config: MegaFusedConfig::default(), selection }
}

fn all_of(features: &BatchFeatures) -> Vec<DeviceValues> {
    (0..features.n_structures()).map(|index| features.device_values(index).expect("they stayed there")).collect()
}

#[test]
fn values_on_the_device_are_those_of_the_host() {
    let Some(gpu) = gpu() else { return };
    let slots = slots(&gpu);
    let batch = PackedBatch::from_inputs(&copies::jittered(40)).unwrap();
    let (expected, _) = slots.run(&batch, request(false)).unwrap();
    let (found, _) = slots.run(&batch, request(true)).unwrap();
    // Another batch uses the slots in the meantime.
    let other = PackedBatch::from_inputs(&copies::jittered(60)[40..]).unwrap();
    let (later, _) = slots.run(&other, request(true)).unwrap();
    for (index, values) in all_of(&found).into_iter().enumerate() {
        let bits = |values: &[f32]| bytemuck::cast_slice::<_, u32>(values).to_vec();
        assert_eq!(bits(&values.download().unwrap()), bits(expected.structure(index).values));
        assert!(found.structure(index).values.is_empty() && expected.device_values(index).is_none());
        assert_eq!(found.summaries()[index], expected.summaries()[index]);
    }
    drop((found, later));
}

#[test]
fn memory_is_kept_as_long_as_values_are_read() {
    if !with_driver("lent::memory_is_kept_as_long_as_values_are_read", &["-DOTHERS_DO_NOTHING"]) {
        return;
    }
    let executor = CudaExecutor::open(0, "kernels", tests::ptx()).unwrap();
    let slots = slots(&executor);
    let structures = copies::jittered(20);
    let batch = PackedBatch::from_inputs(&structures).unwrap();
    let run = || slots.run(&batch, request(true)).unwrap().0;
    let in_use = || slots.statistics().device.blocks_in_use;
    drop(run());
    let before = in_use();
    let (first, second) = (run(), run());
    let values = all_of(&first);
    let lengths = values.iter().map(DeviceValues::len);
    assert!(lengths.eq(structures.iter().map(|one| one.n_residues() * FEATURES.len())));
    let mut ranges: Vec<_> = values.iter().chain(&all_of(&second)).map(|one| (one.address(), one.len())).collect();
    ranges.sort_unstable();
    assert!(ranges.windows(2).all(|pair| pair[0].0 + 4 * pair[0].1 as u64 <= pair[1].0), "none overlap: {ranges:?}");
    assert_eq!(in_use(), before + 10, "five chunks of two batches");
    drop((first, second));
    assert_eq!(in_use(), before + 5, "values of the first are still read");
    let last = values.last().unwrap().clone();
    drop(values);
    assert_eq!(in_use(), before + 1, "the chunk of the last structure is");
    assert_eq!(last.download().unwrap().len(), last.len());
    drop((slots.statistics(), last));
    assert_eq!(in_use(), before);
    let allocations = slots.statistics().device.allocations;
    (0..5).for_each(|_| drop(run()));
    assert_eq!(slots.statistics().device.allocations, allocations, "what was given back is used again");
}

/// Also if a structure is refused, and after the engine is dropped.
#[test]
fn an_engine_says_where_each_structures_values_are() {
    if !with_driver("lent::an_engine_says_where_each_structures_values_are", &["-DOTHERS_DO_NOTHING", "-DDEVICES=2"]) {
        return;
    }
    let mut structures = copies::jittered(4);
    structures[1] = StructureInput::default();
    let request = request(true);
    let builder = Engine::builder().backend(Backend::Cuda).devices([1]).selection(request.selection);
    let engine = builder.build().unwrap();
    let results = engine.run_structures(&structures).unwrap();
    drop(engine);
    let of = |index: usize| results.device_values(index).map(|values| (values.device(), values.len()));
    let expected = |index: usize| Some((1, structures[index].n_residues() * FEATURES.len()));
    assert_eq!([of(0), of(1), of(2), of(3)], [expected(0), None, expected(2), expected(3)]);
    let on_host = Engine::builder().backend(Backend::Cpu).selection(Selection::new(FEATURES, false).on_device());
    let results = on_host.build().unwrap().run_structures(&structures[..1]).unwrap();
    assert!(results.device_values(0).is_none() && !results.get(0).unwrap().values.is_empty());
}
