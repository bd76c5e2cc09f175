//! Sites as CSV, JSON and Parquet.

use super::view::SitesView;
use super::{Cells, OutputError, Relation, StructureRows, Table};
use crate::sites::{FoundSite, sites};
use parquet::basic::{Compression, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType, FloatType, Int32Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

const HEADER: [&str; 10] = ["structure", "rank", "score", "probability", "x", "y", "z", "area", "volume", "residues"];
const SCHEMA: &str = "message sites {
    required binary structure (UTF8); required int32 rank; required float score; required float probability;
    required float x; required float y; required float z; required float area; required float volume;
    required binary residues (UTF8);
}";

/// How sites are written.
///
/// ```
/// use prism_host::output::{OutputError, SitesFormat};
///
/// assert_eq!(SitesFormat::of_path("sites.json".as_ref())?, SitesFormat::Json);
/// assert!(matches!(SitesFormat::of_path("sites.npz".as_ref()), Err(OutputError::SitesFormat { .. })));
/// # Ok::<(), OutputError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SitesFormat {
    /// A header line, then a line a site.
    Csv,
    /// An array of objects, one a site, on a line each.
    Json,
    /// Apache Parquet, compressed by zstd.
    Parquet,
}

impl SitesFormat {
    /// The format that a file's extension asks for.
    ///
    /// # Errors
    /// [`OutputError::SitesFormat`] for any other than `csv`, `json` and `parquet`.
    pub fn of_path(path: &Path) -> Result<Self, OutputError> {
        let extension = path.extension().map(|extension| extension.to_string_lossy().to_ascii_lowercase());
        match extension.as_deref() {
            Some("csv") => Ok(Self::Csv),
            Some("json") => Ok(Self::Json),
            Some("parquet") => Ok(Self::Parquet),
            _ => Err(OutputError::SitesFormat { path: path.display().to_string() }),
        }
    }
}

/// Which sites are written, and what beside them.
///
/// The example of [`SitesTable`] takes all.
#[derive(Debug)]
pub struct SitesOptions {
    /// The format.
    pub format: SitesFormat,
    /// Most sites of a structure.
    pub most: usize,
    /// Sites with a lower score are left out.
    pub least: f32,
    /// Points and scripts for viewers, of one structure.
    pub view: Option<SitesView>,
}

impl Default for SitesOptions {
    fn default() -> Self {
        Self { format: SitesFormat::Csv, most: usize::MAX, least: 0.0, view: None }
    }
}

/// A row a site, as `prism sites` writes it: the columns of [`FoundSite`], centres in Å, residues as chain, number and
/// insertion code (`A_120`), divided by spaces. Numbers are the shortest decimals that read back as the same `f32`.
///
/// ```
/// use prism_host::output::{SitesOptions, SitesTable, StructureRows, Table};
/// use prism_host::read::{ReadOptions, read_path};
/// use prism_host::{Backend, Engine};
///
/// let rbd = read_path("../data/6m0j_rbd.pdb", "rbd", &ReadOptions::default())?.structure;
/// let engine = Engine::builder().backend(Backend::Cpu).build()?;
/// let features = &engine.run(std::slice::from_ref(&rbd))?[0];
/// let all = [StructureRows { structure: &rbd, features: features.view() }];
/// let mut text = Vec::new();
/// let mut table = SitesTable::new(&mut text, SitesOptions::default());
/// table.write(&all)?;
/// Box::new(table).finish()?;
/// let text = String::from_utf8(text)?;
/// assert_eq!(text.lines().next(), Some("structure,rank,score,probability,x,y,z,area,volume,residues"));
/// assert_eq!(text.lines().count(), 1 + features.summary.sites as usize);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct SitesTable<W: Write + Send> {
    out: W,
    options: SitesOptions,
    /// Whether something was written.
    begun: bool,
    /// What Parquet has at the end.
    rows: Vec<Row>,
}

struct Row {
    structure: String,
    site: FoundSite,
    residues: String,
}

impl Row {
    fn of(part: &StructureRows<'_>, site: FoundSite) -> Self {
        let residues: Vec<_> = site.residues.iter().map(|&row| part.residue(row)).collect();
        Self { structure: part.structure.name.clone(), site, residues: residues.join(" ") }
    }

    /// Score, probability, x, y, z, area, volume.
    fn numbers(&self) -> [f32; 7] {
        let FoundSite { score, probability, center: [x, y, z], area, volume, .. } = self.site;
        [score, probability, x as f32, y as f32, z as f32, area, volume as f32]
    }
}

/// The same lines as a relation.
///
/// ```
/// use prism_host::output::{Relation, SitesRelation};
///
/// let columns = SitesRelation { most: 20, least: 0.0 }.columns();
/// assert_eq!(columns.iter().map(|(name, _)| *name).collect::<Vec<_>>()[..3], ["structure", "rank", "score"]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct SitesRelation {
    /// Most sites of a structure.
    pub most: usize,
    /// Sites with a lower score are left out.
    pub least: f32,
}

impl Relation for SitesRelation {
    fn columns(&self) -> Vec<(&'static str, Cells)> {
        let cells = |index| match index {
            0 | 9 => Cells::Text(Vec::new()),
            1 => Cells::Int(Vec::new()),
            _ => Cells::Float(Vec::new()),
        };
        HEADER.into_iter().enumerate().map(|(index, name)| (name, cells(index))).collect()
    }

    fn append(&mut self, part: &StructureRows<'_>, cells: &mut [Cells]) -> Result<(), OutputError> {
        for site in sites(part.structure, &part.features, self.most, self.least) {
            let row = Row::of(part, site);
            let mut numbers = row.numbers().into_iter();
            for (index, cells) in cells.iter_mut().enumerate() {
                match cells {
                    Cells::Text(all) => all.push(if index == 0 { row.structure.clone() } else { row.residues.clone() }),
                    Cells::Int(all) => all.push(row.site.rank as i32),
                    Cells::Float(all) => all.extend(numbers.next()),
                }
            }
        }
        Ok(())
    }
}

impl<W: Write + Send> SitesTable<W> {
    /// Begins a table. Nothing is written before the first structure, or the end.
    pub fn new(out: W, options: SitesOptions) -> Self {
        Self { out, options, begun: false, rows: Vec::new() }
    }

    fn begin(&mut self) -> Result<(), OutputError> {
        if self.begun {
            return Ok(());
        }
        self.begun = true;
        match self.options.format {
            SitesFormat::Csv => writeln!(self.out, "{}", HEADER.join(","))?,
            SitesFormat::Json => write!(self.out, "[")?,
            SitesFormat::Parquet => {}
        }
        Ok(())
    }

    fn row(&mut self, row: Row, is_first: bool) -> Result<(), OutputError> {
        let text = |value: f32| zmij::Buffer::new().format(value).to_owned();
        match self.options.format {
            SitesFormat::Csv => {
                let mut fields = vec![row.structure.clone(), row.site.rank.to_string()];
                fields.extend(row.numbers().map(text));
                fields.push(row.residues);
                let mut line = csv::Writer::from_writer(&mut self.out);
                line.write_record(fields).map_err(std::io::Error::from)?;
                line.flush()?;
            }
            SitesFormat::Json => {
                let mut object = serde_json::Map::new();
                object.insert(HEADER[0].into(), row.structure.as_str().into());
                object.insert(HEADER[1].into(), row.site.rank.into());
                for (name, value) in HEADER[2..9].iter().zip(row.numbers()) {
                    // By its own decimal, which is shorter than that of the f64.
                    let value: serde_json::Value = text(value).parse::<f64>().unwrap_or(f64::NAN).into();
                    object.insert((*name).into(), value);
                }
                let residues: Vec<_> = row.residues.split_whitespace().collect();
                object.insert(HEADER[9].into(), residues.into());
                let line = serde_json::Value::Object(object);
                write!(self.out, "{}\n{line}", if is_first { "" } else { "," })?;
            }
            SitesFormat::Parquet => self.rows.push(row),
        }
        Ok(())
    }

    fn parquet(&mut self) -> Result<(), OutputError> {
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_created_by(concat!("prism ", env!("CARGO_PKG_VERSION")).to_owned());
        let schema = Arc::new(parse_message_type(SCHEMA)?);
        let mut file = SerializedFileWriter::new(&mut self.out, schema, Arc::new(properties.build()))?;
        let mut group = file.next_row_group()?;
        let rows = &self.rows;
        let texts = |of: fn(&Row) -> &str| rows.iter().map(|row| ByteArray::from(of(row))).collect::<Vec<_>>();
        for index in 0..HEADER.len() {
            let Some(mut column) = group.next_column()? else { break };
            match index {
                0 => column.typed::<ByteArrayType>().write_batch(&texts(|row| &row.structure), None, None)?,
                1 => {
                    let ranks: Vec<_> = rows.iter().map(|row| row.site.rank as i32).collect();
                    column.typed::<Int32Type>().write_batch(&ranks, None, None)?
                }
                9 => column.typed::<ByteArrayType>().write_batch(&texts(|row| &row.residues), None, None)?,
                _ => {
                    let values: Vec<_> = rows.iter().map(|row| row.numbers()[index - 2]).collect();
                    column.typed::<FloatType>().write_batch(&values, None, None)?
                }
            };
            column.close()?;
        }
        group.close()?;
        file.close()?;
        Ok(())
    }
}

impl<W: Write + Send> Table for SitesTable<W> {
    fn write(&mut self, structures: &[StructureRows<'_>]) -> Result<(), OutputError> {
        for part in structures {
            let found = sites(part.structure, &part.features, self.options.most, self.options.least);
            if let Some(view) = &mut self.options.view {
                view.write(part, &found)?;
            }
            for site in found {
                let is_first = !self.begun;
                self.begin()?;
                self.row(Row::of(part, site), is_first)?;
            }
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<(), OutputError> {
        self.begin()?;
        match self.options.format {
            SitesFormat::Csv => {}
            SitesFormat::Json => writeln!(self.out, "\n]")?,
            SitesFormat::Parquet => self.parquet()?,
        }
        Ok(self.out.flush()?)
    }
}
