//! Launches that must not compile, with the compiler's messages.

#[path = "../src/compile_fail.rs"]
mod compile_fail;

#[test]
fn wrong_launches_do_not_compile() {
    compile_fail::assert_wrong("wrong_launches_do_not_compile", &["compile_fail/cuda_host"]);
}
