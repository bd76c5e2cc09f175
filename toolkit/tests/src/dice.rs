//! Random numbers for tests.

use std::f64::consts::TAU;

/// Words that are the same in every run, in less time than [`Dice`] takes.
pub fn words(n: usize, seed: u32) -> Vec<u32> {
    let mut state = seed;
    let step = |_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        // The low bits of such a generator have short periods.
        state ^ state >> 15
    };
    (0..n).map(step).collect()
}

/// Different numbers between -1 and 1.
pub fn numbers(n: usize, seed: u32) -> Vec<f32> {
    words(n, seed).into_iter().map(|word| (word >> 8) as f32 / (1 << 23) as f32 - 1.0).collect()
}

/// The bits of numbers, for comparisons.
pub fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|x| x.to_bits()).collect()
}

/// Random numbers that are the same in every run (splitmix64, Steele et al. 2014).
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// A different sequence for each seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Uniform over all words.
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in `0..1`.
    pub fn unit(&mut self) -> f64 {
        (self.word() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Uniform in `from..to`.
    pub fn between(&mut self, from: f64, to: f64) -> f64 {
        from + self.unit() * (to - from)
    }

    /// Uniform in `0..1`, on the 2^24 multiples of 2^-24.
    pub fn roll(&mut self) -> f32 {
        (self.word() >> 40) as f32 / (1u64 << 24) as f32
    }

    /// Uniform in `0..n`; 0 if `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        (self.unit() * n as f64) as usize
    }

    /// Normal, with mean 0 and variance 1 (Box and Muller 1958).
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        radius * (TAU * self.unit()).cos()
    }

    /// Shuffles a list (Fisher and Yates).
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for i in (1..list.len()).rev() {
            list.swap(i, self.below(i + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sequence of the authors' C program for the seed 1234567.
    #[test]
    fn numbers_are_those_of_splitmix64() {
        let mut dice = Dice::new(1_234_567);
        let expected = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        assert_eq!(expected.map(|_| dice.word()), expected);
    }

    #[test]
    fn a_shuffled_list_has_the_same_items() {
        let mut list: Vec<u32> = (0..100).collect();
        Dice::new(1).shuffle(&mut list);
        assert!(!list.is_sorted());
        list.sort_unstable();
        assert!(list.iter().copied().eq(0..100));
    }

    #[test]
    fn rolls_are_even() {
        let mut dice = Dice::new(2);
        let mut counts = [0; 8];
        for _ in 0..8000 {
            counts[(8.0 * dice.roll()) as usize] += 1;
        }
        assert!(counts.iter().all(|count| (850..1150).contains(count)), "{counts:?}");
    }
}
