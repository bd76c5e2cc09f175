//! A batch that was recorded as a graph. No other test allocates at the same time. The simulated driver computes nothing;
//! there, only memory and refusals are tested.

use crate::gpu;
use cuda_host::CudaExecutor;
use prism_host::engine::{DeviceBatch, RecordedBatch, RecordedFeatures, ShapeDifference};
use prism_host::{Backend, Engine, EngineError, PackedBatch, StructureInput};
use shared_types::{Atom, MegaFusedConfig};
use tests::copies;
use tests::dice::Dice;
use tests::same::assert_same_parts;
use tests::simulated::with_driver;
use tests::slots::{executor, packed};
use tests::synthetic::{Annotation, Recipe};

fn record(executor: &CudaExecutor, structures: &[StructureInput], config: MegaFusedConfig) -> RecordedBatch {
    DeviceBatch::new(executor.stream(), config).unwrap().record(executor, packed(structures)).unwrap()
}

/// The structures with slightly moved atoms and B factors, different for each frame.
fn frame(structures: &[StructureInput], frame: u64) -> Vec<StructureInput> {
    let mut dice = Dice::new(frame);
    let mut moved = structures.to_vec();
    for structure in &mut moved {
        structure.name = format!("{} in frame {frame}", structure.name);
        for Atom { x, y, z, .. } in &mut structure.atoms {
            [x, y, z].into_iter().for_each(|place| *place += (0.3 * dice.normal()) as f32);
        }
        structure.bfactor.iter_mut().for_each(|b| *b += dice.unit() as f32);
    }
    moved
}

fn assert_same(found: RecordedFeatures<'_>, cpu: &Engine, batch: &PackedBatch, what: &str) {
    assert_same_parts(&cpu.run_batch(batch).unwrap(), (found.values, found.site_ids, found.summaries), what);
}

/// One structure, some structures, and some with one that uses the kernels for large structures.
fn batches() -> [Vec<StructureInput>; 4] {
    let annotated = Recipe::new(120, 11).chains(3).annotation(Annotation::Partly).build();
    let mut mixed = copies::jittered(3);
    mixed.push(annotated);
    let with_large = [mixed.clone(), vec![copies::capsid(12)]].concat();
    [copies::jittered(1), mixed, with_large, Vec::new()]
}

#[test]
fn every_frame_has_the_bits_that_it_has_elsewhere() {
    let Some(_turn) = gpu() else { return };
    let executor = executor();
    let other = MegaFusedConfig { points: 64, contact_threshold: 10.0, ..MegaFusedConfig::default() };
    for (index, structures) in batches().iter().enumerate() {
        for config in [MegaFusedConfig::default(), other] {
            let cpu = Engine::builder().backend(Backend::Cpu).config(config).build().unwrap();
            let mut recorded = record(&executor, structures, config);
            for number in 0..4 {
                let batch = packed(&frame(structures, number));
                assert_same(recorded.run(&batch).unwrap(), &cpu, &batch, &format!("batch {index}, frame {number}"));
            }
            // Setting only atoms keeps the B factors of the frame before.
            let last = frame(structures, 3);
            let mut batch = last.clone();
            batch.iter_mut().flat_map(|one| &mut one.atoms).for_each(|atom| atom.x *= 1.125);
            let batch = packed(&batch);
            assert_same(recorded.run_atoms(batch.atoms()).unwrap(), &cpu, &batch, &format!("batch {index}, atoms"));
        }
    }
}

#[test]
fn the_recorded_batch_lends_its_b_factors() {
    let Some(_turn) = gpu() else { return };
    let structures = copies::jittered(2);
    let mut recorded = record(&executor(), &structures, MegaFusedConfig::default());
    let cpu = Engine::builder().backend(Backend::Cpu).build().unwrap();
    let batch = packed(&structures);
    assert_same(recorded.run_atoms(batch.atoms()).unwrap(), &cpu, &batch, "its own atoms");
}

/// Two recorded batches in turn, and others beside them, on several threads.
#[test]
fn recorded_batches_run_beside_each_other() {
    fn goes_between_threads<T: Send + Sync>() {}
    goes_between_threads::<RecordedBatch>();
    let Some(_turn) = gpu() else { return };
    let (executor, structures) = (executor(), copies::jittered(4));
    let frames: Vec<_> = (0..6).map(|number| packed(&frame(&structures, number))).collect();
    let cpu = Engine::builder().backend(Backend::Cpu).build().unwrap();
    let engine = Engine::builder().backend(Backend::Cuda).build().unwrap();
    std::thread::scope(|scope| {
        for thread in 0..3 {
            let (executor, structures, frames, cpu, engine) = (&executor, &structures, &frames, &cpu, &engine);
            scope.spawn(move || {
                let own = executor.on(&executor.context().stream().unwrap()).unwrap();
                let mut pair = [own, executor.clone()].map(|on| record(&on, structures, MegaFusedConfig::default()));
                for (number, batch) in frames.iter().enumerate() {
                    let what = format!("thread {thread}, frame {number}");
                    assert_same(pair[number % 2].run(batch).unwrap(), cpu, batch, &what);
                    engine.run_batch(batch).unwrap();
                }
            });
        }
    });
}

#[test]
fn a_run_allocates_nothing() {
    let Some(_turn) = gpu() else { return };
    allocates_nothing();
}

#[test]
fn a_run_allocates_nothing_on_a_simulated_device() {
    if with_driver("recorded::a_run_allocates_nothing_on_a_simulated_device", &["-DOTHERS_DO_NOTHING"]) {
        allocates_nothing();
    }
}

fn allocates_nothing() {
    let (executor, structures) = (executor(), copies::jittered(20));
    let mut recorded = record(&executor, &structures, MegaFusedConfig::default());
    let frames: Vec<_> = (0..4).map(|number| packed(&frame(&structures, number))).collect();
    let mut runs = || {
        for batch in frames.iter().cycle().take(100) {
            let computed = recorded.run(batch).unwrap();
            assert_eq!(computed.site_ids.len(), batch.n_residues());
        }
        executor.context().memory().unwrap()
    };
    // The driver's own memory for launches grows at first, and other processes may use the device, too.
    assert!((0..10).any(|_| runs() == runs()), "each hundred runs take memory");
}

#[test]
fn batches_of_another_shape_are_refused() {
    let Some(_turn) = gpu() else { return };
    refuses_other_shapes();
}

#[test]
fn batches_of_another_shape_are_refused_on_a_simulated_device() {
    if with_driver("recorded::batches_of_another_shape_are_refused_on_a_simulated_device", &["-DOTHERS_DO_NOTHING"]) {
        refuses_other_shapes();
    }
}

fn refuses_other_shapes() {
    let (executor, structures) = (executor(), copies::jittered(3));
    let mut recorded = record(&executor, &structures, MegaFusedConfig::default());
    assert_eq!(recorded.nodes(), 27, "uploads, kernels for small structures, downloads");
    let good = packed(&frame(&structures, 1));
    let shorter = packed(&structures[..2]);
    let mut mutated = structures.clone();
    mutated[1].residue_types[7] = (mutated[1].residue_types[7] + 1) % 20;
    let mutated = packed(&mutated);

    let difference = |result: Result<RecordedFeatures<'_>, EngineError>| match result {
        Err(error @ EngineError::OtherShape(_)) => error.to_string(),
        other => panic!("{other:?}"),
    };
    let text = difference(recorded.run(&shorter));
    assert_eq!(
        text,
        "the batch is not of the shape that was recorded: it has 2 structures, and 3 were recorded; record it anew"
    );
    let row = structures[0].n_residues() + 7;
    let text = difference(recorded.run(&mutated));
    let place = format!("structure \"copy 1\": `residue_types` at index {row} is ");
    assert!(text.contains(&place), "{text}");
    recorded.run(&good).unwrap();

    // A batch without structures has a shape, too.
    let mut of_none = record(&executor, &[], MegaFusedConfig::default());
    assert!(of_none.run(&packed(&[])).unwrap().summaries.is_empty());
    assert!(difference(of_none.run(&good)).contains("3 structures, and 0 were recorded"));

    // Only atoms.
    let mut atoms = good.atoms().to_vec();
    let count = ShapeDifference::Count { what: "atoms", found: atoms.len() - 1, recorded: atoms.len() };
    match recorded.run_atoms(&atoms[1..]) {
        Err(EngineError::OtherShape(found)) => assert_eq!(found, count),
        other => panic!("{other:?}"),
    }
    let in_second = structures[0].n_atoms() + 4;
    atoms[in_second].y = f32::NAN;
    let error = recorded.run_atoms(&atoms).unwrap_err();
    let begin = format!("structure \"copy 1\": `atoms` at index {in_second} is ");
    assert!(error.to_string().starts_with(&begin), "{error}");
    recorded.run_atoms(good.atoms()).unwrap();
}

#[test]
fn frames_are_computed_by_one_launch_each() -> Result<(), Box<dyn std::error::Error>> {
    let Some(_turn) = gpu() else { return Ok(()) };
    let structures = copies::jittered(5);
    let frames = structures.iter().map(|structure| structure.atoms.clone());
    let mut areas = Vec::new();
    // ANCHOR: frames
    let executor = CudaExecutor::open(0, "kernels", prism_host::engine::kernel_image())?;
    let batch = PackedBatch::from_inputs([&structures[0]])?;
    let mut recorded = DeviceBatch::new(executor.stream(), MegaFusedConfig::default())?.record(&executor, batch)?;
    for atoms in frames {
        // Uploads, runs the kernels, downloads and waits. The results are where the device has written them.
        let computed = recorded.run_atoms(&atoms)?;
        areas.push(computed.summaries[0].area);
    }
    // ANCHOR_END: frames
    let features = Engine::builder().backend(Backend::Cpu).build()?.run(&structures)?;
    assert_eq!(areas, features.iter().map(|one| one.summary.area).collect::<Vec<_>>());
    Ok(())
}
