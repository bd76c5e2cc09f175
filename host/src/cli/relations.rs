//! `prism edges`, `prism interface` and `prism summary`: tables whose lines are not residues.

use super::args::{
    EdgesArgs, FolderArgs, IdsArg, InterfaceArgs, JobArgs, KindArg, ProvenanceArgs, RelationArgs, SummaryArgs,
    TrajectoryArgs,
};
use super::failure::Failure;
use super::files::{Files, OUTPUT};
use super::folder::is_one;
use super::job::{Job, Sink};
use super::predicted::write_with_errors;
use super::reading::trimmed;
use super::usage::refuse_divided;
use super::{interactions, parts, provenance};
use clap::ValueEnum as _;
use prism_host::contacts::{EdgeKind, EdgeRules};
use prism_host::engine::Selection;
use prism_host::interactions::Group;
use prism_host::output::{
    EdgeAttribute, EdgesRelation, InterfaceResiduesFile, InterfacesRelation, LinesOf, OccupancyRelation, OfFrames,
    OutputError, OutputFile, Provenance, Relation, RelationFailures, RelationTable, SitesTally, SummaryRelation,
};
use serde_json::{Value, json};
use shared_types::FEATURES;
use std::path::{Path, PathBuf};

/// Lists pairs of residues in contact.
pub fn edges(args: &EdgesArgs) -> Result<u8, Failure> {
    args.relation.job.refuse_points_file()?;
    let given: Vec<String> = args.kinds.iter().map(|one| one.name().to_owned()).collect();
    let is_kind = |text: &str| KindArg::from_str(text, false).is_ok();
    refuse_divided("--kinds", &given, &args.relation.paths, is_kind)?;
    let contacts =
        args.kinds.iter().filter_map(|kind| if let KindArg::Contact(kind) = kind { Some(*kind) } else { None });
    let kinds: Vec<EdgeKind> = contacts.collect();
    if kinds.len() < args.kinds.len() {
        return interactions::edges(args, &kinds);
    }
    let default = EdgeRules::default();
    let rules = EdgeRules {
        threshold: args.relation.job.contact_threshold,
        cutoff: args.cutoff.unwrap_or(default.cutoff),
        neighbours: args.neighbors.map_or(default.neighbours, |neighbors| neighbors as usize),
        steps: args.steps.unwrap_or(default.steps),
    };
    let named = args.ids == Some(IdsArg::Residues);
    let attributes: Vec<EdgeAttribute> = args.attributes.iter().map(|one| one.0).collect();
    let relation = EdgesRelation::new(rules, kinds, named).with_attributes(&attributes);
    let rules = format!("{rules:?}");
    let mut what = json!({ "command": "edges", "kinds": given, "rules": rules, "named": named, "pae": args.pae });
    if !attributes.is_empty() {
        what["attributes"] = attributes.iter().map(|one| one.name()).collect();
    }
    let to = args.relation.destination(what);
    if args.occupancy {
        return write_whole(to, selection(&[]), |_, _| Ok(OccupancyRelation::new(relation.clone())));
    }
    write_with_errors(args.pae, to, selection(&[]), LinesOf::Edges, |_, _| Ok(relation.clone()))
}

/// Lists pairs of chains that touch, and their residues.
pub fn interface(args: &InterfaceArgs) -> Result<u8, Failure> {
    args.relation.job.refuse_points_file()?;
    let given = args.between.as_deref().map(trimmed);
    let groups = match given.as_deref() {
        Some([a, b]) if a != b => {
            let group = |text: &str| {
                text.parse::<Group>().map_err(|error| Failure::usage(anyhow::anyhow!("--between: {error}")))
            };
            // A blank chain has the empty name.
            if a.is_empty() || b.is_empty() { None } else { Some([group(a)?, group(b)?]) }
        }
        _ => None,
    };
    let is_grouped = |groups: &[Group; 2]| !groups.iter().all(Group::is_chain);
    if args.all_atoms || args.groups.is_some() || groups.as_ref().is_some_and(is_grouped) {
        if given.is_some() && groups.is_none() {
            return Err(Failure::usage(anyhow::anyhow!("--between: name two groups, as in H+L,A")));
        }
        args.refuse_without_rows()?;
        return interactions::interface(args, groups.as_ref());
    }
    let every_atom = [(args.ccd.is_some(), "--ccd"), (args.shape, "--shape")];
    if let Some((_, option)) = every_atom.iter().find(|(is_given, _)| *is_given) {
        return Err(Failure::usage(anyhow::anyhow!(
            "{option} has no effect on interfaces of proteins; add --all-atoms"
        )));
    }
    let between = match given.as_deref() {
        None => None,
        Some([a, b]) if a != b => Some([a.clone(), b.clone()]),
        Some(_) => return Err(Failure::usage(anyhow::anyhow!("--between: name two chains, as in A,B"))),
    };
    let residues = args.residues.as_deref();
    if let Some(path) = residues {
        OutputFile::check_relation(path)?;
    }
    let mut to = args.relation.destination(json!({ "command": "interface", "between": args.between, "pae": args.pae }));
    if residues.is_some() && to.output.is_some_and(is_one) {
        let advice = "--by-residue goes with a table in one file, not with a run into a folder";
        return Err(Failure::usage(anyhow::anyhow!(advice)));
    }
    to.between.clone_from(&between);
    to.beside = to.beside.writes("--by-residue", residues);
    let failures = to.failures.clone();
    let create = match to.trajectory {
        Some(_) => InterfaceResiduesFile::create_of_frames,
        None => InterfaceResiduesFile::create,
    };
    write_with_errors(args.pae, to, selection(&[]), LinesOf::Interfaces, |job, provenance| {
        let residues = residues.map(|path| create(path, provenance)).transpose()?;
        let engine = job.engine_of(selection(&["sasa"]))?;
        Ok(InterfacesRelation::new(engine, between.clone(), residues, failures.clone()))
    })
}

/// Lists structures and their chains.
pub fn summary(args: &SummaryArgs) -> Result<u8, Failure> {
    args.relation.job.refuse_points_file()?;
    let to = args.relation.destination(json!({ "command": "summary" }));
    write(to, selection(&SummaryRelation::FEATURES), |_, _| Ok(SummaryRelation))
}

pub fn selection(names: &[&str]) -> Selection {
    Selection::new(FEATURES.iter().filter(|feature| names.contains(&feature.name)), false)
}

/// The inputs and the output of a relation.
pub struct Destination<'a> {
    pub paths: &'a [PathBuf],
    pub output: Option<&'a Path>,
    pub job: &'a JobArgs,
    pub provenance: &'a ProvenanceArgs,
    /// Two chains that every input must have.
    pub between: Option<[String; 2]>,
    /// What is written besides.
    pub beside: Files,
    /// Structures whose lines cannot be computed.
    pub failures: RelationFailures,
    /// Whether matrices are read that lie beside the structures.
    pub pae: bool,
    /// What a table of sites has.
    pub sites: Option<SitesTally>,
    pub trajectory: Option<&'a TrajectoryArgs>,
    /// Whether it is asked what each atom is, and for residues without rows.
    pub atoms: bool,
    /// The same where inputs have it: data sets do not.
    pub atoms_if_known: bool,
    /// Whether it is asked for water.
    pub water: bool,
    /// How a run into a folder goes, if the command has such runs, and shares of the inputs.
    pub folder: Option<&'a FolderArgs>,
    /// What is computed, for the manifest of a folder.
    pub what: Value,
}

/// Where a relation goes: to a file or standard output, or in parts into a folder.
struct Place<'a> {
    output: Option<&'a Path>,
    folder: Option<(&'a Path, &'a FolderArgs)>,
}

impl<'a> Destination<'a> {
    fn place(&self) -> Result<Place<'a>, Failure> {
        let output = self.output.filter(|path| *path != Path::new("-"));
        let Some(args) = self.folder else { return Ok(Place { output, folder: None }) };
        let folder = args.of_output(output, self.provenance, self.trajectory)?;
        Ok(Place { output: output.filter(|_| folder.is_none()), folder: folder.map(|folder| (folder, args)) })
    }
}

impl RelationArgs {
    /// `what` says what is computed, for the manifest of a folder.
    pub fn destination(&self, what: Value) -> Destination<'_> {
        let Self { paths, output, job, provenance, folder, trajectory } = self;
        Destination {
            paths,
            output: output.as_deref(),
            job,
            provenance,
            between: None,
            beside: Files::default(),
            failures: RelationFailures::default(),
            pae: false,
            sites: None,
            trajectory: trajectory.given(),
            atoms: false,
            atoms_if_known: false,
            water: false,
            folder: Some(folder),
            what,
        }
    }
}

/// Computes `selection`, and writes the relation that `make` creates, with the frame's columns if there is a trajectory. Returns the
/// exit status.
pub fn write<R: Relation + 'static>(
    to: Destination<'_>,
    selection: Selection,
    make: impl Fn(&Job<'_>, &Provenance) -> Result<R, Failure>,
) -> Result<u8, Failure> {
    match to.trajectory {
        Some(_) => write_whole(to, selection, |job, provenance| make(job, provenance).map(OfFrames::new)),
        None => write_whole(to, selection, make),
    }
}

/// The same of a relation as it is.
pub fn write_whole<R: Relation + 'static>(
    to: Destination<'_>,
    selection: Selection,
    make: impl Fn(&Job<'_>, &Provenance) -> Result<R, Failure>,
) -> Result<u8, Failure> {
    if let Some((path, args)) = to.place()?.folder {
        let what = to.what.clone();
        let job = job(to, selection)?;
        return job.run_into(path, args, what, |path, provenance| {
            Ok(OutputFile::create_relation(path, make(&job, provenance)?, provenance)?)
        });
    }
    let check = |path: &Path| OutputFile::check_relation(path);
    write_sink(to, selection, check, |job, output, provenance| sink(output, make(job, provenance)?, provenance))
}

/// Writes what `make` begins, given the job, the output's path and the provenance, to a file or standard output. `check` checks the path
/// in advance.
pub fn write_sink(
    to: Destination<'_>,
    selection: Selection,
    check: impl FnOnce(&Path) -> Result<(), OutputError>,
    make: impl FnOnce(&Job<'_>, Option<&Path>, &Provenance) -> Result<Sink, Failure>,
) -> Result<u8, Failure> {
    let output = to.place()?.output;
    output.map_or(Ok(()), check)?;
    let job = job(to, selection)?;
    job.run(|provenance| make(&job, output, provenance))
}

fn job(to: Destination<'_>, selection: Selection) -> Result<Job<'_>, Failure> {
    provenance::check(to.provenance)?;
    let Place { output, folder } = to.place()?;
    let files = match folder {
        None => to.beside.writes_table(output),
        Some((folder, _)) => to.beside.writes_into(OUTPUT, Some(folder), parts::names),
    };
    Ok(Job {
        paths: to.paths,
        args: to.job,
        selection,
        min_feature_value: 0.0,
        labels: false,
        annotations: None,
        lineages: None,
        provenance: to.provenance,
        between: to.between,
        failures: to.failures,
        of_structures: to.sites.is_some(),
        pae: to.pae,
        sites: to.sites,
        trajectory: to.trajectory,
        atoms: to.atoms,
        atoms_if_known: to.atoms_if_known,
        water: to.water,
        shard: to.folder.and_then(|args| args.shard).filter(|_| folder.is_none()),
        files,
    })
}

/// The sink of a relation.
pub fn sink(
    output: Option<&Path>,
    relation: impl Relation + 'static,
    provenance: &Provenance,
) -> Result<Sink, Failure> {
    Ok(match output {
        Some(path) => Sink::File(OutputFile::create_relation(path, relation, provenance)?),
        None => Sink::stdout(|out| RelationTable::csv(out, relation)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::args::{Cli, Command};
    use crate::cli::failure::{NOTHING_WRITTEN, SOME_FAILED};
    use clap::Parser as _;
    use std::fs;

    /// Writes interfaces between two chains which the run has not asked of its inputs, so that the table alone finds that some lack them.
    fn interfaces_between(arguments: &[&str], chains: [&str; 2]) -> u8 {
        let cli = Cli::parse_from([&["prism", "interface", "--backend", "cpu"], arguments].concat());
        let Command::Interface(args) = cli.command else { panic!("another command") };
        let to = args.relation.destination(json!({}));
        let (failures, between) = (to.failures.clone(), Some(chains.map(str::to_owned)));
        let written = write(to, selection(&[]), |job, _| {
            let engine = job.engine_of(selection(&["sasa"]))?;
            Ok(InterfacesRelation::new(engine, between.clone(), None, failures.clone()))
        });
        written.unwrap_or_else(|failure| panic!("{failure:?}"))
    }

    #[test]
    fn a_structure_that_the_table_cannot_compute_is_a_failed_input() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        let read = |name: &str| fs::read_to_string(path(name)).unwrap();
        let (crambin, trimer) = ("tests/data/1crn.pdb", "../tests/data/1jcd.pdb.gz");
        let (table, status) = (path("t.csv"), path("status.csv"));

        let both = interfaces_between(&[crambin, trimer, "-o", &table, "--status", &status], ["A", "B"]);
        assert_eq!(both, SOME_FAILED);
        let lines: Vec<String> = read("t.csv").lines().skip(1).map(str::to_owned).collect();
        assert!(lines.len() == 1 && lines[0].starts_with("1jcd.pdb,A,B,"), "{lines:?}");
        let status = read("status.csv");
        let (lost, computed) = (status.lines().nth(1).unwrap(), status.lines().nth(2).unwrap());
        assert!(lost.starts_with("1crn.pdb,") && lost.contains("no interface: there is no chain"), "{status}");
        assert!(computed.starts_with("1jcd.pdb,152,3,1,incomplete,,"), "{status}");

        for arguments in [&[crambin][..], &[crambin, trimer, "--fail-fast"]] {
            let table = path("none.csv");
            let status = interfaces_between(&[arguments, &["-o", &table]].concat(), ["A", "B"]);
            assert_eq!(status, NOTHING_WRITTEN, "{arguments:?}");
            assert!(!Path::new(&table).exists());
        }
    }
}
