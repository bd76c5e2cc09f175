//! Pairs of near points, in time proportional to their number: cells as wide as the reach, in a grid.

use super::geometry::{Point, dot, minus};
use std::ops::Range;

/// Points in cells.
///
/// The grid has at most some cells for each point. Where space has more, the numbers of cells along an axis begin again, so that a cell of
/// the grid stands for several that are far apart, whose points the distance tells apart.
pub(crate) struct Cells {
    edge: f64,
    /// Cells along each axis, at least three: a cell and its neighbours are not the same.
    sides: [i64; 3],
    /// Where the points of each cell begin in `order`, and the end.
    starts: Vec<u32>,
    /// Points cell by cell, with their indices, which rise in a cell.
    order: Vec<(Point, u32)>,
}

impl Cells {
    /// For pairs within `reach` Å.
    pub(crate) fn new(points: &[Point], reach: f64) -> Self {
        let edge = reach * 1.001;
        let places: Vec<[i64; 3]> = points.iter().map(|&point| place(point, edge)).collect();
        let mut sides = [0, 1, 2].map(|axis| {
            let along = || places.iter().map(|place| place[axis]);
            3.max(along().max().unwrap_or(0) - along().min().unwrap_or(0) + 1)
        });
        let most = 8.0 * points.len() as f64 + 27.0;
        while sides.iter().map(|&side| side as f64).product::<f64>() > most {
            let largest = sides.iter_mut().max().expect("three sides");
            *largest = 3.max((*largest + 1) / 2);
        }
        let mut cells = Self { edge, sides, starts: Vec::new(), order: Vec::new() };
        let numbers: Vec<usize> = places.iter().map(|place| cells.number(cells.wrapped(*place))).collect();
        cells.starts = vec![0; sides.iter().product::<i64>() as usize + 1];
        for &number in &numbers {
            cells.starts[number + 1] += 1;
        }
        for number in 1..cells.starts.len() {
            cells.starts[number] += cells.starts[number - 1];
        }
        cells.order = vec![([0.0; 3], 0); points.len()];
        let mut next = cells.starts.clone();
        for ((&point, index), &number) in points.iter().zip(0..).zip(&numbers) {
            cells.order[next[number] as usize] = (point, index);
            next[number] += 1;
        }
        cells
    }

    /// The place in the grid of a cell in space.
    fn wrapped(&self, place: [i64; 3]) -> [i64; 3] {
        [0, 1, 2].map(|axis| place[axis].rem_euclid(self.sides[axis]))
    }

    fn number(&self, [x, y, z]: [i64; 3]) -> usize {
        ((x * self.sides[1] + y) * self.sides[2] + z) as usize
    }

    /// Whether there is a point within `reach` Å of a place.
    pub(crate) fn has_near(&self, place: Point, reach: f64) -> bool {
        let mut near = false;
        self.near(place, reach, |_, _| near = true);
        near
    }

    /// Visits the points within `reach` Å of a place, with the squared distance.
    pub(crate) fn near(&self, from: Point, reach: f64, mut visit: impl FnMut(u32, f64)) {
        debug_assert!(reach <= self.edge);
        let [x, y, z] = self.wrapped(place(from, self.edge));
        let [width, height, depth] = self.sides;
        for x in neighbours(x, width) {
            for y in neighbours(y, height) {
                // Three cells in a row along z, maybe at both of its ends.
                let first = neighbours(z, depth)[0];
                let behind = (first + 3 - depth).max(0);
                self.in_row(self.number([x, y, first]), 3 - behind, from, reach, &mut visit);
                self.in_row(self.number([x, y, 0]), behind, from, reach, &mut visit);
            }
        }
    }

    /// Visits the near points of `count` cells in a row.
    fn in_row(&self, first: usize, count: i64, from: Point, reach: f64, visit: &mut impl FnMut(u32, f64)) {
        let points: Range<usize> = self.starts[first] as usize..self.starts[first + count as usize] as usize;
        for &(point, other) in &self.order[points] {
            let apart = minus(point, from);
            let distance2 = dot(apart, apart);
            if distance2 <= reach * reach {
                visit(other, distance2);
            }
        }
    }
}

/// The cell of a point in space, for cells with edges of `edge` Å. The outermost cells take all that is farther.
fn place(point: Point, edge: f64) -> [i64; 3] {
    const MOST: f64 = (1_u64 << 40) as f64;
    point.map(|along| (along / edge).floor().clamp(-MOST, MOST) as i64)
}

/// A cell and those beside it, along an axis that begins again after `side` cells.
fn neighbours(cell: i64, side: i64) -> [i64; 3] {
    [if cell == 0 { side - 1 } else { cell - 1 }, cell, if cell + 1 == side { 0 } else { cell + 1 }]
}

/// Visits each pair of points within `reach` Å, the lower index first, with their squared distance.
pub(crate) fn each_pair(points: &[Point], reach: f64, mut visit: impl FnMut(u32, u32, f64)) {
    let cells = Cells::new(points, reach);
    for (&from, index) in points.iter().zip(0..) {
        cells.near(from, reach, |other, distance2| {
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
