//! Molecules that have one chain id in the file, or none: each becomes a chain.
//!
//! Programs for simulations often write no chain ids, or the same one for all proteins. Residues of one chain id are
//! different molecules if they are not bonded and
//! - `TER`, or the `END` of another file, comes between them, or
//! - their segments differ: the segment id in PDB, `label_asym_id` in mmCIF, or
//! - numbers restart, and repeat those of the molecule before, in another place (they may also fall below its first one, or without
//!   a chain id below its last one, if the next residue is far), or
//! - the first has the second oxygen of a chain's end, or the other one the hydrogens of a chain's begin or, as a nucleotide, no phosphate, or
//!   a cap is between them, or their names are those of ends (`CGLY`, `NMET`, `DG3`, `DC5`), or
//! - they are farther apart than residues that are not resolved: ends of several residues that are bonded or lack one between them, farther
//!   than 30 Å (10 Å for nucleotides), or than 10 Å and 3.8 Å for each residue that their numbers leave out; but not in a chain whose id is one of several, or
//! - numbers jump, or C and N are more than 10 Å apart, and residues of the molecule before are repeated, name by name.
//!
//! Where nothing of this holds, residues may be missing. They are one molecule, and a long jump is noted, or ends that the residues between
//! them cannot reach.
//!
//! Entries of the PDB have one polymer per chain id. There a gap is a stretch without coordinates, and `TER` comes before the
//! chain's own ligands: residues in `HETATM` records alone begin no molecule, unless all of the chain are, or a peptide follows `TER`. Where SEQRES lists the residues of a chain, it is
//! one molecule, unless it has more of them, or has them twice.

use super::components::ends_named;
use super::draft::{BOND2, Draft};
use super::facts::Facts;
use super::note::{Note, NoteKind};
use super::word::{text_of, trim_zeros};
use shared_types::NO_CA;
use shared_types::nucleotide::{ABSENT, NucleotideAtoms};
use shared_types::residue::is_nucleotide;
use std::collections::{BTreeSet, HashMap, HashSet};

/// Stands between the name of a chain and the number of its molecule, from the second one on.
const MARK: char = '~';
/// The distance in Å from which C and N of consecutive residues are too far apart for one missing residue.
const FAR: f64 = 10.0;
/// The distance in Å of consecutive alpha carbons, by which each missing residue lengthens a chain at most.
const CA_STEP: f64 = 3.8;
/// Numbers left out from which residues that repeat those of the molecule before are another one. Fewer may lie between the repeats of a chain.
const LEAST_BETWEEN: i32 = 10;
/// Residues that repeat others, and the kinds among them. Fewer say nothing.
const LEAST_REPEATED: usize = 16;
const LEAST_KINDS: usize = 5;
/// Numbers left out from which a jump is noted. Loops that are not resolved are mostly shorter.
const LONG_JUMP: i32 = 30;
/// Residues on either side of such a distance that are bonded, or lack one between them. Fewer are no sign of a molecule.
const LEAST: usize = 4;
/// The longest distance of C and N in Å that one missing residue spans: programs leave out modified ones.
const ONE_MISSING: f64 = 5.0;
/// The distance in Å up to which residues that are not resolved may lie between others, also if numbers were given anew and do not leave
/// them out.
const UNRESOLVED: f64 = 30.0;
/// The square of the longest distance of bonded alpha carbons in Å, where C or N is missing.
const CA_BOND2: f64 = 4.2 * 4.2;
/// The square of the distance in Å below which an alpha carbon stands in another one's place.
const SAME_PLACE2: f64 = 2.0 * 2.0;

/// A requested chain id as files have it.
pub(super) fn as_read(id: &str) -> &str {
    if id.is_empty() { " " } else { id }
}

/// The author's chain of a requested molecule: `A` of `A~2`.
pub fn author_chain(id: &str) -> &str {
    let number = |number: &str| !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit());
    as_read(id.rsplit_once(MARK).filter(|(_, rest)| number(rest)).map_or(id, |(chain, _)| chain))
}

/// The author's chains of a structure whose molecules were told apart, by the index of the chain.
pub(super) struct Separated {
    pub(super) authors: Vec<String>,
    pub(super) note: Note,
}

/// Where residues of a chain may be missing, or another molecule may begin.
struct Jump {
    /// The numbers of the residues before and after.
    numbers: [i32; 2],
    /// How far they are apart in Å, if the residues that their numbers leave out cannot reach so far.
    beyond: Option<f64>,
}

impl Jump {
    fn note(&self, chain: &str) -> Note {
        let of = if chain.trim().is_empty() { String::new() } else { format!(" of chain {chain}") };
        let [before, after] = self.numbers;
        let found = match self.beyond {
            Some(distance) => format!("residues {before} and {after}{of} are {distance:.0} Å apart"),
            None => format!("residue numbers{of} jump from {before} to {after}"),
        };
        let text = format!(
            "{found} without an end of a molecule: they are read as one chain with missing residues. If they are several molecules, give \
             each a chain id or end it by TER"
        );
        Note { kind: NoteKind::Jumps, text }
    }
}

/// The residues of a molecule.
#[derive(Default)]
struct Molecule<'d> {
    segment: u64,
    /// The number of its first residue.
    first: Option<i32>,
    /// The residue of each number and insertion code.
    residues: HashMap<(i32, &'d str), usize>,
}

impl Molecule<'_> {
    /// Whether all its numbers are greater than one.
    fn is_above(&self, place: (i32, &str)) -> bool {
        self.residues.keys().all(|own| *own > place)
    }
}

/// A chain's molecules: that of each of its rows, the number of all, and what told them apart.
struct Molecules {
    of_rows: Vec<(usize, usize)>,
    segments: Vec<u64>,
    by: BTreeSet<&'static str>,
    /// The first long jump within a molecule.
    jump: Option<Jump>,
}

impl Draft {
    /// Makes each molecule a chain. `None` if every chain is one already.
    pub(super) fn separate(&mut self, facts: &Facts, notes: &mut Vec<Note>) -> Option<Separated> {
        let suspects = self.chains_that_may_divide(!facts.sequences.is_empty());
        if suspects.is_empty() {
            return None;
        }
        let own = std::mem::take(&mut self.structure.chains);
        let mut found: HashMap<usize, Molecules> = HashMap::new();
        for chain in suspects {
            let molecules = self.molecules(chain, &own, facts);
            notes.extend(molecules.jump.as_ref().map(|jump| jump.note(&own[chain])));
            if molecules.segments.len() > 1 {
                found.insert(chain, molecules);
            }
        }
        if found.is_empty() {
            self.structure.chains = own;
            return None;
        }
        let mut taken: HashSet<String> = own.iter().cloned().collect();
        let (mut chains, mut authors, mut texts) = (Vec::new(), Vec::new(), Vec::new());
        let (mut moved, mut renamed) = (vec![0; own.len()], Vec::new());
        for (chain, name) in own.iter().enumerate() {
            moved[chain] = chains.len();
            let Some(molecules) = found.get(&chain) else {
                if self.renamed.contains(&(chain as u32)) {
                    renamed.push(chains.len() as u32);
                }
                chains.push(name.clone());
                authors.push(name.clone());
                continue;
            };
            let names = self.names_of(name, &molecules.segments, &mut taken);
            texts.push(told(name, &names, &molecules.by, facts.cell.is_some()));
            authors.extend(names.iter().map(|_| name.clone()));
            renamed.extend((0..names.len()).map(|molecule| (chains.len() + molecule) as u32));
            chains.extend(names);
        }
        self.renamed = renamed;
        let s = &mut self.structure;
        s.chain_ids.iter_mut().for_each(|chain| *chain = moved[*chain as usize] as u32);
        for &(row, molecule) in found.values().flat_map(|molecules| &molecules.of_rows) {
            s.chain_ids[row] += molecule as u32;
        }
        s.chains = chains;
        Some(Separated { authors, note: Note { kind: NoteKind::Molecules, text: texts.join("; ") } })
    }

    /// Drops the residues of chains that were not requested, by their written or their author's name.
    pub(super) fn keep_requested(&mut self, wanted: &[String], separated: Option<&Separated>) {
        let wanted: HashSet<&str> = wanted.iter().map(|id| as_read(id)).collect();
        let s = &self.structure;
        let author = |chain: usize| separated.is_some_and(|all| wanted.contains(all.authors[chain].as_str()));
        let is_kept: Vec<bool> =
            (0..s.chains.len()).map(|i| wanted.contains(s.chains[i].as_str()) || author(i)).collect();
        let kept: Vec<usize> = (0..s.n_residues()).filter(|&row| is_kept[s.chain_ids[row] as usize]).collect();
        if kept.len() < s.n_residues() {
            self.met.clone_from(&self.structure.chains);
            *self = self.rows(&kept);
        }
    }

    /// The number and insertion code of a residue.
    fn place(&self, row: usize) -> (i32, &str) {
        (self.structure.residue_numbers[row], &self.structure.insertion_codes[row])
    }

    /// Chains in which something suggests another molecule. Mostly there are none, and nothing needs a closer look.
    /// Where SEQRES lists residues, atoms at ends suggest none.
    fn chains_that_may_divide(&self, are_declared: bool) -> Vec<usize> {
        let s = &self.structure;
        let mut last: Vec<Option<usize>> = vec![None; s.chains.len()];
        let mut may_divide = vec![false; s.chains.len()];
        for (row, &chain) in s.chain_ids.iter().enumerate() {
            let chain = chain as usize;
            let Some(before) = last[chain].replace(row) else { continue };
            // A bond is what most neighbours have, and nothing divides them.
            if !self.bonded(self.backbone[before][1], self.backbone[row][0]) && !may_divide[chain] {
                let is_polymer = self.segments_are_polymers && self.segments[row] != 0;
                may_divide[chain] = self.segments[before] != self.segments[row]
                    || self.place(row) < self.place(before)
                    || !are_declared && !is_polymer && self.end_by_atoms(before, row)
                    || !are_declared
                        && !is_polymer
                        && self.missing(before, row).is_some_and(|missing| missing >= LEAST_BETWEEN)
                    || !are_declared
                        && !is_polymer
                        && self.gap2(before, row, None).is_some_and(|gap2| gap2 > FAR * FAR)
                    || self.are_far(before, row, None)
                    || self.ends_between(before, row);
            }
        }
        (0..may_divide.len()).filter(|&chain| may_divide[chain]).collect()
    }

    /// Divides the residues of a chain.
    fn molecules(&self, chain: usize, names: &[String], facts: &Facts) -> Molecules {
        let (s, own) = (&self.structure, names[chain].as_str());
        let rows: Vec<usize> = (0..s.n_residues()).filter(|&row| s.chain_ids[row] as usize == chain).collect();
        let is_declared = facts.sequences.get(own).is_some_and(|&listed| rows.len() <= listed);
        let cell = facts.cell.as_ref();
        // Ids that differ tell molecules apart.
        let has_id = |chain: &&u32| !names[**chain as usize].trim().is_empty();
        let is_one_of_several =
            has_id(&&(chain as u32)) && s.chain_ids.iter().filter(has_id).any(|&other| other as usize != chain);
        let mut all: Vec<Molecule<'_>> = vec![Molecule { segment: self.segments[rows[0]], ..Molecule::default() }];
        let (mut current, mut before) = (0, None);
        let mut found = Molecules {
            of_rows: Vec::with_capacity(rows.len()),
            segments: Vec::new(),
            by: BTreeSet::new(),
            jump: None,
        };
        let in_hetatm = |row: &usize| self.hetero.binary_search(row).is_ok();
        // Some programs write all records so.
        let is_hetero = rows.iter().all(in_hetatm);
        let stretches: Vec<&[usize]> = rows.chunk_by(|&a, &b| self.are_linked(a, b, cell)).collect();
        let lengths = self.lengths(&stretches, cell);
        for (at, &stretch) in stretches.iter().enumerate() {
            let first = stretch[0];
            let is_peptide = |before| {
                stretch.len() >= LEAST
                    && self.ends_between(before, first)
                    && !self.is_bonded_into(&all[current], stretch)
            };
            let begins = |before: &usize| is_hetero || !stretch.iter().all(in_hetatm) || is_peptide(*before);
            if let Some(before) = before.filter(begins) {
                let segment = self.segments[first];
                let differs = segment != self.segments[before] && segment != 0 && self.segments[before] != 0;
                let is_long = lengths[at].min(lengths[at - 1]) >= LEAST;
                let is_blank = own.trim().is_empty();
                let is_polymer = self.segments_are_polymers && segment != 0 && !differs;
                let is_below = is_blank || !is_polymer && all[current].is_above(self.place(first));
                let falls = is_below && !is_declared && stretch.len() >= LEAST && self.fall_far(before, first, cell);
                let reasons = [
                    (
                        !is_declared
                            && self.ends_between(before, first)
                            && !self.is_bonded_into(&all[current], stretch),
                        "TER or END",
                    ),
                    (!is_declared && differs, "their segments"),
                    (
                        !is_declared
                            && !is_polymer
                            && self.end_by_atoms(before, first)
                            && !self.is_bonded_into(&all[current], stretch),
                        "the atoms of their ends",
                    ),
                    (self.restarts(&all[current], before, stretch) || falls, "numbers that restart"),
                    (
                        !is_declared
                            && !is_polymer
                            && !is_one_of_several
                            && is_long
                            && self.are_far(before, first, cell),
                        "distance",
                    ),
                    (
                        !is_declared && !is_polymer && self.repeats(&all[current], before, stretch, cell),
                        "residues that repeat",
                    ),
                ];
                if reasons.iter().any(|(holds, _)| *holds) {
                    // Records of a segment may go on after those of another one.
                    let goes_on = |other: &Molecule<'_>| {
                        differs && other.segment == segment && !other.residues.contains_key(&self.place(first))
                    };
                    current = all.iter().position(goes_on).unwrap_or(all.len());
                    if current == all.len() {
                        all.push(Molecule { segment, ..Molecule::default() });
                        found.by.extend(reasons.iter().filter(|(holds, _)| *holds).map(|(_, by)| *by));
                    }
                } else if !is_declared && !is_polymer && is_long && found.jump.is_none() {
                    found.jump = self.jump(before, first, cell);
                }
            }
            for &row in stretch {
                found.of_rows.push((row, current));
                all[current].first.get_or_insert(s.residue_numbers[row]);
                all[current].residues.entry(self.place(row)).or_insert(row);
            }
            before = stretch.last().copied();
        }
        found.segments = all.iter().map(|molecule| molecule.segment).collect();
        found
    }

    /// For each stretch, its number of residues with those of its neighbours that lack no more than one residue between them.
    fn lengths(&self, stretches: &[&[usize]], cell: Option<&Cell>) -> Vec<usize> {
        let lack_one = |before: &&[usize], after: &&[usize]| {
            let gap2 = self.gap2(before[before.len() - 1], after[0], cell);
            gap2.is_some_and(|gap2| gap2 < ONE_MISSING * ONE_MISSING)
        };
        let pieces = stretches.chunk_by(lack_one);
        let of_piece = |piece: &[&[usize]]| vec![piece.iter().map(|stretch| stretch.len()).sum(); piece.len()];
        pieces.flat_map(of_piece).collect()
    }

    /// Whether a stretch repeats residues of a molecule, in another place: where both stand in one place, they are
    /// alternatives, or the same atoms twice. A single residue of another name is one whose number is not its own.
    fn restarts(&self, molecule: &Molecule<'_>, before: usize, stretch: &[usize]) -> bool {
        if self.place(stretch[0]) >= self.place(before) {
            return false;
        }
        let ca = |row: usize| self.atoms.get(self.structure.ca_indices[row] as usize);
        let (mut repeated, mut has_name) = (0, false);
        for &row in stretch {
            let Some(&first) = molecule.residues.get(&self.place(row)) else { continue };
            let (Some(a), Some(b)) = (ca(row), ca(first)) else { continue };
            if distance2(a, b, None) < SAME_PLACE2 {
                return false;
            }
            repeated += 1;
            has_name |= self.names[row] == self.names[first];
        }
        has_name || repeated > 1
    }

    /// Whether atoms or names show the first of two residues as a chain's last one, or the other one as a chain's first: two oxygens at C, the
    /// hydrogens of a first residue, or none of the phosphate that binds it to the one before; a cap between them, or names of ends.
    fn end_by_atoms(&self, before: usize, row: usize) -> bool {
        /// The squares of the shortest and longest bond of C in Å.
        const BONDS2: std::ops::Range<f64> = 1.0..1.8 * 1.8;
        /// The square of the longest distance in Å of O3' and O5' that bind one phosphorus.
        const OXYGENS2: f64 = 4.0 * 4.0;
        // Adenine has an atom H2, too.
        let is_start = self.starts.binary_search(&row).is_ok() && !is_nucleotide(self.structure.residue_types[row]);
        if is_start || ends_named(self.names[before])[1] || ends_named(self.names[row])[0] {
            return true;
        }
        if is_nucleotide(self.structure.residue_types[before]) {
            let is_next = self.missing(before, row) == Some(0);
            let lacks_phosphate = self.backbone[row][0] == NO_CA;
            return is_next && lacks_phosphate && self.gap2(before, row, None).is_some_and(|gap2| gap2 > OXYGENS2);
        }
        // A program, or an author, may end a stretch before residues that are not resolved so.
        let is_gap = self.missing(before, row).is_some_and(|missing| (1..LEAST_BETWEEN).contains(&missing));
        if is_gap && self.beyond(before, row, None).is_none() {
            return false;
        }
        let atoms = &self.atoms[self.atoms_of(before)];
        let c = self.atoms.get(self.backbone[before][1] as usize);
        // CA and two oxygens.
        c.is_some_and(|c| atoms.iter().filter(|atom| BONDS2.contains(&distance2(c, atom, None))).count() >= 3)
    }

    /// Whether an end of a stretch is bonded to a residue of a molecule, as where residues stand in another order.
    fn is_bonded_into(&self, molecule: &Molecule<'_>, stretch: &[usize]) -> bool {
        let beside = |row: usize, step: i32| {
            let number = self.structure.residue_numbers[row].checked_add(step)?;
            molecule.residues.get(&(number, "")).copied()
        };
        let bonded = |before: usize, row: usize| self.bonded(self.backbone[before][1], self.backbone[row][0]);
        let (first, last) = (stretch[0], stretch[stretch.len() - 1]);
        beside(first, -1).is_some_and(|before| bonded(before, first))
            || beside(last, 1).is_some_and(|after| bonded(last, after))
    }

    /// Number of residues that the numbers of two others leave out between them; `None` if these do not rise.
    fn missing(&self, before: usize, row: usize) -> Option<i32> {
        let numbers = &self.structure.residue_numbers;
        numbers[row].checked_sub(numbers[before])?.checked_sub(1).filter(|missing| *missing >= 0)
    }

    /// How far a residue is from the one that it follows in Å, if that is farther than the residues between them can reach.
    fn beyond(&self, before: usize, row: usize, cell: Option<&Cell>) -> Option<f64> {
        let reach = FAR + CA_STEP * f64::from(self.missing(before, row)?);
        self.gap2(before, row, cell).map(f64::sqrt).filter(|gap| *gap > reach)
    }

    /// Whether a residue is also farther than any that are not resolved. Strands of nucleic acids lie near each other.
    fn are_far(&self, before: usize, row: usize, cell: Option<&Cell>) -> bool {
        let most = if is_nucleotide(self.structure.residue_types[row]) { FAR } else { UNRESOLVED };
        self.beyond(before, row, cell).is_some_and(|gap| gap > most)
    }

    /// What is to be noted about two neighbours of one molecule that are not bonded.
    fn jump(&self, before: usize, row: usize, cell: Option<&Cell>) -> Option<Jump> {
        let beyond = self.beyond(before, row, cell);
        let is_long = || {
            self.missing(before, row).is_some_and(|missing| missing >= LONG_JUMP)
                && self.gap2(before, row, cell) > Some(FAR * FAR)
        };
        let numbers = [before, row].map(|row| self.structure.residue_numbers[row]);
        (beyond.is_some() || is_long()).then_some(Jump { numbers, beyond })
    }

    /// Whether the residues of a stretch are those of a molecule, in their order and with numbers that are all higher by the same.
    fn repeats(&self, molecule: &Molecule<'_>, before: usize, stretch: &[usize], cell: Option<&Cell>) -> bool {
        let missing = self.missing(before, stretch[0]);
        let is_jump = missing.is_some_and(|missing| missing >= LEAST_BETWEEN)
            || missing.is_some() && self.gap2(before, stretch[0], cell) > Some(FAR * FAR);
        let Some(first) = molecule.first.filter(|_| is_jump && stretch.len() >= LEAST_REPEATED) else { return false };
        let s = &self.structure;
        let (higher, mut kinds) = (i64::from(s.residue_numbers[stretch[0]]) - i64::from(first), HashSet::new());
        let is_repeated = |&row: &usize| {
            let number = i32::try_from(i64::from(s.residue_numbers[row]) - higher).ok();
            let own = number.and_then(|number| molecule.residues.get(&(number, &*s.insertion_codes[row])));
            kinds.insert(self.names[row]);
            own.is_some_and(|&own| self.names[own] == self.names[row])
        };
        stretch.iter().all(is_repeated) && kinds.len() >= LEAST_KINDS
    }

    /// Whether numbers fall between two residues that are not close.
    fn fall_far(&self, before: usize, row: usize, cell: Option<&Cell>) -> bool {
        self.place(row) < self.place(before) && self.gap2(before, row, cell).is_some_and(|gap| gap > FAR * FAR)
    }

    /// The square of the distance in Å between C of a residue and N of another one, or O3' and P of nucleotides. Without P it is that to O5',
    /// and otherwise that of the atoms which stand for the residues.
    fn gap2(&self, before: usize, row: usize, cell: Option<&Cell>) -> Option<f64> {
        let atom = |index: u32| self.atoms.get(index as usize);
        let [from, to] = [self.backbone[before][1], self.backbone[row][0]];
        let (from, to) = match (atom(from), atom(to).or_else(|| self.o5(row))) {
            (Some(from), Some(to)) => (from, to),
            _ => (self.centre(before)?, self.centre(row)?),
        };
        Some(distance2(from, to, cell))
    }

    /// O5' of a nucleotide.
    fn o5(&self, row: usize) -> Option<&[f64; 4]> {
        let o5 = NucleotideAtoms::of_words(self.structure.nucleotide_atoms[row]).o5;
        (is_nucleotide(self.structure.residue_types[row]) && o5 != ABSENT)
            .then(|| self.atoms.get(self.atoms_of(row).start + usize::from(o5)))?
    }

    /// The atom that stands for a residue: CA, C1', or the first one, which is the backbone's bead in coarse-grained models.
    fn centre(&self, row: usize) -> Option<&[f64; 4]> {
        self.atoms.get(self.structure.ca_indices[row] as usize).or_else(|| self.atoms.get(self.atoms_of(row).start))
    }

    /// Whether two residues are bonded, perhaps across the border of a periodic cell.
    fn are_linked(&self, before: usize, row: usize, cell: Option<&Cell>) -> bool {
        let [from, to] = [self.backbone[before][1], self.backbone[row][0]];
        if self.bonded(from, to) {
            return true;
        }
        let Some(gap2) = self.gap2(before, row, cell) else { return false };
        match [from, to].contains(&NO_CA) {
            true => gap2 < CA_BOND2,
            false => cell.is_some() && gap2 < BOND2,
        }
    }

    /// Names the molecules of a chain: by their segments, if these differ, or else by numbers after the chain's name.
    fn names_of(&self, chain: &str, segments: &[u64], taken: &mut HashSet<String>) -> Vec<String> {
        let texts: Vec<String> = segments.iter().map(|segment| text_of(trim_zeros(&segment.to_le_bytes()))).collect();
        let distinct: BTreeSet<&String> = texts.iter().collect();
        let is_free = |text: &&String| !text.is_empty() && (*text == chain || !taken.contains(*text));
        let by_segment = !self.segments_are_polymers && distinct.len() > 1 && distinct.iter().all(is_free);
        // From here on the chain's own name is one that its molecules may have.
        taken.remove(chain);
        let mut copies: HashMap<&str, usize> = HashMap::new();
        let mut name = |base| {
            let copy = copies.entry(base).or_insert(0);
            loop {
                *copy += 1;
                let name = if *copy == 1 { base.to_owned() } else { format!("{}{MARK}{copy}", base.trim()) };
                if taken.insert(name.clone()) {
                    return name;
                }
            }
        };
        texts.iter().map(|text| name(if by_segment { text } else { chain })).collect()
    }
}

/// The note about a chain.
fn told(chain: &str, names: &[String], by: &BTreeSet<&'static str>, has_cell: bool) -> String {
    /// Names that are shown.
    const SHOWN: usize = 6;
    let shown = |name: &String| if name.trim().is_empty() { "\" \"".to_owned() } else { name.clone() };
    let mut listed: Vec<String> = names.iter().take(SHOWN).map(shown).collect();
    if names.len() > SHOWN {
        listed.push("…".to_owned());
    }
    let cut = if by.len() == 1 && by.contains("distance") && !has_cell {
        " (if the border of a cell does not cut them: there is no CRYST1)"
    } else {
        ""
    };
    let (by, listed, count) = (by.iter().copied().collect::<Vec<_>>().join(", ") + cut, listed.join(", "), names.len());
    match chain.trim() {
        "" => format!("{count} molecules without a chain id are told apart by {by}, and called {listed}"),
        chain => format!("{count} molecules of chain {chain} are told apart by {by}, and called {listed}"),
    }
}

/// The vectors of a periodic cell in Å.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cell([[f64; 3]; 3]);

impl Cell {
    /// A cell from its lengths in Å and angles in degrees; `None` if they span none.
    pub(super) fn new([a, b, c, alpha, beta, gamma]: [f64; 6]) -> Option<Self> {
        let [alpha, beta, gamma] = [alpha, beta, gamma].map(|angle: f64| angle.to_radians());
        let x = (alpha.cos() - beta.cos() * gamma.cos()) / gamma.sin();
        let z2 = beta.sin().powi(2) - x.powi(2);
        // Files without a crystal have a cell of 1 Å.
        (a.min(b).min(c) > 2.0 && z2 > 0.0).then(|| {
            Self([[a, 0.0, 0.0], [b * gamma.cos(), b * gamma.sin(), 0.0], [c * beta.cos(), c * x, c * z2.sqrt()]])
        })
    }

    /// The shortest of the vectors that differ by whole cells, as far as neighbouring cells reach.
    fn shortest(&self, mut vector: [f64; 3]) -> f64 {
        for side in self.0.iter().rev() {
            let along = (0..3).map(|axis| vector[axis] * side[axis]).sum::<f64>() / square(side);
            vector = std::array::from_fn(|axis| vector[axis] - along.round() * side[axis]);
        }
        let shifts = (0..27).map(|i| [i % 3, i / 3 % 3, i / 9].map(|step| f64::from(step) - 1.0));
        let moved = shifts.map(|shift: [f64; 3]| {
            let at = |axis: usize| vector[axis] + (0..3).map(|side| shift[side] * self.0[side][axis]).sum::<f64>();
            square(&[at(0), at(1), at(2)])
        });
        moved.fold(f64::INFINITY, f64::min)
    }
}

fn square(vector: &[f64; 3]) -> f64 {
    vector.iter().map(|value| value * value).sum()
}

/// The square of the distance in Å, to the nearest image in a periodic cell.
pub(super) fn distance2(a: &[f64; 4], b: &[f64; 4], cell: Option<&Cell>) -> f64 {
    let vector = [0, 1, 2].map(|axis| b[axis] - a[axis]);
    cell.map_or_else(|| square(&vector), |cell| cell.shortest(vector))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn molecules_of_a_chain_are_asked_for_by_the_chain() {
        for (id, chain) in [("A", "A"), ("A~2", "A"), ("", " "), ("~3", " "), ("A~", "A~"), ("A~b", "A~b")] {
            assert_eq!(author_chain(id), chain, "{id:?}");
        }
    }

    #[test]
    fn the_nearest_image_in_a_triclinic_cell() {
        // The rhombic dodecahedron of simulations: every neighbouring image of the origin is 10 Å away.
        let cell = Cell::new([10.0, 10.0, 10.0, 60.0, 60.0, 90.0]).unwrap();
        let [a, b, c] = cell.0;
        for images in [[1.0, 0.0, 0.0], [0.0, 1.0, -1.0], [2.0, -1.0, 1.0]] {
            let vector = [0, 1, 2].map(|i| images[0] * a[i] + images[1] * b[i] + images[2] * c[i] + [0.5, 0.0, 0.0][i]);
            assert!((cell.shortest(vector) - 0.25).abs() < 1e-9, "{images:?}");
        }
        assert_eq!(Cell::new([1.0, 1.0, 1.0, 90.0, 90.0, 90.0]), None);
        assert_eq!(Cell::new([10.0, 10.0, 10.0, 30.0, 30.0, 170.0]), None);
    }
}
