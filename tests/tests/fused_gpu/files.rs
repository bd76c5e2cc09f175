//! Structures from files.

use crate::backends;
use prism_host::inputs::discover;
use prism_host::read::{ReadOptions, read_path};
use shared_types::feature::column;
use std::path::Path;
use tests::data;

#[test]
fn shipped_structures() {
    let Some(backends) = backends() else { return };
    let structures = data::shipped();
    let features = backends.compare(&structures);
    for (structure, features) in structures.iter().zip(&features) {
        let contacts: f32 = features.column(column::CONTACT_NUMBER).filter(|x| !x.is_nan()).sum();
        assert!(contacts > structure.n_residues() as f32, "{}: a folded protein", structure.name);
    }
}

/// Every structure file in the directory `dev/` of `PRISM_CORPUS`.
#[test]
fn every_file_of_a_corpus() {
    let Some(backends) = backends() else { return };
    let Some(corpus) = std::env::var_os("PRISM_CORPUS").map(|corpus| Path::new(&corpus).join("dev")) else {
        println!("skipped: PRISM_CORPUS does not name a directory with dev/");
        return;
    };
    let inputs = discover([&corpus]).unwrap();
    let (mut structures, mut refused) = (Vec::new(), Vec::new());
    for file in inputs.entries.iter().map(|entry| entry.as_ref().unwrap_or_else(|failure| panic!("{failure:?}"))) {
        match read_path(&file.path, &file.name, &ReadOptions::default()) {
            Ok(read) => structures.push(read.structure),
            Err(error) => refused.push(error.to_string()),
        }
    }
    println!("{}: {} structures compared, refused: {refused:#?}", corpus.display(), structures.len());
    assert!(structures.len() > refused.len(), "most files of a corpus are proteins");
    backends.compare(&structures);
}
