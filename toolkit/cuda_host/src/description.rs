//! Compares a kernel's description in the PTX with this program's.

use std::fmt;

/// The first difference between two descriptions of a kernel.
///
/// ```
/// use cuda_host::{Difference, SignaturePart};
///
/// let (device, host) = ("scale(x:[f32];n:u32;)x256 grid 1", "scale(x:[f32];n:u64;)x256 grid 1");
/// let difference = Difference::between(device, host).unwrap();
/// assert_eq!(difference.part, SignaturePart::Parameter("n".to_owned()));
/// assert_eq!(difference.to_string(), "parameter `n` differs: the PTX has `n:u32`, this program `n:u64`");
/// assert_eq!(Difference::between(host, host), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The part of the signature.
    pub part: SignaturePart,
    /// The PTX's text.
    pub device: String,
    /// This program's text.
    pub host: String,
}

/// A part of a kernel's signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SignaturePart {
    /// The kernel's name.
    Name,
    /// A parameter: its name, type, or position.
    Parameter(String),
    /// A field of a parameter's struct.
    Field {
        /// The parameter.
        parameter: String,
        /// The field.
        field: String,
    },
    /// The number of parameters.
    ParameterCount,
    /// The number of threads in a block.
    Threads,
    /// The number of dimensions of the grid.
    Dimensions,
}

impl fmt::Display for SignaturePart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name => f.write_str("the name"),
            Self::Parameter(name) => write!(f, "parameter `{name}`"),
            Self::Field { parameter, field } => write!(f, "parameter `{parameter}`, field `{field}`"),
            Self::ParameterCount => f.write_str("the number of parameters"),
            Self::Threads => f.write_str("the number of threads in a block"),
            Self::Dimensions => f.write_str("the number of dimensions of the grid"),
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} differs: the PTX has `{}`, this program `{}`", self.part, self.device, self.host)
    }
}

impl Difference {
    /// The first difference between a kernel's description in the PTX and its
    /// [`DESCRIPTION`](cuda_std::launch::Kernel::DESCRIPTION) here, if any. Arbitrary texts may be compared.
    #[must_use]
    pub fn between(device: &str, host: &str) -> Option<Box<Self>> {
        if device == host {
            return None;
        }
        let difference =
            |part, device: &str, host: &str| Some(Box::new(Self { part, device: short(device), host: short(host) }));
        let (device_name, device_parameters, device_rest) = parts(device);
        let (host_name, host_parameters, host_rest) = parts(host);
        if device_name != host_name {
            return difference(SignaturePart::Name, device_name, host_name);
        }
        for (device, host) in device_parameters.iter().zip(&host_parameters) {
            if device != host {
                let parameter = || label(host).to_owned();
                if label(device) == label(host)
                    && let Some((field, device, host)) = different_field(device, host)
                {
                    let part = SignaturePart::Field { parameter: parameter(), field: field.to_owned() };
                    return difference(part, device, host);
                }
                return difference(SignaturePart::Parameter(parameter()), device, host);
            }
        }
        if device_parameters.len() != host_parameters.len() {
            let names = |parameters: &[&str]| parameters.iter().map(|p| label(p)).collect::<Vec<_>>().join(", ");
            return difference(SignaturePart::ParameterCount, &names(&device_parameters), &names(&host_parameters));
        }
        match (device_rest.split_once(GRID), host_rest.split_once(GRID)) {
            (Some((device_threads, device)), Some((host_threads, host))) if device_threads == host_threads => {
                difference(SignaturePart::Dimensions, device, host)
            }
            (Some((device, _)), Some((host, _))) => difference(SignaturePart::Threads, device, host),
            _ => difference(SignaturePart::Threads, device_rest, host_rest),
        }
    }
}

/// What is between the number of threads and that of the grid's dimensions. A raw kernel has no such number.
const GRID: &str = " grid ";

/// Name, parameters and the rest of `name(a:T;b:U;)x256 grid 1`.
fn parts(description: &str) -> (&str, Vec<&str>, &str) {
    let (name, rest) = description.split_once('(').unwrap_or((description, ""));
    let (parameters, rest) = rest.rsplit_once(")x").unwrap_or((rest, ""));
    (name, split(parameters, ';'), rest)
}

/// The first pair of differing fields of two parameters whose type is a struct: its name, and both texts.
fn different_field<'t>(device: &'t str, host: &'t str) -> Option<(&'t str, &'t str, &'t str)> {
    let (device_fields, host_fields) = (fields(device)?, fields(host)?);
    let pairs = || device_fields.iter().zip(&host_fields);
    pairs().find(|(device, host)| device != host).map(|(device, host)| (label(host), *device, *host))
}

/// The fields of `name:&[Struct{a:T@0,b:U@4}8:4]`.
fn fields(parameter: &str) -> Option<Vec<&str>> {
    let begin = parameter.find('{')? + 1;
    let end = parameter.rfind('}')?;
    Some(split(parameter.get(begin..end)?, ','))
}

/// The text before the first colon.
fn label(part: &str) -> &str {
    part.split(':').next().unwrap_or(part)
}

/// Splits at separators outside of brackets; the last one may end the text.
fn split(text: &str, separator: char) -> Vec<&str> {
    let mut depth = 0i32;
    let mut parts: Vec<&str> = text
        .split(|c: char| {
            depth += i32::from(matches!(c, '[' | '{' | '<' | '(')) - i32::from(matches!(c, ']' | '}' | '>' | ')'));
            c == separator && depth == 0
        })
        .collect();
    if parts.last() == Some(&"") {
        parts.pop();
    }
    parts
}

/// As much of a text as fits into a message.
fn short(text: &str) -> String {
    const LONGEST: usize = 160;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOST: &str = "k(out:&mut Segment<[f32;32]>;rays:&[Ray{origin:[f32;3]@0,t:f32@12}16:4];n:u32;)x256 grid 2";

    fn part(device: &str) -> SignaturePart {
        Difference::between(device, HOST).expect("they differ").part
    }

    #[test]
    fn equal_descriptions_do_not_differ() {
        assert_eq!(Difference::between(HOST, HOST), None);
    }

    #[test]
    fn the_first_difference_is_named_by_its_place() {
        assert_eq!(part(&HOST.replace("k(", "kk(")), SignaturePart::Name);
        assert_eq!(part(&HOST.replace("x256", "x128")), SignaturePart::Threads);
        assert_eq!(part(&HOST.replace("grid 2", "grid 1")), SignaturePart::Dimensions);
        assert_eq!(part(&HOST.replace("x256 grid 2", "x128 grid 1")), SignaturePart::Threads);
        assert_eq!(part(&HOST.replace("n:u32", "n:i32")), SignaturePart::Parameter("n".into()));
        assert_eq!(part(&HOST.replace("f32;32", "f32;16")), SignaturePart::Parameter("out".into()));
        assert_eq!(part(&HOST.replace("n:u32;", "")), SignaturePart::ParameterCount);
        assert_eq!(part(&HOST.replace("n:u32;", "n:u32;m:u32;")), SignaturePart::ParameterCount);
        let field = |field: &str| SignaturePart::Field { parameter: "rays".into(), field: field.into() };
        assert_eq!(part(&HOST.replace("t:f32@12", "t:u32@12")), field("t"));
        assert_eq!(part(&HOST.replace("t:f32@12}16:4", "t:f32@16}20:4")), field("t"));
        assert_eq!(part(&HOST.replace("}16:4", "}16:16")), SignaturePart::Parameter("rays".into()));
    }

    #[test]
    fn the_message_shows_both_texts() {
        let difference = Difference::between(&HOST.replace("t:f32@12", "t:u32@12"), HOST).unwrap();
        assert_eq!(
            difference.to_string(),
            "parameter `rays`, field `t` differs: the PTX has `t:u32@12`, this program `t:f32@12`"
        );
    }

    #[test]
    fn a_description_without_dimensions_is_no_match() {
        let difference = Difference::between(&HOST.replace(" grid 2", ""), HOST).unwrap();
        assert_eq!((&*difference.device, &*difference.host), ("256", "256 grid 2"));
        let difference = Difference::between(&HOST.replace("grid 2", "grid 3"), HOST).unwrap();
        assert_eq!(
            difference.to_string(),
            "the number of dimensions of the grid differs: the PTX has `3`, this program `2`"
        );
    }

    #[test]
    fn texts_that_are_no_descriptions_are_compared_too() {
        for device in ["", "k", "k(", "x256", ")x(", "k(a)x", "k({}[;)x256", "\u{fffd}\u{fffd}"] {
            assert!(Difference::between(device, HOST).is_some(), "{device}");
        }
        let long = "k(".to_owned() + &"ä".repeat(1000);
        assert!(Difference::between(&long, HOST).unwrap().device.ends_with("..."));
    }
}
