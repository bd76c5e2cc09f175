//! Random programs of phases: a kernel in safe code has the same result in any order of its threads.

use cuda_std::launch::LaunchError;
use cuda_std::prelude::*;
use tensor_kernels::{WORDS, program};

/// Elements per block.
const ELEMENTS: u32 = 96;
/// The most phases of a program.
const PHASES: usize = 24;
/// The output of a launch, or the fact that it panics.
fn run(
    executor: &CpuExecutor,
    blocks: u32,
    words: &[[u32; WORDS]],
    elements: &[[f32; 4]],
) -> Option<(Vec<u32>, [u32; 5])> {
    let mut memory = vec![0x5eed; (blocks * ELEMENTS) as usize];
    let mut counts = [0; 5];
    let offsets = Offsets::new((0..=blocks).map(|block| block * ELEMENTS).collect()).expect("offsets that rise");
    let args = program::Args {
        memory: Segments { data: &mut memory[..], offsets: &offsets },
        counts: &mut counts[..],
        program: words,
        elements,
    };
    match program::launch(executor, blocks, args) {
        Ok(()) => Some((memory, counts)),
        Err(LaunchError::Panic(_)) => None,
        Err(other) => panic!("{other}"),
    }
}

/// Runs a program in the usual order of its threads and in three others.
pub fn kernels(data: &[u8]) {
    let (words, _) = data.as_chunks::<{ WORDS * 2 }>();
    let word = |chunk: &[u8; WORDS * 2]| {
        let of = |k: usize| u32::from(u16::from_le_bytes([chunk[2 * k], chunk[2 * k + 1]]));
        // Sixteen bits, shifted according to their upper bits, so that large numbers are rare.
        [0, 1, 2, 3].map(|k| if of(k) > 0xf000 { of(k) << 16 | of(k) } else { of(k) })
    };
    let program: Vec<_> = words.iter().take(PHASES).map(word).collect();
    let blocks = 1 + u32::from(data.first().copied().unwrap_or(0) % 3);
    let elements: Vec<[f32; 4]> =
        (0..57).map(|i| [(i % 5) as f32 * 0.2, (i % 7) as f32 * 0.1, i as f32, 1.0]).collect();
    let in_order = run(&CpuExecutor::new(), blocks, &program, &elements);
    for seed in 0..3 {
        let shuffled = run(&CpuExecutor::shuffled(seed), blocks, &program, &elements);
        assert!(in_order == shuffled, "in order {in_order:?}, shuffled by {seed} {shuffled:?}: {program:?}");
    }
}
