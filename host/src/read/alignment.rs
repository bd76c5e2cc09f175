//! Rows of a table that stand under each other, as the wwPDB and AlphaFold DB write them: every value begins in the
//! column of its line where the one above it does.
//!
//! Such a line need not be split into words. It is compared with the line above: where that differs only in values that
//! change from atom to atom, it is the same residue's next atom.

use super::masks;
use memchr::memchr;

/// Blocks of 64 bytes that a line may take.
const BLOCKS: usize = 4;

/// Where a line's values begin, and which of its bytes may differ from the line above.
pub(super) struct Alignment {
    /// Bytes before the line's end.
    length: usize,
    /// Where each value begins, in bytes from the line's begin.
    begins: Vec<usize>,
    /// A bit for each byte that begins a value.
    starts: [u64; BLOCKS],
    /// A bit for each byte that must be as in the line above: the line's end, and all but the free values.
    fixed: [u64; BLOCKS],
}

impl Alignment {
    /// The alignment of a row, given by the edges of its values (begin and end of each) and the columns that are free to
    /// differ. `None` for a row that is no line, or is a long one.
    pub(super) fn of(text: &[u8], edges: &[usize], free: &[usize]) -> Option<Self> {
        let begin = *edges.first()?;
        let length = line_length(text, edges)?;
        // A `;` that begins a line is another thing than one inside it.
        if length >= 64 * BLOCKS || !text[begin].is_ascii_alphanumeric() {
            return None;
        }
        let begins: Vec<usize> = edges.iter().step_by(2).map(|at| at - begin).collect();
        let (mut starts, mut fixed) = ([0; BLOCKS], [0; BLOCKS]);
        begins.iter().for_each(|&at| starts[at / 64] |= 1 << (at % 64));
        (0..=length).for_each(|at| fixed[at / 64] |= 1 << (at % 64));
        for &column in free {
            // The blank before the next value stays.
            let next = begins.get(column + 1).map_or(length, |next| next - 1);
            (begins[column]..next).for_each(|at| fixed[at / 64] &= !(1 << (at % 64)));
        }
        Some(Self { length, begins, starts, fixed })
    }

    /// Whether a row that was read in another way has this alignment.
    pub(super) fn fits(&self, text: &[u8], edges: &[usize]) -> bool {
        let begin = edges[0];
        self.begins.iter().zip(edges.as_chunks::<2>().0).all(|(at, edges)| begin + at == edges[0])
            && line_length(text, edges) == Some(self.length)
            && text[begin].is_ascii_alphanumeric()
    }

    /// Bytes from the begin of a line to that of the next.
    #[inline]
    pub(super) fn stride(&self) -> usize {
        self.length + 1
    }

    /// Where a column's values begin, in bytes from the line's begin.
    pub(super) fn begin_of(&self, column: usize) -> usize {
        self.begins[column]
    }

    /// Whether the line after the aligned one at `begin` is aligned, too, and the same bytes outside the free columns.
    ///
    /// It then has as many values, which begin where those above do. What the free ones are is not looked at: a quote
    /// may open there, or a comment begin. False, too, where fewer than 64 bytes of text follow.
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
            // Bytes after the line's end are not its own.
            let own = u64::MAX >> (63 - (self.length - 64 * block).min(63));
            wrong |= (starts ^ self.starts[block]) & own | masks::differences(above, line) & self.fixed[block];
        }
        wrong == 0
    }
}

/// Bytes of a row that is one line, with nothing but blanks after its last value; `None` for any other.
fn line_length(text: &[u8], edges: &[usize]) -> Option<usize> {
    let (begin, last) = (*edges.first()?, *edges.last()?);
    let length = memchr(b'\n', &text[begin..])?;
    let rest = text.get(last..begin + length)?;
    rest.iter().all(|&c| c <= b' ').then_some(length)
}
