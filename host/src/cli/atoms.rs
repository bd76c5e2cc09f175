//! `prism atoms`.

use super::args::{AlgorithmArg, AtomsArgs, RadiiArg, RsaArg};
use super::failure::Failure;
use super::folder::is_one;
use super::job::{Job, Sink};
use super::provenance;
use super::relations::{selection, write, write_sink};
use prism_host::atoms::{Algorithm, AtomOptions};
use prism_host::output::{
    AreasFormat, AtomLines, AtomsRelation, OutputError, OutputFile, ReferenceAreas, Relation as _, check_place,
};
use prism_host::radii::RadiusSet;
use serde_json::{Value, json};
use std::path::Path;

/// Lists atoms. Returns the exit status.
pub fn run(args: &AtomsArgs) -> Result<u8, Failure> {
    let described = &args.described;
    if let Some(status) = described.tell("atoms", AtomLines.columns()) {
        return status;
    }
    described.job.refuse_points_file()?;
    if !(args.probe > 0.0 && args.probe <= 5.0) {
        return Err(Failure::usage(anyhow::anyhow!("--probe: {} is not above 0 and at most 5 Å", args.probe)));
    }
    let mut to = described.destination(Value::Null);
    to.trajectory = args.trajectory.given();
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
    let set = match &args.radii {
        RadiiArg::File(path) => provenance::digest_of(path)?,
        named => format!("{named:?}"),
    };
    to.what = json!({ "command": "atoms", "probe": args.probe, "radii": set, "algorithm": format!("{algorithm:?}") });
    let options = AtomOptions { probe: args.probe, radii, algorithm };
    let cover = described.job.read.options().cover;
    let failures = to.failures.clone();
    let relation = |job: &Job<'_>| -> Result<AtomsRelation, Failure> {
        let engine = job.engine_of(selection(&["sasa", "depth"]))?;
        Ok(AtomsRelation::new(engine, options.clone(), cover, failures.clone()))
    };
    let format = areas_format(args);
    if args.rsa == RsaArg::Naccess && format != Some(AreasFormat::Naccess) {
        return Err(Failure::usage(anyhow::anyhow!("--rsa naccess is of areas of residues: give -o FILE.rsa")));
    }
    let Some(format) = format else {
        let checked =
            described.output.as_deref().filter(|path| !is_one(path)).map_or(Ok(()), OutputFile::check_relation);
        if let Err(error @ OutputError::RelationFormat { .. }) = checked {
            return Err(Failure::usage(anyhow::anyhow!("{error}; areas are also written as rsa and pdb")));
        }
        return write(to, selection(&[]), |job, _| relation(job));
    };
    if to.trajectory.is_some() {
        let advice =
            "-o: .rsa and .pdb are of structures, and not of the frames of --trajectory; take .csv or .parquet";
        return Err(Failure::usage(anyhow::anyhow!(advice)));
    }
    let reference = match &args.radii {
        RadiiArg::Protor => ReferenceAreas::ProtOr,
        RadiiArg::Named("naccess") => ReferenceAreas::Naccess,
        _ => ReferenceAreas::None,
    };
    write_sink(to, selection(&[]), check_place, |job, output, _| {
        let path = output.unwrap_or(Path::new("-"));
        Ok(Sink::File(OutputFile::create_areas(path, relation(job)?, format, reference)?))
    })
}

/// The format of FreeSASA or NACCESS that a file's name asks for.
fn areas_format(args: &AtomsArgs) -> Option<AreasFormat> {
    match args.described.output.as_deref()?.extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "rsa" => Some(match args.rsa {
            RsaArg::Freesasa => AreasFormat::Rsa,
            RsaArg::Naccess => AreasFormat::Naccess,
        }),
        "pdb" => Some(AreasFormat::Pdb),
        _ => None,
    }
}
