//! Files that programs for simulations, viewers and predictors write.

use crate::ends_of_molecules::{open_ended, renumbered};
use crate::read_common::*;
use prism_read::{AtomClass, Classes, NoteKind, ReadOptions, ReadStructure, each_atom, read_bytes};

/// Lines of ubiquitin's residues in a range of numbers, each changed.
pub fn ubiquitin(numbers: std::ops::RangeInclusive<i32>, change: impl Fn(&str) -> String) -> String {
    let atoms = ubiquitin_atoms(602);
    let of_range = atoms.lines().filter(|line| numbers.contains(&line[22..26].trim().parse().unwrap()));
    of_range.map(|line| change(line) + "\n").collect()
}

/// A line without change.
pub fn same(line: &str) -> String {
    line.to_owned()
}

/// A line with other text from a column on, counted from 1.
pub fn with(line: &str, column: usize, text: &str) -> String {
    format!("{}{text}{}", &line[..column - 1], &line[column - 1 + text.len()..])
}

/// A line moved along x, in Å.
pub fn moved(line: &str, x: f64) -> String {
    with(line, 31, &format!("{:8.3}", line[30..38].trim().parse::<f64>().unwrap() + x))
}

/// The text of the note of a kind; empty if there is none.
pub fn note(read: &ReadStructure, kind: NoteKind) -> &str {
    read.notes.iter().find(|note| note.kind == kind).map_or("", |note| &note.text)
}

/// Names and numbers of residues of the chains.
pub fn chains(text: impl AsRef<[u8]>) -> Vec<(String, usize)> {
    let s = read(text).structure;
    s.rows_of_chains().into_iter().map(|(chain, rows)| (s.chains[chain as usize].clone(), rows)).collect()
}

pub fn named(names: &[(&str, usize)]) -> Vec<(String, usize)> {
    names.iter().map(|(name, rows)| ((*name).to_owned(), *rows)).collect()
}

#[test]
fn another_molecule_after_an_end_is_read() {
    let other = |line: &str| moved(line, 60.0);
    let first = ubiquitin(1..=40, same);
    // Other residues under numbers of the first, other numbers, and other segments.
    let shifted =
        |line: &str| with(&other(line), 23, &format!("{:4}", line[22..26].trim().parse::<i32>().unwrap() - 40));
    let far = |line: &str| with(&other(line), 23, &format!("{:4}", line[22..26].trim().parse::<i32>().unwrap() + 200));
    let segment = |id: &'static str, x: f64| move |line: &str| with(&moved(line, x), 73, id);
    for second in [ubiquitin(41..=76, shifted), ubiquitin(1..=36, far)] {
        let text = format!("{first}END\n{second}END\n");
        assert_eq!(chains(&text), named(&[("A", 40), ("A~2", 36)]));
        assert!(note(&read(&text), NoteKind::Repaired).contains("after an END are read with those before it"));
    }
    let text =
        format!("{}END\n{}END\n", ubiquitin(1..=40, segment("PROA", 0.0)), ubiquitin(1..=40, segment("PROB", 60.0)));
    assert_eq!(chains(&text), named(&[("PROA", 40), ("PROB", 40)]));
    // Frames of one molecule, of which some residues may have changed.
    let mutant = |line: &str| if line[22..26].trim() == "30" { with(line, 18, "ALA") } else { same(line) };
    for second in [ubiquitin(1..=40, other), ubiquitin(1..=40, mutant), ubiquitin(3..=40, same)] {
        let text = format!("{first}END\n{second}END\n");
        assert_eq!((chains(&text), read(&text).models), (named(&[("A", 40)]), 2));
    }
}

#[test]
fn models_of_other_chains_are_reported() {
    let chain_b = |line: &str| with(&moved(line, 60.0), 22, "B");
    let model = |number: u32, atoms: &str| format!("MODEL {number:8}\n{atoms}ENDMDL\n");
    let text = model(1, &ubiquitin(1..=9, same)) + &model(2, &ubiquitin(1..=9, chain_b));
    let found = read(&text);
    let text = note(&found, NoteKind::Copies);
    assert!(text.contains("other chains") && text.contains("--model join"), "{:?}", found.notes);
    assert_eq!(found.warnings.len(), 1);
}

#[test]
fn copies_that_an_end_divides_are_reported() {
    let copy = |line: &str| moved(line, 60.0);
    let changed = |line: &str| if line[22..26].trim() == "5" { moved(line, 0.5) } else { same(line) };
    let first = ubiquitin(1..=40, same);
    for (second, kind) in [(ubiquitin(1..=40, copy), NoteKind::Copies), (ubiquitin(1..=40, changed), NoteKind::Models)]
    {
        let read = read(format!("{first}END\n{second}END\n"));
        assert!(!note(&read, kind).is_empty() && read.models == 2, "{:?}", read.notes);
        assert_eq!(note(&read, NoteKind::Copies).contains("--model join"), kind == NoteKind::Copies);
    }
}

#[test]
fn a_fourth_letter_of_a_name_divides_no_chain() {
    let fourth = |letters: &'static [(&str, &str)], line: &str| {
        let found = letters.iter().find(|(name, _)| *name == &line[17..20]);
        found.map_or_else(|| same(line), |(_, letter)| with(line, 21, letter))
    };
    let cyana = [("LYS", "+"), ("ARG", "+"), ("ASP", "-"), ("GLU", "-"), ("HIS", "+")];
    let names = |line: &str| fourth(&[("LYS", "+"), ("ARG", "+"), ("ASP", "-"), ("GLU", "-"), ("HIS", "+")], line);
    let s = read(ubiquitin(1..=76, names)).structure;
    assert_eq!((s.chains.as_slice(), s.n_residues()), (&["A".to_owned()][..], 76));
    for (name, letter) in cyana {
        let own = (0..76).find(|&row| s.resname(row) == format!("{name}{letter}"));
        let charge = match name {
            "LYS" | "ARG" | "HIS" => 1.0,
            _ => -1.0,
        };
        let row = own.unwrap_or_else(|| panic!("no {name}{letter}"));
        assert_eq!(shared_types::RESIDUES[usize::from(s.residue_types[row])].charge, charge);
    }
    // Names that no program's table has: the amino acid, whose charge is not known.
    let s = read(ubiquitin(1..=76, |line| fourth(&[("LYS", "R"), ("SER", "D"), ("HIS", "N")], line))).structure;
    assert_eq!((s.chains.len(), s.n_residues(), s.resname(5)), (1, 76, "LYSR"));
    let lysine = shared_types::RESIDUES[usize::from(s.residue_types[5])];
    assert!(lysine.letter == 'K' && lysine.charge.is_nan());
    // Chain ids of two letters.
    let chain = |line: &str| with(line, 21, if line[22..26].trim().parse::<i32>().unwrap() < 40 { "XA" } else { "YA" });
    assert_eq!(chains(ubiquitin(1..=39, chain) + &ubiquitin(42..=76, chain)), named(&[("XA", 39), ("YA", 35)]));
}

#[test]
fn water_has_many_names() {
    let atoms = ubiquitin(1..=9, same);
    for name in ["SWM4", "SWM6", "D2O ", "OPC ", "OPC3", "T4E ", "T3H ", "FB3 ", "FB4 ", "WT1 ", "W   ", "WN  ", "PW  "]
    {
        let water = format!("HETATM  999  O   {name}A 300      60.000  24.430   2.614  1.00  9.67           O\n");
        let options = ReadOptions { cover: true, ..ReadOptions::default() };
        let read = read_bytes(format!("{atoms}{water}").as_bytes(), "x", &options).unwrap().structure;
        assert_eq!((read.n_residues(), read.environment), (9, false), "{name}");
    }
}

/// Reads a text with what covers residues.
fn covered(text: &str) -> ReadStructure {
    let options = ReadOptions { cover: true, ..ReadOptions::default() };
    let read = read_bytes(text.as_bytes(), "x", &options).unwrap();
    read.structure.validate().unwrap();
    read
}

/// The radii of atoms without rows, in Å.
fn covering_radii(read: &ReadStructure) -> Vec<f32> {
    let s = &read.structure;
    s.atoms[s.residue_atoms[s.n_rows()] as usize..].iter().map(|atom| atom.radius).collect()
}

/// An atom 30 Å beside ubiquitin. `columns` has the columns 13 to 26, and `element` 77 and 78.
fn beside(columns: &str, element: &str) -> String {
    format!("HETATM  999 {columns}      60.000  24.430   2.614  1.00  9.67          {element:>2}\n")
}

#[test]
fn ions_without_an_element_have_that_of_their_names() {
    let plain = |line: &str| line[..66].to_owned();
    let atoms = ubiquitin(1..=9, plain);
    for (columns, element) in [
        ("CL    CL A 300", "CL"),
        (" CL   CL A 300", "CL"),
        ("SOD  SOD A 300", "NA"),
        ("CLA  CLA A 300", "CL"),
        (" POT POT A 300", "K"),
        (" CAL CAL A 300", "CA"),
        ("CA    CA A 300", "CA"),
        ("HG    HG A 300", "HG"),
        ("FE   HEM A 300", "FE"),
        ("CO   B12 A 300", "CO"),
        (" CO  LIG A 300", "C"),
        (" NA  HEM A 300", "N"),
    ] {
        let radii = |element: &str| covering_radii(&covered(&format!("{atoms}{}", beside(columns, element))));
        assert_eq!(radii(""), radii(element), "{columns}");
    }
    // The dictionary's CAL is a ligand, of which N comes first.
    let ligand = |elements: [&str; 4]| {
        let columns = [" N   CAL A 300", " CA  CAL A 300", " CB  CAL A 300", " CA2 CAL A 300"];
        covering_radii(&covered(
            &(atoms.clone() + &columns.into_iter().zip(elements).map(|(c, e)| beside(c, e)).collect::<String>()),
        ))
    };
    assert_eq!(ligand([""; 4]), ligand(["N", "C", "C", "C"]));
    // Where short names begin in column 13, that column says nothing.
    let left = |line: &str| with(&plain(line), 13, &format!("{:<4}", line[12..16].trim()));
    let text = format!("{}{}", ubiquitin(1..=9, left), beside("CD   LIG A 300", ""));
    assert_eq!(covering_radii(&covered(&text)), [1.88]);
}

/// Rosetta's proline has one, also where no element is written.
#[test]
fn a_virtual_nitrogen_is_a_point() {
    let point = |line: &str| match (line[17..20].trim(), line[12..16].trim()) {
        ("PRO", "N") => format!("{}\n{}", &line[..66], &with(line, 13, " NV ")[..66]),
        _ => line[..66].to_owned(),
    };
    let read = read(ubiquitin(1..=76, point));
    assert_eq!(read.structure.n_atoms(), 602);
    assert!(note(&read, NoteKind::PseudoAtoms).contains('3'), "{:?}", read.notes);
}

#[test]
fn points_of_programs_cover_nothing() {
    let atoms = ubiquitin(1..=9, same);
    for (columns, element) in [
        (" N   EMB A 300", ""),
        (" ORI VRT A 300", ""),
        (concat!("ORIG X", "XX A 300"), "X"),
        (" PS1 PSD A 300", ""),
        (" CEN GRD A 300", "X"),
        (" X   GHO A 300", "BQ"),
        ("Bq   GHO A 300", ""),
        (" X1  LIG A 300", "X"),
        (" X   ANI   500", ""),
        (" OO  ANI   500", ""),
        (" SHA SHA S   1", ""),
    ] {
        let read = covered(&format!("{atoms}{}", beside(columns, element)));
        assert!(covering_radii(&read).is_empty() && !note(&read, NoteKind::PseudoAtoms).is_empty(), "{columns}");
    }
    // In the dictionary, ANI and SHA are ligands.
    for columns in [" N1  ANI A 300", " C1  SHA A 300"] {
        assert_eq!(covering_radii(&covered(&format!("{atoms}{}", beside(columns, "")))).len(), 1, "{columns}");
    }
    let xenon = covered(&format!("{atoms}{}", beside("XE   XE  A 300", "")));
    assert_eq!(covering_radii(&xenon).len(), 1);
}

/// CHARMM's polarisable force field gives each heavy atom a particle, and oxygens lone pairs.
#[test]
fn drude_particles_are_counted_and_left_out() {
    let count = |element: bool, name: fn(&str) -> String| {
        let drude = |line: &str| {
            let (own, symbol) = (line[12..16].trim(), if element { &line[76..78] } else { "  " });
            format!("{line}\n{}", with(&with(line, 13, &format!("{:<4}", name(own))), 77, symbol))
        };
        let read = read(ubiquitin(1..=76, drude));
        assert_same(&read.structure, &self::read(ubiquitin(1..=76, same)).structure);
        assert_eq!(note(&read, NoteKind::Elements), "");
        note(&read, NoteKind::PseudoAtoms).split(' ').next().unwrap().parse().unwrap_or(0)
    };
    let all = ubiquitin(1..=76, same).lines().filter(|line| &line[12..16] != " OXT").count();
    for element in [false, true] {
        assert!(count(element, |atom| format!("D{atom}")) >= all, "{element}");
    }
    assert_eq!(count(false, |_| "DN".to_owned()), 0, "deuterium of X-PLOR");
}

#[test]
fn coarse_grained_chains_are_traces() {
    let named = |line: &str| line[12..16].trim().to_owned();
    let is_backbone = |name: &str| ["N", "CA", "C", "O", "CB"].contains(&name);
    let all = ubiquitin(1..=76, same);
    let text = |change: &dyn Fn(&str) -> String| all.lines().map(change).collect::<String>();
    // Rosetta's centroids, beads of Martini, alpha carbons beside some whole residues.
    let centroids = text(&|line| match named(line).as_str() {
        "CB" => format!("{line}\n{}\n", with(&with(line, 13, " CEN"), 77, " X")),
        name if is_backbone(name) => format!("{line}\n"),
        _ => String::new(),
    });
    let beads = text(&|line| match named(line).as_str() {
        "CA" => format!("{}\n", with(&line[..66], 13, " BB ")),
        "CB" => format!("{}\n", with(&line[..66], 13, " SC1")),
        _ => String::new(),
    });
    let mostly = text(&|line| {
        let is_whole = line[22..26].trim().parse::<i32>().unwrap() > 60;
        if is_whole || named(line) == "CA" { format!("{line}\n") } else { String::new() }
    });
    for text in [&centroids, &beads, &mostly] {
        let read = read(text);
        assert_eq!((read.structure.n_residues(), read.structure.traces.as_slice()), (76, &[0][..]));
        assert!(note(&read, NoteKind::Traces).contains("undefined there"));
        assert!(!note(&read, NoteKind::Traces).contains("other chains"));
    }
    assert_eq!(note(&read(&centroids), NoteKind::PseudoAtoms).split(' ').next(), Some("70"));
    // Virtual sites on the beads, as in a Gō model, are no second model.
    let is_bead = |line: &&str| &line[12..16] == " BB ";
    let sites: String = beads.lines().filter(is_bead).map(|line| with(line, 13, " CA ") + "\n").collect();
    let go = read(format!("{beads}{sites}"));
    assert_same(&go.structure, &read(&beads).structure);
    assert_eq!((go.models, note(&go, NoteKind::PseudoAtoms).split(' ').next()), (1, Some("76")));
    let whole = ubiquitin(1..=76, |line| with(&moved(line, 60.0), 22, "B"));
    let beside = read(mostly + &whole);
    assert_eq!(beside.structure.traces, [0]);
    assert!(note(&beside, NoteKind::Traces).contains("areas of other chains are larger"));
}

#[test]
fn coordinates_that_stand_for_unknown_ones_are_no_atoms() {
    let unknown = |coordinates: &'static str, names: &'static [&str]| {
        move |line: &str| {
            let is_one = &line[22..26] == "  30" && (names.is_empty() || names.contains(&line[12..16].trim()));
            if is_one { with(line, 31, coordinates) } else { same(line) }
        }
    };
    let without = |names: &[&str]| -> String {
        let is_kept =
            |line: &&str| &line[22..26] != "  30" || !names.is_empty() && !names.contains(&line[12..16].trim());
        ubiquitin(1..=76, same).lines().filter(is_kept).map(|line| format!("{line}\n")).collect()
    };
    const SIDE_CHAIN: &[&str] = &["CG1", "CG2", "CD1"];
    for coordinates in ["   0.000   0.000   0.000", "9999.0009999.0009999.000", " 999.999 999.999 999.999"] {
        for names in [SIDE_CHAIN, &[]] {
            let unknown = read(ubiquitin(1..=76, unknown(coordinates, names)));
            assert_same(&unknown.structure, &read(without(names)).structure);
            assert_eq!(
                note(&unknown, NoteKind::Placeholders).contains("1 residue that has no others"),
                names.is_empty()
            );
        }
    }
    // Also where the side chain comes before C and O, as in force fields. A single atom at the origin may be there.
    let in_order = |text: String| {
        let (side_chain, rest): (Vec<_>, Vec<_>) = text
            .lines()
            .map(str::to_owned)
            .partition(|line| &line[22..26] == "  30" && !["N  ", "CA ", "C  ", "O  "].contains(&&line[13..16]));
        let at = rest.iter().position(|line| &line[12..26] == " C   ILE A  30").unwrap();
        [&rest[..at], &side_chain, &rest[at..]].concat().join("\n")
    };
    let zero = in_order(ubiquitin(1..=76, unknown("   0.000   0.000   0.000", &["CG1", "CG2"])));
    let zero = read(zero);
    assert!(note(&zero, NoteKind::Placeholders).starts_with("2 atoms"), "{:?}", zero.notes);
    let one = read(ubiquitin(1..=76, unknown("   0.000   0.000   0.000", &["CD1"])));
    assert_eq!((one.structure.n_atoms(), note(&one, NoteKind::Placeholders)), (602, ""));
    // No atom is by chance where programs write 9999.
    let one = read(ubiquitin(1..=76, unknown("9999.0009999.0009999.000", &["CD1"])));
    assert!(
        note(&one, NoteKind::Placeholders).starts_with("1 atom") && one.structure.n_atoms() == 601,
        "{:?}",
        one.notes
    );
}

/// Ubiquitin with atoms beside one of its atoms, each with its name and distance along x in Å.
pub fn with_atoms_at(number: &str, atom: &str, added: &[(&str, f64)]) -> String {
    let line = |line: &str| {
        let mut text = same(line);
        if line[22..26].trim() == number && line[12..16].trim() == atom {
            for (name, x) in added {
                let element = name.trim_start_matches(|c: char| c.is_ascii_digit()).chars().next().unwrap();
                text += &format!(
                    "\n{}",
                    with(&with(&moved(line, *x), 13, &format!(" {name:<3}")), 78, &element.to_string())
                );
            }
        }
        text
    };
    ubiquitin(1..=76, line)
}

#[test]
fn a_phosphate_under_the_amino_acids_name_is_known() {
    let charge = |read: &ReadStructure, row: usize| {
        shared_types::RESIDUES[usize::from(read.structure.residue_types[row])].charge
    };
    let atoms = [("P", 1.6), ("O1P", 2.1), ("O2P", 2.2), ("O3P", 2.3)];
    let serine = |text: String| read(text.replace("SER A  20", "SEP A  20")).structure.atoms;
    for (number, atom) in [("20", "OG"), ("7", "OG1"), ("59", "OH")] {
        let text = with_atoms_at(number, atom, &atoms);
        let row = number.parse::<usize>().unwrap() - 1;
        let patched = read(&text);
        assert_eq!(charge(&patched, row), -2.0, "{number}");
        assert!(note(&patched, NoteKind::OtherAtoms).contains("1 residue carries a phosphate"));
        let with_proton = read(with_atoms_at(number, atom, &[&atoms[..], &[("HT", 2.9)]].concat()));
        assert_eq!((charge(&with_proton, row), with_proton.structure.n_atoms()), (-1.0, 606));
        if number == "20" {
            assert_eq!(patched.structure.atoms, serine(text));
        }
    }
    let mirrored = read(with_atoms_at("20", "OG", &atoms).replace("SER A  20", "DSN A  20"));
    assert_eq!(charge(&mirrored, 19), -2.0);
    // CHARMM's names in phosphotyrosine.
    let atoms = [("P1", 1.6), ("O2", 2.1), ("O3", 2.2), ("O4", 2.3)];
    let with_proton = [&atoms[..], &[("H2", 2.9)]].concat();
    for (atoms, expected) in [(&atoms[..], -2.0), (&with_proton, -1.0)] {
        let patched = read(with_atoms_at("59", "OH", atoms));
        assert_eq!((charge(&patched, 58), patched.structure.n_atoms()), (expected, 606));
    }
    // Others are counted.
    let other = read(with_atoms_at("20", "OG", &[("OX9", 1.4)]));
    assert!(note(&other, NoteKind::OtherAtoms).contains("1 amino acid has other heavy atoms than the name"));
}

#[test]
fn caps_within_a_residue_are_caps() {
    let begin = with_atoms_at("1", "N", &[("CAY", -2.4), ("CY", -1.3), ("OY", -1.6)]);
    let end = with_atoms_at("76", "C", &[("NT", 1.3), ("CAT", 2.4)]);
    let plain = read(ubiquitin(1..=76, same)).structure;
    for (text, count) in [(begin, 3), (end, 2)] {
        let (alone, with_caps) = (read(&text).structure, covered(&text));
        assert_same(&alone, &plain);
        assert_eq!(covering_radii(&with_caps).len(), count);
    }
}

#[test]
fn numbers_of_five_columns_without_a_chain_id() {
    let wide = |line: &str| {
        let number = line[22..26].trim().parse::<i32>().unwrap() + 9980;
        with(line, 22, &format!("{number:5}"))
    };
    let s = read(ubiquitin(1..=76, wide)).structure;
    assert_eq!((s.chains.as_slice(), s.n_residues()), (&[" ".to_owned()][..], 76));
    assert_eq!((s.residue_numbers[0], s.residue_numbers[19], s.residue_numbers[75]), (9981, 10_000, 10_056));
}

#[test]
fn hexadecimal_numbers_may_begin_beyond_9999() {
    let hexadecimal =
        |line: &str| with(line, 23, &format!("{:4x}", line[22..26].trim().parse::<i32>().unwrap() + 10_000));
    let s = read(ubiquitin(1..=76, hexadecimal)).structure;
    assert_eq!((s.residue_numbers[0], s.residue_numbers[9], s.residue_numbers[75]), (10_001, 10_010, 10_076));
    // Decimal numbers that could be these.
    assert_eq!(read(ubiquitin(1..=9, |line| renumbered(line, 2710, 0.0))).structure.residue_numbers[8], 2719);
}

#[test]
fn pqr_is_known_by_its_columns_or_its_name() {
    let words = |line: &str| {
        let [x, y, z] = [30..38, 38..46, 46..54].map(|at| line[at].trim().to_owned());
        format!("ATOM 1 {} {} A {} {x} {y} {z} 0.2500 1.7000", line[12..16].trim(), &line[17..20], line[22..26].trim())
    };
    assert_eq!(read(ubiquitin(1..=76, words)).structure.n_residues(), 76);
    // Charges and radii in the columns of occupancy and B factor, none of them negative.
    let text = ubiquitin(1..=76, |line| format!("{}  0.25  1.70", &line[..54]));
    let b = |name: &str| {
        let read = read_bytes(text.as_bytes(), name, &ReadOptions::default()).unwrap();
        (read.structure.bfactor[0], note(&read, NoteKind::Repaired).contains("PQR in the columns of PDB"))
    };
    assert_eq!(b("x.pdb"), (1.7, false));
    let (b, is_noted) = b("x.PQR");
    assert!(b.is_nan() && is_noted);
}

/// mmCIF of lines of PDB, each with its mmCIF chain, entity and number in the sequence.
pub fn as_cif(head: &str, rows: impl Iterator<Item = (String, [&'static str; 3])>) -> String {
    let items = [
        "group_PDB",
        "type_symbol",
        "label_atom_id",
        "label_comp_id",
        "label_asym_id",
        "label_entity_id",
        "label_seq_id",
        "Cartn_x",
        "Cartn_y",
        "Cartn_z",
        "auth_seq_id",
        "auth_asym_id",
    ];
    let row = |(line, [asym, entity, seq]): (String, [&str; 3])| {
        let at = |range: std::ops::Range<usize>| line[range].trim().to_owned();
        let number = at(22..26);
        let seq = if seq == "*" { &number } else { seq };
        let chain = if &line[21..22] == " " { "." } else { &line[21..22] };
        [
            &at(0..6),
            &at(76..78),
            &at(12..16),
            &at(17..20),
            asym,
            entity,
            seq,
            &at(30..38),
            &at(38..46),
            &at(46..54),
            &number,
            chain,
        ]
        .join(" ")
            + "\n"
    };
    let tags: String = items.iter().map(|item| format!("_atom_site.{item}\n")).collect();
    format!("data_x\n{head}loop_\n{tags}{}#\n", rows.map(row).collect::<String>())
}

#[test]
fn bonded_residues_of_an_entity_that_is_no_polymer_are_a_chain() {
    let entities = "loop_\n_entity.id\n_entity.type\nA polymer\nMET! non-polymer\n#\n";
    let lines = |text: String, own: [&'static str; 3]| -> Vec<(String, [&'static str; 3])> {
        text.lines().map(|line| (line.to_owned(), own)).collect()
    };
    let first = lines(open_ended(same), ["Axp", "A", "."]);
    let second = open_ended(|line| renumbered(line, 200, 60.0));
    let all = [first.clone(), lines(second.clone(), ["Ax1", "MET!", "."])].concat();
    assert_eq!(chains(as_cif(entities, all.into_iter())), named(&[("A", 76), ("A~2", 76)]));
    // One residue alone is a ligand.
    let one: String = second.lines().take(8).map(|line| format!("{line}\n")).collect();
    let all = [first, lines(one, ["Ax1", "MET!", "."])].concat();
    assert_eq!(chains(as_cif(entities, all.into_iter())), named(&[("A", 76)]));
}

#[test]
fn an_amino_acid_without_a_number_beside_a_polymer_is_a_ligand() {
    let polymer = ubiquitin(1..=76, same);
    let free = ubiquitin(24..=24, |line| renumbered(line, 300, 60.0));
    let rows = |free: String| {
        let rows = polymer.lines().map(|line| (line.to_owned(), ["A", "1", "*"]));
        let free: Vec<_> = free.lines().map(|line| (line.to_owned(), ["B", "2", "."])).collect();
        as_cif("", rows.chain(free).collect::<Vec<_>>().into_iter())
    };
    let read = read(rows(free));
    assert_eq!(read.structure.n_residues(), 76);
    assert!(!note(&read, NoteKind::Unlinked).is_empty());
}

#[test]
fn chains_without_an_id_are_asked_for_in_mmcif_as_in_pdb() {
    let blank = |x: f64| ubiquitin(1..=76, move |line| with(&moved(line, x), 22, " "));
    let text = blank(0.0) + &blank(60.0);
    let cif = as_cif("", text.lines().map(|line| (line.to_owned(), [".", "1", "*"])));
    for text in [text, cif] {
        for (id, count) in [(" ", 152), ("~2", 76), ("", 152)] {
            let options = ReadOptions { chains: Some(vec![id.to_owned()]), ..ReadOptions::default() };
            let s = read_bytes(text.as_bytes(), "x", &options).unwrap().structure;
            assert_eq!(s.n_residues(), count, "{id:?}");
        }
        assert_eq!(chains(text), named(&[(" ", 76), ("~2", 76)]));
    }
}

#[test]
fn coordinates_that_are_no_whole_molecules_are_reported() {
    for (factor, unit) in [(0.1, "in nm"), (1.0 / 0.529_177, "in Bohr radii"), (10.0, "converted to Å once more")] {
        let scaled = |line: &str| {
            let of = |at: usize| factor * line[at..at + 8].trim().parse::<f64>().unwrap();
            with(line, 31, &format!("{:8.3}{:8.3}{:8.3}", of(30), of(38), of(46)))
        };
        let found = read(ubiquitin(1..=76, scaled));
        assert!(note(&found, NoteKind::Scale).contains(unit), "{:?}", found.notes);
    }
    let cell = "CRYST1   60.000   60.000   60.000  90.00  90.00  90.00 P 1           1\n";
    let is_cut = |line: &str| line[30..38].trim().parse::<f64>().unwrap() < 25.0;
    let cut = ubiquitin(1..=76, |line| if is_cut(line) { moved(line, 60.0) } else { same(line) });
    assert!(note(&read(format!("{cell}{cut}")), NoteKind::Scale).contains("cross"));
    assert_eq!(note(&read(format!("{cell}{}", ubiquitin(1..=76, same))), NoteKind::Scale), "");
}

/// For readers of every atom, such as interactions.
#[test]
fn every_atom_has_the_element_of_an_ion() {
    for (columns, expected) in
        [("FE   HEM A 300", "FE"), (" CL   CL A 300", "CL"), ("SOD  SOD A 300", "NA"), (" NA  HEM A 300", "")]
    {
        let text = ubiquitin(1..=1, same) + &beside(columns, "");
        let mut found = Vec::new();
        each_atom(text.as_bytes(), "x", &mut |atom| {
            let class = Classes::of(atom.residue, atom.is_hetatm).atom(atom.name, atom.element);
            found.push(match class {
                AtomClass::Heavy { symbol, .. } => String::from_utf8_lossy(&symbol).trim_end_matches('\0').to_owned(),
                other => format!("{other:?}"),
            });
            Ok(())
        })
        .unwrap();
        assert_eq!(found.last().map(String::as_str), Some(expected), "{columns}");
    }
}

/// OpenBabel writes peptides as a tree of bonds that turn: the atoms of a residue lie in several branches.
#[test]
fn residues_of_a_torsion_tree_are_whole() {
    let plain = ubiquitin(1..=9, same);
    let (mut first, mut rest): (Vec<&str>, Vec<&str>) = plain.lines().partition(|line| line[12..16].trim() == "CA");
    first.reverse();
    rest.reverse();
    let damaged = |line: &str| with(line, 31, "   x.000");
    let tree = |last: &str| {
        format!(
            "REMARK\nROOT\n{}\nENDROOT\nBRANCH   1   2\n{}\n{last}\nENDBRANCH   1   2\n",
            first.join("\n"),
            rest[1..].join("\n")
        )
    };
    let (whole, expected) = (read(tree(rest[0])).structure, read(&plain).structure);
    assert_eq!((whole.n_residues(), whole.n_atoms()), (9, expected.n_atoms()));
    assert_eq!((&whole.residue_numbers, &whole.chains), (&expected.residue_numbers, &expected.chains));
    let error = read_bytes(tree(&damaged(rest[0])).as_bytes(), "x", &ReadOptions::default()).unwrap_err();
    let line = tree("").lines().position(|line| line.is_empty()).unwrap() + 1;
    assert_eq!(error.line, Some(line), "{error}");
}
