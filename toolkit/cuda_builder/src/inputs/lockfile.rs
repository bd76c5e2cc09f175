//! `Cargo.lock`, reduced to the packages that a kernel crate uses.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use toml::Value;

use crate::file::{FileError, read_toml};

/// Why a lock file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// It does not exist, cannot be read, or is not TOML.
    #[error("{0}; run `cargo generate-lockfile` in its directory")]
    File(#[source] FileError),
    /// It lacks a package that a manifest names.
    #[error("{} does not list {package}; run `cargo update --workspace` to bring it up to date", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
        /// The package, as name or as name and version.
        package: String,
    },
}

/// An entry of the lock file that is not a local package.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Locked {
    /// The package's name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Its source.
    pub source: String,
    /// The checksum of its archive; empty for sources that have none.
    pub checksum: String,
}

#[derive(Debug)]
struct Entry {
    locked: Locked,
    dependencies: Vec<String>,
}

/// A whole lock file.
///
/// ```
/// use cuda_builder::inputs::lockfile::{LockError, Lockfile};
///
/// let lock = Lockfile::load("tests/fixtures/workspace/Cargo.lock".as_ref())?;
/// let reached = lock.closure([("fixture-kernels", "0.1.0", [("fixture-helper", true)].into())])?;
/// assert!(reached.iter().all(|package| !package.source.starts_with("registry")));
/// # Ok::<(), LockError>(())
/// ```
#[derive(Debug)]
pub struct Lockfile {
    path: PathBuf,
    by_name: BTreeMap<String, Vec<Entry>>,
}

impl Lockfile {
    /// Reads a lock file.
    ///
    /// # Errors
    /// If it cannot be read, or is not TOML.
    pub fn load(path: &Path) -> Result<Self, LockError> {
        let table = read_toml(path).map_err(LockError::File)?;
        let mut by_name: BTreeMap<String, Vec<Entry>> = BTreeMap::new();
        for package in table.get("package").and_then(Value::as_array).into_iter().flatten() {
            let text = |key: &str| package.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
            let locked = Locked {
                name: text("name"),
                version: text("version"),
                source: text("source"),
                checksum: text("checksum"),
            };
            let dependencies = package.get("dependencies").and_then(Value::as_array).into_iter().flatten();
            let dependencies = dependencies.filter_map(Value::as_str).map(str::to_owned).collect();
            by_name.entry(locked.name.clone()).or_default().push(Entry { locked, dependencies });
        }
        Ok(Lockfile { path: path.to_owned(), by_name })
    }

    /// The packages that local packages use. Each local package is given with its name, its version and the names of its
    /// external dependencies, and whether each must be there: an optional one is listed if a feature of the workspace needs it. Their own
    /// dependencies all count, whatever the target: the lock file does not distinguish targets.
    ///
    /// # Errors
    /// If a package is not listed.
    pub fn closure<'a>(
        &self,
        local: impl IntoIterator<Item = (&'a str, &'a str, BTreeMap<&'a str, bool>)>,
    ) -> Result<Vec<Locked>, LockError> {
        let mut reached = BTreeSet::new();
        let mut queue = Vec::new();
        for (name, version, wanted) in local {
            if wanted.is_empty() {
                continue;
            }
            let missing = |package: String| LockError::Missing { path: self.path.clone(), package };
            let mut entries = self.by_name.get(name).into_iter().flatten();
            let entry = entries.find(|entry| entry.locked.version == version && entry.locked.source.is_empty());
            let entry = entry.ok_or_else(|| missing(format!("{name} {version}")))?;
            for (dependency, is_needed) in wanted {
                let before = queue.len();
                queue.extend(entry.dependencies.iter().filter(|text| name_of(text) == dependency));
                if is_needed && queue.len() == before {
                    return Err(missing(format!("{dependency} (a dependency of {name})")));
                }
            }
        }
        while let Some(reference) = queue.pop() {
            let entry = self.resolve(reference)?;
            if !entry.locked.source.is_empty() && reached.insert(entry.locked.clone()) {
                queue.extend(&entry.dependencies);
            }
        }
        Ok(reached.into_iter().collect())
    }

    /// A reference is `name`, `name version` or `name version (source)`, in the shortest unambiguous form.
    fn resolve(&self, reference: &str) -> Result<&Entry, LockError> {
        let mut parts = reference.splitn(3, ' ');
        let (name, version, source) = (parts.next().unwrap_or_default(), parts.next(), parts.next());
        let source = source.map(|source| source.trim_matches(['(', ')']));
        let mut entries = self.by_name.get(name).into_iter().flatten();
        let found = entries.find(|entry| {
            version.is_none_or(|version| version == entry.locked.version)
                && source.is_none_or(|source| source == entry.locked.source)
        });
        found.ok_or_else(|| LockError::Missing { path: self.path.clone(), package: reference.to_owned() })
    }
}

fn name_of(reference: &str) -> &str {
    reference.split(' ').next().unwrap_or_default()
}
