//! Clusters of buried water.

use super::{area, place, push};
use crate::{Engine, EngineError};
use prism_read::grid::Grid;
use prism_read::structure::{HeteroResidue, StructureInput, Water};

/// Oxygens of a cluster are no farther from the next one, in Å: those of hydrogen bonds.
const LINK: f64 = 3.5;
/// The fewest waters of a cluster.
const FEWEST: usize = 2;

/// The clusters of which no water has accessible area among everything and all other waters, in the order of their first waters.
/// `complex` is everything but water.
pub(super) fn buried(
    engine: &Engine,
    complex: &StructureInput,
    waters: &[Water],
) -> Result<Vec<Vec<usize>>, EngineError> {
    let mut clusters = clusters(waters);
    clusters.retain(|cluster| cluster.len() >= FEWEST);
    if clusters.is_empty() {
        return Ok(Vec::new());
    }
    let wet = [with(complex.clone(), waters)];
    let computed = engine.run(&wet)?;
    let areas = &area(&computed[0])[complex.residue_types.len()..];
    clusters.retain(|cluster| cluster.iter().all(|&water| areas[water] == 0.0));
    Ok(clusters)
}

/// Waters that are linked to each other, in the order of the first ones.
fn clusters(waters: &[Water]) -> Vec<Vec<usize>> {
    let grid = Grid::new(LINK, waters.iter().map(|water| place(&water.atom)));
    let (mut is_known, mut all) = (vec![false; waters.len()], Vec::new());
    for first in 0..waters.len() {
        if std::mem::replace(&mut is_known[first], true) {
            continue;
        }
        let (mut cluster, mut at) = (vec![first], 0);
        while let Some(&water) = cluster.get(at) {
            for (other, _) in grid.near(place(&waters[water].atom)) {
                if !std::mem::replace(&mut is_known[other], true) {
                    cluster.push(other);
                }
            }
            at += 1;
        }
        cluster.sort_unstable();
        all.push(cluster);
    }
    all
}

/// A structure with each water as a residue of its own.
pub(super) fn with(mut structure: StructureInput, waters: &[Water]) -> StructureInput {
    for water in waters {
        structure.atoms.to_mut().push(water.atom);
        let end = structure.atoms.len() as u32;
        let residue = HeteroResidue { number: water.number, icode: water.icode.clone(), ..HeteroResidue::default() };
        push(&mut structure, &residue, end);
    }
    structure
}
