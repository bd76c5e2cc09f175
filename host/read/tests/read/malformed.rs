//! Damaged and odd files: what is refused, with which message, and what is still read.

use crate::read_common::*;
use prism_read::{NoteKind, ReadOptions, read_bytes};

/// Ubiquitin's first atoms with one line's columns 31 to 54 replaced.
fn with_coordinates(columns: &str) -> String {
    let mut lines: Vec<String> = ubiquitin_atoms(40).split_inclusive('\n').map(str::to_owned).collect();
    assert!(lines[10].is_ascii());
    lines[10].replace_range(30..54, columns);
    lines.concat() + "END\n"
}

#[track_caller]
fn refused(bytes: impl AsRef<[u8]>, words: &[&str]) {
    let message = refusal(bytes);
    for word in words {
        assert!(message.contains(word), "{message:?} does not say {word:?}");
    }
}

#[test]
fn nothing_to_read() {
    refused("", &["x: the file is empty"]);
    refused(gzip(b""), &["the file is empty"]);
    refused("\n\n   \n", &["no atoms", "blank"]);
    refused("\u{feff}", &["the file is empty"]);
    refused("..\n.\n", &["no atoms", "no ATOM or HETATM record"]);
    refused("<!doctype html><html><body>404</body></html>\n", &["is a web page and no structure"]);
    refused([0u8; 8192], &["no atoms", "NUL"]);
    let header: String = UBIQUITIN_PDB.split_inclusive('\n').take_while(|l| !l.starts_with("ATOM")).collect();
    refused(header, &["no atoms"]);
    refused("data_X\n_entry.id X\n", &["no atoms", "_atom_site"]);
    refused("data_X\nloop_\n_atom_site.Cartn_x\n", &["the _atom_site table has no Cartn_y"]);
}

#[test]
fn no_protein() {
    let ligands: String = ubiquitin_atoms(8).replace("ATOM  ", "HETATM");
    refused(ligands, &["x: no protein residues"]);
    let nucleotides = ubiquitin_atoms(8).replace("MET", " DA").replace(" CA ", " C1'");
    refused(nucleotides, &["no protein: nucleic acid alone"]);
    let (items, mut rows) = crambin_loop();
    let number = items.iter().position(|&i| i == "label_seq_id").unwrap();
    rows.truncate(14);
    rows.iter_mut().for_each(|row| (row[0], row[number]) = ("HETATM", "."));
    refused(cif_of(&items, &rows), &["no protein residues"]);
}

#[test]
fn binary_cif_that_is_cut_is_named() {
    let head = b"\x83\xa7encoder\xa6Mol* 1\xa7version\xa50.3.0\xaadataBlocks\x91\x83";
    refused(head, &["damaged BinaryCIF: it ends too soon; fetch the file again"]);
    refused(gzip(head), &["damaged BinaryCIF"]);
    refused(b"\xde\x00\x03\xaadataBlocks\x91", &["damaged BinaryCIF"]);
}

#[test]
fn files_cut_inside_an_atom() {
    let whole = ubiquitin_atoms(40);
    for kept in [4, 5, 20, 30, 37, 44, 53] {
        let cut = &whole[..39 * 81 + kept];
        refused(cut, &["line 40", &format!("ends at column {kept}")]);
    }
    // After the coordinates, a cut would change the B factor or lose the element.
    for kept in [54, 60, 65, 70, 76] {
        refused(&whole[..39 * 81 + kept], &["line 40", "it is cut"]);
    }
    for kept in [2, 3] {
        refused(&whole[..39 * 81 + kept], &["line 40"]);
    }
    // A complete last line needs no line feed.
    assert_eq!(structure(&whole[..whole.len() - 1]).n_atoms(), 40);
    // If all lines are short, they are no sign of a cut.
    let short: String = whole.lines().map(|line| format!("{}\n", &line[..54])).collect();
    assert_eq!(structure(&short[..short.len() - 1]).n_atoms(), 40);
    // A short line in the middle is refused, not skipped.
    refused(short.replacen(" 1      27.340  24.430   2.614\n", " 1      27.340\n", 1), &["line 1:"]);
}

#[test]
fn coordinates_that_are_no_numbers() {
    for (columns, words) in [
        ("     nan     nan     nan", &["line 11", "x (columns 31-38)", "exactly one decimal point"][..]),
        ("     inf    -inf     inf", &["line 11", "exactly one decimal point"]),
        ("  1e+300  1e+300  1e+300", &["line 11", "exactly one decimal point"]),
        ("   1.2e3   2.000   3.000", &["line 11", "is not a decimal number"]),
        ("************************", &["line 11", "stars"]),
        ("   1.000********   3.000", &["line 11", "y (columns 39-46)", "stars"]),
        ("   1.000   2.000        ", &["line 11", "z (columns 47-54)", "blank"]),
        ("   1.000   2.000       3", &["line 11", "z", "exactly one decimal point"]),
        ("   1.000   2..00   3.000", &["line 11", "y", "exactly one decimal point"]),
        ("   1.000   2.0.0   3.000", &["line 11", "y", "exactly one decimal point"]),
        ("   1.000   1,000   3.000", &["line 11", "y", "exactly one decimal point"]),
        ("   1.000   1_0.0   3.000", &["line 11", "y", "is not a decimal number"]),
        ("   1.000   - 1.0   3.000", &["line 11", "y", "columns are shifted"]),
        ("\t  1.000   2.000   3.000", &["line 11", "x", "tab"]),
    ] {
        refused(with_coordinates(columns), words);
    }
}

#[test]
fn coordinates_over_their_border() {
    for (columns, field) in [
        // Shifted one to the right.
        ("   27.340  24.430   2.61", "x"),
        ("   1.000   27.3424.4300 ", "y"),
        // One digit too wide, to the left and to the right.
        ("   1.00012345.67   2.614", "y"),
        ("   1.0000  24.430   2.61", "y"),
        ("   1.000  2.3456  7.8912", "z"),
    ] {
        let text = with_coordinates(columns);
        if field == "z" {
            // All digits are in their columns; only one more digit makes it wrong.
            structure(&text);
            refused(text.replace(&format!("{columns} "), &format!("{columns}5")), &["line 11: z", "border"]);
        } else {
            refused(text, &[&format!("line 11: {field} (columns")]);
        }
    }
    let shifted: String = ubiquitin_atoms(5).lines().map(|l| format!("{} {}\n", &l[..30], &l[30..])).collect();
    refused(shifted, &["line 1", "x (columns 31-38)", "runs over the border"]);
    let whole_lines: String = ubiquitin_atoms(5).lines().map(|l| format!(" {l}\n")).collect();
    refused(whole_lines, &["no atoms", "column 1"]);
    // A sign or digit before x, a digit after z.
    let line = ubiquitin_atoms(1);
    for (column, text) in [(29, "-127.340"), (29, "1127.340"), (54, "5  1.00")] {
        let mut line = line.clone();
        line.replace_range(column..column + text.len(), text);
        refused(line, &["line 1", "runs over the border"]);
    }
    let two_bytes = ubiquitin_atoms(20).replace("MET", "ÅLA");
    refused(two_bytes, &["line 1", "begins columns too late"]);
}

/// Its name stands in other columns, too, and says that it is not used.
#[test]
fn a_shifted_water_or_ligand_is_skipped() {
    let text = ubiquitin_atoms(20);
    for by in (-4..=4).filter(|&by| by != 0) {
        let hetero = |name| {
            let line = atom_line(" C1 ", ' ', name, "A 901 ", 1.0);
            format!("{text}{}", shifted(line.trim_end(), by).replace("ATOM  ", "HETATM"))
        };
        for name in ["HOH", "LIG"] {
            let read = read(hetero(name));
            assert_eq!(read.structure.n_atoms(), 20, "{name}");
            assert!(read.notes.iter().any(|note| note.kind == NoteKind::IgnoredRecords), "{name}: {:?}", read.notes);
        }
        // An amino acid may belong to the chain.
        refused(hetero("MSE"), &["line 21: x (columns 31-38)", "begins columns too"]);
    }
}

/// A line with so many blanks more after its record name, or, if negative, fewer.
fn shifted(line: &str, by: isize) -> String {
    let lost = by.min(0).unsigned_abs();
    format!("ATOM{}{}\n", " ".repeat(by.max(0).unsigned_abs()), &line[4 + lost..])
}

/// A text with one line among others that is shifted.
fn with_shifted_line(text: &str, number: usize, by: isize) -> String {
    let lines = text.lines().zip(1..);
    lines.map(|(line, at)| if at == number { shifted(line, by) } else { format!("{line}\n") }).collect()
}

/// Blanks between the coordinates would let them pass for numbers, and another name, chain and number be read.
#[test]
fn shifted_lines() {
    let text = ubiquitin_atoms(20);
    for (by, says) in
        (-4..=-1).map(|by| (by, "begins columns too early")).chain((1..=4).map(|by| (by, "begins columns too late")))
    {
        let all: String = text.lines().map(|line| shifted(line, by)).collect();
        refused(&all, &["line 1: x (columns 31-38)", says, "write the file again"]);
        refused(with_shifted_line(&text, 8, by), &["line 8: x", says]);
    }
    // Numbers of four digits, insertion codes and touching coordinates.
    for (from, to) in [("A   1 ", "A1001 "), ("A   1 ", "A   1C"), ("  27.340  24.430", "-127.340-124.430")] {
        let all: String = text.replace(from, to).lines().map(|line| shifted(line, -1)).collect();
        refused(all, &["line 1: x", "begins columns too early"]);
    }
}

/// The usual column has another character, which is no requested chain.
#[test]
fn a_shifted_line_of_a_requested_chain_is_not_lost() {
    let text = ubiquitin_atoms(20);
    let options = ReadOptions { chains: Some(vec!["A".to_owned()]), ..ReadOptions::default() };
    for by in (-4..=4).filter(|&by| by != 0) {
        let one = with_shifted_line(&text, 8, by);
        let message = read_bytes(one.as_bytes(), "x", &options).unwrap_err().to_string();
        assert!(message.contains("line 8: x (columns 31-38)"), "{message}");
        // A chain that was not requested may be damaged.
        let both = one.replace(" A ", " C ") + &text;
        assert_eq!(read_bytes(both.as_bytes(), "x", &options).unwrap().structure.n_atoms(), 20);
    }
}

#[test]
fn coordinates_that_touch_or_stand_freely_are_numbers() {
    let atom = |columns: &str| {
        let s = structure(with_coordinates(columns));
        // The eleventh atom is the third of the second residue.
        let a = s.atoms[10];
        [a.x, a.y, a.z].map(f64::from).iter().zip(s.center).map(|(v, c)| v + c).collect::<Vec<_>>()
    };
    for (columns, expected) in [
        ("9999.9999999.9999999.999", [9999.999; 3]),
        ("-999.999-999.999-999.999", [-999.999; 3]),
        ("   -.500    .250   3.   ", [-0.5, 0.25, 3.0]),
        (" 1.2345  2.34567 3.5    ", [1.2345, 2.34567, 3.5]),
        ("   +1.00  -0.000  -0.001", [1.0, 0.0, -0.001]),
    ] {
        for (found, expected) in atom(columns).iter().zip(expected) {
            assert!((found - expected).abs() < 1e-3, "{columns}: {found} for {expected}");
        }
    }
    // A full occupancy in another program's width touches z.
    let s = structure(ubiquitin_atoms(3).replace("  1.00", "100.00"));
    assert_eq!(s.n_atoms(), 3);
}

#[test]
fn fields_out_of_their_columns() {
    let separated: String =
        ubiquitin_atoms(9).lines().map(|l| l.split_whitespace().collect::<Vec<_>>().join(" ") + "\n").collect();
    refused(&separated, &["line 1", "before its z coordinate"]);
    refused(separated.replace(' ', "\t"), &["line 1", "tabs"]);
    let no_name = ubiquitin_atoms(2).replace(" CA ", "    ");
    refused(no_name, &["line 2", "atom name", "blank"]);
    for number in ["   x", "    ", "1 23", "A0-0", "1.00"] {
        let text = ubiquitin_atoms(2).replace(" A   1 ", &format!(" A{number} "));
        refused(text, &["line 1", "residue number"]);
    }
}

#[test]
fn damaged_gzip() {
    let whole = gzip(UBIQUITIN_PDB.as_bytes());
    assert_eq!(structure(&whole).n_residues(), 76);
    for cut in [2, 9, 300, whole.len() / 2, whole.len() - 9, whole.len() - 1] {
        refused(&whole[..cut], &["corrupt or truncated gzip"]);
    }
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 0x10;
    refused(&flipped, &["corrupt or truncated gzip"]);
    refused([&whole[..], b"rest"].concat(), &["corrupt or truncated gzip", "after its end"]);
    // Several members follow each other, and zeros pad the last.
    let (a, b) = UBIQUITIN_PDB.as_bytes().split_at(40_000);
    assert_same(&structure([gzip(a), gzip(b), vec![0; 100]].concat()), &structure(UBIQUITIN_PDB));
    refused([gzip(a), gzip(b)[..50].to_vec()].concat(), &["corrupt or truncated gzip"]);
}

#[test]
fn ragged_loops() {
    let (items, rows) = crambin_loop();
    let n = items.len();
    let (columns, cut_after) = (format!("{n} values"), format!("after 3 of {n} values"));
    let mut missing = rows.clone();
    missing[4].remove(1);
    let line_of_row = |row: usize| format!("line {}:", 3 + n + row);
    refused(cif_of(&items, &missing), &[&line_of_row(4), &columns]);
    let mut extra = rows.clone();
    extra[4].insert(7, "?");
    refused(cif_of(&items, &extra), &[&line_of_row(4), &columns]);
    // As many values are missing as a row has, so their number alone would not show it.
    let mut many = rows.clone();
    many[4..4 + n].iter_mut().for_each(|row| {
        row.remove(1);
    });
    refused(cif_of(&items, &many), &[&line_of_row(4)]);
    many[..4].iter_mut().for_each(|row| {
        row.remove(1);
    });
    many[n..n + 4].clone_from_slice(&rows[n..n + 4]);
    refused(cif_of(&items, &many), &["line"]);
    let mut cut = rows[..5].to_vec();
    cut[4].truncate(3);
    refused(cif_of(&items, &cut), &[&line_of_row(4), &cut_after, "cut"]);
    // Later models and other loops count, too.
    let mut models = rows.clone();
    models[100..].iter_mut().for_each(|row| *row.last_mut().unwrap() = "2");
    models[200].pop();
    refused(cif_of(&items, &models), &[&line_of_row(200)]);
    refused("data_X\nloop_\n_a.b\n_a.c\n1 2\n3\n#\n", &["line 6:", "_a.b", "after 1 of 2 values"]);
}

#[test]
fn broken_cif() {
    let (items, rows) = crambin_loop();
    for axis in ["Cartn_x", "Cartn_y", "Cartn_z"] {
        let renamed: Vec<_> = items.iter().map(|&i| if i == axis { "Foo" } else { i }).collect();
        refused(cif_of(&renamed, &rows), &["line 2:", &format!("no {axis}")]);
    }
    let z = items.iter().position(|&i| i == "Cartn_z").unwrap();
    for (text, words) in [
        ("?", "Cartn_z \"?\" is not given"),
        (".", "is not given"),
        ("nan", "is not a number"),
        ("inf", "is not a number"),
        ("1.2.3", "is not a number"),
        ("12,5", "is not a number"),
        ("1e300", "out of range"),
        ("-1000000.5", "out of range"),
        ("'1.5 2'", "is not a number"),
    ] {
        let mut bad = rows.clone();
        bad[6][z] = text;
        refused(cif_of(&items, &bad), &[&format!("line {}:", 3 + items.len() + 6), words]);
    }
    let mut numbers = rows.clone();
    let number = items.iter().position(|&i| i == "auth_seq_id").unwrap();
    numbers[0][number] = "1A";
    refused(cif_of(&items, &numbers), &["auth_seq_id \"1A\""]);
    let mut groups = rows.clone();
    groups[3][0] = "N";
    let mut models = rows.clone();
    *models[3].last_mut().unwrap() = "N";
    refused(cif_of(&items, &models), &["pdbx_PDB_model_num \"N\" is not a model number"]);
    refused(cif_of(&items, &groups), &["group_PDB \"N\" is neither ATOM nor HETATM"]);

    refused("data_X\n_struct.title\n;never closed\nT A 1\n", &["line 3:", "not closed"]);
    refused("data_X\n_a.b 'open\n", &["line 2:", "not closed on its line"]);
    refused("data_X\n_a.b\n_a.c 1\n", &["line 2:", "_a.b has no value"]);
    refused("data_X\n_a.b 1 2\n", &["line 2:", "\"2\" belongs to no tag"]);
    refused("data_X\nloop_\nloop_\n_a.b\n1\n", &["line 2:", "not followed by a tag"]);
    refused("data_X\nsave_a\n_a.b 1\n", &["line 2:", "save frame", "not closed"]);
    let once = cif_of(&items, &rows);
    let twice = format!("{once}#\n{}", once.strip_prefix("data_X\n").unwrap());
    refused(twice, &["second _atom_site table"]);
}

#[test]
fn odd_but_readable() {
    let plain = structure(ubiquitin_atoms(50));
    assert_eq!((plain.n_residues(), plain.n_atoms()), (6, 50));
    for text in [
        format!("\u{feff}{}", ubiquitin_atoms(50)),
        format!("REMARK {}\n{}", "x".repeat(5_000_000), ubiquitin_atoms(50)),
        ubiquitin_atoms(50).replace('\n', "\r\n"),
        ubiquitin_atoms(50).replace("  1.00 ", "  0.00 "),
        with_serials(6, "*****"),
        with_serials(6, "A0000"),
        with_serials(5, "100000"),
        with_serials(4, "1000000"),
    ] {
        assert_same(&structure(text), &plain);
    }
    let latin1 = [b"REMARK caf\xe9 \xff\xfe\n", ubiquitin_atoms(50).as_bytes()].concat();
    assert_same(&structure(latin1), &plain);
    // The content decides, not the name.
    for (text, name) in [(UBIQUITIN_PDB.as_bytes(), "x.cif"), (CRAMBIN_CIF.as_bytes(), "x.pdb")] {
        let options = prism_read::ReadOptions::default();
        for bytes in [text.to_vec(), gzip(text)] {
            let read = prism_read::read_bytes(&bytes, name, &options).unwrap();
            assert_same(&read.structure, &structure(text));
            assert_eq!(read.structure.name, name);
        }
    }
}

/// Ubiquitin's first atoms with other serial numbers, from a column on.
fn with_serials(column: usize, serial: &str) -> String {
    ubiquitin_atoms(50).lines().map(|l| format!("{}{serial}{}\n", &l[..column], &l[11..])).collect()
}

#[test]
fn few_atoms() {
    let ca = ubiquitin_atoms(2).split_inclusive('\n').nth(1).unwrap().to_owned();
    let one = structure(&ca);
    assert_eq!((one.n_residues(), one.n_atoms(), one.ca_indices[0]), (1, 1, 0));
    assert_eq!(one.center, [26.266, 25.413, 2.842]);
    assert_eq!([one.atoms[0].x, one.atoms[0].y, one.atoms[0].z], [0.0; 3]);
    assert_eq!(structure(ubiquitin_atoms(8)).n_residues(), 1);
    let without_ca: String = UBIQUITIN_PDB.split_inclusive('\n').filter(|l| !l.contains(" CA ")).collect();
    let s = structure(without_ca);
    assert_eq!(s.n_residues(), 76);
    assert!(s.ca_indices.iter().all(|&ca| ca == shared_types::NO_CA));
    assert!(s.bfactor.iter().all(|b| b.is_nan()));
}

#[test]
fn what_is_warned_of() {
    let atoms = ubiquitin_atoms(50);
    // All residues except the first: a repeated first residue would begin another frame.
    let rest: String = atoms.split_inclusive('\n').skip(8).collect();
    let twice = read(atoms.clone() + &rest);
    assert_eq!(twice.structure.n_residues(), 11);
    assert_eq!(twice.warnings.len(), 1);
    assert!(twice.warnings[0].contains("5 of 11 residues"), "{:?}", twice.warnings);

    let each_twice: String = atoms.split_inclusive('\n').flat_map(|line| [line, line]).collect();
    let each_twice = read(each_twice);
    assert_same(&each_twice.structure, &structure(&atoms));
    assert!(each_twice.warnings[0].contains("50 atom records repeat"), "{:?}", each_twice.warnings);

    let one_point = read(with_all_at_one_point(&atoms));
    assert_eq!(one_point.warnings, ["all 50 atoms lie at one point"]);

    let (items, rows) = crambin_loop();
    let block = cif_of(&items, &rows);
    let two = read(format!("data_EMPTY\n_a.b c\n{block}{}", block.replace("data_X", "data_Y")));
    assert_same(&two.structure, &structure(&block));
    assert_eq!(two.warnings, ["\"x#X\" is read; 1 more after it are not"]);
    // Blocks without atoms cause no message.
    structure(format!("{block}data_LIG\nloop_\n_chem_comp_atom.atom_id\nC1\nC2\n"));
}

fn with_all_at_one_point(atoms: &str) -> String {
    atoms.lines().map(|l| format!("{}   1.000   2.000   3.000{}\n", &l[..30], &l[54..])).collect()
}
