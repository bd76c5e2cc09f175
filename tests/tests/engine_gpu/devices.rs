//! An engine on several devices.

use crate::gpu;
use cuda_host::{CudaError, CudaExecutor, GpuBufferPool};
use prism_host::engine::{DeviceBatch, DeviceMemory, DeviceSlots, SlotOptions};
use prism_host::{Backend, Engine};
use shared_types::MegaFusedConfig;
use tests::copies;
use tests::device::are_two;
use tests::same::assert_same;
use tests::simulated::{is_simulated, with_driver};
use tests::slots::packed;

/// Whichever device computes a batch, its results have the same bits.
#[test]
fn results_do_not_depend_on_the_number_of_devices() {
    if !are_two() {
        return;
    }
    // Held, so that no other test uses the devices.
    let Some(_gpu) = gpu() else { return };
    assert!(!is_simulated(), "a simulated device computes nothing");
    let structures = [copies::jittered(300), vec![copies::capsid(4)]].concat();
    // Many small batches, so that every device computes some.
    let engine =
        |builder: prism_host::EngineBuilder| builder.backend(Backend::Cuda).batch_atoms(1 << 13).build().unwrap();
    let one = engine(Engine::builder().devices([0])).run(&structures).unwrap();
    for builder in [Engine::builder().devices([1]), Engine::builder().devices([1, 0]), Engine::builder().all_devices()]
    {
        let engine = engine(builder);
        for _ in 0..3 {
            let found = engine.run(&structures).unwrap();
            assert_eq!(found.len(), one.len());
            for (found, expected) in found.iter().zip(&one) {
                assert_same(expected, found, engine.backend_name());
            }
        }
        assert!(engine.lost().is_empty());
    }
}

#[track_caller]
fn refused<T>(result: Result<T, CudaError>) {
    assert!(matches!(result, Err(CudaError::OtherDevice { .. })), "{:?}", result.err());
}

/// Streams, executors and pools of one device with a batch of the other.
fn devices_do_not_mix() {
    let open = |ordinal| CudaExecutor::open(ordinal, "kernels", tests::ptx()).unwrap();
    let (first, second, config) = (open(0), open(1), MegaFusedConfig::default());
    let batch = packed(&copies::jittered(3));
    for (own, other) in [(&first, &second), (&second, &first)] {
        let (pool, theirs) = (GpuBufferPool::new(own.context()), GpuBufferPool::new(other.context()));
        refused(DeviceBatch::in_memory(&DeviceMemory::new(own.stream(), &theirs, None), config));
        refused(DeviceBatch::in_memory(&DeviceMemory::new(other.stream(), &pool, None), config));
        let make = || DeviceBatch::new(own.stream(), config).unwrap();
        refused(make().upload(other.stream(), &batch));
        refused(make().record(other, packed(&copies::jittered(3))));
        let mut uploaded = make();
        uploaded.upload(own.stream(), &batch).unwrap();
        refused(uploaded.launch(other));
        refused(uploaded.launch_surfaces(other));
        refused(uploaded.launch_exposure(other));
        refused(uploaded.launch_rows(other));
        refused(uploaded.launch_sites(other));
        uploaded.launch(own).unwrap();
        let error = uploaded.results(other.stream(), &batch).unwrap_err().to_string();
        assert!(error.contains("belongs to device"), "{error}");
        uploaded.results(own.stream(), &batch).unwrap();
        let slots = DeviceSlots::with_pool(own, theirs, SlotOptions::default());
        let computed = slots
            .map_err(|error| error.to_string())
            .and_then(|slots| slots.run(&batch, config).map(drop).map_err(|error| error.to_string()));
        let error = computed.unwrap_err();
        assert!(error.contains("belongs to device"), "{error}");
    }
}

#[test]
fn batches_stay_on_their_device() {
    if are_two() {
        let Some(_gpu) = gpu() else { return };
        devices_do_not_mix();
    }
}

#[test]
fn batches_stay_on_their_simulated_device() {
    let defines = ["-DOTHERS_DO_NOTHING", "-DDEVICES=2"];
    if with_driver("devices::batches_stay_on_their_simulated_device", &defines) {
        devices_do_not_mix();
    }
}
