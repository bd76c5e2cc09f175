//! The kernels of the backbone: against mkdssp, against a plain computation from the rules, and against themselves.

mod launch;
mod mkdssp;
mod oracle;
mod own;
