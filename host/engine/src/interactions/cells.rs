//! Pairs of near points, in time proportional to their number: cells as wide as the reach, in sorted order.

use super::geometry::{Point, dot, minus};
use std::ops::Range;

/// Bits of a cell's number for an axis.
const BITS: u32 = 21;

/// The number of a point's cell, for cells with edges of `edge` Å: those of x, y and z, one after another, so that three cells in a row
/// along z have consecutive numbers. The outermost cells take all that is farther, and have neighbours, too.
fn cell(point: Point, edge: f64) -> u64 {
    const MOST: f64 = (1 << (BITS - 1)) as f64 - 2.0;
    point.into_iter().fold(0, |number, x| {
        let along = (x / edge).floor().clamp(-MOST, MOST) as i64 + (1 << (BITS - 1));
        number << BITS | along as u64
    })
}

/// What is added to a cell's number for the first cell of each of the nine rows of three that are its neighbours and itself.
fn rows() -> impl Iterator<Item = i64> {
    let sides = || -1..=1_i64;
    sides().flat_map(move |x| sides().map(move |y| (x << (2 * BITS)) + (y << BITS) - 1))
}

/// Points in cells.
pub(crate) struct Cells {
    edge: f64,
    /// Cells with points, in order.
    cells: Vec<u64>,
    /// Where the points of each cell begin in `order`, and the end.
    starts: Vec<u32>,
    /// Points cell by cell, with their indices.
    order: Vec<(Point, u32)>,
}

impl Cells {
    /// For pairs within `reach` Å.
    pub(crate) fn new(points: &[Point], reach: f64) -> Self {
        let edge = reach * 1.001;
        let mut keyed: Vec<(u64, u32)> =
            points.iter().zip(0..).map(|(&point, index)| (cell(point, edge), index)).collect();
        keyed.sort_unstable();
        let (mut cells, mut starts): (Vec<u64>, Vec<u32>) = Default::default();
        for (&(cell, _), at) in keyed.iter().zip(0..) {
            if cells.last() != Some(&cell) {
                cells.push(cell);
                starts.push(at);
            }
        }
        starts.push(keyed.len() as u32);
        let order = keyed.into_iter().map(|(_, index)| (points[index as usize], index)).collect();
        Self { edge, cells, starts, order }
    }

    /// Whether there is a point within `reach` Å of a place.
    pub(crate) fn has_near(&self, place: Point, reach: f64) -> bool {
        let mut near = false;
        self.near(place, reach, |_, _| near = true);
        near
    }

    /// Visits the points within `reach` Å of a place, with the squared distance.
    pub(crate) fn near(&self, place: Point, reach: f64, mut visit: impl FnMut(u32, f64)) {
        debug_assert!(reach <= self.edge);
        let own = cell(place, self.edge);
        for row in rows() {
            let lowest = own.wrapping_add_signed(row);
            let first = self.cells.partition_point(|cell| *cell < lowest);
            for &(point, other) in &self.order[self.row(first, lowest)] {
                let apart = minus(point, place);
                let distance2 = dot(apart, apart);
                if distance2 <= reach * reach {
                    visit(other, distance2);
                }
            }
        }
    }

    /// The points of three cells in a row, whose numbers begin with `lowest`. `first` is the first cell that has it or a higher one.
    fn row(&self, first: usize, lowest: u64) -> Range<usize> {
        let own = self.cells[first..].iter().take_while(|cell| **cell <= lowest + 2).count();
        self.starts[first] as usize..self.starts[first + own] as usize
    }
}

/// Visits each pair of points within `reach` Å, the lower index first, with their squared distance.
pub(crate) fn each_pair(points: &[Point], reach: f64, mut visit: impl FnMut(u32, u32, f64)) {
    let cells = Cells::new(points, reach);
    // The neighbours of a cell are found once for all of its points. Those in a row rise with the cell.
    let mut around: Vec<[Range<usize>; 9]> = vec![[const { 0..0 }; 9]; cells.cells.len()];
    for (row, index) in rows().zip(0..) {
        let mut first = 0;
        for (own, around) in cells.cells.iter().zip(&mut around) {
            let lowest = own.wrapping_add_signed(row);
            while cells.cells.get(first).is_some_and(|cell| *cell < lowest) {
                first += 1;
            }
            around[index] = cells.row(first, lowest);
        }
    }
    let mut cell_of = vec![0_u32; points.len()];
    for (bounds, cell) in cells.starts.windows(2).zip(0..) {
        cells.order[bounds[0] as usize..bounds[1] as usize]
            .iter()
            .for_each(|&(_, index)| cell_of[index as usize] = cell);
    }
    for (&place, index) in points.iter().zip(0..) {
        for range in &around[cell_of[index as usize] as usize] {
            for &(point, other) in &cells.order[range.clone()] {
                let apart = minus(point, place);
                let distance2 = dot(apart, apart);
                if distance2 <= reach * reach && other > index {
                    visit(index, other, distance2);
                }
            }
        }
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
