//! What a PDB file says about itself: `HEADER`, `COMPND`, `SOURCE` and `AUTHOR`, in mmCIF's words and order.

use super::pdb::of as column;
use super::{Header, HeaderOfPdb, Molecule};
use crate::facts::title;
use crate::lines::lines;
use crate::{pdb, text_of};
use std::collections::HashMap;

/// The names of `SOURCE` for a molecule that was made, in mmCIF's order.
pub(super) const MADE: [&str; 17] = [
    "ORGANISM_COMMON",
    "GENE",
    "STRAIN",
    "CELL_LINE",
    "ORGANELLE",
    "CELLULAR_LOCATION",
    "ORGANISM_SCIENTIFIC",
    "ORGANISM_TAXID",
    "EXPRESSION_SYSTEM",
    "EXPRESSION_SYSTEM_TAXID",
    "EXPRESSION_SYSTEM_STRAIN",
    "EXPRESSION_SYSTEM_VARIANT",
    "EXPRESSION_SYSTEM_CELLULAR_LOCATION",
    "EXPRESSION_SYSTEM_VECTOR_TYPE",
    "EXPRESSION_SYSTEM_VECTOR",
    "EXPRESSION_SYSTEM_GENE",
    "EXPRESSION_SYSTEM_PLASMID",
];
/// Those for a natural molecule.
const NATURAL: [&str; 7] =
    ["ORGANISM_COMMON", "STRAIN", "ORGANISM_SCIENTIFIC", "ORGANISM_TAXID", "CELLULAR_LOCATION", "PLASMID", "ORGAN"];

/// The months of dates in `HEADER`.
pub const MONTHS: [&str; 12] = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];

/// A chain of the file: its id and the names of its residues.
pub(super) type ChainNames<'a> = (&'a [u8], Vec<Vec<u8>>);

/// A molecule of `COMPND`.
#[derive(Default)]
struct Compound {
    id: i32,
    chains: Vec<u8>,
    info: HashMap<String, String>,
    source: HashMap<String, String>,
}

/// Reads what a file says about itself. `chains` are those with residues of polymers.
pub(super) fn read(text: &[u8], chains: &[ChainNames<'_>]) -> Header {
    let mut header = Header { id: "nohd".to_owned(), ..Header::default() };
    let [mut compound, mut source, mut authors, mut methods] = [const { Vec::new() }; 4];
    let mut titles = Vec::new();
    let (mut deposited, mut is_first) = (String::new(), false);
    for (_, line) in lines(text) {
        let line = line.trim_ascii_end();
        let after = |column: usize| line.get(column..).unwrap_or_default();
        match line.get(..6) {
            Some(b"HEADER") => {
                header.keywords = Some(text_of(column(line, 11, 50))).filter(|words| !words.is_empty());
                deposited = date(&text_of(column(line, 51, 59)));
                let id = column(line, 63, 66);
                if !id.is_empty() {
                    header.id = text_of(id);
                }
            }
            Some(b"KEYWDS") if !column(line, 11, 80).is_empty() => {
                header.keywords.get_or_insert_default();
            }
            Some(b"COMPND") => {
                compound.extend_from_slice(after(10));
                compound.push(b'\n');
            }
            Some(b"SOURCE") => {
                source.extend_from_slice(after(10).trim_ascii());
                source.push(b'\n');
            }
            // mmCIF has the date in the first revision, whose kind is 0.
            Some(b"REVDAT") if column(line, 11, 12).is_empty() => {
                is_first |= matches!(column(line, 32, 32), b"" | b"0")
            }
            Some(b"TITLE ") => titles.push(after(10)),
            Some(b"EXPDTA") => methods.extend_from_slice(after(10)),
            Some(b"AUTHOR") => authors.extend_from_slice(after(10)),
            Some(b"ATOM  " | b"HETATM") => break,
            _ => {}
        }
    }
    if is_first {
        header.date = deposited;
    }
    let methods = text_of(&methods);
    let methods = methods.split(';').map(str::trim).filter(|method| !method.is_empty());
    header.of_pdb =
        HeaderOfPdb { title: title(&titles), methods: methods.map(str::to_owned).collect(), b_column: pdb::held(text) };
    let authors = text_of(&authors);
    header.authors = authors.split(',').filter(|name| !name.is_empty()).map(author).collect();
    let mut compounds = compounds(&text_of(compound.trim_ascii()));
    sources(&text_of(source.trim_ascii()), &mut compounds);
    header.molecules = molecules(compounds, chains);
    header
}

/// `06-NOV-97` as `1997-11-06`; empty if it is no date.
fn date(text: &str) -> String {
    let parts: Vec<&str> = text.split('-').collect();
    let of_month = |name: &str| MONTHS.iter().position(|own| *own == name).map(|month| month + 1);
    let digits = |text: &str| text.parse().ok().filter(|_: &i32| text.len() == 2);
    let &[day, month, year] = &parts[..] else { return String::new() };
    match (digits(day), of_month(month), digits(year)) {
        (Some(day), Some(month), Some(year)) => {
            let century = if year < 50 { 2000 } else { 1900 };
            format!("{:04}-{month:02}-{day:02}", century + year)
        }
        _ => String::new(),
    }
}

/// `W.A.HENDRICKSON` as `Hendrickson, W.A.`.
fn author(name: &str) -> String {
    let name = name.trim();
    let mut end = 0;
    let mut at = 0;
    // Initials: capitals with a dot after them.
    for (index, letter) in name.bytes().enumerate() {
        match letter {
            b'A'..=b'Z' => {}
            b'.' if index > at => (end, at) = (index + 1, index + 1),
            _ => break,
        }
    }
    let mut turned = match name.split_at(end) {
        ("", _) | (_, "") => name.to_owned(),
        (initials, family) => format!("{family}, {initials}"),
    }
    .into_bytes();
    let mut begins = true;
    for letter in &mut turned {
        if letter.is_ascii_punctuation() || letter.is_ascii_whitespace() {
            begins = true;
        } else if !std::mem::take(&mut begins) {
            *letter = letter.to_ascii_lowercase();
        }
    }
    text_of(&turned)
}

fn compounds(text: &str) -> Vec<Compound> {
    let mut all: Vec<Compound> = Vec::new();
    if !text.contains(':') {
        let info = HashMap::from([("MOLECULE".to_owned(), text.to_owned())]);
        return vec![Compound { id: 1, info, ..Compound::default() }];
    }
    for (key, value) in Specifications::of(text) {
        if key == "MOL_ID" {
            let id = value.parse().unwrap_or(0);
            if !all.iter().any(|own| own.id == id) {
                all.push(Compound { id, ..Compound::default() });
            }
            continue;
        }
        let Some(last) = all.last_mut() else { break };
        if key == "CHAIN" {
            last.chains.extend(value.split(',').filter_map(|id| id.trim().bytes().next()));
        } else {
            last.info.insert(key, value);
        }
    }
    all
}

fn sources(text: &str, compounds: &mut [Compound]) {
    let mut found = None;
    for (key, value) in Specifications::of(text) {
        if key == "MOL_ID" {
            let id = value.parse().unwrap_or(0);
            found = compounds.iter().position(|own| own.id == id).or(found);
        } else if let Some(found) = found {
            compounds[found].source.insert(key, value);
        }
    }
}

/// The molecules of the chains. A chain that `COMPND` does not name is of the molecule with the same sequence, or of the first number
/// that is free of such chains.
fn molecules(mut compounds: Vec<Compound>, chains: &[ChainNames<'_>]) -> Vec<Molecule> {
    let names = |own: &&Compound, id: &[u8]| matches!(id, [id] if own.chains.contains(id));
    let named = |id: &[u8]| compounds.iter().find(|own| names(own, id)).map(|own| own.id);
    let mut ids: Vec<Option<i32>> = chains.iter().map(|(id, _)| named(id)).collect();
    let mut next = 1;
    for at in 0..chains.len() {
        if ids[at].is_some() {
            continue;
        }
        let like = (0..chains.len()).find(|&other| ids[other].is_some() && chains[other].1 == chains[at].1);
        ids[at] = like.and_then(|like| ids[like]).or_else(|| {
            let id = next;
            next += 1;
            if !compounds.iter().any(|own| own.id == id) {
                compounds.push(Compound { id, ..Compound::default() });
            }
            Some(id)
        });
    }
    let of = |map: &HashMap<String, String>, key: &str| map.get(key).filter(|value| !value.is_empty()).cloned();
    let molecule = |own: Compound| {
        let Compound { id, info, source, .. } = own;
        let synthetic = of(&source, "SYNTHETIC").is_some();
        let made =
            info.get("ENGINEERED").is_some_and(|value| value == "YES") || of(&source, "EXPRESSION_SYSTEM").is_some();
        let mine = chains.iter().zip(&ids).filter(|(_, own)| **own == Some(id));
        let mine: Vec<String> = mine.map(|((id, _), _)| text_of(id)).collect();
        let mut compound = vec![("MOLECULE", info.get("MOLECULE").cloned().unwrap_or_default())];
        compound.push(("CHAIN", mine.join(", ")));
        let info_of = |name| of(&info, name).map(|value| (name, value));
        compound.extend(["FRAGMENT", "SYNONYM", "MUTATION", "EC"].into_iter().filter_map(info_of));
        compound.extend((synthetic || made).then(|| ("ENGINEERED", "YES".to_owned())));
        compound.extend(info_of("OTHER_DETAILS"));
        let source_of = |name: &&'static str| {
            let key = if *name == "EXPRESSION_SYSTEM_PLASMID" { "PLASMID" } else { name };
            of(&source, key).map(|value| (*name, value))
        };
        let source = match (synthetic, made) {
            (true, _) => vec![("SYNTHETIC", "YES".to_owned())],
            (_, true) => MADE.iter().filter_map(source_of).collect(),
            _ if of(&source, "ORGANISM_SCIENTIFIC").is_some() => NATURAL.iter().filter_map(source_of).collect(),
            _ => Vec::new(),
        };
        Molecule { compound, source }
    };
    compounds.into_iter().map(molecule).collect()
}

/// The specifications of `COMPND` and `SOURCE`: names and values, as libcifpp divides them. A value ends with a semicolon at its line's
/// end, or before a line that begins with a name.
struct Specifications<'t> {
    text: &'t [u8],
    at: usize,
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    Start,
    Name,
    Colon,
    Value,
    Line,
    LineName,
    Semicolon,
    Error,
}

impl<'t> Specifications<'t> {
    fn of(text: &'t str) -> Self {
        Self { text: text.as_bytes(), at: 0 }
    }
}

impl Iterator for Specifications<'_> {
    type Item = (String, String);

    fn next(&mut self) -> Option<Self::Item> {
        let (mut name, mut value) = (Vec::new(), Vec::new());
        let (mut state, mut back) = (State::Start, 0);
        let is_name = |c: u8| c.is_ascii_alphanumeric() || c == b'_';
        while let Some(&c) = self.text.get(self.at) {
            self.at += 1;
            state = match state {
                State::Start if is_name(c) => {
                    (name, value) = (vec![c], Vec::new());
                    State::Name
                }
                State::Start => State::Start,
                State::Name if is_name(c) => {
                    name.push(c);
                    State::Name
                }
                State::Name if c == b':' => State::Colon,
                State::Name => State::Error,
                State::Colon if c == b';' => State::Start,
                State::Colon if c.is_ascii_whitespace() => State::Colon,
                State::Colon => {
                    value = vec![c];
                    State::Value
                }
                State::Value if c == b'\n' => {
                    back = self.at;
                    State::Line
                }
                State::Value if c == b';' => {
                    back = self.at;
                    State::Semicolon
                }
                State::Value => {
                    value.push(c);
                    State::Value
                }
                State::Semicolon if c == b'\n' => break,
                State::Semicolon if c != b' ' => {
                    value.extend_from_slice(&self.text[back..self.at]);
                    State::Value
                }
                State::Semicolon => State::Semicolon,
                State::Line if c.is_ascii_alphanumeric() => {
                    value.push(b' ');
                    State::LineName
                }
                State::Line if c.is_ascii_whitespace() => State::Value,
                State::Line => State::Line,
                State::LineName if c == b':' => {
                    self.at = back;
                    break;
                }
                State::LineName if c == b';' => State::Semicolon,
                State::LineName if !is_name(c) => {
                    value.extend_from_slice(&self.text[back..self.at]);
                    State::Value
                }
                State::LineName => State::LineName,
                State::Error if c == b';' => State::Start,
                State::Error => State::Error,
            };
        }
        (!name.is_empty()).then(|| (text_of(&name), text_of(value.trim_ascii())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn authors_and_dates_in_the_words_of_mmcif() {
        assert_eq!(author("W.A.HENDRICKSON"), "Hendrickson, W.A.");
        assert_eq!(author(" J.VAN DER MEER "), "Van Der Meer, J.");
        assert_eq!(author("TSUKIHARA"), "Tsukihara");
        assert_eq!((date("30-APR-81"), date("21-FEB-20")), ("1981-04-30".to_owned(), "2020-02-21".to_owned()));
    }

    #[test]
    fn values_go_on_in_the_next_line() {
        let text = "MOL_ID: 1;\n MOLECULE: A LONG\n NAME; OF A PROTEIN;\n CHAIN: A, B";
        // As mkdssp has it, without the semicolon.
        let found: Vec<_> = Specifications::of(text).collect();
        let expected = [("MOL_ID", "1"), ("MOLECULE", "A LONGNAME OF A PROTEIN"), ("CHAIN", "A, B")];
        assert_eq!(found, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
    }
}
