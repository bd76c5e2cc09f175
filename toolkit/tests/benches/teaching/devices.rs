//! Several GPUs: one kernel on parts of its input.

use crate::{About, Clock, Lesson};
use anyhow::{Result, ensure};
use cuda_host::{CudaExecutor, Machine, Split};
use test_kernels::nibble_counts;

/// The elements of a block.
const PER_BLOCK: usize = 512;

/// A kernel that is launched ten times, on one GPU and on more.
pub struct Gpus {
    /// For each number of GPUs the machines, the input, and the output of the last launches.
    forms: Vec<(Vec<Machine>, Split<u32>, Split<u32>)>,
    /// The form that ran last.
    last: usize,
}

impl Gpus {
    const LAUNCHES: usize = 10;

    pub fn new(n: u32) -> Result<Self> {
        let all = Machine::all("test kernels", Ok(test_kernels::IMAGE))?;
        let words: Vec<u32> = (0..n).map(word).collect();
        let form = |machines: &[Machine]| -> Result<_> {
            let x = Split::from_slice(machines, &words, PER_BLOCK)?;
            let out = Split::zeroed(machines, words.len(), PER_BLOCK)?;
            Ok((machines.to_vec(), x, out))
        };
        let forms = (1..=all.len()).map(|count| form(&all[..count])).collect::<Result<_>>()?;
        Ok(Self { forms, last: 0 })
    }
}

impl Lesson for Gpus {
    fn about(&self) -> About {
        let name = |count: usize| if count == 1 { "on one GPU".to_owned() } else { format!("on {count} GPUs") };
        let forms = (1..=self.forms.len()).map(name).collect();
        let bytes = (Self::LAUNCHES * 2 * 4 * self.forms[0].1.len()) as f64;
        About { name: "10 launches on several GPUs", clock: Clock::Host, forms, bytes }
    }

    fn run(&mut self, _: &CudaExecutor, form: usize) -> Result<()> {
        self.last = form;
        let (machines, x, out) = &mut self.forms[form];
        for _ in 0..Self::LAUNCHES {
            for (part, machine) in machines.iter().enumerate() {
                let args = nibble_counts::Args { out: out.part_mut(part).view_mut(), words: x.part(part).view() };
                nibble_counts::launch(machine, x.blocks(part), args)?;
            }
        }
        machines.iter().try_for_each(Machine::synchronize)?;
        Ok(())
    }

    fn is_right(&self, _: &CudaExecutor) -> Result<bool> {
        let (machines, _, out) = &self.forms[self.last];
        for part in 0..machines.len() {
            let range = out.range(part);
            ensure!(!range.is_empty(), "each GPU has a part");
            if out.part(part).slice(range.len() - 1..)?.download()? != [most_frequent(word(range.end as u32 - 1))] {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// The elements of the input.
fn word(i: u32) -> u32 {
    i.wrapping_mul(0x9e37_79b9)
}

/// The number of occurrences of a word's most frequent nibble.
fn most_frequent(word: u32) -> u32 {
    let count = |nibble| (0..8).filter(|at| word >> (4 * at) & 15 == nibble).count() as u32;
    (0..16).map(count).max().unwrap_or_default()
}
