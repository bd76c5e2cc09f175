//! `prism generate`: files that packagers install beside the command.

use super::Failure;
use super::args::{Cli, GenerateArgs, Generated};
use clap::CommandFactory;
use clap_complete::{Shell, generate, generate_to};
use std::io::Write;
use std::path::Path;

/// Writes pages of the manual or completions.
pub fn run(args: &GenerateArgs) -> Result<(), Failure> {
    if let Some(folder) = &args.output {
        std::fs::create_dir_all(folder).map_err(|error| unwritten(folder, &error))?;
    }
    let shell = match args.what {
        Generated::Man => return man(args.output.as_deref()),
        Generated::CompleteBash => Shell::Bash,
        Generated::CompleteZsh => Shell::Zsh,
        Generated::CompleteFish => Shell::Fish,
        Generated::CompletePowershell => Shell::PowerShell,
    };
    let mut command = Cli::command();
    match &args.output {
        Some(folder) => {
            generate_to(shell, &mut command, "prism", folder).map_err(|error| unwritten(folder, &error))?;
        }
        None => {
            // In memory first, because the generator panics on a closed pipe.
            let mut text = Vec::new();
            generate(shell, &mut command, "prism", &mut text);
            std::io::stdout().write_all(&text)?;
        }
    }
    Ok(())
}

fn man(folder: Option<&Path>) -> Result<(), Failure> {
    match folder {
        Some(folder) => clap_mangen::generate_to(Cli::command(), folder).map_err(|error| unwritten(folder, &error)),
        None => {
            let mut command = Cli::command();
            command.build();
            let mut text = Vec::new();
            clap_mangen::Man::new(command.clone()).render(&mut text)?;
            for part in command.get_subcommands().filter(|part| part.get_name() != "help") {
                let name = format!("prism-{}", part.get_name());
                clap_mangen::Man::new(part.clone()).title(name).render(&mut text)?;
            }
            Ok(std::io::stdout().write_all(&text)?)
        }
    }
}

fn unwritten(folder: &Path, error: &std::io::Error) -> Failure {
    Failure::Work(anyhow::anyhow!("{}: cannot be written: {error}", folder.display()))
}
