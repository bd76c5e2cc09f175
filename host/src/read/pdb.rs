//! PDB: fixed columns of `ATOM` and `HETATM` records, first model only.

use super::error::{Fault, Problem, bad_field};
use super::number::{decimal, fixed_8_3, pdb_residue_number};
use super::select::{Place, Record, Selection, Syntax, is_hydrogen, pack};
use memchr::{memchr, memchr2_iter};

/// Bytes of an atom's line, its end included.
pub(super) const ATOM_LINE: usize = 81;

pub(super) const SYNTAX: Syntax =
    Syntax { number_field: "residue number (columns 23-26)", residue_number: pdb_residue_number, b_factor };

/// An atom record up to its z coordinate: columns 1 to 54.
const NEEDED: usize = 54;
/// End of the B factor's columns.
const B_END: usize = 66;
/// End of the element's columns.
const ELEMENT_END: usize = 78;

/// What a file says beside its atoms.
pub(super) struct Found {
    /// Whether it names a predictor, so that its B column is a confidence.
    pub(super) predicted: bool,
    pub(super) warnings: Vec<String>,
}

/// Feeds the first model's records to the selection.
pub(super) fn read<'a>(text: &'a [u8], selection: &mut Selection<'a>) -> Result<Found, Fault> {
    let mut reader = AtomReader { selection, place: u64::MAX, wanted: true, atoms: 0, columns: 0 };
    let (mut predicted, mut experiment, mut in_model, mut offset) = (false, false, false, 0);
    while offset < text.len() {
        let rest = &text[offset..];
        let end = memchr(b'\n', rest);
        let mut line = &rest[..end.unwrap_or(rest.len())];
        if let [before @ .., b'\r'] = line {
            line = before;
        }
        match line.first_chunk() {
            Some(b"ATOM") if is_atom(line) => {
                reader.record(line, false, end.is_none()).map_err(|problem| Fault::at(offset, problem))?;
            }
            Some(b"HETA") if line.starts_with(b"HETATM") => {
                reader.record(line, true, end.is_none()).map_err(|problem| Fault::at(offset, problem))?;
            }
            Some(b"MODE") if line.starts_with(b"MODEL") && !line.get(5).is_some_and(u8::is_ascii_alphanumeric) => {
                if in_model {
                    break;
                }
                in_model = true;
            }
            Some(b"ENDM") if line.starts_with(b"ENDMDL") => break,
            Some(b"TITL" | b"REMA") => predicted = predicted || says_predicted(line),
            Some(b"EXPD") => experiment = line.starts_with(b"EXPDTA") && !has_word(line, b"MODEL"),
            None if end.is_none() && is_cut_record(line) && reader.atoms > 0 => {
                return Err(Fault::at(offset, cut_short(line, reader.columns)));
            }
            _ => {}
        }
        offset += line_length(end, rest);
    }
    if reader.atoms == 0 {
        return Err(Fault::whole(Problem::NoAtoms(why_no_atoms(text))));
    }
    let mut warnings = Vec::new();
    if predicted && experiment {
        let what = "the file has an experiment (EXPDTA) and names a predictor in TITLE or REMARK: its B factors are taken \
                    for a predictor's confidence and left out";
        warnings.push(what.to_owned());
    }
    Ok(Found { predicted, warnings })
}

fn has_word(line: &[u8], word: &[u8]) -> bool {
    line.windows(word.len()).any(|found| found == word)
}

fn line_length(end: Option<usize>, rest: &[u8]) -> usize {
    end.map_or(rest.len(), |end| end + 1)
}

/// `ATOM`, then blanks or a serial number that is too wide (never read). A tab is refused later, by the columns.
fn is_atom(line: &[u8]) -> bool {
    matches!(line.get(4), None | Some(b' ' | b'\t' | b'*' | b'0'..=b'9'))
}

struct AtomReader<'s, 'a> {
    selection: &'s mut Selection<'a>,
    /// Columns 22 to 27 of the record before: chain, number, insertion code. No text gives the first value.
    place: u64,
    /// Whether that record's chain is.
    wanted: bool,
    /// Records met.
    atoms: usize,
    /// Columns of the record before.
    columns: usize,
}

impl<'a> AtomReader<'_, 'a> {
    #[inline]
    fn record(&mut self, line: &'a [u8], hetatm: bool, last: bool) -> Result<(), Problem> {
        let before = std::mem::replace(&mut self.columns, line.len());
        self.atoms += 1;
        let Some(columns) = line.first_chunk::<NEEDED>() else {
            return Err(cut_short(line, before));
        };
        if last && is_shortened(line.len(), before) {
            return Err(cut_short(line, before));
        }
        let place = (u64::from_le_bytes(field(columns, 20)) >> 8) & 0x0000_ffff_ffff_ffff;
        if place != self.place {
            self.place = place;
            // Hybrid-36 numbers fill their columns, decimal ones stand anywhere in them.
            let number = &columns[22..26];
            let place = Place {
                chain: &columns[21..22],
                number: if number[0].is_ascii_alphabetic() { number } else { number.trim_ascii() },
                icode: columns[26..27].trim_ascii(),
            };
            self.wanted = self.selection.enter(place);
        }
        if !self.wanted {
            return Ok(());
        }
        let position = position(columns, line)?;
        if hetatm {
            return Ok(());
        }
        let name = name(u32::from_le_bytes([columns[12], columns[13], columns[14], columns[15]]));
        let hydrogen = match line.get(ELEMENT_END - 2..ELEMENT_END) {
            Some([b' ', b'C' | b'N' | b'O' | b'S']) => false,
            Some(element) => is_hydrogen(element.trim_ascii(), name.to_le_bytes().as_slice()),
            None => is_hydrogen(b"", name.to_le_bytes().as_slice()),
        };
        if name == 0 {
            return Err(bad_field("atom name (columns 13-16)", &columns[12..16], "is blank"));
        }
        self.selection.atom(&Record {
            residue: pack(&columns[17..20]),
            name: u64::from(name),
            alternate: u64::from(columns[16]),
            hydrogen,
            position,
            b_factor: line.get(B_END - 6..B_END).unwrap_or_default(),
        })
    }
}

/// The eight bytes from a column, counted from 0.
#[inline]
fn field(columns: &[u8; NEEDED], at: usize) -> [u8; 8] {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&columns[at..at + 8]);
    bytes
}

/// An atom name, packed, without the blanks around it.
#[inline]
fn name(columns: u32) -> u32 {
    const BLANKS: u32 = 0x2020_2020;
    let inked = columns ^ BLANKS;
    if inked == 0 {
        return 0;
    }
    let leading = inked.trailing_zeros() / 8;
    let trailing = inked.leading_zeros() / 8;
    (columns & (u32::MAX >> (8 * trailing))) >> (8 * leading)
}

const COORDINATES: [(usize, &str); 3] =
    [(30, "x (columns 31-38)"), (38, "y (columns 39-46)"), (46, "z (columns 47-54)")];

/// The coordinates in Å.
#[inline]
fn position(columns: &[u8; NEEDED], line: &[u8]) -> Result<[f64; 3], Problem> {
    let before_x_is_blank = columns[29] == b' ' || columns[30] == b' ';
    let after_z_is_blank = matches!(line.get(NEEDED), None | Some(b' '));
    match (fixed_8_3(field(columns, 30)), fixed_8_3(field(columns, 38)), fixed_8_3(field(columns, 46))) {
        (Some(x), Some(y), Some(z)) if before_x_is_blank && after_z_is_blank => Ok([x, y, z]),
        _ => unusual_position(line),
    }
}

/// Coordinates that are not all written `%8.3f` with blanks around the three.
#[cold]
fn unusual_position(line: &[u8]) -> Result<[f64; 3], Problem> {
    let mut position = [0.0; 3];
    for (value, (at, field)) in position.iter_mut().zip(COORDINATES) {
        *value = unusual_coordinate(line, at).map_err(|wrong| bad_field(field, &line[at..at + 8], wrong))?;
    }
    Ok(position)
}

fn unusual_coordinate(line: &[u8], at: usize) -> Result<f64, &'static str> {
    let columns = &line[at..at + 8];
    let text = columns.trim_ascii();
    if columns.contains(&b'\t') {
        return Err("holds a tab; PDB coordinates stand in fixed columns");
    }
    if text.is_empty() {
        return Err("is blank");
    }
    if text.contains(&b'*') {
        return Err("is stars: the coordinate did not fit when the file was written");
    }
    if text.contains(&b' ') {
        return Err("holds more than one number; the line's columns are shifted");
    }
    if memchr(b'.', text).is_none_or(|dot| text[dot + 1..].contains(&b'.')) {
        return Err("does not hold exactly one decimal point");
    }
    let value = decimal(text).ok_or("is no decimal number")?;
    let blank = |c: Option<&u8>| c.is_none_or(|&c| c == b' ');
    // Written `%8.3f` a number fills its columns and may touch its neighbours; any other must stand free.
    let standard = columns[4] == b'.' && columns[7] != b' ';
    let free_before = columns[0] == b' ' || blank(line.get(at - 1));
    let free_after = columns[7] == b' ' || blank(line.get(at + 8));
    let (first, last) = (at == 30, at == 46);
    if !free_before && (first || !standard) || !free_after && (!standard || last && !is_occupancy(line)) {
        return Err("runs over the border of its columns");
    }
    Ok(value)
}

/// Whether what follows a z that touches it is a whole field of its own, such as `100.00`, not z's last digits.
fn is_occupancy(line: &[u8]) -> bool {
    let columns = line.get(NEEDED..60).unwrap_or(&line[NEEDED..]);
    let text = columns.trim_ascii();
    text.contains(&b'.') && decimal(text).is_some()
}

/// A line that ends before its coordinates, or with the file and shorter than its neighbour.
#[cold]
fn cut_short(line: &[u8], before: usize) -> Problem {
    let columns = line.len();
    Problem::CutShort(if line.contains(&b'\t') {
        "the atom record holds tabs; PDB fields stand in fixed columns".to_owned()
    } else if columns < NEEDED {
        format!("the atom record ends at column {columns}, before its z coordinate does (column {NEEDED})")
    } else {
        format!(
            "the file ends inside this atom record, at column {columns} (the record before has {before}); it is cut"
        )
    })
}

/// Whether a last line without an end lost its B factor or element, which the record before has.
fn is_shortened(columns: usize, before: usize) -> bool {
    (columns < B_END && before >= B_END) || (columns < ELEMENT_END - 1 && before >= ELEMENT_END)
}

/// Whether the file's last bytes are the beginning of an atom record's name.
fn is_cut_record(line: &[u8]) -> bool {
    line.len() >= 2 && (b"ATOM".starts_with(line) || b"HETATM".starts_with(line))
}

fn b_factor(text: &[u8]) -> Option<f64> {
    decimal(text.trim_ascii())
}

/// Whether a TITLE or REMARK names a predictor or its confidence.
fn says_predicted(line: &[u8]) -> bool {
    // Each word has its D at a fixed distance from its end.
    const WORDS: [(&[u8], usize); 3] = [(b"ALPHAFOLD", 8), (b"ESMFOLD", 6), (b"PLDDT", 2)];
    memchr2_iter(b'D', b'd', line).any(|d| {
        WORDS.iter().any(|(word, before)| {
            let begin = d.checked_sub(*before);
            begin.and_then(|b| line.get(b..b + word.len())).is_some_and(|found| found.eq_ignore_ascii_case(word))
        })
    })
}

#[cold]
fn why_no_atoms(text: &[u8]) -> &'static str {
    let is_record = |line: &[u8]| line.starts_with(b"ATOM") || line.starts_with(b"HETATM");
    let mut lines = text.split(|&b| b == b'\n');
    if memchr(0, text).is_some() {
        "the file holds NUL bytes; it is no text file"
    } else if lines.any(|line| !is_record(line) && is_record(line.trim_ascii_start())) {
        "ATOM records do not begin in column 1; the lines are shifted"
    } else if text.trim_ascii().is_empty() {
        "the file is blank"
    } else {
        "no ATOM or HETATM record; is this a PDB or mmCIF file?"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_their_blanks() {
        for (columns, trimmed) in [(b" CA ", "CA"), (b"HG11", "HG11"), (b"   N", "N"), (b"O   ", "O"), (b" C A", "C A")]
        {
            assert_eq!(u64::from(name(u32::from_le_bytes(*columns))), pack(trimmed.as_bytes()), "{trimmed}");
        }
        assert_eq!(name(u32::from_le_bytes(*b"    ")), 0);
    }

    #[test]
    fn predictors_are_named_in_any_case() {
        for line in ["TITLE     ALPHAFOLD MONOMER V2.0", "REMARK  1 esmfold v1", "REMARK mean pLDDT 92", "REMARK PLDDT"]
        {
            assert!(says_predicted(line.as_bytes()), "{line}");
        }
        for line in ["TITLE     ALPHA FOLD", "REMARK PLDD", "REMARK FOLD", "REMARK D", "TITLE DDDD"] {
            assert!(!says_predicted(line.as_bytes()), "{line}");
        }
    }
}
