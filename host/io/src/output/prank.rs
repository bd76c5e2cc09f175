//! Sites in the files of P2Rank 2, which scripts and viewers of its users read.

use super::gzip::zipped;
use super::sites::first_ranks;
use super::view::{points_as_pdb, pymol_script};
use super::{InputFiles, OutputError, RelationFailures, SitesTally, StructureRows, Table, check_place, write_whole};
use crate::inputs::{InputFailure, InputFile, Source};
use prism_engine::sites::{FoundSite, SiteLimits, SurfacePoint, points, sites};
use prism_read::grid::Grid;
use prism_read::plural::counted;
use prism_read::{contents, each_atom_but_damaged_water};
use rayon::prelude::*;
use shared_types::FEATURES;
use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::path::{Component, Path, PathBuf};

/// How far in Å a position of single precision may be from that of the file.
const TOLERANCE: f64 = 0.01;

/// The files of P2Rank for each structure, in a folder:
///
/// ```text
/// NAME_predictions.csv                          sites: rank, score, probability, centre, residues, atoms
/// NAME_residues.csv                             residues: score, z-score, probability, site
/// visualizations/NAME.pml                       a script for PyMOL
/// visualizations/data/NAME                      the structure's file
/// visualizations/data/NAME_points.pdb.gz        the scored surface points
/// ```
///
/// Columns, their widths and decimals are those of P2Rank 2.4. Values are those of [`SitesRelation`](super::SitesRelation).
pub struct PrankFolder {
    folder: PathBuf,
    limits: SiteLimits,
    tally: SitesTally,
    failures: RelationFailures,
    files: InputFiles,
    /// The copies of structures so far.
    written: HashSet<PathBuf>,
}

impl PrankFolder {
    /// Begins the files in a folder, which is made if it does not exist. It needs `site_score`, sites and points.
    ///
    /// # Errors
    /// If it cannot be made or written to.
    pub fn create(
        folder: &Path,
        limits: SiteLimits,
        tally: SitesTally,
        failures: RelationFailures,
    ) -> Result<Self, OutputError> {
        let data = folder.join("visualizations").join("data");
        std::fs::create_dir_all(&data).map_err(|source| not_made(&data, source))?;
        check_place(&folder.join("x_predictions.csv"))?;
        Ok(Self {
            folder: folder.to_owned(),
            limits,
            tally,
            failures,
            files: InputFiles::default(),
            written: HashSet::new(),
        })
    }

    /// The files that may be written for some inputs, relative to the folder.
    #[must_use]
    pub fn names(inputs: &[Result<InputFile, InputFailure>]) -> Vec<PathBuf> {
        let files = inputs.iter().flatten().filter(|input| matches!(input.source, Source::File));
        files.flat_map(|input| Places::of(&input.name, &input.path).all()).collect()
    }

    /// Adds the files of structures.
    pub fn know<'a>(&mut self, inputs: impl IntoIterator<Item = &'a InputFile>) {
        self.files.know(inputs);
    }

    /// A structure's file, and the places of its files here.
    fn places(&mut self, part: &StructureRows<'_>) -> Result<(PathBuf, Places), Failed> {
        let name = &part.structure.name;
        let input = self.files.of(name).map_err(Failed::Input)?;
        let places = Places::of(name, input);
        match self.written.insert(places.structure.clone()) {
            true => Ok((input.to_owned(), places)),
            false => Err(Failed::Input(format!("another structure has the file {}", places.structure.display()))),
        }
    }

    fn write_one(&self, part: &StructureRows<'_>, input: &Path, places: &Places) -> Result<(), Failed> {
        let structure = part.structure;
        for path in places.all() {
            let folder = self.folder.join(path.parent().unwrap_or(Path::new("")));
            std::fs::create_dir_all(&folder).map_err(|source| not_made(&folder, source))?;
        }
        let found = sites(structure, &part.features, &self.limits);
        let all: Vec<SurfacePoint> = points(structure, &part.features).collect();
        let ids = atom_ids(part, &all, input)?;
        let predictions = predictions(part, &found, &all, &ids.numbers);
        write_whole(&self.folder.join(&places.predictions), predictions.as_bytes())?;
        write_whole(&self.folder.join(&places.residues), residues(part, &found).as_bytes())?;
        write_whole(&self.folder.join(&places.points), &zipped(points_as_pdb(part, &all, &found).as_bytes())?)?;
        let bytes = std::fs::read(input).map_err(|source| Failed::Input(source.to_string()))?;
        write_whole(&self.folder.join(&places.structure), &bytes)?;
        let script = pymol_script(part, &found, &places.way_to(&places.structure), &places.way_to(&places.points));
        write_whole(&self.folder.join(&places.script), script.as_bytes())?;
        if ids.counted > 0 {
            let count =
                counted(ids.counted, "surface atom has no number of its", "surface atoms have no numbers of their");
            let text = format!("{count} own in the file; surf_atom_ids has the place among its atom records, from 1");
            self.tally.warn(part, text);
        }
        self.tally.add(part, &found);
        Ok(())
    }
}

impl Table for PrankFolder {
    fn write(&mut self, structures: &[StructureRows<'_>]) -> Result<(), OutputError> {
        let places: Vec<Result<(PathBuf, Places), Failed>> = structures.iter().map(|part| self.places(part)).collect();
        let write = |(part, places): (&StructureRows<'_>, Result<(PathBuf, Places), Failed>)| {
            places.and_then(|(input, places)| self.write_one(part, &input, &places))
        };
        let done: Vec<Result<(), Failed>> = structures.par_iter().zip(places).map(write).collect();
        for (part, done) in structures.iter().zip(done) {
            match done {
                Ok(()) => {}
                Err(Failed::Input(problem)) => {
                    self.failures.fail(&part.structure.name, format!("no files of P2Rank: {problem}"))
                }
                Err(Failed::Output(error)) => return Err(error),
            }
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<(), OutputError> {
        Ok(())
    }
}

/// Why a structure has no files.
enum Failed {
    Input(String),
    Output(OutputError),
}

impl From<OutputError> for Failed {
    fn from(error: OutputError) -> Self {
        Self::Output(error)
    }
}

/// The files of a structure, relative to the folder.
struct Places {
    predictions: PathBuf,
    residues: PathBuf,
    script: PathBuf,
    structure: PathBuf,
    points: PathBuf,
}

impl Places {
    /// Names are those of input files with all of their extensions, in the folders of the structures' names.
    fn of(name: &str, input: &Path) -> Self {
        let plain: PathBuf = Path::new(name).components().filter(|part| matches!(part, Component::Normal(_))).collect();
        let plain = plain.with_file_name(input.file_name().unwrap_or_default());
        let with = |ending: &str| {
            let mut place = plain.clone();
            place.as_mut_os_string().push(ending);
            place
        };
        let shown = Path::new("visualizations");
        Self {
            predictions: with("_predictions.csv"),
            residues: with("_residues.csv"),
            script: shown.join(with(".pml")),
            structure: shown.join("data").join(&plain),
            points: shown.join("data").join(with("_points.pdb.gz")),
        }
    }

    fn all(&self) -> [PathBuf; 5] {
        [&self.predictions, &self.residues, &self.script, &self.structure, &self.points].map(Clone::clone)
    }

    /// The way to a file from the script's folder.
    fn way_to(&self, file: &Path) -> PathBuf {
        super::script_names::from_script(&self.script, file)
    }
}

/// The numbers of atoms with points in their file.
struct AtomIds {
    numbers: HashMap<usize, i64>,
    /// How many of them are places among the records, since the file has no number for the atom, or has it for several.
    counted: usize,
}

fn atom_ids(part: &StructureRows<'_>, points: &[SurfacePoint], input: &Path) -> Result<AtomIds, Failed> {
    let structure = part.structure;
    let atoms: HashSet<usize> = points.iter().map(|point| point.atom).collect();
    let atoms: Vec<usize> = atoms.into_iter().collect();
    let place = |atom: usize| {
        let own = structure.atoms[atom];
        [(own.x, 0), (own.y, 1), (own.z, 2)].map(|(along, axis)| f64::from(along) + structure.center[axis])
    };
    let grid = Grid::new(TOLERANCE, atoms.iter().map(|&atom| place(atom)));
    let shown = input.display().to_string();
    let bytes = contents(input).map_err(|problem| Failed::Input(problem.to_string()))?;
    // Of each atom its place and its number, and whether several have this.
    let mut ids: HashMap<usize, (i64, Option<i32>)> = HashMap::with_capacity(atoms.len());
    let mut is_repeated: HashMap<i32, bool> = HashMap::new();
    let mut records = 0;
    each_atom_but_damaged_water(&bytes, &shown, &mut |record| {
        records += 1;
        let number = record.id_number();
        if let Some(number) = number {
            is_repeated.entry(number).and_modify(|repeated| *repeated = true).or_insert(false);
        }
        for (index, _) in grid.near(record.position) {
            // Of atoms in one place the first counts.
            ids.entry(atoms[index]).or_insert((records, number));
        }
        Ok(())
    })
    .map_err(|error| Failed::Input(InputFailure::from(error).reason))?;
    match atoms.len() - ids.len() {
        0 => {
            let mut counted = 0;
            let id = |(atom, (place, number)): (usize, (i64, Option<i32>))| {
                let number = number.filter(|number| !is_repeated[number]).map(i64::from);
                counted += usize::from(number.is_none());
                (atom, number.unwrap_or(place))
            };
            Ok(AtomIds { numbers: ids.into_iter().map(id).collect(), counted })
        }
        lost => {
            let advice = "write the model or the assembly to a file, and give that";
            Err(Failed::Input(format!("{lost} of its atoms are not where the file's first model has them; {advice}")))
        }
    }
}

fn predictions(
    part: &StructureRows<'_>,
    found: &[FoundSite],
    points: &[SurfacePoint],
    ids: &HashMap<usize, i64>,
) -> String {
    let mut text = "name     ,  rank,   score, probability, sas_points, surf_atoms,   center_x,   center_y,   center_z, residue_ids, \
                    surf_atom_ids\n"
        .to_owned();
    let offsets = &part.structure.residue_atoms;
    for site in found {
        let of_site = |atom: usize| {
            site.residues.iter().any(|&row| (offsets[row] as usize..offsets[row + 1] as usize).contains(&atom))
        };
        let own: Vec<usize> = points.iter().map(|point| point.atom).filter(|&atom| of_site(atom)).collect();
        let mut atoms: Vec<i64> = own.iter().collect::<HashSet<_>>().into_iter().map(|atom| ids[atom]).collect();
        atoms.sort_unstable();
        // P2Rank sorts residues as texts.
        let mut residues: Vec<String> = site.residues.iter().map(|&row| part.residue(row)).collect();
        residues.sort_unstable();
        let atom_ids: Vec<String> = atoms.iter().map(ToString::to_string).collect();
        let [x, y, z] = site.center;
        let _ = writeln!(
            text,
            "{:<9},{:6},{:8.2},{:12.3},{:11},{:11},{x:11.4},{y:11.4},{z:11.4}, {}, {}",
            format!("pocket{}", site.rank),
            site.rank,
            site.score,
            site.probability,
            own.len(),
            atoms.len(),
            residues.join(" "),
            atom_ids.join(" ")
        );
    }
    text
}

fn residues(part: &StructureRows<'_>, found: &[FoundSite]) -> String {
    let scores = FEATURES.iter().find(|feature| feature.name == "site_score").map(|feature| part.values(feature));
    let score = |row: usize| f64::from(scores.and_then(|scores| scores.get(row)).copied().unwrap_or(f32::NAN));
    let known: Vec<f64> = (0..part.len()).map(score).filter(|score| score.is_finite()).collect();
    let count = known.len() as f64;
    let mean = known.iter().sum::<f64>() / count;
    let deviation = (known.iter().map(|score| (score - mean).powi(2)).sum::<f64>() / count).sqrt();
    let ranks = first_ranks(part.len(), found);
    let structure = part.structure;
    let mut text = "chain, residue_label, residue_name, score, zscore, probability, pocket\n".to_owned();
    // A residue of a chain without side chains has no score.
    for row in (0..part.len()).filter(|&row| score(row).is_finite()) {
        let label = format!("{}{}", structure.residue_numbers[row], structure.insertion_codes[row]);
        let z = if deviation > 0.0 { (score(row) - mean) / deviation } else { 0.0 };
        let _ = writeln!(
            text,
            "{}, {label:>4}, {}, {:7.4}, {z:8.4}, {:8.4}, {}",
            part.chain(row).trim(),
            part.resname(row),
            score(row),
            score(row),
            ranks[row].unwrap_or(0)
        );
    }
    text
}

fn not_made(folder: &Path, source: std::io::Error) -> OutputError {
    OutputError::Io { path: folder.display().to_string(), action: "be made", source }
}
