//! The command: what goes in, what comes out, what is said, and how it ends.

mod coloured;
mod command;
mod conventions;
#[cfg(unix)]
mod faults;
mod features;
mod guide;
mod pack;
mod parts;
mod relations;
mod report;
mod run;
mod sources;
