//! Values as mmCIF writes them.

/// Words that begin something else.
const RESERVED: [&str; 5] = ["data_", "loop_", "save_", "global_", "stop_"];

/// A value of mmCIF with the quotes that it needs: `?` for an empty one. `.` and `?` say that there is none.
///
/// ```
/// use prism_read::quoted;
///
/// assert_eq!([quoted("a"), quoted("a b"), quoted("5'")], ["a", "'a b'", "\"5'\""]);
/// ```
#[must_use]
pub fn quoted(value: &str) -> String {
    let is_plain = |c: char| c.is_ascii_graphic() && !"'\"#$".contains(c);
    let is_reserved = || {
        let begins = |word: &&str| value.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word));
        value.starts_with(['_', ';', '[', ']']) || RESERVED.iter().any(begins)
    };
    match value {
        "" => "?".to_owned(),
        "." | "?" => value.to_owned(),
        _ if value.chars().all(is_plain) && !is_reserved() => value.to_owned(),
        // A line of a text field cannot begin with its end.
        _ if value.contains('\n') => format!("\n;{}\n;\n", value.replace("\n;", "\n ;")),
        _ if value.contains('\'') && value.contains('"') => format!("\n;{value}\n;\n"),
        _ if value.contains('\'') => format!("\"{value}\""),
        _ => format!("'{value}'"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cif::{Lexer, Token, unquote};

    #[test]
    fn values_are_quoted_where_they_must_be() {
        for (value, expected) in [
            ("", "?"),
            (".", "."),
            ("a-b", "a-b"),
            ("a b", "'a b'"),
            ("[0,1]", "'[0,1]'"),
            ("5'", "\"5'\""),
            ("5' or \"", "\n;5' or \"\n;\n"),
            ("a\n;b", "\n;a\n ;b\n;\n"),
            ("Loop_", "'Loop_'"),
        ] {
            assert_eq!(quoted(value), expected);
        }
    }

    #[test]
    fn values_are_read_back() {
        for value in ["a", "a b", "_x", "#", "$", "5'", "5\"", "' \"", "a\nb ' \"", "data_", ";", "x;y", "Å"] {
            let text = format!("x\n{}\n", quoted(value));
            let mut lexer = Lexer::new(text.as_bytes());
            let _ = lexer.next().unwrap();
            let (_, Token::Value(raw)) = lexer.next().unwrap() else { panic!("{text}") };
            assert_eq!(unquote(raw), value.as_bytes());
        }
    }
}
