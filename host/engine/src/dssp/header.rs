//! The lines about the file itself: `HEADER`, `COMPND`, `SOURCE` and `AUTHOR`.

use prism_read::{Header, MONTHS, Molecule};

/// Bytes of a line before its dot.
const WIDTH: usize = 127;

/// A text of a fixed number of bytes. One that is too long ends with three dots and a blank.
fn fixed(text: &str, width: usize) -> String {
    if text.len() <= width {
        return format!("{text}{}", " ".repeat(width - text.len()));
    }
    let bytes = text.as_bytes()[..width - 4].to_vec();
    format!("{}... ", String::from_utf8_lossy(&bytes))
}

pub(super) fn header(of: &Header) -> String {
    let id: String = of.id.chars().chain("    ".chars()).take(4).collect();
    // mkdssp leaves its filling where a file has no keywords.
    let keywords = of.keywords.as_ref().map_or_else(|| "x".repeat(40), |words| fixed(words, 40));
    fixed(&format!("HEADER    {keywords}{}   {id}", fixed(&date(&of.date), 9)), WIDTH)
}

/// `1997-11-06` as `06-NOV-97`.
fn date(text: &str) -> String {
    let parts: Vec<&str> = text.split('-').collect();
    let number = |text: &str, length: usize| text.parse::<usize>().ok().filter(|_| text.len() == length);
    let (year, month, day) = match parts[..] {
        [year, month] => (year, month, None),
        [year, month, day] => (year, month, Some(day)),
        _ => return String::new(),
    };
    let month = number(month, 2).and_then(|month| MONTHS.get(month.checked_sub(1)?));
    let (Some(year), Some(month)) = (number(year, 4), month) else { return String::new() };
    match day.map(|day| number(day, 2)) {
        None => format!("{month}-{:02}", year % 100),
        Some(Some(day)) => format!("{day:02}-{month}-{:02}", year % 100),
        Some(None) => String::new(),
    }
}

pub(super) fn compound(of: &Header) -> String {
    fixed(&format!("COMPND    {}", listed(of, |molecule| &molecule.compound)), WIDTH)
}

pub(super) fn source(of: &Header) -> String {
    fixed(&format!("SOURCE    {}", listed(of, |molecule| &molecule.source)), WIDTH)
}

fn listed(of: &Header, list: impl Fn(&Molecule) -> &[(&'static str, String)]) -> String {
    let mut all = Vec::new();
    for (molecule, number) in of.molecules.iter().zip(1..) {
        all.push(format!("MOL_ID: {number}"));
        all.extend(list(molecule).iter().map(|(name, value)| format!("{name}: {value}")));
    }
    all.join("; ")
}

pub(super) fn author(of: &Header) -> String {
    let authors: Vec<String> = of.authors.iter().map(|name| turned(name)).collect();
    fixed(&format!("AUTHOR    {}", authors.join("; ")), WIDTH)
}

/// `Hendrickson, W.A.` as `W.A.Hendrickson`.
fn turned(name: &str) -> String {
    match name.split_once(", ") {
        Some((family, initials))
            if !family.is_empty()
                && !family.contains(',')
                && !initials.is_empty()
                && !initials.contains(|c: char| c.is_ascii_whitespace()) =>
        {
            format!("{initials}{family}")
        }
        _ => name.to_owned(),
    }
}
