//! The relations of a structure: the interfaces of its chains, its chains.

use super::ahead::Ahead;
use super::{
    CellKind, Cells, Column, OfFrames, OutputError, OutputFile, Provenance, Relation, RelationColumn, StructureRows,
};
use crate::inputs::InputFailure;
use prism_engine::Engine;
use prism_engine::contacts::{Interface, InterfaceError, interfaces};
use prism_read::{Note, NoteKind};
use shared_types::backbone::SecondaryStructure;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// A column of texts.
pub(super) const fn text(name: &'static str, definition: &'static str) -> RelationColumn {
    RelationColumn::new(name, CellKind::Text, "", definition)
}

/// A column of integers.
pub(super) const fn int(name: &'static str, definition: &'static str) -> RelationColumn {
    RelationColumn::new(name, CellKind::Int, "", definition)
}

/// A column of numbers.
pub(super) const fn float(name: &'static str, unit: &'static str, definition: &'static str) -> RelationColumn {
    RelationColumn::new(name, CellKind::Float, unit, definition)
}

/// A column that tables of residues also have.
pub(super) const fn own(column: Column, kind: CellKind) -> RelationColumn {
    RelationColumn::new(column.name(), kind, column.unit(), column.definition())
}

/// The first column of every relation.
pub(super) const STRUCTURE: RelationColumn = own(Column::Structure, CellKind::Text);

/// A value in a line.
pub enum Value<'a> {
    Text(&'a str),
    Int(usize),
    /// An integer that may be negative.
    Signed(i32),
    Float(f32),
}

/// Appends a line.
pub fn push(cells: &mut [Cells], line: &[Value<'_>]) {
    for (cells, value) in cells.iter_mut().zip(line) {
        match (cells, value) {
            (Cells::Text(all), Value::Text(text)) => all.push(text),
            (Cells::Int(all), Value::Int(number)) => all.push(*number as i32),
            (Cells::Int(all), Value::Signed(number)) => all.push(*number),
            (Cells::Float(all), Value::Float(number)) => all.push(*number),
            _ => unreachable!("a line has the types of its columns"),
        }
    }
}

/// A table of the residues of interfaces, which belongs to the table of pairs of chains. A line has the residue's accessible
/// area in its chain alone, in the complex, and the difference.
pub struct InterfaceResiduesFile {
    file: OutputFile,
    /// The interfaces whose lines are written next.
    found: Arc<Mutex<Interface>>,
}

impl InterfaceResiduesFile {
    /// Starts a table at `path`; the extension selects the format.
    ///
    /// # Errors
    /// As for [`OutputFile::create`].
    pub fn create(path: &Path, provenance: &Provenance) -> Result<Self, OutputError> {
        let found = Arc::<Mutex<Interface>>::default();
        let file = OutputFile::create_relation(path, Found(Arc::clone(&found)), provenance)?;
        Ok(Self { file, found })
    }

    /// The same of the frames of a trajectory.
    ///
    /// # Errors
    /// As for [`OutputFile::create`].
    pub fn create_of_frames(path: &Path, provenance: &Provenance) -> Result<Self, OutputError> {
        let found = Arc::<Mutex<Interface>>::default();
        let file = OutputFile::create_relation(path, OfFrames::new(Found(Arc::clone(&found))), provenance)?;
        Ok(Self { file, found })
    }

    fn write(&mut self, part: StructureRows<'_>, found: Interface) -> Result<(), OutputError> {
        *self.found.lock().unwrap_or_else(PoisonError::into_inner) = found;
        self.file.write(&[part])
    }
}

/// Interfaces that another relation computed.
struct Found(Arc<Mutex<Interface>>);

impl Relation for Found {
    fn columns(&self) -> &'static [RelationColumn] {
        InterfaceResidues.columns()
    }

    fn append(&mut self, part: &StructureRows<'_>, cells: &mut [Cells]) -> Result<(), OutputError> {
        InterfaceResidues::lines(part, &self.0.lock().unwrap_or_else(PoisonError::into_inner), cells);
        Ok(())
    }
}

/// The lines of [`InterfaceResiduesFile`].
#[derive(Clone, Copy, Debug)]
pub struct InterfaceResidues;

impl InterfaceResidues {
    /// Appends the lines of a structure whose interfaces were computed.
    pub fn lines(part: &StructureRows<'_>, found: &Interface, cells: &mut [Cells]) {
        let structure = part.structure;
        for residue in &found.residues {
            let row = residue.row as usize;
            let number = structure.residue_numbers[row];
            push(&mut cells[..3], &[Value::Text(&structure.name), Value::Int(row), Value::Text(part.chain(row))]);
            if let Cells::Int(numbers) = &mut cells[3] {
                numbers.push(number);
            }
            push(
                &mut cells[4..],
                &[
                    Value::Text(&structure.insertion_codes[row]),
                    Value::Text(part.resname(row)),
                    Value::Float(residue.alone),
                    Value::Float(residue.complex),
                    Value::Float(residue.buried()),
                ],
            );
        }
    }
}

impl Relation for InterfaceResidues {
    fn columns(&self) -> &'static [RelationColumn] {
        const {
            &[
                STRUCTURE,
                own(Column::Row, CellKind::Int),
                own(Column::Chain, CellKind::Text),
                own(Column::Resnum, CellKind::Int),
                own(Column::Icode, CellKind::Text),
                own(Column::Resname, CellKind::Text),
                float("sasa_alone", "Å^2", "solvent-accessible surface area of the residue with its chain alone"),
                float("sasa_complex", "Å^2", "its area among all chains, or among the two of --between"),
                float("buried", "Å^2", "the area that other chains cover: sasa_alone - sasa_complex"),
            ]
        }
    }

    /// [`InterfacesRelation`] computes the lines.
    fn append(&mut self, _: &StructureRows<'_>, _: &mut [Cells]) -> Result<(), OutputError> {
        Ok(())
    }
}

/// The lines of [`InterfacesRelation`], for programs that compute interfaces themselves.
///
/// ```
/// use prism_engine::contacts::interfaces;
/// use prism_io::output::{Cells, InterfacePairs, Relation, StructureRows};
/// use prism_read::{ReadOptions, read_path};
/// use prism_engine::{Backend, Engine};
///
/// let three = read_path("../../tests/data/1jcd.pdb.gz", "1jcd", &ReadOptions::default())?.structure;
/// let engine = Engine::builder().backend(Backend::Cpu).build()?;
/// let features = &engine.run(std::slice::from_ref(&three))?[0];
/// let mut cells = Cells::of(InterfacePairs.columns());
/// let part = StructureRows { structure: &three, features: features.view() };
/// InterfacePairs::lines(&part, &interfaces(&engine, &three, None)?, &mut cells);
/// assert_eq!(cells[1], Cells::Text(["A", "A", "B"].into_iter().collect()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct InterfacePairs;

impl InterfacePairs {
    /// Appends the lines of a structure whose interfaces were computed.
    pub fn lines(part: &StructureRows<'_>, found: &Interface, cells: &mut [Cells]) {
        let structure = part.structure;
        for pair in &found.pairs {
            let [a, b] = pair.chains.map(|chain| structure.chains[chain as usize].as_str());
            let [of_a, of_b] = pair.residues.map(|count| Value::Int(count as usize));
            let contacts = Value::Int(pair.contacts as usize);
            let area = Value::Float(pair.buried_area);
            push(cells, &[Value::Text(&structure.name), Value::Text(a), Value::Text(b), area, of_a, of_b, contacts]);
        }
    }
}

impl Relation for InterfacePairs {
    fn columns(&self) -> &'static [RelationColumn] {
        const {
            &[
                STRUCTURE,
                text("chain_a", "author chain id of the chain that comes first in the file"),
                text("chain_b", "author chain id of the other chain"),
                float(
                    "buried_area",
                    "Å^2",
                    "area that the two chains cover of each other, summed over both; undefined if one of them has alpha \
                     carbons or a backbone alone",
                ),
                int("residues_a", "residues of chain_a that lose area to chain_b"),
                int("residues_b", "residues of chain_b that lose area to chain_a"),
                int("contacts", "pairs of residues, one of each chain, with heavy atoms within 4.5 Å of each other"),
            ]
        }
    }

    /// Lines come from [`InterfacePairs::lines`].
    fn append(&mut self, _: &StructureRows<'_>, _: &mut [Cells]) -> Result<(), OutputError> {
        Ok(())
    }
}

/// Structures whose lines could not be computed, or that have none. Clones share the lists: one goes with the relation into a
/// table, and the caller keeps another.
#[derive(Clone, Debug, Default)]
pub struct RelationFailures {
    failures: Shared<InputFailure>,
    notes: Shared<(String, Note)>,
}

type Shared<T> = Arc<Mutex<Vec<T>>>;

fn add<T>(list: &Shared<T>, item: T) {
    list.lock().unwrap_or_else(PoisonError::into_inner).push(item);
}

fn take<T>(list: &Shared<T>) -> Vec<T> {
    std::mem::take(&mut list.lock().unwrap_or_else(PoisonError::into_inner))
}

impl RelationFailures {
    /// Adds a structure that has no lines.
    pub(super) fn fail(&self, structure: &str, reason: String) {
        add(&self.failures, InputFailure::new(structure, reason));
    }

    /// Adds a note about a structure.
    pub fn note(&self, structure: &str, kind: NoteKind, text: String) {
        add(&self.notes, (structure.to_owned(), Note { kind, text }));
    }

    /// Takes those since the last call.
    #[must_use]
    pub fn take(&self) -> Vec<InputFailure> {
        take(&self.failures)
    }

    /// Takes the notes since the last call, each with its structure's name.
    #[must_use]
    pub fn take_notes(&self) -> Vec<(String, Note)> {
        take(&self.notes)
    }
}

/// Pairs of touching chains, one per line. Residues go to a second table, if there is one.
///
/// It needs no feature: its own engine computes the areas of chains alone and together.
pub struct InterfacesRelation {
    engine: Engine,
    between: Option<[String; 2]>,
    residues: Option<InterfaceResiduesFile>,
    failures: RelationFailures,
    ahead: Ahead<Result<Interface, InterfaceError>>,
}

impl InterfacesRelation {
    /// Interfaces of all pairs of chains, or of the two in `between`. `engine` computes accessible areas; the residues go to the table
    /// `residues`, and `failures` gets the structures that have no lines.
    #[must_use]
    pub fn new(
        engine: Engine,
        between: Option<[String; 2]>,
        residues: Option<InterfaceResiduesFile>,
        failures: RelationFailures,
    ) -> Self {
        Self { engine, between, residues, failures, ahead: Ahead::default() }
    }
}

/// The interfaces of all pairs of chains, or of two.
fn computed(
    engine: &Engine,
    part: &StructureRows<'_>,
    between: Option<&[String; 2]>,
) -> Result<Interface, InterfaceError> {
    interfaces(engine, part.structure, between.map(|[a, b]| [a.as_str(), b.as_str()]))
}

impl Relation for InterfacesRelation {
    fn columns(&self) -> &'static [RelationColumn] {
        InterfacePairs.columns()
    }

    fn prepare(&mut self, parts: &[StructureRows<'_>]) {
        self.ahead.compute(parts, |part| computed(&self.engine, part, self.between.as_ref()));
    }

    fn append(&mut self, part: &StructureRows<'_>, cells: &mut [Cells]) -> Result<(), OutputError> {
        let structure = part.structure;
        let found = match self.ahead.next(|| computed(&self.engine, part, self.between.as_ref())) {
            Ok(found) => found,
            Err(error) => {
                self.failures.fail(&structure.label(), format!("no interface: {error}"));
                return Ok(());
            }
        };
        if found.pairs.is_empty() {
            let text = match (&self.between, structure.rows_of_chains().len()) {
                (Some([a, b]), _) => format!("chains {a} and {b} do not touch each other"),
                (None, 1) => "it has one chain, and so no interface".to_owned(),
                (None, chains) => format!("none of its {chains} chains touches another one"),
            };
            self.failures.note(&structure.label(), NoteKind::NoInterface, text);
        }
        InterfacePairs::lines(part, &found, cells);
        match &mut self.residues {
            Some(file) => file.write(*part, found),
            None => Ok(()),
        }
    }

    fn finish(self: Box<Self>) -> Result<(), OutputError> {
        match self.residues {
            Some(residues) => residues.file.commit().map(drop),
            None => Ok(()),
        }
    }
}

/// Structures and their chains: a line without a chain for the structure, then one for each of its chains. It needs the
/// features [`SummaryRelation::FEATURES`]; with the last one, summaries contain the radius of gyration.
#[derive(Clone, Copy, Debug, Default)]
pub struct SummaryRelation;

impl SummaryRelation {
    /// Names of the features from which lines are made.
    pub const FEATURES: [&'static str; 4] = ["contact_number", "sasa", "ss", "centroid_distance"];
}

impl Relation for SummaryRelation {
    fn columns(&self) -> &'static [RelationColumn] {
        const {
            &[
                STRUCTURE,
                text("chain", "author chain id; empty in the line of the whole structure"),
                int("residues", "residues with a row"),
                int("atoms", "heavy atoms of these residues"),
                float(
                    "area",
                    "Å^2",
                    "sum of sasa: solvent-accessible surface area among all chains; undefined where a residue's is",
                ),
                float("contact_number", "", "mean contact_number of the residues with an alpha carbon"),
                float("helix", "", "share of residues in helices (H, G, I) among those with a state"),
                float("strand", "", "share of residues in strands and bridges (E, B) among those with a state"),
                float(
                    "radius_of_gyration",
                    "Å",
                    "root mean square distance of the alpha carbons to their centroid; undefined in the lines of chains",
                ),
            ]
        }
    }

    fn append(&mut self, part: &StructureRows<'_>, cells: &mut [Cells]) -> Result<(), OutputError> {
        let structure = part.structure;
        let values = |name: &str| part.features.named(name).unwrap_or_default();
        let [contacts, areas, states, _] = Self::FEATURES.map(values);
        let mut line = |chain: Option<u32>, radius: f32| {
            let is_own = |row: &usize| chain.is_none_or(|chain| structure.chain_ids[*row] == chain);
            let rows: Vec<usize> = (0..structure.n_rows()).filter(is_own).collect();
            let atoms: u32 =
                rows.iter().map(|&row| structure.residue_atoms[row + 1] - structure.residue_atoms[row]).sum();
            let of = |values: &[f32]| -> Vec<f64> {
                let own = rows.iter().filter_map(|&row| values.get(row));
                own.filter(|value| !value.is_nan()).map(|value| f64::from(*value)).collect()
            };
            let mean = |values: &[f64]| (values.iter().sum::<f64>() / values.len() as f64) as f32;
            let states: Vec<&str> =
                of(states).into_iter().map(|state| SecondaryStructure::letter(state as f32)).collect();
            let share = |letters: &str| {
                mean(&states.iter().map(|s| f64::from(u8::from(letters.contains(s)))).collect::<Vec<_>>())
            };
            let name = chain.map_or("", |chain| structure.chains[chain as usize].as_str());
            let area = match rows.iter().any(|&row| structure.is_in_trace(row)) {
                true => f32::NAN,
                false => of(areas).iter().sum::<f64>() as f32,
            };
            push(
                cells,
                &[
                    Value::Text(&structure.name),
                    Value::Text(name),
                    Value::Int(rows.len()),
                    Value::Int(atoms as usize),
                    Value::Float(area),
                    Value::Float(mean(&of(contacts))),
                    Value::Float(share("HGI")),
                    Value::Float(share("EB")),
                    Value::Float(radius),
                ],
            );
        };
        line(None, part.features.summary.radius_of_gyration);
        structure.rows_of_chains().into_iter().for_each(|(chain, _)| line(Some(chain), f32::NAN));
        Ok(())
    }
}
