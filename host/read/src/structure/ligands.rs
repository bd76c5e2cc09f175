//! Which residues without rows are ligands, and what they are.

use super::{AtomLabel, Hetero, HeteroResidue};
use crate::elements;
use crate::grid::Grid;
use shared_types::ResidueKind;
use shared_types::residue::is_nucleotide;
use std::collections::BTreeSet;

/// What a residue is that belongs to no polymer with rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LigandKind {
    /// Anything else.
    Ligand,
    /// A single atom of a metal or halogen.
    Ion,
    /// A saccharide by the Chemical Component Dictionary.
    Glycan,
    /// An amino acid that belongs to no chain.
    AminoAcid,
    /// A cap of a chain's end.
    Cap,
    /// A cluster of buried waters.
    Water,
}

impl LigandKind {
    /// Its name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Ligand => "ligand",
            Self::Ion => "ion",
            Self::Glycan => "glycan",
            Self::AminoAcid => "amino_acid",
            Self::Cap => "cap",
            Self::Water => "water",
        }
    }

    /// What a residue with these atoms is.
    #[must_use]
    pub fn of(residue: &HeteroResidue, labels: &[AtomLabel]) -> Self {
        let is_ion = |label: &AtomLabel| {
            let is_metal = elements::of_symbol(label.element).is_some_and(|element| element.is_metal);
            is_metal || matches!(label.element(), "F" | "CL" | "BR" | "I")
        };
        match labels {
            [only] if is_ion(only) => Self::Ion,
            _ if elements::is_cap(&residue.name, labels.len()) => Self::Cap,
            _ if elements::is_saccharide(&residue.name) => Self::Glycan,
            _ if residue.is_amino_acid => Self::AminoAcid,
            _ => Self::Ligand,
        }
    }
}

impl Hetero {
    /// The places in [`residues`](Self::residues) of those that belong to no polymer. `rows` are the types of residues with rows: where
    /// they have no nucleotides or no amino acids, the polymers of these are among the residues without rows.
    #[must_use]
    pub fn ligands(&self, rows: &[ResidueKind]) -> Vec<usize> {
        let mut chained = self.residues_of_chains(|residue| residue.is_nucleotide);
        if rows.iter().all(|&kind| is_nucleotide(kind)) {
            chained.extend(self.residues_of_chains(|residue| residue.is_amino_acid));
        }
        (0..self.residues.len()).filter(|residue| !chained.contains(residue)).collect()
    }

    /// Residues of a kind that are bonded to another one of it: nucleotides of DNA and RNA, or amino acids of proteins. One by itself is a
    /// ligand.
    fn residues_of_chains(&self, is_of: impl Fn(&HeteroResidue) -> bool) -> BTreeSet<usize> {
        /// Longer than a bond of a polymer, in Å.
        const LINK: f64 = 2.0;
        let residues = self.residues.iter().enumerate().filter(|(_, residue)| is_of(residue));
        let atoms = residues.flat_map(|(index, residue)| residue.atoms.clone().map(move |atom| (index, atom)));
        let atoms: Vec<(usize, usize)> = atoms.collect();
        let place = |atom: usize| {
            let atom = &self.atoms[atom];
            [atom.x, atom.y, atom.z].map(f64::from)
        };
        let grid = Grid::new(LINK, atoms.iter().map(|(_, atom)| place(*atom)));
        let is_linked =
            |(residue, atom): &&(usize, usize)| grid.near(place(*atom)).any(|(other, _)| atoms[other].0 != *residue);
        atoms.iter().filter(is_linked).map(|(residue, _)| *residue).collect()
    }
}
