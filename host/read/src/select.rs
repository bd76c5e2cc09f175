//! Selects the records that become atoms; the rules are the same for all formats.

mod alternates;
mod chains;
mod fate;
mod held;
mod label;
mod mean;
mod names;
mod nucleotide;
mod one_residue;
mod patches;
mod peptide;
mod radius;
mod repeat;
mod run;

use super::atoms::{Atom, Rules, cap_of, end_oxygen};
use super::components::{self, Component};
use super::draft::{Draft, Tally};
use super::error::{Problem, bad_field};
use super::number::decimal;
use super::options::{Alternates, Polymers, ReadOptions, Residues};
use super::word::{pack, text_of, trim_zeros};
use crate::structure::ResidueLabels;
use alternates::Alternate;
use fate::Fate;
use held::Held;
use label::insertion_code;
use names::Names;
use nucleotide::landmarks;
pub(super) use repeat::{BColumns, Known};
use run::Run;
use shared_types::backbone::{NO_ATOM, NO_ROLES, RoleAtoms};
use shared_types::nucleotide::NO_NUCLEOTIDE;
use shared_types::radii::protor_radius;
use shared_types::residue::is_nucleotide;
use shared_types::{NO_CA, ResidueKind, UNKNOWN};
use std::collections::{HashMap, HashSet};

/// What differs between the formats once a record is split into fields.
#[derive(Clone, Copy)]
pub(super) struct Syntax {
    /// The format's name of the residue number, for errors.
    pub(super) number_field: &'static str,
    /// Parses a residue number.
    pub(super) residue_number: fn(&[u8]) -> Option<i32>,
    /// Parses a B factor, if it is valid.
    pub(super) b_factor: fn(&[u8]) -> Option<f64>,
    /// Parses an occupancy, if it is valid.
    pub(super) occupancy: fn(&[u8]) -> Option<f64>,
}

/// Identity of a residue: author chain id, residue number and insertion code as text without surrounding blanks (except a
/// PDB file's blank chain).
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct ResidueId<'a> {
    // First, because it differs most often where two are compared.
    pub(super) number: &'a [u8],
    pub(super) icode: &'a [u8],
    pub(super) chain: &'a [u8],
}

/// An `ATOM` or `HETATM` record.
pub(super) struct Record<'r, 'a> {
    /// Residue name, by [`pack`].
    pub(super) residue: u64,
    /// Atom name without surrounding blanks, by [`pack`].
    pub(super) name: u64,
    /// Alternate location, by [`pack`]; 0 for none.
    pub(super) alternate: u64,
    /// The element's symbol as the file has it, by [`element`](super::atoms::element).
    pub(super) element: u16,
    /// Position in Å.
    pub(super) position: [f64; 3],
    /// Text for [`Syntax::occupancy`], needed until the residue's last record.
    pub(super) occupancy: &'a [u8],
    /// Text for [`Syntax::b_factor`].
    pub(super) b_factor: &'r [u8],
    pub(super) hetatm: bool,
    /// Whether the file says that the residue belongs to a chain. An amino acid in `ATOM` records of which it denies that belongs to one if
    /// it is bonded.
    pub(super) in_chain: Option<bool>,
}

/// The element's symbol.
const CALCIUM: u16 = u16::from_le_bytes(*b"CA");

/// Whether an atom is phosphorus.
fn is_phosphorus(name: u64, element: u16) -> bool {
    let letter = b'P';
    name == u64::from(letter) || name as u8 == letter && matches!(element.to_le_bytes(), [0 | b'P', 0])
}

/// The name of an alpha carbon.
const ALPHA_CARBON: u64 = u16::from_le_bytes(*b"CA") as u64;

/// What came of a record.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Taken {
    /// A heavy atom of the residue.
    Heavy,
    /// A hydrogen or a pseudo-atom of the residue, which is left out.
    Light,
    /// Nothing of the residue.
    Nothing,
}

/// A residue name with its meaning for the records that have it.
#[derive(Clone, Copy)]
struct Named {
    residue: u64,
    kind: ResidueKind,
    rules: Rules,
}

impl Named {
    const NONE: Self = Self { residue: 0, kind: UNKNOWN, rules: Rules::Other };
}

/// Collects the selected atoms of a model, record by record.
pub(super) struct Selection<'a> {
    syntax: Syntax,
    residues: Residues,
    polymers: Polymers,
    policy: Alternates,
    cover: bool,
    /// Whether the oxygens of water are kept.
    water: bool,
    wanted: Option<HashSet<String>>,
    /// All chains so far, for messages, if only some are selected.
    met: Vec<&'a [u8]>,
    met_before: HashSet<&'a [u8]>,
    /// The last chain, and whether it is selected.
    entered: Option<(&'a [u8], bool)>,
    residue_id: Option<ResidueId<'a>>,
    run: Run,
    names: Names,
    /// The occupancy of each of these names, as text; none if the first atom of each name is kept.
    occupancies: Vec<&'a [u8]>,
    alternates: Vec<Alternate>,
    /// Records of the current run that may be water's or no atoms.
    held: Vec<Held<'a>>,
    /// The names of the current residue's atoms in order, once an alternative was chosen.
    kept_names: Vec<u64>,
    chain_index: HashMap<&'a [u8], u32>,
    /// The chain of the residue before, and its index.
    last_chain: Option<(&'a [u8], u32)>,
    /// What the file calls the molecule of the residues that follow, packed.
    segment: u64,
    /// Whether the file calls the residues that follow water, whatever their names and atoms.
    is_water: bool,
    /// Labels of the current residue, if they are kept.
    label: Option<ResidueLabels>,
    /// Name and identity of the first residue. The name first, because it differs most often.
    first: Option<(u64, ResidueId<'a>)>,
    draft: Draft,
    /// Whether `bfactor` gets the means of residues' atoms, not the values of alpha carbons.
    averages_b: bool,
}

impl<'a> Selection<'a> {
    pub(super) fn new(options: &ReadOptions, syntax: Syntax, expected_atoms: usize) -> Self {
        Self {
            syntax,
            residues: options.residues,
            polymers: options.polymers,
            policy: options.alternates,
            cover: options.reads_cover(),
            water: options.keeps_water(),
            wanted: options.chains.as_deref().map(chains::wanted),
            met: Vec::new(),
            met_before: HashSet::new(),
            entered: None,
            residue_id: None,
            run: Run::NEW,
            names: Names::default(),
            occupancies: Vec::new(),
            alternates: Vec::new(),
            held: Vec::new(),
            kept_names: Vec::new(),
            chain_index: HashMap::new(),
            last_chain: None,
            segment: 0,
            is_water: false,
            label: (options.labels || options.assembly.is_some()).then(ResidueLabels::default),
            first: None,
            draft: Draft::with_capacity(expected_atoms).keeping(options),
            averages_b: options.average_b,
        }
    }

    /// Sets the identity of the records that follow, and begins a run unless it is the current one. Must be called for
    /// every record (`HETATM` too) whose residue differs from the one before. Returns false if the chain, and so the
    /// record, is not selected.
    pub(super) fn enter(&mut self, mut residue_id: ResidueId<'a>) -> Result<bool, Problem> {
        if residue_id.chain.is_empty() {
            // As in PDB.
            residue_id.chain = b" ";
        }
        if !self.is_wanted(residue_id.chain) {
            return Ok(false);
        }
        if self.residue_id != Some(residue_id) {
            self.end_run()?;
            self.residue_id = Some(residue_id);
        }
        Ok(true)
    }

    /// Ends the current run, whatever the identity of the records that follow.
    pub(super) fn leave(&mut self) -> Result<(), Problem> {
        self.end_run()?;
        self.residue_id = None;
        Ok(())
    }

    /// Whether atoms that belong to no residue are used.
    pub(super) fn takes_cover(&self) -> bool {
        self.cover
    }

    /// Counts a damaged record that is not used.
    pub(super) fn ignore(&mut self, line: impl FnOnce() -> String) {
        let tally = self.tally();
        tally.ignored_records += 1;
        tally.first_ignored.get_or_insert_with(line);
    }

    /// Counts what breaks the format and is read.
    pub(super) fn repaired(&mut self, text: impl FnOnce() -> String) {
        let tally = self.tally();
        tally.repaired += 1;
        tally.first_repaired.get_or_insert_with(text);
    }

    fn tally(&mut self) -> &mut Tally {
        &mut self.draft.tally
    }

    /// Takes a record of the current residue.
    #[inline]
    pub fn atom(&mut self, record: &Record<'_, 'a>) -> Result<Taken, Problem> {
        if self.run.residue != Some(record.residue) && !self.begin(record)? {
            return Ok(Taken::Nothing);
        }
        match self.run.fate {
            Fate::Row | Fate::IfPolymer => {}
            Fate::Nothing => return Ok(Taken::Nothing),
            Fate::Solvent => {
                self.keep_water(record)?;
                return Ok(Taken::Nothing);
            }
            Fate::Water | Fate::Points => return self.hold(record),
            Fate::Dummy => {
                self.draft.tally.pseudo_atoms += 1;
                return Ok(Taken::Nothing);
            }
            Fate::Cover => {
                self.cover_atom(record)?;
                return Ok(Taken::Nothing);
            }
        }
        let Named { kind, rules, .. } = self.run.record;
        let is_plain = rules.is_plainly_heavy(record.name, record.element);
        let (name, element) = match is_plain {
            true => (record.name, u16::from(record.name as u8)),
            false => match self.heavy(record)? {
                Some(heavy) => heavy,
                None => return Ok(Taken::Light),
            },
        };
        let known = match self.policy {
            Alternates::First => self.names.insert_name(name, record.alternate),
            _ => self.names.insert_alternate(name, record.alternate),
        };
        if let Some(first) = known {
            return self.known_name(record, name, first);
        }
        if self.policy != Alternates::First {
            self.occupancies.push(record.occupancy);
        }
        if !self.run.open {
            self.open_residue(record.residue)?;
        }
        self.run.hetatm &= record.hetatm;
        self.run.calcium |= !is_plain && element == CALCIUM;
        if !self.draft.b_differs {
            let key = pack(record.b_factor);
            self.run.b_differs |= *self.run.b_key.get_or_insert(key) != key;
        }
        if self.averages_b {
            self.average_b(record.b_factor);
        }
        let at = self.draft.atoms.len();
        if record.alternate != 0 && self.policy != Alternates::First {
            self.alternates.push(Alternate {
                offset: at - self.run.begin,
                residue: record.residue,
                kind,
                occupancy: self.occupancy(record.occupancy),
                b_factor: if name == landmarks(kind)[0] { self.b_factor(record.b_factor) } else { f32::NAN },
            });
        }
        let [anchor, first, last] = landmarks(kind);
        if name == ALPHA_CARBON && is_nucleotide(kind) && self.run.ca_b.is_none() {
            self.run.ca_b = Some(self.b_factor(record.b_factor));
        }
        if name == anchor {
            // Alternate locations set theirs at the end of the run.
            if record.alternate == 0 || self.policy == Alternates::First {
                self.take_ca(at, record.b_factor);
            }
        } else if name == first {
            self.draft.set_backbone(0, at);
        } else if name == last {
            self.draft.set_backbone(1, at);
        }
        if !is_nucleotide(kind)
            && let Some(roles) = self.draft.structure.roles.last_mut()
        {
            let mut named = RoleAtoms::of_words(*roles);
            named.assign(at - self.run.begin, trim_zeros(&name.to_le_bytes()));
            *roles = named.words();
            if !is_plain && named.o == NO_ATOM {
                self.run.see_end_oxygen(name, at - self.run.begin);
            }
        }
        let [x, y, z] = record.position;
        let radius = match self.residues {
            Residues::All if !is_plain => self.radius(kind, name, element),
            _ => f64::from(protor_radius(kind, trim_zeros(&name.to_le_bytes()))),
        };
        let syntax = self.syntax;
        let atom = self.draft.recorded([x, y, z, radius], || syntax.label(record, element))?;
        self.draft.atoms.push(atom);
        Ok(Taken::Heavy)
    }

    /// Name and element of a record's atom if it is a heavy one.
    #[inline(never)]
    fn heavy(&mut self, record: &Record<'_, 'a>) -> Result<Option<(u64, u16)>, Problem> {
        let Named { residue, kind, rules } = self.run.record;
        let (atom, agrees) = rules.atom(self.named_for_elements(residue, record), kind, record.name, record.element);
        if !agrees {
            self.run.contradictions += 1;
            self.draft.tally.contradictions += 1;
        }
        Ok(match atom {
            Atom::Heavy { name, element } => {
                if is_phosphorus(name, element) {
                    self.run.phosphate.get_or_insert(false);
                }
                Some((name, element))
            }
            Atom::Hydrogen => {
                self.see_proton(record.name);
                self.see_drude(record.name, false);
                None
            }
            Atom::Cap { name, .. } => {
                self.run.has_cap = true;
                if let Some(atom) = self.covering(record)? {
                    self.push_cover(atom, cap_of(name).map_or(0, |cap| pack(cap.as_bytes())));
                }
                None
            }
            Atom::Pseudo => {
                self.count_pseudo_atom();
                self.see_drude(record.name, true);
                None
            }
        })
    }

    fn count_pseudo_atom(&mut self) {
        self.run.pseudo_atoms += 1;
        self.draft.tally.pseudo_atoms += 1;
    }

    fn take_ca(&mut self, at: usize, b_factor: &[u8]) {
        let b_factor = self.b_factor(b_factor);
        let s = &mut self.draft.structure;
        if let (Some(index), Some(b), Some(column)) =
            (s.ca_indices.last_mut(), s.bfactor.last_mut(), s.b_column.last_mut())
        {
            (*index, *column) = (at as u32, b_factor);
            if !self.averages_b {
                *b = b_factor;
            }
        }
    }

    /// An atom without an occupancy counts as fully occupied.
    fn occupancy(&self, text: &[u8]) -> f64 {
        (self.syntax.occupancy)(text).unwrap_or(1.0)
    }

    fn b_factor(&self, text: &[u8]) -> f32 {
        (self.syntax.b_factor)(text).map_or(f32::NAN, |b| b as f32)
    }

    /// Takes a record whose residue name differs from the run's. Returns false if the record is not used.
    fn begin(&mut self, record: &Record<'_, 'a>) -> Result<bool, Problem> {
        let (named, fate) = self.fate(record);
        if self.run.residue.is_some() {
            let within = fate.by_name();
            if self.is_one_residue(record, named, fate) {
                self.go_on_as(named);
                return Ok(true);
            }
            // A second name within a run is microheterogeneity.
            if self.policy == Alternates::First || self.residues == Residues::Standard && within == Fate::Nothing {
                return Ok(false);
            }
            if record.alternate != 0 && !self.alternates.is_empty() {
                if matches!(within, Fate::Cover | Fate::Dummy | Fate::Nothing) {
                    return Ok(false);
                }
                self.run.record = named;
                self.run.in_chain = self.run.in_chain.or(record.in_chain);
                self.atom_of_another_name(record)?;
                return Ok(false);
            }
            if matches!(self.run.fate, Fate::Row | Fate::IfPolymer)
                && matches!(within, Fate::Cover | Fate::Dummy | Fate::Nothing)
            {
                // Water and other atoms of no residue do not split a residue.
                match within {
                    Fate::Cover => {
                        if let Some(atom) = self.covering(record)? {
                            self.push_cover(atom, record.residue);
                        }
                    }
                    Fate::Dummy => self.draft.tally.pseudo_atoms += 1,
                    _ => {}
                }
                return Ok(false);
            }
            // Two residues share a number.
            self.end_run()?;
        } else if fate == Fate::Nothing && self.residues == Residues::Standard {
            return Ok(false);
        }
        self.run = Run {
            residue: Some(record.residue),
            kind: named.kind,
            fate,
            in_chain: record.in_chain,
            begin: self.draft.atoms.len(),
            record: named,
            ..Run::NEW
        };
        Ok(true)
    }

    /// Takes an alternative that is another residue, as an atom of the run; the run keeps its name.
    fn atom_of_another_name(&mut self, record: &Record<'_, 'a>) -> Result<(), Problem> {
        let own = self.run.residue.replace(record.residue);
        let taken = self.atom(record);
        self.run.residue = own;
        if let Some(residue) = own {
            let rules = Rules::of(components::component(residue));
            self.run.record = Named { residue, kind: self.run.kind, rules };
        }
        taken.map(drop)
    }

    /// Ends the current run: chooses among alternatives, and drops the run if it is not a residue.
    fn end_run(&mut self) -> Result<(), Problem> {
        if self.run.open {
            if !self.alternates.is_empty() {
                self.choose_alternative();
            }
            if self.run.end_oxygen.is_some() {
                self.take_end_oxygen();
            }
            self.see_other_atoms();
            self.judge();
            if self.run.b_differs || self.run.is_start {
                self.see_row();
            }
        }
        if !self.held.is_empty() {
            self.drop_held()?;
        }
        self.see_cap();
        self.run = Run::NEW;
        self.names.clear();
        self.occupancies.clear();
        self.alternates.clear();
        self.kept_names.clear();
        Ok(())
    }

    /// Keeps or drops the row of the run.
    #[inline]
    fn judge(&mut self) {
        let has_other_name = is_nucleotide(self.run.kind);
        if has_other_name && !self.becomes_amino_acid() {
            return self.judge_nucleotide();
        }
        let is_outside = self.run.in_chain == Some(false);
        if self.run.fate == Fate::Row && !self.run.hetatm && !is_outside {
            return;
        }
        let own_name = self.run.residue.filter(|_| !has_other_name);
        let known = own_name.map_or(Component::Other, components::component);
        let backbone = self.draft.has_backbone();
        let amino = match known {
            Component::Standard(_) | Component::Variant(_) | Component::Modified(_) => backbone.ca,
            Component::Shared(_) => backbone.bonded || self.run.in_chain == Some(true) && backbone.ca,
            Component::Unknown => backbone.ca,
            // Some programs number ions as if they were of a sequence.
            _ => backbone.bonded || self.run.in_chain == Some(true) && backbone.ca && !self.run.calcium,
        };
        if !amino && (self.run.fate == Fate::IfPolymer || self.run.in_chain != Some(true)) {
            self.draft.drop_last(self.run.begin, self.cover);
            self.key_cover(self.run.residue.unwrap_or_default());
        } else if self.run.hetatm || is_outside {
            if self.run.hetatm {
                self.draft.hetero.push(self.draft.structure.n_residues() - 1);
            }
            if self.run.in_chain != Some(true) {
                self.draft.pend(!matches!(known, Component::Other | Component::Shared(_)));
            }
        }
    }

    #[cold]
    fn too_many() -> Problem {
        Problem::TooManyAtoms(NO_CA - 1)
    }

    fn open_residue(&mut self, residue: u64) -> Result<(), Problem> {
        let Some(residue_id) = self.residue_id else { return Ok(()) };
        // A residue has fewer than 2^16 atoms of distinct names in any file that fits into memory twice. So one check per
        // residue keeps the offsets within 32 bits, and `Draft::finish` checks the last.
        let offset = u32::try_from(self.run.begin).ok().filter(|&n| n < NO_CA).ok_or_else(Self::too_many)?;
        let number = (self.syntax.residue_number)(residue_id.number)
            .ok_or_else(|| no_residue_number(self.syntax.number_field, residue_id.number))?;
        let chain = match self.last_chain {
            Some((chain, index)) if chain == residue_id.chain => index,
            _ => self.index_of_chain(residue_id.chain),
        };
        match self.first {
            None => self.first = Some((residue, residue_id)),
            Some(first) if first == (residue, residue_id) && self.residues != Residues::Standard => {
                self.draft.restarts.push(self.draft.structure.n_residues())
            }
            Some(_) => {}
        }
        let s = &mut self.draft.structure;
        s.residue_atoms.push(offset);
        s.ca_indices.push(NO_CA);
        s.roles.push(NO_ROLES);
        s.nucleotide_atoms.push(NO_NUCLEOTIDE);
        s.residue_types.push(self.run.kind);
        s.chain_ids.push(chain);
        s.residue_numbers.push(number);
        s.insertion_codes.push(insertion_code(residue_id.icode));
        s.bfactor.push(f32::NAN);
        s.b_column.push(f32::NAN);
        self.draft.structure.labels.extend(self.label.clone());
        self.draft.names.push(residue);
        self.draft.segments.push(self.segment);
        self.draft.backbone.push([NO_CA; 2]);
        self.run.open = true;
        Ok(())
    }

    /// Ends the last run and returns the draft.
    pub(super) fn into_draft(mut self) -> Result<Draft, Problem> {
        self.end_run()?;
        self.draft.met = self.met.iter().map(|chain| text_of(chain)).collect();
        Ok(self.draft)
    }
}

/// The error for a text that is no residue number.
#[cold]
pub(super) fn no_residue_number(field: &'static str, text: &[u8]) -> Problem {
    let wrong = match text.first() {
        Some(b'*') => {
            "consists of stars: the residue number did not fit when the file was written; number residues anew"
        }
        None if field.starts_with('_') => "is not given, and no other item numbers the residues: number them",
        _ => {
            "is not a residue number (a decimal integer; in PDB also hybrid-36, where A000 is 10000, or as OpenMM, Chimera and VMD write those beyond 9999)"
        }
    };
    bad_field(field, text, wrong)
}

/// Parses an occupancy.
pub fn occupancy(text: &[u8]) -> Option<f64> {
    decimal(text.trim_ascii())
}
