//! The instructions around which threads may be late.

/// A kind of place for delays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Site {
    /// The beginning of a kernel: warps and blocks begin at different times.
    Begin,
    /// A barrier of a warp, block or cluster, before it and after it: threads also read what others are about to overwrite.
    Barrier,
    /// An atomic operation.
    Atomic,
    /// An asynchronous copy, and the instructions that group such copies and wait for them.
    Copy,
    /// An object that counts arrivals (`mbarrier`).
    Arrivals,
    /// Where a warpgroup begins products of matrices, or waits for them.
    Products,
    /// A fence.
    Fence,
    /// A load or store that is volatile or has a memory order, such as those that poll.
    Ordered,
}

impl Site {
    /// Whether there is a delay after the instruction, too.
    pub(super) fn is_left_late(self) -> bool {
        self == Self::Barrier
    }
}

/// Instructions that concern no other thread, or whose threads are together in any schedule. (Plain loads and stores of shared
/// and global memory are among them: their order is that of the barriers around them.)
#[rustfmt::skip]
const ORDINARY: [&str; 94] = [
    "abs", "activemask", "add", "addc", "alloca", "and", "applypriority", "bfe", "bfi", "bfind", "bmsk", "bra", "brev",
    "brkpt", "brx", "call", "clz", "cnot", "copysign", "cos", "createpolicy", "cvt", "cvta", "discard", "div", "dp2a",
    "dp4a", "elect", "ex2", "exit", "fma", "fns", "getctarank", "isspacep", "istypep", "ldmatrix", "ldu", "lg2", "lop3",
    "mad", "mad24", "madc", "mapa", "match", "max", "min", "mma", "mov", "movmatrix", "mul", "mul24", "nanosleep",
    "neg", "not", "or", "pmevent", "popc", "prefetch", "prefetchu", "prmt", "rcp", "redux", "rem", "ret", "rsqrt",
    "sad", "selp", "set", "setmaxnreg", "setp", "shf", "shfl", "shl", "shr", "sin", "slct", "sqrt", "stackrestore",
    "stacksave", "stmatrix", "sub", "subc", "suld", "suq", "szext", "tanh", "testp", "tex", "tld4", "trap", "txq",
    "vote", "wmma", "xor",
];

/// What orders a load or store among those of other threads.
const ORDERS: [&str; 6] = ["volatile", "relaxed", "acquire", "release", "mmio", "sc"];

/// An instruction, as far as delays concern it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Instruction {
    pub site: Option<Site>,
}

impl Instruction {
    /// Reads a statement. The error names what is not known.
    pub fn read(statement: &str) -> Result<Self, String> {
        let opcode = opcode(statement).ok_or_else(|| format!("`{statement}` is not an instruction"))?;
        let mut suffixes = opcode.split('.');
        let base = suffixes.next().unwrap_or_default();
        let has = |suffix: &str| suffixes.clone().any(|found| found == suffix);
        let site = match base {
            "bar" | "barrier" => Some(Site::Barrier),
            "cp" | "st" | "red" if has("async") || has("bulk") => Some(Site::Copy),
            "atom" | "red" | "multimem" | "sured" => Some(Site::Atomic),
            "mbarrier" => Some(Site::Arrivals),
            "wgmma" if has("fence") || has("wait_group") => Some(Site::Products),
            "wgmma" if has("mma_async") || has("commit_group") => None,
            "fence" | "membar" => Some(Site::Fence),
            "ld" | "st" => suffixes.any(|suffix| ORDERS.contains(&suffix)).then_some(Site::Ordered),
            base if ORDINARY.binary_search(&base).is_ok() => None,
            _ => {
                return Err(format!(
                    "the instruction `{opcode}` is not known, so it is not known whether threads communicate by it: add it to \
                     `cuda_ptx::schedule`"
                ));
            }
        };
        Ok(Self { site })
    }
}

/// The opcode with its suffixes, after a predicate.
fn opcode(statement: &str) -> Option<&str> {
    let unguarded = match statement.strip_prefix('@') {
        Some(guarded) => guarded.trim_start().split_once(char::is_whitespace)?.1.trim_start(),
        None => statement,
    };
    let opcode = unguarded.split_whitespace().next()?;
    let is_opcode = opcode.starts_with(|c: char| c.is_ascii_lowercase())
        && opcode.chars().all(|c| c.is_ascii_alphanumeric() || "._:".contains(c));
    is_opcode.then_some(opcode)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_way_to_communicate_is_a_site() {
        let cases = [
            ("bar.sync \t0", Some(Site::Barrier)),
            ("bar.warp.sync \t-1", Some(Site::Barrier)),
            ("barrier.cluster.wait.aligned", Some(Site::Barrier)),
            ("bar.red.and.pred %p1, 0, %p2", Some(Site::Barrier)),
            ("atom.relaxed.gpu.global.cas.b64 %rd1, [place], %rd2, %rd3", Some(Site::Atomic)),
            ("@%is_some red.shared.or.b32 [%r1], %r2", Some(Site::Atomic)),
            ("@!%p1 atom.shared.add.u32 %r1, [x], 1", Some(Site::Atomic)),
            ("red.async.relaxed.cluster.global.shared::cluster [a], b", Some(Site::Copy)),
            ("cp.async.cg.shared.global [%r1], [%from], 16", Some(Site::Copy)),
            ("cp.async.wait_group 1", Some(Site::Copy)),
            ("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [a], [b], 4", Some(Site::Copy)),
            ("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [a], b, [c]", Some(Site::Copy)),
            ("mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], 0", Some(Site::Arrivals)),
            ("wgmma.wait_group.sync.aligned 0", Some(Site::Products)),
            ("wgmma.fence.sync.aligned", Some(Site::Products)),
            ("wgmma.commit_group.sync.aligned", None),
            ("fence.proxy.async.shared::cta", Some(Site::Fence)),
            ("membar.gl", Some(Site::Fence)),
            ("ld.volatile.shared.b32 %r1, [__cuda_std_launch+20]", Some(Site::Ordered)),
            ("st.release.sys.b32 [%rd1], %r1", Some(Site::Ordered)),
            ("ld.relaxed.gpu.global.b64 %rd1, [place]", Some(Site::Ordered)),
            ("ld.global.nc.b32 %r1, [%rd1]", None),
            ("st.shared.b32 [%r1], %r2", None),
            ("shfl.sync.bfly.b32 %r1|%p1, %r2, 16, 31, -1", None),
            ("exit", None),
        ];
        for (statement, site) in cases {
            assert_eq!(Instruction::read(statement).map(|found| found.site), Ok(site), "{statement}");
        }
    }

    #[test]
    fn ordinary_instructions_are_sorted_for_the_search() {
        assert!(ORDINARY.is_sorted());
    }

    #[test]
    fn what_is_not_known_is_not_passed_over() {
        for statement in [
            "tcgen05.wait::ld.sync.aligned",
            "griddepcontrol.wait",
            "wgmma.other",
            "cp.later [a], [b]",
            "%r1 = 7",
            "@%p1",
        ] {
            let error = Instruction::read(statement).unwrap_err();
            assert!(error.contains("not known") || error.contains("not an instruction"), "{error}");
        }
    }
}
