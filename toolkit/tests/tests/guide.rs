//! What the guide includes and links to is there, and its Rust code is included: code that was copied rots.

use std::fs;
use std::path::{Path, PathBuf};

/// The chapters by their file's name, and their folder.
fn chapters() -> (Vec<(String, String)>, PathBuf) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../guide/src");
    let mut found = Vec::new();
    for entry in fs::read_dir(&folder).expect("guide/src").map(Result::unwrap) {
        let name = entry.file_name().into_string().expect("a name in UTF-8");
        found.push((name, fs::read_to_string(entry.path()).expect("text")));
    }
    found.sort();
    (found, folder)
}

/// What stands between `begin` and the next `end`, each time.
fn between<'t>(text: &'t str, begin: &'t str, end: &'t str) -> impl Iterator<Item = &'t str> {
    text.split(begin).skip(1).filter_map(move |rest| Some(rest.split_once(end)?.0))
}

/// Why `{{#include what}}` in a chapter would give nothing, or something else one day.
fn wrong(folder: &Path, what: &str) -> Option<String> {
    let mut parts = what.splitn(2, ':');
    let (file, part) = (parts.next()?, parts.next());
    let Ok(text) = fs::read_to_string(folder.join(file)) else { return Some("there is no such file".to_owned()) };
    let part = part?;
    if let Some((first, last)) = part.split_once(':') {
        // Lines move when a source is edited; those at the beginning of PTX are of a fixed format.
        let lines = first.parse().ok().zip(last.parse().ok());
        let fits = lines.is_some_and(|(first, last): (usize, usize)| first <= last && last <= text.lines().count());
        return (!fits || !file.ends_with(".ptx")).then(|| "name an anchor".to_owned());
    }
    let position = |mark: &str| {
        let mut lines = text.lines().enumerate().filter(|(_, line)| line.trim() == format!("// {mark}: {part}"));
        let first = lines.next().map(|(number, _)| number);
        first.filter(|_| lines.next().is_none())
    };
    match (position("ANCHOR"), position("ANCHOR_END")) {
        (Some(begin), Some(end)) if begin + 1 < end => None,
        _ => Some("there is not exactly one such anchor, with something in it".to_owned()),
    }
}

#[test]
fn what_is_included_is_there() {
    let (chapters, folder) = chapters();
    let mut count = 0;
    for (name, text) in &chapters {
        for what in between(text, "{{#include ", "}}") {
            assert_eq!(wrong(&folder, what), None, "{name} includes {what}");
            count += 1;
        }
        assert_eq!(text.matches("{{").count(), text.matches("{{#include ").count(), "{name}");
    }
    assert!(count > 10, "only {count} files are included");
    for (missing, why) in [("../../README.md:1:2", "anchor"), ("gone.rs", "file"), ("../../README.md:x", "anchor")] {
        assert!(wrong(&folder, missing).is_some_and(|told| told.contains(why)), "{missing}");
    }
}

#[test]
fn rust_code_is_included_from_tested_files() {
    for (name, text) in chapters().0 {
        for block in between(&text, "```rust", "```") {
            let code = block.split_once('\n').expect("a line").1;
            let included = code.lines().all(|line| line.starts_with("{{#include ") && line.ends_with("}}"));
            assert!(included && !code.is_empty(), "{name} has code that nothing compiles:\n{code}");
        }
    }
}

#[test]
fn links_lead_to_files_and_the_summary_to_chapters() {
    let (chapters, folder) = chapters();
    let root = folder.join("../..").canonicalize().expect("the repository");
    for (name, text) in &chapters {
        for link in between(text, "](", ")") {
            let file = link.split('#').next().unwrap_or_default();
            if link.starts_with("https://") || file.is_empty() {
                continue;
            }
            let target = folder.join(file).canonicalize().unwrap_or_else(|error| panic!("{name}: {link}: {error}"));
            assert!(target.starts_with(&root), "{name}: {link}");
        }
    }
    let summary = &chapters.iter().find(|(name, _)| name == "SUMMARY.md").expect("a summary").1;
    for (name, _) in &chapters {
        assert!(name == "SUMMARY.md" || summary.contains(&format!("]({name})")), "{name} is not in SUMMARY.md");
    }
}

/// Names of the functions in a folder's Rust files that are tests.
fn tests_in(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("tests").map(Result::unwrap) {
        let text = fs::read_to_string(entry.path()).expect("text");
        found.extend(between(&text, "#[test]\nfn ", "(").map(str::to_owned));
    }
    found.sort();
    found
}

/// What stands in backticks in a column of a chapter's tables.
fn column(text: &str, number: usize) -> Vec<String> {
    let cells = text.lines().filter_map(|line| {
        let mut cells = line.strip_prefix("| ")?.strip_suffix(" |")?.split(" | ");
        Some(cells.nth(number)?.strip_prefix('`')?.strip_suffix('`')?.to_owned())
    });
    cells.collect()
}

#[test]
fn patterns_are_tests_of_their_names() {
    let (chapters, folder) = chapters();
    let chapter = |name: &str| &chapters.iter().find(|(chapter, _)| chapter == name).expect("a chapter").1;
    let tests = tests_in(&folder.join("../../tests/tests/patterns"));
    let mut patterns = column(chapter("patterns.md"), 0);
    patterns.sort();
    assert_eq!(patterns, tests, "each row is a test, and each test a row");
    let shown = column(chapter("gpu-memory.md"), 5);
    assert!(shown.len() >= 9 && shown.iter().all(|test| tests.contains(test)), "{shown:?}");
}

/// As `mdbook build guide` does it: a chapter that is missing, or a summary that is none, is an error.
#[test]
fn the_guide_becomes_a_book() {
    let to = tempfile::tempdir().expect("a folder");
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../guide");
    let mut book = mdbook_driver::MDBook::load(docs).expect("a book");
    book.config.build.build_dir = to.path().to_owned();
    book.build().expect("the book is built");
    let page = fs::read_to_string(to.path().join("first-kernel.html")).expect("the first chapter");
    assert!(page.contains("#[kernel") && !page.contains("{{#include"), "code is included");
    let chapters = chapters().0.into_iter().filter(|(name, _)| name != "SUMMARY.md");
    for (name, _) in chapters {
        let html = to.path().join(&name).with_extension("html");
        assert!(html.is_file(), "{name} is not in SUMMARY.md");
    }
}
