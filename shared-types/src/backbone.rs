//! The residue data that backbone kernels read, and the states of secondary structure.

use bytemuck::{Pod, Zeroable};
use core::mem::{align_of, offset_of, size_of};

/// Marks an absent atom in [`RoleAtoms`].
///
/// ```
/// use shared_types::backbone::{NO_ATOM, RoleAtoms};
///
/// let glycine = RoleAtoms { n: 0, c: 2, o: 3, ..RoleAtoms::NONE };
/// assert_eq!(glycine.beta, NO_ATOM);
/// ```
pub const NO_ATOM: u8 = u8::MAX;

/// [`RoleAtoms::NONE`] as two words. See [`RoleAtoms::words`] for an example.
pub const NO_ROLES: [u32; 2] = RoleAtoms::NONE.words();

/// Marks a residue whose bonds close no cyclic chain.
///
/// ```
/// use shared_types::backbone::NOT_CLOSED;
///
/// // Rows 0 and 4 are the ends of a cyclic chain of five residues.
/// let closures = [4, NOT_CLOSED, NOT_CLOSED, NOT_CLOSED, 0];
/// assert!(closures.iter().all(|&row| row == NOT_CLOSED || row < 5));
/// ```
pub const NOT_CLOSED: u32 = u32::MAX;

/// The atoms of a residue that define its dihedral angles and hydrogen bonds, counted from its first atom, or [`NO_ATOM`].
/// The alpha carbon is stored elsewhere in the batch.
///
/// The atom names determine the roles ([`RoleAtoms::assign`]). An amino acid has far fewer than 255 atoms; atoms from index
/// 255 on get no role.
///
/// Structures and batches store it as two words ([`RoleAtoms::words`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroable, Pod)]
#[repr(C)]
pub struct RoleAtoms {
    /// N.
    pub n: u8,
    /// C.
    pub c: u8,
    /// O.
    pub o: u8,
    /// CB.
    pub beta: u8,
    /// Fourth atom of chi1.
    pub gamma: u8,
    /// Fourth atom of chi2.
    pub delta: u8,
    /// Fourth atom of chi3.
    pub epsilon: u8,
    /// Fourth atom of chi4.
    pub zeta: u8,
}

const _: () = assert!(
    size_of::<RoleAtoms>() == 8
        && align_of::<RoleAtoms>() == 1
        && offset_of!(RoleAtoms, n) == 0
        && offset_of!(RoleAtoms, c) == 1
        && offset_of!(RoleAtoms, o) == 2
        && offset_of!(RoleAtoms, beta) == 3
        && offset_of!(RoleAtoms, gamma) == 4
        && offset_of!(RoleAtoms, delta) == 5
        && offset_of!(RoleAtoms, epsilon) == 6
        && offset_of!(RoleAtoms, zeta) == 7
);

impl RoleAtoms {
    /// No atom has a role.
    pub const NONE: Self = Self {
        n: NO_ATOM,
        c: NO_ATOM,
        o: NO_ATOM,
        beta: NO_ATOM,
        gamma: NO_ATOM,
        delta: NO_ATOM,
        epsilon: NO_ATOM,
        zeta: NO_ATOM,
    };

    /// Packs it into two words: one byte per role, in the order of the fields, the first in the lowest byte.
    ///
    /// ```
    /// use shared_types::backbone::{NO_ROLES, RoleAtoms};
    ///
    /// let roles = RoleAtoms { n: 0, c: 2, o: 3, ..RoleAtoms::NONE };
    /// assert_eq!(roles.words(), [0xff03_0200, 0xffff_ffff]);
    /// assert_eq!(RoleAtoms::of_words(roles.words()), roles);
    /// assert_eq!(RoleAtoms::NONE.words(), NO_ROLES);
    /// ```
    #[inline]
    #[must_use]
    pub const fn words(self) -> [u32; 2] {
        [
            u32::from_le_bytes([self.n, self.c, self.o, self.beta]),
            u32::from_le_bytes([self.gamma, self.delta, self.epsilon, self.zeta]),
        ]
    }

    /// Unpacks the result of [`words`](Self::words).
    #[inline]
    #[must_use]
    pub const fn of_words([low, high]: [u32; 2]) -> Self {
        let ([n, c, o, beta], [gamma, delta, epsilon, zeta]) = (low.to_le_bytes(), high.to_le_bytes());
        Self { n, c, o, beta, gamma, delta, epsilon, zeta }
    }

    /// The atoms that have a role, counted from the residue's first.
    pub fn indices(&self) -> impl Iterator<Item = u8> {
        let Self { n, c, o, beta, gamma, delta, epsilon, zeta } = *self;
        [n, c, o, beta, gamma, delta, epsilon, zeta].into_iter().filter(|&index| index != NO_ATOM)
    }

    /// Assigns a role to the residue's atom number `index` if its `name` has one. Atoms come in the file's order.
    ///
    /// Chi angles follow the main branch of the side chain: IUPAC-IUB 1970, Biochemistry 9:3471. One table serves all amino
    /// acids, because their names do not conflict. `CD` takes precedence over the hydroxyl `OD1` of hydroxyproline.
    /// Selenium is the gamma atom of selenocysteine and the delta atom of selenomethionine, whose gamma carbon comes before
    /// it.
    ///
    /// ```
    /// use shared_types::backbone::{NO_ATOM, RoleAtoms};
    ///
    /// let mut roles = RoleAtoms::NONE;
    /// for (index, name) in ["N", "CA", "C", "O", "CB", "CG1", "CG2", "CD1"].into_iter().enumerate() {
    ///     roles.assign(index, name.as_bytes());
    /// }
    /// // Isoleucine has two chi angles.
    /// assert_eq!([roles.n, roles.c, roles.beta, roles.gamma, roles.delta, roles.epsilon], [0, 2, 4, 5, 7, NO_ATOM]);
    /// ```
    pub fn assign(&mut self, index: usize, name: &[u8]) {
        let at = match u8::try_from(index) {
            Ok(at) if at != NO_ATOM => at,
            _ => return,
        };
        let role = match name {
            b"N" => &mut self.n,
            b"C" => &mut self.c,
            b"O" => &mut self.o,
            b"CB" => &mut self.beta,
            b"CG" | b"CG1" | b"SG" | b"OG" | b"OG1" => &mut self.gamma,
            b"SE" if self.gamma == NO_ATOM => &mut self.gamma,
            b"CD" => {
                self.delta = at;
                return;
            }
            b"CD1" | b"SD" | b"SE" | b"OD1" | b"ND1" => &mut self.delta,
            b"NE" | b"OE1" | b"CE" => &mut self.epsilon,
            b"CZ" | b"NZ" => &mut self.zeta,
            _ => return,
        };
        if *role == NO_ATOM {
            *role = at;
        }
    }
}

/// States of secondary structure: Kabsch and Sander 1983, Biopolymers 22:2577. Polyproline helices: Adzhubei and Sternberg
/// 1993, J Mol Biol 229:472.
///
/// ```
/// use shared_types::backbone::SecondaryStructure;
///
/// let letters: String = (0..9).map(|state| SecondaryStructure::letter(state as f32)).collect();
/// assert_eq!(letters, "-HBEGIPTS");
/// assert_eq!(SecondaryStructure::of(1.0), Some(SecondaryStructure::AlphaHelix));
/// assert_eq!((SecondaryStructure::of(f32::NAN), SecondaryStructure::letter(f32::NAN)), (None, ""));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u32)]
pub enum SecondaryStructure {
    /// None of the others.
    Loop = 0,
    /// Alpha helix.
    AlphaHelix = 1,
    /// A single bridge of a beta sheet.
    Bridge = 2,
    /// Strand of a ladder of a beta sheet.
    Strand = 3,
    /// 3-10 helix.
    Helix310 = 4,
    /// Pi helix.
    PiHelix = 5,
    /// Polyproline II helix.
    PolyprolineHelix = 6,
    /// Turn closed by a hydrogen bond.
    Turn = 7,
    /// Bend.
    Bend = 8,
}

impl SecondaryStructure {
    /// All states, by number.
    pub const ALL: [Self; 9] = [
        Self::Loop,
        Self::AlphaHelix,
        Self::Bridge,
        Self::Strand,
        Self::Helix310,
        Self::PiHelix,
        Self::PolyprolineHelix,
        Self::Turn,
        Self::Bend,
    ];

    /// The state that a number in a row represents. A residue without N, CA, C or O has NaN and no state.
    #[must_use]
    pub fn of(value: f32) -> Option<Self> {
        Self::ALL.into_iter().find(|state| *state as u32 as f32 == value)
    }

    /// The letter of a state as in DSSP: `-` for a loop, empty without a state.
    #[must_use]
    pub fn letter(value: f32) -> &'static str {
        const LETTERS: [&str; 9] = ["-", "H", "B", "E", "G", "I", "P", "T", "S"];
        Self::of(value).map_or("", |state| LETTERS[state as usize])
    }
}
