//! Residues of PDB files that list the atoms of an earlier one are read as all others are.

use prism_read::{Alternates, ReadOptions, ReadStructure, Residues, read_bytes};

const RBD: &str = include_str!("../../../../data/6m0j_rbd.pdb");
const UBIQUITIN: &str = include_str!("../../../tests/data/1ubq.pdb");

/// What is read from a text, or that it is refused. (A longer line has another message.)
fn outcome(read: Result<ReadStructure, prism_read::ReadError>) -> Result<String, String> {
    let bits = |values: &[f32]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
    let read = read.map_err(|_| "refused".to_owned())?;
    let s = &read.structure;
    let atoms: Vec<_> = s.atoms.iter().map(|atom| bits(&[atom.x, atom.y, atom.z, atom.radius])).collect();
    let residues = (&s.residue_atoms, &s.residue_types, &s.residue_names, &s.residue_numbers, &s.insertion_codes);
    let inputs = (&s.ca_indices, &s.chain_ids, &s.roles, bits(&s.bfactor), bits(&s.b_column), s.predicted);
    Ok(format!("{:?} {:?} {atoms:?} {residues:?} {inputs:?} {:?}", s.chains, s.center, read.notes))
}

/// The same lines with a blank more at their ends, which are read record by record.
fn longer(text: &str) -> String {
    text.lines().map(|line| format!("{line} \n")).collect()
}

fn check(text: &str, what: &str) {
    for residues in [Residues::All, Residues::Standard] {
        for alternates in [Alternates::Highest, Alternates::First] {
            for chains in [None, Some(vec!["A".to_owned()])] {
                let options = ReadOptions { residues, alternates, chains, ..ReadOptions::default() };
                let read = |text: &str| outcome(read_bytes(text.as_bytes(), "x", &options));
                assert_eq!(read(text), read(&longer(text)), "{what}");
            }
        }
    }
}

#[test]
fn they_are_read_as_others() {
    for (text, name) in [(RBD, "6m0j"), (UBIQUITIN, "1ubq"), (RBD, "6m0j, with what the thread knows now")] {
        check(text, name);
    }
}

/// A change of a line, and its name.
type Change<'a> = (&'a str, &'a dyn Fn(&str) -> String);

/// Wherever a residue differs from the one before of its name, the rest of it is read record by record.
#[test]
fn a_changed_line_changes_what_it_should() {
    // Twenty residues.
    let lines: Vec<&str> = UBIQUITIN.lines().filter(|line| line.starts_with("ATOM")).take(160).collect();
    let changes: [Change<'_>; 13] = [
        ("left out", &|_| String::new()),
        ("twice", &|line| format!("{line}\n{line}\n")),
        ("an alternate location", &|line| {
            format!("{}A{}\n{}B{}\n", &line[..16], &line[17..], &line[..16], &line[17..])
        }),
        ("a hydrogen", &|line| format!("{line}\n{} H9 {}H  \n", &line[..12], &line[16..77])),
        ("another residue name", &|line| format!("{}GLY{}\n", &line[..17], &line[20..])),
        ("a ligand's atom", &|line| format!("HETATM{}\n", &line[6..])),
        ("an insertion code", &|line| format!("{}A{}\n", &line[..26], &line[27..])),
        ("another B factor", &|line| format!("{} 77.77{}\n", &line[..60], &line[66..])),
        ("no number", &|line| format!("{}{}{}\n", &line[..30], "     nan", &line[38..])),
        ("cut short", &|line| format!("{}\n", &line[..50])),
        ("an alternate location, the number behind a tab", &|line| {
            format!("{}A{}\t{}\n", &line[..16], &line[17..22], &line[23..])
        }),
        ("another chain in between, and an alternate location", &|line| {
            format!("{}B{}\n{}A{}\n", &line[..21], &line[22..], &line[..16], &line[17..])
        }),
        ("water in between", &|line| format!("HETATM{}HOH{}\n{line}\n", &line[6..17], &line[20..])),
    ];
    for (what, change) in changes {
        for changed in (0..lines.len()).step_by(5) {
            let line = |(index, line): (usize, &&str)| {
                if index == changed { change(line) } else { format!("{line}\n") }
            };
            let text: String = lines.iter().enumerate().map(line).collect();
            check(&text, &format!("{what}: line {changed}"));
        }
    }
}

#[test]
fn nucleotides_may_follow_a_protein() {
    let atoms = |n| UBIQUITIN.split_inclusive('\n').filter(|line| line.starts_with("ATOM")).take(n);
    let (protein, some): (String, String) = (atoms(50).collect(), atoms(16).collect());
    let nucleotides = some.replace("MET A", " DA B").replace("GLN A", " DG B");
    check(&format!("{protein}{nucleotides}"), "at the end");
    check(&format!("{protein}{nucleotides}{nucleotides}{protein}"), "between proteins");
}
