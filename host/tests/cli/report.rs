//! `prism report`. A browser checks the drawing, if one is installed.

use crate::command::{Run, column, example, predictions, shipped};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::fs;
use std::io::Read;
use std::path::Path;
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
    assert_eq!((at, names.len()), (0, 1), "templates are left out");
    outcome.says(0, "warning: alone/1crn.pdb: --pae: it is left out: no file with predicted aligned errors");
    let matrix = "in/made_scores_rank_001_alphafold2_multimer_v3_model_3_seed_000.json";
    run.put(matrix, &scores[..scores.len() / 2]);
    let damaged = run.prism(&["report", "in", "--pae", "--backend", "cpu", "-o", "damaged.html"]);
    damaged.says(0, "000.json: is cut inside of \"pae\"");
    run.put(matrix, &scores);
    if let Some(page) = drawn(&run, &format!("r.html#{}", names[at].as_str().unwrap())) {
        for text in ["<h2>Predicted aligned errors</h2>", ">ipsae</th>", "A, B</button>"] {
            assert!(page.contains(text), "{text}: {page}");
        }
    }
}

/// The document in Chromium after the page's script has run.
fn drawn(run: &Run, address: &str) -> Option<String> {
    let profile = run.path("profile");
    let output = Command::new("chromium")
        .args(["--headless", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"])
        .args(["--virtual-time-budget=60000", "--window-size=2700,1100", "--dump-dom"])
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg(format!("file://{}/{address}", run.path("").display()))
        .output()
        .ok()?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// What a page gives to a script that acts like a person in a window of some width, in pixels; `None` without Chromium.
fn acted(run: &Run, report: &str, address: &str, width: u32, script: &str) -> Option<Value> {
    let html = fs::read_to_string(run.path(report)).unwrap();
    let helpers = include_str!("report.js");
    let acting = format!("<body><script>\n{helpers}\nact(async () => {{ {script} }});\n</script>");
    fs::write(run.path("acted.html"), html.replacen("<body>", &acting, 1)).unwrap();
    // Windows have a least width, and frames have none.
    let frame = format!(
        "<!DOCTYPE html><pre id=\"result\"></pre><iframe width=\"{width}\" height=\"900\" src=\"acted.html{address}\"></iframe><script>\
         onmessage = event => {{ document.getElementById('result').textContent = btoa(unescape(encodeURIComponent(event.data))); }}</script>"
    );
    fs::write(run.path("frame.html"), frame).unwrap();
    let page = drawn(run, "frame.html")?;
    let packed = page.split_once("<pre id=\"result\">").unwrap().1.split_once("</pre>").unwrap().0;
    let result: Value = serde_json::from_slice(&STANDARD.decode(packed).unwrap())
        .unwrap_or_else(|error| panic!("{address} at {width}: {error}: {page}"));
    assert_eq!(result["errors"], Value::Array(Vec::new()), "{address} at {width}");
    Some(result["value"].clone())
}

fn skipped() {
    eprintln!("skipped: there is no chromium here");
}

#[test]
fn a_browser_draws_it() {
    let run = folder();
    assert_eq!(
        run.prism(&["report", "in", "--backend", "cpu", "--title", "Three <proteins>", "-o", "r.html"]).status,
        3
    );
    let Some(index) = drawn(&run, "r.html") else { return skipped() };
    for text in [
        "<h1>Three &lt;proteins&gt;</h1>",
        "From in. 3 structures, 316 residues",
        "data-ready=\"1\"",
        "crambin &lt;b&gt;.pdb",
        "the file is empty",
        "<h2>Distributions</h2>",
        "<svg",
    ] {
        assert!(index.contains(text), "{text}: {index}");
    }
    // What stands out comes first, then the table, then distributions.
    let places =
        ["What stands out</h2>", "Structures</h2>", "Distributions</h2>"].map(|text| index.find(text).unwrap());
    assert!(places.is_sorted(), "{places:?}");
    assert!(
        !index.contains("3Dmol</title>") && !index.contains("globalThis[\"3Dmol\"] ="),
        "the viewer is not needed here"
    );
    let page = drawn(&run, "r.html#rbd.pdb").unwrap();
    for text in ["<h1>rbd.pdb</h1>", "194 residues, chain (E)", "<h2>Along the sequence</h2>"] {
        let text = text.replace("chain (E)", "1 chain (E)");
        assert!(page.contains(&text), "{text}: {page}");
    }
}

/// A report on an enzyme with ligands, three helices, a protein on DNA, and a protein with a glycan.
fn varied() -> Run {
    let run = Run::new();
    for (from, to) in
        [("1fbl_cut.cif.gz", "1fbl.cif.gz"), ("1jcd.pdb.gz", "1jcd.pdb.gz"), ("1lcd_cut.pdb.gz", "1lcd.pdb.gz")]
    {
        run.copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data").join(from), &format!("in/{to}"));
    }
    run.copy(&example(), "in/rbd.pdb");
    let outcome = run.prism(&["report", "in", "--backend", "cpu", "-o", "r.html"]);
    assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    run
}

#[test]
fn a_site_a_map_and_a_track_lead_to_the_structure_and_the_address() {
    let run = varied();
    let script = "
        click(named('button.pick', 'Site 1'));
        await shows('Site 1');
        const site = { address: location.hash, drawn: one('.view').ariaDescription, title: text('.chosen h3'), row: text('tr.is-chosen td') };
        const member = one('tr.is-chosen button[data-residue]').dataset.residue;
        click(one('tr.is-chosen button[data-residue]'));
        await shows(member);
        const residue = { member, address: location.hash, readout: text('.tracks ~ .readout'), values: text('.chosen dl') };
        click(one('.map canvas'), .25, .75);
        await shows(' and ');
        const pair = { address: location.hash, drawn: one('.view').ariaDescription, readout: text('.map .readout') };
        const tracks = all('.tracks canvas')[1];
        click(tracks, .5, .5);
        await until('one residue', () => one('.chosen dl'));
        await shows(text('.chosen h3').replace('×', ''));
        const before = location.hash;
        press(tracks, 'ArrowRight');
        await until('the next residue', () => location.hash !== before);
        const track = { before, after: location.hash, marked: text('.tracks ~ .readout') };
        press(document.body, 'Escape');
        await shows('whole');
        return { site, residue, pair, track, cleared: location.hash, end: text('.chosen h3') };";
    let Some(found) = acted(&run, "r.html", "#1fbl.cif", 1440, script) else { return skipped() };
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    assert_eq!((&*text(&found["site"]["address"]), &*text(&found["site"]["row"])), ("#1fbl.cif?site=1", "Site 1"));
    let table = run.prism(&["sites", "in/1fbl.cif.gz", "--backend", "cpu"]).stdout;
    let residues = column(&table, "residues")[0].split(' ').count();
    assert!(
        text(&found["site"]["drawn"]).contains(&format!("{residues} residues as sticks, and a surface")),
        "{found}"
    );
    let member = text(&found["residue"]["member"]);
    assert_eq!(text(&found["residue"]["address"]), format!("#1fbl.cif?residue={member}"));
    assert!(text(&found["residue"]["readout"]).starts_with(&member), "{found}");
    assert!(text(&found["residue"]["values"]).contains("rsa"), "{found}");
    let pair = text(&found["pair"]["address"]);
    assert_eq!(pair.matches("residue=").count(), 2, "{found}");
    assert!(text(&found["pair"]["readout"]).ends_with(" Å"), "{found}");
    // The next residue along the sequence.
    let number = |address: &Value| text(address).rsplit_once('_').unwrap().1.parse::<i32>().unwrap();
    assert_eq!(number(&found["track"]["after"]), number(&found["track"]["before"]) + 1, "{found}");
    assert_eq!((&*text(&found["cleared"]), &*text(&found["end"])), ("#1fbl.cif", "Nothing is selected"));
}

#[test]
fn a_click_on_the_structure_selects_a_residue_everywhere() {
    let run = varied();
    let script = "
        press(document.body, 'Escape');
        await shows('whole');
        // The camera still looks at the residue of the address.
        click(one('.view canvas'));
        await until('a selection', () => location.hash.includes('?'));
        await shows('sticks');
        return { address: location.hash, title: text('.chosen h3'), readout: text('.tracks ~ .readout') };";
    let Some(found) = acted(&run, "r.html", "#rbd.pdb?residue=E_400", 1440, script) else { return skipped() };
    let address = found["address"].as_str().unwrap();
    let residue = address.strip_prefix("#rbd.pdb?residue=").unwrap_or_else(|| panic!("{found}"));
    assert!(found["title"].as_str().unwrap().starts_with(residue), "{found}");
    assert!(found["readout"].as_str().unwrap().starts_with(residue), "{found}");
}

#[test]
fn an_address_leads_to_a_selection() {
    let run = varied();
    let script = "return { drawn: one('.view').ariaDescription, title: text('.chosen h3'), about: text('.chosen p'), row: all('tr.is-chosen td:first-child').map(cell => cell.textContent) };";
    let cases = [
        ("#1fbl.cif?ligand=A_996", "A_996 (CA)", "ion, 1 atom", "A_996"),
        ("#1jcd.pdb?chain=A&chain=B", "Interface of A and B", "Å² buried", "A, B"),
        ("#1fbl.cif?interaction=0", "", "Å", ""),
        ("#rbd.pdb?residue=E_336&residue=E_361", "E_336 (CYS) and E_361 (CYS)", "Å apart", ""),
        ("#rbd.pdb?residue=E_9999", "Nothing is selected", "", ""),
    ];
    for (address, title, about, row) in cases {
        let Some(found) = acted(&run, "r.html", address, 1440, script) else { return skipped() };
        assert!(found["title"].as_str().unwrap().starts_with(title), "{address}: {found}");
        assert!(found["about"].as_str().unwrap().contains(about), "{address}: {found}");
        if !row.is_empty() {
            assert!(found["row"].as_array().unwrap().iter().any(|cell| cell == row), "{address}: {found}");
        }
    }
    // The same area and contacts as in the table of interfaces.
    let found = acted(&run, "r.html", "#1jcd.pdb?chain=A&chain=B", 1440, script).unwrap();
    let table = run.prism(&["interface", "in/1jcd.pdb.gz", "--backend", "cpu"]).stdout;
    let area: f64 = column(&table, "buried_area")[0].parse().unwrap();
    let expected = format!("{area:.0} Å² buried, {} contacts", column(&table, "contacts")[0]);
    assert!(found["about"].as_str().unwrap().starts_with(&expected), "{expected}: {found}");
}

#[test]
fn every_colouring_has_a_legend_that_says_what_it_means() {
    let run = varied();
    let script = "
        const legends = {};
        for (const option of one('select[aria-label=\"Colour by\"]').options) {
          choice('Colour by', option.value);
          legends[option.value] = all('#legend > span').map(part => part.textContent);
        }
        return { legends, address: location.hash };";
    let Some(found) = acted(&run, "r.html", "#1jcd.pdb", 1440, script) else { return skipped() };
    let legends = found["legends"].as_object().unwrap();
    let legend =
        |name: &str| legends[name].as_array().unwrap().iter().map(|part| part.as_str().unwrap()).collect::<Vec<_>>();
    assert_eq!(legend("chain"), ["chain A", "chain B", "chain C"]);
    assert!(legend("secondary structure").contains(&"H alpha helix"));
    assert!(legend("site").first().unwrap().starts_with("site 1, 0."), "{found}");
    assert_eq!(legend("site").last(), Some(&"in no site"));
    assert_eq!(legend("site_score"), ["0", "1", "not defined"]);
    assert!(legend("sasa")[1].ends_with(" Å²"), "{found}");
    for (name, parts) in legends {
        let parts = parts.to_string();
        assert!(!parts.contains("[object") && !parts.contains("undefined,"), "{name}: {parts}");
    }
    assert!(legends.len() > 20 && found["address"].as_str().unwrap().contains("colour="), "{found}");
}

#[test]
fn a_predicted_model_has_the_colours_of_its_confidence() {
    let run = Run::new();
    predictions(&run, "colabfold", "in/");
    assert_eq!(run.prism(&["report", "in", "--pae", "--backend", "cpu", "-o", "r.html"]).status, 0);
    let name =
        data(&fs::read_to_string(run.path("r.html")).unwrap())["structures"][0]["name"].as_str().unwrap().to_owned();
    let script = "
        const legend = all('#legend > span').map(part => part.textContent);
        const matrix = all('section').find(section => section.textContent.startsWith('Predicted aligned errors'));
        click(matrix.querySelector('canvas'), .2, .7);
        await shows(' and ');
        return { colour: one('select[aria-label=\"Colour by\"]').value, legend, address: location.hash, readout: matrix.querySelector('.readout').textContent };";
    let Some(found) = acted(&run, "r.html", &format!("#{name}"), 1440, script) else { return skipped() };
    assert_eq!(found["colour"], "plddt");
    let legend: Vec<&str> = found["legend"].as_array().unwrap().iter().map(|part| part.as_str().unwrap()).collect();
    assert_eq!(
        legend,
        ["very high, above 90", "high, 70 to 90", "low, 50 to 70", "very low, 50 or below", "not defined"]
    );
    assert_eq!(found["address"].as_str().unwrap().matches("residue=").count(), 2, "{found}");
    assert!(found["readout"].as_str().unwrap().contains(", aligned on "), "{found}");
}

#[test]
fn no_width_makes_the_page_scroll_sideways_light_or_dark() {
    let run = varied();
    let script = "
        const widths = [], root = document.documentElement, ground = () => getComputedStyle(document.body).backgroundColor;
        const measure = () => { widths.push(root.scrollWidth - innerWidth); return ground(); };
        const light = measure();
        click(one('#theme'));
        await sleep(50);
        const dark = measure();
        const unnamed = all('button, select, input, canvas[tabindex], [role=img], [role=region]').filter(element => !(element.ariaLabel || element.textContent.trim() || element.closest('label')));
        return { widths, light, dark, inner: innerWidth, unnamed: unnamed.map(element => element.outerHTML.slice(0, 200)) };";
    for width in [390, 1440, 2560] {
        for address in ["", "#1fbl.cif?site=1", "#1lcd.pdb"] {
            let Some(found) = acted(&run, "r.html", address, width, script) else { return skipped() };
            assert_eq!(found["inner"], width);
            assert!(
                found["widths"].as_array().unwrap().iter().all(|over| over.as_i64().unwrap() <= 0),
                "{address} at {width}: {found}"
            );
            assert_ne!(found["light"], found["dark"], "{address} at {width}");
            assert_eq!(found["unnamed"], Value::Array(Vec::new()), "{address} at {width}");
        }
    }
}

#[test]
fn the_table_of_structures_is_sorted_and_filtered() {
    let run = varied();
    let script = "
        const table = one('[aria-label=Structures]'), names = () => [...table.querySelectorAll('tbody td:first-child')].map(cell => cell.textContent);
        click(named('th button', 'Residues'));
        const sorted = [names(), table.querySelector('[aria-sort]').ariaSort];
        const filter = one('input[type=search]');
        filter.value = 'zn'; filter.dispatchEvent(new Event('input'));
        const filtered = names();
        table.querySelector('tbody a').click();
        await until('the page', () => one('h1')?.textContent === '1fbl.cif' && one('.view')?.ariaDescription);
        return { sorted, filtered };";
    let Some(found) = acted(&run, "r.html", "", 1440, script) else { return skipped() };
    let by_residues = ["rbd.pdb", "1jcd.pdb", "1fbl.cif", "1lcd.pdb"];
    assert_eq!(found["sorted"][0], serde_json::json!(by_residues), "{found}");
    assert_eq!(found["sorted"][1], "descending");
    assert_eq!(found["filtered"], serde_json::json!(["1fbl.cif"]));
}

#[test]
fn atoms_of_the_page_are_those_of_the_file() {
    let run = folder();
    assert_eq!(run.prism(&["report", "in", "--backend", "cpu", "-o", "r.html"]).status, 3);
    let html = fs::read_to_string(run.path("r.html")).unwrap();
    let names: Vec<Value> =
        data(&html)["structures"].as_array().unwrap().iter().map(|one| one["name"].clone()).collect();
    let place = names.iter().position(|name| name == "crambin <b>.pdb").unwrap();
    let atoms = &detail(&html, &format!("s{place}"))["atoms"];
    let bytes = STANDARD.decode(atoms["deltas"].as_str().unwrap()).unwrap();
    let (bytes, n) = (&bytes[..], bytes.len() / 12);
    let steps = atoms["steps"].as_f64().unwrap();
    let center: Vec<f64> = serde_json::from_value(atoms["center"].clone()).unwrap();
    let positions = |axis: usize| {
        let delta = move |index: usize| {
            let zigzag =
                (0..4).fold(0_u32, |all, byte| all | u32::from(bytes[byte * 3 * n + axis * n + index]) << (8 * byte));
            i64::from((zigzag >> 1) as i32 ^ -((zigzag & 1) as i32))
        };
        (0..n).scan(0, move |at, index| {
            *at += delta(index);
            Some(*at as f64 / steps)
        })
    };
    let expected: Vec<[f64; 3]> = fs::read_to_string(shipped("1crn.pdb"))
        .unwrap()
        .lines()
        .filter(|line| line.starts_with("ATOM"))
        .map(|line| [30..38, 38..46, 46..54].map(|field| line[field].trim().parse().unwrap()))
        .collect();
    for axis in 0..3 {
        let found: Vec<f64> = positions(axis).take(expected.len()).collect();
        for (found, expected) in found.iter().zip(&expected) {
            assert!(
                (found + center[axis] - expected[axis]).abs() < 0.011,
                "{found} + {} for {}",
                center[axis],
                expected[axis]
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
fn two_structures_are_compared_along_an_alignment() {
    let run = Run::new();
    let crambin = fs::read_to_string(shipped("1crn.pdb")).unwrap();
    run.put("in/whole.pdb", &crambin);
    // Another chain without residues 23 to 25, and numbered from 101.
    let is_left =
        |line: &&str| !line.starts_with("ATOM") || !(23..=25).contains(&line[22..26].trim().parse::<i32>().unwrap());
    let renumbered = |line: &str| match line.starts_with("ATOM") {
        true => format!("{}B{:4}{}\n", &line[..21], line[22..26].trim().parse::<i32>().unwrap() + 100, &line[26..]),
        false => format!("{line}\n"),
    };
    let cut: String = crambin.lines().filter(is_left).map(renumbered).collect();
    run.put("in/cut.pdb", cut);
    assert_eq!(run.prism(&["report", "in", "--backend", "cpu", "-o", "r.html"]).status, 0);
    let script = "
        await until('the comparison', () => text('main p')?.includes('aligned'));
        const greatest = one('[aria-label=\"Greatest differences\"] tbody tr'), cells = [...greatest.children].map(cell => cell.textContent);
        const result = { about: text('main p'), cells, columns: all('[aria-label=\"Differences by column\"] tbody tr').length, address: location.hash };
        choice('Column', 'hydropathy');
        result.same = text('[aria-label=\"Greatest differences\"] tbody tr td:last-child');
        greatest.querySelector('a').click();
        one('[aria-label=\"Greatest differences\"] a').click();
        await until('the page', () => one('h1')?.textContent === 'whole.pdb' && one('.view')?.ariaDescription?.includes('A_'));
        return { ...result, after: location.hash };";
    let address = "#compare?a=whole.pdb&b=cut.pdb&column=sasa";
    let Some(found) = acted(&run, "r.html", address, 1440, script) else { return skipped() };
    assert!(
        found["about"]
            .as_str()
            .unwrap()
            .starts_with("43 of 46 and 43 residues are aligned by their sequences, 43 of them"),
        "{found}"
    );
    // The greatest difference of areas, from the table of features.
    let areas = |file: &str| -> Vec<f64> {
        let table = run.features(&[&format!("in/{file}"), "--columns", "sasa"]).stdout;
        column(&table, "sasa").iter().map(|value| value.parse().unwrap()).collect()
    };
    let (whole, cut) = (areas("whole.pdb"), areas("cut.pdb"));
    let differences =
        (0..46).filter(|row| !(22..=24).contains(row)).zip(&cut).map(|(row, cut)| (row, whole[row] - cut));
    let (row, difference) = differences.max_by(|a, b| a.1.abs().total_cmp(&b.1.abs())).unwrap();
    let cells: Vec<&str> = found["cells"].as_array().unwrap().iter().map(|cell| cell.as_str().unwrap()).collect();
    assert!(
        cells[0].starts_with(&format!("A_{} (", row + 1)) && cells[1].starts_with(&format!("B_{} (", row + 101)),
        "{row} {found}"
    );
    let shown: f64 = cells[4].parse().unwrap();
    assert!((shown - difference).abs() < 1.5, "{difference}: {found}");
    assert_eq!(found["same"], "0");
    assert!(found["columns"].as_u64().unwrap() > 20, "{found}");
    assert!(found["after"].as_str().unwrap().starts_with("#whole.pdb?residue=A_"), "{found}");
}

#[test]
fn frames_of_a_trajectory_are_one_page_with_a_slider() {
    let run = Run::new();
    let made = |name: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join("trajectory/tests/data").join(name);
    run.copy(&made("top.pdb"), "top.pdb");
    run.copy(&made("small.xtc"), "run.xtc");
    let outcome = run.prism(&["report", "top.pdb", "--trajectory", "run.xtc", "--backend", "cpu", "-o", "r.html"]);
    assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    let html = fs::read_to_string(run.path("r.html")).unwrap();
    assert_eq!((data(&html)["frames"].as_u64(), data(&html)["structures"].as_array().unwrap().len()), (Some(6), 1));
    // The mean and the deviation of the table of all frames.
    let table = run.features(&["top.pdb", "--trajectory", "run.xtc", "--columns", "row,sasa"]).stdout;
    let areas: Vec<f64> = column(&table, "sasa").iter().map(|value| value.parse().unwrap()).collect();
    let frames = detail(&html, "frames");
    for row in 0..46 {
        let own: Vec<f64> = (0..6).map(|frame| areas[frame * 46 + row]).collect();
        let mean = own.iter().sum::<f64>() / 6.0;
        let deviation = (own.iter().map(|area| (area - mean).powi(2)).sum::<f64>() / 6.0).sqrt();
        let found = |name: &str| frames["columns"]["sasa"][name][row].as_f64().unwrap();
        assert!((found("mean") - mean).abs() < 2e-3 && (found("deviation") - deviation).abs() < 2e-3, "row {row}");
    }
    let script = "
        const slider = one('input[aria-label=Frame]');
        slider.value = '5'; slider.dispatchEvent(new Event('input'));
        const canvas = one('canvas[aria-label^=\"Values of residues\"]');
        const when = slider.nextElementSibling.textContent;
        click(canvas, .5, .1);
        await until('a residue', () => location.hash.includes('residue='));
        const section = slider.closest('section');
        return { frames: slider.max, when, first: slider.value, readout: section.querySelector('.readout').textContent, address: location.hash, drawn: !!one('.view canvas') };";
    let Some(found) = acted(&run, "r.html", "#top.pdb", 1440, script) else { return skipped() };
    assert_eq!(
        (&found["frames"], &found["when"], &found["first"]),
        (&"5".into(), &"frame 5, 50 ps".into(), &"0".into()),
        "{found}"
    );
    let residue = found["address"].as_str().unwrap().rsplit_once('=').unwrap().1.to_owned();
    assert!(found["readout"].as_str().unwrap().starts_with(&residue), "{found}");
    assert!(found["readout"].as_str().unwrap().ends_with("in frame 0, 0 ps"), "{found}");
    assert_eq!(run.prism(&["report", "top.pdb", "--trajectory", "run.xtc", "--pae", "-o", "r.html"]).status, 2);
}
