//! The tables of the guide's page about PTX's memory model, and PTX to compare them with.
//!
//! The model regards an instruction's kind, order, scope and state space. Types, vector widths, arithmetic operations and the modes of
//! shuffles and votes are left out of its name here: `atom.relaxed.gpu.global.add.u32` is `atom.relaxed.gpu.global`.

use std::collections::{BTreeMap, BTreeSet};

/// The page.
pub const PAGE: &str = include_str!("../../guide/src/memory-model.md");

/// Parts of an instruction's name that the model does not regard, apart from shapes and counts of matrices.
const LEFT_OUT: &[&str] = &[
    "b8", "b16", "b32", "b64", "b128", "u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "f16", "bf16", "e4m3",
    "e5m2", "f32", "f64", "tf32", "pred", "v2", "v4", "add", "min", "max", "exch", "cas", "and", "or", "xor", "inc",
    "dec", "popc", "up", "down", "bfly", "idx", "any", "all", "ballot", "row", "col",
];

/// Instructions that compute with registers, or only choose what is executed next. All others are the page's matter.
const OF_REGISTERS: &[&str] = &[
    "abs", "add", "addc", "and", "bfe", "bfi", "bfind", "bmsk", "bra", "brev", "brx", "call", "clz", "cnot",
    "copysign", "cos", "cvt", "cvta", "div", "dp4a", "ex2", "fma", "isspacep", "lg2", "lop3", "mad", "madc", "max",
    "min", "mov", "mul", "neg", "not", "or", "popc", "prmt", "rcp", "rem", "ret", "rsqrt", "selp", "set", "setp",
    "shf", "shl", "shr", "sin", "sqrt", "sub", "subc", "tanh", "testp", "xor",
];

/// An exchange of the kernel model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// What the page calls it.
    pub name: String,
    /// The instructions that carry it.
    pub instructions: Vec<String>,
    /// A kernel that has all of these instructions; `None` if they are in functions that all kernels call.
    pub kernel: Option<String>,
    /// The source that emits them, relative to the page.
    pub source: String,
}

/// The rows of the page's table that begins with this column.
fn rows(first_column: &str) -> Vec<Vec<&'static str>> {
    let head = format!("| {first_column} |");
    let mut lines = PAGE.lines().skip_while(|line| !line.starts_with(&head)).skip(2);
    let rows = std::iter::from_fn(|| lines.next()?.strip_prefix("| ")?.strip_suffix(" |"));
    rows.map(|row| row.split(" | ").collect()).collect()
}

/// The texts in backticks.
fn quoted(cell: &str) -> impl Iterator<Item = String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned)
}

/// The instructions that the page lists.
#[must_use]
pub fn listed() -> BTreeSet<String> {
    rows("instructions").iter().flat_map(|row| quoted(row[0])).collect()
}

/// The exchanges that the page derives.
///
/// # Panics
/// If a row of the table has other columns.
#[must_use]
pub fn exchanges() -> Vec<Exchange> {
    let exchange = |row: Vec<&str>| {
        let [name, instructions, kernel, source] = row[..] else { panic!("not four columns: {row:?}") };
        let link = source.split_once("](").and_then(|(_, rest)| rest.strip_suffix(')'));
        Exchange {
            name: name.to_owned(),
            instructions: quoted(instructions).collect(),
            kernel: quoted(kernel).next(),
            source: link.unwrap_or_else(|| panic!("not a link: {source}")).to_owned(),
        }
    };
    rows("exchange").into_iter().map(exchange).collect()
}

/// The name of an instruction, as the page has it.
#[must_use]
pub fn name(instruction: &str) -> String {
    let is_shape =
        |part: &str| part.strip_prefix(['m', 'x']).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let mut parts = instruction.split('.');
    let first = parts.next().unwrap_or_default();
    let kept = parts.filter(|part| !part.is_empty() && !LEFT_OUT.contains(part) && !is_shape(part));
    [first].into_iter().chain(kept).collect::<Vec<_>>().join(".")
}

/// A statement of a function.
struct Statement<'p> {
    /// The function's name, or the kernel's.
    function: &'p str,
    /// The instruction as written.
    instruction: &'p str,
    operands: &'p str,
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_$".contains(c)
}

/// The name in a line that begins a function: `.visible .entry name(`, or `.func (.param .b32 result) name(`.
fn function_name(line: &str) -> Option<&str> {
    let after = [".entry ", ".func "].iter().find_map(|kind| Some(line.split_once(kind)?.1))?.trim();
    let after = if after.starts_with('(') { after.split_once(')')?.1.trim() } else { after };
    after.split(|c| !is_of_name(c)).next()
}

/// The statements of all functions.
fn statements(ptx: &str) -> Vec<Statement<'_>> {
    let (mut found, mut function) = (Vec::new(), "");
    for line in ptx.lines().map(|line| line.split("//").next().unwrap_or_default()) {
        if let Some(name) = function_name(line) {
            function = name;
        }
        for statement in line.split(';') {
            // A block of assembly begins and ends with braces. Those of vectors are inside of a statement.
            let mut rest = statement.trim_matches(|c: char| c.is_whitespace() || "{}".contains(c));
            if let Some((label, after)) = rest.split_once(':')
                && label.chars().all(is_of_name)
            {
                rest = after.trim();
            }
            if rest.starts_with('@') {
                rest = rest.split_once(char::is_whitespace).map_or("", |(_, rest)| rest.trim());
            }
            let (instruction, operands) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
            if instruction.starts_with(|c: char| c.is_ascii_lowercase()) && !function.is_empty() {
                found.push(Statement { function, instruction, operands });
            }
        }
    }
    found
}

/// The names of all instructions that are not of registers alone, for each function.
#[must_use]
pub fn instructions(ptx: &str) -> BTreeMap<&str, BTreeSet<String>> {
    let mut found = BTreeMap::<_, BTreeSet<_>>::new();
    for Statement { function, instruction, .. } in statements(ptx) {
        let name = name(instruction);
        if !OF_REGISTERS.contains(&name.split('.').next().unwrap_or_default()) {
            found.entry(function).or_default().insert(name);
        }
    }
    found
}

/// The instructions that the page does not list, with a function that has them.
#[must_use]
pub fn not_listed(ptx: &str) -> Vec<String> {
    let listed = listed();
    let found = instructions(ptx);
    let missing =
        found.iter().flat_map(|(function, names)| names.difference(&listed).map(move |name| (name, *function)));
    missing.map(|(name, function)| format!("{name} in {function}")).collect()
}

/// Instructions of an exchange that its kernel lacks, of those [`instructions`] finds. `None` if the kernel is not in this PTX.
#[must_use]
pub fn lacking(exchange: &Exchange, found: &BTreeMap<&str, BTreeSet<String>>) -> Option<Vec<String>> {
    let all = match &exchange.kernel {
        Some(kernel) => found.get(kernel.as_str())?.clone(),
        None => found.values().flatten().cloned().collect(),
    };
    Some(exchange.instructions.iter().filter(|name| !all.contains(*name)).cloned().collect())
}

/// The registers and names in a statement's operands.
fn operands(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !is_of_name(c) && c != '%').filter(|word| word.starts_with(|c: char| !c.is_ascii_digit()))
}

/// The kernels that load without coherence (`ld.global.nc`), each with the parameters that such an address is computed from and that
/// are pointers. Addresses are followed through all registers of a kernel's own body, in any order of the statements.
#[must_use]
pub fn loaded_without_coherence(ptx: &str) -> BTreeMap<&str, BTreeSet<&str>> {
    let pointers =
        ptx.lines().filter_map(|line| line.trim().strip_prefix(".param .u64 .ptr ")?.split_whitespace().last());
    let pointers: BTreeSet<&str> = pointers.map(|name| name.trim_end_matches(',')).collect();
    let statements = statements(ptx);
    let loads = || statements.iter().filter(|statement| statement.instruction.starts_with("ld.global.nc"));
    let mut found: BTreeMap<&str, BTreeSet<&str>> = loads().map(|load| (load.function, BTreeSet::new())).collect();
    let mut derived = BTreeMap::<(&str, &str), BTreeSet<&str>>::new();
    loop {
        let mut changed = false;
        for Statement { function, instruction, operands: text } in &statements {
            let mut words = operands(text);
            let Some(to) = words.next().filter(|_| found.contains_key(function)) else { continue };
            let from: BTreeSet<&str> = match instruction.split('.').next().unwrap_or_default() {
                "ld" if instruction.starts_with("ld.param") => words.filter(|word| pointers.contains(word)).collect(),
                // Pointers come from parameters, not from memory; the others have no result.
                "ld" | "st" | "atom" | "red" | "bra" | "call" => continue,
                _ => words.filter_map(|word| derived.get(&(*function, word))).flatten().copied().collect(),
            };
            let known = derived.entry((function, to)).or_default();
            let before = known.len();
            known.extend(from);
            changed |= known.len() > before;
        }
        if !changed {
            break;
        }
    }
    for Statement { function, operands: text, .. } in loads() {
        let address = text.split_once('[').map_or("", |(_, address)| address);
        let parameters = operands(address).filter_map(|word| derived.get(&(*function, word))).flatten();
        found.entry(function).or_default().extend(parameters);
    }
    found
}
