//! The members of a JSON object, without reading what nobody asks for.
//!
//! A predictor's file is one object with a few large arrays of numbers. General parsers check and convert every number of every
//! array. Here the object is cut into its members by looking for brackets and quotes, which vectors do, and the values that are wanted
//! are read: the matrix by [`Matrix::of_json`](super::Matrix), the small ones by `serde_json`.

use memchr::{memchr, memchr2, memchr3};
use prism_read::unmarked;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::HashSet;

/// The members of an object: what each name means, with its value's text.
pub(super) type Members<'a> = Vec<(Cow<'a, str>, &'a [u8])>;

/// The members of an object. An array of one object, as AlphaFold's database has, is that object.
///
/// # Errors
/// If the text ends too early, or is no such thing.
pub(super) fn members(text: &[u8]) -> Result<Members<'_>, String> {
    let text = text.trim_ascii();
    let (object, end): (_, &[u8]) = match text.first() {
        Some(b'{') => (text, b""),
        Some(b'[') => (text[1..].trim_ascii_start(), b"]"),
        Some(_) => return Err("is no JSON object".to_owned()),
        None => return Err("is empty".to_owned()),
    };
    let mut rest = object.strip_prefix(b"{").ok_or("is a JSON array, and not of one object")?.trim_ascii_start();
    let mut members = Members::new();
    loop {
        rest = match rest.first() {
            Some(b'}') => {
                let rest = rest[1..].trim_ascii_start();
                return match rest == end {
                    true => once(members),
                    false if rest.is_empty() => Err("is cut after its object; fetch it again".to_owned()),
                    false => Err("has more behind its object; one object is read".to_owned()),
                };
            }
            Some(b',') if !members.is_empty() => rest[1..].trim_ascii_start(),
            // The first member has no comma before it.
            _ if members.is_empty() => rest,
            _ => b"",
        };
        let after = members.last().map_or_else(|| "begins".to_owned(), |(name, _)| format!("goes on after {name:?}"));
        let cut = || format!("is cut or damaged where it {after}; fetch it again");
        let length = string(rest).ok_or_else(cut)?;
        let name = meaning(&rest[..length]).ok_or_else(cut)?;
        rest = rest[length..].trim_ascii_start().strip_prefix(b":").ok_or_else(cut)?.trim_ascii_start();
        let length = value(rest).ok_or_else(|| format!("is cut inside of {name:?}; fetch it again"))?;
        members.push((name, &rest[..length]));
        rest = rest[length..].trim_ascii_start();
    }
}

/// The members, if each name is there once: readers take the first of two, or the last.
fn once(members: Members<'_>) -> Result<Members<'_>, String> {
    let mut known = HashSet::with_capacity(members.len());
    match members.iter().find(|(name, _)| !known.insert(name.as_ref())) {
        Some((name, _)) => Err(format!("has two members {name:?}; leave one of them in it")),
        None => Ok(members),
    }
}

/// Whether an object has a member of a name. A damaged one has it if the name is there in quotes.
pub(super) fn has(text: &[u8], name: &str) -> bool {
    let text = unmarked(text);
    let in_quotes = || memchr::memmem::find(&text, format!("\"{name}\"").as_bytes()).is_some();
    members(&text).map_or_else(|_| in_quotes(), |all| all.iter().any(|(own, _)| own == name))
}

/// What a string with its quotes means.
fn meaning(string: &[u8]) -> Option<Cow<'_, str>> {
    match memchr(b'\\', string) {
        None => std::str::from_utf8(&string[1..string.len() - 1]).ok().map(Cow::Borrowed),
        Some(_) => serde_json::from_slice(string).ok().map(Cow::Owned),
    }
}

/// What Python writes for numbers that are none, and JSON lacks.
const NO_NUMBERS: [&str; 3] = ["NaN", "Infinity", "-Infinity"];

/// A small value. Those of [`NO_NUMBERS`] in it become strings, so that they cost no other values.
///
/// # Errors
/// If it is neither JSON nor what Python writes in its place.
pub(super) fn small(text: &[u8]) -> Result<Value, String> {
    let parsed = serde_json::from_slice(text).or_else(|error| {
        let quoted = with_quotes(text).ok_or(error)?;
        serde_json::from_slice(&quoted)
    });
    parsed.map_err(|error: serde_json::Error| format!("cannot be read: {error}"))
}

/// The same text with quotes about each of [`NO_NUMBERS`].
fn with_quotes(text: &[u8]) -> Option<Vec<u8>> {
    let (mut quoted, mut rest) = (Vec::with_capacity(text.len()), text);
    while let Some(first) = rest.first() {
        let word = NO_NUMBERS.iter().find(|word| rest.starts_with(word.as_bytes()));
        let length = match word {
            Some(word) => word.len(),
            None if *first == b'"' => string(rest)?,
            None => 1,
        };
        let quote = |to: &mut Vec<u8>| to.extend(word.map(|_| b'"'));
        quote(&mut quoted);
        quoted.extend(&rest[..length]);
        quote(&mut quoted);
        rest = &rest[length..];
    }
    Some(quoted)
}

/// A value as its file has it.
pub(super) fn shown(value: &Value) -> String {
    match value.as_str().filter(|text| NO_NUMBERS.contains(text)) {
        Some(text) => text.to_owned(),
        None => value.to_string(),
    }
}

/// Names in a row, of which equal ones that follow each other are one, with their number.
pub(super) type Runs = Vec<(String, usize)>;

/// The strings of an array, such as the chain of each atom; `None` if it has anything else.
pub(super) fn runs(array: &[u8]) -> Option<Runs> {
    let (mut runs, mut last): (Runs, &[u8]) = (Runs::new(), b"");
    let mut rest = array.strip_prefix(b"[")?.trim_ascii_start();
    if rest == b"]" {
        return Some(runs);
    }
    loop {
        let (own, after) = rest.split_at(string(rest)?);
        match runs.last_mut() {
            Some((_, count)) if own == last => *count += 1,
            _ => runs.push((serde_json::from_slice(own).ok()?, 1)),
        }
        (last, rest) = (own, after.trim_ascii_start());
        match rest.split_first()? {
            (b',', after) => rest = after.trim_ascii_start(),
            (b']', b"") => return Some(runs),
            _ => return None,
        }
    }
}

/// The length of a string at the beginning of a text, with its quotes.
fn string(text: &[u8]) -> Option<usize> {
    text.strip_prefix(b"\"")?;
    let mut at = 1;
    loop {
        at += memchr2(b'"', b'\\', &text[at..])?;
        if text[at] == b'"' {
            return Some(at + 1);
        }
        at += 2;
        text.get(at)?;
    }
}

/// The length of a value at the beginning of a text.
fn value(text: &[u8]) -> Option<usize> {
    let (open, close) = match text.first()? {
        b'"' => return string(text),
        b'[' => (b'[', b']'),
        b'{' => (b'{', b'}'),
        _ => return text.iter().position(|c| matches!(c, b',' | b'}' | b']') || c.is_ascii_whitespace()),
    };
    let (mut depth, mut at) = (0_usize, 0);
    loop {
        at += memchr3(open, close, b'"', &text[at..])?;
        match text[at] {
            b'"' => at += string(&text[at..])?,
            bracket => {
                depth = if bracket == open { depth + 1 } else { depth - 1 };
                at += 1;
                if depth == 0 {
                    return Some(at);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(Cow<'_, str>, &str)> {
        let as_text = |(name, value): (_, _)| (name, std::str::from_utf8(value).unwrap());
        members(text.as_bytes()).unwrap().into_iter().map(as_text).collect()
    }

    fn borrowed<'a, const N: usize>(pairs: [(&'a str, &'a str); N]) -> Vec<(Cow<'a, str>, &'a str)> {
        pairs.into_iter().map(|(name, value)| (Cow::Borrowed(name), value)).collect()
    }

    #[test]
    fn members_are_cut_at_their_ends() {
        let text = r#" { "a" : [[1.5, 2],["]"]] , "b":{"c":"}"},"d":"x\"]y" ,"e":-1e5,"f":null} "#;
        let expected =
            [("a", r#"[[1.5, 2],["]"]]"#), ("b", r#"{"c":"}"}"#), ("d", r#""x\"]y""#), ("e", "-1e5"), ("f", "null")];
        assert_eq!(found(text), borrowed(expected));
        assert_eq!(found(r#"[{"a":1}]"#), borrowed([("a", "1")]));
        assert_eq!(found("{}"), []);
    }

    #[test]
    fn names_are_what_their_escapes_mean() {
        let expected = [("pae", "1"), ("a/b", "2"), ("\"\\é", r#""\u0041""#)];
        assert_eq!(found(r#"{"\u0070ae":1,"a\/b":2,"\"\\\u00e9":"\u0041"}"#), borrowed(expected));
        let twice = members(br#"{"pae":1,"p\u0061e":2}"#).unwrap_err();
        assert!(twice.contains("has two members \"pae\""), "{twice}");
        // No letter, and half of one.
        for text in [r#"{"p\xae":1}"#, r#"{"\ud800":1}"#] {
            assert!(members(text.as_bytes()).unwrap_err().contains("cut or damaged where it begins"), "{text}");
        }
        assert!(has(br#"{"p\u0061e":[[1]]}"#, "pae") && has(br#"{"pae":[[1"#, "pae"));
        assert!(!has(br#"{"iptm":{"pae":1}}"#, "pae"));
    }

    #[test]
    fn what_python_writes_for_no_number_costs_no_other_value() {
        let value = small(br#"[0.5, NaN, -Infinity,{"NaN \" NaN":Infinity}, "NaN"]"#).unwrap();
        assert_eq!(value, serde_json::json!([0.5, "NaN", "-Infinity", {"NaN \" NaN": "Infinity"}, "NaN"]));
        assert_eq!([&value[1], &value[0], &serde_json::json!("x")].map(shown), ["NaN", "0.5", "\"x\""]);
        for text in ["[0.5,", "[nan]", "[NaN NaN]", "\"NaN"] {
            assert!(small(text.as_bytes()).unwrap_err().contains("cannot be read"), "{text}");
        }
    }

    #[test]
    fn names_of_chains_are_counted() {
        let of = |text: &str| runs(text.as_bytes());
        let run = |name: &str, count| (name.to_owned(), count);
        assert_eq!(of(r#"["A","A", "B" ,"A\u0041"]"#), Some(vec![run("A", 2), run("B", 1), run("AA", 1)]));
        assert_eq!(of("[ ]"), Some(Vec::new()));
        for text in [r#"["A""A"]"#, r#"["A",]"#, r#"["A""#, r#"["A",1]"#, r#"["A"]]"#, r#"[,"A"]"#, "", "{}"] {
            assert_eq!(of(text), None, "{text}");
        }
    }

    #[test]
    fn a_name_that_is_there_twice_is_named() {
        let error = members(br#"{"pae":[[1]],"iptm":0.5,"pae":[[2]]}"#).unwrap_err();
        assert!(error.contains("has two members \"pae\""), "{error}");
    }

    #[test]
    fn every_cut_is_an_error() {
        let text = r#"{"pae":[[0.5,1.5],[2.5,0.5]],"ids":["A","B"],"iptm":0.5,"pairs":{"0":{"1":0.5}}}"#;
        for end in 0..text.len() {
            let error = members(&text.as_bytes()[..end]).unwrap_err();
            assert!(error.contains("cut") || end == 0, "{end}: {error}");
        }
        for (text, says) in [
            (r#"{,"a":1}"#, "cut or damaged where it begins"),
            (r#"{"a":1,}"#, "cut or damaged where it goes on after \"a\""),
            (r#"{"a":1,,"b":2}"#, "cut or damaged where it goes on after \"a\""),
            (r#"{"a":1 "b":2}"#, "cut or damaged where it goes on after \"a\""),
            ("[{}", "cut"),
            ("{} {}", "more"),
            ("[{},{}]", "more"),
            ("{}]", "more"),
        ] {
            assert!(members(text.as_bytes()).unwrap_err().contains(says), "{text}");
        }
        assert!(members(&text.as_bytes()[..20]).unwrap_err().contains("is cut inside of \"pae\""));
    }
}
