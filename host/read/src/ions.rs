//! Elements of ions and ligands whose element column is empty: by the names of residue and atom, and by where a name stands.
//!
//! Old programs and programs for simulations leave that column empty. By the first letter of its name alone, sodium would be nitrogen, and
//! chlorine carbon.

use super::components::{Component, component};
use super::lines::lines;
use super::pdb::hetatm;
use super::word::trim_zeros;
use super::{atoms, elements};

/// Elements of two letters that atoms' names in ligands begin with if only digits follow: a carbon or fluorine is not called so.
const IN_LIGANDS: [&str; 7] = ["BR", "CL", "CU", "FE", "MG", "MN", "ZN"];

/// The element of an atom of a residue that is no amino acid, by their names in upper case; `None` if they do not say it.
pub(super) fn element_by_names(residue: u64, name: u64) -> Option<u16> {
    let (residue, name) = (residue.to_le_bytes(), name.to_le_bytes());
    let (whole, atom) = (trim_zeros(&residue), letters(&name));
    if let Some(symbol) = ion_named(whole).filter(|symbol| trim_zeros(&name) == whole || atom == *symbol) {
        return Some(atoms::element(symbol));
    }
    // ZN2, Ca2+, CL-: the residue is called as its only atom is.
    let symbol = atoms::element(atom);
    let known = || elements::of_symbol(symbol.to_le_bytes()).is_some();
    let is_ion = atom == letters(&residue) && known();
    (is_ion || IN_LIGANDS.iter().any(|own| own.as_bytes() == atom)).then_some(symbol)
}

/// The element of the ion that CHARMM, AMBER or GROMOS call so, where the name does not begin with its symbol, or goes on after it.
fn ion_named(residue: &[u8]) -> Option<&'static [u8]> {
    Some(match residue {
        b"SOD" | b"NIO" | b"IP" => b"NA",
        b"CLA" | b"CIO" | b"IM" => b"CL",
        b"POT" => b"K",
        b"CAL" | b"C0" => b"CA",
        b"CES" => b"CS",
        b"LIT" => b"LI",
        b"RUB" => b"RB",
        b"BAR" => b"BA",
        b"CAD" => b"CD",
        _ => return None,
    })
}

/// Whether a residue with an ion's name in force fields is a ligand: one of its atoms has another name than others.
pub(super) fn is_ligand(residue: u64, name: u64, mut others: impl Iterator<Item = u64>) -> bool {
    let (residue, name) = (residue.to_le_bytes(), name.to_le_bytes());
    ion_named(trim_zeros(&residue)).is_some() && others.any(|other| letters(&other.to_le_bytes()) != letters(&name))
}

/// A name without the digits and signs at its end.
fn letters(name: &[u8; 8]) -> &[u8] {
    let text = trim_zeros(name);
    let end = text.iter().rposition(|c| !c.is_ascii_digit() && !matches!(c, b'+' | b'-')).map_or(0, |at| at + 1);
    &text[..end]
}

/// Whether a PDB file's atom names begin in column 13, where only symbols of two letters and names of four do.
pub(super) fn names_are_left_aligned(text: &[u8]) -> bool {
    lines(text).filter(|(_, line)| hetatm(line).is_some()).any(|(_, line)| {
        matches!(line.get(12..16), Some([b'C' | b'N' | b'O' | b'S' | b'P', second, _, b' ']) if !second.is_ascii_alphabetic())
    })
}

/// The element's symbol in columns 13 and 14 of an atom whose element column is empty; `None` if they hold none. `residue` is the
/// residue's name.
pub(super) fn element_in_name(residue: u64, columns: [u8; 4]) -> Option<[u8; 2]> {
    let symbol = [columns[0], columns[1]];
    // Names of hydrogens fill the columns, and some programs begin shorter ones there, too. Chlorine and bromine fill them where an
    // atom's number has two digits.
    let is_symbol = symbol.iter().all(u8::is_ascii_alphabetic)
        && symbol[0] != b'H'
        && (columns[3] == b' ' || matches!(&symbol, b"CL" | b"BR"))
        && elements::of_symbol(symbol.map(|c| c.to_ascii_uppercase())).is_some();
    let is_other = || matches!(component(residue), Component::Other | Component::Shared(_));
    (is_symbol && is_other()).then_some(symbol)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::word::pack;

    #[test]
    fn ions_have_the_elements_of_their_names() {
        for (residue, name, symbol) in [
            ("SOD", "SOD", "NA"),
            ("CLA", "CLA", "CL"),
            ("POT", "POT", "K"),
            ("CAL", "CAL", "CA"),
            ("CAL", "CA", "CA"),
            ("CES", "CES", "CS"),
            ("ZN2", "ZN", "ZN"),
            ("CL-", "CL", "CL"),
            ("CL-", "CL-", "CL"),
            ("CA2+", "CA", "CA"),
            ("HG", "HG", "HG"),
            ("HO", "HO", "HO"),
            ("CO", "CO", "CO"),
            ("K", "K", "K"),
            ("HEM", "FE", "FE"),
            ("LIG", "CL12", "CL"),
        ] {
            let found = element_by_names(pack(residue.as_bytes()), pack(name.as_bytes()));
            assert_eq!(found, Some(atoms::element(symbol.as_bytes())), "{residue} {name}");
        }
        // Chlorophyll is CLA, too; carbons and nitrogens of ligands.
        for (residue, name) in
            [("CLA", "CAA"), ("CLA", "NA"), ("HEM", "NA"), ("LIG", "CD"), ("LIG", "CA"), ("LIG", "HG")]
        {
            assert_eq!(element_by_names(pack(residue.as_bytes()), pack(name.as_bytes())), None, "{residue} {name}");
        }
    }

    #[test]
    fn a_symbol_of_two_letters_begins_in_column_13() {
        let of = |residue: &str, columns: &[u8; 4]| element_in_name(pack(residue.as_bytes()), *columns);
        assert_eq!(of("B12", b"CO  "), Some(*b"CO"));
        assert_eq!(of("LIG", b"CL12"), Some(*b"CL"));
        for (residue, columns) in
            [("LIG", b" CO "), ("LIG", b"CD12"), ("LIG", b"HG  "), ("LIG", b"XX  "), ("ALA", b"CA  ")]
        {
            assert_eq!(of(residue, columns), None, "{residue} {columns:?}");
        }
        let line = |name: &str| format!("HETATM    1 {name} LIG A   1       1.000   2.000   3.000\n");
        assert!(!names_are_left_aligned((line("CL  ") + &line(" C1 ") + &line("HG11")).as_bytes()));
        assert!(names_are_left_aligned((line("CL  ") + &line("C1  ")).as_bytes()));
    }
}
