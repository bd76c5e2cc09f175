//! Per-residue numbers from outside of structure files, such as conservation.

use crate::csv_table::{self, CsvTable};
use prism_read::structure::StructureInput;
use std::collections::HashMap;
use std::io::Read;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

pub use crate::csv_table::TableError;

/// The columns that identify a residue.
const KEYS: [&str; 4] = ["structure", "chain", "resnum", "icode"];

macro_rules! annotations {
    ($($(#[$doc:meta])* $name:ident: $type:ty, $kind:ident $(($absent:expr $(, $limit:expr)*))?;)*) => {
        /// The values that a line may have, with their ranges.
        static VALUES: [Value; count!($($kind)*)] = collected!([] $($name $kind $(($absent $(, $limit)*))?;)*);
    };
}

/// A value of a line.
struct Value {
    name: &'static str,
    least: f32,
    most: f32,
    of: fn(&mut StructureInput) -> &mut Vec<f32>,
}

/// Counts the inputs that are annotations.
macro_rules! count {
    () => {
        0
    };
    (annotation $($rest:ident)*) => {
        1 + count!($($rest)*)
    };
    ($other:ident $($rest:ident)*) => {
        count!($($rest)*)
    };
}

/// Collects the annotations among the inputs.
macro_rules! collected {
    ([$($found:expr),*]) => {
        [$($found),*]
    };
    ([$($found:expr),*] $name:ident annotation($absent:expr, $least:expr, $most:expr); $($rest:tt)*) => {
        collected!([$($found,)* Value {
            name: stringify!($name), least: $least, most: $most, of: |structure| &mut structure.$name
        }] $($rest)*)
    };
    ([$($found:expr),*] $name:ident $other:ident $(($absent:expr))?; $($rest:tt)*) => {
        collected!([$($found),*] $($rest)*)
    };
}

shared_types::residue_inputs!(annotations);

/// Annotations by structure and residue. A line applies to every row that has its key.
///
/// ```
/// use prism_io::annotations::Annotations;
/// use prism_read::{ReadOptions, read_path};
///
/// # let folder = tempfile::tempdir()?;
/// # let file = folder.path().join("known.csv");
/// std::fs::write(&file, "structure,chain,resnum,icode,conservation\nrbd,E,333,,0.75\nrbd,E,9999,,0.5\n")?;
/// let annotations = Annotations::read(&file)?;
/// let mut rbd = read_path("../../data/6m0j_rbd.pdb", "rbd", &ReadOptions::default())?.structure;
/// annotations.apply(&mut rbd);
/// assert_eq!((rbd.residue_numbers[0], rbd.conservation[0]), (333, 0.75));
/// assert!(rbd.conservation[1].is_nan());
/// assert_eq!(annotations.unmatched(), 1); // there is no residue 9999
///
/// std::fs::write(&file, "structure,chain,resnum,icode,gisaid_freq\nrbd,E,333,,7\n")?;
/// assert!(Annotations::read(&file).is_err_and(|error| error.to_string().contains("line 2")));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct Annotations {
    structures: HashMap<String, HashMap<Key, Entry>>,
}

/// Chain, residue number, insertion code.
type Key = (String, i32, String);

/// Names of the values, as a list for messages.
fn names() -> String {
    VALUES.iter().map(|value| value.name).collect::<Vec<_>>().join(", ")
}

#[derive(Debug, Default)]
struct Entry {
    values: [Option<f32>; VALUES.len()],
    /// For each value, the line of the file that gave it.
    lines: [u64; VALUES.len()],
    /// Number of lines with this key.
    count: usize,
    used: AtomicBool,
}

impl Annotations {
    /// Reads a CSV file with the columns `structure,chain,resnum,icode` and at least one of
    /// `conservation,gisaid_freq,gisaid_velocity`, in any order. An empty value is absent.
    ///
    /// # Errors
    /// Names the line of the first problem: a missing, unknown or repeated column, an invalid number, a frequency outside 0
    /// to 1, or a second value for the same residue.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, TableError> {
        let (file, shown) = csv_table::open(path.as_ref())?;
        Self::from_reader(file, &shown)
    }

    /// Reads the text of such a file from any source; errors name it `path`.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn from_reader(reader: impl Read, path: &str) -> Result<Self, TableError> {
        let mut table = CsvTable::new(reader, path);
        let columns = table.header(Columns::of)?;
        let mut annotations = Self::default();
        table.each(|record, line| annotations.add(&columns, record, line))?;
        Ok(annotations)
    }

    fn add(&mut self, columns: &Columns, record: &csv::StringRecord, line: u64) -> Result<(), String> {
        let key = |index: usize| record[columns.keys[index]].trim();
        // A blank chain is a chain.
        let chain = if key(1).is_empty() { " " } else { key(1) };
        let number = key(2);
        let number = number.parse().map_err(|_| format!("resnum {number:?} is not a whole number"))?;
        let residues = self.structures.entry(key(0).to_owned()).or_default();
        let entry = residues.entry((chain.to_owned(), number, key(3).to_owned())).or_default();
        entry.count += 1;
        for (value, Value { name, .. }) in VALUES.iter().enumerate() {
            let Some(text) = columns.values[value].map(|index| record[index].trim()) else { continue };
            if text.is_empty() {
                continue;
            }
            if entry.values[value].is_some() {
                return Err(format!("a second {name} for the residue of line {}", entry.lines[value]));
            }
            entry.values[value] = Some(parse(&VALUES[value], text)?);
            entry.lines[value] = line;
        }
        Ok(())
    }

    /// Writes the annotations of a structure's residues into it. Residues without an annotation keep their values.
    pub fn apply(&self, structure: &mut StructureInput) {
        let Some(residues) = self.structures.get(&structure.name) else { return };
        structure.fill_absent();
        for row in 0..structure.n_rows() {
            let chain = structure.chains.get(structure.chain_ids[row] as usize).cloned().unwrap_or_default();
            let key = (chain, structure.residue_numbers[row], String::from(&*structure.insertion_codes[row]));
            let Some(entry) = residues.get(&key) else { continue };
            entry.used.store(true, Ordering::Relaxed);
            for (known, value) in VALUES.iter().zip(entry.values) {
                if let Some(value) = value {
                    (known.of)(structure)[row] = value;
                }
            }
        }
    }

    /// Whether any line gives a value of this name.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        let Some(value) = VALUES.iter().position(|value| value.name == name) else { return false };
        self.structures.values().flat_map(HashMap::values).any(|entry| entry.values[value].is_some())
    }

    /// Number of lines that have matched no residue so far.
    #[must_use]
    pub fn unmatched(&self) -> usize {
        let entries = self.structures.values().flat_map(HashMap::values);
        entries.filter(|entry| !entry.used.load(Ordering::Relaxed)).map(|entry| entry.count).sum()
    }
}

fn parse(&Value { name, least, most, .. }: &Value, text: &str) -> Result<f32, String> {
    let value: f32 = text.parse().map_err(|_| format!("{name} {text:?} is not a number"))?;
    if !value.is_finite() {
        return Err(format!("{name} {text:?} is not a finite number; leave the field empty if there is no value"));
    }
    if !(least..=most).contains(&value) {
        return Err(format!("{name} {text:?} is not between {least} and {most}"));
    }
    Ok(value)
}

/// The index of each column in a line.
struct Columns {
    keys: [usize; KEYS.len()],
    values: [Option<usize>; VALUES.len()],
}

impl Columns {
    fn of(header: &[&str]) -> Result<Self, String> {
        let mut keys = [None; KEYS.len()];
        let mut values = [None; VALUES.len()];
        for (index, &name) in header.iter().enumerate() {
            let place =
                match (KEYS.iter().position(|key| *key == name), VALUES.iter().position(|value| value.name == name)) {
                    (Some(key), _) => &mut keys[key],
                    (_, Some(value)) => &mut values[value],
                    _ => {
                        return Err(format!("unknown column {name:?}; known are {}, {}", KEYS.join(", "), names()));
                    }
                };
            if place.replace(index).is_some() {
                return Err(format!("column {name:?} occurs twice"));
            }
        }
        if let Some(missing) = keys.iter().position(Option::is_none) {
            return Err(format!("column {:?} is missing", KEYS[missing]));
        }
        if values.iter().all(Option::is_none) {
            return Err(format!("at least one of the columns {} is needed", names()));
        }
        Ok(Self { keys: keys.map(|key| key.expect("checked above")), values })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prism_read::Composition;

    fn read(text: &str) -> Result<Annotations, String> {
        Annotations::from_reader(text.as_bytes(), "notes.csv").map_err(|error| error.to_string())
    }

    /// Rows A 1, A 1, A 1B, B 1.
    fn structure() -> StructureInput {
        StructureInput::from(Composition {
            name: "x.pdb".into(),
            residue_types: vec![0; 4],
            chain_ids: vec![0, 0, 0, 1],
            chains: vec!["A".into(), "B".into()],
            residue_numbers: vec![1; 4],
            insertion_codes: vec!["".into(), "".into(), "B".into(), "".into()],
            conservation: vec![f32::NAN; 4],
            gisaid_freq: vec![f32::NAN; 4],
            gisaid_velocity: vec![f32::NAN; 4],
            ..Composition::default()
        })
    }

    #[test]
    fn a_line_applies_to_every_row_with_its_key() {
        let annotations = read(
            "conservation,structure,chain,resnum,icode,gisaid_freq\n\
             0.5,x.pdb,A,1,,\n0.25,x.pdb,A,1,B,1\n9,x.pdb,C,1,,\n9,y.pdb,A,1,,\n",
        )
        .unwrap();
        let mut structure = structure();
        annotations.apply(&mut structure);
        assert_eq!(structure.conservation[..3], [0.5, 0.5, 0.25]);
        assert!(structure.conservation[3].is_nan());
        assert!(structure.gisaid_freq[0].is_nan());
        assert_eq!(structure.gisaid_freq[2], 1.0);
        assert!(structure.gisaid_velocity.iter().all(|value| value.is_nan()));
        assert_eq!(annotations.unmatched(), 2);
    }

    #[test]
    fn lines_about_one_residue_add_up_unless_they_disagree() {
        let header = "structure,chain,resnum,icode,conservation,gisaid_freq\n";
        let annotations = read(&format!("{header}x.pdb,A,1,,2,\nx.pdb,A,1,,,0.5\n")).unwrap();
        let mut structure = structure();
        annotations.apply(&mut structure);
        assert_eq!((structure.conservation[0], structure.gisaid_freq[0]), (2.0, 0.5));
        let error = read(&format!("{header}x.pdb,A,1,,2,\nx.pdb,A,1,,2,\n")).unwrap_err();
        assert_eq!(error, "notes.csv: line 3: a second conservation for the residue of line 2");
    }

    #[test]
    fn faults_are_named_with_their_line() {
        let header = "structure,chain,resnum,icode,conservation,gisaid_freq\n";
        let line = |line: &str| read(&format!("{header}x.pdb,A,1,,1,1\n{line}\n")).unwrap_err();
        assert_eq!(line("x.pdb,A,2,,high,"), "notes.csv: line 3: conservation \"high\" is not a number");
        assert!(line("x.pdb,A,2,,nan,").contains("line 3: conservation \"nan\" is not a finite number"));
        assert!(line("x.pdb,A,2,,1e99,").contains("not a finite number"));
        assert!(line("x.pdb,A,2,,,1.5").contains("line 3: gisaid_freq \"1.5\" is not between 0 and 1"));
        assert!(line("x.pdb,A,2,,,-0.1").contains("is not between 0 and 1"));
        assert!(line("x.pdb,A,two,,1,").contains("line 3: resnum \"two\" is not a whole number"));
        assert!(line("x.pdb,A,2").contains("line 3: has 3 fields where the first line has 6"));
        assert!(
            read("structure,chain,resnum,conservation\n").unwrap_err().contains("line 1: column \"icode\" is missing")
        );
        assert!(read(&header.replace("gisaid_freq", "freq")).unwrap_err().contains("line 1: unknown column \"freq\""));
        assert!(
            read(&header.replace("gisaid_freq", "icode"))
                .unwrap_err()
                .contains("line 1: column \"icode\" occurs twice")
        );
        assert!(read("structure,chain,resnum,icode\n").unwrap_err().contains("at least one of the columns"));
        assert!(read("").is_err());
    }
}
