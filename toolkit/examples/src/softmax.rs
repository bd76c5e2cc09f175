//! Softmax of each row (llm.c, Triton's tutorial), for numbers of 32 bits and of 16. A block holds a row in registers.

use crate::FourFloats;
#[cfg(not(target_arch = "nvptx64"))]
use crate::host::*;
use cuda_layout::DeviceLayout;
use cuda_std::prelude::*;
use cuda_std::unrolled;

/// An element of a row.
pub trait Number: DeviceLayout {
    /// The number as `f32`, exactly.
    fn wide(self) -> f32;
}

impl Number for f32 {
    fn wide(self) -> f32 {
        self
    }
}

impl Number for f16 {
    fn wide(self) -> f32 {
        self.to_f32()
    }
}

impl Number for bf16 {
    fn wide(self) -> f32 {
        self.to_f32()
    }
}

// ANCHOR: rows
/// Softmax of each row, one block per row. The number of columns is a multiple of 4, at most 4096 (16 per thread).
#[kernel(
    threads = 256,
    requires(
        columns > 0 && columns.is_multiple_of(4) && columns <= 4096,
        x.len() == 4 * out.len() && x.len() == grid.x as usize * columns as usize,
    ),
    instances(softmax_f32 = <f32>, softmax_f16 = <f16>, softmax_bf16 = <bf16>)
)]
pub fn softmax<T: Number>(block: &mut Block, out: &Scatter<FourFloats>, x: &[T], columns: u32) {
    let (x, n, first) = (Vectors::<_, 4>::of(x), columns / 4, block.index() * (columns / 4));
    let mut own = block.striped::<_, 4>(n, [f32::NEG_INFINITY; 4], |i| x.get(first + i).map(T::wide));
    let largest = |x: &[f32; 4]| x.iter().fold(f32::NEG_INFINITY, |most, x| math::larger(most, *x));
    let each = |own: &[[f32; 4]; 4]| [largest(&own[0]), largest(&own[1]), largest(&own[2]), largest(&own[3])];
    let most = block.reduce_threads(&own, f32::NEG_INFINITY, |_, own| largest(&each(own)), math::larger);
    // Unrolled, because a loop over so many instructions would move the numbers out of their registers.
    block.each(&mut own, |_, own| unrolled::<4>(|k| own[k as usize] = own[k as usize].map(|x| math::exp(x - most))));
    let sum = |x: [f32; 4]| x[0] + x[1] + (x[2] + x[3]);
    let scale = 1.0 / block.reduce_threads(&own, 0.0, |_, own| sum(own.map(sum)), |a, b| a + b);
    block.each_striped(&mut own, n, |thread, i, own| {
        out.put(thread, first + i, FourFloats { all: own.map(|x| x * scale) });
    });
}
// ANCHOR_END: rows

#[cfg(not(target_arch = "nvptx64"))]
fn checked<T: Number>(machine: &Machine, x: &[T], columns: u32) -> Result<Vec<f32>, CudaError>
where
    softmax::Kernel<T>: softmax::Instance<T>,
{
    let (on_machine, mut out) = (machine.buffer(x)?, machine.zeroed::<FourFloats>(x.len() / 4)?);
    let args = softmax::Args { out: out.view_mut(), x: on_machine.view(), columns };
    softmax::launch(machine, x.len() as u32 / columns, args)?;
    let found: Vec<f32> = bytemuck::cast_slice(&out.download()?).to_vec();
    for (found, row) in found.chunks(columns as usize).zip(x.chunks(columns as usize)) {
        let row: Vec<f64> = row.iter().map(|x| f64::from(x.wide())).collect();
        let most = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = row.iter().map(|x| (x - most).exp()).sum();
        assert_near(found, |i| (row[i] - most).exp() / sum, 1e-5);
    }
    Ok(found)
}

#[cfg(not(target_arch = "nvptx64"))]
pub fn run(machine: &Machine) -> Answer {
    let (rows, columns) = (20u32, 1100u32);
    let x: Vec<f32> = floats(rows * columns).into_iter().map(|x| 20.0 * x).collect();
    let half: Vec<f16> = x.iter().map(|x| f16::from_f32(*x)).collect();
    let brain: Vec<bf16> = x.iter().map(|x| bf16::from_f32(*x)).collect();
    let found =
        [checked(machine, &x, columns)?, checked(machine, &half, columns)?, checked(machine, &brain, columns)?];
    Ok(Report::new(format!("{rows} rows of {columns}, as f32, f16 and bf16"), &found.concat()))
}
