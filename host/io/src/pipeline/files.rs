//! Reads many structure files at a time into batches.

use super::{Batch, Cancel, Outcome, Reading};
use crate::annotations::Annotations;
use crate::crash_context;
use crate::inputs::{Clashes, InputFailure, InputFile, Item, Source, structures, unpack};
use crate::lineages::Lineages;
use prism_engine::{Cut, Engine, size_of};
use prism_read::structure::StructureInput;
use prism_read::{COMPRESSED, Note, ReadOptions, ReadStructure};
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};
use std::collections::VecDeque;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};
use std::time::{Duration, Instant};

/// Batches of the structures in files, in the given order, read with all cores. A batch ends before it would exceed a
/// number of atoms.
///
/// Files are read in pieces, each of some consecutive files. Enough pieces are read ahead that no core waits for other
/// cores or for the consumer, up to a limit of waiting pieces.
///
/// ```
/// use prism_io::annotations::Annotations;
/// use prism_io::inputs::discover;
/// use prism_io::pipeline::{Cancel, StructureFiles, batch_atoms, run};
/// use prism_engine::{Backend, Engine};
/// use prism_read::ReadOptions;
/// use std::sync::Arc;
///
/// let engine = Engine::builder().backend(Backend::Cpu).build()?;
/// let (files, cancel) = (discover(["../../data", "no/such/file.cif"])?.entries, Cancel::default());
/// let known = Arc::new(Annotations::default());
/// let source = StructureFiles::new(files, ReadOptions::default(), known, batch_atoms(&engine), &cancel)?;
/// let (mut rows, mut inputs) = (0, 0);
/// let telemetry = run(&engine, source, &cancel, |computed| {
///     inputs += computed.batch.outcomes.len();
///     rows += computed.results.iter().flatten().map(|features| features.n_residues).sum::<usize>();
///     Ok::<(), std::convert::Infallible>(())
/// })
/// .expect("a run that is not stopped");
/// assert_eq!((rows, inputs), (194, 2));
/// assert_eq!(telemetry.read.amount.bytes, std::fs::metadata("../../data/6m0j_rbd.pdb")?.len());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct StructureFiles {
    files: Arc<Files>,
    /// The first input that is not in a piece yet.
    next: usize,
    /// The items of the current archive, if one is being read.
    stream: Option<Receiver<Vec<Item>>>,
    /// Pieces that are being read or finished, in order.
    pieces: VecDeque<Receiver<std::thread::Result<Vec<Entry>>>>,
    /// Its own threads: in the common pool, batches would wait until the current files are read.
    pool: ThreadPool,
    /// Entries that were read but are not in a batch yet.
    ready: std::vec::IntoIter<Entry>,
    batch_atoms: usize,
    /// The current limit of a batch in atoms; rises to `batch_atoms`.
    atoms_now: usize,
    shares_of_the_rest: usize,
    /// A structure that begins the next batch.
    first: Option<Entry>,
    /// Bytes of all inputs; `None` if an input has no known size.
    size: Option<u64>,
    /// Bytes and atoms of the inputs in batches.
    taken: (u64, u64),
}

/// Shared by all reading threads.
#[derive(Debug)]
struct Files {
    entries: Arc<[Result<InputFile, InputFailure>]>,
    options: ReadOptions,
    annotations: Arc<Annotations>,
    lineages: Option<Arc<Lineages>>,
    clashes: Arc<Clashes>,
    cancel: Cancel,
}

/// The outcome of reading an input.
#[derive(Debug)]
enum Read {
    Structure(Box<StructureInput>, Vec<Note>),
    Failed(InputFailure),
    Said { name: String, text: String },
}

/// The outcome of reading an input, with its costs.
#[derive(Debug)]
struct Entry {
    read: Read,
    bytes: u64,
    reading: Reading,
}

impl Entry {
    fn failed(failure: InputFailure) -> Self {
        Self { read: Read::Failed(failure), bytes: 0, reading: Reading::default() }
    }
}

/// Approximate bytes of text in a piece: enough to make the cost of passing it on negligible.
const PIECE_BYTES: u64 = 1 << 20;
/// Most inputs in a piece, whatever their sizes.
const PIECE_FILES: usize = 256;
/// Pieces per core that are being read or waiting. A piece takes less than a third of its text in memory.
const PIECES_PER_CORE: usize = 8;
/// The same while there is nothing to do but read. A core reads a piece in 1.5 to 2.5 ms and a device takes 0.26 s to open, so this
/// is what a core reads meanwhile. With 16 cores, at most about 600 MB of structures wait.
const PIECES_PER_CORE_AT_FIRST: usize = 128;
/// Approximate factor by which compressed text grows.
const GZIP_RATIO: u64 = 5;
/// Limit of the first batch in atoms. A small first batch starts the computation early. Each further batch may have twice
/// as many atoms, up to the normal limit.
const FIRST_ATOMS: usize = 1 << 16;
/// A batch has at most this part of the atoms that are left, or as many as the first one: at the end of a run, cores and devices wait for
/// the last batches. An engine that computes more batches at once gets smaller shares.
const SHARES_OF_THE_REST: usize = 4;
/// Most atoms of a batch in the pipeline, some hundred structures. Then reading, computing and writing overlap in runs of a
/// few thousand structures, and few structures are in memory.
pub const MOST_ATOMS: usize = 1 << 19;

/// The limit in atoms of batches for an engine.
#[must_use]
pub fn batch_atoms(engine: &Engine) -> usize {
    engine.batch_atoms().min(MOST_ATOMS)
}

impl StructureFiles {
    /// Reads `entries` into batches of at most `batch_atoms` atoms, with annotations for their residues. Ends early if
    /// cancelled.
    ///
    /// # Errors
    /// If threads cannot be created.
    pub fn new(
        entries: impl Into<Arc<[Result<InputFile, InputFailure>]>>,
        options: ReadOptions,
        annotations: Arc<Annotations>,
        batch_atoms: usize,
        cancel: &Cancel,
    ) -> Result<Self, ThreadPoolBuildError> {
        let pool = ThreadPoolBuilder::new()
            // As many as threads that compute: the number that was requested.
            .num_threads(rayon::current_num_threads())
            .thread_name(|index| format!("read {index}"))
            .build()?;
        let entries = entries.into();
        let clashes = Arc::new(Clashes::among(entries.iter().flatten().map(|file| &*file.name)));
        let has_size = !entries.iter().flatten().any(InputFile::is_read_once);
        let size = has_size.then(|| entries.iter().flatten().map(|file| file.size).fold(0, u64::saturating_add));
        let files = Files { entries, options, annotations, lineages: None, clashes, cancel: cancel.clone() };
        Ok(Self {
            files: Arc::new(files),
            next: 0,
            stream: None,
            pieces: VecDeque::new(),
            pool,
            ready: Vec::new().into_iter(),
            batch_atoms,
            atoms_now: FIRST_ATOMS.min(batch_atoms),
            shares_of_the_rest: SHARES_OF_THE_REST,
            first: None,
            size,
            taken: (0, 0),
        })
    }

    /// Replaces each structure by one structure per lineage.
    #[must_use]
    pub fn with_lineages(mut self, lineages: Option<Arc<Lineages>>) -> Self {
        if let Some(files) = Arc::get_mut(&mut self.files) {
            files.lineages = lineages;
        }
        self
    }

    /// Refuses structures with the names of other inputs of the run, of which `entries` are a part.
    #[must_use]
    pub fn with_clashes(mut self, clashes: Arc<Clashes>) -> Self {
        if let Some(files) = Arc::get_mut(&mut self.files) {
            files.clashes = clashes;
        }
        self
    }

    /// Cuts batches at another number of atoms.
    #[must_use]
    pub fn with_batch_atoms(self, batch_atoms: usize) -> Self {
        Self { batch_atoms, atoms_now: FIRST_ATOMS.min(batch_atoms), ..self }
    }

    /// Cuts the last batches so that the engine's devices end at about the same time.
    #[must_use]
    pub fn shared_by(self, engine: &Engine) -> Self {
        Self { shares_of_the_rest: engine.slots().max(SHARES_OF_THE_REST), ..self }
    }

    /// Begins to read, more than at other times: while a device is opened, cores have nothing else to do.
    pub fn begin(&mut self) {
        self.pool.spawn_broadcast(|_| prism_engine::huge_pages::under_this_threads_heap());
        self.read_ahead(PIECES_PER_CORE_AT_FIRST);
    }

    /// The limit of the next batch in atoms. The rest has as many atoms per byte as what is in batches.
    fn most_atoms_of_next(&self) -> usize {
        let (Some(size), (bytes @ 1.., atoms)) = (self.size, self.taken) else { return self.atoms_now };
        let rest = u128::from(size.saturating_sub(bytes)) * u128::from(atoms) / u128::from(bytes);
        let share = usize::try_from(rest / self.shares_of_the_rest as u128).unwrap_or(usize::MAX);
        self.atoms_now.min(share.max(FIRST_ATOMS))
    }

    /// Counts an entry that goes into a batch.
    fn take(&mut self, entry: &Entry) {
        let atoms = match &entry.read {
            Read::Structure(structure, _) => structure.n_atoms() as u64,
            Read::Failed(_) | Read::Said { .. } => 0,
        };
        self.taken = (self.taken.0.saturating_add(entry.bytes), self.taken.1.saturating_add(atoms));
    }

    /// The next entry.
    fn next_read(&mut self) -> Option<Entry> {
        while self.ready.as_slice().is_empty() {
            if self.files.cancel.is_cancelled() {
                return None;
            }
            self.read_ahead(PIECES_PER_CORE);
            let piece = self.pieces.pop_front()?;
            let piece = piece.recv().expect("every started piece is sent");
            self.ready = piece.unwrap_or_else(|panic| resume_unwind(panic)).into_iter();
        }
        self.ready.next()
    }

    /// Starts pieces until enough are being read.
    fn read_ahead(&mut self, per_core: usize) {
        let most = per_core * self.pool.current_num_threads();
        while self.pieces.len() < most {
            if let Some(stream) = &self.stream {
                let items = match stream.try_recv() {
                    // There is nothing else to wait for.
                    Err(TryRecvError::Empty) if self.pieces.is_empty() => stream.recv().ok(),
                    Err(TryRecvError::Empty) => return,
                    items => items.ok(),
                };
                let stream = self.next - 1;
                match items {
                    Some(items) => self.begin_piece(move |files| files.read_items(stream, items)),
                    None => self.stream = None,
                }
                continue;
            }
            match self.files.entries.get(self.next) {
                None => return,
                Some(Ok(file)) if file.is_stream() => {
                    match begin_stream(file.clone()) {
                        Ok(stream) => self.stream = Some(stream),
                        Err(failure) => self.begin_piece(move |_| vec![Entry::failed(failure)]),
                    }
                    self.next += 1;
                }
                Some(_) => {
                    let range = self.next..self.next + piece_length(&self.files.entries[self.next..]);
                    self.next = range.end;
                    self.begin_piece(move |files| files.read(range));
                }
            }
        }
    }

    fn begin_piece(&mut self, work: impl FnOnce(&Files) -> Vec<Entry> + Send + 'static) {
        let files = Arc::clone(&self.files);
        let (send, piece) = sync_channel(1);
        self.pool.spawn_fifo(move || {
            let read = catch_unwind(AssertUnwindSafe(|| work(&files)));
            // The run may have ended; then the result is not needed.
            let _ = send.send(read);
        });
        self.pieces.push_back(piece);
    }
}

/// Starts a thread that reads an archive a few pieces ahead. It ends when the receiver is dropped.
fn begin_stream(file: InputFile) -> Result<Receiver<Vec<Item>>, InputFailure> {
    let (send, stream) = sync_channel(PIECES_PER_CORE);
    let name = file.name.clone();
    let unpacking = move || {
        let (mut items, mut bytes) = (Vec::new(), 0_u64);
        let unpacked = catch_unwind(AssertUnwindSafe(|| {
            unpack(&file, &mut |item| {
                if let Item::Structure { name, bytes: own, .. } = &item {
                    let packed = name.ends_with(".gz") || name.ends_with(".zst");
                    bytes += own.len() as u64 * if packed { GZIP_RATIO } else { 1 };
                }
                items.push(item);
                if bytes < PIECE_BYTES && items.len() < PIECE_FILES {
                    return true;
                }
                bytes = 0;
                send.send(std::mem::take(&mut items)).is_ok()
            });
        }));
        if unpacked.is_err() {
            items.push(Item::Failed(InputFailure::new(&file.name, "cannot be unpacked: a panic".to_owned())));
        }
        let _ = send.send(items);
    };
    let thread = std::thread::Builder::new().name("unpack".to_owned()).spawn(unpacking);
    thread.map_err(|error| InputFailure::new(&name, format!("no thread to read it by: {error}")))?;
    Ok(stream)
}

impl Files {
    /// Reads some inputs. After the run is cancelled, the rest is skipped.
    fn read(&self, range: Range<usize>) -> Vec<Entry> {
        let entries = self.entries[range].iter();
        entries.take_while(|_| !self.cancel.is_cancelled()).flat_map(|entry| self.read_one(entry)).collect()
    }

    /// Reads the structures of an input.
    fn read_one(&self, entry: &Result<InputFile, InputFailure>) -> Vec<Entry> {
        match entry {
            Ok(file) => {
                let mut read = self.measured(&file.name, &file.name, file.size, || file.read_all(&self.options));
                let packed = matches!(file.source, Source::Packed(..));
                read.iter_mut().for_each(|entry| entry.reading.packed = packed);
                read
            }
            Err(failure) => vec![Entry::failed(failure.clone())],
        }
    }

    /// Reads the structures of some members of an archive, by its place among the inputs.
    fn read_items(&self, stream: usize, items: Vec<Item>) -> Vec<Entry> {
        let input = self.entries[stream].as_ref().map_or("", |file| &file.name);
        let read = |item| match item {
            Item::Structure { name, bytes, size } => {
                self.measured(input, &name, size, || structures(&bytes, &name, &self.options))
            }
            Item::Failed(failure) => vec![Entry::failed(failure)],
            Item::Said { name, text } => {
                vec![Entry { read: Read::Said { name, text }, bytes: 0, reading: Reading::default() }]
            }
        };
        items.into_iter().take_while(|_| !self.cancel.is_cancelled()).flat_map(read).collect()
    }

    /// Measures the results of a reader of the file `name` of an input; the first gets all bytes and time.
    fn measured(
        &self,
        input: &str,
        name: &str,
        bytes: u64,
        reader: impl FnOnce() -> Vec<Result<ReadStructure, InputFailure>>,
    ) -> Vec<Entry> {
        let begin = Instant::now();
        let all = crash_context::reading(name, reader);
        let (mut bytes, mut time) = (bytes, begin.elapsed());
        let mut entry = |read: Result<ReadStructure, InputFailure>| {
            let (bytes, time) = (std::mem::take(&mut bytes), std::mem::replace(&mut time, Duration::ZERO));
            match read {
                Ok(mut read) => {
                    crash_context::has_read(&read.structure.name, read.structure.n_atoms());
                    self.annotations.apply(&mut read.structure);
                    let reading = Reading { models: read.models, time, packed: false };
                    let first = |structure: StructureInput, notes| {
                        let read = match self.clashes.of_structure(input, &structure.name) {
                            Some(failure) => Read::Failed(failure),
                            None => Read::Structure(Box::new(structure), notes),
                        };
                        Entry { read, bytes, reading }
                    };
                    let Some(lineages) = &self.lineages else { return vec![first(read.structure, read.notes)] };
                    let variants = lineages.apply(&read.structure).into_iter();
                    let mut all: Vec<Entry> =
                        variants.map(|(variant, notes)| first(variant, [&read.notes[..], &notes].concat())).collect();
                    for further in all.iter_mut().skip(1) {
                        (further.bytes, further.reading.time) = (0, Duration::ZERO);
                    }
                    all
                }
                Err(failure) => {
                    vec![Entry { read: Read::Failed(failure), bytes, reading: Reading { time, ..Reading::default() } }]
                }
            }
        };
        all.into_iter().flat_map(&mut entry).collect()
    }
}

impl Iterator for StructureFiles {
    type Item = Batch;

    fn next(&mut self) -> Option<Batch> {
        let mut batch = Batch::default();
        let mut cut = Cut::new(self.most_atoms_of_next());
        self.atoms_now = self.atoms_now.saturating_mul(2).min(self.batch_atoms);
        while let Some(entry) = self.first.take().or_else(|| self.next_read()) {
            if let Read::Structure(structure, _) = &entry.read
                && cut.before(size_of(structure))
            {
                self.first = Some(entry);
                break;
            }
            self.take(&entry);
            batch.push(entry);
        }
        (!batch.outcomes.is_empty()).then_some(batch)
    }
}

impl Batch {
    fn push(&mut self, entry: Entry) {
        self.outcomes.push(match entry.read {
            Read::Structure(structure, notes) => {
                self.structures.push(*structure);
                Outcome::Read { notes }
            }
            Read::Failed(failure) => Outcome::Failed(failure),
            Read::Said { name, text } => Outcome::Said { name, text },
        });
        self.readings.push(entry.reading);
        self.bytes += entry.bytes;
    }
}

/// Number of inputs in the next piece: about [`PIECE_BYTES`] of text, without archives.
fn piece_length(entries: &[Result<InputFile, InputFailure>]) -> usize {
    let mut bytes = 0_u64;
    let files = entries.iter().take_while(|entry| !entry.as_ref().is_ok_and(InputFile::is_stream));
    let most = files.clone().count().min(PIECE_FILES);
    let bytes_until = files.map(|entry| {
        bytes = bytes.saturating_add(entry.as_ref().map_or(0, |file| {
            let packed =
                COMPRESSED.iter().any(|one| file.path.extension().is_some_and(|own| own.eq_ignore_ascii_case(one)));
            file.size.saturating_mul(if packed { GZIP_RATIO } else { 1 })
        }));
        bytes
    });
    // At least one.
    (1 + bytes_until.take_while(|&bytes| bytes < PIECE_BYTES).count()).min(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(sizes: &[u64], extension: &str) -> Vec<Result<InputFile, InputFailure>> {
        let file = |&size| {
            Ok(InputFile { name: String::new(), path: format!("x.{extension}").into(), size, source: Source::File })
        };
        sizes.iter().map(file).collect()
    }

    #[test]
    fn batches_end_before_they_are_too_large() {
        let (_folder, entries) = folder_of(&[4, 4, 4, 0, 20, 1, 1]);
        let cancel = Cancel::default();
        let source =
            |entries: &[_]| StructureFiles::new(entries, ReadOptions::default(), Arc::default(), 10, &cancel).unwrap();
        let batches: Vec<_> = source(&entries).collect();
        let names = |batch: &Batch| batch.structures.iter().map(|s| s.name.clone()).collect::<Vec<_>>().join(" ");
        assert_eq!(batches.iter().map(names).collect::<Vec<_>>(), ["0 1", "2", "4", "5 6"]);
        let outcomes: Vec<_> = batches.iter().map(|batch| batch.outcomes.len()).collect();
        assert_eq!(outcomes, [2, 2, 1, 2], "the failed file counts at its position");
        assert_eq!(batches.iter().map(|batch| batch.bytes).sum::<u64>(), 7);

        let mut source = source(&entries);
        cancel.cancel();
        assert!(source.next().is_none(), "nothing is read after the run was cancelled");
    }

    /// Files with the given numbers of alpha carbons.
    fn folder_of(sizes: &[usize]) -> (tempfile::TempDir, Vec<Result<InputFile, InputFailure>>) {
        let folder = tempfile::tempdir().unwrap();
        let entries = sizes.iter().enumerate().map(|(index, &atoms)| {
            let (name, path) = (index.to_string(), folder.path().join(index.to_string()));
            std::fs::write(&path, (0..atoms).map(atom).collect::<String>()).unwrap();
            Ok(InputFile { name, path, size: 1, source: Source::File })
        });
        let entries = entries.collect();
        (folder, entries)
    }

    fn atom(i: usize) -> String {
        let (serial, x) = (i % 99_999 + 1, (i % 1000) as f64 * 3.8);
        let (y, number) = ((i / 1000) as f64, i % 9999);
        format!("ATOM  {serial:5}  CA  ALA A{number:4}    {x:8.3}{y:8.3}{:8.3}  1.00 10.00           C\n", 0.0)
    }

    #[test]
    fn the_first_and_the_last_batches_are_small() {
        let (_folder, mut entries) = folder_of(&[FIRST_ATOMS / 4; 40]);
        let lengths = |entries: &[_]| {
            let (options, cancel) = (ReadOptions::default(), Cancel::default());
            let source = StructureFiles::new(entries, options, Arc::default(), 3 * FIRST_ATOMS, &cancel);
            source.unwrap().map(|batch| batch.structures.len()).collect::<Vec<_>>()
        };
        // A quarter of the rest, once that is less than the limit.
        assert_eq!(lengths(&entries), [4, 8, 7, 5, 4, 4, 4, 4]);
        // Nobody knows how much comes through a pipe.
        let (path, size, source) = ("no/such/pipe".into(), 0, Source::Pipe);
        entries.push(Ok(InputFile { name: "pipe".to_owned(), path, size, source }));
        assert_eq!(lengths(&entries), [4, 8, 12, 12, 4]);
    }

    #[test]
    fn more_is_read_ahead_before_the_first_batch() {
        let (_folder, mut entries) = folder_of(&[1; 20]);
        for file in entries.iter_mut().flatten() {
            file.size = PIECE_BYTES;
        }
        let one = ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let source = |entries: &[_]| {
            let (options, cancel) = (ReadOptions::default(), Cancel::default());
            one.install(|| StructureFiles::new(entries, options, Arc::default(), usize::MAX, &cancel).unwrap())
        };
        let (mut ahead, mut usual) = (source(&entries).with_batch_atoms(3), source(&entries).with_batch_atoms(3));
        ahead.begin();
        assert_eq!(ahead.pieces.len(), 20);
        usual.read_ahead(PIECES_PER_CORE);
        assert_eq!(usual.pieces.len(), PIECES_PER_CORE);
        let names = |batch: Batch| batch.structures.into_iter().map(|one| one.name.clone()).collect::<Vec<_>>();
        let (ahead, usual): (Vec<_>, Vec<_>) = (ahead.map(names).collect(), usual.map(names).collect());
        assert_eq!((ahead.len(), &ahead), (7, &usual));
    }

    #[test]
    fn pieces_end_at_the_limit() {
        let length = |entries: &[_]| piece_length(entries);
        assert_eq!(length(&[]), 0);
        assert_eq!(length(&files(&[u64::MAX, u64::MAX], "pdb")), 1);
        assert_eq!(length(&files(&[1, u64::MAX, u64::MAX], "pdb.gz")), 2);
        assert_eq!(length(&files(&[PIECE_BYTES, 1], "pdb")), 1);
        assert_eq!(length(&files(&[PIECE_BYTES / 10 + 1; 100], "pdb")), 10);
        assert_eq!(length(&files(&[PIECE_BYTES / 10 + 1; 100], "pdb.gz")), 2);
        assert_eq!(length(&files(&[1; 100], "pdb")), 100);
        assert_eq!(length(&files(&[0; 1000], "pdb")), PIECE_FILES);
    }
}
