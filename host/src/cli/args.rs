//! The command line.
//!
//! `-h` shows the most used options, `--help` all of them in groups. Here, `hide_short_help` hides an option from `-h`.

mod backend;
mod confidence;
mod dockq;
mod dssp;
mod ligands;
mod relations;
mod sites;
mod trajectory;

pub use backend::BackendArg;
pub use confidence::ConfidenceArgs;
pub use dockq::{ComparisonArgs, DockqArgs};
pub use dssp::{DsspArgs, DsspFormatArg};
pub use ligands::{AlgorithmArg, AtomsArgs, DescribedArgs, LigandsArgs, RadiiArg, RsaArg};
pub use relations::{EdgesArgs, IdsArg, InterfaceArgs, KindArg, RelationArgs, SummaryArgs};
pub use sites::{SitesArgs, SitesFormatArg};
pub use trajectory::TrajectoryArgs;

use super::failure::Failure;
use super::reading::ReadArgs;
use crate::MOST_THREADS;
use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};
use prism_host::output::Statistics;
use shared_types::site_model::DEFAULT_THRESHOLD;
use shared_types::{MAX_POINTS, MIN_POINTS};
use std::path::PathBuf;
use std::str::FromStr;

/// Per-residue features of protein structures, computed on a GPU or on CPU cores with the same bits.
#[derive(Debug, Parser)]
#[command(name = "prism", version, max_term_width = 100, after_help = SEE_ALSO)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,

    #[command(flatten)]
    pub global: GlobalArgs,
}

const SEE_ALSO: &str = "\
`prism COMMAND -h` shows a command's most used options, `prism COMMAND --help` all of them.";

/// Options of every command.
#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
pub struct GlobalArgs {
    /// Number of threads that read, and of threads that compute on the CPU [default: one per core]
    #[arg(short = 'j', long, value_name = "N", global = true, value_parser = threads, display_order = 900)]
    pub threads: Option<usize>,

    /// Print only errors.
    #[arg(short, long, global = true, conflicts_with = "verbose", display_order = 901)]
    pub quiet: bool,

    /// Print more: ignored files and each choice; with -vv also messages for debugging.
    #[arg(short, long, global = true, action = ArgAction::Count, display_order = 902)]
    pub verbose: u8,
}

fn threads(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|threads| (1..=MOST_THREADS).contains(threads));
    number.ok_or_else(|| format!("give a number from 1 to {MOST_THREADS}"))
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Compute a table with a row for every residue.
    #[command(after_help = EXIT_STATUS)]
    Features(FeaturesArgs),
    /// Find where ligands may bind: a row for every site.
    #[command(after_help = EXIT_STATUS)]
    Sites(SitesArgs),
    /// List pairs of residues in contact, or interactions with their chemistry: a row for every edge.
    #[command(after_help = EXIT_STATUS)]
    Edges(EdgesArgs),
    /// Find the surface that chains bury in each other: a row for every pair of touching chains.
    #[command(after_help = EXIT_STATUS)]
    Interface(InterfaceArgs),
    /// List ligands, ions and sugars: what they bury, touch, and are bonded to, and in which site they sit.
    #[command(after_help = EXIT_STATUS)]
    Ligands(LigandsArgs),
    /// List atoms: radius, accessible area, depth, and the chains that bury it: a row for every heavy atom.
    ///
    /// -o x.rsa writes areas of residues as FreeSASA or NACCESS does (--rsa), -o x.pdb atoms with their radii and areas.
    #[command(after_help = EXIT_STATUS)]
    Atoms(AtomsArgs),
    /// Score the chains of predicted complexes by their predicted aligned errors: a row for every pair of chains.
    #[command(after_help = EXIT_STATUS)]
    Confidence(ConfidenceArgs),
    /// Sum up structures: a row for each structure, and one for each of its chains.
    #[command(after_help = EXIT_STATUS)]
    Summary(SummaryArgs),
    /// Compare models of a complex with a reference: DockQ and its parts, a row for every interface.
    #[command(after_help = EXIT_STATUS)]
    Dockq(DockqArgs),
    /// Write secondary structure in the format of mkdssp, with hydrogen bonds, ladders, angles and its accessible surface.
    #[command(after_help = EXIT_STATUS)]
    Dssp(DsspArgs),
    /// Report what would be read, dropped, chosen or refused, without computing.
    #[command(after_help = EXIT_STATUS)]
    Check(CheckArgs),
    /// Read structures once into a data set, which other commands load faster.
    #[command(after_help = EXIT_STATUS)]
    Pack(PackArgs),
    /// Show structures, features and sites in one self-contained HTML file.
    #[command(after_help = EXIT_STATUS)]
    Report(ReportArgs),
    /// Concatenate the parts of a run into a folder in one Parquet file.
    Merge(MergeArgs),
    /// Show devices, driver, kernels and the default backend.
    Info(InfoArgs),
    /// Write manual pages or shell completions.
    Generate(GenerateArgs),
}

const EXIT_STATUS: &str = "\
Exit status: 0 all done; 1 nothing written; 2 wrong usage; 3 some inputs failed, or a file beside the table
(--status, --provenance), and the rest is written; 130 interrupted by Ctrl-C (143: by SIGTERM, 129: by SIGHUP),
and no file written.";

#[derive(Debug, Args)]
pub struct FeaturesArgs {
    /// Files, archives (tar, zip), packed data sets, directories of files and archives, or - for standard input.
    #[arg(value_name = "PATH", required_unless_present_any = ["list", "explain", "from_file"])]
    pub paths: Vec<PathBuf>,

    /// Output file; its extension gives the format: .csv, .tsv, .jsonl (each also .gz), .arrow, .parquet, .npz; a folder,
    /// ending with /, gets Parquet in parts [default: CSV on standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Features to write, in this order, after the columns that identify the residue. If the list names one of those, only
    /// the listed columns are written.
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub columns: Option<Vec<String>>,

    /// Show the table of features and exit.
    #[arg(long, conflicts_with = "explain")]
    pub list: bool,

    /// Show a column's definition, formula, source, and where it is undefined, and exit.
    #[arg(long, value_name = "COLUMN")]
    pub explain: Option<String>,

    /// Format of --list and --explain.
    #[arg(long, value_enum, default_value_t = FormatArg::Text, hide_short_help = true)]
    pub format: FormatArg,

    #[command(flatten)]
    pub job: JobArgs,

    #[command(flatten)]
    pub trajectory: TrajectoryArgs,

    /// Write statistics of each residue over all frames in place of the frames: mean, sd, min, max, median, q05 and other quantiles.
    ///
    /// Angles on a circle have mean and sd alone; of the state ss there is the share of frames in each. Quantiles are exact for up to
    /// 1,024 frames, and within 0.5% of a value beyond.
    #[arg(
        long,
        value_name = "STATISTIC,...",
        requires = "trajectory",
        help_heading = "Trajectories",
        hide_short_help = true
    )]
    pub reduce: Option<Statistics>,

    /// CSV with the columns structure,chain,resnum,icode and any of conservation,gisaid_freq,gisaid_velocity.
    #[arg(long, value_name = "FILE.csv", help_heading = "Reading", hide_short_help = true)]
    pub annotations: Option<PathBuf>,

    /// CSV with the columns lineage,date,count or frequency, and country,total,substitutions. Each structure is computed for
    /// each lineage in each country, with its substitutions, gisaid_freq and gisaid_velocity.
    #[arg(long, value_name = "TABLE.csv", help_heading = "Reading", hide_short_help = true)]
    pub lineages: Option<PathBuf>,

    /// Write features of smaller magnitude as 0.
    #[arg(
        long,
        value_name = "X",
        default_value_t = 0.0,
        allow_negative_numbers = true,
        help_heading = "Computing",
        hide_short_help = true
    )]
    pub min_feature_value: f32,

    /// Write a copy of each structure's file (PDB or mmCIF; BinaryCIF as mmCIF) to this folder, with a column's values in its B column, and scripts
    /// that show it in PyMOL (.pml) and ChimeraX (.cxc). -999 means no value.
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["assembly", "each", "model", "lineages"], hide_short_help = true)]
    pub write_structures: Option<PathBuf>,

    /// Column for --write-structures; values from 0 to 1 are written in hundredths.
    #[arg(
        long,
        value_name = "COLUMN",
        default_value = "site_score",
        requires = "write_structures",
        hide_short_help = true
    )]
    pub color_by: String,

    /// Write each structure as mmCIF that Mol* colours by columns: those of --columns that are numbers, or rsa, depth, site_score,
    /// conservation and plddt. A .cif for one structure, or a folder for any number.
    #[arg(
        long,
        value_name = "FILE.cif|FOLDER",
        conflicts_with_all = ["assembly", "each", "model", "lineages", "write_structures", "trajectory", "shard"],
        hide_short_help = true
    )]
    pub annotate: Option<PathBuf>,

    #[command(flatten)]
    pub folder: FolderArgs,

    #[command(flatten)]
    pub provenance: ProvenanceArgs,
}

#[derive(Debug, Args)]
pub struct CheckArgs {
    /// Files, archives (tar, zip), packed data sets, directories of files and archives, or - for standard input.
    #[arg(value_name = "PATH", required_unless_present = "from_file")]
    pub paths: Vec<PathBuf>,

    /// One line of text or one JSON object per input.
    #[arg(long, value_enum, default_value_t = FormatArg::Text)]
    pub format: FormatArg,

    #[command(flatten)]
    pub read: ReadArgs,
}

#[derive(Debug, Args)]
pub struct PackArgs {
    /// Files, archives (tar, zip), packed data sets, directories of files and archives, or - for standard input.
    #[arg(value_name = "PATH", required_unless_present = "from_file")]
    pub paths: Vec<PathBuf>,

    /// Output file, an .arrow
    #[arg(short, long, value_name = "FILE.arrow")]
    pub output: PathBuf,

    #[command(flatten)]
    pub read: ReadArgs,
}

#[derive(Debug, Args)]
pub struct ReportArgs {
    /// Files, archives (tar, zip), packed data sets, directories of files and archives, or - for standard input.
    #[arg(value_name = "PATH", required_unless_present = "from_file")]
    pub paths: Vec<PathBuf>,

    /// Output file, an .html
    #[arg(short, long, value_name = "FILE.html", display_order = 1)]
    pub output: PathBuf,

    /// Title of the report [default: the number of structures, or the name of a single one]
    #[arg(long, value_name = "TEXT", display_order = 2)]
    pub title: Option<String>,

    /// Number of structures, from the first, that get their own page. The table has all of them.
    #[arg(long, value_name = "N", default_value_t = 500, display_order = 2)]
    pub details: usize,

    /// Show paths of inputs as they were given, instead of their names alone.
    #[arg(long, display_order = 2)]
    pub full_paths: bool,

    /// Show predicted aligned errors and scores of chains, from the files beside each model (docs/confidence.md).
    #[arg(long, conflicts_with = "trajectory", display_order = 3)]
    pub pae: bool,

    #[command(flatten)]
    pub job: JobArgs,

    #[command(flatten)]
    pub trajectory: TrajectoryArgs,

    #[command(flatten)]
    pub provenance: ProvenanceArgs,
}

#[derive(Debug, Args)]
pub struct MergeArgs {
    /// Folders written by one command with -o FOLDER/: one, or those of several shards.
    #[arg(value_name = "FOLDER", required = true)]
    pub folders: Vec<PathBuf>,

    /// Output file
    #[arg(short, long, value_name = "FILE.parquet")]
    pub output: PathBuf,
}

/// Options of a run into a folder.
#[derive(Debug, Args)]
#[command(next_help_heading = "Running")]
pub struct FolderArgs {
    /// Continue the run in the folder of --output and keep its finished parts, or start it if there is none.
    #[arg(long, hide_short_help = true)]
    pub resume: bool,

    /// Compute the k-th of n shares, counted from 1, of the parts in a folder or else of the inputs; other processes compute the
    /// others. With --resume they may share the folder, and the first one starts the run.
    #[arg(long, value_name = "K/N", hide_short_help = true)]
    pub shard: Option<Shard>,

    /// Most inputs, or frames of a trajectory, in a part of a run into a folder.
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = part_inputs, hide_short_help = true)]
    pub part_inputs: usize,
}

fn part_inputs(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|&inputs| inputs > 0).ok_or_else(|| "give a number above 0".to_owned())
}

#[derive(Debug, Args)]
pub struct InfoArgs {
    /// Text for people, or JSON for programs.
    #[arg(long, value_enum, default_value_t = FormatArg::Text)]
    pub format: FormatArg,
}

#[derive(Debug, Args)]
pub struct GenerateArgs {
    /// What to write.
    #[arg(value_enum)]
    pub what: Generated,

    /// Folder for the files, which get the names that systems expect [default: all to standard output]
    #[arg(short, long, value_name = "FOLDER")]
    pub output: Option<PathBuf>,
}

/// Files that can be generated.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Generated {
    /// Pages of the manual: prism.1 and one for each command.
    Man,
    /// Completions for bash.
    CompleteBash,
    /// Completions for zsh.
    CompleteZsh,
    /// Completions for fish.
    CompleteFish,
    /// Completions for PowerShell.
    CompletePowershell,
}

/// Which structures to read, and how to compute.
#[derive(Debug, Args)]
#[command(next_help_heading = "Computing")]
pub struct JobArgs {
    /// Where to compute.
    #[arg(long, default_value = "auto", value_parser = BackendArg::parser())]
    pub backend: BackendArg,

    /// CUDA devices, by number, or all of them; they share the work [default: the first usable]
    #[arg(long = "device", visible_alias = "devices", value_name = "N,...|all", value_delimiter = ',')]
    pub devices: Vec<DeviceArg>,

    /// Alpha carbons closer than this are in contact.
    #[arg(long, value_name = "ANGSTROM", default_value_t = 8.0, allow_negative_numbers = true, hide_short_help = true)]
    pub contact_threshold: f32,

    /// Test points on each atom's sphere, 20 to 5000: more are more accurate and take longer.
    ///
    /// `prism sites` has points of its own, whatever the number. There a file name writes the scored surface points of one structure for
    /// viewers: .pdb (probabilities in hundredths in the B column) or .ply (coloured).
    #[arg(long, value_name = "N", default_value = "100", allow_negative_numbers = true)]
    pub points: Vec<PointsArg>,

    /// Residues with at least this site_score, above 0 and at most 1, line the site of their best atom, wherever its centre is.
    #[arg(long, value_name = "T", default_value_t = DEFAULT_THRESHOLD, allow_negative_numbers = true,
        hide_short_help = true)]
    pub site_threshold: f32,

    #[command(flatten)]
    pub read: ReadArgs,

    /// Write the status of each input: residues, chains, models, kinds of notes, error, milliseconds of reading.
    #[arg(long, value_name = "FILE.csv", help_heading = "Running", hide_short_help = true)]
    pub status: Option<PathBuf>,

    /// Print the time of each stage to standard error.
    #[arg(long, value_enum, value_name = "FORM", num_args = 0..=1, require_equals = true,
        default_missing_value = "text", help_heading = "Running", hide_short_help = true)]
    pub timings: Option<FormatArg>,
}

/// The value of `--points`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PointsArg {
    /// The number of test points.
    Number(u32),
    /// The file for surface points.
    File(PathBuf),
}

impl FromStr for PointsArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.ends_with(".pdb") || text.ends_with(".ply") {
            return Ok(Self::File(text.into()));
        }
        let number: i64 = text.parse().map_err(|error: std::num::ParseIntError| error.to_string())?;
        match u32::try_from(number) {
            Ok(points) if (MIN_POINTS..=MAX_POINTS).contains(&points) => Ok(Self::Number(points)),
            _ => Err(format!("{number} is not in {MIN_POINTS}..={MAX_POINTS}")),
        }
    }
}

impl Command {
    /// What it says of reading, of a command whose table has no rows of ligands.
    pub fn reading_without_hetero_rows(&self) -> Option<&ReadArgs> {
        match self {
            Self::Sites(args) => Some(&args.job.read),
            Self::Edges(args) => Some(&args.relation.job.read),
            Self::Interface(args) => Some(&args.relation.job.read),
            Self::Ligands(args) => Some(&args.described.job.read),
            Self::Atoms(args) => Some(&args.described.job.read),
            Self::Summary(args) => Some(&args.relation.job.read),
            Self::Dockq(args) => Some(&args.relation.job.read),
            Self::Dssp(args) => Some(&args.read),
            Self::Check(args) => Some(&args.read),
            Self::Pack(args) => Some(&args.read),
            Self::Report(args) => Some(&args.job.read),
            Self::Features(_) | Self::Confidence(_) | Self::Merge(_) | Self::Info(_) | Self::Generate(_) => None,
        }
    }
}

impl JobArgs {
    /// The number of test points.
    pub fn n_points(&self) -> u32 {
        let number = |one: &PointsArg| if let PointsArg::Number(points) = one { Some(*points) } else { None };
        self.points.iter().rev().find_map(number).unwrap_or(100)
    }

    /// Refuses a file for surface points, which only `prism sites` writes.
    pub fn refuse_points_file(&self) -> Result<(), Failure> {
        let advice = "--points takes a number here; `prism sites` writes surface points";
        self.points_file().map_or(Ok(()), |_| Err(Failure::usage(anyhow::anyhow!(advice))))
    }

    /// The file for surface points.
    pub fn points_file(&self) -> Option<&PathBuf> {
        self.points.iter().rev().find_map(|one| if let PointsArg::File(path) = one { Some(path) } else { None })
    }
}

/// Options of provenance.
#[derive(Debug, Args)]
#[command(next_help_heading = "Provenance")]
pub struct ProvenanceArgs {
    /// Write the provenance of the table as JSON: version, command line, configuration, backend, kernels. Most formats also
    /// contain it; CSV, TSV and JSON lines have no place for it.
    #[arg(long, value_name = "FILE.json", hide_short_help = true)]
    pub provenance: Option<PathBuf>,

    /// Record SHA-256 digests of the inputs: of each in --provenance, of all of them in the table.
    #[arg(long, hide_short_help = true)]
    pub digests: bool,
}

/// Text or JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FormatArg {
    /// Text for people.
    Text,
    /// JSON for programs.
    Json,
}

/// The value of `--device`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceArg {
    All,
    Number(usize),
}

impl FromStr for DeviceArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "all" => Ok(Self::All),
            number => number.parse().map(Self::Number).map_err(|_| "give numbers of devices, or `all`".to_owned()),
        }
    }
}

/// `k/n`: the k-th of n processes that share a run, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    pub number: usize,
    pub of: usize,
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('/').and_then(|(k, n)| Some((k.parse().ok()?, n.parse().ok()?)));
        match numbers {
            Some((number, of)) if 1 <= number && number <= of => Ok(Self { number, of }),
            _ => Err("give it as k/n, such as 1/4 to 4/4".to_owned()),
        }
    }
}

impl Shard {
    /// Whether this process computes a part.
    pub fn has(self, part: usize) -> bool {
        part % self.of == self.number - 1
    }

    /// The share of some inputs.
    pub fn of_inputs<T>(self, all: Vec<T>) -> anyhow::Result<Vec<T>> {
        let own = all.into_iter().enumerate().filter(|(index, _)| self.has(*index));
        let own: Vec<T> = own.map(|(_, input)| input).collect();
        let Self { number, of } = self;
        anyhow::ensure!(!own.is_empty(), "--shard {number}/{of}: there is no input for this share; take fewer shares");
        Ok(own)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn short_help_is_short_and_long_help_has_all() {
        let mut command = Cli::command();
        command.build();
        for name in ["features", "sites", "pack", "check"] {
            let command = command.find_subcommand_mut(name).expect("a command");
            let (short, long) = (command.render_help().to_string(), command.render_long_help().to_string());
            let options = |help: &str| help.lines().filter(|line| line.trim_start().starts_with('-')).count();
            assert!(options(&short) <= 14 && short.lines().count() <= 48, "{name}: {short}");
            for argument in command.get_arguments().filter_map(clap::Arg::get_long) {
                assert!(long.contains(&format!("--{argument}")), "{name}: --{argument} is not in the help");
            }
        }
    }
}
