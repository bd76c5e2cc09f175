//! A report as one HTML file that shows structures, their features and sites. It loads nothing else.
//!
//! The file contains the page's script and the data of each structure, compressed until the structure is viewed. The
//! three-dimensional view is [3Dmol.js](https://3dmol.org) (BSD-3-Clause, see `report/3Dmol.LICENSE`).

mod alike;
mod atoms;
mod detail;
mod frames;
mod members;
mod points;
mod predicted;
mod relations;
mod sample;
mod standing;

pub use relations::InteractionFiles;

use alike::Alike;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use frames::Frames;
use members::Members;
use prism_complexes::confidence::PredictionFiles;
use prism_engine::Engine;
use prism_engine::sites::{LIKELY, SiteLimits, sites};
use prism_io::output::{
    Column, OutputError, Provenance, RelationFailures, StructureRows, Value as Cell, WholeFile, prediction_of,
};
use prism_read::structure::StructureInput;
use prism_read::{Note, NoteKind};
use rayon::prelude::*;
use sample::Sample;
use serde_json::{Map, Value, json};
use shared_types::feature::column;
use shared_types::{FEATURES, Group};
use standing::Standing;
use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

const PAGE: &str = include_str!("report/page/page.html");
const STYLE: &str = include_str!("report/page/style.css");
/// The parts of the script, which share one scope.
const SCRIPT: [&str; 19] = [
    include_str!("report/page/base.js"),
    include_str!("report/page/paper.js"),
    include_str!("report/page/labels.js"),
    include_str!("report/page/colours.js"),
    include_str!("report/page/data.js"),
    include_str!("report/page/turns.js"),
    include_str!("report/page/frame.js"),
    include_str!("report/page/view.js"),
    include_str!("report/page/axes.js"),
    include_str!("report/page/map.js"),
    include_str!("report/page/tracks.js"),
    include_str!("report/page/predicted.js"),
    include_str!("report/page/frames.js"),
    include_str!("report/page/tables.js"),
    include_str!("report/page/structure.js"),
    include_str!("report/page/alignment.js"),
    include_str!("report/page/superpose.js"),
    include_str!("report/page/compare.js"),
    include_str!("report/page/overview.js"),
];
/// `3Dmol-min.js`, compressed; `report/README.md` has its version and checksum.
const VIEWER: &[u8] = include_bytes!("report/3Dmol-min.js.gz");
/// The licence of the viewer, which every report contains.
const LICENCE: &str = include_str!("report/3Dmol.LICENSE");

/// A report that is being written. If it is dropped before [`commit`](Self::commit), nothing remains.
///
/// ```
/// use prism_host::output::{Provenance, StructureRows};
/// use prism_host::read::{Note, NoteKind, ReadOptions, read_path};
/// use prism_host::report::ReportFile;
/// use prism_host::{Backend, Engine};
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("report.html");
/// let rbd = read_path("../data/6m0j_rbd.pdb", "rbd <1>", &ReadOptions::default())?.structure;
/// let engine = Engine::builder().backend(Backend::Cpu).build()?;
/// let features = &engine.run(std::slice::from_ref(&rbd))?[0];
/// let mut report = ReportFile::create(&path, 100)?;
/// let rows = StructureRows { structure: &rbd, features: features.view() };
/// let note = Note { kind: NoteKind::Others, text: "something is odd".to_owned() };
/// report.write(&[(rows, &[note])])?;
/// report.failed("broken.pdb", "the file is empty");
/// report.commit(&Provenance::of(engine.config()))?;
/// let text = std::fs::read_to_string(&path)?;
/// assert!(text.contains("rbd \\u003c1>") && text.contains("the file is empty"));
/// assert!(!text.contains("src=\"http"), "nothing is loaded");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ReportFile {
    whole: WholeFile,
    out: BufWriter<File>,
    structures: Vec<Value>,
    failed: Vec<Value>,
    /// Each kind with its number of notes, and the first structure with such a note.
    notes: Vec<(String, u64, String)>,
    note_indices: HashMap<String, usize>,
    sample: Sample,
    sites: u64,
    standing: Standing,
    alike: Alike,
    details: usize,
    most_details: usize,
    predictions: Option<HashMap<String, PredictionFiles>>,
    failures: RelationFailures,
    areas: Option<Engine>,
    interactions: InteractionFiles,
    members: Members,
    title: Option<String>,
    inputs: Vec<String>,
    command: Option<String>,
    frames: Frames,
    /// The names of ligands that a trajectory's view leaves out, each with its number.
    left_out: Option<Value>,
}

impl ReportFile {
    /// Begins a report. The first `most_details` structures get a detailed view; the others only a line in the table.
    ///
    /// # Errors
    /// As for [`check_place`](prism_io::output::check_place), and if the file cannot be written.
    pub fn create(path: &Path, most_details: usize) -> Result<Self, OutputError> {
        let whole = WholeFile::begin(path)?;
        let mut out = whole.buffered()?;
        let page = PAGE.replace("{{style}}", STYLE).replace("{{licence}}", LICENCE);
        let viewer = STANDARD.encode(VIEWER);
        let written = out.write_all(page.as_bytes()).and_then(|()| packed_script(&mut out, "viewer", &viewer));
        written.map_err(|source| whole.failed(source))?;
        Ok(Self {
            whole,
            out,
            structures: Vec::new(),
            failed: Vec::new(),
            notes: Vec::new(),
            note_indices: HashMap::new(),
            sample: Sample::default(),
            sites: 0,
            standing: Standing::default(),
            alike: Alike::default(),
            details: 0,
            most_details,
            predictions: None,
            failures: RelationFailures::default(),
            areas: None,
            interactions: InteractionFiles::default(),
            members: Members::default(),
            title: None,
            inputs: Vec::new(),
            command: None,
            frames: Frames::default(),
            left_out: None,
        })
    }

    /// Gives the report a title, and names what it was made from. `command` stands for the command of the provenance.
    #[must_use]
    pub fn with_title(self, title: Option<String>, inputs: Vec<String>, command: Option<String>) -> Self {
        Self { title, inputs, command, ..self }
    }

    /// Adds ligands and interfaces of chains to the views. The engine must have the selection `sasa`; ligands are those of structures
    /// that were read with [`ReadOptions::atoms`](prism_read::ReadOptions::atoms).
    #[must_use]
    pub fn with_areas(self, engine: Engine) -> Self {
        Self { areas: Some(engine), ..self }
    }

    /// Adds interactions to the views of structures whose files are given.
    #[must_use]
    pub fn with_interactions(self, interactions: InteractionFiles) -> Self {
        Self { interactions, ..self }
    }

    /// Adds predicted aligned errors and scores of chains to the views of structures, by their names, and leaves out structures that
    /// have none, such as templates. `failures` gets notes about these, and about matrices that cannot be read.
    #[must_use]
    pub fn with_predictions(self, predictions: HashMap<String, PredictionFiles>, failures: RelationFailures) -> Self {
        Self { predictions: Some(predictions), failures, ..self }
    }

    /// The temporary file to remove if the program ends without dropping this; usually `None`.
    #[must_use]
    pub fn temporary_path(&self) -> Option<&Path> {
        self.whole.temporary_path()
    }

    /// Appends structures, each with its notes. Frames of a trajectory are one structure, which is the first of them.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&mut self, structures: &[(StructureRows<'_>, &[Note])]) -> Result<(), OutputError> {
        if !structures.iter().any(|(part, _)| part.structure.frame.is_some()) {
            return self.write_structures(structures);
        }
        let is_first = self.frames.len() == 0;
        structures.iter().for_each(|(part, _)| self.frames.add(part));
        match structures.first().filter(|_| is_first) {
            None => Ok(()),
            Some((part, notes)) => {
                // Residues without rows stand where the topology has them, and not in the frame.
                self.left_out = part.structure.hetero.as_deref().map(|_| json!(ligand_names(part.structure)));
                let mut still = part.structure.clone();
                still.hetero = None;
                self.write_structures(&[(StructureRows { structure: &still, features: part.features }, notes)])
            }
        }
    }

    fn write_structures(&mut self, structures: &[(StructureRows<'_>, &[Note])]) -> Result<(), OutputError> {
        // If there are predictions, the report is of these.
        let known = |(part, _): &&(StructureRows<'_>, &[Note])| {
            let Some(predictions) = &self.predictions else { return true };
            let name = &part.structure.name;
            let is_known = prediction_of(predictions, name).is_some();
            if !is_known {
                let left = if predictions.is_empty() { "" } else { "it is left out: " };
                let text = format!("--pae: {left}no file with predicted aligned errors lies beside it");
                self.failures.note(name, NoteKind::NoMatrix, text);
            }
            is_known || predictions.is_empty()
        };
        let structures: Vec<_> = structures.iter().filter(known).collect();
        let room = (self.most_details - self.details).min(structures.len());
        // One after the other, because the engine uses all cores for each.
        let mut relations: Vec<Value> = structures[..room].iter().map(|(part, _)| self.relations(part)).collect();
        let packed: Vec<(String, Value)> = structures[..room]
            .par_iter()
            .zip(&mut relations)
            .map(|((part, notes), relations)| {
                relations["interactions"] = match self.is_member(part) {
                    true => Value::Null,
                    false => relations::interactions_in(part, &self.interactions),
                };
                let predictions = self.predictions.as_ref();
                let files = predictions.and_then(|known| prediction_of(known, &part.structure.name));
                detail::packed(part, notes, (files, &self.failures), relations)
            })
            .collect::<Result<_, _>>()
            .map_err(|source| self.whole.failed(source))?;
        for (text, _) in &packed {
            let id = format!("s{}", self.details);
            packed_script(&mut self.out, &id, text).map_err(|source| self.whole.failed(source))?;
            self.details += 1;
        }
        let first_detail = self.details - room;
        for (index, (part, notes)) in structures.iter().enumerate() {
            let sites = sites(part.structure, &part.features, &SiteLimits::default());
            let likely = sites.iter().filter(|site| site.probability >= LIKELY).count();
            let mean = |column: usize| mean_of(values(part, column));
            let mut entry = json!({
                "name": part.structure.name,
                "residues": part.len(),
                "chains": part.structure.rows_of_chains().len(),
                // Without scores no site was looked for.
                "sites": mean(column::SITE_SCORE).map(|_| likely),
                "best": sites.first().map(|site| rounded(site.probability)),
                "rsa": mean(column::RSA),
                "plddt": mean_of(&part.structure.plddt),
                "states": states(part),
                "ligands": ligand_names(part.structure),
                "notes": notes.len(),
                "title": part.structure.title,
                "scores": packed.get(index).map(|(_, scores)| scores),
            });
            self.standing.add(part, &sites, relations.get(index).unwrap_or(&Value::Null));
            if index < room {
                self.alike.add(part);
                if self.is_member(part) {
                    self.members.add(part, first_detail + index);
                }
                // Counted from 1; 0 means none.
                entry["detail"] = (first_detail + index + 1).into();
            }
            self.structures.push(entry);
            self.sites += likely as u64;
            self.sample.add(part);
            notes.iter().for_each(|note| self.note(&part.structure.name, note));
        }
        Ok(())
    }

    /// Whether an archive has it, whose interactions are looked for at the end.
    fn is_member(&self, part: &StructureRows<'_>) -> bool {
        !self.interactions.archives.is_empty() && !self.interactions.files.contains_key(&part.structure.name)
    }

    fn relations(&self, part: &StructureRows<'_>) -> Value {
        let [mut ligands, interfaces] =
            self.areas.as_ref().map_or([Value::Null, Value::Null], |engine| relations::areas(part, engine));
        if part.structure.frame.is_some() {
            ligands = Value::Null;
        }
        json!({ "ligands": ligands, "interfaces": interfaces })
    }

    fn note(&mut self, name: &str, note: &Note) {
        let kind = note.kind.about().to_owned();
        let index = *self.note_indices.entry(kind.clone()).or_insert_with(|| {
            self.notes.push((kind, 0, name.to_owned()));
            self.notes.len() - 1
        });
        self.notes[index].1 += 1;
    }

    /// Adds an input that failed.
    pub fn failed(&mut self, name: &str, reason: &str) {
        self.failed.push(json!({ "name": name, "reason": reason }));
    }

    /// Finishes the report and moves it to its path. Returns its size in bytes.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn commit(self, provenance: &Provenance) -> Result<u64, OutputError> {
        let Self {
            whole,
            mut out,
            structures,
            failed,
            mut notes,
            sample,
            sites,
            standing,
            alike,
            title,
            inputs,
            command,
            frames,
            left_out,
            members,
            interactions,
            ..
        } = self;
        let mut write = |detail: usize, text: &str| packed_script(&mut out, &format!("i{detail}"), text);
        members.search(&interactions, &mut write).map_err(|source| whole.failed(source))?;
        if frames.len() > 0 {
            let packed = detail::packed_json(&frames.json()).and_then(|text| packed_script(&mut out, "frames", &text));
            packed.map_err(|source| whole.failed(source))?;
        }
        notes.sort_by(|(a, first, _), (b, second, _)| second.cmp(first).then_with(|| a.cmp(b)));
        let notes: Vec<Value> =
            notes.iter().map(|(kind, count, first)| json!({ "kind": kind, "count": count, "first": first })).collect();
        let mut entries: Map<String, Value> =
            provenance.entries().into_iter().map(|(key, value)| (key.to_owned(), value.into())).collect();
        if let Some(command) = command {
            entries.insert("prism.command".to_owned(), command.into());
        }
        let units: Map<String, Value> =
            FEATURES.iter().map(|feature| (feature.name.to_owned(), feature.unit.into())).collect();
        let definitions: Map<String, Value> =
            Column::every().map(|column| (column.name().to_owned(), column.definition().into())).collect();
        let run = json!({
            "title": title,
            "date": today(),
            "inputs": inputs,
            "frames": frames.len(),
            "times": frames.times(),
            "left_out": left_out,
            "standing": standing.listed(),
            "alike": alike.most(),
            "residues": sample.residues(),
            "sites": sites,
            "structures": structures,
            "failed": failed,
            "notes": notes,
            "sampled": sample.len(),
            "stride": sample.stride(),
            "histograms": sample.histograms(),
            "threshold": provenance.config.contact_threshold,
            "units": units,
            "definitions": definitions,
            "circular": Column::every().filter(Column::is_dihedral).map(|column| column.name()).collect::<Vec<_>>(),
            "provenance": entries,
        });
        // A name must not be able to end the script.
        let run = run.to_string().replace('<', "\\u003c");
        let end = format!(
            "<script type=\"application/json\" id=\"run\">{run}</script>\n<script>\n\"use strict\";\n(() => {{\n{}}})();\n</script>\n</body>\n</html>\n",
            SCRIPT.concat()
        );
        out.write_all(end.as_bytes()).and_then(|()| out.flush()).map_err(|source| whole.failed(source))?;
        whole.commit()
    }
}

/// The date, in UTC, as 2026-01-31. `SOURCE_DATE_EPOCH`, in seconds since 1970, sets it for files that must be the same again
/// (<https://reproducible-builds.org/specs/source-date-epoch/>).
#[must_use]
pub fn today() -> String {
    let given = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|text| text.trim().parse().ok());
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    date((given.unwrap_or_else(now) / (24 * 3600)) as i64)
}

/// The date of a day, counted from 1970-01-01, by Hinnant's algorithm: years begin in March, so that a leap day ends one.
fn date(days: i64) -> String {
    let days = days + 719_468;
    let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let (month, year) = if month < 10 { (month + 3, year) } else { (month - 9, year + 1) };
    format!("{:04}-{month:02}-{day:02}", era * 400 + year)
}

/// The values of a feature of the first group; empty if it was not computed.
fn values<'a>(part: &StructureRows<'a>, column: usize) -> &'a [f32] {
    let feature = Group::Residue.features().find(|feature| feature.column == column);
    feature.and_then(|feature| part.features.feature(feature)).unwrap_or_default()
}

/// The mean of the values that are defined.
fn mean_of(values: &[f32]) -> Option<f64> {
    let defined = values.iter().map(|&value| f64::from(value)).filter(|value| !value.is_nan());
    let (sum, count) = defined.fold((0.0, 0_u32), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| (sum / f64::from(count) * 1e4).round() / 1e4)
}

/// With four decimals, and no value if it is not defined.
fn rounded(value: f32) -> Value {
    if value.is_finite() { ((f64::from(value) * 1e4).round() / 1e4).into() } else { Value::Null }
}

/// The shares of residues in helices and in strands, of those with a state.
fn states(part: &StructureRows<'_>) -> Option<[f64; 2]> {
    let column = Column::every().find(|column| matches!(column, Column::State(_)))?;
    let mut counts = [0_u32; 3];
    for row in 0..part.len() {
        if let Cell::Text(letter) = part.value(row, &column) {
            match letter {
                "" => continue,
                "H" | "G" | "I" => counts[0] += 1,
                "E" | "B" => counts[1] += 1,
                _ => {}
            }
            counts[2] += 1;
        }
    }
    let share = |count: u32| (f64::from(count) / f64::from(counts[2]) * 1e3).round() / 1e3;
    (counts[2] > 0).then(|| [share(counts[0]), share(counts[1])])
}

/// The names of residues without rows that are neither nucleotides nor amino acids, each with its number.
fn ligand_names(structure: &StructureInput) -> BTreeMap<&str, u32> {
    let mut names = BTreeMap::new();
    let others = structure.hetero.iter().flat_map(|hetero| &hetero.residues);
    for residue in others.filter(|residue| !residue.is_nucleotide && !residue.is_amino_acid) {
        *names.entry(&*residue.name).or_default() += 1;
    }
    names
}

/// Bytes as Base64.
fn packed_bytes(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

fn packed_script(out: &mut impl Write, id: &str, text: &str) -> std::io::Result<()> {
    writeln!(out, "<script type=\"text/plain\" id=\"{id}\">{text}</script>")
}

#[cfg(test)]
mod tests {
    use super::date;

    #[test]
    fn days_are_dates() {
        // From `date -u -d @SECONDS +%F`.
        for (days, expected) in [
            (0, "1970-01-01"),
            (59, "1970-03-01"),
            (11_016, "2000-02-29"),
            (20_453, "2025-12-31"),
            (20_454, "2026-01-01"),
        ] {
            assert_eq!(date(days), expected);
        }
    }
}
