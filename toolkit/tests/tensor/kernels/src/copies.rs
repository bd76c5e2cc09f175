//! Asynchronous copies.

use cuda_std::prelude::*;

/// Two tiles for each size of elements.
#[derive(Arguments)]
pub struct CopiedTiles<'a> {
    wide_tiles: &'a mut Shared<f16x8, 192>,
    word_tiles: &'a mut Shared<f32, 192>,
    half_tiles: &'a mut Shared<bf16, 192>,
}

/// Sums of columns of elements of 16, 4 and 2 bytes, 96 of them per iteration; every third of the first comes from the
/// kernel's own memory.
#[kernel(threads = 96, requires(wide.len() == words.len() && words.len() == halves.len() && words.len().is_multiple_of(96)))]
pub fn copied(
    block: &mut Block,
    out: &mut Chunk<[f32; 4], 96>,
    wide: &[f16x8],
    words: &[f32],
    halves: &[bf16],
    own: f16x8,
    tiles: CopiedTiles<'_>,
) {
    let CopiedTiles { wide_tiles, word_tiles, half_tiles } = tiles;
    let turns = words.len() as u32 / 96;
    let table = [own, own + own];
    let mut sums = block.per_thread(|_| [0.0; 4]);
    // An element that another thread copied.
    let other = |thread: Thread, turn: u32| (95 - thread.index() + turn) % 96;
    let from = |turn: u32, i: u32| 96 * turn + i;
    wide_tiles.halves(block).copy_ahead(
        block,
        turns,
        96,
        |turn, i| if i.is_multiple_of(3) { table.at_ref(turn % 2) } else { wide.at_ref(from(turn, i)) },
        |block, turn, tile| {
            block.each(&mut sums, |thread, sums| {
                let eight = tile.get(other(thread, turn)).to_f32();
                (sums[0], sums[1]) = (sums[0] + eight[0], sums[1] * 0.5 + eight[7]);
            });
        },
    );
    let (mut words_in_turns, mut halves_in_turns) = (word_tiles.halves(block), half_tiles.halves(block));
    words_in_turns.copy_ahead(
        block,
        turns,
        96,
        |turn, i| words.at_ref(from(turn, i)),
        |block, turn, tile| {
            block.each(&mut sums, |thread, sums| sums[2] = sums[2] * 0.5 + tile.get(other(thread, turn)));
        },
    );
    halves_in_turns.copy_ahead(
        block,
        turns,
        96,
        |turn, i| halves.at_ref(from(turn, i)),
        |block, turn, tile| {
            block.each(&mut sums, |thread, sums| sums[3] = sums[3] * 0.5 + tile.get(other(thread, turn)).to_f32());
        },
    );
    out.write(block, 0, &sums, |_, sums| *sums);
}
