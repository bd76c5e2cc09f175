//! A report as one HTML file that shows structures, their features and sites. It loads nothing else.
//!
//! The file contains the page's script and the data of each structure, compressed until the structure is viewed. The
//! three-dimensional view is [3Dmol.js](https://3dmol.org) (BSD-3-Clause, see `report/3Dmol.LICENSE`).

mod detail;
mod predicted;
mod sample;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use prism_complexes::confidence::PredictionFiles;
use prism_engine::sites::{LIKELY, SiteLimits, sites};
use prism_io::output::{OutputError, Provenance, StructureRows, WholeFile};
use prism_read::Note;
use rayon::prelude::*;
use sample::Sample;
use serde_json::{Map, Value, json};
use shared_types::feature::column;
use shared_types::{FEATURES, Group};
use std::collections::HashMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

const PAGE: &str = include_str!("report/page.html");
const STYLE: &str = include_str!("report/style.css");
const SCRIPT: &str = include_str!("report/app.js");
/// `3Dmol-min.js` of version 2.5.5 from npm, compressed by `gzip -9n`.
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
    note_places: HashMap<String, usize>,
    sample: Sample,
    sites: u64,
    details: usize,
    most_details: usize,
    predictions: HashMap<String, PredictionFiles>,
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
            note_places: HashMap::new(),
            sample: Sample::default(),
            sites: 0,
            details: 0,
            most_details,
            predictions: HashMap::new(),
        })
    }

    /// Adds predicted aligned errors and scores of chains to the views of some structures, by their names.
    #[must_use]
    pub fn with_predictions(self, predictions: HashMap<String, PredictionFiles>) -> Self {
        Self { predictions, ..self }
    }

    /// The temporary file to remove if the program ends without dropping this; usually `None`.
    #[must_use]
    pub fn temporary_path(&self) -> Option<&Path> {
        self.whole.temporary_path()
    }

    /// Appends structures, each with its notes.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&mut self, structures: &[(StructureRows<'_>, &[Note])]) -> Result<(), OutputError> {
        let room = (self.most_details - self.details).min(structures.len());
        let packed: Vec<String> = structures[..room]
            .par_iter()
            .map(|(part, notes)| detail::packed(part, notes, self.predictions.get(&part.structure.name)))
            .collect::<Result<_, _>>()
            .map_err(|source| self.whole.failed(source))?;
        for text in packed {
            let id = format!("s{}", self.details);
            packed_script(&mut self.out, &id, &text).map_err(|source| self.whole.failed(source))?;
            self.details += 1;
        }
        let first_detail = self.details - room;
        for (index, (part, notes)) in structures.iter().enumerate() {
            let sites = sites(part.structure, &part.features, &SiteLimits::default());
            let likely = sites.iter().filter(|site| site.probability >= LIKELY).count();
            let mean = |column: usize| {
                let values = values(part, column).iter().map(|&value| f64::from(value)).filter(|value| !value.is_nan());
                let (sum, count) = values.fold((0.0, 0_u32), |(sum, count), value| (sum + value, count + 1));
                (count > 0).then(|| sum / f64::from(count))
            };
            let mut entry = json!({
                "name": part.structure.name,
                "residues": part.len(),
                "chains": part.structure.rows_of_chains().len(),
                "sites": likely,
                "best": sites.first().map(|site| site.probability),
                "rsa": mean(column::RSA),
                "contacts": mean(column::CONTACT_NUMBER),
                "notes": notes.len(),
            });
            if index < room {
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

    fn note(&mut self, name: &str, note: &Note) {
        let kind = note.kind.about().to_owned();
        let place = *self.note_places.entry(kind.clone()).or_insert_with(|| {
            self.notes.push((kind, 0, name.to_owned()));
            self.notes.len() - 1
        });
        self.notes[place].1 += 1;
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
        let Self { whole, mut out, structures, failed, mut notes, sample, sites, .. } = self;
        notes.sort_by(|(a, first, _), (b, second, _)| second.cmp(first).then_with(|| a.cmp(b)));
        let notes: Vec<Value> =
            notes.iter().map(|(kind, count, first)| json!({ "kind": kind, "count": count, "first": first })).collect();
        let entries: Map<String, Value> =
            provenance.entries().into_iter().map(|(key, value)| (key.to_owned(), value.into())).collect();
        let units: Map<String, Value> =
            FEATURES.iter().map(|feature| (feature.name.to_owned(), feature.unit.into())).collect();
        let run = json!({
            "date": today(),
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
            "provenance": entries,
        });
        // A name must not be able to end the script.
        let run = run.to_string().replace('<', "\\u003c");
        let end = format!(
            "<script type=\"application/json\" id=\"run\">{run}</script>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n"
        );
        out.write_all(end.as_bytes()).and_then(|()| out.flush()).map_err(|source| whole.failed(source))?;
        whole.commit()
    }
}

/// The date, in UTC, as 2026-01-31.
pub(crate) fn today() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    date((since.as_secs() / (24 * 3600)) as i64)
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
