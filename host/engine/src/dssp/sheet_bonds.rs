//! The first and the last hydrogen bond between two neighbouring strands, which fix how they lie side by side.

use super::Dssp;
use super::hydrogen_bonds::is_bonded;
use super::residue::Residue;
use crate::mmcif::Table;
use std::ops::RangeInclusive;

/// An end of a bond: a residue, and whether its N or its O is bonded.
type End = (usize, &'static str);

/// Two neighbouring strands of a sheet: the sheet's id, the numbers of the strands in it, their residues, and whether they are parallel.
pub(super) struct Neighbours {
    pub sheet: String,
    pub numbers: [usize; 2],
    pub residues: [RangeInclusive<usize>; 2],
    pub is_parallel: bool,
}

/// The bonds of the first bridge of two strands that has some, in the order of the first strand, or of the last one.
fn outermost(residues: &[Residue], of: &Neighbours, is_first: bool) -> Option<[End; 2]> {
    let [own, other] = &of.residues;
    let bridge = |at: usize| {
        let partner = residues[at].bridges.iter().flatten().find(|bridge| other.contains(&bridge.residue))?;
        bonded(residues, at, partner.residue, of.is_parallel, is_first)
    };
    if is_first { own.clone().find_map(bridge) } else { own.clone().rev().find_map(bridge) }
}

/// The outer bond of a bridge of residues b and e, before them in the first strand or after them, by the patterns of Kabsch and Sander.
fn bonded(residues: &[Residue], b: usize, e: usize, is_parallel: bool, is_first: bool) -> Option<[End; 2]> {
    let outward = |of: usize| if is_first { of.checked_sub(1) } else { Some(of + 1) }.filter(|at| *at < residues.len());
    let inward = |of: usize| if is_first { Some(of + 1) } else { of.checked_sub(1) }.filter(|at| *at < residues.len());
    // Residues beside b in the first strand and beside e in the second one.
    let (a, c) = (outward(b)?, inward(b)?);
    let (d, f) = (outward(e)?, inward(e)?);
    // From the first residue's N-H to the second one's O, if strands are followed forwards, else the other way.
    let bond = |donor, acceptor| match is_first {
        true => is_bonded(residues, donor, acceptor),
        false => is_bonded(residues, acceptor, donor),
    };
    let [from, to] = if is_first { ["O", "N"] } else { ["N", "O"] };
    if is_parallel {
        if bond(e, a) && bond(c, e) {
            return Some([(a, from), (e, to)]);
        }
        return (bond(b, d) && bond(f, b)).then_some([(b, to), (d, from)]);
    }
    if bond(f, a) && bond(c, d) {
        return Some([(a, from), (f, to)]);
    }
    (is_bonded(residues, b, e) && is_bonded(residues, e, b)).then_some([(b, "N"), (e, "O")])
}

/// `_struct_sheet_hbond`, and `_pdbx_struct_sheet_hbond` with the first bonds alone.
pub(super) fn tables(dssp: &Dssp, neighbours: &[Neighbours]) -> [Table; 2] {
    let places = ["1_beg", "2_beg", "1_end", "2_end"];
    let items = places.iter().flat_map(|place| ["seq", "atom"].map(|of| format!("range_{place}_label_{of}_id")));
    let head = || ["sheet_id", "range_id_1", "range_id_2"].map(str::to_owned).into_iter();
    let mut all = Table::new("struct_sheet_hbond", head().chain(items));
    let details = ["1", "2"].into_iter().flat_map(|strand| {
        let label = ["label_atom_id", "label_comp_id", "label_asym_id", "label_seq_id", "PDB_ins_code"];
        let author = ["auth_atom_id", "auth_comp_id", "auth_asym_id", "auth_seq_id"];
        label.into_iter().chain(author).map(move |item| format!("range_{strand}_{item}"))
    });
    let mut first = Table::new("pdbx_struct_sheet_hbond", head().chain(details));
    for of in neighbours {
        let ends = [true, false].map(|is_first| outermost(&dssp.residues, of, is_first));
        let [Some(begin), Some(end)] = ends else { continue };
        let head = || [of.sheet.clone()].into_iter().chain(of.numbers.map(|number| number.to_string()));
        let short =
            begin.into_iter().chain(end).flat_map(|(at, atom)| [dssp.polymers[at].seq.to_string(), atom.to_owned()]);
        all.rows.push(head().chain(short).collect());
        let long = begin.into_iter().flat_map(|(at, atom)| {
            let own = &dssp.polymers[at];
            let label =
                [atom.to_owned(), own.name.clone(), dssp.asym(at).to_owned(), own.seq.to_string(), own.icode.clone()];
            label.into_iter().chain([atom.to_owned(), own.name.clone(), own.chain.clone(), own.number.to_string()])
        });
        first.rows.push(head().chain(long).collect());
    }
    [all, first]
}
