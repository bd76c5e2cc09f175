//! The repository's entries compared with pdbtbx, another reader.

use crate::against_pdbtbx::{Compared, compare};
use crate::read_common::*;

#[test]
fn shipped_entries_are_read_alike() {
    let crambin = Compared { residues: 46, atoms: 327 };
    let ubiquitin = Compared { residues: 76, atoms: 602 };
    for (text, cif, expected) in
        [(CRAMBIN_PDB, false, &crambin), (CRAMBIN_CIF, true, &crambin), (UBIQUITIN_PDB, false, &ubiquitin)]
    {
        assert_eq!(compare(text.as_bytes(), cif, &structure(text)).as_ref(), Ok(&Some(expected.clone())));
    }
}

#[test]
fn the_comparison_sees_a_difference() {
    let whole = structure(CRAMBIN_PDB);
    let moved = CRAMBIN_PDB.replacen("  17.047  14.099   3.625", "  17.047  14.099   3.626", 1);
    assert!(compare(moved.as_bytes(), false, &whole).unwrap_err().contains("an atom at"));
    let shorter: String = CRAMBIN_PDB.split_inclusive('\n').filter(|line| !line.contains(" CB  THR A   2 ")).collect();
    assert!(compare(shorter.as_bytes(), false, &whole).unwrap_err().contains("7 atoms, in pdbtbx 6"));
    assert!(compare(CRAMBIN_PDB.as_bytes(), false, &structure(shorter)).unwrap_err().contains("6 atoms, in pdbtbx 7"));
}
