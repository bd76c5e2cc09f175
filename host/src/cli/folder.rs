//! Runs into a folder (`-o FOLDER/`), and `prism merge`.

use super::args::{FolderArgs, MergeArgs, ProvenanceArgs, TrajectoryArgs};
use super::failure::{ALL_DONE, Failure, NOTHING_WRITTEN};
use super::files::{Files, OUTPUT};
use super::job::{Job, Sink, Stop};
use super::parts::{self, FramesOf, Parts};
use super::provenance;
use super::reading::ReadArgs;
use super::report::Report;
use prism_host::inputs::Clashes;
use prism_host::output::{OutputFile, Provenance, check_place, merge_parquet};
use prism_host::pipeline::{Stopped, TrajectoryFrames};
use prism_host::plural::counted;
use prism_host::run::BatchSource;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use std::path::Path;
use std::sync::Arc;

impl FolderArgs {
    /// The folder of parts that an output is, if it is one. Options that do not go with the output are refused.
    pub fn of_output<'a>(
        &self,
        output: Option<&'a Path>,
        provenance: &ProvenanceArgs,
        trajectory: Option<&TrajectoryArgs>,
    ) -> Result<Option<&'a Path>, Failure> {
        let folder = output.filter(|path| is_one(path));
        let advice = match folder {
            None if self.resume => "--resume is for a run into a folder: -o FOLDER/",
            Some(_) if provenance.provenance.is_some() => {
                "--provenance: a folder's manifest.json says what its parts were computed with"
            }
            _ if trajectory.is_some() && (folder.is_some() || self.shard.is_some()) => {
                "--trajectory writes one table: without a folder and --shard"
            }
            _ => return Ok(folder),
        };
        Err(Failure::usage(anyhow::anyhow!(advice)))
    }
}

impl Job<'_> {
    /// Computes the unfinished parts of a run. `what` says what the command computes, `create` begins the table of a part. Returns the
    /// exit status.
    pub fn run_into(
        &self,
        path: &Path,
        args: &FolderArgs,
        what: Value,
        create: impl Fn(&Path, &Provenance) -> Result<OutputFile, Failure>,
    ) -> Result<u8, Failure> {
        let mut found = self.find()?;
        let frames = found.frames.take();
        let entries = Arc::clone(&found.entries);
        let mut ready = self.ready(found, None)?;
        let origin = Provenance { config: self.config(), more: vec![("prism.ptx_sha256", provenance::kernels())] };
        let options = self.options(what, &origin)?;
        let of_frames = frames.as_ref().map(|frames| self.of_frames(frames)).transpose()?;
        let begun = Parts::begin(path, &entries, of_frames, options, args, &mut ready.report)?;
        let Some(parts) = begun else { return Ok(ALL_DONE) };
        // A structure of one part may have the name of an input of another.
        let clashes = Arc::new(Clashes::among(entries.iter().flatten().map(|file| &*file.name)));
        for &number in parts.open() {
            let part = parts.part(number, &mut ready.report);
            let source = match &frames {
                Some(frames) => BatchSource::Frames(frames.part(part.inputs.clone())),
                None => {
                    let source = self.source(entries[part.inputs.clone()].into(), &ready.interrupt)?;
                    BatchSource::Files(source.with_clashes(Arc::clone(&clashes)))
                }
            };
            let table = create(&part.path, &origin)?;
            ready.interrupt.remove_on_exit(table.temporary_path());
            let mut sink = Sink::File(table);
            let before = ready.report.structures;
            let ended = self.pass(&mut ready, source, &mut sink);
            if ready.interrupt.cancel().is_cancelled() {
                return Err(Failure::Interrupted(ready.interrupt.exit_status()));
            }
            match ended {
                Ok(_) => {}
                Err(Stopped::Consumer(Stop::FirstFailed)) => {
                    parts::say_ended(&ready.report);
                    return Ok(NOTHING_WRITTEN);
                }
                Err(stopped) => return Err(Self::failure(stopped, &ready)),
            }
            let bytes = if ready.report.structures > before { sink.finish()? } else { 0 };
            parts.finish(&part, bytes, &mut ready.report)?;
        }
        for (name, text) in frames.iter().flat_map(TrajectoryFrames::remarks) {
            ready.report.note(&format!("{name}: {text}"));
        }
        let failed = ready.status.take().and_then(|status| status.commit().err()).map(Failure::from);
        let beside = failed.map(|failure| failure.report_beside("the parts are written"));
        self.sum_up(&ready);
        Ok(ready.report.exit_status().max(beside.unwrap_or_default()))
    }

    /// What tells a run over frames from others with the same names and sizes of files. Trajectories are large, and a run of the same
    /// system has the same size: the ends of each are compared. Times of changes are not, which copies have of their own.
    fn of_frames(&self, frames: &TrajectoryFrames) -> Result<FramesOf, Failure> {
        let mut all = Sha256::new();
        self.paths.iter().try_for_each(|top| digest_of(top).map(|digest| all.update(digest)))?;
        for run in frames.files() {
            all.update(run.digest_of_ends().map_err(|error| Failure::work(anyhow::anyhow!("{error}")))?);
        }
        Ok(FramesOf { count: frames.n_frames(), contents: provenance::hexadecimal(&all.finalize()) })
    }

    /// Everything besides the inputs that a part's bytes depend on.
    fn options(&self, what: Value, origin: &Provenance) -> Result<Value, Failure> {
        let mut options = options(what, origin, &self.args.read);
        let annotations = self.annotations.as_ref().map(|(path, _)| digest_of(path)).transpose()?;
        let lineages = self.lineages.as_ref().map(|(path, _)| digest_of(path)).transpose()?;
        options["annotations_sha256"] = annotations.into();
        options["lineages_sha256"] = lineages.into();
        if let Some(TrajectoryArgs { trajectory: _, frames, every, pbc }) = self.trajectory {
            options["frames"] =
                json!({ "chosen": format!("{frames:?}"), "every_ps": every, "pbc": format!("{pbc:?}") });
        }
        Ok(options)
    }
}

fn digest_of(path: &Path) -> Result<String, Failure> {
    provenance::digest_of(path)
        .map_err(|error| Failure::Work(anyhow::anyhow!("{}: cannot be read: {error}", path.display())))
}

/// What a command computes, with what, and how it reads.
pub fn options(what: Value, origin: &Provenance, read: &ReadArgs) -> Value {
    let mut read = read.clone();
    (read.keep_going, read.fail_fast) = (false, false);
    let entries = origin.entries().into_iter().map(|(key, value)| (key.to_owned(), Value::from(value)));
    let mut all = what;
    all["computing"] = entries.collect::<Map<_, _>>().into();
    all["reading"] = json!(format!("{read:?}"));
    all
}

/// Whether an output is a folder of parts.
pub fn is_one(path: &Path) -> bool {
    path.as_os_str().as_encoded_bytes().ends_with(b"/") || path.is_dir()
}

/// Concatenates the parts of a run.
pub fn merge(args: &MergeArgs) -> Result<u8, Failure> {
    if args.output.extension().is_none_or(|extension| !extension.eq_ignore_ascii_case("parquet")) {
        return Err(Failure::usage(anyhow::anyhow!("{}: the extension must be parquet", args.output.display())));
    }
    check_place(&args.output)?;
    let (tables, lacking) = parts::tables(&args.folders)?;
    if tables.is_empty() {
        return Err(Failure::Work(anyhow::anyhow!("the run has no rows: none of its inputs could be read")));
    }
    Files::default().writes(OUTPUT, Some(&args.output)).check(&tables, &[])?;
    let bytes = merge_parquet(&tables, &args.output)?;
    let parts = counted(tables.len(), "part", "parts");
    let text = format!("{parts}; {:.1} MB in {}", bytes as f64 / 1e6, args.output.display());
    let report = Report::new(0);
    // The run ended with another status, and all that there is was merged.
    lacking.iter().for_each(|text| report.note(text));
    report.line_of(&text);
    Ok(ALL_DONE)
}
