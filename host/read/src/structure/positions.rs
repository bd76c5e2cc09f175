//! The atoms of a structure.

use shared_types::Atom;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, OnceLock};

/// Heavy atoms with positions and radii, as a list. A clone shares them until one of both changes them, so packed batches need no copy.
///
/// ```
/// use prism_read::structure::Atoms;
/// use shared_types::Atom;
///
/// let atoms: Atoms = vec![Atom { x: 1.0, y: 2.0, z: 3.0, radius: 1.88 }; 2].into();
/// let mut moved = atoms.clone();
/// moved[1].x = f32::NAN;
/// assert_eq!((atoms[1].x, atoms.are_finite(), moved.are_finite()), (1.0, true, false));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Atoms(Arc<Listed>);

#[derive(Clone, Debug, Default)]
struct Listed {
    atoms: Vec<Atom>,
    /// Kept, because it is asked for again where the atoms are in no cache any more.
    are_finite: OnceLock<bool>,
}

impl Atoms {
    /// Atoms relative to `center`, which is subtracted in double precision, in the memory of those.
    ///
    /// ```
    /// use prism_read::structure::Atoms;
    /// use shared_types::Atom;
    ///
    /// let atoms = vec![Atom { x: 1.0, y: 2.0, z: 3.0, radius: 1.88 }; 2];
    /// let moved = Atoms::relative_to([0.5, 2.0, -1.0], atoms);
    /// assert_eq!(moved[1], Atom { x: 0.5, y: 0.0, z: 4.0, radius: 1.88 });
    /// ```
    #[must_use]
    pub fn relative_to(center: [f64; 3], mut atoms: Vec<Atom>) -> Self {
        let [x, y, z] = center;
        let from = [x, y, z, 0.0];
        // Zeros, unless a number is not finite.
        let mut zeros = [0.0_f32; 4];
        for atom in bytemuck::cast_slice_mut::<Atom, [f32; 4]>(&mut atoms) {
            *atom = std::array::from_fn(|axis| (f64::from(atom[axis]) - from[axis]) as f32);
            zeros = std::array::from_fn(|axis| zeros[axis] + atom[axis] * 0.0);
        }
        Self(Arc::new(Listed { atoms, are_finite: OnceLock::from(zeros == [0.0; 4]) }))
    }

    /// Whether all positions and radii are finite.
    #[must_use]
    pub fn are_finite(&self) -> bool {
        let numbers = || bytemuck::cast_slice::<Atom, f32>(self);
        // Without branches, so that several numbers are checked at a time.
        *self.0.are_finite.get_or_init(|| numbers().iter().fold(true, |all, number| all & number.is_finite()))
    }
}

impl Deref for Atoms {
    type Target = Vec<Atom>;

    #[inline]
    fn deref(&self) -> &Vec<Atom> {
        &self.0.atoms
    }
}

impl DerefMut for Atoms {
    /// The atoms to change; this list gets its own if it shares them.
    fn deref_mut(&mut self) -> &mut Vec<Atom> {
        let own = Arc::make_mut(&mut self.0);
        own.are_finite = OnceLock::new();
        &mut own.atoms
    }
}

impl From<Vec<Atom>> for Atoms {
    fn from(atoms: Vec<Atom>) -> Self {
        Self(Arc::new(Listed { atoms, are_finite: OnceLock::new() }))
    }
}

impl<const N: usize> From<[Atom; N]> for Atoms {
    fn from(atoms: [Atom; N]) -> Self {
        Vec::from(atoms).into()
    }
}

impl FromIterator<Atom> for Atoms {
    fn from_iter<I: IntoIterator<Item = Atom>>(atoms: I) -> Self {
        Vec::from_iter(atoms).into()
    }
}

impl<'a> IntoIterator for &'a Atoms {
    type Item = &'a Atom;
    type IntoIter = std::slice::Iter<'a, Atom>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'a> IntoIterator for &'a mut Atoms {
    type Item = &'a mut Atom;
    type IntoIter = std::slice::IterMut<'a, Atom>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

impl PartialEq for Atoms {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_seen_here_alone() {
        let atom = Atom { x: 1.0, y: 2.0, z: 3.0, radius: 1.88 };
        let whole = Atoms::from(vec![atom; 3]);
        assert!(whole.are_finite());
        let mut changed = whole.clone();
        assert_eq!(whole.as_ptr(), changed.as_ptr());
        changed[2].radius = f32::INFINITY;
        assert!(whole.are_finite() && !changed.are_finite() && whole != changed);
        changed[2].radius = atom.radius;
        assert!(changed.are_finite() && whole == changed && whole.as_ptr() != changed.as_ptr());
    }
}
