//! What a value depends on: the lane, the warp, or neither.

use super::flow::{Instruction, Operand};
/// What a value may depend on, as bits.
pub(super) type Dependence = u8;
/// It may differ among the lanes of a warp.
pub(super) const LANE: Dependence = 1;
/// It may differ among the warps of a block.
pub(super) const WARP: Dependence = 2;
pub(super) const BOTH: Dependence = LANE | WARP;

/// What a value is, as far as that matters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Kind {
    /// Nothing has defined it so far.
    #[default]
    Undefined,
    /// The thread's index, shifted to the right by so many bits.
    Index(u32),
    /// An address in the local memory of a function, by its number; `None` if the offset is not known.
    Local {
        function: usize,
        at: Option<i64>,
    },
    /// An address in local memory.
    SomeLocal,
    Other,
}

impl Kind {
    pub fn is_local(self) -> bool {
        matches!(self, Kind::Local { .. } | Kind::SomeLocal)
    }
}

/// A register's value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Value {
    pub depends: Dependence,
    pub kind: Kind,
}

impl Value {
    pub fn new(depends: Dependence) -> Self {
        Self { depends, kind: Kind::Other }
    }

    pub fn index(shifted: u32) -> Self {
        Self { depends: BOTH, kind: Kind::Index(shifted) }
    }

    /// An address so many bytes further.
    pub fn moved(self, by: i64) -> Self {
        match self.kind {
            Kind::Local { function, at } => Self { kind: Kind::Local { function, at: at.map(|at| at + by) }, ..self },
            Kind::SomeLocal | Kind::Undefined => self,
            _ => Self::new(self.depends),
        }
    }

    /// Becomes a value that is either. Returns whether that changed it.
    pub fn join(&mut self, other: Self) -> bool {
        let kind = match (self.kind, other.kind) {
            (Kind::Undefined, kind) | (kind, Kind::Undefined) => kind,
            (a, b) if a == b => a,
            (Kind::Local { function, .. }, Kind::Local { function: other, .. }) if function == other => {
                Kind::Local { function, at: None }
            }
            (a, b) if a.is_local() || b.is_local() => Kind::SomeLocal,
            _ => Kind::Other,
        };
        let new = Self { depends: self.depends | other.depends, kind };
        std::mem::replace(self, new) != new
    }
}

/// The value that an instruction without memory computes; `value` has those of its operands.
pub(super) fn computed(instruction: &Instruction<'_>, value: impl Fn(usize) -> Value) -> Value {
    let constant = |operand: usize| match instruction.operands.get(operand).map(Vec::as_slice) {
        Some([Operand::Constant(constant)]) => Some(*constant),
        _ => None,
    };
    // The first operand is the result.
    let sources = (1..instruction.operands.len()).map(&value).fold(0, |all, one| all | one.depends);
    let index = match value(1).kind {
        Kind::Index(shifted) => Some(shifted),
        _ => None,
    };
    let result = match (instruction.base(), index, constant(2)) {
        ("mov" | "cvta", ..) => value(1),
        // (The bits of a small offset are not set in an aligned address.)
        ("add" | "or", _, Some(by)) if value(1).kind.is_local() => value(1).moved(by),
        ("sub", _, Some(by)) if value(1).kind.is_local() => value(1).moved(-by),
        _ if (1..instruction.operands.len()).any(|operand| value(operand).kind.is_local()) => {
            let mut addresses = (1..instruction.operands.len()).map(&value).filter(|value| value.kind.is_local());
            let kind = match (addresses.next().map(|value| value.kind), addresses.next()) {
                (Some(Kind::Local { function, .. }), None) => Kind::Local { function, at: None },
                _ => Kind::SomeLocal,
            };
            Value { depends: sources, kind }
        }
        ("cvt", Some(_), _) if !instruction.has("u8") && !instruction.opcode.contains(".f") => value(1),
        ("shr", Some(shifted), Some(by)) => shifted_index(shifted, by),
        ("shl", Some(0), Some(27..)) if instruction.has("b32") => Value::new(LANE),
        ("and", Some(shifted), Some(mask)) => Value::new(masked_index(shifted, mask)),
        ("bfe", Some(shifted), Some(position)) => {
            let shifted = shifted_index(shifted, position);
            match (shifted.kind, constant(3)) {
                (Kind::Index(bits), Some(length @ 0..32)) => Value::new(masked_index(bits, (1 << length) - 1)),
                _ => Value::new(shifted.depends),
            }
        }
        ("setp", Some(shifted), Some(limit)) => {
            // The first index on the other side, if it is the first of a warp.
            let first = match instruction.opcode.split('.').nth(1) {
                Some("lt" | "ge" | "lo" | "hs") => Some(limit),
                Some("gt" | "le" | "hi" | "ls") => limit.checked_add(1),
                _ => None,
            };
            let divides = shifted < 5 && first.is_some_and(|first| first % (32 >> shifted) == 0);
            Value::new(if divides { WARP } else { BOTH })
        }
        ("shfl", ..) => {
            let whole = instruction.has("idx") && constant(3) == Some(31);
            let (own, from) = (value(1).depends, value(2).depends);
            Value::new(match own & LANE {
                0 => own,
                _ if whole && from & LANE == 0 => (own & !LANE) | from,
                _ => own | from,
            })
        }
        ("vote" | "redux", ..) => Value::new(sources & !LANE),
        ("match", ..) if instruction.has("all") => Value::new(sources & !LANE),
        ("match", ..) => Value::new(sources | LANE),
        ("activemask" | "atom" | "mma" | "wmma" | "ldmatrix" | "wgmma" | "elect", ..) => Value::new(BOTH),
        _ => Value::new(sources),
    };
    // What it is will be known when its operands are.
    let waits = (1..instruction.operands.len()).any(|operand| value(operand).kind == Kind::Undefined);
    if waits && result.kind == Kind::Other { Value { kind: Kind::Undefined, ..result } } else { result }
}

/// What a special register depends on.
pub(super) fn special(name: &str) -> Dependence {
    match name.split('.').next().unwrap_or_default() {
        "%tid" | "%clock" | "%clock_hi" | "%clock64" | "%globaltimer" | "%globaltimer_lo" | "%globaltimer_hi" => BOTH,
        "%laneid" => LANE,
        "%warpid" => WARP,
        name if name.starts_with("%lanemask_") => LANE,
        _ => 0,
    }
}

/// The thread's index, which was shifted before, shifted by more bits.
fn shifted_index(shifted: u32, by: i64) -> Value {
    match u32::try_from(by).map_or(32, |by| shifted.saturating_add(by)) {
        bits @ 0..5 => Value::index(bits),
        _ => Value::new(WARP),
    }
}

/// What bits of the thread's index depend on.
fn masked_index(shifted: u32, mask: i64) -> Dependence {
    let lane = (32 >> shifted) - 1;
    let (of_lane, of_warp) = (mask & lane != 0, mask & !lane & 1023 != 0);
    (if of_lane { LANE } else { 0 }) | (if of_warp { WARP } else { 0 })
}

/// What an instruction needs: all lanes of its warps, all threads of its block, or nobody else.
pub(super) fn needs(instruction: &Instruction<'_>) -> Dependence {
    // With a mask that is computed, or of some lanes, an instruction is meant for these lanes.
    let for_all = |mask: usize| {
        let mask = instruction.operands.get(mask).map(Vec::as_slice);
        matches!(mask, Some([Operand::Constant(-1 | 0xffff_ffff)]))
    };
    let warp = |whole: bool| if whole { LANE } else { 0 };
    let last = instruction.operands.len().wrapping_sub(1);
    match instruction.base() {
        "bar" if instruction.has("warp") => warp(for_all(0)),
        // With a number of threads, some warps meet.
        "bar" | "barrier" if instruction.operands.len() > 1 && !instruction.has("red") => LANE,
        "bar" | "barrier" => BOTH,
        "shfl" | "vote" | "match" | "redux" => warp(for_all(last)),
        // Four warps, or all of the block, take part.
        "wgmma" | "setmaxnreg" => BOTH,
        "mma" | "wmma" | "ldmatrix" | "stmatrix" | "movmatrix" => LANE,
        "elect" => warp(for_all(last)),
        _ => 0,
    }
}
