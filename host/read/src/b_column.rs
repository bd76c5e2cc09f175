//! Replaces the B column of a structure file, says what it holds, and leaves everything else unchanged.

mod held;

use super::cif::{BColumn, CATEGORY, Lexer, Table};
use super::compressed::plain;
use super::error::{Fault, Problem, ReadError};
use super::format::{Format, format_of, normal_text};
use super::lines::lines;
use super::named_residue::NamedResidue;
use super::pdb::{AtomLine, Records};
pub(super) use held::{ITEM, PLDDT, are_others, name, of_cif, of_program, of_record, of_remark};

/// The columns of the B factor in a PDB record.
const B: std::ops::Range<usize> = 60..66;

/// Returns the text of a PDB, mmCIF or BinaryCIF file (which becomes mmCIF), plain or compressed, with every atom's B factor replaced by `value` of its residue.
/// `name` is the file's name in errors. `holds` says what the values are, and begins with their name. The file says it, too: in a
/// REMARK 99 of PDB, in `_prism_b_column.holds` of mmCIF. Readers of this package then take the column for no B factors, unless the name is
/// `b_factor`, and for confidences only if it is `plddt`. A PDB file has room for -99.99 to 999.99 with two decimals; larger values have fewer
/// decimals, as many as fit into six characters.
///
/// # Errors
/// If the text has neither format, its syntax is wrong, or an mmCIF table has no B column.
///
/// ```
/// use prism_read::with_b_column;
///
/// let pdb = b"\
/// ATOM      1  CA  GLY A   1       1.000   2.000   3.000  1.00 10.00           C
/// HETATM    2 ZN    ZN A 901       4.800   2.000   3.000  1.00 12.00          ZN
/// END
/// ";
/// let changed = with_b_column(pdb, "two", "depth in Å", |residue| if residue.name == "GLY" { 55.5 } else { 0.0 })?;
/// let remark = "REMARK  99 B COLUMN HOLDS depth in A\n";
/// let expected = remark.to_owned() + &String::from_utf8_lossy(pdb).replace("10.00", "55.50").replace("12.00", " 0.00");
/// assert_eq!(String::from_utf8(changed)?, expected);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn with_b_column(
    bytes: &[u8],
    name: &str,
    holds: &str,
    value: impl Fn(NamedResidue<'_>) -> f32,
) -> Result<Vec<u8>, ReadError> {
    let refused = |problem| ReadError { name: name.to_owned(), line: None, problem };
    let text = plain(bytes).map_err(refused)?;
    let (text, format) = normal_text(&text, name).map_err(refused)?;
    let changed = match format {
        Format::Empty => Err(Fault::whole(Problem::Empty)),
        Format::Foreign(what) => Err(Fault::whole(Problem::OtherFormat(what))),
        Format::BinaryCif | Format::Pqr | Format::PqrColumns | Format::FoldComp => {
            let what = "a B column can only be written to PDB, mmCIF and BinaryCIF files; give the .cif or .pdb file";
            Err(Fault::whole(Problem::OtherFormat(what)))
        }
        Format::Pdb => in_pdb(&held::without(&text, false), holds, value),
        Format::Cif => in_cif(&held::without(&text, true), holds, value),
    };
    changed.map_err(|fault| fault.into_error(name, &text))
}

/// Whether a text is mmCIF.
pub fn is_cif(text: &[u8]) -> bool {
    format_of(text) == Format::Cif
}

fn in_pdb(text: &[u8], holds: &str, value: impl Fn(NamedResidue<'_>) -> f32) -> Result<Vec<u8>, Fault> {
    let mut changed = Vec::with_capacity(text.len());
    let mut copied = held::place_of_remark(text);
    changed.extend_from_slice(&text[..copied]);
    if copied == text.len() && !text.ends_with(b"\n") {
        changed.push(b'\n');
    }
    changed.extend(held::remark(holds));
    let mut records = Records::new(text);
    for (at, line) in lines(text) {
        let found = match records.line(at, line) {
            Ok(found) => found,
            // Further models may not have been read.
            Err(_) if records.model() > 1 => continue,
            Err(problem) => return Err(Fault::at(at, problem)),
        };
        for atom in found.iter().flatten() {
            // Where its record begins, which may be the second one of the line.
            let Some(named) = named(atom) else { continue };
            changed.extend_from_slice(&text[copied..atom.offset]);
            let record = atom.line.trim_ascii_end();
            push_record(&mut changed, record, value(named));
            copied = atom.offset + record.len();
        }
    }
    changed.extend_from_slice(&text[copied..]);
    Ok(changed)
}

/// Formats a value in six columns: there is no room for more, and the columns that follow must not move.
fn six_columns(value: f32) -> String {
    let value = value.clamp(-99_999.0, 999_999.0);
    (0..=2).rev().map(|decimals| format!("{value:6.decimals$}")).find(|text| text.len() == 6).unwrap_or_default()
}

fn push_record(changed: &mut Vec<u8>, record: &[u8], value: f32) {
    let begin = changed.len();
    changed.extend_from_slice(&record[..record.len().min(B.start)]);
    changed.resize(begin + B.start, b' ');
    changed.extend_from_slice(six_columns(value).as_bytes());
    changed.extend_from_slice(record.get(B.end..).unwrap_or_default());
}

/// The residue of an atom's record; `None` if its number is none, as of water whose numbers did not fit.
fn named<'a>(atom: &AtomLine<'a>) -> Option<NamedResidue<'a>> {
    let of = |text: &'a [u8]| std::str::from_utf8(text).ok();
    let id = atom.place.id;
    let (chain, insertion_code, name) = (of(id.chain)?, of(id.icode)?, of(atom.residue())?);
    Some(NamedResidue { chain, number: atom.number().ok()?, insertion_code, name })
}

fn in_cif(text: &[u8], holds: &str, value: impl Fn(NamedResidue<'_>) -> f32) -> Result<Vec<u8>, Fault> {
    let (mut lexer, mut changed, mut copied) = (Lexer::new(text), Vec::with_capacity(text.len()), 0);
    let mut is_said = false;
    while let Some(table) = Table::next(&mut lexer, CATEGORY)? {
        let columns = BColumn::find(&table.tags).map_err(Fault::whole)?;
        // At the start of the block, where no loop can take the item for its own.
        let block = table.block.map(|(begin, id)| begin + b"data_".len() + id.len());
        if block.is_some() || !is_said {
            let at = block.unwrap_or(table.begin);
            changed.extend_from_slice(&text[copied..at]);
            if !changed.ends_with(b"\n") {
                changed.push(b'\n');
            }
            changed.extend(held::item(holds));
            // What is left of the line begins with its end.
            copied = at + usize::from(block.is_some() && text.get(at) == Some(&b'\n'));
            is_said = true;
        }
        table.each_row(&mut lexer, |edges| {
            let Some(named) = columns.residue(text, edges) else { return Ok(true) };
            let (begin, end) = columns.b(edges);
            changed.extend_from_slice(&text[copied..begin]);
            // Keep the width if it suffices, so that the columns stay aligned.
            changed.extend_from_slice(format!("{:<1$}", format!("{:.2}", value(named)), end - begin).as_bytes());
            copied = end;
            Ok(true)
        })?;
    }
    changed.extend_from_slice(&text[copied..]);
    Ok(changed)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOLDS: &str = "depth in Å";
    const REMARK: &str = "REMARK  99 B COLUMN HOLDS depth in A\n";

    const CIF: &str = "data_X\nloop_\n_other.id\n1 2\nloop_\n_atom_site.group_PDB\n_atom_site.label_atom_id\n\
        _atom_site.label_comp_id\n_atom_site.label_asym_id\n_atom_site.label_seq_id\n_atom_site.pdbx_PDB_ins_code\n\
        _atom_site.Cartn_x\n_atom_site.Cartn_y\n_atom_site.Cartn_z\n_atom_site.B_iso_or_equiv\n_atom_site.auth_seq_id\n\
        _atom_site.auth_asym_id\n\
        ATOM   CA    GLY A 1 ? 1.0 2.0 3.0 10.123 7 B\n\
        ATOM   \"O5'\" GLY A 1 C 1.0 2.0 3.0 ? 7 B\n# end\nloop_\n_x.y\n'a b'\n";

    #[test]
    fn of_mmcif_nothing_but_b_factors_change() {
        let seen = std::cell::RefCell::new(Vec::new());
        let changed = with_b_column(CIF.as_bytes(), "x", HOLDS, |residue| {
            seen.borrow_mut().push(format!("{residue:?}"));
            if residue.insertion_code == "C" { 12.345 } else { 99.0 }
        });
        let expected = CIF.replace("10.123", "99.00 ").replace(" ? 7", " 12.35 7");
        let expected = expected.replace("data_X\n", "data_X\n_prism_b_column.holds   'depth in A'\n");
        assert_eq!(String::from_utf8(changed.unwrap()).unwrap(), expected);
        let named = NamedResidue { chain: "B", number: 7, insertion_code: "C", name: "GLY" };
        assert_eq!(seen.borrow()[1], format!("{named:?}"));
    }

    #[test]
    fn records_that_end_early_get_a_b_column() {
        let short = "ATOM      1  CA  GLY     1A      1.000   2.000   3.000\nEND\n";
        let changed = with_b_column(short.as_bytes(), "x", HOLDS, |residue| {
            assert_eq!((residue.chain, residue.insertion_code), (" ", "A"));
            7.0
        });
        let expected = format!("{REMARK}{:<60}  7.00\nEND\n", short.lines().next().unwrap());
        assert_eq!(String::from_utf8(changed.unwrap()).unwrap(), expected);
    }

    #[test]
    fn a_record_name_in_lower_case_is_one() {
        let text = "atom      1  CA  GLY A   1       1.000   2.000   3.000  1.00 10.00\n";
        let changed = with_b_column(text.as_bytes(), "x", HOLDS, |_| 7.0);
        assert_eq!(String::from_utf8(changed.unwrap()).unwrap(), REMARK.to_owned() + &text.replace("10.00", " 7.00"));
    }

    #[test]
    fn two_records_in_a_line_get_a_value_each() {
        let of = |name: &str, serial: &str, b: &str| {
            format!("ATOM{serial:>7}  CA  {name} A   1       1.000   2.000   3.000{b}")
        };
        // The first has lost its end behind the coordinates, where the second one's name would be written over.
        for (first, expected) in [("", "        2.00"), ("  1.00 10.00           C  ", "  1.00  2.00           C  ")] {
            let text = of("GLY", "1", first) + &of("ALA", "2", "  1.00 10.00           C  \n");
            let changed =
                with_b_column(text.as_bytes(), "x", HOLDS, |residue| if residue.name == "GLY" { 2.0 } else { 3.0 });
            let expected =
                REMARK.to_owned() + &of("GLY", "1", expected) + &of("ALA", "2", "  1.00  3.00           C  \n");
            assert_eq!(String::from_utf8(changed.unwrap()).unwrap(), expected);
        }
        // A serial number of six columns takes the record name's last blank.
        let changed = with_b_column(of("GLY", "100000", "  1.00 10.00\n").as_bytes(), "x", HOLDS, |_| 2.0).unwrap();
        assert_eq!(String::from_utf8(changed).unwrap(), REMARK.to_owned() + &of("GLY", "100000", "  1.00  2.00\n"));
        let remark = format!("REMARK {:60}ATOM      1  CA  GLY A   1       1.000   2.000   3.000  1.00 10.00\n", "");
        let text = remark.clone() + &of("GLY", "1", "\n");
        assert!(with_b_column(text.as_bytes(), "x", HOLDS, |_| 2.0).unwrap().starts_with(remark.as_bytes()));
    }

    #[test]
    fn a_value_that_is_too_wide_moves_nothing() {
        let line = "ATOM      1  CA  GLY A   1       1.000   2.000   3.000  1.00 10.00           C  \n";
        for (value, shown) in [(1234.5, "1234.5"), (-179.96, "-180.0"), (f32::INFINITY, "999999")] {
            let changed = with_b_column(line.as_bytes(), "x", HOLDS, |_| value).unwrap();
            assert_eq!(String::from_utf8(changed).unwrap(), REMARK.to_owned() + &line.replace(" 10.00", shown));
        }
    }

    #[test]
    fn no_loop_takes_what_the_column_holds() {
        let empty = "loop_\n_a\n";
        for text in [CIF.replacen("loop_\n_other", &format!("{empty}loop_\n_other"), 1), CIF.replace("1 2\n", "")] {
            let changed = with_b_column(text.as_bytes(), "x", HOLDS, |_| 7.0).unwrap();
            let changed = String::from_utf8(changed).unwrap();
            assert_eq!(changed.matches("_prism_b_column.holds ").count(), 1);
            assert!(changed.starts_with("data_X\n_prism_b_column.holds "), "{changed}");
            assert_eq!(with_b_column(changed.as_bytes(), "x", HOLDS, |_| 7.0).unwrap(), changed.as_bytes());
        }
    }

    #[test]
    fn what_has_no_b_column_is_refused() {
        let error = with_b_column(CIF.replace("B_iso_or_equiv", "B_what").as_bytes(), "x", HOLDS, |_| 0.0).unwrap_err();
        assert!(error.to_string().contains("B_iso_or_equiv"), "{error}");
        assert!(with_b_column(b"", "x", HOLDS, |_| 0.0).is_err());
    }

    #[test]
    fn what_the_column_holds_is_said_once() {
        let title = "HEADER    X\nTITLE     Y\nREMARK   2\nREMARK 350 Z\n";
        let line = "ATOM      1  CA  GLY A   1       1.000   2.000   3.000  1.00 10.00           C  \n";
        let write = |text: &[u8], holds: &str| with_b_column(text, "x", holds, |_| 7.0).unwrap();
        for (text, in_pdb) in [(format!("{title}{line}"), true), (CIF.to_owned(), false)] {
            let first = write(text.as_bytes(), "rsa, in hundredths");
            let second = write(&first, "wcn");
            let of = |text: &[u8]| {
                let held = if in_pdb { held::of_pdb(text) } else { of_cif(text) };
                String::from_utf8(held.unwrap().to_vec()).unwrap()
            };
            assert_eq!((of(&first), of(&second)), ("rsa, in hundredths".to_owned(), "wcn".to_owned()));
            assert_eq!(second.len() + "rsa, in hundredths".len(), first.len() + "wcn".len());
            assert_eq!(write(&second, "wcn"), second);
            assert!(
                String::from_utf8(second).unwrap().contains("REMARK   2\nREMARK  99 B COLUMN HOLDS wcn\nREMARK 350")
                    == in_pdb
            );
        }
    }
}
