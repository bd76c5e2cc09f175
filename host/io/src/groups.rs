//! Tables of groups of residues, whose interfaces are computed.

use crate::csv_table::{self, CsvTable, TableError};
use prism_engine::interactions::Group;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// The columns, which may be in any order.
const COLUMNS: [&str; 3] = ["structure", "group", "residues"];
/// The most names that a message lists.
const LISTED: usize = 5;

/// The groups of each structure. Several lines of one group add up.
///
/// ```
/// use prism_io::groups::GroupTable;
///
/// let text = "structure,group,residues\nx.pdb,antibody,H+L\nx.pdb,antigen,A:10-50\n";
/// let table = GroupTable::from_reader(text.as_bytes(), "groups.csv")?;
/// let names: Vec<&str> = table.of("x.pdb").unwrap().iter().map(|group| group.name()).collect();
/// assert_eq!(names, ["antibody", "antigen"]);
/// assert_eq!(table.of("y.pdb").unwrap_err(), "groups.csv has no line of it; its structures are x.pdb");
/// assert!(table.unused().is_none());
/// # Ok::<(), prism_io::annotations::TableError>(())
/// ```
#[derive(Debug)]
pub struct GroupTable {
    path: String,
    structures: BTreeMap<String, Listed>,
}

/// The groups of a structure.
#[derive(Debug)]
struct Listed {
    /// Its first line.
    line: u64,
    groups: Vec<Group>,
    used: AtomicBool,
}

impl GroupTable {
    /// Reads a table with the columns `structure,group,residues`, divided by commas or tabs. It may be compressed.
    ///
    /// # Errors
    /// Names the line of the first problem: a missing, unknown or repeated column, an empty field, residues that are no group, or a
    /// structure with a single group.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, TableError> {
        let (file, shown) = csv_table::open(path.as_ref())?;
        Self::from_reader(file, &shown)
    }

    /// Reads the text of such a table from any source; errors name it `path`.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn from_reader(mut reader: impl Read, path: &str) -> Result<Self, TableError> {
        let mut text = Vec::new();
        reader.read_to_end(&mut text).map_err(|source| TableError::Io { path: path.to_owned(), source })?;
        let header = text.split(|&byte| byte == b'\n').next().unwrap_or_default();
        let delimiter = if header.contains(&b'\t') { b'\t' } else { b',' };
        let mut lines = CsvTable::delimited(&text[..], path, delimiter);
        let columns = lines.header(columns)?;
        let mut table = Self { path: path.to_owned(), structures: BTreeMap::new() };
        lines.each(|record, line| {
            let [structure, group, residues] = columns.map(|column| record[column].trim());
            table.add(structure, group, residues, line)
        })?;
        let single = table.structures.iter().find(|(_, listed)| listed.groups.len() < 2);
        match single {
            _ if table.structures.is_empty() => Err(lines.wrong(2, "there is no line of a group".to_owned())),
            Some((structure, Listed { line, groups, .. })) => {
                let group = groups[0].name();
                let problem =
                    format!("{structure} has the single group {group}; an interface is of two, so add another");
                Err(lines.wrong(*line, problem))
            }
            None => Ok(table),
        }
    }

    fn add(&mut self, structure: &str, group: &str, residues: &str, line: u64) -> Result<(), String> {
        let fields = COLUMNS.into_iter().zip([structure, group, residues]);
        if let Some((column, _)) = fields.into_iter().find(|(_, field)| field.is_empty()) {
            return Err(format!("column {column:?} is empty"));
        }
        let new = || Listed { line, groups: Vec::new(), used: AtomicBool::new(false) };
        let groups = &mut self.structures.entry(structure.to_owned()).or_insert_with(new).groups;
        let place = groups.iter().position(|known| known.name() == group).unwrap_or_else(|| {
            groups.push(Group::new(group, &self.path));
            groups.len() - 1
        });
        groups[place].add(residues, line).map_err(|error| error.to_string())
    }

    /// The groups of a structure, in the order of their first lines.
    ///
    /// # Errors
    /// If no line has the structure's name; the text lists names that lines have.
    pub fn of(&self, structure: &str) -> Result<&[Group], String> {
        match self.structures.get(structure) {
            Some(listed) => {
                listed.used.store(true, Ordering::Relaxed);
                Ok(&listed.groups)
            }
            None => {
                let names: Vec<&str> = self.structures.keys().map(String::as_str).collect();
                Err(format!("{} has no line of it; its structures are {}", self.path, some(&names)))
            }
        }
    }

    /// A sentence about the structures whose groups nobody asked for so far, if there are any.
    #[must_use]
    pub fn unused(&self) -> Option<String> {
        let unused = self.structures.iter().filter(|(_, listed)| !listed.used.load(Ordering::Relaxed));
        let names: Vec<&str> = unused.map(|(name, _)| name.as_str()).collect();
        (!names.is_empty())
            .then(|| format!("{} has groups of structures that no input has: {}", self.path, some(&names)))
    }
}

/// The first of some names.
fn some(names: &[&str]) -> String {
    let first = names[..names.len().min(LISTED)].join(", ");
    match names.len() - names.len().min(LISTED) {
        0 => first,
        more => format!("{first}, and {more} more"),
    }
}

/// The index of each column.
fn columns(header: &[&str]) -> Result<[usize; 3], String> {
    let known = COLUMNS.join(", ");
    if let Some((at, name)) = header.iter().enumerate().find(|(_, name)| !COLUMNS.contains(name)) {
        return Err(format!("column {} is called {name:?}; the columns are {known}", at + 1));
    }
    let mut found = [0; 3];
    for (place, column) in found.iter_mut().zip(COLUMNS) {
        let mut named = header.iter().enumerate().filter(|(_, name)| **name == column);
        *place = match (named.next(), named.next()) {
            (None, _) => return Err(format!("column {column:?} is missing; the columns are {known}")),
            (Some((at, _)), None) => at,
            _ => return Err(format!("column {column:?} is there twice")),
        };
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<GroupTable, String> {
        GroupTable::from_reader(text.as_bytes(), "g.csv").map_err(|error| error.to_string())
    }

    #[test]
    fn lines_of_a_group_add_up_whatever_divides_the_columns() {
        let csv = "group,structure,residues\nlid,x,A:1-9\ncore,x,\"chain A, B and resnum 20-90\"\nlid,x,A:95\n";
        let tsv =
            "group\tstructure\tresidues\r\nlid\tx\tA:1-9\r\ncore\tx\tchain A, B and resnum 20-90\r\nlid\tx\tA:95\r\n";
        let [csv, tsv] = [csv, tsv].map(|text| read(text).unwrap());
        let groups = csv.of("x").unwrap();
        assert_eq!(groups.iter().map(Group::name).collect::<Vec<_>>(), ["lid", "core"]);
        assert_eq!(groups, tsv.of("x").unwrap());
        let mut lid = Group::new("lid", "g.csv");
        lid.add("A:1-9", 2).unwrap();
        lid.add("A:95", 4).unwrap();
        assert_eq!(groups[0], lid);
    }

    #[test]
    fn structures_without_an_input_are_named() {
        let table = read("structure,group,residues\nx,a,A\nx,b,B\ny,a,A\ny,b,B\n").unwrap();
        assert_eq!(table.unused().unwrap(), "g.csv has groups of structures that no input has: x, y");
        table.of("y").unwrap();
        assert_eq!(table.unused().unwrap(), "g.csv has groups of structures that no input has: x");
        assert_eq!(table.of("y.pdb").unwrap_err(), "g.csv has no line of it; its structures are x, y");
    }

    #[test]
    fn errors_name_the_line() {
        for (text, problem) in [
            ("", "line 1: column \"structure\" is missing"),
            ("structure,group\n", "line 1: column \"residues\" is missing"),
            (
                "structure,group,chains\n",
                "line 1: column 3 is called \"chains\"; the columns are structure, group, residues",
            ),
            ("structure,group,residues,group\n", "line 1: column \"group\" is there twice"),
            ("structure,group,residues\n", "line 2: there is no line of a group"),
            ("structure,group,residues\nx,a,A\nx,,B\n", "line 3: column \"group\" is empty"),
            ("structure,group,residues\nx,a,A\nx,b\n", "line 3: has 2 fields"),
            ("structure,group,residues\nx,a,A:9-1\n", "line 2: \"A:9-1\" ends before it begins"),
            ("structure,group,residues\nx,a,chian A\n", "line 2: expected a selection"),
            ("structure,group,residues\nx,a,A\nx,b,B\ny,a,A\ny,a,B\n", "line 4: y has the single group a"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.starts_with("g.csv: ") && error.contains(problem), "{text:?}: {error}");
        }
    }
}
