//! The code that a device runs.

use crate::one_of_each;
use cuda_host::{Context, CudaExecutor, Image, Module, image};
use prism_host::PackedBatch;
use prism_host::engine::DeviceBatch;
use shared_types::MegaFusedConfig;
use std::time::Instant;
use tests::device;

#[test]
fn machine_code_loads_where_there_is_some_and_has_the_bits_of_the_ptx() {
    if !device::is_there() {
        return;
    }
    let context = Context::new(0).unwrap();
    let image = prism_host::engine::kernel_image();
    let expected = image::chip_for(&image, context.device().unwrap().compute_capability).unwrap();
    let batch = PackedBatch::from_inputs(&one_of_each()).unwrap();
    let words = |image: Image<'_>, expected| {
        let begin = Instant::now();
        let module = Module::load(&context, "kernels", image).unwrap();
        println!("{:?} in {:?}", module.machine_code(), begin.elapsed());
        assert_eq!(module.machine_code(), expected);
        let executor = CudaExecutor::new(&context.stream().unwrap(), [module]).unwrap();
        let mut buffers = DeviceBatch::new(executor.stream(), MegaFusedConfig::default()).unwrap();
        buffers.upload(executor.stream(), &batch).unwrap();
        buffers.launch(&executor).unwrap();
        let features = buffers.results(executor.stream(), &batch).unwrap();
        bytemuck::cast_slice::<f32, u32>(features.values()).to_vec()
    };
    if expected.is_none() {
        println!("skipped: this build has no machine code for this device");
        return;
    }
    assert!(words(image, expected) == words(tests::ptx(), None), "bits differ");
}
