//! Interfaces of any two groups of residues: chains, ligands, nucleic acids. Areas are computed by the engine, as those of chains.

use super::complementarity::Shape;
use super::elements::Element;
use super::group::Group;
use super::kinds::Kind;
use super::model::{Entity, Residue};
use super::search::Search;
use super::surface::Sphere;
use super::{Link, Options, found_in, searched};
use crate::{Engine, EngineError};
use prism_read::structure::{Composition, StructureInput};
use prism_read::{ReadError, residue_name};
use rayon::prelude::*;
use shared_types::radii::{protor_radius, radius_of_element};
use shared_types::residue::kind_of;
use shared_types::{Atom, NO_CA, UNKNOWN};
use std::collections::{BTreeMap, BTreeSet};
use thiserror::Error;

/// Radius of the probe in Å.
const PROBE: f64 = 1.4;
/// Residues with atoms within this distance are in contact, as in other interfaces, in Å.
const CONTACT: f64 = 4.5;
/// The most residues that a line names as hot.
const HOT: usize = 5;
/// Structures that the engine computes together.
const AT_ONCE: usize = 300;

/// The interface of two groups.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupInterface {
    /// The groups as they were given; chains, or a ligand's name, chain and number, where none were.
    pub groups: [String; 2],
    /// Area in Å² that the groups cover of each other, summed over both, on polar and on apolar atoms.
    pub buried: [f64; 2],
    /// Residues of each group that lose area.
    pub residues: [u32; 2],
    /// Pairs of residues with heavy atoms within 4.5 Å.
    pub contacts: u32,
    /// How they fit, if [`group_interfaces`] was asked.
    pub shape: Option<Shape>,
    /// How many interactions of each kind there are, in the order of [`Kind::counted`].
    pub counts: Vec<u32>,
    /// The residues of each group that lose most area, the most first, as chain, number and name (A:45:ARG).
    pub hot: [Vec<String>; 2],
}

/// The interfaces of a structure.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupInterfaces {
    /// The pairs that touch.
    pub pairs: Vec<GroupInterface>,
    /// How many residues and atoms the structure has.
    pub size: [usize; 2],
    /// What was chosen or left out, as sentences.
    pub notes: Vec<String>,
}

/// Why interfaces cannot be computed.
#[derive(Debug, Error)]
pub enum GroupError {
    /// The file cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A group, or a chain of it, has no residues.
    #[error("{group} has no residues; the file has {found}")]
    Empty {
        /// The group, or its chain, and where it was given.
        group: String,
        /// What the file has.
        found: String,
    },
    /// A residue is in two groups.
    #[error("{residue} is in both groups {groups}; give groups that have nothing in common")]
    Both {
        /// The residue.
        residue: String,
        /// The groups, and where they were given.
        groups: String,
    },
    /// Areas cannot be computed.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

/// Computes the interfaces of all pairs of the groups, or of chains, ligands, ions and sugars, that touch. Water is of no group.
/// `engine` computes the features `sasa` and `sasa_apolar`; without them, areas are NaN. With `shape`, the fit of their surfaces is
/// computed, too, which takes about ten times as long as all the rest.
///
/// # Errors
/// If the file cannot be read, a group or one of its chains has no residues, or two groups have a residue in common.
pub fn group_interfaces(
    bytes: &[u8],
    name: &str,
    options: &Options<'_>,
    groups: Option<&[Group]>,
    shape: bool,
    engine: &Engine,
) -> Result<GroupInterfaces, GroupError> {
    let (search, links, mut notes) = searched(bytes, name, options)?;
    let residues = &search.system.residues;
    let all = all_groups(residues);
    let given = groups.unwrap_or(&all);
    let members = members(&search, given)?;
    let groups: Vec<(&str, BTreeSet<u32>)> = given.iter().map(Group::name).zip(members).collect();
    let mut group_of: Vec<Option<usize>> = vec![None; residues.len()];
    for (index, (_, members)) in groups.iter().enumerate() {
        for &member in members {
            if let Some(other) = group_of[member as usize].replace(index) {
                let residue = named(&residues[member as usize]);
                return Err(GroupError::Both { residue, groups: given[other].and(&given[index]) });
            }
        }
    }
    let near = near_residues(&search, &group_of);
    // The residues of each pair of groups that the other one may cover.
    let mut pairs: BTreeMap<[usize; 2], BTreeSet<u32>> = BTreeMap::new();
    for (&residue, others) in &near {
        for &other in others {
            if let [Some(a), Some(b)] = [residue, other].map(|one| group_of[one as usize])
                && a != b
            {
                pairs.entry([a.min(b), a.max(b)]).or_default().extend([residue, other]);
            }
        }
    }
    if pairs.is_empty() {
        notes.push("no two groups touch each other".to_owned());
    }
    // Those residues, and all that cover them: of both groups, and of each alone.
    let mut parts: Vec<Vec<u32>> = Vec::new();
    for (pair, exposed) in &pairs {
        for groups in [&pair[..], &pair[..1], &pair[1..]] {
            let is_own = |residue: &u32| group_of[*residue as usize].is_some_and(|group| groups.contains(&group));
            let own = exposed.iter().copied().filter(is_own);
            let covering =
                own.clone().flat_map(|residue| near.get(&residue).into_iter().flatten().copied()).filter(is_own);
            let all: BTreeSet<u32> = own.chain(covering).collect();
            parts.push(all.into_iter().collect());
        }
    }
    let mut areas = Vec::with_capacity(parts.len());
    for some in parts.chunks(AT_ONCE) {
        let inputs: Vec<StructureInput> = some.iter().map(|part| structure(&search, name, part)).collect();
        for (features, part) in engine.run(&inputs)?.iter().zip(some) {
            let column = |name: &str| features.named(name).unwrap_or_default();
            let (all, apolar) = (column("sasa"), column("sasa_apolar"));
            let value = |column: &[f32], row: usize| f64::from(column.get(row).copied().unwrap_or(f32::NAN));
            let of = |row: usize| [value(all, row) - value(apolar, row), value(apolar, row)];
            areas.push(part.iter().enumerate().map(|(row, &residue)| (residue, of(row))).collect::<Areas>());
        }
    }
    let mut tallies = tallies(&search, &links, &group_of);
    let of_groups: Vec<Vec<Sphere>> = match shape {
        true => groups.iter().map(|(_, members)| spheres(&search, members)).collect(),
        false => Vec::new(),
    };
    // Areas of whole residues are undefined there.
    let is_trace = |residue: &u32| residues[*residue as usize].is_trace;
    let have_traces: Vec<bool> = groups.iter().map(|(_, members)| members.iter().any(is_trace)).collect();
    let has_trace = |pair: &[usize; 2]| pair.iter().any(|group| have_traces[*group]);
    let between = |pair: &[usize; 2]| {
        shape.then(|| match has_trace(pair) {
            true => Shape { fit: None, gap_volume: f64::NAN },
            false => Shape::between(pair.map(|group| &of_groups[group][..])),
        })
    };
    let shapes: Vec<Option<Shape>> = pairs.par_iter().map(|(pair, _)| between(pair)).collect();
    let of_pair = |(((pair, exposed), areas), shape)| {
        let (pair, exposed, areas): (&[usize; 2], &BTreeSet<u32>, &[Areas]) = (pair, exposed, areas);
        let [together, one, other] = areas else { unreachable!("three parts a pair") };
        let lost = |residue: u32| {
            let alone = one.get(&residue).or_else(|| other.get(&residue));
            let [alone, together] = [alone, together.get(&residue)].map(|areas| areas.copied().unwrap_or_default());
            [alone[0] - together[0], alone[1] - together[1]]
        };
        let mut buried = [0.0; 2];
        exposed
            .iter()
            .map(|&residue| lost(residue))
            .for_each(|lost| (0..2).for_each(|part| buried[part] += lost[part]));
        let losing = pair.map(|group| {
            let own = exposed.iter().copied().filter(|&residue| group_of[residue as usize] == Some(group));
            let own = own.map(|residue| (residue, lost(residue).iter().sum::<f64>()));
            let mut own: Vec<(u32, f64)> = own.filter(|(_, lost)| *lost > 0.0).collect();
            own.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            own
        });
        let tally = tallies.remove(pair).unwrap_or_default();
        let is_defined = !has_trace(pair);
        GroupInterface {
            groups: pair.map(|group| groups[group].0.to_owned()),
            buried: if is_defined { buried } else { [f64::NAN; 2] },
            residues: [losing[0].len() as u32, losing[1].len() as u32],
            contacts: tally.contacts.len() as u32,
            shape,
            counts: Kind::counted().map(|kind| tally.counts.get(&kind).copied().unwrap_or(0)).collect(),
            hot: losing.map(|all| {
                let hot = all.iter().take(if is_defined { HOT } else { 0 });
                hot.map(|(residue, _)| place(&residues[*residue as usize])).collect()
            }),
        }
    };
    let found: Vec<GroupInterface> = pairs.iter().zip(areas.chunks(3)).zip(shapes).map(of_pair).collect();
    let is_touching = |pair: &GroupInterface| pair.buried.iter().sum::<f64>() > 0.0 || pair.contacts > 0;
    let size = [residues.len(), search.system.atoms.len()];
    Ok(GroupInterfaces { pairs: found.into_iter().filter(is_touching).collect(), size, notes })
}

/// The polar and the apolar area of each residue of a part, in Å².
type Areas = BTreeMap<u32, [f64; 2]>;

/// What is between two groups.
#[derive(Default)]
struct Tally {
    /// Pairs of residues in contact.
    contacts: BTreeSet<[u32; 2]>,
    counts: BTreeMap<Kind, u32>,
}

/// What is between each pair of groups.
fn tallies(search: &Search, links: &[Link], group_of: &[Option<usize>]) -> BTreeMap<[usize; 2], Tally> {
    let mut tallies: BTreeMap<[usize; 2], Tally> = BTreeMap::new();
    let pair = |ends: [u32; 2]| match ends.map(|residue| group_of[residue as usize]) {
        [Some(a), Some(b)] if a != b => Some([a.min(b), a.max(b)]),
        _ => None,
    };
    for near in search.near().filter(|near| near.distance <= CONTACT) {
        let ends = [search.residue(near.a), search.residue(near.b)];
        if let Some(pair) = pair(ends) {
            tallies.entry(pair).or_default().contacts.insert(ends);
        }
    }
    for one in found_in(search, links, &Kind::counted().collect::<Vec<_>>()) {
        if let Some(pair) = pair(one.residues) {
            *tallies.entry(pair).or_default().counts.entry(one.kind).or_default() += 1;
        }
    }
    tallies
}

/// The residues of each group.
fn members(search: &Search, groups: &[Group]) -> Result<Vec<BTreeSet<u32>>, GroupError> {
    let system = &search.system;
    // Only what is near something needs positions.
    let atoms: Vec<[f64; 4]> = match groups.iter().any(Group::selects) {
        true => system.atoms.iter().map(|atom| [atom.position[0], atom.position[1], atom.position[2], 0.0]).collect(),
        false => Vec::new(),
    };
    groups.iter().map(|group| group.members(&system.residues, &atoms)).collect()
}

/// Each chain with polymers, and each ligand, ion and sugar.
fn all_groups(residues: &[Residue]) -> Vec<Group> {
    let (mut groups, mut known) = (Vec::new(), BTreeSet::new());
    for (residue, index) in residues.iter().zip(0..) {
        match residue.entity {
            Entity::Water => {}
            Entity::Protein | Entity::Nucleic => {
                if known.insert(&residue.chain) {
                    groups.push(Group::of_chain(&residue.chain));
                }
            }
            _ => groups.push(Group::of_residue(named(residue), index)),
        }
    }
    groups
}

fn named(residue: &Residue) -> String {
    format!("{}:{}{}:{}", residue.chain, residue.number, residue.icode, residue.name)
}

/// A residue as other tables write it: chain, number and insertion code (`A_120`).
fn place(residue: &Residue) -> String {
    residue_name(&residue.chain, residue.number, &residue.icode)
}

/// For each residue of a group, those of any group with atoms so near that they may cover its own.
fn near_residues(search: &Search, group_of: &[Option<usize>]) -> BTreeMap<u32, BTreeSet<u32>> {
    let atoms: Vec<u32> = (0..search.system.atoms.len() as u32)
        .filter(|&atom| group_of[search.residue(atom) as usize].is_some())
        .collect();
    let points: Vec<[f64; 3]> = atoms.iter().map(|&atom| search.system.at(atom)).collect();
    let radii: Vec<f64> = atoms.iter().map(|&atom| f64::from(radius(search, atom))).collect();
    let largest = radii.iter().copied().fold(0.0, f64::max);
    let mut near: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    super::cells::each_pair(&points, 2.0 * (largest + PROBE), |a, b, distance2| {
        let reach = radii[a as usize] + radii[b as usize] + 2.0 * PROBE;
        let [one, other] = [a, b].map(|atom| search.residue(atoms[atom as usize]));
        if one != other && distance2 <= reach * reach {
            near.entry(one).or_default().insert(other);
            near.entry(other).or_default().insert(one);
        }
    });
    near
}

/// The radius of an atom, as in other areas: ProtOr in amino acids, by element elsewhere.
fn radius(search: &Search, atom: u32) -> f32 {
    let (own, residue) = (&search.system.atoms[atom as usize], search.system.residue_of(atom));
    match kind_of(residue.template.as_bytes()) {
        Some(kind) if residue.entity == Entity::Protein => protor_radius(kind, own.name.as_bytes()),
        _ => {
            let Element(symbol) = own.element;
            radius_of_element(if symbol[1] == 0 { &symbol[..1] } else { &symbol })
        }
    }
}

/// The atoms of some residues.
fn spheres(search: &Search, members: &BTreeSet<u32>) -> Vec<Sphere> {
    let atoms = members.iter().flat_map(|&residue| search.system.residues[residue as usize].range());
    atoms
        .map(|atom| Sphere { centre: search.system.at(atom as u32), radius: f64::from(radius(search, atom as u32)) })
        .collect()
}

/// Some residues as a structure for the engine.
fn structure(search: &Search, name: &str, part: &[u32]) -> StructureInput {
    let system = &search.system;
    let points = || {
        part.iter()
            .flat_map(|&residue| system.residues[residue as usize].range())
            .map(|atom| system.atoms[atom].position)
    };
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for point in points() {
        low = [0, 1, 2].map(|axis| low[axis].min(point[axis]));
        high = [0, 1, 2].map(|axis| high[axis].max(point[axis]));
    }
    let center = [0, 1, 2].map(|axis| 0.5 * (low[axis] + high[axis]));
    let mut own = Composition {
        name: name.to_owned(),
        chains: vec!["A".to_owned()],
        residue_atoms: vec![0],
        ..Composition::default()
    };
    let mut atoms = Vec::new();
    for &index in part {
        let residue = &system.residues[index as usize];
        for atom in residue.range() {
            let [x, y, z] = [0, 1, 2].map(|axis| (system.atoms[atom].position[axis] - center[axis]) as f32);
            atoms.push(Atom { x, y, z, radius: radius(search, atom as u32) });
        }
        own.residue_atoms.push(atoms.len() as u32);
        own.ca_indices.push(NO_CA);
        own.residue_types.push(UNKNOWN);
        own.chain_ids.push(0);
        own.residue_numbers.push(residue.number);
        own.insertion_codes.push((&*residue.icode).into());
    }
    StructureInput { atoms: atoms.into(), center, ..own.into() }
}
