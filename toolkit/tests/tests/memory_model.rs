//! The guide's page about PTX's memory model lists each instruction by which threads exchange data, and each exchange has a kernel.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use toolkit_tests::cited::between;
use toolkit_tests::memory_model::{
    exchanges, instructions, lacking, listed, loaded_without_coherence, name, not_listed,
};

fn toolkit() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("the sources are where they were compiled")
}

/// The Rust files below a folder, with their texts.
fn sources(folder: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for path in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push((path.display().to_string(), fs::read_to_string(&path).expect("text")));
        }
    }
    found
}

/// The names of instructions in a source's assembly. Macros put some together, so the name may lack its end.
fn written_in(source: &str) -> BTreeSet<String> {
    let mut kinds: BTreeSet<_> = listed().iter().filter_map(|name| Some(name.split('.').next()?.to_owned())).collect();
    kinds.insert("mbarrier".into());
    let code = source.lines().filter(|line| !line.trim_start().starts_with("//"));
    let mut found = BTreeSet::new();
    for literal in code.flat_map(|line| line.split('"').skip(1).step_by(2)) {
        for word in literal.split(|c: char| c.is_whitespace() || ";{}".contains(c)) {
            // (A lone word may be one of a message.)
            if word.split_once('.').is_some_and(|(kind, rest)| kinds.contains(kind) && !rest.is_empty()) {
                found.insert(name(word));
            }
        }
    }
    found
}

#[test]
fn instructions_of_the_committed_ptx_are_listed() {
    assert_eq!(not_listed(test_kernels::PTX), [""; 0]);
    // What is not listed is found, in kernels and in functions.
    for head in [".visible .entry k()", ".func (.param .b32 result) k()", ".func k(.param .b64 place)"] {
        let added = format!(
            "{head}\n{{\n@%p1 mbarrier.arrive.release.cta.b64 _, [%r1];\n{{ .reg .b64 a; st.relaxed.cluster.b32 [a], 1; }}\n}}"
        );
        assert_eq!(not_listed(&added), ["mbarrier.arrive.release.cta in k", "st.relaxed.cluster in k"], "{head}");
    }
}

#[test]
fn instructions_in_assembly_are_listed_and_what_is_listed_is_emitted() {
    let sources = sources(&toolkit().join("cuda_std/src"));
    let (listed, mut written) = (listed(), BTreeSet::new());
    for (file, text) in &sources {
        for name in written_in(text) {
            let is_listed = listed.iter().any(|listed| listed.starts_with(&name) || name.starts_with(listed.as_str()));
            assert!(is_listed, "{file}: {name}");
            written.insert(name);
        }
    }
    assert!(written.len() > 25, "{written:?}");
    let committed: BTreeSet<String> = instructions(test_kernels::PTX).into_values().flatten().collect();
    let intrinsics: String = sources.iter().map(|(_, text)| text.as_str()).collect();
    for name in &listed {
        let in_assembly = written.iter().any(|written| name.starts_with(written.as_str()));
        // LLVM writes `membar.sys` for `llvm.nvvm.membar.sys`.
        let is_intrinsic = intrinsics.contains(&format!("\"llvm.nvvm.{name}\""));
        assert!(committed.contains(name) || in_assembly || is_intrinsic, "nothing emits {name}");
    }
}

#[test]
fn exchanges_are_carried_by_their_instructions() {
    let (exchanges, listed) = (exchanges(), listed());
    assert!(exchanges.len() >= 15, "{} exchanges", exchanges.len());
    let other_kernels: String =
        sources(&toolkit().join("tests/tensor/kernels/src")).into_iter().map(|(_, text)| text).collect();
    let committed = instructions(test_kernels::PTX);
    let mut found = 0;
    for exchange in &exchanges {
        assert!(exchange.instructions.iter().all(|name| listed.contains(name)), "{exchange:?}");
        assert!(toolkit().join("guide/src").join(&exchange.source).is_file(), "{exchange:?}");
        match lacking(exchange, &committed) {
            Some(lacking) => {
                assert_eq!(lacking, [""; 0], "{exchange:?}");
                found += 1;
            }
            // The tests of the other package look at these, if there is a compiler for devices.
            None => {
                let kernel = exchange.kernel.as_deref().expect("a kernel");
                let mut words = other_kernels.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
                assert!(words.any(|word| word == kernel), "{exchange:?}: no such kernel");
            }
        }
    }
    assert!(found >= 12, "{found} exchanges in this PTX");
}

#[test]
fn sections_of_the_page_are_the_exchanges() {
    let page = toolkit_tests::memory_model::PAGE;
    let sections: BTreeSet<&str> = between(page, "\n### ", "\n").collect();
    let exchanges = exchanges();
    let named: BTreeSet<&str> = exchanges.iter().map(|exchange| exchange.name.as_str()).collect();
    assert_eq!(sections, named, "each exchange of the table has a section, and each section a row");
}

#[test]
fn only_constants_are_loaded_without_coherence() {
    let found = loaded_without_coherence(test_kernels::PTX);
    assert!(found.len() > 3 && found.values().all(BTreeSet::is_empty), "{found:?}");
    let of_memory = ".visible .entry k(\n\t.param .u64 .ptr .align 1 k_param_0,\n\t.param .u32 k_param_1\n)\n{\n\
        ld.param.b64 \t%rd1, [k_param_0];\n\tld.param.b32 \t%r1, [k_param_1];\n\tcvta.to.global.u64 \t%rd2, %rd1;\n\
        mad.wide.u32 \t%rd3, %r1, 8, %rd2;\n\tld.global.nc.v2.b32 \t{%r2, %r3}, [%rd3+8];\n\tret;\n}\n";
    assert_eq!(loaded_without_coherence(of_memory)["k"], BTreeSet::from(["k_param_0"]));
}
