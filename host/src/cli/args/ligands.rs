//! Arguments of `prism ligands` and `prism atoms`.

use super::{FormatArg, JobArgs, ProvenanceArgs, Shard};
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct LigandsArgs {
    #[command(flatten)]
    pub described: DescribedArgs,
}

/// What commands share whose columns can be listed.
#[derive(Debug, Args)]
pub struct DescribedArgs {
    /// Files, tars, directories of files and tars, or - for standard input.
    #[arg(value_name = "PATH", required_unless_present_any = ["list", "explain", "from_file"])]
    pub paths: Vec<PathBuf>,

    /// Output file; its extension gives the format: csv, tsv or jsonl (each also .gz), json, arrow or parquet
    /// [default: CSV on standard output]
    #[arg(short, long, value_name = "FILE", display_order = 1)]
    pub output: Option<PathBuf>,

    /// Show the columns and exit.
    #[arg(long, conflicts_with = "explain", display_order = 6)]
    pub list: bool,

    /// Show a column's definition and unit, and exit.
    #[arg(long, value_name = "COLUMN", display_order = 7)]
    pub explain: Option<String>,

    /// Format of --list and --explain.
    #[arg(long, value_enum, default_value_t = FormatArg::Text, hide_short_help = true, display_order = 8)]
    pub format: FormatArg,

    /// Compute the k-th of n shares of the inputs, counted from 1; other processes compute the others.
    #[arg(long, value_name = "K/N", help_heading = "Running", hide_short_help = true)]
    pub shard: Option<Shard>,

    #[command(flatten)]
    pub job: JobArgs,

    #[command(flatten)]
    pub provenance: ProvenanceArgs,
}
