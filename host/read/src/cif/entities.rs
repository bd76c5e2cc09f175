//! The entities of a data block that are no polymers: ligands, ions, water, sugars.
//!
//! Viewers write a `label_seq_id` for ligands, too. The type of their entity decides then.

use super::lexer::{Lexer, Token, unquote};
use super::rows::Rows;
use memchr::memmem;
use std::collections::HashMap;

const CATEGORY: &[u8] = b"_entity.";

/// The items of the category that are used.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Item {
    Id,
    Type,
}

/// An entity that is no polymer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum NonPolymer {
    Water,
    /// A ligand, an ion, or a sugar.
    Ligand,
}

/// What a data block says about its entities.
#[derive(Clone, Debug, Default)]
pub(crate) struct Entities {
    /// Whether it names the type of any.
    pub(crate) are_known: bool,
    /// Those that are no polymers.
    others: HashMap<Vec<u8>, NonPolymer>,
    /// Id and type outside of loops.
    single: (Vec<u8>, Vec<u8>),
}

impl Entities {
    /// The item of a tag, if it is used.
    pub(super) fn item(tag: &[u8]) -> Option<Item> {
        let (category, item) = tag.split_at_checked(CATEGORY.len())?;
        match item {
            _ if !category.eq_ignore_ascii_case(CATEGORY) => None,
            _ if item.eq_ignore_ascii_case(b"id") => Some(Item::Id),
            _ if item.eq_ignore_ascii_case(b"type") => Some(Item::Type),
            _ => None,
        }
    }

    /// Takes an entity.
    pub(crate) fn push(&mut self, id: &[u8], kind: &[u8]) {
        self.are_known |= !matches!(kind, b"?" | b"." | b"");
        const OTHERS: [(&[u8], NonPolymer); 3] =
            [(b"non-polymer", NonPolymer::Ligand), (b"water", NonPolymer::Water), (b"branched", NonPolymer::Ligand)];
        if let Some((_, other)) = OTHERS.iter().find(|(own, _)| kind.eq_ignore_ascii_case(own)) {
            self.others.insert(id.to_vec(), *other);
        }
    }

    /// Takes an item outside of loops.
    pub(super) fn push_single(&mut self, item: Item, value: &[u8]) {
        match item {
            Item::Id => self.single.0 = value.to_vec(),
            Item::Type => self.single.1 = value.to_vec(),
        }
        if !self.single.0.is_empty() && !self.single.1.is_empty() {
            let (id, kind) = std::mem::take(&mut self.single);
            self.push(&id, &kind);
        }
    }

    /// What an entity is if it is known to be no polymer.
    #[inline]
    pub(crate) fn other(&self, id: &[u8]) -> Option<NonPolymer> {
        if self.others.is_empty() { None } else { self.others.get(id).copied() }
    }

    /// Takes the current row of a loop with these tags.
    pub(super) fn push_row(&mut self, tags: &[&[u8]], rows: &Rows<'_>, text: &[u8]) {
        let value = |item: Item| {
            let column = tags.iter().position(|tag| Self::item(tag) == Some(item))?;
            Some(unquote(&text[rows.edges()[2 * column]..rows.edges()[2 * column + 1]]))
        };
        if let (Some(id), Some(kind)) = (value(Item::Id), value(Item::Type)) {
            self.push(id, kind);
        }
    }

    /// Looks for the table behind the atoms, which begin at byte `at`, in their data block. What is damaged there is
    /// reported when the text is read so far.
    pub(super) fn look_ahead(&mut self, text: &[u8], at: usize) {
        let rest = &text[at..];
        let Some(found) = memmem::find(rest, b"\n_entity.") else { return };
        if memmem::find(&rest[..found], b"\ndata_").is_some() {
            return;
        }
        let mut lexer = Lexer::new(text);
        lexer.at = at + found;
        let is_loop = text[..lexer.at].trim_ascii_end().ends_with(b"loop_");
        let mut tags = Vec::new();
        loop {
            let before = lexer.at;
            let Ok((_, Token::Tag(tag))) = lexer.next() else {
                lexer.at = before;
                break;
            };
            if is_loop {
                tags.push(tag);
            } else if let Ok((_, Token::Value(value))) = lexer.next() {
                Self::item(tag).into_iter().for_each(|item| self.push_single(item, unquote(value)));
            } else {
                return;
            }
        }
        if let Some(first) = tags.first() {
            let mut rows = Rows::new(tags.len(), first);
            while matches!(rows.next(&mut lexer), Ok(true)) {
                self.push_row(&tags, &rows, text);
            }
        }
    }
}
