//! Molecules of one chain id, or of none, as programs for simulations write them.
//!
//! The two molecules are ubiquitin and its copy 22 Å away along z.

use crate::read_common::*;
use prism_read::{Models, NoteKind, ReadOptions, read_bytes};

/// Ubiquitin's residues.
const N: usize = 76;

/// A line of ubiquitin with another position.
fn placed(line: &str, chain: char, number: i32, segment: &str, shift: f64) -> String {
    let z: f64 = line[46..54].trim().parse().unwrap();
    format!(
        "{}{chain}{number:4}{}{:8.3}{}{segment:<4}{}\n",
        &line[..21],
        &line[26..46],
        z + shift,
        &line[54..72],
        &line[76..]
    )
}

/// How a text names its two molecules.
struct Named {
    chains: [char; 2],
    /// Added to the numbers of the second molecule.
    offset: i32,
    segments: [&'static str; 2],
    /// What follows the first molecule.
    end: &'static str,
    shift: f64,
}

const PLAIN: Named = Named { chains: ['A', 'A'], offset: 0, segments: ["", ""], end: "", shift: 22.0 };

fn two(named: &Named) -> String {
    let atoms = ubiquitin_atoms(602);
    let molecule = |which: usize| {
        let (offset, shift) = if which == 0 { (0, 0.0) } else { (named.offset, named.shift) };
        let line = |line: &str| {
            let number: i32 = line[22..26].trim().parse().unwrap();
            placed(line, named.chains[which], number + offset, named.segments[which], shift)
        };
        atoms.lines().map(line).collect::<String>()
    };
    format!("{}{}{}END\n", molecule(0), named.end, molecule(1))
}

/// Names and sizes of the chains.
fn chains(text: &str) -> Vec<(String, usize)> {
    let s = read(text).structure;
    s.rows_of_chains().into_iter().map(|(chain, rows)| (s.chains[chain as usize].clone(), rows)).collect()
}

fn both(first: &str, second: &str) -> Vec<(String, usize)> {
    [first, second].map(|name| (name.to_owned(), N)).into()
}

#[test]
fn molecules_are_told_apart_by_whatever_the_file_has() {
    // psfgen: a segment each, numbers that restart.
    let segments = Named { segments: ["P1", "P2"], end: "TER\n", ..PLAIN };
    assert_eq!(chains(&two(&segments)), both("P1", "P2"));
    assert_eq!(chains(&two(&Named { segments: ["P1", "P2"], offset: 100, ..PLAIN })), both("P1", "P2"));
    // HADDOCK: no chain id, but a segment.
    assert_eq!(chains(&two(&Named { chains: [' ', ' '], segments: ["A", "B"], ..PLAIN })), both("A", "B"));
    // AMBER: no chain id, numbers go on, TER between molecules.
    let amber = Named { chains: [' ', ' '], offset: 76, end: "TER\n", ..PLAIN };
    assert_eq!(chains(&two(&amber)), both(" ", "~2"));
    assert_eq!(chains(&two(&Named { end: "TER     603      GLY    76\n", ..amber })), both(" ", "~2"));
    // The same without TER.
    assert_eq!(chains(&two(&Named { end: "", ..amber })), both(" ", "~2"));
    // GROMACS: numbers restart.
    assert_eq!(chains(&two(&PLAIN)), both("A", "A~2"));
    assert_eq!(chains(&two(&Named { chains: [' ', ' '], ..PLAIN })), both(" ", "~2"));
    // PDB2PQR without chains: numbers fall, and repeat none.
    assert_eq!(chains(&two(&Named { chains: [' ', ' '], offset: -100, ..PLAIN })), both(" ", "~2"));
    assert_eq!(chains(&two(&Named { offset: -100, ..PLAIN })), both("A", "A~2"));
    // TER alone, with a gap in the numbers.
    assert_eq!(chains(&two(&Named { offset: 200, end: "TER\n", ..PLAIN })), both("A", "A~2"));
    // With letters nothing is to be told apart.
    assert_eq!(
        chains(&two(&Named { chains: ['A', 'B'], end: "TER\n", segments: ["P1", "P2"], ..PLAIN })),
        both("A", "B")
    );
}

#[test]
fn a_note_says_what_the_molecules_are_called() {
    let read = read(two(&Named { segments: ["P1", "P2"], end: "TER\n", ..PLAIN }));
    let [note] = &read.notes[..] else { panic!("{:?}", read.notes) };
    assert_eq!(note.kind, NoteKind::Molecules);
    let expected = "2 molecules of chain A are told apart by TER or END, numbers that restart, the atoms of their ends, their segments, and \
                called P1, P2";
    assert_eq!(note.text, expected);
}

#[test]
fn molecules_are_selected_by_their_names_or_their_chain() {
    let selected = |text: &str, ids: &[&str]| {
        let options =
            ReadOptions { chains: Some(ids.iter().map(|id| (*id).to_owned()).collect()), ..ReadOptions::default() };
        let read = read_bytes(text.as_bytes(), "x", &options)?;
        let s = &read.structure;
        let of = |(chain, rows): (u32, usize)| format!("{} {rows} {}", s.chains[chain as usize], s.center[2] > 20.0);
        Ok::<_, prism_read::ReadError>(s.rows_of_chains().into_iter().map(of).collect::<Vec<_>>())
    };
    let numbered = two(&PLAIN);
    assert_eq!(selected(&numbered, &["A~2"]).unwrap(), ["A~2 76 true"]);
    assert_eq!(selected(&numbered, &["A"]).unwrap().len(), 2);
    let segments = two(&Named { segments: ["P1", "P2"], end: "TER\n", ..PLAIN });
    assert_eq!(selected(&segments, &["P2"]).unwrap(), ["P2 76 true"]);
    assert_eq!(selected(&segments, &["A"]).unwrap().len(), 2);
    let blank = two(&Named { chains: [' ', ' '], ..PLAIN });
    assert_eq!(selected(&blank, &["~2"]).unwrap(), ["~2 76 true"]);
    let message = selected(&numbered, &["A~3"]).unwrap_err().to_string();
    assert!(message.contains("(A~3); the file has A,A~2"), "{message}");
}

/// A ligand has the chain id of the molecules alone, which does not say to which of them it belongs.
#[test]
fn ligands_of_a_chain_cover_each_of_its_molecules() {
    let ligand = "HETATM 9001  C1  LIG A 501      10.000  10.000  10.000  1.00 10.00           C\n";
    let text = two(&PLAIN).replace("END\n", ligand);
    let other = ligand.replace("LIG A", "LIG B");
    for (ids, rows, atoms) in [(&["A"][..], 2 * N, 1204 + 1), (&["A~2"], N, 602 + 1), (&["A~2", "B"], N, 602 + 2)] {
        let chains = Some(ids.iter().map(|id| (*id).to_owned()).collect());
        let options = ReadOptions { chains, cover: true, ..ReadOptions::default() };
        let s = read_bytes(format!("{text}{other}").as_bytes(), "x", &options).unwrap().structure;
        assert_eq!((s.n_rows(), s.n_atoms()), (rows, atoms), "{ids:?}");
    }
}

/// Every sequence of a deposit has one chain id, and gaps.
#[test]
fn one_molecule_stays_one() {
    let whole = ubiquitin_atoms(602);
    let lines: Vec<&str> = whole.split_inclusive('\n').collect();
    let number = |line: &str| line[22..26].trim().parse::<i32>().unwrap();
    let without = |gap: std::ops::Range<i32>| {
        lines.iter().filter(|line| !gap.contains(&number(line))).copied().collect::<String>()
    };
    let one = |rows: usize| vec![("A".to_owned(), rows)];
    assert_eq!(chains(&without(20..30)), one(66));
    // TER between bonded residues divides nothing.
    let cut = lines.iter().position(|line| number(line) == 40).unwrap();
    assert_eq!(chains(&(lines[..cut].concat() + "TER\n" + &lines[cut..].concat())), one(N));
    // After a gap numbers fall, as behind an inserted protein, and repeat none.
    let fallen: String = lines[cut + 20..].iter().map(|line| placed(line, 'A', number(line) - 900, "", 0.0)).collect();
    assert_eq!(chains(&(lines[..cut].concat() + &fallen)).len(), 1);
    // SEQRES lists more residues than there are: TER does not end the molecule.
    let listed = "SEQRES   1 A   76  MET GLN ILE PHE VAL LYS THR LEU THR GLY LYS THR ILE\n";
    let gap = without(20..30);
    let at = gap.find("ATOM    232").unwrap_or_else(|| gap.match_indices("ATOM").nth(150).unwrap().0);
    assert_eq!(chains(&format!("{listed}{}TER\n{}", &gap[..at], &gap[at..])).len(), 1);
    // A second conformation in place of the first is no other molecule.
    let near = two(&Named { shift: 0.5, ..PLAIN });
    let options = ReadOptions { models: Models::All, ..ReadOptions::default() };
    let frames = prism_read::read_structures(near.as_bytes(), "x", &options);
    assert!(frames.iter().all(|frame| frame.as_ref().unwrap().structure.chains == ["A"]));
}

#[test]
fn a_chain_across_the_border_of_its_cell_is_one() {
    // The second half has moved by the cell's height.
    let atoms = ubiquitin_atoms(602);
    let moved = |height: f64| -> String {
        let line = |line: &str| {
            let number = line[22..26].trim().parse().unwrap();
            placed(line, ' ', number, "", if number > 38 { height } else { 0.0 })
        };
        atoms.lines().map(line).collect()
    };
    let cell = "CRYST1   90.000   90.000   90.000  90.00  90.00  90.00 P 1           1\n";
    assert_eq!(chains(&format!("{cell}{}", moved(90.0))), [(" ".to_owned(), N)]);
    assert_eq!(chains(&format!("{cell}{}", moved(45.0))), [(" ".to_owned(), 38), ("~2".to_owned(), 38)]);
}

/// Ligands of a chain come after its TER, with its chain id.
#[test]
fn hetero_residues_after_ter_are_ligands_or_a_peptide() {
    let atoms = ubiquitin_atoms(602);
    let ligand = |last: i32| -> String {
        let own = atoms.lines().filter(|line| line[22..26].trim().parse::<i32>().unwrap() <= last);
        own.map(|line| {
            placed(line, 'A', line[22..26].trim().parse::<i32>().unwrap() + 100, "", 60.0)
                .replacen("ATOM  ", "HETATM", 1)
        })
        .collect()
    };
    let chains = |last: i32| chains(&format!("{atoms}TER\n{}END\n", ligand(last)));
    assert_eq!(chains(3), [("A".to_owned(), 76)]);
    // More residues that are bonded are a peptide, which is another molecule.
    assert_eq!(chains(5), [("A".to_owned(), 76), ("A~2".to_owned(), 5)]);
}

#[test]
fn models_of_an_assembly_are_joined() {
    let atoms = |shift: f64| -> String {
        let line = |line: &str| placed(line, 'A', line[22..26].trim().parse().unwrap(), "", shift);
        ubiquitin_atoms(602).lines().map(line).collect()
    };
    let models = |shift: f64| format!("MODEL        1\n{}ENDMDL\nMODEL        2\n{}ENDMDL\n", atoms(0.0), atoms(shift));
    let assembly = models(22.0);
    let options = ReadOptions { models: Models::Join, ..ReadOptions::default() };
    let joined = read_bytes(assembly.as_bytes(), "x", &options).unwrap().structure;
    joined.validate().unwrap();
    assert_eq!((&joined.chains[..], joined.n_residues()), (&["A".to_owned(), "A-2".to_owned()][..], 2 * N));
    // The first alone is read with a warning; alternatives are not joined, and need no warning.
    let first = read(&assembly);
    assert_eq!(first.notes[0].kind, NoteKind::Copies);
    assert_eq!(first.warnings.len(), 1);
    let alternatives = models(0.2);
    assert_eq!(read(&alternatives).notes[0].kind, NoteKind::Models);
    let refused = read_bytes(alternatives.as_bytes(), "x", &options).unwrap_err().to_string();
    assert!(refused.contains("model 2 lies on a model before it"), "{refused}");
}

#[test]
fn the_model_that_has_protein_is_named() {
    let water = "HETATM    1  O   HOH A   1      10.000  10.000  10.000  1.00 10.00           O\n";
    let text = format!("MODEL        1\n{water}ENDMDL\nMODEL        7\n{}ENDMDL\n", ubiquitin_atoms(602));
    let message = "no protein residues in the model that was read; model 7 has some (--model 7, or --model all)";
    assert!(refusal(&text).ends_with(message), "{}", refusal(&text));
    assert!(refusal(water).ends_with("no protein residues"));
}

/// A free amino acid that a viewer wrote with a number in a sequence.
#[test]
fn entities_that_are_no_polymers_are_ligands() {
    let (items, rows) = crambin_loop();
    let at = |item: &str| items.iter().position(|&own| own == item).unwrap();
    let (group, asym, entity, label, auth) =
        (at("group_PDB"), at("label_asym_id"), at("label_entity_id"), at("label_seq_id"), at("auth_seq_id"));
    let ligand = |group_of: &'static str| {
        let own = rows.iter().filter(|row| row[auth] == "10").map(|row| {
            let mut row = row.clone();
            (row[group], row[asym], row[entity], row[label], row[auth]) = (group_of, "B", "2", "301", "301");
            let x = at("Cartn_x");
            row[x] = "60.000";
            row
        });
        rows.iter().cloned().chain(own).collect::<Vec<_>>()
    };
    let residues = |text: &str| read(text).structure.n_residues();
    let entities = "loop_\n_entity.id\n_entity.type\n1 polymer\n2 non-polymer\n#\n";
    for group_of in ["HETATM", "ATOM"] {
        let atoms = cif_of(&items, &ligand(group_of));
        assert_eq!(residues(&atoms.replacen("loop_", &format!("{entities}loop_"), 1)), 46, "{group_of}");
        assert_eq!(residues(&format!("{atoms}#\n{entities}")), 46, "the table of entities comes after the atoms");
        assert_eq!(residues(&format!("{atoms}#\n{}", entities.replace("non-polymer", "polymer"))), 47);
    }
    // Without the table: a polymer has more than one residue.
    assert_eq!(residues(&cif_of(&items, &ligand("HETATM"))), 46);
    assert_eq!(residues(&cif_of(&items, &ligand("ATOM"))), 47);
    let found = read(bcif_of(&items, &ligand("HETATM")));
    assert_eq!((found.structure.n_residues(), found.notes[0].kind), (46, NoteKind::Unlinked));
}

/// What `editconf -mead` of GROMACS writes: charge and radius in the columns of occupancy and B factor.
#[test]
fn radii_are_no_b_factors() {
    let atoms = ubiquitin_atoms(602);
    let line = |(index, line): (usize, &str)| {
        let charge = if index % 2 == 0 { -0.42 } else { 0.12 };
        format!("{}{charge:6.2}{:6.2}{}\n", &line[..54], 1.82, &line[66..])
    };
    let pqr: String = atoms.lines().enumerate().map(line).collect();
    let (plain, found) = (structure(&atoms), read(&pqr));
    assert!(found.structure.b_column.iter().all(|b| b.is_nan()) && !found.structure.predicted);
    assert_eq!(found.structure.atoms, plain.atoms);
    assert!(found.notes[0].text.contains("PQR in the columns of PDB"), "{:?}", found.notes);
}

/// Residues 9961 to 10036, as four programs write them.
#[test]
fn residue_numbers_beyond_9999() {
    let text = |large: &dyn Fn(i32) -> String| -> String {
        let line = |line: &str| {
            let number = line[22..26].trim().parse::<i32>().unwrap() + 9960;
            let shown = if number < 10_000 { format!("{number:4}") } else { large(number) };
            format!("{}{shown}{}\n", &line[..22], &line[26..])
        };
        ubiquitin_atoms(602).lines().map(line).collect()
    };
    let chimera = |number: i32| format!("{}{:03}", if number < 11_000 { 'A' } else { 'B' }, number % 1000);
    let hybrid = |number: i32| {
        let digit = |value: i32| char::from_digit(value as u32, 36).unwrap().to_ascii_uppercase();
        let rest = number - 10_000;
        format!("A{}{}{}", digit(rest / 1296), digit(rest / 36 % 36), digit(rest % 36))
    };
    let all: [&dyn Fn(i32) -> String; 4] =
        [&|number| format!("{:4X}", number - 10_000 + 0xa000), &|number| format!("{number:4x}"), &chimera, &hybrid];
    for large in all {
        let found = read(text(large)).structure;
        assert_eq!(found.residue_numbers, (9961..=10_036).collect::<Vec<_>>(), "{}", large(10_016));
    }
    let stars = refusal(text(&|_| "****".to_owned()));
    assert!(stars.contains("residue number (columns 23-26) \"****\" consists of stars"), "{stars}");
}

/// What the file is, in place of one text for all.
#[test]
fn other_formats_are_named() {
    for (bytes, what) in [
        (&b">sp|P0CG48\nMQIFVKTLTG\n"[..], "a FASTA file"),
        (b"%PDF-1.7\n%\xe2\xe3", "a PDF document"),
        (b"{\"a\": 1}", "a JSON file"),
        (b"\n [ {\"a\": 1} ]", "a JSON file"),
        (b"<html><body>Not found</body></html>", "a web page"),
        (b"<?xml version=\"1.0\"?><x/>", "an XML file"),
        (b"{\\rtf1\\ansi ATOM}", "an RTF document"),
        (b"\x89PNG\r\n\x1a\n", "an image"),
        (b"\x93NUMPY\x01\0", "a NumPy array"),
        (b"PAR1\x15\0", "a table"),
        (b"\0\0\x07\xcb\0\0", "--trajectory"),
        (b"\x54\0\0\0CORD", "--trajectory"),
        (b"@<TRIPOS>MOLECULE\n", "small molecules"),
        (b"x\n  RDKit\n\n  3  2  0  0  0  0  0  0  0  0999 V2000\n", "small molecules"),
        (b"\n\n\n  0  0  0     0  0            999 V3000\n", "small molecules"),
        (b"3\nwater\nO 0.0 0.0 0.0\nH 1.0 0.0 0.0\n", "small molecules"),
        (b"Water\n    3\n    1SOL     OW    1   0.126   1.624   1.679\n", "GRO has no chains"),
        (b"PSF CMAP\n", "a topology"),
        (b"%VERSION  VERSION_STAMP = V0001.000", "a topology"),
        (b"version https://git-lfs.github.com/spec/v1\n", "Git LFS"),
        (b"CLUSTAL W (1.83)\n", "sequences"),
    ] {
        let message = refusal(bytes);
        assert!(message.contains(what), "{message}");
        assert!(refusal(gzip(bytes)).contains(what));
    }
}

#[test]
fn texts_of_other_encodings_are_read() {
    let atoms = ubiquitin_atoms(602);
    let wide = |order: fn(u16) -> [u8; 2]| -> Vec<u8> {
        let units = std::iter::once(0xfeff).chain(atoms.encode_utf16());
        units.flat_map(order).collect()
    };
    for bytes in [wide(u16::to_le_bytes), wide(u16::to_be_bytes)] {
        assert_same(&structure(bytes), &structure(&atoms));
    }
}
