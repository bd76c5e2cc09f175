//! The columns of a data set.

use super::{LAYOUT, LAYOUT_KEY, VERSION_KEY, labels};
use arrow_array::types::{ArrowPrimitiveType, Float32Type, Int32Type, UInt8Type, UInt16Type, UInt32Type};
use arrow_schema::{DataType, Field, Schema};
use std::collections::HashMap;
use std::sync::Arc;

/// Numbers per atom: x, y and z in Å relative to the centre, and the radius in Å.
pub(super) const ATOM_VALUES: usize = 4;

/// The column of confidences, which files of earlier versions lack: they have those of `predicted` models in `b_column`.
pub(super) const PLDDT: &str = "plddt";

/// The item of a list.
pub(super) fn item(data_type: DataType) -> Arc<Field> {
    Arc::new(Field::new_list_field(data_type, false))
}

/// A fixed number of numbers of one type.
pub(super) fn vector(data_type: DataType, len: usize) -> DataType {
    DataType::FixedSizeList(item(data_type), len as i32)
}

/// The form of a per-residue input in a data set: one number, or several.
pub(super) trait Element: Copy {
    /// The type of a number.
    type Number: ArrowPrimitiveType;

    /// The type of an element.
    fn data_type() -> DataType;
    /// Views elements as numbers.
    fn numbers(elements: &[Self]) -> &[<Self::Number as ArrowPrimitiveType>::Native];
    /// Views numbers as elements.
    fn elements(numbers: &[<Self::Number as ArrowPrimitiveType>::Native]) -> Vec<Self>;
}

macro_rules! numbers {
    ($($native:ty, $arrow:ty;)*) => {$(
        impl Element for $native {
            type Number = $arrow;

            fn data_type() -> DataType {
                <$arrow>::DATA_TYPE
            }

            fn numbers(elements: &[Self]) -> &[Self] {
                elements
            }

            fn elements(numbers: &[Self]) -> Vec<Self> {
                numbers.to_vec()
            }
        }

        impl<const N: usize> Element for [$native; N] {
            type Number = $arrow;

            fn data_type() -> DataType {
                vector(<$arrow>::DATA_TYPE, N)
            }

            fn numbers(elements: &[Self]) -> &[$native] {
                elements.as_flattened()
            }

            fn elements(numbers: &[$native]) -> Vec<Self> {
                numbers.as_chunks::<N>().0.to_vec()
            }
        }
    )*};
}

numbers! {
    f32, Float32Type;
    i32, Int32Type;
    u8, UInt8Type;
    u16, UInt16Type;
    u32, UInt32Type;
}

/// Whether a file may lack a column; its values are then absent.
fn is_optional(name: &str) -> bool {
    macro_rules! optional {
        ($($(#[$doc:meta])* $name:ident: $type:ty, $kind:ident $(($absent:expr $(, $limit:expr)*))?;)*) => {
            [$((stringify!($name), stringify!($kind) != "index")),*]
        };
    }
    let mut inputs = shared_types::residue_inputs!(optional).into_iter();
    name == PLDDT || labels::COLUMNS.contains(&name) || inputs.any(|(input, optional)| optional && input == name)
}

/// The schema of written files.
pub(super) fn schema() -> Schema {
    macro_rules! inputs {
        ($($(#[$doc:meta])* $name:ident: $type:ty, $kind:ident $(($absent:expr $(, $limit:expr)*))?;)*) => {
            [$((stringify!($name), DataType::List(item(<$type as Element>::data_type())))),*]
        };
    }
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
        ("residue_numbers", list(DataType::Int32)),
        ("insertion_codes", list(DataType::Utf8)),
        // An empty list if each name is that of its type.
        ("residue_names", list(DataType::Utf8)),
        // 1 if the B column is a predictor's confidence, and if the last residue is the environment.
        ("predicted", DataType::UInt8),
        ("environment", DataType::UInt8),
        // An empty list if the model is not predicted.
        (PLDDT, list(DataType::Float32)),
        // Empty lists if labels are unknown.
        (labels::RUNS, list(DataType::UInt32)),
        (labels::TEXTS, list(DataType::Utf8)),
        (labels::NUMBERS, list(vector(DataType::Int32, 2))),
    ];
    let fields = fields.into_iter().chain(shared_types::residue_inputs!(inputs));
    let metadata = [(LAYOUT_KEY, LAYOUT), (VERSION_KEY, env!("CARGO_PKG_VERSION"))];
    Schema::new(fields.map(|(name, data_type)| Field::new(name, data_type, false)).collect::<Vec<_>>())
        .with_metadata(HashMap::from(metadata.map(|(key, value)| (key.to_owned(), value.to_owned()))))
}

/// Checks that a file's schema has every column with its type. The first missing, unknown or mistyped column is an error.
pub fn check(found: &Schema) -> Result<(), String> {
    let expected = schema();
    for field in expected.fields() {
        match found.field_with_name(field.name()) {
            Ok(found) if found == &**field => {}
            Err(_) if is_optional(field.name()) => {}
            _ => return Err(field.name().clone()),
        }
    }
    let mut names = std::collections::HashSet::new();
    match found.fields().iter().find(|field| expected.index_of(field.name()).is_err() || !names.insert(field.name())) {
        Some(unknown) => Err(unknown.name().clone()),
        None => Ok(()),
    }
}

/// Index of a column's first buffer in a record batch.
pub(super) fn first_buffer(schema: &Schema, name: &str) -> Option<usize> {
    let column = schema.index_of(name).ok()?;
    let mut before = Vec::new();
    schema.fields()[..column].iter().for_each(|field| add_element_bytes(field.data_type(), &mut before));
    Some(before.len())
}

/// Bytes per element in each buffer of a record batch, in order; 1 if the buffer may have any length.
pub(super) fn element_bytes(schema: &Schema) -> impl Iterator<Item = usize> {
    let mut bytes = Vec::new();
    schema.fields().iter().for_each(|field| add_element_bytes(field.data_type(), &mut bytes));
    bytes.into_iter()
}

fn add_element_bytes(data_type: &DataType, bytes: &mut Vec<usize>) {
    const BITS: usize = 1;
    const OFFSET: usize = 4;
    // The validity bits.
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
