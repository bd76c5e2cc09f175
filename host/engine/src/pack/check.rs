//! Checks that kernels can work on a batch.

use super::{BatchBuffers, PackError, PackedBatch};
use prism_read::plural::counted;
use shared_types::backbone::RoleAtoms;
use shared_types::{Atom, BatchStructureDesc, FEATURES, NO_CA, RESIDUES};
use std::ops::Range;

/// A batch has fewer atoms than this, so that an index fits into 32 bits with one bit to spare.
pub const ATOM_LIMIT: u64 = 1 << 31;
/// A batch has fewer residues than this: 32 bits count the feature values of all of them.
pub const RESIDUE_LIMIT: u64 = (1 << 32) / FEATURES.len().next_power_of_two() as u64;

/// A structure has fewer chains than this; kernels use the bits above for other things.
const CHAIN_LIMIT: u32 = 1 << 29;

/// Number of atoms and residues so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Totals {
    atoms: u64,
    residues: u64,
}

impl Totals {
    /// Adds a structure. Returns the begin of its atoms and of its residues.
    pub(super) fn add(
        &mut self,
        index: usize,
        name: &str,
        atoms: usize,
        residues: usize,
    ) -> Result<(u32, u32), PackError> {
        let begin = (self.atoms as u32, self.residues as u32);
        self.atoms = self.atoms.saturating_add(atoms as u64);
        self.residues = self.residues.saturating_add(residues as u64);
        for (what, count, limit) in [("atoms", self.atoms, ATOM_LIMIT), ("residues", self.residues, RESIDUE_LIMIT)] {
            if count >= limit {
                return Err(PackError::TooLarge { index, structure: name.to_owned(), what, count, limit: limit - 1 });
            }
        }
        Ok(begin)
    }
}

/// Checks everything that [`PackedBatch::from_inputs`](super::PackedBatch::from_inputs) guarantees by construction.
pub(super) fn buffers(names: &[String], buffers: &BatchBuffers) -> Result<(), PackError> {
    let descriptors = &buffers.descriptors;
    let n = buffers.ca_indices.len();
    let of_structures = [("names", names.len()), ("centers", buffers.centers.len())];
    let of_residues = buffers.residue_lengths().chain([("residue_atoms", buffers.residue_atoms.len())]);
    let lengths = of_structures.map(|(field, found)| (field, found, descriptors.len())).into_iter();
    for (field, found, expected) in lengths.chain(of_residues.map(|(field, found)| (field, found, n))) {
        if found != expected {
            return Err(PackError::Length { field, found, expected });
        }
    }
    ranges(names, descriptors, ("atoms", "atom"), buffers.atoms.len(), |d| (d.atom_offset, d.n_atoms))?;
    ranges(names, descriptors, ("residues", "residue"), n, |d| (d.ca_offset, d.n_residues))?;
    let mut totals = Totals::default();
    totals.add(0, names.first().map_or("", String::as_str), buffers.atoms.len(), n)?;

    let mut expected = 0;
    for (name, descriptor) in names.iter().zip(descriptors) {
        if descriptor.n_residues == 0 {
            return Err(PackError::Empty { structure: name.clone() });
        }
        if descriptor.n_atoms == 0 {
            return Err(PackError::NoAtoms { structure: name.clone() });
        }
        if descriptor.ca_offset != expected {
            return Err(PackError::Gap { structure: name.clone(), begin: descriptor.ca_offset, expected });
        }
        expected += descriptor.n_residues;
        values(name, descriptor, buffers)?;
    }
    if expected as usize != n {
        return Err(PackError::Gap { structure: "end of the batch".to_owned(), begin: n as u32, expected });
    }
    Ok(())
}

/// Checks that every range lies in its buffer, and that no two ranges overlap.
fn ranges(
    names: &[String],
    descriptors: &[BatchStructureDesc],
    (plural, what): (&'static str, &'static str),
    len: usize,
    range: impl Fn(&BatchStructureDesc) -> (u32, u32),
) -> Result<(), PackError> {
    let mut used: Vec<(Range<u32>, usize)> = Vec::with_capacity(descriptors.len());
    for (index, descriptor) in descriptors.iter().enumerate() {
        let (begin, count) = range(descriptor);
        let end = u64::from(begin) + u64::from(count);
        if end > len as u64 || end > u64::from(u32::MAX) {
            return Err(PackError::OutOfRange { structure: names[index].clone(), what: plural, end, len });
        }
        if count > 0 {
            used.push((begin..end as u32, index));
        }
    }
    used.sort_by_key(|(range, _)| range.start);
    for pair in used.windows(2) {
        let ((first, first_index), (second, second_index)) = (&pair[0], &pair[1]);
        if second.start < first.end {
            return Err(PackError::Overlap {
                first: names[*first_index].clone(),
                second: names[*second_index].clone(),
                what,
                shared: second.start,
            });
        }
    }
    Ok(())
}

/// Checks the values of one structure, whose ranges have been checked.
fn values(name: &str, descriptor: &BatchStructureDesc, buffers: &BatchBuffers) -> Result<(), PackError> {
    let bad = |field, index, problem| Err(PackError::Value { structure: name.to_owned(), field, index, problem });
    atoms(name, descriptor, &buffers.atoms)?;
    let mut before = 0;
    for row in descriptor.ca_offset as usize..(descriptor.ca_offset + descriptor.n_residues) as usize {
        let ca = buffers.ca_indices[row];
        if ca != NO_CA && ca >= descriptor.n_atoms {
            return bad(
                "ca_indices",
                row,
                format!("is {ca}, but the structure has {}", counted(descriptor.n_atoms, "atom", "atoms")),
            );
        }
        let kind = buffers.residue_types[row];
        if usize::from(kind) >= RESIDUES.len() {
            return bad("residue_types", row, format!("is {kind}, but there are only {} types", RESIDUES.len()));
        }
        let chain = buffers.chain_ids[row];
        if chain >= CHAIN_LIMIT {
            return bad("chain_ids", row, format!("is {chain}; it must be below {CHAIN_LIMIT}"));
        }
        let first = buffers.residue_atoms[row];
        if row == descriptor.ca_offset as usize && first != 0 {
            return bad("residue_atoms", row, format!("is {first}; a structure's first residue begins at atom 0"));
        }
        if first < before {
            return bad("residue_atoms", row, format!("is {first} after {before}; offsets must not decrease"));
        }
        if first > descriptor.n_atoms {
            let atoms = counted(descriptor.n_atoms, "atom", "atoms");
            return bad("residue_atoms", row, format!("is {first}, but the structure has {atoms}"));
        }
        before = first;
        let last = row + 1 == (descriptor.ca_offset + descriptor.n_residues) as usize;
        let end = if last { descriptor.n_atoms } else { buffers.residue_atoms[row + 1] };
        let roles = RoleAtoms::of_words(buffers.roles[row]);
        if let Some(role) = roles.indices().find(|&role| u64::from(first) + u64::from(role) >= u64::from(end)) {
            return bad("roles", row, format!("has atom {role} of a residue of {}", end.saturating_sub(first)));
        }
    }
    Ok(())
}

/// Checks the positions and radii of a structure's atoms in `all`.
fn atoms(name: &str, descriptor: &BatchStructureDesc, all: &[Atom]) -> Result<(), PackError> {
    let first = descriptor.atom_offset as usize;
    let is_finite = |atom: &Atom| [atom.x, atom.y, atom.z, atom.radius].iter().all(|value| value.is_finite());
    match all[first..first + descriptor.n_atoms as usize].iter().position(|atom| !is_finite(atom)) {
        Some(index) => Err(PackError::Value {
            structure: name.to_owned(),
            field: "atoms",
            index: first + index,
            problem: format!("is {:?}, which is not finite", all[first + index]),
        }),
        None => Ok(()),
    }
}

/// Checks that atoms can replace those of a batch; there are equally many.
pub fn other_atoms(batch: &PackedBatch, others: &[Atom]) -> Result<(), PackError> {
    batch.names().iter().zip(batch.descriptors()).try_for_each(|(name, descriptor)| atoms(name, descriptor, others))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_stays_below_the_limits() {
        let mut totals = Totals::default();
        assert_eq!(totals.add(0, "a", (1 << 31) - 2, 7).unwrap(), (0, 0));
        assert_eq!(totals.add(1, "b", 1, 1).unwrap(), ((1 << 31) - 2, 7));
        let error = totals.add(2, "c", 1, 1).unwrap_err();
        assert_eq!(error.structure_index(), Some(2));
        assert!(error.to_string().contains("\"c\": with it the batch has 2147483648 atoms"), "{error}");

        let mut totals = Totals::default();
        totals.add(0, "a", 0, (1 << 26) - 1).unwrap();
        let error = totals.add(1, "b", 0, 1).unwrap_err();
        assert!(error.to_string().contains("67108864 residues"), "{error}");
    }

    #[test]
    fn sums_do_not_wrap() {
        let mut totals = Totals::default();
        assert!(totals.add(0, "huge", usize::MAX, 1).is_err());
        assert!(totals.add(1, "huge too", usize::MAX, 1).is_err());
    }
}
