//! The volume of pockets whose residues are known, structure by structure.

use super::relations::{STRUCTURE, Value, float, int, push};
use super::{Cells, OutputError, Relation, RelationColumn, RelationFailures, StructureRows};
use crate::csv_table::{CsvTable, TableError, open};
use prism_engine::sites::lined_volume;
use rayon::prelude::*;
use std::collections::{HashMap, VecDeque};
use std::io::Read;
use std::path::Path;

/// Pockets and the residues that line them, as `prism sites --pockets` writes them.
///
/// ```
/// use prism_io::output::KnownPockets;
///
/// let table = "pocket,residues\n1,A_30 A_31\n4,B_12\n";
/// assert_eq!(KnownPockets::from_reader(table.as_bytes(), "pockets.csv")?.len(), 2);
/// let error = KnownPockets::from_reader("pocket,lining\n".as_bytes(), "pockets.csv").unwrap_err();
/// assert_eq!(error.to_string(), "pockets.csv: line 1: column \"residues\" is missing");
/// # Ok::<(), prism_io::annotations::TableError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct KnownPockets(Vec<KnownPocket>);

#[derive(Clone, Debug)]
struct KnownPocket {
    number: usize,
    /// Chain, number and insertion code (`A_30`).
    residues: Vec<String>,
}

impl KnownPockets {
    /// Reads a CSV table, which may be compressed.
    ///
    /// # Errors
    /// If it cannot be read, lacks the column `pocket` or `residues`, has no line, a pocket without residues, or a number twice.
    pub fn read(path: &Path) -> Result<Self, TableError> {
        let (reader, shown) = open(path)?;
        Self::from_reader(reader, &shown)
    }

    /// As [`read`](Self::read), of a table with this name in errors.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn from_reader(reader: impl Read, name: &str) -> Result<Self, TableError> {
        let mut table = CsvTable::new(reader, name);
        let [pocket, residues] = table.header(|columns| {
            let place = |wanted: &str| {
                let found = columns.iter().position(|column| *column == wanted);
                found.ok_or_else(|| format!("column \"{wanted}\" is missing"))
            };
            Ok([place("pocket")?, place("residues")?])
        })?;
        let mut pockets = Self::default();
        table.each(|record, _| {
            let (text, lining) = (record[pocket].trim(), &record[residues]);
            let number = text.parse().map_err(|_| format!("pocket {text:?} is not a number"))?;
            pockets.add(number, lining.split_whitespace().map(str::to_owned).collect())
        })?;
        match pockets.is_empty() {
            true => Err(table.wrong(1, "no pocket follows".to_owned())),
            false => Ok(pockets),
        }
    }

    /// Adds a pocket: its number, and its residues by chain, number and insertion code (`A_30`).
    ///
    /// # Errors
    /// If it has no residues, or its number is there already.
    pub fn add(&mut self, number: usize, residues: Vec<String>) -> Result<(), String> {
        if residues.is_empty() {
            return Err(format!("pocket {number} has no residues"));
        }
        if self.0.iter().any(|known| known.number == number) {
            return Err(format!("pocket {number} is there twice; give the pockets of one trajectory"));
        }
        self.0.push(KnownPocket { number, residues });
        Ok(())
    }

    /// Number of pockets.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The volume of each in a structure; or the first residue that the structure lacks, and its pocket's number.
    fn volumes(&self, part: &StructureRows<'_>) -> Result<Vec<f32>, (String, usize)> {
        let rows: HashMap<String, usize> = (0..part.structure.n_rows()).map(|row| (part.residue(row), row)).collect();
        let of = |pocket: &KnownPocket| {
            let row = |name: &String| rows.get(name).copied().ok_or_else(|| (name.clone(), pocket.number));
            let lining = pocket.residues.iter().map(row).collect::<Result<Vec<_>, _>>()?;
            Ok(lined_volume(part.structure, &lining))
        };
        self.0.iter().map(of).collect()
    }
}

/// A line per structure and known pocket: the volume that its residues line, whether a site is there or not. It needs no feature.
///
/// ```
/// use prism_io::output::{KnownPockets, MeasuredRelation, Relation, RelationFailures};
///
/// let measured = MeasuredRelation::new(KnownPockets::default(), RelationFailures::default());
/// let names: Vec<&str> = measured.columns().iter().map(|column| column.name).collect();
/// assert_eq!(names, ["structure", "pocket", "volume"]);
/// ```
pub struct MeasuredRelation {
    pockets: KnownPockets,
    failures: RelationFailures,
    /// Volumes of the next structures.
    ready: VecDeque<Result<Vec<f32>, (String, usize)>>,
}

impl MeasuredRelation {
    /// Measures these pockets. Structures that lack a residue have no lines, and are reported as failures.
    #[must_use]
    pub fn new(pockets: KnownPockets, failures: RelationFailures) -> Self {
        Self { pockets, failures, ready: VecDeque::new() }
    }
}

impl Relation for MeasuredRelation {
    fn columns(&self) -> &'static [RelationColumn] {
        const {
            &[
                STRUCTURE,
                int("pocket", "the pocket's number, as given"),
                float(
                    "volume",
                    "Å^3",
                    "volume that its residues line: free cells of 1 Å whose nearest atom is one of theirs, within 4 Å of its surface, and that \
                     are within 1.4 Å of cells that a probe of 1.4 Å fits into and that protein encloses along at least 4 of 7 lines",
                ),
            ]
        }
    }

    fn prepare(&mut self, parts: &[StructureRows<'_>]) {
        self.ready = parts.par_iter().map(|part| self.pockets.volumes(part)).collect::<Vec<_>>().into();
    }

    fn append(&mut self, part: &StructureRows<'_>, cells: &mut [Cells]) -> Result<(), OutputError> {
        match self.ready.pop_front().unwrap_or_else(|| self.pockets.volumes(part)) {
            Ok(volumes) => {
                for (pocket, volume) in self.pockets.0.iter().zip(volumes) {
                    let line = [Value::Text(&part.structure.name), Value::Int(pocket.number), Value::Float(volume)];
                    push(cells, &line);
                }
            }
            Err((residue, pocket)) => {
                let why = format!("has no residue {residue}, which lines pocket {pocket}");
                self.failures.fail(&part.structure.label(), why);
            }
        }
        Ok(())
    }
}
