//! The atom names of a residue.

use std::collections::HashMap;

/// The atom names of a residue with their alternate locations, in order.
#[derive(Default)]
pub(super) struct Names {
    /// A Bloom filter of the names: an unset bit means that a name is new.
    filter: u64,
    all: Vec<(u64, u64)>,
    /// Names beyond [`Self::FEW`], which no amino acid has but a malicious file may.
    many: HashMap<(u64, u64), u64>,
}

impl Names {
    const FEW: usize = 64;

    pub(super) fn clear(&mut self) {
        self.filter = 0;
        self.all.clear();
        if !self.many.is_empty() {
            self.many.clear();
        }
    }

    /// All names, each with its alternate location.
    pub(super) fn all(&self) -> &[(u64, u64)] {
        &self.all
    }

    /// Whether a name was added, in any alternate location.
    pub(super) fn has(&self, name: u64) -> bool {
        self.all.iter().any(|(own, _)| *own == name)
    }

    /// Adds a name. Returns the alternate location of an earlier entry; `None` if the name is new.
    #[inline]
    pub(super) fn insert_name(&mut self, name: u64, alternate: u64) -> Option<u64> {
        self.insert(name, alternate, (name, 0), |known| known.0 == name)
    }

    /// Adds a name within an alternate location. Returns that location if it already has the name; `None` if it is new
    /// there.
    #[inline]
    pub(super) fn insert_alternate(&mut self, name: u64, alternate: u64) -> Option<u64> {
        self.insert(name, alternate, (name, alternate), |known| *known == (name, alternate))
    }

    #[inline]
    fn insert(
        &mut self,
        name: u64,
        alternate: u64,
        key: (u64, u64),
        is_it: impl Fn(&(u64, u64)) -> bool,
    ) -> Option<u64> {
        let bit = 1 << (name.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58);
        if self.filter & bit != 0 {
            if let Some(&(_, first)) = self.all.iter().take(Self::FEW).find(|known| is_it(known)) {
                return Some(first);
            }
            if let Some(&first) = self.many.get(&key) {
                return Some(first);
            }
        }
        self.filter |= bit;
        if self.all.len() >= Self::FEW {
            self.many.insert(key, alternate);
        }
        self.all.push((name, alternate));
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_beyond_a_few_are_still_known() {
        let mut names = Names::default();
        for name in 1..1000 {
            assert_eq!(names.insert_name(name, name + 7), None);
        }
        for name in 1..1000 {
            assert_eq!(names.insert_name(name, 0), Some(name + 7));
        }
        names.clear();
        assert_eq!(names.insert_name(5, 1), None);
    }

    #[test]
    fn alternate_locations_have_names_of_their_own() {
        let mut names = Names::default();
        for name in 1..200 {
            assert_eq!((names.insert_alternate(name, 1), names.insert_alternate(name, 2)), (None, None));
        }
        assert_eq!((names.insert_alternate(150, 2), names.insert_alternate(150, 3)), (Some(2), None));
        assert_eq!(names.all()[..3], [(1, 1), (1, 2), (2, 1)]);
    }
}
