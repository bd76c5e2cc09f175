//! The name that a misspelt one was probably meant to be.

/// The candidate from which a name differs least, if few letters are wrong, missing, added or swapped. Case does not count.
///
/// ```
/// use prism_read::nearest::nearest;
///
/// let columns = ["sasa", "rsa", "depth", "contact_number"];
/// for (given, meant) in [("sassa", "sasa"), ("SASA", "sasa"), ("dpeth", "depth"), ("contact-numbers", "contact_number")] {
///     assert_eq!(nearest(given, columns), Some(meant));
/// }
/// assert_eq!(nearest("volume", columns), None);
/// ```
#[must_use]
pub fn nearest<'a>(given: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    /// A third of the letters, but no more than these.
    const MOST_EDITS: usize = 3;
    let letters = |text: &str| text.to_lowercase().chars().collect::<Vec<char>>();
    let given = letters(given);
    let most = (given.len() / 3).min(MOST_EDITS);
    let edits = candidates.into_iter().map(|candidate| (edits(&given, &letters(candidate)), candidate));
    edits.filter(|(edits, _)| *edits <= most).min_by_key(|(edits, _)| *edits).map(|(_, candidate)| candidate)
}

/// A suggestion to add to a message about a name: ` (did you mean `X`?)`, or nothing.
#[must_use]
pub fn suggestion<'a>(given: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    nearest(given, candidates).map_or_else(String::new, |name| format!(" (did you mean `{name}`?)"))
}

/// The edits that turn one text into the other: letters that are added, removed, replaced, or swapped with the next (optimal string
/// alignment).
fn edits(a: &[char], b: &[char]) -> usize {
    let (mut before, mut last): (Vec<usize>, Vec<usize>) = (Vec::new(), (0..=b.len()).collect());
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(before[j - 2] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_and_distant_names_have_no_suggestion() {
        for given in ["", "x", "ss", "provenance", "é"] {
            assert_eq!(nearest(given, ["sasa", "--probe", "phi"]), None, "{given}");
        }
        assert_eq!(nearest("--probe", ["--provenance"]), None);
        // The first of equally near ones.
        assert_eq!(nearest("chi9", ["chi1", "chi2"]), Some("chi1"));
        assert_eq!(suggestion("phl", ["phi"]), " (did you mean `phi`?)");
    }
}
