//! References of residues to positions in database sequences.

use super::tables::{Cell, SIFTS, STRUCT_REF, STRUCT_REF_SEQ, Tables};
use crate::structure::ResidueLabels;
use std::collections::HashMap;

/// A stretch of a chain that corresponds to a stretch of a UniProt sequence, residue by residue.
#[derive(Clone, Debug, PartialEq)]
struct Stretch {
    /// The author's chain id.
    chain: String,
    first: i32,
    last: i32,
    accession: String,
    /// Position of the first residue in the sequence.
    begin: i32,
}

/// References to UniProt in a file.
#[derive(Clone, Debug, Default)]
pub(super) struct References {
    /// By label_asym_id and label_seq_id, the most reliable source.
    residues: HashMap<(String, i32), (String, Option<i32>)>,
    /// By author chain id and label_seq_id.
    by_label: Vec<Stretch>,
    /// By author chain id and residue number, from PDB files.
    by_author: Vec<Stretch>,
    /// Chain, residue numbers and position of a DBREF1 record that waits for its DBREF2.
    waiting: Option<(String, i32, i32)>,
}

fn is_uniprot(database: &str) -> bool {
    matches!(database.to_ascii_uppercase().as_str(), "UNP" | "UNIPROT" | "UNIPROTKB" | "SWS" | "TREMBL")
}

impl References {
    /// Reads the references from mmCIF tables.
    pub(super) fn of(tables: &Tables) -> Self {
        let mut references = Self::default();
        for row in tables.rows(SIFTS) {
            let (Some(seq), accession) = (row[1].integer(), row[2].text()) else { continue };
            if !accession.is_empty() {
                references.residues.insert((row[0].text(), seq), (accession, row[3].integer()));
            }
        }
        let databases: HashMap<String, &Vec<Cell>> =
            tables.rows(STRUCT_REF).iter().map(|row| (row[0].text(), row)).collect();
        for row in tables.rows(STRUCT_REF_SEQ) {
            let Some(reference) = databases.get(&row[0].text()).filter(|row| is_uniprot(&row[1].text())) else {
                continue;
            };
            let own = row[4].text();
            let accession = if own.is_empty() { reference[2].text() } else { own };
            let numbers = [2, 3, 5, 6].map(|item| row[item].integer());
            let [Some(first), Some(last), Some(begin), Some(end)] = numbers else { continue };
            references.by_label.extend(stretch(row[1].text(), [first, last], accession, [begin, end]));
        }
        references
    }

    /// Takes a DBREF, DBREF1 or DBREF2 record of PDB.
    pub(super) fn record(&mut self, line: &[u8]) {
        let text = |from: usize, to: usize| {
            let field = line.get(from..to.min(line.len())).unwrap_or_default();
            String::from_utf8_lossy(field).trim().to_owned()
        };
        let number = |from: usize, to: usize| text(from, to).parse::<i32>().ok();
        let chain = || match line.get(12) {
            Some(b' ') | None => " ".to_owned(),
            Some(&id) => char::from(id).to_string(),
        };
        match line.get(..6) {
            Some(b"DBREF ") if is_uniprot(&text(26, 32)) => {
                let numbers = [number(14, 18), number(20, 24), number(55, 60), number(62, 67)];
                if let [Some(first), Some(last), Some(begin), Some(end)] = numbers {
                    self.by_author.extend(stretch(chain(), [first, last], text(33, 41), [begin, end]));
                }
            }
            Some(b"DBREF1") => {
                let numbers = number(14, 18).zip(number(20, 24)).filter(|_| is_uniprot(&text(26, 32)));
                self.waiting = numbers.map(|(first, last)| (chain(), first, last));
            }
            Some(b"DBREF2") => {
                let Some((own, first, last)) = self.waiting.take().filter(|(own, ..)| *own == chain()) else { return };
                if let Some((begin, end)) = number(45, 55).zip(number(57, 67)) {
                    self.by_author.extend(stretch(own, [first, last], text(18, 40), [begin, end]));
                }
            }
            _ => {}
        }
    }

    /// Sets the reference of a residue, if there is one.
    pub(super) fn apply(&self, labels: &mut ResidueLabels, chain: &str, number: i32) {
        let within = |all: &[Stretch], number: i32| {
            all.iter().find(|one| one.chain == chain && (one.first..=one.last).contains(&number)).map(|one| {
                let number = i64::from(number) - i64::from(one.first) + i64::from(one.begin);
                (one.accession.clone(), i32::try_from(number).ok())
            })
        };
        let known = labels.seq_id.and_then(|seq| {
            let of_residue = self.residues.get(&(labels.asym_id.to_string(), seq)).cloned();
            of_residue.or_else(|| within(&self.by_label, seq))
        });
        if let Some((accession, number)) = known.or_else(|| within(&self.by_author, number)) {
            (labels.uniprot_accession, labels.uniprot_number) = (accession.into(), number);
        }
    }
}

/// A stretch, if both sides have the same length; otherwise the correspondence is unknown.
fn stretch(chain: String, [first, last]: [i32; 2], accession: String, [begin, end]: [i32; 2]) -> Option<Stretch> {
    let same = i64::from(last) - i64::from(first) == i64::from(end) - i64::from(begin);
    (same && first <= last && !accession.is_empty()).then_some(Stretch { chain, first, last, accession, begin })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_record(lines: &[&str], chain: &str, number: i32) -> (String, Option<i32>) {
        let mut references = References::default();
        lines.iter().for_each(|line| references.record(line.as_bytes()));
        let mut labels = ResidueLabels::default();
        references.apply(&mut labels, chain, number);
        (labels.uniprot_accession.to_string(), labels.uniprot_number)
    }

    #[test]
    fn records_number_by_the_sequence() {
        let line = "DBREF  1UBQ A    1    76  UNP    P62988   UBIQ_HUMAN       1     76             ";
        assert_eq!(of_record(&[line], "A", 48), ("P62988".into(), Some(48)));
        assert_eq!(of_record(&[line], "A", 77), (String::new(), None));
        assert_eq!(of_record(&[line], "B", 1), (String::new(), None));
        let other = line.replace("UNP", "PDB");
        assert_eq!(of_record(&[&other], "A", 1).1, None);
        // Sides of different lengths do not correspond.
        let longer = line.replace("76             ", "77             ");
        assert_eq!(of_record(&[&longer], "A", 1).1, None);
    }

    #[test]
    fn long_accessions_take_two_records() {
        let lines = [
            "DBREF1 2J83 A   61   322  UNP                  XYZXYZ_METBU        ",
            "DBREF2 2J83 A     A0A024R0X7                         61         322 ",
        ];
        assert_eq!(of_record(&lines, "A", 62), ("A0A024R0X7".into(), Some(62)));
    }
}
