//! What a PTX module must not contain.

use std::path::PathBuf;

use super::divergence::Divergent;
use super::module::{Function, PtxModule};

/// Functions that the driver provides to every module.
pub const PROVIDED_FUNCTIONS: &[&str] =
    &["vprintf", "malloc", "free", "__assertfail", "cudaGetParameterBufferV2", "cudaLaunchDeviceV2"];

/// A reason to refuse a module.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// It has no kernel.
    #[error("it has no kernel: a kernel is a function with #[kernel] (an `extern \"ptx-kernel\"` entry)")]
    NoKernels,
    /// It contains a path of this machine, so the file would differ elsewhere.
    #[error("it holds the absolute path `{0}`: the same sources would give another file elsewhere")]
    AbsolutePath(String),
    /// It calls an undefined function.
    #[error("it calls `{0}`, which neither the crate nor the driver provides: the driver would refuse the module")]
    UnresolvedFunction(String),
    /// It has a collective instruction that the optimiser may duplicate into divergent branches.
    #[error(
        "`{function}` has `{instruction}` as inline assembly, which the compiler may move into a divergent branch; \
         use core::arch::nvptx or an llvm.nvvm intrinsic"
    )]
    CollectiveAssembly {
        /// The function.
        function: String,
        /// The instruction.
        instruction: String,
    },
    /// It has an atomic instruction on memory that the compiler does not know, which may be a thread's own. There such an instruction is not
    /// defined: the device ends the launch and the context.
    #[error(
        "`{function}` has `{instruction}` on memory that may be a thread's own, where a device has no atomic instructions: take `Cell`, or \
         plain values, for what one thread has, and `Atomics` for what threads share"
    )]
    AtomicAnywhere {
        /// The function.
        function: String,
        /// The instruction.
        instruction: String,
    },
    /// A barrier, a shuffle or the like stands where only some of its threads get.
    #[error("{}", not_for_all(.0))]
    Divergent(Divergent),
    /// The compiler does not know a function as convergent, and may copy barriers into branches.
    #[error(
        "`{0}` contains barriers, shuffles or votes and is not marked as convergent, so the compiler may copy them into both arms of a \
         branch; use the compiler that the workspace pins"
    )]
    NotConvergent(String),
    /// A kernel with phases uses a mutable static.
    #[error(
        "a kernel in safe code gets to the static `{0}`, which may change: threads would tell each other their indices by it, \
         and no longer reach every barrier; let `Atomics` be a parameter, or the static be immutable"
    )]
    MutableStatic(String),
    /// A kernel's static arrays are too large, and the driver would refuse the whole module.
    #[error(
        "kernel `{kernel}` takes {bytes} bytes of static shared memory, with what reductions take (2 KiB), and a block has \
         {SHARED_BYTES}: make its largest array `&mut DynamicShared<T>`, whose length its launch says"
    )]
    SharedMemory {
        /// The kernel.
        kernel: String,
        /// The amount it needs.
        bytes: u64,
    },
    /// It has an instruction that the chip of the module's target lacks.
    #[error(
        "`{function}` has `{instruction}`, which takes sm_{needs}, and the module is for sm_{target}: build for that \
         architecture, or leave the kernel out of this module"
    )]
    NewerInstruction {
        /// The function.
        function: String,
        /// The instruction.
        instruction: String,
        /// The compute capability that it needs.
        needs: u32,
        /// The module's compute capability.
        target: u32,
    },
}

fn not_for_all(found: &Divergent) -> String {
    let at = |source: &Option<String>| source.as_ref().map_or_else(String::new, |source| format!(" (at {source})"));
    format!(
        "`{}` has `{}`{} in an arm of a branch{} on a value that differs between threads; those of the other arm never meet them \
         there, and the kernel hangs or computes anything: in safe code the compiler has copied it there, so use the one that the workspace \
         pins, or call the phase from one place; in an unsafe kernel, move it out of the branch",
        found.function,
        found.instruction,
        at(&found.source),
        at(&found.branch)
    )
}

/// Bytes of static shared memory that every device has per block.
pub const SHARED_BYTES: u64 = 48 * 1024;

/// Warnings about a module that is not refused, as lines of text.
///
/// ```
/// use cuda_builder::ptx::{module::PtxModule, verify::warnings};
///
/// let text = ".func _RNvXsd_NtNtCs0_4core3fmt3numjNtB5_7Display3fmt() { ret; }\n\
///             .visible .entry k() { mov.b64 %rd1, _RNvXsd_NtNtCs0_4core3fmt3numjNtB5_7Display3fmt; ret; }";
/// assert!(warnings(&PtxModule::parse(text))[0].contains("`k` formats text"));
/// assert!(warnings(&PtxModule::parse(".visible .entry k() { ret; }")).is_empty());
///
/// let text = ".func f() { call.uni f, (); ret; }\n.visible .entry k() { call.uni f, (); ret; }";
/// assert!(warnings(&PtxModule::parse(text))[0].contains("`k` calls a function that calls itself"));
///
/// let text = ".visible .entry k() { p : .callprototype ()_ (.param .b32 _); call %rd1, (param0), p; ret; }";
/// assert!(warnings(&PtxModule::parse(text))[0].contains("`k` calls a function by its address"));
/// ```
pub fn warnings(module: &PtxModule) -> Vec<String> {
    let formatting = |kernel: &str| {
        module.reached(kernel).iter().any(|function| function.name.contains("4core3fmt")).then(|| {
            format!(
                "kernel `{kernel}` formats text, which takes it very many registers, and the device reports no formatted \
                 message: panic with a plain one (`assert!(x > 0.0, \"x is positive\")`), and read by `.at(i)` in place of `[i]`"
            )
        })
    };
    let recursion = |kernel: &str| {
        let repeats = |function: &&Function| function.calls.iter().any(|call| module.calls_to(call, &function.name));
        module.reached(kernel).into_iter().find(repeats).map(|function| {
            format!(
                "kernel `{kernel}` calls a function that calls itself (`{}`): a thread's stack has 1 KiB unless the host sets \
                 another size, and a call beyond it ends the launch and the context; write a loop",
                function.name
            )
        })
    };
    let addresses = |kernel: &str| {
        module.reached(kernel).into_iter().find(|function| function.calls_by_address).map(|function| {
            format!(
                "kernel `{kernel}` calls a function by its address (in `{}`), so the assembler does not know how much stack it takes: a \
                 thread's stack has 1 KiB unless the host sets another size, and a call beyond it ends the launch and the context; \
                 use a type parameter or a `match` in place of a trait object or a pointer to a function",
                function.name
            )
        })
    };
    let of = |kernel| [formatting(kernel), recursion(kernel), addresses(kernel)];
    module.entries().into_iter().flat_map(of).flatten().collect()
}

/// Checks a module; `prefixes` are this machine's directories, which must not appear in it.
///
/// ```
/// use cuda_builder::ptx::{module::PtxModule, verify::{Refusal, refusals}};
///
/// let look = |text: &str| refusals(&PtxModule::parse(text), &["/home/me/kernels".into()]);
/// assert_eq!(look(".visible .entry k() { ret; }"), []);
/// assert_eq!(look(".func f() { ret; }"), [Refusal::NoKernels]);
/// let path = "/home/me/kernels/src/lib.rs";
/// let with_path = format!(".file 1 \"{path}\"\n.visible .entry k() {{ ret; }}");
/// assert_eq!(look(&with_path), [Refusal::AbsolutePath(path.to_owned())]);
/// ```
pub fn refusals(module: &PtxModule, prefixes: &[PathBuf]) -> Vec<Refusal> {
    let mut found = Vec::new();
    if module.entries().is_empty() {
        found.push(Refusal::NoKernels);
    }
    for name in &module.extern_functions {
        if !PROVIDED_FUNCTIONS.contains(&name.as_str()) {
            found.push(Refusal::UnresolvedFunction(name.clone()));
        }
    }
    for function in &module.functions {
        for instruction in &function.assembly_sync {
            found.push(Refusal::CollectiveAssembly {
                function: function.name.clone(),
                instruction: instruction.clone(),
            });
        }
        for instruction in &function.atomics_anywhere {
            let (function, instruction) = (function.name.clone(), instruction.clone());
            found.push(Refusal::AtomicAnywhere { function, instruction });
        }
    }
    for kernel in module.entries() {
        let bytes = module.shared_bytes(kernel);
        if bytes > SHARED_BYTES {
            found.push(Refusal::SharedMemory { kernel: kernel.to_owned(), bytes });
        }
    }
    if let Some(target) = module.target {
        for function in &module.functions {
            for (instruction, needs) in function.newer.iter().filter(|(_, needs)| *needs > target) {
                let (function, instruction) = (function.name.clone(), instruction.clone());
                found.push(Refusal::NewerInstruction { function, instruction, needs: *needs, target });
            }
        }
    }
    for text in &module.texts {
        if let Some(path) = absolute_path(text, prefixes) {
            found.push(Refusal::AbsolutePath(path));
        }
    }
    found.dedup();
    found
}

/// An absolute path in a text: one of the given prefixes, or the path of any Rust source.
fn absolute_path(text: &str, prefixes: &[PathBuf]) -> Option<String> {
    let until_end = |from: usize| text[from..].split(|c: char| c.is_control()).next().unwrap_or_default().to_owned();
    for prefix in prefixes {
        // "/" alone would refuse every text with a slash.
        if prefix.components().count() > 1
            && let Some(at) = text.find(&*prefix.to_string_lossy())
        {
            return Some(until_end(at));
        }
    }
    let bytes = text.as_bytes();
    for (at, _) in text.match_indices(".rs") {
        let is_path = |byte: u8| byte.is_ascii_alphanumeric() || b"/\\:._-+@~".contains(&byte);
        let start = bytes[..at].iter().rposition(|&byte| !is_path(byte)).map_or(0, |before| before + 1);
        let path = &text[start..at + 3];
        let drive = bytes.get(start).is_some_and(u8::is_ascii_alphabetic) && path[1..].starts_with(":\\");
        // A `//` at the start is a comment in a string, not a path.
        if drive || (path.starts_with('/') && !path.starts_with("//")) {
            return Some(path.to_owned());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(text: &str) -> Vec<Refusal> {
        refusals(&PtxModule::parse(text), &[PathBuf::from("/home/someone/checkout"), PathBuf::from("/")])
    }

    fn data(text: &str) -> String {
        let bytes: Vec<_> = text.bytes().map(|byte| byte.to_string()).collect();
        format!(".global .align 1 .b8 x[{}] = {{{}}};\n.visible .entry k() {{ ret; }}", text.len(), bytes.join(", "))
    }

    #[test]
    fn a_sound_module_passes() {
        let text = "
            .extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);
            .extern .shared .align 16 .b8 dynamic[];
            .visible .entry k() { bar.sync 0; ret; }";
        assert_eq!(look(text), []);
        assert_eq!(look(&data("kernels/src/lib.rs\0and/or")), []);
    }

    #[test]
    fn a_module_without_kernels_is_refused() {
        assert_eq!(look(".version 6.3\n.func f() { ret; }"), [Refusal::NoKernels]);
    }

    #[test]
    fn an_unresolved_function_is_refused() {
        let text = ".extern .func (.param .b32 r) expf (.param .b32 x);\n.visible .entry k() { ret; }";
        assert_eq!(look(text), [Refusal::UnresolvedFunction("expf".to_owned())]);
    }

    #[test]
    fn absolute_paths_are_refused_in_data_and_line_tables() {
        for path in ["/home/someone/checkout/data.bin", "/rustc/abc/library/core/src/lib.rs", "C:\\a\\src\\lib.rs"] {
            assert_eq!(look(&data(path)), [Refusal::AbsolutePath(path.to_owned())]);
            let line_table = format!(".file 1 \"{path}\"\n.visible .entry k() {{ ret; }}");
            assert_eq!(look(&line_table), [Refusal::AbsolutePath(path.to_owned())]);
        }
    }

    #[test]
    fn more_shared_memory_than_a_block_has_is_refused() {
        let module = |n: u32| {
            format!(
                ".shared .align 16 .b8 a[{n}];\n.shared .align 4 .u32 b[4];\n.shared .align 4 .b8 other[9999];\n\
                 .extern .shared .align 16 .b8 more[];\n.func f() {{ st.shared.u32 [b+4], %r1; ret; }}\n\
                 .visible .entry k() {{ ld.shared.u8 %r1, [a]; ld.shared.u8 %r1, [more]; call.uni f, (); ret; }}"
            )
        };
        assert_eq!(look(&module(48 * 1024 - 16)), []);
        let refusal = Refusal::SharedMemory { kernel: "k".to_owned(), bytes: 48 * 1024 + 1 };
        assert_eq!(look(&module(48 * 1024 - 15)), [refusal]);
    }

    #[test]
    fn an_instruction_that_the_target_lacks_is_refused() {
        let module = |arch: u32| {
            format!(
                ".version 7.0\n.target sm_{arch}\n.address_size 64\n.visible .entry k() {{ cp.async.commit_group; ret; }}"
            )
        };
        assert_eq!(look(&module(80)), []);
        let refusal = Refusal::NewerInstruction {
            function: "k".to_owned(),
            instruction: "cp.async.commit_group".to_owned(),
            needs: 80,
            target: 75,
        };
        assert_eq!(look(&module(75)), [refusal]);
    }

    #[test]
    fn a_barrier_or_shuffle_in_assembly_is_refused() {
        let text = ".visible .entry k()\n{\n// begin inline asm\nbar.sync 0;\n// end inline asm\nret;\n}";
        let refusal = Refusal::CollectiveAssembly { function: "k".to_owned(), instruction: "bar.sync".to_owned() };
        assert_eq!(look(text), [refusal]);
    }
    #[test]
    fn an_atomic_instruction_on_any_memory_is_refused() {
        let text = |instruction: &str| format!(".visible .entry k()\n{{\n{instruction} \t%r1, [%rd1], 5;\nret;\n}}");
        for bad in ["atom.relaxed.sys.add.u32", "red.add.f32", "ld.acquire.sys.b32", "st.relaxed.gpu.v2.b32"] {
            let refusal = Refusal::AtomicAnywhere { function: "k".to_owned(), instruction: bad.to_owned() };
            assert_eq!(look(&text(bad)), [refusal]);
        }
        for good in [
            "atom.global.add.u32",
            "atom.shared::cta.add.u32",
            "ld.relaxed.gpu.global.b32",
            "ld.volatile.u32",
            "st.b32",
        ] {
            assert_eq!(look(&text(good)), []);
        }
        let assembly =
            format!("// begin inline asm\n{}", "atom.relaxed.gpu.add.u32 %r1, [%rd1], 5;\n// end inline asm");
        assert_eq!(look(&format!(".visible .entry k()\n{{\n{assembly}\nret;\n}}")), []);
    }
}
