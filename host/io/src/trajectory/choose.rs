//! Which frames of a trajectory to take.

use super::Trajectory;
use std::str::FromStr;
use thiserror::Error;

/// A range of frames as Python's slices: `start:stop:step`, each of which may be missing; negative numbers count from the end. A single
/// number is one frame.
///
/// ```
/// use prism_io::trajectory::FrameRange;
///
/// let of_ten = |text: &str| text.parse::<FrameRange>().map(|range| range.of(10).collect::<Vec<_>>());
/// assert_eq!(of_ten("2:8:3").unwrap(), [2, 5]);
/// assert_eq!(of_ten("-3:").unwrap(), [7, 8, 9]);
/// assert_eq!(of_ten("::4").unwrap(), [0, 4, 8]);
/// assert_eq!(of_ten("-1").unwrap(), [9]);
/// assert!(of_ten("1:2:0").is_err() && of_ten("a:b").is_err() && of_ten("").is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameRange {
    start: Option<i64>,
    stop: Option<i64>,
    step: usize,
}

impl FromStr for FrameRange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let advice = || "give start:stop:step, such as 100:200:5, 1000: or ::10, or one number".to_owned();
        let number = |part: &str| match part.trim() {
            "" => Ok(None),
            part => part.parse().map(Some).map_err(|_| advice()),
        };
        let parts: Vec<&str> = text.split(':').collect();
        let (start, stop, step) = match parts[..] {
            [""] => return Err(advice()),
            [one] => {
                let start: Option<i64> = number(one)?;
                return Ok(Self {
                    start,
                    stop: start.and_then(|one| one.checked_add(1)).filter(|stop| *stop != 0),
                    step: 1,
                });
            }
            [start, stop] => (number(start)?, number(stop)?, None),
            [start, stop, step] => (number(start)?, number(stop)?, number(step)?),
            _ => return Err(advice()),
        };
        let step = usize::try_from(step.unwrap_or(1)).ok().filter(|step| *step > 0);
        Ok(Self { start, stop, step: step.ok_or_else(|| "the step must be a number above 0".to_owned())? })
    }
}

impl FrameRange {
    /// The frames of so many.
    pub fn of(self, frames: usize) -> impl Iterator<Item = usize> {
        let place = |given: i64| match usize::try_from(given) {
            Ok(place) => place.min(frames),
            Err(_) => frames.saturating_sub(usize::try_from(given.unsigned_abs()).unwrap_or(usize::MAX)),
        };
        let (start, stop) = (self.start.map_or(0, place), self.stop.map_or(frames, place));
        (start..stop.max(start)).step_by(self.step)
    }
}

/// Why no frames can be chosen.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ChooseError {
    /// There are none in the range.
    #[error("--frames chooses none of the {0} frames")]
    None(usize),
    /// Frames have one time.
    #[error("--every needs times, and those of {0} are all {1} ps; take every N-th frame by --frames ::N")]
    EqualTimes(String, f64),
    /// A file has no times.
    #[error("--every needs times, and {0} has none; take every N-th frame by --frames ::N")]
    NoTimes(String),
    /// A frame of a file has no time, counted from 0 there.
    #[error(
        "--every needs times, and frame {1} of {0} has none; take every N-th frame by --frames ::N, or leave it out"
    )]
    NoTime(String, usize),
}

impl ChooseError {
    /// Of a file with a frame that has no time.
    fn no_time(run: &Trajectory, frame: usize) -> Self {
        let name = run.name().to_owned();
        match (0..run.n_frames()).any(|other| run.time(other).is_some()) {
            true => Self::NoTime(name, frame),
            false => Self::NoTimes(name),
        }
    }
}

/// The chosen frames of some files, one after the other: the frame's number among all, its file, and its number there.
///
/// # Errors
/// If there are none, or files have no times while `every` (in ps) asks for them.
pub fn choose_frames(
    files: &[Trajectory],
    range: Option<FrameRange>,
    every: Option<f64>,
) -> Result<Vec<(u32, u32, u32)>, ChooseError> {
    // How many frames there are up to the end of each file.
    let sum = |before: &mut usize, run: &Trajectory| {
        *before += run.n_frames();
        Some(*before)
    };
    let ends: Vec<usize> = files.iter().scan(0, sum).collect();
    let total = ends.last().copied().unwrap_or(0);
    let numbered = |number: usize| {
        let file = ends.partition_point(|end| *end <= number);
        (number as u32, file as u32, (number + files[file].n_frames() - ends[file]) as u32)
    };
    let mut chosen: Vec<(u32, u32, u32)> = match range {
        Some(range) => range.of(total).map(numbered).collect(),
        None => (0..total).map(numbered).collect(),
    };
    if let Some(every) = every {
        // Times are rounded to single precision in most formats.
        let tolerance = every * 1e-3;
        let (mut before, mut next) = (f64::INFINITY, f64::INFINITY);
        let mut kept = Vec::new();
        let mut differ = chosen.len() < 2;
        for one in &chosen {
            let run = &files[one.1 as usize];
            let time = run.time(one.2 as usize).ok_or_else(|| ChooseError::no_time(run, one.2 as usize))?;
            differ |= before.is_finite() && time.to_bits() != before.to_bits();
            // From the first frame's time on, whatever is left out between. Where time goes back, another run begins.
            if time < before {
                next = time;
            }
            before = time;
            if time >= next - tolerance {
                next += every * (1.0 + ((time - next + tolerance) / every).floor());
                kept.push(*one);
            }
        }
        if !differ {
            return Err(ChooseError::EqualTimes(files[chosen[0].1 as usize].name().to_owned(), before));
        }
        chosen = kept;
    }
    if chosen.is_empty() { Err(ChooseError::None(total)) } else { Ok(chosen) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_chosen_by_number_and_time_through_all_files() {
        let open = || Trajectory::open("../trajectory/tests/data/small.xtc").unwrap();
        let files = [open(), open()];
        let numbers = |range: Option<&str>, every| -> Vec<_> {
            let range = range.map(|text| text.parse().unwrap());
            choose_frames(&files[..if every { 1 } else { 2 }], range, every.then_some(20.0)).unwrap()
        };
        assert_eq!(numbers(Some("4:9:2"), false), [(4, 0, 4), (6, 1, 0), (8, 1, 2)]);
        // Times are 0, 10, ... 50.
        assert_eq!(numbers(None, true).iter().map(|one| one.0).collect::<Vec<_>>(), [0, 2, 4]);
        assert_eq!(numbers(Some("1:"), true).iter().map(|one| one.0).collect::<Vec<_>>(), [1, 3, 5]);
        // The second file's times begin anew, and so does what is taken of it.
        let both = choose_frames(&files, None, Some(20.0)).unwrap();
        assert_eq!(both.iter().map(|one| one.0).collect::<Vec<_>>(), [0, 2, 4, 6, 8, 10]);
        let late = choose_frames(&files, Some("3:".parse().unwrap()), Some(20.0)).unwrap();
        assert_eq!(late.iter().map(|one| one.0).collect::<Vec<_>>(), [3, 5, 6, 8, 10]);
        let equal = choose_frames(&files, Some("::6".parse().unwrap()), Some(20.0)).unwrap_err().to_string();
        assert!(equal.contains("are all 0 ps; take every N-th frame"), "{equal}");
        let undefined = |frames: std::ops::Range<usize>| {
            let mut bytes = std::fs::read("../trajectory/tests/data/few.xtc").unwrap();
            // Six frames of one length, each with its time behind three numbers.
            let length = bytes.len() / 6;
            frames.for_each(|frame| bytes[length * frame + 12..][..4].copy_from_slice(&f32::NAN.to_be_bytes()));
            let run = Trajectory::of_bytes("few.xtc", bytes).unwrap();
            choose_frames(&[run], None, Some(20.0)).unwrap_err().to_string()
        };
        assert!(undefined(2..3).contains("frame 2 of few.xtc has none"), "{}", undefined(2..3));
        assert!(undefined(0..6).contains("and few.xtc has none; take every N-th"), "{}", undefined(0..6));
        let range = Some("90:".parse().unwrap());
        assert_eq!(choose_frames(&files, range, None), Err(ChooseError::None(12)));
    }
}
