//! Rows that are one line of plain words, as archives write them. Vector instructions find the words.
//!
//! [`Line::read`] is the only judge of what is usual. Its words are those that the [lexer](super::Lexer) finds, and all of them are
//! values. Whatever is not usual goes to the lexer: long lines, comments, tags, keywords, text fields, quoted texts that hold blanks,
//! and the end of the text.

use crate::masks::{Classes, Vectors};

/// Longest line, in blocks of 64 bytes.
pub(super) const BLOCKS: usize = 4;
/// Bytes that follow the beginning of a usual line: the longest line, and eight bytes from its last on.
pub(super) const WINDOW: usize = 64 * BLOCKS + 8;

/// Longest line, in blocks of 64 bytes, with which the next one is compared as a whole.
const LAYOUT_BLOCKS: usize = 2;

/// Bytes between the beginnings of words whose lengths are found at once.
const MOST_BETWEEN: u8 = 48;

/// Where a line has its words and its end, as a bit for each byte.
pub(super) struct Layout {
    /// The beginnings of words.
    starts: Bits,
    /// The bytes before the line feed.
    own: Bits,
    /// The line feed.
    feed: Bits,
    length: u8,
    /// The number of blocks in use.
    blocks: usize,
}

impl Layout {
    /// The length of such a line.
    #[inline(always)]
    pub(super) fn length(&self) -> usize {
        usize::from(self.length)
    }

    /// The bytes from a word that begins at byte `begin` on, to the next one or to the end of the line, at byte `end`; none if there begins
    /// no word.
    pub(super) fn column(&self, begin: u8, end: usize) -> Bits {
        let begin = usize::from(begin);
        let starts = u128::from(self.starts[0]) | u128::from(self.starts[1]) << 64;
        match starts >> begin {
            starts if starts & 1 == 0 => [0; LAYOUT_BLOCKS],
            1 => bits_of(begin, end),
            starts => bits_of(begin, begin + 1 + (starts >> 1).trailing_zeros() as usize),
        }
    }
}

/// A bit for each byte of a line.
pub(super) type Bits = [u64; LAYOUT_BLOCKS];

/// The bits of bytes from `begin` on, before `end`.
fn bits_of(begin: usize, end: usize) -> Bits {
    let below = |end: usize| 1u128.checked_shl(end as u32).map_or(u128::MAX, |bit| bit - 1);
    let bits = below(end) & !below(begin);
    [bits as u64, (bits >> 64) as u64]
}

/// A usual line. Its memory serves one line after another: moving it would take as long as finding the words.
pub(super) struct Line<'a> {
    pub(super) bytes: &'a [u8; WINDOW],
    /// A bit for each byte of a word; after the blocks in use an empty one.
    ink: [u64; BLOCKS + 1],
    /// A bit for each byte that begins a word.
    starts: [u64; BLOCKS],
    /// The number of blocks in use.
    blocks: usize,
    /// Bytes before the line feed.
    pub(super) length: usize,
}

impl<'a> Line<'a> {
    pub(super) fn new() -> Self {
        Self { bytes: &[0; WINDOW], ink: [0; BLOCKS + 1], starts: [0; BLOCKS], blocks: 0, length: 0 }
    }

    /// Reads the line from `begin` on, which is between two words. Returns whether it is usual; if not, nothing else is known of it.
    #[inline(always)]
    pub(super) fn read(&mut self, text: &'a [u8], begin: usize, vectors: impl Vectors) -> bool {
        let Some(bytes) = text.get(begin..).and_then(|rest| rest.first_chunk::<WINDOW>()) else { return false };
        self.bytes = bytes;
        let (mut inside, mut before, mut special) = (0, 0, 0);
        for (block, bytes) in bytes.as_chunks::<64>().0.iter().enumerate() {
            let classes = vectors.classes(bytes);
            // The bytes before the first line feed, or all.
            let own = (classes.feed & classes.feed.wrapping_neg()).wrapping_sub(1);
            let ink = classes.ink & own;
            let starts = ink & !(ink << 1 | inside);
            (self.ink[block], self.starts[block]) = (ink, starts);
            if may_be_no_value(&classes, own, starts, before) {
                return false;
            }
            (inside, before) = (ink >> 63, starts);
            special |= classes.special & starts;
            if classes.feed != 0 {
                self.ink[block + 1] = 0;
                self.blocks = block + 1;
                self.length = 64 * block + classes.feed.trailing_zeros() as usize;
                return special == 0 || self.quotes_close();
            }
        }
        false
    }

    /// Where the line has its words; `None` if it is long.
    pub(super) fn layout(&self) -> Option<Layout> {
        let mut starts = [0; LAYOUT_BLOCKS];
        starts.get_mut(..self.blocks)?.copy_from_slice(self.starts());
        let end = self.length;
        let (own, feed) = (bits_of(0, end), bits_of(end, end + 1));
        Some(Layout { starts, own, feed, length: end as u8, blocks: self.blocks })
    }

    /// Moves to the next line, which begins at byte `begin` of the text, if it has this one's layout and no quotes or other special
    /// bytes: then it is usual. Returns which bytes differ from this line's, and perhaps others behind it.
    #[inline(always)]
    pub(super) fn advance(
        &mut self,
        text: &'a [u8],
        begin: usize,
        layout: &Layout,
        vectors: impl Vectors,
    ) -> Option<Bits> {
        let bytes = text.get(begin..)?.first_chunk::<WINDOW>()?;
        let (mut ink, mut differences, mut faults, mut inside) = ([0; LAYOUT_BLOCKS], [0; LAYOUT_BLOCKS], 0, 0);
        let blocks = bytes.as_chunks().0.iter().zip(self.bytes.as_chunks().0);
        for (block, (own, before)) in blocks.enumerate().take(LAYOUT_BLOCKS) {
            if block == layout.blocks {
                break;
            }
            let outline = vectors.outline(own);
            ink[block] = outline.ink & layout.own[block];
            let starts = ink[block] & !(ink[block] << 1 | inside);
            inside = ink[block] >> 63;
            let odd = outline.odd & (layout.own[block] | layout.feed[block]);
            faults |= starts ^ layout.starts[block] | odd ^ layout.feed[block];
            differences[block] = vectors.differences(own, before);
        }
        if faults != 0 || bytes[layout.length()] != b'\n' {
            return None;
        }
        self.bytes = bytes;
        self.ink[..LAYOUT_BLOCKS].copy_from_slice(&ink);
        Some(differences)
    }

    /// A bit for each byte that begins a word.
    #[inline(always)]
    pub(super) fn starts(&self) -> &[u64] {
        &self.starts[..self.blocks]
    }

    /// Where the first word begins, in bytes from the line's beginning.
    pub(super) fn first(&self) -> usize {
        self.bytes.iter().take_while(|&&c| c <= b' ').count()
    }

    /// The number of words.
    #[inline(always)]
    pub(super) fn words(&self) -> usize {
        self.starts().iter().map(|block| block.count_ones() as usize).sum()
    }

    /// The length of the word that begins at a byte of the line.
    #[inline(always)]
    pub(super) fn length_of(&self, begin: u8) -> usize {
        match self.ink_from(begin).trailing_ones() as usize {
            64 => self.length_of_long(usize::from(begin)),
            length => length,
        }
    }

    /// The bytes of words from a byte of the line on, as a bit for each.
    #[inline(always)]
    fn ink_from(&self, begin: u8) -> u64 {
        let (block, bit) = (usize::from(begin) / 64, begin % 64);
        self.ink[block] >> bit | self.ink[block + 1] << 1 << (63 - bit)
    }

    /// The lengths of three words, of which the first begins before the others, or none if they are long or far apart.
    #[inline(always)]
    pub(super) fn three_lengths(&self, begins: [u8; 3]) -> Option<[usize; 3]> {
        let ink = self.ink_from(begins[0]);
        let mut lengths = [0; 3];
        for (length, begin) in lengths.iter_mut().zip(begins) {
            let offset = begin.wrapping_sub(begins[0]);
            if offset > MOST_BETWEEN {
                return None;
            }
            *length = (ink >> offset).trailing_ones() as usize;
        }
        Some(lengths)
    }

    #[cold]
    fn length_of_long(&self, begin: usize) -> usize {
        self.bytes[begin..self.length].iter().take_while(|&&c| c > b' ').count()
    }

    /// Where words begin, in bytes from the line's beginning. Returns their number, which may be larger than there is room for.
    #[inline]
    pub(super) fn begins(&self, begins: &mut [u8]) -> usize {
        let mut count = 0;
        for (block, &starts) in self.starts().iter().enumerate() {
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
        for (block, &ink) in self.ink[..=self.blocks].iter().enumerate() {
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
        for (block, &starts) in self.starts().iter().enumerate() {
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
            let mut line = Line::new();
            if !line.read(self.0.as_bytes(), 0, vectors) {
                return None;
            }
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

    /// Reads a line, and then the next one if it has the first one's layout. Returns its words, and where it differs.
    struct Next<'a>(&'a [u8], usize);

    impl<'a> Task for Next<'a> {
        type Output = Option<(Vec<&'a [u8]>, u128)>;

        fn run(self, vectors: impl Vectors) -> Self::Output {
            let mut line = Line::new();
            assert!(line.read(self.0, 0, vectors));
            let [low, high] = line.advance(self.0, self.1 + 1, &line.layout()?, vectors)?;
            let mut begins = [0; 256];
            let count = line.begins(&mut begins);
            let words = begins[..count].iter().map(|&at| &line.bytes[usize::from(at)..][..line.length_of(at)]);
            Some((words.collect(), u128::from(low) | u128::from(high) << 64))
        }
    }

    #[test]
    fn lines_of_one_layout_are_usual() {
        let first = "ATOM 12  CA  . GLY ? -1.5   x;y";
        for (next, is_taken) in [
            ("ATOM 13  CB  . ALA A 12.625 x;y", false),
            ("ATOM 13  CB  . ALA A 12.625 xyz", true),
            ("ATOM 1   C   ' ALA ? 1      z  ", false),
            ("ATOM 1   C   . ALA ? 1      z  ", true),
            ("ATOM\t1   C   . ALA ? 1      z\r ", true),
            ("ATOM 1    C  . ALA ? 1      z  ", false),
            ("ATOM 12  CA  . GLY ? -1.5   xy ;ATOM", false),
            ("ATOM 12  CA  . GLY ? -1.5   xyz_ATOM", false),
            ("ATOM 12  CA  . GLY ? -1.5   xyz", true),
            ("ATOM 12  CA  . GLY ? -1.5   xy", false),
            ("ATOM 12  CA  . GLY ? -1.5   xyzz", false),
            ("ATOM 12  _A  . GLY ? -1.5   xyz", false),
            ("ATOM 12  #A  . GLY ? -1.5   xyz", false),
            ("ATOM 1\n  CA  . GLY ? -1.5   xyz", false),
            ("ATOM 1 2 CA  . GLY ? -1.5   xyz", false),
            ("ATOM 12  CA  .     ? -1.5   xyz", false),
        ] {
            // In one block, across the border of two, and in the second one.
            for width in [4, 45, 60, 66, 95] {
                let wide = |line: &str| line.replacen("ATOM", &format!("{:<width$}", "ATOM"), 1);
                let (first, next) = (wide(first), wide(next));
                let text = text_of(&format!("{first}\n{next}"));
                let found = masks::run(Next(text.as_bytes(), first.len()));
                let differ = |at: usize| first.as_bytes()[at] != text.as_bytes()[first.len() + 1 + at];
                let differences = (0..first.len()).fold(0, |all, at| all | u128::from(differ(at)) << at);
                let words = |text: &str| text.split_ascii_whitespace().map(|word| word.as_bytes().to_vec()).collect();
                let expected: Option<Vec<Vec<u8>>> = is_taken.then(|| words(&next));
                let own = |(words, bits): (Vec<&[u8]>, u128)| {
                    assert_eq!(bits & ((1 << first.len()) - 1), differences, "{next}");
                    words.into_iter().map(<[u8]>::to_vec).collect()
                };
                assert_eq!(found.map(own), expected, "{next} {width}");
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
