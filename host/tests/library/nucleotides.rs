//! Nucleotides compared with FreeSASA and biotite (`tests/data/make_nucleotides_reference.py`): a double helix, a tRNA with modified
//! nucleotides, a quadruplex with hydrogens, a protein bound to DNA.

use prism_host::interactions::{Kind, Options, interactions};
use prism_host::output::{Columns, CsvTable, StructureRows, Table as _};
use prism_host::read::{Alternates, Polymers, ReadOptions, read_path};
use prism_host::{Backend, Engine};
use std::collections::{BTreeMap, BTreeSet};

const FILES: [&str; 4] = ["1bna.pdb", "1ehz_cut.pdb", "1jjp_cut.pdb", "1lcd_cut.pdb"];

fn lines(file: &str) -> Vec<BTreeMap<String, String>> {
    csv::Reader::from_path(format!("../tests/data/{file}")).unwrap().deserialize().map(Result::unwrap).collect()
}

fn columns() -> Columns {
    Columns::default().with_polymers().with_nucleotides()
}

/// The rows of a file's nucleotides as the table of features has them.
fn rows(engine: &Engine, file: &str) -> Vec<BTreeMap<String, String>> {
    let options = ReadOptions { polymers: Polymers::All, ..ReadOptions::default() };
    let structure = read_path(format!("../tests/data/{file}.gz"), file, &options).unwrap().structure;
    let features = &engine.run(std::slice::from_ref(&structure)).unwrap()[0];
    let mut text = Vec::new();
    let mut table = CsvTable::new(&mut text, columns());
    table.write(&[StructureRows { structure: &structure, features: features.view() }]).unwrap();
    Box::new(table).finish().unwrap();
    let all: Vec<BTreeMap<String, String>> =
        csv::Reader::from_reader(&text[..]).deserialize().map(Result::unwrap).collect();
    all.into_iter().filter(|row| row["polymer"] != "protein").collect()
}

#[test]
fn areas_and_torsions_are_those_of_freesasa_and_biotite() {
    let engine = Engine::builder().backend(Backend::Cpu).build().unwrap();
    let expected = lines("nucleotides_reference.csv");
    let mut compared = BTreeMap::new();
    for file in FILES {
        let found = rows(&engine, file);
        let own: Vec<_> = expected.iter().filter(|line| line["structure"] == file).collect();
        assert_eq!(found.len(), own.len(), "{file}");
        for (found, own) in found.iter().zip(own) {
            let what = format!("{file} {} {}", own["chain"], own["resnum"]);
            for column in ["chain", "resnum", "resname", "parent"] {
                assert_eq!(found[column], own[column], "{what}");
            }
            let names = ["sasa", "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "chi", "pucker_phase"];
            for column in names.into_iter().chain(["pucker_amplitude"]) {
                assert_eq!(found[column].is_empty(), own[column].is_empty(), "{what} {column}");
                if own[column].is_empty() {
                    continue;
                }
                let [a, b] = [&found[column], &own[column]].map(|text| text.parse::<f64>().unwrap());
                let apart = (a - b).abs();
                // Angles near -180 and 180 are near each other. A phase depends on small differences of angles.
                let apart = if column == "sasa" { apart } else { apart.min(360.0 - apart) };
                let allowed =
                    if column.starts_with("pucker") { 0.02 } else { 1e-3 + if column == "sasa" { 0.0 } else { 1e-3 } };
                assert!(apart <= allowed, "{what} {column}: {a} is not {b}");
                *compared.entry(column).or_insert(0) += 1;
            }
        }
    }
    assert_eq!((compared["sasa"], compared["pucker_phase"]), (150, 150));
    assert!(compared["alpha"] > 130 && compared["chi"] == 150, "{compared:?}");
}

#[test]
fn puckers_have_the_names_of_their_phases() {
    let engine = Engine::builder().backend(Backend::Cpu).build().unwrap();
    let names = [
        "C3'-endo", "C4'-exo", "O4'-endo", "C1'-exo", "C2'-endo", "C3'-exo", "C4'-endo", "O4'-exo", "C1'-endo",
        "C2'-exo",
    ];
    for row in rows(&engine, "1ehz_cut.pdb") {
        let phase: f64 = row["pucker_phase"].parse().unwrap();
        assert_eq!(row["pucker"], names[(phase / 36.0) as usize], "{phase}");
        assert!((0.0..360.0).contains(&phase));
    }
}

#[test]
fn what_amino_acids_alone_have_is_undefined() {
    let engine = Engine::builder().backend(Backend::Cpu).build().unwrap();
    for row in rows(&engine, "1lcd_cut.pdb") {
        let undefined =
            ["rsa", "hse_up", "hse_down", "ca_angle", "ca_dihedral", "hydropathy", "charge", "volume", "phi", "ss"];
        assert!(undefined.into_iter().all(|column| row[column].is_empty()), "{row:?}");
        let defined = ["sasa", "depth", "cx", "wcn", "contact_number", "ca_x", "b_factor", "delta", "pucker"];
        assert!(defined.into_iter().all(|column| !row[column].is_empty()), "{row:?}");
    }
}

/// Chain and number of both ends, the lower end first.
type Ends = [(String, i32); 2];

#[test]
fn pairs_and_stacks_are_those_of_biotite() {
    let expected = lines("base_pairs_reference.csv");
    let (mut pairs, mut sides, mut edges, mut stacks) = ([0, 0], [0, 0], [0, 0], [0, 0]);
    for file in FILES {
        let bytes = std::fs::read(format!("../tests/data/{file}.gz")).unwrap();
        let kinds = [Kind::BasePair, Kind::BaseStack];
        let options = Options { kinds: &kinds, chains: None, alternates: Alternates::Highest, dictionary: None };
        let all = interactions(&bytes, file, &options).unwrap();
        let end = |residue: u32| {
            let residue = &all.residues[residue as usize];
            (residue.chain.to_string(), residue.number)
        };
        let mut classes: BTreeMap<Ends, String> = BTreeMap::new();
        let mut stacked: BTreeSet<Ends> = BTreeSet::new();
        for one in &all.found {
            let ends = one.residues.map(end);
            assert!(one.residues[0] < one.residues[1] && ends[0] != ends[1]);
            match &one.pair {
                Some(pair) => drop(classes.insert(ends, pair.class.to_string())),
                None => drop(stacked.insert(ends)),
            }
        }
        for line in expected.iter().filter(|line| line["structure"] == file) {
            let end =
                |end: &str| (line[&format!("chain_{end}")].clone(), line[&format!("resnum_{end}")].parse().unwrap());
            let ends = [end("a"), end("b")];
            let count = |all: &mut [usize; 2], is_same: bool| {
                all[0] += usize::from(is_same);
                all[1] += 1;
            };
            if line["kind"] == "base_stack" {
                count(&mut stacks, stacked.contains(&ends));
                continue;
            }
            let found = classes.get(&ends);
            count(&mut pairs, found.is_some());
            // Of modified nucleotides, and without hydrogens, biotite says less.
            let (theirs, own) = (&line["class"], found.map_or("", String::as_str));
            if !theirs.starts_with('.') {
                count(&mut sides, own.get(..1) == theirs.get(..1));
            }
            if !theirs.contains('.') {
                count(&mut edges, own == theirs);
            }
        }
    }
    let share = |[same, all]: [usize; 2]| same as f64 / all as f64;
    assert_eq!((pairs[1], stacks[1]), (51, 89), "the reference has so many");
    assert!(
        [pairs, sides, edges, stacks].into_iter().all(|counted| share(counted) >= 0.95),
        "{pairs:?} {sides:?} {edges:?} {stacks:?}"
    );
    assert!([pairs, sides, edges].into_iter().all(|counted| share(counted) >= 0.98), "{pairs:?} {sides:?} {edges:?}");
}

#[test]
fn a_trna_has_its_known_pairs() {
    let bytes = std::fs::read("../tests/data/1ehz_cut.pdb.gz").unwrap();
    let options = Options { kinds: &[Kind::BasePair], chains: None, alternates: Alternates::Highest, dictionary: None };
    let all = interactions(&bytes, "1ehz", &options).unwrap();
    let number = |residue: u32| all.residues[residue as usize].number;
    let class = |a: i32, b: i32| {
        let found = all.found.iter().find(|one| one.residues.map(number) == [a, b]);
        found.and_then(|one| one.pair.as_ref()).map(|pair| pair.class.to_string())
    };
    // The cloverleaf, and tertiary pairs: Levitt's, reverse Hoogsteen pairs of T54 and U8, and the wobble pair of the acceptor stem (Shi and
    // Moore 2000, RNA 6:1091).
    let known = [
        (1, 72, "cWW"),
        (4, 69, "cWW"),
        (15, 48, "tWW"),
        (19, 56, "cWW"),
        (26, 44, "cWW"),
        (8, 14, "tWH"),
        (54, 58, "tWH"),
        (22, 46, "tHW"),
    ];
    for (a, b, expected) in known {
        assert_eq!(class(a, b).as_deref(), Some(expected), "{a} {b}");
    }
}
