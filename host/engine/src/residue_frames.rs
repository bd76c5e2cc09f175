//! Local frames of residues and virtual beta carbons, from N, CA and C.

use kernels_gpu::double::{Point, cross, dot, minus, plus, times, unit};
use kernels_gpu::in_file;
use prism_read::structure::StructureInput;
use shared_types::NO_CA;
use shared_types::backbone::{NO_ATOM, RoleAtoms};
use shared_types::residue::is_nucleotide;

/// The backbone of a residue, as the file has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Backbone {
    pub n: Point,
    pub ca: Point,
    pub c: Point,
    pub beta: Option<Point>,
}

/// A residue's frame: its origin is CA.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ResidueFrame {
    /// CA in Å, in the file's frame.
    pub origin: [f64; 3],
    /// Its axes e1, e2 and e3, unit vectors in the file's frame.
    pub axes: [[f64; 3]; 3],
    /// The virtual beta carbon in Å, in the file's frame.
    pub virtual_cb: [f64; 3],
}

struct Frames(Vec<Option<ResidueFrame>>);

/// The frame of each row; `None` where N, CA or C is missing, for nucleotides, and where the three lie on a line. They are computed once
/// for a structure.
///
/// Frames are those of algorithm 21 of AlphaFold 2 (Jumper et al. 2021, supplement): e1 points from CA to C, e2 is perpendicular to it on
/// N's side, and e3 = e1 × e2. The virtual beta carbon is that of ProteinMPNN (Dauparas et al. 2022): with b = CA - N, c = C - CA and
/// a = b × c, it is CA - 0.58273431 a + 0.56802827 b - 0.54067466 c.
///
/// ```
/// use prism_engine::residue_frames;
/// use prism_read::{ReadOptions, read_path};
///
/// let crambin = read_path("../tests/data/1crn.pdb", "1crn", &ReadOptions::default())?.structure;
/// let first = residue_frames::of_rows(&crambin)[0].unwrap();
/// assert_eq!(first.origin, [16.967, 12.784, 4.338]);
/// // The file's CB is near.
/// let apart = |at: [f64; 3]| (0..3).map(|axis| (at[axis] - first.virtual_cb[axis]).powi(2)).sum::<f64>().sqrt();
/// assert!(apart([18.170, 12.703, 5.337]) < 0.2);
/// # Ok::<(), prism_read::ReadError>(())
/// ```
#[must_use]
pub fn of_rows(structure: &StructureInput) -> &[Option<ResidueFrame>] {
    let frames = || (0..structure.n_rows()).map(|row| frame(&backbone(structure, row)?)).collect();
    &structure.derived.get_or_init(|| Frames(frames())).0
}

impl ResidueFrame {
    /// A place in this frame, in Å.
    #[must_use]
    pub fn local(&self, place: [f64; 3]) -> [f64; 3] {
        let from = minus(place, self.origin);
        self.axes.map(|axis| dot(axis, from))
    }

    /// How another frame is turned in this one: the unit quaternion w, x, y, z with w at least 0.
    ///
    /// ```
    /// use prism_engine::residue_frames::ResidueFrame;
    ///
    /// let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    /// let own = ResidueFrame { origin: [0.0; 3], axes, virtual_cb: [0.0; 3] };
    /// assert_eq!(own.turn(&own), [1.0, 0.0, 0.0, 0.0]);
    /// // A quarter turn about e3: e1 becomes e2.
    /// let turned = ResidueFrame { axes: [axes[1], [-1.0, 0.0, 0.0], axes[2]], ..own };
    /// let half = std::f64::consts::FRAC_1_SQRT_2;
    /// assert!(own.turn(&turned).iter().zip([half, 0.0, 0.0, half]).all(|(a, b)| (a - b).abs() < 1e-12));
    /// ```
    #[must_use]
    pub fn turn(&self, other: &Self) -> [f64; 4] {
        // Columns are the other frame's axes in this one.
        let of = |row: usize, column: usize| dot(self.axes[row], other.axes[column]);
        let (xx, yy, zz) = (of(0, 0), of(1, 1), of(2, 2));
        // The largest part is found from a root, the others by division by it (Shepperd 1978).
        let squares = [1.0 + xx + yy + zz, 1.0 + xx - yy - zz, 1.0 - xx + yy - zz, 1.0 - xx - yy + zz];
        let largest = (1..4).fold(0, |best, at| if squares[at] > squares[best] { at } else { best });
        let sums = [
            [squares[0], of(2, 1) - of(1, 2), of(0, 2) - of(2, 0), of(1, 0) - of(0, 1)],
            [of(2, 1) - of(1, 2), squares[1], of(1, 0) + of(0, 1), of(0, 2) + of(2, 0)],
            [of(0, 2) - of(2, 0), of(1, 0) + of(0, 1), squares[2], of(2, 1) + of(1, 2)],
            [of(1, 0) - of(0, 1), of(0, 2) + of(2, 0), of(2, 1) + of(1, 2), squares[3]],
        ];
        let scale = 0.5 / squares[largest].sqrt();
        let scale = if sums[largest][0] < 0.0 { -scale } else { scale };
        sums[largest].map(|sum| sum * scale)
    }
}

/// The alpha carbon of a row; of a nucleotide, the batch has another atom in its place.
pub(crate) fn alpha_carbon(structure: &StructureInput, row: usize) -> Option<usize> {
    let atom = structure.ca_indices[row];
    (atom != NO_CA && !is_nucleotide(structure.residue_types[row])).then_some(atom as usize)
}

/// N, CA, C and CB of a row; `None` where one of the first three is missing.
pub(crate) fn backbone(structure: &StructureInput, row: usize) -> Option<Backbone> {
    let roles = RoleAtoms::of_words(*structure.roles.get(row)?);
    let place = |atom: usize| {
        let own = structure.atoms[atom];
        [(own.x, 0), (own.y, 1), (own.z, 2)].map(|(along, axis)| in_file(along, structure.center[axis]))
    };
    let of = |role: u8| (role != NO_ATOM).then(|| place(structure.residue_atoms[row] as usize + usize::from(role)));
    let ca = place(alpha_carbon(structure, row)?);
    Some(Backbone { n: of(roles.n)?, ca, c: of(roles.c)?, beta: of(roles.beta) })
}

fn frame(own: &Backbone) -> Option<ResidueFrame> {
    let (b, c) = (minus(own.ca, own.n), minus(own.c, own.ca));
    let e1 = unit(c)?;
    let to_n = minus(own.n, own.ca);
    let e2 = unit(minus(to_n, times(e1, dot(e1, to_n))))?;
    let parts = [times(cross(b, c), -0.582_734_31), times(b, 0.568_028_27), times(c, -0.540_674_66)];
    Some(ResidueFrame {
        origin: own.ca,
        axes: [e1, e2, cross(e1, e2)],
        virtual_cb: parts.into_iter().fold(own.ca, plus),
    })
}
