//! What a row's `label_seq_id` says about its residue's chain.

/// Tells files that number every residue of a polymer from files that do not.
///
/// In files of the wwPDB a residue without a number belongs to no polymer. Other programs write `.` for every residue in `HETATM`
/// records, also for modified residues of a chain (Biopython), or for all residues (gemmi, if a PDB file was read). There a missing number
/// means nothing. Biopython names no entities; gemmi writes no number for `ATOM` records either.
#[derive(Debug, Default)]
pub(crate) struct Labels {
    /// Whether a row so far had a number.
    any: bool,
    /// Whether an `ATOM` record so far had none.
    gaps: bool,
}

impl Labels {
    /// Whether the file says that a row's residue belongs to a chain; `None` if the file does not say.
    #[inline]
    pub(crate) fn in_chain(&mut self, is_numbered: bool, has_entity: bool, hetatm: bool) -> Option<bool> {
        if is_numbered {
            self.any = true;
            return Some(true);
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
        assert_eq!(wwpdb.in_chain(true, true, false), Some(true));
        assert_eq!(wwpdb.in_chain(true, true, true), Some(true));
        assert_eq!(wwpdb.in_chain(false, true, true), Some(false));

        let mut without_entities = Labels::default();
        assert_eq!(without_entities.in_chain(true, false, false), Some(true));
        assert_eq!(without_entities.in_chain(false, false, true), None);

        let mut without_numbers = Labels::default();
        assert_eq!(without_numbers.in_chain(false, true, true), None);
        assert_eq!(without_numbers.in_chain(false, true, false), None);
        assert_eq!(without_numbers.in_chain(true, true, false), Some(true));
        assert_eq!(without_numbers.in_chain(false, true, true), None);
        assert_eq!(without_numbers.in_chain(false, true, false), Some(false));
    }
}
