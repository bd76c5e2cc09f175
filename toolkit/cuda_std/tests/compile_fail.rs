//! Kernels and launches that must not compile, with what the compiler says.

#[path = "../../tests/src/compile_fail.rs"]
mod compile_fail;

#[test]
fn wrong_kernels_do_not_compile() {
    let folders = ["signature", "generic", "launch", "phase", "inside", "limits", "raw"]
        .map(|folder| format!("tests/compile_fail/{folder}"));
    compile_fail::assert_wrong("wrong_kernels_do_not_compile", &folders.each_ref().map(String::as_str));
}
