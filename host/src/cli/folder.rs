//! `prism features -o FOLDER/` and `prism merge`.

use super::args::{FolderArgs, MergeArgs, Shard};
use super::failure::{ALL_DONE, Failure, NOTHING_WRITTEN};
use super::files::{Files, OUTPUT};
use super::job::{Job, Sink, Stop};
use super::parts::{self, Folder};
use super::provenance;
use super::report::Report;
use prism_host::inputs::Clashes;
use prism_host::output::{Columns, OutputFile, Provenance, check_place, merge_parquet};
use prism_host::pipeline::Stopped;
use prism_host::plural::{counted, form};
use prism_host::run::BatchSource;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

impl Job<'_> {
    /// Computes the unfinished parts of a run. Returns the exit status.
    pub fn run_into(&self, path: &Path, args: &FolderArgs, columns: &Columns) -> Result<u8, Failure> {
        let found = self.find()?;
        let entries = Arc::clone(&found.entries);
        if let Some(pipe) = entries.iter().flatten().find(|file| file.is_read_once()) {
            let path = pipe.path.display();
            let advice = format!("{path}: a run into a folder reads its inputs again where it was ended; give files");
            return Err(Failure::usage(anyhow::anyhow!(advice)));
        }
        let mut ready = self.ready(found, None)?;
        let ranges = parts::plan(&entries, args.part_inputs);
        let origin = Provenance { config: self.config(), more: vec![("prism.ptx_sha256", provenance::kernels())] };
        let manifest = parts::manifest(&entries, ranges.len(), self.options(columns, &origin, args)?);
        let folder = Folder::begin(path, &manifest, args.resume)?;
        let shard = args.shard.unwrap_or(Shard { number: 1, of: 1 });
        let (open, done) = parts::open(&folder, ranges.len(), shard)?;
        if open.is_empty() && done.is_empty() {
            let there = form(ranges.len(), "there is", "there are");
            let parts = counted(ranges.len(), "part", "parts");
            ready.report.note(&format!("{there} {parts}, and none is this shard's"));
            return Ok(ALL_DONE);
        }
        if !done.is_empty() {
            let all = counted(done.len() + open.len(), "part", "parts");
            ready.report.note(&format!("{} of {all} {} done already", done.len(), form(done.len(), "is", "are")));
        }
        for record in &done {
            count(&mut ready.report, record);
            ready.report.advance(ranges[record["part"].as_u64().unwrap_or(0) as usize].len());
        }
        // A structure of one part may have the name of an input of another.
        let clashes = Arc::new(Clashes::among(entries.iter().flatten().map(|file| &*file.name)));
        for part in open {
            let source = self.source(entries[ranges[part].clone()].into(), &ready.interrupt)?;
            let source = source.with_clashes(Arc::clone(&clashes));
            let table = OutputFile::create(&folder.part_path(part), columns.clone(), &origin)?;
            ready.interrupt.remove_on_exit(table.temporary_path());
            let mut sink = Sink::File(table);
            let before = (ready.report.structures, ready.report.residues);
            ready.report.kept = Some(Vec::new());
            let ended = self.pass(&mut ready, BatchSource::Files(source), &mut sink);
            if ready.interrupt.cancel().is_cancelled() {
                return Err(Failure::Interrupted(ready.interrupt.exit_status()));
            }
            match ended {
                Ok(_) => {}
                Err(Stopped::Consumer(Stop::FirstFailed)) => {
                    ready.report.clear_bar();
                    ready.report.note("the parts that are done stay; --resume goes on with this one");
                    return Ok(NOTHING_WRITTEN);
                }
                Err(stopped) => return Err(Self::failure(stopped, &ready)),
            }
            let (structures, residues) = (ready.report.structures - before.0, ready.report.residues - before.1);
            let bytes = if structures > 0 { sink.finish()? } else { 0 };
            let kept = ready.report.kept.take().unwrap_or_default();
            folder.finish(part, bytes, parts::record(structures, residues, &kept))?;
        }
        let failed = ready.status.take().and_then(|status| status.commit().err()).map(Failure::from);
        let beside = failed.map(|failure| failure.report_beside("the parts are written"));
        self.sum_up(&ready);
        Ok(ready.report.exit_status().max(beside.unwrap_or_default()))
    }

    /// Everything besides the inputs that a part's bytes depend on.
    fn options(&self, columns: &Columns, origin: &Provenance, args: &FolderArgs) -> Result<Value, Failure> {
        let mut read = self.args.read.clone();
        (read.keep_going, read.fail_fast) = (false, false);
        let names: Vec<&str> = columns.as_slice().iter().map(prism_host::output::Column::name).collect();
        let entries: serde_json::Map<String, Value> =
            origin.entries().into_iter().map(|(key, value)| (key.to_owned(), value.into())).collect();
        let digest = |path: &Path| {
            provenance::digest_of(path)
                .map_err(|error| Failure::Work(anyhow::anyhow!("{}: cannot be read: {error}", path.display())))
        };
        let annotations = self.annotations.as_ref().map(|(path, _)| digest(path)).transpose()?;
        let lineages = self.lineages.as_ref().map(|(path, _)| digest(path)).transpose()?;
        Ok(
            json!({ "columns": names, "leaves_out_large_wcn": columns.selection().leaves_out_wcn(usize::MAX), "computing": entries, "reading": format!("{read:?}"), "annotations_sha256": annotations,
            "lineages_sha256": lineages,
            "part_inputs": args.part_inputs }),
        )
    }
}

pub fn count(report: &mut Report, record: &Value) {
    report.structures += record["structures"].as_u64().unwrap_or(0);
    report.residues += record["residues"].as_u64().unwrap_or(0);
    report.failed += record["failed"].as_array().map_or(0, |failed| failed.len() as u64);
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
    let tables = parts::tables(&args.folders)?;
    if tables.is_empty() {
        return Err(Failure::Work(anyhow::anyhow!("the run has no rows: none of its inputs could be read")));
    }
    Files::default().writes(OUTPUT, Some(&args.output)).check(&tables, &[])?;
    let bytes = merge_parquet(&tables, &args.output)?;
    let parts = counted(tables.len(), "part", "parts");
    let text = format!("{parts}; {:.1} MB in {}", bytes as f64 / 1e6, args.output.display());
    Report::new(0).line_of(&text);
    Ok(ALL_DONE)
}
