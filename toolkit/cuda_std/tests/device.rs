//! Which kernels can be built for a GPU, and which are refused: `tests/device` has a kernel crate for each case. Without a
//! compiler for GPUs the tests print a line and pass.

use cuda_builder::nested::NestedError;
use cuda_builder::ptx::verify::Refusal;
use cuda_builder::{BuildOutput, CudaBuilder, CudaBuilderError, Discovery, NvvmArch};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Builds share a directory, so that `core` is compiled once. They run one at a time.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// The head of every case.
const HEAD: &str = "//! A case.
#![no_std]
#![cfg_attr(target_arch = \"nvptx64\", feature(abi_ptx, asm_experimental_arch))]
#![UNSAFE(unsafe_code)]
use cuda_std::prelude::*;
";

/// An atomic in a closure of every phase.
const EVERY_CLOSURE: &str = concat!(
    "struct Last(core::sync::atomic::AtomicU32);\n",
    "impl Last { fn store(&self, x: u32) { self.0.store(x, core::sync::atomic::Ordering::Relaxed) } }\n",
    "macro_rules! last { () => { Last(core::sync::atomic::AtomicU32::new(0)) } }\n",
    include_str!("closures/every.rs")
);

struct Package {
    directory: PathBuf,
    _alone: MutexGuard<'static, ()>,
}

/// The crate of a case, with the lint level `level` for unsafe code; `None` without a compiler. All cases use one directory in
/// turn, because another directory would compile `core` again.
fn case(name: &str, level: &str) -> Option<Package> {
    let alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("device-cases/case");
    fs::create_dir_all(directory.join("src")).unwrap();
    if let Err(none) = Discovery::new(package).find() {
        let required = std::env::var_os("CUDA_REQUIRE_DEVICE_COMPILER").is_some_and(|value| value == "1");
        assert!(!required, "CUDA_REQUIRE_DEVICE_COMPILER=1, and there is {none}");
        // Not through `eprintln!`, which a passing test swallows.
        let _ = writeln!(
            std::io::stderr(),
            "skipped: no device compiler here (`cargo xtask doctor` tells how to install one)"
        );
        return None;
    }
    let text = match name {
        "every_closure" => EVERY_CLOSURE.to_owned(),
        name => fs::read_to_string(package.join("tests/device").join(format!("{name}.rs"))).unwrap(),
    };
    write(&directory.join("src/lib.rs"), &(HEAD.replace("UNSAFE", level) + &text));
    let manifest = format!(
        "[package]\nname = \"device-case\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\n\
         cuda_std = {{ path = {package:?} }}\ncuda_layout = {{ path = {:?} }}\n\
         bytemuck = {{ version = \"1\", features = [\"derive\", \"min_const_generics\"] }}\n\n[workspace]\n",
        package.join("layout")
    );
    write(&directory.join("Cargo.toml"), &manifest);
    let root = package.ancestors().find(|folder| folder.join("Cargo.lock").is_file()).unwrap();
    if !directory.join("Cargo.lock").is_file() {
        fs::copy(root.join("Cargo.lock"), directory.join("Cargo.lock")).unwrap();
    }
    write(&directory.join("rust-toolchain.toml"), &fs::read_to_string(root.join("rust-toolchain.toml")).unwrap());
    // Keeps only those parts of the workspace's lock file that this crate reaches.
    let mut cargo = Command::new(env!("CARGO"));
    let resolved =
        cargo.args(["metadata", "--offline", "--format-version", "1"]).current_dir(&directory).output().unwrap();
    assert!(resolved.status.success(), "{}", String::from_utf8_lossy(&resolved.stderr));
    Some(Package { directory, _alone: alone })
}

/// Writes a file if its text differs, because Cargo compares times of change.
fn write(path: &Path, text: &str) {
    if !fs::read_to_string(path).is_ok_and(|old| old == text) {
        fs::write(path, text).unwrap();
    }
}

fn build(package: &Package) -> Result<BuildOutput, CudaBuilderError> {
    let ptx = package.directory.join("kernels.ptx");
    let _ = fs::remove_file(&ptx);
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("the build directory").join("cuda-builder");
    CudaBuilder::new(&package.directory).arch(NvvmArch::Compute75).target_directory(target).copy_to(ptx).build()
}

/// The compiler's messages about a case that it refuses.
fn messages(name: &str) -> Option<String> {
    match build(&case(name, "deny")?) {
        Err(CudaBuilderError::BuildFailed(NestedError::Failed { messages, .. })) => Some(messages),
        other => panic!("{name} was to be refused by the compiler: {other:?}"),
    }
}

/// The reasons why PTX is refused although the case compiles.
fn refusals(name: &str) -> Option<Vec<Refusal>> {
    match build(&case(name, "deny")?) {
        Err(CudaBuilderError::Refused { refusals, .. }) => Some(refusals),
        other => panic!("{name} was to be refused: {other:?}"),
    }
}

#[test]
fn what_a_phase_holds_does_not_change() {
    for name in ["atomic_captured", "atomic_of_a_warp", "atomic_of_a_team", "atomic_functor", "trait_object"] {
        let Some(messages) = messages(name) else { return };
        assert!(
            messages.contains("a phase's closure holds an atomic, a cell, or a trait object"),
            "{name}: {messages}"
        );
        assert!(messages.contains("src/lib.rs"), "{name}: it says where: {messages}");
    }
}

#[test]
fn no_closure_of_any_phase_is_left_out() {
    let Some(messages) = messages("every_closure") else { return };
    let said = messages.matches("error[E0080]").count();
    let missed: Vec<_> = EVERY_CLOSURE
        .lines()
        .zip(1 + HEAD.lines().count()..)
        .filter(|(line, number)| {
            line.starts_with("    ") && line.contains(".store(") && !messages.contains(&format!("src/lib.rs:{number}:"))
        })
        .collect();
    assert!(missed.is_empty(), "{said} errors, and none about {missed:#?}\n{messages}");
}

#[test]
fn code_between_phases_does_not_learn_which_block_runs_it() {
    let Some(messages) = messages("unequal_values") else { return };
    assert_eq!(messages.matches("error[E0133]").count(), 2, "{messages}");
}

#[test]
fn a_static_does_not_change() {
    let cases = [
        ("atomic_static", "COUNT"),
        ("cell_static", "CELL"),
        ("static_in_table", "COUNT"),
        ("static_of_function", "COUNT"),
        ("static_of_trait", "COUNT"),
    ];
    for (name, suffix) in cases {
        let Some(mut refusals) = refusals(name) else { return };
        // Some of them hang, and some reach it by an address that could be of any memory, which is seen, too.
        refusals.retain(|refusal| !matches!(refusal, Refusal::Divergent(_) | Refusal::AtomicAnywhere { .. }));
        assert!(
            matches!(&refusals[..], [Refusal::MutableStatic(name)] if name.contains(suffix)),
            "{name}: {refusals:?}"
        );
    }
}

#[test]
fn a_thread_has_no_atomics_of_its_own() {
    let Some(refusals) = refusals("atomic_of_a_thread") else { return };
    let is_atomic = |refusal: &Refusal| matches!(refusal, Refusal::AtomicAnywhere { instruction, .. } if instruction.starts_with("atom."));
    assert!(!refusals.is_empty() && refusals.iter().all(is_atomic), "{refusals:?}");
}

#[test]
fn what_is_sound_is_built_where_unsafe_code_is_forbidden() {
    let Some(package) = case("sound", "forbid") else { return };
    let output = build(&package).unwrap();
    assert_eq!(output.files[0].entries, ["curve", "generic", "teams"]);
    // Of the trait object.
    let warnings = &output.files[0].warnings;
    assert!(warnings.starts_with("kernel `curve` calls a function by its address"), "{warnings}");
    assert_eq!(warnings.matches("kernel `").count(), 1, "{warnings}");
}

#[test]
fn groups_change_no_instruction() {
    let Some(package) = case("groups", "forbid") else { return };
    let output = build(&package).unwrap();
    assert_eq!(output.files[0].entries, ["by_groups_", "one_by_one", "twice"]);
    let ptx = fs::read_to_string(&output.files[0].path).unwrap();
    // Each panic has its own place in the source, and each entry its own labels.
    let instructions = |entry: &str| -> Vec<String> {
        let body = ptx.split(&format!(".entry {entry}(")).nth(1).unwrap();
        let body = body.split("\n}").next().unwrap().replace(entry, "entry");
        let numbered = |word: &str| word.starts_with("alloc_") || word.starts_with("$L__BB");
        let words = |line: &str| -> String {
            let code = line.split("//").next().unwrap_or_default();
            code.split([' ', ',', ';', ':', '\t']).filter(|word| !numbered(word)).collect()
        };
        body.lines().map(words).collect()
    };
    assert_eq!(instructions("by_groups_"), instructions("one_by_one"));
    assert!(instructions("one_by_one").len() > 50, "{ptx}");
    assert!(ptx.contains("twice__a$array[256]") && ptx.contains("twice__b$array[256]"), "{ptx}");
}

#[test]
fn an_instance_of_a_generic_kernel_is_an_entry() {
    let Some(package) = case("generic", "forbid") else { return };
    let output = build(&package).unwrap();
    assert_eq!(output.files[0].entries, ["curve_by_hand", "curve_line", "turned_f32", "turned_f64"]);
    assert_eq!(output.files[0].warnings, "");
    let ptx = fs::read_to_string(&output.files[0].path).unwrap();
    let part = |entry: &str| {
        let part = ptx.split(&format!(".entry {entry}(")).nth(1).unwrap();
        part.split(".entry ").next().unwrap().to_owned()
    };
    assert!(part("turned_f32").contains(".reqntid 256, 1, 1"), "{ptx}");
    assert!(part("turned_f64").contains(".reqntid 128, 1, 1"), "{ptx}");
    assert!(part("curve_line").contains(".reqntid 64, 1, 1"), "{ptx}");
    assert!(ptx.contains("turned_f32__tile[1024]") && ptx.contains("turned_f64__tile[1024]"), "{ptx}");
    assert!(!ptx.contains(".func"), "nothing is left to call: {ptx}");
    let instructions = |entry: &str| {
        let body = part(entry);
        let lines = body.lines().filter_map(|line| line.strip_prefix('\t'));
        let words = lines.map(|line| line.split('\t').next().unwrap().trim().to_owned());
        words.filter(|word| !word.starts_with(".")).collect::<Vec<_>>()
    };
    assert_eq!(instructions("curve_line"), instructions("curve_by_hand"), "a functor costs nothing: {ptx}");
}

#[test]
fn names_may_be_keywords_or_those_of_generated_items() {
    let Some(package) = case("odd_names", "forbid") else { return };
    let output = build(&package).unwrap();
    assert_eq!(output.files[0].entries, ["enum", "loop", "named"]);
    let ptx = fs::read_to_string(&output.files[0].path).unwrap();
    assert!(!ptx.contains("r#") && ptx.contains("loop__use[256]"), "{ptx}");
}

/// The driver refuses `.b8 array[0]`, with every kernel of the module.
#[test]
fn arrays_of_no_bytes_are_declared_with_one() {
    let Some(package) = case("no_bytes", "forbid") else { return };
    let output = build(&package).unwrap();
    let ptx = fs::read_to_string(&output.files[0].path).unwrap();
    assert!(ptx.contains("no_bytes__none[1]") && ptx.contains("no_bytes__empty[1]"), "{ptx}");
    assert!(!ptx.contains("[0];") && !ptx.contains("[0])") && !ptx.contains("[0],"), "{ptx}");
}

#[test]
fn numbers_of_128_bits_are_divided() {
    let Some(package) = case("wide_division", "deny") else { return };
    let output = build(&package).unwrap();
    assert_eq!(output.files[0].entries, ["wide"]);
}

#[test]
fn shared_memory_is_counted() {
    let Some(messages) = messages("large_shared") else { return };
    assert!(messages.contains("the shared arrays of kernel `large` take more than 48 KiB"), "{messages}");
    let refusals = refusals("shared_and_reduction").unwrap();
    assert!(
        matches!(&refusals[..], [Refusal::SharedMemory { kernel, bytes: 51_208 }] if kernel == "tight"),
        "{refusals:?}"
    );
}

#[test]
fn an_error_without_a_place_says_what_it_is_of() {
    let Some(messages) = messages("same_name") else { return };
    assert!(messages.contains("two kernels are called `k`"), "{messages}");
}

#[test]
fn a_float_method_points_to_the_function() {
    let Some(messages) = messages("float_methods") else { return };
    assert_eq!(
        messages.matches("call the function of `math`, as `math::sqrt(x)` for `x.sqrt()`").count(),
        2,
        "{messages}"
    );
}

#[test]
fn a_message_that_is_formatted_is_warned_about() {
    let Some(package) = case("formatted", "deny") else { return };
    let output = build(&package).unwrap();
    assert!(output.files[0].warnings.contains("`formatted` formats text"), "{}", output.files[0].warnings);
}

#[test]
fn recursion_is_warned_about() {
    let Some(package) = case("recursive", "deny") else { return };
    let output = build(&package).unwrap();
    assert!(
        output.files[0].warnings.contains("`deep` calls a function that calls itself"),
        "{}",
        output.files[0].warnings
    );
}

#[test]
fn calls_by_address_are_warned_about() {
    let Some(package) = case("by_address", "deny") else { return };
    let output = build(&package).unwrap();
    for kernel in ["by_object", "by_pointer"] {
        let expected = format!("`{kernel}` calls a function by its address");
        assert!(output.files[0].warnings.contains(&expected), "{kernel}: {}", output.files[0].warnings);
    }
    assert!(!output.files[0].warnings.contains("`by_type`"), "{}", output.files[0].warnings);
}

#[test]
fn an_instruction_that_the_chip_lacks_is_refused() {
    let Some(refusals) = refusals("newer_instruction") else { return };
    assert!(
        matches!(&refusals[..], [Refusal::NewerInstruction { instruction, needs: 80, target: 75, .. }]
            if instruction == "cp.async.commit_group"),
        "{refusals:?}"
    );
}

#[test]
fn tensor_cores_are_refused_for_a_chip_without_them() {
    let Some(messages) = messages("tensor_cores_of_older_chips") else { return };
    assert!(
        messages.contains("tensor cores multiply matrices in kernels that are built for sm_80 or later"),
        "{messages}"
    );
}
