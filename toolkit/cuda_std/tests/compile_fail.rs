//! Kernels and launches that must not compile, with what the compiler says, and some that must.

#[test]
fn wrong_kernels_do_not_compile() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/compile_fail/signature/*.rs");
    cases.compile_fail("tests/compile_fail/launch/*.rs");
    cases.compile_fail("tests/compile_fail/phase/*.rs");
    cases.compile_fail("tests/compile_fail/inside/*.rs");
    cases.compile_fail("tests/compile_fail/limits/*.rs");
    cases.compile_fail("tests/compile_fail/raw/*.rs");
    cases.pass("tests/pass/*.rs");
}
