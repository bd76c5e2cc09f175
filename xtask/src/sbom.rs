//! `cargo xtask sbom`: lists the components of a release.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};

use crate::workspace::root;

/// List the components of the `prism` command as CycloneDX 1.5
#[derive(clap::Args)]
pub struct Arguments {
    /// Where to write [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The target of the build: packages of other systems are left out
    #[arg(long, value_name = "TRIPLE", default_value = TARGET)]
    target: String,
}

const TARGET: &str = "x86_64-unknown-linux-gnu";

impl Arguments {
    /// The list of the usual target, into this file.
    pub fn into_file(path: PathBuf) -> Self {
        Arguments { output: Some(path), target: TARGET.to_owned() }
    }
}

pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let text = format!("{:#}\n", bill(&arguments.target)?);
    match &arguments.output {
        Some(path) => fs::write(path, text).with_context(|| format!("{} cannot be written", path.display()))?,
        None => print!("{text}"),
    }
    Ok(ExitCode::SUCCESS)
}

/// The released package.
const RELEASED: &str = "prism-host";

/// The bill of materials, which depends only on the lock file.
fn bill(target: &str) -> Result<Value> {
    let (metadata, checksums) = (metadata(target)?, checksums()?);
    let packages: BTreeMap<&str, &Value> =
        array(&metadata["packages"]).filter_map(|package| Some((package["id"].as_str()?, package))).collect();
    let nodes: BTreeMap<&str, &Value> =
        array(&metadata["resolve"]["nodes"]).filter_map(|node| Some((node["id"].as_str()?, node))).collect();
    let released = packages.iter().find(|(_, package)| package["name"] == RELEASED);
    let (&released, package) = released.with_context(|| format!("the workspace has no package {RELEASED}"))?;

    let mut reached = BTreeSet::from([released]);
    let mut open = vec![released];
    while let Some(id) = open.pop() {
        open.extend(needed(nodes[id]).filter(|&id| reached.insert(id)));
    }
    let component = |id: &str| component(packages[id], &checksums);
    let components: Vec<Value> = reached.iter().filter(|&&id| id != released).map(|id| component(id)).collect();
    let depends = |id: &&str| {
        let on: BTreeSet<String> = needed(nodes[id]).map(|id| purl(packages[id])).collect();
        json!({ "ref": purl(packages[id]), "dependsOn": on })
    };
    Ok(json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": { "component": { "type": "application", "name": "prism", "version": package["version"],
            "bom-ref": purl(package), "purl": purl(package), "licenses": licenses(package) } },
        "components": components,
        "dependencies": reached.iter().map(depends).collect::<Vec<_>>(),
    }))
}

/// The packages that a release of this one needs, without those of its tests.
fn needed(node: &Value) -> impl Iterator<Item = &str> {
    let released = |dependency: &&Value| array(&dependency["dep_kinds"]).any(|kind| kind["kind"] != "dev");
    array(&node["deps"]).filter(released).filter_map(|dependency| dependency["pkg"].as_str())
}

fn component(package: &Value, checksums: &BTreeMap<(String, String), String>) -> Value {
    let text = |field: &str| package[field].as_str().unwrap_or_default().to_owned();
    let mut component = json!({
        "type": "library",
        "bom-ref": purl(package),
        "name": package["name"],
        "version": package["version"],
        "purl": purl(package),
        "licenses": licenses(package),
    });
    if let Some(checksum) = checksums.get(&(text("name"), text("version"))) {
        component["hashes"] = json!([{ "alg": "SHA-256", "content": checksum }]);
    }
    component
}

fn licenses(package: &Value) -> Value {
    // Old manifests use a slash for "or".
    let expression = package["license"].as_str().unwrap_or("NOASSERTION").replace(" / ", " OR ").replace('/', " OR ");
    json!([{ "expression": expression }])
}

fn purl(package: &Value) -> String {
    let text = |field: &str| package[field].as_str().unwrap_or_default();
    format!("pkg:cargo/{}@{}", text("name"), text("version"))
}

fn array(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn metadata(target: &str) -> Result<Value> {
    let mut command = cargo_kernel::cargo();
    command.args(["metadata", "--format-version", "1", "--locked", "--filter-platform", target]).current_dir(root()?);
    let output = command.output().context("cargo cannot be run")?;
    if !output.status.success() {
        bail!("cargo metadata failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    serde_json::from_slice(&output.stdout).context("cargo metadata is not JSON")
}

/// The registry's checksums of packages, by name and version.
fn checksums() -> Result<BTreeMap<(String, String), String>> {
    let path = root()?.join("Cargo.lock");
    let text = fs::read_to_string(&path).with_context(|| format!("{} cannot be read", path.display()))?;
    let lock: toml_edit::DocumentMut = text.parse().context("Cargo.lock is not TOML")?;
    let packages = lock["package"].as_array_of_tables().into_iter().flatten();
    let entry = |package: &toml_edit::Table| {
        let text = |field: &str| Some(package.get(field)?.as_str()?.to_owned());
        Some(((text("name")?, text("version")?), text("checksum")?))
    };
    Ok(packages.filter_map(entry).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_is_what_it_is_built_of() {
        let bill = bill("x86_64-unknown-linux-gnu").unwrap();
        let component = |name: &str| array(&bill["components"]).find(|component| component["name"] == name);
        let parquet = component("parquet").expect("a dependency");
        assert_eq!(parquet["licenses"][0]["expression"], "Apache-2.0");
        assert_eq!(parquet["hashes"][0]["content"].as_str().map(str::len), Some(64));
        assert!(component("kernels-gpu").expect("a package of the workspace")["hashes"].is_null());
        assert!(component("zstd-sys").is_some(), "what is needed by what is needed");
        for other in ["proptest", "trybuild", "xtask", "windows-sys"] {
            assert!(component(other).is_none(), "{other} is in no release");
        }
        // Every component that is needed is listed.
        let known: BTreeSet<&str> = array(&bill["dependencies"]).filter_map(|one| one["ref"].as_str()).collect();
        let needed = array(&bill["dependencies"]).flat_map(|one| array(&one["dependsOn"])).filter_map(Value::as_str);
        let needed: Vec<&str> = needed.collect();
        assert!(needed.len() > 100 && needed.iter().all(|one| known.contains(one)));
    }
}
