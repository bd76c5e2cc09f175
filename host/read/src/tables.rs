//! Categories of mmCIF and BinaryCIF that some options need in addition to the atoms; rows are kept as they are.

use super::links;
use super::number::{cif_number, integer};
use super::options::ReadOptions;

/// A value of a row.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum Cell {
    /// `?`, `.`, or an item that the category does not have.
    #[default]
    Nothing,
    Text(Box<str>),
    /// A number of BinaryCIF.
    Number(f64),
}

impl Cell {
    /// An mmCIF value without its quotes.
    pub(super) fn of(text: &[u8]) -> Self {
        match text {
            b"?" | b"." | b"" => Self::Nothing,
            text => Self::Text(super::word::text_of(text).into()),
        }
    }

    pub(super) fn text(&self) -> String {
        match self {
            Self::Nothing => String::new(),
            Self::Text(text) => text.to_string(),
            Self::Number(number) => number.to_string(),
        }
    }

    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Nothing => None,
            Self::Text(text) => cif_number(text.as_bytes()),
            Self::Number(number) => Some(*number).filter(|number| number.is_finite()),
        }
    }

    pub(super) fn integer(&self) -> Option<i32> {
        match self {
            Self::Nothing => None,
            Self::Text(text) => integer(text.as_bytes()),
            Self::Number(number) => Some(*number as i32).filter(|whole| f64::from(*whole) == *number),
        }
    }
}

/// A category to keep: its name with the final dot, and its items.
pub(super) struct Category {
    pub(super) name: &'static str,
    pub(super) items: &'static [&'static str],
}

/// The assemblies, with their chains and operators.
pub(super) const ASSEMBLY_GEN: usize = 0;
/// The operators of assemblies.
pub(super) const OPER_LIST: usize = 1;
/// References to sequence databases.
pub(super) const STRUCT_REF: usize = 2;
/// Stretches of chains and of those sequences that correspond.
pub(super) const STRUCT_REF_SEQ: usize = 3;
/// The position of each residue in a sequence, by SIFTS.
pub(super) const SIFTS: usize = 4;

/// Bonds between residues.
pub(super) const STRUCT_CONN: usize = 5;

pub(super) const CATEGORIES: [Category; 6] = [
    Category { name: "_pdbx_struct_assembly_gen.", items: &["assembly_id", "oper_expression", "asym_id_list"] },
    Category {
        name: "_pdbx_struct_oper_list.",
        items: &[
            "id",
            "matrix[1][1]",
            "matrix[1][2]",
            "matrix[1][3]",
            "vector[1]",
            "matrix[2][1]",
            "matrix[2][2]",
            "matrix[2][3]",
            "vector[2]",
            "matrix[3][1]",
            "matrix[3][2]",
            "matrix[3][3]",
            "vector[3]",
        ],
    },
    Category { name: "_struct_ref.", items: &["id", "db_name", "pdbx_db_accession"] },
    Category {
        name: "_struct_ref_seq.",
        items: &[
            "ref_id",
            "pdbx_strand_id",
            "seq_align_beg",
            "seq_align_end",
            "pdbx_db_accession",
            "db_align_beg",
            "db_align_end",
        ],
    },
    Category { name: "_pdbx_sifts_xref_db.", items: &["asym_id", "seq_id", "unp_acc", "unp_num"] },
    Category { name: links::CATEGORY, items: &links::ITEMS },
];

/// Rows of the categories, with one value per item.
#[derive(Clone, Debug, Default)]
pub(super) struct Tables {
    rows: [Vec<Vec<Cell>>; CATEGORIES.len()],
    /// The last category met outside loops, whose row continues.
    single: Option<usize>,
}

impl Tables {
    /// Whether options need a category.
    pub(super) fn are_needed(category: usize, options: &ReadOptions) -> bool {
        match category {
            STRUCT_CONN => options.atoms,
            _ => options.assembly.is_some() || options.labels,
        }
    }

    /// Whether they need any.
    pub(super) fn are_any_needed(options: &ReadOptions) -> bool {
        (0..CATEGORIES.len()).any(|category| Self::are_needed(category, options))
    }

    pub(super) fn rows(&self, category: usize) -> &[Vec<Cell>] {
        &self.rows[category]
    }

    /// The category and item of a tag, if it is kept.
    pub(super) fn find(tag: &[u8]) -> Option<(usize, usize)> {
        let category = CATEGORIES.iter().position(|category| {
            let name = category.name.as_bytes();
            tag.get(..name.len()).is_some_and(|head| head.eq_ignore_ascii_case(name))
        })?;
        let item = &tag[CATEGORIES[category].name.len()..];
        let item = CATEGORIES[category].items.iter().position(|own| item.eq_ignore_ascii_case(own.as_bytes()))?;
        Some((category, item))
    }

    /// Adds a row.
    pub(super) fn push(&mut self, category: usize, row: Vec<Cell>) {
        self.rows[category].push(row);
    }

    /// Adds a value outside of loops to the single row of its category.
    pub(super) fn push_single(&mut self, category: usize, item: usize, cell: Cell) {
        if self.single != Some(category) || self.rows[category].is_empty() {
            self.single = Some(category);
            self.rows[category].push(vec![Cell::Nothing; CATEGORIES[category].items.len()]);
        }
        if let Some(row) = self.rows[category].last_mut() {
            row[item] = cell;
        }
    }
}
