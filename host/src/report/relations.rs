//! What other commands find in a structure, for its view: ligands, interfaces of chains, and interactions.

use super::atoms::identity;
use prism_engine::Engine;
use prism_engine::contacts::interfaces;
use prism_engine::interactions::{Interaction, Interactions, Kind, Options, interactions, interactions_of};
use prism_engine::ligands::{Bond, Partner, ligands};
use prism_io::inputs::InputFile;
use prism_io::output::StructureRows;
use prism_read::{Alternates, LinkKind, residue_name};
use serde_json::{Map, Value, json};
use std::collections::{HashMap, HashSet};

/// Where interactions come from: the files of structures.
#[derive(Debug, Default)]
pub struct InteractionFiles {
    /// Those that hold one structure, by its name.
    pub files: HashMap<String, InputFile>,
    /// Those whose members hold structures, which are read one after the other.
    pub archives: Vec<InputFile>,
    /// The chains that are read; `None` for all.
    pub chains: Option<Vec<String>>,
    /// Which alternate location is read.
    pub alternates: Alternates,
}

/// The kinds that a report shows: those that a person looks for one by one. Contacts without polar atoms, weak hydrogen bonds and
/// clashes are so many that they would hide the others.
fn shown() -> Vec<Kind> {
    let is_shown = |kind: &Kind| !matches!(kind, Kind::Hydrophobic | Kind::WeakHBond | Kind::Clash);
    Kind::ALL.iter().copied().filter(is_shown).collect()
}

/// Ligands and interfaces, or why there are none. `engine` computes areas.
pub(super) fn areas(part: &StructureRows<'_>, engine: &Engine) -> [Value; 2] {
    [ligands_of(part, engine), interfaces_of(part, engine)]
}

fn reason(error: impl std::fmt::Display) -> Value {
    json!({ "reason": error.to_string() })
}

fn ligands_of(part: &StructureRows<'_>, engine: &Engine) -> Value {
    let found = match ligands(engine, part.structure, &part.features) {
        Ok(found) => found,
        Err(error) => return reason(error),
    };
    let described = found.iter().map(|ligand| {
        let row = |bond: &Bond| match bond.partner {
            Partner::Row { row, .. } if bond.kind != LinkKind::Metal => Some(row),
            _ => None,
        };
        let bonds: Vec<usize> = ligand.bonds.iter().filter_map(row).collect();
        json!({ "residue": ligand.residue(), "kind": ligand.kind.name(), "near": ligand.near[0], "site": ligand.site, "bonds": bonds,
            "alone": tenth(ligand.alone), "buried": tenth(ligand.buried()) })
    });
    described.collect()
}

fn interfaces_of(part: &StructureRows<'_>, engine: &Engine) -> Value {
    if part.structure.rows_of_chains().len() < 2 {
        return json!([]);
    }
    match interfaces(engine, part.structure, None) {
        Ok(found) => found
            .pairs
            .iter()
            .map(|pair| json!({ "chains": pair.chains, "area": tenth(pair.buried_area), "residues": pair.residues, "contacts": pair.contacts }))
            .collect(),
        Err(error) => reason(error),
    }
}

fn tenth(value: f32) -> Value {
    if value.is_finite() { Value::from((f64::from(value) * 10.0).round() / 10.0) } else { Value::Null }
}

/// Interactions between residues of the view: their kinds, both ends, distances in Å and the names of atoms, each as a list. Where no
/// file of its own holds the structure, they are those of its atoms, without water; `null` if these have no names.
pub(super) fn interactions_in(part: &StructureRows<'_>, from: &InteractionFiles) -> Value {
    let Some(file) = from.files.get(&part.structure.name) else { return from.found_in(part) };
    let mut result = None;
    file.each_file(&mut |name, bytes| {
        result = Some(match bytes {
            Ok(bytes) => from.found(name, bytes, &view_indices(part)),
            Err(failure) => reason(failure.reason),
        });
        true
    });
    result.unwrap_or_default()
}

/// The indices of residues in the view, by what [`identity`] calls them: those without rows follow those with rows.
pub(super) fn view_indices(part: &StructureRows<'_>) -> HashMap<String, usize> {
    let mut view_indices: HashMap<String, usize> = (0..part.len()).map(|row| (part.residue(row), row)).collect();
    for (index, residue) in part.structure.hetero.iter().flat_map(|hetero| hetero.residues.iter().enumerate()) {
        view_indices.entry(identity(residue)).or_insert(part.len() + index);
    }
    view_indices
}

impl InteractionFiles {
    /// The interactions in a file between residues that the view has.
    pub(super) fn found(&self, name: &str, bytes: &[u8], view_indices: &HashMap<String, usize>) -> Value {
        let kinds = shown();
        let options =
            Options { kinds: &kinds, chains: self.chains.as_deref(), alternates: self.alternates, dictionary: None };
        interactions(bytes, name, &options).map_or_else(reason, |all| listed(view_indices, &all, &kinds))
    }

    /// The interactions of a structure's own atoms.
    fn found_in(&self, part: &StructureRows<'_>) -> Value {
        if part.structure.atom_labels.is_empty() {
            return Value::Null;
        }
        let kinds: Vec<Kind> = shown().into_iter().filter(|kind| *kind != Kind::WaterBridge).collect();
        let options = Options { kinds: &kinds, chains: None, alternates: self.alternates, dictionary: None };
        let mut found = interactions_of(part.structure, &options)
            .map_or_else(reason, |all| listed(&view_indices(part), &all, &kinds));
        found["dry"] = true.into();
        found
    }
}

fn listed(view_indices: &HashMap<String, usize>, all: &Interactions, kinds: &[Kind]) -> Value {
    let index = |residue: u32| {
        let residue = &all.residues[residue as usize];
        view_indices.get(&residue_name(&residue.chain, residue.number, &residue.icode)).copied()
    };
    let ends = |one: &Interaction| Some([index(one.residues[0])?, index(one.residues[1])?]);
    let names = |atoms: &[u32]| atoms.iter().map(|&atom| &*all.atoms[atom as usize].name).collect::<Vec<_>>().join(" ");
    // What is two kinds is shown once: rings of bases as their stack, a hydrogen bond of the ends of a salt bridge as that, and a salt bridge
    // of a metal with the residue that it binds as the metal's bond.
    let sorted = |[a, b]: [u32; 2]| [a.min(b), a.max(b)];
    let residues = |one: &Interaction| sorted(one.residues);
    let nearest = |one: &Interaction| sorted([one.atoms[0][0], one.atoms[1][0]]);
    let of_kind = |kind: Kind| all.found.iter().filter(move |one| one.kind == kind);
    let stacks: HashSet<[u32; 2]> = of_kind(Kind::BaseStack).map(residues).collect();
    let bridges: HashSet<[u32; 2]> = of_kind(Kind::SaltBridge).map(nearest).collect();
    let metals: HashSet<[u32; 2]> = of_kind(Kind::Metal).map(residues).collect();
    let is_repeated = |one: &Interaction| match one.kind {
        Kind::SaltBridge => metals.contains(&residues(one)),
        Kind::PiStack => stacks.contains(&residues(one)),
        Kind::HBond => bridges.contains(&nearest(one)),
        _ => false,
    };
    let known: Vec<_> =
        all.found.iter().filter(|one| !is_repeated(one)).filter_map(|one| Some((one, ends(one)?))).collect();
    let waters: Map<String, Value> =
        known.iter().enumerate().filter_map(|(index, (one, _))| Some((index.to_string(), bridge(one, all)?))).collect();
    let kind = |one: &Interaction| kinds.iter().position(|&kind| kind == one.kind);
    let about: Vec<Value> = kinds.iter().map(|kind| json!({ "name": kind.name(), "rule": kind.rule() })).collect();
    json!({
        "kinds": about,
        "kind": known.iter().map(|(one, _)| kind(one)).collect::<Vec<_>>(),
        "ends": known.iter().map(|(_, ends)| ends).collect::<Vec<_>>(),
        "atoms": known.iter().map(|(one, _)| [names(&one.atoms[0]), names(&one.atoms[1])]).collect::<Vec<_>>(),
        "distance": known.iter().map(|(one, _)| (one.distance * 100.0).round() / 100.0).collect::<Vec<_>>(),
        "class": known.iter().map(|(one, _)| one.pair.as_ref().map(|pair| &*pair.class)).collect::<Vec<_>>(),
        // The waters of bridges, by the index of the bridge.
        "bridges": waters,
        // Mostly with water, which the view leaves out.
        "elsewhere": all.found.iter().filter(|one| ends(one).is_none()).count(),
    })
}

/// The water of a bridge: what it is called, where it is in the file, and the distances in Å from it to both ends.
fn bridge(one: &Interaction, all: &Interactions) -> Option<Value> {
    let water = &all.residues[one.water? as usize];
    let at = all.atoms[water.range().start].position;
    let to = |end: usize| {
        let end = all.atoms[one.atoms[end][0] as usize].position;
        let squares: f64 = (0..3).map(|axis| (end[axis] - at[axis]).powi(2)).sum();
        (squares.sqrt() * 100.0).round() / 100.0
    };
    let name = format!("{} {}_{}{}", water.name, water.chain, water.number, water.icode);
    Some(json!({ "water": name, "at": at.map(|value| (value * 1e3).round() / 1e3), "legs": [to(0), to(1)] }))
}
