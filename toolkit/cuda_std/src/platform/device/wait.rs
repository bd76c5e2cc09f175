//! Waits for other blocks.

/// Looks in vain after which a wait counts as endless. A look takes about half a microsecond. Time would count while a debugger holds the
/// kernel.
const MOST: u32 = 1 << 24;

/// The number of looks in vain, which is that of all lanes of a warp.
#[derive(Debug, Default)]
pub(crate) struct Wait(u32);

impl Wait {
    #[inline(always)]
    pub(crate) fn is_endless(&mut self) -> bool {
        self.0 = self.0.wrapping_add(1);
        self.0 >= MOST
    }
}
