//! `prism features --list`.

use super::Failure;
use shared_types::FEATURES;
use std::io::Write;

/// Prints the feature table.
pub fn print() -> Result<(), Failure> {
    let width = |text: fn(&shared_types::Feature) -> &str| {
        FEATURES.iter().map(|feature| text(feature).chars().count()).max().unwrap_or(0)
    };
    let (names, units) = (width(|feature| feature.name), width(|feature| feature.unit).max("unit".len()));
    let mut out = std::io::stdout().lock();
    writeln!(out, "{:names$}  {:units$}  definition [source]", "name", "unit")?;
    for feature in FEATURES {
        write!(out, "{:names$}  {:units$}  {}", feature.name, feature.unit, feature.definition)?;
        if !feature.source.is_empty() {
            write!(out, " [{}]", feature.source)?;
        }
        writeln!(out)?;
    }
    writeln!(
        out,
        "\nr_c is the contact threshold. An empty field (CSV), null (Parquet) or NaN (npz): not defined there."
    )?;
    Ok(out.flush()?)
}
