//! The atoms of a nucleotide that its torsions need, and the names of sugar puckers.

use bytemuck::{Pod, Zeroable};
use core::mem::{align_of, offset_of, size_of};

/// Marks an absent atom in [`NucleotideAtoms`].
///
/// ```
/// use shared_types::nucleotide::{ABSENT, NucleotideAtoms};
///
/// // A 5' end without phosphate.
/// let end = NucleotideAtoms { o5: 0, c5: 1, ..NucleotideAtoms::NONE };
/// assert_eq!(end.p, ABSENT);
/// ```
pub const ABSENT: u8 = u8::MAX;

/// [`NucleotideAtoms::NONE`] as three words: a residue that is no nucleotide. See [`NucleotideAtoms::words`] for an example.
pub const NO_NUCLEOTIDE: [u32; 3] = NucleotideAtoms::NONE.words();

/// The atoms of a nucleotide that define its torsions, counted from its first atom, or [`ABSENT`]. C1' is stored elsewhere in the batch,
/// in the place of an alpha carbon.
///
/// Structures and batches store it as three words ([`NucleotideAtoms::words`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroable, Pod)]
#[repr(C)]
pub struct NucleotideAtoms {
    /// P.
    pub p: u8,
    /// O5'.
    pub o5: u8,
    /// C5'.
    pub c5: u8,
    /// C4'.
    pub c4: u8,
    /// C3'.
    pub c3: u8,
    /// O3'.
    pub o3: u8,
    /// C2'.
    pub c2: u8,
    /// O4'.
    pub o4: u8,
    /// The atom of the base that binds C1': N9 of purines, N1 of pyrimidines, C5 of pseudouridine.
    pub base: u8,
    /// The fourth atom of chi: C4 of purines and of pseudouridine, C2 of pyrimidines.
    pub chi: u8,
    /// Zero.
    pub pad: [u8; 2],
}

const _: () = assert!(
    size_of::<NucleotideAtoms>() == 12
        && align_of::<NucleotideAtoms>() == 1
        && offset_of!(NucleotideAtoms, p) == 0
        && offset_of!(NucleotideAtoms, o5) == 1
        && offset_of!(NucleotideAtoms, c5) == 2
        && offset_of!(NucleotideAtoms, c4) == 3
        && offset_of!(NucleotideAtoms, c3) == 4
        && offset_of!(NucleotideAtoms, o3) == 5
        && offset_of!(NucleotideAtoms, c2) == 6
        && offset_of!(NucleotideAtoms, o4) == 7
        && offset_of!(NucleotideAtoms, base) == 8
        && offset_of!(NucleotideAtoms, chi) == 9
        && offset_of!(NucleotideAtoms, pad) == 10
);

impl NucleotideAtoms {
    /// No atom.
    pub const NONE: Self = Self {
        p: ABSENT,
        o5: ABSENT,
        c5: ABSENT,
        c4: ABSENT,
        c3: ABSENT,
        o3: ABSENT,
        c2: ABSENT,
        o4: ABSENT,
        base: ABSENT,
        chi: ABSENT,
        pad: [0; 2],
    };

    /// Packs it into three words: one byte per atom, in the order of the fields, the first in the lowest byte.
    ///
    /// ```
    /// use shared_types::nucleotide::{NO_NUCLEOTIDE, NucleotideAtoms};
    ///
    /// let atoms = NucleotideAtoms { p: 0, o5: 3, c5: 4, c4: 5, ..NucleotideAtoms::NONE };
    /// assert_eq!(atoms.words(), [0x0504_0300, 0xffff_ffff, 0x0000_ffff]);
    /// assert_eq!(NucleotideAtoms::of_words(atoms.words()), atoms);
    /// assert_eq!(NucleotideAtoms::NONE.words(), NO_NUCLEOTIDE);
    /// ```
    #[inline]
    #[must_use]
    pub const fn words(self) -> [u32; 3] {
        [
            u32::from_le_bytes([self.p, self.o5, self.c5, self.c4]),
            u32::from_le_bytes([self.c3, self.o3, self.c2, self.o4]),
            u32::from_le_bytes([self.base, self.chi, 0, 0]),
        ]
    }

    /// Unpacks the result of [`words`](Self::words).
    #[inline]
    #[must_use]
    pub const fn of_words([low, middle, high]: [u32; 3]) -> Self {
        let ([p, o5, c5, c4], [c3, o3, c2, o4]) = (low.to_le_bytes(), middle.to_le_bytes());
        let [base, chi, ..] = high.to_le_bytes();
        Self { p, o5, c5, c4, c3, o3, c2, o4, base, chi, pad: [0; 2] }
    }

    /// The atoms that are there, counted from the residue's first.
    pub fn indices(&self) -> impl Iterator<Item = u8> {
        let Self { p, o5, c5, c4, c3, o3, c2, o4, base, chi, .. } = *self;
        [p, o5, c5, c4, c3, o3, c2, o4, base, chi].into_iter().filter(|&index| index != ABSENT)
    }

    /// The place of an atom by its name, if it is one of phosphate or sugar.
    ///
    /// ```
    /// use shared_types::nucleotide::NucleotideAtoms;
    ///
    /// let mut atoms = NucleotideAtoms::NONE;
    /// *atoms.of_name(b"O3'").unwrap() = 7;
    /// assert_eq!((atoms.o3, atoms.of_name(b"N1")), (7, None));
    /// ```
    pub fn of_name(&mut self, name: &[u8]) -> Option<&mut u8> {
        match name {
            b"P" => Some(&mut self.p),
            b"O5'" => Some(&mut self.o5),
            b"C5'" => Some(&mut self.c5),
            b"C4'" => Some(&mut self.c4),
            b"C3'" => Some(&mut self.c3),
            b"O3'" => Some(&mut self.o3),
            b"C2'" => Some(&mut self.c2),
            b"O4'" => Some(&mut self.o4),
            _ => None,
        }
    }
}

/// The names of sugar puckers, each for 36 degrees of the phase of pseudorotation, from 0 on.
///
/// ```
/// use shared_types::nucleotide::{PUCKERS, pucker};
///
/// assert_eq!((PUCKERS[0], PUCKERS[4]), ("C3'-endo", "C2'-endo"));
/// assert_eq!((pucker(4.0), pucker(f32::NAN)), ("C2'-endo", ""));
/// ```
pub const PUCKERS: [&str; 10] =
    ["C3'-endo", "C4'-exo", "O4'-endo", "C1'-exo", "C2'-endo", "C3'-exo", "C4'-endo", "O4'-exo", "C1'-endo", "C2'-exo"];

/// The name of a pucker by its number; empty for NaN and other numbers. See [`PUCKERS`] for an example.
#[must_use]
pub fn pucker(number: f32) -> &'static str {
    let is_one = number >= 0.0 && number < PUCKERS.len() as f32;
    if is_one { PUCKERS[number as usize] } else { "" }
}
