//! Areas of atoms in the files of FreeSASA and NACCESS: `.rsa`, and PDB with radii and areas.

use super::ahead::steps;
use super::{AtomsRelation, OutputError, Relation as _, StructureRows, Table};
use prism_engine::atoms::{Algorithm, DescribedAtom, DescribedAtoms, Owner};
use prism_read::NoteKind;
use prism_read::plural::counted;
use prism_read::radii::AtomClass;
use prism_read::structure::AtomLabel;
use std::collections::{BTreeSet, HashSet};
use std::fmt::Write as _;
use std::io::Write;

/// A format of FreeSASA or NACCESS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AreasFormat {
    /// Areas of residues, absolute and relative, as FreeSASA writes them: `N/A` where a residue has no reference.
    Rsa,
    /// The same, as NACCESS writes them: -99.9 there, so that readers of numbers can read it.
    Naccess,
    /// Atoms with their radius as occupancy and their area in the B column.
    Pdb,
}

/// The radii for which areas of whole residues are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReferenceAreas {
    /// ProtOr's radii.
    ProtOr,
    /// Those of NACCESS.
    Naccess,
    /// Other radii, for which there are none.
    None,
}

/// Areas of a residue: all of them, those of the backbone and the side chain, and of polar and apolar atoms.
#[derive(Clone, Copy, Debug, Default)]
struct Areas {
    total: f64,
    backbone: f64,
    side_chain: f64,
    polar: f64,
    apolar: f64,
}

/// Names of amino acids with the areas of the whole residue X in Gly-X-Gly in Å², in the order of [`Areas`].
type Reference = [(&'static str, [f64; 5]); 20];

/// Reference areas of FreeSASA with ProtOr's radii.
const PROTOR: Reference = [
    ("ALA", [108.76, 43.96, 64.80, 37.75, 71.01]),
    ("ARG", [238.17, 42.00, 196.17, 165.00, 73.17]),
    ("ASN", [145.01, 41.53, 103.48, 103.46, 41.55]),
    ("ASP", [142.76, 42.29, 100.47, 100.27, 42.49]),
    ("CYS", [132.20, 42.55, 89.66, 92.74, 39.47]),
    ("GLN", [178.83, 42.00, 136.83, 131.85, 46.98]),
    ("GLU", [174.18, 42.00, 132.18, 122.48, 51.70]),
    ("GLY", [81.09, 81.09, 0.00, 44.65, 36.44]),
    ("HIS", [182.97, 39.09, 143.87, 85.94, 97.03]),
    ("ILE", [175.73, 41.49, 134.23, 36.85, 138.87]),
    ("LEU", [179.56, 39.78, 139.78, 37.16, 142.39]),
    ("LYS", [204.98, 42.00, 162.98, 93.88, 111.10]),
    ("MET", [193.10, 42.00, 151.10, 75.48, 117.62]),
    ("PHE", [199.88, 38.43, 161.45, 34.94, 164.94]),
    ("PRO", [137.21, 27.51, 109.70, 16.09, 121.12]),
    ("SER", [118.34, 43.41, 74.93, 71.38, 46.96]),
    ("THR", [140.60, 41.96, 98.64, 66.15, 74.45]),
    ("TRP", [249.19, 42.59, 206.60, 61.64, 187.55]),
    ("TYR", [214.19, 38.43, 175.76, 81.12, 133.07]),
    ("VAL", [151.97, 41.50, 110.46, 36.87, 115.09]),
];

/// Those with the radii of NACCESS.
const NACCESS: Reference = [
    ("ALA", [107.89, 43.94, 63.94, 36.71, 71.17]),
    ("ARG", [238.33, 41.72, 196.61, 161.10, 77.23]),
    ("ASN", [143.97, 41.03, 102.94, 97.83, 46.14]),
    ("ASP", [140.48, 41.76, 98.72, 91.19, 49.29]),
    ("CYS", [134.24, 41.92, 92.33, 36.49, 97.75]),
    ("GLN", [178.24, 41.72, 136.52, 126.35, 51.89]),
    ("GLU", [172.09, 41.72, 130.37, 112.13, 59.96]),
    ("GLY", [80.30, 80.30, 0.00, 42.62, 37.69]),
    ("HIS", [182.75, 38.76, 143.99, 85.61, 97.14]),
    ("ILE", [175.10, 41.16, 133.94, 36.10, 139.00]),
    ("LEU", [178.40, 39.50, 138.90, 36.45, 141.95]),
    ("LYS", [200.21, 41.72, 158.49, 84.31, 115.90]),
    ("MET", [193.72, 41.72, 152.00, 36.45, 157.27]),
    ("PHE", [199.40, 38.12, 161.27, 34.25, 165.14]),
    ("PRO", [135.84, 27.09, 108.76, 15.17, 120.67]),
    ("SER", [116.56, 43.38, 73.18, 68.03, 48.53]),
    ("THR", [139.25, 41.70, 97.55, 63.50, 75.75]),
    ("TRP", [248.97, 42.38, 206.59, 59.83, 189.14]),
    ("TYR", [212.23, 38.13, 174.10, 76.34, 135.89]),
    ("VAL", [151.40, 41.17, 110.23, 36.12, 115.28]),
];

/// Names of atoms of backbones: proteins, then nucleic acids.
const BACKBONE: [&str; 16] =
    ["CA", "N", "O", "C", "OXT", "P", "OP1", "OP2", "O5'", "C5'", "C4'", "O4'", "C3'", "O3'", "C2'", "C1'"];

impl ReferenceAreas {
    fn of(self, residue: &str) -> Option<Areas> {
        let table = match self {
            Self::ProtOr => &PROTOR,
            Self::Naccess => &NACCESS,
            Self::None => return None,
        };
        let (_, [total, backbone, side_chain, polar, apolar]) = *table.iter().find(|(name, _)| *name == residue)?;
        Some(Areas { total, backbone, side_chain, polar, apolar })
    }
}

impl Areas {
    fn add(&mut self, name: &str, class: AtomClass, area: f64) {
        self.total += area;
        *(if BACKBONE.contains(&name) { &mut self.backbone } else { &mut self.side_chain }) += area;
        match class {
            AtomClass::Polar => self.polar += area,
            AtomClass::Apolar => self.apolar += area,
            AtomClass::Unknown => {}
        }
    }

    fn plus(&mut self, other: &Self) {
        self.total += other.total;
        self.backbone += other.backbone;
        self.side_chain += other.side_chain;
        self.polar += other.polar;
        self.apolar += other.apolar;
    }

    /// In the order of the columns.
    fn columns(&self) -> [f64; 5] {
        [self.total, self.side_chain, self.backbone, self.apolar, self.polar]
    }
}

/// Areas of structures in a format of FreeSASA, one structure after the other.
pub struct AreasText<W: Write> {
    out: W,
    relation: AtomsRelation,
    format: AreasFormat,
    reference: ReferenceAreas,
}

impl<W: Write> AreasText<W> {
    /// Writes the atoms that a relation describes.
    pub fn new(out: W, relation: AtomsRelation, format: AreasFormat, reference: ReferenceAreas) -> Self {
        Self { out, relation, format, reference }
    }

    fn text(&self, part: &StructureRows<'_>, found: &DescribedAtoms, ids: &ShortIds<'_>) -> String {
        match self.format {
            AreasFormat::Rsa => self.rsa(part, found, ids, "N/A"),
            AreasFormat::Naccess => self.rsa(part, found, ids, "-99.9"),
            AreasFormat::Pdb => pdb(part, found, ids),
        }
    }

    fn rsa(
        &self,
        part: &StructureRows<'_>,
        found: &DescribedAtoms,
        ShortIds { letters, names }: &ShortIds<'_>,
        undefined: &str,
    ) -> String {
        let of_residue = |a: &DescribedAtom, b: &DescribedAtom| a.residue == b.residue;
        let residues: Vec<(Named<'_>, Areas)> = found
            .atoms
            .chunk_by(of_residue)
            .map(|own| {
                let mut areas = Areas::default();
                for atom in own {
                    let label = label(part, atom);
                    areas.add(label.name(), self.class(atom, label), f64::from(atom.area));
                }
                (Named::of(part, own[0].residue), areas)
            })
            .collect();
        let mut chains: Vec<(&str, Areas)> = Vec::new();
        for (named, areas) in &residues {
            match chains.iter_mut().find(|(chain, _)| *chain == named.chain) {
                Some((_, sum)) => sum.plus(areas),
                None => chains.push((named.chain, *areas)),
            }
        }
        let mut text = self.rsa_header(part, &chains, letters);
        for (named, areas) in &residues {
            let name = names.columns(named.name);
            let _ = write!(text, "RES {name}{}{} ", letters.of(named.chain), named.number());
            let whole = self.reference.of(named.name).map(|whole| whole.columns());
            for (column, area) in areas.columns().into_iter().enumerate() {
                let _ = match whole.map(|whole| 100.0 * area / whole[column]).filter(|share| share.is_finite()) {
                    Some(share) => write!(text, "{area:7.2}{share:6.1}"),
                    None => write!(text, "{area:7.2}{undefined:>6}"),
                };
            }
            text.push('\n');
        }
        text.push_str("END  Absolute sums over single chains surface\n");
        let sums = |text: &mut String, areas: &Areas| {
            let columns = areas.columns().map(|area| format!("{area:10.1}"));
            let _ = writeln!(text, "{}", columns.join("   "));
        };
        let mut all = Areas::default();
        for ((chain, areas), number) in chains.iter().zip(1..) {
            let _ = write!(text, "CHAIN{number:3} {} ", letters.of(chain));
            sums(&mut text, areas);
            all.plus(areas);
        }
        text.push_str("END  Absolute sums over all chains\nTOTAL      ");
        sums(&mut text, &all);
        text
    }

    fn rsa_header(&self, part: &StructureRows<'_>, chains: &[(&str, Areas)], letters: &Letters<'_>) -> String {
        let options = &self.relation.options;
        let radii = match self.reference {
            ReferenceAreas::ProtOr => "Atomic radii and reference values for relative SASA: ProtOr",
            ReferenceAreas::Naccess => "Atomic radii and reference values for relative SASA: NACCESS",
            ReferenceAreas::None => "No reference values available to calculate relative SASA",
        };
        let algorithm = match options.algorithm {
            Algorithm::LeeRichards(slices) => ("Lee & Richards", format!("Slices: {slices}")),
            Algorithm::ShrakeRupley => {
                ("Shrake & Rupley", format!("Test-points: {}", self.relation.engine.config().points))
            }
        };
        let chains: String = chains.iter().map(|(chain, _)| letters.of(chain)).collect();
        let others: String =
            letters.others().map(|(letter, chain)| format!("REM  Chain {letter} is {chain}\n")).collect();
        format!(
            "REM  prism {}\nREM  Absolute and relative SASAs for {}\nREM  {radii}\nREM  Chains: {chains}\nREM  Algorithm: {}\n\
             REM  Probe-radius: {:.2}\nREM  {}\n{others}\
             REM RES _ NUM      All-atoms   Total-Side   Main-Chain    Non-polar    All polar\n\
             REM                ABS   REL    ABS   REL    ABS   REL    ABS   REL    ABS   REL\n",
            env!("CARGO_PKG_VERSION"),
            part.structure.name,
            algorithm.0,
            options.probe,
            algorithm.1,
        )
    }

    /// FreeSASA counts sulphur and selenium as polar with ProtOr's radii.
    fn class(&self, atom: &DescribedAtom, label: &AtomLabel) -> AtomClass {
        let is_like_sulphur = matches!(label.element(), "S" | "SE");
        if self.reference == ReferenceAreas::ProtOr && is_like_sulphur { AtomClass::Polar } else { atom.class }
    }
}

impl<W: Write> AreasText<W> {
    fn write_one(&mut self, part: &StructureRows<'_>, found: &DescribedAtoms) -> Result<(), OutputError> {
        let (failures, name) = (&self.relation.failures, &part.structure.name);
        if found.by_element > 0 {
            let count = counted(found.by_element, "atom is", "atoms are");
            let text = format!("{count} not in the set of radii, with a radius by the element");
            failures.note(name, NoteKind::RadiiByElement, text);
        }
        let chains = found.atoms.iter().map(|atom| Named::of(part, atom.residue).chain);
        let Some(letters) = Letters::new(chains) else {
            let text = "it has more chains than letters, which this format tells them apart by; write csv or parquet";
            failures.fail(name, text.to_owned());
            return Ok(());
        };
        let others: Vec<String> = letters.others().map(|(letter, chain)| format!("{chain} as {letter}")).collect();
        if !others.is_empty() {
            let text = format!("chains are written with a letter of their own: {}", others.join(", "));
            failures.note(name, NoteKind::ChainLetters, text);
        }
        let names = ShortNames::new(found.atoms.iter().map(|atom| Named::of(part, atom.residue).name));
        if !names.0.is_empty() {
            let listed: Vec<String> = names.0.iter().map(|(short, name)| format!("{name} as {short}")).collect();
            let text = format!("names of residues are shortened, as the format needs it: {}", listed.join(", "));
            failures.note(name, NoteKind::ShortNames, text);
        }
        let ids = ShortIds { letters, names };
        self.out.write_all(self.text(part, found, &ids).as_bytes()).map_err(OutputError::Write)
    }
}

impl<W: Write> Table for AreasText<W> {
    fn write(&mut self, structures: &[StructureRows<'_>]) -> Result<(), OutputError> {
        for step in steps(structures) {
            self.relation.prepare(step);
            for part in step {
                match self.relation.next(part) {
                    Ok(found) => self.write_one(part, &found)?,
                    Err(error) => self
                        .relation
                        .failures
                        .fail(&part.structure.name, format!("its atoms are not described: {error}")),
                }
            }
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<(), OutputError> {
        self.out.flush().map_err(OutputError::Write)
    }
}

/// A residue by the author's names.
struct Named<'a> {
    chain: &'a str,
    number: i32,
    icode: &'a str,
    name: &'a str,
}

impl<'a> Named<'a> {
    fn of(part: &'a StructureRows<'_>, residue: Owner) -> Self {
        let structure = part.structure;
        match (residue, structure.hetero.as_deref()) {
            (Owner::Row(row), _) => Self {
                chain: part.chain(row),
                number: structure.residue_numbers[row],
                icode: &structure.insertion_codes[row],
                name: part.resname(row),
            },
            (Owner::Hetero(place), Some(hetero)) => {
                let own = &hetero.residues[place];
                Self { chain: &own.chain, number: own.number.unwrap_or(0), icode: &own.icode, name: &own.name }
            }
            (Owner::Hetero(_), None) => Self { chain: "", number: 0, icode: "", name: "" },
        }
    }

    /// The columns of the number and the insertion code.
    fn number(&self) -> String {
        format!("{:4}{}", self.number, first(self.icode))
    }
}

/// The first character, which is all that the formats have room for.
fn first(text: &str) -> char {
    text.chars().next().unwrap_or(' ')
}

/// The letters of chains: their own ids if those have one character, else a letter that no other chain has, the first of the id if possible.
struct Letters<'a>(Vec<(char, &'a str)>);

impl<'a> Letters<'a> {
    /// `None` if there are more chains than letters.
    fn new(chains: impl Iterator<Item = &'a str> + Clone) -> Option<Self> {
        let (mut letters, mut known) = (Vec::new(), HashSet::new());
        let new: Vec<&str> = chains.filter(|chain| known.insert(*chain)).collect();
        let (short, long): (Vec<&str>, Vec<&str>) = new.into_iter().partition(|chain| chain.chars().count() <= 1);
        let mut taken: HashSet<char> = short.iter().map(|chain| first(chain)).collect();
        letters.extend(short.into_iter().map(|chain| (first(chain), chain)));
        for chain in long {
            let mut free = [first(chain)].into_iter().chain('A'..='Z').chain('a'..='z').chain('0'..='9');
            letters.push((free.find(|letter| taken.insert(*letter))?, chain));
        }
        Some(Self(letters))
    }

    fn of(&self, chain: &str) -> char {
        self.0.iter().find(|(_, own)| *own == chain).map_or(' ', |(letter, _)| *letter)
    }

    /// Chains whose id is not their letter.
    fn others(&self) -> impl Iterator<Item = (char, &'a str)> {
        self.0.iter().copied().filter(|(letter, chain)| chain.chars().count() > 1 || first(chain) != *letter)
    }
}

/// What stands for ids and names that the formats have no room for.
struct ShortIds<'a> {
    letters: Letters<'a>,
    names: ShortNames<'a>,
}

/// The names of residues in columns 18 to 21, which have room for four letters: the first three of a longer name, or others if another
/// residue has these.
struct ShortNames<'a>(Vec<(String, &'a str)>);

impl<'a> ShortNames<'a> {
    fn new(names: impl Iterator<Item = &'a str>) -> Self {
        let known: BTreeSet<&str> = names.collect();
        let mut short: Vec<(String, &str)> = Vec::new();
        for name in known.iter().copied().filter(|name| name.chars().count() > 4) {
            let is_free = |one: &String| !known.contains(&**one) && !short.iter().any(|(other, _)| other == one);
            let others = (0..100).map(|number| format!("~{number:02}"));
            let mut all = [name.chars().take(3).collect()].into_iter().chain(others);
            short.push((all.find(is_free).unwrap_or_else(|| "UNL".to_owned()), name));
        }
        Self(short)
    }

    fn columns(&self, name: &str) -> String {
        let short = self.0.iter().find(|(_, long)| *long == name).map_or(name, |(short, _)| short);
        if short.chars().count() == 4 { short.to_owned() } else { format!("{short:>3} ") }
    }
}

fn label<'a>(part: &StructureRows<'a>, atom: &DescribedAtom) -> &'a AtomLabel {
    match (atom.residue, part.structure.hetero.as_deref()) {
        (Owner::Hetero(_), Some(hetero)) => &hetero.labels[atom.atom],
        _ => &part.structure.atom_labels[atom.atom],
    }
}

/// Atoms with radii and areas, numbered from 1.
fn pdb(part: &StructureRows<'_>, found: &DescribedAtoms, ShortIds { letters, names }: &ShortIds<'_>) -> String {
    let others: String =
        letters.others().map(|(letter, chain)| format!("REMARK 999 Chain {letter} is {chain}\n")).collect();
    let long: String = names.0.iter().map(|(short, name)| format!("REMARK 999 Residue {short} is {name}\n")).collect();
    let mut text = format!(
        "REMARK 999 This PDB file was generated by prism {}.\n\
         REMARK 999 In the ATOM records temperature factors have been\n\
         REMARK 999 replaced by the SASA of the atom, and the occupancy\n\
         REMARK 999 by the radius used in the calculation.\n{others}{long}MODEL        1\n",
        env!("CARGO_PKG_VERSION")
    );
    let mut last = String::new();
    for (atom, serial) in found.atoms.iter().zip(1..) {
        let (label, named) = (label(part, atom), Named::of(part, atom.residue));
        // Names of at most three letters begin a column later, unless the element has two.
        let name = match label.element().len() {
            2 => format!("{:<4}", label.name()),
            _ if label.name().len() < 4 => format!(" {:<3}", label.name()),
            _ => label.name().to_owned(),
        };
        let record = if matches!(atom.residue, Owner::Row(_)) { "ATOM  " } else { "HETATM" };
        let [x, y, z] = label.position;
        let residue = format!("{}{}{}", names.columns(named.name), letters.of(named.chain), named.number());
        let _ = writeln!(
            text,
            "{record}{:5} {name}{}{residue}   {x:8.3}{y:8.3}{z:8.3}{:6.2}{:6.2}",
            serial % 100_000,
            label.alternate.unwrap_or(' '),
            atom.radius,
            atom.area
        );
        last = format!("TER   {:5}      {residue}\nENDMDL\n", (serial + 1) % 100_000);
    }
    text + &last
}
