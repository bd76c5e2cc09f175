//! Splits CIF into words: tags, values, keywords, comments.

use crate::error::{Fault, Problem};
use crate::word::{blank_length, word_length};
use memchr::{memchr, memchr2, memmem};

/// A word of a CIF file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Token<'a> {
    /// A value as written, including quotes; see [`unquote`].
    Value(&'a [u8]),
    /// A tag, including its `_`.
    Tag(&'a [u8]),
    Loop,
    /// `data_`, with the block's name.
    Data(&'a [u8]),
    /// `save_` with a name.
    FrameBegin,
    /// `save_` alone.
    FrameEnd,
    /// `stop_` or `global_`, which end a loop and have no other effect.
    Other,
    End,
}

/// Splits a text into words. Bytes up to the blank (0x20) are separators.
pub(crate) struct Lexer<'a> {
    pub(crate) text: &'a [u8],
    /// Where the search for the next word begins.
    pub(crate) at: usize,
}

impl<'a> Lexer<'a> {
    pub(crate) fn new(text: &'a [u8]) -> Self {
        Self { text, at: 0 }
    }

    /// Moves to the next word's first byte, or to the end.
    #[inline]
    pub(super) fn skip_blanks(&mut self) {
        loop {
            self.at += blank_length(&self.text[self.at..]);
            if self.text.get(self.at) != Some(&b'#') {
                return;
            }
            self.at = memchr(b'\n', &self.text[self.at..]).map_or(self.text.len(), |end| self.at + end);
        }
    }

    /// The tags that follow `loop_`. The next word is the first value.
    pub(crate) fn tags(&mut self) -> Result<Vec<&'a [u8]>, Fault> {
        let mut tags = Vec::new();
        loop {
            let before = self.at;
            let Token::Tag(tag) = self.next()?.1 else {
                self.at = before;
                return Ok(tags);
            };
            tags.push(tag);
        }
    }

    /// The next word, and the byte at which it begins.
    pub(crate) fn next(&mut self) -> Result<(usize, Token<'a>), Fault> {
        self.skip_blanks();
        let begin = self.at;
        let rest = &self.text[begin..];
        let token = match rest.first() {
            None => return Ok((begin, Token::End)),
            Some(b';') if begin == 0 || self.text[begin - 1] == b'\n' => {
                let end = memmem::find(rest, b"\n;").ok_or_else(|| {
                    let what = "the text field that begins here is not closed by a line that begins with `;`";
                    Fault::at(begin, Problem::Syntax(what.to_owned()))
                })?;
                Token::Value(&rest[..end + 2])
            }
            Some(&quote @ (b'\'' | b'"')) => Token::Value(quoted(rest, quote).ok_or_else(|| {
                let what = format!("the text quoted by {} that begins here is not closed on its line", quote as char);
                Fault::at(begin, Problem::Syntax(what))
            })?),
            Some(&first) => bare(&rest[..word_length(rest)], first),
        };
        self.at += match token {
            Token::Value(text) | Token::Tag(text) => text.len(),
            _ => word_length(rest),
        };
        Ok((begin, token))
    }
}

/// A quoted text with its quotes. It ends at the first quote that precedes a blank, a line's end or the text's end.
fn quoted(rest: &[u8], quote: u8) -> Option<&[u8]> {
    let mut at = 1;
    loop {
        at += memchr2(quote, b'\n', &rest[at..])?;
        if rest[at] == b'\n' {
            return None;
        }
        at += 1;
        if rest.get(at).is_none_or(|&c| c <= b' ') {
            return Some(&rest[..at]);
        }
    }
}

#[inline]
fn bare(word: &[u8], first: u8) -> Token<'_> {
    match first {
        b'_' => Token::Tag(word),
        b'd' | b'D' | b'l' | b'L' | b's' | b'S' | b'g' | b'G' if word.len() >= 5 => {
            let is = |keyword: &[u8]| word.eq_ignore_ascii_case(keyword);
            let (head, tail) = word.split_at(5);
            if head.eq_ignore_ascii_case(b"data_") {
                Token::Data(tail)
            } else if head.eq_ignore_ascii_case(b"save_") {
                if tail.is_empty() { Token::FrameEnd } else { Token::FrameBegin }
            } else if is(b"loop_") {
                Token::Loop
            } else if is(b"stop_") || is(b"global_") {
                Token::Other
            } else {
                Token::Value(word)
            }
        }
        _ => Token::Value(word),
    }
}

/// A value without its quotes or its text field's semicolons.
#[inline]
pub(crate) fn unquote(raw: &[u8]) -> &[u8] {
    match raw {
        [b'\'' | b'"', inner @ .., b'\'' | b'"'] => inner,
        [b';', inner @ .., b'\n', b';'] => inner,
        _ => raw,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<Token<'_>> {
        let mut lexer = Lexer::new(text.as_bytes());
        let mut words = Vec::new();
        loop {
            match lexer.next().expect("well formed").1 {
                Token::End => return words,
                token => words.push(token),
            }
        }
    }

    #[test]
    fn quotes_end_only_before_a_blank() {
        let text = "'it''s' \"a;b\" 'O5'' \"O5'\" '' 'a b'\t\"\"\n'x'";
        let inner: Vec<_> = words(text)
            .into_iter()
            .map(|t| match t {
                Token::Value(raw) => std::str::from_utf8(unquote(raw)).unwrap(),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(inner, ["it''s", "a;b", "O5'", "O5'", "", "a b", "", "x"]);
    }

    #[test]
    fn keywords_in_any_case_and_only_whole() {
        assert_eq!(
            words("DATA_x Loop_ loop_2 'loop_' save_f SAVE_ stop_ Global_ _Tag#no #yes\n;t\n_u\n; ;v"),
            [
                Token::Data(b"x"),
                Token::Loop,
                Token::Value(b"loop_2"),
                Token::Value(b"'loop_'"),
                Token::FrameBegin,
                Token::FrameEnd,
                Token::Other,
                Token::Other,
                Token::Tag(b"_Tag#no"),
                Token::Value(b";t\n_u\n;"),
                Token::Value(b";v"),
            ]
        );
    }

    #[test]
    fn what_is_open_is_refused_where_it_begins() {
        for (text, at) in [("a\n;text\n_b c\n", 2), ("a 'b\nc'", 2), ("a \"b", 2), ("\"", 0), (";", 0)] {
            let mut lexer = Lexer::new(text.as_bytes());
            let fault = std::iter::repeat_with(|| lexer.next()).find_map(Result::err).expect("an error");
            assert_eq!(fault.offset, Some(at), "{text:?}");
        }
    }
}
