//! Atomic radii compared with another program's table.

use shared_types::RESIDUES;
use shared_types::radii::protor_radius;
use shared_types::residue::kind_of;

#[test]
fn every_line_of_the_table() {
    let table = include_str!("../../../tests/data/protor_radii.csv");
    let mut lines = 0;
    for line in table.lines().skip(1) {
        let [residue, atom, radius] = line.split(',').collect::<Vec<_>>().try_into().expect("three fields");
        let kind = kind_of(residue.as_bytes()).expect("a standard residue");
        assert_eq!(protor_radius(kind, atom.as_bytes()), radius.parse::<f32>().unwrap(), "{line}");
        lines += 1;
    }
    assert_eq!(lines, 187);
}

#[test]
fn unknown_atoms_take_their_elements_radius() {
    for kind in 0..RESIDUES.len() as u8 {
        for (name, radius) in
            [("OT1", 1.46), ("1CX", 1.88), ("NX", 1.64), ("SX", 1.77), ("FE", 1.7), ("", 1.7), ("12", 1.7)]
        {
            assert_eq!(protor_radius(kind, name.as_bytes()), radius, "{name}");
        }
    }
    let isoleucine = kind_of(b"ILE").unwrap();
    assert_eq!(protor_radius(isoleucine, b"CD"), 1.88);
}
