//! Checks of the repository: texts that must agree with the sources, and content that no file may have.
//!
//! Tables in documents are between `<!-- NAME -->` and `<!-- /NAME -->`. `UPDATE_TABLES=1 cargo test -p tests --test tidy`
//! rewrites them.

use prism_host::output::{
    AtomLines, Column, DockqRelation, InterfaceResidues, LigandLines, LinesOf, Relation, RelationColumn, SitesRelation,
    SummaryRelation,
};
use prism_host::sites::SiteLimits;
use shared_types::FEATURES;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use toml::Table;

/// Longer files contain more than one idea.
const MOST_LINES: usize = 600;

/// More parameters of a kernel, its block among them, are arguments in groups.
const MOST_PARAMETERS: usize = 8;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("the sources are where they were compiled")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// All files of the repository by path, without build output, and without hidden files except a few.
fn files() -> Vec<(String, Vec<u8>)> {
    fn walk(directory: &Path, root: &Path, found: &mut Vec<(String, Vec<u8>)>) {
        for entry in fs::read_dir(directory).unwrap().map(Result::unwrap) {
            let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
            let hidden =
                name.starts_with('.') && ![".ci", ".cargo", ".gitattributes", ".gitignore"].contains(&name.as_str());
            // Only directories: a submodule's `.git` is a file, and hidden.
            let built = name == "target" || path.join("CACHEDIR.TAG").is_file();
            if hidden || built {
                continue;
            }
            if path.is_dir() {
                walk(&path, root, found);
            } else {
                let relative = path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
                found.push((relative, fs::read(&path).unwrap()));
            }
        }
    }
    let mut found = Vec::new();
    walk(&root(), &root(), &mut found);
    assert!(found.len() > 100, "only {} files were found", found.len());
    found.sort();
    found
}

/// The hand-written text files.
fn texts() -> Vec<(String, String)> {
    let written = |path: &str| {
        let suffixes = [".rs", ".toml", ".md", ".sh", ".py", ".c", ".cu", ".ci/run"];
        suffixes.iter().any(|suffix| path.ends_with(suffix))
    };
    let text = |(path, bytes): (String, Vec<u8>)| {
        let text = String::from_utf8(bytes).unwrap_or_else(|error| panic!("{path}: {error}"));
        (path, text)
    };
    files().into_iter().filter(|(path, _)| written(path)).map(text).collect()
}

fn assert_none(found: &[String], rule: &str) {
    assert!(found.is_empty(), "{rule}:\n{}", found.join("\n"));
}

/// Compares the table NAME of a document, or writes it on request.
fn check_table(document: &str, name: &str, expected: &str) {
    toolkit_tests::cited::check_table(&root().join(document), name, expected);
}

/// Every package of the workspace: its directory and manifest.
fn packages() -> BTreeMap<String, (String, Table)> {
    let workspace: Table = read("Cargo.toml").parse().unwrap();
    let members = workspace["workspace"]["members"].as_array().unwrap();
    let package = |member: &toml::Value| {
        let directory = member.as_str().unwrap().to_owned();
        let manifest: Table = read(&format!("{directory}/Cargo.toml")).parse().unwrap();
        (manifest["package"]["name"].as_str().unwrap().to_owned(), (directory, manifest))
    };
    members.iter().map(package).collect()
}

/// The names under `dependencies`, for all targets, sorted.
fn dependencies(manifest: &Table) -> Vec<String> {
    let mut tables = vec![manifest.get("dependencies")];
    if let Some(targets) = manifest.get("target").and_then(|targets| targets.as_table()) {
        tables.extend(targets.values().map(|target| target.get("dependencies")));
    }
    let tables = tables.into_iter().flatten().filter_map(|table| table.as_table());
    let mut names: Vec<String> = tables.flat_map(|table| table.keys().cloned()).collect();
    names.sort();
    names
}

#[test]
fn no_rust_file_is_too_long() {
    let too_long = |(path, text): &(String, String)| {
        let lines = text.lines().count();
        (path.ends_with(".rs") && lines > MOST_LINES).then(|| format!("{path}: {lines} lines"))
    };
    let found: Vec<_> = texts().iter().filter_map(too_long).collect();
    assert_none(&found, &format!("no Rust file is longer than {MOST_LINES} lines"));
}

#[test]
fn nothing_is_left_that_belongs_elsewhere() {
    // Split, so that this file does not contain them.
    let directories = [("/wo", "rk/"), ("/ro", "ot/"), ("/Us", "ers/"), ("/tm", "p/")];
    let notes = [("TO", "DO"), ("FIX", "ME"), ("XX", "X"), ("to", "do!("), ("unimpl", "emented!("), ("db", "g!(")];
    let marks = [("<<<<", "<<< "), (">>>>", ">>> "), ("Lorem ", "ipsum")];
    let words: Vec<String> =
        directories.iter().chain(&notes).chain(&marks).map(|(one, other)| format!("{one}{other}")).collect();
    let mut found = Vec::new();
    for (path, text) in texts() {
        for (number, line) in text.lines().enumerate() {
            if let Some(word) = words.iter().find(|word| line.contains(word.as_str())) {
                found.push(format!("{path}:{}: {word}", number + 1));
            }
        }
    }
    assert_none(&found, "no directory of one machine, no note to oneself, nothing half done");
}

#[test]
fn text_files_end_as_they_should() {
    let mut found = Vec::new();
    for (path, text) in texts() {
        if text.contains('\r') {
            found.push(format!("{path}: a carriage return"));
        }
        if !text.ends_with('\n') || text.ends_with("\n\n") {
            found.push(format!("{path}: no newline at the end, or more than one"));
        }
        let trailing = |(_, line): &(usize, &str)| line.ends_with([' ', '\t']);
        found.extend(
            text.lines().enumerate().filter(trailing).map(|(number, _)| format!("{path}:{}: space", number + 1)),
        );
    }
    assert_none(&found, "lines end in a newline and nothing else");
}

#[test]
fn kernels_are_safe_rust() {
    let mut found = Vec::new();
    let sources = texts().into_iter().filter(|(path, _)| path.starts_with("kernels-gpu/src/"));
    for (path, text) in sources.clone() {
        for (number, line) in text.lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            let mut words = code.split(|c: char| !(c.is_alphanumeric() || c == '_'));
            let allows = code.contains("unsafe_code") && !code.contains("deny(unsafe_code)");
            if allows || words.any(|word| word == "unsafe") {
                found.push(format!("{path}:{}: {}", number + 1, line.trim()));
            }
        }
    }
    assert!(sources.clone().count() > 1, "the kernels have moved");
    assert_none(&found, "kernels-gpu holds no unsafe code");
    assert!(read("kernels-gpu/src/lib.rs").contains("#![deny(unsafe_code)]"));
}

#[test]
fn features_have_the_same_bits_everywhere() {
    let uses = |(path, text): (String, String)| {
        let code = text.lines().map(|line| line.split("//").next().unwrap_or_default());
        let approximate = code.into_iter().any(|line| line.contains("approx"));
        // Masks only select what is tested exactly: see the module.
        let allowed = path == "kernels-gpu/src/masks.rs";
        (path.starts_with("kernels-gpu/src/") && approximate && !allowed).then_some(path)
    };
    let found: Vec<_> = texts().into_iter().filter_map(uses).collect();
    assert_none(&found, "features are not computed with cuda_std::math::approx, whose bits differ between backends");
}

#[test]
fn kernel_crates_share_their_lints() {
    let lints = read("kernels-gpu/clippy.toml");
    for other in ["toolkit/tests/kernels/clippy.toml", "toolkit/cargo-kernel/templates/kernel/clippy.toml"] {
        assert_eq!(lints, read(other), "{other}");
    }
}

#[test]
fn new_crates_get_the_pinned_toolchain() {
    assert_eq!(read("rust-toolchain.toml"), read("toolkit/cargo-kernel/templates/kernel/rust-toolchain.toml"));
}

#[test]
fn the_page_of_features_shows_them() {
    let mut table = String::from("| column | unit | definition | source |\n|---|---|---|---|\n");
    for feature in FEATURES {
        let cell = |text: &str| text.replace('|', "\\|").replace('<', "&lt;");
        let (definition, source) = (cell(feature.definition), cell(feature.source));
        writeln!(table, "| `{}` | {} | {definition} | {source} |", feature.name, cell(feature.unit)).unwrap();
    }
    check_table("docs/features.md", "features", &table);
}

#[test]
fn the_guide_shows_the_columns_of_other_tables() {
    let relations: [(&str, &[RelationColumn]); 8] = [
        ("prism edges", LinesOf::Edges.columns()),
        ("prism interface", LinesOf::Interfaces.columns()),
        ("prism interface --by-residue", InterfaceResidues.columns()),
        ("prism ligands", LigandLines.columns()),
        ("prism atoms", AtomLines.columns()),
        ("prism summary", SummaryRelation.columns()),
        ("prism dockq", DockqRelation::columns()),
        ("prism sites", SitesRelation::new(SiteLimits { pockets: true, ..SiteLimits::ALL }).columns()),
    ];
    let mut table = String::from("| table | column | unit | definition |\n|---|---|---|---|\n");
    for (name, columns) in relations {
        // Which structure or residue it is, is said of features.
        let own =
            columns.iter().filter(|column| !Column::IDENTITY.iter().any(|one| one.definition() == column.definition));
        for (index, column) in own.enumerate() {
            let name = if index == 0 { format!("`{name}`") } else { String::new() };
            writeln!(table, "| {name} | `{}` | {} | {} |", column.name, column.unit, column.definition).unwrap();
        }
    }
    check_table("docs/guide.md", "relations", &table);
}

#[test]
fn the_page_of_interactions_shows_kinds_and_columns() {
    use prism_host::interactions::Kind;
    let mut kinds = String::from("| kind | ends | rule | angle | source |\n|---|---|---|---|---|\n");
    for kind in Kind::ALL {
        let [ends, rule, angle, source] = [kind.ends(), kind.rule(), kind.angle(), kind.source()];
        writeln!(kinds, "| `{}` | {ends} | {rule} | {angle} | {source} |", kind.name()).unwrap();
    }
    check_table("docs/interactions.md", "kinds", &kinds);
    let mut columns = String::from("| column | unit | definition |\n|---|---|---|\n");
    let mut pairs = String::from("| column | definition |\n|---|---|\n");
    for column in prism_host::output::BASE_PAIR_COLUMNS {
        let _ = writeln!(pairs, "| `{}` | {} |", column.name, column.definition);
    }
    check_table("docs/nucleic.md", "pairs", &pairs);
    for column in prism_host::output::INTERACTION_COLUMNS {
        writeln!(columns, "| `{}` | {} | {} |", column.name, column.unit, column.definition).unwrap();
    }
    check_table("docs/interactions.md", "columns", &columns);
    let mut groups = String::from("| column | unit | definition |\n|---|---|---|\n");
    let counts = |name: &str| name.parse::<Kind>().is_ok();
    for column in prism_host::output::group_interface_columns(true).iter().filter(|column| !counts(column.name)) {
        writeln!(groups, "| `{}` | {} | {} |", column.name, column.unit, column.definition).unwrap();
    }
    check_table("docs/interactions.md", "groups", &groups);
}

#[test]
fn the_page_of_confidences_shows_their_columns() {
    use prism_host::confidence::{PAIR_NUMBERS, RESIDUE_NUMBERS, STRUCTURE_NUMBERS, ScoreColumn};
    let tables: [(&str, &[ScoreColumn]); 3] = [
        ("prism confidence", &PAIR_NUMBERS),
        ("--by-residue", &RESIDUE_NUMBERS),
        ("--by-structure", &STRUCTURE_NUMBERS),
    ];
    let mut table = String::from("| table | column | unit | definition | source |\n|---|---|---|---|---|\n");
    for (name, columns) in tables {
        for (index, ScoreColumn { name: column, unit, definition, source, .. }) in columns.iter().enumerate() {
            let name = if index == 0 { format!("`{name}`") } else { String::new() };
            writeln!(table, "| {name} | `{column}` | {unit} | {definition} | {source} |").unwrap();
        }
    }
    check_table("docs/confidence.md", "scores", &table);
}

#[test]
fn the_toolkits_readme_shows_the_tested_kernel() {
    let example = |text: &str, from: &str| {
        let (_, rest) = text.split_once(from).expect("an example");
        rest.split_once("```\n").expect("an end").0.to_owned()
    };
    let lines = read("toolkit/cuda_std/src/lib.rs");
    let docs: String = lines
        .lines()
        .filter_map(|line| line.strip_prefix("//!"))
        .fold(String::new(), |text, line| text + line.strip_prefix(' ').unwrap_or(line) + "\n");
    assert_eq!(
        example(&read("toolkit/README.md"), "```rust\n"),
        example(&docs, "```\n"),
        "the kernel in toolkit/README.md is the example in cuda_std's documentation"
    );
}

#[test]
fn readme_shows_the_tested_library_example() {
    let source = read("tests/tests/readme.rs");
    let (_, example) = source.split_once("    // README.md begins.\n").expect("where the example begins");
    let (example, _) = example.split_once("    // README.md ends.\n").expect("where the example ends");
    let example =
        example.lines().fold(String::new(), |text, line| text + line.strip_prefix("    ").unwrap_or(line) + "\n");
    assert!(
        read("README.md").contains(&format!("```rust\n{example}```\n")),
        "the library example in README.md is the one in tests/tests/readme.rs:\n{example}"
    );
}

#[test]
fn code_in_pages_is_code_that_is_compiled() {
    assert_eq!(tests::cited::check(&root().join("docs/library.md")), 3);
}

#[test]
fn architecture_tells_who_knows_whom() {
    let packages = packages();
    let mut table = String::from("| package | folder | knows, here | knows, outside |\n|---|---|---|---|\n");
    for (name, (directory, manifest)) in &packages {
        let (here, outside): (Vec<_>, Vec<_>) =
            dependencies(manifest).into_iter().partition(|dependency| packages.contains_key(dependency));
        let list = |names: &[String]| if names.is_empty() { "-".to_owned() } else { names.join(", ") };
        writeln!(table, "| `{name}` | `{directory}` | {} | {} |", list(&here), list(&outside)).unwrap();
    }
    check_table("ARCHITECTURE.md", "packages", &table);
}

#[test]
fn architecture_has_a_paragraph_for_each_package() {
    let text = read("ARCHITECTURE.md");
    let missing = |(name, (directory, _)): (&String, &(String, Table))| {
        let heading = format!("\n### `{directory}`");
        (!text.contains(&heading)).then(|| format!("{name}: no heading `{}`", heading.trim()))
    };
    let found: Vec<_> = packages().iter().filter_map(missing).collect();
    assert_none(&found, "ARCHITECTURE.md says of each package what it is");
}

/// The files that ARCHITECTURE.md names for reading or changing exist.
#[test]
fn architecture_names_files_that_exist() {
    let text = read("ARCHITECTURE.md");
    let part = |from: &str, to: &str| text.split_once(from).unwrap().1.split_once(to).unwrap().0.to_owned();
    let lists = part("\n## Entry points\n", "\n## Who knows whom\n");
    let named: Vec<&str> = lists.split('`').skip(1).step_by(2).filter(|word| word.contains('/')).collect();
    assert!(named.len() > 40, "only {} files are named", named.len());
    let missing = |path: &&str| !root().join(path).exists();
    let found: Vec<_> = named.into_iter().filter(missing).map(str::to_owned).collect();
    assert_none(&found, "ARCHITECTURE.md names files that are there");
}

/// The rules that ARCHITECTURE.md calls invariants and that manifests can violate.
#[test]
fn packages_know_only_whom_they_may() {
    let packages = packages();
    let of = |name: &str| dependencies(&packages[name].1);
    let users_of = |name: &str| {
        let users = packages.keys().filter(|package| of(package).iter().any(|dependency| dependency == name));
        users.map(String::as_str).collect::<Vec<_>>()
    };
    assert_eq!(users_of("cudarc"), ["cuda_host"], "only cuda_host knows the driver");
    assert_eq!(users_of("cuda_builder"), ["cargo-kernel", "xtask"], "only tools build PTX");
    let knows = |name: &str| of(name).into_iter().filter(|known| packages.contains_key(known)).collect::<Vec<_>>();
    assert_eq!(knows("cuda_builder"), ["cuda_ptx"], "cuda_builder knows text alone");
    assert_eq!(knows("cuda_ptx"), [""; 0], "cuda_ptx stands alone");
    for kernels in ["kernels-gpu", "test-kernels"] {
        for dependency in of(kernels) {
            let known = ["bytemuck", "cuda_layout", "cuda_std", "shared-types"].contains(&dependency.as_str());
            assert!(known, "{kernels} knows {dependency}, but kernels know no host package");
        }
    }
    for toolkit in ["cuda_std", "cuda_host", "cuda_layout"] {
        for name in of(toolkit) {
            let is_biology = name.starts_with("prism-") || ["shared-types", "kernels-gpu"].contains(&&*name);
            assert!(!is_biology, "{toolkit} knows {name}");
        }
    }
}

/// All packages that a package of the workspace is built from, its own tests left out.
fn built_from(package: &str) -> BTreeSet<String> {
    let (packages, lock) = (packages(), read("Cargo.lock").parse::<Table>().unwrap());
    let locked = lock["package"].as_array().unwrap();
    let of = |name: &str| -> Vec<String> {
        if let Some((_, manifest)) = packages.get(name) {
            return dependencies(manifest);
        }
        let versions = locked.iter().filter(|one| one["name"].as_str() == Some(name));
        let all = versions.filter_map(|one| one.get("dependencies")?.as_array()).flatten();
        all.map(|one| one.as_str().unwrap().split(' ').next().unwrap().to_owned()).collect()
    };
    let (mut found, mut open) = (BTreeSet::new(), vec![package.to_owned()]);
    while let Some(name) = open.pop() {
        let new = of(&name).into_iter().filter(|name| found.insert(name.clone()));
        open.extend(new.collect::<Vec<_>>());
    }
    found
}

#[test]
fn layers_are_built_without_those_above() {
    let table = |name: &str| name.starts_with("arrow") || ["parquet", "csv", "npyz"].contains(&name);
    let device = |name: &str| ["cudarc", "cuda_host", "cuda_std", "kernels-gpu"].contains(&name);
    let check = |package: &str, refused: &dyn Fn(&str) -> bool| {
        let wrong: Vec<_> = built_from(package).into_iter().filter(|name| refused(name)).collect();
        assert_eq!(wrong, [""; 0], "{package}");
    };
    check("prism-read", &|name| device(name) || table(name) || name.starts_with("prism-"));
    check("prism-trajectory", &|name| device(name) || table(name) || name.starts_with("prism-"));
    check("prism-complexes", &|name| device(name) || name.starts_with("arrow") || name == "prism-io");
    check("prism-engine", &|name| table(name) || name == "prism-io");
    assert!(built_from("prism-io").contains("parquet") && built_from("prism-engine").contains("cudarc"));
}

#[test]
fn rows_of_tables_are_single_lines() {
    for (path, text) in texts().into_iter().filter(|(path, _)| path.ends_with(".md")) {
        let (mut in_code, mut in_table) = (false, false);
        for (line, number) in text.lines().zip(1..) {
            in_code ^= line.starts_with("```");
            let is_row = !in_code && line.starts_with('|');
            let ends = line.is_empty() || line.starts_with('<') || in_code;
            assert!(is_row || ends || !in_table, "{path}:{number}: this line cuts a table");
            in_table = is_row;
        }
    }
}

#[test]
fn commands_in_documents_exist() {
    let commands = read("xtask/src/main.rs");
    let mut count = 0;
    for (path, text) in texts().into_iter().filter(|(path, _)| path.ends_with(".md")) {
        for command in text.split("cargo xtask ").skip(1) {
            let command: String = command.chars().take_while(|c| c.is_ascii_lowercase() || *c == '-').collect();
            let module = command.replace('-', "_");
            assert!(commands.contains(&format!("{module}::run(")), "{path}: there is no `cargo xtask {command}`");
            count += 1;
        }
    }
    assert!(count > 10, "only {count} commands are named");
}

/// The toolkit is for users who have nothing to do with proteins.
#[test]
fn the_toolkit_knows_nothing_of_proteins() {
    let words = ["prism", "protein", "residue", "amino", "kernels-gpu", "kernels_gpu", "shared-types", "shared_types"];
    let mut found = Vec::new();
    for (path, text) in texts().into_iter().filter(|(path, _)| path.starts_with("toolkit/")) {
        for (number, line) in text.lines().enumerate() {
            let line = line.to_lowercase();
            if let Some(word) = words.iter().find(|word| line.contains(*word)) {
                found.push(format!("{path}:{}: {word}", number + 1));
            }
        }
    }
    assert_none(&found, "no word of prism or of proteins in toolkit/");
}

#[test]
fn changelog_and_licences_are_of_this_version() {
    let workspace: Table = read("Cargo.toml").parse().unwrap();
    let package = &workspace["workspace"]["package"];
    let version = package["version"].as_str().unwrap();
    let changelog = read("CHANGELOG.md");
    let newest = changelog.split("\n## ").nth(1).expect("CHANGELOG.md has a section");
    assert!(newest.contains(version), "the newest section of CHANGELOG.md does not name {version}");
    assert_eq!(package["license"].as_str(), Some("MIT OR Apache-2.0"));
    for (name, (_, manifest)) in packages() {
        for field in ["version", "license", "rust-version", "edition"] {
            let inherited = manifest["package"][field].get("workspace").and_then(toml::Value::as_bool);
            assert_eq!(inherited, Some(true), "{name} does not take its {field} from the workspace");
        }
    }
    for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
        let text = read(licence);
        assert!(!text.is_empty());
        // An archive has the files of its package's folder alone. A package that is published names the repository.
        let published =
            packages().into_iter().filter(|(_, (_, manifest))| manifest["package"].get("repository").is_some());
        for (name, (folder, _)) in published {
            assert_eq!(read(&format!("{folder}/{licence}")), text, "{licence} of {name}");
        }
    }
    let toolchain: Table = read("rust-toolchain.toml").parse().unwrap();
    let minor = |version: &str| -> u32 { version.split('.').nth(1).unwrap().parse().unwrap() };
    let channel = toolchain["toolchain"]["channel"].as_str().unwrap();
    let oldest = package["rust-version"].as_str().unwrap();
    assert!(minor(oldest) <= minor(channel), "the pinned toolchain is older than rust-version, {oldest}");
}

/// Packages without tests declare this if searching for tests would take long.
#[test]
fn no_test_is_in_a_package_that_says_it_has_none() {
    let mut found = Vec::new();
    for (manifest, text) in texts().iter().filter(|(path, _)| path.ends_with("/Cargo.toml")) {
        let table: Table = toml::from_str(text).unwrap_or_else(|error| panic!("{manifest}: {error}"));
        let says_no = |what: &str| table.get("lib").is_some_and(|lib| lib.get(what) == Some(&false.into()));
        let sources = manifest.replace("Cargo.toml", "src/");
        for (path, source) in texts().iter().filter(|(path, _)| path.starts_with(&sources)) {
            let mut lines = source.lines().map(str::trim_start);
            if says_no("test") && !path.starts_with(&format!("{sources}bin/")) && lines.any(|line| line == "#[test]") {
                found.push(path.clone());
            }
        }
    }
    assert_none(&found, "no `#[test]` is in a library whose manifest says `test = false`");
}

/// The number of parameters in `(a: A<B, C>, d: D)..`.
fn parameters(signature: &str) -> usize {
    let (mut depth, mut parts, mut is_empty) = (0, 1, true);
    let mut before = ' ';
    for c in signature.chars() {
        match c {
            '(' | '[' | '{' | '<' => depth += 1,
            // Of an arrow it is no bracket.
            ')' | ']' | '}' | '>' if before != '-' => depth -= 1,
            ',' if depth == 1 => (parts, is_empty) = (parts + 1, true),
            c if !c.is_whitespace() => is_empty = false,
            _ => {}
        }
        if depth == 0 {
            break;
        }
        before = c;
    }
    parts - usize::from(is_empty)
}

#[test]
fn kernels_have_few_parameters() {
    assert_eq!(
        ["()", "(a: A)", "(a: A<B, C>, b: &[(D, E); 2],\n) {}", "(a: fn(A) -> B, b: C)"].map(parameters),
        [0, 1, 2, 2]
    );
    let (mut kernels, mut long) = (0, Vec::new());
    for (path, text) in texts() {
        for attribute in text.split("#[kernel").skip(1) {
            let Some((_, function)) = attribute.split_once("fn ") else { continue };
            let Some((name, _)) = function.split_once(['(', '<']) else { continue };
            let Some(signature) = function.find('(').map(|begin| &function[begin..]) else { continue };
            kernels += 1;
            let count = parameters(signature);
            if count > MOST_PARAMETERS {
                long.push(format!("{path}: `{name}` has {count}"));
            }
        }
    }
    assert!(kernels > 200, "only {kernels} kernels were found");
    assert_none(&long, "a kernel has at most eight parameters: make a group of some of them (`#[derive(Arguments)]`)");
}
