//! A frame, and its periodic cell.

/// A frame of a trajectory. Reading into one again uses its memory again.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// Positions in Å: of the first atoms, as many as were asked for. In formats that have nanometres these are multiplied by 10
    /// in single precision.
    pub positions: Vec<[f32; 3]>,
    /// The time in ps, if the file has times.
    pub time: Option<f64>,
    /// The periodic cell, if the file has one.
    pub cell: Option<Cell>,
}

/// The three vectors of a periodic cell in Å.
pub type Cell = [[f64; 3]; 3];

/// A cell from its lengths in Å and its angles α, β and γ in degrees; `None` if they span none.
pub(crate) fn cell_of([a, b, c, alpha, beta, gamma]: [f64; 6]) -> Option<Cell> {
    // Exact zeros for the usual angle.
    let cos = |angle: f64| if angle == 90.0 { 0.0 } else { angle.to_radians().cos() };
    let sin = |angle: f64| if angle == 90.0 { 1.0 } else { angle.to_radians().sin() };
    let x = cos(beta);
    let y = (cos(alpha) - x * cos(gamma)) / sin(gamma);
    let z2 = 1.0 - x * x - y * y;
    let is_cell = a > 0.0 && b > 0.0 && c > 0.0 && z2 > 0.0 && [a, b, c].iter().all(|side| side.is_finite());
    is_cell.then(|| [[a, 0.0, 0.0], [b * cos(gamma), b * sin(gamma), 0.0], [c * x, c * y, c * z2.sqrt()]])
}

/// A cell from its vectors; `None` if they span none, as where a file has zeros for no cell.
pub(crate) fn cell_of_vectors(cell: Cell) -> Option<Cell> {
    let [a, b, c] = cell;
    let cross = [b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2], b[0] * c[1] - b[1] * c[0]];
    let volume: f64 = a.iter().zip(cross).map(|(a, b)| a * b).sum();
    (volume.is_finite() && volume != 0.0).then_some(cell)
}
