//! Chooses one alternative for a whole residue.

use super::{C, CA, N, Selection};
use crate::options::Alternates;
use crate::word::trim_zeros;
use shared_types::backbone::RoleAtoms;
use shared_types::{NO_CA, ResidueKind};
use std::collections::{BTreeMap, BTreeSet};

/// An atom of the current residue in an alternate location.
pub(super) struct Alternate {
    /// Index among the residue's atoms.
    pub(super) offset: usize,
    pub(super) residue: u64,
    pub(super) kind: ResidueKind,
    pub(super) occupancy: f64,
    /// B factor in Å² of an alpha carbon with a letter.
    pub(super) b_factor: f32,
}

/// An alternative of a residue.
struct Choice {
    alternate: u64,
    residue: u64,
    kind: ResidueKind,
    occupancies: f64,
    atoms: f64,
}

impl Selection<'_> {
    /// Adds the atoms without a letter whose names occur with one, too: they are an alternative like those with letters.
    fn add_unlettered(&mut self) {
        let Some(residue) = self.run.residue else { return };
        let names = self.names.all();
        let lettered = self.alternates.iter().filter(|atom| atom.residue == residue);
        let lettered: BTreeSet<u64> = lettered.map(|atom| names[atom.offset].0).collect();
        let unlettered = names.iter().enumerate().filter(|(_, (name, letter))| *letter == 0 && lettered.contains(name));
        let added: Vec<Alternate> = unlettered
            .map(|(offset, _)| Alternate {
                offset,
                residue,
                kind: self.run.kind,
                occupancy: self.occupancy(self.occupancies.get(offset).copied().unwrap_or_default()),
                b_factor: f32::NAN,
            })
            .collect();
        if !added.is_empty() {
            self.alternates.extend(added);
            self.alternates.sort_by_key(|atom| atom.offset);
        }
    }

    /// Keeps the requested alternative of the current residue.
    pub(super) fn choose_alternative(&mut self) {
        self.add_unlettered();
        let mut choices: Vec<Choice> = Vec::new();
        let mut index: BTreeMap<(u64, u64), usize> = BTreeMap::new();
        // The alternative of each atom.
        let mut of = Vec::with_capacity(self.alternates.len());
        for atom in &self.alternates {
            let alternate = self.names.all()[atom.offset].1;
            let at = *index.entry((alternate, atom.residue)).or_insert_with(|| {
                let (residue, kind) = (atom.residue, atom.kind);
                choices.push(Choice { alternate, residue, kind, occupancies: 0.0, atoms: 0.0 });
                choices.len() - 1
            });
            choices[at].occupancies += atom.occupancy;
            choices[at].atoms += 1.0;
            of.push(at);
        }
        // The best first; equal ones in the order of the file.
        let mean = |choice: &Choice| choice.occupancies / choice.atoms;
        let asked = |choice: &Choice| match self.policy {
            Alternates::Named(letter) => choice.alternate == u64::from(letter),
            _ => false,
        };
        let mut order: Vec<usize> = (0..choices.len()).collect();
        order.sort_by(|&a, &b| {
            let (a, b) = (&choices[a], &choices[b]);
            asked(b).cmp(&asked(a)).then(mean(b).total_cmp(&mean(a)))
        });
        let mut rank = vec![0; choices.len()];
        order.iter().enumerate().for_each(|(place, &choice)| rank[choice] = place);
        let best = &choices[order[0]];

        let names = self.names.all();
        let mut taken: BTreeSet<u64> = BTreeSet::new();
        let mut kept: Vec<usize> = Vec::with_capacity(names.len());
        let mut is_alternative = vec![false; names.len()];
        self.alternates.iter().for_each(|atom| is_alternative[atom.offset] = true);
        for (offset, &(name, _)) in names.iter().enumerate() {
            if !is_alternative[offset] {
                taken.insert(name);
                kept.push(offset);
            }
        }
        let mut others: Vec<(usize, usize)> =
            self.alternates.iter().zip(&of).map(|(a, &of)| (rank[of], a.offset)).collect();
        others.sort_unstable();
        for (rank, offset) in others {
            // Atoms that the best alternative lacks come from the next one that has them.
            let same = choices[order[rank]].residue == best.residue;
            if same && taken.insert(names[offset].0) {
                kept.push(offset);
            }
        }
        kept.sort_unstable();
        self.draft.tally.alternates += usize::from(choices.len() > 1);

        let begin = self.run.begin;
        let (mut ca, mut backbone, mut roles) = (NO_CA, [NO_CA; 2], RoleAtoms::NONE);
        self.run.end_oxygen = None;
        for (to, &from) in kept.iter().enumerate() {
            self.draft.atoms[begin + to] = self.draft.atoms[begin + from];
            let place = (begin + to) as u32;
            roles.assign(to, trim_zeros(&names[from].0.to_le_bytes()));
            self.run.see_end_oxygen(names[from].0, to);
            match names[from] {
                (CA, 0) => ca = place,
                (CA, _) => {
                    ca = place;
                    let b_factor = self.alternates.iter().find(|a| a.offset == from).map_or(f32::NAN, |a| a.b_factor);
                    let s = &mut self.draft.structure;
                    if let (Some(b), Some(column)) = (s.bfactor.last_mut(), s.b_column.last_mut()) {
                        *column = b_factor;
                        if !self.averages_b {
                            *b = b_factor;
                        }
                    }
                }
                (N, _) => backbone[0] = place,
                (C, _) => backbone[1] = place,
                _ => {}
            }
        }
        self.draft.atoms.truncate(begin + kept.len());
        let (residue, kind) = (best.residue, best.kind);
        self.run.residue = Some(residue);
        self.run.kind = kind;
        self.draft.rename_last(residue, kind, ca, backbone, roles);
    }
}
