//! The models of a file, each of which may become a structure.

use super::draft::Draft;
use super::error::{Fault, Problem};
use super::facts::Facts;
use super::frames::{self, overlap};
use super::note::{Note, NoteKind};
use super::options::{Models, ReadOptions};
use std::collections::{HashMap, HashSet};

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
    let mut found = found;
    for (_, draft) in &mut found {
        draft.drop_placeholders();
        draft.drop_virtual_sites();
    }
    let (mut found, met) = frames::split(found, met, options);
    let mut facts = Facts { models: met, ..facts.clone() };
    if met > 1 && options.models == Models::First {
        let lacks_chains = options.chains.is_none() && found.first().is_some_and(|(_, first)| first.lacks_chains);
        facts.notes.push(match facts.has_copies {
            _ if lacks_chains => Note {
                kind: NoteKind::Copies,
                text: format!(
                    "the first of {met} models is read, of which others have other chains: --model join reads all of them as \
                               one structure"
                ),
            },
            false => Note { kind: NoteKind::Models, text: format!("the first of {met} models is read") },
            true => Note {
                kind: NoteKind::Copies,
                text: format!(
                    "the first of {met} models is read, of which others are copies in other places, as in files of \
                               an assembly: --model join reads all of them as one structure"
                ),
            },
        });
    }
    if options.models == Models::Join {
        let joined = joined(found, options);
        return vec![(suffix.to_owned(), joined.map(|draft| Model { draft, facts }).map_err(Fault::whole))];
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

/// All models as one. A chain with the name of one before it is called as copies in assemblies are, ...
fn joined(found: Vec<(i32, Draft)>, options: &ReadOptions) -> Result<Draft, Problem> {
    if let Some(id) = &options.assembly {
        return Err(Problem::NoAssembly(format!("no assembly {id} of models that are joined; give only one of both")));
    }
    let rows = |draft: &Draft| 0..draft.structure.n_residues();
    let own: HashSet<String> = found.iter().flat_map(|(_, draft)| draft.structure.chains.iter().cloned()).collect();
    let mut copies: HashMap<String, usize> = HashMap::new();
    let mut all: Option<Draft> = None;
    for (number, mut draft) in found {
        if let Some(first) = &all
            && overlap((first, rows(first)), (&draft, rows(&draft)))
        {
            return Err(Problem::Overlapping { number });
        }
        for (chain, name) in draft.structure.chains.iter_mut().enumerate() {
            let copy = copies.entry(name.clone()).or_insert(0);
            if *copy > 0 {
                draft.renamed.push(chain as u32);
            }
            let base = name.clone();
            loop {
                *copy += 1;
                if *copy == 1 {
                    break;
                }
                *name = format!("{base}-{copy}");
                if !own.contains(name) {
                    break;
                }
            }
        }
        match &mut all {
            None => all = Some(draft),
            Some(all) => all.append(draft),
        }
    }
    Ok(all.unwrap_or_default())
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
