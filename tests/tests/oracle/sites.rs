//! Sites in f64, from the scores that were found: components of the contact graph, by exploring it.

use crate::graph::Graph;
use crate::residues::Residue;
use prism_host::StructureFeatures;
use shared_types::feature::column;
use shared_types::site_model::{BIAS, CONTACT_THRESHOLD, DEFAULT_THRESHOLD, INPUTS, MEANS, WEIGHTS};

/// Residues of the smallest site.
const SMALLEST: usize = 3;

/// What is wrong with scores and sites, the latter at the default threshold.
pub fn faults(
    graph: &Graph,
    residues: &[Residue],
    features: &StructureFeatures,
    contact_threshold: f32,
) -> Vec<String> {
    let mut faults = Vec::new();
    let scores: Vec<f32> = features.column(column::SITE_SCORE).collect();
    for (i, (found, residue)) in scores.iter().zip(residues).enumerate() {
        let right = if residue.ca.is_some() && contact_threshold == CONTACT_THRESHOLD {
            (f64::from(*found) - score(&features.rows()[i].columns)).abs() <= 2e-6
        } else {
            found.is_nan()
        };
        if !right {
            faults.push(format!("row {i} site_score: {found} where {}", score(&features.rows()[i].columns)));
        }
    }
    let expected = site_ids(graph, &scores);
    if features.site_ids != expected {
        faults.push(format!("sites {:?} where {expected:?}", features.site_ids));
    }
    let sites = expected.iter().max().map_or(0, |&last| last + 1);
    if i64::from(features.summary.sites) != i64::from(sites) {
        faults.push(format!("summary: {} sites of {sites}", features.summary.sites));
    }
    faults
}

fn score(columns: &[f32]) -> f64 {
    let term = |k: usize| {
        let value = if columns[k].is_nan() { MEANS[k] } else { columns[k] };
        f64::from(WEIGHTS[k]) * f64::from(value)
    };
    let logit = f64::from(BIAS) + (0..INPUTS).map(term).sum::<f64>();
    1.0 / (1.0 + (-logit).exp())
}

fn site_ids(graph: &Graph, scores: &[f32]) -> Vec<i32> {
    let mut seen: Vec<bool> = scores.iter().map(|&score| score.is_nan() || score < DEFAULT_THRESHOLD).collect();
    let mut sites = Vec::new();
    for first in 0..scores.len() {
        let mut site = Vec::new();
        let mut reached = vec![first];
        while let Some(i) = reached.pop() {
            if !seen[i] {
                seen[i] = true;
                site.push(i);
                reached.extend(&graph.neighbours[i]);
            }
        }
        if site.len() >= SMALLEST {
            sites.push((site.iter().map(|&i| f64::from(scores[i])).sum::<f64>(), site));
        }
    }
    // Those of equal sums stay in the order of their lowest rows.
    sites.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    let mut ids = vec![-1; scores.len()];
    for (id, (_, site)) in sites.iter().enumerate() {
        site.iter().for_each(|&i| ids[i] = id as i32);
    }
    ids
}
