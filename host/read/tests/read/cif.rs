//! Equivalent ways to write mmCIF must be read the same.

use crate::read_common::*;
use prism_read::{ReadOptions, read_bytes};
use proptest::prelude::*;

#[test]
fn items_in_any_order_and_any_case() {
    let (items, rows) = crambin_loop();
    let plain = structure(CRAMBIN_CIF);
    let reversed = |list: &[&'static str]| list.iter().rev().copied().collect::<Vec<_>>();
    let rows_reversed: Vec<_> = rows.iter().map(|row| reversed(row)).collect();
    assert_same(&structure(cif_of(&reversed(&items), &rows_reversed)), &plain);
    let text = cif_of(&items, &rows);
    for text in [
        text.to_owned(),
        text.replace("_atom_site.", "_ATOM_SITE.").replace("loop_", "LOOP_").replace("data_", "Data_"),
        text.replace("Cartn_x", "CARTN_X").replace("auth_seq_id", "Auth_Seq_ID"),
        text.replace('\n', "\r\n"),
        text.replace('\n', " \t \n\n"),
        text.replace(' ', "\n"),
        text.replace(" THR ", " 'THR' ").replace(" CA ", " \"CA\" "),
        text.replace(" CB ", "\n;CB\n; "),
        text.replace("ATOM ", "# a comment 'with a quote\nATOM "),
        text.replace("\nATOM 9 ", "\n#\nATOM 9 "),
        format!("\u{feff}# \\#CIF_1.1\n\n{text}"),
        format!("{text}#\n_after.the atoms\nloop_\n_x.y\n_x.z\n1 2\n3 4"),
        format!("loop_\n_audit.item\n'_atom_site.Cartn_x'\n\"_atom_site.\"\n;\n_atom_site.id\nloop_\n;\n{text}")
            .replacen("data_X\n", "", 1),
        text.replace("data_X\n", "data_X\nsave_frame\n_atom_site.Cartn_x 1.0\nsave_\n"),
        text.trim_end().to_owned(),
        text.replace(" A CB 1\n", " A CB 1 # beta\n"),
        text.split('\n').enumerate().map(|(i, l)| format!("{l}{}", if i % 2 == 0 { "\n" } else { " " })).collect(),
        text.replace("loop_\n", "_x.y 'it''s'\n_x.z \"a;b\"\nloop_\n"),
        text.replace("loop_\n", "loop_\n_empty.a\n_empty.b\nloop_\n"),
    ] {
        assert_same(&structure(&text), &plain);
    }
}

#[test]
fn author_items_first_then_labels() {
    let (items, rows) = crambin_loop();
    let text = |rename: &dyn Fn(&'static str) -> &'static str| {
        cif_of(&items.iter().map(|&i| rename(i)).collect::<Vec<_>>(), &rows)
    };
    let plain = structure(CRAMBIN_CIF);
    // Crambin's labels equal the author's names.
    for gone in ["auth_asym_id", "auth_seq_id", "label_atom_id", "label_comp_id", "group_PDB"] {
        assert_same(&structure(text(&|i| if i == gone { "other" } else { i })), &plain);
    }
    for (gone, too) in [("auth_asym_id", "label_asym_id"), ("auth_atom_id", "label_atom_id")] {
        let message = refusal(text(&|i| {
            if i == gone {
                "other"
            } else if i == too {
                "other2"
            } else {
                i
            }
        }));
        assert!(message.contains("the _atom_site table has no"), "{message}");
    }
    let mut chains = rows.clone();
    for (item, value) in [("auth_asym_id", "B2"), ("label_asym_id", "AAA"), ("pdbx_PDB_ins_code", "C")] {
        let column = items.iter().position(|&i| i == item).unwrap();
        chains[..7].iter_mut().for_each(|row| row[column] = value);
    }
    let column = items.iter().position(|&i| i == "auth_asym_id").unwrap();
    chains[7..14].iter_mut().for_each(|row| row[column] = "?");
    let s = structure(cif_of(&items, &chains));
    assert_eq!(s.chains, ["B2", "A"]);
    assert_eq!((s.chain_ids[0], s.chain_ids[1]), (0, 1));
    assert_eq!((&*s.insertion_codes[0], &*s.insertion_codes[1]), ("C", ""));
}

#[test]
fn long_ids_differ_past_eight_characters() {
    let (items, mut rows) = crambin_loop();
    let column = items.iter().position(|&i| i == "auth_asym_id").unwrap();
    rows[..3].iter_mut().for_each(|row| row[column] = "chain-number-1");
    rows[3..7].iter_mut().for_each(|row| row[column] = "chain-number-2");
    let s = structure(cif_of(&items, &rows));
    assert_eq!(s.chains, ["chain-number-1", "chain-number-2", "A"]);
    assert_eq!(s.n_residues(), 47);
}

#[test]
fn a_table_of_one_row_without_a_loop() {
    let (items, rows) = crambin_loop();
    let one: String = items.iter().zip(&rows[1]).map(|(item, value)| format!("_atom_site.{item} {value}\n")).collect();
    let text = format!("data_X\n{one}");
    assert_same(&structure(&text), &structure(cif_of(&items, &rows[1..2])));
    assert!(refusal(text.replace("Cartn_y", "Cartn_w")).contains("has no Cartn_y"));
    assert!(refusal(text.replace("12.784", "?")).contains("is not given"));
}

#[test]
fn other_ways_to_write_a_coordinate() {
    let (items, rows) = crambin_loop();
    let x = items.iter().position(|&i| i == "Cartn_x").unwrap();
    let plain = structure(CRAMBIN_CIF);
    for write in [
        |v: f64| format!("{v:.6}"),
        |v: f64| format!("{v:e}"),
        |v: f64| format!("{v}(3)"),
        |v: f64| format!("'{v}'"),
        |v: f64| format!("{v:.20}"),
    ] {
        let values: Vec<String> = rows.iter().map(|row| write(row[x].parse().unwrap())).collect();
        let rows: Vec<Vec<&str>> = rows
            .iter()
            .zip(&values)
            .map(|(row, value)| row.iter().enumerate().map(|(i, v)| if i == x { value } else { *v }).collect())
            .collect();
        assert_same(&structure(cif_of(&items, &rows)), &plain);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_order_of_the_items(order in Just((0..21usize).collect::<Vec<_>>()).prop_shuffle(), wrap in 1..22usize) {
        let (items, rows) = crambin_loop();
        let permuted = |list: &[&'static str]| order.iter().map(|&i| list[i]).collect::<Vec<_>>();
        let text = cif_of(&permuted(&items), &rows.iter().map(|row| permuted(row)).collect::<Vec<_>>());
        let plain = structure(CRAMBIN_CIF);
        assert_same(&structure(&text), &plain);
        // The same words with another number of words per line.
        let begin = text.find("\nATOM").or_else(|| text.rfind("_atom_site.")?.checked_add(0)).unwrap();
        let begin = begin + text[begin..].find('\n').unwrap();
        let words: Vec<_> = text[begin..].split_whitespace().collect();
        let skip = words.iter().take_while(|w| w.starts_with("_atom_site.")).count();
        let tags: String = text[..begin].to_owned() + "\n" + &words[..skip].join("\n");
        let lines: Vec<_> = words[skip..].chunks(wrap).map(|w| w.join(" ")).collect();
        assert_same(&structure(format!("{tags}\n{}\n", lines.join("\n"))), &plain);
    }
}

#[test]
fn residues_of_water_are_water_whatever_residues_before_have_their_atoms() {
    let (items, rows) = crambin_loop();
    // Lines near the end of a text are read word by word.
    let text = |kind: &str| {
        let entities = format!("loop_\n_entity.id\n_entity.type\n1 polymer\n1 {kind}\nloop_\n");
        cif_of(&items, &rows).replacen("loop_\n", &entities, 1) + &format!("#\n{}\n", " ".repeat(300))
    };
    for by_words in [false, true] {
        let options = ReadOptions { by_words, ..ReadOptions::default() };
        let read = |kind: &str| read_bytes(text(kind).as_bytes(), "x", &options);
        assert_eq!(read("polymer").unwrap().structure.n_rows(), 46);
        let refused = read("water").map(|read| read.structure.n_rows()).unwrap_err();
        assert!(refused.to_string().contains("no protein residues"), "{refused}");
    }
}
