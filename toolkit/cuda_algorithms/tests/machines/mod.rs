//! The machines on which every algorithm gives the same results, and random inputs.

use cuda_host::{CudaExecutor, Device, Machine};
use cuda_std::prelude::CpuExecutor;

/// CPU cores in several orders, and a GPU if there is one. CUDA_REQUIRE_GPU=1 makes it a failure if there is none.
pub fn machines() -> Vec<Machine> {
    let mut machines = vec![Machine::cpu(), CpuExecutor::shuffled(1).into(), CpuExecutor::shuffled(2).into()];
    let why = match (cuda_algorithms::IMAGE, Device::count()) {
        (Ok(image), Ok(_)) => {
            machines.push(CudaExecutor::open(0, "algorithms", image).expect("a device that opens").into());
            return machines;
        }
        (Err(why), _) => why.to_owned(),
        (_, Err(error)) => error.to_string(),
    };
    assert!(std::env::var("CUDA_REQUIRE_GPU").as_deref() != Ok("1"), "CUDA_REQUIRE_GPU=1, but {why}");
    println!("skipped: no GPU for the algorithms ({why})");
    machines
}

/// Lengths around those of the parts of blocks.
#[allow(dead_code)]
pub const LENGTHS: [usize; 17] =
    [0, 1, 2, 31, 32, 33, 255, 511, 513, 2047, 2048, 2049, 4097, 8191, 8192, 8193, 3 * 8192 + 1];

/// Random numbers from a seed.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Splitmix64.
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    pub fn below(&mut self, n: u64) -> u64 {
        self.word() % n
    }

    /// A length up to `most`. Small ones are as likely as large ones.
    #[allow(dead_code)]
    pub fn length(&mut self, most: u64) -> usize {
        let bits = self.below(1 + u64::from(most.ilog2()));
        self.below((2 << bits).min(most + 1)) as usize
    }
}
