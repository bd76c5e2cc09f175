//! A kernel crate's budget: the resources that each kernel may use on each chip, stored beside the kernels and enforced.
//!
//! ```toml
//! ptxas = "13.5.37"
//!
//! [my_kernel]
//! barriers = 3
//! checks = 5
//! sm_75 = { registers = 40, stack = 0, spills = 0, shared = 4096 }
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use toml::{Table, Value};

use crate::arch::NvvmArch;
use crate::ptxas::KernelResources;

const HEADING: &str = "\
# What each kernel may take: barrier sites in the PTX (exactly), checks there that may panic, registers of a thread, bytes of
# stack and spills of a thread, bytes of static shared memory of a block. Measured, written and enforced by a tool.
";

/// A kernel's limits on one chip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Registers per thread.
    pub registers: u32,
    /// Stack per thread in bytes.
    pub stack: u32,
    /// Bytes spilled, stores and loads together.
    pub spills: u32,
    /// Static shared memory per block in bytes.
    pub shared: u32,
}

impl From<&KernelResources> for Limits {
    fn from(used: &KernelResources) -> Self {
        Limits {
            registers: used.registers,
            stack: used.stack,
            spills: used.spill_stores + used.spill_loads,
            shared: used.shared,
        }
    }
}

/// One kernel's budget.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelBudget {
    /// Barrier sites in the PTX. A larger number may mean a duplicated barrier, a smaller one a lost barrier.
    pub barriers: usize,
    /// Checks in the PTX: branches to code that panics. A larger number means a check that the compiler no longer proves.
    pub checks: usize,
    /// The limits on each chip.
    pub limits: BTreeMap<NvvmArch, Limits>,
}

/// A kernel crate's budget file.
///
/// ```
/// use cuda_builder::budget::{Budget, Measured, Violation};
/// use cuda_builder::{NvvmArch, ptxas::KernelResources};
///
/// let budget = Budget::parse(
///     r#"
///     ptxas = "13.5.37"
///     [scale]
///     barriers = 2
///     checks = 4
///     sm_90 = { registers = 32, stack = 0, spills = 0, shared = 1024 }
///     "#,
/// )?;
/// assert_eq!(budget.kernels["scale"].limits[&NvvmArch::Compute90].registers, 32);
///
/// let used = KernelResources { kernel: "scale".to_owned(), registers: 40, shared: 1024, ..Default::default() };
/// let measured = Measured {
///     barriers: [("scale".to_owned(), 2)].into(),
///     checks: [("scale".to_owned(), 4)].into(),
///     resources: [(NvvmArch::Compute90, vec![used])].into(),
/// };
/// let violations = budget.violations(&measured);
/// assert!(matches!(violations[..], [Violation::Over { used: 40, limit: 32, .. }]));
/// assert_eq!(violations[0].to_string(), "scale on sm_90: 40 registers, the budget is 32");
///
/// // A new budget for this chip, which keeps the old one's limits for other chips; its text can be read back.
/// let new = Budget::of(&measured, "13.5.37").with_other_chips_of(&budget);
/// assert_eq!(Budget::parse(&new.to_string())?, new);
/// assert_eq!(new.violations(&measured), []);
/// # Ok::<(), cuda_builder::budget::BudgetError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    /// The version of the assembler that measured the limits; others may allocate registers differently.
    pub ptxas: String,
    /// By kernel.
    pub kernels: BTreeMap<String, KernelBudget>,
}

/// A budget file that cannot be read.
///
/// ```
/// use cuda_builder::budget::{Budget, BudgetError};
///
/// let wrong = Budget::parse("[scale]\nbarriers = -1");
/// assert_eq!(wrong, Err(BudgetError::Entry("scale.barriers".to_owned())));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BudgetError {
    /// It is not TOML.
    #[error("the budget is not valid TOML: {0}")]
    Toml(String),
    /// An entry is invalid.
    #[error("the budget's `{0}` is missing or invalid; correct it, or measure again")]
    Entry(String),
}

/// A disagreement between kernels and budget.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Violation {
    /// A kernel exceeds the budget.
    #[error("{kernel} on {arch}: {used} {what}, the budget is {limit}")]
    Over {
        /// The kernel.
        kernel: String,
        /// The chip.
        arch: NvvmArch,
        /// Registers, bytes of stack and so on.
        what: &'static str,
        /// The amount it uses.
        used: u32,
        /// The limit.
        limit: u32,
    },
    /// The number of barrier sites differs.
    #[error("{kernel}: {used} barrier sites, the budget says {limit}; a barrier was copied, lost, or moved on purpose")]
    Barriers {
        /// The kernel.
        kernel: String,
        /// The number in the PTX.
        used: usize,
        /// The number in the budget.
        limit: usize,
    },
    /// There are more checks.
    #[error(
        "{kernel}: {used} checks that may panic, the budget is {limit}; an index is no longer proved, or is used without need"
    )]
    Checks {
        /// The kernel.
        kernel: String,
        /// The number in the PTX.
        used: usize,
        /// The number in the budget.
        limit: usize,
    },
    /// A kernel without a budget on a chip.
    #[error("{kernel} has no budget for {arch}")]
    Unknown {
        /// The kernel.
        kernel: String,
        /// The chip.
        arch: NvvmArch,
    },
    /// A budget for a kernel that no longer exists.
    #[error("{kernel} has a budget but is not in the PTX")]
    Gone {
        /// The kernel.
        kernel: String,
    },
}

/// The measured resources: barrier sites and checks by kernel, and other resources by chip.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    /// Barrier sites of each kernel.
    pub barriers: BTreeMap<String, usize>,
    /// Checks of each kernel.
    pub checks: BTreeMap<String, usize>,
    /// The resources of each kernel on each chip.
    pub resources: BTreeMap<NvvmArch, Vec<KernelResources>>,
}

impl Budget {
    /// A budget equal to the measured values.
    pub fn of(measured: &Measured, ptxas: &str) -> Self {
        let mut budget = Budget { ptxas: ptxas.to_owned(), kernels: BTreeMap::new() };
        for (kernel, &barriers) in &measured.barriers {
            let checks = measured.checks.get(kernel).copied().unwrap_or_default();
            budget.kernels.insert(kernel.clone(), KernelBudget { barriers, checks, limits: BTreeMap::new() });
        }
        for (&arch, kernels) in &measured.resources {
            for used in kernels {
                budget.kernels.entry(used.kernel.clone()).or_default().limits.insert(arch, Limits::from(used));
            }
        }
        budget
    }

    /// Adds an older budget's limits for chips that this one does not have.
    #[must_use]
    pub fn with_other_chips_of(mut self, older: &Budget) -> Self {
        let measured: BTreeSet<NvvmArch> = self.kernels.values().flat_map(|k| k.limits.keys().copied()).collect();
        for (kernel, budget) in &mut self.kernels {
            let older = older.kernels.get(kernel).into_iter().flat_map(|older| &older.limits);
            budget.limits.extend(older.filter(|(arch, _)| !measured.contains(arch)));
        }
        self
    }

    /// All disagreements between kernels and budget. Chips that were not measured are ignored.
    pub fn violations(&self, measured: &Measured) -> Vec<Violation> {
        let mut found = Vec::new();
        for (kernel, &used) in &measured.barriers {
            match self.kernels.get(kernel) {
                Some(budget) if budget.barriers != used => {
                    found.push(Violation::Barriers { kernel: kernel.clone(), used, limit: budget.barriers });
                }
                _ => {}
            }
        }
        for (kernel, &used) in &measured.checks {
            match self.kernels.get(kernel) {
                Some(budget) if used > budget.checks => {
                    found.push(Violation::Checks { kernel: kernel.clone(), used, limit: budget.checks });
                }
                _ => {}
            }
        }
        for (&arch, kernels) in &measured.resources {
            for resources in kernels {
                let kernel = resources.kernel.clone();
                match self.kernels.get(&kernel).and_then(|budget| budget.limits.get(&arch)) {
                    Some(limits) => found.extend(over(&kernel, arch, limits, &Limits::from(resources))),
                    None => found.push(Violation::Unknown { kernel, arch }),
                }
            }
        }
        let gone = self.kernels.keys().filter(|kernel| !measured.barriers.contains_key(*kernel));
        found.extend(gone.map(|kernel| Violation::Gone { kernel: kernel.clone() }));
        found
    }

    /// Reads a budget file.
    ///
    /// # Errors
    /// If it is not TOML, or an entry is invalid.
    pub fn parse(text: &str) -> Result<Self, BudgetError> {
        let table: Table = text.parse().map_err(|error: toml::de::Error| BudgetError::Toml(error.to_string()))?;
        let mut budget = Budget::default();
        for (name, value) in &table {
            match value {
                Value::String(version) if name == "ptxas" => budget.ptxas = version.clone(),
                Value::Table(kernel) => drop(budget.kernels.insert(name.clone(), kernel_budget(name, kernel)?)),
                _ => return Err(BudgetError::Entry(name.clone())),
            }
        }
        Ok(budget)
    }
}

fn over(kernel: &str, arch: NvvmArch, limits: &Limits, used: &Limits) -> Vec<Violation> {
    let pairs = [
        ("registers", used.registers, limits.registers),
        ("bytes of stack", used.stack, limits.stack),
        ("bytes of spills", used.spills, limits.spills),
        ("bytes of shared memory", used.shared, limits.shared),
    ];
    let over = pairs.into_iter().filter(|(_, used, limit)| used > limit);
    over.map(|(what, used, limit)| Violation::Over { kernel: kernel.to_owned(), arch, what, used, limit }).collect()
}

fn kernel_budget(name: &str, table: &Table) -> Result<KernelBudget, BudgetError> {
    let mut budget = KernelBudget::default();
    let fail = |key: &str| BudgetError::Entry(format!("{name}.{key}"));
    let number = |value: Option<&Value>, key: &str| -> Result<u32, BudgetError> {
        value.and_then(Value::as_integer).and_then(|value| u32::try_from(value).ok()).ok_or_else(|| fail(key))
    };
    budget.barriers = number(table.get("barriers"), "barriers")? as usize;
    budget.checks = number(table.get("checks"), "checks")? as usize;
    for (key, value) in table.iter().filter(|(key, _)| !matches!(key.as_str(), "barriers" | "checks")) {
        let arch: NvvmArch = key.parse().map_err(|_| fail(key))?;
        let limits = value.as_table().ok_or_else(|| fail(key))?;
        let get = |what: &str| number(limits.get(what), &format!("{key}.{what}"));
        let limits = Limits {
            registers: get("registers")?,
            stack: get("stack")?,
            spills: get("spills")?,
            shared: get("shared")?,
        };
        budget.limits.insert(arch, limits);
    }
    Ok(budget)
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HEADING)?;
        writeln!(f, "ptxas = \"{}\"", self.ptxas)?;
        for (kernel, budget) in &self.kernels {
            writeln!(f, "\n[{kernel}]\nbarriers = {}\nchecks = {}", budget.barriers, budget.checks)?;
            for (arch, Limits { registers, stack, spills, shared }) in &budget.limits {
                writeln!(
                    f,
                    "{arch} = {{ registers = {registers}, stack = {stack}, spills = {spills}, shared = {shared} }}"
                )?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured() -> Measured {
        let used = KernelResources { kernel: "k".to_owned(), registers: 40, shared: 4096, ..Default::default() };
        Measured {
            barriers: BTreeMap::from([("k".to_owned(), 3)]),
            checks: BTreeMap::from([("k".to_owned(), 5)]),
            resources: BTreeMap::from([(NvvmArch::Compute75, vec![used.clone()]), (NvvmArch::Compute90, vec![used])]),
        }
    }

    #[test]
    fn a_written_budget_reads_back_and_holds() {
        let budget = Budget::of(&measured(), "13.5.37");
        assert_eq!(Budget::parse(&budget.to_string()), Ok(budget.clone()));
        assert_eq!(budget.violations(&measured()), []);
    }

    #[test]
    fn more_than_the_budget_is_a_violation_and_less_is_none() {
        let budget = Budget::of(&measured(), "13.5.37");
        let mut now = measured();
        let kernel = &mut now.resources.get_mut(&NvvmArch::Compute90).unwrap()[0];
        (kernel.registers, kernel.spill_loads, kernel.shared) = (48, 8, 0);
        let texts: Vec<_> = budget.violations(&now).iter().map(ToString::to_string).collect();
        assert_eq!(
            texts,
            ["k on sm_90: 48 registers, the budget is 40", "k on sm_90: 8 bytes of spills, the budget is 0"]
        );
    }

    #[test]
    fn barriers_have_to_be_exact() {
        let budget = Budget::of(&measured(), "13.5.37");
        for sites in [2, 4] {
            let mut now = measured();
            now.barriers.insert("k".to_owned(), sites);
            let violation = Violation::Barriers { kernel: "k".to_owned(), used: sites, limit: 3 };
            assert_eq!(budget.violations(&now), [violation]);
        }
    }

    #[test]
    fn more_checks_are_a_violation_and_fewer_are_none() {
        let budget = Budget::of(&measured(), "13.5.37");
        let violations =
            |checks| budget.violations(&Measured { checks: BTreeMap::from([("k".to_owned(), checks)]), ..measured() });
        assert_eq!(violations(6), [Violation::Checks { kernel: "k".to_owned(), used: 6, limit: 5 }]);
        assert_eq!(violations(4), []);
    }

    #[test]
    fn kernels_without_budget_and_budgets_without_kernel_are_told() {
        let empty = Measured::default();
        let budget = Budget::of(&measured(), "13.5.37");
        assert_eq!(budget.violations(&empty), [Violation::Gone { kernel: "k".to_owned() }]);
        let unknown = |arch| Violation::Unknown { kernel: "k".to_owned(), arch };
        let all = [unknown(NvvmArch::Compute75), unknown(NvvmArch::Compute90)];
        assert_eq!(Budget::default().violations(&measured()), all);
    }

    #[test]
    fn a_new_measurement_of_one_chip_keeps_the_others() {
        let older = Budget::of(&measured(), "13.5.37");
        let mut now = measured();
        now.resources.remove(&NvvmArch::Compute75);
        now.resources.get_mut(&NvvmArch::Compute90).unwrap()[0].registers = 24;
        let limits = &Budget::of(&now, "13.5.37").with_other_chips_of(&older).kernels["k"].limits;
        let registers: Vec<_> = limits.iter().map(|(arch, limits)| (arch.sm(), limits.registers)).collect();
        assert_eq!(registers, [("sm_75".to_owned(), 40), ("sm_90".to_owned(), 24)]);
    }

    #[test]
    fn wrong_entries_are_named() {
        let wrong = |text: &str| Budget::parse(text).unwrap_err().to_string();
        assert!(wrong("[k]\nbarriers = -1").contains("`k.barriers`"));
        assert!(wrong("[k]\nbarriers = 1").contains("`k.checks`"));
        assert!(wrong("[k]\nbarriers = 1\nchecks = 0\nsm_75 = { registers = 1 }").contains("`k.sm_75.stack`"));
        assert!(wrong("[k]\nbarriers = 1\nchecks = 0\nsm_1 = {}").contains("`k.sm_1`"));
        assert!(wrong("k = 1").contains("`k`"));
        assert!(wrong("[k").contains("TOML"));
    }
}
