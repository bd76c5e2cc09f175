//! Atoms compared with FreeSASA (`tests/data/make_atoms_reference.py`) and with residues.

use prism_host::atoms::{Algorithm, AtomOptions, Owner, atoms};
use prism_host::radii::RadiusSet;
use prism_host::read::{ReadOptions, read_bytes, read_path};
use prism_host::{Backend, Engine, StructureInput};

fn engine(points: u32) -> Engine {
    let config = shared_types::MegaFusedConfig { points, ..shared_types::MegaFusedConfig::default() };
    Engine::builder().backend(Backend::Cpu).config(config).build().unwrap()
}

fn read(path: &str, cover: bool) -> StructureInput {
    read_path(path, "x", &ReadOptions { atoms: true, cover, ..ReadOptions::default() }).unwrap().structure
}

#[test]
fn areas_are_those_of_freesasa() {
    let structure = read("../tests/data/1ubq.pdb.gz", false);
    let mut reader = csv::Reader::from_path("../tests/data/atoms_reference.csv").unwrap();
    let reference: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let naccess = || RadiusSet::named("naccess");
    let by_points = Algorithm::ShrakeRupley;
    // The column, and how it is computed; the largest difference in Å^2, and how many atoms may differ by as much: test points on the border
    // of a sphere fall on either side, by rounding of coordinates.
    for (column, points, options, largest, most) in [
        (4, 100, AtomOptions::default(), 2.0, 12),
        (5, 100, AtomOptions { probe: 2.0, ..AtomOptions::default() }, 2.0, 12),
        (6, 100, AtomOptions { algorithm: Algorithm::LeeRichards(20), ..AtomOptions::default() }, 5e-3, 0),
        (
            7,
            100,
            AtomOptions { algorithm: Algorithm::LeeRichards(50), radii: naccess(), ..AtomOptions::default() },
            5e-3,
            0,
        ),
        (8, 200, AtomOptions { algorithm: by_points, radii: naccess(), ..AtomOptions::default() }, 1.0, 24),
    ] {
        let found = atoms(&engine(points), &structure, &options, false).unwrap();
        assert_eq!((found.atoms.len(), found.by_element), (reference.len(), 0));
        let mut differ = 0;
        for (atom, line) in found.atoms.iter().zip(&reference) {
            let Owner::Row(row) = atom.residue else { panic!("an atom without a row") };
            assert_eq!(structure.residue_numbers[row].to_string(), line[0]);
            assert_eq!(structure.atom_labels[atom.atom].name(), &line[1]);
            assert!(
                structure.atom_labels[atom.atom]
                    .position
                    .iter()
                    .all(|along| (along * 1e3 - (along * 1e3).round()).abs() < 1e-6)
            );
            let apart = (f64::from(atom.area) - line[column].parse::<f64>().unwrap()).abs();
            assert!(apart < largest, "{column} {line:?}: {}", atom.area);
            differ += usize::from(apart > 5e-3);
            if options.radii.is_some() {
                assert_eq!(
                    (format!("{:.2}", atom.radius), atom.class.name()),
                    (line[2].to_owned(), &line[3]),
                    "{line:?}"
                );
            }
        }
        assert!(differ <= most, "column {column}: {differ} atoms differ");
    }
}

#[test]
fn sums_are_the_areas_and_depths_of_residues() {
    for path in ["../tests/data/4zhl.cif.gz", "../tests/data/1jcd.pdb.gz"] {
        let structure = read(path, false);
        let engine = engine(100);
        let features = &engine.run(std::slice::from_ref(&structure)).unwrap()[0];
        let (sasa, depth) = (features.named("sasa").unwrap(), features.named("depth").unwrap());
        let found = atoms(&engine, &structure, &AtomOptions::default(), false).unwrap().atoms;
        for row in 0..structure.n_rows() {
            let own: Vec<_> = found.iter().filter(|atom| atom.residue == Owner::Row(row)).collect();
            let area: f64 = own.iter().map(|atom| f64::from(atom.area)).sum();
            let mean = own.iter().map(|atom| f64::from(atom.depth)).sum::<f64>() / own.len() as f64;
            assert!((area - f64::from(sasa[row])).abs() < 1e-3 && (mean - f64::from(depth[row])).abs() < 1e-4, "{row}");
        }
    }
}

#[test]
fn chains_alone_and_together_are_those_of_interfaces() {
    let structure = read("../tests/data/1jcd.pdb.gz", false);
    let engine = engine(100);
    let found = atoms(&engine, &structure, &AtomOptions::default(), false).unwrap().atoms;
    let interface = prism_host::contacts::interfaces(&engine, &structure, None).unwrap();
    for residue in &interface.residues {
        let own = found.iter().filter(|atom| atom.residue == Owner::Row(residue.row as usize));
        let alone: f64 = own.map(|atom| f64::from(atom.alone)).sum();
        assert!((alone - f64::from(residue.alone)).abs() < 1e-3, "{residue:?}");
    }
    for atom in &found {
        let Owner::Row(row) = atom.residue else { panic!("an atom without a row") };
        assert_eq!(atom.alone > atom.area, !atom.buried_by.is_empty(), "{atom:?}");
        assert!(!atom.buried_by.contains(&structure.chains[structure.chain_ids[row] as usize]));
    }
    assert!(found.iter().any(|atom| atom.buried_by.len() == 2), "a helix touches both others");
}

#[test]
fn atoms_without_rows_are_described_where_they_cover() {
    let structure = read("../tests/data/1kx2_cut.pdb.gz", true);
    let engine = engine(100);
    let (without, with) = (
        atoms(&engine, &structure, &AtomOptions::default(), false).unwrap().atoms,
        atoms(&engine, &structure, &AtomOptions::default(), true).unwrap().atoms,
    );
    assert_eq!(with.len() - without.len(), 43);
    let sum = |all: &[prism_host::atoms::DescribedAtom]| all.iter().map(|atom| f64::from(atom.area)).sum::<f64>();
    assert!(sum(&with[..without.len()]) < sum(&without) - 100.0);
    let haem = sum(&with[without.len()..]);
    // From FreeSASA, as in ligands_reference.csv.
    assert!((haem - 141.336).abs() < 4.0, "{haem}");
    // NACCESS' set has no iron; its radius is that of the element.
    let options = AtomOptions { radii: RadiusSet::named("naccess"), ..AtomOptions::default() };
    let found = atoms(&engine, &structure, &options, true).unwrap();
    let iron = found.atoms.iter().find(|atom| (atom.radius - 2.44).abs() < 1e-6).expect("an iron");
    assert!(matches!(iron.residue, Owner::Hetero(0)) && found.by_element > 0);
}

#[test]
fn impossible_probes_are_refused() {
    let text = "ATOM      1  CA  GLY A   1       0.000   0.000   0.000  1.00 10.00           C\nEND\n";
    let structure =
        read_bytes(text.as_bytes(), "x", &ReadOptions { atoms: true, ..ReadOptions::default() }).unwrap().structure;
    let engine = engine(100);
    let refused = |options: AtomOptions| atoms(&engine, &structure, &options, false).unwrap_err().to_string();
    for probe in [0.0, -1.0, f32::NAN, 5.5, f32::INFINITY] {
        assert!(refused(AtomOptions { probe, ..AtomOptions::default() }).contains("not above 0"), "{probe}");
    }
    assert!(refused(AtomOptions { probe: 4.0, ..AtomOptions::default() }).contains("--algorithm lee-richards"));
    let slices = AtomOptions { probe: 4.0, algorithm: Algorithm::LeeRichards(20), radii: None };
    assert_eq!(atoms(&engine, &structure, &slices, false).unwrap().atoms.len(), 1);
}
