//! Polymers of mmCIF and BinaryCIF.

use super::header::MADE;
use super::{Filling, Header, Molecule, PolymerAtoms, Position};
use crate::bcif;
use crate::cif::{CATEGORY, Lexer, Table, Token};
use crate::error::{Fault, Problem};
use crate::every_atom::coordinate;
use crate::number::integer;
use crate::system::each_record;
use memchr::memmem;

/// The tables that are read, and their items.
const CATEGORIES: [(&str, &[&str]); 11] = [
    (
        SCHEME,
        &["asym_id", "seq_id", "mon_id", "pdb_strand_id", "pdb_seq_num", "pdb_ins_code", "pdb_mon_id", "entity_id"],
    ),
    (
        "_struct_conn.",
        &["conn_type_id", "ptnr1_label_asym_id", "ptnr1_label_seq_id", "ptnr2_label_asym_id", "ptnr2_label_seq_id"],
    ),
    (
        "_entity.",
        &["id", "type", "pdbx_description", "pdbx_fragment", "pdbx_mutation", "pdbx_ec", "src_method", "details"],
    ),
    ("_entity_poly.", &["entity_id", "pdbx_strand_id"]),
    ("_entity_name_com.", &["entity_id", "name"]),
    ("_entity_src_gen.", &GENE_SOURCE),
    ("_entity_src_nat.", &NATURAL_SOURCE),
    ("_struct_keywords.", &["pdbx_keywords"]),
    ("_pdbx_database_status.", &["recvd_initial_deposition_date"]),
    ("_database_PDB_rev.", &["date_original"]),
    ("_audit_author.", &["name"]),
];

const SCHEME: &str = "_pdbx_poly_seq_scheme.";

const ATOMS: &str = "_atom_site.";
const ATOM_ITEMS: [&str; 15] = [
    "label_asym_id",
    "label_seq_id",
    "label_comp_id",
    "label_atom_id",
    "type_symbol",
    "auth_asym_id",
    "auth_seq_id",
    "auth_comp_id",
    "pdbx_PDB_ins_code",
    "label_entity_id",
    "pdbx_PDB_model_num",
    "group_PDB",
    "Cartn_x",
    "Cartn_y",
    "Cartn_z",
];

/// The molecule, and the items that [`MADE`] names as `SOURCE` does.
const GENE_SOURCE: [&str; 18] = [
    "entity_id",
    "gene_src_common_name",
    "pdbx_gene_src_gene",
    "gene_src_strain",
    "pdbx_gene_src_cell_line",
    "pdbx_gene_src_organelle",
    "pdbx_gene_src_cellular_location",
    "pdbx_gene_src_scientific_name",
    "pdbx_gene_src_ncbi_taxonomy_id",
    "pdbx_host_org_scientific_name",
    "pdbx_host_org_ncbi_taxonomy_id",
    "pdbx_host_org_strain",
    "pdbx_host_org_variant",
    "pdbx_host_org_cellular_location",
    "pdbx_host_org_vector_type",
    "pdbx_host_org_vector",
    "pdbx_host_org_gene",
    "plasmid_name",
];
const NATURAL_SOURCE: [&str; 9] = [
    "entity_id",
    "common_name",
    "strain",
    "pdbx_organism_scientific",
    "pdbx_ncbi_taxonomy_id",
    "pdbx_cellular_location",
    "pdbx_plasmid_name",
    "pdbx_organ",
    "details",
];
/// The names that `SOURCE` has for the items of [`NATURAL_SOURCE`] after the first.
const NATURAL_NAMES: [&str; 8] = [
    "ORGANISM_COMMON",
    "STRAIN",
    "ORGANISM_SCIENTIFIC",
    "ORGANISM_TAXID",
    "CELLULAR_LOCATION",
    "PLASMID",
    "ORGAN",
    "OTHER_DETAILS",
];

/// Reads mmCIF: the first data block with atoms.
pub(super) fn read(text: &[u8]) -> Result<PolymerAtoms, Fault> {
    let block = block_with_atoms(text)?;
    read_block(&block).map_err(|fault| block.in_file(fault))
}

fn read_block(block: &Block<'_>) -> Result<PolymerAtoms, Fault> {
    let &Block { text, id, is_one, .. } = block;
    let mut reader = Reader::default();
    for (place, (category, items)) in CATEGORIES.iter().enumerate() {
        each_record(text, category, items, &mut |row| {
            reader.row(place, row);
            Ok(())
        })?;
    }
    reader.begin_atoms();
    each_record(text, ATOMS, &ATOM_ITEMS, &mut |row| reader.atom(row))?;
    if reader.fits_nothing() {
        reader.without_scheme();
        each_record(text, ATOMS, &ATOM_ITEMS, &mut |row| reader.atom(row))?;
    }
    if !is_one {
        reader.notes.push("data blocks after the first one with atoms are not read".to_owned());
    }
    reader.finish(id)
}

/// A data block.
pub(crate) struct Block<'a> {
    /// Where it begins in its file.
    begin: usize,
    pub(crate) text: &'a [u8],
    /// Its name.
    id: &'a [u8],
    /// Whether no block follows.
    is_one: bool,
}

impl Block<'_> {
    /// A fault with its place in the file.
    pub(crate) fn in_file(&self, fault: Fault) -> Fault {
        Fault { offset: fault.offset.map(|at| self.begin + at), ..fault }
    }
}

/// The data block with the first table of atoms.
pub(crate) fn block_with_atoms(text: &[u8]) -> Result<Block<'_>, Fault> {
    let none = || Fault::whole(Problem::NoAtoms("no data block has an _atom_site table with rows"));
    let mut lexer = Lexer::new(text);
    let atoms = Table::next(&mut lexer, CATEGORY)?.ok_or_else(none)?;
    let (begin, id) = atoms.block.unwrap_or((0, b""));
    let end = end_of_block(lexer)?;
    Ok(Block { begin, text: &text[begin..end], id, is_one: end == text.len() })
}

/// Where the data block ends in which a lexer is.
pub(crate) fn end_of_block(mut lexer: Lexer<'_>) -> Result<usize, Fault> {
    // Most files have one block, which bytes show. Words tell whether such a line is part of a text.
    if memmem::find(&lexer.text[lexer.at..], b"\ndata_").is_none() {
        return Ok(lexer.text.len());
    }
    loop {
        if let (begin, Token::Data(_) | Token::End) = lexer.next()? {
            return Ok(begin);
        }
    }
}

/// Reads BinaryCIF: its first data block with atoms.
pub(super) fn read_binary(bytes: &[u8]) -> Result<PolymerAtoms, Fault> {
    let mut reader = Reader::default();
    // One by one: the first of several categories must be there.
    for (place, category) in CATEGORIES.into_iter().enumerate() {
        bcif::each_row(bytes, &[category], &mut |_, row| {
            reader.row(place, row);
            Ok(true)
        })
        .map_err(Fault::whole)?;
    }
    let atoms: [(&str, &[&str]); 1] = [(ATOMS, &ATOM_ITEMS)];
    let read = |reader: &mut Reader| {
        let mut atom = |_: usize, row: &[&[u8]]| reader.atom(row).map(|()| true);
        bcif::each_row(bytes, &atoms, &mut atom).map_err(Fault::whole)
    };
    reader.begin_atoms();
    read(&mut reader)?;
    if reader.fits_nothing() {
        reader.without_scheme();
        read(&mut reader)?;
    }
    let name = bcif::name_of_block(bytes).map_err(Fault::whole)?;
    reader.finish(name.as_bytes())
}

/// What an atom must have to belong to a row, beside the row's own names.
struct Link {
    chain: Vec<u8>,
    number: Vec<u8>,
    icode: Vec<u8>,
    name: Vec<u8>,
    entity: Vec<u8>,
}

#[derive(Default)]
struct Reader {
    filling: Filling,
    links: Vec<Link>,
    disulfides: Vec<[(u32, i32); 2]>,
    header: Header,
    entities: Vec<Entity>,
    notes: Vec<String>,
    /// The number of the model that is read.
    model: Option<Vec<u8>>,
    atoms: usize,
    has_more: bool,
    /// The residue of the last alpha carbon, and how many residues had one.
    last_alpha: Vec<u8>,
    alpha_carbons: usize,
    /// Whether rows are made from the atoms, and the last such atom's residue.
    from_atoms: Option<Option<Run>>,
    /// Whether any atom has a number in a sequence.
    has_numbers: bool,
}

#[derive(Default)]
struct Entity {
    id: Vec<u8>,
    molecule: Molecule,
    chains: Option<String>,
    synonyms: Vec<String>,
    after: Vec<(&'static str, String)>,
    is_synthetic: bool,
}

/// The residue of consecutive atoms.
#[derive(PartialEq)]
struct Run {
    row: usize,
    of: [Vec<u8>; 5],
    number: i32,
    position: Position,
}

fn text(value: &[u8]) -> String {
    crate::text_of(value)
}

impl Reader {
    /// Takes a row of [`CATEGORIES`].
    fn row(&mut self, category: usize, row: &[&[u8]]) {
        match (category, row) {
            (0, &[asym, seq, name, chain, number, icode, shown, entity]) => {
                let Some(seq) = integer(seq) else { return };
                let asym = self.filling.asym(asym);
                let position = Position { asym, seq, name: name.to_vec() };
                self.filling.row(position, chain, integer(number).unwrap_or(0), icode);
                let [chain, number, icode, name, entity] = [chain, number, icode, shown, entity].map(<[u8]>::to_vec);
                self.links.push(Link { chain, number, icode, name, entity });
            }
            (1, &[kind, a, a_seq, b, b_seq]) if kind.eq_ignore_ascii_case(b"disulf") => {
                if let (Some(a_seq), Some(b_seq)) = (integer(a_seq), integer(b_seq)) {
                    let [a, b] = [a, b].map(|id| self.filling.asym(id));
                    self.disulfides.push([(a, a_seq), (b, b_seq)]);
                }
            }
            (2, &[id, kind, description, fragment, mutation, ec, source, details])
                if kind.eq_ignore_ascii_case(b"polymer") =>
            {
                let given = |name, value: &[u8]| (!value.is_empty()).then(|| (name, text(value)));
                let is_made = [b"man", b"syn"].iter().any(|made| source.eq_ignore_ascii_case(*made));
                let after = [
                    given("MUTATION", mutation),
                    given("EC", ec),
                    is_made.then(|| ("ENGINEERED", "YES".to_owned())),
                    given("OTHER_DETAILS", details),
                ];
                let molecule = Molecule {
                    compound: [Some(("MOLECULE", text(description))), given("FRAGMENT", fragment)]
                        .into_iter()
                        .flatten()
                        .collect(),
                    source: Vec::new(),
                };
                self.entities.push(Entity {
                    id: id.to_vec(),
                    molecule,
                    after: after.into_iter().flatten().collect(),
                    is_synthetic: source.eq_ignore_ascii_case(b"syn"),
                    ..Entity::default()
                });
            }
            (3, &[id, chains]) => {
                let chains = text(chains).replace(',', ", ");
                self.entity(id, |entity| {
                    entity.chains.get_or_insert(chains);
                });
            }
            (4, &[id, name]) if !name.is_empty() => {
                let name = text(name);
                self.entity(id, |entity| entity.synonyms.push(name));
            }
            (5, &[id, ref rest @ ..]) => self.source(id, &MADE, rest),
            (6, &[id, ref rest @ ..]) => self.source(id, &NATURAL_NAMES, rest),
            (7, &[words]) => {
                self.header.keywords.get_or_insert(text(words));
            }
            (8 | 9, &[date]) if self.header.date.is_empty() => self.header.date = text(date),
            (10, &[name]) => self.header.authors.push(text(name)),
            _ => {}
        }
    }

    fn entity(&mut self, id: &[u8], change: impl FnOnce(&mut Entity)) {
        if let Some(entity) = self.entities.iter_mut().find(|entity| entity.id == id) {
            change(entity);
        }
    }

    fn source(&mut self, id: &[u8], names: &[&'static str], values: &[&[u8]]) {
        let given = names.iter().zip(values).filter(|(_, value)| !value.is_empty());
        let given: Vec<_> = given.map(|(name, value)| (*name, text(value))).collect();
        self.entity(id, |entity| entity.molecule.source.extend(given));
    }

    fn begin_atoms(&mut self) {
        (self.model, self.atoms, self.has_more) = (None, 0, false);
        (self.last_alpha, self.alpha_carbons) = (Vec::new(), 0);
    }

    /// Whether the table of residues is missing, or no atom fits it.
    fn fits_nothing(&self) -> bool {
        self.atoms > 0 && !self.filling.has_any()
    }

    /// Makes the table from the atoms, which are read once more.
    fn without_scheme(&mut self) {
        if !self.filling.polymers.residues.is_empty() {
            self.notes.push(format!("no atom belongs to {SCHEME}; residues are taken from the atoms"));
        }
        self.filling.polymers.residues.clear();
        self.filling.rows.clear();
        self.filling.seen.clear();
        self.links.clear();
        self.from_atoms = Some(None);
        self.begin_atoms();
    }

    /// Takes an atom of the model 1, or if no model has that number, of the first.
    fn atom(&mut self, row: &[&[u8]]) -> Result<(), Problem> {
        let &[asym, seq, name, atom, element, chain, number, shown, icode, entity, model, group, x, y, z] = row else {
            return Ok(());
        };
        match &self.model {
            Some(own) if own == model => {}
            Some(own) => {
                self.has_more = true;
                if own == b"1" || model != b"1" {
                    return Ok(());
                }
                self.filling.clear();
                self.alpha_carbons = 0;
                self.model = Some(model.to_vec());
            }
            None => self.model = Some(model.to_vec()),
        }
        self.atoms += 1;
        self.has_numbers |= !seq.is_empty();
        if atom == b"CA" && !element.eq_ignore_ascii_case(b"CA") {
            let residue = [asym, seq, chain, number, icode].join(&b' ');
            self.alpha_carbons += usize::from(residue != self.last_alpha);
            self.last_alpha = residue;
        }
        let found = match self.from_atoms {
            None => self.row_of(asym, seq, name, [chain, number, icode, shown, entity]),
            Some(_) => self.run_of(asym, seq, name, [chain, number, icode, group]),
        };
        let Some(found) = found else { return Ok(()) };
        let position = [
            coordinate("_atom_site.Cartn_x", x)?,
            coordinate("_atom_site.Cartn_y", y)?,
            coordinate("_atom_site.Cartn_z", z)?,
        ];
        self.filling.atom(found, atom, element, position);
        Ok(())
    }

    /// The row of the table that an atom belongs to.
    fn row_of(
        &mut self,
        asym: &[u8],
        seq: &[u8],
        name: &[u8],
        [chain, number, icode, shown, entity]: [&[u8]; 5],
    ) -> Option<usize> {
        let asym = *self.filling.by_asym.get(asym)?;
        let position = Position { asym, seq: integer(seq)?, name: name.to_vec() };
        let row = *self.filling.rows.get(&position)?;
        let link = &self.links[row];
        // The author's names may be missing; mmCIF's own names must be there.
        let fits = |own: &[u8], given: &[u8]| given.is_empty() || own == given;
        let is_it = link.chain == chain
            && link.entity == entity
            && fits(&link.number, number)
            && fits(&link.icode, icode)
            && fits(&link.name, shown);
        is_it.then_some(row)
    }

    /// The residue of an atom of a file without the table: a run of consecutive atoms.
    fn run_of(
        &mut self,
        asym: &[u8],
        seq: &[u8],
        name: &[u8],
        [chain, number, icode, group]: [&[u8]; 4],
    ) -> Option<usize> {
        // Ligands have no number in a sequence; in files without such numbers they are `HETATM` records.
        if seq.is_empty() && (self.has_numbers || group == b"HETATM") {
            return None;
        }
        let asym = if asym.is_empty() { chain } else { asym };
        let chain = if chain.is_empty() { asym } else { chain };
        let of = [asym, seq, name, number, icode].map(<[u8]>::to_vec);
        let last = self.from_atoms.as_ref().and_then(Option::as_ref);
        if let Some(run) = last.filter(|run| run.of == of) {
            return Some(run.row);
        }
        let asym = self.filling.asym(asym);
        let shown = integer(number).or_else(|| integer(seq)).unwrap_or(0);
        // Without numbers in a sequence, those of the author say where residues are missing.
        let seq = integer(seq).unwrap_or_else(|| match last.filter(|run| run.position.asym == asym) {
            Some(run) => run.position.seq.saturating_add(shown.saturating_sub(run.number).max(1)),
            None => 1,
        });
        let position = Position { asym, seq, name: name.to_vec() };
        let row = self.filling.polymers.residues.len();
        self.filling.row(position.clone(), chain, shown, icode);
        self.from_atoms = Some(Some(Run { row, of, number: shown, position }));
        Some(row)
    }

    fn finish(mut self, id: &[u8]) -> Result<PolymerAtoms, Fault> {
        if self.atoms == 0 {
            return Err(Fault::whole(Problem::NoAtoms("no data block has an _atom_site table with rows")));
        }
        if self.has_more {
            let model = text(&self.model.unwrap_or_default());
            self.notes.push(format!("model {model} is read, and no other"));
        }
        self.header.id = text(id);
        self.header.molecules = self.entities.into_iter().map(Entity::molecule).collect();
        let mut polymers = self.filling.finish(&self.disulfides, &[]);
        (polymers.header, polymers.notes, polymers.alpha_carbons) = (self.header, self.notes, self.alpha_carbons);
        Ok(polymers)
    }
}

impl Entity {
    fn molecule(self) -> Molecule {
        let Molecule { mut compound, mut source } = self.molecule;
        let fragment = compound.split_off(1);
        compound.extend(self.chains.map(|chains| ("CHAIN", chains)));
        compound.extend(fragment);
        compound.extend(self.synonyms.into_iter().map(|name| ("SYNONYM", name)));
        compound.extend(self.after);
        if self.is_synthetic {
            source.insert(0, ("SYNTHETIC", "YES".to_owned()));
        }
        Molecule { compound, source }
    }
}
