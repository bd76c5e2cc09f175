//! Finds instructions for all threads of a warp or block that only some of them may reach.
//!
//! A barrier, a shuffle or a vote is defined only if all threads that take part in it get to the same one. Safe kernels are written
//! so; but an optimiser that does not know such an instruction as *convergent* may copy it into both arms of a branch. Compilers
//! before Rust 1.96 do. This module looks at the result: it follows what a register's value may depend on, the lane and the warp,
//! and refuses an instruction in an arm of a branch on a value that differs among the threads that take part.
//!
//! Arms that end threads (`exit`, after a panic) do not count: threads that have ended are not waited for.

use std::collections::{BTreeSet, HashMap};

use cuda_ptx::text::{Body, bodies};

use super::butterfly::combined;
use super::dependence::{BOTH, Dependence, Kind, LANE, Value, computed, needs, special};
use super::flow::{Flow, Instruction, Operand, SourceLine};
use super::local::{LocalMemory, Sent, element_bytes, join_into, sent_under, with};
use super::module::PtxModule;
use super::ssa::{UNDEFINED, results};

/// An instruction that some of its threads may not reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divergent {
    /// The kernel or function.
    pub function: String,
    /// The instruction, or the call of a function that contains one.
    pub instruction: String,
    /// Its source in the source, as `src/lib.rs:25`, if the PTX has line information.
    pub source: Option<String>,
    /// The source of the branch.
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
    /// Its number in the module.
    number: usize,
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
    /// Its parameters and results, by numbers and offsets.
    parameters: HashMap<(usize, i64), Value>,
    /// How many parameters it has, and whether a result.
    takes: (usize, bool),
    results: HashMap<i64, Value>,
    /// The threads among which it needs all: those of a warp ([`LANE`]), or of a block.
    needs: Dependence,
}

struct Analysis<'a> {
    functions: Vec<Function<'a>>,
    by_name: HashMap<&'a str, usize>,
    /// Functions whose addresses are taken.
    indirect: Vec<usize>,
    local: LocalMemory,
    changed: bool,
}

impl<'a> Analysis<'a> {
    fn of(text: &'a str) -> Self {
        let functions: Vec<_> =
            bodies(text).into_iter().enumerate().map(|(number, body)| Function::new(&body, number)).collect();
        let by_name: HashMap<_, _> = functions.iter().enumerate().map(|(at, function)| (function.name, at)).collect();
        let mut analysis =
            Analysis { functions, by_name, indirect: Vec::new(), local: LocalMemory::default(), changed: true };
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
        let in_its_place = Body { takes: self.functions[at].takes, ..Body::default() };
        let mut function = std::mem::replace(&mut self.functions[at], Function::new(&in_its_place, at));
        self.changed |= function.follow_phis();
        for block in 0..function.flow.blocks.len() {
            let mut sent = Sent::new();
            for number in 0..function.flow.blocks[block].instructions.len() {
                self.follow(&mut function, (block, number), &mut sent);
            }
        }
        self.changed |= function.spread_branches();
        self.functions[at] = function;
    }

    /// Follows an instruction. `sent` has the parameters and results of calls in its block.
    fn follow(&mut self, function: &mut Function<'a>, (block, number): (usize, usize), sent: &mut Sent) {
        let decides = function.decides[block];
        let instruction = &function.flow.blocks[block].instructions[number];
        let value = |operand: usize| function.value_of(instruction, operand);
        let kept = instruction.kept.iter().map(|part| function.part(part).depends).fold(0, |all, one| all | one);
        let predicate = kept | instruction.predicate.map_or(0, |register| function.values[register].depends);
        let bytes = element_bytes(instruction);
        match instruction.base() {
            "st" if instruction.has("param") => {
                let (name, at) = parameter(instruction, 0);
                let parts = instruction.operands.get(1).into_iter().flatten().map(|part| function.part(part));
                let values: Vec<_> = parts.zip(0..).map(|(part, element)| (at + element * bytes, part)).collect();
                for (at, value) in values {
                    if name.contains("func_retval") {
                        self.changed |= join_into(&mut function.results, at, with(value, predicate | decides));
                    } else {
                        join_into(sent, (name.to_owned(), at), with(value, predicate));
                    }
                }
            }
            "st" => {
                let address = function.address(instruction, 0);
                let parts = instruction.operands.get(1).into_iter().flatten().map(|part| function.part(part));
                let values: Vec<_> = parts.map(|part| with(part, address.depends | predicate | decides)).collect();
                self.changed |= self.local.store(address, bytes, &values);
            }
            "call" => {
                let call = Call::of(instruction);
                self.call(call, function, sent);
            }
            "ld" if instruction.has("param") => {
                let (name, at) = parameter(instruction, 1);
                let position = name.rsplit('_').next().and_then(|position| position.parse::<usize>().ok());
                let results: Vec<_> = results(instruction).collect();
                for (result, element) in results.into_iter().zip(0..) {
                    let at = at + element * bytes;
                    let loaded = match sent.get(&(name.to_owned(), at)) {
                        Some(sent) => *sent,
                        // The called function's result is not known yet.
                        None if name.starts_with("retval") => Value::default(),
                        None if function.entry => Value::new(0),
                        None => position.map_or(Value::new(BOTH), |position| function.parameter(position, at)),
                    };
                    self.changed |= function.set(result, loaded);
                }
            }
            "ld" => {
                let address = function.address(instruction, 1);
                let is_read_alone = ["volatile", "relaxed", "acquire"].iter().any(|order| instruction.has(order));
                let results: Vec<_> = results(instruction).collect();
                for (result, element) in results.into_iter().zip(0..) {
                    let loaded = with(self.local.load(address, bytes, element), address.depends | predicate);
                    let loaded = if is_read_alone { Value::new(BOTH) } else { loaded };
                    self.changed |= function.set(result, loaded);
                }
            }
            _ => {
                let mut computed = computed(instruction, value);
                if instruction.predicate.is_some() {
                    computed = Value::new(computed.depends | predicate);
                }
                self.changed |= function.define(block, number, computed);
            }
        }
    }

    /// Follows a call: parameters to the function, its result back.
    fn call(&mut self, call: Call<'a>, caller: &mut Function<'a>, sent: &mut Sent) {
        let targets = match call.function.and_then(|name| self.by_name.get(name)) {
            Some(&target) => vec![target],
            None if call.function.is_some() => Vec::new(),
            None => self.called_by_address(&call).collect(),
        };
        let mut results: HashMap<i64, Value> = HashMap::new();
        if targets.is_empty() {
            // A function from outside may return anything.
            results.insert(0, Value::new(BOTH));
        }
        for target in targets {
            // A function that calls itself is not in its source meanwhile.
            let is_own = self.functions[target].name.is_empty();
            let function = if is_own { &mut *caller } else { &mut self.functions[target] };
            for (number, name) in call.arguments.iter().enumerate() {
                for (at, value) in sent_under(sent, name) {
                    self.changed |= join_into(&mut function.parameters, (number, at), value);
                }
            }
            for (&at, &value) in &function.results {
                join_into(&mut results, at, value);
            }
            let needs = function.needs;
            self.changed |= grow(&mut caller.needs, needs);
        }
        sent.retain(|(name, _), _| !call.arguments.contains(&name.as_str()));
        if let Some(name) = call.result {
            sent.extend(results.into_iter().map(|(at, value)| ((name.to_owned(), at), value)));
        }
    }

    /// What an instruction needs: all lanes of its warps, or all threads of its block.
    fn needs(&self, instruction: &Instruction<'_>) -> Dependence {
        if instruction.base() != "call" {
            return needs(instruction);
        }
        let of = |target: usize| self.functions[target].needs;
        let call = Call::of(instruction);
        match call.function {
            Some(name) => self.by_name.get(name).map_or(0, |&target| of(target)),
            None => self.called_by_address(&call).map(of).fold(0, |all, one| all | one),
        }
    }

    /// The functions that a call of an address may call: those with as many parameters, and a result where it takes one.
    fn called_by_address(&self, call: &Call<'_>) -> impl Iterator<Item = usize> {
        let takes = (call.arguments.len(), call.result.is_some());
        self.indirect.iter().copied().filter(move |&target| self.functions[target].takes == takes)
    }

    fn findings(&self, text: &str, phases: &[String]) -> Vec<Divergent> {
        let files = files(text);
        let source = |source: Option<SourceLine>| source.and_then(|source| name_line(source, &files));
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
                if may_return && function.flow.ways(block).any(returns) {
                    continue;
                }
                let branch = function.flow.blocks[block].instructions.last().and_then(|branch| branch.source);
                found.push(Divergent {
                    function: function.name.to_owned(),
                    instruction: match Call::of(instruction).function {
                        Some(name) if instruction.base() == "call" => format!("call of {name}"),
                        _ => instruction.opcode.to_owned(),
                    },
                    source: source(instruction.source),
                    branch: source(branch),
                });
            }
        }
        found
    }
}

impl<'a> Function<'a> {
    fn new(body: &Body<'a>, number: usize) -> Self {
        let flow = Flow::read(body.text);
        let blocks = flow.blocks.len();
        let instructions = flow.blocks.iter().flat_map(|block| &block.instructions);
        let needs = instructions.map(needs).fold(0, |all, one| all | one);
        Self {
            name: body.name,
            number,
            entry: body.entry,
            values: vec![Value::default(); flow.values],
            combined: combined(&flow),
            chosen_by: vec![0; flow.phis.len()],
            decides: vec![0; blocks],
            branches: vec![0; blocks],
            parameters: HashMap::new(),
            takes: body.takes,
            results: HashMap::new(),
            needs,
            flow,
        }
    }

    fn parameter(&self, number: usize, at: i64) -> Value {
        self.parameters.get(&(number, at)).copied().unwrap_or_default()
    }

    /// An address in memory: a register, and an offset.
    fn address(&self, instruction: &Instruction<'_>, operand: usize) -> Value {
        match instruction.operands.get(operand).map(Vec::as_slice) {
            Some([base]) => self.part(base),
            Some([base, Operand::Constant(by)]) => self.part(base).moved(*by),
            _ => self.value_of(instruction, operand),
        }
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
            Operand::Name(name) if name.starts_with("__local_depot") => {
                Value { depends: 0, kind: Kind::Local { function: self.number, at: Some(0) } }
            }
            Operand::Special(name) => Value::new(special(name)),
            Operand::Constant(_) | Operand::Name(_) => Value::new(0),
        }
    }

    /// Takes over a computed value. Returns whether anything changed.
    fn define(&mut self, block: usize, number: usize, value: Value) -> bool {
        let mut changed = false;
        let results: Vec<_> = results(&self.flow.blocks[block].instructions[number]).collect();
        for result in results {
            changed |= self.set(result, value);
        }
        changed
    }

    /// Takes over a value. Returns whether anything changed.
    fn set(&mut self, result: usize, value: Value) -> bool {
        let value = if self.combined[result] { Value::new(value.depends & !LANE) } else { value };
        self.values[result].join(value)
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

/// The name of a parameter or result, and the offset in it.
fn parameter<'a>(instruction: &Instruction<'a>, operand: usize) -> (&'a str, i64) {
    match instruction.operands.get(operand).map(Vec::as_slice) {
        Some([Operand::Name(name)]) => (name, 0),
        Some([Operand::Name(name), Operand::Constant(at)]) => (name, *at),
        _ => ("", 0),
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

fn name_line(source: SourceLine, files: &HashMap<u32, &str>) -> Option<String> {
    files.get(&source.file).map(|file| format!("{file}:{}", source.line))
}
