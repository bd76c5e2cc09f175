//! A draft becomes a structure, with notes about it.

use super::draft::{CoverResidue, Draft, Tally};
use super::error::{Fault, Problem};
use super::facts::Facts;
use super::mean::mean;
use super::note::{Note, NoteKind, ReadStructure};
use super::options::{Each, ReadOptions, Residues};
use super::references::References;
use super::word::{listed_ids, pack, text_of, trim_zeros};
use super::{assembly, bonds, confidence};
use crate::plural::{counted, form};
use crate::structure::{Completeness, LigandKind, ResidueLabels, SpreadError, StructureInput, check_spread};
use foldhash::{HashMap, HashMapExt as _};
use shared_types::backbone::NO_ROLES;
use shared_types::nucleotide::NO_NUCLEOTIDE;
use shared_types::residue::is_nucleotide;
use shared_types::{Atom, NO_CA, RESIDUES, ResidueKind, UNKNOWN};
use std::collections::{BTreeSet, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

/// B factors of this magnitude, in Å^2, are ignored. Their squares would overflow f32.
const LARGEST_B: f32 = 1e6;

/// What the parts of a draft have in common.
#[derive(Default)]
struct Whole {
    /// The author's chains, by the index of the chain, if they are others.
    authors: Vec<String>,
    /// Notes about how it was divided and selected.
    notes: Vec<Note>,
}

impl Draft {
    /// Makes the structures, with their names: one, or one of each part that the options ask for.
    pub(super) fn finish(
        self,
        name: &str,
        facts: &Facts,
        options: &ReadOptions,
    ) -> Vec<(String, Result<ReadStructure, Fault>)> {
        let divided = self.prepare(facts, options).and_then(|(draft, mut whole)| {
            if options.cover || options.atoms {
                whole.notes.extend(draft.without_part(options.each, &whole.authors));
            }
            Ok((draft.parts(options.each, &whole.authors)?, whole))
        });
        let (parts, whole) = match divided {
            Ok(divided) => divided,
            Err(fault) => return vec![(name.to_owned(), Err(fault))],
        };
        let finished = |(suffix, draft): (String, Self)| {
            let name = format!("{name}{suffix}");
            let read = draft.finish_part(&name, facts, &whole, options);
            (name, read)
        };
        parts.into_iter().map(finished).collect()
    }

    /// Builds what is asked for, and drops what is not.
    fn prepare(mut self, facts: &Facts, options: &ReadOptions) -> Result<(Self, Whole), Fault> {
        self.join_parts();
        if !facts.names_entities {
            self.pend_lone_polymers();
        }
        self.drop_unlinked(options.reads_cover());
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
        let mut whole = Whole::default();
        let separated = self.separate(facts, &mut whole.notes);
        if let Some(wanted) = &options.chains {
            self.keep_requested(wanted, separated.as_ref());
        }
        if self.structure.n_residues() == 0 {
            return Err(Fault::whole(self.nothing(options)));
        }
        if let Some(separated) = separated {
            whole.authors = separated.authors;
            whole.notes.push(separated.note);
        }
        if let Some(select) = &options.select {
            let notes = self.keep_selected(select, &whole.authors, options)?;
            whole.notes.extend(notes);
        }
        Ok((self, whole))
    }

    /// Makes a structure.
    fn finish_part(
        mut self,
        name: &str,
        facts: &Facts,
        whole: &Whole,
        options: &ReadOptions,
    ) -> Result<ReadStructure, Fault> {
        let n_residues = self.structure.n_residues();
        let mut notes = facts.notes.clone();
        notes.extend(whole.notes.iter().cloned());
        self.notes(options, &whole.authors, &mut notes);
        if options.assembly.is_none() && options.each == Each::Model {
            notes.extend(facts.listed.note());
        }
        notes.extend(self.scale_note(facts.cell.as_ref().filter(|_| facts.sequences.is_empty())));
        let confidence = confidence::source(&self, name, facts);
        notes.extend(if confidence.is_none() { confidence::doubt(&self, name, facts) } else { None });
        let others = confidence::others(facts);
        // Readers have taken the means of residues then.
        let averaged = confidence.is_some() && !self.b_is_uniform();
        let water = self.take_water();
        let loose = options.atoms.then(|| (self.cover.clone(), self.cover_keys.clone()));
        let hetero_rows = if options.cover && options.hetero_rows { self.add_hetero_rows() } else { Vec::new() };
        let environment = options.cover && !self.cover.is_empty();
        if environment {
            self.add_environment();
        }
        let atoms = u32::try_from(self.atoms.len()).ok().filter(|&n| n < NO_CA);
        let n_atoms = atoms.ok_or_else(|| Fault::whole(Problem::TooManyAtoms(NO_CA - 1)))?;
        let (atoms, center) = centred(&self.atoms).map_err(|error| Fault::whole(error.into()))?;
        let repeats = self.coinciding_residues();
        if n_atoms > 1 && self.atoms.iter().all(|atom| atom[..3] == self.atoms[0][..3]) {
            notes.push(Note { kind: NoteKind::OnePoint, text: format!("all {n_atoms} atoms lie at one point") });
        } else if repeats > 0 {
            notes.push(Note {
                kind: NoteKind::Coinciding,
                text: format!(
                    "{repeats} of {n_residues} residues {} does; the file seems to hold atoms twice",
                    form(
                        repeats,
                        "begins at the very point where one before it",
                        "begin at the very point where one before them"
                    )
                ),
            });
        }
        self.structure.residue_atoms.push(n_atoms);
        let names = self.names_as_written();
        let mut atom_labels = if options.atoms { self.labels(&self.atoms) } else { Vec::new() };
        let hetero = loose.map(|(cover, cover_keys)| {
            (self.cover, self.cover_keys) = (cover, cover_keys);
            let mut hetero = self.hetero(center);
            (self.cover, self.cover_keys) = water;
            hetero.waters = self.waters(center);
            Box::new(hetero)
        });
        let mut composition = self.into_composition();
        composition.name = name.to_owned();
        composition.residue_names = names;
        (composition.hetero_rows, composition.environment) = (hetero_rows, environment);
        if options.atoms {
            composition.title.clone_from(&facts.title);
        }
        composition.hetero = hetero;
        composition.fill_absent();
        composition.predicted = confidence.is_some();
        if let Some(source) = confidence {
            let (mut plddt, note) = confidence::scaled(&composition.bfactor[..n_residues], source, averaged);
            plddt.extend(confidence::of_hetero(&composition, n_residues));
            composition.plddt = plddt;
            notes.push(note);
            composition.bfactor.fill(f32::NAN);
        }
        if others.is_some() {
            composition.bfactor.fill(f32::NAN);
            let of_hetero = composition.hetero.iter_mut().flat_map(|hetero| &mut hetero.labels);
            atom_labels.iter_mut().chain(of_hetero).for_each(|label| label.b_factor = f32::NAN);
        }
        notes.extend(others);
        let mut structure = StructureInput { atoms: atoms.into(), atom_labels, center, ..composition.into() };
        if let Some(mut hetero) = structure.hetero.take() {
            let (bonds, of_bonds) = bonds::find(&structure, &hetero, &whole.authors, &facts.links, options);
            (hetero.bonds, hetero.declares_bonds) = (bonds, facts.links.are_some());
            structure.hetero = Some(hetero);
            notes.extend(of_bonds);
        }
        structure.find_closures();
        let found = structure.traces_and_completeness();
        notes.extend(completeness(&structure, found));
        let warnings = notes.iter().filter(|note| note.kind.is_warning()).map(|note| note.text.clone()).collect();
        Ok(ReadStructure { structure, warnings, notes, models: facts.models })
    }

    /// Refuses atoms that are so dense or so far apart that a search for neighbours would take long.
    pub(super) fn check_spread(&self) -> Result<(), Fault> {
        checked_box(&self.atoms).map(drop).map_err(|error| Fault::whole(error.into()))
    }

    /// Sets the references of residues to sequence databases.
    fn refer(&mut self, references: &References) {
        let s = &mut self.structure;
        for (row, labels) in s.labels.iter_mut().enumerate() {
            references.apply(labels, &s.chains[s.chain_ids[row] as usize], s.residue_numbers[row]);
        }
    }

    /// Each residue's name, if any differs from its type's.
    fn names_as_written(&self) -> Vec<Arc<str>> {
        let is_usual = |(&name, &kind): (&u64, &ResidueKind)| {
            trim_zeros(&name.to_le_bytes()) == RESIDUES[usize::from(kind)].name.as_bytes()
        };
        if self.names.iter().zip(&self.structure.residue_types).all(is_usual) {
            return Vec::new();
        }
        // One text for all residues of a name.
        let mut texts: HashMap<u64, Arc<str>> = HashMap::new();
        let text =
            |&name: &u64| texts.entry(name).or_insert_with(|| text_of(trim_zeros(&name.to_le_bytes())).into()).clone();
        self.names.iter().map(text).collect()
    }

    /// Appends the cover as a last residue.
    fn add_environment(&mut self) {
        self.add_apart(&CoverResidue { name: pack(b"UNK"), ..CoverResidue::default() }, f32::NAN);
        self.atoms.append(&mut self.cover);
    }

    /// Appends the ligands in the cover as residues, and leaves the rest there: residues of polymers without rows. Returns what they are.
    fn add_hetero_rows(&mut self) -> Vec<LigandKind> {
        let hetero = self.hetero([0.0; 3]);
        let ligands = hetero.ligands(&self.structure.residue_types);
        let (cover, keys) = (std::mem::take(&mut self.cover), std::mem::take(&mut self.cover_keys));
        let mut kinds = Vec::with_capacity(ligands.len());
        let mut of_others = 0;
        for place in ligands {
            let residue = &hetero.residues[place];
            let (atoms, labels) = (residue.atoms.clone(), &hetero.labels[residue.atoms.clone()]);
            self.cover.extend_from_slice(&cover[of_others..atoms.start]);
            self.cover_keys.extend_from_slice(&keys[of_others..atoms.start]);
            of_others = atoms.end;
            let own = self.cover_residues[keys[atoms.start] as usize].clone();
            self.add_apart(&own, mean(labels.iter().map(|label| label.b_factor)));
            self.atoms.extend_from_slice(&cover[atoms]);
            kinds.push(LigandKind::of(residue, labels));
        }
        self.cover.extend_from_slice(&cover[of_others..]);
        self.cover_keys.extend_from_slice(&keys[of_others..]);
        kinds
    }

    /// Appends a residue of no polymer, whose atoms follow: a chain by itself, so that no row is its neighbour.
    fn add_apart(&mut self, residue: &CoverResidue, b_column: f32) {
        let s = &mut self.structure;
        s.residue_atoms.push(self.atoms.len() as u32);
        s.ca_indices.push(NO_CA);
        s.residue_types.push(UNKNOWN);
        s.chain_ids.push(s.chains.len() as u32);
        s.chains.push(residue.chain.to_string());
        s.residue_numbers.push(residue.number.unwrap_or(0));
        s.insertion_codes.push(residue.icode.clone());
        s.bfactor.push(f32::NAN);
        s.b_column.push(b_column);
        s.roles.push(NO_ROLES);
        s.nucleotide_atoms.push(NO_NUCLEOTIDE);
        if let Some(first) = s.labels.first() {
            let asym_id = if first.asym_id.is_empty() { Box::default() } else { residue.asym.clone() };
            s.labels.push(ResidueLabels { asym_id, ..ResidueLabels::default() });
        }
        self.names.push(residue.name);
    }

    fn nothing(&self, options: &ReadOptions) -> Problem {
        const SHOWN: usize = 20;
        let Some(wanted) = &options.chains else {
            return match self.tally.nucleotides + self.tally.amino_acids {
                0 => Problem::NoResidues(options.polymers, String::new()),
                _ => Problem::OtherPolymers(options.polymers),
            };
        };
        let mut met: Vec<&str> = self.met.iter().take(SHOWN).map(String::as_str).collect();
        if self.met.len() > SHOWN {
            met.push("…");
        }
        let asked = listed_ids(wanted.iter().map(String::as_str));
        let place = format!(" in the requested chains ({asked}); the file has {}", listed_ids(met));
        Problem::NoResidues(options.polymers, place)
    }

    fn notes(&mut self, options: &ReadOptions, authors: &[String], notes: &mut Vec<Note>) {
        let Tally { duplicates, alternates, nucleotides, unlinked, ignored_records, repaired, .. } = self.tally;
        let Tally { contradictions, pseudo_atoms, .. } = self.tally;
        let of_nucleic = self.structure.residue_types.iter().filter(|&&kind| is_nucleotide(kind)).count();
        let has_nucleotides = of_nucleic > 0;
        let mut say = |count: usize, kind: NoteKind, text: &dyn Fn() -> String| {
            if count > 0 {
                notes.push(Note { kind, text: text() });
            }
        };
        let first = |text: &Option<String>| text.clone().unwrap_or_default();
        say(duplicates, NoteKind::Duplicates, &|| {
            let repeat =
                counted(duplicates, "atom record repeats a name of its", "atom records repeat a name of their");
            format!("{repeat} residue in the same alternate location; the first of each is kept")
        });
        say(alternates, NoteKind::Alternates, &|| {
            counted(alternates, "residue has alternate locations", "residues have alternate locations")
        });
        say(contradictions, NoteKind::Elements, &|| {
            format!(
                "the element column contradicts the names of {} of {}; the names count",
                counted(contradictions, "atom", "atoms"),
                if has_nucleotides { "amino acids or nucleotides" } else { "amino acids" }
            )
        });
        say(pseudo_atoms, NoteKind::PseudoAtoms, &|| {
            counted(
                pseudo_atoms,
                "record is no atom but a lone pair, a dummy atom or the like, and is left out",
                "records are no atoms but lone pairs, dummy atoms or the like, and are left out",
            )
        });
        say(self.tally.placeholders, NoteKind::Placeholders, &|| {
            let atoms = counted(self.tally.placeholders, "atom has", "atoms have");
            let rows = match self.tally.without_places {
                0 => String::new(),
                count => format!(
                    ", with {} that {} no others",
                    counted(count, "residue", "residues"),
                    form(count, "has", "have")
                ),
            };
            format!(
                "{atoms} coordinates that stand for unknown ones, such as 0, 999.999 or 9999, and {} left out{rows}",
                form(self.tally.placeholders, "is", "are")
            )
        });
        say(self.tally.phosphates, NoteKind::OtherAtoms, &|| {
            let residues = counted(self.tally.phosphates, "residue carries", "residues carry");
            format!(
                "{residues} a phosphate under the name of the amino acid alone: charge and the like are those of the phosphate"
            )
        });
        say(self.tally.with_others, NoteKind::OtherAtoms, &|| {
            let residues = counted(self.tally.with_others, "amino acid has", "amino acids have");
            format!(
                "{residues} other heavy atoms than the name of the residue states, which count in areas and contacts: charge, hydropathy \
                 and volume are undefined"
            )
        });
        say(self.tally.unknown_elements, NoteKind::UnknownElements, &|| {
            let atoms = counted(self.tally.unknown_elements, "atom", "atoms");
            format!("nothing says the element of {atoms}, whose radius is taken as 1.7 Å")
        });
        say(nucleotides, NoteKind::NucleicAcid, &|| {
            counted(nucleotides, "nucleotide has no row", "nucleotides have no rows")
        });
        say(self.tally.amino_acids, NoteKind::NucleicAcid, &|| {
            counted(self.tally.amino_acids, "amino acid has no row", "amino acids have no rows")
        });
        let of_both = if of_nucleic < self.structure.n_residues() { of_nucleic } else { 0 };
        say(of_both, NoteKind::Nucleotides, &|| {
            let rows = counted(of_both, "nucleotide has a row", "nucleotides have rows");
            format!("{rows} beside amino acids (--polymers protein leaves them out)")
        });
        say(unlinked, NoteKind::Unlinked, &|| {
            counted(
                unlinked,
                "amino acid belongs to no chain and has no row",
                "amino acids belong to no chain and have no rows",
            )
        });
        say(ignored_records, NoteKind::IgnoredRecords, &|| {
            let records = counted(
                ignored_records,
                "damaged atom record, which would not be used, is skipped",
                "damaged atom records, which would not be used, are skipped; the first",
            );
            format!("{records}: {}", first(&self.tally.first_ignored))
        });
        say(repaired, NoteKind::Repaired, &|| {
            format!("{}: {}", counted(repaired, "time", "times"), first(&self.tally.first_repaired))
        });
        if options.residues == Residues::All {
            let unknown = self.structure.residue_types.iter().filter(|&&kind| kind == UNKNOWN).count();
            say(unknown, NoteKind::NoParent, &|| {
                format!("{} no standard amino acid as parent", counted(unknown, "residue has", "residues have"))
            });
        }
        let [apart, others] = self.repeated_identities();
        say(apart + others, NoteKind::RepeatedIdentity, &|| {
            let mut told = Vec::new();
            if apart > 0 {
                told.push(format!(
                    "{} the chain, number, insertion code and name of a row before {}: usually one residue whose atoms lie apart \
                     in the file, so that each row has some of them",
                    counted(apart, "row has", "rows have"),
                    form(apart, "it", "them")
                ));
            }
            if others > 0 {
                told.push(format!(
                    "{} the chain, number and insertion code of another residue before {}",
                    counted(others, "row has", "rows have"),
                    form(others, "it", "them")
                ));
            }
            told.join("; ")
        });
        let b_factors = &mut self.structure.bfactor;
        let wild = b_factors.iter().filter(|b| b.abs() >= LARGEST_B).count();
        b_factors.iter_mut().filter(|b| b.abs() >= LARGEST_B).for_each(|b| *b = f32::NAN);
        say(wild, NoteKind::BFactors, &|| {
            format!(
                "{} a B factor of a million Å² or more, which is ignored",
                counted(wild, "residue has", "residues have")
            )
        });
        let asked = options.chains.iter().flatten();
        let of_authors = authors.iter().chain(&self.structure.chains);
        let found: HashSet<&str> = of_authors.filter(|_| options.chains.is_some()).map(String::as_str).collect();
        for id in asked {
            let is_found = found.contains(id.as_str()) || id.is_empty() && found.contains(" ");
            if !is_found {
                let id = if id.is_empty() { " " } else { id };
                let text = format!("chain {id:?}, which was requested, has no {}", options.polymers.residues());
                notes.push(Note { kind: NoteKind::MissingChain, text });
            }
        }
    }

    /// Number of residues that have the chain, number and insertion code of an earlier one: with its name, and with another.
    fn repeated_identities(&self) -> [usize; 2] {
        let s = &self.structure;
        let place = |row: usize| (s.residue_numbers[row], &*s.insertion_codes[row]);
        let mut chains = HashSet::new();
        let is_new = |row: usize| match row.checked_sub(1) {
            Some(before) if s.chain_ids[before] == s.chain_ids[row] => place(before) < place(row),
            _ => chains.insert(s.chain_ids[row]),
        };
        // Mostly numbers rise in each chain, and nothing needs to be looked up.
        if (0..s.n_residues()).all(is_new) {
            return [0; 2];
        }
        let identity = |row: usize| (s.chain_ids[row], place(row));
        let mut rows: Vec<usize> = (0..s.n_residues()).collect();
        // Equal ones stay in their order.
        rows.sort_by_key(|&row| identity(row));
        let mut repeated = [0; 2];
        for equal in rows.chunk_by(|&a, &b| identity(a) == identity(b)) {
            for &row in &equal[1..] {
                repeated[usize::from(self.names[row] != self.names[equal[0]])] += 1;
            }
        }
        repeated
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

/// Notes about what residues lack.
fn completeness(structure: &StructureInput, found: Completeness) -> Vec<Note> {
    let mut notes = Vec::new();
    let mut say = |kind: NoteKind, text: String| notes.push(Note { kind, text });
    if !structure.traces.is_empty() {
        let names = structure.traces.iter().filter_map(|&chain| structure.chains.get(chain as usize));
        let (listed, count) = (listed_ids(names.map(String::as_str)), structure.traces.len());
        let mut text = format!(
            "{} {listed} {} alpha carbons, a backbone or beads alone: features that need whole residues, such as sasa and \
             site_score, are undefined there",
            form(count, "chain", "chains"),
            form(count, "has", "have")
        );
        let chains: BTreeSet<u32> = structure.chain_ids[..structure.n_rows()].iter().copied().collect();
        if count < chains.len() {
            text.push_str(
                "; areas of other chains are larger than beside whole ones, because the missing atoms cover nothing",
            );
        }
        say(NoteKind::Traces, text);
    }
    let Completeness { incomplete, with_others } = found;
    if with_others > 0 {
        let residues = counted(with_others, "standard amino acid has", "standard amino acids have");
        let text = format!("{residues} heavy atoms beside their own, which count in areas and contacts");
        say(NoteKind::OtherAtoms, text);
    }
    if incomplete > 0 {
        say(
            NoteKind::Incomplete,
            counted(incomplete, "residue lacks some of its heavy atoms", "residues lack some of their heavy atoms"),
        );
    }
    if (0..structure.n_rows()).all(|row| structure.ca_indices[row] == NO_CA) {
        say(
            NoteKind::NoAlphaCarbon,
            "no residue has an alpha carbon (an atom called CA): features that need one are undefined".to_owned(),
        );
    }
    notes
}

/// Atoms relative to the midpoint of their bounding box, and that midpoint: positions and radii in Å.
///
/// # Errors
/// If they lie so that a search for neighbours would take too long.
pub fn centred(atoms: &[[f64; 4]]) -> Result<(Vec<Atom>, [f64; 3]), SpreadError> {
    let (low, high) = checked_box(atoms)?;
    let center = [0, 1, 2].map(|axis| 0.5 * (low[axis] + high[axis]));
    let atom = |&[x, y, z, radius]: &[f64; 4]| Atom {
        x: (x - center[0]) as f32,
        y: (y - center[1]) as f32,
        z: (z - center[2]) as f32,
        radius: radius as f32,
    };
    Ok((atoms.iter().map(atom).collect(), center))
}

/// The corners of the atoms' bounding box, if they lie so that a search for neighbours ends soon.
fn checked_box(atoms: &[[f64; 4]]) -> Result<([f64; 3], [f64; 3]), SpreadError> {
    let (low, high) = bounding_box(atoms);
    check_spread(atoms.iter().map(|&[x, y, z, _]| [x, y, z]), low, high)?;
    Ok((low, high))
}

// Not inlined, where its vectors of two axes took twice the instructions.
#[inline(never)]
fn bounding_box(atoms: &[[f64; 4]]) -> ([f64; 3], [f64; 3]) {
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for atom in atoms {
        for axis in 0..3 {
            // Not by `min` and `max`, which take several instructions because they look for NaN. No atom has it.
            if atom[axis] < low[axis] {
                low[axis] = atom[axis];
            }
            if atom[axis] > high[axis] {
                high[axis] = atom[axis];
            }
        }
    }
    (low, high)
}
