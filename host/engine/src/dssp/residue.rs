//! Residues, what is assigned to them, and their angles.

use super::Statistics;
use super::vector::{cosine, dihedral, distance};
use prism_read::PolymerResidue;

/// An angle that is undefined.
pub(super) const UNDEFINED: f32 = 360.0;

/// The longest bond from C to N within a chain, in Å.
const LONGEST_BOND: f32 = 2.5;

/// A state of secondary structure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum State {
    /// None of the others.
    #[default]
    Loop,
    /// Four residues per turn.
    AlphaHelix,
    /// A bridge alone.
    Bridge,
    /// A strand of a ladder.
    Strand,
    /// Three residues per turn.
    Helix3,
    /// Five residues per turn.
    Helix5,
    /// Poly-proline II.
    Polyproline,
    /// A hydrogen-bonded turn.
    Turn,
    /// A bend above 70 degrees.
    Bend,
}

impl State {
    /// DSSP's letter; a blank for [`Loop`](Self::Loop).
    #[must_use]
    pub fn letter(self) -> char {
        match self {
            Self::Loop => ' ',
            Self::AlphaHelix => 'H',
            Self::Bridge => 'B',
            Self::Strand => 'E',
            Self::Helix3 => 'G',
            Self::Helix5 => 'I',
            Self::Polyproline => 'P',
            Self::Turn => 'T',
            Self::Bend => 'S',
        }
    }
}

/// The place of a residue in turns of one kind of helix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HelixPart {
    /// It is in none.
    #[default]
    None,
    /// It begins one.
    Start,
    /// It ends one.
    End,
    /// It ends one and begins the next.
    StartAndEnd,
    /// It is within one.
    Middle,
}

/// A hydrogen bond to another residue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HydrogenBond {
    /// Index of the other residue.
    pub residue: usize,
    /// In kcal/mol.
    pub energy: f64,
}

/// A bridge to another residue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bridge {
    /// Index of the other residue.
    pub residue: usize,
    /// Number of the ladder, from 0.
    pub ladder: u32,
    /// Whether strands are parallel.
    pub is_parallel: bool,
}

/// What is assigned to a residue.
#[derive(Clone, Debug)]
pub struct Residue {
    /// Its number in the text, which skips one at each break.
    pub number: i32,
    /// Its letter in the text: that of the 20 amino acids, or X.
    pub letter: char,
    /// The state.
    pub state: State,
    /// Its place in turns of 3, 4 and 5 residues, and in poly-proline helices.
    pub helices: [HelixPart; 4],
    /// Whether the chain bends by more than 70 degrees.
    pub is_bend: bool,
    /// The two strongest bonds from its N-H, by energy.
    pub acceptors: [Option<HydrogenBond>; 2],
    /// The two strongest bonds to its O, by energy.
    pub donors: [Option<HydrogenBond>; 2],
    /// Its bridges.
    pub bridges: [Option<Bridge>; 2],
    /// Number of its sheet, from 1; 0 if it is in none.
    pub sheet: u32,
    /// Number of its disulfide, from 1; 0 if it is in none.
    pub disulfide: u8,
    /// Accessible surface in Å², by DSSP's radii.
    pub accessibility: f32,
    /// The cosine of the angle between its C=O and that of the residue before; 0 at breaks.
    pub tco: f32,
    /// Angles in degrees, 360 where they are undefined.
    pub kappa: f32,
    /// The dihedral angle of four alpha carbons.
    pub alpha: f32,
    /// The dihedral angle phi.
    pub phi: f32,
    /// The dihedral angle psi.
    pub psi: f32,
    /// Whether what lies before it is a gap within its chain, rather than another chain's end.
    pub(super) follows_gap: bool,
    pub(super) asym: u32,
}

/// The letters of names.
const LETTERS: [(&str, char); 20] = [
    ("ALA", 'A'),
    ("ARG", 'R'),
    ("ASN", 'N'),
    ("ASP", 'D'),
    ("CYS", 'C'),
    ("GLU", 'E'),
    ("GLN", 'Q'),
    ("GLY", 'G'),
    ("HIS", 'H'),
    ("ILE", 'I'),
    ("LEU", 'L'),
    ("LYS", 'K'),
    ("MET", 'M'),
    ("PHE", 'F'),
    ("PRO", 'P'),
    ("SER", 'S'),
    ("THR", 'T'),
    ("TRP", 'W'),
    ("TYR", 'Y'),
    ("VAL", 'V'),
];

/// Numbers residues, and counts chains.
pub(super) fn numbered(polymers: &[PolymerResidue], statistics: &mut Statistics) -> Vec<Residue> {
    let mut number = 0;
    let mut residues: Vec<Residue> = Vec::with_capacity(polymers.len());
    for (index, own) in polymers.iter().enumerate() {
        number += 1;
        let mut follows_gap = false;
        match index.checked_sub(1).map(|last| &polymers[last]) {
            None => statistics.chains = 1,
            Some(last) => {
                let is_other = last.asym != own.asym;
                statistics.chains += usize::from(is_other);
                if distance(last.backbone[2], own.backbone[0]) > LONGEST_BOND {
                    follows_gap = !is_other;
                    statistics.chains += usize::from(follows_gap);
                    number += 1;
                }
            }
        }
        let letter = LETTERS.iter().find(|(name, _)| *name == own.name).map_or('X', |(_, letter)| *letter);
        residues.push(Residue {
            number,
            letter,
            state: State::Loop,
            helices: [HelixPart::None; 4],
            is_bend: false,
            acceptors: [None; 2],
            donors: [None; 2],
            bridges: [None; 2],
            sheet: 0,
            disulfide: 0,
            accessibility: 0.0,
            tco: 0.0,
            kappa: UNDEFINED,
            alpha: UNDEFINED,
            phi: UNDEFINED,
            psi: UNDEFINED,
            follows_gap,
            asym: own.asym,
        });
    }
    residues
}

/// Whether the chain goes on from one residue to a later one without a break.
pub(super) fn is_unbroken(residues: &[Residue], from: usize, to: usize) -> bool {
    let (a, b) = (&residues[from], &residues[to]);
    from <= to && a.asym == b.asym && (b.number - a.number) as usize == to - from
}

/// Computes angles.
pub(super) fn angles(residues: &mut [Residue], polymers: &[PolymerResidue]) {
    const TO_DEGREES: f32 = (180.0 / std::f64::consts::PI) as f32;
    let n = residues.len();
    let atoms = |index: usize| polymers[index].backbone;
    let alpha_carbon = |index: usize| polymers[index].backbone[1];
    for i in 0..n {
        if i >= 2
            && i + 2 < n
            && is_unbroken(residues, i - 2, i + 2)
            && i64::from(polymers[i - 2].seq) + 4 == i64::from(polymers[i + 2].seq)
        {
            let own = alpha_carbon(i);
            let cosine = cosine([own, alpha_carbon(i - 2)], [alpha_carbon(i + 2), own]);
            let sine = (1.0 - cosine * cosine).sqrt();
            residues[i].kappa = sine.atan2(cosine) * TO_DEGREES;
        }
        let [n_atom, ca, c, o] = atoms(i);
        if i + 1 < n && is_unbroken(residues, i, i + 1) {
            residues[i].psi = dihedral(n_atom, ca, c, atoms(i + 1)[0]);
        }
        if i > 0 && is_unbroken(residues, i - 1, i) {
            let before = atoms(i - 1);
            residues[i].tco = cosine([c, o], [before[2], before[3]]);
            residues[i].phi = dihedral(before[2], n_atom, ca, c);
        }
        if i >= 1 && i + 2 < n && is_unbroken(residues, i - 1, i + 2) {
            residues[i].alpha = dihedral(alpha_carbon(i - 1), ca, alpha_carbon(i + 1), alpha_carbon(i + 2));
        }
    }
}
