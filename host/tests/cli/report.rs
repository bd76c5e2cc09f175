//! `prism report`. A browser checks the drawing, if one is installed.

use crate::command::{Run, column, example, predictions, shipped};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use std::fs;
use std::process::Command;

fn folder() -> Run {
    let run = Run::new();
    run.copy(&example(), "in/rbd.pdb");
    run.copy(&shipped("1crn.pdb"), "in/crambin <b>.pdb");
    run.copy(&shipped("1ubq.pdb"), "in/ubq.pdb");
    run.put("in/broken.pdb", "");
    run
}

/// The data that the page's script reads.
fn data(html: &str) -> Value {
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
fn detail(html: &str, id: &str) -> Value {
    let begin = format!("<script type=\"text/plain\" id=\"{id}\">");
    let packed = html.split_once(&begin).unwrap().1.split_once("</script>").unwrap().0;
    let packed = STANDARD.decode(packed.trim()).unwrap();
    serde_json::from_reader(flate2::read::GzDecoder::new(&packed[..])).unwrap()
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
    assert!(detail(&html, &format!("s{}", 1 - at))["pae"].is_null(), "the other has no matrix");
    if let Some(page) = drawn(&run, &format!("r.html#{}", names[at].as_str().unwrap())) {
        for text in ["<h2>Predicted aligned errors</h2>", "<th>ipsae</th>", "A, B</button>"] {
            assert!(page.contains(text), "{text}: {page}");
        }
    }
}

/// The document in Chromium after the page's script has run.
fn drawn(run: &Run, address: &str) -> Option<String> {
    let profile = run.path("profile");
    let output = Command::new("chromium")
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=20000", "--dump-dom"])
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg(format!("file://{}/{address}", run.path("").display()))
        .output()
        .ok()?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn a_browser_draws_it() {
    let run = folder();
    assert_eq!(run.prism(&["report", "in", "--backend", "cpu", "-o", "r.html"]).status, 3);
    let Some(index) = drawn(&run, "r.html") else {
        eprintln!("skipped: there is no chromium here");
        return;
    };
    for text in [
        "Report on 3 structures",
        "data-ready=\"1\"",
        "crambin &lt;b&gt;.pdb",
        "the file is empty",
        "<h2>Distributions</h2>",
        "<svg",
    ] {
        assert!(index.contains(text), "{text}: {index}");
    }
    let page = drawn(&run, "r.html#rbd.pdb").unwrap();
    for text in ["<h1>rbd.pdb</h1>", "194 residues, 1 chain (E)", "E_333 (THR): rsa ", "<h2>Along the sequence</h2>"] {
        assert!(page.contains(text), "{text}: {page}");
    }
}
