//! Pairs of near points, in time proportional to their number: cells as wide as the reach, in sorted order.

use super::geometry::{Point, dot, minus};

/// The cell of a point, for cells with edges of `edge` Å. Neighbours are told by sums, so cells are kept from the ends of numbers.
fn cell(point: Point, edge: f64) -> [i32; 3] {
    point.map(|x| (x / edge).floor().clamp(-1e9, 1e9) as i32)
}

/// Points in cells.
pub(super) struct Cells<'p> {
    points: &'p [Point],
    edge: f64,
    /// Cells with points, in order, with where theirs begin in `order`.
    cells: Vec<([i32; 3], u32)>,
    order: Vec<u32>,
}

impl<'p> Cells<'p> {
    /// For pairs within `reach` Å.
    pub(super) fn new(points: &'p [Point], reach: f64) -> Self {
        let edge = reach * 1.001;
        let mut keyed: Vec<([i32; 3], u32)> =
            points.iter().zip(0..).map(|(&point, index)| (cell(point, edge), index)).collect();
        keyed.sort_unstable();
        let mut cells: Vec<([i32; 3], u32)> = Vec::new();
        for (at, &(cell, _)) in keyed.iter().enumerate() {
            if cells.last().is_none_or(|(last, _)| *last != cell) {
                cells.push((cell, at as u32));
            }
        }
        Self { points, edge, cells, order: keyed.into_iter().map(|(_, index)| index).collect() }
    }

    /// Whether there is a point within `reach` Å of a place.
    pub(super) fn has_near(&self, place: Point, reach: f64) -> bool {
        let mut near = false;
        self.near(place, reach, |_, _| near = true);
        near
    }

    /// Visits the points within `reach` Å of a place, with the squared distance. Three cells in a row are neighbours in the order.
    pub(super) fn near(&self, place: Point, reach: f64, mut visit: impl FnMut(u32, f64)) {
        debug_assert!(reach <= self.edge);
        let [x, y, z] = cell(place, self.edge);
        for x in x - 1..=x + 1 {
            for y in y - 1..=y + 1 {
                let begin = self.cells.partition_point(|(cell, _)| *cell < [x, y, z - 1]);
                let own = self.cells[begin..].iter().take_while(|(cell, _)| *cell <= [x, y, z + 1]).count();
                if own == 0 {
                    continue;
                }
                let first = self.cells[begin].1 as usize;
                let end = self.cells.get(begin + own).map_or(self.order.len(), |(_, at)| *at as usize);
                for &other in &self.order[first..end] {
                    let apart = minus(self.points[other as usize], place);
                    let distance2 = dot(apart, apart);
                    if distance2 <= reach * reach {
                        visit(other, distance2);
                    }
                }
            }
        }
    }
}

/// Visits each pair of points within `reach` Å, the lower index first, with their squared distance.
pub(super) fn each_pair(points: &[Point], reach: f64, mut visit: impl FnMut(u32, u32, f64)) {
    let cells = Cells::new(points, reach);
    for (&point, index) in points.iter().zip(0..) {
        cells.near(point, reach, |other, distance2| {
            if other > index {
                visit(index, other, distance2);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_those_of_all_points() {
        // A sequence without a pattern, from -10 to 10 Å.
        let mut state = 1_u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f64::from(state >> 8) / f64::from(1 << 24) * 20.0 - 10.0
        };
        let mut points: Vec<Point> = (0..400).map(|_| [next(), next(), next()]).collect();
        points.push([1e300, -1e300, 1e300]);
        let mut found = Vec::new();
        each_pair(&points, 2.5, |a, b, _| found.push((a, b)));
        found.sort_unstable();
        let near = |a: usize, b: usize| super::super::geometry::distance(points[a], points[b]) <= 2.5;
        let all = (0..400).flat_map(|a| (a + 1..400).map(move |b| (a, b)));
        let expected: Vec<(u32, u32)> = all.filter(|&(a, b)| near(a, b)).map(|(a, b)| (a as u32, b as u32)).collect();
        assert!(expected.len() > 500);
        assert_eq!(found, expected);
    }
}
