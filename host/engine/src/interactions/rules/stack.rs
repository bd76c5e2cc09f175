//! Aromatic rings side by side, and edge to face.

use crate::interactions::Interaction;
use crate::interactions::cells::each_pair;
use crate::interactions::geometry::{Point, acute};
use crate::interactions::kinds::Kind;
use crate::interactions::search::Search;

/// Centres of parallel and of perpendicular rings are no farther apart, in Å.
const PARALLEL: f64 = 5.5;
const PERPENDICULAR: f64 = 6.5;
/// Angles between planes, in degrees.
const MOST_PARALLEL: f64 = 35.0;
const LEAST_PERPENDICULAR: f64 = 50.0;
/// How far a centre's foot may be from the other centre, in Å.
const OFFSET: f64 = 2.5;

pub(super) fn find(kind: Kind, search: &Search, found: &mut Vec<Interaction>) {
    let centres: Vec<Point> = search.rings.iter().map(|ring| ring.centre).collect();
    each_pair(&centres, PERPENDICULAR, |a, b, distance2| {
        let [one, other] = [a, b].map(|ring| &search.rings[ring as usize]);
        let [first, second] = [one, other].map(|ring| search.residue(ring.atoms[0]));
        if first == second {
            return;
        }
        let (distance, angle) = (distance2.sqrt(), acute(one.normal, other.normal));
        let offset = Search::offset(one, other.centre).min(Search::offset(other, one.centre));
        let is_found = offset <= OFFSET
            && match kind {
                Kind::PiStack => distance <= PARALLEL && angle <= MOST_PARALLEL,
                _ => angle >= LEAST_PERPENDICULAR,
            };
        if is_found {
            found.push(Interaction { angle, ..search.of_groups(kind, &one.atoms, &other.atoms, distance) });
        }
    });
}
