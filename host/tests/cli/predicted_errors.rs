//! `--pae` of `prism edges` and `prism interface`: errors from the files beside models.

use crate::command::{Run, column, example, predictions, with_one_chain_id};
use serde_json::Value;
use std::fs;
use std::io::Write as _;

/// The matrices of a file, by name.
fn matrix(run: &Run, file: &str, name: &str) -> Vec<Vec<f64>> {
    let json: Value = serde_json::from_slice(&fs::read(run.path(file)).unwrap()).unwrap();
    serde_json::from_value(json[name].clone()).unwrap()
}

fn numbers(table: &str, name: &str) -> Vec<f64> {
    column(table, name).iter().map(|text| text.parse().unwrap_or(f64::NAN)).collect()
}

const COLABFOLD: &str = "colabfold/made_unrelaxed_rank_001_alphafold2_multimer_v3_model_3_seed_000.pdb";

#[test]
fn edges_have_the_errors_of_both_directions() {
    let run = Run::new();
    predictions(&run, "colabfold", "colabfold/");
    let scores = "colabfold/made_scores_rank_001_alphafold2_multimer_v3_model_3_seed_000.json";
    let pae = matrix(&run, scores, "pae");
    let table = run.prism(&["edges", COLABFOLD, "--pae", "--backend", "cpu"]);
    assert_eq!(table.status, 0, "{}", table.stderr);
    run.prism(&["edges", "-", "--pae"]).says(2, "--pae reads its inputs twice; save standard input as a file");
    let [i, j, mean, least] = ["row_i", "row_j", "pae", "pae_min"].map(|name| numbers(&table.stdout, name));
    assert!(i.len() > 50, "{}", table.stdout);
    for row in 0..i.len() {
        // One token for each residue, in the order of the file.
        let both = [pae[i[row] as usize][j[row] as usize], pae[j[row] as usize][i[row] as usize]];
        assert!((mean[row] - (both[0] + both[1]) / 2.0).abs() < 1e-5, "row {row} of {}", table.stdout);
        assert!((least[row] - both[0].min(both[1])).abs() < 1e-5, "row {row} of {}", table.stdout);
    }
    assert!(column(&table.stdout, "contact_probability").iter().all(String::is_empty), "ColabFold writes none");
    // The other columns are those without the option.
    let without = run.prism(&["edges", COLABFOLD, "--backend", "cpu"]).stdout;
    let cut = |line: &str| line.splitn(6, ',').take(5).collect::<Vec<_>>().join(",");
    assert_eq!(table.stdout.lines().map(cut).collect::<Vec<_>>(), without.lines().collect::<Vec<_>>());
}

#[test]
fn probabilities_of_contacts_are_those_of_the_tokens() {
    let run = Run::new();
    predictions(&run, "af3", "af3/");
    let file = "af3/made_confidences.json";
    let json: Value = serde_json::from_slice(&fs::read(run.path(file)).unwrap()).unwrap();
    let token = |chain: &str, number: &str| {
        let ids = json["token_chain_ids"].as_array().unwrap().iter().zip(json["token_res_ids"].as_array().unwrap());
        let own: Vec<usize> = ids
            .enumerate()
            .filter(|(_, (id, res))| *id == chain && res.as_i64() == number.parse().ok())
            .map(|(at, _)| at)
            .collect();
        // A modified residue has several tokens.
        <[usize; 1]>::try_from(own).ok().map(|[one]| one)
    };
    let features = run.features(&["af3/made_model.cif", "--columns", "chain,resnum"]).stdout;
    let [chains, residues] = ["chain", "resnum"].map(|name| column(&features, name));
    let row_of = |row: f64| token(&chains[row as usize], &residues[row as usize]);
    let probabilities = matrix(&run, file, "contact_probs");
    let table = run.prism(&["edges", "af3", "--pae", "--backend", "cpu"]).stdout;
    let [i, j, found] = ["row_i", "row_j", "contact_probability"].map(|name| numbers(&table, name));
    let mut compared = 0;
    for row in 0..i.len() {
        let (Some(a), Some(b)) = (row_of(i[row]), row_of(j[row])) else { continue };
        assert!((found[row] - probabilities[a][b]).abs() < 1e-5, "row {row} of {table}");
        compared += 1;
    }
    assert!(compared > 50 && found.iter().all(|value| !value.is_nan()), "{compared}: {table}");
}

#[test]
fn interfaces_have_the_errors_of_their_contacts() {
    let run = Run::new();
    for layout in ["colabfold", "boltz"] {
        predictions(&run, layout, &format!("all/{layout}/"));
    }
    let pae = matrix(&run, "all/colabfold/made_scores_rank_001_alphafold2_multimer_v3_model_3_seed_000.json", "pae");
    // Pairs of residues of the two chains with atoms within 4.5 Å.
    let text = fs::read_to_string(run.path(&format!("all/{COLABFOLD}"))).unwrap();
    let mut residues: Vec<(String, Vec<[f64; 3]>)> = Vec::new();
    for line in text.lines().filter(|line| line.starts_with("ATOM")) {
        let position = [30, 38, 46].map(|begin| line[begin..begin + 8].trim().parse().unwrap());
        match residues.last_mut().filter(|(id, _)| *id == line[21..26]) {
            Some((_, atoms)) => atoms.push(position),
            None => residues.push((line[21..26].to_owned(), vec![position])),
        }
    }
    let near = |a: &[f64; 3], b: &[f64; 3]| (0..3).map(|axis| (a[axis] - b[axis]).powi(2)).sum::<f64>() <= 4.5 * 4.5;
    let mut errors = Vec::new();
    for (i, (one, atoms)) in residues.iter().enumerate() {
        for (j, (other, others)) in residues.iter().enumerate().filter(|(_, (other, _))| one[..1] != other[..1]) {
            assert!(one != other);
            if atoms.iter().any(|a| others.iter().any(|b| near(a, b))) {
                errors.push(pae[i][j]);
            }
        }
    }
    let expected = errors.iter().sum::<f64>() / errors.len() as f64;
    let smallest = errors.iter().copied().fold(f64::INFINITY, f64::min);
    let table = run.prism(&["interface", "all", "--pae", "--backend", "cpu"]).stdout;
    let names = column(&table, "structure");
    let own = names.iter().position(|name| name.contains("made_unrelaxed")).unwrap();
    assert_eq!(2.0 * numbers(&table, "contacts")[own], errors.len() as f64, "each pair in both directions");
    assert!((numbers(&table, "pae")[own] - expected).abs() < 1e-4, "{expected}: {table}");
    assert!((numbers(&table, "pae_min")[own] - smallest).abs() < 1e-4, "{smallest}: {table}");
    assert!(numbers(&table, "pae").iter().all(|value| *value > 0.0), "{table}");

    // Members of a tar have their files there.
    let mut tar = tar::Builder::new(fs::File::create(run.path("all.tar")).unwrap());
    tar.append_dir_all("colabfold", run.path("all/colabfold")).unwrap();
    tar.finish().unwrap();
    let packed = run.prism(&["interface", "all.tar", "--pae", "--backend", "cpu"]).stdout;
    assert_eq!(numbers(&packed, "pae"), [numbers(&table, "pae")[own]], "{packed}");

    // So have those of a compressed one.
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(&fs::read(run.path("all.tar")).unwrap()).unwrap();
    run.put("small.tar.gz", gzip.finish().unwrap());
    let compressed = run.prism(&["interface", "small.tar.gz", "--pae", "--backend", "cpu"]);
    assert_eq!(numbers(&compressed.stdout, "pae"), [numbers(&table, "pae")[own]], "{}", compressed.stderr);

    // A structure has one name in all commands.
    let scored = run.prism(&["confidence", "small.tar.gz", "-q"]).stdout;
    assert_eq!(column(&scored, "structure")[..1], column(&compressed.stdout, "structure")[..]);

    // So have those of a zip archive, as AlphaFold's server sends it, in each command.
    let mut zip = zip::ZipWriter::new(fs::File::create(run.path("all.zip")).unwrap());
    for entry in fs::read_dir(run.path("all/colabfold")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        zip.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(&fs::read(&path).unwrap()).unwrap();
    }
    zip.finish().unwrap();
    let zipped = run.prism(&["interface", "all.zip", "--pae", "--backend", "cpu"]);
    assert_eq!(numbers(&zipped.stdout, "pae"), [numbers(&table, "pae")[own]], "{}", zipped.stderr);
    let edges = |path: &str| column(&run.prism(&["edges", path, "--pae", "--backend", "cpu"]).stdout, "pae");
    assert_eq!(edges("all.zip"), edges("all/colabfold"));
    run.prism(&["report", "all.zip", "--pae", "--backend", "cpu", "-o", "r.html"]).says(0, "");
    assert!(fs::read_to_string(run.path("r.html")).unwrap().contains("made_unrelaxed"));
}

#[test]
fn structures_without_a_matrix_are_named() {
    let run = Run::new();
    run.copy(&example(), "alone.pdb");
    let outcome = run.prism(&["edges", "alone.pdb", "--pae", "--backend", "cpu"]);
    outcome.says(0, "warning: alone.pdb: --pae: there is no matrix of predicted aligned errors");
    assert!(column(&outcome.stdout, "pae").iter().all(String::is_empty));
    predictions(&run, "chai", "chai/");
    run.put("chai/pae.model_idx_0.npz", "PK\x03\x04 cut");
    let broken = run.prism(&["interface", "chai", "--pae", "--backend", "cpu"]);
    broken.says(0, "pae.model_idx_0.npz: is no npz, or damaged");
}

#[test]
fn models_that_are_not_scored_because_another_has_their_matrix_have_it_here() {
    let run = Run::new();
    // The best sample of AlphaFold 3, beside the folder of samples.
    for (folder, name) in [("job/", "job"), ("job/seed-1_sample-0/", "job_seed-1_sample-0")] {
        predictions(&run, "af3", "made/");
        for end in ["model.cif", "confidences.json", "summary_confidences.json"] {
            run.copy(&run.path(&format!("made/made_{end}")), &format!("all/{folder}{name}_{end}"));
        }
    }
    predictions(&run, "af2", "all/af2/");
    let unrelaxed = "all/af2/unrelaxed_model_1_multimer_v3_pred_0.pdb";
    run.copy(&run.path(unrelaxed), "all/af2/relaxed_model_1_multimer_v3_pred_0.pdb");
    let table = run.prism(&["edges", "all", "--pae", "--backend", "cpu"]);
    assert!(!table.stderr.contains("--pae: ") && !table.stderr.contains("ignored"), "{}", table.stderr);
    table.says(0, "note: all: 8 files are no structures; --pae reads those that are about a model");
    run.prism(&["edges", "all", "--backend", "cpu"]).says(0, "note: all: 8 files are ignored");
    let [names, errors] = ["structure", "pae"].map(|name| column(&table.stdout, name));
    let of = |name: &str| -> Vec<&String> {
        names.iter().zip(&errors).filter(|(own, _)| own.ends_with(name)).map(|(_, error)| error).collect()
    };
    for [one, other] in [
        ["job/job_model.cif", "job_seed-1_sample-0_model.cif"],
        ["af2/unrelaxed_model_1_multimer_v3_pred_0.pdb", "/relaxed_model_1_multimer_v3_pred_0.pdb"],
    ] {
        assert!(of(one).len() > 50 && of(one).iter().any(|error| !error.is_empty()), "{one}: {}", table.stdout);
        assert_eq!(of(one), of(other));
    }
    // So have molecules of one chain id, which are told apart in both.
    let text = fs::read_to_string(run.path(unrelaxed)).unwrap();
    predictions(&run, "af2", "one/");
    run.put("one/unrelaxed_model_1_multimer_v3_pred_0.pdb", with_one_chain_id(&text));
    let one = run.prism(&["edges", "one", "--pae", "--backend", "cpu"]);
    assert_eq!(column(&one.stdout, "pae").iter().collect::<Vec<_>>(), of("/relaxed_model_1_multimer_v3_pred_0.pdb"));
    let report = run.prism(&["report", "all", "--pae", "--backend", "cpu", "-o", "r.html"]);
    report.says(0, "4 structures");
    assert!(!report.stderr.contains("left out"), "{}", report.stderr);

    // Without -v, too, a message names the one of two models that is scored.
    let scored = run.prism(&["confidence", "all", "-o", "t.csv"]);
    scored.says(0, "2 structures");
    let note = "note: af2/unrelaxed_model_1_multimer_v3_pred_0.pdb: has the matrix of af2/relaxed_model_1_multimer_v3_pred_0.pdb, \
                which is taken instead";
    scored.says(0, note);
}

#[test]
fn parts_of_a_model_have_its_errors() {
    let run = Run::new();
    predictions(&run, "colabfold", "colabfold/");
    let whole = run.prism(&["edges", "colabfold", "--pae", "--backend", "cpu"]).stdout;
    let of_chains = run.prism(&["edges", "colabfold", "--pae", "--backend", "cpu", "--each", "chain"]);
    assert!(!of_chains.stderr.contains("lies beside it"), "{}", of_chains.stderr);
    // Those of the whole within chain A, of which the first rows are, and then within chain B.
    const OF_A: f64 = 28.0;
    let [i, j] = ["row_i", "row_j"].map(|name| numbers(&whole, name));
    let errors = column(&whole, "pae");
    let within = |is_of_a: bool| -> Vec<&String> {
        let is_it = |at: &usize| [i[*at], j[*at]].iter().all(|row| (*row < OF_A) == is_of_a);
        (0..i.len()).filter(is_it).map(|at| &errors[at]).collect()
    };
    let expected = [within(true), within(false)].concat();
    let found = column(&of_chains.stdout, "pae");
    assert!(found.len() > 50 && !found.contains(&String::new()), "{}", of_chains.stdout);
    assert_eq!(found.iter().collect::<Vec<_>>(), expected);
    let report = run.prism(&["report", "colabfold", "--pae", "--each", "chain", "--backend", "cpu", "-o", "r.html"]);
    report.says(0, "2 structures");
    assert!(!report.stderr.contains("left out"), "{}", report.stderr);
}

#[test]
fn a_matrix_of_a_part_of_the_model_is_reported() {
    let run = Run::new();
    predictions(&run, "af3", "af3/");
    let file = "af3/made_confidences.json";
    let mut json: Value = serde_json::from_slice(&fs::read(run.path(file)).unwrap()).unwrap();
    // Without the ligand, whose five atoms are the last tokens.
    for name in ["token_chain_ids", "token_res_ids", "pae"] {
        json[name].as_array_mut().unwrap().truncate(56);
    }
    json["pae"].as_array_mut().unwrap().iter_mut().for_each(|row| row.as_array_mut().unwrap().truncate(56));
    json.as_object_mut().unwrap().remove("contact_probs");
    run.put(file, json.to_string());
    let says =
        "the matrix has 56 rows, of tokens of 50 residues, and the model has 51 with ligands: it has none of chain C";
    let outcome = run.prism(&["edges", "af3", "--pae", "--backend", "cpu"]);
    outcome.says(0, says);
    assert!(column(&outcome.stdout, "pae").iter().all(String::is_empty));
    run.prism(&["confidence", "af3"]).says(1, says);
}
