//! `prism dssp` against mkdssp. `tests/data/make_dssp_text.py` runs it and makes a structure of what is rare.

use crate::command::{Run, shipped};
use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data").join(name)
}

fn unzipped(path: &Path) -> String {
    let mut text = String::new();
    flate2::read::MultiGzDecoder::new(fs::File::open(path).unwrap()).read_to_string(&mut text).unwrap();
    text
}

/// The text after the line that has the date.
fn undated(text: &str) -> &str {
    let (first, rest) = text.split_once('\n').unwrap();
    let head =
        "==== Secondary Structure Definition by the program DSSP, NKI version 4.0                           ==== DATE=";
    assert!(first.starts_with(head) && first.len() == head.len() + "2026-11-28        .".len(), "{first}");
    rest
}

#[test]
fn texts_are_those_of_mkdssp_byte_for_byte() {
    let run = Run::new();
    for structure in ["1crn.pdb.gz", "1aki.cif.gz", "1a8o.cif.gz", "1bna.pdb.gz", "4zhl.cif.gz", "dssp/made.pdb.gz"] {
        let path = data(structure);
        let outcome = run.prism(&["dssp", path.to_str().unwrap(), "-o", "x.dssp"]);
        assert_eq!(outcome.status, 0, "{}", outcome.stderr);
        let own = fs::read_to_string(run.path("x.dssp")).unwrap();
        let name = path.file_name().unwrap().to_str().unwrap().split('.').next().unwrap();
        let expected = unzipped(&data(&format!("dssp/{name}.dssp.gz")));
        for (at, (own, expected)) in undated(&own).lines().zip(expected.lines()).enumerate() {
            assert_eq!(own, expected, "{structure}, line {}", at + 2);
        }
        assert_eq!(undated(&own), expected, "{structure}");
        // Without a name it goes to standard output.
        assert_eq!(undated(&run.prism(&["dssp", path.to_str().unwrap()]).stdout), expected);
    }
}

#[test]
fn residues_follow_from_the_atoms_if_the_file_has_no_table_of_them() {
    let run = Run::new();
    let whole = fs::read_to_string(shipped("1crn.cif")).unwrap();
    run.put("whole.cif", &whole);
    // mkdssp needs this table and the HEADER record, and finds no residue or refuses the file.
    let begin = whole.find("loop_\n_pdbx_poly_seq_scheme").unwrap();
    let end = begin + whole[begin..].find("\n#").unwrap();
    run.put("bare.cif", format!("{}{}", &whole[..begin], &whole[end..]));
    let atoms = fs::read_to_string(shipped("1crn.pdb")).unwrap();
    let atoms: Vec<&str> =
        atoms.lines().filter(|line| line.starts_with("ATOM") || line.starts_with("SSBOND")).collect();
    run.put("bare.pdb", atoms.join("\n"));
    run.copy(&shipped("1crn.bcif"), "whole.bcif");
    let residues = |name: &str| {
        let outcome = run.prism(&["dssp", name]);
        assert_eq!(outcome.status, 0, "{}", outcome.stderr);
        let lines: Vec<String> = outcome.stdout.lines().skip(6).map(str::to_owned).collect();
        assert_eq!(lines.len(), 22 + 46);
        lines
    };
    let expected = residues("whole.cif");
    for name in ["bare.cif", "bare.pdb"] {
        for (own, expected) in residues(name).iter().zip(&expected) {
            assert_eq!(own, expected, "{name}");
        }
    }
    // This file has no disulfides: their cysteines have a small letter.
    let cysteine = |line: &String| match line.as_bytes()[13] {
        b'a'..=b'z' => format!("{}C{}", &line[..13], &line[14..]),
        _ => line.clone(),
    };
    for (own, expected) in residues("whole.bcif").iter().zip(&expected).skip(22) {
        assert_eq!(*own, cysteine(expected));
    }
}

/// mkdssp knows residues by chain id, number and name, and would lose the second molecule, or the residues that water is numbered as.
#[test]
fn residues_that_share_an_id_are_not_lost() {
    let run = Run::new();
    let text = unzipped(&data("1ubq.pdb.gz"));
    let atoms: Vec<&str> = text.lines().filter(|line| line.starts_with("ATOM")).collect();
    let moved = |line: &&str| {
        let x: f64 = line[30..38].trim().parse().unwrap();
        format!("{}{:8.3}{}", &line[..30], x + 60.0, &line[38..])
    };
    let again: Vec<String> = atoms.iter().map(moved).collect();
    run.put("one.pdb", atoms.join("\n"));
    run.put("two.pdb", [&atoms.join("\n"), "TER", &again.join("\n")].join("\n"));
    let water: Vec<String> = (1..=20)
        .map(|i| format!("ATOM  {i:5}  OW  SOL A{i:4}    {:8.3}{:8.3}{:8.3}", 90.0 + 4.0 * f64::from(i), 9.0, 9.0))
        .collect();
    run.put("water.pdb", [&atoms.join("\n"), "TER", &water.join("\n")].join("\n"));
    run.put("alone.pdb", water.join("\n"));
    let states = |name: &str| {
        let outcome = run.prism(&["dssp", name]);
        assert_eq!(outcome.status, 0, "{}", outcome.stderr);
        let lines = outcome.stdout.lines().skip(28).filter(|line| line.as_bytes()[13] != b'!');
        (lines.map(|line| line[16..17].to_owned()).collect::<Vec<_>>(), outcome.stderr)
    };
    let (one, _) = states("one.pdb");
    assert_eq!(one.len(), 76);
    let (two, notes) = states("two.pdb");
    assert_eq!(two, [one.clone(), one.clone()].concat());
    assert!(notes.contains("mkdssp's rules lose 76 residues") && notes.contains("shared by A, A~2"), "{notes}");
    assert_eq!(states("water.pdb").0, one);
    run.prism(&["dssp", "two.pdb", "-o", "x.cif"])
        .says(1, "so that mmCIF cannot refer to them; write the text of DSSP");
    run.prism(&["dssp", "alone.pdb"]).says(1, "no protein");
}

#[test]
fn a_folder_gets_a_file_for_each_structure() {
    let run = Run::new();
    run.copy(&shipped("1crn.pdb"), "in/1crn.pdb");
    run.copy(&shipped("1crn.cif"), "in/1crn.cif");
    run.copy(&shipped("1ubq.pdb"), "in/deep/1ubq.ent");
    run.put("in/bad.pdb", "no structure\n");
    run.prism(&["dssp", "in", "-o", "out/"]).says(3, "bad.pdb: no atoms");
    // Names without extensions, unless two would be one.
    for name in ["1crn.cif.dssp", "1crn.pdb.dssp", "deep/1ubq.dssp"] {
        assert!(run.path("out").join(name).is_file(), "{name}");
    }
    assert_eq!(fs::read_dir(run.path("out")).unwrap().count(), 3);
    run.prism(&["dssp", "in/1crn.pdb", "in/1crn.cif", "-o", "x.dssp"])
        .says(1, "a file holds one structure: give a folder");
    run.prism(&["dssp", "in/1crn.pdb", "-o", "x.csv"])
        .says(2, "x.csv: give a .dssp or .cif for one structure, or a folder");
    run.prism(&["dssp", "in/1crn.pdb", "--chains", "A"]).says(2, "takes the first model of each file as a whole");
    // An input is never overwritten.
    run.prism(&["dssp", "in/1crn.pdb", "-o", "in/1crn.pdb"]).says(2, "in/1crn.pdb");
}

#[test]
fn files_of_an_earlier_run_are_kept_if_that_is_asked_for() {
    let run = Run::new();
    for name in ["1crn.pdb", "1ubq.pdb"] {
        run.copy(&shipped(name), &format!("in/{name}"));
    }
    run.copy(&data("1kx2_cut.pdb.gz"), "in/1kx2.pdb.gz");
    let call = |more: &[&str]| run.prism(&[&["dssp", "in", "-o", "out/"], more].concat());
    // Shares are of all inputs, and name files alike.
    call(&["--shard", "1/2", "--status", "s.csv"]).says(0, "2 structures, ");
    let names = |folder: &str| {
        let mut names: Vec<_> = fs::read_dir(run.path(folder))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    assert_eq!(names("out"), ["1crn.dssp", "1ubq.dssp"]);
    let status = fs::read_to_string(run.path("s.csv")).unwrap();
    assert!(
        status.starts_with("structure,residues,atoms,lines,notes,error,milliseconds\n1crn.pdb,46,327,46,"),
        "{status}"
    );
    run.put("out/1ubq.dssp", "what was there");
    let resumed = call(&["--resume"]);
    resumed.says(0, "note: 2 structures have their files already");
    resumed.says(0, "1 structure, ");
    assert_eq!(names("out"), ["1crn.dssp", "1kx2.dssp", "1ubq.dssp"]);
    assert_eq!(fs::read_to_string(run.path("out/1ubq.dssp")).unwrap(), "what was there");
    call(&["--resume"]).says(0, "3 structures have their files already");
    call(&[]).says(0, "3 structures, ");
    assert!(fs::read_to_string(run.path("out/1ubq.dssp")).unwrap().starts_with("===="));
    run.put("in/bad.pdb", "");
    call(&["--resume"]).says(3, "bad.pdb");
    run.prism(&["dssp", "in/1crn.pdb", "-o", "x.dssp", "--resume"]).says(2, "--resume is for a run into a folder");
}

#[test]
fn the_shortest_polyproline_helix_can_have_two_residues() {
    let run = Run::new();
    run.copy(&shipped("1ubq.pdb"), "1ubq.pdb");
    let helices = |arguments: &[&str]| -> Vec<String> {
        let text = run.prism(&[&["dssp", "1ubq.pdb"], arguments].concat()).stdout;
        let lines = text.lines().skip(28).filter(|line| &line[17..18] != " ");
        lines.map(|line| line[5..10].trim().to_owned()).collect()
    };
    // By `mkdssp` and `mkdssp --min-pp-stretch 2`.
    assert_eq!(helices(&[]).join(" "), "49 50 51 61 62 63");
    assert_eq!(helices(&["--min-pp-stretch", "2"]).join(" "), "6 7 21 22 36 37 49 50 51 61 62 63");
}

/// The rows of mmCIF's categories: of each item its value.
fn categories(text: &str) -> BTreeMap<String, Vec<BTreeMap<String, String>>> {
    let mut words = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let mut rest = line.trim();
        while !rest.is_empty() {
            let quote = rest.chars().next().filter(|c| matches!(c, '\'' | '"'));
            let (word, after) = match quote {
                Some(quote) => rest[1..].split_once(quote).unwrap(),
                None => rest.split_once(' ').unwrap_or((rest, "")),
            };
            words.push((quote.is_some(), word.to_owned()));
            rest = after.trim_start();
        }
    }
    let mut all: BTreeMap<String, Vec<BTreeMap<String, String>>> = BTreeMap::new();
    let is_tag = |word: &(bool, String)| !word.0 && word.1.starts_with('_');
    let ends = |word: &(bool, String)| is_tag(word) || !word.0 && (word.1 == "loop_" || word.1.starts_with("data_"));
    let mut at = 0;
    while at < words.len() {
        let is_loop = words[at].1 == "loop_";
        if !is_loop && !is_tag(&words[at]) {
            at += 1;
            continue;
        }
        let begin = at + usize::from(is_loop);
        let tags: Vec<String> = match is_loop {
            true => words[begin..].iter().take_while(|word| is_tag(word)).map(|word| word.1.clone()).collect(),
            false => vec![words[at].1.clone()],
        };
        at = begin + tags.len();
        let values: Vec<String> =
            words[at..].iter().take_while(|word| !ends(word)).map(|word| word.1.clone()).collect();
        at += values.len();
        for row in values.chunks(tags.len()) {
            let (category, _) = tags[0].split_once('.').unwrap();
            let items = tags.iter().map(|tag| tag.split_once('.').unwrap().1.to_owned()).zip(row.iter().cloned());
            let rows = all.entry(category.to_owned()).or_default();
            match rows.last_mut() {
                Some(last) if !is_loop => last.extend(items),
                _ => rows.push(items.collect()),
            }
        }
    }
    all
}

#[test]
fn mmcif_has_the_categories_of_mkdssp() {
    ["1aki", "4zhl"].into_iter().for_each(has_categories);
}

fn has_categories(name: &str) {
    let run = Run::new();
    let path = data(&format!("{name}.cif.gz"));
    run.prism(&["dssp", path.to_str().unwrap(), "-o", "x.cif"]).says(0, "1 structure");
    let own = categories(&fs::read_to_string(run.path("x.cif")).unwrap());
    let expected = categories(&unzipped(&data(&format!("dssp/{name}.categories.cif.gz"))));
    assert_eq!(expected.len(), 13, "{:?}", expected.keys());
    for (category, rows) in &expected {
        let own = own.get(category).unwrap_or_else(|| panic!("{category} is missing"));
        assert_eq!(own.len(), rows.len(), "{category}");
        for (at, (own, row)) in own.iter().zip(rows).enumerate() {
            for (item, value) in own {
                // mkdssp writes one item with a third s, and one type twice.
                let name = if item == "accessibility" { "accesssibility" } else { item };
                let is_number = |text: &str| text.parse::<f64>().is_ok();
                match value.as_str() {
                    "residues_per_alpha_helix" => {}
                    _ if name == "accessible_surface_of_protein" && is_number(value) => {
                        let (a, b): (f64, f64) = (value.parse().unwrap(), row[name].parse().unwrap());
                        assert!((a - b).abs() < 0.1, "{a} {b}");
                    }
                    value => assert_eq!(value, row[name], "{category}.{name}, row {at}"),
                }
            }
            // What is left out is not known to mkdssp either.
            for (item, value) in row.iter().filter(|(item, _)| !own.contains_key(*item)) {
                assert!(value == "?" || item == "accesssibility", "{category}.{item} is missing");
            }
        }
    }
    // The rest of the file stays, and is read like the file itself.
    assert_eq!(own["_atom_site"].len(), categories(&unzipped(&path))["_atom_site"].len());
    let text = |of: &str| undated(&run.prism(&["dssp", of]).stdout).to_owned();
    assert_eq!(text("x.cif"), text(path.to_str().unwrap()));
}

#[test]
fn pdb_files_become_mmcif() {
    let run = Run::new();
    let path = data("dssp/made.pdb.gz");
    run.prism(&["dssp", path.to_str().unwrap(), "-o", "x.cif"]).says(0, "1 structure");
    let own = categories(&fs::read_to_string(run.path("x.cif")).unwrap());
    let atoms = unzipped(&path);
    let first = atoms.lines().take_while(|line| !line.starts_with("ENDMDL"));
    assert_eq!(
        own["_atom_site"].len(),
        first.filter(|line| line.starts_with("ATOM") || line.starts_with("HETATM")).count()
    );
    // Residues, states and bonds are those of the text; molecules are not written.
    let lines = |name: &str, arguments: &[&str]| -> Vec<String> {
        let text = run.prism(&[&["dssp", name], arguments].concat()).stdout;
        text.lines().skip(28).map(str::to_owned).collect()
    };
    let (own, expected) = (lines("x.cif", &[]), lines(path.to_str().unwrap(), &["--format", "dssp"]));
    assert_eq!(own.len(), expected.len());
    for (own, expected) in own.iter().zip(&expected) {
        assert_eq!(own, expected);
    }
}

#[test]
fn mmcif_of_a_pdb_file_has_its_disulfides() {
    let run = Run::new();
    // One leads to another copy in the crystal.
    let text = fs::read_to_string(shipped("1crn.pdb")).unwrap();
    let line = |line: &str| match line.starts_with("SSBOND   3") {
        true => format!("{:<59}{:>6} {:>6}\n", &line[..59.min(line.len())], "1555", "2655"),
        false => format!("{line}\n"),
    };
    run.put("1crn.pdb", text.lines().map(line).collect::<String>());
    let residues = |name: &str| {
        run.prism(&["dssp", name, "--format", "dssp"]).stdout.lines().skip(28).map(str::to_owned).collect::<Vec<_>>()
    };
    run.prism(&["dssp", "1crn.pdb", "-o", "x.cif"]).says(0, "1 structure");
    run.features(&["1crn.pdb", "--columns", "rsa", "--annotate", "y.cif"]).says(0, "1 structure");
    let expected = residues("1crn.pdb");
    let bonded = |line: &&String| line.as_bytes()[13].is_ascii_lowercase();
    assert_eq!(expected.iter().filter(bonded).count(), 6);
    for name in ["x.cif", "y.cif"] {
        assert_eq!(residues(name), expected, "{name}");
        let bonds = &categories(&fs::read_to_string(run.path(name)).unwrap())["_struct_conn"];
        let of = |item: &str| bonds.iter().map(|bond| bond[item].as_str()).collect::<Vec<_>>();
        assert_eq!(of("conn_type_id"), ["disulf"; 3], "{name}");
        assert_eq!([of("ptnr1_auth_seq_id"), of("ptnr2_auth_seq_id")], [["3", "4", "16"], ["40", "32", "26"]]);
        assert_eq!(of("ptnr2_symmetry")[2], "2_655");
    }
    // What is written again has no more lines than before.
    run.prism(&["dssp", "x.cif", "-o", "z.cif"]).says(0, "1 structure");
    let text = |name: &str| fs::read_to_string(run.path(name)).unwrap();
    assert!(text("z.cif") == text("x.cif"));
}

#[test]
fn binary_cif_is_annotated_as_mmcif_is() {
    let run = Run::new();
    let annotated = |extension: &str| {
        let (name, written) = (format!("1crn.{extension}"), format!("{extension}.cif"));
        run.copy(&shipped(&name), &name);
        run.prism(&["dssp", &name, "-o", &written]).says(0, "1 structure");
        let header = run.prism(&["dssp", &name, "--format", "dssp"]).stdout.lines().nth(2).unwrap().to_owned();
        assert_eq!(header.get(62..66), Some("1CRN"), "{header}");
        categories(&fs::read_to_string(run.path(&written)).unwrap())
    };
    let (binary, plain) = (annotated("bcif"), annotated("cif"));
    for category in ["_dssp_struct_summary", "_dssp_struct_bridge_pairs", "_struct_conf", "_dssp_struct_ladder"] {
        // The BinaryCIF has atoms alone, and so no disulfides.
        let is_left_out = |item: &String| item == "ss_bridge";
        assert_eq!(binary[category].len(), plain[category].len(), "{category}");
        for (own, row) in binary[category].iter().zip(&plain[category]) {
            assert!(
                row.iter().all(|(item, value)| is_left_out(item) || own[item] == *value),
                "{category} {own:?} {row:?}"
            );
        }
    }
    assert_eq!(binary["_atom_site"].len(), plain["_atom_site"].len());
}
