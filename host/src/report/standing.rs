//! What stands out among all structures: the sites that are most likely to bind a ligand.

use prism_engine::sites::{FoundSite, LIKELY};
use prism_io::output::StructureRows;
use serde_json::{Value, json};

/// Most sites that are listed.
const MOST: usize = 12;

/// The likeliest sites so far, the best first.
#[derive(Default)]
pub(super) struct Standing(Vec<(f32, Value)>);

impl Standing {
    /// Adds the likely sites of a structure. `relations` has the ligands that sit in them, if they are known.
    pub(super) fn add(&mut self, part: &StructureRows<'_>, sites: &[FoundSite], relations: &Value) {
        for site in sites.iter().filter(|site| site.probability >= LIKELY) {
            let sits = |ligand: &&Value| ligand["site"] == site.rank;
            let name = |ligand: &Value| {
                let residue = ligand["residue"].as_u64()? as usize;
                Some(part.structure.hetero.as_deref()?.residues.get(residue)?.name.clone())
            };
            let ligands: Vec<_> =
                relations["ligands"].as_array().into_iter().flatten().filter(sits).filter_map(name).collect();
            let one = json!({ "structure": part.structure.name, "rank": site.rank, "probability": super::rounded(site.probability),
                "residues": site.residues.len(), "volume": site.volume, "plddt": super::rounded(site.plddt), "ligands": ligands });
            // Of equal ones the first stays the first.
            let at = self.0.partition_point(|(probability, _)| *probability >= site.probability);
            self.0.insert(at, (site.probability, one));
            self.0.truncate(MOST);
        }
    }

    pub(super) fn listed(self) -> Vec<Value> {
        self.0.into_iter().map(|(_, site)| site).collect()
    }
}
