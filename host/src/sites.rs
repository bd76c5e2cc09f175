//! Predicted ligand-binding sites as users see them.

use crate::engine::StructureView;
use crate::structure::StructureInput;
use shared_types::site_model::{AROUND, SUM_UNIT};
use shared_types::{Atom, Site};

/// Edge in Å of the cells that measure volume.
const CELL: f64 = 1.0;

/// A site: a group of surface points where a ligand is likely to bind.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundSite {
    /// Rank by decreasing score, from 1.
    pub rank: usize,
    /// Sum of the squared probabilities of its points.
    pub score: f32,
    /// The probability that a site with this score binds a ligand.
    pub probability: f32,
    /// Centre of its points, weighted by their squared probabilities, in Å in the frame of the file.
    pub center: [f64; 3],
    /// Rows of its residues: those whose best atom belongs to the site, and whose `site_score` is above the threshold.
    pub residues: Vec<usize>,
    /// Area in Å² that its points represent.
    pub area: f32,
    /// Volume in Å³ that is free of atoms within 6 Å of the centre: cubes of 1 Å whose middle is outside all van der Waals
    /// spheres.
    pub volume: f64,
}

/// The sites of a structure by rank: at most `most`, and only those with a score of at least `least`.
///
/// ```
/// use prism_host::read::{ReadOptions, read_path};
/// use prism_host::{Backend, Engine};
///
/// let rbd = read_path("../data/6m0j_rbd.pdb", "rbd", &ReadOptions::default())?.structure;
/// let engine = Engine::builder().backend(Backend::Cpu).build()?;
/// let features = &engine.run(std::slice::from_ref(&rbd))?[0];
/// let sites = prism_host::sites::sites(&rbd, &features.view(), 3, 0.0);
/// assert_eq!(sites.len(), 3);
/// for site in sites {
///     assert!(site.probability > 0.0 && site.area > 0.0 && site.volume > 0.0);
///     println!("{}: {:.2} at {:?} Å", site.rank, site.probability, site.center);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn sites(structure: &StructureInput, features: &StructureView<'_>, most: usize, least: f32) -> Vec<FoundSite> {
    let mut residues = vec![Vec::new(); features.sites.len()];
    for (row, &id) in features.site_ids.iter().enumerate() {
        if let Some(own) = usize::try_from(id).ok().and_then(|id| residues.get_mut(id)) {
            own.push(row);
        }
    }
    // A site of chains of alpha carbons or backbones alone has no residues, and its score no meaning.
    let has_meaning = |residues: &[usize]| structure.traces.is_empty() || !residues.is_empty();
    let chosen = features
        .sites
        .iter()
        .zip(residues)
        .enumerate()
        .take(most)
        .filter(|(_, (site, residues))| site.score >= least && has_meaning(residues));
    chosen
        .map(|(index, (site, residues))| FoundSite {
            rank: index + 1,
            score: site.score,
            probability: site.probability,
            center: in_file(structure, site.center),
            residues,
            area: site.area,
            volume: volume(&structure.atoms, site),
        })
        .collect()
}

/// Converts a position relative to a structure's centre to the frame of its file.
fn in_file(structure: &StructureInput, at: [f32; 3]) -> [f64; 3] {
    std::array::from_fn(|axis| f64::from(at[axis]) + structure.center[axis])
}

fn volume(atoms: &[Atom], site: &Site) -> f64 {
    let center = site.center.map(f64::from);
    let reach = f64::from(AROUND);
    let from = |atom: &Atom| [atom.x, atom.y, atom.z].map(f64::from);
    let squared = |a: [f64; 3], b: [f64; 3]| (0..3).map(|axis| (a[axis] - b[axis]).powi(2)).sum::<f64>();
    let near: Vec<_> = atoms
        .iter()
        .map(|atom| (from(atom), f64::from(atom.radius)))
        .filter(|(at, radius)| squared(*at, center) < (reach + radius).powi(2))
        .collect();
    let cells = (reach / CELL) as i32;
    let along = -cells..cells;
    let middle = |cell: i32| (f64::from(cell) + 0.5) * CELL;
    let mut free = 0_u32;
    for x in along.clone() {
        for y in along.clone() {
            for z in along.clone() {
                let offset = [middle(x), middle(y), middle(z)];
                let at = std::array::from_fn(|axis| center[axis] + offset[axis]);
                let is_inside = squared(offset, [0.0; 3]) <= reach * reach;
                free += u32::from(is_inside && near.iter().all(|(atom, r)| squared(*atom, at) >= r * r));
            }
        }
    }
    f64::from(free) * CELL.powi(3)
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
/// ([`Selection::with_points`](crate::engine::Selection::with_points)).
///
/// ```
/// use prism_host::engine::Selection;
/// use prism_host::read::{ReadOptions, read_path};
/// use prism_host::{Backend, Engine};
///
/// let rbd = read_path("../data/6m0j_rbd.pdb", "rbd", &ReadOptions::default())?.structure;
/// let engine = Engine::builder().backend(Backend::Cpu).selection(Selection::default().with_points()).build()?;
/// let features = &engine.run(std::slice::from_ref(&rbd))?[0];
/// let points: Vec<_> = prism_host::sites::points(&rbd, &features.view()).collect();
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
            probability: (score as f32 / SUM_UNIT).sqrt(),
            atom: index,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

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
