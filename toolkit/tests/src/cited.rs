//! Code in documents is part of the page, so that it can be read wherever the page can. A test compares it with the source
//! that is compiled.
//!
//! A block follows `<!-- code: FILE:MARK -->`, or `<!-- code: FILE -->` for a whole file. The path is relative to the page.
//! In the source the part is between `// ANCHOR: MARK` and `// ANCHOR_END: MARK`, with any indentation.

use std::fs;
use std::path::Path;

/// Every text between `begin` and the next `end`.
pub fn between<'t>(text: &'t str, begin: &'t str, end: &'t str) -> impl Iterator<Item = &'t str> {
    text.split(begin).skip(1).filter_map(move |rest| Some(rest.split_once(end)?.0))
}

/// The code of a citation `FILE:MARK` or `FILE`, without its common indentation and all marks.
///
/// # Errors
/// If there is no such file, or not exactly one such part that is not empty.
pub fn cited(folder: &Path, what: &str) -> Result<String, String> {
    let (file, mark) = what.split_once(':').map_or((what, None), |(file, mark)| (file, Some(mark)));
    let text = fs::read_to_string(folder.join(file)).map_err(|error| format!("{file}: {error}"))?;
    let lines: Vec<&str> = text.lines().collect();
    let part = match mark {
        None => &lines[..],
        Some(mark) => {
            let line = |name: &str| {
                let wanted = format!("// {name}: {mark}");
                let mut found = (0..lines.len()).filter(|line| lines[*line].trim() == wanted);
                found.next().filter(|_| found.next().is_none())
            };
            match (line("ANCHOR"), line("ANCHOR_END")) {
                (Some(begin), Some(end)) if begin + 1 < end => &lines[begin + 1..end],
                _ => return Err(format!("{file} has not exactly one part `{mark}` with something in it")),
            }
        }
    };
    let code: Vec<&&str> = part.iter().filter(|line| !line.trim_start().starts_with("// ANCHOR")).collect();
    let indented = code.iter().filter(|line| !line.is_empty()).map(|line| line.len() - line.trim_start().len());
    let indent = indented.min().unwrap_or(0);
    Ok(code.iter().flat_map(|line| [line.get(indent..).unwrap_or_default(), "\n"]).collect())
}

/// Compares each cited block of a page with its source. With `UPDATE_TABLES=1` it rewrites blocks that differ. Returns the
/// number of Rust blocks.
///
/// # Panics
/// If a block differs, a citation has no source, or the page has Rust code without a citation.
pub fn check(page: &Path) -> usize {
    let name = page.display();
    let folder = page.parent().expect("a page in a folder");
    let old = fs::read_to_string(page).unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut parts = old.split("<!-- code: ");
    let (mut new, mut count) = (parts.next().unwrap_or_default().to_owned(), 0);
    for part in parts {
        let begin = part.split_once(" -->\n\n```").and_then(|(what, rest)| Some((what, rest.split_once('\n')?)));
        let Some((what, (language, rest))) = begin else { panic!("{name}: no block after {part:.60}") };
        let (_, after) = rest.split_once("```\n").unwrap_or_else(|| panic!("{name}: a block without an end"));
        let code = cited(folder, what).unwrap_or_else(|error| panic!("{name}: {error}"));
        new += &format!("<!-- code: {what} -->\n\n```{language}\n{code}```\n{after}");
        count += usize::from(language == "rust");
    }
    assert_eq!(old.matches("```rust").count(), count, "{name} has Rust code without a `<!-- code: .. -->`");
    if new != old {
        assert!(update(), "code in {name} is not that of its source; UPDATE_TABLES=1 writes it");
        fs::write(page, new).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    count
}

/// Compares the table between `<!-- NAME -->` and `<!-- /NAME -->` of a page with the expected one. With `UPDATE_TABLES=1` it rewrites a
/// table that differs.
///
/// # Panics
/// If the table differs, or the page has none of this name.
pub fn check_table(page: &Path, name: &str, expected: &str) {
    let shown = page.display();
    let text = fs::read_to_string(page).unwrap_or_else(|error| panic!("{shown}: {error}"));
    let (begin, end) = (format!("<!-- {name} -->\n"), format!("<!-- /{name} -->"));
    let (before, rest) = text.split_once(&begin).unwrap_or_else(|| panic!("{shown} has no {begin}"));
    let (table, after) = rest.split_once(&end).unwrap_or_else(|| panic!("{shown} has no {end}"));
    if table == expected {
        return;
    }
    if update() {
        fs::write(page, format!("{before}{begin}{expected}{end}{after}")).unwrap();
        return;
    }
    panic!("the table `{name}` in {shown} is out of date; UPDATE_TABLES=1 writes it. It should be:\n{expected}");
}

/// Whether the environment asks for tables and code to be written.
fn update() -> bool {
    std::env::var_os("UPDATE_TABLES").is_some_and(|value| value == "1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_found_and_a_missing_one_is_told() {
        let folder = std::env::temp_dir().join(format!("cited-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let source = "fn f() {\n    // ANCHOR: a\n    if x {\n        // ANCHOR: b\n        y();\n        // ANCHOR_END: b\n    }\n\n    z();\n    // ANCHOR_END: a\n}\n";
        fs::write(folder.join("s.rs"), source).unwrap();
        assert_eq!(cited(&folder, "s.rs:a").unwrap(), "if x {\n    y();\n}\n\nz();\n");
        assert_eq!(cited(&folder, "s.rs:b").unwrap(), "y();\n");
        for (what, why) in [("s.rs:c", "part `c`"), ("gone.rs:a", "gone.rs")] {
            assert!(cited(&folder, what).unwrap_err().contains(why), "{what}");
        }
        fs::write(folder.join("p.md"), "x\n\n<!-- code: s.rs:b -->\n\n```rust\ny();\n```\n").unwrap();
        assert_eq!(check(&folder.join("p.md")), 1);
        for wrong in ["<!-- code: s.rs:b -->\n\n```rust\nother();\n```\n", "```rust\ny();\n```\n"] {
            fs::write(folder.join("p.md"), wrong).unwrap();
            let page = folder.join("p.md");
            let result = std::panic::catch_unwind(|| check(&page));
            assert!(result.is_err() || std::env::var_os("UPDATE_TABLES").is_some(), "{wrong}");
        }
        fs::remove_dir_all(&folder).unwrap();
    }
}
