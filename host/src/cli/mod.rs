//! The commands.

mod annotated;
pub mod args;
mod atoms;
mod between;
mod check;
mod confidence;
mod dockq;
mod dssp;
mod every_atom;
mod explain;
mod failure;
mod features;
mod files;
mod folder;
mod generate;
mod html;
mod info;
mod interactions;
mod interrupt;
mod job;
mod ligands;
mod limits;
mod pack;
mod parts;
mod predicted;
mod provenance;
mod reading;
mod relations;
mod report;
mod sites;
mod texts;
mod timings;
mod trajectory;
mod usage;
mod whole_files;

use args::{Cli, Command, GlobalArgs};
use failure::{ALL_DONE, Failure};
use reading::ReadArgs;
use std::ffi::OsString;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

/// Runs the `prism` command with the arguments of this process. Returns the exit status: 0 all done, 1 nothing written, 2 wrong
/// usage, 3 some inputs failed, or a file beside the table. If the arguments are not a valid command, it ends the process.
///
/// This is the whole interface of the command. Programs use [`pipeline`](prism_io::pipeline) and [`output`](prism_io::output).
#[must_use]
pub fn run_command() -> u8 {
    run_command_with(std::env::args_os())
}

#[doc(hidden)]
pub use provenance::kernels as kernels_digest;

/// [`run_command`] with other arguments, the first of which is the program's name.
#[must_use]
pub fn run_command_with(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    provenance::remember(&arguments);
    match limits::prepare() {
        Ok(()) => run(usage::parse(arguments)),
        Err(failure) => failure.report(),
    }
}

fn run(cli: Cli) -> u8 {
    speak(&cli.global);
    let readable = cli.command.reading_without_hetero_rows().map_or(Ok(()), ReadArgs::refuse_hetero_rows);
    let result = readable.and_then(|()| limits::begin_threads(cli.global.threads)).and_then(|()| match cli.command {
        Command::Features(args) if args.list => explain::list(args.format).map(|()| ALL_DONE),
        Command::Features(args) => match &args.explain {
            Some(column) => explain::explain(column, args.format).map(|()| ALL_DONE),
            None => features::run(&args),
        },
        Command::Sites(args) => sites::run(&args),
        Command::Edges(args) if args.list => interactions::list().map(|()| ALL_DONE),
        Command::Edges(args) => match &args.explain {
            Some(kind) => interactions::explain(kind).map(|()| ALL_DONE),
            None => relations::edges(&args),
        },
        Command::Interface(args) => relations::interface(&args),
        Command::Atoms(args) => atoms::run(&args),
        Command::Ligands(args) => ligands::run(&args),
        Command::Confidence(args) if args.list => confidence::list(args.format).map(|()| ALL_DONE),
        Command::Confidence(args) => match &args.explain {
            Some(column) => confidence::explain(column, args.format).map(|()| ALL_DONE),
            None => confidence::run(&args),
        },
        Command::Summary(args) => relations::summary(&args),
        Command::Dockq(args) => dockq::run(args),
        Command::Dssp(args) => dssp::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Pack(args) => pack::run(&args),
        Command::Report(args) => html::run(&args),
        Command::Merge(args) => folder::merge(&args),
        Command::Info(args) => info::print(args.format).map(|()| ALL_DONE),
        Command::Generate(args) => generate::run(&args).map(|()| ALL_DONE),
    });
    result.unwrap_or_else(|failure| failure.report())
}

/// Sets the amount of messages. `RUST_LOG` overrides it for the libraries.
fn speak(global: &GlobalArgs) {
    let level = match (global.quiet, global.verbose) {
        (true, _) => LevelFilter::ERROR,
        (_, 0 | 1) => LevelFilter::WARN,
        (_, 2) => LevelFilter::INFO,
        _ => LevelFilter::DEBUG,
    };
    let asked: Option<Targets> = std::env::var("RUST_LOG").ok().and_then(|asked| asked.parse().ok());
    let filter = asked.unwrap_or_else(|| Targets::new().with_default(level));
    let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr);
    tracing_subscriber::registry().with(lines).with(filter).init();
    report::set_verbosity(if global.quiet { -1 } else { i8::try_from(global.verbose).unwrap_or(i8::MAX) });
}
