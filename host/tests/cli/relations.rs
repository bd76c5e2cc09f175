//! `prism edges`, `prism interface` and `prism summary` from a user's view.

use crate::command::{Run, column, example, names, shipped, trimer};
use std::fs;
use std::io::Read;

#[test]
fn pairs_of_bases_are_the_same_on_every_backend() {
    let run = Run::new();
    let dna = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/1bna.pdb.gz");
    let edges = ["edges", dna.to_str().unwrap(), "--kinds", "base_pair,base_stack"];
    let usual = run.prism(&edges);
    assert_eq!((usual.status, usual.stdout.lines().count()), (0, 1 + 32), "{}", usual.stderr);
    let on = |backend: &str| run.prism(&[&edges[..], &["--backend", backend]].concat());
    assert_eq!(on("cpu").stdout, usual.stdout);
    // Without a device that is an error.
    let device = on("cuda");
    match device.status {
        0 => assert_eq!(device.stdout, usual.stdout),
        _ => assert!(device.stderr.contains("CUDA cannot be used"), "{}", device.stderr),
    }
}

#[test]
fn edges_of_alpha_carbons_are_the_contact_numbers() {
    let run = Run::new();
    let input = example();
    let input = input.to_str().unwrap();
    let edges = run.prism(&["edges", "--backend", "cpu", "--kinds", "ca", input]);
    assert_eq!(edges.status, 0, "{}", edges.stderr);
    assert_eq!(edges.stdout.lines().next(), Some("structure,row_i,row_j,distance,kind"));
    let features = run.features(&["--columns", "contact_number", input]);
    let numbers: Vec<f64> = column(&features.stdout, "contact_number").iter().map(|n| n.parse().unwrap()).collect();
    let mut counts = vec![0.0; numbers.len()];
    for end in ["row_i", "row_j"] {
        column(&edges.stdout, end).iter().for_each(|row| counts[row.parse::<usize>().unwrap()] += 1.0);
    }
    assert_eq!(counts, numbers);
    assert!(column(&edges.stdout, "distance").iter().all(|distance| distance.parse::<f64>().unwrap() < 8.0));
    let both = run.prism(&["edges", "--backend", "cpu", input, "-o", "edges.parquet"]);
    assert_eq!((both.status, both.stdout.as_str()), (0, ""), "{}", both.stderr);
    assert_eq!(fs::read(run.path("edges.parquet")).unwrap()[..4], *b"PAR1");
}

#[test]
fn edges_have_rows_or_names_and_a_cutoff() {
    let run = Run::new();
    run.copy(&shipped("1crn.pdb"), "a.pdb");
    let edges = |more: &[&str]| run.prism(&[&["edges", "--backend", "cpu", "a.pdb", "--kinds", "atom"], more].concat());
    let rows = edges(&[]).stdout;
    let names = edges(&["--ids", "residues"]).stdout;
    assert_eq!(edges(&["--ids", "rows", "--cutoff", "4.5"]).stdout, rows);
    assert_eq!(rows.lines().count(), names.lines().count());
    let header = "structure,chain_a,resnum_a,icode_a,resname_a,chain_b,resnum_b,icode_b,resname_b,distance,kind";
    assert_eq!(names.lines().next(), Some(header));
    // Crambin's residues are numbered from 1 without a gap.
    for (row, name) in column(&rows, "row_i").iter().zip(column(&names, "resnum_a")) {
        assert_eq!(row.parse::<i32>().unwrap() + 1, name.parse::<i32>().unwrap());
    }
    let within_4 = edges(&["--cutoff", "4"]).stdout;
    let expected = column(&rows, "distance").iter().filter(|distance| distance.parse::<f64>().unwrap() <= 4.0).count();
    assert_eq!(within_4.lines().count() - 1, expected);
    edges(&["--cutoff", "0"]).says(2, "give a distance above 0");
}

#[test]
fn interactions_name_both_ends() {
    let run = Run::new();
    run.copy(&shipped("1crn.pdb"), "a.pdb");
    run.put("damaged.pdb", "ATOM      1  CA  GLY A   1       1.000   2.000   x.000  1.00 10.00           C\n");
    let edges = |more: &[&str]| run.prism(&[&["edges", "a.pdb"], more].concat());
    let disulfides = edges(&["--kinds", "disulfide"]);
    assert_eq!(disulfides.status, 0, "{}", disulfides.stderr);
    let expected = "structure,kind,chain_a,resnum_a,icode_a,resname_a,entity_a,atoms_a,chain_b,resnum_b,icode_b,resname_b,entity_b,atoms_b,\
                    distance,angle,water\n\
                    a.pdb,disulfide,A,3,,CYS,protein,SG,A,40,,CYS,protein,SG,2.0041072,,\n";
    assert!(disulfides.stdout.starts_with(expected), "{}", disulfides.stdout);
    assert_eq!(disulfides.stdout.lines().count(), 4);
    let some = run.prism(&["edges", "a.pdb", "damaged.pdb", "--kinds", "hbond", "--status", "s.csv", "-o", "t.jsonl"]);
    some.says(3, "error: damaged.pdb: line 1: z");
    let status = fs::read_to_string(run.path("s.csv")).unwrap();
    assert_eq!(column(&status, "residues"), ["46", "0"]);
    assert!(fs::read_to_string(run.path("t.jsonl")).unwrap().contains("\"atoms_a\":[\"N\"]"));
    edges(&["--kinds", "hbond,ca"]).says(2, "list them by two commands");
    edges(&["--kinds", "hbond", "--ids", "rows"]).says(2, "--ids rows");
    edges(&["--kinds", "hbond", "--ccd", "a.pdb"]).says(1, "--ccd a.pdb: no _chem_comp_bond table");
    edges(&["--kinds", "hbond", "--chains", "Z"]).says(1, "--chains");
    // A tar and its members have the same lines.
    let hbonds = edges(&["--kinds", "hbond"]).stdout;
    let mut tar = tar::Builder::new(Vec::new());
    tar.append_path_with_name(run.path("a.pdb"), "a.pdb").unwrap();
    fs::write(run.path("all.tar"), tar.into_inner().unwrap()).unwrap();
    let of_tar = run.prism(&["edges", "all.tar", "--kinds", "hbond"]).stdout;
    assert_eq!(of_tar.replace("all.tar/a.pdb", "a.pdb"), hbonds);
}

#[test]
fn groups_have_interfaces_with_interactions() {
    let run = Run::new();
    let input = trimer();
    let input = input.to_str().unwrap();
    let groups = run.prism(&["interface", "--between", "A+C,B", input]);
    assert_eq!(groups.status, 0, "{}", groups.stderr);
    assert_eq!(column(&groups.stdout, "group_a"), ["A+C"]);
    let [area, polar, apolar] = ["buried_area", "buried_polar", "buried_apolar"]
        .map(|name| column(&groups.stdout, name)[0].parse::<f64>().unwrap());
    assert!(area > 500.0 && (polar + apolar - area).abs() < 0.01, "{}", groups.stdout);
    let edges = run.prism(&["edges", "--kinds", "hbond", input]).stdout;
    let [a, b] = ["chain_a", "chain_b"].map(|name| column(&edges, name));
    let across = a.iter().zip(&b).filter(|(a, b)| (**a == "B") != (**b == "B")).count();
    assert_eq!(column(&groups.stdout, "hbond"), [across.to_string()]);
    let all = run.prism(&["interface", "--all-atoms", input]);
    assert!(column(&all.stdout, "group_b").contains(&"B".to_owned()), "{}", all.stdout);
    let shape = run.prism(&["interface", "--all-atoms", "--shape", input]).stdout;
    let fits = column(&shape, "shape_complementarity");
    assert!(fits.iter().any(|fit| fit.parse::<f64>().is_ok_and(|fit| (0.5..0.8).contains(&fit))), "{shape}");
    run.prism(&["interface", "--shape", input]).says(2, "--shape has no effect");
    run.prism(&["interface", "--between", "A+,B", input]).says(2, "join chains by +");
    run.prism(&["interface", "--between", "A+C,X", input]).says(1, "group X of --between has no residues");
    run.prism(&["interface", "--between", "A+C,B", input, "--het", "cover"]).says(2, "--het has no effect");
    run.prism(&["interface", input, "--ccd", input]).says(2, "--ccd has no effect");
    run.prism(&["interface", "--between", "AC,B", input]).says(1, "joined by +: A+C instead of AC");
}

#[test]
fn kinds_of_interactions_are_explained() {
    let run = Run::new();
    let list = run.prism(&["edges", "--list"]).stdout;
    for kind in ["ca", "atom", "hbond", "t_stack", "clash"] {
        assert!(list.lines().any(|line| line.starts_with(&format!("{kind} "))), "{kind}: {list}");
    }
    assert!(run.prism(&["edges", "--explain", "hbond"]).stdout.contains("Baker and Hubbard 1984"));
    run.prism(&["edges", "--explain", "hbnd"]).says(2, "did you mean hbond?");
}

#[test]
fn interfaces_of_all_pairs_and_of_one() {
    let run = Run::new();
    let input = trimer();
    let input = input.to_str().unwrap();
    let all = run.prism(&["interface", "--backend", "cpu", input, "--by-residue", "residues.csv"]);
    assert_eq!(all.status, 0, "{}", all.stderr);
    assert_eq!(column(&all.stdout, "chain_a"), ["A", "A", "B"]);
    assert_eq!(column(&all.stdout, "chain_b"), ["B", "C", "C"]);
    let residues = fs::read_to_string(run.path("residues.csv")).unwrap();
    assert_eq!(residues.lines().count(), 1 + 152);
    // Chains together lose at most what pairs lose, because two chains may cover the same area.
    let sum = |text: &str, name: &str| column(text, name).iter().map(|x| x.parse::<f64>().unwrap()).sum::<f64>();
    assert!(sum(&residues, "buried") <= sum(&all.stdout, "buried_area") && sum(&residues, "buried") > 4000.0);
    // Areas among all chains equal those in the table of features.
    let features = run.features(&["--columns", "sasa", input]);
    assert_eq!(column(&residues, "sasa_complex"), column(&features.stdout, "sasa"));
    let alone = run.features(&["--columns", "sasa", "--chains", "B", input]);
    let difference = sum(&residues, "sasa_alone") - sum(&features.stdout, "sasa");
    assert!((difference - sum(&residues, "buried")).abs() < 0.1);
    assert!(sum(&alone.stdout, "sasa") > 3000.0);

    let one = run.prism(&["interface", "--backend", "cpu", "--between", "B,A", input]);
    let line = |text: &str, at: usize| text.lines().nth(at).map(str::to_owned);
    assert_eq!((line(&one.stdout, 1), one.stdout.lines().count()), (line(&all.stdout, 1), 2));
    let spaced = run.prism(&["interface", "--backend", "cpu", "--between", "B, A", input]);
    assert_eq!((spaced.status, spaced.stdout), (0, one.stdout));
}

#[test]
fn an_input_without_a_chain_of_the_interface_fails() {
    let run = Run::new();
    run.copy(&trimer(), "three.pdb.gz");
    run.copy(&example(), "one.pdb");
    let says = "error: three.pdb: no protein residues in chain X of --between; the file has A,B,C (--all-atoms for chains of other \
                molecules)";
    let between = |chains, more: &[&str]| {
        run.prism(&[&["interface", "--backend", "cpu", "--between", chains, "three.pdb.gz"], more].concat())
    };
    between("A,X", &["-q", "-o", "t.csv", "--by-residue", "r.csv", "--status", "s.csv"]).says(1, says);
    assert_eq!(run.files(), ["one.pdb", "s.csv", "three.pdb.gz"]);
    assert_eq!(column(&fs::read_to_string(run.path("s.csv")).unwrap(), "error"), [&says["error: three.pdb: ".len()..]]);
    between("Y,X", &[]).says(1, "in chains Y,X of --between; the file has A,B,C");
    between("A,", &[]).says(1, "in chain \" \" of --between; the file has A,B,C");
    // Others are computed.
    let both = between("A,B", &["one.pdb"]);
    both.says(3, "error: one.pdb: no protein residues in chains A,B of --between; the file has E");
    assert_eq!(
        (both.stdout, both.stderr.contains("1 structure, 152 residues, 1 failed")),
        (between("A,B", &[]).stdout, true)
    );
    between("A,B", &["one.pdb", "--fail-fast"]).says(1, "chains A,B of --between; the file has E");
}

/// The trimer with atoms of ligands beside some of its residues.
fn trimer_with_ligands(run: &Run) -> String {
    let mut text = String::new();
    flate2::read::GzDecoder::new(fs::File::open(trimer()).unwrap()).read_to_string(&mut text).unwrap();
    let mut lines: Vec<String> = text.lines().filter(|line| !line.starts_with("END")).map(str::to_owned).collect();
    let beside = |(index, line): (usize, &String)| {
        let x: f64 = line[30..38].trim().parse().unwrap();
        let number = 900 + index;
        format!("HETATM {number:4}  C1  LIG {}{number:4}    {:8.3}{}", &line[21..22], x + 3.5, &line[38..])
    };
    let carbons = lines.iter().filter(|line| line.starts_with("ATOM") && &line[12..16] == " CA ").step_by(9);
    let ligands: Vec<String> = carbons.enumerate().map(beside).collect();
    lines.extend(ligands);
    fs::write(run.path("ligands.pdb"), lines.join("\n") + "\nEND\n").unwrap();
    "ligands.pdb".to_owned()
}

#[test]
fn atoms_that_only_cover_are_no_residue_of_any_table() {
    let run = Run::new();
    let input = trimer_with_ligands(&run);
    let both = |arguments: &[&str]| {
        ["none", "cover"].map(|het| {
            let output = run.prism(&[arguments, &[&input, "--het", het]].concat());
            assert_eq!(output.status, 0, "{}", output.stderr);
            output
        })
    };
    let [none, cover] = both(&["summary", "--backend", "cpu"]);
    for name in ["chain", "residues", "atoms", "contact_number"] {
        assert_eq!(column(&cover.stdout, name), column(&none.stdout, name), "{name}");
    }
    let area = |text: &str| column(text, "area")[0].parse::<f64>().unwrap();
    assert!(area(&cover.stdout) < area(&none.stdout));
    let features = run.features(&["--columns", "sasa", &input, "--het", "cover"]);
    let sum: f64 = column(&features.stdout, "sasa").iter().map(|area| area.parse::<f64>().unwrap()).sum();
    assert!((area(&cover.stdout) - sum).abs() < 0.1);
    assert!(features.stderr.contains("152 residues"), "{}", features.stderr);

    let [none, cover] = both(&["edges", "--backend", "cpu"]);
    assert_eq!(cover.stdout, none.stdout);

    // Ligands cover a chain alone as they cover it among others, and are no chain.
    let [none, cover] = both(&["interface", "--backend", "cpu", "--by-residue", "residues.csv"]);
    for name in ["chain_a", "chain_b", "contacts"] {
        assert_eq!(column(&cover.stdout, name), column(&none.stdout, name), "{name}");
    }
    let residues = fs::read_to_string(run.path("residues.csv")).unwrap();
    assert_eq!(residues.lines().count(), 1 + 152);
    assert_eq!(column(&residues, "sasa_complex"), column(&features.stdout, "sasa"));

    let [none, cover] = both(&["check"]);
    assert!(none.stdout.contains("152 residues, 1052 heavy atoms, chains A (50), B (52), C (50)\n"), "{}", none.stdout);
    let line = "152 residues, 1052 heavy atoms, chains A (50), B (52), C (50); 17 other atoms cover surface";
    assert!(cover.stdout.contains(line), "{}", cover.stdout);
}

#[test]
fn a_summary_has_a_line_for_a_structure_and_each_chain() {
    let run = Run::new();
    let input = trimer();
    let input = input.to_str().unwrap();
    let summary = run.prism(&["summary", "--backend", "cpu", input]);
    assert_eq!(summary.status, 0, "{}", summary.stderr);
    assert_eq!(column(&summary.stdout, "chain"), ["", "A", "B", "C"]);
    assert_eq!(column(&summary.stdout, "residues"), ["152", "50", "52", "50"]);
    let features = run.features(&["--columns", "ss", input]);
    let helical =
        column(&features.stdout, "ss").iter().filter(|state| ["H", "G", "I"].contains(&state.as_str())).count();
    let share: f64 = column(&summary.stdout, "helix")[0].parse().unwrap();
    assert!((share - helical as f64 / 152.0).abs() < 1e-6 && helical > 130);
    let radii = column(&summary.stdout, "radius_of_gyration");
    assert!(radii[0].parse::<f64>().unwrap() > 15.0 && radii[1..].iter().all(String::is_empty));
}

#[test]
fn what_makes_no_sense_is_refused() {
    let run = Run::new();
    let input = trimer();
    let input = input.to_str().unwrap();
    for wrong in [
        &["interface", "--between", "A", input][..],
        &["interface", "--between", "A,A", input],
        &["interface", "--between", "A,B,C", input],
        &["interface", input, "-o", "x.csv", "--by-residue", "x.csv"],
        &["edges", input, "-o", "x.npz"],
        &["edges", input, "--kinds", "salt"],
    ] {
        let outcome = run.prism(wrong);
        assert_eq!(outcome.status, 2, "{wrong:?}: {}", outcome.stderr);
    }
    // `prism sites` alone writes points.
    let says = "--points takes a number here; `prism sites` writes surface points";
    for command in ["features", "edges", "interface", "summary"] {
        run.prism(&[command, input, "--points", "points.pdb"]).says(2, says);
    }
    run.prism(&["report", input, "-o", "r.html", "--points", "points.pdb"]).says(2, says);
    assert_eq!(run.files(), [""; 0]);
}

/// Two molecules with one chain id, at the positions of ubiquitin and its copy 22 Å away along z. FreeSASA 2.2.1 gives 1528.9 Å^2
/// (Lee and Richards, 100 slices, ProtOr).
#[test]
fn molecules_without_chains_have_an_interface() {
    let run = Run::new();
    let ubiquitin = fs::read_to_string(shipped("1ubq.pdb")).unwrap();
    let atoms = || ubiquitin.lines().filter(|line| line.starts_with("ATOM"));
    let moved = |line: &str| {
        let (number, z): (i32, f64) = (line[22..26].trim().parse().unwrap(), line[46..54].trim().parse().unwrap());
        format!("{} {:4}{}{:8.3}{}\n", &line[..21], number + 76, &line[26..46], z + 22.0, &line[54..])
    };
    let first: String = atoms().map(|line| format!("{} {}\n", &line[..21], &line[22..])).collect();
    run.put("amber.pdb", format!("{first}TER\n{}TER\nEND\n", atoms().map(moved).collect::<String>()));
    let found = run.prism(&["interface", "--backend", "cpu", "amber.pdb"]);
    let line = found.stdout.lines().nth(1).unwrap_or_default();
    let area: f64 =
        line.strip_prefix("amber.pdb, ,~2,").and_then(|rest| rest.split(',').next()).unwrap().parse().unwrap();
    assert!((area - 1528.9).abs() < 10.0, "{area}");
    // A file of one chain says why its table is empty.
    run.put("one.pdb", first);
    run.prism(&["interface", "--backend", "cpu", "-v", "one.pdb"]).says(0, "it has one chain, and so no interface");
    run.prism(&["interface", "--backend", "cpu", "one.pdb"])
        .says(0, "1 structure has no two chains that touch each other");
}

/// Copies that END divides, and ligands of docking in models after their receptor: the first model alone has no interface.
#[test]
fn an_interface_with_models_that_are_not_read_fails() {
    let run = Run::new();
    let ubiquitin = fs::read_to_string(shipped("1ubq.pdb")).unwrap();
    let atoms = |chain: char, by: f64| -> String {
        let atoms = ubiquitin.lines().filter(|line| line.starts_with("ATOM"));
        let moved = atoms.map(|line| {
            let z: f64 = line[46..54].trim().parse().unwrap();
            format!("{}{chain}{}{:8.3}{}\n", &line[..21], &line[22..46], z + by, &line[54..])
        });
        moved.collect()
    };
    run.put("copies.pdb", format!("{}END\n{}END\n", atoms('A', 0.0), atoms('A', 22.0)));
    let pose = |number: i32, by: f64| format!("MODEL {number:8}\n{}ENDMDL\n", atoms('B', by));
    run.put("docked.pdb", format!("{}TER\n{}{}END\n", atoms('A', 0.0), pose(1, 22.0), pose(2, 120.0)));
    let interface = |more: &[&str]| run.prism(&[&["interface", "--backend", "cpu"], more].concat());
    for name in ["copies.pdb", "docked.pdb"] {
        interface(&[name]).says(1, "no interface: its first model alone is read");
        let joined = interface(&["--model", "join", name]);
        joined.says(0, "");
        assert_eq!(joined.stdout.lines().count(), 2, "{}", joined.stdout);
    }
    // Others of the run have theirs.
    run.copy(&trimer(), "three.pdb.gz");
    let both = interface(&["copies.pdb", "three.pdb.gz"]);
    both.says(3, "--model join reads all of them as one structure");
    assert!(both.stdout.lines().count() > 1 && !both.stdout.contains("copies.pdb"));
}

#[test]
fn groups_of_chains_are_refused_with_what_is_taken() {
    let run = Run::new();
    run.copy(&trimer(), "three.pdb.gz");
    let groups = run.prism(&["interface", "--backend", "cpu", "--between", "AB,C", "three.pdb.gz"]);
    groups.says(
        1,
        "no protein residues in chain AB of --between; the file has A,B,C (--all-atoms for chains of other molecules); chains of a group are joined \
         by +: A+B instead of AB",
    );
}

/// Structures are computed side by side, and written in the order of the inputs.
#[test]
fn tables_are_the_same_with_any_number_of_threads() {
    let run = Run::new();
    let data = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data");
    fs::create_dir(run.path("in")).unwrap();
    // Those of one chain have a note instead of lines of interfaces.
    let files = ["1jcd.pdb.gz", "1crn.pdb.gz", "1kx2_cut.pdb.gz", "4zhl.cif.gz"];
    for (copy, file) in files.iter().cycle().take(2 * files.len()).enumerate() {
        run.copy(&data.join(file), &format!("in/{copy:02}_{file}"));
    }
    run.put("in/05_broken.pdb", "ATOM  nothing\n");
    let all: [&[&str]; 5] = [
        &["edges", "--kinds", "ca,atom"],
        &["edges", "--kinds", "hbond,hydrophobic"],
        &["interface", "--by-residue", "residues.csv"],
        &["atoms"],
        &["ligands"],
    ];
    for arguments in all {
        let with = |threads: &str| {
            let more = ["in", "-v", "--threads", threads, "--status", "status.csv"];
            let done = run.prism(&[arguments, &more[..]].concat());
            // Others are times.
            let status = fs::read_to_string(run.path("status.csv")).unwrap();
            let status = ["structure", "residues", "notes", "error"].map(|name| column(&status, name));
            let residues = fs::read_to_string(run.path("residues.csv")).ok();
            let is_of_one = |line: &&str| line.starts_with("note: ") || line.starts_with("error: ");
            let said: Vec<String> = done.stderr.lines().filter(is_of_one).map(str::to_owned).collect();
            (done.status, done.stdout, said, status, residues)
        };
        let one = with("1");
        let names = names(&one.1);
        assert!(one.0 == 3 && names.is_sorted() && names.len() >= 3, "{arguments:?}: {names:?}");
        let several = with("5");
        assert!(several == one, "{arguments:?}: {several:?}");
    }
}
