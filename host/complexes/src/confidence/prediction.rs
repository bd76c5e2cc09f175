//! A prediction: the model with its matrix, and the scores of its chains.

use super::given::Given;
use super::matrix::Matrix;
use super::model::{Kind, Model, Token};
use super::pair::PairOfChains;
use super::plddt::Plddt;
use super::scores;
use super::units::{Unit, Units};
use crate::dockq::Compared;
use std::collections::HashMap;

/// Cut-offs of scores.
///
/// ```
/// use prism_complexes::confidence::Cutoffs;
///
/// let cutoffs = Cutoffs::default();
/// assert_eq!((cutoffs.pae, cutoffs.distance), (10.0, 10.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cutoffs {
    /// ipSAE and `contacts` take errors below this, in Å.
    pub pae: f32,
    /// `contacts` takes pairs closer than this, in Å.
    pub distance: f64,
}

impl Default for Cutoffs {
    fn default() -> Self {
        Self { pae: 10.0, distance: 10.0 }
    }
}

/// A predicted model with its confidences.
#[derive(Clone, Debug, Default)]
pub struct Prediction {
    /// Its name.
    pub name: String,
    /// The ids of its chains, in the order of the model.
    pub chains: Vec<String>,
    /// The predicted aligned errors of the predictor's tokens.
    pub pae: Matrix,
    /// The probabilities that tokens are in contact, if they were asked for and the predictor wrote them
    /// ([`PredictionFiles::read_with_contacts`](super::PredictionFiles::read_with_contacts)).
    pub contacts: Option<Matrix>,
    /// The predictor's ipTM of the whole.
    pub iptm: Option<f32>,
    /// The predictor's pTM.
    pub ptm: Option<f32>,
    /// The value by which the predictor ranks its models.
    pub ranking: Option<f32>,
    /// Choices, and what is odd about its files.
    pub notes: Vec<String>,
    /// What may be wrong with its files.
    pub warnings: Vec<String>,
    /// The predictor's ipTM of ordered pairs of chains.
    pair_iptm: Vec<Vec<f32>>,
    pub(super) model: Model,
    tokens: Vec<Token>,
    pub(super) units: Units,
}

/// A row of the table of pairs. Undefined numbers are NaN.
#[derive(Clone, Debug)]
pub struct PairScores {
    /// Indices of the chains.
    pub chains: [usize; 2],
    /// Whether it is of both directions together.
    pub is_max: bool,
    /// The numbers, in the order of [`PAIR_NUMBERS`](super::PAIR_NUMBERS).
    pub numbers: [f32; 28],
}

/// A row of the table of residues.
#[derive(Clone, Debug)]
pub struct ResidueScores {
    /// Indices of its chain and the other one.
    pub chains: [usize; 2],
    /// The author's residue number.
    pub number: i32,
    /// The insertion code, usually empty.
    pub icode: String,
    /// The residue's name.
    pub name: String,
    /// The numbers, in the order of [`RESIDUE_NUMBERS`](super::RESIDUE_NUMBERS).
    pub numbers: [f32; 10],
}

/// The row of the table of structures.
#[derive(Clone, Debug)]
pub struct StructureScores {
    /// The number of chains.
    pub chains: usize,
    /// The number of the predictor's tokens.
    pub tokens: usize,
    /// The numbers, in the order of [`STRUCTURE_NUMBERS`](super::STRUCTURE_NUMBERS).
    pub numbers: [f32; 14],
}

/// All scores of a prediction.
#[derive(Clone, Debug)]
pub struct Scores {
    /// The prediction's name.
    pub name: String,
    /// The ids of its chains.
    pub chains: Vec<String>,
    /// The number of its residues, ligands not counted.
    pub n_residues: usize,
    /// Choices, and what is odd about its files.
    pub notes: Vec<String>,
    /// What may be wrong with its files.
    pub warnings: Vec<String>,
    /// Both directions of each pair of chains, and the two together.
    pub pairs: Vec<PairScores>,
    /// Each residue with each other chain.
    pub residues: Vec<ResidueScores>,
    /// The whole.
    pub structure: StructureScores,
    /// The comparison with a reference, if there is one ([`PredictionFiles::scores`](super::PredictionFiles::scores)).
    pub compared: Option<Compared>,
}

impl Prediction {
    /// Puts a model and what its files say together.
    pub(super) fn new(name: String, model: Model, mut given: Given, files: &str) -> Result<Self, String> {
        let (mut notes, mut warnings) = (Vec::new(), Vec::new());
        let Some((pae, file)) = given.matrix.take() else {
            return Err(format!(
                "there is no matrix of predicted aligned errors for it{files}; AlphaFold 3 has it in *_confidences.json or \
                 *_full_data_N.json, Boltz in pae_*.npz (--write_full_pae), Chai in pae.model_idx_N.npz, ColabFold in *_scores_*.json"
            ));
        };
        let in_file = |error: String| format!("{file}: {error}");
        let tokens = match given.token_chains.is_empty() || given.token_numbers.is_empty() {
            true => model.tokens(pae.size()).map_err(in_file)?,
            false => model.tokens_named(&given.token_chains, &given.token_numbers, pae.size()).map_err(in_file)?,
        };
        let plddt = Plddt::new(&model, &tokens, &given, &mut notes, &mut warnings);
        let units = Units::new(&model, &tokens, &plddt);
        let Given { iptm, ptm, ranking, pair_iptm, contacts, .. } = given;
        if let Some(contacts) = contacts.as_ref().filter(|contacts| contacts.size() != pae.size()) {
            let sizes = (contacts.size(), pae.size());
            return Err(in_file(format!(
                "it has probabilities of contacts of {} tokens, and predicted aligned errors of {}: it is damaged",
                sizes.0, sizes.1
            )));
        }
        let chains = model.chains.clone();
        let pair_iptm = if pair_iptm.len() == chains.len() && pair_iptm.iter().all(|row| row.len() == chains.len()) {
            pair_iptm
        } else {
            if !pair_iptm.is_empty() {
                notes.push(format!(
                    "the predictor's ipTM of pairs is of {} chains, and the model has {}: it is left out",
                    pair_iptm.len(),
                    chains.len()
                ));
            }
            Vec::new()
        };
        let ranking = ranking.or_else(|| Some(0.8 * iptm? + 0.2 * ptm?));
        Ok(Self { name, chains, pae, contacts, iptm, ptm, ranking, notes, warnings, pair_iptm, model, tokens, units })
    }

    /// The number of residues, ligands not counted.
    #[must_use]
    pub fn n_residues(&self) -> usize {
        self.model.residues.iter().filter(|residue| residue.kind != Kind::Ligand).count()
    }

    /// The number of the predictor's tokens.
    #[must_use]
    pub fn n_tokens(&self) -> usize {
        self.tokens.len()
    }

    /// The chain id, the residue number and the residue's name of each token, in the order of the matrix.
    pub fn tokens(&self) -> impl Iterator<Item = (&str, i32, &str)> {
        self.tokens.iter().map(|token| {
            let residue = &self.model.residues[token.residue as usize];
            (self.chains[residue.chain as usize].as_str(), residue.number, &*residue.name)
        })
    }

    /// The row of the matrix that stands for each residue, by chain id, the author's number and insertion code. Ligands have none.
    #[must_use]
    pub fn rows_of_residues(&self) -> HashMap<(&str, i32, &str), usize> {
        let polymers = self.units.all.iter().zip(&self.units.rows).filter(|(unit, _)| unit.kind != Kind::Ligand);
        let of = |(unit, row): (&Unit, &u32)| {
            let residue = &self.model.residues[unit.residue as usize];
            ((self.chains[residue.chain as usize].as_str(), residue.number, &*residue.icode), *row as usize)
        };
        polymers.map(of).collect()
    }

    /// Computes all scores.
    #[must_use]
    pub fn scores(&self, cutoffs: Cutoffs) -> Scores {
        let identity = self.units.rows.len() == self.pae.size()
            && self.units.rows.iter().enumerate().all(|(at, row)| at == *row as usize);
        let chosen;
        let pae = match identity {
            true => &self.pae,
            false => {
                chosen = self.pae.of_tokens(&self.units.rows);
                &chosen
            }
        };
        let with_units: Vec<usize> =
            (0..self.chains.len()).filter(|&chain| !self.units.ranges[chain].is_empty()).collect();
        let polymers = self.units.all.iter().filter(|unit| unit.kind != Kind::Ligand).count();
        let mut found = Scores {
            name: self.name.clone(),
            chains: self.chains.clone(),
            n_residues: self.n_residues(),
            notes: self.notes.clone(),
            warnings: self.warnings.clone(),
            pairs: Vec::new(),
            residues: Vec::new(),
            structure: StructureScores { chains: with_units.len(), tokens: self.pae.size(), numbers: [f32::NAN; 14] },
            compared: None,
        };
        let mut at_interfaces = Vec::new();
        for (place, &a) in with_units.iter().enumerate() {
            for &b in &with_units[place + 1..] {
                let pair = PairOfChains::new(self, pae, [a, b], cutoffs, polymers);
                at_interfaces.extend(pair.touching());
                pair.push(&mut found);
            }
        }
        self.of_structure(pae, at_interfaces, &mut found);
        found
    }

    pub(super) fn is_nucleic(&self, chain: usize) -> bool {
        self.units.all[self.units.ranges[chain].clone()].iter().any(|unit| unit.kind == Kind::Nucleic)
    }

    pub(super) fn is_ligand(&self, chain: usize) -> bool {
        self.units.all[self.units.ranges[chain].clone()].iter().all(|unit| unit.kind == Kind::Ligand)
    }

    /// The predictor's ipTM of an ordered pair, or of the whole.
    pub(super) fn iptm_of(&self, [a, b]: [usize; 2]) -> f32 {
        let own = self.pair_iptm.get(a).and_then(|row| row.get(b)).copied().filter(|value| !value.is_nan());
        own.or(self.iptm).unwrap_or(f32::NAN)
    }

    fn of_structure(&self, pae: &Matrix, at_interfaces: Vec<usize>, found: &mut Scores) {
        let ends: Vec<usize> = self.units.ranges.iter().map(|range| range.end).collect();
        let (ptm, iptm) = scores::ptm(pae, &ends);
        let whole = |column: &str| {
            let column = super::PAIR_NUMBERS.iter().position(|known| known.name == column).unwrap_or_default();
            let values = found.pairs.iter().filter(|pair| pair.is_max).map(|pair| pair.numbers[column]);
            values.fold(f32::NAN, f32::max)
        };
        let known: Vec<usize> = (0..self.units.all.len()).filter(|&at| !self.units.all[at].plddt.is_nan()).collect();
        found.structure.numbers = [
            self.iptm.unwrap_or(f32::NAN),
            self.ptm.unwrap_or(f32::NAN),
            self.ranking.unwrap_or(f32::NAN),
            iptm as f32,
            ptm as f32,
            whole("ipsae"),
            whole("pdockq"),
            whole("pdockq2"),
            whole("lis"),
            whole("ilis"),
            whole("actifptm"),
            scores::mean_plddt(&self.units.all, known) as f32,
            scores::mean_plddt(&self.units.all, at_interfaces) as f32,
            scores::mean_off_diagonal(pae) as f32,
        ];
    }
}
