//! mmCIF without some of its categories.

use crate::cif::{Lexer, Rows, Token};
use crate::compressed::plain;
use crate::error::{Fault, ReadError};
use crate::format::{Format, format_of, normal};
use std::ops::Range;

/// The text of an mmCIF file's first data block with atoms, plain or compressed, without some categories, whose names end with a dot.
/// `None` if the file has another format. `name` is the file's name in errors.
///
/// # Errors
/// If the file is damaged, or has no atoms.
#[doc(hidden)]
pub fn without_categories(bytes: &[u8], name: &str, categories: &[&str]) -> Result<Option<String>, ReadError> {
    let text = plain(bytes).map_err(|problem| ReadError { name: name.to_owned(), line: None, problem })?;
    let text = normal(&text);
    if format_of(&text) != Format::Cif {
        return Ok(None);
    }
    let kept = crate::polymers::block_with_atoms(&text).and_then(|(block, ..)| kept(block, categories));
    kept.map(Some).map_err(|fault| fault.into_error(name, &text))
}

fn kept(text: &[u8], categories: &[&str]) -> Result<String, Fault> {
    let is_one = |tag: &[u8]| {
        let is_in = |name: &&str| tag.get(..name.len()).is_some_and(|head| head.eq_ignore_ascii_case(name.as_bytes()));
        categories.iter().any(is_in)
    };
    let mut lexer = Lexer::new(text);
    let mut removed: Vec<Range<usize>> = Vec::new();
    loop {
        let (begin, token) = lexer.next()?;
        match token {
            Token::End => break,
            Token::Loop => {
                let tags = lexer.tags()?;
                let Some(first) = tags.first() else { continue };
                let mut rows = Rows::new(tags.len(), first);
                while rows.next(&mut lexer)? {}
                if is_one(first) {
                    removed.push(begin..lexer.at);
                }
            }
            Token::Tag(tag) => {
                lexer.next()?;
                if is_one(tag) {
                    removed.push(begin..lexer.at);
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
    }
    kept.extend_from_slice(&text[at.min(text.len())..]);
    Ok(String::from_utf8_lossy(&kept).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_and_single_items_go_and_the_rest_stays() {
        let text = "data_a\n_x.id 1\n_x.text\n;some _x.id\n;\n_xy.id 2\nloop_\n_x.a\n_x.b\n1 'two'\n3 4\n#\nloop_\n_atom_site.id\n1\n";
        let kept = kept(text.as_bytes(), &["_x."]).unwrap();
        // With the comment after a loop.
        assert_eq!(kept, "data_a\n_xy.id 2\nloop_\n_atom_site.id\n1\n");
    }
}
