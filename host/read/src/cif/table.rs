//! The tables of a category: loops, and rows that stand without one.

use super::lexer::{Lexer, Token};
use super::rows::Rows;
use crate::error::Fault;

/// Whether a tag is of a category, whose name ends with a dot.
pub(crate) fn is_in(tag: &[u8], category: &[u8]) -> bool {
    tag.get(..category.len()).is_some_and(|head| head.eq_ignore_ascii_case(category))
}

/// A table, of which the lexer has read the tags, or its only row.
pub(crate) struct Table<'a> {
    /// Where its `loop_` or its first tag begins.
    pub(crate) begin: usize,
    pub(crate) tags: Vec<&'a [u8]>,
    /// Where the last data block before it begins, and its name, if that comes after the table before.
    pub(crate) block: Option<(usize, &'a [u8])>,
    /// The edges of the values of a row without a loop, as [`Rows`] has them.
    row: Option<Vec<usize>>,
}

impl<'a> Table<'a> {
    /// Moves to the next table of a category, outside of save frames.
    pub(crate) fn next(lexer: &mut Lexer<'a>, category: &[u8]) -> Result<Option<Self>, Fault> {
        let (mut is_framed, mut block) = (false, None);
        loop {
            let (begin, token) = lexer.next()?;
            match token {
                Token::End => return Ok(None),
                Token::Tag(tag) if !is_framed && is_in(tag, category) => {
                    lexer.at = begin;
                    return Ok(Some(Self { block, ..Self::without_loop(lexer, category, begin)? }));
                }
                Token::Loop => {
                    let tags = lexer.tags()?;
                    let Some(&first) = tags.first() else { continue };
                    if !is_framed && is_in(first, category) {
                        return Ok(Some(Self { begin, tags, block, row: None }));
                    }
                    Rows::new(tags.len(), first).skip(lexer)?;
                }
                Token::FrameBegin => is_framed = true,
                Token::FrameEnd => is_framed = false,
                Token::Data(name) => (is_framed, block) = (false, Some((begin, name))),
                Token::Tag(_) | Token::Value(_) | Token::Other => {}
            }
        }
    }

    fn without_loop(lexer: &mut Lexer<'a>, category: &[u8], begin: usize) -> Result<Self, Fault> {
        let (mut tags, mut edges) = (Vec::new(), Vec::new());
        loop {
            let before = lexer.at;
            match lexer.next()?.1 {
                Token::Tag(tag) if is_in(tag, category) => {
                    let before = lexer.at;
                    let (at, token) = lexer.next()?;
                    tags.push(tag);
                    match token {
                        Token::Value(value) => edges.extend([at, at + value.len()]),
                        // The tag has no value.
                        _ => {
                            lexer.at = before;
                            edges.extend([at, at]);
                        }
                    }
                }
                _ => {
                    lexer.at = before;
                    break;
                }
            }
        }
        edges.extend([0, 0]);
        Ok(Self { begin, tags, block: None, row: Some(edges) })
    }

    /// Calls `take` with the edges of each row's values, until it returns false.
    pub(crate) fn each_row(
        &self,
        lexer: &mut Lexer<'a>,
        mut take: impl FnMut(&[usize]) -> Result<bool, Fault>,
    ) -> Result<(), Fault> {
        if let Some(row) = &self.row {
            return take(row).map(drop);
        }
        let mut rows = Rows::new(self.tags.len(), self.tags[0]);
        while rows.next(lexer)? && take(rows.edges())? {}
        Ok(())
    }
}
