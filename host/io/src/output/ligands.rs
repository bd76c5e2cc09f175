//! Ligands as a relation.

use super::ahead::Ahead;
use super::relations::{STRUCTURE, Value, float, int, push, text};
use super::{CellKind, Cells, OutputError, Relation, RelationColumn, RelationFailures, StructureRows};
use prism_engine::Engine;
use prism_engine::ligands::{Basis, Bond, Ligand, LigandError, Partner, Subject, ligands};
use prism_read::structure::{Hetero, HeteroResidue, Water};
use prism_read::{LinkKind, NoteKind, residue_name};

/// One line per ligand, ion, residue of a glycan and cluster of buried water, as `prism ligands` writes it. Residues are chain, number and insertion code
/// (`A_120`). The structures must have been read with [`ReadOptions::atoms`](prism_read::ReadOptions::atoms).
pub struct LigandsRelation {
    engine: Engine,
    failures: RelationFailures,
    ahead: Ahead<Result<Vec<Ligand>, LigandError>>,
}

impl LigandsRelation {
    /// `engine` computes accessible areas; `failures` gets the structures whose ligands could not be described, which have no lines.
    #[must_use]
    pub fn new(engine: Engine, failures: RelationFailures) -> Self {
        Self { engine, failures, ahead: Ahead::default() }
    }
}

/// The lines of [`LigandsRelation`], for programs that describe ligands themselves.
///
/// ```
/// use prism_io::output::{LigandLines, Relation};
///
/// assert_eq!(LigandLines.columns()[5].name, "kind");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct LigandLines;

const fn words(name: &'static str, definition: &'static str) -> RelationColumn {
    RelationColumn::new(name, CellKind::Words, "", definition)
}

impl LigandLines {
    /// Appends the lines of a structure whose ligands were described.
    pub fn lines(part: &StructureRows<'_>, found: &[Ligand], cells: &mut [Cells]) {
        let Some(hetero) = part.structure.hetero.as_deref() else { return };
        for ligand in found {
            let (first, atoms, waters) = match &ligand.subject {
                Subject::Residue(residue) => {
                    let own = &hetero.residues[*residue];
                    (Residue::of(own), own.atoms.len(), String::new())
                }
                Subject::Waters(waters) => {
                    let all: Vec<Residue<'_>> =
                        waters.iter().map(|&water| Residue::of_water(&hetero.waters[water])).collect();
                    let names: Vec<String> = all.iter().map(Residue::called).collect();
                    (all[0], all.len(), names.join(" "))
                }
            };
            let listed = |rows: &[usize]| rows.iter().map(|&row| part.residue(row)).collect::<Vec<_>>().join(" ");
            let [polymer, others, metals] = Bonded::of(part, hetero, ligand);
            push(
                cells,
                &[
                    Value::Text(&part.structure.name),
                    Value::Text(first.chain),
                    Value::Signed(first.number.unwrap_or(0)),
                    Value::Text(first.icode),
                    Value::Text(first.name),
                    Value::Text(ligand.kind.name()),
                    Value::Int(atoms),
                    Value::Float(ligand.alone),
                    Value::Float(ligand.complex),
                    Value::Float(ligand.buried()),
                    Value::Text(&listed(&ligand.near[0])),
                    Value::Text(&listed(&ligand.near[1])),
                    Value::Int(ligand.site.unwrap_or(0)),
                    Value::Float(ligand.site_distance),
                    Value::Text(&polymer.bonds),
                    Value::Text(&polymer.bases),
                    Value::Text(&others.bonds),
                    Value::Text(&others.bases),
                    Value::Text(&metals.bonds),
                    Value::Text(&metals.bases),
                    Value::Float(ligand.occupancy),
                    Value::Float(ligand.b_factor),
                    Value::Text(&waters),
                ],
            );
        }
    }
}

/// Bonds as words, and what says that there is each of them.
#[derive(Default)]
struct Bonded {
    bonds: String,
    bases: String,
}

impl Bonded {
    /// A ligand's covalent bonds to residues with rows, those to other residues, and those of metals.
    fn of(part: &StructureRows<'_>, hetero: &Hetero, ligand: &Ligand) -> [Self; 3] {
        let mut all: [Self; 3] = Default::default();
        for bond in &ligand.bonds {
            let own = &mut all[match (bond.kind, bond.partner) {
                (LinkKind::Metal, _) => 2,
                (_, Partner::Row { .. }) => 0,
                (_, Partner::Ligand { .. }) => 1,
            }];
            let divider = if own.bonds.is_empty() { "" } else { " " };
            own.bonds.push_str(divider);
            own.bonds.push_str(&bond_word(part, hetero, bond));
            own.bases.push_str(divider);
            own.bases.push_str(bond.basis.name());
        }
        all
    }
}

/// A bond as its partner's residue and atom, and the own atom (`A_120:SG-C21`).
fn bond_word(part: &StructureRows<'_>, hetero: &Hetero, bond: &Bond) -> String {
    let (residue, label) = match bond.partner {
        Partner::Row { row, atom } => (part.residue(row), &part.structure.atom_labels[atom]),
        Partner::Ligand { residue, atom } => (Residue::of(&hetero.residues[residue]).called(), &hetero.labels[atom]),
    };
    format!("{residue}:{}-{}", label.name(), hetero.labels[bond.own].name())
}

/// How a residue without a row, or water, is called.
#[derive(Clone, Copy)]
struct Residue<'a> {
    chain: &'a str,
    number: Option<i32>,
    icode: &'a str,
    name: &'a str,
}

impl<'a> Residue<'a> {
    fn of(residue: &'a HeteroResidue) -> Self {
        Self { chain: &residue.chain, number: residue.number, icode: &residue.icode, name: &residue.name }
    }

    fn of_water(water: &'a Water) -> Self {
        Self { chain: &water.chain, number: water.number, icode: &water.icode, name: &water.name }
    }

    /// Its chain, number and insertion code.
    fn called(&self) -> String {
        let number = self.number.map_or_else(|| "?".to_owned(), |number| number.to_string());
        residue_name(self.chain, number, self.icode)
    }
}

/// A note of covalent bonds that distances show and a file that declares bonds does not.
fn undeclared(part: &StructureRows<'_>, found: &[Ligand]) -> Option<String> {
    /// How many it lists.
    const LISTED: usize = 3;
    let hetero = part.structure.hetero.as_deref().filter(|hetero| hetero.declares_bonds)?;
    // A bond of two ligands is one of each.
    let is_first = |bond: &&Bond| !matches!(bond.partner, Partner::Ligand { atom, .. } if atom < bond.own);
    let bonds =
        found.iter().flat_map(|ligand| &ligand.bonds).filter(|bond| bond.basis == Basis::Distance).filter(is_first);
    let words: Vec<String> =
        bonds.map(|bond| format!("{} ({:.2} Å)", bond_word(part, hetero, bond), bond.distance)).collect();
    let are = match words.len() {
        0 => return None,
        1 => {
            "1 pair of atoms is as close as bonded ones, and counts as bonded, but the file does not declare this bond"
                .to_owned()
        }
        more => format!(
            "{more} pairs of atoms are as close as bonded ones, and count as bonded, but the file does not declare these bonds"
        ),
    };
    Some(format!(
        "{are}: {}{}",
        words[..words.len().min(LISTED)].join(", "),
        if words.len() > LISTED { ", ..." } else { "" }
    ))
}

impl Relation for LigandLines {
    fn columns(&self) -> &'static [RelationColumn] {
        const {
            &[
                STRUCTURE,
                text("chain", "author chain id; in assemblies the name of the copy"),
                int("resnum", "author's residue number; 0 if it is no number"),
                text("icode", "insertion code, mostly empty"),
                text("resname", "name in the file"),
                text(
                    "kind",
                    "ion: a single atom of a metal or halogen; glycan: a saccharide of the Chemical Component Dictionary; cap: of a \
                     chain's end; amino_acid: one that belongs to no chain; water: two buried waters or more, linked by oxygens within \
                     3.5 Å, none of which has accessible area among everything and all other waters; ligand: anything else, \
                     nucleotides by themselves among them. Other water and the nucleotides of DNA and RNA have no line",
                ),
                int("atoms", "heavy atoms"),
                float(
                    "sasa_alone",
                    "Å^2",
                    "solvent-accessible surface area by itself, with a probe of 1.4 Å and ProtOr's radii of C, N, O and S; other \
                     elements: Mantina 2009, Alvarez 2013",
                ),
                float(
                    "sasa_complex",
                    "Å^2",
                    "its area among proteins, nucleic acids and other ligands; undefined next to chains of alpha carbons or backbones \
                     alone",
                ),
                float("buried", "Å^2", "the area that they cover: sasa_alone - sasa_complex"),
                words(
                    "residues_4",
                    "residues with rows that have an atom within 4 Å: chain, number and insertion code (A_120)",
                ),
                words("residues_5", "the same within 5 Å"),
                int(
                    "site",
                    "rank of the best site in which it sits, of those that prism sites writes by default: the site's centre is \
                     within 4 Å of one of its atoms; 0 if it sits in none",
                ),
                float(
                    "site_distance",
                    "Å",
                    "distance of its nearest atom to the centre of that site, or of the nearest one if it sits in none; undefined \
                     without sites",
                ),
                words(
                    "bonds",
                    "covalent bonds to residues with rows, as residue, atom and own atom (A_120:SG-C21): those that the file declares \
                     (_struct_conn, LINK, CONECT), and atoms closer than the sum of their covalent radii (Cordero 2008) and 0.45 Å, \
                     metals excepted",
                ),
                words("bonds_by", "what says that there is each of these bonds: file, distance, or both"),
                words(
                    "ligand_bonds",
                    "covalent bonds to residues without rows, such as those of glycans, in the same way",
                ),
                words("ligand_bonds_by", "what says that there is each of these bonds"),
                words(
                    "metal_bonds",
                    "the coordination of metals as the file declares it: of a metal, or by one (A_94:NE2-ZN)",
                ),
                words("metal_bonds_by", "what says that there is each of these bonds: file"),
                float("occupancy", "", "mean occupancy of its atoms"),
                float("b_factor", "Å^2", "mean B factor of its atoms"),
                words(
                    "waters",
                    "the waters of a cluster, of which chain to resname name the first: chain, number and insertion code",
                ),
            ]
        }
    }

    /// Lines come from [`LigandLines::lines`].
    fn append(&mut self, _: &StructureRows<'_>, _: &mut [Cells]) -> Result<(), OutputError> {
        Ok(())
    }
}

impl Relation for LigandsRelation {
    fn columns(&self) -> &'static [RelationColumn] {
        LigandLines.columns()
    }

    fn prepare(&mut self, parts: &[StructureRows<'_>]) {
        self.ahead.compute(parts, |part| ligands(&self.engine, part.structure, &part.features));
    }

    fn append(&mut self, part: &StructureRows<'_>, cells: &mut [Cells]) -> Result<(), OutputError> {
        match self.ahead.next(|| ligands(&self.engine, part.structure, &part.features)) {
            Ok(found) => {
                if let Some(text) = undeclared(part, &found) {
                    self.failures.note(&part.structure.name, NoteKind::Bonds, text);
                }
                LigandLines::lines(part, &found, cells);
            }
            Err(error) => self.failures.fail(&part.structure.name, format!("no ligands: {error}")),
        }
        Ok(())
    }
}
