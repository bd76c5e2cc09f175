//! What mmCIF calls the rows of a structure.

use super::table::Ids;
use prism_read::structure::StructureInput;
use prism_read::{PolymerResidue, Problem, ReadError, ResidueLabels};
use std::collections::{HashMap, HashSet};

/// What is wrong with a file whose residues do not have names of their own.
pub(super) const NOT_TOLD_APART: &str = "its chain ids, numbers and names do not tell all residues apart, so that mmCIF cannot refer \
                                         to them; give each molecule a chain id of its own";

/// `label_asym_id` and `label_seq_id` of a residue.
pub(super) type Place = (String, i32);

/// The places of rows of an mmCIF file, which has them; `None` for ligands, and where the file has none.
pub(super) fn of_labels(structure: &StructureInput) -> Vec<Option<Place>> {
    let of = |row: usize| {
        let labels = structure.labels.get(row)?;
        labels.seq_id.filter(|_| !labels.asym_id.is_empty()).map(|seq| (labels.asym_id.to_string(), seq))
    };
    (0..structure.n_rows()).map(of).collect()
}

/// The chains of a PDB file as mmCIF has them: all rows that the file can have, numbered along each chain.
pub(super) struct Chains {
    /// mmCIF's ids of chains.
    pub(super) asyms: Vec<String>,
    /// The ids after those.
    pub(super) ids: Ids,
    /// The rows.
    pub(super) residues: Vec<PolymerResidue>,
    /// Stretches of chains that correspond to stretches of sequences in UniProt.
    pub(super) references: Vec<Reference>,
}

/// A stretch of a chain, and of a sequence.
pub(crate) struct Reference {
    /// Index of mmCIF's id of its chain.
    pub(crate) asym: u32,
    /// The author's chain id.
    pub(crate) chain: String,
    /// The first and the last number in mmCIF's numbering.
    pub(crate) numbers: [i32; 2],
    /// The accession of the sequence.
    pub(crate) accession: String,
    /// The first number in the sequence.
    pub(crate) begin: i32,
}

impl Chains {
    /// Those of the rows of a structure. `name` is the file's name in errors.
    ///
    /// # Errors
    /// If the file has one name for several molecules or residues.
    pub(super) fn of(structure: &StructureInput, name: &str) -> Result<Self, ReadError> {
        let chain = |row: usize| &structure.chains[structure.chain_ids[row] as usize];
        let authors: HashSet<&str> = (0..structure.n_rows()).map(|row| chain(row).trim()).collect();
        // A chain without an id is called by mmCIF's, which must not be that of another.
        let taken = authors.contains("").then(|| authors.iter().map(|id| (*id).to_owned()).collect());
        let mut chains = Self {
            asyms: Vec::new(),
            ids: Ids::without(taken.unwrap_or_default()),
            residues: Vec::new(),
            references: Vec::new(),
        };
        let mut by_chain: HashMap<u32, (u32, i32)> = HashMap::new();
        for row in 0..structure.n_rows() {
            let of = structure.chain_ids[row];
            if structure.renamed_chains.contains(&of) {
                return Err(not_told_apart(name));
            }
            let (asym, seq) = by_chain.entry(of).or_insert_with(|| {
                chains.asyms.push(chains.ids.next());
                (chains.asyms.len() as u32 - 1, 0)
            });
            *seq += 1;
            let residue = PolymerResidue {
                asym: *asym,
                seq: *seq,
                name: structure.resname(row).to_owned(),
                chain: chain(row).clone(),
                number: structure.residue_numbers[row],
                icode: structure.insertion_codes[row].trim().to_owned(),
                ..PolymerResidue::default()
            };
            if let Some(labels) = structure.labels.get(row) {
                chains.refer(&residue, labels);
            }
            chains.residues.push(residue);
        }
        let mut seen = HashSet::new();
        if chains.residues.iter().all(|own| seen.insert(named(own))) { Ok(chains) } else { Err(not_told_apart(name)) }
    }

    /// Adds the reference of a residue to the stretch before it, or as another one.
    fn refer(&mut self, residue: &PolymerResidue, labels: &ResidueLabels) {
        let Some(number) = labels.uniprot_number else { return };
        let goes_on = |last: &&mut Reference| {
            let [first, end] = last.numbers;
            let is_next = (residue.asym, residue.seq) == (last.asym, end + 1);
            let is_as_far = number.checked_sub(last.begin) == Some(residue.seq - first);
            is_next && is_as_far && *labels.uniprot_accession == *last.accession
        };
        match self.references.last_mut().filter(goes_on) {
            Some(last) => last.numbers[1] = residue.seq,
            None => self.references.push(Reference {
                asym: residue.asym,
                chain: residue.chain.clone(),
                numbers: [residue.seq; 2],
                accession: labels.uniprot_accession.to_string(),
                begin: number,
            }),
        }
    }

    /// The places of a structure's rows; `None` for those that the chains do not have.
    pub(super) fn places(&self, structure: &StructureInput) -> Vec<Option<Place>> {
        let by_name: HashMap<Named<'_>, &PolymerResidue> = self.residues.iter().map(|own| (named(own), own)).collect();
        let positions = Positions::of(self.residues.iter());
        let of = |row: usize| {
            let chain = structure.chains[structure.chain_ids[row] as usize].trim();
            let (number, icode) = (structure.residue_numbers[row], structure.insertion_codes[row].trim());
            // Of alternate locations the structure may have that of another name.
            let own = by_name.get(&(chain, number, icode, structure.resname(row))).copied();
            let own = own.or_else(|| positions.get(chain, number, icode))?;
            Some((self.asyms[own.asym as usize].clone(), own.seq))
        };
        (0..structure.n_rows()).map(of).collect()
    }
}

/// A residue by the author's names: chain, number, insertion code, name.
pub(super) type Named<'r> = (&'r str, i32, &'r str, &'r str);

pub(super) fn named(own: &PolymerResidue) -> Named<'_> {
    (own.chain.trim(), own.number, own.icode.trim(), &own.name)
}

/// Residues by chain, number and insertion code, where these tell them apart.
pub(super) struct Positions<'r>(HashMap<(String, i32, String), Option<&'r PolymerResidue>>);

impl<'r> Positions<'r> {
    pub(super) fn of(residues: impl Iterator<Item = &'r PolymerResidue>) -> Self {
        let mut all = HashMap::new();
        for own in residues {
            let key = (own.chain.trim().to_owned(), own.number, own.icode.trim().to_owned());
            all.entry(key).and_modify(|known| *known = None).or_insert(Some(own));
        }
        Self(all)
    }

    pub(super) fn get(&self, chain: &str, number: i32, icode: &str) -> Option<&'r PolymerResidue> {
        self.0.get(&(chain.to_owned(), number, icode.to_owned())).copied().flatten()
    }
}

/// Refuses places that several rows have.
pub(super) fn check(places: &[Option<Place>], name: &str) -> Result<(), ReadError> {
    let mut seen = HashSet::new();
    if places.iter().flatten().all(|place| seen.insert(place)) { Ok(()) } else { Err(not_told_apart(name)) }
}

fn not_told_apart(name: &str) -> ReadError {
    ReadError { name: name.to_owned(), line: None, problem: Problem::OtherFormat(NOT_TOLD_APART) }
}
