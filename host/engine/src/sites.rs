//! Predicted ligand-binding sites as users see them.

mod cavity;
mod lined;
mod pockets;

pub use cavity::Cavity;
pub use lined::lined_volume;
pub use pockets::{Pocket, Pockets};

use crate::StructureView;
use cavity::cavity;
use prism_read::structure::StructureInput;
use shared_types::site_model::{MOST_SITES, SUM_UNIT};
use shared_types::{Atom, Site};

/// Edge in Å of the cells that measure volume.
const CELL: f64 = 1.0;
/// A residue lines a site if one of its atoms is within this distance in Å of the site's centre. Volume is measured within it, too.
const AROUND: f32 = 6.0;

/// Sites with a lower probability are left out unless they are asked for.
pub const MIN_PROBABILITY: f32 = 0.1;
/// Sites with at least this probability are counted as likely.
pub const LIKELY: f32 = 0.5;
/// Residues of a lower mean confidence (pLDDT) often lie elsewhere than the predicted model has them.
pub const LOW_PLDDT: f32 = 50.0;

/// Which sites of a structure are written.
///
/// ```
/// use prism_engine::sites::SiteLimits;
///
/// let SiteLimits { most, min_probability, min_plddt, pockets: _ } = SiteLimits::default();
/// assert_eq!((most, min_probability, min_plddt), (20, 0.1, None));
/// assert_eq!(SiteLimits::ALL.min_probability, 0.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SiteLimits {
    /// The most sites.
    pub most: usize,
    /// Sites with a lower probability are left out.
    pub min_probability: f32,
    /// Sites of predicted models whose residues have a lower mean confidence are left out.
    pub min_plddt: Option<f32>,
    /// Whether the whole pocket around each site is measured, which takes several times as long as finding sites.
    pub pockets: bool,
}

impl SiteLimits {
    /// Every site that is found.
    pub const ALL: Self = Self { most: MOST_SITES, min_probability: 0.0, min_plddt: None, pockets: false };

    /// Whether a site is written.
    fn takes(&self, site: &FoundSite) -> bool {
        // An unknown confidence is not low.
        site.probability >= self.min_probability && !self.min_plddt.is_some_and(|least| site.plddt < least)
    }
}

impl Default for SiteLimits {
    fn default() -> Self {
        Self { min_probability: MIN_PROBABILITY, ..Self::ALL }
    }
}

/// A site: a group of surface points where a ligand is likely to bind.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FoundSite {
    /// Rank by decreasing score, from 1.
    pub rank: usize,
    /// Sum of the probabilities of its points to the power of 1.5.
    pub score: f32,
    /// The probability that a site with this score binds a ligand.
    pub probability: f32,
    /// Centre of its points, weighted by their probabilities to the power of 1.5, in Å in the frame of the file.
    pub center: [f64; 3],
    /// Rows of the residues that line it: those with an atom within 6 Å of the centre, and those whose best atom belongs to the site and
    /// whose `site_score` reaches the threshold.
    pub residues: Vec<usize>,
    /// Area in Å² that its points represent.
    pub area: f32,
    /// Volume in Å³ that is free of atoms within 6 Å of the centre: cubes of 1 Å whose middle is outside all van der Waals
    /// spheres.
    pub volume: f64,
    /// Mean confidence (pLDDT, 0 to 100) of these residues in a predicted model; NaN if it is unknown.
    pub plddt: f32,
    /// The pocket in which it lies.
    pub cavity: Cavity,
}

/// The sites of a structure by rank, as far as the limits allow.
///
/// ```
/// use prism_read::{ReadOptions, read_path};
/// use prism_engine::sites::{SiteLimits, sites};
/// use prism_engine::{Backend, Engine};
///
/// let rbd = read_path("../../data/6m0j_rbd.pdb", "rbd", &ReadOptions::default())?.structure;
/// let engine = Engine::builder().backend(Backend::Cpu).build()?;
/// let features = &engine.run(std::slice::from_ref(&rbd))?[0];
/// let found = sites(&rbd, &features.view(), &SiteLimits { most: 3, ..SiteLimits::ALL });
/// assert_eq!(found.len(), 3);
/// for site in found {
///     assert!(site.probability > 0.0 && site.area > 0.0 && site.volume > 0.0 && !site.residues.is_empty());
///     println!("{}: {:.2} at {:?} Å", site.rank, site.probability, site.center);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn sites(structure: &StructureInput, features: &StructureView<'_>, limits: &SiteLimits) -> Vec<FoundSite> {
    let found = features.sites.iter().zip(lining(structure, features, |_| true)).enumerate();
    let described = found.map(|(index, (site, residues))| FoundSite {
        rank: index + 1,
        score: site.score,
        probability: site.probability,
        center: in_file(structure, site.center),
        plddt: mean_plddt(structure, &residues),
        residues,
        area: site.area,
        volume: 0.0,
        cavity: Cavity::default(),
    });
    // A site of chains of alpha carbons or backbones alone has no residues.
    let chosen = described.filter(|site| !site.residues.is_empty() && limits.takes(site)).take(limits.most);
    // Measured last, because it takes longer than everything else.
    let measured = |site: FoundSite| {
        let own = &features.sites[site.rank - 1];
        let cavity = if limits.pockets { cavity(structure, own.center) } else { Cavity::default() };
        FoundSite { volume: volume(&structure.atoms, own), cavity, ..site }
    };
    chosen.map(measured).collect()
}

/// The rank of the first site that each row's residue lines, if there is one. Of sites that are not written by default, it has only those in
/// which the residue's `site_score` reaches the threshold.
#[must_use]
pub fn ranks(structure: &StructureInput, features: &StructureView<'_>) -> Vec<Option<usize>> {
    let mut ranks = vec![None; structure.n_rows()];
    // The others are not looked at: most of a structure's sites.
    let written = |site: &Site| site.probability >= MIN_PROBABILITY;
    for (index, residues) in lining(structure, features, written).into_iter().enumerate() {
        for row in residues {
            ranks[row].get_or_insert(index + 1);
        }
    }
    for (rank, &id) in ranks.iter_mut().zip(features.site_ids) {
        *rank = rank.or_else(|| usize::try_from(id).ok().map(|id| id + 1));
    }
    ranks
}

/// The rows of the residues that line each site that is `wanted`, and none for the others.
fn lining(structure: &StructureInput, features: &StructureView<'_>, wanted: impl Fn(&Site) -> bool) -> Vec<Vec<usize>> {
    let wanted: Vec<bool> = features.sites.iter().map(wanted).collect();
    let boxes = if wanted.contains(&true) { boxes(structure) } else { Vec::new() };
    let around = |(site, wanted): (&Site, &bool)| if *wanted { around(structure, &boxes, site) } else { Vec::new() };
    let mut residues: Vec<Vec<usize>> = features.sites.iter().zip(&wanted).map(around).collect();
    // Atoms that only cover others are no residue.
    for (row, &id) in features.site_ids.iter().take(structure.n_rows()).enumerate() {
        if let Some(id) = usize::try_from(id).ok().filter(|id| wanted.get(*id) == Some(&true)) {
            residues[id].push(row);
        }
    }
    for rows in &mut residues {
        rows.sort_unstable();
        rows.dedup();
    }
    residues
}

/// The box around a residue's atoms: its low and its high corner.
type Corners = [[f32; 3]; 2];

/// The atoms of a residue.
fn atoms_of(structure: &StructureInput, row: usize) -> &[Atom] {
    &structure.atoms[structure.residue_atoms[row] as usize..structure.residue_atoms[row + 1] as usize]
}

/// The box around each residue: one around nothing, which is far from everything, for those of chains of alpha carbons or backbones alone.
fn boxes(structure: &StructureInput) -> Vec<Corners> {
    let nothing: Corners = [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]];
    let with = |[low, high]: Corners, atom: &Atom| {
        let at = [atom.x, atom.y, atom.z];
        [std::array::from_fn(|axis| at[axis].min(low[axis])), std::array::from_fn(|axis| at[axis].max(high[axis]))]
    };
    let of = |row| {
        let atoms = if structure.is_in_trace(row) { &[] } else { atoms_of(structure, row) };
        atoms.iter().fold(nothing, with)
    };
    (0..structure.n_rows()).map(of).collect()
}

/// The rows of the residues with an atom within [`AROUND`] of a site's centre, without those of chains of alpha carbons or backbones alone.
/// A site among atoms that only cover others may have none; then it is the nearest residue.
///
/// Most residues are far away, which their `boxes` tell without their atoms. With rounding, too, a box is no farther than an atom in it.
fn around(structure: &StructureInput, boxes: &[Corners], site: &Site) -> Vec<usize> {
    let center = site.center;
    let squared = |away: [f32; 3]| away.map(|along| along.powi(2)).into_iter().sum::<f32>();
    let nearest = |row: usize| {
        let from = |atom: &Atom| squared([atom.x - center[0], atom.y - center[1], atom.z - center[2]]);
        atoms_of(structure, row).iter().map(from).fold(f32::INFINITY, f32::min)
    };
    let is_near = |[low, high]: &Corners| {
        let away = |axis: usize| (low[axis] - center[axis]).max(center[axis] - high[axis]).max(0.0);
        squared([away(0), away(1), away(2)]) <= AROUND * AROUND
    };
    let candidates = boxes.iter().enumerate().filter(|(_, corners)| is_near(corners)).map(|(row, _)| row);
    let near: Vec<_> = candidates.filter(|&row| nearest(row) <= AROUND * AROUND).collect();
    if !near.is_empty() {
        return near;
    }
    let rows = (0..structure.n_rows()).filter(|&row| !structure.is_in_trace(row));
    let distances: Vec<_> = rows.map(|row| (row, nearest(row))).collect();
    let limit = distances.iter().map(|(_, distance)| *distance).fold(f32::INFINITY, f32::min);
    distances.into_iter().filter(|(_, distance)| *distance <= limit).map(|(row, _)| row).collect()
}

fn mean_plddt(structure: &StructureInput, residues: &[usize]) -> f32 {
    let known = residues.iter().filter_map(|&row| structure.plddt.get(row)).filter(|plddt| !plddt.is_nan());
    let (sum, count) = known.fold((0.0, 0.0), |(sum, count), plddt| (sum + f64::from(*plddt), count + 1.0));
    (sum / count) as f32
}

/// Converts a position relative to a structure's centre to the frame of its file.
fn in_file(structure: &StructureInput, at: [f32; 3]) -> [f64; 3] {
    std::array::from_fn(|axis| f64::from(at[axis]) + structure.center[axis])
}

/// The space around a site's centre that no atom fills, in Å³.
fn volume(atoms: &[Atom], site: &Site) -> f64 {
    let center = site.center.map(f64::from);
    let reach = f64::from(AROUND);
    let squared = |a: [f64; 3], b: [f64; 3]| {
        let [x, y, z] = [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
        x * x + y * y + z * z
    };
    // Cells along an edge of the cube, from the first one's middle.
    let n = 2 * (reach / CELL) as usize;
    let first = (0.5 - n as f64 / 2.0) * CELL;
    let offset = |cell: [usize; 3]| cell.map(|along| first + along as f64 * CELL);
    let mut is_filled = vec![false; n * n * n];
    for atom in atoms {
        let (at, radius) = ([atom.x, atom.y, atom.z].map(f64::from), f64::from(atom.radius));
        if squared(at, center) >= (reach + radius) * (reach + radius) {
            continue;
        }
        // Cells that may be closer, one more at each end.
        let near = [0, 1, 2].map(|axis| {
            let cell = |along: f64| ((at[axis] + along - center[axis] - first) / CELL).floor();
            (cell(-radius).clamp(0.0, n as f64) as usize, (cell(radius) + 2.0).clamp(0.0, n as f64) as usize)
        });
        for x in near[0].0..near[0].1 {
            for y in near[1].0..near[1].1 {
                for z in near[2].0..near[2].1 {
                    let [a, b, c] = offset([x, y, z]);
                    let middle = [center[0] + a, center[1] + b, center[2] + c];
                    is_filled[(x * n + y) * n + z] |= squared(at, middle) < radius * radius;
                }
            }
        }
    }
    let is_around = |cell: usize| {
        let at = offset([cell / (n * n), cell / n % n, cell % n]);
        squared(at, [0.0; 3]) <= reach * reach
    };
    let free = is_filled.iter().enumerate().filter(|(cell, is_filled)| !**is_filled && is_around(*cell)).count();
    free as f64 * CELL.powi(3)
}

/// A scored point on the surface. See [`points`] for an example.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfacePoint {
    /// Its position in Å, in the frame of the file.
    pub at: [f64; 3],
    /// The probability that a ligand binds there.
    pub probability: f32,
    /// Its atom, counted from the structure's first.
    pub atom: usize,
}

/// The scored points of a structure, atom by atom. Empty unless they were requested
/// ([`Selection::with_points`](crate::Selection::with_points)).
///
/// ```
/// use prism_engine::Selection;
/// use prism_read::{ReadOptions, read_path};
/// use prism_engine::{Backend, Engine};
///
/// let rbd = read_path("../../data/6m0j_rbd.pdb", "rbd", &ReadOptions::default())?.structure;
/// let engine = Engine::builder().backend(Backend::Cpu).selection(Selection::default().with_points()).build()?;
/// let features = &engine.run(std::slice::from_ref(&rbd))?[0];
/// let points: Vec<_> = prism_engine::sites::points(&rbd, &features.view()).collect();
/// assert!(points.len() > 100 && points.iter().all(|point| (0.0..=1.0).contains(&point.probability)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn points<'a>(
    structure: &'a StructureInput,
    features: &StructureView<'a>,
) -> impl Iterator<Item = SurfacePoint> + use<'a> {
    structure.atoms.iter().zip(features.atom_points).enumerate().flat_map(move |(index, (atom, own))| {
        own.iter().map(move |(direction, score)| SurfacePoint {
            at: in_file(structure, kernels_gpu::points::position(*atom, direction)),
            probability: (score as f32 / SUM_UNIT).powf(2.0 / 3.0),
            atom: index,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use prism_read::Composition;

    #[test]
    fn residues_around_a_centre_line_it() {
        let at = |x: f32| Atom { x, y: 0.0, z: 0.0, radius: 1.9 };
        let structure = StructureInput {
            atoms: [-9.0, -5.9, 6.5, 20.0].map(at).into(),
            ..Composition {
                residue_atoms: vec![0, 2, 3, 4],
                ca_indices: vec![0, 2, 3],
                residue_types: vec![0; 3],
                ..Composition::default()
            }
            .into()
        };
        let rows = |x: f32| around(&structure, &boxes(&structure), &Site { center: [x, 0.0, 0.0], ..Site::default() });
        assert_eq!([rows(0.0), rows(1.0), rows(-60.0), rows(13.3)], [vec![0], vec![1], vec![0], vec![2]]);
        assert_eq!(rows(0.05), [0]);
        assert_eq!(rows(0.55), [1]);
    }

    #[test]
    fn volume_is_what_no_atom_fills() {
        let site = Site { center: [1.0, 2.0, 3.0], ..Site::default() };
        let ball = volume(&[], &site);
        assert!((ball - 4.0 / 3.0 * std::f64::consts::PI * 216.0).abs() < 25.0, "{ball}");
        let atom = |x: f32| Atom { x, y: 2.0, z: 3.0, radius: 2.0 };
        let filled = ball - volume(&[atom(1.0), atom(50.0)], &site);
        assert!((filled - 4.0 / 3.0 * std::f64::consts::PI * 8.0).abs() < 5.0, "{filled}");
        assert_eq!(volume(&[Atom { radius: 99.0, ..atom(1.0) }], &site), 0.0);
    }
}
