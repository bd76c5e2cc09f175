//! Whether the compiler knows which functions are convergent, by LLVM's text of a module.
//!
//! LLVM may copy a call into both arms of a branch, or move it into one, unless the called function is marked `convergent`. Its own
//! functions for barriers, shuffles and votes are. A function that contains one must be, too, until it is inlined; Rust marks all
//! functions for this target since 1.96.

use std::collections::{BTreeMap, BTreeSet};

/// Functions of LLVM's in which all threads of a warp or block take part.
const COLLECTIVE: [&str; 9] =
    ["barrier", "bar.", "shfl.sync", "vote", "match", "redux.sync", "mma.", "wmma.", "ldmatrix"];

/// The functions of a module that are, or contain, collective ones, and are not marked as convergent.
///
/// ```
/// use cuda_builder::ptx::convergent::unmarked;
///
/// let text = "declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) #1\n\
///     define void @phase() #0 {\n  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0) #1\n}\n\
///     define void @k() #0 {\n  call void @phase()\n}\n\
///     attributes #0 = { nounwind }\nattributes #1 = { convergent nounwind }\n";
/// assert_eq!(unmarked(text), ["k", "phase"]);
/// assert!(unmarked(&text.replace("#0 = { nounwind", "#0 = { convergent")).is_empty());
/// ```
pub fn unmarked(llvm: &str) -> Vec<String> {
    let groups: BTreeSet<&str> = llvm
        .lines()
        .filter_map(|line| line.strip_prefix("attributes ")?.split_once(" = "))
        .filter(|(_, attributes)| attributes.split_whitespace().any(|word| word == "convergent"))
        .map(|(group, _)| group)
        .collect();
    let is_marked = |line: &str| line.split_whitespace().any(|word| word == "convergent" || groups.contains(word));
    let (mut collective, mut marked) = (BTreeSet::new(), BTreeSet::new());
    let mut called: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut current = None;
    for line in llvm.lines() {
        let declares = line.starts_with("declare ");
        if declares || line.starts_with("define ") {
            let Some(name) = names(line).next() else { continue };
            if is_marked(line) {
                marked.insert(name);
            }
            let of_llvm = name.strip_prefix("llvm.nvvm.").filter(|_| declares);
            if of_llvm.is_some_and(|name| COLLECTIVE.iter().any(|begin| name.starts_with(begin))) {
                collective.insert(name);
            }
            current = if declares { None } else { Some(name) };
        } else if line == "}" {
            current = None;
        } else if let Some(current) = current
            && line.contains("call ")
        {
            called.entry(current).or_default().extend(names(line));
        }
    }
    loop {
        let more: Vec<_> = called
            .iter()
            .filter(|(name, calls)| !collective.contains(*name) && calls.iter().any(|call| collective.contains(call)))
            .map(|(name, _)| *name)
            .collect();
        if more.is_empty() {
            break;
        }
        collective.extend(more);
    }
    collective.difference(&marked).map(|name| (*name).to_owned()).collect()
}

/// The names of functions and variables in a line.
fn names(line: &str) -> impl Iterator<Item = &str> {
    line.split('@').skip(1).filter_map(|rest| match rest.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next(),
        None => rest.split(|c: char| !(c.is_ascii_alphanumeric() || "._$-".contains(c))).next(),
    })
}
