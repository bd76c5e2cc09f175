//! mmCIF: checks the syntax of the whole text and reads each data block with atoms.

mod atom_site;
mod entities;
mod labels;
mod lexer;
mod rows;

pub(super) use atom_site::{BColumn, CATEGORY};
pub(super) use entities::Entities;
pub(super) use labels::Labels;
pub(super) use lexer::{Lexer, Token, unquote};
pub(super) use rows::Rows;

use super::draft::Draft;
use super::error::{Fault, Problem};
use super::facts::Facts;
use super::note::{Note, NoteKind};
use super::options::{Models, ReadOptions};
use super::select::Selection;
use super::tables::{CATEGORIES, Cell, Tables};
use super::word::text_of;
use atom_site::{ATOM_LINE, AtomSite, Columns};

/// A data block with atoms.
pub(super) struct Block {
    pub(super) name: String,
    /// The requested models with their numbers.
    pub(super) models: Result<Vec<(i32, Draft)>, Fault>,
    pub(super) facts: Facts,
    /// Number of models, read or not.
    pub(super) met: usize,
}

/// Reads each data block with atoms, and checks the syntax of the rest. Returns at least one result.
pub fn read(text: &[u8], options: &ReadOptions) -> Result<Vec<Block>, Fault> {
    read_with(text, options, Lines::Aligned)
}

/// How to read the lines of atoms.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Lines {
    /// Split each line into words.
    #[cfg(test)]
    Words,
    /// Compare aligned lines with the line above.
    Aligned,
}

fn read_with(text: &[u8], options: &ReadOptions, lines: Lines) -> Result<Vec<Block>, Fault> {
    let mut reader = Reader {
        lexer: Lexer::new(text),
        lines,
        options,
        frame: None,
        block: b"",
        facts: Facts::default(),
        entities: Entities::default(),
        tables: None,
        single: Vec::new(),
        single_at: 0,
        atoms: None,
        ends_in_atoms: false,
        blocks: Vec::new(),
    };
    reader.read_all()?;
    if reader.blocks.is_empty() {
        let why = "no data block has an _atom_site table with rows";
        return Err(Fault::whole(Problem::NoAtoms(why)));
    }
    Ok(reader.blocks)
}

/// The requested models of a block, and the number of all.
type Atoms = (Result<Vec<(i32, Draft)>, Fault>, usize);

struct Reader<'o, 'a> {
    lexer: Lexer<'a>,
    lines: Lines,
    options: &'o ReadOptions,
    /// Where the current save frame began, if the lexer is in one. Its items do not belong to the block.
    frame: Option<usize>,
    /// Name of the current block.
    block: &'a [u8],
    /// Facts about the block beside its atoms.
    facts: Facts,
    /// The block's entities.
    entities: Entities,
    /// The block's categories that the options need.
    tables: Option<Box<Tables>>,
    /// The block's `_atom_site` items outside loops, a table of one row: tag, begin and end of the value.
    single: Vec<(&'a [u8], usize, usize)>,
    single_at: usize,
    /// The result of the table of atoms.
    atoms: Option<Atoms>,
    /// Whether the last thing read was a table of atoms.
    ends_in_atoms: bool,
    blocks: Vec<Block>,
}

impl<'a> Reader<'_, 'a> {
    fn read_all(&mut self) -> Result<(), Fault> {
        loop {
            let (at, token) = self.lexer.next()?;
            if token != Token::End {
                self.ends_in_atoms = false;
            }
            match token {
                Token::Data(name) => {
                    self.close_frame()?;
                    self.end_block();
                    self.block = name;
                }
                Token::Loop => self.read_loop(at)?,
                Token::Tag(tag) => self.read_item(at, tag)?,
                Token::FrameBegin => {
                    self.close_frame()?;
                    self.frame = Some(at);
                }
                Token::FrameEnd => self.frame = None,
                Token::Other => {}
                Token::Value(raw) => {
                    let shown = String::from_utf8_lossy(&raw[..raw.len().min(40)]).into_owned();
                    return Err(syntax(at, format!("the value {shown:?} belongs to no tag")));
                }
                Token::End => {
                    self.close_frame()?;
                    self.look_for_the_end();
                    self.end_block();
                    return Ok(());
                }
            }
        }
    }

    /// Warns if the file ends with its atoms, because it may be cut between two of them. Some programs write no mark after
    /// a table, others omit only the last one.
    fn look_for_the_end(&mut self) {
        let text = self.lexer.text.trim_ascii_end();
        let last_line = memchr::memrchr(b'\n', text).map_or(text, |at| &text[at + 1..]);
        if self.ends_in_atoms && !last_line.starts_with(b"#") {
            let text = "the file ends with its atoms, without a `#` after the last: it may be cut".to_owned();
            self.facts.notes.push(Note { kind: NoteKind::MaybeCut, text });
        }
    }

    fn close_frame(&mut self) -> Result<(), Fault> {
        match self.frame.take() {
            Some(begin) => Err(syntax(begin, "the save frame that begins here is not closed by `save_`".to_owned())),
            None => Ok(()),
        }
    }

    fn end_block(&mut self) {
        let single = std::mem::take(&mut self.single);
        if !single.is_empty() && self.atoms.is_none() {
            self.atoms = Some(self.read_single(&single).unwrap_or_else(|fault| (Err(fault), 1)));
        }
        let mut facts = std::mem::take(&mut self.facts);
        facts.names_entities = std::mem::take(&mut self.entities).are_known;
        if self.options.assembly.is_some() || self.options.labels {
            facts.take_tables(&self.tables.take().unwrap_or_default(), self.options);
        }
        if let Some((models, met)) = self.atoms.take() {
            self.blocks.push(Block { name: text_of(self.block), models, facts, met });
        }
    }

    fn read_single(&self, single: &[(&'a [u8], usize, usize)]) -> Result<Atoms, Fault> {
        let fault = |problem| Fault::at(self.single_at, problem);
        let tags: Vec<_> = single.iter().map(|(tag, ..)| *tag).collect();
        let columns = Columns::find(&tags).map_err(fault)?;
        let mut edges: Vec<_> = single.iter().flat_map(|&(_, begin, end)| [begin, end]).collect();
        edges.extend([0, 0]);
        let entities = self.entities.clone();
        let mut atoms = AtomSite::new(self.lexer.text, columns, self.options, entities, 1);
        atoms.row(&edges).map_err(fault)?;
        Ok(drafts(atoms, self.options))
    }

    /// Reads a tag and its value outside loops.
    fn read_item(&mut self, tag_at: usize, tag: &'a [u8]) -> Result<(), Fault> {
        let (at, token) = self.lexer.next()?;
        let Token::Value(raw) = token else {
            let tag = String::from_utf8_lossy(tag);
            return Err(syntax(tag_at, format!("{tag} has no value; the file is cut or damaged")));
        };
        if self.frame.is_some() {
            return Ok(());
        }
        if is_in(tag, CATEGORY) {
            if self.atoms.is_some() {
                return Err(second_table(tag_at));
            }
            if self.single.is_empty() {
                self.single_at = tag_at;
            }
            self.single.push((tag, at, at + raw.len()));
        } else {
            self.fact(tag, raw);
        }
        Ok(())
    }

    /// Takes facts about the block's atoms from a value.
    fn fact(&mut self, tag: &[u8], raw: &[u8]) {
        if let Some(item) = Entities::item(tag) {
            self.entities.push_single(item, unquote(raw));
        } else if let Some((category, item)) = self.kept(tag) {
            let tables = self.tables.get_or_insert_default();
            tables.push_single(category, item, Cell::of(unquote(raw)));
        } else if Facts::takes(tag) {
            self.facts.item(tag, unquote(raw));
        }
    }

    /// The category and item of a tag, if the options need it.
    fn kept(&self, tag: &[u8]) -> Option<(usize, usize)> {
        let asks = self.options.assembly.is_some() || self.options.labels;
        if asks { Tables::find(tag) } else { None }
    }

    /// Stores the rows of a category.
    fn keep_rows(&mut self, category: usize, tags: &[&'a [u8]], mut rows: Rows<'a>) -> Result<(), Fault> {
        let items = CATEGORIES[category].items.len();
        let places: Vec<_> = tags.iter().map(|tag| Tables::find(tag).filter(|(own, _)| *own == category)).collect();
        while rows.next(&mut self.lexer)? {
            let mut row = vec![Cell::Nothing; items];
            for (column, place) in places.iter().enumerate() {
                let Some((_, item)) = place else { continue };
                let (begin, end) = (rows.edges()[2 * column], rows.edges()[2 * column + 1]);
                row[*item] = Cell::of(unquote(&self.lexer.text[begin..end]));
            }
            self.tables.get_or_insert_default().push(category, row);
        }
        Ok(())
    }

    fn read_loop(&mut self, loop_at: usize) -> Result<(), Fault> {
        let tags = self.lexer.tags()?;
        let Some(&first_tag) = tags.first() else {
            return Err(syntax(loop_at, "loop_ is not followed by a tag".to_owned()));
        };
        self.lexer.skip_blanks();
        let mut rows = Rows::new(tags.len(), first_tag);
        let of_block = self.frame.is_none();
        if of_block && tags.iter().any(|tag| is_in(tag, CATEGORY)) {
            return self.read_atoms(loop_at, &tags, rows);
        }
        if let Some((category, _)) = tags.iter().find_map(|tag| self.kept(tag)).filter(|_| of_block) {
            return self.keep_rows(category, &tags, rows);
        }
        if of_block && tags.iter().any(|tag| Entities::item(tag).is_some()) {
            while rows.next(&mut self.lexer)? {
                self.entities.push_row(&tags, &rows, self.lexer.text);
            }
            return Ok(());
        }
        let facts: Vec<usize> = match of_block {
            true => (0..tags.len()).filter(|&i| Facts::takes(tags[i])).collect(),
            false => Vec::new(),
        };
        while rows.next(&mut self.lexer)? {
            for &column in &facts {
                let (begin, end) = (rows.edges()[2 * column], rows.edges()[2 * column + 1]);
                let text = self.lexer.text;
                self.fact(tags[column], &text[begin..end]);
            }
        }
        Ok(())
    }

    fn read_atoms(&mut self, loop_at: usize, tags: &[&'a [u8]], mut rows: Rows<'a>) -> Result<(), Fault> {
        if self.atoms.is_some() || !self.single.is_empty() {
            return Err(second_table(loop_at));
        }
        let mut more = rows.next(&mut self.lexer)?;
        let any = more;
        let columns = Columns::find(tags).map_err(|problem| Fault::at(loop_at, problem));
        let room = if self.blocks.is_empty() { self.lexer.text.len() / ATOM_LINE } else { 0 };
        if !self.entities.are_known {
            self.entities.look_ahead(self.lexer.text, self.lexer.at);
        }
        let entities = self.entities.clone();
        let mut atoms = columns.map(|columns| AtomSite::new(self.lexer.text, columns, self.options, entities, room));
        while more {
            if let Ok(taking) = &mut atoms {
                match self.take_row(taking, &rows) {
                    Ok(end) => self.lexer.at = end,
                    // The remaining rows are read to check their syntax.
                    Err(fault) => atoms = Err(fault),
                }
            }
            more = rows.next(&mut self.lexer)?;
        }
        match atoms {
            Ok(atoms) if any => self.atoms = Some(drafts(atoms, self.options)),
            Ok(_) => {}
            Err(fault) => self.atoms = Some((Err(fault), 1)),
        }
        self.ends_in_atoms = any;
        Ok(())
    }

    /// Takes a row and the aligned rows after it. Returns where to look for the next row.
    #[inline]
    fn take_row(&self, atoms: &mut AtomSite<'_, 'a>, rows: &Rows<'a>) -> Result<usize, Fault> {
        atoms.row(rows.edges()).map_err(|problem| Fault::at(rows.edges()[0], problem))?;
        if self.lines == Lines::Aligned {
            let end = atoms.aligned_rows(rows.edges()).map_err(|(at, problem)| Fault::at(at, problem))?;
            return Ok(end.unwrap_or(self.lexer.at));
        }
        Ok(self.lexer.at)
    }
}

fn drafts(atoms: AtomSite<'_, '_>, options: &ReadOptions) -> Atoms {
    let (models, numbers) = atoms.into_models();
    let met = numbers.len();
    if let (Models::Number(number), true) = (options.models, models.is_empty()) {
        return (Err(Fault::whole(Problem::NoModel { number, numbers })), met);
    }
    let draft = |(number, selection): (i32, Selection<'_>)| selection.into_draft().map(|draft| (number, draft));
    (models.into_iter().map(draft).collect::<Result<_, _>>().map_err(Fault::whole), met)
}

fn syntax(at: usize, what: String) -> Fault {
    Fault::at(at, Problem::Syntax(what))
}

fn second_table(at: usize) -> Fault {
    syntax(at, "the data block has a second _atom_site table".to_owned())
}

/// Whether a tag belongs to a category, given with its final dot.
fn is_in(tag: &[u8], category: &[u8]) -> bool {
    tag.get(..category.len()).is_some_and(|head| head.eq_ignore_ascii_case(category))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ReadOptions;
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::{Index, select};

    const CRAMBIN: &str = include_str!("../../tests/data/1crn.cif");

    /// The result of reading a text, in a form that compares exactly.
    fn outcome(text: &[u8], lines: Lines) -> String {
        let options = ReadOptions::default();
        let blocks = match read_with(text, &options, lines) {
            Ok(blocks) => blocks,
            Err(fault) => return fault.into_error("x", text).to_string(),
        };
        let models = blocks.into_iter().flat_map(|block| {
            let facts = block.facts;
            match block.models {
                Ok(models) => {
                    let read = models.into_iter().flat_map(|(_, draft)| draft.finish("x", &facts, &options));
                    read.map(|(_, read)| read).collect()
                }
                Err(fault) => vec![Err(fault)],
            }
        });
        models
            .map(|read| match read {
                Ok(read) => format!("{read:?}"),
                Err(fault) => fault.into_error("x", text).to_string(),
            })
            .collect()
    }

    /// Rows of crambin's table, each value padded to its column's width.
    fn aligned_rows(rows: usize) -> Vec<u8> {
        let begin = CRAMBIN.find("loop_\n_atom_site.group_PDB").expect("the table");
        let end = CRAMBIN[begin..].match_indices("\nATOM ").nth(rows).expect("rows").0;
        format!("data_x\n{}\n", &CRAMBIN[begin..begin + end]).into_bytes()
    }

    #[test]
    fn aligned_lines_are_taken_without_their_words() {
        let options = ReadOptions::default();
        let text = aligned_rows(7);
        let table = std::str::from_utf8(&text).unwrap();
        let tags: Vec<_> =
            table.lines().filter(|line| line.starts_with('_')).map(|tag| tag.trim().as_bytes()).collect();
        let mut lexer = Lexer::new(&text);
        lexer.at = table.find("ATOM ").unwrap();
        let mut rows = Rows::new(tags.len(), tags[0]);
        let mut atoms = AtomSite::new(&text, Columns::find(&tags).unwrap(), &options, Entities::default(), 0);
        let mut taken = 0;
        while taken == 0 && rows.next(&mut lexer).unwrap() {
            atoms.row(rows.edges()).unwrap();
            if let Some(end) = atoms.aligned_rows(rows.edges()).unwrap() {
                taken = text[rows.edges()[0]..end].split(|&c| c == b'\n').count() - 1;
            }
        }
        // The first two rows define the alignment, and the last is too near the end of the text.
        assert_eq!(taken, 4);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn aligned_lines_are_read_as_rows_of_words(
            changes in vec((any::<Index>(), select(b"  \n\r\t'\";#_.?-+0159eADHSXdl(\x80".to_vec())), 1..5),
            copied in prop::option::of((any::<Index>(), any::<Index>(), 1..90usize)),
        ) {
            let mut text = aligned_rows(24);
            let begin = text.windows(5).position(|word| word == b"ATOM ").expect("an atom");
            if let Some((from, to, length)) = copied {
                let last = text.len() - begin - length;
                let (from, to) = (begin + from.index(last), begin + to.index(last));
                text.copy_within(from..from + length, to);
            }
            for (at, byte) in changes {
                let at = begin + at.index(text.len() - begin);
                text[at] = byte;
            }
            prop_assert_eq!(outcome(&text, Lines::Aligned), outcome(&text, Lines::Words));
        }
    }
}
