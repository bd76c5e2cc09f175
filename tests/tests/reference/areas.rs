//! Accessible areas compared with FreeSASA's, for the same test points and radii.
//!
//! A point within rounding of a sphere may be on either side, and one of 100 points is worth up to 1.4 Å^2. So a few
//! residues differ, but the mean difference is small.

use crate::table::Tables;
use prism_host::{StructureFeatures, StructureInput};
use shared_types::RESIDUES;
use shared_types::feature::column;
use std::collections::HashMap;

/// All residues but [`MOST_OFF`] differ by less than this, in Å^2.
const OFF: f64 = 0.02;
/// The fraction of residues that may differ by more.
const MOST_OFF: f64 = 0.01;
/// The largest root mean square of differences, in Å^2.
const ROOT_MEAN_SQUARE: f64 = 0.15;

/// The differences of a column from the reference, over all residues of some structures.
#[derive(Debug, Default)]
pub struct Difference {
    rows: usize,
    off: usize,
    squares: f64,
    largest: f64,
    largest_of: String,
}

impl Difference {
    /// The differences of `column`, times `scale` (to Å^2 for a residue type), from the reference's column `name`. Residues
    /// with atoms at the position of another atom are left out: FreeSASA's result depends on rounding there.
    pub fn new(
        structures: &[StructureInput],
        features: &[StructureFeatures],
        tables: &Tables,
        (column, name): (usize, &str),
        scale: impl Fn(u8) -> f64,
    ) -> Self {
        let mut difference = Self::default();
        for (structure, features) in structures.iter().zip(features) {
            let expected = tables.rows[&structure.name].numbers(name);
            let coinciding = coinciding(structure);
            for (row, (found, expected)) in features.column(column).zip(expected).enumerate() {
                if !coinciding[row] {
                    let off = (f64::from(found) - expected).abs() * scale(structure.residue_types[row]);
                    difference.add(off, || format!("{} row {row}: {found}, expected {expected}", structure.name));
                }
            }
        }
        difference
    }

    fn add(&mut self, off: f64, whose: impl Fn() -> String) {
        self.rows += 1;
        self.off += usize::from(off.is_nan() || off > OFF);
        self.squares += off * off;
        if off.is_nan() || off > self.largest {
            (self.largest, self.largest_of) = (off, whose());
        }
    }

    pub fn root_mean_square(&self) -> f64 {
        (self.squares / self.rows as f64).sqrt()
    }

    /// Whether the differences exceed rounding.
    pub fn is_large(&self) -> bool {
        let few = self.off as f64 <= MOST_OFF * self.rows as f64;
        !(few && self.root_mean_square() <= ROOT_MEAN_SQUARE)
    }
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { rows, off, largest, largest_of, .. } = self;
        let root_mean_square = self.root_mean_square();
        write!(
            f,
            "{off} of {rows} residues differ by more than {OFF} Å^2, root mean square {root_mean_square:.4} Å^2, at most \
             {largest:.3} Å^2 ({largest_of})"
        )
    }
}

/// The differences of the columns that the reference has, from features at 100 and at 1000 points.
pub fn differences(
    structures: &[StructureInput],
    at_100: &[StructureFeatures],
    at_1000: &[StructureFeatures],
    tables: &Tables,
) -> [(&'static str, Difference); 3] {
    let largest = |kind: u8| f64::from(RESIDUES[usize::from(kind)].max_area);
    let of = |features, column, name, scale: &dyn Fn(u8) -> f64| {
        (name, Difference::new(structures, features, tables, (column, name), scale))
    };
    [
        of(at_100, column::SASA, "sasa_sr100", &|_| 1.0),
        of(at_1000, column::SASA, "sasa_sr1000", &|_| 1.0),
        of(at_1000, column::RSA, "rsa_tien", &largest),
    ]
}

/// Which residues have an atom at the position of another atom.
fn coinciding(structure: &StructureInput) -> Vec<bool> {
    let place = |i: usize| {
        let atom = structure.atoms[i];
        // Adding 0 turns -0 into 0.
        [atom.x, atom.y, atom.z].map(|x| (x + 0.0).to_bits())
    };
    let mut count: HashMap<[u32; 3], usize> = HashMap::new();
    for i in 0..structure.n_atoms() {
        *count.entry(place(i)).or_default() += 1;
    }
    let own = |ends: &[u32]| ends[0] as usize..ends[1] as usize;
    structure.residue_atoms.windows(2).map(|ends| own(ends).any(|i| count[&place(i)] > 1)).collect()
}
