//! The backbone's kernels compared with mkdssp, with a plain computation of the rules, and with themselves.

mod launch;
mod mkdssp;
mod oracle;
mod own;
