//! Pages of `prism report` on two structures and on the frames of a trajectory, in Chromium.

use crate::browser::{Visit, skipped, visit, visits};
use crate::command::{Run, column, shipped};
use crate::report::{data, detail};
use std::fs;
use std::path::Path;

#[test]
fn two_structures_are_compared_along_an_alignment() {
    let run = Run::new();
    let crambin = fs::read_to_string(shipped("1crn.pdb")).unwrap();
    run.put("in/whole.pdb", &crambin);
    // Another chain without residues 23 to 25, numbered from 101, with its aspartate protonated, and turned by 90 degrees; residues after 30 lie
    // 6 Å farther along x.
    let is_left =
        |line: &&str| !line.starts_with("ATOM") || !(23..=25).contains(&line[22..26].trim().parse::<i32>().unwrap());
    let renumbered = |line: &str| match line.starts_with("ATOM") {
        true => {
            let number: i32 = line[22..26].trim().parse().unwrap();
            let [x, y, z] = [30..38, 38..46, 46..54].map(|field| line[field].trim().parse::<f64>().unwrap());
            let moved =
                format!("{:8.3}{:8.3}{:8.3}", 10.0 - y, 20.0 + x + if number > 30 { 6.0 } else { 0.0 }, 30.0 + z);
            format!("{}B{:4}{}{moved}{}\n", &line[..21], number + 100, &line[26..30], &line[54..])
        }
        false => format!("{line}\n"),
    };
    let cut: String = crambin.lines().filter(is_left).map(renumbered).map(|line| line.replace("ASP", "ASH")).collect();
    run.put("in/cut.pdb", cut);
    assert_eq!(run.prism(&["report", "in", "--backend", "cpu", "-o", "r.html"]).status, 0);
    let script = "
        await until('the comparison', () => text('main p')?.includes('aligned'));
        const greatest = one('[aria-label=\"Greatest differences\"] tbody tr'), cells = [...greatest.children].map(cell => cell.textContent);
        const result = { about: text('main p'), cells, columns: all('[aria-label=\"Differences by column\"] tbody tr').length, address: location.hash };
        const fit = () => one('.frame ~ .readout').textContent;
        await until('the superposition', () => one('.view').ariaDescription);
        const fits = [fit()];
        choice('Superpose', 'agreeing');
        fits.push(fit());
        choice('Colour both by', 'distance');
        result.link = location.hash;
        result.correlations = Object.fromEntries(all('[aria-label=\"Differences by column\"] tbody tr').map(row => [row.dataset.key, row.children[3].textContent]));
        const legend = all('.frame ~ .legend > span').map(part => part.textContent);
        press(one('.tracks canvas'), 'ArrowRight');
        const apart = one('.tracks ~ .readout').textContent;
        choice('Column', 'hydropathy');
        result.same = text('[aria-label=\"Greatest differences\"] tbody tr td:nth-child(3)');
        greatest.querySelector('a').click();
        one('[aria-label=\"Greatest differences\"] a').click();
        await until('the page', () => one('h1')?.textContent === 'whole.pdb' && one('.view')?.ariaDescription?.includes('A_'));
        return { ...result, fits, legend, apart, after: location.hash };";
    let address = "#compare?a=whole.pdb&b=cut.pdb&column=sasa";
    let Some(found) = visit(&run, "r.html", address, script) else { return skipped() };
    assert!(
        found["about"]
            .as_str()
            .unwrap()
            .starts_with("43 of 46 and 43 residues are aligned by their sequences, 43 of them the same."),
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
    let shown: f64 = cells[2].parse().unwrap();
    assert!((shown - difference).abs() < 1.5, "{difference}: {found}");
    assert_eq!(found["same"], "0");
    let link = found["link"].as_str().unwrap();
    assert!(link.contains("fit=agreeing") && link.contains("colour=distance"), "{link}");
    let correlation = |name: &str| found["correlations"][name].as_str().unwrap().parse::<f64>().unwrap();
    assert!((correlation("omega") - circular_correlation(&run, "omega")).abs() < 0.01, "{found}");
    assert!(found["columns"].as_u64().unwrap() > 20, "{found}");
    assert!(found["after"].as_str().unwrap().starts_with("#whole.pdb?residue=A_"), "{found}");
    // From Biopython 1.86's SVDSuperimposer: 2.616 Å.
    let fits: Vec<&str> = found["fits"].as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect();
    assert!(
        fits[0].starts_with("Root mean square deviation 2.62 Å over 43 residues, between alpha carbons"),
        "{found}"
    );
    // The 27 that agree differ by the steps of positions in the page alone.
    let (deviation, rest) = fits[1].strip_prefix("Root mean square deviation ").unwrap().split_once(' ').unwrap();
    assert!(deviation.parse::<f64>().unwrap() < 0.03 && rest.starts_with("Å over 27 residues, "), "{found}");
    assert_eq!(found["legend"][1], "6 Å apart", "{found}");
    assert_eq!(found["legend"].as_array().unwrap().last(), Some(&"cut.pdb is thinner".into()), "{found}");
    assert!(found["apart"].as_str().unwrap().ends_with(" Å apart when superposed"), "{found}");
}

/// The circular correlation (Jammalamadaka and SenGupta 2001) of a column of the structures of the comparison.
fn circular_correlation(run: &Run, name: &str) -> f64 {
    let angles = |file: &str| -> Vec<Option<f64>> {
        let table = run.features(&[&format!("in/{file}"), "--columns", name]).stdout;
        column(&table, name).iter().map(|value| value.parse::<f64>().ok().map(f64::to_radians)).collect()
    };
    let (whole, cut) = (angles("whole.pdb"), angles("cut.pdb"));
    let aligned = (0..46).filter(|row| !(22..=24).contains(row)).zip(cut);
    let pairs: Vec<[f64; 2]> = aligned.filter_map(|(row, cut)| Some([whole[row]?, cut?])).collect();
    let off = |side: usize| -> Vec<f64> {
        let sum = |of: fn(f64) -> f64| pairs.iter().map(|pair| of(pair[side])).sum::<f64>();
        let mean = sum(f64::sin).atan2(sum(f64::cos));
        pairs.iter().map(|pair| (pair[side] - mean).sin()).collect()
    };
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let (a, b) = (off(0), off(1));
    product(&a, &b) / (product(&a, &a) * product(&b, &b)).sqrt()
}

#[test]
fn frames_of_a_trajectory_are_one_page_with_a_slider() {
    let run = Run::new();
    let made = |name: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join("trajectory/tests/data").join(name);
    // One of its waters is a ligand.
    let text = fs::read_to_string(made("top.pdb")).unwrap();
    let water = text.lines().find(|line| line.contains("SOL") || line.contains("HOH")).unwrap();
    let named =
        |line: &str| if line == water { format!("{}LIG{}\n", &line[..17], &line[20..]) } else { format!("{line}\n") };
    run.put("top.pdb", text.lines().map(named).collect::<String>());
    run.copy(&made("small.xtc"), "run.xtc");
    let outcome = run.prism(&["report", "top.pdb", "--trajectory", "run.xtc", "--backend", "cpu", "-o", "r.html"]);
    assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    let html = fs::read_to_string(run.path("r.html")).unwrap();
    assert_eq!((data(&html)["frames"].as_u64(), data(&html)["structures"].as_array().unwrap().len()), (Some(6), 1));
    assert_eq!(data(&html)["left_out"], serde_json::json!({ "LIG": 1 }));
    // The means and the deviations of the table of statistics; those of angles are on the circle.
    let arguments = ["top.pdb", "--trajectory", "run.xtc", "--columns", "sasa,omega", "--reduce", "mean,sd"];
    let table = run.features(&arguments).stdout;
    // Hydrogen bonds of the backbone's atoms in the first frame; crambin's three disulfides are bonds in the frame as well.
    let found = &detail(&html, "s0")["relations"]["interactions"];
    let disulfide = found["kinds"].as_array().unwrap().iter().position(|kind| kind["name"] == "disulfide").unwrap();
    let of_kind = |kind: usize| found["kind"].as_array().unwrap().iter().filter(|own| **own == kind).count();
    assert_eq!((of_kind(disulfide), of_kind(0) > 20), (3, true), "{found}");
    let frames = detail(&html, "frames");
    for (name, own, statistic) in
        [("sasa", "mean", "mean"), ("sasa", "deviation", "sd"), ("omega", "mean", "mean"), ("omega", "deviation", "sd")]
    {
        for (row, value) in column(&table, &format!("{name}_{statistic}")).iter().enumerate() {
            let found = frames["columns"][name][own][row].as_f64();
            match value.parse::<f64>() {
                Ok(value) => assert!((found.unwrap() - value).abs() < 2e-3, "{name} {own} of row {row}: {value}"),
                Err(_) => assert_eq!(found, None, "{name} {own} of row {row}"),
            }
        }
    }
    let script = "
        click(all('.tracks canvas').at(-1), .5, .5);
        await until('sticks', () => /, and|sticks/.test(one('.view').ariaDescription) && location.hash.includes('residue='));
        const slider = one('input[aria-label=Frame]');
        slider.value = '5'; slider.dispatchEvent(new Event('input'));
        const canvas = one('canvas[aria-label^=\"Values of residues\"]');
        const when = slider.nextElementSibling.textContent;
        await sleep(200);
        const still = one('.view').ariaDescription, panel = text('.chosen');
        click(canvas, .5, .1);
        await until('a residue', () => location.hash.includes('residue='));
        const section = canvas.closest('section');
        return { frames: slider.max, when, first: slider.value, readout: section.querySelector('.readout').textContent, address: location.hash, drawn: !!one('.view canvas'), still, panel, facts: text('.facts p') };";
    let first = "return { title: text('h1'), about: all('main > p').map(part => part.textContent).join(' ') };";
    let Some(found) = visits(&run, "r.html", &[Visit::usual("", first), Visit::usual("#top.pdb", script)]) else {
        return skipped();
    };
    let [first, found] = &found[..] else { panic!("{found:?}") };
    assert_eq!(first["title"], "Trajectory of top.pdb");
    assert!(first["about"].as_str().unwrap().contains("6 frames, from 0 ps to 50 ps, 10 ps apart"), "{first}");
    assert_eq!(
        (&found["frames"], &found["when"], &found["first"]),
        (&"5".into(), &"frame 5, 50 ps".into(), &"0".into()),
        "{found}"
    );
    let residue = found["address"].as_str().unwrap().rsplit_once('=').unwrap().1.to_owned();
    assert!(found["readout"].as_str().unwrap().starts_with(&residue), "{found}");
    assert!(found["readout"].as_str().unwrap().ends_with("in frame 0, 0 ps"), "{found}");
    // Side chains move with the frames; the panel says which frame its values are of, and the page what it leaves out.
    assert!(!found["still"].as_str().unwrap().contains(" 0 residues"), "{found}");
    assert!(found["panel"].as_str().unwrap().contains("those of the first frame"), "{found}");
    assert!(found["facts"].as_str().unwrap().contains("without LIG"), "{found}");
    assert_eq!(run.prism(&["report", "top.pdb", "--trajectory", "run.xtc", "--pae", "-o", "r.html"]).status, 2);
}
