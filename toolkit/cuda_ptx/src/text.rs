//! Divides PTX into its functions, and a function into its statements.

/// A function with a body, as text.
#[derive(Clone, Copy, Debug, Default)]
pub struct Body<'a> {
    /// Its name.
    pub name: &'a str,
    /// Whether it is a kernel.
    pub entry: bool,
    /// How many parameters it has, and whether a result.
    pub takes: (usize, bool),
    /// What is between its braces.
    pub text: &'a str,
}

/// The functions of a module that have a body, in order.
///
/// ```
/// let text = ".func f(.param .b32 a) { ret; } .visible .entry k() { call.uni f, (p); ret; }";
/// let functions = cuda_ptx::text::bodies(text);
/// assert_eq!(functions.iter().map(|body| (body.name, body.entry)).collect::<Vec<_>>(), [("f", false), ("k", true)]);
/// assert_eq!((functions[0].takes, functions[0].text), ((1, false), " ret; "));
/// ```
#[must_use]
pub fn bodies(text: &str) -> Vec<Body<'_>> {
    let (mut found, mut rest) = (Vec::new(), text);
    while let Some((head, end)) = statement_head(rest) {
        let (before, after) = rest.split_at(head.raw_len);
        rest = after;
        if let HeadEnd::Brace = end {
            let (body, beyond) = balanced(after);
            let entry = has_word(&head.text, ".entry");
            let name = function_name(&head.text).filter(|_| entry || has_word(&head.text, ".func"));
            // The name as it stands in the text, which lives as long.
            let name = name.and_then(|name| before.rfind(&name).map(|at| &before[at..at + name.len()]));
            let result = head.text.contains("func_retval");
            let takes = (head.text.matches(".param").count() - usize::from(result), result);
            found.extend(name.map(|name| Body { name, entry, takes, text: body }));
            rest = beyond;
        }
    }
    found
}

/// The beginning of a declaration in a module.
#[derive(Clone, Debug)]
pub struct Head {
    /// The text without comments and strings.
    pub text: String,
    /// The strings.
    pub strings: Vec<String>,
    /// The bytes up to and including the character that ended it.
    pub raw_len: usize,
}

/// What ended a [`Head`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeadEnd {
    /// `;`
    Semicolon,
    /// `{`
    Brace,
}

/// The text up to the next `;` or `{` outside of comments and strings.
#[must_use]
pub fn statement_head(text: &str) -> Option<(Head, HeadEnd)> {
    let mut head = Head { text: String::new(), strings: Vec::new(), raw_len: 0 };
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        if let Some(skip) = comment_len(rest) {
            at += skip;
            head.text.push(' ');
            continue;
        }
        let c = rest.chars().next()?;
        match c {
            '"' => {
                let len = string_len(rest);
                head.strings.push(rest[..len].trim_matches('"').to_owned());
                at += len;
                continue;
            }
            ';' | '{' => {
                head.raw_len = at + 1;
                return Some((head, if c == ';' { HeadEnd::Semicolon } else { HeadEnd::Brace }));
            }
            _ => head.text.push(c),
        }
        at += c.len_utf8();
    }
    None
}

/// The text up to the matching closing brace, and the text after it.
#[must_use]
pub fn balanced(text: &str) -> (&str, &str) {
    let mut depth = 1usize;
    let mut at = 0;
    while let Some(skip) = text.as_bytes()[at..].iter().position(|byte| b"{}\"/".contains(byte)) {
        at += skip;
        let rest = &text[at..];
        match rest.as_bytes()[0] {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            b'"' => {
                at += string_len(rest);
                continue;
            }
            _ => {
                at += comment_len(rest).unwrap_or(1);
                continue;
            }
        }
        if depth == 0 {
            return (&text[..at], &text[at + 1..]);
        }
        at += 1;
    }
    (text, "")
}

/// The length of the comment that a text begins with.
fn comment_len(text: &str) -> Option<usize> {
    if text.starts_with("//") {
        Some(text.find('\n').unwrap_or(text.len()))
    } else if text.starts_with("/*") {
        Some(text.find("*/").map_or(text.len(), |end| end + 2))
    } else {
        None
    }
}

/// The length of the string that a text begins with.
fn string_len(text: &str) -> usize {
    text[1..].find('"').map_or(text.len(), |end| end + 2)
}

/// Whether a text has a word between spaces.
#[must_use]
pub fn has_word(text: &str, word: &str) -> bool {
    text.split_whitespace().any(|found| found == word)
}

/// The name after `.entry` or `.func`, past the parenthesised result of the latter.
#[must_use]
pub fn function_name(head: &str) -> Option<String> {
    let at = head.rfind(".entry").map(|at| at + 6).or_else(|| head.rfind(".func").map(|at| at + 5))?;
    let mut rest = head[at..].trim_start();
    if let Some(result) = rest.strip_prefix('(') {
        rest = result.split_once(')')?.1.trim_start();
    }
    let name = words(rest).next()?;
    Some(name.to_owned())
}

/// Identifiers and instructions, including their dots.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !is_of_word(c)).filter(|word| !word.is_empty())
}

fn is_of_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_$.%".contains(c)
}

/// A part of a function's body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part<'a> {
    /// `{`, where a scope of names begins.
    Open,
    /// `}`
    Close,
    /// The name of a label.
    Label(&'a str),
    /// A `.loc` directive, up to the end of its line.
    Location(&'a str),
    /// A declaration, another directive or an instruction, without its `;`.
    Statement(&'a str),
    /// A statement without an end.
    Unfinished(&'a str),
}

/// A part of a body, with its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed<'a> {
    /// The part.
    pub part: Part<'a>,
    /// The byte of the body at which it begins.
    pub begin: usize,
    /// The byte behind it, and behind its `;`.
    pub end: usize,
}

/// The parts of a function's body, in order, without comments before them.
///
/// ```
/// use cuda_ptx::text::{Part, parts};
///
/// let body = ".reg .b32 %r<3>; $A: // the loop\n{ mov.b32 {%h, %l}, %r1; @%p1 bra $A; } bar.sync 0";
/// assert_eq!(
///     parts(body).map(|placed| placed.part).collect::<Vec<_>>(),
///     [
///         Part::Statement(".reg .b32 %r<3>"),
///         Part::Label("$A"),
///         Part::Open,
///         Part::Statement("mov.b32 {%h, %l}, %r1"),
///         Part::Statement("@%p1 bra $A"),
///         Part::Close,
///         Part::Unfinished("bar.sync 0"),
///     ]
/// );
/// assert!(parts(body).all(|placed| placed.begin < placed.end));
/// ```
pub fn parts(body: &str) -> impl Iterator<Item = Placed<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let placed = next_part(body, at)?;
        at = placed.end;
        Some(placed)
    })
}

fn next_part(body: &str, from: usize) -> Option<Placed<'_>> {
    let mut begin = from;
    loop {
        let rest = &body[begin..];
        let skip = rest.len() - rest.trim_start().len();
        match comment_len(&rest[skip..]) {
            Some(comment) => begin += skip + comment,
            None => {
                begin += skip;
                break;
            }
        }
    }
    let rest = &body[begin..];
    let placed = |part, len| Some(Placed { part, begin, end: begin + len });
    match rest.as_bytes().first()? {
        b'{' => return placed(Part::Open, 1),
        b'}' => return placed(Part::Close, 1),
        // Assembly may contain empty statements.
        b';' => return placed(Part::Statement(""), 1),
        _ => {}
    }
    if rest.starts_with(".loc") && rest[4..].starts_with([' ', '\t']) {
        let line = &rest[..rest.find('\n').unwrap_or(rest.len())];
        return placed(Part::Location(line.split("//").next().unwrap_or(line).trim_end()), line.len());
    }
    if let Some((name, len)) = label(rest) {
        return placed(Part::Label(name), len);
    }
    let mut at = 0;
    while let Some(skip) = rest.as_bytes()[at..].iter().position(|byte| b";\"/".contains(byte)) {
        at += skip;
        let left = &rest[at..];
        at += match left.as_bytes()[0] {
            b';' => return placed(Part::Statement(rest[..at].trim_end()), at + 1),
            b'"' => string_len(left),
            _ => comment_len(left).unwrap_or(1),
        };
    }
    placed(Part::Unfinished(rest.trim_end()), rest.len())
}

/// The label at the beginning of a text, and its length with the colon.
fn label(text: &str) -> Option<(&str, usize)> {
    let end = text.find(|c: char| !is_of_word(c) || c == '.')?;
    let colon = end + text[end..].len() - text[end..].trim_start().len();
    let after = text[colon..].strip_prefix(':')?;
    // `a::b` is a part of an opcode.
    (end > 0 && !after.starts_with(':')).then_some((&text[..end], colon + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_strings_hide_what_ends_a_statement() {
        let body = "mov.u32 %r1, /* ; */ 7; // ;\n.pragma \"a;b\"; wgmma.wait 0; //{%r1}\n}";
        let statements: Vec<_> = parts(body).map(|placed| placed.part).collect();
        assert_eq!(
            statements,
            [
                Part::Statement("mov.u32 %r1, /* ; */ 7"),
                Part::Statement(".pragma \"a;b\""),
                Part::Statement("wgmma.wait 0"),
                Part::Close
            ]
        );
    }

    #[test]
    fn directives_of_places_end_with_their_line() {
        let body = "\t.loc\t1 25 9 // src/lib.rs:25:9\n\tadd.s32 \t%r1, %r2, 1;\n";
        let found: Vec<_> = parts(body).collect();
        assert_eq!(found[0].part, Part::Location(".loc\t1 25 9"));
        assert_eq!(found[1].part, Part::Statement("add.s32 \t%r1, %r2, 1"));
        assert!(body[found[1].begin..].starts_with("add") && body[..found[1].end].ends_with(';'));
    }

    #[test]
    fn any_text_is_read_without_a_panic() {
        for text in ["", "{", "}", "\"", "/*", "//", ":", "a:", "é", "é;é\"", ".loc", ".loc 1", "@", "a::b", "$é: ;"]
        {
            let ends: Vec<_> = parts(text).map(|placed| placed.end).collect();
            assert!(ends.is_sorted() && ends.last().is_none_or(|end| *end <= text.len()), "{text:?}");
            let _ = bodies(text);
        }
    }
}
