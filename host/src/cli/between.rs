//! `--between`: an input that lacks one of the two chains fails, as one that lacks all of `--chains` does.

use prism_engine::contacts::{chain_named, names_of_chains};
use prism_host::StructureInput;
use prism_host::inputs::InputFailure;
use prism_host::pipeline::{Batch, Outcome};
use prism_host::plural::form;
use prism_host::read::{Note, NoteKind, listed_ids};

/// Turns the structures of a batch that lack a chain into failures.
pub fn require(chains: &[String; 2], batch: Batch) -> Batch {
    let Batch { structures, outcomes, bytes, readings } = batch;
    let mut kept = Vec::with_capacity(structures.len());
    let mut structures = structures.into_iter();
    let checked = outcomes.into_iter().map(|outcome| {
        let read = if matches!(outcome, Outcome::Read { .. }) { structures.next() } else { None };
        let Some(structure) = read else { return outcome };
        match lack(&structure, chains) {
            None => {
                kept.push(structure);
                outcome
            }
            Some(reason) => Outcome::Failed(InputFailure::new(&structure.name, reason)),
        }
    });
    let outcomes = checked.collect();
    Batch { structures: kept, outcomes, bytes, readings }
}

/// What is wrong if a structure lacks a chain.
fn lack(structure: &StructureInput, chains: &[String; 2]) -> Option<String> {
    let is_chain = |name: &str| chain_named(structure, name).is_some();
    let missing: Vec<&str> = chains.iter().map(String::as_str).filter(|name| !is_chain(name)).collect();
    let is_group = |name: &&str| name.chars().count() > 1 && name.chars().all(|letter| is_chain(&letter.to_string()));
    // Several letters may be meant as several chains.
    let group = missing.iter().copied().find(is_group);
    let hint = group.map(|group| {
        let joined = group.chars().map(String::from).collect::<Vec<_>>().join("+");
        format!("; chains of a group are joined by +: {joined} instead of {group}")
    });
    let (chain, found) = (form(missing.len(), "chain", "chains"), names_of_chains(structure));
    let listed = listed_ids(missing.iter().copied());
    (!missing.is_empty()).then(|| {
        format!(
            "no protein residues in {chain} {listed} of --between; the file has {found} (--all-atoms for chains of other molecules){}",
            hint.unwrap_or_default()
        )
    })
}

/// The failure of a structure without interfaces whose other chains are in models that are not read: a table without its lines would
/// say that they do not touch.
pub fn unread_partners(batch: &Batch, name: &str, note: &Note) -> Option<InputFailure> {
    if note.kind != NoteKind::NoInterface {
        return None;
    }
    let notes = batch.outcomes.iter().filter_map(|outcome| match outcome {
        Outcome::Read { notes } => Some(notes),
        Outcome::Failed(_) | Outcome::Said { .. } => None,
    });
    let mut own = batch.structures.iter().zip(notes).filter(|(structure, _)| structure.label() == name);
    own.any(|(_, notes)| notes.iter().any(|note| note.kind == NoteKind::Copies)).then(|| {
        let reason = "no interface: its first model alone is read, and others are copies or have other chains: --model join reads \
                      all of them as one structure. Poses of docking go into files of their own, each with the receptor";
        InputFailure::new(name, reason.to_owned())
    })
}
