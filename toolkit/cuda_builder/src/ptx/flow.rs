//! The control flow of a function in PTX: instructions, basic blocks, and where paths meet again.

use std::collections::{BTreeSet, HashMap};

use cuda_ptx::text::{Part, parts};

use super::ssa::{self, Number, Phi};

/// An operand of an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Operand<'a> {
    Register(Number),
    /// A special register such as `%tid.x`.
    Special(&'a str),
    Constant(i64),
    /// A label, a function, a variable, a parameter, or a float's bits.
    Name(&'a str),
}

/// An instruction.
#[derive(Clone, Debug)]
pub(super) struct Instruction<'a> {
    /// With its suffixes: `ld.global.b32`.
    pub opcode: &'a str,
    /// The register of `@%p` before it.
    pub predicate: Option<Number>,
    /// The operands, as many lists as there are operands: a vector such as `{%r1, %r2}` or an address with an offset has more
    /// than one element.
    pub operands: Vec<Vec<Operand<'a>>>,
    /// The values that its results keep where its predicate is false.
    pub kept: Vec<Operand<'a>>,
    /// Its source in the source, if the PTX has line information.
    pub source: Option<SourceLine>,
}

/// A source in the source: the numbers of its file and line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct SourceLine {
    pub file: u32,
    pub line: u32,
}

impl Instruction<'_> {
    /// The opcode up to its first dot.
    pub fn base(&self) -> &str {
        self.opcode.split('.').next().unwrap_or_default()
    }

    /// Whether one of the opcode's suffixes is this one.
    pub fn has(&self, suffix: &str) -> bool {
        self.opcode.split('.').skip(1).any(|found| found == suffix)
    }

    /// The registers among all operands.
    pub fn registers(&self) -> impl Iterator<Item = Number> {
        self.operands.iter().flatten().chain(&self.kept).filter_map(|operand| match operand {
            Operand::Register(register) => Some(*register),
            _ => None,
        })
    }
}

/// A basic block.
#[derive(Clone, Debug, Default)]
pub(super) struct Block<'a> {
    pub instructions: Vec<Instruction<'a>>,
    pub successors: Vec<usize>,
    /// Threads that get here do not get to the function's end: they end (`exit`, `trap`), or stay in a loop.
    pub ends_threads: bool,
    /// Whether threads that end here call a function, as those that panic do.
    pub ends_with_call: bool,
}

/// The control flow of a function.
#[derive(Clone, Debug)]
pub(super) struct Flow<'a> {
    pub blocks: Vec<Block<'a>>,
    /// The number of values.
    pub values: usize,
    pub phis: Vec<Phi>,
    /// For each block, the first block that all paths from it pass, other than paths that end threads. `None`: the function's end.
    pub meets: Vec<Option<usize>>,
}

impl<'a> Flow<'a> {
    /// Reads a function's body.
    pub fn read(body: &'a str) -> Self {
        let mut reader = Reader::default();
        let mut parts = parts(body).map(|placed| placed.part).peekable();
        while let Some(part) = parts.next() {
            reader.part(part, parts.peek().copied());
        }
        reader.finish()
    }

    /// The successors of a block in which threads go on.
    pub fn ways(&self, block: usize) -> impl Iterator<Item = usize> {
        self.blocks[block].successors.iter().copied().filter(|&next| !self.blocks[next].ends_threads)
    }

    /// The blocks between a block's branch and the source where its ways meet again.
    pub fn arms(&self, block: usize) -> BTreeSet<usize> {
        self.ways(block).flat_map(|way| self.reached(way, self.meets[block])).collect()
    }

    /// A block and those that can be reached from it without passing another one.
    pub fn reached(&self, block: usize, without: Option<usize>) -> BTreeSet<usize> {
        let (mut found, mut queue) = (BTreeSet::new(), vec![block]);
        while let Some(next) = queue.pop() {
            if Some(next) != without && found.insert(next) {
                queue.extend(self.ways(next));
            }
        }
        found
    }
}

/// Where a branch goes, while the labels are not all known.
enum End<'a> {
    Labels(Vec<&'a str>),
    /// `brx.idx`, by the name of its list.
    List(&'a str),
    Return,
    Exit,
}

#[derive(Default)]
struct Reader<'a> {
    blocks: Vec<Block<'a>>,
    /// Of each block that ends with a jump: its end, and whether the next block may follow, too.
    ends: HashMap<usize, (End<'a>, bool)>,
    labels: HashMap<&'a str, usize>,
    lists: HashMap<&'a str, Vec<&'a str>>,
    registers: HashMap<String, Number>,
    /// The next instruction begins a block.
    fresh: bool,
    source: Option<SourceLine>,
    /// Of each source in an inlined function, the source of its call.
    callers: HashMap<SourceLine, SourceLine>,
    /// Names of registers declared in braces of inline assembly, which may be declared again elsewhere.
    scopes: Vec<HashMap<&'a str, String>>,
    scopes_seen: usize,
}

impl<'a> Reader<'a> {
    fn part(&mut self, part: Part<'a>, next: Option<Part<'a>>) {
        match part {
            Part::Location(directive) => self.locate(directive.trim_start_matches(".loc")),
            Part::Open => self.scopes.push(HashMap::new()),
            Part::Close => drop(self.scopes.pop()),
            Part::Label(label) => match next {
                Some(Part::Statement(list)) if list.starts_with(".branchtargets") => {
                    let labels = list.trim_start_matches(".branchtargets").split(',').map(str::trim);
                    self.lists.insert(label, labels.filter(|label| !label.is_empty()).collect());
                }
                _ => {
                    self.begin_block();
                    self.labels.insert(label, self.blocks.len() - 1);
                }
            },
            Part::Statement(statement) | Part::Unfinished(statement) => self.statement(statement),
        }
    }

    /// Reads the numbers of a `.loc` directive. Of functions that were inlined, the directives before have the calls; the source is that
    /// in the kernel's file, which is the outermost.
    fn locate(&mut self, text: &str) {
        let numbers = |text: &str| {
            let mut words = text.split_whitespace();
            Some(SourceLine { file: words.next()?.parse().ok()?, line: words.next()?.parse().ok()? })
        };
        let Some(own) = numbers(text) else { return };
        match text.split_once("inlined_at").and_then(|(_, at)| numbers(at)) {
            Some(caller) => self.callers.insert(own, caller),
            None => self.callers.remove(&own),
        };
        let mut frames = vec![own];
        while let Some(caller) =
            frames.last().and_then(|source| self.callers.get(source)).filter(|next| !frames.contains(next))
        {
            frames.push(*caller);
        }
        let outermost = frames.last().map(|source| source.file);
        self.source = frames.into_iter().find(|source| Some(source.file) == outermost);
    }

    fn begin_block(&mut self) {
        self.blocks.push(Block::default());
        self.fresh = false;
    }

    fn statement(&mut self, statement: &'a str) {
        if let Some(declared) = statement.strip_prefix(".reg") {
            self.declare(declared);
            return;
        }
        if statement.is_empty() || statement.starts_with(['.', '"']) {
            return;
        }
        if self.fresh || self.blocks.is_empty() {
            self.begin_block();
        }
        let (predicate, statement) = match statement.strip_prefix('@') {
            Some(guarded) => {
                let (predicate, rest) = guarded.split_once(char::is_whitespace).unwrap_or((guarded, ""));
                (Some(self.register(predicate.trim_start_matches('!'))), rest.trim_start())
            }
            None => (None, statement),
        };
        let (opcode, operands) = statement.split_once(char::is_whitespace).unwrap_or((statement, ""));
        let operands = operands_of(operands).map(|operand| self.operand(operand)).collect();
        let instruction = Instruction { opcode, predicate, operands, kept: Vec::new(), source: self.source };
        let at = self.blocks.len() - 1;
        let end = match instruction.base() {
            "bra" => Some(End::Labels(names(&instruction.operands))),
            "brx" => names(&instruction.operands).first().map(|list| End::List(list)),
            "ret" => Some(End::Return),
            "exit" | "trap" => Some(End::Exit),
            _ => None,
        };
        if let Some(end) = end {
            self.ends.insert(at, (end, predicate.is_some()));
            self.fresh = true;
        }
        self.blocks[at].instructions.push(instruction);
    }

    /// Registers of inline assembly that are declared in braces.
    fn declare(&mut self, declared: &'a str) {
        let names = declared.trim().split_once(char::is_whitespace).map_or("", |(_, names)| names);
        for name in names.split(',').map(str::trim).filter(|name| !name.contains('<')) {
            self.scopes_seen += 1;
            let unique = format!("{name}@{}", self.scopes_seen);
            if let Some(scope) = self.scopes.last_mut() {
                scope.insert(name, unique);
            }
        }
    }

    fn register(&mut self, name: &str) -> Number {
        let next = self.registers.len();
        *self.registers.entry(name.to_owned()).or_insert(next)
    }

    fn operand(&mut self, operand: &'a str) -> Vec<Operand<'a>> {
        let words = operand.split(|c: char| !(c.is_ascii_alphanumeric() || "_$.%-".contains(c)));
        let mut parts = Vec::new();
        for word in words.filter(|word| !word.is_empty()) {
            let scoped = self.scopes.iter().rev().find_map(|scope| scope.get(word)).cloned();
            parts.push(match scoped {
                Some(unique) => Operand::Register(self.register(&unique)),
                None if is_special(word) => Operand::Special(word),
                None if word.starts_with('%') => Operand::Register(self.register(word)),
                None => number(word).map_or(Operand::Name(word), Operand::Constant),
            });
        }
        parts
    }

    fn finish(mut self) -> Flow<'a> {
        let count = self.blocks.len();
        let mut goes_on = Vec::with_capacity(count);
        for at in 0..count {
            let next = Some(at + 1).filter(|&next| next < count);
            let (labels, falls_through) = match self.ends.get(&at) {
                None => (Vec::new(), true),
                Some((End::Labels(labels), guarded)) => (labels.clone(), *guarded),
                Some((End::List(list), _)) => (self.lists.get(list).cloned().unwrap_or_default(), false),
                Some((End::Return | End::Exit, guarded)) => (Vec::new(), *guarded),
            };
            goes_on.push(match self.ends.get(&at) {
                Some((End::Exit, _)) => false,
                Some((End::Return, _)) => true,
                _ => next.is_none(),
            });
            let mut successors: Vec<_> = labels.iter().filter_map(|label| self.labels.get(label).copied()).collect();
            successors.extend(next.filter(|_| falls_through));
            successors.dedup();
            self.blocks[at].successors = successors;
        }
        // From the other blocks no way leads to the function's end: threads end there, or stay in a loop without an end.
        let mut changed = true;
        while changed {
            changed = false;
            for at in (0..count).rev() {
                if !goes_on[at] && self.blocks[at].successors.iter().any(|&next| goes_on[next]) {
                    goes_on[at] = true;
                    changed = true;
                }
            }
        }
        let ends_threads = goes_on.into_iter().map(|goes_on| !goes_on);
        for (block, ends) in self.blocks.iter_mut().zip(ends_threads) {
            block.ends_threads = ends;
            // What only threads compute that end decides nothing.
            if ends {
                block.ends_with_call = block.instructions.iter().any(|instruction| instruction.base() == "call");
                block.instructions.clear();
            }
        }
        let (values, phis) = ssa::number(&mut self.blocks);
        let mut flow = Flow { blocks: self.blocks, values, phis, meets: Vec::new() };
        flow.meets = meets(&flow);
        flow
    }
}

/// The immediate postdominator of each block, by Cooper, Harvey and Kennedy 2001 (A Simple, Fast Dominance Algorithm), with
/// a node after all ends. Blocks that end threads do not count.
fn meets(flow: &Flow<'_>) -> Vec<Option<usize>> {
    let count = flow.blocks.len();
    let end = count;
    let mut before = vec![Vec::new(); count + 1];
    for at in 0..count {
        let mut is_last = true;
        for next in flow.ways(at) {
            before[next].push(at);
            is_last = false;
        }
        if is_last {
            before[end].push(at);
        }
    }
    let order = order_from(end, &before);
    let mut rank = vec![usize::MAX; count + 1];
    for (position, &at) in order.iter().enumerate() {
        rank[at] = position;
    }
    let mut after = vec![Vec::new(); count + 1];
    for (at, befores) in before.iter().enumerate() {
        for &one in befores {
            after[one].push(at);
        }
    }
    let mut meet = vec![usize::MAX; count + 1];
    meet[end] = end;
    let mut changed = true;
    while changed {
        changed = false;
        for &at in order.iter().skip(1) {
            let mut found = usize::MAX;
            for &next in after[at].iter().filter(|&&next| meet[next] != usize::MAX) {
                found = if found == usize::MAX { next } else { common(found, next, &meet, &rank) };
            }
            if meet[at] != found {
                meet[at] = found;
                changed = true;
            }
        }
    }
    meet.truncate(count);
    meet.into_iter().map(|block| Some(block).filter(|&block| block < count)).collect()
}

fn common(mut a: usize, mut b: usize, meet: &[usize], rank: &[usize]) -> usize {
    while a != b {
        while rank[a] > rank[b] {
            a = meet[a];
        }
        while rank[b] > rank[a] {
            b = meet[b];
        }
    }
    a
}

/// The nodes that reach `end`, in reverse postorder of the reversed edges.
fn order_from(end: usize, before: &[Vec<usize>]) -> Vec<usize> {
    let (mut seen, mut order) = (vec![false; before.len()], Vec::new());
    let mut stack = vec![(end, 0)];
    seen[end] = true;
    while let Some((at, child)) = stack.pop() {
        match before[at].get(child) {
            Some(&next) => {
                stack.push((at, child + 1));
                if !seen[next] {
                    seen[next] = true;
                    stack.push((next, 0));
                }
            }
            None => order.push(at),
        }
    }
    order.reverse();
    order
}

fn names<'a>(operands: &[Vec<Operand<'a>>]) -> Vec<&'a str> {
    let name = |operand: &Operand<'a>| match operand {
        Operand::Name(name) => Some(*name),
        _ => None,
    };
    operands.iter().flatten().filter_map(name).collect()
}

/// The operands of an instruction, divided at commas outside of brackets.
fn operands_of(text: &str) -> impl Iterator<Item = &str> {
    let (mut depth, mut begin, mut found) = (0, 0, Vec::new());
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' | b'(' | b'[' => depth += 1,
            b'}' | b')' | b']' => depth -= 1,
            b',' if depth == 0 => {
                found.push(&text[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
    }
    found.push(&text[begin..]);
    found.into_iter().map(str::trim).filter(|operand| !operand.is_empty())
}

fn is_special(word: &str) -> bool {
    const FAMILIES: [&str; 17] = [
        "%tid",
        "%ntid",
        "%ctaid",
        "%nctaid",
        "%laneid",
        "%warpid",
        "%nwarpid",
        "%smid",
        "%nsmid",
        "%gridid",
        "%lanemask_",
        "%clock",
        "%globaltimer",
        "%cluster",
        "%envreg",
        "%dynamic_smem",
        "%total_smem",
    ];
    FAMILIES.iter().any(|family| word.starts_with(family))
}

fn number(word: &str) -> Option<i64> {
    match word.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16).ok(),
        None => word.parse().ok(),
    }
}
