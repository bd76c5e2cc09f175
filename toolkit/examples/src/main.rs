//! Runs examples by their names: on a GPU if there is one, or on CPU cores.

use cuda_host::Machine;
use std::error::Error;
use std::process::ExitCode;
use std::time::Instant;
use toolkit_examples::{EXAMPLES, Example, IMAGE};

const USAGE: &str = "cargo run --release -p toolkit-examples NAME.. [--cpu]\n\nNAME is `all`, or of these:";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (options, names): (Vec<_>, Vec<_>) = arguments.iter().partition(|argument| argument.starts_with('-'));
    let chosen: Option<Vec<&Example>> = names.iter().map(|name| EXAMPLES.iter().find(|e| e.name == *name)).collect();
    let chosen = if names.iter().any(|name| *name == "all") { Some(EXAMPLES.iter().collect()) } else { chosen };
    let (Some(chosen), true) = (chosen, options.iter().all(|option| *option == "--cpu")) else {
        eprintln!("error: no such example or option\n\n{}", usage());
        return ExitCode::FAILURE;
    };
    if chosen.is_empty() {
        println!("{}", usage());
        return ExitCode::SUCCESS;
    }
    match run(&chosen, !options.is_empty()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(chosen: &[&Example], on_cpu: bool) -> Result<(), Box<dyn Error>> {
    let machine = if on_cpu { Machine::cpu() } else { Machine::best("examples", IMAGE)? };
    println!("on {machine}");
    for example in chosen {
        #[cfg(feature = "nvtx")]
        let _range = cuda_host::nvtx::Range::begin(example.name);
        let start = Instant::now();
        let report = (example.run)(&machine)?;
        println!(
            "{}: {} ({:.1} ms, with copies and checks)",
            example.name,
            report.text,
            1e3 * start.elapsed().as_secs_f64()
        );
    }
    Ok(())
}

fn usage() -> String {
    let lines = EXAMPLES.iter().map(|example| format!("  {:13}  {}\n", example.name, example.about));
    format!("{USAGE}\n{}", lines.collect::<String>())
}
