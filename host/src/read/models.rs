//! The models of a file, each of which may become a structure.

use super::draft::Draft;
use super::error::{Fault, Problem};
use super::facts::Facts;
use super::frames;
use super::note::{Note, NoteKind};
use super::options::{Models, ReadOptions};
use std::collections::HashSet;

/// A model to read as a structure.
pub(super) struct Model {
    pub(super) draft: Draft,
    pub(super) facts: Facts,
}

/// The structures of a text, each with the suffix of its name; each may fail by itself.
pub(super) type Found = Vec<(String, Result<Model, Fault>)>;

/// The models of one block, with the suffixes of their names.
pub(super) fn models(
    found: Result<Vec<(i32, Draft)>, Fault>,
    suffix: &str,
    met: usize,
    facts: &Facts,
    options: &ReadOptions,
) -> Found {
    let found = match found {
        Ok(found) => found,
        Err(fault) => return vec![(suffix.to_owned(), Err(fault))],
    };
    let (mut found, met) = frames::split(found, met, options);
    let mut facts = Facts { models: met, ..facts.clone() };
    if met > 1 && options.models == Models::First {
        facts.notes.push(Note { kind: NoteKind::Models, text: format!("the first of {met} models is read") });
    }
    if let Models::Number(number) = options.models {
        // All models, or only the requested one of frames, which are numbered from 1.
        let all: Vec<i32> = found.iter().map(|(number, _)| *number).collect();
        found.retain(|(own, _)| *own == number);
        if found.is_empty() {
            let numbers = if all.len() == met { all } else { (1..=met as i32).collect() };
            return vec![(suffix.to_owned(), Err(Fault::whole(Problem::NoModel { number, numbers })))];
        }
    }
    let several = options.models == Models::All && met > 1;
    let model = |(number, draft)| {
        let suffix = if several { format!("{suffix}#{number}") } else { suffix.to_owned() };
        (suffix, Ok(Model { draft, facts: facts.clone() }))
    };
    found.into_iter().map(model).collect()
}

/// Makes names unique where data blocks have the same name, or models the same number: the second becomes `#NAME#2`.
pub(super) fn number_repeated(found: &mut Found) {
    if found.len() < 2 {
        return;
    }
    let mut known = HashSet::new();
    for (suffix, _) in found {
        let mut place = 2;
        let mut name = suffix.clone();
        while !known.insert(name.clone()) {
            name = format!("{suffix}#{place}");
            place += 1;
        }
        *suffix = name;
    }
}
