//! `--backend`.

use super::{DeviceArg, JobArgs};
use clap::builder::{EnumValueParser, PossibleValue, TypedValueParser};
use clap::error::{ContextKind, ContextValue};
use clap::{Arg, Command, Error, ValueEnum};
use prism_host::engine::{Backend, EngineBuilder};
use std::ffi::OsStr;

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum BackendArg {
    /// CUDA if there is a usable device, else the CPU.
    Auto,
    /// CUDA, or an error.
    Cuda,
    /// CPU cores.
    Cpu,
}

impl From<BackendArg> for Backend {
    fn from(backend: BackendArg) -> Self {
        match backend {
            BackendArg::Auto => Self::Auto,
            BackendArg::Cuda => Self::Cuda,
            BackendArg::Cpu => Self::Cpu,
        }
    }
}

impl BackendArg {
    /// A parser that suggests `cuda` for other words for a GPU, of which `gpu` looks more like `cpu`.
    pub fn parser() -> impl TypedValueParser<Value = Self> {
        Parser(EnumValueParser::new())
    }
}

impl JobArgs {
    /// An engine on the chosen backend and devices.
    pub fn of_backend(&self, builder: EngineBuilder) -> EngineBuilder {
        let builder = builder.backend(self.backend.into());
        let number = |device: &DeviceArg| match device {
            DeviceArg::Number(number) => Some(*number),
            DeviceArg::All => None,
        };
        // `all` has no number and means every device.
        match self.devices.iter().map(number).collect::<Option<Vec<_>>>() {
            Some(numbers) => builder.devices(numbers),
            None => builder.all_devices(),
        }
    }
}

#[derive(Clone)]
struct Parser(EnumValueParser<BackendArg>);

impl TypedValueParser for Parser {
    type Value = BackendArg;

    fn parse_ref(&self, command: &Command, argument: Option<&Arg>, value: &OsStr) -> Result<BackendArg, Error> {
        self.0.parse_ref(command, argument, value).map_err(|mut error| {
            let value = value.to_string_lossy().to_ascii_lowercase();
            if ["gpu", "nvidia", "cuda"].iter().any(|word| value.contains(word)) {
                error.insert(ContextKind::SuggestedValue, ContextValue::String("cuda".to_owned()));
            }
            error
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        self.0.possible_values()
    }
}
