//! `prism features --list` and `--explain`.

use super::Failure;
use super::args::FormatArg;
use prism_host::engine::OfHetero;
use prism_host::output::{Column, ColumnError};
use prism_read::structure::needs_whole_residues;
use serde_json::{Value, json};
use shared_types::residue::MODIFIED;
use shared_types::{FEATURES, Feature, Group};
use std::io::Write;
use std::sync::LazyLock;

/// How each format writes undefined values.
const UNDEFINED: &str = "An empty field (CSV, TSV), null (JSON lines, Arrow, Parquet) or NaN (npz): not defined there.";

/// Of features that need whole residues.
const TRACES: &str = "undefined in chains of alpha carbons or backbones alone";

/// Where the charge is undefined, with the modified amino acids where it is not.
static CHARGE: LazyLock<String> = LazyLock::new(|| {
    let of = |charge: f32| {
        let names = MODIFIED.iter().filter(|(_, _, own)| *own == charge).map(|(name, ..)| *name);
        let sign = if charge > 0.0 { "+" } else { "" };
        format!("{sign}{charge}: {}", names.collect::<Vec<_>>().join(" "))
    };
    format!(
        "where no standard amino acid is known to be behind the residue, and for modified ones except these. {}. Selenomethionine \
         has methionine's, and D-amino acids have those of L-amino acids",
        [-2.0, -1.0, 0.0, 1.0].map(of).join("; ")
    )
});

/// Prints the feature table.
pub fn list(format: FormatArg) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    if format == FormatArg::Json {
        let all: Vec<Value> = FEATURES.iter().map(feature_json).collect();
        writeln!(out, "{:#}", Value::from(all))?;
        return Ok(out.flush()?);
    }
    let width = |text: fn(&Feature) -> &str| FEATURES.iter().map(|one| text(one).chars().count()).max().unwrap_or(0);
    let (names, units) = (width(|feature| feature.name), width(|feature| feature.unit).max("unit".len()));
    writeln!(out, "{:names$}  {:units$}  definition [source]", "name", "unit")?;
    for feature in FEATURES {
        write!(out, "{:names$}  {:units$}  {}", feature.name, feature.unit, feature.definition)?;
        if !feature.source.is_empty() {
            write!(out, " [{}]", feature.source)?;
        }
        writeln!(out)?;
    }
    let others: Vec<&str> = Column::every().filter(is_other).map(|one| one.name()).collect();
    writeln!(out, "\nFurther columns, which --explain tells of: {}.", others.join(", "))?;
    writeln!(out, "r_c is the contact threshold. {UNDEFINED}")?;
    Ok(out.flush()?)
}

/// Whether a column is neither a feature nor an identifier of the residue.
fn is_other(column: &Column) -> bool {
    !matches!(column, Column::Feature(_) | Column::State(_)) && !Column::IDENTITY.contains(column)
}

/// Prints the definition of a column.
pub fn explain(name: &str, format: FormatArg) -> Result<(), Failure> {
    let column = Column::every().find(|column| column.name() == name);
    let column = column.ok_or_else(|| ColumnError::Unknown(name.to_owned()))?;
    let mut out = std::io::stdout().lock();
    let value = match column {
        Column::Feature(feature) | Column::State(feature) => feature_json(feature),
        other => {
            json!({ "name": other.name(), "unit": other.unit(), "definition": other.definition(), "source": other.source(),
            // Columns that are not always there say so in their definition.
            "undefined": if other.definition().contains("undefined") { "" } else { "nowhere" } })
        }
    };
    if format == FormatArg::Json {
        writeln!(out, "{value:#}")?;
        return Ok(out.flush()?);
    }
    writeln!(out, "{name}")?;
    for key in ["definition", "unit", "source", "undefined", "nucleotides", "ligands", "traces", "accuracy"] {
        match value[key].as_str() {
            Some(text) if !text.is_empty() => writeln!(out, "  {key:<10}  {text}")?,
            _ => {}
        }
    }
    if value["name"] != "structure" && matches!(column, Column::Feature(_) | Column::State(_)) {
        writeln!(out, "\nr_c is the contact threshold, --contact-threshold. {UNDEFINED}")?;
    }
    Ok(out.flush()?)
}

fn feature_json(feature: &Feature) -> Value {
    json!({
        "name": feature.name,
        "unit": feature.unit,
        "definition": feature.definition,
        "source": feature.source,
        "undefined": undefined(feature),
        "nucleotides": of_nucleotides(feature),
        "ligands": of_hetero(feature),
        "traces": if needs_whole_residues(feature) { TRACES } else { "" },
        "accuracy": accuracy(feature),
    })
}

/// What a feature of amino acids is for nucleotides.
fn of_nucleotides(feature: &Feature) -> &'static str {
    match feature.name {
        "sasa" | "sasa_apolar" => "the radii are those of FreeSASA's ProtOr configuration",
        "cx" | "depth" | "atomic_contacts" => "as for amino acids",
        "site_score" => {
            "as for amino acids; the model was fitted to proteins, with which nucleotides share no class of atoms"
        }
        "conservation" | "gisaid_freq" | "gisaid_velocity" => "as for amino acids",
        "hse_up" | "hse_down" | "ca_angle" | "ca_dihedral" | "rsa" | "exposed_velocity" | "hydropathy" | "charge"
        | "volume" => "undefined",
        _ if feature.group == Group::Nucleotide => "",
        _ if feature.group == Group::Backbone => "undefined",
        _ => "C1' stands for the alpha carbon",
    }
}

/// What a feature is in the rows of ligands, ions and the like (`--het rows`).
fn of_hetero(feature: &Feature) -> &'static str {
    match OfHetero::of(feature) {
        OfHetero::Same if feature.name == "sasa" => {
            "with --het rows as for amino acids; the radii of other elements than C, N, O and S: Mantina 2009, Alvarez 2013"
        }
        OfHetero::Same => "with --het rows as for amino acids",
        OfHetero::MeanB => "with --het rows the mean B column of the heavy atoms",
        OfHetero::Middle(_) => "with --het rows the mean over the heavy atoms",
        OfHetero::Undefined => "",
    }
}

/// How far a value may be from that of infinitely many test points; empty if it has nothing to do with them. Measured on 142
/// deposited and predicted structures, against 5000 points.
fn accuracy(feature: &Feature) -> &'static str {
    match feature.name {
        "sasa" | "sasa_apolar" => {
            "with 100 points a residue's area is up to 15 Å^2 (2.3 root mean square) and a structure's total up to 0.9% (median \
             0.0%) from that of 5000 points, either way; --points 1000 is more accurate and takes longer"
        }
        "rsa" => "that of sasa, divided by the maximum: see --explain sasa",
        _ => "",
    }
}

const WCN: &str =
    "where there is no alpha carbon, and in structures of more than 32,768 residues unless --columns names it";

/// When a feature is undefined, according to its definition.
fn undefined(feature: &Feature) -> &'static str {
    match feature.name {
        "wcn" => WCN,
        "contact_number"
        | "centrality"
        | "clustering"
        | "long_range_contacts"
        | "contact_order"
        | "centroid_distance"
        | "charge_local"
        | "ca_x"
        | "ca_y"
        | "ca_z" => "where there is no alpha carbon",
        "hse_up" | "hse_down" | "ca_angle" => {
            "where there is no alpha carbon, and at the ends of a fragment: both neighbours must be linked to the residue"
        }
        "ca_dihedral" => {
            "where there is no alpha carbon, or the residue before or one of the two after is not linked in the same fragment"
        }
        "hydropathy_local" => {
            "where there is no alpha carbon, or no residue near it, itself included, has a hydropathy"
        }
        "bfactor_z" | "bfactor_local" => {
            "where there is no alpha carbon, and in predicted models, whose B column holds a confidence"
        }
        "conservation" | "gisaid_freq" | "gisaid_velocity" => "where neither --annotations nor --lineages give a value",
        "conservation_local" | "freq_local" | "velocity_local" => {
            "where there is no alpha carbon, or no residue near it has a value from --annotations or --lineages"
        }
        "exposed_velocity" => "where rsa or velocity_local is not defined",
        "phi" | "psi" | "omega" => "at the ends of a chain, at its breaks, and where an atom of the angle is missing",
        "chi1" | "chi2" | "chi3" | "chi4" => "where the side chain has no such angle, or an atom of it is missing",
        "hbond_energy_nh" => {
            "for proline, at the beginning of a chain and after its breaks, and where an atom N, CA, C or O is missing"
        }
        "hbond_energy_co" | "ss" => "where an atom N, CA, C or O is missing",
        "b_factor" => "where there is no alpha carbon, or its B column is no number",
        "rsa" => "where no standard amino acid is known to be behind the residue",
        "hydropathy" | "volume" => {
            "where no standard amino acid is known to be behind the residue, and for modified ones, which the table does not \
             have; selenomethionine has methionine's, and D-amino acids have those of L-amino acids"
        }
        "charge" => CHARGE.as_str(),
        "alpha" | "epsilon" | "zeta" => {
            "for amino acids, at the ends of a chain, at its breaks, and where an atom of the angle is missing"
        }
        "beta" | "gamma" | "delta" | "chi" => "for amino acids, and where an atom of the angle is missing",
        "pucker_phase" | "pucker_amplitude" | "pucker" => {
            "for amino acids, and where an atom of the sugar's ring is missing"
        }
        _ => "nowhere",
    }
}
