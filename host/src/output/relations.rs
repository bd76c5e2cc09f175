//! The relations of a structure: its edges, the interfaces of its chains, its chains.

use super::file::relation_format;
use super::{Cells, Format, OutputError, Relation, RelationTable, StructureRows, Table, WholeFile};
use crate::contacts::{EdgeKind, Interface, edges, interfaces};
use crate::engine::Engine;
use shared_types::backbone::SecondaryStructure;
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

fn text() -> Cells {
    Cells::Text(Vec::new())
}

fn int() -> Cells {
    Cells::Int(Vec::new())
}

fn float() -> Cells {
    Cells::Float(Vec::new())
}

/// A value for a cell of a line.
enum Value<'a> {
    Text(&'a str),
    Int(usize),
    Float(f32),
}

/// Appends a line.
fn push(cells: &mut [Cells], line: &[Value<'_>]) {
    for (cells, value) in cells.iter_mut().zip(line) {
        match (cells, value) {
            (Cells::Text(all), Value::Text(text)) => all.push((*text).to_owned()),
            (Cells::Int(all), Value::Int(number)) => all.push(*number as i32),
            (Cells::Float(all), Value::Float(number)) => all.push(*number),
            _ => unreachable!("a line has the types of its columns"),
        }
    }
}

/// Pairs of residues in contact: a line each, sorted by rows. It needs no feature.
///
/// An example is at [`crate::contacts::edges`], whose lines they are.
#[derive(Clone, Debug)]
pub struct EdgesRelation {
    /// The contact threshold in Å.
    pub contact_threshold: f32,
    /// Which edges.
    pub kinds: Vec<EdgeKind>,
}

impl Relation for EdgesRelation {
    fn columns(&self) -> Vec<(&'static str, Cells)> {
        vec![("structure", text()), ("row_i", int()), ("row_j", int()), ("distance", float()), ("kind", text())]
    }

    fn append(&mut self, part: &StructureRows<'_>, cells: &mut [Cells]) -> Result<(), OutputError> {
        for edge in edges(part.structure, self.contact_threshold, &self.kinds) {
            let rows = [edge.row_i, edge.row_j].map(|row| Value::Int(row as usize));
            let [i, j] = rows;
            let name = Value::Text(&part.structure.name);
            push(cells, &[name, i, j, Value::Float(edge.distance), Value::Text(edge.kind.name())]);
        }
        Ok(())
    }
}

/// A table of the residues of interfaces, beside the one of pairs of chains: a line each, with the accessible area of its
/// chain alone, among all chains that were looked at, and the difference.
pub struct InterfaceResiduesFile {
    table: RelationTable<BufWriter<File>, InterfaceResidues>,
    whole: WholeFile,
}

impl InterfaceResiduesFile {
    /// Begins a table at `path`, CSV or Parquet by its extension.
    ///
    /// # Errors
    /// As for [`OutputFile::create`](super::OutputFile::create).
    pub fn create(path: &Path) -> Result<Self, OutputError> {
        let format = relation_format(path)?;
        let whole = WholeFile::begin(path)?;
        let file = whole.buffered()?;
        let table = match format {
            Format::Parquet => RelationTable::parquet(file, InterfaceResidues, None)?,
            _ => RelationTable::csv(file, InterfaceResidues),
        };
        Ok(Self { table, whole })
    }

    fn commit(self) -> Result<u64, OutputError> {
        Box::new(self.table).finish()?;
        self.whole.commit()
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
    fn columns(&self) -> Vec<(&'static str, Cells)> {
        let identity = [("structure", text()), ("row", int()), ("chain", text()), ("resnum", int())];
        let rest = [("icode", text()), ("resname", text())];
        let areas = [("sasa_alone", float()), ("sasa_complex", float()), ("buried", float())];
        identity.into_iter().chain(rest).chain(areas).collect()
    }

    /// Lines come from [`InterfacesRelation`], which computes them.
    fn append(&mut self, _: &StructureRows<'_>, _: &mut [Cells]) -> Result<(), OutputError> {
        Ok(())
    }
}

/// The lines of [`InterfacesRelation`], for programs that compute interfaces themselves.
///
/// ```
/// use prism_host::contacts::interfaces;
/// use prism_host::output::{Cells, InterfacePairs, Relation, StructureRows};
/// use prism_host::read::{ReadOptions, read_path};
/// use prism_host::{Backend, Engine};
///
/// let three = read_path("../tests/data/1jcd.pdb.gz", "1jcd", &ReadOptions::default())?.structure;
/// let engine = Engine::builder().backend(Backend::Cpu).build()?;
/// let features = &engine.run(std::slice::from_ref(&three))?[0];
/// let mut cells: Vec<Cells> = InterfacePairs.columns().into_iter().map(|(_, cells)| cells).collect();
/// let part = StructureRows { structure: &three, features: features.view() };
/// InterfacePairs::lines(&part, &interfaces(&engine, &three, None)?, &mut cells);
/// assert_eq!(cells[1], Cells::Text(["A", "A", "B"].map(str::to_owned).into()));
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
    fn columns(&self) -> Vec<(&'static str, Cells)> {
        let chains = [("structure", text()), ("chain_a", text()), ("chain_b", text())];
        let found = [("buried_area", float()), ("residues_a", int()), ("residues_b", int()), ("contacts", int())];
        chains.into_iter().chain(found).collect()
    }

    /// Lines come from [`InterfacePairs::lines`].
    fn append(&mut self, _: &StructureRows<'_>, _: &mut [Cells]) -> Result<(), OutputError> {
        Ok(())
    }
}

/// Pairs of chains that touch: a line each. Residues go to a second table, where there is one.
///
/// It needs no feature: the areas of chains alone and together are computed by an engine of its own.
pub struct InterfacesRelation {
    /// Computes accessible areas.
    pub engine: Engine,
    /// The two chains whose interface it is, or all pairs.
    pub between: Option<[String; 2]>,
    /// Where residues go.
    pub residues: Option<InterfaceResiduesFile>,
}

impl Relation for InterfacesRelation {
    fn columns(&self) -> Vec<(&'static str, Cells)> {
        InterfacePairs.columns()
    }

    fn append(&mut self, part: &StructureRows<'_>, cells: &mut [Cells]) -> Result<(), OutputError> {
        let structure = part.structure;
        let between = self.between.as_ref().map(|[a, b]| [a.as_str(), b.as_str()]);
        let found = match interfaces(&self.engine, structure, between) {
            Ok(found) => found,
            Err(error) => {
                tracing::warn!("{}: no interface: {error}", structure.name);
                return Ok(());
            }
        };
        InterfacePairs::lines(part, &found, cells);
        match &mut self.residues {
            Some(file) => file.table.extend(|cells| InterfaceResidues::lines(part, &found, cells)),
            None => Ok(()),
        }
    }

    fn finish(self: Box<Self>) -> Result<(), OutputError> {
        match self.residues {
            Some(file) => file.commit().map(|_| ()),
            None => Ok(()),
        }
    }
}

/// Structures and their chains: a line for a structure, with no chain, then one for each of its chains. It needs the
/// features [`SummaryRelation::FEATURES`]: the last one for the radius of gyration, which is in summaries then.
#[derive(Clone, Copy, Debug, Default)]
pub struct SummaryRelation;

impl SummaryRelation {
    /// Names of the features that lines are made of.
    pub const FEATURES: [&'static str; 4] = ["contact_number", "sasa", "ss", "centroid_distance"];
}

impl Relation for SummaryRelation {
    fn columns(&self) -> Vec<(&'static str, Cells)> {
        vec![
            ("structure", text()),
            ("chain", text()),
            ("residues", int()),
            ("atoms", int()),
            ("area", float()),
            ("contact_number", float()),
            ("helix", float()),
            ("strand", float()),
            ("radius_of_gyration", float()),
        ]
    }

    fn append(&mut self, part: &StructureRows<'_>, cells: &mut [Cells]) -> Result<(), OutputError> {
        let structure = part.structure;
        let values = |name: &str| part.features.named(name).unwrap_or_default();
        let [contacts, areas, states, _] = Self::FEATURES.map(values);
        let mut line = |chain: Option<u32>, radius: f32| {
            let is_own = |row: &usize| chain.is_none_or(|chain| structure.chain_ids[*row] == chain);
            let rows: Vec<usize> = (0..structure.n_residues()).filter(is_own).collect();
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
            push(
                cells,
                &[
                    Value::Text(&structure.name),
                    Value::Text(name),
                    Value::Int(rows.len()),
                    Value::Int(atoms as usize),
                    Value::Float(of(areas).iter().sum::<f64>() as f32),
                    Value::Float(mean(&of(contacts))),
                    Value::Float(share("HGI")),
                    Value::Float(share("EB")),
                    Value::Float(radius),
                ],
            );
        };
        line(None, part.features.summary.radius_of_gyration);
        let mut chains: Vec<u32> = Vec::new();
        for &chain in &structure.chain_ids {
            if !chains.contains(&chain) {
                chains.push(chain);
            }
        }
        chains.into_iter().for_each(|chain| line(Some(chain), f32::NAN));
        Ok(())
    }
}
