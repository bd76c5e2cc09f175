//! What happens to residues: which have rows, and whose atoms cover others.

use super::radius::{UNKNOWN_ELEMENT, radius};
use super::{ALPHA_CARBON, Named, Record, Selection};
use crate::atoms::{Atom, Rules};
use crate::components::{self, BEAD_OF_WATER, Component};
use crate::draft::CoverResidue;
use crate::error::Problem;
use crate::ions::is_ligand;
use crate::options::Residues;
use crate::word::text_of;
use shared_types::{ResidueKind, UNKNOWN};

/// What happens to the current run of records.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Fate {
    /// It has a row.
    Row,
    /// It has a row if its atoms are those of an amino acid, or of a nucleotide if its name is one's.
    IfPolymer,
    /// It has no row, and its atoms may cover others.
    Cover,
    /// Its records are no atoms.
    Dummy,
    /// It is water by its name, if its atoms are those of water.
    Water,
    /// It is water, whose oxygen is kept.
    Solvent,
    /// Its records are no atoms by its name, if they are few.
    Points,
    /// It is not used.
    Nothing,
}

impl Fate {
    /// That of a record within another residue, which does not decide between water or points and another molecule.
    pub(super) fn by_name(self) -> Self {
        match self {
            Self::Water | Self::Solvent => Self::Nothing,
            Self::Points => Self::Dummy,
            other => other,
        }
    }
}

/// The fate of a residue with a name of points.
fn of_points(residue: u64) -> Fate {
    if components::is_certain(residue) { Fate::Dummy } else { Fate::Points }
}

/// The names of a peptide's backbone, which nucleotides do not begin with.
pub(super) const AMINO_ACIDS_BEGIN: [u64; 3] = [b'N' as u64, b'C' as u64, ALPHA_CARBON];

/// The element's symbol.
const TUNGSTEN: u16 = b'W' as u16;
const OXYGEN: u16 = b'O' as u16;

impl Selection<'_> {
    /// Whether a damaged record of such a residue can be ignored, because it would not be used.
    pub(crate) fn is_ignored(&self, residue: u64, hetatm: bool, in_chain: Option<bool>) -> bool {
        let component = components::component(residue);
        match self.residues {
            _ if self.is_water => true,
            Residues::Standard => hetatm,
            Residues::All if hetatm => {
                let has_row = component.amino_acid().is_some()
                    || component == Component::Unknown
                    || component.nucleotide().is_some() && self.polymers.has_nucleic();
                in_chain != Some(true) && !has_row
            }
            Residues::All => match component {
                Component::Nucleic(_) => !self.polymers.has_nucleic(),
                _ => components::is_unused(residue),
            },
        }
    }

    /// The meaning of the record's residue name, and the fate of a residue with it.
    #[inline]
    pub(super) fn fate(&mut self, record: &Record<'_, '_>) -> (Named, Fate) {
        let residue = record.residue;
        if self.is_water {
            return (Named { residue, ..Named::NONE }, self.of_solvent());
        }
        if self.residues == Residues::Standard {
            return match components::standard(residue).filter(|_| !record.hetatm) {
                Some(kind) => (Named { residue, kind, rules: Rules::Standard }, Fate::Row),
                None => {
                    let fate = if self.cover { self.uncounted(record) } else { Fate::Nothing };
                    (Named { residue, ..Named::NONE }, fate)
                }
            };
        }
        let component = match components::component_of(residue, record.hetatm) {
            Component::Other if residue == BEAD_OF_WATER && record.element != TUNGSTEN => Component::Water,
            Component::Other if components::is_point(residue, record.name) => {
                return (Named { residue, ..Named::NONE }, Fate::Dummy);
            }
            other => other,
        };
        let (kind, fate) = self.fate_of(component, record);
        (Named { residue, kind, rules: Rules::of(component) }, fate)
    }

    #[inline]
    pub(super) fn fate_of(&mut self, component: Component, record: &Record<'_, '_>) -> (ResidueKind, Fate) {
        let outside = record.in_chain == Some(false) && (record.hetatm || component.amino_acid().is_none());
        match component {
            Component::Water => (UNKNOWN, self.of_water(record.residue)),
            Component::Dummy => (UNKNOWN, of_points(record.residue)),
            Component::Nucleic(kind) => match self.polymers.has_nucleic() {
                true if outside => (UNKNOWN, Fate::Cover),
                true if component.is_standard_nucleotide() && !record.hetatm => (kind, Fate::Row),
                true => (kind, Fate::IfPolymer),
                // It may be an amino acid that has a nucleotide's name.
                false if AMINO_ACIDS_BEGIN.contains(&record.name) => (kind, Fate::IfPolymer),
                false => {
                    self.draft.tally.nucleotides += 1;
                    (UNKNOWN, Fate::Cover)
                }
            },
            _ if !self.polymers.has_protein() => {
                self.draft.tally.amino_acids += usize::from(component.amino_acid().is_some() && !outside);
                (UNKNOWN, Fate::Cover)
            }
            _ if outside => {
                self.draft.tally.unlinked += usize::from(!matches!(component, Component::Other | Component::Shared(_)));
                (UNKNOWN, Fate::Cover)
            }
            Component::Standard(kind) | Component::Variant(kind) => (kind, Fate::Row),
            Component::Modified(kind) | Component::Shared(kind) => (kind, Fate::IfPolymer),
            Component::Unknown | Component::Other => (UNKNOWN, Fate::IfPolymer),
        }
    }

    /// The fate of non-standard residues if only standard ones have rows.
    fn uncounted(&self, record: &Record<'_, '_>) -> Fate {
        match components::component(record.residue) {
            Component::Water => self.of_water(record.residue),
            Component::Dummy => of_points(record.residue),
            _ => Fate::Cover,
        }
    }

    /// The fate of water.
    fn of_solvent(&self) -> Fate {
        if self.water { Fate::Solvent } else { Fate::Nothing }
    }

    /// The fate of a residue with a name of water.
    fn of_water(&self, residue: u64) -> Fate {
        if components::is_certain(residue) { self.of_solvent() } else { Fate::Water }
    }

    /// Keeps the oxygen of water.
    pub(super) fn keep_water(&mut self, record: &Record<'_, '_>) -> Result<(), Problem> {
        let atom = Rules::Other.atom(record.residue, UNKNOWN, record.name, record.element).0;
        if !matches!(atom, Atom::Heavy { element: OXYGEN, .. })
            || self.names.insert_name(record.name, record.alternate).is_some()
        {
            return Ok(());
        }
        if let Some(atom) = self.covering(record)? {
            self.push_cover(atom, record.residue);
        }
        Ok(())
    }

    pub(super) fn cover_atom(&mut self, record: &Record<'_, '_>) -> Result<(), Problem> {
        if self.cover
            && let Some(atom) = self.covering(record)?
            && self.names.insert_name(record.name, record.alternate).is_none()
        {
            self.push_cover(atom, record.residue);
        }
        Ok(())
    }

    /// The atom of a record of no residue, as it covers others, with its radius; `None` if it is no heavy atom.
    pub(super) fn covering(&mut self, record: &Record<'_, '_>) -> Result<Option<[f64; 4]>, Problem> {
        let [x, y, z] = record.position;
        match Rules::Other.atom(self.named_for_elements(record.residue, record), UNKNOWN, record.name, record.element).0
        {
            Atom::Heavy { name, element } | Atom::Cap { name, element } => {
                let (radius, syntax) = (self.radius(UNKNOWN, name, element), self.syntax);
                self.draft.recorded([x, y, z, radius], || syntax.label(record, element)).map(Some)
            }
            Atom::Hydrogen => Ok(None),
            Atom::Pseudo => {
                self.draft.tally.pseudo_atoms += 1;
                Ok(None)
            }
        }
    }

    /// The residue's name as it says an atom's element: nothing if it is a ligand with the name of an ion.
    pub(super) fn named_for_elements(&self, residue: u64, record: &Record<'_, '_>) -> u64 {
        let is_ligand =
            record.element == 0 && is_ligand(residue, record.name, self.names.all().iter().map(|(name, _)| *name));
        if is_ligand { 0 } else { residue }
    }

    /// The radius of an atom in Å. Counts those whose element nothing says.
    pub(super) fn radius(&mut self, kind: ResidueKind, name: u64, element: u16) -> f64 {
        radius(kind, name, element).unwrap_or_else(|| {
            self.run.unknown_elements += 1;
            self.draft.tally.unknown_elements += 1;
            UNKNOWN_ELEMENT
        })
    }

    pub(super) fn push_cover(&mut self, atom: [f64; 4], residue: u64) {
        if self.cover {
            self.draft.cover.push(atom);
            self.key_cover(residue);
        }
    }

    /// Sets the residue of the last cover atoms: the current one, with this name.
    pub(super) fn key_cover(&mut self, name: u64) {
        let (Some(id), label, syntax) = (self.residue_id, &self.label, self.syntax) else { return };
        let is_water = matches!(self.run.fate, Fate::Solvent | Fate::Water);
        self.draft.key_cover(|| {
            let chain = text_of(id.chain).into_boxed_str();
            CoverResidue {
                asym: label
                    .as_ref()
                    .map_or(&chain, |label| if label.asym_id.is_empty() { &chain } else { &label.asym_id })
                    .clone(),
                chain,
                number: (syntax.residue_number)(id.number),
                icode: text_of(id.icode).into_boxed_str(),
                name,
                is_water,
            }
        });
    }
}
