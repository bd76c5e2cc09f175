//! Arrays of atoms, as NumPy has them.

use prism_host::plural::counted;
use prism_host::read::{AtomArrays, Texts};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use std::sync::Arc;

/// A text for each atom: NumPy's kind (`S` or `U`), the number of characters in each, and the memory.
type Column = (char, usize, PyBackedBytes);

/// A structure's atoms without their positions. Frames share it.
#[pyclass(frozen, module = "prism_features._prism")]
pub struct Atoms {
    pub(crate) arrays: Arc<AtomArrays>,
}

#[pymethods]
impl Atoms {
    #[new]
    #[pyo3(signature = (atom_names, residue_names, chain_ids, residue_numbers, *, insertion_codes, altlocs, elements, hetero,
        in_chain, occupancies, b_factors))]
    #[expect(clippy::too_many_arguments, reason = "an array each")]
    fn new(
        atom_names: Column,
        residue_names: Column,
        chain_ids: Column,
        residue_numbers: PyBackedBytes,
        insertion_codes: Option<Column>,
        altlocs: Option<Column>,
        elements: Option<Column>,
        hetero: Option<PyBackedBytes>,
        in_chain: Option<PyBackedBytes>,
        occupancies: Option<PyBackedBytes>,
        b_factors: Option<PyBackedBytes>,
    ) -> PyResult<Self> {
        let optional = |column: Option<Column>| column.map_or(Ok(Texts::default()), texts);
        let flags =
            |bytes: Option<PyBackedBytes>| bytes.map_or(Vec::new(), |b| b.iter().map(|&byte| byte != 0).collect());
        let floats = |bytes: Option<PyBackedBytes>| bytes.map_or(Vec::new(), |b| numbers(&b, f64::from_ne_bytes));
        let arrays = AtomArrays {
            atom_names: texts(atom_names)?,
            residue_names: texts(residue_names)?,
            chains: texts(chain_ids)?,
            residue_numbers: numbers(&residue_numbers, i32::from_ne_bytes),
            insertion_codes: optional(insertion_codes)?,
            alternates: optional(altlocs)?,
            elements: optional(elements)?,
            hetero: flags(hetero),
            in_chain: flags(in_chain),
            occupancies: floats(occupancies),
            b_factors: floats(b_factors),
        };
        if let Some((field, found)) = arrays.unequal() {
            let atoms = arrays.len();
            return Err(PyValueError::new_err(format!("{field} has {found} entries for {atoms} residue_numbers")));
        }
        Ok(Self { arrays: Arc::new(arrays) })
    }

    /// Arguments that make an equal object. Pickle uses them, for example in another process.
    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyDict>)> {
        let arrays = &*self.arrays;
        let column = |texts: &Texts| {
            let (width, bytes) = texts.parts();
            ('S', width, PyBytes::new(py, bytes))
        };
        let optional = |texts: &Texts| (!texts.is_empty()).then(|| column(texts));
        let flags = |flags: &[bool]| {
            let bytes: Vec<u8> = flags.iter().map(|&flag| u8::from(flag)).collect();
            (!bytes.is_empty()).then(|| PyBytes::new(py, &bytes))
        };
        let floats = |values: &[f64]| {
            let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_ne_bytes()).collect();
            (!bytes.is_empty()).then(|| PyBytes::new(py, &bytes))
        };
        let numbers: Vec<u8> = arrays.residue_numbers.iter().flat_map(|number| number.to_ne_bytes()).collect();
        let [names, residues, chains] = [&arrays.atom_names, &arrays.residue_names, &arrays.chains].map(column);
        let options = PyDict::new(py);
        options.set_item("insertion_codes", optional(&arrays.insertion_codes))?;
        options.set_item("altlocs", optional(&arrays.alternates))?;
        options.set_item("elements", optional(&arrays.elements))?;
        options.set_item("hetero", flags(&arrays.hetero))?;
        options.set_item("in_chain", flags(&arrays.in_chain))?;
        options.set_item("occupancies", floats(&arrays.occupancies))?;
        options.set_item("b_factors", floats(&arrays.b_factors))?;
        Ok(((names, residues, chains, PyBytes::new(py, &numbers)).into_pyobject(py)?, options))
    }

    fn __len__(&self) -> usize {
        self.arrays.len()
    }
}

/// Numbers that lie one after another in memory.
pub fn numbers<const N: usize, T>(bytes: &[u8], of: impl Fn([u8; N]) -> T) -> Vec<T> {
    bytes.as_chunks::<N>().0.iter().map(|chunk| of(*chunk)).collect()
}

fn texts((kind, width, bytes): Column) -> PyResult<Texts> {
    let texts = match kind {
        'S' => Texts::new(width, bytes.to_vec()),
        'U' => {
            let characters = numbers(&bytes, u32::from_ne_bytes);
            if characters.iter().all(|character| *character < 0x80) {
                Texts::new(width, characters.into_iter().map(|character| character as u8).collect())
            } else {
                let text = |text: &[u32]| text.iter().map(|&c| char::from_u32(c)).collect::<Option<String>>();
                let known = |text: &[u32]| text.iter().position(|c| *c == 0).unwrap_or(text.len());
                let all = characters.chunks(width.max(1)).map(|one| text(&one[..known(one)]));
                let all: Option<Texts> = all.collect::<Option<Vec<_>>>().map(|all| all.into_iter().collect());
                Ok(all.ok_or_else(|| {
                    PyValueError::new_err("a text has half of a surrogate pair, which is no character")
                })?)
            }
        }
        other => return Err(PyValueError::new_err(format!("texts are of kind S or U, not {other}"))),
    };
    texts.map_err(|rest| {
        PyValueError::new_err(format!("{} left over after texts of {width}", counted(rest, "byte is", "bytes are")))
    })
}
