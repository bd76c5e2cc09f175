//! Writes that are checked: each element once.

use cuda_std::prelude::*;

/// Writes each element of `x` to the positions in `first` and `second`, in outputs of their own.
#[kernel(threads = 64, requires(first.len() == x.len() && second.len() == x.len()))]
pub fn scattered(
    block: &mut Block,
    words: &Scatter<u32>,
    bytes: &Scatter<[u8; 3]>,
    x: &[u32],
    first: &[u32],
    second: &[u32],
) {
    let begin = block.index() * 100;
    let n = (x.len() as u32).saturating_sub(begin).min(100);
    block.for_each(n, |thread, i| {
        let x = x.at(begin + i);
        words.put(thread, first.at(begin + i), x);
        let [a, b, c, _] = x.to_le_bytes();
        bytes.put(thread, second.at(begin + i), [a, b, c]);
    });
}
