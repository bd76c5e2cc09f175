//! Protein structures in, per-residue features out, on a GPU or on CPU cores.
//!
//! [`read`] turns the bytes of a PDB or mmCIF file into a [`StructureInput`]: the heavy atoms of its standard
//! residues, with the identity of each residue.

pub mod read;
pub mod structure;

pub use read::{ReadError, ReadOptions, ReadStructure};
pub use structure::{StructureError, StructureInput};
