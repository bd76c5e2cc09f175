//! Whether a file's chains, which are read as one structure, are its biological assembly.

use super::assembly::{Generator, products};
use super::note::{Note, NoteKind};
use super::tables::{ASSEMBLY_GEN, Tables};
use crate::plural::counted;
use std::collections::HashSet;

/// The assemblies that a file lists, as far as a note needs them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Listed {
    ids: Vec<String>,
    expressions: Vec<String>,
    chains: Vec<String>,
}

impl Listed {
    const CATEGORY: &[u8] = b"_pdbx_struct_assembly_gen.";

    /// The column of an mmCIF item, if it is needed.
    fn column(&mut self, tag: &[u8]) -> Option<&mut Vec<String>> {
        let item = tag.get(Self::CATEGORY.len()..).filter(|_| Self::takes(tag))?;
        let is = |name: &[u8]| item.eq_ignore_ascii_case(name);
        if is(b"assembly_id") {
            Some(&mut self.ids)
        } else if is(b"oper_expression") {
            Some(&mut self.expressions)
        } else if is(b"asym_id_list") {
            Some(&mut self.chains)
        } else {
            None
        }
    }

    /// Whether an item may be needed.
    pub(super) fn takes(tag: &[u8]) -> bool {
        tag.get(..Self::CATEGORY.len()).is_some_and(|head| head.eq_ignore_ascii_case(Self::CATEGORY))
    }

    /// Takes the value of an mmCIF item.
    pub(super) fn item(&mut self, tag: &[u8], value: &[u8]) {
        /// Real files have fewer by far.
        const MOST: usize = 1 << 12;
        if let Some(column) = self.column(tag).filter(|column| column.len() < MOST) {
            column.push(String::from_utf8_lossy(value).into_owned());
        }
    }

    /// The same from tables, where a reader keeps them.
    pub(super) fn of(tables: &Tables) -> Self {
        let column = |place: usize| tables.rows(ASSEMBLY_GEN).iter().map(|row| row[place].text()).collect();
        Self { ids: column(0), expressions: column(1), chains: column(2) }
    }

    /// The ids of the assemblies, in order.
    pub(super) fn ids(&self) -> Vec<String> {
        let mut known = HashSet::new();
        self.ids.iter().filter(|id| known.insert(id.as_str())).cloned().collect()
    }

    /// The ids of a PDB file's assemblies.
    pub(super) fn of_generators(generators: &[Generator]) -> Self {
        Self { ids: generators.iter().map(|one| one.assembly.clone()).collect(), ..Self::default() }
    }

    /// The note of an mmCIF file.
    pub(super) fn note(&self) -> Option<Note> {
        let rows = self.ids.iter().zip(&self.expressions).zip(&self.chains);
        let parts = rows.map(|((id, expression), chains)| Part {
            assembly: id,
            copies: products(expression).map_or(1, |all| all.len()),
            chains: chains.split(',').map(str::trim).collect(),
        });
        note(&parts.collect::<Vec<_>>())
    }
}

/// The note of a PDB file.
pub(super) fn note_of(generators: &[Generator]) -> Option<Note> {
    let parts = generators.iter().map(|one| Part {
        assembly: &one.assembly,
        copies: one.operators.len(),
        chains: one.chains.iter().map(String::as_str).collect(),
    });
    note(&parts.collect::<Vec<_>>())
}

/// Chains of an assembly that are copied in the same way.
struct Part<'a> {
    assembly: &'a str,
    copies: usize,
    chains: Vec<&'a str>,
}

fn note(parts: &[Part<'_>]) -> Option<Note> {
    let id = parts.first()?.assembly;
    let own = || parts.iter().filter(|part| part.assembly == id);
    let distinct = |chains: &mut dyn Iterator<Item = &str>| chains.map(str::to_owned).collect::<HashSet<_>>().len();
    let all = distinct(&mut parts.iter().flat_map(|part| part.chains.iter().copied()));
    let of_first = distinct(&mut own().flat_map(|part| part.chains.iter().copied()));
    let copies = own().map(|part| part.copies).max().unwrap_or(1);
    let what = if copies > 1 {
        format!("has {copies} copies of its chains")
    } else if of_first < all {
        format!("has {of_first} of {}", counted(all, "chain or molecule", "chains and molecules"))
    } else {
        return None;
    };
    let text = format!(
        "its assembly {id} {what}, but all chains of the file are one structure as they are; --assembly {id} builds it"
    );
    Some(Note { kind: NoteKind::Assembly, text })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(rows: &[[&str; 3]]) -> Option<String> {
        let mut listed = Listed::default();
        for row in rows {
            for (item, value) in ["assembly_id", "oper_expression", "asym_id_list"].iter().zip(row) {
                listed.item(format!("_pdbx_struct_assembly_gen.{item}").as_bytes(), value.as_bytes());
            }
        }
        listed.note().map(|note| note.text)
    }

    #[test]
    fn assemblies_that_are_not_the_file_are_said() {
        assert_eq!(listed(&[]), None);
        assert_eq!(listed(&[["1", "1", "A,B,C"]]), None);
        // Another assembly that is a part of the first changes nothing.
        assert_eq!(listed(&[["1", "1", "A,B"], ["2", "1", "A"]]), None);
        assert!(listed(&[["1", "1,2", "A,B"]]).unwrap().contains("assembly 1 has 2 copies of its chains"));
        assert!(listed(&[["1", "(1-60)", "A"]]).unwrap().contains("60 copies"));
        let halves = listed(&[["1", "1", "A,C"], ["2", "1", "B,D"]]).unwrap();
        assert!(
            halves.contains("assembly 1 has 2 of 4 chains and molecules") && halves.contains("--assembly 1"),
            "{halves}"
        );
        assert_eq!(listed(&[["1", "1", "A"], ["1", "1", "B"]]), None);
    }
}
