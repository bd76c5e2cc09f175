//! PQR: PDB records with a charge and a radius at the end, in fields separated by blanks.
//!
//! ```text
//! ATOM      1  N   MET A   1      27.340  24.430   2.614  0.1592 1.8240
//! ```
//!
//! The chain is optional. Charges and radii are not used: prism uses its own radii, as for any other file.

use super::error::{Fault, Problem, bad_field};
use super::facts::Facts;
use super::lines::lines;
use super::number::{decimal, integer};
use super::options::{Models, ReadOptions, Residues};
use super::pdb::{Found, GOES_ON, LineResidue, Parts};
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

/// Whether a text is PQR: its first atoms have a charge and a radius where PDB has other columns, and some charge is
/// negative, which an occupancy never is.
pub(super) fn is_one(text: &[u8]) -> bool {
    let (mut atoms, mut negative) = (0, false);
    // Headers may be long, and the first atom decides for most files.
    let begin = if is_atom(text) { 0 } else { memmem::find(text, b"\nATOM").map_or(text.len(), |at| at + 1) };
    for line in lines(&text[begin..]).map(|(_, line)| line).filter(|line| is_atom(line)).take(TELLING) {
        let is_pdb = line.get(57) == Some(&b'.') && line.get(63) == Some(&b'.') && line.get(34) == Some(&b'.');
        let Some(atom) = atom(line).filter(|_| !is_pdb) else { return false };
        atoms += 1;
        negative |= atom.charge < 0.0;
    }
    atoms > 0 && negative
}

fn is_atom(line: &[u8]) -> bool {
    line.starts_with(b"ATOM") || line.starts_with(b"HETATM")
}

/// The fields of a line, if it has all of them.
fn atom(line: &[u8]) -> Option<Atom<'_>> {
    let mut words: Vec<&[u8]> = line.split(|c| c.is_ascii_whitespace()).filter(|word| !word.is_empty()).collect();
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
    Some(LineResidue { name: residue, id: residue_id, hetatm: line.starts_with(b"HETATM") })
}

/// Reads the requested models.
pub(super) fn read(text: &[u8], options: &ReadOptions) -> Result<Found, Fault> {
    let mut models: Vec<(i32, Selection<'_>)> = Vec::new();
    let (mut met, mut between, mut reading) = (0, true, false);
    let (mut parts, mut has_models) = (Parts::new(line_residue), false);
    let mut residue_id = None;
    let mut wanted = true;
    for (offset, line) in lines(text) {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if !is_atom(line) {
            has_models |= line.starts_with(b"MODEL") || line.starts_with(b"ENDMDL");
            between |= line.starts_with(b"MODEL") || line.starts_with(b"END");
            continue;
        }
        let fault = |problem| Fault::at(offset, problem);
        let begins = std::mem::take(&mut between);
        if begins && met > 0 && !has_models && parts.go_on(text, offset, line) {
            if let Some((_, selection)) = models.last_mut().filter(|_| reading) {
                selection.leave().map_err(fault)?;
                selection.repaired(|| GOES_ON.to_owned());
                residue_id = None;
            }
        } else if begins {
            parts.begin(offset, line);
            met += 1;
            reading = match options.models {
                Models::First => met == 1,
                Models::Number(number) => met == number,
                Models::All => true,
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
        assert!(is_one(PQR.as_bytes()));
        assert!(is_one(PQR.replace(" A ", " ").as_bytes()), "without chains");
        assert!(!is_one(PQR.replace('-', " ").as_bytes()), "no negative charge");
        let pdb = "ATOM      1  N   MET A   1      27.340  24.430   2.614  1.00 -9.67\n";
        assert!(!is_one(pdb.as_bytes()));
        assert!(!is_one(b"") && !is_one(b"REMARK\n"));
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
