//! The library: structures, batches, data sets, the engine and its backends, and writers.

mod backend;
mod confidence;
mod engine;
mod interactions;
mod output;
mod pack;
mod packed_dataset;
mod relations;
mod synthetic;
