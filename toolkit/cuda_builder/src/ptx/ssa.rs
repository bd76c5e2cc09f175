//! Gives every definition of a register a number of its own.
//!
//! PTX has variables: a compiler's backend stores different values in one register, one after another or on different ways. Here
//! each value gets a number, and where ways with different values meet there is a [`Phi`], as in the compiler's own form (Braun et
//! al. 2013, Simple and Efficient Construction of Static Single Assignment Form).

use std::collections::HashMap;

use super::flow::{Block, Instruction, Operand};

/// The number of a value. Before this module's work it is that of a register.
pub(super) type Number = usize;

/// The value of a register that nothing has defined.
pub(super) const UNDEFINED: Number = 0;

/// A value that depends on the way that led to a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Phi {
    pub block: usize,
    pub result: Number,
    /// For each way to the block, the block before it and the value that comes from there.
    pub sources: Vec<(usize, Number)>,
}

/// The registers that an instruction writes: those of its first operand.
pub(super) fn results<'a>(instruction: &'a Instruction<'_>) -> impl Iterator<Item = Number> + 'a {
    const NO_RESULT: [&str; 19] = [
        "st",
        "red",
        "bar",
        "barrier",
        "bra",
        "brx",
        "call",
        "ret",
        "exit",
        "trap",
        "prefetch",
        "prefetchu",
        "cp",
        "membar",
        "fence",
        "nanosleep",
        "stmatrix",
        "griddepcontrol",
        "setmaxnreg",
    ];
    let has = !NO_RESULT.contains(&instruction.base()) || instruction.has("red");
    instruction.operands.first().filter(|_| has).into_iter().flatten().filter_map(|part| match part {
        Operand::Register(register) => Some(*register),
        _ => None,
    })
}

/// Numbers the values of blocks. Returns how many there are, and the phis.
pub(super) fn number(blocks: &mut [Block<'_>]) -> (usize, Vec<Phi>) {
    let mut before = vec![Vec::new(); blocks.len()];
    for (at, block) in blocks.iter().enumerate() {
        for &next in block.successors.iter().filter(|&&next| !blocks[next].ends_threads) {
            before[next].push(at);
        }
    }
    let mut numbering = Numbering { before, last: vec![HashMap::new(); blocks.len()], ..Numbering::default() };
    numbering.count = UNDEFINED + 1;
    // Definitions first, so that loops find those of later blocks.
    let mut definitions = Vec::new();
    for (at, block) in blocks.iter().enumerate() {
        for instruction in &block.instructions {
            let defined: Vec<_> = results(instruction).collect();
            let fresh: Vec<Number> = defined.iter().map(|_| numbering.fresh()).collect();
            numbering.last[at].extend(defined.into_iter().zip(fresh.iter().copied()));
            definitions.push(fresh);
        }
    }
    let mut definitions = definitions.into_iter();
    for (at, block) in blocks.iter_mut().enumerate() {
        let mut current = HashMap::new();
        for instruction in &mut block.instructions {
            let defined: Vec<_> = results(instruction).collect();
            let fresh = definitions.next().unwrap_or_default();
            let read = |register: Number, numbering: &mut Numbering| match current.get(&register) {
                Some(&number) => number,
                None => numbering.at_start(register, at),
            };
            if instruction.predicate.is_some() && !defined.is_empty() {
                // The old values stay where the predicate is false.
                let old = defined.iter().map(|&register| Operand::Register(read(register, &mut numbering))).collect();
                instruction.kept = old;
            }
            instruction.predicate = instruction.predicate.map(|register| read(register, &mut numbering));
            let is_written = !defined.is_empty();
            for (position, operand) in instruction.operands.iter_mut().enumerate() {
                for part in operand.iter_mut().filter(|_| !(is_written && position == 0)) {
                    if let Operand::Register(register) = part {
                        *register = read(*register, &mut numbering);
                    }
                }
            }
            let mut numbers = fresh.iter();
            for part in instruction.operands.first_mut().filter(|_| is_written).into_iter().flatten() {
                if let Operand::Register(register) = part
                    && let Some(&number) = numbers.next()
                {
                    current.insert(*register, number);
                    *register = number;
                }
            }
        }
    }
    numbering.finish(blocks)
}

#[derive(Default)]
struct Numbering {
    before: Vec<Vec<usize>>,
    /// For each block, the last definition of each register in it.
    last: Vec<HashMap<Number, Number>>,
    /// The value of a register at the beginning of a block, where it was asked for.
    starts: HashMap<(Number, usize), Number>,
    phis: Vec<Phi>,
    count: usize,
}

impl Numbering {
    fn fresh(&mut self) -> Number {
        self.count += 1;
        self.count - 1
    }

    /// The value of a register at the beginning of a block.
    fn at_start(&mut self, register: Number, block: usize) -> Number {
        // Blocks that still wait for the value, each with the way that led there.
        let mut at = block;
        let mut passed = Vec::new();
        let number = loop {
            if let Some(&number) = self.starts.get(&(register, at)) {
                break number;
            }
            match self.before[at][..] {
                [] => break UNDEFINED,
                [only] => {
                    passed.push(at);
                    if let Some(&number) = self.last[only].get(&register) {
                        break number;
                    }
                    // A loop without an entrance: nobody gets there.
                    if passed.contains(&only) {
                        break UNDEFINED;
                    }
                    at = only;
                }
                _ => {
                    let number = self.fresh();
                    self.starts.insert((register, at), number);
                    let phi = self.phis.len();
                    self.phis.push(Phi { block: at, result: number, sources: Vec::new() });
                    let sources = self.before[at].clone();
                    let sources: Vec<_> = sources.into_iter().map(|from| (from, self.at_end(register, from))).collect();
                    self.phis[phi].sources = sources;
                    break number;
                }
            }
        };
        for at in passed {
            self.starts.insert((register, at), number);
        }
        number
    }

    fn at_end(&mut self, register: Number, block: usize) -> Number {
        match self.last[block].get(&register) {
            Some(&number) => number,
            None => self.at_start(register, block),
        }
    }

    /// Removes phis whose sources are one value, and puts it in their position.
    fn finish(mut self, blocks: &mut [Block<'_>]) -> (usize, Vec<Phi>) {
        let mut same: Vec<Number> = (0..self.count).collect();
        let find = |same: &[Number], mut number: Number| {
            while same[number] != number {
                number = same[number];
            }
            number
        };
        let mut changed = true;
        while changed {
            changed = false;
            for phi in &self.phis {
                if same[phi.result] != phi.result {
                    continue;
                }
                // A register that nothing has defined on one way is not read after it.
                let sources = phi.sources.iter().map(|&(_, source)| find(&same, source));
                let mut others = sources.filter(|&source| source != phi.result && source != UNDEFINED);
                let first = others.next();
                if others.all(|other| Some(other) == first) {
                    same[phi.result] = first.unwrap_or(UNDEFINED);
                    changed = true;
                }
            }
        }
        let rename = |number: &mut Number| *number = find(&same, *number);
        self.phis.retain(|phi| same[phi.result] == phi.result);
        self.phis.iter_mut().flat_map(|phi| &mut phi.sources).for_each(|(_, source)| rename(source));
        for instruction in blocks.iter_mut().flat_map(|block| &mut block.instructions) {
            instruction.predicate.iter_mut().for_each(rename);
            for part in instruction.operands.iter_mut().flatten().chain(&mut instruction.kept) {
                if let Operand::Register(number) = part {
                    rename(number);
                }
            }
        }
        (self.count, self.phis)
    }
}
