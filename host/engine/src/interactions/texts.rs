//! Names and ids that a file repeats, each of them kept once.

use foldhash::HashMap;
use std::sync::Arc;

/// The texts of a file.
#[derive(Default)]
pub(super) struct Texts {
    numbers: HashMap<Arc<str>, u32>,
    texts: Vec<Arc<str>>,
}

impl Texts {
    /// The number of a text, by which it is compared with others.
    pub(super) fn number(&mut self, text: &str) -> u32 {
        if let Some(&number) = self.numbers.get(text) {
            return number;
        }
        let (number, text) = (self.texts.len() as u32, Arc::<str>::from(text));
        self.numbers.insert(Arc::clone(&text), number);
        self.texts.push(text);
        number
    }

    /// The text with a number.
    pub(super) fn of(&self, number: u32) -> Arc<str> {
        Arc::clone(&self.texts[number as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_have_one_number_and_one_copy() {
        let mut texts = Texts::default();
        let numbers = ["CA", "", "CB", "CA"].map(|text| texts.number(text));
        assert_eq!(numbers, [0, 1, 2, 0]);
        assert_eq!(numbers.map(|number| texts.of(number).to_string()), ["CA", "", "CB", "CA"]);
        assert!(Arc::ptr_eq(&texts.of(0), &texts.of(0)));
    }
}
