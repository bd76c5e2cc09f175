//! Packed data sets: structures come back bit for bit, and invalid data sets are refused.

use crate::synthetic::{Dice, structure};
use arrow_array::{Int32Array, RecordBatch};
use arrow_ipc::reader::read_footer_length;
use arrow_ipc::writer::FileWriter;
use arrow_ipc::{root_as_footer, root_as_message};
use arrow_schema::{DataType, Field, Schema};
use prism_host::StructureInput;
use prism_host::dataset::{Dataset, DatasetError, DatasetFile};
use prism_host::structure::{LigandKind, ResidueLabels};
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Structures with everything that a file may hold.
fn examples() -> Vec<(StructureInput, Vec<String>)> {
    let mut all: Vec<_> = [1, 2, 40, 25]
        .into_iter()
        .enumerate()
        .map(|(i, n)| (structure(&format!("sub/{i},\"Å\".cif"), n, i as u64), Vec::new()))
        .collect();
    let (odd, warnings) = &mut all[2];
    odd.residue_numbers[0] = -7;
    odd.insertion_codes[1] = "B".into();
    odd.chains = vec![" ".to_owned(), "AA".to_owned()];
    odd.bfactor[3] = f32::from_bits(0x7fc0_1234);
    odd.conservation[4] = -0.0;
    odd.center = [1.0e-300, -2.5, 3.0];
    (odd.lineage_hash, odd.country_id) = (0xdead_beef, 200);
    let label = |i: usize| ResidueLabels {
        asym_id: if i < 7 { "Å" } else { "B" }.into(),
        seq_id: (i != 3).then_some(i as i32),
        entity_id: "2".into(),
        uniprot_accession: if i.is_multiple_of(10) { "" } else { "P12345" }.into(),
        uniprot_number: (!i.is_multiple_of(10)).then_some(-2 * i as i32),
    };
    odd.labels = (0..odd.n_residues()).map(label).collect();
    *warnings = vec!["is odd".to_owned(), "is very odd".to_owned()];
    all
}

fn write(path: &Path, batches: &[&[(StructureInput, Vec<String>)]]) {
    let mut file = DatasetFile::create(path).unwrap();
    for batch in batches {
        let entries: Vec<_> = batch.iter().map(|(structure, warnings)| (structure, &warnings[..])).collect();
        file.write(&entries).unwrap();
    }
    assert_eq!(file.commit().unwrap(), fs::metadata(path).unwrap().len());
}

/// Everything in a structure, floats as bits.
fn bits(s: &StructureInput) -> impl PartialEq + std::fmt::Debug + use<> {
    let floats = [&s.bfactor, &s.conservation, &s.gisaid_freq, &s.gisaid_velocity];
    (
        (s.name.clone(), s.chains.clone(), s.residue_numbers.clone(), s.insertion_codes.clone()),
        (s.residue_atoms.clone(), s.ca_indices.clone(), s.residue_types.clone(), s.chain_ids.clone()),
        bytemuck::cast_slice::<_, u32>(&s.atoms).to_vec(),
        floats.map(|values| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>()),
        (s.center.map(f64::to_bits), s.lineage_hash, s.country_id, s.labels.clone()),
    )
}

fn packed(examples: &[(StructureInput, Vec<String>)]) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("set.arrow");
    write(&path, &[examples]);
    fs::read(path).unwrap()
}

#[test]
fn structures_come_back_bit_for_bit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("set.arrow");
    let examples = examples();
    write(&path, &[&examples[..1], &examples[1..3], &[], &examples[3..]]);
    assert!(Dataset::is_one(&path));
    let set = Dataset::open(&path).unwrap();
    assert_eq!(set.len(), examples.len());
    for (index, (structure, warnings)) in examples.iter().enumerate() {
        let read = set.structure(index).unwrap();
        assert_eq!(set.name(index), structure.name);
        assert!(set.bytes(index) > structure.n_atoms() as u64 * 16);
        assert_eq!(bits(&read.structure), bits(structure));
        assert_eq!(&read.warnings, warnings);
    }
    // Replace the file while it is in use.
    write(&path, &[&examples[..1]]);
    assert_eq!(bits(&set.structure(3).unwrap().structure), bits(&examples[3].0));
    assert_eq!(Dataset::open(&path).unwrap().len(), 1);
}

#[test]
fn an_empty_data_set_is_one() {
    let set = Dataset::from_bytes(packed(&[]).into()).unwrap();
    assert!(set.is_empty());
}

#[test]
fn what_is_cut_short_is_refused() {
    let whole = packed(&examples()[..2]);
    for len in 0..whole.len() {
        let error = Dataset::from_bytes(whole[..len].to_vec().into()).unwrap_err();
        if len < 6 {
            assert!(matches!(error, DatasetError::NotArrow), "{len}: {error}");
        } else {
            assert!(matches!(error, DatasetError::Truncated), "{len}: {error}");
        }
    }
}

/// All structures, or the first error.
fn read_all(set: &Dataset) -> Result<Vec<StructureInput>, DatasetError> {
    (0..set.len()).map(|index| set.structure(index).map(|read| read.structure)).collect()
}

/// Whatever value a byte is changed to, the result is an error or the original structures.
#[test]
fn damage_is_found() {
    let examples = &examples()[..3];
    let expected: Vec<_> = examples.iter().map(|(structure, _)| bits(structure)).collect();
    let whole = packed(examples);
    let mut dice = Dice::new(1);
    let mut refused = 0;
    for index in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[index] ^= 1 << ((dice.roll() * 8.0) as u8 % 8);
        match Dataset::from_bytes(bytes.into()).and_then(|set| read_all(&set)) {
            Ok(read) => assert_eq!(read.iter().map(bits).collect::<Vec<_>>(), expected, "byte {index}"),
            Err(_) => refused += 1,
        }
    }
    assert!(refused > whole.len() / 2, "{refused} of {}", whole.len());
}

/// The blocks of a data set's batches: position, length of the header, length of the body.
fn blocks(bytes: &[u8]) -> Vec<(usize, usize, usize)> {
    let footer = root_as_footer(footer(bytes)).unwrap();
    let block = |block: &arrow_ipc::Block| {
        (block.offset() as usize, block.metaDataLength() as usize, block.bodyLength() as usize)
    };
    footer.recordBatches().unwrap().iter().map(block).collect()
}

fn footer(bytes: &[u8]) -> &[u8] {
    let (rest, end) = bytes.split_last_chunk::<10>().unwrap();
    &rest[rest.len() - read_footer_length(*end).unwrap()..]
}

/// Sets the correct checksum of a data set with one batch.
fn with_checksum(mut bytes: Vec<u8>) -> Vec<u8> {
    let (begin, header, body) = blocks(&bytes)[0];
    let sum = format!("{:08x}", crc32fast::hash(&bytes[begin..begin + header + body]));
    let footer = footer(&bytes);
    let metadata = root_as_footer(footer).unwrap().custom_metadata().unwrap();
    let stated = metadata.get(0).value().unwrap();
    let offset = stated.as_ptr() as usize - bytes.as_ptr() as usize;
    bytes[offset..offset + 8].copy_from_slice(sum.as_bytes());
    bytes
}

/// A batch's header holds two messages: a good one at the expected offset, and another one where decoders look if the marker
/// is absent.
#[test]
fn a_second_message_in_a_header_is_not_taken() {
    let whole = packed(&examples()[..2]);
    let (begin, header, body) = blocks(&whole)[0];
    let good = &whole[begin + 8..begin + header];
    let batch = root_as_message(good).unwrap().header_as_record_batch().unwrap();
    let buffers = batch.buffers().unwrap().bytes().as_ptr() as usize - good.as_ptr() as usize;
    let mut evil = good.to_vec();
    evil[buffers + 16..buffers + 24].copy_from_slice(&(1_i64 << 40).to_le_bytes());
    let root = u32::from_le_bytes(*evil.first_chunk().unwrap());
    let offset = (8 + good.len() + 4) as u32;
    for mark in [[0; 4], [0xff; 4]] {
        let lead = if mark == [0; 4] { offset + root - 4 } else { (header - 8) as u32 };
        let mut head = [&mark[..], &lead.to_le_bytes(), good, &[0; 4], &evil].concat();
        head.resize(head.len().next_multiple_of(64), 0);
        let footer_bytes = footer(&whole);
        let mut footer = footer_bytes.to_vec();
        let block = root_as_footer(footer_bytes).unwrap().recordBatches().unwrap().bytes().as_ptr() as usize;
        let block = block - footer_bytes.as_ptr() as usize;
        footer[block + 8..block + 12].copy_from_slice(&(head.len() as i32).to_le_bytes());
        let data = &whole[begin + header..begin + header + body];
        let end = (footer.len() as u32).to_le_bytes();
        let bytes = [&whole[..begin], &head, data, &footer, &end, b"ARROW1"].concat();
        let read = Dataset::from_bytes(with_checksum(bytes).into()).and_then(|set| read_all(&set));
        if mark == [0; 4] {
            let error = read.unwrap_err();
            assert!(error.to_string().contains("a batch does not begin with its message"), "{error}");
        } else {
            assert_eq!(read.unwrap().len(), 2, "what was made here is otherwise in order");
        }
    }
}

/// Otherwise a small file could make the reader read much more than its size.
#[test]
fn batches_do_not_overlap() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("set.arrow");
    let examples = examples();
    write(&path, &[&examples[..1], &examples[1..2]]);
    let mut bytes = fs::read(&path).unwrap();
    let footer = footer(&bytes);
    let blocks = root_as_footer(footer).unwrap().recordBatches().unwrap().bytes();
    let offset = blocks.as_ptr() as usize - bytes.as_ptr() as usize;
    bytes.copy_within(offset..offset + 24, offset + 24);
    let error = Dataset::from_bytes(bytes.into()).unwrap_err();
    assert!(error.to_string().contains("a batch does not lie within the file"), "{error}");
}

/// The file is overwritten while in use: data that were read stay valid, and later reads are errors.
#[test]
fn a_file_that_changes_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("set.arrow");
    let examples = examples();
    let whole = packed(&examples[..2]);
    let name = whole.windows(5).position(|text| text == b"sub/0").unwrap();
    type Change = (&'static str, fn(&mut Vec<u8>, usize), &'static str);
    let changes: [Change; 4] = [
        // The end of the first name, in the 64 bytes before its text.
        (
            "offset",
            |bytes, name| bytes[name - 60..name - 56].copy_from_slice(&0x7000_0000_u32.to_le_bytes()),
            "checksum",
        ),
        ("no text", |bytes, name| bytes[name..name + 3].copy_from_slice(&[0xff, 0xfe, 0xf0]), "checksum"),
        ("cut", |bytes, name| bytes.truncate(name), "is incomplete"),
        ("emptied", |bytes, _| bytes.clear(), "is incomplete"),
    ];
    for (what, change, words) in changes {
        fs::write(&path, &whole).unwrap();
        let [before, after] = [(); 2].map(|()| Dataset::open(&path).unwrap());
        let read = before.structure(0).unwrap().structure;
        let mut bytes = whole.clone();
        change(&mut bytes, name);
        // Write to the same file.
        fs::write(&path, &bytes).unwrap();
        assert_eq!(bits(&read), bits(&examples[0].0), "{what}");
        assert_eq!(bits(&before.structure(1).unwrap().structure), bits(&examples[1].0), "{what}: read with the first");
        assert_eq!(after.name(0), examples[0].0.name, "{what}");
        for index in 0..2 {
            let error = after.structure(index).unwrap_err();
            assert!(error.to_string().contains(words), "{what}: {error}");
        }
    }
}

/// A reader beside a writer gets errors or the original structures.
#[test]
fn a_file_that_changes_all_the_time_gives_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("set.arrow");
    let examples = &examples()[..3];
    let expected: Vec<_> = examples.iter().map(|(structure, _)| bits(structure)).collect();
    let whole = packed(examples);
    fs::write(&path, &whole).unwrap();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut dice = Dice::new(3);
            while !done.load(Ordering::Relaxed) {
                let mut bytes = whole.clone();
                let index = (dice.roll() * bytes.len() as f32) as usize % bytes.len();
                bytes[index] ^= 0xff;
                if dice.roll() < 0.2 {
                    bytes.truncate(index);
                }
                fs::write(&path, &bytes).unwrap();
                std::thread::sleep(Duration::from_micros(500));
                fs::write(&path, &whole).unwrap();
                std::thread::sleep(Duration::from_micros(500));
            }
        });
        let (mut read, mut refused) = (0, 0);
        let begin = Instant::now();
        // Both happen soon; on a busy machine it may take some hundred turns.
        for turn in 0.. {
            if turn >= 500 && (read > 0 && refused > 0 || begin.elapsed().as_secs() > 60) {
                break;
            }
            match Dataset::open(&path).and_then(|set| read_all(&set)) {
                Ok(all) => {
                    assert_eq!(all.iter().map(bits).collect::<Vec<_>>(), expected);
                    read += 1;
                }
                Err(_) => refused += 1,
            }
        }
        done.store(true, Ordering::Relaxed);
        assert!(read > 0 && refused > 0, "read {read} times, refused {refused} times");
    });
}

#[cfg(unix)]
#[test]
fn pipes_and_devices_are_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("set.arrow");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for path in [&*pipe, Path::new("/dev/zero"), folder.path()] {
        assert!(!Dataset::is_one(path));
        assert!(matches!(Dataset::open(path), Err(DatasetError::NotArrow)), "{}", path.display());
    }
}

#[test]
fn other_files_are_refused_by_name() {
    let refused = |bytes: Vec<u8>| Dataset::from_bytes(bytes.into()).unwrap_err();
    assert!(matches!(refused(b"ATOM      1  N   THR A   1".to_vec()), DatasetError::NotArrow));
    let other = |name: &str, metadata: &[(&str, &str)]| {
        let metadata = metadata.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
        let fields = vec![Field::new(name, DataType::Int32, false)];
        let schema = Arc::new(Schema::new(fields).with_metadata(metadata.collect::<std::collections::HashMap<_, _>>()));
        let mut writer = FileWriter::try_new(Vec::new(), &schema).unwrap();
        writer.write(&RecordBatch::try_new(schema, vec![Arc::new(Int32Array::from(vec![1, 2]))]).unwrap()).unwrap();
        writer.into_inner().unwrap()
    };
    assert!(matches!(refused(other("x", &[])), DatasetError::Foreign));
    let error = refused(other("name", &[("prism.dataset", "7")]));
    assert!(
        error.to_string().starts_with("is a packed data set of layout \"7\", but this version reads \"3\" and \"4\""),
        "{error}"
    );
    let error = refused(other("name", &[("prism.dataset", "3")]));
    assert!(error.to_string().starts_with("column \"name\" is not as in a packed data set"), "{error}");
}

#[test]
fn only_valid_structures_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("set.arrow");
    let mut file = DatasetFile::create(&path).unwrap();
    let mut bad = structure("bad", 5, 1);
    bad.ca_indices[0] = 1000;
    let error = file.write(&[(&structure("good", 5, 1), &[]), (&bad, &[])]).unwrap_err();
    assert!(error.to_string().contains("\"bad\", residue 0"), "{error}");
    drop(file);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// Otherwise fuzzing would begin with files that are refused at once. The files have this layout and the one before it,
/// which has no labels.
#[test]
fn rows_of_ligands_are_not_lost_in_silence() {
    let folder = tempfile::tempdir().unwrap();
    let mut file = DatasetFile::create(&folder.path().join("set.arrow")).unwrap();
    let mut with_ion = structure("x", 5, 1);
    with_ion.hetero_rows = vec![LigandKind::Ion];
    assert_eq!((with_ion.n_rows(), with_ion.n_rows_with_hetero(), with_ion.polymer(4)), (4, 5, "ion"));
    let error = file.write(&[(&with_ion, &[])]).unwrap_err();
    assert!(error.to_string().starts_with("x has rows of ligands, which a data set does not keep"), "{error}");
}

#[test]
fn what_fuzzing_begins_from_is_of_layouts_that_are_read() {
    let paths = fs::read_dir("../fuzz/corpus/dataset").unwrap().map(|entry| entry.unwrap().path());
    // The other inputs are edits of such a file.
    let paths: Vec<_> = paths.filter(|path| path.extension().is_some_and(|extension| extension == "arrow")).collect();
    assert!(paths.len() >= 2);
    for path in paths {
        let read = Dataset::open(&path).and_then(|set| read_all(&set));
        let read = read.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert!(!read.is_empty(), "{}", path.display());
        let keeps = Dataset::open(&path).unwrap().keeps_labels();
        assert_eq!(keeps, path.ends_with("labels.arrow"), "{}", path.display());
        assert_eq!(keeps, read.iter().any(|structure| !structure.labels.is_empty()));
    }
}
