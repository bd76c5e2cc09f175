//! The algorithms on a GPU, timed by events. Each prints a line `program,algorithm,size,types,distribution,milliseconds`.
//! `baselines/cub.cu` prints the same lines for CUB.
//!
//! ```sh
//! cargo bench -p cuda_algorithms              # all
//! cargo bench -p cuda_algorithms -- sort,26   # lines that begin so, without the program; sizes are powers of two
//! ```

use cuda_algorithms::{
    IMAGE, KeysWith, PairSort, Reduce, ReduceByKey, Scan, Select, Sort, SortKey, SortValue, Sum, histogram,
};
use cuda_host::{Buffer, CudaError, CudaExecutor, Machine};
use std::error::Error;
use toolkit_tests::bench::{Watch, in_turn, median};

type Answer = Result<(), Box<dyn Error>>;

const REPETITIONS: u16 = 15;

/// Numbers made of 64 bits, in the order of the highest ones.
trait Made: SortKey + PartialOrd {
    fn made(bits: u64) -> Self;
}

macro_rules! made {
    ($($number:ty: $bits:literal,)*) => { $(
        impl Made for $number {
            fn made(bits: u64) -> Self {
                (bits >> (64 - $bits)) as $number
            }
        }
    )* };
}

made!(u8: 8, u16: 16, u32: 32, u64: 64,);

impl Made for f32 {
    fn made(bits: u64) -> f32 {
        (bits as i64 >> 40) as f32
    }
}

/// Values that count from 0.
trait Counted: SortValue {
    fn counted(i: u32) -> Self;
}

impl Counted for u32 {
    fn counted(i: u32) -> u32 {
        i
    }
}

impl Counted for u64 {
    fn counted(i: u32) -> u64 {
        i.into()
    }
}

impl Counted for [u64; 2] {
    fn counted(i: u32) -> [u64; 2] {
        [i.into(), 7]
    }
}

/// The distributions, by their names.
const DISTRIBUTIONS: [&str; 6] = ["uniform", "sorted", "reversed", "sorted runs", "few distinct", "one distinct"];

/// Splitmix64.
fn mixed(i: u64) -> u64 {
    let mut z = i.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

fn keys<K: Made>(distribution: &str, n: usize) -> Vec<K> {
    let step = u64::MAX / n as u64;
    let number = |i: u64| match distribution {
        "uniform" => mixed(i),
        "sorted" => i * step,
        "reversed" => (n as u64 - 1 - i) * step,
        // 64 neighbours of each number, whose lowest byte is any.
        "sorted runs" => (i / 64) << 32,
        "few distinct" => mixed(mixed(i) % 16),
        "one distinct" => mixed(0),
        other => panic!("no distribution {other}"),
    };
    (0..n as u64).map(|i| K::made(number(i))).collect()
}

struct Bench {
    machine: Machine,
    /// Lines whose beginnings are asked for.
    asked: Vec<String>,
}

impl Bench {
    /// Times what `run` queues, after `prepare`, and prints a line, if it is asked for.
    fn time(
        &self,
        line: &str,
        mut prepare: impl FnMut() -> Result<(), CudaError>,
        mut run: impl FnMut() -> Result<(), CudaError>,
    ) -> Answer {
        let gpu = self.machine.as_cuda().ok_or("a GPU")?;
        let watch = Watch::new(gpu.stream())?;
        let times = in_turn(1, REPETITIONS, |_, _| {
            prepare()?;
            watch.time(&mut run)
        });
        let milliseconds = median(&times.map_err(|error: CudaError| format!("{line}: {error}"))?[0]);
        println!("cuda_algorithms,{line},{milliseconds:.5}");
        Ok(())
    }

    fn is_asked(&self, line: &str) -> bool {
        self.asked.is_empty() || self.asked.iter().any(|asked| line.starts_with(asked))
    }

    fn sort<K: Made>(&self, types: &str, distribution: &str, exponent: u32) -> Answer {
        let line = format!("sort,{exponent},{types},{distribution}");
        if !self.is_asked(&line) {
            return Ok(());
        }
        let machine = &self.machine;
        let n = 1 << exponent;
        let original = machine.buffer(&keys::<K>(distribution, n))?;
        let mut sorted = machine.zeroed::<K>(n)?;
        let mut sort = Sort::new(machine, n)?;
        let view = &std::cell::RefCell::new(&mut sorted);
        let prepare = || view.borrow_mut().view_mut().copy_from(original.view());
        self.time(&line, prepare, || sort.run(view.borrow_mut().view_mut()))?;
        if !sorted.download()?.is_sorted() {
            return Err(format!("{line} is not sorted").into());
        }
        Ok(())
    }

    fn sort_by_key<K: Made, V: Counted>(&self, types: &str, distribution: &str, exponent: u32) -> Answer
    where
        K::Word: KeysWith<V::Word>,
    {
        let line = format!("sort by key,{exponent},{types},{distribution}");
        if !self.is_asked(&line) {
            return Ok(());
        }
        let machine = &self.machine;
        let n = 1 << exponent;
        let unsorted = keys::<K>(distribution, n);
        let original = machine.buffer(&unsorted)?;
        let counted: Vec<V> = (0..n as u32).map(V::counted).collect();
        let values = machine.buffer(&counted)?;
        let mut sorted: (Buffer<K>, Buffer<V>) = (machine.zeroed(n)?, machine.zeroed(n)?);
        let mut sort = PairSort::new(machine, n)?;
        let both = &std::cell::RefCell::new(&mut sorted);
        let prepare = || {
            let mut both = both.borrow_mut();
            both.0.view_mut().copy_from(original.view())?;
            both.1.view_mut().copy_from(values.view())
        };
        self.time(&line, prepare, || {
            let mut both = both.borrow_mut();
            let (keys, values) = &mut **both;
            sort.run(keys.view_mut(), values.view_mut())
        })?;
        let (keys, values) = (sorted.0.download()?, sorted.1.download()?);
        let indices: Vec<u32> =
            values.iter().map(|value| bytemuck::cast_slice(std::slice::from_ref(value))[0]).collect();
        let is_sorted = keys
            .windows(2)
            .zip(indices.windows(2))
            .all(|(keys, indices)| keys[0] < keys[1] || keys[0] == keys[1] && indices[0] < indices[1]);
        if !(is_sorted && keys.iter().zip(indices).all(|(key, index)| *key == unsorted[index as usize])) {
            return Err(format!("{line} is not sorted").into());
        }
        Ok(())
    }

    fn reduce(&self, exponent: u32) -> Answer {
        let line = format!("reduce,{exponent},u32,uniform");
        if !self.is_asked(&line) {
            return Ok(());
        }
        let (machine, n) = (&self.machine, 1 << exponent);
        let numbers = keys::<u32>("uniform", n);
        let x = machine.buffer(&numbers)?;
        let mut reduce = Reduce::new(machine, Sum, n)?;
        self.time(&line, || Ok(()), || reduce.run(x.view()).map(drop))?;
        let sum = numbers.iter().fold(0u32, |sum, number| sum.wrapping_add(*number));
        if reduce.run(x.view())?.download()? == [sum] { Ok(()) } else { Err(format!("{line} is wrong").into()) }
    }

    fn scan(&self, exponent: u32) -> Answer {
        let line = format!("scan,{exponent},u32,uniform");
        if !self.is_asked(&line) {
            return Ok(());
        }
        let (machine, n) = (&self.machine, 1 << exponent);
        let numbers = keys::<u32>("uniform", n);
        let (x, mut out) = (machine.buffer(&numbers)?, machine.zeroed(n)?);
        let mut scan = Scan::new(machine, Sum, n)?;
        self.time(&line, || Ok(()), || scan.run(x.view(), out.view_mut()))?;
        let sums = numbers.iter().scan(0u32, |sum, number| {
            *sum = sum.wrapping_add(*number);
            Some(*sum)
        });
        if sums.eq(out.download()?) { Ok(()) } else { Err(format!("{line} is wrong").into()) }
    }

    /// Selection of half of the elements.
    fn select(&self, exponent: u32) -> Answer {
        let line = format!("select,{exponent},u32,half");
        if !self.is_asked(&line) {
            return Ok(());
        }
        let (machine, n) = (&self.machine, 1 << exponent);
        let numbers = keys::<u32>("uniform", n);
        let flags: Vec<u8> = numbers.iter().map(|number| (number >> 7 & 1) as u8).collect();
        let (x, flags, mut out) = (machine.buffer(&numbers)?, machine.buffer(&flags)?, machine.zeroed(n)?);
        let mut select = Select::new(machine, n)?;
        self.time(&line, || Ok(()), || select.select(x.view(), flags.view(), out.view_mut()).map(drop))?;
        let count = select.select(x.view(), flags.view(), out.view_mut())?.get()?;
        let expected = numbers.into_iter().filter(|number| number >> 7 & 1 == 1);
        if expected.eq(out.download()?.into_iter().take(count)) {
            Ok(())
        } else {
            Err(format!("{line} is wrong").into())
        }
    }

    /// Runs of `length` equal keys on average.
    fn runs(&self, length: u64, exponent: u32) -> Answer {
        let (machine, n) = (&self.machine, 1usize << exponent);
        let distribution = format!("runs of {length}");
        let [unique, by_key] = ["unique,", "reduce by key,"].map(|name| format!("{name}{exponent},u32,{distribution}"));
        if !self.is_asked(&unique) && !self.is_asked(&by_key) {
            return Ok(());
        }
        let numbers = runs_of(length, n);
        let mut sums: Vec<(u32, u32)> = Vec::new();
        for number in &numbers {
            match sums.last_mut() {
                Some((last, sum)) if last == number => *sum = sum.wrapping_add(*number),
                _ => sums.push((*number, *number)),
            }
        }
        let (x, mut out, mut values) = (machine.buffer(&numbers)?, machine.zeroed(n)?, machine.zeroed(n)?);
        if self.is_asked(&unique) {
            let mut select = Select::new(machine, n)?;
            self.time(&unique, || Ok(()), || select.unique(x.view(), out.view_mut()).map(drop))?;
            let count = select.unique(x.view(), out.view_mut())?.get()?;
            if count != sums.len() || !sums.iter().map(|(key, _)| *key).eq(out.download()?.into_iter().take(count)) {
                return Err(format!("{unique} is wrong").into());
            }
        }
        if self.is_asked(&by_key) {
            let mut reduce = ReduceByKey::new(machine, Sum, n)?;
            let mut run = |out: &mut Buffer<u32>, values: &mut Buffer<u32>| {
                reduce.run((x.view(), x.view()), (out.view_mut(), values.view_mut()))?.get()
            };
            let count = run(&mut out, &mut values)?;
            let found = out.download()?.into_iter().zip(values.download()?).take(count);
            if count != sums.len() || !sums.into_iter().eq(found) {
                return Err(format!("{by_key} is wrong").into());
            }
            self.time(
                &by_key,
                || Ok(()),
                || reduce.run((x.view(), x.view()), (out.view_mut(), values.view_mut())).map(drop),
            )?;
        }
        Ok(())
    }

    fn histogram(&self, distribution: &str, exponent: u32) -> Answer {
        let line = format!("histogram,{exponent},u8,{distribution}");
        if !self.is_asked(&line) {
            return Ok(());
        }
        let machine = &self.machine;
        let numbers = keys::<u8>(distribution, 1 << exponent);
        let (x, mut counts) = (machine.buffer(&numbers)?, machine.zeroed(256)?);
        self.time(&line, || Ok(()), || histogram(machine, x.view(), counts.view_mut()))?;
        let mut expected = vec![0u32; 256];
        numbers.iter().for_each(|number| expected[usize::from(*number)] += 1);
        if counts.download()? == expected { Ok(()) } else { Err(format!("{line} is wrong").into()) }
    }
}

/// Numbers of which each follows from the one before or is another one, so that runs have a length on average.
fn runs_of(length: u64, n: usize) -> Vec<u32> {
    let mut run = 0;
    (0..n as u64)
        .map(|i| {
            run += u32::from(mixed(i).is_multiple_of(length));
            run
        })
        .collect()
}

fn main() -> Answer {
    if !toolkit_tests::device::is_there() {
        return Ok(());
    }
    let machine: Machine = CudaExecutor::open(0, "algorithms", IMAGE?)?.into();
    let asked = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let bench = Bench { machine, asked };
    for exponent in [10, 12, 14, 16, 20, 24, 26, 28] {
        bench.sort::<u32>("u32", "uniform", exponent)?;
        bench.sort_by_key::<u32, u32>("u32 u32", "uniform", exponent)?;
    }
    for exponent in [16, 20, 24, 26, 28] {
        bench.reduce(exponent)?;
        bench.scan(exponent)?;
        bench.select(exponent)?;
        for length in [1, 8, 1000] {
            bench.runs(length, exponent)?;
        }
        for distribution in ["uniform", "few distinct", "one distinct"] {
            bench.histogram(distribution, exponent)?;
        }
    }
    for distribution in &DISTRIBUTIONS[1..] {
        bench.sort::<u32>("u32", distribution, 26)?;
        bench.sort_by_key::<u32, u32>("u32 u32", distribution, 26)?;
    }
    bench.sort::<u8>("u8", "uniform", 26)?;
    bench.sort::<u16>("u16", "uniform", 26)?;
    bench.sort::<u64>("u64", "uniform", 26)?;
    bench.sort::<f32>("f32", "uniform", 26)?;
    bench.sort_by_key::<u8, u32>("u8 u32", "uniform", 26)?;
    bench.sort_by_key::<u16, u32>("u16 u32", "uniform", 26)?;
    bench.sort_by_key::<u64, u32>("u64 u32", "uniform", 26)?;
    bench.sort_by_key::<u32, u64>("u32 u64", "uniform", 26)?;
    bench.sort_by_key::<u64, u64>("u64 u64", "uniform", 26)?;
    bench.sort_by_key::<u32, [u64; 2]>("u32 [u64; 2]", "uniform", 26)?;
    bench.sort_by_key::<u64, [u64; 2]>("u64 [u64; 2]", "uniform", 26)
}
