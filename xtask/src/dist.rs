//! `dist`: archives of the command for several systems.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::systems::{self, Systems, triple};
use crate::workspace;
use cargo_kernel::bundle::make_executable;

/// Static programs, and programs that can load NVIDIA's driver.
const TARGETS: [&str; 4] = [
    "x86_64-unknown-linux-musl",
    "aarch64-unknown-linux-musl",
    "x86_64-unknown-linux-gnu.2.28",
    "aarch64-unknown-linux-gnu.2.28",
];

/// Build `prism` for other machines: static programs, which run on any Linux on CPU cores, and programs for glibc 2.28 or newer,
/// which can load NVIDIA's driver, for x86-64 and aarch64 each. One archive each, with the licences, in target/dist. A glibc's version
/// may follow the system's name after a dot
#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    systems: Systems,
}

impl Arguments {
    /// Every archive, into this folder.
    pub fn all_into(out: PathBuf) -> Self {
        Self { systems: Systems::all_into(out) }
    }
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let root = workspace::root()?;
    let (targets, out) = arguments.systems.prepare(&root, &TARGETS, "dist")?;
    for target in &targets {
        let program = build(&root, target)?;
        let name = format!("prism-{}-{}", env!("CARGO_PKG_VERSION"), triple(target));
        let archive = out.join(format!("{name}.tar.gz"));
        pack(&root, &program, &name, &archive)?;
        let bytes = |path: &Path| fs::metadata(path).map(|metadata| metadata.len());
        println!("{}: {} bytes; the program {} bytes", archive.display(), bytes(&archive)?, bytes(&program)?);
    }
    Ok(ExitCode::SUCCESS)
}

/// Builds the program and returns its path.
fn build(root: &Path, target: &str) -> Result<PathBuf> {
    let mut command = systems::command(root, "cargo-zigbuild", target)?;
    command.args(["zigbuild", "--release", "--locked", "--package", "prism-host", "--bin", "prism"]);
    command.args(["--target", target, "--config", "profile.release.debug=false"]);
    command.args(["--config", "profile.release.strip=\"symbols\""]);
    systems::start(&mut command)?;
    Ok(systems::below(root).join(triple(target)).join("release/prism"))
}

/// Packs the program with the files that must accompany it. The same files give the same bytes.
fn pack(root: &Path, program: &Path, name: &str, to: &Path) -> Result<()> {
    make_executable(program)?;
    let file = fs::File::create(to).with_context(|| format!("cannot write {}", to.display()))?;
    let mut archive = tar::Builder::new(GzEncoder::new(file, Compression::best()));
    archive.mode(tar::HeaderMode::Deterministic);
    let with = [
        "README.md",
        "LICENSE-APACHE",
        "LICENSE-MIT",
        "host/src/report/3Dmol.LICENSE",
        "host/engine/src/three_di/mini3di.LICENSE",
    ];
    let with = with.map(|file| root.join(file));
    for path in [program].into_iter().chain(with.iter().map(PathBuf::as_path)) {
        let file = path.file_name().context("a path to a file")?.to_string_lossy();
        archive
            .append_path_with_name(path, format!("{name}/{file}"))
            .with_context(|| format!("cannot pack {}", path.display()))?;
    }
    Ok(archive.into_inner()?.finish()?.flush()?)
}

#[cfg(test)]
mod tests {
    use super::pack;
    use crate::workspace::root;
    use std::fs;

    #[test]
    fn an_archive_has_the_program_and_the_licences_and_is_the_same_twice() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("prism");
        fs::write(&program, b"\x7fELF").unwrap();
        let archives = ["a.tar.gz", "b.tar.gz"].map(|name| folder.path().join(name));
        for archive in &archives {
            pack(&root().unwrap(), &program, "prism-1", archive).unwrap();
        }
        let [one, other] = archives.map(|archive| fs::read(archive).unwrap());
        assert!(one == other);
        let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(&one[..]));
        let entries = archive.entries().unwrap().map(|entry| {
            let entry = entry.unwrap();
            (entry.path().unwrap().to_string_lossy().into_owned(), entry.header().mode().unwrap() & 0o111 != 0)
        });
        let entries: Vec<_> = entries.collect();
        assert_eq!(entries[0], ("prism-1/prism".to_owned(), true));
        for licence in ["LICENSE-MIT", "LICENSE-APACHE", "3Dmol.LICENSE", "mini3di.LICENSE"] {
            assert!(entries.contains(&(format!("prism-1/{licence}"), false)), "{entries:?}");
        }
    }
}
