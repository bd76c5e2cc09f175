//! The tables of reference values.

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;

/// Some rows of a table, by column.
#[derive(Default)]
pub struct Columns {
    numbers: BTreeMap<String, Vec<f64>>,
    texts: BTreeMap<String, Vec<String>>,
}

impl Columns {
    /// A column of numbers; NaN for missing values.
    pub fn numbers(&self, name: &str) -> &[f64] {
        self.numbers.get(name).unwrap_or_else(|| panic!("the table has a column {name}"))
    }

    pub fn number_mut(&mut self, name: &str, row: usize) -> &mut f64 {
        &mut self.numbers.get_mut(name).unwrap()[row]
    }

    pub fn texts(&self, name: &str) -> &[String] {
        self.texts.get(name).unwrap_or_else(|| panic!("the table has a column {name}"))
    }
}

/// Reference values by file name without `.gz`.
pub struct Tables {
    /// One row per residue.
    pub rows: BTreeMap<String, Columns>,
    /// One row per file.
    pub structures: BTreeMap<String, Columns>,
}

/// Columns that are text even if every value looks like a number.
const TEXTS: [&str; 3] = ["chain", "icode", "resname"];

fn push(columns: &mut Columns, name: &str, value: &str) {
    if TEXTS.contains(&name) {
        columns.texts.entry(name.to_owned()).or_default().push(value.to_owned());
    } else {
        columns.numbers.entry(name.to_owned()).or_default().push(value.parse().unwrap_or(f64::NAN));
    }
}

/// Parses a CSV table, and groups its rows by the column `key`.
pub fn from_csv(text: &[u8], key: &str) -> BTreeMap<String, Columns> {
    let mut table: BTreeMap<String, Columns> = BTreeMap::new();
    let mut reader = csv::Reader::from_reader(text);
    let header = reader.headers().unwrap().clone();
    let key = header.iter().position(|name| name == key).unwrap();
    for record in reader.records() {
        let record = record.unwrap();
        let structure = record[key].strip_suffix(".gz").unwrap_or(&record[key]);
        let columns = table.entry(structure.to_owned()).or_default();
        for (name, value) in header.iter().zip(&record) {
            push(columns, name, value);
        }
    }
    table
}

/// Reads a Parquet table, and groups its rows by the column `structure`.
pub fn from_parquet(path: &Path) -> BTreeMap<String, Columns> {
    let file = File::open(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let reader = SerializedFileReader::new(file).unwrap();
    let mut table: BTreeMap<String, Columns> = BTreeMap::new();
    for row in reader.get_row_iter(None).unwrap() {
        let row = row.unwrap();
        let mut fields = row.get_column_iter();
        let structure = match fields.next() {
            Some((name, Field::Str(structure))) if name == "structure" => structure,
            other => panic!("the first column is the structure's name, not {other:?}"),
        };
        let columns = table.entry(structure.strip_suffix(".gz").unwrap_or(structure).to_owned()).or_default();
        for (name, field) in fields {
            let number = match field {
                Field::Str(text) => {
                    push(columns, name, text);
                    continue;
                }
                Field::Null => f64::NAN,
                Field::Int(value) => f64::from(*value),
                Field::Float(value) => f64::from(*value),
                Field::Double(value) => *value,
                other => panic!("column {name} holds {other:?}"),
            };
            columns.numbers.entry(name.clone()).or_default().push(number);
        }
    }
    table
}
