//! The checks of a kernel that the compiler could not prove: branches to code that panics.

use std::collections::BTreeMap;

use cuda_ptx::text::bodies;

use super::flow::Flow;
use super::module::PtxModule;

/// The number of checks that each kernel can reach: in its body and in all functions that it calls.
///
/// A check is a branch from code that can return to code that cannot, and that calls a function, which reports the panic. Several
/// checks may share such code. Threads that end because another one has panicked call no function.
///
/// ```
/// use cuda_builder::ptx::checks::check_sites;
///
/// let sites = check_sites(
///     ".func fail() .noreturn;
///     .visible .entry scale(.param .b32 n) {
///         ld.param.b32 %r1, [n];
///         setp.gt.u32 %p1, %r1, 9;
///         @%p1 bra $L_fail;
///         ret;
///     $L_fail:
///         call.uni fail, ();
///         trap;
///     }",
/// );
/// assert_eq!(sites["scale"], 1);
/// ```
#[must_use]
pub fn check_sites(text: &str) -> BTreeMap<String, usize> {
    let own: BTreeMap<&str, usize> = bodies(text).iter().map(|body| (body.name, of_function(body.text))).collect();
    let module = PtxModule::parse(text);
    let all = |kernel: &str| {
        let reached = module.reached(kernel).into_iter();
        reached.filter_map(|function| own.get(function.name.as_str())).sum()
    };
    module.entries().into_iter().map(|kernel| (kernel.to_owned(), all(kernel))).collect()
}

fn of_function(body: &str) -> usize {
    let flow = Flow::read(body);
    let panics = |&next: &usize| flow.blocks[next].ends_threads && calls(&flow, next);
    let live = flow.blocks.iter().filter(|block| !block.ends_threads);
    live.map(|block| block.successors.iter().filter(|next| panics(next)).count()).sum()
}

/// Whether threads that end in a block or after it call a function.
fn calls(flow: &Flow<'_>, block: usize) -> bool {
    let (mut seen, mut queue) = (vec![false; flow.blocks.len()], vec![block]);
    while let Some(next) = queue.pop() {
        if flow.blocks[next].ends_with_call {
            return true;
        }
        if !std::mem::replace(&mut seen[next], true) {
            queue.extend(&flow.blocks[next].successors);
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "
.func report(.param .b64 place) .noreturn;
.func (.param .b32 result) checked(.param .b32 n) {
\tsetp.gt.u32 \t%p1, %r1, 9;
\t@%p1 bra \t$L__BB0_2;
\tst.param.b32 \t[result], %r1;
\tret;
$L__BB0_2:
\t{ // callseq 0, 0
\tcall.uni \treport, (param0);
\t} // callseq 0
\t// begin inline asm
\texit;
\t// end inline asm
}
.func fails() .noreturn {
\tsetp.gt.u32 \t%p1, %r1, 9;
\t@%p1 bra \t$L__BB1_2;
\tcall.uni \treport, (param0);
\ttrap;
$L__BB1_2:
\tcall.uni \treport, (param1);
\ttrap;
}
.visible .entry first() {
\tld.volatile.shared.b32 %r9, [poison];
\tsetp.ne.b32 \t%p1, %r9, 0;
\t@%p1 bra \t$L__BB2_9;
\tcall.uni \t(retval0), checked, (param0);
\tsetp.gt.u32 \t%p2, %r2, 9;
\t@%p2 bra \t$L__BB2_7;
$L__BB2_3:
\tsetp.gt.u32 \t%p3, %r3, 9;
\t@%p3 bra \t$L__BB2_7;
\tsetp.gt.u32 \t%p4, %r4, 9;
\t@%p4 bra \t$L__BB2_8;
\t@%p5 bra \t$L__BB2_3;
\tret;
$L__BB2_7:
\tmov.b64 \t%rd1, place;
\tbra.uni \t$L__BB2_10;
$L__BB2_8:
\tcall.uni \tfails, ();
\ttrap;
$L__BB2_9:
\texit;
$L__BB2_10:
\tcall.uni \treport, (param0);
\ttrap;
}
.visible .entry second() {
\tret;
}
";

    #[test]
    fn branches_to_panics_are_counted_and_those_of_called_functions() {
        // Two branches to one panic, one to another, and one in `checked`. In `fails` nothing is left to check, and the thread that
        // leaves because another one has panicked reports nothing.
        assert_eq!(check_sites(TEXT), BTreeMap::from([("first".to_owned(), 4), ("second".to_owned(), 0)]));
    }

    #[test]
    fn a_check_less_is_one_less() {
        let fewer = TEXT.replace("\t@%p3 bra \t$L__BB2_7;\n", "");
        assert_eq!(check_sites(&fewer)["first"], 3);
    }
}
