//! Files of structures in, tables out: [`inputs`] finds and names files, [`pipeline`] reads them while the engine computes, and
//! [`output`] writes tables. A [`run::Run`] opens devices meanwhile.

pub mod annotations;
pub mod crash_context;
mod csv_table;
pub mod dataset;
pub mod groups;
pub mod inputs;
pub mod lineages;
pub mod output;
pub mod pipeline;
pub mod run;
pub mod trajectory;

#[cfg(test)]
#[path = "../../tests/library/synthetic/mod.rs"]
mod synthetic;
