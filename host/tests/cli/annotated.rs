//! Structures as mmCIF with columns as metrics of quality: values are those of the table, found by mmCIF's names.

use crate::command::{Outcome, Run, column, example, shipped};
use prism_host::read::{Category, take_categories, unquoted};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data").join(name)
}

/// A category's rows, by its items.
fn rows(category: &Category) -> Vec<HashMap<&str, &str>> {
    let items = || category.items.iter().map(String::as_str);
    category.rows.iter().map(|row| items().zip(row.iter().map(|value| unquoted(value))).collect()).collect()
}

/// The metrics of a file, and their values.
fn metrics(text: &str) -> [Category; 2] {
    let categories = ["_ma_qa_metric.", "_ma_qa_metric_local."];
    for name in categories {
        let of = |line: &&str| ["metric_id", "mode"].iter().any(|item| line.trim_end() == format!("{name}{item}"));
        assert_eq!(text.lines().filter(of).count(), 1, "a block has one category of a name");
    }
    take_categories(text.as_bytes(), "x", &categories).unwrap().unwrap().1.try_into().unwrap()
}

/// A residue's values of a metric, by chain and number.
fn values(text: &str, name: &str) -> HashMap<(String, String, String), String> {
    let [listed, local] = metrics(text);
    let listed = rows(&listed);
    let metric = listed.iter().find(|row| row["name"] == name).unwrap_or_else(|| panic!("no {name}"));
    assert_eq!(metric["mode"], "local");
    let of = rows(&local).into_iter().filter(|row| row["metric_id"] == metric["id"]).map(|row| {
        let key = [row["label_asym_id"], row["label_seq_id"], row["label_comp_id"]].map(str::to_owned);
        (key.into(), row["metric_value"].to_owned())
    });
    of.collect()
}

#[test]
fn values_are_those_of_the_table() {
    let run = Run::new();
    // Several chains and modified residues; gaps; a PDB file.
    for (file, chains) in [("4zhl.cif.gz", 2), ("1igy_cut.cif.gz", 2), ("1a8o.cif.gz", 1), ("1ubq.pdb.gz", 1)] {
        let input = data(file);
        let arguments = [input.to_str().unwrap(), "--columns", "sasa,site_score,phi,ss", "--annotate", "x.cif"];
        let outcome = run.features(&arguments);
        outcome.says(0, "--annotate: ss is no feature that is a number, and is left out");
        let text = fs::read_to_string(run.path("x.cif")).unwrap();
        // The file itself has the same rows, and mmCIF's names of them.
        let again = run.features(&["x.cif", "--columns", "label_asym_id,label_seq_id,sasa,site_score,phi"]).stdout;
        let of = |name: &str| column(&again, name);
        let keys: Vec<_> = of("label_asym_id").into_iter().zip(of("label_seq_id")).zip(of("resname")).collect();
        assert!(of("chain").windows(2).filter(|pair| pair[0] != pair[1]).count() >= chains - 1, "{file}");
        for name in ["sasa", "site_score", "phi"] {
            let (table, written) = (column(&outcome.stdout, name), values(&text, name));
            assert_eq!(table.len(), keys.len(), "{file}");
            let mut known = 0;
            for (((asym, seq), residue), value) in keys.iter().zip(&table) {
                let place = (asym.clone(), seq.clone(), residue.clone());
                assert_eq!(written.get(&place), (!value.is_empty()).then_some(value), "{file} {place:?}");
                known += usize::from(!value.is_empty());
            }
            assert_eq!(written.len(), known, "{file}: undefined values have no row");
        }
        for name in ["sasa", "site_score", "phi"] {
            let (own, scaled) = (values(&text, name), values(&text, &format!("{name} (QMEAN colours)")));
            let number = |text: &String| text.parse::<f64>().unwrap();
            let all: Vec<f64> = own.values().map(number).collect();
            let (low, high) = match name {
                "site_score" => (0.0, 1.0),
                _ => (all.iter().copied().fold(f64::MAX, f64::min), all.iter().copied().fold(f64::MIN, f64::max)),
            };
            for (place, value) in &own {
                let expected = 0.5 + (number(value) - low) / (high - low) / 2.0;
                assert!((number(&scaled[place]) - expected).abs() < 1e-4, "{file} {name} {place:?}");
            }
        }
        let [listed, _] = metrics(&text);
        let types: Vec<String> = rows(&listed).iter().map(|row| format!("{}: {}", row["name"], row["type"])).collect();
        let expected = [
            "sasa: other",
            "sasa (QMEAN colours): normalized score",
            "site_score: normalized score",
            "site_score (QMEAN colours): normalized score",
            "phi: other",
            "phi (QMEAN colours): normalized score",
        ];
        assert_eq!(types, expected, "{file}");
    }
}

#[test]
fn nucleotides_have_their_values() {
    let run = Run::new();
    let input = data("1lcd_cut.pdb.gz");
    let arguments = [input.to_str().unwrap(), "--polymers", "all", "--columns", "sasa", "--annotate", "x.cif"];
    let outcome = run.features(&arguments);
    assert!(outcome.status == 0 && !outcome.stderr.contains("--annotate"), "{}", outcome.stderr);
    let written = values(&fs::read_to_string(run.path("x.cif")).unwrap(), "sasa");
    let (mut own, mut table): (Vec<_>, _) = (written.into_values().collect(), column(&outcome.stdout, "sasa"));
    own.sort();
    table.sort();
    assert!(column(&outcome.stdout, "polymer").iter().any(|polymer| polymer == "dna"));
    assert_eq!(own, table);
}

#[test]
fn insertion_codes_and_a_blank_chain_have_their_values() {
    let run = Run::new();
    let text = fs::read_to_string(shipped("1crn.pdb")).unwrap();
    // Residues 2 and 3 are 1A and 1B of a chain without an id.
    let line = |line: &str| match (line.starts_with("ATOM"), line.get(22..26)) {
        (true, Some("   2")) => format!("{}    1A{}\n", &line[..21], &line[27..]),
        (true, Some("   3")) => format!("{}    1B{}\n", &line[..21], &line[27..]),
        (true, _) => format!("{} {}\n", &line[..21], &line[22..]),
        _ => String::new(),
    };
    run.put("x.pdb", text.lines().map(line).collect::<String>());
    let outcome = run.features(&["x.pdb", "--columns", "depth", "--annotate", "x.cif"]);
    assert_eq!((outcome.status, outcome.stderr.contains("label_seq_id")), (0, false), "{}", outcome.stderr);
    assert_eq!(column(&outcome.stdout, "icode")[..4], ["", "A", "B", ""]);
    let (table, written) =
        (column(&outcome.stdout, "depth"), values(&fs::read_to_string(run.path("x.cif")).unwrap(), "depth"));
    let mut by_number: Vec<_> =
        written.iter().map(|((_, seq, _), value)| (seq.parse::<i32>().unwrap(), value)).collect();
    by_number.sort();
    assert!(by_number.iter().map(|(_, value)| *value).eq(&table));
}

/// A file with metrics of its own, as predictors write them.
fn with_metrics() -> String {
    let text = fs::read_to_string(shipped("1crn.cif")).unwrap();
    let listed = ["id", "mode", "name", "type"].map(|item| format!("_ma_qa_metric.{item}\n")).concat();
    let metrics = "1 global pLDDT pLDDT\n2 local pLDDT pLDDT\n#\n";
    let items =
        ["label_asym_id", "label_comp_id", "label_seq_id", "metric_id", "metric_value", "model_id", "ordinal_id"];
    let items = items.map(|item| format!("_ma_qa_metric_local.{item}\n")).concat();
    format!("{text}\n#\nloop_\n{listed}{metrics}loop_\n{items}A THR 1 2 91.50 1 7\nA THR 2 2 '88.25' 1 8\n#\n")
}

#[test]
fn metrics_of_the_file_stay_and_come_first() {
    let run = Run::new();
    run.put("model.cif", with_metrics());
    let outcome = run.features(&["model.cif", "--columns", "rsa", "--annotate", "x.cif"]);
    assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    let text = fs::read_to_string(run.path("x.cif")).unwrap();
    let [listed, local] = metrics(&text);
    let (listed, local) = (rows(&listed), rows(&local));
    let ids: Vec<_> = listed.iter().map(|row| (row["id"], row["name"], row["mode"])).collect();
    let new = [("3", "rsa", "local"), ("4", "rsa (QMEAN colours)", "local")];
    assert_eq!(ids[..2], [("1", "pLDDT", "global"), ("2", "pLDDT", "local")]);
    assert_eq!(ids[2..], new);
    let numbered: Vec<_> =
        local[..3].iter().map(|row| (row["ordinal_id"], row["metric_id"], row["label_seq_id"])).collect();
    assert_eq!(numbered, [("7", "2", "1"), ("8", "2", "2"), ("9", "3", "1")]);
    assert_eq!([local[0]["metric_value"], local[1]["metric_value"]], ["91.50", "88.25"]);
    assert!(text.contains("'88.25'"), "values of the file keep their text");
    // Once more, with other values: prism's own are those of this run.
    let alone = run.features(&["x.cif", "--columns", "rsa,depth", "--points", "200", "--annotate", "y.cif"]);
    assert!(alone.status == 0 && !alone.stderr.contains("are kept"), "{}", alone.stderr);
    let again = fs::read_to_string(run.path("y.cif")).unwrap();
    assert_ne!(values(&again, "rsa"), values(&text, "rsa"));
    let mut written: Vec<String> = values(&again, "rsa").into_values().collect();
    let mut table = column(&alone.stdout, "rsa");
    written.sort();
    table.sort();
    assert_eq!(written, table);
    let names: Vec<_> = metrics(&again).map(|category| rows(&category).len()).into();
    assert_eq!(names, [2 + 4, 2 + 4 * 46]);
    // Those of others stay.
    let others = with_metrics().replace("2 local pLDDT pLDDT", "2 local RSA other");
    run.put("others.cif", others);
    run.features(&["others.cif", "--columns", "rsa", "--annotate", "z.cif"])
        .says(0, "others.cif: the file's own metrics are kept, and none of their names are added: rsa");
    // A line of # divides categories, once.
    run.features(&["y.cif", "--columns", "rsa,depth", "--points", "200", "--annotate", "w.cif"]);
    assert_eq!(fs::read_to_string(run.path("w.cif")).unwrap(), again);
}

/// The rows of a file's table, by what names them and some of its columns.
fn same_rows(run: &Run, input: &str, more: &[&str]) {
    let columns = "rsa,bfactor_z,plddt,ss,phi,uniprot_accession,uniprot_number";
    let read = |input: &str, last: &[&str]| {
        let outcome = run.features(&[&[input, "--columns", columns], more, last].concat());
        assert_eq!(outcome.status, 0, "{input}: {}", outcome.stderr);
        assert!(!outcome.stderr.contains("label_seq_id"), "{input}: {}", outcome.stderr);
        outcome.stdout.lines().map(|line| line.split_once(',').unwrap().1.to_owned()).collect::<Vec<_>>()
    };
    let table = read(input, &["--annotate", "same.cif"]);
    assert_eq!(table, read("same.cif", &[]), "{input}");
}

#[test]
fn mmcif_of_pdb_files_has_their_rows() {
    let run = Run::new();
    let compressed = fs::read_dir(data("")).unwrap().map(|entry| entry.unwrap().path());
    let made = [data("dssp/made.pdb.gz"), shipped("1crn.pdb"), shipped("1ubq.pdb"), example()];
    let mut count = 0;
    for path in compressed.chain(made).filter(|path| path.to_str().unwrap().contains(".pdb")) {
        same_rows(&run, path.to_str().unwrap(), &["--polymers", "all"]);
        count += 1;
    }
    assert!(count >= 12);
    // Nucleic acid is a polymer, too, where only protein has rows.
    same_rows(&run, data("1lcd_cut.pdb.gz").to_str().unwrap(), &[]);
    let text = fs::read_to_string(run.path("same.cif")).unwrap();
    let nucleotide = text.lines().find(|line| line.starts_with("ATOM") && line.contains(" DA ")).unwrap();
    assert_ne!(nucleotide.split_whitespace().nth(8), Some("."));
}

#[test]
fn residues_of_other_names_and_microheterogeneity_have_their_places() {
    let run = Run::new();
    let mut text = "DBREF  1UBQ A    1    76  UNP    P62988   UBIQ_HUMAN      11     86\n".to_owned();
    for line in fs::read_to_string(shipped("1ubq.pdb")).unwrap().lines().filter(|line| line.starts_with("ATOM")) {
        match (&line[17..20], line[22..26].trim()) {
            ("MET", _) => text.push_str(&line.replace("ATOM  ", "HETATM").replace("MET", "MSE")),
            ("HIS", _) => text.push_str(&line.replace("HIS", "HSD")),
            // A loop is missing.
            (_, "9" | "10") => continue,
            (_, "6") => {
                let of = |letter: &str, name: &str, share: &str| {
                    let [head, middle, tail] = [&line[..16], &line[20..54], &line[60..]];
                    format!("{head}{letter}{name}{middle}  {share}{tail}\n")
                };
                text.push_str(&of("A", "ARG", "0.40"));
                text.push_str(of("B", "LYS", "0.60").trim_end());
            }
            _ => text.push_str(line),
        }
        text.push('\n');
    }
    run.put("x.pdb", text);
    same_rows(&run, "x.pdb", &[]);
    let text = fs::read_to_string(run.path("same.cif")).unwrap();
    let places: Vec<_> = ["MSE", "ARG", "LYS", "HSD"]
        .iter()
        .map(|name| {
            let is_atom = |line: &&str| ["ATOM", "HETATM"].iter().any(|group| line.starts_with(group));
            let mut atoms = text.lines().filter(is_atom);
            let line = atoms.find(|line| line.contains(&format!(" {name} A "))).unwrap();
            line.split_whitespace().skip(8).step_by(7).take(2).collect::<Vec<_>>().join(" ")
        })
        .collect();
    // Numbers along the chain, then the author's.
    assert_eq!(places, ["1 1", "6 6", "6 6", "66 68"]);
    let outcome = run.features(&["same.cif", "--columns", "uniprot_accession,uniprot_number"]);
    assert_eq!(column(&outcome.stdout, "uniprot_number")[7..9], ["18", "21"]);
    assert!(column(&outcome.stdout, "uniprot_accession").iter().all(|accession| accession == "P62988"));
}

#[test]
fn a_chain_without_an_id_does_not_take_that_of_another() {
    let run = Run::new();
    let text = fs::read_to_string(shipped("1crn.pdb")).unwrap();
    let atoms = || text.lines().filter(|line| line.starts_with("ATOM"));
    let blank = atoms().map(|line| format!("{} {}\n", &line[..21], &line[22..]));
    let moved = atoms().map(|line| {
        format!("{}{:8.3}{}\n", &line[..30], line[30..38].trim().parse::<f64>().unwrap() + 60.0, &line[38..])
    });
    run.put("x.pdb", blank.chain(["TER\n".to_owned()]).chain(moved).collect::<String>());
    run.features(&["x.pdb", "--columns", "rsa", "--annotate", "x.cif"]).says(0, "1 structure, 92 residues");
    let chains = column(&run.features(&["x.cif", "--columns", "rsa"]).stdout, "chain");
    assert_eq!([&chains[0], &chains[46]], ["B", "A"]);
}

#[test]
fn a_line_of_a_text_does_not_end_a_data_block() {
    let run = Run::new();
    let text = fs::read_to_string(shipped("1crn.cif")).unwrap();
    run.put("x.cif", format!("{text}#\n_other.text\n;one\ndata_two\n_atom_site.id\n;\n_other.more 3\n#\n"));
    run.features(&["x.cif", "--columns", "rsa", "--annotate", "y.cif"]).says(0, "1 structure");
    let annotated = fs::read_to_string(run.path("y.cif")).unwrap();
    assert!(annotated.contains("data_two\n_atom_site.id\n;\n_other.more 3\n"));
    assert_eq!(values(&annotated, "rsa").len(), 46);
    let dssp = run.prism(&["dssp", "x.cif", "-o", "z.cif"]);
    assert!(dssp.status == 0 && !dssp.stderr.contains("data blocks"), "{}", dssp.stderr);
    assert!(fs::read_to_string(run.path("z.cif")).unwrap().contains("\n_other.more 3\n"));
    // A block that follows is not read. The line of an error is that of the file.
    run.put("two.cif", format!("{text}#\ndata_two\n_other.more 3\n"));
    run.prism(&["dssp", "two.cif"]).says(0, "data blocks after the first one with atoms are not read");
    let before = "data_first\n_other.id 1\n#\n";
    run.put("open.cif", format!("{before}{text}#\n_other.text 'open\n"));
    let line = before.lines().count() + text.lines().count() + 2;
    run.prism(&["dssp", "open.cif"]).says(1, &format!("open.cif: line {line}: the text quoted by '"));
}

#[test]
fn a_folder_gets_a_file_for_each_structure_and_usual_columns() {
    let run = Run::new();
    run.copy(&shipped("1crn.pdb"), "in/a.pdb");
    run.copy(&shipped("1crn.cif"), "in/a.cif");
    run.copy(&example(), "in/deep/rbd.pdb");
    let outcome = run.features(&["in", "--annotate", "shown/", "-o", "t.csv"]);
    assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    for name in ["shown/a.pdb.cif", "shown/a.cif.cif", "shown/deep/rbd.cif"] {
        let text = fs::read_to_string(run.path(name)).unwrap();
        let listed = metrics(&text);
        let names: Vec<_> = rows(&listed[0]).iter().map(|row| row["name"].to_owned()).collect();
        let own = names.iter().step_by(2);
        assert!(own.eq(["rsa", "depth", "site_score"]) && names.len() == 6, "{name}: {names:?}");
    }
    // The numbers of the first model.
    let text = fs::read_to_string(shipped("1crn.cif")).unwrap();
    let other = text.lines().map(|line| match line.strip_suffix(" 1") {
        Some(line) if line.starts_with("ATOM") => format!("{line} 4\n"),
        _ => match line.trim_end().strip_suffix(" 1") {
            Some(head) if line.starts_with("ATOM") => format!("{head} 4\n"),
            _ => format!("{line}\n"),
        },
    });
    run.put("four.cif", other.collect::<String>());
    assert_eq!(run.features(&["four.cif", "--columns", "rsa", "--annotate", "m.cif"]).status, 0);
    let [_, local] = metrics(&fs::read_to_string(run.path("m.cif")).unwrap());
    assert!(rows(&local).iter().all(|row| row["model_id"] == "4"));
}

#[test]
fn b_columns_are_read_as_before() {
    let run = Run::new();
    let crambin = fs::read_to_string(shipped("1crn.pdb")).unwrap();
    let atoms: String =
        crambin.lines().filter(|line| line.starts_with("ATOM")).map(|line| format!("{line}\n")).collect();
    let cif = fs::read_to_string(shipped("1crn.cif")).unwrap();
    run.put("atoms.pdb", &atoms);
    run.put("titled.pdb", format!("TITLE     ALPHAFOLD MODEL\n{atoms}"));
    run.put("experiment.pdb", format!("EXPDTA    X-RAY DIFFRACTION\n{atoms}"));
    run.put("others.pdb", format!("REMARK  99 B COLUMN HOLDS depth in A\n{atoms}"));
    run.put("bare.cif", cif.replace("_exptl.method", "_exptl.details").replace("_refine.", "_another."));
    let columns = ["--columns", "b_factor,bfactor_z,plddt,sasa"];
    for name in ["atoms.pdb", "titled.pdb", "experiment.pdb", "others.pdb", "bare.cif"] {
        let own = run.features(&[&[name, "--annotate", "x.cif"], &columns[..]].concat());
        let again = run.features(&[&["x.cif"], &columns[..]].concat());
        for column_name in ["bfactor_z", "plddt"] {
            assert_eq!(column(&own.stdout, column_name), column(&again.stdout, column_name), "{name}");
        }
        let has = |column_name: &str| column(&own.stdout, column_name).iter().any(|value| !value.is_empty());
        let expected = match name {
            "titled.pdb" => [false, true],
            "others.pdb" => [false, false],
            _ => [true, false],
        };
        assert_eq!([has("bfactor_z"), has("plddt")], expected, "{name}");
    }
}

#[test]
fn binary_cif_is_annotated_as_mmcif_is() {
    let run = Run::new();
    for name in ["1crn.bcif", "1crn.cif"] {
        run.copy(&shipped(name), name);
        run.features(&[name, "--columns", "sasa", "--annotate", &format!("{name}.cif")]).says(0, "1 structure");
    }
    let text = |name: &str| fs::read_to_string(run.path(name)).unwrap();
    let (binary, plain) = (text("1crn.bcif.cif"), text("1crn.cif.cif"));
    assert_eq!(values(&binary, "sasa"), values(&plain, "sasa"));
    assert_eq!(binary.matches("\nATOM ").count(), plain.matches("\nATOM ").count());
}

#[test]
fn what_cannot_be_annotated_is_said() {
    let run = Run::new();
    run.copy(&shipped("1crn.pdb"), "in/a.pdb");
    run.copy(&shipped("1crn.cif"), "c.cif");
    assert_eq!(run.prism(&["pack", "in/a.pdb", "-o", "b.arrow"]).status, 0);
    let cif = fs::read_to_string(shipped("1crn.cif")).unwrap();
    run.put("bare.cif", cif.replace("_atom_site.label_seq_id", "_atom_site.another_id"));
    let atoms: Vec<&str> = cif.lines().filter(|line| line.starts_with("ATOM")).collect();
    assert!(!atoms.is_empty());
    let pdb = fs::read_to_string(shipped("1ubq.pdb")).unwrap();
    let atoms: Vec<&str> = pdb.lines().filter(|line| line.starts_with("ATOM")).collect();
    let moved = |line: &&str| {
        let x: f64 = line[30..38].trim().parse().unwrap();
        format!("{}{:8.3}{}", &line[..30], x + 60.0, &line[38..])
    };
    let again: Vec<String> = atoms.iter().map(moved).collect();
    run.put("two.pdb", [&atoms.join("\n"), "TER", &again.join("\n")].join("\n"));
    for (input, message) in [
        ("b.arrow", "it was not read from a file of its own; write it to one, and give that"),
        ("bare.cif", "no residue with a value has label_asym_id and label_seq_id"),
        (
            "two.pdb",
            "do not tell all residues apart, so that mmCIF cannot refer to them; give each molecule a chain id",
        ),
    ] {
        run.features(&[input, "--columns", "rsa", "--annotate", "x.cif"]).says(3, message);
        assert!(!run.path("x.cif").exists(), "{input}");
    }
    run.features(&["c.cif", "--columns", "rsa", "--annotate", "c.cif"]).says(2, "would be overwritten by --annotate");
    run.features(&["in/a.pdb", "c.cif", "--columns", "rsa", "--annotate", "x.cif"])
        .says(1, "a file holds one structure: give a folder");
    // Without an experiment or a unit cell, charges make it PQR.
    let alpha =
        |x: u8| format!("ATOM  {x:5}  CA  GLY A{x:4}    {:8.3}   2.000   3.000 -0.1000 1.7000\n", f64::from(x) * 3.8);
    run.put("q.pqr", [1, 2, 3].map(alpha).concat());
    let pqr = "only PDB, mmCIF and BinaryCIF files are taken here; ";
    run.features(&["q.pqr", "--columns", "wcn", "--annotate", "x.cif"])
        .says(3, &format!("q.pqr: cannot be written as mmCIF: {pqr}"));
    run.prism(&["dssp", "q.pqr"]).says(1, &format!("q.pqr: {pqr}"));
    let mut piped = run.command(&["features", "-", "--columns", "rsa", "--annotate", "x.cif"]);
    let piped = piped.stdin(fs::File::open(run.path("c.cif")).unwrap()).output().unwrap();
    Outcome::from(piped).says(3, "stdin: cannot be written as mmCIF: it was not read from a file of its own");
    // Columns that are no numbers are named once.
    let outcome = run.features(&["c.cif", "--columns", "rsa,ss,uniprot_accession", "--annotate", "y.cif"]);
    outcome.says(0, "warning: --annotate: ss and uniprot_accession are no features that are numbers, and are left out");
    assert_eq!(outcome.stderr.matches("--annotate").count(), 1);
    run.features(&["c.cif", "--columns", "rsa,plddt", "--annotate", "x.cif"])
        .says(0, "c.cif: columns without values are not in the mmCIF: plddt");
    run.features(&["c.cif", "--columns", "plddt", "--annotate", "x.cif"]).says(3, "no residue has a value of plddt");
    for (arguments, message) in [
        (&["--annotate", "x.pdb"][..], "give a .cif for one structure, or a folder, ending with /"),
        (&["--annotate", "x.cif", "--columns", "ss"], "no column of --columns is a feature that is a number"),
        (&["--annotate", "x.cif", "-o", "folder/"], "--annotate goes with a table in one file"),
        (&["--annotate", "x.cif", "--each", "chain"], "cannot be used with"),
        (&["--annotate", "x.cif", "--write-structures", "out"], "cannot be used with"),
    ] {
        run.features(&[&["c.cif"], arguments].concat()).says(2, message);
    }
}
