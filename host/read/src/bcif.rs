//! BinaryCIF: the categories of mmCIF as columns of numbers and texts in MessagePack.
//!
//! Numbers are never converted to text. A coordinate stored as 12345 with factor 1000 becomes the f64 nearest to 12.345,
//! which is also the value of the text.

mod columns;
mod msgpack;
mod text;

use super::atoms::element;
use super::cif::{AUTHOR_NUMBER, Block, Entities, LABEL_NUMBER, Labels, NonPolymer};
use super::draft::Draft;
use super::error::{Fault, Problem};
use super::facts::Facts;
use super::gzip::limit;
use super::options::{Models, ReadOptions, Residues};
use super::select::{Record, ResidueId, Selection, Syntax};
use super::tables::{CATEGORIES, Cell, Tables};
use super::word::pack;
use columns::{Column, Texts, too_many};
use msgpack::{Value, damaged};
use std::collections::HashMap;
pub(super) use text::as_cif;

/// Numbers are passed as their bytes.
const SYNTAX: Syntax = Syntax {
    number_field: AUTHOR_NUMBER,
    residue_number: |bytes| bytes.first_chunk().map(|bytes| i32::from_le_bytes(*bytes)),
    b_factor: float,
    occupancy: float,
};

fn float(bytes: &[u8]) -> Option<f64> {
    bytes.first_chunk().map(|bytes| f64::from_le_bytes(*bytes)).filter(|value| !value.is_nan())
}

/// Memory limit for all columns, in bytes per value.
const VALUE_BYTES: usize = 64;
/// Largest coordinate in Å; no molecule is this far from its origin.
const FARTHEST: f64 = 1e6;

/// Reads every block with atoms. Returns at least one result.
pub fn read(bytes: &[u8], options: &ReadOptions) -> Result<Vec<Block>, Fault> {
    let file = msgpack::read(bytes).map_err(Fault::whole)?;
    let mut left = Left::of(bytes);
    let mut blocks = Vec::new();
    for block in file.get("dataBlocks").items() {
        blocks.extend(read_block(block, options, &mut left).map_err(Fault::whole)?);
    }
    if blocks.is_empty() {
        return Err(Fault::whole(Problem::NoAtoms("no data block has an _atom_site table with rows")));
    }
    Ok(blocks)
}

/// Limits on what may still be read, because a file may claim any size.
struct Left {
    /// Most values that any encoding of a column may have.
    limit: usize,
    /// Rows of all categories together.
    rows: usize,
}

impl Left {
    /// Those of a file of so many bytes.
    fn of(bytes: &[u8]) -> Self {
        let values = limit(bytes.len()) / VALUE_BYTES;
        Self { limit: values, rows: values }
    }

    /// Takes so many rows from those that are left.
    fn take(&mut self, rows: Option<usize>) -> Result<(), Problem> {
        let left = rows.and_then(|rows| self.rows.checked_sub(rows));
        self.rows = left.ok_or_else(|| too_many(self.limit))?;
        Ok(())
    }
}

/// The number of a category's rows.
fn rows_of(category: &Value<'_>) -> Result<usize, Problem> {
    let rows = category.get("rowCount").int().and_then(|rows| usize::try_from(rows).ok());
    rows.ok_or_else(|| damaged("a category has no rowCount"))
}

/// The columns of a category by name.
struct Category<'v, 'a> {
    value: &'v Value<'a>,
    rows: usize,
    /// Most values that any encoding of a column may have.
    limit: usize,
}

impl<'v, 'a> Category<'v, 'a> {
    /// Finds a category of a block by its name with the final dot. Refuses more rows than `left` allows.
    fn find(block: &'v Value<'a>, name: &str, left: &mut Left) -> Result<Option<Self>, Problem> {
        let name = name.strip_suffix('.').unwrap_or(name);
        let is_named = |value: &&Value<'a>| value.get("name").text().is_some_and(|own| own.eq_ignore_ascii_case(name));
        let mut all = block.get("categories").items().iter().filter(is_named);
        let Some(value) = all.next() else { return Ok(None) };
        if all.next().is_some() {
            return Err(Problem::Syntax(format!("the data block has a second {name} table")));
        }
        let rows = rows_of(value)?;
        left.take(Some(rows))?;
        Ok(Some(Self { value, rows, limit: left.limit }))
    }

    fn column(&self, name: &str) -> Result<Option<Column<'a>>, Problem> {
        let mut columns = self.value.get("columns").items().iter();
        let column = columns.find(|column| column.get("name").text().is_some_and(|own| own.eq_ignore_ascii_case(name)));
        column.map(|column| Column::read(column, self.rows, self.limit)).transpose()
    }

    fn texts(&self, name: &str) -> Result<Texts<'a>, Problem> {
        Ok(self.column(name)?.map_or_else(|| Texts::none(self.rows), Column::into_texts))
    }

    fn ints(&self, name: &str) -> Result<Vec<Option<i32>>, Problem> {
        Ok(self.column(name)?.map_or_else(|| vec![None; self.rows], Column::into_ints))
    }

    fn floats(&self, name: &'static str) -> Result<Vec<f64>, Problem> {
        self.column(name)?.map(Column::into_floats).ok_or(Problem::MissingItem(name))
    }
}

/// What takes a category's index and the items of a row, and says whether to go on.
type TakeRow<'t> = dyn FnMut(usize, &[&[u8]]) -> Result<bool, Problem> + 't;

/// Calls `take` with the items of each row of the first table of each category, as texts, until it returns false. What is not given is
/// empty. `take` gets the category's index, too. Returns how many blocks have the first category.
pub fn each_row(bytes: &[u8], categories: &[(&str, &[&str])], take: &mut TakeRow<'_>) -> Result<usize, Problem> {
    let file = msgpack::read(bytes)?;
    let mut left = Left::of(bytes);
    let mut blocks = 0;
    for block in file.get("dataBlocks").items() {
        for (index, (name, items)) in categories.iter().enumerate() {
            let Some(found) = Category::find(block, name, &mut left)?.filter(|found| found.rows > 0) else {
                if index == 0 {
                    break;
                } else {
                    continue;
                };
            };
            blocks += usize::from(index == 0);
            if blocks > 1 {
                break;
            }
            let columns: Vec<Texts<'_>> = items.iter().map(|item| found.texts(item)).collect::<Result<_, _>>()?;
            for row in 0..found.rows {
                let values: Vec<&[u8]> = columns.iter().map(|column| column.get(row)).collect();
                if !take(index, &values)? {
                    break;
                }
            }
        }
    }
    Ok(blocks)
}

/// The name of the first data block with atoms; empty if there is none.
pub fn name_of_block(bytes: &[u8]) -> Result<String, Problem> {
    let file = msgpack::read(bytes)?;
    let mut left = Left::of(bytes);
    for block in file.get("dataBlocks").items() {
        if Category::find(block, "_atom_site.", &mut left)?.is_some_and(|atoms| atoms.rows > 0) {
            return Ok(block.get("header").text().unwrap_or_default().to_owned());
        }
    }
    Ok(String::new())
}

fn read_block(block: &Value<'_>, options: &ReadOptions, left: &mut Left) -> Result<Option<Block>, Problem> {
    let name = block.get("header").text().unwrap_or_default().to_owned();
    let Some(atoms) = Category::find(block, "_atom_site.", left)?.filter(|atoms| atoms.rows > 0) else {
        return Ok(None);
    };
    let mut facts = Facts::default();
    for category in
        ["_exptl.", "_refine.", "_em_3d_reconstruction.", "_ma_qa_metric.", "_pdbx_struct_assembly_gen.", "_struct."]
    {
        /// Real files have some ten tables, with up to a hundred columns.
        const MOST: usize = 1 << 12;
        const COLUMNS: usize = 1 << 8;
        let Some(found) = Category::find(block, category, left)?.filter(|found| found.rows <= MOST) else {
            continue;
        };
        for column in found.value.get("columns").items().iter().take(COLUMNS) {
            let Some(item) = column.get("name").text() else { continue };
            let texts = Column::read(column, found.rows, found.limit)?.into_texts();
            let tag = format!("{category}{item}");
            (0..found.rows).for_each(|row| facts.item(tag.as_bytes(), texts.get(row)));
        }
    }
    if Tables::are_any_needed(options) {
        let mut tables = Tables::default();
        for index in (0..CATEGORIES.len()).filter(|&index| Tables::are_needed(index, options)) {
            keep(block, index, &mut tables, left)?;
        }
        facts.take_tables(&tables, options);
    }
    let entities = entities(block, left)?;
    facts.names_entities = entities.are_known;
    let (models, met) = match Atoms::read(&atoms) {
        Ok(atoms) => atoms.models(options, &entities),
        Err(problem) => (Err(problem), 1),
    };
    Ok(Some(Block { name, models: models.map_err(Fault::whole), facts, met }))
}

/// The types of the block's entities.
fn entities(block: &Value<'_>, left: &mut Left) -> Result<Entities, Problem> {
    let mut entities = Entities::default();
    if let Some(found) = Category::find(block, "_entity.", left)? {
        let (ids, kinds) = (found.texts("id")?, found.texts("type")?);
        (0..found.rows).for_each(|row| entities.push(ids.get(row), kinds.get(row)));
    }
    Ok(entities)
}

/// Stores a category's rows in `tables`.
fn keep(block: &Value<'_>, index: usize, tables: &mut Tables, left: &mut Left) -> Result<(), Problem> {
    let category = &CATEGORIES[index];
    let Some(found) = Category::find(block, category.name, left)? else { return Ok(()) };
    let mut rows = vec![Vec::with_capacity(category.items.len()); found.rows];
    for item in category.items {
        match found.column(item)? {
            Some(column) if column.is_text() => {
                let texts = column.into_texts();
                rows.iter_mut().enumerate().for_each(|(row, cells)| cells.push(Cell::of(texts.get(row))));
            }
            Some(column) => {
                let cell = |value: f64| if value.is_nan() { Cell::Nothing } else { Cell::Number(value) };
                rows.iter_mut().zip(column.into_floats()).for_each(|(cells, value)| cells.push(cell(value)));
            }
            None => rows.iter_mut().for_each(|cells| cells.push(Cell::Nothing)),
        }
    }
    rows.into_iter().for_each(|row| tables.push(index, row));
    Ok(())
}

/// What `group_PDB` says of a row.
#[derive(Clone, Copy)]
enum Grouped {
    Atom,
    Hetatm,
    Otherwise,
}

/// The columns of atoms that are used.
struct Atoms<'a> {
    rows: usize,
    /// None where nothing is given.
    group: Vec<Option<Grouped>>,
    has_group: bool,
    element: Texts<'a>,
    names: [Texts<'a>; 2],
    alternate: Texts<'a>,
    residue: [Texts<'a>; 2],
    chain: [Texts<'a>; 2],
    entity: Texts<'a>,
    number: Vec<Option<[u8; 4]>>,
    label_number: Vec<Option<i32>>,
    has_label: bool,
    number_field: &'static str,
    icode: Texts<'a>,
    position: [Vec<f64>; 3],
    occupancy: Vec<[u8; 8]>,
    b_factor: Vec<[u8; 8]>,
    model: Vec<Option<i32>>,
}

fn grouped(text: &[u8]) -> Option<Grouped> {
    match text {
        b"ATOM" => Some(Grouped::Atom),
        b"HETATM" => Some(Grouped::Hetatm),
        b"" => None,
        _ => Some(Grouped::Otherwise),
    }
}

/// What rows have in common with those before them.
struct Before<'s> {
    /// The row before, and its model and residue.
    row: Option<usize>,
    residue_id: Option<(usize, ResidueId<'s>)>,
    label_number: Option<i32>,
    /// Whether its chain is selected.
    wanted: bool,
    /// What its entity is if it is no polymer.
    other: Option<NonPolymer>,
    labels: Labels,
}

impl<'a> Atoms<'a> {
    fn read(all: &Category<'_, 'a>) -> Result<Self, Problem> {
        let bytes = |name: &str| -> Result<Vec<[u8; 8]>, Problem> {
            let values = all.column(name)?.map(Column::into_floats);
            Ok(values.unwrap_or_else(|| vec![f64::NAN; all.rows]).into_iter().map(f64::to_le_bytes).collect())
        };
        let either = |one: &str, other: &str, shown: &'static str| -> Result<[Texts<'a>; 2], Problem> {
            let columns = [all.column(one)?, all.column(other)?];
            if columns.iter().all(Option::is_none) {
                return Err(Problem::MissingItem(shown));
            }
            Ok(columns.map(|column| column.map_or_else(|| Texts::none(all.rows), Column::into_texts)))
        };
        let (group, label) = (all.column("group_PDB")?, all.column("label_seq_id")?);
        let (has_group, has_label) = (group.is_some(), label.is_some());
        let label_number = label.map_or_else(|| vec![None; all.rows], Column::into_ints);
        let number = all.ints("auth_seq_id")?;
        if !has_label && number.iter().all(Option::is_none) {
            return Err(Problem::MissingItem("auth_seq_id (or label_seq_id)"));
        }
        let has_number = number.iter().any(Option::is_some);
        let number = number.iter().zip(&label_number).map(|(own, label)| own.or(*label).map(i32::to_le_bytes));
        Ok(Self {
            rows: all.rows,
            group: group.map_or_else(|| vec![None; all.rows], |group| group.into_texts().map(grouped)),
            has_group,
            element: all.texts("type_symbol")?,
            names: either("label_atom_id", "auth_atom_id", "label_atom_id (or auth_atom_id)")?,
            alternate: all.texts("label_alt_id")?,
            residue: either("label_comp_id", "auth_comp_id", "label_comp_id (or auth_comp_id)")?,
            chain: either("auth_asym_id", "label_asym_id", "auth_asym_id (or label_asym_id)")?,
            entity: all.texts("label_entity_id")?,
            number: number.collect(),
            label_number,
            number_field: if has_number { AUTHOR_NUMBER } else { LABEL_NUMBER },
            has_label,
            icode: all.texts("pdbx_PDB_ins_code")?,
            position: [all.floats("Cartn_x")?, all.floats("Cartn_y")?, all.floats("Cartn_z")?],
            occupancy: bytes("occupancy")?,
            b_factor: bytes("B_iso_or_equiv")?,
            model: all.ints("pdbx_PDB_model_num")?,
        })
    }

    /// The requested models with their numbers, and the number of models in the block.
    fn models(&self, options: &ReadOptions, entities: &Entities) -> (Result<Vec<(i32, Draft)>, Problem>, usize) {
        let mut models: Vec<(i32, Selection<'_>)> = Vec::new();
        let mut index: HashMap<Option<i32>, Option<usize>> = HashMap::new();
        let mut state = Before {
            row: None,
            residue_id: None,
            label_number: None,
            wanted: true,
            other: None,
            labels: Labels::default(),
        };
        let (mut last, mut current) = (None, None);
        let mut numbers = Vec::new();
        for row in 0..self.rows {
            let model = self.model[row];
            // As in text, rows of another model between them split a residue.
            if last != Some(model) {
                (last, state.residue_id, state.label_number) = (Some(model), None, None);
                let ordinal = index.len() as i32 + 1;
                current = *index.entry(model).or_insert_with(|| {
                    let number = model.unwrap_or(ordinal);
                    numbers.push(number);
                    let is_read = match options.models {
                        Models::First => ordinal == 1,
                        Models::Number(wanted) => wanted == number,
                        Models::All | Models::Join => true,
                    };
                    let room = if ordinal == 1 { self.rows } else { 0 };
                    let syntax = Syntax { number_field: self.number_field, ..SYNTAX };
                    is_read.then(|| models.push((number, Selection::new(options, syntax, room))));
                    is_read.then_some(models.len().wrapping_sub(1))
                });
            }
            let Some(current) = current else { continue };
            let selection = &mut models[current].1;
            if let Err(problem) = self.row(row, current, selection, options, entities, &mut state) {
                let problem = Problem::Syntax(format!("row {} of _atom_site: {problem}", row + 1));
                return (Err(problem), index.len().max(1));
            }
        }
        let met = index.len();
        if let (Models::Number(number), true) = (options.models, models.is_empty()) {
            return (Err(Problem::NoModel { number, numbers }), met);
        }
        let drafts = models.into_iter().map(|(number, selection)| selection.into_draft().map(|draft| (number, draft)));
        (drafts.collect(), met)
    }

    /// Whether two rows have one residue, as far as that is seen without a look at their texts.
    fn is_one_residue(&self, row: usize, other: usize) -> bool {
        let [own, label] = &self.chain;
        self.number[row] == self.number[other]
            && own.is_one(row, other)
            && label.is_one(row, other)
            && self.icode.is_one(row, other)
    }

    fn row<'s>(
        &'s self,
        row: usize,
        model: usize,
        selection: &mut Selection<'s>,
        options: &ReadOptions,
        entities: &Entities,
        before: &mut Before<'s>,
    ) -> Result<(), Problem> {
        let hetatm = match self.group[row] {
            Some(Grouped::Atom) => false,
            Some(Grouped::Hetatm) => true,
            None => self.has_group && options.residues == Residues::Standard,
            Some(Grouped::Otherwise) => return Err(damaged("group_PDB is neither ATOM nor HETATM")),
        };
        let either = |texts: &'s [Texts<'a>; 2]| match texts[0].get(row) {
            b"" => texts[1].get(row),
            text => text,
        };
        let number = self.number[row].as_ref().ok_or_else(|| damaged("it has no residue number"))?;
        let residue_id = ResidueId { chain: either(&self.chain), number: &number[..], icode: self.icode.get(row) };
        let label = self.label_number[row];
        let label_before = std::mem::replace(&mut before.label_number, label);
        let row_before = before.row.replace(row);
        let is_same = match (before.residue_id, row_before) {
            (Some((of, id)), Some(last)) => of == model && (self.is_one_residue(row, last) || id == residue_id),
            _ => false,
        };
        if !is_same || label_before != label {
            before.residue_id = Some((model, residue_id));
            // Authors may give two residues one number.
            if is_same && label_before.is_some() && label.is_some() {
                selection.leave()?;
            }
            before.wanted = selection.enter(residue_id)?;
            let has_asym = label.is_some() || entities.are_known && !hetatm;
            selection.polymer(if has_asym { pack(self.chain[1].get(row)) } else { 0 });
            // As in mmCIF, an entity that is no polymer is a ligand in any record, unless it is bonded.
            before.other = entities.other(self.entity.get(row));
            selection.set_water(before.other == Some(NonPolymer::Water));
            selection.label(self.chain[1].get(row), self.label_number[row], self.entity.get(row));
        }
        if !before.wanted {
            return Ok(());
        }
        let residue = pack(either(&self.residue));
        let in_chain = match self.has_label {
            _ if before.other.is_some() => Some(false),
            true => {
                let has_entity = !self.entity.get(row).is_empty();
                let everything = || !entities.are_known && self.label_number.iter().all(Option::is_some);
                before.labels.in_chain(self.label_number[row].is_some(), has_entity, hetatm, everything)
            }
            false => None,
        };
        let position = [0, 1, 2].map(|axis| self.position[axis][row]);
        if !position.iter().all(|value| value.abs() <= FARTHEST) {
            if selection.is_ignored(residue, hetatm, in_chain) {
                selection.ignore(|| format!("row {} of _atom_site has no coordinates", row + 1));
                return Ok(());
            }
            return Err(damaged("a coordinate is not given, or out of range"));
        }
        if hetatm && options.residues == Residues::Standard && !selection.takes_cover() {
            return Ok(());
        }
        let name = either(&self.names).trim_ascii();
        if name.is_empty() || name.len() > 8 {
            return Err(damaged("its atom has no name of 1 to 8 characters"));
        }
        let symbol = self.element.get(row);
        let given = |bytes: &'s [u8; 8]| if f64::from_le_bytes(*bytes).is_nan() { &bytes[..0] } else { &bytes[..] };
        selection.atom(&Record {
            residue,
            name: pack(name),
            alternate: pack(self.alternate.get(row)),
            element: element(symbol),
            position,
            occupancy: given(&self.occupancy[row]),
            b_factor: given(&self.b_factor[row]),
            hetatm,
            in_chain,
        })?;
        Ok(())
    }
}
