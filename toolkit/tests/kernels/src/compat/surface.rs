//! Calls each function of `cuda_std::compat`.

use cuda_std::compat::prelude::*;
use cuda_std::compat::warp::WarpReductionOp;

/// Number of words that a thread of [`probe`](fn@probe) writes.
pub const PROBE_WORDS: usize = 32;
const FULL: u32 = u32::MAX;

/// Each thread writes [`PROBE_WORDS`] words at its position in the grid. Blocks consist of whole warps.
///
/// # Safety
/// `out` has that many words for each thread.
#[kernel]
pub unsafe fn probe(out: *mut u32) {
    // SAFETY: no branch; a thread's words are its own.
    unsafe {
        let index = thread::index();
        let lane = warp::lane_id();
        let (at2, at3) = (thread::index_2d(), thread::index_3d());
        let (down, down_inside) = warp::warp_shuffle_down(FULL, index, 3, 16);
        let (up, up_inside) = warp::warp_shuffle_up(FULL, u64::from(index) << 32 | 7, 3, 8);
        let (xor, _) = warp::warp_shuffle_xor(FULL, index as f32, 5, 32);
        let (from, _) = warp::warp_shuffle_idx(FULL, index as i8, 9, 8);
        let (all_lanes, all) = warp::warp_match_all(FULL, 1.5f64);
        let begin = misc::clock();
        thread::nanosleep(1);
        let words: [u32; PROBE_WORDS] = [
            index,
            at2.x,
            at2.y,
            at3.z,
            u32::from(thread::first()),
            lane,
            thread::warp_size(),
            thread::sync_threads_count(u32::from(index.is_multiple_of(3))),
            thread::sync_threads_and(u32::from(index < 1 << 20)),
            thread::sync_threads_or(u32::from(lane == 7)),
            thread::sync_threads_and(lane),
            down,
            u32::from(down_inside),
            (up >> 32) as u32,
            u32::from(up_inside),
            xor as u32,
            from as u8 as u32,
            u32::from(warp::warp_vote_all(FULL, lane < 32)),
            u32::from(warp::warp_vote_any(FULL, lane == 40)),
            warp::warp_vote_ballot(FULL, lane.is_multiple_of(2)),
            warp::warp_match_any(FULL, lane / 4),
            warp::warp_match_any(FULL, u64::from(lane / 8) << 40),
            all_lanes,
            u32::from(all),
            warp::warp_reduce(FULL, lane, WarpReductionOp::Add),
            warp::warp_reduce(FULL, 3 - lane as i32, WarpReductionOp::Min) as u32,
            u32::from(misc::clock() > begin),
            warp::activemask(),
            shared::dynamic_smem_size(),
            thread::block_dim().x * thread::block_dim().y * thread::block_dim().z,
            thread::grid_dim().x * thread::grid_dim().y * thread::grid_dim().z,
            warp::warp_match_all(FULL, lane).0,
        ];
        let mine = out.add(index as usize * PROBE_WORDS);
        for (i, word) in words.into_iter().enumerate() {
            mine.add(i).write(word);
        }
    }
}

/// All threads of the grid change the same words: 12 counters, and the last 4 bytes as f32.
///
/// # Safety
/// `words` has 12 words, and `sum` one number.
#[kernel(threads = 64)]
pub unsafe fn probe_atomics(words: *mut u32, sum: *mut f32) {
    use atomic::*;
    // SAFETY: the first threads fill the array before the barrier; after it all operations are atomic.
    unsafe {
        let shared = shared_array![u32; 2];
        let t = thread::thread_idx_x();
        if t < 2 {
            shared.add(t as usize).write(0);
        }
        thread::sync_threads();
        let i = thread::index_1d();
        atomic_fetch_add_u32_device(words, Ordering::Relaxed, 1);
        atomic_fetch_add_u32_system(words.add(1), Ordering::SeqCst, 2);
        atomic_fetch_max_u32_device(words.add(2), Ordering::AcqRel, i);
        atomic_fetch_min_u32_device(words.add(3), Ordering::Release, i);
        atomic_fetch_or_u32_device(words.add(4), Ordering::Acquire, 1 << (i % 32));
        atomic_fetch_xor_u32_device(words.add(5), Ordering::Relaxed, i);
        atomic_fetch_min_i32_device(words.add(6).cast(), Ordering::Relaxed, -(i as i32));
        // Counts with compare-and-swap.
        let counter = words.add(7);
        let mut seen = atomic_fetch_or_u32_device(counter, Ordering::Relaxed, 0);
        loop {
            let found = atomic_compare_and_swap_u32_device(counter, seen, seen + 1, Ordering::Relaxed);
            if found == seen {
                break;
            }
            seen = found;
        }
        atomic_fetch_add_u64_device(words.add(8).cast(), Ordering::Relaxed, 1 << 31);
        AtomicF32::from_ptr(sum).fetch_add(0.5, Ordering::Relaxed);
        atomic_fetch_add_u32_block(shared, Ordering::Relaxed, 1);
        SharedPointer::new(shared).wrapping_add(1).fetch_add(3);
        thread::sync_threads();
        if t == 0 {
            thread::device_fence();
            atomic_fetch_add_u32_device(words.add(10), Ordering::Relaxed, shared.read());
            atomic_fetch_add_u32_device(
                words.add(11),
                Ordering::Relaxed,
                SharedPointer::new(shared).wrapping_add(1).read(),
            );
        }
    }
}
