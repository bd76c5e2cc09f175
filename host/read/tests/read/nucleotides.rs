//! Nucleotides with rows: names of files and force fields, modified ones, ends, traces.

use crate::read_common::*;
use prism_read::{NoteKind, Polymers, ReadOptions, ReadStructure, StructureInput, read_bytes};
use shared_types::NO_CA;

const DNA: &[u8] = include_bytes!("../../../../tests/data/1bna.pdb.gz");

fn of(polymers: Polymers) -> ReadOptions {
    ReadOptions { polymers, ..ReadOptions::default() }
}

fn read_all(text: &[u8]) -> ReadStructure {
    let read = read_bytes(text, "x", &of(Polymers::All)).unwrap();
    read.structure.validate().unwrap();
    read
}

/// `name parent polymer atoms` of a row.
fn row(s: &StructureInput, i: usize) -> String {
    let atoms = s.residue_atoms[i + 1] - s.residue_atoms[i];
    format!("{} {} {} {atoms}", s.resname(i), s.parent(i), s.polymer(i))
}

/// The records of the first nucleotides of the dodecamer's first strand, with other names.
fn some(count: i32, change: impl Fn(&str) -> String) -> String {
    let text = gunzip(DNA);
    let text = String::from_utf8(text).unwrap();
    let is_taken = |line: &&str| {
        let number = || line[22..26].trim().parse::<i32>().unwrap();
        line.starts_with("ATOM") && &line[21..22] == "A" && number() <= count
    };
    text.lines().filter(is_taken).map(|line| change(line) + "\n").collect()
}

fn named(line: &str, name: &str) -> String {
    // Names of four letters end in column 21.
    format!("{}{name:>3}{}", &line[..17], &line[17 + name.len().max(3)..])
}

#[test]
fn dna_has_rows_with_the_sugars_first_carbon() {
    let s = read_all(DNA).structure;
    assert_eq!((s.n_rows(), s.n_atoms(), s.chains.len()), (24, 486, 2));
    let rows: Vec<String> = [0, 1, 11, 12].map(|i| row(&s, i)).into();
    assert_eq!(rows, ["DC DC dna 16", "DG DG dna 22", "DG DG dna 22", "DC DC dna 16"]);
    // C1' of C1: 19.231 30.482 23.944, and its B factor, as in the file.
    let c1 = s.atoms[s.ca_indices[0] as usize];
    let at = [c1.x, c1.y, c1.z].into_iter().zip(s.center).map(|(own, center)| f64::from(own) + center);
    let mut at = at;
    assert!(at.by_ref().zip([19.231, 30.482, 23.944]).all(|(found, known)| (found - known).abs() < 1e-5));
    assert_eq!(s.bfactor[0], 36.58);
}

#[test]
fn polymers_choose_rows() {
    let protein = UBIQUITIN_PDB.lines().filter(|line| line.starts_with("ATOM")).map(|line| format!("{line}\n"));
    let dna = some(12, |line| format!("{}B{}", &line[..21], &line[22..]));
    let text = protein.collect::<String>() + &dna;
    let read = |polymers| read_bytes(text.as_bytes(), "x", &of(polymers)).unwrap();
    let [protein, nucleic, all] = [Polymers::Protein, Polymers::Nucleic, Polymers::All].map(read);
    assert_eq!([&protein, &nucleic, &all].map(|read| read.structure.n_rows()), [76, 12, 88]);
    let texts = |read: &ReadStructure| -> Vec<String> {
        let is_of = |kind| matches!(kind, NoteKind::NucleicAcid | NoteKind::Nucleotides);
        read.notes.iter().filter(|note| is_of(note.kind)).map(|note| note.text.clone()).collect()
    };
    assert_eq!(texts(&protein), ["12 nucleotides have no rows"]);
    assert_eq!(texts(&nucleic), ["76 amino acids have no rows"]);
    assert_eq!(texts(&all), ["12 nucleotides have rows beside amino acids (--polymers protein leaves them out)"]);
    // Proteins are read as without nucleotides.
    let alone = read_bytes(UBIQUITIN_PDB.as_bytes(), "x", &of(Polymers::All)).unwrap().structure;
    assert_eq!(
        (&all.structure.roles[..76], &all.structure.residue_types[..76]),
        (&alone.roles[..], &alone.residue_types[..])
    );
    let message = |polymers, text: &str| read_bytes(text.as_bytes(), "x", &of(polymers)).unwrap_err().to_string();
    assert_eq!(message(Polymers::Nucleic, UBIQUITIN_PDB), "x: no nucleic acid: protein alone, which has no rows");
    assert_eq!(message(Polymers::Protein, &dna), "x: no protein: nucleic acid alone, which has no rows");
    let water = "HETATM    1  O   HOH A   1      11.000  12.000  13.000  1.00 10.00           O\n";
    assert_eq!(message(Polymers::All, water), "x: no protein residues or nucleotides");
}

#[test]
fn covering_atoms_are_the_same_with_and_without_rows() {
    // A nucleotide by itself is a ligand, in its place among them.
    let lone = some(2, |line| format!("HETATM{}C{}", &line[6..21], &line[22..]))
        .lines()
        .filter(|line| line[22..26].trim() == "2")
        .map(|line| format!("{line}\n"))
        .collect::<String>();
    let ion = |number: i32| {
        format!("HETATM 9999 ZN    ZN C {number:3}      11.000  12.{number:03}  13.000  1.00 10.00          ZN\n")
    };
    let text = format!("{UBIQUITIN_PDB}{}{lone}{}", ion(101), ion(102));
    let text: String = text.lines().filter(|line| !line.starts_with("END")).map(|line| format!("{line}\n")).collect();
    let bits = |polymers| {
        let read = read_bytes(text.as_bytes(), "x", &ReadOptions { cover: true, ..of(polymers) }).unwrap().structure;
        assert_eq!((read.n_rows(), read.n_residues()), (76, 77));
        read.atoms.iter().map(|atom| [atom.x, atom.y, atom.z, atom.radius].map(f32::to_bits)).collect::<Vec<_>>()
    };
    assert_eq!(bits(Polymers::All), bits(Polymers::Protein));
}

#[test]
fn other_names_are_the_same_nucleotides() {
    let plain = read_all(some(4, str::to_owned).as_bytes()).structure;
    let bits = |s: &StructureInput| -> Vec<_> {
        s.atoms.iter().map(|atom| [atom.x, atom.y, atom.z, atom.radius].map(f32::to_bits)).collect()
    };
    let old = |line: &str| {
        let atom = line[12..16].replace('\'', "*").replace("OP1", "O1P").replace("OP2", "O2P");
        format!("{}{atom}{}", &line[..12], &line[16..])
    };
    // A strand begins with a cytosine and a guanine: names before 2007, CHARMM's, AMBER's, those of old AMBER.
    for [cytosine, guanine] in [["C", "G"], ["CYT", "GUA"], ["DC5", "DG3"], ["DCYT", "DGUA"]] {
        let rename = |line: &str| named(line, if line[17..20].trim() == "DC" { cytosine } else { guanine });
        let s = read_all(some(4, |line| rename(&old(line))).as_bytes()).structure;
        assert_eq!(bits(&s), bits(&plain), "{cytosine}");
        let rows: Vec<String> = [0, 1].map(|i| row(&s, i)).into();
        assert_eq!(rows, [format!("{cytosine} DC dna 16"), format!("{guanine} DG dna 22")], "no O2'");
    }
    // With an O2' they are of RNA; the same chain has both.
    let text = some(2, |line| {
        let line = named(line, if line[17..20].trim() == "DC" { "C" } else { "DG" });
        let is_sugar = line[12..16].trim() == "C2'" && line[17..20].trim() == "C";
        let oxygen = is_sugar.then(|| format!("\n{} O2'{}17.900{}O  ", &line[..12], &line[16..31], &line[37..77]));
        line.clone() + &oxygen.unwrap_or_default()
    });
    let s = read_all(text.as_bytes()).structure;
    assert_eq!([0, 1].map(|i| row(&s, i)), ["C C rna 17", "DG DG dna 22"]);
}

#[test]
fn modified_nucleotides_need_a_place_in_a_chain() {
    let modified = |line: &str| match line[22..26].trim() {
        "2" => format!("HETATM{}", &named(line, "8OG")[6..]),
        _ => line.to_owned(),
    };
    let s = read_all(some(4, modified).as_bytes()).structure;
    assert_eq!((s.n_rows(), row(&s, 1)), (4, "8OG DG dna 22".to_owned()));
    // By itself it is a ligand.
    let alone: String =
        some(4, modified).lines().filter(|line| line.starts_with("HETATM")).map(|line| format!("{line}\n")).collect();
    let message = read_bytes(alone.as_bytes(), "x", &of(Polymers::All)).unwrap_err().to_string();
    assert_eq!(message, "x: no protein residues or nucleotides");
}

#[test]
fn phosphorus_atoms_alone_are_a_trace() {
    let kept = |names: &[&str]| -> StructureInput {
        let text: String = some(12, str::to_owned)
            .lines()
            .filter(|line| names.contains(&line[12..16].trim()))
            .map(|line| format!("{line}\n"))
            .collect();
        read_all(text.as_bytes()).structure
    };
    let s = kept(&["P"]);
    assert_eq!((s.n_rows(), s.traces.len(), s.incomplete_residues()), (11, 1, 11));
    assert!(s.ca_indices.iter().all(|&index| index == NO_CA));
    let sugars = ["P", "OP1", "OP2", "O5'", "C5'", "C4'", "O4'", "C3'", "O3'", "C2'", "C1'"];
    assert_eq!((kept(&sugars).traces.len(), kept(&sugars).incomplete_residues()), (1, 12));
    let whole = read_all(DNA).structure;
    assert_eq!((whole.traces.len(), whole.incomplete_residues()), (0, 0));
}

#[test]
fn strands_of_one_chain_id_are_told_apart() {
    let text = String::from_utf8(gunzip(DNA)).unwrap();
    let of_strands = text.lines().filter(|line| line.starts_with("ATOM"));
    // Without chain ids and TER; the second strand's numbers begin anew.
    let text: String = of_strands
        .map(|line| {
            let number: i32 = line[22..26].trim().parse().unwrap();
            format!("{} {:4}{}\n", &line[..21], if number > 12 { number - 12 } else { number }, &line[26..])
        })
        .collect();
    let read = read_all(text.as_bytes());
    assert_eq!(read.structure.chains, [" ", "~2"]);
    assert!(read.notes.iter().any(|note| note.kind == NoteKind::Molecules));
}
