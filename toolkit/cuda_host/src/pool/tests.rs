//! A pool of host memory, in which tests decide when work ends.

use super::super::sync::{Mutex, lock};
use super::*;
use std::sync::Arc as StdArc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The machine of a test pool, with `total` bytes of memory.
struct Machine {
    total: usize,
    free: Mutex<usize>,
    blocks: AtomicU64,
    /// Work up to this number is done on all streams.
    done: AtomicU64,
}

impl Machine {
    fn new(total: usize) -> StdArc<Self> {
        StdArc::new(Self { total, free: Mutex::new(total), blocks: AtomicU64::new(0), done: AtomicU64::new(0) })
    }

    fn pool(self: &StdArc<Self>, options: PoolOptions) -> Core<HostBlock> {
        Core::new(Box::new(Source(self.clone())), options)
    }
}

struct Source(StdArc<Machine>);

impl MemorySource<HostBlock> for Source {
    fn allocate(&self, bytes: usize) -> Result<HostBlock, CudaError> {
        let mut free = lock(&self.0.free);
        if *free < bytes {
            let operation = "allocating in a test".to_owned();
            return Err(CudaError::OutOfMemory { operation, bytes, free: *free, total: self.0.total });
        }
        *free -= bytes;
        let number = self.0.blocks.fetch_add(1, Ordering::Relaxed);
        Ok(HostBlock { machine: self.0.clone(), number, bytes, work: None, content: vec![0; bytes] })
    }
}

struct HostBlock {
    machine: StdArc<Machine>,
    /// Its number on its machine.
    #[cfg_attr(loom, expect(dead_code))]
    number: u64,
    bytes: usize,
    /// The stream of its last work, and that work's number.
    work: Option<(u32, u64)>,
    content: Vec<u8>,
}

impl PoolBlock for HostBlock {
    type User = u32;

    fn bytes(&self) -> usize {
        self.bytes
    }
    fn is_quiet(&self, user: &u32) -> bool {
        self.work.is_none_or(|(stream, work)| stream == *user || work <= self.machine.done.load(Ordering::Relaxed))
    }
    fn retire(&mut self) -> Result<(), CudaError> {
        match self.work {
            Some((_, u64::MAX)) => Err(CudaError::Recorded { operation: "a test" }),
            _ => Ok(()),
        }
    }
    fn renew(&mut self) {}
}

impl Drop for HostBlock {
    fn drop(&mut self) {
        *lock(&self.machine.free) += self.bytes;
    }
}

/// Without headroom.
fn plain() -> PoolOptions {
    PoolOptions::default().headroom_percent(0)
}

#[cfg(not(loom))]
mod without_loom {
    use super::*;
    use std::sync::atomic::AtomicUsize;
    use std::sync::{OnceLock, Weak};

    const STREAM: u32 = 0;
    const OTHER: u32 = 1;

    #[test]
    fn a_steady_state_allocates_nothing() {
        let machine = Machine::new(1 << 20);
        let pool = machine.pool(PoolOptions::default());
        let mut after_the_first = 0;
        for round in 0..100 {
            // Sizes vary by less than the headroom.
            let sizes = [4000, 10_000, 300].map(|size| size + size * (round % 10) / 50);
            let blocks = sizes.map(|size| pool.take(size, &STREAM).unwrap());
            assert!(blocks.iter().zip(sizes).all(|(block, size)| block.bytes() >= size));
            blocks.into_iter().for_each(|block| pool.give(block));
            if round == 0 {
                after_the_first = pool.statistics().allocations;
            }
        }
        let found = pool.statistics();
        assert_eq!((after_the_first, found.allocations, found.reuses), (3, 3, 297));
        assert_eq!((found.bytes_in_use, found.blocks_in_use, found.blocks_free), (0, 0, 3));
        assert_eq!(found.bytes_held, found.peak_in_use);
        assert_eq!(*lock(&machine.free), machine.total - found.bytes_held);
    }

    #[test]
    fn the_smallest_block_that_fits_is_taken_and_none_that_is_much_too_large() {
        let pool = Machine::new(1 << 20).pool(plain());
        let [small, middle, large] = [1024, 2048, 65536].map(|size| pool.take(size, &STREAM).unwrap());
        let number = middle.number;
        [large, middle, small].into_iter().for_each(|block| pool.give(block));
        assert_eq!(pool.take(1500, &STREAM).unwrap().number, number);
        assert_eq!(pool.statistics().allocations, 3);
        // The last one stays for larger requests.
        let block = pool.take(1500, &STREAM).unwrap();
        assert_eq!((pool.statistics().allocations, block.bytes()), (4, 1536));
    }

    #[test]
    fn memory_without_work_is_taken_before_memory_with_work() {
        let machine = Machine::new(1 << 20);
        let pool = machine.pool(plain());
        let mut blocks = [1024, 1024, 1280].map(|size| pool.take(size, &STREAM).unwrap());
        let numbers = blocks.each_ref().map(|block| block.number);
        blocks[0].work = Some((STREAM, 2));
        blocks[1].work = Some((STREAM, 1));
        blocks[2].work = Some((OTHER, 1));
        blocks.into_iter().for_each(|block| pool.give(block));
        // In order on its own stream; the larger one needs no wait there.
        let of_other = pool.take(1000, &OTHER).unwrap();
        assert_eq!(of_other.number, numbers[2]);
        machine.done.store(1, Ordering::Relaxed);
        assert_eq!(pool.take(1000, &OTHER).unwrap().number, numbers[1]);
        assert_eq!(pool.statistics().waits, 0);
        assert_eq!(pool.take(1000, &OTHER).unwrap().number, numbers[0]);
        let found = pool.statistics();
        assert_eq!((found.allocations, found.waits), (3, 1));
    }

    #[test]
    fn as_many_blocks_may_be_busy_as_the_options_say() {
        let pool = Machine::new(1 << 20).pool(plain().busy_blocks(2));
        for work in 1..=10 {
            let mut block = pool.take(1024, &OTHER).unwrap();
            block.work = Some((STREAM, work));
            pool.give(block);
        }
        let found = pool.statistics();
        assert_eq!((found.allocations, found.waits), (3, 7));
    }

    #[test]
    fn the_busy_block_that_was_given_back_first_is_waited_for_first() {
        let pool = Machine::new(1 << 20).pool(plain());
        let blocks = [1, 2, 3].map(|work| {
            let mut block = pool.take(1024, &OTHER).unwrap();
            block.work = Some((STREAM, work));
            block
        });
        blocks.into_iter().for_each(|block| pool.give(block));
        assert_eq!(pool.take(1024, &OTHER).unwrap().work, Some((STREAM, 1)));
    }

    #[test]
    fn memory_that_ran_out_is_found_in_what_the_pool_keeps() {
        let machine = Machine::new(10_240);
        let pool = machine.pool(plain());
        let [a, b, c] = [4096, 4096, 2048].map(|size| pool.take(size, &STREAM).unwrap());
        [a, b].into_iter().for_each(|block| pool.give(block));
        // Neither free block is large enough, and there is no memory: both are freed to make room.
        let block = pool.take(8000, &STREAM).unwrap();
        assert_eq!(block.bytes(), 8192);
        let found = pool.statistics();
        assert_eq!((found.trims, found.frees, found.bytes_held, found.bytes_in_use), (1, 2, 10_240, 10_240));
        pool.give(block);
        pool.give(c);
        // A block that would otherwise be too large is better than none.
        let block = pool.take(2048, &STREAM).unwrap();
        assert_eq!(pool.take(300, &STREAM).unwrap().bytes(), 8192);
        pool.give(block);
    }

    #[test]
    fn memory_that_is_not_there_is_an_error_with_its_numbers_and_the_pool_lives_on() {
        let pool = Machine::new(10_000).pool(plain());
        let kept = pool.take(4000, &STREAM).unwrap();
        let free = pool.take(4000, &STREAM).unwrap();
        pool.give(free);
        let error = pool.take(8000, &STREAM).err().expect("there are not so many");
        let expected = CudaError::OutOfMemory {
            operation: "allocating in a test".into(),
            bytes: 8192,
            free: 10_000 - 4096,
            total: 10_000,
        };
        assert_eq!(error, expected);
        let found = pool.statistics();
        assert_eq!((found.trims, found.bytes_held, found.bytes_in_use), (1, 4096, 4096));
        pool.give(kept);
        assert_eq!(pool.take(4000, &STREAM).unwrap().bytes(), 4096);
        assert_eq!(pool.statistics().allocations, 2);
    }

    #[test]
    fn a_request_without_room_for_headroom_gets_none() {
        let pool = Machine::new(10_000).pool(PoolOptions::default());
        assert_eq!(pool.take(9_000, &STREAM).unwrap().bytes(), 9216);
        let pool = Machine::new(100_000).pool(PoolOptions::default().limit(9_500));
        assert_eq!(pool.take(9_000, &STREAM).unwrap().bytes(), 9216);
    }

    #[test]
    fn a_limit_is_held() {
        let machine = Machine::new(1 << 20);
        let pool = machine.pool(plain().limit(8192));
        let block = pool.take(4096, &STREAM).unwrap();
        let other = pool.take(4096, &STREAM).unwrap();
        let error = pool.take(1, &STREAM).err().expect("the limit is reached");
        assert_eq!(error, CudaError::PoolLimit { bytes: 256, in_use: 8192, limit: 8192 });
        pool.give(block);
        pool.give(other);
        assert_eq!(pool.take(5000, &STREAM).unwrap().bytes(), 5120, "the others were freed for it");
        assert_eq!(pool.statistics().peak_held, 8192);
    }

    #[test]
    fn memory_whose_work_is_not_known_is_freed() {
        let machine = Machine::new(1 << 20);
        let pool = machine.pool(plain());
        let mut block = pool.take(4096, &STREAM).unwrap();
        block.work = Some((STREAM, u64::MAX));
        pool.give(block);
        let found = pool.statistics();
        assert_eq!((found.frees, found.bytes_held, found.blocks_free), (1, 0, 0));
        assert_eq!(*lock(&machine.free), machine.total);
    }

    #[test]
    fn trimming_frees_what_nobody_has() {
        let machine = Machine::new(1 << 20);
        let pool = machine.pool(plain());
        let [a, b, c] = [4096, 1024, 4096].map(|size| pool.take(size, &STREAM).unwrap());
        [a, b].into_iter().for_each(|block| pool.give(block));
        assert_eq!(pool.trim(), 5120);
        assert_eq!(pool.trim(), 0);
        assert_eq!(*lock(&machine.free), machine.total - 4096);
        let found = pool.statistics();
        assert_eq!((found.frees, found.bytes_held, found.blocks_free, found.blocks_in_use), (2, 4096, 0, 1));
        pool.give(c);
        drop(pool);
        assert_eq!(*lock(&machine.free), machine.total);
    }

    #[test]
    fn a_source_that_gives_too_little_is_found_out() {
        struct Short(Source);
        impl MemorySource<HostBlock> for Short {
            fn allocate(&self, bytes: usize) -> Result<HostBlock, CudaError> {
                self.0.allocate(bytes - 1)
            }
        }
        let machine = Machine::new(1 << 20);
        let pool = Core::new(Box::new(Short(Source(machine.clone()))), plain());
        assert_eq!(pool.take(1024, &STREAM).err(), Some(CudaError::ShortBlock { bytes: 1024, given: 1023 }));
        assert_eq!((pool.statistics(), *lock(&machine.free)), (PoolStatistics::default(), machine.total));
    }

    #[test]
    fn an_error_of_another_kind_is_the_callers_at_once() {
        struct Lost(AtomicUsize);
        impl MemorySource<HostBlock> for Lost {
            fn allocate(&self, _: usize) -> Result<HostBlock, CudaError> {
                self.0.fetch_add(1, Ordering::Relaxed);
                Err(CudaError::NoLibrary)
            }
        }
        let pool = Core::new(Box::new(Lost(AtomicUsize::new(0))), plain());
        assert_eq!(pool.take(1, &STREAM).err(), Some(CudaError::NoLibrary));
        assert_eq!(pool.statistics(), PoolStatistics::default());
    }

    #[test]
    fn a_source_may_trim_and_ask_its_own_pool() {
        struct Own(Source, OnceLock<Weak<Core<HostBlock>>>);
        impl MemorySource<HostBlock> for StdArc<Own> {
            fn allocate(&self, bytes: usize) -> Result<HostBlock, CudaError> {
                self.0.allocate(bytes).or_else(|error| {
                    let Some(pool) = self.1.get().and_then(Weak::upgrade) else { return Err(error) };
                    pool.trim();
                    // Smaller each time.
                    if bytes > 1024 {
                        assert!(pool.take(bytes / 2, &STREAM).err().is_none_or(|error| error.is_out_of_memory()));
                    }
                    self.0.allocate(bytes)
                })
            }
        }
        let machine = Machine::new(4096);
        let source = StdArc::new(Own(Source(machine.clone()), OnceLock::new()));
        let pool = StdArc::new(Core::new(Box::new(source.clone()), plain()));
        source.1.set(StdArc::downgrade(&pool)).unwrap();
        let first = pool.take(4096, &STREAM).unwrap();
        assert!(pool.take(4096, &STREAM).is_err_and(|error| error.is_out_of_memory()));
        pool.give(first);
        assert_eq!(pool.take(2048, &STREAM).unwrap().bytes(), 4096);
    }

    #[test]
    fn leases_go_back_or_are_freed_when_their_pool_is_gone() {
        use crate::pool::Lease;
        let machine = Machine::new(1 << 20);
        let pool = StdArc::new(machine.pool(plain()));
        let lease = |size| Lease::of(&pool, pool.take(size, &STREAM).unwrap());
        let (first, second) = (lease(1024), lease(4096));
        drop(first);
        assert_eq!((pool.statistics().blocks_free, pool.statistics().blocks_in_use), (1, 1));
        drop(pool);
        assert_eq!(*lock(&machine.free), machine.total - 4096, "only the lease is left");
        drop(second);
        assert_eq!(*lock(&machine.free), machine.total);
    }

    /// Many threads take, fill, check and return blocks, in memory too small for all of them at once.
    #[test]
    fn no_two_of_many_threads_have_the_same_memory() {
        let machine = Machine::new(64 << 10);
        let pool = machine.pool(PoolOptions::default().limit(48 << 10));
        let failures = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for thread in 0..8u32 {
                let (pool, failures) = (&pool, &failures);
                scope.spawn(move || {
                    let mut random = u64::from(thread) + 1;
                    let mut held: Vec<(HostBlock, u8)> = Vec::new();
                    for round in 0..2000u32 {
                        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                        let size = 1 + (random >> 33) as usize % 6000;
                        let mark = (round * 8 + thread) as u8;
                        match pool.take(size, &thread) {
                            Ok(mut block) => {
                                block.content.fill(mark);
                                block.work = Some((thread, u64::from(round)));
                                held.push((block, mark));
                            }
                            Err(error) => {
                                assert!(error.is_out_of_memory(), "{error}");
                                failures.fetch_add(1, Ordering::Relaxed);
                            }
                        }
                        if held.len() > 1 + thread as usize % 3 {
                            let (block, mark) = held.swap_remove(random as usize % held.len());
                            assert!(block.content.iter().all(|byte| *byte == mark));
                            pool.give(block);
                        }
                        if round % 500 == 499 {
                            pool.trim();
                        }
                    }
                    held.into_iter().for_each(|(block, _)| pool.give(block));
                });
            }
        });
        let found = pool.statistics();
        assert_eq!((found.bytes_in_use, found.blocks_in_use), (0, 0));
        assert!(found.peak_held <= 48 << 10 && found.reuses > 0, "{found:?}");
        assert_eq!(found.allocations - found.frees, found.blocks_free as u64);
        assert_eq!(*lock(&machine.free), machine.total - found.bytes_held);
        assert!(failures.load(Ordering::Relaxed) < 16_000);
        pool.trim();
        assert_eq!(pool.statistics().bytes_held, 0);
    }
}

/// All orders in which threads can reach the pool's locks.
///
/// `RUSTFLAGS="--cfg loom" cargo test -p cuda_host --lib loom` runs these.
#[cfg(loom)]
mod loom {
    use super::*;
    use ::loom::sync::Arc;
    use ::loom::thread;

    /// Takes and returns blocks on two threads and this one.
    fn on_three_threads(pool: Core<HostBlock>, work: fn(&Core<HostBlock>, u32)) -> Arc<Core<HostBlock>> {
        let pool = Arc::new(pool);
        let threads = [1, 2].map(|user| {
            let pool = pool.clone();
            thread::spawn(move || work(&pool, user))
        });
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        pool
    }

    fn is_well(pool: &Core<HostBlock>, machine: &Machine) {
        let found = pool.statistics();
        assert_eq!((found.bytes_in_use, found.blocks_in_use), (0, 0));
        assert_eq!(found.allocations - found.frees, found.blocks_free as u64);
        assert_eq!(*lock(&machine.free), machine.total - found.bytes_held);
        let state = lock(&pool.state);
        assert_eq!(state.reserved, found.bytes_held);
        assert_eq!(state.free.values().map(VecDeque::len).sum::<usize>(), found.blocks_free);
    }

    #[test]
    fn loom_memory_is_one_threads_at_a_time_and_all_comes_back() {
        ::loom::model(|| {
            let machine = Machine::new(4096);
            let pool = on_three_threads(machine.pool(plain()), |pool, user| {
                for _ in 0..2 {
                    let mut block = pool.take(256, &user).unwrap();
                    block.content.fill(user as u8);
                    thread::yield_now();
                    assert!(block.content.iter().all(|byte| *byte == user as u8));
                    pool.give(block);
                }
            });
            is_well(&pool, &machine);
            assert!(pool.statistics().allocations <= 2);
        });
    }

    #[test]
    fn loom_a_thread_without_memory_gets_what_another_frees() {
        // Three preemptions of a thread suffice to fail without the lock; all orders take minutes.
        let mut model = ::loom::model::Builder::new();
        model.preemption_bound = Some(3);
        model.check(|| {
            // Room for one block per thread, but not beside the free ones.
            let machine = Machine::new(2048);
            let pool = machine.pool(plain());
            let blocks = [768, 768].map(|size| pool.take(size, &0).unwrap());
            blocks.into_iter().for_each(|block| pool.give(block));
            let pool = on_three_threads(pool, |pool, user| {
                let block = pool.take(1024, &user).expect("there is room for both");
                pool.give(block);
            });
            is_well(&pool, &machine);
        });
    }

    #[test]
    fn loom_the_limit_holds() {
        ::loom::model(|| {
            let machine = Machine::new(4096);
            let pool = on_three_threads(machine.pool(plain().limit(1024)), |pool, user| match pool.take(768, &user) {
                Ok(block) => {
                    assert!(lock(&block.machine.free).wrapping_add(1024) >= block.machine.total);
                    pool.give(block);
                }
                Err(error) => assert!(error.is_out_of_memory()),
            });
            is_well(&pool, &machine);
            assert!(pool.statistics().peak_held <= 1024);
        });
    }

    #[test]
    fn loom_trimming_meets_taking() {
        ::loom::model(|| {
            let machine = Machine::new(4096);
            let pool = machine.pool(plain());
            let block = pool.take(512, &0).unwrap();
            pool.give(block);
            let pool = on_three_threads(pool, |pool, user| {
                if user == 1 {
                    pool.trim();
                } else {
                    let block = pool.take(512, &user).unwrap();
                    pool.give(block);
                }
            });
            is_well(&pool, &machine);
        });
    }
}
