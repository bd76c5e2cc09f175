//! Definitions of columns, which `--explain` prints and files contain.

use super::{Column, FrameColumn, Label, LineageColumn};

/// The definitions of angles on a circle begin with one of these words.
const CIRCULAR: [&str; 2] = ["dihedral", "phase"];

fn first_word(definition: &str) -> &str {
    definition.split(' ').next().unwrap_or_default()
}

impl Column {
    /// The unit of its values; empty if they have none.
    #[must_use]
    pub const fn unit(&self) -> &'static str {
        match self {
            Self::Feature(feature) | Self::State(feature) => feature.unit,
            Self::Lineage(LineageColumn::VelocityError) => "1/day",
            Self::Frame(FrameColumn::Time) => "ps",
            Self::Derived(column) => column.unit,
            _ => "",
        }
    }

    /// The definition of its values.
    #[must_use]
    pub const fn definition(&self) -> &'static str {
        match self {
            Self::Feature(feature) | Self::State(feature) => feature.definition,
            Self::Structure => {
                "the structure's name: that of its file without .gz, with its path below the directory that was given"
            }
            Self::Row => "the residue's place in its structure, from 0",
            Self::Chain => "author chain id",
            Self::Resnum => "author residue number",
            Self::Icode => "insertion code, mostly empty",
            Self::Resname => "the residue's name, as the file has it",
            Self::Parent => {
                "the standard amino acid or nucleotide that the residue is or was made of; empty where there is none"
            }
            Self::Polymer => {
                "what the residue is part of: protein, dna or rna, by its parent; with --het rows also ligand, ion, glycan, cap or \
                 amino_acid (one that belongs to no chain), as in the table of prism ligands. Written if --polymers or --het rows is \
                 given, and on request"
            }
            Self::SiteId => {
                "the site that the residue lines, by its rank from 1, as in the table of prism sites; undefined if there is none"
            }
            Self::Plddt => {
                "a predicted model's confidence from 0 to 100 (pLDDT): the B column where the file says, or its values \
                 show, that it is one; values from 0 to 1 times 100, mean of the residue's atoms if they differ; undefined \
                 for experiments"
            }
            Self::Label(label) => label.definition(),
            Self::Lineage(column) => column.definition(),
            Self::Frame(column) => column.definition(),
            Self::Derived(column) => column.definition,
        }
    }

    /// Whether its values are angles on a circle, where 180 and -180 degrees are the same: dihedrals and phases, as the first word of
    /// the definition says. Plain angles and amplitudes are not.
    #[must_use]
    pub fn is_dihedral(&self) -> bool {
        matches!(self, Self::Feature(feature) if feature.unit == "degree" && CIRCULAR.contains(&first_word(feature.definition)))
    }

    /// The source of its definition; empty if there is none.
    #[must_use]
    pub const fn source(&self) -> &'static str {
        match self {
            Self::Feature(feature) | Self::State(feature) => feature.source,
            Self::Derived(column) => column.source,
            _ => "",
        }
    }
}

impl FrameColumn {
    const fn definition(self) -> &'static str {
        match self {
            Self::Number => {
                "the frame of a trajectory that has the positions, from 0; of several files, those of later ones follow. \
                 Written with --trajectory"
            }
            Self::Time => {
                "the frame's time, in single precision; undefined where the file has none. Written with --trajectory"
            }
        }
    }
}

impl LineageColumn {
    const fn definition(self) -> &'static str {
        match self {
            Self::Name => "the lineage that the structure stands for, by --lineages",
            Self::Country => "the country of that lineage's samples, by --lineages",
            Self::VelocityError => {
                "standard error of gisaid_velocity; undefined where that is. Written with --lineages"
            }
        }
    }
}

impl Label {
    const fn definition(self) -> &'static str {
        match self {
            Self::AsymId => "mmCIF's label_asym_id; empty in PDB. Written where --columns names it",
            Self::SeqId => {
                "mmCIF's label_seq_id, the residue's number in its entity's sequence; undefined in PDB. Written where \
                 --columns names it"
            }
            Self::EntityId => "mmCIF's label_entity_id; empty in PDB. Written where --columns names it",
            Self::UniprotAccession => {
                "the accession of the residue's sequence in UniProt, by pdbx_sifts_xref_db, else struct_ref_seq, or by \
                 DBREF in PDB; empty where the file says none. Written where --columns names it"
            }
            Self::UniprotNumber => {
                "the residue's number in that sequence; undefined where the file says none, and where a stretch of \
                 struct_ref_seq or DBREF has not as many residues on both sides. Written where --columns names it"
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_has_a_definition() {
        assert!(Column::every().all(|column| !column.definition().is_empty()));
    }

    #[test]
    fn definitions_of_angles_say_which_are_on_a_circle() {
        const OF_A_LINE: [&str; 2] = ["angle", "amplitude"];
        for column in Column::every().filter(|column| column.unit() == "degree") {
            let (name, word) = (column.name(), first_word(column.definition()));
            let is_known = CIRCULAR.contains(&word) != OF_A_LINE.contains(&word);
            assert!(is_known, "{name}: its definition begins with neither of {CIRCULAR:?} nor of {OF_A_LINE:?}");
        }
        let of = |name: &str| Column::every().find(|column| column.name() == name).unwrap().is_dihedral();
        assert_eq!(
            ["phi", "pucker_phase", "ca_angle", "pucker_amplitude", "wcn"].map(of),
            [true, true, false, false, false]
        );
    }
}
