//! Which chains of a model may correspond to which of the reference.

use super::chains::Chain;
use super::{DockqError, Model, Reference};
use prism_read::listed_ids;
use prism_read::plural::{counted, form};
use std::collections::HashSet;
use std::str::FromStr;
use thiserror::Error;

/// A pair of `--mapping`: a chain of the model, and one of the reference. `None` stands for any that no other pair names.
///
/// ```
/// use prism_complexes::dockq::ChainChoice;
///
/// let fixed: ChainChoice = "A:H".parse()?;
/// assert_eq!((fixed.model(), fixed.reference()), (Some("A"), Some("H")));
/// let searched: ChainChoice = "*:H".parse()?;
/// assert_eq!((searched.model(), searched.reference()), (None, Some("H")));
/// assert!("AH".parse::<ChainChoice>().is_err() && "A:*".parse::<ChainChoice>().is_err());
/// # Ok::<(), prism_complexes::dockq::ParseChainChoiceError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainChoice {
    model: Option<String>,
    reference: Option<String>,
}

/// A text that is not a pair of chains.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error(
    "give pairs MODEL:REFERENCE of chains, as in A:H,B:L; *:H for any chain of the model, *:* for all other chains"
)]
pub struct ParseChainChoiceError;

impl FromStr for ChainChoice {
    type Err = ParseChainChoiceError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (model, reference) = text.trim().split_once(':').ok_or(ParseChainChoiceError)?;
        let named = |chain: &str| match chain {
            "" => None,
            "*" => Some(None),
            chain => Some(Some(chain.to_owned())),
        };
        let (Some(model), Some(reference)) = (named(model), named(reference)) else {
            return Err(ParseChainChoiceError);
        };
        if model.is_some() && reference.is_none() {
            return Err(ParseChainChoiceError);
        }
        Ok(Self { model, reference })
    }
}

impl ChainChoice {
    /// The chain of the model, if it is given.
    #[must_use]
    pub fn model(&self) -> Option<&str> {
        self.model.as_deref()
    }

    /// The chain of the reference, if it is given.
    #[must_use]
    pub fn reference(&self) -> Option<&str> {
        self.reference.as_deref()
    }
}

/// The index of a chain.
fn index(chains: &[Chain], id: &str) -> Option<usize> {
    chains.iter().position(|chain| chain.id == id)
}

/// Checks that a structure has the chains of one side of a mapping, each once.
pub fn check(
    structure: &str,
    chains: &[Chain],
    mapping: &[ChainChoice],
    side: fn(&ChainChoice) -> Option<&str>,
) -> Result<(), DockqError> {
    let mut seen = HashSet::new();
    for chain in mapping.iter().filter_map(side) {
        if index(chains, chain).is_none() {
            let found = listed_ids(chains.iter().map(|chain| chain.id.as_str()));
            return Err(DockqError::NoChain { structure: structure.to_owned(), chain: chain.to_owned(), found });
        }
        if !seen.insert(chain) {
            return Err(DockqError::Twice(chain.to_owned()));
        }
    }
    Ok(())
}

/// What may correspond. Slots are in the order in which DockQ lists chains: it decides which chain of an interface comes first,
/// and so which of two equally long chains is superposed.
pub(super) struct Candidates {
    /// For each slot, pairs of a chain of the model and one of the reference.
    pub(super) slots: Vec<Vec<[usize; 2]>>,
    /// For each slot, the side on which it competes with others: 0 for the chains of the model.
    searched: Vec<usize>,
}

impl Candidates {
    /// The chain of each choice that no two slots may have.
    pub(super) fn choices(&self) -> Vec<Vec<usize>> {
        let keys = |(slot, &side): (&Vec<[usize; 2]>, &usize)| slot.iter().map(|pair| 2 * pair[side] + side).collect();
        self.slots.iter().zip(&self.searched).map(keys).collect()
    }
}

/// Finds which chains may correspond: the given ones, chains of one sequence, and ligands of one name.
pub(super) fn candidates(reference: &Reference, model: &Model<'_>) -> Result<Candidates, DockqError> {
    let mapping = &reference.comparison.mapping;
    check(model.name, &model.chains, mapping, ChainChoice::model)?;
    let index_in = |chains: &[Chain], id: Option<&str>| id.and_then(|id| index(chains, id));
    let pairs: Vec<[Option<usize>; 2]> = mapping
        .iter()
        .map(|pair| [index_in(&model.chains, pair.model()), index_in(&reference.chains, pair.reference())])
        .collect();
    let fixed: Vec<[usize; 2]> = pairs.iter().filter_map(|pair| Some([pair[0]?, pair[1]?])).collect();
    for &[own, other] in &fixed {
        let [own, other] = [&model.chains[own], &reference.chains[other]];
        if own.ligand.is_some() != other.ligand.is_some() {
            return Err(DockqError::Kinds(own.id.clone(), other.id.clone()));
        }
    }
    let is_fixed = |side: usize, chain: usize| fixed.iter().any(|pair| pair[side] == chain);
    // Without a mapping, all chains are searched.
    let takes_others = pairs.is_empty() || pairs.contains(&[None, None]);
    let is_named = |chain: usize| pairs.contains(&[None, Some(chain)]);
    let models: Vec<usize> = (0..model.chains.len()).filter(|&chain| !is_fixed(0, chain)).collect();
    let references: Vec<usize> =
        (0..reference.chains.len()).filter(|&chain| !is_fixed(1, chain) && (takes_others || is_named(chain))).collect();
    let mut slots: Vec<Vec<[usize; 2]>> = fixed.iter().map(|pair| vec![*pair]).collect();
    // A mapping may give all chains that are compared.
    let is_whole = references.is_empty() && !fixed.is_empty();
    let is_ligand = |chains: &[Chain], chain: usize| chains[chain].ligand.is_some();
    let (model_ligands, models): (Vec<usize>, Vec<usize>) =
        models.iter().partition(|&&chain| is_ligand(&model.chains, chain));
    let (ligands, references): (Vec<usize>, Vec<usize>) =
        references.iter().partition(|&&chain| is_ligand(&reference.chains, chain));
    // As in DockQ, which counts ligands as chains, where that does not leave chains without a counterpart.
    let counts = [models.len(), references.len()];
    let all = [models.len() + model_ligands.len(), references.len() + ligands.len()];
    let searched = usize::from(if counts[0] == counts[1] { all[0] < all[1] } else { counts[0] < counts[1] });
    let mut sides = vec![searched; slots.len()];
    if !is_whole {
        let mut search = Search { reference, model, near: Vec::new() };
        let mut unmatched = Vec::new();
        let (own, others) = if searched == 0 { (&references, &models) } else { (&models, &references) };
        for &chain in own {
            let pair = |other: usize| if searched == 0 { [other, chain] } else { [chain, other] };
            let mut slot = Vec::new();
            for &other in others {
                if search.correspond(pair(other))? {
                    slot.push(pair(other));
                }
            }
            if slot.is_empty() {
                unmatched.push(chain);
            }
            slots.push(slot);
            sides.push(searched);
        }
        if !unmatched.is_empty() {
            return Err(search.no_match(searched, &unmatched));
        }
    }
    let found = slots_of_ligands([&model.chains, &reference.chains], [&model_ligands, &ligands], searched);
    sides.extend(found.iter().map(|(side, _)| side));
    slots.extend(found.into_iter().map(|(_, slot)| slot));
    Ok(Candidates { slots, searched: sides })
}

/// Slots for the ligands of each name on the side that has fewer of them, with that on which they compete. Others have no
/// counterpart: crystals have salts and solvents that no model has.
fn slots_of_ligands(chains: [&[Chain]; 2], ligands: [&[usize]; 2], searched: usize) -> Vec<(usize, Vec<[usize; 2]>)> {
    let name = |side: usize, chain: usize| chains[side][chain].ligand.as_ref().map(|ligand| &ligand.name);
    let alike = |side: usize, own: &str| -> Vec<usize> {
        let is_alike = |&chain: &usize| name(side, chain).is_some_and(|name| name == own);
        ligands[side].iter().copied().filter(is_alike).collect()
    };
    let mut found = Vec::new();
    for own in [1 - searched, searched] {
        for &chain in ligands[own] {
            let Some(name) = name(own, chain) else { continue };
            let (mine, others) = (alike(own, name), alike(1 - own, name));
            let has_fewer = mine.len() < others.len() || mine.len() == others.len() && own != searched;
            if has_fewer {
                let pair = |other: usize| if own == 0 { [chain, other] } else { [other, chain] };
                found.push((1 - own, others.into_iter().map(pair).collect()));
            }
        }
    }
    found
}

/// Compares sequences.
struct Search<'a> {
    reference: &'a Reference,
    model: &'a Model<'a>,
    /// Chains with few mismatches, more than are allowed.
    near: Vec<([usize; 2], usize)>,
}

impl Search<'_> {
    /// Whether two chains have one sequence.
    fn correspond(&mut self, pair: [usize; 2]) -> Result<bool, DockqError> {
        /// Chains with more mismatches are not similar.
        const SIMILAR: usize = 10;
        let [own, other] = [&self.model.chains[pair[0]], &self.reference.chains[pair[1]]];
        if own.is_nucleic != other.is_nucleic {
            return Ok(false);
        }
        let alignment = self.reference.alignment(self.model, pair, false)?;
        let mismatches = alignment.mismatches;
        let allowed = self.reference.comparison.allowed_mismatches;
        // A short chain may have few mismatches among many gaps.
        let longer = own.residues.len().max(other.residues.len());
        let is_similar = mismatches < SIMILAR.max(2 * allowed) && 2 * alignment.equal.len() >= longer;
        if mismatches > allowed && is_similar {
            self.near.push((pair, mismatches));
        }
        Ok(mismatches <= allowed)
    }

    /// `chains` are those of one side without a counterpart.
    fn no_match(&self, searched: usize, chains: &[usize]) -> DockqError {
        let (model, reference) =
            ((&self.model.chains, self.model.name), (&self.reference.chains, &*self.reference.name));
        let ((own, structure), (_, other)) = if searched == 0 { (reference, model) } else { (model, reference) };
        // As many mismatches as must be allowed for each chain to have a counterpart.
        let closest = |chain: &usize| {
            let own = self.near.iter().filter(|(pair, _)| pair[1 - searched] == *chain);
            own.min_by_key(|(_, mismatches)| *mismatches)
        };
        let all: Option<Vec<&([usize; 2], usize)>> = chains.iter().map(closest).collect();
        let about = |(pair, mismatches): &([usize; 2], usize)| {
            let [own, reference] = [&self.model.chains[pair[0]].id, &self.reference.chains[pair[1]].id];
            let residues = counted(*mismatches, "residue differs", "residues differ");
            format!(
                " ({residues} between chain {own} of the model and chain {reference} of the reference: \
                 --allowed-mismatches {mismatches})"
            )
        };
        let closest = all.into_iter().flatten().max_by_key(|(_, mismatches)| *mismatches).map(about);
        let listed = listed_ids(chains.iter().map(|&chain| own[chain].id.as_str()));
        let chains = format!("{} {listed}", form(chains.len(), "chain", "chains"));
        let (structure, other) = (structure.to_owned(), other.to_owned());
        DockqError::NoMatch { structure, other, chains, closest: closest.unwrap_or_default() }
    }
}
