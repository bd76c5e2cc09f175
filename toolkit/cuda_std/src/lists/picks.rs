//! Elements of a global array that a warp has chosen.

use super::{WarpItems, WarpList};
use crate::bounds::{check_index, check_length};
use crate::lists::ranges::scratch_items;
use crate::platform;
use crate::seal::INSIDE;
use crate::{Clamped, Lanes, PerLane, Warp};
use bytemuck::Pod;

/// A list item for an element of a global array. An element has 16 bytes: four numbers, such as three coordinates and a
/// radius.
///
/// A device stores the indices and reads the elements again through its caches, because shared memory is small. A CPU core
/// stores copies, word by word, so that it can process several at a time. The operations are the same on both.
///
/// ```
/// # use cuda_std::lists::Pick;
/// # use cuda_std::prelude::*;
/// /// Those of the first 10 and the last 10 elements whose first word is even; then those of them below 90.
/// #[kernel(threads = 32)]
/// fn choose(block: &mut Block, out: &mut Chunk<u32, 3>, x: &[[f32; 4]], a: &mut Shared<Pick, 64>, b: &mut Shared<Pick, 64>) {
///     let x = View::of(x).clamped();
///     out.fill_by_warp_with(block, 3, (a, b), |warp, (even, few), k| {
///         let n = x.view().len();
///         let ranges = warp.per_lane(|lane| match lane.index() {
///             0 => [0, 10],
///             1 => [n - 10, n],
///             _ => [0; 2],
///         });
///         even.push_ranges_where(warp, &x, &ranges, |_, [first, ..]| (first as u32) % 2 == 0);
///         let even = even.items(warp);
///         let mut begin = 0;
///         while begin < even.len() {
///             let picks = even.picks_ahead(warp, &x, begin);
///             let left = even.len() - begin;
///             few.push_picks_where(warp, &picks, picks.words()[0], |lane, x| lane.index() < left && *x < 90.0);
///             begin += 32;
///         }
///         let few = few.items(warp);
///         let picks = few.picks(warp, &x, 0);
///         let n = few.len();
///         let last = warp.broadcast(picks.words()[3], n - 1);
///         let sum = warp.map(picks.index(), |lane, index| if lane.index() < n { *index } else { 0 });
///         [n, warp.reduce(&sum, |a, b| a + b), last as u32][k as usize]
///     });
/// }
/// # fn main() {
/// let x: Vec<[f32; 4]> = (0..97).map(|i| [i as f32, 0.0, 0.0, 1000.0 + i as f32]).collect();
/// let mut out = [0; 3];
/// choose::launch(&CpuExecutor::new(), 1, choose::Args { out: &mut out, x: &x }).unwrap();
/// // 0, 2, 4, 6, 8 and 88.
/// assert_eq!(out, [6, 108, 1088]);
/// # }
/// ```
pub use crate::platform::Pick;

/// The elements that lanes of a warp read from a [`WarpList`] of [`Pick`]s: one for each lane, as four separate words.
///
/// See [`Pick`] for an example.
pub struct Picks<'a>(pub(crate) platform::PickStorage<'a>);

impl Picks<'_> {
    /// The index of each lane's element in the array from which it was chosen.
    #[inline(always)]
    #[must_use]
    pub fn index(&self) -> &PerLane<u32> {
        self.0.index()
    }

    /// The four words of each lane's element.
    #[inline(always)]
    #[must_use]
    pub fn words(&self) -> [&PerLane<f32>; 4] {
        self.0.words()
    }
}

impl Warp {
    /// As [`WarpList::push_ranges_with`], for two lists: `keep` returns for each whether it takes the element.
    ///
    /// # Panics
    /// As there.
    ///
    /// ```
    /// # use cuda_std::lists::Pick;
    /// # use cuda_std::prelude::*;
    /// /// The numbers of elements from the first to before the last that are below 10, and of those that are not.
    /// #[kernel(threads = 32)]
    /// fn split(
    ///     block: &mut Block,
    ///     out: &mut Chunk<u32, 2>,
    ///     x: &[[f32; 4]],
    ///     a: &mut Shared<Pick, 64>,
    ///     b: &mut Shared<Pick, 64>,
    ///     c: &mut Shared<Pick, 64>,
    /// ) {
    ///     let x = View::of(x).clamped();
    ///     out.fill_by_warp_with(block, 2, (a, b, c), |warp, (low, high, scratch), k| {
    ///         let n = x.view().len() - 1;
    ///         let ranges = warp.per_lane(|lane| if lane.index() == 0 { [0, n] } else { [0; 2] });
    ///         low.clear(warp);
    ///         high.clear(warp);
    ///         warp.push_ranges_to([low, high], scratch, &x, &ranges, |_, [x, ..]| [x < 10.0, x >= 10.0]);
    ///         [low.items(warp).len(), high.items(warp).len()][k as usize]
    ///     });
    /// }
    /// # fn main() {
    /// let x: Vec<[f32; 4]> = (0..50).map(|i| [i as f32; 4]).collect();
    /// let mut out = [0; 2];
    /// split::launch(&CpuExecutor::new(), 1, split::Args { out: &mut out, x: &x }).unwrap();
    /// assert_eq!(out, [10, 39]);
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn push_ranges_to<T: Pod, S: Pod>(
        &mut self,
        lists: [&mut WarpList<'_, Pick>; 2],
        scratch: &mut WarpList<'_, S>,
        from: &Clamped<T>,
        ranges: &PerLane<[u32; 2]>,
        keep: impl Fn(u32, [f32; 4]) -> [bool; 2] + Sync,
    ) {
        const { assert!(size_of::<T>() == 16, "elements are four words") };
        check_length(scratch_items::<S>(), scratch.capacity());
        platform::push_ranges_to(lists, scratch, self, from, ranges, keep);
    }
}

impl WarpList<'_, Pick> {
    /// Appends those elements of the lanes' ranges (from the first to before the second number) for which `keep` returns
    /// true, given an element's index and its four words. Elements without room are counted and dropped.
    #[inline(always)]
    pub fn push_ranges_where<T: Pod>(
        &mut self,
        warp: &mut Warp,
        from: &Clamped<T>,
        ranges: &PerLane<[u32; 2]>,
        keep: impl Fn(u32, [f32; 4]) -> bool + Sync,
    ) {
        const { assert!(size_of::<T>() == 16, "elements are four words") };
        platform::push_ranges_where(self, warp, from, ranges, keep);
    }

    /// As [`push_ranges_where`](Self::push_ranges_where). A device notes in the memory of the list `scratch` where ranges begin, which
    /// is faster where there are many. The items of that list are removed.
    ///
    /// # Panics
    /// If `scratch` has less than 256 bytes.
    #[inline(always)]
    #[track_caller]
    pub fn push_ranges_with<T: Pod, S: Pod>(
        &mut self,
        warp: &mut Warp,
        scratch: &mut WarpList<'_, S>,
        from: &Clamped<T>,
        ranges: &PerLane<[u32; 2]>,
        keep: impl Fn(u32, [f32; 4]) -> bool + Sync,
    ) {
        const { assert!(size_of::<T>() == 16, "elements are four words") };
        check_length(scratch_items::<S>(), scratch.capacity());
        platform::push_ranges_with(self, scratch, warp, from, ranges, keep);
    }

    /// Appends the elements of those lanes whose other values `ask` accepts, in the lanes' order. Elements without room are
    /// counted and dropped.
    #[inline(always)]
    pub fn push_picks_where<L: Lanes>(
        &mut self,
        warp: &mut Warp,
        picks: &Picks,
        lanes: L,
        ask: impl Fn(crate::Lane, L::Item) -> bool + Sync,
    ) {
        let lane = warp.lane();
        let chosen = |index: u32| ask(lane(index), lanes.of(index, INSIDE));
        let storage = self.storage();
        let votes =
            // SAFETY: this is the warp's own part, and its readers have been waited for.
            unsafe { platform::push_picks(warp.phase(), warp.index(), picks, chosen, || self.begin_to_write(), storage) };
        self.add(votes.count_ones());
    }
}

#[cfg(not(target_arch = "nvptx64"))]
impl WarpList<'_, Pick> {
    /// Gives lanes without an item `words`, until more items are appended: [`WarpItems::picks`] otherwise gives them unspecified
    /// values. Only CPU cores have it. There, to compare each lane's index takes about as long as to compute a distance. A list
    /// without room for all of its items may keep unspecified values.
    ///
    /// # Panics
    /// If the list's room is not a multiple of 32: the last lanes would have no memory for the words.
    ///
    /// ```
    /// # use cuda_std::lists::Pick;
    /// # use cuda_std::prelude::*;
    /// #[kernel(threads = 32)]
    /// fn smallest(block: &mut Block, out: &mut Chunk<f32, 1>, x: &[[f32; 4]], a: &mut Shared<Pick, 64>) {
    ///     let x = View::of(x).clamped();
    ///     out.fill_by_warp_with(block, 1, (a,), |warp, (list,), _| {
    ///         let ranges = warp.per_lane(|lane| if lane.index() == 0 { [0, 5] } else { [0; 2] });
    ///         list.push_ranges_where(warp, &x, &ranges, |_, _| true);
    ///         list.pad(warp, [f32::INFINITY; 4]);
    ///         let items = list.items(warp);
    ///         let picks = items.picks(warp, &x, 0);
    ///         warp.reduce(picks.words()[0], |a, b| if a < b { a } else { b })
    ///     });
    /// }
    /// # fn main() {
    /// let x = [[9.0; 4], [8.0; 4], [7.0; 4], [6.0; 4], [5.0; 4]];
    /// let mut out = [0.0];
    /// smallest::launch(&CpuExecutor::new(), 1, smallest::Args { out: &mut out, x: &x }).unwrap();
    /// assert_eq!(out, [5.0]);
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn pad(&mut self, warp: &mut Warp, words: [f32; 4]) {
        assert!(self.capacity().is_multiple_of(32), "a list that is padded has room for a multiple of 32 items");
        let _ = warp.phase();
        self.begin_to_write();
        // SAFETY: this is the warp's own part.
        unsafe { platform::pad_picks(self.storage(), words) };
    }
}

impl WarpItems<'_, Pick> {
    /// Item `first + l` for lane `l`, which was chosen from `from`. Lanes without an item get that of the last item on a device, and
    /// unspecified values on a CPU; their index may exceed the array.
    ///
    /// # Panics
    /// If there is no item `first`, or `first` is not a multiple of 32.
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn picks<T: Pod>(&self, warp: &mut Warp, from: &Clamped<T>, first: u32) -> Picks<'_> {
        const { assert!(size_of::<T>() == 16, "elements are four words") };
        check_index(first, self.len());
        check_index(first % 32, 1);
        let _ = warp.phase();
        // SAFETY: in bounds; nothing writes it, because that takes the list by `&mut`, and writes have been waited for.
        Picks(unsafe { platform::load_picks(self.data(), self.capacity(), first, self.len(), from) })
    }

    /// As [`picks`](Self::picks), for items that are used later: a device begins to read them here. If there is no item `first`,
    /// all lanes get unspecified values.
    ///
    /// Use all four words later. The assembler gives the register of an unused word to other values, and these then wait for the
    /// word to arrive.
    ///
    /// # Panics
    /// If there are no items, or `first` is not a multiple of 32.
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn picks_ahead<T: Pod>(&self, warp: &mut Warp, from: &Clamped<T>, first: u32) -> Picks<'_> {
        const { assert!(size_of::<T>() == 16, "elements are four words") };
        check_index(0, self.len());
        check_index(first % 32, 1);
        // On a device each lane's item is limited to the last one in any case.
        #[cfg(not(target_arch = "nvptx64"))]
        let first = first.min(self.len().wrapping_sub(1) / 32 * 32);
        let _ = warp.phase();
        // SAFETY: as in `picks`; a device may be given an item that does not exist.
        let picks = Picks(unsafe { platform::load_picks(self.data(), self.capacity(), first, self.len(), from) });
        // No load moves behind this. The assembler would move it to the first use, to save registers.
        platform::meet_warp();
        picks
    }
}
