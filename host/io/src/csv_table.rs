//! CSV tables that users give beside structures: their lines with numbers, and their errors.

use prism_read::{Compression, unmarked};
use std::fs::File;
use std::io::{BufRead, BufReader, Cursor, Read};
use std::path::Path;
use thiserror::Error;

/// Why a CSV table is refused.
///
/// ```
/// use prism_io::annotations::Annotations;
///
/// let error = Annotations::from_reader("structure,chain\n".as_bytes(), "known.csv").unwrap_err();
/// assert_eq!(error.to_string(), "known.csv: line 1: column \"resnum\" is missing");
/// ```
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TableError {
    /// The file cannot be read.
    #[error("{path}: cannot be read: {source}")]
    Io {
        /// The file.
        path: String,
        /// The system's error.
        source: std::io::Error,
    },
    /// Something is wrong on a line.
    #[error("{path}: line {line}: {problem}")]
    Line {
        /// The file.
        path: String,
        /// The line number, from 1.
        line: u64,
        /// The problem.
        problem: String,
    },
}

/// A table that is being read.
pub(crate) struct CsvTable<'a, R> {
    /// The name of the table in errors.
    path: &'a str,
    lines: csv::Reader<WithoutReturns<R>>,
}

/// A text whose lines end with line feeds alone. The parser takes a line that ends with a carriage return, too, to end before the line
/// feed, and so counts the next one too low.
struct WithoutReturns<R> {
    text: BufReader<R>,
    /// A carriage return was read, and it is not known yet whether a line feed follows.
    is_open: bool,
}

impl<R: Read> Read for WithoutReturns<R> {
    fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
        let mut n = 0;
        while n == 0 && !to.is_empty() {
            let bytes = self.text.fill_buf()?;
            if bytes.is_empty() {
                if std::mem::take(&mut self.is_open) {
                    to[0] = b'\r';
                    n = 1;
                }
                break;
            }
            let mut used = 0;
            while let (Some(&byte), true) = (bytes.get(used), n < to.len()) {
                if std::mem::take(&mut self.is_open) && byte != b'\n' {
                    to[n] = b'\r';
                    n += 1;
                    continue;
                }
                used += 1;
                if byte == b'\r' {
                    self.is_open = true;
                } else {
                    to[n] = byte;
                    n += 1;
                }
            }
            self.text.consume(used);
        }
        Ok(n)
    }
}

/// Opens a file, which may be compressed. Returns its name for errors, too.
pub fn open(path: &Path) -> Result<(Box<dyn Read + Send>, String), TableError> {
    let shown = path.display().to_string();
    match File::open(path).and_then(decompressed).and_then(decoded) {
        Ok(text) => Ok((text, shown)),
        Err(source) => Err(TableError::Io { path: shown, source }),
    }
}

fn decompressed(mut file: File) -> std::io::Result<Box<dyn Read + Send>> {
    let mut head = Vec::with_capacity(Compression::MAGIC);
    file.by_ref().take(Compression::MAGIC as u64).read_to_end(&mut head)?;
    let compression = Compression::of(&head);
    let all = BufReader::new(Cursor::new(head).chain(file));
    Ok(match compression {
        Some(compression) => compression.decoder(all)?,
        None => Box::new(all),
    })
}

/// A text without a byte-order mark, and in UTF-8.
fn decoded(mut text: Box<dyn Read + Send>) -> std::io::Result<Box<dyn Read + Send>> {
    let mut head = Vec::with_capacity(3);
    text.by_ref().take(3).read_to_end(&mut head)?;
    if matches!(head[..], [0xff, 0xfe, ..] | [0xfe, 0xff, ..]) {
        text.read_to_end(&mut head)?;
        return Ok(Box::new(Cursor::new(unmarked(&head).into_owned())));
    }
    Ok(Box::new(Cursor::new(unmarked(&head).into_owned()).chain(text)))
}

impl<'a, R: Read> CsvTable<'a, R> {
    pub(crate) fn new(reader: R, path: &'a str) -> Self {
        Self::delimited(reader, path, b',')
    }

    pub(crate) fn delimited(reader: R, path: &'a str, delimiter: u8) -> Self {
        let text = WithoutReturns { text: BufReader::new(reader), is_open: false };
        Self { path, lines: csv::ReaderBuilder::new().delimiter(delimiter).from_reader(text) }
    }

    /// Parses the header with `columns`, which gets the column names without a byte-order mark and surrounding blanks.
    pub(crate) fn header<T>(&mut self, columns: impl FnOnce(&[&str]) -> Result<T, String>) -> Result<T, TableError> {
        let path = self.path;
        let header = self.lines.headers().map_err(|error| failed(path, error))?;
        let names: Vec<_> = header.iter().map(|name| name.trim_start_matches('\u{feff}').trim()).collect();
        columns(&names).map_err(|problem| self.wrong(1, problem))
    }

    /// Passes every line to `take`, with its number.
    pub(crate) fn each(
        &mut self,
        mut take: impl FnMut(&csv::StringRecord, u64) -> Result<(), String>,
    ) -> Result<(), TableError> {
        let mut record = csv::StringRecord::new();
        while self.lines.read_record(&mut record).map_err(|error| failed(self.path, error))? {
            let line = record.position().map_or(0, csv::Position::line);
            take(&record, line).map_err(|problem| self.wrong(line, problem))?;
        }
        Ok(())
    }

    /// An error in a line.
    pub(crate) fn wrong(&self, line: u64, problem: String) -> TableError {
        TableError::Line { path: self.path.to_owned(), line, problem }
    }
}

fn failed(path: &str, error: csv::Error) -> TableError {
    let (path, line) = (path.to_owned(), error.position().map_or(1, csv::Position::line));
    let problem = match error.into_kind() {
        csv::ErrorKind::Io(source) => return TableError::Io { path, source },
        csv::ErrorKind::Utf8 { .. } => "is not UTF-8 text".to_owned(),
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("has {len} fields where the first line has {expected_len}")
        }
        other => format!("{other:?}"),
    };
    TableError::Line { path, line, problem }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn without_returns(text: &str, at_a_time: usize) -> String {
        let mut lines = WithoutReturns { text: BufReader::with_capacity(at_a_time, text.as_bytes()), is_open: false };
        let (mut all, mut piece) = (Vec::new(), vec![0; at_a_time]);
        loop {
            match lines.read(&mut piece).unwrap() {
                0 => return String::from_utf8(all).unwrap(),
                n => all.extend_from_slice(&piece[..n]),
            }
        }
    }

    #[test]
    fn carriage_returns_before_line_feeds_are_left_out() {
        for at_a_time in [1, 2, 3, 100] {
            for (text, expected) in [
                ("", ""),
                ("a\r\nb\r\n", "a\nb\n"),
                ("a\rb\r\r\n\r", "a\rb\r\n\r"),
                ("a\n\r\nb", "a\n\nb"),
                ("\r", "\r"),
            ] {
                assert_eq!(without_returns(text, at_a_time), expected, "{text:?}, {at_a_time} at a time");
            }
        }
    }

    #[test]
    fn lines_have_their_numbers_whatever_ends_them() {
        for end in ["\n", "\r\n"] {
            let text = ["a,b", "1,2", "3,4"].join(end);
            let mut numbers = Vec::new();
            let mut table = CsvTable::new(text.as_bytes(), "t.csv");
            let take = |record: &csv::StringRecord, line| {
                numbers.push((record[0].to_owned(), line));
                Ok(())
            };
            table.each(take).unwrap();
            assert_eq!(numbers, [("1".to_owned(), 2), ("3".to_owned(), 3)], "{end:?}");
        }
    }
}
