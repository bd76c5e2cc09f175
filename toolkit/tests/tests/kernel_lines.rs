//! The table of lines in docs/comparison.md: kernels here and in CUDA C++, counted by one rule.
//!
//! A kernel's lines are those of its function, from its attributes on, and of the functions, constants and macros of its file that no other
//! kernel uses. Types, which the host uses as well, do not count, nor do functions of a library, blank lines and comments.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use toolkit_tests::cited::check_table;

/// What stands at the beginning of lines of a file: a function, a constant, a type.
struct Item {
    name: String,
    is_kernel: bool,
    lines: usize,
    /// All names in it.
    words: BTreeSet<String>,
}

/// The lines of a text without comments and blank lines.
fn code(text: &str) -> impl Iterator<Item = &str> {
    assert!(!text.contains("/*"), "a comment that this does not leave out");
    text.lines().map(|line| line.split("//").next().unwrap_or_default().trim_end()).filter(|line| !line.is_empty())
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '_').filter(|word| !word.is_empty())
}

/// The name of a function, a constant or a macro, if an item of these lines is one.
fn name(lines: &[&str]) -> Option<String> {
    let first = lines.iter().find(|line| !line.starts_with(['#', ' ', ')']) || line.starts_with("#define"))?;
    let after = |keyword: &str| {
        let (before, rest) = first.split_once(keyword)?;
        (before.is_empty() || before.ends_with(' ')).then(|| words(rest).next().map(str::to_owned))?
    };
    let text = lines.concat();
    let in_c = || {
        let starts = ["extern \"C\"", "template", "__device__"].iter().any(|start| first.starts_with(start));
        let before = text.split('(').filter_map(|before| words(before).last());
        starts.then(|| before.filter(|word| !word.starts_with("__")).map(str::to_owned).next())?
    };
    after("fn ").or_else(|| after("const ")).or_else(|| after("#define ")).or_else(in_c)
}

/// The functions, constants and macros of a file's part that is compiled for devices.
fn items(text: &str) -> Vec<Item> {
    let (mut found, mut own) = (Vec::new(), Vec::new());
    for line in code(text) {
        own.push(line);
        // `#pragma unroll` stands in the middle of functions.
        let is_directive = ["#define", "#include", "#if", "#endif"].iter().any(|directive| line.starts_with(directive));
        if !is_directive && (line.starts_with(' ') || !line.ends_with(['}', ';'])) {
            continue;
        }
        let lines = std::mem::take(&mut own);
        if lines[0].starts_with("#[cfg(") && lines[0].contains("not(target_arch") {
            continue;
        }
        let Some(name) = name(&lines) else { continue };
        let is_kernel = lines.iter().any(|line| line.starts_with("#[kernel") || line.contains(" __global__ "));
        let words = lines.iter().flat_map(|line| words(line)).map(str::to_owned).collect();
        found.push(Item { name, is_kernel, lines: lines.len(), words });
    }
    found
}

/// The items that a kernel uses, and itself.
fn used<'i>(items: &'i [Item], kernel: &str) -> BTreeSet<&'i str> {
    let mut found = BTreeSet::new();
    let mut open = vec![items.iter().find(|item| item.name == kernel).unwrap_or_else(|| panic!("no {kernel}"))];
    while let Some(item) = open.pop() {
        if found.insert(item.name.as_str()) {
            open.extend(items.iter().filter(|other| !other.is_kernel && item.words.contains(&other.name)));
        }
    }
    found
}

/// The lines of a kernel, by the rule of this file.
fn lines(items: &[Item], kernel: &str) -> usize {
    let others = items.iter().filter(|item| item.is_kernel && item.name != kernel);
    let shared: BTreeSet<_> = others.flat_map(|other| used(items, &other.name)).collect();
    let own = used(items, kernel);
    items
        .iter()
        .filter(|item| own.contains(item.name.as_str()) && !shared.contains(item.name.as_str()))
        .map(|item| item.lines)
        .sum()
}

/// Kernels by their names in the table: the file here, the name here, and that in CUDA C++.
const KERNELS: &[[&str; 4]] = &[
    ["saxpy", "tests/kernels/src/zero_cost/memory.rs", "safe_saxpy", "cu_saxpy"],
    ["gather", "tests/kernels/src/zero_cost/gather.rs", "safe_gather", "cu_gather"],
    ["sum", "tests/kernels/src/zero_cost/memory.rs", "safe_sum", "cu_sum"],
    ["transpose", "tests/kernels/src/zero_cost/memory.rs", "safe_transpose", "cu_transpose"],
    ["histogram", "tests/kernels/src/zero_cost/memory.rs", "safe_histogram", "cu_histogram"],
    ["product of `f32`", "tests/kernels/src/zero_cost/matmul.rs", "safe_matmul", "cu_matmul"],
    ["product of `bf16`, by single warps", "tests/tensor/kernels/src/product.rs", "staged", "cu_product"],
    ["the same kernel, by warpgroups", "tests/tensor/kernels/src/product.rs", "staged", "cu_product_by_warpgroups"],
    ["scan", "examples/src/look_back.rs", "look_back", "cu_scan"],
    ["n-body", "examples/src/nbody.rs", "accelerations", "cu_nbody"],
    ["CSR times a vector", "examples/src/spmv.rs", "csr_vector", "cu_csr"],
    ["softmax", "examples/src/softmax.rs", "softmax", "cu_softmax"],
    ["layer norm", "examples/src/layer_norm.rs", "layernorm", "cu_layernorm"],
];

#[test]
fn kernels_have_the_lines_of_the_table_and_no_more_than_in_cuda_c() {
    let toolkit = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let read = |file: &str| fs::read_to_string(toolkit.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
    let peers = read("tests/tensor/baselines/peers.cu");
    let (kernels, _) = peers.split_once("// ---- end of kernels").expect("the end of the kernels");
    let baselines = items(&(read("tests/baselines/zero_cost.cu") + kernels));
    let mut table = String::from("| kernel | here | CUDA C++ |\n|---|---|---|\n");
    let mut longer = Vec::new();
    for [name, file, here, there] in KERNELS {
        let (here, there) = (lines(&items(&read(file)), here), lines(&baselines, there));
        table += &format!("| {name} | {here} | {there} |\n");
        if here > there {
            longer.push(format!("{name}: {here}, {there} in CUDA C++"));
        }
    }
    check_table(&toolkit.join("docs/comparison.md"), "lines", &table);
    assert!(longer.is_empty(), "{longer:?}");
}

#[test]
fn lines_are_those_of_a_kernel_and_of_what_it_alone_uses() {
    let rust = "use a::b;\n\n/// Two.\nconst N: u32 = 2;\nconst BOTH: u32 = 3;\n\nfn twice(x: u32) -> u32 {\n    // Once more.\n    x * N\n}\n\n\
        #[kernel(\n    threads = 32,\n)]\npub fn a(block: &mut Block) {\n    twice(BOTH); // done\n\n}\n\n\
        #[kernel(threads = 32)]\npub fn b(block: &mut Block) { BOTH }\n\n#[cfg(not(target_arch = \"nvptx64\"))]\nfn run() {\n    twice(N);\n}\n";
    assert_eq!([lines(&items(rust), "a"), lines(&items(rust), "b")], [1 + 3 + 6, 2]);
    let c = "#include \"a\"\n\n#define WORDS 2\n__device__ float both(float x) {\n    return x;\n}\n\n// Not this.\n\
        extern \"C\" __global__ void __launch_bounds__(256)\n    c(float* x) {\n#pragma unroll\n    x[WORDS] = both(1.f);\n}\n\
        template <bool A> __global__ void __launch_bounds__(256)\n    d(float* x) {\n    both(2.f);\n}\n";
    assert_eq!([lines(&items(c), "c"), lines(&items(c), "d")], [1 + 5, 4]);
}
