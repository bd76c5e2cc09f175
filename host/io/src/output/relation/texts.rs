//! The texts of a column.

use std::ops::Index;

/// The texts of a column of a relation, one after another in one piece of memory: most have a few letters.
///
/// ```
/// use prism_io::output::Texts;
///
/// let mut names: Texts = ["A", "", "BCD"].into_iter().collect();
/// names.push("E");
/// assert_eq!((names.len(), &names[2], &names[3]), (4, "BCD", "E"));
/// assert_eq!(names.iter().collect::<Vec<_>>(), ["A", "", "BCD", "E"]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Texts {
    all: String,
    /// Where each one ends.
    ends: Vec<usize>,
}

impl Texts {
    /// Appends a text.
    pub fn push(&mut self, text: impl AsRef<str>) {
        self.all.push_str(text.as_ref());
        self.ends.push(self.all.len());
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.from(0)
    }

    /// All from a number on.
    pub(in crate::output) fn from(&self, first: usize) -> impl Iterator<Item = &str> {
        (first..self.len()).map(|index| &self[index])
    }

    pub(super) fn clear(&mut self) {
        self.all.clear();
        self.ends.clear();
    }
}

impl Index<usize> for Texts {
    type Output = str;

    fn index(&self, index: usize) -> &str {
        let begin = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.all[begin..self.ends[index]]
    }
}

impl<T: AsRef<str>> Extend<T> for Texts {
    fn extend<I: IntoIterator<Item = T>>(&mut self, texts: I) {
        texts.into_iter().for_each(|text| self.push(text));
    }
}

impl<T: AsRef<str>> FromIterator<T> for Texts {
    fn from_iter<I: IntoIterator<Item = T>>(texts: I) -> Self {
        let mut all = Self::default();
        all.extend(texts);
        all
    }
}
