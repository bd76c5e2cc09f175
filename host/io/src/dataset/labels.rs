//! Residue labels in few bytes: values shared by neighbours are stored once.

use super::DatasetError;
use prism_read::structure::ResidueLabels;
use std::ops::Range;

/// The label columns; layout 3 has none of them.
pub(super) const COLUMNS: [&str; 3] = [RUNS, TEXTS, NUMBERS];
/// The rows at which one of the texts differs from the row before.
pub(super) const RUNS: &str = "label_runs";
/// For each of those rows, `label_asym_id`, `entity_id` and the UniProt accession.
pub(super) const TEXTS: &str = "label_texts";
/// For each row, `label_seq_id` and the number in UniProt.
pub(super) const NUMBERS: &str = "label_numbers";
/// Texts of a run.
const TEXTS_PER_RUN: usize = 3;
/// Represents a missing number.
const NONE: i32 = i32::MIN;

/// The labels of a structure in the form of the columns.
#[derive(Default)]
pub struct Packed<'a> {
    pub(super) runs: Vec<u32>,
    pub(super) texts: Vec<&'a str>,
    pub(super) numbers: Vec<[i32; 2]>,
}

impl<'a> Packed<'a> {
    pub(super) fn of(labels: &'a [ResidueLabels]) -> Self {
        let mut packed = Self::default();
        for (row, own) in labels.iter().enumerate() {
            let texts: [&str; TEXTS_PER_RUN] = [&own.asym_id, &own.entity_id, &own.uniprot_accession];
            if !packed.texts.ends_with(&texts) {
                packed.runs.push(row as u32);
                packed.texts.extend(texts);
            }
            packed.numbers.push([own.seq_id, own.uniprot_number].map(|number| number.unwrap_or(NONE)));
        }
        packed
    }

    /// The labels of each row.
    pub(super) fn labels(&self) -> Result<Vec<ResidueLabels>, DatasetError> {
        let rows = self.numbers.len();
        let begins_each_run = self.runs.is_sorted_by(|a, b| a < b) && self.runs.first().is_none_or(|first| *first == 0);
        if !begins_each_run
            || self.texts.len() != TEXTS_PER_RUN * self.runs.len()
            || self.runs.last().is_some_and(|last| *last as usize >= rows)
            || (rows > 0 && self.runs.is_empty())
        {
            return Err(DatasetError::Damaged("its labels do not match its residues".to_owned()));
        }
        let number = |number: i32| Some(number).filter(|number| *number != NONE);
        let mut labels = Vec::with_capacity(rows);
        for (run, texts) in self.texts.as_chunks::<TEXTS_PER_RUN>().0.iter().enumerate() {
            let end = self.runs.get(run + 1).map_or(rows, |end| *end as usize);
            let rows: Range<usize> = self.runs[run] as usize..end;
            labels.extend(self.numbers[rows].iter().map(|&[seq_id, uniprot_number]| ResidueLabels {
                asym_id: texts[0].into(),
                seq_id: number(seq_id),
                entity_id: texts[1].into(),
                uniprot_accession: texts[2].into(),
                uniprot_number: number(uniprot_number),
            }));
        }
        Ok(labels)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels() -> Vec<ResidueLabels> {
        let of = |asym: &str, seq_id, accession: &str, uniprot_number| ResidueLabels {
            asym_id: asym.into(),
            seq_id,
            entity_id: "1".into(),
            uniprot_accession: accession.into(),
            uniprot_number,
        };
        let row = |asym: &str, number: i32| of(asym, Some(number), "P1", Some(number - 7));
        vec![row("A", 1), row("A", 2), of("A", Some(3), "", None), row("A", 4), row("B", 1), Default::default()]
    }

    #[test]
    fn labels_come_back_and_neighbours_share_texts() {
        let labels = labels();
        let packed = Packed::of(&labels);
        assert_eq!((&packed.runs[..], packed.texts.len()), (&[0, 2, 3, 4, 5][..], 15));
        assert_eq!(packed.labels().unwrap(), labels);
        assert!(Packed::of(&[]).labels().unwrap().is_empty());
        assert_eq!(Packed::of(&[Default::default()]).labels().unwrap(), [Default::default()]);
    }

    #[test]
    fn labels_that_do_not_fit_are_refused() {
        let labels = labels();
        let changed = |change: &dyn Fn(&mut Packed<'_>)| {
            let mut packed = Packed::of(&labels);
            change(&mut packed);
            packed.labels().unwrap_err().to_string()
        };
        for change in [
            &(|packed: &mut Packed<'_>| packed.runs[0] = 1) as &dyn Fn(&mut Packed<'_>),
            &|packed| packed.runs[1] = 0,
            &|packed| packed.runs[4] = 6,
            &|packed| packed.texts.truncate(14),
            &|packed| packed.numbers.clear(),
            &|packed| (packed.runs, packed.texts) = Default::default(),
        ] {
            assert!(changed(change).contains("labels do not match"));
        }
    }
}
