//! The atoms of a structure.

use shared_types::Atom;
use std::any::Any;
use std::fmt::{self, Debug, Formatter};
use std::ops::{Deref, DerefMut, Range};
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
/// moved.to_mut().truncate(2);
/// assert_eq!((atoms[1].x, atoms.are_finite(), moved.are_finite()), (1.0, true, false));
/// ```
#[derive(Clone, Default)]
pub struct Atoms(Arc<Listed>);

impl Debug for Atoms {
    /// The atoms alone: equal lists have the same text.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

#[derive(Clone, Default)]
struct Listed {
    atoms: Stored,
    /// Kept, because it is asked for again where the atoms are in no cache any more.
    are_finite: OnceLock<bool>,
}

#[derive(Clone)]
enum Stored {
    Own(Vec<Atom>),
    /// Some of the atoms in memory that others have, too.
    Lent(Arc<dyn AtomMemory>, Range<usize>),
}

impl Default for Stored {
    fn default() -> Self {
        Self::Own(Vec::new())
    }
}

/// Memory with atoms of one or several structures that do not change any more, such as page-locked memory, from which devices copy.
/// [`Atoms::lent`] makes lists of them.
pub trait AtomMemory: Any + Debug + Send + Sync {
    /// All of them.
    fn atoms(&self) -> &[Atom];
}

impl Atoms {
    /// The atoms in a part of some memory. That all positions and radii are finite is known, as [`move_to`] finds it. The first change
    /// copies them from there.
    ///
    /// ```
    /// use prism_read::structure::{AtomMemory, Atoms};
    /// use shared_types::Atom;
    /// use std::sync::Arc;
    ///
    /// #[derive(Debug)]
    /// struct Shared([Atom; 3]);
    ///
    /// impl AtomMemory for Shared {
    ///     fn atoms(&self) -> &[Atom] {
    ///         &self.0
    ///     }
    /// }
    ///
    /// let memory = Arc::new(Shared([Atom { x: 1.0, y: 2.0, z: 3.0, radius: 1.88 }; 3]));
    /// let mut atoms = Atoms::lent(memory.clone(), 1..3);
    /// assert!(atoms.len() == 2 && atoms.as_ptr() == memory.0[1..].as_ptr());
    /// atoms[0].x = 5.0;
    /// assert!(memory.0[1].x == 1.0 && atoms[0].x == 5.0 && atoms.memory().is_none());
    /// ```
    ///
    /// # Panics
    /// If there are no such atoms.
    #[must_use]
    pub fn lent(memory: Arc<dyn AtomMemory>, range: Range<usize>) -> Self {
        assert!(
            memory.atoms().get(range.clone()).is_some(),
            "memory with {} atoms has no {range:?}",
            memory.atoms().len()
        );
        Self(Arc::new(Listed { atoms: Stored::Lent(memory, range), are_finite: OnceLock::from(true) }))
    }

    /// The memory in which they lie, and where, if it belongs to others, too.
    #[must_use]
    pub fn memory(&self) -> Option<(&Arc<dyn AtomMemory>, Range<usize>)> {
        match &self.0.atoms {
            Stored::Own(_) => None,
            Stored::Lent(memory, range) => Some((memory, range.clone())),
        }
    }

    /// The atoms to change; this list gets its own if it shares them.
    pub fn to_mut(&mut self) -> &mut Vec<Atom> {
        let own = Arc::make_mut(&mut self.0);
        own.are_finite = OnceLock::new();
        if let Stored::Lent(memory, range) = &own.atoms {
            own.atoms = Stored::Own(memory.atoms()[range.clone()].to_vec());
        }
        match &mut own.atoms {
            Stored::Own(atoms) => atoms,
            Stored::Lent(..) => unreachable!("they were copied"),
        }
    }

    /// Atoms of which it is known that all positions and radii are finite, as [`move_to`] finds it.
    #[must_use]
    pub fn of_finite(atoms: Vec<Atom>) -> Self {
        Self(Arc::new(Listed { atoms: Stored::Own(atoms), are_finite: OnceLock::from(true) }))
    }

    /// Whether all positions and radii are finite.
    #[must_use]
    pub fn are_finite(&self) -> bool {
        let numbers = || bytemuck::cast_slice::<Atom, f32>(self);
        // Without branches, so that several numbers are checked at a time.
        *self.0.are_finite.get_or_init(|| numbers().iter().fold(true, |all, number| all & number.is_finite()))
    }
}

/// Subtracts `center` from positions, in double precision. Returns whether all positions and radii are finite.
///
/// ```
/// use prism_read::structure::move_to;
/// use shared_types::Atom;
///
/// let mut atoms = [Atom { x: 1.0, y: 2.0, z: 3.0, radius: 1.88 }; 2];
/// assert!(move_to([0.5, 2.0, -1.0], &mut atoms));
/// assert_eq!(atoms[1], Atom { x: 0.5, y: 0.0, z: 4.0, radius: 1.88 });
/// assert!(!move_to([0.0, f64::NAN, 0.0], &mut atoms));
/// ```
pub fn move_to(center: [f64; 3], atoms: &mut [Atom]) -> bool {
    let [x, y, z] = center;
    let from = [x, y, z, 0.0];
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx") {
        // SAFETY: the processor has the instructions.
        return unsafe { x86::move_to(from, atoms) };
    }
    // Zeros, unless a number is not finite.
    let mut zeros = [0.0_f32; 4];
    for atom in bytemuck::cast_slice_mut::<Atom, [f32; 4]>(atoms) {
        *atom = std::array::from_fn(|axis| (f64::from(atom[axis]) - from[axis]) as f32);
        zeros = std::array::from_fn(|axis| zeros[axis] + atom[axis] * 0.0);
    }
    zeros == [0.0; 4]
}

/// As [`move_to`], but puts the moved atoms into other memory, which is not read soon: they go past the caches, where others are left.
///
/// ```
/// use prism_read::structure::move_past_caches;
/// use shared_types::Atom;
///
/// let (atoms, mut moved) = ([Atom { x: 1.0, y: 2.0, z: 3.0, radius: 1.88 }; 2], [Atom::default(); 2]);
/// assert!(move_past_caches([0.5, 2.0, -1.0], &atoms, &mut moved));
/// assert_eq!(moved[1], Atom { x: 0.5, y: 0.0, z: 4.0, radius: 1.88 });
/// assert!(!move_past_caches([0.0, f64::NAN, 0.0], &atoms, &mut moved));
/// ```
///
/// # Panics
/// If there is not as much room as there are atoms.
pub fn move_past_caches(center: [f64; 3], atoms: &[Atom], to: &mut [Atom]) -> bool {
    assert_eq!(atoms.len(), to.len(), "room for each atom");
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx") {
        let [x, y, z] = center;
        // SAFETY: the processor has the instructions.
        return unsafe { x86::move_past_caches([x, y, z, 0.0], atoms, to) };
    }
    to.copy_from_slice(atoms);
    move_to(center, to)
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use shared_types::Atom;
    use std::arch::x86_64::{
        __m128, __m256d, _mm_add_ps, _mm_mul_ps, _mm_setzero_ps, _mm_sfence, _mm_stream_ps, _mm256_cvtpd_ps,
        _mm256_cvtps_pd, _mm256_sub_pd,
    };

    /// An atom at a time, which the compiler's vectors take in halves.
    #[target_feature(enable = "avx")]
    pub(super) fn move_to(from: [f64; 4], atoms: &mut [Atom]) -> bool {
        let mut moved = Moved::from(from);
        for atom in atoms {
            *atom = bytemuck::cast(moved.next(*atom));
        }
        moved.are_finite()
    }

    #[target_feature(enable = "avx")]
    pub(super) fn move_past_caches(from: [f64; 4], atoms: &[Atom], to: &mut [Atom]) -> bool {
        let mut moved = Moved::from(from);
        for (atom, to) in atoms.iter().zip(to) {
            let moved = moved.next(*atom);
            // SAFETY: an atom is 16 bytes, and aligned to as many.
            unsafe { _mm_stream_ps((&raw mut *to).cast(), moved) };
        }
        // Such stores are not in order with others, by which another thread may learn of them.
        _mm_sfence();
        moved.are_finite()
    }

    struct Moved {
        from: __m256d,
        /// Zeros, unless a number is not finite.
        zeros: __m128,
    }

    impl Moved {
        #[target_feature(enable = "avx")]
        #[inline]
        fn from(from: [f64; 4]) -> Self {
            Self { from: bytemuck::cast(from), zeros: _mm_setzero_ps() }
        }

        #[target_feature(enable = "avx")]
        #[inline]
        fn next(&mut self, atom: Atom) -> __m128 {
            let at: __m128 = bytemuck::cast(atom);
            let moved = _mm256_cvtpd_ps(_mm256_sub_pd(_mm256_cvtps_pd(at), self.from));
            self.zeros = _mm_add_ps(self.zeros, _mm_mul_ps(moved, _mm_setzero_ps()));
            moved
        }

        #[target_feature(enable = "avx")]
        #[inline]
        fn are_finite(&self) -> bool {
            bytemuck::cast::<_, [f32; 4]>(self.zeros) == [0.0; 4]
        }
    }
}

impl Deref for Atoms {
    type Target = [Atom];

    #[inline]
    fn deref(&self) -> &[Atom] {
        match &self.0.atoms {
            Stored::Own(atoms) => atoms,
            Stored::Lent(memory, range) => &memory.atoms()[range.clone()],
        }
    }
}

impl DerefMut for Atoms {
    /// The atoms to change; this list gets its own if it shares them.
    fn deref_mut(&mut self) -> &mut [Atom] {
        self.to_mut()
    }
}

impl From<Vec<Atom>> for Atoms {
    fn from(atoms: Vec<Atom>) -> Self {
        Self(Arc::new(Listed { atoms: Stored::Own(atoms), are_finite: OnceLock::new() }))
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
        let before = format!("{whole:?}");
        assert!(whole.are_finite());
        assert_eq!(format!("{whole:?}"), before);
        let mut changed = whole.clone();
        assert_eq!(whole.as_ptr(), changed.as_ptr());
        changed[2].radius = f32::INFINITY;
        assert!(whole.are_finite() && !changed.are_finite() && whole != changed);
        changed[2].radius = atom.radius;
        assert!(changed.are_finite() && whole == changed && whole.as_ptr() != changed.as_ptr());
    }
}
