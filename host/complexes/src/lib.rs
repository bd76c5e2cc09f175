//! Scores of predicted complexes: what predictors' folders say of themselves ([`confidence`]), and how near a model is to a
//! known structure ([`dockq`]).

pub mod confidence;
pub mod dockq;
