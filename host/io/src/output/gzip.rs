//! Tables in gzip.

use super::{Cells, LineTable, OutputError, Provenance, StructureRows, Table};
use crate::pipeline::Computed;
use flate2::write::GzEncoder;
use flate2::{Compression, GzBuilder};
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes, compressed.
pub(super) fn zipped(bytes: &[u8]) -> Result<Vec<u8>, OutputError> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::new(4));
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?)
}

/// A text table, compressed. Its provenance is the comment in gzip's header.
pub(super) struct Gzipped<W: Write, T: ?Sized> {
    table: Box<T>,
    encoder: Encoder<W>,
}

/// The compressor, shared by the table, which writes to it, and the code that finishes it.
pub(super) struct Encoder<W: Write>(Arc<Mutex<Option<GzEncoder<W>>>>);

impl<W: Write + 'static, T: ?Sized> Gzipped<W, T> {
    pub(super) fn new(
        out: W,
        provenance: &Provenance,
        table: impl FnOnce(Encoder<W>) -> Result<Box<T>, OutputError>,
    ) -> Result<Self, OutputError> {
        // The header's texts are Latin-1 and end at a 0.
        let comment: Vec<u8> =
            provenance.line().chars().map(|c| if c.is_ascii_graphic() || c == ' ' { c as u8 } else { b'?' }).collect();
        let encoder = GzBuilder::new().comment(comment).write(out, Compression::new(4));
        let encoder = Encoder(Arc::new(Mutex::new(Some(encoder))));
        Ok(Self { table: table(Encoder(Arc::clone(&encoder.0)))?, encoder })
    }
}

impl<W: Write> Table for Gzipped<W, dyn Table> {
    fn write(&mut self, structures: &[StructureRows<'_>]) -> Result<(), OutputError> {
        self.table.write(structures)
    }

    fn write_shared(&mut self, computed: &Arc<Computed>) -> Result<(), OutputError> {
        self.table.write_shared(computed)
    }

    fn finish(self: Box<Self>) -> Result<(), OutputError> {
        self.table.finish()?;
        self.encoder.finish()
    }
}

impl<W: Write + Send> LineTable for Gzipped<W, dyn LineTable> {
    fn append(&mut self, fill: &mut dyn FnMut(&mut [Cells])) -> Result<(), OutputError> {
        self.table.append(fill)
    }

    fn finish(self: Box<Self>) -> Result<(), OutputError> {
        self.table.finish()?;
        self.encoder.finish()
    }
}

impl<W: Write> Encoder<W> {
    fn finish(&self) -> Result<(), OutputError> {
        match self.0.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(encoder) => Ok(encoder.finish()?.flush()?),
            None => Ok(()),
        }
    }
}

impl<W: Write> Write for Encoder<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self.0.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
            Some(encoder) => encoder.write(bytes),
            None => Err(std::io::Error::other("the gzip stream has ended")),
        }
    }

    /// Nothing: a flushed block would compress worse, and the end flushes.
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
