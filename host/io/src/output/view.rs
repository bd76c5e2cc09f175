//! Points and sites for viewers: PDB and PLY, scripts for PyMOL and ChimeraX, and the structure with scores in its B
//! column.

use super::coloured::{Shown, with_values};
use super::script_names::{
    CHIMERAX_LIGANDS, NO_TEXT, PYMOL_ENTER, can_hold, chimerax, from_script, pymol_ligands, pymol_load,
};
use super::sites::first_ranks;
use super::{OutputError, StructureRows, write_whole};
use prism_engine::sites::{FoundSite, SurfacePoint, points};
use prism_read::is_cif;
use shared_types::FEATURES;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Colours of sites by rank, as red, green and blue, used cyclically.
const COLOURS: [[u8; 3]; 8] = [
    [230, 85, 13],
    [49, 130, 189],
    [49, 163, 84],
    [117, 107, 177],
    [255, 192, 0],
    [222, 45, 138],
    [0, 180, 180],
    [140, 110, 80],
];

/// Files for viewers of one structure: its scored surface points, a script that shows sites, and the structure with the scores
/// of residues in its B column.
///
/// ```
/// use prism_io::output::{OutputError, SitesView};
///
/// let view = SitesView::new(Some("points.ply".into()), Some("sites.pml".into()), "1atp.pdb".into())?;
/// let view = view.with_structure("scored.pdb".into())?;
/// let error = SitesView::new(Some("points.xyz".into()), None, "1atp.pdb".into()).unwrap_err();
/// assert!(matches!(error, OutputError::ViewFormat { .. }));
/// # let _ = view;
/// # Ok::<(), OutputError>(())
/// ```
#[derive(Debug)]
pub struct SitesView {
    points: Option<PathBuf>,
    script: Option<PathBuf>,
    structure: Option<PathBuf>,
    input: PathBuf,
    written: bool,
}

impl SitesView {
    /// Adds files for points (`.pdb` or `.ply`) and a script (`.pml` or `.cxc`), and the file that the script opens.
    ///
    /// # Errors
    /// [`OutputError::ViewFormat`] for other extensions, and for names that a script cannot hold.
    pub fn new(points: Option<PathBuf>, script: Option<PathBuf>, input: PathBuf) -> Result<Self, OutputError> {
        match &points {
            Some(path) if !is(path, "pdb") && !is(path, "ply") => {
                return refuse(path, "points are written as pdb or ply");
            }
            _ => {}
        }
        match &script {
            Some(path) if !is(path, "pml") && !is(path, "cxc") => {
                return refuse(path, "scripts are written as pml (PyMOL) or cxc (ChimeraX)");
            }
            _ => {}
        }
        let named = points.iter().chain([&input]);
        if let Some(path) = named.filter(|_| script.is_some()).find(|path| !can_hold(path)) {
            return refuse(path, NO_TEXT);
        }
        Ok(Self { points, script, structure: None, input, written: false })
    }

    /// Adds a copy of the structure's file (`.pdb`, `.ent`, `.cif` or `.mmcif`) with `site_score` in hundredths in the B column,
    /// and 0 for atoms of other residues.
    ///
    /// # Errors
    /// [`OutputError::ViewFormat`] for other extensions.
    pub fn with_structure(self, path: PathBuf) -> Result<Self, OutputError> {
        if !["pdb", "ent", "cif", "mmcif"].iter().any(|extension| is(&path, extension)) {
            return refuse(&path, "structures are written as pdb or cif");
        }
        Ok(Self { structure: Some(path), ..self })
    }

    pub(super) fn write(&mut self, part: &StructureRows<'_>, sites: &[FoundSite]) -> Result<(), OutputError> {
        if self.written {
            return Err(OutputError::OneStructure);
        }
        self.written = true;
        if let Some(path) = &self.points {
            let all: Vec<_> = points(part.structure, &part.features).collect();
            let text = if is(path, "ply") { ply(&all) } else { points_as_pdb(part, &all, sites) };
            write_whole(path, text.as_bytes())?;
        }
        if let Some(path) = &self.script {
            let from = |file: &Path| from_script(path, file);
            let script = Script { part, sites, input: from(&self.input), points: self.points.as_deref().map(from) };
            let text = match is(path, "pml") {
                // From where the script was written its folder need not be entered.
                true if path.parent().is_some_and(|folder| !folder.as_os_str().is_empty()) => script.pymol_elsewhere(),
                true => script.pymol(),
                false => script.chimerax(),
            };
            write_whole(path, text.as_bytes())?;
        }
        if let Some(path) = &self.structure {
            write_whole(path, &scored(part, &self.input, path)?)?;
        }
        Ok(())
    }
}

/// A script for PyMOL that opens a structure and its points, relative to the script's folder.
pub(super) fn pymol_script(part: &StructureRows<'_>, sites: &[FoundSite], input: &Path, points: &Path) -> String {
    Script { part, sites, input: input.to_owned(), points: Some(points.to_owned()) }.pymol_elsewhere()
}

fn refuse<T>(path: &Path, known: &'static str) -> Result<T, OutputError> {
    Err(OutputError::ViewFormat { path: path.display().to_string(), known })
}

/// The text of a structure's file with the scores of residues, in hundredths, in its B column.
fn scored(part: &StructureRows<'_>, input: &Path, path: &Path) -> Result<Vec<u8>, OutputError> {
    let scores = FEATURES.iter().find(|feature| feature.name == "site_score").map(|feature| part.values(feature));
    let shown = Shown { name: "site_score", unit: "", factor: 100.0, none: 0.0 };
    let text = with_values(part, scores.unwrap_or_default(), &shown, input)?;
    match (is_cif(&text), is(path, "cif") || is(path, "mmcif")) {
        (true, false) => refuse(path, "a structure of an mmCIF file is written as cif"),
        (false, true) => refuse(path, "a structure of a PDB file is written as pdb"),
        _ => Ok(text),
    }
}

fn is(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|own| own.eq_ignore_ascii_case(extension))
}

/// From blue at 0 over white at a half to red at 1.
fn colour(probability: f32) -> [u8; 3] {
    let part = |from: f32| (255.0 * from).round() as u8;
    let p = probability.clamp(0.0, 1.0);
    if p < 0.5 { [part(2.0 * p), part(2.0 * p), 255] } else { [255, part(2.0 - 2.0 * p), part(2.0 - 2.0 * p)] }
}

/// Points as vertices with colours and probabilities.
fn ply(points: &[SurfacePoint]) -> String {
    let mut text = format!(
        "ply\nformat ascii 1.0\nelement vertex {}\nproperty float x\nproperty float y\nproperty float z\n\
         property uchar red\nproperty uchar green\nproperty uchar blue\nproperty float probability\nend_header\n",
        points.len()
    );
    for SurfacePoint { at: [x, y, z], probability, .. } in points {
        let [r, g, b] = colour(*probability);
        let _ = writeln!(text, "{x:.3} {y:.3} {z:.3} {r} {g} {b} {probability:.4}");
    }
    text
}

/// Points as atoms with their probability, in hundredths, in the B column. The residue number is the rank of the first site that the
/// point's residue lines, or 0 outside of `sites`.
pub(super) fn points_as_pdb(part: &StructureRows<'_>, points: &[SurfacePoint], sites: &[FoundSite]) -> String {
    let row_of = |atom: usize| part.structure.residue_atoms.partition_point(|&first| first as usize <= atom) - 1;
    let ranks = first_ranks(part.structure.n_rows(), sites);
    let mut text = format!("REMARK   surface points of {}; B: probability in hundredths\n", part.structure.name);
    for (index, SurfacePoint { at: [x, y, z], probability, atom }) in points.iter().enumerate() {
        let rank = ranks.get(row_of(*atom)).copied().flatten().unwrap_or(0);
        let _ = writeln!(
            text,
            "HETATM{:5}  C   PTS P{rank:4}    {x:8.3}{y:8.3}{z:8.3}  1.00{:6.2}           C",
            (index + 1) % 100_000,
            100.0 * probability
        );
    }
    text + "END\n"
}

/// Comment on residues of chains that the file has under another name, or not at all.
const BY_PLACES: &str = "# Chains that the file does not have under these names: their atoms are selected by their places, if the \
                         file has them there\n";
/// How far in Å an atom may be from its place, which has three decimals.
const TOLERANCE: &str = "0.01";
/// `ChimeraX`'s model of these places: those of sites follow 100.
const ATOMS: usize = 99;

struct Script<'a> {
    part: &'a StructureRows<'a>,
    sites: &'a [FoundSite],
    input: PathBuf,
    points: Option<PathBuf>,
}

/// Residue numbers for PyMOL, which takes `-3+6` for a range.
fn pymol_numbers(numbers: &[String]) -> String {
    numbers.iter().map(|number| number.replacen('-', "\\-", 1)).collect::<Vec<_>>().join("+")
}

impl Script<'_> {
    /// Whether a row's chain is one that viewers find by its name, or the only one.
    fn is_named(&self, row: usize) -> bool {
        let structure = self.part.structure;
        let id = structure.chain_ids[row];
        let is_blank = || structure.chains.get(id as usize).is_some_and(|chain| chain.trim().is_empty());
        !structure.renamed_chains.contains(&id) && (structure.chains.len() == 1 || !is_blank())
    }

    /// Residues of a site by chain, as far as viewers find it: their numbers, with insertion codes.
    fn by_chain(&self, site: &FoundSite) -> Vec<(String, Vec<String>)> {
        let mut chains: Vec<(String, Vec<String>)> = Vec::new();
        for &row in site.residues.iter().filter(|&&row| self.is_named(row)) {
            let name = self.part.residue(row);
            let (chain, number) = name.rsplit_once('_').unwrap_or_default();
            match chains.iter_mut().find(|(own, _)| own == chain) {
                Some((_, numbers)) => numbers.push(number.to_owned()),
                None => chains.push((chain.to_owned(), vec![number.to_owned()])),
            }
        }
        chains
    }

    /// The places in the file of the atoms of a site's other residues.
    fn places(&self, site: &FoundSite) -> Vec<[f64; 3]> {
        let structure = self.part.structure;
        let offset = |row: usize| structure.residue_atoms[row] as usize;
        let rows = site.residues.iter().filter(|&&row| !self.is_named(row));
        let atoms = rows.flat_map(|&row| &structure.atoms[offset(row)..offset(row + 1)]);
        let [x, y, z] = structure.center;
        atoms.map(|atom| [x + f64::from(atom.x), y + f64::from(atom.y), z + f64::from(atom.z)]).collect()
    }

    /// A comment that says which site follows, with its residues as in the table.
    fn about(&self, site: &FoundSite) -> String {
        let residues: Vec<String> = site.residues.iter().map(|&row| self.part.residue(row)).collect();
        let text = format!("# Site {}, probability {:.2}: {}", site.rank, site.probability, residues.join(" "));
        text.replace(char::is_control, " ") + "\n"
    }

    /// The script for PyMOL, which enters its own folder first.
    fn pymol_elsewhere(&self) -> String {
        format!("{PYMOL_ENTER}{}", self.pymol())
    }

    fn pymol(&self) -> String {
        let mut text = format!(
            "{}\nhide everything\nshow cartoon, protein\ncolor grey80, protein\n{}",
            pymol_load(&self.input, "protein"),
            pymol_ligands("protein")
        );
        for site in self.sites {
            let (rank, [r, g, b]) = (site.rank, colour_of(site.rank));
            let [x, y, z] = site.center;
            text.push_str(&self.about(site));
            let _ = writeln!(text, "set_color site_colour_{rank}, [{r}, {g}, {b}]");
            let _ = writeln!(
                text,
                "pseudoatom site_{rank}_centre, pos=[{x:.3}, {y:.3}, {z:.3}], label=\"{rank}: {:.2}\"",
                site.probability
            );
            let _ = writeln!(text, "show spheres, site_{rank}_centre\ncolor site_colour_{rank}, site_{rank}_centre");
            let chains = self.by_chain(site).into_iter();
            let mut chosen: Vec<_> = chains
                .map(|(chain, numbers)| format!("(chain \"{chain}\" and resi {})", pymol_numbers(&numbers)))
                .collect();
            let places = self.places(site);
            if !places.is_empty() {
                text.push_str(BY_PLACES);
                chosen.push(format!("(all within {TOLERANCE} of site_{rank}_atoms)"));
            }
            for [x, y, z] in &places {
                let _ = writeln!(text, "pseudoatom site_{rank}_atoms, pos=[{x:.3}, {y:.3}, {z:.3}]");
            }
            if !chosen.is_empty() {
                let _ = writeln!(text, "select site_{rank}, protein and ({})", chosen.join(" or "));
                let _ = writeln!(text, "show sticks, site_{rank}\ncolor site_colour_{rank}, site_{rank}");
            }
            if !places.is_empty() {
                let _ = writeln!(text, "delete site_{rank}_atoms");
            }
        }
        match &self.points {
            Some(path) if is(path, "pdb") || is(&path.with_extension(""), "pdb") => {
                let _ = writeln!(
                    text,
                    "{}\nhide everything, points\nshow nb_spheres, points\nset nb_spheres_size, 0.25\nspectrum b, blue_white_red, points, 0, 100",
                    pymol_load(path, "points")
                );
            }
            _ => {}
        }
        text + "deselect\nzoom protein\n"
    }

    fn chimerax(&self) -> String {
        let mut text = format!(
            "open {}\nhide atoms\nshow cartoons\ncolor #1 lightgrey\n{CHIMERAX_LIGANDS}",
            chimerax(&self.input)
        );
        for site in self.sites {
            let (rank, [r, g, b]) = (site.rank, colour_of(site.rank));
            let [x, y, z] = site.center;
            text.push_str(&self.about(site));
            let _ = writeln!(
                text,
                "marker #{} position {x:.3},{y:.3},{z:.3} radius 1 color #{r:02x}{g:02x}{b:02x}",
                100 + rank
            );
            for (chain, numbers) in self.by_chain(site) {
                let of = if chain.is_empty() { "#1".to_owned() } else { format!("#1/{chain}") };
                let chosen = format!("{of}:{}", numbers.join(","));
                let _ = writeln!(text, "show {chosen} atoms\ncolor {chosen} #{r:02x}{g:02x}{b:02x}");
            }
            let places = self.places(site);
            if !places.is_empty() {
                text.push_str(BY_PLACES);
                for [x, y, z] in places {
                    let _ = writeln!(text, "marker #{ATOMS} position {x:.3},{y:.3},{z:.3} radius {TOLERANCE}");
                }
                let chosen = format!("#1 & (#{ATOMS} @<{TOLERANCE})");
                let _ = writeln!(text, "show {chosen} atoms\ncolor {chosen} #{r:02x}{g:02x}{b:02x}\nclose #{ATOMS}");
            }
        }
        match &self.points {
            Some(path) if is(path, "pdb") => {
                let _ = writeln!(
                    text,
                    "open {} id 2\nshow #2 atoms\nstyle #2 ball\ncolor byattribute bfactor #2 palette blue:white:red range 0,100",
                    chimerax(path)
                );
            }
            _ => {}
        }
        text + "view #1\n"
    }
}

fn colour_of(rank: usize) -> [u8; 3] {
    COLOURS[(rank - 1) % COLOURS.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_go_from_blue_to_red() {
        assert_eq!([0.0, 0.5, 1.0].map(colour), [[0, 0, 255], [255, 255, 255], [255, 0, 0]]);
    }

    #[test]
    fn negative_numbers_are_no_ranges() {
        assert_eq!(pymol_numbers(&["-3", "6", "-2A"].map(str::to_owned)), "\\-3+6+\\-2A");
    }

    #[test]
    fn points_are_vertices() {
        let point = SurfacePoint { at: [1.0, -2.0, 3.5], probability: 1.0, atom: 0 };
        let text = ply(&[point]);
        assert!(text.contains("element vertex 1\n") && text.ends_with("1.000 -2.000 3.500 255 0 0 1.0000\n"), "{text}");
    }
}
