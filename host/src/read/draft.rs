//! A model after selection, before it becomes a structure.

use super::assembly::{self, Generator};
use super::error::{Fault, Problem};
use super::note::{Note, NoteKind, ReadStructure};
use super::options::ReadOptions;
use super::references::References;
use super::tables::Tables;
use super::word::{pack, text_of, trim_zeros};
use crate::structure::{StructureInput, check_spread};
use shared_types::backbone::{NO_ROLES, RoleAtoms};
use shared_types::{Atom, NO_CA, RESIDUES, ResidueKind, UNKNOWN};
use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

/// Counts for notes.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    pub(super) duplicates: usize,
    pub(super) alternates: usize,
    pub(super) nucleotides: usize,
    /// Amino acids in `HETATM` records outside of chains.
    pub(super) unlinked: usize,
    pub(super) ignored_records: usize,
    pub(super) first_ignored: Option<String>,
    /// Number of lines that break the format, and the first of them.
    pub(super) repaired: usize,
    pub(super) first_repaired: Option<String>,
}

/// What a file says beside its atoms.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    /// Whether it says that its B column is a predictor's confidence.
    pub(super) predicted: bool,
    /// Whether there are signs of an experiment.
    pub(super) experiment: bool,
    pub(super) notes: Vec<Note>,
    /// Number of models, read or not.
    pub(super) models: usize,
    /// The requested assembly, or the message that there is none.
    pub(super) assembly: Option<Arc<Result<Vec<Generator>, String>>>,
    /// References to sequence databases, if labels are requested.
    pub(super) references: Option<Arc<References>>,
}

impl Facts {
    /// Takes the value of an mmCIF item, without quotes.
    pub(super) fn item(&mut self, tag: &[u8], value: &[u8]) {
        let is_in = |category: &[u8]| tag.get(..category.len()).is_some_and(|head| head.eq_ignore_ascii_case(category));
        let has = |word: &[u8]| value.windows(word.len()).any(|found| found.eq_ignore_ascii_case(word));
        if Self::is_confidence(tag) {
            self.predicted |= has(b"pLDDT");
        } else if tag.eq_ignore_ascii_case(b"_exptl.method") || is_in(b"_refine.") || is_in(b"_em_3d_reconstruction.") {
            self.experiment |= !matches!(value, b"?" | b"." | b"") && !has(b"MODEL");
        }
    }

    /// Whether the item's value is used.
    pub(super) fn takes(tag: &[u8]) -> bool {
        let is_in = |category: &[u8]| tag.get(..category.len()).is_some_and(|head| head.eq_ignore_ascii_case(category));
        Self::is_confidence(tag)
            || tag.eq_ignore_ascii_case(b"_exptl.method")
            || is_in(b"_refine.")
            || is_in(b"_em_3d_reconstruction.")
    }

    /// Whether the item describes a model's confidence.
    fn is_confidence(tag: &[u8]) -> bool {
        tag.eq_ignore_ascii_case(b"_ma_qa_metric.type") || tag.eq_ignore_ascii_case(b"_ma_qa_metric.name")
    }

    /// Takes what the options need from the tables.
    pub(super) fn take_tables(&mut self, tables: &Tables, options: &ReadOptions) {
        if let Some(id) = &options.assembly {
            let generators = assembly::generators(tables, id);
            self.assembly = Some(Arc::new(generators.map_err(|problem| problem.to_string())));
        }
        if options.labels {
            self.references = Some(Arc::new(References::of(tables)));
        }
    }
}

/// The atoms and residues of a model.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    /// x, y, z and radius in Å.
    pub(super) atoms: Vec<[f64; 4]>,
    /// Atoms that belong to no residue.
    pub(super) cover: Vec<[f64; 4]>,
    /// For each of those atoms, the index of its chain in `cover_chains`; only for assemblies.
    pub(super) cover_keys: Vec<u32>,
    /// Chain ids of those atoms, as assemblies use them.
    pub(super) cover_chains: Vec<Box<str>>,
    /// The structure without atoms and centre; offsets lack their last entry.
    pub(super) structure: StructureInput,
    /// Each residue's name as written, packed.
    pub(super) names: Vec<u64>,
    /// Each residue's N and C.
    pub(super) backbone: Vec<[u32; 2]>,
    /// Residues that belong to a chain only if they are linked to a neighbour, and whether their names are known.
    pending: Vec<(usize, bool)>,
    /// Residues that repeat the first residue.
    pub(super) restarts: Vec<usize>,
    /// Whether every residue so far has a single value in its B column.
    pub(super) b_is_uniform: bool,
    pub(super) tally: Tally,
    /// All chains of the file, if only some are selected.
    pub(super) met: Vec<String>,
}

/// The backbone of a residue.
pub(super) struct Backbone {
    pub(super) ca: bool,
    /// Whether N, CA and C are present and bonded.
    pub(super) bonded: bool,
}

/// The square of the longest bond between N, CA and C, in Å^2.
const BOND2: f64 = 2.0 * 2.0;

/// B factors of this magnitude, in Å^2, are ignored. Their squares would overflow f32.
const LARGEST_B: f32 = 1e6;

impl Draft {
    pub(super) fn with_capacity(atoms: usize) -> Self {
        Self {
            atoms: Vec::with_capacity(atoms),
            cover: Vec::new(),
            cover_keys: Vec::new(),
            cover_chains: Vec::new(),
            structure: StructureInput::default(),
            names: Vec::new(),
            backbone: Vec::new(),
            pending: Vec::new(),
            restarts: Vec::new(),
            b_is_uniform: true,
            tally: Tally::default(),
            met: Vec::new(),
        }
    }

    pub(super) fn set_backbone(&mut self, which: usize, atom: usize) {
        if let Some(backbone) = self.backbone.last_mut() {
            backbone[which] = atom as u32;
        }
    }

    pub(super) fn has_backbone(&self) -> Backbone {
        let (Some(&ca), Some(&[n, c])) = (self.structure.ca_indices.last(), self.backbone.last()) else {
            return Backbone { ca: false, bonded: false };
        };
        Backbone { ca: ca != NO_CA, bonded: self.bonded(n, ca) && self.bonded(ca, c) }
    }

    /// Whether two atoms are present and within the length of a bond.
    fn bonded(&self, a: u32, b: u32) -> bool {
        let (Some(a), Some(b)) = (self.atoms.get(a as usize), self.atoms.get(b as usize)) else { return false };
        (0..3).map(|axis| (a[axis] - b[axis]).powi(2)).sum::<f64>() < BOND2
    }

    /// Whether two residues are bonded neighbours in a chain.
    fn linked(&self, a: usize, b: usize) -> bool {
        self.structure.chain_ids[a] == self.structure.chain_ids[b]
            && self.bonded(self.backbone[a][1], self.backbone[b][0])
    }

    /// Makes the last residue depend on a link to a neighbour.
    pub(super) fn pend(&mut self, is_known: bool) {
        self.pending.push((self.structure.n_residues() - 1, is_known));
    }

    /// Renames the last residue and sets its backbone atoms.
    pub(super) fn rename_last(&mut self, name: u64, kind: ResidueKind, ca: u32, backbone: [u32; 2], roles: RoleAtoms) {
        let s = &mut self.structure;
        if let (Some(own), Some(own_kind), Some(own_ca)) =
            (self.names.last_mut(), s.residue_types.last_mut(), s.ca_indices.last_mut())
        {
            (*own, *own_kind, *own_ca) = (name, kind, ca);
        }
        if let (Some(own), Some(b), Some(column)) =
            (self.backbone.last_mut(), s.bfactor.last_mut(), s.b_column.last_mut())
        {
            *own = backbone;
            if let Some(own) = s.roles.last_mut() {
                *own = roles.words();
            }
            if ca == NO_CA {
                (*b, *column) = (f32::NAN, f32::NAN);
            }
        }
    }

    /// Removes the last residue, whose atoms begin at `begin`.
    pub(super) fn drop_last(&mut self, begin: usize, cover: bool) {
        if cover {
            self.cover.extend_from_slice(&self.atoms[begin..]);
        }
        self.atoms.truncate(begin);
        let s = &mut self.structure;
        s.residue_atoms.pop();
        s.ca_indices.pop();
        s.residue_types.pop();
        s.chain_ids.pop();
        s.residue_numbers.pop();
        s.insertion_codes.pop();
        s.bfactor.pop();
        s.b_column.pop();
        s.roles.pop();
        s.labels.pop();
        self.names.pop();
        self.backbone.pop();
        if self.restarts.last() == Some(&self.structure.n_residues()) {
            self.restarts.pop();
        }
    }

    /// Drops the residues that need a bonded neighbour of their chain and have none.
    fn drop_unlinked(&mut self, cover: bool) {
        let pending = std::mem::take(&mut self.pending);
        if pending.is_empty() {
            return;
        }
        let n = self.structure.n_residues();
        /// A ligand of at least this many residues counts as a chain.
        const PEPTIDE: usize = 4;
        let mut waits = vec![false; n];
        pending.iter().for_each(|&(row, _)| waits[row] = true);
        // In stretches of linked residues, those of a chain have at least one that needs no neighbour.
        let mut is_linked = vec![false; n];
        let mut begin = 0;
        for end in 1..=n {
            if end < n && self.linked(end - 1, end) {
                continue;
            }
            let in_chain = end - begin >= PEPTIDE || waits[begin..end].iter().any(|waits| !waits);
            is_linked[begin..end].fill(in_chain);
            begin = end;
        }
        let unlinked: Vec<(usize, bool)> = pending.into_iter().filter(|&(row, _)| !is_linked[row]).collect();
        self.tally.unlinked += unlinked.iter().filter(|(_, is_known)| *is_known).count();
        let dropped: Vec<usize> = unlinked.into_iter().map(|(row, _)| row).collect();
        if dropped.is_empty() {
            return;
        }
        let mut kept = vec![true; n];
        dropped.iter().for_each(|&row| kept[row] = false);
        let kept_rows: Vec<usize> = (0..n).filter(|&row| kept[row]).collect();
        let mut all = self.rows(&kept_rows);
        if cover {
            for &row in &dropped {
                all.cover.extend_from_slice(&self.atoms[self.atoms_of(row)]);
                if !self.structure.labels.is_empty() {
                    all.key_cover(self.asym(row));
                }
            }
        }
        *self = all;
    }

    pub(super) fn atoms_of(&self, row: usize) -> std::ops::Range<usize> {
        let offsets = &self.structure.residue_atoms;
        offsets[row] as usize..offsets.get(row + 1).map_or(self.atoms.len(), |&end| end as usize)
    }

    /// The chain id of a residue as assemblies use it.
    pub(super) fn asym(&self, row: usize) -> &str {
        match self.structure.labels.get(row) {
            Some(labels) if !labels.asym_id.is_empty() => &labels.asym_id,
            _ => &self.structure.chains[self.structure.chain_ids[row] as usize],
        }
    }

    /// Sets the chain of the last cover atoms.
    pub(super) fn key_cover(&mut self, chain: &str) {
        if self.cover_chains.last().is_none_or(|last| **last != *chain) {
            self.cover_chains.push(chain.into());
        }
        self.cover_keys.resize(self.cover.len(), self.cover_chains.len() as u32 - 1);
    }

    /// A draft of the given residues in this order; they may repeat.
    pub(super) fn rows(&self, rows: &[usize]) -> Self {
        let s = &self.structure;
        let mut new = Self {
            tally: self.tally.clone(),
            met: self.met.clone(),
            cover: self.cover.clone(),
            cover_keys: self.cover_keys.clone(),
            cover_chains: self.cover_chains.clone(),
            b_is_uniform: self.b_is_uniform,
            ..Self::with_capacity(self.atoms.len())
        };
        new.structure.chains.clone_from(&s.chains);
        let mut restarts = vec![false; s.residue_types.len()];
        self.restarts.iter().for_each(|&row| restarts[row] = true);
        for &row in rows {
            let range = self.atoms_of(row);
            let (old, begin) = (range.start as u32, new.atoms.len() as u32);
            let moved = |atom: u32| if atom == NO_CA { NO_CA } else { atom - old + begin };
            if restarts[row] {
                new.restarts.push(new.structure.n_residues());
            }
            let t = &mut new.structure;
            t.residue_atoms.push(begin);
            t.ca_indices.push(moved(s.ca_indices[row]));
            t.residue_types.push(s.residue_types[row]);
            t.chain_ids.push(s.chain_ids[row]);
            t.residue_numbers.push(s.residue_numbers[row]);
            t.insertion_codes.push(s.insertion_codes[row].clone());
            t.bfactor.push(s.bfactor[row]);
            t.b_column.push(s.b_column[row]);
            t.roles.push(s.roles[row]);
            t.labels.extend(s.labels.get(row).cloned());
            new.names.push(self.names[row]);
            new.backbone.push(self.backbone[row].map(moved));
            new.atoms.extend_from_slice(&self.atoms[range]);
        }
        new
    }

    /// Makes the structure.
    pub(super) fn finish(mut self, name: &str, facts: &Facts, options: &ReadOptions) -> Result<ReadStructure, Fault> {
        self.drop_unlinked(options.cover);
        if let Some(references) = &facts.references {
            self.refer(references);
        }
        if let Some(generators) = &facts.assembly {
            let generators = generators.as_ref().as_ref();
            let generators = generators.map_err(|why| Fault::whole(Problem::NoAssembly(why.clone())))?;
            if self.structure.n_residues() > 0 {
                self = assembly::build(&self, generators).map_err(Fault::whole)?;
            }
        }
        if !options.labels {
            self.structure.labels = Vec::new();
        }
        let n_residues = self.structure.n_residues();
        if n_residues == 0 {
            return Err(Fault::whole(self.no_protein(options)));
        }
        let mut notes = facts.notes.clone();
        self.notes(options, &mut notes);
        let confidence = facts.predicted || self.is_confidence(facts);
        if confidence && !facts.predicted {
            notes.push(Note {
                kind: NoteKind::Confidence,
                text: "its B column has one value for each residue, between 0 and 100, and there is no sign of an experiment: it is \
                       taken for a predictor's confidence"
                    .to_owned(),
            });
        }
        let environment = !self.cover.is_empty();
        if environment {
            self.add_environment();
        }
        let atoms = u32::try_from(self.atoms.len()).ok().filter(|&n| n < NO_CA);
        let n_atoms = atoms.ok_or_else(|| Fault::whole(Problem::TooManyAtoms(NO_CA - 1)))?;
        let (low, high) = bounding_box(&self.atoms);
        let points = self.atoms.iter().map(|&[x, y, z, _]| [x, y, z]);
        check_spread(points, low, high).map_err(|error| Fault::whole(error.into()))?;
        let center = [0, 1, 2].map(|axis| 0.5 * (low[axis] + high[axis]));
        let repeats = self.coinciding_residues();
        if n_atoms > 1 && low == high {
            notes.push(Note { kind: NoteKind::OnePoint, text: format!("all {n_atoms} atoms lie at one point") });
        } else if repeats > 0 {
            notes.push(Note {
                kind: NoteKind::Coinciding,
                text: format!(
                    "{repeats} of {n_residues} residues begin at the very point where one before them does; the file seems \
                     to hold atoms twice"
                ),
            });
        }
        let names = self.names_as_written();
        let mut structure = self.structure;
        structure.name = name.to_owned();
        structure.residue_names = names;
        structure.environment = environment;
        structure.residue_atoms.push(n_atoms);
        structure.fill_absent();
        structure.predicted = confidence;
        if confidence {
            structure.bfactor.fill(f32::NAN);
        }
        structure.center = center;
        let centred = |&[x, y, z, radius]: &[f64; 4]| Atom {
            x: (x - center[0]) as f32,
            y: (y - center[1]) as f32,
            z: (z - center[2]) as f32,
            radius: radius as f32,
        };
        structure.atoms = self.atoms.iter().map(centred).collect();
        let warnings = notes.iter().filter(|note| note.kind.is_warning()).map(|note| note.text.clone()).collect();
        Ok(ReadStructure { structure, warnings, notes, models: facts.models })
    }

    /// Sets the references of residues to sequence databases.
    fn refer(&mut self, references: &References) {
        let s = &mut self.structure;
        for (row, labels) in s.labels.iter_mut().enumerate() {
            references.apply(labels, &s.chains[s.chain_ids[row] as usize], s.residue_numbers[row]);
        }
    }

    /// Each residue's name, if any differs from its type's.
    fn names_as_written(&self) -> Vec<Box<str>> {
        let is_usual = |(&name, &kind): (&u64, &ResidueKind)| {
            trim_zeros(&name.to_le_bytes()) == RESIDUES[usize::from(kind)].name.as_bytes()
        };
        if self.names.iter().zip(&self.structure.residue_types).all(is_usual) {
            return Vec::new();
        }
        self.names.iter().map(|name| text_of(trim_zeros(&name.to_le_bytes())).into_boxed_str()).collect()
    }

    /// Appends the cover as a last row.
    fn add_environment(&mut self) {
        let s = &mut self.structure;
        s.residue_atoms.push(self.atoms.len() as u32);
        s.ca_indices.push(NO_CA);
        s.residue_types.push(UNKNOWN);
        // It is a chain by itself.
        s.chain_ids.push(s.chains.len() as u32);
        s.chains.push(String::new());
        s.residue_numbers.push(0);
        s.insertion_codes.push("".into());
        s.bfactor.push(f32::NAN);
        s.b_column.push(f32::NAN);
        s.roles.push(NO_ROLES);
        if !s.labels.is_empty() {
            s.labels.push(Default::default());
        }
        self.names.push(pack(b"UNK"));
        self.atoms.append(&mut self.cover);
    }

    fn no_protein(&self, options: &ReadOptions) -> Problem {
        const SHOWN: usize = 20;
        let Some(wanted) = &options.chains else {
            return match self.tally.nucleotides {
                0 => Problem::NoProtein(String::new()),
                _ => Problem::NucleicAcid,
            };
        };
        let mut met: Vec<&str> = self.met.iter().take(SHOWN).map(String::as_str).collect();
        if self.met.len() > SHOWN {
            met.push("…");
        }
        let asked = wanted.join(",");
        Problem::NoProtein(format!(" in the requested chains ({asked}); the file has {}", met.join(",")))
    }

    fn notes(&mut self, options: &ReadOptions, notes: &mut Vec<Note>) {
        let Tally { duplicates, alternates, nucleotides, unlinked, ignored_records, repaired, .. } = self.tally;
        let mut say = |count: usize, kind: NoteKind, text: &dyn Fn() -> String| {
            if count > 0 {
                notes.push(Note { kind, text: text() });
            }
        };
        let first = |text: &Option<String>| text.clone().unwrap_or_default();
        say(duplicates, NoteKind::Duplicates, &|| {
            format!(
                "{duplicates} atom records repeat a name of their residue in the same alternate location; the first of each is \
                 kept"
            )
        });
        say(alternates, NoteKind::Alternates, &|| format!("{alternates} residues have alternate locations"));
        say(nucleotides, NoteKind::NucleicAcid, &|| format!("{nucleotides} nucleotides have no rows"));
        say(unlinked, NoteKind::Unlinked, &|| format!("{unlinked} amino acids belong to no chain and have no rows"));
        say(ignored_records, NoteKind::IgnoredRecords, &|| {
            let first = first(&self.tally.first_ignored);
            format!("{ignored_records} damaged atom records, which would not be used, are skipped; the first: {first}")
        });
        say(repaired, NoteKind::Repaired, &|| format!("{repaired} times: {}", first(&self.tally.first_repaired)));
        if options.residues == super::Residues::All {
            let unknown = self.structure.residue_types.iter().filter(|&&kind| kind == UNKNOWN).count();
            say(unknown, NoteKind::NoParent, &|| format!("{unknown} residues have no standard amino acid as parent"));
        }
        let repeated = self.repeated_identities();
        say(repeated, NoteKind::RepeatedIdentity, &|| {
            format!(
                "{repeated} rows have the chain, number and insertion code of a row before them: another residue, or atoms that \
                 lie apart from others of theirs in the file"
            )
        });
        let b_factors = &mut self.structure.bfactor;
        let wild = b_factors.iter().filter(|b| b.abs() >= LARGEST_B).count();
        b_factors.iter_mut().filter(|b| b.abs() >= LARGEST_B).for_each(|b| *b = f32::NAN);
        say(wild, NoteKind::BFactors, &|| {
            format!("{wild} residues have a B factor of a million Å² or more, which is ignored")
        });
        let asked = options.chains.iter().flatten();
        let found: HashSet<&str> =
            self.structure.chains.iter().filter(|_| options.chains.is_some()).map(String::as_str).collect();
        for id in asked {
            let is_found = found.contains(id.as_str()) || id.is_empty() && found.contains(" ");
            if !is_found {
                let text = format!("chain {id:?}, which was requested, has no protein residues");
                notes.push(Note { kind: NoteKind::MissingChain, text });
            }
        }
    }

    /// Number of residues that an earlier one has the chain, number and insertion code of.
    fn repeated_identities(&self) -> usize {
        let s = &self.structure;
        let mut chains = HashSet::new();
        let is_new = |row: usize| match row.checked_sub(1) {
            Some(before) if s.chain_ids[before] == s.chain_ids[row] => {
                s.residue_numbers[before] < s.residue_numbers[row]
            }
            _ => chains.insert(s.chain_ids[row]),
        };
        // Mostly numbers rise in each chain, and nothing needs to be looked up.
        if (0..s.n_residues()).all(is_new) {
            return 0;
        }
        let mut known = HashSet::with_capacity(s.n_residues());
        let identity = |row: usize| (s.chain_ids[row], s.residue_numbers[row], &*s.insertion_codes[row]);
        (0..s.n_residues()).filter(|&row| !known.insert(identity(row))).count()
    }

    /// Whether the B column looks like a predictor's confidence: each residue has one value from 0 to 100, they are not all
    /// equal, and nothing in the file indicates an experiment.
    fn is_confidence(&self, facts: &Facts) -> bool {
        /// Residues of fewer atoms are no evidence.
        const ATOMS: usize = 4;
        if !self.b_is_uniform || facts.experiment || self.tally.alternates > 0 {
            return false;
        }
        let b = &self.structure.bfactor;
        let full = (0..b.len()).filter(|&row| self.atoms_of(row).len() >= ATOMS).count();
        let known = || b.iter().filter(|b| !b.is_nan());
        full > 1
            && 2 * full > b.len()
            && known().all(|b| (0.0..=100.0).contains(b))
            && known().any(|value| known().next().is_some_and(|first| first != value))
    }

    /// Number of residues whose first atom coincides with an earlier residue's first atom.
    fn coinciding_residues(&self) -> usize {
        // Open addressing with at least half the slots free. A slot holds a residue's first atom, or NO_CA. The seed is
        // random: a file with chosen coordinates could otherwise make the search quadratic.
        let seed = RandomState::new().hash_one(0);
        let slots = (2 * self.structure.residue_atoms.len()).next_power_of_two();
        let mut table = vec![NO_CA; slots];
        let mut repeats = 0;
        for &first in &self.structure.residue_atoms {
            let [x, y, z, _] = self.atoms[first as usize];
            let mix = |hash: u64, v: f64| (hash.rotate_left(23) ^ v.to_bits()).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let mut slot = (mix(mix(mix(seed, x), y), z) >> 32) as usize & (slots - 1);
            while table[slot] != NO_CA {
                let other = self.atoms[table[slot] as usize];
                if other[..3] == [x, y, z] {
                    repeats += 1;
                    break;
                }
                slot = (slot + 1) & (slots - 1);
            }
            if table[slot] == NO_CA {
                table[slot] = first;
            }
        }
        repeats
    }
}

fn bounding_box(atoms: &[[f64; 4]]) -> ([f64; 3], [f64; 3]) {
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for atom in atoms {
        for axis in 0..3 {
            low[axis] = low[axis].min(atom[axis]);
            high[axis] = high[axis].max(atom[axis]);
        }
    }
    (low, high)
}
