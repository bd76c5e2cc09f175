//! What files say of themselves: units and definitions of columns, and how they were made; and that all formats have the
//! same lines.

use crate::command::{Run, column, trimer};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Int32Type};
use arrow_array::{Array, RecordBatch};
use arrow_ipc::reader::FileReader;
use arrow_schema::{DataType, Schema};
use base64::prelude::{BASE64_STANDARD, Engine as _};
use parquet::file::reader::{FileReader as _, SerializedFileReader};
use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};

/// Commands with a table, the option that names it, and a column with its unit.
const TABLES: [(&[&str], &str, &str, &str); 6] = [
    (&["features"], "-o", "sasa", "Å^2"),
    (&["sites", "--all"], "-o", "volume", "Å^3"),
    (&["edges"], "-o", "distance", "Å"),
    (&["interface"], "-o", "buried_area", "Å^2"),
    (&["interface", "-o", "pairs.csv"], "--by-residue", "sasa_alone", "Å^2"),
    (&["summary"], "-o", "radius_of_gyration", "Å"),
];

/// Writes a table in some format; answers its path.
fn write(run: &Run, (command, option, ..): (&[&str], &str, &str, &str), name: &str) -> PathBuf {
    let input = trimer();
    let rest = ["--backend", "cpu", input.to_str().unwrap(), option, name];
    let outcome = run.prism(&[command, &rest].concat());
    assert_eq!(outcome.status, 0, "{command:?}: {}", outcome.stderr);
    run.path(name)
}

fn arrow(path: &Path) -> (Schema, Vec<RecordBatch>) {
    let file = FileReader::try_new(File::open(path).unwrap(), None).unwrap();
    let schema = file.schema().as_ref().clone();
    (schema, file.map(Result::unwrap).collect())
}

/// The values of all columns, as text.
fn texts(batches: &[RecordBatch]) -> Vec<Vec<String>> {
    let columns = batches[0].num_columns();
    let value = |array: &dyn Array, row: usize| match array.data_type() {
        _ if array.is_null(row) => String::new(),
        DataType::Utf8 => array.as_string::<i32>().value(row).to_owned(),
        DataType::Int32 => array.as_primitive::<Int32Type>().value(row).to_string(),
        _ => zmij::Buffer::new().format(array.as_primitive::<Float32Type>().value(row)).to_owned(),
    };
    let column = |index: usize| {
        let arrays = batches.iter().map(|batch| batch.column(index));
        arrays.flat_map(|array| (0..array.len()).map(|row| value(array, row)).collect::<Vec<_>>()).collect()
    };
    (0..columns).map(column).collect()
}

fn unzipped(path: &Path) -> (String, String) {
    let mut file = flate2::read::GzDecoder::new(File::open(path).unwrap());
    let mut text = String::new();
    file.read_to_string(&mut text).unwrap();
    let comment = file.header().unwrap().comment().unwrap_or_default();
    (text, String::from_utf8(comment.to_vec()).unwrap())
}

#[test]
fn parquet_and_arrow_describe_columns_and_the_run() {
    let run = Run::new();
    for table in TABLES {
        let of = &table.0;
        let parquet = SerializedFileReader::new(File::open(write(&run, table, "t.parquet")).unwrap()).unwrap();
        let metadata = parquet.metadata().file_metadata();
        let entries: HashMap<&str, &str> = metadata
            .key_value_metadata()
            .unwrap()
            .iter()
            .map(|entry| (entry.key.as_str(), entry.value.as_deref().unwrap()))
            .collect();
        let schema = BASE64_STANDARD.decode(entries["ARROW:schema"]).unwrap();
        let schema = arrow_ipc::convert::try_schema_from_ipc_buffer(&schema).unwrap();
        let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
        let own: Vec<&str> = metadata.schema_descr().columns().iter().map(|column| column.name()).collect();
        assert_eq!(names, own);
        for field in schema.fields() {
            assert!(!field.metadata()["definition"].is_empty(), "{of:?}: {field:?}");
            assert!(field.metadata().contains_key("unit"), "{of:?}: {field:?}");
        }
        assert_eq!(schema.field_with_name(table.2).unwrap().metadata()["unit"], table.3);
        for (key, expected) in [("prism.version", env!("CARGO_PKG_VERSION")), ("prism.points", "100")] {
            assert_eq!((entries[key], schema.metadata()[key].as_str()), (expected, expected), "{of:?}");
        }
        assert!(
            entries["prism.command"].starts_with(&format!("prism {}", of[0])),
            "{of:?}: {}",
            entries["prism.command"]
        );
        assert!(entries["prism.backend"].contains("CPU"), "{of:?}: {}", entries["prism.backend"]);
        assert!(parquet.metadata().row_group(0).columns().iter().all(|column| column.statistics().is_some()), "{of:?}");

        let (in_arrow, batches) = arrow(&write(&run, table, "t.arrow"));
        assert_eq!(in_arrow.fields(), schema.fields(), "{of:?}");
        assert_eq!(batches.iter().map(|batch| batch.num_rows() as i64).sum::<i64>(), metadata.num_rows(), "{of:?}");
        assert!(in_arrow.metadata()["prism.command"].ends_with("t.arrow"), "{of:?}");
    }
}

#[test]
fn every_format_has_the_same_lines() {
    let run = Run::new();
    for table in TABLES {
        let csv = fs::read_to_string(write(&run, table, "t.csv")).unwrap();
        let (schema, batches) = arrow(&write(&run, table, "t.arrow"));
        let names: Vec<&String> = schema.fields().iter().map(|field| field.name()).collect();
        let expected: Vec<Vec<String>> = names.iter().map(|name| column(&csv, name)).collect();
        assert!(!expected[0].is_empty());
        assert_eq!(texts(&batches), expected, "{:?}", table.0);

        let tsv = fs::read_to_string(write(&run, table, "t.tsv")).unwrap();
        let mut reader = csv::ReaderBuilder::new().delimiter(b'\t').from_reader(tsv.as_bytes());
        assert!(reader.headers().unwrap().iter().eq(names.iter().map(|name| name.as_str())));
        for (line, record) in reader.records().enumerate() {
            assert!(record.unwrap().iter().eq(expected.iter().map(|column| &column[line])), "{:?}", table.0);
        }

        let (zipped, comment) = unzipped(&write(&run, table, "t.csv.gz"));
        assert_eq!(zipped, csv);
        assert!(comment.contains("prism.command=prism") && comment.contains("prism.backend="), "{comment}");

        let lines = fs::read_to_string(write(&run, table, "t.jsonl")).unwrap();
        let objects: Vec<serde_json::Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(objects.len(), expected[0].len());
        for (line, object) in objects.iter().enumerate() {
            for (name, values) in names.iter().zip(&expected) {
                let same = match &object[name.as_str()] {
                    serde_json::Value::Null => values[line].is_empty(),
                    serde_json::Value::String(text) => *text == values[line],
                    serde_json::Value::Array(words) => {
                        words.iter().map(|word| word.as_str().unwrap()).eq(values[line].split_whitespace())
                    }
                    number => number.as_f64().unwrap() as f32 == values[line].parse::<f32>().unwrap(),
                };
                assert!(same, "{:?}: {name}: {object}", table.0);
            }
        }
        if table.0[0] != "features" {
            let array = fs::read_to_string(write(&run, table, "t.json")).unwrap();
            let array: Vec<serde_json::Value> = serde_json::from_str(&array).unwrap();
            assert_eq!(array, objects);
        }
    }
}

#[test]
fn names_need_quotes_only_where_a_field_ends_at_a_comma() {
    let run = Run::new();
    run.copy(&trimer(), "b, with a comma.pdb.gz");
    for (output, begin) in [("t.csv", "\n\"b, with a comma.pdb\","), ("t.tsv", "\nb, with a comma.pdb\t")] {
        assert_eq!(run.features(&["b, with a comma.pdb.gz", "-o", output]).status, 0);
        assert!(fs::read_to_string(run.path(output)).unwrap().contains(begin), "{output}");
    }
}

#[test]
fn digests_are_in_the_metadata_of_a_file_that_is_no_data_set() {
    let run = Run::new();
    run.copy(&trimer(), "a.pdb.gz");
    assert_eq!(run.features(&["a.pdb.gz", "-o", "t.arrow", "--digests"]).status, 0);
    let metadata = arrow(&run.path("t.arrow")).0.metadata;
    assert_eq!((metadata["prism.ptx_sha256"].len(), metadata["prism.inputs_sha256"].len()), (64, 64));
    run.features(&["t.arrow"]).says(1, "not a packed data set");
}

#[test]
fn a_table_without_lines_is_whole_in_every_format() {
    let run = Run::new();
    // One chain has no interface.
    let input = crate::command::example();
    for name in ["t.csv", "t.tsv.gz", "t.jsonl", "t.json", "t.arrow", "t.parquet"] {
        let outcome = run.prism(&["interface", "--backend", "cpu", input.to_str().unwrap(), "-o", name]);
        assert_eq!(outcome.status, 0, "{name}: {}", outcome.stderr);
    }
    let header = "structure,chain_a,chain_b,buried_area,residues_a,residues_b,contacts\n";
    assert_eq!(fs::read_to_string(run.path("t.csv")).unwrap(), header);
    assert_eq!(unzipped(&run.path("t.tsv.gz")).0, header.replace(',', "\t"));
    assert_eq!(fs::read(run.path("t.jsonl")).unwrap(), b"");
    assert_eq!(serde_json::from_slice::<Vec<u8>>(&fs::read(run.path("t.json")).unwrap()).unwrap(), [0; 0]);
    assert_eq!(arrow(&run.path("t.arrow")).1.len(), 0);
    let parquet = SerializedFileReader::new(File::open(run.path("t.parquet")).unwrap()).unwrap();
    assert_eq!(parquet.metadata().file_metadata().num_rows(), 0);
}

#[test]
fn npz_describes_columns_and_the_run_in_its_comment() {
    let run = Run::new();
    let bytes = fs::read(write(&run, TABLES[0], "t.npz")).unwrap();
    let archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    let comment = String::from_utf8(archive.comment().to_vec()).unwrap();
    assert!(comment.contains("prism.command=prism features") && comment.contains("prism.backend="), "{comment}");
    for name in archive.file_names().map(|name| name.unwrap().trim_end_matches(".npy").to_owned()) {
        let line = comment.lines().find(|line| line.starts_with(&format!("{name} ["))).unwrap_or_default();
        assert!(line.len() > name.len() + 10, "{name}: {line}");
    }
    assert!(comment.contains("\nsasa [Å^2]: solvent-accessible"), "{comment}");
}
