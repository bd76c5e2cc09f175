//! Files that break their format in ways that once gave wrong results silently.

use crate::read_common::*;
use prism_read::{Models, NoteKind, ReadOptions, read_structures};

fn atom(name: &str, residue: &str, id: &str, x: f64) -> String {
    format!("{:<76}{:>2}  \n", atom_line(name, ' ', residue, id, x).trim_end(), &name.trim()[..1])
}

/// Six atoms in three residues.
fn plain() -> Vec<String> {
    [("GLY", 1, 0.0), ("ALA", 2, 3.0), ("TRP", 3, 7.0)]
        .iter()
        .flat_map(|(residue, number, x)| {
            let id = format!("A{number:4} ");
            [atom(" N  ", residue, &id, *x), atom(" CA ", residue, &id, x + 2.0)]
        })
        .collect()
}

const PLAIN: [&str; 3] = ["A 1 GLY 2", "A 2 ALA 2", "A 3 TRP 2"];

fn cif(rows: &[&str]) -> String {
    let items = "group_PDB id type_symbol label_atom_id label_alt_id label_comp_id label_asym_id label_seq_id Cartn_x Cartn_y \
                 Cartn_z B_iso_or_equiv pdbx_PDB_model_num auth_seq_id auth_asym_id";
    let tags: String = items.split_whitespace().map(|item| format!("_atom_site.{item}\n")).collect();
    format!("data_x\nloop_\n{tags}{}\n#\n", rows.join("\n"))
}

fn ca(id: u32, residue: &str, number: u32, x: f64, model: u32) -> String {
    format!("ATOM {id} C CA . {residue} A {number} {x:.3} 0.000 0.000 10.00 {model} {number} A")
}

fn cas(rows: &[(&str, u32, f64, u32)]) -> String {
    let rows: Vec<_> =
        rows.iter().zip(1..).map(|(&(name, number, x, model), id)| ca(id, name, number, x, model)).collect();
    cif(&rows.iter().map(String::as_str).collect::<Vec<_>>())
}

/// PyMOL writes the author's numbers as `label_seq_id`, also of ions.
#[test]
fn calcium_is_no_alpha_carbon() {
    let ion = "HETATM 9 CA CA . CA B 993 30.000 0.000 0.000 10.00 1 993 A";
    let (first, second) = (ca(1, "GLY", 1, 0.0, 1), ca(2, "TRP", 2, 3.8, 1));
    assert_eq!(rows(&structure(cif(&[&first, &second, ion]))), ["A 1 GLY 1", "A 2 TRP 1"]);
    // An unknown residue of the sequence, of an alpha carbon alone, has its row; so does one with a number where not everything has one.
    let residue = ion.replacen("CA CA . CA", "C CA . XYZ", 1);
    let water = ion.replacen("CA CA . CA B 993", "O O . HOH C .", 1);
    assert_eq!(rows(&structure(cif(&[&first, &second, &residue, &water])))[2..], ["A 993 XYZ 1"]);
}

/// Biotite, OpenMM and MDTraj write the author's number as `label_seq_id` of ligands and water, too, and no types of entities.
#[test]
fn a_number_that_everything_has_makes_no_ligand_a_residue() {
    let (first, second) = (ca(1, "GLY", 1, 0.0, 1), ca(2, "TRP", 2, 3.8, 1));
    let ligand = [("C C1", 20), ("C CA", 21), ("O O1", 22)]
        .map(|(atom, x)| format!("HETATM 9 {atom} . 3TL A 200 {x}.000 9.000 0.000 10.00 1 200 A"));
    let water = "HETATM 12 O O . HOH A 206 40.000 0.000 0.000 10.00 1 206 A";
    let table = cif(&[&first, &second, &ligand[0], &ligand[1], &ligand[2], water]);
    assert_eq!(rows(&structure(&table)), ["A 1 GLY 1", "A 2 TRP 1"]);
    // Where water has no number, one means something.
    assert_eq!(rows(&structure(table.replacen("HOH A 206", "HOH A .", 1)))[2..], ["A 200 3TL 3"]);
}

#[test]
fn line_ends_of_carriage_returns() {
    let text = plain().concat();
    assert_eq!(rows(&structure(text.replace('\n', "\r") + "END\r")), PLAIN);
    let text = cas(&[("GLY", 1, 0.0, 1), ("TRP", 2, 3.8, 1)]);
    assert_same(&structure(text.replace('\n', "\r")), &structure(&text));
    assert_same(&structure(format!("# by an old program\n{text}").replace('\n', "\r")), &structure(&text));
}

/// A carriage return is no column, also where models are told from parts of one.
#[test]
fn a_carriage_return_ends_a_record_that_is_cut() {
    let cut = |number: u32| atom(" CA ", "GLY", &format!("A{number:4} "), 1.0)[..53].to_owned() + "\n";
    let text = format!("{}END\n{}{}{}END\n", plain().concat(), plain()[0], cut(8), cut(9));
    for text in [text.replace('\n', "\r\n"), text] {
        assert_eq!(rows(&structure(text)), PLAIN);
    }
}

/// Programs that append to a file, or change some of its lines, leave two kinds of line ends.
#[test]
fn some_lines_may_end_with_carriage_returns() {
    let lines = plain();
    for others in 0..1 << lines.len() {
        let end = |at: usize| ["\r", "\n", "\r\n"][(others >> at & 1) + usize::from(others >> at & 3 == 3)];
        let text: String = lines.iter().enumerate().map(|(at, line)| line.trim_end().to_owned() + end(at)).collect();
        assert_eq!(rows(&structure(text)), PLAIN, "{others:b}");
    }
    let text = cas(&[("GLY", 1, 0.0, 1), ("TRP", 2, 3.8, 1)]);
    let half = text.find("\nATOM").unwrap();
    for (head, tail) in [("\n", "\r"), ("\r", "\n"), ("\r", "\r\n")] {
        let mixed = text[..half].replace('\n', head) + &text[half..].replace('\n', tail);
        assert_same(&structure(mixed), &structure(&text));
    }
}

/// Programs that drop insertion codes give neighbours one number, and perhaps one name.
#[test]
fn neighbours_with_one_number_are_two_residues() {
    let backbone = [("N", 0.0), ("CA", 1.46), ("C", 2.98), ("O", 3.5), ("CB", 2.5)];
    let residue = |number: u32, begin: f64| backbone.map(|(name, x)| (name, number, begin + x));
    let at = |begins: &[f64]| {
        let numbers = [81, 82, 82, 83].into_iter().zip(begins).flat_map(|(number, begin)| residue(number, *begin));
        let atoms: Vec<_> = numbers.collect();
        let pdb: String = atoms
            .iter()
            .map(|(name, number, x)| atom(&format!(" {name:<3}"), "SER", &format!("A{number:4} "), *x))
            .collect();
        let row = |(id, (name, number, x)): (usize, &(&str, u32, f64))| {
            format!("ATOM {id} {} {name} . SER A . {x:.3} 0.000 0.000 10.00 1 {number} A", &name[..1])
        };
        [
            pdb,
            cif(&atoms.iter().enumerate().map(row).collect::<Vec<_>>().iter().map(String::as_str).collect::<Vec<_>>()),
        ]
    };
    for text in at(&[0.0, 4.31, 8.62, 12.93]) {
        assert_eq!(rows(&structure(text)), ["A 81 SER 5", "A 82 SER 5", "A 82 SER 5", "A 83 SER 5"]);
    }
    // The same atoms again, nearly at the same places, are another conformation.
    for text in at(&[0.0, 4.31, 4.6, 8.62]) {
        assert_eq!(rows(&read(&text).structure), ["A 81 SER 5", "A 82 SER 5", "A 83 SER 5"]);
    }
    // Alpha carbons alone.
    let alone =
        |x: f64| [(82, 0.0), (82, x)].map(|(number, x)| atom(" CA ", "SER", &format!("A{number:4} "), x)).concat();
    assert_eq!(rows(&structure(alone(3.8))).len(), 2);
    assert_eq!(rows(&read(alone(0.8)).structure).len(), 1);
}

#[test]
fn a_line_of_many_records_is_refused() {
    let text = plain().concat();
    refused(&text.replace('\n', ""), "line 1");
    refused(&text.replace('\n', ""), "has lost its line ends");
}

#[test]
fn a_lost_line_end_loses_no_atom() {
    let mut lines = plain();
    lines[3] = lines[3].trim_end_matches('\n').to_owned();
    let text = lines.concat();
    let read = read(&text);
    assert_eq!(rows(&read.structure), PLAIN);
    assert_eq!(read.notes[0].kind, NoteKind::Repaired);
    // The second record is damaged, in each of the formats.
    refused(&text.replacen("   7.000", "   7.0.0", 1), "line 4");
}

#[track_caller]
fn refused(text: &str, words: &str) {
    let message = refusal(text);
    assert!(message.contains(words), "{message:?} does not say {words:?}");
}

#[test]
fn residue_numbers_of_five_columns() {
    let id = |number: u32| if number < 10_000 { format!("A{number:4} ") } else { format!("A{number:5}") };
    let numbers = [9999, 10_000, 10_001, 10_010, 10_011];
    let text: String = numbers.iter().map(|&n| atom(" CA ", "GLY", &id(n), f64::from(n % 100))).collect();
    assert_eq!(structure(text).residue_numbers, [9999, 10_000, 10_001, 10_010, 10_011]);
    // An insertion code that is a digit is kept after a number that leaves room for it.
    let text = [atom(" CA ", "GLY", "A 1001", 0.0), atom(" CA ", "GLY", "A 100 ", 4.0)].concat();
    assert_eq!(rows(&structure(text)), ["A 1001 GLY 1", "A 100 GLY 1"]);
    // A sign in place of the chain id: the chain is unknown.
    refused(&[atom(" CA ", "GLY", "A   1 ", 0.0), atom(" CA ", "GLY", "-1000 ", 4.0)].concat(), "the chain is lost");
    let text = [atom(" CA ", "GLY", "- 999 ", 0.0), atom(" CA ", "GLY", "-1000 ", 4.0)].concat();
    assert_eq!(rows(&structure(text)), ["- 999 GLY 1", "- 1000 GLY 1"]);
}

#[test]
fn chain_ids_of_two_columns() {
    let line = |chain: &str, number: u32, x: f64| {
        let mut line = atom(" CA ", "GLY", &format!("x{number:4} "), x);
        line.replace_range(20..22, chain);
        line
    };
    let text = [line("AA", 1, 0.0), line("AA", 2, 4.0), line("BA", 1, 8.0), line("BA", 2, 12.0)].concat();
    assert_eq!(rows(&structure(text)), ["AA 1 GLY 1", "AA 2 GLY 1", "BA 1 GLY 1", "BA 2 GLY 1"]);
    // The fourth letter of a force field's residue name is not part of a chain id.
    let mut histidine = line(" A", 2, 4.0);
    histidine.replace_range(17..22, "HISDA");
    let text = [line(" A", 1, 0.0), histidine, line(" A", 3, 8.0)].concat();
    assert_eq!(rows(&structure(text)), ["A 1 GLY 1", "A 2 HISD 1", "A 3 GLY 1"]);
    // Nor at the beginning of a file, unless its chain ids have two letters.
    let first = |name: &str| {
        let mut first = line(" A", 1, 0.0);
        first.replace_range(17..22, name);
        first
    };
    for name in ["HISDA", "GLYMA", "NALAA", "GLUPA"] {
        let text = [first(name), line(" A", 2, 4.0)].concat();
        assert_eq!(rows(&structure(text)), [format!("A 1 {} 1", &name[..4]), "A 2 GLY 1".to_owned()]);
    }
    let text = [first("HISDA"), line("DB", 2, 4.0)].concat();
    assert_eq!(rows(&structure(text)), ["DA 1 HIS 1", "DB 2 GLY 1"]);
}

#[test]
fn record_names_that_are_none() {
    let mut lines = plain();
    lines[4] = lines[4].replace("ATOM  ", "atom  ");
    let read_lower = read(lines.concat());
    assert_eq!(rows(&read_lower.structure), PLAIN);
    assert_eq!(read_lower.notes[0].kind, NoteKind::Repaired);
    lines[3] = lines[3].replace("ATOM  ", "ATON  ");
    refused(&lines.concat(), "line 4: record name (columns 1-6) \"ATON\" is not a record name");
    // Records with numbers in the same columns.
    let lines = plain();
    structure(
        [&lines[..2].concat(), &lines[0].replace("ATOM  ", "SIGATM"), &lines[2..].concat()]
            .map(|s| s.as_str())
            .concat(),
    );
}

#[test]
fn residue_names_in_lower_case() {
    let s = structure(plain().concat().replace("ALA", "Ala"));
    assert_eq!((rows(&s), s.parent(1)), (vec!["A 1 GLY 2".into(), "A 2 Ala 2".into(), "A 3 TRP 2".into()], "ALA"));
}

#[test]
fn unknown_names_are_not_those_of_the_residue_before() {
    let s = structure(cas(&[
        ("GLY", 1, 0.0, 1),
        ("TRP", 2, 3.8, 1),
        ("?", 3, 7.6, 1),
        (".", 4, 11.4, 1),
        ("''", 5, 15.2, 1),
    ]));
    assert_eq!((0..5).map(|row| s.parent(row)).collect::<Vec<_>>(), ["GLY", "TRP", "", "", ""]);
    let s = structure(cas(&[("?", 1, 0.0, 1), ("GLY", 2, 3.8, 1)]));
    assert_eq!((s.parent(0), s.parent(1)), ("", "GLY"));
    let s = structure(plain().concat().replace("ALA", "\0\0\0"));
    assert_eq!((0..3).map(|row| s.parent(row)).collect::<Vec<_>>(), ["GLY", "", "TRP"]);
    // They are ignored if only standard residues are read.
    let text = cas(&[("GLY", 1, 0.0, 1), ("?", 2, 3.8, 1)]);
    let s = prism_read::read_bytes(text.as_bytes(), "x", &ReadOptions::standard()).unwrap().structure;
    assert_eq!(rows(&s), ["A 1 GLY 1"]);
}

#[test]
fn an_unknown_group_is_no_reason_to_lose_a_residue() {
    let row = ca(2, "TRP", 2, 3.8, 1).replace("ATOM", "?");
    let text = cif(&[&ca(1, "GLY", 1, 0.0, 1), &row, &ca(3, "ALA", 3, 7.6, 1)]);
    assert_eq!(rows(&structure(text)), ["A 1 GLY 1", "A 2 TRP 1", "A 3 ALA 1"]);
}

fn all_models(text: &str) -> Vec<(String, Vec<String>)> {
    let options = ReadOptions { models: Models::All, ..ReadOptions::default() };
    let all = read_structures(text.as_bytes(), "x", &options).into_iter().map(Result::unwrap);
    all.map(|read| (read.structure.name.clone(), rows(&read.structure))).collect()
}

#[test]
fn models_that_take_turns_lose_nothing() {
    let text = cas(&[("GLY", 1, 0.0, 1), ("GLY", 1, 0.5, 2), ("TRP", 2, 3.8, 1), ("TRP", 2, 4.1, 2)]);
    let both = ["A 1 GLY 1".to_owned(), "A 2 TRP 1".to_owned()];
    let first = read(&text);
    assert_eq!(rows(&first.structure), both);
    assert_eq!(first.notes[0].text, "the first of 2 models is read");
    assert_eq!(all_models(&text), [("x#1".to_owned(), both.to_vec()), ("x#2".to_owned(), both.to_vec())]);
}

#[test]
fn a_model_that_is_missing_is_answered_by_those_that_are_there() {
    let options = ReadOptions { models: Models::Number(1), ..ReadOptions::default() };
    let message = |text: &str| read_structures(text.as_bytes(), "x", &options).remove(0).unwrap_err().to_string();
    let text = cas(&[("GLY", 1, 0.0, 7), ("GLY", 1, 0.5, 3), ("GLY", 1, 1.0, 4), ("GLY", 1, 1.5, 5)]);
    assert_eq!(message(&text), "x: no model 1; the file has models 3 to 5, 7");
    let model = |number: u32| format!("MODEL {number:8}\n{}ENDMDL\n", atom(" CA ", "GLY", "A   1 ", 0.0));
    assert_eq!(message(&format!("{}{}END\n", model(2), model(30))), "x: no model 1; the file has models 2, 30");
    assert_eq!(message(&model(2)), "x: no model 1; the file has model 2");
    // A file without MODEL records has model 1 alone.
    let options = ReadOptions { models: Models::Number(5), ..ReadOptions::default() };
    let missing = read_structures(plain().concat().as_bytes(), "x", &options).remove(0).unwrap_err();
    assert_eq!(missing.to_string(), "x: no model 5; the file has model 1");
}

#[test]
fn frames_are_models() {
    let frame = |shift: f64| {
        let at = |i: u32| f64::from(i) * 3.8 + shift;
        (1..=5).map(|i| atom(" CA ", "GLY", &format!("A{i:4} "), at(i))).collect::<String>()
    };
    let one: Vec<_> = (1..=5).map(|i| format!("A {i} GLY 1")).collect();
    // Separated by END, or by nothing.
    for between in ["END\n", ""] {
        let text = [frame(0.0), frame(0.3), frame(0.5)].join(between);
        let first = read(&text);
        assert_eq!(rows(&first.structure), one, "{between:?}");
        assert_eq!(first.notes[0].text, "the first of 3 models is read");
        let names: Vec<_> = all_models(&text).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["x#1", "x#2", "x#3"]);
        let options = ReadOptions { models: Models::Number(2), ..ReadOptions::default() };
        let second = read_structures(text.as_bytes(), "x", &options).remove(0).unwrap();
        assert_eq!((second.structure.name.as_str(), second.structure.n_residues()), ("x", 5));
        let options = ReadOptions { models: Models::Number(4), ..ReadOptions::default() };
        let missing = read_structures(text.as_bytes(), "x", &options).remove(0).unwrap_err();
        assert_eq!(missing.to_string(), "x: no model 4; the file has models 1 to 3");
    }
    // A copy beside the first is another molecule, not another frame.
    let dimer = structure([frame(0.0), frame(40.0)].concat());
    assert_eq!(dimer.n_residues(), 10);
    // Two concatenated files of different molecules.
    let other = atom(" CA ", "LEU", "A   1 ", 30.0);
    let text = format!("{}END\n{other}END\n", plain().concat());
    assert_eq!(rows(&structure(text)), [&PLAIN[..], &["A~2 1 LEU 1"]].concat());
}

#[test]
fn predictions_without_a_header() {
    let residue = |number: u32, b: f64| {
        [" N  ", " CA ", " C  ", " O  "].map(|name| {
            let line = atom(name, "GLY", &format!("A{number:4} "), f64::from(number) * 3.8);
            format!("{}{b:6.2}{}", &line[..60], &line[66..])
        })
    };
    let text = [residue(1, 91.5), residue(2, 88.25), residue(3, 40.0)].concat().concat();
    let predicted = read(&text);
    assert!(predicted.structure.predicted);
    assert_eq!(predicted.structure.b_column, [91.5, 88.25, 40.0]);
    assert!(predicted.structure.bfactor.iter().all(|b| b.is_nan()));
    assert_eq!(predicted.notes[0].kind, NoteKind::Confidence);
    let b_factors = |text: String| {
        let s = structure(text);
        assert!(!s.predicted);
        s.bfactor.clone()
    };
    // Signs of an experiment, two values in one residue, equal values everywhere, and a value above 100.
    assert_eq!(b_factors(format!("EXPDTA    X-RAY DIFFRACTION\n{text}")), [91.5, 88.25, 40.0]);
    assert_eq!(b_factors(text.replacen(" 40.00", " 41.00", 1)).len(), 3);
    assert_eq!(b_factors(text.replace(" 91.50", " 40.00").replace(" 88.25", " 40.00")), [40.0; 3]);
    assert_eq!(b_factors(text.replace(" 91.50", "191.50")), [191.5, 88.25, 40.0]);
}

/// A deposit names the predictor of the model that its refinement began with.
#[test]
fn an_experiment_that_names_a_predictor_is_no_prediction() {
    let atoms = plain().concat();
    let remark = "REMARK 200 STARTING MODEL: ALPHAFOLD\n";
    let title = "TITLE     CRYSTAL STRUCTURE OF A DESIGN OF ALPHAFOLD\n";
    let entry = format!("HEADER    HYDROLASE{:31}01-JAN-22   7ABC              \n", "");
    let cell = "CRYST1   60.000   60.000   60.000  90.00  90.00  90.00 P 1           1\n";
    let xray = "EXPDTA    X-RAY DIFFRACTION\n";
    let kinds = |header: &str| {
        let read = read(format!("{header}{atoms}"));
        let has = |kind| read.notes.iter().any(|note| note.kind == kind);
        (read.structure.predicted, has(NoteKind::Confidence), has(NoteKind::Contradiction))
    };
    let (prediction, experiment) = ((true, true, false), (false, false, true));
    for (header, expected) in [
        (remark.to_owned(), prediction),
        (title.to_owned(), prediction),
        (format!("{title}EXPDTA    THEORETICAL MODEL\n"), prediction),
        (format!("{title}{cell}"), prediction),
        (format!("{xray}{remark}"), experiment),
        (format!("{title}{xray}"), experiment),
        (format!("{entry}{remark}"), experiment),
        (format!("{remark}{cell}"), experiment),
        (format!("REMARK   3 REFINEMENT.\n{remark}"), experiment),
        (format!("{xray}{cell}"), (false, false, false)),
    ] {
        assert_eq!(kinds(&header), expected, "{header}");
    }
}

#[test]
fn records_that_would_not_be_used_may_be_damaged() {
    let dummy = atom(" O  ", "DUM", "A 900 ", 1.0).replace("ATOM  ", "HETATM").replace("   1.000", "********");
    let ignored = read(plain().concat() + &dummy);
    assert_eq!(rows(&ignored.structure), PLAIN);
    assert_eq!(ignored.notes[0].kind, NoteKind::IgnoredRecords);
    refused(&(plain().concat() + &dummy.replace("HETATM", "ATOM  ").replace("DUM", "LEU")), "line 7");
    refused(&(plain().concat() + &dummy.replace("DUM", "MSE")), "line 7");
}

#[test]
fn tables_that_are_cut_between_rows() {
    // Files of the wwPDB have a `#` after each table.
    let whole = cas(&[("GLY", 1, 0.0, 1), ("TRP", 2, 3.8, 1)]).replacen('\n', "\n#\n", 1);
    let cut = whole.strip_suffix("#\n").unwrap();
    assert_eq!(read(cut).notes[0].kind, NoteKind::MaybeCut);
    assert!(read(&whole).notes.iter().all(|note| note.kind != NoteKind::MaybeCut));
}

#[test]
fn tags_that_stand_twice() {
    let text = cas(&[("GLY", 1, 0.0, 1)]).replace("_atom_site.B_iso_or_equiv", "_atom_site.cartn_X");
    refused(&text, "the _atom_site table has _atom_site.cartn_X twice");
}

#[test]
fn b_factors_that_cannot_be() {
    for huge in ["3e19", "1e38", "1e300", "-2e6"] {
        let text = cas(&[("GLY", 1, 0.0, 1), ("TRP", 2, 3.8, 1)]).replacen(" 10.00 1 2", &format!(" {huge} 1 2"), 1);
        let read = read(text);
        assert_eq!(read.structure.bfactor[0], 10.0);
        assert!(read.structure.bfactor[1].is_nan(), "{huge}");
        assert_eq!(read.notes[0].kind, NoteKind::BFactors);
    }
}

/// Atoms of a residue that lie apart in a file make two rows, with a note.
#[test]
fn residues_whose_atoms_lie_apart_are_reported() {
    let (even, odd): (Vec<_>, Vec<_>) = plain().into_iter().enumerate().partition(|(index, _)| index % 2 == 0);
    let apart: String = even.into_iter().chain(odd).map(|(_, line)| line).collect();
    let split = read(apart);
    assert_eq!(split.structure.n_residues(), 6);
    let kinds = |notes: &[prism_read::Note]| notes.iter().map(|note| note.kind).collect::<Vec<_>>();
    let note = split.notes.iter().find(|note| note.kind == NoteKind::RepeatedIdentity).unwrap();
    assert!(note.text.starts_with("3 rows have") && note.text.contains("atoms lie apart in the file"), "{note}");
    // Another residue with the same number.
    let other = read([plain().concat(), atom(" CA ", "LEU", "A   2 ", 20.0)].concat());
    let note = other.notes.iter().find(|note| note.kind == NoteKind::RepeatedIdentity).unwrap();
    assert_eq!(note.text, "1 row has the chain, number and insertion code of another residue before it");
    assert!(!kinds(&read(plain().concat()).notes).contains(&NoteKind::RepeatedIdentity));
}

/// Programs that build missing side chains put these at the end of the file.
#[test]
fn a_side_chain_at_the_end_is_of_its_residue() {
    let is_moved = |line: &&str| {
        let name = line[12..16].trim();
        matches!(line[22..26].trim(), "1" | "16" | "30") && !matches!(name, "N" | "CA" | "C" | "O")
    };
    let plain = ubiquitin_atoms(602);
    let (moved, others): (Vec<&str>, Vec<&str>) = plain.lines().partition(is_moved);
    let text = [others, moved].concat().join("\n") + "\n";
    let (read, plain) = (read(&text), structure(&plain));
    let s = &read.structure;
    assert_eq!((&s.chains, s.n_residues(), s.n_atoms()), (&plain.chains, 76, 602));
    assert_eq!((&s.residue_atoms, &s.ca_indices, &s.roles), (&plain.residue_atoms, &plain.ca_indices, &plain.roles));
    assert_eq!(rows(s), rows(&plain));
    assert_eq!(s.atoms, plain.atoms, "O stands before CB in both");
    assert!(read.notes.iter().any(|note| note.kind == NoteKind::Repaired), "{:?}", read.notes);
}

/// CNS writes alternatives behind all others, with a segment id of their own.
#[test]
fn alternatives_at_the_end_are_no_molecule() {
    let plain = ubiquitin_atoms(602);
    let is_alternative =
        |line: &&str| line[22..26].trim() == "16" && matches!(line[12..16].trim(), "CG" | "CD" | "OE1" | "OE2");
    let alternative = |line: &str| {
        let x: f64 = line[30..38].trim().parse().unwrap();
        format!("{}{:8.3}{}{:<4}{}\n", &line[..30], x + 0.7, &line[38..72], "AC2", &line[76..])
    };
    let text: String = plain.clone() + &plain.lines().filter(is_alternative).map(alternative).collect::<String>();
    let read = read(&text);
    assert_same(&read.structure, &structure(&plain));
    assert!(read.notes.iter().any(|note| note.kind == NoteKind::Alternates), "{:?}", read.notes);
}

#[test]
fn each_data_block_is_a_structure() {
    let block = |name: &str, residue: &str| cas(&[(residue, 1, 0.0, 1)]).replace("data_x", &format!("data_{name}"));
    let text = format!("{}data_empty\n_a.b c\n{}", block("one", "GLY"), block("two", "TRP"));
    let both = all_models(&text);
    assert_eq!(both, [("x#one".into(), vec!["A 1 GLY 1".into()]), ("x#two".into(), vec!["A 1 TRP 1".into()])]);
    // A damaged block fails by itself.
    let text = text.replacen("3.800", "x", 1).replacen("0.000 0.000 0.000", "0.000 nan 0.000", 1);
    let read: Vec<_> = read_structures(text.as_bytes(), "x", &ReadOptions::default());
    assert_eq!(read[0].as_ref().unwrap_err().to_string(), "x#one: line 18: _atom_site.Cartn_y \"nan\" is not a number");
    assert_eq!(rows(&read[1].as_ref().unwrap().structure), ["A 1 TRP 1"]);
}

/// Neither names nor structures are merged.
#[test]
fn equal_names_of_blocks_and_models_are_told_apart() {
    let block = |residue: &str| cas(&[(residue, 1, 0.0, 1)]);
    let named = |all: Vec<(String, Vec<String>)>| all.into_iter().map(|(name, rows)| format!("{name}: {}", rows[0]));
    let blocks = all_models(&format!("{}{}{}", block("GLY"), block("TRP"), block("ALA")));
    assert!(named(blocks).eq(["x#x: A 1 GLY 1", "x#x#2: A 1 TRP 1", "x#x#3: A 1 ALA 1"]));
    let model = |x: f64| format!("MODEL        1\n{}ENDMDL\n", atom(" CA ", "GLY", "A   1 ", x));
    let models = all_models(&format!("{}{}END\n", model(1.0), model(2.0)));
    assert!(named(models).eq(["x#1: A 1 GLY 1", "x#1#2: A 1 GLY 1"]));
}

#[test]
fn nucleic_acid_alone_is_no_damaged_file() {
    let message = refusal(atom(" P  ", " DA", "A   1 ", 0.0));
    assert_eq!(message, "x: no protein: nucleic acid alone, which has no rows");
}

/// All rows on one line. A time that grows with the square would keep this test from ending.
#[test]
fn many_rows_on_one_line_are_read() {
    let rows: Vec<_> = (1..20_000).map(|i| ca(i, "GLY", i, f64::from(i), 1)).collect();
    let text = cif(&[&rows.join(" ")]);
    assert_eq!(read(text).structure.n_residues(), 19_999);
}

/// Input that would take quadratic time is refused before that: else this test does not end.
#[test]
fn large_crowds_are_refused() {
    let atoms_at = |at: fn(u32) -> [f64; 3]| {
        let row = |i: u32| {
            let [x, y, z] = at(i);
            format!("ATOM {i} C CA . GLY A {i} {x:.3} {y:.3} {z:.3} 10.00 1 {i} A")
        };
        let rows: Vec<_> = (1..100_000).map(row).collect();
        cif(&rows.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let in_one_point = atoms_at(|_| [1.0, 2.0, 3.0]);
    let on_a_line = atoms_at(|i| [f64::from(i) * 0.01, 0.0, 0.0]);
    let in_two_corners = atoms_at(|i| [f64::from(i % 2) * 1e6; 3]);
    let with_one_far_away =
        atoms_at(|i| if i == 7 { [1e6; 3] } else { [i % 50, i / 50 % 50, i / 2500].map(|k| f64::from(k) * 3.8) });
    for (text, words) in [
        (in_one_point, "times as close together as in any protein"),
        (on_a_line, "times as close together"),
        (in_two_corners, "times as close together"),
        (with_one_far_away, "leave out atoms that are far from the rest"),
    ] {
        let error = prism_read::read_bytes(text.as_bytes(), "x", &ReadOptions::default()).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
}

/// Many chains, and many to select.
#[test]
fn many_chains_are_told_apart() {
    let n = 60_000_u32;
    let row = |i: u32| {
        let [x, y, z] = [i % 40, i / 40 % 40, i / 1600].map(|k| f64::from(k) * 3.8);
        format!("ATOM {i} C CA . GLY C{i} 1 {x:.3} {y:.3} {z:.3} 10.00 1 1 C{i}")
    };
    let rows: Vec<_> = (0..n).map(row).collect();
    let text = cif(&rows.iter().map(String::as_str).collect::<Vec<_>>());
    let chains = Some((0..n).map(|i| format!("C{i}")).collect());
    let read = prism_read::read_bytes(text.as_bytes(), "x", &ReadOptions { chains, ..ReadOptions::default() }).unwrap();
    assert_eq!(read.structure.chains.len(), n as usize);
}
