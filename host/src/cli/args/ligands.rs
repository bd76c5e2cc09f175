//! Arguments of `prism ligands` and `prism atoms`.

use super::{FolderArgs, FormatArg, JobArgs, ProvenanceArgs, TrajectoryArgs};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::str::FromStr;

#[derive(Debug, Args)]
pub struct LigandsArgs {
    #[command(flatten)]
    pub described: DescribedArgs,
}

#[derive(Debug, Args)]
pub struct AtomsArgs {
    /// The program that -o x.rsa follows where a residue has no reference area.
    #[arg(long, value_enum, default_value_t = RsaArg::Freesasa, display_order = 6, hide_short_help = true)]
    pub rsa: RsaArg,

    /// Radius of the probe, above 0 and at most 5.
    #[arg(long, value_name = "ANGSTROM", default_value_t = 1.4, allow_negative_numbers = true, display_order = 2)]
    pub probe: f32,

    /// Radii of atoms: protor (as other commands have them), naccess, bondi, or a file in FreeSASA's configuration format.
    #[arg(long, value_name = "protor|naccess|bondi|FILE", default_value = "protor", display_order = 3)]
    pub radii: RadiiArg,

    /// How areas are computed: by test points (--points) or by slices (--slices), as FreeSASA does by default.
    #[arg(long, value_enum, default_value_t = AlgorithmArg::ShrakeRupley, display_order = 4)]
    pub algorithm: AlgorithmArg,

    /// Slices of each atom for --algorithm lee-richards, 1 to 1000.
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1000), display_order = 5)]
    pub slices: u32,

    #[command(flatten)]
    pub described: DescribedArgs,

    #[command(flatten)]
    pub trajectory: TrajectoryArgs,
}

/// A program that writes `.rsa`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RsaArg {
    /// N/A.
    Freesasa,
    /// -99.9, which is a number.
    Naccess,
}

/// How areas are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AlgorithmArg {
    /// Test points on each sphere.
    ShrakeRupley,
    /// Slices of each sphere.
    LeeRichards,
}

/// The value of `--radii`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RadiiArg {
    /// Those of the reader.
    Protor,
    /// A set by its name.
    Named(&'static str),
    /// A file.
    File(PathBuf),
}

impl FromStr for RadiiArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "protor" => Ok(Self::Protor),
            "naccess" => Ok(Self::Named("naccess")),
            "bondi" => Ok(Self::Named("bondi")),
            // Names of files have a point or a folder.
            path if path.contains(['.', '/', '\\']) => Ok(Self::File(path.into())),
            _ => Err("give protor, naccess, bondi, or a file (./FILE)".to_owned()),
        }
    }
}

/// What commands share whose columns can be listed.
#[derive(Debug, Args)]
pub struct DescribedArgs {
    /// Files, archives (tar, zip), directories of files and archives, or - for standard input.
    #[arg(value_name = "PATH", required_unless_present_any = ["list", "explain", "from_file"])]
    pub paths: Vec<PathBuf>,

    /// Output file; its extension gives the format: csv, tsv or jsonl (each also .gz), json, arrow or parquet;
    /// a folder, ending with /, gets Parquet in parts [default: CSV on standard output]
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

    #[command(flatten)]
    pub folder: FolderArgs,

    #[command(flatten)]
    pub job: JobArgs,

    #[command(flatten)]
    pub provenance: ProvenanceArgs,
}
