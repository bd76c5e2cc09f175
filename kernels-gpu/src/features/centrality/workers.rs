//! Who computes the eigenvector: a block, or all blocks of a grid.

use super::STEPS;
use cuda_std::math::larger;
use cuda_std::prelude::*;

/// The most terms of [`Workers::sum_few`] and [`Workers::largest_few`].
pub const FEW: u32 = 32;

/// The phases of the iteration and their memory. Sums of both kinds of workers have the same order.
pub trait Workers {
    /// What phases get to read memory.
    type Reader: Copy;
    /// The vectors, one after another.
    type Vectors<'m>;
    /// A vector that no phase writes.
    type Vector<'m>: Copy + Sync;
    /// The coefficients so far, of one run of the iteration.
    type Found;
    /// Memory of the tridiagonal matrix.
    type Coefficients<'m>;
    /// The matrix, as rows (diagonal, next to it).
    type Tridiagonal<'m>: Sync;
    /// Memory of the weights of an eigenvector.
    type Ritz<'m>;
    /// The weights.
    type Weights<'m>: Sync;

    fn split<'m>(vectors: &'m mut Self::Vectors<'_>, mid: u32) -> (Self::Vectors<'m>, Self::Vectors<'m>);
    /// Of the first `len` elements, the `n` from `first` on.
    fn view<'m>(vectors: &'m Self::Vectors<'_>, len: u32, first: u32, n: u32) -> Self::Vector<'m>;
    fn get(vector: Self::Vector<'_>, reader: Self::Reader, i: u32) -> f32;

    fn fill(&mut self, to: &mut Self::Vectors<'_>, n: u32, value: impl Fn(Self::Reader, u32) -> f32 + Sync);
    /// Writes the first results of `value`, and adds up the second ones.
    fn fill_sum(
        &mut self,
        to: &mut Self::Vectors<'_>,
        n: u32,
        value: impl Fn(Self::Reader, u32) -> (f32, f32) + Sync,
    ) -> f32;
    fn update_sum(
        &mut self,
        to: &mut Self::Vectors<'_>,
        n: u32,
        change: impl Fn(Self::Reader, u32, &mut f32) -> f32 + Sync,
    ) -> f32;
    fn sum(&mut self, n: u32, value: impl Fn(Self::Reader, u32) -> f32 + Sync) -> f32;
    fn sum_few(&mut self, n: u32, value: impl Fn(Self::Reader, u32) -> f32 + Sync) -> f32;
    /// The largest first result of `value`, and the largest second one.
    fn largest_few(&mut self, n: u32, value: impl Fn(Self::Reader, u32) -> [f32; 2] + Sync) -> [f32; 2];

    fn nothing_found(&mut self) -> Self::Found;
    /// Row `step` of the matrix.
    fn note(&mut self, found: &mut Self::Found, step: u32, alpha: f32, beta: f32);
    fn tridiagonal<'m>(
        &mut self,
        memory: &'m mut Self::Coefficients<'_>,
        steps: u32,
        found: &Self::Found,
    ) -> Self::Tridiagonal<'m>;
    fn row(matrix: &Self::Tridiagonal<'_>, reader: Self::Reader, i: u32) -> [f32; 2];

    fn weights<'m>(
        &mut self,
        memory: &'m mut Self::Ritz<'_>,
        n: u32,
        value: impl Fn(Self::Reader, u32) -> f32 + Sync,
    ) -> Self::Weights<'m>;
    fn update_weights(
        &mut self,
        weights: &mut Self::Weights<'_>,
        n: u32,
        change: impl Fn(Self::Reader, u32, &mut f32) + Sync,
    );
    fn weight(weights: &Self::Weights<'_>, reader: Self::Reader, i: u32) -> f32;
}

impl Workers for Block {
    type Reader = ();
    type Vectors<'m> = Part<'m, f32>;
    type Vector<'m> = View<'m, f32>;
    /// Thread `i` keeps row `i`.
    type Found = PerThread<[f32; 2]>;
    type Coefficients<'m> = Shared<[f32; 2], STEPS>;
    type Tridiagonal<'m> = Tile<'m, [f32; 2]>;
    type Ritz<'m> = Shared<f32, STEPS>;
    type Weights<'m> = Tile<'m, f32>;

    #[inline(always)]
    fn split<'m>(vectors: &'m mut Part<f32>, mid: u32) -> (Part<'m, f32>, Part<'m, f32>) {
        vectors.split_at(mid)
    }

    #[inline(always)]
    fn view<'m>(vectors: &'m Part<f32>, len: u32, first: u32, n: u32) -> View<'m, f32> {
        vectors.view(len).part(first, n)
    }

    #[inline(always)]
    fn get(vector: View<f32>, (): (), i: u32) -> f32 {
        vector.get(i)
    }

    #[inline(always)]
    fn fill(&mut self, to: &mut Part<f32>, n: u32, value: impl Fn((), u32) -> f32 + Sync) {
        to.fill(self, n, |i| value((), i));
    }

    #[inline(always)]
    fn fill_sum(&mut self, to: &mut Part<f32>, n: u32, value: impl Fn((), u32) -> (f32, f32) + Sync) -> f32 {
        to.fill_reduce(self, n, 0.0, |i| value((), i), |a, b| a + b)
    }

    #[inline(always)]
    fn update_sum(&mut self, to: &mut Part<f32>, n: u32, change: impl Fn((), u32, &mut f32) -> f32 + Sync) -> f32 {
        to.update_reduce(self, n, 0.0, |i, item| change((), i, item), |a, b| a + b)
    }

    #[inline(always)]
    fn sum(&mut self, n: u32, value: impl Fn((), u32) -> f32 + Sync) -> f32 {
        self.reduce(n, 0.0, |i| value((), i), |a, b| a + b)
    }

    #[inline(always)]
    fn sum_few(&mut self, n: u32, value: impl Fn((), u32) -> f32 + Sync) -> f32 {
        self.sum(n, value)
    }

    #[inline(always)]
    fn largest_few(&mut self, n: u32, value: impl Fn((), u32) -> [f32; 2] + Sync) -> [f32; 2] {
        self.reduce(n, [f32::NEG_INFINITY; 2], |i| value((), i), larger_of_each)
    }

    #[inline(always)]
    fn nothing_found(&mut self) -> PerThread<[f32; 2]> {
        self.per_thread(|_| [0.0; 2])
    }

    #[inline(always)]
    fn note(&mut self, found: &mut PerThread<[f32; 2]>, step: u32, alpha: f32, beta: f32) {
        self.each(found, |t, own| {
            if t.index() == step {
                *own = [alpha, beta];
            }
        });
    }

    #[inline(always)]
    fn tridiagonal<'m>(
        &mut self,
        memory: &'m mut Shared<[f32; 2], STEPS>,
        steps: u32,
        found: &PerThread<[f32; 2]>,
    ) -> Tile<'m, [f32; 2]> {
        memory.write(self, steps, found, |_, own| *own)
    }

    #[inline(always)]
    fn row(matrix: &Tile<[f32; 2]>, (): (), i: u32) -> [f32; 2] {
        matrix.get(i)
    }

    #[inline(always)]
    fn weights<'m>(
        &mut self,
        memory: &'m mut Shared<f32, STEPS>,
        n: u32,
        value: impl Fn((), u32) -> f32 + Sync,
    ) -> Tile<'m, f32> {
        memory.fill(self, n, |j| value((), j))
    }

    #[inline(always)]
    fn update_weights(&mut self, weights: &mut Tile<f32>, n: u32, change: impl Fn((), u32, &mut f32) + Sync) {
        weights.update(self, n, |j, weight| change((), j, weight));
    }

    #[inline(always)]
    fn weight(weights: &Tile<f32>, (): (), i: u32) -> f32 {
        weights.get(i)
    }
}

#[inline(always)]
fn larger_of_each(a: [f32; 2], b: [f32; 2]) -> [f32; 2] {
    [larger(a[0], b[0]), larger(a[1], b[1])]
}

/// All blocks of a grid. Reductions take the halves of their scratch memory in turn, so that they wait for all blocks only once.
pub struct AllBlocks<'g> {
    pub grid: &'g mut WholeGrid,
    /// For the terms of sums over all residues: twice as many.
    pub terms: GridMemory<'g, f32>,
    /// For the terms of other sums: twice [`FEW`].
    pub few: GridMemory<'g, f32>,
    /// For [`FEW`] pairs.
    pub pairs: GridMemory<'g, [f32; 2]>,
    /// Whether the next reduction takes the second half.
    pub second: bool,
}

/// The half of a scratch memory of twice `n` elements for the next reduction.
#[inline(always)]
fn half<'m>(scratch: &'m mut GridMemory<f32>, second: &mut bool, n: u32) -> GridMemory<'m, f32> {
    let first = if *second { n } else { 0 };
    *second = !*second;
    scratch.part(first, n)
}

impl<'g> Workers for AllBlocks<'g> {
    type Reader = Thread;
    type Vectors<'m> = GridMemory<'m, f32>;
    type Vector<'m> = GridView<'m, f32>;
    type Found = [[f32; 2]; STEPS];
    type Coefficients<'m> = GridMemory<'m, [f32; 2]>;
    type Tridiagonal<'m> = GridView<'m, [f32; 2]>;
    type Ritz<'m> = GridMemory<'m, f32>;
    type Weights<'m> = GridMemory<'m, f32>;

    #[inline(always)]
    fn split<'m>(vectors: &'m mut GridMemory<f32>, mid: u32) -> (GridMemory<'m, f32>, GridMemory<'m, f32>) {
        vectors.split_at(mid)
    }

    #[inline(always)]
    fn view<'m>(vectors: &'m GridMemory<f32>, len: u32, first: u32, n: u32) -> GridView<'m, f32> {
        vectors.view().part(0, len).part(first, n)
    }

    #[inline(always)]
    fn get(vector: GridView<f32>, thread: Thread, i: u32) -> f32 {
        vector.get(thread, i)
    }

    #[inline(always)]
    fn fill(&mut self, to: &mut GridMemory<f32>, n: u32, value: impl Fn(Thread, u32) -> f32 + Sync) {
        to.fill(self.grid, n, value);
    }

    #[inline(always)]
    fn fill_sum(&mut self, to: &mut GridMemory<f32>, n: u32, value: impl Fn(Thread, u32) -> (f32, f32) + Sync) -> f32 {
        to.fill_reduce(self.grid, &mut half(&mut self.terms, &mut self.second, n), n, 0.0, value, |a, b| a + b)
    }

    #[inline(always)]
    fn update_sum(
        &mut self,
        to: &mut GridMemory<f32>,
        n: u32,
        change: impl Fn(Thread, u32, &mut f32) -> f32 + Sync,
    ) -> f32 {
        to.update_reduce(self.grid, &mut half(&mut self.terms, &mut self.second, n), n, 0.0, change, |a, b| a + b)
    }

    #[inline(always)]
    fn sum(&mut self, n: u32, value: impl Fn(Thread, u32) -> f32 + Sync) -> f32 {
        self.grid.reduce_in_order(&mut half(&mut self.terms, &mut self.second, n), n, 0.0, value, |a, b| a + b)
    }

    #[inline(always)]
    fn sum_few(&mut self, n: u32, value: impl Fn(Thread, u32) -> f32 + Sync) -> f32 {
        self.grid.reduce_in_order(&mut half(&mut self.few, &mut self.second, FEW), n, 0.0, value, |a, b| a + b)
    }

    #[inline(always)]
    fn largest_few(&mut self, n: u32, value: impl Fn(Thread, u32) -> [f32; 2] + Sync) -> [f32; 2] {
        self.grid.reduce_in_order(&mut self.pairs, n, [f32::NEG_INFINITY; 2], value, larger_of_each)
    }

    #[inline(always)]
    fn nothing_found(&mut self) -> [[f32; 2]; STEPS] {
        [[0.0; 2]; STEPS]
    }

    #[inline(always)]
    fn note(&mut self, found: &mut [[f32; 2]; STEPS], step: u32, alpha: f32, beta: f32) {
        if let Some(found) = found.get_mut(step as usize) {
            *found = [alpha, beta];
        }
    }

    #[inline(always)]
    fn tridiagonal<'m>(
        &mut self,
        memory: &'m mut GridMemory<[f32; 2]>,
        steps: u32,
        found: &[[f32; 2]; STEPS],
    ) -> GridView<'m, [f32; 2]> {
        memory.fill(self.grid, steps, |_, i| found.at(i));
        memory.view()
    }

    #[inline(always)]
    fn row(matrix: &GridView<[f32; 2]>, thread: Thread, i: u32) -> [f32; 2] {
        matrix.get(thread, i)
    }

    #[inline(always)]
    fn weights<'m>(
        &mut self,
        memory: &'m mut GridMemory<f32>,
        n: u32,
        value: impl Fn(Thread, u32) -> f32 + Sync,
    ) -> GridMemory<'m, f32> {
        memory.fill(self.grid, n, value);
        memory.part(0, n)
    }

    #[inline(always)]
    fn update_weights(&mut self, weights: &mut GridMemory<f32>, n: u32, change: impl Fn(Thread, u32, &mut f32) + Sync) {
        weights.update(self.grid, n, change);
    }

    #[inline(always)]
    fn weight(weights: &GridMemory<f32>, thread: Thread, i: u32) -> f32 {
        weights.get(thread, i)
    }
}
