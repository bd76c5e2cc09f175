//! The library: structures, batches, data sets, the engine and its backends, and writers.

mod atoms;
mod backend;
mod broken_predictions;
mod claims_of_predictors;
mod confidence;
mod designs_of_predictions;
mod engine;
mod inputs;
mod interactions;
mod ligands;
mod named_predictions;
mod nucleotides;
mod order_of_tokens;
mod output;
mod pack;
mod packed_dataset;
#[path = "../../read/tests/read/read_common/mod.rs"]
mod read_common;
mod read_structures;
mod relations;
mod selenomethionine;
mod shared_chain_ids;
mod synthetic;
