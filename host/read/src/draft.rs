//! A model after selection, before it becomes a structure: its atoms and residues.

use super::components::{Component, component};
use super::options::ReadOptions;
use crate::structure::{AtomLabel, Composition};
use shared_types::backbone::RoleAtoms;
use shared_types::nucleotide::NO_NUCLEOTIDE;
use shared_types::radii::{is_apolar, protor_radius, radius_of_element};
use shared_types::residue::is_nucleotide;
use shared_types::{NO_CA, ResidueKind, UNKNOWN};
use std::cell::Cell;
use std::collections::HashMap;

/// Counts for notes.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    pub(super) duplicates: usize,
    pub(super) alternates: usize,
    /// Nucleotides without rows, because only amino acids have them.
    pub(super) nucleotides: usize,
    /// Amino acids without rows, because only nucleotides have them.
    pub(super) amino_acids: usize,
    /// Amino acids in `HETATM` records outside of chains.
    pub(super) unlinked: usize,
    /// Atoms whose element nothing says.
    pub(super) unknown_elements: usize,
    /// Atoms of amino acids whose element column contradicts their name.
    pub(super) contradictions: usize,
    /// Points that are no atoms.
    pub(super) pseudo_atoms: usize,
    /// Atoms without a place, and residues that have no others.
    pub(super) placeholders: usize,
    pub(super) without_places: usize,
    /// Amino acids that carry a phosphate, under their own name.
    pub(super) phosphates: usize,
    /// Amino acids with other heavy atoms than their name states.
    pub(super) with_others: usize,
    pub(super) ignored_records: usize,
    pub(super) first_ignored: Option<String>,
    /// Number of lines that break the format, and the first of them.
    pub(super) repaired: usize,
    pub(super) first_repaired: Option<String>,
}

impl Tally {
    fn add(&mut self, other: Self) {
        let Self { duplicates, alternates, nucleotides, unlinked, contradictions, pseudo_atoms, .. } = other;
        self.unknown_elements += other.unknown_elements;
        self.amino_acids += other.amino_acids;
        self.duplicates += duplicates;
        self.alternates += alternates;
        self.nucleotides += nucleotides;
        self.unlinked += unlinked;
        self.contradictions += contradictions;
        self.pseudo_atoms += pseudo_atoms;
        self.placeholders += other.placeholders;
        self.without_places += other.without_places;
        self.phosphates += other.phosphates;
        self.with_others += other.with_others;
        self.ignored_records += other.ignored_records;
        self.first_ignored = self.first_ignored.take().or(other.first_ignored);
        self.repaired += other.repaired;
        self.first_repaired = self.first_repaired.take().or(other.first_repaired);
    }
}

/// The atoms and residues of a model.
#[derive(Clone, Debug, Default)]
pub(super) struct Draft {
    /// x, y, z and radius in Å.
    pub(super) atoms: Vec<[f64; 4]>,
    /// Atoms that belong to no residue.
    pub(super) cover: Vec<[f64; 4]>,
    /// For each of those atoms, the index of its residue in `cover_residues`, where it matters.
    pub(super) cover_keys: Vec<u32>,
    /// The residues of those atoms.
    pub(super) cover_residues: Vec<CoverResidue>,
    /// Whether these residues matter.
    pub(super) identifies_cover: bool,
    /// What atoms are, if that is kept.
    pub(super) records: Option<Vec<AtomLabel>>,
    /// What the structure is made of; offsets lack their last entry.
    pub(super) structure: Composition,
    /// Each residue's name as written, packed.
    pub(super) names: Vec<u64>,
    /// Each residue's N and C; P and O3' of a nucleotide.
    pub(super) backbone: Vec<[u32; 2]>,
    /// Residues that belong to a chain only if they are linked to a neighbour.
    pending: Vec<Pending>,
    /// Residues that repeat the first residue.
    pub(super) restarts: Vec<usize>,
    /// Where the file ends a chain (TER): the number of residues before each end.
    pub(super) ends: Vec<usize>,
    /// Residues in `HETATM` records alone.
    pub(super) hetero: Vec<usize>,
    /// What the file calls each residue's molecule, packed: the segment id in PDB, `label_asym_id` of a numbered residue in
    /// mmCIF. 0 for nothing.
    pub(super) segments: Vec<u64>,
    /// Whether these are the ids of polymers, as in mmCIF, rather than of anything that a program made of them.
    pub(super) segments_are_polymers: bool,
    /// Residues with the hydrogens of a chain's first one, or after a cap, which may be the last of all.
    pub(super) starts: Vec<usize>,
    /// Whether a standard residue has several values in its B column.
    pub(super) b_differs: bool,
    /// Whether another residue has.
    pub(super) b_differs_in_others: bool,
    /// The [`renamed_chains`](Composition::renamed_chains).
    pub(super) renamed: Vec<u32>,
    pub(super) tally: Tally,
    /// Whether a model that is not read begins with an amino acid of a chain that this one lacks.
    pub(super) lacks_chains: bool,
    /// All chains of the file, if only some are selected.
    pub(super) met: Vec<String>,
}

/// A residue without a row, whose atoms may cover others.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct CoverResidue {
    /// Its chain as assemblies call it.
    pub(super) asym: Box<str>,
    /// Its author's chain.
    pub(super) chain: Box<str>,
    /// Its author's number, if it is one.
    pub(super) number: Option<i32>,
    pub(super) icode: Box<str>,
    /// Its name, packed.
    pub(super) name: u64,
    /// Whether it is water, which covers nothing.
    pub(super) is_water: bool,
}

/// A residue that belongs to a chain only if it is linked to a neighbour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Pending {
    row: usize,
    /// Whether it is an amino acid by its name.
    is_amino: bool,
    /// Where its atoms come among those that cover, if it has no row: a nucleotide by itself is a ligand, which keep their order.
    place: Option<usize>,
}

/// The backbone of a residue.
pub(super) struct Backbone {
    pub(super) ca: bool,
    /// Whether N, CA and C are present and bonded.
    pub(super) bonded: bool,
}

thread_local! {
    /// An empty draft, for its memory: else a file would take some dozen allocations, and give back more than it needed.
    static KEPT: Cell<Option<Box<Draft>>> = const { Cell::new(None) };
}
/// Memory for more atoms is not kept.
const MOST_KEPT: usize = 1 << 16;

/// The square of the longest bond between N, CA and C, in Å^2.
pub(super) const BOND2: f64 = 2.0 * 2.0;

impl Draft {
    /// An empty draft with room for some atoms, in memory that this thread has kept.
    pub(super) fn with_capacity(atoms: usize) -> Self {
        // At the end of a thread nothing is kept.
        let kept = KEPT.try_with(Cell::take).ok().flatten();
        let mut draft = kept.map_or_else(Self::default, |kept| *kept);
        draft.atoms.reserve(atoms);
        draft
    }

    /// The same, with what the options ask about atoms.
    pub(super) fn keeping(mut self, options: &ReadOptions) -> Self {
        self.identifies_cover = options.identifies_cover();
        self.records = options.keeps_records().then(Vec::new);
        self
    }

    /// What the structure is made of, in memory of its size. The thread keeps the draft's own memory for the next one.
    pub(super) fn into_composition(mut self) -> Composition {
        let s = &mut self.structure;
        let composition = Composition {
            residue_atoms: emptied(&mut s.residue_atoms),
            ca_indices: emptied(&mut s.ca_indices),
            residue_types: emptied(&mut s.residue_types),
            chain_ids: emptied(&mut s.chain_ids),
            chains: std::mem::take(&mut s.chains),
            residue_numbers: emptied(&mut s.residue_numbers),
            insertion_codes: std::mem::take(&mut s.insertion_codes),
            labels: std::mem::take(&mut s.labels),
            bfactor: emptied(&mut s.bfactor),
            b_column: emptied(&mut s.b_column),
            roles: emptied(&mut s.roles),
            nucleotide_atoms: nucleotide_atoms(&mut s.nucleotide_atoms),
            renamed_chains: std::mem::take(&mut self.renamed),
            ..Composition::default()
        };
        self.keep();
        composition
    }

    fn keep(self) {
        let Self { mut atoms, mut cover, mut names, mut backbone, mut segments, structure, .. } = self;
        if atoms.capacity().max(cover.capacity()) <= MOST_KEPT {
            atoms.clear();
            cover.clear();
            names.clear();
            backbone.clear();
            segments.clear();
            let kept = Self { atoms, cover, names, backbone, segments, structure, ..Self::default() };
            let _ = KEPT.try_with(|place| place.set(Some(Box::new(kept))));
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
    pub(super) fn bonded(&self, a: u32, b: u32) -> bool {
        let (Some(a), Some(b)) = (self.atoms.get(a as usize), self.atoms.get(b as usize)) else { return false };
        let [x, y, z] = [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
        x * x + y * y + z * z < BOND2
    }

    /// Whether every residue has a single value in its B column.
    pub(super) fn b_is_uniform(&self) -> bool {
        !self.b_differs && !self.b_differs_in_others
    }

    /// Whether values of the B column of such a residue show what the column is.
    pub(super) fn shows_b(kind: ResidueKind) -> bool {
        kind < UNKNOWN || is_nucleotide(kind)
    }

    /// Whether two residues are bonded neighbours in a chain.
    fn linked(&self, a: usize, b: usize) -> bool {
        self.structure.chain_ids[a] == self.structure.chain_ids[b]
            && self.bonded(self.backbone[a][1], self.backbone[b][0])
    }

    /// Makes the last residue depend on a link to a neighbour.
    pub(super) fn pend(&mut self, is_amino: bool) {
        self.pending.push(Pending { row: self.structure.n_residues() - 1, is_amino, place: None });
    }

    /// The same for a nucleotide.
    pub(super) fn pend_nucleotide(&mut self) {
        let (row, place) = (self.structure.n_residues() - 1, Some(self.cover.len()));
        self.pending.push(Pending { row, is_amino: false, place });
    }

    /// Goes on with the kept ones of the atoms that cover, in their order.
    pub(super) fn keep_cover(&mut self, is_kept: &[bool]) {
        let kept = |count: usize| is_kept[..count.min(is_kept.len())].iter().filter(|kept| **kept).count();
        self.pending.iter_mut().for_each(|pending| pending.place = pending.place.map(kept));
        let mut at = is_kept.iter();
        self.cover.retain(|_| at.next().is_none_or(|kept| *kept));
        let mut at = is_kept.iter();
        self.cover_keys.retain(|_| at.next().is_none_or(|kept| *kept));
    }

    /// Removes the last residue, a nucleotide whose atoms begin at `begin`.
    pub(super) fn drop_nucleotide(&mut self, begin: usize, cover: bool) {
        let atoms = begin..self.atoms.len();
        self.take_radii_of_elements(atoms);
        self.drop_last(begin, cover);
    }

    /// Gives atoms of nucleotides the radii that atoms of ligands have, which depend on their elements alone.
    fn take_radii_of_elements(&mut self, atoms: std::ops::Range<usize>) {
        let by_element = |radius: f32| match radius {
            _ if radius == radius_of_element(b"S") => radius,
            _ if is_apolar(radius) => radius_of_element(b"C"),
            _ if radius == protor_radius(UNKNOWN, b"O") => radius_of_element(b"O"),
            _ => radius,
        };
        for atom in atoms {
            let radius = by_element(self.atoms[atom][3] as f32);
            self.set_radius(atom, f64::from(radius));
        }
    }

    /// Gives the last residue another name and type.
    pub(super) fn retype_last(&mut self, name: u64, kind: ResidueKind) {
        if let (Some(own), Some(own_kind)) = (self.names.last_mut(), self.structure.residue_types.last_mut()) {
            (*own, *own_kind) = (name, kind);
        }
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
        s.nucleotide_atoms.pop();
        s.labels.pop();
        self.names.pop();
        self.backbone.pop();
        self.segments.pop();
        if let Some(end) = self.ends.last_mut() {
            *end = (*end).min(self.structure.n_residues());
        }
        if self.restarts.last() == Some(&self.structure.n_residues()) {
            self.restarts.pop();
        }
    }

    /// Makes residues in `HETATM` records that are a polymer by themselves depend on a link: a polymer has more than one
    /// residue. Viewers write a number in a sequence for ligands, too.
    pub(super) fn pend_lone_polymers(&mut self) {
        if !self.segments_are_polymers || self.hetero.is_empty() {
            return;
        }
        let mut residues: HashMap<u64, usize> = HashMap::new();
        self.segments.iter().for_each(|segment| *residues.entry(*segment).or_default() += 1);
        // Without its N or C a residue shows no bond, nor that it has none.
        let is_lone = |row: usize| {
            let segment = self.segments[row];
            segment != 0 && residues[&segment] == 1 && self.backbone[row].iter().all(|&atom| atom != NO_CA)
        };
        for &row in self.hetero.iter().filter(|&&row| is_lone(row)) {
            let component = component(self.names[row]);
            let is_amino = !matches!(component, Component::Other | Component::Nucleic(_));
            let place = component.nucleotide().map(|_| self.cover.len());
            self.pending.push(Pending { row, is_amino, place });
        }
        self.pending.sort_unstable();
        self.pending.dedup_by_key(|pending| pending.row);
    }

    /// Drops the residues that need a bonded neighbour of their chain and have none.
    pub(super) fn drop_unlinked(&mut self, cover: bool) {
        let pending = std::mem::take(&mut self.pending);
        if pending.is_empty() {
            return;
        }
        let n = self.structure.n_residues();
        /// A ligand of at least this many residues counts as a chain.
        const PEPTIDE: usize = 4;
        let mut waits = vec![false; n];
        pending.iter().for_each(|pending| waits[pending.row] = true);
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
        let mut dropped: Vec<Pending> = pending.into_iter().filter(|pending| !is_linked[pending.row]).collect();
        self.tally.unlinked += dropped.iter().filter(|pending| pending.is_amino).count();
        if dropped.is_empty() {
            return;
        }
        let mut kept = vec![true; n];
        dropped.iter().for_each(|pending| kept[pending.row] = false);
        let kept_rows: Vec<usize> = (0..n).filter(|&row| kept[row]).collect();
        let mut all = self.rows(&kept_rows);
        if cover {
            let (cover, keys) = (std::mem::take(&mut all.cover), std::mem::take(&mut all.cover_keys));
            let mut before = 0;
            // Those without a place come last.
            dropped.sort_by_key(|pending| pending.place.unwrap_or(usize::MAX));
            for &Pending { row, place, .. } in &dropped {
                let place = place.unwrap_or(cover.len());
                all.cover.extend_from_slice(&cover[before..place]);
                all.cover_keys.extend_from_slice(keys.get(before..place).unwrap_or_default());
                before = place;
                let atoms = self.atoms_of(row);
                if is_nucleotide(self.structure.residue_types[row]) {
                    self.take_radii_of_elements(atoms.clone());
                }
                all.cover.extend_from_slice(&self.atoms[atoms]);
                all.key_cover(|| CoverResidue {
                    asym: self.asym(row).into(),
                    chain: self.structure.chains[self.structure.chain_ids[row] as usize].as_str().into(),
                    number: Some(self.structure.residue_numbers[row]),
                    icode: self.structure.insertion_codes[row].clone(),
                    name: self.names[row],
                    is_water: false,
                });
            }
            all.cover.extend_from_slice(&cover[before..]);
            all.cover_keys.extend_from_slice(keys.get(before..).unwrap_or_default());
        }
        *self = all;
    }

    pub(super) fn atoms_of(&self, row: usize) -> std::ops::Range<usize> {
        let offsets = &self.structure.residue_atoms;
        offsets[row] as usize..offsets.get(row + 1).map_or(self.atoms.len(), |&end| end as usize)
    }

    /// Whether the file ends a chain between two residues, of which the first comes before the second.
    pub(super) fn ends_between(&self, before: usize, row: usize) -> bool {
        let after = self.ends.partition_point(|&end| end <= before);
        self.ends.get(after).is_some_and(|&end| end <= row)
    }

    /// The chain id of a residue as assemblies use it.
    pub(super) fn asym(&self, row: usize) -> &str {
        match self.structure.labels.get(row) {
            Some(labels) if !labels.asym_id.is_empty() => &labels.asym_id,
            _ => &self.structure.chains[self.structure.chain_ids[row] as usize],
        }
    }

    /// Sets the residue of the last cover atoms, if it matters.
    pub(super) fn key_cover(&mut self, residue: impl FnOnce() -> CoverResidue) {
        if !self.identifies_cover || self.cover_keys.len() == self.cover.len() {
            return;
        }
        let residue = residue();
        if self.cover_residues.last() != Some(&residue) {
            self.cover_residues.push(residue);
        }
        self.cover_keys.resize(self.cover.len(), self.cover_residues.len() as u32 - 1);
    }

    /// Appends the residues and chains of another draft, whose chains have other names.
    pub(super) fn append(&mut self, other: Self) {
        let other = self.append_records(other);
        let (atoms, rows) = (self.atoms.len() as u32, self.structure.n_residues());
        let (chains, keys) = (self.structure.chains.len() as u32, self.cover_residues.len() as u32);
        let covering = self.cover.len();
        let moved = |atom: u32| if atom == NO_CA { NO_CA } else { atom + atoms };
        let (s, t) = (&mut self.structure, other.structure);
        s.residue_atoms.extend(t.residue_atoms.iter().map(|first| first + atoms));
        s.ca_indices.extend(t.ca_indices.into_iter().map(moved));
        s.chain_ids.extend(t.chain_ids.iter().map(|chain| chain + chains));
        s.chains.extend(t.chains);
        s.residue_types.extend(t.residue_types);
        s.residue_numbers.extend(t.residue_numbers);
        s.insertion_codes.extend(t.insertion_codes);
        s.bfactor.extend(t.bfactor);
        s.b_column.extend(t.b_column);
        s.roles.extend(t.roles);
        s.nucleotide_atoms.extend(t.nucleotide_atoms);
        s.labels.extend(t.labels);
        self.atoms.extend(other.atoms);
        self.cover.extend(other.cover);
        self.cover_keys.extend(other.cover_keys.iter().map(|key| key + keys));
        self.cover_residues.extend(other.cover_residues);
        self.identifies_cover |= other.identifies_cover;
        self.names.extend(other.names);
        self.backbone.extend(other.backbone.into_iter().map(|both| both.map(moved)));
        self.segments.extend(other.segments);
        self.segments_are_polymers |= other.segments_are_polymers;
        self.pending.extend(other.pending.into_iter().map(|pending| Pending {
            row: pending.row + rows,
            place: pending.place.map(|place| place + covering),
            ..pending
        }));
        self.ends.extend(other.ends.iter().map(|end| end + rows));
        self.hetero.extend(other.hetero.iter().map(|row| row + rows));
        self.starts.extend(other.starts.iter().map(|row| row + rows));
        self.b_differs |= other.b_differs;
        self.b_differs_in_others |= other.b_differs_in_others;
        self.renamed.extend(other.renamed.iter().map(|chain| chain + chains));
        self.tally.add(other.tally);
        let met = other.met.into_iter().filter(|chain| !self.met.contains(chain)).collect::<Vec<_>>();
        self.met.extend(met);
    }

    /// A draft of the given residues in this order; they may repeat.
    pub(super) fn rows(&self, rows: &[usize]) -> Self {
        let s = &self.structure;
        let mut new = Self {
            tally: self.tally.clone(),
            met: self.met.clone(),
            cover: self.cover.clone(),
            cover_keys: self.cover_keys.clone(),
            cover_residues: self.cover_residues.clone(),
            identifies_cover: self.identifies_cover,
            records: self.records.clone(),
            b_differs: self.b_differs,
            b_differs_in_others: self.b_differs_in_others,
            segments_are_polymers: self.segments_are_polymers,
            renamed: self.renamed.clone(),
            ..Self::with_capacity(self.atoms.len())
        };
        new.structure.chains.clone_from(&s.chains);
        let marked = |marks: &[usize]| {
            // One more: a cap may follow the last row.
            let mut marked = vec![false; s.residue_types.len() + 1];
            marks.iter().for_each(|&row| marked[row] = true);
            marked
        };
        let [restarts, hetero, starts] = [&self.restarts, &self.hetero, &self.starts].map(|rows| marked(rows));
        let pending: HashMap<usize, Pending> = self.pending.iter().map(|pending| (pending.row, *pending)).collect();
        let mut before = None;
        for &row in rows {
            let range = self.atoms_of(row);
            let (old, begin) = (range.start as u32, new.atoms.len() as u32);
            let moved = |atom: u32| if atom == NO_CA { NO_CA } else { atom - old + begin };
            let place = new.structure.n_residues();
            if let Some(pending) = pending.get(&row) {
                new.pending.push(Pending { row: place, ..*pending });
            }
            if restarts[row] {
                new.restarts.push(place);
            }
            if hetero[row] {
                new.hetero.push(place);
            }
            if starts[row] {
                new.starts.push(place);
            }
            if before.replace(row).is_some_and(|before| self.ends_between(before, row)) {
                new.ends.push(place);
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
            t.nucleotide_atoms.push(s.nucleotide_atoms[row]);
            t.labels.extend(s.labels.get(row).cloned());
            new.names.push(self.names[row]);
            new.backbone.push(self.backbone[row].map(moved));
            new.segments.push(self.segments[row]);
            new.atoms.extend_from_slice(&self.atoms[range]);
        }
        new
    }
}

/// The atoms of nucleotides; none if there are no nucleotides. Empties the original, which keeps its memory.
fn nucleotide_atoms(atoms: &mut Vec<[u32; 3]>) -> Vec<[u32; 3]> {
    let has_some = atoms.iter().any(|atoms| *atoms != NO_NUCLEOTIDE);
    let copy = if has_some { atoms.clone() } else { Vec::new() };
    atoms.clear();
    copy
}

/// A copy without spare memory. Empties the original, which keeps its memory.
fn emptied<T: Copy>(elements: &mut Vec<T>) -> Vec<T> {
    let copy = elements.to_vec();
    elements.clear();
    copy
}
