//! A reader of PTX modules, as far as the checks need it.

use std::collections::{BTreeMap, BTreeSet};

use cuda_ptx::text::{HeadEnd, balanced, function_name, has_word, statement_head, words};

use super::needs::needs;

/// A function of a module with a body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Whether it is a kernel (`.entry`).
    pub entry: bool,
    /// The barrier instructions in its own body.
    pub barriers: usize,
    /// Warp and block instructions written as inline assembly, which the optimiser does not recognise.
    pub assembly_sync: Vec<String>,
    /// Its atomic instructions whose memory the compiler does not know. Inline assembly has its author's word for it.
    pub atomics_anywhere: BTreeSet<String>,
    /// The module's functions that it refers to.
    pub calls: BTreeSet<String>,
    /// Whether it calls a function by its address, as functions of trait objects are called.
    pub calls_by_address: bool,
    /// The module's variables that it refers to.
    pub variables: BTreeSet<String>,
    /// Its instructions that some chips lack, with the compute capability that they need ([`needs`]).
    pub newer: BTreeSet<(String, u32)>,
}

/// The content of a PTX module.
///
/// ```
/// use cuda_builder::ptx::module::PtxModule;
///
/// let module = PtxModule::parse(
///     ".extern .func (.param .b32 r) vprintf (.param .b64 a);
///     .visible .entry scale(.param .u64 p) { bar.sync 0; call.uni helper, (); ret; }
///     .func helper() { bar.sync 0; ret; }",
/// );
/// assert_eq!((module.entries(), &module.extern_functions[..]), (vec!["scale"], &["vprintf".to_owned()][..]));
/// // Its own barrier, and that of the function that it calls.
/// assert_eq!(module.functions[0].barriers, 1);
/// assert_eq!(module.barrier_sites()["scale"], 2);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PtxModule {
    /// Functions with a body, in order.
    pub functions: Vec<Function>,
    /// Functions declared `.extern`, which must be provided when the module is loaded.
    pub extern_functions: Vec<String>,
    /// Static arrays in shared memory: their names and sizes in bytes.
    pub shared: BTreeMap<String, u64>,
    /// Variables whose initial values have addresses, with the names of the functions and variables there. Tables of
    /// references, functions and trait objects are such variables.
    pub tables: BTreeMap<String, BTreeSet<String>>,
    /// The compute capability of its target, as `75` for 7.5.
    pub target: Option<u32>,
    /// The bytes of `.b8` data and the texts of `.file` directives, as text; bytes that are not ASCII become `\0`.
    pub texts: Vec<String>,
}

/// LLVM encloses inline assembly in these comments.
const ASSEMBLY_BEGIN: &str = "// begin inline asm";
const ASSEMBLY_END: &str = "// end inline asm";

impl PtxModule {
    /// Reads a module. Text that is not PTX gives a module without functions.
    pub fn parse(text: &str) -> Self {
        let mut module = PtxModule::default();
        let mut bodies = Vec::new();
        let mut initial = Vec::new();
        let mut variables = BTreeSet::new();
        let mut rest = text;
        while let Some((head, end)) = statement_head(rest) {
            let after = &rest[head.raw_len..];
            let declared = variable(&head.text).map(|variable| {
                variables.insert(variable.name.clone());
                if variable.in_shared_memory {
                    module.shared.insert(variable.name.clone(), variable.bytes);
                }
                variable.name
            });
            if let Some((_, target)) = head.text.split_once(".target sm_") {
                module.target =
                    target.split(|c: char| !c.is_ascii_digit()).next().and_then(|digits| digits.parse().ok());
            }
            match end {
                HeadEnd::Semicolon => {
                    if has_word(&head.text, ".extern")
                        && has_word(&head.text, ".func")
                        && let Some(name) = function_name(&head.text)
                    {
                        module.extern_functions.push(name);
                    }
                    if let (Some(name), Some((_, value))) = (declared, head.text.split_once('=')) {
                        initial.push((name, words(value).map(str::to_owned).collect::<BTreeSet<_>>()));
                    }
                    rest = after;
                }
                HeadEnd::Brace => {
                    let (body, beyond) = balanced(after);
                    let entry = has_word(&head.text, ".entry");
                    if (entry || has_word(&head.text, ".func"))
                        && let Some(name) = function_name(&head.text)
                    {
                        bodies.push((name, entry, body));
                    } else if let Some(name) = declared {
                        initial.push((name, words(body).map(str::to_owned).collect()));
                        if head.text.contains(".b8") {
                            module.texts.push(decode_bytes(body));
                        }
                    }
                    rest = beyond;
                }
            }
            module.texts.extend(head.strings);
        }
        let names: BTreeSet<&str> = bodies.iter().map(|(name, ..)| name.as_str()).collect();
        module.functions =
            bodies.iter().map(|(name, entry, body)| function(name, *entry, body, &names, &variables)).collect();
        for (name, mut words) in initial {
            words.retain(|word| names.contains(word.as_str()) || variables.contains(word));
            if !words.is_empty() {
                module.tables.insert(name, words);
            }
        }
        module
    }

    /// The names of a function and of all functions and variables that it gets to: by calls, by names, and by tables of addresses.
    fn names_reached<'a>(&'a self, name: &'a str) -> BTreeSet<&'a str> {
        let by_name: BTreeMap<&str, &Function> = self.functions.iter().map(|f| (f.name.as_str(), f)).collect();
        let (mut seen, mut queue) = (BTreeSet::new(), vec![name]);
        while let Some(name) = queue.pop() {
            if seen.insert(name) {
                let function = by_name.get(name).into_iter().flat_map(|f| f.calls.iter().chain(&f.variables));
                queue.extend(function.chain(self.tables.get(name).into_iter().flatten()).map(String::as_str));
            }
        }
        seen
    }

    /// A function and all that it gets to, directly or indirectly, also by the functions' addresses in tables. Empty if there is
    /// none of this name.
    pub fn reached(&self, name: &str) -> Vec<&Function> {
        let names = self.names_reached(name);
        self.functions.iter().filter(|function| names.contains(function.name.as_str())).collect()
    }

    /// Whether a function is another one or gets to it by calls.
    pub fn calls_to(&self, from: &str, to: &str) -> bool {
        let by_name: BTreeMap<&str, &Function> = self.functions.iter().map(|f| (f.name.as_str(), f)).collect();
        let (mut seen, mut queue) = (BTreeSet::new(), vec![from]);
        while let Some(name) = queue.pop() {
            if seen.insert(name) {
                queue.extend(by_name.get(name).into_iter().flat_map(|f| &f.calls).map(String::as_str));
            }
        }
        seen.contains(to)
    }

    /// The variables that a function gets to, directly or indirectly, also by their addresses in tables.
    pub fn variables_reached<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let functions: BTreeSet<&str> = self.functions.iter().map(|f| f.name.as_str()).collect();
        self.names_reached(name).into_iter().filter(move |name| !functions.contains(name))
    }

    /// Bytes of static shared memory of a kernel and all that it calls.
    pub fn shared_bytes(&self, kernel: &str) -> u64 {
        self.variables_reached(kernel).filter_map(|name| self.shared.get(name)).sum()
    }

    /// The kernels' names, sorted.
    pub fn entries(&self) -> Vec<&str> {
        let mut names: Vec<_> = self.functions.iter().filter(|f| f.entry).map(|f| f.name.as_str()).collect();
        names.sort_unstable();
        names
    }

    /// The number of barrier sites that each kernel can reach: in its body and in all functions that it calls.
    pub fn barrier_sites(&self) -> BTreeMap<&str, usize> {
        let sites = |kernel: &Function| self.reached(&kernel.name).into_iter().map(|function| function.barriers).sum();
        self.functions.iter().filter(|f| f.entry).map(|f| (f.name.as_str(), sites(f))).collect()
    }
}

/// A variable that a module declares.
struct Variable {
    name: String,
    in_shared_memory: bool,
    bytes: u64,
}

/// The variable of a declaration such as `.shared .align 16 .b8 name[2048]`.
fn variable(head: &str) -> Option<Variable> {
    if !has_word(head, ".global") && !has_word(head, ".shared") && !has_word(head, ".const") {
        return None;
    }
    let mut left = head.split_whitespace().skip_while(|word| element_bytes(word).is_none());
    let element = element_bytes(left.next()?)?;
    let declared = left.next()?;
    let (name, length) = declared.split_once('[').map_or((declared, None), |(name, rest)| (name, rest.split_once(']')));
    let count = match length {
        Some((digits, _)) => digits.trim().parse().unwrap_or(0),
        // `name[]` is dynamic and has brackets; without brackets it is one element.
        None => 1,
    };
    let external = has_word(head, ".extern");
    let bytes = if external { 0 } else { element * count };
    Some(Variable { name: name.to_owned(), in_shared_memory: has_word(head, ".shared"), bytes })
}

/// The size of a PTX type, `.b8` to `.f64`.
fn element_bytes(word: &str) -> Option<u64> {
    let bits = word.strip_prefix('.')?.strip_prefix(['b', 'u', 's', 'f'])?;
    matches!(bits, "8" | "16" | "32" | "64" | "128").then(|| bits.parse::<u64>().unwrap_or(0) / 8)
}

fn function(name: &str, entry: bool, body: &str, names: &BTreeSet<&str>, variables: &BTreeSet<String>) -> Function {
    let mut function = Function { name: name.to_owned(), entry, ..Function::default() };
    let mut in_assembly = false;
    for line in body.lines() {
        match line.trim() {
            ASSEMBLY_BEGIN => in_assembly = true,
            ASSEMBLY_END => in_assembly = false,
            _ => {}
        }
        let code = line.split("//").next().unwrap_or_default();
        for word in words(code) {
            function.barriers += usize::from(is_barrier(word));
            function.calls_by_address |= word == ".callprototype";
            if in_assembly && is_collective(word) {
                function.assembly_sync.push(word.to_owned());
            }
            if !in_assembly && is_atomic_anywhere(word) {
                function.atomics_anywhere.insert(word.to_owned());
            }
            if names.contains(word) {
                function.calls.insert(word.to_owned());
            }
            if variables.contains(word) {
                function.variables.insert(word.to_owned());
            }
            if let Some(needed) = needs(word) {
                function.newer.insert((word.to_owned(), needed));
            }
        }
    }
    function
}

/// A barrier of the block or cluster; `bar.warp.sync` concerns only the warp.
fn is_barrier(word: &str) -> bool {
    (word.starts_with("bar.") && !word.starts_with("bar.warp.")) || word.starts_with("barrier.")
}

/// An instruction in which all threads of a warp or block take part.
fn is_collective(word: &str) -> bool {
    ["bar.", "barrier.", "shfl.", "vote.", "match.", "redux."].iter().any(|prefix| word.starts_with(prefix))
}

/// An atomic instruction without the kind of memory, or with that of a thread's own.
fn is_atomic_anywhere(word: &str) -> bool {
    let mut parts = word.split('.');
    let is_atomic = match parts.next() {
        Some("atom" | "red") => true,
        Some("ld") => matches!(parts.next(), Some("relaxed" | "acquire")),
        Some("st") => matches!(parts.next(), Some("relaxed" | "release")),
        _ => false,
    };
    // `.shared::cta` as well.
    is_atomic && !word.split('.').any(|part| part == "global" || part.starts_with("shared"))
}

/// Decodes `{115, 114, 99}`. An address among the bytes becomes a `\0`.
fn decode_bytes(list: &str) -> String {
    let byte = |item: &str| item.trim().parse::<u8>().ok().filter(u8::is_ascii).unwrap_or(0);
    list.split(',').map(|item| char::from(byte(item))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"
// a comment with a brace { and .entry nothing(
.version 6.3
.target sm_75
.address_size 64
.file	1 "src/{odd}.rs"
.extern .func (.param .b32 r) vprintf
(
	.param .b64 a
)
;
.func helper
()
;
.global .align 1 .b8 location[6] = {115, 114, 99, 47, 97, 0};
.visible .entry first(
	.param .u64 p
)
{
	.reg .b32 %r<2>;
	bar.sync 	0;
	bar.warp.sync 	-1;
	{ // callseq 0, 0
	call.uni helper, ();
	} // callseq 0
	ret;
}
.func (.param .b32 result) helper()
{
	barrier.sync.aligned 	0;
	// bar.sync in a comment
	// begin inline asm
	shfl.sync.bfly.b32 %r1, %r1, 1, 31, -1;
	// end inline asm
	ret;
}
.visible .entry second() { ret; }
"#;

    #[test]
    fn functions_and_data_are_found() {
        let module = PtxModule::parse(TEXT);
        assert_eq!(module.entries(), ["first", "second"]);
        assert_eq!(module.extern_functions, ["vprintf"]);
        assert_eq!(module.texts, ["src/{odd}.rs", "src/a\0"]);
        let helper = &module.functions[1];
        assert_eq!((helper.name.as_str(), helper.entry, helper.barriers), ("helper", false, 1));
        assert_eq!(helper.assembly_sync, ["shfl.sync.bfly.b32"]);
    }

    #[test]
    fn barriers_of_called_functions_count_for_the_kernel() {
        let module = PtxModule::parse(TEXT);
        assert_eq!(module.barrier_sites(), BTreeMap::from([("first", 2), ("second", 0)]));
    }

    #[test]
    fn any_text_is_read_without_a_panic() {
        for text in ["", "{", "}", "\"", "/*", ".entry {", ".func (", "é { \" é", ".entry a( { // ", ".b8 x = {300, -1"]
        {
            let _ = PtxModule::parse(text);
        }
    }
}
