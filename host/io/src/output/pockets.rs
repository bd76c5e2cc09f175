//! Sites that are followed through the frames of a trajectory.

use super::reduced::Series;
use super::relations::{STRUCTURE, Value, float, int, push};
use super::{CellKind, Cells, LinesFile, OutputError, Relation, RelationColumn, SitesRelation, StructureRows};
use prism_engine::sites::Pockets;

/// The column after those of sites.
const POCKET: RelationColumn = int(
    "pocket",
    "the pocket that the site is, from 1 in the order in which they appear: sites of several frames with common residues",
);

/// A line per site and frame with the number of its pocket; and a line per pocket in another table.
///
/// ```
/// use prism_io::output::{PocketsRelation, Relation, SitesRelation};
/// use prism_engine::sites::SiteLimits;
///
/// let pockets = PocketsRelation::new(SitesRelation::new(SiteLimits::ALL), None);
/// assert_eq!(pockets.columns().last().unwrap().name, "pocket");
/// ```
pub struct PocketsRelation {
    sites: SitesRelation,
    columns: &'static [RelationColumn],
    pockets: Pockets,
    /// Scores, probabilities, areas and volumes of each pocket.
    series: Vec<[Series; 4]>,
    name: String,
    /// Names of rows.
    residues: Vec<String>,
    /// The numbers and times of frames.
    frames: Vec<Option<i32>>,
    summary: Option<LinesFile>,
}

impl PocketsRelation {
    /// The columns of the table of pockets.
    pub const SUMMARY: &'static [RelationColumn] = &[
        STRUCTURE,
        int("pocket", "the pocket's number, as in the table of sites"),
        int("frames", "frames with a site that is this pocket"),
        float("occupancy", "", "their share of all frames"),
        int("first_frame", "the first of them"),
        int("last_frame", "the last of them"),
        float("score_mean", "", "mean score over these frames"),
        float("score_max", "", "largest score"),
        float("probability_mean", "", "mean probability"),
        float("probability_max", "", "largest probability"),
        float("area_mean", "Å^2", "mean area"),
        float("area_sd", "Å^2", "standard deviation of the area"),
        float("volume_mean", "Å^3", "mean volume"),
        float("volume_sd", "Å^3", "standard deviation of the volume"),
        float("volume_min", "Å^3", "smallest volume"),
        float("volume_max", "Å^3", "largest volume"),
        RelationColumn::new(
            "residues",
            CellKind::Words,
            "",
            "residues that line it in at least half of these frames: chain, number and insertion code (A_120), divided by spaces; an \
             array in JSON",
        ),
    ];

    /// Follows these sites. `summary` gets the table of pockets.
    #[must_use]
    pub fn new(sites: SitesRelation, summary: Option<LinesFile>) -> Self {
        let mut columns = sites.columns().to_vec();
        columns.push(POCKET);
        // There is one of these in a run.
        let columns = columns.leak();
        let (pockets, series) = (Pockets::default(), Vec::new());
        let (name, residues, frames) = (String::new(), Vec::new(), Vec::new());
        Self { sites, columns, pockets, series, name, residues, frames, summary }
    }

    fn lines(&self, cells: &mut [Cells]) {
        (0..self.series.len()).for_each(|index| self.line(index, cells));
    }

    fn line(&self, index: usize, cells: &mut [Cells]) {
        let (pocket, [score, probability, area, volume]) = (&self.pockets.all()[index], &self.series[index]);
        let frame = |place: usize| self.frames.get(place).copied().flatten().unwrap_or(place as i32) as usize;
        let residues: Vec<&str> =
            pocket.usual_residues().iter().filter_map(|&row| self.residues.get(row)).map(String::as_str).collect();
        push(
            cells,
            &[
                Value::Text(&self.name),
                Value::Int(index + 1),
                Value::Int(pocket.frames),
                Value::Float((pocket.frames as f64 / self.pockets.frames() as f64) as f32),
                Value::Int(frame(pocket.first)),
                Value::Int(frame(pocket.last)),
                Value::Float(score.mean()),
                Value::Float(score.max()),
                Value::Float(probability.mean()),
                Value::Float(probability.max()),
                Value::Float(area.mean()),
                Value::Float(area.sd()),
                Value::Float(volume.mean()),
                Value::Float(volume.sd()),
                Value::Float(volume.min()),
                Value::Float(volume.max()),
                Value::Text(&residues.join(" ")),
            ],
        );
    }
}

impl Relation for PocketsRelation {
    fn columns(&self) -> &'static [RelationColumn] {
        self.columns
    }

    fn prepare(&mut self, parts: &[StructureRows<'_>]) {
        self.sites.prepare(parts);
    }

    fn append(&mut self, part: &StructureRows<'_>, cells: &mut [Cells]) -> Result<(), OutputError> {
        if self.frames.is_empty() {
            self.name.clone_from(&part.structure.name);
            self.residues = (0..part.structure.n_rows()).map(|row| part.residue(row)).collect();
        }
        self.frames.push(part.frame_number());
        let Some((own, of_sites)) = cells.split_last_mut() else { return Ok(()) };
        let found = self.sites.append_found(part, of_sites);
        let numbers = self.pockets.follow(&found);
        self.series.resize_with(self.pockets.all().len(), Default::default);
        for (site, number) in found.iter().zip(&numbers) {
            let values = [site.score, site.probability, site.area, site.volume as f32];
            self.series[number - 1].iter_mut().zip(values).for_each(|(series, value)| series.add(value));
        }
        if let Cells::Int(all) = own {
            all.extend(numbers.iter().map(|number| *number as i32));
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<(), OutputError> {
        let Some(mut summary) = self.summary.take() else { return Ok(()) };
        summary.append(&mut |cells| self.lines(cells))?;
        summary.commit().map(drop)
    }
}

/// A line per pocket alone, after those of all frames.
///
/// ```
/// use prism_engine::sites::SiteLimits;
/// use prism_io::output::{PocketsRelation, PocketsSummary, Relation, SitesRelation};
///
/// let summary = PocketsSummary::new(SitesRelation::new(SiteLimits::ALL));
/// assert_eq!(summary.columns().len(), PocketsRelation::SUMMARY.len());
/// ```
pub struct PocketsSummary(PocketsRelation);

impl PocketsSummary {
    /// Follows these sites.
    #[must_use]
    pub fn new(sites: SitesRelation) -> Self {
        Self(PocketsRelation::new(sites, None))
    }
}

impl Relation for PocketsSummary {
    fn columns(&self) -> &'static [RelationColumn] {
        PocketsRelation::SUMMARY
    }

    fn prepare(&mut self, parts: &[StructureRows<'_>]) {
        self.0.prepare(parts);
    }

    fn append(&mut self, part: &StructureRows<'_>, _: &mut [Cells]) -> Result<(), OutputError> {
        let mut of_sites = Cells::of(self.0.columns());
        self.0.append(part, &mut of_sites)
    }

    fn last(&mut self, cells: &mut [Cells]) -> Result<(), OutputError> {
        self.0.lines(cells);
        Ok(())
    }
}
