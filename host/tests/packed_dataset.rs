//! Packed data sets: what was packed comes back bit for bit, and what is none is refused.

mod synthetic;

use arrow_array::{Int32Array, RecordBatch};
use arrow_ipc::writer::FileWriter;
use arrow_schema::{DataType, Field, Schema};
use prism_host::StructureInput;
use prism_host::dataset::{Dataset, DatasetError, DatasetFile};
use std::fs;
use std::path::Path;
use std::sync::Arc;
use synthetic::{Dice, structure};

/// Structures with all that a file may hold.
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

/// All of a structure, floats as bits.
fn bits(s: &StructureInput) -> impl PartialEq + std::fmt::Debug {
    let floats = [&s.bfactor, &s.conservation, &s.gisaid_freq, &s.gisaid_velocity];
    (
        (s.name.clone(), s.chains.clone(), s.residue_numbers.clone(), s.insertion_codes.clone()),
        (s.residue_atoms.clone(), s.ca_indices.clone(), s.residue_types.clone(), s.chain_ids.clone()),
        bytemuck::cast_slice::<_, u32>(&s.atoms).to_vec(),
        floats.map(|values| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>()),
        (s.center.map(f64::to_bits), s.lineage_hash, s.country_id),
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
    // Replaced while it is mapped.
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

/// Whatever a byte turns into, there is no panic, and no structure that does not fit together.
#[test]
fn damage_is_no_panic() {
    let whole = packed(&examples()[..3]);
    let mut dice = Dice::new(1);
    let mut refused = 0;
    for place in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[place] ^= 1 << ((dice.roll() * 8.0) as u8 % 8);
        match Dataset::from_bytes(bytes.into()) {
            Ok(set) => {
                let read = (0..set.len()).map(|index| set.structure(index));
                refused += usize::from(read.filter_map(Result::err).count() > 0);
            }
            Err(_) => refused += 1,
        }
    }
    assert!(refused > whole.len() / 20, "{refused} of {}", whole.len());
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
        error.to_string().starts_with("is a packed data set of layout \"7\", and this version reads \"2\""),
        "{error}"
    );
    let error = refused(other("name", &[("prism.dataset", "2")]));
    assert!(error.to_string().starts_with("column \"name\" is not what"), "{error}");
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
