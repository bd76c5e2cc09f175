//! Ligands as a relation.

use super::relations::{STRUCTURE, Value, float, int, push, text};
use super::{CellKind, Cells, OutputError, Relation, RelationColumn, RelationFailures, StructureRows};
use prism_engine::Engine;
use prism_engine::ligands::{Ligand, ligands};

/// One line per ligand, ion and residue of a glycan, as `prism ligands` writes it. Residues are chain, number and insertion code
/// (`A_120`). The structures must have been read with [`ReadOptions::atoms`](prism_read::ReadOptions::atoms).
pub struct LigandsRelation {
    /// Computes accessible areas.
    pub engine: Engine,
    /// The structures whose ligands could not be described, which have no lines.
    pub failures: RelationFailures,
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
            let residue = &hetero.residues[ligand.residue];
            let listed = |rows: &[usize]| rows.iter().map(|&row| part.residue(row)).collect::<Vec<_>>().join(" ");
            let bonds = ligand.bonds.iter().map(|bond| {
                let [theirs, own] = [part.structure.atom_labels[bond.atom], hetero.labels[bond.own]];
                format!("{}:{}-{}", part.residue(bond.row), theirs.name(), own.name())
            });
            push(
                cells,
                &[
                    Value::Text(&part.structure.name),
                    Value::Text(&residue.chain),
                    Value::Signed(residue.number.unwrap_or(0)),
                    Value::Text(&residue.icode),
                    Value::Text(&residue.name),
                    Value::Text(ligand.kind.name()),
                    Value::Int(residue.atoms.len()),
                    Value::Float(ligand.alone),
                    Value::Float(ligand.complex),
                    Value::Float(ligand.buried()),
                    Value::Text(&listed(&ligand.near[0])),
                    Value::Text(&listed(&ligand.near[1])),
                    Value::Int(ligand.site.unwrap_or(0)),
                    Value::Float(ligand.site_distance),
                    Value::Text(&bonds.collect::<Vec<_>>().join(" ")),
                    Value::Float(ligand.occupancy),
                    Value::Float(ligand.b_factor),
                ],
            );
        }
    }
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
                     chain's end; amino_acid: one that belongs to no chain; ligand: anything else, nucleotides by themselves among \
                     them. Water and the nucleotides of DNA and RNA have no line",
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
                    "covalent bonds to residues with rows, by distance (A_120:SG-C21): closer than the covalent radii of both atoms \
                     (Cordero 2008) and 0.45 Å. Metals have none",
                ),
                float("occupancy", "", "mean occupancy of its atoms"),
                float("b_factor", "Å^2", "mean B factor of its atoms"),
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

    fn append(&mut self, part: &StructureRows<'_>, cells: &mut [Cells]) -> Result<(), OutputError> {
        match ligands(&self.engine, part.structure, &part.features) {
            Ok(found) => LigandLines::lines(part, &found, cells),
            Err(error) => self.failures.fail(&part.structure.name, format!("no ligands: {error}")),
        }
        Ok(())
    }
}
