//! The predicted aligned errors of a structure's detailed view, and the scores of its chains.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use prism_complexes::confidence::{Cutoffs, PAIR_NUMBERS, PredictionFiles};
use prism_io::output::matrix_rows;
use prism_read::structure::StructureInput;
use serde_json::{Map, Value, json};

/// Rows and columns of the picture at most; of larger matrices, some are left out.
const MOST: usize = 400;
/// Steps of an Å in the picture; the last byte stands for no error.
const STEPS: f32 = 8.0;
const NONE: u8 = u8::MAX;

/// The scores of two chains that the page shows.
const SHOWN: [&str; 8] = ["iptm", "ipsae", "pdockq", "pdockq2", "lis", "actifptm", "pae_mean", "contacts"];

/// The scores of the table of structures: the predictor's own, and the best ipSAE of two chains. Null without a matrix.
pub fn summary(of: &Value) -> Value {
    let Some(pairs) = of["pairs"].as_array() else { return Value::Null };
    let ipsae = pairs.iter().filter_map(|pair| pair["numbers"]["ipsae"].as_f64());
    let mut scores = of["own"].clone();
    scores["ipsae"] = ipsae.reduce(f64::max).into();
    scores
}

/// The matrix with a row for each of the picture's residues, and scores; or why there is none.
pub fn json(structure: &StructureInput, files: &PredictionFiles) -> Value {
    let prediction = match files.read() {
        Ok(prediction) => prediction,
        Err(reason) => return json!({ "reason": reason }),
    };
    let scores = prediction.scores(Cutoffs::default());
    let known = matrix_rows(structure, &prediction);
    let n = structure.n_rows();
    let side = n.min(MOST);
    let rows: Vec<usize> = (0..side).map(|at| at * n / side).collect();
    let cell = |row: usize, column: usize| match (known[row], known[column]) {
        (Some(i), Some(j)) => (prediction.pae.at(i, j) * STEPS).min(f32::from(NONE - 1)) as u8,
        _ => NONE,
    };
    let bytes: Vec<u8> =
        rows.iter().flat_map(|&row| rows.iter().map(move |&column| (row, column))).map(|(i, j)| cell(i, j)).collect();
    let number =
        |value: f32| if value.is_finite() { Value::from((f64::from(value) * 1e4).round() / 1e4) } else { Value::Null };
    let pairs = scores.pairs.iter().filter(|pair| pair.is_max).map(|pair| {
        let numbers: Map<String, Value> = PAIR_NUMBERS
            .iter()
            .zip(pair.numbers)
            .filter(|(column, _)| SHOWN.contains(&column.name))
            .map(|(column, value)| (column.name.to_owned(), number(value)))
            .collect();
        json!({ "chains": pair.chains.map(|chain| &scores.chains[chain]), "numbers": numbers })
    });
    let own = [("iptm", prediction.iptm), ("ptm", prediction.ptm), ("ranking", prediction.ranking)];
    let own: Map<String, Value> =
        own.into_iter().filter_map(|(name, value)| Some((name.to_owned(), number(value?)))).collect();
    let shown = known.iter().flatten().count();
    json!({
        // Tokens of the matrix that stand for no residue with a row, such as atoms of ligands.
        "left_out": prediction.pae.size() - shown,
        "rows": rows, "steps": STEPS, "errors": STANDARD.encode(bytes), "columns": SHOWN,
        "pairs": pairs.collect::<Vec<_>>(), "own": own, "warnings": scores.all_warnings().collect::<Vec<_>>(),
    })
}
