// The functions that generated code calls, which exist on the device only.

#[cfg(target_arch = "nvptx64")]
fn known() -> u32 {
    cuda_std::__private::block_index::<1>() + cuda_std::__private::block_index_3d()[0]
}

#[cfg(not(target_arch = "nvptx64"))]
fn known() -> u32 {
    0
}

/// Its blocks would go separate ways.
#[kernel(threads = 32)]
pub fn separate_ways(grid: &mut WholeGrid, data: &mut GridMemory<u32>) {
    for _ in 0..known() {
        data.fill(grid, 1, |_, i| i);
    }
}
