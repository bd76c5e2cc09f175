//! Finds instructions for all threads of a warp or block that only some of them may reach.
//!
//! A barrier, a shuffle or a vote is defined only if all threads that take part in it get to the same one. Safe kernels are written
//! so; but an optimiser that does not know such an instruction as *convergent* may copy it into both arms of a branch. Compilers
//! before Rust 1.96 do. This module looks at the result: it follows what a register's value may depend on, the lane and the warp,
//! and refuses an instruction in an arm of a branch on a value that differs among the threads that take part.
//!
//! Arms that end threads (`exit`, after a panic) do not count: threads that have ended are not waited for.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::butterfly::combined;
use super::dependence::{BOTH, Dependence, Kind, LANE, Value, computed, needs, special};
use super::flow::{Flow, Instruction, Operand, Place};
use super::module::{PtxModule, bodies};
use super::ssa::{UNDEFINED, results};

/// An instruction that some of its threads may not reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divergent {
    /// The kernel or function.
    pub function: String,
    /// The instruction, or the call of a function that contains one.
    pub instruction: String,
    /// Its place in the source, as `src/lib.rs:25`, if the PTX has line information.
    pub place: Option<String>,
    /// The place of the branch.
    pub branch: Option<String>,
}

/// The instructions of a module that some of their threads may not reach; of each function, the first for each branch. `phases` are the
/// kernels in safe code. In others, which are `unsafe`, threads may return before the others meet.
///
/// ```
/// use cuda_builder::ptx::divergence::divergent;
///
/// let kernel = |body: &str| format!(".visible .entry k(\n)\n{{\nmov.u32 %r1, %tid.x;\n{body}\nret;\n}}\n");
/// let look = |body: &str| divergent(&kernel(body), &["k".to_owned()]);
/// let one = "setp.eq.u32 %p1, %r1, 7;\n@%p1 bra $A;\nst.shared.b32 [x], %r1;\n$A:\nbar.sync 0;";
/// assert_eq!(look(one), []);
/// let two = "setp.eq.u32 %p1, %r1, 7;\n@%p1 bra $A;\nbar.sync 0;\nbra $B;\n$A:\nbar.sync 0;\n$B:";
/// assert_eq!(look(two)[0].instruction, "bar.sync");
/// ```
pub fn divergent(text: &str, phases: &[String]) -> Vec<Divergent> {
    Analysis::of(text).findings(text, phases)
}

/// A function, and what is known of it so far.
struct Function<'a> {
    name: &'a str,
    entry: bool,
    flow: Flow<'a>,
    values: Vec<Value>,
    /// Values that are the same in all lanes of a warp.
    combined: Vec<bool>,
    /// For each phi, the branches whose ways meet in its block decide with which value: what they depend on.
    chosen_by: Vec<Dependence>,
    /// For each block, what decides whether a thread gets there.
    decides: Vec<Dependence>,
    /// What the branch at the end of a block depends on, and its arms depend on already.
    branches: Vec<Dependence>,
    parameters: Vec<Dependence>,
    result: Dependence,
    /// What its local memory holds, or, where its address is taken, that of all functions of its kernel.
    local: Dependence,
    /// The address of local memory may be known here: generic accesses may be to it.
    local_escapes: bool,
    /// The threads among which it needs all: those of a warp ([`LANE`]), or of a block.
    needs: Dependence,
}

struct Analysis<'a> {
    functions: Vec<Function<'a>>,
    by_name: HashMap<&'a str, usize>,
    /// Functions whose addresses are taken.
    indirect: Vec<usize>,
    changed: bool,
}

impl<'a> Analysis<'a> {
    fn of(text: &'a str) -> Self {
        let functions: Vec<_> =
            bodies(text).into_iter().map(|body| Function::new(body.name, body.entry, body.text)).collect();
        let by_name: HashMap<_, _> = functions.iter().enumerate().map(|(at, function)| (function.name, at)).collect();
        let mut analysis = Analysis { functions, by_name, indirect: Vec::new(), changed: true };
        analysis.indirect = analysis.addresses_taken(text);
        while analysis.changed {
            analysis.changed = false;
            for at in 0..analysis.functions.len() {
                analysis.look(at);
            }
        }
        analysis
    }

    /// Functions whose names stand elsewhere than in calls: in instructions, or in tables.
    fn addresses_taken(&self, text: &str) -> Vec<usize> {
        let mut taken: Vec<usize> = Vec::new();
        for function in &self.functions {
            for instruction in function.flow.blocks.iter().flat_map(|block| &block.instructions) {
                let names = instruction.operands.iter().flatten().filter_map(|operand| match operand {
                    Operand::Name(name) if instruction.base() != "call" => self.by_name.get(name),
                    _ => None,
                });
                taken.extend(names);
            }
        }
        let module = PtxModule::parse(text);
        taken.extend(module.tables.values().flatten().filter_map(|name| self.by_name.get(name.as_str())));
        taken.sort_unstable();
        taken.dedup();
        taken
    }

    /// Follows the values of a function once.
    fn look(&mut self, at: usize) {
        // Taken out, because calls change other functions.
        let mut function = std::mem::replace(&mut self.functions[at], Function::new("", false, ""));
        self.changed |= function.follow_phis();
        for block in 0..function.flow.blocks.len() {
            let mut sent = BTreeMap::new();
            for number in 0..function.flow.blocks[block].instructions.len() {
                self.follow(&mut function, (block, number), &mut sent);
            }
        }
        self.changed |= function.spread_branches();
        self.functions[at] = function;
    }

    /// Follows an instruction. `sent` has what the parameters and results of calls in its block depend on.
    fn follow(
        &mut self,
        function: &mut Function<'a>,
        (block, number): (usize, usize),
        sent: &mut BTreeMap<String, Dependence>,
    ) {
        let decides = function.decides[block];
        let instruction = &function.flow.blocks[block].instructions[number];
        let value = |operand: usize| function.value_of(instruction, operand);
        let parameter = |operand: usize| instruction.name(operand).unwrap_or_default().to_owned();
        let kept = instruction.kept.iter().map(|part| function.part(part).depends).fold(0, |all, one| all | one);
        let predicate = kept | instruction.predicate.map_or(0, |register| function.values[register].depends);
        let mut result = Value::new(0);
        match instruction.base() {
            "st" if instruction.has("param") => {
                let (name, depends) = (parameter(0), value(1).depends | predicate);
                match name.contains("func_retval") {
                    true => {
                        let depends = depends | decides;
                        self.changed |= grow(&mut function.result, depends);
                    }
                    false => *sent.entry(name).or_default() |= depends,
                }
                return;
            }
            "st" => {
                let depends = value(0).depends | value(1).depends | predicate | decides;
                if function.may_be_local(instruction) {
                    self.changed |= grow(&mut function.local, depends);
                }
                return;
            }
            "call" => {
                let call = Call::of(instruction);
                self.call(call, function, sent);
                return;
            }
            "ld" if instruction.has("param") => {
                let name = parameter(1);
                result.depends = match sent.get(&name) {
                    Some(depends) => *depends,
                    None if function.entry => 0,
                    None => name
                        .rsplit('_')
                        .next()
                        .and_then(|n| n.parse().ok())
                        .map_or(BOTH, |n: usize| function.parameter(n)),
                };
            }
            "ld" => {
                result.depends = value(1).depends | predicate;
                if ["volatile", "relaxed", "acquire"].iter().any(|order| instruction.has(order)) {
                    result.depends = BOTH;
                } else if function.may_be_local(instruction) {
                    result.depends |= function.local;
                }
            }
            _ => {
                result = computed(instruction, value);
                if instruction.predicate.is_some() {
                    result = Value::new(result.depends | predicate);
                }
            }
        }
        self.changed |= function.define(block, number, result);
    }

    /// Follows a call: parameters to the function, its result back.
    fn call(&mut self, call: Call<'a>, caller: &mut Function<'a>, sent: &mut BTreeMap<String, Dependence>) {
        let targets = match call.function.and_then(|name| self.by_name.get(name)) {
            Some(&target) => vec![target],
            None if call.function.is_some() => Vec::new(),
            None => self.indirect.clone(),
        };
        // A function from outside may return anything.
        let mut result = if targets.is_empty() { BOTH } else { 0 };
        for target in targets {
            // A function that calls itself is not in its place meanwhile.
            let is_own = self.functions[target].name.is_empty();
            let function = if is_own { &mut *caller } else { &mut self.functions[target] };
            for (number, name) in call.arguments.iter().enumerate() {
                let depends = sent.get(*name).copied().unwrap_or_default();
                if function.parameters.len() <= number {
                    function.parameters.resize(number + 1, 0);
                }
                self.changed |= grow(&mut function.parameters[number], depends);
            }
            result |= function.result;
            let (needs, local, escapes) = (function.needs, function.local, function.local_escapes);
            self.changed |= grow(&mut caller.needs, needs);
            if escapes || caller.local_escapes {
                self.changed |= grow(&mut caller.local, local);
                self.changed |= !std::mem::replace(&mut caller.local_escapes, true);
                if let Some(function) = self.functions.get_mut(target).filter(|function| !function.name.is_empty()) {
                    self.changed |= grow(&mut function.local, caller.local);
                    self.changed |= !std::mem::replace(&mut function.local_escapes, true);
                }
            }
        }
        for name in call.arguments {
            sent.remove(name);
        }
        if let Some(name) = call.result {
            sent.insert(name.to_owned(), result);
        }
    }

    /// What an instruction needs: all lanes of its warps, or all threads of its block.
    fn needs(&self, instruction: &Instruction<'_>) -> Dependence {
        if instruction.base() != "call" {
            return needs(instruction);
        }
        let of = |target: usize| self.functions[target].needs;
        match Call::of(instruction).function {
            Some(name) => self.by_name.get(name).map_or(0, |&target| of(target)),
            None => self.indirect.iter().map(|&target| of(target)).fold(0, |all, one| all | one),
        }
    }

    fn findings(&self, text: &str, phases: &[String]) -> Vec<Divergent> {
        let files = files(text);
        let place = |place: Option<Place>| place.and_then(|place| name_place(place, &files));
        let mut found = Vec::new();
        for function in &self.functions {
            let may_return = function.entry && !phases.iter().any(|kernel| kernel == function.name);
            for (block, &depends) in function.branches.iter().enumerate().filter(|(_, depends)| **depends != 0) {
                let of = |arms: BTreeSet<usize>| {
                    let mut inside = arms.into_iter().flat_map(|arm| &function.flow.blocks[arm].instructions);
                    inside.find(|instruction| self.needs(instruction) & depends != 0)
                };
                let Some(instruction) = of(function.flow.arms(block)) else { continue };
                let returns = |way| of(function.flow.reached(way, None)).is_none();
                if may_return && function.flow.meets[block].is_none() && function.flow.ways(block).any(returns) {
                    continue;
                }
                let branch = function.flow.blocks[block].instructions.last().and_then(|branch| branch.place);
                found.push(Divergent {
                    function: function.name.to_owned(),
                    instruction: match Call::of(instruction).function {
                        Some(name) if instruction.base() == "call" => format!("call of {name}"),
                        _ => instruction.opcode.to_owned(),
                    },
                    place: place(instruction.place),
                    branch: place(branch),
                });
            }
        }
        found
    }
}

impl<'a> Function<'a> {
    fn new(name: &'a str, entry: bool, body: &'a str) -> Self {
        let flow = Flow::read(body);
        let blocks = flow.blocks.len();
        let mut own = 0;
        let mut local_escapes = false;
        for instruction in flow.blocks.iter().flat_map(|block| &block.instructions) {
            own |= needs(instruction);
            local_escapes |= instruction.opcode.starts_with("cvta.local");
        }
        let combined = combined(&flow);
        let (values, chosen_by) = (vec![Value::default(); flow.values], vec![0; flow.phis.len()]);
        let (decides, branches) = (vec![0; blocks], vec![0; blocks]);
        let (parameters, result, local) = (Vec::new(), 0, 0);
        Self {
            name,
            entry,
            flow,
            values,
            combined,
            chosen_by,
            decides,
            branches,
            parameters,
            result,
            local,
            local_escapes,
            needs: own,
        }
    }

    /// Whether a load or store may be to local memory.
    fn may_be_local(&self, instruction: &Instruction<'_>) -> bool {
        let elsewhere = || ["shared", "global", "const"].iter().any(|space| instruction.has(space));
        instruction.has("local") || (self.local_escapes && !elsewhere())
    }

    fn parameter(&self, number: usize) -> Dependence {
        self.parameters.get(number).copied().unwrap_or_default()
    }

    fn value_of(&self, instruction: &Instruction<'_>, operand: usize) -> Value {
        let mut parts = instruction.operands.get(operand).into_iter().flatten().map(|part| self.part(part));
        match (parts.next(), parts.next()) {
            (Some(only), None) => only,
            (first, second) => {
                let all = first.into_iter().chain(second).chain(parts);
                Value::new(all.fold(0, |depends, part| depends | part.depends))
            }
        }
    }

    fn part(&self, operand: &Operand<'_>) -> Value {
        match operand {
            Operand::Register(register) => self.values[*register],
            Operand::Special("%tid.x") => Value::index(0),
            Operand::Special(name) => Value::new(special(name)),
            Operand::Constant(_) | Operand::Name(_) => Value::new(0),
        }
    }

    /// Takes over a computed value. Returns whether anything changed.
    fn define(&mut self, block: usize, number: usize, value: Value) -> bool {
        let mut changed = false;
        for result in results(&self.flow.blocks[block].instructions[number]) {
            let value = if self.combined[result] { Value::new(value.depends & !LANE) } else { value };
            changed |= self.values[result].join(value);
        }
        changed
    }

    /// Follows the values that depend on the way to a block. Returns whether anything changed.
    fn follow_phis(&mut self) -> bool {
        let mut changed = false;
        for (phi, chosen_by) in self.flow.phis.iter().zip(&self.chosen_by) {
            for &(_, source) in &phi.sources {
                let mut value = self.values[source];
                // An index is the same index, whichever way it came.
                value.depends |= if value.kind == Kind::Undefined { 0 } else { *chosen_by };
                changed |= self.values[phi.result].join(value);
            }
        }
        changed
    }

    /// Lets the branches decide who gets to their arms. Returns whether anything changed.
    fn spread_branches(&mut self) -> bool {
        let mut changed = false;
        for block in 0..self.flow.blocks.len() {
            if self.flow.ways(block).count() < 2 {
                continue;
            }
            let Some(branch) = self.flow.blocks[block].instructions.last() else { continue };
            let index = if branch.base() == "brx" { self.value_of(branch, 0).depends } else { 0 };
            let depends = index | branch.predicate.map_or(0, |register| self.values[register].depends);
            if grow(&mut self.branches[block], depends) {
                changed = true;
                let arms = self.flow.arms(block);
                for &arm in &arms {
                    self.decides[arm] |= depends;
                }
                self.choose(block, &arms, depends);
            }
        }
        if changed {
            self.leave_loops();
        }
        changed
    }

    /// Where ways from a branch meet with different values, it decides which one a phi takes.
    fn choose(&mut self, branch: usize, arms: &BTreeSet<usize>, depends: Dependence) {
        for (phi, chosen_by) in self.flow.phis.iter().zip(&mut self.chosen_by) {
            if self.flow.meets[branch] != Some(phi.block) && !arms.contains(&phi.block) {
                continue;
            }
            let is_here = |from: &usize| *from == branch || arms.contains(from);
            let here = phi.sources.iter().filter(|(from, value)| is_here(from) && *value != UNDEFINED);
            let mut values = here.map(|(_, value)| value);
            let first = values.next();
            if values.any(|value| Some(value) != first) {
                *chosen_by |= depends;
            }
        }
    }

    /// A value from a loop that threads leave in different turns differs among them outside of it.
    fn leave_loops(&mut self) {
        let mut defined_in: Vec<_> = vec![None; self.values.len()];
        for phi in &self.flow.phis {
            defined_in[phi.result] = Some(phi.block);
        }
        for (at, block) in self.flow.blocks.iter().enumerate() {
            for register in block.instructions.iter().flat_map(results) {
                defined_in[register] = Some(at);
            }
        }
        for (at, block) in self.flow.blocks.iter().enumerate().filter(|(_, block)| !block.ends_threads) {
            for instruction in &block.instructions {
                for register in instruction.registers().chain(instruction.predicate) {
                    let inside = defined_in[register].map_or(0, |defined| self.decides[defined]);
                    self.values[register].depends |= inside & !self.decides[at];
                }
            }
        }
    }
}

/// A call's parts.
struct Call<'a> {
    result: Option<&'a str>,
    /// `None` if an address is called.
    function: Option<&'a str>,
    arguments: Vec<&'a str>,
}

impl<'a> Call<'a> {
    fn of(instruction: &Instruction<'a>) -> Self {
        let mut lists = instruction.operands.iter().map(|operand| {
            let name = |part: &Operand<'a>| match part {
                Operand::Name(name) => Some(*name),
                _ => None,
            };
            operand.iter().filter_map(name).collect::<Vec<_>>()
        });
        let mut first = lists.next().unwrap_or_default();
        let mut result = None;
        if first.first().is_some_and(|name| name.starts_with("retval")) {
            result = first.pop();
            first = lists.next().unwrap_or_default();
        }
        Call { result, function: first.pop(), arguments: lists.next().unwrap_or_default() }
    }
}

fn grow(old: &mut Dependence, by: Dependence) -> bool {
    let new = *old | by;
    std::mem::replace(old, new) != new
}

/// The names of the module's files by their numbers.
fn files(text: &str) -> HashMap<u32, &str> {
    let directives = text.lines().filter_map(|line| line.trim().strip_prefix(".file"));
    let number = |directive: &str| directive.split_whitespace().next()?.parse().ok();
    directives.filter_map(|directive| number(directive).zip(directive.split('"').nth(1))).collect()
}

fn name_place(place: Place, files: &HashMap<u32, &str>) -> Option<String> {
    files.get(&place.file).map(|file| format!("{file}:{}", place.line))
}
