//! Matrices for reading.

use crate::bounds::{check_index, check_indices, out_of_bounds};
use bytemuck::Pod;
use core::marker::PhantomData;

/// An input slice as a matrix, row by row.
///
/// Enforced by the compiler: nobody writes it. Making a table checks that the slice has all its elements, making a window
/// checks that it lies in the table, and reading an element checks that it lies in the window.
///
/// ```
/// use cuda_std::Table;
///
/// // 3 rows of 4 columns.
/// let table = Table::new(&[0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23], 3, 4);
/// assert_eq!((table.rows(), table.columns()), (3, 4));
/// // A window of 2 x 2, from row 1 and column 2 on.
/// let window = table.window::<2, 2>(1, 2);
/// assert_eq!([window.at(0, 0), window.at(0, 1), window.at(1, 0)], [12, 13, 22]);
/// // An element, a row, a column.
/// assert_eq!(table.at(2, 1), 21);
/// assert_eq!(table.row(1), [10, 11, 12, 13]);
/// assert_eq!((table.column(3).at(0), table.column(3).at(2)), (3, 23));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Table<'a, T> {
    data: &'a [T],
    rows: u32,
    columns: u32,
}

impl<'a, T: Pod> Table<'a, T> {
    /// The first `rows * columns` elements of `data`.
    ///
    /// # Panics
    /// When some do not exist, or there are more than `u32` can count.
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn new(data: &'a [T], rows: u32, columns: u32) -> Self {
        match rows.checked_mul(columns) {
            Some(len) if len as usize <= data.len() => Self { data, rows, columns },
            _ => out_of_bounds(),
        }
    }

    /// The number of rows.
    #[inline(always)]
    #[must_use]
    pub fn rows(&self) -> u32 {
        self.rows
    }

    /// The number of columns.
    #[inline(always)]
    #[must_use]
    pub fn columns(&self) -> u32 {
        self.columns
    }

    /// Element (`row`, `column`).
    ///
    /// This has one branch, where `data.at(row * columns + column)` has three: the product and the sum could overflow.
    ///
    /// # Panics
    /// When the table does not contain it.
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn at(&self, row: u32, column: u32) -> T {
        if !((row < self.rows) & (column < self.columns)) {
            out_of_bounds();
        }
        // SAFETY: as checked.
        unsafe { *self.at_unchecked(row, column) }
    }

    /// The elements of a row.
    ///
    /// In a loop over a row, the check of the row is made once, and the compiler can see that each column exists.
    ///
    /// # Panics
    /// When there is no row `row`.
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn row(&self, row: u32) -> &'a [T] {
        check_index(row, self.rows);
        let first = row.wrapping_mul(self.columns) as usize;
        // SAFETY: the slice has all rows, and this is one of them.
        unsafe { self.data.get_unchecked(first..first.wrapping_add(self.columns as usize)) }
    }

    /// The elements of a column, which lie `columns()` elements apart.
    ///
    /// # Panics
    /// When there is no column `column`.
    ///
    /// ```
    /// # use cuda_std::prelude::*;
    /// /// The largest element of each column. Neighbouring threads read neighbouring elements.
    /// #[kernel(threads = 128, requires(x.len().is_multiple_of(out.len())))]
    /// fn largest(block: &mut Block, out: &mut Chunk<f32, 128, WriteOnly>, x: &[f32], columns: u32) {
    ///     let (n, first) = (out.len(), out.start());
    ///     let table = Table::new(x, x.len() as u32 / columns, columns);
    ///     out.fill(block, n, |i| {
    ///         let column = table.column(first + i);
    ///         (0..column.len()).fold(f32::NEG_INFINITY, |most, row| math::larger(most, column.at(row)))
    ///     });
    /// }
    /// # fn main() {
    /// let mut out = [0.0; 3];
    /// let x = [1.0, 5.0, 2.0, 4.0, 3.0, 9.0];
    /// largest::launch(&CpuExecutor::new(), 1, largest::Args { out: &mut out, x: &x, columns: 3 }).unwrap();
    /// assert_eq!(out, [4.0, 5.0, 9.0]);
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn column(&self, column: u32) -> Column<'a, T> {
        check_index(column, self.columns);
        Column { table: *self, column }
    }

    /// # Safety
    /// `row` is below `rows()`, and `column` below `columns()`.
    #[inline(always)]
    unsafe fn at_unchecked(&self, row: u32, column: u32) -> &'a T {
        let index = row.wrapping_mul(self.columns).wrapping_add(column);
        // SAFETY: `u32` counts the elements, which the slice has.
        unsafe { self.data.get_unchecked(index as usize) }
    }

    /// The window of `R` rows and `C` columns that begins at (`row`, `column`).
    ///
    /// If a whole block uses the same window, the check of the window is also the same for all threads. The check of an
    /// element disappears if the compiler can bound its position in the window.
    ///
    /// # Panics
    /// When some of it is outside the table.
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn window<const R: usize, const C: usize>(&self, row: u32, column: u32) -> Window<'a, T, R, C> {
        const { assert!(R > 0 && C > 0 && R * C <= 1 << 30, "a window has 1 to 2^30 elements") };
        // One branch.
        let fits = |first: u32, n: usize, all: u32| (all >= n as u32) & (first <= all.wrapping_sub(n as u32));
        if !(fits(row, R, self.rows) & fits(column, C, self.columns)) {
            out_of_bounds();
        }
        let first = row.wrapping_mul(self.columns).wrapping_add(column);
        Window { first: self.data.as_ptr().wrapping_add(first as usize), columns: self.columns, owner: PhantomData }
    }

    /// All whole windows of `R` rows and `C` columns that begin in row `row`, side by side.
    ///
    /// They are checked here, against the table's size. In a loop over them, the compiler can then see that each one exists.
    ///
    /// # Panics
    /// When the table does not have these rows.
    ///
    /// ```
    /// use cuda_std::Table;
    ///
    /// let windows = Table::new(&[0, 1, 2, 3, 4, 10, 11, 12, 13, 14], 2, 5).windows_across::<1, 2>(1);
    /// assert_eq!((windows.count(), windows.window(0).at(0, 1), windows.window(1).at(0, 1)), (2, 11, 13));
    /// ```
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn windows_across<const R: usize, const C: usize>(&self, row: u32) -> Windows<'a, T, R, C> {
        let columns = const { C as u32 };
        let first = if self.columns < columns { None } else { Some(self.window::<R, C>(row, 0)) };
        Windows { first, step: columns, count: self.columns / columns }
    }

    /// All whole windows of `R` rows and `C` columns that begin in column `column`, one below the other from row `row` on.
    ///
    /// # Panics
    /// When the table does not have these columns, or row `row`.
    ///
    /// ```
    /// use cuda_std::Table;
    ///
    /// let windows = Table::new(&[0, 1, 10, 11, 20, 21, 30, 31], 4, 2).windows_down::<1, 1>(2, 1);
    /// assert_eq!((windows.count(), windows.window(0).at(0, 0), windows.window(1).at(0, 0)), (2, 21, 31));
    /// ```
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn windows_down<const R: usize, const C: usize>(&self, row: u32, column: u32) -> Windows<'a, T, R, C> {
        check_index(row, self.rows);
        let rows = const { R as u32 };
        let count = self.rows.wrapping_sub(row) / rows;
        let first = if count == 0 { None } else { Some(self.window::<R, C>(row, column)) };
        // At most all elements of the table, unless there is no second window.
        Windows { first, step: rows.wrapping_mul(self.columns), count }
    }
}

/// A column of a [`Table`]. See [`Table::column`] for an example.
#[derive(Clone, Copy, Debug)]
pub struct Column<'a, T> {
    table: Table<'a, T>,
    column: u32,
}

impl<T: Pod> Column<'_, T> {
    /// The number of elements: the table's rows.
    #[inline(always)]
    #[must_use]
    pub fn len(&self) -> u32 {
        self.table.rows
    }

    /// Whether there are no elements.
    #[inline(always)]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The element in row `row`.
    ///
    /// # Panics
    /// When there is no such row.
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn at(&self, row: u32) -> T {
        check_index(row, self.table.rows);
        // SAFETY: as checked, here and when the column was made.
        unsafe { *self.table.at_unchecked(row, self.column) }
    }

    /// The elements in several rows, which are checked together: see [`Input::at_each`](crate::Input::at_each).
    ///
    /// # Panics
    /// When one of the rows does not exist.
    ///
    /// ```
    /// use cuda_std::Table;
    ///
    /// let column = Table::new(&[0, 1, 10, 11, 20, 21], 3, 2).column(1);
    /// assert_eq!(column.at_each([2, 0, 2]), [21, 1, 21]);
    /// ```
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn at_each<const N: usize>(&self, rows: [u32; N]) -> [T; N] {
        check_indices(rows, self.table.rows);
        // SAFETY: as checked, here and when the column was made.
        rows.map(|row| unsafe { *self.table.at_unchecked(row, self.column) })
    }
}

/// Consecutive windows of a [`Table`]. See [`Table::windows_across`] for an example.
#[derive(Clone, Copy, Debug)]
pub struct Windows<'a, T, const R: usize, const C: usize> {
    /// `None` if there are no windows.
    first: Option<Window<'a, T, R, C>>,
    /// The distance in elements from one window to the next.
    step: u32,
    count: u32,
}

impl<'a, T: Pod, const R: usize, const C: usize> Windows<'a, T, R, C> {
    /// The number of windows.
    #[inline(always)]
    #[must_use]
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Window `i`.
    ///
    /// # Panics
    /// When there is no window `i`.
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn window(&self, i: u32) -> Window<'a, T, R, C> {
        check_index(i, self.count);
        match self.first {
            // SAFETY: as checked.
            Some(first) => unsafe { self.window_after(first, i) },
            None => out_of_bounds(),
        }
    }

    /// Whether they all lie in global memory.
    #[cfg(all(target_arch = "nvptx64", target_feature = "sm_80"))]
    #[inline(always)]
    pub(crate) fn are_global(&self) -> bool {
        // SAFETY: a window has at least one element.
        self.first.is_none_or(|first| crate::platform::is_global(unsafe { &*first.first }))
    }

    /// The address of element (`row`, `column`) of window 0, if there is one.
    #[cfg(all(target_arch = "nvptx64", target_feature = "sm_80"))]
    #[inline(always)]
    pub(crate) fn start(&self, row: u32, column: u32) -> *const T {
        self.first.map_or(core::ptr::null(), |first| {
            first.first.wrapping_add(row.wrapping_mul(first.columns).wrapping_add(column) as usize)
        })
    }

    /// The distances in elements from one row to the next, and from one window to the next.
    #[cfg(all(target_arch = "nvptx64", target_feature = "sm_80"))]
    #[inline(always)]
    pub(crate) fn strides(&self) -> [usize; 2] {
        [self.first.map_or(0, |first| first.columns), self.step].map(|elements| elements as usize)
    }

    /// As [`window`](Self::window), without a check.
    ///
    /// # Safety
    /// There is a window `i`.
    #[cfg(all(target_arch = "nvptx64", target_feature = "sm_80"))]
    #[inline(always)]
    pub(crate) unsafe fn window_unchecked(&self, i: u32) -> Window<'a, T, R, C> {
        // SAFETY: the caller's; so there is a window 0.
        unsafe { self.window_after(self.first.unwrap_unchecked(), i) }
    }

    /// Window `i`, given window 0.
    ///
    /// # Safety
    /// There is a window `i`.
    #[inline(always)]
    unsafe fn window_after(&self, first: Window<'a, T, R, C>, i: u32) -> Window<'a, T, R, C> {
        // The table contains all of window `i`. With 64 bits, a loop over windows only adds to an address.
        Window { first: first.first.wrapping_add(i as usize * self.step as usize), ..first }
    }
}

/// `R` rows and `C` columns of a [`Table`]. See there for the guarantees and an example.
#[derive(Clone, Copy, Debug)]
pub struct Window<'a, T, const R: usize, const C: usize> {
    first: *const T,
    /// The number of columns of the table.
    columns: u32,
    owner: PhantomData<&'a [T]>,
}

impl<'a, T: Pod, const R: usize, const C: usize> Window<'a, T, R, C> {
    /// Element (`row`, `column`) of the window.
    ///
    /// # Panics
    /// When the window does not contain it.
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn at(&self, row: u32, column: u32) -> T {
        *self.at_ref(row, column)
    }

    /// The address of element (`row`, `column`), for a later copy: [`Stages::copy_parts_ahead`](crate::Stages::copy_parts_ahead).
    ///
    /// # Panics
    /// When the window does not contain it.
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn at_ref(&self, row: u32, column: u32) -> &'a T {
        check_index(row, R as u32);
        check_index(column, C as u32);
        // SAFETY: as checked.
        unsafe { self.at_unchecked(row, column) }
    }
}

impl<'a, T, const R: usize, const C: usize> Window<'a, T, R, C> {
    /// As [`at_ref`](Self::at_ref), without a check.
    ///
    /// # Safety
    /// `row` is below `R`, and `column` below `C`.
    #[inline(always)]
    pub(crate) unsafe fn at_unchecked(&self, row: u32, column: u32) -> &'a T {
        let index = row.wrapping_mul(self.columns).wrapping_add(column);
        // SAFETY: the window lies within the table, whose elements `u32` can count, and this element within the window.
        unsafe { &*self.first.add(index as usize) }
    }
}

// SAFETY: reading plain data.
unsafe impl<T: Pod, const R: usize, const C: usize> Sync for Window<'_, T, R, C> {}
// SAFETY: reading plain data.
unsafe impl<T: Pod, const R: usize, const C: usize> Send for Window<'_, T, R, C> {}
