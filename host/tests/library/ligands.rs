//! Ligands compared with other tools (`tests/data/make_ligands_reference.py`), and with small texts.

use prism_host::ligands::{Ligand, LigandKind, Partner, Subject, ligands};
use prism_host::output::{Cells, LigandLines, Relation, StructureRows};
use prism_host::read::{LinkKind, NoteKind, ReadOptions, read_bytes, read_path};
use prism_host::{Backend, Engine, StructureInput};
use shared_types::Atom;
use std::collections::BTreeSet;

fn engine() -> Engine {
    Engine::builder().backend(Backend::Cpu).build().unwrap()
}

fn options() -> ReadOptions {
    ReadOptions { atoms: true, ..ReadOptions::default() }
}

fn read(text: &str) -> StructureInput {
    let structure = read_bytes(text.as_bytes(), "x", &options()).unwrap().structure;
    structure.validate().unwrap();
    structure
}

#[test]
fn neighbours_areas_and_bonds_are_those_of_gemmi_and_freesasa() {
    let engine = engine();
    let mut reference = csv::Reader::from_path("../tests/data/ligands_reference.csv").unwrap();
    let expected: Vec<csv::StringRecord> = reference.records().map(Result::unwrap).collect();
    let mut compared = 0;
    for name in ["1kx2_cut.pdb", "1igy_cut.cif", "1fbl_cut.cif"] {
        let structure = read_path(format!("../tests/data/{name}.gz"), name, &options()).unwrap().structure;
        let features = &engine.run(std::slice::from_ref(&structure)).unwrap()[0];
        let part = StructureRows { structure: &structure, features: features.view() };
        let found = ligands(&engine, &structure, &part.features).unwrap();
        let own: Vec<_> = expected.iter().filter(|line| &line[0] == name).collect();
        assert_eq!(found.len(), own.len(), "{name}");
        let mut cells = Cells::of(LigandLines.columns());
        LigandLines::lines(&part, &found, &mut cells);
        let at = |column: &str| LigandLines.columns().iter().position(|own| own.name == column).unwrap();
        let text = |column: &str, line: usize| match &cells[at(column)] {
            Cells::Text(all) => all[line].to_owned(),
            Cells::Int(all) => all[line].to_string(),
            Cells::Float(all) => all[line].to_string(),
            Cells::Optional(all) => all[line].map_or_else(String::new, |value| value.to_string()),
        };
        for (line, theirs) in own.into_iter().enumerate() {
            let what = format!("{name} {} {}", &theirs[1], &theirs[2]);
            for (column, expected) in ["chain", "resnum", "resname", "atoms"].into_iter().zip(&[1, 2, 3, 4]) {
                assert_eq!(text(column, line), theirs[*expected], "{what}");
            }
            let number = |text: &str| text.parse::<f64>().unwrap();
            // A point of a sphere may fall on the other side by the rounding of coordinates. The largest spheres have 1.9 Å^2 a point.
            for (column, expected) in [("sasa_alone", 5), ("sasa_complex", 6)] {
                let apart = (number(&text(column, line)) - number(&theirs[expected])).abs();
                assert!(apart < 4.0, "{what} {column}: {} is not {}", text(column, line), &theirs[expected]);
                compared += usize::from(apart < 1e-2);
            }
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<BTreeSet<_>>();
            for (column, expected) in [("residues_4", 7), ("residues_5", 8), ("bonds", 9)] {
                assert_eq!(words(&text(column, line)), words(&theirs[expected]), "{what} {column}");
            }
            for (column, expected) in [("occupancy", 10), ("b_factor", 11)] {
                assert!((number(&text(column, line)) - number(&theirs[expected])).abs() < 1e-3, "{what} {column}");
            }
        }
    }
    assert!(2 * expected.len() - compared <= 4, "{compared} of {} areas are equal", 2 * expected.len());
}

#[test]
fn kinds_of_residues_without_rows() {
    let line = |serial: usize, name: &str, residue: &str, number: usize, x: f64, element: &str| {
        format!(
            "HETATM{serial:5} {name:<4} {residue:>3} A{number:4}    {x:8.3}   0.000   0.000  0.50 20.00          {element:>2}\n"
        )
    };
    let ca = "ATOM      1  CA  GLY A   1       0.000   3.000   0.000  1.00 10.00           C\n";
    let text = [
        ca.to_owned(),
        line(2, "ZN", "ZN", 101, 0.0, "ZN"),
        line(3, "CL", "CL", 102, 20.0, "CL"),
        line(4, "C1", "NAG", 103, 30.0, "C"),
        line(5, "C1", "LIG", 104, 40.0, "C"),
        line(6, "O", "HOH", 105, 50.0, "O"),
        line(7, "C", "ACE", 106, 60.0, "C"),
        line(8, "P", "AMP", 107, 70.0, "P"),
        // Two nucleotides that are bonded are DNA.
        line(9, "O3'", "DA", 108, 80.0, "O"),
        line(10, "P", "DT", 109, 81.6, "P"),
        "END\n".to_owned(),
    ]
    .concat();
    let structure = read(&text);
    let engine = engine();
    let features = &engine.run(std::slice::from_ref(&structure)).unwrap()[0];
    let found = ligands(&engine, &structure, &features.view()).unwrap();
    let hetero = structure.hetero.as_ref().unwrap();
    let kinds: Vec<_> =
        found.iter().map(|one| (&*hetero.residues[one.residue().unwrap()].name, one.kind.name())).collect();
    assert_eq!(
        kinds,
        [("ZN", "ion"), ("CL", "ion"), ("NAG", "glycan"), ("LIG", "ligand"), ("ACE", "cap"), ("AMP", "ligand")]
    );
    // Zinc has a radius of 2.39 Å: a sphere of 3.79 Å.
    let sphere = 4.0 * std::f32::consts::PI * 3.79 * 3.79;
    assert!((found[0].alone - sphere).abs() < 1e-2 && (found[0].occupancy, found[0].b_factor) == (0.5, 20.0));
    assert_eq!((found[0].near[0].as_slice(), found[1].near[1].as_slice()), (&[0][..], &[][..]));
    // The alpha carbon alone is a trace, where areas are not those of a protein.
    assert!(found[0].complex.is_nan() && found[1].complex > 0.0);
    assert_eq!(found[0].kind, LigandKind::Ion);
}

#[test]
fn metals_have_no_covalent_bonds_and_unknown_elements_are_noted() {
    let text = "\
ATOM      1  N   CYS A   1      -1.500   0.000   0.000  1.00 10.00           N
ATOM      2  CA  CYS A   1       0.000   0.000   0.000  1.00 10.00           C
ATOM      3  C   CYS A   1       0.500   1.400   0.000  1.00 10.00           C
ATOM      4  O   CYS A   1       0.000   2.400   0.000  1.00 10.00           O
ATOM      5  CB  CYS A   1       0.600  -0.800   1.200  1.00 10.00           C
ATOM      6  SG  CYS A   1       2.400  -0.800   1.200  1.00 10.00           S
HETATM    7 ZN    ZN A 101       4.600  -0.800   1.200  1.00 10.00          ZN
HETATM    8  C1  LIG A 102       2.800  -2.550   1.200  1.00 10.00           C
HETATM    9  QQ  LIG A 102       2.800  -4.050   1.200  1.00 10.00           X
END
";
    let read = read_bytes(text.as_bytes(), "x", &options()).unwrap();
    let notes: Vec<_> = read.notes.iter().filter(|note| note.kind == NoteKind::UnknownElements).collect();
    assert!(notes.len() == 1 && notes[0].text.contains("1 atom"), "{notes:?}");
    let engine = engine();
    let features = &engine.run(std::slice::from_ref(&read.structure)).unwrap()[0];
    let found = ligands(&engine, &read.structure, &features.view()).unwrap();
    let bonds: Vec<Vec<(Partner, usize, &str)>> = found.iter().map(ends_of_bonds).collect();
    assert_eq!(bonds, [vec![], vec![(Partner::Row { row: 0, atom: 5 }, 1, "distance")]]);
    // What the file declares is a bond, of a metal, too.
    let link = |a: &str, b: &str| format!("LINK        {a}               {b}     1555   1555  2.20\n");
    let links = link("ZN    ZN A 101 ", " SG  CYS A   1 ") + &link(" SG  CYS A   1 ", " C1  LIG A 102 ");
    let structure = self::read(&(links + text));
    let found = ligands(&engine, &structure, &features.view()).unwrap();
    let bonds: Vec<Vec<(Partner, usize, &str)>> = found.iter().map(ends_of_bonds).collect();
    let sulfur = Partner::Row { row: 0, atom: 5 };
    assert_eq!(bonds, [vec![(sulfur, 0, "file")], vec![(sulfur, 1, "both")]]);
    let kinds = found.iter().map(|one| one.bonds[0].kind);
    assert!(kinds.eq([LinkKind::Metal, LinkKind::Covalent]));
}

/// The partner and the own atom of each bond, and what says that there is one.
fn ends_of_bonds(ligand: &Ligand) -> Vec<(Partner, usize, &'static str)> {
    ligand.bonds.iter().map(|bond| (bond.partner, bond.own, bond.basis.name())).collect()
}

#[test]
fn units_of_a_glycan_are_bonded_to_each_other() {
    let structure = read_path("../tests/data/1igy_cut.cif.gz", "x", &options()).unwrap().structure;
    let engine = engine();
    let features = &engine.run(std::slice::from_ref(&structure)).unwrap()[0];
    let found = ligands(&engine, &structure, &features.view()).unwrap();
    let hetero = structure.hetero.as_ref().unwrap();
    let name = |atom: usize| hetero.labels[atom].name().to_owned();
    let of_first: Vec<(String, String)> = found[0]
        .bonds
        .iter()
        .map(|bond| match bond.partner {
            Partner::Row { atom, .. } => (name(bond.own), structure.atom_labels[atom].name().to_owned()),
            Partner::Ligand { atom, .. } => (name(bond.own), name(atom)),
        })
        .collect();
    // The glycan begins at ND2 of an asparagine, and NAG is bonded to the next NAG and a fucose.
    assert_eq!(of_first, [("C1", "ND2"), ("O4", "C1"), ("O6", "C1")].map(|(a, b)| (a.to_owned(), b.to_owned())));
    // Each bond of two ligands is one of both.
    let pairs: BTreeSet<(usize, usize)> = found
        .iter()
        .flat_map(|ligand| &ligand.bonds)
        .filter_map(|bond| if let Partner::Ligand { atom, .. } = bond.partner { Some((bond.own, atom)) } else { None })
        .collect();
    assert!(pairs.len() > 10 && pairs.iter().all(|&(a, b)| pairs.contains(&(b, a))), "{pairs:?}");
}

/// Clusters of lysozyme's water, by a plain computation: all pairs, and 500 points of each sphere.
#[test]
fn clusters_of_buried_water_are_linked_and_have_no_free_points() {
    let wet = ReadOptions { water: true, ..options() };
    let structure = read_path("../tests/data/1aki.cif.gz", "x", &wet).unwrap().structure;
    let waters = &structure.hetero.as_ref().unwrap().waters;
    assert_eq!(waters.len(), 78, "as many as the entry has");
    let engine = engine();
    let features = &engine.run(std::slice::from_ref(&structure)).unwrap()[0];
    let found = ligands(&engine, &structure, &features.view()).unwrap();
    let distance = |a: &Atom, b: &Atom| {
        let squares = [a.x - b.x, a.y - b.y, a.z - b.z].map(|along| f64::from(along).powi(2));
        squares.iter().sum::<f64>().sqrt()
    };
    let all: Vec<Atom> = structure.atoms.iter().copied().chain(waters.iter().map(|water| water.atom)).collect();
    let free_points = |index: usize| {
        let own = waters[index].atom;
        let reach = f64::from(own.radius) + 1.4;
        let near: Vec<&Atom> = all.iter().filter(|other| (0.01..8.0).contains(&distance(&own, other))).collect();
        let is_free = |k: &usize| {
            let z = 1.0 - (2 * k + 1) as f64 / 500.0;
            let (turn, across) = (*k as f64 * 2.399_963_229_728_653, (1.0 - z * z).sqrt());
            let at = [across * turn.cos(), across * turn.sin(), z].map(|along| (along * reach) as f32);
            let point = Atom { x: own.x + at[0], y: own.y + at[1], z: own.z + at[2], radius: 0.0 };
            near.iter().all(|other| distance(&point, other) > f64::from(other.radius) + 1.4)
        };
        (0..500).filter(is_free).count()
    };
    let mut clusters: Vec<Vec<usize>> = (0..waters.len()).map(|water| vec![water]).collect();
    for a in 0..waters.len() {
        for b in a + 1..waters.len() {
            if distance(&waters[a].atom, &waters[b].atom) <= 3.5 {
                let of = |water: usize| clusters.iter().position(|cluster| cluster.contains(&water)).unwrap();
                let (to, from) = (of(a), of(b));
                if to != from {
                    let moved = std::mem::take(&mut clusters[from]);
                    clusters[to].extend(moved);
                    clusters.remove(from);
                }
            }
        }
    }
    clusters.iter_mut().for_each(|cluster| cluster.sort_unstable());
    // A point more or less of 500 may be free where all of fewer points are not.
    clusters.retain(|cluster| cluster.len() > 1 && cluster.iter().all(|&water| free_points(water) <= 3));
    let subjects: Vec<Subject> = found.iter().map(|ligand| ligand.subject.clone()).collect();
    assert_eq!(subjects, clusters.into_iter().map(Subject::Waters).collect::<Vec<_>>());
    let [cluster] = &found[..] else { panic!("one cluster: {found:?}") };
    assert_eq!((cluster.kind, cluster.complex, cluster.near[0].len()), (LigandKind::Water, 0.0, 10));
    // Unless water is asked for, there is none.
    let dry = read_path("../tests/data/1aki.cif.gz", "x", &options()).unwrap().structure;
    assert!(dry.hetero.as_ref().unwrap().waters.is_empty());
    assert_eq!(ligands(&engine, &dry, &features.view()).unwrap(), []);
}

#[test]
fn structures_that_were_read_without_ligands_are_refused() {
    let structure = read_path("../tests/data/1fbl_cut.cif.gz", "x", &ReadOptions::default()).unwrap().structure;
    let engine = engine();
    let features = &engine.run(std::slice::from_ref(&structure)).unwrap()[0];
    let refused = ligands(&engine, &structure, &features.view()).unwrap_err().to_string();
    assert!(refused.starts_with("its ligands were not read"), "{refused}");
}

/// Rows and features do not depend on whether it is kept what atoms are.
#[test]
fn rows_are_the_same_with_what_atoms_are() {
    for path in [
        "../tests/data/1a8o.cif.gz",
        "../tests/data/4zhl.cif.gz",
        "../tests/data/1ubq.pdb.gz",
        "../tests/data/1kx2_cut.pdb.gz",
    ] {
        for cover in [false, true] {
            let plain = read_path(path, "x", &ReadOptions { cover, ..ReadOptions::default() }).unwrap().structure;
            for water in [false, true] {
                let kept = read_path(path, "x", &ReadOptions { cover, water, ..options() }).unwrap().structure;
                assert_eq!(
                    (&plain.atoms, &plain.residue_atoms, plain.center),
                    (&kept.atoms, &kept.residue_atoms, kept.center),
                    "{path}"
                );
                assert_eq!((&plain.residue_names, &plain.roles), (&kept.residue_names, &kept.roles), "{path}");
                assert_eq!(kept.atom_labels.len(), kept.n_atoms(), "{path}");
            }
            assert!(plain.atom_labels.is_empty() && plain.hetero.is_none());
        }
    }
}
