//! Recognises values that all lanes of a warp have combined by exchanges: `x = x + shfl.bfly(x, 16)`, then 8, 4, 2, 1.

use std::collections::HashMap;

use super::flow::{Flow, Instruction, Operand};
use super::ssa::{Number, results};

/// All lane bits.
const ALL: u8 = 31;

/// For each value, whether it is the same in all lanes because the lanes have exchanged and combined it.
pub(super) fn combined(flow: &Flow<'_>) -> Vec<bool> {
    // The lane bits that a value does not depend on, because both lanes of each pair have combined it.
    let mut same = vec![0u8; flow.values];
    // A value of the lane whose index differs in some bits.
    let mut exchanged: HashMap<Number, (Number, u8)> = HashMap::new();
    let instructions = || flow.blocks.iter().flat_map(|block| &block.instructions);
    if !instructions().any(|instruction| instruction.opcode.starts_with("shfl.sync.bfly")) {
        return vec![false; flow.values];
    }
    let mut changed = true;
    while changed {
        changed = false;
        for instruction in instructions().filter(|instruction| instruction.predicate.is_none()) {
            let Some(result) = results(instruction).next() else { continue };
            let (first, second) = (register(instruction, 1), register(instruction, 2));
            let bits = match instruction.base() {
                "shfl" if instruction.has("bfly") => match (first, instruction.operands.get(2).map(Vec::as_slice)) {
                    (Some(value), Some([Operand::Constant(bits @ (1 | 2 | 4 | 8 | 16))])) => {
                        exchanged.insert(result, (value, *bits as u8));
                        same[value]
                    }
                    _ => 0,
                },
                "mov" => first.map_or(0, |value| same[value]),
                "add" | "mul" | "min" | "max" | "and" | "or" | "xor" => match (first, second) {
                    (Some(a), Some(b)) => match (exchanged.get(&a), exchanged.get(&b)) {
                        (_, Some((from, bits))) if *from == a => same[a] | bits,
                        (Some((from, bits)), _) if *from == b => same[b] | bits,
                        _ => 0,
                    },
                    _ => 0,
                },
                _ => 0,
            };
            changed |= same[result] | bits != same[result];
            same[result] |= bits;
        }
    }
    same.into_iter().map(|bits| bits == ALL).collect()
}

fn register(instruction: &Instruction<'_>, operand: usize) -> Option<Number> {
    match instruction.operands.get(operand).map(Vec::as_slice) {
        Some([Operand::Register(number)]) => Some(*number),
        _ => None,
    }
}
