//! The first model of a PDB file as mmCIF.

use super::{Table, id};
use prism_read::{HeaderOfPdb, PolymerResidue, Problem, ReadError, each_atom_but_damaged_water};
use std::collections::HashMap;

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

/// A residue by the author's names: chain, number, insertion code, name.
type Named = (String, i32, String, String);

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
    /// Residues with the whole backbone, and all others.
    pub(crate) residues: [&'a [PolymerResidue]; 2],
}

impl<'a> Polymers<'a> {
    fn each(&self) -> impl Iterator<Item = &'a PolymerResidue> {
        self.residues.into_iter().flatten()
    }
}

/// Writes the atoms, the residues of polymers, and the chains and entities that mmCIF refers to. Each chain of a polymer is an entity of its
/// own.
pub(crate) fn from_pdb(polymers: &Polymers<'_>, bytes: &[u8], name: &str) -> Result<String, ReadError> {
    let asyms = polymers.asyms;
    let mut by_name: HashMap<Named, (u32, i32)> = HashMap::new();
    for own in polymers.each() {
        by_name.insert((own.chain.clone(), own.number, own.icode.clone(), own.name.clone()), (own.asym, own.seq));
    }
    let mut entity = Table::new("entity", ["id", "type"]);
    let mut asym = Table::new("struct_asym", ["id", "entity_id"]);
    for (place, name) in asyms.iter().enumerate() {
        entity.rows.push(vec![(place + 1).to_string(), "polymer".to_owned()]);
        asym.rows.push(vec![name.clone(), (place + 1).to_string()]);
    }
    let mut others: HashMap<Named, usize> = HashMap::new();
    let mut entities: HashMap<String, usize> = HashMap::new();
    let mut atoms = Table::new("atom_site", ATOM);
    let mut failed = None;
    each_atom_but_damaged_water(bytes, name, &mut |atom| {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let or = |value: String, none: &str| if value.trim().is_empty() { none.to_owned() } else { value };
        let (chain, icode, residue) = (text(atom.chain), text(atom.icode), text(atom.residue));
        let key = (chain.clone(), atom.number, icode.clone(), residue.clone());
        let (asym_id, entity_id, seq) = match by_name.get(&key) {
            Some((place, seq)) => (asyms[*place as usize].clone(), *place as usize + 1, seq.to_string()),
            None => {
                let is_water = WATER.contains(&residue.as_str());
                let next = entities.len() + asyms.len() + 1;
                let of = *entities.entry(residue.clone()).or_insert_with(|| {
                    let kind = if is_water { "water" } else { "non-polymer" };
                    entity.rows.push(vec![next.to_string(), kind.to_owned()]);
                    next
                });
                // Waters of a chain share its id.
                let key = if is_water { (chain.clone(), 0, String::new(), String::new()) } else { key };
                let next = others.len() + asyms.len();
                let place = *others.entry(key).or_insert_with(|| {
                    asym.rows.push(vec![id(next), of.to_string()]);
                    next
                });
                (id(place), of, ".".to_owned())
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
            or(text(atom.element), "?"),
            text(atom.name),
            or(text(atom.alternate), "."),
            residue.clone(),
            asym_id,
            entity_id.to_string(),
            seq,
            icode,
            x,
            y,
            z,
            format!("{:.2}", atom.occupancy),
            b,
            atom.number.to_string(),
            residue,
            or(chain, "?"),
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
    for table in [title, experiment, holds, entity, asym, scheme(polymers), atoms] {
        table.write(&mut text);
    }
    Ok(text)
}

/// The table of residues.
fn scheme(polymers: &Polymers<'_>) -> Table {
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
    let mut all: Vec<&PolymerResidue> = polymers.each().collect();
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
