//! Several devices, and several engines on one device.

use crate::{backends, one_of_each};
use cuda_host::{Device, DeviceInfo};
use prism_host::pipeline::{Batch, Cancel, Computed, Outcome, Telemetry, run};
use prism_host::{Backend, Engine, StructureInput};
use std::convert::Infallible;
use std::sync::Barrier;
use tests::same::assert_same;
use tests::{copies, device};

/// Atoms per batch: few structures, so that every device gets batches.
const BATCH_ATOMS: usize = 10_000;

/// All kinds of structures, enough for many batches.
fn many() -> Vec<StructureInput> {
    let mut structures = copies::jittered(150);
    structures.extend(one_of_each());
    structures.push(copies::capsid(12));
    structures
}

/// The devices that run the kernels, if there are at least two.
fn several() -> Option<Vec<DeviceInfo>> {
    if !device::is_there() {
        return None;
    }
    let mut devices = Device::list().unwrap();
    devices.retain(DeviceInfo::is_supported);
    if devices.len() < 2 {
        println!("skipped: this test needs two devices, but there is {}", devices.len());
        return None;
    }
    Some(devices)
}

#[test]
fn several_devices_give_what_one_gives_and_all_of_them_work() {
    let Some(devices) = several() else { return };
    let structures = many();
    let builder = || Engine::builder().backend(Backend::Cuda).batch_atoms(BATCH_ATOMS);
    let expected = builder().build().unwrap().run(&structures).unwrap();
    let ordinals = || devices.iter().map(|device| device.ordinal);
    let engines = [
        builder().all_devices(),
        builder().devices(ordinals().rev()),
        builder().devices([devices[devices.len() - 1].ordinal]),
    ];
    for (engine, of) in engines.map(|builder| builder.build().unwrap()).iter().zip([devices.len(), devices.len(), 1]) {
        // Run first: the first batch of each device takes long, so the next batch goes to another device.
        let (names, telemetry) = through_the_pipeline(engine, &structures);
        assert!(names.iter().eq(structures.iter().map(|structure| &structure.name)), "in the order of the source");
        assert_eq!(telemetry.workers.len(), of);
        for worker in &telemetry.workers {
            println!("{}: {:?}, busy {:?}", worker.name, worker.amount, worker.busy);
            assert!(worker.amount.structures > 0 && !worker.busy.is_zero(), "{} had nothing to do", worker.name);
            assert!(worker.device.is_some_and(|times| !times.kernels.is_zero()), "{}", worker.name);
        }
        let computed: u64 = telemetry.workers.iter().map(|worker| worker.amount.structures).sum();
        assert_eq!(computed, structures.len() as u64);

        let found = engine.run(&structures).unwrap();
        assert_eq!(found.len(), expected.len());
        found.iter().zip(&expected).for_each(|(found, expected)| assert_same(expected, found, "several devices"));
        assert!(engine.lost().is_empty());
    }
}

/// As `prism features` computes them, with two structures per batch.
fn through_the_pipeline(engine: &Engine, structures: &[StructureInput]) -> (Vec<String>, Telemetry) {
    let batch = |structures: &[StructureInput]| Batch {
        structures: structures.to_vec(),
        outcomes: structures.iter().map(|_| Outcome::Read { notes: Vec::new() }).collect(),
        ..Batch::default()
    };
    let mut names = Vec::new();
    let consume = |computed: Computed| {
        assert!(computed.results.iter().all(|result| result.is_ok()));
        names.extend(computed.batch.structures.into_iter().map(|structure| structure.name.clone()));
        Ok::<_, Infallible>(())
    };
    let telemetry = run(engine, structures.chunks(2).map(batch), &Cancel::default(), consume).expect("features");
    (names, telemetry)
}

/// Each engine has its own modules, streams and memory on the device, in one context.
#[test]
fn several_engines_share_a_device() {
    const ENGINES: usize = 4;
    let Some(backends) = backends() else { return };
    let structures = many();
    let expected = backends.compare(&structures);
    let start = Barrier::new(ENGINES);
    std::thread::scope(|scope| {
        for engine in 0..ENGINES {
            let (structures, expected, start) = (&structures, &expected, &start);
            scope.spawn(move || {
                start.wait();
                let cut = BATCH_ATOMS << (2 * engine);
                let engine = Engine::builder().backend(Backend::Cuda).batch_atoms(cut).build().unwrap();
                for _ in 0..3 {
                    for (expected, found) in expected.iter().zip(&engine.run(structures).unwrap()) {
                        assert_same(expected, found, "several engines");
                    }
                }
                assert!(engine.lost().is_empty());
            });
        }
    });
}
