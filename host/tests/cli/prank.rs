//! `prism sites --format p2rank` from the view of a program that reads P2Rank's files.

use crate::command::{Run, column, example, shipped};
use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::io::Read;
use std::path::Path;

/// A file of P2Rank: its fields without blanks, line by line.
fn lines(text: &str) -> Vec<Vec<String>> {
    text.lines().map(|line| line.split(',').map(|field| field.trim().to_owned()).collect()).collect()
}

#[test]
fn files_have_the_sites_of_the_table() {
    let run = Run::new();
    run.copy(&example(), "in/rbd.pdb");
    run.copy(&shipped("1crn.cif"), "in/1crn.cif");
    run.prism(&["sites", "in", "--backend", "cpu", "--all", "--format", "p2rank", "-o", "out/"])
        .says(0, "2 structures, ");
    for (name, input) in [("rbd.pdb", "in/rbd.pdb"), ("1crn.cif", "in/1crn.cif")] {
        let table = run.prism(&["sites", input, "--backend", "cpu", "--all"]).stdout;
        let text = fs::read_to_string(run.path(&format!("out/{name}_predictions.csv"))).unwrap();
        let header = "name     ,  rank,   score, probability, sas_points, surf_atoms,   center_x,   center_y,   center_z, residue_ids, \
                      surf_atom_ids\n";
        assert!(text.starts_with(header), "{text}");
        let sites = lines(&text);
        let of = |name: &str| column(&table, name);
        assert_eq!(sites.len() - 1, of("rank").len(), "{name}");
        let residue_of = atoms(&fs::read_to_string(run.path(input)).unwrap());
        for (at, site) in sites.iter().skip(1).enumerate() {
            assert_eq!((&site[0], &site[1]), (&format!("pocket{}", at + 1), &of("rank")[at]));
            for (field, column) in [(2, "score"), (3, "probability"), (6, "x"), (7, "y"), (8, "z")] {
                let (own, expected): (f64, f64) = (site[field].parse().unwrap(), of(column)[at].parse().unwrap());
                assert!((own - expected).abs() < 0.006, "{own} {expected}");
            }
            let residues: BTreeSet<&str> = site[9].split(' ').collect();
            assert_eq!(residues, of("residues")[at].split(' ').collect::<BTreeSet<_>>());
            let atoms: Vec<i64> = site[10].split_whitespace().map(|id| id.parse().unwrap()).collect();
            assert!(atoms.is_sorted() && atoms.len() == site[5].parse::<usize>().unwrap());
            assert!(atoms.len() <= site[4].parse().unwrap());
            // Numbers are those of the file, where they are of the site's residues.
            assert!(atoms.iter().all(|id| residues.contains(&*residue_of[id])), "{site:?}");
        }
        let features = run.features(&["--columns", "chain,resnum,icode,resname,site_score,site_id", input]);
        let of = |name: &str| column(&features.stdout, name);
        let text = fs::read_to_string(run.path(&format!("out/{name}_residues.csv"))).unwrap();
        let residues = lines(&text);
        assert_eq!(residues[0].join(", "), "chain, residue_label, residue_name, score, zscore, probability, pocket");
        assert_eq!(residues.len() - 1, of("chain").len());
        for (row, line) in residues.iter().skip(1).enumerate() {
            assert_eq!([&line[0], &line[2]], [&of("chain")[row], &of("resname")[row]]);
            assert_eq!(line[1], format!("{}{}", of("resnum")[row], of("icode")[row]));
            let score: f64 = of("site_score")[row].parse().unwrap();
            assert!((line[5].parse::<f64>().unwrap() - score).abs() < 6e-5);
            // The table of features has the sites of at least 0.1, or those in which the score reaches the threshold.
            let site: &str = &of("site_id")[row];
            assert!(site.is_empty() || line[6] != "0", "{line:?} {site}");
        }
        let z: Vec<f64> = residues.iter().skip(1).map(|line| line[4].parse().unwrap()).collect();
        let count = z.len() as f64;
        assert!((z.iter().sum::<f64>() / count).abs() < 1e-3);
        assert!((z.iter().map(|z| z * z).sum::<f64>() / count - 1.0).abs() < 1e-3);
        let shown = run.path("out/visualizations");
        assert_eq!(fs::read(shown.join("data").join(name)).unwrap(), fs::read(run.path(input)).unwrap());
        let script = fs::read_to_string(shown.join(format!("{name}.pml"))).unwrap();
        assert!(script.contains(&format!("load data/{name}, protein")), "{script}");
        assert!(script.contains(&format!("load data/{name}_points.pdb.gz, points")), "{script}");
        let points = fs::File::open(shown.join(format!("data/{name}_points.pdb.gz"))).unwrap();
        let mut text = String::new();
        flate2::read::GzDecoder::new(points).read_to_string(&mut text).unwrap();
        assert!(text.lines().filter(|line| line.starts_with("HETATM")).count() > 10);
    }
}

/// The residue of each atom by its number in a PDB or mmCIF file.
fn atoms(text: &str) -> HashMap<i64, String> {
    let records = text.lines().filter(|line| line.starts_with("ATOM") || line.starts_with("HETATM"));
    records
        .map(|line| match text.starts_with("data_") {
            true => {
                let words: Vec<&str> = line.split_whitespace().collect();
                // Author's number and chain are in front of the atom's name and the model.
                let [number, _, chain] = words[words.len() - 5..words.len() - 2] else { unreachable!() };
                (words[1].parse().unwrap(), format!("{chain}_{number}"))
            }
            false => (
                line[6..11].trim().parse().unwrap(),
                format!("{}_{}{}", &line[21..22], line[22..26].trim(), line[26..27].trim()),
            ),
        })
        .collect()
}

#[test]
fn files_have_the_whole_name_of_their_input() {
    let run = Run::new();
    run.copy(&shipped("1crn.cif"), "in/1crn.cif");
    run.copy(&shipped("1crn.bcif"), "in/1crn.bcif");
    run.copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/1ubq.pdb.gz"), "in/1ubq.pdb.gz");
    let sites = ["sites", "in", "--backend", "cpu", "--all", "--max-sites", "1", "--format", "p2rank", "-o", "out/"];
    run.prism(&sites).says(0, "3 structures, ");
    let text = |name: &str| fs::read_to_string(run.path(name)).unwrap();
    for name in ["1crn.cif", "1crn.bcif", "1ubq.pdb.gz"] {
        assert_eq!(text(&format!("out/{name}_predictions.csv")).lines().count(), 2);
        let points = fs::File::open(run.path(&format!("out/visualizations/data/{name}_points.pdb.gz"))).unwrap();
        let mut text = String::new();
        flate2::read::GzDecoder::new(points).read_to_string(&mut text).unwrap();
        let ranks: BTreeSet<&str> =
            text.lines().filter(|line| line.starts_with("HETATM")).map(|line| line[22..26].trim()).collect();
        assert_eq!(ranks, BTreeSet::from(["0", "1"]), "only the sites of the table");
    }
    assert_eq!(text("out/1crn.cif_predictions.csv"), text("out/1crn.bcif_predictions.csv"));
}

#[test]
fn atoms_have_the_numbers_of_the_file() {
    let run = Run::new();
    let plain = fs::read_to_string(example()).unwrap();
    let numbered = |number: &dyn Fn(usize) -> String| -> String {
        let mut count = 0;
        let line = |line: &str| {
            if !line.starts_with("ATOM") && !line.starts_with("HETATM") {
                return format!("{line}\n");
            }
            count += 1;
            format!("{}{:>5}{}\n", &line[..6], number(count), &line[11..])
        };
        plain.lines().map(line).collect()
    };
    run.put("in/decimal.pdb", numbered(&|count| count.to_string()));
    // Hybrid-36 from 100,000 on; the last two digits count to 1295.
    let letters = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    let digit = |value: usize| letters[value % 36] as char;
    run.put("in/hybrid.pdb", numbered(&|n| format!("A0{}{}{}", digit(n / 1296), digit(n / 36), digit(n))));
    run.put("in/none.pdb", numbered(&|_| "*****".to_owned()));
    run.put("in/zero.pdb", numbered(&|_| "0".to_owned()));
    // Six digits, the first in the column after the record's name.
    let six = |line: &str| match line.strip_prefix("ATOM  ") {
        Some(rest) => format!("ATOM 1{:0>5}{}\n", rest[..5].trim(), &rest[5..]),
        None => format!("{line}\n"),
    };
    run.put("in/six.pdb", numbered(&|count| count.to_string()).lines().map(six).collect::<String>());
    let outcome = run.prism(&["sites", "in", "--backend", "cpu", "--all", "--format", "p2rank", "-o", "out/"]);
    outcome.says(0, "no numbers of their own in the file; surf_atom_ids has the place among its atom records");
    let noted = outcome.stderr.lines().filter(|line| line.contains("surf_atom_ids"));
    assert!(noted.clone().count() == 2, "{}", outcome.stderr);
    assert!(noted.clone().all(|line| line.contains("none.pdb") || line.contains("zero.pdb")), "{}", outcome.stderr);
    let ids = |name: &str| -> Vec<Vec<i64>> {
        let text = fs::read_to_string(run.path(&format!("out/{name}.pdb_predictions.csv"))).unwrap();
        let of = |line: Vec<String>| line[10].split_whitespace().map(|id| id.parse().unwrap()).collect();
        lines(&text).into_iter().skip(1).map(of).collect()
    };
    let expected = ids("decimal");
    assert!(expected.iter().any(|ids| !ids.is_empty()));
    assert_eq!([ids("none"), ids("zero")], [expected.clone(), expected.clone()]);
    let higher: Vec<Vec<i64>> = expected.iter().map(|ids| ids.iter().map(|id| 100_000 + id).collect()).collect();
    assert_eq!([ids("hybrid"), ids("six")], [higher.clone(), higher]);
}

#[test]
fn what_has_no_file_of_its_own_is_refused() {
    let run = Run::new();
    run.copy(&example(), "rbd.pdb");
    let prank = |more: &[&str]| run.prism(&[&["sites", "--backend", "cpu", "--format", "p2rank"], more].concat());
    prank(&["rbd.pdb"]).says(2, "--format p2rank writes files for each structure: give a folder, -o FOLDER/");
    prank(&["rbd.pdb", "-o", "t.csv"]).says(2, "give a folder");
    prank(&["rbd.pdb", "-o", "out/", "--script", "x.pml"]).says(2, "leave out --script");
    prank(&["rbd.pdb", "-o", "out/", "--each", "chain"]).says(2, "leave out --each");
    prank(&["rbd.pdb", "-o", "out/", "--model", "all"]).says(2, "leave out --model all");
    run.copy(&shipped("1ubq.pdb"), "1ubq.pdb");
    run.prism(&["pack", "1ubq.pdb", "-o", "packed.arrow"]).says(0, "1 structure");
    let failed = prank(&["packed.arrow", "rbd.pdb", "-o", "out/"]);
    failed.says(3, "no files of P2Rank: it was not read from a file of its own; write it to one");
    assert!(run.path("out/rbd.pdb_predictions.csv").is_file());
    // A file of the folder is never an input.
    prank(&["out/visualizations/data/rbd.pdb", "-o", "out/"]).says(2, "would be overwritten by the output");
}
