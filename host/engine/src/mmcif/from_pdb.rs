//! The first model of a PDB file as mmCIF.

use super::places::{Named, Positions, Reference, named};
use super::{Ids, Table};
use prism_read::{AtomRecord, HeaderOfPdb, PolymerResidue, Problem, ReadError, each_atom_but_damaged_water, text_of};
use std::collections::{BTreeMap, HashMap};

const ATOM: [&str; 19] = [
    "group_PDB",
    "id",
    "type_symbol",
    "label_atom_id",
    "label_alt_id",
    "label_comp_id",
    "label_asym_id",
    "label_entity_id",
    "label_seq_id",
    "pdbx_PDB_ins_code",
    "Cartn_x",
    "Cartn_y",
    "Cartn_z",
    "occupancy",
    "B_iso_or_equiv",
    "auth_seq_id",
    "auth_comp_id",
    "auth_asym_id",
    "pdbx_PDB_model_num",
];

const WATER: [&str; 6] = ["HOH", "H2O", "OH2", "WAT", "DOD", "TIP"];

/// The polymers of a file, and what mmCIF calls them.
pub(crate) struct Polymers<'a> {
    /// The entry's id.
    pub(crate) entry: &'a str,
    /// What the file says about itself.
    pub(crate) header: &'a HeaderOfPdb,
    /// What its B column holds, if that is known.
    pub(crate) b_column: Option<&'a str>,
    /// mmCIF's ids of chains.
    pub(crate) asyms: &'a [String],
    /// The ids after those.
    pub(crate) ids: Ids,
    /// Residues with the whole backbone, and all others.
    pub(crate) residues: [&'a [PolymerResidue]; 2],
    /// Bonds between residues.
    pub(crate) disulfides: Vec<Disulfide<'a>>,
    /// Stretches of chains in sequences of UniProt.
    pub(crate) references: &'a [Reference],
    /// Whether atoms of an alternate location belong to a residue of their number, whatever their residue's name is.
    pub(crate) share_positions: bool,
}

/// A disulfide between residues.
pub(crate) struct Disulfide<'a> {
    pub(crate) ends: [&'a PolymerResidue; 2],
    /// The symmetry operators of its ends; empty if the file has none.
    pub(crate) operators: &'a [String; 2],
}

impl<'a> Polymers<'a> {
    fn each(&self) -> impl Iterator<Item = &'a PolymerResidue> {
        self.residues.into_iter().flatten()
    }
}

/// Residues by their names.
struct Known<'r> {
    by_name: HashMap<Named<'r>, &'r PolymerResidue>,
    positions: Positions<'r>,
    /// Of each stretch of records with one chain, number and insertion code, in their order, the residue that some of them have.
    stretches: Vec<Option<&'r PolymerResidue>>,
}

/// The chain, number and insertion code of an atom.
type At = (String, i32, String);

fn at(atom: &AtomRecord<'_>) -> At {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes.trim_ascii()).into_owned();
    (text(atom.chain), atom.number, text(atom.icode))
}

impl<'r> Known<'r> {
    fn of(polymers: &Polymers<'r>, bytes: &[u8], name: &str) -> Result<Self, ReadError> {
        let by_name = polymers.each().map(|own| (named(own), own)).collect();
        let mut known = Self { by_name, positions: Positions::of(polymers.each()), stretches: Vec::new() };
        if polymers.share_positions {
            let mut last = None;
            each_atom_but_damaged_water(bytes, name, &mut |atom| {
                let place = at(&atom);
                let own = known.named(&place, &text_of(atom.residue));
                if last.as_ref() != Some(&place) {
                    known.stretches.push(None);
                    last = Some(place);
                }
                if let (Some(own), Some(stretch)) = (own, known.stretches.last_mut()) {
                    stretch.get_or_insert(own);
                }
                Ok(())
            })?;
        }
        Ok(known)
    }

    fn named(&self, (chain, number, icode): &At, name: &str) -> Option<&'r PolymerResidue> {
        self.by_name.get(&(chain, *number, icode, name)).copied()
    }

    /// The chain and number of a residue of a file's own polymers.
    fn place(&self, own: &PolymerResidue) -> Option<(u32, i32)> {
        let by_name = self.by_name.get(&named(own)).copied();
        by_name
            .or_else(|| self.positions.get(own.chain.trim(), own.number, own.icode.trim()))
            .map(|own| (own.asym, own.seq))
    }
}

/// Writes the atoms, the residues of polymers, and the chains and entities that mmCIF refers to. Each chain of a polymer is an entity of its
/// own.
pub(crate) fn from_pdb(polymers: &Polymers<'_>, bytes: &[u8], name: &str) -> Result<String, ReadError> {
    let asyms = polymers.asyms;
    let known = Known::of(polymers, bytes, name)?;
    let mut entity = Table::new("entity", ["id", "type"]);
    let mut asym = Table::new("struct_asym", ["id", "entity_id"]);
    for (place, name) in asyms.iter().enumerate() {
        entity.rows.push(vec![(place + 1).to_string(), "polymer".to_owned()]);
        asym.rows.push(vec![name.clone(), (place + 1).to_string()]);
    }
    let (mut others, mut ids) = (HashMap::<(At, String), String>::new(), polymers.ids.clone());
    let mut entities: HashMap<String, usize> = HashMap::new();
    let mut atoms = Table::new("atom_site", ATOM);
    // Other names at a residue's position.
    let mut shared: BTreeMap<(u32, i32, String), PolymerResidue> = BTreeMap::new();
    let (mut stretches, mut last) = (known.stretches.iter(), None);
    let mut stretch = None;
    let mut failed = None;
    each_atom_but_damaged_water(bytes, name, &mut |atom| {
        let or = |value: String, none: &str| if value.trim().is_empty() { none.to_owned() } else { value };
        let (place, residue) = (at(&atom), text_of(atom.residue));
        let is_water = WATER.contains(&residue.as_str());
        if last.as_ref() != Some(&place) {
            stretch = stretches.next().copied().flatten();
            last = Some(place.clone());
        }
        let is_alternate = !atom.alternate.is_empty() && !is_water;
        let own = known.named(&place, &residue).or_else(|| {
            let own = stretch.filter(|_| is_alternate)?;
            let other = || PolymerResidue { name: residue.clone(), ..own.clone() };
            shared.entry((own.asym, own.seq, residue.clone())).or_insert_with(other);
            Some(own)
        });
        let (asym_id, entity_id, seq) = match own {
            Some(own) => (asyms[own.asym as usize].clone(), own.asym as usize + 1, own.seq.to_string()),
            None => {
                let next = entities.len() + asyms.len() + 1;
                let of = *entities.entry(residue.clone()).or_insert_with(|| {
                    let kind = if is_water { "water" } else { "non-polymer" };
                    entity.rows.push(vec![next.to_string(), kind.to_owned()]);
                    next
                });
                // Waters of a chain share its id.
                let chain = place.0.clone();
                let key = if is_water { ((chain, 0, String::new()), String::new()) } else { (place, residue.clone()) };
                let own = others.entry(key).or_insert_with(|| {
                    let own = ids.next();
                    asym.rows.push(vec![own.clone(), of.to_string()]);
                    own
                });
                (own.clone(), of, ".".to_owned())
            }
        };
        let [x, y, z] = atom.position.map(|along| format!("{along:.3}"));
        let b = if atom.b.is_nan() { String::new() } else { format!("{:.2}", atom.b) };
        if residue.is_empty() {
            failed = Some(Problem::Syntax("an atom has no residue name".to_owned()));
        }
        atoms.rows.push(vec![
            if atom.is_hetatm { "HETATM" } else { "ATOM" }.to_owned(),
            (atoms.rows.len() + 1).to_string(),
            or(text_of(atom.element), "?"),
            text_of(atom.name),
            or(text_of(atom.alternate), "."),
            residue.clone(),
            asym_id,
            entity_id.to_string(),
            seq,
            text_of(atom.icode),
            x,
            y,
            z,
            format!("{:.2}", atom.occupancy),
            b,
            atom.number.to_string(),
            residue,
            or(text_of(atom.chain), "?"),
            "1".to_owned(),
        ]);
        Ok(())
    })?;
    if let Some(problem) = failed {
        return Err(ReadError { name: name.to_owned(), line: None, problem });
    }
    let block: String = polymers.entry.chars().filter(char::is_ascii_graphic).collect();
    let mut text = format!("data_{block}\n#\n_entry.id {block}\n#\n");
    let mut title = Table::new("struct", ["entry_id", "title"]);
    if !polymers.header.title.is_empty() {
        title.rows.push(vec![block.clone(), polymers.header.title.clone()]);
    }
    let mut experiment = Table::new("exptl", ["entry_id", "method"]);
    experiment.rows.extend(polymers.header.methods.iter().map(|method| vec![block.clone(), method.clone()]));
    let mut holds = Table::new("prism_b_column", ["holds"]);
    holds.rows.extend(polymers.b_column.map(|held| vec![held.to_owned()]));
    let bonds = bonds(polymers, &known);
    let [sequences, stretches] = references(polymers);
    let scheme = scheme(polymers, shared.into_values().collect());
    for table in [title, experiment, holds, entity, sequences, stretches, asym, scheme, bonds, atoms] {
        table.write(&mut text);
    }
    Ok(text)
}

/// The table of disulfides.
fn bonds(polymers: &Polymers<'_>, known: &Known<'_>) -> Table {
    const END: [&str; 9] = [
        "label_asym_id",
        "label_comp_id",
        "label_seq_id",
        "label_atom_id",
        "auth_asym_id",
        "auth_comp_id",
        "auth_seq_id",
        "symmetry",
        "PDB_ins_code",
    ];
    let item = |end: usize, item: &str| match item {
        "PDB_ins_code" => format!("pdbx_ptnr{end}_{item}"),
        _ => format!("ptnr{end}_{item}"),
    };
    let ends = [1, 2].into_iter().flat_map(|end| END.map(|own| item(end, own)));
    let mut table = Table::new("struct_conn", ["id", "conn_type_id"].map(str::to_owned).into_iter().chain(ends));
    for Disulfide { ends, operators } in &polymers.disulfides {
        let end = |of: usize| {
            let (own, (asym, seq)) = (ends[of], known.place(ends[of])?);
            let given = |value: &str, none: &str| if value.trim().is_empty() { none } else { value }.to_owned();
            Some([
                polymers.asyms[asym as usize].clone(),
                own.name.clone(),
                seq.to_string(),
                "SG".to_owned(),
                given(&own.chain, "?"),
                own.name.clone(),
                own.number.to_string(),
                given(&operators[of], "?"),
                given(&own.icode, "?"),
            ])
        };
        if let (Some(a), Some(b)) = (end(0), end(1)) {
            let head = [format!("disulf{}", table.rows.len() + 1), "disulf".to_owned()];
            table.rows.push(head.into_iter().chain(a).chain(b).collect());
        }
    }
    table
}

/// The tables of sequences, and of stretches of chains in them.
fn references(polymers: &Polymers<'_>) -> [Table; 2] {
    // The dictionary wants a code of the database, which a structure does not keep, and some readers look for the item.
    let mut sequences = Table::new("struct_ref", ["id", "entity_id", "db_name", "db_code", "pdbx_db_accession"]);
    let items = [
        "align_id",
        "ref_id",
        "pdbx_strand_id",
        "seq_align_beg",
        "seq_align_end",
        "pdbx_db_accession",
        "db_align_beg",
        "db_align_end",
    ];
    let mut stretches = Table::new("struct_ref_seq", items);
    let mut ids: HashMap<(u32, &str), String> = HashMap::new();
    for own in polymers.references {
        let next = (ids.len() + 1).to_string();
        let id = ids.entry((own.asym, &own.accession)).or_insert_with(|| {
            let (entity, accession) = ((own.asym + 1).to_string(), own.accession.clone());
            sequences.rows.push(vec![next.clone(), entity, "UNP".to_owned(), "?".to_owned(), accession]);
            next
        });
        let asym = &polymers.asyms[own.asym as usize];
        let chain = if own.chain.trim().is_empty() { asym } else { &own.chain };
        let ([first, last], begin) = (own.numbers, own.begin);
        let numbers = [first, last, begin, begin + (last - first)].map(|number| number.to_string());
        let [first, last, begin, end] = numbers;
        let align = (stretches.rows.len() + 1).to_string();
        stretches.rows.push(vec![align, id.clone(), chain.clone(), first, last, own.accession.clone(), begin, end]);
    }
    [sequences, stretches]
}

/// The table of residues, with other names at their positions.
fn scheme(polymers: &Polymers<'_>, shared: Vec<PolymerResidue>) -> Table {
    let mut table = Table::new(
        "pdbx_poly_seq_scheme",
        [
            "asym_id",
            "entity_id",
            "seq_id",
            "mon_id",
            "ndb_seq_num",
            "pdb_seq_num",
            "auth_seq_num",
            "pdb_mon_id",
            "auth_mon_id",
            "pdb_strand_id",
            "pdb_ins_code",
        ],
    );
    let mut all: Vec<&PolymerResidue> = polymers.each().chain(&shared).collect();
    all.sort_by_key(|own| (own.asym, own.seq));
    table.rows = all
        .into_iter()
        .map(|own| {
            let (name, seq, number) = (own.name.clone(), own.seq.to_string(), own.number.to_string());
            let icode = if own.icode.is_empty() { ".".to_owned() } else { own.icode.clone() };
            let (asym, entity) = (polymers.asyms[own.asym as usize].clone(), (own.asym + 1).to_string());
            let chain = if own.chain.trim().is_empty() { "?".to_owned() } else { own.chain.clone() };
            let names = [name.clone(), name.clone(), name.clone()];
            let [mon, shown, author] = names;
            vec![asym, entity, seq.clone(), mon, seq, number.clone(), number, shown, author, chain, icode]
        })
        .collect();
    table
}
