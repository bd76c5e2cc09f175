//! Lists of indices that teams collect.

use crate::block::Block;
use crate::block::team::{Team, whole_teams};
use crate::bounds::{check_index, check_length};
use crate::buffers::segment::{Part, Segment, View};
use crate::memory::BlockMemory;
use crate::platform;
use bytemuck::Pod;

/// Lists of indices, one for each element that [`Segment::collect`] examined.
///
/// Items `k` of all lists are adjacent, so that neighbouring threads read neighbouring words.
///
/// Enforced by the compiler: no phase writes the memory while lists of it exist. Checked at run time: the list's index, and
/// that an item's index is within the list's room. Not enforced: that an item's index is below the list's
/// [`count`](Self::count), or that anything has been collected. Otherwise an item is an old word of the buffer, never a word
/// outside it. Kernels have the count as their loop bound; loading and comparing it again for every item would cost
/// instructions.
///
/// ```
/// # use cuda_std::prelude::*;
/// /// For each `i`, the multiples of `i + 2` below 10: how many, and their sum.
/// #[kernel(threads = 64)]
/// fn multiples(block: &mut Block, out: &mut Chunk<[u32; 2], 3>, words: &mut Segment<u32>) {
///     let lists = words.collect::<8, _>(block, 3, 10, |i| move |j| j % (i + 2) == 0);
///     out.fill(block, 3, |i| {
///         let mut sum = 0;
///         if lists.is_complete(i) {
///             lists.first(i, lists.count(i), |j| sum += j);
///         }
///         [lists.count(i), sum]
///     });
/// }
/// # fn main() {
/// # let offsets = Offsets::new(vec![0, 18]).unwrap();
/// # let (mut out, mut words) = ([[0; 2]; 3], [0; 18]);
/// # let words = Segments { data: &mut words[..], offsets: &offsets };
/// # multiples::launch(&CpuExecutor::new(), 1, multiples::Args { out: &mut out, words }).unwrap();
/// // 0, 2, 4, 6 and 8; 0, 3, 6 and 9; 0, 4 and 8.
/// assert_eq!(out, [[5, 20], [4, 18], [3, 12]]);
/// # }
/// ```
#[derive(Clone, Copy)]
pub struct Lists<'a> {
    words: View<'a, u32>,
    lists: u32,
    room: u32,
    /// The number of lists whose words form one segment: the first `chunk` lists, the next `chunk`, and so on.
    chunk: u32,
}

impl<'a> Lists<'a> {
    /// The `n` lists that [`Segment::collect`] has made, in this launch or an earlier one. `words` is all of their memory.
    ///
    /// # Panics
    /// When there is less than one word for each list.
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn of(words: View<'a, u32>, n: u32) -> Self {
        Self::in_chunks(words, n, n)
    }

    /// The `n` lists that several blocks have made in consecutive segments, each of `chunk` lists except the last one, with
    /// the same number of words for each list.
    ///
    /// # Panics
    /// When there is less than one word for each list, or `chunk` is 0.
    ///
    /// ```
    /// # use cuda_std::lists::Lists;
    /// # use cuda_std::prelude::*;
    /// /// Lists of five elements by two blocks, which take three and two of them: the numbers below the element's own.
    /// #[kernel(threads = 64)]
    /// fn below(block: &mut Block, words: &mut Segment<u32>) {
    ///     let first = 3 * block.index();
    ///     let n = (5 - first).min(3);
    ///     words.collect::<4, _>(block, n, 5, |i| move |j| j < first + i);
    /// }
    ///
    /// /// A later launch reads all of them.
    /// #[kernel(threads = 64)]
    /// fn last(block: &mut Block, out: &mut Chunk<[u32; 2], 5>, words: &[u32]) {
    ///     let lists = Lists::in_chunks(View::of(words), 5, 3);
    ///     out.fill(block, 5, |i| match lists.count(i) {
    ///         0 => [0, 0],
    ///         count => [count, lists.get(i, count - 1)],
    ///     });
    /// }
    /// # fn main() {
    /// // Five words for each list: room for four indices, and a count.
    /// let (mut words, mut out) = ([0; 25], [[0; 2]; 5]);
    /// let offsets = Offsets::new(vec![0, 15, 25]).unwrap();
    /// let segments = Segments { data: &mut words[..], offsets: &offsets };
    /// below::launch(&CpuExecutor::new(), 2, below::Args { words: segments }).unwrap();
    /// last::launch(&CpuExecutor::new(), 1, last::Args { out: &mut out, words: &words }).unwrap();
    /// assert_eq!(out, [[0, 0], [1, 0], [2, 1], [3, 2], [4, 3]]);
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn in_chunks(words: View<'a, u32>, n: u32, chunk: u32) -> Self {
        check_length(n, words.len());
        if n > 0 {
            check_index(0, chunk);
        }
        let room = words.len().checked_div(n).map_or(0, |words| words - 1);
        Self { words, lists: n, room, chunk }
    }

    /// The position of list `i`'s count, and the distance from there to the first index and on to the next.
    #[inline(always)]
    fn first_and_stride(&self, i: u32) -> (u32, u32) {
        if self.chunk >= self.lists {
            return (i, self.lists);
        }
        let before = i - i % self.chunk;
        let stride = self.lists.wrapping_sub(before).min(self.chunk);
        // Each earlier list has room + 1 words, so the sum is at most the number of words.
        (before.wrapping_mul(self.room.wrapping_add(1)).wrapping_add(i.wrapping_sub(before)), stride)
    }
}

impl Lists<'_> {
    /// The number of lists.
    #[inline(always)]
    #[must_use]
    pub fn len(&self) -> u32 {
        self.lists
    }

    /// Whether there are no lists.
    #[inline(always)]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lists == 0
    }

    /// The number of indices found for list `i`. It exceeds the number stored if the list has too little room.
    ///
    /// # Panics
    /// If there is no list `i`.
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn count(&self, i: u32) -> u32 {
        check_index(i, self.lists);
        self.words.get(self.first_and_stride(i).0)
    }

    /// Whether list `i` holds all of its indices.
    ///
    /// # Panics
    /// If there is no list `i`.
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn is_complete(&self, i: u32) -> bool {
        self.count(i) <= self.room
    }

    /// Index `k` of list `i`, counted from 0, for `k` below [`count`](Self::count) if the list [is
    /// complete](Self::is_complete). This is not checked: from the count on, the word is meaningless.
    ///
    /// # Panics
    /// When there is no list `i`, or `k` is not below the list's room (see [`collect`](Segment::collect)).
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn get(&self, i: u32, k: u32) -> u32 {
        check_index(i, self.lists);
        check_index(k, self.room);
        let (first, stride) = self.first_and_stride(i);
        self.words.get(k.wrapping_add(1).wrapping_mul(stride).wrapping_add(first))
    }

    /// Calls `visit` with the first `k` indices of list `i`, in increasing order, like a loop over [`get`](Self::get) with
    /// a single check. As there, `k` is compared with the list's room and not with its count.
    ///
    /// # Panics
    /// If there is no list `i`, or no room for `k` indices in it.
    #[inline(always)]
    #[track_caller]
    pub fn first(&self, i: u32, k: u32, mut visit: impl FnMut(u32)) {
        check_index(i, self.lists);
        check_length(k, self.room);
        let (mut at, stride) = self.first_and_stride(i);
        for _ in 0..k {
            at = at.wrapping_add(stride);
            // SAFETY: a chunk of `stride` lists has `room + 1` rows of `stride` words. They begin with the count of its
            // first list, and this is in one of the first k + 1 rows.
            visit(unsafe { self.words.get_unchecked(at) });
        }
    }
}

/// A list to which a team adds indices: see [`Segment::collect_by_team`].
pub struct TeamList<'a, const L: u32> {
    words: &'a Part<'a, u32>,
    lists: u32,
    i: u32,
    room: u32,
    count: u32,
}

impl<const L: u32> TeamList<'_, L> {
    /// Adds `first + k` for every bit `k` below `L` that is set in `votes`, in increasing order. All threads of the team call this
    /// with the same arguments: `votes` are those of [`Team::votes`], or some of them.
    #[inline(always)]
    pub fn push(&mut self, first: u32, votes: u32) {
        platform::each_vote::<L>(votes, |k, bit| {
            let k = k.wrapping_add(self.count);
            if k < self.room {
                let at = k.wrapping_add(1).wrapping_mul(self.lists).wrapping_add(self.i);
                // SAFETY: n lists of `room` items and a count each lie within the segment. List i belongs to this team alone, and
                // each of its items to one thread.
                unsafe { self.words.at(at).write(first.wrapping_add(bit)) };
            }
        });
        self.count = self.count.wrapping_add((votes & (u32::MAX >> (32 - L))).count_ones());
    }
}

impl Segment<'_, u32> {
    /// Collects, for every `i` below `n`, the indices `j` below `m` for which `keep(i)(j)` holds, in increasing order. A
    /// team of `L` threads examines `L` of them at a time.
    ///
    /// The segment's words are divided evenly: each list has `len / n` of them, one of which holds its count.
    ///
    /// # Panics
    /// When there is less than one word for each list.
    ///
    /// See [`Lists`] for an example. Teams of three threads do not compile:
    ///
    /// ```compile_fail,E0080
    /// # use cuda_std::prelude::*;
    /// #[kernel(threads = 96)]
    /// fn threes(block: &mut Block, words: &mut Segment<u32>) {
    ///     words.collect::<3, _>(block, 4, 10, |i| move |j| j % (i + 2) == 0);
    /// }
    /// # fn main() {
    /// # let offsets = Offsets::new(vec![0, 24]).unwrap();
    /// # let words = Segments { data: &mut [0; 24][..], offsets: &offsets };
    /// threes::launch(&CpuExecutor::new(), 1, threes::Args { words }).unwrap();
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn collect<const L: u32, K: Fn(u32) -> bool + Sync>(
        &mut self,
        block: &mut Block,
        n: u32,
        m: u32,
        keep: impl Fn(u32) -> K + Sync,
    ) -> Lists<'_> {
        self.collect_by::<L, K>(block, n, m, keep)
    }

    /// As [`collect`](Self::collect), for the indices `j` of `from` for which `keep(i)(j, from.get(j))` holds.
    ///
    /// A CPU core examines several `j` at a time if `keep` has no branch and cannot panic. Therefore the elements come
    /// without a check of each index. It may ask about an element twice.
    ///
    /// ```
    /// # use cuda_std::prelude::*;
    /// /// For each `i`, the numbers of the elements of `x` that `i + 2` divides: how many, and the last one.
    /// #[kernel(threads = 64)]
    /// fn multiples(block: &mut Block, out: &mut Chunk<[u32; 2], 2>, words: &mut Segment<u32>, x: &[u32]) {
    ///     let lists = words.collect_of::<8, _, _>(block, 2, View::of(x), |i| move |_, x| x % (i + 2) == 0);
    ///     out.fill(block, 2, |i| [lists.count(i), lists.get(i, lists.count(i) - 1)]);
    /// }
    /// # fn main() {
    /// # let offsets = Offsets::new(vec![0, 12]).unwrap();
    /// # let (mut out, mut words) = ([[0; 2]; 2], [0; 12]);
    /// # let words = Segments { data: &mut words[..], offsets: &offsets };
    /// let x = [4, 9, 10, 5, 12];
    /// multiples::launch(&CpuExecutor::new(), 1, multiples::Args { out: &mut out, words, x: &x }).unwrap();
    /// assert_eq!(out, [[3, 4], [2, 4]]);
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn collect_of<const L: u32, T: Pod, K: Fn(u32, T) -> bool + Sync>(
        &mut self,
        block: &mut Block,
        n: u32,
        from: View<T>,
        keep: impl Fn(u32) -> K + Sync,
    ) -> Lists<'_> {
        let m = from.len();
        self.collect_by::<L, _>(block, n, m, |i| {
            let keep = keep(i);
            #[cfg(not(target_arch = "nvptx64"))]
            // SAFETY: `j` is below `m`.
            return unsafe { platform::AskOf::new(from, keep) };
            #[cfg(target_arch = "nvptx64")]
            // SAFETY: as above.
            return move |j| keep(j, unsafe { from.get_unchecked(j) });
        })
    }

    /// As [`collect`](Self::collect), but teams find the indices themselves: for every `i` below `n`, `find(team, i, list)` adds them
    /// to the list by [`TeamList::push`]. They are in the order in which they are added.
    ///
    /// # Panics
    /// When there is less than one word for each list.
    ///
    /// ```
    /// # use cuda_std::prelude::*;
    /// /// For each `i`, the multiples of `i + 2` below 24. Only every second group of eight numbers is looked at.
    /// #[kernel(threads = 64)]
    /// fn multiples(block: &mut Block, out: &mut Chunk<[u32; 2], 2>, words: &mut Segment<u32>) {
    ///     let lists = words.collect_by_team::<8>(block, 2, |team, i, list| {
    ///         for first in [0, 16] {
    ///             let votes = team.votes(|k| (first + k) % (i + 2) == 0);
    ///             list.push(first, votes);
    ///         }
    ///     });
    ///     out.fill(block, 2, |i| [lists.count(i), lists.get(i, lists.count(i) - 1)]);
    /// }
    /// # fn main() {
    /// # let offsets = Offsets::new(vec![0, 20]).unwrap();
    /// # let (mut out, mut words) = ([[0; 2]; 2], [0; 20]);
    /// # let words = Segments { data: &mut words[..], offsets: &offsets };
    /// multiples::launch(&CpuExecutor::new(), 1, multiples::Args { out: &mut out, words }).unwrap();
    /// // 0, 2, 4, 6, 16, 18, 20 and 22; 0, 3, 6, 18 and 21.
    /// assert_eq!(out, [[8, 22], [5, 21]]);
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn collect_by_team<const L: u32>(
        &mut self,
        block: &mut Block,
        n: u32,
        find: impl Fn(&mut Team<L>, u32, &mut TeamList<'_, L>) + Sync,
    ) -> Lists<'_> {
        platform::frozen(&find);
        let words = self.whole();
        check_length(n, words.len());
        let room = words.len().checked_div(n).map_or(0, |words| words - 1);
        block.open(true);
        platform::each_team::<L>(block.phase(), n, |i, owned| {
            let mut list = TeamList { words: &words, lists: n, i, room: if owned { room } else { 0 }, count: 0 };
            find(&mut Team::new(), i, &mut list);
            if owned && platform::leads_team::<L>() {
                // SAFETY: n lists of `room` items and a count each lie within the segment, and list i belongs to this team alone.
                unsafe { words.at(i).write(list.count) };
            }
        });
        block.close(true);
        Lists::of(words.into_view(), n)
    }

    #[inline(always)]
    #[track_caller]
    fn collect_by<const L: u32, K: platform::Ask>(
        &mut self,
        block: &mut Block,
        n: u32,
        m: u32,
        keep: impl Fn(u32) -> K,
    ) -> Lists<'_> {
        whole_teams::<L>();
        let words = self.whole();
        check_length(n, words.len());
        let room = words.len().checked_div(n).map_or(0, |words| words - 1);
        block.open(true);
        platform::each_team::<L>(block.phase(), n, |i, owned| {
            let count = platform::team_collect::<L>(m, keep(i), |k, j| {
                if owned && k < room {
                    // SAFETY: n lists of `room` items and a count each lie within the segment. List i belongs to this team
                    // alone, and each of its items to one thread.
                    unsafe { words.at(k.wrapping_add(1).wrapping_mul(n).wrapping_add(i)).write(j) };
                }
            });
            if owned && platform::leads_team::<L>() {
                // SAFETY: as above.
                unsafe { words.at(i).write(count) };
            }
        });
        block.close(true);
        Lists::of(words.into_view(), n)
    }
}
