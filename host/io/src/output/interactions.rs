//! The table of interactions.

use super::relations::{STRUCTURE, float, int, text};
use super::{CellKind, Cells, RelationColumn};
use prism_engine::interactions::{GroupInterfaces, Interaction, Interactions, Kind};
use std::borrow::Cow;
use std::sync::LazyLock;

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

/// The columns of pairs of bases, which follow those of interactions where pairs are asked for.
pub const BASE_PAIR_COLUMNS: [RelationColumn; 3] = [
    text(
        "class",
        "the class of a base pair (Leontis and Westhof): c (cis) or t (trans), then the edge of each base, W (Watson-Crick), H \
         (Hoogsteen) or S (sugar), or . if no atom of an edge takes part: cWW, tHS, ...",
    ),
    int("hydrogen_bonds", "hydrogen bonds of a base pair; 0 of other kinds"),
    text(
        "best",
        "yes if no other pair of either base has more hydrogen bonds; of equal ones cWW comes first, then the one with more contacts of N \
         and O within 3.6 Å, then the first; no otherwise",
    ),
];

/// The columns of some kinds of interactions.
#[must_use]
pub fn interaction_columns(kinds: &[Kind]) -> &'static [RelationColumn] {
    static WITH_PAIRS: LazyLock<Vec<RelationColumn>> =
        LazyLock::new(|| INTERACTION_COLUMNS.iter().cloned().chain(BASE_PAIR_COLUMNS).collect());
    if kinds.contains(&Kind::BasePair) { &WITH_PAIRS } else { INTERACTION_COLUMNS }
}

/// A column of words.
const fn words(name: &'static str, definition: &'static str) -> RelationColumn {
    RelationColumn::new(name, CellKind::Words, "", definition)
}

/// Appends the rows of [`interaction_columns`]. `name` is the structure's.
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
        let pair = one.pair.as_ref();
        push_text(rest.next(), pair.map_or("", |pair| &pair.class));
        if let Some(Cells::Int(values)) = rest.next() {
            values.push(pair.map_or(0, |pair| pair.hydrogen_bonds as i32));
        }
        push_text(rest.next(), pair.map_or("", |pair| if pair.is_best { "yes" } else { "no" }));
    }
}

fn push_text(cells: Option<&mut Cells>, text: &str) {
    if let Some(Cells::Text(values)) = cells {
        values.push(text);
    }
}

/// The names of an end's atoms. Spaces divide them.
fn names<'a>(all: &'a Interactions, one: &Interaction, end: usize) -> Cow<'a, str> {
    let name = |atom: &u32| &*all.atoms[*atom as usize].name;
    match &*one.atoms[end] {
        [atom] => name(atom).into(),
        atoms => atoms.iter().map(name).collect::<Vec<_>>().join(" ").into(),
    }
}

static GROUP_COLUMNS: LazyLock<Vec<RelationColumn>> = LazyLock::new(|| group_columns(&[]));
static SHAPE_COLUMNS: LazyLock<Vec<RelationColumn>> = LazyLock::new(|| {
    group_columns(&[
        float(
            "shape_complementarity",
            "",
            "how well the surfaces fit, at most 1: the mean over both sides of the median, over the dots of the solvent-excluded surface (probe 1.7 Å, \
             15 dots in 1 Å^2) that the other group covers, without a rim of 1.5 Å, of cos(normal, opposite of the nearest dot's normal of the \
             other side) times exp(-0.5 distance^2) (Lawrence and Colman 1993); undefined where a group covers nothing but rim",
        ),
        float("fit_area", "Å^2", "the area of the surface that shape_complementarity is about, of both sides"),
        float(
            "gap_volume",
            "Å^3",
            "volume of the gaps between the groups: of all spheres halfway between an atom of each, as large as no atom is inside, with radii from 1 to \
             5 Å (Laskowski 1995). The gap index of Jones and Thornton is 2 gap_volume / buried_area",
        ),
    ])
});

/// `more` stand behind the contacts.
fn group_columns(more: &[RelationColumn]) -> Vec<RelationColumn> {
    let begin = [
        STRUCTURE,
        text(
            "group_a",
            "the first group as it was given, or a chain, or chain, number and name of a ligand (A:301:ATP)",
        ),
        text("group_b", "the second group"),
        float("buried_area", "Å^2", "area that the two groups cover of each other, summed over both"),
        float("buried_polar", "Å^2", "the part of buried_area on other atoms than carbon and sulfur"),
        float("buried_apolar", "Å^2", "the part of buried_area on carbon and sulfur atoms"),
        int("residues_a", "residues of group_a that lose area to group_b"),
        int("residues_b", "residues of group_b that lose area to group_a"),
        int("contacts", "pairs of residues, one of each group, with heavy atoms within 4.5 Å of each other"),
    ];
    let counts = Kind::counted().map(|kind| int(kind.name(), "interactions of this kind between the groups"));
    let hot = [
        words(
            "hot_a",
            "the residues of group_a that lose most area, at most five, the most first, as chain, number and insertion code (A_120)",
        ),
        words("hot_b", "those of group_b"),
    ];
    begin.into_iter().chain(more.iter().copied()).chain(counts).chain(hot).collect()
}

/// The columns of interfaces of groups, with their shapes or without.
#[must_use]
pub fn group_interface_columns(shape: bool) -> &'static [RelationColumn] {
    if shape { &SHAPE_COLUMNS } else { &GROUP_COLUMNS }
}

/// Appends the rows of [`group_interface_columns`], with shapes if those were computed. `name` is the structure's.
pub fn append_group_interfaces(name: &str, all: &GroupInterfaces, cells: &mut [Cells]) {
    for pair in &all.pairs {
        let texts = [name, &pair.groups[0], &pair.groups[1]].map(str::to_owned);
        let mut texts = texts.into_iter().chain(pair.hot.iter().map(|hot| hot.join(" ")));
        let [polar, apolar] = pair.buried;
        let shape = pair.shape.map(|shape| {
            let fit = shape.fit.map_or([f64::NAN; 2], |fit| [fit.complementarity, fit.area]);
            [fit[0], fit[1], shape.gap_volume]
        });
        let mut floats = [polar + apolar, polar, apolar].into_iter().chain(shape.into_iter().flatten());
        let mut ints = pair.residues.iter().chain([&pair.contacts]).chain(&pair.counts);
        for cells in cells.iter_mut() {
            match cells {
                Cells::Text(values) => values.extend(texts.next()),
                Cells::Float(values) => values.extend(floats.next().map(|value| value as f32)),
                Cells::Int(values) => values.extend(ints.next().map(|&count| count as i32)),
                Cells::Optional(_) => unreachable!("these lines have all their integers"),
            }
        }
    }
}
