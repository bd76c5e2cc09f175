//! What a kernel crate's digest depends on, and what it does not.

use std::fs;
use std::path::{Path, PathBuf};

use cuda_builder::inputs::graph::PackageGraph;
use cuda_builder::{CudaBuilder, CudaBuilderError, DebugInfo, NvvmArch};
use tempfile::TempDir;

const ROOT: &str = r#"[workspace]
members = ["kernels", "shapes", "macros", "host"]

[workspace.package]
edition = "2024"

[workspace.dependencies]
shapes = { path = "shapes" }
pod = { version = "1.0", features = ["derive"] }
rayon = "1.0"

[profile.release]
lto = "thin"
"#;

const FILES: &[(&str, &str)] = &[
    ("Cargo.toml", ROOT),
    (
        "kernels/Cargo.toml",
        "[package]\nname = \"my-kernels\"\nversion = \"0.1.0\"\nedition.workspace = true\n\
         [dependencies]\nshapes.workspace = true\n[dev-dependencies]\nproptest = \"1.0\"\n",
    ),
    ("kernels/src/lib.rs", "pub mod sub;\n"),
    ("kernels/src/sub/mod.rs", "// nothing\n"),
    (
        "shapes/Cargo.toml",
        "[package]\nname = \"shapes\"\nversion = \"0.1.0\"\nedition.workspace = true\n\
         [dependencies]\npod.workspace = true\nmacros = { path = \"../macros\" }\n\
         unlisted = { version = \"1.0\", optional = true }\n\
         [target.'cfg(not(target_arch = \"nvptx64\"))'.dependencies]\nrayon.workspace = true\n\
         host = { path = \"../host\" }\n",
    ),
    ("shapes/src/lib.rs", "// shapes\n"),
    (
        "macros/Cargo.toml",
        "[package]\nname = \"macros\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[lib]\nproc-macro = true\n\
         [target.'cfg(unix)'.dependencies]\nsyn = \"3.0\"\n",
    ),
    ("macros/src/lib.rs", "// macros\n"),
    ("host/Cargo.toml", "[package]\nname = \"host\"\nversion = \"0.1.0\"\nedition = \"2024\"\n"),
    ("host/src/lib.rs", "// host\n"),
];

fn lock() -> String {
    let registry = "source = \"registry+https://github.com/rust-lang/crates.io-index\"";
    let mut text = "version = 4\n".to_owned();
    for (name, version, local, dependencies) in [
        ("host", "0.1.0", true, ""),
        ("macros", "0.1.0", true, "\"syn\""),
        ("my-kernels", "0.1.0", true, "\"proptest\", \"shapes\""),
        ("pod", "1.0.0", false, "\"pod_derive\", \"unicode 2.0.0\""),
        ("pod_derive", "1.0.0", false, ""),
        ("proptest", "1.0.0", false, "\"unicode 1.0.0\""),
        ("rayon", "1.0.0", false, ""),
        ("shapes", "0.1.0", true, "\"host\", \"macros\", \"pod\", \"rayon\""),
        ("syn", "3.0.0", false, ""),
        ("unicode", "1.0.0", false, ""),
        ("unicode", "2.0.0", false, ""),
    ] {
        text += &format!("\n[[package]]\nname = \"{name}\"\nversion = \"{version}\"\n");
        if !local {
            text += &format!("{registry}\nchecksum = \"{name}{version}\"\n");
        }
        text += &format!("dependencies = [{dependencies}]\n");
    }
    text
}

struct Workspace(TempDir);

impl Workspace {
    fn new() -> Self {
        Self::written(FILES.iter())
    }

    fn written<'a>(files: impl Iterator<Item = &'a (&'a str, &'a str)>) -> Self {
        let workspace = Workspace(TempDir::new().unwrap());
        for (path, text) in files {
            workspace.write(path, text);
        }
        workspace.write("Cargo.lock", &lock());
        workspace
    }

    fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn replace(&self, path: &str, from: &str, to: &str) {
        let old = fs::read_to_string(self.path(path)).unwrap();
        assert!(old.contains(from), "{path} has no {from}");
        self.write(path, &old.replace(from, to));
    }

    fn builder(&self) -> CudaBuilder {
        CudaBuilder::new(self.path("kernels"))
    }

    fn digest(&self) -> String {
        self.builder().input_digest(NvvmArch::Compute75).unwrap()
    }
}

#[test]
fn the_digest_does_not_depend_on_place_or_order() {
    let here = Workspace::new();
    let there = Workspace::written(FILES.iter().rev());
    assert_eq!(here.digest(), there.digest());
    assert!(here.digest().starts_with("sha256:") && here.digest().len() == 7 + 64);
    // A builder with a relative or indirect path names the same crate.
    let indirect = CudaBuilder::new(here.path("host/../kernels")).input_digest(NvvmArch::Compute75).unwrap();
    assert_eq!(here.digest(), indirect);
}

#[test]
fn the_graph_is_what_the_device_sees() {
    let workspace = Workspace::new();
    let graph = PackageGraph::load(&workspace.path("kernels")).unwrap();
    let names: Vec<_> = graph.local.iter().map(|package| package.name.as_str()).collect();
    assert_eq!(names, ["macros", "my-kernels", "shapes"], "the host's half is not compiled");
    let locked: Vec<_> = graph.locked.iter().map(|package| format!("{} {}", package.name, package.version)).collect();
    assert_eq!(locked, ["pod 1.0.0", "pod_derive 1.0.0", "syn 3.0.0", "unicode 2.0.0"]);
}

#[test]
fn whatever_reaches_the_ptx_changes_the_digest() {
    let changes: &[(&str, &str, &str)] = &[
        ("kernels/src/lib.rs", "pub mod sub;\n", "pub mod sub;\r\n"),
        ("kernels/src/sub/mod.rs", "nothing", "something"),
        ("shapes/src/lib.rs", "shapes", "forms"),
        ("macros/src/lib.rs", "macros", "other macros"),
        ("shapes/Cargo.toml", "pod.workspace = true", "pod = { workspace = true, features = [\"zeroed\"] }"),
        ("Cargo.toml", "features = [\"derive\"]", "features = []"),
        ("Cargo.toml", "edition = \"2024\"", "edition = \"2021\""),
        ("Cargo.lock", "pod_derive1.0.0", "another checksum"),
        ("Cargo.lock", "unicode2.0.0", "another checksum"),
        ("Cargo.lock", "syn3.0.0", "another checksum"),
        ("Cargo.toml", "lto = \"thin\"", "[profile.release.package.shapes]\nopt-level = 1"),
    ];
    for (path, from, to) in changes {
        let workspace = Workspace::new();
        let before = workspace.digest();
        workspace.replace(path, from, to);
        assert_ne!(workspace.digest(), before, "{path}: {from} -> {to}");
    }
    let workspace = Workspace::new();
    let before = workspace.digest();
    workspace.write("kernels/src/sub/table.bin", "1 2 3");
    assert_ne!(workspace.digest(), before, "a file that could be included");
    fs::remove_file(workspace.path("kernels/src/sub/table.bin")).unwrap();
    assert_eq!(workspace.digest(), before);
    workspace.write("shapes/build.rs", "fn main() {}");
    assert_ne!(workspace.digest(), before, "a build script");
}

#[test]
fn what_stays_on_the_host_does_not() {
    let changes: &[(&str, &str, &str)] = &[
        ("host/src/lib.rs", "host", "other host"),
        ("Cargo.lock", "rayon1.0.0", "another checksum"),
        ("Cargo.lock", "proptest1.0.0", "another checksum"),
        ("Cargo.lock", "unicode1.0.0", "another checksum"),
        ("Cargo.toml", "rayon = \"1.0\"", "rayon = \"1.1\"\nclap = \"4.0\""),
        ("Cargo.toml", "lto = \"thin\"", "lto = \"fat\""),
        ("kernels/Cargo.toml", "proptest = \"1.0\"", "proptest = \"1.1\""),
    ];
    for (path, from, to) in changes {
        let workspace = Workspace::new();
        let before = workspace.digest();
        workspace.replace(path, from, to);
        assert_eq!(workspace.digest(), before, "{path}: {from} -> {to}");
    }
    let workspace = Workspace::new();
    let before = workspace.digest();
    for path in
        ["kernels/ptx/my_kernels.sm_75.ptx", "kernels/README.md", "kernels/tests/a.rs", "kernels/src/.lib.rs.swp"]
    {
        workspace.write(path, "text");
        assert_eq!(workspace.digest(), before, "{path}");
    }
}

#[test]
fn settings_change_the_digest() {
    let workspace = Workspace::new();
    workspace.write("table.bin", "1 2 3");
    let digest = |builder: CudaBuilder, arch| builder.input_digest(arch).unwrap();
    let mut digests = vec![
        digest(workspace.builder(), NvvmArch::Compute75),
        digest(workspace.builder(), NvvmArch::Compute90),
        digest(workspace.builder().features(["a"]), NvvmArch::Compute75),
        digest(workspace.builder().features(["a", "b"]), NvvmArch::Compute75),
        digest(workspace.builder().debug(DebugInfo::LineTables), NvvmArch::Compute75),
        digest(workspace.builder().extra_input(workspace.path("table.bin")), NvvmArch::Compute75),
    ];
    let order = digest(workspace.builder().features(["b", "a", "b"]), NvvmArch::Compute75);
    assert_eq!(order, digests[3]);
    digests.sort();
    digests.dedup();
    assert_eq!(digests.len(), 6);
}

#[test]
fn a_crate_elsewhere_may_use_packages_of_another_workspace() {
    let toolkit = Workspace::new();
    let outside = TempDir::new().unwrap();
    let manifest = format!(
        "[package]\nname = \"my-kernels\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n\
         [dependencies]\nshapes = {{ path = '{}' }}\n",
        toolkit.path("shapes").display()
    );
    fs::create_dir(outside.path().join("src")).unwrap();
    for (path, text) in [("Cargo.toml", manifest), ("src/lib.rs", String::new()), ("Cargo.lock", lock())] {
        fs::write(outside.path().join(path), text).unwrap();
    }
    let graph = PackageGraph::load(outside.path()).unwrap();
    let names: Vec<_> = graph.local.iter().map(|package| package.name.as_str()).collect();
    assert_eq!(names, ["macros", "my-kernels", "shapes"]);
    assert_eq!(graph.root, outside.path().canonicalize().unwrap());
    let locked: Vec<_> = graph.locked.iter().map(|package| package.name.as_str()).collect();
    assert_eq!(locked, ["pod", "pod_derive", "syn", "unicode"]);
    // `shapes` inherits values from its own workspace.
    let digest = || CudaBuilder::new(outside.path()).input_digest(NvvmArch::Compute75).unwrap();
    let before = digest();
    toolkit.replace("Cargo.toml", "features = [\"derive\"]", "features = []");
    assert_ne!(digest(), before);
}

#[test]
fn files_are_named_after_crate_and_architecture() {
    let workspace = Workspace::new();
    let both = workspace.builder().archs([NvvmArch::Compute75, NvvmArch::Compute90a]);
    let names = ["my_kernels.sm_75.ptx", "my_kernels.sm_90a.ptx"];
    assert_eq!(both.paths().unwrap(), names.map(|name| workspace.path("kernels/ptx").join(name)));
    assert_eq!(both.clone().ptx_directory("/out").paths().unwrap(), names.map(|name| Path::new("/out").join(name)));
    assert!(matches!(both.copy_to("/out/a.ptx").paths(), Err(CudaBuilderError::OneFileForSeveral { archs: 2, .. })));
}

#[test]
fn what_is_missing_is_named() {
    let told = |workspace: &Workspace| {
        let error = workspace.builder().input_digest(NvvmArch::Compute75).unwrap_err();
        std::iter::successors(Some(&error as &dyn std::error::Error), |error| error.source())
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join(": ")
    };
    let workspace = Workspace::new();
    workspace.replace("Cargo.lock", "name = \"pod_derive\"", "name = \"other\"");
    assert!(told(&workspace).contains("pod_derive"), "{}", told(&workspace));
    let workspace = Workspace::new();
    fs::remove_file(workspace.path("Cargo.lock")).unwrap();
    assert!(told(&workspace).contains("cargo generate-lockfile"), "{}", told(&workspace));
    let workspace = Workspace::new();
    workspace.replace("shapes/Cargo.toml", "../macros", "../gone");
    assert!(told(&workspace).contains("gone"), "{}", told(&workspace));
    let workspace = Workspace::new();
    workspace.replace("Cargo.toml", "pod = ", "pad = ");
    assert!(told(&workspace).contains("`pod` is not in the workspace's dependencies"), "{}", told(&workspace));
    let workspace = Workspace::new();
    let nowhere = CudaBuilder::new(workspace.path("nowhere")).build().unwrap_err();
    assert!(matches!(nowhere, CudaBuilderError::CratePathDoesntExist(_)));
}
