//! Sites as a relation.

use super::ahead::Ahead;
use super::relations::STRUCTURE;
use super::view::SitesView;
use super::{CellKind, Cells, OutputError, Relation, RelationColumn, StructureRows};
use prism_engine::sites::{Cavity, FoundSite, LIKELY, LOW_PLDDT, SiteLimits, sites};
use prism_read::plural::form;
use std::sync::{Arc, Mutex, PoisonError};

/// One line per site, as `prism sites` writes it: the columns of [`FoundSite`], centres in Å, residues as chain, number and
/// insertion code (`A_120`), separated by spaces. Numbers are the shortest decimals that read back as the same `f32`.
///
/// ```
/// use prism_io::output::{Relation, RelationTable, SitesRelation, StructureRows, Table};
/// use prism_read::{ReadOptions, read_path};
/// use prism_engine::sites::SiteLimits;
/// use prism_engine::{Backend, Engine};
///
/// let rbd = read_path("../../data/6m0j_rbd.pdb", "rbd", &ReadOptions::default())?.structure;
/// let engine = Engine::builder().backend(Backend::Cpu).build()?;
/// let features = &engine.run(std::slice::from_ref(&rbd))?[0];
/// let all = [StructureRows { structure: &rbd, features: features.view() }];
/// let mut text = Vec::new();
/// let mut table = RelationTable::csv(&mut text, SitesRelation::new(SiteLimits::ALL));
/// table.write(&all)?;
/// Box::new(table).finish()?;
/// let text = String::from_utf8(text)?;
/// assert!(text.starts_with("structure,rank,score,probability,x,y,z,area,volume,residues,plddt\n"));
/// assert_eq!(text.lines().count(), 1 + features.summary.sites as usize);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct SitesRelation {
    /// Which sites have a line.
    limits: SiteLimits,
    tally: SitesTally,
    ahead: Ahead<Vec<FoundSite>>,
}

/// Of each of so many rows, the rank of the first site that it lines.
pub(super) fn first_ranks(rows: usize, found: &[FoundSite]) -> Vec<Option<usize>> {
    let mut ranks = vec![None; rows];
    for site in found {
        site.residues.iter().for_each(|&row| _ = ranks[row].get_or_insert(site.rank));
    }
    ranks
}

/// What a table of sites has so far. Clones share it: one goes with the relation into a table, and the caller keeps another.
///
/// ```
/// use prism_io::output::SitesRelation;
/// use prism_engine::sites::SiteLimits;
///
/// let tally = SitesRelation::new(SiteLimits::default()).tally();
/// assert_eq!(tally.counts(), Default::default());
/// assert!(tally.take_warnings().is_empty());
/// ```
#[derive(Clone, Debug, Default)]
pub struct SitesTally(Arc<Mutex<Tally>>);

#[derive(Debug, Default)]
struct Tally {
    counts: SiteCounts,
    /// Names of structures, and what is odd about their sites.
    warnings: Vec<(String, String)>,
}

/// Numbers of sites.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SiteCounts {
    /// Those that have a line.
    pub written: usize,
    /// Those of them with a probability of at least [`LIKELY`].
    pub likely: usize,
    /// Those that the limits leave out.
    pub left_out: usize,
}

impl SitesTally {
    /// The sites so far.
    #[must_use]
    pub fn counts(&self) -> SiteCounts {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).counts
    }

    /// Takes the warnings since the last call: names of structures, and what is odd about their sites.
    #[must_use]
    pub fn take_warnings(&self) -> Vec<(String, String)> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner).warnings)
    }

    /// Adds a warning about a structure.
    pub(super) fn warn(&self, part: &StructureRows<'_>, text: String) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).warnings.push((part.structure.label(), text));
    }

    pub(super) fn add(&self, part: &StructureRows<'_>, found: &[FoundSite]) {
        let Tally { counts, warnings } = &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        counts.written += found.len();
        counts.likely += found.iter().filter(|site| site.probability >= LIKELY).count();
        counts.left_out += part.features.sites.len() - found.len();
        let low: Vec<&FoundSite> = found.iter().filter(|site| site.plddt < LOW_PLDDT).collect();
        if !low.is_empty() {
            let each: Vec<String> = low.iter().map(|site| format!("{} ({:.0})", site.rank, site.plddt)).collect();
            let text = format!(
                "{} in a part of the predicted model that may be placed wrongly, with a mean pLDDT below {LOW_PLDDT}: {}",
                form(low.len(), "site lies", "sites lie"),
                each.join(", ")
            );
            warnings.push((part.structure.label(), text));
        }
    }
}

impl SitesRelation {
    /// A table of the sites that the limits allow.
    #[must_use]
    pub fn new(limits: SiteLimits) -> Self {
        Self { limits, tally: SitesTally::default(), ahead: Ahead::default() }
    }

    /// What it has so far, and will have.
    #[must_use]
    pub fn tally(&self) -> SitesTally {
        self.tally.clone()
    }

    /// Appends the lines of a structure. Returns its sites.
    pub(super) fn append_found(&mut self, part: &StructureRows<'_>, cells: &mut [Cells]) -> Vec<FoundSite> {
        let found = self.of(part);
        push(part, &found, cells);
        found
    }

    fn of(&mut self, part: &StructureRows<'_>) -> Vec<FoundSite> {
        let found = self.ahead.next(|| sites(part.structure, &part.features, &self.limits));
        self.tally.add(part, &found);
        found
    }
}

impl Relation for SitesRelation {
    fn columns(&self) -> &'static [RelationColumn] {
        const fn float(name: &'static str, unit: &'static str, definition: &'static str) -> RelationColumn {
            RelationColumn::new(name, CellKind::Float, unit, definition)
        }
        const ALL: [RelationColumn; 16] = {
            [
                STRUCTURE,
                RelationColumn::new("rank", CellKind::Int, "", "rank in the structure by falling score, from 1"),
                float("score", "", "sum of the probabilities of its surface points to the power of 1.5"),
                float("probability", "", "probability that a site with this score binds a ligand"),
                float("x", "Å", "x of its centre in the file's frame: mean of its points, weighted as in the score"),
                float("y", "Å", "y of its centre"),
                float("z", "Å", "z of its centre"),
                float("area", "Å^2", "area that its surface points represent"),
                float("volume", "Å^3", "volume without atoms within 6 Å of its centre"),
                RelationColumn::new(
                    "residues",
                    CellKind::Words,
                    "",
                    "the residues that line it: chain, number and insertion code (A_120), divided by spaces; an array in JSON",
                ),
                float("plddt", "", "mean plddt of these residues, 0 to 100; undefined for experiments"),
                float(
                    "pocket_volume",
                    "Å^3",
                    "volume of the whole pocket in which the site lies: free cells of 1 Å within 1.4 Å of cells that a probe of 1.4 Å \
                     fits into and that protein encloses along at least 3 of 7 lines (LIGSITE), connected, within 12 Å of the centre",
                ),
                float(
                    "pocket_depth",
                    "Å",
                    "distance of the pocket's deepest cell from its opening; undefined if it has none",
                ),
                float("mouth_area", "Å^2", "area of the pocket's opening to the outside; 0 if it is closed"),
                float(
                    "pocket_hydropathy",
                    "",
                    "mean hydropathy (Kyte and Doolittle) of the residues that line the pocket",
                ),
                float(
                    "pocket_flexibility",
                    "",
                    "mean standard score of the B factors of these residues' alpha carbons in the structure; undefined for predicted models",
                ),
            ]
        };
        /// Columns before those of whole pockets.
        const OF_SITES: usize = 11;
        const { &ALL }.get(..if self.limits.pockets { ALL.len() } else { OF_SITES }).unwrap_or_default()
    }

    fn prepare(&mut self, parts: &[StructureRows<'_>]) {
        self.ahead.compute(parts, |part| sites(part.structure, &part.features, &self.limits));
    }

    fn append(&mut self, part: &StructureRows<'_>, cells: &mut [Cells]) -> Result<(), OutputError> {
        self.append_found(part, cells);
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

    fn prepare(&mut self, parts: &[StructureRows<'_>]) {
        self.sites.prepare(parts);
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
        let FoundSite { score, probability, center: [x, y, z], area, volume, plddt, .. } = *site;
        let Cavity { volume: whole, depth, mouth, hydropathy, flexibility } = site.cavity;
        let of_site = [score, probability, x as f32, y as f32, z as f32, area, volume as f32, plddt];
        let mut numbers = of_site.into_iter().chain([whole, depth, mouth, hydropathy, flexibility]);
        let residues: Vec<_> = site.residues.iter().map(|&row| part.residue(row)).collect();
        let mut texts = [part.structure.name.clone(), residues.join(" ")].into_iter();
        for cells in cells.iter_mut() {
            match cells {
                Cells::Text(all) => all.extend(texts.next()),
                Cells::Int(all) => all.push(site.rank as i32),
                Cells::Optional(_) => unreachable!("these lines have all their integers"),
                Cells::Float(all) => all.extend(numbers.next()),
            }
        }
    }
}
