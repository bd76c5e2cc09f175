//! Nucleotides as DockQ compares them.

use prism_read::structure::StructureInput;
use shared_types::residue::is_nucleotide;

/// The atoms by which nucleotides are superposed: phosphate and sugar.
pub(super) const BACKBONE: [&str; 12] =
    ["P", "OP1", "OP2", "O2'", "O3'", "O4'", "O5'", "C1'", "C2'", "C3'", "C4'", "C5'"];
/// The index of C1' among them.
pub(super) const C1: usize = 7;

/// The code of a nucleotide, if a row is one: its base in lower case, so that it is no amino acid's; x if it is modified.
pub(super) fn letter(structure: &StructureInput, row: usize) -> Option<u32> {
    is_nucleotide(structure.residue_types[row]).then(|| base(structure.resname(row)).into())
}

/// The base of a nucleotide by its name in the Chemical Component Dictionary (A, DA) and in force fields (RA5, DA3, ADE).
fn base(name: &str) -> char {
    let whole = match name.trim_end_matches(['3', '5']) {
        "ADE" => "A",
        "CYT" => "C",
        "GUA" => "G",
        "THY" => "T",
        "URA" => "U",
        name => name.strip_prefix(['D', 'R']).unwrap_or(name),
    };
    match whole {
        "A" | "C" | "G" | "T" | "U" | "I" | "N" => whole.as_bytes()[0].to_ascii_lowercase().into(),
        _ => 'x',
    }
}

/// The backbone's atoms of a row, by their index in the structure. Names of old files (C1*, O1P) are those of today.
pub(super) fn backbone(structure: &StructureInput, row: usize) -> [Option<u32>; BACKBONE.len()] {
    let mut atoms = [None; BACKBONE.len()];
    for atom in structure.residue_atoms[row]..structure.residue_atoms[row + 1] {
        let Some(label) = structure.atom_labels.get(atom as usize) else { break };
        let name = match label.name() {
            "O1P" => "OP1",
            "O2P" => "OP2",
            name => name,
        };
        let is_it = |own: &&str| {
            own.len() == name.len() && own.bytes().zip(name.bytes()).all(|(a, b)| a == b || (a, b) == (b'\'', b'*'))
        };
        if let Some(index) = BACKBONE.iter().position(is_it) {
            atoms[index].get_or_insert(atom);
        }
    }
    atoms
}

#[cfg(test)]
mod tests {
    #[test]
    fn bases_follow_from_the_names_of_dictionary_and_force_fields() {
        for (base, names) in
            [('a', "A DA RA A5 A3 DA5 RA3 ADE"), ('u', "U DU RU U5 URA"), ('t', "T DT DT3 THY"), ('x', "5MC PSU")]
        {
            names.split(' ').for_each(|name| assert_eq!(super::base(name), base, "{name}"));
        }
    }
}
