//! Which residues lack heavy atoms, and which chains have alpha carbons or backbones alone.

use super::StructureInput;
use crate::atoms::{heavy_atoms, heavy_atoms_of_nucleotide};
use shared_types::backbone::{NO_ATOM, RoleAtoms};
use shared_types::radii::radius_of_element;
use shared_types::residue::{GLYCINE, is_nucleotide, nucleotide_of, parent_of};
use shared_types::{Feature, NO_CA, STANDARD, Steps, UNKNOWN};
use std::collections::BTreeMap;

/// The steps whose features describe whole residues: surface, and what is around heavy atoms.
const OF_WHOLE_RESIDUES: Steps =
    Steps::EXPOSURE.and(Steps::PROTRUSION).and(Steps::DEPTH).and(Steps::ATOMIC_CONTACTS).and(Steps::SITES);

/// Whether a feature is undefined in chains of alpha carbons, phosphorus atoms or backbones alone.
pub fn needs_whole_residues(feature: &Feature) -> bool {
    feature.steps.only(OF_WHOLE_RESIDUES) != Steps::NONE
}

/// Longest bond of a carbonyl carbon in Å.
const BOND: f32 = 1.8;

/// Number of heavy atoms of a residue that ends with CB.
const BACKBONE_AND_BETA: u32 = 5;

/// How many residues lack or have other atoms than they should have.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Completeness {
    /// Standard amino acids and nucleotides that lack heavy atoms.
    pub(crate) incomplete: usize,
    /// Standard amino acids that have heavy atoms beside their own.
    pub(crate) with_others: usize,
}

/// What a chain has.
#[derive(Default)]
struct Chain {
    residues: usize,
    /// Residues that lack heavy atoms.
    lacking: usize,
    /// Of these, those that have neither N nor C.
    bare: usize,
    /// Residues with an atom beyond the backbone and CB, or two in its place.
    side_chains: usize,
}

impl Chain {
    /// Whether it is a trace: more than half of its residues lack heavy atoms, and at most one in ten has a side chain; or more than half
    /// have neither N nor C, as in coarse-grained models, and where some residues of a trace are whole.
    fn is_trace(&self) -> bool {
        2 * self.lacking > self.residues && 10 * self.side_chains <= self.residues || 2 * self.bare > self.residues
    }
}

/// What a residue has.
struct Atoms {
    /// Whether N, CA, C and O are there.
    backbone: bool,
    /// Whether N and C are missing.
    bare: bool,
    beta: bool,
    /// Whether there are atoms beyond the backbone and CB, or beyond one in its place.
    side_chain: bool,
    /// Number of heavy atoms without the second oxygen at an end.
    count: usize,
}

impl StructureInput {
    /// Sets [`traces`](super::Composition::traces): the chains of which more than half of the residues lack heavy atoms, while at most one
    /// in ten has an atom beyond N, CA, C, O and CB, or more than half have neither N nor C. A chain of glycines and alanines is complete
    /// with its backbone and CB.
    ///
    /// ```
    /// use prism_read::{ReadOptions, read_path};
    ///
    /// let mut rbd = read_path("../../data/6m0j_rbd.pdb", "rbd", &ReadOptions::default())?.structure;
    /// assert!(rbd.traces.is_empty());
    /// // Keep the alpha carbons.
    /// rbd.atoms = rbd.ca_indices.iter().map(|&ca| rbd.atoms[ca as usize]).collect();
    /// rbd.ca_indices = (0..194).collect();
    /// rbd.residue_atoms = (0..=194).collect();
    /// rbd.roles.clear();
    /// rbd.find_traces();
    /// assert_eq!((rbd.traces.len(), rbd.incomplete_residues()), (1, 194));
    /// # Ok::<(), prism_read::ReadError>(())
    /// ```
    pub fn find_traces(&mut self) {
        self.traces_and_completeness();
    }

    /// Sets [`traces`](super::Composition::traces), and returns what residues lack, and have beside their own atoms.
    pub(crate) fn traces_and_completeness(&mut self) -> Completeness {
        let mut found = Completeness::default();
        let mut chains: BTreeMap<u32, Chain> = BTreeMap::new();
        let mut begin = 0;
        for rows in self.chain_ids[..self.n_rows()].chunk_by(|a, b| a == b) {
            let chain = chains.entry(rows[0]).or_default();
            chain.residues += rows.len();
            for row in begin..begin + rows.len() {
                if let Some(side_chain) = self.is_plainly_complete(row) {
                    chain.side_chains += usize::from(side_chain);
                    continue;
                }
                let atoms = self.atoms_of(row);
                let lacks_atoms = self.lacks_atoms(row, &atoms);
                chain.lacking += usize::from(lacks_atoms);
                chain.bare += usize::from(lacks_atoms && atoms.bare);
                chain.side_chains += usize::from(atoms.side_chain);
                found.incomplete += usize::from(lacks_atoms && self.is_standard(row));
                found.with_others += usize::from(self.has_others(row, &atoms));
            }
            begin += rows.len();
        }
        let is_trace = |(_, chain): &(u32, Chain)| chain.is_trace();
        self.traces = chains.into_iter().filter(is_trace).map(|(chain, _)| chain).collect();
        found
    }

    /// Whether a standard amino acid has more heavy atoms than it should have: those of a ligand that is bound, for example.
    fn has_others(&self, row: usize, atoms: &Atoms) -> bool {
        let kind = self.residue_types[row];
        let whole = parent_of(kind).filter(|_| kind < UNKNOWN).map(heavy_atoms);
        // The second oxygen of an end counts where it is not the chain's.
        whole.is_some_and(|whole| atoms.count > whole && (atoms.count > whole + 1 || !self.has_two_oxygens(row)))
    }

    /// Whether a residue is a standard amino acid in any charge state, or a standard nucleotide.
    fn is_standard(&self, row: usize) -> bool {
        let kind = self.residue_types[row];
        kind < UNKNOWN || nucleotide_of(kind) == Some(kind)
    }

    /// Number of standard amino acids and nucleotides that lack heavy atoms.
    #[must_use]
    pub fn incomplete_residues(&self) -> usize {
        let is_open = |row: &usize| self.is_standard(*row) && self.is_plainly_complete(*row).is_none();
        (0..self.n_rows()).filter(is_open).filter(|&row| self.lacks_atoms(row, &self.atoms_of(row))).count()
    }

    /// Whether a row belongs to a chain of alpha carbons or backbones alone.
    #[must_use]
    pub fn is_in_trace(&self, row: usize) -> bool {
        self.chain_ids.get(row).is_some_and(|chain| self.traces.contains(chain))
    }

    /// Whether a residue has a side chain beyond CB, if its number of atoms alone says that it is complete. Nearly all do, and a
    /// look at their roles would take longer than reading them.
    #[inline]
    fn is_plainly_complete(&self, row: usize) -> Option<bool> {
        let kind = self.residue_types[row];
        let is_inside = self.chain_ids.get(row + 1) == Some(&self.chain_ids[row]);
        if usize::from(kind) >= STANDARD || !is_inside {
            return None;
        }
        let (count, whole) = (self.residue_atoms[row + 1] - self.residue_atoms[row], heavy_atoms(kind) as u32);
        let has_side_chain = whole > BACKBONE_AND_BETA;
        (count == whole).then_some(has_side_chain)
    }

    fn atoms_of(&self, row: usize) -> Atoms {
        let count = (self.residue_atoms[row + 1] - self.residue_atoms[row]) as usize;
        if is_nucleotide(self.residue_types[row]) {
            return self.atoms_of_nucleotide(row);
        }
        let roles = self.roles.get(row).map_or(RoleAtoms::NONE, |words| RoleAtoms::of_words(*words));
        let has = |role: u8| role != NO_ATOM;
        let ca = self.ca_indices[row] != NO_CA;
        let named =
            usize::from(ca) + [roles.n, roles.c, roles.o, roles.beta].into_iter().filter(|role| has(*role)).count();
        let count = count - usize::from(count > named && self.has_end_oxygen(row, roles));
        let backbone = ca && has(roles.n) && has(roles.c) && has(roles.o);
        let bare = !has(roles.n) && !has(roles.c);
        // A single one in the place of CB is the bead of a side chain.
        let side_chain = count > named + usize::from(!has(roles.beta));
        Atoms { backbone, bare, beta: has(roles.beta), side_chain, count }
    }

    /// What a nucleotide has; its side chain is its base.
    fn atoms_of_nucleotide(&self, row: usize) -> Atoms {
        /// P, OP1 and OP2, which 5' ends may lack.
        const PHOSPHATE: usize = 3;
        let atoms = &self.atoms[self.residue_atoms[row] as usize..self.residue_atoms[row + 1] as usize];
        let has_phosphate = atoms.iter().any(|atom| atom.radius == radius_of_element(b"P"));
        let count = atoms.len().saturating_sub(if has_phosphate { PHOSPHATE } else { 0 });
        let whole = nucleotide_of(self.residue_types[row]).map_or(0, heavy_atoms_of_nucleotide);
        Atoms { backbone: true, bare: false, beta: true, side_chain: count >= whole, count }
    }

    /// Whether a chain's last residue has two oxygens.
    fn has_end_oxygen(&self, row: usize, roles: RoleAtoms) -> bool {
        let is_last = row + 1 >= self.n_rows() || self.chain_ids[row + 1] != self.chain_ids[row];
        is_last && roles.c != NO_ATOM && self.has_two_oxygens(row)
    }

    /// Whether a residue has two oxygens at its C: then three of its atoms are bonded to that.
    fn has_two_oxygens(&self, row: usize) -> bool {
        let roles = self.roles.get(row).map_or(RoleAtoms::NONE, |words| RoleAtoms::of_words(*words));
        let atoms = &self.atoms[self.residue_atoms[row] as usize..self.residue_atoms[row + 1] as usize];
        let Some(c) = atoms.get(usize::from(roles.c)).filter(|_| roles.c != NO_ATOM) else { return false };
        let near = |atom: &&shared_types::Atom| {
            (atom.x - c.x).powi(2) + (atom.y - c.y).powi(2) + (atom.z - c.z).powi(2) < BOND * BOND
        };
        // C itself, CA and two oxygens.
        atoms.iter().filter(near).count() >= 4
    }

    /// Of amino acids that are not standard ones only the backbone and CB are known.
    fn lacks_atoms(&self, row: usize, atoms: &Atoms) -> bool {
        let kind = self.residue_types[row];
        if let Some(nucleotide) = nucleotide_of(kind) {
            return atoms.count < heavy_atoms_of_nucleotide(nucleotide);
        }
        match parent_of(kind) {
            Some(parent) if kind < UNKNOWN => atoms.count < heavy_atoms(parent),
            Some(parent) => !atoms.backbone || !atoms.beta && parent != GLYCINE,
            None => !atoms.backbone,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ReadOptions, read_bytes};
    use shared_types::FEATURES;

    const UBIQUITIN: &str = include_str!("../../../tests/data/1ubq.pdb");

    /// Ubiquitin's atoms of these names; all if there are none. All residues are renamed if there is a name.
    fn read(names: &[&str], residue: Option<&str>) -> StructureInput {
        let is_kept =
            |line: &&str| line.starts_with("ATOM") && (names.is_empty() || names.contains(&line[12..16].trim()));
        let line = |line: &str| match residue {
            Some(residue) => format!("{}{residue}{}\n", &line[..17], &line[20..]),
            None => format!("{line}\n"),
        };
        let text: String = UBIQUITIN.lines().filter(is_kept).map(line).collect();
        read_bytes(text.as_bytes(), "x", &ReadOptions::default()).unwrap().structure
    }

    #[test]
    fn chains_without_side_chains_are_traces() {
        let backbone = ["N", "CA", "C", "O"];
        let with_beta = ["N", "CA", "C", "O", "CB"];
        let found = |names: &[&str], residue| {
            let read = read(names, residue);
            (read.traces.len(), read.incomplete_residues())
        };
        assert_eq!(found(&[], None), (0, 0));
        assert_eq!(found(&["CA"], None), (1, 76));
        // Ubiquitin has six glycines and two alanines.
        assert_eq!(found(&backbone, None), (1, 70));
        assert_eq!(found(&with_beta, None), (1, 68));
        assert_eq!(found(&backbone, Some("GLY")), (0, 0));
        assert_eq!(found(&with_beta, Some("ALA")), (0, 6), "six have no CB");
        assert_eq!(found(&backbone, Some("ALA")), (1, 76));
        assert_eq!(found(&["CA"], Some("GLY")), (1, 76));
        // OPEP and the like have a bead for each side chain.
        assert_eq!(found(&["N", "CA", "C", "O", "CG"], None).0, 1);
        assert_eq!(found(&with_beta, Some("UNK")), (0, 0), "what the residue is, is not known");
    }

    #[test]
    fn one_side_chain_makes_no_whole_chain() {
        let kept =
            |line: &&str| line.starts_with("ATOM") && (line[12..16].trim() == "CA" || line.contains(" LYS A   6 "));
        let text: String = UBIQUITIN.lines().filter(kept).map(|line| format!("{line}\n")).collect();
        let read = read_bytes(text.as_bytes(), "x", &ReadOptions::default()).unwrap().structure;
        assert_eq!((read.traces.len(), read.incomplete_residues()), (1, 75));
    }

    #[test]
    fn features_of_surface_need_whole_residues() {
        let names: Vec<&str> =
            FEATURES.iter().filter(|feature| needs_whole_residues(feature)).map(|feature| feature.name).collect();
        let expected =
            ["sasa", "rsa", "sasa_apolar", "cx", "depth", "atomic_contacts", "exposed_velocity", "site_score"];
        assert_eq!(names, expected);
    }
}
