//! The columns of a data set.

use super::{LAYOUT, LAYOUT_KEY, VERSION_KEY};
use arrow_schema::{DataType, Field, Schema};
use std::collections::HashMap;
use std::sync::Arc;

/// Places of the columns in a record batch.
pub(super) mod place {
    pub(in super::super) const NAME: usize = 0;
    pub(in super::super) const WARNINGS: usize = 1;
    pub(in super::super) const CENTER: usize = 2;
    pub(in super::super) const LINEAGE_HASH: usize = 3;
    pub(in super::super) const COUNTRY_ID: usize = 4;
    pub(in super::super) const CHAINS: usize = 5;
    pub(in super::super) const ATOMS: usize = 6;
    pub(in super::super) const RESIDUE_ATOMS: usize = 7;
    pub(in super::super) const CA_INDICES: usize = 8;
    pub(in super::super) const RESIDUE_TYPES: usize = 9;
    pub(in super::super) const CHAIN_IDS: usize = 10;
    pub(in super::super) const RESIDUE_NUMBERS: usize = 11;
    pub(in super::super) const INSERTION_CODES: usize = 12;
    pub(in super::super) const BFACTOR: usize = 13;
    pub(in super::super) const CONSERVATION: usize = 14;
    pub(in super::super) const GISAID_FREQ: usize = 15;
    pub(in super::super) const GISAID_VELOCITY: usize = 16;
    pub(in super::super) const RESIDUE_NAMES: usize = 17;
    pub(in super::super) const CONFIDENCE: usize = 18;
    pub(in super::super) const ENVIRONMENT: usize = 19;
}

/// Values of an atom: x, y and z in Å relative to the centre, radius in Å.
pub(super) const ATOM_VALUES: usize = 4;

/// The item of a list.
pub(super) fn item(data_type: DataType) -> Arc<Field> {
    Arc::new(Field::new_list_field(data_type, false))
}

/// So many numbers of one type.
pub(super) fn vector(data_type: DataType, len: usize) -> DataType {
    DataType::FixedSizeList(item(data_type), len as i32)
}

/// The schema, in the order of [`place`].
pub(super) fn schema() -> Schema {
    let list = |data_type| DataType::List(item(data_type));
    let fields = [
        ("name", DataType::Utf8),
        ("warnings", list(DataType::Utf8)),
        ("center", vector(DataType::Float64, 3)),
        ("lineage_hash", DataType::UInt32),
        ("country_id", DataType::UInt8),
        ("chains", list(DataType::Utf8)),
        ("atoms", list(vector(DataType::Float32, ATOM_VALUES))),
        ("residue_atoms", list(DataType::UInt32)),
        ("ca_indices", list(DataType::UInt32)),
        ("residue_types", list(DataType::UInt8)),
        ("chain_ids", list(DataType::UInt32)),
        ("residue_numbers", list(DataType::Int32)),
        ("insertion_codes", list(DataType::Utf8)),
        ("bfactor", list(DataType::Float32)),
        ("conservation", list(DataType::Float32)),
        ("gisaid_freq", list(DataType::Float32)),
        ("gisaid_velocity", list(DataType::Float32)),
        // Empty lists where each name is that of its type, and where there is no confidence.
        ("residue_names", list(DataType::Utf8)),
        ("confidence", list(DataType::Float32)),
        // 1 where the last residue is none.
        ("environment", DataType::UInt8),
    ];
    let metadata = [(LAYOUT_KEY, LAYOUT), (VERSION_KEY, env!("CARGO_PKG_VERSION"))];
    Schema::new(fields.map(|(name, data_type)| Field::new(name, data_type, false)).to_vec())
        .with_metadata(HashMap::from(metadata.map(|(key, value)| (key.to_owned(), value.to_owned()))))
}

/// Bytes of an element in each buffer of a record batch, in their order; 1 where any number of bytes may be.
pub(super) fn element_bytes() -> impl Iterator<Item = usize> {
    let mut bytes = Vec::new();
    schema().fields().iter().for_each(|field| add_element_bytes(field.data_type(), &mut bytes));
    bytes.into_iter()
}

fn add_element_bytes(data_type: &DataType, bytes: &mut Vec<usize>) {
    const BITS: usize = 1;
    const OFFSET: usize = 4;
    // Which elements are there at all: bits.
    bytes.push(BITS);
    match data_type {
        DataType::Utf8 => bytes.extend([OFFSET, 1]),
        DataType::List(item) => {
            bytes.push(OFFSET);
            add_element_bytes(item.data_type(), bytes);
        }
        DataType::FixedSizeList(item, _) => add_element_bytes(item.data_type(), bytes),
        number => bytes.push(number.primitive_width().unwrap_or(1)),
    }
}
