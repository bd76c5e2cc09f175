//! The file that `prism report` writes. What a browser makes of it is in `report_page.rs`.

use crate::command::{Run, column, example, predictions, shipped};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::Command;

pub fn folder() -> Run {
    let run = Run::new();
    run.copy(&example(), "in/rbd.pdb");
    run.copy(&shipped("1crn.pdb"), "in/crambin <b>.pdb");
    run.copy(&shipped("1ubq.pdb"), "in/ubq.pdb");
    run.put("in/broken.pdb", "");
    run
}

/// The data that the page's script reads.
pub fn data(html: &str) -> Value {
    let begin = "<script type=\"application/json\" id=\"run\">";
    let text = html.split_once(begin).unwrap().1.split_once("</script>").unwrap().0;
    serde_json::from_str(text).unwrap()
}

#[test]
fn a_report_is_one_file_with_all_that_was_found() {
    let run = folder();
    let outcome = run.prism(&["report", "in", "--backend", "cpu", "-o", "r.html"]);
    assert_eq!(outcome.status, 3, "{}", outcome.stderr);
    let html = fs::read_to_string(run.path("r.html")).unwrap();
    for from_elsewhere in ["src=\"", "@import", "url(", "<link"] {
        assert!(!html.contains(from_elsewhere), "{from_elsewhere}");
    }
    let data = data(&html);
    let names: Vec<&str> =
        data["structures"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["crambin <b>.pdb", "rbd.pdb", "ubq.pdb"]);
    assert_eq!(data["residues"], 46 + 194 + 76);
    assert_eq!(data["failed"][0]["name"], "broken.pdb");
    assert_eq!(data["provenance"]["prism.points"], "100");
    // As many likely sites as in the table of sites.
    let sites = run.prism(&["sites", "in", "--backend", "cpu", "--min-probability", "0.5"]).stdout;
    assert_eq!(data["sites"], sites.lines().count() - 1);
    let date = data["date"].as_str().unwrap();
    assert!(date.len() == 10 && date.starts_with("20") && date.matches('-').count() == 2, "{date}");
    // A histogram counts every residue with a value.
    let wcn = data["histograms"].as_array().unwrap().iter().find(|one| one["name"] == "wcn").unwrap();
    assert_eq!(wcn["counts"].as_array().unwrap().iter().map(|bar| bar.as_u64().unwrap()).sum::<u64>(), 316);
    // Each state has a bar, labelled with its letter.
    let ss = data["histograms"].as_array().unwrap().iter().find(|one| one["name"] == "ss").unwrap();
    let states: String = ss["states"].as_array().unwrap().iter().map(|state| state.as_str().unwrap()).collect();
    assert_eq!(states, "-HBEGIPTS");
    assert_eq!(ss["counts"].as_array().unwrap().iter().map(|bar| bar.as_u64().unwrap()).sum::<u64>(), 316);
    let outcome = run.prism(&["report", "in", "--backend", "cpu", "-o", "few.html", "--details", "1"]);
    assert_eq!(outcome.status, 3);
    let few = fs::read_to_string(run.path("few.html")).unwrap();
    assert!(few.contains("id=\"s0\"") && !few.contains("id=\"s1\"") && few.contains("ubq.pdb"));
    assert_eq!(run.prism(&["report", "in", "-o", "r.txt"]).status, 2);
}

/// The data of a structure's page.
pub fn detail(html: &str, id: &str) -> Value {
    let begin = format!("<script type=\"text/plain\" id=\"{id}\">");
    let packed = html.split_once(&begin).unwrap().1.split_once("</script>").unwrap().0;
    let packed = STANDARD.decode(packed.trim()).unwrap();
    serde_json::from_reader(flate2::read::GzDecoder::new(&packed[..])).unwrap()
}

#[test]
fn paths_are_shown_on_request_alone() {
    let run = Run::new();
    run.copy(&shipped("1crn.pdb"), "secret/in/1crn.pdb");
    let written = |more: &[&str], name: &str| {
        let outcome = run.prism(&[&["report", "secret/in", "--backend", "cpu", "-o", name], more].concat());
        assert_eq!(outcome.status, 0, "{}", outcome.stderr);
        fs::read_to_string(run.path(name)).unwrap()
    };
    let html = written(&[], "names.html");
    assert!(!html.contains("secret"));
    assert_eq!(data(&html)["inputs"], serde_json::json!(["in"]));
    let command = data(&html)["provenance"]["prism.command"].clone();
    assert_eq!(command, "prism report in --backend cpu -o names.html");
    let html = written(&["--full-paths"], "paths.html");
    assert_eq!(data(&html)["inputs"], serde_json::json!(["secret/in"]));
    assert!(data(&html)["provenance"]["prism.command"].as_str().unwrap().contains("secret/in"));
}

#[test]
fn a_comparison_begins_with_the_structures_that_are_most_alike() {
    let run = folder();
    let text = fs::read_to_string(shipped("1ubq.pdb")).unwrap();
    run.put("in/zzz.pdb", text.lines().skip(40).map(|line| format!("{line}\n")).collect::<String>());
    run.prism(&["report", "in", "--backend", "cpu", "-o", "r.html"]);
    let html = fs::read_to_string(run.path("r.html")).unwrap();
    assert_eq!(data(&html)["alike"], serde_json::json!(["ubq.pdb", "zzz.pdb"]));
}

#[test]
fn bridges_have_both_distances_from_their_water() {
    let run = Run::new();
    run.copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/1aki.cif.gz"), "1aki.cif.gz");
    run.prism(&["report", "1aki.cif.gz", "--backend", "cpu", "-o", "r.html"]);
    let found = &detail(&fs::read_to_string(run.path("r.html")).unwrap(), "s0")["relations"]["interactions"];
    let table = run.prism(&["edges", "1aki.cif.gz", "--kinds", "water_bridge"]).stdout;
    let bridges = found["bridges"].as_object().unwrap();
    assert!(bridges.len() > 10 && bridges.len() == table.lines().count() - 1, "{} bridges", bridges.len());
    for (index, bridge) in bridges {
        let legs: [f64; 2] = serde_json::from_value(bridge["legs"].clone()).unwrap();
        let farther = found["distance"][index.parse::<usize>().unwrap()].as_f64().unwrap();
        // The table has the farther end.
        assert_eq!(legs[0].max(legs[1]), farther, "{bridge}");
        assert!(legs[0].min(legs[1]) > 2.0 && bridge["water"].as_str().unwrap().starts_with("HOH A_"), "{bridge}");
    }
}

#[test]
fn errors_beside_models_are_shown_if_they_are_asked_for() {
    let run = Run::new();
    predictions(&run, "colabfold", "in/");
    run.copy(&shipped("1crn.pdb"), "in/alone/1crn.pdb");
    run.prism(&["report", "in", "--backend", "cpu", "-o", "without.html"]);
    assert!(detail(&fs::read_to_string(run.path("without.html")).unwrap(), "s1")["pae"].is_null());
    let outcome = run.prism(&["report", "in", "--pae", "--backend", "cpu", "-o", "r.html"]);
    assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    let html = fs::read_to_string(run.path("r.html")).unwrap();
    let names: Vec<Value> =
        data(&html)["structures"].as_array().unwrap().iter().map(|one| one["name"].clone()).collect();
    let at = names.iter().position(|name| name.as_str().unwrap().contains("made")).unwrap();
    let pae = &detail(&html, &format!("s{at}"))["pae"];
    let scores = fs::read(run.path("in/made_scores_rank_001_alphafold2_multimer_v3_model_3_seed_000.json")).unwrap();
    let matrix: Vec<Vec<f64>> =
        serde_json::from_value(serde_json::from_slice::<Value>(&scores).unwrap()["pae"].clone()).unwrap();
    let bytes = STANDARD.decode(pae["errors"].as_str().unwrap()).unwrap();
    let steps = pae["steps"].as_f64().unwrap();
    assert_eq!(bytes.len(), matrix.len() * matrix.len());
    for (byte, error) in bytes.iter().zip(matrix.iter().flatten()) {
        assert!((f64::from(*byte) / steps - error.min(254.0 / steps)).abs() <= 1.0 / steps, "{byte} for {error}");
    }
    let table = run.prism(&["confidence", "in", "-q"]).stdout;
    let max = column(&table, "kind").iter().position(|kind| kind == "max").unwrap();
    for name in ["ipsae", "pdockq2", "lis", "contacts"] {
        let expected: f64 = column(&table, name)[max].parse().unwrap();
        assert!((pae["pairs"][0]["numbers"][name].as_f64().unwrap() - expected).abs() < 1e-4, "{name}: {pae}");
    }
    assert_eq!((at, names.len()), (0, 1), "templates are left out");
    outcome.says(0, "warning: alone/1crn.pdb: --pae: it is left out: no file with predicted aligned errors");
    let matrix = "in/made_scores_rank_001_alphafold2_multimer_v3_model_3_seed_000.json";
    run.put(matrix, &scores[..scores.len() / 2]);
    let damaged = run.prism(&["report", "in", "--pae", "--backend", "cpu", "-o", "damaged.html"]);
    damaged.says(0, "000.json: is cut inside of \"pae\"");
    run.put(matrix, &scores);
}

/// The first positions of the page's differences: the lowest byte of all first, x before y before z, as 0, -1, 1, -2, ...
fn positions(packed: &Value, most: usize) -> Vec<[f64; 3]> {
    let bytes = STANDARD.decode(packed["deltas"].as_str().unwrap()).unwrap();
    let (n, steps) = (bytes.len() / 12, packed["steps"].as_f64().unwrap());
    let mut at = [0_i64; 3];
    let mut next = |index: usize| {
        std::array::from_fn(|axis| {
            let byte = |byte: usize| u32::from(bytes[byte * 3 * n + axis * n + index]) << (8 * byte);
            let zigzag = (0..4).fold(0, |all, number| all | byte(number));
            at[axis] += i64::from((zigzag >> 1) as i32 ^ -((zigzag & 1) as i32));
            at[axis] as f64 / steps
        })
    };
    (0..n.min(most)).map(&mut next).collect()
}

#[test]
fn atoms_of_the_page_are_those_of_the_file() {
    let run = folder();
    assert_eq!(run.prism(&["report", "in", "--backend", "cpu", "-o", "r.html"]).status, 3);
    let html = fs::read_to_string(run.path("r.html")).unwrap();
    let names: Vec<Value> =
        data(&html)["structures"].as_array().unwrap().iter().map(|one| one["name"].clone()).collect();
    let index = names.iter().position(|name| name == "crambin <b>.pdb").unwrap();
    let atoms = &detail(&html, &format!("s{index}"))["atoms"];
    let center: Vec<f64> = serde_json::from_value(atoms["center"].clone()).unwrap();
    let expected: Vec<[f64; 3]> = fs::read_to_string(shipped("1crn.pdb"))
        .unwrap()
        .lines()
        .filter(|line| line.starts_with("ATOM"))
        .map(|line| [30..38, 38..46, 46..54].map(|field| line[field].trim().parse().unwrap()))
        .collect();
    let found = positions(atoms, expected.len());
    for (found, expected) in found.iter().zip(&expected) {
        for axis in 0..3 {
            assert!(
                (found[axis] + center[axis] - expected[axis]).abs() < 0.011,
                "{found:?} + {center:?} for {expected:?}"
            );
        }
    }
    let kind = &atoms["kinds"][atoms["of"][0].as_u64().unwrap() as usize];
    assert_eq!((kind[0].as_str().unwrap(), kind[1].as_str().unwrap()), ("N CA C O CB OG1 CG2", "N C C O C O C"));
}

#[test]
fn a_date_can_be_given_so_that_a_report_is_the_same_again() {
    let run = folder();
    let report = |name: &str| {
        let outcome = run
            .command(&["report", "in", "--backend", "cpu", "-o", name])
            .env("SOURCE_DATE_EPOCH", "1700000000")
            .output()
            .unwrap();
        assert_eq!(outcome.status.code(), Some(3));
        fs::read_to_string(run.path(name)).unwrap()
    };
    let (first, again) = (report("a.html"), report("b.html"));
    assert_eq!(data(&first)["date"], "2023-11-14");
    assert_eq!(first.replace("a.html", "b.html"), again);
}

#[test]
fn the_viewer_is_the_one_that_its_readme_names() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/report");
    let packed = fs::read(folder.join("3Dmol-min.js.gz")).unwrap();
    let mut script = Vec::new();
    flate2::read::GzDecoder::new(&packed[..]).read_to_end(&mut script).unwrap();
    let digest: String = Sha256::digest(&script).iter().map(|byte| format!("{byte:02x}")).collect();
    let readme = fs::read_to_string(folder.join("README.md")).unwrap();
    assert!(readme.contains(&digest), "{digest}");
    // A report holds exactly this file, and its licence.
    let run = folder_with_crambin();
    let html = fs::read_to_string(run.path("r.html")).unwrap();
    let begin = "<script type=\"text/plain\" id=\"viewer\">";
    let held = html.split_once(begin).unwrap().1.split_once("</script>").unwrap().0;
    assert!(STANDARD.decode(held.trim()).unwrap() == packed);
    assert!(html.contains(&fs::read_to_string(folder.join("3Dmol.LICENSE")).unwrap()));
}

fn folder_with_crambin() -> Run {
    let run = Run::new();
    run.copy(&shipped("1crn.pdb"), "in/1crn.pdb");
    assert_eq!(run.prism(&["report", "in", "--backend", "cpu", "-o", "r.html"]).status, 0);
    run
}

#[test]
fn ligands_that_cover_surface_are_drawn_once() {
    let run = Run::new();
    run.copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/1igy_cut.cif.gz"), "1igy.cif.gz");
    let atoms = |name: &str, more: &[&str]| {
        let arguments = [&["report", "1igy.cif.gz", "--backend", "cpu", "-o", name], more].concat();
        let outcome = run.prism(&arguments);
        assert_eq!(outcome.status, 0, "{}", outcome.stderr);
        detail(&fs::read_to_string(run.path(name)).unwrap(), "s0")["atoms"].clone()
    };
    let (with, without) = (atoms("with.html", &["--het", "cover"]), atoms("without.html", &[]));
    assert_eq!(with["of"].as_array().unwrap().len(), without["of"].as_array().unwrap().len());
    assert_eq!(with["without_rows"], without["without_rows"]);
    assert!(with["without_rows"].as_array().unwrap().iter().any(|residue| residue["name"] == "NAG"), "{with}");
}

#[test]
fn members_of_archives_have_the_interactions_of_their_files() {
    let run = Run::new();
    for name in ["1crn.pdb", "1ubq.pdb"] {
        run.copy(&shipped(name), &format!("in/{name}"));
    }
    let tar = Command::new("tar").args(["cf", "all.tar", "1crn.pdb", "1ubq.pdb"]).current_dir(run.path("in")).status();
    assert!(tar.unwrap().success());
    let interactions = |input: &str| {
        assert_eq!(run.prism(&["report", input, "--backend", "cpu", "-o", "r.html"]).status, 0);
        let html = fs::read_to_string(run.path("r.html")).unwrap();
        // Those of members lie apart.
        let own = detail(&html, "s0")["relations"]["interactions"].clone();
        if own.is_null() { detail(&html, "i0") } else { own }
    };
    let of_file = interactions("in/1crn.pdb");
    assert!(of_file["kind"].as_array().unwrap().len() > 20, "{of_file}");
    assert_eq!(interactions("in/all.tar"), of_file);
    let html = fs::read_to_string(run.path("r.html")).unwrap();
    assert_ne!(detail(&html, "i1"), of_file, "each has its own");
}

#[test]
fn points_of_a_site_are_those_of_prism_sites_on_its_residues() {
    let run = Run::new();
    run.copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/6m0j_rbd.pdb"), "rbd.pdb");
    assert_eq!(run.prism(&["report", "rbd.pdb", "--backend", "cpu", "-o", "r.html"]).status, 0);
    assert_eq!(run.prism(&["sites", "rbd.pdb", "--backend", "cpu", "--points", "points.pdb"]).status, 0);
    let all: Vec<([f64; 3], f64)> = fs::read_to_string(run.path("points.pdb"))
        .unwrap()
        .lines()
        .filter(|line| line.starts_with("HETATM"))
        .map(|line| {
            let number = |field: std::ops::Range<usize>| line[field].trim().parse::<f64>().unwrap();
            ([number(30..38), number(38..46), number(46..54)], number(60..66))
        })
        .collect();
    let page = detail(&fs::read_to_string(run.path("r.html")).unwrap(), "s0");
    let center: Vec<f64> = serde_json::from_value(page["atoms"]["center"].clone()).unwrap();
    let (mut shown, mut likeliest) = (0, 0.0_f64);
    for site in page["sites"].as_array().unwrap().iter().filter(|site| !site["points"].is_null()) {
        let hundredths: Vec<f64> = serde_json::from_value(site["points"]["hundredths"].clone()).unwrap();
        let at = positions(&site["points"], hundredths.len());
        for (point, hundredths) in at.iter().zip(&hundredths) {
            let position: [f64; 3] = std::array::from_fn(|axis| point[axis] + center[axis]);
            let is_here = |(other, value): &([f64; 3], f64)| {
                (0..3).all(|axis| (other[axis] - position[axis]).abs() < 0.06) && (value - hundredths).abs() < 0.51
            };
            assert!(all.iter().any(is_here), "{position:?} {hundredths}");
            likeliest = likeliest.max(*hundredths);
        }
        shown += hundredths.len();
    }
    assert!(shown > 20, "{shown}");
    let most = all.iter().map(|(_, value)| *value).fold(0.0, f64::max);
    assert!((likeliest - most).abs() < 0.51, "the likeliest point is in a site: {likeliest} of {most}");
}
