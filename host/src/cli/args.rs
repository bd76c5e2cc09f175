//! The command line.
//!
//! `-h` shows what is used most, `--help` all of it, in groups. Options that are hidden in the short help say so here.

mod relations;

pub use relations::{EdgesArgs, InterfaceArgs, KindArg, RelationArgs, SummaryArgs};

use super::reading::ReadArgs;
use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};
use prism_host::engine::Backend;
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

/// What every command takes.
#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
pub struct GlobalArgs {
    /// Threads that read, and as many that compute on the CPU [default: one for each core]
    #[arg(short = 'j', long, value_name = "N", global = true, value_parser = threads, display_order = 900)]
    pub threads: Option<usize>,

    /// Say nothing but errors.
    #[arg(short, long, global = true, conflicts_with = "verbose", display_order = 901)]
    pub quiet: bool,

    /// Say more: which files are ignored, what is chosen; -vv as well what only helps to find faults.
    #[arg(short, long, global = true, action = ArgAction::Count, display_order = 902)]
    pub verbose: u8,
}

fn threads(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|threads| (1..=4096).contains(threads));
    number.ok_or_else(|| "give a number from 1 to 4096".to_owned())
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Compute a table with a row for every residue.
    #[command(after_help = EXIT_STATUS)]
    Features(FeaturesArgs),
    /// Find where ligands may bind: a line for every site.
    #[command(after_help = EXIT_STATUS)]
    Sites(SitesArgs),
    /// List pairs of residues in contact: a line for every edge.
    #[command(after_help = EXIT_STATUS)]
    Edges(EdgesArgs),
    /// Find the surface that chains bury in each other: a line for every pair of chains that touch.
    #[command(after_help = EXIT_STATUS)]
    Interface(InterfaceArgs),
    /// Sum up structures: a line for each, and one for each of its chains.
    #[command(after_help = EXIT_STATUS)]
    Summary(SummaryArgs),
    /// Say what would be read of structures, dropped, chosen or refused, and compute nothing.
    #[command(after_help = EXIT_STATUS)]
    Check(CheckArgs),
    /// Read structures once, into a file from which `features` and `sites` compute without reading them again.
    #[command(after_help = EXIT_STATUS)]
    Pack(PackArgs),
    /// Show structures, features and sites in an HTML file that loads nothing from elsewhere.
    #[command(after_help = EXIT_STATUS)]
    Report(ReportArgs),
    /// Put the parts of a run into a folder one after another, into one Parquet file.
    Merge(MergeArgs),
    /// Show devices, driver, kernels and the backend that would be taken.
    Info(InfoArgs),
    /// Write the manual's pages, or a shell's completions.
    Generate(GenerateArgs),
}

const EXIT_STATUS: &str = "\
Exit status: 0 all done; 1 nothing written; 2 wrong usage; 3 some inputs failed, the others are written;
130 interrupted by Ctrl-C (143: by SIGTERM, 129: by SIGHUP), and no file written.";

#[derive(Debug, Args)]
pub struct FeaturesArgs {
    /// Files, tars and packed data sets, directories to walk for them, or - for standard input.
    #[arg(value_name = "PATH", required_unless_present_any = ["list", "explain", "from_file"])]
    pub paths: Vec<PathBuf>,

    /// Where to write; the extension says the format: .csv, .tsv, .jsonl (each also .gz), .arrow, .parquet, .npz; a folder,
    /// ending with /, takes Parquet in parts [default: CSV on standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Features to write, in this order, after the columns that say which residue a row is. Where one of those is
    /// named too, exactly what is named is written.
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub columns: Option<Vec<String>>,

    /// Show the table of features and do nothing else.
    #[arg(long, conflicts_with = "explain")]
    pub list: bool,

    /// Show a column's definition, formula, source, and where it is not defined, and do nothing else.
    #[arg(long, value_name = "COLUMN")]
    pub explain: Option<String>,

    /// The form of --list and --explain.
    #[arg(long, value_enum, default_value_t = FormatArg::Text, hide_short_help = true)]
    pub format: FormatArg,

    #[command(flatten)]
    pub job: JobArgs,

    /// CSV with the columns structure,chain,resnum,icode and any of conservation,gisaid_freq,gisaid_velocity.
    #[arg(long, value_name = "FILE.csv", help_heading = "Reading", hide_short_help = true)]
    pub annotations: Option<PathBuf>,

    /// CSV with the columns lineage,date,count or frequency, and country,total,substitutions: gives each structure once for
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

    /// Write each structure's file (PDB or mmCIF) again into this folder, with a column's values in its B column, and scripts that
    /// show it in PyMOL (.pml) and ChimeraX (.cxc). -999 stands for no value.
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["assembly", "model", "lineages"], hide_short_help = true)]
    pub write_structures: Option<PathBuf>,

    /// The column for --write-structures; what lies between 0 and 1 is written in hundredths.
    #[arg(
        long,
        value_name = "COLUMN",
        default_value = "site_score",
        requires = "write_structures",
        hide_short_help = true
    )]
    pub color_by: String,

    #[command(flatten)]
    pub folder: FolderArgs,

    #[command(flatten)]
    pub provenance: ProvenanceArgs,
}

#[derive(Debug, Args)]
pub struct SitesArgs {
    /// Files, tars and packed data sets, directories to walk for them, or - for standard input.
    #[arg(value_name = "PATH", required_unless_present = "from_file")]
    pub paths: Vec<PathBuf>,

    /// Where to write; the extension says the format: csv, tsv or jsonl (each also .gz), json, arrow or parquet
    /// [default: CSV on standard output]
    #[arg(short, long, value_name = "FILE", display_order = 1)]
    pub output: Option<PathBuf>,

    /// Write N sites of a structure at most.
    #[arg(long, value_name = "N", default_value_t = 20, display_order = 2)]
    pub max_sites: usize,

    /// Leave out sites with a lower score.
    #[arg(long, value_name = "X", default_value_t = 0.0, allow_negative_numbers = true, display_order = 3)]
    pub min_score: f32,

    /// Write a script that shows the sites of one structure in PyMOL (.pml) or ChimeraX (.cxc).
    #[arg(long, value_name = "FILE", display_order = 4)]
    pub script: Option<PathBuf>,

    /// Write the file of one structure again with site_score, in hundredths, in its B column (.pdb or .cif, as it is).
    #[arg(long, value_name = "FILE", display_order = 5)]
    pub write_structure: Option<PathBuf>,

    #[command(flatten)]
    pub job: JobArgs,

    #[command(flatten)]
    pub provenance: ProvenanceArgs,
}

#[derive(Debug, Args)]
pub struct CheckArgs {
    /// Files, tars and packed data sets, directories to walk for them, or - for standard input.
    #[arg(value_name = "PATH", required_unless_present = "from_file")]
    pub paths: Vec<PathBuf>,

    /// A line for each input as text, or a JSON object for each.
    #[arg(long, value_enum, default_value_t = FormatArg::Text)]
    pub format: FormatArg,

    #[command(flatten)]
    pub read: ReadArgs,
}

#[derive(Debug, Args)]
pub struct PackArgs {
    /// Files, tars and packed data sets, directories to walk for them, or - for standard input.
    #[arg(value_name = "PATH", required_unless_present = "from_file")]
    pub paths: Vec<PathBuf>,

    /// Where to write the packed data set, an .arrow
    #[arg(short, long, value_name = "FILE.arrow")]
    pub output: PathBuf,

    #[command(flatten)]
    pub read: ReadArgs,
}

#[derive(Debug, Args)]
pub struct ReportArgs {
    /// Files, tars and packed data sets, directories to walk for them, or - for standard input.
    #[arg(value_name = "PATH", required_unless_present = "from_file")]
    pub paths: Vec<PathBuf>,

    /// Where to write, an .html
    #[arg(short, long, value_name = "FILE.html", display_order = 1)]
    pub output: PathBuf,

    /// Structures that get a page of their own, at most: the first ones. All of them stand in the table.
    #[arg(long, value_name = "N", default_value_t = 500, display_order = 2)]
    pub details: usize,

    #[command(flatten)]
    pub job: JobArgs,

    #[command(flatten)]
    pub provenance: ProvenanceArgs,
}

#[derive(Debug, Args)]
pub struct MergeArgs {
    /// Folders that `prism features -o FOLDER/` wrote: one, or those of several shards.
    #[arg(value_name = "FOLDER", required = true)]
    pub folders: Vec<PathBuf>,

    /// Where to write
    #[arg(short, long, value_name = "FILE.parquet")]
    pub output: PathBuf,
}

/// A run into a folder.
#[derive(Debug, Args)]
#[command(next_help_heading = "Running")]
pub struct FolderArgs {
    /// Go on with the run in the folder of --output, whose finished parts stay; begin it where there is none.
    #[arg(long, hide_short_help = true)]
    pub resume: bool,

    /// Do the k-th of n shares of a run into a folder, counted from 1; other processes do the others.
    #[arg(long, value_name = "K/N", hide_short_help = true)]
    pub shard: Option<Shard>,

    /// Inputs in a part of a run into a folder, at most.
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = part_inputs, hide_short_help = true)]
    pub part_inputs: usize,
}

fn part_inputs(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|&inputs| inputs > 0).ok_or_else(|| "give a number above 0".to_owned())
}

#[derive(Debug, Args)]
pub struct InfoArgs {
    /// As text for people, or as JSON for programs.
    #[arg(long, value_enum, default_value_t = FormatArg::Text)]
    pub format: FormatArg,
}

#[derive(Debug, Args)]
pub struct GenerateArgs {
    /// What to write.
    #[arg(value_enum)]
    pub what: Generated,

    /// A folder for the files, each under the name that a system looks for [default: all to standard output]
    #[arg(short, long, value_name = "FOLDER")]
    pub output: Option<PathBuf>,
}

/// What can be generated.
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
    #[arg(long, value_enum, default_value_t = BackendArg::Auto)]
    pub backend: BackendArg,

    /// CUDA devices to use, by number, or all of them; they share the work [default: the first usable]
    #[arg(long = "device", visible_alias = "devices", value_name = "N,...|all", value_delimiter = ',')]
    pub devices: Vec<DeviceArg>,

    /// Alpha carbons closer than this are in contact.
    #[arg(long, value_name = "ANGSTROM", default_value_t = 8.0, allow_negative_numbers = true, hide_short_help = true)]
    pub contact_threshold: f32,

    /// Test points on each atom's sphere, 20 to 5000: more are more accurate and take longer.
    ///
    /// `prism sites` takes a file here, too: where the scored surface points of one structure are to be written, coloured,
    /// for viewers; a .pdb (probabilities in hundredths in the B column) or a .ply.
    #[arg(long, value_name = "N", default_value = "100", allow_negative_numbers = true)]
    pub points: Vec<PointsArg>,

    /// Residues with at least this site_score, above 0 and at most 1, may be part of a site.
    #[arg(long, value_name = "T", default_value_t = DEFAULT_THRESHOLD, allow_negative_numbers = true,
        hide_short_help = true)]
    pub site_threshold: f32,

    #[command(flatten)]
    pub read: ReadArgs,

    /// Write there what became of each input: residues, chains, models, kinds of notes, error, milliseconds of reading.
    #[arg(long, value_name = "FILE.csv", help_heading = "Running", hide_short_help = true)]
    pub status: Option<PathBuf>,

    /// Say on standard error how long each stage of the work took.
    #[arg(long, value_enum, value_name = "FORM", num_args = 0..=1, require_equals = true,
        default_missing_value = "text", help_heading = "Running", hide_short_help = true)]
    pub timings: Option<FormatArg>,
}

/// What `--points` says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PointsArg {
    /// How many test points.
    Number(u32),
    /// Where surface points go.
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

impl JobArgs {
    /// How many test points.
    pub fn n_points(&self) -> u32 {
        let number = |one: &PointsArg| if let PointsArg::Number(points) = one { Some(*points) } else { None };
        self.points.iter().rev().find_map(number).unwrap_or(100)
    }

    /// Where surface points go.
    pub fn points_file(&self) -> Option<&PathBuf> {
        self.points.iter().rev().find_map(|one| if let PointsArg::File(path) = one { Some(path) } else { None })
    }
}

/// What is kept of how a table came about.
#[derive(Debug, Args)]
#[command(next_help_heading = "Provenance")]
pub struct ProvenanceArgs {
    /// Write there, as JSON, what the table was computed with: version, command line, configuration, backend, kernels. Most
    /// formats hold it themselves; CSV, TSV and JSON lines have no room for it.
    #[arg(long, value_name = "FILE.json", hide_short_help = true)]
    pub provenance: Option<PathBuf>,

    /// Keep a SHA-256 of the inputs too: of each in --provenance, of all of them in the table.
    #[arg(long, hide_short_help = true)]
    pub digests: bool,
}

/// For whom something is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FormatArg {
    /// For people.
    Text,
    /// For programs.
    Json,
}

/// What `--device` names.
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
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum BackendArg {
    /// CUDA where a usable device is, else the CPU.
    Auto,
    /// CUDA, or an error.
    Cuda,
    /// CPU cores.
    Cpu,
}

impl From<BackendArg> for Backend {
    fn from(backend: BackendArg) -> Self {
        match backend {
            BackendArg::Auto => Self::Auto,
            BackendArg::Cuda => Self::Cuda,
            BackendArg::Cpu => Self::Cpu,
        }
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
