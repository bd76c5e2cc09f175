use core::sync::atomic::{AtomicU32, Ordering};

trait Number: Sync {
    fn number(&self) -> u32;
}

struct Counter(AtomicU32);

impl Number for Counter {
    fn number(&self) -> u32 {
        self.0.fetch_add(1, Ordering::Relaxed)
    }
}

impl Number for u32 {
    fn number(&self) -> u32 {
        *self
    }
}

static COUNT: Counter = Counter(AtomicU32::new(0));
static TABLE: [&dyn Number; 2] = [&COUNT, &7u32];

#[kernel(threads = 64)]
pub fn by_trait(block: &mut Block, out: &mut Chunk<u32, 64>, which: u32) {
    out.fill(block, 64, |_| TABLE[which as usize % 2].number());
}
