//! Tables: the three formats have the same content, and files appear complete or not at all.

use crate::synthetic::{Dice, structure};
use base64::prelude::{BASE64_STANDARD, Engine as _};
use parquet::data_type::{ByteArray, ByteArrayType, FloatType, Int32Type};
use parquet::file::reader::{FileReader, SerializedFileReader};
use prism_host::output::{
    Column, Columns, CsvTable, Format, OutputError, OutputFile, ParquetTable, Provenance, StructureRows, Table,
};
use prism_host::{StructureFeatures, StructureInput};
use shared_types::{FeatureRow, Group, MegaFusedConfig, ROW_WIDTH};
use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

/// Names that need quoting, several chains, all kinds of values.
fn example() -> Vec<(StructureInput, Vec<FeatureRow>)> {
    let mut dice = Dice::new(1);
    let odd = [0.0, -0.0, 1e-30, -1e30, 0.1, f32::MIN_POSITIVE / 2.0, f32::MAX, 16_777_216.0, 1.0 / 3.0];
    let names = ["a.pdb", "sub/b,c.cif", "say \"d\".pdb", "Å.pdb"];
    let mut all = Vec::new();
    for (index, name) in names.into_iter().enumerate() {
        let mut input = structure(name, 10 * (index + 1), index as u64);
        input.insertion_codes[1] = "B".into();
        input.residue_numbers[0] = -7;
        input.chains[0] = " ".to_owned();
        let rows = (0..input.n_residues()).map(|_| {
            let mut columns = [0.0; ROW_WIDTH];
            for value in &mut columns {
                let throw = (dice.roll() * 20.0) as usize;
                *value = match odd.get(throw) {
                    Some(odd) => *odd,
                    None if throw < 12 => f32::NAN,
                    None => f32::from_bits((dice.roll() * 2.0_f32.powi(30)) as u32),
                };
            }
            FeatureRow { columns }
        });
        let rows = rows.collect();
        all.push((input, rows));
    }
    all
}

/// The site ids of every structure in these tests.
const SITE_IDS: [i32; 1000] = {
    let mut ids = [-1; 1000];
    ids[1] = 3;
    ids[2] = 0;
    ids
};

fn features(all: &[(StructureInput, Vec<FeatureRow>)]) -> Vec<StructureFeatures> {
    let of = |(structure, rows): &(StructureInput, Vec<FeatureRow>)| {
        StructureFeatures::from_rows(&structure.name, rows, &SITE_IDS[..rows.len()])
    };
    all.iter().map(of).collect()
}

fn parts<'a>(
    all: &'a [(StructureInput, Vec<FeatureRow>)],
    features: &'a [StructureFeatures],
) -> Vec<StructureRows<'a>> {
    let both = all.iter().zip(features);
    both.map(|((structure, _), features)| StructureRows { structure, features: features.view() }).collect()
}

fn provenance() -> Provenance {
    let config =
        MegaFusedConfig { contact_threshold: 7.5, min_feature_value: 0.25, points: 250, site_threshold: 0.375 };
    Provenance { config, more: vec![("prism.command", "prism features x.pdb".to_owned())] }
}

/// Writes in two parts, as batches are written.
fn write(path: &Path, columns: Columns, all: &[(StructureInput, Vec<FeatureRow>)]) {
    let mut file = OutputFile::create(path, columns, &provenance()).unwrap();
    let features = features(all);
    let parts = parts(all, &features);
    let (first, second) = parts.split_at(1.min(parts.len()));
    file.write(first).unwrap();
    file.write(second).unwrap();
    file.commit().unwrap();
}

/// The expected table; NaN is `None`.
fn expected(all: &[(StructureInput, Vec<FeatureRow>)], column: &Column) -> Vec<Field> {
    let mut fields = Vec::new();
    for (structure, rows) in all {
        for (row, features) in rows.iter().enumerate() {
            fields.push(match column {
                Column::Structure => Field::Text(structure.name.clone()),
                Column::Row => Field::Int(row as i32),
                Column::Chain => Field::Text(structure.chains[structure.chain_ids[row] as usize].clone()),
                Column::Resnum => Field::Int(structure.residue_numbers[row]),
                Column::SiteId => match SITE_IDS[row] {
                    -1 => Field::Float(None),
                    id => Field::Int(id + 1),
                },
                Column::Icode => Field::Text(structure.insertion_codes[row].to_string()),
                Column::Parent => {
                    Field::Text(shared_types::RESIDUES[structure.residue_types[row] as usize].name.to_owned())
                }
                Column::Resname => {
                    Field::Text(shared_types::RESIDUES[structure.residue_types[row] as usize].name.to_owned())
                }
                // Not computed here.
                Column::State(_) => Field::Text(String::new()),
                // No model is predicted, and these columns include no labels.
                Column::Plddt => Field::Float(None),
                Column::Polymer | Column::Label(_) | Column::Lineage(_) | Column::Frame(_) | Column::Derived(_) => {
                    unreachable!("they are written on request")
                }
                Column::Feature(feature) => Field::float(match feature.group {
                    Group::Residue => features.columns[feature.column],
                    _ => f32::NAN,
                }),
            });
        }
    }
    fields
}

#[derive(Clone, Debug, PartialEq)]
enum Field {
    Text(String),
    Int(i32),
    /// Bits of a number; `None` for NaN.
    Float(Option<u32>),
}

impl Field {
    fn float(value: f32) -> Self {
        Self::Float((!value.is_nan()).then(|| value.to_bits()))
    }
}

#[test]
fn csv_reads_back_to_the_bit() {
    let folder = tempfile::tempdir().unwrap();
    let (path, all) = (folder.path().join("t.csv"), example());
    write(&path, Columns::default(), &all);
    let mut reader = csv::Reader::from_path(&path).unwrap();
    let columns = Columns::default();
    let names: Vec<_> = columns.as_slice().iter().map(Column::name).collect();
    assert_eq!(reader.headers().unwrap(), names);
    let records: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    for (index, column) in columns.as_slice().iter().enumerate() {
        let found: Vec<Field> = records
            .iter()
            .map(|record| match column {
                Column::SiteId | Column::Feature(_) | Column::Plddt if record[index].is_empty() => Field::Float(None),
                Column::Row | Column::Resnum | Column::SiteId => Field::Int(record[index].parse().unwrap()),
                Column::Feature(_) => Field::float(record[index].parse().unwrap()),
                _ => Field::Text(record[index].to_owned()),
            })
            .collect();
        assert_eq!(found, expected(&all, column), "{}", column.name());
    }
}

#[test]
fn csv_text_is_this() {
    let mut all = vec![(structure("a,b.pdb", 2, 1), vec![FeatureRow { columns: [0.0; ROW_WIDTH] }; 2])];
    all[0].0.residue_types = vec![0, 19];
    all[0].1[0].columns[..3].copy_from_slice(&[3.0, 0.1, f32::NAN]);
    all[0].1[1].columns[..3].copy_from_slice(&[-0.0, 1e-10, 123_456_790.0]);
    let columns = Columns::choose(["structure", "row", "resname", "contact_number", "wcn", "hse_up"]).unwrap();
    let mut text = Vec::new();
    let mut table = Box::new(CsvTable::new(&mut text, columns));
    let features = features(&all);
    table.write(&parts(&all, &features)).unwrap();
    table.finish().unwrap();
    let lines = "structure,row,resname,contact_number,wcn,hse_up\n\
                 \"a,b.pdb\",0,ALA,3.0,0.1,\n\
                 \"a,b.pdb\",1,VAL,-0.0,1e-10,123456790.0\n";
    assert_eq!(String::from_utf8(text).unwrap(), lines);
}

#[test]
fn a_table_without_rows_has_its_header() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    write(&path, Columns::choose(["row", "wcn"]).unwrap(), &[]);
    assert_eq!(std::fs::read_to_string(path).unwrap(), "row,wcn\n");
}

#[test]
fn parquet_reads_back_to_the_bit() {
    let folder = tempfile::tempdir().unwrap();
    let (path, all) = (folder.path().join("t.parquet"), example());
    write(&path, Columns::default(), &all);
    let reader = SerializedFileReader::new(File::open(&path).unwrap()).unwrap();
    let metadata = reader.metadata().file_metadata();
    let value = |key: &str| {
        let entry = metadata.key_value_metadata().unwrap().iter().find(|entry| entry.key == key);
        entry.unwrap().value.clone().unwrap()
    };
    assert_eq!(value("prism.contact_threshold"), "7.5");
    assert_eq!(value("prism.min_feature_value"), "0.25");
    assert_eq!(value("prism.points"), "250");
    assert_eq!(value("prism.site_threshold"), "0.375");
    assert_eq!(value("prism.version"), env!("CARGO_PKG_VERSION"));
    let schema = BASE64_STANDARD.decode(value("ARROW:schema")).unwrap();
    let schema = arrow_ipc::convert::try_schema_from_ipc_buffer(&schema).unwrap();
    assert_eq!(schema.metadata()["prism.points"], "250");
    let metadata_of = |name: &str, key: &str| schema.field_with_name(name).unwrap().metadata()[key].clone();
    assert_eq!((metadata_of("sasa", "unit"), metadata_of("rsa", "unit")), ("Å^2".into(), String::new()));
    assert!(
        metadata_of("sasa", "definition").contains("probe 1.4 Å") && metadata_of("ss", "definition").contains("mkdssp")
    );

    for (index, column) in Columns::default().as_slice().iter().enumerate() {
        assert_eq!(metadata.schema_descr().column(index).name(), column.name());
        let mut found = Vec::new();
        for group in 0..reader.num_row_groups() {
            read_column(&reader, group, index, &mut found);
        }
        assert_eq!(found, expected(&all, column), "{}", column.name());
    }
}

fn read_column(reader: &SerializedFileReader<File>, group: usize, index: usize, found: &mut Vec<Field>) {
    use parquet::column::reader::{ColumnReader, get_typed_column_reader};
    let group = reader.get_row_group(group).unwrap();
    let rows = group.metadata().num_rows() as usize;
    match group.get_column_reader(index).unwrap() {
        column @ ColumnReader::ByteArrayColumnReader(_) => {
            let mut values: Vec<ByteArray> = Vec::new();
            get_typed_column_reader::<ByteArrayType>(column).read_records(rows, None, None, &mut values).unwrap();
            found.extend(values.iter().map(|text| Field::Text(text.as_utf8().unwrap().to_owned())));
        }
        column @ ColumnReader::Int32ColumnReader(_) => {
            let (mut values, mut present) = (Vec::new(), Vec::new());
            let mut reader = get_typed_column_reader::<Int32Type>(column);
            reader.read_records(rows, Some(&mut present), None, &mut values).unwrap();
            // A required column has no levels.
            present.resize(rows, 1);
            let mut values = values.into_iter();
            let field = |is: i16| if is == 1 { Field::Int(values.next().unwrap()) } else { Field::Float(None) };
            found.extend(present.into_iter().map(field));
        }
        column @ ColumnReader::FloatColumnReader(_) => {
            let (mut values, mut present) = (Vec::new(), Vec::new());
            let mut reader = get_typed_column_reader::<FloatType>(column);
            reader.read_records(rows, Some(&mut present), None, &mut values).unwrap();
            let mut values = values.into_iter();
            found.extend(
                present.iter().map(
                    |&is| {
                        if is == 1 { Field::float(values.next().unwrap()) } else { Field::Float(None) }
                    },
                ),
            );
        }
        _ => panic!("a column of an unexpected type"),
    }
}

/// The file written by a thread of a pool of `threads`, with the rows passed in another way. Large pools share the work further.
fn by_pool_of(threads: usize, rows: &[FeatureRow]) -> Vec<u8> {
    let input = structure("long", 100_000, 3);
    let mut bytes = Vec::new();
    let features = StructureFeatures::from_rows("long", rows, &[-1; 100_000]);
    let part = StructureRows { structure: &input, features: features.view() };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let columns = Columns::choose(["row", "wcn"]).unwrap();
        let mut table = ParquetTable::new(&mut bytes, columns, &provenance()).unwrap();
        table.write(&[part, part]).unwrap();
        table.write(&[part, part]).unwrap();
        Box::new(table).finish().unwrap();
    });
    bytes
}

#[test]
fn parquet_keeps_rows_across_row_groups() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.parquet");
    let input = structure("long", 100_000, 3);
    let rows: Vec<_> = (0..100_000).map(|row| FeatureRow { columns: [row as f32; ROW_WIDTH] }).collect();
    let columns = Columns::choose(["row", "wcn"]).unwrap();
    let mut file = OutputFile::create(&path, columns, &provenance()).unwrap();
    let features = StructureFeatures::from_rows("long", &rows, &[-1; 100_000]);
    for _ in 0..4 {
        file.write(&[StructureRows { structure: &input, features: features.view() }]).unwrap();
    }
    file.commit().unwrap();
    let reader = SerializedFileReader::new(File::open(&path).unwrap()).unwrap();
    assert!(reader.num_row_groups() > 1);
    for threads in [1, 16] {
        assert!(std::fs::read(&path).unwrap() == by_pool_of(threads, &rows), "{threads} threads");
    }
    let (mut numbers, mut features) = (Vec::new(), Vec::new());
    for group in 0..reader.num_row_groups() {
        read_column(&reader, group, 0, &mut numbers);
        read_column(&reader, group, 1, &mut features);
    }
    assert_eq!(numbers.len(), 400_000);
    assert!((0..400_000).all(|row| numbers[row] == Field::Int(row as i32 % 100_000)));
    assert!((0..400_000).all(|row| features[row] == Field::float((row % 100_000) as f32)));
}

#[test]
fn npz_reads_back_to_the_bit() {
    let folder = tempfile::tempdir().unwrap();
    let (path, all) = (folder.path().join("t.npz"), example());
    write(&path, Columns::default(), &all);
    let mut archive = zip::ZipArchive::new(File::open(&path).unwrap()).unwrap();
    assert_eq!(archive.len(), Columns::default().as_slice().len());
    let comment = std::str::from_utf8(archive.comment()).unwrap().to_owned();
    assert!(comment.contains("prism.points=250") && comment.contains("\nsasa [Å^2]: solvent-accessible"), "{comment}");
    for column in Columns::default().as_slice() {
        let mut bytes = Vec::new();
        archive.by_name(&format!("{}.npy", column.name())).unwrap().read_to_end(&mut bytes).unwrap();
        let array = npyz::NpyFile::new(&bytes[..]).unwrap();
        assert_eq!(array.shape(), [expected(&all, column).len() as u64]);
        let found: Vec<Field> = match column {
            Column::Row | Column::Resnum => array.into_vec::<i32>().unwrap().into_iter().map(Field::Int).collect(),
            Column::SiteId => {
                let field = |rank: f32| if rank.is_nan() { Field::Float(None) } else { Field::Int(rank as i32) };
                array.into_vec::<f32>().unwrap().into_iter().map(field).collect()
            }
            Column::Feature(_) | Column::Plddt => {
                array.into_vec::<f32>().unwrap().into_iter().map(Field::float).collect()
            }
            _ => array.into_vec::<String>().unwrap().into_iter().map(Field::Text).collect(),
        };
        assert_eq!(found, expected(&all, column), "{}", column.name());
    }
}

#[test]
fn an_npz_without_rows_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.npz");
    write(&path, Columns::choose(["chain", "wcn"]).unwrap(), &[]);
    let mut archive = zip::ZipArchive::new(File::open(&path).unwrap()).unwrap();
    let mut bytes = Vec::new();
    archive.by_name("chain.npy").unwrap().read_to_end(&mut bytes).unwrap();
    assert_eq!(npyz::NpyFile::new(&bytes[..]).unwrap().shape(), [0]);
}

fn entries(folder: &Path) -> Vec<String> {
    let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    names.map(|name| name.to_string_lossy().into_owned()).collect()
}

#[test]
fn a_file_that_is_not_committed_leaves_nothing_and_touches_nothing() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["t.csv", "t.parquet", "t.npz"] {
        let path = folder.path().join(name);
        std::fs::write(&path, "before").unwrap();
        let mut file = OutputFile::create(&path, Columns::default(), &provenance()).unwrap();
        let (all, computed) = (example(), features(&example()));
        file.write(&parts(&all, &computed)).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"before");
        drop(file);
        assert_eq!(std::fs::read(&path).unwrap(), b"before");
        assert_eq!(entries(folder.path()), [name]);
        write(&path, Columns::default(), &example());
        assert_ne!(std::fs::read(&path).unwrap(), b"before");
        assert_eq!(entries(folder.path()), [name]);
        std::fs::remove_file(path).unwrap();
    }
}

#[test]
fn paths_that_cannot_hold_a_file_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let create = |path: &Path| OutputFile::create(path, Columns::default(), &provenance()).err().unwrap();
    assert!(matches!(create(&folder.path().join("t.txt")), OutputError::UnknownFormat { .. }));
    assert!(matches!(create(&folder.path().join("csv")), OutputError::UnknownFormat { .. }));
    std::fs::create_dir(folder.path().join("d.csv")).unwrap();
    assert!(matches!(create(&folder.path().join("d.csv")), OutputError::NotAFile { .. }));
    let nowhere = create(&folder.path().join("none/t.csv"));
    assert!(nowhere.to_string().contains("none/t.csv: there is no folder "), "{nowhere}");
    assert_eq!(Format::of_path(Path::new("T.CSV")).unwrap(), Format::Csv);
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link_and_others_may_read() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = tempfile::tempdir().unwrap();
    let (target, link) = (folder.path().join("t.csv"), folder.path().join("l.csv"));
    std::fs::write(&target, "before").unwrap();
    symlink(&target, &link).unwrap();
    write(&link, Columns::default(), &example());
    assert!(link.is_symlink());
    assert!(std::fs::read_to_string(&target).unwrap().starts_with("structure,"));
    // With the permissions of an ordinary new file.
    let plain = folder.path().join("plain");
    File::create(&plain).unwrap();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode(&target), mode(&plain));
}

#[test]
fn a_reader_that_has_enough_is_told_apart() {
    struct Pipe;
    impl Write for Pipe {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::BrokenPipe.into())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut table = CsvTable::new(Pipe, Columns::default());
    let (all, computed) = (example(), features(&example()));
    assert!(matches!(table.write(&parts(&all, &computed)), Err(OutputError::Closed)));
}

#[test]
fn lines_that_wait_for_more_are_written_at_the_end() {
    use prism_host::output::{CellKind, Cells, LinesFile, Provenance, RelationColumn};
    const COLUMNS: &[RelationColumn] = &[RelationColumn::new("count", CellKind::Int, "", "a number")];
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, counts: &[i32]| {
        let path = folder.path().join(name);
        let mut file = LinesFile::create(&path, COLUMNS, &Provenance::of(MegaFusedConfig::default())).unwrap();
        for count in counts {
            file.append(&mut |cells| {
                let [Cells::Int(values)] = cells else { unreachable!() };
                values.push(*count);
            })
            .unwrap();
        }
        file.commit().unwrap();
        path
    };
    let parquet = SerializedFileReader::new(File::open(write("t.parquet", &[1, 2, 3])).unwrap()).unwrap();
    assert_eq!(parquet.metadata().file_metadata().num_rows(), 3);
    let arrow =
        arrow_ipc::reader::FileReader::try_new(File::open(write("t.arrow", &[1, 2, 3])).unwrap(), None).unwrap();
    assert_eq!(arrow.map(|batch| batch.unwrap().num_rows()).sum::<usize>(), 3);
    assert_eq!(std::fs::read_to_string(write("t.csv", &[1, 2])).unwrap(), "count\n1\n2\n");
    assert_eq!(std::fs::read_to_string(write("none.csv", &[])).unwrap(), "count\n");
}
