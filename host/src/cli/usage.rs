//! Command lines that cannot be meant: options that do not exist, that have no effect, and lists that are divided by spaces.

use super::args::{AlgorithmArg, Cli, KindArg, PointsArg};
use super::failure::Failure;
use anyhow::anyhow;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::parser::ValueSource;
use clap::{ArgMatches, CommandFactory, Error, FromArgMatches};
use prism_host::contacts::EdgeKind;
use prism_host::nearest::nearest;
use std::ffi::OsString;
use std::path::PathBuf;

/// What to do instead of options that do not exist.
const INSTEAD: [(&str, &str); 3] = [
    ("--min-score", "scores have no upper bound; '--min-probability P', from 0 to 1, leaves out weak sites"),
    ("--probe", "the probe has a radius of 1.4 Å, which no option changes; '--points N' sets the points of an atom"),
    ("--gpu", "'--backend cuda' computes on a GPU"),
];

/// Options that commands share, and that have no effect on one.
const WITHOUT_EFFECT: [(&str, &str, &str); 10] = [
    ("atoms", "contact_threshold", "atoms have no contacts of alpha carbons"),
    ("atoms", "site_threshold", "atoms have no sites"),
    ("ligands", "contact_threshold", "contacts of ligands are heavy atoms within 4 and 5 Å"),
    ("ligands", "site_threshold", "the sites of ligands are those of the default"),
    ("edges", "site_threshold", "edges have no sites"),
    ("interface", "contact_threshold", "contacts of interfaces are heavy atoms within 4.5 Å"),
    ("interface", "site_threshold", "interfaces have no sites"),
    ("summary", "site_threshold", "summaries have no sites"),
    ("sites", "contact_threshold", "sites depend on no contacts of alpha carbons"),
    ("report", "min_feature_value", "a report shows all values"),
];

/// Options of `prism edges` that have no effect on interactions.
const WITHOUT_EFFECT_ON_INTERACTIONS: [(&str, &str); 13] = [
    ("backend", "interactions, but pairs and stacks of bases, are computed on CPU cores"),
    ("devices", "interactions, but pairs and stacks of bases, are computed on CPU cores"),
    ("residues", "interactions are those of every residue"),
    ("het", "ligands, ions and waters always have interactions"),
    ("model", "interactions are those of the first model"),
    ("assembly", "interactions are those of the atoms in the file; write the assembly to a file first"),
    ("timings", "--status has the time of each structure"),
    ("polymers", "interactions are those of every atom"),
    ("select", "interactions are those of every atom; --chains takes chains"),
    ("each", "interactions are those of all atoms of a file"),
    ("pae", "ligands and nucleotides have no rows in a matrix of residues; list kinds of rows, such as ca and atom"),
    ("trajectory", "interactions are those of a structure; list kinds of rows, such as ca and atom"),
    ("occupancy", "it is of kinds of rows, such as ca and atom"),
];

/// A command line. If it is not valid, the process ends.
pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Cli {
    let mut command = Cli::command();
    let parsed = command.try_get_matches_from_mut(arguments).and_then(|matches| {
        check(&matches)?;
        Cli::from_arg_matches(&matches)
    });
    parsed.unwrap_or_else(|error| explained(error).format(&mut command).exit())
}

/// Corrects the suggestion for an unknown option.
fn explained(mut error: Error) -> Error {
    let text = |error: &Error, kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        _ => None,
    };
    if error.kind() != ErrorKind::UnknownArgument {
        return error;
    }
    let Some(given) = text(&error, ContextKind::InvalidArg) else { return error };
    let given = given.split('=').next().unwrap_or_default();
    if let Some((_, instead)) = INSTEAD.iter().find(|(option, _)| *option == given) {
        forget(&mut error);
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![(*instead).into()]));
    } else if let Some(suggested) = text(&error, ContextKind::SuggestedArg)
        && nearest(given, [suggested.as_str()]).is_none()
    {
        // The two have a beginning in common, and nothing else.
        forget(&mut error);
    }
    error
}

/// Removes a suggestion, and the usage, which has it too.
fn forget(error: &mut Error) {
    error.remove(ContextKind::SuggestedArg);
    error.remove(ContextKind::Usage);
}

/// Refuses options that were given and have no effect.
fn check(matches: &ArgMatches) -> Result<(), Error> {
    let Some((command, own)) = matches.subcommand() else { return Ok(()) };
    let is_given =
        |name: &str| own.try_contains_id(name).is_ok() && own.value_source(name) == Some(ValueSource::CommandLine);
    let refused = |name: &str, why: &str| {
        let option = name.replace('_', "-");
        Err(Error::raw(ErrorKind::ArgumentConflict, format!("--{option} has no effect on `prism {command}`: {why}")))
    };
    if let Some((_, name, why)) = WITHOUT_EFFECT.iter().find(|(of, name, _)| *of == command && is_given(name)) {
        return refused(name, why);
    }
    let points = own.try_get_many::<PointsArg>("points").ok().flatten().into_iter().flatten();
    let has_number = is_given("points") && points.into_iter().any(|points| matches!(points, PointsArg::Number(_)));
    match command {
        "edges" if has_number => return refused("points", "edges need no surface"),
        "atoms" => {
            let is_by_slices = own.get_one("algorithm") == Some(&AlgorithmArg::LeeRichards);
            if is_given("slices") && !is_by_slices {
                return refused("slices", "areas are computed by test points; add --algorithm lee-richards");
            }
            if has_number && is_by_slices {
                return refused("points", "areas are computed by slices; --slices N sets their number");
            }
        }
        _ => {}
    }
    if command == "edges" {
        let kinds: Vec<KindArg> = own.get_many::<KindArg>("kinds").into_iter().flatten().copied().collect();
        let has = |kind| kinds.contains(&KindArg::Contact(kind));
        let listed = kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(",");
        if is_given("contact_threshold") && !has(EdgeKind::AlphaCarbons) {
            return refused("contact_threshold", &format!("--kinds {listed} has no alpha carbons; add the kind ca"));
        }
        if is_given("cutoff") && !has(EdgeKind::Atoms) {
            return refused(
                "cutoff",
                &format!("it is the distance of kind atom, and --kinds {listed} has rules of its own"),
            );
        }
        for (option, kind) in [("neighbors", EdgeKind::Nearest), ("steps", EdgeKind::Sequence)] {
            if is_given(option) && !has(kind) {
                return refused(option, &format!("it is of kind {}, which --kinds {listed} has not", kind.name()));
            }
        }
        const TABLES: [(&str, &str); 2] = [("pae", "rows"), ("occupancy", "rows and residues")];
        if let Some((name, own)) = TABLES.iter().find(|(name, _)| is_given(name) && is_given("ids")) {
            return refused("ids", &format!("the table of --{name} has {own} in columns of its own"));
        }
        let has_interactions = kinds.iter().any(|kind| kind.interaction().is_some());
        if is_given("ccd") && !has_interactions {
            return refused("ccd", &format!("--kinds {listed} needs no bonds of ligands"));
        }
        let has_bases = kinds.iter().filter_map(|kind| kind.interaction()).any(|kind| kind.is_of_bases());
        let is_used = |name: &str| has_bases && matches!(name, "backend" | "devices");
        if let Some((name, why)) =
            WITHOUT_EFFECT_ON_INTERACTIONS.iter().find(|(name, _)| has_interactions && is_given(name) && !is_used(name))
        {
            return refused(name, why);
        }
    }
    Ok(())
}

/// Refuses a path that does not exist and is the next item of an option's list: the list was divided by a space.
pub fn refuse_divided(
    option: &str,
    given: &[String],
    paths: &[PathBuf],
    is_item: impl Fn(&str) -> bool,
) -> Result<(), Failure> {
    let items = paths.iter().filter_map(|path| path.to_str()).filter(|text| !std::path::Path::new(text).exists());
    let Some(item) = items.map(|text| text.trim_matches(',')).find(|text| is_item(text)) else { return Ok(()) };
    let given = given.iter().map(|name| name.trim()).filter(|name| !name.is_empty());
    let list = given.chain([item]).collect::<Vec<_>>().join(",");
    Err(Failure::usage(anyhow!(
        "{item}: no such file; if it belongs to {option}, divide the list by commas: {option} {list}"
    )))
}
