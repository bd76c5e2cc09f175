//! What is computed of all frames together: statistics, occupancies, pockets.

use super::*;

/// A table as maps from columns to numbers, by the line's key.
fn numbers(table: &str, name: &str) -> Vec<f64> {
    column(table, name).iter().map(|cell| cell.parse().unwrap_or(f64::NAN)).collect()
}

#[test]
fn statistics_are_those_of_the_table_of_frames() {
    let run = Run::new();
    let columns = ["--columns", "sasa,phi,ss,site_id"];
    let of = |more: &[&str]| {
        let fixed = [&made("top.pdb"), "--trajectory", &made("small.xtc")];
        let table = run.features(&[&fixed[..], &columns, more].concat());
        assert_eq!(table.status, 0, "{}", table.stderr);
        table
    };
    let frames = of(&[]).stdout;
    let reduced = of(&["--reduce", "mean,sd,min,max,median,q05"]);
    let own = run.prism(&[
        "features",
        "--backend",
        "cpu",
        &made("top.pdb"),
        "--trajectory",
        &made("small.xtc"),
        "--columns",
        "sasa,pucker",
        "--reduce",
        "mean",
    ]);
    own.says(0, "--reduce: pucker has no statistics");
    assert!(reduced.stderr.contains("--reduce: site_id has no statistics"), "{}", reduced.stderr);
    let reduced = reduced.stdout;
    assert_eq!((reduced.lines().count(), column(&reduced, "frames")), (1 + 46, vec!["6".to_owned(); 46]));
    assert_eq!(column(&reduced, "resnum")[..], column(&frames, "resnum")[..46]);
    let (sasa, phi, ss) = (numbers(&frames, "sasa"), numbers(&frames, "phi"), column(&frames, "ss"));
    let close = |name: &str, row: usize, expected: f64| {
        let found = numbers(&reduced, name)[row];
        assert!(
            (found - expected).abs() < 1e-4 * (1.0 + expected.abs()) || found.is_nan() && expected.is_nan(),
            "{name}, row {row}: {found} and {expected}"
        );
    };
    for row in 0..46 {
        let mut own: Vec<f64> = sasa.iter().skip(row).step_by(46).copied().collect();
        own.sort_by(f64::total_cmp);
        let mean = own.iter().sum::<f64>() / 6.0;
        close("sasa_mean", row, mean);
        close("sasa_sd", row, (own.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 5.0).sqrt());
        close("sasa_min", row, own[0]);
        close("sasa_max", row, own[5]);
        close("sasa_median", row, (own[2] + own[3]) / 2.0);
        // The rank of 5% among six is a quarter of the way to the second.
        close("sasa_q05", row, own[0] + 0.25 * (own[1] - own[0]));
        let angles = phi.iter().skip(row).step_by(46).map(|angle| angle.to_radians());
        let [sin, cos] = [f64::sin, f64::cos].map(|of: fn(f64) -> f64| angles.clone().map(of).sum::<f64>());
        close("phi_mean", row, sin.atan2(cos).to_degrees());
        let helix = ss.iter().skip(row).step_by(46).filter(|state| *state == "H").count();
        close("ss_H", row, helix as f64 / 6.0);
    }
    assert!(!reduced.lines().next().unwrap().contains("phi_min"), "angles on a circle have no smallest");
    let top = made("top.pdb");
    run.features(&[&top, "--reduce", "mean"]).says(2, "--trajectory");
    run.features(&[&top, "--trajectory", &made("small.xtc"), "--reduce", "mode"]).says(2, "q05 or q97.5");
    run.features(&[&top, "--trajectory", &made("small.xtc"), "--reduce", "mean", "-o", "x.npz"]).says(2, "npz");
    for name in ["x.parquet", "x.json", "x.arrow"] {
        let written = of(&["--reduce", "mean", "-o", name]);
        assert!(written.stdout.is_empty() && !fs::read(run.path(name)).unwrap().is_empty(), "{name}");
    }
}

#[test]
fn statistics_that_columns_do_not_have_are_named() {
    let run = Run::new();
    let (top, frames) = (made("top.pdb"), made("small.xtc"));
    let of = |columns: &str, statistics: &str| {
        run.features(&[&top, "--trajectory", &frames, "--columns", columns, "--reduce", statistics])
    };
    let some = of("sasa,phi,psi", "mean,min,q05");
    some.says(0, "warning: --reduce: dihedral angles have mean and sd alone, so there is no min, q05 of phi, psi");
    assert!(some.stdout.lines().next().unwrap().ends_with(",sasa_mean,sasa_min,sasa_q05,phi_mean,psi_mean"));
    of("sasa,phi", "min").says(0, "there is no min of phi");
    of("phi", "min").says(2, "--reduce: dihedral angles (phi) have mean and sd alone; ask for these");
    of("site_id", "mean").says(2, "--reduce: none of the columns has statistics");
    of("sasa", "q99.99").says(2, "with at most one decimal");
    assert!(!of("phi,ss", "mean,sd").stderr.contains("warning"));
}

#[test]
fn occupancies_are_the_shares_of_frames_with_a_contact() {
    let run = Run::new();
    let of = |more: &[&str]| {
        let table = run.prism(
            &[&["edges", "--backend", "cpu", &made("top.pdb"), "--trajectory", &made("small.xtc")], more].concat(),
        );
        assert_eq!(table.status, 0, "{}", table.stderr);
        table.stdout
    };
    let (edges, occupancy) = (of(&[]), of(&["--occupancy"]));
    let pairs = |table: &str| -> Vec<String> {
        let [i, j, kind] = ["row_i", "row_j", "kind"].map(|name| column(table, name));
        (0..i.len()).map(|line| format!("{} {} {}", i[line], j[line], kind[line])).collect()
    };
    let (all, distances) = (pairs(&edges), numbers(&edges, "distance"));
    let (shares, means, least) =
        (numbers(&occupancy, "occupancy"), numbers(&occupancy, "distance_mean"), numbers(&occupancy, "distance_min"));
    let listed = pairs(&occupancy);
    for (line, pair) in listed.iter().enumerate() {
        let own: Vec<f64> = all.iter().zip(&distances).filter(|(other, _)| *other == pair).map(|(_, d)| *d).collect();
        assert!((shares[line] - own.len() as f64 / 6.0).abs() < 1e-6, "{pair}");
        assert!((means[line] - own.iter().sum::<f64>() / own.len() as f64).abs() < 1e-5, "{pair}");
        assert_eq!(least[line], own.iter().copied().fold(f64::INFINITY, f64::min), "{pair}");
    }
    let mut distinct = all;
    distinct.sort();
    distinct.dedup();
    assert_eq!(distinct.len(), listed.len());
    assert!(shares.iter().any(|share| *share < 1.0) && shares.contains(&1.0));
    assert!(column(&occupancy, "residue_i")[0].starts_with("A_"));
}

#[test]
fn pockets_are_sites_of_several_frames() {
    let run = Run::new();
    let fixed = ["sites", "--backend", "cpu", &made("top.pdb"), "--trajectory", &made("small.xtc"), "--all"];
    let table = run.prism(&[&fixed[..], &["--pockets", "pockets.csv"]].concat());
    assert_eq!(table.status, 0, "{}", table.stderr);
    let (sites, pockets) = (table.stdout, fs::read_to_string(run.path("pockets.csv")).unwrap());
    let (of, volumes) = (column(&sites, "pocket"), numbers(&sites, "volume"));
    let (frames, means) = (numbers(&pockets, "frames"), numbers(&pockets, "volume_mean"));
    assert!(frames.contains(&6.0), "one is there all the time: {pockets}");
    for (line, number) in column(&pockets, "pocket").iter().enumerate() {
        let own: Vec<f64> =
            of.iter().zip(&volumes).filter(|(pocket, _)| *pocket == number).map(|(_, volume)| *volume).collect();
        assert_eq!(own.len() as f64, frames[line], "pocket {number}");
        assert!((means[line] - own.iter().sum::<f64>() / own.len() as f64).abs() < 1e-2, "pocket {number}");
    }
    // A frame has a pocket once.
    let keys: std::collections::BTreeSet<_> = column(&sites, "frame").into_iter().zip(of.iter().cloned()).collect();
    assert_eq!(keys.len(), of.len());
    run.prism(&["sites", &made("top.pdb"), "--pockets", "p.csv"]).says(2, "--trajectory");
}

#[test]
fn known_pockets_are_measured_in_every_frame() {
    let run = Run::new();
    let (top, frames) = (made("top.pdb"), made("small.xtc"));
    let fixed = ["sites", "--backend", "cpu", &top, "--trajectory", &frames];
    run.prism(&[&fixed[..], &["--all", "--pockets", "pockets.csv", "-o", "sites.csv"]].concat());
    let pockets = fs::read_to_string(run.path("pockets.csv")).unwrap();
    let measured = run.prism(&[&fixed[..], &["--measure", "pockets.csv"]].concat());
    assert_eq!(measured.status, 0, "{}", measured.stderr);
    // Also where no site is.
    let (of, volumes) = (column(&measured.stdout, "pocket"), numbers(&measured.stdout, "volume"));
    let known = column(&pockets, "pocket");
    assert_eq!(of, vec![known.clone(); 6].concat());
    let n_frames = numbers(&pockets, "frames");
    assert!(n_frames.iter().any(|frames| *frames < 6.0) && volumes.iter().all(|volume| *volume >= 0.0));
    // A frame by itself, and residues that a user chose.
    let residues = column(&pockets, "residues");
    let own = format!("residues,pocket\n{},7\n{} {},8\n", residues[0], residues[0], residues[1]);
    fs::write(run.path("own.csv"), own).unwrap();
    let third = run.prism(&[&fixed[..], &["--measure", "own.csv", "--frames", "3:4"]].concat());
    let found = numbers(&third.stdout, "volume");
    assert_eq!(
        (column(&third.stdout, "pocket"), column(&third.stdout, "frame")),
        (vec!["7".into(), "8".into()], vec!["3".into(), "3".into()])
    );
    assert_eq!(found[0], volumes[3 * known.len()]);
    fs::write(run.path("other.csv"), "pocket,residues\n1,Z_1\n").unwrap();
    run.prism(&[&fixed[..], &["--measure", "other.csv"]].concat()).says(1, "has no residue Z_1, which lines pocket 1");
    fs::write(run.path("none.csv"), "pocket,residues\n").unwrap();
    run.prism(&[&fixed[..], &["--measure", "none.csv"]].concat()).says(1, "none.csv: line 1: no pocket follows");
    run.prism(&[&fixed[..], &["--measure", "own.csv", "--all"]].concat()).says(2, "--all");
    // Of a topology without chain ids, as GROMACS writes it.
    let blank: String = fs::read_to_string(&top).unwrap().lines().map(without_chain).collect();
    fs::write(run.path("blank.pdb"), blank).unwrap();
    let fixed = ["sites", "--backend", "cpu", "blank.pdb", "--trajectory", &frames];
    run.prism(&[&fixed[..], &["--all", "--pockets", "blank.csv", "-o", "sites.csv"]].concat());
    let again = run.prism(&[&fixed[..], &["--measure", "blank.csv"]].concat());
    assert_eq!(again.status, 0, "{}", again.stderr);
    assert_eq!(numbers(&again.stdout, "volume"), volumes);
}

fn without_chain(line: &str) -> String {
    let is_atom = line.starts_with("ATOM") || line.starts_with("HETATM");
    if is_atom { format!("{} {}\n", &line[..21], &line[22..]) } else { format!("{line}\n") }
}
