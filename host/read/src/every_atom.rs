//! Every atom of a file's first model as its records give it: of proteins, nucleic acids and ligands alike, without the rules of
//! [`Selection`](super::select::Selection) for rows. Predictors number their tokens by these atoms.

use super::b_column;
use super::cif::{
    AUTHOR_NUMBER, CATEGORY, Entities, FARTHEST, LABEL_NUMBER, Lexer, NonPolymer, TOO_FAR, Table, unquote,
};
use super::components::is_unused;
use super::compressed::plain;
use super::error::{Fault, Problem, ReadError, bad_field};
use super::facts::{Facts, METRIC};
use super::format::{Format, format_of, normal, normal_text};
use super::ions::{element_in_name, names_are_left_aligned};
use super::lines::lines;
use super::number::{cif_number, integer, pdb_atom_number, short_decimal};
use super::pdb::{self, AtomLine, Records};
use super::polymers::end_of_block;
use super::word::{pack, text_of};
use memchr::memmem;

/// An atom's record. Texts are empty where the file has none.
pub struct AtomRecord<'a> {
    /// The author's chain id.
    pub chain: &'a [u8],
    /// The author's residue number.
    pub number: i32,
    /// The insertion code.
    pub icode: &'a [u8],
    /// The residue's name.
    pub residue: &'a [u8],
    /// The atom's name.
    pub name: &'a [u8],
    /// The element's symbol as it is written.
    pub element: &'a [u8],
    /// The alternate location.
    pub alternate: &'a [u8],
    /// In Å.
    pub position: [f64; 3],
    /// The B column; NaN if there is none, or the file says that it holds neither B factors nor confidences.
    pub b: f64,
    /// Its occupancy; 1 if there is none.
    pub occupancy: f64,
    /// Whether the record is a `HETATM`.
    pub is_hetatm: bool,
    /// The number of the atom in a PDB file, to which `CONECT` refers.
    pub serial: Option<i32>,
    /// Its number as it is written: columns 7 to 11 of PDB, with column 6 if that has a digit; or `_atom_site.id`.
    pub id: &'a [u8],
    /// Its chain and number in mmCIF's own numbering, if it is of a polymer.
    pub label: Option<(&'a [u8], i32)>,
    /// Whether the file calls its entity water, whatever the names are.
    pub is_water: bool,
}

impl AtomRecord<'_> {
    /// The number that [`id`](Self::id) is: a decimal, or hybrid-36 in five columns of PDB (`A0000` is 100000).
    #[must_use]
    pub fn id_number(&self) -> Option<i32> {
        pdb_atom_number(self.id)
    }
}

/// Calls `take` with each atom of the first model of a PDB or mmCIF file, plain or compressed. `name` is the file's name in errors.
/// Returns whether there are further models or data blocks with atoms, which are not read.
///
/// # Errors
/// If the file has another format or no atoms, if a record is damaged, or if `take` refuses one.
pub fn each_atom(
    bytes: &[u8],
    name: &str,
    take: &mut dyn FnMut(AtomRecord<'_>) -> Result<(), Problem>,
) -> Result<bool, ReadError> {
    each_atom_or_all_but(bytes, name, DamagedWater::Refused, take).map(|not_taken| not_taken.has_more)
}

/// The same, but for damaged records of water and of points that are no atoms, which are left out. Returns their number.
///
/// # Errors
/// As [`each_atom`] for all other records.
pub fn each_atom_but_damaged_water(
    bytes: &[u8],
    name: &str,
    take: &mut dyn FnMut(AtomRecord<'_>) -> Result<(), Problem>,
) -> Result<usize, ReadError> {
    each_atom_or_all_but(bytes, name, DamagedWater::LeftOut, take).map(|not_taken| not_taken.left_out)
}

fn each_atom_or_all_but(
    bytes: &[u8],
    name: &str,
    damaged: DamagedWater,
    take: &mut dyn FnMut(AtomRecord<'_>) -> Result<(), Problem>,
) -> Result<NotTaken, ReadError> {
    let refused = |problem| ReadError { name: name.to_owned(), line: None, problem };
    let text = plain(bytes).map_err(refused)?;
    let (text, format) = normal_text(&text, name).map_err(refused)?;
    let what = "only PDB, mmCIF and BinaryCIF files are taken here; give the .cif or .pdb file of the entry, or the one that the predictor wrote";
    each_atom_of(&text, format, what, damaged, take).map_err(|fault| fault.into_error(name, &text))
}

/// What happens to damaged records of water and of points that are no atoms.
#[derive(Clone, Copy, Default, PartialEq)]
pub(super) enum DamagedWater {
    #[default]
    Refused,
    LeftOut,
}

/// What was not taken.
pub(super) struct NotTaken {
    /// Whether there are further models or data blocks, which are not read.
    pub(super) has_more: bool,
    /// Number of damaged records that were left out.
    pub(super) left_out: usize,
}

/// The same for a text of a known format. `otherwise` says what to do about formats without such records.
pub(super) fn each_atom_of(
    text: &[u8],
    format: Format,
    otherwise: &'static str,
    damaged: DamagedWater,
    take: &mut dyn FnMut(AtomRecord<'_>) -> Result<(), Problem>,
) -> Result<NotTaken, Fault> {
    match format {
        Format::Empty => Err(Fault::whole(Problem::Empty)),
        Format::Foreign(what) => Err(Fault::whole(Problem::OtherFormat(what))),
        Format::Pdb => in_pdb(text, damaged, take),
        Format::Cif => in_cif(text, damaged, take),
        Format::BinaryCif | Format::Pqr | Format::PqrColumns | Format::FoldComp => {
            Err(Fault::whole(Problem::OtherFormat(otherwise)))
        }
    }
}

/// What takes the items of a row, and says whether to go on.
type TakeRow<'t, const N: usize> = dyn FnMut([&[u8]; N]) -> Result<bool, Problem> + 't;

/// Calls `take` with the items of each row of an mmCIF file's first table of a category, whose name ends with a dot. Values that are
/// not given, and those of items that the table lacks, are empty; `take` returns whether to go on. Returns whether there is such a
/// table. A text that is no mmCIF has none.
pub fn each_row<const N: usize>(
    bytes: &[u8],
    name: &str,
    category: &[u8],
    items: [&[u8]; N],
    take: &mut TakeRow<'_, N>,
) -> Result<bool, ReadError> {
    let text = plain(bytes).map_err(|problem| ReadError { name: name.to_owned(), line: None, problem })?;
    let text = normal(&text);
    if format_of(&text) != Format::Cif || memmem::find(&text, category).is_none() {
        return Ok(false);
    }
    rows(&text, category, items, take).map_err(|fault| fault.into_error(name, &text))
}

/// As [`each_row`], of a text that is mmCIF.
pub(super) fn rows<'a, const N: usize>(
    text: &'a [u8],
    category: &[u8],
    items: [&[u8]; N],
    take: &mut dyn FnMut([&'a [u8]; N]) -> Result<bool, Problem>,
) -> Result<bool, Fault> {
    let mut lexer = Lexer::new(text);
    let of_items = |tags: &[&[u8]]| {
        let is_it =
            |tag: &&[u8], item: &[u8]| tag.get(category.len()..).is_some_and(|own| own.eq_ignore_ascii_case(item));
        items.map(|item| tags.iter().position(|tag| is_it(tag, item)).unwrap_or(tags.len()))
    };
    let mut take = |columns: &[usize; N], edges: &[usize]| {
        // Not `map`, which compilers leave as calls.
        let mut values = [&b""[..]; N];
        let (ends, _) = edges.as_chunks::<2>();
        for (to, &column) in values.iter_mut().zip(columns) {
            let [begin, end] = ends[column];
            let raw = &text[begin..end];
            *to = match raw {
                [b'?' | b'.'] => &b""[..],
                // Most are as they stand.
                [b'\'' | b'"' | b';', ..] => unquote(raw),
                _ => raw,
            };
        }
        take(values).map_err(|problem| Fault::at(edges[0], problem))
    };
    let Some(table) = Table::next(&mut lexer, category)? else { return Ok(false) };
    let columns = of_items(&table.tags);
    table.each_row(&mut lexer, |edges| take(&columns, edges))?;
    Ok(true)
}

/// The items of `_atom_site` that are read.
pub(super) const ATOM_ITEMS: [&str; 20] = [
    "auth_asym_id",
    "label_asym_id",
    "auth_seq_id",
    "label_seq_id",
    "pdbx_PDB_ins_code",
    "label_comp_id",
    "auth_comp_id",
    "label_atom_id",
    "auth_atom_id",
    "type_symbol",
    "label_alt_id",
    "Cartn_x",
    "Cartn_y",
    "Cartn_z",
    "B_iso_or_equiv",
    "pdbx_PDB_model_num",
    "occupancy",
    "group_PDB",
    "id",
    "label_entity_id",
];

/// Takes the rows of `_atom_site` that belong to the first model.
#[derive(Default)]
pub(super) struct AtomRows {
    model: Option<Vec<u8>>,
    pub(super) atoms: usize,
    /// Whether there are further models.
    pub(super) has_more: bool,
    /// Whether the B column holds neither B factors nor confidences.
    holds_others: bool,
    pub(super) damaged: DamagedWater,
    /// What the file says about its entities.
    pub(super) entities: Entities,
    /// Number of damaged records that were left out.
    left_out: usize,
}

impl AtomRows {
    /// Takes a row of [`ATOM_ITEMS`]. Returns whether to go on.
    pub(super) fn row(
        &mut self,
        row: [&[u8]; 20],
        take: &mut dyn FnMut(AtomRecord<'_>) -> Result<(), Problem>,
    ) -> Result<bool, Problem> {
        let [
            auth_chain,
            asym,
            auth_number,
            seq,
            icode,
            residue,
            auth_residue,
            name,
            auth_name,
            element,
            alternate,
            x,
            y,
            z,
            b,
            of,
            occupancy,
            group,
            id,
            entity,
        ] = row;
        let is_water = self.entities.other(entity) == Some(NonPolymer::Water);
        match &self.model {
            None => self.model = Some(of.to_vec()),
            Some(first) if first != of => {
                // Rows of models may take turns.
                self.has_more = true;
                return Ok(true);
            }
            Some(_) => {}
        }
        let one_of = |a, b| if a == b"" { b } else { a };
        let shown = one_of(auth_number, seq);
        let field = match (auth_number, seq) {
            (b"", b"") => "_atom_site.auth_seq_id or label_seq_id",
            (b"", _) => LABEL_NUMBER,
            _ => AUTHOR_NUMBER,
        };
        let residue_number =
            integer(shown).ok_or_else(|| bad_field(field, shown, "is not a residue number (a decimal integer)"))?;
        self.atoms += 1;
        let position = match position([x, y, z]) {
            Err(_)
                if self.damaged == DamagedWater::LeftOut
                    && (is_water || is_unused(pack(one_of(residue, auth_residue)))) =>
            {
                self.left_out += 1;
                return Ok(true);
            }
            position => position?,
        };
        take(AtomRecord {
            chain: one_of(auth_chain, asym),
            number: residue_number,
            icode,
            residue: one_of(residue, auth_residue),
            name: one_of(name, auth_name).trim_ascii(),
            element,
            alternate,
            position,
            b: number(b).filter(|_| !self.holds_others).unwrap_or(f64::NAN),
            occupancy: if occupancy == b"1.00" { 1.0 } else { number(occupancy).unwrap_or(1.0) },
            is_hetatm: group == b"HETATM",
            serial: None,
            id,
            label: integer(seq).map(|seq| (asym, seq)),
            is_water,
        })?;
        Ok(true)
    }

    /// What was not taken.
    pub(super) fn end(self) -> Result<NotTaken, Fault> {
        match self.atoms {
            0 => Err(Fault::whole(Problem::NoAtoms("no data block has an _atom_site table with rows"))),
            _ => Ok(NotTaken { has_more: self.has_more, left_out: self.left_out }),
        }
    }
}

fn in_cif(
    text: &[u8],
    damaged: DamagedWater,
    take: &mut dyn FnMut(AtomRecord<'_>) -> Result<(), Problem>,
) -> Result<NotTaken, Fault> {
    let holds_others = facts(text)?.others().is_some();
    let mut entities = Entities::default();
    if memmem::find(text, b"_entity.type").is_some() {
        rows(text, b"_entity.", [b"id", b"type"], &mut |[id, kind]| {
            entities.push(id, kind);
            Ok(true)
        })?;
    }
    let mut all = AtomRows { holds_others, damaged, entities, ..AtomRows::default() };
    rows(text, CATEGORY, ATOM_ITEMS.map(str::as_bytes), &mut |row| all.row(row, take))?;
    all.has_more |= has_atoms_in_further_blocks(text);
    all.end()
}

/// Whether data blocks follow the first one with atoms, and have atoms, too.
fn has_atoms_in_further_blocks(text: &[u8]) -> bool {
    let after = |begin: usize, word: &[u8]| memmem::find(&text[begin..], word).map(|at| begin + at);
    let block = after(0, CATEGORY).and_then(|first| after(first, b"\ndata_"));
    if block.is_none_or(|block| after(block, CATEGORY).is_none()) {
        return false;
    }
    // They may be words of a text. What is damaged behind the atoms that are read is no fault of theirs.
    let look = || -> Result<bool, Fault> {
        let mut lexer = Lexer::new(text);
        Table::next(&mut lexer, CATEGORY)?;
        let mut further = Lexer { text, at: end_of_block(lexer)? };
        Ok(Table::next(&mut further, CATEGORY)?.is_some())
    };
    look().unwrap_or(true)
}

/// The category of [`METRIC`].
const CATEGORY_OF_METRICS: &[u8] = b"_ma_qa_metric.";

/// What an mmCIF file says about its B column.
fn facts(text: &[u8]) -> Result<Facts, Fault> {
    let mut facts = Facts { b_column: b_column::of_cif(text).map(text_of), ..Facts::default() };
    if memmem::find(text, CATEGORY_OF_METRICS).is_some() {
        rows(text, CATEGORY_OF_METRICS, METRIC.map(|item| &item[CATEGORY_OF_METRICS.len()..]), &mut |row| {
            METRIC.iter().zip(row).for_each(|(tag, value)| facts.item(tag, value));
            Ok(true)
        })?;
        rows(text, b"_exptl.", [b"method"], &mut |[method]| {
            facts.item(b"_exptl.method", method);
            Ok(true)
        })?;
    }
    Ok(facts)
}

/// The coordinates of a row of mmCIF.
fn position([x, y, z]: [&[u8]; 3]) -> Result<[f64; 3], Problem> {
    Ok([
        coordinate("_atom_site.Cartn_x", x)?,
        coordinate("_atom_site.Cartn_y", y)?,
        coordinate("_atom_site.Cartn_z", z)?,
    ])
}

/// A coordinate of mmCIF.
pub(super) fn coordinate(field: &'static str, text: &[u8]) -> Result<f64, Problem> {
    match number(text) {
        Some(value) if value.abs() <= FARTHEST => Ok(value),
        Some(value) if !value.is_nan() => Err(bad_field(field, text, TOO_FAR)),
        _ => Err(bad_field(field, text, "is not a number")),
    }
}

/// A number; most are short decimals.
#[inline]
fn number(text: &[u8]) -> Option<f64> {
    short_decimal(text).or_else(|| cif_number(text))
}

fn in_pdb(
    text: &[u8],
    damaged: DamagedWater,
    take: &mut dyn FnMut(AtomRecord<'_>) -> Result<(), Problem>,
) -> Result<NotTaken, Fault> {
    let mut records = Records::of_first_model(text);
    let facts = Facts { b_column: pdb::held(text), ..Facts::default() };
    let (mut atoms, mut left_aligned, holds_others) = (0_usize, None, facts.others().is_some());
    let mut not_taken = NotTaken { has_more: false, left_out: 0 };
    for (at, line) in lines(text) {
        let found = records.line(at, line).map_err(|problem| Fault::at(at, problem))?;
        if records.model() > 1 {
            not_taken.has_more = true;
            break;
        }
        for atom in found.iter().flatten() {
            atoms += 1;
            let left_aligned = || *left_aligned.get_or_insert_with(|| names_are_left_aligned(text));
            let taken = match record(atom, left_aligned, holds_others) {
                Err(_) if damaged == DamagedWater::LeftOut && atom.is_unused() => {
                    not_taken.left_out += 1;
                    Ok(())
                }
                record => record.and_then(&mut *take),
            };
            taken.map_err(|problem| Fault::at(at, problem))?;
        }
    }
    match atoms {
        0 => Err(Fault::whole(Problem::NoAtoms("no line is an ATOM or HETATM record"))),
        _ => Ok(not_taken),
    }
}

fn record<'a>(
    atom: &AtomLine<'a>,
    left_aligned: impl FnOnce() -> bool,
    holds_others: bool,
) -> Result<AtomRecord<'a>, Problem> {
    let columns = atom.columns;
    let residue = atom.residue();
    let in_name = || {
        let columns = columns[12..16].first_chunk()?;
        element_in_name(pack(residue), *columns).filter(|_| !left_aligned())
    };
    let element = match atom.element() {
        b"" if in_name().is_some() => &columns[12..14],
        element => element,
    };
    let serial = columns[6..11].trim_ascii();
    Ok(AtomRecord {
        chain: atom.place.id.chain,
        number: atom.number()?,
        icode: atom.place.id.icode,
        residue,
        name: atom.name()?,
        element,
        alternate: columns[16..17].trim_ascii(),
        position: atom.position()?,
        b: atom.b().filter(|_| !holds_others).unwrap_or(f64::NAN),
        occupancy: atom.occupancy().unwrap_or(1.0),
        is_hetatm: atom.hetatm,
        serial: integer(serial),
        id: match columns[5] {
            // Some programs write six digits.
            b'0'..=b'9' if !atom.hetatm => columns[5..11].trim_ascii(),
            _ => serial,
        },
        label: None,
        is_water: false,
    })
}
