//! The residues of a draft that a selection takes.

use super::components::component;
use super::draft::Draft;
use super::error::{Fault, Problem};
use super::note::{Note, NoteKind};
use super::options::{Polymers, ReadOptions};
use super::word::{listed_ids, text_of, trim_zeros};
use crate::plural::counted;
use crate::selection::{Kind, ResidueSelection, SelectedResidue};
use crate::structure::Composition;
use shared_types::residue::is_nucleotide;
use std::ops::Range;

/// The polymers whose residues have rows.
fn kept_polymers(structure: &Composition) -> Polymers {
    let is_nucleic = |&kind: &u8| is_nucleotide(kind);
    match (structure.residue_types.iter().any(is_nucleic), structure.residue_types.iter().all(is_nucleic)) {
        (false, _) => Polymers::Protein,
        (true, true) => Polymers::Nucleic,
        (true, false) => Polymers::All,
    }
}

impl Draft {
    /// Drops the residues that a selection does not take, with rows and without. `authors` are the author's chains, by the index of the
    /// chain, where they are others.
    pub(super) fn keep_selected(
        &mut self,
        select: &ResidueSelection,
        authors: &[String],
        options: &ReadOptions,
    ) -> Result<Vec<Note>, Fault> {
        self.check_spread()?;
        let n = self.structure.n_residues();
        let cover = self.atoms_of_cover();
        let texts =
            |words: &[u64]| words.iter().map(|word| text_of(trim_zeros(&word.to_le_bytes()))).collect::<Vec<String>>();
        let (names, segments) = (texts(&self.names), texts(&self.segments));
        let of_cover: Vec<u64> = cover.iter().map(|(residue, _)| self.cover_residues[*residue].name).collect();
        let cover_names = texts(&of_cover);
        let s = &self.structure;
        let row = |row: usize| {
            let chain = s.chain_ids[row] as usize;
            SelectedResidue {
                chains: [&s.chains[chain], authors.get(chain).unwrap_or(&s.chains[chain])],
                segment: &segments[row],
                number: Some(s.residue_numbers[row]),
                icode: &s.insertion_codes[row],
                name: &names[row],
                kind: if is_nucleotide(s.residue_types[row]) { Kind::Nucleic } else { Kind::Protein },
                atoms: &self.atoms[self.atoms_of(row)],
            }
        };
        let without_row = |place: usize| {
            let (residue, atoms) = &cover[place];
            let residue = &self.cover_residues[*residue];
            SelectedResidue {
                chains: [&residue.chain; 2],
                segment: &residue.asym,
                number: residue.number,
                icode: &residue.icode,
                name: &cover_names[place],
                kind: if component(residue.name).nucleotide().is_some() { Kind::Nucleic } else { Kind::Hetero },
                atoms: &self.cover[atoms.clone()],
            }
        };
        let residues: Vec<SelectedResidue<'_>> = (0..n).map(row).chain((0..cover.len()).map(without_row)).collect();
        let taken = select.select(&residues);
        let unseen = if options.cover || options.atoms { Vec::new() } else { select.names_without_rows(&residues) };
        let kept: Vec<usize> = (0..n).filter(|&row| taken[row]).collect();
        if kept.is_empty() {
            let chains = listed_ids(s.chains.iter().map(String::as_str));
            let rows = counted(n, "residue", "residues");
            let text = format!(
                " in the selection ({select}); the file has {rows} of {} in the chains {chains}",
                kept_polymers(s).named()
            );
            return Err(Fault::whole(Problem::NoResidues(options.polymers, text)));
        }
        let (mut atoms, mut keys) = (Vec::new(), Vec::new());
        for ((_, range), _) in
            cover.iter().zip(&taken[n..]).filter(|(_, taken)| **taken && (options.cover || options.atoms))
        {
            atoms.extend_from_slice(&self.cover[range.clone()]);
            keys.extend_from_slice(&self.cover_keys[range.clone()]);
        }
        (self.cover, self.cover_keys) = (atoms, keys);
        if kept.len() < n {
            *self = self.rows(&kept);
        }
        let note = |(name, count): (String, usize)| {
            let residues = counted(count, "residue", "residues");
            let text = format!(
                "{residues} of the selected name {name} {}",
                "without a row; --het cover lets its atoms cover surface, and --het rows gives it a row in prism features"
            );
            Note { kind: NoteKind::Unselected, text }
        };
        Ok(unseen.into_iter().map(note).collect())
    }

    /// The residues without rows, by their index, and their atoms.
    fn atoms_of_cover(&self) -> Vec<(usize, Range<usize>)> {
        let mut begin = 0;
        let runs = self.cover_keys.chunk_by(|a, b| a == b);
        runs.map(|run| {
            let range = begin..begin + run.len();
            begin = range.end;
            (run[0] as usize, range)
        })
        .collect()
    }
}
