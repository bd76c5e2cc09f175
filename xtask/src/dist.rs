//! `dist`: archives of the command for several systems.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result, ensure};
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::workspace;
use cargo_cuda::bundle::make_executable;
use cargo_cuda::finish;

/// The tools that build for other systems, from the Python index: cargo with Zig's compiler and C libraries, and the builder of wheels.
/// Their versions are fixed so that builds can be repeated.
const BUILDER: [&str; 3] = ["cargo-zigbuild==0.24.0", "ziglang==0.15.2", "maturin==1.16.0"];

/// Static programs, and programs that can load NVIDIA's driver.
const TARGETS: [&str; 4] = [
    "x86_64-unknown-linux-musl",
    "aarch64-unknown-linux-musl",
    "x86_64-unknown-linux-gnu.2.28",
    "aarch64-unknown-linux-gnu.2.28",
];

/// Build `prism` for other machines: static programs, which run on any Linux on CPU cores, and programs for glibc 2.28 or newer,
/// which can load NVIDIA's driver. One archive each, with the licences
#[derive(clap::Args)]
pub struct Arguments {
    /// Only for this system (repeatable); a glibc's version may follow a dot
    #[arg(long = "target", value_name = "TRIPLE", default_values = TARGETS)]
    targets: Vec<String>,

    /// Where the archives go [default: target/dist below the workspace]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Install cargo-zigbuild and Zig from the Python index into target/zig first, and the targets through rustup
    #[arg(long)]
    install: bool,
}

impl Arguments {
    /// Every archive, into this folder.
    pub fn all_into(out: PathBuf) -> Self {
        Arguments { targets: TARGETS.map(str::to_owned).to_vec(), out: Some(out), install: true }
    }
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let root = workspace::root()?;
    let tools = tools(&root);
    if arguments.install {
        install(&tools, &arguments.targets)?;
    }
    let out = arguments.out.clone().unwrap_or_else(|| root.join("target/dist"));
    fs::create_dir_all(&out).with_context(|| format!("cannot make {}", out.display()))?;
    for target in &arguments.targets {
        let program = build(&root, &tools, target)?;
        let name = format!("prism-{}-{}", env!("CARGO_PKG_VERSION"), triple(target));
        let archive = out.join(format!("{name}.tar.gz"));
        pack(&root, &program, &name, &archive)?;
        let bytes = |path: &Path| fs::metadata(path).map(|metadata| metadata.len());
        println!("{}: {} bytes; the program {} bytes", archive.display(), bytes(&archive)?, bytes(&program)?);
    }
    Ok(ExitCode::SUCCESS)
}

/// A triple without the version of its C library.
fn triple(target: &str) -> &str {
    target.split('.').next().unwrap_or(target)
}

/// The environment of the tools.
pub fn tools(root: &Path) -> PathBuf {
    root.join("target/zig")
}

/// Installs the tools, and what the toolchain needs for some systems.
pub fn install(tools: &Path, targets: &[String]) -> Result<()> {
    let mut environment = Command::new("python3");
    environment.args(["-m", "venv"]).arg(tools);
    finish(&mut environment, "make a Python environment (on Debian it takes the package python3-venv)")?;
    let mut pip = Command::new(tools.join("bin/python"));
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(BUILDER);
    finish(&mut pip, "install cargo-zigbuild, Zig and maturin from the Python index")?;
    let mut rustup = Command::new("rustup");
    rustup.args(["target", "add"]).args(targets.iter().map(|target| triple(target)));
    finish(&mut rustup, "add the targets to the toolchain")
}

/// Where builds for other systems lie.
fn below(root: &Path) -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from).join("zigbuild")
}

/// A tool that builds for a system.
pub fn command(root: &Path, tools: &Path, tool: &str, target: &str) -> Result<Command> {
    let installed = tools.join("bin").join(tool);
    let mut command = Command::new(if installed.is_file() { installed.as_os_str() } else { tool.as_ref() });
    command.current_dir(root).env("CARGO_TARGET_DIR", below(root));
    if target.starts_with("x86_64-") {
        // Zig disables the 512-bit vectors, which a decompressor's C code would choose at run time.
        command.env(format!("CFLAGS_{}", triple(target).replace('-', "_")), "-mevex512");
    }
    // It takes Zig from the Python that is first on the path.
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = [tools.join("bin")].into_iter().chain(std::env::split_paths(&path));
    command.env(
        "PATH",
        std::env::join_paths(path).context("a folder of PATH, or the workspace's, has a name that no path takes")?,
    );
    Ok(command)
}

/// Builds the program and returns its path.
fn build(root: &Path, tools: &Path, target: &str) -> Result<PathBuf> {
    let mut command = command(root, tools, "cargo-zigbuild", target)?;
    command.args(["zigbuild", "--release", "--locked", "--package", "prism-host", "--bin", "prism"]);
    command.args(["--target", target, "--config", "profile.release.debug=false"]);
    command.args(["--config", "profile.release.strip=\"symbols\""]);
    let status = command.status().with_context(|| {
        format!("cannot start {:?}; `cargo xtask dist --install` installs it", command.get_program())
    })?;
    ensure!(status.success(), "{command:?} gave {status}; `--install` adds targets that are missing");
    Ok(below(root).join(triple(target)).join("release/prism"))
}

/// Packs the program with the files that must accompany it. The same files give the same bytes.
fn pack(root: &Path, program: &Path, name: &str, to: &Path) -> Result<()> {
    make_executable(program)?;
    let file = fs::File::create(to).with_context(|| format!("cannot write {}", to.display()))?;
    let mut archive = tar::Builder::new(GzEncoder::new(file, Compression::best()));
    archive.mode(tar::HeaderMode::Deterministic);
    let with =
        ["README.md", "LICENSE-APACHE", "LICENSE-MIT", "host/src/report/3Dmol.LICENSE"].map(|file| root.join(file));
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
    use super::{pack, triple};
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
        for licence in ["LICENSE-MIT", "LICENSE-APACHE", "3Dmol.LICENSE"] {
            assert!(entries.contains(&(format!("prism-1/{licence}"), false)), "{entries:?}");
        }
        assert_eq!(triple("x86_64-unknown-linux-gnu.2.28"), "x86_64-unknown-linux-gnu");
    }
}
