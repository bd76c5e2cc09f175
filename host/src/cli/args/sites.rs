//! Arguments of `prism sites`.

use super::{JobArgs, ProvenanceArgs, TrajectoryArgs};
use clap::{Args, ValueEnum};
use prism_host::sites::{MIN_PROBABILITY, SiteLimits};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct SitesArgs {
    /// Files, archives (tar, zip), packed data sets, directories of files and archives, or - for standard input.
    #[arg(value_name = "PATH", required_unless_present = "from_file")]
    pub paths: Vec<PathBuf>,

    /// Output file; its extension gives the format: csv, tsv or jsonl (each also .gz), json, arrow or parquet
    /// [default: CSV on standard output]
    #[arg(short, long, value_name = "FILE", display_order = 1)]
    pub output: Option<PathBuf>,

    /// A table in a file, or P2Rank's files for each structure in the folder of --output.
    ///
    /// p2rank: NAME_predictions.csv, NAME_residues.csv, and visualizations/ with a script for PyMOL, the structure and its points.
    #[arg(long, value_enum, default_value_t = SitesFormatArg::Table, display_order = 2, hide_short_help = true)]
    pub format: SitesFormatArg,

    /// Leave out sites with a lower probability of binding a ligand.
    #[arg(long, value_name = "P", default_value_t = MIN_PROBABILITY, value_parser = probability,
        allow_negative_numbers = true, display_order = 2)]
    pub min_probability: f32,

    /// Write sites of any probability.
    #[arg(long, conflicts_with = "min_probability", display_order = 3)]
    pub all: bool,

    /// Leave out sites of predicted models whose residues have a lower mean pLDDT, from 0 to 100.
    #[arg(long, value_name = "PLDDT", value_parser = confidence, allow_negative_numbers = true, display_order = 4,
        hide_short_help = true)]
    pub min_plddt: Option<f32>,

    /// Write at most N sites per structure.
    #[arg(long, value_name = "N", default_value_t = SiteLimits::ALL.most, display_order = 5)]
    pub max_sites: usize,

    /// Write a script that shows the sites of one structure in PyMOL (.pml) or ChimeraX (.cxc).
    #[arg(long, value_name = "FILE", display_order = 6)]
    pub script: Option<PathBuf>,

    /// Write a copy of one structure's file with site_score, in hundredths, in its B column (.pdb, or .cif for mmCIF and
    /// BinaryCIF).
    #[arg(long, value_name = "FILE", display_order = 7, hide_short_help = true)]
    pub write_structure: Option<PathBuf>,

    /// Add columns of the whole pocket around each site: volume, depth, opening, hydropathy and flexibility. Measuring it takes several times
    /// as long as finding sites.
    #[arg(long, display_order = 6, hide_short_help = true)]
    pub pocket_shape: bool,

    /// Write a line for each pocket: a site of several frames, with its occupancy and the statistics of its volume, area and score.
    #[arg(long, value_name = "FILE", requires = "trajectory", display_order = 8, hide_short_help = true)]
    pub pockets: Option<PathBuf>,

    /// Measure known pockets instead of finding sites: a line with the volume of each in every structure or frame. FILE is a CSV table of
    /// pockets with the columns pocket and residues (A_30 A_31), as --pockets writes it.
    #[arg(long, value_name = "FILE", display_order = 8, hide_short_help = true,
        conflicts_with_all = ["format", "min_probability", "all", "min_plddt", "max_sites", "script", "write_structure", "pocket_shape",
            "pockets"])]
    pub measure: Option<PathBuf>,

    #[command(flatten)]
    pub job: JobArgs,

    #[command(flatten)]
    pub trajectory: TrajectoryArgs,

    #[command(flatten)]
    pub provenance: ProvenanceArgs,
}

/// Formats of sites.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SitesFormatArg {
    /// One table, in the format of its file's extension.
    Table,
    /// P2Rank's files.
    P2rank,
}

impl SitesArgs {
    /// Which sites are written.
    pub fn limits(&self) -> SiteLimits {
        let min_probability = if self.all { 0.0 } else { self.min_probability };
        SiteLimits { most: self.max_sites, min_probability, min_plddt: self.min_plddt, pockets: self.pocket_shape }
    }
}

fn probability(text: &str) -> Result<f32, String> {
    within(text, 1.0).ok_or_else(|| "give a probability from 0 to 1, such as 0.5".to_owned())
}

fn confidence(text: &str) -> Result<f32, String> {
    within(text, 100.0).ok_or_else(|| "give a pLDDT from 0 to 100, such as 70".to_owned())
}

/// A number from 0 to some other.
fn within(text: &str, most: f32) -> Option<f32> {
    text.parse().ok().filter(|number| (0.0..=most).contains(number))
}
