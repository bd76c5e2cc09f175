//! Arguments of `prism edges`, `prism interface` and `prism summary`.

use super::{JobArgs, ProvenanceArgs, TrajectoryArgs};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Arguments that these commands share.
#[derive(Debug, Args)]
pub struct RelationArgs {
    /// Files, tars, packed data sets, directories of files and tars, or - for standard input.
    #[arg(value_name = "PATH", required_unless_present = "from_file")]
    pub paths: Vec<PathBuf>,

    /// Output file; its extension gives the format: csv, tsv or jsonl (each also .gz), json, arrow or parquet
    /// [default: CSV on standard output]
    #[arg(short, long, value_name = "FILE", display_order = 1)]
    pub output: Option<PathBuf>,

    #[command(flatten)]
    pub job: JobArgs,

    #[command(flatten)]
    pub trajectory: TrajectoryArgs,

    #[command(flatten)]
    pub provenance: ProvenanceArgs,
}

#[derive(Debug, Args)]
pub struct EdgesArgs {
    /// Contacts of alpha carbons closer than --contact-threshold, of heavy atoms within 4.5 Å, or both.
    #[arg(long, value_enum, value_name = "KIND,...", value_delimiter = ',', display_order = 2,
        default_values_t = [KindArg::Ca, KindArg::Atom])]
    pub kinds: Vec<KindArg>,

    /// Add predicted aligned errors and probabilities of contacts, from the files beside each model (docs/confidence.md): of both
    /// directions the mean and the smaller.
    #[arg(long, conflicts_with = "trajectory", display_order = 4)]
    pub pae: bool,

    /// A line for each pair that is in contact in any frame of --trajectory, with the share of frames.
    #[arg(long, requires = "trajectory", display_order = 3)]
    pub occupancy: bool,

    #[command(flatten)]
    pub relation: RelationArgs,
}

/// What an edge is between.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum KindArg {
    /// Alpha carbons.
    Ca,
    /// Heavy atoms of residues at least two rows apart or of different chains.
    Atom,
}

#[derive(Debug, Args)]
pub struct InterfaceArgs {
    /// Only the interface between these two chains, as if there were no others [default: all pairs that touch]
    #[arg(long, value_name = "A,B", value_delimiter = ',', num_args = 1, display_order = 2)]
    pub between: Option<Vec<String>>,

    /// Write each residue's surface alone, in the complex, and buried, in any format of --output.
    #[arg(long = "by-residue", id = "by_residue", value_name = "FILE", display_order = 3)]
    pub residues: Option<PathBuf>,

    /// Add predicted aligned errors and probabilities of contacts, from the files beside each model (docs/confidence.md): of both
    /// directions the mean and the smaller.
    #[arg(long, conflicts_with = "trajectory", display_order = 4)]
    pub pae: bool,

    #[command(flatten)]
    pub relation: RelationArgs,
}

#[derive(Debug, Args)]
pub struct SummaryArgs {
    #[command(flatten)]
    pub relation: RelationArgs,
}
