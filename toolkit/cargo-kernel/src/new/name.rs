//! Names for new crates.

use anyhow::{Context as _, Result, bail, ensure};
use toml_edit::Document;

/// Keywords of Rust.
const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do", "dyn", "else",
    "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro", "match", "mod",
    "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static", "struct", "super", "trait", "true",
    "try", "type", "typeof", "union", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// Crates that come with the compiler.
const BUILT_IN: &[&str] = &["alloc", "core", "proc_macro", "std", "test"];

/// The longest name that registries accept.
const MOST_LETTERS: usize = 64;

/// Checks that a name is a Rust identifier in snake case, and not reserved.
///
/// # Errors
/// If it is unsuitable; the error suggests a suitable name if possible.
pub fn check(name: &str) -> Result<()> {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if !name.starts_with(|c: char| c.is_ascii_lowercase()) || !name.chars().all(fits) {
        let hint = suggestion(name).map_or_else(String::new, |hint| format!(", such as `{hint}`"));
        bail!("`{name}` cannot be a crate's name: choose a Rust identifier in snake case{hint}");
    }
    ensure!(name.len() <= MOST_LETTERS, "`{name}` is longer than {MOST_LETTERS} letters; choose a shorter name");
    ensure!(!KEYWORDS.contains(&name), "`{name}` is a keyword of Rust; choose another name");
    ensure!(!BUILT_IN.contains(&name), "`{name}` is a crate that comes with the compiler; choose another name");
    ensure!(name != "saxpy", "`saxpy` is the name of the first kernel in the crate; choose another name for the crate");
    Ok(())
}

/// The most similar suitable name.
fn suggestion(name: &str) -> Option<String> {
    let mut snake = String::new();
    for (i, c) in name.chars().enumerate() {
        match c {
            'A'..='Z' => {
                if i > 0 && !snake.ends_with('_') {
                    snake.push('_');
                }
                snake.push(c.to_ascii_lowercase());
            }
            'a'..='z' | '0'..='9' => snake.push(c),
            _ if snake.is_empty() || snake.ends_with('_') => {}
            _ => snake.push('_'),
        }
    }
    let snake = snake.trim_start_matches(|c: char| !c.is_ascii_lowercase()).trim_end_matches('_');
    (!snake.is_empty() && check(snake).is_ok()).then(|| snake.to_owned())
}

/// Checks that no package of the workspace has the name: cargo could not tell which one `-p NAME` means.
///
/// # Errors
/// If one has it, or `lock` is not a lock file.
pub fn check_free(name: &str, lock: &str) -> Result<()> {
    let lock = Document::parse(lock).context("Cargo.lock is not valid TOML; run `cargo generate-lockfile`")?;
    let packages = lock.get("package").and_then(|packages| packages.as_array_of_tables());
    let mut names = packages.into_iter().flatten().filter_map(|package| package.get("name")?.as_str());
    if let Some(taken) = names.find(|taken| taken.replace('-', "_") == name) {
        bail!("the workspace has or uses a package `{taken}`; choose another name");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_in_snake_case_pass() {
        for name in ["a", "waves", "my_kernels2", "x_"] {
            check(name).unwrap();
        }
        let long = "a".repeat(MOST_LETTERS + 1);
        for name in ["", "_a", "2d", "my-kernels", "Waves", "a b", "é", "a/b", "..", "fn", "std", "saxpy", &long] {
            assert!(check(name).is_err(), "{name}");
        }
    }

    #[test]
    fn a_name_that_does_not_do_leads_to_one_that_does() {
        for (name, better) in [("my-kernels", "my_kernels"), ("MyKernels", "my_kernels"), ("2d waves", "d_waves")] {
            assert_eq!(suggestion(name).as_deref(), Some(better));
            assert!(check(name).unwrap_err().to_string().contains(better));
        }
        assert_eq!(suggestion("Fn"), None);
        assert_eq!(suggestion("..."), None);
    }

    #[test]
    fn names_of_packages_in_use_are_taken() {
        let lock = "version = 4\n[[package]]\nname = \"water-waves\"\nversion = \"0.1.0\"\n";
        check_free("waves", lock).unwrap();
        let error = check_free("water_waves", lock).unwrap_err().to_string();
        assert!(error.contains("`water-waves`"), "{error}");
        assert!(check_free("waves", "[").is_err());
    }
}
