//! Fields in the columns of an atom's record.

use super::parts::LineResidue;
use super::{NEEDED, hetatm_in_any_case};
use crate::atoms::element;
use crate::error::{Problem, bad_field};
use crate::fixed::{fixed_8_3, three_fixed_8_3};
use crate::number::decimal;
use crate::select::ResidueId;
use memchr::memchr;

/// End of the B factor's columns.
pub(super) const B_END: usize = 66;
/// End of the element's columns.
pub(super) const ELEMENT_END: usize = 78;

/// The eight bytes from column `at`, counted from 0.
#[inline]
pub(super) fn field(columns: &[u8; NEEDED], at: usize) -> [u8; 8] {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&columns[at..at + 8]);
    bytes
}

/// An atom name, packed, without the blanks around it.
#[inline]
pub fn name(columns: u32) -> u32 {
    const BLANKS: u32 = 0x2020_2020;
    let inked = columns ^ BLANKS;
    if inked == 0 {
        return 0;
    }
    let leading = inked.trailing_zeros() / 8;
    let trailing = inked.leading_zeros() / 8;
    (columns & (u32::MAX >> (8 * trailing))) >> (8 * leading)
}

/// The symbol of an atom's element.
#[inline]
pub(super) fn element_of(line: &[u8]) -> u16 {
    match line.get(ELEMENT_END - 2..ELEMENT_END) {
        Some(&[b' ', symbol @ (b'C' | b'N' | b'O' | b'S' | b'H')])
            if matches!(line.get(ELEMENT_END), None | Some(b' ')) =>
        {
            u16::from(symbol)
        }
        _ => element(symbol_of(line)),
    }
}

/// The symbol of an atom's element as it is written; empty if there is none. PDBQT has atom types, one column later: `A` is an aromatic
/// carbon, others have a second letter.
#[inline]
pub(super) fn symbol_of(line: &[u8]) -> &[u8] {
    let symbol = line.get(ELEMENT_END - 2..ELEMENT_END).unwrap_or_default();
    match (symbol, line.get(ELEMENT_END)) {
        ([b' ', b'A'], None | Some(b' ')) => b"C",
        ([b' ', _], Some(second)) if second.is_ascii_lowercase() => &line[ELEMENT_END - 1..=ELEMENT_END],
        _ => symbol.trim_ascii(),
    }
}

/// The error for an atom without a name.
#[cold]
pub(super) fn no_atom_name(columns: &[u8]) -> Problem {
    bad_field("atom name (columns 13-16)", columns, "is blank")
}

/// The segment id, packed: columns 73 to 76 of a line, or of a text that begins with it; 0 if they hold something else, such
/// as the charges of PDBQT.
#[inline]
pub(super) fn segment(line: &[u8]) -> u64 {
    match line.get(71..76) {
        Some(b"     ") => 0,
        Some(&[b' ', a, b, c, d]) => {
            let is_id =
                [a, b, c, d].iter().all(|c| c.is_ascii_alphanumeric() || matches!(c, b' ' | b'_' | b'-' | b'+'));
            if is_id { u64::from(name(u32::from_le_bytes([a, b, c, d]))) } else { 0 }
        }
        _ => 0,
    }
}

/// The segment ids of lines. Mostly that of a line is that of the line before.
pub(super) struct Segments {
    columns: [u8; 5],
    id: u64,
}

impl Segments {
    pub(super) const NEW: Self = Self { columns: [b' '; 5], id: 0 };

    /// As [`segment`].
    #[inline]
    pub(super) fn of(&mut self, line: &[u8]) -> u64 {
        let Some(columns) = line.get(71..).and_then(<[u8]>::first_chunk) else { return 0 };
        if self.columns != *columns {
            *self = Self { columns: *columns, id: segment(line) };
        }
        self.id
    }
}

const COORDINATES: [(usize, &str); 3] =
    [(30, "x (columns 31-38)"), (38, "y (columns 39-46)"), (46, "z (columns 47-54)")];

/// The coordinates in Å.
#[inline]
pub fn position(columns: &[u8; NEEDED], line: &[u8]) -> Result<[f64; 3], Problem> {
    match usual_position(columns, line) {
        Some(position) => Ok(position),
        None => unusual_position(line),
    }
}

/// Coordinates that are all written as `%8.3f`, surrounded by blanks.
// Inlined: it is called for each atom.
#[inline(always)]
pub(super) fn usual_position(columns: &[u8; NEEDED], line: &[u8]) -> Option<[f64; 3]> {
    let before_x_is_blank = columns[29] == b' ' || columns[30] == b' ';
    let after_z_is_blank = matches!(line.get(NEEDED), None | Some(b' '));
    if !(before_x_is_blank && after_z_is_blank) {
        return None;
    }
    three_fixed_8_3([field(columns, 30), field(columns, 38), field(columns, 46)])
}

/// Coordinates that are not all written as `%8.3f` surrounded by blanks.
#[cold]
fn unusual_position(line: &[u8]) -> Result<[f64; 3], Problem> {
    if let Some(shifted) = shifted(line) {
        let wrong = if shifted.by < 0 {
            "begins columns too early, as does the rest of its line: write the file again, with each field in its columns"
        } else {
            "begins columns too late, as does the rest of its line: write the file again, with each field in its columns"
        };
        return Err(bad_field(COORDINATES[0].1, &line[30..38], wrong));
    }
    let mut position = [0.0; 3];
    for (value, (at, field)) in position.iter_mut().zip(COORDINATES) {
        *value = unusual_coordinate(line, at).map_err(|wrong| bad_field(field, &line[at..at + 8], wrong))?;
    }
    Ok(position)
}

/// What a line holds whose residue and coordinates stand some columns beside their places.
pub(super) struct Shifted {
    /// Columns to the right, or, if negative, to the left.
    by: isize,
    /// The packed name of its residue.
    pub(super) residue: u32,
    pub(super) chain: u8,
}

/// Finds out whether a line is shifted, as where blanks before its residue were lost or added. Blanks between the coordinates would let
/// parts of two fields pass for numbers, and another name, chain and number be read.
pub(super) fn shifted(line: &[u8]) -> Option<Shifted> {
    /// Columns: more are beyond the blanks before a residue's number.
    const MOST: isize = 4;
    (-MOST..=MOST).filter(|&by| by != 0).find_map(|by| {
        let at = |column: usize| column.strict_add_signed(by);
        let columns = line.get(..at(NEEDED))?;
        let is_coordinate =
            |column| columns[at(column)..].first_chunk().is_some_and(|&field| fixed_8_3(field).is_some());
        // Column 21 is blank, column 26 ends the number, and column 27 is an insertion code or blank.
        let is_shifted = [30, 38, 46].into_iter().all(is_coordinate)
            && columns[at(20)] == b' '
            && columns[at(25)].is_ascii_alphanumeric()
            && !columns[at(26)].is_ascii_digit()
            && columns[at(27)..at(30)] == *b"   ";
        let residue = name(u32::from_le_bytes([columns[at(17)], columns[at(18)], columns[at(19)], b' ']));
        is_shifted.then_some(Shifted { by, residue, chain: columns[at(21)] })
    })
}

/// What the columns of an atom's line say about its residue.
pub(super) fn line_residue(line: &[u8]) -> Option<LineResidue<'_>> {
    let columns = line.get(..NEEDED)?;
    let hetatm = hetatm_in_any_case(line)?;
    let id = ResidueId { chain: &columns[21..22], number: &columns[22..26], icode: &columns[26..27] };
    Some(LineResidue { name: &columns[17..21], id, hetatm, segment: segment(line) })
}

fn unusual_coordinate(line: &[u8], at: usize) -> Result<f64, &'static str> {
    let columns = &line[at..at + 8];
    let text = columns.trim_ascii();
    if columns.contains(&b'\t') {
        return Err("holds a tab; PDB coordinates have fixed columns");
    }
    if text.is_empty() {
        return Err("is blank");
    }
    if text.contains(&b'*') {
        return Err("consists of stars: the coordinate did not fit when the file was written");
    }
    if text.contains(&b' ') {
        return Err("holds more than one number; the line's columns are shifted");
    }
    if memchr(b'.', text).is_none_or(|dot| text[dot + 1..].contains(&b'.')) {
        return Err("does not hold exactly one decimal point");
    }
    let value = decimal(text).ok_or("is not a decimal number")?;
    let blank = |c: Option<&u8>| c.is_none_or(|&c| c == b' ');
    // A number written as `%8.3f` fills its columns and may touch its neighbours; any other must be surrounded by blanks.
    let standard = columns[4] == b'.' && columns[7] != b' ';
    let free_before = columns[0] == b' ' || blank(line.get(at - 1));
    let free_after = columns[7] == b' ' || blank(line.get(at + 8));
    let (first, last) = (at == 30, at == 46);
    if !free_before && (first || !standard) || !free_after && (!standard || last && !is_occupancy(line)) {
        return Err("runs over the border of its columns");
    }
    Ok(value)
}

/// Whether the text that touches z is a complete field, such as `100.00`, rather than the last digits of z.
fn is_occupancy(line: &[u8]) -> bool {
    let columns = line.get(NEEDED..60).unwrap_or(&line[NEEDED..]);
    let text = columns.trim_ascii();
    text.contains(&b'.') && decimal(text).is_some()
}

/// The error for a line that ends before its coordinates, or with the file and shorter than the record before.
#[cold]
pub(super) fn cut_short(line: &[u8], before: usize) -> Problem {
    let columns = line.len();
    Problem::CutShort(if line.contains(&b'\t') {
        "the atom record holds tabs; PDB fields have fixed columns".to_owned()
    } else if columns < NEEDED {
        format!("the atom record ends at column {columns}, before its z coordinate does (column {NEEDED})")
    } else {
        format!(
            "the file ends inside this atom record, at column {columns} (the record before has {before}); it is cut"
        )
    })
}

/// Whether the file's last line, which has no line feed, lost a B factor or element that the record before has.
pub(super) fn is_shortened(columns: usize, before: usize) -> bool {
    (columns < B_END && before >= B_END) || (columns < ELEMENT_END - 1 && before >= ELEMENT_END)
}

/// Whether the file's last bytes are the beginning of an atom record's name.
pub(super) fn is_cut_record(line: &[u8]) -> bool {
    line.len() >= 2 && (b"ATOM".starts_with(line) || b"HETATM".starts_with(line))
}

/// Whether a line has numbers in the columns of an atom's coordinates.
pub(super) fn has_coordinates(line: &[u8]) -> bool {
    line.first_chunk::<NEEDED>().is_some_and(|columns| {
        [30, 38, 46].into_iter().all(|at| fixed_8_3(field(columns, at)).is_some())
            && columns[22..26].iter().any(u8::is_ascii_digit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::word::pack;

    #[test]
    fn names_lose_their_blanks() {
        for (columns, trimmed) in [(b" CA ", "CA"), (b"HG11", "HG11"), (b"   N", "N"), (b"O   ", "O"), (b" C A", "C A")]
        {
            assert_eq!(u64::from(name(u32::from_le_bytes(*columns))), pack(trimmed.as_bytes()), "{trimmed}");
        }
        assert_eq!(name(u32::from_le_bytes(*b"    ")), 0);
    }
}
