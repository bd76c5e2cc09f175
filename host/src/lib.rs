//! Protein structures in, per-residue features out, on a GPU or on CPU cores.
//!
//! [`read`] turns the bytes of a structure file into a [`StructureInput`]: its heavy atoms, residue by residue, with the
//! identity of each residue. [`Engine`] computes features of many structures in batches ([`PackedBatch`]). [`output`]
//! writes them as CSV, Parquet or npz.
//!
//! ```
//! use prism_host::read::{ReadOptions, read_path};
//! use prism_host::{Backend, Engine};
//! use shared_types::feature::column;
//!
//! let read = read_path("../data/6m0j_rbd.pdb", "6m0j_rbd", &ReadOptions::default())?;
//! let engine = Engine::builder().backend(Backend::Cpu).build()?;
//! let features = &engine.run(&[read.structure])?[0];
//! assert_eq!((features.name.as_str(), features.n_residues), ("6m0j_rbd", 194));
//! assert!(features.column(column::CONTACT_NUMBER).all(|contacts| contacts >= 1.0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`pipeline`] computes batches while it reads the next and writes the previous ones:
//!
//! ```
//! use prism_host::pipeline::{Batch, Cancel, Outcome, run};
//! use prism_host::read::{ReadOptions, read_path};
//! use prism_host::{Backend, Engine};
//!
//! let engine = Engine::builder().backend(Backend::Cpu).build()?;
//! // Two batches of one structure each; `pipeline::StructureFiles` makes batches from files.
//! let batches = ["first", "second"].into_iter().map(|name| {
//!     let read = read_path("../data/6m0j_rbd.pdb", name, &ReadOptions::default()).unwrap();
//!     let outcomes = vec![Outcome::Read { notes: read.notes }];
//!     Batch { structures: vec![read.structure], outcomes, ..Batch::default() }
//! });
//! let mut names = Vec::new();
//! let telemetry = run(&engine, batches, &Cancel::default(), |computed| {
//!     names.extend(computed.batch.structures.into_iter().map(|structure| structure.name.clone()));
//!     Ok::<(), std::convert::Infallible>(())
//! })
//! .unwrap();
//! assert_eq!(names, ["first", "second"]);
//! println!("{:?} in all", telemetry.wall);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! From the files of a folder to a table, one structure at a time:
//!
//! ```
//! use prism_host::output::{Columns, OutputFile, Provenance, StructureRows};
//! use prism_host::{Backend, Engine, ReadOptions, inputs::discover};
//!
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("features.csv");
//! let engine = Engine::builder().backend(Backend::Cpu).build()?;
//! let columns = Columns::choose(["wcn", "sasa"])?;
//! let mut table = OutputFile::create(&path, columns, &Provenance::of(engine.config()))?;
//! for file in discover(["../data"])?.entries.into_iter().flatten() {
//!     let structure = match file.read(&ReadOptions::default()) {
//!         Ok(read) => read.structure,
//!         Err(failure) => {
//!             eprintln!("{}: {}", failure.name, failure.reason);
//!             continue;
//!         }
//!     };
//!     let features = &engine.run(std::slice::from_ref(&structure))?[0];
//!     table.write(&[StructureRows { structure: &structure, features: features.view() }])?;
//! }
//! table.commit()?; // only now does the file get its name
//! let text = std::fs::read_to_string(&path)?;
//! assert_eq!(text.lines().next(), Some("structure,row,chain,resnum,icode,resname,parent,wcn,sasa"));
//! assert_eq!(text.lines().count(), 1 + 194);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(feature = "cli")]
mod cli;
pub mod report;

/// The most threads that a program may ask for: more than the cores of any machine. A system that is asked to start a million does
/// little else.
pub const MOST_THREADS: usize = 4096;

/// How models of a complex reproduce a reference.
pub mod dockq {
    pub use prism_complexes::dockq::*;
    pub use prism_io::inputs::read_reference;
}
#[cfg(feature = "cli")]
pub use cli::{kernels_digest, run_command, run_command_with};
pub use prism_complexes::confidence;
pub use prism_engine as engine;
#[doc(hidden)]
pub use prism_engine::huge_pages;
pub use prism_engine::{
    Backend, BatchFeatures, Engine, EngineBuilder, EngineError, PackError, PackedBatch, StructureFeatures,
    StructureView, atoms, contacts, dssp, interactions, launch_mega_fused_batch, ligands, pack, sites,
};
pub use prism_io::{annotations, crash_context, dataset, groups, inputs, lineages, output, pipeline, run, trajectory};
pub use prism_read as read;
pub use prism_read::{
    Composition, ReadError, ReadOptions, ReadStructure, ResidueLabels, StructureError, StructureInput, radii,
    selection, structure,
};
#[doc(hidden)]
pub use prism_read::{nearest, plural};

#[cfg(any(test, feature = "cli"))]
extern crate self as prism_host;
