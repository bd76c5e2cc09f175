//! Arrays of NumPy: of npz, and of npy.

use half::f16;
use npyz::{DType, NpyFile, Order, TypeChar};
use std::io::{Cursor, Read};
use zip::ZipArchive;

/// Most bytes of an array. That of 20,000 tokens has 1.6 GB.
const MOST: u64 = 4 << 30;

/// An array's numbers, row by row, and its shape.
type Array = (Vec<f32>, Vec<u64>);

/// The arrays of a file.
pub(super) enum Arrays<'a> {
    Npz(ZipArchive<Cursor<&'a [u8]>>),
    /// One array, and the name that it would have in an npz.
    Npy(&'static str, &'a [u8]),
}

impl<'a> Arrays<'a> {
    /// Opens an npz by its bytes.
    pub fn open(bytes: &'a [u8]) -> Result<Self, String> {
        let archive = ZipArchive::new(Cursor::new(bytes));
        archive.map(Self::Npz).map_err(|error| format!("is no npz, or damaged: {error}; fetch it again"))
    }

    /// The names of all arrays.
    pub(super) fn names(&self) -> Vec<String> {
        match self {
            Self::Npz(archive) => {
                let names = archive.file_names().flatten();
                names.map(|name| name.strip_suffix(".npy").unwrap_or(&name).to_owned()).collect()
            }
            Self::Npy(own, _) => vec![(*own).to_owned()],
        }
    }

    /// The numbers of an array, row by row; `None` if there is no array of that name.
    pub(super) fn values(&mut self, name: &str) -> Result<Option<Vec<f32>>, String> {
        Ok(self.array(name)?.map(|(values, _)| values))
    }

    /// The numbers of an array whose last two dimensions are equal, and the others 1; or of its part `index`, if it has several.
    pub(super) fn square(&mut self, name: &str, index: Option<usize>) -> Result<Option<Vec<f32>>, String> {
        let Some((values, shape)) = self.array(name)? else { return Ok(None) };
        let shown = shape.iter().map(u64::to_string).collect::<Vec<_>>().join(" x ");
        match &shape[..] {
            [others @ .., rows, columns] if rows == columns && others.iter().all(|&one| one == 1) => match index {
                None | Some(0) => Ok(Some(values)),
                Some(index) => Err(format!("{name:?} has one matrix, and this is model {index}: that is of model 0")),
            },
            [several, rows, columns] if rows == columns => {
                let size = (rows * columns) as usize;
                let own = index.and_then(|index| values.chunks_exact(size).nth(index)).map(<[f32]>::to_vec);
                own.map(Some).ok_or_else(|| {
                    let advice = "save each beside its model, as pae.model_idx_0.npz and so on";
                    format!("{name:?} has {several} matrices of {rows} x {columns}, and none is this model's; {advice}")
                })
            }
            _ => Err(format!("{name:?} is {shown}; it should be square")),
        }
    }

    fn array(&mut self, name: &str) -> Result<Option<Array>, String> {
        let archive = match self {
            Self::Npz(archive) => archive,
            Self::Npy(own, bytes) => return if *own == name { read(name, bytes).map(Some) } else { Ok(None) },
        };
        let Some(at) = archive.index_for_name(&format!("{name}.npy")) else { return Ok(None) };
        let damaged = |error: &dyn std::fmt::Display| damaged(name, error);
        let file = archive.by_index(at).map_err(|error| damaged(&error))?;
        let mut bytes = Vec::with_capacity(file.size().min(1 << 26) as usize);
        file.take(MOST).read_to_end(&mut bytes).map_err(|error| damaged(&error))?;
        read(name, &bytes).map(Some)
    }
}

fn damaged(name: &str, error: &dyn std::fmt::Display) -> String {
    format!("its array {name:?} is damaged: {error}; fetch the file again")
}

/// Reads the bytes of an npy file.
fn read(name: &str, bytes: &[u8]) -> Result<Array, String> {
    let damaged = |error: &dyn std::fmt::Display| damaged(name, error);
    let mut data = bytes;
    let array = NpyFile::new(&mut data).map_err(|error| damaged(&error))?;
    let (shape, order, kind) = (array.shape().to_vec(), array.order(), array.dtype());
    drop(array);
    let values = numbers(&kind, data)
        .ok_or_else(|| format!("its array {name:?} has numbers of a type that is not read: {}", kind.descr()))?;
    let expected = shape.iter().try_fold(1_u64, |product, &one| product.checked_mul(one));
    if expected != Some(values.len() as u64) {
        return Err(damaged(&format!("it has {} numbers", values.len())));
    }
    Ok((in_c_order(values, &shape, order), shape))
}

/// The numbers behind an array's header.
fn numbers(kind: &DType, data: &[u8]) -> Option<Vec<f32>> {
    let DType::Plain(kind) = kind else { return None };
    let is_big = kind.endianness() == npyz::Endianness::Big;
    macro_rules! all {
        ($type:ty) => {
            data.as_chunks()
                .0
                .iter()
                .map(|bytes| if is_big { <$type>::from_be_bytes(*bytes) } else { <$type>::from_le_bytes(*bytes) })
        };
    }
    Some(match (kind.type_char(), kind.size_field()) {
        (TypeChar::Float, 2) => all!(f16).map(f16::to_f32).collect(),
        (TypeChar::Float, 4) => all!(f32).collect(),
        (TypeChar::Float, 8) => all!(f64).map(|number| number as f32).collect(),
        (TypeChar::Int, 1) => all!(i8).map(f32::from).collect(),
        (TypeChar::Int, 2) => all!(i16).map(f32::from).collect(),
        (TypeChar::Int, 4) => all!(i32).map(|number| number as f32).collect(),
        (TypeChar::Int, 8) => all!(i64).map(|number| number as f32).collect(),
        (TypeChar::Uint, 1) => all!(u8).map(f32::from).collect(),
        (TypeChar::Uint, 2) => all!(u16).map(f32::from).collect(),
        (TypeChar::Uint, 4) => all!(u32).map(|number| number as f32).collect(),
        (TypeChar::Uint, 8) => all!(u64).map(|number| number as f32).collect(),
        _ => return None,
    })
}

/// The elements row by row. Fortran's order has the first index run fastest.
fn in_c_order(values: Vec<f32>, shape: &[u64], order: Order) -> Vec<f32> {
    let [others @ .., rows, columns] = shape else { return values };
    if order == Order::C || others.iter().any(|&one| one != 1) {
        return values;
    }
    let (rows, columns) = (*rows as usize, *columns as usize);
    (0..rows * columns).map(|at| values[at % columns * rows + at / columns]).collect()
}
