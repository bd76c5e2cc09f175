//! Options of reading: the inputs, and which parts of them to read.

use super::failure::Failure;
use super::files::Files;
use super::usage::refuse_divided;
use anyhow::anyhow;
use clap::{Args, ValueEnum};
use prism_host::StructureInput;
use prism_host::inputs::{self, Inputs, NameBy};
use prism_host::pipeline::{Batch, Outcome, Reading};
use prism_host::read::{Alternates, Each, Models, Polymers, ReadOptions, Residues, unmarked};
use prism_host::selection::ResidueSelection;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

/// Which structures to read.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Reading")]
pub struct ReadArgs {
    /// Read these chains only (author chain ids).
    #[arg(long, value_name = "ID,...", value_delimiter = ',')]
    pub chains: Option<Vec<String>>,

    /// Read these residues only, and drop the others before anything is computed: "chain A and resnum 10-50 or resname HEM". The words
    /// are chain, resnum, resname, icode, segid, protein, nucleic, hetero, all, none, within 5 of, around 5, and, or, not.
    #[arg(long, value_name = "SELECTION", hide_short_help = true)]
    pub select: Option<ResidueSelection>,

    /// Make a structure of each chain (x.pdb:A), molecule (chains bonded to each other, x.pdb:A+B), biological assembly (x.pdb:1), or
    /// model (x.pdb#2) [default: one of all chains of the first model]
    #[arg(long, value_enum, value_name = "chain|molecule|assembly|model", hide_short_help = true)]
    pub each: Option<EachArg>,

    /// Residues that get a row: every amino acid of a chain, including modified ones and force-field names, or only the 20
    /// standard names in ATOM records.
    #[arg(long, value_enum, default_value_t = ResiduesArg::All, hide_short_help = true)]
    pub residues: ResiduesArg,

    /// Polymers whose residues get a row: proteins, nucleic acids, or both. If the option is given, tables of residues have a column
    /// `polymer`. Residues of others have no row, like ligands [default: all]
    #[arg(long, value_enum, value_name = "protein|nucleic|all", hide_short_help = true)]
    pub polymers: Option<PolymersArg>,

    /// Alternate location of a residue: the one with the highest mean occupancy, the first record of each atom, or the one
    /// with this letter.
    #[arg(long, value_name = "highest|first|A", default_value = "highest", hide_short_help = true)]
    pub altloc: AltlocArg,

    /// Models to read: one by its number, each as its own structure (x.pdb#2), or all joined as the copies of an assembly, whose
    /// chains are called A, A-2, ... [default: the first]
    #[arg(
        long,
        visible_alias = "models",
        value_name = "N|all|join",
        allow_negative_numbers = true,
        hide_short_help = true
    )]
    pub model: Option<ModelArg>,

    /// Build the biological assembly of this id (mmCIF `pdbx_struct_assembly_gen`, PDB REMARK 350) of each file: copies
    /// of a chain A are called A, A-2, ...
    #[arg(long, value_name = "ID", hide_short_help = true)]
    pub assembly: Option<String>,

    /// Whether ligands, ions, cofactors, caps and nucleic acids cover surface; water never does. Atoms that cover
    /// also count in cx, depth, atomic_contacts and the scores of sites. They have no row; with `rows`, which `prism features`
    /// takes, ligands, ions, sugars and the like have rows after those of the polymers.
    #[arg(long, value_enum, default_value_t = HetArg::None, hide_short_help = true)]
    pub het: HetArg,

    /// Read the paths of inputs from a file, one per line; - for standard input.
    #[arg(long, value_name = "LIST", hide_short_help = true)]
    pub from_file: Option<PathBuf>,

    /// Names of structures: file names, paths, or names without extensions. The default is the file name, with as many
    /// folders as are needed to distinguish equal names.
    #[arg(long, value_enum, value_name = "name|path|stem", hide_short_help = true)]
    pub name_by: Option<NameByArg>,

    /// Name of the structure from standard input [default: stdin]
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    pub name: Option<String>,

    /// Report inputs that fail and write the others; this is the default.
    #[arg(long, conflicts_with = "fail_fast", help_heading = "Running", hide_short_help = true)]
    pub keep_going: bool,

    /// Stop at the first input that fails.
    #[arg(long, help_heading = "Running", hide_short_help = true)]
    pub fail_fast: bool,
}

impl ReadArgs {
    /// The parts of each file to read.
    pub fn options(&self) -> ReadOptions {
        ReadOptions {
            chains: self.chains.as_deref().map(trimmed),
            select: self.select.clone().map(Arc::new),
            each: match self.each {
                None | Some(EachArg::Model) => Each::Model,
                Some(EachArg::Chain) => Each::Chain,
                Some(EachArg::Molecule) => Each::Molecule,
                Some(EachArg::Assembly) => Each::Assembly,
            },
            residues: match self.residues {
                ResiduesArg::All => Residues::All,
                ResiduesArg::Standard => Residues::Standard,
            },
            polymers: match self.polymers {
                Some(PolymersArg::Protein) => Polymers::Protein,
                Some(PolymersArg::Nucleic) => Polymers::Nucleic,
                None | Some(PolymersArg::All) => Polymers::All,
            },
            alternates: self.altloc.0,
            models: match (self.model, self.each) {
                (Some(model), _) => model.0,
                (None, Some(EachArg::Model)) => Models::All,
                (None, _) => Models::First,
            },
            assembly: self.assembly.clone(),
            cover: !matches!(self.het, HetArg::None),
            hetero_rows: self.has_hetero_rows(),
            ..ReadOptions::default()
        }
    }

    /// Finds the inputs: first those of `paths`, then those listed in a file. None of them may be an output among `files`.
    pub fn discover(&self, paths: &[PathBuf], files: Files) -> Result<Inputs, Failure> {
        if self.each == Some(EachArg::Model) && self.model.is_some() {
            return Err(Failure::usage(anyhow!(
                "--each model takes every model, and --model others; give only one of both"
            )));
        }
        if self.each == Some(EachArg::Assembly) && self.assembly.is_some() {
            return Err(Failure::usage(anyhow!(
                "--each assembly builds every assembly, and --assembly one; give only one of both"
            )));
        }
        if let Some(chains) = &self.chains {
            // Names of files have a point, and author chain ids are short.
            let is_chain = |text: &str| text.len() <= 4 && text.chars().all(char::is_alphanumeric) && !text.is_empty();
            refuse_divided("--chains", chains, paths, is_chain)?;
        }
        let mut paths = paths.to_vec();
        if let Some(list) = &self.from_file {
            paths.extend(listed(list)?);
        }
        let standard_input = paths.iter().filter(|path| is_standard_input(path)).count();
        let listed = self.from_file.as_deref().is_some_and(is_standard_input);
        if standard_input + usize::from(listed) > 1 {
            return Err(Failure::usage(anyhow!("- is given twice; standard input can be read once")));
        }
        if self.name.is_some() && standard_input == 0 {
            return Err(Failure::usage(anyhow!("--name is for what comes through standard input; give - as a path")));
        }
        let name_by = match self.name_by {
            None => NameBy::Shortest,
            Some(NameByArg::Name) => NameBy::Name,
            Some(NameByArg::Path) => NameBy::Path,
            Some(NameByArg::Stem) => NameBy::Stem,
        };
        let name = self.name.as_deref().unwrap_or("stdin");
        let inputs = inputs::discover_by(&paths, name_by, name)
            .map_err(|error| Failure::usage(anyhow!("{error}; --name-by path names structures by their paths")))?;
        let list = self.from_file.as_deref().filter(|path| !is_standard_input(path));
        files.reads(list).check(&paths, &inputs.entries)?;
        if self.chooses() && inputs.has_packed() {
            let given = [
                ("--chains", self.chains.is_some()),
                ("--select", self.select.is_some()),
                ("--each", self.each.is_some()),
            ];
            let option = given.into_iter().find(|(_, is_given)| *is_given);
            let option =
                option.map_or("--residues, --polymers, --altloc, --model, --assembly, --het", |(option, _)| option);
            let advice = "structures of a packed data set are as they were packed; choose by `prism pack`";
            return Err(Failure::usage(anyhow!("{option}: {advice}")));
        }
        Ok(inputs)
    }

    /// Whether no option says which chains make a structure.
    pub fn joins_chains(&self) -> bool {
        let Self { chains, select, each, model, assembly, .. } = self;
        let is_join = model.is_some_and(|model| model.0 == Models::Join);
        chains.is_none()
            && select.is_none()
            && each.is_none_or(|each| each == EachArg::Model)
            && assembly.is_none()
            && !is_join
    }

    /// The option by which a file may give several structures, if one is given.
    pub fn divides(&self) -> Option<&'static str> {
        let is_all = self.model.is_some_and(|model| model.0 == Models::All);
        self.each.map(|_| "--each").or(is_all.then_some("--model all"))
    }

    /// Whether ligands, ions and the like have rows.
    pub fn has_hetero_rows(&self) -> bool {
        matches!(self.het, HetArg::Rows)
    }

    /// Refuses rows of ligands, which the table of features alone has.
    pub fn refuse_hetero_rows(&self) -> Result<(), Failure> {
        let advice = "--het rows: `prism features` has rows of ligands; give --het cover, or leave it out where that is refused, too";
        if self.has_hetero_rows() { Err(Failure::usage(anyhow!(advice))) } else { Ok(()) }
    }

    /// Whether only standard residues have rows.
    pub fn is_standard(&self) -> bool {
        matches!(self.residues, ResiduesArg::Standard)
    }

    /// Whether an option was given that packing has already decided.
    pub fn chooses(&self) -> bool {
        let options = self.options();
        self.polymers.is_some() || options != ReadOptions { polymers: options.polymers, ..ReadOptions::default() }
    }
}

/// The number of structures of several chains in a batch. Those of data sets were counted when they were packed.
pub fn joined(batch: &Batch) -> u64 {
    let readings = batch.readings.iter().copied().chain(std::iter::repeat(Reading::default()));
    let read = batch.outcomes.iter().zip(readings).filter(|(outcome, _)| matches!(outcome, Outcome::Read { .. }));
    let of = batch.structures.iter().zip(read).filter(|(_, (_, reading))| !reading.packed);
    let several = |structure: &StructureInput| {
        let chains = &structure.chain_ids[..structure.n_rows()];
        chains.iter().any(|chain| *chain != chains[0])
    };
    of.filter(|(structure, _)| several(structure)).count() as u64
}

/// Residues that get a row.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum ResiduesArg {
    /// Every amino acid of a chain.
    All,
    /// The 20 standard names in ATOM records.
    Standard,
}

/// Polymers whose residues get a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PolymersArg {
    /// Proteins.
    Protein,
    /// DNA and RNA.
    Nucleic,
    /// Both.
    All,
}

/// What becomes a structure of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EachArg {
    /// A chain.
    Chain,
    /// Chains that are bonded to each other, or one that is bonded to none.
    Molecule,
    /// A biological assembly.
    Assembly,
    /// A model.
    Model,
}

/// Atoms that cover surface besides residues.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum HetArg {
    /// Nothing.
    None,
    /// Everything except water.
    Cover,
    /// The same, and ligands, ions and the like have rows.
    Rows,
}

/// The choice among alternate locations.
#[derive(Clone, Copy, Debug)]
pub struct AltlocArg(pub Alternates);

impl FromStr for AltlocArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut letters = text.chars();
        match (text, letters.next(), letters.next()) {
            ("highest", ..) => Ok(Self(Alternates::Highest)),
            ("first", ..) => Ok(Self(Alternates::First)),
            (_, Some(letter), None) if letter.is_ascii_graphic() => Ok(Self(Alternates::Named(letter))),
            _ => Err("give `highest`, `first`, or one letter".to_owned()),
        }
    }
}

/// Which models to read.
#[derive(Clone, Copy, Debug)]
pub struct ModelArg(pub Models);

impl FromStr for ModelArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "all" => Ok(Self(Models::All)),
            "join" => Ok(Self(Models::Join)),
            number => number
                .parse()
                .map(|number| Self(Models::Number(number)))
                .map_err(|_| "give a number, `all`, or `join`".to_owned()),
        }
    }
}

/// Names of structures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum NameByArg {
    /// By the file's name.
    Name,
    /// By the path as given.
    Path,
    /// By the name without its extensions.
    Stem,
}

/// Names without the spaces around them. A blank chain then has the empty name, which means it, too.
pub fn trimmed(names: &[String]) -> Vec<String> {
    names.iter().map(|name| name.trim().to_owned()).collect()
}

fn is_standard_input(path: &Path) -> bool {
    path == Path::new("-")
}

/// The paths in a list, one per line, without blanks at their ends. Blank lines are skipped.
pub fn listed(list: &Path) -> Result<Vec<PathBuf>, Failure> {
    let bytes = match is_standard_input(list) {
        true => {
            let mut bytes = Vec::new();
            std::io::stdin().read_to_end(&mut bytes).map(|_| bytes)
        }
        false => std::fs::read(list),
    };
    let shown = list.display();
    let bytes = bytes.map_err(|error| Failure::work(anyhow!("--from-file {shown}: cannot be read: {error}")))?;
    let text = unmarked(&bytes);
    let lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end);
    let paths: Vec<PathBuf> = lines.filter(|line| !line.is_empty()).map(as_path).collect();
    if paths.is_empty() {
        return Err(Failure::work(anyhow!("--from-file {shown}: names no input; write a path in each line")));
    }
    Ok(paths)
}

#[cfg(unix)]
fn as_path(line: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(std::ffi::OsStr::from_bytes(line))
}

#[cfg(not(unix))]
fn as_path(line: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(line).into_owned())
}
