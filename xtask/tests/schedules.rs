//! Delays in the PTX of the product's kernels.

#[path = "../../toolkit/tests/tests/schedules/check.rs"]
mod check;

use cuda_builder::NvvmArch;
use std::path::Path;

#[test]
fn each_place_where_threads_communicate_has_a_delay_and_the_assembler_takes_them() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../kernels-gpu/ptx/kernels_gpu.sm_75.ptx");
    let text = std::fs::read_to_string(file).unwrap();
    check::check("kernels-gpu", &text, &[NvvmArch::Compute75, NvvmArch::Compute90]);
}
