//! Runs into a folder write the same bytes, however often they are interrupted and however many processes share them.

use crate::command::{Run, example, shipped};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Row;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, SystemTime};

/// 60 inputs, two of them unreadable; one part of four inputs has no readable input.
fn inputs() -> Run {
    let run = Run::new();
    for number in 0..60 {
        let name = format!("in/{number:03}.pdb");
        match number {
            7 | 20..24 => run.put(&name, ""),
            _ if number % 3 == 0 => run.copy(&example(), &name),
            _ => run.copy(&shipped("1crn.pdb"), &name),
        }
    }
    run
}

fn cut(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data").join(name)
}

const COMMAND: [&str; 9] =
    ["features", "--backend", "cpu", "in", "--part-inputs", "4", "--columns", "wcn,sasa,site_id", "--points=40"];

fn into<'a>(output: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&COMMAND[..], &["-o", output], more].concat()
}

/// Something about each file of a folder, by name.
fn of_files<T>(folder: &Path, of: impl Fn(&fs::DirEntry) -> T) -> BTreeMap<String, T> {
    let entries = fs::read_dir(folder).into_iter().flatten().map(Result::unwrap);
    entries.map(|entry| (entry.file_name().into_string().unwrap(), of(&entry))).collect()
}

fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    of_files(folder, |entry| fs::read(entry.path()).unwrap())
}

/// The rows of a table.
fn rows(run: &Run, name: &str) -> Vec<Row> {
    let reader = SerializedFileReader::new(fs::File::open(run.path(name)).unwrap()).unwrap();
    reader.get_row_iter(None).unwrap().map(Result::unwrap).collect()
}

fn times(folder: &Path) -> BTreeMap<String, SystemTime> {
    of_files(folder, |entry| entry.metadata().unwrap().modified().unwrap())
}

#[test]
fn a_run_that_is_killed_goes_on_and_ends_with_the_same_bytes() {
    let run = inputs();
    let whole = run.prism(&into("whole/", &[]));
    assert_eq!(whole.status, 3, "{}", whole.stderr);
    assert!(whole.stderr.contains("55 structures, ") && whole.stderr.contains(" 5 failed"), "{}", whole.stderr);
    let expected = files(&run.path("whole"));
    assert_eq!(expected.len(), 1 + 15 + 14, "a manifest, a record for each part, a table for all but one");
    let mut state = 5_u64;
    let mut killed = 0;
    for trial in 0..25 {
        let output = format!("out{}/", trial / 5);
        let before = times(&run.path(&output));
        let mut child = run.command(&into(&output, &["--resume"])).stderr(Stdio::null()).spawn().unwrap();
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        std::thread::sleep(Duration::from_millis(20 + (state >> 33) % 400));
        let _ = child.kill();
        killed += usize::from(child.wait().unwrap().code().is_none());
        let after = times(&run.path(&output));
        for (name, time) in before.iter().filter(|(name, _)| before.contains_key(&name.replace("parquet", "json"))) {
            assert_eq!(after.get(name), Some(time), "{name} was done and is done again");
        }
        for name in after.keys() {
            assert!(expected.contains_key(name), "{name} was left");
        }
    }
    assert!(killed > 5, "only {killed} of 25 runs were killed before their end");
    for folder in 0..5 {
        let output = format!("out{folder}/");
        run.prism(&into(&output, &["--resume"])).says(3, "55 structures, ");
        assert!(files(&run.path(&output)) == expected, "{output}");
    }
    // Nothing is left to do, which is a success.
    run.prism(&into("out0/", &["--resume"])).says(3, "15 of 15 parts are done already");
}

#[test]
fn shards_are_together_what_one_run_is() {
    let run = inputs();
    run.prism(&into("whole/", &[]));
    let shards = ["1/4", "2/4", "3/4", "4/4"];
    let mut children: Vec<_> = shards
        .iter()
        .map(|shard| run.command(&into("out/", &["--resume", "--shard", shard])).stderr(Stdio::null()).spawn().unwrap())
        .collect();
    for child in &mut children {
        assert!([Some(0), Some(3)].contains(&child.wait().unwrap().code()));
    }
    assert!(files(&run.path("out")) == files(&run.path("whole")));
    // Each shard into its own folder; merged, the result is the same.
    for shard in shards {
        run.prism(&into(&format!("own-{}/", &shard[..1]), &["--shard", shard]));
    }
    for (folders, output) in [(&["whole"][..], "a.parquet"), (&["own-1", "own-2", "own-3", "own-4"], "b.parquet")] {
        let merged = run.prism(&[&["merge"], folders, &["-o", output]].concat());
        merged.says(0, "inputs failed and have no rows: ");
        merged.says(0, "name the others");
    }
    assert!(fs::read(run.path("a.parquet")).unwrap() == fs::read(run.path("b.parquet")).unwrap());
    run.prism(&into("one.parquet", &[]));
    let (merged, one) = (rows(&run, "a.parquet"), rows(&run, "one.parquet"));
    assert!(one.len() > 5000 && merged == one, "{} and {} rows", merged.len(), one.len());
    // An empty shard.
    let idle = run.prism(&into("out/", &["--resume", "--shard", "99/99"]));
    assert_eq!(idle.status, 0, "{}", idle.stderr);
}

#[test]
fn what_is_not_the_same_run_is_refused() {
    let run = inputs();
    assert_eq!(run.prism(&into("out/", &["--shard", "2/2"])).status, 3);
    let before = files(&run.path("out"));
    let refused = |arguments: Vec<&str>, status: i32, says: &str| {
        run.prism(&arguments).says(status, says);
        assert!(files(&run.path("out")) == before);
    };
    refused(into("out/", &[]), 1, "error: out/: holds this run already; --resume goes on with it");
    refused(into("out/", &["--shard", "1/2"]), 1, "--resume goes on with it (as another --shard, too)");
    refused(into("out/", &["--resume", "--chains", "A"]), 1, "error: out/: holds another run (other options)");
    refused(into("out.csv", &["--resume"]), 2, "--resume is for a run into a folder");
    refused(into("in/", &["--resume"]), 1, "error: in/: holds other files and no run");
    refused(vec!["merge", "out", "-o", "all.parquet"], 1, "8 of 15 parts are not done (0, 2, 4, 6, 8, 10, 12, 14)");
    refused(vec!["merge", "in", "-o", "all.parquet"], 1, "error: in: holds no run");
    run.copy(&example(), "in/999.pdb");
    refused(into("out/", &["--resume"]), 1, "holds another run (other number of inputs, names or sizes of inputs");
}

#[test]
fn a_part_that_was_damaged_is_not_merged() {
    let run = inputs();
    assert_eq!(run.prism(&into("out/", &[])).status, 3);
    assert_eq!(run.prism(&["merge", "out", "-o", "all.parquet"]).status, 0);
    let part = run.path("out/part-00001.parquet");
    let mut bytes = fs::read(&part).unwrap();
    bytes[40] ^= 1;
    fs::write(&part, &bytes).unwrap();
    let says =
        "out/part-00001.parquet: has other bytes than were written; delete it, and run the command again with --resume";
    run.prism(&["merge", "out", "-o", "all.parquet"]).says(1, says);
    fs::remove_file(&part).unwrap();
    assert_eq!(run.prism(&into("out/", &["--resume"])).status, 3);
    assert_eq!(run.prism(&["merge", "out", "-o", "all.parquet"]).status, 0);
}

/// A limit on file size simulates a full disk.
#[cfg(unix)]
#[test]
fn a_run_that_found_no_room_goes_on_where_there_is_some() {
    let run = inputs();
    run.prism(&into("whole/", &[]));
    let outcome = run.limited("ulimit -f 4", &into("out/", &[]));
    outcome.says(1, "error: out/part-00000.parquet: cannot be written: File too large");
    assert_eq!(run.prism(&into("out/", &["--resume"])).status, 3);
    assert!(files(&run.path("out")) == files(&run.path("whole")));
}

#[test]
fn tables_of_other_things_than_residues_are_written_in_parts_too() {
    let run = Run::new();
    for (name, from) in [
        ("a.cif.gz", cut("1igy_cut.cif.gz")),
        ("b.pdb.gz", cut("1kx2_cut.pdb.gz")),
        ("c.pdb", shipped("1crn.pdb")),
        ("d.cif.gz", cut("1fbl_cut.cif.gz")),
    ] {
        run.copy(&from, &format!("in/{name}"));
    }
    run.put("in/bad.pdb", "");
    let commands: [(&str, &[&str], &[&str]); 7] = [
        ("atoms", &["atoms", "--points=40"], &["--probe", "1.2"]),
        ("ligands", &["ligands", "--points=40"], &["--chains", "A"]),
        ("hbonds", &["edges", "--kinds", "hbond,metal"], &["--kinds", "covalent"]),
        ("contacts", &["edges", "--kinds", "ca"], &["--contact-threshold", "7"]),
        ("interfaces", &["interface", "--all-atoms", "--points=40"], &["--points=50"]),
        ("chains", &["interface", "--points=40"], &["--points=50"]),
        ("sums", &["summary", "--points=40"], &["--points=50"]),
    ];
    for (name, command, other) in commands {
        let call = |more: &[&str]| run.prism(&[command, &["in", "--part-inputs", "2"], more].concat());
        let (folder, one) = (format!("{name}/"), format!("{name}.parquet"));
        call(&["-o", &one]).says(3, "bad.pdb");
        // One of two shards, which is interrupted in effect: its last part is lost.
        call(&["-o", &folder, "--shard", "1/2", "--resume", "--status", "status.csv"]);
        let before = files(&run.path(name));
        assert!(before.contains_key("part-00002.json") && !before.contains_key("part-00001.json"), "{name}");
        fs::remove_file(run.path(name).join("part-00002.json")).unwrap();
        call(&["-o", &folder]).says(1, "holds this run already; --resume goes on with it");
        call(&[&["-o", &folder, "--resume"], other].concat()).says(1, "holds another run (other options)");
        call(&["-o", &folder, "--resume"]).says(3, "1 of 3 parts is done already");
        let after = files(&run.path(name));
        for (file, bytes) in &before {
            assert!(after.get(file) == Some(bytes), "{name}/{file}");
        }
        run.prism(&["merge", name, "-o", "merged.parquet"]).says(0, "parts; ");
        let (merged, one) = (rows(&run, "merged.parquet"), rows(&run, &one));
        assert!(!one.is_empty() && merged == one, "{name}: {} and {} rows", merged.len(), one.len());
        call(&["--resume"]).says(2, "--resume is for a run into a folder: -o FOLDER/");
        call(&["-o", &folder, "--provenance", "p.json"])
            .says(2, "manifest.json says what its parts were computed with");
    }
}
