//! What a row's `label_seq_id` says about its residue's chain.

/// Tells files that number every residue of a polymer from files that do not.
///
/// In files of the wwPDB a residue without a number belongs to no polymer. Other programs write `.` for every residue in `HETATM`
/// records, also for modified residues of a chain (Biopython), or for all residues (gemmi, if a PDB file was read). There a missing number
/// means nothing. Biopython names no entities; gemmi writes no number for `ATOM` records either.
///
/// Biotite, OpenMM and MDTraj number everything, ligands and water, too, and name no types of entities. There a number means nothing.
#[derive(Debug, Default)]
pub(crate) struct Labels {
    /// Whether a row so far had a number.
    any: bool,
    /// Whether an `ATOM` record so far had none.
    gaps: bool,
    /// Whether every row has a number, and no entity a type, once that was looked at.
    everything: Option<bool>,
}

impl Labels {
    /// Whether the file says that a row's residue belongs to a chain; `None` if the file does not say. `everything` looks whether
    /// every row has a number, and no entity a type.
    #[inline]
    pub(crate) fn in_chain(
        &mut self,
        is_numbered: bool,
        has_entity: bool,
        hetatm: bool,
        everything: impl FnOnce() -> bool,
    ) -> Option<bool> {
        if is_numbered {
            self.any = true;
            let says_it = !hetatm || !*self.everything.get_or_insert_with(everything);
            return says_it.then_some(true);
        }
        self.gaps |= !hetatm;
        if self.any && !hetatm {
            // Unless it is bonded, a residue without a number is none of a polymer where others have one.
            return Some(false);
        }
        (self.any && !self.gaps && has_entity).then_some(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_file_that_numbers_its_polymers_says_what_belongs_to_none() {
        let mut wwpdb = Labels::default();
        assert_eq!(wwpdb.in_chain(true, true, false, || false), Some(true));
        assert_eq!(wwpdb.in_chain(true, true, true, || false), Some(true));
        assert_eq!(wwpdb.in_chain(false, true, true, || false), Some(false));

        let mut without_entities = Labels::default();
        assert_eq!(without_entities.in_chain(true, false, false, || false), Some(true));
        assert_eq!(without_entities.in_chain(false, false, true, || false), None);

        let mut without_numbers = Labels::default();
        assert_eq!(without_numbers.in_chain(false, true, true, || false), None);
        assert_eq!(without_numbers.in_chain(false, true, false, || false), None);
        assert_eq!(without_numbers.in_chain(true, true, false, || false), Some(true));
        assert_eq!(without_numbers.in_chain(false, true, true, || false), None);
        assert_eq!(without_numbers.in_chain(false, true, false, || false), Some(false));
    }

    #[test]
    fn a_file_that_numbers_everything_does_not_say_what_belongs_to_a_polymer() {
        let mut labels = Labels::default();
        assert_eq!(labels.in_chain(true, true, false, || unreachable!()), Some(true));
        assert_eq!(labels.in_chain(true, true, true, || true), None);
        assert_eq!(labels.in_chain(true, true, true, || unreachable!("one look is enough")), None);
        assert_eq!(labels.in_chain(true, true, false, || unreachable!()), Some(true));
    }
}
