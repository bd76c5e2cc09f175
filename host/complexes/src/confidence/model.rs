//! The atoms of a predicted model, and how the predictor's tokens map to them.
//!
//! AlphaFold 2 and ColabFold have one token per residue. AlphaFold 3, Boltz, Chai and Protenix have one per standard amino acid or
//! nucleotide, and one per heavy atom of everything else: ligands, ions, modified residues.

use super::given::Given;
use super::json::Runs;
use super::modelcif;
use prism_read::plural::counted;
use prism_read::{AtomRecord, ReadError, each_atom, listed_ids};
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

/// What a residue is, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An amino acid: a standard one, or a modified one of a chain.
    Protein,
    /// A nucleotide of DNA or RNA.
    Nucleic,
    /// Anything else.
    Ligand,
}

/// The names of components that have one token each.
const AMINO_ACIDS: &str = "ALA ARG ASN ASP CYS GLN GLU GLY HIS ILE LEU LYS MET PHE PRO SER THR TRP TYR VAL UNK";
const NUCLEOTIDES: &str = "A C G U N DA DC DG DT DN";
const WATERS: &str = "HOH WAT DOD";

/// An atom's name, with zeros after it.
type AtomName = [u8; 8];

/// A heavy atom.
#[derive(Clone, Debug)]
pub(super) struct Atom {
    pub(super) name: AtomName,
    pub(super) position: [f64; 3],
    pub(super) b: f32,
    /// Its index among all records of atoms, hydrogens included.
    pub(super) record: u32,
}

/// A residue or a molecule of a ligand.
#[derive(Clone, Debug)]
pub(super) struct Residue {
    /// Index in `Model::chains`.
    pub(super) chain: u32,
    pub(super) number: i32,
    pub(super) icode: Box<str>,
    pub(super) name: Box<str>,
    pub(super) kind: Kind,
    /// Whether it is a standard amino acid or nucleotide.
    pub(super) standard: bool,
    pub(super) atoms: Range<u32>,
    /// Its chain and number in mmCIF's own numbering.
    pub(super) label: Option<(Box<str>, i32)>,
}

impl Residue {
    /// The atom of a name, by its index.
    pub(super) fn named(&self, atoms: &[Atom], names: &[&str]) -> Option<u32> {
        let found = |name: &&str| self.atoms.clone().find(|&at| atoms[at as usize].name == atom_name(name.as_bytes()));
        names.iter().find_map(found)
    }

    /// The atom that stands for the residue where both are aligned, CA or C1', and the one by which contacts are measured, CB
    /// (CA of glycine) or C3'.
    pub(super) fn centres(&self, atoms: &[Atom]) -> [u32; 2] {
        let first = self.atoms.start;
        let (anchors, contacts): (&[&str], &[&str]) = match self.kind {
            Kind::Protein => (&["CA", "CB"], &["CB", "CA"]),
            Kind::Nucleic => (&["C1'", "C1*"], &["C3'", "C3*", "C1'", "C1*"]),
            Kind::Ligand => (&[], &[]),
        };
        let anchor = self.named(atoms, anchors).unwrap_or(first);
        [anchor, self.named(atoms, contacts).unwrap_or(anchor)]
    }
}

/// Which residue an atom is of.
struct Identity {
    number: i32,
    residue: Vec<u8>,
    chain: Vec<u8>,
    icode: Vec<u8>,
}

impl Identity {
    fn of(atom: &AtomRecord<'_>) -> Self {
        let [residue, chain, icode] = [atom.residue, atom.chain, atom.icode].map(<[u8]>::to_vec);
        Self { number: atom.number, residue, chain, icode }
    }

    fn is_of(&self, atom: &AtomRecord<'_>) -> bool {
        // Names are too short for calls of a comparison.
        let is_same = |one: &[u8], other: &[u8]| one.len() == other.len() && one.iter().eq(other);
        self.number == atom.number
            && is_same(&self.residue, atom.residue)
            && is_same(&self.chain, atom.chain)
            && is_same(&self.icode, atom.icode)
    }
}

/// A predicted model.
#[derive(Clone, Debug, Default)]
pub(super) struct Model {
    /// The names of its chains: the author's ids, or those of molecules that share one (A, A~2).
    pub(super) chains: Vec<String>,
    /// The author's id of each of them.
    pub(super) authors: Vec<String>,
    /// How molecules that share a chain id were told apart, if there are some.
    pub(super) divided: Option<String>,
    pub(super) residues: Vec<Residue>,
    pub(super) atoms: Vec<Atom>,
    /// The number of records of atoms, hydrogens included.
    pub(super) records: usize,
    /// Whether the file has further models or data blocks, which are not read.
    pub(super) has_more: bool,
}

impl Model {
    /// Reads a model.
    pub fn read(bytes: &[u8], name: &str) -> Result<Self, ReadError> {
        let mut model = Self::default();
        let mut before: Option<Identity> = None;
        let has_more = each_atom(bytes, name, &mut |atom| {
            let record = model.records as u32;
            model.records += 1;
            if is_hydrogen(&atom) {
                return Ok(());
            }
            let name = atom_name(atom.name);
            let is_same = before.as_ref().is_some_and(|before| before.is_of(&atom));
            // A ligand's copy may follow with the same number.
            let repeats = |model: &Self| {
                let own = model.residues.last().map(|residue| residue.atoms.clone()).unwrap_or_default();
                own.into_iter().any(|at| model.atoms[at as usize].name == name)
            };
            if !is_same && is_one_of(WATERS, atom.residue) {
                return Ok(());
            }
            if is_same && repeats(&model) {
                if !atom.alternate.is_empty() {
                    return Ok(());
                }
                before = None;
            }
            if !is_same || before.is_none() {
                model.begin(&atom);
                before = Some(Identity::of(&atom));
            }
            model.atoms.push(Atom { name, position: atom.position, b: atom.b as f32, record });
            if let Some(last) = model.residues.last_mut() {
                last.atoms.end = model.atoms.len() as u32;
            }
            Ok(())
        })?;
        model.has_more = has_more;
        model.find_kinds();
        if model.divide(bytes, name) {
            model.find_kinds();
        }
        Ok(model)
    }

    fn begin(&mut self, atom: &AtomRecord<'_>) {
        // Predictors write ligands as HETATM, and those may be amino acids and nucleotides, too.
        let amino = !atom.is_hetatm && is_one_of(AMINO_ACIDS, atom.residue);
        let nucleic = !atom.is_hetatm && is_one_of(NUCLEOTIDES, atom.residue);
        let id = String::from_utf8_lossy(atom.chain);
        let chain = self.authors.iter().rposition(|author| *author == id).unwrap_or_else(|| {
            self.chains.push(id.clone().into_owned());
            self.authors.push(id.into_owned());
            self.chains.len() - 1
        });
        let begin = self.atoms.len() as u32;
        self.residues.push(Residue {
            chain: chain as u32,
            number: atom.number,
            icode: text(atom.icode),
            name: text(atom.residue),
            kind: if amino {
                Kind::Protein
            } else if nucleic {
                Kind::Nucleic
            } else {
                Kind::Ligand
            },
            standard: amino || nucleic,
            atoms: begin..begin,
            label: atom.label.map(|(chain, number)| (text(chain), number)),
        });
    }

    /// Modified residues are of the kind of their chain: they have its backbone, and mmCIF numbers them as its parts.
    fn find_kinds(&mut self) {
        let mut kinds: HashMap<u32, Kind> = HashMap::new();
        for residue in self.residues.iter().filter(|residue| residue.standard) {
            kinds.entry(residue.chain).or_insert(residue.kind);
        }
        for residue in self.residues.iter_mut().filter(|residue| !residue.standard) {
            let Some(&kind) = kinds.get(&residue.chain) else { continue };
            let backbone: &[&str] = if kind == Kind::Protein { &["CA"] } else { &["C1'", "C1*"] };
            // A free amino acid is no modified residue.
            let name = residue.name.as_bytes();
            let is_modified = !is_one_of(AMINO_ACIDS, name) && !is_one_of(NUCLEOTIDES, name);
            let is_part = is_modified && (residue.label.is_some() || residue.atoms.len() > 4);
            if is_part && residue.named(&self.atoms, backbone).is_some() {
                residue.kind = kind;
            }
        }
    }

    /// The token of each residue and atom, if one standard residue or one heavy atom of another is a token.
    fn tokens_by_atom(&self) -> Vec<Token> {
        let tokens = |(at, residue): (usize, &Residue)| match residue.standard {
            true => vec![Token { residue: at as u32, atom: None }],
            false => residue.atoms.clone().map(|atom| Token { residue: at as u32, atom: Some(atom) }).collect(),
        };
        self.residues.iter().enumerate().flat_map(tokens).collect()
    }

    /// The same, if each residue is a token.
    fn tokens_by_residue(&self, polymers_only: bool) -> Vec<Token> {
        let all = self.residues.iter().enumerate();
        let all = all.filter(|(_, residue)| !polymers_only || residue.kind != Kind::Ligand);
        all.map(|(at, _)| Token { residue: at as u32, atom: None }).collect()
    }

    /// All ways to count tokens.
    fn ways(&self) -> [Vec<Token>; 3] {
        [self.tokens_by_atom(), self.tokens_by_residue(false), self.tokens_by_residue(true)]
    }

    /// The tokens of a matrix of `size` rows.
    ///
    /// # Errors
    /// If no way to count tokens gives as many. The text has both numbers, and what may be the cause.
    fn tokens(&self, size: usize) -> Result<Vec<Token>, String> {
        let ways = self.ways();
        let counts: Vec<usize> = ways.iter().map(Vec::len).collect();
        if let Some(tokens) = ways.into_iter().find(|tokens| tokens.len() == size) {
            return Ok(tokens);
        }
        let residues = counted(counts[1], "residue", "residues");
        let counted = match counts[0] == counts[1] {
            true => residues,
            false => {
                format!(
                    "{} tokens ({residues}, and one token for each heavy atom of ligands and modified residues)",
                    counts[0]
                )
            }
        };
        let cause = if self.atoms.len() == size || self.records == size {
            "it has a row for each atom, and not for each token"
        } else if size < counts[0] && self.chain_sizes().contains(&size) {
            "it is as large as one chain: it may be of that chain alone"
        } else {
            "the two may be of different models, or the model may lack residues"
        };
        Err(format!("the matrix has {size} rows, and the model has {counted}: {cause}"))
    }

    /// Takes the matrix from the model's own file, if that is a ModelCIF with one.
    ///
    /// # Errors
    /// If it has a table of pairs, but no matrix of predicted aligned errors.
    pub(super) fn take_matrix(&self, given: &mut Given, file: &str, bytes: &[u8]) -> Result<(), String> {
        let labels = self.residues.iter().enumerate().filter_map(|(at, residue)| {
            let (chain, number) = residue.label.as_ref()?;
            Some(((chain.as_bytes(), *number), at))
        });
        let tokens: HashMap<(&[u8], i32), usize> = labels.collect();
        let token = |chain: &[u8], number: i32| tokens.get(&(chain, number)).copied();
        if let Some((matrix, odd)) = modelcif::matrix(file, bytes, tokens.len(), &token)? {
            given.set_matrix(file, matrix);
            given.left_out.extend(odd);
        }
        Ok(())
    }

    /// What is odd about its file.
    pub(super) fn oddities(&self) -> impl Iterator<Item = String> {
        let many = "its file has several models or data blocks, and the first one is read; give each a file of its own, with its matrix beside it";
        self.has_more.then(|| many.to_owned()).into_iter().chain(self.divided.clone())
    }

    fn chain_sizes(&self) -> Vec<usize> {
        let mut sizes = vec![0; self.chains.len()];
        self.residues.iter().for_each(|residue| sizes[residue.chain as usize] += 1);
        sizes
    }

    /// The tokens of a matrix of `size` rows, in the order that the files name.
    ///
    /// # Errors
    /// If they name others than those of the model.
    pub(super) fn tokens_of(&self, given: &Given, size: usize) -> Result<Vec<Token>, String> {
        let chains = match () {
            () if !given.token_chains.is_empty() => given.token_chains.clone(),
            () if !given.token_indices.is_empty() => self.chains_of_indices(&given.token_indices)?,
            () => self.chains_of_atoms(&given.atom_chains, size),
        };
        match (&chains[..], &given.token_numbers[..]) {
            ([], []) => self.tokens(size),
            ([], numbers) => {
                let tokens = self.tokens(size)?;
                let own = |token: &Token| self.residues[token.residue as usize].number;
                match tokens.iter().zip(numbers).position(|(token, number)| own(token) != *number) {
                    Some(at) => Err(format!(
                        "its token {} is of residue {}, and that of the model of residue {}: chains may be in another order, which \
                         token_chain_ids would say",
                        at + 1,
                        numbers[at],
                        own(&tokens[at])
                    )),
                    None => Ok(tokens),
                }
            }
            (chains, []) => self.tokens_of_chains(chains, size),
            (chains, numbers) => self.tokens_named(chains, numbers, size),
        }
    }

    /// The ids of the model's chains, each once, in its order.
    fn ids(&self) -> Vec<&str> {
        let mut ids: Vec<&str> = Vec::new();
        for id in &self.authors {
            if !ids.contains(&id.as_str()) {
                ids.push(id);
            }
        }
        ids
    }

    /// The chain of each token by its index among the model's chains: the lowest index is that of the first one.
    fn chains_of_indices(&self, indices: &[i32]) -> Result<Vec<String>, String> {
        let known: Vec<i32> = indices.iter().copied().collect::<BTreeSet<_>>().into_iter().collect();
        let ids = self.ids();
        if known.len() != ids.len() {
            let chains = counted(known.len(), "chain", "chains");
            return Err(format!(
                "its tokens are of {chains}, and the model has {}: {}",
                ids.len(),
                listed_ids(ids.into_iter())
            ));
        }
        let id = |index: &i32| known.binary_search(index).map_or("", |at| ids[at]).to_owned();
        Ok(indices.iter().map(id).collect())
    }

    /// The chain of each token of a file that names those of atoms alone, which are in the order of the tokens. Nothing if that is the
    /// order of the model.
    fn chains_of_atoms(&self, atoms: &Runs, size: usize) -> Vec<String> {
        let own = self.ids();
        let mut order: Vec<&str> = Vec::new();
        for (id, _) in atoms {
            if !order.contains(&id.as_str()) {
                order.push(id);
            }
        }
        let is_same = order.len() == own.len() && own.iter().all(|id| order.contains(id));
        let Some(tokens) =
            self.ways().into_iter().find(|tokens| tokens.len() == size).filter(|_| is_same && order != own)
        else {
            return Vec::new();
        };
        let id_of = |token: &Token| self.authors[self.residues[token.residue as usize].chain as usize].as_str();
        let of_chain = |id: &&str| vec![(*id).to_owned(); tokens.iter().filter(|token| id_of(token) == *id).count()];
        order.iter().flat_map(of_chain).collect()
    }

    /// The tokens of a matrix whose file names the chain and the residue number of each.
    ///
    /// # Errors
    /// If the model lacks a residue, or has another number of atoms there.
    fn tokens_named(&self, chains: &[String], numbers: &[i32], size: usize) -> Result<Vec<Token>, String> {
        if chains.len() != size || numbers.len() != size {
            return Err(format!(
                "the matrix has {size} rows, and its file names the chains of {} tokens and the residues of {}: it is damaged",
                chains.len(),
                numbers.len()
            ));
        }
        let mut residues_of: HashMap<(&str, i32), Vec<u32>> = HashMap::with_capacity(self.residues.len());
        for (at, residue) in self.residues.iter().enumerate() {
            residues_of.entry((&self.authors[residue.chain as usize], residue.number)).or_default().push(at as u32);
        }
        let mut tokens = Vec::with_capacity(size);
        let mut is_known = vec![false; self.residues.len()];
        let mut begin = 0;
        while begin < size {
            let id = (chains[begin].as_str(), numbers[begin]);
            let length = (begin..size).take_while(|&at| (chains[at].as_str(), numbers[at]) == id).count();
            let Some(residues) = residues_of.get(&id) else {
                return Err(format!(
                    "its token {} is of residue {} of chain {}, which the model lacks; the model has chains {}",
                    begin + 1,
                    id.1,
                    id.0,
                    listed_ids(self.chains.iter().map(String::as_str))
                ));
            };
            let all = || residues.iter().flat_map(|&at| self.tokens_of_residue(at, length)).collect::<Vec<_>>();
            // Molecules that share a chain id may have residues of one number, in the order of the model.
            let next =
                residues.iter().find(|&&at| !is_known[at as usize]).map(|&at| self.tokens_of_residue(at, length));
            let own = next.filter(|next| next.len() == length).unwrap_or_else(all);
            if own.len() != length {
                return Err(format!(
                    "residue {} of chain {} has {} in the matrix, and {} in the model: the two are of different models, or the model \
                     has the residue twice",
                    id.1,
                    id.0,
                    counted(length, "token", "tokens"),
                    own.len()
                ));
            }
            let again = own.chunk_by(|a, b| a.residue == b.residue).map(|of| of[0].residue as usize);
            if again.fold(false, |any, at| any | std::mem::replace(&mut is_known[at], true)) {
                return Err(format!(
                    "its file names tokens of residue {} of chain {} in two places: it is damaged",
                    id.1, id.0
                ));
            }
            tokens.extend(own);
            begin += length;
        }
        self.check_all(&is_known, size)?;
        Ok(tokens)
    }

    /// Refuses a matrix of `size` tokens that has none of some residues.
    fn check_all(&self, is_known: &[bool], size: usize) -> Result<(), String> {
        let (mut lacking, mut partly) = (Vec::new(), Vec::new());
        for (chain, id) in self.chains.iter().enumerate() {
            let own = self.residues.iter().zip(is_known).filter(|(residue, _)| residue.chain as usize == chain);
            let own: Vec<(&Residue, bool)> = own.map(|(residue, known)| (residue, *known)).collect();
            let mut without = own.iter().filter(|(_, known)| !known).map(|(residue, _)| residue);
            match without.next() {
                Some(_) if own.iter().all(|(_, known)| !known) => lacking.push(id.as_str()),
                Some(first) => partly.push(match without.count() {
                    0 => format!("residue {} of chain {id}", first.number),
                    others => format!("residue {} of chain {id} and {others} others there", first.number),
                }),
                None => {}
            }
        }
        if lacking.is_empty() && partly.is_empty() {
            return Ok(());
        }
        let cause = match partly.is_empty() {
            true => "it may be of some chains alone",
            false => "the two may be of different models, or the matrix of a part",
        };
        partly.extend((!lacking.is_empty()).then(|| format!("chain {}", listed_ids(lacking.into_iter()))));
        Err(format!(
            "the matrix has {size} rows, of tokens of {}, and the model has {} with ligands: it has none of {}; {cause}",
            counted(is_known.iter().filter(|known| **known).count(), "residue", "residues"),
            self.residues.len(),
            partly.join(", ")
        ))
    }

    /// The tokens of a matrix whose file names the chain of each, and not the residue: those of a chain in the order of its residues.
    ///
    /// # Errors
    /// If no way to count tokens gives as many of each chain.
    fn tokens_of_chains(&self, chains: &[String], size: usize) -> Result<Vec<Token>, String> {
        if chains.len() != size {
            let named = chains.len();
            return Err(format!(
                "the matrix has {size} rows, and its file names the chains of {named} tokens: it is damaged"
            ));
        }
        let mut named: Vec<(&str, usize)> = Vec::new();
        for id in chains {
            match named.iter_mut().rev().find(|(known, _)| known == id) {
                Some((_, count)) => *count += 1,
                None => named.push((id, 1)),
            }
        }
        let [by_atom, by_residue, _] = self.ways();
        let shown = |all: &[(&str, usize)]| {
            all.iter().map(|(id, count)| format!("{count} of chain {id}")).collect::<Vec<_>>().join(", ")
        };
        let mut counts = Vec::new();
        for tokens in [by_atom, by_residue] {
            // Molecules that share an id are one chain to the file.
            let mut own: Vec<(&str, Vec<Token>)> = Vec::new();
            for token in tokens {
                let id = self.authors[self.residues[token.residue as usize].chain as usize].as_str();
                match own.iter_mut().rev().find(|(known, _)| *known == id) {
                    Some((_, tokens)) => tokens.push(token),
                    None => own.push((id, vec![token])),
                }
            }
            let all: Vec<(&str, usize)> = own.iter().map(|(id, tokens)| (*id, tokens.len())).collect();
            if all.len() == named.len() && named.iter().all(|one| all.contains(one)) {
                let mut own: HashMap<&str, _> = own.into_iter().map(|(id, tokens)| (id, tokens.into_iter())).collect();
                return Ok(chains.iter().filter_map(|id| own.get_mut(id.as_str())?.next()).collect());
            }
            counts.push(shown(&all));
        }
        Err(format!(
            "the matrix has {size} rows, and its file names tokens: {}; the model has: {}; the two may be of different models",
            shown(&named),
            counts.swap_remove(0)
        ))
    }

    /// The tokens of a residue, of which there are `length` if it is the only one of its number.
    fn tokens_of_residue(&self, residue: u32, length: usize) -> Vec<Token> {
        let own = &self.residues[residue as usize];
        match length == 1 || own.standard {
            true => vec![Token { residue, atom: None }],
            false => own.atoms.clone().map(|atom| Token { residue, atom: Some(atom) }).collect(),
        }
    }
}

/// What a row of the matrix stands for: a residue, or an atom of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) residue: u32,
    pub(super) atom: Option<u32>,
}

impl Token {
    /// Its heavy atoms.
    pub(super) fn atoms(&self, model: &Model) -> Range<u32> {
        self.atom.map_or_else(|| model.residues[self.residue as usize].atoms.clone(), |atom| atom..atom + 1)
    }
}

fn atom_name(bytes: &[u8]) -> AtomName {
    let mut name = AtomName::default();
    let length = bytes.len().min(name.len());
    name[..length].copy_from_slice(&bytes[..length]);
    name
}

fn text(bytes: &[u8]) -> Box<str> {
    String::from_utf8_lossy(bytes).into()
}

fn is_one_of(names: &str, name: &[u8]) -> bool {
    names.split_ascii_whitespace().any(|own| own.as_bytes() == name)
}

fn is_hydrogen(atom: &AtomRecord<'_>) -> bool {
    match atom.element {
        b"" => {
            let letters = atom.name.iter().find(|c| c.is_ascii_alphabetic());
            matches!(letters, Some(b'H' | b'D')) && !matches!(atom.residue, b"HG" | b"HO" | b"HF" | b"DY")
        }
        element => matches!(element, b"H" | b"D"),
    }
}
