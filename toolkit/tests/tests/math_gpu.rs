//! Every function of `cuda_std::math` on a GPU and on the CPU: the same bits, and for `approx` similar results.

use cuda_host::{CudaExecutor, DeviceBuffer, DeviceOffsets};
use cuda_layout::DeviceLayout;
use cuda_std::launch::{CpuExecutor, Offsets, Segments};
use test_kernels::{
    ANGLE_FUNCTIONS_F64, APPROX_FUNCTIONS, MATH_FUNCTIONS, MATH_FUNCTIONS_F64, SPECIAL_FUNCTIONS_F64, angle_table_f64,
    approx_table, math_table, math_table_f64, special_table_f64,
};
use toolkit_tests::device;
use toolkit_tests::dice::Dice;

/// Number of blocks.
const BLOCKS: u32 = 97;

fn gpu() -> Option<CudaExecutor> {
    device::executor("test kernels", test_kernels::IMAGE)
}

/// Number of operands: more with CUDA_WIDE=1.
fn count(few: usize, many: usize) -> usize {
    if std::env::var("CUDA_WIDE").as_deref() == Ok("1") { many } else { few }
}

/// Two lists of operands: all pairs of special values; then random bits, moderate sizes, and neighbouring values.
fn operands<T: Copy>(n: usize, special: &[T], mut random: impl FnMut(usize) -> (T, T)) -> (Vec<T>, Vec<T>) {
    let pairs = special.iter().flat_map(|x| special.iter().map(|y| (*x, *y)));
    pairs.chain((0..n).map(|i| random(i % 4))).unzip()
}

fn singles(n: usize) -> (Vec<f32>, Vec<f32>) {
    let tiny = f32::from_bits(1);
    let mut special = vec![f32::NAN, f32::from_bits(0x7f80_0001), f32::INFINITY, f32::MAX, f32::MIN_POSITIVE, tiny];
    special.extend([
        0.0,
        0.25,
        0.5,
        1.0f32.next_down(),
        1.0,
        1.5,
        2.0,
        2.5,
        3.0,
        7.0,
        88.8,
        104.0,
        65_536.0,
        8_388_607.5,
    ]);
    special.extend([16_777_215.0, 1e10, 16_367_173.0 * 2f32.powi(72), std::f32::consts::PI]);
    special.extend(special.clone().iter().map(|x| -x));
    let mut numbers = Dice::new(0x1234_5678_9abc_def1);
    operands(n, &special, |kind| {
        let bits = numbers.word();
        let (x, y) = (f32::from_bits(bits as u32), f32::from_bits((bits >> 32) as u32));
        match kind {
            0 => (x, y),
            1 => (numbers.between(-100.0, 100.0) as f32, numbers.between(-20.0, 20.0) as f32),
            2 => (numbers.between(-1.0, 1.0) as f32, numbers.between(-1.0, 1.0) as f32),
            _ => (x, f32::from_bits(x.to_bits() ^ (y.to_bits() >> 8))),
        }
    })
}

fn doubles(n: usize) -> (Vec<f64>, Vec<f64>) {
    let tiny = f64::from_bits(1);
    let mut special =
        vec![f64::NAN, f64::INFINITY, f64::MAX, f64::MIN_POSITIVE, tiny, 0.0, 0.5, 1.0, 2.5, 3.0, 710.0, 1e22];
    special.extend(special.clone().iter().map(|x| -x));
    let mut numbers = Dice::new(0xfedc_ba98_7654_3211);
    operands(n, &special, |kind| {
        let (x, y) = (numbers.word(), numbers.word());
        match kind {
            0 => (f64::from_bits(x), f64::from_bits(y)),
            1 => (numbers.between(-700.0, 700.0), numbers.between(-20.0, 20.0)),
            2 => (numbers.between(-1.0, 1.0), numbers.between(-1.0, 1.0)),
            _ => (f64::from_bits(x), f64::from_bits(x ^ (y >> 12))),
        }
    })
}

fn cut(n: usize) -> Offsets {
    let n = u32::try_from(n).expect("not too many");
    Offsets::new((0..=BLOCKS).map(|block| (u64::from(n) * u64::from(block) / u64::from(BLOCKS)) as u32).collect())
        .expect("offsets that never fall")
}

/// A kernel's results for one function on both sides; `launch` launches it.
macro_rules! both {
    ($gpu:expr, $kernel:ident, $x:expr, $y:expr, $function:expr) => {{
        let (gpu, x, y, function) = ($gpu, $x, $y, $function);
        let offsets = cut(x.host.len());
        let mut cpu = x.host.to_vec();
        let out = Segments { data: &mut cpu[..], offsets: &offsets };
        let args = $kernel::Args { out, x: x.host, y: y.host, function };
        $kernel::launch(&CpuExecutor::new(), BLOCKS, args).unwrap();

        let mut out = DeviceBuffer::zeroed(gpu.stream(), x.host.len()).unwrap();
        let offsets = DeviceOffsets::new(gpu.stream(), &offsets).unwrap();
        let segments = Segments { data: out.view_mut(), offsets: &offsets };
        let args = $kernel::Args { out: segments, x: x.device.view(), y: y.device.view(), function };
        $kernel::launch(gpu, BLOCKS, args).unwrap();
        (out.download(gpu.stream()).unwrap(), cpu)
    }};
}

/// Operands on both sides.
struct Operands<'a, T: DeviceLayout> {
    host: &'a [T],
    device: DeviceBuffer<T>,
}

impl<'a, T: DeviceLayout> Operands<'a, T> {
    fn new(gpu: &CudaExecutor, host: &'a [T]) -> Self {
        Self { host, device: DeviceBuffer::from_slice(gpu.stream(), host).unwrap() }
    }
}

/// A description of the differences, with a few examples.
fn differences<T: Copy + std::fmt::LowerExp>(
    name: &str,
    same: impl Fn(T, T) -> bool,
    (gpu, cpu): (&[T], &[T]),
    (x, y): (&[T], &[T]),
) -> Option<String> {
    let different: Vec<usize> = (0..cpu.len()).filter(|i| !same(gpu[*i], cpu[*i])).collect();
    let example =
        |i: &usize| format!("\n  ({:e}, {:e}): {:e} on the GPU, {:e} on the CPU", x[*i], y[*i], gpu[*i], cpu[*i]);
    let examples: String = different.iter().take(5).map(example).collect();
    (!different.is_empty()).then(|| format!("{name}: {} of {} differ{examples}", different.len(), cpu.len()))
}

#[test]
fn functions_of_f32_have_the_same_bits() {
    let Some(gpu) = gpu() else { return };
    let (x, y) = singles(count(100_000, 20_000_000));
    let (first, second) = (Operands::new(&gpu, &x), Operands::new(&gpu, &y));
    let mut found = Vec::new();
    for (function, name) in (0..).zip(MATH_FUNCTIONS) {
        let (on_gpu, on_cpu) = both!(&gpu, math_table, &first, &second, function);
        let same = |a: f32, b: f32| a.to_bits() == b.to_bits();
        found.extend(differences(name, same, (&on_gpu, &on_cpu), (&x, &y)));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn functions_of_f64_have_the_same_bits() {
    let Some(gpu) = gpu() else { return };
    let (x, y) = doubles(count(30_000, 3_000_000));
    let (first, second) = (Operands::new(&gpu, &x), Operands::new(&gpu, &y));
    let mut found = Vec::new();
    let same = |a: f64, b: f64| a.to_bits() == b.to_bits();
    for (function, name) in (0..).zip(MATH_FUNCTIONS_F64) {
        let (on_gpu, on_cpu) = both!(&gpu, math_table_f64, &first, &second, function);
        found.extend(differences(name, same, (&on_gpu, &on_cpu), (&x, &y)));
    }
    for (function, name) in (0..).zip(ANGLE_FUNCTIONS_F64) {
        let (on_gpu, on_cpu) = both!(&gpu, angle_table_f64, &first, &second, function);
        found.extend(differences(name, same, (&on_gpu, &on_cpu), (&x, &y)));
    }
    for (function, name) in (0..).zip(SPECIAL_FUNCTIONS_F64) {
        let (on_gpu, on_cpu) = both!(&gpu, special_table_f64, &first, &second, function);
        found.extend(differences(name, same, (&on_gpu, &on_cpu), (&x, &y)));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn approximate_functions_are_near() {
    let Some(gpu) = gpu() else { return };
    let mut numbers = Dice::new(0x1357_9bdf_0246_8ac1);
    let pairs = (0..100_000).map(|_| (numbers.between(-6.0, 6.0) as f32, numbers.between(0.01, 100.0) as f32));
    let (x, y): (Vec<_>, Vec<_>) = pairs.unzip();
    let positive: Vec<f32> = x.iter().map(|x| x.abs()).collect();
    let mut found = Vec::new();
    for (function, name) in (0..).zip(APPROX_FUNCTIONS) {
        let x = if ["log2", "rsqrt"].contains(name) { &positive } else { &x };
        let (first, second) = (Operands::new(&gpu, x), Operands::new(&gpu, &y));
        let (on_gpu, on_cpu) = both!(&gpu, approx_table, &first, &second, function);
        // The documented bounds, with a margin for the CPU's own rounding.
        let (relative, absolute) = match *name {
            "exp2" | "div" => (3.0 * 2f32.powi(-23), 0.0),
            "log2" => (2f32.powi(-21), 2f32.powi(-21)),
            "sin" | "cos" => (0.0, 2f32.powi(-20)),
            "rsqrt" | "recip" => (2f32.powi(-22), 0.0),
            "tanh" => (0.0, 2f32.powi(-19)),
            other => panic!("no bound for {other}"),
        };
        let near = |a: f32, b: f32| (a - b).abs() <= absolute.max(relative * b.abs());
        found.extend(differences(name, near, (&on_gpu, &on_cpu), (x, &y)));
        let same = on_gpu.iter().zip(&on_cpu).filter(|(a, b)| a.to_bits() == b.to_bits()).count();
        eprintln!("{name}: {same} of {} have the same bits", on_cpu.len());
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Also without a GPU: the compared table is that of `cuda_std::math`.
#[test]
fn the_table_holds_the_functions() {
    let x = [0.3f32, -2.5, 7.0];
    let y = [1.25f32, 3.0, 2.0];
    let offsets = Offsets::new(vec![0, 3]).unwrap();
    let table = |name: &str| {
        let function = MATH_FUNCTIONS.iter().position(|known| *known == name).unwrap() as u32;
        let mut out = [0.0; 3];
        let segments = Segments { data: &mut out[..], offsets: &offsets };
        math_table::launch(&CpuExecutor::new(), 1, math_table::Args { out: segments, x: &x, y: &y, function }).unwrap();
        out.map(f32::to_bits)
    };
    let exact = |f: fn(f32, f32) -> f32| [0, 1, 2].map(|i: usize| f(x[i], y[i]).to_bits());
    assert_eq!(table("exp"), exact(|x, _| cuda_std::math::exp(x)));
    assert_eq!(table("rsqrt"), exact(|x, _| cuda_std::math::rsqrt(x)));
    assert_eq!(table("atan2"), exact(cuda_std::math::atan2));
    assert_eq!(table("pow"), exact(cuda_std::math::pow));
    assert_eq!(table("tgamma"), exact(|x, _| cuda_std::math::tgamma(x)));
    assert_eq!(table("ldexp"), exact(|x, y| cuda_std::math::ldexp(x, y as i32)));
}
