//! The atoms of mmCIF: rows of the `_atom_site` category.

mod aligned;

use super::entities::Entities;
use super::labels::Labels;
use super::lexer::unquote;
use crate::atoms::element;
use crate::error::{Problem, bad_field};
use crate::fixed::fixed_8_3;
use crate::named_residue::NamedResidue;
use crate::number::{cif_number, integer, last_decimal};
use crate::options::{Models, ReadOptions, Residues};
use crate::select::{Record, ResidueId, Selection, Syntax, occupancy};
use crate::word::pack;
use aligned::AlignedAtoms;
use std::collections::{HashMap, HashSet};

/// The category name with its final dot.
pub(crate) const CATEGORY: &[u8] = b"_atom_site.";

/// Typical length of a row in files of the wwPDB, in bytes.
pub(super) const ATOM_LINE: usize = 85;

const SYNTAX: Syntax =
    Syntax { number_field: "_atom_site.auth_seq_id", residue_number: integer, b_factor: cif_number, occupancy };

/// Largest coordinate in Å: no molecule is this far from its origin, and squared distances stay far below the largest f32.
const FARTHEST: f64 = 1e6;

/// The items that are read, in the order of [`NAMES`].
#[derive(Clone, Copy)]
enum Item {
    Group,
    Element,
    Name,
    AuthName,
    Alternate,
    Residue,
    AuthResidue,
    Chain,
    LabelChain,
    Number,
    LabelNumber,
    Icode,
    X,
    Y,
    Z,
    BFactor,
    Occupancy,
    Model,
    Entity,
}

const NAMES: [&[u8]; 19] = [
    b"group_PDB",
    b"type_symbol",
    b"label_atom_id",
    b"auth_atom_id",
    b"label_alt_id",
    b"label_comp_id",
    b"auth_comp_id",
    b"auth_asym_id",
    b"label_asym_id",
    b"auth_seq_id",
    b"label_seq_id",
    b"pdbx_PDB_ins_code",
    b"Cartn_x",
    b"Cartn_y",
    b"Cartn_z",
    b"B_iso_or_equiv",
    b"occupancy",
    b"pdbx_PDB_model_num",
    b"label_entity_id",
];

/// The columns of the items.
pub(super) struct Columns {
    /// The column of each item. Items that the table lacks have the number of columns, which addresses an empty value.
    column: [usize; NAMES.len()],
    has_group: bool,
    /// Number of columns.
    count: usize,
    /// The column of the row's serial number, which is otherwise unused.
    id: Option<usize>,
}

impl Columns {
    /// Finds the items among a table's tags.
    pub(super) fn find(tags: &[&[u8]]) -> Result<Self, Problem> {
        let find = |name: &[u8]| {
            tags.iter().position(|tag| tag.get(CATEGORY.len()..).is_some_and(|item| item.eq_ignore_ascii_case(name)))
        };
        let mut known = HashSet::new();
        if let Some(twice) = tags.iter().find(|tag| !known.insert(tag.to_ascii_lowercase())) {
            return Err(Problem::Syntax(format!(
                "the _atom_site table has {} twice; delete one of them",
                String::from_utf8_lossy(twice)
            )));
        }
        let column = NAMES.map(|name| find(name).unwrap_or(tags.len()));
        let has = |item: Item| column[item as usize] < tags.len();
        let needed = [
            (has(Item::X), "Cartn_x"),
            (has(Item::Y), "Cartn_y"),
            (has(Item::Z), "Cartn_z"),
            (has(Item::Name) || has(Item::AuthName), "label_atom_id (or auth_atom_id)"),
            (has(Item::Residue) || has(Item::AuthResidue), "label_comp_id (or auth_comp_id)"),
            (has(Item::Chain) || has(Item::LabelChain), "auth_asym_id (or label_asym_id)"),
            (has(Item::Number) || has(Item::LabelNumber), "auth_seq_id (or label_seq_id)"),
        ];
        match needed.into_iter().find(|(there, _)| !there) {
            Some((_, item)) => Err(Problem::MissingItem(item)),
            None => Ok(Self { has_group: has(Item::Group), column, count: tags.len(), id: find(b"id") }),
        }
    }
}

/// The column of the B factor, and the columns that identify an atom's residue.
pub(crate) struct BColumn(Columns);

impl BColumn {
    /// Finds the columns among a table's tags.
    pub(crate) fn find(tags: &[&[u8]]) -> Result<Self, Problem> {
        let columns = Columns::find(tags)?;
        if columns.column[Item::BFactor as usize] == columns.count {
            return Err(Problem::MissingItem("B_iso_or_equiv"));
        }
        Ok(Self(columns))
    }

    /// The edges of a row's B factor.
    pub fn b(&self, edges: &[usize]) -> (usize, usize) {
        let column = self.0.column[Item::BFactor as usize];
        (edges[2 * column], edges[2 * column + 1])
    }

    /// The residue of a row; `None` if its number is invalid.
    pub fn residue<'a>(&self, text: &'a [u8], edges: &[usize]) -> Option<NamedResidue<'a>> {
        let word = |item: Item| {
            let column = self.0.column[item as usize];
            let raw = unquote(&text[edges[2 * column]..edges[2 * column + 1]]);
            if matches!(raw, b"?" | b".") { "" } else { std::str::from_utf8(raw).unwrap_or_default() }
        };
        let either = |item: Item, other: Item| if word(item).is_empty() { word(other) } else { word(item) };
        Some(NamedResidue {
            chain: either(Item::Chain, Item::LabelChain),
            number: integer(either(Item::Number, Item::LabelNumber).as_bytes())?,
            insertion_code: word(Item::Icode),
            name: either(Item::Residue, Item::AuthResidue),
        })
    }
}

/// A value's content, with its first eight bytes packed so that most comparisons need no call.
#[derive(Clone, Copy)]
struct Word<'a> {
    head: u64,
    text: &'a [u8],
}

impl<'a> Word<'a> {
    const EMPTY: Word<'static> = Word { head: 0, text: b"" };

    fn new(text: &'a [u8]) -> Self {
        Self { head: pack(text), text }
    }

    fn is_empty(self) -> bool {
        self.text.is_empty()
    }
}

impl PartialEq for Word<'_> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        let n = self.text.len();
        self.head == other.head && n == other.text.len() && (n <= 8 || self.text == other.text)
    }
}

/// Whether a residue differs from the one before in its `label_seq_id` alone. Authors may give two residues one number.
fn is_renumbered(before: &[Word<'_>; 4], residue_id: &[Word<'_>; 4]) -> bool {
    before[..3] == residue_id[..3] && !before[3].is_empty() && !residue_id[3].is_empty()
}

/// What all records of a residue have in common, taken from the row before.
#[derive(Clone, Copy)]
struct Common<'a> {
    residue: u64,
    hetatm: bool,
    in_chain: Option<bool>,
    occupancy: &'a [u8],
}

/// Takes the rows of a data block, model by model.
pub(super) struct AtomSite<'o, 'a> {
    text: &'a [u8],
    columns: Columns,
    options: &'o ReadOptions,
    /// The models to read, with their numbers.
    models: Vec<(i32, Selection<'a>)>,
    /// Every model so far, with its index in `models` if it is read.
    index: HashMap<&'a [u8], Option<usize>>,
    /// The number of every model so far.
    numbers: Vec<i32>,
    model: Option<Word<'a>>,
    /// Index of the current model, if it is read.
    current: Option<usize>,
    /// Chain, number, insertion code and `label_seq_id` of the row before, and whether its chain is selected.
    residue_id: Option<[Word<'a>; 4]>,
    wanted: bool,
    labels: Labels,
    entities: Entities,
    /// The entity of the residue before.
    entity: Option<Word<'a>>,
    /// Whether that entity is no polymer.
    is_ligand: bool,
    /// From the row before, if its atom was read.
    common: Option<Common<'a>>,
    aligned: AlignedAtoms,
    room: usize,
}

impl<'o, 'a> AtomSite<'o, 'a> {
    /// `room` is the expected number of atoms.
    pub(super) fn new(
        text: &'a [u8],
        columns: Columns,
        options: &'o ReadOptions,
        entities: Entities,
        room: usize,
    ) -> Self {
        let aligned = AlignedAtoms::new(&columns);
        Self {
            text,
            columns,
            options,
            models: Vec::new(),
            index: HashMap::new(),
            numbers: Vec::new(),
            model: None,
            current: None,
            residue_id: None,
            wanted: true,
            labels: Labels::default(),
            entities,
            entity: None,
            is_ligand: false,
            common: None,
            aligned,
            room,
        }
    }

    /// The requested models with their numbers, and the numbers of all models in the file.
    pub(super) fn into_models(self) -> (Vec<(i32, Selection<'a>)>, Vec<i32>) {
        (self.models, self.numbers)
    }

    /// Switches to the model of a row.
    #[cold]
    fn enter_model(&mut self, model: Word<'a>) -> Result<(), Problem> {
        self.model = Some(model);
        self.residue_id = None;
        if let Some(&known) = self.index.get(model.text) {
            self.current = known;
            return Ok(());
        }
        let ordinal = self.index.len() as i32 + 1;
        let number = match integer(model.text) {
            Some(number) => number,
            None if model.is_empty() => ordinal,
            None => return Err(bad_field("_atom_site.pdbx_PDB_model_num", model.text, "is not a model number")),
        };
        let is_read = match self.options.models {
            Models::First => ordinal == 1,
            Models::Number(wanted) => wanted == number,
            Models::All | Models::Join => true,
        };
        self.numbers.push(number);
        self.current = is_read.then_some(self.models.len());
        if is_read {
            let room = if ordinal == 1 { self.room } else { 0 };
            self.models.push((number, Selection::new(self.options, SYNTAX, room)));
        }
        self.index.insert(model.text, self.current);
        Ok(())
    }

    /// The edges of a row's value in the text.
    #[inline]
    fn raw(&self, edges: &[usize], item: Item) -> (usize, usize) {
        let column = self.columns.column[item as usize];
        (edges[2 * column], edges[2 * column + 1])
    }

    /// The content of a row's value; empty for `?`, `.` and items that the table lacks.
    // Inlined: it is called a dozen times a row, and a call would cost as much as the work.
    #[inline(always)]
    fn word(&self, edges: &[usize], item: Item) -> Word<'a> {
        const UNKNOWN: u64 = b'?' as u64;
        const INAPPLICABLE: u64 = b'.' as u64;
        let (begin, end) = self.raw(edges, item);
        let text = &self.text[begin..end];
        let head = match self.text[begin..].first_chunk::<8>() {
            Some(&bytes) if text.len() < 8 => u64::from_le_bytes(bytes) & ((1 << (8 * text.len())) - 1),
            Some(&bytes) => u64::from_le_bytes(bytes),
            None => pack(text),
        };
        if head == UNKNOWN || head == INAPPLICABLE {
            return Word::EMPTY;
        }
        if matches!(head as u8, b'\'' | b'"' | b';') {
            return Word::new(unquote(text));
        }
        Word { head, text }
    }

    /// The first of two items that is not empty.
    #[inline(always)]
    fn either(&self, edges: &[usize], item: Item, other: Item) -> Word<'a> {
        let word = self.word(edges, item);
        if word.is_empty() { self.word(edges, other) } else { word }
    }

    /// Takes a row, given the edges of its values followed by the edges of the empty value.
    #[inline]
    pub(super) fn row(&mut self, edges: &[usize]) -> Result<(), Problem> {
        const ATOM: u64 = u64::from_le_bytes(*b"ATOM\0\0\0\0");
        const HETATM: u64 = u64::from_le_bytes(*b"HETATM\0\0");
        self.common = None;
        let model = self.word(edges, Item::Model);
        if self.model != Some(model) {
            self.enter_model(model)?;
        }
        let Some(current) = self.current else { return Ok(()) };
        let group = self.word(edges, Item::Group);
        let hetatm = match group.head {
            ATOM => false,
            HETATM => true,
            // Not given: an ATOM record, unless only standard residues are read and the table has groups.
            0 => self.columns.has_group && self.options.residues == Residues::Standard,
            _ => return Err(bad_field("_atom_site.group_PDB", group.text, "is neither ATOM nor HETATM")),
        };
        let residue_id = [
            self.either(edges, Item::Chain, Item::LabelChain),
            self.either(edges, Item::Number, Item::LabelNumber),
            self.word(edges, Item::Icode),
            self.word(edges, Item::LabelNumber),
        ];
        if self.residue_id != Some(residue_id) {
            let before = self.residue_id.replace(residue_id);
            if before.is_some_and(|before| is_renumbered(&before, &residue_id)) {
                self.models[current].1.leave()?;
            }
            let [chain, number, icode, label] = residue_id.map(|word| word.text);
            let residue_id = ResidueId { chain, number, icode };
            self.wanted = self.models[current].1.enter(residue_id)?;
            let entity = self.word(edges, Item::Entity);
            if self.entity != Some(entity) {
                self.entity = Some(entity);
                self.is_ligand = self.entities.is_other(entity.text);
            }
            let asym = if label.is_empty() { 0 } else { self.word(edges, Item::LabelChain).head };
            self.models[current].1.polymer(asym);
            if self.models[current].1.takes_labels() {
                let [asym, number, entity] =
                    [Item::LabelChain, Item::LabelNumber, Item::Entity].map(|item| self.word(edges, item).text);
                self.models[current].1.label(asym, integer(number), entity);
            }
        }
        if !self.wanted {
            return Ok(());
        }
        let residue = self.either(edges, Item::Residue, Item::AuthResidue).head;
        let has_label = self.columns.column[Item::LabelNumber as usize] < self.columns.count;
        // An entity that is no polymer is a ligand in any record.
        let hetatm = hetatm || self.is_ligand;
        let in_chain = if self.is_ligand {
            Some(false)
        } else if has_label {
            let is_numbered = !residue_id[3].is_empty();
            let has_entity = is_numbered || !self.word(edges, Item::Entity).is_empty();
            self.labels.in_chain(is_numbered, has_entity, hetatm)
        } else {
            None
        };
        let position = match self.position(edges) {
            Ok(position) => position,
            Err(problem) if self.models[current].1.is_ignored(residue, hetatm, in_chain) => {
                self.models[current].1.ignore(|| problem.to_string());
                return Ok(());
            }
            Err(problem) => return Err(problem),
        };
        let selection = &self.models[current].1;
        if hetatm && self.options.residues == Residues::Standard && !selection.takes_cover() {
            return Ok(());
        }
        let mut name = self.either(edges, Item::Name, Item::AuthName);
        let trimmed = name.text.trim_ascii();
        if trimmed.len() != name.text.len() {
            name = Word::new(trimmed);
        }
        if name.is_empty() || name.text.len() > 8 {
            return Err(bad_field("_atom_site.label_atom_id", name.text, "is not an atom name of 1 to 8 characters"));
        }
        let occupancy = self.word(edges, Item::Occupancy).text;
        self.common = Some(Common { residue, hetatm, in_chain, occupancy });
        let symbol = self.word(edges, Item::Element).text;
        let record = Record {
            residue,
            name: name.head,
            alternate: self.word(edges, Item::Alternate).head,
            element: element(symbol),
            position,
            occupancy,
            b_factor: self.word(edges, Item::BFactor).text,
            hetatm,
            in_chain,
        };
        self.models[current].1.atom(&record)?;
        Ok(())
    }

    /// The coordinates in Å.
    #[inline(always)]
    fn position(&self, edges: &[usize]) -> Result<[f64; 3], Problem> {
        Ok([
            self.coordinate(edges, Item::X, "_atom_site.Cartn_x")?,
            self.coordinate(edges, Item::Y, "_atom_site.Cartn_y")?,
            self.coordinate(edges, Item::Z, "_atom_site.Cartn_z")?,
        ])
    }

    /// A coordinate in Å.
    // Inlined for the same reason as `word`.
    #[inline(always)]
    fn coordinate(&self, edges: &[usize], item: Item, field: &'static str) -> Result<f64, Problem> {
        let (begin, end) = self.raw(edges, item);
        let length = end - begin;
        if let Some(columns) = self.text[..end].last_chunk::<8>()
            && (1..=8).contains(&length)
        {
            // Shift as if right-justified in eight columns.
            let foreign = 8 * (8 - length as u32);
            let own = (u64::MAX >> foreign) << foreign;
            let word = (u64::from_le_bytes(*columns) & own) | (0x2020_2020_2020_2020 & !own);
            if let Some(value) = fixed_8_3(word.to_le_bytes()) {
                return Ok(value);
            }
        }
        if let Some(value) = last_decimal(&self.text[..end], length).filter(|value| value.abs() <= FARTHEST) {
            return Ok(value);
        }
        self.unusual_coordinate(begin, end, field)
    }

    /// A coordinate that is not a plain decimal of at most 15 digits.
    fn unusual_coordinate(&self, begin: usize, end: usize, field: &'static str) -> Result<f64, Problem> {
        let raw = &self.text[begin..end];
        let wrong = match raw {
            b"?" | b"." => "is not given",
            _ => match cif_number(unquote(raw)) {
                Some(value) if value.abs() <= FARTHEST => return Ok(value),
                Some(_) => "is out of range: farther than 1,000,000 Å from the origin",
                None => "is not a number",
            },
        };
        Err(bad_field(field, raw, wrong))
    }
}
