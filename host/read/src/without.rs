//! mmCIF without some of its categories.

use crate::cif::{CATEGORY, Lexer, Rows, Table, Token, is_in, unquote};
use crate::compressed::plain;
use crate::error::{Fault, ReadError};
use crate::format::{Format, normal_text};
use std::ops::Range;

const MODEL: &[u8] = b"_atom_site.pdbx_PDB_model_num";

/// A category that was taken out of a file.
#[doc(hidden)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Category {
    /// The names of its items, without the category's.
    pub items: Vec<String>,
    /// Of each row the value of each item as the file has it, with its quotes; see [`unquoted`].
    pub rows: Vec<Vec<String>>,
}

impl Category {
    /// Adds a row, of which some items may be new.
    fn add(&mut self, values: &[(String, String)]) {
        let mut row = vec!["?".to_owned(); self.items.len()];
        for (item, value) in values {
            match self.items.iter().position(|own| own.eq_ignore_ascii_case(item)) {
                Some(place) => row[place].clone_from(value),
                None => {
                    self.items.push(item.clone());
                    self.rows.iter_mut().for_each(|row| row.push("?".to_owned()));
                    row.push(value.clone());
                }
            }
        }
        self.rows.push(row);
    }
}

/// A value as it is written in mmCIF, without its quotes.
#[doc(hidden)]
#[must_use]
pub fn unquoted(raw: &str) -> &str {
    // Quotes are single bytes, so that what is left is text again.
    std::str::from_utf8(unquote(raw.as_bytes())).unwrap_or(raw)
}

/// The text of the first data block with atoms of mmCIF or BinaryCIF, plain or compressed, without some categories, whose names end with a
/// dot.
/// `None` if the file has another format. `name` is the file's name in errors.
///
/// # Errors
/// If the file is damaged, or has no atoms.
#[doc(hidden)]
pub fn without_categories(bytes: &[u8], name: &str, categories: &[&str]) -> Result<Option<String>, ReadError> {
    Ok(take_categories(bytes, name, categories)?.map(|(text, _)| text))
}

/// The same, and these categories.
///
/// # Errors
/// As [`without_categories`].
#[doc(hidden)]
pub fn take_categories(
    bytes: &[u8],
    name: &str,
    categories: &[&str],
) -> Result<Option<(String, Vec<Category>)>, ReadError> {
    let refused = |problem| ReadError { name: name.to_owned(), line: None, problem };
    let text = plain(bytes).map_err(refused)?;
    let (text, format) = normal_text(&text, name).map_err(refused)?;
    if format != Format::Cif {
        return Ok(None);
    }
    let kept = crate::polymers::block_with_atoms(&text)
        .and_then(|block| kept(block.text, categories).map_err(|fault| block.in_file(fault)));
    kept.map(Some).map_err(|fault| fault.into_error(name, &text))
}

/// The number of the first model as the text of mmCIF has it; `.` if there is none.
///
/// # Errors
/// If the text is damaged.
#[doc(hidden)]
pub fn first_model(text: &str, name: &str) -> Result<String, ReadError> {
    let bytes = text.as_bytes();
    let read = || {
        let mut lexer = Lexer::new(bytes);
        let mut model = ".".to_owned();
        let Some(atoms) = Table::next(&mut lexer, CATEGORY)? else { return Ok(model) };
        let Some(place) = atoms.tags.iter().position(|tag| tag.eq_ignore_ascii_case(MODEL)) else { return Ok(model) };
        atoms.each_row(&mut lexer, |edges| {
            model = super::text_of(unquote(&bytes[edges[2 * place]..edges[2 * place + 1]]));
            Ok(false)
        })?;
        Ok(model)
    };
    read().map_err(|fault: Fault| fault.into_error(name, bytes))
}

fn kept(text: &[u8], categories: &[&str]) -> Result<(String, Vec<Category>), Fault> {
    let which = |tag: &[u8]| categories.iter().position(|name| is_in(tag, name.as_bytes()));
    let item = |tag: &[u8], of: usize| super::text_of(&tag[categories[of].len()..]);
    let mut taken = vec![Category::default(); categories.len()];
    // The rows that stand without a loop.
    let mut single = vec![Vec::new(); categories.len()];
    let mut lexer = Lexer::new(text);
    let mut removed: Vec<Range<usize>> = Vec::new();
    loop {
        let (begin, token) = lexer.next()?;
        match token {
            Token::End => break,
            Token::Loop => {
                let tags = lexer.tags()?;
                let Some(first) = tags.first() else { continue };
                let (mut rows, of) = (Rows::new(tags.len(), first), which(first));
                while rows.next(&mut lexer)? {
                    if let Some(of) = of {
                        let values = tags.iter().zip(rows.edges().as_chunks::<2>().0);
                        let values =
                            values.map(|(tag, edges)| (item(tag, of), super::text_of(&text[edges[0]..edges[1]])));
                        taken[of].add(&values.collect::<Vec<_>>());
                    }
                }
                if of.is_some() {
                    removed.push(begin..lexer.at);
                }
            }
            Token::Tag(tag) => {
                let (_, value) = lexer.next()?;
                if let Some(of) = which(tag) {
                    removed.push(begin..lexer.at);
                    if let Token::Value(raw) = value {
                        single[of].push((item(tag, of), super::text_of(raw)));
                    }
                }
            }
            _ => {}
        }
    }
    let (mut kept, mut at) = (Vec::with_capacity(text.len()), 0);
    for range in removed {
        kept.extend_from_slice(&text[at..range.start]);
        at = range.end;
        // A line that is left empty goes, too.
        let rest = &text[at..];
        let blanks = rest.iter().take_while(|c| matches!(c, b' ' | b'\t' | b'\r')).count();
        if rest.get(blanks) == Some(&b'\n') {
            at += blanks + 1;
        }
        // One line of # is enough between two categories.
        while kept.ends_with(b"\n#\n") && text[at..].starts_with(b"#\n") {
            at += 2;
        }
    }
    kept.extend_from_slice(&text[at.min(text.len())..]);
    for (category, row) in taken.iter_mut().zip(single).filter(|(_, row)| !row.is_empty()) {
        category.add(&row);
    }
    Ok((String::from_utf8_lossy(&kept).into_owned(), taken))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_and_single_items_go_and_the_rest_stays() {
        let text = "data_a\n_x.id 1\n_x.text\n;some _x.id\n;\n_xy.id 2\nloop_\n_x.a\n_x.b\n1 'two'\n3 4\n#\nloop_\n_atom_site.id\n1\n";
        let (kept, taken) = kept(text.as_bytes(), &["_x.", "_y."]).unwrap();
        // With the comment after a loop.
        assert_eq!(kept, "data_a\n_xy.id 2\nloop_\n_atom_site.id\n1\n");
        // Each value as it is written; `?` where a table has no such item.
        let rows = [["1", "'two'", "?", "?"], ["3", "4", "?", "?"], ["?", "?", "1", ";some _x.id\n;"]];
        assert_eq!(taken[0].items, ["a", "b", "id", "text"]);
        assert_eq!(taken[0].rows, rows);
        assert_eq!(taken[1], Category::default());
        assert_eq!((unquoted("'two'"), unquoted(";some _x.id\n;"), unquoted("5'")), ("two", "some _x.id", "5'"));
    }

    #[test]
    fn single_items_go_with_the_line_that_divides_them_from_the_next() {
        let text = "data_a\n#\n_x.id 1\n_x.text 2\n#\n_y.id 3\n#\n_x.more 4\n#\n";
        assert_eq!(kept(text.as_bytes(), &["_x."]).unwrap().0, "data_a\n#\n_y.id 3\n#\n");
    }

    #[test]
    fn the_first_model_has_the_number_of_the_first_atom() {
        let model = |text: &str| first_model(text, "x").unwrap();
        assert_eq!(model("data_a\nloop_\n_atom_site.id\n_atom_site.pdbx_PDB_model_num\n1 7\n2 8\n"), "7");
        assert_eq!(model("data_a\nloop_\n_atom_site.id\n1\n"), ".");
    }
}
