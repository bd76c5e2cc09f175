//! A run into a folder, in parts of some inputs or frames each, with a record of each finished part. An interrupted run continues where
//! it stopped. Several processes can share the parts.
//!
//! ```text
//! out/manifest.json        the run: inputs, columns, options; the same for all processes
//! out/part-00000.parquet   the rows of the first part, in the order of the inputs
//! out/part-00000.json      written afterwards: counts, failures and the table's digest of the finished part
//! ```
//!
//! The list of inputs alone determines which inputs are in which part, and a part's inputs determine its bytes. So
//! interruptions and shards leave no trace.

use super::args::{FolderArgs, Shard};
use super::failure::Failure;
use super::provenance::{digest_of, hexadecimal};
use super::report::Report;
use anyhow::anyhow;
use prism_host::inputs::{InputFailure, InputFile};
use prism_host::output::{OutputError, write_whole};
use prism_host::plural::{counted, form};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Bytes of input in a part at most, unless one input is larger.
const PART_BYTES: u64 = 1 << 28;
/// The file that describes the run.
const MANIFEST: &str = "manifest.json";

/// The inputs of each part.
pub fn plan(entries: &[Result<InputFile, InputFailure>], most: usize) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let (mut begin, mut bytes) = (0, 0_u64);
    for (index, entry) in entries.iter().enumerate() {
        let size = entry.as_ref().map_or(0, |file| file.size);
        if index > begin && (index - begin >= most || bytes.saturating_add(size) > PART_BYTES) {
            parts.push(begin..index);
            (begin, bytes) = (index, 0);
        }
        bytes = bytes.saturating_add(size);
    }
    if begin < entries.len() {
        parts.push(begin..entries.len());
    }
    parts
}

/// The frames of each part.
pub fn plan_frames(frames: usize, most: usize) -> Vec<Range<usize>> {
    (0..frames).step_by(most).map(|begin| begin..begin.saturating_add(most).min(frames)).collect()
}

/// The files of a run, in its folder. There are at most as many parts as inputs.
pub fn names(entries: &[Result<InputFile, InputFailure>]) -> Vec<PathBuf> {
    names_of(entries.len())
}

/// The files of a run of so many parts.
pub fn names_of(parts: usize) -> Vec<PathBuf> {
    let part = |part| [table_name(part), record_name(part)];
    (0..parts).flat_map(part).chain([MANIFEST.to_owned()]).map(PathBuf::from).collect()
}

fn table_name(part: usize) -> String {
    format!("part-{part:05}.parquet")
}

fn record_name(part: usize) -> String {
    format!("part-{part:05}.json")
}

/// What all parts of a run have in common.
pub fn manifest(entries: &[Result<InputFile, InputFailure>], parts: usize, options: Value) -> Value {
    let mut listing = Sha256::new();
    for entry in entries {
        match entry {
            Ok(file) => listing.update(format!("{}\0{}\n", file.name, file.size)),
            Err(failure) => listing.update(format!("{}\0!\n", failure.name)),
        }
    }
    json!({
        "layout": 1,
        "version": env!("CARGO_PKG_VERSION"),
        "inputs": entries.len(),
        "listing_sha256": hexadecimal(&listing.finalize()),
        "parts": parts,
        "options": options,
    })
}

/// The folder of a run.
pub struct Folder {
    path: PathBuf,
}

impl Folder {
    /// Opens the folder with this manifest, and creates it if it does not exist.
    pub fn begin(path: &Path, manifest: &Value, resume: bool) -> Result<Self, Failure> {
        let folder = Self { path: path.to_owned() };
        let shown = path.display();
        fs::create_dir_all(path).map_err(|error| Failure::Work(anyhow!("{shown}: cannot be made: {error}")))?;
        const LOOKS: u32 = 10;
        let is_empty = || !fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_some());
        // Another shard may be writing it.
        let (mut found, mut looks) = (folder.manifest()?, 0);
        while found.is_none() && !is_empty() && looks < LOOKS {
            found = folder.manifest()?;
            looks += 1;
            std::thread::sleep(Duration::from_millis(if found.is_some() { 0 } else { 50 }));
        }
        let Some(found) = found else {
            if looks == LOOKS {
                let advice = "holds other files and no run; give an empty folder or one that is not there";
                return Err(Failure::Work(anyhow!("{shown}: {advice}")));
            }
            write_whole(&folder.manifest_path(), format!("{manifest:#}\n").as_bytes())?;
            return Ok(folder);
        };
        if found != *manifest {
            let differs = [
                ("version", "version of prism"),
                ("inputs", "number of inputs"),
                ("listing_sha256", "names or sizes of inputs"),
                ("contents_sha256", "contents of inputs"),
                ("parts", "number of parts"),
                ("options", "options"),
            ];
            let differs = differs.into_iter().filter(|(key, _)| found[key] != manifest[key]);
            let differs: Vec<&str> = differs.map(|(_, what)| what).collect();
            let advice = "give the same inputs and options, or another folder";
            return Err(Failure::Work(anyhow!("{shown}: holds another run (other {}); {advice}", differs.join(", "))));
        }
        if !resume {
            let advice = "--resume goes on with it (as another --shard, too), another folder begins anew";
            return Err(Failure::Work(anyhow!("{shown}: holds this run already; {advice}")));
        }
        Ok(folder)
    }

    /// The manifest, if there is one.
    fn manifest(&self) -> Result<Option<Value>, Failure> {
        read_json(&self.manifest_path())
    }

    fn manifest_path(&self) -> PathBuf {
        self.path.join(MANIFEST)
    }

    pub fn part_path(&self, part: usize) -> PathBuf {
        self.path.join(table_name(part))
    }

    fn record_path(&self, part: usize) -> PathBuf {
        self.path.join(record_name(part))
    }

    /// The record of a finished part, if its table has the length that the record says.
    pub fn done(&self, part: usize) -> Result<Option<Value>, Failure> {
        let record = read_json(&self.record_path(part))?;
        let size = fs::metadata(self.part_path(part)).map_or(0, |metadata| metadata.len());
        Ok(record.filter(|record| record["bytes"] == size))
    }

    /// Whether a part's table has the bytes that its record is of.
    fn is_whole(&self, part: usize, record: &Value) -> Result<bool, OutputError> {
        // A part without rows has no table.
        record["sha256"].as_str().map_or(Ok(true), |expected| Ok(expected == self.digest(part)?))
    }

    fn digest(&self, part: usize) -> Result<String, OutputError> {
        let path = self.part_path(part);
        let failed = |source| OutputError::Io { path: path.display().to_string(), action: "be read", source };
        digest_of(&path).map_err(failed)
    }

    /// Records that a part is done.
    pub fn finish(&self, part: usize, bytes: u64, mut record: Value) -> Result<(), OutputError> {
        (record["part"], record["bytes"]) = (part.into(), bytes.into());
        if bytes > 0 {
            record["sha256"] = self.digest(part)?.into();
        }
        write_whole(&self.record_path(part), format!("{record:#}\n").as_bytes())
    }
}

/// The parts of a run that this process computes.
pub struct Parts {
    folder: Folder,
    ranges: Vec<Range<usize>>,
    open: Vec<usize>,
}

/// The frames of a run.
pub struct FramesOf {
    pub count: usize,
    /// A digest of what the files hold.
    pub contents: String,
}

/// A part that is being computed.
pub struct Part {
    number: usize,
    /// The indices of its inputs, or of its frames.
    pub inputs: Range<usize>,
    /// Where its table belongs.
    pub path: PathBuf,
    /// Structures and residues of the parts before.
    before: [u64; 2],
}

impl Parts {
    /// Begins a run in a folder, or goes on with it, and reports what is done. `options` are everything besides the inputs that a
    /// part's bytes depend on; the parts of a trajectory are of `frames`. `None` if no part is this shard's.
    pub fn begin(
        path: &Path,
        entries: &[Result<InputFile, InputFailure>],
        frames: Option<FramesOf>,
        mut options: Value,
        args: &FolderArgs,
        report: &mut Report,
    ) -> Result<Option<Self>, Failure> {
        if let Some(pipe) = entries.iter().flatten().find(|file| file.is_read_once()) {
            let path = pipe.path.display();
            let advice = format!("{path}: a run into a folder reads its inputs again where it was ended; give files");
            return Err(Failure::usage(anyhow!(advice)));
        }
        let ranges = match &frames {
            Some(frames) => plan_frames(frames.count, args.part_inputs),
            None => plan(entries, args.part_inputs),
        };
        options["part_inputs"] = args.part_inputs.into();
        let mut manifest = manifest(entries, ranges.len(), options);
        if let Some(frames) = frames {
            manifest["contents_sha256"] = frames.contents.into();
        }
        let folder = Folder::begin(path, &manifest, args.resume)?;
        let (open, done) = open(&folder, ranges.len(), args.shard.unwrap_or(Shard { number: 1, of: 1 }))?;
        Ok(say_done(report, &ranges, open.len(), &done).then_some(Self { folder, ranges, open }))
    }

    /// The numbers of the parts to compute.
    pub fn open(&self) -> &[usize] {
        &self.open
    }

    /// Begins a part.
    pub fn part(&self, number: usize, report: &mut Report) -> Part {
        report.kept = Some(Vec::new());
        let before = [report.structures, report.residues];
        Part { number, inputs: self.ranges[number].clone(), path: self.folder.part_path(number), before }
    }

    /// Records that a part is done, whose table has some bytes.
    pub fn finish(&self, part: &Part, bytes: u64, report: &mut Report) -> Result<(), OutputError> {
        let kept = report.kept.take().unwrap_or_default();
        let [structures, residues] = part.before;
        let record = record(report.structures - structures, report.residues - residues, &kept);
        self.folder.finish(part.number, bytes, record)
    }
}

/// Reports which parts are done, and counts what they have. Returns whether any part is this shard's.
pub fn say_done(report: &mut Report, ranges: &[Range<usize>], open: usize, done: &[Value]) -> bool {
    if open == 0 && done.is_empty() {
        let there = form(ranges.len(), "there is", "there are");
        let parts = counted(ranges.len(), "part", "parts");
        report.note(&format!("{there} {parts}, and none is this shard's"));
        return false;
    }
    if !done.is_empty() {
        let all = counted(done.len() + open, "part", "parts");
        report.note(&format!("{} of {all} {} done already", done.len(), form(done.len(), "is", "are")));
    }
    for record in done {
        report.structures += record["structures"].as_u64().unwrap_or(0);
        report.residues += record["residues"].as_u64().unwrap_or(0);
        for (name, why) in failures(record) {
            report.note(&format!("{name} failed before: {why}"));
            report.failed += 1;
        }
        report.skip(ranges[record["part"].as_u64().unwrap_or(0) as usize].len());
    }
    true
}

/// Says that a run ended at its first failure.
pub fn say_ended(report: &Report) {
    report.clear_bar();
    report.note("the parts that are done stay; --resume goes on with this one");
}

/// What is recorded of a finished part.
pub fn record(structures: u64, residues: u64, failed: &[(String, String)]) -> Value {
    let failed: Vec<Value> = failed.iter().map(|(name, reason)| json!({ "input": name, "reason": reason })).collect();
    json!({ "structures": structures, "residues": residues, "failed": failed })
}

fn read_json(path: &Path) -> Result<Option<Value>, Failure> {
    let failed = |why: String| Failure::Work(anyhow!("{}: {why}", path.display()));
    match fs::read(path) {
        Ok(bytes) => serde_json::from_slice(&bytes).map(Some).map_err(|error| failed(format!("is damaged: {error}"))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed(format!("cannot be read: {error}"))),
    }
}

/// The parts that this process computes.
pub fn open(folder: &Folder, parts: usize, shard: Shard) -> Result<(Vec<usize>, Vec<Value>), Failure> {
    let (mut open, mut done) = (Vec::new(), Vec::new());
    for part in (0..parts).filter(|&part| shard.has(part)) {
        match folder.done(part)? {
            Some(record) => done.push(record),
            None => open.push(part),
        }
    }
    Ok((open, done))
}

/// The tables of a finished run, in order. Its shards may have written them to several folders. And a note if the tables lack what failed
/// in the run.
pub fn tables(folders: &[PathBuf]) -> Result<(Vec<PathBuf>, Option<String>), Failure> {
    let folders: Vec<Folder> = folders.iter().map(|path| Folder { path: path.clone() }).collect();
    let mut first: Option<Value> = None;
    for folder in &folders {
        let shown = folder.path.display();
        let manifest = folder.manifest()?;
        let manifest =
            manifest.ok_or_else(|| Failure::Work(anyhow!("{shown}: holds no run: there is no manifest.json")))?;
        if *first.get_or_insert_with(|| manifest.clone()) != manifest {
            return Err(Failure::Work(anyhow!("{shown}: holds another run than {}", folders[0].path.display())));
        }
    }
    let parts = first.as_ref().and_then(|manifest| manifest["parts"].as_u64()).unwrap_or(0) as usize;
    let is_of_frames = first.is_some_and(|manifest| !manifest["contents_sha256"].is_null());
    let (mut tables, mut missing, mut damaged, mut failed) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for part in 0..parts {
        let mut found = None;
        for folder in &folders {
            if let Some(record) = folder.done(part)? {
                if !folder.is_whole(part, &record)? {
                    damaged.push(folder.part_path(part).display().to_string());
                }
                found = Some((record, folder.part_path(part)));
                break;
            }
        }
        match found {
            // A part has no table if none of its inputs could be read.
            Some((record, path)) => {
                failed.extend(failures(&record).map(|(name, why)| format!("{name}: {why}")));
                tables.extend((record["structures"] != 0).then_some(path));
            }
            None => missing.push(part.to_string()),
        }
    }
    if !damaged.is_empty() {
        let (has, it) = (form(damaged.len(), "has", "have"), form(damaged.len(), "it", "them"));
        let why = format!("{has} other bytes than were written; delete {it}, and run the command again with --resume");
        return Err(Failure::Work(anyhow!("{}: {why}", damaged.join(", "))));
    }
    if !missing.is_empty() {
        let (count, some) = (missing.len(), missing[..missing.len().min(10)].join(", "));
        let (parts, are) = (counted(parts, "part", "parts"), form(count, "is", "are"));
        let advice = "run the command again with --resume";
        return Err(Failure::Work(anyhow!("{count} of {parts} {are} not done ({some}); {advice}")));
    }
    Ok((tables, failed.first().map(|first| about_failed(first, failed.len(), is_of_frames))))
}

/// Which inputs failed in a part, and why, by its record.
fn failures(record: &Value) -> impl Iterator<Item = (&str, &str)> {
    let all = record["failed"].as_array().into_iter().flatten();
    all.map(|failed| (failed["input"].as_str().unwrap_or_default(), failed["reason"].as_str().unwrap_or_default()))
}

fn about_failed(first: &str, all: usize, is_of_frames: bool) -> String {
    let missing = match is_of_frames {
        // That a file is cut off does not say how many are missing.
        true => format!("{}, for which frames are missing", counted(all, "failure", "failures")),
        false => format!("{} failed and {} no rows", counted(all, "input", "inputs"), form(all, "has", "have")),
    };
    let others = if all > 1 { "; the records of the parts (part-*.json) name the others" } else { "" };
    format!("{missing}: {first}{others}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(sizes: &[u64]) -> Vec<Result<InputFile, InputFailure>> {
        let named = |name: String| InputFailure::new(&name, String::new());
        // A file without a size cannot be read.
        sizes.iter().enumerate().map(|(index, _)| Err(named(index.to_string()))).collect()
    }

    #[test]
    fn a_folder_that_another_shard_begins_is_no_other_folder() {
        let folder = tempfile::tempdir().unwrap();
        let (path, one) = (folder.path().to_owned(), json!({ "parts": 1 }));
        fs::write(path.join("manifest-on-its-way"), "").unwrap();
        assert!(Folder::begin(&path, &one, true).is_err(), "nobody is at work there");
        let other = std::thread::spawn({
            let (path, text) = (path.join("manifest.json"), one.to_string());
            move || {
                std::thread::sleep(Duration::from_millis(100));
                write_whole(&path, text.as_bytes()).unwrap();
            }
        });
        assert!(Folder::begin(&path, &one, true).is_ok());
        other.join().unwrap();
    }

    #[test]
    fn parts_have_each_input_once() {
        for (inputs, most) in [(0, 3), (1, 3), (3, 3), (10, 3), (7, 1)] {
            let parts = plan(&files(&vec![1; inputs]), most);
            assert_eq!(parts.iter().cloned().flatten().collect::<Vec<_>>(), (0..inputs).collect::<Vec<_>>());
            assert!(parts.iter().all(|part| (1..=most).contains(&part.len())));
            assert_eq!(plan_frames(inputs, most), parts);
        }
    }

    #[test]
    fn shards_share_all_parts() {
        let shards: Vec<Shard> = ["1/3", "2/3", "3/3"].iter().map(|text| text.parse().unwrap()).collect();
        assert!((0..20).all(|part| shards.iter().filter(|shard| shard.has(part)).count() == 1));
        for wrong in ["", "1", "0/3", "4/3", "a/b", "1/0"] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }
}
