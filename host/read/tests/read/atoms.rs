//! Atoms of residues: what their names say, whatever the element column has; names of force fields; incomplete chains.
//!
//! Most texts are made from ubiquitin (1UBQ), of which programs for simulations and viewers would write them so.

use crate::read_common::*;
use prism_read::{NoteKind, ReadOptions, StructureInput, read_bytes};
use shared_types::RESIDUES;

/// The first 30 residues: 233 heavy atoms.
fn thirty() -> String {
    ubiquitin_atoms(233)
}

/// A PDB text with other elements, given the atoms' names.
fn with_elements(text: &str, element: impl Fn(&str) -> String) -> String {
    text.lines().map(|line| format!("{}{:>2}\n", &line[..76], element(line[12..16].trim()))).collect()
}

/// An atom's line with another name, element and height.
fn beside(line: &str, name: &str, element: &str) -> String {
    format!("{} {name:<3}{}  99.000{}{element:>2}\n", &line[..12], &line[16..46], &line[54..76])
}

/// A text with another line after each nitrogen of the backbone.
fn with_each(text: &str, line: impl Fn(&str) -> String) -> String {
    let after = |own: &str| if own[12..16].trim() == "N" { line(own) } else { String::new() };
    text.lines().map(|own| format!("{own}\n{}", after(own))).collect()
}

fn bits(s: &StructureInput) -> Vec<[u32; 4]> {
    s.atoms.iter().map(|a| [a.x, a.y, a.z, a.radius].map(f32::to_bits)).collect()
}

/// The number that a note of a kind begins with or contains.
fn counted(text: &str, kind: NoteKind) -> Option<usize> {
    let read = read(text);
    let note = read.notes.iter().find(|note| note.kind == kind)?;
    note.text.split_whitespace().find_map(|word| word.parse().ok())
}

/// Asserts that a text has the atoms, radii and backbones of another.
#[track_caller]
fn assert_atoms(text: &str, reference: &str) {
    let (one, other) = (structure(text), structure(reference));
    assert_eq!(bits(&one), bits(&other));
    assert_eq!((&one.roles, &one.ca_indices), (&other.roles, &other.ca_indices));
    assert_eq!((&one.residue_numbers, &one.chains), (&other.residue_numbers, &other.chains));
}

fn charge(s: &StructureInput, row: usize) -> f32 {
    RESIDUES[usize::from(s.residue_types[row])].charge
}

#[test]
fn the_element_column_does_not_beat_a_known_name() {
    let plain = thirty();
    let calcium = |name: &str| if name == "CA" { "CA".to_owned() } else { name[..1].to_owned() };
    let guessed = |name: &str| match name.get(..2) {
        Some(two @ ("CA" | "CD" | "CE" | "NE" | "NZ" | "OG" | "SD")) => two.to_owned(),
        _ => name[..1].to_owned(),
    };
    let atoms = |names: &[&str]| {
        plain.lines().filter(|line| names.iter().any(|name| line[12..16].trim().starts_with(name))).count()
    };
    assert_eq!(atoms(&["CA"]), 30);
    for (text, wrong) in [
        (with_elements(&plain, calcium), 30),
        (with_elements(&plain, guessed), atoms(&["CA", "CD", "CE", "NE", "NZ", "OG", "SD"])),
        (with_elements(&plain, |_| "X".to_owned()), 233),
        (with_elements(&plain, |_| "HG".to_owned()), 233),
    ] {
        assert_atoms(&text, &plain);
        assert_eq!(counted(&text, NoteKind::Elements), Some(wrong));
    }
    for text in [with_elements(&plain, |_| String::new()), plain.clone()] {
        assert_atoms(&text, &plain);
        assert_eq!(counted(&text, NoteKind::Elements), None);
    }
}

#[test]
fn a_modified_residues_element_is_the_dictionarys() {
    let text = thirty().replace("MET A   1", "MSE A   1").replace(" SD  MSE", "SE   MSE");
    let selenium = |element: &'static str| {
        with_elements(&text, move |name| if name == "SE" { element } else { &name[..1] }.to_owned())
    };
    let radius = |text: &str| structure(text).atoms[6].radius;
    assert_eq!([radius(&selenium("SE")), radius(&selenium("S")), radius(&selenium(""))], [1.9; 3]);
    assert_eq!(counted(&selenium("S"), NoteKind::Elements), Some(1));
}

#[test]
fn hydrogens_under_any_symbol_are_left_out() {
    let plain = ubiquitin_atoms(602);
    for (name, element) in [
        ("HN", "HN"),
        ("HO", "HO"),
        ("HG1", "HG"),
        ("HE2", "HE"),
        ("D", "D"),
        ("DA", ""),
        ("T", "T"),
        ("H", "C"),
        ("2HB", "X"),
    ] {
        assert_atoms(&with_each(&plain, |line| beside(line, name, element)), &plain);
    }
    // In a residue that is no amino acid the symbol counts, if there is such an element.
    let cover = ReadOptions { cover: true, ..ReadOptions::default() };
    let ligand = |element: &str| {
        let line = beside(plain.lines().next().unwrap(), "HN1", element)
            .replace("ATOM  ", "HETATM")
            .replace("MET A   1", "LIG A 900");
        read_bytes((plain.clone() + &line).as_bytes(), "x", &cover).unwrap().structure.n_atoms()
    };
    assert_eq!([ligand("HN"), ligand("T"), ligand("H"), ligand("HG")], [602, 602, 602, 603]);
}

#[test]
fn points_that_are_no_atoms_are_left_out() {
    let plain = thirty();
    for (name, element) in
        [("LP1", "LP"), ("LP1", ""), ("QB", "Q"), ("QG1", ""), ("MB", "M"), ("MCB", ""), ("EP", "EP")]
    {
        let text = with_each(&plain, |line| beside(line, name, element));
        assert_atoms(&text, &plain);
        assert_eq!(counted(&text, NoteKind::PseudoAtoms), Some(30), "{name}");
    }
}

#[test]
fn dummies_cover_nothing() {
    let plain = thirty();
    let cover = ReadOptions { cover: true, ..ReadOptions::default() };
    for (residue, name, element, covering) in [
        ("DUM", " N  ", " N", 0),
        ("UNX", " UNK", " X", 0),
        ("STP", "APOL", "Ve", 0),
        ("PSD", " PS1", "PS", 0),
        ("MEM", "THKN", " X", 0),
        ("LIG", " LP1", "LP", 0),
        ("UNL", " C1 ", " C", 1),
        // The dictionary has a ligand of this name.
        ("STP", " P1 ", " P", 1),
    ] {
        let line = format!("HETATM    1 {name} {residue} A5000 {}{element}\n", &plain[27..76]);
        let read = read_bytes(format!("{plain}{line}").as_bytes(), "x", &cover).unwrap();
        assert_eq!((read.structure.n_rows(), read.structure.n_atoms()), (30, 233 + covering), "{residue} {name}");
        assert_eq!(read.notes.iter().any(|note| note.kind == NoteKind::PseudoAtoms), covering == 0);
    }
}

#[test]
fn names_in_small_letters_are_those_in_capitals() {
    let (items, rows) = crambin_loop();
    let names: Vec<usize> = (0..items.len()).filter(|&i| items[i].ends_with("_atom_id")).collect();
    let small: Vec<Vec<String>> = rows
        .iter()
        .map(|row| {
            row.iter()
                .enumerate()
                .map(|(i, v)| if names.contains(&i) { v.to_lowercase() } else { (*v).to_owned() })
                .collect()
        })
        .collect();
    let small: Vec<Vec<&str>> = small.iter().map(|row| row.iter().map(String::as_str).collect()).collect();
    assert_atoms(&cif_of(&items, &small), &cif_of(&items, &rows));
    // Without any alpha carbon there is a note.
    let others: Vec<Vec<&str>> = rows.into_iter().filter(|row| !row.contains(&"CA")).collect();
    let read = read(cif_of(&items, &others));
    assert!(read.notes.iter().any(|note| note.kind == NoteKind::NoAlphaCarbon));
}

#[test]
fn oxygens_at_a_chains_end_have_many_names() {
    // Ubiquitin ends with O and OXT.
    let plain = ubiquitin_atoms(602);
    let last = |text: &str, name: &str, with: &str| {
        text.replace(&format!(" {name:<3} GLY A  76"), &format!(" {with:<3} GLY A  76"))
    };
    for [o, oxt] in [["OT1", "OT2"], ["O1", "O2"], ["OC1", "OC2"], ["O", "OT"], ["O", "O2"]] {
        let text = last(&last(&plain, "OXT", oxt), "O", o);
        assert_atoms(&text, &plain);
        let turned: Vec<&str> = text.lines().collect();
        let turned = [&turned[..600], &[turned[601], turned[600]]].concat().join("\n") + "\n";
        let atoms = |text: &str| {
            let mut atoms = bits(&structure(text));
            atoms.sort_unstable();
            atoms
        };
        assert_eq!(atoms(&turned), atoms(&plain), "in the other order");
    }
    // A single oxygen is the carbonyl's, under whatever name.
    let one: String = plain.lines().filter(|line| !line.contains(" OXT ")).map(|line| format!("{line}\n")).collect();
    for name in ["OXT", "OT", "OT2", "O2", "OT1"] {
        assert_atoms(&last(&one, "O", name), &one);
    }
    // An oxygen of a modified side chain is not, nor is one far away.
    let sulfated = last(&one, "O", "O1").replace("GLY A  76", "TYS A  76");
    assert_eq!(
        structure(&sulfated).roles[75],
        structure(one.replace("GLY A  76", "TYS A  76")).roles[75],
        "bonded to C"
    );
    let far = sulfated.replace("  39.992  35.432", "  39.992  45.432");
    let far: String = far
        .lines()
        .map(|line| {
            if line.contains(" O1  TYS") {
                format!("{}{:8.3}{}\n", &line[..46], 99.0, &line[54..])
            } else {
                format!("{line}\n")
            }
        })
        .collect();
    assert_ne!(structure(&far).roles[75], structure(&sulfated).roles[75]);
}

#[test]
fn two_spellings_of_a_name_are_one_residue() {
    let plain = thirty();
    let side = |line: &str| ["CG", "CD", "OE1", "OE2"].contains(&line[12..16].trim());
    let renamed = |second: &str, which: &dyn Fn(&str) -> bool| -> String {
        let name = |line: &str| if which(line) { line.replace("GLU A  16", second) } else { line.to_owned() };
        plain.lines().map(|line| name(line) + "\n").collect()
    };
    for text in [renamed("GLUPA  16", &side), renamed("GLH A  16", &side), renamed("GLH A  16", &|line| !side(line))] {
        assert_atoms(&text, &plain);
        let s = structure(&text);
        assert_eq!((s.n_residues(), charge(&s, 15), s.parent(15)), (30, 0.0, "GLU"));
    }
    // Two residues share a number if they have the same atoms.
    let twice = plain.replace("GLU A  18", "GLU A  16");
    assert_eq!(structure(twice).n_residues(), 30);
    let two: String = plain
        .lines()
        .flat_map(|line| match line.contains("GLU A  16") {
            true => vec![line.to_owned()],
            false => vec![line.replace("GLU A  18", "GLH A  16")],
        })
        .filter(|line| !line.contains("VAL A  17"))
        .map(|line| line + "\n")
        .collect();
    assert_eq!(structure(two).n_residues(), 29, "both have N");
}

#[test]
fn modified_residues_have_their_own_charge() {
    let read = |name: &str, parent: &str| {
        let text = thirty().replace(&format!("{parent} A"), &format!("{name} A"));
        let s = structure(text);
        let row = (0..30).find(|&row| s.resname(row) == name).unwrap();
        let own = RESIDUES[usize::from(s.residue_types[row])];
        assert_eq!(s.parent(row), parent);
        (own.charge, own.hydropathy, own.volume)
    };
    for (name, parent, charge) in [
        ("SEP", "SER", -2.0),
        ("TPO", "THR", -2.0),
        ("S1P", "SER", -1.0),
        ("T1P", "THR", -1.0),
        ("KCX", "LYS", -1.0),
        ("ALY", "LYS", 0.0),
        ("M3L", "LYS", 1.0),
        ("CGU", "GLU", -2.0),
        ("PCA", "GLN", 0.0),
    ] {
        let (own, hydropathy, volume) = read(name, parent);
        assert_eq!(own, charge, "{name}");
        assert!(hydropathy.is_nan() && volume.is_nan(), "{name}");
    }
    let (charge, ..) = read("LLP", "LYS");
    assert!(charge.is_nan(), "a Schiff base");
    // A name of a protonation state changes the charge alone; selenomethionine and D-amino acids have what their parent has.
    assert_eq!(read("LYN", "LYS"), (0.0, -3.9, 168.6));
    assert_eq!(read("AS4", "ASP"), (-1.0, -3.5, 111.1));
    assert_eq!(read("MSE", "MET"), (0.0, 1.9, 162.9));
    assert_eq!(read("DVA", "VAL"), (0.0, 4.2, 140.0));
}

/// Names of amino acids in the topologies of CHARMM (charmm27 of GROMACS, charmm36 and its Drude model), AMBER (ff03 to ff19SB, ff15ipq,
/// constant pH, GLYCAM's with a sugar), GROMOS (43a1 to 54a7), OPLS-AA and AMOEBA, and of Rosetta and Desmond. Names of three letters
/// have others at chain ends (NALA, CALA), and CHARMM has D-forms (DALA).
const FORCE_FIELDS: &str = "\
    ALA:ALAD ARG:ARGN,ARGP,ARGT,ARN,AR0 ASN:ASN1,NLN ASP:ASPP,ASPH,ASPM,ASPT,ASH,AS4 \
    CYS:CYS1,CYS2,CYSH,CYSM,CYSD,CYSF,CYSG,CYSL,CYSP,CYX,CYM,CYN,CYP,CYZ,CYD GLN: GLU:GLUP,GLUH,GLUT,GLH,GL4 GLY:GLYN,GLYM \
    HIS:HSPT,HISP,HISA,HISB,HISD,HISE,HISH,HIS1,HIS2,HSD,HSE,HSP,HID,HIE,HIP,HIH,HDE ILE:ILEU LEU: \
    LYS:LYSH,LYSN,LYSP,LYST,LYSM,LSN,LYN,LYD,LYP MET:METN PHE: PRO:PROH,HYP,OLP SER:OLS THR:OLT TRP:TRPH TYR:TYRM,TYM,TYD VAL:";

/// The names of a residue, with those that follow from names of three letters.
fn names_of(residue: &str, names: &str) -> Vec<String> {
    let listed = names.split(',').filter(|name| !name.is_empty());
    let ends = |name: &str| ["N", "C"].map(|end| format!("{end}{name}"));
    let mut all: Vec<String> = listed.clone().map(str::to_owned).collect();
    all.extend(listed.filter(|name| name.len() == 3).chain([residue]).flat_map(ends));
    let d_forms = [residue, "HSD", "HSE", "HSP"].into_iter().take(if residue == "HIS" { 4 } else { 1 });
    all.extend(d_forms.filter(|name| *name != "GLY").map(|name| format!("D{name}")));
    all
}

#[test]
fn every_name_of_a_force_field_is_its_residue() {
    // The ends of one protein, which lack methionine, and two residues of another.
    let (first, second) = (include_str!("../../../../data/6m0j_rbd.pdb"), ubiquitin_atoms(17));
    let second = second.lines().map(|line| format!("{}E{}", &line[..21], &line[22..]));
    let of_an_end =
        |line: &&str| line.starts_with("ATOM") && !(365..505).contains(&line[22..26].trim().parse().unwrap());
    let first = first.lines().filter(of_an_end).map(str::to_owned);
    let text: String = first.chain(second).map(|line| line + "\n").collect();
    let chain = "E";
    let plain = structure(&text);
    let mut all = text.clone();
    for (residue, names) in FORCE_FIELDS.split_whitespace().map(|entry| entry.split_once(':').unwrap()) {
        let names = names_of(residue, names);
        for name in &names {
            let written = format!("{name:<4}{chain}");
            let renamed = text.replace(&format!("{residue} {chain}"), &written);
            assert!(renamed != text, "{residue}");
            let s = structure(&renamed);
            assert_eq!(bits(&s), bits(&plain), "{name}");
            assert_eq!((&s.roles, s.n_residues()), (&plain.roles, plain.n_residues()), "{name}");
            let row = (0..s.n_residues()).find(|&row| s.resname(row) == *name).unwrap();
            assert_eq!((s.parent(row), plain.resname(row)), (residue, residue), "{name}");
        }
        // One structure with another name of each residue.
        all = all.replace(&format!("{residue} {chain}"), &format!("{:<4}{chain}", format!("C{residue}")));
    }
    // Names of atoms in CHARMM and GROMACS.
    let charmm = all.replace(" CD1 CILE", " CD  CILE");
    assert!(charmm != all);
    let renamed = structure(&charmm);
    assert_eq!(bits(&renamed), bits(&plain));
    assert_eq!((&renamed.roles, &renamed.traces), (&plain.roles, &plain.traces), "so `ss` is the same");
}

#[test]
fn lipids_on_a_residue_are_atoms_of_it() {
    // What CHARMM names so: an oxygen O1 of the lipid is none of the chain's end.
    let plain = thirty();
    for (name, residue) in [("GLYM", "GLY A  10"), ("LYSM", "LYS A  11"), ("CYSP", "SER A  20")] {
        let own = plain.replace(residue, &format!("{name}{}", &residue[4..]));
        let line = own.lines().find(|line| line.contains(name)).unwrap();
        let lipid = ["C1", "O1", "C2", "C16"].map(|atom| beside(line, atom, "")).concat();
        let at = own.find(line).unwrap() + line.len() + 1;
        let s = structure(format!("{}{lipid}{}", &own[..at], &own[at..]));
        assert_eq!((s.n_residues(), s.n_atoms()), (30, 237), "{name}");
        let row = (0..30).find(|&row| s.resname(row) == name).unwrap();
        assert!(s.chains == ["A"] && charge(&s, row).is_nan());
    }
}

#[test]
fn an_asparagine_with_a_sugar_is_no_norleucine() {
    let glycam = thirty().replace("ASN A  25", "NLN A  25");
    let of = |text: &str| structure(text).parent(24).to_owned();
    assert_eq!((of(&glycam), of(&thirty())), ("ASN".to_owned(), "ASN".to_owned()));
    // The dictionary's residue of this name is in HETATM records.
    let line = |line: &str| if line.contains("NLN") { line.replacen("ATOM  ", "HETATM", 1) } else { line.to_owned() };
    let deposit: String = glycam.lines().map(|own| line(own) + "\n").collect();
    assert_eq!(of(&deposit), "LEU");
}

/// GLYCAM's names of sugars; some are names of amino acids in the Chemical Component Dictionary.
#[test]
fn sugars_of_glycam_are_no_protein() {
    let plain = thirty();
    let cover = ReadOptions { cover: true, ..ReadOptions::default() };
    // N-acetylglucosamine: 14 heavy atoms.
    let names = "C1 H1 O5 C5 H5 C6 H62 H61 O6 H6O C4 H4 O4 C3 H3 O3 H3O C2 H2 N2 H2N C2N O2N CME H1M H2M H3M";
    for residue in ["0YB", "4YB", "0AA", "0AF", "VMB", "0SA", "UYB", "ROH"] {
        for record in ["ATOM  ", "HETATM"] {
            let atoms = |element: &dyn Fn(&str) -> String| -> String {
                let line = |(at, name): (usize, &str)| {
                    let x = 40.0 + 1.4 * at as f64;
                    let element = element(name);
                    format!(
                        "{record}{:5}  {name:<3} {residue} A{:4}    {x:8.3}   0.000   0.000  1.00  0.00          {element:>2}\n",
                        1, 900
                    )
                };
                names.split(' ').enumerate().map(line).collect()
            };
            let read =
                |sugar: String| read_bytes(format!("{plain}TER\n{sugar}").as_bytes(), "x", &cover).unwrap().structure;
            let own = read(atoms(&|name| name[..1].to_owned()));
            assert_eq!((own.n_rows(), own.n_atoms()), (30, 233 + 14), "{residue}");
            assert_eq!(bits(&read(atoms(&|_| String::new()))), bits(&own), "{residue}");
            assert_eq!(bits(&read(atoms(&|_| "X".to_owned()))), bits(&own), "{residue}");
        }
    }
}
