//! The table of lineages.

use super::fit::{Day, Estimate, slope};
use super::substitution::Substitution;
use super::{ASSUMED_SAMPLES, FREQUENCY_DAYS, VELOCITY_DAYS};
use crate::csv_table::{self, CsvTable, TableError};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::Read;
use std::path::Path;

/// Lineages: the number of samples of each by country and day, and its substitutions.
///
/// ```
/// use prism_io::lineages::Lineages;
/// use prism_read::{ReadOptions, read_path};
///
/// # let folder = tempfile::tempdir()?;
/// # let file = folder.path().join("lineages.csv");
/// std::fs::write(&file, "\
/// lineage,country,date,count,substitutions
/// Alpha,UK,2021-12-01,80,N501Y
/// Other,UK,2021-12-01,20,
/// Alpha,UK,2021-12-02,50,
/// Other,UK,2021-12-02,50,
/// ")?;
/// let rbd = read_path("../../data/6m0j_rbd.pdb", "rbd", &ReadOptions::default())?.structure;
/// let variants = Lineages::read(&file)?.apply(&rbd);
/// let (alpha, row) = (&variants[0].0, rbd.residue_numbers.iter().position(|number| *number == 501).unwrap());
/// assert_eq!((alpha.name.as_str(), alpha.parent(row), alpha.gisaid_freq[row]), ("rbd@Alpha/UK", "TYR", 0.65));
/// assert!(alpha.gisaid_velocity[row] < 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Lineages {
    names: Vec<String>,
    substitutions: Vec<Vec<Substitution>>,
    /// Deletions and insertions, which are not applied.
    others: Vec<Vec<String>>,
    countries: Vec<Country>,
}

/// The samples of a country.
#[derive(Clone, Debug, Default)]
pub(super) struct Country {
    pub(super) name: String,
    /// The lineages that were sampled there.
    pub(super) lineages: Vec<usize>,
    /// By day: the number of all samples, and of each lineage's samples.
    days: BTreeMap<i64, (f64, HashMap<usize, f64>)>,
}

impl Country {
    /// The share of some lineages, and its slope.
    pub(super) fn estimate(&self, lineages: &[usize]) -> Estimate {
        let Some((&last, _)) = self.days.last_key_value() else {
            return Estimate { frequency: f64::NAN, velocity: f64::NAN, error: f64::NAN };
        };
        let days: Vec<Day> = self
            .days
            .range(last - VELOCITY_DAYS + 1..)
            .filter(|(_, (total, _))| *total > 0.0)
            .map(|(&date, (total, of))| {
                let count = lineages.iter().filter_map(|lineage| of.get(lineage)).sum::<f64>();
                // Sums of frequencies may exceed their total by rounding.
                Day { date, count: count.min(*total), total: *total }
            })
            .collect();
        let recent = days.iter().filter(|day| day.date > last - FREQUENCY_DAYS);
        let (count, total) = recent.fold((0.0, 0.0), |(count, total), day| (count + day.count, total + day.total));
        let (velocity, error) = slope(&days);
        Estimate { frequency: if total > 0.0 { count / total } else { f64::NAN }, velocity, error }
    }
}

/// The columns of a table.
const COLUMNS: [&str; 7] = ["lineage", "country", "date", "count", "total", "frequency", "substitutions"];

impl Lineages {
    /// Reads a CSV file with the columns `lineage`, `date` (YYYY-MM-DD) and either `count` or `frequency` (0 to 1).
    /// Optional columns are `country`, `total` (samples of the country on that day; by default the sum of the counts) and
    /// `substitutions` (such as `N501Y E:E484K`; in any one line of a lineage).
    ///
    /// # Errors
    /// Names the line of the first error.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, TableError> {
        let (file, shown) = csv_table::open(path.as_ref())?;
        Self::from_reader(file, &shown)
    }

    /// Reads the text of such a file from any reader. Errors call it `path`.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn from_reader(reader: impl Read, path: &str) -> Result<Self, TableError> {
        let mut lines = CsvTable::new(reader, path);
        let columns = lines.header(positions)?;
        let (mut table, mut known) = (Self::default(), Known::default());
        lines.each(|record, _| {
            table.add(|column: usize| columns[column].map_or("", |index| record[index].trim()), &mut known)
        })?;
        let wrong = |problem| lines.wrong(1, problem);
        if table.names.is_empty() {
            return Err(wrong("no line follows the header".to_owned()));
        }
        if table.countries.len() > usize::from(u8::MAX) {
            return Err(wrong(format!(
                "there are {} countries, more than country_id can count",
                table.countries.len()
            )));
        }
        table.finish(&known.totals).map_err(wrong)?;
        Ok(table)
    }

    fn add<'r>(&mut self, field: impl Fn(usize) -> &'r str, known: &mut Known) -> Result<(), String> {
        let [name, country, date, count, total, frequency, substitutions] = [0, 1, 2, 3, 4, 5, 6].map(field);
        if name.is_empty() {
            return Err("there is no lineage".to_owned());
        }
        let date = days(date).ok_or_else(|| format!("{date:?} is not a date such as 2021-12-31"))?;
        let number = |what: &str, text: &str, most: f64| match text.parse::<f64>() {
            Ok(value) if (0.0..=most).contains(&value) => Ok(value),
            _ => Err(format!("{what} {text:?} is not a number from 0 to {most}")),
        };
        let lineage = *known.lineages.entry(name.to_owned()).or_insert_with(|| {
            self.names.push(name.to_owned());
            self.substitutions.push(Vec::new());
            self.others.push(Vec::new());
            self.names.len() - 1
        });
        self.add_substitutions(lineage, substitutions)?;
        let place = *known.countries.entry(country.to_owned()).or_insert_with(|| {
            self.countries.push(Country { name: country.to_owned(), ..Country::default() });
            self.countries.len() - 1
        });
        let country = &mut self.countries[place];
        let (count, total) = match (count, frequency) {
            ("", "") => return Err("there is neither a count nor a frequency".to_owned()),
            (count, "") => {
                let total = if total.is_empty() { None } else { Some(number("total", total, 1e12)?) };
                (number("count", count, 1e12)?, total)
            }
            (_, frequency) => (ASSUMED_SAMPLES * number("frequency", frequency, 1.0)?, Some(ASSUMED_SAMPLES)),
        };
        if known.sampled.insert((place, lineage)) {
            country.lineages.push(lineage);
        }
        let day = country.days.entry(date).or_default();
        if day.1.insert(lineage, count).is_some() {
            return Err(format!("another line already gives {name} in {:?} on that day", country.name));
        }
        match (known.totals.entry((place, date)).or_insert(total), total) {
            (own, total) if *own == total => {}
            _ => return Err("the total differs from that of another line of the same country and day".to_owned()),
        }
        Ok(())
    }

    fn add_substitutions(&mut self, lineage: usize, text: &str) -> Result<(), String> {
        let (mut all, mut others) = (Vec::new(), Vec::new());
        for one in text.split(|c: char| c.is_whitespace() || matches!(c, ';' | ',')).filter(|one| !one.is_empty()) {
            let lower = one.to_ascii_lowercase();
            let bare = lower.rsplit(':').next().unwrap_or(&lower);
            if is_other(bare) {
                others.push(one.to_owned());
            } else {
                all.push(one.parse()?);
            }
        }
        if all.is_empty() && others.is_empty() {
            return Ok(());
        }
        let own = (&mut self.substitutions[lineage], &mut self.others[lineage]);
        if own.0.is_empty() && own.1.is_empty() {
            (*own.0, *own.1) = (all, others);
        } else if (&*own.0, &*own.1) != (&all, &others) {
            return Err(format!("{} has other substitutions in an earlier line", self.names[lineage]));
        }
        Ok(())
    }

    /// Gives each day its total: the given one, or the sum of its counts.
    fn finish(&mut self, totals: &HashMap<(usize, i64), Option<f64>>) -> Result<(), String> {
        for (place, country) in self.countries.iter_mut().enumerate() {
            for (date, (total, of)) in &mut country.days {
                let sum: f64 = of.values().sum();
                *total = totals.get(&(place, *date)).copied().flatten().unwrap_or(sum);
                // Rounded frequencies may sum to slightly more than 1.
                if sum > *total * 1.02 {
                    return Err(format!("the lineages of a day in {:?} sum to {sum} of {total}", country.name));
                }
            }
        }
        Ok(())
    }

    /// The number of lineages.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "a table without lineages is refused")]
    pub fn len(&self) -> usize {
        self.names.len()
    }

    pub(super) fn countries(&self) -> &[Country] {
        &self.countries
    }

    /// The lineage's name.
    pub fn name(&self, lineage: usize) -> &str {
        &self.names[lineage]
    }

    pub(super) fn substitutions(&self, lineage: usize) -> &[Substitution] {
        &self.substitutions[lineage]
    }

    /// The substitutions of a lineage that are not applied.
    pub(super) fn others(&self, lineage: usize) -> &[String] {
        &self.others[lineage]
    }
}

/// Whether a change, in lower case and without its chain, is none of a residue by another: a deletion (`h69-`, `h69del`,
/// `del69`), an insertion, a stop (`q27*`, `q27stop`), or a residue that is not known for certain (`n501x`).
fn is_other(change: &str) -> bool {
    let numbered = |end: &str| {
        let number = change.strip_suffix(end).map(|start| start.trim_start_matches(|c: char| c.is_ascii_alphabetic()));
        number.is_some_and(|number| !number.is_empty() && number.bytes().all(|c| c.is_ascii_digit()))
    };
    change.starts_with("del")
        || change.starts_with("ins")
        || ["-", "*", "del", "stop", "x", "b", "z", "j"].into_iter().any(numbered)
}

/// The names in the lines so far.
#[derive(Default)]
struct Known {
    lineages: HashMap<String, usize>,
    countries: HashMap<String, usize>,
    totals: HashMap<(usize, i64), Option<f64>>,
    /// The lineages of each country.
    sampled: HashSet<(usize, usize)>,
}

fn positions(header: &[&str]) -> Result<[Option<usize>; COLUMNS.len()], String> {
    let mut positions = [None; COLUMNS.len()];
    for (index, &name) in header.iter().enumerate() {
        let place = COLUMNS.iter().position(|own| *own == name);
        let place = place.ok_or_else(|| format!("unknown column {name:?}; known are {}", COLUMNS.join(", ")))?;
        if positions[place].replace(index).is_some() {
            return Err(format!("column {name:?} occurs twice"));
        }
    }
    match positions {
        [None, ..] => Err("column \"lineage\" is missing".to_owned()),
        [_, _, None, ..] => Err("column \"date\" is missing".to_owned()),
        [_, _, _, None, _, None, _] => Err("there is neither a column \"count\" nor \"frequency\"".to_owned()),
        [_, _, _, Some(_), _, Some(_), _] => Err("there are both counts and frequencies; give one of them".to_owned()),
        positions => Ok(positions),
    }
}

/// Days since 1970-01-01 of a date such as 2021-12-31.
fn days(text: &str) -> Option<i64> {
    let mut parts = text.split('-');
    let mut next = |digits: usize| {
        let part = parts.next().filter(|part| part.len() == digits && part.bytes().all(|c| c.is_ascii_digit()))?;
        part.parse::<i64>().ok()
    };
    let (year, month, day) = (next(4)?, next(2)?, next(2)?);
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let lengths = [31, if leap { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let length = lengths.get(usize::try_from(month - 1).ok()?)?;
    if parts.next().is_some() || !(1..=*length).contains(&day) {
        return None;
    }
    let before = lengths[..(month - 1) as usize].iter().sum::<i64>();
    let years = year - 1;
    Some(365 * years + years / 4 - years / 100 + years / 400 + before + day - 719_163)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        Lineages::from_reader(text.as_bytes(), "t.csv").unwrap_err().to_string()
    }

    #[test]
    fn days_are_those_of_the_calendar() {
        assert_eq!([days("1970-01-01"), days("2000-03-01"), days("2021-12-31")], [Some(0), Some(11_017), Some(18_992)]);
        for wrong in [
            "",
            "2021-13-01",
            "2021-02-29",
            "2021-1-1",
            "31.12.2021",
            "2021-12-31-1",
            "2021-00-10",
            "2021-12",
            "20211231",
            "12/31/2021",
            "2021/12/31",
            "2021-12-31T00:00",
        ] {
            assert_eq!(days(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn faults_are_named_with_their_line() {
        let header = "lineage,country,date,count,substitutions\n";
        let line = |line: &str| refused(&format!("{header}A,X,2021-12-01,5,N501Y\n{line}\n"));
        assert_eq!(line("A,X,2021-12-01,7,"), "t.csv: line 3: another line already gives A in \"X\" on that day");
        assert_eq!(line("A,X,2021-12-02,7,E484K"), "t.csv: line 3: A has other substitutions in an earlier line");
        assert!(line("A,X,2021-12-02,7,Spike_N501Y").contains("line 3: \"Spike_N501Y\" is not a substitution"));
        assert!(line("A,X,2021-12-02,7,501").contains("line 3: \"501\" is not a substitution"));
        assert!(line("A,X,1.12.2021,7,").contains("line 3: \"1.12.2021\" is not a date"));
        assert!(line("A,X,2021-12-02,-1,").contains("count \"-1\" is not a number from 0"));
        assert!(line("A,X,2021-12-02,,").contains("neither a count nor a frequency"));
        assert!(line(",X,2021-12-02,1,").contains("there is no lineage"));
        assert!(refused("lineage,date\nA,2021-12-01\n").contains("neither a column"));
        assert!(refused("lineage,date,cuont\n").contains("unknown column \"cuont\""));
        assert!(refused(header).contains("no line follows the header"));
        let totals = "lineage,date,count,total\nA,2021-12-01,1,10\nB,2021-12-01,1,11\n";
        assert!(refused(totals).contains("line 3: the total differs from that of another line"));
    }

    /// As spreadsheets and `gzip` leave it: a byte-order mark, carriage returns, a compression, blanks around values.
    #[test]
    fn tables_of_spreadsheets_are_read() {
        let plain = "lineage,date,count,substitutions\nA,2022-06-01,20,N501Y E484K\nB,2022-06-01,80,\n";
        let folder = tempfile::tempdir().unwrap();
        let read = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            let read = Lineages::read(&path).unwrap();
            (read.names.clone(), read.substitutions.clone(), read.countries[0].estimate(&[0]).frequency)
        };
        let expected = read("plain.csv", plain.as_bytes());
        let odd =
            format!("\u{feff}{}", plain.replace('\n', "\r\n").replace("A,", " A ,").replace("N501Y E", "N501Y;E"));
        assert_eq!(read("odd.csv", odd.as_bytes()), expected);
        assert_eq!(read("z.csv.zst", &zstd::encode_all(plain.as_bytes(), 3).unwrap()), expected);
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut gzip, plain.as_bytes()).unwrap();
        assert_eq!(read("z.csv.gz", &gzip.finish().unwrap()), expected);
    }

    #[test]
    fn windows_end_with_a_countrys_last_day() {
        let mut text = "lineage,date,count,total\n".to_owned();
        for day in 1..=30 {
            text += &format!("A,2022-06-{day:02},{},100\n", if day > 23 { 50 } else { 10 });
        }
        let table = Lineages::from_reader(text.as_bytes(), "t.csv").unwrap();
        assert_eq!(table.countries[0].estimate(&[0]).frequency, 0.5);
        assert!(table.countries[0].estimate(&[0]).velocity > 0.0);
        assert_eq!(table.countries[0].estimate(&[]).frequency, 0.0);
    }

    #[test]
    fn frequencies_stand_for_a_hundred_samples() {
        let of = |text: &str| Lineages::from_reader(text.as_bytes(), "t.csv").unwrap().countries[0].estimate(&[0]);
        let counts = of("lineage,date,count,total\nA,2022-06-01,20,100\nA,2022-06-02,40,100\n");
        assert_eq!(of("lineage,date,frequency\nA,2022-06-01,0.2\nA,2022-06-02,0.4\n"), counts);
    }
}
