//! Interfaces between chains: the surface that chains bury in each other.

use super::{ATOM_CONTACT, atom_contacts, each_pair, points};
use crate::{Engine, EngineError};
use prism_read::listed_ids;
use prism_read::structure::{Composition, StructureInput};
use shared_types::NO_CA;
use std::collections::{BTreeSet, HashMap};
use thiserror::Error;

/// Radius of the probe in Å.
const PROBE: f32 = 1.4;

/// The accessible area of a residue, in its chain alone and among other chains.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InterfaceResidue {
    /// Its row in the structure.
    pub row: u32,
    /// Accessible area in Å² with its chain alone; NaN in chains of alpha carbons or backbones alone.
    pub alone: f32,
    /// Accessible area in Å² among all selected chains.
    pub complex: f32,
}

impl InterfaceResidue {
    /// The area in Å² that other chains cover.
    #[must_use]
    pub fn buried(&self) -> f32 {
        self.alone - self.complex
    }
}

/// Two chains in contact.
#[derive(Clone, Debug, PartialEq)]
pub struct ChainPair {
    /// Indices of the chains in the structure's `chains`, the lower one first.
    pub chains: [u32; 2],
    /// Buried area in Å², summed over both chains; NaN if one of them has alpha carbons or backbones alone.
    pub buried_area: f32,
    /// Residues of each chain that lose area to the other one.
    pub residues: [u32; 2],
    /// Pairs of residues with heavy atoms within 4.5 Å of each other.
    pub contacts: u32,
}

/// The interfaces of a structure.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Interface {
    /// The residues of the selected chains, by row.
    pub residues: Vec<InterfaceResidue>,
    /// Pairs of chains with buried area or contacts, by chain.
    pub pairs: Vec<ChainPair>,
}

/// Why interfaces cannot be computed.
#[derive(Debug, Error)]
pub enum InterfaceError {
    /// The structure lacks a chain.
    #[error("there is no chain {chain:?}; the chains are {found}")]
    NoChain {
        /// The requested chain.
        chain: String,
        /// The chains of the structure.
        found: String,
    },
    /// The computation failed.
    #[error(transparent)]
    Engine(Box<EngineError>),
    /// The structure is invalid.
    #[error(transparent)]
    Structure(#[from] prism_read::structure::StructureError),
}

impl From<EngineError> for InterfaceError {
    fn from(error: EngineError) -> Self {
        Self::Engine(Box::new(error))
    }
}

/// Computes the interfaces of a structure, between all pairs of chains or between two given ones.
///
/// `engine` computes accessible areas of each chain alone, of each pair of nearby chains, and of all chains, as structures
/// of one batch. An [`Engine::builder`] with the selection `sasa` computes only that.
///
/// # Errors
/// If a given chain does not exist, or the engine fails.
///
/// ```
/// use prism_engine::contacts::interfaces;
/// use prism_read::{ReadOptions, read_path};
/// use prism_engine::{Backend, Engine};
///
/// let three = read_path("../../tests/data/1jcd.pdb.gz", "1jcd", &ReadOptions::default())?.structure;
/// let engine = Engine::builder().backend(Backend::Cpu).build()?;
/// let all = interfaces(&engine, &three, None)?;
/// // Each of the trimer's helices touches both others.
/// assert_eq!(all.pairs.iter().map(|pair| pair.chains).collect::<Vec<_>>(), [[0, 1], [0, 2], [1, 2]]);
/// assert!(all.pairs.iter().all(|pair| pair.buried_area > 500.0 && pair.contacts > 20));
/// assert_eq!(all.residues.len(), three.n_residues());
/// // Only between two chains.
/// let two = interfaces(&engine, &three, Some(["A", "B"]))?;
/// assert_eq!(two.pairs, all.pairs[..1]);
/// assert!(interfaces(&engine, &three, Some(["A", "X"])).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn interfaces(
    engine: &Engine,
    structure: &StructureInput,
    between: Option<[&str; 2]>,
) -> Result<Interface, InterfaceError> {
    structure.validate()?;
    let chains: BTreeSet<u32> = match between {
        None => structure.rows_of_chains().into_iter().map(|(chain, _)| chain).collect(),
        Some(names) => {
            let named = |name| chain_named(structure, name).ok_or_else(|| no_chain(structure, name));
            names.into_iter().map(named).collect::<Result<_, _>>()?
        }
    };
    let pairs: Vec<[u32; 2]> =
        near_chains(structure).into_iter().filter(|pair| pair.iter().all(|chain| chains.contains(chain))).collect();
    let groups = chains.iter().map(|&chain| vec![chain]).chain(pairs.iter().map(|pair| pair.to_vec()));
    let groups = groups.chain([chains.iter().copied().collect()]);
    let parts: Vec<Part> = groups.map(|group| Part::new(structure, &group)).collect();
    // Residues without atoms have no area, and a single chain without neighbours needs no computation.
    let inputs: Vec<StructureInput> =
        parts.iter().filter(|part| part.has_atoms()).map(|part| part.input.clone()).collect();
    let features = engine.run(&inputs)?;
    let mut computed = features.iter();
    let areas: Vec<HashMap<u32, f32>> = parts
        .iter()
        .map(|part| {
            let own = if part.has_atoms() { computed.next() } else { None };
            let sasa = own.and_then(|features| features.named("sasa")).map(|sasa| sasa.to_vec());
            let sasa = sasa.unwrap_or_else(|| vec![0.0; part.rows.len()]);
            part.rows.iter().copied().zip(sasa).collect()
        })
        .collect();
    let (alone, rest) = areas.split_at(chains.len());
    let (together, whole) = rest.split_at(pairs.len());
    let alone: HashMap<u32, f32> = alone.iter().flatten().map(|(row, area)| (*row, *area)).collect();
    let mut residues: Vec<InterfaceResidue> =
        whole.iter().flatten().map(|(&row, &complex)| InterfaceResidue { row, alone: alone[&row], complex }).collect();
    residues.sort_unstable_by_key(|residue| residue.row);
    let mut contacts: HashMap<[u32; 2], u32> = HashMap::new();
    for (i, j) in atom_contacts(structure, ATOM_CONTACT).into_keys() {
        let mut pair = [structure.chain_ids[i as usize], structure.chain_ids[j as usize]];
        pair.sort_unstable();
        *contacts.entry(pair).or_default() += 1;
    }
    let pairs = pairs.iter().zip(together).map(|(&chains, together)| {
        let mut rows: Vec<u32> = together.keys().copied().collect();
        rows.sort_unstable();
        let lost = |row: &u32| alone[row] - together[row];
        let losing = |chain: u32| {
            rows.iter().filter(|row| structure.chain_ids[**row as usize] == chain && lost(row) > 0.0).count() as u32
        };
        ChainPair {
            chains,
            // Sum in a fixed order, so that the bits are the same each time.
            buried_area: rows.iter().map(|row| f64::from(lost(row))).sum::<f64>() as f32,
            residues: chains.map(losing),
            contacts: contacts.get(&chains).copied().unwrap_or(0),
        }
    });
    let pairs = pairs.filter(|pair| pair.buried_area > 0.0 || pair.contacts > 0);
    // The area of alpha carbons or backbones alone is not that of their chain.
    let is_trace = |chain: &u32| structure.traces.contains(chain);
    let undefined = |pair: ChainPair| match pair.chains.iter().any(is_trace) {
        true => ChainPair { buried_area: f32::NAN, ..pair },
        false => pair,
    };
    let pairs = pairs.map(undefined).collect();
    for residue in residues.iter_mut().filter(|residue| structure.is_in_trace(residue.row as usize)) {
        (residue.alone, residue.complex) = (f32::NAN, f32::NAN);
    }
    Ok(Interface { residues, pairs })
}

fn no_chain(structure: &StructureInput, name: &str) -> InterfaceError {
    InterfaceError::NoChain { chain: name.to_owned(), found: names_of_chains(structure) }
}

/// The names of chains that have rows.
pub fn names_of_chains(structure: &StructureInput) -> String {
    let chains = structure.rows_of_chains().into_iter();
    listed_ids(chains.map(|(chain, _)| structure.chains[chain as usize].as_str()))
}

/// The index of a chain with rows. A blank name may be given as an empty one.
pub fn chain_named(structure: &StructureInput, name: &str) -> Option<u32> {
    let is_it = |chain: &str| chain == name || (name.is_empty() && chain == " ");
    let mut chains = structure.rows_of_chains().into_iter().map(|(chain, _)| chain);
    chains.find(|chain| is_it(&structure.chains[*chain as usize]))
}

/// Pairs of chains with atoms so close that they may cover each other's surface.
fn near_chains(structure: &StructureInput) -> BTreeSet<[u32; 2]> {
    let points = points(structure);
    let largest = points.iter().map(|point| point.radius).fold(0.0, f32::max);
    let mut pairs = BTreeSet::new();
    each_pair(&points, 2.0 * (largest + PROBE), |a, b, distance2| {
        let reach = a.radius + b.radius + 2.0 * PROBE;
        let mut pair = [structure.chain_ids[a.row as usize], structure.chain_ids[b.row as usize]];
        if pair[0] != pair[1] && distance2 <= reach * reach {
            pair.sort_unstable();
            pairs.insert(pair);
        }
    });
    pairs
}

/// Some chains of a structure, with all atoms that cover surface but have no row.
struct Part {
    input: StructureInput,
    /// The row in the structure of each residue with a row.
    rows: Vec<u32>,
}

impl Part {
    fn new(structure: &StructureInput, chains: &[u32]) -> Self {
        let rows: Vec<u32> =
            (0..structure.n_rows() as u32).filter(|row| chains.contains(&structure.chain_ids[*row as usize])).collect();
        let mut own = Composition {
            name: structure.name.clone(),
            chains: structure.chains.clone(),
            residue_atoms: vec![0],
            environment: structure.environment,
            ..Composition::default()
        };
        let mut atoms = Vec::new();
        let covering = structure.n_rows()..structure.n_residues();
        for row in rows.iter().map(|&row| row as usize).chain(covering) {
            let (first, end) = (structure.residue_atoms[row], structure.residue_atoms[row + 1]);
            let begin = atoms.len() as u32;
            atoms.extend_from_slice(&structure.atoms[first as usize..end as usize]);
            own.residue_atoms.push(atoms.len() as u32);
            let ca = structure.ca_indices[row];
            own.ca_indices.push(if ca == NO_CA { NO_CA } else { ca - first + begin });
            own.residue_types.push(structure.residue_types[row]);
            own.chain_ids.push(structure.chain_ids[row]);
            own.residue_numbers.push(structure.residue_numbers[row]);
            own.insertion_codes.push(structure.insertion_codes[row].clone());
        }
        let input = StructureInput { atoms: atoms.into(), center: structure.center, ..own.into() };
        Self { input, rows }
    }

    fn has_atoms(&self) -> bool {
        !self.input.atoms.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Backend;
    use prism_read::{ReadOptions, read_path};

    fn run(between: Option<[&str; 2]>) -> (StructureInput, Interface) {
        let path = "../../tests/data/4zhl.cif.gz";
        let structure = read_path(path, "4zhl", &ReadOptions::default()).unwrap().structure;
        let engine = Engine::builder().backend(Backend::Cpu).build().unwrap();
        let found = interfaces(&engine, &structure, between).unwrap();
        (structure, found)
    }

    #[test]
    fn a_chain_without_atoms_buries_nothing() {
        let (mut structure, _) = run(None);
        // A chain whose only residue has no atoms.
        let last = structure.n_residues() - 1;
        let first = structure.residue_atoms[last];
        structure.atoms.to_mut().truncate(first as usize);
        structure.residue_atoms[last + 1] = first;
        structure.ca_indices[last] = NO_CA;
        structure.roles.clear();
        structure.chain_ids[last] = structure.chains.len() as u32;
        structure.chains.push("Z".to_owned());
        let engine = Engine::builder().backend(Backend::Cpu).build().unwrap();
        let found = interfaces(&engine, &structure, None).unwrap();
        let residue = found.residues.last().unwrap();
        assert_eq!((residue.row, residue.alone, residue.complex), (last as u32, 0.0, 0.0));
        assert_eq!(found.pairs.len(), 1);
    }

    /// The same areas result from reading the chains from the file separately and together.
    #[test]
    fn areas_are_those_of_chains_read_by_themselves() {
        let (structure, found) = run(None);
        let engine = Engine::builder().backend(Backend::Cpu).build().unwrap();
        let read = |chains: Option<Vec<String>>| {
            let mut options = ReadOptions::default();
            options.chains.clone_from(&chains);
            let one = read_path("../../tests/data/4zhl.cif.gz", "4zhl", &options).unwrap().structure;
            engine.run(&[one]).unwrap().remove(0).named("sasa").unwrap().to_vec()
        };
        let whole = read(None);
        assert_eq!(found.residues.len(), whole.len());
        assert!(found.residues.iter().zip(&whole).all(|(residue, area)| residue.complex == *area));
        let mut buried = 0.0;
        for (chain, name) in structure.chains.iter().enumerate() {
            let alone = read(Some(vec![name.clone()]));
            let own = found.residues.iter().filter(|r| structure.chain_ids[r.row as usize] as usize == chain);
            for (residue, area) in own.zip(&alone) {
                // Another centre rounds coordinates differently, which changes a point or two.
                assert!((residue.alone - area).abs() < 3.5, "{residue:?}: {area}");
                buried += residue.buried();
            }
        }
        let [pair] = &found.pairs[..] else { panic!("{:?}", found.pairs) };
        assert!((pair.buried_area - buried).abs() < 0.1 && buried > 1000.0, "{pair:?}: {buried}");
        assert!(pair.residues.iter().all(|&count| count > 5) && pair.contacts > 20, "{pair:?}");
        assert!(found.residues.iter().all(|residue| residue.buried() >= 0.0));
    }

    #[test]
    fn chains_by_name_and_order() {
        let (_, found) = run(None);
        let (structure, named) = run(Some(["P", "U"]));
        assert_eq!(structure.chains.len(), 2, "{:?}", structure.chains);
        assert_eq!(found, named);
    }
}
