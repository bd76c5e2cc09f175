//! Residues with the atoms of an earlier one, of which nothing needs to be looked up again.

use super::{Fate, Named, Rules, Run, Selection};
use crate::atoms::own_atoms;
use crate::error::Problem;
use crate::word::pack;
use shared_types::residue::parent_of;
use shared_types::{NO_CA, ResidueKind};

/// What is known of a residue after its first records, all of them `ATOM` records without alternate locations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Known {
    /// Its number of heavy atoms.
    pub(crate) atoms: u32,
    /// Its alpha carbon, counted from its first atom, or [`NO_CA`].
    ca: u32,
    backbone: [u32; 2],
    roles: [u32; 2],
    /// Atoms whose element column contradicts their name.
    contradictions: u32,
    pseudo_atoms: u32,
    /// Atoms whose element nothing says.
    unknown_elements: u32,
    /// Whether it has the hydrogens of a chain's first residue.
    is_start: bool,
    /// Whether it has Drude particles, and whether it has a hydrogen whose name may be one's.
    drude: [bool; 2],
}

/// The B columns of a repeated residue.
pub(crate) struct BColumns<'a> {
    /// That of its alpha carbon; empty if it has none.
    pub(crate) ca: &'a [u8],
    /// That of its first atom.
    pub(crate) first: &'a [u8],
    /// Whether all atoms have the same.
    pub(crate) is_uniform: bool,
}

impl Known {
    /// Whether its last heavy atom is its alpha carbon.
    pub(crate) fn ends_with_ca(&self) -> bool {
        self.ca != NO_CA && self.ca + 1 == self.atoms
    }

    /// Its alpha carbon, counted from its first atom.
    pub(crate) fn ca(&self) -> Option<usize> {
        (self.ca != NO_CA).then_some(self.ca as usize)
    }
}

impl<'a> Selection<'a> {
    /// Like [`enter`](Self::enter) for a residue that differs in its number alone.
    #[inline]
    pub(crate) fn enter_next(&mut self, number: &'a [u8]) -> Result<(), Problem> {
        self.end_run()?;
        if let Some(residue_id) = &mut self.residue_id {
            residue_id.number = number;
        }
        Ok(())
    }

    /// Whether the current run has no record yet.
    pub(crate) fn is_at_first_record(&self) -> bool {
        self.run.residue.is_none()
    }

    /// What is known of the current residue, if nothing about it is unusual.
    pub(crate) fn known(&self) -> Option<Known> {
        let draft = &self.draft;
        let usual = draft.records.is_none()
            && self.run.record.rules == Rules::Standard
            && self.run.fate == Fate::Row
            && !self.run.hetatm
            && self.run.open
            && self.alternates.is_empty()
            && self.run.end_oxygen.is_none()
            && self.last_is_own()
            && !self.run.has_cap;
        if !usual {
            // The draft's last residue may be another one, whose atoms lie before those of the run.
            return None;
        }
        let (ca, backbone) = (*draft.structure.ca_indices.last()?, *draft.backbone.last()?);
        let begin = self.run.begin as u32;
        let from_begin = |atom: u32| if atom == NO_CA { NO_CA } else { atom - begin };
        Some(Known {
            atoms: draft.atoms.len() as u32 - begin,
            ca: from_begin(ca),
            backbone: backbone.map(from_begin),
            roles: *draft.structure.roles.last()?,
            contradictions: self.run.contradictions,
            pseudo_atoms: self.run.pseudo_atoms,
            unknown_elements: self.run.unknown_elements,
            is_start: self.run.is_start,
            drude: [self.run.has_drude, self.run.maybe_drude],
        })
    }

    /// Whether the run's last atom is one that its amino acid has.
    fn last_is_own(&self) -> bool {
        parent_of(self.run.kind).is_some_and(|parent| own_atoms(parent).contains(&self.last_name()))
    }

    /// Whether it is kept what atoms are, for which their records must be taken one by one.
    pub(crate) fn keeps_records(&self) -> bool {
        self.draft.records.is_some()
    }

    /// Whether the file calls the current residue water, whatever its name is.
    pub(crate) fn is_in_water(&self) -> bool {
        self.is_water
    }

    /// The type of the current run.
    pub(crate) fn kind(&self) -> ResidueKind {
        self.run.kind
    }

    /// The name of the run's last atom.
    pub(crate) fn last_name(&self) -> u64 {
        self.names.all().last().map_or(0, |(name, _)| *name)
    }

    /// The atoms so far: x, y, z and radius in Å.
    pub fn atoms(&mut self) -> &mut Vec<[f64; 4]> {
        &mut self.draft.atoms
    }

    /// Whether every usual residue so far has a single value in its B column.
    pub(crate) fn b_is_uniform(&self) -> bool {
        !self.draft.b_differs
    }

    /// Opens a residue, whose atoms from `begin` on have been pushed, as if its records had been taken one by one. Before another record
    /// of it is taken, [`recall`](Self::recall) must be told its names.
    pub(crate) fn repeat(
        &mut self,
        begin: usize,
        (residue, kind): (u64, ResidueKind),
        in_chain: Option<bool>,
        known: &Known,
        b: &BColumns<'_>,
    ) -> Result<(), Problem> {
        let Known { contradictions, pseudo_atoms, unknown_elements, is_start, .. } = *known;
        self.run = Run {
            residue: Some(residue),
            kind,
            fate: Fate::Row,
            hetatm: false,
            in_chain,
            begin,
            // Only standard amino acids and their variants are repeated.
            record: Named { residue, kind, rules: Rules::Standard },
            contradictions,
            pseudo_atoms,
            unknown_elements,
            is_start,
            has_drude: known.drude[0],
            maybe_drude: known.drude[1],
            ..Run::NEW
        };
        self.draft.tally.contradictions += contradictions as usize;
        self.draft.tally.pseudo_atoms += pseudo_atoms as usize;
        self.draft.tally.unknown_elements += unknown_elements as usize;
        self.open_residue(residue)?;
        if !self.draft.b_differs {
            self.run.b_key = Some(pack(b.first));
            self.run.b_differs = !b.is_uniform;
        }
        if let Some(ca) = known.ca() {
            self.take_ca(begin + ca, b.ca);
        }
        let from_zero = |atom: u32| if atom == NO_CA { NO_CA } else { atom + begin as u32 };
        if let (Some(backbone), Some(roles)) = (self.draft.backbone.last_mut(), self.draft.structure.roles.last_mut()) {
            (*backbone, *roles) = (known.backbone.map(from_zero), known.roles);
        }
        Ok(())
    }

    /// Enters the name of a repeated residue's atom, and its occupancy as text.
    pub(crate) fn recall(&mut self, name: u64, occupancy: &'a [u8]) {
        self.names.insert_alternate(name, 0);
        self.occupancies.push(occupancy);
    }
}
