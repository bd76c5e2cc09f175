//! Aligned rows of a table, as the wwPDB and AlphaFold DB write them: every value begins in the same column of its line as
//! the value above it.
//!
//! Such a line need not be split into words. It is compared with the line above. If the lines differ only in values that
//! change from atom to atom, the line is the next atom of the same residue.

use super::masks;
use memchr::memchr;

/// Longest line, in blocks of 64 bytes.
const BLOCKS: usize = 4;

/// The columns where a line's values begin, and the bytes that may differ from the line above.
pub(super) struct Alignment {
    /// Bytes before the end of the line.
    length: usize,
    /// Offset of each value from the start of the line, in bytes.
    begins: Vec<usize>,
    /// A bit for each byte that begins a value.
    starts: [u64; BLOCKS],
    /// A bit for each byte that must equal the one above: the line's end and everything except the free values.
    fixed: [u64; BLOCKS],
}

impl Alignment {
    /// The alignment of a row, given the edges (begin and end) of its values and the columns that may differ. `None` if the
    /// row is not one line, or is too long.
    pub(super) fn of(text: &[u8], edges: &[usize], free: &[usize]) -> Option<Self> {
        let begin = *edges.first()?;
        let length = line_length(text, edges)?;
        // A `;` at the start of a line has another meaning than inside it.
        if length >= 64 * BLOCKS || !text[begin].is_ascii_alphanumeric() {
            return None;
        }
        let begins: Vec<usize> = edges.iter().step_by(2).map(|at| at - begin).collect();
        let (mut starts, mut fixed) = ([0; BLOCKS], [0; BLOCKS]);
        begins.iter().for_each(|&at| starts[at / 64] |= 1 << (at % 64));
        (0..=length).for_each(|at| fixed[at / 64] |= 1 << (at % 64));
        for &column in free {
            // The blank before the next value stays fixed.
            let next = begins.get(column + 1).map_or(length, |next| next - 1);
            (begins[column]..next).for_each(|at| fixed[at / 64] &= !(1 << (at % 64)));
        }
        Some(Self { length, begins, starts, fixed })
    }

    /// Whether a row that was read word by word has this alignment.
    pub(super) fn fits(&self, text: &[u8], edges: &[usize]) -> bool {
        let begin = edges[0];
        self.begins.iter().zip(edges.as_chunks::<2>().0).all(|(at, edges)| begin + at == edges[0])
            && line_length(text, edges) == Some(self.length)
            && text[begin].is_ascii_alphanumeric()
    }

    /// Bytes from the start of a line to the start of the next.
    #[inline]
    pub(super) fn stride(&self) -> usize {
        self.length + 1
    }

    /// Offset of a column's values from the start of the line, in bytes.
    pub(super) fn begin_of(&self, column: usize) -> usize {
        self.begins[column]
    }

    /// Whether the line after the aligned one at `begin` is aligned, too, and equals it outside the free columns.
    ///
    /// If so, it has the same number of values, at the same offsets. The free values are not examined: a quote may open
    /// there, or a comment may begin. Returns false if fewer than 64 bytes of text follow.
    #[inline]
    pub(super) fn continues(&self, text: &[u8], begin: usize) -> bool {
        let (Some(above), Some(line)) = (text.get(begin..), text.get(begin + self.stride()..)) else { return false };
        if memchr(b'\n', line) != Some(self.length) {
            return false;
        }
        let (above, line) = (above.as_chunks::<64>().0, line.as_chunks::<64>().0);
        let blocks = self.stride().div_ceil(64);
        if line.len() < blocks {
            return false;
        }
        let (mut wrong, mut inside) = (0, 0);
        for (block, (above, line)) in above.iter().zip(line).take(blocks).enumerate() {
            let ink = masks::ink(line);
            let starts = ink & !(ink << 1 | inside);
            inside = ink >> 63;
            // Ignore bytes after the line's end.
            let own = u64::MAX >> (63 - (self.length - 64 * block).min(63));
            wrong |= (starts ^ self.starts[block]) & own | masks::differences(above, line) & self.fixed[block];
        }
        wrong == 0
    }
}

/// Length of a row that is one line with only blanks after its last value; `None` for any other row.
fn line_length(text: &[u8], edges: &[usize]) -> Option<usize> {
    let (begin, last) = (*edges.first()?, *edges.last()?);
    let length = memchr(b'\n', &text[begin..])?;
    let rest = text.get(last..begin + length)?;
    rest.iter().all(|&c| c <= b' ').then_some(length)
}
