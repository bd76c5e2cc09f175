//! Arguments of `prism edges`, `prism interface` and `prism summary`.

use super::{BackendArg, FolderArgs, JobArgs, ProvenanceArgs, TrajectoryArgs};
use crate::cli::failure::Failure;
use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use prism_host::contacts::EdgeKind;
use prism_host::interactions::Kind;
use prism_host::output::EdgeAttribute;
use prism_host::read::ReadOptions;
use std::path::PathBuf;
use std::sync::LazyLock;

/// Arguments that these commands share.
#[derive(Debug, Args)]
pub struct RelationArgs {
    /// Files, archives (tar, zip), packed data sets, directories of files and archives, or - for standard input.
    #[arg(value_name = "PATH", required_unless_present = "from_file")]
    pub paths: Vec<PathBuf>,

    /// Output file; its extension gives the format: csv, tsv or jsonl (each also .gz), json, arrow or parquet;
    /// a folder, ending with /, gets Parquet in parts [default: CSV on standard output]
    #[arg(short, long, value_name = "FILE", display_order = 1)]
    pub output: Option<PathBuf>,

    #[command(flatten)]
    pub job: JobArgs,

    #[command(flatten)]
    pub folder: FolderArgs,

    #[command(flatten)]
    pub trajectory: TrajectoryArgs,

    #[command(flatten)]
    pub provenance: ProvenanceArgs,
}

#[derive(Debug, Args)]
pub struct EdgesArgs {
    /// Edges of residues with rows (ca, atom, knn, sequence, hbond_backbone, bridge), or interactions of all atoms (hbond, salt_bridge,
    /// ...; --list shows all).
    ///
    /// ca: alpha carbons closer than --contact-threshold; atom: heavy atoms within --cutoff; knn: to the nearest --neighbors;
    /// sequence: along the chain; hbond_backbone, bridge: by DSSP. Interactions are those of residues, ligands, nucleotides, ions and
    /// waters, by chain, number and name, with their atoms.
    #[arg(long, value_enum, value_name = "KIND,...", value_delimiter = ',', display_order = 2, hide_possible_values = true,
        default_values_t = [KindArg::Contact(EdgeKind::AlphaCarbons), KindArg::Contact(EdgeKind::Atoms)])]
    pub kinds: Vec<KindArg>,

    /// Add predicted aligned errors and probabilities of contacts, from the files beside each model (docs/confidence.md): of both
    /// directions the mean and the smaller.
    #[arg(long, conflicts_with = "trajectory", display_order = 4)]
    pub pae: bool,

    /// A line for each pair that is in contact in any frame of --trajectory, with the share of frames.
    #[arg(long, requires = "trajectory", display_order = 3)]
    pub occupancy: bool,

    /// Ends by rows, or by chain, number and name [default: rows, but residues for interactions, which have no rows]
    #[arg(long, value_enum, value_name = "rows|residues", display_order = 3)]
    pub ids: Option<IdsArg>,

    /// Heavy atoms of kind atom within this distance, at most 20, are in contact [default: 4.5]
    #[arg(long, value_name = "ANGSTROM", allow_negative_numbers = true, value_parser = cutoff, display_order = 4)]
    pub cutoff: Option<f32>,

    /// Add columns for networks: rbf, 16 Gaussians of the distance; frame, the second residue in the local frame of the first one.
    #[arg(
        long,
        value_enum,
        value_name = "rbf,frame",
        value_delimiter = ',',
        hide_possible_values = true,
        conflicts_with = "occupancy",
        display_order = 3
    )]
    pub attributes: Vec<AttributeArg>,

    /// Nearest residues of each one, for kind knn [default: 30]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000), display_order = 4)]
    pub neighbors: Option<u32>,

    /// Residues at most this many rows apart along a chain follow each other, for kind sequence [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000), display_order = 4)]
    pub steps: Option<u32>,

    /// Bonds of ligands for interactions: a file of the Chemical Component Dictionary [default: those in the input, else geometry]
    #[arg(long, value_name = "FILE", display_order = 5)]
    pub ccd: Option<PathBuf>,

    /// Show the kinds and exit.
    #[arg(long, exclusive = true, hide_short_help = true)]
    pub list: bool,

    /// Show the rule, cut-offs and sources of a kind or an attribute, and exit.
    #[arg(long, value_name = "KIND", exclusive = true, hide_short_help = true)]
    pub explain: Option<String>,

    #[command(flatten)]
    pub relation: RelationArgs,
}

fn cutoff(text: &str) -> Result<f32, String> {
    let number = text.parse().ok().filter(|cutoff: &f32| *cutoff > 0.0 && *cutoff <= 20.0);
    number.ok_or_else(|| "give a distance above 0 and at most 20 Å".to_owned())
}

/// How tables name residues.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum IdsArg {
    /// By their rows.
    Rows,
    /// By chain, number, insertion code and name.
    Residues,
}

/// Further columns of edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttributeArg(pub EdgeAttribute);

impl ValueEnum for AttributeArg {
    fn value_variants<'a>() -> &'a [Self] {
        const { &[Self(EdgeAttribute::ALL[0]), Self(EdgeAttribute::ALL[1])] }
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.0.name()))
    }
}

/// What an edge is between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KindArg {
    Contact(EdgeKind),
    Interaction(Kind),
}

impl KindArg {
    /// Its name on the command line and in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Contact(kind) => kind.name(),
            Self::Interaction(kind) => kind.name(),
        }
    }

    /// The kind of interaction, if it is one.
    pub fn interaction(self) -> Option<Kind> {
        match self {
            Self::Contact(_) => None,
            Self::Interaction(kind) => Some(kind),
        }
    }
}

static KINDS: LazyLock<Vec<KindArg>> = LazyLock::new(|| {
    let contacts = EdgeKind::ALL.map(KindArg::Contact);
    contacts.into_iter().chain(Kind::ALL.iter().copied().map(KindArg::Interaction)).collect()
});

impl ValueEnum for KindArg {
    fn value_variants<'a>() -> &'a [Self] {
        &KINDS
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.name()))
    }
}

#[derive(Debug, Args)]
pub struct InterfaceArgs {
    /// Only the interface between these two chains, or groups such as H+L [default: all pairs of chains that touch]
    ///
    /// A group is chains joined by +, residues of a chain (A:10-50), protein, nucleic, ligand, ion, glycan, resname:NAME, or a selection
    /// as for --select. Between groups every atom counts, as with --all-atoms.
    #[arg(long, value_name = "A,B", value_delimiter = ',', num_args = 1, display_order = 2)]
    pub between: Option<Vec<String>>,

    /// Interfaces of all pairs of a structure's groups, from a table (CSV or TSV) with the columns structure, group and residues.
    ///
    /// A line is of one structure, by its name in tables; its residues are given as groups for --between. Several lines of a group add
    /// up. Every atom counts, as with --all-atoms.
    #[arg(long, value_name = "FILE", conflicts_with = "between", display_order = 2)]
    pub groups: Option<PathBuf>,

    /// Interfaces of nucleic acids, ligands, ions and sugars, too, with polar area and interactions counted.
    #[arg(long, display_order = 4)]
    pub all_atoms: bool,

    /// Add how the surfaces of groups fit: shape complementarity and the volume of gaps, where every atom counts
    #[arg(long, display_order = 5)]
    pub shape: bool,

    /// Bonds of ligands, as for `prism edges`, where every atom counts
    #[arg(long, value_name = "FILE", display_order = 5, hide_short_help = true)]
    pub ccd: Option<PathBuf>,

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

impl InterfaceArgs {
    /// Refuses what is of rows of proteins, where every atom counts.
    pub fn refuse_without_rows(&self) -> Result<(), Failure> {
        let read = &self.relation.job.read.options();
        let default = ReadOptions::default();
        let given = [
            (self.residues.is_some(), "--by-residue"),
            (self.pae, "--pae"),
            (self.relation.trajectory.given().is_some(), "--trajectory"),
            (self.relation.job.read.select.is_some(), "--select"),
            (self.relation.job.read.each.is_some(), "--each"),
            (read.residues != default.residues, "--residues"),
            (self.relation.job.read.polymers.is_some(), "--polymers"),
            (read.models != default.models, "--model"),
            (read.assembly.is_some(), "--assembly"),
            (read.cover, "--het"),
            (matches!(self.relation.job.backend, BackendArg::Cuda), "--backend cuda"),
            (!self.relation.job.devices.is_empty(), "--device"),
            (self.relation.job.timings.is_some(), "--timings"),
        ];
        match given.iter().find(|(is_given, _)| *is_given) {
            None => Ok(()),
            Some((_, option)) => {
                let why = "they are those of every atom of the first model, computed on CPU cores";
                Err(Failure::usage(anyhow::anyhow!("{option} has no effect on interfaces of groups: {why}")))
            }
        }
    }
}

#[derive(Debug, Args)]
pub struct SummaryArgs {
    #[command(flatten)]
    pub relation: RelationArgs,
}
