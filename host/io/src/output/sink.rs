//! The values of a column, for formats that write column by column.

use super::value::Kind;
use super::{Column, Label, LineageColumn, StructureRows, Value};
use shared_types::RESIDUES;

/// What a sink of one kind says of others.
pub(super) const OTHER_KIND: &str = "a column gives values of its own kind";

/// Takes the values of a column, a part after another. A column gives values of its own kind alone, so a sink for one kind has
/// that kind's method.
pub(super) trait Sink {
    /// Texts.
    fn texts<'t>(&mut self, _: impl Iterator<Item = &'t str>) {
        unreachable!("{OTHER_KIND}")
    }

    /// The same text a number of times.
    fn repeated_text(&mut self, text: &str, times: usize) {
        self.texts(std::iter::repeat_n(text, times));
    }

    /// Integers.
    fn ints(&mut self, _: &[i32]) {
        unreachable!("{OTHER_KIND}")
    }

    /// Integers that may be missing.
    fn optionals(&mut self, _: &[Option<i32>]) {
        unreachable!("{OTHER_KIND}")
    }

    /// Numbers; NaN if undefined.
    fn floats(&mut self, _: &[f32]) {
        unreachable!("{OTHER_KIND}")
    }
}

impl StructureRows<'_> {
    /// Gives `sink` the values of a column. The column is matched once. Matching it for each value would take longer than
    /// everything else.
    pub(super) fn give(&self, column: &Column, sink: &mut impl Sink) {
        let (rows, structure) = (0..self.len(), self.structure);
        match column {
            Column::Structure => sink.repeated_text(&structure.name, rows.len()),
            Column::Chain => sink.texts(rows.map(|row| self.chain(row))),
            Column::Icode => sink.texts(structure.insertion_codes[rows].iter().map(|code| &**code)),
            Column::Resname if structure.residue_names.is_empty() => {
                sink.texts(rows.map(|row| RESIDUES[usize::from(structure.residue_types[row])].name));
            }
            Column::Resname => sink.texts(rows.map(|row| self.resname(row))),
            Column::Parent => sink.texts(rows.map(|row| structure.parent(row))),
            Column::Polymer => sink.texts(rows.map(|row| structure.polymer(row))),
            Column::State(feature) => {
                let values = self.values(feature);
                let value = |row: usize| values.get(row).copied().unwrap_or(f32::NAN);
                sink.texts(rows.map(|row| feature.state(value(row))));
            }
            Column::Row => sink.ints(&rows.map(|row| row as i32).collect::<Vec<_>>()),
            Column::Resnum => sink.ints(&structure.residue_numbers[rows]),
            Column::SiteId => {
                let ranks = self.site_ids_in(column);
                sink.optionals(&ranks[..rows.len().min(ranks.len())]);
            }
            Column::Feature(feature) => match self.values(feature).get(rows) {
                Some(values) => sink.floats(values),
                None => sink.floats(&vec![f32::NAN; self.len()]),
            },
            Column::Plddt => sink.floats(&self.numbers(column)),
            Column::Lineage(LineageColumn::VelocityError) => {
                sink.floats(&rows.map(|row| self.velocity_error(row)).collect::<Vec<_>>());
            }
            Column::Lineage(text) => sink.repeated_text(self.lineage_text(*text), rows.len()),
            Column::Label(label) => match label {
                Label::AsymId | Label::EntityId | Label::UniprotAccession => {
                    sink.texts(rows.map(|row| self.label_text(*label, row)));
                }
                Label::SeqId | Label::UniprotNumber => {
                    sink.optionals(&rows.map(|row| self.label_number(*label, row)).collect::<Vec<_>>());
                }
            },
            Column::Frame(_) => match column.kind() {
                Kind::Float => sink.floats(&vec![self.frame_time(); rows.len()]),
                _ => sink.optionals(&vec![self.frame_number(); rows.len()]),
            },
            Column::Derived(derived) => match derived.kind() {
                Kind::Text => sink.texts(rows.map(|row| match derived.value(structure, row) {
                    Value::Text(text) => text,
                    _ => "",
                })),
                Kind::Float => sink.floats(&self.numbers(column)),
                Kind::Int | Kind::Optional => {
                    let value = |row| match derived.value(structure, row) {
                        Value::Optional(value) => value,
                        _ => None,
                    };
                    sink.optionals(&rows.map(value).collect::<Vec<_>>());
                }
            },
        }
    }
}
