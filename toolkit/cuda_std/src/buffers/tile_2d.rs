//! A block's own tile of a matrix.

use crate::access::{Access, ReadWrite};
use crate::bounds::check_index;
use crate::unrolled::unrolled;
use crate::{Block, PerThread, Thread, platform};
use bytemuck::Pod;
use core::marker::PhantomData;

/// The tile of a matrix that belongs only to this block: a parameter of the kernel.
///
/// The matrix lies row by row in its buffer; the launch gives its number of columns. It is divided into tiles of `ROWS` x
/// `COLUMNS`, and block (x, y) owns the tile that begins at row `y * ROWS` and column `x * COLUMNS`. Tiles at the lower and
/// right edges may be smaller. A launch must have exactly the grid that covers the matrix, which has at most `u32::MAX`
/// elements.
///
/// Rows and columns are counted within the tile; [`first_row`](Self::first_row) and [`first_column`](Self::first_column)
/// give its position in the matrix.
///
/// `&mut Tile2d<f32, 32, 32, WriteOnly>` declares that the kernel only writes it, which saves barriers; see
/// [`WriteOnly`](crate::access::WriteOnly).
///
/// Checked at launch: the grid, so that each tile belongs to one block. Enforced by the compiler: a phase that writes gives
/// each element to one thread, and holds the tile by `&mut`, so that nothing reads it at the same time. Checked at run
/// time: rows and columns. Not enforced: that an element is written before it is read.
///
/// ```
/// # use cuda_std::prelude::*;
/// /// The transpose of a matrix of 3 rows and 2 columns, and then a column's number added to each element by the threads
/// /// that have the tile's rows.
/// #[kernel(threads = 32)]
/// fn transpose(block: &mut Block, out: &mut Tile2d<u32, 2, 2>, x: &[u32]) {
///     let (top, left, [_, columns]) = (out.first_row(), out.first_column(), out.matrix());
///     let x = Table::new(x, columns, 2);
///     out.fill(block, |i, j| x.window::<1, 1>(left + j, top + i).at(0, 0));
///     if out.rows() == 2 && out.columns() == 2 {
///         let corner = out.get(1, 1);
///         let own = block.per_thread(|thread| 100 * (thread.index() + 1) + corner);
///         out.write::<1, 2, _>(block, &own, |_, own, _, j| own + j);
///     }
/// }
/// # fn main() {
/// let mut out = [0; 6];
/// // 2 rows and 3 columns in tiles of 2 x 2: the second tile has one column.
/// let matrix = Matrix { data: &mut out[..], columns: 3 };
/// transpose::launch(&CpuExecutor::new(), (2, 1), transpose::Args { out: matrix, x: &[1, 2, 3, 4, 5, 6] }).unwrap();
/// assert_eq!(out, [104, 105, 5, 204, 205, 6]);
/// # }
/// ```
pub struct Tile2d<'a, T, const ROWS: usize, const COLUMNS: usize, A = ReadWrite> {
    /// The whole matrix.
    data: *mut T,
    size: [u32; 2],
    first: [u32; 2],
    access: A,
    owner: PhantomData<&'a mut [T]>,
}

impl<T: Pod, const ROWS: usize, const COLUMNS: usize, A: Access> Tile2d<'_, T, ROWS, COLUMNS, A> {
    /// # Safety
    /// `data` has `size[0]` rows of `size[1]` columns, whose product fits in 32 bits. Only this tile reads and writes the
    /// elements of tile (`x`, `y`), whose first one exists.
    #[inline(always)]
    pub(crate) unsafe fn new(x: u32, y: u32, data: *mut T, size: [u32; 2]) -> Self {
        const { assert!(ROWS > 0 && COLUMNS > 0 && ROWS * COLUMNS <= 1 << 30, "a tile has 1 to 2^30 elements") };
        let first = [y.wrapping_mul(ROWS as u32), x.wrapping_mul(COLUMNS as u32)];
        Self { data, size, first, access: A::UNTOUCHED, owner: PhantomData }
    }

    /// The tile's first row in the matrix.
    #[inline(always)]
    #[must_use]
    pub fn first_row(&self) -> u32 {
        self.first[0]
    }

    /// The tile's first column in the matrix.
    #[inline(always)]
    #[must_use]
    pub fn first_column(&self) -> u32 {
        self.first[1]
    }

    /// The number of rows of this tile: `ROWS`, or fewer at the matrix's lower edge.
    #[inline(always)]
    #[must_use]
    pub fn rows(&self) -> u32 {
        let rest = self.size[0].wrapping_sub(self.first[0]);
        if rest < ROWS as u32 { rest } else { ROWS as u32 }
    }

    /// The number of columns of this tile: `COLUMNS`, or fewer at the matrix's right edge.
    #[inline(always)]
    #[must_use]
    pub fn columns(&self) -> u32 {
        let rest = self.size[1].wrapping_sub(self.first[1]);
        if rest < COLUMNS as u32 { rest } else { COLUMNS as u32 }
    }

    /// The numbers of rows and columns of the whole matrix.
    #[inline(always)]
    #[must_use]
    pub fn matrix(&self) -> [u32; 2] {
        self.size
    }

    /// Writes `value(row, column)` to every element of the tile. Neighbouring threads write neighbouring columns.
    #[inline(always)]
    pub fn fill(&mut self, block: &mut Block, value: impl Fn(u32, u32) -> T + Sync) {
        let (rows, columns) = (self.rows(), self.columns());
        let row_and_column = |i: u32| (i / COLUMNS as u32, i % COLUMNS as u32);
        block.open(self.access.claim());
        let crew = block.phase();
        if rows == ROWS as u32 && columns == COLUMNS as u32 {
            let value = |i| {
                let (row, column) = row_and_column(i);
                value(row, column)
            };
            platform::each_ahead(crew, (ROWS * COLUMNS) as u32, value, |i, item| {
                let (row, column) = row_and_column(i);
                // SAFETY: within the tile; each element belongs to one thread, and the closure cannot hold the tile.
                unsafe { self.at(row, column).write(item) };
            });
        } else {
            platform::each_index(crew, (ROWS * COLUMNS) as u32, |i| {
                let (row, column) = row_and_column(i);
                if row < rows && column < columns {
                    let item = value(row, column);
                    // SAFETY: as above.
                    unsafe { self.at(row, column).write(item) };
                }
            });
        }
        block.close(A::READABLE);
    }

    /// Writes the whole tile from the threads' own results, `R` x `C` elements for each thread: `value(thread, own, i, j)`
    /// for row `i` and column `j` of the thread's part.
    ///
    /// A row of the tile is divided into `COLUMNS / C` parts, and thread `t` owns part `t % (COLUMNS / C)` of the rows from
    /// `t / (COLUMNS / C) * R` on. Threads whose part begins beyond the tile write nothing. The build stops if `R` and `C`
    /// do not divide the tile into whole parts.
    ///
    /// # Panics
    /// When the block has fewer threads than the tile has parts.
    #[inline(always)]
    #[track_caller]
    pub fn write<const R: usize, const C: usize, S>(
        &mut self,
        block: &mut Block,
        state: &PerThread<S>,
        value: impl Fn(Thread, &S, u32, u32) -> T + Sync,
    ) {
        const {
            assert!(R > 0 && C > 0, "a thread has at least one element");
            assert!(ROWS.is_multiple_of(R) && COLUMNS.is_multiple_of(C), "a tile is cut into whole parts");
        }
        let across = (COLUMNS / C) as u32;
        let (rows, columns) = (self.rows(), self.columns());
        crate::bounds::check_length((ROWS / R) as u32 * across, block.threads());
        block.open(self.access.claim());
        state.each_ref(block.phase(), |thread, own| {
            let part = thread.index();
            let (top, left) = ((part / across).wrapping_mul(R as u32), (part % across).wrapping_mul(C as u32));
            unrolled::<R>(|i| {
                unrolled::<C>(|j| {
                    let (row, column) = (top.wrapping_add(i), left.wrapping_add(j));
                    if row < rows && column < columns {
                        let item = value(thread, own, i, j);
                        // SAFETY: as in `fill`: no two parts share an element.
                        unsafe { self.at(row, column).write(item) };
                    }
                });
            });
        });
        block.close(A::READABLE);
    }

    /// Whether others may still use the tile when a phase begins to write it. That phase calls this.
    #[inline(always)]
    pub(crate) fn claim(&mut self) -> bool {
        self.access.claim()
    }

    /// The address of an element.
    #[inline(always)]
    pub(crate) fn at(&self, row: u32, column: u32) -> *mut T {
        let row = self.first[0].wrapping_add(row).wrapping_mul(self.size[1]);
        self.data.wrapping_add(row.wrapping_add(self.first[1]).wrapping_add(column) as usize)
    }
}

impl<T: Pod, const ROWS: usize, const COLUMNS: usize> Tile2d<'_, T, ROWS, COLUMNS> {
    /// Lets `change(row, column, element)` update every element of the tile in place. Neighbouring threads have neighbouring
    /// columns.
    ///
    /// ```
    /// # use cuda_std::prelude::*;
    /// /// Subtracts the outer product of a column and a row: a step of Gauss's elimination.
    /// #[kernel(threads = 64, requires(left.len() == m.rows(), top.len() == m.columns()))]
    /// fn eliminate(block: &mut Block, m: &mut Tile2d<f32, 8, 16>, left: &[f32], top: &[f32]) {
    ///     let (row, column) = (m.first_row(), m.first_column());
    ///     m.update(block, |i, j, x| *x = math::fma(-left.at(row + i), top.at(column + j), *x));
    /// }
    /// # fn main() {
    /// let mut m = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    /// let matrix = Matrix { data: &mut m[..], columns: 3 };
    /// let args = eliminate::Args { m: matrix, left: &[0.0, 1.0][..], top: &[1.0, 2.0, 3.0][..] };
    /// eliminate::launch(&CpuExecutor::new(), (1, 1), args).unwrap();
    /// assert_eq!(m, [1.0, 2.0, 3.0, 3.0, 3.0, 3.0]);
    /// # }
    /// ```
    #[inline(always)]
    pub fn update(&mut self, block: &mut Block, change: impl Fn(u32, u32, &mut T) + Sync) {
        let (rows, columns) = (self.rows(), self.columns());
        block.open(self.access.claim());
        platform::each_index(block.phase(), (ROWS * COLUMNS) as u32, |i| {
            let (row, column) = (i / COLUMNS as u32, i % COLUMNS as u32);
            if row < rows && column < columns {
                // SAFETY: within the tile; each element belongs to one thread, and the closure cannot hold the tile.
                unsafe { change(row, column, &mut *self.at(row, column)) };
            }
        });
        block.close(ReadWrite::READABLE);
    }

    /// Element (`row`, `column`) of the tile, as it is now.
    ///
    /// # Panics
    /// When the tile does not contain it.
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn get(&self, row: u32, column: u32) -> T {
        check_index(row, self.rows());
        check_index(column, self.columns());
        // SAFETY: within the tile; a phase that writes holds it by `&mut`, so none runs.
        unsafe { self.at(row, column).read() }
    }
}

// SAFETY: phases read from several threads; writing needs `&mut` and gives each element to one thread.
unsafe impl<T: Pod, const ROWS: usize, const COLUMNS: usize, A> Sync for Tile2d<'_, T, ROWS, COLUMNS, A> {}
// SAFETY: a tile is unique access to plain data.
unsafe impl<T: Pod, const ROWS: usize, const COLUMNS: usize, A> Send for Tile2d<'_, T, ROWS, COLUMNS, A> {}
