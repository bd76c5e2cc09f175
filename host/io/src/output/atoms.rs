//! Atoms as a relation.

use super::ahead::Ahead;
use super::relations::{STRUCTURE, Value, float, int, push, text};
use super::{CellKind, Cells, OutputError, Relation, RelationColumn, RelationFailures, StructureRows};
use prism_engine::Engine;
use prism_engine::atoms::{AtomOptions, AtomsError, DescribedAtoms, Owner, atoms};
use prism_read::NoteKind;
use prism_read::plural::counted;

/// One line per heavy atom, as `prism atoms` writes it. The structures must have been read with
/// [`ReadOptions::atoms`](prism_read::ReadOptions::atoms).
pub struct AtomsRelation {
    pub(super) engine: Engine,
    pub(super) options: AtomOptions,
    cover: bool,
    pub(super) failures: RelationFailures,
    ahead: Ahead<Result<DescribedAtoms, AtomsError>>,
}

impl AtomsRelation {
    /// Atoms as `options` ask. `engine` computes accessible areas and depths; with `cover`, atoms without rows are described, and cover
    /// others; `failures` gets the structures whose atoms could not be described, which have no lines.
    #[must_use]
    pub fn new(engine: Engine, options: AtomOptions, cover: bool, failures: RelationFailures) -> Self {
        Self { engine, options, cover, failures, ahead: Ahead::default() }
    }

    /// The atoms of the next structure.
    pub(super) fn next(&mut self, part: &StructureRows<'_>) -> Result<DescribedAtoms, AtomsError> {
        self.ahead.next(|| atoms(&self.engine, part.structure, &self.options, self.cover))
    }
}

/// The lines of [`AtomsRelation`], for programs that describe atoms themselves.
///
/// ```
/// use prism_io::output::{AtomLines, Relation};
///
/// assert!(AtomLines.columns().iter().any(|column| column.name == "buried_by"));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct AtomLines;

impl AtomLines {
    /// Appends the lines of a structure whose atoms were described.
    pub fn lines(part: &StructureRows<'_>, found: &DescribedAtoms, cells: &mut [Cells]) {
        let structure = part.structure;
        let Some(hetero) = structure.hetero.as_deref() else { return };
        for atom in &found.atoms {
            let (chain, number, icode, name, label, row) = match atom.residue {
                Owner::Row(row) => (
                    part.chain(row),
                    structure.residue_numbers[row],
                    &*structure.insertion_codes[row],
                    part.resname(row),
                    &structure.atom_labels[atom.atom],
                    row as i32,
                ),
                Owner::Hetero(place) => {
                    let residue = &hetero.residues[place];
                    let number = residue.number.unwrap_or(0);
                    (&*residue.chain, number, &*residue.icode, &*residue.name, &hetero.labels[atom.atom], -1)
                }
            };
            let mut letter = [0; 4];
            let alternate = label.alternate.map_or("", |alternate| alternate.encode_utf8(&mut letter));
            let along = |axis: usize| Value::Float(label.position[axis] as f32);
            push(
                cells,
                &[
                    Value::Text(&structure.name),
                    Value::Signed(row),
                    Value::Text(chain),
                    Value::Signed(number),
                    Value::Text(icode),
                    Value::Text(name),
                    Value::Text(label.name()),
                    Value::Text(alternate),
                    Value::Text(label.element()),
                    along(0),
                    along(1),
                    along(2),
                    Value::Float(label.occupancy),
                    Value::Float(label.b_factor),
                    Value::Float(atom.radius),
                    Value::Text(atom.class.name()),
                    Value::Float(atom.area),
                    Value::Float(atom.alone),
                    Value::Float(atom.depth),
                    Value::Text(&atom.buried_by.join(" ")),
                    Value::Int(atom.contacts as usize),
                ],
            );
        }
    }
}

impl Relation for AtomLines {
    fn columns(&self) -> &'static [RelationColumn] {
        const {
            &[
                STRUCTURE,
                int("row", "row of its residue in prism features, from 0; -1 for an atom without one (--het cover)"),
                text("chain", "author chain id"),
                int("resnum", "author's residue number"),
                text("icode", "insertion code, mostly empty"),
                text("resname", "name of the residue in the file"),
                text("atom", "name of the atom in the file"),
                text("altloc", "alternate location, mostly empty"),
                text("element", "symbol of the element; empty if nothing says it"),
                float("x", "Å", "x in the file's frame"),
                float("y", "Å", "y"),
                float("z", "Å", "z"),
                float("occupancy", "", "occupancy"),
                float("b_factor", "Å^2", "B column of the atom; a confidence in predicted models"),
                float("radius", "Å", "van der Waals radius, by --radii"),
                text(
                    "class",
                    "polar or apolar, by the set of --radii that has the atom, or else by its element: C and S are apolar, N, O and P \
                     polar; unknown",
                ),
                float(
                    "sasa",
                    "Å^2",
                    "solvent-accessible surface area among all chains, by --points or slices, with the probe of --probe; undefined in \
                     chains of alpha carbons or backbones alone",
                ),
                float("sasa_alone", "Å^2", "its area with its chain alone"),
                float("depth", "Å", "distance to the nearest atom with accessible area by test points, up to 40 Å"),
                RelationColumn::new(
                    "buried_by",
                    CellKind::Words,
                    "",
                    "chains of which each by itself covers some of its area, divided by spaces; an array in JSON",
                ),
                int(
                    "contacts",
                    "heavy atoms within 4.5 Å of residues at least two rows apart, of other chains, or without rows",
                ),
            ]
        }
    }

    /// Lines come from [`AtomLines::lines`].
    fn append(&mut self, _: &StructureRows<'_>, _: &mut [Cells]) -> Result<(), OutputError> {
        Ok(())
    }
}

impl Relation for AtomsRelation {
    fn columns(&self) -> &'static [RelationColumn] {
        AtomLines.columns()
    }

    fn prepare(&mut self, parts: &[StructureRows<'_>]) {
        self.ahead.compute(parts, |part| atoms(&self.engine, part.structure, &self.options, self.cover));
    }

    fn append(&mut self, part: &StructureRows<'_>, cells: &mut [Cells]) -> Result<(), OutputError> {
        let name = &part.structure.label();
        match self.next(part) {
            Ok(found) => {
                if found.by_element > 0 {
                    let atoms = counted(
                        found.by_element,
                        "atom is not in the set of radii",
                        "atoms are not in the set of radii",
                    );
                    let text = format!("{atoms}, with a radius by the element");
                    self.failures.note(name, NoteKind::RadiiByElement, text);
                }
                AtomLines::lines(part, &found, cells);
            }
            Err(error) => self.failures.fail(name, format!("its atoms are not described: {error}")),
        }
        Ok(())
    }
}
