//! Frames of trajectories as the inputs of a run.

use super::args::TrajectoryArgs;
use super::failure::Failure;
use super::job::Job;
use super::reading::NameByArg;
use prism_host::inputs::{InputFailure, InputFile, Inputs, Source, stem};
use prism_host::pipeline::{Cancel, TrajectoryFrames};
use prism_host::read::ReadOptions;
use prism_host::trajectory::{IndexFolder, Template, Trajectory, choose_frames};
use std::path::Path;

fn refused(text: &str) -> Failure {
    Failure::usage(anyhow::anyhow!("{text}"))
}

fn failed(failure: &InputFailure) -> Failure {
    Failure::work(anyhow::anyhow!("{}: {}", failure.name, failure.reason))
}

impl Job<'_> {
    /// Opens a trajectory and its topology. Returns the frames, and the files as inputs.
    pub fn frames(&self, args: &TrajectoryArgs, cancel: &Cancel) -> Result<(TrajectoryFrames, Inputs), Failure> {
        let read = &self.args.read;
        let [top] = self.paths else {
            return Err(refused(
                "--trajectory: name one topology (PDB, mmCIF, GRO, PSF or PRMTOP) as the input; its frames are computed",
            ));
        };
        if read.from_file.is_some() || top == Path::new("-") {
            return Err(refused("--trajectory: the topology is a file that is named itself"));
        }
        if read.name.is_some() {
            let advice = "--name is for what comes through standard input; frames have the name of the topology's file";
            return Err(refused(advice));
        }
        if read.each.is_some() {
            return Err(refused("--each is for structures, not for --trajectory; --chains takes some of its chains"));
        }
        if self.lineages.is_some() {
            return Err(refused("--lineages is for structures, not for --trajectory"));
        }
        let (mut files, indices) = (Vec::new(), IndexFolder::of_user());
        for path in &args.trajectory {
            let run = Trajectory::open_indexed(path, indices.as_ref())
                .map_err(|error| Failure::work(anyhow::anyhow!("{error}")))?;
            files.push(run);
        }
        let chosen =
            choose_frames(&files, args.frames, args.every).map_err(|error| Failure::usage(anyhow::anyhow!(error)))?;
        let options = ReadOptions { labels: self.labels, atoms: self.atoms || self.atoms_if_known, ..read.options() };
        let name = match read.name_by {
            Some(NameByArg::Path) => top.display().to_string(),
            Some(NameByArg::Stem) => stem(top),
            _ => Template::name_of(top),
        };
        let mut template =
            Template::read(top, &name, &files[0], &options, args.pbc.into()).map_err(|failure| failed(&failure))?;
        if let Some(other) = files.iter().find(|run| run.n_atoms() != files[0].n_atoms()) {
            let (first, n) = (files[0].name(), files[0].n_atoms());
            let text = format!(
                "{}: has {} atoms in each frame, but {first} has {n}; give them apart",
                other.name(),
                other.n_atoms()
            );
            return Err(Failure::work(anyhow::anyhow!(text)));
        }
        if let Some((_, annotations)) = &self.annotations {
            annotations.apply(template.structure_mut());
        }
        let entries = std::iter::once(top).chain(&args.trajectory).map(|path| {
            let size = std::fs::metadata(path).map_or(0, |metadata| metadata.len());
            Ok(InputFile { name: path.display().to_string(), path: path.clone(), size, source: Source::File })
        });
        let inputs = Inputs { entries: entries.collect(), ..Inputs::default() };
        let frames = TrajectoryFrames::new(template, files, chosen, usize::MAX, cancel)
            .map_err(|error| super::limits::no_threads(&error))?;
        Ok((frames, inputs))
    }
}
