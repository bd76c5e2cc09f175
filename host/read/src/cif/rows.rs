//! The rows of a loop. A row that is a usual line is split at once.

use super::lexer::{Lexer, Token};
use super::line::Line;
use crate::error::{Fault, Problem};
use crate::masks::{self, Task, Vectors};
use memchr::memchr;

/// Rows, one after another, whose words are not where those of the row before them are, after which others are not expected to have them
/// there either.
const MOST_ALONE: usize = 4;

/// How rows are split into words. The results are the same.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Split {
    /// Usual lines as a whole, and other rows word by word.
    Lines,
    /// Every row word by word: the judge of what [`Split::Lines`] does.
    Words,
}

/// Reads a loop's values row by row.
pub(crate) struct Rows<'a> {
    /// Number of columns.
    columns: usize,
    /// Begin and end of each value of the current row in the text, including quotes. Then follow one empty value for
    /// columns that the loop does not have.
    edges: Vec<usize>,
    /// The loop's first tag, for errors.
    first_tag: &'a [u8],
    pub(super) split: Split,
    /// Whether every row so far was a line.
    lines: bool,
    rows: usize,
}

impl<'a> Rows<'a> {
    pub(crate) fn new(columns: usize, first_tag: &'a [u8]) -> Self {
        Self::split(columns, first_tag, Split::Lines)
    }

    pub(super) fn split(columns: usize, first_tag: &'a [u8], split: Split) -> Self {
        Self { columns, edges: vec![0; 2 * (columns + 1)], first_tag, split, lines: true, rows: 0 }
    }

    /// Edges of the current row's values; see [`Rows`].
    #[inline]
    pub(crate) fn edges(&self) -> &[usize] {
        &self.edges
    }

    /// Moves to the next row. Returns false at the loop's end, with the lexer before the word that ends it.
    #[inline]
    pub(crate) fn next(&mut self, lexer: &mut Lexer<'a>) -> Result<bool, Fault> {
        lexer.skip_blanks();
        let is_line = self.split == Split::Lines && masks::run(NextLine { rows: self, lexer });
        if is_line { Ok(true) } else { self.next_by_words(lexer) }
    }

    /// Moves behind the loop's last row.
    pub(super) fn skip(&mut self, lexer: &mut Lexer<'a>) -> Result<(), Fault> {
        loop {
            if self.split == Split::Lines {
                masks::run(SkipLines { rows: self, lexer });
            }
            if !self.next(lexer)? {
                return Ok(());
            }
        }
    }

    #[cold]
    fn next_by_words(&mut self, lexer: &mut Lexer<'a>) -> Result<bool, Fault> {
        let mut begin = lexer.at;
        for column in 0..self.columns {
            let before = lexer.at;
            let (at, token) = lexer.next()?;
            if column == 0 {
                begin = at;
            }
            let Token::Value(raw) = token else {
                lexer.at = before;
                return if column == 0 { Ok(false) } else { Err(self.ragged(begin, column)) };
            };
            self.edges[2 * column] = at;
            self.edges[2 * column + 1] = at + raw.len();
        }
        let ends_line = ends_line(&lexer.text[lexer.at..]);
        if self.lines && self.rows > 0 && !ends_line {
            return Err(self.misfit(begin));
        }
        self.lines &= ends_line && memchr(b'\n', &lexer.text[begin..lexer.at]).is_none();
        self.rows += 1;
        Ok(true)
    }

    /// The error for a row that ends inside a line although all rows before were lines. A value is missing or superfluous.
    /// All later values would go to wrong columns, which counting values may never reveal.
    fn misfit(&self, begin: usize) -> Fault {
        let (tag, columns) = (String::from_utf8_lossy(self.first_tag), self.columns);
        Fault::at(
            begin,
            Problem::Syntax(format!(
                "the row on this line of the loop that begins with {tag} does not have {columns} values as the rows \
                 before it; one is missing or too many"
            )),
        )
    }

    fn ragged(&self, begin: usize, found: usize) -> Fault {
        let (tag, columns) = (String::from_utf8_lossy(self.first_tag), self.columns);
        Fault::at(
            begin,
            Problem::Syntax(format!(
                "the loop that begins with {tag} ends in this row, after {found} of {columns} values; the file is cut \
                 or a value is missing"
            )),
        )
    }
}

/// Moves to the next row if it is a usual line.
struct NextLine<'r, 'a> {
    rows: &'r mut Rows<'a>,
    lexer: &'r mut Lexer<'a>,
}

impl Task for NextLine<'_, '_> {
    type Output = bool;

    #[inline(always)]
    fn run(self, vectors: impl Vectors) -> bool {
        let Self { rows, lexer } = self;
        let mut line = Line::new();
        let is_row = line.read(lexer.text, lexer.at, vectors) && line.words() == rows.columns;
        if is_row {
            line.edges(lexer.at, &mut rows.edges);
            lexer.at += line.length;
            rows.rows += 1;
        }
        is_row
    }
}

/// Moves behind the rows that follow and are usual lines.
struct SkipLines<'r, 'a> {
    rows: &'r mut Rows<'a>,
    lexer: &'r mut Lexer<'a>,
}

impl Task for SkipLines<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run(self, vectors: impl Vectors) {
        let Self { rows, lexer } = self;
        let (mut line, mut alone) = (Line::new(), 0);
        loop {
            let begin = lexer.at + usize::from(lexer.text.get(lexer.at) == Some(&b'\n'));
            if !line.read(lexer.text, begin, vectors) || line.words() != rows.columns {
                return;
            }
            lexer.at = begin + line.length;
            rows.rows += 1;
            if alone == MOST_ALONE {
                continue;
            }
            let before = rows.rows;
            if let Some(layout) = line.layout() {
                // They have as many words.
                while lexer.text.get(lexer.at) == Some(&b'\n')
                    && line.advance(lexer.text, lexer.at + 1, &layout, vectors).is_some()
                {
                    lexer.at += 1 + line.length;
                    rows.rows += 1;
                }
            }
            alone = if rows.rows == before { alone + 1 } else { 0 };
        }
    }
}

/// Whether only blanks or a comment precede the next line's end. `rest` begins after a word.
fn ends_line(rest: &[u8]) -> bool {
    rest.iter().find(|&&c| c > b' ' || c == b'\n').is_none_or(|c| matches!(c, b'\n' | b'#'))
}
