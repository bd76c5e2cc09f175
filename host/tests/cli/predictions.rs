//! `prism confidence` from a user's view.

use crate::command::{Run, column, example, predictions, with_one_chain_id};
use parquet::file::reader::{FileReader as _, SerializedFileReader};
use std::fs;
use std::io::Write as _;

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
    // AlphaFold 3 and ColabFold have the same value, 0.73, and so the same rank.
    assert_eq!((sorted("rank"), sorted("rank_ipsae")), (vec![1, 2, 3, 3, 5, 6, 7], (1..=7).collect()));
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
fn a_share_of_nothing_is_reported_and_written() {
    let run = Run::new();
    predictions(&run, "chai", "chai/");
    let whole = run.prism(&["confidence", "chai"]).stdout;
    let note = "note: there is 1 prediction, and none is this shard's";
    let shown = run.prism(&["confidence", "chai", "--shard", "2/2"]);
    shown.says(0, note);
    assert_eq!(shown.stdout.lines().collect::<Vec<_>>(), [whole.lines().next().unwrap()]);
    let files = ["confidence", "chai", "--shard", "2/2", "-o", "t.csv", "--by-structure", "s.csv", "--status", "u.csv"];
    run.prism(&files).says(0, note);
    assert_eq!(fs::read_to_string(run.path("t.csv")).unwrap(), shown.stdout);
    for table in ["s.csv", "u.csv"] {
        assert_eq!(fs::read_to_string(run.path(table)).unwrap().lines().count(), 1, "{table}");
    }
    run.prism(&["confidence", "chai", "--shard", "2/2", "-o", "t.parquet"]).says(0, note);
    let parquet = SerializedFileReader::new(fs::File::open(run.path("t.parquet")).unwrap()).unwrap();
    assert_eq!(parquet.metadata().file_metadata().num_rows(), 0);
    // Nothing at all is one.
    run.prism(&["confidence", "no/such", "--shard", "1/2"]).says(1, "error: no/such");
}

#[test]
fn what_all_of_a_folder_lack_is_reported_once() {
    let run = Run::new();
    for design in ["one", "three", "two"] {
        predictions(&run, "chai", &format!("all/{design}/"));
        fs::remove_file(run.path(&format!("all/{design}/scores.model_idx_0.npz"))).unwrap();
    }
    let lack = ": the predictor's ipTM, pTM and ranking are in no file beside it, and left empty; they should be in \
                scores.model_idx_0 (.json or .npz)";
    let count = |stderr: &str| stderr.matches("they should be in").count();
    let once = run.prism(&["confidence", "all", "-o", "t.csv", "--status", "s.csv"]);
    once.says(
        0,
        &format!("warning: one/pred.model_idx_0.cif{lack}; the same holds for 2 more structures, which -v names"),
    );
    assert_eq!(count(&once.stderr), 1, "{}", once.stderr);
    let status = fs::read_to_string(run.path("s.csv")).unwrap();
    assert!(column(&status, "notes").iter().all(|notes| notes.contains("they should be in")), "{status}");
    let each = run.prism(&["confidence", "all", "-o", "t.csv", "-v"]);
    each.says(0, &format!("warning: two/pred.model_idx_0.cif{lack}\n"));
    assert_eq!(count(&each.stderr), 3, "{}", each.stderr);
    assert_eq!(count(&run.prism(&["confidence", "all", "-o", "t.csv", "-q"]).stderr), 0);
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
fn a_structure_of_one_chain_is_counted_and_has_a_row_for_the_structure() {
    let run = Run::new();
    predictions(&run, "afdb", "afdb/");
    let outcome = run.prism(&["confidence", "afdb", "--by-structure", "s.csv"]);
    outcome.says(0, "note: 1 structure has one chain, and no row in the table of pairs");
    assert_eq!(outcome.stdout.lines().count(), 1);
    assert_eq!(column(&fs::read_to_string(run.path("s.csv")).unwrap(), "chains"), ["1"]);
    predictions(&run, "boltz", "boltz/");
    assert!(!run.prism(&["confidence", "boltz"]).stderr.contains("one chain"));
}

#[test]
fn models_of_the_given_folder_are_of_one_design_and_recycles_are_left_out() {
    let run = Run::new();
    predictions(&run, "chai", "chai/");
    for (from, to) in [("pred.model_idx_0.cif", "pred.model_idx_1.cif"), ("pae.model_idx_0.npz", "pae.model_idx_1.npz")]
    {
        run.copy(&run.path(&format!("chai/{from}")), &format!("chai/{to}"));
    }
    run.prism(&["confidence", "chai", "--by-structure", "s.csv", "-o", "t.csv"]).says(0, "2 structures");
    assert_eq!(column(&fs::read_to_string(run.path("s.csv")).unwrap(), "design"), [".", "."]);
    predictions(&run, "colabfold", "colabfold/");
    let model = "colabfold/made_unrelaxed_rank_001_alphafold2_multimer_v3_model_3_seed_000.pdb";
    run.copy(&run.path(model), "colabfold/made_unrelaxed_alphafold2_multimer_v3_model_3_seed_000.r2.pdb");
    let outcome = run.prism(&["confidence", "colabfold", "--by-structure", "s.csv"]);
    outcome.says(0, "note: 1 file is left out");
    // 0.8 times 0.72 and 0.2 times 0.77, in the digits of these.
    assert_eq!(column(&fs::read_to_string(run.path("s.csv")).unwrap(), "ranking"), ["0.73"]);
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

/// The reference of the model in ColabFold's layout: other ids of chains, in another order, and one chain moved.
fn moved_reference(model: &str) -> String {
    let of = |own: char, id: char, shift: f64| {
        let atoms = model.lines().filter(move |line| line.starts_with("ATOM") && line.as_bytes()[21] == own as u8);
        atoms.map(move |line| {
            let x: f64 = line[30..38].trim().parse::<f64>().unwrap() + shift;
            format!("{}{id}{}{x:8.3}{}\n", &line[..21], &line[22..30], &line[38..])
        })
    };
    of('B', 'H', 1.2).chain(of('A', 'L', 0.0)).collect::<String>() + "END\n"
}

#[test]
fn models_are_compared_with_a_reference_as_dockq_compares_them() {
    let run = Run::new();
    all(&run);
    let model = "all/colabfold/made_unrelaxed_rank_001_alphafold2_multimer_v3_model_3_seed_000.pdb";
    let text = fs::read_to_string(run.path(model)).unwrap();
    run.put("native.pdb", moved_reference(&text));
    let outcome = run.prism(&["confidence", "all", "-r", "native.pdb", "--by-structure", "s.csv"]);
    // The nine chains have other sequences: they keep their scores.
    outcome.says(0, "warning: nine_chains/");
    outcome.says(0, "has the sequence of chains H,L of native.pdb");
    let table = &outcome.stdout;
    assert!(table.lines().next().unwrap().ends_with("reference_a,reference_b,dockq,fnat,irmsd,lrmsd"), "{table}");
    let names = ["structure", "kind", "chain_a", "reference_a", "reference_b", "dockq", "fnat", "irmsd", "lrmsd"];
    let columns = names.map(|name| column(table, name));
    let rows: Vec<[&str; 9]> = (0..columns[0].len()).map(|row| columns.each_ref().map(|of| of[row].as_str())).collect();
    let own: Vec<&[&str; 9]> = rows.iter().filter(|row| row[0].starts_with("colabfold")).collect();
    let expected = run.prism(&["dockq", model, "-r", "native.pdb"]).stdout;
    let value = |name: &str, line: usize| column(&expected, name)[line].clone();
    let numbers = ["dockq", "fnat", "irmsd", "lrmsd"].map(|name| value(name, 1));
    assert!(numbers[0].parse::<f64>().unwrap() < 0.99, "one chain is moved: {expected}");
    for (row, chains) in own.iter().zip([["asym", "A", "L", "H"], ["asym", "B", "H", "L"], ["max", "A", "L", "H"]]) {
        assert_eq!((&row[1..5], &row[5..]), (&chains[..], &numbers.each_ref().map(String::as_str)[..]));
    }
    assert!(rows.iter().filter(|row| row[0].starts_with("nine")).all(|row| row[3..] == [""; 6]), "{table}");
    let structures = fs::read_to_string(run.path("s.csv")).unwrap();
    let at = column(&structures, "structure").iter().position(|name| name.starts_with("colabfold")).unwrap();
    assert_eq!(column(&structures, "dockq")[at], value("dockq", 0));
    assert!(structures.lines().nth(at + 1).unwrap().ends_with("\"B:H,A:L\""), "{structures}");

    let fixed = run.prism(&["confidence", "all/colabfold", "-r", "native.pdb", "--mapping", "A:H,B:L", "-q"]).stdout;
    assert_eq!(column(&fixed, "reference_a"), ["H", "L", "H"], "the mapping is given");
    // Molecules of one chain id are called as in `prism dockq`.
    run.put(model, with_one_chain_id(&text));
    let one = run.prism(&["confidence", "all/colabfold", "-r", "native.pdb", "-q"]).stdout;
    assert_eq!(column(&one, "chain_b"), ["A~2", "A", "A~2"]);
    for (name, expected) in ["dockq", "fnat", "irmsd", "lrmsd"].iter().zip(&numbers) {
        assert_eq!(column(&one, name), [&**expected; 3], "{name}: {one}");
    }
    run.prism(&["confidence", "all", "-r", "no.pdb"]).says(2, "--reference: no.pdb");
    run.prism(&["confidence", "all", "--mapping", "A:H"]).says(2, "--reference");
    run.put("native.csv", moved_reference(&text));
    run.prism(&["confidence", "all", "-r", "native.csv", "-o", "native.csv"]).says(2, "would be overwritten");
}

#[test]
fn a_run_into_a_folder_goes_on_where_it_ended() {
    let run = Run::new();
    all(&run);
    let whole = [
        "confidence",
        "all",
        "-o",
        "whole.parquet",
        "--by-residue",
        "whole_r.parquet",
        "--by-structure",
        "whole_s.csv",
    ];
    assert_eq!(run.prism(&whole).status, 0);
    let into = |more: &[&str]| {
        let mut arguments =
            vec!["confidence", "all", "-o", "pairs/", "--by-residue", "residues/", "--part-inputs", "2"];
        arguments.extend(["--by-structure", "s.csv"]);
        arguments.extend(more);
        run.prism(&arguments)
    };
    into(&["--shard", "1/2"]).says(0, "2 of 4 parts are not done, by other shards perhaps");
    assert!(!run.path("s.csv").exists());
    run.prism(&["merge", "pairs", "-o", "m.parquet"]).says(1, "run the command again with --resume");
    into(&[]).says(1, "holds this run already; --resume goes on with it");
    into(&["--resume", "--pae-cutoff", "12"]).says(1, "holds another run (other options)");
    // As if the process had been killed before the record was written.
    fs::remove_file(run.path("residues/part-00002.json")).unwrap();
    let resumed = into(&["--resume", "--status", "status.csv"]);
    resumed.says(0, "1 of 4 parts is done already");
    resumed.says(0, "7 structures, 325 residues, 0 failed");
    let status = fs::read_to_string(run.path("status.csv")).unwrap();
    assert_eq!(status.lines().count(), 1 + 5, "the status of what this process computed");
    assert_eq!(fs::read_to_string(run.path("s.csv")).unwrap(), fs::read_to_string(run.path("whole_s.csv")).unwrap());
    for (folder, whole) in [("pairs", "whole.parquet"), ("residues", "whole_r.parquet")] {
        run.prism(&["merge", folder, "-o", "merged.parquet"]).says(0, "4 parts");
        assert_eq!(rows(&run, "merged.parquet"), rows(&run, whole));
    }
    into(&["--resume"]).says(0, "4 of 4 parts are done already");
    run.prism(&["confidence", "all", "--resume"]).says(2, "--resume is for a run into a folder");
    run.prism(&["confidence", "all", "-o", "p/", "--by-residue", "r.csv"]).says(2, "give a folder here, too");
}

#[test]
fn the_best_designs_are_chosen_by_their_best_models() {
    let run = Run::new();
    all(&run);
    // A second sample, of another design's files, is better by name alone.
    for (from, to) in [("made_model_0.cif", "made_model_1.cif"), ("pae_made_model_0.npz", "pae_made_model_1.npz")] {
        fs::copy(run.path(&format!("all/boltz/{from}")), run.path(&format!("all/boltz/{to}"))).unwrap();
    }
    let table = |more: &[&str]| {
        let outcome = run.prism(&[&["confidence", "all", "-q", "--by-structure", "s.csv"], more].concat());
        assert_eq!(outcome.status, 0, "{}", outcome.stderr);
        fs::read_to_string(run.path("s.csv")).unwrap()
    };
    let whole = table(&[]);
    let [structures, designs, ranks] = ["structure", "design", "rank_ipsae"].map(|name| column(&whole, name));
    let mut order: Vec<usize> = (0..ranks.len()).collect();
    order.sort_by_key(|&at| ranks[at].parse::<usize>().unwrap());
    let mut expected: Vec<&String> = Vec::new();
    let mut known: Vec<&String> = Vec::new();
    for at in order {
        if !known.contains(&&designs[at]) {
            known.push(&designs[at]);
            expected.push(&structures[at]);
        }
    }
    assert_eq!((structures.len(), expected.len()), (8, 6), "two designs have two models: {designs:?}");
    let best = table(&["--best", "4"]);
    assert_eq!(column(&best, "structure").iter().collect::<Vec<_>>(), expected[..4]);
    assert_eq!(column(&table(&["--best", "100"]), "structure").iter().collect::<Vec<_>>(), expected);
    let equal: Vec<&String> =
        structures.iter().zip(&ranks).filter(|(name, _)| name.starts_with("boltz")).map(|(_, rank)| rank).collect();
    assert_eq!(equal[0], equal[1], "the same matrix twice");
    run.prism(&["confidence", "all", "--best", "4"]).says(2, "--by-structure");
    predictions(&run, "afdb", "single/");
    let single = run.prism(&["confidence", "single", "--by-structure", "s.csv", "--best", "1"]);
    single.says(0, "note: no structure has an ipSAE, by which --best chooses");
    run.prism(&["confidence", "all", "--by-structure", "s.csv", "--best", "0"]).says(2, "0 is not in 1..");
}

#[test]
fn a_run_that_goes_on_names_what_failed_before() {
    let run = Run::new();
    all(&run);
    fs::remove_file(run.path("all/boltz/pae_made_model_0.npz")).unwrap();
    let into = |more: &[&str]| run.prism(&[&["confidence", "all", "-o", "pairs/"], more].concat());
    into(&[]).says(3, "error: boltz/made_model_0.cif: there is no matrix of predicted aligned errors for it");
    let again = into(&["--resume"]);
    again.says(3, "note: boltz/made_model_0.cif failed before: there is no matrix of predicted aligned errors for it");
    again.says(3, "1 failed");
}

/// The rows of a Parquet file as text.
fn rows(run: &Run, name: &str) -> Vec<String> {
    let reader = SerializedFileReader::new(fs::File::open(run.path(name)).unwrap()).unwrap();
    reader.get_row_iter(None).unwrap().map(|row| row.unwrap().to_string()).collect()
}

#[test]
fn archives_on_standard_input_are_read() {
    let run = Run::new();
    predictions(&run, "boltz", "all/boltz/");
    let table = |arguments: &[&str]| fs::read_to_string(run.path(arguments[arguments.len() - 1])).unwrap();
    let given = |archive: &str, arguments: &[&str]| {
        let mut command = run.command(arguments);
        let output = command.stdin(fs::File::open(run.path(archive)).unwrap()).output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let mut tar = tar::Builder::new(fs::File::create(run.path("all.tar")).unwrap());
    tar.append_dir_all(".", run.path("all")).unwrap();
    tar.finish().unwrap();
    let mut zip = zip::ZipWriter::new(fs::File::create(run.path("all.zip")).unwrap());
    for file in fs::read_dir(run.path("all/boltz")).unwrap().map(|entry| entry.unwrap().path()) {
        let name = format!("boltz/{}", file.file_name().unwrap().to_string_lossy());
        zip.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(&fs::read(file).unwrap()).unwrap();
    }
    zip.finish().unwrap();
    run.prism(&["confidence", "all", "-o", "folder.csv"]).says(0, "");
    let expected = table(&["folder.csv"]).replace("boltz/made", "stdin/boltz/made");
    for archive in ["all.tar", "all.zip"] {
        let arguments = ["confidence", "-", "--by-structure", "s.csv", "-o", "t.csv"];
        let (status, stderr) = given(archive, &arguments);
        assert_eq!(status, Some(0), "{archive}: {stderr}");
        assert_eq!(table(&arguments), expected, "{archive}");
    }
    let (status, stderr) = given("all.tar", &["confidence", "-", "-", "-v"]);
    assert!(status == Some(0) && stderr.contains("note: -: is given twice, and counted once"), "{stderr}");
    let (status, stderr) = given("all/boltz/made_model_0.cif", &["confidence", "-"]);
    assert_eq!(status, Some(1), "{stderr}");
    assert!(
        stderr.contains("error: -: is no tar") && stderr.contains("are members of one tar or zip archive"),
        "{stderr}"
    );
}

#[test]
fn models_without_a_value_have_no_rank_and_values_of_several_kinds_are_named() {
    let run = Run::new();
    // A complex of each of two predictors, one that wrote null, and a chain without pairs.
    for layout in ["af2", "af3", "afdb", "boltz"] {
        predictions(&run, layout, &format!("all/{layout}/"));
    }
    let file = "all/af3/made_summary_confidences.json";
    let text = fs::read_to_string(run.path(file)).unwrap();
    run.put(file, text.replace("\"ranking_score\": 0.73", "\"ranking_score\": null"));
    let outcome = run.prism(&["confidence", "all", "--by-structure", "s.csv"]);
    outcome.says(0, "\"ranking_score\" is null, and no number");
    let kinds = "confidence_score (boltz/made_model_0.cif), ranking_confidence (af2/unrelaxed_model_1";
    outcome.says(0, &format!("note: rank puts values of several kinds in one order: {kinds}"));
    let table = fs::read_to_string(run.path("s.csv")).unwrap();
    let [names, ranking, rank, ipsae, rank_ipsae] =
        ["structure", "ranking", "rank", "ipsae", "rank_ipsae"].map(|name| column(&table, name));
    let of = |layout: &str| names.iter().position(|name| name.starts_with(layout)).unwrap();
    let [af2, af3, afdb, boltz] = ["af2", "af3", "afdb", "boltz"].map(of);
    assert_eq!([&ranking[af3], &ranking[afdb], &ipsae[afdb]], ["", "", ""]);
    assert_eq!([af2, af3, afdb, boltz].map(|at| rank[at].as_str()), ["2", "", "", "1"]);
    assert_eq!(rank_ipsae[afdb], "");
    // As they stand in --best, whose last ones have none.
    let best = run.prism(&["confidence", "all", "--by-structure", "b.csv", "--best", "9", "-q"]);
    assert_eq!(best.status, 0);
    let best = fs::read_to_string(run.path("b.csv")).unwrap();
    assert_eq!(column(&best, "rank_ipsae"), ["1", "2", "3", ""]);
    assert!(column(&best, "structure")[3].starts_with("afdb"));
}
