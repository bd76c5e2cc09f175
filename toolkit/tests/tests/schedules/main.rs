//! Delays in the PTX of the test kernels: text that the assembler takes, and where threads communicate.

mod check;

use check::check;
use cuda_builder::NvvmArch;
use cuda_builder::ptx::divergence::divergent;
use cuda_ptx::schedule::{Site, with_delays};

#[test]
fn each_place_where_threads_communicate_has_a_delay_and_the_assembler_takes_them() {
    let sites = check("test-kernels", test_kernels::PTX, &[NvvmArch::Compute75, NvvmArch::Compute90]);
    for site in [Site::Begin, Site::Barrier, Site::Atomic, Site::Fence, Site::Ordered] {
        assert!(sites.contains_key(&site), "{site:?} is not in the test kernels");
    }
}

#[test]
fn a_module_that_has_delays_gets_no_more() {
    let once = with_delays(test_kernels::PTX).unwrap();
    let error = with_delays(&once.text).unwrap_err().to_string();
    assert!(error.contains("has delays already"), "{error}");
}

#[test]
fn the_check_of_branches_sees_what_delays_must_not_do() {
    let module = |body: &str| {
        format!(
            ".version 6.3\n.target sm_75\n.address_size 64\n.visible .entry k()\n{{\nmov.u32 %r1, %tid.x;\n{body}\nret;\n}}\n"
        )
    };
    let phases = ["k".to_owned()];
    let whole = with_delays(&module("bar.sync 0;")).unwrap().text;
    assert_eq!(divergent(&whole, &phases), []);
    // A delay by a branch around a barrier would be found.
    let branch = "setp.eq.u32 %p1, %r1, 7;\n@%p1 bra $A;\nbar.sync 0;\n$A:";
    let found = divergent(&with_delays(&module(branch)).unwrap().text, &phases);
    assert_eq!(found.iter().map(|found| found.instruction.as_str()).collect::<Vec<_>>(), ["bar.sync"]);
}

#[test]
fn text_that_is_not_known_is_refused_with_its_line() {
    let module = |head: &str, body: &str| format!("{head}\n.address_size 64\n.visible .entry k()\n{{\n{body}\n}}\n");
    let head = ".version 6.3\n.target sm_75";
    assert!(with_delays(&module(head, "ret;")).is_ok());
    for (text, line, why) in [
        (module(".version 6.2\n.target sm_75", "ret;"), 1, "takes 6.3"),
        (module(".version 9.x\n.target sm_75", "ret;"), 1, "takes 6.3"),
        (module(".version 6.3\n.target sm_61", "ret;"), 2, "takes sm_70"),
        (module(".version 6.3", "ret;"), 1, "no `.target`"),
        (module(head, "ret;").replace(".address_size 64\n", ""), 1, "no `.address_size 64`"),
        (
            module(head, "bar.sync 0;\ntcgen05.wait::ld.sync.aligned;"),
            7,
            "`tcgen05.wait::ld.sync.aligned` is not known",
        ),
        (module(head, "ret;\nmov.u32 %r1, 7"), 7, "has no end"),
        (module(head, "%r1;"), 6, "not an instruction"),
        (module(head, "ret;") + ".other { ret; }\n", 8, "neither a function nor data"),
        (module(head, "{ ret;"), 5, "a brace is not closed"),
        (module(head, "ret;").replace("k()", "()"), 5, "neither a function nor data"),
    ] {
        let error = with_delays(&text).unwrap_err();
        assert!(error.problem.contains(why) && error.line == line, "{error}, and not line {line}: {why}");
    }
}
