//! Atoms and residues that share a place.

use super::Pdb;
use prism_host::interactions::{Kind, Options, interactions};
use prism_host::read::Alternates;

#[test]
fn chains_and_alternates_are_chosen() {
    let text = Pdb::default().atoms("ALA", 1, &[("CB", [0.0; 3])]).atoms("ALA", 5, &[("CB", [4.0, 0.0, 0.0])]).text;
    let of = |text: &str, chains: Option<&[String]>, alternates: Alternates| {
        let options = Options { kinds: &[Kind::Hydrophobic], chains, alternates, dictionary: None };
        interactions(text.as_bytes(), "made", &options)
    };
    let error = of(&text, Some(&["B".to_owned()]), Alternates::Highest).unwrap_err().to_string();
    assert!(error.contains("--chains"), "{error}");
    // The second atom at two positions: the one with the higher occupancy is far.
    let last = text.lines().last().unwrap();
    let near = last.replacen(" ALA A   5", "AALA A   5", 1).replacen("1.00 10.00", "0.40 10.00", 1);
    let far = last
        .replacen(" ALA A   5", "BALA A   5", 1)
        .replacen("1.00 10.00", "0.60 10.00", 1)
        .replacen("   4.000", "  14.000", 1);
    let both = format!("{}\n{near}\n{far}\nEND\n", text.lines().next().unwrap());
    assert!(of(&both, None, Alternates::Highest).unwrap().found.is_empty());
    assert_eq!(of(&both, None, Alternates::First).unwrap().found.len(), 1);
    assert_eq!(of(&both, None, Alternates::Named('A')).unwrap().found.len(), 1);
    assert!(of(&both, None, Alternates::Highest).unwrap().notes[0].contains("--altloc"));
}

/// A residue whose atoms but one are those of proline or of serine.
#[test]
fn one_of_several_residues_in_a_place_is_used() {
    let line = |serial: u32, name: &str, letter: char, residue: &str, x: f64, occupancy: f64| {
        format!(
            "ATOM  {serial:5}  {name:<3}{letter}{residue} A  22    {x:8.3}   0.000   0.000{occupancy:6.2} 10.00           {}\n",
            &name[..1]
        )
    };
    let text = |proline: f64| {
        [
            line(1, "N", ' ', "PRO", 0.0, 1.0),
            line(2, "CA", 'A', "PRO", 1.46, proline),
            line(3, "C", 'A', "PRO", 2.98, proline),
            line(4, "CA", 'B', "SER", 1.47, 0.4),
            line(5, "C", 'B', "SER", 2.99, 0.4),
            line(6, "OG", 'B', "SER", 9.0, 0.4),
        ]
        .concat()
    };
    let used = |proline: f64, alternates: Alternates| {
        let options = Options { kinds: &[Kind::Covalent], chains: None, alternates, dictionary: None };
        let all = interactions(text(proline).as_bytes(), "made", &options).unwrap();
        let [residue] = &all.residues[..] else { panic!("{:?}", all.residues) };
        assert!(all.notes.iter().any(|note| note.contains("the place of another")), "{:?}", all.notes);
        let names: Vec<_> = all.atoms.iter().map(|atom| &*atom.name).collect();
        (residue.name.to_string(), names.join(" "))
    };
    let (proline, serine) = (("PRO".to_owned(), "N CA C".to_owned()), ("SER".to_owned(), "CA C OG N".to_owned()));
    assert_eq!(used(0.6, Alternates::Highest), proline);
    assert_eq!(used(0.3, Alternates::Highest), serine);
    assert_eq!(used(0.3, Alternates::First), proline);
    assert_eq!(used(0.6, Alternates::Named('B')), serine);
    assert_eq!(used(0.6, Alternates::Named('C')), proline);
}

#[test]
fn atoms_of_residues_that_all_but_coincide_have_no_bond() {
    let ends = |apart: f64| {
        let one = Pdb::default().atoms("SER", 1, &[("CB", [-1.4, 0.0, 0.0]), ("OG", [0.0; 3])]);
        one.atoms("LYS", 9, &[("CE", [apart + 1.4, 0.0, 0.0]), ("NZ", [apart, 0.0, 0.0])]).lines(Kind::Covalent)
    };
    assert_eq!(ends(1.4), ["OG NZ 1.40"]);
    assert!(ends(1.05).is_empty() && ends(0.8).is_empty());
}

#[test]
fn residues_that_lie_on_each_other_clash() {
    let names = ["CB", "CG", "CD", "CE"];
    let lysine = |pdb: Pdb, number: i32, at: f64| {
        let atoms: Vec<_> =
            names.iter().enumerate().map(|(k, name)| (*name, [at + 1.5 * k as f64, 0.0, 0.0])).collect();
        pdb.atoms("LYS", number, &atoms)
    };
    let both = lysine(lysine(Pdb::default(), 1, 0.0), 9, 0.2);
    assert!(both.lines(Kind::Covalent).is_empty(), "{:?}", both.lines(Kind::Covalent));
    // Each atom with those of the other one that are next to it, and some with the next but one.
    let clashes = both.lines(Kind::Clash);
    assert!(clashes.len() >= 10, "{clashes:?}");
}
