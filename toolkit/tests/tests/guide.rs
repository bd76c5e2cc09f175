//! The guide's code is compiled, its links have targets, and it can be built as a book.

use std::fs;
use std::path::{Path, PathBuf};
use toolkit_tests::cited::{between, check};

/// The chapters by file name, and their folder.
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

#[test]
fn code_in_the_guide_is_code_that_is_compiled() {
    let (chapters, folder) = chapters();
    let count: usize = chapters.iter().map(|(name, _)| check(&folder.join(name))).sum();
    assert!(count > 60, "only {count} parts of sources are shown");
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

/// Names of the test functions in a folder's Rust files.
fn tests_in(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("tests").map(Result::unwrap) {
        let text = fs::read_to_string(entry.path()).expect("text");
        found.extend(between(&text, "#[test]\nfn ", "(").map(str::to_owned));
    }
    found.sort();
    found
}

/// The texts in backticks in a column of a chapter's tables.
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

#[test]
fn errors_of_the_compiler_are_those_of_their_programs() {
    let (chapters, folder) = chapters();
    let page = &chapters.iter().find(|(name, _)| name == "compile-errors.md").expect("the chapter").1;
    let rows = page.lines().filter(|line| line.ends_with(".rs) |"));
    let mut count = 0;
    for row in rows {
        let cells: Vec<_> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        let [says, _, _, program] = cells[..] else { panic!("not four cells: {row}") };
        let program = between(program, "](", ")").next().expect("a program");
        let stderr = fs::read_to_string(folder.join(program).with_extension("stderr")).expect(program);
        // "E0594: words" is printed as "error[E0594]: words".
        let words = match says.split_once(": ") {
            Some((code, words)) if code.starts_with('E') => format!("error[{code}]: {words}"),
            _ => says.to_owned(),
        };
        assert!(stderr.contains(&words), "{program} does not say: {words}");
        count += 1;
    }
    assert!(count >= 20, "{count} rows");
}

/// The requirements of `mdbook build guide`: the folder of sources exists, and the summary is a list of chapters, each once.
#[test]
fn the_guide_is_a_book() {
    let (chapters, folder) = chapters();
    let book = fs::read_to_string(folder.join("../book.toml")).expect("book.toml");
    let book: toml::Table = toml::from_str(&book).expect("settings");
    assert_eq!(book["book"]["src"].as_str(), Some("src"));
    // With it, a chapter that is missing is an error.
    assert_eq!(book["build"]["create-missing"].as_bool(), Some(false));
    let summary = &chapters.iter().find(|(name, _)| name == "SUMMARY.md").expect("a summary").1;
    let mut lines = summary.lines();
    assert_eq!((lines.next(), lines.next()), (Some("# Summary"), Some("")));
    let mut listed: Vec<_> = lines
        .map(|line| {
            let chapter = line.trim_start().strip_prefix("- [").and_then(|line| line.strip_suffix(')'));
            let (title, file) = chapter.and_then(|text| text.split_once("](")).unwrap_or_else(|| panic!("{line}"));
            let text = fs::read_to_string(folder.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
            assert!(!title.is_empty() && text.starts_with("# "), "{file} has no title");
            file
        })
        .collect();
    listed.sort_unstable();
    let files: Vec<_> = chapters.iter().map(|(name, _)| name.as_str()).filter(|name| *name != "SUMMARY.md").collect();
    assert_eq!(listed, files, "each chapter is listed once");
}
