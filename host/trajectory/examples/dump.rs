//! Writes the positions of every frame in Å: frame by frame, in single precision, little-endian. `tests/compare.py` compares them with
//! what other programs read.

use prism_trajectory::{Frame, Trajectory, TrajectoryError};
use std::io::{BufWriter, Write, stdout};

fn main() -> Result<(), TrajectoryError> {
    let path = std::env::args_os().nth(1).unwrap_or_default();
    let run = Trajectory::open(path)?;
    let (mut out, mut frame) = (BufWriter::new(stdout()), Frame::default());
    eprintln!("{} {} {} {}", run.format().replace(' ', "_"), run.n_frames(), run.n_atoms(), run.without_positions());
    if let Some(damage) = run.damage() {
        eprintln!("{damage}");
    }
    for index in 0..run.n_frames() {
        run.read(index, usize::MAX, &mut frame)?;
        eprintln!("{:?} {:?}", frame.time, frame.cell);
        let bytes = frame.positions.iter().flatten().flat_map(|value| value.to_le_bytes());
        // A reader that has seen enough closes the pipe.
        if out.write_all(&bytes.collect::<Vec<u8>>()).is_err() {
            break;
        }
    }
    Ok(())
}
