//! File names in scripts of PyMOL and ChimeraX.
//!
//! Both programs know the escapes of Python's strings, so every character that could mean something else is escaped. PyMOL does so
//! only in a line of Python, which `/` begins.

use std::fmt::Write as _;
use std::path::{Component, Path, PathBuf, absolute};

/// What to do about a name that a script cannot hold.
pub(super) const NO_TEXT: &str =
    "a script cannot hold this name, which is no text (UTF-8); rename the file or its folder";

/// Whether scripts can hold a name.
pub(super) fn can_hold(path: &Path) -> bool {
    path.to_str().is_some()
}

/// PyMOL's lines that enter a script's own folder, as ChimeraX does before it runs one.
pub(super) const PYMOL_ENTER: &str = "/import os\n/os.chdir(os.path.dirname(__script__) or \".\")\n";

/// Atoms that are no protein, shown by PyMOL: ligands as sticks, ions as spheres, elements other than carbon in their colours.
pub(super) fn pymol_ligands(object: &str) -> String {
    format!(
        "show sticks, {object} and organic\nshow nb_spheres, {object} and inorganic\n\
         color atomic, {object} and (organic or inorganic) and not elem C\n"
    )
}

/// The same, shown by ChimeraX.
pub(super) const CHIMERAX_LIGANDS: &str =
    "show #1 & (ligand | ions) atoms\nstyle #1 & ligand stick\ncolor #1 & (ligand | ions) byhetero\n";

/// The way to a file from the folder of a script. A file that was given by an absolute path keeps it.
pub(super) fn from_script(script: &Path, file: &Path) -> PathBuf {
    let folder = script.parent().unwrap_or(Path::new(""));
    let (Ok(from), Ok(to)) = (absolute(folder.join(".")), absolute(file)) else { return file.to_owned() };
    if folder.as_os_str().is_empty() || file.is_absolute() {
        return file.to_owned();
    }
    let (from, to): (Vec<Component<'_>>, Vec<Component<'_>>) = (from.components().collect(), to.components().collect());
    let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = from[common..].iter().map(|_| Component::ParentDir);
    up.chain(to[common..].iter().copied()).collect()
}

/// PyMOL's line that loads a file as an object.
pub(super) fn pymol_load(path: &Path, object: &str) -> String {
    let name = path.display().to_string();
    match is_plain(&name) {
        true => format!("load {name}, {object}"),
        false => format!("/cmd.load(\"{}\", \"{object}\")", escaped(&name)),
    }
}

/// A file's name as an argument of ChimeraX.
pub(super) fn chimerax(path: &Path) -> String {
    let name = path.display().to_string();
    if is_plain(&name) { name } else { format!("\"{}\"", escaped(&name)) }
}

fn is_plain(name: &str) -> bool {
    name.chars().all(plain)
}

fn plain(c: char) -> bool {
    c.is_alphanumeric() || "/._-+".contains(c)
}

fn escaped(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for c in name.chars() {
        let _ = match u32::from(c) {
            _ if plain(c) || c == ' ' => write!(text, "{c}"),
            code @ ..=0xff => write!(text, "\\x{code:02x}"),
            code @ ..=0xffff => write!(text, "\\u{code:04x}"),
            code => write!(text, "\\U{code:08x}"),
        };
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_from_the_folder_of_the_script() {
        for (script, file, expected) in [
            ("s.pml", "a.pdb", "a.pdb"),
            ("s.pml", "in/a.pdb", "in/a.pdb"),
            ("out/s.pml", "a.pdb", "../a.pdb"),
            ("out/s.pml", "out/a.pdb", "a.pdb"),
            ("out/x/s.pml", "in/a.pdb", "../../in/a.pdb"),
            ("out/s.pml", "/data/a.pdb", "/data/a.pdb"),
        ] {
            assert_eq!(from_script(script.as_ref(), file.as_ref()), Path::new(expected), "{script} {file}");
        }
    }

    #[test]
    fn plain_names_stay_and_others_are_escaped() {
        for plain in ["a.pdb", "/data/é-1_x+y/1crn.cif"] {
            assert_eq!(pymol_load(plain.as_ref(), "protein"), format!("load {plain}, protein"));
            assert_eq!(chimerax(plain.as_ref()), plain);
        }
        for (name, inside) in [
            ("a,b.pdb", r"a\x2cb.pdb"),
            ("a\"; b.pdb", r"a\x22\x3b b.pdb"),
            ("a=(b)[1].pdb", r"a\x3d\x28b\x29\x5b1\x5d.pdb"),
            ("a\\\n'#.pdb", r"a\x5c\x0a\x27\x23.pdb"),
            ("a\u{2014}\u{1f600}.pdb", r"a\u2014\U0001f600.pdb"),
        ] {
            assert_eq!(pymol_load(name.as_ref(), "points"), format!("/cmd.load(\"{inside}\", \"points\")"));
            assert_eq!(chimerax(name.as_ref()), format!("\"{inside}\""));
        }
    }
}
