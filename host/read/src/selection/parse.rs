//! The text of a selection to its parts.

use super::{Kind, Node, Numbers};
use crate::nearest::suggestion;
use thiserror::Error;
use winnow::combinator::{alt, cut_err, delimited, eof, fail, opt, preceded, repeat, separated, terminated};
use winnow::error::{ContextError, ErrMode, StrContext, StrContextValue};
use winnow::prelude::*;
use winnow::token::{one_of, take_till, take_while};

/// Longer texts are refused, and with them deep nesting.
const LONGEST: usize = 4096;
const MOST_PARENTHESES: usize = 64;
/// In Å.
const FARTHEST: f64 = 50.0;

/// The words of the language, with the usual name before its other spellings.
const WORDS: [&str; 22] = [
    "chain", "resnum", "resname", "icode", "segid", "protein", "nucleic", "hetero", "all", "none", "within", "around",
    "of", "and", "or", "not", "resid", "resi", "resn", "segi", "chainID", "chainid",
];

/// Why a text is no selection.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{problem}\n  {text}\n  {}^", " ".repeat(.text.get(..*.at).map_or(0, |before| before.chars().count())))]
pub struct SelectionError {
    /// The text, in one line.
    pub text: String,
    /// Where it is wrong, in bytes from its begin.
    pub at: usize,
    /// What is wrong there.
    pub problem: String,
}

/// The parts of a text.
pub(super) fn parse(text: &str) -> Result<Node, SelectionError> {
    let refused = |at: usize, problem: String| {
        let text = text.replace(|letter: char| letter.is_control(), " ");
        SelectionError { text, at, problem }
    };
    if text.len() > LONGEST {
        let text = text.chars().take(60).collect();
        let problem = format!("the selection has more than {LONGEST} characters; shorten it");
        return Err(SelectionError { text, at: 0, problem });
    }
    let mut open = text.match_indices('(');
    if let Some((at, _)) = open.nth(MOST_PARENTHESES) {
        return Err(refused(at, format!("there are more than {MOST_PARENTHESES} parentheses; take fewer")));
    }
    terminated(any_of, (blank, eof.context(expected("`and`, `or`, a further value, or the end")))).parse(text).map_err(
        |error| {
            let expected: Vec<String> = error.inner().context().map(ToString::to_string).collect();
            refused(error.offset(), problem(&text[error.offset()..], &expected.join(", ")))
        },
    )
}

/// The message about what begins a text.
fn problem(rest: &str, expected: &str) -> String {
    let word: String = rest.chars().take_while(|letter| is_of_word(*letter)).collect();
    let expected = if expected.is_empty() { "expected a selection" } else { expected };
    match &*word {
        "" if rest.is_empty() => format!("the selection ends too early: {expected}"),
        "" => expected.to_owned(),
        word => {
            format!("{expected}, not {word:?}{}", suggestion(word, WORDS.into_iter().filter(|known| *known != word)))
        }
    }
}

fn expected(what: &'static str) -> StrContext {
    StrContext::Expected(StrContextValue::Description(what))
}

fn is_of_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

fn blank(input: &mut &str) -> ModalResult<()> {
    take_while(0.., char::is_whitespace).void().parse_next(input)
}

/// A word of the language, behind blanks.
fn word<'a>(wanted: &'static str) -> impl Parser<&'a str, (), ErrMode<ContextError>> {
    preceded(blank, take_while(1.., is_of_word)).verify(move |found: &str| found == wanted).void()
}

fn sign<'a>(wanted: &'static str) -> impl Parser<&'a str, (), ErrMode<ContextError>> {
    preceded(blank, wanted).void()
}

/// `A or B`.
fn any_of(input: &mut &str) -> ModalResult<Node> {
    let or = alt((word("or"), sign("||"), sign("|")));
    let all: Vec<Node> = separated(1.., all_of, or).parse_next(input)?;
    Ok(one_or(all, Node::Or))
}

/// `A and B`, which binds more tightly.
fn all_of(input: &mut &str) -> ModalResult<Node> {
    let and = alt((word("and"), sign("&&"), sign("&")));
    let all: Vec<Node> = separated(1.., cut_err(one), and).parse_next(input)?;
    Ok(one_or(all, Node::And))
}

fn one_or(mut all: Vec<Node>, several: impl FnOnce(Vec<Node>) -> Node) -> Node {
    match (all.len(), all.pop()) {
        (1, Some(only)) => only,
        (_, last) => {
            all.extend(last);
            several(all)
        }
    }
}

/// A term, perhaps behind `not`.
fn one(input: &mut &str) -> ModalResult<Node> {
    let negations: usize = repeat(0.., alt((word("not"), sign("!")))).parse_next(input)?;
    let term = term(input)?;
    Ok(if negations % 2 == 1 { Node::Not(Box::new(term)) } else { term })
}

fn term(input: &mut &str) -> ModalResult<Node> {
    blank(input)?;
    let in_parentheses = delimited('(', cut_err(any_of), cut_err((blank, ')').context(expected("`)`"))));
    alt((in_parentheses, of_word))
        .context(expected(
            "a selection: chain, resnum, resname, icode, segid, protein, nucleic, hetero, all, none, within, around, not, or `(`",
        ))
        .parse_next(input)
}

/// A term that a word begins.
fn of_word(input: &mut &str) -> ModalResult<Node> {
    let begin = *input;
    let word = take_while(1.., is_of_word).parse_next(input)?;
    match word {
        "all" => Ok(Node::All),
        "none" => Ok(Node::None),
        "protein" => Ok(Node::Of(Kind::Protein)),
        "nucleic" => Ok(Node::Of(Kind::Nucleic)),
        "hetero" => Ok(Node::Of(Kind::Hetero)),
        "chain" | "chainID" | "chainid" => texts(input).map(Node::Chain),
        "segid" | "segi" => texts(input).map(Node::Segment),
        "resname" | "resn" => texts(input).map(Node::Name),
        "icode" => texts(input).map(Node::Icode),
        "resnum" | "resid" | "resi" => {
            values(input, numbers, "a residue number, such as 7, 52A or -5, or a range, such as 10-50")
                .map(Node::Number)
        }
        "within" => near(input, true),
        "around" => near(input, false),
        _ => {
            *input = begin;
            fail(input)
        }
    }
}

/// `within 5 of X`.
fn near(input: &mut &str, with_own: bool) -> ModalResult<Node> {
    let digits = take_while(1.., ('0'..='9', '.'));
    let distance = digits.parse_to::<f64>().verify(|distance| *distance > 0.0 && *distance <= FARTHEST);
    let distance =
        cut_err(preceded(blank, distance)).context(expected("a distance above 0 and up to 50 Å")).parse_next(input)?;
    opt(word("of")).parse_next(input)?;
    let of = Box::new(cut_err(one).parse_next(input)?);
    Ok(Node::Near { distance, of, with_own })
}

/// Texts, with or without quotes.
fn texts(input: &mut &str) -> ModalResult<Vec<String>> {
    values(input, |text, _| Some(text.to_owned()), "a value; one that is a word of the language goes in quotes")
}

/// Values divided by blanks, `+` or commas, up to the next word of the language.
fn values<T>(input: &mut &str, value: impl Fn(&str, bool) -> Option<T>, what: &'static str) -> ModalResult<Vec<T>> {
    let quoted = |input: &mut &str| -> ModalResult<String> {
        let text = alt((delimited('"', take_till(0.., '"'), '"'), delimited('\'', take_till(0.., '\''), '\'')));
        text.map(|text: &str| text.to_owned()).parse_next(input)
    };
    let (mut all, mut needs_one) = (Vec::new(), true);
    loop {
        blank(input)?;
        let begin = *input;
        let bare = take_while(0.., |letter: char| !letter.is_whitespace() && !"()\"'&|!+,".contains(letter));
        let is_value = |text: &&str| !text.is_empty() && !WORDS.contains(text);
        let taken = if begin.starts_with(['"', '\'']) {
            let text = cut_err(quoted).context(expected("a closing quote")).parse_next(input)?;
            Some(value(&text, true))
        } else {
            opt(bare.verify(is_value)).parse_next(input)?.map(|text| value(text, false))
        };
        match taken {
            Some(Some(value)) => all.push(value),
            None if !needs_one => return Ok(all),
            _ => {
                *input = begin;
                return cut_err(fail.context(expected(what))).parse_next(input);
            }
        }
        blank(input)?;
        needs_one = opt(one_of(['+', ','])).parse_next(input)?.is_some();
    }
}

/// `10`, `-5-10`, `10:50`, `52A`.
fn numbers(text: &str, is_quoted: bool) -> Option<Numbers> {
    let end = text.char_indices().skip(1).find(|(_, letter)| !letter.is_ascii_digit()).map_or(text.len(), |(at, _)| at);
    let (first, rest) = text.split_at(end);
    let first: i32 = first.parse().ok().filter(|_| !is_quoted && !text.starts_with('+'))?;
    match rest.strip_prefix(['-', ':']) {
        Some(last) => Some(Numbers::Range(first, last.parse().ok().filter(|&last| last >= first)?)),
        None if rest.is_empty() => Some(Numbers::Range(first, first)),
        None => rest.chars().all(char::is_alphabetic).then(|| Numbers::Inserted(first, rest.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(id: &str) -> Node {
        Node::Chain(vec![id.to_owned()])
    }

    #[test]
    fn and_binds_more_tightly_than_or_and_not_more_tightly_than_and() {
        let (a, b, c) = (|| chain("A"), || chain("B"), || chain("C"));
        let not = |node| Node::Not(Box::new(node));
        for (text, expected) in [
            ("chain A", a()),
            (" ( chain A ) ", a()),
            ("not not chain A", a()),
            ("chain A or chain B and chain C", Node::Or(vec![a(), Node::And(vec![b(), c()])])),
            ("(chain A or chain B) and chain C", Node::And(vec![Node::Or(vec![a(), b()]), c()])),
            ("not chain A and chain B", Node::And(vec![not(a()), b()])),
            ("!chain A&chain B || chain C", Node::Or(vec![Node::And(vec![not(a()), b()]), c()])),
            ("all and none", Node::And(vec![Node::All, Node::None])),
        ] {
            assert_eq!(parse(text).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn values_are_divided_by_blanks_commas_or_plus() {
        for text in ["chain A B", "chainID A+B", "chainid A , B", "chain 'A' \"B\""] {
            assert_eq!(parse(text).unwrap(), Node::Chain(vec!["A".to_owned(), "B".to_owned()]), "{text}");
        }
        assert_eq!(parse("chain or").unwrap_err().at, 6);
        assert_eq!(parse("chain 'or'").unwrap(), chain("or"));
        assert_eq!(parse("chain \" \"").unwrap(), chain(" "));
        assert_eq!(parse("chain A~2").unwrap(), chain("A~2"));
    }

    #[test]
    fn numbers_are_single_or_ranges_and_may_be_negative() {
        let range = Numbers::Range;
        for (text, expected) in [
            ("resnum 7", range(7, 7)),
            ("resid 10-50", range(10, 50)),
            ("resi 10:50", range(10, 50)),
            ("resnum -5--2", range(-5, -2)),
            ("resnum -5-10", range(-5, 10)),
            ("resnum 52A", Numbers::Inserted(52, "A".to_owned())),
        ] {
            assert_eq!(parse(text).unwrap(), Node::Number(vec![expected]), "{text}");
        }
    }

    #[test]
    fn near_takes_the_next_term() {
        let near = |distance, with_own| Node::Near { distance, of: Box::new(chain("A")), with_own };
        assert_eq!(parse("within 5 of chain A").unwrap(), near(5.0, true));
        assert_eq!(parse("around 3.5 chain A").unwrap(), near(3.5, false));
        let both = parse("within 5 of chain A and protein").unwrap();
        assert_eq!(both, Node::And(vec![near(5.0, true), Node::Of(Kind::Protein)]));
    }

    #[test]
    fn errors_point_at_the_place() {
        for (text, at, says) in [
            ("", 0, "ends too early"),
            ("chian A", 0, "did you mean `chain`"),
            ("chain A and", 11, "ends too early"),
            ("chain A and resnm 10", 12, "did you mean `resnum`"),
            ("chain A resname", 8, "expected `and`"),
            ("chain", 5, "a value"),
            ("chain A+", 8, "a value"),
            ("chain 'A", 8, "closing quote"),
            ("resnum 50-10", 7, "a residue number"),
            ("resnum 5 10x-3", 9, "a residue number"),
            ("(chain A", 8, "`)`"),
            ("chain A)", 7, "the end"),
            ("within 0 of chain A", 7, "a distance"),
            ("within 5000 of chain A", 7, "a distance"),
            ("within five of chain A", 7, "a distance"),
        ] {
            let error = parse(text).unwrap_err();
            assert_eq!(error.at, at, "{text}: {error}");
            assert!(error.problem.contains(says), "{text}: {error}");
            let lines: Vec<String> = error.to_string().lines().map(str::to_owned).collect();
            assert_eq!(lines.last().unwrap().find('^'), Some(2 + at), "{error}");
        }
    }

    #[test]
    fn long_and_deep_texts_are_refused() {
        assert!(parse(&"(".repeat(65)).unwrap_err().problem.contains("parentheses"));
        assert!(parse(&"not ".repeat(2000)).unwrap_err().problem.contains("characters"));
        assert!(parse(&format!("{}all", "within 5 ".repeat(400))).is_ok());
        assert!(parse(&format!("{}all", "! ".repeat(2000))).is_ok());
    }
}
