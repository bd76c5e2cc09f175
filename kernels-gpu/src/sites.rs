//! Ligand-binding sites: which residues are likely to line one, and which of those lie together.

use crate::graph::ContactGraph;
use crate::scratch::{Place, Shares, SiteLabels};
use cuda_std::math::{NAN, exp};
use cuda_std::prelude::*;
use shared_types::feature::column;
use shared_types::site_model::{BIAS, CONTACT_THRESHOLD, INPUTS, MEANS, WEIGHTS};
use shared_types::{FeatureRow, MegaFusedConfig, StructureSummary};

/// Threads that find a site's place among the others together.
const TEAM: u32 = 8;
/// Residues of the smallest site.
const SMALLEST: u32 = 3;
/// A residue that is part of no site.
const OUTSIDE: u32 = u32::MAX;
/// Scores are added up in this part of 1, as integers, so that the order makes no difference. Scores above 2^-17 lose
/// nothing.
const UNIT: f32 = (1_u64 << 40) as f32;

/// Scores every residue of a batch and numbers the sites, after all other features are there: block `i` takes structure
/// `i`.
///
/// - `output`: a row of features a residue, as the fused kernel left it.
/// - `site_ids`: the site that the residue is part of, counted from 0 in its structure, or -1.
/// - `summaries`: one a structure, as the fused kernel left it.
/// - `places`, `contacts`: what the fused kernel worked in.
/// - `labels`, `sums`: scratch, one element a residue.
/// - `shares`: who made the contact lists.
#[kernel(threads = 256, blocks_per_sm = 4)]
pub fn binding_sites_prism4d(
    block: &mut Block,
    output: &mut Segment<FeatureRow>,
    site_ids: &mut Segment<i32>,
    summaries: &mut Segment<StructureSummary>,
    places: &[Place],
    contacts: &[u32],
    labels: &mut Segment<SiteLabels>,
    sums: &mut Segment<u64>,
    config: MegaFusedConfig,
    shares: Shares,
) {
    let (n, first) = (output.len(), output.start());
    let places = View::of(places.part(first, n));
    let words = shares.contact_words;
    let chunk = if n > shares.largest { shares.rows_an_item } else { n };
    let lists = Lists::in_chunks(View::of(contacts.part(first * words, n * words)), n, chunk);
    let graph = ContactGraph { lists, places, radius: config.contact_threshold * config.contact_threshold };
    score(block, places, n, config.contact_threshold, output);
    let mut labels = labels.whole();
    let mut labels = labels.flatten();
    let rows = output.view(n);
    if label_components(block, graph, n, config.site_threshold, rows, &mut labels) {
        let sites = number(block, n, rows, &mut labels, sums, site_ids);
        summaries.update(block, 1, |_, summary| summary.sites = sites);
    } else {
        site_ids.fill(block, n, |_| -1);
    }
}

/// Column `site_score`: a logistic model of the columns before it. NaN where the contacts are not those that the model
/// was fitted with.
#[inline(always)]
fn score(block: &mut Block, places: View<Place>, n: u32, contact_threshold: f32, output: &mut Segment<FeatureRow>) {
    let fitted = contact_threshold == CONTACT_THRESHOLD;
    output.update(block, n, |i, row| {
        let mut logit = BIAS;
        for k in 0..INPUTS {
            let value = row.columns[k];
            logit = math::fma(WEIGHTS[k], if value.is_nan() { MEANS[k] } else { value }, logit);
        }
        row.columns[column::SITE_SCORE] =
            if fitted && places.get(i).exists() { 1.0 / (1.0 + exp(-logit)) } else { NAN };
    });
}

/// Gives every residue with a score of at least `threshold` the lowest row that it is connected with by contacts among
/// such residues, and all others [`OUTSIDE`]; behind the labels is as much room to work in. Returns whether there is any.
///
/// Each takes the lowest label next to it, and then that label's own, until nothing changes.
#[inline(always)]
fn label_components(
    block: &mut Block,
    graph: ContactGraph,
    n: u32,
    threshold: f32,
    rows: View<FeatureRow>,
    labels: &mut Part<u32>,
) -> bool {
    let (mut labels, mut spare) = labels.split_at(n);
    let mut changes = labels.fill_reduce(
        block,
        n,
        0u32,
        |i| if rows.get(i).columns[column::SITE_SCORE] >= threshold { (i, 1) } else { (OUTSIDE, 0) },
        |a, b| a | b,
    );
    let any = changes != 0;
    while changes != 0 {
        let now = labels.view(n);
        spare.fill(block, n, |i| {
            let label = now.get(i);
            if label == OUTSIDE { label } else { graph.lowest_of_contacts(i, now, label) }
        });
        let next = spare.view(n);
        changes = labels.update_reduce(
            block,
            n,
            0u32,
            |i, label| {
                let lowest = next.get(i);
                let own = if lowest == OUTSIDE { lowest } else { next.get(lowest) };
                let changed = u32::from(own != *label);
                *label = own;
                changed
            },
            |a, b| a | b,
        );
    }
    any
}

/// Numbers the sites: components of at least [`SMALLEST`] residues, by falling sum of their scores, and of equal ones by
/// lowest row. Residues outside get -1. Returns how many there are.
#[inline(always)]
fn number(
    block: &mut Block,
    n: u32,
    rows: View<FeatureRow>,
    labels: &mut Part<u32>,
    sums: &mut Segment<u64>,
    ids: &mut Segment<i32>,
) -> u32 {
    let (labels, mut spare) = labels.split_at(n);
    let labels = labels.view(n);
    let site_of = |i| {
        let label = labels.get(i);
        (label != OUTSIDE).then_some(label)
    };
    sums.fill(block, n, |_| 0);
    sums.update_atomic(block, n, |thread, sums, i| {
        if let Some(site) = site_of(i) {
            let score = rows.get(i).columns[column::SITE_SCORE];
            sums.add(thread, site, ((score * UNIT) as u64).max(1));
        }
    });
    spare.fill(block, n, |_| 0);
    spare.update_atomic(block, n, |thread, counts, i| {
        if let Some(site) = site_of(i) {
            counts.add(thread, site, 1);
        }
    });
    // What is too small sums up to nothing, and so is none of them.
    let counts = spare.view(n);
    let sites = sums.update_reduce(
        block,
        n,
        0u32,
        |i, sum| {
            if counts.get(i) < SMALLEST {
                *sum = 0;
            }
            u32::from(*sum > 0)
        },
        u32::wrapping_add,
    );
    let sums = sums.view(n);
    spare.fill_by_team::<TEAM>(block, n, |team, site| {
        let sum = sums.get(site);
        if sum == 0 {
            return OUTSIDE;
        }
        let before = |rank: u32, other: u32| {
            let first = sums.get(other) > sum || (sums.get(other) == sum && other < site);
            rank.wrapping_add(u32::from(first))
        };
        team.reduce(n, 0, before, u32::wrapping_add)
    });
    let ranks = spare.view(n);
    ids.fill(block, n, |i| match site_of(i).map(|site| ranks.get(site)) {
        Some(rank) if rank != OUTSIDE => rank as i32,
        _ => -1,
    });
    sites
}
