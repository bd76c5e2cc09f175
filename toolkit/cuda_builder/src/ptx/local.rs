//! What local memory holds: arguments that are passed by reference, and values for which there are no registers.

use std::collections::HashMap;

use super::dependence::{Dependence, Kind, Value};
use super::flow::Instruction;

/// The local memory of all functions, word by word.
#[derive(Debug, Default)]
pub(super) struct LocalMemory {
    functions: HashMap<usize, OfFunction>,
    /// What was stored where the function is not known, and what any word of any function holds.
    anywhere: Value,
    everywhere: Value,
}

/// The local memory of a function.
#[derive(Debug, Default)]
struct OfFunction {
    /// By offsets.
    words: HashMap<i64, Value>,
    /// What was stored at offsets that are not known, and what any word holds.
    anywhere: Value,
    everywhere: Value,
}

impl LocalMemory {
    /// Stores values at an address, one after another; `bytes` is the size of each. Returns whether anything changed.
    pub fn store(&mut self, address: Value, bytes: i64, values: &[Value]) -> bool {
        let mut changed = false;
        for (&value, number) in values.iter().zip(0..) {
            match address.kind {
                Kind::Local { function, at } => {
                    let memory = self.functions.entry(function).or_default();
                    match at.map(|at| word(at + number * bytes)) {
                        Some(at) => {
                            changed |= memory.words.entry(at).or_default().join(value);
                            // The second half of a value is no address, but depends on the same.
                            let half = Value { depends: value.depends, kind: Kind::Undefined };
                            changed |= bytes > 4 && memory.words.entry(at + 4).or_default().join(half);
                        }
                        None => changed |= memory.anywhere.join(value),
                    }
                    changed |= memory.everywhere.join(value);
                }
                Kind::SomeLocal => changed |= self.anywhere.join(value),
                _ => continue,
            }
            changed |= self.everywhere.join(value);
        }
        changed
    }

    /// What a load from an address gives, beyond what the address depends on: element `number` of so many bytes.
    pub fn load(&self, address: Value, bytes: i64, number: i64) -> Value {
        let Kind::Local { function, at } = address.kind else {
            return match address.kind {
                Kind::SomeLocal => self.everywhere,
                Kind::Undefined => Value::default(),
                _ => Value::new(0),
            };
        };
        let Some(memory) = self.functions.get(&function) else { return self.anywhere };
        let mut value = match at.map(|at| word(at + number * bytes)) {
            Some(at) => {
                let word = |at: i64| memory.words.get(&at).copied().unwrap_or_default();
                let mut value = with(word(at), if bytes > 4 { word(at + 4).depends } else { 0 });
                value.join(memory.anywhere);
                value
            }
            None => memory.everywhere,
        };
        value.join(self.anywhere);
        value
    }
}

fn word(at: i64) -> i64 {
    at & !3
}

/// The size of an element that an instruction loads or stores.
pub(super) fn element_bytes(instruction: &Instruction<'_>) -> i64 {
    let bits = instruction.opcode.rsplit('.').next().and_then(|kind| kind.get(1..)?.parse::<i64>().ok());
    bits.map_or(8, |bits| bits / 8)
}

/// A call's parameters and results on their way, by names and offsets.
pub(super) type Sent = HashMap<(String, i64), Value>;

/// What the values of a name depend on.
pub(super) fn sent_under<'a>(sent: &'a Sent, name: &'a str) -> impl Iterator<Item = (i64, Value)> + 'a {
    sent.iter().filter(move |((sent, _), _)| sent == name).map(|((_, at), value)| (*at, *value))
}

/// Joins a value into a map. Returns whether that changed it.
pub(super) fn join_into<K: std::hash::Hash + Eq>(map: &mut HashMap<K, Value>, key: K, value: Value) -> bool {
    map.entry(key).or_default().join(value)
}

/// The value with more dependences.
pub(super) fn with(mut value: Value, depends: Dependence) -> Value {
    value.depends |= depends;
    value
}
