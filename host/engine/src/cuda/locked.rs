//! Atoms of structures in page-locked memory, from which a device copies them.

use crate::DeviceError;
use crate::rooms::AtomRoom;
use cuda_host::{
    CallersContext, Context, CudaError, DeviceViewMut, PinnedBuffer, PinnedPool, PinnedSlice, PoolOptions, Stream,
};
use prism_read::structure::{AtomMemory, Atoms};
use shared_types::Atom;
use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

/// Rooms are whole numbers of huge pages, which are locked sooner than others.
const PAGE_BYTES: usize = 2 << 20;
/// The most memory in rooms: about as much as a run has in batches. More atoms lie in other memory.
const MOST_BYTES: usize = 384 << 20;

/// Page-locked memory for atoms.
#[derive(Debug)]
pub(super) struct LockedRooms(PinnedPool);

impl LockedRooms {
    pub(super) fn new(context: &Context) -> Self {
        Self(PinnedPool::with_options(context, PoolOptions::default().headroom_percent(0)))
    }

    /// Room for at least so many atoms, unless enough is in use.
    pub(super) fn take(&self, atoms: usize) -> Option<Box<dyn AtomRoom>> {
        let bytes = atoms.checked_mul(size_of::<Atom>())?.checked_next_multiple_of(PAGE_BYTES)?;
        if self.0.statistics().bytes_in_use.checked_add(bytes)? > MOST_BYTES {
            return None;
        }
        let buffer = self.0.lease(bytes / size_of::<Atom>());
        let buffer = buffer.inspect_err(|error| tracing::debug!("atoms lie in other memory: {error}")).ok()?;
        Some(Box::new(Room(buffer)))
    }

    /// Frees what nobody uses.
    pub(super) fn trim(&self) {
        self.0.trim();
    }
}

struct Room(PinnedBuffer<Atom>);

impl AtomRoom for Room {
    fn atoms(&mut self) -> Result<&mut [Atom], DeviceError> {
        Ok(self.0.as_mut_slice()?)
    }

    fn shared(self: Box<Self>) -> Result<Arc<dyn AtomMemory>, DeviceError> {
        Ok(Arc::new(LockedAtoms(Some(self.0.into_slice()?))))
    }
}

/// Atoms that several structures share.
#[derive(Debug)]
struct LockedAtoms(Option<PinnedSlice<Atom>>);

impl LockedAtoms {
    fn slice(&self) -> &PinnedSlice<Atom> {
        self.0.as_ref().expect("it is there until this is dropped")
    }
}

impl AtomMemory for LockedAtoms {
    fn atoms(&self) -> &[Atom] {
        self.slice()
    }
}

// The caller may use other libraries on another device.
impl Drop for LockedAtoms {
    fn drop(&mut self) {
        let _callers = CallersContext::keep();
        drop(self.0.take());
    }
}

/// Atoms that lie one after the other, and go to a device at once.
enum Run<'a> {
    Locked(&'a PinnedSlice<Atom>, Range<usize>),
    Others(Vec<&'a [Atom]>),
}

impl<'a> Run<'a> {
    fn of(atoms: &'a Atoms) -> Self {
        let locked = atoms.memory().and_then(|(memory, range)| {
            let memory: &dyn Any = &**memory;
            Some(Self::Locked(memory.downcast_ref::<LockedAtoms>()?.slice(), range))
        });
        locked.unwrap_or_else(|| Self::Others(vec![atoms]))
    }

    /// Appends another one, or returns it.
    fn append(&mut self, other: Self) -> Option<Self> {
        match (self, other) {
            (Self::Locked(slice, range), Self::Locked(others, more))
                if std::ptr::eq(*slice, others) && range.end == more.start =>
            {
                range.end = more.end;
                None
            }
            (Self::Others(parts), Self::Others(more)) => {
                parts.extend(more);
                None
            }
            (_, other) => Some(other),
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Locked(_, range) => range.len(),
            Self::Others(parts) => parts.iter().map(|part| part.len()).sum(),
        }
    }
}

/// What copies the atoms of some structures to a device.
pub(super) struct AtomRuns<'a>(Vec<Run<'a>>);

impl<'a> AtomRuns<'a> {
    /// `None` if none of them are page-locked.
    pub(super) fn of(structures: &'a [Atoms]) -> Option<Self> {
        let mut runs: Vec<Run<'a>> = Vec::new();
        for run in structures.iter().map(Run::of) {
            let rest = match runs.last_mut() {
                Some(last) => last.append(run),
                None => Some(run),
            };
            runs.extend(rest);
        }
        runs.iter().any(|run| matches!(run, Run::Locked(..))).then_some(Self(runs))
    }

    pub(super) fn len(&self) -> usize {
        self.0.iter().map(Run::len).sum()
    }

    /// Copies them; `gather` copies those that are not page-locked.
    pub(super) fn upload(
        &self,
        stream: &Stream,
        to: DeviceViewMut<'_, Atom>,
        gather: impl Fn(DeviceViewMut<'_, Atom>, &[&[Atom]]) -> Result<(), CudaError>,
    ) -> Result<(), CudaError> {
        let mut rest = to;
        for run in &self.0 {
            let (own, others) = rest.split_at_mut(run.len())?;
            match run {
                Run::Locked(slice, range) => slice.upload(stream, range.clone(), own)?,
                Run::Others(parts) => gather(own, parts)?,
            }
            rest = others;
        }
        Ok(())
    }
}
