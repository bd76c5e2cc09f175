//! What files of predictions say about their own numbers: which metric they are, of which tokens, and on which scale.

use crate::broken_predictions::{changed, npz, read_changed};
use prism_host::confidence::{Cutoffs, PAIR_NUMBERS, Prediction, Scores};
use serde_json::{Value, json};

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
    let messages = |change: &dyn Fn(&[u8]) -> Vec<u8>| changed("modelcif", "made.cif", change);
    let none = "there is no matrix of predicted aligned errors for it";
    for (other, says) in [
        ("2 local-pairwise 'contact prob' 'contact probability'\n", "has contact prob (type contact probability), and"),
        ("2 local-pairwise PAE distance\n", "has PAE (type distance), and none of type PAE"),
        ("4 local-pairwise PAE PAE\n", "has metric 2, and none of type PAE"),
    ] {
        let messages = messages(&replaced(&[(METRIC, other)]));
        assert!(messages.contains(none) && messages.contains(says), "{other}: {messages}");
    }
    let twice = messages(&with_copies("1", "3", "3 local-pairwise PAE2 PAE\n", false));
    assert!(twice.contains("metrics 2 and 3 are both predicted aligned errors"), "{twice}");
    let twice = messages(&with_copies("1", "2", "", false));
    assert!(twice.contains("two errors of residue 1 of chain A, aligned on residue 1 of chain A"), "{twice}");
    // Of a model that is not the first.
    let other = messages(&|bytes| {
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        let rows = text.lines().map(|line| match line.split(' ').collect::<Vec<_>>()[..] {
            [id, "1", ref rest @ ..] if rest.len() == 8 => format!("{id} 7 {}\n", rest.join(" ")),
            _ => format!("{line}\n"),
        });
        rows.collect::<String>().into_bytes()
    });
    assert!(other.contains(none) && other.contains("has those of model 7, and the first model 1 is read"), "{other}");
    // Nothing says what the only metric is.
    let unnamed = messages(&|bytes| {
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        let (begin, end) =
            (text.find("loop_\n_ma_qa_metric.").unwrap(), text.find("loop_\n_ma_qa_metric_local").unwrap());
        [&text[..begin], &text[end..]].concat().into_bytes()
    });
    assert!(unnamed.contains("no _ma_qa_metric says what metric 2 of its pairs is"), "{unnamed}");
}

/// A change of a JSON's members.
fn members(change: impl Fn(&mut Value)) -> impl Fn(&[u8]) -> Vec<u8> {
    move |bytes| {
        let mut json: Value = serde_json::from_slice(bytes).unwrap();
        change(&mut json);
        serde_json::to_vec(&json).unwrap()
    }
}

/// A number of an ordered pair of chains.
fn of_pair(scores: &Scores, chains: [&str; 2], column: &str) -> f32 {
    let is_it = |chain: &[usize; 2]| chain.map(|chain| scores.chains[chain].as_str()) == chains;
    let pair = scores.pairs.iter().find(|pair| !pair.is_max && is_it(&pair.chains)).unwrap();
    pair.numbers[PAIR_NUMBERS.iter().position(|known| known.name == column).unwrap()]
}

/// Keeps some tokens of AlphaFold 3's file, in this order.
fn with_tokens(json: &mut Value, tokens: &[usize]) {
    for name in ["token_chain_ids", "token_res_ids"] {
        json[name] = tokens.iter().map(|&at| json[name][at].clone()).collect();
    }
    for name in ["pae", "contact_probs"] {
        let row = |row: usize| -> Value { tokens.iter().map(|&at| json[name][row][at].clone()).collect() };
        json[name] = tokens.iter().map(|&at| row(at)).collect();
    }
}

const AF3: &str = "made_confidences.json";

/// The tokens of AlphaFold 3's file: chain A has 34, B 22 and C, a ligand, 5.
fn tokens(chains: &str) -> Vec<usize> {
    chains
        .chars()
        .flat_map(|chain| match chain {
            'A' => 0..34,
            'B' => 34..56,
            _ => 56..61,
        })
        .collect()
}

#[test]
fn tokens_that_lack_a_part_of_the_model_are_refused() {
    let messages = |kept: &[usize]| changed("af3", AF3, &members(|json| with_tokens(json, kept)));
    assert_eq!(messages(&tokens("ABC")), "");
    // 28, 22 and 1 residues, of 34, 22 and 5 tokens.
    for (kept, says) in [
        (
            tokens("AC"),
            "the matrix has 39 rows, of tokens of 29 residues, and the model has 51 with ligands: it has none of chain B",
        ),
        (tokens("AB"), "56 rows, of tokens of 50 residues, and the model has 51 with ligands: it has none of chain C"),
        (tokens("ABC")[1..].to_vec(), "none of residue 1 of chain A; the two may be of different models"),
        (tokens("ABC")[3..].to_vec(), "none of residue 1 of chain A and 2 others there; the two"),
        (vec![0, 1, 2], "none of residue 4 of chain A and 24 others there, chain B,C"),
        ([&tokens("ABC")[..], &[0]].concat(), "names tokens of residue 1 of chain A in two places"),
    ] {
        let messages = messages(&kept);
        assert!(messages.contains(AF3) && messages.contains(says), "{says}: {messages}");
    }
}

#[test]
fn chains_that_a_file_names_without_residues_decide_the_order_of_tokens() {
    let named = read_changed("af3", "", &<[u8]>::to_vec);
    let of = |change: &dyn Fn(&mut Value)| {
        read_changed(
            "af3",
            AF3,
            &members(|json| {
                // The file has chain B first.
                with_tokens(json, &tokens("BAC"));
                change(json);
            }),
        )
    };
    let absent = |json: &mut Value| drop(json.as_object_mut().unwrap().remove("token_res_ids"));
    let decimals = |json: &mut Value| json["token_res_ids"] = vec![1.5; 61].into();
    let texts = |json: &mut Value| json["token_res_ids"] = vec!["1"; 61].into();
    let expected = named.scores(Cutoffs::default());
    for (change, warns) in [(&absent as &dyn Fn(&mut Value), false), (&decimals, true), (&texts, true)] {
        let read = of(change);
        assert_eq!(read.tokens().next().unwrap().0, "B");
        assert_eq!(read.warnings.len(), usize::from(warns), "{:?}", read.warnings);
        let says = "the tokens of each chain are counted in the order of its residues";
        assert!(!warns || read.warnings[0].contains("token_res_ids") && read.warnings[0].ends_with(says));
        let own = read.scores(Cutoffs::default());
        for chains in [["A", "B"], ["B", "A"], ["A", "C"], ["C", "B"]] {
            for column in ["ipsae", "pae_mean", "lis", "actifptm"] {
                let [own, expected] = [&own, &expected].map(|scores| of_pair(scores, chains, column));
                assert!(own.is_nan() && expected.is_nan() || (own - expected).abs() < 1e-6, "{chains:?} {column}");
            }
        }
    }
    // A chain of another length, and one that the model lacks.
    for (id, named) in [
        ("B", "names tokens: 23 of chain B, 33 of chain A, 5 of chain C"),
        ("Q", "names tokens: 1 of chain Q, 33 of chain A, 22 of chain B, 5 of chain C"),
    ] {
        let other = members(|json| {
            absent(json);
            json["token_chain_ids"][0] = id.into();
        });
        let messages = changed("af3", AF3, &other);
        assert!(messages.contains("the matrix has 61 rows") && messages.contains(named), "{messages}");
        assert!(messages.contains("the model has: 34 of chain A, 22 of chain B, 5 of chain C"), "{messages}");
    }
    let unread = read_changed("af3", AF3, &members(|json| json["token_chain_ids"] = vec![1; 61].into()));
    assert!(unread.warnings[0].contains("tokens are counted in the order of the model"), "{:?}", unread.warnings);
}

fn summary(change: impl Fn(&mut Value)) -> Prediction {
    read_changed("af3", "made_summary_confidences.json", &members(change))
}

#[test]
fn a_ranking_that_is_no_number_is_empty() {
    let read = summary(|json| json["ranking_score"] = Value::Null);
    assert_eq!((read.iptm, read.ranking), (Some(0.7), None));
    assert!(read.warnings.len() == 1 && read.warnings[0].contains("\"ranking_score\" is null"), "{:?}", read.warnings);
    assert_eq!(read.scores(Cutoffs::default()).ranked_by, None);
    let nan = |bytes: &[u8]| {
        String::from_utf8_lossy(bytes).replace("\"ranking_score\": 0.73", "\"ranking_score\": NaN").into_bytes()
    };
    let read = read_changed("af3", "made_summary_confidences.json", &nan);
    assert!(read.ranking.is_none() && read.warnings[0].contains("\"ranking_score\" is NaN"), "{:?}", read.warnings);
    // One that is not written is computed.
    let read = summary(|json| drop(json.as_object_mut().unwrap().remove("ranking_score")));
    assert_eq!((read.ranking, read.ranked_by.as_deref()), (Some(0.71), Some("0.8 ipTM + 0.2 pTM")));
    assert_eq!(summary(|_| ()).ranked_by.as_deref(), Some("ranking_score"));
    // A list that lacks the model.
    let messages = changed("af2", "ranking_debug.json", &|bytes: &[u8]| {
        String::from_utf8_lossy(bytes).replace("model_1_multimer", "model_7_multimer").into_bytes()
    });
    assert!(
        messages.contains("ranking_debug.json: has no scores of unrelaxed_model_1_multimer_v3_pred_0.pdb"),
        "{messages}"
    );
    // One that is no number costs no other score of the list.
    let list = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes).replace(":0.79", ":NaN");
        assert!(text.contains("NaN"), "{text}");
        text.into_bytes()
    };
    let read = read_changed("af2", "iptm_ptm.json", &list);
    let says = "iptm_ptm.json: \"ptm\" of unrelaxed_model_1_multimer_v3_pred_0.pdb is NaN, and no number";
    assert!(read.warnings.len() == 1 && read.warnings[0].contains(says), "{:?}", read.warnings);
    assert_eq!((read.iptm, read.ptm, read.ranking), (Some(0.81), None, Some(0.806)));
    let messages = changed("af2", "iptm_ptm.json", &replaced(&[(":0.806", ":null")]));
    assert!(
        messages.contains("iptm_ptm.json: \"ranking_confidence\" of unrelaxed_model_1_multimer_v3_pred_0.pdb is null"),
        "{messages}"
    );
}

#[test]
fn scores_outside_their_range_give_a_warning() {
    for (name, value, says) in [
        ("iptm", 55.0, "the predictor's ipTM is 55, and should be from 0 to 1"),
        ("iptm", -0.5, "the predictor's ipTM is -0.5"),
        ("ptm", 1.7, "the predictor's pTM is 1.7"),
        ("ranking_score", 12.0, "the predictor's ranking_score is 12, and should be from -100 to 1.5"),
    ] {
        let read = summary(|json| json[name] = value.into());
        assert!(read.warnings.len() == 1 && read.warnings[0].contains(says), "{name}: {:?}", read.warnings);
    }
    assert!(summary(|json| json["ranking_score"] = (-99.3).into()).warnings.is_empty(), "of one with clashes");
    let read = summary(|json| json["chain_pair_iptm"][0][1] = 7.0.into());
    let says = "the predictor's ipTM of chains A and B is 7, and ipTM is from 0 to 1";
    assert!(read.warnings.len() == 1 && read.warnings[0].contains(says), "{:?}", read.warnings);
}

#[test]
fn iptm_of_pairs_that_cannot_be_read_is_empty() {
    let of = |value: Value| {
        let read = summary(|json| json["chain_pair_iptm"] = value.clone());
        let scores = read.scores(Cutoffs::default());
        let values = [["A", "B"], ["B", "A"], ["A", "C"]].map(|chains| of_pair(&scores, chains, "iptm"));
        (values.map(|value| (!value.is_nan()).then_some(value)), read.warnings.join("\n"))
    };
    // One value that is no number.
    let (values, messages) = of(json!([[0.8, "x", 0.5], [0.3, 0.8, 0.4], [0.2, 0.1, 0.7]]));
    assert_eq!(values, [None, Some(0.3), Some(0.5)]);
    assert!(messages.contains("\"chain_pair_iptm\" has \"x\" where a number belongs"), "{messages}");
    let (values, messages) = of(json!([[0.8, null, 0.5], [0.3, 0.8, 0.4], [0.2, 0.1, 0.7]]));
    assert_eq!((values, &messages[..]), ([None, Some(0.3), Some(0.5)], ""), "a value that the predictor leaves out");
    for (value, says) in [
        (json!([[0.8, 0.4], [0.3, 0.8]]), "is of 2 chains, and the model has 3"),
        (json!([[0.8]]), "is of 1 chain, and the model has 3"),
        (json!([[0.8, 0.4], [0.3]]), "is not square"),
        (json!({"A": {"A": 0.8, "B": 0.4}, "B": {"A": 0.3, "B": 0.8}}), "are not the indices of chains"),
        (json!("0.8"), "where values of chains belong"),
    ] {
        let (values, messages) = of(value.clone());
        assert!(values == [None; 3] && messages.contains(says), "{value}: {values:?} {messages}");
    }
    // An array of NumPy.
    let array = changed("chai", "scores.model_idx_0.npz", &|_| {
        npz("per_chain_pair_iptm", &[2, 2], &[0.9, f32::NAN, 0.78, 0.91])
    });
    assert!(array.contains("\"per_chain_pair_iptm\" has NaN where a number belongs"), "{array}");
    // Names and values as JSON may write them, too.
    let escaped = changed("af3", "made_summary_confidences.json", &|bytes| {
        let text = String::from_utf8_lossy(bytes).replacen("0.71,", "7.5,", 1);
        text.replace("chain_pair_iptm", "chain\\u005fpair_iptm").into_bytes()
    });
    assert!(escaped.contains("the predictor's ipTM of chains A and B is 7.5"), "{escaped}");
    // That of the whole stands for none.
    assert_eq!(of(Value::Null), ([Some(0.7); 3], String::new()));
}

#[test]
fn a_matrix_of_errors_that_are_too_small_is_refused() {
    let with = |values: &[f32]| changed("boltz", "pae_made_model_0.npz", &|_| npz("pae", &[61, 61], values));
    let zeros = with(&[0.0; 61 * 61]);
    assert!(zeros.contains("pae_made_model_0.npz: all its predicted aligned errors are 0 Å"), "{zeros}");
    assert_eq!(zeros.lines().count(), 1, "{zeros}");
    let mut scaled: Vec<f32> = (0..61 * 61).map(|at| (at % 32) as f32 / 31.0).collect();
    let messages = with(&scaled);
    let says = "pae_made_model_0.npz: its largest predicted aligned error is 1 Å, and predictors write larger ones: the matrix is scaled";
    assert!(messages.contains(says) && messages.lines().count() == 1, "{messages}");
    let percent = with(&scaled.iter().map(|value| 100.0 * value).collect::<Vec<_>>());
    assert!(
        percent.contains("its largest predicted aligned error is 100 Å, and predictors write none above 32 Å"),
        "{percent}"
    );
    scaled[7] = 4.5;
    assert_eq!(with(&scaled), "");
}

/// The first form of AlphaFold's database has the residues of each error, in any order.
#[test]
fn a_list_of_pairs_is_placed_by_its_residues() {
    const FILE: &str = "AF-X0X0X0-F1-predicted_aligned_error_v4.json";
    let whole = read_changed("afdb", "", &<[u8]>::to_vec).pae;
    let size = whole.size();
    let list = |pairs: &[(usize, usize)]| {
        let of = |value: &dyn Fn(&(usize, usize)) -> Value| pairs.iter().map(value).collect::<Value>();
        json!([{
            "residue1": of(&|(i, _)| (i + 1).into()),
            "residue2": of(&|(_, j)| (j + 1).into()),
            "distance": of(&|(i, j)| whole.at(*i, *j).into()),
            "max_predicted_aligned_error": 31.75
        }])
    };
    let rows: Vec<(usize, usize)> = (0..size).flat_map(|i| (0..size).map(move |j| (i, j))).collect();
    let columns = rows.iter().map(|(i, j)| (*j, *i)).collect();
    let mixed = (0..rows.len()).map(|at| rows[at * 101 % rows.len()]).collect();
    assert_ne!(rows.len() % 101, 0, "each pair once");
    for pairs in [rows.clone(), columns, mixed] {
        let text = list(&pairs).to_string();
        assert_eq!(read_changed("afdb", FILE, &|_| text.clone().into_bytes()).pae, whole);
    }
    let messages = |change: &dyn Fn(&mut Value)| {
        let mut json = list(&rows);
        change(&mut json[0]);
        changed("afdb", FILE, &|_| json.to_string().into_bytes())
    };
    for (change, says) in [
        (
            (&|json: &mut Value| json["residue2"][1] = 1.into()) as &dyn Fn(&mut Value),
            "has the error of residues 1 and 1 twice",
        ),
        (&|json| json["residue1"][0] = 99.into(), "has an error of residues 99 and 1, and 784 errors: it is damaged"),
        (&|json| json["residue1"][0] = 0.into(), "has an error of residues 0 and 1"),
        (
            &|json| {
                ["residue1", "residue2", "distance"]
                    .iter()
                    .for_each(|name| drop(json[*name].as_array_mut().unwrap().pop()))
            },
            "783 errors are no square matrix",
        ),
        (
            &|json| drop(json.as_object_mut().unwrap().remove("residue1")),
            "has 0 values of residue1, 784 of residue2, and 784",
        ),
    ] {
        let messages = messages(change);
        assert!(messages.contains(says), "{says}: {messages}");
    }
}

#[test]
fn a_second_block_of_a_model_is_named() {
    let twice = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        format!("{text}\n{}", text.replacen("data_", "data_other_", 1)).into_bytes()
    };
    let read = read_changed("af3", "made_model.cif", &twice);
    let says = "its file has several models or data blocks, and the first one is read";
    assert!(read.warnings.len() == 1 && read.warnings[0].contains(says), "{:?}", read.warnings);
    let without = |bytes: &[u8]| [bytes, b"\ndata_other\n_entry.id other\n"].concat();
    assert!(read_changed("af3", "made_model.cif", &without).warnings.is_empty(), "no atoms there");
}

#[test]
fn coordinates_that_no_molecule_has_are_refused() {
    for (value, says) in [
        ("1e39", "is out of range: farther than 1,000,000 Å"),
        ("-2000000.0", "is out of range"),
        ("x", "is not a number"),
    ] {
        let messages = changed("af3", "made_model.cif", &|bytes| {
            let text = String::from_utf8_lossy(bytes);
            let line = text.lines().find(|line| line.starts_with("ATOM")).unwrap();
            let mut items: Vec<&str> = line.split_whitespace().collect();
            items[10] = value;
            text.replacen(line, &items.join(" "), 1).into_bytes()
        });
        assert!(messages.contains(says) && messages.contains("_atom_site.Cartn_x"), "{value}: {messages}");
    }
}
