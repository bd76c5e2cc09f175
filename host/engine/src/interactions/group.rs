//! A group of residues: chains, ranges of their residues, kinds of molecules, names, or what a selection takes.

use super::groups::GroupError;
use super::model::{Entity, Residue};
use prism_read::selection::{Kind, ResidueSelection, SelectedResidue, SelectionError};
use std::collections::BTreeSet;
use std::str::FromStr;
use thiserror::Error;

/// Where groups come from that nobody listed.
const BETWEEN: &str = "--between";

/// A group of residues: what any of its parts takes.
///
/// ```
/// use prism_engine::interactions::Group;
///
/// let antibody: Group = "H+L".parse()?;
/// assert!(antibody.name() == "H+L" && !antibody.is_chain());
/// let mut domain = Group::new("domain", "domains.csv");
/// domain.add("A:10-50", 2)?;
/// domain.add("chain A and resnum 80-120 and not resname GLY", 3)?;
/// assert!("A:50-10".parse::<Group>().is_err());
/// # Ok::<(), prism_engine::interactions::ParseGroupError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    name: String,
    /// What lists it: an option, or a table.
    source: String,
    parts: Vec<Part>,
}

/// What one text names.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Part {
    text: String,
    /// The line of a table.
    line: Option<u64>,
    takes: Takes,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Takes {
    /// What any of these names.
    Terms(Vec<Term>),
    Selected(ResidueSelection),
    /// A single residue, by its index.
    One(u32),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Term {
    /// The polymers of a chain, or everything in a chain without polymers; of these the residues of some numbers.
    Chain {
        chain: String,
        numbers: Option<[i32; 2]>,
    },
    Entity(Entity),
    /// Residues of a name that are no polymers.
    Name(String),
}

/// Why a text names no group.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParseGroupError {
    /// It is of no known form.
    #[error(
        "{0:?} names no group; join chains by + (H+L), or give residues of a chain (A:10-50), protein, nucleic, ligand, ion, glycan, \
         resname:NAME, or a selection (chain A and resnum 10-50)"
    )]
    Unknown(String),
    /// A range ends before it begins.
    #[error("{0:?} ends before it begins; give the smaller number first")]
    Backwards(String),
    /// It has blanks, as selections have, and is none.
    #[error("{} in {:?}", .0.problem, .0.text)]
    Selection(#[from] SelectionError),
    /// It asks for what is not known here.
    #[error("{0:?} asks for segments, which groups have not; name chains by chain")]
    Segment(String),
}

impl FromStr for Group {
    type Err = ParseGroupError;

    fn from_str(text: &str) -> Result<Self, ParseGroupError> {
        let parts = vec![Part { text: text.to_owned(), line: None, takes: text.parse()? }];
        Ok(Self { name: text.to_owned(), source: BETWEEN.to_owned(), parts })
    }
}

impl FromStr for Takes {
    type Err = ParseGroupError;

    fn from_str(text: &str) -> Result<Self, ParseGroupError> {
        let terms: Vec<&str> = text.split('+').map(str::trim).collect();
        // No chain and no name of a residue has a blank within.
        if terms.iter().any(|term| term.contains(char::is_whitespace)) {
            let selection: ResidueSelection = text.parse()?;
            return match selection.names_segments() {
                true => Err(ParseGroupError::Segment(text.to_owned())),
                false => Ok(Self::Selected(selection)),
            };
        }
        let unknown = || ParseGroupError::Unknown(text.to_owned());
        let term = |&term: &&str| {
            if let Some(entity) = ENTITIES.iter().find(|entity| entity.name() == term) {
                return Ok(Term::Entity(*entity));
            }
            match term.rsplit_once(':') {
                Some(("resname", name)) if !name.is_empty() => Ok(Term::Name(name.to_owned())),
                Some((chain, numbers)) if !chain.is_empty() => match range(numbers).ok_or_else(unknown)? {
                    [first, last] if first > last => Err(ParseGroupError::Backwards(term.to_owned())),
                    numbers => Ok(Term::Chain { chain: chain.to_owned(), numbers: Some(numbers) }),
                },
                None if !term.is_empty() => Ok(Term::Chain { chain: term.to_owned(), numbers: None }),
                _ => Err(unknown()),
            }
        };
        terms.iter().map(term).collect::<Result<_, _>>().map(Self::Terms)
    }
}

/// Kinds that name a group.
const ENTITIES: [Entity; 5] = [Entity::Protein, Entity::Nucleic, Entity::Ligand, Entity::Ion, Entity::Glycan];

/// A number, or the ends of a range of numbers, each of which may be negative.
fn range(text: &str) -> Option<[i32; 2]> {
    if let Ok(number) = text.parse() {
        return Some([number; 2]);
    }
    // The first letter may be a sign.
    let middle = 1 + text.get(1..)?.find('-')?;
    Some([text[..middle].parse().ok()?, text[middle + 1..].parse().ok()?])
}

impl Group {
    /// A group of a table, without residues so far.
    #[must_use]
    pub fn new(name: &str, table: &str) -> Self {
        Self { name: name.to_owned(), source: table.to_owned(), parts: Vec::new() }
    }

    /// Adds what a line of its table names.
    ///
    /// # Errors
    /// If that is no group.
    pub fn add(&mut self, text: &str, line: u64) -> Result<(), ParseGroupError> {
        self.parts.push(Part { text: text.to_owned(), line: Some(line), takes: text.parse()? });
        Ok(())
    }

    /// A chain by itself.
    pub(super) fn of_chain(chain: &str) -> Self {
        let takes = Takes::Terms(vec![Term::Chain { chain: chain.to_owned(), numbers: None }]);
        Self::taking(chain.to_owned(), takes)
    }

    /// A residue by itself.
    pub(super) fn of_residue(name: String, index: u32) -> Self {
        Self::taking(name, Takes::One(index))
    }

    fn taking(name: String, takes: Takes) -> Self {
        let parts = vec![Part { text: name.clone(), line: None, takes }];
        Self { name, source: String::new(), parts }
    }

    /// What tables call it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether it is a single chain.
    #[must_use]
    pub fn is_chain(&self) -> bool {
        let [Part { takes: Takes::Terms(terms), .. }] = &self.parts[..] else { return false };
        matches!(terms[..], [Term::Chain { numbers: None, .. }])
    }

    /// Whether a selection says what it takes.
    pub(super) fn selects(&self) -> bool {
        self.parts.iter().any(|part| matches!(part.takes, Takes::Selected(_)))
    }

    /// Two groups, and where they were given.
    pub(super) fn and(&self, other: &Self) -> String {
        format!("{} and {} of {}", self.name, other.name, self.source)
    }

    /// Its residues. `atoms` are the positions of all atoms in Å, if any group selects.
    pub(super) fn members(&self, residues: &[Residue], atoms: &[[f64; 4]]) -> Result<BTreeSet<u32>, GroupError> {
        let mut members = BTreeSet::new();
        for part in &self.parts {
            let own = self.members_of(part, residues, atoms)?;
            if own.is_empty() {
                let found = match &part.takes {
                    Takes::Terms(terms) => terms[0].found(residues),
                    _ => listed(residues),
                };
                return Err(GroupError::Empty { group: self.at(part), found });
            }
            members.extend(own);
        }
        Ok(members)
    }

    fn members_of(&self, part: &Part, residues: &[Residue], atoms: &[[f64; 4]]) -> Result<BTreeSet<u32>, GroupError> {
        let terms = match &part.takes {
            Takes::One(index) => return Ok(BTreeSet::from([*index])),
            Takes::Selected(selection) => return Ok(selected(selection, residues, atoms)),
            Takes::Terms(terms) => terms,
        };
        let mut members = BTreeSet::new();
        for term in terms {
            let before = members.len();
            members.extend(term.members(residues));
            // A chain that is not there is a mistake; not every file of a run has a ligand of some name.
            if let (Term::Chain { chain, .. }, 2..) = (term, terms.len())
                && members.len() == before
                && term.members(residues).next().is_none()
            {
                let group = format!("chain {chain} in {}", self.at(part));
                return Err(GroupError::Empty { group, found: term.found(residues) });
            }
        }
        Ok(members)
    }

    /// A part of it, and where that was given.
    fn at(&self, part: &Part) -> String {
        let Self { name, source, .. } = self;
        match part.line {
            None => format!("group {name} of {source}"),
            Some(line) if *name == part.text => format!("group {name} on line {line} of {source}"),
            Some(line) => format!("group {name} ({}) on line {line} of {source}", part.text),
        }
    }
}

fn is_polymer(residue: &Residue) -> bool {
    matches!(residue.entity, Entity::Protein | Entity::Nucleic)
}

impl Term {
    /// Its residues. Water is of no group.
    fn members<'r>(&'r self, residues: &'r [Residue]) -> impl Iterator<Item = u32> + 'r {
        let in_polymer = match self {
            Self::Chain { chain, .. } => {
                residues.iter().any(|residue| *residue.chain == **chain && is_polymer(residue))
            }
            _ => false,
        };
        let is_member = move |residue: &Residue| match self {
            Self::Chain { chain, numbers } => {
                let is_within = numbers.is_none_or(|[first, last]| (first..=last).contains(&residue.number));
                *residue.chain == **chain && is_polymer(residue) == in_polymer && is_within
            }
            Self::Entity(entity) => residue.entity == *entity,
            Self::Name(name) => *residue.name == **name && !is_polymer(residue),
        };
        let own = residues.iter().zip(0..);
        own.filter(move |(residue, _)| residue.entity != Entity::Water && is_member(residue)).map(|(_, index)| index)
    }

    /// What the file has instead: the numbers of the chain, if it is there.
    fn found(&self, residues: &[Residue]) -> String {
        if let Self::Chain { chain, numbers: Some(_) } = self {
            let all = Self::Chain { chain: chain.clone(), numbers: None };
            let numbers: BTreeSet<i32> = all.members(residues).map(|index| residues[index as usize].number).collect();
            if let (Some(first), Some(last)) = (numbers.first(), numbers.last()) {
                return format!("residues {first} to {last} in chain {chain}");
            }
        }
        listed(residues)
    }
}

/// The residues that a selection takes.
fn selected(selection: &ResidueSelection, residues: &[Residue], atoms: &[[f64; 4]]) -> BTreeSet<u32> {
    let dry: Vec<u32> = (0..).zip(residues).filter(|(_, one)| one.entity != Entity::Water).map(|(at, _)| at).collect();
    let as_selected = |&index: &u32| {
        let residue = &residues[index as usize];
        SelectedResidue {
            chains: [&residue.chain; 2],
            segment: "",
            number: Some(residue.number),
            icode: &residue.icode,
            name: &residue.name,
            kind: match residue.entity {
                Entity::Protein => Kind::Protein,
                Entity::Nucleic => Kind::Nucleic,
                _ => Kind::Hetero,
            },
            atoms: &atoms[residue.range()],
        }
    };
    let all: Vec<SelectedResidue<'_>> = dry.iter().map(as_selected).collect();
    dry.iter().zip(selection.select(&all)).filter(|(_, is_taken)| *is_taken).map(|(&index, _)| index).collect()
}

/// What groups could be made of.
fn listed(residues: &[Residue]) -> String {
    let chains: BTreeSet<&str> =
        residues.iter().filter(|one| one.entity != Entity::Water).map(|one| &*one.chain).collect();
    let names: BTreeSet<&str> = residues
        .iter()
        .filter(|one| matches!(one.entity, Entity::Ligand | Entity::Ion | Entity::Glycan))
        .map(|one| &*one.name)
        .collect();
    let list = |all: BTreeSet<&str>| all.into_iter().collect::<Vec<_>>().join(", ");
    let chains = format!("the chains {}", list(chains));
    if names.is_empty() { chains } else { format!("{chains}, and resname: {}", list(names)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(text: &str) -> Vec<Term> {
        match text.parse() {
            Ok(Takes::Terms(terms)) => terms,
            other => panic!("{text}: {other:?}"),
        }
    }

    fn chain(chain: &str, numbers: Option<[i32; 2]>) -> Term {
        Term::Chain { chain: chain.to_owned(), numbers }
    }

    #[test]
    fn groups_are_parsed() {
        assert_eq!(terms("H+L"), [chain("H", None), chain("L", None)]);
        assert_eq!(terms("H + L"), terms("H+L"));
        assert_eq!(terms("nucleic+resname:ATP"), [Term::Entity(Entity::Nucleic), Term::Name("ATP".to_owned())]);
        assert_eq!(terms("A:10-50+B:7"), [chain("A", Some([10, 50])), chain("B", Some([7, 7]))]);
        assert_eq!(terms("A:-5--1+A:-3+A:-2-4").len(), 3);
        assert_eq!(terms("A:-5--1"), [chain("A", Some([-5, -1]))]);
        let group = |text: &str| text.parse::<Group>();
        assert!(group("A").unwrap().is_chain() && !group("protein").unwrap().is_chain());
        assert!(!group("A:1-2").unwrap().is_chain() && !group("chain A").unwrap().is_chain());
        assert!(group("chain A and resnum 10+20").unwrap().selects());
    }

    #[test]
    fn what_names_no_group_is_refused() {
        for (wrong, why) in [
            ("", "join chains by +"),
            ("A+", "join chains by +"),
            ("resname:", "join chains by +"),
            ("A:x", "join chains by +"),
            ("A:10-", "join chains by +"),
            (":10", "join chains by +"),
            ("A:50-10", "ends before it begins"),
            ("chain A and resnm 5", "did you mean `resnum`"),
            ("segid PROA and protein", "name chains by chain"),
            ("within 5 of segid PROA", "name chains by chain"),
        ] {
            let error = wrong.parse::<Group>().unwrap_err().to_string();
            assert!(error.contains(why), "{wrong}: {error}");
        }
    }
}
