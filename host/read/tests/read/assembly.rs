//! Biological assemblies and residue labels. Expected values come from gemmi 0.7.5 (`make_assembly`) or from the files.

use crate::read_common::{CRAMBIN_CIF, CRAMBIN_PDB, UBIQUITIN_PDB};
use prism_read::{NoteKind, ReadOptions, StructureInput, read_bytes, read_path};

/// HIV capsid: a dimer with a twofold axis and selenomethionines.
const CAPSID: &str = "../../tests/data/1a8o.cif.gz";

/// Two operators: the identity, and a shift by 50 Å along x.
const OPERATORS: &str = "\
loop_
_pdbx_struct_oper_list.id
_pdbx_struct_oper_list.matrix[1][1]
_pdbx_struct_oper_list.matrix[1][2]
_pdbx_struct_oper_list.matrix[1][3]
_pdbx_struct_oper_list.vector[1]
_pdbx_struct_oper_list.matrix[2][1]
_pdbx_struct_oper_list.matrix[2][2]
_pdbx_struct_oper_list.matrix[2][3]
_pdbx_struct_oper_list.vector[2]
_pdbx_struct_oper_list.matrix[3][1]
_pdbx_struct_oper_list.matrix[3][2]
_pdbx_struct_oper_list.matrix[3][3]
_pdbx_struct_oper_list.vector[3]
1 1 0 0 0.0  0 1 0 0 0 0 1 0
2 1 0 0 50.0 0 1 0 0 0 0 1 0
#
";

fn assembly(id: &str) -> ReadOptions {
    ReadOptions { assembly: Some(id.to_owned()), ..ReadOptions::default() }
}

/// The alpha carbon of a row in the file's frame.
fn alpha_carbon(structure: &StructureInput, row: usize) -> [f64; 3] {
    let atom = structure.atoms[structure.ca_indices[row] as usize];
    let center = structure.center;
    [f64::from(atom.x) + center[0], f64::from(atom.y) + center[1], f64::from(atom.z) + center[2]]
}

#[track_caller]
fn assert_near(found: [f64; 3], expected: [f64; 3]) {
    assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-3), "{found:?}, not {expected:?}");
}
#[test]
fn copies_of_chains_are_those_of_gemmi() {
    let read = read_path(CAPSID, "1a8o", &assembly("1")).unwrap();
    let dimer = read.structure;
    dimer.validate().unwrap();
    assert_eq!((dimer.n_residues(), &dimer.chains[..]), (140, &["A".to_owned(), "A-2".to_owned()][..]));
    assert_eq!((dimer.resname(0), dimer.resname(70), dimer.residue_numbers[70]), ("MSE", "MSE", 151));
    assert_near(alpha_carbon(&dimer, 0), [20.255, 33.101, 26.891]);
    assert_near(alpha_carbon(&dimer, 69), [22.536, 47.781, 8.491]);
    assert_near(alpha_carbon(&dimer, 70), [8.879, 21.725, 17.569]);
    assert_near(alpha_carbon(&dimer, 139), [-5.801, 19.444, 35.969]);
    let alone = read_path(CAPSID, "1a8o", &ReadOptions::default()).unwrap().structure;
    assert_eq!((alone.n_residues(), 2 * alone.n_atoms(), dimer.labels.len()), (70, dimer.n_atoms(), 0));
}

#[test]
fn a_copy_does_not_take_the_name_of_another_chain() {
    let text = "\
data_x
_pdbx_struct_assembly_gen.assembly_id 1
_pdbx_struct_assembly_gen.oper_expression 1,2
_pdbx_struct_assembly_gen.asym_id_list A,B
loop_
_atom_site.group_PDB
_atom_site.id
_atom_site.type_symbol
_atom_site.label_atom_id
_atom_site.label_alt_id
_atom_site.label_comp_id
_atom_site.label_asym_id
_atom_site.label_seq_id
_atom_site.auth_asym_id
_atom_site.auth_seq_id
_atom_site.Cartn_x
_atom_site.Cartn_y
_atom_site.Cartn_z
ATOM 1 C CA . GLY A 1 A   1 0 0 0
ATOM 2 C CA . ALA B 1 A-2 1 0 9 0
";
    let text = format!("{text}{OPERATORS}");
    let found = read_bytes(text.as_bytes(), "x", &assembly("1")).unwrap().structure;
    assert_eq!(found.chains, ["A", "A-2", "A-3", "A-2-2"]);
    let of = |chain: &str| {
        let own = |row: &usize| found.chains[found.chain_ids[*row] as usize] == chain;
        let rows: Vec<usize> = (0..found.n_residues()).filter(own).collect();
        let [row] = rows[..] else { panic!("{chain}: {rows:?}") };
        alpha_carbon(&found, row)
    };
    assert_near(of("A-2"), [0.0, 9.0, 0.0]);
    assert_near(of("A-3"), [50.0, 0.0, 0.0]);
    assert_near(of("A-2-2"), [50.0, 9.0, 0.0]);
}

#[test]
fn remark_350_is_the_same_assembly() {
    // Crambin, rotated about the axis of the capsid.
    let remark = "\
REMARK 350 BIOMOLECULE: 1
REMARK 350 APPLY THE FOLLOWING TO CHAINS: A
REMARK 350   BIOMT1   1  1.000000  0.000000  0.000000        0.00000
REMARK 350   BIOMT2   1  0.000000  1.000000  0.000000        0.00000
REMARK 350   BIOMT3   1  0.000000  0.000000  1.000000        0.00000
REMARK 350   BIOMT1   2  0.000000 -1.000000  0.000000       41.98000
REMARK 350   BIOMT2   2 -1.000000  0.000000  0.000000       41.98000
REMARK 350   BIOMT3   2  0.000000  0.000000 -1.000000       44.46000
";
    let atoms: String = CRAMBIN_PDB.split_inclusive('\n').filter(|line| !line.starts_with("REMARK 350")).collect();
    let text = format!("{remark}{atoms}");
    let both = read_bytes(text.as_bytes(), "x", &assembly("1")).unwrap().structure;
    assert_eq!((both.n_residues(), &both.chains[..]), (92, &["A".to_owned(), "A-2".to_owned()][..]));
    let [x, y, z] = alpha_carbon(&both, 5);
    assert_near(alpha_carbon(&both, 51), [41.98 - y, 41.98 - x, 44.46 - z]);
    assert_eq!((both.residue_numbers[5], both.b_column[5]), (both.residue_numbers[51], both.b_column[51]));
}

#[test]
fn what_covers_is_copied_with_its_chain() {
    // A residue, an ion of its chain 3 Å away, and an ion outside of the assembly.
    let text = "\
data_x
loop_
_atom_site.group_PDB
_atom_site.type_symbol
_atom_site.label_atom_id
_atom_site.label_comp_id
_atom_site.label_asym_id
_atom_site.auth_asym_id
_atom_site.label_seq_id
_atom_site.auth_seq_id
_atom_site.Cartn_x
_atom_site.Cartn_y
_atom_site.Cartn_z
ATOM   C  CA ALA A A 1 1 1.0 2.0 3.0
HETATM ZN ZN ZN  B A . 2 4.0 2.0 3.0
HETATM ZN ZN ZN  C A . 3 9.0 2.0 3.0
loop_
_pdbx_struct_assembly_gen.assembly_id
_pdbx_struct_assembly_gen.oper_expression
_pdbx_struct_assembly_gen.asym_id_list
x 1,2 A,B
";
    let options = ReadOptions { cover: true, ..assembly("x") };
    let text = format!("{text}{OPERATORS}");
    let read = read_bytes(text.as_bytes(), "x", &options).unwrap().structure;
    assert_eq!((read.n_rows(), read.n_residues(), read.n_atoms()), (2, 3, 4));
    let x = |atom: usize| f64::from(read.atoms[atom].x) + read.center[0];
    assert_eq!([0, 1, 2, 3].map(x).map(f64::round), [1.0, 51.0, 4.0, 54.0]);
}

#[test]
fn assemblies_that_are_not_there_are_named() {
    let refused = |text: &str, id: &str| read_bytes(text.as_bytes(), "x", &assembly(id)).unwrap_err().to_string();
    assert_eq!(refused(CRAMBIN_CIF, "7"), "x: no assembly 7; the file has 1");
    let bare: String = UBIQUITIN_PDB.split_inclusive('\n').filter(|line| line.starts_with("ATOM")).collect();
    assert_eq!(refused(&bare, "1"), "x: no assembly 1; the file describes none");
    let broken = CRAMBIN_CIF
        .replace("_pdbx_struct_assembly_gen.oper_expression   1", "_pdbx_struct_assembly_gen.oper_expression   9");
    assert!(broken != CRAMBIN_CIF, "the item stands otherwise");
    assert_eq!(refused(&broken, "1"), "x: assembly 1: there is no operator 9");
}

#[test]
fn the_identity_is_the_file_itself() {
    let (one, plain) =
        (read_bytes(CRAMBIN_CIF.as_bytes(), "x", &assembly("1")), crate::read_common::structure(CRAMBIN_CIF));
    crate::read_common::assert_same(&one.unwrap().structure, &plain);
}

#[test]
fn residues_have_their_labels() {
    let options = ReadOptions { labels: true, ..ReadOptions::default() };
    let of = |path: &str| read_path(path, "x", &options).unwrap().structure;
    // Urokinase: the author uses chymotrypsin numbers with insertion codes; UniProt's P00749 begins at 179.
    let urokinase = of("../../tests/data/4zhl.cif.gz");
    let row = (0..urokinase.n_residues())
        .find(|&row| urokinase.residue_numbers[row] == 37 && &*urokinase.insertion_codes[row] == "A")
        .expect("residue 37A");
    let labels = &urokinase.labels[row];
    assert_eq!((&*labels.asym_id, &*labels.entity_id, &*labels.uniprot_accession), ("A", "1", "P00749"));
    assert_eq!(labels.uniprot_number, labels.seq_id.map(|seq| seq + 178));
    let inhibitor = urokinase.labels.last().unwrap();
    assert_eq!((&*inhibitor.asym_id, &*inhibitor.uniprot_accession, inhibitor.uniprot_number), ("B", "", None));
    // PDB files have only DBREF.
    let ubiquitin = read_bytes(UBIQUITIN_PDB.as_bytes(), "x", &options).unwrap().structure;
    let labels = &ubiquitin.labels[47];
    assert_eq!((&*labels.asym_id, labels.seq_id, labels.uniprot_number), ("", None, Some(48)));
    assert!(!labels.uniprot_accession.is_empty());
    assert!(crate::read_common::structure(CRAMBIN_CIF).labels.is_empty(), "labels that nobody asked for");
}

#[test]
fn residues_of_sifts_come_before_stretches() {
    let sifts = "\
loop_
_pdbx_sifts_xref_db.entity_id
_pdbx_sifts_xref_db.asym_id
_pdbx_sifts_xref_db.seq_id
_pdbx_sifts_xref_db.unp_res
_pdbx_sifts_xref_db.unp_num
_pdbx_sifts_xref_db.unp_acc
1 A 3 C 103 Q00000
1 A 4 ? ?   ?
#
";
    let options = ReadOptions { labels: true, ..ReadOptions::default() };
    let read = read_bytes(format!("{CRAMBIN_CIF}{sifts}").as_bytes(), "x", &options).unwrap().structure;
    let of = |row: usize| (&*read.labels[row].uniprot_accession, read.labels[row].uniprot_number);
    assert_eq!((of(2), of(3)), (("Q00000", Some(103)), ("P01542", Some(4))));
}

#[test]
fn files_whose_assembly_is_another_say_so() {
    let notes = |path: &str, options: &ReadOptions| -> Vec<String> {
        let read = read_path(path, "x", options).unwrap();
        read.notes.into_iter().filter(|note| note.kind == NoteKind::Assembly).map(|note| note.text).collect()
    };
    let plain = ReadOptions::default();
    let labels = ReadOptions { labels: true, ..ReadOptions::default() };
    // A monomer whose dimer has a twofold axis; crambin and ubiquitin are their assemblies.
    for options in [&plain, &labels] {
        let found = notes(CAPSID, options);
        assert!(found.len() == 1 && found[0].starts_with("its assembly 1 has 2 copies of its chains"), "{found:?}");
    }
    assert!(notes(CAPSID, &assembly("1")).is_empty());
    for path in
        ["../tests/data/1crn.pdb", "../tests/data/1crn.cif", "../tests/data/1crn.bcif", "../tests/data/1ubq.pdb"]
    {
        assert!(notes(path, &plain).is_empty(), "{path}");
    }
    let halves = "\
REMARK 350 BIOMOLECULE: 1
REMARK 350 APPLY THE FOLLOWING TO CHAINS: A
REMARK 350   BIOMT1   1  1.000000  0.000000  0.000000        0.00000
REMARK 350   BIOMT2   1  0.000000  1.000000  0.000000        0.00000
REMARK 350   BIOMT3   1  0.000000  0.000000  1.000000        0.00000
REMARK 350 BIOMOLECULE: 2
REMARK 350 APPLY THE FOLLOWING TO CHAINS: B
REMARK 350   BIOMT1   1  1.000000  0.000000  0.000000        0.00000
REMARK 350   BIOMT2   1  0.000000  1.000000  0.000000        0.00000
REMARK 350   BIOMT3   1  0.000000  0.000000  1.000000        0.00000
ATOM      1  CA  GLY A   1       1.000   2.000   3.000  1.00 10.00           C
ATOM      2  CA  ALA B   7       4.800   2.000   3.000  1.00 12.00           C
END
";
    let read = read_bytes(halves.as_bytes(), "x", &plain).unwrap();
    assert!(read.notes[0].text.starts_with("its assembly 1 has 1 of 2 chains"), "{:?}", read.notes);
}
