//! Random programs of phases have the same result on a GPU and on CPU cores with any order of threads. (The fuzz targets
//! add programs found by coverage.)

use cuda_host::{CudaExecutor, DeviceBuffer, DeviceOffsets};
use cuda_std::launch::LaunchError;
use cuda_std::prelude::*;
use tensor_kernels as k;
use toolkit_tests::dice::Dice;

/// Elements per block.
const ELEMENTS: u32 = 96;

/// The result of a program; `None` if it panicked.
type Left = Option<(Vec<u32>, Vec<u32>)>;

struct Program {
    blocks: u32,
    words: Vec<[u32; k::WORDS]>,
    elements: Vec<[f32; 4]>,
}

impl Program {
    fn random(dice: &mut Dice) -> Self {
        let phases = 1 + dice.below(12);
        // Mostly small numbers, so that the program stays within its memory; sometimes any number.
        let number = |dice: &mut Dice| match dice.below(64) {
            0 => (dice.below(1 << 16) << 16 | dice.below(1 << 16)) as u32,
            _ => dice.below(97) as u32,
        };
        let words = (0..phases).map(|_| {
            let what = dice.below(24) as u32;
            [what, number(dice), number(dice), number(dice)]
        });
        let (words, blocks) = (words.collect(), 1 + dice.below(3) as u32);
        let element = |i: u32| [(i % 5) as f32 * 0.2, (i % 7) as f32 * 0.1, i as f32, 1.0];
        Self { blocks, words, elements: (0..57).map(element).collect() }
    }

    fn offsets(&self) -> Offsets {
        Offsets::new((0..=self.blocks).map(|block| block * ELEMENTS).collect()).unwrap()
    }

    fn on_cpu(&self, cpu: &CpuExecutor) -> Left {
        let (mut memory, mut counts) = (vec![0x5eed; (self.blocks * ELEMENTS) as usize], vec![0; 5]);
        let offsets = self.offsets();
        let args = k::program::Args {
            memory: Segments { data: &mut memory[..], offsets: &offsets },
            counts: &mut counts[..],
            program: &self.words[..],
            elements: &self.elements[..],
        };
        match k::program::launch(cpu, self.blocks, args) {
            Ok(()) => Some((memory, counts)),
            Err(LaunchError::Panic(_)) => None,
            Err(other) => panic!("{other}"),
        }
    }

    fn on_gpu(&self, gpu: &CudaExecutor) -> Left {
        let stream = gpu.stream();
        let offsets = DeviceOffsets::new(stream, &self.offsets()).unwrap();
        let mut memory =
            DeviceBuffer::from_slice(stream, &vec![0x5eed_u32; (self.blocks * ELEMENTS) as usize]).unwrap();
        let mut counts = DeviceBuffer::from_slice(stream, &[0u32; 5]).unwrap();
        let words = DeviceBuffer::from_slice(stream, &self.words).unwrap();
        let elements = DeviceBuffer::from_slice(stream, &self.elements).unwrap();
        let args = k::program::Args {
            memory: Segments { data: memory.view_mut(), offsets: &offsets },
            counts: counts.view_mut(),
            program: words.view(),
            elements: elements.view(),
        };
        k::program::launch(gpu, self.blocks, args).unwrap();
        match (memory.download(stream), counts.download(stream)) {
            (Ok(memory), Ok(counts)) => Some((memory, counts)),
            (Err(error), _) | (_, Err(error)) => {
                assert!(error.kernel_panic().is_some(), "{error}: {:?}", self.words);
                None
            }
        }
    }
}

#[test]
fn random_programs_leave_the_same_everywhere() {
    let is_wide = std::env::var_os("CUDA_WIDE").is_some_and(|value| value == "1");
    let gpus = tensor_tests::gpus("sm_75");
    let dice = &mut Dice::new(14);
    let (mut ended, mut panicked) = (0, 0);
    for seed in 0..if is_wide { 20_000 } else { 1_000 } {
        let program = Program::random(dice);
        let expected = program.on_cpu(&CpuExecutor::new());
        assert!(program.on_cpu(&CpuExecutor::shuffled(seed)) == expected, "in another order: {:?}", program.words);
        for (name, gpu) in &gpus {
            assert!(program.on_gpu(gpu) == expected, "{name}: {:?}", program.words);
        }
        *(if expected.is_some() { &mut ended } else { &mut panicked }) += 1;
    }
    assert!(ended > 100 && panicked > 20, "{ended} have ended, {panicked} have panicked");
}
