//! PQR: PDB records with a charge and a radius at the end, in fields separated by blanks.
//!
//! ```text
//! ATOM      1  N   MET A   1      27.340  24.430   2.614  0.1592 1.8240
//! ```
//!
//! The chain is optional. Fields may touch each other where they stand in the columns of PDB. Charges and radii are not used:
//! prism uses its own radii, as for any other file. GROMACS writes both in the columns of occupancy and B factor; only their
//! values tell such a file from PDB.

use super::compressed::COMPRESSED;
use super::error::{Fault, Problem, bad_field};
use super::facts::Facts;
use super::lines::lines;
use super::number::{decimal, integer};
use super::options::{Models, ReadOptions, Residues};
use super::pdb::{Begin, Divisions, Found, GOES_ON, LineResidue};
use super::select::{Record, ResidueId, Selection, Syntax};
use super::word::pack;
use memchr::memmem;

const SYNTAX: Syntax = Syntax {
    number_field: "residue number",
    residue_number: integer,
    // PQR has no B factors.
    b_factor: |_| None,
    occupancy: |_| None,
};

/// Largest coordinate in Å; no molecule is this far from its origin.
const FARTHEST: f64 = 1e6;
/// Number of atoms that decide whether a text is PQR.
const TELLING: usize = 200;

/// The fields of an atom's line.
struct Atom<'a> {
    name: &'a [u8],
    residue: &'a [u8],
    residue_id: ResidueId<'a>,
    position: [f64; 3],
    charge: f64,
}

/// Where a PQR file has its charges and radii.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Form {
    /// After the coordinates, as words.
    Words,
    /// In PDB's columns of occupancy and B factor.
    PdbColumns,
}

/// The form of a text that is PQR. Its first atoms have a charge and a radius, and some charge is negative, which an
/// occupancy never is; or the coordinates stand in other columns than those of PDB, and the charges are not all 1. In the columns of
/// PDB all radii must be some, too. A file that is named so needs no such sign.
pub(super) fn form_of(text: &[u8], is_named: bool) -> Option<Form> {
    let mut first = first_atoms(text).peekable();
    if first.peek().is_some_and(|line| has_pdb_columns(line)) {
        return are_in_pdb_columns(first, is_named).then_some(Form::PdbColumns);
    }
    let (mut atoms, mut is_sure) = (0, is_named);
    for line in first {
        let atom = atom(line).filter(|_| !has_pdb_columns(line))?;
        atoms += 1;
        is_sure |= atom.charge < 0.0 || !has_pdb_coordinates(line) && atom.charge != 1.0;
    }
    (atoms > 0 && is_sure).then_some(Form::Words)
}

/// Whether a file's name is that of PQR, compressed or not.
pub(super) fn is_name(name: &str) -> bool {
    let parts = |name| str::rsplit_once(name, '.').filter(|(stem, _)| !stem.is_empty());
    let is_compressed = |extension: &str| COMPRESSED.iter().any(|one| extension.eq_ignore_ascii_case(one));
    let plain = parts(name).filter(|(_, extension)| is_compressed(extension)).map_or(name, |(stem, _)| stem);
    parts(plain).is_some_and(|(_, extension)| extension.eq_ignore_ascii_case("pqr"))
}

/// Whether some charge is negative, unless the file's name says that it is PQR, and all values in the column of B factors are radii.
fn are_in_pdb_columns<'a>(lines: impl Iterator<Item = &'a [u8]>, is_named: bool) -> bool {
    /// Radii of atoms in Å; B factors of a whole file are not all so small.
    const RADII: std::ops::RangeInclusive<f64> = 0.0..=3.5;
    let value = |line: &[u8], at: std::ops::Range<usize>| decimal(line.get(at)?.trim_ascii());
    let (mut negative, mut largest) = (is_named, 0.0_f64);
    for line in lines {
        // Mostly the first atom decides.
        let Some(radius) = value(line, 60..66).filter(|radius| RADII.contains(radius)) else { return false };
        let Some(charge) = value(line, 54..60) else { return false };
        negative |= charge < 0.0;
        largest = largest.max(radius);
    }
    negative && largest >= 1.0
}

/// The lines of the atoms that decide.
fn first_atoms(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    // Headers may be long, and the first atom decides for most files.
    let begin = if is_atom(text) { 0 } else { memmem::find(text, b"\nATOM").map_or(text.len(), |at| at + 1) };
    lines(&text[begin..]).map(|(_, line)| line).filter(|line| is_atom(line)).take(TELLING)
}

/// Whether occupancy and B factor stand in PDB's columns.
fn has_pdb_columns(line: &[u8]) -> bool {
    [34, 57, 63].iter().all(|&dot| line.get(dot) == Some(&b'.'))
}

/// Whether coordinates stand in PDB's columns.
fn has_pdb_coordinates(line: &[u8]) -> bool {
    [34, 42, 50].iter().all(|&dot| line.get(dot) == Some(&b'.'))
}

fn is_atom(line: &[u8]) -> bool {
    line.starts_with(b"ATOM") || line.starts_with(b"HETATM")
}

/// The fields of a line, if it has all of them.
fn atom(line: &[u8]) -> Option<Atom<'_>> {
    atom_in_columns(line).or_else(|| atom_in_words(line))
}

/// The fields of a line that has those up to the coordinates in the columns of PDB, where they may touch each other.
fn atom_in_columns(line: &[u8]) -> Option<Atom<'_>> {
    if !has_pdb_coordinates(line) {
        return None;
    }
    let field = |at: std::ops::Range<usize>| line[at].trim_ascii();
    let mut position = [0.0; 3];
    for (value, at) in position.iter_mut().zip([30..38, 38..46, 46..54]) {
        *value = decimal(line.get(at)?.trim_ascii())?;
    }
    let mut rest = line[54..].split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let (charge, _radius) = (decimal(rest.next()?)?, decimal(rest.next()?)?);
    let (name, residue, number) = (field(12..16), field(17..21), field(22..26));
    let are_words = [name, residue].iter().all(|word| !word.is_empty() && !word.contains(&b' '));
    integer(number).filter(|_| are_words)?;
    let residue_id = ResidueId { chain: &line[21..22], number, icode: field(26..27) };
    Some(Atom { name, residue, residue_id, position, charge })
}

/// The fields of a line that are separated by blanks.
fn atom_in_words(line: &[u8]) -> Option<Atom<'_>> {
    let mut words: Vec<&[u8]> = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).collect();
    // A long serial number leaves no blank before it.
    if let Some(serial) = words[0].strip_prefix(b"HETATM").filter(|serial| !serial.is_empty()) {
        words.splice(0..1, [&b"HETATM"[..], serial]);
    }
    let (name, residue, chain, number) = match words.len() {
        10 => (words[2], words[3], &b" "[..], words[4]),
        11 => (words[2], words[3], words[4], words[5]),
        _ => return None,
    };
    let mut numbers = [0.0; 5];
    for (value, word) in numbers.iter_mut().zip(&words[words.len() - 5..]) {
        *value = decimal(word)?;
    }
    let digits = number.iter().rposition(u8::is_ascii_digit)? + 1;
    let (number, icode) = number.split_at(digits);
    let [x, y, z, charge, _] = numbers;
    Some(Atom { name, residue, residue_id: ResidueId { chain, number, icode }, position: [x, y, z], charge })
}

/// What a line says about the residue of its atom.
fn line_residue(line: &[u8]) -> Option<LineResidue<'_>> {
    let Atom { residue, residue_id, .. } = Some(line).filter(|line| is_atom(line)).and_then(atom)?;
    Some(LineResidue { name: residue, id: residue_id, hetatm: line.starts_with(b"HETATM"), segment: 0 })
}

/// Reads the requested models.
pub fn read(text: &[u8], options: &ReadOptions) -> Result<Found, Fault> {
    let mut models: Vec<(i32, Selection<'_>)> = Vec::new();
    let (mut met, mut reading) = (0, false);
    let mut divisions = Divisions::new(text, line_residue);
    let mut residue_id = None;
    let mut wanted = true;
    for (offset, line) in lines(text) {
        if !is_atom(line) {
            if line.starts_with(b"MODEL") || line.starts_with(b"ENDMDL") {
                divisions.model_record();
            } else if line.starts_with(b"END") {
                divisions.end_record();
            }
            if let Some((_, selection)) = models.last_mut().filter(|_| reading && line.starts_with(b"TER")) {
                selection.end_chain();
            }
            continue;
        }
        let fault = |problem| Fault::at(offset, problem);
        let begins = divisions.is_between().then(|| divisions.begin(offset, line));
        if begins == Some(Begin::Part) {
            if let Some((_, selection)) = models.last_mut().filter(|_| reading) {
                selection.leave().map_err(fault)?;
                selection.end_chain();
                selection.repaired(|| GOES_ON.to_owned());
                residue_id = None;
            }
        } else if begins == Some(Begin::Model) {
            met += 1;
            reading = match options.models {
                Models::First => met == 1,
                Models::Number(number) => met == number,
                Models::All | Models::Join => true,
            };
            if reading {
                models.push((met, Selection::new(options, SYNTAX, 0)));
                residue_id = None;
            }
        }
        let Some((_, selection)) = models.last_mut().filter(|_| reading) else { continue };
        let Some(atom) = atom(line) else {
            let wrong = "does not have the ten or eleven fields of a PQR atom";
            return Err(fault(bad_field("line", line, wrong)));
        };
        if !atom.position.iter().all(|value| value.abs() <= FARTHEST) {
            return Err(fault(bad_field("line", line, "has a coordinate that is out of range")));
        }
        if residue_id != Some(atom.residue_id) {
            residue_id = Some(atom.residue_id);
            wanted = selection.enter(atom.residue_id).map_err(fault)?;
        }
        let hetatm = line.starts_with(b"HETATM");
        if !wanted || hetatm && options.residues == Residues::Standard && !selection.takes_cover() {
            continue;
        }
        if atom.name.len() > 8 {
            return Err(fault(bad_field("atom name", atom.name, "is longer than 8 characters")));
        }
        let record = Record {
            residue: pack(atom.residue),
            name: pack(atom.name),
            alternate: 0,
            element: 0,
            position: atom.position,
            occupancy: b"",
            b_factor: b"",
            hetatm,
            in_chain: None,
        };
        selection.atom(&record).map_err(fault)?;
    }
    if let Some(id) = &options.assembly {
        return Err(Fault::whole(Problem::NoAssembly(format!("no assembly {id}; PQR describes none"))));
    }
    if let (Models::Number(number), true) = (options.models, models.is_empty()) {
        return Err(Fault::whole(Problem::NoModel { number, numbers: (1..=met).collect() }));
    }
    let models = models.into_iter().map(|(number, selection)| Ok((number, selection.into_draft()?)));
    let models = models.collect::<Result<_, _>>().map_err(Fault::whole)?;
    Ok(Found { models, facts: Facts::default(), met: met as usize })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PQR: &str = "REMARK   1 PQR file generated by PDB2PQR
ATOM      1  N   MET A   1      27.340  24.430   2.614  0.1592 1.8240
ATOM      2  CA  MET A   1      26.266  25.413   2.842 -0.0221 1.9080
ATOM      3  C   MET A   1      26.913  26.639   3.531  0.0123 1.9080
";

    #[test]
    fn charges_tell_it_from_pdb() {
        assert_eq!(form_of(PQR.as_bytes(), false), Some(Form::Words));
        assert_eq!(form_of(PQR.replace(" A ", " ").as_bytes(), false), Some(Form::Words), "without chains");
        assert_eq!(form_of(PQR.replace('-', " ").as_bytes(), false), None, "no negative charge");
        let pdb = "ATOM      1  N   MET A   1      27.340  24.430   2.614  1.00 -9.67\n";
        assert_eq!(form_of(pdb.as_bytes(), false), None);
        assert!(form_of(b"", true).is_none() && form_of(b"REMARK\n", true).is_none());
    }

    #[test]
    fn fields_may_touch_in_their_columns() {
        // A chain and its number, two coordinates; and an atom's type after the radius.
        let touching = "ATOM      1  N   MET A1000A    -27.340-124.430-102.614  0.1592 1.8240       N3";
        let Atom { name, residue_id, position, charge, .. } = atom(touching.as_bytes()).unwrap();
        assert_eq!(
            (name, residue_id.chain, residue_id.number, residue_id.icode),
            (&b"N"[..], &b"A"[..], &b"1000"[..], &b"A"[..])
        );
        assert_eq!((position, charge), ([-27.34, -124.43, -102.614], 0.1592));
    }

    #[test]
    fn charges_and_radii_in_the_columns_of_pdb() {
        let line = |charge: f64, radius: f64| {
            format!("ATOM      1  N   MET A   1      27.340  24.430   2.614{charge:6.2}{radius:6.2}           N\n")
        };
        assert_eq!(Some(Form::PdbColumns), form_of((line(0.25, 1.82) + &line(-0.42, 0.0)).as_bytes(), false));
        assert_eq!(None, form_of((line(1.0, 1.82) + &line(0.5, 1.2)).as_bytes(), false), "no negative charge");
        assert_eq!(None, form_of((line(-1.0, 1.82) + &line(1.0, 20.5)).as_bytes(), false), "a B factor");
        assert_eq!(None, form_of((line(-1.0, 0.0) + &line(1.0, 0.9)).as_bytes(), false), "confidences of 0 to 1");
    }

    #[test]
    fn carriage_returns_are_no_part_of_what_is_wrong() {
        let wrong = PQR.replace(" 0.0123 1.9080", "");
        let told = |text: &str| match read(text.as_bytes(), &ReadOptions::default()) {
            Err(fault) => fault.problem.to_string(),
            Ok(_) => panic!("a line has no charge"),
        };
        assert_eq!(told(&wrong), told(&wrong.replace('\n', "\r\n")));
    }

    #[test]
    fn numbers_may_have_letters() {
        let residue_id = atom(b"ATOM 7 CA GLY B -12C 1.0 2 3.5 -0.1 1.9").unwrap().residue_id;
        assert_eq!((residue_id.chain, residue_id.number, residue_id.icode), (&b"B"[..], &b"-12"[..], &b"C"[..]));
        assert!(atom(b"ATOM 7 CA GLY B x 1.0 2 3.5 -0.1 1.9").is_none());
    }
}
