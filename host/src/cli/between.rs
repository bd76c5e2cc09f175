//! `--between`: an input that lacks one of the two chains fails, as one that lacks all of `--chains` does.

use crate::contacts::{chain_named, names_of_chains};
use prism_host::StructureInput;
use prism_host::inputs::InputFailure;
use prism_host::pipeline::{Batch, Outcome};
use prism_host::read::listed_ids;

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
            Some(reason) => Outcome::Failed(InputFailure { name: structure.name, reason, no_protein: false }),
        }
    });
    let outcomes = checked.collect();
    Batch { structures: kept, outcomes, bytes, readings }
}

/// What is wrong if a structure lacks a chain.
fn lack(structure: &StructureInput, chains: &[String; 2]) -> Option<String> {
    let missing = chains.iter().filter(|name| chain_named(structure, name).is_none());
    let missing = listed_ids(missing.map(String::as_str));
    let found = names_of_chains(structure);
    (!missing.is_empty())
        .then(|| format!("no protein residues in a chain of --between ({missing}); the file has {found}"))
}
