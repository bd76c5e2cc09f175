//! A block's own part of a global buffer.

use crate::access::{Access, ReadWrite, Readable};
use crate::bounds::{MAX_LENGTH, check_index, check_length, countable, out_of_bounds};
use crate::buffers::elements::{Elements, by_resolved};
use crate::platform::Location;
use crate::scope::Level;
use crate::seal::{INSIDE, Inside};
use bytemuck::Pod;
use core::marker::PhantomData;

/// The part of a global buffer that belongs only to this block, for reading and writing: a parameter of the kernel.
///
/// Checked offsets define the segments at launch. No two blocks share an element. The buffer keeps its old values until the
/// kernel writes them.
///
/// A segment keeps no registers between phases: each phase that uses it looks up its position again. So code that reads element
/// after element should read through a [`view`](Self::view).
///
/// `&mut Segment<f32, WriteOnly>` declares that the kernel only writes it, which saves barriers; see
/// [`WriteOnly`](crate::access::WriteOnly).
///
/// Checked when the offsets are made, and at launch: each segment belongs to one block. Enforced by the compiler: a phase that
/// writes gives each element to one thread, and holds the segment by `&mut`, so that nothing reads it at the same time. Checked
/// at run time: indices and lengths. Not enforced: that an element is written before it is read.
///
/// ```
/// # use cuda_std::prelude::*;
/// /// Subtracts from each element the mean of its segment.
/// #[kernel(threads = 64)]
/// fn center(block: &mut Block, x: &mut Segment<f32>) {
///     let n = x.len();
///     if n > 0 {
///         let view = x.view(n);
///         let mean = block.reduce(n, 0.0, |i| view.get(i), |a, b| a + b) / n as f32;
///         x.update(block, n, |_, x| *x -= mean);
///     }
/// }
/// # fn main() {
/// // Segments of 3, 0 and 2 elements, one for each block.
/// let offsets = Offsets::new(vec![0, 3, 3, 5]).unwrap();
/// let mut x = [1.0, 2.0, 6.0, 10.0, 20.0];
/// let blocks = offsets.segments() as u32;
/// center::launch(
///     &CpuExecutor::new(),
///     blocks,
///     center::Args { x: Segments { data: &mut x, offsets: &offsets } },
/// )
/// .unwrap();
/// assert_eq!(x, [-2.0, -1.0, 3.0, -5.0, 5.0]);
/// # }
/// ```
pub struct Segment<'a, T, A = ReadWrite> {
    buffer: *mut T,
    /// Where the segment starts in the buffer, followed by where it ends.
    offsets: *const u32,
    access: A,
    owner: PhantomData<&'a mut [T]>,
}

impl<T: Pod, A: Access> Segment<'_, T, A> {
    /// # Safety
    /// `offsets` points to two numbers that do not change, and the second is not below the first. Only this segment reads and
    /// writes the elements of `buffer` from the first number to before the second.
    #[inline(always)]
    pub(crate) unsafe fn new(buffer: *mut T, offsets: *const u32) -> Self {
        Self { buffer, offsets, access: A::UNTOUCHED, owner: PhantomData }
    }

    /// The index of the segment's first element in the whole buffer.
    #[inline(always)]
    #[must_use]
    pub fn start(&self) -> u32 {
        // SAFETY: see `new`.
        unsafe { self.offsets.read() }
    }
}

impl<T: Pod> Segment<'_, T> {
    /// The first `n` elements, for reading. Phases with indices below `n` need no check of each access.
    ///
    /// # Panics
    /// When `n` exceeds the segment's length.
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn view(&self, n: u32) -> View<'_, T> {
        self.resolved(INSIDE).limited(n)
    }

    /// All elements, as a part that can be split.
    #[inline(always)]
    pub fn whole(&mut self) -> Part<'_, T> {
        self.resolved(INSIDE)
    }
}

impl<'a, T: Pod, A: Access> Elements for Segment<'a, T, A> {
    type Item = T;
    type Resolved = Part<'a, T>;

    #[inline(always)]
    fn resolved(&self, _: Inside) -> Part<'a, T> {
        // SAFETY: see `new`.
        unsafe {
            let (start, end) = (self.offsets.read(), self.offsets.add(1).read());
            Part::new(self.buffer.add(start as usize), end.wrapping_sub(start))
        }
    }

    const READABLE: bool = A::READABLE;

    #[inline(always)]
    fn claim(&mut self, _: Inside) -> bool {
        self.access.claim()
    }

    by_resolved!();
}

// SAFETY: phases read from several threads; writing needs `&mut` and gives each element to one thread.
unsafe impl<T: Pod, A> Sync for Segment<'_, T, A> {}
// SAFETY: a segment is unique access to plain data.
unsafe impl<T: Pod, A> Send for Segment<'_, T, A> {}

impl<T: Pod> Readable for Segment<'_, T> {}

/// Some elements of a [`Segment`] or a [`Chunk`](crate::Chunk), for reading and writing.
///
/// A part has the guarantees of the memory that it belongs to. That memory stays borrowed while the part lives. Parts that live
/// at the same time do not overlap (the compiler enforces it).
///
/// ```
/// # use cuda_std::prelude::*;
/// /// Scratch of one type, divided into two parts: four pairs, then two numbers.
/// #[kernel(threads = 32)]
/// fn cut(block: &mut Block, scratch: &mut Chunk<u32, 10>) {
///     let mut whole = scratch.whole();
///     let (mut pairs, mut sums) = whole.split_at(8);
///     let mut pairs = pairs.arrays::<2>();
///     pairs.fill(block, 4, |i| [i, 10 * i]);
///     let pairs = pairs.into_view();
///     sums.fill(block, 2, |k| (0..pairs.len()).map(|i| pairs.get(i)[k as usize]).sum());
///     // A phase on single elements; the pairs lie one after another.
///     let (mut pairs, _) = whole.split_at(8);
///     pairs.arrays::<2>().flatten().set(block, 0, 7);
/// }
/// # fn main() {
/// let mut scratch = [0; 10];
/// cut::launch(&CpuExecutor::new(), 1, cut::Args { scratch: &mut scratch }).unwrap();
/// assert_eq!(scratch, [7, 0, 1, 10, 2, 20, 3, 30, 6, 60]);
/// # }
/// ```
pub struct Part<'a, T> {
    data: *mut T,
    len: u32,
    owner: PhantomData<&'a mut [T]>,
}

impl<T> Part<'_, T> {
    /// # Safety
    /// `data` points to the first of `len` elements that only this part reads and writes while it lives.
    #[inline(always)]
    pub(crate) unsafe fn new(data: *mut T, len: u32) -> Self {
        Self { data, len, owner: PhantomData }
    }
}

impl<T: Pod> Part<'_, T> {
    /// The first `n` elements, for reading. Phases with indices below `n` need no check of each access.
    ///
    /// # Panics
    /// When `n` exceeds this part's length.
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn view(&self, n: u32) -> View<'_, T> {
        check_length(n, self.len);
        View { data: self.data, len: n, owner: PhantomData }
    }

    /// The first `mid` elements, and the others.
    ///
    /// # Panics
    /// When `mid` exceeds this part's length.
    #[inline(always)]
    #[track_caller]
    pub fn split_at(&mut self, mid: u32) -> (Part<'_, T>, Part<'_, T>) {
        check_length(mid, self.len);
        let rest = self.len.wrapping_sub(mid);
        // SAFETY: two disjoint parts of this part, which stays borrowed while they live.
        unsafe { (Part::new(self.data, mid), Part::new(self.at(mid), rest)) }
    }
}

impl<T: Pod, const N: usize> Part<'_, [T; N]> {
    /// The same memory as single elements, `N` times as many.
    ///
    /// # Panics
    /// When there are more than `u32` can count.
    ///
    /// [`Part`] has an example.
    #[inline(always)]
    #[track_caller]
    pub fn flatten(&mut self) -> Part<'_, T> {
        // Without overflow checks, the product wraps to a smaller length, which is still sound.
        let len = self.len * N as u32;
        // SAFETY: an array is its elements; this part stays borrowed while the result lives.
        unsafe { Part::new(self.data.cast::<T>(), len) }
    }
}

impl<T: Pod> Part<'_, T> {
    /// The same memory as arrays of `N` elements, without the remainder at the end.
    ///
    /// Arrays with more elements than an index can count do not compile:
    ///
    /// ```compile_fail,E0080
    /// # use cuda_std::prelude::*;
    /// #[kernel(threads = 32)]
    /// fn beyond(block: &mut Block, out: &mut Chunk<u8, 64>) {
    ///     out.whole().arrays::<0x1_0000_0001>().update(block, 1, |_, array| array[1 << 20] = 7);
    /// }
    /// # fn main() {
    /// beyond::launch(&CpuExecutor::new(), 1, beyond::Args { out: &mut [0; 64][..] }).unwrap();
    /// # }
    /// ```
    #[inline(always)]
    pub fn arrays<const N: usize>(&mut self) -> Part<'_, [T; N]> {
        countable::<N>();
        // SAFETY: an array is its elements; this part stays borrowed while the result lives.
        unsafe { Part::new(self.data.cast::<[T; N]>(), self.len / N as u32) }
    }
}

impl<'a, T: Pod> Elements for Part<'a, T> {
    type Item = T;
    type Resolved = Part<'a, T>;

    #[inline(always)]
    fn resolved(&self, _: Inside) -> Part<'a, T> {
        Self { data: self.data, len: self.len, owner: PhantomData }
    }

    const READABLE: bool = true;

    #[inline(always)]
    fn claim(&mut self, _: Inside) -> bool {
        true
    }

    #[inline(always)]
    fn count(&self) -> u32 {
        self.len
    }

    #[inline(always)]
    unsafe fn load(&self, i: u32) -> T {
        // SAFETY: ensured by the caller.
        unsafe { self.data.add(i as usize).read() }
    }

    #[inline(always)]
    unsafe fn store(&self, i: u32, value: T) {
        // SAFETY: ensured by the caller.
        unsafe { self.data.add(i as usize).write(value) }
    }

    #[inline(always)]
    unsafe fn change(&self, i: u32, change: impl FnOnce(&mut T)) {
        // SAFETY: ensured by the caller.
        change(unsafe { &mut *self.data.add(i as usize) });
    }

    #[inline(always)]
    fn location(&self, i: u32, _: Inside) -> Location<T> {
        Location::global(self.at(i), Level::Block)
    }
}

// SAFETY: phases read from several threads; writing needs `&mut` and gives each element to one thread.
unsafe impl<T: Pod> Sync for Part<'_, T> {}
// SAFETY: a part is unique access to plain data.
unsafe impl<T: Pod> Send for Part<'_, T> {}

impl<T: Pod> Readable for Part<'_, T> {}

impl<'a, T: Pod> Part<'a, T> {
    /// The first `n` elements, for reading.
    #[inline(always)]
    #[track_caller]
    pub(crate) fn limited(self, n: u32) -> View<'a, T> {
        check_length(n, self.len);
        View { data: self.data, len: n, owner: PhantomData }
    }

    /// All elements, which are only read from now on.
    #[inline(always)]
    #[must_use]
    pub fn into_view(self) -> View<'a, T> {
        View { data: self.data, len: self.len, owner: PhantomData }
    }

    /// The address of element `i`.
    #[inline(always)]
    pub(crate) fn at(&self, i: u32) -> *mut T {
        self.data.wrapping_add(i as usize)
    }
}

/// Some elements of a [`Segment`], a [`Chunk`](crate::Chunk) or an input, for reading.
///
/// Enforced by the compiler: no phase writes the memory while the view lives. Making the view checks that its elements exist.
/// Reading an element checks its index.
///
/// ```
/// use cuda_std::View;
///
/// let x = View::of(&[10, 11, 12, 13]);
/// assert_eq!((x.len(), x.get(3)), (4, 13));
/// let part = x.part(1, 2);
/// assert_eq!((part.get(0), part.get(1), part.is_empty()), (11, 12, false));
/// ```
#[derive(Clone, Copy)]
pub struct View<'a, T> {
    data: *const T,
    len: u32,
    owner: PhantomData<&'a [T]>,
}

impl<'a, T: Pod> View<'a, T> {
    /// All elements of an input.
    ///
    /// # Panics
    /// When there are more than `u32::MAX - 1024`.
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn of(input: &'a [T]) -> Self {
        if input.len() > MAX_LENGTH as usize {
            out_of_bounds();
        }
        Self { data: input.as_ptr(), len: input.len() as u32, owner: PhantomData }
    }

    /// The same elements, read without a check: an index beyond the end gives the last element.
    ///
    /// # Panics
    /// If there are no elements.
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn clamped(self) -> Clamped<'a, T> {
        check_index(0, self.len);
        Clamped { view: self, last: self.len.wrapping_sub(1) }
    }
}

/// A [`View`] whose indices need no check, for hot loops: an index beyond the end gives the last element.
///
/// A check costs more than its comparison. Its branch may separate the lanes of a warp, and a later vote or shuffle must then
/// test whether all lanes take part.
///
/// ```
/// use cuda_std::View;
///
/// let x = View::of(&[10, 11, 12]).clamped();
/// assert_eq!((x.get(1), x.get(2), x.get(u32::MAX)), (11, 12, 12));
/// assert_eq!(x.view().len(), 3);
/// ```
#[derive(Clone, Copy)]
pub struct Clamped<'a, T> {
    view: View<'a, T>,
    last: u32,
}

impl<T: Pod> Clamped<'_, T> {
    /// Element `i`, or the last one if there are fewer.
    #[inline(always)]
    #[must_use]
    pub fn get(&self, i: u32) -> T {
        // SAFETY: in bounds, because there is a last element.
        unsafe { self.view.get_unchecked(i.min(self.last)) }
    }

    /// The elements, read with a check.
    #[inline(always)]
    #[must_use]
    pub fn view(&self) -> View<'_, T> {
        self.view
    }
}

impl<T: Pod> View<'_, T> {
    crate::bounds::counted!("elements");

    /// The `n` elements from `first` on.
    ///
    /// # Panics
    /// When some of them do not exist.
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn part(&self, first: u32, n: u32) -> Self {
        check_length(first, self.len);
        check_length(n, self.len.wrapping_sub(first));
        Self { data: self.data.wrapping_add(first as usize), len: n, owner: PhantomData }
    }

    /// The address of the elements.
    #[cfg(not(target_arch = "nvptx64"))]
    #[inline(always)]
    pub(crate) fn pointer(&self) -> *const T {
        self.data
    }

    /// # Safety
    /// `i < len()`.
    #[inline(always)]
    pub(crate) unsafe fn get_unchecked(&self, i: u32) -> T {
        // SAFETY: ensured by the caller; the memory is borrowed, so no phase writes it.
        unsafe { self.data.add(i as usize).read() }
    }

    /// Element `i`.
    ///
    /// # Panics
    /// When `i` is not below [`len`](Self::len).
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn get(&self, i: u32) -> T {
        check_index(i, self.len);
        // SAFETY: in bounds; the memory is borrowed, so no phase writes it.
        unsafe { self.data.add(i as usize).read() }
    }
}

// SAFETY: reading plain data.
unsafe impl<T: Pod> Sync for View<'_, T> {}
// SAFETY: reading plain data.
unsafe impl<T: Pod> Send for View<'_, T> {}
