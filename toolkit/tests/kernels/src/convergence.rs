//! Each phase of `cuda_std` between two branches on the same value of a thread.
//!
//! An optimiser that does not know a barrier, or a function that contains one, as convergent folds the two branches and copies the
//! phase between them into both arms. So the phase is in a function that is always inlined, in one that never is, in one without
//! an attribute and in a generic one; in straight code, in a loop and in a `match`.

use cuda_std::prelude::*;

/// Threads of a block.
pub const THREADS: u32 = 64;

/// What a kernel does between the branches: `phase` takes the block, its output and input, and returns a value of the block.
macro_rules! between {
    ($($(#[$doc:meta])* $name:ident: |$block:ident, $out:ident, $x:ident| $phase:expr;)*) => {$(
        $(#[$doc])*
        #[kernel(threads = THREADS)]
        pub fn $name(block: &mut Block, out: &mut Chunk<u32, 64>, sum: &Atomics<u32>, x: &[u32], turns: u32) {
            #[inline(always)]
            fn inlined($block: &mut Block, $out: &mut Chunk<u32, 64>, $x: &[u32]) -> u32 {
                $phase
            }
            #[inline(never)]
            fn called($block: &mut Block, $out: &mut Chunk<u32, 64>, $x: &[u32]) -> u32 {
                $phase
            }
            fn plain($block: &mut Block, $out: &mut Chunk<u32, 64>, $x: &[u32]) -> u32 {
                $phase
            }
            fn generic<X: AsRef<[u32]>>($block: &mut Block, $out: &mut Chunk<u32, 64>, x: X) -> u32 {
                let $x = x.as_ref();
                $phase
            }
            let own = &mut block.per_thread(|thread| x.at(thread.index()));
            let mut found = 0u32;
            branch(block, own, sum, 0);
            found ^= inlined(block, out, x);
            branch(block, own, sum, 1);
            found ^= called(block, out, x);
            branch(block, own, sum, 2);
            found ^= plain(block, out, x);
            branch(block, own, sum, 3);
            found ^= generic(block, out, x);
            branch(block, own, sum, 4);
            for turn in 0..turns {
                branch(block, own, sum, 5);
                found = found.rotate_left(5) ^ match turn % 4 {
                    0 => inlined(block, out, x),
                    1 => called(block, out, x),
                    2 => plain(block, out, x),
                    _ => generic(block, out, x),
                };
                branch(block, own, sum, 6);
            }
            block.for_each(1, |thread, _| {
                sum.add(thread, 7, found);
            });
        }
    )*};
}

/// Half of the threads count themselves.
#[inline(always)]
fn branch(block: &mut Block, own: &mut PerThread<u32>, sum: &Atomics<u32>, at: u32) {
    block.each(own, |thread, own| {
        if *own > 7 {
            sum.add(thread, at, *own);
        }
    });
}

/// The values of each lane, for phases of warps.
#[inline(always)]
fn of_lanes(
    block: &mut Block,
    out: &mut Chunk<u32, 64>,
    x: &[u32],
    f: impl Fn(&mut Warp, PerLane<u32>) -> PerLane<u32> + Sync,
) -> u32 {
    out.fill_by_lanes(block, THREADS, |warp, first| {
        let mut own = warp.per_lane(|lane| x.at(first + lane.index()));
        warp.each(&mut own, |_, own| {
            if *own > 7 {
                *own = x.at(*own % THREADS)
            }
        });
        let mut result = f(warp, own);
        warp.each(&mut result, |_, own| {
            if *own > 7 {
                *own = x.at(*own % THREADS)
            }
        });
        result
    });
    0
}

between! {
    /// [`BlockMemory::fill`].
    between_fill: |block, out, x| { out.fill(block, THREADS, |i| i ^ x.at(i)); 0 };
    /// [`BlockMemory::set`].
    between_set: |block, out, x| { out.set(block, 9, x.at(3)); 0 };
    /// [`BlockMemory::update`].
    between_update: |block, out, x| { out.update(block, THREADS, |i, value| *value = value.wrapping_add(x.at(i))); 0 };
    /// [`BlockMemory::write`].
    between_write: |block, out, x| {
        let own = block.per_thread(|thread| x.at(thread.index()));
        out.write(block, 0, &own, |_, own| *own);
        0
    };
    /// [`BlockMemory::fill_reduce`].
    between_fill_reduce: |block, out, x| out.fill_reduce(block, THREADS, 0, |i| (i, x.at(i)), u32::wrapping_add);
    /// [`BlockMemory::update_reduce`].
    between_update_reduce: |block, out, x| {
        let change = |i, value: &mut u32| { *value ^= i; x.at(i) };
        out.update_reduce(block, THREADS, 0, change, u32::wrapping_add)
    };
    /// `inclusive_scan` of a block's memory.
    between_inclusive_scan: |block, out, x| out.inclusive_scan(block, THREADS, 0, |i| x.at(i), u32::wrapping_add);
    /// `exclusive_scan` of a block's memory.
    between_exclusive_scan: |block, out, x| out.exclusive_scan(block, THREADS, 0, |i| x.at(i), u32::wrapping_add);
    /// [`BlockMemory::update_atomic`].
    between_update_atomic: |block, out, x| {
        out.update_atomic(block, THREADS, |thread, cells, i| { cells.add(thread, x.at(i) % THREADS, i); });
        0
    };
    /// [`BlockMemory::update_atomic_by_warp`] and [`Warp::meet`].
    between_update_atomic_by_warp: |block, out, x| {
        let mut own = block.per_thread(|thread| x.at(thread.index()) % THREADS);
        out.update_atomic_by_warp(block, &mut own, |warp, own, cells| {
            warp.each(own, |lane, own| { cells.xor(lane.thread(), *own, 1 << lane.index()); });
            warp.meet();
            warp.each(own, |lane, own| { cells.add(lane.thread(), *own, 0); });
        });
        0
    };
    /// [`BlockMemory::fill_by_team`].
    between_fill_by_team: |block, out, x| {
        out.fill_by_team::<8>(block, 40, |team, i| team.reduce(9, 0, |a, j| a ^ x.at((i + j) % THREADS), u32::wrapping_add));
        0
    };
    /// [`BlockMemory::update_by_team`].
    between_update_by_team: |block, out, x| {
        let compute = |team: &mut Team<4>, i: u32| team.reduce(9, 0, |a, j| a ^ x.at((i + j) % THREADS), u32::wrapping_add);
        out.update_by_team::<4, _>(block, 40, compute, |by, value| *value ^= by);
        0
    };
    /// [`BlockMemory::fill_by_warp`].
    between_fill_by_warp: |block, out, x| {
        out.fill_by_warp(block, 10, |warp, i| {
            let own = warp.per_lane(|lane| x.at((i + lane.index()) % THREADS));
            warp.reduce(&own, u32::wrapping_add)
        });
        0
    };
    /// [`BlockMemory::write_by_warp`].
    between_write_by_warp: |block, out, x| {
        out.write_by_warp(block, |warp| {
            let own = warp.per_lane(|lane| x.at(lane.index()));
            warp.sum(&own)
        });
        0
    };
    /// [`BlockMemory::update_by_warp`].
    between_update_by_warp: |block, out, x| {
        out.update_by_warp(block, 10, |warp, i, value| {
            let own = warp.per_lane(|lane| x.at((i + lane.index()) % THREADS));
            value ^ warp.reduce(&own, u32::wrapping_add)
        });
        0
    };
    /// [`Block::reduce`].
    between_reduce: |block, _out, x| block.reduce(THREADS, 0, |i| x.at(i), u32::wrapping_add);
    /// [`Block::reduce_ahead`].
    between_reduce_ahead: |block, _out, x| block.reduce_ahead(THREADS, 0, |i| x.at(i), u32::wrapping_add);
    /// [`Block::reduce_threads`].
    between_reduce_threads: |block, _out, x| {
        let own = block.per_thread(|thread| x.at(thread.index()));
        block.reduce_threads(&own, 0, |_, own| *own, u32::wrapping_add)
    };
    /// [`Block::count`], [`Block::any`] and [`Block::all`].
    between_votes: |block, _out, x| {
        let (count, any) = (block.count(THREADS, |i| x.at(i) > 9), block.any(THREADS, |i| x.at(i) > 99));
        count + u32::from(any) + u32::from(block.all(THREADS, |i| x.at(i) < 99))
    };
    /// [`Block::count_threads`], [`Block::any_thread`] and [`Block::all_threads`].
    between_votes_of_threads: |block, _out, x| {
        let own = block.per_thread(|thread| x.at(thread.index()));
        let (count, any) = (block.count_threads(&own, |_, own| *own > 9), block.any_thread(&own, |_, own| *own > 99));
        count + u32::from(any) + u32::from(block.all_threads(&own, |_, own| *own < 99))
    };
    /// [`Block::once`] and [`Block::broadcast`].
    between_broadcasts: |block, _out, x| {
        let own = block.per_thread(|thread| x.at(thread.index()));
        block.once(|_| x.at(3)) ^ block.broadcast(&own, 37)
    };
    /// [`Warp::ballot`], [`Warp::any`] and [`Warp::all`].
    between_votes_of_lanes: |block, out, x| of_lanes(block, out, x, |warp, own| {
        let (votes, any) = (warp.ballot(&own, |_, own| *own % 3 == 1), warp.any(&own, |_, own| *own > 99));
        let all = warp.all(&own, |_, own| *own < 99);
        warp.map(&own, |_, own| own ^ votes ^ u32::from(any) ^ u32::from(all))
    });
    /// [`Warp::shuffle`], its variants, and [`Warp::broadcast`].
    between_shuffles: |block, out, x| of_lanes(block, out, x, |warp, own| {
        let (turned, up) = (warp.shuffle(&own, |lane| 31 - lane.index()), warp.shuffle_up(&own, 3));
        let (down, crossed) = (warp.shuffle_down(&own, 5), warp.shuffle_xor(&own, 9));
        let fifth = warp.broadcast(&own, 5);
        let all = warp.map((&turned, &up), |_, (a, b)| a ^ b);
        warp.map((&all, &down, &crossed), |_, (a, b, c)| a ^ b ^ c ^ fifth)
    });
    /// [`Warp::reduce`], [`Warp::sum`] and [`Warp::smallest`].
    between_sums_of_lanes: |block, out, x| of_lanes(block, out, x, |warp, own| {
        let (sum, largest) = (warp.sum(&own), warp.reduce(&own, |a, b| if a > b { a } else { b }));
        let few = warp.map(&own, |_, own| [*own as f32]);
        let [smallest] = warp.smallest(&few);
        warp.map(&own, |_, own| own ^ sum ^ largest ^ smallest as u32)
    });
    /// [`Warp::inclusive_scan`] and [`Warp::exclusive_scan`].
    between_scans_of_lanes: |block, out, x| of_lanes(block, out, x, |warp, own| {
        let (with, before) = (warp.inclusive_scan(&own, u32::wrapping_add), warp.exclusive_scan(&own, 7, u32::wrapping_add));
        warp.map((&with, &before), |_, (a, b)| a ^ b)
    });
    /// [`Warp::match_bits`].
    between_matches_of_bits: |block, out, x| of_lanes(block, out, x, |warp, own| {
        let same = warp.match_bits::<3>(&own);
        warp.map(&same, |_, same| *same)
    });
    /// [`Warp::match_any`] and [`Warp::match_all`].
    between_matches: |block, out, x| of_lanes(block, out, x, |warp, own| {
        let (same, all) = (warp.match_any(&own), warp.match_all(&own).unwrap_or(5));
        warp.map(&same, |_, same| same ^ all)
    });
}

/// Phases of shared memory between two branches.
#[kernel(threads = THREADS)]
pub fn between_tiles(
    block: &mut Block,
    out: &mut Chunk<u32, 64>,
    tile: &mut Shared<u32, 64>,
    twice: &mut Shared<u32, 128>,
    sum: &Atomics<u32>,
    x: &[u32],
    turns: u32,
) {
    let own = &mut block.per_thread(|thread| x.at(thread.index()));
    for turn in 0..turns {
        branch(block, own, sum, 0);
        let filled = tile.fill(block, THREADS, |i| x.at(i) ^ turn);
        branch(block, own, sum, 1);
        out.update(block, THREADS, |i, value| *value ^= filled.get(THREADS - 1 - i));
        branch(block, own, sum, 2);
        let written = tile.write(block, THREADS, own, |_, own| *own);
        branch(block, own, sum, 3);
        out.update(block, THREADS, |i, value| *value ^= written.get(THREADS - 1 - i));
    }
    let mut halves = twice.halves(block);
    for turn in 0..turns {
        branch(block, own, sum, 4);
        let pending = halves.fill(block, THREADS, |i| x.at(i) ^ turn);
        branch(block, own, sum, 5);
        let full = block.meet(pending);
        branch(block, own, sum, 6);
        out.update(block, THREADS, |i, value| *value ^= full.get(THREADS - 1 - i));
    }
}

/// Phases of a whole grid between two branches.
#[kernel(threads = THREADS)]
pub fn between_grid_phases(
    grid: &mut WholeGrid,
    data: &mut GridMemory<u32>,
    sum: &Atomics<u32>,
    x: &[u32],
    turns: u32,
) {
    #[inline(never)]
    fn called(grid: &mut WholeGrid, data: &mut GridMemory<u32>, x: &[u32]) -> u32 {
        let n = data.len();
        data.update(grid, n, |_, i, value| *value = value.wrapping_add(x.at(i % THREADS)));
        grid.reduce(n, 0, |_, i| x.at(i % THREADS), u32::wrapping_add)
    }
    let n = data.len();
    let mut found = 0;
    for turn in 0..turns {
        grid.for_each(n, |thread, i| {
            if x.at(i % THREADS) > 7 {
                sum.add(thread, 0, 1);
            }
        });
        data.fill(grid, n, |_, i| i ^ x.at(i % THREADS));
        grid.for_each(n, |thread, i| {
            if x.at(i % THREADS) > 7 {
                sum.add(thread, 1, turn);
            }
        });
        found ^= called(grid, data, x);
        grid.for_each(n, |thread, i| {
            if x.at(i % THREADS) > 7 {
                sum.add(thread, 2, found);
            }
        });
        let view = data.view();
        found ^= grid.reduce(n, 0, |thread, i| view.get(thread, n - 1 - i), u32::wrapping_add);
        grid.for_each(n, |thread, i| {
            if x.at(i % THREADS) > 7 {
                sum.add(thread, 3, found);
            }
        });
    }
}
