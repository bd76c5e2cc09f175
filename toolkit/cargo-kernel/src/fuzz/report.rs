//! The launches of all processes, by kernel.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use anyhow::{Context as _, Result};

/// The schedules of each kernel.
#[derive(Default)]
pub(super) struct Schedules(BTreeMap<String, Kernel>);

#[derive(Default)]
struct Kernel {
    launches: u64,
    seeds: BTreeSet<u32>,
}

impl Schedules {
    /// Adds the launches of a process, with a line `KERNEL SEED` for each.
    pub fn add(&mut self, report: &str) -> Result<()> {
        for line in report.lines() {
            let (kernel, seed) = line.rsplit_once(' ').with_context(|| format!("`{line}` is not a launch"))?;
            let seed = u32::from_str_radix(seed, 16).with_context(|| format!("`{line}` is not a launch"))?;
            if !self.0.contains_key(kernel) {
                self.0.insert(kernel.to_owned(), Kernel::default());
            }
            let Some(kernel) = self.0.get_mut(kernel) else { continue };
            kernel.launches += 1;
            kernel.seeds.insert(seed);
        }
        Ok(())
    }
}

impl fmt::Display for Schedules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return writeln!(f, "no kernel was launched on a GPU: only the order on CPU cores was another one");
        }
        let width = self.0.keys().map(String::len).max().unwrap_or(0).max("kernel".len());
        writeln!(f, "{:width$}  {:>10} {:>10}", "kernel", "launches", "schedules")?;
        for (name, kernel) in &self.0 {
            writeln!(f, "{name:width$}  {:>10} {:>10}", kernel.launches, kernel.seeds.len())?;
        }
        let fewest = self.0.iter().min_by_key(|(_, kernel)| kernel.seeds.len());
        if let Some((name, kernel)) = fewest {
            writeln!(f, "{} kernels; the fewest schedules has `{name}`: {}", self.0.len(), kernel.seeds.len())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launches_with_one_seed_are_one_schedule() {
        let mut schedules = Schedules::default();
        assert!(schedules.to_string().contains("no kernel was launched"));
        schedules.add("a 00000001\nb 00000001\na 00000002\n").unwrap();
        schedules.add("a 00000002\n").unwrap();
        let table: Vec<String> = schedules.to_string().lines().map(str::to_owned).collect();
        let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(words(&table[1]), ["a", "3", "2"]);
        assert_eq!(words(&table[2]), ["b", "1", "1"]);
        assert_eq!(table[3], "2 kernels; the fewest schedules has `b`: 1");
        assert!(schedules.add("a").is_err() && schedules.add("a one").is_err());
    }
}
