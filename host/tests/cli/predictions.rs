//! `prism confidence` from a user's view.

use crate::command::{Run, column, example, predictions};
use std::fs;

fn all(run: &Run) {
    for layout in ["af2", "af3", "af3_server", "boltz", "colabfold", "nine_chains"] {
        predictions(run, layout, &format!("all/{layout}/"));
    }
}

#[test]
fn each_pair_has_both_directions_and_the_two_together() {
    let run = Run::new();
    all(&run);
    let outcome = run.prism(&["confidence", "all", "--by-structure", "s.csv", "--by-residue", "r.csv"]);
    outcome.says(0, "7 structures, 325 residues, 0 failed");
    let table = &outcome.stdout;
    let wanted = "structure,chain_a,chain_b,kind,iptm,ptm,ranking,ipsae,ipsae_d0chn,ipsae_d0dom,iptm_d0chn,pdockq,pdockq2,lis,clis,ilis,\
                  actifptm,pae_mean,pae_min,plddt_interface,contacts,";
    assert!(table.starts_with(wanted), "{table}");
    // Nine chains have 36 pairs; two complexes of three have 3, and four of two have one.
    assert_eq!(table.lines().count(), 1 + 3 * (36 + 2 * 3 + 4));
    let [kinds, a, b, ipsae] = ["kind", "chain_a", "chain_b", "ipsae"].map(|name| column(table, name));
    for row in (0..kinds.len()).step_by(3) {
        assert_eq!(kinds[row..row + 3], ["asym", "asym", "max"]);
        assert_eq!([&a[row], &b[row], &a[row]], [&b[row + 1], &a[row + 1], &a[row + 2]]);
        let value = |row: usize| ipsae[row].parse::<f64>().unwrap();
        assert_eq!(value(row + 2), value(row).max(value(row + 1)));
    }
    let structures = fs::read_to_string(run.path("s.csv")).unwrap();
    let sorted = |name: &str| {
        let mut ranks: Vec<usize> = column(&structures, name).iter().map(|rank| rank.parse().unwrap()).collect();
        ranks.sort_unstable();
        ranks
    };
    assert_eq!((sorted("rank"), sorted("rank_ipsae")), ((1..=7).collect(), (1..=7).collect()));
    let best = column(&structures, "rank").iter().position(|rank| rank == "1").unwrap();
    assert_eq!(column(&structures, "structure")[best], "boltz/made_model_0.cif", "its ranking, 0.83, is the highest");
    let residues = fs::read_to_string(run.path("r.csv")).unwrap();
    // Each residue with each other chain; a ligand has five atoms.
    let complexes = |with_ligand: usize| 2 * with_ligand * (50 + 5);
    assert_eq!(residues.lines().count(), 1 + 9 * 5 * 8 + complexes(2) + 2 * 50 + 2 * 40);
}

#[test]
fn all_formats_and_shares_have_the_same_rows() {
    let run = Run::new();
    all(&run);
    let whole = run.prism(&["confidence", "all", "-q"]);
    assert_eq!(whole.status, 0, "{}", whole.stderr);
    for name in ["t.csv", "t.tsv", "t.jsonl", "t.json", "t.csv.gz", "t.arrow", "t.parquet"] {
        let outcome = run.prism(&["confidence", "all", "-o", name]);
        assert_eq!((outcome.status, outcome.stdout.as_str()), (0, ""), "{name}: {}", outcome.stderr);
    }
    assert_eq!(fs::read_to_string(run.path("t.csv")).unwrap(), whole.stdout);
    assert_eq!(fs::read_to_string(run.path("t.tsv")).unwrap().replace('\t', ","), whole.stdout);
    let json: serde_json::Value = serde_json::from_slice(&fs::read(run.path("t.json")).unwrap()).unwrap();
    assert_eq!(json.as_array().unwrap().len(), whole.stdout.lines().count() - 1);
    assert_eq!(fs::read(run.path("t.parquet")).unwrap()[..4], *b"PAR1");
    let share = |which: &str| run.prism(&["confidence", "all", "-q", "--shard", which]).stdout;
    let mut lines: Vec<String> = ["1/2", "2/2"]
        .iter()
        .flat_map(|one| share(one).lines().skip(1).map(str::to_owned).collect::<Vec<_>>())
        .collect();
    let mut expected: Vec<String> = whole.stdout.lines().skip(1).map(str::to_owned).collect();
    lines.sort();
    expected.sort();
    assert_eq!(lines, expected);
}

#[test]
fn a_prediction_that_fails_is_named_and_the_others_are_written() {
    let run = Run::new();
    all(&run);
    let matrix = "all/boltz/pae_made_model_0.npz";
    run.put(matrix, &fs::read(run.path(matrix)).unwrap()[..1000]);
    run.copy(&example(), "all/templates/hit.pdb");
    let outcome = run.prism(&["confidence", "all", "-o", "t.csv", "--status", "s.csv"]);
    outcome.says(3, "error: boltz/made_model_0.cif: pae_made_model_0.npz: is no npz, or damaged");
    outcome.says(3, "1 file is left out; -v says which");
    let status = fs::read_to_string(run.path("s.csv")).unwrap();
    let failed: Vec<bool> = column(&status, "error").iter().map(|error| !error.is_empty()).collect();
    assert_eq!((failed.len(), failed.iter().filter(|failed| **failed).count()), (7, 1), "{status}");
    assert!(!fs::read_to_string(run.path("t.csv")).unwrap().contains("boltz/"));
    let stopped = run.prism(&["confidence", "all", "-o", "stopped.csv", "--fail-fast"]);
    stopped.says(1, "error: boltz/made_model_0.cif");
    assert!(!run.path("stopped.csv").exists());

    run.copy(&example(), "alone.pdb");
    run.prism(&["confidence", "alone.pdb"]).says(1, "there is no matrix of predicted aligned errors for it");
    run.prism(&["confidence", "no/such"]).says(1, "error: no/such: No such file");
    run.prism(&["confidence", "all", "--pae-cutoff", "0"]).says(2, "give a distance in Å above 0");
    run.prism(&["confidence", "all", "-o", "t.npz"]).says(2, "the extension must be");
    run.prism(&["confidence", "all/af2", "-o", "all/af2/iptm_ptm.json"]).says(2, "would be overwritten by the output");
}

#[test]
fn columns_are_listed_and_explained() {
    let run = Run::new();
    let list = run.prism(&["confidence", "--list"]).stdout;
    for text in ["prism confidence --by-residue", "pdockq2", "Dunbrack 2025", "rank_ipsae", " in Å"] {
        assert!(list.contains(text), "{text}: {list}");
    }
    let one = run.prism(&["confidence", "--explain", "actifptm"]).stdout;
    assert!(one.contains("closer than 8 Å") && one.contains("Varga"), "{one}");
    let json: serde_json::Value =
        serde_json::from_str(&run.prism(&["confidence", "--explain", "lis", "--format", "json"]).stdout).unwrap();
    assert_eq!((&json[0]["name"], json.as_array().unwrap().len()), (&"lis".into(), 2));
    run.prism(&["confidence", "--explain", "ipsea"]).says(2, "there is no column \"ipsea\"; did you mean ipsae?");
}

#[test]
fn provenance_and_digests_are_recorded() {
    let run = Run::new();
    predictions(&run, "chai", "chai/");
    let outcome =
        run.prism(&["confidence", "chai", "-o", "t.csv", "--provenance", "p.json", "--digests", "--pae-cutoff", "12"]);
    assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    let json: serde_json::Value = serde_json::from_slice(&fs::read(run.path("p.json")).unwrap()).unwrap();
    assert_eq!(json["prism.pae_cutoff"], "12");
    assert_eq!(json["inputs"].as_array().unwrap().len(), 3);
}
