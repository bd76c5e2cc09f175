//! The properties that two batches must share so that work recorded for one can run on the other.

use crate::pack::PackedBatch;
use std::fmt::Debug;
use thiserror::Error;

/// How a batch differs from the shape of a recorded one.
///
/// ```
/// use prism_engine::{EngineError, ShapeDifference};
///
/// let difference = ShapeDifference::Count { what: "residues", found: 195, recorded: 194 };
/// assert_eq!(difference.to_string(), "it has 195 residues, and 194 were recorded");
/// let error = EngineError::OtherShape(difference);
/// assert!(error.structure_index().is_none() && error.to_string().ends_with("record it anew"));
/// ```
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum ShapeDifference {
    /// A different number of something.
    #[error("it has {found} {what}, and {recorded} were recorded")]
    Count {
        /// `structures`, `residues` or `atoms`.
        what: &'static str,
        /// The number that was found.
        found: usize,
        /// The recorded number.
        recorded: usize,
    },
    /// A different value.
    #[error("structure {structure:?}: `{field}` at index {index} is {found}, and {recorded} was recorded")]
    Value {
        /// The structure's name in the new batch.
        structure: String,
        /// The buffer, as [`BatchBuffers`](crate::pack::BatchBuffers) names it.
        field: &'static str,
        /// The index in the buffer.
        index: usize,
        /// The value that was found.
        found: String,
        /// The recorded value.
        recorded: String,
    },
}

/// The first difference between `found` and `recorded`. Positions and radii of atoms, B factors of residues, and names may
/// differ.
pub(super) fn difference(found: &PackedBatch, recorded: &PackedBatch) -> Option<ShapeDifference> {
    let count = |what, size: fn(&PackedBatch) -> usize| {
        let (found, recorded) = (size(found), size(recorded));
        (found != recorded).then_some(ShapeDifference::Count { what, found, recorded })
    };
    count("structures", PackedBatch::n_structures)
        .or_else(|| count("residues", PackedBatch::n_residues))
        .or_else(|| count("atoms", PackedBatch::n_atoms))
        .or_else(|| values(found, recorded))
}

/// Both have the same lengths.
fn values(found: &PackedBatch, recorded: &PackedBatch) -> Option<ShapeDifference> {
    let names = found.names();
    let of_structure = |index: usize| names[index].clone();
    let of_row = |row: usize| {
        let offsets = found.residue_offsets().as_slice();
        of_structure(offsets.partition_point(|first| *first as usize <= row) - 1)
    };
    let (a, b) = (found, recorded);
    macro_rules! inputs {
        ($($(#[$doc:meta])* $name:ident: $type:ty, $kind:ident $(($absent:expr $(, $limit:expr)*))?;)*) => {
            first("descriptors", of_structure, a.descriptors(), b.descriptors())
                .or_else(|| first("centers", of_structure, a.centers(), b.centers()))
                .or_else(|| first("residue_atoms", of_row, a.residue_atoms(), b.residue_atoms()))
                $(.or_else(|| {
                    // B factors are copied for each batch.
                    let copied = stringify!($name) == "bfactor";
                    if copied { None } else { first(stringify!($name), of_row, a.$name(), b.$name()) }
                }))*
        };
    }
    shared_types::residue_inputs!(inputs)
}

/// The index of the first element with other bits: a NaN equals itself.
fn first<T: bytemuck::NoUninit + Debug>(
    field: &'static str,
    structure: impl Fn(usize) -> String,
    found: &[T],
    recorded: &[T],
) -> Option<ShapeDifference> {
    // Comparing everything at once is many times faster, and usually enough.
    if bytemuck::cast_slice::<_, u8>(found) == bytemuck::cast_slice::<_, u8>(recorded) {
        return None;
    }
    let bytes = |element: &T| bytemuck::bytes_of(element).to_vec();
    let index = found.iter().zip(recorded).position(|(a, b)| bytes(a) != bytes(b))?;
    let text = |element: &T| format!("{element:?}");
    let (structure, found, recorded) = (structure(index), text(&found[index]), text(&recorded[index]));
    Some(ShapeDifference::Value { structure, field, index, found, recorded })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthetic::structure;
    use prism_read::structure::StructureInput;
    use shared_types::NO_CA;

    fn pair() -> [StructureInput; 2] {
        [structure("first", 5, 1), structure("second", 7, 2)]
    }

    fn packed(structures: &[StructureInput]) -> PackedBatch {
        PackedBatch::from_inputs(structures).unwrap()
    }

    /// The difference after `change` was made to the second structure.
    fn after(change: impl FnOnce(&mut StructureInput)) -> Option<ShapeDifference> {
        let (recorded, mut changed) = (packed(&pair()), pair());
        change(&mut changed[1]);
        difference(&packed(&changed), &recorded)
    }

    #[test]
    fn what_may_differ_is_no_difference() {
        let found = after(|second| {
            second.name = "a later frame".to_owned();
            second.bfactor[3] = 12.5;
            for atom in &mut second.atoms {
                (atom.x, atom.radius) = (atom.x + 1.0, atom.radius + 0.25);
            }
        });
        assert_eq!(found, None);
    }

    #[test]
    fn what_differs_is_named() {
        type Change = fn(&mut StructureInput);
        let changes: [(&str, Change); 8] = [
            ("ca_indices", |second| second.ca_indices[4] = NO_CA),
            ("residue_types", |second| second.residue_types[4] = (second.residue_types[4] + 1) % 20),
            ("conservation", |second| second.conservation[4] = 0.625),
            ("gisaid_freq", |second| second.gisaid_freq[4] = 0.625),
            ("gisaid_velocity", |second| second.gisaid_velocity[4] = 0.625),
            ("descriptors", |second| second.lineage_hash ^= 1),
            ("centers", |second| second.center = [7.0; 3]),
            ("b_column", |second| second.b_column = vec![7.0; 7]),
        ];
        for (name, change) in changes {
            let Some(ShapeDifference::Value { structure, field, index, found, recorded }) = after(change) else {
                panic!("{name}: no value differs");
            };
            let place = match name {
                "descriptors" | "centers" => 1,
                "b_column" => 5,
                _ => 5 + 4,
            };
            assert_eq!((field, structure.as_str(), index), (name, "second", place));
            assert_ne!(found, recorded);
        }
        let text = after(|second| second.conservation[1] = 0.5).expect("a difference").to_string();
        assert_eq!(text, "structure \"second\": `conservation` at index 6 is 0.5, and NaN was recorded");
    }

    #[test]
    fn more_or_less_is_told_in_numbers() {
        let [first, second] = pair();
        let recorded = packed(&[first.clone(), second.clone()]);
        let count = |found: &PackedBatch| difference(found, &recorded).expect("a difference").to_string();
        assert_eq!(count(&packed(std::slice::from_ref(&first))), "it has 1 structures, and 2 were recorded");
        assert_eq!(count(&packed(&[first, structure("longer", 8, 2)])), "it has 13 residues, and 12 were recorded");
        let more = after(|second| {
            let first = second.atoms[0];
            second.atoms.to_mut().push(first);
            second.residue_atoms[7] += 1;
        });
        assert!(matches!(more, Some(ShapeDifference::Count { what: "atoms", .. })), "{more:?}");
    }
}
