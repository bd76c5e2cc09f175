//! Sites as CSV.

use super::{OutputError, StructureRows, Table};
use crate::sites::sites;
use std::io::Write;

const HEADER: [&str; 8] = ["structure", "site", "score", "residues", "x", "y", "z", "volume"];

/// A line a site, as `prism sites` writes it: the summed score, the number of residues, the mean of their alpha carbons in
/// Å, and the volume in Å³. Numbers are the shortest decimals that read back as the same `f32`.
///
/// ```
/// use prism_host::output::{SitesTable, StructureRows, Table};
/// use prism_host::read::{ReadOptions, read_path};
/// use prism_host::{Backend, Engine};
///
/// let rbd = read_path("../data/6m0j_rbd.pdb", "rbd", &ReadOptions::default())?.structure;
/// let engine = Engine::builder().backend(Backend::Cpu).build()?;
/// let features = &engine.run(std::slice::from_ref(&rbd))?[0];
/// let all = [StructureRows { structure: &rbd, features: features.view() }];
/// let mut text = Vec::new();
/// let mut table = SitesTable::new(&mut text);
/// table.write(&all)?;
/// Box::new(table).finish()?;
/// let text = String::from_utf8(text)?;
/// assert_eq!(text.lines().next(), Some("structure,site,score,residues,x,y,z,volume"));
/// assert_eq!(text.lines().count(), 1 + features.summary.sites as usize);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct SitesTable<W: Write> {
    out: csv::Writer<W>,
    begun: bool,
}

impl<W: Write> SitesTable<W> {
    /// Begins a table. The header is written with the first structure, or at the end.
    pub fn new(out: W) -> Self {
        Self { out: csv::Writer::from_writer(out), begun: false }
    }

    fn record<T: AsRef<[u8]>>(&mut self, fields: impl IntoIterator<Item = T>) -> Result<(), OutputError> {
        self.out.write_record(fields).map_err(|error| std::io::Error::from(error).into())
    }

    fn begin(&mut self) -> Result<(), OutputError> {
        if !self.begun {
            self.begun = true;
            self.record(HEADER)?;
        }
        Ok(())
    }
}

impl<W: Write> Table for SitesTable<W> {
    fn write(&mut self, structures: &[StructureRows<'_>]) -> Result<(), OutputError> {
        self.begin()?;
        let number = |value: f64| zmij::Buffer::new().format(value as f32).to_owned();
        for part in structures {
            let scores = part.features.named("site_score").unwrap_or_default();
            for (index, site) in sites(part.structure, scores, part.features.site_ids).iter().enumerate() {
                let [x, y, z] = site.center.map(number);
                let (score, volume) = (number(site.score), number(site.volume));
                let name = part.structure.name.clone();
                self.record([name, index.to_string(), score, site.residues.to_string(), x, y, z, volume])?;
            }
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<(), OutputError> {
        self.begin()?;
        Ok(self.out.flush()?)
    }
}
