//! Rows that are one line of plain words, as archives write them. Vector instructions find the words.
//!
//! [`Line::usual`] is the only judge of what is usual. Its words are those that the [lexer](super::Lexer) finds, and all of them are
//! values. Whatever is not usual goes to the lexer: long lines, comments, tags, keywords, text fields, quoted texts that hold blanks,
//! and the end of the text.

use crate::masks::{Classes, Vectors};

/// Longest line, in blocks of 64 bytes.
pub(super) const BLOCKS: usize = 4;
/// Bytes that follow the beginning of a usual line: the longest line, and eight bytes from its last on.
pub(super) const WINDOW: usize = 64 * BLOCKS + 8;

/// A usual line.
pub(super) struct Line<'a> {
    pub(super) bytes: &'a [u8; WINDOW],
    /// A bit for each byte of a word.
    ink: [u64; BLOCKS + 1],
    /// A bit for each byte that begins a word.
    pub(super) starts: [u64; BLOCKS],
    /// Bytes before the line feed.
    pub(super) length: usize,
}

impl<'a> Line<'a> {
    /// The line from `begin` on, which is between two words, if it is usual.
    #[inline(always)]
    pub(super) fn usual(text: &'a [u8], begin: usize, vectors: impl Vectors) -> Option<Self> {
        let bytes: &[u8; WINDOW] = text.get(begin..)?.first_chunk()?;
        let mut line = Self { bytes, ink: [0; BLOCKS + 1], starts: [0; BLOCKS], length: 0 };
        let (mut inside, mut before, mut special) = (0, 0, 0);
        for (block, bytes) in bytes.as_chunks::<64>().0.iter().enumerate() {
            let classes = vectors.classes(bytes);
            // The bytes before the first line feed, or all.
            let own = (classes.feed & classes.feed.wrapping_neg()).wrapping_sub(1);
            let ink = classes.ink & own;
            let starts = ink & !(ink << 1 | inside);
            line.ink[block] = ink;
            line.starts[block] = starts;
            if may_be_no_value(&classes, own, starts, before) {
                return None;
            }
            (inside, before) = (ink >> 63, starts);
            special |= classes.special & starts;
            if classes.feed != 0 {
                line.length = 64 * block + classes.feed.trailing_zeros() as usize;
                return (special == 0 || line.quotes_close()).then_some(line);
            }
        }
        None
    }

    /// Where the first word begins, in bytes from the line's beginning.
    pub(super) fn first(&self) -> usize {
        self.bytes.iter().take_while(|&&c| c <= b' ').count()
    }

    /// The number of words.
    #[inline(always)]
    pub(super) fn words(&self) -> usize {
        self.starts.iter().map(|block| block.count_ones() as usize).sum()
    }

    /// The length of the word that begins at a byte of the line.
    #[inline(always)]
    pub(super) fn length_of(&self, begin: u8) -> usize {
        let (block, bit) = (usize::from(begin) / 64, begin % 64);
        let rest = self.ink[block] >> bit | self.ink[block + 1] << 1 << (63 - bit);
        match rest.trailing_ones() as usize {
            64 => self.length_of_long(usize::from(begin)),
            length => length,
        }
    }

    #[cold]
    fn length_of_long(&self, begin: usize) -> usize {
        self.bytes[begin..self.length].iter().take_while(|&&c| c > b' ').count()
    }

    /// Where words begin, in bytes from the line's beginning. Returns their number, which may be larger than there is room for.
    #[inline]
    pub(super) fn begins(&self, begins: &mut [u8]) -> usize {
        let mut count = 0;
        for (block, &starts) in self.starts.iter().enumerate() {
            let mut starts = starts;
            while starts != 0 {
                if let Some(begin) = begins.get_mut(count) {
                    *begin = (64 * block) as u8 + starts.trailing_zeros() as u8;
                }
                count += 1;
                starts &= starts - 1;
            }
        }
        count
    }

    /// Writes begin and end of each word in the text, in which the line begins at `begin`, as far as there is room.
    pub(super) fn edges(&self, begin: usize, edges: &mut [usize]) {
        let (mut to, mut before) = (edges.iter_mut(), 0);
        for (block, &ink) in self.ink.iter().enumerate() {
            // Where blanks and words meet.
            let mut changes = ink ^ (ink << 1 | before);
            before = ink >> 63;
            while changes != 0 {
                let Some(edge) = to.next() else { return };
                *edge = begin + 64 * block + changes.trailing_zeros() as usize;
                changes &= changes - 1;
            }
        }
    }

    /// Whether each word that begins like a special one is a value as it stands: quoted texts that close at its end.
    #[inline(never)]
    fn quotes_close(&self) -> bool {
        for (block, &starts) in self.starts.iter().enumerate() {
            let mut starts = starts;
            while starts != 0 {
                let begin = 64 * block + starts.trailing_zeros() as usize;
                let first = self.bytes[begin];
                let is_value = match first {
                    b'#' | b';' => false,
                    b'\'' | b'"' => {
                        let length = self.length_of(begin as u8);
                        length >= 2 && self.bytes[begin + length - 1] == first
                    }
                    _ => true,
                };
                if !is_value {
                    return false;
                }
                starts &= starts - 1;
            }
        }
        true
    }
}

/// Whether a block of a line may have a tag, or a keyword: `data_`, `save_`, `loop_`, `stop_` and `global_` have a `_` after four or six
/// letters. `before` are the beginnings of words in the block before.
#[inline(always)]
fn may_be_no_value(classes: &Classes, own: u64, starts: u64, before: u64) -> bool {
    let after = |letters: u32| starts << letters | before >> (64 - letters);
    classes.underscore & own != 0 && classes.underscore & own & (starts | after(4) | after(6)) != 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::masks::{self, Task};

    struct Words<'a>(&'a str);

    impl<'a> Task for Words<'a> {
        type Output = Option<Vec<&'a str>>;

        fn run(self, vectors: impl Vectors) -> Self::Output {
            let line = Line::usual(self.0.as_bytes(), 0, vectors)?;
            let mut begins = [0; 256];
            let count = line.begins(&mut begins);
            assert_eq!(line.words(), count);
            Some(begins[..count].iter().map(|&at| &self.0[at as usize..][..line.length_of(at)]).collect())
        }
    }

    /// A line, and enough text after it.
    fn text_of(line: &str) -> String {
        format!("{line}\n{}", "_x 'y\n;\n".repeat(64))
    }

    fn words_of(text: &str) -> Option<Vec<&str>> {
        masks::run(Words(text))
    }

    #[test]
    fn lines_of_every_length_split_at_blanks() {
        for length in 0..=256 {
            for gap in 1..200 {
                let line: String = (0..length).map(|i| if i % gap == 0 && i % 5 != 1 { ' ' } else { 'x' }).collect();
                let text = text_of(&line);
                let expected: Vec<_> = line.split_ascii_whitespace().collect();
                assert_eq!(words_of(&text), (length < 256).then_some(expected), "{line:?}");
            }
        }
    }

    #[test]
    fn words_that_are_no_plain_values_are_unusual() {
        for (line, is_usual) in [
            ("LEU D SER G", true),
            ("\"O5'\" '' b c", true),
            ("a'b c#d e_f g;h", true),
            ("a & b", true),
            ("data global_x", false),
            ("a b c Loop_", false),
            ("a b c data_", false),
            ("loop lo_op_ xloop_", true),
            ("a # c d", false),
            ("a _b c d", false),
            (";a b c d", false),
            ("a 'b c' d", false),
            ("a ' b '", false),
            ("a '", false),
        ] {
            let text = text_of(line);
            let expected = is_usual.then(|| line.split(' ').collect::<Vec<_>>());
            assert_eq!(words_of(&text), expected, "{line}");
            // Across the border of two blocks.
            for before in 50..64 {
                let text = text_of(&format!("{:before$}{line}", ""));
                assert_eq!(words_of(&text), expected, "{before} blanks before {line}");
            }
        }
    }

    #[test]
    fn the_end_of_a_text_is_unusual() {
        let text = text_of("a b");
        assert!(words_of(&text[..WINDOW]).is_some());
        assert!(words_of(&text[..WINDOW - 1]).is_none());
    }
}
