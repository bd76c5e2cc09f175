//! Arguments of `prism dssp`.

use crate::cli::reading::ReadArgs;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct DsspArgs {
    /// Files, tars, directories of files and tars, or - for standard input.
    #[arg(value_name = "PATH", required_unless_present = "from_file")]
    pub paths: Vec<PathBuf>,

    /// Output: a .dssp for one structure, or a folder for any number, which gets a file for each [default: standard output]
    #[arg(short, long, value_name = "FILE|FOLDER", display_order = 1)]
    pub output: Option<PathBuf>,

    /// Residues of the shortest poly-proline helix.
    #[arg(long, value_name = "2|3", default_value_t = 3, value_parser = clap::value_parser!(u8).range(2..=3), display_order = 3)]
    pub min_pp_stretch: u8,

    #[command(flatten)]
    pub read: ReadArgs,
}
