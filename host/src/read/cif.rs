//! mmCIF: the whole text's syntax, and the first data block with atoms.

mod lexer;
mod rows;

pub(super) use lexer::unquote;

use super::atom_site::{AtomSite, CATEGORY, Columns};
use super::error::{Fault, Problem};
use super::select::Selection;
use lexer::{Lexer, Token};
use rows::Rows;

/// What was found beside the atoms.
pub(super) struct Found {
    /// Whether the block says that its B column is a predictor's confidence.
    pub(super) predicted: bool,
    pub(super) warnings: Vec<String>,
}

/// Feeds the first model of the first block with atoms to the selection. The rest is read too, for its syntax.
pub(super) fn read<'a>(text: &'a [u8], selection: &mut Selection<'a>) -> Result<Found, Fault> {
    read_with(text, selection, Lines::Aligned)
}

/// How lines of atoms are read.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Lines {
    /// As rows of words, each.
    #[cfg(test)]
    Words,
    /// By comparison with the line above, where they stand under each other.
    Aligned,
}

fn read_with<'a>(text: &'a [u8], selection: &mut Selection<'a>, lines: Lines) -> Result<Found, Fault> {
    let mut reader = Reader {
        lexer: Lexer::new(text),
        lines,
        selection,
        phase: Phase::Looking,
        frame: None,
        block: b"",
        predicted: false,
        single: Vec::new(),
        single_at: 0,
        others: 0,
        counted: false,
    };
    reader.read_all()?;
    if reader.phase == Phase::Looking {
        let why = "no data block has an _atom_site table with rows";
        return Err(Fault::whole(Problem::NoAtoms(why)));
    }
    let mut warnings = Vec::new();
    if reader.others > 0 {
        let block = String::from_utf8_lossy(reader.block);
        let others = reader.others;
        warnings.push(format!("data block {block:?} is read; {others} more with atoms after it are not"));
    }
    Ok(Found { predicted: reader.predicted, warnings })
}

#[derive(Clone, Copy, PartialEq)]
enum Phase {
    /// No atoms yet.
    Looking,
    /// In the block whose atoms were read.
    Inside,
    /// In a later block.
    Past,
}

struct Reader<'s, 'a> {
    lexer: Lexer<'a>,
    lines: Lines,
    selection: &'s mut Selection<'a>,
    phase: Phase,
    /// Where the save frame began that the lexer is in. Its items are not the block's.
    frame: Option<usize>,
    /// Name of the block in question.
    block: &'a [u8],
    predicted: bool,
    /// The block's `_atom_site` items outside loops: a table of one row. Tag, begin and end of the value.
    single: Vec<(&'a [u8], usize, usize)>,
    single_at: usize,
    /// Later blocks with atoms.
    others: usize,
    /// Whether the current block counts among them already.
    counted: bool,
}

impl<'a> Reader<'_, 'a> {
    fn read_all(&mut self) -> Result<(), Fault> {
        loop {
            let (at, token) = self.lexer.next()?;
            match token {
                Token::Data(name) => {
                    self.close_frame()?;
                    self.end_block()?;
                    if self.phase == Phase::Looking {
                        self.block = name;
                        self.predicted = false;
                    }
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
                    return self.end_block();
                }
            }
        }
    }

    fn close_frame(&mut self) -> Result<(), Fault> {
        match self.frame.take() {
            Some(begin) => Err(syntax(begin, "the save frame that begins here is never closed by `save_`".to_owned())),
            None => Ok(()),
        }
    }

    fn end_block(&mut self) -> Result<(), Fault> {
        let single = std::mem::take(&mut self.single);
        if !single.is_empty() && self.phase == Phase::Looking {
            let tags: Vec<_> = single.iter().map(|(tag, ..)| *tag).collect();
            let columns = Columns::find(&tags).map_err(|problem| Fault::at(self.single_at, problem))?;
            let mut edges: Vec<_> = single.iter().flat_map(|&(_, begin, end)| [begin, end]).collect();
            edges.extend([0, 0]);
            let mut atoms = AtomSite::new(self.lexer.text, columns, self.selection);
            atoms.row(&edges).map_err(|problem| Fault::at(self.single_at, problem))?;
            self.phase = Phase::Inside;
        }
        if self.phase == Phase::Inside {
            self.phase = Phase::Past;
        }
        self.counted = false;
        Ok(())
    }

    /// A tag and its value outside loops.
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
            match self.phase {
                Phase::Looking => {
                    if self.single.is_empty() {
                        self.single_at = tag_at;
                    }
                    self.single.push((tag, at, at + raw.len()));
                }
                Phase::Inside => return Err(second_table(tag_at)),
                Phase::Past => self.count_other(),
            }
        } else if is_confidence(tag) && self.phase != Phase::Past {
            self.predicted |= says_plddt(unquote(raw));
        }
        Ok(())
    }

    fn read_loop(&mut self, loop_at: usize) -> Result<(), Fault> {
        let mut tags = Vec::new();
        loop {
            let before = self.lexer.at;
            match self.lexer.next()?.1 {
                Token::Tag(tag) => tags.push(tag),
                _ => {
                    self.lexer.at = before;
                    break;
                }
            }
        }
        let Some(&first_tag) = tags.first() else {
            return Err(syntax(loop_at, "loop_ is not followed by a tag".to_owned()));
        };
        self.lexer.skip_blanks();
        let mut rows = Rows::new(tags.len(), first_tag);
        let of_block = self.frame.is_none();
        if of_block && tags.iter().any(|tag| is_in(tag, CATEGORY)) {
            return self.read_atoms(loop_at, &tags, rows);
        }
        let confidence: Vec<usize> = if of_block && self.phase != Phase::Past {
            (0..tags.len()).filter(|&i| is_confidence(tags[i])).collect()
        } else {
            Vec::new()
        };
        while rows.next(&mut self.lexer)? {
            for &column in &confidence {
                let (begin, end) = (rows.edges()[2 * column], rows.edges()[2 * column + 1]);
                self.predicted |= says_plddt(unquote(&self.lexer.text[begin..end]));
            }
        }
        Ok(())
    }

    fn read_atoms(&mut self, loop_at: usize, tags: &[&'a [u8]], mut rows: Rows<'a>) -> Result<(), Fault> {
        if self.phase == Phase::Looking {
            if !self.single.is_empty() {
                return Err(second_table(loop_at));
            }
            let columns = Columns::find(tags).map_err(|problem| Fault::at(loop_at, problem))?;
            let mut atoms = AtomSite::new(self.lexer.text, columns, self.selection);
            let mut more = rows.next(&mut self.lexer)?;
            if more {
                self.phase = Phase::Inside;
            }
            while more && atoms.row(rows.edges()).map_err(|problem| Fault::at(rows.edges()[0], problem))? {
                if self.lines == Lines::Aligned
                    && let Some(end) =
                        atoms.aligned_rows(rows.edges()).map_err(|(at, problem)| Fault::at(at, problem))?
                {
                    self.lexer.at = end;
                }
                more = rows.next(&mut self.lexer)?;
            }
            if !more {
                return Ok(());
            }
        } else if self.phase == Phase::Inside {
            return Err(second_table(loop_at));
        }
        let mut any = false;
        while rows.next(&mut self.lexer)? {
            any = true;
        }
        if any && self.phase == Phase::Past {
            self.count_other();
        }
        Ok(())
    }

    fn count_other(&mut self) {
        self.others += usize::from(!self.counted);
        self.counted = true;
    }
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

/// Whether a tag says what a model's confidence is.
fn is_confidence(tag: &[u8]) -> bool {
    tag.eq_ignore_ascii_case(b"_ma_qa_metric.type") || tag.eq_ignore_ascii_case(b"_ma_qa_metric.name")
}

fn says_plddt(text: &[u8]) -> bool {
    text.windows(5).any(|word| word.eq_ignore_ascii_case(b"plddt"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::{ReadOptions, atom_site};
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::{Index, select};

    const CRAMBIN: &str = include_str!("../../tests/data/1crn.cif");

    /// What comes of a text, comparable to the bit.
    fn outcome(text: &[u8], lines: Lines) -> String {
        let mut selection = Selection::new(&ReadOptions::default(), atom_site::SYNTAX, 0);
        let read = read_with(text, &mut selection, lines)
            .and_then(|found| selection.finish("x", found.predicted, found.warnings));
        match read {
            Ok(read) => format!("{read:?}"),
            Err(fault) => fault.into_error("x", text).to_string(),
        }
    }

    /// Rows of crambin's table, each value padded to its column's width.
    fn aligned_rows(rows: usize) -> Vec<u8> {
        let begin = CRAMBIN.find("loop_\n_atom_site.group_PDB").expect("the table");
        let end = CRAMBIN[begin..].match_indices("\nATOM ").nth(rows).expect("rows").0;
        format!("data_x\n{}\n", &CRAMBIN[begin..begin + end]).into_bytes()
    }

    #[test]
    fn aligned_lines_are_taken_without_their_words() {
        let mut selection = Selection::new(&ReadOptions::default(), atom_site::SYNTAX, 0);
        let text = aligned_rows(7);
        let table = std::str::from_utf8(&text).unwrap();
        let tags: Vec<_> =
            table.lines().filter(|line| line.starts_with('_')).map(|tag| tag.trim().as_bytes()).collect();
        let mut lexer = Lexer::new(&text);
        lexer.at = table.find("ATOM ").unwrap();
        let mut rows = Rows::new(tags.len(), tags[0]);
        let mut atoms = AtomSite::new(&text, Columns::find(&tags).unwrap(), &mut selection);
        let mut taken = 0;
        while taken == 0 && rows.next(&mut lexer).unwrap() {
            assert!(atoms.row(rows.edges()).unwrap());
            if let Some(end) = atoms.aligned_rows(rows.edges()).unwrap() {
                taken = text[rows.edges()[0]..end].split(|&c| c == b'\n').count() - 1;
            }
        }
        // Two show where values stand, the last is too near the text's end.
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
