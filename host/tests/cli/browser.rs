//! Chromium, acting like a person on the pages of a report.

use crate::command::Run;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::fs;
use std::process::Command;

/// A page of a report, in a window of some width in pixels, with a script that acts there and returns what it found.
#[derive(Clone, Copy)]
pub struct Visit<'a> {
    pub address: &'a str,
    pub width: u32,
    pub script: &'a str,
}

impl<'a> Visit<'a> {
    /// In a window of usual width.
    pub const fn usual(address: &'a str, script: &'a str) -> Self {
        Self { address, width: 1440, script }
    }
}

/// Says that there is no browser.
pub fn skipped() {
    eprintln!("skipped: there is no chromium here");
}

/// What a page gives to a script in a window of usual width; `None` without Chromium.
pub fn visit(run: &Run, report: &str, address: &str, script: &str) -> Option<Value> {
    visits(run, report, &[Visit { address, width: 1440, script }]).map(|mut found| found.remove(0))
}

/// What pages give to scripts, one page after the other in one browser, which takes long to start; `None` without Chromium. Each page is
/// loaded anew. An error on a page, or of its script, is a failure.
pub fn visits(run: &Run, report: &str, visits: &[Visit]) -> Option<Vec<Value>> {
    let html = fs::read_to_string(run.path(report)).unwrap();
    let scripts: Vec<String> = visits.iter().map(|visit| format!("async () => {{ {} }}", visit.script)).collect();
    let helpers = include_str!("browser.js");
    let acting =
        format!("<body><script>\n{helpers}\nact([{}][location.search.slice(1)]);\n</script>", scripts.join(",\n"));
    fs::write(run.path("acted.html"), html.replacen("<body>", &acting, 1)).unwrap();
    // Windows have a least width, and frames have none.
    let pages = visits
        .iter()
        .enumerate()
        .map(|(index, visit)| json!([visit.width, format!("acted.html?{index}{}", visit.address)]));
    let frames = format!(
        "<!DOCTYPE html><pre id=\"result\"></pre><script>
        const pages = {}, found = [], frame = document.createElement('iframe');
        function next() {{
          frame.remove();
          if (found.length === pages.length) return;
          [frame.width, frame.src] = pages[found.length]; frame.height = 900;
          document.body.append(frame);
        }}
        onmessage = event => {{
          found.push(JSON.parse(event.data));
          document.getElementById('result').textContent = btoa(unescape(encodeURIComponent(JSON.stringify(found))));
          next();
        }};
        next();
        </script>",
        Value::Array(pages.collect())
    );
    fs::write(run.path("frames.html"), frames).unwrap();
    let output = Command::new("chromium")
        .args(["--headless", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"])
        .args(["--window-size=2700,1100", "--dump-dom"])
        // Of the page's own clock, which stands still while the page computes and does not wait when it idles.
        .arg(format!("--virtual-time-budget={}", 60_000 * visits.len()))
        .arg(format!("--user-data-dir={}", run.path("profile").display()))
        .arg(format!("file://{}/frames.html", run.path("").display()))
        .output()
        .ok()?;
    let page = String::from_utf8_lossy(&output.stdout);
    let packed = page.split_once("<pre id=\"result\">").unwrap().1.split_once("</pre>").unwrap().0;
    let results: Vec<Value> = serde_json::from_slice(&STANDARD.decode(packed).unwrap()).unwrap_or_default();
    for (result, Visit { address, width, .. }) in results.iter().zip(visits) {
        assert_eq!(result["errors"], json!([]), "{address} at {width}");
    }
    if let Some(Visit { address, width, .. }) = visits.get(results.len()) {
        panic!("{address} at {width} gives nothing: {}", String::from_utf8_lossy(&output.stderr));
    }
    Some(results.into_iter().map(|mut result| result["value"].take()).collect())
}
