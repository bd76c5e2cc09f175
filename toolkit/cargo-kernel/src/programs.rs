//! The executables that a command runs: built from a crate, or taken from a bundle.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context as _, Result, bail, ensure};
use cuda_builder::LINE_INFO_VARIABLE;
use serde_json::Value;

/// What a command runs.
#[derive(clap::Args, Clone, Debug)]
pub struct Selection {
    /// The crate's folder
    #[arg(default_value = ".", conflicts_with = "bundle")]
    pub directory: PathBuf,

    /// Take the executables from this folder, which `cargo kernel bundle` has made, instead of building them
    #[arg(long, value_name = "DIR")]
    pub bundle: Option<PathBuf>,

    /// Cargo's options, which choose what is built (`--test NAME`, `--lib`, `--tests`, `--bin NAME`, `--example NAME`, `--release`), and
    /// after another `--` the arguments of the executable
    #[arg(last = true)]
    pub arguments: Vec<String>,
}

/// What is run if cargo's options name nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fallback {
    /// All tests.
    Tests,
    /// The crate's programs.
    Programs,
}

/// Executables, and the arguments that they get.
pub struct Chosen {
    /// The executables; at least one.
    pub executables: Vec<Executable>,
    /// Their arguments.
    pub arguments: Vec<String>,
}

/// An executable.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Executable {
    /// What it is called.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
    /// The folder in which it is run: cargo runs tests in their package's.
    pub folder: PathBuf,
}

impl Selection {
    /// Builds what cargo's options choose, or finds it in the bundle. With `line_info`, kernels that a build script compiles have line
    /// information.
    pub fn choose(&self, fallback: Fallback, line_info: bool) -> Result<Chosen> {
        let end = self.arguments.iter().position(|argument| argument == "--").unwrap_or(self.arguments.len());
        let own = self.arguments.get(end + 1..).unwrap_or_default().to_vec();
        let options = Options::parse(&self.arguments[..end]);
        let executables = match &self.bundle {
            Some(bundle) => options.in_bundle(bundle)?,
            None => options.build(&self.directory, fallback, line_info)?,
        };
        Ok(Chosen { executables, arguments: own })
    }

    /// The folder to which the files of line information are relative: the workspace's, or the bundle's.
    pub fn sources(&self) -> Result<PathBuf> {
        let Some(bundle) = &self.bundle else {
            let mut cargo = crate::cargo();
            cargo.args(["locate-project", "--workspace", "--message-format", "plain"]).current_dir(&self.directory);
            let output = cargo.stderr(Stdio::inherit()).output().context("cargo does not start")?;
            ensure!(output.status.success(), "{} is not a package", self.directory.display());
            let mut manifest = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
            manifest.pop();
            return Ok(manifest);
        };
        bundle.canonicalize().with_context(|| format!("there is no folder {}", bundle.display()))
    }
}

impl Chosen {
    /// The only executable.
    pub fn only(mut self) -> Result<(Executable, Vec<String>)> {
        let names: Vec<&str> = self.executables.iter().map(|executable| executable.name.as_str()).collect();
        ensure!(
            names.len() == 1,
            "this takes one executable, and there are {}: choose one by its name, as in `-- --test {}`",
            names.join(", "),
            names[0]
        );
        Ok((self.executables.remove(0), self.arguments))
    }
}

/// Cargo's options, by what they choose.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    /// Those that choose tests.
    tests: Vec<String>,
    /// Those that choose programs.
    programs: Vec<String>,
    /// All others, such as `--release`.
    others: Vec<String>,
    /// The names that they choose.
    names: BTreeSet<String>,
}

impl Options {
    pub fn parse(arguments: &[String]) -> Self {
        let mut options = Self::default();
        let mut rest = arguments.iter().peekable();
        while let Some(argument) = rest.next() {
            let (option, value) = match argument.split_once('=') {
                Some((option, value)) => (option, Some(value)),
                None => (argument.as_str(), None),
            };
            let (kind, takes_name) = match option {
                "--lib" | "--tests" | "--benches" | "--all-targets" => (&mut options.tests, false),
                "--test" | "--bench" => (&mut options.tests, true),
                "--bins" | "--examples" => (&mut options.programs, false),
                "--bin" | "--example" => (&mut options.programs, true),
                _ => (&mut options.others, false),
            };
            kind.push(argument.clone());
            if takes_name && value.is_none() {
                // Without a name cargo lists them.
                let name = rest.next_if(|next| !next.starts_with('-'));
                kind.extend(name.cloned());
                options.names.extend(name.cloned());
            } else if takes_name {
                options.names.extend(value.map(str::to_owned));
            }
        }
        options
    }

    /// Adds an option that chooses nothing.
    pub fn with(mut self, option: &str) -> Self {
        if !self.others.iter().any(|other| other == option) {
            self.others.push(option.to_owned());
        }
        self
    }

    /// Builds the executables.
    pub fn build(&self, directory: &Path, fallback: Fallback, line_info: bool) -> Result<Vec<Executable>> {
        let nothing = self.tests.is_empty() && self.programs.is_empty();
        let mut executables = Vec::new();
        if !self.tests.is_empty() || nothing && fallback == Fallback::Tests {
            let arguments = [&["--no-run".to_owned()], &self.others[..], &self.tests].concat();
            executables = built(directory, "test", &arguments, line_info)?;
            ensure!(!executables.is_empty(), "{} has no such tests", directory.display());
        }
        if !self.programs.is_empty() || nothing && fallback == Fallback::Programs {
            let programs = built(directory, "build", &[&self.others[..], &self.programs].concat(), line_info)?;
            ensure!(
                !programs.is_empty(),
                "{} has no program; choose a test or an example, as in `-- --test NAME` or `-- --example NAME`",
                directory.display()
            );
            executables.extend(programs);
        }
        Ok(executables)
    }

    /// The executables of a bundle that have the names; all of them if none is given.
    fn in_bundle(&self, bundle: &Path) -> Result<Vec<Executable>> {
        if let Some(option) = self.others.first() {
            bail!(
                "`{option}` has no effect on a bundle, which is built already; arguments of executables follow a second `--`"
            );
        }
        let bin = bundle.join("bin");
        let folder = bundle.canonicalize().with_context(|| format!("there is no folder {}", bundle.display()))?;
        let entries = bin.read_dir().with_context(|| format!("{} is not a bundle", bundle.display()))?;
        let mut executables = Vec::new();
        for entry in entries {
            let path = entry.with_context(|| format!("cannot read {}", bin.display()))?.path();
            let path = path.canonicalize().with_context(|| format!("cannot read {}", path.display()))?;
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            executables.push(Executable { name, path, folder: folder.clone() });
        }
        executables.sort();
        if let Some(name) = self.names.iter().find(|name| !executables.iter().any(|one| one.name == **name)) {
            let names: Vec<_> = executables.iter().map(|executable| executable.name.as_str()).collect();
            bail!("{} has no `{name}`, only {}", bundle.display(), names.join(", "));
        }
        executables.retain(|executable| self.names.is_empty() || self.names.contains(&executable.name));
        ensure!(!executables.is_empty(), "{} has no executables", bundle.display());
        Ok(executables)
    }
}

/// Builds by `cargo test` or `cargo build`, and returns the executables with tests, or those without.
fn built(directory: &Path, command: &str, arguments: &[String], line_info: bool) -> Result<Vec<Executable>> {
    let mut cargo = crate::cargo();
    cargo.args([command, "--message-format", "json-render-diagnostics"]).args(arguments).current_dir(directory);
    if line_info {
        cargo.env(LINE_INFO_VARIABLE, "1");
    }
    let output = cargo.stderr(Stdio::inherit()).output().context("cargo does not start")?;
    ensure!(output.status.success(), "`cargo {command} {}` in {} failed", arguments.join(" "), directory.display());
    Ok(executables(&String::from_utf8_lossy(&output.stdout), command == "test"))
}

/// The executables in cargo's messages: those with tests, or those without. (Programs that tests call are in them, too.)
fn executables(messages: &str, with_tests: bool) -> Vec<Executable> {
    let messages = messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let program = |message: Value| {
        let path = message["executable"].as_str().filter(|_| message["profile"]["test"] == with_tests)?;
        let folder = Path::new(message["manifest_path"].as_str()?).parent()?;
        let name = message["target"]["name"].as_str()?;
        Some(Executable { name: name.to_owned(), path: path.into(), folder: folder.to_owned() })
    };
    let mut found: Vec<Executable> = messages.filter_map(program).collect();
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn executables_are_found_in_cargos_messages() {
        let message = |name: &str, executable: &str, is_test: bool| {
            format!(
                "{{\"reason\":\"compiler-artifact\",\"manifest_path\":\"/k/Cargo.toml\",\"target\":{{\"name\":\"{name}\"}},\
                 \"profile\":{{\"test\":{is_test}}},\"executable\":{executable}}}\n"
            )
        };
        let messages = message("waves", "null", true) + &message("saxpy", "\"/t/saxpy-1\"", true);
        let messages = messages + &message("program", "\"/t/program\"", false) + "not a message\n";
        let messages = messages + "{\"reason\":\"build-finished\",\"success\":true}\n";
        let found = |with_tests| executables(&messages, with_tests);
        let one = |name: &str, path: &str| Executable { name: name.into(), path: path.into(), folder: "/k".into() };
        assert_eq!(found(true), [one("saxpy", "/t/saxpy-1")]);
        assert_eq!(found(false), [one("program", "/t/program")]);
    }

    #[test]
    fn options_are_sorted_by_what_they_choose() {
        let options = Options::parse(&words("--release --test sums --example=waves --bin --features fast --lib"));
        assert_eq!(options.tests, ["--test", "sums", "--lib"]);
        assert_eq!(options.programs, ["--example=waves", "--bin"]);
        assert_eq!(options.others, ["--release", "--features", "fast"]);
        assert_eq!(options.names, BTreeSet::from(["sums".to_owned(), "waves".to_owned()]));
        assert_eq!(Options::parse(&[]).with("--release").with("--release").others, ["--release"]);
    }
}
