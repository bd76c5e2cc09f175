//! Words that agree with a number, for messages.

use std::fmt::Display;

/// The number, followed by the words that agree with it: `1 row has`, `3 rows have`.
pub fn counted<N: Copy + Display + PartialEq + From<u8>>(number: N, one: &str, many: &str) -> String {
    format!("{number} {}", form(number, one, many))
}

/// The words that agree with a number.
pub fn form<'w, N: PartialEq + From<u8>>(number: N, one: &'w str, many: &'w str) -> &'w str {
    if number == N::from(1) { one } else { many }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_alone_is_singular() {
        let told = [0_usize, 1, 2, 11].map(|number| counted(number, "row has", "rows have"));
        assert_eq!(told, ["0 rows have", "1 row has", "2 rows have", "11 rows have"]);
    }
}
