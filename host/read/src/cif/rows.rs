//! The rows of a loop. If each row is a line, a whole line is split at once.

use super::lexer::{Lexer, Token};
use crate::error::{Fault, Problem};
use crate::masks;
use memchr::memchr;

/// Reads a loop's values row by row.
pub(crate) struct Rows<'a> {
    /// Number of columns.
    columns: usize,
    /// Begin and end of each value of the current row in the text, including quotes. Then follow one empty value for
    /// columns that the loop does not have, and spare room.
    edges: Vec<usize>,
    /// The loop's first tag, for errors.
    first_tag: &'a [u8],
    /// Whether every row so far was a line.
    lines: bool,
    rows: usize,
    /// The end of the last line examined.
    line_end: usize,
}

impl<'a> Rows<'a> {
    pub(crate) fn new(columns: usize, first_tag: &'a [u8]) -> Self {
        Self { columns, edges: vec![0; 2 * (columns + 1) + AT_ONCE], first_tag, lines: true, rows: 0, line_end: 0 }
    }

    /// Edges of the current row's values; see [`Rows`].
    #[inline]
    pub(crate) fn edges(&self) -> &[usize] {
        &self.edges[..2 * (self.columns + 1)]
    }

    /// Moves to the next row. Returns false at the loop's end, with the lexer before the word that ends it.
    #[inline]
    pub(crate) fn next(&mut self, lexer: &mut Lexer<'a>) -> Result<bool, Fault> {
        let text = lexer.text;
        lexer.skip_blanks();
        // Search a line of many rows only once.
        if lexer.at >= self.line_end {
            self.line_end = memchr(b'\n', &text[lexer.at..]).map_or(text.len(), |n| lexer.at + n);
        }
        let end = self.line_end;
        let is_row = split_line(text, lexer.at, end, self.columns, &mut self.edges);
        self.edges[2 * self.columns..][..2].fill(0);
        if is_row {
            lexer.at = end;
            self.rows += 1;
            return Ok(true);
        }
        self.next_by_words(lexer)
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

/// Whether only blanks or a comment precede the next line's end. `rest` begins after a word.
fn ends_line(rest: &[u8]) -> bool {
    rest.iter().find(|&&c| c > b' ' || c == b'\n').is_none_or(|c| matches!(c, b'\n' | b'#'))
}

/// Classes of words by their first byte: plain words need no closer look.
const PLAIN: u8 = 0;
/// Comments, tags, text fields.
const SPECIAL: u8 = 1;
/// Letters that keywords begin with. Keywords have at least five letters.
const KEYWORD: u8 = 2;
const QUOTE: u8 = 4;

const CLASS: [u8; 256] = {
    let mut class = [PLAIN; 256];
    class[b'#' as usize] = SPECIAL;
    class[b'_' as usize] = SPECIAL;
    class[b';' as usize] = SPECIAL;
    class[b'\'' as usize] = QUOTE;
    class[b'"' as usize] = QUOTE;
    let letters = b"dDlLsSgG";
    let mut i = 0;
    while i < letters.len() {
        class[letters[i] as usize] = KEYWORD;
        i += 1;
    }
    class
};

/// Number of edges that are written at once.
const AT_ONCE: usize = 8;

/// Finds the words between `begin` and `end`, a part of one line that begins at a word's border. Returns true if there are
/// `columns` words and each is a value; `edges`, which needs room for [`AT_ONCE`] more, then holds their begins and ends.
/// If it returns false, the line must be read word by word.
#[inline]
fn split_line(text: &[u8], begin: usize, end: usize, columns: usize, edges: &mut [usize]) -> bool {
    let mut found = 0;
    let mut inside = 0u64;
    let mut at = begin;
    while at < end {
        let mut ink = match text[at..].first_chunk::<64>() {
            Some(block) => masks::ink(block),
            None => {
                let mut block = [b' '; 64];
                block[..text.len() - at].copy_from_slice(&text[at..]);
                masks::ink(&block)
            }
        };
        if end - at < 64 {
            ink &= (1 << (end - at)) - 1;
        }
        // A bit for each change between ink and blank.
        let mut changes = ink ^ (ink << 1 | inside);
        inside = ink >> 63;
        let count = changes.count_ones() as usize;
        // Write whole groups without a branch per edge; entries beyond the last are overwritten later.
        let mut written = found;
        found += count;
        if found > 2 * columns {
            return false;
        }
        while written < found {
            let Some(chunk) = edges.get_mut(written..).and_then(|rest| rest.first_chunk_mut::<AT_ONCE>()) else {
                return false;
            };
            for slot in chunk {
                *slot = at + changes.trailing_zeros() as usize;
                changes &= changes.wrapping_sub(1);
            }
            written += AT_ONCE;
        }
        at += 64;
    }
    if inside != 0 {
        // The last word ends with the last block.
        edges[found] = end;
        found += 1;
    }
    if found != 2 * columns {
        return false;
    }
    let edges = &edges[..found];
    let words = edges.as_chunks::<2>().0;
    // No branch per word: whether words begin like keywords changes from row to row.
    let closer_look = words.iter().fold(PLAIN, |classes, &[begin, end]| {
        let asks = if end - begin < 5 { !KEYWORD } else { !PLAIN };
        classes | CLASS[usize::from(text[begin])] & asks
    });
    closer_look == PLAIN || words.iter().all(|&[begin, end]| is_value(text, begin, end))
}

/// Whether a word of a line is a complete value.
#[inline]
fn is_value(text: &[u8], begin: usize, end: usize) -> bool {
    let first = text[begin];
    match CLASS[usize::from(first)] {
        PLAIN => true,
        KEYWORD => end - begin < 5,
        // A word holds no blank, so a quote at its end closes it. Without one, the quoted text contains a blank.
        QUOTE => end - begin >= 2 && text[end - 1] == first,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words of a line, split byte by byte.
    fn by_bytes(line: &str) -> Vec<&str> {
        line.split(|c: char| (c as u32) <= 0x20).filter(|w| !w.is_empty()).collect()
    }

    #[test]
    fn lines_of_every_length_split_like_the_plain_rule() {
        for length in 1..200 {
            for gap in 1..9 {
                let line: String = (0..length).map(|i| if i % gap == 0 && i % 5 != 1 { ' ' } else { 'é' }).collect();
                let line: String = line.chars().take(length).collect();
                let expected = by_bytes(&line);
                for after in ["", "\nrest of the text that must not be looked at"] {
                    let text = format!("{line}{after}");
                    let mut edges = vec![0; 2 * expected.len() + AT_ONCE];
                    assert!(split_line(text.as_bytes(), 0, line.len(), expected.len(), &mut edges), "{line:?}");
                    let found: Vec<_> = edges[..2 * expected.len()].chunks(2).map(|e| &text[e[0]..e[1]]).collect();
                    assert_eq!(found, expected);
                    for other in expected.len().checked_sub(1).into_iter().chain([expected.len() + 1]) {
                        let mut edges = vec![0; 2 * other + AT_ONCE];
                        assert!(!split_line(text.as_bytes(), 0, line.len(), other, &mut edges));
                    }
                }
            }
        }
    }

    #[test]
    fn words_that_are_no_plain_values_are_left_to_the_lexer() {
        for (line, plain) in [
            ("LEU D SER G", true),
            ("\"O5'\" '' b c", true),
            ("a'b c#d e_f g;h", true),
            ("a b c loop_", false),
            ("a b c data_", false),
            ("a # c d", false),
            ("a _b c d", false),
            (";a b c d", false),
            ("a 'b c' d", false),
            ("a ' b '", false),
        ] {
            assert_eq!(split_line(line.as_bytes(), 0, line.len(), 4, &mut [0; 8 + AT_ONCE]), plain, "{line}");
        }
    }
}
