//! A column of texts, each of them in memory once.

use super::Encoded;
use super::pages::{self, Pages, put_hybrid};
use super::statistics::TextExtent;
use crate::output::columnar::Group;
use crate::output::is_same;
use crate::output::sink::Sink;
use parquet::basic::Encoding;
use parquet::data_type::ByteArray;
use parquet::errors::ParquetError;
use parquet::schema::types::ColumnDescPtr;
use std::collections::HashMap;

/// Encodes a column of texts by the numbers of the different ones.
pub(super) fn encode(group: &impl Group, column: usize, described: ColumnDescPtr) -> Encoded {
    let mut texts = Texts::new(group.rows());
    group.give(column, &mut texts, |_| Ok::<_, ParquetError>(()))?;
    let (mut pages, mut page) = (Pages::new(described), Vec::new());
    let mut extent = TextExtent::default();
    for number in 0..texts.ends.len() {
        let text = texts.at(number);
        page.extend_from_slice(&(text.len() as u32).to_le_bytes());
        page.extend_from_slice(text.as_bytes());
        extent.add(&ByteArray::from(text));
    }
    pages.dictionary(&page, texts.ends.len())?;
    let width = texts.ends.len().saturating_sub(1).checked_ilog2().map_or(0, |highest| highest + 1);
    for rows in texts.rows.chunks(pages::ROWS) {
        page.clear();
        page.push(width as u8);
        put_hybrid(&mut page, rows, width);
        pages.data(&page, rows.len(), Encoding::RLE_DICTIONARY)?;
    }
    let (bytes, closed) = pages.finish()?;
    Ok((bytes, extent.described(closed, texts.length)?))
}

/// The texts of a column, and the number of each row's text.
struct Texts {
    rows: Vec<u32>,
    /// All different texts, one after another, and where each ends.
    letters: String,
    ends: Vec<usize>,
    known: HashMap<Box<str>, u32>,
    /// Short texts that were looked up, as numbers, by a part of their product with a constant.
    short: Box<[(u64, u32); 256]>,
    /// Bytes of the texts of all rows.
    length: usize,
}

impl Sink for Texts {
    fn texts<'t>(&mut self, texts: impl Iterator<Item = &'t str>) {
        texts.for_each(|text| self.repeated_text(text, 1));
    }

    fn repeated_text(&mut self, text: &str, times: usize) {
        if times > 0 {
            let number = self.number_of(text);
            self.rows.extend(std::iter::repeat_n(number, times));
            self.length += times * text.len();
        }
    }
}

impl Texts {
    fn new(rows: usize) -> Self {
        Self {
            rows: Vec::with_capacity(rows),
            letters: String::new(),
            ends: Vec::new(),
            known: HashMap::new(),
            short: Box::new([(0, 0); 256]),
            length: 0,
        }
    }

    fn at(&self, number: usize) -> &str {
        let begin = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.letters[begin..self.ends[number]]
    }

    /// The number of a text. Most rows have the text of the row before, or a short one.
    fn number_of(&mut self, text: &str) -> u32 {
        if let Some(&last) = self.rows.last()
            && is_same(self.at(last as usize), text)
        {
            return last;
        }
        let Some(key) = key(text) else { return self.look_up(text) };
        /// The golden ratio as a fraction of 2^64, whose products lie far from each other.
        const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
        let place = (key.wrapping_mul(SPREAD) >> 56) as usize;
        let (found, number) = self.short[place];
        if found == key {
            return number;
        }
        let number = self.look_up(text);
        self.short[place] = (key, number);
        number
    }

    fn look_up(&mut self, text: &str) -> u32 {
        if let Some(number) = self.known.get(text) {
            return *number;
        }
        let number = self.ends.len() as u32;
        self.known.insert(text.into(), number);
        self.letters.push_str(text);
        self.ends.push(self.letters.len());
        number
    }
}

/// A text of at most seven bytes as a number other than 0, with its length.
fn key(text: &str) -> Option<u64> {
    let mut bytes = [0; 8];
    bytes[..7].get_mut(..text.len())?.copy_from_slice(text.as_bytes());
    bytes[7] = text.len() as u8 + 1;
    Some(u64::from_le_bytes(bytes))
}
