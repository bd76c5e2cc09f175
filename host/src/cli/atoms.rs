//! `prism atoms`.

use super::args::{AlgorithmArg, AtomsArgs, RadiiArg};
use super::failure::Failure;
use super::relations::{selection, write};
use prism_host::atoms::{Algorithm, AtomOptions};
use prism_host::output::{AtomLines, AtomsRelation, Relation as _};
use prism_host::radii::RadiusSet;

/// Lists atoms. Returns the exit status.
pub fn run(args: &AtomsArgs) -> Result<u8, Failure> {
    let described = &args.described;
    if let Some(told) = described.tell("atoms", AtomLines.columns()) {
        return told;
    }
    described.job.refuse_points_file()?;
    if !(args.probe > 0.0 && args.probe <= 5.0) {
        return Err(Failure::usage(anyhow::anyhow!("--probe: {} is not above 0 and at most 5 Å", args.probe)));
    }
    let mut to = described.destination();
    let radii = match &args.radii {
        RadiiArg::Protor => None,
        RadiiArg::Named(name) => RadiusSet::named(name),
        RadiiArg::File(path) => {
            to.beside = to.beside.reads(Some(path));
            Some(RadiusSet::read(path).map_err(|error| Failure::usage(anyhow::anyhow!("--radii: {error}")))?)
        }
    };
    let algorithm = match args.algorithm {
        AlgorithmArg::ShrakeRupley => Algorithm::ShrakeRupley,
        AlgorithmArg::LeeRichards => Algorithm::LeeRichards(args.slices),
    };
    let options = AtomOptions { probe: args.probe, radii, algorithm };
    let cover = described.job.read.options().cover;
    let failures = to.failures.clone();
    write(to, selection(&[]), |job, _| {
        Ok(AtomsRelation { engine: job.engine_of(selection(&["sasa", "depth"]))?, options, cover, failures })
    })
}
