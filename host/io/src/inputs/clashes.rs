//! Structures with the names of other inputs. Where an input has several structures, each is named by the input and what tells them
//! apart: a member of a tar, a data block, a model, a chain, a lineage. Another input may have that name.

use super::InputFailure;
use std::collections::HashSet;

/// What follows an input's name begins with one of these.
const SEPARATORS: [char; 4] = ['/', '#', ':', '@'];

/// The inputs whose names continue the name of another one, as the names of its structures do.
///
/// ```
/// use prism_io::inputs::Clashes;
///
/// assert!(Clashes::among(["a.pdb", "b.pdb"]).is_empty());
/// // The second model of `m`, or a file.
/// assert!(!Clashes::among(["m", "m#2"]).is_empty());
/// ```
#[derive(Debug, Default)]
pub struct Clashes(HashSet<String>);

impl Clashes {
    /// Among the names of all inputs of a run.
    #[must_use]
    pub fn among<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let names: Vec<&str> = names.into_iter().collect();
        // Most runs have no such name, and many inputs.
        if !names.iter().any(|name| name.contains(SEPARATORS)) {
            return Self::default();
        }
        let names: HashSet<&str> = names.into_iter().collect();
        let continues = |name: &&&str| beginnings(name).any(|beginning| names.contains(beginning));
        Self(names.iter().filter(continues).map(|&name| name.to_owned()).collect())
    }

    /// Whether no structure can have the name of another input.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Why a structure of the input `input` cannot have its name: another input has that name, or the beginning of it.
    pub(crate) fn of_structure(&self, input: &str, structure: &str) -> Option<InputFailure> {
        if self.is_empty() || structure == input {
            return None;
        }
        let mut longer = beginnings(structure).chain([structure]).filter(|name| name.len() > input.len());
        let other = longer.find(|&name| self.0.contains(name))?;
        let reason = format!(
            "a structure of {input} would have this name, but there is an input {other}; compute them in separate \
             runs, or give them other names"
        );
        Some(InputFailure::new(structure, reason))
    }
}

/// The beginnings of a name that end before a separator.
fn beginnings(name: &str) -> impl Iterator<Item = &str> {
    name.match_indices(SEPARATORS).map(|(at, _)| &name[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_structure_has_the_name_of_another_input() {
        let clashes =
            Clashes::among(["t.tar", "t.tar/x.pdb", "m", "m#2", "c", "c:A", "rbd", "rbd@Alpha/UK", "a/b.pdb"]);
        let clash = |input, structure| clashes.of_structure(input, structure).is_some();
        for (input, structure) in
            [("t.tar", "t.tar/x.pdb"), ("t.tar", "t.tar/x.pdb#1"), ("m", "m#2"), ("c", "c:A"), ("rbd", "rbd@Alpha/UK")]
        {
            assert!(clash(input, structure), "{structure} of {input}");
        }
        for (input, structure) in [
            ("t.tar/x.pdb", "t.tar/x.pdb"),
            ("t.tar/x.pdb", "t.tar/x.pdb#1"),
            ("t.tar", "t.tar/y.pdb"),
            ("t.tar", "t.tar/x.pdb2"),
            ("m", "m#1"),
            ("m#2", "m#2#1"),
            ("a/b.pdb", "a/b.pdb#2"),
        ] {
            assert!(!clash(input, structure), "{structure} of {input}");
        }
    }
}
