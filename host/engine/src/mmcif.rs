//! Structures as mmCIF with categories added to what their files have: those of DSSP, and values of residues.

mod from_pdb;
mod metrics;
mod places;
mod table;

pub(crate) use from_pdb::{Disulfide, Polymers, from_pdb};
pub use metrics::{LocalMetric, MetricType, WithMetrics, with_metrics};
pub(crate) use prism_read::asym_of as id;
pub(crate) use table::{Ids, Table, divide};
