//! The surface points of a site, for its picture.

use super::atoms::deltas;
use prism_engine::sites::{FoundSite, SurfacePoint, points};
use prism_io::output::StructureRows;
use serde_json::{Value, json};
use shared_types::Atom;

/// Points of a lower probability are left out.
const LEAST: f32 = 0.05;
/// Steps of an Å.
const STEPS: f32 = 10.0;

/// The surface points of each site: those on its residues where a ligand is likely enough to bind. Positions are relative to the
/// structure's centre, probabilities are in hundredths. Null for a site without such points.
pub(super) fn json(part: &StructureRows<'_>, sites: &[FoundSite]) -> Vec<Value> {
    let structure = part.structure;
    let all: Vec<SurfacePoint> = points(structure, &part.features).filter(|point| point.probability >= LEAST).collect();
    let of_site = |site: &FoundSite| {
        let is_own = |point: &&SurfacePoint| {
            let row = structure.residue_atoms.partition_point(|&first| first as usize <= point.atom) - 1;
            site.residues.binary_search(&row).is_ok()
        };
        let own: Vec<&SurfacePoint> = all.iter().filter(is_own).collect();
        if own.is_empty() {
            return Value::Null;
        }
        let relative = |point: &&SurfacePoint| {
            let [x, y, z] = [0, 1, 2].map(|axis| (point.at[axis] - structure.center[axis]) as f32);
            Atom { x, y, z, radius: 0.0 }
        };
        let placed: Vec<Atom> = own.iter().map(relative).collect();
        let hundredths: Vec<u8> = own.iter().map(|point| (point.probability * 100.0).round() as u8).collect();
        json!({ "steps": STEPS, "deltas": deltas(&placed.iter().collect::<Vec<_>>(), STEPS), "hundredths": hundredths })
    };
    sites.iter().map(of_site).collect()
}
