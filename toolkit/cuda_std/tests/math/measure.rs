//! How far a result is from the exact one.

use cuda_std::math::NAN;
use std::sync::Mutex;
use std::thread;

/// The spacing of f32 at `x`.
pub fn ulp(x: f64) -> f64 {
    let exponent = (x.abs().to_bits() >> 52) as i32 - 1023;
    2f64.powi(exponent.clamp(-126, 127) - 23)
}

/// The error in ulp; infinite for a wrong sign or a NaN of other bits. An infinite result counts as 2^128.
pub fn error(found: f32, exact: f64) -> f64 {
    if exact.is_nan() {
        return if found.to_bits() == NAN.to_bits() { 0.0 } else { f64::INFINITY };
    }
    if found.is_nan() || found.is_sign_negative() != exact.is_sign_negative() {
        return f64::INFINITY;
    }
    let end = 2f64.powi(128);
    let (found, exact) = (f64::from(found).abs().min(end), exact.abs().min(end));
    (found - exact).abs() / ulp(exact)
}

/// Largest error in ulp over some arguments, and where it is.
#[derive(Clone, Copy, Debug, Default)]
#[allow(dead_code, reason = "shown")]
pub struct Worst<X> {
    pub ulps: f64,
    pub at: X,
}

impl<X: Copy> Worst<X> {
    pub fn see(&mut self, at: X, found: f32, exact: f64) {
        let ulps = error(found, exact);
        if ulps > self.ulps {
            *self = Self { ulps, at };
        }
    }
}

/// Every `stride`th float from `from` up to `to`, both positive.
pub fn floats(from: f32, to: f32, stride: usize) -> impl Iterator<Item = f32> {
    (from.to_bits()..=to.to_bits()).step_by(stride).map(f32::from_bits)
}

/// Whether to test all numbers.
pub fn wide() -> bool {
    std::env::var("CUDA_WIDE").as_deref() == Ok("1")
}

/// Bit patterns at equal distances, or all: every sign, exponent, and NaN. Cores share the work.
pub fn every<X: Copy + Default + Send>(see: impl Fn(&mut Worst<X>, u32) + Sync) -> Worst<X> {
    // A prime, so that low bits vary.
    let stride = if wide() { 1 } else { 4099 };
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let worst = Mutex::new(Worst::default());
    thread::scope(|scope| {
        for core in 0..cores {
            let (see, worst) = (&see, &worst);
            scope.spawn(move || {
                let mut own = Worst::default();
                for bits in (0..=u32::MAX).skip(core * stride).step_by(cores * stride) {
                    see(&mut own, bits);
                }
                let mut worst = worst.lock().unwrap();
                if own.ulps > worst.ulps {
                    *worst = own;
                }
            });
        }
    });
    worst.into_inner().unwrap()
}

/// Random numbers, the same in every run.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn bits(&mut self) -> u64 {
        // Xorshift; never 0.
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// From 0 to 1.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }
}
