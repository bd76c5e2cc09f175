//! Reading, computing and writing at the same time, batch by batch.

use super::source::{Batch, Source};
use prism_host::engine::{Engine, EngineError, StructureFeatures};
use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// A batch with what was computed for each of its structures.
pub struct Computed {
    pub batch: Batch,
    pub features: Vec<Result<StructureFeatures, EngineError>>,
}

/// Batches in memory beyond those that are being computed: one being read, one being written.
const SPARE_BATCHES: usize = 2;

type Numbered = (usize, Result<Computed, EngineError>);

/// Reads and computes on threads of their own, and gives every batch to `consume` on this one, in order, until
/// `consume` fails. However many inputs there are, only some batches are in memory.
///
/// # Errors
/// What `consume` returns, and what stops the engine.
pub fn run<E: From<EngineError>>(
    engine: &Engine,
    source: Source<'_>,
    mut consume: impl FnMut(Computed) -> Result<(), E>,
) -> Result<(), E> {
    let lanes = engine.lanes();
    // A batch's place in memory is taken before it is read, and given back when it is written.
    let (take_place, give_place) = sync_channel::<()>(lanes + SPARE_BATCHES);
    let (read_batch, batches) = sync_channel::<(usize, Batch)>(1);
    let (finish_batch, computed) = sync_channel::<Numbered>(lanes);
    let batches = Mutex::new(batches);
    std::thread::scope(|scope| {
        scope.spawn(move || read(source, &take_place, &read_batch));
        for _ in 0..lanes {
            let (batches, finish_batch) = (&batches, finish_batch.clone());
            scope.spawn(move || compute(engine, batches, &finish_batch));
        }
        drop(finish_batch);
        // These ends are dropped on return: the other threads then find nobody to send to, and end.
        let (computed, give_place) = (computed, give_place);
        let mut early = BTreeMap::new();
        let mut next = 0;
        while let Ok((index, result)) = computed.recv() {
            early.insert(index, result);
            while let Some(result) = early.remove(&next) {
                let begin = Instant::now();
                consume(result?)?;
                tracing::debug!(batch = next, took = ?begin.elapsed(), "written");
                next += 1;
                let _ = give_place.recv();
            }
        }
        Ok(())
    })
}

fn read(source: Source<'_>, take_place: &SyncSender<()>, read_batch: &SyncSender<(usize, Batch)>) {
    let mut batches = source.enumerate();
    while take_place.send(()).is_ok() {
        let begin = Instant::now();
        let Some(batch) = batches.next() else { return };
        tracing::debug!(batch = batch.0, structures = batch.1.structures.len(), took = ?begin.elapsed(), "read");
        if read_batch.send(batch).is_err() {
            return;
        }
    }
}

fn compute(engine: &Engine, batches: &Mutex<Receiver<(usize, Batch)>>, finish_batch: &SyncSender<Numbered>) {
    loop {
        let received = batches.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok((index, batch)) = received else { return };
        let begin = Instant::now();
        let result = engine.run_each(&batch.structures).map(|features| Computed { batch, features });
        tracing::debug!(batch = index, took = ?begin.elapsed(), "computed");
        if finish_batch.send((index, result)).is_err() {
            return;
        }
    }
}
