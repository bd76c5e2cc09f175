//! Arguments of `prism confidence`.

use super::{ComparisonArgs, FolderArgs, FormatArg, ProvenanceArgs};
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct ConfidenceArgs {
    /// Folders, tars and zip archives of predictions, or a model and the files about it. A model that is given alone has the files
    /// beside it.
    #[arg(value_name = "PATH", required_unless_present_any = ["list", "explain", "from_file"])]
    pub paths: Vec<PathBuf>,

    /// Output file for pairs of chains; its extension gives the format: csv, tsv or jsonl (each also .gz), json, arrow or
    /// parquet. A name that ends with / is a folder of parts, which --resume goes on with [default: CSV on standard output]
    #[arg(short, long, value_name = "FILE", display_order = 1)]
    pub output: Option<PathBuf>,

    /// Write a row for each residue and each other chain, in any format of --output; to a folder of parts if --output is one.
    #[arg(long = "by-residue", id = "by_residue", value_name = "FILE", display_order = 2)]
    pub residues: Option<PathBuf>,

    /// Write a row for each structure, with its place by the predictor's ranking and by ipSAE, in any format of --output.
    #[arg(long = "by-structure", id = "by_structure", value_name = "FILE", display_order = 3)]
    pub structures: Option<PathBuf>,

    /// Write to --by-structure the N best designs alone, the best first: the model of each with the highest ipSAE.
    #[arg(long, value_name = "N", requires = "by_structure", value_parser = clap::value_parser!(u32).range(1..), display_order = 3)]
    pub best: Option<u32>,

    /// ipSAE and contacts take predicted aligned errors below this.
    #[arg(long, value_name = "ANGSTROM", default_value_t = 10.0, allow_negative_numbers = true, value_parser = cutoff,
        display_order = 4)]
    pub pae_cutoff: f32,

    /// Contacts are pairs of residues closer than this, by CB atoms.
    #[arg(long, value_name = "ANGSTROM", default_value_t = 10.0, allow_negative_numbers = true, value_parser = cutoff,
        display_order = 5)]
    pub distance_cutoff: f32,

    /// Compare the models with this structure: dockq and its parts in the tables of pairs and of structures, as `prism dockq` has
    /// them.
    #[arg(short, long, value_name = "FILE", display_order = 1)]
    pub reference: Option<PathBuf>,

    #[command(flatten)]
    pub comparison: ComparisonArgs,

    /// Show the columns and exit.
    #[arg(long, conflicts_with = "explain", display_order = 6)]
    pub list: bool,

    /// Show a column's definition and source, and exit.
    #[arg(long, value_name = "COLUMN", display_order = 7)]
    pub explain: Option<String>,

    /// Format of --list and --explain.
    #[arg(long, value_enum, default_value_t = FormatArg::Text, hide_short_help = true, display_order = 8)]
    pub format: FormatArg,

    /// Read the paths of inputs from a file, one per line; - for standard input.
    #[arg(long, value_name = "LIST", help_heading = "Reading", hide_short_help = true)]
    pub from_file: Option<PathBuf>,

    /// Stop at the first prediction that fails.
    #[arg(long, help_heading = "Running", hide_short_help = true)]
    pub fail_fast: bool,

    /// Write the status of each prediction: residues, chains, tokens, notes, error, milliseconds.
    #[arg(long, value_name = "FILE", help_heading = "Running", hide_short_help = true)]
    pub status: Option<PathBuf>,

    #[command(flatten)]
    pub folder: FolderArgs,

    #[command(flatten)]
    pub provenance: ProvenanceArgs,
}

fn cutoff(text: &str) -> Result<f32, String> {
    let number = text.parse().ok().filter(|number: &f32| *number > 0.0 && number.is_finite());
    number.ok_or_else(|| "give a distance in Å above 0".to_owned())
}
