//! Memory in which atoms are put where a device takes them from.

use crate::DeviceError;
use crate::scheduler::Scheduler;
use prism_read::structure::AtomMemory;
use shared_types::Atom;
use std::sync::Arc;

/// Room for atoms that a device copies without the host's help. Other memory is copied to such memory first.
pub trait AtomRoom: Send {
    /// The atoms, with unspecified contents at first.
    ///
    /// # Errors
    /// Those of the device.
    fn atoms(&mut self) -> Result<&mut [Atom], DeviceError>;

    /// The atoms for structures, which share them.
    ///
    /// # Errors
    /// Those of the device.
    fn shared(self: Box<Self>) -> Result<Arc<dyn AtomMemory>, DeviceError>;
}

/// Gives rooms of an engine's devices. Cheap to clone.
///
/// ```
/// use prism_engine::{Backend, Engine};
///
/// let engine = Engine::builder().backend(Backend::Cpu).build()?;
/// assert!(engine.atom_rooms().take(1000).is_none(), "cores take atoms from where they lie");
/// # Ok::<(), prism_engine::EngineError>(())
/// ```
#[derive(Clone, Debug)]
pub struct AtomRooms(pub(super) Arc<Scheduler>);

impl AtomRooms {
    /// Room for at least so many atoms; `None` if there is no device, it is not ready yet, or it has given away enough of its memory.
    #[must_use]
    pub fn take(&self, atoms: usize) -> Option<Box<dyn AtomRoom>> {
        self.0.gathering()?.atom_room(atoms)
    }
}
