//! Sources of structures (tars, standard input, lists), and the status of each.

use crate::command::{Outcome, Run, column, names, shipped};
use std::fs;
use std::io::Write;
use std::process::Stdio;

/// A tar of some members, as `tar` writes it.
fn tar(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = tar::Builder::new(Vec::new());
    for (name, bytes) in members {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        archive.append_data(&mut header, name, *bytes).unwrap();
    }
    archive.into_inner().unwrap()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Crambin twice, compressed and in a folder, beside other members of AlphaFold DB's tars.
fn shard() -> Vec<u8> {
    let crambin = fs::read(shipped("1crn.cif")).unwrap();
    tar(&[
        ("AF-A-F1-model_v4.cif.gz", &gzip(&crambin)),
        ("AF-A-F1-predicted_aligned_error_v4.json.gz", b"{}"),
        ("./more/AF-B-F1-model_v4.cif.zst", &zstd::encode_all(&crambin[..], 3).unwrap()),
    ])
}

impl Run {
    /// Runs `prism` with data on its standard input.
    fn fed(&self, arguments: &[&str], input: &[u8]) -> Outcome {
        let mut command = self.command(arguments);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // A run that does not read to the end closes the pipe.
        let _ = child.stdin.take().unwrap().write_all(input);
        child.wait_with_output().unwrap().into()
    }
}

const FEATURES: [&str; 5] = ["features", "--backend", "cpu", "--columns", "contact_number"];

#[test]
fn members_of_tars_are_structures() {
    let run = Run::new();
    let members = ["shard.tar/AF-A-F1-model_v4.cif.gz", "shard.tar/more/AF-B-F1-model_v4.cif.zst"];
    run.copy(&shipped("1crn.cif"), "one.cif");
    let one = column(&run.prism(&[&FEATURES[..], &["one.cif"]].concat()).stdout, "contact_number");
    for (name, bytes) in [
        ("shard.tar", shard()),
        ("shard.tar.gz", gzip(&shard())),
        ("shard.tar.zst", zstd::encode_all(&shard()[..], 3).unwrap()),
    ] {
        run.put(name, bytes);
        let Outcome { status, stdout, stderr } = run.prism(&[&FEATURES[..], &[name]].concat());
        assert_eq!(status, 0, "{stderr}");
        assert_eq!(names(&stdout), members);
        assert_eq!(column(&stdout, "contact_number"), [&one[..], &one[..]].concat());
        assert!(stderr.contains("note: shard.tar: 1 member is ignored; the formats are .pdb"), "{stderr}");
        assert!(!stderr.contains(".tar, "), "a tar in a tar is not read: {stderr}");
        assert!(stderr.contains("2 structures, 92 residues, 0 failed"), "{stderr}");
    }
}

/// A zip archive of some members.
fn zipped(members: &[(&str, &[u8])], method: zip::CompressionMethod) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in members {
        archive.start_file(*name, zip::write::SimpleFileOptions::default().compression_method(method)).unwrap();
        archive.write_all(bytes).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

#[test]
fn members_of_zip_archives_are_structures() {
    let run = Run::new();
    let crambin = fs::read(shipped("1crn.cif")).unwrap();
    let members: [(&str, &[u8]); 3] =
        [("a/fold_model_0.cif", &crambin), ("fold_full_data_0.json", b"{}"), ("fold_model_1.cif.gz", &gzip(&crambin))];
    run.put("one.cif", &crambin);
    let one = column(&run.prism(&[&FEATURES[..], &["one.cif"]].concat()).stdout, "contact_number");
    for method in [zip::CompressionMethod::Stored, zip::CompressionMethod::Deflated] {
        let bytes = zipped(&members, method);
        run.put("in/fold.zip", &bytes);
        for path in ["in/fold.zip", "in"] {
            let outcome = run.prism(&[&FEATURES[..], &[path]].concat());
            assert_eq!(outcome.status, 0, "{}", outcome.stderr);
            assert_eq!(names(&outcome.stdout), ["fold.zip/a/fold_model_0.cif", "fold.zip/fold_model_1.cif.gz"]);
            assert_eq!(column(&outcome.stdout, "contact_number"), [&one[..], &one[..]].concat());
            outcome.says(0, "note: fold.zip: 1 member is ignored");
        }
        // Cut, changed in a member, and from a pipe, which cannot be read from its end.
        run.put("cut.zip", &bytes[..bytes.len() - 50]);
        run.prism(&[&FEATURES[..], &["cut.zip"]].concat()).says(1, "error: cut.zip: is no zip archive, damaged or cut");
        let mut changed = bytes.clone();
        changed[2000] ^= 1;
        run.put("changed.zip", &changed);
        run.prism(&[&FEATURES[..], &["changed.zip"]].concat())
            .says(3, "error: changed.zip/a/fold_model_0.cif: is damaged");
        run.fed(&[&FEATURES[..], &["-"]].concat(), &bytes)
            .says(1, "stdin: is a zip archive, whose list of members stands at its end");
        run.put("named.pdb", &bytes);
        run.prism(&[&FEATURES[..], &["named.pdb"]].concat()).says(1, "let its name end with .zip");
    }
    run.put("none.zip", zipped(&[("notes.txt", b"x")], zip::CompressionMethod::Stored));
    run.prism(&[&FEATURES[..], &["none.zip"]].concat()).says(1, "error: none.zip: no member is one of .pdb");
}

#[test]
fn foldcomp_is_read_from_files_tars_and_databases() {
    let run = Run::new();
    for file in ["foldcomp", "foldcomp.index", "foldcomp.lookup", "foldcomp.dbtype"] {
        run.copy(&shipped(file), &format!("db/{file}"));
    }
    let entry = fs::read(shipped("foldcomp")).unwrap();
    let second = 1 + entry[1..].windows(4).position(|word| word == b"FCMP").unwrap();
    let (first, second) = (&entry[..second - 1], &entry[second..]);
    run.put("x.fcz", first);
    run.put("t.tar", tar(&[("a/1ubq.fcz", first), ("1crn.fcz.gz", &gzip(second))]));
    let one = run.prism(&[&FEATURES[..], &["x.fcz"]].concat());
    assert_eq!((one.status, column(&one.stdout, "row").len()), (0, 76), "{}", one.stderr);
    let mut values = Vec::new();
    for (input, expected) in [
        ("db/foldcomp", ["foldcomp/1ubq", "foldcomp/1crn"]),
        ("db", ["foldcomp/1ubq", "foldcomp/1crn"]),
        ("t.tar", ["t.tar/a/1ubq.fcz", "t.tar/1crn.fcz.gz"]),
    ] {
        let outcome = run.prism(&[&FEATURES[..], &[input]].concat());
        assert_eq!(
            (outcome.status, names(&outcome.stdout)),
            (0, expected.map(str::to_owned).to_vec()),
            "{}",
            outcome.stderr
        );
        values.push(column(&outcome.stdout, "contact_number"));
    }
    assert!(values.windows(2).all(|pair| pair[0] == pair[1]));
    assert_eq!(values[0][..76], column(&one.stdout, "contact_number"));
    let check = run.prism(&["check", "db/foldcomp"]);
    assert!(check.status == 0 && check.stdout.contains("foldcomp/1crn"), "{}{}", check.stdout, check.stderr);
    // The data and index of different databases.
    run.put("db/foldcomp", [first, b"\0"].concat());
    let cut = run.prism(&[&FEATURES[..], &["db/foldcomp"]].concat());
    assert_eq!((cut.status, names(&cut.stdout)), (3, vec!["foldcomp/1ubq".to_owned()]), "{}", cut.stderr);
    assert!(cut.stderr.contains("error: foldcomp/1crn: its 824 bytes at 1359 exceed"), "{}", cut.stderr);
}

#[test]
fn tars_that_are_cut_or_hold_none_are_failures() {
    let run = Run::new();
    let whole = shard();
    let reason = |bytes: &[u8]| {
        run.put("x.tar", bytes);
        let outcome = run.prism(&[&FEATURES[..], &["x.tar"]].concat());
        assert!(outcome.status == 1 || outcome.status == 3, "{}", outcome.stderr);
        outcome.stderr
    };
    // Inside a member, and between two.
    assert!(reason(&whole[..2000]).contains("error: x.tar/AF-A-F1-model_v4.cif.gz: the archive ends after"));
    let end = whole.len() - whole.iter().rev().take_while(|byte| **byte == 0).count();
    assert!(reason(&whole[..end.next_multiple_of(512)]).contains("error: x.tar: ends without a tar's end mark"));
    assert!(reason(&tar(&[("notes.txt", b"x")])).contains("error: x.tar: no member is one of .pdb"));
    assert!(
        reason(b"no tar at all")
            .contains("error: x.tar: is neither a tar nor a zip archive, although its name says so")
    );
    let crambin = fs::read(shipped("1crn.cif")).unwrap();
    let twice = tar(&[("a.cif", &crambin), ("a.cif", &crambin)]);
    assert!(reason(&twice).contains("error: x.tar/a.cif: is a second member of this name; only the first is read"));
}

#[test]
fn links_and_holes_in_tars_are_reported() {
    let run = Run::new();
    let crambin = fs::read(shipped("1crn.cif")).unwrap();
    let mut archive = tar::Builder::new(Vec::new());
    let mut header = tar::Header::new_gnu();
    header.set_size(crambin.len() as u64);
    header.set_mode(0o644);
    archive.append_data(&mut header.clone(), "a.cif", &crambin[..]).unwrap();
    let link = &mut header.clone();
    link.set_size(0);
    link.set_entry_type(tar::EntryType::Symlink);
    archive.append_link(link, "latest.cif", "a.cif").unwrap();
    link.set_entry_type(tar::EntryType::Link);
    archive.append_link(link, "same.cif", "a.cif").unwrap();
    // As `tar --sparse` writes it: a map of what there is, here all, in the header.
    let octal = |number: usize| -> [u8; 12] { format!("{number:011o}\0").into_bytes().try_into().unwrap() };
    header.set_path("holes.cif").unwrap();
    header.set_entry_type(tar::EntryType::GNUSparse);
    let gnu = header.as_gnu_mut().unwrap();
    (gnu.sparse[0].offset, gnu.sparse[0].numbytes) = (octal(0), octal(crambin.len()));
    gnu.realsize = octal(crambin.len());
    header.set_cksum();
    archive.append(&header, &crambin[..]).unwrap();
    // pax's map stands before the bytes.
    archive.append_pax_extensions([("GNU.sparse.major", &b"1"[..])]).unwrap();
    let mut plain = tar::Header::new_ustar();
    plain.set_size(4);
    archive.append_data(&mut plain, "pax.cif", &b"1\n0\n"[..]).unwrap();
    run.put("x.tar", archive.into_inner().unwrap());
    let outcome = run.prism(&[&FEATURES[..], &["x.tar"]].concat());
    assert_eq!(
        (outcome.status, names(&outcome.stdout)),
        (3, vec!["x.tar/a.cif".to_owned(), "x.tar/holes.cif".to_owned()])
    );
    let numbers = column(&outcome.stdout, "contact_number");
    assert_eq!(numbers[..46], numbers[46..]);
    assert!(outcome.stderr.contains("note: x.tar: 2 links are not followed"), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("error: x.tar/pax.cif: has holes, in pax's form"), "{}", outcome.stderr);
}

#[test]
fn standard_input_is_read_by_what_it_holds() {
    let run = Run::new();
    let crambin = fs::read(shipped("1crn.cif")).unwrap();
    let bcif = fs::read(shipped("1crn.bcif")).unwrap();
    for input in [crambin.clone(), gzip(&crambin), bcif, fs::read(shipped("1crn.pdb")).unwrap()] {
        let Outcome { status, stdout, stderr } = run.fed(&[&FEATURES[..], &["-"]].concat(), &input);
        assert_eq!((status, names(&stdout)), (0, vec!["stdin".to_owned()]), "{stderr}");
        assert_eq!(column(&stdout, "row").len(), 46);
    }
    let named = run.fed(&[&FEATURES[..], &["-", "--name", "crambin"]].concat(), &crambin);
    assert_eq!(names(&named.stdout), ["crambin"], "{}", named.stderr);
    let members = run.fed(&[&FEATURES[..], &["-", "--name", "t"]].concat(), &gzip(&shard()));
    assert_eq!(names(&members.stdout), ["t/AF-A-F1-model_v4.cif.gz", "t/more/AF-B-F1-model_v4.cif.zst"]);
    let nothing = run.fed(&[&FEATURES[..], &["-"]].concat(), b"");
    assert!(nothing.status == 1 && nothing.stderr.contains("error: stdin: the file is empty"), "{}", nothing.stderr);
    let folder = run.fed(&[&FEATURES[..], &["-", "-o", "out/"]].concat(), &crambin);
    assert!(folder.status == 2 && folder.stderr.contains("give files"), "{}", folder.stderr);
    let twice = run.fed(&[&FEATURES[..], &["-", "-"]].concat(), &crambin);
    assert!(twice.status == 2 && twice.stderr.contains("standard input can be read once"), "{}", twice.stderr);
}

#[test]
fn lists_name_inputs() {
    let run = Run::new();
    run.copy(&shipped("1crn.pdb"), "a b.pdb");
    run.copy(&shipped("1ubq.pdb"), "c.pdb");
    run.put("list.txt", "a b.pdb\r\n\nc.pdb");
    let listed = run.prism(&[&FEATURES[..], &["--from-file", "list.txt"]].concat());
    assert_eq!(names(&listed.stdout), ["a b.pdb", "c.pdb"], "{}", listed.stderr);
    let piped = run.fed(&[&FEATURES[..], &["--from-file", "-"]].concat(), b"c.pdb\n");
    assert_eq!(names(&piped.stdout), ["c.pdb"], "{}", piped.stderr);
    run.put("empty.txt", "\n");
    let none = run.prism(&[&FEATURES[..], &["--from-file", "empty.txt"]].concat());
    none.says(1, "names no input");
    assert_eq!(run.prism(&FEATURES).status, 2, "no input at all");
}

#[test]
fn equal_names_are_told_apart() {
    let run = Run::new();
    for folder in ["one", "two"] {
        run.copy(&shipped("1crn.pdb"), &format!("{folder}/rank_1.pdb"));
    }
    let paths = ["one/rank_1.pdb", "two/rank_1.pdb"];
    assert_eq!(names(&run.prism(&[&FEATURES[..], &paths].concat()).stdout), paths);
    let stem = run.prism(&[&FEATURES[..], &["one/rank_1.pdb", "--name-by", "stem"]].concat());
    assert_eq!(names(&stem.stdout), ["rank_1"]);
    // In one folder two compressions of a file keep their extensions.
    run.put("one/rank_1.pdb.gz", gzip(&fs::read(shipped("1crn.pdb")).unwrap()));
    let all = names(&run.prism(&[&FEATURES[..], &["one/rank_1.pdb", "one/rank_1.pdb.gz"]].concat()).stdout);
    assert_eq!(all, ["rank_1.pdb", "rank_1.pdb.gz"]);
    let walked = names(&run.prism(&[&FEATURES[..], &["one", "two"]].concat()).stdout);
    assert_eq!(walked, ["one/rank_1.pdb", "one/rank_1.pdb.gz", "two/rank_1.pdb"]);
    let twice = run.prism(&[&FEATURES[..], &["one/rank_1.pdb", "one/rank_1.pdb"]].concat());
    assert!(twice.status == 2 && twice.stderr.contains("would have the same name"), "{}", twice.stderr);
}

#[test]
fn the_status_has_a_line_for_each_input() {
    let run = Run::new();
    run.copy(&shipped("1crn.pdb"), "a.pdb");
    run.put("broken.pdb", "ATOM      1  N   THR A   1      17.047  14.09x   3.625  1.00 13.79           N\n");
    let model = |n: u32| {
        format!(
            "MODEL     {n:4}\n{}ENDMDL\n",
            fs::read_to_string(shipped("1ubq.pdb"))
                .unwrap()
                .split_inclusive('\n')
                .filter(|line| line.starts_with("ATOM"))
                .collect::<String>()
        )
    };
    run.put("two.pdb", format!("{}{}END\n", model(1), model(2)));
    run.put("shard.tar", shard());
    let inputs = ["a.pdb", "broken.pdb", "two.pdb", "shard.tar", "--status", "status.csv", "--backend", "cpu"];
    for command in ["features", "sites", "edges", "interface", "summary"] {
        let outcome = run.prism(&[&[command][..], &inputs].concat());
        assert_eq!(outcome.status, 3, "{command}: {}", outcome.stderr);
        let status = fs::read_to_string(run.path("status.csv")).unwrap();
        assert_eq!(column(&status, "structure")[..3], ["a.pdb", "broken.pdb", "two.pdb"]);
        assert_eq!(column(&status, "residues"), ["46", "", "76", "46", "46"]);
        assert_eq!(column(&status, "models"), ["1", "", "2", "1", "1"]);
        assert_eq!(column(&status, "chains")[2], "1");
        assert!(column(&status, "notes")[2].contains("models"), "{status}");
        assert!(column(&status, "error")[1].starts_with("line 1: ") && column(&status, "error")[0].is_empty());
        assert!(column(&status, "milliseconds").iter().all(|time| time.parse::<f64>().unwrap() >= 0.0));
        fs::remove_file(run.path("status.csv")).unwrap();
    }
    let failed = run.prism(&["features", "broken.pdb", "--status", "status.csv", "--backend", "cpu"]);
    assert_eq!(failed.status, 1);
    assert_eq!(column(&fs::read_to_string(run.path("status.csv")).unwrap(), "structure"), ["broken.pdb"]);
}

#[test]
fn columns_that_nothing_fills_are_not_written() {
    let run = Run::new();
    run.copy(&shipped("1crn.cif"), "x.cif");
    let header = |arguments: &[&str]| {
        let outcome = run.prism(&[&["features", "x.cif", "--backend", "cpu"], arguments].concat());
        outcome.stdout.lines().next().unwrap_or_default().to_owned()
    };
    let plain = header(&[]);
    assert!(
        !plain.contains("gisaid") && !plain.contains("conservation") && plain.contains(",b_factor,plddt,"),
        "{plain}"
    );
    assert!(header(&["--columns", "conservation"]).ends_with(",conservation"));
    run.put("known.csv", "structure,chain,resnum,icode,conservation\nx.cif,A,1,,0.5\n");
    let with = header(&["--annotations", "known.csv"]);
    assert!(with.contains(",conservation,conservation_local") && !with.contains("gisaid"), "{with}");
    let labels = header(&["--columns", "sasa,label_seq_id,uniprot_number"]);
    assert!(labels.ends_with(",parent,sasa,label_seq_id,uniprot_number"), "{labels}");
}

#[test]
fn lineages_give_a_structure_for_each() {
    let run = Run::new();
    run.copy(&crate::command::example(), "rbd.pdb");
    let lines = "\
lineage,country,date,count,substitutions
Alpha,UK,2021-12-01,80,N501Y
Omicron,UK,2021-12-01,20,N501Y E484A H69-
Alpha,UK,2021-12-08,30,
Omicron,UK,2021-12-08,70,
";
    run.put("lineages.csv", lines);
    let columns = "chain,resnum,resname,gisaid_freq,gisaid_velocity,exposed_velocity";
    let arguments = ["features", "rbd.pdb", "--lineages", "lineages.csv", "--backend", "cpu", "--status", "status.csv"];
    let outcome = run.prism(&[&arguments[..], &["--columns", columns]].concat());
    assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    let csv = outcome.stdout;
    let rows = |name: &str, resnum: &str| -> Vec<String> {
        column(&csv, name)
            .into_iter()
            .zip(column(&csv, "resnum"))
            .filter(|(_, own)| own == resnum)
            .map(|(value, _)| value)
            .collect()
    };
    assert_eq!([rows("lineage", "484"), rows("country", "484")], [["Alpha", "Omicron"], ["UK", "UK"]]);
    assert_eq!([rows("resname", "484"), rows("resname", "501")], [["GLU", "ALA"], ["TYR", "TYR"]]);
    // The last seven days contain only one of the two days.
    assert_eq!([rows("gisaid_freq", "484"), rows("gisaid_freq", "501")], [["0.3", "0.7"], ["1.0", "1.0"]]);
    let velocity: Vec<f32> = rows("gisaid_velocity", "484").iter().map(|value| value.parse().unwrap()).collect();
    assert!(velocity[0] < 0.0 && velocity[1] == -velocity[0], "{velocity:?}");
    assert!(rows("gisaid_velocity_error", "484").iter().all(|error| error.parse::<f32>().unwrap() > 0.0));
    assert!(rows("gisaid_velocity", "501").iter().all(String::is_empty));
    let status = fs::read_to_string(run.path("status.csv")).unwrap();
    assert_eq!(column(&status, "structure"), ["rbd.pdb@Alpha/UK", "rbd.pdb@Omicron/UK"]);
    assert!(column(&status, "notes")[1].contains("substitutions;not-substituted"), "{status}");
    let whole = run.prism(&arguments).stdout;
    let header = whole.lines().next().unwrap();
    assert!(
        header.contains(",parent,lineage,country,") && header.contains("gisaid_velocity,gisaid_velocity_error,"),
        "{header}"
    );
    assert!(!header.contains("conservation"), "{header}");
    run.put("known.csv", "structure,chain,resnum,icode,gisaid_freq\nrbd.pdb,E,501,,0.5\n");
    let both = run.prism(&[&arguments[..], &["--annotations", "known.csv"]].concat());
    assert!(both.status == 2 && both.stderr.contains("leave them out of --annotations"), "{}", both.stderr);
}

/// Members of tars, and models, have names that follow from their input's.
#[test]
fn a_structure_with_the_name_of_another_input_is_refused() {
    let run = Run::new();
    let crambin = fs::read_to_string(shipped("1crn.pdb")).unwrap();
    run.put("a/t.tar", tar(&[("x.pdb", crambin.as_bytes()), ("y.pdb", crambin.as_bytes())]));
    run.put("b/t.tar/x.pdb", &crambin);
    let atoms: String =
        crambin.lines().filter(|line| line.starts_with("ATOM")).map(|line| format!("{line}\n")).collect();
    run.put("m.pdb", format!("MODEL        1\n{atoms}ENDMDL\nMODEL        2\n{atoms}ENDMDL\nEND\n"));
    run.put("m#2.pdb", &crambin);
    let members = ["a", "b"];
    let models = ["m.pdb", "m#2.pdb", "--name-by", "stem", "--model", "all"];
    for (inputs, expected, says) in [
        (
            &members[..],
            &["t.tar/y.pdb", "t.tar/x.pdb"][..],
            "error: t.tar/x.pdb: a structure of t.tar would have this name",
        ),
        (&models[..], &["m#1", "m#2"], "error: m#2: a structure of m would have this name, but there is an input m#2"),
    ] {
        let outcome = run.prism(&[&FEATURES[..], inputs].concat());
        outcome.says(3, says);
        assert_eq!(names(&outcome.stdout), expected);
        let parts = run.prism(&[&FEATURES[..], inputs, &["-o", "parts/", "--part-inputs", "1"]].concat());
        parts.says(3, says);
        fs::remove_dir_all(run.path("parts")).unwrap();
    }
    // Only the first model is read: the names differ.
    let first = run.prism(&[&FEATURES[..], &["m.pdb", "m#2.pdb", "--name-by", "stem"]].concat());
    assert_eq!((first.status, names(&first.stdout)), (0, vec!["m".to_owned(), "m#2".to_owned()]), "{}", first.stderr);
}

/// As Windows leaves a list: a byte-order mark, carriage returns, blanks, or UTF-16.
#[test]
fn lists_lose_their_marks_and_blanks() {
    let run = Run::new();
    run.copy(&shipped("1crn.pdb"), "1crn.pdb");
    run.copy(&shipped("1ubq.pdb"), "1ubq.pdb");
    let list = "\u{feff}1ubq.pdb  \r\n\r\n1crn.pdb\t\n";
    let wide: Vec<u8> = list.encode_utf16().flat_map(u16::to_le_bytes).collect();
    for bytes in [list.as_bytes().to_vec(), wide] {
        run.put("list.txt", bytes);
        let checked = run.prism(&["check", "--from-file", "list.txt"]);
        let read: Vec<_> = checked.stdout.lines().filter(|line| line.contains(" residues, ")).collect();
        assert!(checked.status == 0 && read.len() == 2, "{}", checked.stderr);
    }
}

#[test]
fn addresses_and_ids_are_not_downloaded() {
    let run = Run::new();
    let of = |input: &str| run.prism(&[&FEATURES[..], &[input]].concat());
    of("https://example.org/x.pdb").says(1, "nothing is downloaded: curl -LO https://example.org/x.pdb");
    of("1ubq").says(1, "curl -LO https://files.rcsb.org/download/1ubq.cif.gz");
    of("AF-P12345-F1").says(1, "nothing is downloaded; if a model of AlphaFold DB is meant");
    run.copy(&shipped("1ubq.pdb"), "1ubq");
    assert_eq!(of("1ubq").status, 0);
}

/// Assemblies have numbers in their extensions.
#[test]
fn files_of_assemblies_are_found_in_folders() {
    let run = Run::new();
    std::fs::create_dir(run.path("all")).unwrap();
    run.copy(&shipped("1crn.pdb"), "all/1crn.pdb1");
    run.put("all/1ubq.pdb2.gz", gzip(&fs::read(shipped("1ubq.pdb")).unwrap()));
    run.put("all/x.pdb0", "not read");
    let checked = run.prism(&["check", "all", "--name-by", "stem"]);
    checked.says(0, "1 file is ignored; the formats are .pdb, .pdb1 to .pdb9");
    let read: Vec<_> = checked.stdout.lines().filter_map(|line| line.split(':').next()).collect();
    assert_eq!(read, ["1crn", "1ubq"]);
}
