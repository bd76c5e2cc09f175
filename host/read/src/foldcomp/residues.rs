//! The atoms of residues other than N, CA and C, and how each is placed.

use super::geometry::{Point, Turn, place};
use std::sync::LazyLock;

/// How an atom is placed: three earlier atoms of the residue, the bond length (Å) from the third, and the angle.
pub(super) struct Placed {
    name: &'static str,
    from: [usize; 3],
    length: f32,
    angle: Turn,
}

/// A type of residue.
pub(super) struct Residue {
    pub(super) name: &'static str,
    /// Its atoms after N, CA and C, in the order of their torsions.
    pub(super) side: Vec<Placed>,
}

/// Atom name, indices of three earlier atoms (N, CA and C come first), length (Å) and angle (degrees). These are the
/// format's own constants.
type Row = (&'static str, [usize; 3], f32, f32);

/// Residues by code.
const RESIDUES: [(&str, &[Row]); 20] = [
    ("ALA", &[("O", [0, 1, 2], 1.23, 120.31), ("CB", [3, 2, 1], 1.52, 110.852)]),
    (
        "ARG",
        &[
            ("O", [0, 1, 2], 1.23, 119.745),
            ("CB", [3, 2, 1], 1.53, 110.579),
            ("CG", [0, 1, 4], 1.53, 113.233),
            ("CD", [1, 4, 5], 1.52, 110.787),
            ("NE", [4, 5, 6], 1.46, 111.919),
            ("CZ", [5, 6, 7], 1.32, 125.192),
            ("NH1", [6, 7, 8], 1.31, 120.077),
            ("NH2", [6, 7, 8], 1.31, 120.077),
        ],
    ),
    (
        "ASN",
        &[
            ("O", [0, 1, 2], 1.23, 120.313),
            ("CB", [3, 2, 1], 1.52, 110.852),
            ("CG", [0, 1, 4], 1.52, 113.232),
            ("OD1", [1, 4, 5], 1.23, 120.85),
            ("ND2", [1, 4, 5], 1.325, 116.48),
        ],
    ),
    (
        "ASP",
        &[
            ("O", [0, 1, 2], 1.23, 121.051),
            ("CB", [3, 2, 1], 1.53, 110.871),
            ("CG", [0, 1, 4], 1.52, 113.232),
            ("OD1", [1, 4, 5], 1.248, 118.344),
            ("OD2", [1, 4, 5], 1.248, 118.344),
        ],
    ),
    ("CYS", &[("O", [0, 1, 2], 1.23, 120.063), ("CB", [3, 2, 1], 1.53, 111.078), ("SG", [0, 1, 4], 1.8, 113.817)]),
    (
        "GLN",
        &[
            ("O", [0, 1, 2], 1.23, 120.211),
            ("CB", [3, 2, 1], 1.53, 109.5),
            ("CG", [0, 1, 4], 1.52, 113.292),
            ("CD", [1, 4, 5], 1.52, 112.811),
            ("OE1", [4, 5, 6], 1.23, 121.844),
            ("NE2", [4, 5, 6], 1.32, 116.5),
        ],
    ),
    (
        "GLU",
        &[
            ("O", [0, 1, 2], 1.23, 120.594),
            ("CB", [3, 2, 1], 1.53, 110.538),
            ("CG", [0, 1, 4], 1.52, 113.82),
            ("CD", [1, 4, 5], 1.52, 112.912),
            ("OE1", [4, 5, 6], 1.25, 118.479),
            ("OE2", [4, 5, 6], 1.25, 118.479),
        ],
    ),
    ("GLY", &[("O", [0, 1, 2], 1.23, 120.522)]),
    (
        "HIS",
        &[
            ("O", [0, 1, 2], 1.23, 120.548),
            ("CB", [3, 2, 1], 1.53, 111.329),
            ("CG", [0, 1, 4], 1.5, 113.468),
            ("ND1", [1, 4, 5], 1.38, 122.85),
            ("CD2", [1, 4, 5], 1.36, 130.61),
            ("CE1", [4, 5, 6], 1.33, 108.589),
            ("NE2", [4, 5, 7], 1.38, 107.439),
        ],
    ),
    (
        "ILE",
        &[
            ("O", [0, 1, 2], 1.235, 120.393),
            ("CB", [3, 2, 1], 1.54, 111.983),
            ("CG1", [0, 1, 4], 1.53, 110.5),
            ("CG2", [0, 1, 4], 1.52, 110.5),
            ("CD1", [1, 4, 5], 1.51, 113.97),
        ],
    ),
    (
        "LEU",
        &[
            ("O", [0, 1, 2], 1.235, 120.211),
            ("CB", [3, 2, 1], 1.53, 110.418),
            ("CG", [0, 1, 4], 1.53, 116.1),
            ("CD1", [1, 4, 5], 1.52, 110.58),
            ("CD2", [1, 4, 5], 1.52, 110.58),
        ],
    ),
    (
        "LYS",
        &[
            ("O", [0, 1, 2], 1.23, 120.54),
            ("CB", [3, 2, 1], 1.53, 109.5),
            ("CG", [0, 1, 4], 1.52, 113.83),
            ("CD", [1, 4, 5], 1.52, 111.79),
            ("CE", [4, 5, 6], 1.52, 111.79),
            ("NZ", [5, 6, 7], 1.49, 112.25),
        ],
    ),
    (
        "MET",
        &[
            ("O", [0, 1, 2], 1.23, 120.148),
            ("CB", [3, 2, 1], 1.53, 110.833),
            ("CG", [0, 1, 4], 1.52, 113.68),
            ("SD", [1, 4, 5], 1.8, 112.773),
            ("CE", [4, 5, 6], 1.79, 100.61),
        ],
    ),
    (
        "PHE",
        &[
            ("O", [0, 1, 2], 1.23, 120.283),
            ("CB", [3, 2, 1], 1.53, 110.846),
            ("CG", [0, 1, 4], 1.51, 114.0),
            ("CD1", [1, 4, 5], 1.385, 120.0),
            ("CD2", [1, 4, 5], 1.385, 120.0),
            ("CE1", [4, 5, 6], 1.385, 120.0),
            ("CE2", [4, 5, 7], 1.385, 120.0),
            ("CZ", [5, 6, 8], 1.385, 120.0),
        ],
    ),
    (
        "PRO",
        &[
            ("O", [0, 1, 2], 1.23, 120.6),
            ("CB", [3, 2, 1], 1.53, 111.372),
            ("CG", [0, 1, 4], 1.49, 104.21),
            ("CD", [1, 4, 5], 1.5, 105.0),
        ],
    ),
    ("SER", &[("O", [0, 1, 2], 1.23, 120.475), ("CB", [3, 2, 1], 1.53, 110.248), ("OG", [0, 1, 4], 1.417, 111.132)]),
    (
        "THR",
        &[
            ("O", [0, 1, 2], 1.23, 120.252),
            ("CB", [3, 2, 1], 1.53, 110.075),
            ("OG1", [0, 1, 4], 1.43, 109.442),
            ("CG2", [0, 1, 4], 1.52, 111.457),
        ],
    ),
    (
        "TRP",
        &[
            ("O", [0, 1, 2], 1.23, 120.178),
            ("CB", [3, 2, 1], 1.53, 110.852),
            ("CG", [0, 1, 4], 1.5, 114.1),
            ("CD1", [1, 4, 5], 1.36, 126.712),
            ("CD2", [1, 4, 5], 1.44, 126.712),
            ("NE1", [4, 5, 6], 1.38, 109.959),
            ("CE2", [4, 5, 7], 1.41, 107.842),
            ("CE3", [4, 5, 7], 1.4, 133.975),
            ("CZ2", [5, 7, 9], 1.4, 120.0),
            ("CZ3", [5, 7, 10], 1.384, 120.0),
            ("CH2", [7, 9, 11], 1.367, 120.0),
        ],
    ),
    (
        "TYR",
        &[
            ("O", [0, 1, 2], 1.235, 120.608),
            ("CB", [3, 2, 1], 1.53, 110.852),
            ("CG", [0, 1, 4], 1.51, 113.744),
            ("CD1", [1, 4, 5], 1.39, 120.937),
            ("CD2", [1, 4, 5], 1.39, 120.937),
            ("CE1", [4, 5, 6], 1.38, 120.0),
            ("CE2", [4, 5, 7], 1.38, 120.0),
            ("CZ", [5, 6, 8], 1.378, 120.0),
            ("OH", [6, 8, 10], 1.375, 120.0),
        ],
    ),
    (
        "VAL",
        &[
            ("O", [0, 1, 2], 1.235, 120.472),
            ("CB", [3, 2, 1], 1.54, 111.381),
            ("CG1", [0, 1, 4], 1.52, 110.7),
            ("CG2", [0, 1, 4], 1.52, 110.4),
        ],
    ),
];

/// An unknown residue has only its backbone.
const UNKNOWN: u8 = 23;

static ALL: LazyLock<Vec<Residue>> = LazyLock::new(|| {
    let placed = |&(name, from, length, angle): &Row| Placed { name, from, length, angle: Turn::of_degrees(angle) };
    let known = RESIDUES.iter().map(|&(name, rows)| Residue { name, side: rows.iter().map(placed).collect() });
    known.chain([Residue { name: "UNK", side: Vec::new() }]).collect()
});

/// The torsions that a byte can encode.
static TURNS: LazyLock<[Turn; 256]> = LazyLock::new(|| {
    const STEP: f32 = 360.0 / 255.0;
    std::array::from_fn(|level| Turn::of_degrees(level as f32 * STEP - 180.0))
});

impl Residue {
    /// The residue of a code.
    pub(super) fn of(code: u8) -> Option<&'static Self> {
        match code {
            UNKNOWN => ALL.last(),
            _ => ALL[..RESIDUES.len()].get(usize::from(code)),
        }
    }

    /// Its atoms: those of the backbone, then those placed by torsions.
    pub fn atoms(&self, backbone: [Point; 3], torsions: &[u8], atoms: &mut Vec<(&'static str, Point)>) {
        atoms.clear();
        atoms.extend(["N", "CA", "C"].into_iter().zip(backbone));
        for (placed, &torsion) in self.side.iter().zip(torsions) {
            let from = placed.from.map(|atom| atoms[atom].1);
            atoms.push((placed.name, place(from, placed.length, placed.angle, TURNS[usize::from(torsion)])));
        }
    }
}
