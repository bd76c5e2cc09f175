//! Which frame of a trajectory a structure is.

/// The frame of a trajectory that a structure is.
///
/// ```
/// use prism_read::structure::FrameOf;
///
/// let last = FrameOf { number: 99, time: 990.0 };
/// assert_eq!(last.to_string(), "frame 99");
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameOf {
    /// Its number in the trajectory, from 0; of several files, those of later ones follow.
    pub number: u32,
    /// Its time in ps; NaN if it is unknown.
    pub time: f32,
}

impl std::fmt::Display for FrameOf {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "frame {}", self.number)
    }
}
