//! The library example of README.md; another test compares the text.

use std::error::Error;

#[test]
fn the_library_example_runs() -> Result<(), Box<dyn Error>> {
    // The example runs in the root; tests run in their package's directory.
    std::env::set_current_dir(tests::data::path(""))?;
    // README.md begins.
    use prism_host::read::{ReadOptions, read_path};
    use prism_host::{Backend, Engine};
    use shared_types::feature::column;

    let read = read_path("data/6m0j_rbd.pdb", "6m0j_rbd.pdb", &ReadOptions::default())?;
    let engine = Engine::builder().backend(Backend::Auto).build()?;
    for features in engine.run(&[read.structure])? {
        let mean = features.column(column::CONTACT_NUMBER).sum::<f32>() / features.n_residues as f32;
        println!("{}: {mean} contacts a residue, on {}", features.name, engine.backend_name());
    }
    // README.md ends.
    Ok(())
}
