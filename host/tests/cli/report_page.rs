//! The pages of `prism report`, in Chromium.

use crate::browser::{Visit, skipped, visit, visits};
use crate::command::{Run, column, example, predictions, shipped};
use crate::report::{data, folder};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

#[test]
fn the_first_page_says_what_stands_out_before_it_lists_and_counts() {
    let run = folder();
    assert_eq!(
        run.prism(&["report", "in", "--backend", "cpu", "--title", "Three <proteins>", "-o", "r.html"]).status,
        3
    );
    let script = "
        const links = all('tbody a').map(link => link.getAttribute('href')), definitions = all('.plot').map(plot => !!plot.querySelector('.definition')?.textContent);
        return { text: one('main').innerText, title: document.title, headings: all('h1, h2').map(heading => heading.textContent), links, definitions, libraries: typeof globalThis['3Dmol'] };";
    let Some(found) = visit(&run, "r.html", "", script) else { return skipped() };
    let text = found["text"].as_str().unwrap();
    for part in ["From in. 3 structures, 316 residues", "crambin <b>.pdb", "the file is empty"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let headings = [
        "Three <proteins>",
        "What stands out",
        "Structures",
        "Two structures side by side",
        "Distributions",
        "How it was computed",
    ];
    assert_eq!(found["headings"], serde_json::json!(headings));
    let date = found["title"].as_str().unwrap().strip_prefix("Three <proteins>, ").unwrap();
    assert!(text.contains(date), "{found}");
    // A few distributions, each with its definition; the others are made when they are asked for.
    let definitions = found["definitions"].as_array().unwrap();
    assert!((3..10).contains(&definitions.len()) && definitions.iter().all(|is_there| is_there == true), "{found}");
    assert!(found["links"].as_array().unwrap().contains(&"#crambin%20%3Cb%3E.pdb".into()), "{found}");
    assert_eq!(found["libraries"], "undefined", "the viewer is not needed here");
}

#[test]
fn names_from_files_are_text_wherever_they_stand() {
    let run = Run::new();
    let name = "\"&<i>é %41'.pdb";
    let chain = |line: &str| match line.starts_with("ATOM") {
        true => format!("{}<{}\n", &line[..21], &line[22..]),
        false => format!("{line}\n"),
    };
    let text: String = fs::read_to_string(shipped("1crn.pdb")).unwrap().lines().map(chain).collect();
    run.put(&format!("in/{name}"), text);
    assert_eq!(run.prism(&["report", "in", "--backend", "cpu", "--title", "<i>&", "-o", "r.html"]).status, 0);
    let script = "
        const title = text('h1');
        one('[aria-label=Structures] a').click();
        await until('the page', () => one('.view')?.ariaDescription);
        const name = text('h1'), facts = text('.facts p');
        click(all('.tracks canvas')[1], .5, .5);
        await until('a residue', () => location.hash.includes('residue='));
        await ready();
        return { title, name, facts, chosen: text('.chosen h3'), address: location.hash, italics: all('i').filter(one => one.textContent).length };";
    let Some(found) = visit(&run, "r.html", "", script) else { return skipped() };
    assert_eq!((&found["title"], &found["name"]), (&"<i>&".into(), &name.into()));
    assert!(found["facts"].as_str().unwrap().contains("1 chain (<)"), "{found}");
    assert!(found["chosen"].as_str().unwrap().starts_with("<_"), "{found}");
    assert_eq!(found["italics"], 0, "{found}");
    // The address leads there again.
    let address = found["address"].as_str().unwrap();
    let again = visit(&run, "r.html", address, "return { name: text('h1'), chosen: text('.chosen h3') };").unwrap();
    assert_eq!((&again["name"], &again["chosen"]), (&found["name"], &found["chosen"]), "{address}");
}

/// What a browser found on the pages of an enzyme with ligands, three helices, a protein on DNA, and a protein with a glycan; and what
/// other commands say about them.
struct Varied {
    found: Option<Vec<Value>>,
    sites: String,
    interfaces: String,
}

/// One browser for all tests of these pages.
static VARIED: LazyLock<Varied> = LazyLock::new(|| {
    let run = Run::new();
    for (from, to) in
        [("1fbl_cut.cif.gz", "1fbl.cif.gz"), ("1jcd.pdb.gz", "1jcd.pdb.gz"), ("1lcd_cut.pdb.gz", "1lcd.pdb.gz")]
    {
        run.copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data").join(from), &format!("in/{to}"));
    }
    run.copy(&example(), "in/rbd.pdb");
    let outcome = run.prism(&["report", "in", "--backend", "cpu", "-o", "r.html"]);
    assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    let table = |arguments: &[&str]| run.prism(&[arguments, &["--backend", "cpu"]].concat()).stdout;
    Varied {
        found: visits(&run, "r.html", &VISITS),
        sites: table(&["sites", "in/1fbl.cif.gz"]),
        interfaces: table(&["interface", "in/1jcd.pdb.gz"]),
    }
});

/// What was found in the visits with a script; `None` without Chromium.
fn found_by(script: &str) -> Option<Vec<(Visit<'static>, &'static Value)>> {
    let Some(found) = &VARIED.found else {
        skipped();
        return None;
    };
    Some(VISITS.into_iter().zip(found).filter(|(visit, _)| visit.script == script).collect())
}

fn one_found_by(script: &str) -> Option<&'static Value> {
    found_by(script).map(|found| found[0].1)
}

const fn wide(address: &'static str, width: u32) -> Visit<'static> {
    Visit { address, width, script: MEASURE }
}

const VISITS: [Visit<'static>; 28] = [
    Visit::usual("#1fbl.cif", LINKED),
    Visit::usual("#rbd.pdb?residue=E_400", CLICK),
    Visit::usual("#1fbl.cif?ligand=A_996", ARRIVE),
    Visit::usual("#1jcd.pdb?chain=A&chain=B", ARRIVE),
    Visit::usual("#1fbl.cif?interaction=0", ARRIVE),
    Visit::usual("#rbd.pdb?residue=E_336&residue=E_361", ARRIVE),
    Visit::usual("#rbd.pdb?residue=E_9999", ARRIVE),
    Visit::usual("#1jcd.pdb", COLOUR),
    Visit::usual("#1lcd.pdb", COLOUR),
    wide("", 390),
    wide("#1fbl.cif?site=1", 390),
    wide("#1lcd.pdb", 390),
    wide("", 1440),
    wide("#1fbl.cif?site=1", 1440),
    wide("#1lcd.pdb", 1440),
    wide("", 2560),
    wide("#1fbl.cif?site=1", 2560),
    wide("#1lcd.pdb", 2560),
    Visit::usual("", SORT),
    Visit::usual("#1fbl.cif?site=1", POCKET),
    Visit::usual("#rbd.pdb", LOOK),
    Visit::usual("#nothere.pdb", UNKNOWN),
    Visit::usual("#1jcd.pdb", LISTED),
    Visit::usual("#1fbl.cif?site=1", SKIP),
    Visit::usual("#1fbl.cif?ligand=A_996", PRINT),
    Visit::usual("#1jcd.pdb", KEYS),
    Visit::usual("#1lcd.pdb", BASES),
    Visit::usual("#compare?a=1jcd.pdb&b=rbd.pdb", UNLIKE),
];

const LINKED: &str = "
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

#[test]
fn a_site_a_map_and_a_track_lead_to_the_structure_and_the_address() {
    let Some(found) = one_found_by(LINKED) else { return };
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    assert_eq!((&*text(&found["site"]["address"]), &*text(&found["site"]["row"])), ("#1fbl.cif?site=1", "Site 1"));
    let residues = column(&VARIED.sites, "residues")[0].split(' ').count();
    assert!(
        text(&found["site"]["drawn"]).contains(&format!("{residues} residues as sticks, and a surface")),
        "{found}"
    );
    let member = text(&found["residue"]["member"]);
    assert_eq!(text(&found["residue"]["address"]), format!("#1fbl.cif?residue={member}"));
    assert!(text(&found["residue"]["readout"]).starts_with(&member), "{found}");
    assert!(text(&found["residue"]["values"]).contains("relative accessibility"), "{found}");
    let pair = text(&found["pair"]["address"]);
    assert_eq!(pair.matches("residue=").count(), 2, "{found}");
    assert!(text(&found["pair"]["readout"]).ends_with(" Å"), "{found}");
    // The next residue along the sequence.
    let number = |address: &Value| text(address).rsplit_once('_').unwrap().1.parse::<i32>().unwrap();
    assert_eq!(number(&found["track"]["after"]), number(&found["track"]["before"]) + 1, "{found}");
    assert_eq!((&*text(&found["cleared"]), &*text(&found["end"])), ("#1fbl.cif", "Nothing is selected"));
}

const CLICK: &str = "
    press(document.body, 'Escape');
    await shows('whole');
    // The camera still looks at the residue of the address.
    click(one('.view canvas'));
    await until('a selection', () => location.hash.includes('?'));
    await shows('sticks');
    return { address: location.hash, title: text('.chosen h3'), readout: text('.tracks ~ .readout') };";

#[test]
fn a_click_on_the_structure_selects_a_residue_everywhere() {
    let Some(found) = one_found_by(CLICK) else { return };
    let address = found["address"].as_str().unwrap();
    let residue = address.strip_prefix("#rbd.pdb?residue=").unwrap_or_else(|| panic!("{found}"));
    assert!(found["title"].as_str().unwrap().starts_with(residue), "{found}");
    assert!(found["readout"].as_str().unwrap().starts_with(residue), "{found}");
}

const LOOK: &str = "
    await shows('whole');
    const share = drawnShare();
    const over = one('.view canvas'), box = over.getBoundingClientRect();
    // The pointer goes along the middle until it is on something.
    for (let across = .3; across < .7 && one('.tip').hidden; across += .01) {
      pointer(over, 'mousemove', box.left + across * box.width, box.top + box.height / 2);
      await sleep(150);
    }
    const tip = text('.tip');
    let saved = null;
    HTMLAnchorElement.prototype.click = function () { saved = [this.download, this.href.slice(0, 22), this.href.length]; };
    click(named('button', 'Save picture'));
    return { share, tip, saved };";

#[test]
fn the_structure_fills_its_box_says_what_the_pointer_is_on_and_can_be_saved() {
    let Some(found) = one_found_by(LOOK) else { return };
    let share: Vec<f64> = serde_json::from_value(found["share"].clone()).unwrap();
    assert!(share.iter().any(|share| *share > 0.75) && share.iter().all(|share| *share > 0.3), "{found}");
    let tip = found["tip"].as_str().unwrap();
    assert!(tip.starts_with("E_") && tip.contains('('), "{found}");
    assert_eq!((&found["saved"][0], &found["saved"][1]), (&"rbd.pdb.png".into(), &"data:image/png;base64,".into()));
    assert!(found["saved"][2].as_u64().unwrap() > 10_000, "{found}");
}

const POCKET: &str = "
    await shows('and a surface');
    const legend = () => all('#legend .key, #legend .ramp').map(part => part.textContent);
    const surface = legend(), partners = text('.chosen .edges');
    choice('A selected pocket as', 'points');
    await until('points', () => / point/.test(one('.view').ariaDescription));
    const points = legend(), drawn = one('.view').ariaDescription;
    choice('A selected pocket as', 'sticks alone');
    await until('sticks', () => /sticks$/.test(one('.view').ariaDescription));
    return { surface, points, drawn, neither: legend(), partners };";

#[test]
fn a_pocket_is_a_surface_points_or_neither() {
    let Some(found) = one_found_by(POCKET) else { return };
    let has = |legend: &str, words: &str| {
        found[legend].as_array().unwrap().iter().any(|part| part.as_str().unwrap().contains(words))
    };
    assert!(has("surface", "surface of the selection") && !has("surface", "points of the site"), "{found}");
    assert!(has("points", "points of the site, probability") && !has("points", "surface"), "{found}");
    assert!(!has("neither", "surface") && !has("neither", "points"), "{found}");
}

const ARRIVE: &str = "return { drawn: one('.view').ariaDescription, title: text('.chosen h3'), about: text('.chosen p'), row: all('tr.is-chosen td:first-child').map(cell => cell.textContent), bonded: text('[aria-label=Ligands] tr.is-chosen td:nth-child(8)') };";

#[test]
fn an_address_leads_to_a_selection() {
    let Some(found) = found_by(ARRIVE) else { return };
    // The same area and contacts as in the table of interfaces.
    let area: f64 = column(&VARIED.interfaces, "buried_area")[0].parse().unwrap();
    let interface = format!("{area:.0} Å² buried, {} contacts", column(&VARIED.interfaces, "contacts")[0]);
    let expected = [
        ("A_996 (CA)", "ion, 1 atom", "A_996"),
        ("Interface of A and B", &*interface, "A, B"),
        ("", "Å", ""),
        ("E_336 (CYS) and E_361 (CYS)", "Å apart", ""),
        ("There is no residue E_9999", "does not have it", ""),
    ];
    assert_eq!(found.len(), expected.len());
    // The metal's bonds are named with it.
    let bonded = found[0].1["bonded"].as_str().unwrap();
    assert!(bonded.matches("(coordination)").count() > 2, "{bonded}");
    for ((Visit { address, .. }, found), (title, about, row)) in found.into_iter().zip(expected) {
        assert!(found["title"].as_str().unwrap().starts_with(title), "{address}: {found}");
        assert!(found["about"].as_str().unwrap().contains(about), "{address}: {found}");
        if !row.is_empty() {
            assert!(found["row"].as_array().unwrap().iter().any(|cell| cell == row), "{address}: {found}");
        }
    }
}

const UNKNOWN: &str = "return { alert: text('[role=alert]'), title: text('h1') };";

#[test]
fn a_link_to_a_structure_that_is_not_there_says_so_on_the_first_page() {
    let Some(found) = one_found_by(UNKNOWN) else { return };
    assert_eq!(found["alert"], "There is no structure nothere.pdb in this report. This is its first page.");
    assert_eq!(found["title"], "Report on 4 structures");
}

const LISTED: &str = "
    const list = () => all('[aria-label=Interactions] tbody tr').map(row => [...row.children].map(cell => cell.textContent));
    const which = one('select[aria-label=\"Which interactions\"]'), before = which.selectedOptions[0].textContent;
    click(named('button.pick', 'A, B'));
    await shows('Interface of A and B');
    const selected = { option: which.selectedOptions[0].textContent, lines: list() };
    press(document.body, 'Escape');
    await shows('whole');
    return { before, selected, after: which.selectedOptions[0].textContent };";

#[test]
fn the_list_of_interactions_follows_the_selection() {
    let Some(found) = one_found_by(LISTED) else { return };
    let lines = found["selected"]["lines"].as_array().unwrap();
    assert!(found["selected"]["option"].as_str().unwrap().starts_with("of the selection ("), "{found}");
    // Between the two chains, of several kinds.
    let end = |line: &Value, end: usize| line[end].as_str().unwrap().split(' ').nth(1).unwrap().chars().next();
    assert!(!lines.is_empty() && lines.iter().all(|line| [end(line, 2), end(line, 3)].contains(&Some('A'))), "{found}");
    assert!(lines.iter().all(|line| end(line, 2) != end(line, 3)), "{found}");
    assert_eq!(found["before"], found["after"]);
}

const SKIP: &str = "
    const before = location.hash;
    one('.skip').click();
    await sleep(50);
    return { before, after: location.hash, focus: document.activeElement.id, chosen: text('.chosen h3') };";

#[test]
fn the_link_to_the_content_leaves_the_page_as_it_is() {
    let Some(found) = one_found_by(SKIP) else { return };
    assert_eq!((&found["before"], &found["focus"]), (&found["after"], &"main".into()), "{found}");
    assert!(found["chosen"].as_str().unwrap().starts_with("Site 1"), "{found}");
}

const PRINT: &str = "
    const lines = () => all('[aria-label=Interactions] tbody tr').length, more = () => all('button.more').length;
    choice('Which interactions', 'hbond');
    const before = [lines(), more()], all_of = Number(one('select[aria-label=\"Which interactions\"]').selectedOptions[0].textContent.match(/\\d+/)[0]);
    dispatchEvent(new Event('beforeprint'));
    const printed = [lines(), more()], foot = all('head style').at(-1).textContent;
    dispatchEvent(new Event('afterprint'));
    return { before, printed, after: [lines(), more()], all_of, foot };";

#[test]
fn paper_has_whole_tables_and_says_what_it_is_of() {
    let Some(found) = one_found_by(PRINT) else { return };
    let lines = |when: &str| found[when][0].as_u64().unwrap();
    assert!(lines("before") < lines("printed"), "{found}");
    assert_eq!((lines("printed"), &found["before"]), (found["all_of"].as_u64().unwrap().min(300), &found["after"]));
    let foot = found["foot"].as_str().unwrap();
    assert!(foot.contains("\"1fbl.cif, prism 0.") && foot.contains(", 20"), "{foot}");
}

const KEYS: &str = "
    const before = location.hash, tracks = () => all('.tracks canvas')[1].height;
    choice('Compare with', 'rbd.pdb');
    await sleep(50);
    const stayed = location.hash, tall = tracks();
    choice('Column of a track', 'phi');
    const chosen = tracks();
    click(named('button', 'Show track'));
    const shown = tracks();
    click(named('button', 'Hide track'));
    return { before, stayed, tall, chosen, shown, hidden: tracks() };";

#[test]
fn a_list_is_chosen_from_before_a_button_acts() {
    let Some(found) = one_found_by(KEYS) else { return };
    assert_eq!((&found["before"], &found["tall"]), (&found["stayed"], &found["chosen"]), "{found}");
    assert!(found["shown"].as_u64() > found["tall"].as_u64() && found["hidden"] == found["tall"], "{found}");
}

const BASES: &str = "
    const which = one('select[aria-label=\"Which interactions\"]');
    return { first: which.selectedOptions[0].textContent, head: all('[aria-label=Interactions] th').map(cell => cell.textContent), classes: all('[aria-label=Interactions] tbody td:last-child').map(cell => cell.textContent) };";

#[test]
fn base_pairs_come_first_and_have_their_names() {
    let Some(found) = one_found_by(BASES) else { return };
    assert!(found["first"].as_str().unwrap().starts_with("base pair ("), "{found}");
    assert_eq!(found["head"][1], "Between centres, Å");
    let classes = found["classes"].as_array().unwrap();
    assert!(classes.iter().filter(|class| **class == "Watson-Crick (cWW)").count() > 5, "{found}");
}

const UNLIKE: &str = "
    await until('the comparison', () => one('.two.even')?.textContent);
    return { tables: all('main table').length, alerts: all('[role=alert]').map(part => part.textContent), about: all('main > p.soft').map(part => part.textContent).join(' ') };";

#[test]
fn structures_that_are_not_alike_get_a_warning_in_place_of_means() {
    let Some(found) = one_found_by(UNLIKE) else { return };
    assert_eq!(found["tables"], 0);
    assert!(found["alerts"][0].as_str().unwrap().starts_with("These chains are hardly alike."), "{found}");
    // What other chains of the file bury, from the table of interfaces.
    let chains = column(&VARIED.interfaces, "chain_a").into_iter().zip(column(&VARIED.interfaces, "chain_b"));
    let areas = column(&VARIED.interfaces, "buried_area");
    let own = chains.zip(areas).filter(|((a, b), _)| a == "A" || b == "A");
    let area: f64 = own.map(|(_, area)| area.parse::<f64>().unwrap()).sum();
    let buried = format!("1jcd.pdb was computed with the chains B, C: {area:.0} Å² are buried");
    assert!(found["about"].as_str().unwrap().contains(&buried), "{buried}: {found}");
}

const COLOUR: &str = "
    const legends = {};
    for (const option of one('select[aria-label=\"Colour by\"]').options) {
      choice('Colour by', option.value);
      legends[option.value] = all('#legend > span').map(part => part.textContent);
    }
    return { legends, address: location.hash };";

#[test]
fn every_colouring_has_a_legend_that_says_what_it_means() {
    let Some(found) = found_by(COLOUR) else { return };
    let legend = |page: usize, name: &str| {
        let legend = found[page].1["legends"][name].as_array();
        legend.unwrap().iter().map(|part| part.as_str().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(legend(0, "chain"), ["chain A", "chain B", "chain C"]);
    assert!(legend(0, "secondary structure").contains(&"H alpha helix"));
    assert!(legend(0, "site").first().unwrap().starts_with("site 1, 0."), "{}", found[0].1);
    assert_eq!(legend(0, "site").last(), Some(&"in no site"));
    assert_eq!(legend(0, "site_score"), ["0", "1"], "every residue has one");
    assert_eq!(legend(0, "phi"), ["-180", "180 °", "not defined"]);
    assert_eq!(legend(1, "b_factor")[0], "0 everywhere", "the file has no others");
    assert!(legend(0, "sasa")[1].ends_with(" Å²"), "{}", found[0].1);
    assert!(legend(0, "kind of residue").contains(&"negative") && !legend(0, "kind of residue").contains(&"G"));
    assert!(["A", "C", "G", "U or T"].iter().all(|base| legend(1, "kind of residue").contains(base)));
    for (Visit { address, .. }, found) in found {
        let legends = found["legends"].as_object().unwrap();
        for (name, parts) in legends {
            let parts = parts.to_string();
            assert!(!parts.contains("[object") && !parts.contains("undefined,"), "{address}, {name}: {parts}");
        }
        assert!(legends.len() > 20 && found["address"].as_str().unwrap().contains("colour="), "{address}: {found}");
    }
}

const MEASURE: &str = "
    const widths = [], root = document.documentElement, ground = () => getComputedStyle(document.body).backgroundColor;
    const measure = () => { widths.push(root.scrollWidth - innerWidth); return ground(); };
    const light = measure();
    click(one('#theme'));
    await sleep(50);
    const dark = measure();
    const unnamed = all('button, select, input, canvas[tabindex], [role=img], [role=region]').filter(element => !(element.ariaLabel || element.textContent.trim() || element.closest('label')));
    return { widths, light, dark, inner: innerWidth, unnamed: unnamed.map(element => element.outerHTML.slice(0, 200)) };";

#[test]
fn no_width_makes_the_page_scroll_sideways_light_or_dark() {
    for (Visit { address, width, .. }, found) in found_by(MEASURE).into_iter().flatten() {
        assert_eq!(found["inner"], width);
        assert!(
            found["widths"].as_array().unwrap().iter().all(|over| over.as_i64().unwrap() <= 0),
            "{address} at {width}: {found}"
        );
        assert_ne!(found["light"], found["dark"], "{address} at {width}");
        assert_eq!(found["unnamed"], Value::Array(Vec::new()), "{address} at {width}");
    }
}

const SORT: &str = "
    const table = one('[aria-label=Structures]'), names = () => [...table.querySelectorAll('tbody td:first-child a')].map(cell => cell.textContent);
    click(named('th button', 'Residues'));
    const sorted = [names(), table.querySelector('[aria-sort]').ariaSort];
    const filter = one('input[type=search]');
    filter.value = 'zn'; filter.dispatchEvent(new Event('input'));
    const filtered = names();
    filter.value = 'sars-cov-2 spike'; filter.dispatchEvent(new Event('input'));
    const titled = names();
    filter.value = 'zn'; filter.dispatchEvent(new Event('input'));
    table.querySelector('tbody a').click();
    await until('the page', () => one('h1')?.textContent === '1fbl.cif' && one('.view')?.ariaDescription);
    return { sorted, filtered, titled };";

#[test]
fn the_table_of_structures_is_sorted_and_filtered() {
    let Some(found) = one_found_by(SORT) else { return };
    let by_residues = ["rbd.pdb", "1jcd.pdb", "1fbl.cif", "1lcd.pdb"];
    assert_eq!(found["sorted"][0], serde_json::json!(by_residues), "{found}");
    assert_eq!(found["sorted"][1], "descending");
    assert_eq!(found["filtered"], serde_json::json!(["1fbl.cif"]));
    assert_eq!(found["titled"], serde_json::json!(["rbd.pdb"]), "by the file's TITLE");
}

#[test]
fn a_predicted_model_has_the_colours_of_its_confidence_and_its_errors() {
    let run = Run::new();
    predictions(&run, "colabfold", "in/");
    assert_eq!(run.prism(&["report", "in", "--pae", "--backend", "cpu", "-o", "r.html"]).status, 0);
    let structure = &data(&fs::read_to_string(run.path("r.html")).unwrap())["structures"][0];
    let name = structure["name"].as_str().unwrap().to_owned();
    // The better of both directions, in the table of structures as well.
    let scores = run.prism(&["confidence", "in"]).stdout;
    let best = column(&scores, "ipsae").iter().filter_map(|one| one.parse::<f64>().ok()).fold(0.0, f64::max);
    assert!((structure["scores"]["ipsae"].as_f64().unwrap() - best).abs() < 1e-4, "{structure} {best}");
    let script = "
        const legend = all('#legend > span').map(part => part.textContent);
        const matrix = all('section').find(section => section.textContent.startsWith('Predicted aligned errors'));
        click(matrix.querySelector('canvas'), .2, .7);
        await shows(' and ');
        const scores = [...matrix.querySelectorAll('th')].map(cell => cell.textContent), pairs = [...matrix.querySelectorAll('td button')].map(button => button.textContent);
        const columns = [...one('select[aria-label=\"Colour by\"]').options].map(option => option.value);
        return { scores, pairs, columns, colour: one('select[aria-label=\"Colour by\"]').value, legend, address: location.hash, readout: matrix.querySelector('.readout').textContent };";
    let Some(found) = visit(&run, "r.html", &format!("#{name}"), script) else { return skipped() };
    assert_eq!(found["colour"], "plddt");
    let legend: Vec<&str> = found["legend"].as_array().unwrap().iter().map(|part| part.as_str().unwrap()).collect();
    assert_eq!(legend, ["very high, above 90", "high, 70 to 90", "low, 50 to 70", "very low, 50 or below"]);
    assert_eq!(found["address"].as_str().unwrap().matches("residue=").count(), 2, "{found}");
    assert!(found["readout"].as_str().unwrap().contains(", aligned on "), "{found}");
    assert!(found["scores"].as_array().unwrap().contains(&"ipSAE".into()), "{found}");
    assert_eq!(found["pairs"], serde_json::json!(["A, B"]));
    // Its B column is no B factor.
    assert!(!found["columns"].as_array().unwrap().contains(&"b_factor".into()), "{found}");
}
