//! Arguments of `prism dssp`.

use super::Shard;
use crate::cli::reading::ReadArgs;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct DsspArgs {
    /// Files, tars, directories of files and tars, or - for standard input.
    #[arg(value_name = "PATH", required_unless_present = "from_file")]
    pub paths: Vec<PathBuf>,

    /// Output: a .dssp or .cif for one structure, or a folder for any number, which gets a file for each [default: standard output]
    #[arg(short, long, value_name = "FILE|FOLDER", display_order = 1)]
    pub output: Option<PathBuf>,

    /// mkdssp's text, or mmCIF with what it adds [default: by the extension of --output, or the text]
    #[arg(long, visible_alias = "output-format", value_enum, display_order = 2)]
    pub format: Option<DsspFormatArg>,

    /// Residues of the shortest poly-proline helix.
    #[arg(long, value_name = "2|3", default_value_t = 3, value_parser = clap::value_parser!(u8).range(2..=3), display_order = 3)]
    pub min_pp_stretch: u8,

    #[command(flatten)]
    pub read: ReadArgs,

    /// Keep the files that the folder of --output has, of an earlier run with the same options, and write the others.
    #[arg(long, help_heading = "Running", hide_short_help = true)]
    pub resume: bool,

    /// Write the k-th of n shares of the inputs, counted from 1; other processes write the others.
    #[arg(long, value_name = "K/N", help_heading = "Running", hide_short_help = true)]
    pub shard: Option<Shard>,

    /// Write the status of each structure: residues, atoms, notes, error, milliseconds; in any format of tables.
    #[arg(long, value_name = "FILE", help_heading = "Running", hide_short_help = true)]
    pub status: Option<PathBuf>,
}

/// Formats of secondary structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DsspFormatArg {
    /// The text of mkdssp.
    Dssp,
    /// The structure as mmCIF with mkdssp's categories.
    #[value(alias = "cif")]
    Mmcif,
}
