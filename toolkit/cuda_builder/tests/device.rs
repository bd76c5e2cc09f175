//! Builds of the fixture with a real device compiler. Without one they are skipped with a message.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use cuda_builder::canary::{CANARIES, Canary, CanaryError};
use cuda_builder::flags::{KEEP_BARRIERS, code_generation};
use cuda_builder::ptx::header::Header;
use cuda_builder::ptx::module::PtxModule;
use cuda_builder::ptx::verify::Refusal;
use cuda_builder::{Checked, CudaBuilder, CudaBuilderError, DebugInfo, DeviceCompiler, Discovery, NvvmArch, sealed};

/// Builds share a target directory, so that `core` is compiled once for each set of flags; one test at a time.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A directory that is kept between test runs: a second run takes seconds.
fn place(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("device-builds").join(name)
}

/// The fixture's workspace, copied to a directory, with the toolchain that this workspace pins.
fn fixture(name: &str) -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let to = place(name);
    copy(&package.join("tests/fixtures/workspace"), &to);
    let pinned = package.ancestors().map(|above| above.join("rust-toolchain.toml")).find(|file| file.is_file());
    copy(&pinned.expect("the workspace pins its toolchain"), &to.join("rust-toolchain.toml"));
    to
}

/// Copies files that differ, because cargo compares modification times.
fn copy(from: &Path, to: &Path) {
    if from.is_dir() {
        fs::create_dir_all(to).unwrap();
        for entry in from.read_dir().unwrap().map(Result::unwrap).filter(|entry| entry.file_name() != "target") {
            copy(&entry.path(), &to.join(entry.file_name()));
        }
    } else {
        let bytes = fs::read(from).unwrap();
        if fs::read(to).ok().as_ref() != Some(&bytes) {
            fs::write(to, bytes).unwrap();
        }
    }
}

fn builder(workspace: &Path) -> CudaBuilder {
    CudaBuilder::new(workspace.join("kernels")).target_directory(shared_target())
}

/// Where the kernels of this workspace are built: with the same flags for `core`, wherever the fixture is.
fn shared_target() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("the build directory").join("cuda-builder")
}

/// The device compiler, or `None` with a message.
fn compiler(directory: &Path) -> Option<DeviceCompiler> {
    match Discovery::new(directory).find() {
        Ok(compiler) => Some(compiler),
        Err(none) if std::env::var_os("CUDA_REQUIRE_DEVICE_COMPILER").is_some_and(|value| value == "1") => {
            panic!("CUDA_REQUIRE_DEVICE_COMPILER=1, and there is {none}")
        }
        Err(_) => {
            // Not through `eprintln!`, which a passing test captures.
            let told = "skipped: no device compiler here (`cargo xtask doctor` tells how to install one)";
            let _ = writeln!(std::io::stderr(), "{told}");
            None
        }
    }
}

/// Whether tests run that compile `core` once more, with flags of their own: only with CUDA_WIDE=1, as each takes ten seconds of a core, and
/// what they check changes with the compiler alone.
fn is_wide(test: &str) -> bool {
    let is_wide = std::env::var("CUDA_WIDE").as_deref() == Ok("1");
    if !is_wide {
        // Not through `eprintln!`, which a passing test captures.
        let _ = writeln!(std::io::stderr(), "skipped: {test}; CUDA_WIDE=1 runs it");
    }
    is_wide
}

#[test]
fn two_directories_give_the_same_bytes() {
    let _alone = alone();
    let (here, there) = (fixture("here"), fixture("somewhere/else/there"));
    if compiler(&here).is_none() {
        return;
    }
    let mut texts = Vec::new();
    for workspace in [&here, &there] {
        let _ = fs::remove_dir_all(workspace.join("kernels/ptx"));
        // Cargo would take the other directory's helper, which has the same name, for this one's.
        let helper = workspace.join("helper/src/lib.rs");
        fs::write(&helper, fs::read(&helper).unwrap()).unwrap();
        let output = builder(workspace).build().unwrap();
        let file = &output.files[0];
        assert_eq!(file.path, workspace.join("kernels/ptx/fixture_kernels.sm_75.ptx"));
        assert_eq!((file.written, file.entries.join(" ")), (true, "fixture_exchange fixture_sum".to_owned()));
        assert_eq!(builder(workspace).check().unwrap(), [(file.path.clone(), Checked::SameBytes)]);
        texts.push(fs::read_to_string(&file.path).unwrap());
    }
    assert!(texts[0] == texts[1], "the files differ: {} and {}", here.display(), there.display());

    let (header, body) = Header::read(&texts[0]).unwrap();
    assert_eq!(header.target, "nvptx64-nvidia-cuda sm_75");
    assert!(body.contains(".target sm_75"));
    let module = PtxModule::parse(body);
    assert_eq!(module.barrier_sites().into_iter().collect::<Vec<_>>(), [("fixture_exchange", 1), ("fixture_sum", 1)]);
    // Paths do appear, under names that are the same everywhere.
    for path in ["kernels/src/lib.rs", "helper/src/lib.rs", "rust/library/core/src/"] {
        assert!(module.texts.iter().any(|text| text.starts_with(path)), "{path} is not in {:?}", module.texts);
    }
}

#[test]
fn an_unchanged_crate_is_not_built_and_a_change_is_noticed() {
    let _alone = alone();
    let workspace = fixture("here");
    if compiler(&workspace).is_none() {
        return;
    }
    let path = builder(&workspace).build().unwrap().files.remove(0).path;
    assert!(!builder(&workspace).build().unwrap().files[0].written);

    // The file matches these sources, but not their result.
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("bar.sync", "bar.arrive")).unwrap();
    assert!(matches!(builder(&workspace).check(), Err(CudaBuilderError::Header { .. })));
    let (header, body) = Header::read(&text).unwrap();
    fs::write(&path, header.clone().stamp(&body.replace("bar.sync", "bar.arrive"))).unwrap();
    assert!(matches!(builder(&workspace).check(), Err(CudaBuilderError::OtherBytes { .. })));
    let other = Header { compiler: "rustc 1.0.0 (of old)".to_owned(), ..header };
    fs::write(&path, other.clone().stamp(body)).unwrap();
    assert!(matches!(builder(&workspace).check(), Err(CudaBuilderError::Header { .. })), "the header was changed");
    let (module, _) = body.trim_end().rsplit_once('\n').expect("the last line has the header's digest");
    fs::write(&path, other.clone().stamp(&sealed(&other, &format!("{module}\n")))).unwrap();
    let checked = builder(&workspace).check().unwrap().remove(0).1;
    assert!(matches!(checked, Checked::SameInputs { made_by, here: Some(_) } if made_by == other.compiler));
    assert!(builder(&workspace).build().unwrap().files[0].written, "another compiler's file is made anew");
    assert_eq!(fs::read_to_string(&path).unwrap(), text);

    // Changed sources.
    let source = workspace.join("helper/src/lib.rs");
    let old = fs::read_to_string(&source).unwrap();
    fs::write(&source, old.replace("x * x", "x * x * x")).unwrap();
    assert!(matches!(builder(&workspace).check(), Err(CudaBuilderError::OutOfDate { .. })));
    assert!(builder(&workspace).build().unwrap().files[0].written);
    assert_ne!(fs::read_to_string(&path).unwrap(), text);
    fs::write(&source, old).unwrap();
}

#[test]
fn another_architecture_with_line_information() {
    let _alone = alone();
    let workspace = fixture("here");
    if !is_wide("another architecture with line information") || compiler(&workspace).is_none() {
        return;
    }
    let ptx = workspace.join("lines.sm_90.ptx");
    let lines = builder(&workspace).arch(NvvmArch::Compute90).debug(DebugInfo::LineTables).copy_to(&ptx);
    lines.build().unwrap();
    let text = fs::read_to_string(&ptx).unwrap();
    assert!(text.contains(".target sm_90") && text.contains(".loc"), "{}", ptx.display());
    let module = PtxModule::parse(&text);
    assert!(module.texts.iter().any(|text| text.ends_with("kernels/src/lib.rs")), "{}", ptx.display());
}

#[test]
fn what_must_not_be_delivered_is_refused() {
    let _alone = alone();
    let workspace = fixture("here");
    if compiler(&workspace).is_none() {
        return;
    }
    let ptx = workspace.join("refused.ptx");
    let build = |feature: &str| builder(&workspace).features([feature]).copy_to(&ptx).build();
    let refusals = |feature: &str| match build(feature) {
        Err(CudaBuilderError::Refused { refusals, .. }) => refusals,
        other => panic!("{feature}: {other:?}"),
    };
    assert_eq!(refusals("no-kernels"), [Refusal::NoKernels]);
    assert_eq!(refusals("unresolved-function"), [Refusal::UnresolvedFunction("nobody_has_this".to_owned())]);
    assert!(matches!(&refusals("absolute-path")[..], [Refusal::AbsolutePath(path)] if path.contains("here")));
    let assembly = refusals("assembly-barrier");
    assert!(matches!(&assembly[..], [Refusal::CollectiveAssembly { instruction, .. }] if instruction == "bar.sync"));
    let atomic = refusals("atomic-anywhere");
    let is_atomic =
        |refusal: &Refusal| matches!(refusal, Refusal::AtomicAnywhere { function, .. } if function == "fixture_atomic");
    assert!(!atomic.is_empty() && atomic.iter().all(is_atomic), "{atomic:?}");
    let outside = build("outside-input").unwrap_err();
    assert!(
        matches!(&outside, CudaBuilderError::InputOutside { path, .. } if path.ends_with("outside.bin")),
        "{outside}"
    );
    let message = build("does-not-compile").unwrap_err().to_string();
    assert!(message.contains("mismatched types"), "the compiler's own words: {message}");
    assert!(!ptx.exists(), "nothing is delivered");

    let named = builder(&workspace).features(["outside-input"]).extra_input(workspace.join("outside.bin"));
    assert!(named.copy_to(&ptx).build().unwrap().files[0].written);
    fs::remove_file(&ptx).unwrap();
}

#[test]
fn lints_see_the_kernels_as_the_device_does() {
    let _alone = alone();
    let workspace = fixture("here");
    let Some(compiler) = compiler(&workspace) else { return };
    let clippy = compiler.cargo.with_file_name(format!("cargo-clippy{}", std::env::consts::EXE_SUFFIX));
    if !clippy.is_file() {
        // Debian has clippy in a separate package.
        assert!(builder(&workspace).lint().is_err());
        return;
    }
    builder(&workspace).lint().unwrap();
    let message = builder(&workspace).features(["lint"]).lint().unwrap_err().to_string();
    assert!(message.contains("clippy::bool-comparison"), "{message}");
}

#[test]
fn canaries_fail_where_the_flag_does_not_reach() {
    if !is_wide("canaries without the flag that keeps barriers") {
        return;
    }
    let Some(compiler) = compiler(Path::new(env!("CARGO_MANIFEST_DIR"))) else { return };
    let with = code_generation(NvvmArch::Compute75);
    let mut without: Vec<String> = with.iter().filter(|flag| *flag != KEEP_BARRIERS).cloned().collect();
    // Barriers are duplicated before LLVM's passes, which take most of the time for `core`.
    without.push("-Cno-prepopulate-passes".to_owned());
    let last = [KEEP_BARRIERS.to_owned()];
    let target = place("unguarded");
    let canary =
        |flags, last_flags, target| Canary { compiler: &compiler, flags, last_flags, debug: DebugInfo::None, target };

    let bare = canary(&without, &[], &target);
    let barriers = bare.barriers().unwrap();
    if CANARIES.iter().all(|kernel| barriers[*kernel] == 1) {
        // A compiler that omits jump threading for GPUs needs no flag.
        bare.check().unwrap();
    } else {
        assert!(CANARIES.iter().all(|kernel| barriers[*kernel] == 2), "{barriers:?}");
        assert!(matches!(bare.check(), Err(CanaryError::BarrierCount { barriers: 2, .. })));
        // After cargo's `--` the flag applies to the kernel crate and not to its dependency.
        let late = canary(&without, &last, &target);
        let barriers = late.barriers().unwrap();
        assert_eq!((barriers[CANARIES[0]], barriers[CANARIES[1]]), (1, 2));
        assert!(late.check().is_err());
    }
    // With the flag in the right place they pass; otherwise none of the builds above would succeed.
}
