use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

#[kernel(threads = 64)]
pub fn selected(block: &mut Block, out: &mut Chunk<u32, 64>, x: &[u32]) {
    out.fill(block, 64, |i| {
        let all = [AtomicU32::new(i), AtomicU32::new(7)];
        let mut by_data = [&all[0], &all[1], &all[0], &all[1]];
        for at in 0..x.len() as u32 {
            by_data.swap((x.at(at) % 4) as usize, (at % 4) as usize);
        }
        by_data.iter().fold(0, |all, own| all ^ own.fetch_add(1, Relaxed))
    });
}
