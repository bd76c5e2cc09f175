//! `prism report`. A browser checks the drawing, if one is installed.

use crate::command::{Run, example, shipped};
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
