//! A prediction: the model with its matrix, and the scores of its chains.

use super::given::{Given, WEIGHTED};
use super::matrix::Matrix;
use super::model::{Kind, Model, Token};
use super::names::design_of;
use super::pair::PairOfChains;
use super::plddt::Plddt;
use super::scores;
use super::units::{Unit, Units};
use crate::dockq::Compared;
use std::collections::HashMap;
use std::fmt;

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

/// What a prediction lacks, which all of a folder may.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lack {
    /// The same text for all that lack this.
    pub what: &'static str,
    /// Where it should be; empty if nobody knows.
    pub advice: String,
}

impl fmt::Display for Lack {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{}{}", self.what, self.advice)
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
    /// How the predictor calls that value, or the formula that stands for it.
    pub ranked_by: Option<String>,
    /// Choices, and what is odd about its files.
    pub notes: Vec<String>,
    /// What may be wrong with its files.
    pub warnings: Vec<String>,
    /// What is missing, and should not be: a warning, too.
    pub lacks: Vec<Lack>,
    /// The predictor's ipTM of ordered pairs of chains; empty if it wrote none.
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
    /// The name of its design ([`PredictionFiles::design`](super::PredictionFiles::design)).
    pub design: String,
    /// The ids of its chains.
    pub chains: Vec<String>,
    /// The number of its residues, ligands not counted.
    pub n_residues: usize,
    /// Choices, and what is odd about its files.
    pub notes: Vec<String>,
    /// What may be wrong with its files.
    pub warnings: Vec<String>,
    /// What is missing, and should not be: a warning, too.
    pub lacks: Vec<Lack>,
    /// Both directions of each pair of chains, and the two together.
    pub pairs: Vec<PairScores>,
    /// Each residue with each other chain.
    pub residues: Vec<ResidueScores>,
    /// The whole.
    pub structure: StructureScores,
    /// What `ranking` is: the predictor's name of it, or the formula; `None` if it is undefined.
    pub ranked_by: Option<String>,
    /// The comparison with a reference, if there is one ([`PredictionFiles::scores`](super::PredictionFiles::scores)).
    pub compared: Option<Compared>,
}

impl Scores {
    /// All that may be wrong with its files, and what is missing.
    pub fn all_warnings(&self) -> impl Iterator<Item = String> {
        self.warnings.iter().cloned().chain(self.lacks.iter().map(Lack::to_string))
    }
}

impl Prediction {
    /// Puts a model and what its files say together.
    pub(super) fn new(name: String, model: Model, mut given: Given, files: &str) -> Result<Self, String> {
        let (mut notes, mut warnings) = (Vec::new(), std::mem::take(&mut given.left_out));
        let Some((pae, file)) = given.matrix.take() else {
            return Err(format!("there is no matrix of predicted aligned errors for it{files}"));
        };
        let in_file = |error: String| format!("{file}: {error}");
        check_unit(&pae).map_err(in_file)?;
        warnings.extend(odd_errors(&pae, given.largest).map(in_file));
        let tokens = model.tokens_of(&given, pae.size()).map_err(in_file)?;
        let plddt = Plddt::new(&model, &tokens, &given, &mut notes, &mut warnings);
        let lacks = plddt.is_missing().then(|| Lack {
            what: "it has no confidences (pLDDT) above 0: scores that need them are undefined",
            advice: String::new(),
        });
        let units = Units::new(&model, &tokens, &plddt);
        warnings
            .extend(without_tokens(&model, &tokens).or_else(|| shared_ids(&model)).into_iter().chain(model.oddities()));
        let pair_iptm = given.pair_iptm.of_model(&model, &tokens, &mut warnings);
        warnings.extend(impossible(&given));
        let Given { iptm, ptm, ranking, mut ranked_by, contacts, .. } = given;
        if let Some(contacts) = contacts.as_ref().filter(|contacts| contacts.size() != pae.size()) {
            let sizes = (contacts.size(), pae.size());
            return Err(in_file(format!(
                "it has probabilities of contacts of {} tokens, and predicted aligned errors of {}: it is damaged",
                sizes.0, sizes.1
            )));
        }
        let chains = model.chains.clone();
        // A value of another formula does not stand for one that is no number.
        let ranking =
            if ranked_by.is_some() { ranking } else { iptm.zip(ptm).map(|(iptm, ptm)| ranking_of(iptm, ptm)) };
        if ranking.is_some() {
            ranked_by.get_or_insert_with(|| WEIGHTED.to_owned());
        }
        let lacks = lacks.into_iter().collect();
        Ok(Self {
            name,
            chains,
            pae,
            contacts,
            iptm,
            ptm,
            ranking,
            ranked_by,
            notes,
            warnings,
            lacks,
            pair_iptm,
            model,
            tokens,
            units,
        })
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
        self.scores_with(cutoffs, true)
    }

    /// Computes all scores, those of residues if they are asked for.
    pub(super) fn scores_with(&self, cutoffs: Cutoffs, of_residues: bool) -> Scores {
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
            design: design_of(&self.name),
            chains: self.chains.clone(),
            n_residues: self.n_residues(),
            notes: self.notes.clone(),
            warnings: self.warnings.clone(),
            lacks: self.lacks.clone(),
            pairs: Vec::new(),
            residues: Vec::new(),
            structure: StructureScores { chains: with_units.len(), tokens: self.pae.size(), numbers: [f32::NAN; 14] },
            ranked_by: self.ranking.and(self.ranked_by.clone()),
            compared: None,
        };
        if with_units.len() == 1 {
            found.notes.push("it has one chain, and so no pairs of chains".to_owned());
        }
        let mut at_interfaces = Vec::new();
        for (index, &a) in with_units.iter().enumerate() {
            for &b in &with_units[index + 1..] {
                let pair = PairOfChains::new(self, pae, [a, b], cutoffs, polymers);
                at_interfaces.extend(pair.touching());
                pair.push(&mut found);
                if of_residues {
                    pair.push_residues(&mut found);
                }
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

    /// The predictor's ipTM of an ordered pair, or of the whole if it wrote none of pairs.
    pub(super) fn iptm_of(&self, [a, b]: [usize; 2]) -> f32 {
        match &self.pair_iptm[..] {
            [] => self.iptm.unwrap_or(f32::NAN),
            pairs => pairs[a][b],
        }
    }

    fn of_structure(&self, pae: &Matrix, at_interfaces: Vec<usize>, found: &mut Scores) {
        let ends: Vec<usize> = self.units.ranges.iter().map(|range| range.end).collect();
        let of_whole = scores::of_whole(pae, &ends);
        let whole = |column: &str| {
            let column = super::PAIR_NUMBERS.iter().position(|known| known.name == column).unwrap_or_default();
            let values = found.pairs.iter().filter(|pair| pair.is_max).map(|pair| pair.numbers[column]);
            values.fold(f32::NAN, f32::max)
        };
        found.structure.numbers = [
            self.iptm.unwrap_or(f32::NAN),
            self.ptm.unwrap_or(f32::NAN),
            self.ranking.unwrap_or(f32::NAN),
            of_whole.iptm as f32,
            of_whole.ptm as f32,
            whole("ipsae"),
            whole("pdockq"),
            whole("pdockq2"),
            whole("lis"),
            whole("ilis"),
            whole("actifptm"),
            scores::mean_plddt(&self.units.all) as f32,
            scores::plddt_of_contacts(&self.units.all, at_interfaces) as f32,
            of_whole.pae_mean as f32,
        ];
    }
}

/// AlphaFold 2's ranking of complexes. Predictors write few digits, and these are kept.
fn ranking_of(iptm: f32, ptm: f32) -> f32 {
    const DIGITS: f64 = 1e6;
    let sum = 0.8 * f64::from(iptm) + 0.2 * f64::from(ptm);
    ((DIGITS * sum).round() / DIGITS) as f32
}

/// Says which of the predictor's scores are none of their kind.
fn impossible(given: &Given) -> Vec<String> {
    let mut found = Vec::new();
    let mut say = |what: &str, value: Option<f32>, range: [f32; 2]| {
        if let Some(value) = value.filter(|value| !(range[0]..=range[1]).contains(value)) {
            let [least, most] = range;
            found.push(format!(
                "the predictor's {what} is {value}, and should be from {least} to {most}: its file may be damaged"
            ));
        }
    };
    say("ipTM", given.iptm, [0.0, 1.0]);
    say("pTM", given.ptm, [0.0, 1.0]);
    match given.ranked_by.as_deref() {
        // Of AlphaFold 2's single chains, it is the mean pLDDT.
        Some(by @ ("plddts" | "ranking_confidence")) => say(by, given.ranking, [0.0, 100.0]),
        // AlphaFold 3 takes 100 from those with clashes, and adds half of the share of disorder.
        Some(by) => say(by, given.ranking, [-100.0, 1.5]),
        None => {}
    }
    found
}

/// Says which ligands no token has, if residues of polymers alone are counted.
fn without_tokens(model: &Model, tokens: &[Token]) -> Option<String> {
    let mut is_known = vec![false; model.residues.len()];
    tokens.iter().for_each(|token| is_known[token.residue as usize] = true);
    let lacking = model.residues.iter().zip(is_known).filter(|(_, known)| !known).map(|(residue, _)| residue);
    let mut chains: Vec<u32> = lacking.map(|residue| residue.chain).collect();
    chains.sort_unstable();
    chains.dedup();
    let ids = chains.iter().map(|&chain| model.chains[chain as usize].as_str()).collect::<Vec<_>>().join(", ");
    (!chains.is_empty())
        .then(|| format!("the matrix has no rows of the ligands of chain {ids}: they are left out of the scores"))
}

/// Refuses errors that are too small to be a predictor's, in Å. They would put a design before all others.
fn check_unit(pae: &Matrix) -> Result<(), String> {
    /// Tokens of which some pair has a larger error than this, in Å, in predictions.
    const SURE: (usize, f32) = (30, 1.0);
    match pae.largest() {
        0.0 if pae.size() > 1 => {
            Err("all its predicted aligned errors are 0 Å, and predictors write larger ones: the \
             matrix is damaged; write it again"
                .to_owned())
        }
        most if pae.size() >= SURE.0 && most <= SURE.1 => Err(format!(
            "its largest predicted aligned error is {most} Å, and predictors write larger ones: the matrix is scaled; write it again \
             in Å, as by a factor of 31 if it was divided by 31"
        )),
        _ => Ok(()),
    }
}

/// Says whether errors are larger than those of predictors. `named`: the largest that the file names.
fn odd_errors(pae: &Matrix, named: Option<f32>) -> Option<String> {
    /// What rounding to integers adds to an error.
    const ROUNDED: f32 = 0.51;
    /// Where the bins of predictors end, in Å.
    const LAST: f32 = 32.0;
    let own = pae.largest();
    let most = match named {
        Some(named) if own > named + ROUNDED => format!("the largest that it names {named} Å"),
        _ if own > LAST + ROUNDED => format!("predictors write none above {LAST} Å"),
        _ => return None,
    };
    Some(format!("its largest predicted aligned error is {own} Å, and {most}: the matrix may be damaged, or not in Å"))
}

/// Says which chains have the id of a ligand, too.
fn shared_ids(model: &Model) -> Option<String> {
    let has = |chain: usize, is_ligand: bool| {
        let own = model.residues.iter().filter(|residue| residue.chain as usize == chain);
        own.into_iter().any(|residue| (residue.kind == Kind::Ligand) == is_ligand)
    };
    let shared = model.chains.iter().enumerate().filter(|(chain, _)| has(*chain, true) && has(*chain, false));
    let shared: Vec<&str> = shared.map(|(_, id)| id.as_str()).collect();
    (!shared.is_empty()).then(|| format!(
            "ligands that have the id of chain {} are left out of the scores; give them a chain of their own in the model and beside it",
            shared.join(", ")
        ))
}
