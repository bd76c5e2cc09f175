//! What the commands do.

pub mod args;
mod failure;
mod features;
mod info;
mod interrupt;
mod job;
mod limits;
mod list;
mod pack;
mod report;
mod sites;
mod timings;

use args::{Cli, Command};
use failure::{ALL_DONE, Failure};
use std::process::ExitCode;

/// Runs a command; answers the exit status: 0 all done, 1 nothing written, 2 wrong usage, 3 some inputs failed.
pub fn run(cli: Cli) -> ExitCode {
    let filter = tracing_subscriber::EnvFilter::try_from_default_env().unwrap_or_else(|_| "warn".into());
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
    let result = limits::prepare(cli.threads).and_then(|()| match cli.command {
        Command::Features(args) if args.list => list::print().map(|()| ALL_DONE),
        Command::Features(args) => features::run(&args),
        Command::Sites(args) => sites::run(&args),
        Command::Pack(args) => pack::run(&args),
        Command::Info => info::print().map(|()| ALL_DONE),
    });
    result.unwrap_or_else(|failure| failure.report()).into()
}
