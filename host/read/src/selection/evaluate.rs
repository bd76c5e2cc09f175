//! The residues that a selection takes.

use super::{Node, Numbers, ResidueSelection};
use crate::grid::Grid;

/// What a residue is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An amino acid of a chain.
    Protein,
    /// A nucleotide.
    Nucleic,
    /// Another one: a ligand, an ion, a sugar, a cap.
    Hetero,
}

/// A residue, as far as a selection asks.
#[derive(Clone, Debug)]
pub struct SelectedResidue<'a> {
    /// The names of its chain: as written to tables, and the author's.
    pub chains: [&'a str; 2],
    /// The segment id in PDB, `label_asym_id` in mmCIF; empty for none.
    pub segment: &'a str,
    /// The author's number, if it is one.
    pub number: Option<i32>,
    /// The insertion code, empty for none.
    pub icode: &'a str,
    /// Its name in the file.
    pub name: &'a str,
    /// What it is.
    pub kind: Kind,
    /// Positions in Å, and something that does not matter here.
    pub atoms: &'a [[f64; 4]],
}

impl ResidueSelection {
    /// Whether it takes each of these residues.
    #[must_use]
    pub fn select(&self, residues: &[SelectedResidue<'_>]) -> Vec<bool> {
        self.node.select(residues)
    }

    /// Whether it asks for segments (`segid`).
    #[must_use]
    pub fn names_segments(&self) -> bool {
        self.node.has(&|node| matches!(node, Node::Segment(_)))
    }

    /// The terms that name residues of which all are without rows, as text, and how many residues they are.
    pub(crate) fn names_without_rows(&self, residues: &[SelectedResidue<'_>]) -> Vec<(String, usize)> {
        let mut found = Vec::new();
        self.node.visit(&mut |node| {
            let Node::Name(names) = node else { return };
            for name in names {
                let own = residues.iter().filter(|residue| matches(name, residue.name));
                let (all, rows) = own
                    .fold((0, 0), |(all, rows), residue| (all + 1, rows + usize::from(residue.kind == Kind::Protein)));
                if all > 0 && rows == 0 {
                    found.push((name.clone(), all));
                }
            }
        });
        found
    }
}

impl Node {
    /// Whether it is such a node, or has one within.
    fn has(&self, is: &dyn Fn(&Self) -> bool) -> bool {
        is(self)
            || match self {
                Self::Not(node) | Self::Near { of: node, .. } => node.has(is),
                Self::And(all) | Self::Or(all) => all.iter().any(|node| node.has(is)),
                _ => false,
            }
    }

    fn visit(&self, see: &mut dyn FnMut(&Self)) {
        see(self);
        match self {
            Self::Not(node) => node.visit(see),
            Self::And(all) | Self::Or(all) => all.iter().for_each(|node| node.visit(see)),
            // What is near something need not be taken.
            _ => {}
        }
    }

    fn select(&self, residues: &[SelectedResidue<'_>]) -> Vec<bool> {
        let each =
            |is_taken: &dyn Fn(&SelectedResidue<'_>) -> bool| residues.iter().map(is_taken).collect::<Vec<bool>>();
        let any = |texts: &[String], own: &str| texts.iter().any(|text| text == own);
        let joined = |all: &[Self], join: fn(bool, bool) -> bool| {
            let taken = all.iter().map(|node| node.select(residues));
            taken.reduce(|a, b| a.into_iter().zip(b).map(|(a, b)| join(a, b)).collect()).unwrap_or_default()
        };
        match self {
            Self::All => each(&|_| true),
            Self::None => each(&|_| false),
            Self::Of(kind) => each(&|residue| residue.kind == *kind),
            // A blank chain is also called by the empty text.
            Self::Chain(ids) => {
                each(&|residue| residue.chains.iter().any(|own| any(ids, own) || *own == " " && any(ids, "")))
            }
            Self::Segment(ids) => each(&|residue| any(ids, residue.segment)),
            Self::Icode(codes) => each(&|residue| any(codes, residue.icode)),
            Self::Name(names) => each(&|residue| names.iter().any(|name| matches(name, residue.name))),
            Self::Number(numbers) => {
                each(&|residue| residue.number.is_some_and(|own| numbers.iter().any(|one| one.has(own, residue.icode))))
            }
            Self::Not(node) => node.select(residues).into_iter().map(|taken| !taken).collect(),
            Self::And(all) => joined(all, |a, b| a && b),
            Self::Or(all) => joined(all, |a, b| a || b),
            Self::Near { distance, of, with_own } => near(residues, &of.select(residues), *distance, *with_own),
        }
    }
}

impl Numbers {
    fn has(&self, number: i32, icode: &str) -> bool {
        match self {
            Self::Range(first, last) => (*first..=*last).contains(&number),
            Self::Inserted(own, letter) => *own == number && letter == icode,
        }
    }
}

/// Whether a name matches a pattern in which `*` stands for any letters and `?` for one. Case does not count.
fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    // Where the last star stands, and how many letters it stands for so far.
    let (mut star, mut taken) = (None, 0);
    let (mut p, mut n) = (0, 0);
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                (star, taken) = (Some(p), n);
                p += 1;
            }
            Some(letter) if *letter == '?' || letter.eq_ignore_ascii_case(&name[n]) => (p, n) = (p + 1, n + 1),
            _ => match star {
                Some(at) => {
                    taken += 1;
                    (p, n) = (at + 1, taken);
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|letter| *letter == '*')
}

/// Residues with an atom within a distance of one of those taken.
fn near(residues: &[SelectedResidue<'_>], taken: &[bool], distance: f64, with_own: bool) -> Vec<bool> {
    let place = |[x, y, z, _]: &[f64; 4]| [*x, *y, *z];
    let own = residues.iter().zip(taken).filter(|(_, taken)| **taken);
    let grid = Grid::new(distance, own.flat_map(|(residue, _)| residue.atoms).map(place));
    let is_close = |atom: &[f64; 4]| grid.near(place(atom)).next().is_some();
    let close = |(residue, taken): (&SelectedResidue<'_>, &bool)| {
        if *taken { with_own } else { residue.atoms.iter().any(is_close) }
    };
    residues.iter().zip(taken).map(close).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_wildcards() {
        for (pattern, name, expected) in [
            ("HEM", "HEM", true),
            ("hem", "HEM", true),
            ("HE", "HEM", false),
            ("H?M", "HEM", true),
            ("H*", "HEM", true),
            ("*", "", true),
            ("?", "", false),
            ("*A*A", "ABABA", true),
            ("*A*B", "ABABA", false),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn residues_are_taken_by_what_they_are_and_where() {
        let atoms = |x: f64| [[x, 0.0, 0.0, 1.7]];
        let places = [0.0, 3.0, 7.0, 20.0].map(atoms);
        let residue = |chain, number, name, kind, place: usize| SelectedResidue {
            chains: [chain, "A"],
            segment: "",
            number,
            icode: if place == 1 { "A" } else { "" },
            name,
            kind,
            atoms: &places[place],
        };
        let all = [
            residue("A", Some(10), "GLY", Kind::Protein, 0),
            residue("A", Some(10), "SER", Kind::Protein, 1),
            residue("A~2", Some(-1), "DA", Kind::Nucleic, 2),
            residue("A", None, "HEM", Kind::Hetero, 3),
        ];
        for (text, expected) in [
            ("all", "0123"),
            ("none", ""),
            ("chain A", "0123"),
            ("chain A~2", "2"),
            ("resnum 10", "01"),
            ("resnum 10A", "1"),
            ("resnum 10 and icode ''", "0"),
            ("resnum -5-5", "2"),
            ("not resnum -100-100", "3"),
            ("protein or resname HEM", "013"),
            ("nucleic hetero", "error"),
            ("within 4 of resname SER", "012"),
            ("around 4 resname SER", "02"),
            ("around 3.9 (resname SER)", "0"),
            ("within 50 of none", ""),
        ] {
            let taken = text.parse::<ResidueSelection>().map(|one| {
                let taken = one.select(&all);
                (0..4).filter(|&i| taken[i]).map(|i| i.to_string()).collect::<String>()
            });
            assert_eq!(taken.unwrap_or_else(|_| "error".to_owned()), expected, "{text}");
        }
        let without = |text: &str| text.parse::<ResidueSelection>().unwrap().names_without_rows(&all);
        assert_eq!(without("chain A and not resname HEM GLY or resname X"), [("HEM".to_owned(), 1)]);
        assert_eq!(without("within 4 of resname HEM"), []);
    }
}
