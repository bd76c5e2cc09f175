//! Launches that must not compile, with what the compiler says.

#[test]
fn wrong_launches_do_not_compile() {
    trybuild::TestCases::new().compile_fail("compile_fail/cuda_host/*.rs");
}
