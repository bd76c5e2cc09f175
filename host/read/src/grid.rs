//! Points in cells, to find those near a place.

use std::collections::HashMap;

/// Points in cells as large as the distance that is asked for.
pub struct Grid {
    reach: f64,
    cells: HashMap<[i64; 3], Vec<(u32, [f64; 3])>>,
}

impl Grid {
    /// Points by their index, of which those within `reach` Å of places are found.
    pub fn new(reach: f64, points: impl IntoIterator<Item = [f64; 3]>) -> Self {
        let mut grid = Self { reach, cells: HashMap::new() };
        for (index, point) in points.into_iter().enumerate() {
            grid.cells.entry(grid.cell(point)).or_default().push((index as u32, point));
        }
        grid
    }

    fn cell(&self, point: [f64; 3]) -> [i64; 3] {
        point.map(|along| (along / self.reach).floor() as i64)
    }

    /// The points within reach of a place, and the squares of their distances.
    pub fn near(&self, place: [f64; 3]) -> impl Iterator<Item = (usize, f64)> {
        let [x, y, z] = self.cell(place);
        let step = |from: i64, step: i64| from.saturating_add(step - 1);
        let around = (0..27).map(move |i| [step(x, i % 3), step(y, i / 3 % 3), step(z, i / 9)]);
        around.filter_map(|cell| self.cells.get(&cell)).flatten().filter_map(move |(index, point)| {
            let distance2 = (0..3).map(|axis| (place[axis] - point[axis]).powi(2)).sum::<f64>();
            (distance2 <= self.reach * self.reach).then_some((*index as usize, distance2))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_within_reach_are_those_of_all_pairs() {
        let points: Vec<[f64; 3]> = (0..300)
            .map(|i| [i * 37 % 101, i * 53 % 97, i * 71 % 89].map(|along| f64::from(along) / 4.0 - 9.0))
            .collect();
        let grid = Grid::new(3.0, points.iter().copied());
        for place in &points {
            let mut found: Vec<usize> = grid.near(*place).map(|(index, _)| index).collect();
            found.sort_unstable();
            let distance2 = |other: &[f64; 3]| (0..3).map(|axis| (place[axis] - other[axis]).powi(2)).sum::<f64>();
            let expected: Vec<usize> = (0..points.len()).filter(|&other| distance2(&points[other]) <= 9.0).collect();
            assert_eq!(found, expected);
        }
        // The cells of such a place are at the end of all numbers.
        assert_eq!(grid.near([1e300, -1e300, 0.0]).count(), 0);
    }
}
