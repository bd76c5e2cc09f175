//! The structs of a packed batch.

use bytemuck::{Pod, Zeroable};
use core::mem::{align_of, offset_of, size_of};
use cuda_layout::DeviceLayout;

/// Marks a residue without an alpha carbon in `ca_indices`.
///
/// ```
/// use shared_types::NO_CA;
///
/// // Three residues, of which the second has no alpha carbon.
/// let ca_indices = [1, NO_CA, 9];
/// assert_eq!(ca_indices.iter().filter(|ca| **ca != NO_CA).count(), 2);
/// ```
pub const NO_CA: u32 = u32::MAX;

/// A heavy atom: position in Å relative to its structure's centre, and van der Waals radius in Å.
///
/// Aligned to 16 bytes so that a thread loads it with one 128-bit instruction.
///
/// ```
/// use cuda_layout::DeviceLayout;
/// use shared_types::Atom;
///
/// let atom = Atom { x: 1.0, y: 2.0, z: -3.0, radius: 1.88 };
/// let floats: [f32; 4] = bytemuck::cast(atom);
/// assert_eq!(floats, [1.0, 2.0, -3.0, 1.88]);
/// assert_eq!(Atom::DESCRIPTION, "Atom{x:f32@0,y:f32@4,z:f32@8,radius:f32@12}16:16");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Zeroable, Pod, DeviceLayout)]
#[repr(C, align(16))]
pub struct Atom {
    /// x in Å.
    pub x: f32,
    /// y in Å.
    pub y: f32,
    /// z in Å.
    pub z: f32,
    /// Van der Waals radius in Å.
    pub radius: f32,
}

const _: () = assert!(
    size_of::<Atom>() == 16
        && align_of::<Atom>() == 16
        && offset_of!(Atom, x) == 0
        && offset_of!(Atom, y) == 4
        && offset_of!(Atom, z) == 8
        && offset_of!(Atom, radius) == 12
);

/// The ranges of a structure's atoms and residues in the batch's buffers, and its sample.
///
/// 24 bytes, aligned to 8. With an alignment of 16 it would have 32 bytes, but readers of the buffer expect 24.
///
/// ```
/// use shared_types::BatchStructureDesc;
///
/// let first = BatchStructureDesc { n_atoms: 900, n_residues: 120, ..Default::default() };
/// // The next structure begins where the first one ends.
/// let next = BatchStructureDesc { atom_offset: 900, ca_offset: 120, n_atoms: 40, n_residues: 5, ..Default::default() };
/// assert_eq!(next.atom_offset, first.atom_offset + first.n_atoms);
/// assert_eq!(bytemuck::bytes_of(&next).len(), 24);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Zeroable, Pod, DeviceLayout)]
#[repr(C, align(8))]
pub struct BatchStructureDesc {
    /// First atom in the batch's atoms.
    pub atom_offset: u32,
    /// First residue in the batch's per-residue buffers.
    pub ca_offset: u32,
    /// Number of heavy atoms.
    pub n_atoms: u32,
    /// Number of residues, including those without an alpha carbon.
    pub n_residues: u32,
    /// Hash of the lineage that the structure represents; passed on, not used in computations.
    pub lineage_hash: u32,
    /// Country code of the sample; passed on, not used in computations.
    pub country_id: u8,
    #[doc(hidden)]
    pub _padding: [u8; 3],
}

const _: () = assert!(
    size_of::<BatchStructureDesc>() == 24
        && align_of::<BatchStructureDesc>() == 8
        && offset_of!(BatchStructureDesc, atom_offset) == 0
        && offset_of!(BatchStructureDesc, ca_offset) == 4
        && offset_of!(BatchStructureDesc, n_atoms) == 8
        && offset_of!(BatchStructureDesc, n_residues) == 12
        && offset_of!(BatchStructureDesc, lineage_hash) == 16
        && offset_of!(BatchStructureDesc, country_id) == 20
        && offset_of!(BatchStructureDesc, _padding) == 21
);

/// Number of test points of a [`PointGroup`].
pub const POINTS_PER_GROUP: usize = 128;

/// Number of direction cells along each side of the map of masks of a device; even. Maps of CPU cores may have fewer.
pub const MASK_SIDE: usize = 64;
/// Number of threshold bins per direction.
pub const MASK_BINS: usize = 32;
/// Number of masks of a [`PointGroup`]: one per cell and bin, one for atoms without a direction, one for atoms that cover
/// nothing.
pub const MASKS_PER_GROUP: usize = MASK_SIDE * MASK_SIDE * MASK_BINS + 2;

/// The points of a [`PointGroup`], one bit each, that an atom covers whose direction and threshold lie in one cell and bin.
///
/// Aligned to 32 bytes: one sector of a device's cache, one vector of a CPU.
///
/// ```
/// let mask = shared_types::Mask { certain: [0b0001, 0, 0, 0], possible: [0b0111, 0, 0, 0] };
/// // Only two points have to be tested.
/// assert_eq!((mask.possible[0] & !mask.certain[0]).count_ones(), 2);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Zeroable, Pod, DeviceLayout)]
#[repr(C, align(32))]
pub struct Mask {
    /// Points that are certainly covered.
    pub certain: [u32; POINTS_PER_GROUP / 32],
    /// Points that may be covered, including those of `certain`.
    pub possible: [u32; POINTS_PER_GROUP / 32],
}

const _: () = assert!(
    size_of::<Mask>() == 32
        && align_of::<Mask>() == 32
        && offset_of!(Mask, certain) == 0
        && offset_of!(Mask, possible) == 16
);

/// A point on the unit sphere. Aligned to 16 bytes, so that a device reads it at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Zeroable, Pod, DeviceLayout)]
#[repr(C, align(16))]
pub struct TestPoint {
    /// x
    pub x: f32,
    /// y
    pub y: f32,
    /// z
    pub z: f32,
    _padding: f32,
}

impl TestPoint {
    /// A point.
    #[must_use]
    pub fn new([x, y, z]: [f32; 3]) -> Self {
        Self { x, y, z, _padding: 0.0 }
    }
}

const _: () = assert!(
    size_of::<TestPoint>() == 16
        && align_of::<TestPoint>() == 16
        && offset_of!(TestPoint, x) == 0
        && offset_of!(TestPoint, y) == 4
        && offset_of!(TestPoint, z) == 8
);

/// Test points on the unit sphere for measuring accessible surface, with precomputed masks of the points that an atom
/// covers. If a set does not fill its last group, the remaining points are 0 and unused.
///
/// It takes four megabytes: allocate it on the heap.
///
/// ```
/// use shared_types::{MASK_BINS, MASK_SIDE, POINTS_PER_GROUP, PointGroup};
///
/// // 300 points take three groups.
/// assert_eq!(300usize.div_ceil(POINTS_PER_GROUP), 3);
/// let mut groups: Vec<PointGroup> = bytemuck::allocation::zeroed_vec(1);
/// groups[0].points[0].z = 1.0; // the north pole
/// assert_eq!(groups[0].masks.len(), MASK_SIDE * MASK_SIDE * MASK_BINS + 2);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Zeroable, Pod, DeviceLayout)]
#[repr(C, align(32))]
pub struct PointGroup {
    /// The points.
    pub points: [TestPoint; POINTS_PER_GROUP],
    /// Masks by direction, row by row, and threshold. The last two are the mask of an atom with unknown direction, and that of an
    /// atom that covers nothing.
    pub masks: [Mask; MASKS_PER_GROUP],
    /// Number of direction cells along each side of the map of `masks`: even, at most [`MASK_SIDE`]. CPU cores read it. A device's
    /// kernels take [`MASK_SIDE`] for granted.
    pub side: u32,
    _padding: [u32; 7],
}

const _: () = assert!(
    size_of::<PointGroup>() == 2048 + MASKS_PER_GROUP * 32 + 32
        && align_of::<PointGroup>() == 32
        && offset_of!(PointGroup, masks) == 2048
        && offset_of!(PointGroup, side) == 2048 + MASKS_PER_GROUP * 32
        && offset_of!(PointGroup, points) == 0
);

/// The parameters of a run.
///
/// ```
/// use shared_types::{MAX_POINTS, MIN_POINTS, MegaFusedConfig};
///
/// let config = MegaFusedConfig { points: 1000, ..Default::default() };
/// assert!((MIN_POINTS..=MAX_POINTS).contains(&config.points));
/// assert_eq!(config.contact_threshold, 8.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Zeroable, Pod, DeviceLayout)]
#[repr(C)]
pub struct MegaFusedConfig {
    /// Two alpha carbons closer than this many Å are in contact.
    pub contact_threshold: f32,
    /// Finite features of smaller magnitude are written as 0. 0 disables this.
    pub min_feature_value: f32,
    /// Test points on each atom's sphere: [`MIN_POINTS`] to [`MAX_POINTS`].
    pub points: u32,
    /// Residues with at least this `site_score` may belong to a site. Above 0, and at most 1.
    pub site_threshold: f32,
}

/// Fewest test points on a sphere.
pub const MIN_POINTS: u32 = 20;
/// Most test points on a sphere.
pub const MAX_POINTS: u32 = 5000;

const _: () = assert!(
    size_of::<MegaFusedConfig>() == 16
        && align_of::<MegaFusedConfig>() == 4
        && offset_of!(MegaFusedConfig, contact_threshold) == 0
        && offset_of!(MegaFusedConfig, min_feature_value) == 4
        && offset_of!(MegaFusedConfig, points) == 8
        && offset_of!(MegaFusedConfig, site_threshold) == 12
);

impl Default for MegaFusedConfig {
    /// 8.0 Å, nothing set to zero, 100 points, and the site threshold that was fitted with the model.
    fn default() -> Self {
        let site_threshold = crate::site_model::DEFAULT_THRESHOLD;
        Self { contact_threshold: 8.0, min_feature_value: 0.0, points: 100, site_threshold }
    }
}

/// Values of a whole structure.
///
/// ```
/// use shared_types::StructureSummary;
///
/// let summary = StructureSummary { contacts: 600, residues: 120, ..Default::default() };
/// // A contact counts for both of its residues.
/// assert_eq!(2.0 * summary.contacts as f64 / f64::from(summary.residues), 10.0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Zeroable, Pod, DeviceLayout)]
#[repr(C)]
pub struct StructureSummary {
    /// Number of contacts: pairs of alpha carbons closer than the threshold.
    pub contacts: u64,
    /// Number of residues.
    pub residues: u32,
    /// Number of heavy atoms.
    pub atoms: u32,
    /// Radius of gyration of the alpha carbons in Å; NaN without one.
    pub radius_of_gyration: f32,
    /// Solvent-accessible surface area of all residues in Å².
    pub area: f32,
    /// Number of predicted ligand-binding sites.
    pub sites: u32,
    #[doc(hidden)]
    pub _padding: u32,
}

const _: () = assert!(
    size_of::<StructureSummary>() == 32
        && align_of::<StructureSummary>() == 8
        && offset_of!(StructureSummary, contacts) == 0
        && offset_of!(StructureSummary, residues) == 8
        && offset_of!(StructureSummary, atoms) == 12
        && offset_of!(StructureSummary, radius_of_gyration) == 16
        && offset_of!(StructureSummary, area) == 20
        && offset_of!(StructureSummary, sites) == 24
        && offset_of!(StructureSummary, _padding) == 28
);
