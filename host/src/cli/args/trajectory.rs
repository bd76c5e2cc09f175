//! Arguments of trajectories.

use clap::{Args, ValueEnum};
use prism_host::trajectory::{Boundaries, FrameRange};
use std::path::PathBuf;

/// Frames in place of structures.
#[derive(Debug, Args)]
#[command(next_help_heading = "Trajectories")]
pub struct TrajectoryArgs {
    /// Compute every frame of these files: XTC, TRR, DCD, AMBER NetCDF, GRO. PATH is then one topology.
    ///
    /// The topology is PDB, mmCIF, GRO, PSF or PRMTOP. Of several trajectories, one follows the other.
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub trajectory: Vec<PathBuf>,

    /// Frames to take, from 0, as start:stop:step (stop is left out; negative numbers count from the end), or one number.
    #[arg(long, value_name = "RANGE", requires = "trajectory", allow_hyphen_values = true, hide_short_help = true)]
    pub frames: Option<FrameRange>,

    /// Take the first frame of every so many picoseconds, from the first one on.
    #[arg(long, value_name = "PS", requires = "trajectory", value_parser = picoseconds, hide_short_help = true)]
    pub every: Option<f64>,

    /// Molecules that a periodic boundary divides: put together along residues and chains, or left as they are.
    #[arg(
        long,
        value_enum,
        value_name = "whole|none",
        default_value_t = PbcArg::Whole,
        requires = "trajectory",
        hide_short_help = true
    )]
    pub pbc: PbcArg,
}

impl TrajectoryArgs {
    /// The arguments, if a trajectory is given.
    pub fn given(&self) -> Option<&Self> {
        (!self.trajectory.is_empty()).then_some(self)
    }
}

/// What to do with molecules that a periodic boundary divides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PbcArg {
    /// Put them together.
    Whole,
    /// Take positions as they are.
    None,
}

impl From<PbcArg> for Boundaries {
    fn from(arg: PbcArg) -> Self {
        match arg {
            PbcArg::Whole => Self::Whole,
            PbcArg::None => Self::AsWritten,
        }
    }
}

fn picoseconds(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|time: &f64| *time > 0.0 && time.is_finite())
        .ok_or_else(|| "give a time above 0".to_owned())
}
