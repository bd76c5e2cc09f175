//! Names of the inputs of one run, all of which differ.

use crate::consume::Message;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

/// The name of an input in memory: a text; or, for the models of one object, the object's index among the inputs, its name, and what the
/// model adds to it. Bytes of a file's name that are not Unicode are replaced.
pub struct Name {
    text: String,
    model: Option<Model>,
}

struct Model {
    input: u64,
    label: String,
}

impl Name {
    /// Without what a model adds.
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl FromPyObject<'_, '_> for Name {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        if let Ok(text) = object.cast::<PyString>() {
            return Ok(Self { text: text.to_string_lossy().into_owned(), model: None });
        }
        let parts = object.cast::<PyTuple>()?;
        let text = |index| PyResult::Ok(parts.get_item(index)?.cast::<PyString>()?.to_string_lossy().into_owned());
        let model = Model { input: parts.get_item(0)?.extract()?, label: text(2)? };
        Ok(Self { text: text(1)?, model: Some(model) })
    }
}

/// Warnings about inputs before they are read, each with a name.
#[derive(Clone, Default)]
pub struct Warnings(Arc<Mutex<Vec<Message>>>);

impl Warnings {
    pub fn take(&self) -> Vec<Message> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub fn push(&self, name: &str, text: String) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push((name.to_owned(), text));
    }
}

/// The names that inputs of a run have.
#[derive(Default)]
pub struct Names {
    /// How many inputs in memory were to have a name, or 0 for a file's. Hashes take less memory than names, in runs of millions of
    /// inputs. For two names of one hash, an input gets a number that it does not need.
    known: HashMap<u64, u32>,
    /// The object whose models were named last: its index among the inputs, and its name.
    last: Option<(u64, String)>,
    /// The number of this worker, and of all that share the inputs.
    share: Option<(u64, u64)>,
    /// How many files have been shared.
    files: u64,
    pub warnings: Warnings,
}

impl Names {
    /// Of a run whose files several workers share. Each names all of them, so that names do not depend on the number of workers.
    pub fn shared(share: Option<(u64, u64)>) -> Self {
        Self { share, ..Self::default() }
    }

    /// Whether the next file is this worker's.
    pub fn is_mine(&mut self) -> bool {
        let index = self.files;
        self.files += 1;
        self.share.is_none_or(|(worker, workers)| index % workers == worker)
    }

    /// Gives an input in memory the name that it asks for, or that name with a number if another input has it.
    pub fn give(&mut self, name: &Name, wanted: &str) -> String {
        let Some(model) = &name.model else { return self.unique(wanted) };
        let unique = match self.last.take() {
            Some((input, unique)) if input == model.input => unique,
            _ => self.unique(wanted),
        };
        let named = match model.label.as_str() {
            "" => unique.clone(),
            // Two models of an object may have one number.
            label => self.unique(&format!("{unique}{label}")),
        };
        self.last = Some((model.input, unique));
        named
    }

    /// Whether an input has a name.
    pub fn is_taken(&self, name: &str) -> bool {
        self.known.contains_key(&hash(name))
    }

    /// Notes the name of a file.
    pub fn take(&mut self, name: &str) {
        self.known.entry(hash(name)).or_insert(0);
    }

    fn unique(&mut self, wanted: &str) -> String {
        let key = hash(wanted);
        let Some(&inputs) = self.known.get(&key) else {
            self.known.insert(key, 1);
            return wanted.to_owned();
        };
        let mut number = inputs.max(1) + 1;
        let mut unique = format!("{wanted}~{number}");
        while self.is_taken(&unique) {
            number += 1;
            unique = format!("{wanted}~{number}");
        }
        if inputs < 2 {
            let text = format!("is the name of several inputs; those after the first are named {wanted}~2 and so on");
            self.warnings.push(wanted, text);
        }
        self.known.insert(key, number);
        self.known.insert(hash(&unique), 1);
        unique
    }
}

/// The same in every process, so that names are.
fn hash(name: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    hasher.finish()
}
