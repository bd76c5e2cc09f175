//! Cations over aromatic rings.

use crate::interactions::Interaction;
use crate::interactions::cells::Cells;
use crate::interactions::elements::N;
use crate::interactions::geometry::{Point, acute, distance, minus};
use crate::interactions::kinds::Kind;
use crate::interactions::search::Search;

/// In Å, from the centre of the ring.
const FARTHEST: f64 = 6.0;
/// How far the cation's foot may be from the centre of the ring, in Å.
const OFFSET: f64 = 2.0;

pub(super) fn find(search: &Search, found: &mut Vec<Interaction>) {
    let centres: Vec<Point> = search.rings.iter().map(|ring| ring.centre).collect();
    let cells = Cells::new(&centres, FARTHEST);
    let is_nitrogen = |atom: &u32| search.system.element(*atom) == N;
    for charge in search.charges.iter().filter(|charge| charge.is_positive && charge.atoms.iter().all(is_nitrogen)) {
        // A guanidine is one cation, over its centre.
        let centre = search.centre(&charge.atoms);
        let own = search.residue(charge.atoms[0]);
        cells.near(centre, FARTHEST, |index, _| {
            let ring = &search.rings[index as usize];
            let other = search.residue(ring.atoms[0]);
            if own == other || Search::offset(ring, centre) > OFFSET {
                return;
            }
            let distance = distance(centre, ring.centre);
            let angle = acute(ring.normal, minus(centre, ring.centre));
            found.push(Interaction { angle, ..search.of_groups(Kind::CationPi, &charge.atoms, &ring.atoms, distance) });
        });
    }
}
