//! The examples of the guide in docs/. What the guide includes of them stands between marks; that the marks are there is
//! a test of xtask.

mod atomics;
mod generic;
mod guarantees;
mod half;
mod launching;
mod machine;
mod memory;
mod model;
mod porting;
mod reductions;
mod shapes;
mod testing;
mod tiles;
mod warps;
mod whole_grid;
