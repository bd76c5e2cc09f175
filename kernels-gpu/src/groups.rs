//! Groups of arguments. Those of shared arrays alone, which no launch gives, are beside their kernels.
//!
//! Where nothing else is said, a buffer has one element per residue, in the batch's order. Structure `i` has the residues from
//! `ca_offset` of its descriptor on.

use crate::features::centrality;
use crate::items::WorkItem;
use crate::points::{PointAtom, SiteAtom, Spot};
use crate::scratch::{
    AlphaCarbon, AtomSurface, Carbon, CellWords, Eight, Facts, Frame, HydrogenBonds, ResidueExposure, Traits,
    WorkVectors,
};
use cuda_std::prelude::*;
use shared_types::{Atom, BatchStructureDesc, FeatureRow, Site, StructureSummary};

/// A batch as the kernels of rows read it.
#[derive(Arguments)]
pub struct Batch<'a> {
    /// The heavy atoms of all structures, in Å relative to each structure's centre.
    pub atoms: &'a [Atom],
    /// The alpha carbon, counted from the structure's first atom, or [`shared_types::NO_CA`].
    pub ca_indices: &'a [u32],
    /// One per structure.
    pub descriptors: &'a [BatchStructureDesc],
    /// An index into [`shared_types::RESIDUES`].
    pub residue_types: &'a [u8],
    /// An annotation, NaN where it is missing.
    pub conservation: &'a [f32],
    /// B factor of the alpha carbon in Å^2, NaN where it is missing.
    pub bfactor: &'a [f32],
    /// An annotation, NaN where it is missing.
    pub gisaid_freq: &'a [f32],
    /// An annotation, NaN where it is missing.
    pub gisaid_velocity: &'a [f32],
    /// The number of the residue's chain in the structure, below 2^28.
    pub chain_ids: &'a [u32],
    /// The result of [`fn@crate::residue_exposure`].
    pub exposure: &'a [ResidueExposure],
}

/// What is gathered of each residue first: scratch.
#[derive(Arguments)]
pub struct Gathered<'a> {
    /// Positions and chains.
    pub alpha_carbons: &'a mut Segment<'a, AlphaCarbon>,
    /// Values from tables, and annotations.
    pub traits: &'a mut Segment<'a, Traits>,
    /// Standardised B factors.
    pub bfactor_z: &'a mut Segment<'a, f32>,
}

/// Heavy atoms sorted into cells, by [`fn@crate::atom_cells`].
#[derive(Arguments)]
pub struct SortedAtoms<'a> {
    /// One per heavy atom, in the order of cells.
    pub sorted: &'a [Atom],
    /// The cells' words, as many as the heavy atoms' elements.
    pub cells: &'a [CellWords],
    /// One per structure.
    pub frames: &'a [Frame],
}

/// The same with the residue of each atom.
#[derive(Arguments)]
pub struct OwnedAtoms<'a> {
    /// One per heavy atom, in the order of cells.
    pub sorted: &'a [Atom],
    /// The cells' words, as many as the heavy atoms' elements.
    pub cells: &'a [CellWords],
    /// One per heavy atom, in the order of cells.
    pub owners: &'a [u32],
    /// One per structure.
    pub frames: &'a [Frame],
}

/// Heavy atoms for kernels whose block `i` takes those of item `i`.
#[derive(Arguments)]
pub struct AtomItems<'a> {
    /// One per block.
    pub items: &'a [WorkItem],
    /// One per structure.
    pub descriptors: &'a [BatchStructureDesc],
    /// The atoms.
    pub atoms: SortedAtoms<'a>,
}

/// What a block works in that computes a structure alone.
#[derive(Arguments)]
pub struct RowScratch<'a> {
    /// What is gathered first.
    pub gathered: Gathered<'a>,
    /// [`crate::scratch::contact_words`] words per residue.
    pub contacts: &'a mut Segment<'a, u32>,
    /// Vectors for the centrality.
    pub work: &'a mut Segment<'a, WorkVectors>,
}

/// Few values of the centrality that one block computes.
#[derive(Arguments)]
pub struct Lanczos<'a> {
    /// Of each step.
    pub coefficients: &'a mut Shared<[f32; 2], { centrality::STEPS }>,
    /// The vector of the small matrix.
    pub ritz: &'a mut Shared<f32, { centrality::STEPS }>,
}

/// What [`fn@crate::atom_cells`] makes.
#[derive(Arguments)]
pub struct MadeCells<'a> {
    /// One per structure.
    pub frames: &'a mut Segment<'a, Frame>,
    /// One per heavy atom, like the next ones.
    pub sorted: &'a mut Segment<'a, Atom>,
    /// The cells' words.
    pub cells: &'a mut Segment<'a, CellWords>,
    /// The residue of each atom, in the order of cells.
    pub owners: &'a mut Segment<'a, u32>,
}

/// What [`fn@crate::atom_cells`] reads.
#[derive(Arguments)]
pub struct UnsortedAtoms<'a> {
    /// As in [`Batch`], like the next ones.
    pub atoms: &'a [Atom],
    /// One per structure.
    pub descriptors: &'a [BatchStructureDesc],
    /// One per residue.
    pub chain_ids: &'a [u32],
    /// Each residue's first atom, counted from the structure's first atom. A residue's atoms are contiguous.
    pub residue_atoms: &'a [u32],
}

/// Residues and their atoms, for [`fn@crate::residue_exposure`].
#[derive(Arguments)]
pub struct ResidueItems<'a> {
    /// One per block.
    pub items: &'a [WorkItem],
    /// As in [`Batch`], like the next ones.
    pub atoms: &'a [Atom],
    /// One per structure.
    pub descriptors: &'a [BatchStructureDesc],
    /// One per residue.
    pub residue_types: &'a [u8],
    /// One per residue.
    pub chain_ids: &'a [u32],
    /// As in [`UnsortedAtoms`].
    pub residue_atoms: &'a [u32],
}

/// What is known of each heavy atom, in the order of cells.
#[derive(Arguments)]
pub struct CountedAtoms<'a> {
    /// The atoms.
    pub atoms: OwnedAtoms<'a>,
    /// The result of [`fn@crate::atom_depths`].
    pub depths: &'a [f32],
    /// The result of [`fn@crate::atom_surfaces`].
    pub surface: &'a [AtomSurface],
}

/// The results of [`fn@crate::site_points`].
#[derive(Arguments)]
pub struct FoundPoints<'a> {
    /// One per heavy atom.
    pub point_atoms: &'a mut Segment<'a, PointAtom>,
    /// One per heavy atom.
    pub site_atoms: &'a mut Segment<'a, SiteAtom>,
    /// [`shared_types::site_model::CAPACITY`] per heavy atom. The item's points come first in its part, each with its atom in the item and, in the lowest four
    /// bits, its direction.
    pub points: &'a mut Segment<'a, u32>,
    /// One per item: the number of its points.
    pub counts: &'a mut Segment<'a, u32>,
}

/// What [`fn@crate::site_points`] reads of residues.
#[derive(Arguments)]
pub struct PointItems<'a> {
    /// One per block.
    pub items: &'a [WorkItem],
    /// As in [`Batch`], like the next ones.
    pub atoms: &'a [Atom],
    /// One per structure.
    pub descriptors: &'a [BatchStructureDesc],
    /// One per residue.
    pub residue_types: &'a [u8],
    /// One per residue.
    pub ca_indices: &'a [u32],
}

/// The sites of a batch, and what they were found from.
#[derive(Arguments)]
pub struct FoundSites<'a> {
    /// What [`fn@crate::binding_sites`] reads.
    pub points: SitePoints<'a>,
    /// Results of [`fn@crate::binding_sites`], one per structure.
    pub summaries: &'a [StructureSummary],
    /// [`shared_types::site_model::MOST_SITES`] per structure.
    pub sites: &'a [Site],
}

/// Points and their scores, in the order of cells.
#[derive(Arguments)]
pub struct SitePoints<'a> {
    /// The result of [`fn@crate::site_sums`].
    pub sums: &'a [u32],
    /// The result of [`fn@crate::site_point_scores`].
    pub spots: &'a [Spot],
    /// A result of [`fn@crate::site_points`].
    pub point_atoms: &'a [PointAtom],
}

/// What [`fn@crate::split_pairs`] reads of rows. Block `i` takes the rows of item `i`.
#[derive(Arguments)]
pub struct RowItems<'a> {
    /// One per block.
    pub items: &'a [WorkItem],
    /// One per structure.
    pub descriptors: &'a [BatchStructureDesc],
    /// As in [`Batch`], like the next one.
    pub residue_types: &'a [u8],
    /// One per residue.
    pub exposure: &'a [ResidueExposure],
    /// As in [`Gathered`], like the next one.
    pub alpha_carbons: &'a [AlphaCarbon],
    /// One per residue.
    pub traits: &'a [Traits],
    /// Directions of side chains, one per residue.
    pub axes: &'a [[f32; 3]],
    /// One per structure.
    pub facts: &'a [Facts],
    /// The result of [`fn@crate::alpha_carbon_boxes`].
    pub boxes: &'a [Eight],
}

/// The contact graphs of all structures.
#[derive(Arguments)]
pub struct GraphParts<'a> {
    /// One per structure.
    pub descriptors: &'a [BatchStructureDesc],
    /// One per residue.
    pub alpha_carbons: &'a [AlphaCarbon],
    /// The lists that [`fn@crate::split_pairs`] wrote.
    pub contacts: &'a [u32],
}

/// What [`fn@crate::split_network`] reads besides the graph.
#[derive(Arguments)]
pub struct NetworkInputs<'a> {
    /// As in [`Gathered`].
    pub bfactor_z: &'a [f32],
    /// For each number of a chain of the structure, the number of its rows. One element per residue.
    pub chain_rows: &'a [u32],
    /// One per structure.
    pub facts: &'a [Facts],
}

/// What all blocks of [`fn@crate::split_eigenvectors`] work in.
#[derive(Arguments)]
pub struct GridScratch<'a> {
    /// One per residue.
    pub work: &'a mut GridMemory<'a, WorkVectors>,
    /// One per residue. What was there has been read.
    pub axes: &'a mut GridMemory<'a, [f32; 3]>,
    /// [`fn@crate::few_pairs`] pairs.
    pub few: &'a mut GridMemory<'a, [f32; 2]>,
}

/// The results of [`fn@crate::split_centrality`].
#[derive(Arguments)]
pub struct FoundCentrality<'a> {
    /// One row per residue.
    pub output: &'a mut Segment<'a, FeatureRow>,
    /// One per structure.
    pub summaries: &'a mut Segment<'a, StructureSummary>,
}

/// What a block of [`fn@crate::split_centrality`] works in.
#[derive(Arguments)]
pub struct CentralityScratch<'a> {
    /// One per residue.
    pub work: &'a mut Segment<'a, WorkVectors>,
    /// Few values.
    pub lanczos: Lanczos<'a>,
}

/// Residues and their atoms, for [`fn@crate::backbone_geometry`].
#[derive(Arguments)]
pub struct BackboneItems<'a> {
    /// One per block.
    pub items: &'a [WorkItem],
    /// As in [`Batch`], like the next ones.
    pub atoms: &'a [Atom],
    /// One per residue.
    pub ca_indices: &'a [u32],
    /// One per structure.
    pub descriptors: &'a [BatchStructureDesc],
    /// One per residue.
    pub residue_types: &'a [u8],
    /// One per residue.
    pub chain_ids: &'a [u32],
    /// Each residue's first atom, counted from the structure's first atom.
    pub residue_atoms: &'a [u32],
    /// [`shared_types::backbone::RoleAtoms`] as words.
    pub roles: &'a [[u32; 2]],
    /// The other end of a cyclic chain, or [`shared_types::backbone::NOT_CLOSED`].
    pub closures: &'a [u32],
}

/// Residues and their hydrogen bonds, for kernels whose block `i` takes the rows of item `i`.
#[derive(Arguments)]
pub struct BondedItems<'a> {
    /// One per block.
    pub items: &'a [WorkItem],
    /// One per structure.
    pub descriptors: &'a [BatchStructureDesc],
    /// A result of [`fn@crate::backbone_geometry`].
    pub carbons: &'a [Carbon],
    /// The result of [`fn@crate::backbone_bonds`] and [`fn@crate::split_bonds`].
    pub bonds: &'a [HydrogenBonds],
}
