//! MMseqs2 databases as FoldComp writes them: concatenated entries, an index (`.index`: key, offset, length) and names
//! (`.lookup`: key, name).
//!
//! Entries are read in the order of the index, so memory grows only with the names that are looked up out of order.

use super::names::as_text;
use super::{InputFailure, InputFile, Item};
use prism_read::open;
use std::collections::HashMap;
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Most bytes of an entry. FoldComp entries have at most 65,535 residues, whose PDB files have 40 MB.
const MOST: u64 = 64 << 20;
/// Entries may overlap. An index may have as many bytes read as this many times the data, so that a short index cannot have a long
/// entry read again and again.
const TIMES: u64 = 4;
/// The longest line of an index or a list of names.
const LINE: u64 = 1 << 16;

/// The path of a file beside the data.
pub(super) fn beside(path: &Path, extension: &str) -> PathBuf {
    let mut other = path.as_os_str().to_owned();
    other.push(extension);
    PathBuf::from(other)
}

/// Whether a file is a database's data: it has an index, and a type file or names.
pub(super) fn is_database(path: &Path) -> bool {
    let has = |extension| beside(path, extension).is_file();
    has(".index") && (has(".dbtype") || has(".lookup"))
}

/// The data that a `.dbtype` file belongs to, if they are FoldComp entries: folders may hold databases of other programs.
pub(super) fn of_type_file(path: &Path) -> Option<PathBuf> {
    let data = path.with_extension("");
    let is_type = path.extension().is_some_and(|extension| extension == "dbtype");
    let mut magic = [0; 4];
    let mut begins = || File::open(&data)?.read_exact(&mut magic);
    (is_type && is_database(&data) && begins().is_ok() && &magic == b"FCMP").then_some(data)
}

/// The numbered lines of a file.
struct Lines {
    file: BufReader<File>,
    number: usize,
    line: Vec<u8>,
}

impl Lines {
    fn open(path: &Path) -> std::io::Result<Self> {
        Ok(Self { file: BufReader::new(open(path)?), number: 0, line: Vec::new() })
    }

    /// The tab-separated fields of the next line.
    fn next(&mut self) -> std::io::Result<Option<Vec<&[u8]>>> {
        self.line.clear();
        self.number += 1;
        let read = self.file.by_ref().take(LINE).read_until(b'\n', &mut self.line)?;
        let line =
            if self.number == 1 { self.line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&self.line) } else { &self.line };
        Ok((read > 0).then(|| line.trim_ascii_end().split(|byte| *byte == b'\t').collect()))
    }
}

fn number(word: &[u8]) -> Option<u64> {
    std::str::from_utf8(word).ok()?.parse().ok()
}

/// Looks up names by key. The two lists mostly have the same order; names read too early are kept.
struct Names {
    lines: Option<Lines>,
    early: HashMap<u64, String>,
    /// How often each name was given, by hash.
    given: HashMap<u64, u32>,
    repeated: usize,
}

impl Names {
    /// The name of an entry, or its key if it has none.
    fn of(&mut self, key: u64) -> std::io::Result<String> {
        let mut name = self.early.remove(&key);
        while let (None, Some(lines)) = (&name, &mut self.lines) {
            match lines.next()?.as_deref() {
                None => self.lines = None,
                Some([other, text, ..]) => match number(other) {
                    Some(other) if other == key => name = Some(as_text(text)),
                    Some(other) => drop(self.early.insert(other, as_text(text))),
                    None => {}
                },
                Some(_) => {}
            }
        }
        let name = name.filter(|name| !name.is_empty()).unwrap_or_else(|| key.to_string());
        let mut hasher = DefaultHasher::new();
        name.hash(&mut hasher);
        let times = self.given.entry(hasher.finish()).or_default();
        *times += 1;
        self.repeated += usize::from(*times > 1);
        Ok(if *times > 1 { format!("{name}#{times}") } else { name })
    }
}

/// Passes the entries of a database to `take` until it returns `false`.
pub(super) fn entries(input: &InputFile, take: &mut dyn FnMut(Item) -> bool) -> Result<(), String> {
    let cannot = |extension: &'static str| {
        move |error: std::io::Error| match extension {
            "" => format!("cannot be read: {error}"),
            _ => format!("its {extension} cannot be read: {error}"),
        }
    };
    let mut data = open(&input.path).map_err(cannot(""))?;
    let size = data.metadata().map_err(cannot(""))?.len();
    let mut index = Lines::open(&beside(&input.path, ".index")).map_err(cannot(".index"))?;
    let lookup = beside(&input.path, ".lookup");
    let lines = if lookup.is_file() { Some(Lines::open(&lookup).map_err(cannot(".lookup"))?) } else { None };
    let mut names = Names { lines, early: HashMap::new(), given: HashMap::new(), repeated: 0 };
    let (mut found, mut bytes_read) = (0_usize, 0_u64);
    while let Some(words) = index.next().map_err(cannot(".index"))? {
        let place = match words[..] {
            [key, offset, length] => number(key).zip(number(offset)).zip(number(length)),
            _ => None,
        };
        let Some(((key, offset), length)) = place else {
            let line = index.number;
            return Err(format!("line {line} of its .index is not a key, an offset and a length separated by tabs"));
        };
        found += 1;
        let name = format!("{}/{}", input.name, names.of(key).map_err(cannot(".lookup"))?);
        let item = match entry(&mut data, size, offset, length) {
            Ok(bytes) => {
                bytes_read = bytes_read.saturating_add(length);
                Item::Structure { name, size: length, bytes }
            }
            Err(reason) => Item::Failed(InputFailure::new(&name, reason)),
        };
        if bytes_read > size.saturating_mul(TIMES) {
            let line = index.number;
            return Err(format!(
                "its entries have more than {TIMES} times its {size} bytes by line {line} of its .index: they lie over each other"
            ));
        }
        if !take(item) {
            return Ok(());
        }
    }
    if names.repeated > 0 {
        let text = format!(
            "{} entries have a name that another has before them, as FoldComp calls all chains and stretches of a file; `#2` and \
             so on follow theirs",
            names.repeated
        );
        take(Item::Said { name: input.name.clone(), text });
    }
    if found == 0 {
        return Err("its .index has no entries".to_owned());
    }
    Ok(())
}

fn entry(data: &mut File, size: u64, offset: u64, length: u64) -> Result<Vec<u8>, String> {
    if offset.checked_add(length).is_none_or(|end| end > size) {
        return Err(format!(
            "its {length} bytes at {offset} exceed the database's {size} bytes: the data and .index do not match, or one of them is cut"
        ));
    }
    if length > MOST {
        return Err(format!("has {length} bytes; no entry has more than {MOST}"));
    }
    let mut bytes = vec![0; length as usize];
    let read = data.seek(SeekFrom::Start(offset)).and_then(|_| data.read_exact(&mut bytes));
    read.map_err(|error| format!("cannot be read: {error}"))?;
    // A text entry of a database ends with a zero.
    if bytes.last() == Some(&0) && !bytes.starts_with(b"FCMP") {
        bytes.pop();
    }
    Ok(bytes)
}
