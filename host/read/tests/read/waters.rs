//! Water, where it is asked for.

use prism_read::{Each, ReadOptions, ReadStructure, Residues, read_bytes, read_path};

fn options() -> ReadOptions {
    ReadOptions { atoms: true, water: true, ..ReadOptions::default() }
}

/// The names, numbers and positions of waters.
fn waters(read: &ReadStructure) -> Vec<(String, Option<i32>, [f64; 3])> {
    let waters = &read.structure.hetero.as_ref().unwrap().waters;
    waters.iter().map(|water| (water.name.to_string(), water.number, water.label.position)).collect()
}

#[test]
fn formats_have_the_same_waters() {
    let of = |name: &str| waters(&read_path(format!("../tests/data/{name}"), name, &options()).unwrap());
    let ubiquitin = of("1ubq.pdb");
    assert_eq!(ubiquitin.len(), 58, "as many as the entry has");
    assert_eq!(ubiquitin[0], ("HOH".to_owned(), Some(77), [45.747, 30.081, 19.708]));
    assert_eq!(of("1crn.cif"), []);
}

/// A line of an atom that is no polymer's.
fn line(name: &str, alternate: char, residue: &str, number: usize, x: f64, element: &str) -> String {
    format!(
        "HETATM    9 {name:<4}{alternate}{residue:<4}A{number:4}    {x:8.3}   0.000   0.000  0.50 20.00          {element:>2}\n"
    )
}

const GLYCINE: &str = "ATOM      1  CA  GLY A   1       0.000   3.000   0.000  1.00 10.00           C\n";

#[test]
fn oxygens_of_any_water_are_kept_and_nothing_else() {
    let text = [
        GLYCINE.to_owned(),
        line(" O", 'A', "HOH", 101, 5.0, "O"),
        line(" O", 'B', "HOH", 101, 5.5, "O"),
        line(" H1", ' ', "HOH", 101, 5.9, "H"),
        line(" OH2", ' ', "TIP3", 102, 10.0, "O"),
        line(" H1", ' ', "TIP3", 102, 10.5, "H"),
        line(" OW", ' ', "SOL", 103, 15.0, "O"),
        line(" MW", ' ', "SOL", 103, 15.1, "M"),
        line(" C1", ' ', "LIG", 104, 20.0, "C"),
        line(" O", ' ', "DOD", 105, 25.0, "O"),
        "END\n".to_owned(),
    ]
    .concat();
    for residues in [Residues::All, Residues::Standard] {
        let read = read_bytes(text.as_bytes(), "x", &ReadOptions { residues, ..options() }).unwrap();
        let found: Vec<_> =
            waters(&read).into_iter().map(|(name, number, at)| (name, number.unwrap(), at[0])).collect();
        // Names of the 20 amino acids have three letters, and so have those that are read beside them.
        let tip3 = if residues == Residues::All { "TIP3" } else { "TIP" };
        let expected = [("HOH", 101, 5.0), (tip3, 102, 10.0), ("SOL", 103, 15.0), ("DOD", 105, 25.0)];
        assert_eq!(found, expected.map(|(name, number, x)| (name.to_owned(), number, x)), "{residues:?}");
        let hetero = read.structure.hetero.as_ref().unwrap();
        assert_eq!(hetero.residues.iter().map(|residue| &*residue.name).collect::<Vec<_>>(), ["LIG"]);
        assert_eq!(hetero.atoms.len(), 1);
        let notes = |read: &ReadStructure| read.notes.clone();
        let dry = read_bytes(text.as_bytes(), "x", &ReadOptions { water: false, residues, ..options() }).unwrap();
        assert_eq!((notes(&dry), waters(&dry)), (notes(&read), vec![]), "{residues:?}");
    }
}

#[test]
fn parts_and_copies_take_their_water_along() {
    let other = GLYCINE.replace("GLY A   1       0.000", "GLY B   1      40.000");
    let water_of_b = line(" O", ' ', "HOH", 102, 45.0, "O").replace("HOH A", "HOH B");
    let atoms = [GLYCINE.to_owned(), other, line(" O", ' ', "HOH", 101, 5.0, "O"), water_of_b].concat();
    let each = ReadOptions { each: Each::Chain, ..options() };
    let parts = prism_read::read_structures(atoms.as_bytes(), "x", &each);
    let numbers: Vec<Vec<Option<i32>>> = parts
        .into_iter()
        .map(|part| waters(&part.unwrap()).into_iter().map(|(_, number, _)| number).collect())
        .collect();
    assert_eq!(numbers, [[Some(101)], [Some(102)]]);

    let mut remarks = String::from("REMARK 350 BIOMOLECULE: 1\nREMARK 350 APPLY THE FOLLOWING TO CHAINS: A\n");
    for (operator, shift) in [(1, 0.0), (2, 100.0)] {
        for row in 1..=3 {
            let [x, y, z] = [1, 2, 3].map(|column| f64::from(u8::from(column == row)));
            let shift = if row == 1 { shift } else { 0.0 };
            remarks += &format!("REMARK 350   BIOMT{row}   {operator} {x:9.6} {y:9.6} {z:9.6} {shift:14.5}\n");
        }
    }
    let assembly = ReadOptions { assembly: Some("1".to_owned()), ..options() };
    let read = read_bytes((remarks + &atoms).as_bytes(), "x", &assembly).unwrap();
    let xs: Vec<f64> = waters(&read).into_iter().map(|(_, _, at)| at[0]).collect();
    assert_eq!(xs, [5.0, 105.0]);
}
