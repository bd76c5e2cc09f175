//! Which records become residues and atoms.

use crate::read_common::*;
use prism_read::{ReadOptions, StructureInput, read_bytes};
use shared_types::NO_CA;

/// The standard residues of a text, each atom in its first alternate location.
fn standard(text: String) -> StructureInput {
    read_bytes(text.as_bytes(), "x", &ReadOptions::standard()).unwrap().structure
}

/// Absolute x of each atom, in Å to three decimals.
fn xs(s: &StructureInput) -> Vec<f64> {
    s.atoms.iter().map(|a| ((f64::from(a.x) + s.center[0]) * 1000.0).round() / 1000.0).collect()
}

#[test]
fn whole_entries() {
    let crambin = structure(CRAMBIN_PDB);
    assert_eq!((crambin.n_residues(), crambin.n_atoms()), (46, 327));
    assert_eq!(crambin.chains, ["A"]);
    assert_eq!(rows(&crambin)[..2], ["A 1 THR 7", "A 2 THR 7"]);
    assert_eq!(rows(&crambin)[45], "A 46 ASN 9");
    // The CA of THR 1 is the second atom, with a B factor of 10.80.
    assert_eq!((crambin.ca_indices[0], crambin.bfactor[0]), (1, 10.80));
    assert_eq!([crambin.atoms[0].radius, crambin.atoms[1].radius, crambin.atoms[2].radius], [1.64, 1.88, 1.61]);
    assert!(
        crambin.conservation.iter().chain(&crambin.gisaid_freq).chain(&crambin.gisaid_velocity).all(|v| v.is_nan())
    );
    let ubiquitin = structure(UBIQUITIN_PDB);
    assert_eq!((ubiquitin.n_residues(), ubiquitin.n_atoms()), (76, 602));
}

#[test]
fn both_formats_of_one_entry_are_the_same() {
    assert_same(&structure(CRAMBIN_PDB), &structure(CRAMBIN_CIF));
}

#[test]
fn the_center_is_the_bounding_boxs_midpoint() {
    let s = structure(CRAMBIN_PDB);
    let column = |at: usize| {
        let values = CRAMBIN_PDB.lines().filter(|l| l.starts_with("ATOM")).map(move |l| l[at..at + 8].trim().parse());
        values.map(Result::unwrap).collect::<Vec<f64>>()
    };
    for (axis, at) in [30, 38, 46].into_iter().enumerate() {
        let values = column(at);
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        assert_eq!(s.center[axis], 0.5 * (low + high));
        for (atom, value) in s.atoms.iter().zip(values) {
            assert_eq!([atom.x, atom.y, atom.z][axis], (value - s.center[axis]) as f32);
        }
    }
}

#[test]
fn the_first_alternate_location_of_each_name() {
    let text = [
        atom_line(" N  ", ' ', "SER", "A   1 ", 1.0),
        atom_line(" CA ", 'B', "SER", "A   1 ", 2.0),
        atom_line(" CA ", 'A', "SER", "A   1 ", 3.0),
        atom_line(" OG ", 'A', "SER", "A   1 ", 4.0),
        atom_line(" OG ", 'B', "SER", "A   1 ", 5.0),
    ];
    let s = standard(text.concat());
    assert_eq!(xs(&s), [1.0, 2.0, 4.0]);
    assert_eq!(s.bfactor, [2.0]);
}

#[test]
fn of_several_names_with_one_id_the_first_standard_one() {
    let text = [
        atom_line(" N  ", 'A', "MSE", "A   1 ", 1.0),
        atom_line(" N  ", 'B', "SER", "A   1 ", 2.0),
        atom_line(" N  ", 'C', "THR", "A   1 ", 3.0),
        atom_line(" CA ", 'B', "SER", "A   1 ", 4.0),
        atom_line(" CA ", 'C', "THR", "A   1 ", 5.0),
        atom_line(" CB ", 'C', "THR", "A   1 ", 6.0),
    ];
    let s = standard(text.concat());
    assert_eq!(rows(&s), ["A 1 SER 2"]);
    assert_eq!(xs(&s), [2.0, 4.0]);
}

#[test]
fn hydrogens_are_left_out_by_name_and_else_by_element() {
    let with_element = |name: &str, element: &str, x: f64| {
        format!("{:<76}{element:>2}\n", atom_line(name, ' ', "MET", "A   1 ", x).trim_end())
    };
    let text = [
        with_element(" N  ", "N", 1.0),
        with_element(" HA ", "H", 2.0),
        // In an amino acid the name counts, whatever the element column has.
        with_element(" CE ", "D", 3.0),
        with_element("HG  ", "C", 4.0),
        with_element("1HB ", "", 5.0),
        with_element(" HE1", "X", 6.0),
        with_element(" SD ", "X", 7.0),
        atom_line(" HB2", ' ', "MET", "A   1 ", 8.0),
        atom_line(" D  ", ' ', "MET", "A   1 ", 9.0),
        atom_line(" C  ", ' ', "MET", "A   1 ", 10.0),
        atom_line(" H  ", ' ', "GLY", "A   2 ", 11.0),
    ];
    let s = structure(text.concat());
    assert_eq!(xs(&s), [1.0, 3.0, 7.0, 10.0]);
    // A residue with only hydrogens has no row.
    assert_eq!(rows(&s), ["A 1 MET 4"]);
}

#[test]
fn residues_are_runs_and_never_merge() {
    let text = [
        atom_line(" CA ", ' ', "SER", "A   1 ", 1.0),
        atom_line(" CA ", ' ', "SER", "A   1A", 2.0),
        atom_line(" CB ", ' ', "SER", "A   1 ", 3.0),
        atom_line(" CA ", ' ', "SER", "B   1 ", 4.0),
        atom_line(" CA ", ' ', "SER", "A  -1 ", 5.0),
        // A HETATM of another residue separates the two runs; one of the same residue does not.
        atom_line(" CA ", ' ', "GLY", "A   7 ", 6.0),
        atom_line(" O  ", ' ', "HOH", "A   8 ", 7.0).replace("ATOM  ", "HETATM"),
        atom_line(" C  ", ' ', "GLY", "A   7 ", 8.0),
        atom_line(" O  ", ' ', "HOH", "A   7 ", 9.0).replace("ATOM  ", "HETATM"),
        "TER\nANISOU\n".to_owned(),
        atom_line(" O  ", ' ', "GLY", "A   7 ", 10.0),
        atom_line(" CA ", ' ', "ALA", "    9 ", 11.0),
    ];
    let s = structure(text.concat());
    let expected =
        ["A 1 SER 1", "A 1A SER 1", "A 1 SER 1", "B 1 SER 1", "A -1 SER 1", "A 7 GLY 1", "A 7 GLY 2", "  9 ALA 1"];
    assert_eq!(rows(&s), expected);
    assert_eq!(s.chains, ["A", "B", " "]);
    assert_eq!(s.chain_ids, [0, 0, 0, 1, 0, 0, 0, 2]);
    assert_eq!(s.ca_indices, [0, 1, NO_CA, 3, 4, 5, NO_CA, 8]);
}

#[test]
fn hybrid_36_residue_numbers() {
    let numbers = ["9999", "A000", "A001", "ZZZZ", "a000"].iter().enumerate();
    let text: Vec<_> =
        numbers.map(|(i, number)| atom_line(" CA ", ' ', "SER", &format!("A{number} "), i as f64)).collect();
    assert_eq!(structure(text.concat()).residue_numbers, [9999, 10_000, 10_001, 1_223_055, 1_223_056]);
}

#[test]
fn the_first_model_only() {
    let model = |n: usize, x: f64| format!("MODEL     {n:>4}\n{}", atom_line(" CA ", ' ', "SER", "A   1 ", x));
    let first = xs(&structure(model(1, 1.0)));
    for text in [
        format!("{}ENDMDL\n{}ENDMDL\nEND\n", model(1, 1.0), model(2, 2.0)),
        format!("{}{}", model(1, 1.0), model(2, 2.0)),
        format!("{}ENDMDL\nATOM   damaged\n", model(1, 1.0)),
    ] {
        assert_eq!(xs(&structure(text)), first);
    }
    let (items, mut rows) = crambin_loop();
    rows[327 - 20..].iter_mut().for_each(|row| *row.last_mut().unwrap() = "2");
    assert_eq!(structure(cif_of(&items, &rows)).n_atoms(), 327 - 20);
    // Models may alternate.
    rows[320..].iter_mut().for_each(|row| *row.last_mut().unwrap() = "1");
    assert_eq!(structure(cif_of(&items, &rows)).n_atoms(), 327 - 13);
}

#[test]
fn chains_asked_for() {
    let text: String = ["A", "B", "A", "C", " "]
        .iter()
        .enumerate()
        .map(|(i, chain)| atom_line(" CA ", ' ', "SER", &format!("{chain}{i:>4} "), i as f64))
        .collect();
    let chains = |ids: &[&str]| {
        let options =
            ReadOptions { chains: Some(ids.iter().map(|&id| id.to_owned()).collect()), ..ReadOptions::default() };
        read_bytes(text.as_bytes(), "x", &options)
    };
    assert_eq!(rows(&chains(&["A"]).unwrap().structure), ["A 0 SER 1", "A 2 SER 1"]);
    assert_eq!(rows(&chains(&["C", "B"]).unwrap().structure), ["B 1 SER 1", "C 3 SER 1"]);
    assert_eq!(rows(&chains(&[" "]).unwrap().structure), ["  4 SER 1"]);
    assert_eq!(rows(&chains(&[""]).unwrap().structure), ["  4 SER 1"]);
    let some = chains(&["A", "X"]).unwrap();
    assert_eq!(some.warnings, ["chain \"X\", which was requested, has no protein residues"]);
    let none = chains(&["X", "a"]).unwrap_err().to_string();
    assert_eq!(none, "x: no protein residues in the requested chains (X,a); the file has A,B,C,\" \"");
    // Other chains are dropped before their coordinates are read.
    let damaged = text.replace("   1.000", "********");
    let options = ReadOptions { chains: Some(vec!["A".to_owned()]), ..ReadOptions::default() };
    assert_eq!(read_bytes(damaged.as_bytes(), "x", &options).unwrap().structure.n_residues(), 2);
    assert!(refusal(damaged).contains("line 2"));
}

#[test]
fn b_factors() {
    let line = atom_line(" CA ", ' ', "SER", "A   1 ", 1.0);
    for (columns, value) in
        [("  1.25", 1.25f32), ("100.00", 100.0), (" -3.50", -3.5), ("0     ", 0.0), ("      ", f32::NAN)]
            .into_iter()
            .chain(["******", "   nan", "   inf", " 1 2.0", "1.0e+1"].map(|bad| (bad, f32::NAN)))
    {
        let s = structure(format!("{}{columns}\n", &line[..60]));
        assert_eq!(s.bfactor[0].to_bits(), value.to_bits(), "{columns:?}");
    }
    let (items, mut rows) = crambin_loop();
    let b = items.iter().position(|&i| i == "B_iso_or_equiv").unwrap();
    for (row, value) in [(1, "?"), (8, "1.5(2)"), (15, "bad")] {
        rows[row][b] = value;
    }
    let s = structure(cif_of(&items, &rows));
    assert_eq!(s.ca_indices[..3], [1, 8, 15]);
    assert!(s.bfactor[0].is_nan() && s.bfactor[2].is_nan());
    assert_eq!(s.bfactor[1], 1.5);
}

#[test]
fn predicted_models_have_no_b_factor() {
    let atoms = ubiquitin_atoms(50);
    let is_predicted = |text: String| structure(text).bfactor.iter().all(|b| b.is_nan());
    for header in [
        "TITLE     ALPHAFOLD MONOMER V2.0 PREDICTION FOR X",
        "REMARK   1 ESMFold v1",
        "REMARK   6 MEAN PLDDT 91.2",
        "REMARK B COLUMN: pLDDT",
    ] {
        assert!(is_predicted(format!("{header}\n{atoms}")), "{header}");
    }
    for header in ["HEADER    ALPHAFOLD", "COMPND    PLDDT", "TITLE     ALPHA FOLD"] {
        assert!(!is_predicted(format!("{header}\n{atoms}")), "{header}");
    }

    // An experiment whose starting model was predicted is none.
    let remark = "REMARK 200 STARTING MODEL: ALPHAFOLD\n";
    assert!(!is_predicted(format!("EXPDTA    X-RAY DIFFRACTION\n{remark}{atoms}")));
    assert!(is_predicted(format!("EXPDTA    THEORETICAL MODEL\n{remark}{atoms}")));

    let (items, rows) = crambin_loop();
    let block = cif_of(&items, &rows);
    let metric = "loop_\n_ma_qa_metric.id\n_ma_qa_metric.name\n_ma_qa_metric.type\n";
    for metadata in [
        format!("{metric}1 pLDDT x\n"),
        format!("{metric}1 x PLDDT\n"),
        format!("{metric}1 ipTM ipTM 2 'mean\tplddt'\n;\nother\n;\n"),
        "_ma_qa_metric.name 'Predicted LDDT (pLDDT)'\n".to_owned(),
        "_MA_QA_Metric.Type pLDDT\n".to_owned(),
    ] {
        assert!(is_predicted(format!("{block}{metadata}")), "{metadata}");
        assert!(is_predicted(block.replace("data_X\n", &format!("data_X\n{metadata}"))), "{metadata}");
    }
    for metadata in [
        format!("{metric}1 ipTM ipTM\n"),
        "_ma_qa_metric.description pLDDT\n".to_owned(),
        "_other.name pLDDT\n".to_owned(),
        "save_x\n_ma_qa_metric.name pLDDT\nsave_\n".to_owned(),
        "data_Y\n_ma_qa_metric.name pLDDT\n".to_owned(),
    ] {
        assert!(!is_predicted(format!("{block}{metadata}")), "{metadata}");
    }
    assert!(!is_predicted(format!("data_W\n_ma_qa_metric.name pLDDT\n{block}")));
}
