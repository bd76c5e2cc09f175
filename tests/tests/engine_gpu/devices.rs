//! An engine on several devices.

use crate::gpu;
use prism_host::{Backend, Engine};
use tests::copies;
use tests::device::are_two;
use tests::same::assert_same;
use tests::simulated::is_simulated;

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
