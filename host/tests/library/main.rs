//! The library: structures, batches, data sets, the engine and its backends, and writers.

mod atoms;
mod backend;
mod confidence;
mod engine;
mod interactions;
mod ligands;
mod output;
mod pack;
mod packed_dataset;
mod relations;
mod synthetic;
