//! `export-toolkit`: exports the toolkit as a separate repository.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, ensure};
use toml_edit::{Array, DocumentMut, Item, Value};

use crate::workspace;

/// Write the toolkit as a separate workspace: its folder, a manifest made from this workspace's, the lock file, the pinned
/// toolchain and the licences
#[derive(clap::Args)]
pub struct Arguments {
    /// The folder; it must be empty, new, or hold an export or a `git subtree split` of the toolkit
    dir: PathBuf,
}

/// The toolkit's folder in this workspace.
const TOOLKIT: &str = "toolkit/";

/// Files of the workspace's root that the export copies.
const FROM_ROOT: [&str; 7] = [
    "Cargo.lock",
    "rust-toolchain.toml",
    "rustfmt.toml",
    "LICENSE-MIT",
    "LICENSE-APACHE",
    ".gitignore",
    ".gitattributes",
];

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let (root, dir) = (workspace::root()?, &arguments.dir);
    let vacant = dir.read_dir().map_or(true, |mut entries| entries.next().is_none());
    ensure!(
        vacant || dir.join("cuda_std/Cargo.toml").is_file(),
        "{} holds something else; name an empty folder",
        dir.display()
    );
    let path = root.join("Cargo.toml");
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let text = manifest(&text).with_context(|| format!("{} is not as expected", path.display()))?;
    mirror(&root.join(TOOLKIT), dir, &|name| {
        FROM_ROOT.contains(&name) || [".git", "Cargo.toml", "target"].contains(&name)
    })?;
    for name in FROM_ROOT {
        let bytes = fs::read(root.join(name)).with_context(|| format!("cannot read {name}"))?;
        write(&dir.join(name), &bytes)?;
    }
    write(&dir.join("Cargo.toml"), text.as_bytes())?;
    println!("{}: a workspace of its own; `cargo test --workspace` there tests it", dir.display());
    Ok(ExitCode::SUCCESS)
}

/// Makes a folder equal to another one, except for files that are `kept`. Equal files stay untouched, because cargo
/// compares modification times.
fn mirror(from: &Path, to: &Path, kept: &dyn Fn(&str) -> bool) -> Result<()> {
    fs::create_dir_all(to).with_context(|| format!("cannot make {}", to.display()))?;
    let entries = |folder: &Path| -> Result<Vec<PathBuf>> {
        let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
        Ok(entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?)
    };
    for path in entries(to)? {
        let Some(name) = path.file_name() else { continue };
        if !from.join(name).exists() && !kept(&name.to_string_lossy()) {
            let removed = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
            removed.with_context(|| format!("cannot remove {}", path.display()))?;
        }
    }
    for path in entries(from)? {
        let Some(name) = path.file_name() else { continue };
        if path.is_dir() {
            mirror(&path, &to.join(name), &|_| false)?;
        } else {
            let bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
            write(&to.join(name), &in_its_place(&path, bytes))?;
        }
    }
    Ok(())
}

/// A file's bytes as the copy has them: messages of the compiler that tests expect name files from the workspace's root on.
fn in_its_place(path: &Path, bytes: Vec<u8>) -> Vec<u8> {
    match path.extension().is_some_and(|extension| extension == "stderr").then(|| String::from_utf8(bytes.clone())) {
        Some(Ok(text)) => text.replace(&format!("$WORKSPACE/{TOOLKIT}"), "$WORKSPACE/").into_bytes(),
        _ => bytes,
    }
}

/// Writes a file unless it already has these bytes.
fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    if fs::read(path).ok().as_deref() == Some(bytes) {
        return Ok(());
    }
    fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}

/// The toolkit's manifest: the workspace's, without entries for other folders.
fn manifest(text: &str) -> Result<String> {
    let mut document: DocumentMut = text.parse()?;
    let workspace = document.get_mut("workspace").and_then(Item::as_table_mut).context("it has no [workspace]")?;
    for key in ["members", "exclude"] {
        let list = workspace.get(key).and_then(Item::as_array).with_context(|| format!("it has no `{key}`"))?;
        let kept = list.iter().filter_map(|path| path.as_str()?.strip_prefix(TOOLKIT));
        workspace.insert(key, toml_edit::value(kept.collect::<Array>()));
    }
    let all = workspace.get_mut("dependencies").and_then(Item::as_table_like_mut).context("it has no dependencies")?;
    let (mut toolkit, mut elsewhere) = (BTreeSet::new(), BTreeSet::new());
    for (name, dependency) in all.iter_mut() {
        let Some(path) = dependency.as_table_like_mut().and_then(|table| table.get_mut("path")) else { continue };
        match path.as_str().unwrap_or_default().strip_prefix(TOOLKIT).map(str::to_owned) {
            Some(inside) => {
                toolkit.insert(name.get().to_owned());
                *path = Item::Value(Value::from(inside));
            }
            None => _ = elsewhere.insert(name.get().to_owned()),
        }
    }
    elsewhere.iter().for_each(|name| _ = all.remove(name));
    let profiles = document.get_mut("profile").and_then(Item::as_table_like_mut);
    for (_, profile) in profiles.into_iter().flat_map(|profiles| profiles.iter_mut()) {
        // Not `Item::get_mut`, which creates missing entries.
        let packages = profile.as_table_like_mut().and_then(|profile| profile.get_mut("package"));
        if let Some(packages) = packages.and_then(Item::as_table_like_mut) {
            // The other entries for external packages are prism's; cargo warns about packages that a workspace does not
            // have.
            let others =
                packages.iter().map(|(name, _)| name.to_owned()).filter(|name| !toolkit.contains(name) && name != "*");
            others.collect::<Vec<_>>().iter().for_each(|name| _ = packages.remove(name));
        }
    }
    Ok(document.to_string())
}

#[cfg(test)]
mod tests {
    use super::manifest;

    #[test]
    fn what_lies_elsewhere_is_left_out() {
        let text = manifest(
            "[workspace]\nresolver = \"3\"\nmembers = [\n    \"toolkit/a\",\n    \"host\",\n]\nexclude = [\"toolkit/a/x\"]\n\n\
             [workspace.dependencies]\na = { path = \"toolkit/a\" }\nhost = { path = \"host\" }\nlibm = \"1\"\n\n\
             [profile.dev.package.host]\nopt-level = 3\n[profile.dev.package.a]\nopt-level = 3\n\
             [profile.dev.package.zip]\nopt-level = 1\n[profile.dev.package.\"*\"]\ndebug = false\n",
        );
        let expected = "[workspace]\nresolver = \"3\"\nmembers = [\"a\"]\nexclude = [\"a/x\"]\n\n\
             [workspace.dependencies]\na = { path = \"a\" }\nlibm = \"1\"\n\
             [profile.dev.package.a]\nopt-level = 3\n[profile.dev.package.\"*\"]\ndebug = false\n";
        assert_eq!(text.unwrap(), expected);
    }
}
