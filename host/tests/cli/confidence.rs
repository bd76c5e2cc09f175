//! Predicted models: the column `plddt`, its scale and where it is from.

use crate::command::{Run, column, predicted, shipped};
use std::fs;

/// The confidence of a residue.
fn level(number: i32) -> f64 {
    // Along the chain it rises and falls slowly, as in predicted models.
    f64::from(30 + ((3 * number + 40) % 120 - 60).abs())
}

fn plddt(run: &Run, name: &str) -> (Vec<String>, String) {
    let outcome = run.features(&[name, "--columns", "plddt", "-v"]);
    assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    (column(&outcome.stdout, "plddt"), outcome.stderr)
}

fn expected(digits: usize) -> Vec<String> {
    (1..=76).map(|number| format!("{:.digits$}", level(number))).collect()
}

/// An mmCIF file of the atoms in a PDB file, after or before other items.
fn as_cif(pdb: &str, before: &str, after: &str) -> String {
    let mut text = format!("data_X\n{before}loop_\n");
    for item in [
        "group_PDB",
        "id",
        "type_symbol",
        "label_atom_id",
        "label_alt_id",
        "label_comp_id",
        "label_asym_id",
        "label_entity_id",
        "label_seq_id",
        "Cartn_x",
        "Cartn_y",
        "Cartn_z",
        "occupancy",
        "B_iso_or_equiv",
        "auth_seq_id",
        "auth_asym_id",
    ] {
        text.push_str(&format!("_atom_site.{item}\n"));
    }
    for line in pdb.lines().filter(|line| line.starts_with("ATOM")) {
        let of = |range: std::ops::Range<usize>| line[range].trim();
        let (number, name) = (of(22..26), of(12..16));
        text.push_str(&format!(
            "ATOM {} {} {name} . {} A 1 {number} {} {} {} 1.0 {} {number} A\n",
            of(6..11),
            of(76..78),
            of(17..20),
            of(30..38),
            of(38..46),
            of(46..54),
            of(60..66)
        ));
    }
    format!("{text}#\n{after}")
}

const METRIC: &str = "loop_\n_ma_qa_metric.id\n_ma_qa_metric.name\n_ma_qa_metric.type\n1 pLDDT pLDDT\n#\n";

#[test]
fn confidences_have_one_scale_and_a_source() {
    let run = Run::new();
    let (whole, shares) = (predicted("", |number, _| level(number)), predicted("", |number, _| level(number) / 100.0));
    let title = "TITLE     ALPHAFOLD MONOMER V2.0 PREDICTION\n";
    run.put("header.pdb", format!("{title}{whole}"));
    run.put("header_shares.pdb", format!("{title}{shares}"));
    run.put("metric.cif", as_cif(&whole, METRIC, ""));
    run.put("metric_behind.cif", as_cif(&shares, "", METRIC));
    run.put("AF-P0CG48-F1-model_v4.pdb", &whole);
    run.put("guess.pdb", &whole);
    run.put("guess_shares.pdb", &shares);
    for (name, source) in [
        ("header.pdb", "as its TITLE or REMARK says"),
        ("header_shares.pdb", "as its TITLE or REMARK says; its values from 0 to 1 are written from 0 to 100"),
        ("metric.cif", "as its _ma_qa_metric says"),
        ("metric_behind.cif", "as its _ma_qa_metric says; its values from 0 to 1 are written from 0 to 100"),
        ("AF-P0CG48-F1-model_v4.pdb", "as its file's name says"),
        ("guess.pdb", "as it seems: it has one value for each residue"),
        ("guess_shares.pdb", "as it seems: it has one value for each residue"),
    ] {
        let (found, notes) = plddt(&run, name);
        assert_eq!(found, expected(1), "{name}");
        assert!(
            notes.contains(&format!("note: {name}: its B column is a predictor's confidence (pLDDT), {source}")),
            "{notes}"
        );
        assert!(notes.contains("note: 1 structure has a predictor's confidence in the B column"), "{notes}");
    }
    // The file's own values remain, and none of them is a B factor.
    let raw = run.features(&["header_shares.pdb", "--columns", "b_factor,bfactor_z"]).stdout;
    assert_eq!(column(&raw, "b_factor")[0], "0.47");
    assert!(column(&raw, "bfactor_z").iter().all(String::is_empty));
    // Packed, they are the same.
    assert_eq!(run.prism(&["pack", "metric_behind.cif", "guess.pdb", "-o", "set.arrow"]).status, 0);
    let (packed, notes) = plddt(&run, "set.arrow");
    assert_eq!(packed, [expected(1), expected(1)].concat());
    assert!(notes.contains("note: 2 structures have a predictor's confidence"), "{notes}");
}

#[test]
fn confidences_of_atoms_are_averaged() {
    let run = Run::new();
    let by_atom = predicted("", |number, atom| level(number) - 4.0 + atom as f64);
    let count = |number: i32| {
        by_atom.lines().filter(|line| line.starts_with("ATOM") && line[22..26].trim() == number.to_string()).count()
    };
    // The mean of consecutive numbers lies in their middle.
    let means: Vec<f64> = (1..=76).map(|number| level(number) - 4.0 + (count(number) as f64 - 1.0) / 2.0).collect();
    run.put("header.pdb", format!("REMARK   1 ESMFOLD V1\n{by_atom}"));
    run.put("metric.cif", as_cif(&by_atom, METRIC, ""));
    run.put("metric_behind.cif", as_cif(&by_atom, "", METRIC));
    run.put("x_alphafold2_model_1.pdb", &by_atom);
    for name in ["header.pdb", "metric.cif", "metric_behind.cif", "x_alphafold2_model_1.pdb"] {
        let (found, notes) = plddt(&run, name);
        for (found, mean) in found.iter().zip(&means) {
            assert!((found.parse::<f64>().unwrap() - mean).abs() < 1e-4, "{name}: {found} {mean}");
        }
        assert!(found.len() == 76 && notes.contains("of which the mean is taken"), "{name}: {notes}");
    }
    // The alpha carbon is the second atom.
    let raw = run.features(&["header.pdb", "--columns", "b_factor"]).stdout;
    assert_eq!(column(&raw, "b_factor")[0].parse::<f64>().unwrap(), level(1) - 3.0);
    // Without anything that says so, they cannot be told from B factors.
    run.put("headless.pdb", &by_atom);
    let (found, notes) = plddt(&run, "headless.pdb");
    assert!(found.iter().all(String::is_empty));
    assert!(
        notes.contains("note: headless.pdb: its B column may be a predictor's confidence for each atom"),
        "{notes}"
    );
    assert!(notes.contains("note: 1 structure has B columns that may be a predictor's confidence"), "{notes}");
    assert!(run.prism(&["check", "headless.pdb"]).stdout.contains("may be a predictor's confidence"));
    // An experiment leaves no doubt.
    run.put("experiment.pdb", format!("EXPDTA    X-RAY DIFFRACTION\n{by_atom}"));
    assert!(!plddt(&run, "experiment.pdb").1.contains("confidence"));
}

#[test]
fn structures_are_coloured_by_confidence() {
    let run = Run::new();
    run.put("model.pdb", predicted("TITLE     ALPHAFOLD\n", |number, _| level(number) / 100.0));
    run.copy(&shipped("1ubq.pdb"), "experiment.pdb");
    let arguments = [
        "model.pdb",
        "experiment.pdb",
        "--columns",
        "sasa",
        "--write-structures",
        "out",
        "--color-by",
        "plddt",
        "-o",
        "t.csv",
    ];
    assert_eq!(run.features(&arguments).status, 0);
    let coloured = run.features(&["out/model.pdb", "--columns", "b_factor"]).stdout;
    assert_eq!(column(&coloured, "b_factor"), expected(1));
    let none = run.features(&["out/experiment.pdb", "--columns", "b_factor"]).stdout;
    assert!(column(&none, "b_factor").iter().all(|value| value == "-999.0"));
    let [pymol, chimerax] =
        ["pml", "cxc"].map(|end| fs::read_to_string(run.path(&format!("out/model.pdb.{end}"))).unwrap());
    assert!(
        pymol.contains("color plddt_very_high, structure and b > 90") && pymol.contains("load model.pdb, structure"),
        "{pymol}"
    );
    assert!(chimerax.contains("palette alphafold") && chimerax.contains("open model.pdb"), "{chimerax}");
}
