//! Definitions shared by host and device: structs that cross between them, the feature table, the residue table.
//!
//! Compiled for both targets. Every struct is `#[repr(C)]`, plain old data with explicit padding. Its size, alignment and
//! offsets are asserted at compile time on each target.
#![no_std]
#![forbid(unsafe_code)]

pub mod backbone;
pub mod batch;
pub mod feature;
pub mod input;
pub mod nucleotide;
pub mod radii;
pub mod residue;
pub mod site;
pub mod site_model;
pub mod steps;

pub use batch::{
    Atom, BatchStructureDesc, MASK_BINS, MASK_SIDE, MASKS_PER_GROUP, MAX_POINTS, MIN_POINTS, Mask, MegaFusedConfig,
    NO_CA, POINTS_PER_GROUP, PointGroup, StructureSummary, TestPoint,
};
pub use feature::{FEATURES, Feature, FeatureRow, Group, NucleotideRow, PositionRow, ROW_WIDTH};
pub use residue::{RESIDUES, ResidueKind, STANDARD, UNKNOWN};
pub use site::{AtomPoints, Site};
pub use steps::Steps;
