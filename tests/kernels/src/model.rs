//! One kernel for each part of the kernel model, for comparing a GPU with CPU cores.

mod outputs;

pub use outputs::{add, counted, crossed, extremes, histogram, scaled_rows, sums_of_parts, table_look_up, transposed};
