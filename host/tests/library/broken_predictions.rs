//! Broken files of predictions in each layout: every one is refused, with the file and what is wrong.

use prism_host::confidence::{Cutoffs, PAIR_NUMBERS, Prediction, PredictionFiles, Predictions};
use std::fs;
use std::io::Write as _;
use std::path::PathBuf;

fn data() -> PathBuf {
    "tests/data/predictions".into()
}

/// The files of a layout.
pub fn files(layout: &str) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(data().join(layout)).unwrap().map(Result::unwrap);
    entries.map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap())).collect()
}

fn layouts() -> Vec<String> {
    let entries = fs::read_dir(data()).unwrap().map(Result::unwrap).filter(|entry| entry.path().is_dir());
    entries.map(|entry| entry.file_name().into_string().unwrap()).collect()
}

/// The messages about some files in a folder, warnings too; empty if all is well.
pub fn messages(files: &[(String, Vec<u8>)]) -> String {
    let folder = tempfile::tempdir().unwrap();
    files.iter().for_each(|(name, bytes)| fs::write(folder.path().join(name), bytes).unwrap());
    let found = Predictions::find(&[folder.path().to_owned()]);
    let failures = found.failures.iter().map(|failure| format!("{}: {}", failure.name, failure.reason));
    let of_files = found.files.iter().flat_map(|files| match files.read() {
        Ok(read) => read.scores(Cutoffs::default()).all_warnings().collect(),
        Err(reason) => vec![format!("{}: {reason}", files.name)],
    });
    failures.chain(of_files).collect::<Vec<_>>().join("\n")
}

/// The messages about a layout of which one file is changed.
pub fn changed(layout: &str, file: &str, change: &dyn Fn(&[u8]) -> Vec<u8>) -> String {
    let own = |(name, bytes): (String, Vec<u8>)| {
        let bytes = if name == file { change(&bytes) } else { bytes };
        (name, bytes)
    };
    messages(&files(layout).into_iter().map(own).collect::<Vec<_>>())
}

#[test]
fn a_cut_file_of_any_layout_is_named() {
    let mut count = 0;
    for layout in layouts() {
        assert_eq!(messages(&files(&layout)), "", "{layout}");
        for (name, _) in files(&layout) {
            let messages = changed(&layout, &name, &|bytes| bytes[..bytes.len() / 2].to_vec());
            assert!(messages.contains(&name), "{layout}/{name}: {messages}");
            let why = ["cut", "damaged", "lacks", "the matrix has", "ends", "gives", "is not", "no atoms"];
            assert!(why.iter().any(|word| messages.contains(word)), "{layout}/{name}: {messages}");
            count += 1;
        }
    }
    assert!(count > 25, "{count}");
}

/// The name of a layout's matrix in JSON: the file, and the member.
const MATRICES: [(&str, &str, &str); 7] = [
    ("af2", "pae_model_1_multimer_v3_pred_0.json", "predicted_aligned_error"),
    ("af3", "made_confidences.json", "pae"),
    ("af3_server", "fold_made_full_data_1.json", "pae"),
    ("afdb", "AF-X0X0X0-F1-predicted_aligned_error_v4.json", "predicted_aligned_error"),
    ("colabfold", "made_scores_rank_001_alphafold2_multimer_v3_model_3_seed_000.json", "pae"),
    ("nine_chains", "nine_scores_rank_001_alphafold2_multimer_v3_model_1_seed_000.json", "pae"),
    ("protenix", "made_full_data_sample_0.json", "token_pair_pae"),
];

/// The rows of a member's matrix are changed.
fn with_rows(bytes: &[u8], member: &str, change: &dyn Fn(&mut Vec<String>)) -> Vec<u8> {
    let text = String::from_utf8(bytes.to_vec()).unwrap();
    let at = text.find(&format!("\"{member}\"")).unwrap();
    let begin = at + text[at..].find("[[").unwrap() + 2;
    let end = begin + text[begin..].find("]]").unwrap();
    let mut rows: Vec<String> = text[begin..end].split("],[").map(str::to_owned).collect();
    change(&mut rows);
    [&text[..begin], &rows.join("],["), &text[end..]].concat().into_bytes()
}

#[test]
fn a_matrix_in_json_is_square_and_has_distances_alone() {
    let last = |rows: &mut Vec<String>| drop(rows.pop());
    let ragged = |rows: &mut Vec<String>| rows[2] += ",1.5";
    let nan = |rows: &mut Vec<String>| rows[2] = rows[2].replacen(',', ",NaN,", 1);
    let null = |rows: &mut Vec<String>| rows[2] = rows[2].replacen(',', ",null,", 1);
    let negative = |rows: &mut Vec<String>| rows[2].insert(0, '-');
    let smaller = |rows: &mut Vec<String>| {
        rows.pop();
        rows.iter_mut().for_each(|row| row.truncate(row.rfind(',').unwrap()));
    };
    for (layout, file, member) in MATRICES {
        let rows = |change: &dyn Fn(&mut Vec<String>)| changed(layout, file, &|bytes| with_rows(bytes, member, change));
        assert_eq!(rows(&|_| ()), "", "{layout}");
        for (change, says) in [
            (&last as &dyn Fn(&mut Vec<String>), "columns; it should be square"),
            (&ragged, "row 3 has"),
            (&nan, "row 3 has `NaN` where a number belongs"),
            (&null, "row 3 has `null` where a number belongs"),
            (&negative, "row 3, column 1 is -"),
        ] {
            let messages = rows(change);
            assert!(messages.contains(file) && messages.contains(says), "{layout}: {says}: {messages}");
        }
        let messages = rows(&smaller);
        let says =
            if ["af3", "af3_server", "protenix"].contains(&layout) { "its file names" } else { "and the model has" };
        assert!(messages.contains(says) && messages.contains("the matrix has"), "{layout}: {messages}");
    }
}

/// An array of NumPy of a type, by its bytes.
fn npy(kind: &str, shape: &[usize], numbers: &[u8]) -> Vec<u8> {
    let shape: String = shape.iter().map(|side| format!("{side}, ")).collect();
    let mut header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({shape}), }}");
    header += &" ".repeat((128 - 11 - header.len() % 64) % 64);
    header.push('\n');
    [&b"\x93NUMPY\x01\x00"[..], &(header.len() as u16).to_le_bytes(), header.as_bytes(), numbers].concat()
}

/// A file of NumPy with one array.
fn npz_of(name: &str, array: &[u8]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    zip.start_file(format!("{name}.npy"), zip::write::SimpleFileOptions::default()).unwrap();
    zip.write_all(array).unwrap();
    zip.finish().unwrap().into_inner()
}

pub fn npz(name: &str, shape: &[usize], values: &[f32]) -> Vec<u8> {
    npz_of(name, &npy("<f4", shape, &values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<_>>()))
}

/// The bits of a small number with five bits for its exponent and ten for its digits.
fn half(value: u8) -> u16 {
    let power = value.checked_ilog2().unwrap_or_default();
    let bits = (power as u16 + 15) << 10 | (u16::from(value) << (10 - power)) & 0x3ff;
    if value == 0 { 0 } else { bits }
}

#[test]
fn arrays_of_any_type_of_numbers_are_read() {
    let (file, size) = ("pae_made_model_0.npz", 61);
    let value = |at: usize| (at * 7 % 31) as u8;
    let expected: Vec<f32> = (0..size * size).map(|at| f32::from(value(at))).collect();
    let bytes = |of: &dyn Fn(u8) -> Vec<u8>| (0..size * size).flat_map(|at| of(value(at))).collect::<Vec<u8>>();
    for (kind, numbers) in [
        ("<f2", bytes(&|value| half(value).to_le_bytes().to_vec())),
        (">f2", bytes(&|value| half(value).to_be_bytes().to_vec())),
        (">f4", bytes(&|value| f32::from(value).to_be_bytes().to_vec())),
        ("<f8", bytes(&|value| f64::from(value).to_le_bytes().to_vec())),
        (">f8", bytes(&|value| f64::from(value).to_be_bytes().to_vec())),
        ("|u1", bytes(&|value| vec![value])),
        ("|i1", bytes(&|value| vec![value])),
        ("<u2", bytes(&|value| u16::from(value).to_le_bytes().to_vec())),
        ("<i4", bytes(&|value| i32::from(value).to_le_bytes().to_vec())),
        (">i4", bytes(&|value| i32::from(value).to_be_bytes().to_vec())),
        ("<i8", bytes(&|value| i64::from(value).to_le_bytes().to_vec())),
        (">u8", bytes(&|value| u64::from(value).to_be_bytes().to_vec())),
    ] {
        let found = read_changed("boltz", file, &|_| npz_of("pae", &npy(kind, &[size, size], &numbers)));
        assert_eq!(found.pae.values(), expected, "{kind}");
    }
    let complex = changed("boltz", file, &|_| npz_of("pae", &npy("<c8", &[1, 1], &[0; 8])));
    assert!(complex.contains("numbers of a type that is not read"), "{complex}");
    // An error below 0 is none in integers either.
    let negative = bytes(&|value| (i32::from(value) - 1).to_le_bytes().to_vec());
    let negative = changed("boltz", file, &|_| npz_of("pae", &npy("<i4", &[size, size], &negative)));
    assert!(negative.contains("row 1, column 1 is -1"), "{negative}");
}

#[test]
fn an_array_may_have_a_file_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(data().join("chai/pred.model_idx_0.cif"), folder.path().join("pred.model_idx_0.cif")).unwrap();
    let values: Vec<u8> = (0..50 * 50).flat_map(|at| ((at * 7 % 31) as f32).to_le_bytes()).collect();
    let whole = npy("<f4", &[50, 50], &values);
    let read = |name: &str, bytes: &[u8]| {
        fs::write(folder.path().join(name), bytes).unwrap();
        let found = Predictions::find(&[folder.path().to_owned()]);
        let read = found.files.first().map(|files| files.read());
        fs::remove_file(folder.path().join(name)).unwrap();
        read.unwrap_or_else(|| Err(format!("{:?}", found.failures)))
    };
    for name in ["pae.model_idx_0.npy", "pae_model_idx_0.npy", "pae.npy"] {
        assert_eq!(read(name, &whole).unwrap().pae.at(0, 3), 21.0, "{name}");
    }
    let cut = read("pae.model_idx_0.npy", &whole[..5000]).unwrap_err();
    assert!(cut.contains("pae.model_idx_0.npy: its array \"pae\" is damaged"), "{cut}");
    let other = read("pae.model_idx_1.npy", &whole).unwrap_err();
    assert!(other.contains("pae.model_idx_0"), "{other}");
}

#[test]
fn a_matrix_in_npz_is_square_and_has_distances_alone() {
    for (layout, file, size) in [("boltz", "pae_made_model_0.npz", 61), ("chai", "pae.model_idx_0.npz", 50)] {
        let with = |shape: [usize; 2], values: &[f32]| changed(layout, file, &|_| npz("pae", &shape, values));
        let whole = vec![1.5; size * size];
        assert_eq!(with([size, size], &whole), "", "{layout}");
        let mut nan = whole.clone();
        nan[2 * size] = f32::NAN;
        for (found, says) in [
            (with([size, size - 1], &whole[size..]), format!("\"pae\" is {size} x {}; it should be square", size - 1)),
            (with([size, size], &nan), "row 3, column 1 is NaN, which is no distance".to_owned()),
            (
                with([size - 1, size - 1], &whole[2 * size - 1..]),
                format!("the matrix has {} rows, and the model has", size - 1),
            ),
            (with([size, size], &whole[1..]), "its array \"pae\" is damaged".to_owned()),
        ] {
            assert!(found.contains(&says), "{layout}: {says}: {found}");
        }
    }
}

#[test]
fn a_matrix_in_the_model_has_all_pairs() {
    let edit = |from: &'static str, to: &'static str| {
        changed("modelcif", "made.cif", &|bytes| {
            let text = String::from_utf8(bytes.to_vec()).unwrap();
            let line = text.lines().find(|line| line.starts_with("17 1 A 2 ")).unwrap();
            let new = if to.is_empty() { String::new() } else { line.replace(from, to) + "\n" };
            text.replace(&format!("{line}\n"), &new).into_bytes()
        })
    };
    assert!(edit("17 1 A 2 ", "").contains("gives 224 of 225 pairs of residues"));
    assert!(edit(" 1 A 2 ", " 1 A 99 ").contains("residue 99 of chain A has no atoms"));
    assert!(
        edit(" 2 0.75", " 2 NaN").contains("row 2, column 2 is NaN, which is no distance"),
        "{}",
        edit(" 2 0.75", " 2 NaN")
    );
}

/// A protein of three residues whose only partner is a ligand of two atoms, in AlphaFold 3's layout. Expected by the definitions. A ligand
/// may be an amino acid or a nucleotide: those that are no part of a chain have a token for each atom, too.
#[test]
fn a_ligand_may_be_the_only_partner() {
    for (name, names_tokens) in [("LIG", true), ("GLU", true), ("U", true), ("GLU", false)] {
        check_ligand(name, names_tokens);
    }
}

fn check_ligand(name: &str, names_tokens: bool) {
    let header = "data_made\nloop_\n_atom_site.group_PDB\n_atom_site.id\n_atom_site.type_symbol\n_atom_site.label_atom_id\n\
                  _atom_site.label_comp_id\n_atom_site.label_asym_id\n_atom_site.label_seq_id\n_atom_site.Cartn_x\n\
                  _atom_site.Cartn_y\n_atom_site.Cartn_z\n_atom_site.B_iso_or_equiv\n_atom_site.auth_seq_id\n\
                  _atom_site.auth_asym_id\n";
    let atoms = "ATOM 1 C CA GLY A 1 0.0 0.0 0.0 90.0 1 A\nATOM 2 C CA GLY A 2 3.8 0.0 0.0 80.0 2 A\n\
                 ATOM 3 C CA GLY A 3 30.0 0.0 0.0 70.0 3 A\nHETATM 4 C CA LIG B . 0.0 4.0 0.0 60.0 1 B\n\
                 HETATM 5 O O1 LIG B . 0.0 5.4 0.0 50.0 1 B\n";
    let atoms = atoms.replace("LIG", name);
    let pae = "[[1,1,1,2,4],[1,1,1,6,11],[1,1,1,20,20],[3,5,20,1,1],[3,5,20,1,1]]";
    let ids = r#","token_chain_ids":["A","A","A","B","B"],"token_res_ids":[1,2,3,1,1]"#;
    let ids = if names_tokens { ids } else { "" };
    let json = format!("{{\"atom_plddts\":[90,80,70,60,50],\"pae\":{pae}{ids}}}");
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("made_model.cif"), format!("{header}{atoms}#\n")).unwrap();
    fs::write(folder.path().join("made_confidences.json"), json).unwrap();
    let found = Predictions::find(&[folder.path().to_owned()]);
    let read: Vec<_> = found.files.iter().map(PredictionFiles::read).collect();
    let prediction = read[0].as_ref().unwrap();
    assert_eq!((prediction.n_tokens(), prediction.n_residues()), (5, 3));
    let scores = prediction.scores(Cutoffs::default());
    let value = |pair: usize, column: &str| {
        scores.pairs[pair].numbers[PAIR_NUMBERS.iter().position(|known| known.name == column).unwrap()]
    };
    assert_eq!(scores.pairs.len(), 3);
    // Of the protein's residues: errors 2, 4, 6, 11, 20, 20; below 10 Å the first three.
    assert_eq!(
        (value(0, "pae_mean"), value(0, "pae_min"), value(0, "residues_a"), value(0, "residues_b")),
        (10.5, 2.0, 2.0, 2.0)
    );
    let d0 = 1.24 * 12_f64.cbrt() - 1.8;
    let term = |pae: f64| 1.0 / (1.0 + (pae / d0).powi(2));
    let ipsae = (term(2.0) + term(4.0)) / 2.0;
    assert!((f64::from(value(0, "ipsae")) - ipsae).abs() < 1e-6, "{} {ipsae}", value(0, "ipsae"));
    let lis = [2.0, 4.0, 6.0, 11.0].map(|pae| (12.0 - pae) / 12.0).iter().sum::<f64>() / 4.0;
    assert!((f64::from(value(0, "lis")) - lis).abs() < 1e-6);
    // Both atoms are within 8 Å of the first two residues.
    assert_eq!((value(0, "pdockq_contacts"), value(0, "plddt_interface")), (4.0, 70.0));
    for column in ["pdockq", "pdockq2", "actifptm"] {
        assert!(value(0, column).is_nan() && value(2, column).is_nan(), "{column}");
    }
}

/// The prediction of a layout of which one file is changed.
pub fn read_changed(layout: &str, file: &str, change: &dyn Fn(&[u8]) -> Vec<u8>) -> Prediction {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in files(layout) {
        let bytes = if name == file { change(&bytes) } else { bytes };
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    let found = Predictions::find(&[folder.path().to_owned()]);
    assert!(found.failures.is_empty() && found.files.len() == 1, "{layout}: {:?}", found.failures);
    found.files[0].read().unwrap_or_else(|reason| panic!("{layout}: {reason}"))
}

#[test]
fn a_damaged_small_file_costs_its_own_scores_alone() {
    let whole = read_changed("boltz", "", &<[u8]>::to_vec);
    for (file, lost) in [("confidence_made_model_0.json", true), ("plddt_made_model_0.npz", false)] {
        let read = read_changed("boltz", file, &|bytes| bytes[..bytes.len() / 2].to_vec());
        assert!(read.warnings.len() == 1 && read.warnings[0].starts_with(file), "{:?}", read.warnings);
        assert_eq!((read.ranking, read.iptm), if lost { (None, None) } else { (Some(0.83), Some(0.76)) }, "{file}");
        assert_eq!(read.pae, whole.pae);
    }
}

#[test]
fn values_that_are_no_numbers_are_named_and_left_out() {
    let summary = |from: &'static str, to: &'static str| {
        let change = move |bytes: &[u8]| String::from_utf8_lossy(bytes).replacen(from, to, 1).into_bytes();
        read_changed("af3", "made_summary_confidences.json", &change)
    };
    for (from, to, says) in [
        ("\"iptm\": 0.7,", "\"iptm\": NaN,", "\"iptm\" is NaN, and no number"),
        ("\"iptm\": 0.7,", "\"iptm\": \"0.7\",", "\"iptm\" is \"0.7\", and no number"),
        ("\"iptm\": 0.7,", "\"iptm\": 1e999,", "\"iptm\""),
    ] {
        let read = summary(from, to);
        assert!(read.warnings.len() == 1 && read.warnings[0].contains(says), "{to}: {:?}", read.warnings);
        assert_eq!((read.iptm, read.ptm, read.ranking), (None, Some(0.75), Some(0.73)), "{to}");
    }
    assert!(summary("\"iptm\": 0.7,", "\"iptm\": null,").warnings.is_empty(), "predictors write null for one chain");
    let pairs = |prediction: &Prediction| {
        let scores = prediction.scores(Cutoffs::default());
        let of_directions = scores.pairs.into_iter().filter(|pair| !pair.is_max);
        of_directions.map(|pair| (!pair.numbers[0].is_nan()).then_some(pair.numbers[0])).collect::<Vec<_>>()
    };
    // A to B and back, A to C and back, B to C and back.
    let mut expected = [0.71, 0.71, 0.66, 0.66, 0.58, 0.58].map(Some);
    assert_eq!(pairs(&summary("", "")), expected);
    expected[0] = None;
    for no_number in ["NaN", "Infinity", "-Infinity"] {
        let read = read_changed("af3", "made_summary_confidences.json", &|bytes| {
            String::from_utf8_lossy(bytes).replacen("0.71,", &format!("{no_number},"), 1).into_bytes()
        });
        let says = format!("\"chain_pair_iptm\" has {no_number} where a number belongs");
        assert!(read.warnings.len() == 1 && read.warnings[0].contains(&says), "{:?}", read.warnings);
        assert_eq!((&pairs(&read)[..], read.iptm), (&expected[..], Some(0.7)), "{no_number}");
    }

    // Without the predictor's confidences, those of the B column are taken, which are the same.
    let plddt = |prediction: &Prediction| prediction.scores(Cutoffs::default()).structure.numbers[11];
    let with_nan = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        let (before, after) = text.split_once("\"plddt\":[").unwrap();
        format!("{before}\"plddt\":[NaN,{}", after.split_once(',').unwrap().1).into_bytes()
    };
    let file = "made_scores_rank_001_alphafold2_multimer_v3_model_3_seed_000.json";
    let [whole, read] = [read_changed("colabfold", "", &<[u8]>::to_vec), read_changed("colabfold", file, &with_nan)];
    let says = "\"plddt\" has `NaN` where a number belongs";
    assert!(read.warnings.len() == 1 && read.warnings[0].contains(says), "{:?}", read.warnings);
    assert!((plddt(&whole) - plddt(&read)).abs() < 1e-3);
}

#[test]
fn confidences_that_are_none_or_of_another_model_are_named_and_the_b_column_is_taken() {
    let plddt = |prediction: &Prediction| prediction.scores(Cutoffs::default()).structure.numbers[11];
    let boltz =
        |values: &[f32]| read_changed("boltz", "plddt_made_model_0.npz", &|_| npz("plddt", &[values.len()], values));
    let expected = plddt(&read_changed("boltz", "", &<[u8]>::to_vec));
    let (mut nan, mut large) = (vec![0.5_f32; 61], vec![0.5_f32; 61]);
    (nan[3], large[3], large[5]) = (f32::NAN, 1e9, -1.0);
    for (values, says) in [
        (nan, "has 1 of 61 confidences (pLDDT) that are not from 0 to 100, such as NaN"),
        (large, "has 2 of 61 confidences (pLDDT) that are not from 0 to 100, such as 1000000000"),
        (vec![-0.5; 61], "has 61 of 61 confidences (pLDDT) that are not from 0 to 100, such as -0.5"),
        (vec![0.0; 61], "has no confidence (pLDDT) above 0"),
        (vec![0.5; 48], "has 48 confidences (pLDDT), and the matrix 61 rows"),
    ] {
        let read = boltz(&values);
        let whole = format!("plddt_made_model_0.npz {says}: the B column is taken");
        assert_eq!(read.warnings, [whole]);
        assert!((plddt(&read) - expected).abs() < 1e-3, "{says}");
    }
    // The B column may have such values, too, and there is nothing beside it then.
    let change = |from: &'static str, to: &'static str| {
        move |bytes: &[u8]| {
            let text = String::from_utf8_lossy(bytes);
            assert!(text.contains(from), "{from}");
            text.replacen(from, to, 1).into_bytes()
        }
    };
    let read = read_changed("afdb", "AF-X0X0X0-F1-model_v4.cif", &change(" 82.54 ", " 900.0 "));
    let says = "confidences (pLDDT) that are not from 0 to 100, such as 900: they are left out";
    assert!(read.warnings.len() == 1 && read.warnings[0].contains(says), "{:?}", read.warnings);
    let atoms = |from: &'static str, to: &'static str| read_changed("af3", "made_confidences.json", &change(from, to));
    for (from, to, says) in [
        ("\"atom_plddts\": [", "\"atom_plddts\": [50.0,", "confidences (pLDDT) of atoms, and the model has"),
        ("\"atom_chain_ids\": [", "\"atom_chain_ids\": [\"A\",", "confidences (pLDDT) of atoms, and the chains of"),
        (
            "\"atom_chain_ids\": [\"A\"",
            "\"atom_chain_ids\": [\"B\"",
            "confidences (pLDDT) of atoms of chain B, and the model has",
        ),
        (
            "\"atom_chain_ids\": [\"A\"",
            "\"atom_chain_ids\": [\"Q\"",
            "1 confidences (pLDDT) of atoms of chain Q, and the model has 0",
        ),
    ] {
        let read = atoms(from, to);
        assert!(read.warnings.len() == 1 && read.warnings[0].contains(says), "{to}: {:?}", read.warnings);
        assert!(read.warnings[0].ends_with("the B column is taken"), "{:?}", read.warnings);
    }
}

#[test]
fn scores_of_the_predictor_that_are_missing_are_named_where_its_layout_has_them() {
    for (layout, file, named) in [
        ("af3", "made_summary_confidences.json", "made_summary_confidences"),
        ("af3_server", "fold_made_summary_confidences_1.json", "fold_made_summary_confidences_1"),
        ("boltz", "confidence_made_model_0.json", "confidence_made_model_0"),
        ("chai", "scores.model_idx_0.npz", "scores.model_idx_0"),
        ("protenix", "made_summary_confidence_sample_0.json", "made_summary_confidence_sample_0"),
    ] {
        let all = files(layout);
        assert!(all.iter().any(|(name, _)| name == file), "{layout}");
        let messages = messages(&all.into_iter().filter(|(name, _)| name != file).collect::<Vec<_>>());
        assert!(
            messages.contains("the predictor's ipTM, pTM and ranking are in no file beside it"),
            "{layout}: {messages}"
        );
        assert!(messages.contains(named), "{layout}: {messages}");
    }
    let without: Vec<_> = files("af2")
        .into_iter()
        .filter(|(name, _)| !name.starts_with("ranking") && !name.starts_with("iptm"))
        .collect();
    assert!(messages(&without).contains("they should be in ranking_debug (.json or .npz)"), "{}", messages(&without));
}

#[test]
fn marks_of_editors_are_read_and_names_that_are_there_twice_are_refused() {
    let whole = read_changed("af3", "", &<[u8]>::to_vec);
    let utf16 = |bytes: &[u8]| {
        let units = String::from_utf8_lossy(bytes).encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>();
        [&b"\xff\xfe"[..], &units].concat()
    };
    for (what, change) in [
        ("UTF-8", &(|bytes: &[u8]| [b"\xef\xbb\xbf", bytes].concat()) as &dyn Fn(&[u8]) -> Vec<u8>),
        ("UTF-16", &utf16),
    ] {
        for file in ["made_confidences.json", "made_summary_confidences.json"] {
            let read = read_changed("af3", file, change);
            assert_eq!((read.pae.values(), read.iptm), (whole.pae.values(), Some(0.7)), "{what} {file}");
            assert!(read.warnings.is_empty(), "{what} {file}: {:?}", read.warnings);
        }
    }
    let twice = changed("af3", "made_confidences.json", &|bytes| {
        String::from_utf8_lossy(bytes).replacen('{', "{\"pae\":[[1.5]],", 1).into_bytes()
    });
    assert!(twice.contains("made_confidences.json: has two members \"pae\""), "{twice}");
}

#[test]
fn errors_above_the_largest_that_the_file_names_give_a_warning() {
    let file = "made_scores_rank_001_alphafold2_multimer_v3_model_3_seed_000.json";
    let with = |number: &'static str| {
        read_changed("colabfold", file, &move |bytes| {
            let text = String::from_utf8_lossy(bytes);
            let at = text.find("[[").unwrap() + 2;
            let end = at + text[at..].find(',').unwrap();
            format!("{}{number}{}", &text[..at], &text[end..]).into_bytes()
        })
        .warnings
    };
    assert!(with("0.75").is_empty() && with("31.5").is_empty());
    // A file that names no largest error.
    let large = changed("boltz", "pae_made_model_0.npz", &|_| npz("pae", &[61, 61], &[1e30; 61 * 61]));
    assert!(large.contains("pae_made_model_0.npz: its largest predicted aligned error is 1000000000000000000000000000000 Å, and predictors write none above 32 Å"), "{large}");
    let warnings = with("93.25");
    assert!(
        warnings.len() == 1 && warnings[0].contains("is 93.25 Å, and the largest that it names 31.5 Å"),
        "{warnings:?}"
    );
}

#[test]
fn confidences_of_another_model_give_a_warning_in_each_layout() {
    // One value of each, at the beginning of its array or scaled.
    for (layout, file, member) in [
        ("colabfold", "made_scores_rank_001_alphafold2_multimer_v3_model_3_seed_000.json", "plddt"),
        ("af3", "made_confidences.json", "atom_plddts"),
        ("protenix", "made_full_data_sample_0.json", "atom_plddt"),
        ("af2", "confidence_model_1_multimer_v3_pred_0.json", "confidenceScore"),
    ] {
        assert!(read_changed(layout, "", &<[u8]>::to_vec).warnings.is_empty(), "{layout}");
        let other = if layout == "protenix" { "0.123" } else { "12.3" };
        let read = read_changed(layout, file, &|bytes| {
            let text = String::from_utf8_lossy(bytes);
            let begin = text.find(&format!("\"{member}\"")).unwrap();
            let at = begin + text[begin..].find('[').unwrap() + 1;
            let end = at + text[at..].find(',').unwrap();
            format!("{}{other}{}", &text[..at], &text[end..]).into_bytes()
        });
        let says = "differ from the model's B column in 1 of";
        assert!(read.warnings.len() == 1 && read.warnings[0].contains(says), "{layout}: {:?}", read.warnings);
    }
    let values = vec![0.5_f32; 61];
    let read = read_changed("boltz", "plddt_made_model_0.npz", &|_| npz("plddt", &[61], &values));
    assert!(read.warnings.len() == 1 && read.warnings[0].contains("differ from the model's B column"));
}

#[test]
fn arrays_of_other_names_are_named() {
    let arrays = npz("arr_0", &[2, 2], &[1.0; 4]);
    let messages_of_arrays = changed("boltz", "pae_made_model_0.npz", &|_| arrays.clone());
    assert!(
        messages_of_arrays.contains("pae_made_model_0.npz has 1 array, called arr_0; the matrix is called pae"),
        "{messages_of_arrays}"
    );
    // Of all models of a folder.
    let own = files("chai").into_iter().filter(|(name, _)| name != "pae.model_idx_0.npz");
    let stacked: Vec<_> = own.chain([("pae.npz".to_owned(), arrays.clone())]).collect();
    let messages_of_stacked = messages(&stacked);
    assert!(messages_of_stacked.contains("pae.npz has 1 array, called arr_0"), "{messages_of_stacked}");
    let broken = changed("boltz", "pae_made_model_0.npz", &|_| b"x".to_vec());
    assert!(broken.contains("pae_made_model_0.npz: is no npz, or damaged"), "{broken}");
}

const AF2_MODEL: &str = "unrelaxed_model_1_multimer_v3_pred_0.pdb";

/// The model of AlphaFold 2's layout with each line of an atom changed.
fn with_atoms(bytes: &[u8], change: impl Fn(&str) -> String) -> Vec<u8> {
    let text = std::str::from_utf8(bytes).unwrap();
    let lines = text.lines().map(|line| if line.starts_with("ATOM") { change(line) } else { line.to_owned() });
    (lines.collect::<Vec<_>>().join("\n") + "\n").into_bytes()
}

#[test]
fn models_without_confidences_or_with_others_behind_them_give_a_warning() {
    let without = |bytes: &[u8]| with_atoms(bytes, |line| format!("{}  0.00{}", &line[..60], &line[66..]));
    let own = files("af2").into_iter().filter(|(name, _)| !name.starts_with("confidence_"));
    let own = own.map(|(name, bytes)| if name == AF2_MODEL { (name, without(&bytes)) } else { (name, bytes) });
    let messages_of_zeros = messages(&own.collect::<Vec<_>>());
    assert!(messages_of_zeros.contains("no confidences (pLDDT) above 0: scores that need them"), "{messages_of_zeros}");

    let twice = |bytes: &[u8]| {
        let text = std::str::from_utf8(bytes).unwrap().replace("END\n", "");
        format!("MODEL        1\n{text}ENDMDL\nMODEL        2\n{text}ENDMDL\nEND\n").into_bytes()
    };
    let messages_of_two = changed("af2", AF2_MODEL, &twice);
    assert!(messages_of_two.contains("several models or data blocks, and the first one is read"), "{messages_of_two}");
    assert_eq!(changed("af2", AF2_MODEL, &<[u8]>::to_vec), "");
}
