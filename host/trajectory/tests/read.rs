//! Frames as MDAnalysis and mdtraj read them, and files that are damaged.

use prism_trajectory::{Frame, Problem, Trajectory};

fn path(name: &str) -> String {
    format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn bytes(name: &str) -> Vec<u8> {
    std::fs::read(path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The bits of the positions that another program reads, frame by frame.
fn expected(name: &str, atoms: usize) -> Vec<Vec<[u32; 3]>> {
    let bytes = bytes(&format!("{name}.f32"));
    let values: Vec<u32> = bytes.as_chunks::<4>().0.iter().map(|four| u32::from_le_bytes(*four)).collect();
    values.as_chunks::<3>().0.chunks(atoms).map(<[_]>::to_vec).collect()
}

fn bits(frame: &Frame) -> Vec<[u32; 3]> {
    frame.positions.iter().map(|position| position.map(f32::to_bits)).collect()
}

/// Reads every frame, the last first.
fn all(run: &Trajectory) -> Vec<Vec<[u32; 3]>> {
    let mut frame = Frame::default();
    let mut frames: Vec<_> = (0..run.n_frames())
        .rev()
        .map(|index| {
            run.read(index, usize::MAX, &mut frame).unwrap_or_else(|error| panic!("{error}"));
            bits(&frame)
        })
        .collect();
    frames.reverse();
    frames
}

/// Files, their formats, the files of their positions, and their times.
const FILES: [(&str, &str, &str, &[f64]); 10] = [
    ("small.xtc", "XTC", "small.xtc", &[0.0, 10.0, 20.0, 30.0, 40.0, 50.0]),
    ("small.trr", "TRR", "exact", &[0.0, 10.0, 20.0, 30.0, 40.0, 50.0]),
    // mdtraj writes no times here, but steps of 1.
    ("small.dcd", "DCD", "exact", &[]),
    ("small.nc", "AMBER NetCDF", "exact", &[0.0, 10.0, 20.0, 30.0, 40.0, 50.0]),
    ("small.gro", "GRO", "small.gro", &[0.0, 10.0]),
    ("few.xtc", "XTC", "few.xtc", &[0.0, 10.0, 20.0, 30.0, 40.0, 50.0]),
    ("wide.xtc", "XTC", "wide.xtc", &[0.0, 1.0, 2.0]),
    ("huge.xtc", "XTC", "huge.xtc", &[0.0, 1.0, 2.0]),
    ("fixed.dcd", "DCD", "fixed.dcd", &[0.2, 0.3, 0.4]),
    ("double.trr", "TRR", "double.trr", &[0.0, 5.0]),
];

#[test]
fn positions_have_the_bits_that_other_programs_read() {
    for (name, format, positions, times) in FILES {
        let run = Trajectory::open(path(name)).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((run.format(), run.damage()), (format, None), "{name}");
        assert_eq!(all(&run), expected(positions, run.n_atoms()), "{name}");
        for (frame, expected) in times.iter().enumerate() {
            let time = run.time(frame).unwrap_or_else(|| panic!("{name} has no time of frame {frame}"));
            assert!((time - expected).abs() < 1e-6, "{name}, frame {frame}: {time}");
        }
    }
    assert_eq!(Trajectory::open(path("double.trr")).unwrap().without_positions(), 1);
}

#[test]
fn the_first_atoms_are_those_of_the_whole_frame() {
    for (name, _, positions, _) in FILES {
        let run = Trajectory::open(path(name)).unwrap();
        let whole = expected(positions, run.n_atoms());
        let mut frame = Frame::default();
        for most in 0..run.n_atoms().min(40) {
            let last = run.n_frames() - 1;
            run.read(last, most, &mut frame).unwrap();
            assert_eq!(bits(&frame), whole[last][..most], "{name}, {most} atoms");
        }
    }
}

#[test]
fn positions_that_are_given_one_by_one_are_those_of_the_frame() {
    for (name, ..) in FILES {
        let run = Trajectory::open(path(name)).unwrap();
        let (mut whole, mut frame) = (Frame::default(), Frame::default());
        for (index, most) in (0..run.n_frames()).flat_map(|index| [5, 50, usize::MAX].map(|most| (index, most))) {
            run.read(index, most, &mut whole).unwrap();
            let mut given = Vec::new();
            let read = run.read_each(index, most, &mut frame, |atom, position| {
                assert_eq!(atom, given.len(), "{name}");
                given.push(position);
            });
            assert_eq!((read, &given), (Ok(given.len()), &whole.positions), "{name}, frame {index}");
            assert_eq!((frame.time, frame.cell), (whole.time, whole.cell), "{name}, frame {index}");
        }
        assert!(run.read_each(run.n_frames(), 5, &mut frame, |_, _| ()).is_err());
    }
}

#[test]
fn cells_are_in_angstrom() {
    let cube = [[40.0, 0.0, 0.0], [0.0, 40.0, 0.0], [0.0, 0.0, 40.0]];
    for name in ["small.xtc", "small.trr", "small.dcd", "small.nc", "small.gro", "fixed.dcd", "double.trr"] {
        let run = Trajectory::open(path(name)).unwrap();
        let mut frame = Frame::default();
        run.read(1, 1, &mut frame).unwrap();
        let cell = frame.cell.unwrap_or_else(|| panic!("{name} has no cell"));
        assert!(
            cell.iter().flatten().zip(cube.iter().flatten()).all(|(a, b)| (a - b).abs() < 1e-5),
            "{name}: {cell:?}"
        );
    }
}

#[test]
fn xtc_with_long_lengths_is_read() {
    // Version 2023 differs by its number, and by the 64 bits of the number of compressed bytes.
    let (old, mut new) = (bytes("small.xtc"), Vec::new());
    let mut at = 0;
    while at < old.len() {
        let length = u32::from_be_bytes(old[at + 88..at + 92].try_into().unwrap()) as usize;
        let end = at + 92 + length.next_multiple_of(4);
        new.extend(2023_u32.to_be_bytes());
        new.extend(&old[at + 4..at + 88]);
        new.extend((length as u64).to_be_bytes());
        new.extend(&old[at + 92..end]);
        at = end;
    }
    let run = Trajectory::of_bytes("new.xtc", new).unwrap();
    assert_eq!(all(&run), expected("small.xtc", 417));
}

#[test]
fn dcd_with_long_records_in_either_order_is_read() {
    // Every record of `small.dcd` again, with lengths of 64 bits.
    let (old, mut new, mut at) = (bytes("small.dcd"), Vec::new(), 0);
    while at < old.len() {
        let length = u32::from_le_bytes(old[at..at + 4].try_into().unwrap()) as usize;
        new.extend((length as u64).to_le_bytes());
        new.extend(&old[at + 4..at + 4 + length]);
        new.extend((length as u64).to_le_bytes());
        at += length + 8;
    }
    assert_eq!(all(&Trajectory::of_bytes("long.dcd", new).unwrap()), expected("exact", 417));
}

#[test]
fn a_file_that_is_cut_off_gives_the_frames_before() {
    // Numbers that look random, and are the same every time.
    let mut state = 17_u64;
    let mut random = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 33
    };
    for (name, _, positions, _) in FILES {
        let whole = bytes(name);
        let run = Trajectory::of_bytes(name, whole.clone()).unwrap();
        let expected = expected(positions, run.n_atoms());
        for _ in 0..200 {
            let cut = random() as usize % whole.len();
            match Trajectory::of_bytes(name, &whole[..cut]) {
                Ok(run) => {
                    assert_eq!(all(&run), expected[..run.n_frames()], "{name}, {cut} bytes");
                    // Between two frames nothing shows that more were to follow, except in NetCDF, which counts them.
                    if let Some(damage) = run.damage() {
                        assert!(matches!(damage.problem, Problem::Cut(_)), "{name}, {cut} bytes: {damage}");
                        assert!(damage.byte.is_some_and(|byte| byte <= cut as u64), "{damage}");
                    } else {
                        assert!(run.n_frames() < expected.len(), "{name}, {cut} bytes");
                    }
                }
                Err(error) => assert!(
                    matches!(error.problem, Problem::Cut(_) | Problem::Empty | Problem::Format | Problem::NoPositions),
                    "{name}, {cut} bytes: {error}"
                ),
            }
        }
    }
}

#[test]
fn damage_is_named_by_frame_and_byte() {
    let mut damaged = bytes("small.xtc");
    let third = Trajectory::of_bytes("x", damaged.clone()).unwrap();
    let mut at = 0;
    for _ in 0..2 {
        let length = u32::from_be_bytes(damaged[at + 88..at + 92].try_into().unwrap()) as usize;
        at += 92 + length.next_multiple_of(4);
    }
    // The size of differences, which no frame can have. The index does not decode, so other frames are read.
    damaged[at + 87] = 99;
    let run = Trajectory::of_bytes("run.xtc", damaged.clone()).unwrap();
    let mut frame = Frame::default();
    assert_eq!(run.n_frames(), third.n_frames());
    let error = run.read(2, usize::MAX, &mut frame).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("run.xtc: frame 2, at byte {at}: differences have 99 bits, and not 9 to 72; the file is damaged")
    );
    assert!(run.read(3, usize::MAX, &mut frame).is_ok());
    // Another number of atoms.
    damaged[at + 7] ^= 1;
    damaged[at + 55] ^= 1;
    let run = Trajectory::of_bytes("run.xtc", damaged).unwrap();
    let damage = run.damage().unwrap();
    assert_eq!((run.n_frames(), damage.frame, damage.byte), (2, Some(2), Some(at as u64)));
    assert_eq!(damage.problem, Problem::Atoms { found: 416, expected: 417 });
}

#[test]
fn changed_bytes_end_no_process() {
    let mut state = 3_u64;
    let mut random = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize
    };
    let mut frame = Frame::default();
    for (name, ..) in FILES {
        let whole = bytes(name);
        for _ in 0..100 {
            let mut changed = whole.clone();
            for _ in 0..1 + random() % 4 {
                let at = random() % changed.len().min(if random() % 2 == 0 { 400 } else { usize::MAX });
                changed[at] = random() as u8;
            }
            if let Ok(run) = Trajectory::of_bytes(name, changed) {
                for index in 0..run.n_frames() {
                    let _ = run.read(index, usize::MAX, &mut frame);
                }
            }
        }
    }
}

#[test]
fn other_files_are_refused_by_name() {
    let refused = |bytes: &[u8]| Trajectory::of_bytes("x", bytes).unwrap_err().to_string();
    assert!(refused(b"\x89HDF\r\n\x1a\n").contains("HDF5"));
    assert!(refused(b"\x1f\x8b\x08\0\0\0\0\0").contains("compressed"));
    assert!(refused(b"CDF\x02\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0").contains("AMBER"));
    assert!(refused(b"HEADER\nATOM\n").contains("--model all"));
    assert_eq!(refused(b""), "x: has no frame");
    for text in ["ATOM\n", "\n\n\n", "a title\n2\nno atoms\nat all\n1 2 3\n"] {
        assert!(
            refused(text.as_bytes()).contains("no trajectory of a known format"),
            "{text:?}: {}",
            refused(text.as_bytes())
        );
    }
    assert!(refused(b"\0\0\0\x0d\0\0\0\x0cVERSION 2021").contains("(TPR) and no trajectory; give the XTC"));
    let opened = |path: &str| Trajectory::open(path).unwrap_err().to_string();
    assert!(opened("no/such/run.xtc").starts_with("no/such/run.xtc: cannot be read: "));
    assert!(opened("-").starts_with("-: standard input cannot be a trajectory"));
    assert_eq!(opened("tests/data"), "tests/data: is a folder and no trajectory; name the files in it");
    #[cfg(unix)]
    assert!(opened("/dev/null").starts_with("/dev/null: is a pipe or a device; a trajectory must be a plain file"));
}

#[test]
fn lines_of_gro_that_do_not_fit_are_named() {
    let frame = |count: &str, cell: &str| {
        let atoms = "    1SOL     OW    1   0.100   0.200   0.300\n    1SOL    HW1    2   0.400   0.500   0.600\n";
        format!("water t= 1.0\n{count}\n{atoms}{cell}")
    };
    let refused = |text: String| Trajectory::of_bytes("x.gro", text.as_bytes()).unwrap_err().to_string();
    let (whole, cell) = (frame("2", "1.0 1.0 1.0\n"), "1.0 1.0 1.0\n");
    let few = refused(frame("1", cell) + &whole);
    assert!(
        few.contains("frame 0, at byte 60: line 4 is \"    1SOL    HW1    2   0.400   0.500   0\", and not the cell"),
        "{few}"
    );
    assert!(few.contains("which has three or nine numbers; the number of atoms in line 2 is 1; the file"), "{few}");
    assert!(refused(frame("3", cell) + &whole).contains("line 6 is \"water t= 1.0\", and not the cell"));
    assert!(refused(frame("2", "") + &whole).contains("line 5 is \"water t= 1.0\", and not the cell"));
    assert!(refused(frame("2", "1 1 1 0 0 0 0 0\n")).contains("line 5 is \"1 1 1 0 0 0 0 0\", and not the cell"));
    assert!(refused(frame("2", "")).contains("the cell, is missing, or its second line counts too many atoms"));
    assert!(refused(frame("9", cell)).contains("which has fewer atoms than its second line says"));
    // Frames before are read.
    let run = Trajectory::of_bytes("x.gro", (whole + &frame("2", "1 1\n")).as_bytes()).unwrap();
    let damage = run.damage().unwrap().to_string();
    assert!(
        run.n_frames() == 1 && damage.contains("frame 1, at byte") && damage.contains("line 10 is \"1 1\""),
        "{damage}"
    );
}

#[test]
fn a_cell_may_fill_its_columns() {
    let text = "huge\n    1\n    1SOL      H    1   0.000   0.000   0.000\n40000.0000040000.0000050000.00000\n";
    let run = Trajectory::of_bytes("huge.gro", text.as_bytes()).unwrap();
    let mut frame = Frame::default();
    run.read(0, 1, &mut frame).unwrap();
    assert_eq!(frame.cell, Some([[4e5, 0.0, 0.0], [0.0, 4e5, 0.0], [0.0, 0.0, 5e5]]));
}

#[test]
fn titles_of_dcd_may_have_a_wrong_length() {
    // The record of titles of `small.dcd` after the header's 92 bytes, with a title less before it than it has.
    let mut changed = bytes("small.dcd");
    let length = u32::from_le_bytes(changed[92..96].try_into().unwrap());
    let end = 96 + length as usize;
    changed[92..96].copy_from_slice(&(length - 80).to_le_bytes());
    changed[end..end + 4].copy_from_slice(&(length - 80).to_le_bytes());
    assert_eq!(all(&Trajectory::of_bytes("titles.dcd", changed).unwrap()), expected("exact", 417));
}

/// `small.nc` with another unit of a variable. It takes the room of the one that is there.
fn with_unit(old: &[u8], new: &[u8], first: usize) -> Vec<u8> {
    let mut changed = bytes("small.nc");
    let found = (first..changed.len()).find(|&at| changed[at..].starts_with(old)).unwrap();
    // Zeros behind it count as part of it.
    let room = old.len().next_multiple_of(4);
    changed[found - 4..found].copy_from_slice(&(room as u32).to_be_bytes());
    changed[found..found + room].fill(0);
    changed[found..found + new.len()].copy_from_slice(new);
    changed
}

#[test]
fn other_units_of_netcdf_are_converted_or_refused_by_name() {
    let times = |unit: &[u8]| {
        let run = Trajectory::of_bytes("x.nc", with_unit(b"picosecond", unit, 0)).unwrap();
        [1, 5].map(|frame| run.time(frame).unwrap())
    };
    assert_eq!(times(b"picosecond"), [10.0, 50.0]);
    assert_eq!(times(b"nanosecond"), [10_000.0, 50_000.0]);
    assert_eq!((times(b"femtosecond"), times(b"fs")), ([0.01, 0.05], [0.01, 0.05]));
    // The angles of every frame, as double precision writes them.
    let mut radians = with_unit(b"degree", b"radian", 0);
    let [degrees, quarter] = [90.0, std::f64::consts::FRAC_PI_2].map(f64::to_be_bytes);
    let places: Vec<usize> = (0..radians.len() - 8).filter(|&at| radians[at..].starts_with(&degrees)).collect();
    assert_eq!(places.len(), 3 * 6);
    places.iter().for_each(|&at| radians[at..at + 8].copy_from_slice(&quarter));
    let cell = |bytes: Vec<u8>| {
        let mut frame = Frame::default();
        Trajectory::of_bytes("x.nc", bytes).unwrap().read(1, 1, &mut frame).unwrap();
        frame.cell.unwrap().map(|side| side.map(|along| (1e4 * along).round() / 1e4))
    };
    assert_eq!(cell(radians), cell(bytes("small.nc")));
    let refused = |bytes| Trajectory::of_bytes("x.nc", bytes).unwrap_err().to_string();
    assert_eq!(
        refused(with_unit(b"degree", b"gon", 0)),
        "x.nc: `cell_angles` has the unit \"gon\", which is not read; write it in degree or radian"
    );
    assert!(refused(with_unit(b"picosecond", b"atu", 0)).contains("`time` has the unit \"atu\""));
    assert!(refused(with_unit(b"angstrom", b"nm", 0)).contains("`cell_lengths` has the unit \"nm\""));
    assert!(refused(with_unit(b"angstrom", b"nm", 700)).contains("`coordinates` has the unit \"nm\""));
}
