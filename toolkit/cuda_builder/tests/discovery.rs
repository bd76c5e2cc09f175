//! The choice of a compiler, tested with fake toolchains.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use cuda_builder::Discovery;
use cuda_builder::compiler::{Origin, Unusable};
use tempfile::TempDir;

/// A toolchain whose `rustc` is a script that answers like rustc.
fn toolchain(root: &Path, name: &str, release: &str, with_sources: bool) -> PathBuf {
    let sysroot = root.join(name);
    let bin = sysroot.join("bin");
    fs::create_dir_all(&bin).unwrap();
    let script = format!(
        "#!/bin/sh\ncase \"$*\" in\n'--print sysroot') echo '{}';;\n\
         '-vV') printf 'rustc {release} (0123 2026-01-01)\\nhost: x\\nLLVM version: 22.1.2\\n';;\n*) exit 3;;\nesac\n",
        sysroot.display()
    );
    for program in ["rustc", "cargo"] {
        fs::write(bin.join(program), &script).unwrap();
        fs::set_permissions(bin.join(program), fs::Permissions::from_mode(0o755)).unwrap();
    }
    if with_sources {
        let library = sysroot.join("lib/rustlib/src/rust/library");
        fs::create_dir_all(library.join("core/src")).unwrap();
        fs::write(library.join("core/src/lib.rs"), "").unwrap();
        fs::write(library.join("Cargo.lock"), "").unwrap();
    }
    bin.join("rustc")
}

struct Machine {
    directory: TempDir,
    search: Discovery,
}

/// A machine with a pinned toolchain and Debian's, each with or without its library's sources.
fn machine(pinned_sources: bool, debian_sources: bool) -> Machine {
    let directory = TempDir::new().unwrap();
    let root = directory.path().to_owned();
    let search = Discovery {
        explicit: None,
        pinned: toolchain(&root, "pinned", "1.99.1", pinned_sources),
        debian: toolchain(&root, "debian", "1.96.0", debian_sources),
        directory: root,
    };
    Machine { directory, search }
}

#[test]
fn the_pinned_toolchain_goes_before_debians() {
    let machine = machine(true, true);
    let compiler = machine.search.find().unwrap();
    assert_eq!(compiler.origin, Origin::Pinned);
    assert_eq!(compiler.version, "rustc 1.99.1 (0123 2026-01-01)");
    assert_eq!(compiler.llvm, "22.1.2");
    assert_eq!(compiler.cargo, machine.directory.path().join("pinned/bin/cargo"));
    assert_eq!(compiler.library(), machine.directory.path().join("pinned/lib/rustlib/src/rust/library"));
}

#[test]
fn debians_stands_in_where_the_pinned_has_no_sources_or_is_not_there() {
    let mut machine = machine(false, true);
    assert_eq!(machine.search.find().unwrap().origin, Origin::Debian);
    machine.search.pinned = machine.directory.path().join("nowhere/rustc");
    assert_eq!(machine.search.find().unwrap().origin, Origin::Debian);
}

#[test]
fn the_compiler_that_made_a_file_is_preferred() {
    let machine = machine(true, true);
    let find = |version, llvm| machine.search.find_preferring(version, llvm).unwrap().origin;
    assert_eq!(find("rustc 1.96.0 (0123 2026-01-01)", "22.1.2"), Origin::Debian);
    assert_eq!(find("rustc 1.96.0 (0123 2026-01-01)", "21.0.0"), Origin::Pinned);
}

#[test]
fn one_compiler_is_found_once() {
    let mut machine = machine(true, true);
    machine.search.pinned = machine.search.debian.clone();
    let origins: Vec<_> = machine.search.candidates().into_iter().map(|(origin, _)| origin).collect();
    assert_eq!(origins, [Origin::Debian]);
}

#[test]
fn an_explicit_choice_alone_counts() {
    let mut machine = machine(true, true);
    machine.search.explicit = Some(machine.search.debian.clone());
    let compiler = machine.search.find().unwrap();
    assert_eq!((compiler.origin, compiler.version.as_str()), (Origin::Explicit, "rustc 1.96.0 (0123 2026-01-01)"));

    machine.search.explicit = Some(PathBuf::from("/nowhere/rustc"));
    let none = machine.search.find().unwrap_err();
    assert!(matches!(&none.tried[..], [(Origin::Explicit, Unusable::DoesNotRun { .. })]));
    let message = none.to_string();
    assert!(message.contains("/nowhere/rustc") && message.contains("CUDA_BUILDER_RUSTC"), "{message}");
}

#[test]
fn without_any_both_commands_are_told() {
    let machine = machine(false, false);
    let channel = "[toolchain]\nchannel = \"1.99.1\"\n";
    fs::write(machine.directory.path().join("rust-toolchain.toml"), channel).unwrap();
    let none = machine.search.find().unwrap_err();
    assert!(none.tried.iter().all(|(_, unusable)| matches!(unusable, Unusable::NoLibrarySources { .. })));
    let message = none.to_string();
    assert!(message.contains("rustup component add rust-src --toolchain 1.99.1"), "{message}");
    assert!(
        message.contains("apt-get install -y --no-install-recommends rustc-web cargo-web rust-web-src"),
        "{message}"
    );
}

#[test]
fn a_compiler_needs_its_cargo() {
    let machine = machine(true, false);
    fs::remove_file(machine.directory.path().join("pinned/bin/cargo")).unwrap();
    let none = machine.search.find().unwrap_err();
    assert!(matches!(&none.tried[0].1, Unusable::NoCargo { .. }), "{none}");
}

#[test]
fn compilers_that_copy_barriers_are_refused() {
    let mut machine = machine(true, false);
    let root = machine.directory.path().to_owned();
    for (old, version) in [("old", "1.95.0"), ("older", "1.89.1-nightly"), ("odd", "one")] {
        machine.search.explicit = Some(toolchain(&root, old, version, true));
        let none = machine.search.find().unwrap_err();
        assert!(matches!(&none.tried[..], [(Origin::Explicit, Unusable::TooOld { .. })]), "{none}");
        assert!(none.to_string().contains("PTX takes Rust 1.96 or newer"), "{none}");
    }
    for (new, version) in [("first", "1.96.0"), ("beta", "1.100.0-beta.2"), ("second", "2.0.0")] {
        machine.search.explicit = Some(toolchain(&root, new, version, true));
        assert!(machine.search.find().is_ok(), "{version}");
    }
}
