//! Arguments of `prism dockq`.

use super::RelationArgs;
use clap::Args;
use prism_host::dockq::{ChainChoice, Comparison};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct DockqArgs {
    /// The structure with which models are compared: a file with the chains as deposited.
    #[arg(short, long, value_name = "FILE", display_order = 0)]
    pub reference: PathBuf,

    #[command(flatten)]
    pub comparison: ComparisonArgs,

    #[command(flatten)]
    pub relation: RelationArgs,
}

/// How models are compared with a reference.
#[derive(Debug, Args)]
pub struct ComparisonArgs {
    /// Chains that correspond: pairs of a chain of the model and one of the reference. *:H is any chain of the model with the
    /// sequence of H, *:* all other chains. Only listed chains are compared [default: the mapping with the highest sum of dockq]
    #[arg(
        long,
        value_name = "A:H,...",
        value_delimiter = ',',
        num_args = 1,
        requires = "reference",
        display_order = 2
    )]
    pub mapping: Vec<ChainChoice>,

    /// Chains correspond if at most N residues differ in their alignment.
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        requires = "reference",
        display_order = 3,
        hide_short_help = true
    )]
    pub allowed_mismatches: usize,

    /// Residues correspond by their numbers, not by an alignment of sequences.
    #[arg(long, requires = "reference", display_order = 4, hide_short_help = true)]
    pub by_number: bool,

    /// Contacts and interfaces as CAPRI defines them for peptides: 4 Å, and 8 Å between beta carbons.
    #[arg(long, requires = "reference", display_order = 5, hide_short_help = true)]
    pub peptide: bool,

    /// Compare the poses of ligands, ions and sugars, too: lrmsd of each within 10 Å of a chain, after superposition of that part
    /// of the chain. Ligands correspond by name; water is left out.
    #[arg(long, requires = "reference", display_order = 5)]
    pub small_molecules: bool,
}

impl ComparisonArgs {
    /// How models are compared.
    pub fn comparison(&self) -> Comparison {
        Comparison {
            mapping: self.mapping.clone(),
            allowed_mismatches: self.allowed_mismatches,
            by_number: self.by_number,
            peptide: self.peptide,
            small_molecules: self.small_molecules,
        }
    }
}
