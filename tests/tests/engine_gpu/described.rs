//! Ligands and atoms, which the engine computes as residues of their own, and pairs of bases have the same bits on a device.

use crate::gpu;
use prism_host::atoms::{AtomOptions, atoms};
use prism_host::engine::Selection;
use prism_host::interactions::{Kind, Options, interactions, interactions_with};
use prism_host::ligands::ligands;
use prism_host::read::{Alternates, ReadOptions, read_path};
use prism_host::{Backend, Engine};

#[test]
fn ligands_and_atoms_have_the_same_bits() {
    let Some(_device) = gpu() else { return };
    let on = |backend: Backend, selection: Selection| {
        Engine::builder().backend(backend).selection(selection).build().unwrap()
    };
    let named = |names: &[&str]| {
        Selection::new(shared_types::FEATURES.iter().filter(|feature| names.contains(&feature.name)), false)
    };
    let surfaces = [Backend::Cpu, Backend::Cuda].map(|backend| on(backend, named(&["sasa", "depth"])));
    let sites =
        on(Backend::Cpu, Selection::new(shared_types::FEATURES.iter().filter(|f| f.name == "site_score"), true));
    let options = ReadOptions { atoms: true, cover: true, ..ReadOptions::default() };
    for name in ["1igy_cut.cif.gz", "1kx2_cut.pdb.gz", "1jcd.pdb.gz", "4zhl.cif.gz"] {
        let structure = read_path(tests::data::path(format!("tests/data/{name}")), name, &options).unwrap().structure;
        for probe in [1.4, 2.0] {
            let asked = AtomOptions { probe, ..AtomOptions::default() };
            let [cpu, gpu] = surfaces.each_ref().map(|engine| atoms(engine, &structure, &asked, true).unwrap());
            // Debug texts of floats are exact, and equal for NaN.
            assert_eq!(format!("{cpu:?}"), format!("{gpu:?}"), "{name}, probe {probe}");
        }
        let features = &sites.run(std::slice::from_ref(&structure)).unwrap()[0];
        let [cpu, gpu] = surfaces.each_ref().map(|engine| ligands(engine, &structure, &features.view()).unwrap());
        assert_eq!(format!("{cpu:?}"), format!("{gpu:?}"), "{name}");
    }
}

#[test]
fn pairs_and_stacks_of_bases_have_the_same_bits() {
    let Some(_device) = gpu() else { return };
    let engine = Engine::builder().backend(Backend::Cuda).build().unwrap();
    let kinds = [Kind::BasePair, Kind::BaseStack];
    let mut found = 0;
    for name in ["1bna.pdb.gz", "1ehz_cut.pdb.gz", "1jjp_cut.pdb.gz", "1lcd_cut.pdb.gz", "1ubq.pdb.gz"] {
        let bytes = std::fs::read(tests::data::path(format!("tests/data/{name}"))).unwrap();
        for kinds in [&kinds[..], &kinds[..1], &kinds[1..]] {
            let options = Options { kinds, chains: None, alternates: Alternates::default(), dictionary: None };
            let cpu = interactions(&bytes, name, &options).unwrap().found;
            let gpu = interactions_with(&engine, &bytes, name, &options).unwrap().found;
            assert_eq!(format!("{cpu:?}"), format!("{gpu:?}"), "{name}");
            found += cpu.len();
        }
    }
    assert!(found > 2 * 150, "{found}");
}
