//! Frames of trajectories from a user's view.

mod over_frames;

use crate::command::{Run, column, shipped};
use prism_host::trajectory::{Frame, Trajectory};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// A file of the crate that reads trajectories: crambin in some water.
pub fn made(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("trajectory/tests/data");
    folder.join(name).to_str().unwrap().to_owned()
}

/// The atoms of the topology: name, residue, its number.
fn records() -> Vec<[String; 3]> {
    let text = fs::read_to_string(made("top.pdb")).unwrap();
    let of = |line: &str, columns: std::ops::Range<usize>| line[columns].trim().to_owned();
    let atoms = text.lines().filter(|line| line.starts_with("ATOM") || line.starts_with("HETATM"));
    atoms.map(|line| [of(line, 12..16), of(line, 17..20), of(line, 22..26)]).collect()
}

/// A frame as an mmCIF file, with every digit of its positions.
pub fn frame_as_file(trajectory: &str, number: usize) -> String {
    let (run, mut frame) = (Trajectory::open(made(trajectory)).unwrap(), Frame::default());
    run.read(number, usize::MAX, &mut frame).unwrap();
    let mut text = "data_frame\nloop_\n".to_owned();
    let items = [
        "group_PDB",
        "label_atom_id",
        "label_comp_id",
        "auth_asym_id",
        "auth_seq_id",
        "Cartn_x",
        "Cartn_y",
        "Cartn_z",
        "B_iso_or_equiv",
    ];
    items.iter().for_each(|item| writeln!(text, "_atom_site.{item}").unwrap());
    for ([name, residue, number], [x, y, z]) in records().iter().zip(frame.positions) {
        let [x, y, z] = [x, y, z].map(f64::from);
        let (group, chain) = if residue == "HOH" { ("HETATM", "B") } else { ("ATOM", "A") };
        writeln!(text, "{group} {name} {residue} {chain} {number} {x:?} {y:?} {z:?} 0.0").unwrap();
    }
    text
}

/// Lines of a table without the columns that tell frames.
fn without_frames(table: &str) -> Vec<String> {
    let header: Vec<&str> = table.lines().next().unwrap().split(',').collect();
    let kept = |name: &str| !["structure", "frame", "time_ps"].contains(&name);
    let line = |line: &str| -> String {
        let cells = line.split(',').zip(&header).filter(|(_, name)| kept(name));
        cells.map(|(cell, _)| cell).collect::<Vec<_>>().join(",")
    };
    table.lines().map(line).collect()
}

#[test]
fn a_frame_has_the_bits_of_its_file_with_full_precision() {
    let run = Run::new();
    let all = run.features(&[&made("top.pdb"), "--trajectory", &made("small.xtc")]);
    assert_eq!(all.status, 0, "{}", all.stderr);
    let lines = without_frames(&all.stdout);
    assert_eq!(lines.len(), 1 + 6 * 46);
    assert_eq!(column(&all.stdout, "frame")[46 * 2..46 * 3], ["2"; 46]);
    assert_eq!(column(&all.stdout, "time_ps")[46 * 5..], ["50.0"; 46]);
    for number in [0, 3, 5] {
        run.put("frame.cif", frame_as_file("small.xtc", number));
        let one = run.features(&["frame.cif"]);
        assert_eq!(one.status, 0, "{}", one.stderr);
        let one = without_frames(&one.stdout);
        assert_eq!((&lines[0], one.len()), (&one[0], 1 + 46));
        for (own, other) in lines[1 + 46 * number..].iter().zip(&one[1..]) {
            assert_eq!(own, other, "frame {number}");
        }
    }
    // However many threads, and whatever the format.
    let again = run.features(&["-j", "1", &made("top.pdb"), "--trajectory", &made("small.xtc")]);
    assert_eq!(again.stdout, all.stdout);
    let exact = |name: &str| {
        let table = run.features(&[&made("top.pdb"), "--columns", "sasa,phi", "--trajectory", &made(name)]);
        assert_eq!(table.status, 0, "{}", table.stderr);
        without_frames(&table.stdout)
    };
    let [trr, dcd, nc] = ["small.trr", "small.dcd", "small.nc"].map(exact);
    assert!(trr == dcd && dcd == nc);
}

#[test]
fn frames_are_chosen_by_number_and_time() {
    let run = Run::new();
    let frames = |arguments: &[&str]| -> Vec<String> {
        let fixed = [&made("top.pdb"), "--columns", "ca_x", "--trajectory", &made("small.xtc"), &made("small.trr")];
        let table = run.features(&[&fixed[..], arguments].concat());
        assert_eq!(table.status, 0, "{}", table.stderr);
        assert!(
            table.stderr.contains("small.trr: begins at 0 ps, and ")
                && table.stderr.contains("small.xtc before it ends"),
            "{}",
            table.stderr
        );
        let mut frames: Vec<String> = column(&table.stdout, "frame").iter().map(|frame| (*frame).to_owned()).collect();
        frames.dedup();
        frames
    };
    assert_eq!(frames(&[]).len(), 12);
    assert_eq!(frames(&["--frames", "4:9:2"]), ["4", "6", "8"]);
    assert_eq!(frames(&["--frames", "-1"]), ["11"]);
    assert_eq!(frames(&["--frames", ":6", "--every", "20"]), ["0", "2", "4"]);
    let top = made("top.pdb");
    let refused = |arguments: &[&str]| run.features(&[&[top.as_str()], arguments].concat());
    refused(&["--frames", "2:1"]).says(2, "--trajectory");
    refused(&["--trajectory", &made("small.xtc"), "--frames", "90:"]).says(2, "chooses none of the 6 frames");
    refused(&["--trajectory", &made("small.xtc"), "--frames", "1:2:0"]).says(2, "above 0");
    refused(&["--trajectory", &made("small.xtc"), "--every", "0"]).says(2, "above 0");
}

#[test]
fn molecules_that_a_boundary_divides_are_put_together() {
    let run = Run::new();
    let areas = |name: &str, more: &[&str]| -> (Vec<f64>, String) {
        let fixed = [&made("top.pdb"), "--columns", "sasa", "--trajectory", &made(name)];
        let table = run.features(&[&fixed[..], more].concat());
        assert_eq!(table.status, 0, "{}", table.stderr);
        (column(&table.stdout, "sasa").iter().map(|area| area.parse().unwrap()).collect(), table.stderr)
    };
    let ((whole, messages_of_whole), (wrapped, messages)) = (areas("small.xtc", &[]), areas("wrapped.xtc", &[]));
    // Both are rounded to 0.01 Å, from other positions.
    assert_eq!(whole.len(), wrapped.len());
    let far = whole.iter().zip(&wrapped).filter(|(a, b)| (*a - *b).abs() > 2.0).count();
    assert!(far < whole.len() / 50, "{far} of {}", whole.len());
    assert!(
        messages.contains("a periodic boundary divided molecules") && !messages_of_whole.contains("boundary"),
        "{messages}"
    );
    let (left, messages) = areas("wrapped.xtc", &["--pbc", "none"]);
    let total = |areas: &[f64]| areas.iter().sum::<f64>();
    assert!(total(&left) > 1.05 * total(&whole) && !messages.contains("boundary"), "{messages}");
}

/// Copies of crambin with these chain ids, each moved along x by so many Å: a topology, and a frame as a GRO file with a cell.
fn copies(of: &[(char, f64)], cell: [f64; 3]) -> [String; 2] {
    let one = fs::read_to_string(shipped("1crn.pdb")).unwrap();
    let lines: Vec<&str> = one.lines().filter(|line| line.starts_with("ATOM")).collect();
    let (mut pdb, mut gro) = (String::new(), format!("copies, t= 0.0\n{}\n", of.len() * lines.len()));
    for &(chain, along) in of {
        for line in &lines {
            let at = |axis: usize| line[30 + 8 * axis..38 + 8 * axis].trim().parse::<f64>().unwrap();
            let [x, y, z] = [at(0) + along, at(1), at(2)];
            writeln!(pdb, "{}{chain}{}{x:8.3}{y:8.3}{z:8.3}{}", &line[..21], &line[22..30], &line[54..]).unwrap();
            let [x, y, z] = [x, y, z].map(|along| 0.1 * along);
            let (number, residue, name) = (&line[22..26], &line[17..20], line[12..16].trim());
            writeln!(gro, "{number:>5}{residue:<5}{name:>5}{:5}{x:8.3}{y:8.3}{z:8.3}", 1).unwrap();
        }
        pdb += "TER\n";
    }
    let [x, y, z] = cell.map(|along| 0.1 * along);
    writeln!(gro, "{x:10.5}{y:10.5}{z:10.5}").unwrap();
    [pdb, gro]
}

#[test]
fn a_chain_between_two_others_keeps_both() {
    let run = Run::new();
    // The last one of the file touches both others, which are nearer to each other across the boundary.
    let [pdb, gro] = copies(&[('A', 0.0), ('B', 44.0), ('C', 22.0)], [80.0, 60.0, 60.0]);
    run.put("row.pdb", pdb);
    run.put("row.gro", gro);
    let table = |pbc: &str| {
        let fixed = ["interface", "--backend", "cpu", "row.pdb", "--trajectory", "row.gro", "--pbc", pbc];
        let table = run.prism(&fixed);
        assert_eq!(table.status, 0, "{}", table.stderr);
        assert!(!table.stderr.contains("boundary"), "{}", table.stderr);
        table.stdout
    };
    let whole = table("whole");
    assert_eq!(column(&whole, "chain_a"), ["A", "B"], "{whole}");
    assert_eq!(whole, table("none"));
}

#[test]
fn a_cell_that_is_smaller_than_a_residue_is_none() {
    let run = Run::new();
    for side in [1.0, 5.0] {
        let [pdb, gro] = copies(&[('A', 0.0)], [side; 3]);
        run.put("one.pdb", pdb);
        run.put("one.gro", &gro);
        // As a topology, too.
        for top in ["one.pdb", "one.gro"] {
            let table = |pbc: &str| {
                run.features(&[top, "--trajectory", "one.gro", "--columns", "sasa,ca_x,resnum,phi", "--pbc", pbc])
            };
            let (whole, left) = (table("whole"), table("none"));
            whole.says(0, "one.gro: in 1 of 1 frame, the periodic cell is too small for a residue");
            assert_eq!(whole.stdout, left.stdout, "{side}, {top}");
            assert!(!left.stderr.contains("too small"), "{}", left.stderr);
            let area: f64 = column(&whole.stdout, "sasa").iter().map(|area| area.parse::<f64>().unwrap()).sum();
            assert!(area > 2500.0, "{side}, {top}: {area}");
        }
    }
}

/// A topology without positions: PSF as X-PLOR writes it, with bonds along the atoms of each residue.
fn psf() -> String {
    let records = records();
    let mut text = format!("PSF\n\n       1 !NTITLE\n* MADE\n\n{:8} !NATOM\n", records.len());
    for (index, [name, residue, number]) in records.iter().enumerate() {
        let segment = if residue == "HOH" { "WAT" } else { "A" };
        writeln!(text, "{:8} {segment:4} {number:4} {residue:4} {name:4} {name:4} 0.0 1.0 0", index + 1).unwrap();
    }
    text + "\n       0 !NBOND: bonds\n\n"
}

#[test]
fn topologies_without_chains_or_positions_give_the_same_rows() {
    let run = Run::new();
    run.put("top.psf", psf());
    let table = |top: &str| {
        let table = run.features(&[top, "--columns", "sasa,ss,chi1", "--trajectory", &made("small.xtc")]);
        assert_eq!(table.status, 0, "{}", table.stderr);
        table.stdout
    };
    let of_pdb = table(&made("top.pdb"));
    for top in [made("small.gro"), "top.psf".to_owned()] {
        let other = table(&top);
        for name in ["frame", "resnum", "resname", "sasa", "ss", "chi1"] {
            assert_eq!(column(&other, name), column(&of_pdb, name), "{top}: {name}");
        }
    }
    assert_eq!(column(&table(&made("small.gro")), "chain")[0], " ");
    let stem = run.features(&["top.psf", "--columns", "ca_x", "--name-by", "stem", "--trajectory", &made("small.xtc")]);
    assert_eq!(column(&stem.stdout, "structure")[0], "top", "{}", stem.stderr);
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut packed, &fs::read(made("top.pdb")).unwrap()).unwrap();
    run.put("top.pdb.gz", packed.finish().unwrap());
    assert_eq!(table("top.pdb.gz"), of_pdb, "compressed, with the same name");
}

/// A DCD file of frames.
fn dcd(frames: &[Vec<[f32; 3]>]) -> Vec<u8> {
    let record = |bytes: &[u8]| {
        let length = (bytes.len() as u32).to_le_bytes();
        [&length[..], bytes, &length].concat()
    };
    let mut numbers = [0_u32; 20];
    (numbers[0], numbers[2], numbers[9], numbers[19]) = (frames.len() as u32, 1, 1_f32.to_bits(), 24);
    let numbers: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    let title = [&1_u32.to_le_bytes()[..], &[b' '; 80]].concat();
    let mut bytes = [record(&[b"CORD", &numbers[..]].concat()), record(&title)].concat();
    bytes.extend(record(&(frames[0].len() as u32).to_le_bytes()));
    for frame in frames {
        for axis in 0..3 {
            let along: Vec<u8> = frame.iter().flat_map(|position| position[axis].to_le_bytes()).collect();
            bytes.extend(record(&along));
        }
    }
    bytes
}

/// A frame of the crate's topology in which crambin has the positions, and bonds the lengths, of its entry: the crate's are moved.
fn first_frame() -> Vec<[f32; 3]> {
    let atoms = |text: &str| -> Vec<[f32; 3]> {
        let along = |line: &str, axis: usize| line[30 + 8 * axis..38 + 8 * axis].trim().parse().unwrap();
        let lines = text.lines().filter(|line| line.starts_with("ATOM") || line.starts_with("HETATM"));
        lines.map(|line| [0, 1, 2].map(|axis| along(line, axis))).collect()
    };
    let [mut all, own] = [Path::new(&made("top.pdb")), &shipped("1crn.pdb")]
        .map(|path: &Path| atoms(&fs::read_to_string(path).unwrap()));
    all[..own.len()].copy_from_slice(&own);
    all
}

#[test]
fn frames_in_another_unit_or_order_are_told() {
    let run = Run::new();
    run.put("top.psf", psf());
    let frame = first_frame();
    let scaled = |by: f32| frame.iter().map(|position| position.map(|along| along * by)).collect::<Vec<_>>();
    let table = |top: &str, name: &str, frames: &[Vec<[f32; 3]>]| {
        run.put(name, dcd(frames));
        run.features(&[top, "--columns", "sasa", "--trajectory", name])
    };
    for top in [made("top.pdb"), "top.psf".to_owned()] {
        let right = table(&top, "run.dcd", &[scaled(1.0)]);
        assert!(right.status == 0 && !right.stderr.contains("warning"), "{}", right.stderr);
        for (name, by, words) in
            [("nm.dcd", 0.1, "seem to be in nm"), ("bohr.dcd", 1.889_726, "Bohr"), ("twice.dcd", 10.0, "once more")]
        {
            let told = table(&top, name, &[scaled(by), scaled(by)]);
            told.says(0, words);
            assert_eq!(told.stderr.matches("all bonds between N, CA and C").count(), 1, "{}", told.stderr);
        }
        // Each atom at another one's place.
        let mut mixed = frame.clone();
        mixed.sort_by(|a, b| a[0].total_cmp(&b[0]));
        table(&top, "mixed.dcd", &[mixed]).says(1, "mixed.dcd: its atoms are not in the order of top.p");
    }
    assert!(table(&made("top.pdb"), "nm.dcd", &[scaled(0.1)]).stderr.contains("top.pdb: nm.dcd: all bonds"));
    // Alpha carbons alone show neither.
    let text = fs::read_to_string(made("top.pdb")).unwrap();
    let alpha: String =
        text.lines().filter(|line| line.get(12..16) == Some(" CA ")).map(|line| line.to_owned() + "\n").collect();
    let n = alpha.lines().count();
    run.put("alpha.pdb", alpha);
    let alone = table("alpha.pdb", "alpha.dcd", &[frame[..n].to_vec()]);
    assert!(alone.status == 0 && !alone.stderr.contains("warning"), "{}", alone.stderr);
}

#[test]
fn a_damaged_first_frame_is_left_out_and_its_file_named() {
    let run = Run::new();
    run.put("top.psf", psf());
    let frame = first_frame();
    let nowhere = vec![[f32::NAN; 3]; frame.len()];
    run.put("late.dcd", dcd(&[nowhere.clone(), frame.clone(), frame]));
    run.put("never.dcd", dcd(&[nowhere.clone(), nowhere]));
    for top in [made("top.pdb"), "top.psf".to_owned()] {
        let of = |more: &[&str]| run.features(&[&[&top, "--columns", "sasa", "--trajectory"], more].concat());
        let later = of(&["late.dcd", "--frames", "1:"]);
        assert_eq!(later.status, 0, "{}", later.stderr);
        let words = "late.dcd: frame 0: atom 0 (counted from 0) is at [NaN, NaN, NaN]";
        of(&["late.dcd", "--status", "status.csv"]).says(3, words);
        let status = fs::read_to_string(run.path("status.csv")).unwrap();
        assert!(status.lines().nth(1).unwrap().starts_with("late.dcd,"), "{status}");
        // By its number in its own file.
        of(&["late.dcd", "late.dcd", "--frames", "3"]).says(1, words);
    }
    let never = run.features(&["top.psf", "--columns", "sasa", "--trajectory", "never.dcd"]);
    never.says(1, "never.dcd: frame 0: atom 0 (counted from 0) is at [NaN, NaN, NaN]");
}

#[test]
fn a_frame_with_atoms_without_a_place_is_left_out() {
    let run = Run::new();
    let frame = first_frame();
    let with = |place: f32, atoms: std::ops::Range<usize>| {
        let mut frame = frame.clone();
        frame[atoms].fill([place; 3]);
        frame
    };
    run.put("places.dcd", dcd(&[frame.clone(), with(0.0, 40..60), with(9999.0, 100..120), with(0.0, 0..frame.len())]));
    let table = run.features(&[&made("top.pdb"), "--columns", "sasa", "--trajectory", "places.dcd"]);
    for words in ["frame 1: atom 40", "frame 2: atom 100", "frame 3: atom 0"] {
        table.says(3, &format!("places.dcd: {words} (counted from 0) is at ["));
    }
    table.says(3, "where programs write atoms without a place; it is left out");
    assert_eq!(column(&table.stdout, "frame"), ["0"; 46]);
}

#[test]
fn mismatches_are_explained() {
    let run = Run::new();
    let of = |top: &str, more: &[&str]| run.features(&[&[top, "--columns", "sasa", "--trajectory"], more].concat());
    let top = made("top.pdb");
    of(&top, &[&made("few.xtc")])
        .says(1, &format!("top.pdb: has 417 atoms, but {} has 9 in each frame; usually", made("few.xtc")));
    let crambin = shipped("1crn.pdb");
    of(crambin.to_str().unwrap(), &[&made("small.xtc")]).says(1, "1crn.pdb: has 327 atoms, but ");
    of(&top, &["missing.xtc"]).says(1, "missing.xtc: cannot be read");
    of(&top, &[&top]).says(1, "top.pdb: is a structure and no trajectory");
    run.put("notes.txt", "nothing\n");
    of(&top, &["notes.txt"]).says(1, "notes.txt: is no trajectory of a known format");
    of(&made("few.xtc"), &[&made("small.xtc")]).says(1, "few.xtc: is no topology; the formats are PDB");
    of(&top, &[&made("small.xtc"), &made("few.xtc")])
        .says(1, &format!("few.xtc: has 9 atoms in each frame, but {} has 417", made("small.xtc")));
    run.put("r1/md.xtc", &fs::read(made("small.xtc")).unwrap()[..8000]);
    of(&top, &["r1/md.xtc"]).says(3, "error: r1/md.xtc: frame 4, at byte 6880: ");
    of(&top, &["-"]).says(1, "-: standard input cannot be a trajectory");
    of(&top, &["r1"]).says(1, "r1: is a folder and no trajectory; name the files in it");
    run.put("run.tpr", b"\0\0\0\x0f\0\0\0\x0eVERSION 2021.4\0\0\0\0\0\x04");
    of("run.tpr", &[&made("small.xtc")])
        .says(1, "run.tpr: is an input of `gmx mdrun` (TPR), which is not read; write its atoms");
    run.prism(&["features", &top, &top, "--trajectory", &made("small.xtc")]).says(2, "name one topology");
    of(&top, &[&made("small.xtc"), "--write-structures", "folder/"]).says(2, "for structures");
    of(&top, &[&made("small.xtc"), "--model", "all"]).says(1, "without --assembly, --model and --het");
    of(&top, &[&made("small.xtc"), "--name", "adk"]).says(2, "--name is for what comes through standard input");
    of(&top, &[&made("small.xtc"), "--each", "chain"]).says(2, "--each is for structures");
    let written = run.prism(&["features", &top, "--trajectory", &made("small.xtc"), "-o", &made("small.xtc")]);
    assert_eq!(written.status, 2, "{}", written.stderr);
}

#[test]
fn a_damaged_file_gives_its_other_frames_with_status_3() {
    let run = Run::new();
    let whole = fs::read(made("small.xtc")).unwrap();
    let frames = |name: &str, words: &str| -> Vec<String> {
        let table = run.features(&[&made("top.pdb"), "--columns", "ca_x", "--trajectory", name, "-o", "t.csv"]);
        table.says(3, words);
        let text = fs::read_to_string(run.path("t.csv")).unwrap();
        let mut frames: Vec<String> = column(&text, "frame").iter().map(|frame| (*frame).to_owned()).collect();
        frames.dedup();
        frames
    };
    run.put("cut.xtc", &whole[..8000]);
    let message = "cut.xtc: frame 4, at byte 6880: the file ends within the frame's positions; it is cut off; the 4 frames before";
    assert_eq!(frames("cut.xtc", message), ["0", "1", "2", "3"]);
    // The size of differences in the second frame, which begins where the first one's bytes end.
    let second = 92 + u32::from_be_bytes(whole[88..92].try_into().unwrap()).next_multiple_of(4) as usize;
    let mut damaged = whole;
    damaged[second + 87] = 99;
    run.put("damaged.xtc", &damaged);
    let message = format!("damaged.xtc: frame 1, at byte {second}: differences have 99 bits");
    assert_eq!(frames("damaged.xtc", &message), ["0", "2", "3", "4", "5"]);
    run.put("none.xtc", &damaged[..80]);
    let none = run.features(&[&made("top.pdb"), "--trajectory", "none.xtc"]);
    none.says(1, "none.xtc: frame 0, at byte 0: the file ends within the frame's header");
}

#[test]
fn other_tables_have_a_line_per_frame_too() {
    let run = Run::new();
    for (command, more) in [
        ("edges", &["--kinds", "ca"][..]),
        ("sites", &["--all"]),
        ("summary", &[]),
        ("interface", &["--by-residue", "residues.csv"]),
    ] {
        let fixed =
            [command, "--backend", "cpu", &made("top.pdb"), "--trajectory", &made("small.xtc"), "--frames", "1:3"];
        let table = run.prism(&[&fixed[..], more].concat());
        assert_eq!(table.status, 0, "{}", table.stderr);
        assert!(table.stdout.starts_with("structure,frame,time_ps,"), "{command}: {}", table.stdout);
        // One chain has no interface.
        if command != "interface" {
            let mut frames = column(&table.stdout, "frame");
            frames.dedup();
            assert_eq!(frames, ["1", "2"], "{command}");
            assert!(column(&table.stdout, "time_ps").iter().any(|time| time == "20.0"), "{command}");
        }
    }
    assert!(fs::read_to_string(run.path("residues.csv")).unwrap().starts_with("structure,frame,time_ps,row"));
}

#[test]
fn tables_of_every_format_have_the_columns_of_frames() {
    let run = Run::new();
    for name in ["t.jsonl", "t.arrow", "t.parquet", "t.npz", "t.tsv"] {
        let fixed = [&made("top.pdb"), "--columns", "sasa", "--trajectory", &made("small.xtc"), "-o", name];
        let table = run.features(&fixed);
        assert_eq!((table.status, table.stdout.as_str()), (0, ""), "{name}: {}", table.stderr);
        let bytes = fs::read(run.path(name)).unwrap();
        assert!(memchr_of(&bytes, b"time_ps"), "{name}");
    }
    let lines = fs::read_to_string(run.path("t.jsonl")).unwrap();
    assert!(
        lines.lines().nth(46).unwrap().starts_with("{\"structure\":\"top.pdb\",\"frame\":1,\"time_ps\":10.0,\"row\":0")
    );
}

fn memchr_of(bytes: &[u8], word: &[u8]) -> bool {
    bytes.windows(word.len()).any(|window| window == word)
}

#[test]
fn a_status_file_names_frames() {
    let run = Run::new();
    let top: PathBuf = made("top.pdb").into();
    let fixed = ["--columns", "sasa", "--trajectory", &made("small.xtc"), "--status", "status.csv"];
    let table = run.features(&[&[top.to_str().unwrap()], &fixed[..]].concat());
    assert_eq!(table.status, 0, "{}", table.stderr);
    let status = fs::read_to_string(run.path("status.csv")).unwrap();
    assert_eq!(status.lines().count(), 7);
    assert!(status.lines().nth(3).unwrap().starts_with("\"top.pdb, frame 2\",46,1,6,"), "{status}");
}
