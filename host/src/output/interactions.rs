//! The table of interactions.

use super::relations::{STRUCTURE, float, int, text};
use super::{CellKind, Cells, RelationColumn};
use crate::interactions::{Interaction, Interactions};

/// The columns of interactions.
pub const INTERACTION_COLUMNS: &[RelationColumn] = &[
    STRUCTURE,
    text("kind", "the kind of interaction, which says what the ends are: `prism edges --explain KIND`"),
    text("chain_a", "author chain id of the first end"),
    int("resnum_a", "the author's residue number of the first end"),
    text("icode_a", "insertion code of the first end, usually empty"),
    text("resname_a", "residue name of the first end"),
    text("entity_a", "what the first end is of: protein, nucleic, ligand, ion, glycan or water"),
    words("atoms_a", "the atom of the first end, or the atoms of its ring or charge"),
    text("chain_b", "author chain id of the second end"),
    int("resnum_b", "the author's residue number of the second end"),
    text("icode_b", "insertion code of the second end, usually empty"),
    text("resname_b", "residue name of the second end"),
    text("entity_b", "what the second end is of"),
    words("atoms_b", "the atom of the second end, or the atoms of its ring or charge"),
    float(
        "distance",
        "Å",
        "distance of the two atoms, or of the centres of rings and cations; of a water bridge, from the water to the farther end",
    ),
    float(
        "angle",
        "degrees",
        "the angle of the kind's rule, where it has one: at the hydrogen, between planes, at the water",
    ),
    text("water", "the water of a bridge, as its chain and number (A:301)"),
];

/// A column of words.
const fn words(name: &'static str, definition: &'static str) -> RelationColumn {
    RelationColumn::new(name, CellKind::Words, "", definition)
}

/// Appends the rows of [`INTERACTION_COLUMNS`]. `name` is the structure's.
pub fn append_interactions(name: &str, all: &Interactions, cells: &mut [Cells]) {
    for one in &all.found {
        let mut rest = cells.iter_mut();
        push_text(rest.next(), name);
        push_text(rest.next(), one.kind.name());
        for end in 0..2 {
            let residue = &all.residues[one.residues[end] as usize];
            push_text(rest.next(), &residue.chain);
            if let Some(Cells::Int(values)) = rest.next() {
                values.push(residue.number);
            }
            [&*residue.icode, &*residue.name, residue.entity.name()]
                .into_iter()
                .for_each(|text| push_text(rest.next(), text));
            push_text(rest.next(), &names(all, one, end));
        }
        for number in [one.distance, one.angle] {
            if let Some(Cells::Float(values)) = rest.next() {
                values.push(number as f32);
            }
        }
        let water = one.water.map(|water| &all.residues[water as usize]);
        push_text(
            rest.next(),
            &water.map_or_else(String::new, |water| format!("{}:{}{}", water.chain, water.number, water.icode)),
        );
    }
}

fn push_text(cells: Option<&mut Cells>, text: &str) {
    if let Some(Cells::Text(values)) = cells {
        values.push(text.to_owned());
    }
}

/// The names of an end's atoms. Spaces divide them.
fn names(all: &Interactions, one: &Interaction, end: usize) -> String {
    let names = one.atoms[end].iter().map(|&atom| &*all.atoms[atom as usize].name);
    names.collect::<Vec<_>>().join(" ")
}
