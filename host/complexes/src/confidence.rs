//! Confidences of predicted complexes: models with their matrices of predicted aligned errors, as AlphaFold, ColabFold, Boltz, Chai and
//! Protenix write them, and the scores of their chains.
//!
//! [`Predictions::find`] pairs the files of folders and archives, [`PredictionFiles::read`] reads one prediction, and
//! [`Prediction::scores`] computes its scores. A matrix is in memory only while its prediction is.

mod columns;
mod decimals;
mod files;
mod folder;
mod given;
mod input_files;
mod json;
mod matrix;
mod model;
mod modelcif;
mod molecules;
mod names;
mod npz;
mod pair;
mod pair_iptm;
mod plddt;
mod prediction;
mod scores;
mod side_by_side;
mod sums;
mod units;

pub use columns::{PAIR_NUMBERS, RESIDUE_NUMBERS, STRUCTURE_NUMBERS, ScoreColumn};
pub use files::PredictionFiles;
pub use folder::Predictions;
pub use matrix::Matrix;
pub use model::Kind;
pub use names::design_of;
pub use prediction::{Cutoffs, Lack, PairScores, Prediction, ResidueScores, Scores, StructureScores};
