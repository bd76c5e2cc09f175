//! The launches of a sort.

use super::key::{Order, SortKey, SortValue, Word};
use super::single::{sort_keys, sort_pairs};
use super::{DIGITS, MovedArgs, PairsArgs, PassArgs, count_digits, digit_begins, move_keys, move_pairs, part};
use cuda_host::{Buffer, BufferView, BufferViewMut, CudaError, Machine};
use cuda_layout::DeviceLayout;

/// Sorts keys, smallest first.
///
/// Sorts of as many keys or fewer can share the memory that one takes: see [`Sort`].
///
/// # Errors
/// Those of an allocation and of launches: [`LaunchError`](cuda_std::launch::LaunchError) if there are 2^30 keys or more.
///
/// ```
/// use cuda_host::{CudaError, Machine};
///
/// // `Machine::best("algorithms", cuda_algorithms::IMAGE)` is a GPU if there is one.
/// let machine = Machine::cpu();
/// let mut keys = machine.buffer(&[3.5f32, -1.0, 2.0, -0.0])?;
/// cuda_algorithms::sort(&machine, keys.view_mut())?;
/// assert_eq!(keys.download()?, [-1.0, -0.0, 2.0, 3.5]);
/// # Ok::<(), CudaError>(())
/// ```
pub fn sort<K: SortKey>(machine: &Machine, keys: BufferViewMut<'_, K>) -> Result<(), CudaError> {
    Sort::new(machine, keys.len())?.run(keys)
}

/// Sorts keys, smallest first, and moves a value with each. Equal keys keep their order.
///
/// # Errors
/// As [`sort`]; also [`CudaError::Length`] if there are not as many values as keys.
///
/// ```
/// use cuda_host::{CudaError, Machine};
///
/// let machine = Machine::cpu();
/// let mut keys = machine.buffer(&[30u8, 10, 20, 10])?;
/// let mut values = machine.buffer(&[0u32, 1, 2, 3])?;
/// cuda_algorithms::sort_by_key(&machine, keys.view_mut(), values.view_mut())?;
/// assert_eq!((keys.download()?, values.download()?), (vec![10, 10, 20, 30], vec![1, 3, 2, 0]));
/// # Ok::<(), CudaError>(())
/// ```
pub fn sort_by_key<K: SortKey, V: SortValue>(
    machine: &Machine,
    keys: BufferViewMut<'_, K>,
    values: BufferViewMut<'_, V>,
) -> Result<(), CudaError>
where
    K::Word: KeysWith<V::Word>,
{
    PairSort::new(machine, keys.len())?.run(keys, values)
}

/// Sorts keys as [`sort`] does, in memory that several sorts use one after the other.
///
/// ```
/// use cuda_algorithms::Sort;
/// use cuda_host::{CudaError, Machine};
///
/// let machine = Machine::cpu();
/// let mut sort = Sort::new(&machine, 1000)?.descending();
/// for keys in [vec![2i64, -7, 5], vec![1; 1000]] {
///     let mut sorted = machine.buffer(&keys)?;
///     sort.run(sorted.view_mut())?;
///     assert!(sorted.download()?.is_sorted_by(|a, b| a >= b));
/// }
/// # Ok::<(), CudaError>(())
/// ```
pub struct Sort<K: SortKey> {
    keys: Buffer<K::Word>,
    passes: Passes<K::Word>,
}

impl<K: SortKey> Sort<K> {
    /// Memory for sorts of at most `most` keys.
    ///
    /// # Errors
    /// Those of an allocation.
    pub fn new(machine: &Machine, most: usize) -> Result<Self, CudaError> {
        let part = part(<K::Word as Keys>::ITEMS);
        Ok(Self { keys: machine.zeroed(most)?, passes: Passes::new(machine, K::ORDER, most, part)? })
    }

    /// Sorts the largest key first. Equal keys keep their order, too.
    #[must_use]
    pub fn descending(mut self) -> Self {
        self.passes.order = Word::reversed(K::ORDER);
        self
    }

    /// Sorts keys. On a GPU this does not wait.
    ///
    /// # Errors
    /// As [`sort`]; [`CudaError::OutOfBounds`] if there are more keys than this has memory for.
    pub fn run(&mut self, keys: BufferViewMut<'_, K>) -> Result<(), CudaError> {
        let mut keys = keys.cast::<K::Word>();
        if keys.is_empty() {
            return Ok(());
        }
        let mut other = self.keys.slice_mut(..keys.len())?;
        if keys.len() <= self.passes.part {
            return K::Word::sort_keys(&self.passes.machine, keys, self.passes.order);
        }
        let machine = self.passes.begin(keys.as_view())?;
        for number in 0..self.passes.count() {
            let (grid, pass) = self.passes.pass(number, keys.len())?;
            let (from, to) = in_turn(&mut keys, &mut other, number);
            K::Word::move_keys(&machine, grid, to, from, pass)?;
        }
        if self.passes.count() % 2 == 1 { keys.copy_from(other.as_view()) } else { Ok(()) }
    }
}

/// Sorts keys with values as [`sort_by_key`] does, in memory that several sorts use one after the other.
///
/// ```
/// use cuda_algorithms::PairSort;
/// use cuda_host::{CudaError, Machine};
///
/// let machine = Machine::cpu();
/// let mut sort = PairSort::new(&machine, 3)?.descending();
/// let (mut keys, mut values) = (machine.buffer(&[1.5f64, 2.5, 1.5])?, machine.buffer(&[0u64, 1, 2])?);
/// sort.run(keys.view_mut(), values.view_mut())?;
/// assert_eq!((keys.download()?, values.download()?), (vec![2.5, 1.5, 1.5], vec![1, 0, 2]));
/// # Ok::<(), CudaError>(())
/// ```
pub struct PairSort<K: SortKey, V: SortValue>
where
    K::Word: KeysWith<V::Word>,
{
    keys: Buffer<K::Word>,
    values: Buffer<V::Word>,
    passes: Passes<K::Word>,
}

impl<K: SortKey, V: SortValue> PairSort<K, V>
where
    K::Word: KeysWith<V::Word>,
{
    /// Memory for sorts of at most `most` keys.
    ///
    /// # Errors
    /// Those of an allocation.
    pub fn new(machine: &Machine, most: usize) -> Result<Self, CudaError> {
        let part = part(<K::Word as KeysWith<V::Word>>::ITEMS);
        let (keys, values) = (machine.zeroed(most)?, machine.zeroed(most)?);
        Ok(Self { keys, values, passes: Passes::new(machine, K::ORDER, most, part)? })
    }

    /// Sorts the largest key first. Equal keys keep their order, too.
    #[must_use]
    pub fn descending(mut self) -> Self {
        self.passes.order = Word::reversed(K::ORDER);
        self
    }

    /// Sorts keys with their values. On a GPU this does not wait.
    ///
    /// # Errors
    /// As [`sort_by_key`]; [`CudaError::OutOfBounds`] if there are more keys than this has memory for.
    pub fn run(&mut self, keys: BufferViewMut<'_, K>, values: BufferViewMut<'_, V>) -> Result<(), CudaError> {
        let (mut keys, mut values) = (keys.cast::<K::Word>(), values.cast::<V::Word>());
        if keys.len() != values.len() {
            let (from, to) = (values.len(), keys.len());
            return Err(CudaError::Length { operation: "sorting keys with values", from, to });
        }
        if keys.is_empty() {
            return Ok(());
        }
        let mut other = (self.keys.slice_mut(..keys.len())?, self.values.slice_mut(..keys.len())?);
        if keys.len() <= self.passes.part {
            return K::Word::sort_pairs(&self.passes.machine, keys, values, self.passes.order);
        }
        let machine = self.passes.begin(keys.as_view())?;
        for number in 0..self.passes.count() {
            let (grid, pass) = self.passes.pass(number, keys.len())?;
            let (keys, keys_out) = in_turn(&mut keys, &mut other.0, number);
            let (values, values_out) = in_turn(&mut values, &mut other.1, number);
            let moved = MovedArgs { keys: keys_out, values: values_out };
            K::Word::move_pairs(&machine, grid, moved, PairsArgs { keys, values }, pass)?;
        }
        if self.passes.count() % 2 == 1 {
            keys.copy_from(other.0.as_view())?;
            values.copy_from(other.1.as_view())?;
        }
        Ok(())
    }
}

/// What the pass of a number reads, and what it writes.
fn in_turn<'a, T: DeviceLayout>(
    first: &'a mut BufferViewMut<'_, T>,
    other: &'a mut BufferViewMut<'_, T>,
    number: usize,
) -> (BufferView<'a, T>, BufferViewMut<'a, T>) {
    if number % 2 == 1 { (other.as_view(), first.reborrow()) } else { (first.as_view(), other.reborrow()) }
}

/// What the passes of a sort share.
struct Passes<W> {
    machine: Machine,
    order: Order<W>,
    /// Elements of a block.
    part: usize,
    /// The counts of all digits, then where the keys of each begin.
    counts: Buffer<u32>,
    /// The words of [`Pass::states`](super::Pass), for each pass.
    states: Buffer<u32>,
}

impl<W: Keys> Passes<W> {
    fn new(machine: &Machine, order: Order<W>, most: usize, part: usize) -> Result<Self, CudaError> {
        let states = size_of::<W>() * states(most, part);
        let (counts, states) = (machine.zeroed(size_of::<W>() * DIGITS)?, machine.zeroed(states)?);
        Ok(Self { machine: machine.clone(), order, part, counts, states })
    }

    /// The number of passes: one for each byte of a key.
    fn count(&self) -> usize {
        size_of::<W>()
    }

    /// Counts the digits of all passes. Returns the machine of the passes.
    fn begin(&mut self, keys: BufferView<'_, W>) -> Result<Machine, CudaError> {
        /// Blocks that count, as far as each has some keys. More would add up more counts at the end.
        const BLOCKS: usize = 1024;
        let n = keys.len();
        let states = self.count() * states(n, self.part);
        self.states.slice_mut(..states)?.zero()?;
        self.counts.view_mut().zero()?;
        let counted = n.div_ceil(BLOCKS).next_multiple_of(4096);
        W::count(&self.machine, n.div_ceil(counted) as u32, self.counts.view_mut(), keys, self.order, counted as u32)?;
        let args = digit_begins::Args { counts: self.counts.view_mut() };
        digit_begins::launch(&self.machine, size_of::<W>() as u32, args)?;
        Ok(self.machine.clone())
    }

    /// The grid of a pass over `n` keys, and its arguments.
    fn pass(&mut self, number: usize, n: usize) -> Result<(u32, PassArgs<'_, Machine, W>), CudaError> {
        let ([flip, flip_negative], states) = (self.order, states(n, self.part));
        let args = PassArgs {
            begins: self.counts.slice(number * DIGITS..(number + 1) * DIGITS)?,
            states: self.states.slice_mut(number * states..(number + 1) * states)?,
            shift: 8 * number as u32,
            flip,
            flip_negative,
        };
        Ok((n.div_ceil(self.part) as u32, args))
    }
}

/// The number of states of a pass.
fn states(n: usize, part: usize) -> usize {
    n.div_ceil(part) * DIGITS + 1
}

/// Words that can be sorted: the unsigned integers of 8 to 64 bits.
pub trait Keys: Word {
    /// Keys of a thread.
    #[doc(hidden)]
    const ITEMS: usize;

    #[doc(hidden)]
    fn count(
        machine: &Machine,
        grid: u32,
        counts: BufferViewMut<'_, u32>,
        keys: BufferView<'_, Self>,
        order: Order<Self>,
        part: u32,
    ) -> Result<(), CudaError>;

    #[doc(hidden)]
    fn move_keys<'a>(
        machine: &Machine,
        grid: u32,
        keys_out: BufferViewMut<'a, Self>,
        keys: BufferView<'a, Self>,
        pass: PassArgs<'a, Machine, Self>,
    ) -> Result<(), CudaError>;

    #[doc(hidden)]
    fn sort_keys(machine: &Machine, keys: BufferViewMut<'_, Self>, order: Order<Self>) -> Result<(), CudaError>;
}

/// Words that can be sorted with values `V`: `u32`, `u64` or `[u64; 2]`.
pub trait KeysWith<V: DeviceLayout>: Keys {
    /// Keys of a thread.
    #[doc(hidden)]
    const ITEMS: usize;

    #[doc(hidden)]
    fn move_pairs<'a>(
        machine: &Machine,
        grid: u32,
        moved: MovedArgs<'a, Machine, Self, V>,
        pairs: PairsArgs<'a, Machine, Self, V>,
        pass: PassArgs<'a, Machine, Self>,
    ) -> Result<(), CudaError>;

    #[doc(hidden)]
    fn sort_pairs(
        machine: &Machine,
        keys: BufferViewMut<'_, Self>,
        values: BufferViewMut<'_, V>,
        order: Order<Self>,
    ) -> Result<(), CudaError>;
}

macro_rules! keys {
    ($($word:ident: $cells:literal, $items:literal, $keys:literal,)*) => { $(
        impl Keys for $word {
            const ITEMS: usize = $items;

            fn count(
                machine: &Machine,
                grid: u32,
                counts: BufferViewMut<'_, u32>,
                keys: BufferView<'_, $word>,
                [flip, flip_negative]: Order<$word>,
                part: u32,
            ) -> Result<(), CudaError> {
                let mut counts = counts;
                let args = count_digits::Args { counts: counts.reborrow(), keys, flip, flip_negative, part };
                count_digits::launch::<$word, $cells, _>(machine, grid, args)
            }

            fn move_keys<'a>(
                machine: &Machine,
                grid: u32,
                keys_out: BufferViewMut<'a, $word>,
                keys: BufferView<'a, $word>,
                pass: PassArgs<'a, Machine, $word>,
            ) -> Result<(), CudaError> {
                let args = move_keys::Args { keys_out, keys, pass };
                move_keys::launch::<$word, $items, $keys, _>(machine, grid, args)
            }

            fn sort_keys(
                machine: &Machine,
                keys: BufferViewMut<'_, $word>,
                [flip, flip_negative]: Order<$word>,
            ) -> Result<(), CudaError> {
                let args = sort_keys::Args { keys, flip, flip_negative };
                sort_keys::launch::<$word, $items, $keys, { part($items) }, _>(machine, 1, args)
            }
        }
    )* };
}

keys!(u8: 256, 16, 32768, u16: 512, 16, 16384, u32: 1024, 16, 8192, u64: 2048, 8, 4096,);

macro_rules! pairs {
    ($($word:ident, $value:ty: $items:literal, $keys:literal, $values:literal;)*) => { $(
        impl KeysWith<$value> for $word {
            const ITEMS: usize = $items;

            fn move_pairs<'a>(
                machine: &Machine,
                grid: u32,
                moved: MovedArgs<'a, Machine, $word, $value>,
                pairs: PairsArgs<'a, Machine, $word, $value>,
                pass: PassArgs<'a, Machine, $word>,
            ) -> Result<(), CudaError> {
                let args = move_pairs::Args { moved, pairs, pass };
                move_pairs::launch::<$word, $value, $items, $keys, $values, _>(machine, grid, args)
            }

            fn sort_pairs(
                machine: &Machine,
                keys: BufferViewMut<'_, $word>,
                values: BufferViewMut<'_, $value>,
                [flip, flip_negative]: Order<$word>,
            ) -> Result<(), CudaError> {
                let args = sort_pairs::Args { keys, values, flip, flip_negative };
                sort_pairs::launch::<$word, $value, $items, $keys, $values, { part($items) }, _>(machine, 1, args)
            }
        }
    )* };
}

pairs! {
    u8, u32: 16, 32768, 8192;
    u16, u32: 16, 16384, 8192;
    u32, u32: 16, 8192, 8192;
    u64, u32: 8, 4096, 8192;
    u8, u64: 8, 32768, 4096;
    u16, u64: 8, 16384, 4096;
    u32, u64: 8, 8192, 4096;
    u64, u64: 8, 4096, 4096;
    u8, [u64; 2]: 4, 32768, 2048;
    u16, [u64; 2]: 4, 16384, 2048;
    u32, [u64; 2]: 4, 8192, 2048;
    u64, [u64; 2]: 4, 4096, 2048;
}
