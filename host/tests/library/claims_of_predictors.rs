//! What files of predictions say about their own numbers: which metric they are, of which tokens, and on which scale.

use crate::broken_predictions::{changed, read_changed};

/// A change of a text, of which each part has to be there.
fn replaced(pairs: &[(&str, &str)]) -> impl Fn(&[u8]) -> Vec<u8> {
    move |bytes| {
        let mut text = String::from_utf8(bytes.to_vec()).unwrap();
        for (from, to) in pairs {
            assert!(text.contains(from), "{from}");
            text = text.replace(from, to);
        }
        text.into_bytes()
    }
}

const METRIC: &str = "2 local-pairwise PAE PAE\n";

/// Rows of pairs that are there once more, with another model or metric and value.
fn with_copies(model: &str, metric: &str, names: &str, first: bool) -> impl Fn(&[u8]) -> Vec<u8> {
    move |bytes| {
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        let rows: Vec<&str> = text.lines().filter(|line| line.contains(" 1 A ") || line.contains(" 1 B ")).collect();
        let rows: Vec<&str> = rows.into_iter().filter(|line| line.split(' ').count() == 10).collect();
        assert_eq!(rows.len(), 225);
        let copy = |row: &&str| {
            let mut items: Vec<&str> = row.split(' ').collect();
            (items[1], items[8], items[9]) = (model, metric, "0.5");
            items.join(" ") + "\n"
        };
        let copies: String = rows.iter().map(copy).collect();
        let own = rows.join("\n") + "\n";
        let both = if first { copies + &own } else { own.clone() + &copies };
        text.replace(METRIC, &format!("{METRIC}{names}")).replace(&own, &both).into_bytes()
    }
}

#[test]
fn a_metric_of_pairs_is_taken_for_errors_if_its_type_or_name_says_so() {
    let read = |change: &dyn Fn(&[u8]) -> Vec<u8>| read_changed("modelcif", "made.cif", change);
    let whole = read(&<[u8]>::to_vec);
    assert!(whole.warnings.is_empty(), "{:?}", whole.warnings);
    for is_first in [true, false] {
        let contact = "3 local-pairwise 'contact prob' 'contact probability'\n";
        assert_eq!(read(&with_copies("1", "3", contact, is_first)).pae, whole.pae, "another metric");
        assert_eq!(read(&with_copies("2", "2", "", is_first)).pae, whole.pae, "another model");
    }
    for other in ["2 local-pairwise 'Predicted aligned error' other\n", "2 local-pairwise pae ?\n", "2 other x pae\n"] {
        assert_eq!(read(&replaced(&[(METRIC, other)])).pae, whole.pae, "{other}");
    }
    let said = |change: &dyn Fn(&[u8]) -> Vec<u8>| changed("modelcif", "made.cif", change);
    let none = "there is no matrix of predicted aligned errors for it";
    for (other, says) in [
        ("2 local-pairwise 'contact prob' 'contact probability'\n", "has contact prob (type contact probability), and"),
        ("2 local-pairwise PAE distance\n", "has PAE (type distance), and none of type PAE"),
        ("4 local-pairwise PAE PAE\n", "has metric 2, and none of type PAE"),
    ] {
        let said = said(&replaced(&[(METRIC, other)]));
        assert!(said.contains(none) && said.contains(says), "{other}: {said}");
    }
    let twice = said(&with_copies("1", "3", "3 local-pairwise PAE2 PAE\n", false));
    assert!(twice.contains("metrics 2 and 3 are both predicted aligned errors"), "{twice}");
    let twice = said(&with_copies("1", "2", "", false));
    assert!(twice.contains("two errors of residue 1 of chain A, aligned on residue 1 of chain A"), "{twice}");
    // Of a model that is not the first.
    let other = said(&|bytes| {
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        let rows = text.lines().map(|line| match line.split(' ').collect::<Vec<_>>()[..] {
            [id, "1", ref rest @ ..] if rest.len() == 8 => format!("{id} 7 {}\n", rest.join(" ")),
            _ => format!("{line}\n"),
        });
        rows.collect::<String>().into_bytes()
    });
    assert!(other.contains(none) && other.contains("has those of model 7, and the first model 1 is read"), "{other}");
    // Nothing says what the only metric is.
    let unnamed = said(&|bytes| {
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        let (begin, end) =
            (text.find("loop_\n_ma_qa_metric.").unwrap(), text.find("loop_\n_ma_qa_metric_local").unwrap());
        [&text[..begin], &text[end..]].concat().into_bytes()
    });
    assert!(unnamed.contains("no _ma_qa_metric says what metric 2 of its pairs is"), "{unnamed}");
}
