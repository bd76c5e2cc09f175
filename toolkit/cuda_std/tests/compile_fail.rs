//! Kernels and launches that must not compile, with what the compiler says.

use std::fs;
use std::path::Path;

#[path = "../../tests/src/compile_fail.rs"]
mod compile_fail;

#[test]
fn wrong_kernels_do_not_compile() {
    let folders = ["signature", "generic", "groups", "launch", "phase", "inside", "limits", "raw"]
        .map(|folder| format!("tests/compile_fail/{folder}"));
    compile_fail::assert_wrong("wrong_kernels_do_not_compile", &folders.each_ref().map(String::as_str));
}

/// A local that each closure would change.
const CHANGED: &str = "struct Last(u32);
impl Last { fn store(&mut self, x: u32) { self.0 = x } }
macro_rules! last { () => { Last(0) } }
";

/// A cell in each closure, each of another type, because the compiler reports each type once.
const CELL: &str = "struct Last<const LINE: usize>(std::cell::Cell<[u32; LINE]>);
impl<const LINE: usize> Last<LINE> { fn store(&self, x: u32) { self.0.set([x; LINE]) } }
macro_rules! last { () => { Last::<{ line!() as usize }>(std::cell::Cell::new([0; line!() as usize])) } }
";

/// `tests/device.rs` does the same with atomics, which only the device refuses.
#[test]
fn no_closure_of_any_phase_changes_or_shares_what_it_captures() {
    if let Some(folder) = compile_fail::folder_to_write() {
        return trybuild::TestCases::new().compile_fail(folder.join("*.rs"));
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("every_closure");
    fs::create_dir_all(&folder).unwrap();
    let programs = [("changed", CHANGED, "error[E0596]"), ("cell", CELL, "error[E0277]")].map(|(name, last, error)| {
        let head = format!("#![allow(unused)]\nuse cuda_std::prelude::*;\nfn main() {{}}\n{last}");
        let text = head + include_str!("closures/every.rs");
        fs::write(folder.join(name).with_extension("rs"), &text).unwrap();
        (name, text, error)
    });
    compile_fail::write_messages("no_closure_of_any_phase_changes_or_shares_what_it_captures", &folder);
    for (name, text, error) in programs {
        let messages = fs::read_to_string(folder.join(name).with_extension("stderr")).unwrap();
        let errors: Vec<_> = messages.split("\n\n").filter(|message| message.starts_with(error)).collect();
        let is_refused = |number: usize| errors.iter().any(|error| error.contains(&format!("/{name}.rs:{number}:")));
        let missed: Vec<_> = text
            .lines()
            .zip(1..)
            .filter(|(line, number)| line.starts_with("    ") && line.contains(".store(") && !is_refused(*number))
            .collect();
        assert!(missed.is_empty(), "none of {} errors is about {missed:#?}\n{messages}", errors.len());
    }
}
