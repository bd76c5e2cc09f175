//! Sites as a relation.

use super::relations::STRUCTURE;
use super::view::SitesView;
use super::{CellKind, Cells, OutputError, Relation, RelationColumn, StructureRows};
use crate::sites::{FoundSite, sites};

/// One line per site, as `prism sites` writes it: the columns of [`FoundSite`], centres in Å, residues as chain, number and
/// insertion code (`A_120`), separated by spaces. Numbers are the shortest decimals that read back as the same `f32`.
///
/// ```
/// use prism_host::output::{Relation, RelationTable, SitesRelation, StructureRows, Table};
/// use prism_host::read::{ReadOptions, read_path};
/// use prism_host::{Backend, Engine};
///
/// let rbd = read_path("../data/6m0j_rbd.pdb", "rbd", &ReadOptions::default())?.structure;
/// let engine = Engine::builder().backend(Backend::Cpu).build()?;
/// let features = &engine.run(std::slice::from_ref(&rbd))?[0];
/// let all = [StructureRows { structure: &rbd, features: features.view() }];
/// let mut text = Vec::new();
/// let mut table = RelationTable::csv(&mut text, SitesRelation { most: 20, least: 0.0 });
/// table.write(&all)?;
/// Box::new(table).finish()?;
/// let text = String::from_utf8(text)?;
/// assert_eq!(text.lines().next(), Some("structure,rank,score,probability,x,y,z,area,volume,residues"));
/// assert_eq!(text.lines().count(), 1 + features.summary.sites as usize);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct SitesRelation {
    /// Most sites of a structure.
    pub most: usize,
    /// Sites with a lower score are left out.
    pub least: f32,
}

impl SitesRelation {
    fn of(&self, part: &StructureRows<'_>) -> Vec<FoundSite> {
        sites(part.structure, &part.features, self.most, self.least)
    }
}

impl Relation for SitesRelation {
    fn columns(&self) -> &'static [RelationColumn] {
        const fn float(name: &'static str, unit: &'static str, definition: &'static str) -> RelationColumn {
            RelationColumn::new(name, CellKind::Float, unit, definition)
        }
        const {
            &[
                STRUCTURE,
                RelationColumn::new("rank", CellKind::Int, "", "rank in the structure by falling score, from 1"),
                float("score", "", "sum of the squared probabilities of its surface points"),
                float("probability", "", "probability that a site with this score binds a ligand"),
                float("x", "Å", "x of its centre in the file's frame: mean of its points by squared probability"),
                float("y", "Å", "y of its centre"),
                float("z", "Å", "z of its centre"),
                float("area", "Å^2", "area that its surface points represent"),
                float("volume", "Å^3", "volume without atoms within 6 Å of its centre"),
                RelationColumn::new(
                    "residues",
                    CellKind::Words,
                    "",
                    "its residues: chain, number and insertion code (A_120), divided by spaces; an array in JSON",
                ),
            ]
        }
    }

    fn append(&mut self, part: &StructureRows<'_>, cells: &mut [Cells]) -> Result<(), OutputError> {
        push(part, &self.of(part), cells);
        Ok(())
    }
}

/// Sites, and files for viewers.
#[derive(Debug)]
pub struct ViewedSites {
    /// The lines.
    pub sites: SitesRelation,
    /// Files for viewers of one structure.
    pub view: SitesView,
}

impl Relation for ViewedSites {
    fn columns(&self) -> &'static [RelationColumn] {
        self.sites.columns()
    }

    fn append(&mut self, part: &StructureRows<'_>, cells: &mut [Cells]) -> Result<(), OutputError> {
        let found = self.sites.of(part);
        self.view.write(part, &found)?;
        push(part, &found, cells);
        Ok(())
    }
}

fn push(part: &StructureRows<'_>, found: &[FoundSite], cells: &mut [Cells]) {
    for site in found {
        let FoundSite { score, probability, center: [x, y, z], area, volume, .. } = *site;
        let mut numbers = [score, probability, x as f32, y as f32, z as f32, area, volume as f32].into_iter();
        let residues: Vec<_> = site.residues.iter().map(|&row| part.residue(row)).collect();
        let mut texts = [part.structure.name.clone(), residues.join(" ")].into_iter();
        for cells in cells.iter_mut() {
            match cells {
                Cells::Text(all) => all.extend(texts.next()),
                Cells::Int(all) => all.push(site.rank as i32),
                Cells::Float(all) => all.extend(numbers.next()),
            }
        }
    }
}
