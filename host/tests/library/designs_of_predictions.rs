//! Several given paths, and archives of designs: which models are of one design, and what is lost.

use crate::named_predictions::{all, boltz, colabfold, folder, messages, tar_of};
use prism_host::confidence::Predictions;
use std::fs;
use std::path::PathBuf;

const CHAI: [(&str, &str); 2] =
    [("chai/pred.model_idx_0.cif", "pred.model_idx_#.cif"), ("chai/pae.model_idx_0.npz", "pae.model_idx_#.npz")];

/// The names of files by their folders, of models 0 and 1 in the first and 1 and 2 in the second.
fn chai() -> Vec<(&'static str, String)> {
    let models = [("one", 0), ("one", 1), ("two", 1), ("two", 2)];
    let of_model = |(folder, index): (&str, i32)| {
        CHAI.map(|(from, to)| (from, format!("{folder}/{}", to.replace('#', &index.to_string()))))
    };
    models.into_iter().flat_map(of_model).collect()
}

/// The designs of the models under some paths of a folder, which they begin with.
fn designs(under: &tempfile::TempDir, paths: &[&str]) -> Vec<String> {
    let paths: Vec<PathBuf> = paths.iter().map(|path| under.path().join(path)).collect();
    let found = Predictions::find(&paths);
    assert_eq!(messages(&found), "", "{paths:?}");
    let root = format!("{}/", under.path().display());
    found.files.iter().map(|files| files.design.strip_prefix(&root).unwrap_or(&files.design).to_owned()).collect()
}

#[test]
fn designs_of_several_paths_are_told_apart() {
    let under = all(&chai());
    assert_eq!(designs(&under, &["."]), ["one", "one", "two", "two"]);
    assert_eq!(designs(&under, &["one", "two"]), ["one", "one", "two", "two"]);
    assert_eq!(designs(&under, &["one/", "./two"]), ["one", "one", "two", "two"]);
    assert_eq!(designs(&under, &["one"]), [".", "."], "one design needs no name");
    assert_eq!(designs(&under, &["one/pred.model_idx_0.cif", "two/pred.model_idx_2.cif"]), ["one", "two"]);
    let boltz = |name: &str| boltz(name).map(|(from, to)| (from, to));
    let names = ["a_model_0", "a_model_1"].map(boltz);
    let under = all(names.iter().flatten().map(|(from, to)| (*from, format!("x/{to}"))).collect::<Vec<_>>().iter());
    let file = under.path().join("y.tar");
    fs::write(&file, tar_of(&under.path().join("x"))).unwrap();
    assert_eq!(designs(&under, &["x", "y.tar"]), ["a", "a", "y.tar/run/a", "y.tar/run/a"]);
}

#[test]
fn seeds_are_of_one_design() {
    let protenix = |path: &str| {
        [
            ("protenix/made_sample_0.cif", format!("{path}/job_sample_0.cif")),
            ("protenix/made_full_data_sample_0.json", format!("{path}/job_full_data_sample_0.json")),
        ]
    };
    let seeds = ["job/seed_101/predictions", "job/seed_102/predictions", "job/seed_103", "predictions"];
    let under = all(seeds.map(protenix).iter().flatten());
    assert_eq!(designs(&under, &["."]), ["job/job", "job/job", "job/job", "predictions/job"]);
    let trunks: Vec<_> = ["binder/trunk_0", "binder/trunk_1", "other/seed_1"]
        .iter()
        .flat_map(|path| CHAI.map(|(from, to)| (from, format!("{path}/{}", to.replace('#', "0")))))
        .collect();
    assert_eq!(designs(&all(&trunks), &["."]), ["binder", "binder", "other"]);
}

#[test]
fn a_tar_that_ends_between_members_is_cut() {
    let under = all(&chai());
    let bytes = tar_of(under.path());
    let file = under.path().join("x.tar");
    let found = |bytes: &[u8]| {
        fs::write(&file, bytes).unwrap();
        Predictions::find(std::slice::from_ref(&file))
    };
    let whole = found(&bytes);
    assert_eq!((whole.files.len(), messages(&whole)), (4, String::new()));
    // Without its end, and without its last member, too.
    let mut members = tar::Archive::new(&bytes[..]);
    let ends = members.entries().unwrap().map(|member| member.unwrap().raw_header_position());
    for end in [bytes.len() as u64 - 1024, ends.last().unwrap()] {
        let cut = found(&bytes[..end as usize]);
        assert_eq!(cut.failures.len(), 1, "{}", messages(&cut));
        assert!(cut.failures[0].reason.contains("ends without a tar's end mark, after"), "{}", messages(&cut));
        assert!((3..=4).contains(&cut.files.len()), "{}", messages(&cut));
    }
    // Two tars, one after the other, have the members of both; those of a name are two.
    let other = all(boltz("a_model_0").iter());
    let twice = found(&[&bytes[..], &tar_of(other.path())[..]].concat());
    assert_eq!((twice.files.len(), messages(&twice)), (5, String::new()));
    let same = found(&[&bytes[..], &bytes[..]].concat());
    assert_eq!(same.files.len(), 4);
    assert_eq!(same.failures.len(), 8, "{}", messages(&same));
    assert!(
        messages(&same).contains("x.tar/run/one/pred.model_idx_0.cif: is a second member of this name"),
        "{}",
        messages(&same)
    );
}

#[test]
fn a_zip_archive_with_two_members_of_one_name_is_refused() {
    let under = tempfile::tempdir().unwrap();
    let file = under.path().join("x.zip");
    let found = |names: [&str; 2]| {
        let mut zip = zip::ZipWriter::new(fs::File::create(&file).unwrap());
        for name in names {
            zip.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        }
        zip.finish().unwrap();
        // The library writes no name twice.
        let bytes = fs::read(&file).unwrap();
        fs::write(&file, replaced(&bytes, b"b_model.cif", b"a_model.cif")).unwrap();
        messages(&Predictions::find(std::slice::from_ref(&file)))
    };
    let twice = found(["a_model.cif", "b_model.cif"]);
    assert!(twice.contains("has two members a_model.cif; leave one of them in it"), "{twice}");
    assert!(!found(["a_model.cif", "c_model.cif"]).contains("two members"));
}

/// Bytes with some of them replaced by others of that length.
fn replaced(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for at in 0..bytes.len().saturating_sub(from.len()) {
        if bytes[at..].starts_with(from) {
            bytes[at..at + to.len()].copy_from_slice(to);
        }
    }
    bytes
}

#[test]
fn a_matrix_in_the_model_and_another_beside_it_are_a_conflict() {
    let of = |with: &str| folder(&[("modelcif/made.cif", "made.cif"), (with, "made.json")]);
    let path = "af3/made_confidences.json";
    let under = of(path);
    let json: serde_json::Value = serde_json::from_slice(&fs::read(under.path().join("made.json")).unwrap()).unwrap();
    // The first rows of another matrix.
    let rows = |shift: f64| -> Vec<Vec<f64>> {
        let row = |row: &serde_json::Value| {
            row.as_array().unwrap()[..15].iter().map(|v| v.as_f64().unwrap() + shift).collect()
        };
        json["pae"].as_array().unwrap()[..15].iter().map(row).collect()
    };
    let own = Predictions::find(&[{
        fs::remove_file(under.path().join("made.json")).unwrap();
        under.path().to_owned()
    }]);
    let own = own.files[0].read().unwrap().pae;
    let messages_of = |rows: &[Vec<f64>]| {
        fs::write(under.path().join("made.json"), serde_json::json!({ "pae": rows }).to_string()).unwrap();
        let found = Predictions::find(&[under.path().to_owned()]);
        assert_eq!(found.files.len(), 1);
        messages(&found)
    };
    let other = messages_of(&rows(3.0));
    assert!(other.contains("made.cif: has another matrix of predicted aligned errors than made.json"), "{other}");
    let same: Vec<Vec<f64>> =
        (0..15).map(|row| own.row(row).iter().map(|value| f64::from(*value).round()).collect()).collect();
    assert_eq!(messages_of(&same), "");
}

#[test]
fn a_matrix_in_a_file_of_no_layout_does_not_refuse_the_models_own() {
    let [(model, model_name), (scores, scores_name)] = colabfold("d");
    let under = folder(&[(model, &model_name), (scores, &scores_name)]);
    let find = || Predictions::find(&[under.path().to_owned()]);
    let own = find().files[0].read().unwrap();
    fs::write(under.path().join("notes.json"), r#"{"pae": [[0.5, 1.5], [2.5, 0.5]]}"#).unwrap();
    let read = find().files[0].read().unwrap();
    assert_eq!((read.pae, own.warnings.len()), (own.pae, 0));
    let says =
        format!("notes.json: has another matrix than {scores_name}, which is named for the model: it is left out");
    assert_eq!(read.warnings, [says]);
    // It is taken where no other is.
    fs::remove_file(under.path().join(&scores_name)).unwrap();
    let messages = messages(&find());
    assert!(messages.contains("notes.json: the matrix has 2 rows, and the model has"), "{messages}");
}
