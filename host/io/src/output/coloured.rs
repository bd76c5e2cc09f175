//! Structure files with a column of the table in their B column, and scripts that show them coloured by it.

use super::script_names::{CHIMERAX_LIGANDS, NO_TEXT, PYMOL_ENTER, can_hold, chimerax, pymol_ligands, pymol_load};
use super::{Column, InputFiles, OutputError, StructureRows, write_whole};
use crate::inputs::{InputFailure, InputFile, Source};
use prism_read::{NamedResidue, author_chain, contents, is_cif, with_b_column};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::path::{Component, Path, PathBuf, absolute};

/// The B factor of atoms without a value: undefined values, and atoms that belong to no row.
const NONE: f32 = -999.0;
/// Extensions of PDB files; the first one is added to a name that has none of them.
const PDB: [&str; 2] = ["pdb", "ent"];
/// Extensions of mmCIF files.
const CIF: [&str; 2] = ["cif", "mmcif"];
/// Extensions of scripts: PyMOL's, and ChimeraX's.
const SCRIPTS: [&str; 2] = ["pml", "cxc"];

/// A folder of structure files, each the text of its input with a column's values in the B column, and with a script for
/// PyMOL (`.pml`) and for ChimeraX (`.cxc`) beside it.
///
/// ```
/// use prism_io::output::{Column, ColouredStructures};
///
/// # let folder = tempfile::tempdir()?;
/// let depth = Column::every().find(|column| column.name() == "depth").unwrap();
/// let structures = ColouredStructures::create(&folder.path().join("coloured"), depth)?;
/// assert_eq!(structures.column().unit(), "Å");
/// assert!(ColouredStructures::create(&folder.path().join("no/such"), depth).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ColouredStructures {
    folder: PathBuf,
    column: Column,
    files: InputFiles,
    /// The structures of the files that were written, by their places in the folder.
    written: HashMap<PathBuf, String>,
}

impl ColouredStructures {
    /// Makes the folder if it does not exist.
    ///
    /// # Errors
    /// If it cannot be made, or scripts cannot hold its name.
    pub fn create(folder: &Path, column: Column) -> Result<Self, OutputError> {
        if !can_hold(folder) {
            return Err(OutputError::ViewFormat { path: folder.display().to_string(), known: NO_TEXT });
        }
        let shown = |source| not_made(folder, source);
        if !folder.is_dir() {
            std::fs::create_dir(folder).map_err(shown)?;
        }
        let folder = absolute(folder).map_err(shown)?;
        Ok(Self { folder, column, files: InputFiles::default(), written: HashMap::new() })
    }

    /// The column whose values are written.
    #[must_use]
    pub fn column(&self) -> Column {
        self.column
    }

    /// The files that may be written for some inputs, relative to the folder.
    #[must_use]
    pub fn names(inputs: &[Result<InputFile, InputFailure>]) -> Vec<PathBuf> {
        let files = inputs.iter().flatten().filter(|input| matches!(input.source, Source::File));
        let places = files.flat_map(|input| [PDB, CIF].map(|format| place(&input.name, format)));
        places.flat_map(|place| SCRIPTS.map(|script| beside(&place, script)).into_iter().chain([place])).collect()
    }

    /// Adds the files of structures.
    pub fn know<'a>(&mut self, inputs: impl IntoIterator<Item = &'a InputFile>) {
        self.files.know(inputs);
    }

    /// Writes a structure and its scripts.
    ///
    /// # Errors
    /// [`OutputError::ViewInput`] if a structure has no file of its own or has another format; others if files cannot be
    /// written.
    pub fn write(&mut self, part: &StructureRows<'_>) -> Result<(), OutputError> {
        let name = &part.structure.name;
        let unwritten = |problem| OutputError::ViewInput { path: name.clone(), problem };
        let input = self.files.of(name).map_err(unwritten)?;
        // Two decimals of hundredths show more digits. Few residues have more than 1 of rsa.
        let factor = if self.column.is_fraction() || self.column.name() == "rsa" { 100.0 } else { 1.0 };
        let values = part.numbers(&self.column);
        let shown = Shown { name: self.column.name(), unit: self.column.unit(), factor, none: NONE };
        let text = with_values(part, &values, &shown, input)?;
        let own = place(name, if is_cif(&text) { CIF } else { PDB });
        let place = self.folder.join(&own);
        if let Some(first) = self.written.insert(own, name.clone()) {
            return Err(unwritten(format!("its file would replace that of {first}; give the structures other names")));
        }
        if let Some(folder) = place.parent() {
            std::fs::create_dir_all(folder).map_err(|source| not_made(folder, source))?;
        }
        write_whole(&place, &text)?;
        let [pymol, chimerax] = self.scripts(&values, &shown, &place);
        for (extension, script) in SCRIPTS.into_iter().zip([pymol, chimerax]) {
            write_whole(&beside(&place, extension), script.as_bytes())?;
        }
        Ok(())
    }

    /// Cividis in three colours, from the lowest to the highest value, or the classes of pLDDT; grey for missing values.
    fn scripts(&self, values: &[f32], shown: &Shown<'_>, place: &Path) -> [String; 2] {
        let what = format!("# The B column holds {shown}.\n");
        // The scripts lie beside the file.
        let file = Path::new(place.file_name().unwrap_or_default());
        let (load, open) = (pymol_load(file, "structure"), chimerax(file));
        let [pymol, chimerax] = match self.column {
            Column::Plddt => [PLDDT_IN_PYMOL, PLDDT_IN_CHIMERAX].map(str::to_owned),
            _ => by_range(values, shown.factor),
        };
        let ligands = pymol_ligands("structure");
        let pymol = format!(
            "{what}{PYMOL_ENTER}{load}\nhide everything\nshow cartoon, structure\n{pymol}\
             color grey80, structure and b < -998\n{ligands}"
        );
        let chimerax = format!(
            "{what}open {open}\nhide atoms\nshow cartoons\n{chimerax}color @@bfactor<-998 lightgrey\n{CHIMERAX_LIGANDS}view\n"
        );
        [pymol, chimerax]
    }
}

/// The classes of the AlphaFold database: above 90, 70 and 50, and the rest.
const PLDDT_IN_PYMOL: &str = "\
set_color plddt_very_low, [255, 125, 69]
set_color plddt_low, [255, 219, 19]
set_color plddt_high, [101, 203, 243]
set_color plddt_very_high, [0, 83, 214]
color plddt_very_low, structure
color plddt_low, structure and b > 50
color plddt_high, structure and b > 70
color plddt_very_high, structure and b > 90
";
const PLDDT_IN_CHIMERAX: &str = "color bfactor #1 palette alphafold\n";

/// Cividis from the lowest to the highest value.
fn by_range(values: &[f32], factor: f32) -> [String; 2] {
    let values = values.iter().filter(|value| value.is_finite()).map(|value| factor * value);
    let (low, high) =
        values.fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
    let (low, high) = if low < high { (low, high) } else { (0.0, 1.0) };
    let pymol = format!(
        "set_color prism_low, [0, 34, 78]\nset_color prism_middle, [112, 113, 115]\nset_color prism_high, [254, 232, 56]\n\
         spectrum b, prism_low prism_middle prism_high, structure, {low:.2}, {high:.2}\n"
    );
    let chimerax = format!("color bfactor #1 palette #00224e:#707173:#fee838 range {low:.2},{high:.2}\n");
    [pymol, chimerax]
}

/// The place of a structure's file in the folder.
fn place(name: &str, extensions: [&str; 2]) -> PathBuf {
    let mut place: PathBuf = Path::new(name).components().filter(|part| matches!(part, Component::Normal(_))).collect();
    if !extensions.iter().any(|own| place.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(own))) {
        place = beside(&place, extensions[0]);
    }
    place
}

fn beside(place: &Path, extension: &str) -> PathBuf {
    let mut beside = place.to_owned();
    beside.as_mut_os_string().push(format!(".{extension}"));
    beside
}

fn not_made(folder: &Path, source: std::io::Error) -> OutputError {
    OutputError::Io { path: folder.display().to_string(), action: "be made", source }
}

/// What a B column shows.
pub(super) struct Shown<'a> {
    /// The column's name.
    pub(super) name: &'a str,
    pub(super) unit: &'a str,
    /// The factor of its values.
    pub(super) factor: f32,
    /// What stands for a missing value.
    pub(super) none: f32,
}

impl std::fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)?;
        match (self.factor, self.unit) {
            (1.0, "") => {}
            (1.0, unit) => write!(f, " in {unit}")?,
            _ => f.write_str(", in hundredths")?,
        }
        write!(f, "; {} for no value", self.none)
    }
}

/// The text of a structure's file with each residue's value in the B column of its atoms.
pub(super) fn with_values(
    part: &StructureRows<'_>,
    values: &[f32],
    shown: &Shown<'_>,
    input: &Path,
) -> Result<Vec<u8>, OutputError> {
    let Shown { factor, none, .. } = *shown;
    let name = input.display().to_string();
    let unread = |problem: String| OutputError::ViewInput { path: name.clone(), problem };
    let bytes = contents(input).map_err(|problem| unread(problem.to_string()))?;
    let structure = part.structure;
    let rows = values.iter().enumerate().map(|(row, value)| {
        let named = NamedResidue {
            chain: part.chain(row),
            number: structure.residue_numbers[row],
            insertion_code: &structure.insertion_codes[row],
            name: part.resname(row),
        };
        (named, if value.is_finite() { factor * value } else { none })
    });
    let rows = Rows::new(rows.collect(), none);
    let chains = RefCell::new(HashSet::new());
    let write = |value: &dyn Fn(NamedResidue<'_>) -> f32| {
        with_b_column(&bytes, &name, &shown.to_string(), value).map_err(|error| unread(error.problem.to_string()))
    };
    let text = write(&|residue| {
        if !chains.borrow().contains(residue.chain) {
            chains.borrow_mut().insert(residue.chain.to_owned());
        }
        rows.by_name(residue)
    })?;
    let chains = chains.into_inner();
    if structure.chains.iter().all(|chain| chain.is_empty() || chains.contains(chain)) {
        return Ok(text);
    }
    // Molecules that the reader told apart have no chain of their own in the file.
    let in_order = RefCell::new(InOrder { rows: &rows, chains, used: vec![false; rows.all.len()], current: None });
    let text = write(&|residue| in_order.borrow_mut().value(residue))?;
    in_order.into_inner().lost().map_or(Ok(text), |chain| {
        Err(unread(format!(
            "residues of {chain} are not found in the file again: give each of its molecules a chain id"
        )))
    })
}

/// The values of rows, by what residues are called.
struct Rows<'a> {
    all: Vec<(NamedResidue<'a>, f32)>,
    /// The rows of each number, insertion code and name.
    of: HashMap<(i32, &'a str, &'a str), Vec<usize>>,
    none: f32,
}

impl<'a> Rows<'a> {
    fn new(all: Vec<(NamedResidue<'a>, f32)>, none: f32) -> Self {
        let mut of: HashMap<_, Vec<usize>> = HashMap::new();
        for (row, (named, _)) in all.iter().enumerate() {
            of.entry((named.number, named.insertion_code, named.name)).or_default().push(row);
        }
        Self { all, of, none }
    }

    /// The rows that may be those of a residue, whatever its chain is.
    fn of<'s>(&'s self, residue: NamedResidue<'s>) -> &'s [usize] {
        self.of.get(&(residue.number, residue.insertion_code, residue.name)).map_or(&[], Vec::as_slice)
    }

    fn by_name(&self, residue: NamedResidue<'_>) -> f32 {
        let row = self.of(residue).iter().rfind(|row| self.all[**row].0.chain == residue.chain);
        row.map_or(self.none, |&row| self.all[row].1)
    }
}

/// Finds the rows of residues whose chains the file does not call as the table does: in the order of the file, which is that of rows.
struct InOrder<'a> {
    rows: &'a Rows<'a>,
    /// The chains of the file.
    chains: HashSet<String>,
    used: Vec<bool>,
    /// The residue of the record before, and its row.
    current: Option<([String; 3], i32, Option<usize>)>,
}

impl InOrder<'_> {
    fn value(&mut self, residue: NamedResidue<'_>) -> f32 {
        let NamedResidue { chain, number, insertion_code, name } = residue;
        let is_same = |(texts, own, _): &&([String; 3], i32, Option<usize>)| {
            *own == number && texts.iter().zip([chain, insertion_code, name]).all(|(own, text)| own == text)
        };
        let row = match self.current.as_ref().filter(is_same) {
            Some((_, _, row)) => *row,
            None => {
                let row = self.next(residue);
                self.current = Some(([chain, insertion_code, name].map(str::to_owned), number, row));
                row
            }
        };
        row.map_or(self.rows.none, |row| self.rows.all[row].1)
    }

    /// The next row that may be a residue's: of a chain with its id, of a molecule with that id, of one with another name. Where there is none,
    /// the residue goes on.
    fn next(&mut self, residue: NamedResidue<'_>) -> Option<usize> {
        let chain = |row: usize| self.rows.all[row].0.chain;
        let may_be: [&dyn Fn(usize) -> bool; 3] = [
            &|row| chain(row) == residue.chain,
            &|row| chain(row) != residue.chain && author_chain(chain(row)) == residue.chain,
            &|row| !self.chains.contains(author_chain(chain(row))),
        ];
        let all = self.rows;
        let rows = all.of(residue);
        let unused = may_be.iter().find_map(|is_it| rows.iter().find(|row| !self.used[**row] && is_it(**row)));
        let found = unused.or_else(|| rows.iter().rfind(|row| may_be.iter().any(|is_it| is_it(**row)))).copied();
        if let Some(row) = found {
            self.used[row] = true;
        }
        found
    }

    /// The chain of a row that was not found.
    fn lost(&self) -> Option<&str> {
        self.used.iter().position(|used| !used).map(|row| self.rows.all[row].0.chain)
    }
}
