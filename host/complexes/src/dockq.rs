//! How well models of a complex reproduce a reference: `DockQ` and its parts, for `prism dockq`.
//!
//! Definitions are those of `DockQ` 2.1.3 (Mirabello and Wallner 2024, Bioinformatics 40:btae586): native contacts, RMSD of the
//! interface, RMSD of the smaller chain, for every pair of chains that touch in the reference, with the mapping of equal chains
//! that has the highest sum. Residues correspond by an alignment of the chains' sequences. Nucleic acids are compared like proteins;
//! ligands, if they are asked for, by their pose.

mod align;
mod chains;
mod ligands;
mod mapping;
mod nucleotides;
mod pairing;
mod score;
mod superpose;
mod symmetry;

pub use pairing::{ChainChoice, ParseChainChoiceError};
pub use score::Scores;

use align::{Alignment, align};
use chains::{Chain, Near, chains};
use ligands::{AROUND, Doubts, pose};
use mapping::{PairScores, Problem, solve};
use pairing::{Candidates, candidates};
use prism_read::plural::{counted, form};
use prism_read::structure::StructureInput;
use prism_read::{Polymers, ReadOptions, listed_ids};
use score::{Cutoffs, Modelled, Native, PEPTIDE, PROTEIN, score};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use thiserror::Error;

/// Options with which a structure is read with everything that is compared: nucleotides and ligands, too.
#[must_use]
pub fn reading(options: ReadOptions) -> ReadOptions {
    ReadOptions { polymers: Polymers::All, atoms: true, ..options }
}

/// How models are compared.
///
/// ```
/// use prism_complexes::dockq::Comparison;
///
/// let usual = Comparison::default();
/// assert!(usual.mapping.is_empty() && usual.allowed_mismatches == 0 && !usual.by_number && !usual.peptide);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// Which chains correspond; empty for a search among all chains.
    pub mapping: Vec<ChainChoice>,
    /// Chains correspond if their alignment has at most this many pairs of different residues.
    pub allowed_mismatches: usize,
    /// Whether residues correspond by their numbers, not by the sequence.
    pub by_number: bool,
    /// Whether contacts and interfaces are those of CAPRI for peptides: 4 Å, and 8 Å between beta carbons.
    pub peptide: bool,
    /// Whether the poses of ligands, ions and sugars are compared, too.
    pub small_molecules: bool,
}

/// An interface of the reference, and the model's.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparedInterface {
    /// The two chains of the model.
    pub chains: [String; 2],
    /// The two chains of the reference.
    pub reference: [String; 2],
    /// How they compare.
    pub scores: Scores,
}

/// A model compared with the reference.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared {
    /// The interfaces of the reference among the mapped chains.
    pub interfaces: Vec<ComparedInterface>,
    /// Each chain of the model with that of the reference.
    pub mapping: Vec<[String; 2]>,
    /// What is left out or undefined, as sentences.
    pub remarks: Vec<String>,
}

impl Compared {
    /// The mean over the interfaces: `DockQ` of the whole complex. NaN if that of an interface is undefined.
    #[must_use]
    pub fn dockq(&self) -> f64 {
        self.interfaces.iter().map(|interface| interface.scores.dockq).sum::<f64>() / self.interfaces.len() as f64
    }

    /// The mapping as text: pairs of a chain of the model and one of the reference (`A:B,B:A`).
    #[must_use]
    pub fn mapping_text(&self) -> String {
        let pairs = self.mapping.iter().map(|[model, reference]| format!("{model}:{reference}"));
        pairs.collect::<Vec<_>>().join(",")
    }
}

/// Why a model cannot be compared.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum DockqError {
    /// A structure has fewer than two chains.
    #[error("{0} has fewer than two chains of protein or nucleic acid, and so no interface to compare")]
    OneChain(String),
    /// A structure has fewer than two chains and ligands together.
    #[error("{0} has fewer than two chains and ligands, and so no interface to compare")]
    OneChainOrLigand(String),
    /// Ligands are compared, and were not read.
    #[error("{0}: what its ligands are was not read; data sets do not have them, so give its file")]
    NotRead(String),
    /// A structure lacks a chain.
    #[error("--mapping: {structure} has no chain {chain:?} to compare; it has {found}")]
    NoChain {
        /// The structure's name.
        structure: String,
        /// The requested chain.
        chain: String,
        /// The chains of the structure.
        found: String,
    },
    /// A chain and a ligand are to correspond.
    #[error("--mapping: {0} of the model and {1} of the reference are a ligand and a chain")]
    Kinds(String, String),
    /// A chain is named twice.
    #[error("--mapping: chain {0:?} is named twice on one side")]
    Twice(String),
    /// Chains that have no counterpart.
    #[error(
        "no chain of {other} has the sequence of {chains} of {structure}{closest}; name chains that correspond by --mapping"
    )]
    NoMatch {
        /// The structure with these chains.
        structure: String,
        /// The other one, which lacks their counterparts.
        other: String,
        /// The chains.
        chains: String,
        /// The closest chain, if it is close.
        closest: String,
    },
    /// Chains cannot all have counterparts of their own.
    #[error("{structure} and {other} have different numbers of chains of one sequence; choose chains by --mapping")]
    NoMapping {
        /// The model's name.
        structure: String,
        /// The reference's name.
        other: String,
    },
    /// No two mapped chains touch in the reference.
    #[error("no two chains of the reference {0} that are compared touch each other, so there is no interface")]
    NoInterface(String),
    /// There are too many ways to map chains.
    #[error("{0} has too many chains of one sequence to try their mappings; give the mapping by --mapping")]
    TooMany(String),
    /// Chains are too long.
    #[error("chain {chain} of {structure} and chain {other} of the reference are too long to be aligned")]
    TooLong {
        /// The model's name.
        structure: String,
        /// Its chain.
        chain: String,
        /// The chain of the reference.
        other: String,
    },
}

/// Pairs of chains for which scores are computed before a mapping is chosen, at most.
const MOST_SCORES: usize = 1_000_000;
/// Alignments that are kept for models with the same sequence.
const MOST_ALIGNMENTS: usize = 1024;

/// A structure with which models are compared. What depends on it alone is computed once.
///
/// ```
/// use prism_complexes::dockq::{Comparison, Reference};
/// use prism_read::{ReadOptions, read_path};
///
/// let trimer = read_path("../../tests/data/1jcd.pdb.gz", "1jcd", &ReadOptions::default())?.structure;
/// let reference = Reference::new(&trimer, Comparison::default())?;
/// let compared = reference.compare(&trimer)?;
/// // A structure is like itself.
/// assert_eq!((compared.interfaces.len(), compared.mapping_text().as_str()), (3, "A:A,B:B,C:C"));
/// assert!((compared.dockq() - 1.0).abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Reference {
    name: String,
    chains: Vec<Chain>,
    comparison: Comparison,
    cutoffs: Cutoffs,
    /// For pairs of chains that touch, the lower one first.
    pairs: HashMap<[usize; 2], NativePair>,
    /// Of models with the same sequences.
    alignments: Mutex<Alignments>,
}

/// Alignments by the codes of a model's residues, the chain of the reference, and whether codes are numbers.
type Alignments = HashMap<(Vec<u32>, usize, bool), Arc<Alignment>>;

/// What two chains of the reference have in common.
struct NativePair {
    /// Of chains. Those of ligands are not compared.
    contacts: Vec<Near>,
    interface: Vec<Near>,
}

impl Reference {
    /// Prepares a reference.
    ///
    /// # Errors
    /// If it has no interface, or lacks a chain of the mapping.
    pub fn new(structure: &StructureInput, comparison: Comparison) -> Result<Self, DockqError> {
        let name = structure.name.clone();
        let chains = checked_chains(structure, comparison.small_molecules)?;
        let cutoffs = if comparison.peptide { PEPTIDE } else { PROTEIN };
        let mut pairs = HashMap::new();
        for a in 0..chains.len() {
            for b in a + 1..chains.len() {
                let of_ligands = [a, b].iter().filter(|&&chain| chains[chain].ligand.is_some()).count();
                if of_ligands > 0 {
                    let interface = if of_ligands == 1 { chains[a].near(&chains[b], AROUND) } else { Vec::new() };
                    if !interface.is_empty() {
                        pairs.insert([a, b], NativePair { contacts: Vec::new(), interface });
                    }
                    continue;
                }
                let near = chains[a].near(&chains[b], cutoffs.contact.max(cutoffs.interface));
                let is_contact = |near: &&Near| near.distance2 < cutoffs.contact * cutoffs.contact;
                let contacts: Vec<Near> = near.iter().filter(is_contact).copied().collect();
                if !contacts.is_empty() {
                    let by_beta = || chains[a].near_by_beta(&chains[b], cutoffs.interface);
                    let interface = if cutoffs.by_beta { by_beta() } else { near };
                    pairs.insert([a, b], NativePair { contacts, interface });
                }
            }
        }
        if pairs.is_empty() {
            return Err(DockqError::NoInterface(name));
        }
        pairing::check(&name, &chains, &comparison.mapping, ChainChoice::reference)?;
        Ok(Self { name, chains, comparison, cutoffs, pairs, alignments: Mutex::default() })
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Compares a model.
    ///
    /// # Errors
    /// If its chains cannot be mapped to those of the reference.
    pub fn compare(&self, structure: &StructureInput) -> Result<Compared, DockqError> {
        let chains = checked_chains(structure, self.comparison.small_molecules)?;
        let model = Model { name: &structure.name, chains };
        let found = candidates(self, &model)?;
        let tables = self.tables(&model, &found)?;
        let problem = Problem { choices: found.choices(), scores: tables };
        let no_mapping = || DockqError::NoMapping { structure: structure.name.clone(), other: self.name.clone() };
        let solution = solve(&problem).ok_or_else(no_mapping)?;
        let chosen: Vec<[usize; 2]> =
            solution.choices.iter().zip(&found.slots).map(|(&choice, slot)| slot[choice]).collect();
        let mut touching = TouchingPairs::new(&model, self.cutoffs);
        let (mut interfaces, mut doubts) = (Vec::new(), Vec::new());
        for (k, a) in chosen.iter().enumerate() {
            for b in &chosen[k + 1..] {
                let ids = |chains: &[Chain], side: usize| [a[side], b[side]].map(|chain| chains[chain].id.clone());
                if let Some((scores, doubt)) = self.interface(&model, &mut touching, *a, *b)? {
                    doubts.push(doubt);
                    let (chains, reference) = (ids(&model.chains, 0), ids(&self.chains, 1));
                    interfaces.push(ComparedInterface { chains, reference, scores });
                }
            }
        }
        if interfaces.is_empty() {
            return Err(DockqError::NoInterface(self.name.clone()));
        }
        let mut remarks = self.remarks(&model, &chosen, &interfaces, solution.is_best)?;
        remarks.extend(remarks_of_ligands(&doubts));
        let id = |[own, reference]: &[usize; 2]| [model.chains[*own].id.clone(), self.chains[*reference].id.clone()];
        Ok(Compared { interfaces, mapping: chosen.iter().map(id).collect(), remarks })
    }

    /// The scores of all pairs of choices, which are needed if there is a choice.
    fn tables(&self, model: &Model<'_>, found: &Candidates) -> Result<Vec<Vec<Option<PairScores>>>, DockqError> {
        let n = found.slots.len();
        let mut tables = vec![vec![None; n]; n];
        if found.slots.iter().all(|slot| slot.len() == 1) {
            return Ok(tables);
        }
        let mut touching = TouchingPairs::new(model, self.cutoffs);
        let mut computed = 0;
        for (k, of_slot) in tables.iter_mut().enumerate() {
            for (l, table) in of_slot.iter_mut().enumerate().skip(k + 1) {
                let mut scores: PairScores = Vec::new();
                for &a in &found.slots[k] {
                    let mut row = Vec::new();
                    for &b in &found.slots[l] {
                        let scores = match a[0] == b[0] || a[1] == b[1] {
                            true => None,
                            false => self.interface(model, &mut touching, a, b)?,
                        };
                        computed += usize::from(scores.is_some());
                        row.push(scores.map(|(scores, _)| scores.dockq));
                    }
                    if computed > MOST_SCORES {
                        return Err(DockqError::TooMany(model.name.to_owned()));
                    }
                    scores.push(row);
                }
                *table = scores.iter().flatten().any(Option::is_some).then_some(scores);
            }
        }
        Ok(tables)
    }

    /// The scores of two pairs of a chain of the model and one of the reference. `None` if these do not touch in the reference.
    fn interface(
        &self,
        model: &Model<'_>,
        touching: &mut TouchingPairs<'_>,
        a: [usize; 2],
        b: [usize; 2],
    ) -> Result<Option<(Scores, Doubts)>, DockqError> {
        let swapped = a[1] > b[1];
        let Some(pair) = self.pairs.get(&[a[1].min(b[1]), a[1].max(b[1])]) else { return Ok(None) };
        let (contacts, interface) = (&pair.contacts[..], &pair.interface[..]);
        let native = Native { chains: [&self.chains[a[1]], &self.chains[b[1]]], contacts, interface, swapped };
        let aligned = [self.residues(model, a)?, self.residues(model, b)?];
        let modelled = Modelled {
            chains: [&model.chains[a[0]], &model.chains[b[0]]],
            contacts: touching.contacts(a[0], b[0]),
            swapped: a[0] > b[0],
            aligned: [&aligned[0].equal, &aligned[1].equal],
        };
        Ok(Some(match native.chains.iter().position(|chain| chain.ligand.is_some()) {
            None => (score(&native, &modelled, self.cutoffs), Doubts::default()),
            Some(side) => {
                let (lrmsd, doubts) = pose(&native, &modelled, side);
                (Scores::of_pose(lrmsd, score::clashes(modelled.contacts)), doubts)
            }
        }))
    }

    /// Which residues of a chain of the model correspond to those of one of the reference.
    fn residues(&self, model: &Model<'_>, chains: [usize; 2]) -> Result<Arc<Alignment>, DockqError> {
        self.alignment(model, chains, self.comparison.by_number)
    }

    /// Aligns a chain of the model with one of the reference, by number or by sequence.
    fn alignment(
        &self,
        model: &Model<'_>,
        [own, reference]: [usize; 2],
        by_number: bool,
    ) -> Result<Arc<Alignment>, DockqError> {
        let [chain, other] = [&model.chains[own], &self.chains[reference]];
        let codes = |chain: &Chain| if by_number { chain.numbers.clone() } else { chain.letters.clone() };
        let key = (codes(chain), reference, by_number);
        let known = || self.alignments.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(alignment) = known().get(&key) {
            return Ok(Arc::clone(alignment));
        }
        let alignment = align(&key.0, &codes(other)).map_err(|_| DockqError::TooLong {
            structure: model.name.to_owned(),
            chain: chain.id.clone(),
            other: other.id.clone(),
        })?;
        let alignment = Arc::new(alignment);
        let mut all = known();
        if all.len() >= MOST_ALIGNMENTS {
            all.clear();
        }
        all.insert(key, Arc::clone(&alignment));
        Ok(alignment)
    }

    /// What is left out or undefined.
    fn remarks(
        &self,
        model: &Model<'_>,
        chosen: &[[usize; 2]],
        interfaces: &[ComparedInterface],
        is_best: bool,
    ) -> Result<Vec<String>, DockqError> {
        let mut remarks = Vec::new();
        let left = |chains: &[Chain], side: usize| -> Vec<String> {
            let is_left = |chain: &usize| chosen.iter().all(|pair| pair[side] != *chain);
            (0..chains.len()).filter(is_left).map(|chain| chains[chain].id.clone()).collect()
        };
        for (chains, of) in [(left(&model.chains, 0), "of the model"), (left(&self.chains, 1), "of the reference")] {
            if !chains.is_empty() {
                let listed = listed_ids(chains.iter().map(String::as_str));
                let number = counted(chains.len(), "chain", "chains");
                remarks.push(format!("{number} {of} ({listed}) without a counterpart, left out"));
            }
        }
        for (chains, of) in [(&model.chains, "the model"), (&self.chains, "the reference")] {
            for chain in chains.iter().filter(|chain| !chain.joined.is_empty()) {
                let listed = listed_ids(chain.joined.iter().map(String::as_str));
                remarks.push(format!("in {of} {listed} is part of chain {}, whose numbers go on", chain.id));
            }
        }
        let mut missing = 0;
        for &pair in chosen.iter().filter(|pair| self.chains[pair[1]].ligand.is_none()) {
            missing += self.chains[pair[1]].residues.len() - self.residues(model, pair)?.equal.len();
        }
        if missing > 0 {
            let residues = counted(missing, "residue of the reference has", "residues of the reference have");
            remarks.push(format!("{residues} no counterpart in the model"));
        }
        let undefined = interfaces.iter().filter(|interface| interface.scores.dockq.is_nan()).count();
        if undefined > 0 {
            let text = "undefined: a chain has too few corresponding atoms for a superposition";
            remarks.push(format!("dockq of {} is {text}", counted(undefined, "interface", "interfaces")));
        }
        if !is_best {
            remarks.push("the search among mappings of chains was cut short; a better mapping may exist".to_owned());
        }
        Ok(remarks)
    }
}

/// The chains of a structure, if they are two or more.
fn checked_chains(structure: &StructureInput, with_ligands: bool) -> Result<Vec<Chain>, DockqError> {
    let name = || structure.name.clone();
    if with_ligands && structure.hetero.is_none() {
        return Err(DockqError::NotRead(name()));
    }
    match chains(structure, with_ligands) {
        chains if chains.len() > 1 => Ok(chains),
        _ if with_ligands => Err(DockqError::OneChainOrLigand(name())),
        _ => Err(DockqError::OneChain(name())),
    }
}

/// What is doubtful about the poses of ligands.
fn remarks_of_ligands(doubts: &[Doubts]) -> Vec<String> {
    let mut remarks = Vec::new();
    let missing: usize = doubts.iter().map(|doubts| doubts.missing).max().unwrap_or_default();
    if missing > 0 {
        let atoms = counted(missing, "atom", "atoms");
        remarks.push(format!(
            "{atoms} of a ligand of the reference {} no counterpart in the model",
            form(missing, "has", "have")
        ));
    }
    let by_name = doubts.iter().filter(|doubts| doubts.by_name).count();
    if by_name > 0 {
        let poses = counted(by_name, "pose of a ligand is", "poses of ligands are");
        remarks.push(format!("{poses} compared by the names of atoms alone, which are bonded otherwise in the model"));
    }
    if doubts.iter().any(|doubts| doubts.cut_short) {
        remarks.push("the search among equal atoms of a ligand was cut short; a smaller lrmsd may exist".to_owned());
    }
    remarks
}

/// The chains of a model.
struct Model<'a> {
    name: &'a str,
    chains: Vec<Chain>,
}

/// Residues in contact by pair of chains of a model, computed when they are needed.
struct TouchingPairs<'a> {
    chains: &'a [Chain],
    within: f64,
    known: HashMap<[usize; 2], Vec<Near>>,
}

impl<'a> TouchingPairs<'a> {
    fn new(model: &'a Model<'_>, cutoffs: Cutoffs) -> Self {
        Self { chains: &model.chains, within: cutoffs.contact, known: HashMap::new() }
    }

    /// The pairs of residues, that of the lower chain first.
    fn contacts(&mut self, a: usize, b: usize) -> &[Near] {
        let [low, high] = [a.min(b), a.max(b)];
        self.known.entry([low, high]).or_insert_with(|| self.chains[low].near(&self.chains[high], self.within))
    }
}
