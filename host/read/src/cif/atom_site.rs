//! The atoms of mmCIF: rows of the `_atom_site` category.

mod alike;
mod repeated;
mod usual;

use super::entities::{Entities, NonPolymer};
use super::labels::Labels;
use super::lexer::{Lexer, unquote};
use super::rows::Rows;
use crate::atoms::element;
use crate::components::component;
use crate::error::{Problem, bad_field};
use crate::fixed::{fixed_8_3, right_justified, three_fixed_8_3};
use crate::named_residue::NamedResidue;
use crate::number::{cif_number, integer, last_decimal};
use crate::options::{Models, ReadOptions, Residues};
use crate::patterns::Patterns;
use crate::select::{Record, ResidueId, Selection, Syntax, Taken, occupancy};
use crate::word::pack;
use repeated::{Names, Repeated};
use std::collections::{HashMap, HashSet};
use usual::Usual;
pub(super) use usual::UsualRows;

/// The category name with its final dot.
pub(crate) const CATEGORY: &[u8] = b"_atom_site.";

/// The items with the numbers of residues: the author's, and those of the polymer's sequence.
pub(crate) const AUTHOR_NUMBER: &str = "_atom_site.auth_seq_id";
pub(crate) const LABEL_NUMBER: &str = "_atom_site.label_seq_id";

/// Typical length of a row in files of the wwPDB, in bytes.
pub(super) const ATOM_LINE: usize = 85;

const SYNTAX: Syntax = Syntax { number_field: AUTHOR_NUMBER, residue_number: integer, b_factor: cif_number, occupancy };

/// Largest coordinate in Å: no molecule is this far from its origin, and squared distances stay far below the largest f32.
pub(crate) const FARTHEST: f64 = 1e6;
/// What is said of others.
pub(crate) const TOO_FAR: &str = "is out of range: farther than 1,000,000 Å from the origin";

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
            None => Ok(Self { has_group: has(Item::Group), column, count: tags.len() }),
        }
    }

    /// Whether every row of the table, the first of which begins at byte `at`, has a `label_seq_id`.
    #[cold]
    #[inline(never)]
    fn are_all_numbered(&self, text: &[u8], at: usize) -> bool {
        let column = self.column[Item::LabelNumber as usize];
        let (mut lexer, mut rows) = (Lexer::new(text), Rows::new(self.count, CATEGORY));
        lexer.at = at;
        // What is damaged is reported where it is read.
        while matches!(rows.next(&mut lexer), Ok(true)) {
            let (begin, end) = (rows.edges()[2 * column], rows.edges()[2 * column + 1]);
            if matches!(&text[begin..end], b"." | b"?") {
                return false;
            }
        }
        true
    }

    /// The item that has the residues' numbers.
    fn number_field(&self) -> &'static str {
        if self.column[Item::Number as usize] < self.count { AUTHOR_NUMBER } else { LABEL_NUMBER }
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

/// A value as written.
#[derive(Clone, Copy)]
struct Raw {
    /// Its first eight bytes, packed.
    head: u64,
    /// Where it begins and ends in the text.
    begin: usize,
    end: usize,
}

/// A row that is split into values.
trait Values {
    /// The value of an item. Items that the table lacks have an empty one.
    fn raw(&self, item: Item) -> Raw;
}

/// A row whose values all have known edges, followed by those of the empty value.
struct Edges<'r> {
    text: &'r [u8],
    columns: &'r [usize; NAMES.len()],
    edges: &'r [usize],
}

impl Values for Edges<'_> {
    fn raw(&self, item: Item) -> Raw {
        let column = self.columns[item as usize];
        let (begin, end) = (self.edges[2 * column], self.edges[2 * column + 1]);
        Raw { head: pack(&self.text[begin..end]), begin, end }
    }
}

/// What all records of a residue have in common.
#[derive(Clone, Copy)]
struct Common {
    residue: u64,
    hetatm: bool,
    in_chain: Option<bool>,
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
    /// What that entity is if it is no polymer.
    other: Option<NonPolymer>,
    usual: Usual,
    patterns: Box<Patterns<Names>>,
    repeated: Repeated,
    room: usize,
    /// Where the first row of a loop begins.
    first_row: Option<usize>,
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
            other: None,
            usual: Usual::new(),
            patterns: repeated::of_thread((options.residues, options.polymers)),
            repeated: Repeated::default(),
            room,
            first_row: None,
        }
    }

    /// The same for a loop whose first row begins at a byte of the text.
    pub(super) fn of_loop(mut self, first_row: usize) -> Self {
        self.first_row = Some(first_row);
        self
    }

    /// The requested models with their numbers, and the numbers of all models in the file.
    pub(super) fn into_models(self) -> (Vec<(i32, Selection<'a>)>, Vec<i32>) {
        repeated::keep(self.patterns);
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
            let syntax = Syntax { number_field: self.columns.number_field(), ..SYNTAX };
            self.models.push((number, Selection::new(self.options, syntax, room)));
        }
        self.index.insert(model.text, self.current);
        Ok(())
    }

    /// The molecule of a residue without a number, packed: gemmi numbers none of files that list no sequences.
    #[cold]
    #[inline(never)]
    fn asym_without_number(&self, row: &impl Values, hetatm: bool) -> u64 {
        if self.entities.are_known && !hetatm { self.word(row, Item::LabelChain).head } else { 0 }
    }

    /// Takes note of the chain that a model begins with, if the first alone is read.
    #[cold]
    #[inline(never)]
    fn see_unread(&mut self, row: &impl Values) {
        let chain = self.either(row, Item::Chain, Item::LabelChain);
        let residue = component(self.either(row, Item::Residue, Item::AuthResidue).head);
        if let (None, Some(_), [(_, first)]) = (self.current, residue.amino_acid(), &mut self.models[..]) {
            first.see_unread(chain.text);
        }
    }

    /// The content of a row's value; empty if there is none.
    // Inlined: it is called a dozen times a row, and a call would cost as much as the work.
    #[inline(always)]
    fn word(&self, row: &impl Values, item: Item) -> Word<'a> {
        content(self.text, row.raw(item))
    }

    /// The first of two items that is not empty.
    #[inline(always)]
    fn either(&self, row: &impl Values, item: Item, other: Item) -> Word<'a> {
        let word = self.word(row, item);
        if word.is_empty() { self.word(row, other) } else { word }
    }

    /// Takes a row, given the edges of its values followed by the edges of the empty value.
    pub(super) fn row(&mut self, edges: &[usize]) -> Result<(), Problem> {
        self.usual.forget();
        let columns = self.columns.column;
        let row = Edges { text: self.text, columns: &columns, edges };
        if let Some(common) = self.enter(&row)? {
            let taken = self.atom(&row, common)?;
            self.note(common, || None, taken);
        }
        Ok(())
    }

    /// Enters the residue of a row. Returns what its atoms have in common; `None` if they are not read.
    #[inline]
    fn enter(&mut self, row: &impl Values) -> Result<Option<Common>, Problem> {
        const ATOM: u64 = u64::from_le_bytes(*b"ATOM\0\0\0\0");
        const HETATM: u64 = u64::from_le_bytes(*b"HETATM\0\0");
        let model = self.word(row, Item::Model);
        if self.model != Some(model) {
            self.enter_model(model)?;
            self.see_unread(row);
        }
        let Some(current) = self.current else { return Ok(None) };
        let group = self.word(row, Item::Group);
        let hetatm = match group.head {
            ATOM => false,
            HETATM => true,
            // Not given: an ATOM record, unless only standard residues are read and the table has groups.
            0 => self.columns.has_group && self.options.residues == Residues::Standard,
            _ => return Err(bad_field("_atom_site.group_PDB", group.text, "is neither ATOM nor HETATM")),
        };
        let residue_id = [
            self.either(row, Item::Chain, Item::LabelChain),
            self.either(row, Item::Number, Item::LabelNumber),
            self.word(row, Item::Icode),
            self.word(row, Item::LabelNumber),
        ];
        if self.residue_id != Some(residue_id) {
            let before = self.residue_id.replace(residue_id);
            self.patterns.begin();
            if before.is_some_and(|before| is_renumbered(&before, &residue_id)) {
                self.models[current].1.leave()?;
            }
            let [chain, number, icode, label] = residue_id.map(|word| word.text);
            let residue_id = ResidueId { chain, number, icode };
            self.wanted = self.models[current].1.enter(residue_id)?;
            let entity = self.word(row, Item::Entity);
            if self.entity != Some(entity) {
                self.entity = Some(entity);
                self.other = self.entities.other(entity.text);
            }
            self.models[current].1.set_water(self.other == Some(NonPolymer::Water));
            let asym = if label.is_empty() {
                self.asym_without_number(row, hetatm)
            } else {
                self.word(row, Item::LabelChain).head
            };
            self.models[current].1.polymer(asym);
            if self.models[current].1.takes_labels() {
                let [asym, number, entity] =
                    [Item::LabelChain, Item::LabelNumber, Item::Entity].map(|item| self.word(row, item).text);
                self.models[current].1.label(asym, integer(number), entity);
            }
        }
        if !self.wanted {
            return Ok(None);
        }
        let residue = self.either(row, Item::Residue, Item::AuthResidue).head;
        let has_label = self.columns.column[Item::LabelNumber as usize] < self.columns.count;
        // An entity that is no polymer is a ligand in any record. Amino acids in ATOM records may still be bonded: gemmi calls those after a
        // TER so.
        let in_chain = if self.other.is_some() {
            Some(false)
        } else if has_label {
            let is_numbered = !residue_id[3].is_empty();
            let has_entity = is_numbered || !self.word(row, Item::Entity).is_empty();
            let everything = || {
                !self.entities.are_known && self.first_row.is_none_or(|at| self.columns.are_all_numbered(self.text, at))
            };
            self.labels.in_chain(is_numbered, has_entity, hetatm, everything)
        } else {
            None
        };
        Ok(Some(Common { residue, hetatm, in_chain }))
    }

    /// Takes the atom of a row.
    #[inline(always)]
    fn atom(&mut self, row: &impl Values, common: Common) -> Result<Taken, Problem> {
        let Common { residue, hetatm, in_chain } = common;
        let Some(current) = self.current else { return Ok(Taken::Nothing) };
        let position = match self.position(row) {
            Ok(position) => position,
            Err(problem) if self.models[current].1.is_ignored(residue, hetatm, in_chain) => {
                self.models[current].1.ignore(|| problem.to_string());
                return Ok(Taken::Nothing);
            }
            Err(problem) => return Err(problem),
        };
        if hetatm && self.options.residues == Residues::Standard && !self.models[current].1.takes_cover() {
            return Ok(Taken::Nothing);
        }
        let mut name = self.either(row, Item::Name, Item::AuthName);
        let trimmed = name.text.trim_ascii();
        if trimmed.len() != name.text.len() {
            name = Word::new(trimmed);
        }
        if name.is_empty() || name.text.len() > 8 {
            return Err(bad_field("_atom_site.label_atom_id", name.text, "is not an atom name of 1 to 8 characters"));
        }
        let record = Record {
            residue,
            name: name.head,
            alternate: self.word(row, Item::Alternate).head,
            element: element(self.word(row, Item::Element).text),
            position,
            occupancy: self.word(row, Item::Occupancy).text,
            b_factor: self.word(row, Item::BFactor).text,
            hetatm,
            in_chain,
        };
        self.models[current].1.atom(&record)
    }

    /// The coordinates in Å.
    #[inline(always)]
    fn position(&self, row: &impl Values) -> Result<[f64; 3], Problem> {
        let (x, y, z) = (row.raw(Item::X), row.raw(Item::Y), row.raw(Item::Z));
        if let (Some(x), Some(y), Some(z)) = (eight_columns(x), eight_columns(y), eight_columns(z))
            && let Some(position) = three_fixed_8_3([x, y, z])
        {
            return Ok(position);
        }
        Ok([
            self.coordinate(x, "_atom_site.Cartn_x")?,
            self.coordinate(y, "_atom_site.Cartn_y")?,
            self.coordinate(z, "_atom_site.Cartn_z")?,
        ])
    }

    /// A coordinate in Å.
    fn coordinate(&self, raw: Raw, field: &'static str) -> Result<f64, Problem> {
        let Raw { begin, end, .. } = raw;
        if let Some(value) = eight_columns(raw).and_then(fixed_8_3) {
            return Ok(value);
        }
        let length = end - begin;
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
                Some(_) => TOO_FAR,
                None => "is not a number",
            },
        };
        Err(bad_field(field, raw, wrong))
    }
}

/// A value of at most eight bytes, right-justified in eight columns.
#[inline(always)]
fn eight_columns(Raw { head, begin, end }: Raw) -> Option<[u8; 8]> {
    right_justified(head, end - begin)
}

/// The content of a value; empty for `?` and `.`.
#[inline(always)]
fn content<'a>(text: &'a [u8], Raw { head, begin, end }: Raw) -> Word<'a> {
    const UNKNOWN: u64 = b'?' as u64;
    const INAPPLICABLE: u64 = b'.' as u64;
    if head == UNKNOWN || head == INAPPLICABLE {
        return Word::EMPTY;
    }
    let text = &text[begin..end];
    if matches!(head as u8, b'\'' | b'"' | b';') {
        return Word::new(unquote(text));
    }
    Word { head, text }
}
