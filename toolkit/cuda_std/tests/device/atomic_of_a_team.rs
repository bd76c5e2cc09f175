/// The same within a team.
#[kernel(threads = 64)]
pub fn hang(block: &mut Block, out: &mut Chunk<u32, 64, WriteOnly>) {
    let n = out.len();
    out.fill_by_team::<32>(block, n, |team, _| {
        let leak = core::sync::atomic::AtomicU32::new(0);
        let sum = team.reduce(
            32,
            0,
            |sum, k| {
                leak.store(k, core::sync::atomic::Ordering::Relaxed);
                sum + k
            },
            |a, b| a + b,
        );
        if leak.load(core::sync::atomic::Ordering::Relaxed) < 16 {
            team.reduce(32, 0, |sum, k| sum + k * k, |a, b| a + b)
        } else {
            sum
        }
    });
}
