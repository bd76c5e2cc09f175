//! Long trajectories: runs into a folder, by parts of frames; and tables of atoms.

use crate::command::{Run, column};
use crate::trajectory::made;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::statistics::Statistics;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

/// Frames of crambin: those of one file, so many times.
fn command<'a>(top: &'a str, trajectory: &'a str, copies: usize, more: &[&'a str]) -> Vec<&'a str> {
    let fixed = ["features", "--backend", "cpu", top, "--columns", "sasa,ca_x,site_id", "--points=40", "--trajectory"];
    [&fixed[..], &vec![trajectory; copies], more].concat()
}

fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).into_iter().flatten().map(Result::unwrap);
    entries.map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap())).collect()
}

#[test]
fn a_run_over_frames_that_is_killed_goes_on_and_ends_with_the_same_bytes() {
    let run = Run::new();
    // The last file is cut off: its frame counts once.
    let cut = fs::read(made("wrapped.xtc")).unwrap();
    run.put("cut.xtc", &cut[..8000]);
    let (top, whole) = (made("top.pdb"), made("wrapped.xtc"));
    let into = |output: &'static str, more: &[&'static str]| {
        let own = ["cut.xtc", "--part-inputs", "10", "-o", output];
        run.command(&command(&top, &whole, 20, &[&own[..], more].concat()))
    };
    let outcome = into("whole/", &[]).output().unwrap();
    let stderr = String::from_utf8(outcome.stderr).unwrap();
    assert_eq!(outcome.status.code(), Some(3), "{stderr}");
    assert!(
        stderr.contains("124 frames, 5704 residues, 1 failed") && stderr.contains("in 83 of 124 frames, a periodic"),
        "{stderr}"
    );
    assert!(stderr.contains("wrapped.xtc before it ends at 50 ps, and so do 19 files after it: frames"), "{stderr}");
    assert!(stderr.contains("cut.xtc: frame 4, at byte 7024"), "{stderr}");
    let expected = files(&run.path("whole"));
    assert_eq!(expected.len(), 1 + 2 * 13, "a manifest, and a record and a table for each part");

    let (mut state, mut killed) = (7_u64, 0);
    for _ in 0..12 {
        // Killed at some time after it has begun to write, so at once on a slow machine, too.
        let written = || fs::read_dir(run.path("out")).map_or(0, Iterator::count);
        let before = written();
        let mut child = into("out/", &["--resume"]).stderr(Stdio::null()).spawn().unwrap();
        while written() <= before && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        std::thread::sleep(Duration::from_millis((state >> 33) % 20));
        let _ = child.kill();
        killed += usize::from(child.wait().unwrap().code().is_none());
        assert!(files(&run.path("out")).keys().all(|name| expected.contains_key(name)));
    }
    assert!(killed > 2, "only {killed} of 12 runs were killed before their end");
    assert_eq!(into("out/", &["--resume"]).status().unwrap().code(), Some(3));
    assert!(files(&run.path("out")) == expected);

    // Shards, at the same time.
    let mut shards: Vec<_> =
        ["1/3", "2/3", "3/3"].map(|shard| into("shared/", &["--resume", "--shard", shard]).spawn().unwrap()).into();
    shards.iter_mut().for_each(|shard| assert!([Some(0), Some(3)].contains(&shard.wait().unwrap().code())));
    assert!(files(&run.path("shared")) == expected);

    // Together they are the table of one file.
    let merged = run.prism(&["merge", "shared", "-o", "merged.parquet"]);
    merged.says(0, "13 parts");
    merged.says(0, "note: 1 failure, for which frames are missing: cut.xtc: frame 4, at byte 7024: the file ends");
    run.prism(&command(&top, &whole, 20, &["cut.xtc", "-o", "one.parquet"])).says(3, "124 frames");
    let rows = |name: &str| {
        let reader = SerializedFileReader::new(fs::File::open(run.path(name)).unwrap()).unwrap();
        reader.get_row_iter(None).unwrap().map(Result::unwrap).collect::<Vec<_>>()
    };
    let one = rows("one.parquet");
    assert!(one.len() == 5704 && rows("merged.parquet") == one);
}

#[test]
fn other_frames_are_another_run() {
    let run = Run::new();
    let (top, xtc) = (made("top.pdb"), made("small.xtc"));
    let with = |more: &[&str]| run.prism(&command(&top, &xtc, 1, more));
    with(&["-o", "out/", "--frames", "::2"]).says(0, "3 frames");
    with(&["-o", "out/", "--frames", "::2"]).says(1, "--resume goes on with it");
    for other in
        [&["--frames", "::3"][..], &[], &["--frames", "::2", "--every", "5"], &["--frames", "::2", "--pbc", "none"]]
    {
        with(&[&["-o", "out/", "--resume"], other].concat()).says(1, "holds another run (other options)");
    }
    with(&["-o", "out/", "--resume", "--frames", "::2"]).says(0, "1 of 1 part is done already");
    run.prism(&command(&top, &xtc, 2, &["-o", "out/", "--resume", "--frames", "::2"])).says(1, "holds another run");
    with(&["-o", "reduced/", "--reduce", "mean"]).says(2, "--reduce writes one table");
    // A file of a part that may come, though there are only two inputs.
    with(&["-o", "out/", "--resume", "--status", "out/part-00004.json", "--part-inputs", "1"])
        .says(2, "different names");
}

#[test]
fn a_trajectory_that_was_replaced_by_one_of_its_size_is_another_run() {
    let run = Run::new();
    let (top, whole) = (fs::read(made("top.pdb")).unwrap(), fs::read(made("small.trr")).unwrap());
    run.put("top.pdb", &top);
    run.put("run.trr", &whole);
    let into = |output: &str, more: &[&str]| {
        run.prism(&command("top.pdb", "run.trr", 1, &[&["--part-inputs", "2", "-o", output], more].concat()))
    };
    into("out/", &["--shard", "1/2"]).says(0, "4 frames");
    // Copied, with another time of its change.
    fs::remove_file(run.path("run.trr")).unwrap();
    std::thread::sleep(Duration::from_millis(20));
    run.put("run.trr", &whole);
    into("out/", &["--shard", "1/2", "--resume"]).says(0, "2 of 2 parts are done already");
    // One digit of the last position, as the same system begins and moves otherwise.
    let mut other = whole.clone();
    *other.last_mut().unwrap() ^= 1;
    run.put("run.trr", &other);
    into("out/", &["--shard", "2/2", "--resume"]).says(1, "out/: holds another run (other contents of inputs); give");
    into("rest/", &["--shard", "2/2"]).says(0, "2 frames");
    run.prism(&["merge", "out", "rest", "-o", "all.parquet"]).says(1, "rest: holds another run than out");
    run.put("run.trr", &whole);
    let moved = String::from_utf8(top).unwrap().replace("THR A   1 ", "SER A   1 ");
    run.put("top.pdb", moved);
    into("out/", &["--shard", "2/2", "--resume"]).says(1, "other contents of inputs");
}

#[test]
fn a_row_group_has_whole_frames_and_says_which() {
    let run = Run::new();
    let (top, xtc) = (made("top.pdb"), made("small.xtc"));
    let fixed = ["features", "--backend", "cpu", &top, "--columns", "ca_x", "-o", "t.parquet", "--trajectory"];
    run.prism(&[&fixed[..], &vec![xtc.as_str(); 260]].concat()).says(0, "1560 frames");
    let reader = SerializedFileReader::new(fs::File::open(run.path("t.parquet")).unwrap()).unwrap();
    let metadata = reader.metadata();
    let frame = (0..metadata.file_metadata().schema_descr().num_columns())
        .find(|&column| metadata.file_metadata().schema_descr().column(column).name() == "frame")
        .unwrap();
    let mut next = 0;
    for group in metadata.row_groups() {
        let Some(Statistics::Int32(frames)) = group.column(frame).statistics() else { panic!("no statistics") };
        let (first, last) = (*frames.min_opt().unwrap(), *frames.max_opt().unwrap());
        assert_eq!((first, i64::from(last - first + 1) * 46), (next, group.num_rows()));
        next = last + 1;
    }
    assert_eq!((next, metadata.num_row_groups()), (1560, 2));
}

#[test]
fn atoms_of_a_frame_are_those_of_its_file() {
    let run = Run::new();
    run.put("frame.cif", crate::trajectory::frame_as_file("small.xtc", 3));
    let atoms = |arguments: &[&str]| {
        let table = run.prism(&[&["atoms", "--backend", "cpu"], arguments].concat());
        assert_eq!(table.status, 0, "{}", table.stderr);
        table.stdout
    };
    let all = atoms(&[&made("top.pdb"), "--trajectory", &made("small.xtc"), "--frames", "2:4"]);
    let one = atoms(&["frame.cif"]);
    assert!(all.starts_with("structure,frame,time_ps,row,"), "{all}");
    assert_eq!(
        (column(&all, "frame")[327..].to_vec(), column(&all, "time_ps")[327].as_str()),
        (vec!["3".to_owned(); 327], "30.0")
    );
    for name in [
        "row",
        "chain",
        "resnum",
        "atom",
        "element",
        "x",
        "y",
        "z",
        "radius",
        "sasa",
        "sasa_alone",
        "depth",
        "contacts",
    ] {
        assert_eq!(column(&all, name)[327..], column(&one, name), "{name}");
    }
    // Without positions of its own, a topology has those of the first frame; a table has those of each.
    let of_gro = atoms(&[&made("small.gro"), "--trajectory", &made("small.xtc"), "--frames", "2:4"]);
    for name in ["frame", "atom", "x", "sasa"] {
        assert_eq!(column(&of_gro, name), column(&all, name), "{name}");
    }
    run.prism(&["atoms", &made("top.pdb"), "--trajectory", &made("small.xtc"), "-o", "x.rsa"]).says(2, ".rsa and .pdb");
}

#[test]
fn an_index_is_kept_where_the_environment_says() {
    let run = Run::new();
    run.put("long.xtc", fs::read(made("small.xtc")).unwrap().repeat(200));
    let top = made("top.pdb");
    let kept = || files(&run.path("cache")).len();
    let of = |cache: &str| {
        let arguments =
            ["features", "--backend", "cpu", &top, "--trajectory", "long.xtc", "--frames", "-1", "--columns", "ca_x"];
        let outcome = run.command(&arguments).env("PRISM_CACHE", cache).output().unwrap();
        assert!(outcome.status.success());
        outcome.stdout
    };
    let without = of("");
    assert_eq!((kept(), run.files()), (0, vec!["long.xtc".to_owned()]));
    assert!(of("cache") == without && kept() == 1);
    assert!(of("cache") == without && kept() == 1);
}
