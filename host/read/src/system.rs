//! Everything in a file's first model that interactions need: every atom, the bonds that the file names, and the bonds of its
//! chemical components.

use super::bcif;
use super::cif::{Lexer, Table, unquote};
use super::compressed::plain;
use super::error::{Fault, Problem, ReadError};
use super::every_atom::{ATOM_ITEMS, AtomRecord, AtomRows, DamagedWater, each_atom_of};
use super::format::{Format, format_of_named, normal};
use super::lines::lines;
use super::links::{self, Declared, LinkEnd, LinkKind};
use super::number::pdb_residue_number;
use super::pdb;
use memchr::memmem;

/// An item that each table of atoms has once.
const COORDINATE: &[u8] = b"_atom_site.Cartn_x";

/// The items of `_chem_comp_bond` that are read.
const BOND_ITEMS: [&str; 4] = ["comp_id", "atom_id_1", "atom_id_2", "value_order"];

/// What takes the contents of a file.
pub trait SystemContents {
    /// Takes an atom.
    fn atom(&mut self, atom: AtomRecord<'_>) -> Result<(), Problem>;
    /// The file has models or data blocks with atoms that are not read.
    fn further(&mut self);
    /// Damaged records of water, or of points that are no atoms, were left out.
    fn left_out(&mut self, records: usize);
    /// Takes a bond between residues: mmCIF's `_struct_conn`, `LINK` and `SSBOND` of PDB.
    fn link(&mut self, kind: LinkKind, ends: [LinkEnd<'_>; 2]);
    /// The file declares a bond to another copy in the crystal.
    fn to_copy(&mut self);
    /// Takes a bond between atoms with these serial numbers: `CONECT` of PDB.
    fn conect(&mut self, serials: [i32; 2]);
    /// Takes a bond of a chemical component.
    fn component_bond(&mut self, bond: ComponentBond<'_>);
    /// Takes the name of a residue of a chain's sequence, in order: `SEQRES` of PDB. Atoms of mmCIF have their numbers in it.
    fn sequence(&mut self, chain: &[u8], name: &[u8]);
    /// Takes the author's number of a residue that was not observed: `REMARK 465` of PDB.
    fn unobserved(&mut self, chain: &[u8], number: i32);
}

/// A bond of a chemical component (`_chem_comp_bond`).
#[derive(Clone, Copy, Debug)]
pub struct ComponentBond<'a> {
    /// The component's id.
    pub component: &'a [u8],
    /// The names of the two atoms.
    pub atoms: [&'a [u8]; 2],
    /// `SING`, `DOUB`, `TRIP`, `AROM` and the like.
    pub order: &'a [u8],
}

/// Reads a PDB, mmCIF or BinaryCIF file, plain or compressed. `name` is the file's name in errors.
///
/// # Errors
/// If the file has another format or no atoms, if a record is damaged, or if `into` refuses an atom.
pub fn read_system(bytes: &[u8], name: &str, into: &mut dyn SystemContents) -> Result<(), ReadError> {
    let text = plain(bytes).map_err(|problem| ReadError { name: name.to_owned(), line: None, problem })?;
    let text = normal(&text);
    let format = format_of_named(&text, name);
    let read = |text: &[u8], into: &mut dyn SystemContents| {
        let otherwise = "interactions are computed from PDB, mmCIF and BinaryCIF; convert the file, or give the .cif or .pdb file of the entry";
        let not_taken = each_atom_of(text, format, otherwise, DamagedWater::LeftOut, &mut |atom| into.atom(atom))?;
        into.left_out(not_taken.left_out);
        // Not the item of its standard uncertainty, _atom_site.Cartn_x_esd.
        let is_whole = |at: &usize| text.get(at + COORDINATE.len()).is_none_or(|next| next.is_ascii_whitespace());
        let mut blocks = memmem::find_iter(text, COORDINATE).filter(is_whole).skip(1);
        if not_taken.has_more || format == Format::Cif && blocks.next().is_some() {
            into.further();
        }
        match format {
            Format::Cif => {
                component_bonds(text, into)?;
                struct_conn(text, into)
            }
            _ => {
                let mut records = pdb::Links::new(text);
                lines(text).for_each(|(_, line)| {
                    bond_of_line(line, &mut records, into);
                    sequence_of_line(line, into);
                });
                Ok(())
            }
        }
    };
    match format {
        Format::BinaryCif => binary(&text, into).map_err(|fault| fault.into_error(name, &text)),
        _ => read(&text, into).map_err(|fault| fault.into_error(name, &text)),
    }
}

/// Reads BinaryCIF.
fn binary(bytes: &[u8], into: &mut dyn SystemContents) -> Result<(), Fault> {
    let categories: [(&str, &[&str]); 3] =
        [("_atom_site.", &ATOM_ITEMS), ("_chem_comp_bond.", &BOND_ITEMS), (links::CATEGORY, &links::ITEMS)];
    let mut atoms = AtomRows::default();
    atoms.damaged = DamagedWater::LeftOut;
    bcif::each_row(bytes, &[("_atom_site.", &[]), ("_entity.", &["id", "type"])], &mut |category, row| {
        if let (1, &[id, kind]) = (category, row) {
            atoms.entities.push(id, kind);
        }
        Ok(category == 1)
    })
    .map_err(Fault::whole)?;
    let blocks = bcif::each_row(bytes, &categories, &mut |category, row| {
        if let (0, Ok(row)) = (category, row.try_into()) {
            return atoms.row(row, &mut |atom| into.atom(atom));
        }
        if let (1, &[component, a, b, order]) = (category, row) {
            into.component_bond(ComponentBond { component, atoms: [a, b], order });
        } else if category == 2 {
            link(links::of_row(row), into);
        }
        Ok(true)
    });
    let blocks = blocks.map_err(Fault::whole)?;
    let not_taken = atoms.end()?;
    into.left_out(not_taken.left_out);
    if not_taken.has_more || blocks > 1 {
        into.further();
    }
    Ok(())
}

/// Reads the bonds of chemical components: the Chemical Component Dictionary, or files of single ones.
///
/// # Errors
/// If the file is no mmCIF, has no such bonds, or is damaged.
pub fn read_components(bytes: &[u8], name: &str, into: &mut dyn SystemContents) -> Result<(), ReadError> {
    let text = plain(bytes).map_err(|problem| ReadError { name: name.to_owned(), line: None, problem })?;
    let text = normal(&text);
    let what =
        "no _chem_comp_bond table; give the Chemical Component Dictionary (components.cif) or files of its components";
    let read = match memmem::find(&text, b"_chem_comp_bond.") {
        None => Err(Fault::whole(Problem::OtherFormat(what))),
        Some(_) => component_bonds(&text, into),
    };
    read.map_err(|fault| fault.into_error(name, &text))
}

fn component_bonds(text: &[u8], into: &mut dyn SystemContents) -> Result<(), Fault> {
    each_record(text, "_chem_comp_bond.", &BOND_ITEMS, &mut |row| {
        if let &[component, a, b, order] = row {
            into.component_bond(ComponentBond { component, atoms: [a, b], order });
        }
        Ok(())
    })
}

fn struct_conn(text: &[u8], into: &mut dyn SystemContents) -> Result<(), Fault> {
    each_record(text, links::CATEGORY, &links::ITEMS, &mut |row| {
        link(links::of_row(row), into);
        Ok(())
    })
}

/// Takes a bond. One that leads to another copy in the crystal is not within the structure.
fn link(declared: Option<Declared<'_>>, into: &mut dyn SystemContents) {
    match declared {
        Some(Declared { kind, ends, is_within: true }) => into.link(kind, ends),
        Some(_) => into.to_copy(),
        None => {}
    }
}

/// What takes the items of a row.
type TakeRecord<'t, 'a> = dyn FnMut(&[&'a [u8]]) -> Result<(), Problem> + 't;

/// Calls `take` with the items of each row of a category, whose name ends with a dot, in all data blocks: loops, and rows outside
/// of them. What is not given is empty.
pub(super) fn each_record<'a>(
    text: &'a [u8],
    category: &str,
    items: &[&str],
    take: &mut TakeRecord<'_, 'a>,
) -> Result<(), Fault> {
    let is_item = |tag: &[u8], item: &str| {
        let (head, tail) = tag.split_at_checked(category.len()).unwrap_or_default();
        head.eq_ignore_ascii_case(category.as_bytes()) && tail.eq_ignore_ascii_case(item.as_bytes())
    };
    let columns_of = |tags: &[&[u8]]| -> Vec<usize> {
        items.iter().map(|item| tags.iter().position(|tag| is_item(tag, item)).unwrap_or(tags.len())).collect()
    };
    let mut row = vec![&b""[..]; items.len()];
    let mut take = |columns: &[usize], edges: &[usize]| {
        for (own, &column) in row.iter_mut().zip(columns) {
            let raw = &text[edges[2 * column]..edges[2 * column + 1]];
            *own = if matches!(raw, b"?" | b".") { &b""[..] } else { unquote(raw) };
        }
        take(&row).map_err(|problem| Fault::at(edges[0], problem))
    };
    let mut lexer = Lexer::new(text);
    while let Some(table) = Table::next(&mut lexer, category.as_bytes())? {
        let columns = columns_of(&table.tags);
        table.each_row(&mut lexer, |edges| take(&columns, edges).map(|()| true))?;
    }
    Ok(())
}

/// Takes the residues of sequences in a line of a PDB file.
fn sequence_of_line(line: &[u8], into: &mut dyn SystemContents) {
    if line.starts_with(b"SEQRES")
        && let (Some(chain), Some(names)) = (line.get(11..12), line.get(19..line.len().min(70)))
    {
        names.split(|c| *c == b' ').filter(|name| !name.is_empty()).for_each(|name| into.sequence(chain, name));
    } else if line.starts_with(b"REMARK 465")
        && let (Some(chain), Some(number)) = (line.get(19..20), line.get(21..26))
        && let Some(number) = pdb_residue_number(number.trim_ascii())
    {
        into.unobserved(chain, number);
    }
}

/// Takes the bonds in a line of a PDB file.
fn bond_of_line<'a>(line: &'a [u8], records: &mut pdb::Links<'a>, into: &mut dyn SystemContents) {
    match pdb::conect(line) {
        Some(bonds) => bonds.for_each(|serials| into.conect(serials)),
        None => link(records.of(line), into),
    }
}
