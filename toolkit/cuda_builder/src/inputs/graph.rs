//! The packages that make up a kernel crate: local ones, found by following manifests, and locked ones from registries.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use toml::{Table, Value};

use super::cfg_expr::applies_to_device;
use super::lockfile::{LockError, Locked, Lockfile};
use crate::file::{FileError, read_toml};

/// The tables of a manifest that can change what is compiled, except `[target]`. Lints, development dependencies and
/// similar tables cannot.
const RELEVANT_TABLES: &[&str] = &["features", "dependencies", "build-dependencies", "lib"];

/// The keys of `[package]` that can change what is compiled.
const RELEVANT_PACKAGE_KEYS: &[&str] = &["name", "version", "edition", "build", "links", "authors", "homepage"];

/// Why a manifest or lock file cannot be used.
///
/// ```
/// use cuda_builder::inputs::graph::{GraphError, PackageGraph};
///
/// assert!(matches!(PackageGraph::load("no/such/crate".as_ref()), Err(GraphError::File(_))));
/// ```
#[derive(Debug, thiserror::Error)]
pub enum GraphError {
    /// The file cannot be read, or is not TOML.
    #[error(transparent)]
    File(#[from] FileError),
    /// A manifest lacks something, or refers to something that does not exist.
    #[error("{}: {what}", path.display())]
    Manifest {
        /// The manifest.
        path: PathBuf,
        /// The problem.
        what: String,
    },
    /// The lock file lacks a package.
    #[error(transparent)]
    Lock(#[from] LockError),
}

/// A package whose sources are in the workspace or beside it.
#[derive(Clone, Debug)]
pub struct LocalPackage {
    /// Its name.
    pub name: String,
    /// The directory of its manifest, canonical.
    pub directory: PathBuf,
    /// The part of its manifest that can change what is compiled, with inherited values, as canonical text.
    pub manifest: String,
    /// The library's root file, relative to the directory.
    pub library: PathBuf,
    /// The library's name in Rust.
    pub crate_name: String,
}

/// The packages of a kernel crate.
///
/// ```
/// use cuda_builder::inputs::graph::{GraphError, PackageGraph};
///
/// let graph = PackageGraph::load("../tests/kernels".as_ref())?;
/// assert_eq!((graph.kernels.name.as_str(), graph.kernels.crate_name.as_str()), ("test-kernels", "test_kernels"));
/// assert!(graph.local.iter().any(|package| package.name == "cuda_std"));
/// assert!(graph.locked.iter().any(|package| package.name == "bytemuck" && !package.checksum.is_empty()));
/// # Ok::<(), GraphError>(())
/// ```
#[derive(Clone, Debug)]
pub struct PackageGraph {
    /// The workspace's root directory, canonical.
    pub root: PathBuf,
    /// The kernel crate itself.
    pub kernels: LocalPackage,
    /// The local packages, the kernel crate among them, by name.
    pub local: Vec<LocalPackage>,
    /// The packages from registries and other sources, sorted by name and version.
    pub locked: Vec<Locked>,
}

/// The workspace that a package inherits from; a path may lead to another workspace than the kernel crate's.
#[derive(Clone)]
struct Home {
    root: PathBuf,
    manifest: Rc<Table>,
}

impl Home {
    /// `[package]` with `key.workspace = true` replaced by the workspace's value, relevant keys only.
    fn inherited_package(&self, package: &Table) -> Table {
        let shared = self.manifest.get("workspace").and_then(|workspace| workspace.get("package"));
        let mut full = Table::new();
        for (key, value) in package {
            if !RELEVANT_PACKAGE_KEYS.contains(&key.as_str()) {
                continue;
            }
            let inherits = value.get("workspace").and_then(Value::as_bool) == Some(true);
            let value = if inherits { shared.and_then(|shared| shared.get(key)) } else { Some(value) };
            if let Some(value) = value {
                full.insert(key.clone(), value.clone());
            }
        }
        full
    }

    /// A dependency as a table, with the workspace's entry below its own keys, and the directory that its path is relative
    /// to.
    fn inherited_dependency(&self, key: &str, value: &Value, directory: &Path) -> Result<(Table, PathBuf), String> {
        let table = as_dependency_table(value);
        if table.get("workspace").and_then(Value::as_bool) != Some(true) {
            return Ok((table, directory.to_owned()));
        }
        let shared = self.manifest.get("workspace").and_then(|workspace| workspace.get("dependencies"));
        let shared = shared.and_then(|shared| shared.get(key));
        let shared = shared.ok_or_else(|| format!("`{key}` is not in the workspace's dependencies"))?;
        let mut full = as_dependency_table(shared);
        for (key, value) in table {
            match (key.as_str(), full.get_mut(&key)) {
                ("workspace", _) => {}
                // Features are combined.
                ("features", Some(Value::Array(features))) => {
                    features.extend(value.as_array().cloned().unwrap_or_default());
                }
                _ => drop(full.insert(key, value)),
            }
        }
        Ok((full, self.root.clone()))
    }
}

struct Walk {
    /// The kernel crate's workspace, whose lock file, profiles and patches apply to all packages.
    home: Home,
    /// Every workspace so far, by its root.
    homes: BTreeMap<PathBuf, Home>,
    /// Each local package with its version and its dependencies that are not local, and whether they are needed in any case.
    local: BTreeMap<PathBuf, (LocalPackage, String, BTreeMap<String, bool>)>,
    queue: VecDeque<(PathBuf, bool)>,
}

impl PackageGraph {
    /// The local packages that are not in the workspace's directory.
    pub fn outside(&self) -> impl Iterator<Item = &LocalPackage> {
        self.local.iter().filter(|package| !package.directory.starts_with(&self.root))
    }

    /// Follows the path dependencies of the kernel crate in `directory` as the device sees them.
    ///
    /// # Errors
    /// If a manifest or `Cargo.lock` is missing, malformed or inconsistent.
    pub fn load(directory: &Path) -> Result<Self, GraphError> {
        let directory = canonical(directory)?;
        let manifest = read_toml(&directory.join("Cargo.toml"))?;
        let root = workspace_root(&directory, &manifest)?;
        let root_manifest = Rc::new(read_toml(&root.join("Cargo.toml"))?);
        let lockfile = Lockfile::load(&root.join("Cargo.lock"))?;

        let home = Home { root: root.clone(), manifest: root_manifest };
        let mut walk = Walk {
            homes: BTreeMap::from([(root, home.clone())]),
            home,
            local: BTreeMap::new(),
            queue: VecDeque::from([(directory.clone(), false)]),
        };
        let mut seen = BTreeSet::new();
        while let Some((package, on_host)) = walk.queue.pop_front() {
            if seen.insert((package.clone(), on_host)) {
                walk.visit(&package, on_host)?;
            }
        }

        let kernels = walk.local[&directory].0.clone();
        let locked = lockfile.closure(walk.local.values().map(|(package, version, registry)| {
            let registry = registry.iter().map(|(name, &is_needed)| (name.as_str(), is_needed)).collect();
            (package.name.as_str(), version.as_str(), registry)
        }))?;
        let mut local: Vec<_> = walk.local.into_values().map(|(package, ..)| package).collect();
        local.sort_by(|a, b| (&a.name, &a.directory).cmp(&(&b.name, &b.directory)));
        Ok(PackageGraph { root: walk.home.root, kernels, local, locked })
    }
}

impl Walk {
    /// Records a package and queues its path dependencies. `on_host`: it runs in the compiler (a procedural macro, a build
    /// script's dependency), so dependencies for all targets count.
    fn visit(&mut self, directory: &Path, on_host: bool) -> Result<(), GraphError> {
        let path = directory.join("Cargo.toml");
        let manifest = read_toml(&path)?;
        let home = self.home_of(directory, &manifest)?;
        let fail = |what: &str| GraphError::Manifest { path: path.clone(), what: what.to_owned() };
        let package =
            manifest.get("package").and_then(Value::as_table).ok_or_else(|| fail("has no [package] table"))?;
        let package = home.inherited_package(package);
        let name = package.get("name").and_then(Value::as_str).ok_or_else(|| fail("has no package name"))?.to_owned();
        let version = package.get("version").and_then(Value::as_str).unwrap_or("0.0.0").to_owned();
        let lib = manifest.get("lib").and_then(Value::as_table);
        let on_host = on_host || lib.and_then(|lib| lib.get("proc-macro")).and_then(Value::as_bool) == Some(true);
        let library = lib.and_then(|lib| lib.get("path")).and_then(Value::as_str).unwrap_or("src/lib.rs");

        let mut registry: BTreeMap<String, bool> = BTreeMap::new();
        for (key, dependency, host) in dependencies(&manifest, on_host) {
            let (dependency, base) =
                home.inherited_dependency(key, dependency, directory).map_err(|what| fail(&what))?;
            let real_name = dependency.get("package").and_then(Value::as_str).unwrap_or(key).to_owned();
            let (path, base) = match dependency.get("path").and_then(Value::as_str) {
                Some(path) => (Some(path.to_owned()), base),
                None => (self.patched_path(&real_name), self.home.root.clone()),
            };
            match path {
                Some(path) => self.queue.push_back((canonical(&base.join(path))?, host)),
                None => {
                    let is_optional = dependency.get("optional").and_then(Value::as_bool) == Some(true);
                    *registry.entry(real_name).or_default() |= !is_optional;
                }
            }
        }

        let canonical_manifest = self.canonical_manifest(&home, &manifest, package, &name, on_host);
        let crate_name = lib.and_then(|lib| lib.get("name")).and_then(Value::as_str).unwrap_or(&name).replace('-', "_");
        let local = LocalPackage {
            name,
            directory: directory.to_owned(),
            manifest: canonical_manifest,
            library: PathBuf::from(library),
            crate_name,
        };
        let entry = self.local.entry(directory.to_owned()).or_insert_with(|| (local.clone(), version, BTreeMap::new()));
        if on_host {
            // For a package on both sides, the host's view of its manifest includes the device's.
            entry.0 = local;
        }
        for (name, is_needed) in registry {
            *entry.2.entry(name).or_default() |= is_needed;
        }
        Ok(())
    }

    /// The workspace of the package in `directory`.
    fn home_of(&mut self, directory: &Path, manifest: &Table) -> Result<Home, FileError> {
        let root = workspace_root(directory, manifest)?;
        if let Some(home) = self.homes.get(&root) {
            return Ok(home.clone());
        }
        let home = Home { manifest: Rc::new(read_toml(&root.join("Cargo.toml"))?), root: root.clone() };
        self.homes.insert(root, home.clone());
        Ok(home)
    }

    /// The path that the root manifest's `[patch]` gives for a package.
    fn patched_path(&self, name: &str) -> Option<String> {
        let sources = self.home.manifest.get("patch")?.as_table()?;
        let entry = sources.values().find_map(|source| source.get(name))?;
        Some(entry.get("path")?.as_str()?.to_owned())
    }

    /// The relevant tables of a manifest as text with sorted keys, with the workspace's values. The whole root manifest
    /// must not count, because most of it is about the host's packages.
    fn canonical_manifest(&self, home: &Home, manifest: &Table, package: Table, name: &str, on_host: bool) -> String {
        let mut kept = Table::new();
        for &key in RELEVANT_TABLES {
            if let Some(value) = manifest.get(key) {
                kept.insert(key.to_owned(), value.clone());
            }
        }
        let targets = manifest.get("target").and_then(Value::as_table).into_iter().flatten();
        let targets = targets.filter(|(key, _)| on_host || applies_to_device(key));
        kept.insert("target".to_owned(), Value::Table(targets.map(|(k, v)| (k.clone(), v.clone())).collect()));
        let mut inherited = Table::new();
        for (key, value, _) in dependencies(manifest, on_host) {
            if value.get("workspace").and_then(Value::as_bool) == Some(true)
                && let Ok((full, _)) = home.inherited_dependency(key, value, &home.root)
            {
                inherited.insert(key.to_owned(), Value::Table(full));
            }
        }
        // The device profile inherits cargo's release profile, with the workspace's settings for single packages.
        let overrides = self.home.manifest.get("profile").and_then(|profile| profile.get("release"));
        if let Some(overrides) = overrides.and_then(|release| release.get("package")) {
            for key in [name, "*"] {
                if let Some(value) = overrides.get(key) {
                    kept.insert(format!("release profile of {key}"), value.clone());
                }
            }
        }
        kept.insert("package".to_owned(), Value::Table(package));
        kept.insert("inherited".to_owned(), Value::Table(inherited));
        kept.to_string()
    }
}

/// The relevant dependencies: key, value, and whether they run on the host.
fn dependencies(manifest: &Table, on_host: bool) -> Vec<(&str, &Value, bool)> {
    let mut found = Vec::new();
    collect(manifest, on_host, &mut found);
    for (key, table) in manifest.get("target").and_then(Value::as_table).into_iter().flatten() {
        if let Some(table) = table.as_table()
            && (on_host || applies_to_device(key))
        {
            collect(table, on_host, &mut found);
        }
    }
    found
}

fn collect<'a>(table: &'a Table, on_host: bool, found: &mut Vec<(&'a str, &'a Value, bool)>) {
    for (kind, host) in [("dependencies", on_host), ("build-dependencies", true)] {
        for (key, value) in table.get(kind).and_then(Value::as_table).into_iter().flatten() {
            found.push((key, value, host));
        }
    }
}

fn as_dependency_table(value: &Value) -> Table {
    match value {
        Value::Table(table) => table.clone(),
        other => Table::from_iter([("version".to_owned(), other.clone())]),
    }
}

/// The root of a package's workspace, or its own directory if it has none.
fn workspace_root(directory: &Path, manifest: &Table) -> Result<PathBuf, FileError> {
    if manifest.contains_key("workspace") {
        return Ok(directory.to_owned());
    }
    let named = manifest.get("package").and_then(|package| package.get("workspace")).and_then(Value::as_str);
    if let Some(named) = named {
        return canonical(&directory.join(named));
    }
    for above in directory.ancestors().skip(1) {
        let path = above.join("Cargo.toml");
        if !path.is_file() {
            continue;
        }
        let table = read_toml(&path)?;
        let Some(workspace) = table.get("workspace") else { continue };
        let excluded = workspace.get("exclude").and_then(Value::as_array).into_iter().flatten();
        let mut excluded = excluded.filter_map(Value::as_str).map(|entry| above.join(entry));
        if !excluded.any(|excluded| directory.starts_with(excluded)) {
            return Ok(above.to_owned());
        }
    }
    Ok(directory.to_owned())
}

fn canonical(path: &Path) -> Result<PathBuf, FileError> {
    path.canonicalize().map_err(FileError::read(path))
}
