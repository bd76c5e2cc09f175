//! Residues with rows: force fields' names, modified residues, ligands, alternatives.

use crate::read_common::*;
use prism_read::{Alternates, NoteKind, ReadOptions, StructureInput, read_bytes};
use shared_types::RESIDUES;

/// `name parent atoms` of each residue.
fn rows(s: &StructureInput) -> Vec<String> {
    let row = |i: usize| format!("{} {} {}", s.resname(i), s.parent(i), s.residue_atoms[i + 1] - s.residue_atoms[i]);
    (0..s.n_rows()).map(row).collect()
}

fn with(text: &str, options: &ReadOptions) -> StructureInput {
    let read = read_bytes(text.as_bytes(), "x", options).unwrap();
    read.structure.validate().unwrap();
    read.structure
}

fn hetatm(line: String) -> String {
    line.replace("ATOM  ", "HETATM")
}

/// N, CA and C of a residue, bonded to each other, with C at `x + 2.5`.
fn backbone(residue: &str, id: &str, x: f64) -> [String; 3] {
    [(" N  ", 0.0), (" CA ", 1.4), (" C  ", 2.5)].map(|(name, off)| atom_line(name, ' ', residue, id, x + off))
}

#[test]
fn force_fields_names_are_the_residues() {
    let plain = structure(UBIQUITIN_PDB);
    let text = UBIQUITIN_PDB.replace("HIS A  68", "HIE A  68").replace("LYS A   6", "LYN A   6");
    let s = structure(&text);
    assert_eq!((s.n_residues(), s.n_atoms()), (76, 602));
    assert_eq!((s.resname(67), s.parent(67), s.residue_types[67]), ("HIE", "HIS", plain.residue_types[67]));
    assert_eq!((s.resname(5), s.parent(5), RESIDUES[usize::from(s.residue_types[5])].charge), ("LYN", "LYS", 0.0));
    let bits =
        |s: &StructureInput| s.atoms.iter().map(|a| [a.x, a.y, a.z, a.radius].map(f32::to_bits)).collect::<Vec<_>>();
    assert_eq!(bits(&s), bits(&plain), "radii are those of the parents");
    // AMBER's terminal residues, whose names have four letters.
    let text = UBIQUITIN_PDB.replace("MET A   1", "NMETA   1").replace("GLY A  76", "CGLYA  76");
    let s = structure(text);
    assert_eq!((s.n_residues(), s.resname(0), s.parent(0), s.resname(75)), (76, "NMET", "MET", "CGLY"));
    assert_eq!(s.chains, ["A"]);
}

/// Residues as in gemmi 0.7.5: 70, four of them selenomethionine.
#[test]
fn selenomethionine_has_rows() {
    let bytes = include_bytes!("../../../../tests/data/1a8o.cif.gz");
    let all = read(bytes).structure;
    assert_eq!(all.n_residues(), 70);
    let modified: Vec<_> = (0..70).filter(|&row| all.resname(row) == "MSE").collect();
    assert_eq!(modified.len(), 4);
    assert!(modified.iter().all(|&row| all.parent(row) == "MET" && all.ca_indices[row] != u32::MAX));
    assert!(all.atoms.iter().any(|atom| atom.radius == 1.9), "selenium");
    let standard = read_bytes(bytes, "x", &ReadOptions::standard()).unwrap().structure;
    assert_eq!((standard.n_residues(), standard.residue_names.len()), (66, 0));
}

#[test]
fn hetero_records_are_residues_where_they_are_linked() {
    let linked =
        [backbone("ALA", "A   1 ", 0.0), backbone("MSE", "A   2 ", 3.8).map(hetatm), backbone("GLY", "A   3 ", 7.6)];
    let text = linked.concat().concat();
    assert_eq!(rows(&structure(&text)), ["ALA ALA 3", "MSE MET 3", "GLY GLY 3"]);
    // The same residue far away is a ligand, unless the file says otherwise.
    let far = [backbone("ALA", "A   1 ", 0.0), backbone("MSE", "A   2 ", 30.0).map(hetatm)].concat().concat();
    let read_far = read(&far);
    assert_eq!(rows(&read_far.structure), ["ALA ALA 3"]);
    assert_eq!(read_far.notes[0].kind, NoteKind::Unlinked);
    let modres = "MODRES 1ABC MSE A    2  MET  SELENOMETHIONINE\n";
    assert_eq!(rows(&structure(format!("{modres}{far}"))), ["ALA ALA 3", "MSE MET 3"]);
    let seqres = "SEQRES   1 A    2  ALA MSE\n";
    assert_eq!(rows(&structure(format!("{seqres}{far}"))), ["ALA ALA 3", "MSE MET 3"]);
    // Two residues linked only to each other are a ligand (1o6g has one); four would be a chain.
    let peptide = |n: usize| {
        let residues =
            (0..n).map(|i| backbone("PRO", &format!("A {} ", 801 + i), 30.0 + 3.8 * i as f64).map(hetatm).concat());
        format!("{}{}", backbone("ALA", "A   1 ", 0.0).concat(), residues.collect::<String>())
    };
    assert_eq!(read(peptide(2)).structure.n_residues(), 1);
    assert_eq!(structure(peptide(4)).n_residues(), 5);
    // A standard amino acid may be a ligand of a chain that contains it.
    let glycine = [backbone("GLY", "A   1 ", 0.0), backbone("GLY", "A 301 ", 30.0).map(hetatm)].concat().concat();
    assert_eq!(rows(&structure(format!("SEQRES   1 A    1  GLY\n{glycine}"))), ["GLY GLY 3"]);
}

#[test]
fn names_that_nobody_knows_are_residues_by_their_backbone() {
    let text =
        [backbone("ALA", "A   1 ", 0.0), backbone("XYZ", "A   2 ", 3.8), backbone("UNK", "A   3 ", 7.6)].concat();
    let read_all = read(text.concat());
    assert_eq!(rows(&read_all.structure), ["ALA ALA 3", "XYZ  3", "UNK  3"]);
    assert_eq!(read_all.notes[0].text, "2 residues have no standard amino acid as parent");
    // An ion, a lipid and water in ATOM records have no rows, and nucleotides cause a note.
    let others = [
        backbone("ALA", "A   1 ", 0.0).concat(),
        atom_line("CA  ", ' ', " CA", "A   2 ", 9.0),
        atom_line(" C1 ", ' ', "POP", "A   3 ", 12.0),
        atom_line(" O  ", ' ', "HOH", "A   4 ", 15.0),
        atom_line(" P  ", ' ', " DA", "B   1 ", 18.0),
    ];
    let read_all = read(others.concat());
    assert_eq!(rows(&read_all.structure), ["ALA ALA 3"]);
    assert_eq!(read_all.notes[0].text, "1 nucleotide has no row");
}

/// The `_atom_site` table of the mmCIF file decides; gemmi agrees.
#[test]
fn labels_tell_chains_from_ligands() {
    let (items, all) = crambin_loop();
    let (group, number) = (0, items.iter().position(|&i| i == "label_seq_id").unwrap());
    let mut rows_of = all.clone();
    let last = rows_of[326][number];
    rows_of.iter_mut().filter(|row| row[number] == last).for_each(|row| row[group] = "HETATM");
    assert_eq!(structure(cif_of(&items, &rows_of)).n_residues(), 46);
    rows_of.iter_mut().filter(|row| row[group] == "HETATM").for_each(|row| row[number] = ".");
    let outside = read(cif_of(&items, &rows_of));
    assert_eq!(outside.structure.n_residues(), 45);
    assert!(outside.notes.iter().any(|note| note.kind == NoteKind::Unlinked));
}

/// A residue whose alternatives have mean occupancies of 0.4 and 0.6.
fn alternatives() -> String {
    let atom = |name, alternate, occupancy: f64, x| {
        atom_line(name, alternate, "SER", "A   1 ", x).replace("  1.00", &format!("{occupancy:6.2}"))
    };
    [
        atom(" N  ", ' ', 1.0, 1.0),
        atom(" CA ", 'A', 0.4, 2.0),
        atom(" CA ", 'B', 0.6, 3.0),
        atom(" OG ", 'A', 0.4, 4.0),
        atom(" OG ", 'B', 0.6, 5.0),
        atom(" CB ", 'A', 0.4, 6.0),
    ]
    .concat()
}

#[test]
fn one_alternative_for_a_whole_residue() {
    let xs = |alternates| {
        let s = with(&alternatives(), &ReadOptions { alternates, ..ReadOptions::default() });
        let xs: Vec<_> = s.atoms.iter().map(|a| (f64::from(a.x) + s.center[0]).round()).collect();
        (xs, s.bfactor[0], s.ca_indices[0])
    };
    // The best alternative lacks CB, which comes from the other one.
    assert_eq!(xs(Alternates::Highest), (vec![1.0, 3.0, 5.0, 6.0], 3.0, 1));
    assert_eq!(xs(Alternates::First), (vec![1.0, 2.0, 4.0, 6.0], 2.0, 1));
    assert_eq!(xs(Alternates::Named('A')), (vec![1.0, 2.0, 4.0, 6.0], 2.0, 1));
    assert_eq!(xs(Alternates::Named('C')), xs(Alternates::Highest));
    let equal = alternatives().replace("  0.40", "  0.50").replace("  0.60", "  0.50");
    assert_eq!(with(&equal, &ReadOptions::default()).bfactor[0], 2.0, "of equal ones the first");
    assert_eq!(read(alternatives()).notes[0].text, "1 residue has alternate locations");
}

/// Some programs leave the first of two conformers without a letter.
#[test]
fn a_conformer_without_a_letter_is_an_alternative() {
    let atom = |name, letter, number: u32, occupancy: f64, x| {
        let line = atom_line(name, letter, "SER", &format!("A{number:4} "), x);
        let line = line.replace("  1.00", &format!("{occupancy:6.2}"));
        format!("{:<76}{:>2}  \n", line.trim_end(), &name.trim()[..1])
    };
    let plain =
        [atom(" N  ", ' ', 1, 1.0, 1.0), atom(" CA ", ' ', 1, 1.0, 2.0), atom(" CB ", ' ', 1, 1.0, 3.0)].concat();
    let two = |occupancy: f64| {
        [
            atom(" N  ", ' ', 2, 1.0, 4.0),
            atom(" CA ", ' ', 2, occupancy, 5.0),
            atom(" CB ", ' ', 2, occupancy, 6.0),
            atom(" CA ", 'A', 2, 1.0 - occupancy, 7.0),
            atom(" CB ", 'A', 2, 1.0 - occupancy, 8.0),
        ]
    };
    let xs = |text: &str, alternates| {
        let s = with(text, &ReadOptions { alternates, ..ReadOptions::default() });
        let last = s.n_residues() - 1;
        let begin = s.residue_atoms[last];
        let xs: Vec<_> = s.atoms[begin as usize..].iter().map(|a| (f64::from(a.x) + s.center[0]).round()).collect();
        (xs, s.bfactor[last], s.ca_indices[last] - begin)
    };
    let (unlettered, lettered) = ((vec![4.0, 5.0, 6.0], 5.0, 1), (vec![4.0, 7.0, 8.0], 7.0, 1));
    for occupancy in [0.3, 0.7] {
        let two = two(occupancy);
        let in_turn: String = [0, 1, 3, 2, 4].map(|line| two[line].as_str()).concat();
        // Also below a residue of the same name, whose lines are compared with those of this one.
        for text in [two.concat(), format!("{plain}{}", two.concat()), format!("{plain}{in_turn}")] {
            let best = if occupancy < 0.5 { &lettered } else { &unlettered };
            assert_eq!(xs(&text, Alternates::Highest), *best, "{text}");
            assert_eq!(xs(&text, Alternates::Named('A')), lettered, "{text}");
            assert_eq!(xs(&text, Alternates::First), unlettered, "{text}");
            assert_eq!(read(&text).notes[0].text, "1 residue has alternate locations", "{text}");
        }
    }
    // The same in mmCIF.
    let row = |id, name: &str, letter, occupancy, x: f64| {
        format!("ATOM {id} {} {name} {letter} SER A 2 {x:.3} 0.000 0.000 {occupancy} {x:.2} 2 A", &name[..1])
    };
    let rows = [row(1, "CA", '.', 0.3, 5.0), row(2, "CA", 'B', 0.7, 7.0)];
    let items = "group_PDB id type_symbol label_atom_id label_alt_id label_comp_id label_asym_id label_seq_id Cartn_x Cartn_y \
                 Cartn_z occupancy B_iso_or_equiv auth_seq_id auth_asym_id";
    let items: Vec<_> = items.split_whitespace().collect();
    let rows: Vec<Vec<&str>> = rows.iter().map(|row| row.split_whitespace().collect()).collect();
    let read = read(cif_of(&items, &rows));
    assert_eq!((read.structure.bfactor[0], read.structure.n_atoms()), (7.0, 1));
    assert!(read.notes.iter().any(|note| note.kind == NoteKind::Alternates));
}

/// A line of residue 1, with an occupancy.
fn atom(name: &str, alternate: char, residue: &str, occupancy: f64, x: f64) -> String {
    atom_line(name, alternate, residue, "A   1 ", x).replace("  1.00", &format!("{occupancy:6.2}"))
}

/// An atom without a letter that another residue of the same id has with a letter belongs to both.
#[test]
fn residues_with_one_id_share_atoms_without_a_letter() {
    let text = [
        atom(" N  ", ' ', "SER", 1.0, 1.0),
        atom(" CA ", 'A', "SER", 0.4, 2.0),
        atom(" N  ", 'B', "THR", 0.6, 3.0),
        atom(" CA ", 'B', "THR", 0.6, 4.0),
    ]
    .concat();
    let s = with(&text, &ReadOptions::default());
    assert_eq!((rows(&s), s.bfactor[0]), (vec!["THR THR 2".to_owned()], 4.0));
    assert_eq!((f64::from(s.atoms[0].x) + s.center[0]).round(), 1.0);
}

#[test]
fn of_several_residues_with_one_id_the_likeliest() {
    let text = [
        atom(" N  ", 'A', "MSE", 0.3, 1.0),
        atom(" CA ", 'A', "MSE", 0.3, 2.0),
        atom(" N  ", 'B', "SER", 0.7, 3.0),
        atom(" CA ", 'B', "SER", 0.7, 4.0),
        atom(" OG ", 'B', "SER", 0.7, 5.0),
    ]
    .concat();
    assert_eq!(rows(&structure(&text)), ["SER SER 3"]);
    assert_eq!(rows(&structure(text.replace("  0.70", "  0.20"))), ["MSE MET 2"]);
}

#[test]
fn ligands_cover_where_that_is_asked_for() {
    let text = [
        backbone("ALA", "A   1 ", 0.0).concat(),
        hetatm(atom_line(" P  ", ' ', "ATP", "A   2 ", 9.0)),
        hetatm(atom_line(" O  ", ' ', "HOH", "A   3 ", 12.0)),
        hetatm(atom_line("ZN  ", ' ', " ZN", "A   4 ", 15.0)),
    ]
    .concat();
    let s = with(&text, &ReadOptions { cover: true, ..ReadOptions::default() });
    assert_eq!((s.n_rows(), s.n_residues(), s.n_atoms()), (1, 2, 5));
    assert_eq!(s.atoms[3].radius, 1.8);
    assert!(!structure(&text).environment);
}
