//! B columns: whose values are B factors, a predictor's confidences, or others.

use crate::programs::*;
use crate::read_common::*;
use prism_read::{NoteKind, ReadOptions, each_atom, read_bytes, with_b_column};

/// The kinds of notes about the B column of a file with a name, and whether it is taken for confidences.
fn b_column(text: &str, name: &str) -> (bool, Vec<&'static str>) {
    let read = read_bytes(text.as_bytes(), name, &ReadOptions::default()).unwrap();
    let kinds = [NoteKind::Confidence, NoteKind::MaybeConfidence, NoteKind::OtherValues, NoteKind::Contradiction];
    let found = kinds.into_iter().filter(|kind| !note(&read, *kind).is_empty()).map(NoteKind::name).collect();
    (read.structure.predicted, found)
}

#[test]
fn values_of_other_programs_are_no_confidences() {
    let number = |line: &str| line[22..26].trim().parse::<f64>().unwrap();
    let of = |value: &dyn Fn(&str) -> f64| ubiquitin(1..=76, |line| with(line, 61, &format!("{:6.2}", value(line))));
    let waves = |line: &str| (number(line) / 5.0).sin();
    // Like no confidences: areas, in percent and as shares, fluctuations, grades, charges of residues.
    let areas = of(&|line| (number(line) * 37.0) % 101.0);
    let shares = of(&|line| ((number(line) * 37.0) % 101.0) / 100.0);
    let fluctuations = of(&|line| 2.5 + waves(line));
    let grades = of(&|line| 1.0 + (number(line) * 7.0) % 9.0);
    let charges = of(&|line| (number(line) % 3.0) - 1.0);
    let title = "TITLE     ALPHAFOLD MONOMER V2.0 PREDICTION\n";
    for text in [&areas, &shares, &fluctuations, &grades] {
        assert_eq!(b_column(text, "x.pdb"), (false, vec!["maybe-confidence"]));
        // What a header says counts, and low values are said.
        let read = read(format!("{title}{text}"));
        assert!(read.structure.predicted);
        let is_low = text == &fluctuations || text == &grades;
        assert_eq!(note(&read, NoteKind::Confidence).contains("is low for confidences"), is_low);
    }
    assert_eq!(b_column(&fluctuations, "AF-P0CG48-F1-model_v4.pdb"), (false, vec!["maybe-confidence"]));
    assert_eq!(b_column(&charges, "x.pdb"), (false, vec![]));
    assert_eq!(b_column(&format!("{title}{charges}"), "x.pdb"), (false, vec!["maybe-confidence"]));
    // Like confidences, also from 0 to 1.
    for factor in [1.0, 0.01] {
        let text = of(&|line| factor * (80.0 + 15.0 * waves(line)));
        assert_eq!(b_column(&text, "x.pdb"), (true, vec!["confidence"]));
    }
}

#[test]
fn a_b_column_that_prism_wrote_is_what_the_file_says() {
    let confident = |line: &str| {
        with(line, 61, &format!("{:6.2}", 80.0 + 15.0 * (line[22..26].trim().parse::<f64>().unwrap() / 5.0).sin()))
    };
    let pdb = format!("TITLE     ALPHAFOLD MONOMER V2.0 PREDICTION\n{}", ubiquitin(1..=76, confident));
    let cif = as_cif(
        "loop_\n_ma_qa_metric.id\n_ma_qa_metric.name\n_ma_qa_metric.type\n1 pLDDT pLDDT\n#\n",
        ubiquitin(1..=76, same).lines().map(|line| (line.to_owned(), ["A", "1", "*"])),
    );
    // With a B column.
    let cif = cif.replace("_atom_site.group_PDB\n", "_atom_site.group_PDB\n_atom_site.B_iso_or_equiv\n");
    let cif = cif.replace("\nATOM ", "\nATOM 91.50 ");
    for (text, name) in [(pdb, "x.pdb"), (cif, "x.cif")] {
        assert_eq!(b_column(&text, name), (true, vec!["confidence"]));
        for (holds, expected) in [
            ("depth in Å", (false, vec!["other-values"])),
            ("rsa, in hundredths; -999 for no value", (false, vec!["other-values"])),
            ("b_factor in Å^2", (false, vec![])),
            ("plddt", (true, vec!["confidence"])),
        ] {
            let changed = with_b_column(text.as_bytes(), name, holds, |residue| 50.0 + residue.number as f32 / 2.0);
            let changed = String::from_utf8(changed.unwrap()).unwrap();
            assert_eq!(b_column(&changed, name), expected, "{name} {holds}");
            let s = read(&changed).structure;
            // The values are there, as what they are.
            assert_eq!((s.b_column[0], s.b_column[75]), (50.5, 88.0));
            assert_eq!(s.bfactor[0].is_nan(), !holds.starts_with("b_factor"));
            let mut values = Vec::new();
            let each = each_atom(changed.as_bytes(), name, &mut |atom| {
                values.push(atom.b);
                Ok(())
            });
            each.unwrap();
            assert_eq!(values[0].is_nan(), expected.1 == ["other-values"]);
        }
    }
}

#[test]
fn a_column_of_zeros_is_no_confidence() {
    let title = "TITLE     AlphaFold model in water t=   0.00000\n";
    for (value, is_confidence) in [("  0.00", false), ("  1.00", false), (" 91.00", true)] {
        let text = format!("{title}{}", ubiquitin(1..=76, |line| with(line, 61, value)));
        assert_eq!(read(text).structure.predicted, is_confidence, "{value}");
    }
}

#[test]
fn a_ligand_leaves_the_confidences_of_residues() {
    let confidence =
        |line: &str| with(line, 61, &format!("{:6.2}", 40.0 + line[22..26].trim().parse::<f64>().unwrap() / 2.0));
    let own = |line: &str| with(line, 61, &format!("{:6.2}", 50.0 + f64::from(line.as_bytes()[13] % 32)));
    let is_modified = |line: &str| line[22..26].trim() == "20";
    let protein = |line: &str| if is_modified(line) { with(&own(line), 18, "SEP") } else { confidence(line) };
    let ligand: String = (0..6_u8)
        .map(|i| {
            format!(
                "HETATM  9{i:02}  C{i}  LIG B   1      60.000  24.4{i}0   2.614  1.00{:6.2}           C\n",
                50.0 + f64::from(i)
            )
        })
        .collect();
    let text = ubiquitin(1..=76, protein);
    let read = read(format!("{text}{ligand}"));
    assert!(read.structure.predicted, "{:?}", read.notes);
    assert_eq!((read.structure.plddt[0], read.structure.plddt[75]), (40.5, 78.0));
    let of_modified: Vec<f64> =
        text.lines().filter(|line| is_modified(line)).map(|line| line[60..66].trim().parse().unwrap()).collect();
    let mean = of_modified.iter().sum::<f64>() / of_modified.len() as f64;
    assert!((f64::from(read.structure.plddt[19]) - mean).abs() < 1e-4);
    // B factors differ within standard residues, whatever the records are called.
    let hetero = ubiquitin(1..=76, |line| with(&with(line, 1, "HETATM"), 22, "A"));
    assert!(!crate::read_common::read(hetero).structure.predicted);
}
