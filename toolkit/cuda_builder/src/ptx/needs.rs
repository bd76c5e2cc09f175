//! Instructions that older chips lack.

/// Prefixes of instructions, or parts that identify one, with the compute capability that they need (PTX ISA, "target
/// notes"). Instructions of all chips from 7.5 on are not listed.
const BY_PREFIX: &[(&str, u32)] = &[
    ("cp.async.bulk", 90),
    ("cp.reduce.async.bulk", 90),
    ("cp.async", 80),
    ("redux.", 80),
    ("mbarrier.try_wait", 90),
    ("mbarrier.", 80),
    ("createpolicy.", 80),
    ("applypriority.", 80),
    ("discard.", 80),
    ("mma.sp", 80),
    ("stmatrix.", 90),
    ("barrier.cluster", 90),
    ("fence.proxy.async", 90),
    ("fence.mbarrier_init", 90),
    ("mapa.", 90),
    ("mapa", 90),
    ("getctarank", 90),
    ("griddepcontrol", 90),
    ("elect.sync", 90),
    ("multimem.", 90),
    ("st.async", 90),
    ("red.async", 90),
    ("setmaxnreg", 90),
    ("wgmma.", 90),
    ("tcgen05.", 100),
];

/// The compute capability that an instruction needs, as `80` for 8.0, if above 7.5.
///
/// ```
/// use cuda_builder::ptx::needs::needs;
///
/// assert_eq!(needs("cp.async.ca.shared.global"), Some(80));
/// assert_eq!(needs("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32"), Some(80));
/// assert_eq!((needs("cvt.rn.f16x2.f32"), needs("cvt.rn.f16.f32")), (Some(80), None));
/// assert_eq!((needs("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32"), needs("bar.sync")), (None, None));
/// ```
pub fn needs(instruction: &str) -> Option<u32> {
    if let Some((_, needed)) = BY_PREFIX.iter().find(|(prefix, _)| instruction.starts_with(prefix)) {
        return Some(*needed);
    }
    let (name, _) = instruction.split_once('.')?;
    let has = |part: &str| instruction.split('.').any(|found| found == part);
    match name {
        "mma" | "wmma" if has("e4m3") || has("e5m2") => Some(89),
        "mma" | "wmma" if has("bf16") || has("tf32") || has("f64") || has("m16n8k16") || has("m16n8k32") => Some(80),
        "cvt" if instruction.contains("e4m3") || instruction.contains("e5m2") => Some(89),
        "cvt" if instruction.contains("bf16") || has("tf32") || instruction.ends_with(".f16x2.f32") => Some(80),
        "add" | "sub" | "mul" | "atom" | "red" | "tanh" | "ex2" if has("bf16") || has("bf16x2") => Some(90),
        "fma" | "min" | "max" | "neg" | "abs" if has("bf16") || has("bf16x2") => Some(80),
        "min" | "max" if has("f16") || has("f16x2") => Some(80),
        _ => None,
    }
}
