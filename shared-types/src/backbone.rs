//! What the kernels of the backbone group read and write of a residue, and the states of secondary structure.

use bytemuck::{Pod, Zeroable};
use core::mem::{align_of, offset_of, size_of};
use cuda_layout::DeviceLayout;

/// Stands in [`RoleAtoms`] where the residue has no such atom.
///
/// ```
/// use shared_types::backbone::{NO_ATOM, RoleAtoms};
///
/// let glycine = RoleAtoms { n: 0, c: 2, o: 3, ..RoleAtoms::NONE };
/// assert_eq!(glycine.beta, NO_ATOM);
/// ```
pub const NO_ATOM: u8 = u8::MAX;

/// Which of a residue's atoms have a part in its dihedral angles and hydrogen bonds, counted from the residue's first
/// atom, or [`NO_ATOM`]. The alpha carbon is known to the batch already.
///
/// Names say it ([`RoleAtoms::assign`]). An amino acid has far fewer than 255 atoms; a residue's atom number 255 and
/// those after it have no role.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Zeroable, Pod, DeviceLayout)]
#[repr(C, align(8))]
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
        && align_of::<RoleAtoms>() == 8
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

    /// The atoms that have a role, counted from the residue's first.
    pub fn indices(&self) -> impl Iterator<Item = u8> {
        let Self { n, c, o, beta, gamma, delta, epsilon, zeta } = *self;
        [n, c, o, beta, gamma, delta, epsilon, zeta].into_iter().filter(|&index| index != NO_ATOM)
    }

    /// Gives the atom `name`, number `index` of its residue, its role if it has one. Atoms come in the file's order.
    ///
    /// Chi angles follow the main branch of the side chain: IUPAC-IUB 1970, Biochemistry 9:3471. The names of all amino
    /// acids go together, for none has an atom that another one's chain would take for its own. `CD` goes before the
    /// hydroxyl `OD1` of hydroxyproline. Selenium is the gamma atom of selenocysteine and the delta atom of
    /// selenomethionine, whose gamma carbon comes before it.
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

/// What the backbone group says of a residue.
///
/// ```
/// use shared_types::backbone::{BackboneRow, SecondaryStructure};
///
/// let row = BackboneRow { phi: -60.0, psi: -45.0, ss: SecondaryStructure::AlphaHelix as u32, ..Default::default() };
/// assert_eq!(SecondaryStructure::of(row.ss).map(SecondaryStructure::letter), Some('H'));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Zeroable, Pod, DeviceLayout)]
#[repr(C, align(8))]
pub struct BackboneRow {
    /// Dihedral C i-1, N, CA, C in degrees, in (-180, 180]; NaN where atoms are missing or the chain breaks.
    pub phi: f32,
    /// Dihedral N, CA, C, N i+1, as `phi`.
    pub psi: f32,
    /// Dihedral CA, C, N i+1, CA i+1, as `phi`.
    pub omega: f32,
    /// Dihedrals of the side chain, as `phi`.
    pub chi: [f32; 4],
    /// Energy in kcal/mol of the strongest hydrogen bond of the residue's N-H; 0 without one, NaN where it cannot be.
    pub hbond_energy_nh: f32,
    /// The same of its C=O.
    pub hbond_energy_co: f32,
    /// A [`SecondaryStructure`], or [`NO_STATE`].
    pub ss: u32,
}

const _: () = assert!(
    size_of::<BackboneRow>() == 40
        && align_of::<BackboneRow>() == 8
        && offset_of!(BackboneRow, phi) == 0
        && offset_of!(BackboneRow, psi) == 4
        && offset_of!(BackboneRow, omega) == 8
        && offset_of!(BackboneRow, chi) == 12
        && offset_of!(BackboneRow, hbond_energy_nh) == 28
        && offset_of!(BackboneRow, hbond_energy_co) == 32
        && offset_of!(BackboneRow, ss) == 36
);

/// Stands for a state where the residue lacks N, CA, C or O.
///
/// An example is at [`SecondaryStructure`].
pub const NO_STATE: u32 = u32::MAX;

/// States of secondary structure: Kabsch and Sander 1983, Biopolymers 22:2577; polyproline helices after Adzhubei and
/// Sternberg 1993, J Mol Biol 229:472.
///
/// ```
/// use shared_types::backbone::{NO_STATE, SecondaryStructure};
///
/// let letters: String = (0..9).filter_map(SecondaryStructure::of).map(SecondaryStructure::letter).collect();
/// assert_eq!(letters, "-HBEGIPTS");
/// assert_eq!(SecondaryStructure::of(NO_STATE), None);
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
    /// All, by their numbers.
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

    /// The state that a number stands for.
    #[must_use]
    pub fn of(code: u32) -> Option<Self> {
        Self::ALL.get(code as usize).copied()
    }

    /// Its letter, as DSSP writes it; `-` for a loop.
    #[must_use]
    pub fn letter(self) -> char {
        match self {
            Self::Loop => '-',
            Self::AlphaHelix => 'H',
            Self::Bridge => 'B',
            Self::Strand => 'E',
            Self::Helix310 => 'G',
            Self::PiHelix => 'I',
            Self::PolyprolineHelix => 'P',
            Self::Turn => 'T',
            Self::Bend => 'S',
        }
    }
}
