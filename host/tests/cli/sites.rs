//! `prism sites`: which sites are written, and how they are named.

use crate::command::{Outcome, Run, column, example, predicted, shipped};
use std::fs;

const SITES: &str = "structure,rank,score,probability,x,y,z,area,volume,residues,plddt";

/// A folder with a domain of 194 residues.
fn folder() -> Run {
    let run = Run::new();
    run.copy(&example(), "a.pdb");
    run
}

fn sites(run: &Run, more: &[&str]) -> Outcome {
    let outcome = run.prism(&[&["sites", "a.pdb", "--backend", "cpu"], more].concat());
    assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    outcome
}

fn numbers(csv: &str, name: &str) -> Vec<f64> {
    column(csv, name).iter().map(|text| text.parse().unwrap()).collect()
}

#[test]
fn sites_are_a_line_each_and_all_have_residues() {
    let run = folder();
    let (usual, all) = (sites(&run, &[]).stdout, sites(&run, &["--all"]).stdout);
    assert_eq!(usual.lines().next(), Some(SITES));
    for table in [&usual, &all] {
        assert!(column(table, "residues").iter().all(|residues| residues.starts_with("E_")), "{table}");
        assert!(numbers(table, "score").is_sorted_by(|a, b| a >= b));
    }
    // A domain has twenty sites, most of them unlikely.
    assert_eq!(column(&all, "rank"), (1..=20).map(|rank| rank.to_string()).collect::<Vec<_>>());
    let expected = numbers(&all, "probability").iter().filter(|&&probability| probability >= 0.1).count();
    assert!((1..20).contains(&expected));
    assert_eq!(usual, all.lines().take(1 + expected).map(|line| format!("{line}\n")).collect::<String>());
    let file = sites(&run, &["-o", "s.csv"]);
    assert_eq!((file.stdout, fs::read_to_string(run.path("s.csv")).unwrap()), (String::new(), usual.clone()));
}

#[test]
fn whole_pockets_are_measured_on_request() {
    let run = folder();
    let (usual, more) = (sites(&run, &[]).stdout, sites(&run, &["--pocket-shape"]).stdout);
    let columns = "pocket_volume,pocket_depth,mouth_area,pocket_hydropathy,pocket_flexibility";
    assert_eq!(more.lines().next(), Some(&*format!("{SITES},{columns}")));
    for (usual, more) in usual.lines().zip(more.lines()).skip(1) {
        assert!(more.starts_with(&format!("{usual},")), "{more}");
    }
    assert!(numbers(&more, "pocket_volume").iter().any(|volume| *volume > 100.0));
}

#[test]
fn limits_leave_sites_out_and_the_headline_says_so() {
    let run = folder();
    let all = sites(&run, &["--all"]).stdout;
    let first = |count: usize| all.lines().take(1 + count).map(|line| format!("{line}\n")).collect::<String>();
    assert_eq!(sites(&run, &["--max-sites", "2"]).stdout, first(2));
    assert_eq!(sites(&run, &["--max-sites", "0"]).stdout, format!("{SITES}\n"));
    let probabilities = column(&all, "probability");
    assert_eq!(sites(&run, &["--min-probability", &probabilities[2]]).stdout, first(3));
    assert_eq!(sites(&run, &["--min-probability", "0"]).stdout, all);
    let usual = sites(&run, &[]);
    let (likely, written) =
        [0.5, 0.1].map(|least| numbers(&all, "probability").iter().filter(|&&one| one >= least).count()).into();
    let headline = format!("(probability of at least 0.5); {written} in the table, {} left out", 20 - written);
    assert!(
        usual.stderr.contains(&format!("note: {likely} site")) && usual.stderr.contains(&headline),
        "{}",
        usual.stderr
    );
}

#[test]
fn a_residue_has_the_rank_of_the_site_that_lists_it_first() {
    let run = folder();
    let table = sites(&run, &[]).stdout;
    let features = run.features(&["a.pdb", "--columns", "chain,resnum,icode,site_id"]).stdout;
    let (numbers, ids) = (column(&features, "resnum"), column(&features, "site_id"));
    let lists = column(&table, "residues");
    let mut listed = 0;
    for (number, id) in numbers.iter().zip(ids) {
        let name = format!("E_{number}");
        let first = lists.iter().position(|list| list.split(' ').any(|one| one == name));
        assert_eq!(id, first.map_or(String::new(), |index| (index + 1).to_string()), "{name}");
        listed += usize::from(first.is_some());
    }
    assert!(listed > 5);
    // Other formats have the same, with their word for nothing.
    for (name, nothing) in [("t.jsonl", "\"site_id\":null"), ("t.tsv", "E\t333\t\t\n")] {
        run.features(&["a.pdb", "--columns", "chain,resnum,icode,site_id", "-o", name]);
        assert!(fs::read_to_string(run.path(name)).unwrap().contains(nothing), "{name}");
    }
}

#[test]
fn a_blank_chain_is_chosen_as_viewers_do() {
    let run = folder();
    let blank = fs::read_to_string(run.path("a.pdb")).unwrap().replace(" E ", "   ");
    run.put("blank.pdb", blank);
    let script = |name: &str| {
        assert_eq!(run.prism(&["sites", "blank.pdb", "--all", "--backend", "cpu", "--script", name]).status, 0);
        fs::read_to_string(run.path(name)).unwrap()
    };
    assert!(script("s.pml").contains("select site_1, protein and ((chain \"\" and resi "));
    assert!(script("s.cxc").contains("show #1:"));
}

#[test]
fn scripts_name_sites_and_residues_as_the_table_does() {
    let run = folder();
    let table = sites(&run, &["--script", "s.pml"]).stdout;
    fs::create_dir(run.path("out")).unwrap();
    sites(&run, &["--script", "out/s.cxc"]);
    sites(&run, &["--script", "out/s.pml", "--points", "out/p.pdb"]);
    let [here, chimerax, pymol] =
        ["s.pml", "out/s.cxc", "out/s.pml"].map(|name| fs::read_to_string(run.path(name)).unwrap());
    for (rank, residues) in column(&table, "rank").iter().zip(column(&table, "residues")) {
        for script in [&here, &chimerax, &pymol] {
            let line = script.lines().find(|line| line.starts_with(&format!("# Site {rank}, ")));
            assert!(line.is_some_and(|line| line.ends_with(&format!(": {residues}"))), "{script}");
        }
    }
    // Files are named from the folder of the script, which PyMOL enters first, and ChimeraX by itself.
    assert!(here.starts_with("load a.pdb, protein\n") && chimerax.starts_with("open ../a.pdb\n"), "{here}{chimerax}");
    assert!(pymol.starts_with("/import os\n/os.chdir(") && pymol.contains("\nload ../a.pdb, protein\n"), "{pymol}");
    assert!(pymol.contains("\nload p.pdb, points\n"), "{pymol}");
    assert!(here.contains("show sticks, protein and organic") && chimerax.contains("ligand"), "ligands are shown");
}

/// Two molecules with one chain id: a viewer finds neither by its chain and numbers.
#[test]
fn scripts_select_molecules_by_the_positions_of_their_atoms() {
    let run = Run::new();
    let atoms = |shift: f64| -> String {
        let text = fs::read_to_string(example()).unwrap();
        let moved = |line: &str| {
            let z = line[46..54].trim().parse::<f64>().unwrap() + shift;
            format!("{}{z:8.3}{}\n", &line[..46], &line[54..])
        };
        text.lines().filter(|line| line.starts_with("ATOM")).map(moved).collect()
    };
    let molecules = [atoms(0.0), atoms(90.0)];
    run.put("two.pdb", molecules.concat());
    let script = |name: &str| {
        let outcome = run.prism(&["sites", "two.pdb", "--max-sites", "2", "--script", name, "--backend", "cpu"]);
        assert_eq!(outcome.status, 0, "{}", outcome.stderr);
        (column(&outcome.stdout, "residues"), fs::read_to_string(run.path(name)).unwrap())
    };
    // The coordinates of a residue's atoms, which are all heavy.
    let of_residue = |name: &str| -> Vec<String> {
        let (chain, number) = name.rsplit_once('_').unwrap();
        let lines = molecules[usize::from(chain == "E~2")].lines().filter(|line| line[22..27].trim() == number);
        lines.map(|line| [30, 38, 46].map(|at| line[at..at + 8].trim()).join(",")).collect()
    };
    for (name, before) in [("s.pml", "pos=["), ("s.cxc", "marker #99 position ")] {
        let (residues, text) = script(name);
        let position = |line: &str| {
            let position = &line[line.find(before)? + before.len()..];
            Some(position.split(']').next()?.split(" radius").next()?.replace(' ', ""))
        };
        let found: Vec<String> = text.lines().filter(|line| !line.contains("_centre")).filter_map(position).collect();
        let expected: Vec<String> = residues.iter().flat_map(|site| site.split(' ')).flat_map(of_residue).collect();
        assert!(residues.iter().any(|site| site.contains("E~2_")), "{residues:?}");
        assert_eq!(found, expected, "{name}");
        assert!(!text.contains("chain \"") && !text.contains("#1/"), "{text}");
        assert!(text.contains("# Chains that the file does not have under these names"), "{text}");
    }
    let pymol = script("s.pml").1;
    assert!(pymol.contains("select site_1, protein and ((all within 0.01 of site_1_atoms))\n"), "{pymol}");
    assert!(script("s.cxc").1.contains("show #1 & (#99 @<0.01) atoms\n"));
}

#[test]
fn sites_of_predicted_models_have_a_confidence() {
    let run = Run::new();
    run.copy(&shipped("1ubq.pdb"), "experiment.pdb");
    run.put("low.pdb", predicted("TITLE     ALPHAFOLD MODEL\n", |number, _| 20.0 + f64::from(number) / 4.0));
    run.put("high.pdb", predicted("TITLE     ALPHAFOLD MODEL\n", |_, _| 92.0));
    let of = |name: &str, more: &[&str]| {
        run.prism(&[&["sites", name, "--all", "--max-sites", "5", "--backend", "cpu"], more].concat())
    };
    let experiment = of("experiment.pdb", &[]);
    assert!(column(&experiment.stdout, "plddt").iter().all(String::is_empty) && !experiment.stderr.contains("warning"));
    let low = of("low.pdb", &[]);
    low.says(0, "warning: low.pdb: sites lie in a part of the predicted model that may be placed wrongly, with a mean pLDDT below 50: 1 (");
    for (residues, mean) in column(&low.stdout, "residues").iter().zip(numbers(&low.stdout, "plddt")) {
        let all: Vec<f64> =
            residues.split(' ').map(|name| 20.0 + name["A_".len()..].parse::<f64>().unwrap() / 4.0).collect();
        assert!((all.iter().sum::<f64>() / all.len() as f64 - mean).abs() < 1e-4, "{residues}: {mean}");
    }
    // A limit leaves out those below it, and nothing is left to warn of. What is unknown is not low.
    let limited = of("low.pdb", &["--min-plddt", "50"]);
    assert!(limited.stdout.lines().count() == 1 && !limited.stderr.contains("warning"), "{}", limited.stderr);
    assert_eq!(of("experiment.pdb", &["--min-plddt", "50"]).stdout, experiment.stdout);
    assert_eq!(column(&of("high.pdb", &["--min-plddt", "90"]).stdout, "plddt"), ["92.0"; 5]);
}

#[test]
fn wrong_use_of_sites_is_refused() {
    let run = folder();
    for (arguments, needed) in [
        (&["sites"][..], "PATH"),
        (&["sites", "a.pdb", "--site-threshold", "0"], "`site_threshold` is 0; it must be above 0 and at most 1"),
        (
            &["sites", "a.pdb", "-o", "s.npz"],
            "the extension must be csv, tsv or jsonl (each also .gz), json, arrow or parquet",
        ),
        (&["sites", "a.pdb", "--min-score", "1"], "'--min-probability P', from 0 to 1, leaves out weak sites"),
        (&["sites", "a.pdb", "--min-probability", "1.5"], "give a probability from 0 to 1"),
        (&["sites", "a.pdb", "--min-probability", "nan"], "give a probability from 0 to 1"),
        (&["sites", "a.pdb", "--min-plddt", "-1"], "give a pLDDT from 0 to 100"),
        (&["sites", "a.pdb", "--all", "--min-probability", "0.2"], "cannot be used with"),
        (&["sites", "a.pdb", "--script", "s.txt"], "scripts are written as pml"),
        (&["sites", "a.pdb", "--write-structure", "s.txt"], "structures are written as pdb or cif"),
        (&["sites", "a.pdb", "a.pdb", "--write-structure", "s.pdb"], "of one structure"),
    ] {
        run.prism(arguments).says(2, needed);
    }
}
