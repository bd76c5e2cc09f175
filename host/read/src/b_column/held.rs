//! What a file says that its B column holds, if it is neither a B factor nor a predictor's confidence: a REMARK of PDB, an item of mmCIF.

use crate::cif::unquote;
use crate::lines::lines;
use crate::pdb::hetatm;
use memchr::memmem;
use std::borrow::Cow;

/// REMARK 6 to 99 are free text.
const REMARK: &[u8] = b"REMARK  99 B COLUMN HOLDS ";
/// Columns of a PDB record.
const RECORD: usize = 80;
pub(crate) const ITEM: &str = "_prism_b_column.holds";
/// Names of values that a B column may always hold.
pub(crate) const B_FACTOR: &str = "b_factor";
pub(crate) const PLDDT: &str = "plddt";

/// The records of a PDB file before its remarks.
const TITLES: [&[u8]; 15] = [
    b"HEADER", b"OBSLTE", b"TITLE ", b"SPLIT ", b"CAVEAT", b"COMPND", b"SOURCE", b"KEYWDS", b"EXPDTA", b"NUMMDL",
    b"MDLTYP", b"AUTHOR", b"REVDAT", b"SPRSDE", b"JRNL  ",
];

/// The name of what the column holds.
pub(crate) fn name(held: &str) -> &str {
    held.split([' ', ',', ';']).next().unwrap_or_default()
}

/// Whether values are neither B factors nor confidences.
pub(crate) fn are_others(held: &[u8]) -> bool {
    std::str::from_utf8(held).is_ok_and(|held| !matches!(name(held), B_FACTOR | PLDDT))
}

/// What a line of a PDB file says that the B column holds.
pub(crate) fn of_record(line: &[u8]) -> Option<&[u8]> {
    line.strip_prefix(REMARK).map(<[u8]>::trim_ascii).filter(|held| !held.is_empty())
}

/// What a PDB file says that its B column holds.
pub(crate) fn of_pdb(text: &[u8]) -> Option<&[u8]> {
    // Few files have the words anywhere.
    memmem::find(text, REMARK)?;
    lines(text).map(|(_, line)| line).take_while(|line| hetatm(line).is_none()).find_map(of_record)
}

/// What an mmCIF file says that its B column holds.
pub(crate) fn of_cif(text: &[u8]) -> Option<&[u8]> {
    let begin = memmem::find(text, format!("\n{ITEM}").as_bytes())? + 1 + ITEM.len();
    let line = text[begin..].split(|&c| c == b'\n').next()?.trim_ascii();
    Some(unquote(line)).filter(|held| !held.is_empty())
}

/// The words as both formats can have them: printable ASCII without quotes.
fn plain(holds: &str) -> String {
    let letter = |c: char| match c {
        'Å' => 'A',
        '°' => 'd',
        '\'' | '"' => ' ',
        c if c.is_ascii_graphic() || c == ' ' => c,
        _ => '?',
    };
    holds.chars().map(letter).collect()
}

/// The line that says it in PDB.
pub(super) fn remark(holds: &str) -> Vec<u8> {
    let mut line = [REMARK, plain(holds).as_bytes()].concat();
    line.truncate(RECORD);
    line.push(b'\n');
    line
}

/// The lines that say it in mmCIF.
pub(super) fn item(holds: &str) -> Vec<u8> {
    format!("{ITEM}   '{}'\n", plain(holds)).into_bytes()
}

/// Where the remark belongs in a PDB file: behind the titles and the remarks of lower numbers.
pub(super) fn place_of_remark(text: &[u8]) -> usize {
    let is_before = |line: &[u8]| {
        let number = || std::str::from_utf8(line.get(6..10).unwrap_or_default()).ok()?.trim().parse::<u32>().ok();
        TITLES.iter().any(|title| line.starts_with(title))
            || line.starts_with(b"REMARK") && number().is_none_or(|number| number < 100)
    };
    lines(text).find(|(_, line)| !is_before(line)).map_or(text.len(), |(at, _)| at)
}

/// The text without what it said before.
pub(super) fn without(text: &[u8], is_cif: bool) -> Cow<'_, [u8]> {
    let found = if is_cif { of_cif(text) } else { of_pdb(text) };
    if found.is_none() {
        return Cow::Borrowed(text);
    }
    let begins = |line: &[u8]| if is_cif { line.starts_with(ITEM.as_bytes()) } else { of_record(line).is_some() };
    let kept = text.split_inclusive(|&c| c == b'\n').filter(|line| !begins(line));
    Cow::Owned(kept.flatten().copied().collect())
}
