//! The examples of the guide. The parts that it cites are between marks; a test checks that the marks exist.

mod atomics;
mod generic;
mod groups;
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
