//! The class of an atom, which selects its weights: found from its residue, its radius, and its distance to the alpha
//! carbon.

use shared_types::RESIDUES;

/// The number of a residue, at compile time.
const fn kind(name: &str) -> u32 {
    let mut i = 0;
    while i < RESIDUES.len() {
        let (own, name) = (RESIDUES[i].name.as_bytes(), name.as_bytes());
        if own[0] == name[0] && own[1] == name[1] && own[2] == name[2] {
            return i as u32;
        }
        i += 1;
    }
    panic!("not a standard residue");
}

/// One bit per residue.
const fn kinds(names: &[&str]) -> u32 {
    let (mut bits, mut i) = (0, 0);
    while i < names.len() {
        bits |= 1 << kind(names[i]);
        i += 1;
    }
    bits
}

const ACIDS: u32 = kinds(&["ASP", "GLU"]);
const AMIDES: u32 = kinds(&["ASN", "GLN"]);
const BASES: u32 = kinds(&["LYS", "ARG"]);
const RINGS: u32 = kinds(&["PHE", "TYR", "TRP", "HIS"]);
const HIS: u32 = kinds(&["HIS"]);
const TRP: u32 = kinds(&["TRP"]);

/// Radii in Å that distinguish atoms: see `shared_types::radii`.
const SULFUR: f32 = 1.77;
const BARE_CARBON: f32 = 1.61;
const AROMATIC_CARBON: f32 = 1.76;
const CARBON: f32 = 1.88;
const NITROGEN: f32 = 1.64;
const CARBONYL_OXYGEN: f32 = 1.42;
const OXYGEN: f32 = 1.46;

/// Limits of the squared distance in Å^2 from the alpha carbon: of itself, of atoms bonded to it, and of its own carbonyl's
/// oxygen. That is 2.4 Å away; oxygens of side chains with the same radius are at least 2.8 Å away.
const ITSELF: f32 = 0.1 * 0.1;
const BONDED: f32 = 2.0 * 2.0;
const CARBONYL: f32 = 2.6 * 2.6;

/// The class of an atom of a residue of a kind: an index into a row of [`shared_types::site_model::WEIGHTS`].
/// `from_alpha` is its squared distance from the residue's alpha carbon in Å^2, infinite if there is none.
#[inline(always)]
pub fn class(kind: u32, radius: f32, from_alpha: f32) -> u32 {
    let is_of = |kinds: u32| kinds >> (kind & 31) & 1 == 1;
    if radius == SULFUR {
        6
    } else if radius == BARE_CARBON || radius == AROMATIC_CARBON || radius == CARBON {
        if from_alpha < ITSELF {
            1
        } else if radius == BARE_CARBON && from_alpha < BONDED {
            2
        } else if radius == AROMATIC_CARBON || radius == BARE_CARBON && is_of(RINGS) {
            5
        } else if radius == BARE_CARBON {
            14
        } else {
            4
        }
    } else if radius == NITROGEN {
        if from_alpha < BONDED {
            0
        } else if is_of(BASES) {
            11
        } else if is_of(HIS) {
            12
        } else if is_of(TRP) {
            13
        } else if is_of(AMIDES) {
            10
        } else {
            0
        }
    } else if radius == CARBONYL_OXYGEN || radius == OXYGEN {
        if radius == CARBONYL_OXYGEN && (!is_of(ACIDS | AMIDES) || from_alpha < CARBONYL) {
            3
        } else if is_of(ACIDS) {
            8
        } else if is_of(AMIDES) {
            9
        } else {
            7
        }
    } else {
        4
    }
}
