//! The data of a structure's detailed view.

use super::{atoms, points, predicted};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use prism_complexes::confidence::PredictionFiles;
use prism_engine::sites::{SiteLimits, ranks, sites};
use prism_io::output::{Column, RelationFailures, StructureRows, Value as Cell};
use prism_read::{Note, NoteKind};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::io::Write;

/// Significant digits of values: as many as the page shows, because more would make it larger by a tenth.
const DIGITS: i32 = 3;
/// Those of angles, which differ by little of a large value: 179.1 and 178.8 degrees.
const DIGITS_OF_ANGLES: i32 = 4;

/// A structure as JSON, compressed by gzip, in Base64; and its scores for the table of structures, if it has some.
pub(super) fn packed(
    part: &StructureRows<'_>,
    notes: &[Note],
    (files, failures): (Option<&PredictionFiles>, &RelationFailures),
    relations: &Value,
) -> std::io::Result<(String, Value)> {
    let mut all = json(part, notes);
    all["relations"] = relations.clone();
    let mut scores = Value::Null;
    if let Some(files) = files {
        let of = predicted::json(part.structure, files);
        if let Some(reason) = of["reason"].as_str() {
            failures.note(&part.structure.name, NoteKind::NoMatrix, format!("--pae: {reason}"));
        }
        scores = predicted::summary(&of);
        all["pae"] = of;
    }
    Ok((packed_json(&all)?, scores))
}

/// JSON, compressed by gzip, in Base64.
pub(super) fn packed_json(value: &Value) -> std::io::Result<String> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    gzip.write_all(value.to_string().as_bytes())?;
    Ok(STANDARD.encode(gzip.finish()?))
}

fn json(part: &StructureRows<'_>, notes: &[Note]) -> Value {
    let structure = part.structure;
    let rows = 0..part.len();
    let mut columns = Map::new();
    // The B column of a predicted model is shown on the scale of its confidence, and not as B factors. Positions are those of atoms.
    let is_shown = |column: &Column| match column {
        Column::Feature(feature) if feature.name == "b_factor" => !structure.predicted,
        Column::Feature(feature) => !matches!(feature.name, "ca_x" | "ca_y" | "ca_z"),
        column => *column == Column::Plddt,
    };
    for column in Column::every().filter(is_shown) {
        let digits = if column.unit() == "degree" { DIGITS_OF_ANGLES } else { DIGITS };
        let values: Vec<Value> = rows.clone().map(|row| number(part.value(row, &column), digits)).collect();
        if values.iter().any(|value| !value.is_null()) {
            columns.insert(column.name().to_owned(), values.into());
        }
    }
    if structure.bfactor.iter().any(|value| !value.is_nan()) && !columns.contains_key("b_factor") {
        let values =
            structure.bfactor[rows.clone()].iter().map(|&value| number(Cell::Float(value), DIGITS)).collect::<Vec<_>>();
        columns.insert("B factor".to_owned(), values.into());
    }
    let found = sites(structure, &part.features, &SiteLimits::default());
    let sites: Vec<Value> = found
        .iter()
        .zip(points::json(part, &found))
        .map(|(site, points)| {
            let rounded = |value: f64| significant(value, 4);
            json!({ "rank": site.rank, "probability": rounded(f64::from(site.probability)), "rows": site.residues,
                "plddt": number(Cell::Float(site.plddt), DIGITS), "volume": rounded(site.volume), "center": site.center.map(rounded), "points": points })
        })
        .collect();
    let text = |column: Column| -> Vec<String> {
        let text = |row| match part.value(row, &column) {
            Cell::Text(text) => text.to_owned(),
            _ => String::new(),
        };
        rows.clone().map(text).collect()
    };
    // One letter per residue, or a space if the state is undefined.
    let states = Column::every().find(|column| matches!(column, Column::State(_))).map(|column| {
        let letter = |row| match part.value(row, &column) {
            Cell::Text(letter) if !letter.is_empty() => letter.to_owned(),
            _ => " ".to_owned(),
        };
        rows.clone().map(letter).collect::<String>()
    });
    json!({
        "states": states.filter(|states| !states.trim().is_empty()),
        "title": structure.title,
        "notes": notes.iter().map(|note| &note.text).collect::<Vec<_>>(),
        "chains": structure.chains,
        "chain": structure.chain_ids[rows.clone()],
        "residue": rows.clone().map(|row| part.residue(row)).collect::<Vec<_>>(),
        "resname": text(Column::Resname),
        "parents": parents(part),
        "atoms": atoms::json(part),
        "columns": columns,
        // The rank of each residue's site, or null.
        "site": ranks(structure, &part.features).into_iter().take(part.len()).collect::<Vec<_>>(),
        "sites": sites,
    })
}

/// The standard amino acid or nucleotide of each residue's name that is none itself: HIS of HSD, MET of MSE.
fn parents(part: &StructureRows<'_>) -> BTreeMap<String, &'static str> {
    let named = |row| match part.value(row, &Column::Resname) {
        Cell::Text(name) => Some((name.to_owned(), part.structure.parent(row))),
        _ => None,
    };
    (0..part.len()).filter_map(named).filter(|(name, parent)| !parent.is_empty() && name != parent).collect()
}

fn number(value: Cell<'_>, digits: i32) -> Value {
    match value {
        Cell::Float(value) if value.is_finite() => significant(f64::from(value), digits).into(),
        _ => Value::Null,
    }
}

/// Rounds to some significant digits, which is enough for a picture.
fn significant(value: f64, digits: i32) -> f64 {
    if value == 0.0 {
        return 0.0;
    }
    let scale = 10_f64.powi(digits - 1 - value.abs().log10().floor() as i32);
    if scale.is_finite() && scale > 0.0 { (value * scale).round() / scale } else { value }
}

#[cfg(test)]
mod tests {
    use super::significant;

    #[test]
    fn numbers_are_rounded_to_their_first_digits() {
        let cases = [(123.456, 123.5), (-0.001_234_56, -0.001_235), (0.0, 0.0), (99_999.0, 100_000.0), (1e-40, 1e-40)];
        for (value, rounded) in cases {
            assert!((significant(value, 4) - rounded).abs() <= 1e-12 * rounded.abs(), "{value}");
        }
    }
}
