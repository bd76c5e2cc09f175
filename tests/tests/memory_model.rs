//! The toolkit's page about PTX's memory model lists each instruction by which threads of these kernels exchange data.

use kernels_gpu::PTX;
use toolkit_tests::memory_model::{loaded_without_coherence, not_listed};

#[test]
fn instructions_of_the_committed_ptx_are_listed() {
    assert_eq!(not_listed(PTX), [""; 0]);
}

#[test]
fn only_constants_are_loaded_without_coherence() {
    let found = loaded_without_coherence(PTX);
    assert!(!found.is_empty() && found.values().all(|parameters| parameters.is_empty()), "{found:?}");
}
