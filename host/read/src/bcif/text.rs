//! BinaryCIF as the text of mmCIF, for what adds categories to a file.

use super::columns::{Column, Values};
use super::msgpack::{self, Value};
use super::{Left, rows_of};
use crate::cif::quoted;
use crate::error::Problem;
use crate::word::text_of;

/// All data blocks, with every category.
pub fn as_cif(bytes: &[u8]) -> Result<String, Problem> {
    let file = msgpack::read(bytes)?;
    let mut left = Left::of(bytes);
    let mut text = String::new();
    for block in file.get("dataBlocks").items() {
        let name: String = block.get("header").text().unwrap_or_default().split_ascii_whitespace().collect();
        text.push_str(&format!("data_{name}\n#\n"));
        for category in block.get("categories").items() {
            push_category(category, &mut left, &mut text)?;
        }
    }
    Ok(text)
}

fn push_category(category: &Value<'_>, left: &mut Left, text: &mut String) -> Result<(), Problem> {
    let rows = rows_of(category)?;
    let name = category.get("name").text().unwrap_or_default();
    let all = category.get("columns").items();
    // Each column takes room for all rows.
    left.take(rows.checked_mul(all.len()))?;
    if rows == 0 || all.is_empty() {
        return Ok(());
    }
    let mut items = Vec::with_capacity(all.len());
    let mut columns = Vec::with_capacity(all.len());
    for column in all {
        items.push(format!("{name}.{}", column.get("name").text().unwrap_or_default()));
        columns.push(Column::read(column, rows, left.limit)?);
    }
    if rows == 1 {
        for (item, column) in items.iter().zip(&columns) {
            text.push_str(&format!("{item} {}\n", column.word(0)));
        }
    } else {
        text.push_str(&format!("loop_\n{}\n", items.join("\n")));
        for row in 0..rows {
            for (place, column) in columns.iter().enumerate() {
                text.push_str(if place == 0 { "" } else { " " });
                text.push_str(&column.word(row));
            }
            text.push('\n');
        }
    }
    text.push_str("#\n");
    Ok(())
}

impl Column<'_> {
    /// The value of a row as mmCIF has it.
    fn word(&self, row: usize) -> String {
        match (self.mask.get(row), &self.values) {
            (Some(1), _) => ".".to_owned(),
            (Some(mask), _) if *mask != 0 => "?".to_owned(),
            (_, Values::Ints(values)) => values[row].to_string(),
            // Numbers of single precision in as many digits as they have.
            (_, Values::Floats(values)) if f64::from(values[row] as f32) == values[row] => {
                (values[row] as f32).to_string()
            }
            (_, Values::Floats(values)) => values[row].to_string(),
            (_, Values::Texts(texts)) => match texts.get(row) {
                // Some writers mask nothing.
                missing @ (b"?" | b".") => text_of(missing),
                value => quoted(&text_of(value)),
            },
        }
    }
}
