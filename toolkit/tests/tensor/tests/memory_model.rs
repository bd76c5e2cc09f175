//! The guide's page about PTX's memory model, and what these kernels have beside the committed ones: copies ahead and tensor cores.

use toolkit_tests::memory_model::{exchanges, instructions, lacking, not_listed};

#[test]
fn instructions_for_each_kind_of_chip_are_listed_and_carry_their_exchanges() {
    let Ok(built) = tensor_tests::PTX else {
        return println!("skipped: no device compiler when the tests were built");
    };
    for (chip, ptx) in built {
        assert_eq!(not_listed(ptx), [""; 0], "{chip}");
    }
    let by_chip: Vec<_> = built.iter().map(|(_, ptx)| instructions(ptx)).collect();
    let mut found = 0;
    for exchange in exchanges() {
        let lacking: Vec<_> = by_chip.iter().filter_map(|found| lacking(&exchange, found)).collect();
        if exchange.kernel.is_some() && !lacking.is_empty() {
            // Older chips lack some of the instructions.
            assert!(lacking.iter().any(Vec::is_empty), "{exchange:?}: {lacking:?}");
            found += 1;
        }
    }
    assert!(found >= 4, "{found} exchanges are of these kernels");
}
