//! Which files are about which model: their names decide, letter by letter.

use prism_host::confidence::{PredictionFiles, Predictions};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn data(name: &str) -> PathBuf {
    Path::new("tests/data/predictions").join(name)
}

const AF2: &str = "model_1_multimer_v3_pred_0";
const COLABFOLD: &str = "rank_001_alphafold2_multimer_v3_model_3_seed_000";

/// A folder with copies of made files: what each is made of, and its path.
pub fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (from, to) in files {
        let to = folder.path().join(to);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(data(from), to).unwrap();
    }
    folder
}

/// The files of a design in AlphaFold 3's layout.
fn af3(name: &str) -> [(&'static str, String); 3] {
    [
        ("af3/made_model.cif", format!("{name}_model.cif")),
        ("af3/made_confidences.json", format!("{name}_confidences.json")),
        ("af3/made_summary_confidences.json", format!("{name}_summary_confidences.json")),
    ]
}

pub fn colabfold(name: &str) -> [(&'static str, String); 2] {
    [
        (
            "colabfold/made_unrelaxed_rank_001_alphafold2_multimer_v3_model_3_seed_000.pdb",
            format!("{name}_unrelaxed_{COLABFOLD}.pdb"),
        ),
        (
            "colabfold/made_scores_rank_001_alphafold2_multimer_v3_model_3_seed_000.json",
            format!("{name}_scores_{COLABFOLD}.json"),
        ),
    ]
}

pub fn boltz(name: &str) -> [(&'static str, String); 4] {
    [
        ("boltz/made_model_0.cif", format!("{name}.cif")),
        ("boltz/pae_made_model_0.npz", format!("pae_{name}.npz")),
        ("boltz/plddt_made_model_0.npz", format!("plddt_{name}.npz")),
        ("boltz/confidence_made_model_0.json", format!("confidence_{name}.json")),
    ]
}

pub fn all<'a>(files: impl IntoIterator<Item = &'a (&'static str, String)>) -> TempDir {
    folder(&files.into_iter().map(|(from, to)| (*from, to.as_str())).collect::<Vec<_>>())
}

fn find(folder: &TempDir) -> Predictions {
    Predictions::find(&[folder.path().to_owned()])
}

fn names(files: &[PredictionFiles]) -> Vec<&str> {
    files.iter().map(|files| files.name.as_str()).collect()
}

/// All messages about files: failures of finding and of reading.
pub fn messages(found: &Predictions) -> String {
    let failures = found.failures.iter().map(|failure| format!("{}: {}", failure.name, failure.reason));
    let refused = found.files.iter().filter_map(|files| Some(format!("{}: {}", files.name, files.read().err()?)));
    failures.chain(refused).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_only_model_does_not_get_files_of_another_number_or_name() {
    for (files, lacks) in [
        (
            vec![
                ("af3_server/fold_made_model_1.cif", "fold_a_model_1.cif"),
                ("af3_server/fold_made_full_data_1.json", "fold_a_full_data_0.json"),
                ("af3_server/fold_made_summary_confidences_1.json", "fold_a_summary_confidences_0.json"),
            ],
            "fold_a_full_data_1 or pae_fold_a_model_1",
        ),
        (
            vec![("boltz/made_model_0.cif", "a_model_1.cif"), ("boltz/pae_made_model_0.npz", "pae_a_model_0.npz")],
            "a_full_data_1 or pae_a_model_1",
        ),
        (
            vec![("boltz/made_model_0.cif", "a_model_0.cif"), ("boltz/pae_made_model_0.npz", "pae_b_model_0.npz")],
            "pae_a_model_0",
        ),
        (
            vec![
                ("chai/pred.model_idx_0.cif", "pred.model_idx_0.cif"),
                ("chai/pae.model_idx_0.npz", "pae.model_idx_3.npz"),
                ("chai/scores.model_idx_0.npz", "scores.model_idx_0.npz"),
            ],
            "pae.model_idx_0",
        ),
        (
            vec![
                ("af2/unrelaxed_model_1_multimer_v3_pred_0.pdb", "unrelaxed_model_1_multimer_v3_pred_0.pdb"),
                ("af2/pae_model_1_multimer_v3_pred_0.json", "pae_model_2_multimer_v3_pred_0.json"),
            ],
            "pae_model_1_multimer_v3_pred_0",
        ),
    ] {
        let folder = folder(&files);
        let found = find(&folder);
        let messages = messages(&found);
        assert!(messages.contains(lacks), "{files:?}: {messages}");
        assert!(
            messages.contains("there is no model beside it (.cif, .pdb) of the same name"),
            "{files:?}: {messages}"
        );
        assert!(found.files.iter().all(|files| files.read().is_err()), "{files:?}");
    }
    // Scores of another sample are left out, too.
    let folder = folder(&[
        ("af3_server/fold_made_model_1.cif", "fold_a_model_1.cif"),
        ("af3_server/fold_made_full_data_1.json", "fold_a_full_data_1.json"),
        ("af3_server/fold_made_summary_confidences_1.json", "fold_a_summary_confidences_3.json"),
    ]);
    let found = find(&folder);
    assert!(found.notes.iter().any(|note| note.starts_with("fold_a_summary_confidences_3.json: is left out")));
    assert_eq!(found.files[0].read().unwrap().ranking, None);
}

#[test]
fn designs_whose_names_are_alike_keep_their_own_files() {
    let designs = [
        "bind",
        "Bind",
        "bind 1",
        "bind-1",
        "bind.1",
        "bind_1",
        "bind__1",
        "bind_full",
        "bind_data",
        "bind_model",
        "bind_relaxed",
        "bind_unrelaxed",
        "bind_summary",
        "bind_pae",
        "bind_confidence",
        "bind_scores",
        "bind_ranked_0",
        "model",
        "full",
    ];
    let of_colabfold: Vec<_> = designs.iter().flat_map(|name| colabfold(name)).collect();
    let of_boltz: Vec<_> = designs.iter().flat_map(|name| boltz(&format!("{name}_model_0"))).collect();
    // The scores of bind would have the name of the matrix of bind_summary there.
    let of_af3: Vec<_> = designs.iter().filter(|name| **name != "bind_summary").flat_map(|name| af3(name)).collect();
    for (files, per_design) in [(&of_af3, 3), (&of_colabfold, 2), (&of_boltz, 4)] {
        let folder = all(files);
        let found = find(&folder);
        assert_eq!((found.files.len(), messages(&found)), (files.len() / per_design, String::new()));
        assert!(found.notes.is_empty(), "{:?}", found.notes);
        for (at, chunk) in files.chunks(per_design).enumerate() {
            let of = found.files.iter().find(|files| files.name == chunk[0].1).unwrap_or_else(|| panic!("{at}"));
            let mut paths: Vec<String> =
                of.paths().map(|path| path.file_name().unwrap().to_string_lossy().into_owned()).collect();
            let mut expected: Vec<String> = chunk.iter().map(|(_, to)| to.clone()).collect();
            paths.sort();
            expected.sort();
            assert_eq!(paths, expected);
        }
    }
    // One matrix is missing: its model gets no other.
    for (files, missing) in [
        ([af3("bind"), af3("bind_full")].concat(), "bind_full_confidences.json"),
        ([af3("bind"), af3("bind_full")].concat(), "bind_confidences.json"),
        ([boltz("bind_model_0"), boltz("bind_full_model_0")].concat(), "pae_bind_full_model_0.npz"),
    ] {
        let folder = all(files.iter().filter(|(_, to)| to != missing));
        let found = find(&folder);
        let read: Vec<bool> = found.files.iter().map(|files| files.read().is_ok()).collect();
        assert_eq!(read.iter().filter(|read| **read).count(), 1, "{missing}: {read:?}");
        assert!(messages(&found).contains(missing.split('.').next().unwrap()), "{missing}: {}", messages(&found));
    }
}

#[test]
fn a_file_with_the_name_of_two_is_of_the_one_that_its_content_fits() {
    let in_folder = |left_out: &str, shared: &'static str| {
        let files = [af3("bind"), af3("bind_summary")].concat().into_iter();
        let files = files.filter(|(_, to)| to != "bind_summary_confidences.json" && to != left_out);
        let files: Vec<_> = files.chain([(shared, "bind_summary_confidences.json".to_owned())]).collect();
        all(&files)
    };
    let folder = in_folder("", "af3/made_confidences.json");
    let found = find(&folder);
    assert_eq!((found.files.len(), messages(&found)), (2, String::new()));
    let read: Vec<_> = found.files.iter().map(|files| files.read().unwrap()).collect();
    assert_eq!(read.iter().map(|of| of.ranking.is_some()).collect::<Vec<_>>(), [false, true]);
    assert!(
        found.notes[0].contains("is not of bind_model.cif: it has the matrix of another model"),
        "{:?}",
        found.notes
    );

    let folder = in_folder("", "af3/made_summary_confidences.json");
    let found = find(&folder);
    assert!(found.files[0].read().unwrap().ranking.is_some());
    assert!(messages(&found).contains("bind_summary_model.cif"), "{}", messages(&found));
}

#[test]
fn the_same_matrix_in_two_files_is_no_conflict_and_another_is() {
    let of_job = "colabfold/made_scores_rank_001_alphafold2_multimer_v3_model_3_seed_000.json";
    let files = [&colabfold("d")[..], &[(of_job, "d_predicted_aligned_error_v1.json".to_owned())]].concat();
    let same = all(&files);
    assert_eq!(messages(&find(&same)), "");
    let path = same.path().join("d_predicted_aligned_error_v1.json");
    let text = fs::read_to_string(&path).unwrap();
    let at = text.find("[[").unwrap() + 2;
    fs::write(&path, format!("{}7{}", &text[..at], &text[at..])).unwrap();
    let messages_of_other = messages(&find(&same));
    assert!(
        messages_of_other.contains("has another matrix of predicted aligned errors than d_scores_rank_001"),
        "{messages_of_other}"
    );

    let chai = folder(&[
        ("chai/pred.model_idx_0.cif", "pred.model_idx_0.cif"),
        ("chai/pae.model_idx_0.npz", "pae.model_idx_0.npz"),
        ("chai/pae.model_idx_0.npz", "pae.npz"),
    ]);
    let found = find(&chai);
    assert_eq!((found.files.len(), messages(&found)), (1, String::new()));
    assert!(found.files[0].paths().any(|path| path.ends_with("pae.npz")));
    // One matrix is that of the first model, and not of each.
    let second =
        folder(&[("chai/pred.model_idx_0.cif", "pred.model_idx_1.cif"), ("chai/pae.model_idx_0.npz", "pae.npz")]);
    let messages_of_second = messages(&find(&second));
    assert!(messages_of_second.contains("\"pae\" has one matrix, and this is model 1"), "{messages_of_second}");
}

#[test]
fn models_called_by_rank_have_the_files_that_the_ranking_names() {
    let folder = folder(&[
        ("af2/unrelaxed_model_1_multimer_v3_pred_0.pdb", "ranked_1.pdb"),
        ("af2/pae_model_1_multimer_v3_pred_0.json", "pae_model_1_multimer_v3_pred_0.json"),
        ("af2/pae_model_1_multimer_v3_pred_0.json", "pae_model_2_multimer_v3_pred_0.json"),
        ("af2/iptm_ptm.json", "iptm_ptm.json"),
    ]);
    let order = format!("{{\"iptm+ptm\":{{\"{AF2}\":0.5}},\"order\":[\"model_2_multimer_v3_pred_0\",\"{AF2}\"]}}");
    fs::write(folder.path().join("ranking_debug.json"), order).unwrap();
    let found = find(&folder);
    assert_eq!(names(&found.files), ["ranked_1.pdb"]);
    assert!(found.files[0].paths().any(|path| path.ends_with("pae_model_1_multimer_v3_pred_0.json")));
    let read = found.files[0].read().unwrap();
    assert_eq!((read.iptm, read.ranking), (Some(0.81), Some(0.806)));
    // The model of the other matrix was not kept.
    assert_eq!((found.failures.len(), found.notes.len()), (0, 1), "{:?} {:?}", found.failures, found.notes);
    assert!(found.notes[0].starts_with("pae_model_2_multimer_v3_pred_0.json: is left out"));
}

#[test]
fn the_best_sample_that_is_there_twice_is_counted_once() {
    let sample = |name: &str| af3(&format!("{name}/job_{name}"));
    let folder = all(&[&af3("job")[..], &sample("seed-1_sample-0"), &sample("seed-1_sample-1")].concat());
    let change = |name: &str, from: &str, to: &str| {
        let path = folder.path().join(name);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{name}: {from}");
        fs::write(&path, text.replacen(from, to, 1)).unwrap();
    };
    // The other sample has other errors, in a text of the same length, and the summary of the best has other digits.
    change("seed-1_sample-0/job_seed-1_sample-0_confidences.json", "\"pae\": [[0", "\"pae\": [[1");
    change("job_summary_confidences.json", "0.73", "0.7299999999");
    let found = find(&folder);
    assert_eq!(
        names(&found.files),
        ["seed-1_sample-0/job_seed-1_sample-0_model.cif", "seed-1_sample-1/job_seed-1_sample-1_model.cif"]
    );
    let note = "job_model.cif: is left out: it is a copy of seed-1_sample-1/job_seed-1_sample-1_model.cif";
    assert_eq!(found.notes, [note]);
    assert_eq!(names(&found.replaced), ["job_model.cif"]);
    assert_eq!(found.replaced[0].read().unwrap().n_tokens(), found.files[1].read().unwrap().n_tokens());
    // What was given twice, too.
    let model = folder.path().join("seed-1_sample-1/job_seed-1_sample-1_model.cif");
    let twice = Predictions::find(&[folder.path().to_owned(), model.clone(), folder.path().join(".")]);
    assert_eq!(twice.files.len(), 2);
    assert!(twice.notes.iter().any(|note| note.ends_with("is given twice, and counted once")), "{:?}", twice.notes);
    // Another model with the same errors is no copy.
    change("seed-1_sample-1/job_seed-1_sample-1_model.cif", " 1 A 1", " 2 A 1");
    assert_eq!(find(&folder).files.len(), 3);
    // A model that is named has no copies.
    let one = Predictions::find(&[folder.path().join("job_model.cif")]);
    assert_eq!((names(&one.files), one.notes.len()), (vec!["job_model.cif"], 0));
}

#[test]
fn files_that_are_no_models_are_named() {
    let folder = all(&af3("x"));
    let path = |name: &str| folder.path().join(name);
    for name in ["result_model_1.pkl", "foo.dat", "empty.json"] {
        fs::write(path(name), "").unwrap();
    }
    for (name, says) in [
        ("x_confidences.json", "is about a model, and none is given with it; give the model"),
        ("empty.json", "is about a model, and none is given with it"),
        ("result_model_1.pkl", "is a Python pickle"),
        ("foo.dat", "is neither a model (.cif, .pdb), nor a file about one (.json, .npz), nor an archive"),
    ] {
        let found = Predictions::find(&[path(name)]);
        assert!(found.files.is_empty() && messages(&found).contains(says), "{name}: {}", messages(&found));
    }
    // Beside a model they are named as well, and the model is read.
    let found = Predictions::find(&[path("x_model.cif"), path("foo.dat")]);
    assert!(found.files.len() == 1 && messages(&found).contains("foo.dat: is neither"), "{}", messages(&found));
}

pub fn tar_of(folder: &Path) -> Vec<u8> {
    let mut tar = tar::Builder::new(Vec::new());
    tar.append_dir_all("run", folder).unwrap();
    tar.into_inner().unwrap()
}

#[test]
fn whole_predictions_of_a_cut_archive_are_read() {
    let designs = ["a", "b", "c"].map(|name| {
        boltz(&format!("{name}/{name}_model_0")).map(|(from, to)| {
            // Folder first, and the role in the file's name.
            let (role, rest) = to.split_once(&format!("{name}/")).unwrap();
            (from, format!("{name}/{role}{rest}"))
        })
    });
    let folder = all(designs.iter().flatten());
    let bytes = tar_of(folder.path());
    let out = tempfile::tempdir().unwrap();
    let whole = Predictions::find(&[{
        let path = out.path().join("whole.tar");
        fs::write(&path, &bytes).unwrap();
        path
    }]);
    assert_eq!((whole.files.len(), messages(&whole)), (3, String::new()));
    for share in [50, 70, 90] {
        for (name, bytes) in [
            ("cut.tar", bytes[..bytes.len() * share / 100].to_vec()),
            ("cut.tar.gz", {
                let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
                std::io::Write::write_all(&mut gzip, &bytes).unwrap();
                let bytes = gzip.finish().unwrap();
                bytes[..bytes.len() * share / 100].to_vec()
            }),
        ] {
            let path = out.path().join(name);
            fs::write(&path, bytes).unwrap();
            let found = Predictions::find(&[path]);
            assert_eq!(found.failures.len(), 1, "{name}, {share} %: {:?}", found.failures);
            assert!(found.failures[0].reason.contains("fetch it again"), "{}", messages(&found));
            let read = found.files.iter().filter(|files| files.read().is_ok()).count();
            assert!((1..3).contains(&read) && read == found.files.len(), "{name}, {share} %: {}", messages(&found));
        }
    }
}

#[test]
fn a_zip_archive_that_is_cut_behind_an_archive_in_it_is_refused() {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let stored = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    for (from, to) in boltz("a_model_0") {
        zip.start_file(format!("a/{to}"), stored).unwrap();
        std::io::Write::write_all(&mut zip, &fs::read(data(from)).unwrap()).unwrap();
    }
    let bytes = zip.finish().unwrap().into_inner();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cut.zip");
    // Before the archive's own directory, whose entries begin so: the last directory is that of an npz.
    let own = bytes.windows(4).rposition(|mark| mark == b"PK\x01\x02").unwrap();
    for end in [own - 200, own - 400, bytes.len() / 2] {
        fs::write(&path, &bytes[..end]).unwrap();
        let found = Predictions::find(std::slice::from_ref(&path));
        assert!(found.files.is_empty() && found.failures.len() == 1, "{end}: {}", messages(&found));
        assert!(messages(&found).contains("fetch it again"), "{end}: {}", messages(&found));
    }
    for (bytes, says) in
        [(&b""[..], "is empty"), (&[&b"PK\x05\x06"[..], &[0; 18]].concat(), "has no model (.cif, .pdb)")]
    {
        fs::write(&path, bytes).unwrap();
        assert!(messages(&Predictions::find(std::slice::from_ref(&path))).contains(says), "{says}");
    }
}

#[test]
fn links_and_archives_in_archives_are_left_out_with_a_note() {
    let folder = all(&af3("x"));
    let inner = tar_of(folder.path());
    let mut tar = tar::Builder::new(Vec::new());
    tar.append_dir_all(".", folder.path()).unwrap();
    let mut header = tar::Header::new_gnu();
    header.set_size(inner.len() as u64);
    header.set_mode(0o644);
    tar.append_data(&mut header, "inner.tar", &inner[..]).unwrap();
    let mut link = tar::Header::new_gnu();
    link.set_entry_type(tar::EntryType::Symlink);
    link.set_size(0);
    tar.append_link(&mut link, "best_model.cif", "x_model.cif").unwrap();
    let path = folder.path().join("outer.tar");
    fs::write(&path, tar.into_inner().unwrap()).unwrap();
    let found = Predictions::find(&[path]);
    assert_eq!((found.files.len(), messages(&found)), (1, String::new()));
    let has = |begin: &str| found.notes.iter().any(|note| note.starts_with(begin));
    assert!(
        has("outer.tar/inner.tar: is an archive in") && has("outer.tar/best_model.cif: is a link in"),
        "{:?}",
        found.notes
    );
}

/// Older versions of ColabFold call the scores after the unrelaxed model. The best model's matrix is there once more, rounded.
#[test]
fn scores_of_older_colabfold_are_those_beside_each_model() {
    let [(model, _), (scores, _)] = colabfold("d");
    let names = ["d_relaxed_rank_1_model_5", "d_unrelaxed_rank_2_model_4", "d_unrelaxed_model_1"];
    let of_models = names.iter().flat_map(|name| {
        let own = name.replace("_relaxed", "_unrelaxed");
        [(model, format!("{name}.pdb")), (scores, format!("{own}_scores.json"))]
    });
    let files: Vec<_> = of_models.chain([(scores, "d_predicted_aligned_error_v1.json".to_owned())]).collect();
    let folder = all(&files);
    let rounded = r#"[{"predicted_aligned_error": "#;
    let own = folder.path().join("d_predicted_aligned_error_v1.json");
    let json: serde_json::Value = serde_json::from_slice(&fs::read(&own).unwrap()).unwrap();
    let rows = json["pae"].as_array().unwrap().iter().map(|row| {
        let values = row.as_array().unwrap().iter().map(|value| value.as_f64().unwrap().round() as i32);
        values.collect::<Vec<_>>()
    });
    let rows: Vec<_> = rows.collect();
    fs::write(&own, format!("{rounded}{rows:?}}}]")).unwrap();
    let found = find(&folder);
    assert_eq!((found.files.len(), messages(&found)), (names.len(), String::new()));
    let newer = all(&colabfold("d"));
    let whole = find(&newer).files[0].read().unwrap();
    for files in &found.files {
        let read = files.read().unwrap();
        assert_eq!((read.iptm, read.ptm), (whole.iptm, whole.ptm), "{}", files.name);
        assert_eq!(read.pae, whole.pae, "{}", files.name);
        assert_eq!(prism_host::confidence::design_of(&files.name), "d");
    }
}
