//! Predictions whose molecules share a chain id: they are those that the reader finds in any file.

use crate::broken_predictions::{changed, files, messages, read_changed};
use prism_host::confidence::{Cutoffs, PAIR_NUMBERS, Prediction};
use prism_host::read::{Polymers, ReadOptions, read_bytes};
use serde_json::Value;

const AF2_MODEL: &str = "unrelaxed_model_1_multimer_v3_pred_0.pdb";

/// The lines of atoms of a PDB file changed, and other lines kept if they are wanted.
fn with_lines(bytes: &[u8], change: impl Fn(&str) -> String, keeps: impl Fn(&str) -> bool) -> Vec<u8> {
    let text = std::str::from_utf8(bytes).unwrap();
    let lines = text.lines().filter(|line| line.starts_with("ATOM") || keeps(line));
    let lines = lines.map(|line| if line.starts_with("ATOM") { change(line) } else { line.to_owned() });
    (lines.collect::<Vec<_>>().join("\n") + "\n").into_bytes()
}

/// An atom's line with the chain id A.
fn of_a(line: &str) -> String {
    format!("{}A{}", &line[..21], &line[22..])
}

/// The same, and numbers of the second molecule behind those of the first.
fn numbered_on(line: &str) -> String {
    let number: i32 = line[22..26].trim().parse().unwrap();
    let number = if &line[21..22] == "B" { number + 28 } else { number };
    format!("{}A{number:>4}{}", &line[..21], &line[26..])
}

/// The same as [`of_a`], with segment ids.
fn with_segments(line: &str) -> String {
    let segment = if &line[21..22] == "B" { "PRB" } else { "PRA" };
    let atom = of_a(line);
    format!("{:<72}{segment:<4}{}", &atom[..72], atom.get(76..).unwrap_or_default())
}

fn numbers(prediction: &Prediction) -> Vec<[u32; 28]> {
    let scores = prediction.scores(Cutoffs::default());
    scores.pairs.iter().map(|pair| pair.numbers.map(f32::to_bits)).collect()
}

#[test]
fn molecules_of_one_chain_id_are_those_of_the_reader() {
    let whole = read_changed("af2", AF2_MODEL, &<[u8]>::to_vec);
    assert_eq!((&whole.chains[..], &whole.warnings[..]), (&["A".to_owned(), "B".to_owned()][..], &[][..]));
    let (all, no_ter) = (|_: &str| true, |line: &str| line != "TER");
    let cases: [(&str, Vec<u8>, &[&str]); 4] = [
        ("numbers restart", with_lines(&model(), of_a, no_ter), &["A", "A~2"]),
        ("numbers restart behind TER", with_lines(&model(), of_a, all), &["A", "A~2"]),
        ("numbers go on behind TER", with_lines(&model(), numbered_on, all), &["A", "A~2"]),
        ("segments", with_lines(&model(), with_segments, no_ter), &["PRA", "PRB"]),
    ];
    for (case, bytes, expected) in cases {
        let read = read_changed("af2", AF2_MODEL, &|_| bytes.clone());
        let options = ReadOptions { polymers: Polymers::All, ..ReadOptions::default() };
        let structure = read_bytes(&bytes, "x", &options).unwrap().structure;
        assert_eq!(read.chains, expected, "{case}");
        assert_eq!(structure.chains, expected, "{case}");
        let says = format!("and called {}", expected.join(", "));
        assert!(read.warnings.len() == 1 && read.warnings[0].ends_with(&says), "{case}: {:?}", read.warnings);
        assert_eq!(numbers(&read), numbers(&whole), "{case}");
        // Rows of other tables find theirs.
        let rows = read.rows_of_residues();
        let residue = |row: usize| {
            let chain = structure.chains[structure.chain_ids[row] as usize].as_str();
            (chain, structure.residue_numbers[row], &*structure.insertion_codes[row])
        };
        assert!((0..structure.n_rows()).all(|row| rows.get(&residue(row)) == Some(&row)), "{case}");
    }
}

fn model() -> Vec<u8> {
    files("af2").into_iter().find(|(name, _)| name == AF2_MODEL).unwrap().1
}

#[test]
fn residues_of_one_position_are_of_one_molecule() {
    // The second molecule on top of the first.
    let text = String::from_utf8(model()).unwrap();
    let first: Vec<&str> = text.lines().filter(|line| line.get(21..22) == Some("A")).collect();
    let copy = first.iter().map(|line| format!("{}{}", &line[..22], &line[22..]));
    let twice: Vec<String> = first.iter().map(|line| (*line).to_owned()).chain(copy).collect();
    let messages = changed("af2", AF2_MODEL, &|_| (twice.join("\n") + "\n").into_bytes());
    assert!(!messages.contains("told apart"), "{messages}");
}

/// AlphaFold 3's files with chain B called A.
fn af3(summary: &dyn Fn(&mut Value)) -> Vec<(String, Vec<u8>)> {
    let rename = |json: &mut Value, member: &str| {
        let ids = json[member].as_array_mut().unwrap().iter_mut();
        ids.filter(|id| **id == "B").for_each(|id| *id = "A".into());
    };
    let change = |(name, bytes): (String, Vec<u8>)| {
        let text = String::from_utf8(bytes).unwrap();
        let mut json: Value = serde_json::from_str(&text).unwrap_or_default();
        let text = match &name[..] {
            "made_model.cif" => {
                text.lines().map(|line| line.replace(" B 1", " A 1").trim_end().to_owned() + "\n").collect()
            }
            "made_confidences.json" => {
                ["token_chain_ids", "atom_chain_ids"].iter().for_each(|member| rename(&mut json, member));
                json.to_string()
            }
            _ => {
                summary(&mut json);
                json.to_string()
            }
        };
        (name, text.into_bytes())
    };
    files("af3").into_iter().map(change).collect()
}

#[test]
fn tokens_atoms_and_pairs_that_name_a_shared_id_are_of_its_molecules_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let read = |files: &[(String, Vec<u8>)]| {
        files.iter().for_each(|(name, bytes)| std::fs::write(folder.path().join(name), bytes).unwrap());
        let found = prism_host::confidence::Predictions::find(&[folder.path().to_owned()]);
        found.files[0].read().unwrap()
    };
    let whole = read_changed("af3", "", &<[u8]>::to_vec);
    let own = read(&af3(&|_| ()));
    assert_eq!(own.chains, ["A", "A~2", "C"]);
    assert_eq!(numbers(&own), numbers(&whole));
    assert_eq!(
        own.tokens().map(|token| token.1).collect::<Vec<_>>(),
        whole.tokens().map(|token| token.1).collect::<Vec<_>>()
    );
    assert!(own.warnings.len() == 1 && own.warnings[0].contains("2 molecules of chain A"), "{:?}", own.warnings);

    // Values of pairs of ids, of which two molecules have one.
    let of_ids = read(&af3(&|json| json["chain_pair_iptm"] = serde_json::json!([[0.8, 0.6], [0.5, 0.7]])));
    assert_eq!(of_ids.warnings, own.warnings);
    let at = PAIR_NUMBERS.iter().position(|known| known.name == "iptm").unwrap();
    let scores = of_ids.scores(Cutoffs::default());
    let iptm = scores.pairs.iter().filter(|pair| !pair.is_max).map(|pair| (pair.chains, pair.numbers[at]));
    for (chains, value) in iptm {
        let expected = match chains {
            [0 | 1, 2] => 0.6,
            [2, _] => 0.5,
            _ => f32::NAN,
        };
        assert_eq!(value.to_bits(), expected.to_bits(), "{chains:?}");
    }
    assert!(
        messages(&af3(&|json| json["chain_pair_iptm"] = serde_json::json!([[0.8]])))
            .contains("is of 1 chain, and the model has 3")
    );
}
