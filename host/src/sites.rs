//! Sites where a ligand may bind, as people look at them.

use crate::structure::StructureInput;
use shared_types::NO_CA;
use std::f64::consts::PI;

/// A site: residues in contact that are all likely to line one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Site {
    /// Sum of its residues' `site_score`.
    pub score: f64,
    /// How many residues it has.
    pub residues: usize,
    /// Mean of their alpha carbons, in Å, in the frame of the file.
    pub center: [f64; 3],
    /// Volume in Å³ of a ball with the radius of gyration of those: 4/3 pi (sqrt(5/3) Rg)^3.
    pub volume: f64,
}

/// The sites of a structure, by their number, from the `site_score` and the site of each of its residues. Residues beyond the shorter of the
/// lists are left out.
///
/// ```
/// use prism_host::read::{ReadOptions, read_path};
/// use prism_host::{Backend, Engine};
///
/// let rbd = read_path("../data/6m0j_rbd.pdb", "rbd", &ReadOptions::default())?.structure;
/// let engine = Engine::builder().backend(Backend::Cpu).build()?;
/// let features = &engine.run(std::slice::from_ref(&rbd))?[0];
/// let scores = features.named("site_score").expect("it was asked for");
/// for site in prism_host::sites::sites(&rbd, scores, &features.site_ids) {
///     assert!(site.residues >= 3 && site.score > 0.0 && site.volume > 0.0);
///     println!("{} residues around {:?} Å", site.residues, site.center);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn sites(structure: &StructureInput, scores: &[f32], site_ids: &[i32]) -> Vec<Site> {
    let count = site_ids.iter().map(|&id| id + 1).max().unwrap_or(0).max(0) as usize;
    let mut members = vec![Vec::new(); count];
    for (row, (&id, &score)) in site_ids.iter().zip(scores).enumerate() {
        if let (Ok(id), Some(place)) = (usize::try_from(id), alpha_carbon(structure, row)) {
            members[id].push((place, f64::from(score)));
        }
    }
    members.iter().map(|members| site(members)).collect()
}

fn site(members: &[([f64; 3], f64)]) -> Site {
    let n = members.len() as f64;
    let mean = |axis: usize| members.iter().map(|(place, _)| place[axis]).sum::<f64>() / n;
    let center = [mean(0), mean(1), mean(2)];
    let from_center = |place: &[f64; 3]| (0..3).map(|axis| (place[axis] - center[axis]).powi(2)).sum::<f64>();
    let square = members.iter().map(|(place, _)| from_center(place)).sum::<f64>() / n;
    let radius = (5.0 / 3.0 * square).sqrt();
    Site {
        score: members.iter().map(|(_, score)| score).sum(),
        residues: members.len(),
        center,
        volume: 4.0 / 3.0 * PI * radius.powi(3),
    }
}

/// Where a residue's alpha carbon is in the frame of the file.
fn alpha_carbon(structure: &StructureInput, row: usize) -> Option<[f64; 3]> {
    let index = structure.ca_indices.get(row).copied().filter(|&index| index != NO_CA)?;
    let atom = structure.atoms.get(index as usize)?;
    let [x, y, z] = structure.center;
    Some([f64::from(atom.x) + x, f64::from(atom.y) + y, f64::from(atom.z) + z])
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared_types::Atom;

    #[test]
    fn a_site_is_a_ball_around_its_alpha_carbons() {
        let at = |x: f32, y: f32| Atom { x, y, z: 0.0, radius: 1.88 };
        let structure = StructureInput {
            atoms: vec![at(1.0, 0.0), at(-1.0, 0.0), at(0.0, 1.0), at(0.0, -1.0), at(9.0, 9.0)],
            ca_indices: vec![0, 1, 2, 3, 4],
            center: [10.0, 20.0, 30.0],
            ..StructureInput::default()
        };
        let scores = [0.5, 0.25, 0.5, 0.75, 0.125];
        let found = sites(&structure, &scores, &[0, 0, 0, 0, -1]);
        let radius = (5.0_f64 / 3.0).sqrt();
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].score, found[0].residues, found[0].center), (2.0, 4, [10.0, 20.0, 30.0]));
        assert!((found[0].volume - 4.0 / 3.0 * PI * radius.powi(3)).abs() < 1e-12);
        assert_eq!(sites(&structure, &scores, &[-1; 5]), []);
    }
}
