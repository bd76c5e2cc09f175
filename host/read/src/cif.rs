//! mmCIF: checks the syntax of the whole text and reads each data block with atoms.

mod atom_site;
mod end;
mod entities;
mod labels;
mod lexer;
mod line;
mod quote;
mod rows;
mod table;

pub(super) use atom_site::{AUTHOR_NUMBER, BColumn, CATEGORY, FARTHEST, LABEL_NUMBER, TOO_FAR};
pub(super) use entities::{Entities, NonPolymer};
pub(super) use labels::Labels;
pub(super) use lexer::{Lexer, Token, unquote};
pub use quote::quoted;
pub(super) use rows::{Rows, Split};
pub(super) use table::{Table, is_in};

use super::draft::Draft;
use super::error::{Fault, Problem};
use super::facts::Facts;
use super::masks;
use super::options::{Models, ReadOptions};
use super::select::Selection;
use super::tables::{CATEGORIES, Cell, Tables};
use super::word::text_of;
use atom_site::{ATOM_LINE, AtomSite, Columns, UsualRows};

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
    let split = if options.by_words { Split::Words } else { Split::Lines };
    let mut reader = Reader {
        lexer: Lexer::new(text),
        split,
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
    split: Split,
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
                    if self.ends_in_atoms {
                        self.facts.notes.extend(end::note(self.lexer.text));
                    }
                    self.end_block();
                    return Ok(());
                }
            }
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
        if Tables::are_any_needed(self.options) {
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
        if !Tables::are_any_needed(self.options) {
            return None;
        }
        Tables::find(tag).filter(|(category, _)| Tables::are_needed(*category, self.options))
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
        let mut rows = Rows::split(tags.len(), first_tag, self.split);
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
        if facts.is_empty() {
            return rows.skip(&mut self.lexer);
        }
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
        let of_loop =
            |columns| AtomSite::new(self.lexer.text, columns, self.options, entities, room).of_loop(rows.edges()[0]);
        let mut atoms = columns.map(of_loop);
        while more {
            let Ok(taking) = &mut atoms else {
                // The remaining rows are read to check their syntax.
                rows.skip(&mut self.lexer)?;
                break;
            };
            match take_rows(taking, &rows, self.lexer.at) {
                Ok(end) => self.lexer.at = end,
                Err(fault) => atoms = Err(fault),
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
}

/// Takes a row, which ends at byte `end`, and the usual lines after it. Returns where to look for the next row.
fn take_rows<'a>(atoms: &mut AtomSite<'_, 'a>, rows: &Rows<'a>, end: usize) -> Result<usize, Fault> {
    atoms.row(rows.edges()).map_err(|problem| Fault::at(rows.edges()[0], problem))?;
    match rows.split {
        Split::Lines => masks::run(UsualRows { atoms, at: end }).map_err(|(at, problem)| Fault::at(at, problem)),
        Split::Words => Ok(end),
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

#[cfg(test)]
mod tests {
    use crate::{Alternates, Models, ReadOptions, read_structures};
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::{Index, select};

    const CRAMBIN: &str = include_str!("../../tests/data/1crn.cif");

    /// The results of reading a text by both paths, in a form that compares exactly.
    fn outcomes(text: &[u8], options: &ReadOptions) -> [Vec<String>; 2] {
        [false, true].map(|by_words| {
            let read = read_structures(text, "x", &ReadOptions { by_words, ..options.clone() });
            read.into_iter()
                .map(|read| read.map_or_else(|error| error.to_string(), |read| format!("{read:?}")))
                .collect()
        })
    }

    /// Some tables of crambin, the last of which has its first atoms, and a table behind them.
    fn tables(rows: usize) -> Vec<u8> {
        let entities = CRAMBIN.find("loop_\n_entity_poly_seq.").expect("a table");
        let begin = CRAMBIN.find("loop_\n_atom_site.group_PDB").expect("the atoms");
        let end = CRAMBIN[begin..].match_indices("\nATOM ").nth(rows).expect("rows").0;
        let behind = CRAMBIN.find("loop_\n_pdbx_poly_seq_scheme.").expect("a table");
        let [first, last] = [&CRAMBIN[entities..][..900], &CRAMBIN[behind..][..2500]];
        let [first, last] = [first, last].map(|text| &text[..=text.rfind('\n').expect("a line")]);
        format!("data_x\n{first}#\n{}\n#\n{last}#\n", &CRAMBIN[begin..begin + end]).into_bytes()
    }

    fn options() -> impl Strategy<Value = ReadOptions> {
        let models = select(vec![Models::First, Models::All, Models::Number(2)]);
        let alternates = select(vec![Alternates::Highest, Alternates::First, Alternates::Named('B')]);
        let chains = select(vec![None, Some(vec!["A".to_owned()])]);
        (models, alternates, chains, any::<[bool; 3]>()).prop_map(
            |(models, alternates, chains, [cover, atoms, labels])| ReadOptions {
                models,
                alternates,
                chains,
                cover,
                atoms,
                labels,
                ..ReadOptions::default()
            },
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        #[test]
        fn usual_lines_are_read_as_words(
            options in options(),
            changes in vec((any::<Index>(), select(b"  \n\r\t'\";#_.?-+0159eADHSXdl(\x80".to_vec())), 0..5),
            lines in vec((any::<Index>(), any::<Index>()), 0..3),
            copied in prop::option::of((any::<Index>(), any::<Index>(), 1..90usize)),
        ) {
            let mut text = tables(60);
            if let Some((from, to, length)) = copied {
                let last = text.len() - length;
                let (from, to) = (from.index(last), to.index(last));
                text.copy_within(from..from + length, to);
            }
            for (at, byte) in changes {
                let at = at.index(text.len());
                text[at] = byte;
            }
            // Whole lines are repeated elsewhere.
            let mut all: Vec<&[u8]> = text.split_inclusive(|&c| c == b'\n').collect();
            for (from, to) in lines {
                let line = all[from.index(all.len())];
                all.insert(to.index(all.len()), line);
            }
            let [lines, words] = outcomes(&all.concat(), &options);
            prop_assert_eq!(lines, words);
        }
    }

    /// Changes of the atoms in turn, that are usual in some files.
    #[test]
    fn residues_that_differ_from_those_before_are_read_as_words() {
        let text = String::from_utf8(tables(200)).unwrap();
        let changes: [(&str, &[(&str, &str)]); 22] = [
            ("an alternate location", &[("CB  . CYS", "CB  A CYS"), ("CB  . THR", "CB  B THR")]),
            ("an atom of another name", &[("OG1 . THR", "XX  . THR"), ("CG2 . THR", "CG2 A THR")]),
            ("oxygens of GROMACS", &[("O   . PRO", "OC1 . PRO")]),
            ("names in small letters", &[("CA  . ILE", "ca  . ILE")]),
            ("hydrogens", &[("C CB  . SER", "H HB  . SER")]),
            ("another element", &[("C CA  . ALA", "CA CA . ALA"), ("O O   . ALA", "X O   . ALA")]),
            ("no known element", &[("C CB  . ALA", "? XX  . ALA")]),
            ("a number that is none", &[("? 7  ILE A", "? x  ILE A")]),
            ("a coordinate that is none", &[("13.", "1x.")]),
            ("a second model", &[("ILE A C   1", "ILE A C   2")]),
            ("a ligand's record", &[("ATOM 5 ", "HETATM 5 "), ("ATOM 20 ", "HETATM 20 ")]),
            ("another residue's name", &[("CD1 . ILE", "CD1 . LEU")]),
            ("an insertion code", &[("A 1 7  ? ", "A 1 7  B ")]),
            ("another chain", &[("ILE A N   1", "ILE B N   1"), ("PRO A CA  1", "PRO B CA  1")]),
            ("another chain of the sequence", &[("ALA A 1 9 ", "ALA C 1 9 ")]),
            (
                "another chain of the sequence within a residue",
                &[("CD1 . ILE A 1 7 ", "CD1 . ILE C 1 7 "), ("VAL A 1 8 ", "VAL C 1 8 ")],
            ),
            ("one number for two residues", &[("? 7  ILE A", "? 6  ILE A")]),
            ("no number in the sequence", &[("SER A 1 6 ", "SER A 1 . ")]),
            ("no number of the author", &[("? 8  VAL A", "? .  VAL A")]),
            ("joined lines", &[("ILE A C   1 \n", "ILE A C   1 ;")]),
            ("quoted names", &[("CB  . PRO", "'CB' . PRO"), ("O   . THR", "\"O\" . THR")]),
            ("wide lines", &[("1.00", "1.00                                                                ")]),
        ];
        for (what, replaced) in changes {
            let changed = replaced.iter().fold(text.clone(), |text, (from, to)| {
                assert!(text.contains(from), "{what}: {from}");
                text.replace(from, to)
            });
            for once in [false, true] {
                let changed = match once {
                    true => replaced.iter().fold(text.clone(), |text, (from, to)| text.replacen(from, to, 2)),
                    false => changed.clone(),
                };
                for (models, atoms) in [(Models::First, false), (Models::All, true), (Models::Join, false)] {
                    let options = ReadOptions { models, atoms, ..ReadOptions::default() };
                    let [lines, words] = outcomes(changed.as_bytes(), &options);
                    assert_eq!(lines, words, "{what}");
                }
            }
        }
    }
}
