//! Tokens in another order than the residues of the model, and which of a file's members say so.

use crate::broken_predictions::{changed, read_changed};
use prism_host::confidence::{Cutoffs, Prediction};
use serde_json::Value;

/// All numbers of pairs but the predictor's own.
fn numbers(prediction: &Prediction) -> Vec<Vec<u32>> {
    let scores = prediction.scores(Cutoffs::default());
    scores.pairs.iter().map(|pair| pair.numbers[3..].iter().map(|number| number.to_bits()).collect()).collect()
}

/// Puts the rows, and columns, of members in another order.
fn reorder(json: &mut Value, order: &[usize], lists: &[&str], matrices: &[&str]) {
    let of = |list: &Value| -> Value { order.iter().map(|&at| list[at].clone()).collect() };
    for name in lists {
        json[name] = of(&json[name]);
    }
    for name in matrices {
        json[name] = of(&json[name]).as_array().unwrap().iter().map(of).collect();
    }
}

/// A file with its JSON changed.
fn with(change: impl Fn(&mut Value)) -> impl Fn(&[u8]) -> Vec<u8> {
    move |bytes| {
        let mut json: Value = serde_json::from_slice(bytes).unwrap();
        change(&mut json);
        serde_json::to_vec(&json).unwrap()
    }
}

/// Protenix's file without the names of tokens, and without confidences of atoms, which would be in another order, too.
fn without_names(json: &mut Value) {
    ["token_chain_ids", "token_res_ids", "atom_plddt"]
        .iter()
        .for_each(|name| drop(json.as_object_mut().unwrap().remove(*name)));
}

const PROTENIX: [&str; 2] = ["protenix", "made_full_data_sample_0.json"];

#[test]
fn indices_of_chains_give_the_order_of_tokens() {
    let [layout, file] = PROTENIX;
    let whole = read_changed(layout, "", &<[u8]>::to_vec);
    let of_a = whole.tokens().filter(|token| token.0 == "A").count();
    let size = whole.n_tokens();
    let in_order: Vec<usize> = (0..size).collect();
    let b_first: Vec<usize> = (of_a..size).chain(0..of_a).collect();
    for order in [in_order, b_first] {
        let read = read_changed(
            layout,
            file,
            &with(|json| {
                json["token_asym_id"] = (0..size).map(|at| usize::from(at >= of_a)).collect();
                without_names(json);
                reorder(json, &order, &["token_asym_id"], &["token_pair_pae"]);
            }),
        );
        let chains: Vec<&str> = read.tokens().map(|token| token.0).collect();
        assert_eq!(chains, order.iter().map(|at| if *at < of_a { "A" } else { "B" }).collect::<Vec<_>>());
        let own = |prediction: &Prediction| prediction.scores(Cutoffs::default()).pairs[0].numbers[3..7].to_vec();
        assert_eq!(own(&read), own(&whole));
    }
    let messages = |indices: &dyn Fn(usize) -> usize| {
        changed(
            layout,
            file,
            &with(|json| {
                without_names(json);
                json["token_asym_id"] = (0..size).map(indices).collect();
            }),
        )
    };
    let few = messages(&|_| 0);
    assert!(few.contains("its tokens are of 1 chain, and the model has 2: A,B"), "{few}");
    let other = messages(&|at| usize::from(at > of_a));
    assert!(other.contains(&format!("{} of chain A", of_a + 1)) && other.contains("different models"), "{other}");
}

#[test]
fn chains_of_atoms_give_the_order_of_tokens_that_name_none() {
    const FILE: &str = "made_confidences.json";
    let whole = read_changed("af3", "", &<[u8]>::to_vec);
    let (a, b) = (34, 56);
    let tokens: Vec<usize> = (a..b).chain(0..a).chain(b..61).collect();
    let b_first = |without: &'static [&'static str]| {
        let tokens = tokens.clone();
        with(move |json: &mut Value| {
            let of = |json: &Value, id: &str| {
                json["atom_chain_ids"].as_array().unwrap().iter().filter(|own| **own == id).count()
            };
            let (of_a, of_b) = (of(json, "A"), of(json, "B"));
            let atoms: Vec<usize> = (of_a..of_a + of_b).chain(0..of_a).chain(of_a + of_b..257).collect();
            reorder(json, &tokens, &["token_chain_ids", "token_res_ids"], &["pae", "contact_probs"]);
            reorder(json, &atoms, &["atom_chain_ids", "atom_plddts"], &[]);
            without.iter().for_each(|name| drop(json.as_object_mut().unwrap().remove(*name)));
        })
    };
    for without in [&[][..], &["token_chain_ids"], &["token_chain_ids", "token_res_ids"]] {
        let read = read_changed("af3", FILE, &b_first(without));
        assert_eq!((numbers(&read), &read.warnings), (numbers(&whole), &whole.warnings), "{without:?}");
    }
    let messages = changed("af3", FILE, &b_first(&["token_chain_ids", "atom_chain_ids", "atom_plddts"]));
    let says = "its token 11 is of residue 11, and that of the model of residue 10";
    assert!(messages.contains(says) && messages.contains("which token_chain_ids would say"), "{messages}");
}
