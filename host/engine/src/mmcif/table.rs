//! A category as text.

use super::id;
use prism_read::{Category, quoted};
use std::collections::HashSet;
use std::fmt::Write as _;

/// A category with its rows.
pub(crate) struct Table {
    name: &'static str,
    items: Vec<String>,
    /// Rows of the file, with their values as the file writes them. They come first.
    kept: Vec<Vec<String>>,
    pub(crate) rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(name: &'static str, items: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { name, items: items.into_iter().map(Into::into).collect(), kept: Vec::new(), rows: Vec::new() }
    }

    /// The rows of a file's category, with at least these items, behind which rows are added with values for these items in this order.
    pub(crate) fn behind(file: Category, name: &'static str, items: &[&str]) -> Self {
        let place = |item: &&str| file.items.iter().position(|own| own.eq_ignore_ascii_case(item));
        let places: Vec<Option<usize>> = items.iter().map(place).collect();
        let others: Vec<usize> = (0..file.items.len()).filter(|at| !places.contains(&Some(*at))).collect();
        let kept = file.rows.into_iter().map(|row| {
            let own = places.iter().map(|at| at.map_or("?".to_owned(), |at| row[at].clone()));
            own.chain(others.iter().map(|at| row[*at].clone())).collect()
        });
        let kept = kept.collect();
        let own = items.iter().map(|item| (*item).to_owned());
        let items = own.chain(others.iter().map(|at| file.items[*at].clone())).collect();
        Self { name, items, kept, rows: Vec::new() }
    }

    pub(crate) fn write(&self, text: &mut String) {
        let Self { name, items, kept, rows } = self;
        match &rows[..] {
            [] if kept.is_empty() => return,
            [row] if kept.is_empty() => {
                for (item, value) in items.iter().zip(row) {
                    let _ = writeln!(text, "_{name}.{item} {}", quoted(value));
                }
            }
            rows => {
                text.push_str("loop_\n");
                for item in items {
                    let _ = writeln!(text, "_{name}.{item}");
                }
                for row in kept {
                    let values: Vec<String> = row.iter().map(|value| on_own_lines(value)).collect();
                    let _ = writeln!(text, "{}", values.join(" "));
                }
                for row in rows {
                    let missing = items.len() - row.len();
                    let values =
                        row.iter().map(|value| quoted(value)).chain(std::iter::repeat_n("?".to_owned(), missing));
                    let _ = writeln!(text, "{}", values.collect::<Vec<_>>().join(" "));
                }
            }
        }
        text.push_str("#\n");
    }
}

/// Ends a text with a line of `#`, which divides categories, if it does not end with one.
pub(crate) fn divide(text: &mut String) {
    if !text.ends_with('\n') {
        text.push('\n');
    }
    let last = text.trim_end().rsplit('\n').next().unwrap_or_default();
    if last.trim() != "#" {
        text.push_str("#\n");
    }
}

/// A value as the file writes it. A text of several lines must begin with a line.
fn on_own_lines(value: &str) -> String {
    if value.starts_with(';') { format!("\n{value}\n") } else { value.to_owned() }
}

/// Ids for chains, in order: A to Z, AA and so on, but for some.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ids {
    next: usize,
    without: HashSet<String>,
}

impl Ids {
    /// All but these.
    pub(super) fn without(without: HashSet<String>) -> Self {
        Self { next: 0, without }
    }

    /// Those after the first ones.
    pub(crate) fn after(count: usize) -> Self {
        Self { next: count, without: HashSet::new() }
    }

    pub(super) fn next(&mut self) -> String {
        loop {
            let own = id(self.next);
            self.next += 1;
            if !self.without.contains(&own) {
                return own;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owned(row: &[&str]) -> Vec<String> {
        row.iter().map(|&value| value.to_owned()).collect()
    }

    #[test]
    fn rows_of_the_file_come_first_and_keep_their_text() {
        let file =
            Category { items: owned(&["More", "ID"]), rows: vec![owned(&["';'", "1"]), owned(&[";a\nb\n;", "'2'"])] };
        let mut table = Table::behind(file, "x", &["id", "name"]);
        table.rows.push(owned(&["3", "it's"]));
        let mut text = String::new();
        table.write(&mut text);
        let rows = "1 ? ';'\n'2' ? \n;a\nb\n;\n\n3 \"it's\" ?\n";
        assert_eq!(text, format!("loop_\n_x.id\n_x.name\n_x.More\n{rows}#\n"));
    }

    #[test]
    fn ids_that_others_have_are_left_out() {
        let mut ids = Ids::without(HashSet::from(["B".to_owned()]));
        assert_eq!([ids.next(), ids.next()], ["A", "C"]);
        assert_eq!(Ids::after(26).next(), "AA");
    }

    #[test]
    fn ids_go_on_with_two_letters() {
        assert_eq!([0, 25, 26, 52].map(id), ["A", "Z", "AA", "BA"]);
    }
}
