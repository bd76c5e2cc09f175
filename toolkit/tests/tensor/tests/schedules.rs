//! Delays in the PTX of kernels with tensor cores and asynchronous copies.

#[path = "../../tests/schedules/check.rs"]
mod check;

use cuda_builder::NvvmArch;
use cuda_ptx::schedule::Site;

#[test]
fn copies_and_products_of_warpgroups_have_delays_and_the_assembler_takes_them() {
    let Ok(built) = tensor_tests::PTX else {
        println!("left out: no compiler for GPUs has built the kernels");
        return;
    };
    let (_, text) =
        built.iter().find(|(_, text)| text.contains(".target sm_90a")).expect("the kernels for Hopper alone");
    let sites = check::check("tensor-kernels", text, &[NvvmArch::Compute90a]);
    for site in [Site::Barrier, Site::Copy, Site::Products, Site::Fence, Site::Ordered] {
        assert!(sites.contains_key(&site), "{site:?} is not in the kernels");
    }
}
