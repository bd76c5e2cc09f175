//! Secondary structure as DSSP assigns it, with everything that `mkdssp` writes: hydrogen bonds with both partners, ladders and sheets,
//! helices, bends, angles, and its own accessible surface.
//!
//! [W. Kabsch and C. Sander, Biopolymers 22 (1983) 2577-2637](https://doi.org/10.1002/bip.360221211), as version 4 of the program does
//! it: in its precision and its order of operations, so that its text follows byte by byte. Columns of features have the same states from
//! kernels.

mod annotate;
mod header;
mod helices;
mod hydrogen_bonds;
mod ladders;
mod lost;
mod order;
mod residue;
mod rows;
mod sheet_bonds;
mod surface;
mod text;
mod vector;

pub use residue::{Bridge, HelixPart, HydrogenBond, Residue, State};
pub use rows::{DsspRow, of_rows};
pub(crate) use rows::{bonds_of_rows, bridges_from, bridges_of_rows};

use crate::mmcif::{Disulfide, Ids, Polymers, divide, from_pdb};
use prism_read::{
    Header, PolymerAtoms, PolymerResidue, Problem, ReadError, ReadOptions, read_bytes, read_polymers,
    without_categories,
};
use std::collections::BTreeSet;

/// Options of DSSP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DsspOptions {
    /// Residues of the shortest poly-proline helix: 2 or 3.
    pub shortest_polyproline: usize,
}

impl Default for DsspOptions {
    fn default() -> Self {
        Self { shortest_polyproline: 3 }
    }
}

/// Sizes of histograms; the last bin has everything that is longer.
pub const BINS: usize = 30;

/// What the first lines of a `.dssp` file count.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statistics {
    /// Chains, where a break in a chain begins another one.
    pub chains: usize,
    /// Disulfides, and those within one unbroken chain.
    pub disulfides: [usize; 2],
    /// The accessible surface in Å².
    pub accessible: f64,
    /// Hydrogen bonds; those in parallel and in antiparallel bridges.
    pub hydrogen_bonds: [usize; 3],
    /// Hydrogen bonds from O of residue i to N of i-5 to i+5.
    pub by_distance: [usize; 11],
    /// Residues of each alpha helix.
    pub helices: [usize; BINS],
    /// Bridges of each parallel ladder, and of each antiparallel one.
    pub ladders: [[usize; BINS]; 2],
    /// Ladders of each sheet.
    pub sheets: [usize; BINS],
}

/// The secondary structure of a file's first model.
#[derive(Clone, Debug)]
pub struct Dssp {
    /// Residues with N, CA, C and O.
    pub residues: Vec<Residue>,
    /// What is counted.
    pub statistics: Statistics,
    /// Choices, and what is odd about the file.
    pub notes: Vec<String>,
    polymers: Vec<PolymerResidue>,
    incomplete: Vec<PolymerResidue>,
    disulfides: Vec<[usize; 2]>,
    operators: Vec<[String; 2]>,
    asyms: Vec<String>,
    header: Header,
    /// Whether residues are rows of a structure, whose chains the file does not have by these names.
    is_of_rows: bool,
}

impl Dssp {
    /// Assigns the secondary structure of a PDB, mmCIF or BinaryCIF file, plain or compressed. `name` is the file's name in errors.
    ///
    /// Residues are those that mkdssp takes. Where it would lose some of those that have rows, such as molecules of one chain id,
    /// they are the rows, and a note says so.
    ///
    /// # Errors
    /// If the file cannot be read, or has no residues.
    ///
    /// ```
    /// use prism_engine::dssp::{Dssp, DsspOptions, State};
    ///
    /// let bytes = std::fs::read("../../tests/data/1ubq.pdb.gz")?;
    /// let ubiquitin = Dssp::of_bytes(&bytes, "1ubq", &DsspOptions::default())?;
    /// assert_eq!(ubiquitin.residues.len(), 76);
    /// assert_eq!(ubiquitin.residues[24].state, State::AlphaHelix);
    /// assert!(ubiquitin.text("2026-11-28").lines().count() > 76);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of_bytes(bytes: &[u8], name: &str, options: &DsspOptions) -> Result<Self, ReadError> {
        let polymers = read_polymers(bytes, name)?;
        // Most files have no others, and are not read again.
        let may_lose = polymers.alpha_carbons > polymers.residues.len() || polymers.residues.is_empty();
        let read = may_lose.then(|| read_bytes(bytes, name, &ReadOptions::default()));
        let (polymers, is_of_rows) = match read.transpose() {
            Ok(Some(read)) => lost::complete(polymers, &read.structure),
            // Nucleic acid alone has a text without residues, as mkdssp writes it.
            Err(error) if polymers.residues.is_empty() && !matches!(error.problem, Problem::OtherPolymers(_)) => {
                return Err(error);
            }
            Ok(None) | Err(_) => (polymers, false),
        };
        Ok(Self::of(polymers, is_of_rows, options))
    }

    fn of(polymers: PolymerAtoms, is_of_rows: bool, options: &DsspOptions) -> Self {
        let PolymerAtoms { header, asyms, residues: polymers, incomplete, disulfides, operators, mut notes, .. } =
            polymers;
        let mut statistics = Statistics::default();
        let mut residues = residue::numbered(&polymers, &mut statistics);
        let accessible = surface::accessibilities(&polymers);
        for (residue, area) in residues.iter_mut().zip(accessible) {
            residue.accessibility = area;
            statistics.accessible += f64::from(area);
        }
        residue::angles(&mut residues, &polymers);
        hydrogen_bonds::assign(&mut residues, &polymers);
        ladders::assign(&mut residues, &asyms, &mut statistics);
        helices::assign(&mut residues, &mut statistics);
        helices::assign_polyproline(&mut residues, options.shortest_polyproline);
        statistics.disulfides[0] = disulfides.len();
        let mut number = 0_u8;
        for &[a, b] in disulfides.iter().filter(|[a, b]| a != b) {
            statistics.disulfides[1] += usize::from(residue::is_unbroken(&residues, a, b));
            number = number.wrapping_add(1);
            residues[a].disulfide = number;
            residues[b].disulfide = number;
        }
        hydrogen_bonds::count(&residues, &mut statistics);
        if residues.is_empty() {
            notes.push("no residue has N, CA, C and O, so that no state is assigned".to_owned());
        }
        Self { residues, statistics, notes, polymers, incomplete, disulfides, operators, asyms, header, is_of_rows }
    }

    /// The number of heavy atoms of its residues.
    #[must_use]
    pub fn n_atoms(&self) -> usize {
        self.polymers.iter().map(|residue| residue.backbone.len() + residue.others.len()).sum()
    }

    /// The author's ids of chains whose first letters are equal, which is all that the text has of them.
    #[must_use]
    pub fn chains_of_one_letter(&self) -> Vec<&str> {
        let chains: BTreeSet<&str> = self.polymers.iter().map(|residue| residue.chain.as_str()).collect();
        let letter = |chain: &str| chain.chars().next();
        let shares = |own: &&str| chains.iter().any(|other| other != own && letter(other) == letter(own));
        chains.iter().filter(|own| shares(own)).copied().collect()
    }

    /// The text of a `.dssp` file with a date of the form `2026-11-28` in its first line.
    #[must_use]
    pub fn text(&self, date: &str) -> String {
        text::write(self, date)
    }

    /// The file from which it was assigned as mmCIF with mkdssp's categories: `_struct_conf` and those of sheets replaced,
    /// `_dssp_struct_summary`, `_dssp_struct_bridge_pairs`, `_dssp_struct_ladder` and `_dssp_statistics` added.
    ///
    /// # Errors
    /// If the file cannot be read, or has molecules that mmCIF's names in it do not tell apart.
    ///
    /// ```
    /// use prism_engine::dssp::{Dssp, DsspOptions};
    ///
    /// let bytes = std::fs::read("../../tests/data/1ubq.pdb.gz")?;
    /// let annotated = Dssp::of_bytes(&bytes, "1ubq", &DsspOptions::default())?.annotated(&bytes, "1ubq")?;
    /// assert!(annotated.starts_with("data_1UBQ") && annotated.contains("_dssp_struct_summary.secondary_structure"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn annotated(&self, bytes: &[u8], name: &str) -> Result<String, ReadError> {
        if self.is_of_rows {
            let text = "its chain ids, numbers and names do not tell all residues apart, so that mmCIF cannot refer to them; write the text of \
                        DSSP (.dssp), or give each molecule a chain id of its own";
            return Err(ReadError { name: name.to_owned(), line: None, problem: Problem::OtherFormat(text) });
        }
        let mut text = match without_categories(bytes, name, &annotate::REPLACED)? {
            Some(text) => text,
            None => {
                let Header { id, of_pdb, .. } = &self.header;
                let disulfides = self.disulfides.iter().zip(&self.operators).map(|(ends, operators)| {
                    let ends = ends.map(|of| &self.polymers[of]);
                    Disulfide { ends, operators }
                });
                let polymers = Polymers {
                    entry: id,
                    header: of_pdb,
                    b_column: of_pdb.b_column.as_deref(),
                    asyms: &self.asyms,
                    ids: Ids::after(self.asyms.len()),
                    residues: [&self.polymers, &self.incomplete],
                    disulfides: disulfides.collect(),
                    references: &[],
                    share_positions: false,
                };
                from_pdb(&polymers, bytes, name)?
            }
        };
        divide(&mut text);
        text.push_str(&annotate::categories(self));
        Ok(text)
    }
}
