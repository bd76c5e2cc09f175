//! The command: inputs, outputs, messages, and exit status.

mod annotated;
mod atoms;
#[cfg(target_os = "linux")]
mod beside;
mod browser;
mod coloured;
mod command;
mod confidence;
mod conventions;
mod described;
mod dockq;
mod dssp;
mod dssp_columns;
mod each;
#[cfg(unix)]
mod faults;
mod features;
mod files;
mod frames;
mod geometry_columns;
mod groups;
mod guide;
mod hetero_rows;
mod ligands;
mod mistakes;
mod pack;
mod parts;
mod prank;
mod predicted_errors;
mod predictions;
mod relations;
mod report;
mod report_page;
mod report_several;
mod run;
mod sites;
mod sources;
mod trajectory;
