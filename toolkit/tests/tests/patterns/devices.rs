//! Properties of a device.

use crate::gpu;
use cuda_host::{Context, Device, MIN_COMPUTE_CAPABILITY, driver_version};

#[test]
fn device_info() {
    let Some(gpu) = gpu() else { return };
    // ANCHOR: device_info
    let device = Device::info(0).unwrap();
    println!("{}, compute capability {:?}", device.name, device.compute_capability);
    println!("{} MiB of memory, {:?} bytes free", device.total_memory >> 20, device.free_memory);
    println!(
        "{} threads a block, {} bytes of shared memory, {} with asking",
        device.max_threads_per_block, device.shared_memory_per_block, device.shared_memory_per_block_with_asking,
    );
    println!("{} multiprocessors, PCI {}", device.multiprocessors, device.pci_bus_id);
    println!("CUDA {}", driver_version().unwrap());
    // ANCHOR_END: device_info
    assert!(!device.name.is_empty() && device.compute_capability >= MIN_COMPUTE_CAPABILITY);
    let memory = gpu.context().memory().unwrap();
    assert!(memory.free > 0 && memory.free <= memory.total && memory.total <= device.total_memory);
    assert!(device.free_memory.is_some_and(|free| free <= device.total_memory));
    assert_eq!(device.max_threads_per_block, 1024);
    assert!(device.shared_memory_per_block >= 48 << 10);
    assert!(device.shared_memory_per_block_with_asking >= device.shared_memory_per_block);
    let parts: Vec<_> = device.pci_bus_id.split([':', '.']).collect();
    assert!(parts.len() == 4 && parts.iter().all(|part| u32::from_str_radix(part, 16).is_ok()), "{parts:?}");
    assert_eq!(Context::new(0).unwrap().device().unwrap().name, device.name);
}
