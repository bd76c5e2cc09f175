//! The residue of a record: its chain, number and insertion code.
//!
//! Four columns hold numbers up to 9999. Programs write larger ones in several ways, and a reader finds out which:
//!
//! | program | 10000 | 10010 | 10016 | 10036 |
//! |---|---|---|---|---|
//! | cctbx, Phenix (hybrid-36) | `A000` | `A00A` | `A00G` | `A010` |
//! | OpenMM (hexadecimal from A000 on) | `A000` | `A00A` | `A010` | `A024` |
//! | Chimera (a letter and decimal digits) | `A000` | `A010` | `A016` | `A036` |
//! | VMD (hexadecimal) | `2710` | `271a` | `2720` | `2734` |

use super::NEEDED;
use super::column_21::Column21;
use super::columns::{field, line_residue};
use crate::error::{Problem, bad_field};
use crate::lines::lines;
use crate::number::pdb_residue_number;
use crate::select::ResidueId;

/// How a file writes residue numbers beyond 9999.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Large {
    /// No number so far was beyond 9999.
    None,
    /// Each number by itself says what it is: decimal or hybrid-36.
    ByThemselves,
    /// Hexadecimal, or a letter and decimal digits, from `A000` on.
    FromA000,
    /// Hexadecimal from 2710 on, as long as numbers rise.
    Hexadecimal,
}

/// What the columns of a record say about its residue.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    pub(crate) id: ResidueId<'a>,
    /// End of the residue's name, which has columns 18 to 20 or 18 to 21.
    pub(crate) name_end: usize,
}

/// Finds the residues of a model's records. What some columns mean depends on the records before, so each record is asked for in order,
/// but for those whose columns are those of the record before (see [`place_columns`]).
pub(crate) struct Places<'a> {
    text: &'a [u8],
    /// Whether column 21 may have the fourth letter of a name.
    takes_four_letters: bool,
    column_21: Column21<'a>,
    /// Whether a chain `-` has occurred with an unambiguous number.
    has_dash: bool,
    /// Chain and number of the residue before.
    number: (&'a [u8], &'a [u8]),
    large: Large,
    /// The rule for numbers from here on, and how it is said, where it changes.
    changed: Option<(NumberRule, Option<&'static str>)>,
}

/// Columns 21 to 27, chain, number, insertion code and perhaps the last letter of a name: as a number that no other columns have.
#[inline]
pub(super) fn place_columns(columns: &[u8; NEEDED]) -> u64 {
    u64::from_le_bytes(field(columns, 20)) & 0x00ff_ffff_ffff_ffff
}

impl<'a> Places<'a> {
    pub(super) fn new(text: &'a [u8], takes_four_letters: bool) -> Self {
        Self {
            text,
            takes_four_letters,
            column_21: Column21::new(text),
            has_dash: false,
            number: (b"", b""),
            large: Large::None,
            changed: None,
        }
    }

    /// Finds those of another model of the text.
    pub(super) fn of_next_model(&self) -> Self {
        Self { column_21: self.column_21.of_next_model(), ..Self::new(self.text, self.takes_four_letters) }
    }

    /// The rule for the numbers of this record and those that follow, if it is another one than before, and what is to be said about it.
    #[inline]
    pub(super) fn changed_rule(&mut self) -> Option<(NumberRule, Option<&'static str>)> {
        self.changed.take()
    }

    /// The residue of a record.
    pub(super) fn of(&mut self, columns: &'a [u8; NEEDED]) -> Result<Place<'a>, Problem> {
        let (mut chain, mut number, mut icode) = (&columns[21..22], &columns[22..26], columns[26..27].trim_ascii());
        let is_number = |text: &[u8]| text.iter().all(u8::is_ascii_digit);
        let mut name_end = 20;
        if columns[20] == b' ' {
            self.column_21.see_plain(columns[21]);
        } else {
            let (end, begin) = self.column_21.divide(columns);
            chain = &columns[begin..22];
            if self.takes_four_letters {
                name_end = end;
            }
        }
        if chain == b"-" && is_number(number) && !self.has_dash {
            let wrong = "is a number of five columns that overwrites the chain id: the chain is lost";
            return Err(bad_field("residue number (columns 22-26)", &columns[21..26], wrong));
        }
        self.has_dash |= chain == b"-";
        // Five columns of digits are one number, because an insertion code is a letter; short numbers excepted.
        if columns[26].is_ascii_digit() && is_number(&columns[22..26]) {
            (number, icode) = (&columns[22..27], b"");
        }
        if chain[0].is_ascii_digit() && is_number(number) && self.goes_on_in_column_22(columns) {
            (chain, number, icode) = (b" ", &columns[21..26], columns[26..27].trim_ascii());
        }
        // Numbers with letters fill their columns, decimal numbers stand anywhere in them.
        let number = if number[0].is_ascii_alphabetic() { number } else { number.trim_ascii() };
        self.number_as_before(chain, number);
        Ok(Place { id: ResidueId { chain, number, icode }, name_end })
    }

    /// Whether the five columns that begin with the chain id hold the number after those of a chain without an id, which have four.
    #[cold]
    fn goes_on_in_column_22(&self, columns: &[u8; NEEDED]) -> bool {
        /// Numbers that may be missing at the change to five columns.
        const GAP: i32 = 100;
        let (chain, before) = self.number;
        let (before, number) = (pdb_residue_number(before), pdb_residue_number(&columns[21..26]));
        chain == b" " && before.zip(number).is_some_and(|(before, number)| (before..before + GAP).contains(&number))
    }

    /// Finds out how numbers beyond 9999 are written where the first of them comes. They are those of protein and of any
    /// other atoms, such as water before it.
    #[inline]
    fn number_as_before(&mut self, chain: &'a [u8], number: &'a [u8]) {
        let before = std::mem::replace(&mut self.number, (chain, number));
        let has_letter = number.len() == 4 && number.iter().any(u8::is_ascii_alphabetic);
        let is_first = before.1.is_empty() && number.len() == 4;
        if has_letter || is_first || self.large == Large::Hexadecimal || before.1 == b"9999" && number == b"2710" {
            self.number_beyond_9999(before, number, has_letter);
        }
    }

    #[cold]
    fn number_beyond_9999(&mut self, before: (&'a [u8], &'a [u8]), number: &'a [u8], has_letter: bool) {
        match self.large {
            Large::Hexadecimal if number.len() < 4 || self.number.0 != before.0 && !has_letter => {
                self.large = Large::None;
                self.changed = Some((pdb_residue_number, None));
            }
            Large::None if before.1.is_empty() && !has_letter && !begins_hexadecimal(self.text) => {}
            Large::None if !has_letter || number[0].is_ascii_digit() => {
                self.large = Large::Hexadecimal;
                self.changed = Some((
                    hexadecimal,
                    Some("residue numbers beyond 9999 are read as hexadecimal, as VMD writes them"),
                ));
            }
            Large::None => match from_a000(self.text) {
                None => self.large = Large::ByThemselves,
                Some((rule, said)) => {
                    self.large = Large::FromA000;
                    self.changed = Some((rule, Some(said)));
                }
            },
            _ => {}
        }
    }
}

/// How the text of a residue's number becomes its value.
pub(super) type NumberRule = fn(&[u8]) -> Option<i32>;

const AS_OPENMM: &str = "residue numbers beyond 9999 are read as OpenMM writes them";
const AS_CHIMERA: &str = "residue numbers beyond 9999 are read as Chimera writes them";

/// The rule by which the numbers of a text go on where a last digit becomes 0, and how it is said; `None` for hybrid-36, and if none does.
fn from_a000(text: &[u8]) -> Option<(NumberRule, &'static str)> {
    let numbers = lines(text).filter_map(|(_, line)| line_residue(line)).map(|residue| residue.id.number);
    let mut before: &[u8] = b"";
    for number in numbers.filter(|number| number[0].is_ascii_alphabetic()) {
        let follows = |rule: NumberRule| {
            rule(before).and_then(|before| before.checked_add(1)).is_some_and(|next| rule(number) == Some(next))
        };
        let rules = [pdb_residue_number, hexadecimal_from_a000, decimal_from_a000].map(follows);
        match rules {
            [true, false, false] => return None,
            [false, true, false] => return Some((hexadecimal_from_a000, AS_OPENMM)),
            [false, false, true] => return Some((decimal_from_a000, AS_CHIMERA)),
            _ if number.iter().any(|digit| !digit.is_ascii_hexdigit()) => return None,
            _ => before = number,
        }
    }
    None
}

/// Whether the first number of a text that has a letter follows the one before it as hexadecimal numbers do, and does not begin with the
/// letter: 2719, 271a. Such a file begins beyond 9999.
fn begins_hexadecimal(text: &[u8]) -> bool {
    let mut before: &[u8] = b"";
    for number in lines(text).filter_map(|(_, line)| line_residue(line)).map(|residue| residue.id.number) {
        if number.iter().any(u8::is_ascii_alphabetic) {
            let next = hexadecimal(before).and_then(|before| before.checked_add(1));
            return number[0].is_ascii_digit() && before.len() == 4 && next.is_some() && hexadecimal(number) == next;
        }
        if hexadecimal(number) < hexadecimal(before) {
            return false;
        }
        before = number;
    }
    false
}

fn hexadecimal(text: &[u8]) -> Option<i32> {
    match text.first()? {
        b'-' => pdb_residue_number(text),
        _ if text.len() < 4 => pdb_residue_number(text),
        _ => i32::from_str_radix(std::str::from_utf8(text).ok()?, 16).ok(),
    }
}

fn hexadecimal_from_a000(text: &[u8]) -> Option<i32> {
    match text {
        [b'A'..=b'F', ..] => hexadecimal(text).map(|value| value - 0xa000 + 10_000),
        _ => pdb_residue_number(text),
    }
}

fn decimal_from_a000(text: &[u8]) -> Option<i32> {
    match text {
        [letter @ b'A'..=b'Z', digits @ ..] if digits.iter().all(u8::is_ascii_digit) => {
            pdb_residue_number(digits).map(|value| 10_000 + 1000 * i32::from(letter - b'A') + value)
        }
        _ => pdb_residue_number(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines of water whose numbers follow each other.
    fn text(numbers: &[&str]) -> Vec<u8> {
        let line =
            |number: &&str| format!("ATOM      1  O   HOH A{number:>4}       1.000   2.000   3.000  1.00  0.00\n");
        numbers.iter().map(line).collect::<String>().into_bytes()
    }

    #[test]
    fn the_rule_shows_where_a_digit_carries() {
        let of = |numbers: &[&str]| from_a000(&text(numbers)).map(|(rule, said)| (rule(b"A010"), said));
        assert_eq!(of(&["9999", "A000", "A009", "A00A", "A00F", "A010"]), Some((Some(10_016), AS_OPENMM)));
        assert_eq!(of(&["9999", "A000", "A009", "A010"]), Some((Some(10_010), AS_CHIMERA)));
        for hybrid in [&["A00F", "A00G", "A00Z", "A010"][..], &["A00Z", "A010"], &["A000", "A009", "A00A"], &["A010"]] {
            assert_eq!(of(hybrid), None, "{hybrid:?}");
        }
    }
}
