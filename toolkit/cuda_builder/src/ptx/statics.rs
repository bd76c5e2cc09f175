//! Mutable statics of a module, and the kernels that use them.

use std::collections::BTreeSet;

use super::module::PtxModule;

/// The variables of a module that may change, by their names in PTX, from LLVM's text of the same module: PTX itself does
/// not distinguish a table from a counter.
///
/// ```
/// use cuda_builder::ptx::statics::mutable;
///
/// let text = "@table = internal constant [2 x i8] c\"ab\"\n@count.0 = internal global i32 0, align 4\n";
/// assert_eq!(mutable(text).into_iter().collect::<Vec<_>>(), ["count_$_0"]);
/// ```
pub fn mutable(llvm: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for line in llvm.lines() {
        let Some((name, value)) = line.strip_prefix('@').and_then(|line| line.split_once(" = ")) else { continue };
        // The words before the type: linkage, visibility, and whether it is constant.
        let kind = value.split_whitespace().find(|word| matches!(*word, "global" | "constant" | "alias" | "ifunc"));
        if kind == Some("global") {
            // As the backend spells it.
            found.insert(name.trim_matches('"').replace(['.', '@'], "_$_"));
        }
    }
    found
}

/// The names of mutable statics that one of these kernels uses.
pub fn seen(module: &PtxModule, mutable: &BTreeSet<String>, kernels: &[String]) -> Vec<String> {
    let mut found = BTreeSet::new();
    for kernel in kernels {
        found.extend(module.variables_reached(kernel).filter(|name| mutable.contains(*name)));
    }
    found.into_iter().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_is_seen_by_those_that_reach_it() {
        let module = PtxModule::parse(
            ".global .align 4 .u32 count = 7;\n.global .align 4 .b8 table[8] = {1, 2};\n\
             .func help() { atom.global.add.u32 %r1, [count], 1; ret; }\n\
             .visible .entry a() { call.uni help, (); ret; }\n\
             .visible .entry b() { ld.global.u8 %r1, [table+4]; ret; }",
        );
        let mutable =
            mutable("@count = internal global i32 7\n@table = internal unnamed_addr constant [8 x i8] zeroinitializer");
        assert_eq!(seen(&module, &mutable, &["a".to_owned()]), ["count"]);
        assert_eq!(seen(&module, &mutable, &["b".to_owned()]), Vec::<String>::new());
        assert_eq!(seen(&module, &mutable, &[]), Vec::<String>::new());
    }

    #[test]
    fn a_counter_is_seen_by_those_that_get_to_it_by_tables() {
        let module = PtxModule::parse(
            ".global .align 4 .u32 count = 7;\n.global .align 8 .u64 one = generic(count);\n\
             .global .align 8 .u64 two[2] = {0, generic(one)};\n.func help() { atom.global.add.u32 %r1, [count], 1; ret; }\n\
             .global .align 8 .b8 packed[16] = {8, 0xFF(help), 0xFF00(help)};\n.global .align 8 .u64 null[2] = {0, 1};\n\
             .visible .entry a() { ld.global.u64 %rd1, [two+8]; ret; }\n\
             .visible .entry b() { ld.global.u64 %rd1, [packed]; ret; }\n\
             .visible .entry c() { ld.global.u64 %rd1, [null]; ret; }",
        );
        let mutable = BTreeSet::from(["count".to_owned()]);
        let of = |kernel: &str| seen(&module, &mutable, &[kernel.to_owned()]);
        assert_eq!((of("a"), of("b"), of("c")), (vec!["count".to_owned()], vec!["count".to_owned()], vec![]));
    }

    #[test]
    fn other_lines_are_no_variables() {
        let text =
            "define void @k(ptr %a) {\n@\"odd.name\" = external global i8\n@f = alias void (), ptr @k\n; @c = global";
        assert_eq!(mutable(text).into_iter().collect::<Vec<_>>(), ["odd_$_name"]);
    }
}
