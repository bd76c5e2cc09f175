//! Options of a call. They have the names of the command's options.

use crate::table::Table;
use prism_host::annotations::Annotations;
use prism_host::atoms::{Algorithm, AtomOptions};
use prism_host::dockq::{Comparison, ParseChainChoiceError, Reference, read_reference, reading};
use prism_host::inputs::{Inputs, NameBy};
use prism_host::lineages::Lineages;
use prism_host::output::{AreasFormat, KnownPockets, ReferenceAreas};
use prism_host::radii::RadiusSet;
use prism_host::read::{Alternates, Each, Models, Polymers, ReadOptions, Residues};
use prism_host::selection::SelectionError;
use prism_host::sites::SiteLimits;
use pyo3::FromPyObject;
use pyo3::PyResult;
use pyo3::exceptions::PyValueError;
use std::path::PathBuf;
use std::sync::Arc;

/// A dictionary with every option; the package fills in the defaults.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Options {
    pub chains: Option<Vec<String>>,
    pub select: Option<String>,
    pub each: Option<String>,
    pub residues: String,
    pub polymers: Option<String>,
    pub altloc: String,
    pub model: Option<Model>,
    pub assembly: Option<String>,
    pub het: String,
    pub name_by: Option<String>,
    pub annotations: Option<PathBuf>,
    pub lineages: Option<PathBuf>,
    pub max_sites: usize,
    pub min_probability: f32,
    pub all: bool,
    pub min_plddt: Option<f32>,
    pub kinds: Vec<String>,
    pub attributes: Vec<String>,
    pub between: Option<(String, String)>,
    pub probe: f32,
    pub radii: PathBuf,
    pub algorithm: String,
    pub slices: u32,
    pub by_residue: bool,
    pub reference: Option<PathBuf>,
    pub mapping: Option<Vec<String>>,
    pub allowed_mismatches: usize,
    pub by_number: bool,
    pub peptide: bool,
    pub small_molecules: bool,
    pub pae: bool,
    pub ids: Option<String>,
    pub cutoff: f32,
    pub neighbors: u32,
    pub steps: u32,
    pub pocket_shape: bool,
    pub format: String,
    pub statistics: Vec<String>,
    pub known_pockets: Option<Pockets>,
}

/// Pockets whose residues are known: a table of them, or each one's number and residues.
#[derive(FromPyObject)]
pub enum Pockets {
    File(PathBuf),
    Listed(Vec<(usize, Vec<String>)>),
}

/// Which models.
#[derive(FromPyObject)]
pub enum Model {
    Number(i32),
    Word(String),
}

/// How inputs are read.
#[derive(Clone)]
pub struct Reading {
    pub options: ReadOptions,
    pub name_by: NameBy,
    pub annotations: Arc<Annotations>,
    pub lineages: Option<Arc<Lineages>>,
    /// Whether it cannot do without atoms that have no row.
    pub needs_atoms: bool,
}

/// The error for an argument with an impossible value.
pub fn refuse<T>(name: &str, known: &str, found: &str) -> PyResult<T> {
    Err(PyValueError::new_err(format!("{name} must be {known}, not {found:?}")))
}

impl Options {
    /// Checks the options of which each takes some texts. No file is read.
    pub fn check(&self) -> PyResult<()> {
        self.read_options(false)?;
        self.name_by()?;
        Ok(())
    }

    fn read_options(&self, labels: bool) -> PyResult<ReadOptions> {
        Ok(ReadOptions {
            chains: self.chains.clone(),
            select: match &self.select {
                None => None,
                Some(text) => Some(Arc::new(
                    text.parse().map_err(|error: SelectionError| PyValueError::new_err(format!("select: {error}")))?,
                )),
            },
            each: match self.each.as_deref() {
                None | Some("model") => Each::Model,
                Some("chain") => Each::Chain,
                Some("molecule") => Each::Molecule,
                Some("assembly") => Each::Assembly,
                Some(other) => {
                    return refuse("each", "\"chain\", \"molecule\", \"assembly\", \"model\" or None", other);
                }
            },
            residues: match self.residues.as_str() {
                "all" => Residues::All,
                "standard" => Residues::Standard,
                other => return refuse("residues", "\"all\" or \"standard\"", other),
            },
            polymers: match self.polymers.as_deref() {
                Some("protein") => Polymers::Protein,
                Some("nucleic") => Polymers::Nucleic,
                None | Some("all") => Polymers::All,
                Some(other) => return refuse("polymers", "\"protein\", \"nucleic\", \"all\" or None", other),
            },
            alternates: self.alternates()?,
            models: match &self.model {
                None if self.each.as_deref() == Some("model") => Models::All,
                None => Models::First,
                Some(Model::Number(number)) => Models::Number(*number),
                Some(Model::Word(word)) if word == "all" => Models::All,
                Some(Model::Word(word)) if word == "join" => Models::Join,
                Some(Model::Word(other)) => return refuse("model", "a number, \"all\" or \"join\"", other),
            },
            assembly: self.assembly.clone(),
            cover: match self.het.as_str() {
                "none" => false,
                "cover" | "rows" => true,
                other => return refuse("het", "\"none\", \"cover\" or \"rows\"", other),
            },
            hetero_rows: self.has_hetero_rows(),
            labels,
            ..ReadOptions::default()
        })
    }

    /// Whether ligands, ions and the like have rows.
    pub fn has_hetero_rows(&self) -> bool {
        self.het == "rows"
    }

    /// How models are compared.
    pub fn comparison(&self) -> PyResult<Comparison> {
        let pairs = self.mapping.iter().flatten().map(|pair| pair.parse());
        Ok(Comparison {
            mapping: pairs
                .collect::<Result<_, _>>()
                .map_err(|error: ParseChainChoiceError| PyValueError::new_err(format!("mapping: {error}")))?,
            allowed_mismatches: self.allowed_mismatches,
            by_number: self.by_number,
            peptide: self.peptide,
            small_molecules: self.small_molecules,
        })
    }

    /// What models are compared with.
    pub fn reference(&self) -> PyResult<Reference> {
        let Some(path) = &self.reference else {
            return Err(PyValueError::new_err("reference is missing: the structure with which models are compared"));
        };
        let failed = |error: String| PyValueError::new_err(format!("reference: {error}"));
        let comparison = self.comparison()?;
        let read = read_reference(path, &self.read_options(false)?)
            .map_err(|failure| failed(format!("{}: {}", failure.name, failure.reason)))?;
        Reference::new(&read.structure, comparison).map_err(|error| failed(error.to_string()))
    }

    /// What is asked about atoms.
    pub fn atoms(&self) -> PyResult<AtomOptions> {
        if !(self.probe > 0.0 && self.probe <= 5.0) {
            return refuse("probe", "above 0 and at most 5 Å", &self.probe.to_string());
        }
        if !(1..=1000).contains(&self.slices) {
            return refuse("slices", "from 1 to 1000", &self.slices.to_string());
        }
        let algorithm = match self.algorithm.as_str() {
            "shrake-rupley" => Algorithm::ShrakeRupley,
            "lee-richards" => Algorithm::LeeRichards(self.slices),
            other => return refuse("algorithm", "\"shrake-rupley\" or \"lee-richards\"", other),
        };
        let radii = match self.radii.to_str() {
            Some("protor") => None,
            Some(name @ ("naccess" | "bondi")) => RadiusSet::named(name),
            _ => Some(RadiusSet::read(&self.radii).map_err(|error| PyValueError::new_err(format!("radii: {error}")))?),
        };
        Ok(AtomOptions { probe: self.probe, radii, algorithm })
    }

    /// The format of a file of areas, and the areas that its percentages are of.
    pub fn areas(&self) -> PyResult<(AreasFormat, ReferenceAreas)> {
        let format = match self.format.as_str() {
            "rsa" => AreasFormat::Rsa,
            "naccess" => AreasFormat::Naccess,
            "pdb" => AreasFormat::Pdb,
            other => return refuse("format", "\"rsa\", \"naccess\" or \"pdb\"", other),
        };
        let reference = match self.radii.to_str() {
            Some("protor") => ReferenceAreas::ProtOr,
            Some("naccess") => ReferenceAreas::Naccess,
            _ => ReferenceAreas::None,
        };
        Ok((format, reference))
    }

    /// Which sites have a row.
    pub fn sites(&self) -> PyResult<SiteLimits> {
        let within = |value: f32, most: f32| (0.0..=most).contains(&value);
        if !within(self.min_probability, 1.0) {
            return refuse("min_probability", "from 0 to 1", &self.min_probability.to_string());
        }
        if let Some(least) = self.min_plddt.filter(|least| !within(*least, 100.0)) {
            return refuse("min_plddt", "from 0 to 100, or None", &least.to_string());
        }
        let min_probability = if self.all { 0.0 } else { self.min_probability };
        Ok(SiteLimits { most: self.max_sites, min_probability, min_plddt: self.min_plddt, pockets: self.pocket_shape })
    }

    /// The pockets to measure.
    pub fn known_pockets(&self) -> PyResult<KnownPockets> {
        let value_error = |error: String| PyValueError::new_err(format!("pockets: {error}"));
        match &self.known_pockets {
            Some(Pockets::File(path)) => KnownPockets::read(path).map_err(|error| value_error(error.to_string())),
            Some(Pockets::Listed(all)) => {
                let mut pockets = KnownPockets::default();
                for (number, residues) in all {
                    pockets.add(*number, residues.clone()).map_err(value_error)?;
                }
                Ok(pockets)
            }
            None => Err(value_error("give those to measure".to_owned())),
        }
    }

    pub fn name_by(&self) -> PyResult<NameBy> {
        match self.name_by.as_deref() {
            None => Ok(NameBy::Shortest),
            Some("name") => Ok(NameBy::Name),
            Some("path") => Ok(NameBy::Path),
            Some("stem") => Ok(NameBy::Stem),
            Some(other) => refuse("name_by", "\"name\", \"path\" or \"stem\"", other),
        }
    }

    /// How to read the topology of frames, for a table of this name.
    pub fn reading_of_frames(&self, table: &str) -> PyResult<Reading> {
        let mut found = self.reading(None)?;
        found.options.labels = true;
        match table {
            "ligands" | "areas" => {
                return Err(PyValueError::new_err(format!("{table} is a table of structures, and not of frames")));
            }
            "dockq" if self.small_molecules => {
                let message =
                    "small_molecules: ligands of trajectories are not compared; write frames as files and give those";
                return Err(PyValueError::new_err(message));
            }
            "dockq" => found.options = reading(found.options),
            "atoms" => found.options.atoms = true,
            _ => {}
        }
        Ok(found)
    }

    /// How to read for a table.
    pub fn reading(&self, table: Option<&Table>) -> PyResult<Reading> {
        let value_error = |error: String| PyValueError::new_err(error);
        let options = ReadOptions {
            atoms: table.is_some_and(Table::has_atoms),
            water: matches!(table, Some(Table::Ligands(_))),
            ..self.read_options(table.is_some_and(Table::has_labels))?
        };
        let needs_atoms = options.atoms;
        let options = if matches!(table, Some(Table::Dockq(_))) { reading(options) } else { options };
        let name_by = self.name_by()?;
        let annotations = match &self.annotations {
            Some(path) => Arc::new(Annotations::read(path).map_err(|error| value_error(error.to_string()))?),
            None => Arc::default(),
        };
        let lineages = match &self.lineages {
            Some(path) => Some(Arc::new(Lineages::read(path).map_err(|error| value_error(error.to_string()))?)),
            None => None,
        };
        if lineages.is_some() && (annotations.has("gisaid_freq") || annotations.has("gisaid_velocity")) {
            let advice = "lineages gives gisaid_freq and gisaid_velocity; leave them out of annotations";
            return Err(value_error(advice.to_owned()));
        }
        Ok(Reading { options, name_by, annotations, lineages, needs_atoms })
    }

    pub fn alternates(&self) -> PyResult<Alternates> {
        let mut letters = self.altloc.chars();
        match (self.altloc.as_str(), letters.next(), letters.next()) {
            ("highest", ..) => Ok(Alternates::Highest),
            ("first", ..) => Ok(Alternates::First),
            (_, Some(letter), None) if letter.is_ascii_graphic() => Ok(Alternates::Named(letter)),
            (other, ..) => refuse("altloc", "\"highest\", \"first\" or one letter", other),
        }
    }
}

impl Reading {
    /// Refuses options of reading for packed data sets, because they were chosen when the structures were packed.
    pub fn check(&self, inputs: &Inputs) -> Result<(), String> {
        if self.needs_atoms && inputs.has_packed() {
            return Err(
                "a packed data set keeps neither ligands nor what its atoms are; give the structure files".to_owned()
            );
        }
        let chosen = ReadOptions { labels: false, atoms: false, ..self.options.clone() };
        let default = ReadOptions { polymers: Polymers::All, ..ReadOptions::default() };
        if chosen != default && inputs.has_packed() {
            return Err("structures of a packed data set are as they were packed, without chains, select, each, residues, polymers, altloc, model, assembly \
                        or het to choose; choose by `prism pack`, or give the files"
                .to_owned());
        }
        if let (true, Some(old)) = (self.options.labels, inputs.without_labels()) {
            let old = old.display();
            return Err(format!(
                "{old} is of an older version's data sets, which do not keep labels; pack the structures again"
            ));
        }
        Ok(())
    }
}
