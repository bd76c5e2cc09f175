//! `prism edges` and `prism interface` of every atom: interactions, and interfaces of any two groups.

use super::args::{BackendArg, EdgesArgs, IdsArg, InterfaceArgs};
use super::every_atom::{Append, Output, run as run_all};
use super::failure::Failure;
use super::provenance;
use super::whole_files::Computed;
use prism_host::contacts::EdgeKind;
use prism_host::engine::Selection;
use prism_host::groups::GroupTable;
use prism_host::inputs::InputFailure;
use prism_host::interactions::{Dictionary, Group, Kind, Options, group_interfaces, interactions, interactions_with};
use prism_host::nearest::nearest;
use prism_host::output::{
    EdgeAttribute, append_group_interfaces, append_interactions, group_interface_columns, interaction_columns,
};
use prism_host::{Backend, Engine};
use shared_types::{FEATURES, MegaFusedConfig};
use std::io::{Write, stdout};
use std::path::Path;

/// Lists interactions. Returns the exit status.
pub fn edges(args: &EdgesArgs, contacts: &[EdgeKind]) -> Result<u8, Failure> {
    if let Some(kind) = contacts.first() {
        let advice = "is of rows, and interactions have ends without rows; list them by two commands";
        return Err(Failure::usage(anyhow::anyhow!("--kinds: {} {advice}", kind.name())));
    }
    if args.ids == Some(IdsArg::Rows) {
        let advice = "ligands, nucleotides, ions and waters have no rows; interactions have chains, numbers and names";
        return Err(Failure::usage(anyhow::anyhow!("--ids rows: {advice}")));
    }
    if !args.attributes.is_empty() {
        let advice =
            "have no effect on interactions, whose ends have no local frames and which have distances of atoms";
        return Err(Failure::usage(anyhow::anyhow!("--attributes {advice}")));
    }
    let dictionary = dictionary(args.ccd.as_deref())?;
    let kinds: Vec<Kind> = args.kinds.iter().filter_map(|kind| kind.interaction()).collect();
    let names: Vec<&str> = kinds.iter().map(|kind| kind.name()).collect();
    let read = args.relation.job.read.options();
    let options = Options {
        kinds: &kinds,
        chains: read.chains.as_deref(),
        alternates: read.alternates,
        dictionary: dictionary.as_ref(),
    };
    // Cores have tested the pairs of bases of thousands of files before a device is open, so only a wish brings one.
    let device = match args.relation.job.backend {
        BackendArg::Cuda if kinds.iter().any(|kind| kind.is_of_bases()) => {
            Some(args.relation.job.of_backend(Engine::builder()).build()?)
        }
        _ => None,
    };
    let compute = |bytes: &[u8], name: &str| {
        let all = match &device {
            Some(engine) => interactions_with(engine, bytes, name, &options),
            None => interactions(bytes, name, &options),
        };
        let all = all.map_err(|error| InputFailure::from(error).reason)?;
        let (size, lines, notes) = ([all.residues.len(), all.atoms.len()], all.found.len(), all.notes.clone());
        let name = name.to_owned();
        let of: Append = Box::new(move |cells| append_interactions(&name, &all, cells));
        Ok(Computed { size, lines, notes, of })
    };
    let output = Output {
        columns: interaction_columns(&kinds),
        lines: ["interaction", "interactions"],
        side_by_side: true,
        config: MegaFusedConfig::default(),
        provenance: with_dictionary(("prism.kinds", names.join(",")), args.ccd.as_deref())?,
        reads: args.ccd.as_deref().into_iter().collect(),
        at_end: &|| None,
    };
    run_all(&args.relation, output, &compute)
}

fn dictionary(path: Option<&Path>) -> Result<Option<Dictionary>, Failure> {
    path.map(Dictionary::read).transpose().map_err(|error| Failure::work(anyhow::anyhow!("--ccd {error}")))
}

/// What a table's provenance has, with the dictionary's digest.
fn with_dictionary(own: (&'static str, String), ccd: Option<&Path>) -> Result<Vec<(&'static str, String)>, Failure> {
    let digest = ccd.map(provenance::digest_of).transpose()?;
    Ok([Some(own), digest.map(|digest| ("prism.ccd_sha256", digest))].into_iter().flatten().collect())
}

/// Lists interfaces of two groups, of those that a table lists, or of all that there are. Returns the exit status.
pub fn interface(args: &InterfaceArgs, between: Option<&[Group; 2]>) -> Result<u8, Failure> {
    let table = args.groups.as_deref().map(GroupTable::read).transpose();
    let table = table.map_err(|error| Failure::work(anyhow::anyhow!("--groups {error}")))?;
    let dictionary = dictionary(args.ccd.as_deref())?;
    let job = &args.relation.job;
    let config = MegaFusedConfig { points: job.n_points(), ..MegaFusedConfig::default() };
    let areas = FEATURES.iter().filter(|feature| ["sasa", "sasa_apolar"].contains(&feature.name));
    let engine =
        Engine::builder().backend(Backend::Cpu).config(config).selection(Selection::new(areas, false)).build()?;
    let read = job.read.options();
    let options = Options {
        kinds: Kind::ALL,
        chains: read.chains.as_deref(),
        alternates: read.alternates,
        dictionary: dictionary.as_ref(),
    };
    let compute = |bytes: &[u8], name: &str| {
        let groups = match (&table, between) {
            (Some(table), _) => Some(table.of(name)?),
            (None, between) => between.map(|groups| &groups[..]),
        };
        let all =
            group_interfaces(bytes, name, &options, groups, args.shape, &engine).map_err(|error| error.to_string())?;
        let (size, lines, notes) = (all.size, all.pairs.len(), all.notes.clone());
        let name = name.to_owned();
        let of: Append = Box::new(move |cells| append_group_interfaces(&name, &all, cells));
        Ok(Computed { size, lines, notes, of })
    };
    let given = match args.groups.as_deref() {
        Some(path) => ("prism.groups_sha256", provenance::digest_of(path)?),
        None => ("prism.between", args.between.as_deref().unwrap_or_default().join(",")),
    };
    let output = Output {
        columns: group_interface_columns(args.shape),
        lines: ["interface", "interfaces"],
        // The engine uses all cores itself.
        side_by_side: false,
        config,
        provenance: with_dictionary(given, args.ccd.as_deref())?,
        reads: [args.groups.as_deref(), args.ccd.as_deref()].into_iter().flatten().collect(),
        at_end: &|| table.as_ref().and_then(GroupTable::unused),
    };
    run_all(&args.relation, output, &compute)
}

/// Prints all kinds.
pub fn list() -> Result<(), Failure> {
    let mut out = stdout().lock();
    for kind in EdgeKind::ALL {
        writeln!(out, "{:14} {}", kind.name(), kind.rule())?;
    }
    for own in EdgeAttribute::ALL {
        writeln!(out, "{:14} --attributes: {} [{}]", own.name(), own.rule(), own.source())?;
    }
    for kind in Kind::ALL {
        writeln!(out, "{:14} {}: {} [{}]", kind.name(), kind.ends(), kind.rule(), kind.source())?;
    }
    Ok(out.flush()?)
}

/// Prints the rule of a kind.
pub fn explain(name: &str) -> Result<(), Failure> {
    let mut out = stdout().lock();
    if let Some(kind) = EdgeKind::ALL.into_iter().find(|kind| kind.name() == name) {
        writeln!(
            out,
            "{name}\n  ends        rows of residues\n  rule        {}\n  distance    {}",
            kind.rule(),
            kind.distance()
        )?;
        if !kind.source().is_empty() {
            writeln!(out, "  source      {}", kind.source())?;
        }
        return Ok(out.flush()?);
    }
    if let Some(own) = EdgeAttribute::ALL.into_iter().find(|own| own.name() == name) {
        writeln!(out, "{name}\n  attribute   {}\n  source      {}", own.rule(), own.source())?;
        return Ok(out.flush()?);
    }
    let Ok(kind) = name.parse::<Kind>() else {
        let of_rows = EdgeKind::ALL.iter().map(|kind| kind.name());
        let attributes = EdgeAttribute::ALL.iter().map(|own| own.name());
        let names = of_rows.chain(Kind::ALL.iter().map(|kind| kind.name())).chain(attributes);
        let meant = nearest(name, names);
        let meant = meant.map_or_else(String::new, |meant| format!("; did you mean {meant}?"));
        let advice = "`prism edges --list` shows all kinds";
        return Err(Failure::usage(anyhow::anyhow!("there is no kind of edge {name:?}{meant}; {advice}")));
    };
    writeln!(out, "{name}")?;
    let angle = if kind.angle().is_empty() { "none" } else { kind.angle() };
    for (key, text) in [("ends", kind.ends()), ("rule", kind.rule()), ("angle", angle), ("source", kind.source())] {
        writeln!(out, "  {key:<10}  {text}")?;
    }
    Ok(out.flush()?)
}
