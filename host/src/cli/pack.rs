//! `prism pack`.

use super::args::PackArgs;
use super::failure::Failure;
use super::files::{Files, OUTPUT};
use super::interrupt::Interrupt;
use super::job::{note_ignored, read_options, refuse_nothing};
use super::limits::{no_thread, no_threads};
use super::reading::joined;
use super::report::Report;
use prism_host::StructureInput;
use prism_host::dataset::DatasetFile;
use prism_host::output::check_place;
use prism_host::pipeline::{Batch, Outcome, StructureFiles};
use prism_host::read::ReadOptions;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::sync_channel;

/// Atoms per block of a data set, which is written and read as one: some megabytes, so that cores read different blocks.
const BATCH_ATOMS: usize = 1 << 17;

/// Packs the inputs. Returns the exit status.
pub fn run(args: &PackArgs) -> Result<u8, Failure> {
    if args.output.extension().is_none_or(|extension| !extension.eq_ignore_ascii_case("arrow")) {
        return Err(Failure::usage(anyhow::anyhow!("{}: the extension must be arrow", args.output.display())));
    }
    check_place(&args.output)?;
    let interrupt = Interrupt::listen().map_err(|error| no_thread(&error))?;
    let files = Files::default().writes(OUTPUT, Some(&args.output));
    let inputs = args.read.discover(&args.paths, files)?;
    if let Some(old) = inputs.without_labels() {
        return Err(Failure::usage(anyhow::anyhow!(
            "{}: an older version's data set, which does not keep label_asym_id and the like; pack the structure files again",
            old.display()
        )));
    }
    let mut report = Report::new(inputs.entries.len());
    note_ignored(&inputs, &report);
    refuse_nothing(&inputs)?;
    let mut file = DatasetFile::create(&args.output)?;
    interrupt.remove_on_exit(file.temporary_path());
    let options = ReadOptions { labels: true, ..read_options(&args.read) };
    let cancel = interrupt.cancel();
    let source = StructureFiles::new(inputs.entries, options, Arc::default(), BATCH_ATOMS, cancel);
    let source = source.map_err(|error| no_threads(&error))?;
    let ended = write_while_reading(source, |batch| {
        if args.read.joins_chains() {
            report.joined += joined(&batch);
        }
        write(batch, &mut file, &mut report, args.read.fail_fast, &args.output)
    });
    report.clear_bar();
    ended?;
    if cancel.is_cancelled() {
        return Err(Failure::Interrupted(interrupt.exit_status()));
    }
    if args.read.fail_fast && report.failed > 0 {
        (report.structures, report.residues) = (0, 0);
    }
    if report.structures > 0 {
        let bytes = file.commit()?;
        report.sum_up(&format!("{:.1} MB in {}", bytes as f64 / 1e6, shown(&args.output)));
    } else {
        report.sum_up("nothing is written");
    }
    Ok(report.exit_status())
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// Passes batches to `write` while others are read, until it returns `false`.
fn write_while_reading(
    source: StructureFiles,
    mut write: impl FnMut(Batch) -> Result<bool, Failure>,
) -> Result<(), Failure> {
    let (read, batches) = sync_channel(1);
    std::thread::scope(|scope| {
        let reader = std::thread::Builder::new().name("read".to_owned());
        let reading = reader.spawn_scoped(scope, move || {
            for batch in source {
                if read.send(batch).is_err() {
                    break;
                }
            }
        });
        reading.map_err(|error| no_thread(&error))?;
        // Dropped on return, which ends the reader.
        let batches = batches;
        while let Ok(batch) = batches.recv() {
            if !write(batch)? {
                break;
            }
        }
        Ok(())
    })
}

/// Writes a batch, and reports notes and errors of its inputs. Returns whether to continue.
fn write(
    batch: Batch,
    file: &mut DatasetFile,
    report: &mut Report,
    fail_fast: bool,
    output: &Path,
) -> Result<bool, Failure> {
    let mut structures = batch.structures.iter();
    let mut entries: Vec<(&StructureInput, Vec<String>)> = Vec::with_capacity(batch.structures.len());
    let readings = batch.readings.iter().map(|reading| reading.packed).chain(std::iter::repeat(false));
    for (outcome, packed) in batch.outcomes.iter().zip(readings) {
        match outcome {
            Outcome::Failed(failure) => report.failure(failure),
            Outcome::Said { name, text } => report.note(&format!("{name}: {text}")),
            Outcome::Read { notes } => {
                let Some(structure) = structures.next() else { break };
                report.notes(&structure.name, notes, packed);
                entries.push((structure, notes.iter().map(ToString::to_string).collect()));
            }
        }
        if fail_fast && report.failed > 0 {
            return Ok(false);
        }
    }
    if !entries.is_empty() {
        file.write(&entries.iter().map(|(structure, notes)| (*structure, &notes[..])).collect::<Vec<_>>())
            .map_err(|error| Failure::Work(anyhow::Error::from(error).context(shown(output))))?;
    }
    report.structures += entries.len() as u64;
    report.residues += batch.structures.iter().map(|structure| structure.n_rows() as u64).sum::<u64>();
    report.advance(batch.outcomes.len());
    Ok(true)
}
